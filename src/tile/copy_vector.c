/* The instructions of copies between registers, shared and global memory. */
#include "tile/copy.h"

#include "ir/ir_walk.h"

#include <assert.h>

/* ---- a thread's part ------------------------------------------------------------------------------ */

static struct ir_expr *number(const struct dispatch_call *c, int64_t value)
{
    return tw_ir_const_int(c->k, tw_ir_int32(), value, c->stmt->at);
}

static struct ir_expr *binary(const struct dispatch_call *c, enum ir_op op, struct ir_expr *a, struct ir_expr *b)
{
    return tw_ir_binary(c->k, op, a, b, c->stmt->at);
}

/* The thread's number among those that share the copy. */
static struct ir_expr *thread_number(const struct dispatch_call *c)
{
    const struct copy *f = copy_of(c);
    return binary(c, IR_SUB, tw_ir_coord(c->k, f->coord, c->stmt->at), number(c, f->first));
}

/* What the thread adds to every element, bound once; NULL where it adds nothing. */
static struct ir_var *thread_part(struct dispatch_call *c)
{
    const struct copy *f = copy_of(c);
    struct ir_expr *sum = NULL;
    for (uint32_t i = 0; i < f->term_count; i++) {
        struct ir_expr *t = thread_number(c);
        if (f->term[i].shift != 0)
            t = binary(c, IR_SHR, t, number(c, f->term[i].shift));
        if (f->term[i].mask >= 0)
            t = binary(c, IR_BITAND, t, number(c, f->term[i].mask));
        t = binary(c, IR_MUL, t, number(c, f->term[i].factor));
        sum = sum == NULL ? t : binary(c, IR_ADD, sum, t);
    }
    if (sum == NULL)
        return NULL;
    struct ir_stmt *define = tw_ir_stmt_new(c->k, c->out, IR_DEFINE, c->stmt->at);
    define->var = tw_ir_var_new(c->k, "part", tw_ir_int32(), c->stmt->at);
    define->var->definition = define;
    define->value = sum;
    return define->var;
}

static struct ir_expr *flat_element(struct dispatch_call *c, struct ir_var *part, int64_t index)
{
    struct ir_expr *base = number(c, copy_of(c)->base[index]);
    return part == NULL ? base : binary(c, IR_ADD, tw_ir_var_ref(c->k, part, c->stmt->at), base);
}

/* The guard of the last group, where some threads have nothing left. */
static struct ir_expr *guard(struct dispatch_call *c, int64_t index)
{
    const struct copy *f = copy_of(c);
    if (f->rest == f->threads || index + f->vec < f->count)
        return NULL;
    return binary(c, IR_LT, thread_number(c), number(c, f->rest));
}

/* ---- instructions --------------------------------------------------------------------------------- */

static struct ir_ptx *instruction(struct dispatch_call *c, const char *mnemonic, uint32_t operands, struct ir_expr *pred)
{
    struct ir_stmt *s = tw_ir_stmt_new(c->k, c->out, IR_PTX, c->stmt->at);
    s->ptx = arena_new(c->k->arena, struct ir_ptx, 1);
    s->ptx->mnemonic = mnemonic;
    s->ptx->pred = pred;
    s->ptx->operand_count = operands;
    s->ptx->operands = arena_new(c->k->arena, struct ir_ptx_operand, operands);
    return s->ptx;
}

static struct ir_ptx_operand address(struct dispatch_call *c, const struct copy_side *s, struct ir_var *part, int64_t index)
{
    struct ir_region *r = tw_copy_element(c, s, flat_element(c, part, index));
    return (struct ir_ptx_operand){.kind = IR_PTX_ADDRESS, .expr = tw_ir_address(c->k, r, s->arg->at), .at = s->arg->at};
}

/* How one access moves its bytes: in words of 32 bits, or of the element where that is wider or all is narrower. */
struct words {
    struct ir_type type;
    int64_t count, elems; /* in an access; elements of a word */
};

static struct words words_of(const struct copy *f)
{
    const int64_t bytes = f->vec * copy_elem_bytes(f), elem = copy_elem_bytes(f);
    const int64_t word = elem > 4 ? elem : bytes < 4 ? bytes : 4;
    static const enum num_format formats[] = {[1] = NUM_U8, [2] = NUM_U16, [4] = NUM_U32, [8] = NUM_U64};
    return (struct words){tw_ir_type_of(formats[word]), bytes / word, word / elem};
}

static const char *mnemonic(struct dispatch_call *c, const char *verb, enum ir_scope scope, const struct words *w)
{
    return w->count == 1
               ? tw_format(c->arena, "%s.%s.b%u", verb, tw_ir_scope_name(scope), w->type.bits)
               : tw_format(c->arena, "%s.%s.v%lld.b%u", verb, tw_ir_scope_name(scope), (long long)w->count, w->type.bits);
}

/* {registers}: of the side's own tensor, or of `buffer`, which every access uses again. */
static struct ir_ptx_operand registers(struct dispatch_call *c, const struct copy_side *s, const struct ir_storage *buffer,
                                       const struct words *w, int64_t index, enum ir_ptx_operand_kind kind)
{
    const struct copy *f = copy_of(c);
    struct ir_ptx_operand *items = arena_new(c->k->arena, struct ir_ptx_operand, (size_t)w->count);
    for (int64_t i = 0; i < w->count; i++) {
        struct ir_region *r = buffer != NULL ? tw_copy_register(c, buffer, w->type, i, w->type.bits)
                                             : tw_copy_register(c, s->storage, w->type, s->slots[index + i * w->elems],
                                                                (uint16_t)(8 * copy_elem_bytes(f)));
        items[i] = (struct ir_ptx_operand){.kind = kind, .expr = tw_ir_load(c->k, r, c->stmt->at), .at = c->stmt->at};
    }
    if (w->count == 1)
        return items[0];
    return (struct ir_ptx_operand){
        .kind = IR_PTX_VECTOR, .items = items, .item_count = (uint32_t)w->count, .at = c->stmt->at};
}

/* ---- copy: loads and stores ------------------------------------------------------------------------ */

static bool report(struct dispatch_call *c, const char *load, const char *store)
{
    const struct copy *f = copy_of(c);
    if (!tw_dispatch_first_time(c))
        return true;
    const char *who = f->threads == 1 ? "thread" : tw_format(c->arena, "of %lld threads", (long long)f->threads);
    struct diag *d = tw_diag(c->diags, E0442, c->op->opcode_at, "%s takes variant %s: %lld x %s%s%s in each %s", c->op->opcode,
                             c->chosen->name, (long long)(f->count / f->vec), load == NULL ? "" : load,
                             load == NULL || store == NULL ? "" : ", ", store == NULL ? "" : store, who);
    tw_diag_found(d, "%lld elements of %s, %lld bytes an access", (long long)f->elems,
                  tw_ir_type_name(f->side[COPY_DST].region->view->elem), (long long)(f->vec * copy_elem_bytes(f)));
    return true;
}

static bool too_many(struct dispatch_call *c)
{
    const struct copy *f = copy_of(c);
    if (f->count / f->vec <= TW_MAX_TILE_ISSUES / 16)
        return false;
    struct diag *d = tw_diag(c->diags, E0420, c->op->opcode_at, "this call would expand to more than %d accesses a thread",
                             TW_MAX_TILE_ISSUES / 16);
    tw_diag_fix(d, "share it among more threads, or put a loop around a smaller call");
    return true;
}

/* Registers to registers: one assignment an element. */
static bool lower_moves(struct dispatch_call *c)
{
    const struct copy *f = copy_of(c);
    const struct copy_side *d = &f->side[COPY_DST], *s = &f->side[COPY_SRC];
    for (int64_t i = 0; i < f->count; i++) {
        struct ir_stmt *store = tw_ir_stmt_new(c->k, c->out, IR_STORE, c->stmt->at);
        const uint16_t bits = d->region->view->elem.bits;
        store->region = tw_copy_register(c, d->storage, d->region->view->elem, d->slots[i], bits);
        store->value = tw_ir_load(c->k, tw_copy_register(c, s->storage, s->region->view->elem, s->slots[i], bits), c->stmt->at);
    }
    return report(c, "move", NULL);
}

static bool lower_vector(struct dispatch_call *c)
{
    struct copy *f = copy_of(c);
    const struct copy_side *d = &f->side[COPY_DST], *s = &f->side[COPY_SRC];
    const bool from_memory = s->storage->scope != IR_LOCAL, to_memory = d->storage->scope != IR_LOCAL;
    if (too_many(c))
        return false;
    if (!from_memory && !to_memory)
        return lower_moves(c);
    const struct words w = words_of(f);
    const char *load = from_memory ? mnemonic(c, "ld", s->storage->scope, &w) : NULL;
    const char *store = to_memory ? mnemonic(c, "st", d->storage->scope, &w) : NULL;
    const struct ir_storage *buffer = NULL;
    if (from_memory && to_memory)
        buffer = tw_ir_storage_new(c->k, "moved", IR_LOCAL, w.type, w.count, c->stmt->at);
    struct ir_var *part = thread_part(c);
    for (int64_t i = 0; i < f->count; i += f->vec) {
        if (load != NULL) {
            struct ir_ptx *x = instruction(c, load, 2, guard(c, i));
            x->operands[0] = registers(c, d, buffer, &w, i, IR_PTX_RESULT);
            x->operands[1] = address(c, s, part, i);
        }
        if (store != NULL) {
            struct ir_ptx *x = instruction(c, store, 2, guard(c, i));
            x->operands[0] = address(c, d, part, i);
            x->operands[1] = registers(c, s, buffer, &w, i, IR_PTX_VALUE);
        }
    }
    return report(c, load, store);
}

static void judge_keywords(struct dispatch_call *c)
{
    tw_copy_judge_keywords(c, "dispatch");
}

static void judge_width(struct dispatch_call *c)
{
    enum { MOST_BYTES = 16 };
    tw_copy_choose_width(c, MOST_BYTES);
}

static const struct dispatch_predicate vector_predicates[] = {
    {"keywords", 0, judge_keywords},
    {"operands", 0, tw_copy_judge_operands},
    {"shapes", 1u << 1, tw_copy_judge_shapes},
    {"threads", 1u << 1 | 1u << 2, tw_copy_judge_threads},
    {"width", 1u << 1 | 1u << 2 | 1u << 3, judge_width},
};

const struct dispatch_variant tw_dispatch_copy_vector = {
    .op = "copy", .name = "vector", .priority = 10, .facts_bytes = sizeof(struct copy), .when = vector_predicates,
    .when_count = sizeof vector_predicates / sizeof vector_predicates[0], .lower = lower_vector};

/* ---- copy_async: cp.async -------------------------------------------------------------------------- */

static void judge_async_keywords(struct dispatch_call *c)
{
    tw_copy_judge_keywords(c, "dispatch|vec_len");
}

static void judge_async_memories(struct dispatch_call *c)
{
    const struct copy *f = copy_of(c);
    if (f->side[COPY_DST].storage->scope != IR_SHARED || f->side[COPY_SRC].storage->scope != IR_GLOBAL)
        tw_dispatch_refuse(c, c->op->opcode_at, "it copies from global to shared memory, not from %s to %s",
                           tw_ir_scope_name(f->side[COPY_SRC].storage->scope), tw_ir_scope_name(f->side[COPY_DST].storage->scope));
}

/* SOURCE: PTX ISA, cp.async: cp-size 4, 8 or 16 bytes. */
static void judge_async_width(struct dispatch_call *c)
{
    enum { MOST_BYTES = 16, LEAST_BYTES = 4 };
    struct copy *f = copy_of(c);
    const struct ir_arg *asked = tw_dispatch_param(c, "vec_len");
    if (asked != NULL && asked->kind != IR_ARG_INT && asked->kind != IR_ARG_NONE) {
        tw_dispatch_refuse(c, asked->at, "'vec_len' is a number of elements");
        return;
    }
    const bool given = asked != NULL && asked->kind == IR_ARG_INT;
    tw_copy_choose_width(c, given ? asked->value * copy_elem_bytes(f) : MOST_BYTES);
    const int64_t bytes = f->vec * copy_elem_bytes(f);
    if (given && f->vec != asked->value)
        tw_dispatch_refuse(c, asked->at, "accesses of %lld elements are not possible here; %lld are", (long long)asked->value,
                           (long long)f->vec);
    else if (bytes < LEAST_BYTES || bytes > MOST_BYTES)
        tw_dispatch_refuse(c, c->op->opcode_at, "the widest possible access has %lld bytes; cp.async takes 4, 8 or 16",
                           (long long)bytes);
}

static bool lower_async(struct dispatch_call *c)
{
    struct copy *f = copy_of(c);
    const int64_t bytes = f->vec * copy_elem_bytes(f);
    const char *text = bytes == 16 ? "cp.async.cg.shared.global" : "cp.async.ca.shared.global";
    if (too_many(c))
        return false;
    struct ir_var *part = thread_part(c);
    for (int64_t i = 0; i < f->count; i += f->vec) {
        struct ir_ptx *x = instruction(c, text, 3, guard(c, i));
        x->operands[0] = address(c, &f->side[COPY_DST], part, i);
        x->operands[1] = address(c, &f->side[COPY_SRC], part, i);
        x->operands[2] = (struct ir_ptx_operand){.kind = IR_PTX_VALUE, .expr = number(c, bytes), .at = c->stmt->at};
    }
    return report(c, text, NULL);
}

static const struct dispatch_predicate async_predicates[] = {
    {"keywords", 0, judge_async_keywords},
    {"operands", 0, tw_copy_judge_operands},
    {"memories", 1u << 1, judge_async_memories},
    {"shapes", 1u << 1, tw_copy_judge_shapes},
    {"threads", 1u << 1 | 1u << 2 | 1u << 3, tw_copy_judge_threads},
    {"width", 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4, judge_async_width},
};

const struct dispatch_variant tw_dispatch_copy_ldgsts = {
    .op = "copy_async", .name = "ldgsts", .priority = 10, .facts_bytes = sizeof(struct copy), .when = async_predicates,
    .when_count = sizeof async_predicates / sizeof async_predicates[0], .lower = lower_async};
