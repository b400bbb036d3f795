/* T.ptx: instruction values, and raw calls. Spelling, operands and their types all come from the catalogue; a
 * call is one instruction. SOURCE: kernel-language-ptx 9.1, 9.2. */
#include "lang/eval.h"

#include "lang/ptx_old.h"
#include "lang/ptx_operand.h"

#include <string.h>

/* ---- instruction values ---- */

static struct value opcode_value(struct eval *ev, const char *text, bool exact, struct src_span at)
{
    struct opcode *o = arena_new(ev->arena, struct opcode, 1);
    *o = (struct opcode){text, exact, at};
    return (struct value){.kind = VALUE_OPCODE, .u.opcode = o};
}

struct value tw_ptx_namespace(struct eval *ev)
{
    return opcode_value(ev, "", false, (struct src_span){0});
}

/* T.ptx.addr(p, bytes): an immediate offset. */
static struct value ptx_addr(struct eval *ev, struct call *c)
{
    struct value v = {.kind = VALUE_PTX_ADDR};
    v.u.addr.base = tw_eval_to_expr(ev, c->args[0].value, c->args[0].at, "the address");
    if (v.u.addr.base == NULL ||
        !tw_eval_static_int(ev, c->args[1].value, c->args[1].at, "the byte offset", &v.u.addr.offset_bytes))
        return value_error();
    return v;
}

static struct value ptx_pred(struct eval *ev, struct call *c)
{
    struct ir_expr *e = tw_eval_to_bool(ev, c->args[0].value, c->args[0].at, "the predicate");
    return e == NULL ? value_error() : value_expr(e);
}

static const struct builtin rows[] = {
    {"addr", "pointer, byte_offset", ptx_addr, ON_DEVICE},
    {"pred", "condition", ptx_pred, ON_DEVICE},
};

struct value tw_ptx_attr(struct eval *ev, struct value opcode, const char *name, struct src_span at)
{
    const struct opcode *o = opcode.u.opcode;
    if (o->exact) {
        struct diag *d = tw_diag(ev->diags, E0213, at, "an instruction that is written as text is complete");
        tw_diag_fix(d, "write the qualifier '%s' inside the brackets", name);
        return value_error();
    }
    if (o->text[0] != '\0')
        return opcode_value(ev, tw_format(ev->arena, "%s.%s", o->text, name), false, at);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0)
            return (struct value){.kind = VALUE_BUILTIN, .u.builtin = {&rows[i], NULL}};
    if (strcmp(name, "SINK") == 0)
        return (struct value){.kind = VALUE_PTX_SINK};
    return opcode_value(ev, name, false, at);
}

struct value tw_ptx_subscript(struct eval *ev, struct value opcode, struct value index, struct src_span at)
{
    struct str text;
    if (opcode.u.opcode->text[0] != '\0') {
        struct diag *d = tw_diag(ev->diags, E0213, at, "brackets continue no instruction");
        tw_diag_expected(d, "T.ptx[\"...\"] with the whole instruction");
        return value_error();
    }
    if (!tw_eval_static_str(ev, index, at, "the instruction", &text))
        return value_error();
    return opcode_value(ev, tw_arena_copy(ev->arena, text.at, text.len), true, at);
}

const char *tw_ptx_mnemonic(const struct eval *ev, const struct opcode *o)
{
    return o->exact ? o->text : tw_isa_from_chain(ev->isa, ev->arena, tw_str(o->text));
}

/* ---- calls ---- */

static struct value unknown_instruction(struct eval *ev, const struct opcode *o, const char *mnemonic, const struct isa_match *m)
{
    static const char *const messages[] = {
        [MATCH_UNKNOWN_OPCODE] = "there is no instruction '%s'",
        [MATCH_UNKNOWN_MODIFIER] = "'%s' has an unknown qualifier",
        [MATCH_REFUSED_MODIFIER] = "'%s' does not take one of its qualifiers",
        [MATCH_MISSING_MODIFIER] = "'%s' lacks a qualifier",
        [MATCH_RULE] = "the qualifiers of '%s' do not go together",
    };
    struct diag *d = tw_diag(ev->diags, E0213, o->at, messages[m->status], mnemonic);
    if (m->expected != NULL)
        tw_diag_expected(d, "%s", m->expected);
    if (m->token.len != 0)
        tw_diag_found(d, "'" STR_FMT "'", STR_ARG(m->token));
    if (m->nearest != NULL)
        tw_diag_fix(d, "write '%s'", m->nearest);
    return value_error();
}

struct keywords {
    struct ir_expr *pred;
    bool preserve_dst;
};

static bool read_keywords(struct eval *ev, const struct args *args, struct args *positional, struct keywords *out)
{
    for (uint32_t i = 0; i < args->len; i++) {
        const struct arg *a = &args->at[i];
        if (a->value.kind == VALUE_ERROR)
            return false;
        if (a->value.kind == VALUE_HOST) {
            tw_eval_host_used(ev, a->at, a->value, "an operand of an instruction");
            return false;
        }
        if (a->name == NULL) {
            *vec_push(ev->arena, positional) = *a;
        } else if (strcmp(a->name, "pred") == 0) {
            out->pred = a->value.kind == VALUE_NONE ? NULL : tw_eval_to_bool(ev, a->value, a->at, "the guard");
            if (out->pred == NULL && a->value.kind != VALUE_NONE)
                return false;
        } else if (strcmp(a->name, "preserve_dst") == 0) {
            if (!tw_eval_static_bool(ev, a->value, a->at, "preserve_dst", &out->preserve_dst))
                return false;
        } else {
            struct diag *d = tw_diag(ev->diags, E0214, a->at, "an instruction has no parameter '%s'", a->name);
            tw_diag_expected(d, "operands in the order of the PTX text; by name only pred and preserve_dst");
            return false;
        }
    }
    return true;
}

/* "destination address, column count" */
static const char *operand_words(struct eval *ev, const struct isa_spelling *s)
{
    struct text t;
    tw_text_init(&t, ev->arena);
    for (unsigned i = 0; i < s->form->operand_count; i++) {
        const struct isa_operand *o = &s->form->operands[i];
        const unsigned count = tw_isa_operand_count(s, i);
        tw_text_add(&t, i == 0 ? "" : ", ");
        if (o->accept & ACCEPT_TENSOR) {
            tw_text_addf(&t, "%s, %u coordinate%s innermost first", tw_isa_role_what(o->role), count, count == 1 ? "" : "s");
            continue;
        }
        if (count > 1 && count != ISA_ANY_COUNT)
            tw_text_addf(&t, "%u x ", count);
        tw_text_addf(&t, "%s%s", tw_isa_role_what(o->role), o->optional ? " (may be left out)" : "");
    }
    return t.len == 0 ? "no operands" : t.at;
}

static struct value wrong_count(struct eval *ev, const struct isa_match *m, const char *mnemonic, uint32_t count,
                                struct src_span at)
{
    struct diag *d = tw_diag(ev->diags, E0214, at, "'%s' does not take %u operand%s", mnemonic, count, count == 1 ? "" : "s");
    tw_diag_expected(d, "%s", operand_words(ev, &m->candidates[0]));
    return value_error();
}

static struct value emit(struct eval *ev, const struct isa_spelling *s, const struct args *args, const struct keywords *k,
                         struct src_span at)
{
    struct ir_ptx *x = arena_new(eval_kernel(ev)->arena, struct ir_ptx, 1);
    struct text mnemonic;
    tw_text_init(&mnemonic, eval_kernel(ev)->arena);
    tw_isa_spell(s, &mnemonic);
    x->mnemonic = mnemonic.at;
    x->pred = k->pred;
    if (!tw_ptx_read_operands(ev, s, args, k->preserve_dst, x))
        return value_error();
    tw_ir_stmt_new(eval_kernel(ev), ev->build->into, IR_PTX, at)->ptx = x;
    return value_none();
}

/* A keyword that instructions do not have: the call is of an earlier revision. */
static bool has_old_keyword(const struct args *args)
{
    for (uint32_t i = 0; i < args->len; i++)
        if (args->at[i].name != NULL && strcmp(args->at[i].name, "pred") != 0 && strcmp(args->at[i].name, "preserve_dst") != 0)
            return true;
    return false;
}

struct value tw_ptx_call(struct eval *ev, const struct opcode *o, const struct args *args, struct src_span at)
{
    struct args positional = {0};
    struct keywords k = {0};
    if (ev->build == NULL || !ev->build->on_device) {
        tw_diag(ev->diags, E0212, at, "an instruction can stand only in a kernel, after T.device_entry()");
        return value_error();
    }
    if (o->text[0] == '\0')
        return tw_eval_mismatch(ev, at, "what is called", "an instruction, T.ptx.name(...)", tw_names_namespace(&tw_names_cuda));
    struct isa_match m;
    const char *mnemonic = tw_ptx_mnemonic(ev, o);
    tw_isa_match(ev->isa, ev->arena, tw_str(mnemonic), &m);
    const struct builtin *old = m.status == MATCH_OK && !has_old_keyword(args) ? NULL : tw_ptx_old_form(o, args);
    if (old != NULL)
        return tw_call_builtin(ev, (struct bound_builtin){old, NULL}, args, at);
    if (m.status != MATCH_OK)
        return unknown_instruction(ev, o, mnemonic, &m);
    if (!read_keywords(ev, args, &positional, &k))
        return value_error();
    const struct isa_spelling *fitting = NULL;
    for (uint32_t i = 0; i < m.count; i++) {
        if (!tw_ptx_takes_count(&m.candidates[i], positional.len))
            continue;
        if (tw_ptx_takes_kinds(ev, &m.candidates[i], &positional))
            return emit(ev, &m.candidates[i], &positional, &k, at);
        if (fitting == NULL)
            fitting = &m.candidates[i];
    }
    if (fitting != NULL)
        return emit(ev, fitting, &positional, &k, at);
    old = tw_ptx_old_form(o, args); /* elect_sync() is an old call, and with operands an instruction */
    return old != NULL ? tw_call_builtin(ev, (struct bound_builtin){old, NULL}, args, at)
                       : wrong_count(ev, &m, mnemonic, positional.len, at);
}
