/* A growing text, the target of every printer. Always NUL-terminated. */
#ifndef TW_BASE_TEXT_H
#define TW_BASE_TEXT_H

#include "base/arena.h"
#include "base/str.h"

#include <stdarg.h>

struct text {
    struct arena *arena;
    char *at;
    size_t len, cap;
};

void tw_text_init(struct text *t, struct arena *arena);
void tw_text_put(struct text *t, char c);
void tw_text_add(struct text *t, const char *s);
void tw_text_add_str(struct text *t, struct str s);
void tw_text_pad(struct text *t, char c, size_t count);
/* printf without %f and friends: floats print through tw_num_* as hex bits and exact decimals. */
void tw_text_addf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tw_text_addv(struct text *t, const char *format, va_list args);
/* Quoted and escaped as a JSON string. */
void tw_text_add_json(struct text *t, struct str s);

/* One formatted string in an arena. */
char *tw_format(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *tw_formatv(struct arena *arena, const char *format, va_list args);

#endif
