/* Inputs and plain arithmetic of the references, in double. */
#ifndef TW_TESTS_CORPUS_NUMBERS_H
#define TW_TESTS_CORPUS_NUMBERS_H

#include "corpus/kernel.h"

struct random {
    uint64_t state;
};

uint64_t random_word(struct random *r);
/* A multiple of 1/4 from -2 to 2: exact in every float format down to 8 bits, and so are the sums of products. */
double random_quarter(struct random *r);
/* Close to a normal distribution: mean 0, deviation 1. */
double random_normal(struct random *r);
int64_t random_between(struct random *r, int64_t low, int64_t high);

/* Fills `before`. Integer tensors get four times the quarter. */
void fill_quarters(struct argument *t, struct random *r);
/* Normal numbers, rounded to the format. */
void fill_normals(struct argument *t, struct random *r);
void fill_words(struct argument *t, struct random *r);

/* corpus/cuda/host_util.h: the input of number i, a multiple of 1/4 from -2 to 2. */
double host_quarter(uint32_t i);
/* Fills `before` with host_quarter(i + offset) * scale. */
void fill_host_quarters(struct argument *t, uint32_t offset, double scale);

/* The nearest value of the format, ties to even; beyond the largest finite value an infinity, or, for formats without
 * one, the largest value. Written from the format's widths alone. */
double round_to(enum num_format format, double value);

/* want[m][n] = sum over k of a[m][k] * b[k][n], or of b[n][k] where `transposed`. */
struct product {
    const double *a, *b;
    int m, n, k;
    bool transposed;
};
void multiply(const struct product *p, double *want);

#endif
