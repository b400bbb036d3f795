/* PTX as data: the catalogue of instruction forms that parser, verifier, printer, machine, emitter,
 * kernel language and documents all read.
 *
 * A *form* is one row: an opcode ("tcgen05.mma"), a pattern of modifier slots, a pattern of
 * operands, what it does (enum isa_op), and since which PTX version and on which targets. The rows
 * are text in forms_*.def; tw_isa_open compiles them into an arena once.
 *
 * A *modifier* is one spelling between two dots, types included. Modifiers of an instruction are
 * matched as a set, because real code permutes them; where two slots share alternatives (the
 * destination and source type of cvt) they fill in order.
 *
 * Pattern language (the ISA's own notation, nearly):
 *     .type=f32|f64      required slot, alternatives given
 *     {.rnd}             optional slot with its default alternatives
 *     .sync              required literal          {.weak}  optional literal
 * Operand language (see isa_form.c for the whole of it):
 *     =d:type            written; type of slot `type`       a:type     read: register or immediate
 *     [addr@space]       address in the space of that slot  #n:u32     immediate only
 *     {d:b32*num}        vector, length from slot `num`     x?         may be absent
 *     =d:b32|p:pred      pair                               !c:pred    predicate that `!` may negate
 *     =_d:b32            a sink, too                        =-{d:b32*vec}  sinks for elements alone
 *     -{a:b32*vec}       sinks for elements of a source of 256 bits */
#ifndef TW_ISA_ISA_H
#define TW_ISA_ISA_H

#include "base/arena.h"
#include "base/str.h"
#include "base/text.h"
#include "num/format.h"

#include <stdbool.h>
#include <stdint.h>

enum isa_mod {
    MOD_NONE,
#define TW_TYPE(id, text, class, bits, elem, lanes) MOD_##id,
#define TW_MOD(id, text) MOD_##id,
#include "isa/isa_mods.def"
#undef TW_TYPE
#undef TW_MOD
    MOD_COUNT
};

enum isa_type_class { TYPE_NOT, TYPE_PRED, TYPE_BITS, TYPE_UNSIGNED, TYPE_SIGNED, TYPE_FLOAT, TYPE_PACKED };

/* For a modifier that is not a type, type_class is TYPE_NOT and the rest is 0. */
struct isa_mod_row {
    const char *text; /* without the dot; NULL for MOD_NONE */
    enum isa_type_class type_class;
    uint16_t bits;     /* of the whole value */
    enum isa_mod elem; /* of a packed type; else the type itself */
    uint8_t lanes;
};
extern const struct isa_mod_row tw_isa_mods[MOD_COUNT];

/* Matrix shapes m<M>n<N>k<K> are modifiers that are numbers: bit 15 set, then log2(M/8), N/4, log2(K). */
enum { ISA_SHAPE_FLAG = 0x8000 };
static inline bool isa_is_shape(unsigned mod) { return (mod & ISA_SHAPE_FLAG) != 0; }
static inline unsigned isa_shape_m(unsigned mod) { return 8u << (mod >> 11 & 3u); }
static inline unsigned isa_shape_n(unsigned mod) { return 4u * (mod >> 4 & 0x7fu); }
static inline unsigned isa_shape_k(unsigned mod) { return 1u << (mod & 0xfu); }

static inline const struct isa_mod_row *isa_mod_row(unsigned mod)
{
    return &tw_isa_mods[isa_is_shape(mod) ? MOD_NONE : mod];
}
static inline unsigned isa_type_bits(unsigned type) { return isa_mod_row(type)->bits; }
static inline bool isa_is_type(unsigned mod) { return isa_mod_row(mod)->type_class != TYPE_NOT; }
/* The number format of a type, of one element where it is packed; NUM_NONE where it has none (.pred). */
enum num_format tw_isa_format(unsigned type);

enum isa_slot {
    SLOT_NONE, /* a literal of the pattern */
#define TW_SLOT(id, name, alternatives, what) SLOT_##id,
#include "isa/isa_slots.def"
#undef TW_SLOT
    SLOT_COUNT
};

enum isa_role {
    ROLE_NONE,
#define TW_ROLE(id, name, what) ROLE_##id,
#include "isa/isa_roles.def"
#undef TW_ROLE
    ROLE_COUNT
};

enum isa_op {
    OP_NONE,
#define TW_OP(id, what) OP_##id,
#include "isa/isa_ops.def"
#undef TW_OP
    OP_COUNT
};

enum isa_form_id {
#define TW_FORM(id, opcode, pattern, operands, ptx, targets, op, rule, source) FORM_##id,
#include "isa/forms.def"
#undef TW_FORM
    FORM_COUNT
};

enum {
    ISA_MAX_MODS = 16,      /* elements of a pattern; the longest form has 14          */
    ISA_MAX_OPERANDS = 12,  /* operands of a form; the longest form has 11             */
    ISA_MAX_CANDIDATES = 8, /* forms that one spelling can mean, told apart by operands */
    ISA_MAX_VECTOR = 256    /* registers in one vector operand; wgmma has 128          */
};

/* Target. sm_90a is {90, 'a'}, sm_100f is {100, 'f'}, sm_80 is {80, 0}. */
struct isa_target {
    uint16_t sm;
    char suffix; /* 'a' one chip, 'f' its family, 0 this and later */
};

/* PTX version as major * 10 + minor, and target: what an instruction's legality depends on. */
struct isa_env {
    unsigned ptx;
    struct isa_target target;
};

struct isa_elem {
    enum isa_slot slot;
    bool optional;
    uint8_t alt_count;
    const uint16_t *alts; /* enum isa_mod or ISA_SHAPE_FLAG for any matrix shape */
};

/* What may stand in an operand's place. */
enum isa_accept {
    ACCEPT_REG = 1 << 0,
    ACCEPT_IMM = 1 << 1,     /* literal of the operand's type */
    ACCEPT_SREG = 1 << 2,    /* special register */
    ACCEPT_SYMBOL = 1 << 3,  /* address of a variable or function */
    ACCEPT_SINK = 1 << 4,    /* _, for an element of a vector, too */
    ACCEPT_NEGATED = 1 << 5, /* !p */
    ACCEPT_ADDRESS = 1 << 6, /* [base+offset] */
    ACCEPT_VECTOR = 1 << 7,  /* {...} */
    ACCEPT_TENSOR = 1 << 8,  /* [map, {coordinates}] */
    ACCEPT_LABEL = 1 << 9,
    ACCEPT_LIST = 1 << 10,   /* (...) of a call */
    ACCEPT_FUNC = 1 << 11,   /* function name */
    ACCEPT_BRACED = 1 << 13, /* a single element in braces for the element itself */
    ACCEPT_TABLE = 1 << 12,  /* name of a .branchtargets, .calltargets or .callprototype */
    ACCEPT_DISCARD = 1 << 14 /* _ for the whole operand, not for elements of a vector alone */
};

/* How an operand's type follows from the modifier it names. */
enum isa_type_map {
    TYPEMAP_SAME,
    TYPEMAP_DOUBLE,  /* twice as wide: mul.wide */
    TYPEMAP_FRAGMENT /* the register that holds matrix elements of that type */
};

/* The pseudo state space of tensor memory addresses, beside the MOD_* of state spaces. */
enum { ISA_SPACE_TMEM = 0x7f00 };

/* The length of a vector of which only the total size is fixed: pack and unpack of mov. */
enum { ISA_ANY_COUNT = 0xffff };

enum isa_access { ACCESS_NONE, ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_READ_WRITE = 3 };

/* Which registers a type admits (ptx-async.md 8.1). */
enum isa_width {
    WIDTH_EXACT, /* exactly the type's size */
    WIDTH_WIDER  /* ld, st, cvt: the size or wider */
};

struct isa_operand {
    enum isa_role role;
    uint16_t accept;      /* set of enum isa_accept */
    enum isa_access access;
    enum isa_width width;
    bool optional;
    bool joined;          /* written after the previous operand with '|', not ',' */
    enum isa_slot when_slot;   /* an optional operand is there exactly when this slot is filled */
    uint8_t when_count;        /* ... with one of these modifiers; 0: with any */
    const uint16_t *when_mods;
    enum isa_type_map type_map;
    enum isa_slot type_slot; /* the type is the modifier in this slot; SLOT_NONE: `type` */
    uint16_t type;        /* enum isa_mod; for a vector, of one element; MOD_NONE: any */
    enum isa_slot space_slot; /* of an address: as for types; absent modifier: generic */
    uint16_t space;
    enum isa_slot count_slot; /* vector length: of vN or xN in this slot; an absent modifier: a scalar */
    uint16_t count;       /* fixed vector length; 0: by count_slot or count_rule */
    uint8_t count_rule;   /* index into the named length rules; 0: none */
    int64_t low, high;    /* immediate range, low <= high; both 0: unlimited */
};

struct isa_form {
    enum isa_form_id id;
    const char *name;     /* row name, "TCGEN05_MMA_F16" */
    const char *opcode;   /* "tcgen05.mma" */
    const char *pattern;  /* as in the table */
    const char *operands_text;
    const char *source;   /* where the ISA states it */
    enum isa_op op;
    uint16_t ptx;         /* lowest PTX version */
    const char *targets;  /* "sm_80", "sm_90a|sm_100f"; see tw_isa_target_in */
    uint8_t elem_count, operand_count;
    uint8_t rule;         /* index of the named legality predicate; 0: none */
    const struct isa_elem *elems;
    const struct isa_operand *operands;
    int8_t elem_of[SLOT_COUNT];    /* element of a slot, or -1 */
    int8_t operand_of[ROLE_COUNT]; /* operand of a role, or -1 */
    const uint16_t *legal;         /* the legality rows that name its opcode, in table order */
    uint32_t legal_count;
};

struct isa; /* the catalogue; immutable once open */

const struct isa *tw_isa_open(struct arena *arena);
const struct isa_form *tw_isa_form(const struct isa *isa, enum isa_form_id id);
const char *tw_isa_op_name(enum isa_op op); /* "TCGEN05_MMA" */
const char *tw_isa_op_what(enum isa_op op); /* "tensor core multiply-add" */
const char *tw_isa_slot_name(enum isa_slot slot);
const char *tw_isa_slot_what(enum isa_slot slot);
const char *tw_isa_role_name(enum isa_role role); /* as in operand patterns: "mbar" */
const char *tw_isa_role_what(enum isa_role role);

/* The modifier spelled `text` (no dot): enum isa_mod or a shape; MOD_NONE if there is none. */
unsigned tw_isa_mod_find(const struct isa *isa, struct str text);
/* The nearest modifier spelling among all, or NULL when none is near. */
const char *tw_isa_mod_nearest(const struct isa *isa, struct str text);
/* Text of a modifier; shapes are written into `buffer` (at least 16 bytes). */
const char *tw_isa_mod_text(unsigned mod, char *buffer);

/* One meaning of a spelling: mods[i] belongs to form->elems[i], MOD_NONE where absent. */
struct isa_spelling {
    const struct isa_form *form;
    const uint16_t *mods;
};

static inline unsigned isa_spelling_mod(const struct isa_spelling *s, enum isa_slot slot)
{
    return s->form->elem_of[slot] < 0 ? MOD_NONE : s->mods[s->form->elem_of[slot]];
}

enum isa_match_status {
    MATCH_OK,
    MATCH_UNKNOWN_OPCODE,   /* `nearest`: the nearest opcode, or NULL */
    MATCH_UNSUPPORTED,      /* PTX has it, the catalogue has not; `expected`: the family in words */
    MATCH_UNKNOWN_MODIFIER, /* `token` is no modifier at all; `nearest`: one that this opcode takes */
    MATCH_REFUSED_MODIFIER, /* `token` is not taken here; `expected`: what is */
    MATCH_MISSING_MODIFIER, /* `expected`: what must be added */
    MATCH_RULE              /* the combination is illegal; `expected`: the rule in words */
};

struct isa_match {
    enum isa_match_status status;
    uint32_t count; /* candidates, in the order to try them */
    struct isa_spelling candidates[ISA_MAX_CANDIDATES];
    struct str token;      /* the part of the mnemonic at fault */
    uint32_t token_offset; /* its byte offset in the mnemonic */
    const char *nearest;
    const char *expected;
    const struct isa_form *near_form; /* the form that came closest, or NULL */
};

/* Resolves a mnemonic with its modifiers ("ld.global.v4.f32"). Texts and mods live in `arena`. */
void tw_isa_match(const struct isa *isa, struct arena *arena, struct str mnemonic, struct isa_match *out);

/* The canonical spelling: modifiers in the order of the pattern. */
void tw_isa_spell(const struct isa_spelling *s, struct text *out);

/* Vector length of operand `i`: number of registers, 0 if a scalar stands there. */
unsigned tw_isa_operand_count(const struct isa_spelling *s, unsigned i);
/* Type (enum isa_mod, MOD_NONE: any) and state space (MOD_NONE: generic) of operand `i`. */
unsigned tw_isa_operand_type(const struct isa_spelling *s, unsigned i);
/* The type that registers and literals of the operand must fit: that of the operand, but of matrix elements narrower than a
 * register only its 32 bits. MEASURED: ptxas 13.0 takes any 32-bit register there, integers and 0f words. */
unsigned tw_isa_register_type(const struct isa_spelling *s, unsigned i);
unsigned tw_isa_operand_space(const struct isa_spelling *s, unsigned i);

/* NULL if an immediate may have this value, else in words what it must be. The operand's range
 * (low, high) is the caller's to check. */
const char *tw_isa_value_refused(const struct isa_spelling *s, unsigned operand, int64_t value,
                                 const struct isa_env *env);

/* Parses "sm_100a". False if it is no target name. */
bool tw_isa_target_parse(struct str text, struct isa_target *out);
/* Is code for `target` allowed to use what is listed ("sm_80", "sm_90a|sm_100f")? A plain sm_N
 * admits every target from N on; sm_Na that chip only; sm_Nf the chips of N's family from N on. */
bool tw_isa_target_in(struct isa_target target, const char *targets);
/* Whether a GPU of compute capability `sm` (90 for 9.0) takes a module for `target`: the driver compiles PTX for every later
 * GPU, that of sm_Na for that chip alone, that of sm_Nf for its family. SOURCE: PTX ISA, ".target". */
bool tw_isa_target_runs_on(struct isa_target target, unsigned sm);
/* Shared memory of a CTA: what a kernel may have when the launch asks for it, and what ptxas lets it declare. */
uint32_t tw_isa_shared_limit(unsigned sm);
uint32_t tw_isa_static_shared_limit(unsigned sm);
/* CTAs of so many threads that one SM has places for; what a CTA needs of registers and shared memory may allow fewer. */
uint32_t tw_isa_ctas_per_sm(unsigned sm, uint32_t cta_threads);
/* Warps that one SM has places for, which is what %nwarpid reads. */
uint32_t tw_isa_warps_per_sm(unsigned sm);
/* What legality may depend on beyond the spelling: which operands are there, and which are addresses,
 * one bit a form operand (a sink counts as absent). All zero (not known) skips every rule that asks. */
struct isa_presence {
    bool known;
    uint32_t present, addresses;
};
/* NULL if this spelling may be used under `env`, else why not, in words ("PTX 8.6 or later"). */
const char *tw_isa_unavailable(const struct isa *isa, const struct isa_spelling *s, struct isa_presence operands,
                               const struct isa_env *env, struct arena *arena);
/* NULL if modifiers and operands go together, else the rule that they break, in words. */
const char *tw_isa_forbidden(const struct isa *isa, const struct isa_spelling *s, struct isa_presence operands);

/* Special registers. A row with components is written %tid.x (component 0..3) or whole as .v4. */
struct isa_sreg {
    const char *name; /* with the percent sign */
    uint16_t type;    /* of one component */
    uint8_t components; /* 0 or 4 */
    uint16_t ptx, sm;
};
enum isa_sreg_id {
#define TW_SREG(id, name, type, components, ptx, sm) SREG_##id,
#include "isa/isa_sregs.def"
#undef TW_SREG
    SREG_COUNT
};
extern const struct isa_sreg tw_isa_sregs[SREG_COUNT];
/* "%tid.x", "%laneid"; component -1 for a whole vector or a register without components. */
bool tw_isa_sreg_find(const struct isa *isa, struct str text, enum isa_sreg_id *id, int *component);

/* Kernel-language attribute chain to PTX: "cp_async.bulk.shared__cluster.global_" is
 * "cp.async.bulk.shared::cluster.global". The result is a mnemonic for tw_isa_match; it is not yet known to exist. */
const char *tw_isa_from_chain(const struct isa *isa, struct arena *arena, struct str chain);

#endif
