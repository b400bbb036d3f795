/* The variant "registers" of cast: every element of a register tensor converted into the same place of another. A
 * float becomes a narrower float by rounding to nearest even, and an integer by truncation; what converts how is what
 * T.cast does. SOURCE: kernel-language 2.3; kernel-language-tile 8.3. */
#include "tile/copy.h"

#include "ir/ir_walk.h"

static void judge_keywords(struct dispatch_call *c)
{
    tw_copy_judge_keywords(c, "dispatch");
}

static void judge_operands(struct dispatch_call *c)
{
    for (int o = 0; o < COPY_OPERANDS; o++) {
        const struct ir_arg *a = &c->op->operands[o];
        if (a->kind != IR_ARG_REGION || a->region->view->storage->scope != IR_LOCAL)
            tw_dispatch_refuse(c, a->at, "operand %s is not in registers", tw_copy_names[o]);
        else if (a->region->view->storage->memory_reason != NULL)
            tw_dispatch_refuse(c, a->region->view->storage->memory_reason->at,
                               "'%s' is indexed at run time here, so it is not in registers", a->region->view->storage->name);
        else if (a->region->view->elem.bits % 8 != 0)
            tw_dispatch_refuse(c, a->at, "operand %s has elements of %u bits", tw_copy_names[o], a->region->view->elem.bits);
        else
            copy_of(c)->side[o] = (struct copy_side){.arg = a, .region = a->region, .storage = a->region->view->storage,
                                                     .distributed = tw_copy_is_distributed(a->region->view->layout)};
    }
}

/* The places of the region's elements. False: a start is known at run time alone. */
static bool places(const struct copy_side *s, int64_t flat, int64_t at[AXIS_COUNT])
{
    const struct ir_region *r = s->region;
    struct shape shape = {.rank = r->view->rank};
    int64_t coord[TW_MAX_RANK];
    for (uint32_t d = r->view->rank; d-- > 0;) {
        shape.dim[d] = r->view->shape[d];
        coord[d] = flat % r->extent[d];
        flat /= r->extent[d];
        int64_t start = 0;
        if (r->start[d] != NULL && !tw_ir_is_const_int(r->start[d], &start))
            return false;
        coord[d] += start;
    }
    tw_layout_eval(r->view->layout, tw_shape_flat(&shape, coord), at);
    at[AXIS_M] += r->view->offset;
    return true;
}

static bool same_threads(const int64_t a[AXIS_COUNT], const int64_t b[AXIS_COUNT])
{
    for (int i = 0; i < AXIS_COUNT; i++)
        if (tw_axis_is_thread((enum axis)i) && a[i] != b[i])
            return false;
    return true;
}

/* Each register of the destination is named once: what a thread has of a distributed tensor, thread 0 has too. */
static void judge_places(struct dispatch_call *c)
{
    struct copy *f = copy_of(c);
    struct copy_side *d = &f->side[COPY_DST], *s = &f->side[COPY_SRC];
    int64_t to[AXIS_COUNT], from[AXIS_COUNT], owner[AXIS_COUNT];
    f->elems = 1;
    for (uint32_t i = 0; i < d->region->view->rank; i++)
        f->elems *= d->region->extent[i];
    int64_t others = 1;
    for (uint32_t i = 0; i < s->region->view->rank; i++)
        others *= s->region->extent[i];
    if (others != f->elems) {
        tw_dispatch_refuse(c, s->arg->at, "operand src has %lld elements, and operand dst %lld", (long long)others,
                           (long long)f->elems);
        return;
    }
    d->slots = arena_new(c->arena, int64_t, (size_t)f->elems);
    s->slots = arena_new(c->arena, int64_t, (size_t)f->elems);
    for (int64_t i = 0; i < f->elems; i++) {
        if (!places(d, i, to) || !places(s, i, from)) {
            tw_dispatch_refuse(c, c->op->opcode_at, "a region of registers starts at a run-time index");
            return;
        }
        if (!same_threads(to, from)) {
            tw_dispatch_refuse(c, s->arg->at, "element %lld of dst and of src are in different threads", (long long)i);
            return;
        }
        for (int a = 0; i == 0 && a < AXIS_COUNT; a++)
            owner[a] = to[a];
        if (!same_threads(to, owner))
            continue;
        d->slots[f->count] = to[AXIS_M];
        s->slots[f->count++] = from[AXIS_M];
    }
}

static bool lower(struct dispatch_call *c)
{
    const struct copy *f = copy_of(c);
    const struct copy_side *d = &f->side[COPY_DST], *s = &f->side[COPY_SRC];
    const struct ir_type to = d->region->view->elem, from = s->region->view->elem;
    for (int64_t i = 0; i < f->count; i++) {
        struct ir_stmt *store = tw_ir_stmt_new(c->k, c->out, IR_STORE, c->stmt->at);
        struct ir_region *r = tw_copy_register(c, s->storage, from, s->slots[i], from.bits);
        store->region = tw_copy_register(c, d->storage, to, d->slots[i], to.bits);
        store->value = tw_ir_cast(c->k, to, tw_ir_load(c->k, r, c->stmt->at), c->stmt->at);
    }
    if (tw_dispatch_first_time(c))
        tw_diag(c->diags, E0442, c->op->opcode_at, "%s takes variant %s: %lld x %s to %s in each thread", c->op->opcode,
                c->chosen->name, (long long)f->count, tw_ir_type_name(from), tw_ir_type_name(to));
    return true;
}

static const struct dispatch_predicate predicates[] = {
    {"keywords", 0, judge_keywords},
    {"operands", 0, judge_operands},
    {"places", 1u << 1, judge_places},
};

const struct dispatch_variant tw_dispatch_cast_registers = {
    .op = "cast", .name = "registers", .priority = 10, .facts_bytes = sizeof(struct copy), .when = predicates,
    .when_count = sizeof predicates / sizeof predicates[0], .lower = lower};
