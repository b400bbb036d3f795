#include "examples/numbers.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

struct format_row {
    int bits;            /* of an element */
    int unit, unit_bytes; /* elements are packed from the low bits on in units of so many bytes */
    int sign, exponent, fraction, bias; /* floats; exponent 0: an integer, sign 1: of two's complement */
};

static const struct format_row rows[EX_FORMAT_COUNT] = {
    [EX_F16] = {16, 1, 2, 1, 5, 10, 15},      [EX_BF16] = {16, 1, 2, 1, 8, 7, 127},
    [EX_F32] = {32, 1, 4, 1, 8, 23, 127},     [EX_E4M3] = {8, 1, 1, 1, 4, 3, 7},
    [EX_E5M2] = {8, 1, 1, 1, 5, 2, 15},       [EX_E2M1] = {4, 2, 1, 1, 2, 1, 1},
    [EX_E2M1_UNITS] = {4, 16, 16, 1, 2, 1, 1}, [EX_E3M2_UNITS] = {6, 16, 16, 1, 3, 2, 3},
    [EX_E2M3_UNITS] = {6, 16, 16, 1, 2, 3, 1},
    [EX_UE8M0] = {8, 1, 1, 0, 8, 0, 127},     [EX_UE4M3] = {8, 1, 1, 0, 4, 3, 7},
    [EX_S8] = {8, 1, 1, 1, 0, 0, 0},          [EX_U8] = {8, 1, 1, 0, 0, 0, 0},
    [EX_S32] = {32, 1, 4, 1, 0, 0, 0},        [EX_F64] = {64, 1, 8, 1, 11, 52, 1023},
    [EX_S4] = {4, 2, 1, 1, 0, 0, 0},          [EX_U4] = {4, 2, 1, 0, 0, 0, 0},
    [EX_U32] = {32, 1, 4, 0, 0, 0, 0},
};

size_t tw_example_bytes(enum example_format f, size_t elements)
{
    return elements / (size_t)rows[f].unit * (size_t)rows[f].unit_bytes;
}

static uint64_t mask_of(int bits)
{
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t get_word(const struct format_row *r, const unsigned char *tensor, size_t index)
{
    const unsigned char *unit = tensor + index / (size_t)r->unit * (size_t)r->unit_bytes;
    const size_t bit = index % (size_t)r->unit * (size_t)r->bits;
    uint64_t word = 0;
    for (int i = 0; i < 8 && (int)(bit / 8) + i < r->unit_bytes; i++)
        word |= (uint64_t)unit[bit / 8 + (size_t)i] << (8 * i);
    return word >> bit % 8 & mask_of(r->bits);
}

static void put_word(const struct format_row *r, unsigned char *tensor, size_t index, uint64_t word)
{
    unsigned char *unit = tensor + index / (size_t)r->unit * (size_t)r->unit_bytes;
    for (int i = 0; i < r->bits; i++) {
        const size_t bit = index % (size_t)r->unit * (size_t)r->bits + (size_t)i;
        unit[bit / 8] = (unsigned char)((unit[bit / 8] & ~(1u << bit % 8)) | (unsigned)(word >> i & 1) << bit % 8);
    }
}

static double power_of_two(int exponent)
{
    double p = 1;
    for (; exponent > 0; exponent--)
        p *= 2;
    for (; exponent < 0; exponent++)
        p /= 2;
    return p;
}

static double value_of(const struct format_row *r, uint64_t word)
{
    if (r->exponent == 0)
        return r->sign && word >> (r->bits - 1) ? (double)word - power_of_two(r->bits) : (double)word;
    const uint64_t fraction = word & mask_of(r->fraction), exponent = word >> r->fraction & mask_of(r->exponent);
    const bool negative = r->sign && word >> (r->exponent + r->fraction) & 1;
    /* Without fraction bits there is no zero and nothing subnormal. */
    const bool subnormal = exponent == 0 && r->fraction != 0;
    const double significand = (double)(subnormal ? fraction : fraction + (UINT64_C(1) << r->fraction));
    const double value = significand * power_of_two((int)(subnormal ? 1 : exponent) - r->bias - r->fraction);
    return negative ? -value : value;
}

uint64_t tw_example_word(enum example_format f, const unsigned char *tensor, size_t index)
{
    return get_word(&rows[f], tensor, index);
}

double tw_example_get(enum example_format f, const unsigned char *tensor, size_t index)
{
    return value_of(&rows[f], get_word(&rows[f], tensor, index));
}

/* ---- drawing --------------------------------------------------------------------------------------- */

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* The word of a value that the format has. */
static uint64_t word_of(const struct format_row *r, double value)
{
    if (r->bits == 64) {
        uint64_t word;
        memcpy(&word, &value, sizeof word);
        return word;
    }
    if (r->bits == 32) {
        const float f = (float)value;
        uint32_t word;
        memcpy(&word, &f, sizeof word);
        return word;
    }
    for (uint64_t word = 0; word <= mask_of(r->bits); word++)
        if (!(value_of(r, word) < value) && !(value_of(r, word) > value))
            return word;
    assert(false);
    return 0;
}

static const double quarters[] = {-1.5, -1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.5};
static const double halves[] = {-1.5, -1, -0.5, 0, 0.5, 1, 1.5};
static const double powers[] = {0.25, 0.5, 1, 2, 4};
static const double powers_and_half[] = {0.25, 0.5, 1, 1.5, 2, 4};

struct choice {
    const double *at;
    uint32_t count;
};
#define CHOICE(list) ((struct choice){list, sizeof(list) / sizeof((list)[0])})

static struct choice choice_of(enum example_format f, enum example_fill fill)
{
    if (fill == EX_SCALES)
        return f == EX_UE4M3 ? CHOICE(powers_and_half) : CHOICE(powers);
    return rows[f].fraction == 1 ? CHOICE(halves) : CHOICE(quarters);
}

static const uint8_t codes[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};

static void fill_integers(const struct format_row *r, enum example_fill fill, unsigned char *tensor, size_t elements,
                          uint32_t *state)
{
    for (size_t i = 0; i < elements; i++) {
        const uint32_t draw = next(state), near = draw >> 1 & 0xfffff;
        const uint32_t edge = draw & 1 ? 0x7fffffffu - near : 0x80000000u + near;
        const uint32_t any = r->bits == 32 && fill == EX_ANY ? draw ^ next(state) << 8 : draw; /* a draw has 24 bits */
        put_word(r, tensor, i, fill == EX_EDGE ? edge : fill == EX_CODES ? codes[draw % sizeof codes] : any);
    }
}

/* Sign and significand are drawn from all, the exponent from the upper middle of the format's: up to 16 values about the
 * bias, so that sums of products lose bits and stay finite. */
static void fill_wide(const struct format_row *r, unsigned char *tensor, size_t elements, uint32_t *state)
{
    const int spread = r->exponent >= 5 ? 16 : 1 << (r->exponent - 1);
    for (size_t i = 0; i < elements; i++) {
        const uint64_t bits = (uint64_t)next(state) << 48 ^ (uint64_t)next(state) << 24 ^ next(state);
        const uint64_t exponent = (uint64_t)r->bias + (bits >> 56) % (uint64_t)spread - (uint64_t)spread / 2 + (r->exponent < 5);
        put_word(r, tensor, i, (bits >> 55 & 1) << (r->bits - 1) | exponent << r->fraction | (bits & mask_of(r->fraction)));
    }
}

void tw_example_fill(enum example_format f, enum example_fill fill, unsigned char *tensor, size_t elements, uint32_t *state)
{
    const struct format_row *r = &rows[f];
    uint64_t words[16];
    memset(tensor, 0, tw_example_bytes(f, elements));
    if (r->exponent == 0) {
        fill_integers(r, fill, tensor, elements, state);
        return;
    }
    if (fill == EX_WIDE) {
        fill_wide(r, tensor, elements, state);
        return;
    }
    const struct choice c = choice_of(f, fill);
    assert(c.count <= sizeof words / sizeof words[0]);
    for (uint32_t i = 0; i < c.count; i++)
        words[i] = word_of(r, c.at[i]);
    for (size_t i = 0; i < elements; i++)
        put_word(r, tensor, i, words[next(state) % c.count]);
}
