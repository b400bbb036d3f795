/* Compound statements: those that own blocks. */
#include "lang/parse.h"

#include "base/text.h"

#include <assert.h>

static const struct {
    enum stmt_kind kind;
    const char *name;
} kind_names[] = {
    {STMT_EXPR, "an expression statement"}, {STMT_ASSIGN, "an assignment"}, {STMT_ANNOTATED, "an annotated assignment"},
    {STMT_AUGMENTED, "an augmented assignment"}, {STMT_IF, "the 'if' statement"}, {STMT_FOR, "the 'for' statement"},
    {STMT_WHILE, "the 'while' statement"}, {STMT_BREAK, "'break'"}, {STMT_CONTINUE, "'continue'"}, {STMT_PASS, "'pass'"},
    {STMT_RETURN, "the 'return' statement"}, {STMT_WITH, "the 'with' statement"}, {STMT_ASSERT, "the 'assert' statement"},
    {STMT_DEL, "the 'del' statement"}, {STMT_RAISE, "the 'raise' statement"}, {STMT_TRY, "the 'try' statement"},
    {STMT_GLOBAL, "the 'global' statement"}, {STMT_NONLOCAL, "the 'nonlocal' statement"},
    {STMT_IMPORT, "the import"}, {STMT_FROM, "the import"}, {STMT_DEF, "the function definition"},
    {STMT_CLASS, "the class definition"},
};

const char *tw_stmt_kind_name(enum stmt_kind kind)
{
    assert(kind_names[kind].kind == kind);
    return kind_names[kind].name;
}

/* block: NEWLINE INDENT statements DEDENT | simple_stmts */
static void block(struct parser *p, const char *owner, struct src_span header, struct block *out)
{
    if (tw_parse_peek(p) != TOK_NEWLINE) {
        if (tw_parse_is_compound(tw_parse_peek(p)))
            tw_parse_unexpected(p, owner, "a simple statement, or a new line and an indented block");
        else
            tw_parse_simple_line(p, out);
        return;
    }
    tw_parse_take(p);
    if (tw_parse_peek(p) != TOK_INDENT) {
        struct diag *d = tw_parse_error(p, E0106, tw_parse_span(p), "%s has no block", owner);
        if (d != NULL) {
            tw_diag_expected(d, "an indented block");
            tw_diag_note(d, header, "the block belongs to this line");
        }
        return;
    }
    if (!tw_parse_enter(p))
        return;
    tw_parse_take(p);
    tw_parse_statements(p, TOK_DEDENT, out);
    tw_parse_accept(p, TOK_DEDENT);
    tw_parse_leave(p);
}

static void suite(struct parser *p, const char *owner, struct src_span header, struct block *out)
{
    if (tw_parse_expect(p, TOK_COLON, owner))
        block(p, owner, header, out);
}

static void loop_suite(struct parser *p, const char *owner, struct src_span header, struct block *out)
{
    p->loop_depth++;
    suite(p, owner, header, out);
    p->loop_depth--;
}

static void else_suite(struct parser *p, const char *owner, struct block *out)
{
    const struct src_span at = tw_parse_span(p);
    if (tw_parse_accept(p, TOK_KW_ELSE))
        suite(p, owner, at, out);
}

static void if_arm(struct parser *p, struct stmt *s)
{
    const struct src_span at = tw_parse_span(p);
    tw_parse_take(p);
    struct if_arm arm = {.at = at, .cond = tw_parse_expression(p)};
    if (s->u.branch.arms.len == 0)
        s->at = tw_parse_from(p, s->at);
    suite(p, "the 'if' statement", at, &arm.body);
    *vec_push(p->arena, &s->u.branch.arms) = arm;
}

/* if_stmt: "if" expression ":" block { "elif" expression ":" block } ["else" ":" block] */
static struct stmt *if_statement(struct parser *p, struct src_span begin)
{
    struct stmt *s = tw_parse_stmt_node(p, STMT_IF, begin);
    if_arm(p, s);
    while (tw_parse_peek(p) == TOK_KW_ELIF)
        if_arm(p, s);
    else_suite(p, "the 'else' of the 'if' statement", &s->u.branch.orelse);
    return s;
}

/* for_stmt: "for" star_targets "in" star_expressions ":" block ["else" ":" block] */
static struct stmt *for_statement(struct parser *p, struct src_span begin)
{
    struct stmt *s = tw_parse_stmt_node(p, STMT_FOR, begin);
    tw_parse_take(p);
    s->u.loop.target = tw_parse_target_list(p);
    tw_parse_check_target(p, s->u.loop.target, "assign to");
    if (tw_parse_expect(p, TOK_KW_IN, "the 'for' statement"))
        s->u.loop.iter = tw_parse_star_expressions(p);
    s->at = tw_parse_from(p, begin);
    loop_suite(p, "the 'for' statement", begin, &s->u.loop.body);
    else_suite(p, "the 'else' of the 'for' statement", &s->u.loop.orelse);
    return s;
}

/* while_stmt: "while" expression ":" block ["else" ":" block] */
static struct stmt *while_statement(struct parser *p, struct src_span begin)
{
    struct stmt *s = tw_parse_stmt_node(p, STMT_WHILE, begin);
    tw_parse_take(p);
    s->u.loop.cond = tw_parse_expression(p);
    s->at = tw_parse_from(p, begin);
    loop_suite(p, "the 'while' statement", begin, &s->u.loop.body);
    else_suite(p, "the 'else' of the 'while' statement", &s->u.loop.orelse);
    return s;
}

/* Is the '(' at hand the bracket around all items of a `with`? Then ':' follows its partner, and
 * a comma or an `as` stands directly inside. */
static bool with_is_bracketed(const struct parser *p)
{
    if (tw_parse_peek(p) != TOK_LPAR)
        return false;
    uint32_t open = 0;
    bool several = false;
    for (uint32_t i = p->pos; p->tokens[i].kind != TOK_END; i++) {
        const enum token_kind kind = (enum token_kind)p->tokens[i].kind;
        if (kind == TOK_LPAR || kind == TOK_LSQB || kind == TOK_LBRACE)
            open++;
        else if (kind == TOK_RPAR || kind == TOK_RSQB || kind == TOK_RBRACE)
            open--;
        several |= open == 1 && (kind == TOK_KW_AS || kind == TOK_COMMA);
        if (open == 0)
            return several && p->tokens[i + 1].kind == TOK_COLON;
    }
    return false;
}

/* with_item: expression ["as" star_target] */
static void with_item(struct parser *p, struct stmt *s)
{
    struct with_item item = {.context = tw_parse_expression(p)};
    if (tw_parse_accept(p, TOK_KW_AS)) {
        item.target = tw_parse_primary(p);
        tw_parse_check_target(p, item.target, "assign to");
    }
    *vec_push(p->arena, &s->u.with.items) = item;
}

/* with_stmt: "with" ("(" with_item { "," with_item } [","] ")" | with_item { "," with_item }) ":" block */
static struct stmt *with_statement(struct parser *p, struct src_span begin)
{
    struct stmt *s = tw_parse_stmt_node(p, STMT_WITH, begin);
    tw_parse_take(p);
    const bool bracketed = with_is_bracketed(p);
    if (bracketed)
        tw_parse_take(p);
    do {
        if (bracketed && tw_parse_peek(p) == TOK_RPAR)
            break;
        with_item(p, s);
    } while (tw_parse_accept(p, TOK_COMMA));
    if (bracketed)
        tw_parse_expect(p, TOK_RPAR, "the 'with' statement");
    s->at = tw_parse_from(p, begin);
    suite(p, "the 'with' statement", begin, &s->u.with.body);
    return s;
}

/* except_block: "except" [expression ["as" NAME]] ":" block */
static void except_block(struct parser *p, struct stmt *s)
{
    const struct src_span at = tw_parse_span(p);
    struct handler h = {0};
    tw_parse_take(p);
    if (tw_parse_peek(p) != TOK_COLON)
        h.type = tw_parse_star_expressions(p);
    if (h.type != NULL && tw_parse_accept(p, TOK_KW_AS))
        h.name = tw_parse_name(p, "the 'except' clause");
    suite(p, "the 'except' clause", at, &h.body);
    *vec_push(p->arena, &s->u.attempt.handlers) = h;
}

/* try_stmt: "try" ":" block ( { except_block } ["else" ":" block] ["finally" ":" block] ) */
static struct stmt *try_statement(struct parser *p, struct src_span begin)
{
    struct stmt *s = tw_parse_stmt_node(p, STMT_TRY, begin);
    tw_parse_take(p);
    suite(p, "the 'try' statement", begin, &s->u.attempt.body);
    while (tw_parse_peek(p) == TOK_KW_EXCEPT)
        except_block(p, s);
    else_suite(p, "the 'else' of the 'try' statement", &s->u.attempt.orelse);
    const struct src_span at = tw_parse_span(p);
    const bool has_finally = tw_parse_accept(p, TOK_KW_FINALLY);
    if (has_finally)
        suite(p, "the 'finally' clause", at, &s->u.attempt.finally);
    else if (s->u.attempt.handlers.len == 0)
        tw_parse_unexpected(p, "the 'try' statement", "'except' or 'finally'");
    return s;
}

/* function_def: "def" NAME "(" [parameters] ")" ["->" expression] ":" block */
static struct stmt *def_statement(struct parser *p, struct src_span begin, struct expr_list decorators)
{
    struct stmt *s = tw_parse_stmt_node(p, STMT_DEF, begin);
    struct def *def = arena_new(p->arena, struct def, 1);
    s->u.def = def;
    def->decorators = decorators;
    tw_parse_take(p);
    def->name_at = tw_parse_span(p);
    def->name = tw_parse_name(p, "the function definition");
    if (tw_parse_expect(p, TOK_LPAR, "the function definition")) {
        tw_parse_params(p, TOK_RPAR, &def->params);
        tw_parse_accept(p, TOK_RPAR);
    }
    if (tw_parse_accept(p, TOK_ARROW))
        def->returns = tw_parse_expression(p);
    s->at = tw_parse_from(p, begin);
    const bool in_function = p->in_function;
    const uint32_t loop_depth = p->loop_depth;
    p->in_function = true;
    p->loop_depth = 0;
    suite(p, "the function definition", begin, &def->body);
    p->in_function = in_function;
    p->loop_depth = loop_depth;
    return s;
}

/* class_def: "class" NAME [arguments] ":" block */
static struct stmt *class_statement(struct parser *p, struct src_span begin, struct expr_list decorators)
{
    struct stmt *s = tw_parse_stmt_node(p, STMT_CLASS, begin);
    tw_parse_take(p);
    s->u.class.decorators = decorators;
    s->u.class.name = tw_parse_name(p, "the class definition");
    struct expr *owner = tw_parse_node(p, EXPR_CALL, begin); /* bears the height of the arguments */
    if (tw_parse_peek(p) == TOK_LPAR)
        tw_parse_arguments(p, owner, &s->u.class.bases);
    s->at = tw_parse_from(p, begin);
    const bool in_function = p->in_function;
    const uint32_t loop_depth = p->loop_depth;
    p->in_function = false;
    p->loop_depth = 0;
    suite(p, "the class definition", begin, &s->u.class.body);
    p->in_function = in_function;
    p->loop_depth = loop_depth;
    return s;
}

/* decorated: { "@" expression NEWLINE } (class_def | function_def) */
static struct stmt *decorated(struct parser *p)
{
    struct expr_list decorators = {0};
    while (tw_parse_accept(p, TOK_AT)) {
        *vec_push(p->arena, &decorators) = tw_parse_expression(p);
        tw_parse_expect(p, TOK_NEWLINE, "the decorator");
    }
    const struct src_span begin = tw_parse_span(p);
    if (tw_parse_peek(p) == TOK_KW_CLASS)
        return class_statement(p, begin, decorators);
    if (tw_parse_peek(p) == TOK_KW_DEF)
        return def_statement(p, begin, decorators);
    tw_parse_unexpected(p, "the decorator", "'def' or 'class' on the next line");
    return NULL;
}

static struct stmt *async_statement(struct parser *p)
{
    tw_parse_error(p, E0110, tw_parse_span(p), "'async' is not supported");
    return NULL;
}

static void misplaced(struct parser *p)
{
    const enum token_kind kind = tw_parse_peek(p);
    tw_parse_error(p, E0101, tw_parse_span(p), "'%s' belongs to no statement above it", tw_token_spelling(kind));
}

bool tw_parse_is_compound(enum token_kind kind)
{
    static const uint8_t kinds[] = {TOK_KW_IF,    TOK_KW_FOR,  TOK_KW_WHILE, TOK_KW_WITH,   TOK_KW_TRY,    TOK_KW_DEF,
                                    TOK_KW_CLASS, TOK_AT,      TOK_KW_ASYNC, TOK_KW_ELIF,   TOK_KW_ELSE,   TOK_KW_EXCEPT,
                                    TOK_KW_FINALLY};
    for (size_t i = 0; i < sizeof kinds; i++)
        if (kinds[i] == kind)
            return true;
    return false;
}

/* compound_stmt: decorated | if_stmt | for_stmt | while_stmt | with_stmt | try_stmt | function_def | class_def */
struct stmt *tw_parse_compound(struct parser *p)
{
    static const struct {
        enum token_kind token;
        struct stmt *(*read)(struct parser *, struct src_span);
    } readers[] = {{TOK_KW_IF, if_statement}, {TOK_KW_FOR, for_statement}, {TOK_KW_WHILE, while_statement},
                   {TOK_KW_WITH, with_statement}, {TOK_KW_TRY, try_statement}};
    const enum token_kind kind = tw_parse_peek(p);
    const struct src_span begin = tw_parse_span(p);
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++)
        if (readers[i].token == kind)
            return readers[i].read(p, begin);
    if (kind == TOK_AT)
        return decorated(p);
    if (kind == TOK_KW_DEF)
        return def_statement(p, begin, (struct expr_list){0});
    if (kind == TOK_KW_CLASS)
        return class_statement(p, begin, (struct expr_list){0});
    if (kind == TOK_KW_ASYNC)
        return async_statement(p);
    misplaced(p);
    return NULL;
}
