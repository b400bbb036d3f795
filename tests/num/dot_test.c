/* Dot-product models: the table as a key, and the rules on cases small enough to work by hand. Words are f32 unless said. */
#include "support/check.h"

#include "num/dot.h"

#define ONE 0x3f800000u

struct dot_row {
    const char *rule;
    enum num_arch arch;
    enum num_unit unit;
    enum num_format a, b, d;
    unsigned n;
    uint64_t x[32], y[32];
    uint64_t c;
    uint64_t want;
};

static void check_rows(const struct dot_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct dot_row *r = &rows[i];
        const struct num_dot_model *model = tw_num_dot_model(r->arch, r->unit, NUM_PLAIN, r->a, r->b, r->d);
        assert_non_null(model);
        const struct num_dot_how how = {.a = r->a, .b = r->b, .d = r->d};
        const uint64_t got = tw_num_dot(model, &how, r->n, r->x, r->y, &r->c, NULL, NULL);
        if (got != r->want)
            fail_msg("%s: want %llx, got %llx", r->rule, (unsigned long long)r->want, (unsigned long long)got);
    }
}

#define TCGEN_TF32 NUM_BLACKWELL, NUM_TCGEN05, NUM_TF32, NUM_TF32, NUM_F32, 8
#define HOPPER_BF16 NUM_HOPPER, NUM_MMA_SYNC, NUM_BF16, NUM_BF16, NUM_F32, 8
#define HOPPER_F16 NUM_HOPPER, NUM_MMA_SYNC, NUM_F16, NUM_F16, NUM_F32, 16

/* Worked from the rules of numerics.md, section 3, and tcgen05.md, 10.3. */
static void one_window_aligns_truncates_and_sums_exactly(void **state)
{
    (void)state;
    static const struct dot_row rows[] = {
        {"2^-25 beside 1 is the last unit of the window", TCGEN_TF32, {ONE, 0x33000000, 0xbf800000}, {ONE, ONE, ONE}, 0, 0x33000000},
        {"2^-26 beside 1 is cut off", TCGEN_TF32, {ONE, 0x32800000, 0xbf800000}, {ONE, ONE, ONE}, 0, 0},
        {"negative terms are cut toward zero too", TCGEN_TF32, {ONE, 0xb2800000}, {ONE, ONE}, 0, ONE},
        {"two halves of a unit never meet", TCGEN_TF32, {ONE, 0x32800000, 0x32800000, 0xbf800000}, {ONE, ONE, ONE, ONE}, 0, 0},
        {"the f32 result is cut, not rounded", TCGEN_TF32, {ONE, 0x33c00000}, {ONE, ONE}, 0, ONE}, /* 1 + 1.5 * 2^-24 */
        {"C takes part in the alignment", TCGEN_TF32, {0x32800000}, {ONE}, ONE, ONE},
        {"a zero factor raises nothing", TCGEN_TF32, {0, 0x2b800000}, {0x7f000000, ONE}, 0, 0x2b800000},
        {"-0 never comes out", TCGEN_TF32, {0x80000000}, {ONE}, 0x80000000, 0},
        {"no term at all gives +0", TCGEN_TF32, {0}, {0}, 0x80000000, 0},
        {"products are not renormalised: 1.5*1.5 keeps exponent 0", TCGEN_TF32, {0x3fc00000, 0xbfc00000, 0x33000000}, {0x3fc00000, 0x3fc00000, ONE}, 0, 0x33000000},
        {"C = -2.25 does have exponent 1", TCGEN_TF32, {0x3fc00000, 0x33000000}, {0x3fc00000, ONE}, 0xc0100000, 0},
    };
    check_rows(rows, COUNT(rows));
}

static void products_beyond_the_f32_range_are_finite_numbers(void **state)
{
    (void)state;
    static const struct dot_row rows[] = {
        {"2^254 - 2^254 + 1 is +0: the 1 is far below", HOPPER_BF16, {0x7f00, 0xff00, 0x3f80}, {0x7f00, 0x7f00, 0x3f80}, 0, 0},
        {"2^128 overflows to infinity although the result is cut", HOPPER_BF16, {0x7f00}, {0x4000}, 0, 0x7f800000},
        {"2^-266 vanishes to +0", HOPPER_BF16, {0x8001}, {0x0001}, 0, 0},
        {"2^-149 is kept", HOPPER_BF16, {0x0001}, {0x3780}, 0, 0x00000001},
    };
    check_rows(rows, COUNT(rows));
}

static void special_values_come_before_arithmetic(void **state)
{
    (void)state;
    static const struct dot_row rows[] = {
        {"NaN in A", HOPPER_F16, {0xfe01}, {0x3c00}, 0, 0x7fffffff},
        {"infinity times zero", HOPPER_F16, {0x7c00}, {0x8000}, 0, 0x7fffffff},
        {"infinities of both signs", HOPPER_F16, {0x7c00, 0xfc00}, {0x3c00, 0x3c00}, 0, 0x7fffffff},
        {"infinite product against infinite C", HOPPER_F16, {0x7c00}, {0x3c00}, 0xff800000, 0x7fffffff},
        {"infinity of one sign", HOPPER_F16, {0x7c00, 0x3c00}, {0xbc00, 0x3c00}, 0xff800000, 0xff800000},
        {"a tf32 payload in the low bits is an infinity", TCGEN_TF32, {0x7f800001}, {ONE}, 0, 0x7f800000},
        {"f16 D has its own NaN", NUM_HOPPER, NUM_MMA_SYNC, NUM_F16, NUM_F16, NUM_F16, 16, {0x7c01}, {0x3c00}, 0, 0x7fff},
    };
    check_rows(rows, COUNT(rows));
}

static void f16_results_round_to_nearest_even_once(void **state)
{
    (void)state;
    static const struct dot_row rows[] = {
        {"1 + 2^-11 ties to 1", NUM_HOPPER, NUM_MMA_SYNC, NUM_F16, NUM_F16, NUM_F16, 16, {0x3c00, 0x1000}, {0x3c00, 0x3c00}, 0, 0x3c00},
        {"1 + 2^-11 + 2^-24 goes up", NUM_HOPPER, NUM_MMA_SYNC, NUM_F16, NUM_F16, NUM_F16, 16, {0x3c00, 0x1000, 0x0001}, {0x3c00, 0x3c00, 0x3c00}, 0, 0x3c01},
        {"65520 overflows", NUM_HOPPER, NUM_MMA_SYNC, NUM_F16, NUM_F16, NUM_F16, 16, {0x7bff, 0x4c00}, {0x3c00, 0x3c00}, 0, 0x7c00},
    };
    check_rows(rows, COUNT(rows));
}

/* The same products on hardware that cuts K differently: +big and -big in one window, or in two. */
static void the_cut_of_k_decides_what_survives(void **state)
{
    (void)state;
    static const struct dot_row rows[] = {
        /* 2^15 at k=0, 2^-20 at k=1, -2^15 at k=8 */
        {"Hopper: one window of 16 loses the small term", HOPPER_F16, {0x7800, 0x0010, 0, 0, 0, 0, 0, 0, 0xf800}, {0x3c00, 0x3c00, 0, 0, 0, 0, 0, 0, 0x3c00}, 0, 0},
        {"Ampere: the small term of the second window survives", NUM_AMPERE, NUM_MMA_SYNC, NUM_F16, NUM_F16, NUM_F32, 16,
         {0x7800, 0xf800, 0, 0, 0, 0, 0, 0, 0x0010}, {0x3c00, 0x3c00, 0, 0, 0, 0, 0, 0, 0x3c00}, 0, 0x35800000},
        {"Hopper: there it does not", HOPPER_F16, {0x7800, 0xf800, 0, 0, 0, 0, 0, 0, 0x0010}, {0x3c00, 0x3c00, 0, 0, 0, 0, 0, 0, 0x3c00}, 0, 0},
        {"Volta keeps 23 bits: 2^-24 beside 1 is lost", NUM_VOLTA, NUM_MMA_SYNC, NUM_F16, NUM_F16, NUM_F32, 4, {0x3c00, 0x0001, 0xbc00}, {0x3c00, 0x3c00, 0x3c00}, 0, 0},
        {"Turing keeps 24 bits: 2^-24 survives", NUM_TURING, NUM_MMA_SYNC, NUM_F16, NUM_F16, NUM_F32, 8, {0x3c00, 0x0001, 0xbc00}, {0x3c00, 0x3c00, 0x3c00}, 0, 0x33800000},
    };
    check_rows(rows, COUNT(rows));
}

/* Since sm_80 no tensor core has it: f32 multiply-adds, in one order to f32 and in another to f16. */
static void m8n8k4_is_done_in_f32_steps(void **state)
{
    (void)state;
#define TO_F32 NUM_HOPPER, NUM_MMA_M8N8K4, NUM_F16, NUM_F16, NUM_F32, 4
#define TO_F16 NUM_HOPPER, NUM_MMA_M8N8K4, NUM_F16, NUM_F16, NUM_F16, 4
    static const struct dot_row rows[] = {
        {"1 + 1 is there before 2^24", TO_F32, {0x3c00, 0x3c00}, {0x3c00, 0x3c00}, 0x4b800000, 0x4b800001},
        {"2^24 + 1 ties to 2^24", TO_F32, {0x3c00}, {0x3c00}, 0x4b800000, 0x4b800000},
        {"2^25 + 1 - 2^25 from k = 0 on", TO_F32, {0x7800, 0x3c00, 0xf800}, {0x6400, 0x3c00, 0x6400}, 0, 0},
        {"2^25 - 2^25 + 1", TO_F32, {0x7800, 0xf800, 0x3c00}, {0x6400, 0x6400, 0x3c00}, 0, ONE},
        {"1 + 1.5 * 2^-24 rounds up", TO_F32, {0x3c00, 0x0400}, {0x3c00, 0x1600}, 0, 0x3f800001},
        {"-0 never comes out of f32", TO_F32, {0x8000, 0x8000, 0x8000, 0x8000}, {0x3c00, 0x3c00, 0x3c00, 0x3c00}, 0x80000000, 0},
        {"a subnormal C stays", TO_F32, {0}, {0}, 0x80000001, 0x80000001},
        {"infinity times zero", TO_F32, {0, 0, 0x7c00}, {0x3c00, 0x3c00, 0}, 0, 0x7fffffff},
        {"-0 comes out of f16", TO_F16, {0x8000, 0x8000, 0x8000, 0x8000}, {0x3c00, 0x3c00, 0x3c00, 0x3c00}, 0x8000, 0x8000},
        {"2^15 + 2^-9 is 2^15 before the second pair comes", TO_F16, {0x1800, 0, 0xf800}, {0x3c00, 0, 0x3c00}, 0x7800, 0},
        {"2^15 - 2^15 + 2^-9", TO_F16, {0xf800, 0, 0x1800}, {0x3c00, 0, 0x3c00}, 0x7800, 0x1800},
        {"1 + 2^-11 + 2^-26 is a tie once it is f32", TO_F16, {0x1000, 0, 0x0400}, {0x3c00, 0, 0x0c00}, 0x3c00, 0x3c00},
        {"1 + 2^-11 + 2^-23 is above it", TO_F16, {0x1000, 0, 0x0400}, {0x3c00, 0, 0x1800}, 0x3c00, 0x3c01},
        {"65520 overflows to infinity", TO_F16, {0x4c00}, {0x3c00}, 0x7bff, 0x7c00},
        {"a NaN of f16", TO_F16, {0xfe01}, {0x3c00}, 0, 0x7fff},
        {"from sm_80 on it is the same code", NUM_AMPERE, NUM_MMA_M8N8K4, NUM_F16, NUM_F16, NUM_F32, 4, {0x3c00, 0x3c00}, {0x3c00, 0x3c00}, 0x4b800000, 0x4b800001},
        {"but Volta has it in one window", NUM_VOLTA, NUM_MMA_M8N8K4, NUM_F16, NUM_F16, NUM_F32, 4, {0x3c00, 0x0400}, {0x3c00, 0x1600}, 0, ONE},
    };
    check_rows(rows, COUNT(rows));
    assert_null(tw_num_dot_model(NUM_TURING, NUM_MMA_M8N8K4, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32));
#undef TO_F32
#undef TO_F16
}

static void hopper_fp8_differs_between_its_two_units(void **state)
{
    (void)state;
    static const struct dot_row rows[] = {
        /* 1 + C where C = 2^-20: wgmma keeps 13 bits, mma.sync adds C with a rounding add */
        {"wgmma aligns C in 13 bits", NUM_HOPPER, NUM_WGMMA, NUM_E4M3, NUM_E4M3, NUM_F32, 32, {0x38}, {0x38}, 0x35800000, ONE},
        {"mma.sync adds C at the end", NUM_HOPPER, NUM_MMA_SYNC, NUM_E4M3, NUM_E4M3, NUM_F32, 32, {0x38}, {0x38}, 0x35800000, 0x3f800008},
        {"and rounds to nearest", NUM_HOPPER, NUM_MMA_SYNC, NUM_E4M3, NUM_E4M3, NUM_F32, 32, {0x38}, {0x38}, 0x33c00000, 0x3f800001},
        {"tcgen05 keeps 25 bits and cuts", NUM_BLACKWELL, NUM_TCGEN05, NUM_E4M3, NUM_E4M3, NUM_F32, 32, {0x38}, {0x38}, 0x33c00000, ONE},
    };
    check_rows(rows, COUNT(rows));
}

static void integers_wrap_or_clamp_once_at_the_end(void **state)
{
    (void)state;
    const struct num_dot_model *model = tw_num_dot_model(NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_S8, NUM_U8, NUM_S32);
    assert_non_null(model);
    const uint64_t a[2] = {0x7f, 0x80}, b[2] = {0xff, 0xff}, c = 0x7fffffff; /* +127*255 and -128*255 */
    struct num_dot_how how = {.a = NUM_S8, .b = NUM_U8, .d = NUM_S32};
    assert_int_equal(tw_num_dot(model, &how, 1, a, b, &c, NULL, NULL), 0x7fffffffu + 127 * 255);
    assert_int_equal(tw_num_dot(model, &how, 2, a, b, &c, NULL, NULL), 0x7fffffff - 255);
    how.saturate = true;
    assert_int_equal(tw_num_dot(model, &how, 1, a, b, &c, NULL, NULL), 0x7fffffff);
    assert_int_equal(tw_num_dot(model, &how, 2, a, b, &c, NULL, NULL), 0x7fffffff - 255);
    assert_int_equal(tw_num_dot(model, &how, 1, a, b, NULL, NULL, NULL), 127 * 255);
}

static void single_bits_count_xor_or_and(void **state)
{
    (void)state;
    const struct num_dot_model *model = tw_num_dot_model(NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_B1, NUM_B1, NUM_S32);
    assert_non_null(model);
    const uint64_t a[4] = {0, 0, 1, 1}, b[4] = {0, 1, 0, 1}, c = 0xffffffff;
    struct num_dot_how how = {.a = NUM_B1, .b = NUM_B1, .d = NUM_S32};
    assert_int_equal(tw_num_dot(model, &how, 4, a, b, &c, NULL, NULL), 1);
    how.bits_and = true;
    assert_int_equal(tw_num_dot(model, &how, 4, a, b, &c, NULL, NULL), 0);
}

static void f64_is_a_chain_of_fused_multiply_adds(void **state)
{
    (void)state;
    const struct num_dot_model *model = tw_num_dot_model(NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_F64, NUM_F64, NUM_F64);
    assert_non_null(model);
    const struct num_dot_how how = {.a = NUM_F64, .b = NUM_F64, .d = NUM_F64};
    /* 2^53 + 1 rounds to 2^53 before -2^53 comes: the order of k shows */
    const uint64_t one = 0x3ff0000000000000, big = 0x4340000000000000, minus_big = 0xc340000000000000, zero = 0;
    const uint64_t ones[3] = {one, one, one};
    const uint64_t late[3] = {big, one, minus_big}, early[3] = {big, minus_big, one};
    assert_int_equal(tw_num_dot(model, &how, 3, late, ones, &zero, NULL, NULL), 0);
    assert_int_equal(tw_num_dot(model, &how, 3, early, ones, &zero, NULL, NULL), one);
    const uint64_t nan_a = 0x7ff0000000000001, nan_b = 0x7ff0000000000002, nan_c = 0x7ff0000000000003, quiet = 0x0008000000000000;
    assert_int_equal(tw_num_dot(model, &how, 1, &nan_a, &nan_b, &nan_c, NULL, NULL), nan_b | quiet);
    assert_int_equal(tw_num_dot(model, &how, 1, &nan_a, &one, &nan_c, NULL, NULL), nan_c | quiet);
}

static uint64_t scaled(enum num_arch arch, enum num_unit unit, enum num_kind kind, const struct num_dot_how *how, unsigned n,
                       const uint64_t *a, const uint64_t *b, uint64_t c, const uint64_t *sa, const uint64_t *sb)
{
    const struct num_dot_model *model = tw_num_dot_model(arch, unit, kind, how->a, how->b, how->d);
    assert_non_null(model);
    return tw_num_dot(model, how, n, a, b, &c, sa, sb);
}

static void block_scales_multiply_before_the_alignment(void **state)
{
    (void)state;
    const struct num_dot_how mx8 = {.a = NUM_E4M3, .b = NUM_E2M1, .d = NUM_F32, .scale = NUM_UE8M0, .scale_block = 32};
    const uint64_t a[32] = {0x38, 0x01}, b[32] = {0x2, 0x2}; /* 1*1 + 2^-9*1 */
    const uint64_t up[1] = {0x81}, one[1] = {0x7f}, nan[1] = {0xff};
    assert_int_equal(scaled(NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF8F6F4, &mx8, 32, a, b, 0, up, one), 0x40804000); /* 4 + 2^-7 */
    assert_int_equal(scaled(NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF8F6F4, &mx8, 32, a, b, 0, nan, one), 0x7fffffff);
    const uint64_t zeros[64] = {0};
    assert_int_equal(scaled(NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF8F6F4, &mx8, 32, zeros, b, 0, up, nan), 0x7fffffff);

    const struct num_dot_how nv = {.a = NUM_E2M1, .b = NUM_E2M1, .d = NUM_F32, .scale = NUM_UE4M3, .scale_block = 16};
    const uint64_t x[64] = {0x7, [16] = 0x2}, y[64] = {0x7, [16] = 0xa}; /* 36 in block 0, -1 in block 1 */
    const uint64_t sa[4] = {0x38, 0x40, 0, 0}, sb[4] = {0xb8, 0x38, 0, 0}; /* 1 and 2; the top bit is ignored */
    assert_int_equal(scaled(NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF4NVF4, &nv, 64, x, y, ONE, sa, sb), 0x420c0000); /* 36-2+1 */
    assert_int_equal(scaled(NUM_BLACKWELL_CONSUMER, NUM_MMA_SYNC, NUM_MXF4NVF4, &nv, 64, x, y, ONE, sa, sb), 0x420c0000);
    assert_int_equal(scaled(NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF4NVF4, &nv, 64, zeros, zeros, 0x80000000, sa, sb), 0);
    assert_int_equal(scaled(NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF4NVF4, &nv, 64, zeros, zeros, 0x80000001, sa, sb), 0x80000001);
}

static void negation_and_the_scale_of_c_apply_before_everything(void **state)
{
    (void)state;
    const struct num_dot_model *model = tw_num_dot_model(NUM_BLACKWELL, NUM_TCGEN05, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32);
    const uint64_t a = 0x4000, b = 0x4200, c = 0x41000000; /* 2 * 3, 8 */
    struct num_dot_how how = {.a = NUM_F16, .b = NUM_F16, .d = NUM_F32, .negate_a = true};
    assert_int_equal(tw_num_dot(model, &how, 1, &a, &b, &c, NULL, NULL), 0x40000000);
    how.negate_b = true;
    assert_int_equal(tw_num_dot(model, &how, 1, &a, &b, &c, NULL, NULL), 0x41600000);
    how.scale_c_log2 = 3;
    assert_int_equal(tw_num_dot(model, &how, 1, &a, &b, &c, NULL, NULL), 0x40e00000);
    assert_int_equal(tw_num_dot(model, &how, 1, &a, &b, NULL, NULL, NULL), 0x40c00000);
}

static void a_tile_is_its_dots(void **state)
{
    (void)state;
    const struct num_dot_model *model = tw_num_dot_model(NUM_HOPPER, NUM_WGMMA, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32);
    const struct num_dot_how how = {.a = NUM_F16, .b = NUM_F16, .d = NUM_F32};
    const uint64_t a[2 * 3] = {0x3c00, 0x4000, 0x4200, 0, 0x3c00, 0}; /* 1 2 3; 0 1 0 */
    const uint64_t b[2 * 3] = {0x3c00, 0x3c00, 0x3c00, 0x4000, 0, 0}; /* columns 1 1 1 and 2 0 0 */
    uint64_t d[4] = {ONE, ONE, ONE, ONE};
    const struct num_tile tile = {.m = 2, .n = 2, .k = 3, .a = a, .b = b, .read_c = true, .d = d};
    tw_num_dot_tile(model, &how, &tile);
    const uint64_t with_c[4] = {0x40e00000, 0x40400000, 0x40000000, ONE};
    assert_memory_equal(d, with_c, sizeof d);
    const struct num_tile fresh = {.m = 2, .n = 2, .k = 3, .a = a, .b = b, .d = d};
    tw_num_dot_tile(model, &how, &fresh);
    const uint64_t without_c[4] = {0x40c00000, 0x40000000, ONE, 0};
    assert_memory_equal(d, without_c, sizeof d);
}

static void combinations_that_no_hardware_has_find_no_model(void **state)
{
    (void)state;
    static const struct { enum num_arch arch; enum num_unit unit; enum num_kind kind; enum num_format a, b, d; } rows[] = {
        {NUM_HOPPER, NUM_TCGEN05, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32}, {NUM_BLACKWELL, NUM_WGMMA, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32},
        {NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_F16, NUM_BF16, NUM_F32}, {NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_BF16, NUM_BF16, NUM_F16},
        {NUM_AMPERE, NUM_MMA_SYNC, NUM_PLAIN, NUM_E4M3, NUM_E4M3, NUM_F32}, {NUM_HOPPER, NUM_MMA_SYNC, NUM_PLAIN, NUM_E2M1, NUM_E2M1, NUM_F32},
        {NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF4, NUM_E2M1, NUM_E4M3, NUM_F32}, {NUM_BLACKWELL, NUM_TCGEN05, NUM_MXF8F6F4, NUM_E4M3, NUM_E4M3, NUM_F16},
        {NUM_BLACKWELL, NUM_TCGEN05, NUM_PLAIN, NUM_S4, NUM_S4, NUM_S32}, {NUM_VOLTA, NUM_MMA_SYNC, NUM_PLAIN, NUM_BF16, NUM_BF16, NUM_F32},
        {NUM_HOPPER, NUM_WGMMA, NUM_PLAIN, NUM_F64, NUM_F64, NUM_F64},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_null(tw_num_dot_model(rows[i].arch, rows[i].unit, rows[i].kind, rows[i].a, rows[i].b, rows[i].d));
}

static bool keys_meet(const struct num_dot_model *x, const struct num_dot_model *y)
{
    return (x->archs & y->archs) != 0 && (x->units & y->units) != 0 && x->kind == y->kind &&
           (x->a_formats & y->a_formats) != 0 && (x->b_formats & y->b_formats) != 0 && (x->d_formats & y->d_formats) != 0;
}

static void no_two_rows_claim_the_same_combination_and_each_names_its_evidence(void **state)
{
    (void)state;
    size_t count = 0;
    const struct num_dot_model *models = tw_num_dot_models(&count);
    for (size_t i = 0; i < count; i++) {
        assert_true(models[i].name != NULL && models[i].source != NULL && models[i].source[0] != '\0');
        assert_non_null(tw_num_evidence_name(models[i].evidence));
        for (size_t j = i + 1; j < count; j++)
            if (keys_meet(&models[i], &models[j]))
                fail_msg("'%s' and '%s'", models[i].name, models[j].name);
    }
}

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return *seed;
}

static enum num_format pick(uint32_t set, uint64_t random)
{
    unsigned f = (unsigned)(random % NUM_FORMAT_COUNT);
    while ((set >> f & 1) == 0)
        f = (f + 1) % NUM_FORMAT_COUNT;
    return (enum num_format)f;
}

/* Any words at all: NaN, infinities, the ends of the exponent range, scales of every size. */
static void exchanging_a_and_b_changes_nothing_whatever_the_words(void **state)
{
    (void)state;
    const uint64_t first_seed = 0x853c49e6748fea9b;
    uint64_t seed = first_seed;
    size_t count = 0;
    const struct num_dot_model *models = tw_num_dot_models(&count);
    for (unsigned round = 0; round < 200 * count; round++) {
        const struct num_dot_model *m = &models[round % count];
        if (m->method == NUM_DOT_FMA_CHAIN)
            continue; /* the choice between two NaNs is not symmetric */
        struct num_dot_how how = {.a = pick(m->a_formats, next(&seed)), .d = pick(m->d_formats, next(&seed))};
        how.b = m->same_ab ? how.a : pick(m->b_formats, next(&seed));
        const bool scaled_kind = m->kind != NUM_PLAIN;
        if (scaled_kind) {
            how.scale = m->kind == NUM_MXF4NVF4 && next(&seed) % 2 != 0 ? NUM_UE4M3 : NUM_UE8M0;
            how.scale_block = m->kind == NUM_MXF8F6F4 || next(&seed) % 2 != 0 ? 32 : 16;
        }
        how.scale_c_log2 = (uint8_t)(next(&seed) % 4 == 0 ? next(&seed) % 16 : 0);
        uint64_t a[64], b[64], sa[4], sb[4];
        const uint64_t c = next(&seed), narrow = next(&seed) % 3 == 0 ? 0x1f : 0xff;
        for (unsigned k = 0; k < 64; k++)
            a[k] = next(&seed), b[k] = next(&seed);
        for (unsigned i = 0; i < 4; i++)
            sa[i] = next(&seed) & narrow, sb[i] = next(&seed) & narrow;
        const uint64_t d = tw_num_dot(m, &how, 64, a, b, &c, scaled_kind ? sa : NULL, scaled_kind ? sb : NULL);
        const enum num_format swap = how.a;
        how.a = how.b;
        how.b = swap;
        if (tw_num_dot(m, &how, 64, b, a, &c, scaled_kind ? sb : NULL, scaled_kind ? sa : NULL) != d)
            fail_msg("seed %llx, round %u, '%s'", (unsigned long long)first_seed, round, m->name);
    }
}

static void targets_have_their_architecture(void **state)
{
    (void)state;
    enum num_arch arch;
    static const struct { unsigned sm; enum num_arch arch; } rows[] = {
        {70, NUM_VOLTA}, {75, NUM_TURING}, {80, NUM_AMPERE}, {86, NUM_AMPERE}, {89, NUM_ADA}, {90, NUM_HOPPER},
        {100, NUM_BLACKWELL}, {103, NUM_BLACKWELL}, {120, NUM_BLACKWELL_CONSUMER},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(tw_num_arch_of_sm(rows[i].sm, &arch));
        assert_int_equal(arch, rows[i].arch);
    }
    assert_false(tw_num_arch_of_sm(60, &arch));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_window_aligns_truncates_and_sums_exactly),
        cmocka_unit_test(products_beyond_the_f32_range_are_finite_numbers),
        cmocka_unit_test(special_values_come_before_arithmetic),
        cmocka_unit_test(f16_results_round_to_nearest_even_once),
        cmocka_unit_test(the_cut_of_k_decides_what_survives),
        cmocka_unit_test(m8n8k4_is_done_in_f32_steps),
        cmocka_unit_test(hopper_fp8_differs_between_its_two_units),
        cmocka_unit_test(integers_wrap_or_clamp_once_at_the_end),
        cmocka_unit_test(single_bits_count_xor_or_and),
        cmocka_unit_test(f64_is_a_chain_of_fused_multiply_adds),
        cmocka_unit_test(block_scales_multiply_before_the_alignment),
        cmocka_unit_test(negation_and_the_scale_of_c_apply_before_everything),
        cmocka_unit_test(a_tile_is_its_dots),
        cmocka_unit_test(combinations_that_no_hardware_has_find_no_model),
        cmocka_unit_test(no_two_rows_claim_the_same_combination_and_each_names_its_evidence),
        cmocka_unit_test(exchanging_a_and_b_changes_nothing_whatever_the_words),
        cmocka_unit_test(targets_have_their_architecture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
