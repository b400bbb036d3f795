/* Decimal text by whole-number arithmetic: every finite word is an integer divided by a power of ten, and every
 * literal is a ratio of two integers that one long division rounds. */
#include "num/decimal.h"

#include "base/bits.h"
#include "num/round.h"

#include <assert.h>
#include <string.h>

/* An unsigned integer, least significant limb first. UNITS: 32 bits a limb. The largest operand is a literal of
 * MAX_DIGITS + 1 digits against 10^(MAX_DIGITS - SMALLEST_EXPONENT10), below 4,200 bits, shifted by at most one
 * quotient's width. */
enum { LIMBS = 176, MAX_DIGITS = 800, SMALLEST_EXPONENT10 = -420, LARGEST_EXPONENT10 = 400 };

struct big {
    uint32_t limb[LIMBS];
    unsigned len;
};

static void big_set(struct big *n, uint64_t value)
{
    n->len = 0;
    for (; value != 0; value >>= 32)
        n->limb[n->len++] = (uint32_t)value;
}

/* n * factor + addend */
static void big_muladd(struct big *n, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (unsigned i = 0; i < n->len; i++) {
        carry += (uint64_t)n->limb[i] * factor;
        n->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        assert(n->len < LIMBS);
        n->limb[n->len++] = (uint32_t)carry;
    }
}

static void big_mul_power(struct big *n, uint32_t base, unsigned power)
{
    for (unsigned i = 0; i < power; i++)
        big_muladd(n, base, 0);
}

static void big_shift_up(struct big *n, unsigned bits)
{
    const unsigned limbs = bits / 32;
    if (n->len == 0)
        return;
    assert(n->len + limbs < LIMBS);
    memmove(n->limb + limbs, n->limb, n->len * sizeof n->limb[0]);
    memset(n->limb, 0, limbs * sizeof n->limb[0]);
    n->len += limbs;
    big_muladd(n, UINT32_C(1) << bits % 32, 0);
}

/* Divides by a small number and returns the remainder. */
static uint32_t big_div_small(struct big *n, uint32_t by)
{
    uint64_t rest = 0;
    for (unsigned i = n->len; i-- > 0;) {
        rest = rest << 32 | n->limb[i];
        n->limb[i] = (uint32_t)(rest / by);
        rest %= by;
    }
    while (n->len != 0 && n->limb[n->len - 1] == 0)
        n->len--;
    return (uint32_t)rest;
}

static int big_compare(const struct big *a, const struct big *b)
{
    if (a->len != b->len)
        return a->len < b->len ? -1 : 1;
    for (unsigned i = a->len; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* a -= b, where b <= a */
static void big_subtract(struct big *a, const struct big *b)
{
    int64_t borrow = 0;
    for (unsigned i = 0; i < a->len; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->len ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->len != 0 && a->limb[a->len - 1] == 0)
        a->len--;
}

static unsigned big_bits(const struct big *n)
{
    return n->len == 0 ? 0 : 32 * (n->len - 1) + log2_floor(n->limb[n->len - 1]) + 1;
}

/* All decimal digits of n, most significant first; returns how many. n is used up. */
static unsigned big_digits(struct big *n, char *out, unsigned room)
{
    unsigned len = 0;
    while (n->len != 0) {
        uint32_t nine = big_div_small(n, 1000000000);
        for (unsigned i = 0; i < 9 && (n->len != 0 || nine != 0); i++, nine /= 10) {
            assert(len < room);
            out[len++] = (char)('0' + nine % 10);
        }
    }
    for (unsigned i = 0; i < len / 2; i++) {
        const char c = out[i];
        out[i] = out[len - 1 - i];
        out[len - 1 - i] = c;
    }
    return len;
}

/* The exponents of ten that still print without an exponent. */
enum { PLAIN_FROM = -6, PLAIN_TO = 20 };

/* digits * 10^(point - len), point being where the decimal point falls counted from the first digit. */
static void put_digits(struct text *out, const char *digits, unsigned len, int point)
{
    const int exponent = point - 1;
    const bool scientific = exponent < PLAIN_FROM || exponent > PLAIN_TO;
    if (scientific)
        point = 1;
    if (point <= 0) {
        tw_text_add(out, "0.");
        tw_text_pad(out, '0', (size_t)-point);
    }
    for (unsigned i = 0; i < len; i++) {
        if (i > 0 && (int)i == point)
            tw_text_put(out, '.');
        tw_text_put(out, digits[i]);
    }
    if (point > (int)len)
        tw_text_pad(out, '0', (size_t)point - len);
    if (scientific)
        tw_text_addf(out, "e%+d", exponent);
}

static void put_finite(struct text *out, struct num_value v)
{
    struct big n;
    char digits[1200]; /* f64: at most 767 significant digits, 1074 before trailing zeros go */
    big_set(&n, v.sig);
    if (v.exp >= 0)
        big_shift_up(&n, (unsigned)v.exp);
    else
        big_mul_power(&n, 5, (unsigned)-v.exp); /* sig / 2^e = sig * 5^e / 10^e */
    unsigned len = big_digits(&n, digits, sizeof digits);
    const int point = (int)len + (v.exp < 0 ? v.exp : 0);
    while (len > 1 && digits[len - 1] == '0')
        len--;
    put_digits(out, digits, len, point);
}

void tw_num_print_decimal(struct text *out, enum num_format f, uint64_t word)
{
    const struct num_value v = tw_num_decode(f, word);
    if (v.cls == NUM_NAN) {
        tw_text_add(out, "nan");
        return;
    }
    if (v.negative)
        tw_text_put(out, '-');
    if (v.cls == NUM_INFINITE)
        tw_text_add(out, "inf");
    else if (v.cls == NUM_ZERO)
        tw_text_put(out, '0');
    else
        put_finite(out, v);
}

void tw_num_print(struct text *out, enum num_format f, uint64_t word)
{
    const unsigned bits = tw_num_bits(f);
    if (tw_num_is_float(f))
        tw_text_addf(out, "0x%0*llx = ", (int)(bits + 3) / 4, (unsigned long long)(word & bits_mask(bits)));
    tw_num_print_decimal(out, f, word);
}

/* A literal taken apart: digits * 10^exponent, the digits without leading zeros and at most MAX_DIGITS + 1 of them. */
struct literal {
    bool negative;
    char digits[MAX_DIGITS + 1];
    unsigned len;
    int64_t exponent;
};

struct reader {
    struct str text;
    size_t at;
};

static bool is_digit(const struct reader *r)
{
    return r->at < r->text.len && r->text.at[r->at] >= '0' && r->text.at[r->at] <= '9';
}

static bool take(struct reader *r, char c)
{
    if (r->at >= r->text.len || r->text.at[r->at] != c)
        return false;
    r->at++;
    return true;
}

/* A digit, or an underscore that stands between two digits. */
static bool next_digit(struct reader *r, bool first, char *digit)
{
    const size_t before = r->at;
    if (!first)
        (void)take(r, '_');
    if (!is_digit(r)) {
        r->at = before;
        return false;
    }
    *digit = r->text.at[r->at++];
    return true;
}

/* Digits beyond MAX_DIGITS only say whether anything follows: a last digit 1 stands for them. No format has a rounding
 * boundary that needs more: an f64 halfway point has at most 768 digits. */
static void add_digit(struct literal *n, char digit, bool after_point)
{
    n->exponent -= after_point ? 1 : 0;
    if (n->len == 0 && digit == '0')
        return;
    if (n->len < MAX_DIGITS) {
        n->digits[n->len++] = digit;
        return;
    }
    n->exponent++;
    if (digit != '0' && n->len == MAX_DIGITS) {
        n->digits[n->len++] = '1';
        n->exponent--;
    }
}

static unsigned read_digits(struct reader *r, struct literal *n, bool after_point)
{
    unsigned count = 0;
    char digit;
    for (; next_digit(r, count == 0, &digit); count++)
        add_digit(n, digit, after_point);
    return count;
}

static bool read_exponent(struct reader *r, struct literal *n)
{
    if (!take(r, 'e') && !take(r, 'E'))
        return true;
    const bool negative = take(r, '-');
    if (!negative)
        (void)take(r, '+');
    int64_t exponent = 0;
    unsigned count = 0;
    char digit;
    for (; next_digit(r, count == 0, &digit); count++)
        if (exponent < 1000000000)
            exponent = 10 * exponent + (digit - '0');
    n->exponent += negative ? -exponent : exponent;
    return count != 0;
}

static bool read_literal(struct str text, struct literal *n)
{
    struct reader r = {.text = text};
    *n = (struct literal){.negative = take(&r, '-')};
    if (!n->negative)
        (void)take(&r, '+');
    unsigned count = read_digits(&r, n, false);
    if (take(&r, '.'))
        count += read_digits(&r, n, true);
    return count != 0 && read_exponent(&r, n) && r.at == r.text.len;
}

/* n / d as an exact number: 67 bits of the quotient and whether anything is left. Both operands are used up. */
static struct num_exact divide(struct big *n, struct big *d)
{
    enum { FRACTION_BITS = 66 };
    const int shift = (int)big_bits(d) - (int)big_bits(n); /* afterwards 1/2 < n/d < 2 */
    if (shift > 0)
        big_shift_up(n, (unsigned)shift);
    else
        big_shift_up(d, (unsigned)-shift);
    struct num_exact q = {.exp = -shift - FRACTION_BITS};
    for (unsigned i = 0; i <= FRACTION_BITS; i++) {
        const bool fits = big_compare(n, d) >= 0;
        if (fits)
            big_subtract(n, d);
        q.sig = q.sig << 1 | (fits ? 1 : 0);
        big_shift_up(n, 1);
    }
    q.sticky = n->len != 0;
    return q;
}

/* Whether x rounds to something above the largest number: x/2 keeps its significand and cannot overflow unnoticed. */
static bool is_too_large(enum num_format f, struct num_exact x)
{
    const struct num_format_info *info = tw_num_format(f);
    const uint64_t half_of_max = info->max_finite - (UINT64_C(1) << (info->fraction_bits + info->unused_low_bits));
    x.negative = false;
    x.exp -= 1;
    return tw_num_pack(f, (struct num_round_how){.overflow = NUM_OVERFLOW_SATURATE}, x) > half_of_max;
}

/* A literal too large or too small for every format becomes a power of two that is so too. */
static struct num_exact exact_literal(const struct literal *n)
{
    struct num_exact x = {.negative = n->negative, .sig = 1};
    const int64_t below10 = n->exponent + n->len; /* the value lies below 10^this */
    if (n->len == 0 || below10 < SMALLEST_EXPONENT10) {
        x.sig = 0;
        return x;
    }
    if (below10 > LARGEST_EXPONENT10) {
        x.exp = 4 * LARGEST_EXPONENT10;
        return x;
    }
    struct big numerator, denominator;
    big_set(&numerator, 0);
    big_set(&denominator, 1);
    for (unsigned i = 0; i < n->len; i++)
        big_muladd(&numerator, 10, (uint32_t)(n->digits[i] - '0'));
    if (n->exponent < 0)
        big_mul_power(&denominator, 10, (unsigned)-n->exponent);
    else
        big_mul_power(&numerator, 10, (unsigned)n->exponent);
    x = divide(&numerator, &denominator);
    x.negative = n->negative;
    return x;
}

static enum num_parse parse_float(const struct literal *n, enum num_format f, uint64_t *word)
{
    const struct num_exact x = exact_literal(n);
    *word = tw_num_pack(f, (struct num_round_how){.mode = NUM_RN}, x);
    return x.sig != 0 && is_too_large(f, x) ? NUM_PARSE_OVERFLOW : NUM_PARSED;
}

static enum num_parse parse_integer(const struct literal *n, enum num_format f, uint64_t *word)
{
    unsigned len = n->len;
    int64_t exponent = n->exponent;
    for (; len > 0 && n->digits[len - 1] == '0'; len--)
        exponent++;
    if (len > 0 && exponent < 0)
        return NUM_PARSE_MALFORMED;
    const bool is_signed = tw_num_format(f)->family == NUM_SIGNED;
    const uint64_t limit = !n->negative ? tw_num_max_word(f) : is_signed ? tw_num_min_word(f) : 0;
    num_wide magnitude = 0;
    for (unsigned i = 0; i < len && magnitude <= limit; i++)
        magnitude = magnitude * 10 + (unsigned)(n->digits[i] - '0');
    for (int64_t i = 0; len > 0 && i < exponent && magnitude <= limit; i++)
        magnitude *= 10;
    const bool fits = magnitude <= limit;
    const uint64_t value = fits ? (uint64_t)magnitude : limit;
    *word = (n->negative ? 0 - value : value) & bits_mask(tw_num_bits(f));
    return fits ? NUM_PARSED : NUM_PARSE_OVERFLOW;
}

enum num_parse tw_num_parse_decimal(struct str text, enum num_format f, uint64_t *word)
{
    struct literal n;
    if (!read_literal(text, &n))
        return NUM_PARSE_MALFORMED;
    return tw_num_is_float(f) ? parse_float(&n, f, word) : parse_integer(&n, f, word);
}
