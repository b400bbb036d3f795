/* Rows of the files of corpus/triton: one variant on the targets that it was compiled for (src/variants.py). */
#ifndef TW_TESTS_CORPUS_ROWS_H
#define TW_TESTS_CORPUS_ROWS_H

#include "corpus/kernel.h"

#define ON_100(variant, function) {variant ".sm_100", NULL, function, NULL}
#define ON_90_100(variant, function) {variant ".sm_90", NULL, function, NULL}, ON_100(variant, function)
#define ON_ALL(variant, function) {variant ".sm_80", NULL, function, NULL}, ON_90_100(variant, function)

#endif
