/* Explanations of formats and dot products: text in, text out. */
#include "api/api.h"

#include "api/dot_kind.h"
#include "num/decimal.h"
#include "num/explain.h"
#include "num/round.h"
#include "num/sparse.h"

#include <string.h>

struct explain_call {
    tw_ctx *ctx;
    const char *name;
    const tw_dot_opts *opts;
    const char *text;
};

static struct diag *report(tw_ctx *ctx, enum diag_code code, const char *text)
{
    return tw_diag(&ctx->diags, code, (struct src_span){0}, "%s", text);
}

static tw_status explain_format(void *argument)
{
    struct explain_call *call = argument;
    struct text out;
    enum num_format f = tw_num_format_by_name(tw_str(call->name));
    tw_text_init(&out, &call->ctx->arena);
    if (f == NUM_NONE)
        f = tw_num_format_by_dtype(tw_str(call->name));
    if (f == NUM_NONE) {
        struct diag *d = report(call->ctx, E0630, tw_format(&call->ctx->arena, "there is no number format '%s'", call->name));
        tw_num_list_formats(&out);
        tw_diag_expected(d, "one of: %s", out.at);
        if (strncmp(call->name, "s2f6", 4) == 0)
            tw_diag_found(d, "s2f6, a fixed-point type of PTX 9.1 whose conversions are not modelled");
        return TW_ERROR;
    }
    tw_num_explain_format(&out, f);
    call->text = out.at;
    return TW_OK;
}

tw_status tw_explain_format(tw_ctx *ctx, const char *name, const char **text)
{
    struct explain_call call = {.ctx = ctx, .name = name};
    const tw_status status = tw_api_guard(ctx, explain_format, &call);
    *text = call.text;
    return status;
}

/* ---- Operand lists ----------------------------------------------------------------------------------- */

struct word_list {
    const char *option; /* "a" */
    enum num_format format;
    uint64_t *words;
    unsigned count, room;
};

static bool bad_value(tw_ctx *ctx, const struct word_list *l, struct str value, const char *why)
{
    struct diag *d = report(ctx, E0632, tw_format(&ctx->arena, "'" STR_FMT "' in the values of %s %s", STR_ARG(value), l->option, why));
    if (l->format != NUM_NONE)
        tw_diag_expected(d, "a word of %s in hexadecimal, or a number", tw_num_format(l->format)->name);
    return false;
}

static bool read_hex(struct str s, uint64_t *word)
{
    *word = 0;
    for (size_t i = 2; i < s.len; i++) {
        const char c = s.at[i];
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0 || *word >> 60 != 0)
            return false;
        *word = *word << 4 | (unsigned)digit;
    }
    return s.len > 2;
}

/* Whether the number that a literal names is the word's value: the literal is also read as f64, which holds every value of
 * every narrower format. */
static bool is_exact(struct str value, enum num_format f, uint64_t word)
{
    uint64_t wide, narrow;
    if (!tw_num_is_float(f) || f == NUM_F64)
        return true;
    if (tw_num_parse_decimal(value, NUM_F64, &wide) != NUM_PARSED)
        return false;
    const struct num_value v = tw_num_decode(f, word), w = tw_num_decode(NUM_F64, wide);
    narrow = v.cls == NUM_FINITE ? tw_num_pack(NUM_F64, (struct num_round_how){0},
                                               (struct num_exact){.sig = v.sig, .exp = v.exp, .negative = v.negative}) : 0;
    return v.cls == w.cls && (v.cls != NUM_FINITE || narrow == wide);
}

static bool read_value(tw_ctx *ctx, const struct word_list *l, struct str value, uint64_t *word)
{
    const struct num_format_info *info = tw_num_format(l->format);
    const bool negative = value.len > 1 && value.at[0] == '-';
    const struct str name = {value.at + negative, value.len - negative};
    const uint64_t sign = negative && info->sign_bits != 0 ? UINT64_C(1) << (info->storage_bits - 1) : 0;
    if (tw_str_starts(value, "0x")) {
        if (!read_hex(value, word) || (info->storage_bits < 64 && *word >> info->storage_bits != 0))
            return bad_value(ctx, l, value, "is no word of that width");
        return true;
    }
    if (tw_str_is(name, "inf") || tw_str_is(name, "nan")) {
        *word = (name.at[0] == 'i' ? info->infinity : info->canonical_nan) | sign;
        return (*word & ~sign) != 0 || bad_value(ctx, l, value, "does not exist in the format");
    }
    if (tw_num_parse_decimal(value, l->format, word) == NUM_PARSE_MALFORMED)
        return bad_value(ctx, l, value, "is no number");
    return is_exact(value, l->format, *word) || bad_value(ctx, l, value, "is not exact in the format");
}

/* VALUE or VALUE:COUNT */
static bool read_item(tw_ctx *ctx, struct word_list *l, struct str item)
{
    const char *colon = memchr(item.at, ':', item.len);
    const struct str value = {item.at, colon == NULL ? item.len : (size_t)(colon - item.at)};
    uint64_t word = 0, count = 1;
    if (!read_value(ctx, l, value, &word))
        return false;
    if (colon != NULL && (tw_num_parse_decimal((struct str){colon + 1, item.len - value.len - 1}, NUM_U16, &count) != NUM_PARSED || count == 0))
        return bad_value(ctx, l, item, "has no count behind its colon");
    if (count > l->room - l->count)
        return bad_value(ctx, l, item, tw_format(&ctx->arena, "makes more than %u values", l->room));
    for (; count > 0; count--)
        l->words[l->count++] = word;
    return true;
}

static bool read_list(tw_ctx *ctx, struct word_list *l, const char *text)
{
    for (const char *at = text; at != NULL;) {
        const struct str item = {at, strcspn(at, ",")};
        if (!read_item(ctx, l, item))
            return false;
        at = at[item.len] == ',' ? at + item.len + 1 : NULL;
    }
    return true;
}

/* ---- explain dot --------------------------------------------------------------------------------------- */

enum { ROOM = TW_NUM_DOT_MAX };

struct dot_operands {
    uint64_t a[ROOM], b[2 * ROOM], c[1], scale_a[ROOM], scale_b[ROOM], meta[ROOM];
    unsigned n, logical; /* products, and elements of B: twice as many where A is sparse */
    bool has_c, scaled;
};

static bool wrong_count(tw_ctx *ctx, const char *what, unsigned found, unsigned wanted)
{
    struct diag *d = report(ctx, E0632, tw_format(&ctx->arena, "%s has %u value%s", what, found, found == 1 ? "" : "s"));
    tw_diag_expected(d, "%u", wanted);
    return false;
}

static bool check_room(tw_ctx *ctx, const struct dot_kind *k, unsigned n)
{
    const unsigned most = k->k == 0 || k->k > ROOM ? ROOM : k->sparse ? k->k / 2 : k->k;
    if (n != 0 && n <= most)
        return true;
    struct diag *d = report(ctx, E0632, n == 0 ? "no values of a were given" : "a has more values than the instruction has products");
    tw_diag_expected(d, "1 to %u", most);
    return false;
}

static bool read_scales(tw_ctx *ctx, const struct dot_kind *k, const tw_dot_opts *o, struct dot_operands *x)
{
    struct word_list a = {"scale-a", k->how.scale, x->scale_a, 0, ROOM}, b = {"scale-b", k->how.scale, x->scale_b, 0, ROOM};
    if (k->kind == NUM_PLAIN) {
        if (o->scale_a == NULL && o->scale_b == NULL)
            return true;
        report(ctx, E0632, "scales were given, but the kind does not scale its blocks");
        return false;
    }
    const unsigned blocks = (x->n + k->how.scale_block - 1) / k->how.scale_block;
    x->scaled = true;
    if (!read_list(ctx, &a, o->scale_a) || !read_list(ctx, &b, o->scale_b))
        return false;
    if (a.count != blocks)
        return wrong_count(ctx, "scale-a", a.count, blocks);
    return b.count == blocks || wrong_count(ctx, "scale-b", b.count, blocks);
}

/* Leaves in x->b the elements that the codes select. */
static bool select_sparse(tw_ctx *ctx, const struct dot_kind *k, const tw_dot_opts *o, struct dot_operands *x, struct text *out)
{
    struct word_list meta = {"meta", NUM_U4, x->meta, 0, ROOM};
    const unsigned bits = tw_num_sparse_bits(k->model, k->how.a), group = num_sparse_group(bits), half = group / 2;
    if (!tw_num_sparse_known(k->model)) {
        report(ctx, E0631, tw_format(&ctx->arena, "the order of sparse sums is not known for this instruction on sm_%u", k->sm));
        return false;
    }
    if (!read_list(ctx, &meta, o->meta))
        return false;
    if (meta.count != (x->n + half - 1) / half)
        return wrong_count(ctx, "meta", meta.count, (x->n + half - 1) / half);
    tw_text_addf(out, "sparse A: a code for every %u logical elements of K, of which %u are stored\n", group, half);
    for (unsigned i = 0; i < x->n; i += half) {
        uint8_t at[4];
        const unsigned code = (unsigned)x->meta[i / half];
        if (!tw_num_sparse_select(bits, code, k->ascending, at)) {
            struct diag *d = report(ctx, E0632, tw_format(&ctx->arena, "0x%x is no code of sparse A", code));
            tw_diag_expected(d, "%s", tw_num_sparse_codes(bits, k->ascending));
            return false;
        }
        tw_text_addf(out, "  code 0x%x selects", code);
        for (unsigned e = 0; e < half && i + e < x->n; e++) {
            const unsigned from = i * 2 + at[e];
            tw_text_addf(out, " b[%u]", from);
            x->b[i + e] = x->b[from]; /* never ahead of what is still to be read: from >= 2 * i */
        }
        tw_text_put(out, '\n');
    }
    return true;
}

static bool read_operands(tw_ctx *ctx, const struct dot_kind *k, const tw_dot_opts *o, struct dot_operands *x)
{
    struct word_list a = {"a", k->how.a, x->a, 0, ROOM}, b = {"b", k->how.b, x->b, 0, 2 * ROOM}, c = {"c", k->how.d, x->c, 0, 1};
    if (!read_list(ctx, &a, o->a) || !read_list(ctx, &b, o->b) || !read_list(ctx, &c, o->c) || !check_room(ctx, k, a.count))
        return false;
    x->n = a.count;
    x->logical = k->sparse ? 2 * a.count : a.count;
    x->has_c = o->c != NULL;
    if (b.count != x->logical)
        return wrong_count(ctx, "b", b.count, x->logical);
    if (!k->sparse && o->meta != NULL) {
        report(ctx, E0632, "metadata was given, but the spelling has no .sp");
        return false;
    }
    return read_scales(ctx, k, o, x);
}

static tw_status explain_dot(void *argument)
{
    struct explain_call *call = argument;
    tw_ctx *ctx = call->ctx;
    const tw_dot_opts none = {0}, *const o = call->opts == NULL ? &none : call->opts;
    struct dot_operands *const x = arena_new(&ctx->arena, struct dot_operands, 1);
    struct dot_kind k;
    struct text out;
    tw_text_init(&out, &ctx->arena);
    if (!tw_dot_kind_read(&ctx->diags, call->name, o->arch, &k) || !read_operands(ctx, &k, o, x))
        return TW_ERROR;
    tw_text_addf(&out, "%s%s%s on sm_%u (%s): ", tw_num_unit_name(k.unit), k.kind == NUM_PLAIN ? "" : " ", tw_num_kind_name(k.kind),
                 k.sm, tw_num_arch_name(k.arch));
    struct text sparse;
    tw_text_init(&sparse, &ctx->arena);
    if (k.sparse && !select_sparse(ctx, &k, o, x, &sparse))
        return TW_ERROR;
    const struct num_dot_case c = {.model = k.model, .how = &k.how, .n = x->n, .a = x->a, .b = x->b, .c = x->has_c ? x->c : NULL,
                                   .scale_a = x->scaled ? x->scale_a : NULL, .scale_b = x->scaled ? x->scale_b : NULL};
    tw_num_explain_dot(&out, &c);
    if (sparse.len != 0)
        tw_text_addf(&out, "\n%s", sparse.at);
    call->text = out.at;
    return TW_OK;
}

tw_status tw_explain_dot(tw_ctx *ctx, const char *kind, const tw_dot_opts *opts, const char **text)
{
    struct explain_call call = {.ctx = ctx, .name = kind, .opts = opts};
    const tw_status status = tw_api_guard(ctx, explain_dot, &call);
    *text = call.text;
    return status;
}
