/* Number formats in words, all from the row of the format, and lists of what the table of models knows. */
#include "num/explain.h"

#include "base/bits.h"
#include "num/decimal.h"

#include <string.h>

static const char *const arch_names[NUM_ARCH_COUNT] = {
    [NUM_VOLTA] = "Volta",   [NUM_TURING] = "Turing",       [NUM_AMPERE] = "Ampere", [NUM_ADA] = "Ada",
    [NUM_HOPPER] = "Hopper", [NUM_BLACKWELL] = "Blackwell", [NUM_BLACKWELL_CONSUMER] = "consumer Blackwell",
};
static const char *const arch_targets[NUM_ARCH_COUNT] = {
    [NUM_VOLTA] = "sm_70",  [NUM_TURING] = "sm_75",     [NUM_AMPERE] = "sm_80", [NUM_ADA] = "sm_89",
    [NUM_HOPPER] = "sm_90", [NUM_BLACKWELL] = "sm_100", [NUM_BLACKWELL_CONSUMER] = "sm_120",
};
static const char *const unit_names[NUM_UNIT_COUNT] = {
    [NUM_MMA_SYNC] = "mma.sync", [NUM_MMA_M8N8K4] = "mma.sync m8n8k4", [NUM_WGMMA] = "wgmma", [NUM_TCGEN05] = "tcgen05"};

const char *tw_num_unit_name(enum num_unit unit)
{
    return unit_names[unit];
}

const char *tw_num_arch_name(enum num_arch arch)
{
    return arch_names[arch];
}

const char *tw_num_kind_name(enum num_kind kind)
{
    static const char *const names[] = {
        [NUM_PLAIN] = "", [NUM_MXF8F6F4] = "mxf8f6f4", [NUM_MXF4] = "mxf4", [NUM_MXF4NVF4] = "mxf4nvf4"};
    return names[kind];
}

void tw_num_list_formats(struct text *out)
{
    for (unsigned f = NUM_NONE + 1; f < NUM_FORMAT_COUNT; f++)
        tw_text_addf(out, f == NUM_NONE + 1 ? "%s" : " %s", tw_num_format((enum num_format)f)->name);
}

static void add_formats(struct text *out, uint32_t set)
{
    const char *bar = "";
    for (unsigned f = 0; f < NUM_FORMAT_COUNT; f++)
        if (set >> f & 1) {
            tw_text_addf(out, "%s%s", bar, tw_num_format((enum num_format)f)->name);
            bar = "|";
        }
}

/* "mxf4: e2m1 x e2m1 to f32" */
static void add_combination(struct text *out, const struct num_dot_model *m)
{
    if (m->kind != NUM_PLAIN)
        tw_text_addf(out, "%s: ", tw_num_kind_name(m->kind));
    add_formats(out, m->a_formats);
    tw_text_add(out, m->same_ab ? " x the same to " : " x ");
    if (!m->same_ab) {
        add_formats(out, m->b_formats);
        tw_text_add(out, " to ");
    }
    add_formats(out, m->d_formats);
}

void tw_num_list_dots(struct text *out, enum num_arch arch, enum num_unit unit)
{
    size_t count;
    const struct num_dot_model *const m = tw_num_dot_models(&count);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if ((m[i].archs >> arch & 1) == 0 || (m[i].units >> unit & 1) == 0)
            continue;
        tw_text_add(out, any ? "; " : "");
        add_combination(out, &m[i]);
        any = true;
    }
    if (!any)
        tw_text_addf(out, unit == NUM_MMA_M8N8K4 ? "none: nobody has described %s's %s" : "none: %s has no %s", arch_names[arch],
                     unit_names[unit]);
}

static void add_archs(struct text *out, uint32_t archs)
{
    const char *comma = "";
    for (unsigned a = 0; a < NUM_ARCH_COUNT; a++)
        if (archs >> a & 1) {
            tw_text_addf(out, "%s%s", comma, arch_targets[a]);
            comma = ", ";
        }
}

static void add_units(struct text *out, uint32_t units)
{
    const char *comma = "";
    for (unsigned u = 0; u < NUM_UNIT_COUNT; u++)
        if (units >> u & 1) {
            tw_text_addf(out, "%s%s", comma, unit_names[u]);
            comma = ", ";
        }
}

void tw_num_evidence_table(struct text *out)
{
    size_t count;
    const struct num_dot_model *const m = tw_num_dot_models(&count);
    tw_text_add(out, "| targets | instruction | A x B to D | model | evidence | source |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        struct text formats;
        tw_text_init(&formats, out->arena);
        add_combination(&formats, &m[i]);
        tw_text_add(out, "| ");
        add_archs(out, m[i].archs);
        tw_text_add(out, " | ");
        add_units(out, m[i].units);
        tw_text_add(out, " | ");
        for (size_t c = 0; c < formats.len; c++)
            tw_text_put(out, formats.at[c] == '|' ? '/' : formats.at[c]);
        tw_text_addf(out, " | %s | %s | %s |\n", m[i].name, tw_num_evidence_name(m[i].evidence), m[i].source);
    }
}

/* ---- One format -------------------------------------------------------------------------------------- */

/* Where an element lies when it does not simply fill its bits. */
static const struct {
    enum num_format format;
    const char *text;
} containers[] = {
    {NUM_TF32, "the upper 19 bits of a 32-bit register or word; the tensor core ignores the 13 low bits, so that a NaN whose\n"
               "              payload lies only there is an infinity"},
    {NUM_E2M3, "bits 5:0 of a byte in registers and packed operands; dense in memory that TMA or tcgen05 reads"},
    {NUM_E3M2, "bits 5:0 of a byte in registers and packed operands; dense in memory that TMA or tcgen05 reads"},
    {NUM_E2M1, "two a byte, the first in the low nibble; bits 5:2 of a byte in mma.sync kind::f8f6f4 registers"},
    {NUM_UE4M3, "bits 6:0 of a byte; bit 7 must be 0 and is not looked at"},
    {NUM_UE8M0, "a byte; there is no sign and no zero"},
    {NUM_S4, "two a byte, the first in the low nibble"},
    {NUM_U4, "two a byte, the first in the low nibble"},
    {NUM_B1, "32 a register, the first in bit 0"},
};

static void add_word(struct text *out, const char *what, enum num_format f, uint64_t word)
{
    const struct num_value v = tw_num_decode(f, word);
    tw_text_addf(out, "  %-19s 0x%0*llx = ", what, (int)(tw_num_bits(f) + 3) / 4, (unsigned long long)word);
    if (v.cls != NUM_FINITE || !tw_num_is_float(f)) {
        tw_num_print_decimal(out, f, word);
    } else {
        const size_t before = out->len;
        tw_num_print_exact(out, v.negative ? -(int64_t)v.sig : (int64_t)v.sig, v.exp);
        const int top = (int)v.exp + (int)log2_floor(v.sig);
        if (is_pow2(v.sig) && !v.negative && top != 0 && memchr(out->at + before, '^', out->len - before) == NULL)
            tw_text_addf(out, " = 2^%d", top);
    }
    tw_text_put(out, '\n');
}

static void add_float_words(struct text *out, enum num_format f)
{
    const struct num_format_info *info = tw_num_format(f);
    const unsigned low = info->unused_low_bits;
    const uint64_t sign = info->sign_bits == 0 ? 0 : UINT64_C(1) << (info->storage_bits - 1);
    add_word(out, "largest", f, tw_num_max_word(f));
    add_word(out, "one", f, (uint64_t)info->bias << (info->fraction_bits + low));
    if (info->fraction_bits != 0) {
        add_word(out, "above one", f, tw_num_next_up(f, (uint64_t)info->bias << (info->fraction_bits + low)));
        add_word(out, "smallest normal", f, UINT64_C(1) << (info->fraction_bits + low));
        add_word(out, "smallest subnormal", f, UINT64_C(1) << low);
        add_word(out, "zero", f, 0);
    } else {
        add_word(out, "smallest", f, 0);
    }
    if (sign != 0) {
        add_word(out, "negative zero", f, sign);
        add_word(out, "lowest", f, tw_num_min_word(f));
    }
    if (info->infinity != 0)
        add_word(out, "infinity", f, info->infinity);
    if (info->canonical_nan != 0)
        add_word(out, "NaN as produced", f, info->canonical_nan);
}

static void add_specials(struct text *out, const struct num_format_info *info)
{
    static const char *const texts[] = {
        [NUM_IEEE] = "the highest exponent is infinity (fraction 0) or NaN (any other fraction)",
        [NUM_NAN_ONLY] = "no infinity; the word of all ones, whatever its sign, is NaN",
        [NUM_ALL_FINITE] = "no infinity and no NaN: every word is a number",
    };
    tw_text_addf(out, "  specials:   %s\n", texts[info->specials]);
}

static void add_users(struct text *out, enum num_format f)
{
    size_t count;
    const struct num_dot_model *const m = tw_num_dot_models(&count);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const bool operand = ((m[i].a_formats | m[i].b_formats) >> f & 1) != 0, result = (m[i].d_formats >> f & 1) != 0;
        if (!operand && !result)
            continue;
        tw_text_add(out, any ? "" : "\nmatrix instructions:\n");
        any = true;
        tw_text_add(out, operand && result ? "  A, B, C, D of " : operand ? "  A, B of " : "  C, D of ");
        add_units(out, m[i].units);
        if (m[i].kind != NUM_PLAIN)
            tw_text_addf(out, " %s", tw_num_kind_name(m[i].kind));
        tw_text_add(out, " on ");
        add_archs(out, m[i].archs);
        tw_text_addf(out, " (%s)\n", m[i].name);
    }
    if (f == NUM_UE8M0 || f == NUM_UE4M3)
        tw_text_addf(out, "\nscale factor of block-scaled kinds: %s\n", f == NUM_UE8M0 ? "mxf8f6f4, mxf4, mxf4nvf4" : "mxf4nvf4");
}

static void add_container(struct text *out, enum num_format f)
{
    const struct num_format_info *info = tw_num_format(f);
    for (size_t i = 0; i < sizeof containers / sizeof containers[0]; i++)
        if (containers[i].format == f) {
            tw_text_addf(out, "  container:  %s\n", containers[i].text);
            return;
        }
    tw_text_addf(out, "  container:  %u bits, all used\n", (unsigned)info->storage_bits);
}

void tw_num_explain_format(struct text *out, enum num_format f)
{
    const struct num_format_info *info = tw_num_format(f);
    if (info->family == NUM_FLOAT)
        tw_text_addf(out, "%s: floating-point, sign %u, exponent %u, fraction %u bits, bias %d\n", info->name,
                     (unsigned)info->sign_bits, (unsigned)info->exponent_bits, (unsigned)info->fraction_bits, (int)info->bias);
    else
        tw_text_addf(out, "%s: %s of %u bit%s\n", info->name,
                     info->family == NUM_SIGNED ? "two's complement integer" : info->family == NUM_UNSIGNED ? "unsigned integer" : "field",
                     (unsigned)info->storage_bits, info->storage_bits == 1 ? "" : "s");
    if (info->dtype != NULL)
        tw_text_addf(out, "  dtype:      %s in kernels\n", info->dtype);
    add_container(out, f);
    if (info->family == NUM_FLOAT) {
        add_specials(out, info);
        tw_text_add(out, "\n");
        add_float_words(out, f);
    } else {
        tw_text_add(out, "\n");
        add_word(out, "largest", f, tw_num_max_word(f));
        add_word(out, "lowest", f, tw_num_min_word(f));
    }
    add_users(out, f);
}
