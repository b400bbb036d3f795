/* Simple statements: one line, several separated by ';'. */
#include "lang/parse.h"

#include "base/text.h"

/* expression statement, or one of: target [":" annotation] { "=" … }, target op "=" value */
static struct stmt *annotated(struct parser *p, struct expr *target, struct src_span begin)
{
    struct stmt *s = tw_parse_stmt_node(p, STMT_ANNOTATED, begin);
    if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
        tw_parse_error(p, E0111, target->at, "only a single target can be annotated");
    tw_parse_check_target(p, target, "annotate");
    tw_parse_take(p);
    s->u.annotated.target = target;
    s->u.annotated.annotation = tw_parse_expression(p);
    if (tw_parse_accept(p, TOK_ASSIGN))
        s->u.annotated.value = tw_parse_yield_or_expressions(p);
    return s;
}

static struct stmt *assignment(struct parser *p, struct expr *first, struct src_span begin)
{
    struct stmt *s = tw_parse_stmt_node(p, STMT_ASSIGN, begin);
    struct expr *value = first;
    while (tw_parse_accept(p, TOK_ASSIGN)) {
        tw_parse_check_target(p, value, "assign to");
        *vec_push(p->arena, &s->u.assign.targets) = value;
        value = tw_parse_yield_or_expressions(p);
    }
    s->u.assign.value = value;
    return s;
}

static const struct {
    enum token_kind token;
    enum binary_op op;
} augmented_ops[] = {
    {TOK_ADD_ASSIGN, BINARY_ADD}, {TOK_SUB_ASSIGN, BINARY_SUB}, {TOK_MUL_ASSIGN, BINARY_MUL},
    {TOK_DIV_ASSIGN, BINARY_DIV}, {TOK_MOD_ASSIGN, BINARY_MOD}, {TOK_MATMUL_ASSIGN, BINARY_MATMUL},
    {TOK_AND_ASSIGN, BINARY_AND}, {TOK_OR_ASSIGN, BINARY_OR}, {TOK_XOR_ASSIGN, BINARY_XOR},
    {TOK_SHL_ASSIGN, BINARY_SHL}, {TOK_SHR_ASSIGN, BINARY_SHR}, {TOK_POW_ASSIGN, BINARY_POW},
    {TOK_FLOORDIV_ASSIGN, BINARY_FLOORDIV},
};

static struct stmt *augmented(struct parser *p, struct expr *target, struct src_span begin, enum binary_op op)
{
    struct stmt *s = tw_parse_stmt_node(p, STMT_AUGMENTED, begin);
    if (target->kind == EXPR_TUPLE || target->kind == EXPR_LIST)
        tw_parse_error(p, E0111, target->at, "only a single target can be updated in place");
    tw_parse_check_target(p, target, "update");
    tw_parse_take(p);
    s->u.augmented.op = op;
    s->u.augmented.target = target;
    s->u.augmented.value = tw_parse_yield_or_expressions(p);
    return s;
}

static struct stmt *expression_statement(struct parser *p)
{
    const struct src_span begin = tw_parse_span(p);
    struct expr *first = tw_parse_yield_or_expressions(p);
    const enum token_kind kind = tw_parse_peek(p);
    if (kind == TOK_ASSIGN)
        return assignment(p, first, begin);
    if (kind == TOK_COLON)
        return annotated(p, first, begin);
    for (size_t i = 0; i < sizeof augmented_ops / sizeof augmented_ops[0]; i++)
        if (augmented_ops[i].token == kind)
            return augmented(p, first, begin, augmented_ops[i].op);
    struct stmt *s = tw_parse_stmt_node(p, STMT_EXPR, begin);
    s->u.value = first;
    return s;
}

/* return_stmt: "return" [star_expressions] */
static struct stmt *return_statement(struct parser *p, struct stmt *s)
{
    if (!p->in_function)
        tw_parse_error(p, E0113, s->at, "'return' stands outside a function");
    if (tw_parse_starts_expression(tw_parse_peek(p)))
        s->u.value = tw_parse_star_expressions(p);
    return s;
}

/* assert_stmt: "assert" expression ["," expression] */
static struct stmt *assert_statement(struct parser *p, struct stmt *s)
{
    s->u.pair.first = tw_parse_expression(p);
    if (tw_parse_accept(p, TOK_COMMA))
        s->u.pair.second = tw_parse_expression(p);
    return s;
}

/* raise_stmt: "raise" [expression ["from" expression]] */
static struct stmt *raise_statement(struct parser *p, struct stmt *s)
{
    if (!tw_parse_starts_expression(tw_parse_peek(p)))
        return s;
    s->u.pair.first = tw_parse_expression(p);
    if (tw_parse_accept(p, TOK_KW_FROM))
        s->u.pair.second = tw_parse_expression(p);
    return s;
}

/* del_stmt: "del" target { "," target } */
static struct stmt *del_statement(struct parser *p, struct stmt *s)
{
    struct expr *list = tw_parse_star_expressions(p);
    tw_parse_check_target(p, list, "delete");
    if (list->kind == EXPR_TUPLE)
        s->u.targets = list->u.items;
    else
        *vec_push(p->arena, &s->u.targets) = list;
    return s;
}

/* global_stmt: ("global" | "nonlocal") NAME { "," NAME } */
static struct stmt *global_statement(struct parser *p, struct stmt *s)
{
    do {
        struct name_item item = {.at = tw_parse_span(p)};
        item.name = tw_parse_name(p, tw_stmt_kind_name(s->kind));
        *vec_push(p->arena, &s->u.names) = item;
    } while (tw_parse_accept(p, TOK_COMMA));
    return s;
}

static struct stmt *break_statement(struct parser *p, struct stmt *s)
{
    if (p->loop_depth == 0)
        tw_parse_error(p, E0113, s->at, "%s stands outside a loop", s->kind == STMT_BREAK ? "'break'" : "'continue'");
    return s;
}

static struct stmt *pass_statement(struct parser *p, struct stmt *s)
{
    (void)p;
    return s;
}

/* ---- imports ---- */

/* dotted_name: NAME { "." NAME } */
static struct str dotted_name(struct parser *p, const char *where)
{
    const struct src_span begin = tw_parse_span(p);
    do
        tw_parse_name(p, where);
    while (tw_parse_accept(p, TOK_DOT));
    if (p->failed)
        return (struct str){"", 0};
    return tw_sources_text(p->sources, tw_parse_from(p, begin));
}

static void renamed(struct parser *p, struct import_item *item)
{
    if (!tw_parse_accept(p, TOK_KW_AS))
        return;
    item->renamed = true;
    item->bound = tw_parse_name(p, "the import");
}

static const char *first_name(struct parser *p, struct str path)
{
    size_t len = 0;
    while (len < path.len && path.at[len] != '.')
        len++;
    return tw_intern(p->names, (struct str){path.at, len});
}

/* import_name: "import" dotted_name ["as" NAME] { "," dotted_name ["as" NAME] } */
static struct stmt *import_statement(struct parser *p, struct stmt *s)
{
    do {
        struct import_item item = {.at = tw_parse_span(p)};
        item.path = dotted_name(p, "the import");
        item.bound = first_name(p, item.path);
        renamed(p, &item);
        item.at = tw_parse_from(p, item.at);
        *vec_push(p->arena, &s->u.imports) = item;
    } while (tw_parse_accept(p, TOK_COMMA));
    return s;
}

static void from_items(struct parser *p, struct stmt *s, bool parenthesised)
{
    do {
        if (parenthesised && tw_parse_peek(p) == TOK_RPAR)
            break;
        struct import_item item = {.at = tw_parse_span(p)};
        item.bound = tw_parse_name(p, "the import");
        item.path = item.bound == NULL ? (struct str){"", 0} : tw_str(item.bound);
        renamed(p, &item);
        item.at = tw_parse_from(p, item.at);
        *vec_push(p->arena, &s->u.from.items) = item;
    } while (tw_parse_accept(p, TOK_COMMA));
}

/* import_from: "from" { "." } [dotted_name] "import" ("*" | "(" names [","] ")" | names) */
static struct stmt *from_statement(struct parser *p, struct stmt *s)
{
    while (tw_parse_peek(p) == TOK_DOT || tw_parse_peek(p) == TOK_ELLIPSIS)
        s->u.from.dots += tw_parse_take(p)->kind == TOK_DOT ? 1 : 3;
    if (s->u.from.dots == 0 || tw_parse_peek(p) == TOK_NAME)
        s->u.from.module = dotted_name(p, "the import");
    tw_parse_expect(p, TOK_KW_IMPORT, "the import");
    if (tw_parse_accept(p, TOK_STAR)) {
        s->u.from.star = true;
    } else if (tw_parse_accept(p, TOK_LPAR)) {
        from_items(p, s, true);
        tw_parse_expect(p, TOK_RPAR, "the import");
    } else {
        from_items(p, s, false);
    }
    return s;
}

/* ---- one line ---- */

static const struct {
    enum token_kind token;
    enum stmt_kind kind;
    struct stmt *(*rest)(struct parser *, struct stmt *);
} keyword_statements[] = {
    {TOK_KW_PASS, STMT_PASS, pass_statement},       {TOK_KW_BREAK, STMT_BREAK, break_statement},
    {TOK_KW_CONTINUE, STMT_CONTINUE, break_statement}, {TOK_KW_RETURN, STMT_RETURN, return_statement},
    {TOK_KW_ASSERT, STMT_ASSERT, assert_statement}, {TOK_KW_RAISE, STMT_RAISE, raise_statement},
    {TOK_KW_DEL, STMT_DEL, del_statement},          {TOK_KW_GLOBAL, STMT_GLOBAL, global_statement},
    {TOK_KW_NONLOCAL, STMT_NONLOCAL, global_statement}, {TOK_KW_IMPORT, STMT_IMPORT, import_statement},
    {TOK_KW_FROM, STMT_FROM, from_statement},
};

/* simple_stmt: keyword statement | expression statement */
static struct stmt *simple(struct parser *p)
{
    struct stmt *s = NULL;
    for (size_t i = 0; i < sizeof keyword_statements / sizeof keyword_statements[0] && s == NULL; i++) {
        if (keyword_statements[i].token != tw_parse_peek(p))
            continue;
        s = tw_parse_stmt_node(p, keyword_statements[i].kind, tw_parse_span(p));
        tw_parse_take(p);
        s = keyword_statements[i].rest(p, s);
    }
    if (s == NULL)
        s = expression_statement(p);
    s->at = tw_parse_from(p, s->at);
    return s;
}

static bool expects_colon(const struct stmt *s)
{
    return s->kind == STMT_EXPR && s->u.value->kind == EXPR_NAME;
}

/* What was read may be the beginning of something else; say what the line is missing. */
static void line_goes_on(struct parser *p, const struct stmt *s)
{
    if (expects_colon(s) && (tw_parse_peek(p) == TOK_NAME || tw_parse_peek(p) == TOK_STRING)) {
        struct diag *d = tw_parse_token(p)->kind == TOK_ERROR
                             ? NULL
                             : tw_parse_error(p, E0101, tw_parse_span(p), "'%s' begins no statement", s->u.value->u.name);
        if (d != NULL)
            tw_diag_found(d, "two names in a row");
        return;
    }
    tw_parse_unexpected(p, "the statement", "an operator or the end of the line");
}

/* simple_stmts: simple_stmt { ";" simple_stmt } [";"] NEWLINE */
void tw_parse_simple_line(struct parser *p, struct block *out)
{
    do {
        if (tw_parse_peek(p) == TOK_NEWLINE)
            break;
        struct stmt *s = simple(p);
        if (tw_parse_peek(p) != TOK_SEMI && tw_parse_peek(p) != TOK_NEWLINE && tw_parse_peek(p) != TOK_END)
            line_goes_on(p, s);
        if (p->failed)
            return;
        *vec_push(p->arena, out) = s;
    } while (tw_parse_accept(p, TOK_SEMI));
    tw_parse_accept(p, TOK_NEWLINE);
}
