/* Every legal instruction descriptor, and every field of a matrix descriptor at every mode, against words made here from the
 * bit tables of tcgen05.md 4 and 5; what is legal is said here again, from 3.2, 3.3 and 7.2 of it. */
#include "support/check.h"

#include "isa/idesc.h"
#include "isa/smem_desc.h"

/* ---- the instruction descriptor -------------------------------------------------------------------------- */

enum { MAX_FORMATS = 5 };

struct coded { enum num_format format; uint32_t code; };

static const struct kind_words {
    unsigned formats, sums;
    struct coded ab[MAX_FORMATS], d[2];
} kinds[TC_KIND_COUNT] = {
    [TC_F16] = {2, 2, {{NUM_F16, 0}, {NUM_BF16, 1}}, {{NUM_F16, 0}, {NUM_F32, 1}}},
    [TC_TF32] = {1, 1, {{NUM_TF32, 2}}, {{NUM_F32, 1}}},
    [TC_F8F6F4] = {5, 2, {{NUM_E4M3, 0}, {NUM_E5M2, 1}, {NUM_E2M3, 3}, {NUM_E3M2, 4}, {NUM_E2M1, 5}}, {{NUM_F16, 0}, {NUM_F32, 1}}},
    [TC_I8] = {2, 1, {{NUM_U8, 0}, {NUM_S8, 1}}, {{NUM_S32, 2}}},
    [TC_MXF8F6F4] = {5, 1, {{NUM_E4M3, 0}, {NUM_E5M2, 1}, {NUM_E2M3, 3}, {NUM_E3M2, 4}, {NUM_E2M1, 5}}, {{NUM_F32, 0}}},
    [TC_MXF4] = {1, 1, {{NUM_E2M1, 1}}, {{NUM_F32, 0}}},
    [TC_MXF4NVF4] = {1, 1, {{NUM_E2M1, 1}}, {{NUM_F32, 0}}},
};

static bool is_scaled(enum tc_kind k) { return k == TC_MXF8F6F4 || k == TC_MXF4 || k == TC_MXF4NVF4; }
static bool has_bytes(enum num_format f) { return f == NUM_E4M3 || f == NUM_E5M2 || f == NUM_S8 || f == NUM_U8; }

static bool shape_exists(const struct tc_form *f, unsigned m, unsigned n)
{
    if (n < 8 || n > 256 || n % 8 != 0)
        return false;
    if (f->ws)
        return !is_scaled(f->kind) && f->cta_group == 1 && (m == 32 || m == 64 || m == 128) &&
               (n == 64 || n == 128 || (n == 256 && !f->sparse));
    if (f->cta_group == 2 && (m == 256 || (m == 128 && !(is_scaled(f->kind) && f->sparse))))
        return n % (f->kind == TC_I8 ? 32 : 16) == 0;
    if (f->cta_group == 1 && (m == 128 || (m == 64 && !is_scaled(f->kind))))
        return f->kind != TC_I8 || n <= 32 || n % 16 == 0;
    return false;
}

static bool may_be_mn(const struct tc_form *f, enum num_format format)
{
    const bool wide = f->kind == TC_F16 || f->kind == TC_TF32;
    return wide || has_bytes(format);
}

static bool scales_exist(const struct tc_form *f, const struct idesc *d)
{
    switch (f->scale_vec) {
    case TC_SCALE_1X: return f->kind == TC_MXF8F6F4 && d->scale_format == NUM_UE8M0;
    case TC_SCALE_2X: return (f->kind == TC_MXF4 || f->kind == TC_MXF4NVF4) && d->scale_format == NUM_UE8M0 && (d->sfa_id | d->sfb_id) % 2 == 0;
    case TC_SCALE_4X: return f->kind == TC_MXF4NVF4 && d->sfa_id == 0 && d->sfb_id == 0;
    case TC_SCALE_NONE:
    case TC_SCALE_VEC_COUNT: break;
    }
    return !is_scaled(f->kind);
}

static bool is_legal(const struct tc_form *f, const struct idesc *d)
{
    const bool a_mn = d->a_mn_major != 0, b_mn = d->b_mn_major != 0;
    return shape_exists(f, d->m, d->n) && (f->kind != TC_F16 || d->a_format == d->b_format) &&
           !(f->kind == TC_F16 && d->d_format == NUM_F16 && d->a_format == NUM_BF16) &&
           (!a_mn || (!f->a_in_tmem && may_be_mn(f, (enum num_format)d->a_format))) &&
           (!b_mn || (may_be_mn(f, (enum num_format)d->b_format) &&
                      (!has_bytes((enum num_format)d->b_format) || d->n % (16u * f->cta_group) == 0))) &&
           (d->saturate == 0 || f->kind == TC_I8) && (f->kind != TC_I8 || (d->negate_a | d->negate_b) == 0) && scales_exist(f, d);
}

static uint32_t word_of(const struct tc_form *f, const struct idesc *d, uint32_t a, uint32_t b, uint32_t sum)
{
    const uint32_t common = (uint32_t)d->sparse << 2 | a << 7 | b << 10 | (uint32_t)d->negate_a << 13 | (uint32_t)d->negate_b << 14 |
                            (uint32_t)d->a_mn_major << 15 | (uint32_t)d->b_mn_major << 16 | (uint32_t)d->n / 8 << 17 |
                            (uint32_t)d->m / 16 << 24;
    if (!is_scaled(f->kind))
        return common | (uint32_t)d->saturate << 3 | sum << 4;
    return common | (uint32_t)d->sfb_id << 4 | (d->scale_format == NUM_UE8M0 ? 1u : 0) << 23 | (uint32_t)d->sfa_id << 29;
}

struct tally { unsigned legal, illegal; };

static void judge(const struct tc_form *f, const struct idesc *d, uint32_t word, struct tally *tally)
{
    struct idesc_fault_list faults;
    struct idesc back;
    const bool legal = is_legal(f, d);
    if (tw_idesc_encode(f->kind, d) != word)
        fail_msg("kind %d: %08x, wanted %08x", f->kind, tw_idesc_encode(f->kind, d), word);
    tw_idesc_decode(f->kind, word, &back);
    assert_memory_equal(&back, d, sizeof back);
    if (tw_idesc_check(f, word, &faults) != legal)
        fail_msg("kind %d, cta_group %u, ws %d, sparse %d, scales %d: %08x is %slegal", f->kind, f->cta_group, f->ws, f->sparse,
                 f->scale_vec, word, legal ? "" : "il");
    *(legal ? &tally->legal : &tally->illegal) += 1;
}

/* The flags of one form, shape and choice of formats: signs, orders, saturation, or the scales' bytes. A shape that does not
 * exist is judged once; bytes other than 0 go with multiples of 64 for N, for the time it takes. */
static void judge_flags(const struct tc_form *f, struct idesc d, uint32_t a, uint32_t b, uint32_t sum, struct tally *tally)
{
    const unsigned most = shape_exists(f, d.m, d.n) ? 512 : 1;
    for (unsigned bits = 0; bits < most; bits++) {
        if (is_scaled(f->kind) && (bits >> 4 & 15) != 0 && d.n % 64 != 0)
            continue;
        d.negate_a = bits & 1;
        d.negate_b = bits >> 1 & 1;
        d.a_mn_major = bits >> 2 & 1;
        d.b_mn_major = bits >> 3 & 1;
        if (is_scaled(f->kind)) {
            d.sfa_id = bits >> 4 & 3;
            d.sfb_id = bits >> 6 & 3;
            d.scale_format = bits >> 8 ? NUM_UE8M0 : NUM_UE4M3;
        } else if (bits >> 4 > 1) {
            break;
        } else {
            d.saturate = bits >> 4 & 1;
        }
        judge(f, &d, word_of(f, &d, a, b, sum), tally);
    }
}

static void judge_formats(const struct tc_form *f, unsigned m, unsigned n, struct tally *tally)
{
    const struct kind_words *k = &kinds[f->kind];
    for (unsigned i = 0; i < k->formats * k->formats * k->sums; i++) {
        const struct coded *a = &k->ab[i % k->formats], *b = &k->ab[i / k->formats % k->formats];
        const struct coded *sum = &k->d[i / k->formats / k->formats];
        const struct idesc d = {.m = (uint16_t)m, .n = (uint16_t)n, .a_format = (uint16_t)a->format, .b_format = (uint16_t)b->format,
                                .d_format = (uint16_t)sum->format, .sparse = f->sparse,
                                .scale_format = NUM_NONE};
        judge_flags(f, d, a->code, b->code, sum->code, tally);
    }
}

/* Shapes that exist, and those around them: N two steps beyond the largest, M of another form. */
static void judge_form(const struct tc_form *f, struct tally *tally)
{
    for (unsigned m = is_scaled(f->kind) ? 128 : 32; m <= 256; m *= 2) /* those tables have no place for a smaller M */
        for (unsigned n = 8; n <= 272; n += 8)
            judge_formats(f, m, n, tally);
}

static void every_instruction_descriptor_is_the_word_of_its_table(void **state)
{
    (void)state;
    for (int kind = 0; kind < TC_KIND_COUNT; kind++) {
        struct tally tally = {0, 0};
        for (unsigned form = 0; form < 16; form++)
            for (int vec = TC_SCALE_NONE; vec < TC_SCALE_VEC_COUNT; vec++) {
                const struct tc_form f = {(enum tc_kind)kind, form & 1 ? 2 : 1, (form & 2) != 0, (form & 4) != 0, (form & 8) != 0,
                                          (enum tc_scale_vec)vec};
                if ((tw_tc_scale_of(f.kind, f.scale_vec) != NULL) == is_scaled(f.kind) && (vec != TC_SCALE_NONE) == is_scaled(f.kind))
                    judge_form(&f, &tally);
            }
        assert_true(tally.legal > 1000 && tally.illegal > 1000);
    }
}

/* ---- the matrix descriptor ----------------------------------------------------------------------------------- */

/* Every value of every field in every mode, the other fields drawn. */
static void every_matrix_descriptor_is_the_word_of_its_table(void **state)
{
    static const struct { enum swizzle_mode mode; uint64_t code; } modes[] = {
        {SWIZZLE_NONE, 0}, {SWIZZLE_32B, 6}, {SWIZZLE_64B, 4}, {SWIZZLE_128B, 2}, {SWIZZLE_128B_ATOM32, 1}};
    (void)state;
    uint32_t seed = 1;
    for (size_t i = 0; i < COUNT(modes); i++)
        for (uint32_t field = 0; field < 3; field++)
            for (uint32_t value = 0; value < 1u << 14; value++) {
                uint32_t units[3];
                for (uint32_t j = 0; j < 3; j++) {
                    seed = seed * 1664525u + 1013904223u;
                    units[j] = j == field ? value : seed >> 12 & 0x3fff;
                }
                const struct smem_desc d = {16 * units[0], 16 * units[1], 16 * units[2], 0, false, modes[i].mode};
                const uint64_t word = (uint64_t)units[0] | (uint64_t)units[1] << 16 | (uint64_t)units[2] << 32 | UINT64_C(1) << 46 |
                                      modes[i].code << 61;
                if (tw_smem_desc_encode(SMEM_DESC_TCGEN05, &d) != word)
                    fail_msg("mode %zu: %016llx, wanted %016llx", i, (unsigned long long)tw_smem_desc_encode(SMEM_DESC_TCGEN05, &d),
                             (unsigned long long)word);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_descriptor_is_the_word_of_its_table),
        cmocka_unit_test(every_matrix_descriptor_is_the_word_of_its_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
