/* Choosing a variant. The order of the table has no meaning: priority and name decide. */
#include "tile/dispatch.h"

#include <assert.h>
#include <string.h>

static const struct dispatch_variant *const all_variants[] = {
    &tw_dispatch_gemm_tcgen05, &tw_dispatch_copy_vector, &tw_dispatch_copy_ldgsts, &tw_dispatch_copy_tmem,
    &tw_dispatch_copy_tma_auto, &tw_dispatch_copy_tma_explicit, &tw_dispatch_cast_registers};
enum { VARIANT_COUNT = sizeof all_variants / sizeof all_variants[0] };

void tw_dispatch_refuse(struct dispatch_call *c, struct src_span at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const struct dispatch_refusal refusal = {c->predicate, at, tw_formatv(c->arena, format, args)};
    va_end(args);
    *vec_push(c->arena, &c->refusals) = refusal;
}

const struct ir_arg *tw_dispatch_param(const struct dispatch_call *c, const char *name)
{
    for (uint32_t i = 0; i < c->op->param_count; i++)
        if (strcmp(c->op->params[i].name, name) == 0)
            return &c->op->params[i];
    return NULL;
}

/* ---- threads ----------------------------------------------------------------------------------- */

bool tw_dispatch_decides(const struct dispatch_call *c, uint32_t thread)
{
    int64_t value;
    for (uint32_t i = 0; i < c->guards->stack.len; i++)
        if (!tw_tile_eval(c->k, c->guards->stack.at[i]->condition, thread, &value))
            return false;
    return true;
}

uint32_t tw_dispatch_threads(const struct dispatch_call *c)
{
    const uint8_t *active = tw_tile_active(c->guards);
    const uint32_t threads = tw_tile_block_threads(c->k);
    uint32_t count = 0;
    for (uint32_t t = 0; t < threads; t++) {
        if (!active[t])
            continue;
        if (!tw_dispatch_decides(c, t))
            return 0;
        count++;
    }
    return count;
}

/* ---- candidates -------------------------------------------------------------------------------- */

struct candidates {
    VEC(const struct dispatch_variant *) list;
};

static bool before(const struct dispatch_variant *a, const struct dispatch_variant *b)
{
    return a->priority != b->priority ? a->priority > b->priority : strcmp(a->name, b->name) < 0;
}

static void insert(struct dispatch_call *c, struct candidates *to, const struct dispatch_variant *v)
{
    *vec_push(c->arena, &to->list) = v;
    uint32_t i = to->list.len - 1;
    for (; i > 0 && before(v, to->list.at[i - 1]); i--)
        to->list.at[i] = to->list.at[i - 1];
    to->list.at[i] = v;
}

static void variants_of(struct dispatch_call *c, const struct dispatch_variant *const *variants, uint32_t count,
                        struct candidates *out)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(variants[i]->op, c->op->opcode) == 0)
            insert(c, out, variants[i]);
}

static const char *names_of(struct dispatch_call *c, const struct candidates *from)
{
    struct text t;
    tw_text_init(&t, c->arena);
    for (uint32_t i = 0; i < from->list.len; i++)
        tw_text_addf(&t, "%s\"%s\"", i == 0 ? "" : ", ", from->list.at[i]->name);
    return t.at;
}

static bool is_called(const struct dispatch_variant *v, const char *name)
{
    return strcmp(v->name, name) == 0 || (v->old_name != NULL && strcmp(v->old_name, name) == 0);
}

/* dispatch= leaves one candidate. False after a diagnostic. */
static bool restrict_to(struct dispatch_call *c, struct candidates *all)
{
    const struct ir_arg *name = tw_dispatch_param(c, "dispatch");
    if (name == NULL || name->kind == IR_ARG_NONE)
        return true;
    for (uint32_t i = 0; name->kind == IR_ARG_STR && i < all->list.len; i++)
        if (is_called(all->list.at[i], name->text)) {
            all->list.at[0] = all->list.at[i];
            all->list.len = 1;
            return true;
        }
    struct diag *d = tw_diag(c->diags, E0441, name->at, "%s has no variant of this name", c->op->opcode);
    tw_diag_expected(d, "%s", names_of(c, all));
    if (name->kind == IR_ARG_STR)
        tw_diag_found(d, "\"%s\"", name->text);
    return false;
}

/* ---- asking ------------------------------------------------------------------------------------ */

static bool takes(struct dispatch_call *c, const struct dispatch_variant *v)
{
    uint32_t failed = 0;
    c->facts = tw_arena_alloc(c->arena, 1, v->facts_bytes);
    c->refusals.len = 0;
    for (uint32_t i = 0; i < v->when_count; i++) {
        const struct dispatch_predicate *p = &v->when[i];
        const uint32_t refused = c->refusals.len;
        c->predicate = p->name;
        if ((p->after & failed) == 0)
            p->judge(c);
        if ((p->after & failed) != 0 || c->refusals.len != refused)
            failed |= 1u << i;
    }
    return failed == 0;
}

static void note_refusals(struct dispatch_call *c, const struct dispatch_variant *v, struct diag *d)
{
    for (uint32_t i = 0; i < c->refusals.len; i++) {
        const struct dispatch_refusal *r = &c->refusals.at[i];
        tw_diag_note(d, r->at, "%s, %s: %s", v->name, r->predicate, r->why);
    }
}

const struct dispatch_variant *tw_dispatch_choose(struct dispatch_call *c, const struct dispatch_variant *const *variants,
                                                  uint32_t count)
{
    struct candidates all = {0};
    variants_of(c, variants, count, &all);
    assert(all.list.len > 0); /* the language has no name of an operation without variants */
    if (!restrict_to(c, &all))
        return NULL;
    for (uint32_t i = 0; i < all.list.len; i++)
        if (takes(c, all.list.at[i]))
            return all.list.at[i];
    struct diag *d = tw_diag(c->diags, E0440, c->op->opcode_at, "no variant of %s takes this call", c->op->opcode);
    tw_diag_expected(d, "a call that one of these takes: %s", names_of(c, &all));
    for (uint32_t i = 0; i < all.list.len; i++) {
        const bool taken = takes(c, all.list.at[i]); /* asked again for its refusals */
        assert(!taken);
        (void)taken;
        note_refusals(c, all.list.at[i], d);
    }
    return NULL;
}

bool tw_dispatch_first_time(struct dispatch_call *c)
{
    const struct src_span at = c->stmt->at;
    for (uint32_t i = 0; i < c->shared->told.len; i++)
        if (c->shared->told.at[i].file == at.file && c->shared->told.at[i].begin == at.begin)
            return false;
    *vec_push(c->arena, &c->shared->told) = at;
    return true;
}

bool tw_dispatch_expand(struct dispatch_call *c)
{
    const struct dispatch_variant *v = tw_dispatch_choose(c, all_variants, VARIANT_COUNT);
    c->chosen = v;
    return v != NULL && v->lower(c);
}
