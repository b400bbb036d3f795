/* mma.sync and mma.sp: the warp's fragments, and the scales of blocks where there are any, are gathered into matrices by the
 * ownership map, multiplied by the dot model of the module's target, and scattered again. */
#include "isa/mma_form.h"
#include "machine/decode.h"
#include "machine/exec_arith.h"
#include "machine/run.h"
#include "machine/tally.h"
#include "num/convert.h"
#include "num/sparse.h"
#include "num/tile.h"

#include "base/bits.h"

#include <string.h>

enum { AT_D, AT_A, AT_B, AT_C, AT_META };
enum { AT_SCALE = 5 }; /* while decoding */
enum { MMA_MAX_M = 16, MMA_MAX_N = 8, MMA_MAX_K = 256, MMA_MAX_SCALES = 4 };
enum { QUAD_PAIRS = 4, PAIR_ROWS = 8, PAIR_K = 4, PAIR_COLS = 8 }; /* m8n8k4 of f16 */
enum { SCRATCH_BYTES = 40 * 1024 }; /* of a tile, on the stack: the largest, m16n8k256 of b1, takes 33 KiB */

/* The scales of A or B: a register of four bytes, and {byte, thread}, which say the byte of it and the thread of a quad. */
struct mma_scale {
    struct dop reg, select;
};

/* A fragment and the matrix that it stands for: where each element of each register goes, in the order register, lane, element.
 * The maps of isa/mma_map.h are asked once, when the instruction is decoded. */
struct fragment {
    const uint16_t *place;
    uint32_t regs, bits;  /* registers; bits of an element in them */
    uint32_t per_reg;     /* elements of a register */
    uint32_t low;         /* the element's lowest bit in its container: e2m1 lies in bits 5:2 of a byte */
    uint64_t mask;
};

/* What the decoded instruction says once and for all; lives in the code's arena. */
struct mma_inst {
    struct mma_form form;
    uint32_t m, n, k, a_bits; /* of the form, at hand */
    struct fragment a, b, c, d; /* of the matrices A by rows, B by columns, C and D by rows */
    enum num_format c_format;
    struct num_dot_how how;
    const struct num_dot_model *model;
    const struct num_tile_implementation *tile; /* the fastest that this CPU has */
    uint32_t stored_k;  /* of A: k, or half of it when sparse */
    uint32_t selector;
    bool ascending;     /* sp::ordered_metadata */
    uint32_t scales;    /* a row: 1, 2 or 4; 0: the kind has none */
    struct mma_scale scale_a, scale_b;
};

/* Row of register `reg` of a fragment; a fragment of one register may be written without braces. */
static uint32_t fragment_ref(const struct warp *w, const struct dop *o, uint32_t reg)
{
    return o->count == 0 ? o->ref : w->code->refs[o->ref + reg];
}

static void gather(const struct warp *w, const struct dop *o, const struct fragment *f, uint64_t *to)
{
    const uint16_t *place = f->place;
    for (uint32_t reg = 0; reg < f->regs; reg++) {
        const uint32_t ref = fragment_ref(w, o, reg);
        if (f->bits == 64) {
            for (uint32_t lane = 0; lane < LANES; lane++)
                to[*place++] = row64(w, ref)[lane];
            continue;
        }
        const uint32_t *const words = row32(w, ref);
        if (f->per_reg == 1)
            for (uint32_t lane = 0; lane < LANES; lane++)
                to[*place++] = words[lane];
        else if (f->per_reg == 2)
            for (uint32_t lane = 0; lane < LANES; lane++, place += 2) {
                to[place[0]] = words[lane] & 0xffff;
                to[place[1]] = words[lane] >> 16;
            }
        else
            for (uint32_t lane = 0; lane < LANES; lane++)
                for (uint32_t e = 0; e < f->per_reg; e++)
                    to[*place++] = words[lane] >> (f->bits * e + f->low) & f->mask;
    }
}

static void scatter(struct warp *w, const struct dop *o, const struct fragment *f, const uint64_t *from)
{
    const uint16_t *place = f->place;
    for (uint32_t reg = 0; reg < f->regs; reg++, place += (size_t)LANES * f->per_reg) {
        const uint32_t ref = fragment_ref(w, o, reg);
        if (ref == REF_NONE)
            continue;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const uint16_t *const at = place + (size_t)lane * f->per_reg;
            if (f->bits == 64)
                row64(w, ref)[lane] = from[at[0]];
            else
                row32(w, ref)[lane] = (uint32_t)from[at[0]] | (f->per_reg == 2 ? (uint32_t)from[at[1]] << 16 : 0);
        }
    }
}

static struct arena *texts(const struct warp *w)
{
    return w->cluster->diags->arena;
}

/* ---- Scales of blocks --------------------------------------------------------------------------------- */

struct mma_scales {
    uint64_t a[MMA_MAX_M * MMA_MAX_SCALES], b[MMA_MAX_N * MMA_MAX_SCALES];
};

static bool fault_selector(struct warp *w, uint32_t scales, bool is_a, uint32_t byte, uint32_t thread)
{
    static const char *const bytes[] = {[1] = "0, 1, 2 or 3", [2] = "0 or 2", [4] = "0"};
    tw_fault(w, 0, E0773,
             &(struct fault_note){.expected = tw_format(texts(w), "byte %s, thread 0 to %u", bytes[scales], is_a ? 1 : 3),
                                  .found = tw_format(texts(w), "byte %u, thread %u", byte, thread),
                                  .spec = "PTX ISA, mma, block scaling"},
             "mma.sync: the selectors of the scales of %s are illegal", is_a ? "A" : "B");
    return false;
}

static bool read_scales(struct warp *w, const struct mma_inst *in, const struct mma_scale *s, bool is_a, uint64_t *to)
{
    const uint32_t byte = row32(w, fragment_ref(w, &s->select, 0))[0] & 0xffff;
    const uint32_t thread = row32(w, fragment_ref(w, &s->select, 1))[0] & 0xffff;
    const uint32_t *const words = row32(w, fragment_ref(w, &s->reg, 0)), rows = is_a ? MMA_MAX_M : MMA_MAX_N;
    if (byte + in->scales > 4 || byte % in->scales != 0 || thread >= mma_scale_threads(is_a))
        return fault_selector(w, in->scales, is_a, byte, thread);
    for (uint32_t row = 0; row < rows; row++) {
        const uint32_t lane = mma_scale_lane(is_a, row, thread);
        for (uint32_t i = 0; i < in->scales; i++)
            to[row * in->scales + i] = words[lane] >> 8 * (byte + i) & 0xff;
    }
    return true;
}

static bool gather_scales(struct warp *w, const struct mma_inst *in, struct mma_scales *s)
{
    return in->scales == 0 || (read_scales(w, in, &in->scale_a, true, s->a) && read_scales(w, in, &in->scale_b, false, s->b));
}

/* ---- Products ----------------------------------------------------------------------------------------- */

static struct num_tile_job job_of(const struct mma_inst *in, const uint64_t *a, const uint64_t *b, uint64_t *c,
                                  const struct mma_scales *scales)
{
    const uint32_t count = in->scales;
    const void *const scale_a = count == 0 ? NULL : scales->a, *const scale_b = count == 0 ? NULL : scales->b;
    return (struct num_tile_job){.model = in->model, .how = &in->how, .m = in->m, .n = in->n, .k = in->k,
                                 .a = {a, 8, in->k, 1}, .b = {b, 8, in->k, 1},
                                 .scale_a = {scale_a, 8, count, 1}, .scale_b = {scale_b, 8, count, 1}, .c = {c, 8, in->n, 1},
                                 .d = c, .d_word_bytes = 8, .d_row_stride = in->n, .d_step = 1};
}

static enum exec_status exec_mma(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct mma_inst *const in = d->extra;
    uint64_t a[MMA_MAX_M * MMA_MAX_K], b[MMA_MAX_N * MMA_MAX_K], c[MMA_MAX_M * MMA_MAX_N];
    uint8_t scratch[SCRATCH_BYTES];
    struct mma_scales scales;
    if (mask != ALL_LANES)
        return tw_fault_missing_lanes(w, mask, "mma");
    if (!gather_scales(w, in, &scales))
        return EXEC_FAULT;
    gather(w, &d->op[AT_A], &in->a, a);
    gather(w, &d->op[AT_B], &in->b, b);
    gather(w, &d->op[AT_C], &in->c, c);
    struct num_tile_job job = job_of(in, a, b, c, &scales);
    job.scratch = scratch;
    job.scratch_bytes = sizeof scratch;
    in->tile->run(&job);
    tally_products(w->cluster, w->code, d->origin, in->model, (uint64_t)in->m * in->n * in->k);
    scatter(w, &d->op[AT_D], &in->d, c);
    return EXEC_NEXT;
}

/* m8n8k4 of f16: a product in each pair of quads, its matrices one below the other. A C of f16 is added to f32 as it is. */
static enum exec_status exec_mma_quad_pairs(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct mma_inst *const in = d->extra;
    uint64_t a[QUAD_PAIRS * PAIR_ROWS * PAIR_K], b[QUAD_PAIRS * PAIR_COLS * PAIR_K], c[QUAD_PAIRS * PAIR_ROWS * PAIR_COLS];
    uint8_t scratch[SCRATCH_BYTES];
    if (mask != ALL_LANES)
        return tw_fault_missing_lanes(w, mask, "mma");
    gather(w, &d->op[AT_A], &in->a, a);
    gather(w, &d->op[AT_B], &in->b, b);
    gather(w, &d->op[AT_C], &in->c, c);
    for (size_t i = 0; in->c_format != in->how.d && i < sizeof c / sizeof c[0]; i++)
        c[i] = tw_num_convert(&(struct num_convert_how){.to = in->how.d, .from = in->c_format}, c[i]);
    for (uint32_t pair = 0; pair < QUAD_PAIRS; pair++) {
        struct num_tile_job job = job_of(in, &a[pair * PAIR_ROWS * PAIR_K], &b[pair * PAIR_COLS * PAIR_K],
                                         &c[pair * PAIR_ROWS * PAIR_COLS], NULL);
        job.scratch = scratch;
        job.scratch_bytes = sizeof scratch;
        in->tile->run(&job);
    }
    tally_products(w->cluster, w->code, d->origin, in->model, (uint64_t)QUAD_PAIRS * in->m * in->n * in->k);
    scatter(w, &d->op[AT_D], &in->d, c);
    return EXEC_NEXT;
}

/* ---- Sparse A ------------------------------------------------------------------------------- */

/* Which element of a row of B each stored element of A meets; false after a fault. */
static bool read_metadata(struct warp *w, const struct dinst *d, uint8_t *select)
{
    const struct mma_inst *const in = d->extra;
    const uint32_t group = mma_sp_group(in->a_bits);
    for (uint32_t row = 0; row < in->m; row++)
        for (uint32_t i = 0; i < in->k / group; i++) {
            uint8_t places[4];
            const struct mma_meta at = tw_mma_sp_meta(in->a_bits, in->k, in->selector, row, i);
            const uint32_t code = row32(w, d->op[AT_META].ref)[at.lane] >> (4 * at.nibble) & 0xf;
            if (!tw_mma_sp_select(in->a_bits, code, in->ascending, places)) {
                tw_fault(w, at.lane, E0776,
                         &(struct fault_note){.expected = tw_num_sparse_codes(in->a_bits, in->ascending),
                                              .found = tw_format(texts(w), "0x%x for row %u, group %u", code,
                                                                 row, i),
                                              .spec = "PTX ISA, mma.sp, sparsity metadata"},
                         "mma.sp: a code of the sparsity metadata is illegal");
                return false;
            }
            for (uint32_t e = 0; e < group / 2; e++)
                select[row * in->stored_k + i * (group / 2) + e] = (uint8_t)(i * group + places[e]);
        }
    return true;
}

static enum exec_status exec_mma_sp(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const struct mma_inst *const in = d->extra;
    uint64_t a[MMA_MAX_M * MMA_MAX_K], b[MMA_MAX_N * MMA_MAX_K], c[MMA_MAX_M * MMA_MAX_N], chosen[MMA_MAX_K];
    uint8_t select[MMA_MAX_M * MMA_MAX_K];
    struct mma_scales scales;
    if (mask != ALL_LANES)
        return tw_fault_missing_lanes(w, mask, "mma");
    if (!read_metadata(w, d, select) || !gather_scales(w, in, &scales))
        return EXEC_FAULT;
    gather(w, &d->op[AT_A], &in->a, a);
    gather(w, &d->op[AT_B], &in->b, b);
    gather(w, &d->op[AT_C], &in->c, c);
    for (uint32_t m = 0; m < in->m; m++)
        for (uint32_t n = 0; n < in->n; n++) {
            for (uint32_t k = 0; k < in->stored_k; k++)
                chosen[k] = b[n * in->k + select[m * in->stored_k + k]];
            uint64_t *const to = &c[m * in->n + n];
            const uint64_t *const scale_a = in->scales == 0 ? NULL : &scales.a[m * in->scales],
                           *const scale_b = in->scales == 0 ? NULL : &scales.b[n * in->scales];
            *to = tw_num_dot(in->model, &in->how, in->stored_k, &a[m * in->stored_k], chosen, to, scale_a, scale_b);
        }
    tally_products(w->cluster, w->code, d->origin, in->model, (uint64_t)in->m * in->n * in->stored_k);
    scatter(w, &d->op[AT_D], &in->d, c);
    return EXEC_NEXT;
}

/* ---- Decoding ------------------------------------------------------------------------------- */

/* Formats, saturation and bit operation. */
static void decode_how(const struct ptx_inst *in, struct mma_inst *m)
{
    m->how.a = tw_decode_format(tw_ptx_mod(in, SLOT_ATYPE));
    m->how.b = tw_decode_format(tw_ptx_mod(in, SLOT_BTYPE));
    m->how.d = tw_decode_format(tw_ptx_mod(in, SLOT_DTYPE));
    m->how.saturate = tw_ptx_has(in, SLOT_SATFINITE);
    m->how.bits_and = tw_ptx_mod(in, SLOT_OP) == MOD_AND;
    m->how.rounding = tw_decode_rounding(tw_ptx_mod(in, SLOT_RND));
    m->c_format = tw_decode_format(tw_ptx_mod(in, SLOT_CTYPE));
}

static enum num_kind kind_of(const struct ptx_inst *in)
{
    static const struct { uint16_t mod; uint8_t kind; } rows[] = {
        {MOD_KIND_MXF8F6F4, NUM_MXF8F6F4}, {MOD_KIND_MXF4, NUM_MXF4}, {MOD_KIND_MXF4NVF4, NUM_MXF4NVF4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].mod == tw_ptx_mod(in, SLOT_KIND))
            return (enum num_kind)rows[i].kind;
    return NUM_PLAIN;
}

static bool decode_scale(struct decoder *dc, const struct ptx_inst *in, enum isa_role reg, enum isa_role select, struct dinst *d,
                         struct mma_scale *out)
{
    const struct dinst before = *d; /* the operands have more parts than a decoded instruction has places for */
    if (!tw_decode_role(dc, in, reg, d, AT_SCALE))
        return false;
    out->reg = d->op[AT_SCALE];
    if (!tw_decode_role(dc, in, select, d, AT_SCALE))
        return false;
    out->select = d->op[AT_SCALE];
    *d = before;
    return true;
}

static bool decode_scales(struct decoder *dc, const struct ptx_inst *in, struct dinst *d, struct mma_inst *m)
{
    m->scales = m->form.factors;
    if (m->scales == 0)
        return true;
    m->how.scale = tw_decode_format(tw_ptx_mod(in, SLOT_STYPE));
    m->how.scale_block = (uint8_t)(m->stored_k / m->scales);
    return decode_scale(dc, in, ROLE_SFA, ROLE_SFA_SEL, d, &m->scale_a) &&
           decode_scale(dc, in, ROLE_SFB, ROLE_SFB_SEL, d, &m->scale_b);
}

static struct fragment new_fragment(struct decoder *dc, const struct mma_fragment *part, uint16_t **place)
{
    const unsigned stored = tw_num_bits(part->format);
    struct fragment f = {.regs = part->regs, .bits = part->bits, .per_reg = part->per_reg, .low = part->low,
                         .mask = bits_mask(stored < part->bits ? stored : part->bits)};
    *place = arena_new(tw_decode_arena(dc), uint16_t, (size_t)part->regs * LANES * part->per_reg + 1);
    f.place = *place;
    return f;
}

/* Rows of the matrix are contiguous: of A along K, of B the column of n along K, as the dot model takes them, and of D along N. */
static struct fragment make_fragment(struct decoder *dc, const struct mma_form *form, enum mma_part which)
{
    const struct mma_fragment *const part = &form->part[which];
    uint16_t *place;
    const struct fragment f = new_fragment(dc, part, &place);
    for (uint32_t reg = 0; reg < part->regs; reg++)
        for (uint32_t i = 0; i < LANES * (uint32_t)part->per_reg; i++) {
            struct mma_coord at = {0, 0};
            tw_mma_place(form, which, i / part->per_reg, reg, i % part->per_reg, &at);
            *place++ = (uint16_t)(at.row * part->cols + at.col);
        }
    return f;
}

static void make_fragments(struct decoder *dc, struct mma_inst *m)
{
    m->a = make_fragment(dc, &m->form, MMA_A);
    m->b = make_fragment(dc, &m->form, MMA_B);
    m->d = make_fragment(dc, &m->form, MMA_D);
    m->c = m->c_format == m->how.d ? m->d : make_fragment(dc, &m->form, MMA_C);
}

/* Widening C to D is part of the code that m8n8k4 of f16 is; of the window of a tensor core nobody says so. */
static bool decode_model(struct decoder *dc, const struct ptx_inst *in, struct mma_inst *m)
{
    const enum num_unit unit = m->form.quad_pairs ? NUM_MMA_M8N8K4 : NUM_MMA_SYNC;
    enum num_arch arch;
    if (!tw_num_arch_of_sm(tw_decode_sm(dc), &arch) ||
        (m->model = tw_num_dot_model(arch, unit, kind_of(in), m->how.a, m->how.b, m->how.d)) == NULL)
        return tw_decode_unsupported(dc, in, "no model of this arithmetic on this architecture is known");
    return m->c_format == m->how.d || m->model->method == NUM_DOT_F32_CHAIN ||
           tw_decode_unsupported(dc, in, "C and D have different types");
}

/* Shape, types and model; false after a refusal. */
static bool decode_common(struct decoder *dc, const struct ptx_inst *in, struct dinst *d, struct mma_inst *m)
{
    const struct isa_spelling spelling = tw_ptx_spelling(in);
    d->extra = m;
    d->flags |= D_ALIGNED;
    *m = (struct mma_inst){.scales = 0};
    if (!tw_mma_form_of(&spelling, &m->form))
        return tw_decode_unsupported(dc, in, "its shape and types are in no table of fragment maps");
    m->m = m->form.m;
    m->n = m->form.n;
    m->k = m->form.k;
    m->a_bits = m->form.part[MMA_A].bits;
    m->stored_k = m->form.stored_k;
    m->ascending = m->form.ordered;
    decode_how(in, m);
    return decode_model(dc, in, m) && tw_decode_role(dc, in, ROLE_D, d, AT_D) && tw_decode_role(dc, in, ROLE_A, d, AT_A) &&
           tw_decode_role(dc, in, ROLE_B, d, AT_B) && tw_decode_role(dc, in, ROLE_C, d, AT_C);
}

static bool prepare_mma(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    struct mma_inst *const m = arena_new(tw_decode_arena(dc), struct mma_inst, 1);
    d->run = exec_mma;
    if (!decode_common(dc, in, d, m))
        return false;
    if (m->form.quad_pairs)
        d->run = exec_mma_quad_pairs;
    make_fragments(dc, m);
    if (!decode_scales(dc, in, d, m))
        return false;
    const struct mma_scales none = {{0}, {0}};
    const struct num_tile_job job = job_of(m, NULL, NULL, NULL, &none);
    m->tile = tw_num_tile_best();
    return tw_num_tile_scratch(&job) <= SCRATCH_BYTES || tw_decode_unsupported(dc, in, "its tile needs more scratch than there is");
}

static bool prepare_mma_sp(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    struct mma_inst *const m = arena_new(tw_decode_arena(dc), struct mma_inst, 1);
    int64_t selector;
    d->run = exec_mma_sp;
    if (!decode_common(dc, in, d, m) || !tw_decode_immediate(dc, in, ROLE_SELECTOR, 0, &selector))
        return false;
    m->selector = (uint32_t)selector;
    if (m->selector >= m->form.part[MMA_META].choices)
        return tw_decode_unsupported(dc, in, "its sparsity selector names lanes that hold no metadata");
    if (!tw_num_sparse_known(m->model))
        return tw_decode_unsupported(dc, in, "the order of its sums on the module's target is not known");
    make_fragments(dc, m);
    return decode_scales(dc, in, d, m) && tw_decode_role(dc, in, ROLE_META, d, AT_META);
}

const struct op_row tw_ops_mma[] = {
    {OP_MMA, prepare_mma},
    {OP_MMA_SP, prepare_mma_sp},
    {OP_MMA_BLOCK_SCALE, prepare_mma},
    {OP_MMA_SP_BLOCK_SCALE, prepare_mma_sp},
    {OP_NONE, NULL},
};
