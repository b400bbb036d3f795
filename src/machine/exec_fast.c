/* Host arithmetic for the common float operations and conversions.
 *
 * The host is IEEE 754, so with round to nearest every word is right but three kinds, which are mended or passed on:
 * f32 NaN results are 7FFFFFFF; f64 NaN results and, with .ftz, whatever touches a subnormal go to the definition. */
#include "machine/exec_fast.h"

#include "machine/exec_lanes.h"

#include <math.h>

/* The same code for hosts with fused multiply-add: without it fma is a library call. */
#if defined __x86_64__
#define WITH_FMA __attribute__((target("avx2,fma")))
static bool host_has_fma(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define WITH_FMA
static bool host_has_fma(void)
{
    return false;
}
#endif

static inline float f32_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* MEASURED: every NaN result is 7FFFFFFF. */
static inline uint32_t f32_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return f != f ? UINT32_C(0x7fffffff) : bits;
}

/* ---- f32 ------------------------------------------------------------------------------------------------ */

LANES_2(add_f32, uint32_t, uint32_t, 32, f32_bits(f32_of(x) + f32_of(y)))
LANES_2(sub_f32, uint32_t, uint32_t, 32, f32_bits(f32_of(x) - f32_of(y)))
LANES_2(mul_f32, uint32_t, uint32_t, 32, f32_bits(f32_of(x) * f32_of(y)))
LANES_3(fma_f32, uint32_t, uint32_t, 32, f32_bits(fmaf(f32_of(x), f32_of(y), f32_of(z))))
WITH_FMA LANES_3(fma_f32_vector, uint32_t, uint32_t, 32, f32_bits(fmaf(f32_of(x), f32_of(y), f32_of(z))))
WITH_FMA LANES_2(add_f32_vector, uint32_t, uint32_t, 32, f32_bits(f32_of(x) + f32_of(y)))
WITH_FMA LANES_2(sub_f32_vector, uint32_t, uint32_t, 32, f32_bits(f32_of(x) - f32_of(y)))
WITH_FMA LANES_2(mul_f32_vector, uint32_t, uint32_t, 32, f32_bits(f32_of(x) * f32_of(y)))

LANES_1(neg_f32, uint32_t, 32, (x & 0x7fffffff) > 0x7f800000 ? UINT32_C(0x7fffffff) : x ^ UINT32_C(0x80000000))
LANES_1(abs_f32, uint32_t, 32, (x & 0x7fffffff) > 0x7f800000 ? UINT32_C(0x7fffffff) : x & UINT32_C(0x7fffffff))

/* A key that orders the numbers as integers, -0 below +0. */
static inline int32_t order_of(uint32_t x)
{
    return (int32_t)x < 0 ? (int32_t)(x ^ 0x7fffffff) : (int32_t)x;
}

/* A NaN loses, two give the canonical word. */
static inline uint32_t min_word(uint32_t x, uint32_t y)
{
    const bool nan_x = (x & 0x7fffffff) > 0x7f800000, nan_y = (y & 0x7fffffff) > 0x7f800000;
    const int32_t kx = order_of(x), ky = order_of(y);
    return nan_x ? (nan_y ? UINT32_C(0x7fffffff) : y) : nan_y ? x : kx < ky ? x : y;
}
static inline uint32_t max_word(uint32_t x, uint32_t y)
{
    const bool nan_x = (x & 0x7fffffff) > 0x7f800000, nan_y = (y & 0x7fffffff) > 0x7f800000;
    const int32_t kx = order_of(x), ky = order_of(y);
    return nan_x ? (nan_y ? UINT32_C(0x7fffffff) : y) : nan_y ? x : kx > ky ? x : y;
}
LANES_2(min_f32, uint32_t, uint32_t, 32, min_word(x, y))
LANES_2(max_f32, uint32_t, uint32_t, 32, max_word(x, y))

/* ---- f32 with .ftz: a lane with a subnormal operand, or a result near the smallest normal, takes the definition ------ */

static inline uint32_t near_subnormal(uint32_t x)
{
    return (x & 0x7fffffff) - 1 < 0x00800000; /* magnitude from 1 to the smallest normal */
}

#define FTZ_2(name, operation, definition)                                                         \
    static enum exec_status name(struct warp *w, const struct dinst *d, uint32_t mask)             \
    {                                                                                              \
        const uint32_t *const x = row32(w, d->op[1].ref), *const y = row32(w, d->op[2].ref);       \
        uint32_t r[LANES], doubtful = 0;                                                           \
        for (uint32_t i = 0; i < LANES; i++) {                                                     \
            r[i] = f32_bits(f32_of(x[i]) operation f32_of(y[i]));                                  \
            doubtful |= (near_subnormal(x[i]) | near_subnormal(y[i]) | near_subnormal(r[i])) << i; \
        }                                                                                          \
        const struct num_ops how = {.ftz = true};                                                  \
        FOR_LANES(i, doubtful & mask)                                                              \
            r[i] = (uint32_t)definition(NUM_F32, how, x[i], y[i]);                                 \
        put32(w, &d->op[0], mask, r);                                                              \
        return EXEC_NEXT;                                                                          \
    }
FTZ_2(add_ftz_f32, +, tw_num_add)
FTZ_2(sub_ftz_f32, -, tw_num_sub)
FTZ_2(mul_ftz_f32, *, tw_num_mul)

/* ---- f32x2 and f64 -------------------------------------------------------------------------------------------------- */

static inline uint64_t both(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }

LANES_2(add_f32x2, uint64_t, uint64_t, 64,
        both(f32_bits(f32_of((uint32_t)x) + f32_of((uint32_t)y)), f32_bits(f32_of((uint32_t)(x >> 32)) + f32_of((uint32_t)(y >> 32)))))
LANES_2(mul_f32x2, uint64_t, uint64_t, 64,
        both(f32_bits(f32_of((uint32_t)x) * f32_of((uint32_t)y)), f32_bits(f32_of((uint32_t)(x >> 32)) * f32_of((uint32_t)(y >> 32)))))
WITH_FMA LANES_3(fma_f32x2_vector, uint64_t, uint64_t, 64,
                 both(f32_bits(fmaf(f32_of((uint32_t)x), f32_of((uint32_t)y), f32_of((uint32_t)z))),
                      f32_bits(fmaf(f32_of((uint32_t)(x >> 32)), f32_of((uint32_t)(y >> 32)), f32_of((uint32_t)(z >> 32))))))

static inline double f64_of(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

#define F64_2(name, operation, definition)                                                    \
    static enum exec_status name(struct warp *w, const struct dinst *d, uint32_t mask)        \
    {                                                                                         \
        const uint64_t *const x = row64(w, d->op[1].ref), *const y = row64(w, d->op[2].ref);  \
        const struct num_ops how = {0};                                                       \
        uint64_t r[LANES];                                                                    \
        FOR_LANES(i, mask) {                                                                  \
            const double f = f64_of(x[i]) operation f64_of(y[i]);                             \
            memcpy(&r[i], &f, sizeof f);                                                      \
            if (f != f)                                                                       \
                r[i] = definition(NUM_F64, how, x[i], y[i]);                                  \
        }                                                                                     \
        put64(w, &d->op[0], mask, r);                                                         \
        return EXEC_NEXT;                                                                     \
    }
F64_2(add_f64, +, tw_num_add)
F64_2(sub_f64, -, tw_num_sub)
F64_2(mul_f64, *, tw_num_mul)

WITH_FMA static enum exec_status fma_f64_vector(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint64_t *const x = row64(w, d->op[1].ref), *const y = row64(w, d->op[2].ref), *const z = row64(w, d->op[3].ref);
    const struct num_ops how = {0};
    uint64_t r[LANES];
    FOR_LANES(i, mask) {
        const double f = fma(f64_of(x[i]), f64_of(y[i]), f64_of(z[i]));
        memcpy(&r[i], &f, sizeof f);
        if (f != f)
            r[i] = tw_num_fma(NUM_F64, how, x[i], y[i], z[i]);
    }
    put64(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

/* ---- Choice ------------------------------------------------------------------------------------------------------------ */

/* Round to nearest and nothing else but, perhaps, .ftz. */
static bool is_plain(const struct num_ops *how)
{
    return how->rounding == NUM_RN && !how->sat && !how->relu && !how->nan && !how->xorsign_abs && !how->abs && !how->oob;
}

exec_fn *tw_fast_float(enum isa_op op, unsigned type, const struct num_ops *how)
{
    static const struct pick portable[] = {
        {OP_ADD, MOD_F32, 0, add_f32}, {OP_SUB, MOD_F32, 0, sub_f32}, {OP_MUL, MOD_F32, 0, mul_f32}, {OP_FMA, MOD_F32, 0, fma_f32},
        {OP_NEG, MOD_F32, 0, neg_f32}, {OP_ABS, MOD_F32, 0, abs_f32}, {OP_MIN, MOD_F32, 0, min_f32}, {OP_MAX, MOD_F32, 0, max_f32},
        {OP_ADD, MOD_F32, MOD_FTZ, add_ftz_f32}, {OP_SUB, MOD_F32, MOD_FTZ, sub_ftz_f32}, {OP_MUL, MOD_F32, MOD_FTZ, mul_ftz_f32},
        {OP_ADD, MOD_F32X2, 0, add_f32x2}, {OP_MUL, MOD_F32X2, 0, mul_f32x2},
        {OP_ADD, MOD_F64, 0, add_f64}, {OP_SUB, MOD_F64, 0, sub_f64}, {OP_MUL, MOD_F64, 0, mul_f64},
    };
    static const struct pick with_fma[] = {
        {OP_ADD, MOD_F32, 0, add_f32_vector}, {OP_SUB, MOD_F32, 0, sub_f32_vector}, {OP_MUL, MOD_F32, 0, mul_f32_vector},
        {OP_FMA, MOD_F32, 0, fma_f32_vector}, {OP_FMA, MOD_F32X2, 0, fma_f32x2_vector}, {OP_FMA, MOD_F64, 0, fma_f64_vector},
    };
    if (!is_plain(how))
        return NULL;
    const unsigned mod = how->ftz ? MOD_FTZ : 0;
    exec_fn *run = NULL;
    if (host_has_fma())
        run = pick_exec(with_fma, sizeof with_fma / sizeof with_fma[0], op, type, mod);
    return run != NULL ? run : pick_exec(portable, sizeof portable / sizeof portable[0], op, type, mod);
}

/* ---- Conversions ----------------------------------------------------------------------------------------------------------- */

LANES_1(f32_from_s32, int32_t, 32, f32_bits((float)x))
LANES_1(f32_from_u32, uint32_t, 32, f32_bits((float)x))
LANES_1(f32_from_bf16, uint32_t, 32, x << 16) /* MEASURED: a pure shift, payload kept */

/* To nearest even by integer addition; NaN is 7FFF. */
LANES_1(bf16_from_f32, uint32_t, 32, (x & 0x7fffffff) > 0x7f800000 ? 0x7fff : (x + 0x7fff + (x >> 16 & 1)) >> 16)

/* Every f16 is an f32: the exponent is moved and, for a subnormal, the implicit one taken off again by a subtraction. */
static inline uint32_t widen_f16(uint32_t h)
{
    const uint32_t sign = (h & 0x8000) << 16, magnitude = h & 0x7fff;
    if (magnitude > 0x7c00)
        return UINT32_C(0x7fffffff);
    if (magnitude == 0x7c00)
        return sign | UINT32_C(0x7f800000);
    const uint32_t normal = (magnitude << 13) + UINT32_C(0x38000000);
    uint32_t subnormal;
    const float value = f32_of((magnitude << 13) + UINT32_C(0x38800000)) - f32_of(UINT32_C(0x38800000));
    memcpy(&subnormal, &value, sizeof value);
    return sign | (magnitude < 0x400 ? subnormal : normal);
}
LANES_1(f32_from_f16, uint32_t, 32, widen_f16(x))

/* Truncation, clamped; NaN is 0. */
static inline uint32_t truncate_s32(uint32_t x)
{
    const float f = f32_of(x);
    return f != f ? 0 : f >= 2147483648.0f ? UINT32_C(0x7fffffff) : f <= -2147483648.0f ? UINT32_C(0x80000000) : (uint32_t)(int32_t)f;
}
LANES_1(s32_from_f32, uint32_t, 32, truncate_s32(x))

exec_fn *tw_fast_convert(const struct num_convert_how *how)
{
    static const struct { uint8_t to, from, rounding; exec_fn *run; } rows[] = {
        {NUM_F32, NUM_S32, NUM_RN, f32_from_s32}, {NUM_F32, NUM_U32, NUM_RN, f32_from_u32}, {NUM_F32, NUM_BF16, NUM_RN, f32_from_bf16},
        {NUM_F32, NUM_F16, NUM_RN, f32_from_f16}, {NUM_BF16, NUM_F32, NUM_RN, bf16_from_f32}, {NUM_S32, NUM_F32, NUM_RZ, s32_from_f32},
    };
    if (how->ftz || how->sat || how->satfinite || how->relu)
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].to == how->to && rows[i].from == how->from && rows[i].rounding == how->rounding)
            return rows[i].run;
    return NULL;
}
