/* Launch contracts with tensor maps, tensors that are no parameters, and scratch. */
#include "support/check.h"

#include "ptx/contract.h"

static const struct contract *read_text(struct bench_room *room, const char *text)
{
    const uint32_t file = tw_sources_add(&room->sources, "k.json", tw_str(text));
    return tw_contract_read(&room->arena, file, &room->diags);
}

#define AROUND(args, tensors) "{\"entry\": \"k\", \"args\": [" args "], \"tensors\": [" tensors "]}"
#define A "{\"name\": \"A\", \"dtype\": \"float16\", \"shape\": [40, 104]}"

/* SOURCE: cuTensorMapEncodeTiled: extents innermost first, strides of dimension 1 and up in bytes. */
static void what_is_not_written_follows_from_the_tensor(void **state)
{
    const struct contract *c = read_text(*state, AROUND("{\"name\": \"a_map\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"box\": [64, 16]}", A));
    assert_non_null(c);
    assert_int_equal(c->args.len, 1);
    assert_int_equal(c->tensors.len, 1);
    const struct tensor_map *const m = &c->args.at[0].map->map;
    assert_int_equal(m->type, TMAP_F16);
    assert_int_equal(m->rank, 2);
    assert_true(m->dims[0] == 104 && m->dims[1] == 40);
    assert_true(m->strides[1] == 208);
    assert_true(m->box[0] == 64 && m->box[1] == 16);
    assert_true(m->element_strides[0] == 1 && m->element_strides[1] == 1);
    assert_true(m->swizzle == TMAP_SWIZZLE_NONE && m->interleave == TMAP_INTERLEAVE_NONE && m->fill == TMAP_FILL_ZEROS && m->l2 == TMAP_L2_NONE);
}

static void packed_and_8_bit_floats_have_their_map_types(void **state)
{
    static const struct { const char *dtype; enum tensor_map_type type; uint64_t stride; } rows[] = {
        {"float8_e4m3fn", TMAP_U8, 256}, {"float4_e2m1fn", TMAP_U4X16_ALIGN8, 128}, {"float6_e2m3fn", TMAP_U6X16_ALIGN16, 192}, {"bool", TMAP_U8, 256}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *room = *state;
        const struct contract *c = read_text(
            room, tw_format(&room->arena,
                            "{\"entry\": \"k\", \"args\": [{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"T\", \"box\": [128, 1]}, "
                            "{\"name\": \"T\", \"kind\": \"tensor\", \"dtype\": \"%s\", \"shape\": [4, 256]}]}",
                            rows[i].dtype));
        assert_non_null(c);
        assert_int_equal(c->args.at[0].map->map.type, rows[i].type);
        assert_true(c->args.at[0].map->map.strides[1] == rows[i].stride);
    }
}

static const char whole[] =
    "{\n  \"entry\": \"k\",\n  \"grid\": [1, 1, 1], \"block\": [32, 1, 1], \"cluster\": [1, 1, 1],\n  \"dynamic_shared_bytes\": 0,\n  \"args\": [\n"
    "    {\"name\": \"buffer\", \"kind\": \"scratch\", \"bytes\": 4096},\n"
    "    {\"name\": \"t\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"dtype\": \"tf32\", \"dims\": [52, 40], \"strides\": [208], \"box\": [32, 8], "
    "\"element_strides\": [1, 2], \"swizzle\": \"128B\", \"interleave\": \"none\", \"fill\": \"nan\", \"l2\": \"256B\"},\n"
    "    {\"name\": \"i\", \"kind\": \"tensor_map\", \"tensor\": \"B\", \"dtype\": \"f16\", \"dims\": [64, 8, 6, 4], \"strides\": [128, 1024, 6144], "
    "\"im2col\": {\"lower\": [-1, -2], \"upper\": [1, 0], \"channels\": 64, \"pixels\": 128}, \"element_strides\": [1, 1, 1, 1], "
    "\"swizzle\": \"none\", \"interleave\": \"none\", \"fill\": \"zeros\", \"l2\": \"none\"}\n  ],\n"
    "  \"tensors\": [\n    {\"name\": \"A\", \"dtype\": \"float16\", \"shape\": [40, 104]},\n    {\"name\": \"B\", \"dtype\": \"float16\", \"shape\": [4, 6, 8, 64]}\n  ]\n}\n";

static void what_is_written_reads_back_the_same(void **state)
{
    struct bench_room *room = *state;
    const struct contract *c = read_text(room, whole);
    assert_string_equal(tw_test_diags(room), "");
    assert_non_null(c);
    assert_int_equal(c->args.at[0].scratch_bytes, 4096);
    assert_int_equal(c->args.at[2].map->map.mode, TMAP_IM2COL);
    assert_int_equal(c->args.at[2].map->map.lower[1], -2);
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_contract_write(c, &t);
    assert_string_equal(t.at, whole);
}

static void faults_are_named(void **state)
{
    static const struct { const char *text, *want; } rows[] = {
        {AROUND("{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"B\", \"box\": [8, 8]}", A),
         "error[E0611]: tensor map 'm' is of a tensor 'B' that the contract does not have\n"},
        {AROUND("{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\"}", A), "error[E0611]: the launch contract lacks \"box\" here\n"},
        {AROUND("{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"box\": [8, 8], \"swizzle\": \"128\"}", A),
         "error[E0611]: field \"swizzle\" of the launch contract has no value \"128\"\n"},
        {AROUND("{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"box\": [8]}", A), "error[E0611]: field \"box\" of tensor map 'm' has the wrong length\n"},
        {AROUND("{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"box\": [8, 8], \"strides\": [16, 32]}", A),
         "error[E0611]: field \"strides\" of tensor map 'm' has the wrong length\n"},
        {AROUND("{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"box\": [8, 8], \"dtype\": \"float12\"}", A),
         "error[E0613]: unknown element type \"float12\" of a tensor map\n"},
        {AROUND("{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"box\": [8, 8], \"dtype\": \"f32\"}", A),
         "error[E0611]: the dims of tensor map 'm' do not follow from tensor 'A'\n"},
        {AROUND("{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"box\": [8, 8], \"im2col\": {\"channels\": 8, \"pixels\": 8}}", A),
         "error[E0611]: field \"box\" of the launch contract has the wrong type\n"},
        {AROUND("{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"im2col\": {\"channels\": 8, \"pixels\": 8}}", A),
         "error[E0611]: tensor map 'm' of the im2col kind has rank 2\n"},
        {AROUND("{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"im2col\": {\"channels\": 8}}", A), "error[E0611]: the launch contract lacks \"pixels\" here\n"},
        {AROUND("{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"box\": [8, 8], \"boxes\": 1}", A), "error[E0612]: unknown field \"boxes\"\n"},
        {AROUND("{\"name\": \"s\", \"kind\": \"scratch\"}", ""), "error[E0611]: the launch contract lacks \"bytes\" here\n"},
        {AROUND("", "{\"name\": \"A\", \"kind\": \"tensor\", \"dtype\": \"float16\", \"shape\": [8]}"), "error[E0612]: unknown field \"kind\"\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tw_test_setup(state);
        struct bench_room *room = *state;
        assert_null(read_text(room, rows[i].text));
        if (strstr(tw_test_diags(room), rows[i].want) == NULL)
            fail_msg("wanted %sgot %s", rows[i].want, tw_test_diags(room));
        tw_test_teardown(state);
    }
}

static void a_fault_points_at_its_field(void **state)
{
    struct bench_room *room = *state;
    assert_null(read_text(room, "{\"entry\": \"k\", \"tensors\": [" A "],\n \"args\": [{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"box\": [8, 8, 8]}]}"));
    tw_test_expect_diags(room, "k.json:2:69: error[E0611]: field \"box\" of tensor map 'm' has the wrong length\n"
                               "    2 |  \"args\": [{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"box\": [8, 8, 8]}]}\n"
                               "      |                                                                     ^~~~~~~~~\n"
                               "  expected: 2 numbers for a map of rank 2\n     found: 3\n");
}

/* Strides that follow from written dims stay in the range in which they can be read again. */
static void dense_strides_have_a_limit(void **state)
{
    struct bench_room *room = *state;
    assert_non_null(read_text(room, "{\"entry\": \"k\", \"tensors\": [" A "],\n \"args\": [{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"dtype\": \"u8\", \"box\": [8, 8, 1], \"dims\": [4, 1000000000000000000, 1]}]}"));
    assert_null(read_text(room, "{\"entry\": \"k\", \"tensors\": [" A "],\n \"args\": [{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"dtype\": \"u8\", \"box\": [8, 8, 1], \"dims\": [4, 2236979005027861532, 7]}]}"));
    tw_test_expect_diags(room, "k.json:2:103: error[E0611]: the strides of tensor map 'm' do not follow from its dims\n"
                               "    2 |  \"args\": [{\"name\": \"m\", \"kind\": \"tensor_map\", \"tensor\": \"A\", \"dtype\": \"u8\", \"box\": [8, 8, 1], \"dims\": [4, 2236979005027861532, 7]}]}\n"
                               "      |                                                                                                       ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                               "  expected: dims of at most 4611686018427387904 bytes together\n       fix: write \"strides\", or smaller \"dims\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(what_is_not_written_follows_from_the_tensor),
        ROOM_TEST(packed_and_8_bit_floats_have_their_map_types),
        ROOM_TEST(what_is_written_reads_back_the_same),
        cmocka_unit_test(faults_are_named),
        ROOM_TEST(a_fault_points_at_its_field),
        ROOM_TEST(dense_strides_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
