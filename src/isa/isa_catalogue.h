/* Inside the catalogue: what isa_open.c builds and the other isa_*.c read. */
#ifndef TW_ISA_ISA_CATALOGUE_H
#define TW_ISA_ISA_CATALOGUE_H

#include "isa/isa.h"

/* Named vector lengths of operand patterns ("*@tmem"). */
enum isa_count {
    COUNT_NONE,
#define TW_COUNT(id, name) COUNT_##id,
#include "isa/isa_counts.def"
#undef TW_COUNT
    COUNT_COUNT
};

/* Named legality predicates of forms. */
enum isa_rule {
    RULE_NONE,
#define TW_RULE(id, function) RULE_##id,
#include "isa/isa_rules.def"
#undef TW_RULE
    RULE_COUNT
};

/* One condition of a legality row. */
enum isa_cond_kind {
    COND_MOD,    /* a modifier is written */
    COND_SLOT,   /* a slot is filled, with one of `alts` where there are any */
    COND_ROLE,   /* an operand is there */
    COND_ADDRESS /* an operand is an address */
};

struct isa_cond {
    uint8_t kind;
    bool negated;
    uint16_t value; /* enum isa_mod, isa_slot or isa_role */
    uint8_t alt_count;
    const uint16_t *alts;
};

/* A row of isa_legal.def: forbids (words != NULL) or needs (ptx, targets). */
struct isa_legal {
    const char *opcodes; /* exact, or a prefix with '*' behind */
    const struct isa_cond *conds;
    uint8_t cond_count;
    uint16_t ptx;
    const char *targets; /* NULL: any */
    const struct isa_target *target_list; /* the same, parsed */
    uint8_t target_count;
    const char *words;   /* NULL: a requirement */
};

struct isa_head {
    const char *opcode;
    uint16_t first, count; /* forms that share it: head_forms[first ..] */
    VEC(uint16_t) legal;   /* rows of isa_legal.def that name it */
};

struct isa {
    struct arena *arena;
    struct strmap mods;    /* text -> enum isa_mod */
    struct strmap slots;   /* pattern name -> enum isa_slot */
    struct strmap roles;
    struct strmap sregs;   /* name -> enum isa_sreg_id */
    struct strmap heads;   /* opcode -> index of heads */
    VEC(struct isa_head) heads_list;
    uint16_t *head_forms;
    const struct isa_form *forms; /* FORM_COUNT */
    struct isa_legal *legal;
    uint32_t legal_count;
};

/* Parses the rows' targets, and gives every form the rows of `isa->legal` that name its opcode. */
void tw_isa_legal_index(struct isa *isa, struct isa_form *forms);

/* A predicate returns NULL, or in words what the combination must be. */
typedef const char *isa_rule_fn(const struct isa_spelling *s);
const char *tw_isa_rule(unsigned rule, const struct isa_spelling *s);
unsigned tw_isa_count(unsigned count_rule, const struct isa_spelling *s);

/* Finds "name" among spellings of form rows; used by open and match alike. */
unsigned tw_isa_shape_parse(struct str text); /* 0 if it is none */

#endif
