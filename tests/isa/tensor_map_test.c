/* Tensor maps: the rules of the driver's two encoders, the bytes, tensormap.replace. Verdicts: tests/isa/data/tensor_maps.txt,
 * which the driver of an H200 gave; for sm_100 the CUDA driver API's text. */
#include "support/check.h"
#include "support/tcg.h"

#include "isa/tensor_map.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- The driver's verdicts ---------------------------------------------------------------------- */

/* The next number of a line; the tables hold decimal integers only. */
static int64_t number(char **at)
{
    return strtoll(*at, at, 10);
}

static uint32_t narrow(int64_t n)
{
    return n < 0 ? 0 : (uint32_t)n;
}

static void read_box(char **at, struct tensor_map *m)
{
    const uint32_t spatial = m->rank < 2 ? 0 : m->rank - 2;
    for (uint32_t d = 0; m->mode == TMAP_TILE && d < m->rank; d++)
        m->box[d] = narrow(number(at));
    for (uint32_t d = 0; m->mode == TMAP_IM2COL && d < spatial; d++)
        m->lower[d] = (int32_t)number(at);
    for (uint32_t d = 0; m->mode == TMAP_IM2COL && d < spatial; d++)
        m->upper[d] = (int32_t)number(at);
    if (m->mode == TMAP_IM2COL) {
        m->channels = narrow(number(at));
        m->pixels = narrow(number(at));
    }
}

/* A map as the tables write it, behind the name; *at moves behind it. */
static struct tensor_map read_map(char **at)
{
    struct tensor_map m = {0};
    while (**at == ' ')
        (*at)++;
    m.mode = *(*at)++ == 'I' ? TMAP_IM2COL : TMAP_TILE;
    m.type = (enum tensor_map_type)number(at);
    m.rank = narrow(number(at));
    m.address = UINT64_C(0x700000000000) + (uint64_t)number(at);
    for (uint32_t d = 0; d < m.rank; d++)
        m.dims[d] = (uint64_t)number(at);
    for (uint32_t d = 1; d < m.rank; d++)
        m.strides[d] = (uint64_t)number(at);
    read_box(at, &m);
    for (uint32_t d = 0; d < m.rank; d++)
        m.element_strides[d] = narrow(number(at));
    m.interleave = (enum tensor_map_interleave)number(at);
    m.swizzle = (enum tensor_map_swizzle)number(at);
    m.l2 = (enum tensor_map_l2)number(at);
    m.fill = (enum tensor_map_fill)number(at);
    return m;
}

static void the_encoder_takes_what_the_driver_takes(void **state)
{
    struct bench_room *room = *state;
    size_t size;
    unsigned cases = 0;
    char *line = tw_test_read_file(&room->arena, "tests/isa/data/tensor_maps.txt", &size);
    assert_non_null(line);
    for (char *next; line != NULL && *line != '\0'; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        if (*line == '#')
            continue;
        char *at = strchr(line, ' ');
        const struct tensor_map m = read_map(&at);
        const bool refused = at[strlen(at) - 1] == '1';
        struct tensor_map_fault fault = {0};
        if (tw_tensor_map_check(&m, 90, &room->arena, &fault) == refused)
            fail_msg("'%s': the driver %s it%s%s", line, refused ? "refuses" : "makes", refused ? "" : "; ours wants ", refused ? "" : fault.expected);
        cases++;
    }
    assert_true(cases > 120);
}

/* ---- What a refusal says -------------------------------------------------------------------------- */

static struct tensor_map plain(void)
{
    return (struct tensor_map){.type = TMAP_F16, .rank = 2, .address = 0x1000, .dims = {64, 32}, .strides = {0, 128}, .box = {64, 8}, .element_strides = {1, 1}};
}

struct refusal {
    const char *field, *expected, *found;
    struct tensor_map map;
};

#define WITH(...) {.type = TMAP_F16, .rank = 2, .address = 0x1000, .dims = {64, 32}, .strides = {0, 128}, .box = {64, 8}, .element_strides = {1, 1}, __VA_ARGS__}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif
static const struct refusal refusals[] = {
    {"globalAddress", "a multiple of 16", "0x1008", WITH(.address = 0x1008)},
    {"globalAddress", "a multiple of 32", "0x1010", WITH(.address = 0x1010, .rank = 3, .dims = {64, 32, 2}, .strides = {0, 128, 4096}, .box = {64, 8, 1}, .element_strides = {1, 1, 1}, .interleave = TMAP_INTERLEAVE_32B)},
    {"tensorRank", "a rank from 1 to 5", "0", WITH(.rank = 0)},
    {"tensorRank", "a rank from 3 to 5 for im2col", "2", WITH(.mode = TMAP_IM2COL)},
    {"tensorRank", "at least 3 for an interleaved tensor", "2", WITH(.interleave = TMAP_INTERLEAVE_16B)},
    {"tensorDataType", "an element type from 0 to 15", "16", WITH(.type = TMAP_TYPE_COUNT)},
    {"globalDim[1]", "1 to 4294967296", "0", WITH(.dims = {64, 0})},
    {"globalStrides[0]", "a multiple of 16", "136", WITH(.strides = {0, 136})},
    {"globalStrides[0]", "less than 1099511627776", "1099511627776", WITH(.strides = {0, UINT64_C(1) << 40})},
    {"boxDim[1]", "1 to 256", "257", WITH(.box = {64, 257})},
    {"boxDim[0]", "a multiple of 16 bytes", "12 elements of 16 bits", WITH(.box = {12, 8})},
    {"boxDim[0]", "at most 64 bytes with swizzle 64B", "128 bytes", WITH(.swizzle = TMAP_SWIZZLE_64B)},
    {"boxDim", "at most 233472 bytes in all", "235008 bytes", WITH(.rank = 3, .dims = {8, 200, 200}, .strides = {0, 16, 3200}, .box = {8, 153, 96}, .element_strides = {1, 1, 1})},
    {"elementStrides[0]", "1 to 8", "9", WITH(.element_strides = {9, 1})},
    {"swizzle", "none, 32B, 64B or 128B; the others need sm_100", "128B_ATOM_64B", WITH(.swizzle = TMAP_SWIZZLE_128B_ATOM_64B)},
    {"swizzle", "another swizzle; where 96B puts a row is documented nowhere", "96B", WITH(.swizzle = TMAP_SWIZZLE_96B)},
    {"tensorDataType", "a type of whole bytes; packed types need sm_100", "u4x16_align8", WITH(.type = TMAP_U4X16_ALIGN8)},
    {"oobFill", "zeros; nan needs a floating-point element type", "u16", WITH(.type = TMAP_U16, .fill = TMAP_FILL_NAN)},
};
static const struct refusal im2col_refusals[] = {
    {"pixelBoxCorner[0]", "-32768 to 32767", "-32769", WITH(.mode = TMAP_IM2COL, .rank = 3, .dims = {64, 32, 2}, .strides = {0, 128, 4096}, .element_strides = {1, 1, 1}, .channels = 64, .pixels = 8, .lower = {-32769})},
    {"pixelBoxCorner[0]", "a bounding box that is not empty", "from 6 to 5", WITH(.mode = TMAP_IM2COL, .rank = 3, .dims = {64, 32, 2}, .strides = {0, 128, 4096}, .element_strides = {1, 1, 1}, .channels = 64, .pixels = 8, .lower = {6}, .upper = {-26})},
    {"channelsPerPixel", "1 to 256", "257", WITH(.mode = TMAP_IM2COL, .rank = 3, .dims = {64, 32, 2}, .strides = {0, 128, 4096}, .element_strides = {1, 1, 1}, .channels = 257, .pixels = 8)},
    {"pixelsPerColumn", "1 to 1024", "0", WITH(.mode = TMAP_IM2COL, .rank = 3, .dims = {64, 32, 2}, .strides = {0, 128, 4096}, .element_strides = {1, 1, 1}, .channels = 64)},
};
/* For a device of compute capability 10.0. */
static const struct refusal packed_refusals[] = {
    {"globalAddress", "a multiple of 32", "0x1010", WITH(.type = TMAP_U6X16_ALIGN16, .address = 0x1010, .dims = {128, 8}, .strides = {0, 96}, .box = {128, 8})},
    {"globalDim[0]", "a multiple of 128 elements", "192", WITH(.type = TMAP_U4X16_ALIGN16, .dims = {192, 8}, .strides = {0, 96}, .box = {128, 8})},
    {"boxDim[0]", "128 for this element type", "64", WITH(.type = TMAP_U6X16_ALIGN16, .dims = {128, 8}, .strides = {0, 96}, .box = {64, 8})},
    {"swizzle", "none, 128B, 128B_ATOM_32B or 128B_ATOM_64B for this element type", "64B", WITH(.type = TMAP_U4X16_ALIGN16, .dims = {128, 8}, .strides = {0, 64}, .box = {128, 8}, .swizzle = TMAP_SWIZZLE_64B)},
    {"oobFill", "zeros; nan needs a floating-point element type", "u4x16_align8", WITH(.type = TMAP_U4X16_ALIGN8, .dims = {128, 8}, .strides = {0, 64}, .box = {128, 8}, .fill = TMAP_FILL_NAN)},
};
#pragma GCC diagnostic pop

static void expect_refusals(struct bench_room *room, const struct refusal *rows, size_t count, unsigned sm)
{
    for (size_t i = 0; i < count; i++) {
        struct tensor_map_fault fault = {0};
        if (tw_tensor_map_check(&rows[i].map, sm, &room->arena, &fault))
            fail_msg("%s %s: it was taken", rows[i].field, rows[i].found);
        assert_string_equal(tw_tensor_map_fault_field(&fault, &room->arena), rows[i].field);
        assert_string_equal(fault.expected, rows[i].expected);
        assert_string_equal(fault.found, rows[i].found);
    }
}

static void a_refusal_names_field_rule_and_value(void **state)
{
    const struct tensor_map m = plain();
    struct bench_room *room = *state;
    struct tensor_map_fault fault;
    assert_true(tw_tensor_map_check(&m, 90, &room->arena, &fault));
    expect_refusals(room, refusals, COUNT(refusals), 90);
    expect_refusals(room, im2col_refusals, COUNT(im2col_refusals), 90);
    expect_refusals(room, packed_refusals, COUNT(packed_refusals), 100);
}

static void swizzles_with_larger_atoms_and_packed_types_need_sm_100(void **state)
{
    struct bench_room *room = *state;
    struct tensor_map_fault fault;
    struct tensor_map m = plain();
    m.swizzle = TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B;
    assert_false(tw_tensor_map_check(&m, 90, &room->arena, &fault));
    assert_true(tw_tensor_map_check(&m, 100, &room->arena, &fault));
    m = plain();
    m.type = TMAP_U6X16_ALIGN16;
    m.dims[0] = m.box[0] = 128;
    m.strides[1] = 96;
    assert_false(tw_tensor_map_check(&m, 90, &room->arena, &fault));
    assert_true(tw_tensor_map_check(&m, 100, &room->arena, &fault));
}

/* ---- Bytes ---------------------------------------------------------------------------------------- */

static void expect_same_map(const struct tensor_map *a, const struct tensor_map *b)
{
    assert_int_equal(a->mode, b->mode);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->rank, b->rank);
    assert_true(a->address == b->address);
    for (uint32_t d = 0; d < TENSOR_MAP_RANK; d++) {
        assert_true(a->dims[d] == b->dims[d] && a->strides[d] == b->strides[d]);
        assert_int_equal(a->box[d], b->box[d]);
        assert_int_equal(a->element_strides[d], b->element_strides[d]);
    }
    assert_memory_equal(a->lower, b->lower, sizeof a->lower);
    assert_memory_equal(a->upper, b->upper, sizeof a->upper);
    assert_true(a->channels == b->channels && a->pixels == b->pixels);
    assert_true(a->interleave == b->interleave && a->swizzle == b->swizzle && a->fill == b->fill && a->l2 == b->l2);
}

static void a_map_comes_back_from_its_bytes(void **state)
{
    (void)state;
    struct tensor_map maps[] = {
        {.type = TMAP_BF16, .rank = 5, .address = 0x123456789ab0, .dims = {UINT64_C(1) << 32, 2, 3, 4, 5}, .strides = {0, 16, (UINT64_C(1) << 40) - 16, 48, 64},
         .box = {256, 2, 1, 4, 5}, .element_strides = {1, 8, 2, 3, 4}, .swizzle = TMAP_SWIZZLE_128B_ATOM_64B, .fill = TMAP_FILL_NAN, .l2 = TMAP_L2_256B},
        {.mode = TMAP_IM2COL, .type = TMAP_U8, .rank = 5, .address = 0x1000, .dims = {1, 2, 3, 4, 5}, .strides = {0, 16, 32, 48, 64},
         .element_strides = {1, 1, 1, 1, 1}, .lower = {-16, 0, 15}, .upper = {-1, 2, 3}, .channels = 256, .pixels = 1024, .interleave = TMAP_INTERLEAVE_32B,
         .swizzle = TMAP_SWIZZLE_32B},
    };
    for (size_t i = 0; i < COUNT(maps); i++) {
        uint8_t bytes[TENSOR_MAP_BYTES];
        struct tensor_map back;
        tw_tensor_map_pack(&maps[i], bytes);
        assert_true(tw_tensor_map_unpack(bytes, &back));
        expect_same_map(&maps[i], &back);
        uint64_t first; /* as in NVIDIA's maps */
        memcpy(&first, bytes, sizeof first);
        assert_true(first == maps[i].address);
    }
}

static void other_bytes_are_no_map(void **state)
{
    (void)state;
    uint8_t bytes[TENSOR_MAP_BYTES] = {0};
    struct tensor_map m = plain(), back;
    assert_false(tw_tensor_map_unpack(bytes, &back));
    tw_tensor_map_pack(&m, bytes);
    bytes[9] ^= 1;
    assert_false(tw_tensor_map_unpack(bytes, &back));
}

/* ---- tensormap.replace ---------------------------------------------------------------------------- */

/* SOURCE: PTX ISA, tensormap.replace: the rank less 1; element types with numbers of their own; ordinal 0 of the strides
 * is dimension 1. */
static void a_map_can_be_built_from_zeros_by_replacing(void **state)
{
    struct bench_room *room = *state;
    static const struct { enum tensor_map_field field; uint32_t ordinal; uint64_t value; } steps[] = {
        {TMAP_FIELD_ADDRESS, 0, 0x7000001000}, {TMAP_FIELD_RANK, 0, 1}, {TMAP_FIELD_BOX, 0, 32}, {TMAP_FIELD_BOX, 1, 16}, {TMAP_FIELD_DIMS, 0, 100},
        {TMAP_FIELD_DIMS, 1, 40}, {TMAP_FIELD_STRIDES, 0, 208}, {TMAP_FIELD_ELEMENT_STRIDES, 0, 1}, {TMAP_FIELD_ELEMENT_STRIDES, 1, 2},
        {TMAP_FIELD_TYPE, 0, 10}, {TMAP_FIELD_INTERLEAVE, 0, 0}, {TMAP_FIELD_SWIZZLE, 0, 3}, {TMAP_FIELD_ATOMICITY, 0, 1}, {TMAP_FIELD_FILL, 0, 1},
    };
    uint8_t bytes[TENSOR_MAP_BYTES] = {0};
    for (size_t i = 0; i < COUNT(steps); i++)
        assert_int_equal(tw_tensor_map_replace(bytes, steps[i].field, steps[i].ordinal, steps[i].value), TMAP_REPLACED);
    const struct tensor_map want = {.type = TMAP_BF16, .rank = 2, .address = 0x7000001000, .dims = {100, 40}, .strides = {0, 208}, .box = {32, 16},
                                    .element_strides = {1, 2}, .swizzle = TMAP_SWIZZLE_128B_ATOM_32B, .fill = TMAP_FILL_NAN};
    struct tensor_map got;
    struct tensor_map_fault fault;
    assert_true(tw_tensor_map_unpack(bytes, &got));
    expect_same_map(&want, &got);
    assert_true(tw_tensor_map_check(&got, 100, &room->arena, &fault));
}

static void replaced_types_have_numbers_of_their_own(void **state)
{
    (void)state;
    static const enum tensor_map_type types[] = {TMAP_U8, TMAP_U16, TMAP_U32, TMAP_S32, TMAP_U64, TMAP_S64, TMAP_F16, TMAP_F32, TMAP_F32_FTZ, TMAP_F64,
                                                 TMAP_BF16, TMAP_TF32, TMAP_TF32_FTZ, TMAP_U4X16_ALIGN8, TMAP_U4X16_ALIGN16, TMAP_U6X16_ALIGN16};
    for (uint32_t code = 0; code < COUNT(types); code++) {
        uint8_t bytes[TENSOR_MAP_BYTES] = {0};
        struct tensor_map m;
        assert_int_equal(tw_tensor_map_replace(bytes, TMAP_FIELD_TYPE, 0, code), TMAP_REPLACED);
        assert_true(tw_tensor_map_unpack(bytes, &m));
        assert_int_equal(m.type, types[code]);
    }
}

static void what_cannot_be_replaced_is_refused(void **state)
{
    (void)state;
    uint8_t zeros[TENSOR_MAP_BYTES] = {0}, other[TENSOR_MAP_BYTES] = {1};
    assert_int_equal(tw_tensor_map_replace(other, TMAP_FIELD_RANK, 0, 1), TMAP_NO_MAP);
    assert_int_equal(tw_tensor_map_replace(zeros, TMAP_FIELD_STRIDES, 4, 16), TMAP_NO_ORDINAL);
    assert_int_equal(tw_tensor_map_replace(zeros, TMAP_FIELD_DIMS, 5, 16), TMAP_NO_ORDINAL);
    assert_int_equal(tw_tensor_map_replace(zeros, TMAP_FIELD_MODE, 0, 1), TMAP_NO_ORDINAL);
    assert_int_equal(tw_tensor_map_replace(zeros, TMAP_FIELD_RANK, 0, 5), TMAP_NO_VALUE);
    assert_int_equal(tw_tensor_map_replace(zeros, TMAP_FIELD_TYPE, 0, 16), TMAP_NO_VALUE);
    assert_int_equal(tw_tensor_map_replace(zeros, TMAP_FIELD_SWIZZLE, 0, 5), TMAP_NO_VALUE);
    for (uint32_t i = 0; i < TENSOR_MAP_BYTES; i++)
        assert_int_equal(zeros[i], 0);
}

/* ---- Swizzles ------------------------------------------------------------------------------------- */

/* MEASURED: ptx-async.md 4.5; SOURCE of the ATOM forms: PTX ISA, "Swizzling modes". */
static void swizzles_permute_address_bits(void **state)
{
    (void)state;
    static const struct { enum tensor_map_swizzle swizzle; uint32_t from, to; } rows[] = {
        {TMAP_SWIZZLE_NONE, 0x894, 0x894}, {TMAP_SWIZZLE_32B, 0x080, 0x090}, {TMAP_SWIZZLE_64B, 0x180, 0x1b0}, {TMAP_SWIZZLE_128B, 0x894, 0x884},
        {TMAP_SWIZZLE_128B, 0x380, 0x3f0}, {TMAP_SWIZZLE_128B_ATOM_32B, 0x180, 0x1e0}, {TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, 0x080, 0x0a8},
        {TMAP_SWIZZLE_128B_ATOM_64B, 0x080, 0x0c0},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(tw_tensor_map_swizzled(rows[i].swizzle, rows[i].from), rows[i].to);
}

static void names_find_their_rows(void **state)
{
    (void)state;
    assert_int_equal(tw_tensor_map_type_find(tw_str("tf32")), TMAP_TF32);
    assert_int_equal(tw_tensor_map_type_find(tw_str("float8_e5m2")), TMAP_U8);
    assert_int_equal(tw_tensor_map_type_find(tw_str("bfloat16")), TMAP_BF16);
    assert_int_equal(tw_tensor_map_type_find(tw_str("float8")), TMAP_TYPE_COUNT);
    assert_int_equal(tw_tensor_map_swizzle_find(tw_str("128B_ATOM_32B")), TMAP_SWIZZLE_128B_ATOM_32B);
    assert_int_equal(tw_tensor_map_swizzle_find(tw_str("128b")), TMAP_SWIZZLE_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_encoder_takes_what_the_driver_takes),
        ROOM_TEST(a_refusal_names_field_rule_and_value),
        ROOM_TEST(swizzles_with_larger_atoms_and_packed_types_need_sm_100),
        ROOM_TEST(a_map_comes_back_from_its_bytes),
        ROOM_TEST(other_bytes_are_no_map),
        ROOM_TEST(a_map_can_be_built_from_zeros_by_replacing),
        ROOM_TEST(replaced_types_have_numbers_of_their_own),
        ROOM_TEST(what_cannot_be_replaced_is_refused),
        ROOM_TEST(swizzles_permute_address_bits),
        ROOM_TEST(names_find_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
