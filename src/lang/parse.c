/* The parser's ground: taking tokens, reporting the one fault of a statement, and going on after it. */
#include "lang/parse.h"

#include "base/limits.h"

enum token_kind tw_parse_peek(const struct parser *p)
{
    return p->failed ? TOK_ERROR : (enum token_kind)p->tokens[p->pos].kind;
}

enum token_kind tw_parse_peek_next(const struct parser *p)
{
    const enum token_kind here = tw_parse_peek(p);
    return here == TOK_END || here == TOK_ERROR ? here : (enum token_kind)p->tokens[p->pos + 1].kind;
}

const struct token *tw_parse_token(const struct parser *p)
{
    return &p->tokens[p->pos];
}

struct src_span tw_parse_span(const struct parser *p)
{
    const struct token *t = &p->tokens[p->pos];
    return (struct src_span){p->file, t->begin, t->end};
}

struct src_span tw_parse_from(const struct parser *p, struct src_span begin)
{
    if (p->pos != 0 && p->tokens[p->pos - 1].end > begin.end)
        begin.end = p->tokens[p->pos - 1].end;
    return begin;
}

const struct token *tw_parse_take(struct parser *p)
{
    const struct token *t = &p->tokens[p->pos];
    if (!p->failed && t->kind != TOK_END)
        p->pos++;
    return t;
}

bool tw_parse_accept(struct parser *p, enum token_kind kind)
{
    if (tw_parse_peek(p) != kind)
        return false;
    tw_parse_take(p);
    return true;
}

bool tw_parse_expect(struct parser *p, enum token_kind kind, const char *where)
{
    if (tw_parse_accept(p, kind))
        return true;
    tw_parse_unexpected(p, where, tw_token_describe(p->arena, kind));
    return false;
}

struct str tw_parse_text(const struct parser *p, const struct token *t)
{
    return tw_sources_text(p->sources, (struct src_span){p->file, t->begin, t->end});
}

static const char *describe_found(const struct parser *p)
{
    enum { SHOWN = 40 };
    const struct token *t = tw_parse_token(p);
    const struct str text = tw_parse_text(p, t);
    const enum token_kind kind = (enum token_kind)t->kind;
    if (kind == TOK_END && p->in_field)
        return "the end of the field";
    if (tw_token_class(kind) != TOKEN_CLASS_TEXT || text.len == 0 || kind == TOK_NEWLINE || kind == TOK_INDENT)
        return tw_token_describe(p->arena, kind);
    if (kind == TOK_STRING)
        return "a string";
    return tw_format(p->arena, "%s '%.*s'%s", kind == TOK_NAME ? "the name" : "the number",
                     text.len > SHOWN ? SHOWN : (int)text.len, text.at, text.len > SHOWN ? "..." : "");
}

void tw_parse_unexpected(struct parser *p, const char *where, const char *expected)
{
    if (!p->failed && tw_parse_token(p)->kind == TOK_ERROR) {
        p->failed = true; /* the lexer has spoken */
        return;
    }
    struct diag *d = tw_parse_error(p, E0101, tw_parse_span(p), "%s is not complete", where);
    if (d == NULL)
        return;
    tw_diag_expected(d, "%s", expected);
    tw_diag_found(d, "%s", describe_found(p));
}

struct diag *tw_parse_error(struct parser *p, enum diag_code code, struct src_span at, const char *format, ...)
{
    if (p->failed)
        return NULL;
    p->failed = true;
    va_list args;
    va_start(args, format);
    const char *message = tw_formatv(p->arena, format, args);
    va_end(args);
    return tw_diag(p->diags, code, at, "%s", message);
}

bool tw_parse_enter(struct parser *p)
{
    if (p->failed)
        return false;
    if (p->depth >= TW_MAX_NESTING) {
        tw_parse_error(p, E0109, tw_parse_span(p), "the program nests deeper than %d levels here", TW_MAX_NESTING);
        return false;
    }
    p->depth++;
    return true;
}

void tw_parse_leave(struct parser *p)
{
    p->depth--;
}

const char *tw_parse_name(struct parser *p, const char *where)
{
    if (tw_parse_peek(p) != TOK_NAME) {
        tw_parse_unexpected(p, where, tw_token_describe(p->arena, TOK_NAME));
        return NULL;
    }
    return tw_intern(p->names, tw_parse_text(p, tw_parse_take(p)));
}

struct expr *tw_parse_node(struct parser *p, enum expr_kind kind, struct src_span at)
{
    struct expr *e = arena_new(p->arena, struct expr, 1);
    e->kind = kind;
    e->at = at;
    return e;
}

struct expr *tw_parse_adopt(struct parser *p, struct expr *parent, struct expr *child)
{
    if (child == NULL || child->height < parent->height)
        return child;
    parent->height = (uint16_t)(child->height + 1);
    if (parent->height > TW_MAX_NESTING)
        tw_parse_error(p, E0109, parent->at, "the program nests deeper than %d levels here", TW_MAX_NESTING);
    return child;
}

void tw_parse_append(struct parser *p, struct expr *parent, struct expr_list *list, struct expr *child)
{
    tw_parse_adopt(p, parent, child);
    *vec_push(p->arena, list) = child;
}

struct stmt *tw_parse_stmt_node(struct parser *p, enum stmt_kind kind, struct src_span at)
{
    struct stmt *s = arena_new(p->arena, struct stmt, 1);
    s->kind = kind;
    s->at = at;
    return s;
}

/* ---- statements and recovery ---- */

static bool is_orphan(enum token_kind kind)
{
    return kind == TOK_KW_ELSE || kind == TOK_KW_ELIF || kind == TOK_KW_EXCEPT || kind == TOK_KW_FINALLY;
}

static void skip_line(struct parser *p)
{
    while (tw_parse_peek(p) != TOK_NEWLINE && tw_parse_peek(p) != TOK_END && tw_parse_peek(p) != TOK_DEDENT &&
           tw_parse_peek(p) != TOK_INDENT)
        p->pos++;
    tw_parse_accept(p, TOK_NEWLINE);
}

/* The tokens of a block that is nested too deep to be read, INDENT to its DEDENT. */
static void skip_block(struct parser *p)
{
    uint32_t open = 0;
    do {
        const enum token_kind kind = tw_parse_peek(p);
        open += kind == TOK_INDENT;
        open -= kind == TOK_DEDENT;
        tw_parse_take(p);
    } while (open != 0 && tw_parse_peek(p) != TOK_END);
}

static void dropped_block(struct parser *p)
{
    struct block dropped = {0};
    p->depth++;
    tw_parse_take(p);
    tw_parse_statements(p, TOK_DEDENT, &dropped);
    tw_parse_accept(p, TOK_DEDENT);
    p->depth--;
}

/* After a fault: the rest of the line goes; a block under it is still read for faults of its own, with
 * everything allowed that the lost header may have allowed; so are `else` and its kin. */
static void recover(struct parser *p)
{
    const bool in_function = p->in_function;
    const uint32_t loop_depth = p->loop_depth;
    p->failed = false;
    p->in_function = true;
    p->loop_depth = 1;
    do {
        skip_line(p);
        if (tw_parse_peek(p) != TOK_INDENT)
            continue;
        if (p->depth < TW_MAX_NESTING)
            dropped_block(p);
        else
            skip_block(p);
    } while (is_orphan(tw_parse_peek(p)));
    p->in_function = in_function;
    p->loop_depth = loop_depth;
}

static void unexpected_indent(struct parser *p)
{
    struct diag *d = tw_parse_error(p, E0106, tw_parse_span(p), "this line is indented, but no block begins here");
    if (d != NULL)
        tw_diag_fix(d, "indent it like the line above");
}

static void statement(struct parser *p, struct block *out)
{
    if (tw_parse_peek(p) == TOK_INDENT) {
        unexpected_indent(p);
    } else if (tw_parse_is_compound(tw_parse_peek(p))) {
        struct stmt *s = tw_parse_compound(p);
        if (!p->failed)
            *vec_push(p->arena, out) = s;
    } else {
        tw_parse_simple_line(p, out);
    }
}

/* statements: { compound_stmt | simple_stmts } */
void tw_parse_statements(struct parser *p, enum token_kind until, struct block *out)
{
    while (tw_parse_peek(p) != until && tw_parse_peek(p) != TOK_END) {
        const uint32_t before = p->pos;
        statement(p, out);
        if (p->failed)
            recover(p);
        if (p->pos == before) /* a stray DEDENT after a fault */
            p->pos++;
    }
}

/* The lexer has been over the whole file before the parser speaks: put both in the order of the text. */
static void sort_from(struct diags *diags, uint32_t first)
{
    for (uint32_t i = first + 1; i < diags->list.len; i++) {
        struct diag *d = diags->list.at[i];
        uint32_t k = i;
        for (; k > first && diags->list.at[k - 1]->at.begin > d->at.begin; k--)
            diags->list.at[k] = diags->list.at[k - 1];
        diags->list.at[k] = d;
    }
}

struct block tw_lang_parse(struct arena *arena, const struct sources *sources, uint32_t file, struct diags *diags,
                           struct interner *names)
{
    struct token_list tokens = {0};
    const uint32_t first_diag = diags->list.len;
    tw_lang_lex(arena, sources, file, diags, &tokens);
    struct parser p = {.arena = arena, .sources = sources, .diags = diags, .names = names, .file = file,
                       .tokens = tokens.list.at};
    struct block out = {0};
    tw_parse_statements(&p, TOK_END, &out);
    sort_from(diags, first_diag);
    return out;
}
