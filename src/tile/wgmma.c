/* wgmma.mma_async through tile.apply: every dense and sparse form, A in shared memory or in registers.
 *
 * Operands D, A, B; behind them E, the metadata of a sparse A. Order batch, M, N, K; the first K step reads D where accum is
 * true, later ones always do. How a kernel sees the operands:
 *
 *     D      f32, s32: elements; f16: elements, or 32-bit words of two neighbours along N; in registers
 *     A      shared memory: elements behind a matrix descriptor, K-major or (16 bits) MN-major;
 *            registers: elements, or 32-bit words of neighbours along K
 *     B      shared memory, as A
 *     E      uint16 words of four codes, the groups of a row in order; the selector follows from the layout
 *
 * tf32 operands are 32-bit elements of any type; b1 operands are 32-bit words of neighbours along K. The instruction is
 * asynchronous: wgmma.fence, commit_group and wait_group are the caller's. */
#include "tile/engine.h"

#include "isa/wgmma_map.h"

#include <assert.h>

enum wgmma_operand { WG_D, WG_A, WG_B, WG_E, WG_OPERANDS };
enum { CODES = 4 };     /* of metadata, in an element of E */
enum { AXIS_OF_K = 2 }; /* the axes are M, N, K */
enum { WORD_BITS = 32, A_REGISTERS = WGMMA_A_REGS };

/* What opcode and parameters say. */
struct wgmma_call {
    const struct wgmma_class_row *class;
    enum num_format a, b, d;
    bool sparse;
    uint32_t n, k;            /* k of B: twice what a sparse A stores */
    bool major_mn[WG_OPERANDS];
    bool neg_a, neg_b;
    struct ir_expr *accum;
    struct tile_operand_row rows[WG_OPERANDS], d_words, a_words, a_elements;
};

static const struct wgmma_call *wgmma_of(const struct tile_call *c)
{
    return c->family_data;
}

/* ---- ownership ------------------------------------------------------------------------------------ */

static uint32_t d_regs(const struct tile_call *c)
{
    const struct wgmma_call *x = wgmma_of(c);
    return wgmma_d_regs(x->n, tw_num_bits(x->d));
}

static void d_element(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM])
{
    const uint32_t bits = tw_num_bits(wgmma_of(c)->d), per_reg = WORD_BITS / bits;
    const struct mma_coord at = wgmma_d_coord(bits, lane % TW_WARP_LANES, item / per_reg, item % per_reg);
    coord[0] = WGMMA_WARP_ROWS * (lane / TW_WARP_LANES) + at.row;
    coord[1] = at.col;
}

static void d_word(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM])
{
    const uint32_t per_reg = WORD_BITS / tw_num_bits(wgmma_of(c)->d);
    d_element(c, lane, item * per_reg, coord);
    coord[1] /= per_reg;
}

static uint32_t a_regs(const struct tile_call *c)
{
    (void)c;
    return A_REGISTERS;
}

static void a_element(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM])
{
    const uint32_t bits = wgmma_of(c)->class->elem_bits, per_reg = WORD_BITS / bits;
    const struct mma_coord at = tw_mma_a_coord(WGMMA_WARP_ROWS, bits, lane % TW_WARP_LANES, item / per_reg, item % per_reg);
    coord[0] = WGMMA_WARP_ROWS * (lane / TW_WARP_LANES) + at.row;
    coord[1] = at.col;
}

static void a_word(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM])
{
    const uint32_t per_reg = (uint32_t)WORD_BITS / wgmma_of(c)->class->elem_bits;
    a_element(c, lane, item * per_reg, coord);
    coord[1] /= per_reg;
}

static uint32_t one_register(const struct tile_call *c)
{
    (void)c;
    return 1;
}

/* The row and group whose code is at a nibble of a lane's metadata, with the first selector; false if there is none.
 * Every warp has the metadata of its own 16 rows, laid out as for mma.sp. MEASURED: ptx-async 2.5. */
static bool find_code(const struct tile_call *c, uint32_t lane, uint32_t nibble, int64_t coord[TILE_MAX_ATOM])
{
    const struct wgmma_call *x = wgmma_of(c);
    const uint32_t groups = x->k / mma_sp_group(x->class->elem_bits);
    for (uint32_t row = 0; row < WGMMA_WARP_ROWS; row++)
        for (uint32_t group = 0; group < groups; group++) {
            const struct mma_meta m = tw_mma_sp_meta(x->class->elem_bits, x->k, 0, row, group);
            coord[0] = WGMMA_WARP_ROWS * (lane / TW_WARP_LANES) + row;
            coord[1] = group / CODES;
            if (m.lane == lane % TW_WARP_LANES && m.nibble == nibble)
                return true;
        }
    return false;
}

static bool e_supplies(const struct tile_call *c, uint32_t lane)
{
    int64_t coord[TILE_MAX_ATOM];
    return find_code(c, lane, 0, coord);
}

static void e_owner(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM])
{
    (void)find_code(c, lane, item * CODES, coord);
}

/* ---- rows ----------------------------------------------------------------------------------------- */

static const struct tile_operand_row dense_operands[] = {{.name = "D"}, {.name = "A"}, {.name = "B"}};
static const struct tile_operand_row sparse_operands[] = {{.name = "D"}, {.name = "A"}, {.name = "B"}, {.name = "E"}};

/* What an element of A or B is to a kernel: tf32 any 32 bits, single bits in words. */
static uint16_t seen_bits(const struct wgmma_call *x)
{
    return x->class->elem_bits == 1 ? WORD_BITS : x->class->elem_bits;
}

static enum num_format seen_format(enum num_format f)
{
    return f == NUM_TF32 ? NUM_NONE : f == NUM_B1 ? NUM_U32 : f;
}

/* "K/2" */
static const char *along(const struct tile_call *c, const char *axis, uint32_t divisor)
{
    return divisor == 1 ? axis : tw_format(c->arena, "%s/%u", axis, divisor);
}

static void make_d(struct wgmma_call *x)
{
    const uint32_t per_reg = WORD_BITS / tw_num_bits(x->d);
    struct tile_operand_row *d = &x->rows[WG_D];
    *d = (struct tile_operand_row){.name = "D", .role = TILE_UPDATE, .scopes = 1u << IR_LOCAL, .repeats = "MN", .atom_rank = 2,
                                   .atom = {{"m", TILE_M, "64"}, {"n", TILE_N, "N"}}, .elem_bits = (uint16_t)tw_num_bits(x->d),
                                   .format = x->d, .items = (uint8_t)(per_reg > 1 ? per_reg : 0), .regs = d_regs, .owner = d_element};
    x->d_words = *d;
    x->d_words.atom[1] = (struct tile_axis){"word", TILE_D_WORDS, "N/2"};
    x->d_words.elem_bits = WORD_BITS;
    x->d_words.format = NUM_U32;
    x->d_words.items = 0;
    x->d_words.owner = d_word;
}

static void make_a(struct tile_call *c, struct wgmma_call *x)
{
    const uint32_t per_reg = WORD_BITS / x->class->elem_bits, stored = x->sparse ? 2 : 1, seen = x->class->elem_bits == 1 ? WORD_BITS : 1;
    struct tile_operand_row *a = &x->rows[WG_A];
    *a = (struct tile_operand_row){.name = "A", .role = TILE_SRC, .scopes = 1u << IR_LOCAL | 1u << IR_SHARED, .repeats = "MK",
                                   .atom_rank = 2, .atom = {{"m", TILE_M, "64"}, {"k", TILE_COLS, along(c, "K", stored * seen)}},
                                   .elem_bits = seen_bits(x), .format = seen_format(x->a)};
    x->a_elements = *a;
    x->a_elements.regs = a_regs;
    x->a_elements.owner = x->class->elem_bits == 1 ? a_word : a_element;
    x->a_elements.items = (uint8_t)(per_reg > 1 && x->class->elem_bits > 1 ? per_reg : 0);
    x->a_words = x->a_elements;
    x->a_words.atom[1] = (struct tile_axis){"word", TILE_A_WORDS, along(c, "K", stored * per_reg)};
    x->a_words.elem_bits = WORD_BITS;
    x->a_words.format = NUM_U32;
    x->a_words.items = 0;
    x->a_words.owner = a_word;
}

static void make_b_and_e(struct tile_call *c, struct wgmma_call *x)
{
    const uint32_t bits = x->class->elem_bits;
    x->rows[WG_B] = (struct tile_operand_row){.name = "B", .role = TILE_SRC, .scopes = 1u << IR_SHARED, .repeats = "NK", .atom_rank = 2,
                                              .atom = {{"n", TILE_N, "N"}, {"k", TILE_K, along(c, "K", bits == 1 ? WORD_BITS : 1)}},
                                              .elem_bits = seen_bits(x), .format = seen_format(x->b)};
    if (!x->sparse)
        return;
    const uint32_t selectors = tw_mma_sp_selectors(bits, x->k);
    x->rows[WG_E] = (struct tile_operand_row){.name = "E", .role = TILE_SRC, .scopes = 1u << IR_LOCAL, .repeats = "MK", .atom_rank = 2,
                                              .atom = {{"m", TILE_M, "64"}, {"codes", TILE_CODES, "groups/4"}}, .elem_bits = 16,
                                              .format = NUM_U16, .items = 2, .regs = one_register, .owner = e_owner,
                                              .supplies = e_supplies, .choices = (uint8_t)selectors,
                                              .choice_lanes = (uint8_t)(4 / selectors)};
}

/* Registers may be seen as words of neighbours or, where the view has them, as elements. */
static const struct tile_operand_row *variant(const struct tile_call *c, uint32_t operand)
{
    const struct wgmma_call *x = wgmma_of(c);
    const struct tile_operand *o = &c->operand[operand];
    const bool words = o->view->elem.bits == WORD_BITS && o->view->elem.cls == IR_UINT;
    if (operand == WG_D)
        return words && tw_num_bits(x->d) < WORD_BITS ? &x->d_words : NULL;
    if (operand != WG_A || o->storage->scope != IR_LOCAL)
        return NULL;
    return words && x->class->elem_bits < WORD_BITS ? &x->a_words : &x->a_elements;
}

/* ---- opcode and parameters --------------------------------------------------------------------------- */

static const struct tile_param_row params[] = {
    {.name = "accum", .type = TILE_PARAM_BOOL},
    {.name = "a_major", .type = TILE_PARAM_CHOICE, .choices = "k|mn"},
    {.name = "b_major", .type = TILE_PARAM_CHOICE, .choices = "k|mn"},
    {.name = "neg_a", .type = TILE_PARAM_FLAG},
    {.name = "neg_b", .type = TILE_PARAM_FLAG},
};
enum { PARAM_COUNT = sizeof params / sizeof params[0] };

static bool refuse_param(struct tile_call *c, const char *param, const char *what, const char *expected)
{
    struct diag *d = tw_diag(c->diags, E0424, tw_tile_param(c, param)->at, "%s %s", c->mnemonic, what);
    tw_diag_expected(d, "%s", expected);
    tw_diag_fix(d, "leave %s out", param);
    return false;
}

static bool read_major(struct tile_call *c, struct wgmma_call *x, enum wgmma_operand operand, const char *param)
{
    const char *major = tw_tile_text(c, param);
    x->major_mn[operand] = major != NULL && major[0] == 'm';
    if (!x->major_mn[operand] || x->class->transposes)
        return true;
    return refuse_param(c, param, "takes no MN-major operand", "\"k\"; only f16 and bf16 operands can be MN-major");
}

static bool read_negation(struct tile_call *c, struct wgmma_call *x, const char *param, bool *out)
{
    *out = tw_tile_flag(c, param);
    return !*out || x->class->negates || refuse_param(c, param, "negates no operand", "False; integer products have no signs to turn");
}

static void set_symbols(struct tile_call *c, const struct wgmma_call *x)
{
    const uint32_t bits = x->class->elem_bits, stored = x->sparse ? x->k / 2 : x->k;
    c->symbol[TILE_M] = WGMMA_M;
    c->symbol[TILE_N] = x->n;
    c->symbol[TILE_K] = bits == 1 ? x->k / WORD_BITS : x->k;
    c->symbol[TILE_COLS] = bits == 1 ? stored / WORD_BITS : stored;
    c->symbol[TILE_A_WORDS] = stored * bits / WORD_BITS;
    c->symbol[TILE_D_WORDS] = x->n * tw_num_bits(x->d) / WORD_BITS;
    if (x->sparse)
        c->symbol[TILE_CODES] = x->k / mma_sp_group(bits) / CODES;
}

static bool prepare(struct tile_call *c)
{
    struct wgmma_call *x = arena_new(c->arena, struct wgmma_call, 1);
    const unsigned shape = isa_spelling_mod(&c->spelling, SLOT_SHAPE);
    c->family_data = x;
    x->sparse = c->family->op == OP_WGMMA_SP;
    x->a = tw_isa_format(isa_spelling_mod(&c->spelling, SLOT_ATYPE));
    x->b = tw_isa_format(isa_spelling_mod(&c->spelling, SLOT_BTYPE));
    x->d = tw_isa_format(isa_spelling_mod(&c->spelling, SLOT_DTYPE));
    x->class = tw_wgmma_find(x->a, x->b, x->d);
    assert(x->class != NULL); /* the catalogue's rule of the shape has seen it */
    x->n = isa_shape_n(shape);
    x->k = isa_shape_k(shape);
    if (!read_major(c, x, WG_A, "a_major") || !read_major(c, x, WG_B, "b_major") || !read_negation(c, x, "neg_a", &x->neg_a) ||
        !read_negation(c, x, "neg_b", &x->neg_b))
        return false;
    set_symbols(c, x);
    make_d(x);
    make_a(c, x);
    make_b_and_e(c, x);
    c->rows = x->rows;
    return true;
}

static bool in_registers(const struct tile_call *c)
{
    return c->operand[WG_A].storage->scope == IR_LOCAL;
}

static bool check(struct tile_call *c)
{
    return !in_registers(c) || !wgmma_of(c)->major_mn[WG_A] ||
           refuse_param(c, "a_major", "takes A from registers", "\"k\"; the fragment map of registers has one order");
}

/* ---- instructions ---------------------------------------------------------------------------------- */

static void begin(struct tile_call *c)
{
    struct wgmma_call *x = c->family_data;
    x->accum = tw_tile_value(c, tw_tile_param(c, "accum"), tw_ir_bool(), 0);
}

static void put_number(struct tile_call *c, struct ir_ptx_operand *to, struct ir_type type, int64_t value)
{
    tw_tile_put_value(c, to, tw_ir_const_int(c->k, type, value, c->stmt->at));
}

static bool find_places(struct tile_call *c, const struct tile_place *at[WG_OPERANDS])
{
    const struct wgmma_call *x = wgmma_of(c);
    for (uint32_t i = 0; i < c->operand_count; i++) {
        const bool registers = i == WG_D || i == WG_E || (i == WG_A && in_registers(c));
        const struct tile_walk_form form = {.arch = SMEM_DESC_WGMMA, .mn_major = x->major_mn[i]};
        at[i] = registers ? tw_tile_registers(c, i) : tw_tile_descriptor(c, i, form);
        if (at[i] == NULL)
            return false;
    }
    return true;
}

/* Behind the accumulate predicate: signs, then orders, as far as the form has them. */
static uint32_t put_immediates(struct tile_call *c, struct ir_ptx_operand *to)
{
    const struct wgmma_call *x = wgmma_of(c);
    uint32_t n = 0;
    if (x->class->negates) {
        put_number(c, &to[n++], tw_ir_int32(), x->neg_a ? -1 : 1);
        put_number(c, &to[n++], tw_ir_int32(), x->neg_b ? -1 : 1);
    }
    if (x->class->transposes && !in_registers(c))
        put_number(c, &to[n++], tw_ir_uint32(), x->major_mn[WG_A]);
    if (x->class->transposes)
        put_number(c, &to[n++], tw_ir_uint32(), x->major_mn[WG_B]);
    return n;
}

static bool issue(struct tile_call *c)
{
    enum { MOST_OPERANDS = 10 };
    const struct wgmma_call *x = wgmma_of(c);
    const struct tile_place *at[WG_OPERANDS];
    if (!find_places(c, at))
        return false;
    struct ir_ptx *i = tw_tile_instruction(c, MOST_OPERANDS);
    uint32_t n = 0;
    tw_tile_put_registers(c, &i->operands[n++], IR_PTX_UPDATE, WG_D, at[WG_D]);
    if (in_registers(c))
        tw_tile_put_words(c, &i->operands[n++], IR_PTX_VALUE, WG_A, at[WG_A], tw_ir_uint32(), false); /* tf32 is no .f32 here */
    else
        tw_tile_put_descriptor(c, &i->operands[n++], WG_A, at[WG_A]);
    tw_tile_put_descriptor(c, &i->operands[n++], WG_B, at[WG_B]);
    if (x->sparse) {
        struct ir_ptx_operand vector = {.kind = IR_PTX_VECTOR};
        tw_tile_put_registers(c, &vector, IR_PTX_VALUE, WG_E, at[WG_E]);
        i->operands[n++] = vector.items[0];
        put_number(c, &i->operands[n++], tw_ir_uint32(), at[WG_E]->choice);
    }
    if (c->at[c->batch_rank + AXIS_OF_K] == 0)
        tw_tile_put_value(c, &i->operands[n++], x->accum);
    else
        put_number(c, &i->operands[n++], tw_ir_bool(), 1);
    n += put_immediates(c, &i->operands[n]);
    assert(n <= MOST_OPERANDS);
    i->operand_count = n;
    return true;
}

#define WGMMA_FAMILY                                                                                                  \
    .issuer = TILE_BY_WARPGROUP, .params = params, .param_count = PARAM_COUNT, .axes = "MNK", .prepare = prepare,         \
    .variant = variant, .check = check, .begin = begin, .issue = issue

const struct tile_family tw_tile_wgmma = {
    .op = OP_WGMMA,
    .name = "wgmma.mma_async",
    .what = "warpgroup matrix multiply-add on registers and shared memory",
    .operands = dense_operands,
    .operand_count = WG_E,
    WGMMA_FAMILY,
};

const struct tile_family tw_tile_wgmma_sp = {
    .op = OP_WGMMA_SP,
    .name = "wgmma.mma_async.sp",
    .what = "the same with a sparse A",
    .operands = sparse_operands,
    .operand_count = WG_OPERANDS,
    WGMMA_FAMILY,
};
