/* A kernel's floating-point output against the C library's, which prints it on a machine with a GPU. */
#include "support/check.h"

#include "machine/format_float.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Flags, width and precision as a format for the library, and as a conversion. */
static void draw_conversion(uint64_t *state, struct conversion *c, char *format)
{
    const uint64_t bits = next_random(state);
    *c = (struct conversion){.left = (bits & 7) == 0, .zero = (bits >> 3 & 3) == 0, .plus = (bits >> 5 & 3) == 0,
                             .space = (bits >> 7 & 3) == 0, .alternate = (bits >> 9 & 3) == 0, .precision = -1};
    if ((bits >> 11 & 1) != 0)
        c->width = (uint32_t)(bits >> 12 & 31);
    if ((bits >> 17 & 3) != 0)
        c->precision = (int32_t)(bits >> 19 & ((bits >> 24 & 7) == 0 ? 31 : 7));
    c->letter = "fFeEgGaA"[bits >> 28 & 7];
    char *at = format;
    *at++ = '%';
    const bool flags[] = {c->left, c->zero, c->plus, c->space, c->alternate};
    for (unsigned i = 0; i < COUNT(flags); i++)
        if (flags[i])
            *at++ = "-0+ #"[i];
    if (c->width > 0)
        at += sprintf(at, "%u", c->width);
    if (c->precision >= 0)
        at += sprintf(at, ".%d", c->precision);
    *at++ = c->letter;
    *at = '\0';
}

/* Any bits, small integers, halves that round to even, and specials. */
static uint64_t draw_word(uint64_t *state)
{
    static const uint64_t specials[] = {0, UINT64_C(1) << 63, 1, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
                                        0xfff8000000000001, 0x7fefffffffffffff, 0x0010000000000000, 0x000fffffffffffff};
    const uint64_t bits = next_random(state);
    double value;
    uint64_t word;
    switch (bits & 3) {
    case 0: return next_random(state);
    case 1: return specials[(bits >> 2) % COUNT(specials)];
    case 2: value = (double)(int64_t)(bits >> 50) / 16.0; break;
    default: value = (double)(bits >> 40) * 1e-3; break;
    }
    memcpy(&word, &value, sizeof word);
    return word;
}

static void floats_print_as_the_c_library_prints_them(void **state)
{
    struct bench_room *const room = *state;
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned i = 0; i < 40000; i++) {
        struct conversion c;
        struct text got;
        char format[32], want[512];
        double value;
        draw_conversion(&random, &c, format);
        const uint64_t word = draw_word(&random);
        memcpy(&value, &word, sizeof value);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(want, sizeof want, format, value);
#pragma GCC diagnostic pop
        tw_text_init(&got, &room->arena);
        tw_format_float(&got, &c, word);
        if (strcmp(got.at, want) != 0)
            print_message("%s of %016" PRIx64 ": \"%s\", not \"%s\"\n", format, word, got.at, want);
        assert_string_equal(got.at, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(floats_print_as_the_c_library_prints_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
