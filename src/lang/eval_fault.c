/* What is said when something is not known, does not fit, or goes on for too long. */
#include "lang/eval.h"

#include "base/limits.h"
#include "base/nearest.h"

#include <string.h>

static struct value new_host(struct eval *ev, const char *what, struct src_span entered, struct src_span made)
{
    struct host *h = arena_new(ev->arena, struct host, 1);
    *h = (struct host){what, entered, made};
    return (struct value){.kind = VALUE_HOST, .u.host = h};
}

struct value tw_eval_unsupported(struct eval *ev, struct src_span at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *what = tw_formatv(ev->arena, format, args);
    va_end(args);
    if (ev->build == NULL)
        return new_host(ev, what, at, at);
    tw_diag(ev->diags, E0203, at, "%s is not supported", what);
    return value_error();
}

struct value tw_eval_host(struct eval *ev, struct src_span at, struct value from)
{
    return new_host(ev, from.u.host->what, from.u.host->entered, at);
}

/* `where` NULL: the expression as it is written. */
static const char *host_subject(struct eval *ev, struct src_span at, const char *where)
{
    enum { SHOWN = 40 };
    const struct str text = tw_sources_text(ev->sources, at);
    if (where != NULL || text.len > SHOWN || memchr(text.at, '\n', text.len) != NULL)
        return where != NULL ? where : "this";
    return tw_format(ev->arena, "'" STR_FMT "'", STR_ARG(text));
}

struct value tw_eval_host_used(struct eval *ev, struct src_span at, struct value v, const char *where)
{
    const struct host *h = v.u.host;
    struct diag *d = tw_diag(ev->diags, E0204, at, "%s is a host value", host_subject(ev, at, where));
    tw_diag_expected(d, "a value that is known when the kernel is compiled");
    tw_diag_found(d, "%s%s", h->made.begin == h->entered.begin ? "" : "a value computed from ", h->what);
    if (h->entered.file != 0)
        tw_diag_note(d, h->entered, "it came into the program here");
    if (h->made.file != 0 && (h->made.begin != h->entered.begin || h->entered.file == 0))
        tw_diag_note(d, h->made, "the value was made here");
    return value_error();
}

struct value tw_eval_mismatch(struct eval *ev, struct src_span at, const char *what, const char *expected, struct value v)
{
    if (v.kind == VALUE_ERROR)
        return v;
    if (v.kind == VALUE_HOST)
        return ev->build == NULL ? tw_eval_host(ev, at, v) : tw_eval_host_used(ev, at, v, what);
    const bool late = value_is_run_time(v) || v.kind == VALUE_REGION;
    struct diag *d = tw_diag(ev->diags, late ? E0207 : E0206, at,
                             late ? "%s must be known at compile time" : "%s has the wrong kind", what);
    tw_diag_expected(d, "%s", expected);
    tw_diag_found(d, "%s", tw_value_describe(ev->arena, v));
    return value_error();
}

struct value tw_eval_wrong_kind(struct eval *ev, struct src_span at, const char *what, const char *expected, struct value v)
{
    if (!value_is_run_time(v) && v.kind != VALUE_REGION)
        return tw_eval_mismatch(ev, at, what, expected, v);
    struct diag *d = tw_diag(ev->diags, E0206, at, "%s has the wrong kind", what);
    tw_diag_expected(d, "%s", expected);
    tw_diag_found(d, "%s", tw_value_describe(ev->arena, v));
    return value_error();
}

static void stop(struct eval *ev, struct src_span at, const char *why, int limit, const char *fix)
{
    if (ev->stopped)
        return;
    ev->stopped = true;
    struct diag *d = tw_diag(ev->diags, E0217, at, why, limit);
    tw_diag_fix(d, "%s", fix);
}

bool tw_eval_enter(struct eval *ev, struct src_span at)
{
    if (ev->depth >= 2 * TW_MAX_NESTING)
        stop(ev, at, "the evaluation nests deeper than %d levels", 2 * TW_MAX_NESTING, "end the recursion earlier");
    if (ev->stopped)
        return false;
    ev->depth++;
    return true;
}

void tw_eval_leave(struct eval *ev)
{
    ev->depth--;
}

bool tw_eval_step(struct eval *ev, struct src_span at)
{
    if (++ev->steps > TW_MAX_EVAL_STEPS)
        stop(ev, at, "the program takes more than %d steps at compile time", TW_MAX_EVAL_STEPS,
             "shorten the loop, or move it out of what is compiled");
    return !ev->stopped;
}

struct layout_env tw_eval_layout_env(const struct eval *ev, struct src_span at)
{
    return (struct layout_env){.arena = ev->arena, .diags = ev->diags, .at = at};
}

/* ---- static arguments ---- */

bool tw_eval_static_int(struct eval *ev, struct value v, struct src_span at, const char *what, int64_t *out)
{
    int64_t constant;
    if (v.kind == VALUE_EXPR && tw_ir_is_const_int(v.u.expr, &constant)) {
        *out = constant;
        return true;
    }
    if (!value_is_integer(v)) {
        tw_eval_mismatch(ev, at, what, "an integer", v);
        return false;
    }
    const wide i = value_integer(v);
    if (i > INT64_MAX || i < INT64_MIN) {
        struct diag *d = tw_diag(ev->diags, E0211, at, "%s is too large", what);
        tw_diag_found(d, "%s", tw_value_describe(ev->arena, v));
        return false;
    }
    *out = (int64_t)i;
    return true;
}

bool tw_eval_static_str(struct eval *ev, struct value v, struct src_span at, const char *what, struct str *out)
{
    if (v.kind != VALUE_STR) {
        tw_eval_mismatch(ev, at, what, "a string", v);
        return false;
    }
    *out = v.u.text;
    return true;
}

bool tw_eval_static_bool(struct eval *ev, struct value v, struct src_span at, const char *what, bool *out)
{
    if (v.kind != VALUE_BOOL) {
        tw_eval_mismatch(ev, at, what, "True or False", v);
        return false;
    }
    *out = v.u.truth;
    return true;
}

bool tw_eval_static_shape(struct eval *ev, struct value v, struct src_span at, const char *what, struct shape *out)
{
    *out = (struct shape){0};
    const struct layout_env env = tw_eval_layout_env(ev, at);
    int64_t dims[TW_MAX_RANK];
    const uint32_t rank = value_is_sequence(v) ? v.u.list->len : 1;
    if (!value_is_sequence(v) && !value_is_integer(v) && v.kind != VALUE_EXPR) {
        tw_eval_mismatch(ev, at, what, "an integer or a tuple of integers", v);
        return false;
    }
    if (rank > TW_MAX_RANK) {
        struct diag *d = tw_diag(ev->diags, E0206, at, "%s has too many dimensions", what);
        tw_diag_expected(d, "at most %d", TW_MAX_RANK);
        tw_diag_found(d, "%u", rank);
        return false;
    }
    for (uint32_t i = 0; i < rank; i++) {
        const struct value item = value_is_sequence(v) ? v.u.list->at[i] : v;
        if (!tw_eval_static_int(ev, item, at, tw_format(ev->arena, "dimension %u of %s", i, what), &dims[i]))
            return false;
    }
    return tw_shape_make(&env, rank, dims, out);
}

/* The dtype nearest to a misspelt name, or NULL. */
static const char *nearest_dtype(struct str name)
{
    struct nearest best = nearest_to(name);
    for (int f = NUM_NONE + 1; f < NUM_FORMAT_COUNT; f++)
        if (tw_num_format((enum num_format)f)->dtype != NULL)
            tw_nearest_consider(&best, tw_num_format((enum num_format)f)->dtype);
    return best.name;
}

static bool unknown_dtype(struct eval *ev, struct str name, struct src_span at)
{
    struct diag *d = tw_diag(ev->diags, E0206, at, "there is no dtype '" STR_FMT "'", STR_ARG(name));
    const char *nearest = nearest_dtype(name);
    if (nearest != NULL)
        tw_diag_fix(d, "write \"%s\"", nearest);
    return false;
}

bool tw_eval_dtype(struct eval *ev, struct value v, struct src_span at, const char *what, struct ir_type *out)
{
    if (v.kind == VALUE_DTYPE) {
        *out = v.u.dtype;
        return true;
    }
    if (v.kind == VALUE_TYPE && v.u.type->is_scalar) {
        *out = v.u.type->elem;
        return true;
    }
    if (v.kind != VALUE_STR) {
        tw_eval_mismatch(ev, at, what, "a dtype, such as \"float16\" or T.float16", v);
        return false;
    }
    if (tw_str_is(v.u.text, "bool")) {
        *out = tw_ir_bool();
        return true;
    }
    const enum num_format f = tw_num_format_by_dtype(v.u.text);
    *out = tw_ir_type_of(f);
    return f != NUM_NONE || unknown_dtype(ev, v.u.text, at);
}

bool tw_eval_layout(struct eval *ev, struct value v, struct src_span at, const struct layout **out)
{
    *out = NULL;
    if (v.kind == VALUE_LAYOUT) {
        *out = v.u.layout;
        return true;
    }
    if (v.kind == VALUE_NONE || (v.kind == VALUE_STR && tw_str_is(v.u.text, "default")))
        return true;
    tw_eval_mismatch(ev, at, "the layout", "a layout, or the string \"default\"", v);
    return false;
}
