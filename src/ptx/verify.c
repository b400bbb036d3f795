/* Checks of a whole module, instruction by instruction: availability, addresses, immediates, calls. */
#include "ptx/verify.h"

#include "base/text.h"
#include "ptx/bind.h"
#include "ptx/ptx.h"

#include <string.h>

struct src_span tw_verify_inst(const struct verifier *v, const struct ptx_inst *inst)
{
    if (v->func->file == 0)
        return (struct src_span){0, 0, 0};
    return tw_ptx_inst_span(v->func, inst);
}

struct src_span tw_verify_operand(const struct verifier *v, const struct ptx_inst *inst, const struct ptx_operand *o)
{
    return o->end != 0 ? tw_ptx_operand_span(v->func, o) : tw_verify_inst(v, inst);
}

static struct isa_presence presence_of(const struct ptx_func *f, const struct ptx_inst *inst)
{
    struct isa_presence p = {.known = true};
    for (unsigned i = 0; i < inst->form->operand_count; i++) {
        const struct ptx_operand *o = &f->pool.at[inst->operands + i];
        p.present |= (uint32_t)(o->kind != OPERAND_NONE && o->kind != OPERAND_SINK) << i;
        p.addresses |= (uint32_t)(o->kind == OPERAND_ADDRESS) << i;
    }
    return p;
}

/* Verdicts on spellings are the same for every instruction that shares one, with the same operands there. */
static const struct verdict *verdict_of(struct verifier *v, const struct ptx_inst *inst, struct isa_presence p)
{
    uint64_t key[3] = {(uint64_t)(uintptr_t)inst->mods, (uint64_t)inst->form->id, (uint64_t)p.addresses << 32 | p.present};
    struct str name = {(const char *)key, sizeof key};
    const uint32_t *known = tw_strmap_get(&v->verdict_index, name);
    if (known != NULL)
        return &v->verdicts.at[*known];
    struct isa_spelling s = tw_ptx_spelling(inst);
    struct verdict fresh = {
        .forbidden = tw_isa_forbidden(v->module->isa, &s, p),
        .unavailable = tw_isa_unavailable(v->module->isa, &s, p, &v->module->env, v->arena),
    };
    tw_strmap_put(&v->verdict_index, name, v->verdicts.len);
    *vec_push(v->arena, &v->verdicts) = fresh;
    return &v->verdicts.at[v->verdicts.len - 1];
}

static const char *spelled(struct verifier *v, const struct ptx_inst *inst)
{
    struct isa_spelling s = tw_ptx_spelling(inst);
    struct text t;
    tw_text_init(&t, v->arena);
    tw_isa_spell(&s, &t);
    return t.at;
}

/* Built modules have no text to point into: a finding names the statement of the program, and is said once for each. */
static const struct ptx_loc *statement_of(const struct verifier *v, const struct ptx_inst *inst)
{
    return v->func->file != 0 || inst->loc == 0 ? NULL : &v->func->locs.at[inst->loc - 1];
}

static bool is_said(const struct verifier *v, const struct ptx_inst *inst)
{
    const struct ptx_inst *const last = v->unavailable;
    if (last == NULL || last->form != inst->form || last->mods != inst->mods)
        return false;
    const struct ptx_loc *const a = statement_of(v, last), *const b = statement_of(v, inst);
    return a != NULL && b != NULL && a->file == b->file && a->line == b->line;
}

static void name_statement(const struct verifier *v, const struct ptx_inst *inst, struct diag *d)
{
    const struct ptx_loc *const loc = statement_of(v, inst);
    if (loc == NULL)
        return;
    const struct ptx_file *const file = tw_ptx_find_file(v->module, loc->file);
    tw_diag_note(d, (struct src_span){0}, "an instruction of %s:%u", file == NULL ? "?" : file->name, loc->line);
}

static void check_spelling(struct verifier *v, const struct ptx_inst *inst)
{
    const struct verdict *verdict = verdict_of(v, inst, presence_of(v->func, inst));
    if (verdict->forbidden != NULL) {
        struct diag *d = tw_diag(v->diags, E0508, tw_verify_inst(v, inst), "modifiers and operands of '%s' do not go together",
                                 spelled(v, inst));
        tw_diag_expected(d, "%s", verdict->forbidden);
        tw_diag_spec(d, "PTX ISA, %s", inst->form->source);
    }
    if (verdict->unavailable != NULL && !is_said(v, inst)) {
        const struct isa_env *env = &v->module->env;
        struct diag *d = tw_diag(v->diags, E0517, tw_verify_inst(v, inst), "'%s' is not available here", spelled(v, inst));
        tw_diag_expected(d, "%s", verdict->unavailable);
        tw_diag_found(d, ".version %u.%u, .target sm_%u%.1s", env->ptx / 10, env->ptx % 10, env->target.sm,
                      env->target.suffix != 0 ? &env->target.suffix : "");
        tw_diag_spec(d, "PTX ISA, %s", inst->form->source);
        name_statement(v, inst, d);
        v->unavailable = inst;
    }
}

/* Addresses */

static bool shared_window(unsigned space)
{
    return space == MOD_SHARED || space == MOD_SHARED_CTA || space == MOD_SHARED_CLUSTER;
}

static bool space_holds(unsigned accessed, unsigned declared)
{
    if (accessed == MOD_NONE) /* MEASURED: ptxas 13.0 takes the name of no constant there */
        return declared != MOD_PARAM && declared != MOD_REG && declared != MOD_CONST;
    if (shared_window(accessed))
        return declared == MOD_SHARED;
    if (accessed == MOD_PARAM_ENTRY || accessed == MOD_PARAM_FUNC)
        return declared == MOD_PARAM;
    return accessed == declared;
}

/* MEASURED: ptxas 13.0: a name that stands for an mbarrier is of shared memory, by a generic address, too. */
static unsigned space_of_name(const struct ptx_inst *inst, unsigned space)
{
    return space == MOD_NONE && strncmp(inst->form->opcode, "mbarrier.", 9) == 0 ? MOD_SHARED : space;
}

static const char *space_name(unsigned space)
{
    return space == MOD_NONE ? "generic" : space == ISA_SPACE_TMEM ? "tensor" : tw_isa_mods[space].text;
}

static void check_symbol(struct verifier *v, const struct ptx_inst *inst, const struct ptx_operand *o, unsigned space)
{
    const struct ptx_var *var = tw_ptx_var_of(v->module, v->func, o);
    space = space_of_name(inst, space);
    if (var != NULL && space_holds(space, var->space))
        return;
    struct diag *d = tw_diag(v->diags, E0515, tw_verify_operand(v, inst, o), "this address is not in %s memory", space_name(space));
    tw_diag_expected(d, "an address in %s memory", space_name(space));
    if (var != NULL) {
        tw_diag_found(d, "'%s', a .%s variable", var->name, tw_isa_mods[var->space].text);
        tw_diag_note(d, var->at, "'%s' is declared here", var->name);
    } else {
        tw_diag_found(d, "the address of a function");
    }
    tw_diag_spec(d, "PTX ISA, %s", inst->form->source);
}

/* SOURCE: ptxas: global, constant and generic addresses are as wide as the module's; local, parameter and
 * shared ones 32 bits or wider; tensor memory 32. */
static void check_base_register(struct verifier *v, const struct ptx_inst *inst, const struct ptx_operand *o, unsigned space)
{
    const struct ptx_reg *reg = &v->func->regs.at[o->index];
    const struct isa_mod_row *type = isa_mod_row(reg->type);
    bool integer = type->type_class == TYPE_BITS || type->type_class == TYPE_UNSIGNED || type->type_class == TYPE_SIGNED;
    unsigned whole = v->module->address_size;
    bool narrow_ok = shared_window(space) || space == MOD_LOCAL || space == MOD_PARAM || space == MOD_PARAM_ENTRY ||
                     space == MOD_PARAM_FUNC;
    unsigned least = space == ISA_SPACE_TMEM || narrow_ok ? 32 : whole, most = space == ISA_SPACE_TMEM ? 32 : 64;
    if (integer && type->bits >= least && type->bits <= most)
        return;
    struct diag *d = tw_diag(v->diags, E0516, tw_verify_operand(v, inst, o), "%s, a .%s register, cannot hold a %s%s address",
                             tw_ptx_reg_name(reg, v->arena), type->text, space_name(space),
                             space == ISA_SPACE_TMEM ? " memory" : "");
    tw_diag_expected(d, least == most ? "a %u-bit integer or untyped register" : "a 32-bit or 64-bit integer or untyped register",
                     least);
    tw_diag_note(d, reg->at, "%s is declared here", tw_ptx_reg_name(reg, v->arena));
}

static void check_address(struct verifier *v, const struct ptx_inst *inst, const struct ptx_operand *o, unsigned space)
{
    switch ((enum ptx_base)o->base) {
    case BASE_REG: check_base_register(v, inst, o, space); return;
    case BASE_VAR:
    case BASE_GLOBAL:
    case BASE_FUNC: check_symbol(v, inst, o, space); return;
    case BASE_ABSOLUTE: break;
    }
    if (space == MOD_LOCAL)
        return;
    struct diag *d = tw_diag(v->diags, E0515, tw_verify_operand(v, inst, o), "no immediate address in %s memory", space_name(space));
    tw_diag_expected(d, "a register or a variable; immediate addresses are for .local alone");
}

/* The tensor map's address is generic and bare. */
static void check_tensor(struct verifier *v, const struct ptx_inst *inst, const struct ptx_operand *o)
{
    const struct ptx_operand *map = tw_ptx_elements(v->func, o);
    if (map->value != 0 && map->base != BASE_ABSOLUTE) {
        struct diag *d = tw_diag(v->diags, E0511, tw_verify_operand(v, inst, map), "a tensor map's address takes no offset");
        tw_diag_expected(d, "a register that holds the address of the map");
        return;
    }
    check_address(v, inst, map, MOD_NONE);
    for (uint32_t i = 1; i < o->count; i++) {
        const struct ptx_operand *coord = map + i;
        bool ok = coord->kind == OPERAND_INT ||
                  (coord->kind == OPERAND_REG && tw_ptx_reg_fits(v->func->regs.at[coord->index].type, MOD_S32, WIDTH_EXACT));
        if (ok)
            continue;
        struct diag *d = tw_diag(v->diags, E0512, tw_verify_operand(v, inst, coord), "coordinate %u has the wrong type", i - 1);
        tw_diag_expected(d, "a 32-bit integer register or an immediate");
    }
}

/* Immediates */

/* SOURCE: PTX ISA, cp.async: of the bytes that are copied the last may be zeros, so no more are read than copied. */
static const char *read_refused(const struct verifier *v, const struct ptx_inst *inst, enum isa_role role, int64_t bytes)
{
    if (inst->form->op != OP_CP_ASYNC || role != ROLE_SRC_SIZE)
        return NULL;
    const struct ptx_operand *const copied = tw_ptx_operand(v->func, inst, ROLE_SIZE);
    return copied->kind == OPERAND_INT && bytes > copied->value ? "at most the number of bytes that are copied" : NULL;
}

static void check_value(struct verifier *v, const struct ptx_inst *inst, unsigned i, const struct ptx_operand *o)
{
    const struct isa_operand *want = &inst->form->operands[i];
    struct isa_spelling s = tw_ptx_spelling(inst);
    bool ranged = want->low != 0 || want->high != 0;
    const char *words = tw_isa_value_refused(&s, i, o->value, &v->module->env);
    if (words == NULL)
        words = read_refused(v, inst, want->role, o->value);
    if (words == NULL && (!ranged || (o->value >= want->low && o->value <= want->high)))
        return;
    struct diag *d = tw_diag(v->diags, E0514, tw_verify_operand(v, inst, o), "the %s of '%s' is out of range",
                             tw_isa_role_what(want->role), inst->form->opcode);
    if (words != NULL)
        tw_diag_expected(d, "%s", words);
    else
        tw_diag_expected(d, "%lld to %lld", (long long)want->low, (long long)want->high);
    tw_diag_found(d, "%lld", (long long)o->value);
    tw_diag_spec(d, "PTX ISA, %s", inst->form->source);
}

static void check_sreg(struct verifier *v, const struct ptx_inst *inst, const struct ptx_operand *o)
{
    const struct isa_sreg *row = &tw_isa_sregs[o->index];
    if (row->components != 0 && o->component == PTX_WHOLE) {
        struct diag *d = tw_diag(v->diags, E0512, tw_verify_operand(v, inst, o), "'%s' is a vector", row->name);
        tw_diag_expected(d, "one component: %s.x, %s.y or %s.z", row->name, row->name, row->name);
        return;
    }
    if (v->module->env.ptx >= row->ptx && v->module->env.target.sm >= row->sm)
        return;
    struct diag *d = tw_diag(v->diags, E0517, tw_verify_operand(v, inst, o), "'%s' is not available here", row->name);
    tw_diag_expected(d, "PTX %u.%u or later and target sm_%u or later", row->ptx / 10u, row->ptx % 10u, row->sm);
}

/* Kernel parameters are read-only. */
static void check_store(struct verifier *v, const struct ptx_inst *inst, const struct ptx_operand *o)
{
    bool param = o->base == BASE_VAR && o->index < v->func->param_count;
    if (inst->form->op != OP_ST || !param)
        return;
    struct diag *d = tw_diag(v->diags, E0515, tw_verify_operand(v, inst, o), "'%s' is an input parameter",
                             v->func->vars.at[o->index].name);
    tw_diag_expected(d, "a variable that may be written: parameters are read-only");
}

/* The name of a variable that an address conversion reads: it lies in the space that is converted from. */
static void check_converted(struct verifier *v, const struct ptx_inst *inst, const struct ptx_operand *o)
{
    if (inst->form->op == OP_CVTA)
        check_symbol(v, inst, o, tw_ptx_mod(inst, SLOT_SPACE));
    else if (inst->form->op == OP_MAPA || inst->form->op == OP_GETCTARANK)
        check_symbol(v, inst, o, MOD_SHARED);
}

/* MOD_NONE: goes with any type. A decimal fraction is read as the type wants it. */
static unsigned element_type(const struct verifier *v, const struct ptx_operand *e)
{
    return e->kind == OPERAND_REG    ? v->func->regs.at[e->index].type
           : e->kind == OPERAND_SREG ? (isa_type_bits(tw_isa_sregs[e->index].type) == 64 ? MOD_B64 : MOD_B32)
           : e->kind == OPERAND_F32  ? MOD_F32
                                     : MOD_NONE;
}

/* MEASURED: ptxas 13.0 compares neighbours, also where every element alone would do for the type; not where mov takes apart. */
static void check_vector(struct verifier *v, const struct ptx_inst *inst, const struct ptx_operand *o)
{
    if (inst->form->id == FORM_MOV_UNPACK)
        return;
    const struct ptx_operand *const elements = tw_ptx_elements(v->func, o);
    unsigned before = MOD_NONE;
    for (uint32_t i = 0; i < o->count; i++) {
        const unsigned type = element_type(v, &elements[i]);
        const bool literal = elements[i].kind == OPERAND_F32;
        if (type == MOD_NONE || (literal && isa_type_bits(before) == 64))
            continue;
        if (before != MOD_NONE && !tw_ptx_reg_fits(type, before, WIDTH_EXACT)) {
            struct diag *d = tw_diag(v->diags, E0512, tw_verify_operand(v, inst, &elements[i]), "the elements of a vector have different types");
            tw_diag_expected(d, "a type that goes with .%s, as the element before it", isa_mod_row(before)->text);
            tw_diag_found(d, ".%s", isa_mod_row(type)->text);
            tw_diag_spec(d, "PTX ISA, Vectors as Operands");
            return;
        }
        before = literal ? before : type;
    }
}

static void check_operand(struct verifier *v, const struct ptx_inst *inst, unsigned i)
{
    const struct ptx_operand *o = &v->func->pool.at[inst->operands + i];
    struct isa_spelling s = tw_ptx_spelling(inst);
    switch ((enum ptx_operand_kind)o->kind) {
    case OPERAND_ADDRESS:
        check_address(v, inst, o, tw_isa_operand_space(&s, i));
        check_store(v, inst, o);
        return;
    case OPERAND_TENSOR: check_tensor(v, inst, o); return;
    case OPERAND_INT: check_value(v, inst, i, o); return;
    case OPERAND_SREG: check_sreg(v, inst, o); return;
    case OPERAND_SYMBOL: check_converted(v, inst, o); return;
    case OPERAND_VECTOR: check_vector(v, inst, o); return;
    case OPERAND_NONE:
    case OPERAND_SINK:
    case OPERAND_REG:
    case OPERAND_F32:
    case OPERAND_F64:
    case OPERAND_LIST:
    case OPERAND_LABEL:
    case OPERAND_FUNC:
    case OPERAND_TABLE: return;
    }
}

/* cvta converts addresses of the module's own size. */
static void check_cvta(struct verifier *v, const struct ptx_inst *inst)
{
    if (isa_type_bits(tw_ptx_mod(inst, SLOT_TYPE)) == v->module->address_size)
        return;
    struct diag *d = tw_diag(v->diags, E0516, tw_verify_inst(v, inst), "'cvta' of another size than the module's addresses");
    tw_diag_expected(d, ".u%u, since .address_size is %u", v->module->address_size, v->module->address_size);
}

/* SOURCE: PTX ISA, tcgen05, ".cta_group": all of a kernel's tcgen05 instructions use the same one. */
static void check_cta_group(struct verifier *v, const struct ptx_inst *inst)
{
    unsigned group = tw_ptx_mod(inst, SLOT_CTA_GROUP);
    if (group == MOD_NONE || strncmp(inst->form->opcode, "tcgen05.", 8) != 0)
        return;
    if (v->grouped == NULL)
        v->grouped = inst;
    unsigned first = tw_ptx_mod(v->grouped, SLOT_CTA_GROUP);
    if (first == group)
        return;
    struct diag *d = tw_diag(v->diags, E0508, tw_verify_inst(v, inst), "'%s' has another CTA group than the function's first",
                             spelled(v, inst));
    tw_diag_expected(d, ".%s, as everywhere in this function", tw_isa_mods[first].text);
    tw_diag_note(d, tw_verify_inst(v, v->grouped), "the first tcgen05 instruction");
}

static void verify_inst(struct verifier *v, const struct ptx_inst *inst)
{
    check_cta_group(v, inst);
    check_spelling(v, inst);
    for (unsigned i = 0; i < inst->form->operand_count; i++)
        check_operand(v, inst, i);
    if (inst->form->op == OP_CVTA)
        check_cvta(v, inst);
    if (inst->form->op == OP_CALL)
        tw_verify_call(v, inst);
}

bool tw_ptx_verify(const struct ptx_module *module, struct diags *diags)
{
    uint32_t errors = diags->error_count;
    struct verifier v = {.module = module, .diags = diags, .arena = diags->arena};
    tw_strmap_init(&v.verdict_index, diags->arena);
    tw_verify_module(&v);
    for (uint32_t f = 0; f < module->funcs.len; f++) {
        v.func = &module->funcs.at[f];
        v.grouped = NULL;
        v.unavailable = NULL;
        tw_verify_func(&v);
        for (uint32_t i = 0; i < v.func->insts.len; i++)
            verify_inst(&v, &v.func->insts.at[i]);
    }
    return diags->error_count == errors;
}
