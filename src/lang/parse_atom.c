/* Atoms and what may follow them: displays, comprehensions, calls, attributes, subscripts, and the
 * parameter lists that calls are matched with. */
#include "lang/parse.h"

static struct expr *error_node(struct parser *p, const char *where)
{
    tw_parse_unexpected(p, where, "an expression");
    return tw_parse_node(p, EXPR_ERROR, tw_parse_span(p));
}

static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    return (unsigned)((c | 32) - 'a' + 10);
}

static struct expr *integer(struct parser *p)
{
    struct expr *e = tw_parse_node(p, EXPR_INT, tw_parse_span(p));
    const struct str text = tw_parse_text(p, tw_parse_take(p));
    const char mark = text.len > 1 && text.at[0] == '0' ? (char)(text.at[1] | 32) : ' ';
    const unsigned base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    for (size_t i = base == 10 ? 0 : 2; i < text.len; i++) {
        if (text.at[i] == '_')
            continue;
        const unsigned digit = digit_value(text.at[i]);
        e->u.integer.huge |= e->u.integer.word > (UINT64_MAX - digit) / base;
        e->u.integer.word = e->u.integer.word * base + digit;
    }
    return e;
}

static struct expr *leaf(struct parser *p, enum expr_kind kind)
{
    struct expr *e = tw_parse_node(p, kind, tw_parse_span(p));
    const struct str text = tw_parse_text(p, tw_parse_take(p));
    if (kind == EXPR_NAME)
        e->u.name = tw_intern(p->names, text);
    else if (kind == EXPR_FLOAT)
        e->u.text = text;
    return e;
}

/* for_if_clauses: { "for" star_targets "in" disjunction { "if" disjunction } } */
static void clauses(struct parser *p, struct expr *comp)
{
    while (tw_parse_accept(p, TOK_KW_FOR)) {
        struct comp_clause c = {0};
        c.target = tw_parse_adopt(p, comp, tw_parse_target_list(p));
        tw_parse_check_target(p, c.target, "assign to");
        tw_parse_expect(p, TOK_KW_IN, "the comprehension");
        c.iter = tw_parse_adopt(p, comp, tw_parse_disjunction(p));
        while (tw_parse_accept(p, TOK_KW_IF))
            tw_parse_append(p, comp, &c.conds, tw_parse_disjunction(p));
        *vec_push(p->arena, &comp->u.comp.clauses) = c;
    }
}

static struct expr *comprehension(struct parser *p, char open, struct expr *key, struct expr *value)
{
    struct expr *e = tw_parse_node(p, EXPR_COMPREHENSION, value->at);
    e->u.comp.open = open;
    e->u.comp.key = tw_parse_adopt(p, e, key);
    e->u.comp.value = tw_parse_adopt(p, e, value);
    clauses(p, e);
    return e;
}

static struct expr *close(struct parser *p, struct expr *e, struct src_span open, enum token_kind kind, const char *where)
{
    tw_parse_expect(p, kind, where);
    e->at = tw_parse_from(p, open);
    e->parenthesised = true;
    return e;
}

/* group, tuple, genexp: "(" [yield_expr | star_expressions | expression for_if_clauses] ")" */
static struct expr *parenthesised(struct parser *p)
{
    const struct src_span open = tw_parse_span(p);
    tw_parse_take(p);
    if (tw_parse_peek(p) == TOK_RPAR)
        return close(p, tw_parse_node(p, EXPR_TUPLE, open), open, TOK_RPAR, "the tuple");
    struct expr *e = tw_parse_yield_or_expressions(p);
    if (tw_parse_peek(p) == TOK_KW_FOR)
        e = comprehension(p, '(', NULL, e);
    return close(p, e, open, TOK_RPAR, "the expression in parentheses");
}

/* list, listcomp: "[" [star_expressions | expression for_if_clauses] "]" */
static struct expr *list(struct parser *p)
{
    const struct src_span open = tw_parse_span(p);
    tw_parse_take(p);
    struct expr *e = tw_parse_node(p, EXPR_LIST, open);
    if (tw_parse_peek(p) == TOK_RSQB)
        return close(p, e, open, TOK_RSQB, "the list");
    struct expr *first = tw_parse_star_expressions(p);
    if (tw_parse_peek(p) == TOK_KW_FOR)
        return close(p, comprehension(p, '[', NULL, first), open, TOK_RSQB, "the list");
    if (first->kind == EXPR_TUPLE && !first->parenthesised) {
        e->u.items = first->u.items;
        e->height = first->height;
    } else {
        tw_parse_append(p, e, &e->u.items, first);
    }
    return close(p, e, open, TOK_RSQB, "the list");
}

/* double_starred_kvpair: "**" bitwise_or | expression ":" expression; a set has expressions alone */
static void brace_item(struct parser *p, struct expr *e)
{
    if (tw_parse_accept(p, TOK_POW)) {
        struct dict_item *item = vec_push(p->arena, &e->u.dict);
        item->value = tw_parse_adopt(p, e, tw_parse_disjunction(p));
        return;
    }
    struct dict_item item = {.key = tw_parse_adopt(p, e, tw_parse_expression(p))};
    tw_parse_expect(p, TOK_COLON, "the dict");
    item.value = tw_parse_adopt(p, e, tw_parse_expression(p));
    *vec_push(p->arena, &e->u.dict) = item;
}

static struct expr *dict_rest(struct parser *p, struct expr *e, struct src_span open)
{
    while (tw_parse_accept(p, TOK_COMMA) && tw_parse_peek(p) != TOK_RBRACE)
        brace_item(p, e);
    return close(p, e, open, TOK_RBRACE, "the dict");
}

static struct expr *set_rest(struct parser *p, struct expr *first, struct src_span open)
{
    struct expr *e = tw_parse_node(p, EXPR_SET, open);
    if (tw_parse_peek(p) == TOK_KW_FOR)
        return close(p, comprehension(p, '{', NULL, first), open, TOK_RBRACE, "the set");
    tw_parse_append(p, e, &e->u.items, first);
    while (tw_parse_accept(p, TOK_COMMA) && tw_parse_peek(p) != TOK_RBRACE)
        tw_parse_append(p, e, &e->u.items, tw_parse_expression(p));
    return close(p, e, open, TOK_RBRACE, "the set");
}

/* dict, set and their comprehensions: "{" … "}" */
static struct expr *braces(struct parser *p)
{
    const struct src_span open = tw_parse_span(p);
    tw_parse_take(p);
    struct expr *e = tw_parse_node(p, EXPR_DICT, open);
    if (tw_parse_peek(p) == TOK_RBRACE)
        return close(p, e, open, TOK_RBRACE, "the dict");
    if (tw_parse_peek(p) == TOK_POW) {
        brace_item(p, e);
        return dict_rest(p, e, open);
    }
    struct expr *first = tw_parse_expression(p);
    if (!tw_parse_accept(p, TOK_COLON))
        return set_rest(p, first, open);
    struct expr *value = tw_parse_expression(p);
    if (tw_parse_peek(p) == TOK_KW_FOR)
        return close(p, comprehension(p, '{', first, value), open, TOK_RBRACE, "the dict");
    tw_parse_adopt(p, e, first);
    tw_parse_adopt(p, e, value);
    *vec_push(p->arena, &e->u.dict) = (struct dict_item){first, value};
    return dict_rest(p, e, open);
}

/* atom: NAME | NUMBER | strings | "True" | "False" | "None" | "..." | group | list | braces */
static struct expr *atom(struct parser *p)
{
    static const struct {
        enum token_kind token;
        enum expr_kind kind;
    } leaves[] = {{TOK_NAME, EXPR_NAME}, {TOK_FLOAT, EXPR_FLOAT}, {TOK_KW_TRUE, EXPR_TRUE}, {TOK_KW_FALSE, EXPR_FALSE},
                  {TOK_KW_NONE, EXPR_NONE}, {TOK_ELLIPSIS, EXPR_ELLIPSIS}};
    const enum token_kind kind = tw_parse_peek(p);
    for (size_t i = 0; i < sizeof leaves / sizeof leaves[0]; i++)
        if (leaves[i].token == kind)
            return leaf(p, leaves[i].kind);
    if (kind == TOK_INT)
        return integer(p);
    if (kind == TOK_STRING)
        return tw_parse_strings(p);
    if (kind != TOK_LPAR && kind != TOK_LSQB && kind != TOK_LBRACE)
        return error_node(p, "the expression");
    if (!tw_parse_enter(p))
        return tw_parse_node(p, EXPR_ERROR, tw_parse_span(p));
    struct expr *e = kind == TOK_LPAR ? parenthesised(p) : kind == TOK_LSQB ? list(p) : braces(p);
    tw_parse_leave(p);
    return e;
}

static struct expr *optional_bound(struct parser *p, struct expr *slice)
{
    return tw_parse_starts_expression(tw_parse_peek(p)) ? tw_parse_adopt(p, slice, tw_parse_expression(p)) : NULL;
}

/* slice: [expression] ":" [expression] [":" [expression]] | star_expression */
static struct expr *slice(struct parser *p)
{
    const struct src_span begin = tw_parse_span(p);
    struct expr *low = NULL;
    if (tw_parse_peek(p) == TOK_STAR) {
        struct expr *star = tw_parse_node(p, EXPR_STARRED, begin);
        tw_parse_take(p);
        star->u.unary.arg = tw_parse_adopt(p, star, tw_parse_disjunction(p));
        return star;
    }
    if (tw_parse_peek(p) != TOK_COLON)
        low = tw_parse_expression(p);
    if (tw_parse_peek(p) != TOK_COLON)
        return low == NULL ? error_node(p, "the subscript") : low;
    tw_parse_take(p);
    struct expr *e = tw_parse_node(p, EXPR_SLICE, begin);
    e->u.slice.low = tw_parse_adopt(p, e, low);
    e->u.slice.high = optional_bound(p, e);
    if (tw_parse_accept(p, TOK_COLON))
        e->u.slice.step = optional_bound(p, e);
    e->at = tw_parse_from(p, begin);
    return e;
}

/* slices: slice { "," slice } [","] */
static struct expr *slices(struct parser *p)
{
    struct expr *first = slice(p);
    if (tw_parse_peek(p) != TOK_COMMA)
        return first;
    struct expr *e = tw_parse_node(p, EXPR_TUPLE, first->at);
    tw_parse_append(p, e, &e->u.items, first);
    while (tw_parse_accept(p, TOK_COMMA) && tw_parse_peek(p) != TOK_RSQB)
        tw_parse_append(p, e, &e->u.items, slice(p));
    e->at = tw_parse_from(p, first->at);
    return e;
}

static void check_argument_order(struct parser *p, const struct call_args *args, const struct call_arg *a)
{
    for (uint32_t i = 0; i < args->len; i++) {
        const struct call_arg *before = &args->at[i];
        if (a->name != NULL && before->name == a->name) {
            struct diag *d = tw_parse_error(p, E0112, a->at, "the keyword '%s' is given twice", a->name);
            if (d != NULL)
                tw_diag_note(d, before->at, "first given here");
        } else if (a->name == NULL && a->stars == 0 && (before->name != NULL || before->stars == 2)) {
            struct diag *d = tw_parse_error(p, E0112, a->at, "a positional argument stands after a keyword argument");
            if (d != NULL)
                tw_diag_note(d, before->at, "the keyword argument");
        }
    }
}

/* argument: "*" expression | "**" expression | NAME "=" expression | expression [for_if_clauses] */
static struct call_arg argument(struct parser *p, struct expr *owner)
{
    const struct src_span begin = tw_parse_span(p);
    struct call_arg a = {0};
    if (tw_parse_accept(p, TOK_STAR))
        a.stars = 1;
    else if (tw_parse_accept(p, TOK_POW))
        a.stars = 2;
    else if (tw_parse_peek(p) == TOK_NAME && tw_parse_peek_next(p) == TOK_ASSIGN) {
        a.name = tw_parse_name(p, "the call");
        tw_parse_take(p);
    }
    a.value = tw_parse_expression(p);
    if (a.name == NULL && a.stars == 0 && tw_parse_peek(p) == TOK_KW_FOR)
        a.value = comprehension(p, '(', NULL, a.value);
    tw_parse_adopt(p, owner, a.value);
    a.at = tw_parse_from(p, begin);
    return a;
}

/* arguments: "(" [argument { "," argument } [","]] ")" */
void tw_parse_arguments(struct parser *p, struct expr *owner, struct call_args *out)
{
    tw_parse_expect(p, TOK_LPAR, "the call");
    while (tw_parse_peek(p) != TOK_RPAR) {
        const struct call_arg a = argument(p, owner);
        check_argument_order(p, out, &a);
        *vec_push(p->arena, out) = a;
        if (!tw_parse_accept(p, TOK_COMMA))
            break;
    }
    if (tw_parse_peek(p) != TOK_RPAR)
        tw_parse_unexpected(p, "the call", "',' or ')'");
    tw_parse_accept(p, TOK_RPAR);
}

static struct expr *trailer(struct parser *p, struct expr *object)
{
    const enum token_kind kind = tw_parse_peek(p);
    struct expr *e = tw_parse_node(
        p, kind == TOK_DOT ? EXPR_ATTR : kind == TOK_LPAR ? EXPR_CALL : EXPR_SUBSCRIPT, object->at);
    tw_parse_adopt(p, e, object);
    if (kind == TOK_DOT) {
        tw_parse_take(p);
        e->u.attr.object = object;
        e->u.attr.name_at = tw_parse_span(p);
        e->u.attr.name = tw_parse_name(p, "the attribute");
    } else if (kind == TOK_LPAR) {
        e->u.call.callee = object;
        tw_parse_arguments(p, e, &e->u.call.args);
    } else {
        tw_parse_take(p);
        e->u.subscript.object = object;
        e->u.subscript.index = tw_parse_adopt(p, e, slices(p));
        tw_parse_expect(p, TOK_RSQB, "the subscript");
    }
    e->at = tw_parse_from(p, object->at);
    return e;
}

/* primary: atom { "." NAME | arguments | "[" slices "]" } */
struct expr *tw_parse_primary(struct parser *p)
{
    if (tw_parse_peek(p) == TOK_KW_AWAIT)
        tw_parse_error(p, E0110, tw_parse_span(p), "'await' is not supported");
    struct expr *e = atom(p);
    while (tw_parse_peek(p) == TOK_DOT || tw_parse_peek(p) == TOK_LPAR || tw_parse_peek(p) == TOK_LSQB)
        e = trailer(p, e);
    return e;
}

static void check_param_order(struct parser *p, const struct params *out, const struct param *a)
{
    for (uint32_t i = 0; i < out->len; i++) {
        const struct param *before = &out->at[i];
        if (before->name == a->name) {
            struct diag *d = tw_parse_error(p, E0112, a->at, "the parameter '%s' is declared twice", a->name);
            if (d != NULL)
                tw_diag_note(d, before->at, "first declared here");
        } else if (a->kind == PARAM_PLAIN && a->value == NULL && before->kind == PARAM_PLAIN && before->value != NULL) {
            tw_parse_error(p, E0112, a->at, "the parameter '%s' without a default follows one with a default", a->name);
        }
    }
}

/* param: ["*" | "**"] NAME [":" expression] ["=" expression]; a lambda's have no annotation */
static struct param param(struct parser *p, bool annotated, bool keyword_only)
{
    struct param a = {.kind = keyword_only ? PARAM_KEYWORD_ONLY : PARAM_PLAIN};
    if (tw_parse_accept(p, TOK_STAR))
        a.kind = PARAM_STAR;
    else if (tw_parse_accept(p, TOK_POW))
        a.kind = PARAM_DOUBLE_STAR;
    a.at = tw_parse_span(p);
    a.name = tw_parse_name(p, "the parameter list");
    if (annotated && tw_parse_accept(p, TOK_COLON))
        a.annotation = tw_parse_expression(p);
    if (tw_parse_accept(p, TOK_ASSIGN))
        a.value = tw_parse_expression(p);
    return a;
}

/* parameters: [param { "," param } [","]], with a bare "*" before keyword-only ones and "/" after
 * positional-only ones */
void tw_parse_params(struct parser *p, enum token_kind end, struct params *out)
{
    bool keyword_only = false;
    while (tw_parse_peek(p) != end && !p->failed) {
        if (tw_parse_peek(p) == TOK_STAR && tw_parse_peek_next(p) == TOK_COMMA) {
            tw_parse_take(p);
            keyword_only = true;
        } else if (tw_parse_accept(p, TOK_SLASH)) {
            for (uint32_t i = 0; i < out->len; i++)
                out->at[i].kind = PARAM_POSITIONAL_ONLY;
        } else {
            const struct param a = param(p, end == TOK_RPAR, keyword_only);
            check_param_order(p, out, &a);
            keyword_only |= a.kind == PARAM_STAR;
            *vec_push(p->arena, out) = a;
        }
        if (!tw_parse_accept(p, TOK_COMMA))
            break;
    }
    if (tw_parse_peek(p) != end)
        tw_parse_unexpected(p, "the parameter list", tw_format(p->arena, "',' or '%s'", tw_token_spelling(end)));
}
