/* Binding: from operands as written to the operands of a form. The parser and the builder share it, so
 * that text and built code obey the same rules. */
#ifndef TW_PTX_BIND_H
#define TW_PTX_BIND_H

#include "diag/diag.h"
#include "ptx/module.h"

/* An operand as written, before a form gives it a place. Vectors and lists already stand in the pool. */
enum { OPERAND_NAME = 0xf0 }; /* a name that is no register, variable, function or special register */

struct raw_operand {
    struct ptx_operand o;
    bool joined;  /* after '|' */
    bool is_name; /* a bare name: may be a label or a table whatever else bears the name */
    bool indexed; /* name[index]: the element's address, which loads and stores take without brackets around it */
};

enum { MAX_RAW = 20 }; /* more than any form takes */

/* A mnemonic, resolved once. */
struct ptx_spelling {
    struct isa_match match;
    const char *unavailable; /* of the first candidate under the module's version and target, operands unknown */
};

struct ptx_spellings {
    struct strmap index; /* mnemonic -> list index */
    VEC(struct ptx_spelling *) list;
};

void tw_ptx_spellings_init(struct ptx_spellings *s, struct arena *arena);
const struct ptx_spelling *tw_ptx_spelling_of(struct ptx_spellings *s, struct arena *arena, const struct isa *isa,
                                              const struct isa_env *env, struct str mnemonic);
/* Reports why a mnemonic resolved to nothing. `at` is where the mnemonic begins. */
struct diag *tw_ptx_report_match(struct diags *diags, const struct isa *isa, const struct isa_match *match, struct str mnemonic,
                         struct src_span at);

/* What a binder must know of the place it binds in. */
struct bind_room {
    const struct ptx_module *module;
    struct ptx_func *func;
    struct arena *arena;
    struct diags *diags;
    struct src_span mnemonic; /* for messages */
    uint32_t file;
    bool free_joins; /* a pair d|p is given as two operands in a row, without the bar */
};

/* Chooses the form and fills inst->form, mods and operands. False, with a diagnostic, if none fits. */
bool tw_ptx_bind(struct bind_room *room, const struct ptx_spelling *spelling, const struct raw_operand *raw,
                 uint32_t count, struct ptx_inst *inst);

/* Does a register of type `reg` serve an operand of type `type`? */
bool tw_ptx_reg_fits(unsigned reg, unsigned type, enum isa_width width);
/* Does a literal of this kind serve an operand of that type? */
bool tw_ptx_literal_fits(enum ptx_operand_kind kind, unsigned type);
/* "a .b32 register or an immediate": what operand `i` of the spelling must be. */
void tw_ptx_describe_wanted(const struct isa_spelling *s, unsigned i, struct text *out);
/* "%r7, a .b32 register (declared at ...)": what stands there. */
void tw_ptx_describe_found(const struct bind_room *room, const struct ptx_operand *o, struct text *out);

#endif
