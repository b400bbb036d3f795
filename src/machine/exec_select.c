/* Comparison, selection and moves. SOURCE: ptx-async.md 8.2. */
#include "machine/exec_lanes.h"
#include "num/arith.h"

/* ---- Comparisons -------------------------------------------------------------------------------- */

/* d->mod[0]: enum num_compare; [1]: combining operation + 1, or 0; [2]: ftz; [3]: halves are compared apart. */

/* One bit a lane. Sums of selected bits rather than shifts: a loop that the compiler turns into vector code. */
static const uint32_t bit_of[LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

#define COMPARE(name, type, relation)                              \
    static uint32_t name(const type *a, const type *b)             \
    {                                                              \
        uint32_t r = 0;                                            \
        for (uint32_t i = 0; i < LANES; i++)                       \
            r |= a[i] relation b[i] ? bit_of[i] : 0;               \
        return r;                                                  \
    }

/* For types in which every pair is ordered, two relations give the six; floats need three. */
#define COMPARE_ORDERED(suffix, type)                                                       \
    COMPARE(equal_##suffix, type, ==)                                                       \
    COMPARE(less_##suffix, type, <)                                                         \
    static uint32_t compare_##suffix(unsigned how, const void *a, const void *b)            \
    {                                                                                       \
        const uint32_t eq = how == NUM_LT || how == NUM_GE ? 0 : equal_##suffix(a, b);      \
        const uint32_t lt = how == NUM_EQ || how == NUM_NE ? 0 : less_##suffix(a, b);       \
        const uint32_t table[] = {[NUM_EQ] = eq,      [NUM_NE] = ~eq,        [NUM_LT] = lt, \
                                  [NUM_LE] = lt | eq, [NUM_GT] = ~(lt | eq), [NUM_GE] = ~lt}; \
        return table[how];                                                                  \
    }

COMPARE_ORDERED(u32, uint32_t) /* zero-extended 16-bit values as well */
COMPARE_ORDERED(s32, int32_t)
COMPARE_ORDERED(u64, uint64_t)
COMPARE_ORDERED(s64, int64_t)
COMPARE(equal_f32, float, ==)
COMPARE(less_f32, float, <)
COMPARE(greater_f32, float, >)

static uint32_t compare_f32(unsigned how, const void *a, const void *b)
{
    const uint32_t eq = equal_f32(a, b), lt = less_f32(a, b), gt = greater_f32(a, b);
    const uint32_t ordered = eq | lt | gt;
    const uint32_t table[] = {
        [NUM_EQ] = eq, [NUM_NE] = lt | gt, [NUM_LT] = lt, [NUM_LE] = lt | eq, [NUM_GT] = gt, [NUM_GE] = gt | eq,
        [NUM_EQU] = eq | ~ordered, [NUM_NEU] = ~eq, [NUM_LTU] = lt | ~ordered, [NUM_LEU] = ~gt, [NUM_GTU] = gt | ~ordered,
        [NUM_GEU] = ~lt, [NUM_BOTH_NUMBERS] = ordered, [NUM_ANY_NAN] = ~ordered,
    };
    return table[how];
}

/* The definition: lane by lane through num; `shift` picks a half. */
static uint32_t compare_slow(struct warp *w, const struct dinst *d, uint32_t mask, const struct dop *a, const struct dop *b,
                             unsigned shift)
{
    uint32_t r = 0;
    FOR_LANES(i, mask)
        if (tw_num_compare((enum num_format)d->type, (enum num_compare)d->mod[0], d->mod[2], lane_word(w, a, i) >> shift,
                           lane_word(w, b, i) >> shift))
            r |= UINT32_C(1) << i;
    return r;
}

static uint32_t compare(struct warp *w, const struct dinst *d, uint32_t mask, const struct dop *a, const struct dop *b)
{
    typedef uint32_t compare_fn(unsigned how, const void *a_row, const void *b_row);
    static compare_fn *const quick[NUM_FORMAT_COUNT] = {
        [NUM_U16] = compare_u32, [NUM_U32] = compare_u32, [NUM_S32] = compare_s32, [NUM_U64] = compare_u64,
        [NUM_S64] = compare_s64, [NUM_F32] = compare_f32,
    };
    if (quick[d->type] != NULL && !d->mod[2])
        return quick[d->type](d->mod[0], row(w, a->ref), row(w, b->ref));
    return compare_slow(w, d, mask, a, b, 0);
}

static uint32_t combine(unsigned how, uint32_t t, uint32_t c)
{
    return how == 0 ? t : how == 1 ? (t & c) : how == 2 ? (t | c) : (t ^ c);
}

static enum exec_status exec_setp(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t c = d->op[4].ref == REF_NONE ? 0 : lane_mask(w, &d->op[4]);
    if (d->mod[3]) { /* p for the low half, q for the high half */
        const uint32_t low = compare_slow(w, d, mask, &d->op[2], &d->op[3], 0);
        const uint32_t high = compare_slow(w, d, mask, &d->op[2], &d->op[3], 16);
        set_predicate(w, &d->op[0], mask, combine(d->mod[1], low, c));
        set_predicate(w, &d->op[1], mask, combine(d->mod[1], high, c));
        return EXEC_NEXT;
    }
    const uint32_t t = compare(w, d, mask, &d->op[2], &d->op[3]);
    set_predicate(w, &d->op[0], mask, combine(d->mod[1], t, c));
    set_predicate(w, &d->op[1], mask, combine(d->mod[1], ~t, c));
    return EXEC_NEXT;
}

/* set d, a, b [, c]: d->imm is the word for true. */
static enum exec_status exec_set(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t c = d->op[3].ref == REF_NONE ? 0 : lane_mask(w, &d->op[3]);
    uint64_t r[LANES];
    uint32_t low, high = 0;
    if (d->mod[3]) {
        low = combine(d->mod[1], compare_slow(w, d, mask, &d->op[1], &d->op[2], 0), c);
        high = combine(d->mod[1], compare_slow(w, d, mask, &d->op[1], &d->op[2], 16), c);
    } else {
        low = combine(d->mod[1], compare(w, d, mask, &d->op[1], &d->op[2]), c);
    }
    const uint64_t low_word = d->mod[3] ? d->imm & 0xffff : d->imm;
    FOR_LANES(i, mask)
        r[i] = ((low >> i & 1) != 0 ? low_word : 0) | ((high >> i & 1) != 0 ? (d->imm & 0xffff) << 16 : 0);
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static unsigned compare_of(unsigned mod)
{
    static const struct { uint16_t mod; uint8_t how; } rows[] = {
        {MOD_EQ, NUM_EQ}, {MOD_NE, NUM_NE}, {MOD_LT, NUM_LT}, {MOD_LE, NUM_LE}, {MOD_GT, NUM_GT}, {MOD_GE, NUM_GE},
        {MOD_LO, NUM_LT}, {MOD_LS, NUM_LE}, {MOD_HI, NUM_GT}, {MOD_HS, NUM_GE},
        {MOD_EQU, NUM_EQU}, {MOD_NEU, NUM_NEU}, {MOD_LTU, NUM_LTU}, {MOD_LEU, NUM_LEU}, {MOD_GTU, NUM_GTU}, {MOD_GEU, NUM_GEU},
        {MOD_NUM, NUM_BOTH_NUMBERS}, {MOD_NAN_TEST, NUM_ANY_NAN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].mod == mod)
            return rows[i].how;
    return NUM_EQ;
}

static void decode_compare(const struct ptx_inst *in, struct dinst *d, unsigned type)
{
    const unsigned how = tw_ptx_mod(in, SLOT_BOOL);
    d->type = (uint8_t)tw_decode_format(type);
    d->mod[0] = (uint8_t)compare_of(tw_ptx_mod(in, SLOT_CMP));
    d->mod[1] = how == MOD_AND ? 1 : how == MOD_OR ? 2 : how == MOD_XOR ? 3 : 0;
    d->mod[2] = tw_ptx_has(in, SLOT_FTZ);
    d->mod[3] = isa_mod_row(type)->type_class == TYPE_PACKED;
}

static bool prepare_setp(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    decode_compare(in, d, tw_ptx_mod(in, SLOT_TYPE));
    d->run = exec_setp;
    static const enum isa_role roles[] = {ROLE_P, ROLE_Q, ROLE_A, ROLE_B, ROLE_COND};
    for (unsigned i = 0; i < 5; i++)
        if (!tw_decode_role(dc, in, roles[i], d, i))
            return false;
    return true;
}

static bool prepare_set(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    decode_compare(in, d, tw_ptx_mod(in, SLOT_ATYPE));
    const unsigned to = tw_ptx_mod(in, SLOT_DTYPE);
    const enum num_format format = tw_decode_format(to);
    const bool is_float = tw_num_is_float(format);
    d->imm = format == NUM_F32 ? UINT64_C(0x3f800000) : format == NUM_F16 ? 0x3c00 : format == NUM_BF16 ? 0x3f80 : UINT64_MAX;
    if (!is_float && isa_type_bits(to) < 64)
        d->imm = (UINT64_C(1) << isa_type_bits(to)) - 1;
    d->run = exec_set;
    static const enum isa_role roles[] = {ROLE_D, ROLE_A, ROLE_B, ROLE_COND};
    for (unsigned i = 0; i < 4; i++)
        if (!tw_decode_role(dc, in, roles[i], d, i))
            return false;
    return true;
}

/* ---- Selection ----------------------------------------------------------------------------------- */

static enum exec_status exec_selp_32(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t *const a = row32(w, d->op[1].ref), *const b = row32(w, d->op[2].ref);
    const uint32_t p = lane_mask(w, &d->op[3]);
    uint32_t r[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        r[i] = (p >> i & 1) != 0 ? a[i] : b[i];
    put32(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static enum exec_status exec_selp_64(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint64_t *const a = row64(w, d->op[1].ref), *const b = row64(w, d->op[2].ref);
    const uint32_t p = lane_mask(w, &d->op[3]);
    uint64_t r[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        r[i] = (p >> i & 1) != 0 ? a[i] : b[i];
    put64(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static bool prepare_selp(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    if (!tw_decode_all(dc, in, d))
        return false;
    d->run = d->op[0].bytes == 8 ? exec_selp_64 : exec_selp_32;
    return true;
}

/* slct d, a, b, c: c >= 0 ? a : b; -0 counts as >= 0, NaN selects b. mod[0]: c is f32; mod[1]: ftz */
static enum exec_status exec_slct(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint64_t r[LANES];
    FOR_LANES(i, mask) {
        const uint32_t c = row32(w, d->op[3].ref)[i];
        const bool first = d->mod[0] ? tw_num_compare(NUM_F32, NUM_GE, d->mod[1], c, 0) : (int32_t)c >= 0;
        r[i] = lane_word(w, &d->op[first ? 1 : 2], i);
    }
    put_any(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static bool prepare_slct(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    d->mod[0] = tw_ptx_mod(in, SLOT_ATYPE) == MOD_F32;
    d->mod[1] = tw_ptx_has(in, SLOT_FTZ);
    d->run = exec_slct;
    return tw_decode_all(dc, in, d);
}

/* ---- Moves ----------------------------------------------------------------------------------------- */

static enum exec_status exec_mov_32(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint32_t r[LANES];
    memcpy(r, row32(w, d->op[1].ref), sizeof r);
    put32(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static enum exec_status exec_mov_64(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint64_t r[LANES];
    memcpy(r, row64(w, d->op[1].ref), sizeof r);
    put64(w, &d->op[0], mask, r);
    return EXEC_NEXT;
}

static enum exec_status exec_mov_128(struct warp *w, const struct dinst *d, uint32_t mask)
{
    uint8_t *const to = row(w, d->op[0].ref);
    const uint8_t *const from = row(w, d->op[1].ref);
    FOR_LANES(i, mask)
        memmove(to + 16 * i, from + 16 * i, 16);
    return EXEC_NEXT;
}

static enum exec_status exec_mov_pred(struct warp *w, const struct dinst *d, uint32_t mask)
{
    set_predicate(w, &d->op[0], mask, lane_mask(w, &d->op[1]));
    return EXEC_NEXT;
}

/* mov.bN d, {a, b, ...}: the first element is least significant. imm: bits of an element. */
static enum exec_status exec_pack(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t *const refs = w->code->refs + d->op[1].ref;
    const unsigned bits = (unsigned)d->imm, count = d->op[1].count;
    const uint64_t keep = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    uint8_t *const to = row(w, d->op[0].ref);
    FOR_LANES(i, mask) {
        uint64_t word[2] = {0, 0};
        for (unsigned k = 0; k < count; k++) {
            const struct dop element = {.ref = refs[k], .bytes = d->op[1].bytes};
            word[k * bits / 64] |= (lane_word(w, &element, i) & keep) << (k * bits % 64);
        }
        memcpy(to + (size_t)d->op[0].bytes * i, word, d->op[0].bytes);
    }
    return EXEC_NEXT;
}

static enum exec_status exec_unpack(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t *const refs = w->code->refs + d->op[0].ref;
    const unsigned bits = (unsigned)d->imm, count = d->op[0].count;
    const uint64_t keep = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    uint64_t words[LANES][2] = {{0}};
    const uint8_t *const from = row(w, d->op[1].ref);
    FOR_LANES(i, mask)
        memcpy(words[i], from + (size_t)d->op[1].bytes * i, d->op[1].bytes);
    for (unsigned k = 0; k < count; k++) {
        if (refs[k] == REF_NONE)
            continue;
        uint64_t r[LANES];
        FOR_LANES(i, mask)
            r[i] = words[i][k * bits / 64] >> (k * bits % 64) & keep;
        const struct dop element = {.ref = refs[k], .bytes = d->op[0].bytes, .bits = d->op[0].bits};
        put_any(w, &element, mask, r);
    }
    return EXEC_NEXT;
}

/* Every element of the source is read before one of the destination is written: the same registers may stand on both sides. */
static enum exec_status exec_mov_vector(struct warp *w, const struct dinst *d, uint32_t mask)
{
    const uint32_t *const to = w->code->refs + d->op[0].ref, *const from = w->code->refs + d->op[1].ref;
    uint64_t words[4][LANES];
    for (unsigned k = 0; k < d->op[1].count; k++) {
        const struct dop element = {.ref = from[k], .bytes = d->op[1].bytes};
        FOR_LANES(i, mask)
            words[k][i] = lane_word(w, &element, i);
    }
    for (unsigned k = 0; k < d->op[0].count; k++) {
        const struct dop element = {.ref = to[k], .bytes = d->op[0].bytes, .bits = d->op[0].bits};
        if (to[k] != REF_NONE)
            put_any(w, &element, mask, words[k]);
    }
    return EXEC_NEXT;
}

static bool prepare_mov(struct decoder *dc, const struct ptx_inst *in, struct dinst *d)
{
    if (!tw_decode_all(dc, in, d))
        return false;
    const unsigned bits = isa_type_bits(tw_ptx_mod(in, SLOT_TYPE));
    if (in->form->id == FORM_MOV_VEC || in->form->id == FORM_MOV_VEC_64) {
        d->run = exec_mov_vector;
    } else if (in->form->id == FORM_MOV_PACK) {
        d->imm = bits / d->op[1].count;
        d->run = exec_pack;
    } else if (in->form->id == FORM_MOV_UNPACK) {
        d->imm = bits / d->op[0].count;
        d->run = exec_unpack;
    } else {
        d->run = bits == 1 ? exec_mov_pred : bits <= 32 ? exec_mov_32 : bits == 64 ? exec_mov_64 : exec_mov_128;
    }
    return true;
}

const struct op_row tw_ops_select[] = {
    {OP_SETP, prepare_setp}, {OP_SET, prepare_set}, {OP_SELP, prepare_selp}, {OP_SLCT, prepare_slct}, {OP_MOV, prepare_mov},
    {OP_NONE, NULL},
};
