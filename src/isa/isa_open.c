/* Compiles the form tables into the catalogue. The tables are ours: a mistake in one is an assert. */
#include "isa/isa_catalogue.h"

#include <assert.h>
#include <string.h>

const struct isa_mod_row tw_isa_mods[MOD_COUNT] = {
#define TW_TYPE(id, text, class, bits, elem, lanes) [MOD_##id] = {text, TYPE_##class, bits, MOD_##elem, lanes},
#define TW_MOD(id, text) [MOD_##id] = {text, TYPE_NOT, 0, MOD_NONE, 0},
#include "isa/isa_mods.def"
#undef TW_TYPE
#undef TW_MOD
};

const struct isa_sreg tw_isa_sregs[SREG_COUNT] = {
#define TW_SREG(id, name, type, components, ptx, sm) [SREG_##id] = {name, MOD_##type, components, ptx, sm},
#include "isa/isa_sregs.def"
#undef TW_SREG
};

struct slot_row {
    const char *name, *alternatives, *what;
};
static const struct slot_row slot_rows[SLOT_COUNT] = {
    [SLOT_NONE] = {"", "", "modifier"},
#define TW_SLOT(id, name, alternatives, what) [SLOT_##id] = {name, alternatives, what},
#include "isa/isa_slots.def"
#undef TW_SLOT
};

struct named_row {
    const char *name, *what;
};
static const struct named_row role_rows[ROLE_COUNT] = {
    [ROLE_NONE] = {"", "operand"},
#define TW_ROLE(id, name, what) [ROLE_##id] = {name, what},
#include "isa/isa_roles.def"
#undef TW_ROLE
};
static const struct named_row op_rows[OP_COUNT] = {
    [OP_NONE] = {"NONE", "nothing"},
#define TW_OP(id, what) [OP_##id] = {#id, what},
#include "isa/isa_ops.def"
#undef TW_OP
};
static const char *const count_names[COUNT_COUNT] = {
#define TW_COUNT(id, name) [COUNT_##id] = name,
#include "isa/isa_counts.def"
#undef TW_COUNT
};

struct form_row {
    const char *name, *opcode, *pattern, *operands;
    uint16_t ptx;
    const char *targets;
    enum isa_op op;
    uint8_t rule;
    const char *source;
};
static const struct form_row form_rows[FORM_COUNT] = {
#define TW_FORM(id, opcode, pattern, operands, ptx, targets, op, rule, source) \
    [FORM_##id] = {#id, opcode, pattern, operands, ptx, targets, OP_##op, RULE_##rule, source},
#include "isa/forms.def"
#undef TW_FORM
};

struct legal_row {
    const char *opcodes, *when;
    uint16_t ptx;
    const char *targets, *words;
};
static const struct legal_row legal_rows[] = {
#define TW_NEEDS(opcodes, when, ptx, targets) {opcodes, when, ptx, targets, NULL},
#define TW_FORBIDS(opcodes, when, words) {opcodes, when, 0, NULL, words},
#include "isa/isa_legal.def"
#undef TW_NEEDS
#undef TW_FORBIDS
};
enum { LEGAL_COUNT = sizeof legal_rows / sizeof legal_rows[0] };

const char *tw_isa_op_name(enum isa_op op) { return op_rows[op].name; }
const char *tw_isa_op_what(enum isa_op op) { return op_rows[op].what; }
const char *tw_isa_slot_name(enum isa_slot slot) { return slot_rows[slot].name; }
const char *tw_isa_slot_what(enum isa_slot slot) { return slot_rows[slot].what; }
const char *tw_isa_role_name(enum isa_role role) { return role_rows[role].name; }
const char *tw_isa_role_what(enum isa_role role) { return role_rows[role].what; }
const struct isa_form *tw_isa_form(const struct isa *isa, enum isa_form_id id) { return &isa->forms[id]; }

/* A reader of table text. */
struct cursor {
    const struct isa *isa;
    const char *at;
    const char *row; /* whole text, for asserts seen in a debugger */
};

static bool take(struct cursor *c, char wanted)
{
    if (*c->at != wanted)
        return false;
    c->at++;
    return true;
}

/* Letters, digits, underscores, and "::" between them. */
static struct str take_word(struct cursor *c)
{
    const char *from = c->at;
    for (;; c->at++) {
        char ch = *c->at;
        if (ch == ':' && c->at[1] == ':')
            c->at++;
        else if (!((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_'))
            return (struct str){from, (size_t)(c->at - from)};
    }
}

static unsigned find(const struct strmap *map, struct str name)
{
    const uint32_t *value = tw_strmap_get(map, name);
    return value != NULL ? *value : 0;
}

static unsigned mod_named(const struct isa *isa, struct str text)
{
    if (tw_str_is(text, "mnk"))
        return ISA_SHAPE_FLAG;
    unsigned mod = find(&isa->mods, text);
    if (mod == MOD_NONE)
        mod = tw_isa_shape_parse(text);
    assert(mod != MOD_NONE && "a table names an unknown modifier");
    return mod;
}

/* "a|b|c"; the list is kept in the arena. */
static const uint16_t *take_alternatives(struct isa *isa, struct cursor *c, uint8_t *count)
{
    uint16_t list[64];
    unsigned n = 0;
    do {
        assert(n < 64);
        list[n++] = (uint16_t)mod_named(isa, take_word(c));
    } while (take(c, '|'));
    uint16_t *kept = arena_new(isa->arena, uint16_t, n);
    memcpy(kept, list, n * sizeof *list);
    *count = (uint8_t)n;
    return kept;
}

struct alternatives {
    const uint16_t *alts;
    uint8_t count;
};

/* element := '.' (slot ['=' alternatives] | literal) */
static struct isa_elem take_element(struct isa *isa, struct cursor *c, const struct alternatives *defaults)
{
    bool dot = take(c, '.');
    assert(dot);
    (void)dot;
    const char *from = c->at;
    struct str word = take_word(c);
    struct isa_elem e = {.slot = (enum isa_slot)find(&isa->slots, word)};
    if (e.slot == SLOT_NONE) {
        c->at = from;
        e.alts = take_alternatives(isa, c, &e.alt_count);
        assert(e.alt_count == 1);
    } else if (take(c, '=')) {
        e.alts = take_alternatives(isa, c, &e.alt_count);
    } else {
        e.alts = defaults[e.slot].alts;
        e.alt_count = defaults[e.slot].count;
    }
    return e;
}

static void compile_pattern(struct isa *isa, struct isa_form *f, const struct alternatives *defaults)
{
    struct isa_elem list[ISA_MAX_MODS];
    struct cursor c = {isa, f->pattern, f->pattern};
    while (*c.at != '\0') {
        assert(f->elem_count < ISA_MAX_MODS);
        bool optional = take(&c, '{');
        struct isa_elem e = take_element(isa, &c, defaults);
        e.optional = optional;
        if (optional) {
            bool closed = take(&c, '}');
            assert(closed);
            (void)closed;
        }
        list[f->elem_count] = e;
        if (e.slot != SLOT_NONE && f->elem_of[e.slot] < 0)
            f->elem_of[e.slot] = (int8_t)f->elem_count;
        f->elem_count++;
    }
    struct isa_elem *kept = arena_new(isa->arena, struct isa_elem, f->elem_count);
    memcpy(kept, list, f->elem_count * sizeof *list);
    f->elems = kept;
}

/* length := '*' (digits | '@' rule | slot) */
static void take_length(struct cursor *c, struct isa_operand *o, bool braced)
{
    if (take(c, '@')) {
        struct str name = take_word(c);
        for (unsigned i = 1; i < COUNT_COUNT; i++)
            if (tw_str_is(name, count_names[i]))
                o->count_rule = (uint8_t)i;
        assert(o->count_rule != 0);
        return;
    }
    struct str word = take_word(c);
    if (word.at[0] >= '0' && word.at[0] <= '9') {
        for (size_t i = 0; i < word.len; i++)
            o->count = (uint16_t)(o->count * 10 + (word.at[i] - '0'));
        return;
    }
    o->count_slot = (enum isa_slot)find(&c->isa->slots, word);
    assert(o->count_slot != SLOT_NONE);
    (void)braced;
}

static const struct {
    const char *name;
    uint16_t accept;
} type_words[] = {
    {"label", ACCEPT_LABEL}, {"list", ACCEPT_LIST}, {"func", ACCEPT_FUNC | ACCEPT_REG}, {"table", ACCEPT_TABLE},
};

/* type := slot | modifier | 'wide(' slot ')' | 'frag(' slot ')' | 'any'; '~' behind: wider registers too */
static void take_type(struct cursor *c, struct isa_operand *o)
{
    struct str word = take_word(c);
    for (size_t i = 0; i < sizeof type_words / sizeof type_words[0]; i++)
        if (tw_str_is(word, type_words[i].name)) {
            o->accept = type_words[i].accept;
            return;
        }
    if (tw_str_is(word, "any"))
        return;
    bool wide = tw_str_is(word, "wide");
    if ((wide || tw_str_is(word, "frag")) && take(c, '(')) {
        o->type_map = wide ? TYPEMAP_DOUBLE : TYPEMAP_FRAGMENT;
        word = take_word(c);
        bool closed = take(c, ')');
        assert(closed);
        (void)closed;
    }
    o->type_slot = (enum isa_slot)find(&c->isa->slots, word);
    if (o->type_slot == SLOT_NONE)
        o->type = (uint16_t)mod_named(c->isa, word);
    if (take(c, '~'))
        o->width = WIDTH_WIDER;
}

static enum isa_role take_role(struct cursor *c)
{
    unsigned role = find(&c->isa->roles, take_word(c));
    assert(role != ROLE_NONE && "an operand pattern names an unknown role");
    return (enum isa_role)role;
}

/* '[' role ['@' space] ']'  |  '[' role ',' '@' length ']' */
static void take_address(struct cursor *c, struct isa_operand *o)
{
    o->accept |= ACCEPT_ADDRESS;
    o->role = take_role(c);
    if (take(c, ',')) {
        o->accept = ACCEPT_TENSOR;
        take_length(c, o, false);
    } else if (take(c, '@')) {
        struct str word = take_word(c);
        o->space_slot = (enum isa_slot)find(&c->isa->slots, word);
        if (o->space_slot == SLOT_NONE)
            o->space = tw_str_is(word, "tmem") ? ISA_SPACE_TMEM : (uint16_t)mod_named(c->isa, word);
    }
    bool closed = take(c, ']');
    assert(closed);
    (void)closed;
}

static int64_t take_number(struct cursor *c)
{
    bool minus = take(c, '-');
    int64_t n = 0;
    while (*c->at >= '0' && *c->at <= '9')
        n = n * 10 + (*c->at++ - '0');
    return minus ? -n : n;
}

/* '(' low ',' high ')' */
static void take_range(struct cursor *c, struct isa_operand *o)
{
    if (!take(c, '('))
        return;
    o->low = take_number(c);
    bool comma = take(c, ',');
    o->high = take_number(c);
    bool closed = take(c, ')');
    assert(comma && closed);
    (void)comma;
    (void)closed;
}

static void take_scalar(struct cursor *c, struct isa_operand *o)
{
    bool braced = take(c, '{');
    o->role = take_role(c);
    bool colon = take(c, ':');
    assert(colon);
    (void)colon;
    take_type(c, o);
    if (take(c, '*'))
        take_length(c, o, braced);
    if (braced) {
        bool closed = take(c, '}');
        assert(closed);
        (void)closed;
        o->accept |= ACCEPT_VECTOR;
    } else if (o->count_slot != SLOT_NONE) {
        o->accept |= ACCEPT_VECTOR | ACCEPT_BRACED;
    }
}

struct prefixes {
    bool immediate_only, register_only;
    uint16_t accept;
};

static struct prefixes take_prefixes(struct cursor *c, struct isa_operand *o)
{
    struct prefixes p = {0};
    o->access = ACCESS_READ;
    for (;; c->at++) {
        if (*c->at == '=')
            o->access = ACCESS_WRITE;
        else if (*c->at == '+')
            o->access = ACCESS_READ_WRITE;
        else if (*c->at == '!')
            p.accept |= ACCEPT_NEGATED;
        else if (*c->at == '_')
            p.accept |= ACCEPT_SINK | ACCEPT_DISCARD;
        else if (*c->at == '-')
            p.accept |= ACCEPT_SINK;
        else if (*c->at == '#')
            p.immediate_only = true;
        else if (*c->at == '$')
            p.register_only = true;
        else if (*c->at == '%')
            p.accept |= ACCEPT_SREG;
        else if (*c->at == '&')
            p.accept |= ACCEPT_SYMBOL;
        else if (*c->at == '~')
            p.accept |= ACCEPT_BRACED;
        else if (*c->at == '^')
            p.accept |= ACCEPT_ADDRESS; /* or an address in tensor memory */
        else
            return p;
    }
}

/* '?' [slot ['=' alternatives]] */
static void take_condition(struct isa *isa, struct cursor *c, struct isa_operand *o)
{
    if (!take(c, '?'))
        return;
    o->optional = true;
    struct str word = take_word(c);
    if (word.len == 0)
        return;
    o->when_slot = (enum isa_slot)find(&isa->slots, word);
    assert(o->when_slot != SLOT_NONE);
    if (take(c, '='))
        o->when_mods = take_alternatives(isa, c, &o->when_count);
}

static struct isa_operand take_operand(struct isa *isa, struct cursor *c)
{
    struct isa_operand o = {0};
    struct prefixes p = take_prefixes(c, &o);
    if (take(c, '['))
        take_address(c, &o);
    else
        take_scalar(c, &o);
    take_range(c, &o);
    bool scalar = o.accept == 0 || (o.accept & ACCEPT_VECTOR) != 0;
    if (scalar && !p.immediate_only)
        o.accept |= ACCEPT_REG;
    if (scalar && (p.immediate_only || (o.access == ACCESS_READ && !p.register_only)))
        o.accept |= ACCEPT_IMM;
    o.accept |= p.accept;
    if (o.type == MOD_PRED && scalar && o.access == ACCESS_READ && !p.immediate_only)
        o.accept |= ACCEPT_NEGATED; /* ptxas takes !p wherever a predicate is read */
    if ((p.accept & ACCEPT_ADDRESS) != 0)
        o.space = ISA_SPACE_TMEM;
    take_condition(isa, c, &o);
    return o;
}

static void compile_operands(struct isa *isa, struct isa_form *f)
{
    struct isa_operand list[ISA_MAX_OPERANDS];
    struct cursor c = {isa, f->operands_text, f->operands_text};
    bool joined = false;
    while (*c.at != '\0') {
        assert(f->operand_count < ISA_MAX_OPERANDS);
        struct isa_operand o = take_operand(isa, &c);
        o.joined = joined;
        joined = take(&c, '|');
        if (!joined && take(&c, ','))
            while (take(&c, ' '))
                continue;
        assert(f->operand_of[o.role] < 0 && "a role stands twice in one form");
        f->operand_of[o.role] = (int8_t)f->operand_count;
        list[f->operand_count++] = o;
    }
    struct isa_operand *kept = arena_new(isa->arena, struct isa_operand, f->operand_count);
    memcpy(kept, list, f->operand_count * sizeof *list);
    f->operands = kept;
}

static void compile_form(struct isa *isa, struct isa_form *f, unsigned id, const struct alternatives *defaults)
{
    const struct form_row *row = &form_rows[id];
    *f = (struct isa_form){.id = (enum isa_form_id)id,
                           .name = row->name,
                           .opcode = row->opcode,
                           .pattern = row->pattern,
                           .operands_text = row->operands,
                           .source = row->source,
                           .op = row->op,
                           .ptx = row->ptx,
                           .targets = row->targets,
                           .rule = row->rule};
    memset(f->elem_of, -1, sizeof f->elem_of);
    memset(f->operand_of, -1, sizeof f->operand_of);
    compile_pattern(isa, f, defaults);
    compile_operands(isa, f);
}

static void open_names(struct isa *isa)
{
    tw_strmap_init(&isa->mods, isa->arena);
    tw_strmap_init(&isa->slots, isa->arena);
    tw_strmap_init(&isa->roles, isa->arena);
    tw_strmap_init(&isa->sregs, isa->arena);
    tw_strmap_init(&isa->heads, isa->arena);
    for (unsigned i = 1; i < MOD_COUNT; i++)
        tw_strmap_put(&isa->mods, tw_str(tw_isa_mods[i].text), i);
    for (unsigned i = 1; i < SLOT_COUNT; i++)
        tw_strmap_put(&isa->slots, tw_str(slot_rows[i].name), i);
    for (unsigned i = 1; i < ROLE_COUNT; i++)
        tw_strmap_put(&isa->roles, tw_str(role_rows[i].name), i);
    for (unsigned i = 0; i < SREG_COUNT; i++)
        tw_strmap_put(&isa->sregs, tw_str(tw_isa_sregs[i].name), i);
}

/* Groups the forms by opcode, in table order. */
static void open_heads(struct isa *isa)
{
    for (unsigned i = 0; i < FORM_COUNT; i++) {
        struct str opcode = tw_str(isa->forms[i].opcode);
        if (tw_strmap_get(&isa->heads, opcode) == NULL) {
            tw_strmap_put(&isa->heads, opcode, isa->heads_list.len);
            *vec_push(isa->arena, &isa->heads_list) = (struct isa_head){.opcode = isa->forms[i].opcode};
        }
        isa->heads_list.at[*tw_strmap_get(&isa->heads, opcode)].count++;
    }
    isa->head_forms = arena_new(isa->arena, uint16_t, FORM_COUNT);
    uint16_t next = 0;
    for (uint32_t h = 0; h < isa->heads_list.len; h++) {
        isa->heads_list.at[h].first = next;
        next = (uint16_t)(next + isa->heads_list.at[h].count);
        isa->heads_list.at[h].count = 0;
    }
    for (unsigned i = 0; i < FORM_COUNT; i++) {
        struct isa_head *h = &isa->heads_list.at[*tw_strmap_get(&isa->heads, tw_str(isa->forms[i].opcode))];
        isa->head_forms[h->first + h->count++] = (uint16_t)i;
    }
}

/* condition := ['!'] (modifier | '.' slot ['=' alternatives] | '@' role ['[]']), separated by blanks */
static struct isa_cond take_cond(struct isa *isa, struct cursor *c)
{
    struct isa_cond cond = {.negated = take(c, '!')};
    if (take(c, '.')) {
        cond.kind = COND_SLOT;
        cond.value = (uint16_t)find(&isa->slots, take_word(c));
        assert(cond.value != SLOT_NONE);
        if (take(c, '='))
            cond.alts = take_alternatives(isa, c, &cond.alt_count);
    } else if (take(c, '@')) {
        cond.value = (uint16_t)take_role(c);
        cond.kind = COND_ROLE;
        if (take(c, '[')) {
            cond.kind = COND_ADDRESS;
            take(c, ']');
        }
    } else {
        cond.kind = COND_MOD;
        cond.value = (uint16_t)mod_named(isa, take_word(c));
    }
    return cond;
}

static void open_legal(struct isa *isa)
{
    isa->legal = arena_new(isa->arena, struct isa_legal, LEGAL_COUNT);
    isa->legal_count = LEGAL_COUNT;
    for (unsigned i = 0; i < LEGAL_COUNT; i++) {
        struct isa_cond list[12];
        struct isa_legal *l = &isa->legal[i];
        *l = (struct isa_legal){.opcodes = legal_rows[i].opcodes, .ptx = legal_rows[i].ptx,
                                .targets = legal_rows[i].targets, .words = legal_rows[i].words};
        struct cursor c = {isa, legal_rows[i].when, legal_rows[i].when};
        while (*c.at != '\0') {
            assert(l->cond_count < 12);
            list[l->cond_count++] = take_cond(isa, &c);
            while (take(&c, ' '))
                continue;
        }
        struct isa_cond *kept = arena_new(isa->arena, struct isa_cond, l->cond_count);
        memcpy(kept, list, l->cond_count * sizeof *list);
        l->conds = kept;
    }
}

const struct isa *tw_isa_open(struct arena *arena)
{
    struct isa *isa = arena_new(arena, struct isa, 1);
    isa->arena = arena;
    open_names(isa);
    struct alternatives defaults[SLOT_COUNT] = {{NULL, 0}};
    for (unsigned i = 1; i < SLOT_COUNT; i++) {
        struct cursor c = {isa, slot_rows[i].alternatives, slot_rows[i].alternatives};
        defaults[i].alts = take_alternatives(isa, &c, &defaults[i].count);
    }
    struct isa_form *forms = arena_new(arena, struct isa_form, FORM_COUNT);
    for (unsigned i = 0; i < FORM_COUNT; i++)
        compile_form(isa, &forms[i], i, defaults);
    isa->forms = forms;
    open_heads(isa);
    open_legal(isa);
    tw_isa_legal_index(isa, forms);
    return isa;
}
