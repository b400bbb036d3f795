/* Instructions that every thread issues by itself, and whose tile operands are the operands of the catalogue's form: loads and
 * stores, reductions and atomics, and operations on registers. SOURCE: kernel-language-tile 7.3.
 *
 * Coordinates are (group, repeat, word). The word axis has the length of the form's vector, or 1. A register operand holds
 * one register for each word; an address is that of word 0, and the words lie one after another from there, aligned to all
 * of them. Where an instruction moves bits, widths must agree; where it computes, types must. */
#include "tile/engine.h"

#include "ir/ir_walk.h"

#include <assert.h>
#include <string.h>

struct thread_op {
    struct tile_operand_row rows[TILE_MAX_OPERANDS];
    uint8_t form_operand[TILE_MAX_OPERANDS];
    bool braces[TILE_MAX_OPERANDS];          /* the form wants {...} */
    struct ir_type reg_type[TILE_MAX_OPERANDS]; /* IR_VOID: as the operand's elements */
    struct ir_expr *pred, *policy;           /* NULL: none */
    bool never;                              /* pred is False at compile time */
    uint8_t *written;                        /* slots that an earlier repeat wrote, by operand 0 */
};

static struct thread_op *op_of(const struct tile_call *c)
{
    return c->family_data;
}

/* ---- rows from the form ------------------------------------------------------------------------- */

static uint32_t words_of(const struct tile_call *c, const struct tile_operand_row *row)
{
    return (uint32_t)c->symbol[row->atom[0].extent];
}

static uint32_t vector_regs(const struct tile_call *c)
{
    return (uint32_t)c->symbol[TILE_WORDS];
}

static uint32_t one_reg(const struct tile_call *c)
{
    (void)c;
    return 1;
}

static void word_owner(const struct tile_call *c, uint32_t lane, uint32_t item, int64_t coord[TILE_MAX_ATOM])
{
    (void)c, (void)lane;
    coord[0] = item;
}

static uint8_t scopes_of_space(unsigned space)
{
    switch (space) {
    case MOD_NONE: return 1u << IR_GLOBAL | 1u << IR_SHARED | 1u << IR_LOCAL;
    case MOD_GLOBAL: return 1u << IR_GLOBAL;
    case MOD_LOCAL: return 1u << IR_LOCAL;
    case MOD_SHARED:
    case MOD_SHARED_CTA:
    case MOD_SHARED_CLUSTER: return 1u << IR_SHARED;
    default: return 0;
    }
}

static bool moves_bits(const struct tile_call *c)
{
    const enum isa_op op = c->spelling.form->op;
    return op == OP_LD || op == OP_LDU || op == OP_ST;
}

/* A form's operand that is a parameter of the call, or that the pattern leaves out. */
static bool is_tile_operand(const struct isa_operand *o)
{
    return o->role != ROLE_POLICY && !o->optional;
}

/* The catalogue's type as a number format; none for bits, packed values, and tf32, whose registers are words. */
static enum num_format format_of(const struct tile_call *c, unsigned type)
{
    const enum isa_type_class class = isa_mod_row(type)->type_class;
    if (moves_bits(c) || (class != TYPE_FLOAT && class != TYPE_SIGNED && class != TYPE_UNSIGNED) || type == MOD_TF32)
        return NUM_NONE;
    return tw_num_format_by_name(tw_str(isa_mod_row(type)->text));
}

/* Registers of an instruction on integers are integers, whatever their tensor holds. */
static struct ir_type register_type(const struct tile_call *c, unsigned type)
{
    const struct isa_mod_row *row = isa_mod_row(type);
    if (!moves_bits(c) || (row->type_class != TYPE_SIGNED && row->type_class != TYPE_UNSIGNED))
        return (struct ir_type){.cls = IR_VOID};
    return tw_ir_type_of(tw_num_format_by_name(tw_str(row->text)));
}

static struct tile_operand_row memory_row(const struct tile_call *c, unsigned i)
{
    const bool loads = c->spelling.form->op == OP_LD || c->spelling.form->op == OP_LDU;
    return (struct tile_operand_row){.name = "memory", .role = loads ? TILE_SRC : TILE_UPDATE,
                                     .scopes = scopes_of_space(tw_isa_operand_space(&c->spelling, i)), .memory = true};
}

static struct tile_operand_row register_row(const struct tile_call *c, unsigned i)
{
    const struct isa_operand *o = &c->spelling.form->operands[i];
    const bool written = (o->access & ACCESS_WRITE) != 0;
    return (struct tile_operand_row){.name = tw_isa_role_name(o->role), .role = written ? TILE_DST : TILE_SRC,
                                     .scopes = 1u << IR_LOCAL, .scalar = !written};
}

static unsigned data_type(const struct tile_call *c)
{
    const unsigned type = isa_spelling_mod(&c->spelling, SLOT_TYPE);
    return type == MOD_NONE ? MOD_B32 : type;
}

static void add_row(struct tile_call *c, struct thread_op *op, unsigned i)
{
    const uint32_t n = c->row_count++;
    const struct isa_operand *o = &c->spelling.form->operands[i];
    const bool address = (o->accept & ACCEPT_ADDRESS) != 0;
    struct tile_operand_row *row = &op->rows[n];
    const unsigned type = address ? data_type(c) : tw_isa_operand_type(&c->spelling, i);
    const unsigned vector = address ? (unsigned)c->symbol[TILE_WORDS] : tw_isa_operand_count(&c->spelling, i);
    *row = address ? memory_row(c, i) : register_row(c, i);
    row->repeats = "*";
    row->atom_rank = 1;
    row->atom[0] = vector > 1 ? (struct tile_axis){"word", TILE_WORDS, "words"}
                              : (struct tile_axis){"word", TILE_ONE, "words"};
    row->elem_bits = (uint16_t)isa_type_bits(type);
    row->format = format_of(c, type);
    row->regs = vector > 1 ? vector_regs : one_reg;
    row->owner = word_owner;
    op->form_operand[n] = (uint8_t)i;
    op->braces[n] = tw_isa_operand_count(&c->spelling, i) > 0;
    op->reg_type[n] = register_type(c, type);
}

static uint32_t vector_length(const struct tile_call *c)
{
    uint32_t most = 1;
    for (unsigned i = 0; i < c->spelling.form->operand_count; i++) {
        const uint32_t n = tw_isa_operand_count(&c->spelling, i);
        most = n != ISA_ANY_COUNT && n > most ? n : most;
    }
    return most;
}

/* ---- what the pattern does not have -------------------------------------------------------------- */

static bool not_covered(struct tile_call *c, const char *why, const char *fix)
{
    struct diag *d = tw_diag(c->diags, E0402, c->tile->opcode_at, "the %s tile pattern does not cover %s", c->family->name,
                             c->mnemonic);
    tw_diag_expected(d, "%s", why);
    tw_diag_fix(d, "%s", fix);
    return false;
}

static bool is_covered(struct tile_call *c)
{
    const char *const raw = "call it as a raw instruction, T.ptx[...](...)";
    const unsigned space = isa_spelling_mod(&c->spelling, SLOT_SPACE);
    if (isa_spelling_mod(&c->spelling, SLOT_TYPE) == MOD_B128)
        return not_covered(c, "a type of up to 64 bits: no dtype has 128", "move two words: .v2.b64");
    if (isa_spelling_mod(&c->spelling, SLOT_CC) != MOD_NONE)
        return not_covered(c, "no .cc: nothing may come between a carry and its use", raw);
    if (scopes_of_space(space) == 0)
        return not_covered(c, "global, shared or local memory", raw);
    return true;
}

/* A parameter that needs something else of the call. */
static bool needs(struct tile_call *c, const char *param, bool fulfilled, const char *expected, const char *fix)
{
    const struct ir_arg *a = tw_tile_param(c, param);
    if (fulfilled || a == NULL || a->kind == IR_ARG_NONE || (a->kind == IR_ARG_BOOL && a->value == 0))
        return true;
    struct diag *d = tw_diag(c->diags, E0404, a->at, "%s has no parameter '%s' here", c->mnemonic, param);
    tw_diag_expected(d, "%s", expected);
    tw_diag_fix(d, "%s", fix);
    return false;
}

static bool has_param(const struct tile_call *c, const char *name)
{
    for (uint32_t i = 0; i < c->family->param_count; i++)
        if (strcmp(c->family->params[i].name, name) == 0)
            return true;
    return false;
}

bool tw_tile_check_policy(struct tile_call *c)
{
    const bool hint = isa_spelling_mod(&c->spelling, SLOT_CACHE_HINT) != MOD_NONE;
    if (!needs(c, "cache_policy", hint, ".L2::cache_hint in the opcode, which is what makes the instruction take a policy",
               "add .L2::cache_hint to the opcode, or drop the parameter"))
        return false;
    if (!hint || tw_tile_param(c, "cache_policy") != NULL)
        return true;
    struct diag *d = tw_diag(c->diags, E0406, c->tile->opcode_at, "%s needs the parameter 'cache_policy'", c->mnemonic);
    tw_diag_expected(d, "a 64-bit cache policy, as createpolicy makes it: .L2::cache_hint is in the opcode");
    tw_diag_fix(d, "add cache_policy=, or drop .L2::cache_hint from the opcode");
    return false;
}

static bool check_params(struct tile_call *c)
{
    const bool guarded = tw_tile_param(c, "pred") != NULL;
    if (has_param(c, "preserve_dst") && !needs(c, "preserve_dst", guarded, "pred=: without it the instruction is never skipped",
                                               "add pred=, or drop the parameter"))
        return false;
    return !has_param(c, "cache_policy") || tw_tile_check_policy(c);
}

static bool prepare(struct tile_call *c)
{
    struct thread_op *op = arena_new(c->arena, struct thread_op, 1);
    c->family_data = op;
    if (!is_covered(c) || !check_params(c))
        return false;
    c->symbol[TILE_WORDS] = vector_length(c);
    c->rows = op->rows;
    for (unsigned i = 0; i < c->spelling.form->operand_count; i++)
        if (is_tile_operand(&c->spelling.form->operands[i])) {
            assert(c->row_count < TILE_MAX_OPERANDS);
            add_row(c, op, i);
        }
    return true;
}

/* ---- instructions ---------------------------------------------------------------------------------- */

struct ir_expr *tw_tile_guard(struct tile_call *c, bool *never)
{
    const struct ir_arg *a = tw_tile_param(c, "pred");
    int64_t known;
    *never = false;
    if (a == NULL || a->kind == IR_ARG_NONE)
        return NULL;
    struct ir_expr *pred = tw_tile_value(c, a, tw_ir_bool(), 1);
    if (!tw_ir_is_const_int(pred, &known))
        return pred;
    *never = known == 0;
    return NULL;
}

struct ir_expr *tw_tile_policy(struct tile_call *c)
{
    const struct ir_arg *a = tw_tile_param(c, "cache_policy");
    return a == NULL || a->kind == IR_ARG_NONE ? NULL : tw_tile_value(c, a, tw_ir_uint64(), 0);
}

static void begin(struct tile_call *c)
{
    struct thread_op *op = op_of(c);
    op->pred = tw_tile_guard(c, &op->never);
    op->policy = has_param(c, "cache_policy") ? tw_tile_policy(c) : NULL;
    for (uint32_t i = 0; i < c->operand_count; i++)
        if (c->operand[i].scalar != NULL)
            c->operand[i].scalar = tw_tile_value(c, c->operand[i].arg, c->operand[i].scalar->type, 0);
}

/* What one repeat wrote, another does not overwrite. */
static bool fresh_slots(struct tile_call *c, uint32_t operand, const struct tile_place *p)
{
    struct thread_op *op = op_of(c);
    const struct tile_operand *o = &c->operand[operand];
    const int64_t capacity = o->storage->elems * o->storage->elem.bits / o->view->elem.bits;
    if (op->written == NULL)
        op->written = (uint8_t *)tw_arena_alloc(c->arena, (size_t)capacity, 1);
    for (uint32_t i = 0; i < p->reg_count; i++) {
        if (op->written[p->slot[i]] != 0) {
            struct diag *d = tw_tile_error(c, operand, E0416, ": slot %lld of '%s' is written by two repeats",
                                           (long long)p->slot[i], o->storage->name);
            tw_diag_expected(d, "distinct slots for everything that is written");
            tw_diag_found(d, "element (word=%u) of the later one, by layout %s", i, tw_layout_text(c->arena, o->layout));
            tw_diag_fix(d, "view '%s' with strides that keep the repeats apart, or without layout=", o->storage->name);
            return false;
        }
        op->written[p->slot[i]] = 1;
    }
    return true;
}

static void put_scalar(struct tile_call *c, struct ir_ptx_operand *to, uint32_t operand, bool braces)
{
    const struct tile_operand *o = &c->operand[operand];
    if (!braces) {
        tw_tile_put_value(c, to, o->scalar);
        return;
    }
    to->kind = IR_PTX_VECTOR;
    to->item_count = words_of(c, o->row);
    to->items = arena_new(c->k->arena, struct ir_ptx_operand, to->item_count);
    for (uint32_t i = 0; i < to->item_count; i++)
        tw_tile_put_value(c, &to->items[i], o->scalar);
}

static bool put_registers(struct tile_call *c, struct ir_ptx_operand *to, uint32_t operand)
{
    const struct thread_op *op = op_of(c);
    const struct tile_place *p = tw_tile_registers(c, operand);
    const bool written = c->operand[operand].row->role == TILE_DST;
    if (p == NULL || (written && !fresh_slots(c, operand, p)))
        return false;
    const bool keeps = written && has_param(c, "preserve_dst") && tw_tile_flag(c, "preserve_dst");
    const enum ir_ptx_operand_kind kind = keeps ? IR_PTX_UPDATE : written ? IR_PTX_RESULT : IR_PTX_VALUE;
    struct ir_type type = op->reg_type[operand].cls == IR_VOID ? p->reg_type : op->reg_type[operand];
    if (type.cls == IR_BOOL)
        type = tw_ir_type_of(NUM_U8); /* the byte that holds it, not a predicate */
    tw_tile_put_words(c, to, kind, operand, p, type, !op->braces[operand]);
    return true;
}

static bool put_operand(struct tile_call *c, struct ir_ptx_operand *to, uint32_t operand)
{
    const struct tile_operand *o = &c->operand[operand];
    if (o->scalar != NULL) {
        put_scalar(c, to, operand, op_of(c)->braces[operand]);
        return true;
    }
    if (!o->row->memory)
        return put_registers(c, to, operand);
    const uint32_t bytes = words_of(c, o->row) * o->view->elem.bits / 8;
    const struct tile_place *p = tw_tile_memory(c, operand, (struct tile_run){.axes = 1, .align_bytes = bytes});
    if (p != NULL)
        tw_tile_put_memory(c, to, operand, p);
    return p != NULL;
}

static bool issue(struct tile_call *c)
{
    const struct thread_op *op = op_of(c);
    const uint32_t count = c->operand_count + (op->policy != NULL);
    struct ir_ptx_operand *operands = arena_new(c->k->arena, struct ir_ptx_operand, count);
    for (uint32_t i = 0; i < c->operand_count; i++)
        if (!put_operand(c, &operands[i], i))
            return false;
    if (op->never)
        return true;
    if (op->policy != NULL)
        tw_tile_put_value(c, &operands[c->operand_count], op->policy);
    struct ir_ptx *x = tw_tile_instruction(c, count);
    x->operands = operands;
    x->pred = op->pred == NULL ? NULL : tw_ir_expr_copy(c->k, op->pred, NULL);
    return true;
}

/* ---- families ------------------------------------------------------------------------------------- */

#define PRED {.name = "pred", .type = TILE_PARAM_BOOL}
#define POLICY {.name = "cache_policy", .type = TILE_PARAM_INT}
#define PRESERVE {.name = "preserve_dst", .type = TILE_PARAM_FLAG}
static const struct tile_param_row load_params[] = {PRED, PRESERVE, POLICY};
static const struct tile_param_row store_params[] = {PRED, POLICY};
static const struct tile_param_row register_params[] = {PRED, PRESERVE};
#undef PRED
#undef POLICY
#undef PRESERVE

#define FAMILY(id, spelled, words, params_, memory)                                                                      \
    {                                                                                                                    \
        .op = OP_##id, .name = spelled, .what = words, .issuer = TILE_BY_THREAD, .memory_operands = memory,              \
        .params = params_, .param_count = sizeof params_ / sizeof params_[0], .prepare = prepare, .begin = begin,        \
        .issue = issue                                                                                                    \
    }
#define LOADS(id, spelled, words) FAMILY(id, spelled, words, load_params, 1u << 1)
#define STORES(id, spelled, words) FAMILY(id, spelled, words, store_params, 1u << 0)
#define REGISTERS(id, spelled, words) FAMILY(id, spelled, words, register_params, 0)
const struct tile_family tw_tile_thread_ops[] = {
    LOADS(LD, "ld", "memory to registers"),
    LOADS(LDU, "ldu", "read-only memory to registers, the same address in all lanes"),
    STORES(ST, "st", "registers to memory"),
    LOADS(ATOM, "atom", "read, change and write back memory as one; the old value to registers"),
    STORES(RED, "red", "read, change and write back memory as one"),
    REGISTERS(SHFL, "shfl.sync", "registers of other lanes"),
    REGISTERS(CVT, "cvt", "conversion"),
    REGISTERS(ADD, "add", "sum"),
    REGISTERS(SUB, "sub", "difference"),
    REGISTERS(MUL, "mul", "product"),
    REGISTERS(MAD, "mad", "product and sum"),
    REGISTERS(FMA, "fma", "product and sum with one rounding"),
    REGISTERS(MIN, "min", "minimum"),
    REGISTERS(MAX, "max", "maximum"),
    REGISTERS(NEG, "neg", "negation"),
    REGISTERS(ABS, "abs", "magnitude"),
    REGISTERS(RCP, "rcp", "reciprocal"),
    REGISTERS(SQRT, "sqrt", "square root"),
    REGISTERS(RSQRT, "rsqrt", "reciprocal of the square root"),
    REGISTERS(EX2, "ex2", "power of two"),
    REGISTERS(LG2, "lg2", "logarithm to base two"),
    REGISTERS(TANH, "tanh", "hyperbolic tangent"),
};
const uint32_t tw_tile_thread_op_count = sizeof tw_tile_thread_ops / sizeof tw_tile_thread_ops[0];
