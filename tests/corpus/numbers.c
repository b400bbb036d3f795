#include "corpus/numbers.h"

#include <math.h>

/* SOURCE: splitmix64, a public-domain generator: an odd increment and two multiplications. */
uint64_t random_word(struct random *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

int64_t random_between(struct random *r, int64_t low, int64_t high)
{
    return low + (int64_t)(random_word(r) % (uint64_t)(high - low + 1));
}

double random_quarter(struct random *r)
{
    return (double)random_between(r, -8, 8) / 4;
}

double random_normal(struct random *r)
{
    double sum = 0; /* twelve uniform numbers have variance 1 */
    for (int i = 0; i < 12; i++)
        sum += ldexp((double)(random_word(r) >> 40), -24);
    return sum - 6;
}

void fill_quarters(struct argument *t, struct random *r)
{
    const double scale = tw_num_is_integer(t->format) ? 4 : 1;
    for (uint64_t i = 0; i < t->count; i++)
        set_element(t, i, random_quarter(r) * scale);
}

void fill_normals(struct argument *t, struct random *r)
{
    for (uint64_t i = 0; i < t->count; i++)
        set_element(t, i, round_to(t->format, random_normal(r)));
}

void fill_words(struct argument *t, struct random *r)
{
    for (uint64_t i = 0; i < t->count; i++)
        set_word(t, i, random_word(r));
}

double host_quarter(uint32_t i)
{
    i = i * 2654435761u + 12345u;
    i ^= i >> 15;
    return ((int)(i % 17u) - 8) * 0.25;
}

void fill_host_quarters(struct argument *t, uint32_t offset, double scale)
{
    for (uint64_t i = 0; i < t->count; i++)
        set_element(t, i, host_quarter((uint32_t)i + offset) * scale);
}

double round_to(enum num_format format, double value)
{
    const struct num_format_info *const f = tw_num_format(format);
    if (value == 0 || !isfinite(value))
        return value;
    int exponent;
    frexp(value, &exponent); /* value = m * 2^exponent, 1/2 <= |m| < 1 */
    const int lowest = 1 - f->bias, top = exponent - 1 < lowest ? lowest : exponent - 1;
    const double quantum = ldexp(1, top - f->fraction_bits), rounded = nearbyint(value / quantum) * quantum;
    const double largest = element(format, (const unsigned char *)&f->max_finite, 0);
    if (fabs(rounded) <= largest)
        return rounded;
    return copysign(f->infinity != 0 ? (double)INFINITY : largest, value);
}

void multiply(const struct product *p, double *want)
{
    const size_t row = (size_t)p->n;
    for (int i = 0; i < p->m; i++) {
        double *const out = want + (size_t)i * row;
        const double *const a = p->a + (size_t)i * (size_t)p->k;
        for (int j = 0; j < p->n; j++)
            out[j] = 0;
        if (p->transposed)
            for (int j = 0; j < p->n; j++)
                for (int k = 0; k < p->k; k++)
                    out[j] += a[k] * p->b[(size_t)j * (size_t)p->k + (size_t)k];
        else
            for (int k = 0; k < p->k; k++)
                for (int j = 0; j < p->n; j++)
                    out[j] += a[k] * p->b[(size_t)k * row + (size_t)j];
    }
}
