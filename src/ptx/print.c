/* Canonical text of a module. */
#include "ptx/ptx.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

static void put_reg(const struct ptx_func *f, uint32_t index, struct text *out)
{
    const struct ptx_reg *reg = &f->regs.at[index];
    tw_text_add(out, reg->name);
    if (reg->number != PTX_NONE)
        tw_text_addf(out, "%u", reg->number);
    if (reg->component != '\0')
        tw_text_addf(out, ".%c", reg->component);
}

static void put_offset(int64_t value, struct text *out)
{
    if (value != 0)
        tw_text_addf(out, "+%" PRId64, value);
}

/* What an address or symbol starts from; an absolute address is its value alone. */
static void put_base(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_operand *o, struct text *out)
{
    switch ((enum ptx_base)o->base) {
    case BASE_ABSOLUTE: tw_text_addf(out, "%" PRId64, o->value); return;
    case BASE_REG: put_reg(f, o->index, out); break;
    case BASE_VAR: tw_text_add(out, f->vars.at[o->index].name); break;
    case BASE_GLOBAL: tw_text_add(out, m->vars.at[o->index].name); break;
    case BASE_FUNC: tw_text_add(out, m->funcs.at[o->index].name); break;
    }
    put_offset(o->value, out);
}

static void put_elements(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_operand *elems,
                         uint32_t count, struct text *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            tw_text_add(out, ", ");
        tw_ptx_print_operand(m, f, &elems[i], out);
    }
}

static void put_sreg(const struct ptx_operand *o, struct text *out)
{
    tw_text_add(out, tw_isa_sregs[o->index].name);
    if (o->component != PTX_WHOLE && tw_isa_sregs[o->index].components != 0)
        tw_text_addf(out, ".%c", "xyzw"[o->component & 3]);
}

void tw_ptx_print_operand(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_operand *o,
                          struct text *out)
{
    if (o->negated)
        tw_text_put(out, '!');
    const bool has_elements = o->kind == OPERAND_VECTOR || o->kind == OPERAND_LIST || o->kind == OPERAND_TENSOR;
    const struct ptx_operand *const elems = has_elements ? tw_ptx_elements(f, o) : NULL;
    switch ((enum ptx_operand_kind)o->kind) {
    case OPERAND_NONE: return;
    case OPERAND_SINK: tw_text_put(out, '_'); return;
    case OPERAND_REG: put_reg(f, o->index, out); return;
    case OPERAND_SREG: put_sreg(o, out); return;
    case OPERAND_INT: tw_text_addf(out, "%" PRId64, o->value); return;
    case OPERAND_F32: tw_text_addf(out, "0f%08" PRIX32, (uint32_t)o->value); return;
    case OPERAND_F64: tw_text_addf(out, "0d%016" PRIX64, (uint64_t)o->value); return;
    case OPERAND_SYMBOL: put_base(m, f, o, out); return;
    case OPERAND_ADDRESS:
        tw_text_put(out, '[');
        put_base(m, f, o, out);
        tw_text_put(out, ']');
        return;
    case OPERAND_VECTOR:
    case OPERAND_LIST:
        tw_text_put(out, o->kind == OPERAND_VECTOR ? '{' : '(');
        put_elements(m, f, elems, o->count, out);
        tw_text_put(out, o->kind == OPERAND_VECTOR ? '}' : ')');
        return;
    case OPERAND_TENSOR:
        tw_text_put(out, '[');
        put_base(m, f, &elems[0], out);
        tw_text_add(out, ", {");
        put_elements(m, f, elems + 1, o->count - 1, out);
        tw_text_add(out, "}]");
        return;
    case OPERAND_LABEL: tw_text_add(out, f->labels.at[o->index].name); return;
    case OPERAND_FUNC: tw_text_add(out, m->funcs.at[o->index].name); return;
    case OPERAND_TABLE: tw_text_add(out, f->tables.at[o->index].name); return;
    }
}

void tw_ptx_print_inst(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_inst *inst,
                       struct text *out)
{
    if (inst->guard != PTX_NONE) {
        tw_text_add(out, inst->guard_negated ? "@!" : "@");
        put_reg(f, inst->guard, out);
        tw_text_put(out, ' ');
    }
    struct isa_spelling s = tw_ptx_spelling(inst);
    tw_isa_spell(&s, out);
    bool first = true;
    for (unsigned i = 0; i < inst->form->operand_count; i++) {
        const struct ptx_operand *o = &f->pool.at[inst->operands + i];
        if (o->kind == OPERAND_NONE)
            continue;
        tw_text_add(out, first ? " " : inst->form->operands[i].joined ? "|" : ", ");
        tw_ptx_print_operand(m, f, o, out);
        first = false;
    }
    tw_text_put(out, ';');
}

static const char *type_name(unsigned type)
{
    return tw_isa_mods[type].text;
}

static void put_linkage(unsigned linkage, struct text *out)
{
    static const char *const names[] = {"", ".extern ", ".visible ", ".weak ", ".common "};
    tw_text_add(out, names[linkage]);
}

/* {.align N} {.vN} .type {.ptr ...} name {[n]} : what variables and parameters share */
static void put_declarator(const struct ptx_var *v, struct text *out)
{
    if (v->managed)
        tw_text_add(out, ".attribute(.managed) ");
    if (v->align_written)
        tw_text_addf(out, ".align %u ", v->align);
    if (v->vec > 1)
        tw_text_addf(out, ".v%u ", v->vec);
    tw_text_addf(out, ".%s ", type_name(v->type));
    if (v->is_ptr) {
        tw_text_add(out, ".ptr ");
        if (v->ptr_space != MOD_NONE)
            tw_text_addf(out, ".%s ", type_name(v->ptr_space));
        if (v->ptr_align != 0)
            tw_text_addf(out, ".align %u ", v->ptr_align);
    }
    tw_text_add(out, v->name);
    for (unsigned i = 0; i < v->dim_count; i++) {
        if (i == 0 && v->open_array)
            tw_text_add(out, "[]");
        else
            tw_text_addf(out, "[%" PRIu64 "]", v->dims[i]);
    }
}

/* Initialisers: positions in row-major order become nested braces again. */
struct init_printer {
    const struct ptx_module *module;
    const struct ptx_var *var;
    uint32_t next; /* value to print */
    struct text *out;
};

static void put_init_value(const struct ptx_module *m, const struct ptx_init *i, struct text *out)
{
    const char *name = i->base == BASE_FUNC ? m->funcs.len > i->index ? m->funcs.at[i->index].name : ""
                                            : m->vars.len > i->index ? m->vars.at[i->index].name : "";
    switch ((enum ptx_init_kind)i->kind) {
    case INIT_INT: tw_text_addf(out, "%" PRId64, i->value); return;
    case INIT_F32: tw_text_addf(out, "0f%08" PRIX32, (uint32_t)i->value); return;
    case INIT_F64: tw_text_addf(out, "0d%016" PRIX64, (uint64_t)i->value); return;
    case INIT_GENERIC:
    case INIT_ADDRESS: break;
    }
    if (i->mask != 0)
        tw_text_addf(out, "0x%llX(", (unsigned long long)0xff << (8u * (i->mask - 1u)));
    tw_text_addf(out, i->kind == INIT_GENERIC ? "generic(%s)" : "%s", name);
    put_offset(i->value, out);
    if (i->mask != 0)
        tw_text_put(out, ')');
}

static void put_init_level(struct init_printer *p, unsigned level, uint64_t from, uint64_t end)
{
    const struct ptx_var *v = p->var;
    unsigned levels = v->dim_count + (v->vec > 1 ? 1u : 0u);
    uint64_t stride = level + 1 < levels || (level < v->dim_count && v->vec > 1) ? v->vec : 1;
    for (unsigned i = level + 1; i < v->dim_count; i++)
        stride *= v->dims[i];
    if (level >= v->dim_count)
        stride = 1;
    tw_text_put(p->out, '{');
    for (uint64_t at = from; at < end && p->next < v->init.len && v->init.at[p->next].element < end; at += stride) {
        if (at > from)
            tw_text_add(p->out, ", ");
        if (level + 1 < levels)
            put_init_level(p, level + 1, at, at + stride);
        else
            put_init_value(p->module, &v->init.at[p->next++], p->out);
        if (stride == 0)
            break;
    }
    tw_text_put(p->out, '}');
}

static void put_initialiser(const struct ptx_module *m, const struct ptx_var *v, struct text *out)
{
    tw_text_add(out, " = ");
    if (v->dim_count == 0 && v->vec <= 1 && v->init.len == 1) {
        put_init_value(m, &v->init.at[0], out);
        return;
    }
    struct init_printer p = {.module = m, .var = v, .out = out};
    put_init_level(&p, 0, 0, UINT64_MAX);
}

static void put_var(const struct ptx_module *m, const struct ptx_var *v, struct text *out)
{
    put_linkage(v->linkage, out);
    tw_text_addf(out, ".%s ", type_name(v->space));
    put_declarator(v, out);
    if (v->has_init)
        put_initialiser(m, v, out);
    tw_text_add(out, ";\n");
}

static void put_params(const struct ptx_func *f, uint32_t first, uint32_t count, struct text *out)
{
    tw_text_put(out, '(');
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_var *v = &f->vars.at[first + i];
        tw_text_add(out, i == 0 ? "\n    " : ",\n    ");
        tw_text_addf(out, ".%s ", v->space == MOD_REG ? "reg" : "param");
        put_declarator(v, out);
    }
    tw_text_add(out, count == 0 ? ")" : "\n)");
}

static void put_dims(const char *name, const uint32_t dims[3], unsigned written, struct text *out)
{
    for (unsigned i = 0; i < written; i++) {
        if (i == 0)
            tw_text_addf(out, "\n%s ", name);
        tw_text_addf(out, "%s%u", i == 0 ? "" : ", ", dims[i]);
    }
}

static void put_number(const char *name, uint32_t n, struct text *out)
{
    if (n != 0)
        tw_text_addf(out, "\n%s %u", name, n);
}

static void put_directives(const struct ptx_func *f, struct text *out)
{
    const struct ptx_directives *d = &f->directives;
    if (d->noreturn)
        tw_text_add(out, "\n.noreturn");
    put_dims(".maxntid", d->maxntid, d->maxntid_dims, out);
    put_dims(".reqntid", d->reqntid, d->reqntid_dims, out);
    put_number(".minnctapersm", d->minnctapersm, out);
    put_number(".maxnctapersm", d->maxnctapersm, out);
    put_number(".maxnreg", d->maxnreg, out);
    put_dims(".reqnctapercluster", d->reqnctapercluster, d->reqnctapercluster_dims, out);
    if (d->explicitcluster)
        tw_text_add(out, "\n.explicitcluster");
    put_number(".maxclusterrank", d->maxclusterrank, out);
    if (d->blocksareclusters)
        tw_text_add(out, "\n.blocksareclusters");
    put_number(".abi_preserve", d->abi_preserve, out);
    put_number(".abi_preserve_control", d->abi_preserve_control, out);
    for (uint32_t i = 0; i < f->header_pragmas.len; i++)
        tw_text_addf(out, "\n.pragma \"%s\";", f->header_pragmas.at[i]);
}

static void put_regs(const struct ptx_func *f, const struct ptx_reg_decl *d, struct text *out)
{
    const char *name = d->first < f->regs.len ? f->regs.at[d->first].name : "";
    tw_text_add(out, ".reg ");
    if (d->vec > 1)
        tw_text_addf(out, ".v%u ", d->vec);
    tw_text_addf(out, ".%s %s", type_name(d->type), name);
    if (d->range)
        tw_text_addf(out, "<%u>", d->count);
    tw_text_add(out, ";\n");
}

static void put_loc(const struct ptx_loc *l, struct text *out)
{
    tw_text_addf(out, ".loc %u %u %u", l->file, l->line, l->column);
    if (l->function_name != NULL) {
        tw_text_addf(out, ", function_name %s", l->function_name);
        put_offset(l->function_offset, out);
    }
    if (l->inlined)
        tw_text_addf(out, ", inlined_at %u %u %u", l->at_file, l->at_line, l->at_column);
    tw_text_put(out, '\n');
}

static void put_param_types(const struct ptx_param_type *types, uint32_t count, struct text *out)
{
    tw_text_put(out, '(');
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_param_type *t = &types[i];
        tw_text_addf(out, "%s.%s ", i == 0 ? "" : ", ", t->in_reg ? "reg" : "param");
        if (t->align != 0)
            tw_text_addf(out, ".align %u ", t->align);
        tw_text_addf(out, ".%s _", type_name(t->type));
        if (t->is_array && t->count == 0)
            tw_text_add(out, "[]");
        else if (t->is_array)
            tw_text_addf(out, "[%" PRIu64 "]", t->count);
    }
    tw_text_put(out, ')');
}

static void put_table(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_table *t, struct text *out)
{
    static const char *const names[] = {".branchtargets", ".calltargets", ".callprototype"};
    tw_text_addf(out, "%s: %s ", t->name, names[t->kind]);
    if (t->kind == TABLE_CALL_PROTOTYPE) {
        if (t->rets.len > 0) {
            put_param_types(t->rets.at, t->rets.len, out);
            tw_text_put(out, ' ');
        }
        tw_text_add(out, "_ ");
        put_param_types(t->params.at, t->params.len, out);
        if (t->noreturn)
            tw_text_add(out, " .noreturn");
    }
    for (uint32_t i = 0; i < t->targets.len; i++)
        tw_text_addf(out, "%s%s", i == 0 ? "" : ", ",
                     t->kind == TABLE_BRANCH_TARGETS ? f->labels.at[t->targets.at[i]].name
                                                     : m->funcs.at[t->targets.at[i]].name);
    tw_text_add(out, ";\n");
}

static void put_stmt(const struct ptx_module *m, const struct ptx_func *f, const struct ptx_stmt *s, unsigned depth,
                     struct text *out)
{
    unsigned indent = s->kind == STMT_LABEL ? depth - 1 : depth;
    tw_text_pad(out, ' ', 4 * (size_t)indent);
    switch ((enum ptx_stmt_kind)s->kind) {
    case STMT_INST:
        tw_ptx_print_inst(m, f, &f->insts.at[s->index], out);
        tw_text_put(out, '\n');
        return;
    case STMT_LABEL: tw_text_addf(out, "%s:\n", f->labels.at[s->index].name); return;
    case STMT_REGS: put_regs(f, &f->reg_decls.at[s->index], out); return;
    case STMT_VARS: put_var(m, &f->vars.at[s->index], out); return;
    case STMT_OPEN: tw_text_add(out, "{\n"); return;
    case STMT_CLOSE: tw_text_add(out, "}\n"); return;
    case STMT_LOC: put_loc(&f->locs.at[s->index], out); return;
    case STMT_PRAGMA: tw_text_addf(out, ".pragma \"%s\";\n", f->pragmas.at[s->index]); return;
    case STMT_TABLE: put_table(m, f, &f->tables.at[s->index], out); return;
    }
}

static void put_func(const struct ptx_module *m, const struct ptx_func *f, struct text *out)
{
    if (f->is_alias) {
        tw_text_addf(out, ".alias %s, %s;\n", f->name, m->funcs.at[f->alias_of].name);
        return;
    }
    put_linkage(f->linkage, out);
    tw_text_add(out, f->is_entry ? ".entry " : ".func ");
    if (f->ret_count > 0) {
        put_params(f, f->param_count, f->ret_count, out);
        tw_text_put(out, ' ');
    }
    tw_text_add(out, f->name);
    put_params(f, 0, f->param_count, out);
    put_directives(f, out);
    if (!f->has_body) {
        tw_text_add(out, ";\n");
        return;
    }
    tw_text_add(out, "\n{\n");
    unsigned depth = 1;
    for (uint32_t i = 0; i < f->stmts.len; i++) {
        depth -= f->stmts.at[i].kind == STMT_CLOSE;
        put_stmt(m, f, &f->stmts.at[i], depth, out);
        depth += f->stmts.at[i].kind == STMT_OPEN;
    }
    tw_text_add(out, "}\n");
}

static void put_item(const struct ptx_module *m, const struct ptx_item *item, struct text *out)
{
    switch ((enum ptx_item_kind)item->kind) {
    case ITEM_VAR: put_var(m, &m->vars.at[item->index], out); return;
    case ITEM_FUNC:
        tw_text_put(out, '\n');
        put_func(m, &m->funcs.at[item->index], out);
        return;
    case ITEM_FILE: {
        const struct ptx_file *f = &m->files.at[item->index];
        tw_text_addf(out, ".file %u \"%s\"", f->number, f->name);
        if (f->has_stamp)
            tw_text_addf(out, ", %" PRIu64 ", %" PRIu64, f->timestamp, f->size);
        tw_text_put(out, '\n');
        return;
    }
    case ITEM_SECTION: {
        const struct ptx_section *s = &m->sections.at[item->index];
        tw_text_addf(out, ".section %s {", s->name);
        tw_text_add_str(out, s->body); /* whatever its bytes are: a format would end at a zero */
        tw_text_add(out, "}\n");
        return;
    }
    case ITEM_PRAGMA: tw_text_addf(out, ".pragma \"%s\";\n", m->pragmas.at[item->index]); return;
    }
}

void tw_ptx_print(const struct ptx_module *m, struct text *out)
{
    tw_text_addf(out, ".version %u.%u\n.target sm_%u", m->env.ptx / 10, m->env.ptx % 10, m->env.target.sm);
    if (m->env.target.suffix != 0)
        tw_text_put(out, m->env.target.suffix);
    for (uint32_t i = 0; i < m->target_options.len; i++)
        tw_text_addf(out, ", %s", m->target_options.at[i]);
    tw_text_addf(out, "\n.address_size %u\n\n", m->address_size);
    for (uint32_t i = 0; i < m->items.len; i++)
        put_item(m, &m->items.at[i], out);
}
