#include "ptx/bind.h"

#include "base/text.h"
#include "ptx/ptx.h"

#include <string.h>

void tw_ptx_spellings_init(struct ptx_spellings *s, struct arena *arena)
{
    *s = (struct ptx_spellings){.index = {.arena = NULL}};
    tw_strmap_init(&s->index, arena);
}

const struct ptx_spelling *tw_ptx_spelling_of(struct ptx_spellings *s, struct arena *arena, const struct isa *isa,
                                              const struct isa_env *env, struct str mnemonic)
{
    const uint32_t *known = tw_strmap_get(&s->index, mnemonic);
    if (known != NULL)
        return s->list.at[*known];
    struct ptx_spelling *fresh = arena_new(arena, struct ptx_spelling, 1);
    tw_isa_match(isa, arena, mnemonic, &fresh->match);
    if (fresh->match.status == MATCH_OK)
        fresh->unavailable =
            tw_isa_unavailable(isa, &fresh->match.candidates[0], (struct isa_presence){0}, env, arena);
    tw_strmap_put(&s->index, mnemonic, s->list.len);
    *vec_push(arena, &s->list) = fresh;
    return fresh;
}

bool tw_ptx_reg_fits(unsigned reg, unsigned type, enum isa_width width)
{
    const struct isa_mod_row *r = isa_mod_row(reg), *t = isa_mod_row(type);
    if (type == MOD_NONE)
        return r->type_class != TYPE_PRED;
    if (r->type_class == TYPE_PRED || t->type_class == TYPE_PRED)
        return r->type_class == t->type_class;
    if (width == WIDTH_EXACT ? r->bits != t->bits : r->bits < t->bits)
        return false;
    bool untyped = r->type_class == TYPE_BITS;
    if (untyped || t->type_class == TYPE_BITS)
        return true;
    if (t->type_class == TYPE_UNSIGNED || t->type_class == TYPE_SIGNED)
        return r->type_class == TYPE_UNSIGNED || r->type_class == TYPE_SIGNED;
    return reg == type;
}

bool tw_ptx_literal_fits(enum ptx_operand_kind kind, unsigned type)
{
    const struct isa_mod_row *t = isa_mod_row(type);
    if (kind == OPERAND_INT)
        return t->type_class == TYPE_PRED || t->type_class == TYPE_BITS || t->type_class == TYPE_UNSIGNED ||
               t->type_class == TYPE_SIGNED || type == MOD_NONE;
    if (type == MOD_F32 || type == MOD_F64)
        return true;
    return kind == OPERAND_F32 ? type == MOD_B32 : type == MOD_B64;
}

/* The kinds of raw operands against what a form accepts, types aside. */
static bool kind_fits(const struct isa_operand *want, const struct raw_operand *raw, const struct ptx_operand *o)
{
    if ((want->accept & (ACCEPT_LABEL | ACCEPT_TABLE)) != 0)
        return raw->is_name;
    if (o->negated && want->access != ACCESS_READ)
        return false; /* whether it is a predicate at all is a matter of types */
    switch ((enum ptx_operand_kind)o->kind) {
    case OPERAND_REG: return (want->accept & ACCEPT_REG) != 0;
    case OPERAND_SREG: return (want->accept & ACCEPT_SREG) != 0;
    case OPERAND_SINK: return (want->accept & ACCEPT_DISCARD) != 0;
    case OPERAND_INT:
    case OPERAND_F32:
    case OPERAND_F64: return (want->accept & ACCEPT_IMM) != 0;
    case OPERAND_SYMBOL: return (want->accept & ACCEPT_SYMBOL) != 0 || (raw->indexed && (want->accept & ACCEPT_ADDRESS) != 0);
    case OPERAND_ADDRESS: return (want->accept & ACCEPT_ADDRESS) != 0;
    case OPERAND_VECTOR: return (want->accept & ACCEPT_VECTOR) != 0;
    case OPERAND_TENSOR: return (want->accept & ACCEPT_TENSOR) != 0;
    case OPERAND_LIST: return (want->accept & ACCEPT_LIST) != 0;
    case OPERAND_FUNC: return (want->accept & (ACCEPT_FUNC | ACCEPT_SYMBOL)) != 0;
    case OPERAND_LABEL:
    case OPERAND_TABLE:
    case OPERAND_NONE: return false;
    }
    return false;
}

struct binder {
    const struct bind_room *room;
    const struct isa_spelling *spelling;
    const struct raw_operand *raw;
    uint32_t count;
    bool typed;                       /* types decide, not kinds alone */
    int8_t place[ISA_MAX_OPERANDS];   /* raw operand of each form operand, or -1 */
    unsigned best_operand, best_raw;  /* how far the best attempt came, for messages */
};

static bool scalar_type_fits(const struct binder *b, const struct ptx_operand *o, unsigned type, enum isa_width width)
{
    if (o->negated && type != MOD_PRED)
        return false;
    if (o->kind == OPERAND_REG)
        return tw_ptx_reg_fits(b->room->func->regs.at[o->index].type, type, width);
    if (o->kind == OPERAND_INT || o->kind == OPERAND_F32 || o->kind == OPERAND_F64)
        return tw_ptx_literal_fits((enum ptx_operand_kind)o->kind, type);
    if (o->kind == OPERAND_SREG) /* sizes must agree; mov.u16 takes the low half of a 32-bit one */
        return isa_type_bits(tw_isa_sregs[o->index].type) == isa_type_bits(type) ||
               (isa_type_bits(type) == 16 && isa_type_bits(tw_isa_sregs[o->index].type) == 32);
    return true;
}

/* "{%r1}" where a load or store without .vN takes one register: the register. */
static const struct ptx_operand *unwrapped(const struct binder *b, unsigned i, const struct ptx_operand *o)
{
    bool single = o->kind == OPERAND_VECTOR && o->count == 1 &&
                  (b->spelling->form->operands[i].accept & ACCEPT_BRACED) != 0 && tw_isa_operand_count(b->spelling, i) == 0;
    return single ? tw_ptx_elements(b->room->func, o) : o;
}

/* mov packs and unpacks: elements of one size that fill the type. */
static bool pack_fits(const struct binder *b, const struct isa_operand *want, const struct ptx_operand *o)
{
    const struct ptx_operand *elems = tw_ptx_elements(b->room->func, o);
    const unsigned total = isa_type_bits(isa_spelling_mod(b->spelling, SLOT_TYPE));
    if (o->count < 2 || total % o->count != 0 || total / o->count < 8)
        return false;
    unsigned each = total / o->count;
    bool any_register = false;
    for (uint32_t i = 0; i < o->count; i++)
        if (elems[i].kind == OPERAND_REG) {
            if (isa_type_bits(b->room->func->regs.at[elems[i].index].type) != each)
                return false;
            any_register = true;
        } else if (elems[i].kind == OPERAND_SINK ? (want->accept & ACCEPT_SINK) == 0 : want->access != ACCESS_READ) {
            return false; /* a sink is written, everything else that is no register only read */
        }
    return any_register;
}

/* MEASURED: ptxas 13.0 takes a fragment of literals alone where one of them has the very type of the registers: 0f00000000 of .f32,
 * 0 of .s32, any floating-point number of .f64, none of registers that hold several elements. Beside a register all take its type. */
static bool fragment_fits(const struct isa_spelling *s, const struct isa_operand *want, const struct ptx_operand *elems, uint32_t count)
{
    if (s->form->op != OP_MMA)
        return true;
    const unsigned type = want->role == ROLE_C ? isa_spelling_mod(s, SLOT_CTYPE) : isa_spelling_mod(s, SLOT_ATYPE);
    bool same = false;
    for (uint32_t e = 0; e < count; e++)
        switch ((enum ptx_operand_kind)elems[e].kind) {
        case OPERAND_INT: same |= type == MOD_S32; break;
        case OPERAND_F32: same |= type == MOD_F32 || type == MOD_F64; break;
        case OPERAND_F64: same |= type == MOD_F64; break;
        case OPERAND_NONE:
        case OPERAND_SINK:
        case OPERAND_REG:
        case OPERAND_SREG:
        case OPERAND_SYMBOL:
        case OPERAND_ADDRESS:
        case OPERAND_VECTOR:
        case OPERAND_TENSOR:
        case OPERAND_LIST:
        case OPERAND_LABEL:
        case OPERAND_FUNC:
        case OPERAND_TABLE: return true;
        }
    return same;
}

/* A source has sinks only in a vector of 256 bits: st leaves the bytes of those elements as they are. SOURCE: PTX ISA, st. */
static bool sink_fits(const struct isa_operand *want, unsigned length, unsigned type)
{
    enum { MASKED_BITS = 256 };
    return (want->accept & ACCEPT_SINK) != 0 && (want->access != ACCESS_READ || length * isa_type_bits(type) == MASKED_BITS);
}

static bool vector_fits(const struct binder *b, const struct isa_operand *want, unsigned i, const struct ptx_operand *o)
{
    unsigned length = tw_isa_operand_count(b->spelling, i), type = tw_isa_register_type(b->spelling, i);
    if (length == ISA_ANY_COUNT)
        return pack_fits(b, want, o);
    if (length == 0 || length != o->count) /* "{}" is no scalar either */
        return false;
    const struct ptx_operand *elems = tw_ptx_elements(b->room->func, o);
    if (!fragment_fits(b->spelling, want, elems, o->count))
        return false;
    uint32_t sinks = 0;
    for (uint32_t e = 0; e < o->count; e++) {
        sinks += elems[e].kind == OPERAND_SINK;
        if (elems[e].kind == OPERAND_SINK ? !sink_fits(want, length, type)
                                          : !scalar_type_fits(b, &elems[e], type, want->width))
            return false;
        const uint16_t other = elems[e].kind == OPERAND_SREG ? ACCEPT_SREG : ACCEPT_IMM;
        if (elems[e].kind != OPERAND_REG && elems[e].kind != OPERAND_SINK && (want->accept & other) == 0)
            return false;
    }
    return sinks < o->count; /* ptxas 13.0 refuses a vector of sinks alone */
}

/* mov.v4 reads all components of a special register, the absent one as what it reads alone. */
enum { SREG_VECTOR = 4 };

static bool is_whole_vector(const struct ptx_operand *o)
{
    return o->kind == OPERAND_SREG && o->component == PTX_WHOLE && tw_isa_sregs[o->index].components != 0;
}

static bool type_fits(const struct binder *b, unsigned i, const struct raw_operand *raw)
{
    const struct isa_operand *want = &b->spelling->form->operands[i];
    const struct ptx_operand *inner = unwrapped(b, i, &raw->o);
    if (inner != &raw->o)
        return scalar_type_fits(b, inner, tw_isa_register_type(b->spelling, i), want->width);
    if (raw->o.kind == OPERAND_VECTOR)
        return vector_fits(b, want, i, &raw->o);
    if (raw->o.kind == OPERAND_TENSOR)
        return tw_isa_operand_count(b->spelling, i) == raw->o.count - 1;
    if (raw->o.kind == OPERAND_FUNC && (want->accept & ACCEPT_FUNC) == 0)
        return !b->room->module->funcs.at[raw->o.index].is_entry; /* the address of a function that can be called */
    if (is_whole_vector(&raw->o) && tw_isa_operand_count(b->spelling, i) == SREG_VECTOR)
        return true;
    bool scalar = raw->o.kind == OPERAND_REG || raw->o.kind == OPERAND_SREG || raw->o.kind == OPERAND_INT ||
                  raw->o.kind == OPERAND_F32 || raw->o.kind == OPERAND_F64;
    if (!scalar || (want->accept & (ACCEPT_LABEL | ACCEPT_TABLE)) != 0)
        return true;
    bool vector_wanted = tw_isa_operand_count(b->spelling, i) > 0;
    return !vector_wanted && scalar_type_fits(b, &raw->o, tw_isa_register_type(b->spelling, i), want->width);
}

/* An operand that hangs on a modifier is there exactly when the modifier is. */
static bool may_skip(const struct isa_spelling *s, const struct isa_operand *want)
{
    if (!want->optional)
        return false;
    if (want->when_slot == SLOT_NONE)
        return true;
    unsigned mod = isa_spelling_mod(s, want->when_slot);
    if (want->when_count == 0)
        return mod == MOD_NONE;
    for (unsigned i = 0; i < want->when_count; i++)
        if (want->when_mods[i] == mod)
            return false;
    return true;
}

static bool must_skip(const struct isa_spelling *s, const struct isa_operand *want)
{
    return want->when_slot != SLOT_NONE && may_skip(s, want);
}

/* MEASURED: ptxas 13.0 takes a sink for one of the two destinations of "d|p", not for both. */
static bool drops_both(const struct binder *b, unsigned r)
{
    return b->raw[r].joined && r > 0 && b->raw[r].o.kind == OPERAND_SINK && b->raw[r - 1].o.kind == OPERAND_SINK;
}

/* Places raw operand `r` and the rest from form operand `i` on; optional operands are tried present first. */
static bool place_from(struct binder *b, unsigned i, unsigned r)
{
    const struct isa_form *f = b->spelling->form;
    if (r > b->best_raw || (r == b->best_raw && i > b->best_operand)) {
        b->best_raw = r;
        b->best_operand = i;
    }
    if (i == f->operand_count)
        return r == b->count;
    const struct isa_operand *want = &f->operands[i];
    if (r < b->count && !must_skip(b->spelling, want) &&
        (b->room->free_joins || b->raw[r].joined == want->joined) && !drops_both(b, r) &&
        kind_fits(want, &b->raw[r], unwrapped(b, i, &b->raw[r].o)) && (!b->typed || type_fits(b, i, &b->raw[r]))) {
        b->place[i] = (int8_t)r;
        if (place_from(b, i + 1, r + 1))
            return true;
    }
    b->place[i] = -1;
    return may_skip(b->spelling, want) && place_from(b, i + 1, r);
}

static struct ptx_operand components_of(struct bind_room *room, const struct ptx_operand *sreg)
{
    struct ptx_operand all = {.kind = OPERAND_VECTOR, .index = room->func->pool.len, .count = SREG_VECTOR,
                              .begin = sreg->begin, .end = sreg->end};
    for (unsigned i = 0; i < SREG_VECTOR; i++) {
        struct ptx_operand *const one = vec_push(room->arena, &room->func->pool);
        *one = *sreg;
        one->component = (uint8_t)i;
    }
    return all;
}

/* The operand as the form has it: names of functions and arrays are written alike where they mean different things. */
static struct ptx_operand placed(struct bind_room *room, const struct binder *b, unsigned i)
{
    if (b->place[i] < 0)
        return (struct ptx_operand){.kind = OPERAND_NONE};
    const uint16_t accept = b->spelling->form->operands[i].accept;
    struct ptx_operand o = *unwrapped(b, i, &b->raw[b->place[i]].o);
    if (o.kind == OPERAND_FUNC && (accept & ACCEPT_FUNC) == 0) {
        o.kind = OPERAND_SYMBOL;
        o.base = BASE_FUNC;
    } else if (o.kind == OPERAND_SYMBOL && (accept & ACCEPT_SYMBOL) == 0) {
        o.kind = OPERAND_ADDRESS;
    } else if (is_whole_vector(&o) && tw_isa_operand_count(b->spelling, i) == SREG_VECTOR) {
        return components_of(room, &o);
    }
    return o;
}

static void take(struct bind_room *room, const struct binder *b, struct ptx_inst *inst)
{
    const struct isa_form *f = b->spelling->form;
    struct ptx_operand operands[ISA_MAX_OPERANDS];
    for (unsigned i = 0; i < f->operand_count; i++)
        operands[i] = placed(room, b, i);
    inst->form = f;
    inst->mods = b->spelling->mods;
    inst->operands = room->func->pool.len;
    for (unsigned i = 0; i < f->operand_count; i++)
        *vec_push(room->arena, &room->func->pool) = operands[i];
}

static void put_type(unsigned type, struct text *out)
{
    if (type != MOD_NONE)
        tw_text_addf(out, ".%s ", tw_isa_mods[type].text);
}

static void describe_scalar(const struct isa_operand *want, unsigned type, struct text *out)
{
    bool reg = (want->accept & ACCEPT_REG) != 0, imm = (want->accept & ACCEPT_IMM) != 0;
    if (reg) {
        tw_text_add(out, "a ");
        if (type == MOD_PRED)
            tw_text_add(out, "predicate ");
        else
            put_type(type, out);
        tw_text_add(out, want->width == WIDTH_WIDER ? "register or a wider one" : "register");
    }
    if (imm)
        tw_text_addf(out, "%sn immediate", reg ? " or a" : "a");
}

void tw_ptx_describe_wanted(const struct isa_spelling *s, unsigned i, struct text *out)
{
    const struct isa_operand *want = &s->form->operands[i];
    unsigned type = tw_isa_register_type(s, i), count = tw_isa_operand_count(s, i);
    tw_text_addf(out, "%s: ", tw_isa_role_what(want->role));
    if ((want->accept & ACCEPT_TENSOR) != 0) {
        tw_text_addf(out, "[map, {%u coordinate%s}]", count, count == 1 ? "" : "s");
    } else if ((want->accept & ACCEPT_ADDRESS) != 0 && (want->accept & ACCEPT_REG) == 0) {
        tw_text_add(out, "an address in brackets");
    } else if ((want->accept & ACCEPT_LABEL) != 0) {
        tw_text_add(out, "a label");
    } else if ((want->accept & ACCEPT_TABLE) != 0) {
        tw_text_add(out, "the name of a .branchtargets, .calltargets or .callprototype");
    } else if (want->accept == ACCEPT_LIST) {
        tw_text_add(out, "a list in parentheses");
    } else if ((want->accept & ACCEPT_FUNC) != 0) {
        tw_text_add(out, "a function name or a register");
    } else if (count == ISA_ANY_COUNT) {
        tw_text_addf(out, "{...} of registers of one size that fill %u bits", isa_type_bits(isa_spelling_mod(s, SLOT_TYPE)));
    } else if (count > 0) {
        tw_text_addf(out, "{%u ", count);
        put_type(type, out);
        tw_text_add(out, count == 1 ? "register}" : "registers}");
    } else {
        describe_scalar(want, type, out);
        if ((want->accept & ACCEPT_ADDRESS) != 0)
            tw_text_add(out, ", or a tensor memory address in brackets");
    }
}

void tw_ptx_describe_found(const struct bind_room *room, const struct ptx_operand *o, struct text *out)
{
    static const char *const kinds[] = {
        [OPERAND_NONE] = "nothing",      [OPERAND_SINK] = "a sink",
        [OPERAND_REG] = "",              [OPERAND_SREG] = "a special register",
        [OPERAND_INT] = "an integer",    [OPERAND_F32] = "a float literal",
        [OPERAND_F64] = "a double literal", [OPERAND_SYMBOL] = "the address of a variable",
        [OPERAND_ADDRESS] = "an address", [OPERAND_VECTOR] = "a vector",
        [OPERAND_TENSOR] = "a tensor address", [OPERAND_LIST] = "a list",
        [OPERAND_LABEL] = "a label",     [OPERAND_FUNC] = "a function",
        [OPERAND_TABLE] = "a table",
    };
    if (o->kind == OPERAND_NAME) {
        tw_text_add_str(out, tw_sources_text(room->diags->sources, (struct src_span){room->file, o->begin, o->end}));
        tw_text_add(out, ", an unknown name");
        return;
    }
    tw_ptx_print_operand(room->module, room->func, o, out);
    if (o->kind == OPERAND_REG) {
        const struct ptx_reg *reg = &room->func->regs.at[o->index];
        tw_text_addf(out, ", a .%s register", tw_isa_mods[reg->type].text);
    } else if (o->kind == OPERAND_VECTOR) {
        tw_text_addf(out, ", %u element%s", o->count, o->count == 1 ? "" : "s");
    } else if (o->kind == OPERAND_FUNC && room->module->funcs.at[o->index].is_entry) {
        tw_text_add(out, ", a kernel: kernels that launch kernels are not supported");
    } else {
        tw_text_addf(out, ", %s", kinds[o->kind]);
    }
}

static struct src_span span_of(const struct bind_room *room, const struct ptx_operand *o)
{
    return o->end != 0 ? (struct src_span){room->file, o->begin, o->end} : room->mnemonic;
}

/* Operands of the form as written by the table, for the message about their number. */
static const char *operand_list(const struct isa_spelling *s, struct arena *arena)
{
    struct text t;
    tw_text_init(&t, arena);
    for (unsigned i = 0; i < s->form->operand_count; i++) {
        const struct isa_operand *o = &s->form->operands[i];
        if (must_skip(s, o))
            continue;
        bool optional = o->optional && o->when_slot == SLOT_NONE;
        if (t.len > 0)
            tw_text_add(&t, o->joined ? " | " : ", ");
        tw_text_addf(&t, "%s%s%s", optional ? "(" : "", tw_isa_role_what(o->role), optional ? ")" : "");
    }
    if (t.len == 0)
        tw_text_add(&t, "no operands");
    return t.at;
}

static void report_number(struct bind_room *room, const struct binder *b)
{
    const struct isa_form *f = b->spelling->form;
    struct src_span at = b->best_raw < b->count ? span_of(room, &b->raw[b->best_raw].o) : room->mnemonic;
    struct diag *d = tw_diag(room->diags, E0510, at, "%s operand for '%s'", b->best_raw < b->count ? "unexpected" : "missing",
                             f->opcode);
    tw_diag_expected(d, "%s", operand_list(b->spelling, room->arena));
    tw_diag_found(d, "%u operand%s", b->count, b->count == 1 ? "" : "s");
    tw_diag_spec(d, "PTX ISA, %s", f->source);
}

/* The attempt that came furthest tells which operand is at fault. */
static void report(struct bind_room *room, const struct binder *b)
{
    const struct isa_form *f = b->spelling->form;
    unsigned i = b->best_operand;
    while (i < f->operand_count && must_skip(b->spelling, &f->operands[i]))
        i++;
    if (b->best_raw >= b->count || i >= f->operand_count ||
        (!room->free_joins && b->raw[b->best_raw].joined != f->operands[i].joined)) {
        report_number(room, b);
        return;
    }
    const struct ptx_operand *o = &b->raw[b->best_raw].o;
    bool kind_ok = kind_fits(&f->operands[i], &b->raw[b->best_raw], o);
    struct diag *d = tw_diag(room->diags, kind_ok ? E0512 : E0511, span_of(room, o), "operand %u of '%s' has the wrong %s",
                             b->best_raw + 1, f->opcode, kind_ok ? "type" : "kind");
    struct text want, found;
    tw_text_init(&want, room->arena);
    tw_text_init(&found, room->arena);
    tw_ptx_describe_wanted(b->spelling, i, &want);
    tw_ptx_describe_found(room, o, &found);
    tw_diag_expected(d, "%s", want.at);
    tw_diag_found(d, "%s", found.at);
    if (o->kind == OPERAND_REG && o->end != 0)
        tw_diag_note(d, room->func->regs.at[o->index].at, "%s is declared here",
                     tw_ptx_reg_name(&room->func->regs.at[o->index], room->arena));
    tw_diag_spec(d, "PTX ISA, %s", f->source);
}

bool tw_ptx_bind(struct bind_room *room, const struct ptx_spelling *spelling, const struct raw_operand *raw,
                 uint32_t count, struct ptx_inst *inst)
{
    struct binder best = {.best_raw = 0};
    for (uint32_t c = 0; c < spelling->match.count; c++) {
        struct binder b = {.room = room, .spelling = &spelling->match.candidates[c], .raw = raw, .count = count, .typed = true};
        if (place_from(&b, 0, 0)) {
            take(room, &b, inst);
            return true;
        }
        if (c == 0 || b.best_raw > best.best_raw)
            best = b;
    }
    report(room, &best);
    return false;
}

struct diag *tw_ptx_report_match(struct diags *diags, const struct isa *isa, const struct isa_match *match, struct str mnemonic,
                                 struct src_span at)
{
    (void)isa;
    struct src_span part = at;
    if (at.end - at.begin == mnemonic.len && match->token.len > 0) {
        part.begin = at.begin + match->token_offset;
        part.end = part.begin + (uint32_t)match->token.len;
    }
    struct diag *d;
    switch (match->status) {
    case MATCH_UNKNOWN_OPCODE:
        d = tw_diag(diags, E0506, part, "unknown instruction '" STR_FMT "'", STR_ARG(mnemonic));
        if (match->nearest != NULL)
            tw_diag_fix(d, "did you mean '%s'?", match->nearest);
        return d;
    case MATCH_UNSUPPORTED:
        d = tw_diag(diags, E0513, part, "'" STR_FMT "' is not supported", STR_ARG(match->token));
        tw_diag_expected(d, "a program without %s", match->expected);
        return d;
    case MATCH_UNKNOWN_MODIFIER:
        d = tw_diag(diags, E0507, part, "unknown modifier '." STR_FMT "' on '%s'", STR_ARG(match->token), match->near_form->opcode);
        break;
    case MATCH_REFUSED_MODIFIER:
        d = tw_diag(diags, E0508, part, "'%s' does not take '." STR_FMT "' here", match->near_form->opcode, STR_ARG(match->token));
        break;
    case MATCH_MISSING_MODIFIER:
        d = tw_diag(diags, E0509, part, "'" STR_FMT "' lacks a modifier", STR_ARG(mnemonic));
        break;
    case MATCH_RULE:
    case MATCH_OK:
    default:
        d = tw_diag(diags, E0508, at, "the modifiers of '" STR_FMT "' do not go together", STR_ARG(mnemonic));
        break;
    }
    if (match->expected != NULL)
        tw_diag_expected(d, "%s", match->expected);
    if (match->nearest != NULL)
        tw_diag_fix(d, "did you mean '.%s'?", match->nearest);
    tw_diag_spec(d, "PTX ISA, %s", match->near_form->source);
    return d;
}
