/* The part of the language that is written in the language. */
#ifndef TW_LANG_LIBRARY_H
#define TW_LANG_LIBRARY_H

#include "lang/eval.h"

/* NULL-terminated (library_text.c). */
extern const char *const tw_library_lines[];

#endif
