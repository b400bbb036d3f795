/* The readable form of IR: what `--emit ir` and `--emit ir-lowered` show. Deterministic: names come from the
 * program; a name used again, and every view, carries a number in order of appearance. */
#include "ir/ir.h"

#include "ir/ir_names.h"
#include "ir/ir_walk.h"
#include "num/decimal.h"

#include <assert.h>

struct printer {
    const struct ir_kernel *k;
    struct text *out;
    const char **var_labels;     /* by variable id */
    const char **storage_labels; /* by storage id */
    VEC(const struct ir_view *) views;
};

/* The name, or name.id where an earlier thing has it. */
static const char *label(struct arena *arena, struct strmap *seen, const char *name, uint32_t id)
{
    if (name == NULL)
        return tw_format(arena, "v%u", id);
    if (tw_strmap_get(seen, tw_str(name)) != NULL)
        return tw_format(arena, "%s.%u", name, id);
    tw_strmap_put(seen, tw_str(name), id);
    return name;
}

static void make_labels(struct printer *p)
{
    struct arena *arena = p->out->arena;
    struct strmap seen;
    tw_strmap_init(&seen, arena);
    p->storage_labels = (const char **)tw_arena_alloc(arena, p->k->storages.len + 1u, sizeof(char *));
    for (uint32_t i = 0; i < p->k->storages.len; i++)
        p->storage_labels[i] = label(arena, &seen, p->k->storages.at[i]->name, i);
    p->var_labels = (const char **)tw_arena_alloc(arena, p->k->vars.len + 1u, sizeof(char *));
    for (uint32_t i = 0; i < p->k->vars.len; i++)
        p->var_labels[i] = label(arena, &seen, p->k->vars.at[i]->name, i);
}

static uint32_t view_number(const struct printer *p, const struct ir_view *v)
{
    uint32_t i = 0;
    while (i < p->views.len && p->views.at[i] != v)
        i++;
    return i;
}

static void note_view(struct printer *p, const struct ir_view *v)
{
    if (v != NULL && view_number(p, v) == p->views.len)
        *vec_push(p->out->arena, &p->views) = v;
}

static void note_region(void *context, struct ir_region **place)
{
    note_view(context, (*place)->view);
}

static void note_block(struct printer *p, const struct ir_block *b)
{
    for (uint32_t i = 0; i < b->list.len; i++) {
        tw_ir_stmt_regions(b->list.at[i], note_region, p);
        note_block(p, &b->list.at[i]->body);
        note_block(p, &b->list.at[i]->orelse);
    }
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void print_expr(struct printer *p, const struct ir_expr *e);

static void print_const(struct printer *p, const struct ir_expr *e)
{
    const struct ir_type t = e->type;
    if (t.cls == IR_BOOL) {
        tw_text_add(p->out, e->bits ? "true" : "false");
    } else if (t.cls == IR_SINT && t.bits == 32) {
        tw_text_addf(p->out, "%lld", (long long)e->bits);
    } else if (t.cls == IR_POINTER) {
        tw_text_addf(p->out, "handle(0x%llx)", (unsigned long long)e->bits);
    } else {
        tw_text_addf(p->out, "%s(", tw_ir_type_name(t));
        tw_num_print_decimal(p->out, t.format, e->bits);
        tw_text_put(p->out, ')');
    }
}

static void print_region(struct printer *p, const struct ir_region *r)
{
    const struct ir_view *v = r->view;
    tw_text_addf(p->out, "%s#%u[", p->storage_labels[v->storage->id], view_number(p, v));
    for (uint32_t d = 0; d < v->rank; d++) {
        tw_text_add(p->out, d == 0 ? "" : ", ");
        if (r->extent[d] == v->shape[d] && r->start[d] == NULL && v->shape[d] != 1) {
            tw_text_put(p->out, ':');
            continue;
        }
        if (r->start[d] == NULL)
            tw_text_put(p->out, '0');
        else
            print_expr(p, r->start[d]);
        if (r->extent[d] != 1)
            tw_text_addf(p->out, " +: %lld", (long long)r->extent[d]);
    }
    tw_text_put(p->out, ']');
}

static void print_call(struct printer *p, const struct ir_expr *e)
{
    const struct ir_op_row *row = tw_ir_op_row(e->op);
    if (e->op == IR_CAST || e->op == IR_REINTERPRET)
        tw_text_addf(p->out, "%s<%s>(", row->name, tw_ir_type_name(e->type));
    else
        tw_text_addf(p->out, "%s(", row->name);
    for (unsigned i = 0; i < row->arity; i++) {
        tw_text_add(p->out, i == 0 ? "" : ", ");
        print_expr(p, e->args[i]);
    }
    tw_text_put(p->out, ')');
}

static void print_leaf(struct printer *p, const struct ir_expr *e)
{
    if (e->op == IR_CONST) {
        print_const(p, e);
    } else if (e->op == IR_VAR) {
        tw_text_add(p->out, p->var_labels[e->var->id]);
    } else if (e->op == IR_COORD) {
        tw_text_add(p->out, tw_ir_coord_name(e->coord));
    } else if (e->op == IR_SLOT) {
        tw_text_addf(p->out, "%s{%llu}", p->storage_labels[e->storage->id], (unsigned long long)e->bits);
    } else {
        tw_text_add(p->out, e->op == IR_ADDRESS ? "&" : "");
        print_region(p, e->region);
    }
}

static void print_expr(struct printer *p, const struct ir_expr *e)
{
    const struct ir_op_row *row = tw_ir_op_row(e->op);
    if (row->arity == 0) {
        print_leaf(p, e);
    } else if (row->infix != NULL) {
        tw_text_put(p->out, '(');
        print_expr(p, e->args[0]);
        tw_text_addf(p->out, " %s ", row->infix);
        print_expr(p, e->args[1]);
        tw_text_put(p->out, ')');
    } else {
        print_call(p, e);
    }
}

/* ---- operands -------------------------------------------------------------------------------- */

static void print_arg(struct printer *p, const struct ir_arg *a)
{
    if (a->kind == IR_ARG_REGION) {
        print_region(p, a->region);
    } else if (a->kind == IR_ARG_EXPR) {
        print_expr(p, a->expr);
    } else if (a->kind == IR_ARG_INT) {
        tw_text_addf(p->out, "%lld", (long long)a->value);
    } else if (a->kind == IR_ARG_BOOL) {
        tw_text_add(p->out, a->value ? "True" : "False");
    } else if (a->kind == IR_ARG_STR) {
        tw_text_addf(p->out, "\"%s\"", a->text);
    } else if (a->kind == IR_ARG_NONE) {
        tw_text_add(p->out, "None");
    } else {
        tw_text_put(p->out, '(');
        for (uint32_t i = 0; i < a->item_count; i++) {
            tw_text_add(p->out, i == 0 ? "" : ", ");
            print_arg(p, &a->items[i]);
        }
        tw_text_put(p->out, ')');
    }
}

static void print_operand(struct printer *p, const struct ir_ptx_operand *o)
{
    if (o->kind == IR_PTX_SINK) {
        tw_text_put(p->out, '_');
    } else if (o->kind == IR_PTX_VECTOR) {
        tw_text_put(p->out, '{');
        for (uint32_t i = 0; i < o->item_count; i++) {
            tw_text_add(p->out, i == 0 ? "" : ", ");
            print_operand(p, &o->items[i]);
        }
        tw_text_put(p->out, '}');
    } else if (o->kind == IR_PTX_ADDRESS || o->kind == IR_PTX_TENSOR) {
        tw_text_put(p->out, '[');
        print_expr(p, o->expr);
        if (o->offset_bytes != 0)
            tw_text_addf(p->out, " + %lld", (long long)o->offset_bytes);
        for (uint32_t i = 0; i < o->item_count; i++) {
            tw_text_add(p->out, i == 0 ? ", {" : ", ");
            print_operand(p, &o->items[i]);
        }
        tw_text_add(p->out, o->kind == IR_PTX_TENSOR ? "}]" : "]");
    } else {
        print_expr(p, o->expr);
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static void print_block(struct printer *p, const struct ir_block *b, unsigned depth);

static void indent(struct printer *p, unsigned depth)
{
    tw_text_pad(p->out, ' ', 2u * depth);
}

static void print_args(struct printer *p, const struct ir_arg *args, uint32_t count, unsigned depth)
{
    for (uint32_t i = 0; i < count; i++) {
        indent(p, depth);
        if (args[i].name != NULL)
            tw_text_addf(p->out, "%s = ", args[i].name);
        print_arg(p, &args[i]);
        tw_text_put(p->out, '\n');
    }
}

static void print_tile(struct printer *p, const char *word, const struct ir_tile *t, unsigned depth)
{
    tw_text_addf(p->out, "%s %s scope %s\n", word, t->opcode, tw_ir_exec_scope_name(t->scope));
    print_args(p, t->operands, t->operand_count, depth + 2);
    print_args(p, t->params, t->param_count, depth + 2);
}

static void print_ptx(struct printer *p, const struct ir_ptx *x)
{
    if (x->pred != NULL) {
        tw_text_put(p->out, '@');
        print_expr(p, x->pred);
        tw_text_put(p->out, ' ');
    }
    tw_text_addf(p->out, "ptx %s", x->mnemonic);
    for (uint32_t i = 0; i < x->operand_count; i++) {
        tw_text_add(p->out, i == 0 ? " " : ", ");
        print_operand(p, &x->operands[i]);
    }
    tw_text_put(p->out, '\n');
}

static void print_for(struct printer *p, const struct ir_stmt *s, unsigned depth)
{
    static const char *const unroll[] = {"", " unroll", " unroll", " no-unroll"};
    tw_text_addf(p->out, "for %s in ", p->var_labels[s->var->id]);
    print_expr(p, s->begin);
    tw_text_add(p->out, " .. ");
    print_expr(p, s->end);
    if (s->step != NULL) {
        tw_text_add(p->out, " step ");
        print_expr(p, s->step);
    }
    tw_text_add(p->out, unroll[s->unroll]);
    if (s->unroll == IR_UNROLL_HINT)
        tw_text_addf(p->out, " %lld", (long long)s->unroll_factor);
    tw_text_put(p->out, '\n');
    print_block(p, &s->body, depth + 1);
}

/* "word value" and the end of the line; either may be absent. */
static void print_line(struct printer *p, const char *word, const struct ir_expr *value)
{
    tw_text_add(p->out, word);
    if (value != NULL) {
        tw_text_put(p->out, ' ');
        print_expr(p, value);
    }
    tw_text_put(p->out, '\n');
}

static void print_define(struct printer *p, const struct ir_stmt *s)
{
    tw_text_addf(p->out, "%s: %s", p->var_labels[s->var->id], tw_ir_type_name(s->var->type));
    print_line(p, s->value == NULL ? "" : " =", s->value);
}

static void print_if(struct printer *p, const struct ir_stmt *s, unsigned depth)
{
    print_line(p, "if", s->value);
    print_block(p, &s->body, depth + 1);
    if (s->orelse.list.len == 0)
        return;
    indent(p, depth);
    tw_text_add(p->out, "else\n");
    print_block(p, &s->orelse, depth + 1);
}

static void print_cuda(struct printer *p, const struct ir_stmt *s)
{
    tw_text_addf(p->out, "cuda %s", tw_ir_cuda_name(s->cuda));
    for (unsigned i = 0; i < tw_ir_cuda_arity(s->cuda); i++) {
        tw_text_add(p->out, i == 0 ? " " : ", ");
        print_expr(p, s->args[i]);
    }
    tw_text_put(p->out, '\n');
}

static void print_stmt(struct printer *p, const struct ir_stmt *s, unsigned depth)
{
    indent(p, depth);
    switch (s->op) {
    case IR_DEFINE: print_define(p, s); break;
    case IR_ASSIGN:
        tw_text_add(p->out, p->var_labels[s->var->id]);
        print_line(p, " =", s->value);
        break;
    case IR_STORE:
        print_region(p, s->region);
        print_line(p, " =", s->value);
        break;
    case IR_FOR: print_for(p, s, depth); break;
    case IR_WHILE:
        print_line(p, "while", s->value);
        print_block(p, &s->body, depth + 1);
        break;
    case IR_IF: print_if(p, s, depth); break;
    case IR_BREAK: print_line(p, "break", NULL); break;
    case IR_CONTINUE: print_line(p, "continue", NULL); break;
    case IR_RETURN: print_line(p, "return", s->value); break;
    case IR_ASSERT: print_line(p, "assert", s->value); break;
    case IR_TILE:
        print_tile(p, "tile", s->tile, depth);
        print_block(p, &s->body, depth + 1);
        break;
    case IR_DISPATCH: print_tile(p, "dispatch", s->tile, depth); break;
    case IR_PTX: print_ptx(p, s->ptx); break;
    case IR_CUDA: print_cuda(p, s); break;
    case IR_STMT_OP_COUNT: assert(false); break;
    }
}

static void print_block(struct printer *p, const struct ir_block *b, unsigned depth)
{
    for (uint32_t i = 0; i < b->list.len; i++)
        print_stmt(p, b->list.at[i], depth);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void print_dims(struct printer *p, const char *what, const int64_t dims[3])
{
    tw_text_addf(p->out, " %s (%lld, %lld, %lld)", what, (long long)(dims[0] > 0 ? dims[0] : 1),
                 (long long)(dims[1] > 0 ? dims[1] : 1), (long long)(dims[2] > 0 ? dims[2] : 1));
}

static void print_storage(struct printer *p, const struct ir_storage *s)
{
    tw_text_addf(p->out, "  %s %s: %s", tw_ir_scope_name(s->scope), p->storage_labels[s->id], tw_ir_type_name(s->elem));
    if (s->elems >= 0)
        tw_text_addf(p->out, " x %lld", (long long)s->elems);
    if (s->scope != IR_TMEM && s->scope != IR_LOCAL)
        tw_text_addf(p->out, ", align %u", s->align_bytes);
    if (s->in_arena)
        tw_text_addf(p->out, ", byte %lld of the arena", (long long)s->arena_offset);
    if (s->param >= 0)
        tw_text_addf(p->out, ", parameter %d", s->param);
    if (s->base != NULL) {
        tw_text_add(p->out, " at ");
        print_expr(p, s->base);
    }
    tw_text_put(p->out, '\n');
}

static void print_view(struct printer *p, const struct ir_view *v)
{
    struct shape shape = {.rank = v->rank};
    for (uint32_t d = 0; d < v->rank; d++)
        shape.dim[d] = v->shape[d];
    tw_text_addf(p->out, "  view %s#%u: %s ", p->storage_labels[v->storage->id], view_number(p, v), tw_ir_type_name(v->elem));
    tw_shape_print(&shape, p->out);
    tw_text_put(p->out, ' ');
    tw_layout_print(v->layout, p->out);
    if (v->offset != 0)
        tw_text_addf(p->out, " from element %lld", (long long)v->offset);
    tw_text_put(p->out, '\n');
}

static void print_map(struct printer *p, const struct ir_param *param, uint32_t index)
{
    const struct ir_map *m = param->map;
    tw_text_addf(p->out, "  tensor map %s: parameter %u", p->var_labels[param->scalar->id], index);
    if (m->tensor != NULL)
        tw_text_addf(p->out, ", of %s, %s", m->tensor->name, tw_tensor_map_type(m->map.type)->name);
    for (uint32_t d = 0; m->tensor != NULL && m->map.mode == TMAP_TILE && d < m->map.rank; d++)
        tw_text_addf(p->out, d == 0 ? ", box %u" : " x %u", m->map.box[m->map.rank - 1 - d]);
    if (m->tensor != NULL)
        tw_text_addf(p->out, ", swizzle %s", tw_tensor_map_swizzle(m->map.swizzle)->name);
    tw_text_put(p->out, '\n');
}

static void print_head(struct printer *p)
{
    const struct ir_kernel *k = p->k;
    tw_text_addf(p->out, "kernel %s%s\n  launch", k->name, k->is_lowered ? " (lowered)" : "");
    print_dims(p, "grid", k->launch.grid);
    print_dims(p, "block", k->launch.block);
    if (k->launch.has_cluster)
        print_dims(p, "cluster", k->launch.cluster);
    if (k->launch.dynamic_shared_bytes != 0)
        tw_text_addf(p->out, " dynamic shared %lld bytes", (long long)k->launch.dynamic_shared_bytes);
    if (k->launch.min_blocks != 0)
        tw_text_addf(p->out, " min blocks per SM %lld", (long long)k->launch.min_blocks);
    if (k->arena_bytes != 0)
        tw_text_addf(p->out, " arena %lld bytes", (long long)k->arena_bytes);
    tw_text_put(p->out, '\n');
    for (uint32_t i = 0; i < k->params.len; i++)
        if (k->params.at[i].map != NULL)
            print_map(p, &k->params.at[i], i);
        else if (k->params.at[i].scalar != NULL)
            tw_text_addf(p->out, "  scalar %s: %s, parameter %u\n", p->var_labels[k->params.at[i].scalar->id],
                         tw_ir_type_name(k->params.at[i].scalar->type), i);
    for (uint32_t i = 0; i < k->storages.len; i++)
        print_storage(p, k->storages.at[i]);
}

void tw_ir_print(const struct ir_kernel *k, struct text *out)
{
    struct printer p = {.k = k, .out = out};
    make_labels(&p);
    for (uint32_t i = 0; i < k->params.len; i++)
        note_view(&p, k->params.at[i].view);
    note_block(&p, &k->body);
    print_head(&p);
    for (uint32_t i = 0; i < p.views.len; i++)
        print_view(&p, p.views.at[i]);
    print_block(&p, &k->body, 1);
}
