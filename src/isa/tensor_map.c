#include "isa/tensor_map.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* ---- Tables --------------------------------------------------------------------------------- */

/* SOURCE: CUDA driver API, CUtensorMapDataType; PTX ISA, "tensormap.replace", .elemtype. MEASURED: which types take which
 * reductions: others end in an illegal instruction. The ISA's table has no f64 and no tf32; they add. */
static const struct tensor_map_type_row types[TMAP_TYPE_COUNT] = {
    [TMAP_U8] = {"u8", "uint8 int8 bool float8_e4m3fn float8_e5m2 float8_e8m0fnu", 0, 8, 8, false, false, 0},
    [TMAP_U16] = {"u16", "uint16 int16", 1, 16, 16, false, false, 0},
    [TMAP_U32] = {"u32", "uint32", 2, 32, 32, false, false, TMAP_ADD | TMAP_MINMAX | TMAP_INCDEC | TMAP_BITS},
    [TMAP_S32] = {"s32", "int32", 3, 32, 32, false, false, TMAP_ADD | TMAP_MINMAX | TMAP_BITS},
    [TMAP_U64] = {"u64", "uint64", 4, 64, 64, false, false, TMAP_ADD | TMAP_MINMAX | TMAP_BITS},
    [TMAP_S64] = {"s64", "int64", 5, 64, 64, false, false, TMAP_MINMAX},
    [TMAP_F16] = {"f16", "float16", 6, 16, 16, true, false, TMAP_ADD | TMAP_MINMAX},
    [TMAP_F32] = {"f32", "float32", 7, 32, 32, true, false, TMAP_ADD},
    [TMAP_F64] = {"f64", "float64", 9, 64, 64, true, false, TMAP_ADD},
    [TMAP_BF16] = {"bf16", "bfloat16", 10, 16, 16, true, false, TMAP_ADD | TMAP_MINMAX},
    [TMAP_F32_FTZ] = {"f32_ftz", "", 8, 32, 32, true, false, TMAP_ADD},
    [TMAP_TF32] = {"tf32", "", 11, 32, 32, true, false, TMAP_ADD},
    [TMAP_TF32_FTZ] = {"tf32_ftz", "", 12, 32, 32, true, false, TMAP_ADD},
    [TMAP_U4X16_ALIGN8] = {"u4x16_align8", "float4_e2m1fn", 13, 4, 4, false, true, 0},
    [TMAP_U4X16_ALIGN16] = {"u4x16_align16", "", 14, 4, 8, false, true, 0},
    [TMAP_U6X16_ALIGN16] = {"u6x16_align16", "float6_e2m3fn float6_e3m2fn", 15, 6, 8, false, true, 0},
};

/* SOURCE: PTX ISA, "Swizzling modes" and "tensormap.replace"; MEASURED: ptx-async.md 4.5 for 32B, 64B and 128B. */
static const struct tensor_map_swizzle_row swizzles[TMAP_SWIZZLE_COUNT] = {
    [TMAP_SWIZZLE_NONE] = {"none", 0, 16, 0, 0, 0, false, 0, 0, 90},
    [TMAP_SWIZZLE_32B] = {"32B", 32, 16, 4, 1, 7, false, 1, 0, 90},
    [TMAP_SWIZZLE_64B] = {"64B", 64, 16, 4, 2, 7, false, 2, 0, 90},
    [TMAP_SWIZZLE_128B] = {"128B", 128, 16, 4, 3, 7, false, 3, 0, 90},
    [TMAP_SWIZZLE_128B_ATOM_32B] = {"128B_ATOM_32B", 128, 32, 5, 2, 7, false, 3, 1, 100},
    [TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B] = {"128B_ATOM_32B_FLIP_8B", 128, 8, 5, 2, 7, true, 3, 2, 100},
    [TMAP_SWIZZLE_128B_ATOM_64B] = {"128B_ATOM_64B", 128, 64, 6, 1, 7, false, 3, 3, 100},
    [TMAP_SWIZZLE_96B] = {"96B", 96, 16, 4, 1, 7, false, 4, 0, UINT16_MAX},
};

const char *const tw_tensor_map_interleave_names[] = {"none", "16B", "32B", NULL};
const char *const tw_tensor_map_fill_names[] = {"zeros", "nan", NULL};
const char *const tw_tensor_map_l2_names[] = {"none", "64B", "128B", "256B", NULL};

static const char *const field_names[TMAP_FIELD_COUNT] = {
    [TMAP_FIELD_ADDRESS] = "globalAddress", [TMAP_FIELD_RANK] = "tensorRank", [TMAP_FIELD_TYPE] = "tensorDataType",
    [TMAP_FIELD_DIMS] = "globalDim", [TMAP_FIELD_STRIDES] = "globalStrides", [TMAP_FIELD_BOX] = "boxDim",
    [TMAP_FIELD_ELEMENT_STRIDES] = "elementStrides", [TMAP_FIELD_INTERLEAVE] = "interleave", [TMAP_FIELD_SWIZZLE] = "swizzle",
    [TMAP_FIELD_ATOMICITY] = "swizzle atomicity", [TMAP_FIELD_FILL] = "oobFill", [TMAP_FIELD_L2] = "l2Promotion",
    [TMAP_FIELD_MODE] = "mode", [TMAP_FIELD_CORNERS] = "pixelBoxCorner", [TMAP_FIELD_CHANNELS] = "channelsPerPixel",
    [TMAP_FIELD_PIXELS] = "pixelsPerColumn",
};

const struct tensor_map_type_row *tw_tensor_map_type(enum tensor_map_type type)
{
    return &types[type < TMAP_TYPE_COUNT ? type : TMAP_U8];
}

const struct tensor_map_swizzle_row *tw_tensor_map_swizzle(enum tensor_map_swizzle swizzle)
{
    return &swizzles[swizzle < TMAP_SWIZZLE_COUNT ? swizzle : TMAP_SWIZZLE_NONE];
}

uint32_t tw_tensor_map_swizzled(enum tensor_map_swizzle swizzle, uint32_t shared_offset)
{
    const struct tensor_map_swizzle_row *const s = tw_tensor_map_swizzle(swizzle);
    const uint32_t mask = (UINT32_C(1) << s->bits) - 1;
    const uint32_t flip = s->flips_8b ? (shared_offset >> 7 & 1) << 3 : 0;
    return shared_offset ^ (shared_offset >> s->source_bit & mask) << s->target_bit ^ flip;
}

const char *tw_tensor_map_field_name(enum tensor_map_field field)
{
    return field_names[field];
}

static bool has_word(const char *list, struct str word)
{
    for (const char *at = list; *at != '\0';) {
        const char *const end = strchr(at, ' ');
        const size_t len = end == NULL ? strlen(at) : (size_t)(end - at);
        if (tw_str_eq((struct str){at, len}, word))
            return true;
        at += end == NULL ? len : len + 1;
    }
    return false;
}

enum tensor_map_type tw_tensor_map_type_find(struct str name)
{
    unsigned i = 0;
    while (i < TMAP_TYPE_COUNT && !tw_str_is(name, types[i].name) && !has_word(types[i].dtype, name))
        i++;
    return (enum tensor_map_type)i;
}

enum tensor_map_swizzle tw_tensor_map_swizzle_find(struct str name)
{
    unsigned i = 0;
    while (i < TMAP_SWIZZLE_COUNT && !tw_str_is(name, swizzles[i].name))
        i++;
    return (enum tensor_map_swizzle)i;
}

/* ---- Rules ---------------------------------------------------------------------------------- */

struct checker {
    const struct tensor_map *map;
    const struct tensor_map_type_row *type;
    unsigned sm;
    struct arena *arena;
    struct tensor_map_fault *fault;
};

static bool broken(struct checker *c, enum tensor_map_field field, int ordinal, const char *expected, const char *found)
{
    *c->fault = (struct tensor_map_fault){field, ordinal, expected, found};
    return false;
}

static bool broken_number(struct checker *c, enum tensor_map_field field, int ordinal, const char *expected, uint64_t found)
{
    return broken(c, field, ordinal, expected, tw_format(c->arena, "%" PRIu64, found));
}

/* The alignment that address and strides need. SOURCE: cuTensorMapEncodeTiled, globalAddress and globalStrides. */
static uint32_t alignment(const struct checker *c)
{
    const bool wide = c->map->interleave == TMAP_INTERLEAVE_32B || c->map->type == TMAP_U4X16_ALIGN16 || c->map->type == TMAP_U6X16_ALIGN16;
    return wide ? 32 : 16;
}

static bool check_enumerations(struct checker *c)
{
    const struct tensor_map *const m = c->map;
    if (m->mode > TMAP_IM2COL_WIDE)
        return broken_number(c, TMAP_FIELD_MODE, -1, "tile, im2col or im2col wide", m->mode);
    if (m->type >= TMAP_TYPE_COUNT)
        return broken_number(c, TMAP_FIELD_TYPE, -1, "an element type from 0 to 15", m->type);
    if (m->rank < (m->mode == TMAP_TILE ? 1u : 3u) || m->rank > TENSOR_MAP_RANK)
        return broken_number(c, TMAP_FIELD_RANK, -1, m->mode == TMAP_TILE ? "a rank from 1 to 5" : "a rank from 3 to 5 for im2col", m->rank);
    if (m->interleave >= TMAP_INTERLEAVE_COUNT)
        return broken_number(c, TMAP_FIELD_INTERLEAVE, -1, "none, 16B or 32B", m->interleave);
    if (m->swizzle >= TMAP_SWIZZLE_COUNT)
        return broken(c, TMAP_FIELD_SWIZZLE, -1, "a width and an atomicity that go together", "a pair that no swizzle has");
    if (m->fill >= TMAP_FILL_COUNT)
        return broken_number(c, TMAP_FIELD_FILL, -1, "zeros or nan", m->fill);
    if (m->l2 >= TMAP_L2_COUNT)
        return broken_number(c, TMAP_FIELD_L2, -1, "none, 64B, 128B or 256B", m->l2);
    return true;
}

static bool check_tensor(struct checker *c)
{
    const struct tensor_map *const m = c->map;
    const uint32_t align = alignment(c);
    const char *const multiple = align == 32 ? "a multiple of 32" : "a multiple of 16";
    if (m->address % align != 0)
        return broken(c, TMAP_FIELD_ADDRESS, -1, multiple, tw_format(c->arena, "0x%" PRIx64, m->address));
    for (uint32_t d = 0; d < m->rank; d++)
        if (m->dims[d] == 0 || m->dims[d] > UINT64_C(1) << 32)
            return broken_number(c, TMAP_FIELD_DIMS, (int)d, "1 to 4294967296", m->dims[d]);
    if (c->type->packed && m->dims[0] % (c->type->shared_bits == 8 ? 128 : 2) != 0)
        return broken_number(c, TMAP_FIELD_DIMS, 0, c->type->shared_bits == 8 ? "a multiple of 128 elements" : "a multiple of 2 elements", m->dims[0]);
    for (uint32_t d = 1; d < m->rank; d++) {
        if (m->strides[d] % align != 0)
            return broken_number(c, TMAP_FIELD_STRIDES, (int)d - 1, multiple, m->strides[d]);
        if (m->strides[d] >= UINT64_C(1) << 40)
            return broken_number(c, TMAP_FIELD_STRIDES, (int)d - 1, "less than 1099511627776", m->strides[d]);
    }
    for (uint32_t d = 0; d < m->rank; d++)
        if (m->element_strides[d] == 0 || m->element_strides[d] > 8)
            return broken_number(c, TMAP_FIELD_ELEMENT_STRIDES, (int)d, "1 to 8", m->element_strides[d]);
    return true;
}

/* Rules between interleave, swizzle, fill and type. */
static bool check_combination(struct checker *c)
{
    const struct tensor_map *const m = c->map;
    const struct tensor_map_swizzle_row *const s = &swizzles[m->swizzle];
    if (m->interleave != TMAP_INTERLEAVE_NONE && m->rank < 3)
        return broken_number(c, TMAP_FIELD_RANK, -1, "at least 3 for an interleaved tensor", m->rank);
    if (m->interleave != TMAP_INTERLEAVE_NONE && (c->type->packed || m->mode == TMAP_IM2COL_WIDE))
        return broken(c, TMAP_FIELD_INTERLEAVE, -1, "no interleave for packed types and for im2col wide",
                      tw_tensor_map_interleave_names[m->interleave]);
    if (s->from_sm > c->sm)
        return broken(c, TMAP_FIELD_SWIZZLE, -1,
                      m->swizzle == TMAP_SWIZZLE_96B ? "another swizzle; where 96B puts a row is documented nowhere"
                                                     : "none, 32B, 64B or 128B; the others need sm_100",
                      s->name);
    if (c->type->packed && c->sm < 100)
        return broken(c, TMAP_FIELD_TYPE, -1, "a type of whole bytes; packed types need sm_100", c->type->name);
    if (c->type->packed && c->type->shared_bits == 8 &&
        ((m->swizzle != TMAP_SWIZZLE_NONE && s->span_bytes != 128) || s->flips_8b))
        return broken(c, TMAP_FIELD_SWIZZLE, -1, "none, 128B, 128B_ATOM_32B or 128B_ATOM_64B for this element type", s->name);
    if (m->fill == TMAP_FILL_NAN && !c->type->is_float)
        return broken(c, TMAP_FIELD_FILL, -1, "zeros; nan needs a floating-point element type", c->type->name);
    return true;
}

/* The inner extent in shared memory, in elements: a multiple of 16 bytes, and within the swizzle's span. */
static bool check_inner(struct checker *c, enum tensor_map_field field, int ordinal, uint64_t elements)
{
    const struct tensor_map *const m = c->map;
    const struct tensor_map_swizzle_row *const s = &swizzles[m->swizzle];
    if (c->type->packed && c->type->shared_bits == 8 && elements != 128)
        return broken_number(c, field, ordinal, "128 for this element type", elements);
    const uint64_t bytes = elements * c->type->shared_bits / 8;
    if (elements * c->type->shared_bits % 128 != 0)
        return broken(c, field, ordinal, "a multiple of 16 bytes",
                      tw_format(c->arena, "%" PRIu64 " elements of %u bits", elements, c->type->shared_bits));
    if (m->interleave == TMAP_INTERLEAVE_NONE && s->span_bytes != 0 && bytes > s->span_bytes)
        return broken(c, field, ordinal, tw_format(c->arena, "at most %u bytes with swizzle %s", s->span_bytes, s->name),
                      tw_format(c->arena, "%" PRIu64 " bytes", bytes));
    return true;
}

/* MEASURED: what a copy brings, element strides counted in, fits the shared memory of an SM. */
static bool check_total(struct checker *c, enum tensor_map_field field, uint64_t elements)
{
    enum { MOST = 228 << 10 };
    const uint64_t bytes = elements * c->type->shared_bits / 8;
    if (bytes <= MOST)
        return true;
    return broken(c, field, -1, tw_format(c->arena, "at most %d bytes in all", (int)MOST), tw_format(c->arena, "%" PRIu64 " bytes", bytes));
}

static bool check_tile(struct checker *c)
{
    const struct tensor_map *const m = c->map;
    uint64_t elements = 1;
    for (uint32_t d = 0; d < m->rank; d++) {
        if (m->box[d] == 0 || m->box[d] > 256)
            return broken_number(c, TMAP_FIELD_BOX, (int)d, "1 to 256", m->box[d]);
        elements *= d == 0 ? m->box[d] : (m->box[d] + m->element_strides[d] - 1) / m->element_strides[d];
    }
    return check_inner(c, TMAP_FIELD_BOX, 0, m->box[0]) && check_total(c, TMAP_FIELD_BOX, elements);
}

/* Signed bits of a corner: 16 for one spatial dimension, 8 for two, 5 for three. */
static bool check_im2col(struct checker *c)
{
    static const struct { int32_t low; const char *range; } corner[TENSOR_MAP_SPATIAL] = {
        {-32768, "-32768 to 32767"}, {-128, "-128 to 127"}, {-16, "-16 to 15"}};
    const struct tensor_map *const m = c->map;
    const uint32_t spatial = m->rank - 2, checked = m->mode == TMAP_IM2COL_WIDE ? 1 : spatial;
    const int32_t low = corner[checked - 1].low;
    for (uint32_t d = 0; d < checked; d++) {
        const int32_t worst = m->lower[d] < low || m->lower[d] > -1 - low ? m->lower[d] : m->upper[d];
        if (worst < low || worst > -1 - low)
            return broken(c, TMAP_FIELD_CORNERS, (int)d, corner[checked - 1].range, tw_format(c->arena, "%d", worst));
        if ((int64_t)m->dims[d + 1] - 1 + m->upper[d] < m->lower[d]) /* MEASURED */
            return broken(c, TMAP_FIELD_CORNERS, (int)d, "a bounding box that is not empty",
                          tw_format(c->arena, "from %d to %" PRId64, m->lower[d], (int64_t)m->dims[d + 1] - 1 + m->upper[d]));
    }
    if (m->channels == 0 || m->channels > 256)
        return broken_number(c, TMAP_FIELD_CHANNELS, -1, "1 to 256", m->channels);
    if (m->pixels == 0 || m->pixels > 1024)
        return broken_number(c, TMAP_FIELD_PIXELS, -1, "1 to 1024", m->pixels);
    return check_inner(c, TMAP_FIELD_CHANNELS, -1, m->channels) && check_total(c, TMAP_FIELD_PIXELS, (uint64_t)m->channels * m->pixels);
}

bool tw_tensor_map_check(const struct tensor_map *map, unsigned sm, struct arena *arena, struct tensor_map_fault *fault)
{
    struct checker c = {map, tw_tensor_map_type(map->type), sm, arena, fault};
    return check_enumerations(&c) && check_tensor(&c) && check_combination(&c) && (map->mode == TMAP_TILE ? check_tile(&c) : check_im2col(&c));
}

const char *tw_tensor_map_fault_field(const struct tensor_map_fault *fault, struct arena *arena)
{
    if (fault->ordinal < 0)
        return field_names[fault->field];
    return tw_format(arena, "%s[%d]", field_names[fault->field], fault->ordinal);
}

/* ---- The bytes ------------------------------------------------------------------------------ */

static const uint8_t magic[8] = {0x74, 0x77, 0x6d, 0x61, 0x70, 0x01, 0xc6, 0x5d};

enum {
    AT_ADDRESS = 0, AT_MAGIC = 8, AT_DIMS = 16, AT_STRIDES = 56, AT_BOX = 88, AT_LOWER = 88, AT_UPPER = 94, AT_CHANNELS = 100,
    AT_PIXELS = 104, AT_ELEMENT_STRIDES = 108, AT_TYPE = 118, AT_RANK, AT_INTERLEAVE, AT_SWIZZLE, AT_ATOMICITY, AT_FILL, AT_L2, AT_MODE
};

static void put(uint8_t *bytes, uint32_t at, uint32_t width, uint64_t value)
{
    const uint64_t most = width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
    const uint64_t kept = value > most ? most : value;
    memcpy(bytes + at, &kept, width);
}

static uint64_t get(const uint8_t *bytes, uint32_t at, uint32_t width)
{
    uint64_t value = 0;
    memcpy(&value, bytes + at, width);
    return value;
}

static void pack_pixels(const struct tensor_map *map, uint8_t *bytes)
{
    for (uint32_t d = 0; d < TENSOR_MAP_SPATIAL; d++) {
        put(bytes, AT_LOWER + 2 * d, 2, (uint16_t)map->lower[d]);
        put(bytes, AT_UPPER + 2 * d, 2, (uint16_t)map->upper[d]);
    }
    put(bytes, AT_CHANNELS, 4, map->channels);
    put(bytes, AT_PIXELS, 4, map->pixels);
}

void tw_tensor_map_pack(const struct tensor_map *map, uint8_t bytes[TENSOR_MAP_BYTES])
{
    const struct tensor_map_swizzle_row *const s = tw_tensor_map_swizzle(map->swizzle);
    memset(bytes, 0, TENSOR_MAP_BYTES);
    memcpy(bytes + AT_MAGIC, magic, sizeof magic);
    put(bytes, AT_ADDRESS, 8, map->address);
    for (uint32_t d = 0; d < TENSOR_MAP_RANK; d++) {
        put(bytes, AT_DIMS + 8 * d, 8, map->dims[d]);
        put(bytes, AT_ELEMENT_STRIDES + 2 * d, 2, map->element_strides[d]);
        if (d != 0)
            put(bytes, AT_STRIDES + 8 * (d - 1), 8, map->strides[d]);
        if (map->mode == TMAP_TILE)
            put(bytes, AT_BOX + 4 * d, 4, map->box[d]);
    }
    if (map->mode != TMAP_TILE)
        pack_pixels(map, bytes);
    put(bytes, AT_TYPE, 1, map->type);
    put(bytes, AT_RANK, 1, map->rank);
    put(bytes, AT_INTERLEAVE, 1, map->interleave);
    put(bytes, AT_SWIZZLE, 1, s->mode);
    put(bytes, AT_ATOMICITY, 1, s->atomicity);
    put(bytes, AT_FILL, 1, map->fill);
    put(bytes, AT_L2, 1, map->l2);
    put(bytes, AT_MODE, 1, map->mode);
}

bool tw_tensor_map_encode(const struct tensor_map *map, unsigned sm, struct arena *arena, uint8_t bytes[TENSOR_MAP_BYTES],
                          struct tensor_map_fault *fault)
{
    if (!tw_tensor_map_check(map, sm, arena, fault))
        return false;
    tw_tensor_map_pack(map, bytes);
    return true;
}

static enum tensor_map_swizzle swizzle_of(uint64_t mode, uint64_t atomicity)
{
    unsigned i = 0;
    while (i < TMAP_SWIZZLE_COUNT && (swizzles[i].mode != mode || swizzles[i].atomicity != atomicity))
        i++;
    return (enum tensor_map_swizzle)i;
}

static void unpack_pixels(const uint8_t *bytes, struct tensor_map *map)
{
    for (uint32_t d = 0; d < TENSOR_MAP_SPATIAL; d++) {
        map->lower[d] = (int16_t)get(bytes, AT_LOWER + 2 * d, 2);
        map->upper[d] = (int16_t)get(bytes, AT_UPPER + 2 * d, 2);
    }
    map->channels = (uint32_t)get(bytes, AT_CHANNELS, 4);
    map->pixels = (uint32_t)get(bytes, AT_PIXELS, 4);
}

bool tw_tensor_map_unpack(const uint8_t bytes[TENSOR_MAP_BYTES], struct tensor_map *map)
{
    *map = (struct tensor_map){0};
    if (memcmp(bytes + AT_MAGIC, magic, sizeof magic) != 0)
        return false;
    map->address = get(bytes, AT_ADDRESS, 8);
    map->mode = (enum tensor_map_mode)get(bytes, AT_MODE, 1);
    for (uint32_t d = 0; d < TENSOR_MAP_RANK; d++) {
        map->dims[d] = get(bytes, AT_DIMS + 8 * d, 8);
        map->element_strides[d] = (uint32_t)get(bytes, AT_ELEMENT_STRIDES + 2 * d, 2);
        map->strides[d] = d == 0 ? 0 : get(bytes, AT_STRIDES + 8 * (d - 1), 8);
        map->box[d] = map->mode == TMAP_TILE ? (uint32_t)get(bytes, AT_BOX + 4 * d, 4) : 0;
    }
    if (map->mode != TMAP_TILE)
        unpack_pixels(bytes, map);
    map->type = (enum tensor_map_type)get(bytes, AT_TYPE, 1);
    map->rank = (uint32_t)get(bytes, AT_RANK, 1);
    map->interleave = (enum tensor_map_interleave)get(bytes, AT_INTERLEAVE, 1);
    map->swizzle = swizzle_of(get(bytes, AT_SWIZZLE, 1), get(bytes, AT_ATOMICITY, 1));
    map->fill = (enum tensor_map_fill)get(bytes, AT_FILL, 1);
    map->l2 = (enum tensor_map_l2)get(bytes, AT_L2, 1);
    return true;
}

/* ---- tensormap.replace ---------------------------------------------------------------------- */

/* Where a field stands. Values of a field with `values` must be below it. */
struct replaced_field {
    uint8_t at, width;
    uint8_t ordinals, step;
    uint8_t values;
};

/* SOURCE: PTX ISA, "tensormap.replace", the table of new values. */
static const struct replaced_field replaced_fields[TMAP_FIELD_COUNT] = {
    [TMAP_FIELD_ADDRESS] = {AT_ADDRESS, 8, 1, 0, 0},
    [TMAP_FIELD_RANK] = {AT_RANK, 1, 1, 0, TENSOR_MAP_RANK},
    [TMAP_FIELD_TYPE] = {AT_TYPE, 1, 1, 0, TMAP_TYPE_COUNT},
    [TMAP_FIELD_DIMS] = {AT_DIMS, 8, TENSOR_MAP_RANK, 8, 0},
    [TMAP_FIELD_STRIDES] = {AT_STRIDES, 8, TENSOR_MAP_RANK - 1, 8, 0},
    [TMAP_FIELD_BOX] = {AT_BOX, 4, TENSOR_MAP_RANK, 4, 0},
    [TMAP_FIELD_ELEMENT_STRIDES] = {AT_ELEMENT_STRIDES, 2, TENSOR_MAP_RANK, 2, 0},
    [TMAP_FIELD_INTERLEAVE] = {AT_INTERLEAVE, 1, 1, 0, TMAP_INTERLEAVE_COUNT},
    [TMAP_FIELD_SWIZZLE] = {AT_SWIZZLE, 1, 1, 0, 5},
    [TMAP_FIELD_ATOMICITY] = {AT_ATOMICITY, 1, 1, 0, 4},
    [TMAP_FIELD_FILL] = {AT_FILL, 1, 1, 0, TMAP_FILL_COUNT},
};

/* The value of a field in our numbering. A rank is given as rank - 1, a type has numbers of its own. */
static uint64_t own_value(enum tensor_map_field field, uint64_t value)
{
    if (field == TMAP_FIELD_RANK)
        return value + 1;
    for (unsigned t = 0; field == TMAP_FIELD_TYPE && t < TMAP_TYPE_COUNT; t++)
        if (types[t].replace_code == value)
            return t;
    return value;
}

static bool all_zero(const uint8_t *bytes)
{
    for (uint32_t i = 0; i < TENSOR_MAP_BYTES; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

enum tensor_map_replaced tw_tensor_map_replace(uint8_t bytes[TENSOR_MAP_BYTES], enum tensor_map_field field, uint32_t ordinal,
                                               uint64_t value)
{
    const struct replaced_field *const f = &replaced_fields[field];
    if (memcmp(bytes + AT_MAGIC, magic, sizeof magic) != 0 && !all_zero(bytes))
        return TMAP_NO_MAP;
    if (ordinal >= f->ordinals)
        return TMAP_NO_ORDINAL;
    if (f->values != 0 && value >= f->values)
        return TMAP_NO_VALUE;
    memcpy(bytes + AT_MAGIC, magic, sizeof magic);
    put(bytes, f->at + (uint32_t)f->step * ordinal, f->width, own_value(field, value));
    return TMAP_REPLACED;
}
