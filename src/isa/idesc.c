#include "isa/idesc.h"

#include "base/bits.h"

#include <assert.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define SET(format) (UINT32_C(1) << (format))

/* ---- Kinds and formats ---------------------------------------------------------------------- */

enum { F8F6F4_SET = SET(NUM_E4M3) | SET(NUM_E5M2) | SET(NUM_E2M3) | SET(NUM_E3M2) | SET(NUM_E2M1) };

/* SOURCE: PTX ISA, tcgen05.mma, tables of kinds. A mix of f16 and bf16 is listed by no hardware-checked model, so A and B agree. */
const struct tc_kind_row tw_tc_kinds[TC_KIND_COUNT] = {
    /*                name         bit table        A, B formats                  D formats                 K   K.sp bits scale  negate same */
    [TC_F16] = {"f16", IDESC_DENSE, SET(NUM_F16) | SET(NUM_BF16), SET(NUM_F16) | SET(NUM_F32), 16, 32, 16, false, true, true},
    [TC_TF32] = {"tf32", IDESC_DENSE, SET(NUM_TF32), SET(NUM_F32), 8, 16, 32, false, true, false},
    [TC_F8F6F4] = {"f8f6f4", IDESC_DENSE, F8F6F4_SET, SET(NUM_F16) | SET(NUM_F32), 32, 64, 8, false, true, false},
    [TC_I8] = {"i8", IDESC_DENSE, SET(NUM_S8) | SET(NUM_U8), SET(NUM_S32), 32, 64, 8, false, false, false},
    [TC_MXF8F6F4] = {"mxf8f6f4", IDESC_MXF8F6F4, F8F6F4_SET, SET(NUM_F32), 32, 64, 8, true, true, false},
    [TC_MXF4] = {"mxf4", IDESC_MXF4, SET(NUM_E2M1), SET(NUM_F32), 64, 128, 4, true, true, false},
    [TC_MXF4NVF4] = {"mxf4nvf4", IDESC_MXF4, SET(NUM_E2M1), SET(NUM_F32), 64, 128, 4, true, true, false},
};

/* Codes of the type fields. A row serves every kind of its set that has the format. */
struct format_code {
    uint32_t kinds;
    enum num_format format;
    uint8_t code;
};

static const struct format_code ab_codes[] = {
    {SET(TC_F16), NUM_F16, 0},
    {SET(TC_F16), NUM_BF16, 1},
    {SET(TC_TF32), NUM_TF32, 2},
    {SET(TC_F8F6F4) | SET(TC_MXF8F6F4), NUM_E4M3, 0},
    {SET(TC_F8F6F4) | SET(TC_MXF8F6F4), NUM_E5M2, 1},
    {SET(TC_F8F6F4) | SET(TC_MXF8F6F4), NUM_E2M3, 3},
    {SET(TC_F8F6F4) | SET(TC_MXF8F6F4), NUM_E3M2, 4},
    {SET(TC_F8F6F4) | SET(TC_MXF8F6F4), NUM_E2M1, 5},
    {SET(TC_MXF4) | SET(TC_MXF4NVF4), NUM_E2M1, 1},
    {SET(TC_I8), NUM_U8, 0},
    {SET(TC_I8), NUM_S8, 1},
};

static const struct format_code d_codes[] = {
    {SET(TC_F16) | SET(TC_F8F6F4), NUM_F16, 0},
    {SET(TC_F16) | SET(TC_TF32) | SET(TC_F8F6F4), NUM_F32, 1},
    {SET(TC_I8), NUM_S32, 2},
};

enum tc_kind tw_tc_kind_find(struct str name)
{
    for (int kind = 0; kind < TC_KIND_COUNT; kind++)
        if (tw_str_is(name, tw_tc_kinds[kind].name))
            return (enum tc_kind)kind;
    return TC_KIND_COUNT;
}

static int code_of(const struct format_code *rows, size_t count, enum tc_kind kind, enum num_format format)
{
    for (size_t i = 0; i < count; i++)
        if ((rows[i].kinds & SET(kind)) != 0 && rows[i].format == format)
            return rows[i].code;
    return -1;
}

static enum num_format format_of(const struct format_code *rows, size_t count, enum tc_kind kind, uint32_t code)
{
    for (size_t i = 0; i < count; i++)
        if ((rows[i].kinds & SET(kind)) != 0 && rows[i].code == code)
            return rows[i].format;
    return NUM_NONE;
}

int tw_tc_ab_code(enum tc_kind kind, enum num_format format)
{
    return code_of(ab_codes, COUNT_OF(ab_codes), kind, format);
}

int tw_tc_d_code(enum tc_kind kind, enum num_format format)
{
    if (tw_tc_kinds[kind].block_scale)
        return format == NUM_F32 ? 0 : -1;
    return code_of(d_codes, COUNT_OF(d_codes), kind, format);
}

enum num_format tw_tc_ab_format(enum tc_kind kind, uint32_t code)
{
    return format_of(ab_codes, COUNT_OF(ab_codes), kind, code);
}

enum num_format tw_tc_d_format(enum tc_kind kind, uint32_t code)
{
    if (tw_tc_kinds[kind].block_scale)
        return NUM_F32;
    return format_of(d_codes, COUNT_OF(d_codes), kind, code);
}

/* ---- Scale vectors ------------------------------------------------------------------------- */

/* SOURCE: PTX ISA, tcgen05.mma, ".scale_vec and the K dimension". K = 96 (sm_103a) uses the same spellings with more factors. */
const struct tc_scale_row tw_tc_scales[] = {
    {TC_MXF8F6F4, TC_SCALE_1X, "- scale_vec::1X block32", 32, SET(NUM_UE8M0), 0xF},
    {TC_MXF4, TC_SCALE_2X, "- scale_vec::2X block32", 32, SET(NUM_UE8M0), 0x5},
    {TC_MXF4NVF4, TC_SCALE_2X, "scale_vec::2X block32", 32, SET(NUM_UE8M0), 0x5},
    {TC_MXF4NVF4, TC_SCALE_4X, "scale_vec::4X block16", 16, SET(NUM_UE8M0) | SET(NUM_UE4M3), 0x1},
};
const size_t tw_tc_scale_count = COUNT_OF(tw_tc_scales);

/* Whether the space-separated words contain `word`. */
static bool has_word(const char *words, struct str word)
{
    struct str rest = tw_str(words);
    while (rest.len != 0) {
        size_t len = 0;
        while (len < rest.len && rest.at[len] != ' ')
            len++;
        if (tw_str_eq((struct str){rest.at, len}, word))
            return true;
        const size_t step = len < rest.len ? len + 1 : len;
        rest = (struct str){rest.at + step, rest.len - step};
    }
    return false;
}

const struct tc_scale_row *tw_tc_scale_find(enum tc_kind kind, struct str spelling)
{
    for (size_t i = 0; i < tw_tc_scale_count; i++)
        if (tw_tc_scales[i].kind == kind && has_word(tw_tc_scales[i].spellings, spelling.len == 0 ? STR("-") : spelling))
            return &tw_tc_scales[i];
    return NULL;
}

const struct tc_scale_row *tw_tc_scale_of(enum tc_kind kind, enum tc_scale_vec vec)
{
    for (size_t i = 0; i < tw_tc_scale_count; i++)
        if (tw_tc_scales[i].kind == kind && tw_tc_scales[i].vec == vec)
            return &tw_tc_scales[i];
    return NULL;
}

/* ---- Shapes -------------------------------------------------------------------------------- */

enum { FLOAT_KINDS = SET(TC_F16) | SET(TC_TF32) | SET(TC_F8F6F4), MX_KINDS = SET(TC_MXF8F6F4) | SET(TC_MXF4) | SET(TC_MXF4NVF4) };
enum sparsity { DENSE = 1, SPARSE = 2, EITHER = 3 };

/* N from n_min to n_max in steps; `portable_step` is the step of the stricter published table.
 * Values of N that a row's step jumps over stand in `extra`, those of them that the stricter table
 * leaves out in `loose`; both are sets over N / 8. */
struct shape_row {
    uint32_t kinds;
    uint8_t cta_group;
    bool ws;
    uint8_t sparsity;
    uint16_t m;
    uint16_t n_min, n_max, n_step, portable_step;
    uint32_t extra, loose;
};

/* SOURCE: PTX ISA, tcgen05.mma, tables of valid shapes. The portable steps are those that CUTLASS,
 * TVM and a second edition's table ask for. */
static const struct shape_row shape_rows[] = {
    {FLOAT_KINDS, 1, false, EITHER, 64, 8, 256, 8, 8, 0, 0},
    {FLOAT_KINDS, 1, false, EITHER, 128, 8, 256, 8, 16, 0, 0},
    {FLOAT_KINDS, 2, false, EITHER, 128, 16, 256, 16, 32, 0, 0},
    {FLOAT_KINDS, 2, false, EITHER, 256, 16, 256, 16, 32, 0, 0},
    {SET(TC_I8), 1, false, EITHER, 64, 16, 256, 16, 8, 1u << 1 | 1u << 3, 1u << 3},
    {SET(TC_I8), 1, false, EITHER, 128, 16, 256, 16, 16, 1u << 1 | 1u << 3, 1u << 3},
    {SET(TC_I8), 2, false, EITHER, 128, 32, 256, 32, 32, 0, 0},
    {SET(TC_I8), 2, false, EITHER, 256, 32, 256, 32, 32, 0, 0},
    {MX_KINDS, 1, false, EITHER, 128, 8, 256, 8, 16, 0, 0},
    {MX_KINDS, 2, false, DENSE, 128, 16, 256, 16, 32, 0, 0},
    {MX_KINDS, 2, false, EITHER, 256, 16, 256, 16, 32, 0, 0},
    {FLOAT_KINDS | SET(TC_I8), 1, true, DENSE, 32, 64, 256, 64, 64, 0, 0},
    {FLOAT_KINDS | SET(TC_I8), 1, true, DENSE, 64, 64, 256, 64, 64, 0, 0},
    {FLOAT_KINDS | SET(TC_I8), 1, true, DENSE, 128, 64, 256, 64, 64, 0, 0},
    {FLOAT_KINDS | SET(TC_I8), 1, true, SPARSE, 32, 64, 128, 64, 64, 0, 0},
    {FLOAT_KINDS | SET(TC_I8), 1, true, SPARSE, 64, 64, 128, 64, 64, 0, 0},
    {FLOAT_KINDS | SET(TC_I8), 1, true, SPARSE, 128, 64, 128, 64, 64, 0, 0},
};

static bool row_serves(const struct shape_row *row, const struct tc_form *form)
{
    return (row->kinds & SET(form->kind)) != 0 && row->cta_group == form->cta_group && row->ws == form->ws &&
           (row->sparsity & (form->sparse ? SPARSE : DENSE)) != 0;
}

static enum tc_shape_verdict n_verdict(const struct shape_row *row, uint32_t n)
{
    if (n < 8 || n > row->n_max || n % 8 != 0)
        return TC_SHAPE_ILLEGAL;
    const bool listed = n >= row->n_min && n % row->n_step == 0 && !(row->ws && n == 192);
    if (!listed && (n / 8 > 31 || (row->extra >> n / 8 & 1) == 0))
        return TC_SHAPE_ILLEGAL;
    const bool loose = n / 8 < 32 && (row->loose >> n / 8 & 1) != 0;
    return n % row->portable_step == 0 && !loose ? TC_SHAPE_PORTABLE : TC_SHAPE_SUPERSET;
}

enum tc_shape_verdict tw_tc_shape(const struct tc_form *form, uint32_t m, uint32_t n)
{
    for (size_t i = 0; i < COUNT_OF(shape_rows); i++)
        if (shape_rows[i].m == m && row_serves(&shape_rows[i], form))
            return n_verdict(&shape_rows[i], n);
    return TC_SHAPE_ILLEGAL;
}

const char *tw_tc_shape_portable(const struct tc_form *form, uint32_t m)
{
    for (size_t i = 0; i < COUNT_OF(shape_rows); i++)
        if (shape_rows[i].m == m && row_serves(&shape_rows[i], form))
            return shape_rows[i].portable_step == 16   ? "N a multiple of 16"
                   : shape_rows[i].portable_step == 32 ? "N a multiple of 32"
                   : shape_rows[i].loose != 0          ? "N other than 24"
                                                       : "any N that exists";
    return "another M";
}

const char *tw_tc_shape_legal(const struct tc_form *form)
{
    const bool mx = tw_tc_kinds[form->kind].block_scale, i8 = form->kind == TC_I8;
    if (form->ws)
        return mx || form->cta_group != 1 ? "no shape: .ws is for cta_group::1 without block scaling"
               : form->sparse             ? "M 32, 64 or 128, N 64 or 128"
                                          : "M 32, 64 or 128, N 64, 128 or 256";
    if (form->cta_group == 1)
        return mx   ? "M 128, N 8 to 256 in steps of 8"
               : i8 ? "M 64 or 128, N 8, 16, 24, 32 or 48 to 256 in steps of 16"
                    : "M 64 or 128, N 8 to 256 in steps of 8";
    if (mx && form->sparse)
        return "M 256, N 16 to 256 in steps of 16";
    return i8 ? "M 128 or 256, N 32 to 256 in steps of 32" : "M 128 or 256, N 16 to 256 in steps of 16";
}

/* ---- Bit tables ---------------------------------------------------------------------------- */

#define FIELD(low, width, kind, shift, member, name, meaning) \
    {name, low, width, kind, shift, offsetof(struct idesc, member), meaning}
#define RESERVED(low, width, name) {name, low, width, IDESC_ZERO, 0, 0, "reserved"}

static const struct idesc_field dense_fields[] = {
    FIELD(0, 2, IDESC_NUMBER, 0, sparsity_selector, "sparsity selector", "column of the metadata"),
    FIELD(2, 1, IDESC_NUMBER, 0, sparse, "sparse", "A is stored compressed"),
    FIELD(3, 1, IDESC_NUMBER, 0, saturate, "saturate", "clamp the sum to s32"),
    FIELD(4, 2, IDESC_D, 0, d_format, "D format", "type of the accumulator"),
    RESERVED(6, 1, "bit 6"),
    FIELD(7, 3, IDESC_AB, 0, a_format, "A format", "type of A"),
    FIELD(10, 3, IDESC_AB, 0, b_format, "B format", "type of B"),
    FIELD(13, 1, IDESC_NUMBER, 0, negate_a, "negate A", "flip the sign of every element"),
    FIELD(14, 1, IDESC_NUMBER, 0, negate_b, "negate B", "flip the sign of every element"),
    FIELD(15, 1, IDESC_NUMBER, 0, a_mn_major, "transpose A", "A is MN-major in shared memory"),
    FIELD(16, 1, IDESC_NUMBER, 0, b_mn_major, "transpose B", "B is MN-major in shared memory"),
    FIELD(17, 6, IDESC_NUMBER, 3, n, "N", "N / 8, the total over a CTA pair"),
    RESERVED(23, 1, "bit 23"),
    FIELD(24, 5, IDESC_NUMBER, 4, m, "M", "M / 16, the total over a CTA pair"),
    RESERVED(29, 1, "bit 29"),
    FIELD(30, 2, IDESC_SHIFT, 0, max_shift, "maximum shift", "columns of B that .ws may shift by"),
};

#define SCALED_LOW_FIELDS                                                                  \
    RESERVED(0, 2, "bits 1:0"),                                                            \
        FIELD(2, 1, IDESC_NUMBER, 0, sparse, "sparse", "A is stored compressed"),          \
        RESERVED(3, 1, "bit 3"),                                                           \
        FIELD(4, 2, IDESC_NUMBER, 0, sfb_id, "SFB_ID", "byte of the first scale of B"),    \
        RESERVED(6, 1, "bit 6"),                                                           \
        FIELD(7, 3, IDESC_AB, 0, a_format, "A format", "type of A")
#define SCALED_HIGH_FIELDS                                                                                     \
    FIELD(13, 1, IDESC_NUMBER, 0, negate_a, "negate A", "flip the sign of every element"),                     \
        FIELD(14, 1, IDESC_NUMBER, 0, negate_b, "negate B", "flip the sign of every element"),                 \
        FIELD(15, 1, IDESC_NUMBER, 0, a_mn_major, "transpose A", "A is MN-major in shared memory"),            \
        FIELD(16, 1, IDESC_NUMBER, 0, b_mn_major, "transpose B", "B is MN-major in shared memory"),            \
        FIELD(17, 6, IDESC_NUMBER, 3, n, "N", "N / 8, the total over a CTA pair"),                             \
        FIELD(23, 1, IDESC_SCALE, 0, scale_format, "scale format", "type of the scale factors"),               \
        RESERVED(24, 3, "bits 26:24"),                                                                         \
        FIELD(27, 2, IDESC_NUMBER, 7, m, "M", "M / 128, the total over a CTA pair"),                           \
        FIELD(29, 2, IDESC_NUMBER, 0, sfa_id, "SFA_ID", "byte of the first scale of A")

static const struct idesc_field mxf8_fields[] = {
    SCALED_LOW_FIELDS,
    FIELD(10, 3, IDESC_AB, 0, b_format, "B format", "type of B"),
    SCALED_HIGH_FIELDS,
    RESERVED(31, 1, "bit 31"),
};

static const struct idesc_field mxf4_fields[] = {
    SCALED_LOW_FIELDS,
    FIELD(10, 2, IDESC_AB, 0, b_format, "B format", "type of B"),
    RESERVED(12, 1, "bit 12"),
    SCALED_HIGH_FIELDS,
    FIELD(31, 1, IDESC_NUMBER, 0, k96, "K 96", "K is 96, sm_103a"),
};

_Static_assert(COUNT_OF(dense_fields) <= IDESC_FIELD_MAX && COUNT_OF(mxf8_fields) <= IDESC_FIELD_MAX &&
                   COUNT_OF(mxf4_fields) <= IDESC_FIELD_MAX,
               "fault lists hold every field");

struct idesc_field_list tw_idesc_fields(enum tc_kind kind)
{
    static const struct idesc_field_list lists[IDESC_TABLE_COUNT] = {
        [IDESC_DENSE] = {dense_fields, COUNT_OF(dense_fields)},
        [IDESC_MXF8F6F4] = {mxf8_fields, COUNT_OF(mxf8_fields)},
        [IDESC_MXF4] = {mxf4_fields, COUNT_OF(mxf4_fields)},
    };
    return lists[tw_tc_kinds[kind].table];
}

static uint16_t member_get(const struct idesc *desc, const struct idesc_field *f)
{
    uint16_t value;
    memcpy(&value, (const char *)desc + f->member, sizeof value);
    return value;
}

static void member_put(struct idesc *desc, const struct idesc_field *f, uint32_t value)
{
    const uint16_t narrow = (uint16_t)value;
    memcpy((char *)desc + f->member, &narrow, sizeof narrow);
}

/* The raw value of a field. */
static uint32_t field_encode(enum tc_kind kind, const struct idesc *desc, const struct idesc_field *f)
{
    if (f->kind == IDESC_ZERO)
        return 0;
    const uint16_t value = member_get(desc, f);
    const enum num_format format = (enum num_format)value;
    int code = value >> f->shift;
    if (f->kind == IDESC_AB)
        code = tw_tc_ab_code(kind, format);
    else if (f->kind == IDESC_D)
        code = tw_tc_d_code(kind, format);
    else if (f->kind == IDESC_SCALE)
        code = format == NUM_UE8M0;
    else if (f->kind == IDESC_SHIFT)
        code = value == 0 ? 0 : (int)log2_floor(value) - 2;
    assert(code >= 0);
    return (uint32_t)code;
}

uint32_t tw_idesc_encode(enum tc_kind kind, const struct idesc *desc)
{
    const struct idesc_field_list fields = tw_idesc_fields(kind);
    uint64_t word = 0;
    for (size_t i = 0; i < fields.count; i++)
        word = bits_put(word, fields.at[i].low, fields.at[i].width, field_encode(kind, desc, &fields.at[i]));
    return (uint32_t)word;
}

static void field_decode(enum tc_kind kind, uint32_t raw, const struct idesc_field *f, struct idesc *desc)
{
    if (f->kind == IDESC_ZERO)
        return;
    uint32_t value = raw << f->shift;
    if (f->kind == IDESC_AB)
        value = tw_tc_ab_format(kind, raw);
    else if (f->kind == IDESC_D)
        value = tw_tc_d_format(kind, raw);
    else if (f->kind == IDESC_SCALE)
        value = raw != 0 ? NUM_UE8M0 : NUM_UE4M3;
    else if (f->kind == IDESC_SHIFT)
        value = raw == 0 ? 0 : 4u << raw;
    member_put(desc, f, value);
}

void tw_idesc_decode(enum tc_kind kind, uint32_t word, struct idesc *out)
{
    const struct idesc_field_list fields = tw_idesc_fields(kind);
    *out = (struct idesc){0};
    for (size_t i = 0; i < fields.count; i++)
        field_decode(kind, (uint32_t)bits_get(word, fields.at[i].low, fields.at[i].width), &fields.at[i], out);
    if (tw_tc_kinds[kind].block_scale)
        out->d_format = NUM_F32;
}

uint32_t tw_idesc_k(const struct tc_form *form, const struct idesc *desc)
{
    const struct tc_kind_row *kind = &tw_tc_kinds[form->kind];
    if (desc->k96 != 0)
        return 96;
    return form->sparse ? kind->k_sparse : kind->k_dense;
}

/* ---- What a form allows --------------------------------------------------------------------- */

static const char *const ab_expected[TC_KIND_COUNT] = {
    [TC_F16] = "0 f16 or 1 bf16",
    [TC_TF32] = "2 tf32",
    [TC_F8F6F4] = "0 e4m3, 1 e5m2, 3 e2m3, 4 e3m2 or 5 e2m1",
    [TC_I8] = "0 u8 or 1 s8",
    [TC_MXF8F6F4] = "0 e4m3, 1 e5m2, 3 e2m3, 4 e3m2 or 5 e2m1",
    [TC_MXF4] = "1 e2m1",
    [TC_MXF4NVF4] = "1 e2m1",
};

static const char *const d_expected[TC_KIND_COUNT] = {
    [TC_F16] = "0 f16 or 1 f32", [TC_TF32] = "1 f32",  [TC_F8F6F4] = "0 f16 or 1 f32", [TC_I8] = "2 s32",
    [TC_MXF8F6F4] = "f32",       [TC_MXF4] = "f32",    [TC_MXF4NVF4] = "f32",
};

struct check {
    const struct tc_form *form;
    const struct tc_kind_row *kind;
    struct idesc desc;
};

static bool is_8bit(enum num_format f)
{
    return f == NUM_E4M3 || f == NUM_E5M2 || f == NUM_S8 || f == NUM_U8;
}

static const char *check_a_format(const struct check *c, uint32_t raw)
{
    (void)raw;
    return c->desc.a_format == NUM_NONE ? ab_expected[c->form->kind] : NULL;
}

static const char *check_b_format(const struct check *c, uint32_t raw)
{
    (void)raw;
    if (c->desc.b_format == NUM_NONE)
        return ab_expected[c->form->kind];
    if (c->kind->same_ab && c->desc.a_format != NUM_NONE && c->desc.a_format != c->desc.b_format)
        return "the format of A (f16 and bf16 do not mix)";
    return NULL;
}

static const char *check_d_format(const struct check *c, uint32_t raw)
{
    (void)raw;
    if (c->desc.d_format == NUM_NONE)
        return d_expected[c->form->kind];
    if (c->form->kind == TC_F16 && c->desc.d_format == NUM_F16 && c->desc.a_format == NUM_BF16)
        return "1 f32 (an f16 accumulator needs f16 operands)";
    return NULL;
}

static const char *check_scale_format(const struct check *c, uint32_t raw)
{
    const struct tc_scale_row *row = tw_tc_scale_of(c->form->kind, c->form->scale_vec);
    const enum num_format found = raw != 0 ? NUM_UE8M0 : NUM_UE4M3;
    return row == NULL || (row->formats & SET(found)) != 0 ? NULL : "1 ue8m0";
}

static const char *check_scale_id(const struct check *c, uint32_t raw)
{
    const struct tc_scale_row *row = tw_tc_scale_of(c->form->kind, c->form->scale_vec);
    if (row == NULL)
        return NULL;
    /* SOURCE: PTX ISA, scale factor ids with K = 96: any byte for block32, 0 or 2 for block16. */
    const unsigned legal = c->desc.k96 != 0 ? (row->block == 32 ? 0xFu : 0x5u) : row->legal_ids;
    if ((legal >> raw & 1) != 0)
        return NULL;
    return legal == 1 ? "0" : "0 or 2";
}

static const char *check_transpose(const struct check *c, enum num_format format, uint32_t raw)
{
    if (raw == 0)
        return NULL;
    if (c->kind->table == IDESC_MXF4)
        return "0 (4-bit operands are K-major)";
    if ((c->kind->ab_formats & F8F6F4_SET) != 0 && !is_8bit(format))
        return "0 (operands of 4 or 6 bits are K-major)";
    return NULL;
}

static const char *check_a_major(const struct check *c, uint32_t raw)
{
    if (raw != 0 && c->form->a_in_tmem)
        return "0 (A in tensor memory is K-major)";
    return check_transpose(c, (enum num_format)c->desc.a_format, raw);
}

static const char *check_b_major(const struct check *c, uint32_t raw)
{
    return check_transpose(c, (enum num_format)c->desc.b_format, raw);
}

static const char *check_negate(const struct check *c, uint32_t raw)
{
    return raw != 0 && !c->kind->negate ? "0 (integers are not negated)" : NULL;
}

static const char *check_sparse(const struct check *c, uint32_t raw)
{
    if (c->form->sparse)
        return raw == 0 ? "1 (the instruction has .sp)" : NULL;
    return raw != 0 ? "0 (the instruction has no .sp)" : NULL;
}

static const char *check_selector(const struct check *c, uint32_t raw)
{
    if (raw == 0)
        return NULL;
    if (!c->form->sparse)
        return "0 (the instruction has no .sp)";
    return c->form->kind == TC_F16 || c->form->kind == TC_TF32 ? NULL : "0 for elements of 8 bits";
}

static const char *check_saturate(const struct check *c, uint32_t raw)
{
    return raw != 0 && c->form->kind != TC_I8 ? "0 (only kind::i8 saturates)" : NULL;
}

static const char *check_max_shift(const struct check *c, uint32_t raw)
{
    if (raw != 0 && !c->form->ws)
        return "0 (only .ws shifts columns)";
    return raw == 3 && c->desc.m == 32 ? "0, 1 or 2 (with M 32 at most 16 columns)" : NULL;
}

static bool m_is_legal(const struct check *c)
{
    for (size_t i = 0; i < COUNT_OF(shape_rows); i++)
        if (shape_rows[i].m == c->desc.m && row_serves(&shape_rows[i], c->form))
            return true;
    return false;
}

static const char *check_m(const struct check *c, uint32_t raw)
{
    (void)raw;
    return m_is_legal(c) ? NULL : tw_tc_shape_legal(c->form);
}

/* A wrong M makes N unjudgeable, so one of the two is named, never both. */
static const char *check_n(const struct check *c, uint32_t raw)
{
    (void)raw;
    if (!m_is_legal(c))
        return NULL;
    if (tw_tc_shape(c->form, c->desc.m, c->desc.n) == TC_SHAPE_ILLEGAL)
        return tw_tc_shape_legal(c->form);
    /* SOURCE: PTX ISA: transposed 8-bit B needs N a multiple of 16, of 32 over a pair. */
    const uint32_t step = 16u * c->form->cta_group;
    if (c->desc.b_mn_major != 0 && is_8bit((enum num_format)c->desc.b_format) && c->desc.n % step != 0)
        return step == 16 ? "a multiple of 16 with MN-major 8-bit B" : "a multiple of 32 with MN-major 8-bit B";
    return NULL;
}

/* K = 96 is for dense pairs of sm_103a; the target is the caller's to check. */
static const char *check_k96(const struct check *c, uint32_t raw)
{
    if (raw == 0)
        return NULL;
    if (c->form->sparse)
        return "0 (sparse A has no K of 96)";
    return c->form->a_in_tmem ? "0 (K of 96 takes A from shared memory)" : NULL;
}

typedef const char *field_rule(const struct check *c, uint32_t raw);

static const struct {
    size_t member;
    field_rule *rule;
} rules[] = {
    {offsetof(struct idesc, m), check_m},
    {offsetof(struct idesc, n), check_n},
    {offsetof(struct idesc, a_format), check_a_format},
    {offsetof(struct idesc, b_format), check_b_format},
    {offsetof(struct idesc, d_format), check_d_format},
    {offsetof(struct idesc, scale_format), check_scale_format},
    {offsetof(struct idesc, sfa_id), check_scale_id},
    {offsetof(struct idesc, sfb_id), check_scale_id},
    {offsetof(struct idesc, negate_a), check_negate},
    {offsetof(struct idesc, negate_b), check_negate},
    {offsetof(struct idesc, a_mn_major), check_a_major},
    {offsetof(struct idesc, b_mn_major), check_b_major},
    {offsetof(struct idesc, saturate), check_saturate},
    {offsetof(struct idesc, sparse), check_sparse},
    {offsetof(struct idesc, sparsity_selector), check_selector},
    {offsetof(struct idesc, max_shift), check_max_shift},
    {offsetof(struct idesc, k96), check_k96},
};

static const char *judge(const struct check *c, const struct idesc_field *f, uint32_t raw)
{
    if (f->kind == IDESC_ZERO)
        return raw != 0 ? "0" : NULL;
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        if (rules[i].member == f->member)
            return rules[i].rule(c, raw);
    return NULL;
}

bool tw_idesc_check(const struct tc_form *form, uint32_t word, struct idesc_fault_list *faults)
{
    const struct idesc_field_list fields = tw_idesc_fields(form->kind);
    struct check c = {form, &tw_tc_kinds[form->kind], {0}};
    tw_idesc_decode(form->kind, word, &c.desc);
    faults->count = 0;
    for (size_t i = 0; i < fields.count; i++) {
        const struct idesc_field *f = &fields.at[i];
        const uint32_t raw = (uint32_t)bits_get(word, f->low, f->width);
        const char *expected = judge(&c, f, raw);
        if (expected != NULL)
            faults->at[faults->count++] = (struct idesc_fault){f, raw, expected};
    }
    return faults->count == 0;
}
