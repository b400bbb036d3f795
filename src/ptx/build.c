#include "ptx/build.h"

#include "base/bits.h"
#include "base/text.h"
#include "ptx/bind.h"
#include "ptx/ptx.h"

#include <string.h>

void tw_ptx_build_begin(struct ptx_build *b, struct arena *arena, const struct isa *isa, struct diags *diags,
                        unsigned ptx_version, const char *target)
{
    *b = (struct ptx_build){.arena = arena, .isa = isa, .diags = diags, .func = PTX_NONE, .guard = PTX_NONE};
    b->module = arena_new(arena, struct ptx_module, 1);
    *b->module = (struct ptx_module){.arena = arena, .isa = isa, .address_size = 64, .env = {.ptx = ptx_version}};
    b->cache = arena_new(arena, struct ptx_spellings, 1);
    tw_ptx_spellings_init(b->cache, arena);
    if (tw_isa_target_parse(tw_str(target), &b->module->env.target))
        return;
    struct diag *d = tw_diag(diags, E0518, b->at, "unknown target '%s'", target);
    tw_diag_expected(d, "a target such as sm_80, sm_90a or sm_100a");
}

struct ptx_module *tw_ptx_build_end(struct ptx_build *b)
{
    assert(b->func == PTX_NONE && "the last function is still open");
    tw_ptx_verify(b->module, b->diags);
    return b->module;
}

static void add_item(struct ptx_build *b, enum ptx_item_kind kind, uint32_t index)
{
    *vec_push(b->arena, &b->module->items) = (struct ptx_item){(uint8_t)kind, index};
}

static struct ptx_func *open_func(struct ptx_build *b, const char *name, enum ptx_linkage linkage, bool is_entry)
{
    assert(b->func == PTX_NONE && "functions do not nest");
    b->func = b->module->funcs.len;
    b->loc = 0;
    b->guard = PTX_NONE;
    memset(b->next_number, 0, sizeof b->next_number);
    tw_strmap_init(&b->label_names, b->arena);
    add_item(b, ITEM_FUNC, b->func);
    struct ptx_func *f = vec_push(b->arena, &b->module->funcs);
    *f = (struct ptx_func){.name = tw_arena_copy(b->arena, name, strlen(name)), .is_entry = is_entry,
                           .linkage = (uint8_t)linkage, .at = b->at, .file = b->at.file};
    return f;
}

struct ptx_func *tw_ptx_build_entry(struct ptx_build *b, const char *name)
{
    return open_func(b, name, LINK_VISIBLE, true);
}

struct ptx_func *tw_ptx_build_func(struct ptx_build *b, const char *name, enum ptx_linkage linkage)
{
    return open_func(b, name, linkage, false);
}

/* Register names by type: one prefix a size and class, as compilers write them. */
enum { PREFIX_COUNT = 8 };
static const char *const prefixes[PREFIX_COUNT] = {"%p", "%b", "%rs", "%r", "%f", "%rd", "%fd", "%rq"};

static unsigned prefix_of(unsigned type)
{
    const struct isa_mod_row *row = isa_mod_row(type);
    if (row->type_class == TYPE_PRED)
        return 0;
    if (type == MOD_F32)
        return 4;
    if (type == MOD_F64)
        return 6;
    return row->bits <= 8 ? 1 : row->bits == 16 ? 2 : row->bits == 32 ? 3 : row->bits == 64 ? 5 : 7;
}

/* One declaration a prefix and type; registers of one prefix but several types are declared singly. */
static bool uniform(const struct ptx_func *f, unsigned prefix, uint16_t *type)
{
    bool first = true;
    for (uint32_t i = 0; i < f->regs.len; i++) {
        if (f->regs.at[i].number == PTX_NONE || prefix_of(f->regs.at[i].type) != prefix)
            continue;
        if (!first && f->regs.at[i].type != *type)
            return false;
        *type = f->regs.at[i].type;
        first = false;
    }
    return !first;
}

/* Declared registers must stand in the order of their declarations, as the parser numbers them. */
struct renumbering {
    struct ptx_func *f;
    uint32_t *to; /* old index -> new */
    struct ptx_reg *regs;
    uint32_t count;
};

static void declare_prefix(struct ptx_build *b, struct renumbering *r, unsigned prefix)
{
    uint16_t type = MOD_NONE;
    bool range = uniform(r->f, prefix, &type);
    uint32_t first = r->count;
    for (uint32_t i = 0; i < r->f->regs.len; i++) {
        struct ptx_reg reg = r->f->regs.at[i];
        if (reg.number == PTX_NONE || prefix_of(reg.type) != prefix)
            continue;
        if (!range) {
            reg.name = tw_ptx_reg_name(&reg, b->arena);
            reg.number = PTX_NONE;
            *vec_push(b->arena, &r->f->reg_decls) = (struct ptx_reg_decl){.type = reg.type, .vec = 1, .first = r->count, .count = 1};
        }
        r->to[i] = r->count;
        r->regs[r->count++] = reg;
    }
    if (range)
        *vec_push(b->arena, &r->f->reg_decls) =
            (struct ptx_reg_decl){.type = type, .vec = 1, .range = true, .first = first, .count = r->count - first};
}

static void renumber_uses(const struct renumbering *r)
{
    for (uint32_t i = 0; i < r->f->pool.len; i++) {
        struct ptx_operand *o = &r->f->pool.at[i];
        bool uses = o->kind == OPERAND_REG || ((o->kind == OPERAND_ADDRESS || o->kind == OPERAND_SYMBOL) && o->base == BASE_REG);
        if (uses)
            o->index = r->to[o->index];
    }
    for (uint32_t i = 0; i < r->f->insts.len; i++)
        if (r->f->insts.at[i].guard != PTX_NONE)
            r->f->insts.at[i].guard = r->to[r->f->insts.at[i].guard];
}

/* Puts .reg statements, then the variables, before everything else. */
static void declare_all(struct ptx_build *b, struct ptx_func *f)
{
    struct renumbering r = {.f = f, .to = arena_new(b->arena, uint32_t, f->regs.len + 1u),
                            .regs = arena_new(b->arena, struct ptx_reg, f->regs.len + 1u)};
    for (uint32_t i = 0; i < f->regs.len; i++) /* parameters in registers keep their places in front */
        if (f->regs.at[i].number == PTX_NONE) {
            r.to[i] = r.count;
            r.regs[r.count++] = f->regs.at[i];
        }
    for (unsigned prefix = 0; prefix < PREFIX_COUNT; prefix++)
        declare_prefix(b, &r, prefix);
    renumber_uses(&r);
    f->regs.at = r.regs;
    f->regs.cap = f->regs.len + 1;
    uint32_t before = f->stmts.len;
    struct ptx_stmt *old = f->stmts.at;
    f->stmts.at = NULL;
    f->stmts.len = f->stmts.cap = 0;
    for (uint32_t i = 0; i < f->reg_decls.len; i++)
        *vec_push(b->arena, &f->stmts) = (struct ptx_stmt){STMT_REGS, i};
    for (uint32_t i = 0; i < before; i++)
        *vec_push(b->arena, &f->stmts) = old[i];
}

/* Labels are numbered as they stand in the text, whatever the order in which they were made. */
static void renumber_labels(struct ptx_build *b, struct ptx_func *f)
{
    uint32_t *to = arena_new(b->arena, uint32_t, f->labels.len + 1u), count = 0;
    struct ptx_label *labels = arena_new(b->arena, struct ptx_label, f->labels.len + 1u);
    for (uint32_t i = 0; i < f->stmts.len; i++)
        if (f->stmts.at[i].kind == STMT_LABEL) {
            to[f->stmts.at[i].index] = count;
            labels[count] = f->labels.at[f->stmts.at[i].index];
            f->stmts.at[i].index = count++;
        }
    assert(count == f->labels.len && "every label that was made is placed");
    for (uint32_t i = 0; i < f->pool.len; i++)
        if (f->pool.at[i].kind == OPERAND_LABEL)
            f->pool.at[i].index = to[f->pool.at[i].index];
    f->labels.at = labels;
    f->labels.cap = count + 1;
}

static void lay_out_params(struct ptx_func *f)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < f->param_count; i++) {
        at = align_up(at, f->vars.at[i].align);
        f->vars.at[i].offset = at;
        at += f->vars.at[i].bytes;
    }
    f->param_bytes = at;
}

void tw_ptx_build_end_func(struct ptx_build *b)
{
    struct ptx_func *f = tw_ptx_build_current(b);
    f->has_body = true;
    lay_out_params(f);
    renumber_labels(b, f);
    declare_all(b, f);
    b->func = PTX_NONE;
}

void tw_ptx_build_end_prototype(struct ptx_build *b)
{
    lay_out_params(tw_ptx_build_current(b));
    b->func = PTX_NONE;
}

static struct ptx_var make_var(struct ptx_build *b, enum isa_mod space, const char *name, enum isa_mod type,
                               uint64_t count, uint32_t align)
{
    struct ptx_var v = {.name = tw_arena_copy(b->arena, name, strlen(name)), .space = (uint16_t)space,
                        .type = (uint16_t)type, .vec = 1, .reg = PTX_NONE, .at = b->at};
    v.align_written = align != 0;
    v.align = align != 0 ? align : isa_type_bits(type) / 8;
    if (count != 1 || align != 0) {
        v.dim_count = 1;
        v.dims[0] = count;
    }
    v.bytes = isa_type_bits(type) / 8 * count;
    return v;
}

static struct ptx_operand add_param(struct ptx_build *b, const struct ptx_var *v, uint32_t at)
{
    struct ptx_func *f = tw_ptx_build_current(b);
    assert(at == f->vars.len && "results follow the parameters, and variables both");
    *vec_push(b->arena, &f->vars) = *v;
    return (struct ptx_operand){.kind = OPERAND_SYMBOL, .base = BASE_VAR, .index = at};
}

struct ptx_operand tw_ptx_build_param(struct ptx_build *b, const char *name, enum isa_mod type, uint64_t count,
                                      uint32_t align)
{
    struct ptx_var v = make_var(b, MOD_PARAM, name, type, count, align);
    return add_param(b, &v, tw_ptx_build_current(b)->param_count++);
}

struct ptx_operand tw_ptx_build_ret(struct ptx_build *b, const char *name, enum isa_mod type, uint64_t count,
                                    uint32_t align)
{
    struct ptx_func *f = tw_ptx_build_current(b);
    struct ptx_var v = make_var(b, MOD_PARAM, name, type, count, align);
    return add_param(b, &v, f->param_count + f->ret_count++);
}

void tw_ptx_build_param_ptr(struct ptx_build *b, enum isa_mod space, uint32_t align)
{
    struct ptx_func *f = tw_ptx_build_current(b);
    assert(f->param_count > 0);
    struct ptx_var *v = &f->vars.at[f->param_count - 1];
    v->is_ptr = true;
    v->ptr_space = (uint16_t)space;
    v->ptr_align = align;
}

struct ptx_operand tw_ptx_build_var(struct ptx_build *b, enum isa_mod space, const char *name, enum isa_mod type,
                                    uint64_t count, uint32_t align)
{
    struct ptx_func *f = tw_ptx_build_current(b);
    uint32_t index = f->vars.len;
    *vec_push(b->arena, &f->vars) = make_var(b, space, name, type, count, align);
    *vec_push(b->arena, &f->stmts) = (struct ptx_stmt){STMT_VARS, index};
    return (struct ptx_operand){.kind = OPERAND_SYMBOL, .base = BASE_VAR, .index = index};
}

struct ptx_operand tw_ptx_build_global(struct ptx_build *b, enum isa_mod space, enum ptx_linkage linkage,
                                       const char *name, enum isa_mod type, uint64_t count, uint32_t align)
{
    uint32_t index = b->module->vars.len;
    struct ptx_var v = make_var(b, space, name, type, count, align);
    v.linkage = (uint8_t)linkage;
    v.open_array = linkage == LINK_EXTERN && count == 0;
    *vec_push(b->arena, &b->module->vars) = v;
    /* Variables stand before functions in the text, so that every use follows its declaration. */
    add_item(b, ITEM_VAR, index);
    uint32_t at = b->module->items.len - 1;
    while (at > 0 && b->module->items.at[at - 1].kind == ITEM_FUNC) {
        b->module->items.at[at] = b->module->items.at[at - 1];
        at--;
    }
    b->module->items.at[at] = (struct ptx_item){ITEM_VAR, index};
    return (struct ptx_operand){.kind = OPERAND_SYMBOL, .base = BASE_GLOBAL, .index = index};
}

void tw_ptx_build_init_bytes(struct ptx_build *b, const void *bytes, size_t len)
{
    assert(b->module->vars.len > 0);
    struct ptx_var *v = &b->module->vars.at[b->module->vars.len - 1];
    const unsigned char *at = bytes;
    v->has_init = true;
    for (size_t i = 0; i < len; i++)
        *vec_push(b->arena, &v->init) = (struct ptx_init){.kind = INIT_INT, .element = i, .value = at[i]};
}

struct ptx_operand tw_ptx_new_reg(struct ptx_build *b, enum isa_mod type)
{
    struct ptx_func *f = tw_ptx_build_current(b);
    unsigned prefix = prefix_of(type);
    uint32_t index = f->regs.len;
    *vec_push(b->arena, &f->regs) = (struct ptx_reg){.name = prefixes[prefix], .number = b->next_number[prefix]++,
                                                     .type = (uint16_t)type, .at = b->at};
    return (struct ptx_operand){.kind = OPERAND_REG, .index = index};
}

uint32_t tw_ptx_new_label(struct ptx_build *b, const char *stem)
{
    struct ptx_func *f = tw_ptx_build_current(b);
    const uint32_t *used = tw_strmap_get(&b->label_names, tw_str(stem));
    uint32_t n = used != NULL ? *used : 0;
    tw_strmap_put(&b->label_names, tw_str(stem), n + 1);
    *vec_push(b->arena, &f->labels) = (struct ptx_label){.name = tw_format(b->arena, "$%s_%u", stem, n), .inst = PTX_NONE, .at = b->at};
    return f->labels.len - 1;
}

void tw_ptx_place_label(struct ptx_build *b, uint32_t label)
{
    struct ptx_func *f = tw_ptx_build_current(b);
    assert(f->labels.at[label].inst == PTX_NONE && "a label is placed once");
    f->labels.at[label].inst = f->insts.len;
    *vec_push(b->arena, &f->stmts) = (struct ptx_stmt){STMT_LABEL, label};
}

static struct ptx_operand gather(struct ptx_build *b, enum ptx_operand_kind kind, const struct ptx_operand *elems, size_t count)
{
    struct ptx_func *f = tw_ptx_build_current(b);
    struct ptx_operand o = {.kind = (uint8_t)kind, .index = f->pool.len, .count = (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        *vec_push(b->arena, &f->pool) = elems[i];
    return o;
}

struct ptx_operand tw_ptx_vector(struct ptx_build *b, const struct ptx_operand *elems, size_t count)
{
    return gather(b, OPERAND_VECTOR, elems, count);
}

struct ptx_operand tw_ptx_list(struct ptx_build *b, const struct ptx_operand *elems, size_t count)
{
    return gather(b, OPERAND_LIST, elems, count);
}

struct ptx_operand tw_ptx_tensor(struct ptx_build *b, struct ptx_operand map, const struct ptx_operand *coords, size_t count)
{
    const struct ptx_operand address = map.kind == OPERAND_ADDRESS ? map : ptx_addr(map, 0);
    struct ptx_operand o = gather(b, OPERAND_TENSOR, &address, 1);
    gather(b, OPERAND_TENSOR, coords, count);
    o.count = (uint32_t)count + 1;
    return o;
}

void tw_ptx_guard(struct ptx_build *b, struct ptx_operand p)
{
    assert(p.kind == OPERAND_REG && tw_ptx_build_current(b)->regs.at[p.index].type == MOD_PRED);
    b->guard = p.index;
    b->guard_negated = p.negated;
}

bool tw_ptx_emit_n(struct ptx_build *b, const char *spelling, const struct ptx_operand *operands, size_t count)
{
    struct ptx_func *f = tw_ptx_build_current(b);
    struct raw_operand raw[MAX_RAW];
    struct ptx_inst inst = {.guard = b->guard, .guard_negated = b->guard_negated, .loc = b->loc,
                            .begin = b->at.begin, .end = b->at.end};
    b->guard = PTX_NONE;
    b->guard_negated = false;
    const struct ptx_spelling *s = tw_ptx_spelling_of(b->cache, b->arena, b->isa, &b->module->env, tw_str(spelling));
    if (s->match.status != MATCH_OK) {
        tw_ptx_report_match(b->diags, b->isa, &s->match, tw_str(spelling), b->at);
        return false;
    }
    assert(count <= MAX_RAW);
    for (size_t i = 0; i < count; i++)
        raw[i] = (struct raw_operand){.o = operands[i],
                                      .is_name = operands[i].kind == OPERAND_LABEL || operands[i].kind == OPERAND_TABLE};
    struct bind_room room = {.module = b->module, .func = f, .arena = b->arena, .diags = b->diags, .mnemonic = b->at,
                             .file = b->at.file, .free_joins = true};
    if (!tw_ptx_bind(&room, s, raw, (uint32_t)count, &inst))
        return false;
    *vec_push(b->arena, &f->stmts) = (struct ptx_stmt){STMT_INST, f->insts.len};
    *vec_push(b->arena, &f->insts) = inst;
    return true;
}

uint32_t tw_ptx_build_file(struct ptx_build *b, const char *name)
{
    for (uint32_t i = 0; i < b->module->files.len; i++)
        if (strcmp(b->module->files.at[i].name, name) == 0)
            return b->module->files.at[i].number;
    struct ptx_file file = {.number = b->module->files.len + 1, .name = tw_arena_copy(b->arena, name, strlen(name))};
    add_item(b, ITEM_FILE, b->module->files.len);
    *vec_push(b->arena, &b->module->files) = file;
    return file.number;
}

void tw_ptx_build_loc(struct ptx_build *b, uint32_t file, uint32_t line, uint32_t column)
{
    struct ptx_func *f = tw_ptx_build_current(b);
    const struct ptx_loc *last = b->loc != 0 ? &f->locs.at[b->loc - 1] : NULL;
    if (last != NULL && last->file == file && last->line == line && last->column == column)
        return;
    *vec_push(b->arena, &f->stmts) = (struct ptx_stmt){STMT_LOC, f->locs.len};
    *vec_push(b->arena, &f->locs) = (struct ptx_loc){.file = file, .line = line, .column = column};
    b->loc = f->locs.len;
}
