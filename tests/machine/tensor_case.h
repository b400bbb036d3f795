/* One tcgen05.mma, run from images: a test fills shared memory and tensor memory, names the instruction, and gets tensor
 * memory back. Every placement formula stands here again, written from tcgen05.md, sharing nothing with src/. */
#ifndef TW_TESTS_TENSOR_CASE_H
#define TW_TESTS_TENSOR_CASE_H

#include "machine/ptx_bench.h"

enum { CASE_SMEM = 45056, CASE_COLS = 512, CASE_TMEM = 128 * CASE_COLS, CASE_MAX_M = 256, CASE_MAX_N = 256, CASE_MAX_K = 128 };
enum { CASE_A_COL = 384, CASE_META_COL = 400, CASE_SFA_COL = 416, CASE_SFB_COL = 440 };

enum case_format { F16, BF16, TF32, E4M3, E5M2, E2M3, E3M2, E2M1, S8, U8, CASE_FORMATS };

/* Words of -2, -1, 0, 1, 2 (u8: 0 to 4), element bits, and the type code in the instruction descriptor. */
static const struct { const char *name; unsigned bits; uint32_t code, word[5]; } case_formats[CASE_FORMATS] = {
    [F16] = {"f16", 16, 0, {0xc000, 0xbc00, 0, 0x3c00, 0x4000}},
    [BF16] = {"bf16", 16, 1, {0xc000, 0xbf80, 0, 0x3f80, 0x4000}},
    [TF32] = {"tf32", 32, 2, {0xc0000000, 0xbf800000, 0, 0x3f800000, 0x40000000}},
    [E4M3] = {"e4m3", 8, 0, {0xc0, 0xb8, 0, 0x38, 0x40}},
    [E5M2] = {"e5m2", 8, 1, {0xc0, 0xbc, 0, 0x3c, 0x40}},
    [E2M3] = {"e2m3", 6, 3, {0x30, 0x28, 0, 0x08, 0x10}},
    [E3M2] = {"e3m2", 6, 4, {0x30, 0x2c, 0, 0x0c, 0x10}},
    [E2M1] = {"e2m1", 4, 5, {0xc, 0xa, 0, 0x2, 0x4}},
    [S8] = {"s8", 8, 1, {0xfe, 0xff, 0, 1, 2}},
    [U8] = {"u8", 8, 0, {0, 1, 2, 3, 4}},
};

struct tensor_case {
    const char *kind;           /* "kind::f16", or "kind::mxf4.block_scale.scale_vec::2X" */
    unsigned cta_group;
    bool ws, sparse;
    unsigned m, n, k;           /* k: logical */
    enum case_format a, b;
    bool d_f16, d_s32;
    unsigned mode_a, mode_b;    /* 0 none, 1 32B, 2 64B, 3 128B, 4 128B with 32-byte atom */
    bool a_mn, b_mn;
    bool a_tmem;
    unsigned container;         /* bits an element of A or B takes: 32, 16, 8 or 4 */
    unsigned k_offset;          /* bytes inside a swizzled row where the operands begin */
    unsigned lane_base;         /* of D, A and the metadata */
    bool accumulate;
    uint32_t idesc_extra;       /* further bits of the instruction descriptor */
    const char *modifiers;      /* ".collector::a::fill" */
    const char *tail;           /* operands after the accumulate predicate, with the comma */
    const char *mask;           /* disable-output-lane operand, or NULL */
    bool scaled;
    bool k96;                   /* the long step of sm_103a */
    bool two_rows;              /* rows go on in a second tile, whose address stands in the descriptor */
};

/* The data of a case: small integers as indices into word[] less 2. */
struct tensor_data {
    int8_t a[CASE_MAX_M][CASE_MAX_K]; /* stored elements */
    int8_t b[CASE_MAX_N][CASE_MAX_K];
    int32_t d[CASE_MAX_M][CASE_MAX_N];
    uint8_t image[2][CASE_SMEM + CASE_TMEM * 4]; /* input of each CTA: shared memory, then tensor memory by lane */
    uint32_t out[2][CASE_TMEM];
    uint64_t a_desc, b_desc;    /* less the address of the tiles */
    uint32_t a_at, b_at;        /* where the operands begin in the tiles */
};

static inline int case_value(enum case_format f, int v) { return f == U8 ? v + 2 : v; }
static inline uint32_t case_word(enum case_format f, int v) { return case_formats[f].word[v + 2]; }

static inline uint32_t case_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* ---- Shared memory ---------------------------------------------------------------------------- */

static inline uint32_t case_swizzle(unsigned mode, uint32_t a)
{
    static const struct { unsigned shift; uint32_t mask; } rows[] = {{0, 0}, {3, 0x10}, {3, 0x30}, {3, 0x70}, {2, 0x60}};
    return mode == 0 ? a : a ^ ((a >> rows[mode].shift) & rows[mode].mask);
}

static inline uint32_t case_pitch(unsigned mode) { static const uint32_t w[] = {16, 32, 64, 128, 128}; return w[mode]; }

struct case_layout {
    unsigned mode;
    bool mn;
    uint32_t start, lead, stride, elem_bytes;
    bool two_rows;
};

static inline uint32_t case_address(const struct case_layout *l, uint32_t row, uint32_t k, uint32_t k_byte)
{
    const uint32_t w = case_pitch(l->mode), g = l->mode == 4 ? 4 : 8;
    if (!l->mn && l->mode == 0)
        return l->start + row % 8 * 16 + row / 8 * l->stride + k_byte / 16 * l->lead + k_byte % 16;
    if (!l->mn && l->two_rows && l->start % 128 + k_byte >= 128)
        return case_swizzle(l->mode, l->lead + row % 8 * w + row / 8 * l->stride + (l->start % 128 + k_byte) % 128);
    if (!l->mn)
        return case_swizzle(l->mode, l->start + row % 8 * w + row / 8 * l->stride + k_byte);
    const uint32_t p = w / l->elem_bytes;
    const uint32_t within = row % p * l->elem_bytes + k % g * w;
    if (l->mode == 0)
        return l->start + within + row / p * l->stride + k / g * l->lead;
    return case_swizzle(l->mode, l->start + within + row / p * l->lead + k / g * l->stride);
}

/* Strides of a compact tile of `k_bytes` bytes of K a row (K-major) or k rows of K (MN-major). */
static inline struct case_layout case_layout_of(unsigned mode, bool mn, uint32_t start, uint32_t elem_bytes, uint32_t k, uint32_t k_bytes)
{
    const uint32_t w = case_pitch(mode), g = mode == 4 ? 4 : 8;
    struct case_layout l = {mode, mn, start, 16, 8 * w, elem_bytes, false};
    if (!mn && mode == 0) {
        l.lead = 128;
        l.stride = k_bytes / 16 * 128;
    } else if (mn && mode == 0) {
        l.lead = 128;
        l.stride = k / 8 * 128;
    } else if (mn) {
        l.stride = g * w;
        l.lead = k / g * g * w;
    }
    return l;
}

static inline uint64_t case_descriptor(const struct case_layout *l)
{
    static const uint64_t codes[] = {0, 6, 4, 2, 1};
    return (uint64_t)(l->start >> 4) | (uint64_t)(l->lead >> 4) << 16 | (uint64_t)(l->stride >> 4) << 32 | UINT64_C(1) << 46 |
           codes[l->mode] << 61 | (uint64_t)l->two_rows << 52;
}

/* A second tile of as many rows begins where the first one ends. */
static inline void case_lengthen(struct case_layout *l, uint32_t rows)
{
    l->two_rows = true;
    l->lead = l->start / 128 * 128 + rows * case_pitch(l->mode);
}

static inline void case_put_bits(uint8_t *unit, uint32_t bit, unsigned bits, uint32_t word)
{
    for (unsigned i = 0; i < bits; i++)
        unit[(bit + i) / 8] = (uint8_t)((unit[(bit + i) / 8] & ~(1u << (bit + i) % 8)) | (word >> i & 1) << (bit + i) % 8);
}

/* An element of an operand; packed formats share 16-byte units of K. The image begins at a multiple of 1024. */
static inline void case_put_shared(uint8_t *image, const struct case_layout *l, enum case_format f, unsigned container, uint32_t row,
                                   uint32_t k, int value)
{
    const uint32_t per_unit = 128 / container, word = case_word(f, value);
    if (l->mn)
        memcpy(image + case_address(l, row, k, 0), &word, container / 8);
    else if (container >= 16)
        memcpy(image + case_address(l, row, k, k * container / 8), &word, container / 8);
    else
        case_put_bits(image + case_address(l, row, k, k / per_unit * 16), case_formats[f].bits * (k % per_unit),
                      case_formats[f].bits, word);
}

/* ---- Tensor memory ---------------------------------------------------------------------------- */

/* Lane and column of D; -1 in *cta when the form has no such element. */
static inline void case_d_cell(const struct tensor_case *c, unsigned m, unsigned n, unsigned *cta, unsigned *lane, unsigned *col)
{
    const unsigned half = c->m / 2;
    *cta = c->cta_group == 2 ? m / half : 0;
    *col = n;
    if (c->cta_group == 2 && c->m == 256)
        *lane = m % 128;
    else if (c->cta_group == 2 && c->sparse)
        *lane = 32 * (m % 64 / 16) + m % 16;
    else if (c->cta_group == 2) {
        *lane = m % 64 + 64 * (n / (c->n / 2));
        *col = n % (c->n / 2);
    } else if (c->m == 128)
        *lane = m;
    else if (c->ws) {
        const unsigned banks = 128 / c->m;
        *lane = m + c->m * (n / (c->n / banks));
        *col = n % (c->n / banks);
    } else {
        *lane = 32 * (m / 16) + m % 16;
    }
    *lane += c->lane_base;
}

static inline uint32_t *case_tmem(struct tensor_data *t, unsigned cta)
{
    return (uint32_t *)(void *)(t->image[cta] + CASE_SMEM);
}

/* Element k of row m of A, in every copy that a bank reads. */
static inline void case_put_a_tmem(struct tensor_data *t, const struct tensor_case *c, unsigned m, unsigned k, int value)
{
    const unsigned per_cell = 32 / c->container, banks = c->ws ? 128 / c->m : c->cta_group == 2 && c->m == 128 && !c->sparse ? 2 : 1;
    uint32_t word = case_word(c->a, value);
    if (c->container == 8 && c->a == E2M1)
        word <<= 2;
    for (unsigned bank = 0; bank < banks; bank++) {
        unsigned cta, lane, col;
        case_d_cell(c, m, bank * (c->n / banks), &cta, &lane, &col);
        uint32_t *const cell = &case_tmem(t, cta)[lane * CASE_COLS + CASE_A_COL + k / per_cell];
        const unsigned shift = c->container * (k % per_cell);
        const uint32_t mask = c->container == 32 ? 0xffffffffu : ((1u << c->container) - 1) << shift;
        *cell = (*cell & ~mask) | word << shift;
    }
}

static inline uint32_t case_d_word(const struct tensor_case *c, int32_t v)
{
    uint32_t bits;
    const float f = (float)v;
    if (c->d_s32)
        return (uint32_t)v;
    memcpy(&bits, &f, 4);
    if (!c->d_f16 || v == 0)
        return bits;
    /* integers up to 2048 are exact in f16 */
    return (bits >> 31) << 15 | ((bits >> 23 & 0xff) - 127 + 15) << 10 | (bits >> 13 & 0x3ff);
}

/* ---- Filling and running ---------------------------------------------------------------------- */

static inline unsigned case_stored_k(const struct tensor_case *c) { return c->sparse ? c->k / 2 : c->k; }

static inline void case_fill(struct tensor_data *t, const struct tensor_case *c, uint64_t seed)
{
    memset(t, 0, sizeof *t);
    for (unsigned cta = 0; cta < 2; cta++)
        for (size_t i = 0; i < sizeof t->image[cta]; i++)
            t->image[cta][i] = (uint8_t)case_random(&seed); /* junk where nothing is put */
    const unsigned ka = case_stored_k(c), eb = c->container < 8 ? 1 : c->container / 8;
    const uint32_t rows_a = c->m / c->cta_group, rows_b = c->n / c->cta_group;
    t->b_at = c->two_rows ? 32768 : 24576;
    struct case_layout la = case_layout_of(c->mode_a, c->a_mn, c->k_offset, eb, ka, ka * c->container / 8);
    struct case_layout lb = case_layout_of(c->mode_b, c->b_mn, t->b_at + c->k_offset, eb, c->k, c->k * c->container / 8);
    if (c->two_rows) {
        case_lengthen(&la, rows_a);
        case_lengthen(&lb, rows_b);
    }
    t->a_desc = case_descriptor(&la);
    t->b_desc = case_descriptor(&lb);
    for (unsigned m = 0; m < c->m; m++)
        for (unsigned k = 0; k < ka; k++) {
            const int v = t->a[m][k] = (int8_t)((int)(case_random(&seed) % 5) - 2);
            if (c->a_tmem)
                case_put_a_tmem(t, c, m, k, v);
            else
                case_put_shared(t->image[m / rows_a], &la, c->a, c->container, m % rows_a, k, v);
        }
    for (unsigned n = 0; n < c->n; n++)
        for (unsigned k = 0; k < c->k; k++) {
            const int v = t->b[n][k] = (int8_t)((int)(case_random(&seed) % 5) - 2);
            case_put_shared(t->image[n / rows_b], &lb, c->b, c->container, n % rows_b, k, v);
        }
    for (unsigned m = 0; m < c->m && c->accumulate; m++)
        for (unsigned n = 0; n < c->n; n++) {
            unsigned cta, lane, col;
            case_d_cell(c, m, n, &cta, &lane, &col);
            t->d[m][n] = (int32_t)(case_random(&seed) % 200) - 100;
            case_tmem(t, cta)[lane * CASE_COLS + col] = case_d_word(c, t->d[m][n]) | (c->d_f16 ? 0xabcd0000u : 0); /* half a cell is not D */
        }
}

static inline uint32_t case_idesc(const struct tensor_case *c)
{
    const bool mxf4 = c->scaled && c->container == 4;
    const uint32_t code_a = mxf4 ? 1 : case_formats[c->a].code, code_b = mxf4 ? 1 : case_formats[c->b].code;
    const uint32_t d = c->scaled ? 0 : c->d_s32 ? 2 : c->d_f16 ? 0 : 1;
    return d << 4 | (uint32_t)c->sparse << 2 | code_a << 7 | code_b << 10 | (uint32_t)c->a_mn << 15 | (uint32_t)c->b_mn << 16 |
           (c->n >> 3) << 17 | (c->m >> 4) << 24 | (uint32_t)c->k96 << 31 | c->idesc_extra;
}

static inline void case_write_operands(struct text *p, const struct tensor_case *c)
{
    tw_text_addf(p, "tcgen05.mma%s%s.cta_group::%u.%s%s [%%r1], ", c->ws ? ".ws" : "", c->sparse ? ".sp" : "", c->cta_group, c->kind,
                 c->modifiers == NULL ? "" : c->modifiers);
    tw_text_add(p, c->a_tmem ? "[%r7], %q5, " : "%q4, %q5, ");
    tw_text_addf(p, "%s%%r9, %s%s%s%s%s;\n", c->sparse ? "[%r8], " : "", c->scaled ? "[%r10], [%r11], " : "",
                 c->mask == NULL ? "" : c->mask, c->mask == NULL ? "" : ", ", c->accumulate ? "1" : "0", c->tail == NULL ? "" : c->tail);
}

/* Copies the images in, issues, waits, and copies tensor memory out. */
static inline void case_write(struct text *p, const struct tensor_case *c, const struct tensor_data *t, const char *prologue)
{
    const unsigned cg = c->cta_group;
    const char *const meet = cg == 2 ? "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n" : "bar.sync 0;\n";
    tw_text_addf(p, ".version 8.8\n.target %s\n.address_size 64\n"
                    ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
                    ".reg .b32 %%r<32>; .reg .b32 %%v<32>; .reg .b64 %%q<12>; .reg .pred %%p<6>; .reg .b16 %%h<2>;\n"
                    ".shared .align 1024 .b8 tiles[%u];\n.shared .align 8 .b8 bar[8];\n.shared .align 4 .b8 slot[4];\n",
                 c->k96 ? "sm_103a" : "sm_100a", CASE_SMEM);
    tw_text_addf(p, "mov.u32 %%r0, %%tid.x; shr.u32 %%r2, %%r0, 5; mov.u32 %%r3, slot; mov.u32 %%r4, bar; mov.u32 %%r5, tiles;\n"
                    "mov.u32 %%r6, %%cluster_ctarank; ld.param.u64 %%q0, [in]; ld.param.u64 %%q1, [out];\n"
                    "mul.wide.u32 %%q2, %%r6, %u; add.s64 %%q0, %%q0, %%q2; mul.wide.u32 %%q2, %%r6, %u; add.s64 %%q1, %%q1, %%q2;\n",
                 (unsigned)sizeof t->image[0], (unsigned)sizeof t->out[0]);
    tw_text_addf(p, "setp.ne.u32 %%p0, %%r2, 0; @%%p0 bra ALLOCATED;\n"
                    "tcgen05.alloc.cta_group::%u.sync.aligned.shared::cta.b32 [%%r3], 512;\n"
                    "tcgen05.relinquish_alloc_permit.cta_group::%u.sync.aligned;\nALLOCATED:\n"
                    "setp.ne.u32 %%p1, %%r0, 0;\n@!%%p1 mbarrier.init.shared::cta.b64 [%%r4], 1;\n",
                 cg, cg);
    tw_text_addf(p, "shl.b32 %%r12, %%r0, 4;\nCOPY: cvt.u64.u32 %%q3, %%r12; add.s64 %%q3, %%q0, %%q3; add.u32 %%r13, %%r5, %%r12;\n"
                    "ld.global.v4.b32 {%%v0,%%v1,%%v2,%%v3}, [%%q3]; st.shared.v4.b32 [%%r13], {%%v0,%%v1,%%v2,%%v3};\n"
                    "add.u32 %%r12, %%r12, 2048; setp.lt.u32 %%p2, %%r12, %u; @%%p2 bra COPY;\n%sld.shared.u32 %%r1, [%%r3];\n",
                 CASE_SMEM, meet);
    tw_text_addf(p, "shl.b32 %%r12, %%r2, 21; add.u32 %%r14, %%r1, %%r12; mul.wide.u32 %%q3, %%r0, 2048; add.s64 %%q3, %%q3, %%q0;\n"
                    "mov.u32 %%r13, 0;\nINIT:\n");
    for (unsigned i = 0; i < 32; i += 4)
        tw_text_addf(p, "ld.global.v4.b32 {%%v%u,%%v%u,%%v%u,%%v%u}, [%%q3+%u];\n", i, i + 1, i + 2, i + 3, CASE_SMEM + 4 * i);
    tw_text_add(p, "tcgen05.st.sync.aligned.32x32b.x32.b32 [%r14], {");
    for (unsigned i = 0; i < 32; i++)
        tw_text_addf(p, "%s%%v%u", i == 0 ? "" : ",", i);
    tw_text_addf(p, "};\nadd.u32 %%r14, %%r14, 32; add.s64 %%q3, %%q3, 128; add.u32 %%r13, %%r13, 1; setp.lt.u32 %%p2, %%r13, 16;\n"
                    "@%%p2 bra INIT;\ntcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\n"
                    "fence.proxy.async.shared::cta;\n%s",
                 meet);
    tw_text_addf(p, "setp.ne.u32 %%p3, %%r6, 0; or.pred %%p1, %%p1, %%p3; @%%p1 bra WAIT;\ntcgen05.fence::after_thread_sync;\n"
                    "shr.u32 %%r12, %%r5, 4; and.b32 %%r12, %%r12, 0x3fff; cvt.u64.u32 %%q3, %%r12;\n"
                    "add.s64 %%q4, %%q3, 0x%llx; add.s64 %%q5, %%q3, 0x%llx; mov.u32 %%r9, 0x%08x; mov.u32 %%r15, 0;\n"
                    "add.u32 %%r7, %%r1, 0x%x; add.u32 %%r8, %%r1, 0x%x; add.u32 %%r10, %%r1, %u; add.u32 %%r11, %%r1, %u;\n"
                    "add.u32 %%r1, %%r1, 0x%x;\n",
                 (unsigned long long)t->a_desc, (unsigned long long)t->b_desc, case_idesc(c), (c->lane_base << 16) + CASE_A_COL,
                 (c->lane_base << 16) + CASE_META_COL, CASE_SFA_COL, CASE_SFB_COL, c->lane_base << 16);
    if (c->two_rows)
        tw_text_add(p, "shl.b64 %q6, %q3, 16; add.s64 %q4, %q4, %q6; add.s64 %q5, %q5, %q6;\n");
    tw_text_add(p, prologue == NULL ? "" : prologue);
    case_write_operands(p, c);
    if (cg == 2)
        tw_text_add(p, "mov.u16 %h0, 3;\ntcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r4], %h0;\n");
    else
        tw_text_add(p, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r4];\n");
    tw_text_add(p, "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;\n@!%p2 bra WAIT;\n"
                   "tcgen05.fence::after_thread_sync;\nld.shared.u32 %r1, [%r3];\n"
                   "shl.b32 %r12, %r2, 21; add.u32 %r14, %r1, %r12; mul.wide.u32 %q3, %r0, 2048; add.s64 %q3, %q3, %q1;\n"
                   "mov.u32 %r13, 0;\nREAD:\ntcgen05.ld.sync.aligned.32x32b.x32.b32 {");
    for (unsigned i = 0; i < 32; i++)
        tw_text_addf(p, "%s%%v%u", i == 0 ? "" : ",", i);
    tw_text_add(p, "}, [%r14];\ntcgen05.wait::ld.sync.aligned;\n");
    for (unsigned i = 0; i < 32; i += 4)
        tw_text_addf(p, "st.global.v4.b32 [%%q3+%u], {%%v%u,%%v%u,%%v%u,%%v%u};\n", 4 * i, i, i + 1, i + 2, i + 3);
    tw_text_addf(p, "add.u32 %%r14, %%r14, 32; add.s64 %%q3, %%q3, 128; add.u32 %%r13, %%r13, 1; setp.lt.u32 %%p2, %%r13, 16;\n"
                    "@%%p2 bra READ;\ntcgen05.fence::before_thread_sync;\n%s@%%p0 bra DONE;\n"
                    "tcgen05.dealloc.cta_group::%u.sync.aligned.b32 %%r1, 512;\nDONE:\nret;\n}\n",
                 meet, cg);
}

static inline void case_run(struct bench_room *room, const struct tensor_case *c, struct tensor_data *t, const char *prologue,
                            uint64_t seed)
{
    struct text p;
    tw_text_init(&p, &room->arena);
    case_write(&p, c, t, prologue);
    run_ptx_well(room, p.at,
                 &(struct ptx_run){.entry = "k", .block = 128, .grid = c->cta_group, .cluster = c->cta_group == 2 ? 2 : 0, .seed = seed,
                                   .input = t->image, .input_bytes = sizeof t->image[0] * c->cta_group, .output = t->out,
                                   .output_bytes = sizeof t->out[0] * c->cta_group});
}

#endif
