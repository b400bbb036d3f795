/* Inside the parser: one state, one file a part of the grammar. */
#ifndef TW_PTX_PARSE_H
#define TW_PTX_PARSE_H

#include "diag/diag.h"
#include "ptx/bind.h"
#include "ptx/lex.h"
#include "ptx/module.h"
#include "ptx/names.h"

/* A label, table or function name that may be declared further down. */
struct pending {
    uint32_t pool;   /* operand in the function's pool, or PTX_NONE */
    uint32_t table, slot; /* else: target of a table */
    bool is_table;   /* names a table, not a label */
    uint32_t scope;  /* scope number of the use */
    uint32_t name;   /* id */
    uint32_t begin, end;
};

/* An opcode that PTX has and the catalogue has not: reported once, with how often it stands in the module. */
struct unsupported_opcode {
    struct str opcode;
    struct diag *first;
    uint32_t count;
};

struct parser {
    struct arena *arena;
    const struct isa *isa;
    struct diags *diags;
    struct lexer lx;
    uint32_t file;
    struct ptx_module *module;
    struct names names;
    struct ptx_spellings spellings;
    struct strmap funcs;          /* name -> index of its first appearance */
    /* The open function. */
    struct ptx_func *func;
    uint32_t func_index;
    struct strmap labels;         /* {scope, name id} -> label index + 1, or table index + 1 with the top bit */
    VEC(struct pending) pending;
    uint32_t loc;                 /* in effect */
    uint32_t depth;               /* of blocks */
    uint32_t constant_depth;      /* of the constant expression that is read */
    bool lists;                   /* the instruction that is read takes lists in parentheses: call */
    VEC(struct unsupported_opcode) unsupported;
};

/* Tokens */
bool tw_ptx_parser_is(const struct parser *p, char punct);
bool tw_ptx_parser_accept(struct parser *p, char punct);
bool tw_ptx_parser_is_directive(const struct parser *p, const char *text);
bool tw_ptx_parser_accept_directive(struct parser *p, const char *text);
struct src_span tw_ptx_parser_span(const struct parser *p, uint32_t begin, uint32_t end);
struct src_span tw_ptx_parser_here(const struct parser *p);
/* Reports the current token as unexpected; always false. */
bool tw_ptx_parser_expected(struct parser *p, const char *format, ...) TW_PRINTF(2, 3);
struct diag *tw_ptx_parser_unexpected(struct parser *p, const char *format, ...) TW_PRINTF(2, 3);
bool tw_ptx_parser_expect(struct parser *p, char punct, const char *where);
/* A name; kept in the arena. */
bool tw_ptx_parser_name(struct parser *p, const char *what, const char **name, struct src_span *at);
bool tw_ptx_parser_string(struct parser *p, const char **text);
bool tw_ptx_parser_uint(struct parser *p, const char *what, uint64_t most, uint64_t *value);
/* Skips past the next ';', or to the end of the block. */
void tw_ptx_parser_recover(struct parser *p);

/* Variables and types (parse_var.c) */
bool tw_ptx_parser_type(struct parser *p, uint16_t *type, bool registers);
/* .space [.align] [.attribute] [.vN] .type names; the space directive is the current token. `linkage` is already read. */
bool tw_ptx_parser_vars(struct parser *p, enum ptx_linkage linkage, struct src_span at);
/* One parameter of a function or entry, into func->vars. */
bool tw_ptx_parser_param(struct parser *p, bool is_entry);
bool tw_ptx_parser_initialiser(struct parser *p, struct ptx_var *v);
bool tw_ptx_parser_declare(struct parser *p, const char *name, struct src_span at, struct binding what);
void tw_ptx_parser_lay_out(struct ptx_var *v);

/* Functions (parse_func.c, parse_body.c) */
bool tw_ptx_parser_func(struct parser *p, enum ptx_linkage linkage, bool is_entry);
bool tw_ptx_parser_alias(struct parser *p);
void tw_ptx_parser_body(struct parser *p);
void tw_ptx_parser_statement(struct parser *p);
bool tw_ptx_parser_table(struct parser *p, const char *name, struct src_span at);
bool tw_ptx_parser_loc(struct parser *p);

/* Constant expressions (parse_const.c) */
struct ptx_constant {
    enum ptx_operand_kind kind; /* OPERAND_INT, OPERAND_F32 or OPERAND_F64 */
    bool is_unsigned;
    uint64_t value;
};
/* `what` is wanted where no constant begins. */
bool tw_ptx_parser_constant(struct parser *p, const char *what, struct ptx_constant *out);
/* Whether one begins at the current token. '!' is not asked for: it stands before predicates, too. */
bool tw_ptx_parser_at_constant(const struct parser *p);

/* Instructions (parse_inst.c) */
bool tw_ptx_parser_inst(struct parser *p);
bool tw_ptx_parser_operand(struct parser *p, struct raw_operand *raw);

#endif
