/* The parser: tokens to the syntax tree of a file. Grammar functions carry the name of their rule
 * and its production; parse_expr.c and parse_atom.c hold expressions, parse_stmt.c simple statements,
 * parse_block.c compound statements, parse_string.c the inside of strings. */
#ifndef TW_LANG_PARSE_H
#define TW_LANG_PARSE_H

#include "base/arena.h"
#include "base/str.h"
#include "diag/diag.h"
#include "lang/ast.h"
#include "lang/token.h"

/* All statements of the file that are well formed. Whether the file is well formed shows in diags. */
struct block tw_lang_parse(struct arena *arena, const struct sources *sources, uint32_t file, struct diags *diags,
                           struct interner *names);

/* ---- shared by the parser's files ---- */

/* A fault is reported once: `failed` is set with the diagnostic, and from then on peek yields
 * TOK_ERROR, which no rule accepts, so that the rules unwind without a further word until the statement
 * loop has found the next line. */
struct parser {
    struct arena *arena;
    const struct sources *sources;
    struct diags *diags;
    struct interner *names;
    uint32_t file;
    const struct token *tokens;
    uint32_t pos;
    uint32_t depth;
    bool failed;
    bool in_function;
    bool in_field; /* inside an f-string: the tokens end with the field */
    uint32_t loop_depth;
};

enum token_kind tw_parse_peek(const struct parser *p);
enum token_kind tw_parse_peek_next(const struct parser *p);
const struct token *tw_parse_token(const struct parser *p);
struct src_span tw_parse_span(const struct parser *p);
/* From `begin` to the last token taken. */
struct src_span tw_parse_from(const struct parser *p, struct src_span begin);
const struct token *tw_parse_take(struct parser *p);
bool tw_parse_accept(struct parser *p, enum token_kind kind);
/* Takes `kind`, or reports that `where` wants it. */
bool tw_parse_expect(struct parser *p, enum token_kind kind, const char *where);
/* "expected …, found the token at hand" in `where`. */
void tw_parse_unexpected(struct parser *p, const char *where, const char *expected);
/* A diagnostic that fails the statement at hand; NULL when the statement has failed already. */
struct diag *tw_parse_error(struct parser *p, enum diag_code code, struct src_span at, const char *format, ...)
    TW_PRINTF(4, 5);
bool tw_parse_enter(struct parser *p);
void tw_parse_leave(struct parser *p);

struct str tw_parse_text(const struct parser *p, const struct token *t);
/* The name at hand, interned; NULL after an error. */
const char *tw_parse_name(struct parser *p, const char *where);

struct expr *tw_parse_node(struct parser *p, enum expr_kind kind, struct src_span at);
/* `child` becomes a child of `parent`: heights add up, and too high a tree is an error. */
struct expr *tw_parse_adopt(struct parser *p, struct expr *parent, struct expr *child);
void tw_parse_append(struct parser *p, struct expr *parent, struct expr_list *list, struct expr *child);

struct expr *tw_parse_expression(struct parser *p);
struct expr *tw_parse_disjunction(struct parser *p); /* no `if … else`, no lambda */
struct expr *tw_parse_star_expressions(struct parser *p);
struct expr *tw_parse_yield_or_expressions(struct parser *p);
struct expr *tw_parse_target_list(struct parser *p);
struct expr *tw_parse_primary(struct parser *p);
struct expr *tw_parse_strings(struct parser *p);
bool tw_parse_starts_expression(enum token_kind kind);
void tw_parse_params(struct parser *p, enum token_kind close, struct params *out);
void tw_parse_arguments(struct parser *p, struct expr *owner, struct call_args *out);
/* Reports what cannot be assigned to. `verb` is "assign to" or "delete". */
void tw_parse_check_target(struct parser *p, const struct expr *target, const char *verb);

void tw_parse_statements(struct parser *p, enum token_kind until, struct block *out);
bool tw_parse_is_compound(enum token_kind kind);
struct stmt *tw_parse_compound(struct parser *p);
void tw_parse_simple_line(struct parser *p, struct block *out);
struct stmt *tw_parse_stmt_node(struct parser *p, enum stmt_kind kind, struct src_span at);

#endif
