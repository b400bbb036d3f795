#include "api/dot_kind.h"

#include "num/explain.h"

#include <string.h>

static const char units[] = "mma.sync, wgmma or tcgen05";

struct reading {
    struct diags *diags;
    const char *spelling;
    struct dot_kind *kind;
    enum num_format formats[4];
    unsigned format_count;
    const char *example; /* formats that the kind admits */
    bool bit_operation;  /* .and or .xor was written */
    bool m8n8k4;         /* the shape */
};

static bool bad_token(struct reading *r, struct str token)
{
    struct diag *d = tw_diag(r->diags, E0630, (struct src_span){0}, "'%s': the part '" STR_FMT "' is not known", r->spelling,
                             STR_ARG(token));
    tw_diag_expected(d, "%s, then parts of a PTX mnemonic: shape, .kind::, types, .sp, .satfinite, .xor or .and", units);
    return false;
}

/* Parts that place operands or order execution: arithmetic does not depend on them. */
static bool is_placement(struct str token)
{
    static const char *const words[] = {"mma", "sync", "mma_async", "aligned", "row", "col", "popc", "ws", "block_scale"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (tw_str_is(token, words[i]))
            return true;
    return tw_str_starts(token, "cta_group::");
}

static bool read_number(const char **at, const char *end, unsigned *out)
{
    const char *const start = *at;
    for (*out = 0; *at < end && **at >= '0' && **at <= '9' && *out < 10000; (*at)++)
        *out = *out * 10 + (unsigned)(**at - '0');
    return *at != start;
}

/* m16n8k16 */
static bool read_shape(struct str token, unsigned *k)
{
    const char *at = token.at, *const end = token.at + token.len;
    unsigned m, n;
    if (at == end || *at++ != 'm' || !read_number(&at, end, &m) || at == end || *at++ != 'n' || !read_number(&at, end, &n))
        return false;
    return at != end && *at++ == 'k' && read_number(&at, end, k) && at == end;
}

/* The kinds of tcgen05, and of mma.sync on consumer parts; their default formats where there is only one choice. */
static const struct kind_row {
    const char *name;
    enum num_kind kind;
    enum num_format only, scale;
    uint8_t block;
    bool is_format;    /* without kind:: the word is a format */
    const char *example;
} kind_rows[] = {
    {"f16", NUM_PLAIN, NUM_F16, NUM_NONE, 0, true, "f16"},
    {"tf32", NUM_PLAIN, NUM_TF32, NUM_NONE, 0, true, "tf32"},
    {"f8f6f4", NUM_PLAIN, NUM_NONE, NUM_NONE, 0, false, "e4m3.e5m2"},
    {"i8", NUM_PLAIN, NUM_NONE, NUM_NONE, 0, false, "s8.u8"},
    {"mxf8f6f4", NUM_MXF8F6F4, NUM_NONE, NUM_UE8M0, 32, false, "e4m3.e5m2"},
    {"mxf4", NUM_MXF4, NUM_E2M1, NUM_UE8M0, 32, false, "e2m1"},
    {"mxf4nvf4", NUM_MXF4NVF4, NUM_E2M1, NUM_UE4M3, 16, false, "e2m1"},
};

static bool take_kind(struct reading *r, struct str token, bool prefixed)
{
    for (size_t i = 0; i < sizeof kind_rows / sizeof kind_rows[0]; i++) {
        const struct kind_row *row = &kind_rows[i];
        if (!tw_str_is(token, row->name) || (row->is_format && !prefixed))
            continue;
        r->kind->kind = row->kind;
        r->kind->how.a = r->kind->how.b = row->only;
        r->kind->how.scale = row->scale;
        r->kind->how.scale_block = row->block;
        r->example = row->example;
        return true;
    }
    return false;
}

static bool take_flag(struct reading *r, struct str token)
{
    struct dot_kind *k = r->kind;
    if (tw_str_is(token, "satfinite"))
        k->how.saturate = true;
    else if (tw_str_is(token, "and"))
        k->how.bits_and = true;
    else if (tw_str_is(token, "sp") || tw_str_is(token, "sp::ordered_metadata"))
        k->sparse = true;
    else if (tw_str_is(token, "block16") || tw_str_is(token, "scale_vec::4X"))
        k->how.scale_block = 16;
    else if (tw_str_is(token, "block32") || tw_str_is(token, "scale_vec::2X") || tw_str_is(token, "scale_vec::1X"))
        k->how.scale_block = 32;
    else if (!tw_str_is(token, "xor"))
        return false;
    r->bit_operation = r->bit_operation || tw_str_is(token, "xor") || tw_str_is(token, "and");
    k->ascending = k->ascending || tw_str_is(token, "sp::ordered_metadata");
    return true;
}

static bool take_format(struct reading *r, struct str token)
{
    const enum num_format f = tw_num_format_by_name(token);
    if (f == NUM_UE8M0 || f == NUM_UE4M3) {
        r->kind->how.scale = f;
        return true;
    }
    if (f == NUM_NONE || r->format_count == 4)
        return false;
    r->formats[r->format_count++] = f;
    return true;
}

static bool take_token(struct reading *r, struct str token)
{
    if (tw_str_starts(token, "kind::")) {
        token.at += 6, token.len -= 6;
        return take_kind(r, token, true) || bad_token(r, token);
    }
    r->m8n8k4 = r->m8n8k4 || tw_str_is(token, "m8n8k4");
    if (is_placement(token) || take_kind(r, token, false) || take_flag(r, token) || read_shape(token, &r->kind->k) || take_format(r, token))
        return true;
    return bad_token(r, token);
}

static bool read_target(struct reading *r, struct str target)
{
    const char *at = target.at + 3, *const end = target.at + target.len;
    const bool well_formed = tw_str_starts(target, "sm_") && read_number(&at, end, &r->kind->sm) &&
                             (at == end || (at + 1 == end && (*at == 'a' || *at == 'f')));
    if (well_formed && tw_num_arch_of_sm(r->kind->sm, &r->kind->arch))
        return true;
    struct diag *d = tw_diag(r->diags, E0630, (struct src_span){0}, "no model speaks of the target '" STR_FMT "'", STR_ARG(target));
    tw_diag_expected(d, "sm_70, sm_72, sm_75, sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_100, sm_101, sm_103, sm_110, sm_120 or sm_121");
    return false;
}

/* The formats in PTX order: A alone; A and B; D, A and B; D, A, B and C. */
static bool place_formats(struct reading *r)
{
    struct num_dot_how *how = &r->kind->how;
    const enum num_format *f = r->formats;
    const unsigned n = r->format_count;
    if (n == 0 && how->a == NUM_NONE) {
        struct diag *d = tw_diag(r->diags, E0630, (struct src_span){0}, "'%s' does not say the formats of A and B", r->spelling);
        tw_diag_fix(d, "add them, as in %s.%s", r->spelling, r->example);
        return false;
    }
    if (n == 1 || n == 2) {
        how->a = f[0];
        how->b = f[n - 1];
    } else if (n != 0) {
        how->d = f[0];
        how->a = f[1];
        how->b = f[2];
    }
    if (how->d == NUM_NONE)
        how->d = how->a == NUM_F64 ? NUM_F64 : tw_num_is_float(how->a) ? NUM_F32 : NUM_S32;
    if (n == 4 && f[3] != how->d) {
        struct diag *d = tw_diag(r->diags, E0630, (struct src_span){0}, "'%s': C and D have different formats", r->spelling);
        tw_diag_expected(d, "the accumulator in the format of the result");
        return false;
    }
    return true;
}

/* A part that says something which the instruction does not have is refused, not passed over. */
static bool check_parts(struct reading *r)
{
    const struct num_dot_how *how = &r->kind->how;
    const enum num_kind kind = r->kind->kind;
    const char *wrong = NULL, *wanted = NULL;
    if (how->saturate && tw_num_is_float(how->d))
        wrong = ".satfinite", wanted = "integer formats with it";
    else if (r->bit_operation && how->a != NUM_B1)
        wrong = ".and or .xor", wanted = "b1 with it";
    else if (kind == NUM_PLAIN && (how->scale != NUM_NONE || how->scale_block != 0))
        wrong = "scale factors", wanted = "one of the kinds mxf8f6f4, mxf4, mxf4nvf4 with them";
    else if ((kind == NUM_MXF8F6F4 || kind == NUM_MXF4) && how->scale != NUM_UE8M0)
        wrong = "ue4m3 scale factors", wanted = "kind mxf4nvf4 with them, or ue8m0";
    else if ((kind == NUM_MXF8F6F4 || kind == NUM_MXF4 || how->scale == NUM_UE4M3) && kind != NUM_PLAIN &&
             how->scale_block != (how->scale == NUM_UE4M3 ? 16 : 32))
        wrong = "blocks of another size", wanted = how->scale == NUM_UE4M3 ? "16 products a block" : "32 products a block";
    if (wrong == NULL)
        return true;
    struct diag *d = tw_diag(r->diags, E0630, (struct src_span){0}, "'%s' has %s, which it cannot have", r->spelling, wrong);
    tw_diag_expected(d, "%s", wanted);
    return false;
}

static bool find_model(struct reading *r)
{
    struct dot_kind *k = r->kind;
    if (k->unit == NUM_MMA_SYNC && r->m8n8k4 && k->how.a == NUM_F16 && k->how.b == NUM_F16)
        k->unit = NUM_MMA_M8N8K4;
    k->model = tw_num_dot_model(k->arch, k->unit, k->kind, k->how.a, k->how.b, k->how.d);
    if (k->model != NULL)
        return true;
    struct text list;
    tw_text_init(&list, r->diags->arena);
    tw_num_list_dots(&list, k->arch, k->unit);
    struct diag *d = tw_diag(r->diags, E0631, (struct src_span){0}, "no model of %s%s%s: %s x %s to %s on sm_%u (%s)",
                             tw_num_unit_name(k->unit), k->kind == NUM_PLAIN ? "" : " ", tw_num_kind_name(k->kind),
                             tw_num_format(k->how.a)->name, tw_num_format(k->how.b)->name, tw_num_format(k->how.d)->name, k->sm,
                             tw_num_arch_name(k->arch));
    tw_diag_expected(d, "%s", list.at);
    return false;
}

static bool read_unit(struct reading *r, struct str first)
{
    static const char *const names[NUM_UNIT_COUNT] = {[NUM_MMA_SYNC] = "mma", [NUM_WGMMA] = "wgmma", [NUM_TCGEN05] = "tcgen05"};
    for (unsigned u = 0; u < NUM_UNIT_COUNT; u++)
        if (names[u] != NULL && tw_str_is(first, names[u])) {
            r->kind->unit = (enum num_unit)u;
            return true;
        }
    struct diag *d = tw_diag(r->diags, E0630, (struct src_span){0}, "'%s' names no matrix instruction", r->spelling);
    tw_diag_expected(d, "a spelling that begins with %s", units);
    return false;
}

bool tw_dot_kind_read(struct diags *diags, const char *spelling, const char *arch, struct dot_kind *out)
{
    *out = (struct dot_kind){0};
    struct reading r = {.diags = diags, .spelling = spelling, .kind = out, .example = "f16"};
    struct str target = {0};
    bool first = true;
    for (const char *at = spelling; at != NULL && *at != '\0';) {
        const struct str token = {at, strcspn(at, ".")};
        at += token.len + (at[token.len] == '.');
        if (tw_str_starts(token, "sm_"))
            target = token;
        else if (first ? !read_unit(&r, token) : !take_token(&r, token))
            return false;
        first = first && tw_str_starts(token, "sm_");
    }
    if (first)
        return read_unit(&r, STR(""));
    if (arch != NULL)
        target = tw_str(arch);
    if (target.at == NULL)
        target = out->unit == NUM_WGMMA ? STR("sm_90a") : STR("sm_100a");
    return read_target(&r, target) && place_formats(&r) && find_model(&r) && check_parts(&r);
}
