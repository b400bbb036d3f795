/* SOURCE: ISO C17, 7.21.6.1: what the host does with a kernel's output. The digits come from the exact value, so neither the
 * locale nor the rounding of the host's library has a part in it. */
#include "machine/format_float.h"

#include "num/decimal.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_DIGITS = 800,       /* a double has at most 767 significant ones */
    DEFAULT_PRECISION = 6,
    FRACTION_BITS = 52,
    FRACTION_DIGITS = FRACTION_BITS / 4
};

/* 0.d1d2d3... times 10^point, d1 not zero; len is 0 for zero. */
struct decimal {
    char digits[MAX_DIGITS];
    int len, point;
};

/* Takes the exact text apart: [-] digits [. digits] [e exponent]. */
static void read_exact(struct decimal *d, const char *text)
{
    bool fraction = false;
    *d = (struct decimal){.len = 0};
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text == '.')
            fraction = true;
        if (*text < '0' || *text > '9')
            continue;
        if (d->len > 0 || *text != '0') {
            if (d->len < MAX_DIGITS)
                d->digits[d->len++] = *text;
            d->point += !fraction;
        } else {
            d->point -= fraction;
        }
    }
    if (*text == 'e')
        d->point += (int)strtol(text + 1, NULL, 10);
    while (d->len > 0 && d->digits[d->len - 1] == '0')
        d->len--;
    if (d->len == 0)
        d->point = 0;
}

/* To `keep` digits, ties to the even one. */
static void round_to(struct decimal *d, int keep)
{
    if (keep >= d->len)
        return;
    const bool tie = keep >= 0 && d->digits[keep] == '5' && d->len == keep + 1;
    const bool odd = keep > 0 && (d->digits[keep - 1] - '0') % 2 == 1;
    const bool up = keep >= 0 && (tie ? odd : d->digits[keep] >= '5');
    d->len = keep > 0 ? keep : 0;
    if (up) {
        while (d->len > 0 && d->digits[d->len - 1] == '9')
            d->len--;
        if (d->len > 0) {
            d->digits[d->len - 1]++;
        } else {
            d->digits[0] = '1';
            d->len = 1;
            d->point++;
        }
    }
    while (d->len > 0 && d->digits[d->len - 1] == '0')
        d->len--;
}

static char digit_at(const struct decimal *d, int i)
{
    return i >= 0 && i < d->len ? d->digits[i] : '0';
}

/* The digit before the point is number `first`. */
static void put_fraction(struct text *out, const struct decimal *d, int first, int precision, bool alternate)
{
    if (precision > 0 || alternate)
        tw_text_put(out, '.');
    for (int i = 0; i < precision; i++)
        tw_text_put(out, digit_at(d, first + i));
}

static void put_fixed(struct text *out, struct decimal *d, int precision, bool alternate)
{
    round_to(d, d->point + precision);
    if (d->point <= 0)
        tw_text_put(out, '0');
    for (int i = 0; i < d->point; i++)
        tw_text_put(out, digit_at(d, i));
    put_fraction(out, d, d->point, precision, alternate);
}

static void put_scientific(struct text *out, struct decimal *d, int precision, bool alternate, char letter)
{
    round_to(d, precision + 1);
    const int exponent = d->len == 0 ? 0 : d->point - 1;
    tw_text_put(out, digit_at(d, 0));
    put_fraction(out, d, 1, precision, alternate);
    tw_text_addf(out, "%c%c%02d", letter, exponent < 0 ? '-' : '+', abs(exponent));
}

/* Precision counts significant digits; zeros at the end go unless # stands there. */
static void put_shorter(struct text *out, struct decimal *d, int precision, bool alternate, char letter)
{
    const int digits = precision == 0 ? 1 : precision;
    round_to(d, digits);
    const int exponent = d->len == 0 ? 0 : d->point - 1;
    const int significant = alternate ? digits : d->len == 0 ? 1 : d->len;
    if (exponent >= -4 && exponent < digits)
        put_fixed(out, d, significant > exponent + 1 ? significant - exponent - 1 : 0, alternate);
    else
        put_scientific(out, d, significant - 1, alternate, letter == 'g' ? 'e' : 'E');
}

static void put_hexadecimal(struct text *out, uint64_t word, int precision, bool alternate, char letter)
{
    const char *const digits = letter == 'a' ? "0123456789abcdef" : "0123456789ABCDEF";
    const int exponent = (int)(word >> FRACTION_BITS & 0x7ff);
    uint64_t value = (word & ((UINT64_C(1) << FRACTION_BITS) - 1)) | (exponent != 0 ? UINT64_C(1) << FRACTION_BITS : 0);
    int count = FRACTION_DIGITS;
    if (precision >= 0 && precision < FRACTION_DIGITS) {
        const unsigned drop = 4 * (unsigned)(FRACTION_DIGITS - precision);
        const uint64_t half = UINT64_C(1) << (drop - 1), rest = value & (2 * half - 1);
        value >>= drop;
        value += rest > half || (rest == half && (value & 1) != 0);
        value <<= drop;
        count = precision;
    }
    while (precision < 0 && count > 0 && (value >> 4 * (FRACTION_DIGITS - count) & 15) == 0)
        count--;
    tw_text_addf(out, "0%c%u", letter == 'a' ? 'x' : 'X', (unsigned)(value >> FRACTION_BITS));
    if (count > 0 || precision > 0 || alternate)
        tw_text_put(out, '.');
    for (int i = 1; i <= count; i++)
        tw_text_put(out, digits[value >> 4 * (FRACTION_DIGITS - i) & 15]);
    if (precision > count)
        tw_text_pad(out, '0', (size_t)(precision - count));
    const bool zero = (word << 1) == 0;
    tw_text_addf(out, "%c%+d", letter == 'a' ? 'p' : 'P', zero ? 0 : exponent == 0 ? -1022 : exponent - 1023);
}

static void put_digits(struct text *out, const struct conversion *c, uint64_t word)
{
    struct text exact;
    struct decimal d;
    const int precision = c->precision < 0 ? DEFAULT_PRECISION : c->precision;
    tw_text_init(&exact, out->arena);
    tw_num_print_decimal(&exact, NUM_F64, word);
    read_exact(&d, exact.at);
    if (c->letter == 'f' || c->letter == 'F')
        put_fixed(out, &d, precision, c->alternate);
    else if (c->letter == 'e' || c->letter == 'E')
        put_scientific(out, &d, precision, c->alternate, c->letter);
    else
        put_shorter(out, &d, precision, c->alternate, c->letter);
}

void tw_format_float(struct text *out, const struct conversion *c, uint64_t word)
{
    struct text body;
    const uint64_t size = word << 1, infinity = UINT64_C(0x7ff) << (FRACTION_BITS + 1);
    const bool negative = word >> 63 != 0, upper = c->letter >= 'A' && c->letter <= 'Z';
    const char sign = negative ? '-' : c->plus ? '+' : c->space ? ' ' : '\0';
    tw_text_init(&body, out->arena);
    if (size >= infinity)
        tw_text_add(&body, size > infinity ? (upper ? "NAN" : "nan") : upper ? "INF" : "inf");
    else if (c->letter == 'a' || c->letter == 'A')
        put_hexadecimal(&body, word, c->precision, c->alternate, c->letter);
    else
        put_digits(&body, c, word);
    const size_t len = body.len + (sign != '\0');
    const size_t pad = c->width > len ? c->width - len : 0;
    const bool zeros = c->zero && !c->left && size < infinity;
    const size_t prefix = c->letter == 'a' || c->letter == 'A' ? 2 : 0; /* 0x stands before the zeros */
    if (!c->left && !zeros)
        tw_text_pad(out, ' ', pad);
    if (sign != '\0')
        tw_text_put(out, sign);
    if (zeros) {
        tw_text_add_str(out, (struct str){body.at, prefix});
        tw_text_pad(out, '0', pad);
        tw_text_add_str(out, (struct str){body.at + prefix, body.len - prefix});
    } else {
        tw_text_add_str(out, (struct str){body.at, body.len});
    }
    if (c->left)
        tw_text_pad(out, ' ', pad);
}
