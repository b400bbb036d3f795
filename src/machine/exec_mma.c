/* mma.sync: the warp's fragments are gathered into matrices by the ownership map, multiplied by the dot
 * model of the module's target, and scattered again. */
#include "isa/mma_map.h"
#include "machine/decode.h"
#include "machine/run.h"
#include "num/dot.h"

#include "base/bits.h"

enum { AT_D, AT_A, AT_B, AT_C };
enum { MMA_MAX_M = 16, MMA_MAX_N = 8, MMA_MAX_K = 256 };

/* What the decoded instruction says once and for all; lives in the code's arena. */
struct mma_inst {
    uint32_t m, n, k;
    uint32_t a_bits, b_bits, d_bits; /* of an element in its registers: 8 for every format of kind::f8f6f4 */
    uint32_t a_regs, b_regs, d_regs;
    struct num_dot_how how;
    const struct num_dot_model *model;
};

/* Row of register `reg` of a fragment; a fragment of one register may be written without braces. */
static uint32_t fragment_ref(const struct warp *w, const struct dop *o, uint32_t reg)
{
    return o->count == 0 ? o->ref : w->code->refs[o->ref + reg];
}

static uint64_t fragment_word(const struct warp *w, uint32_t ref, uint32_t bits, uint32_t lane)
{
    return bits == 64 ? row64(w, ref)[lane] : row32(w, ref)[lane];
}

/* Element e of a register. Byte containers hold a 4-bit format in bits 5:2 and a 6-bit one in bits 5:0. */
static uint64_t element(uint64_t word, enum num_format format, uint32_t bits, uint32_t e)
{
    const uint64_t raw = bits_get(word, bits * e, bits);
    const unsigned stored = tw_num_bits(format);
    if (bits != 8 || stored == 8)
        return raw;
    return stored == 4 ? raw >> 2 & 0xf : raw & bits_mask(stored);
}

static void gather_a(const struct warp *w, const struct dop *o, const struct mma_inst *in, uint64_t *a)
{
    for (uint32_t reg = 0; reg < in->a_regs; reg++)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const uint64_t word = fragment_word(w, fragment_ref(w, o, reg), in->a_bits, lane);
            for (uint32_t e = 0; e < mma_elems_per_reg(in->a_bits); e++) {
                const struct mma_coord at = tw_mma_a_coord(in->m, in->a_bits, lane, reg, e);
                a[at.row * in->k + at.col] = element(word, in->how.a, in->a_bits, e);
            }
        }
}

/* B is kept with each column contiguous in k, as the dot model takes it. */
static void gather_b(const struct warp *w, const struct dop *o, const struct mma_inst *in, uint64_t *b)
{
    for (uint32_t reg = 0; reg < in->b_regs; reg++)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const uint64_t word = fragment_word(w, fragment_ref(w, o, reg), in->b_bits, lane);
            for (uint32_t e = 0; e < mma_elems_per_reg(in->b_bits); e++) {
                const struct mma_coord at = tw_mma_b_coord(in->b_bits, lane, reg, e);
                b[at.col * in->k + at.row] = element(word, in->how.b, in->b_bits, e);
            }
        }
}

static void gather_c(const struct warp *w, const struct dop *o, const struct mma_inst *in, uint64_t *c)
{
    for (uint32_t reg = 0; reg < in->d_regs; reg++)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const uint64_t word = fragment_word(w, fragment_ref(w, o, reg), in->d_bits, lane);
            for (uint32_t e = 0; e < mma_elems_per_reg(in->d_bits); e++) {
                const struct mma_coord at = tw_mma_d_coord(in->d_bits, lane, reg, e);
                c[at.row * in->n + at.col] = bits_get(word, in->d_bits * e, in->d_bits);
            }
        }
}

static void scatter_d(struct warp *w, const struct dop *o, const struct mma_inst *in, const uint64_t *d)
{
    for (uint32_t reg = 0; reg < in->d_regs; reg++) {
        const uint32_t ref = fragment_ref(w, o, reg);
        if (ref == REF_NONE)
            continue;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            uint64_t word = 0;
            for (uint32_t e = 0; e < mma_elems_per_reg(in->d_bits); e++) {
                const struct mma_coord at = tw_mma_d_coord(in->d_bits, lane, reg, e);
                word |= d[at.row * in->n + at.col] << (in->d_bits == 64 ? 0 : in->d_bits * e);
            }
            if (in->d_bits == 64)
                row64(w, ref)[lane] = word;
            else
                row32(w, ref)[lane] = (uint32_t)word;
        }
    }
}

/* SOURCE: PTX ISA, mma: all threads of the warp must execute it; a lane that has exited leaves its elements undefined. */
static enum exec_status fault_missing(struct warp *w, uint32_t mask)
{
    const uint32_t missing = ALL_LANES & ~mask;
    return tw_fault(w, first_lane(mask), E0773,
                    &(struct fault_note){.expected = "all 32 lanes of the warp",
                                         .found = tw_format(w->cluster->launch->diags->arena, "lane %u does not take part",
                                                            first_lane(missing)),
                                         .spec = "PTX ISA, mma"},
                    "mma.sync by a part of a warp");
}

static enum exec_status exec_mma(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct mma_inst *const in = d->extra;
    uint64_t a[MMA_MAX_M * MMA_MAX_K], b[MMA_MAX_N * MMA_MAX_K], c[MMA_MAX_M * MMA_MAX_N];
    if (mask != ALL_LANES)
        return fault_missing(w, mask);
    gather_a(w, &d->op[AT_A], in, a);
    gather_b(w, &d->op[AT_B], in, b);
    gather_c(w, &d->op[AT_C], in, c);
    const struct num_tile tile = {.m = in->m, .n = in->n, .k = in->k, .a = a, .b = b, .read_c = true, .d = c};
    tw_num_dot_tile(in->model, &in->how, &tile);
    scatter_d(w, &d->op[AT_D], in, c);
    return EXEC_NEXT;
}

/* ---- Decoding ------------------------------------------------------------------------------- */

/* Formats, saturation and bit operation; false after a refusal. */
static bool decode_how(struct decoder *dc, const struct ptx_inst *in, struct mma_inst *m)
{
    m->how.a = tw_decode_format(tw_ptx_mod(in, SLOT_ATYPE));
    m->how.b = tw_decode_format(tw_ptx_mod(in, SLOT_BTYPE));
    m->how.d = tw_decode_format(tw_ptx_mod(in, SLOT_DTYPE));
    m->how.saturate = tw_ptx_has(in, SLOT_SATFINITE);
    m->how.bits_and = tw_ptx_mod(in, SLOT_OP) == MOD_AND;
    if (tw_decode_format(tw_ptx_mod(in, SLOT_CTYPE)) != m->how.d)
        return tw_decode_unsupported(dc, in, "C and D have different types");
    const unsigned rounding = tw_ptx_mod(in, SLOT_RND);
    if (rounding != MOD_NONE && rounding != MOD_RN)
        return tw_decode_unsupported(dc, in, "only rounding to nearest is modelled for mma of f64");
    return true;
}

static void decode_counts(const struct ptx_inst *in, struct mma_inst *m)
{
    const bool bytes = tw_ptx_has(in, SLOT_KIND); /* every element takes a byte */
    m->a_bits = bytes ? 8 : tw_num_bits(m->how.a);
    m->b_bits = bytes ? 8 : tw_num_bits(m->how.b);
    m->d_bits = tw_num_bits(m->how.d);
    m->a_regs = tw_mma_a_regs(m->m, m->k, m->a_bits);
    m->b_regs = tw_mma_b_regs(m->n, m->k, m->b_bits);
    m->d_regs = tw_mma_d_regs(m->m, m->n, m->d_bits);
}

/* kind::f8f6f4 has the shape of fp8 and admits the 6- and 4-bit formats too. */
static bool shape_known(const struct ptx_inst *in, const struct mma_inst *m)
{
    if (tw_ptx_has(in, SLOT_KIND))
        return tw_mma_shape_find(m->m, m->n, m->k, NUM_E4M3, NUM_E4M3, m->how.d) != NULL;
    return tw_mma_shape_find(m->m, m->n, m->k, m->how.a, m->how.b, m->how.d) != NULL;
}

static bool prepare_mma(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    struct mma_inst *const m = arena_new(tw_decode_arena(dc), struct mma_inst, 1);
    const unsigned shape = tw_ptx_mod(in, SLOT_SHAPE);
    enum num_arch arch;
    d->run = exec_mma;
    d->extra = m;
    d->flags |= D_ALIGNED;
    *m = (struct mma_inst){.m = isa_shape_m(shape), .n = isa_shape_n(shape), .k = isa_shape_k(shape)};
    if (!decode_how(dc, in, m))
        return false;
    if (!shape_known(in, m))
        return tw_decode_unsupported(dc, in, "its shape and types are in no table of fragment maps");
    if (!tw_num_arch_of_sm(tw_decode_module(dc)->env.target.sm, &arch) ||
        (m->model = tw_num_dot_model(arch, NUM_MMA_SYNC, NUM_PLAIN, m->how.a, m->how.b, m->how.d)) == NULL)
        return tw_decode_unsupported(dc, in, "no model of this arithmetic on the module's target is known");
    decode_counts(in, m);
    return tw_decode_role(dc, in, ROLE_D, d, AT_D) && tw_decode_role(dc, in, ROLE_A, d, AT_A) &&
           tw_decode_role(dc, in, ROLE_B, d, AT_B) && tw_decode_role(dc, in, ROLE_C, d, AT_C);
}

const struct op_row tw_ops_mma[] = {
    {OP_MMA, prepare_mma},
    {OP_NONE, NULL},
};
