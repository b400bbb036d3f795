/* The syntax tree as S-expressions, so that a table can say what a text parses to. */
#ifndef TW_TESTS_LANG_AST_TEXT_H
#define TW_TESTS_LANG_AST_TEXT_H

#include "lang/ast.h"
#include "support/check.h"

static void put_expr(struct text *out, const struct expr *e);
static void put_block(struct text *out, const char *head, const struct block *b);

static void put_list(struct text *out, const char *head, const struct expr_list *list)
{
    tw_text_addf(out, "(%s", head);
    for (uint32_t i = 0; i < list->len; i++) {
        tw_text_put(out, ' ');
        put_expr(out, list->at[i]);
    }
    tw_text_put(out, ')');
}

static void put_optional(struct text *out, const struct expr *e)
{
    tw_text_put(out, ' ');
    if (e == NULL)
        tw_text_put(out, '_');
    else
        put_expr(out, e);
}

static void put_args(struct text *out, const struct call_args *args)
{
    for (uint32_t i = 0; i < args->len; i++) {
        const struct call_arg *a = &args->at[i];
        tw_text_addf(out, " %s", a->stars == 1 ? "*" : a->stars == 2 ? "**" : "");
        if (a->name != NULL)
            tw_text_addf(out, "%s=", a->name);
        put_expr(out, a->value);
    }
}

static void put_params(struct text *out, const struct params *params)
{
    static const char *const marks[] = {"", "*", "**", "kw:", "pos:"};
    for (uint32_t i = 0; i < params->len; i++) {
        const struct param *a = &params->at[i];
        tw_text_addf(out, " %s%s", marks[a->kind], a->name);
        if (a->annotation != NULL) {
            tw_text_put(out, ':');
            put_expr(out, a->annotation);
        }
        if (a->value != NULL) {
            tw_text_put(out, '=');
            put_expr(out, a->value);
        }
    }
}

static void put_fstring(struct text *out, const struct expr *e)
{
    tw_text_add(out, "(f");
    for (uint32_t i = 0; i < e->u.parts.len; i++) {
        const struct fstring_part *part = &e->u.parts.at[i];
        tw_text_put(out, ' ');
        if (part->expr == NULL) {
            tw_text_add_json(out, part->literal);
            continue;
        }
        tw_text_addf(out, "{" STR_FMT, STR_ARG(part->shown));
        put_expr(out, part->expr);
        if (part->conversion != 0)
            tw_text_addf(out, "!%c", part->conversion);
        if (part->spec != NULL) {
            tw_text_put(out, ':');
            put_expr(out, part->spec);
        }
        tw_text_put(out, '}');
    }
    tw_text_put(out, ')');
}

static void put_comp(struct text *out, const struct expr *e)
{
    tw_text_addf(out, "(comp%c", e->u.comp.open);
    if (e->u.comp.key != NULL)
        put_optional(out, e->u.comp.key);
    put_optional(out, e->u.comp.value);
    for (uint32_t i = 0; i < e->u.comp.clauses.len; i++) {
        const struct comp_clause *c = &e->u.comp.clauses.at[i];
        tw_text_add(out, " (for");
        put_optional(out, c->target);
        put_optional(out, c->iter);
        for (uint32_t j = 0; j < c->conds.len; j++)
            put_optional(out, c->conds.at[j]);
        tw_text_put(out, ')');
    }
    tw_text_put(out, ')');
}

static void put_dict(struct text *out, const struct expr *e)
{
    tw_text_add(out, "(dict");
    for (uint32_t i = 0; i < e->u.dict.len; i++) {
        put_optional(out, e->u.dict.at[i].key);
        put_optional(out, e->u.dict.at[i].value);
    }
    tw_text_put(out, ')');
}

static void put_compare(struct text *out, const struct expr *e)
{
    tw_text_put(out, '(');
    for (uint32_t i = 0; i < e->u.compare.args.len; i++) {
        if (i != 0)
            tw_text_addf(out, " %s ", tw_compare_spelling(e->u.compare.ops[i - 1]));
        put_expr(out, e->u.compare.args.at[i]);
    }
    tw_text_put(out, ')');
}

static void put_expr(struct text *out, const struct expr *e)
{
    static const char *const unary[] = {"neg", "pos", "~", "not"};
    if (e->kind == EXPR_NAME) {
        tw_text_add(out, e->u.name);
    } else if (e->kind == EXPR_INT) {
        tw_text_addf(out, e->u.integer.huge ? "huge" : "%llu", (unsigned long long)e->u.integer.word);
    } else if (e->kind == EXPR_FLOAT) {
        tw_text_add_str(out, e->u.text);
    } else if (e->kind == EXPR_STR || e->kind == EXPR_BYTES) {
        tw_text_add(out, e->kind == EXPR_BYTES ? "b" : "");
        tw_text_add_json(out, e->u.text);
    } else if (e->kind == EXPR_FSTRING) {
        put_fstring(out, e);
    } else if (e->kind == EXPR_TRUE || e->kind == EXPR_FALSE || e->kind == EXPR_NONE || e->kind == EXPR_ELLIPSIS) {
        tw_text_add(out, e->kind == EXPR_TRUE ? "True" : e->kind == EXPR_FALSE ? "False" : e->kind == EXPR_NONE ? "None" : "...");
    } else if (e->kind == EXPR_TUPLE || e->kind == EXPR_LIST || e->kind == EXPR_SET) {
        put_list(out, e->kind == EXPR_TUPLE ? "tuple" : e->kind == EXPR_LIST ? "list" : "set", &e->u.items);
    } else if (e->kind == EXPR_DICT) {
        put_dict(out, e);
    } else if (e->kind == EXPR_COMPREHENSION) {
        put_comp(out, e);
    } else if (e->kind == EXPR_UNARY) {
        tw_text_addf(out, "(%s", unary[e->u.unary.op]);
        put_optional(out, e->u.unary.arg);
        tw_text_put(out, ')');
    } else if (e->kind == EXPR_STARRED || e->kind == EXPR_YIELD) {
        tw_text_add(out, e->kind == EXPR_STARRED ? "(star" : "(yield");
        put_optional(out, e->u.unary.arg);
        tw_text_put(out, ')');
    } else if (e->kind == EXPR_BINARY) {
        tw_text_addf(out, "(%s", tw_binary_spelling(e->u.binary.op));
        put_optional(out, e->u.binary.left);
        put_optional(out, e->u.binary.right);
        tw_text_put(out, ')');
    } else if (e->kind == EXPR_BOOL) {
        put_list(out, e->u.boolean.is_and ? "and" : "or", &e->u.boolean.args);
    } else if (e->kind == EXPR_COMPARE) {
        put_compare(out, e);
    } else if (e->kind == EXPR_COND) {
        tw_text_add(out, "(if");
        put_optional(out, e->u.cond.cond);
        put_optional(out, e->u.cond.then);
        put_optional(out, e->u.cond.otherwise);
        tw_text_put(out, ')');
    } else if (e->kind == EXPR_LAMBDA) {
        tw_text_add(out, "(lambda (");
        put_params(out, &e->u.lambda.params);
        tw_text_add(out, ")");
        put_optional(out, e->u.lambda.body);
        tw_text_put(out, ')');
    } else if (e->kind == EXPR_CALL) {
        tw_text_add(out, "(call ");
        put_expr(out, e->u.call.callee);
        put_args(out, &e->u.call.args);
        tw_text_put(out, ')');
    } else if (e->kind == EXPR_ATTR) {
        put_expr(out, e->u.attr.object);
        tw_text_addf(out, ".%s", e->u.attr.name);
    } else if (e->kind == EXPR_SUBSCRIPT) {
        put_expr(out, e->u.subscript.object);
        tw_text_put(out, '[');
        put_expr(out, e->u.subscript.index);
        tw_text_put(out, ']');
    } else if (e->kind == EXPR_SLICE) {
        tw_text_add(out, "(slice");
        put_optional(out, e->u.slice.low);
        put_optional(out, e->u.slice.high);
        put_optional(out, e->u.slice.step);
        tw_text_put(out, ')');
    } else {
        tw_text_add(out, "error");
    }
}

static void put_imports(struct text *out, const struct import_items *items)
{
    for (uint32_t i = 0; i < items->len; i++) {
        tw_text_addf(out, " " STR_FMT, STR_ARG(items->at[i].path));
        if (items->at[i].renamed)
            tw_text_addf(out, "=>%s", items->at[i].bound);
    }
    tw_text_put(out, ')');
}

static void put_def(struct text *out, const struct def *d)
{
    tw_text_addf(out, "(def %s (", d->name);
    put_params(out, &d->params);
    tw_text_put(out, ')');
    for (uint32_t i = 0; i < d->decorators.len; i++) {
        tw_text_add(out, " @");
        put_expr(out, d->decorators.at[i]);
    }
    if (d->returns != NULL) {
        tw_text_add(out, " ->");
        put_optional(out, d->returns);
    }
    put_block(out, "", &d->body);
    tw_text_put(out, ')');
}

static void put_branch(struct text *out, const struct stmt *s)
{
    tw_text_add(out, "(if");
    for (uint32_t i = 0; i < s->u.branch.arms.len; i++) {
        put_optional(out, s->u.branch.arms.at[i].cond);
        put_block(out, "", &s->u.branch.arms.at[i].body);
    }
    if (s->u.branch.orelse.len != 0)
        put_block(out, "else ", &s->u.branch.orelse);
    tw_text_put(out, ')');
}

static void put_try(struct text *out, const struct stmt *s)
{
    tw_text_add(out, "(try");
    put_block(out, "", &s->u.attempt.body);
    for (uint32_t i = 0; i < s->u.attempt.handlers.len; i++) {
        const struct handler *h = &s->u.attempt.handlers.at[i];
        tw_text_add(out, " except");
        put_optional(out, h->type);
        tw_text_addf(out, " %s", h->name == NULL ? "_" : h->name);
        put_block(out, "", &h->body);
    }
    if (s->u.attempt.orelse.len != 0)
        put_block(out, "else ", &s->u.attempt.orelse);
    if (s->u.attempt.finally.len != 0)
        put_block(out, "finally ", &s->u.attempt.finally);
    tw_text_put(out, ')');
}

static void put_loop(struct text *out, const struct stmt *s)
{
    tw_text_add(out, s->kind == STMT_FOR ? "(for" : "(while");
    if (s->kind == STMT_FOR) {
        put_optional(out, s->u.loop.target);
        put_optional(out, s->u.loop.iter);
    } else {
        put_optional(out, s->u.loop.cond);
    }
    put_block(out, "", &s->u.loop.body);
    if (s->u.loop.orelse.len != 0)
        put_block(out, "else ", &s->u.loop.orelse);
    tw_text_put(out, ')');
}

static void put_with(struct text *out, const struct stmt *s)
{
    tw_text_add(out, "(with");
    for (uint32_t i = 0; i < s->u.with.items.len; i++) {
        put_optional(out, s->u.with.items.at[i].context);
        if (s->u.with.items.at[i].target != NULL) {
            tw_text_add(out, " as");
            put_optional(out, s->u.with.items.at[i].target);
        }
    }
    put_block(out, "", &s->u.with.body);
    tw_text_put(out, ')');
}

static void put_names(struct text *out, const struct stmt *s)
{
    tw_text_add(out, s->kind == STMT_GLOBAL ? "(global" : "(nonlocal");
    for (uint32_t i = 0; i < s->u.names.len; i++)
        tw_text_addf(out, " %s", s->u.names.at[i].name);
    tw_text_put(out, ')');
}

static void put_from(struct text *out, const struct stmt *s)
{
    tw_text_addf(out, "(from %u:" STR_FMT "%s", s->u.from.dots, STR_ARG(s->u.from.module), s->u.from.star ? " *" : "");
    put_imports(out, &s->u.from.items);
}

static void put_pair(struct text *out, const char *head, const struct expr *a, const struct expr *b)
{
    tw_text_addf(out, "(%s", head);
    put_optional(out, a);
    put_optional(out, b);
    tw_text_put(out, ')');
}

static void put_class(struct text *out, const struct stmt *s)
{
    tw_text_addf(out, "(class %s", s->u.class.name);
    put_args(out, &s->u.class.bases);
    put_block(out, "", &s->u.class.body);
    tw_text_put(out, ')');
}

static void put_stmt(struct text *out, const struct stmt *s)
{
    if (s->kind == STMT_EXPR) {
        put_expr(out, s->u.value);
    } else if (s->kind == STMT_ASSIGN) {
        put_list(out, "=", &s->u.assign.targets);
        put_optional(out, s->u.assign.value);
    } else if (s->kind == STMT_ANNOTATED) {
        put_pair(out, "annotated", s->u.annotated.target, s->u.annotated.annotation);
        put_optional(out, s->u.annotated.value);
    } else if (s->kind == STMT_AUGMENTED) {
        put_pair(out, tw_format(out->arena, "%s=", tw_binary_spelling(s->u.augmented.op)), s->u.augmented.target,
                 s->u.augmented.value);
    } else if (s->kind == STMT_IF) {
        put_branch(out, s);
    } else if (s->kind == STMT_FOR || s->kind == STMT_WHILE) {
        put_loop(out, s);
    } else if (s->kind == STMT_BREAK || s->kind == STMT_CONTINUE || s->kind == STMT_PASS) {
        tw_text_add(out, s->kind == STMT_BREAK ? "break" : s->kind == STMT_PASS ? "pass" : "continue");
    } else if (s->kind == STMT_RETURN) {
        tw_text_add(out, "(return");
        put_optional(out, s->u.value);
        tw_text_put(out, ')');
    } else if (s->kind == STMT_WITH) {
        put_with(out, s);
    } else if (s->kind == STMT_ASSERT || s->kind == STMT_RAISE) {
        put_pair(out, s->kind == STMT_ASSERT ? "assert" : "raise", s->u.pair.first, s->u.pair.second);
    } else if (s->kind == STMT_DEL) {
        put_list(out, "del", &s->u.targets);
    } else if (s->kind == STMT_TRY) {
        put_try(out, s);
    } else if (s->kind == STMT_GLOBAL || s->kind == STMT_NONLOCAL) {
        put_names(out, s);
    } else if (s->kind == STMT_IMPORT) {
        tw_text_add(out, "(import");
        put_imports(out, &s->u.imports);
    } else if (s->kind == STMT_FROM) {
        put_from(out, s);
    } else if (s->kind == STMT_DEF) {
        put_def(out, s->u.def);
    } else {
        put_class(out, s);
    }
}

static void put_block(struct text *out, const char *head, const struct block *b)
{
    tw_text_addf(out, " %s{", head);
    for (uint32_t i = 0; i < b->len; i++) {
        if (i != 0)
            tw_text_add(out, "; ");
        put_stmt(out, b->at[i]);
    }
    tw_text_put(out, '}');
}

#endif
