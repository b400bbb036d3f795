/* T.TensorMap: parameters that are tensor maps, what describes them, and raw instructions that take them. */
#include "lang_support.h"

#include <string.h>

/* Line 3 is the kernel's; the body begins on line 5. */
static const char *with_map(struct bench_room *room, const char *type, const char *body)
{
    return tw_format(&room->arena,
                     "from tvm.script import tirx as T\n@T.function\n"
                     "def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: %s):\n"
                     "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n    %s\n",
                     type, body);
}

static const struct ir_param *map_of(struct bench_room *room, const char *type, const char *body)
{
    struct lang_program *p = load_text(room, with_map(room, type, body));
    const struct ir_kernel *k = tw_lang_build(p, "k");
    tw_test_expect_diags(room, "");
    assert_non_null(k);
    assert_int_equal(k->params.len, 3);
    assert_non_null(k->params.at[2].map);
    return &k->params.at[2];
}

static void a_map_follows_from_its_tensor(void **state)
{
    struct bench_room *room = *state;
    const struct ir_map *m = map_of(room, "T.TensorMap(\"X\", box=(16, 64), swizzle=\"128B\", fill=\"nan\", l2=\"256B\")", "pass")->map;
    assert_string_equal(m->tensor->name, "X");
    assert_int_equal(m->map.type, TMAP_F16);
    assert_int_equal(m->map.rank, 2);
    assert_int_equal(m->map.dims[0], 104);
    assert_int_equal(m->map.dims[1], 40);
    assert_int_equal(m->map.strides[1], 208);
    assert_int_equal(m->map.box[0], 64);
    assert_int_equal(m->map.box[1], 16);
    assert_int_equal(m->map.element_strides[0], 1);
    assert_int_equal(m->map.swizzle, TMAP_SWIZZLE_128B);
    assert_int_equal(m->map.fill, TMAP_FILL_NAN);
    assert_int_equal(m->map.l2, TMAP_L2_256B);
}

static void an_im2col_map_has_corners_in_the_order_of_the_tensor(void **state)
{
    struct bench_room *room = *state;
    const struct ir_map *m =
        map_of(room, "T.TensorMap(\"N\", lower=(-1, -2), upper=(1, 2), channels=8, pixels=30, element_strides=(1, 2, 1, 1), dtype=\"tf32\")", "pass")->map;
    assert_int_equal(m->map.mode, TMAP_IM2COL);
    assert_int_equal(m->map.type, TMAP_TF32);
    assert_int_equal(m->map.dims[1], 5); /* W */
    assert_int_equal(m->map.dims[2], 6); /* H */
    assert_int_equal(m->map.strides[3], 6 * 5 * 16 * 4);
    assert_int_equal(m->map.lower[0], -2);
    assert_int_equal(m->map.lower[1], -1);
    assert_int_equal(m->map.upper[0], 2);
    assert_int_equal(m->map.upper[1], 1);
    assert_int_equal(m->map.element_strides[2], 2);
    assert_int_equal(m->map.channels, 8);
    assert_int_equal(m->map.pixels, 30);
}

static void a_bare_map_is_described_by_whoever_launches(void **state)
{
    assert_null(map_of(*state, "T.TensorMap", "pass")->map->tensor);
}

static void raw_copies_take_a_map_and_its_coordinates(void **state)
{
    static const struct lang_case cases[] = {
        {"T.ptx.prefetch.tensormap(m)", "  ptx prefetch.tensormap [m]\n"},
        {"T.ptx.prefetch.tensormap(T.address_of(m))", "  ptx prefetch.tensormap [m]\n"},
        {"T.ptx[\"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group\"](m, 8, T.cuda.thread_idx(\"x\"), T.uint32(1024))",
         "  ptx cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [m, {8, tid.x}], [uint32(1024)]\n"},
        {"T.ptx[\"cp.async.bulk.prefetch.tensor.4d.L2.global.im2col\"](m, 0, 1, 2, 3, T.uint16(1), T.uint16(0))",
         "  ptx cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [m, {0, 1, 2, 3}], {uint16(1), uint16(0)}\n"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lang_program *p = load_text(room, with_map(room, "T.TensorMap", cases[i].text));
        const struct ir_kernel *k = tw_lang_build(p, "k");
        tw_test_expect_diags(room, "");
        const char *text = statements_of(room, k);
        const char *at = strstr(text, "  ptx");
        assert_string_equal(at == NULL ? text : at, cases[i].want);
    }
}

static void descriptions_that_no_map_has_are_refused(void **state)
{
    static const struct lang_case cases[] = {
        {"T.TensorMap(\"X\")",
         "k.py:3:104: error[E0205]: a tensor map needs 'box'\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"X\")):\n"
         "      |                                                                                                        ^~~~~~~~~~~~~~~~\n"
         "  expected: box=(...), or lower=(...), upper=(...), channels=, pixels= for im2col\n"},
        {"T.TensorMap(\"X\", box=(16, 64), pixels=3)",
         "k.py:3:104: error[E0205]: a tensor map needs 'channels'\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"X\", box=(16, 64), pixels=3)):\n"
         "      |                                                                                                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: box=(...), or lower=(...), upper=(...), channels=, pixels= for im2col\n"},
        {"T.TensorMap(\"N\", lower=(0, 0), upper=(0, 0), channels=8)",
         "k.py:3:104: error[E0205]: a tensor map needs 'pixels'\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"N\", lower=(0, 0), upper=(0, 0), channels=8)):\n"
         "      |                                                                                                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: box=(...), or lower=(...), upper=(...), channels=, pixels= for im2col\n"},
        {"T.TensorMap(\"Z\", box=(16, 64))",
         "k.py:3:116: error[E0206]: the kernel has no tensor parameter 'Z'\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"Z\", box=(16, 64))):\n"
         "      |                                                                                                                    ^~~\n"
         "  expected: the name of the parameter that the map is made from\n"},
        {"T.TensorMap(\"X\", box=(16, 4, 64))",
         "k.py:3:121: error[E0206]: 'box' has 3 extents\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"X\", box=(16, 4, 64))):\n"
         "      |                                                                                                                         ^~~~~~~~~~~~~~~\n"
         "  expected: 2, one for each dimension of 'X'\n"},
        {"T.TensorMap(\"X\", box=\"big\")",
         "k.py:3:121: error[E0206]: 'box' has the wrong kind\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"X\", box=\"big\")):\n"
         "      |                                                                                                                         ^~~~~~~~~\n"
         "  expected: an integer\n"
         "     found: the string 'big'\n"},
        {"T.TensorMap(\"X\", box=(16, -64))",
         "k.py:3:121: error[E0206]: 'box' of a tensor map is out of range\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"X\", box=(16, -64))):\n"
         "      |                                                                                                                         ^~~~~~~~~~~~~\n"
         "  expected: 0 to 4294967295\n"
         "     found: -64\n"},
        {"T.TensorMap(\"X\", box=(16, 64), swizzle=\"256B\")",
         "k.py:3:135: error[E0206]: 'swizzle' of a tensor map has no value \"256B\"\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"X\", box=(16, 64), swizzle=\"256B\")):\n"
         "      |                                                                                                                                       ^~~~~~~~~~~~~~\n"
         "  expected: one of: \"none\", \"32B\", \"64B\", \"128B\", \"128B_ATOM_32B\", \"128B_ATOM_32B_FLIP_8B\", \"128B_ATOM_64B\", \"96B\"\n"},
        {"T.TensorMap(\"X\", box=(16, 64), dtype=\"f32\")",
         "k.py:3:104: error[E0206]: the map's elements are not as wide as those of 'X'\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"X\", box=(16, 64), dtype=\"f32\")):\n"
         "      |                                                                                                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a type of 16 bits\n"
         "     found: f32, 32 bits\n"},
        {"T.TensorMap(\"X\", box=(16, 64), dtype=\"half\")",
         "k.py:3:135: error[E0206]: tensor maps have no element type \"half\"\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"X\", box=(16, 64), dtype=\"half\")):\n"
         "      |                                                                                                                                       ^~~~~~~~~~~~\n"
         "  expected: one of: u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, f32_ftz, tf32, tf32_ftz, u4x16_align8, u4x16_align16, u6x16_align16, or a dtype that is one of them\n"},
        {"T.TensorMap(\"X\", lower=0, upper=0, channels=8, pixels=3)",
         "k.py:3:116: error[E0206]: an im2col map of a tensor of rank 2\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"X\", lower=0, upper=0, channels=8, pixels=3)):\n"
         "      |                                                                                                                    ^~~\n"
         "  expected: rank 3 to 5: images, D, H, W as there are, channels\n"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lang_program *p = load_text(room, with_map(room, cases[i].text, "pass"));
        (void)tw_lang_build(p, "k");
        tw_test_expect_diags(room, cases[i].want);
    }
}

/* The driver's rules, each with its twin among the maps above. */
static void rules_of_the_encode_call_hold_at_compile_time(void **state)
{
    static const struct lang_case cases[] = {
        {"T.TensorMap(\"X\", box=(16, 300))",
         "k.py:3:104: error[E0816]: tensor map 'm' of 'X': boxDim[0] breaks a rule\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"X\", box=(16, 300))):\n"
         "      |                                                                                                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: 1 to 256\n"
         "     found: 300\n"
         "      spec: CUDA driver API, cuTensorMapEncodeTiled\n"},
        {"T.TensorMap(\"X\", box=(16, 68))",
         "k.py:3:104: error[E0816]: tensor map 'm' of 'X': boxDim[0] breaks a rule\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"X\", box=(16, 68))):\n"
         "      |                                                                                                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a multiple of 16 bytes\n"
         "     found: 68 elements of 16 bits\n"
         "      spec: CUDA driver API, cuTensorMapEncodeTiled\n"},
        {"T.TensorMap(\"X\", box=(16, 64), swizzle=\"64B\")",
         "k.py:3:104: error[E0816]: tensor map 'm' of 'X': boxDim[0] breaks a rule\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"X\", box=(16, 64), swizzle=\"64B\")):\n"
         "      |                                                                                                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: at most 64 bytes with swizzle 64B\n"
         "     found: 128 bytes\n"
         "      spec: CUDA driver API, cuTensorMapEncodeTiled\n"},
        {"T.TensorMap(\"X\", box=(16, 64), interleave=\"16B\")",
         "k.py:3:104: error[E0816]: tensor map 'm' of 'X': tensorRank breaks a rule\n"
         "    3 | def k(X: T.Tensor((40, 104), \"float16\", align=16), N: T.Tensor((2, 6, 5, 16), \"float32\", align=16), m: T.TensorMap(\"X\", box=(16, 64), interleave=\"16B\")):\n"
         "      |                                                                                                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: at least 3 for an interleaved tensor\n"
         "     found: 2\n"
         "      spec: CUDA driver API, cuTensorMapEncodeTiled\n"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lang_program *p = load_text(room, with_map(room, cases[i].text, "pass"));
        assert_null(tw_lang_build(p, "k"));
        tw_test_expect_diags(room, cases[i].want);
    }
}

/* A base that is promised to be aligned to less, rows of no multiple of 16 bytes, a tensor that is no map's. */
static void tensors_of_maps_are_aligned(void **state)
{
    static const struct lang_case cases[] = {
        {"X: T.Tensor((4, 64), \"float16\", align=8)",
         "k.py:4:10: error[E0816]: tensor map 'm' of 'X': globalAddress breaks a rule\n"
         "    4 |       m: T.TensorMap(\"X\", box=(4, 64))):\n"
         "      |          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a multiple of 16\n"
         "     found: 'X' is aligned to 8 bytes\n"
         "       fix: write align=16 in the type of 'X'\n"
         "      spec: CUDA driver API, cuTensorMapEncodeTiled\n"},
        {"X: T.Tensor((4, 65), \"float16\", align=16)",
         "k.py:4:10: error[E0816]: tensor map 'm' of 'X': globalStrides[0] breaks a rule\n"
         "    4 |       m: T.TensorMap(\"X\", box=(4, 64))):\n"
         "      |          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a multiple of 16\n"
         "     found: 130\n"
         "      spec: CUDA driver API, cuTensorMapEncodeTiled\n"},
        {"X: T.Tensor((64, 4), \"float16\", align=16, layout=T.TileLayout(T.S[(64, 4) : (1, 64)]))",
         "k.py:4:22: error[E0206]: no tensor map describes 'X'\n"
         "    4 |       m: T.TensorMap(\"X\", box=(4, 64))):\n"
         "      |                      ^~~\n"
         "  expected: the last dimension of a tensor map is contiguous\n"
         "     found: dtype float16, layout S[(64, 4):(1, 64)]\n"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *text = tw_format(&room->arena,
                                     "from tvm.script import tirx as T\n@T.function\ndef k(%s,\n      m: T.TensorMap(\"X\", box=(4, 64))):\n"
                                     "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n",
                                     cases[i].text);
        assert_null(tw_lang_build(load_text(room, text), "k"));
        tw_test_expect_diags(room, cases[i].want);
    }
}

static void operands_that_are_no_map_or_coordinate_are_refused(void **state)
{
    static const struct lang_case cases[] = {
        {"T.ptx[\"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group\"](m, 8, T.uint32(1024))",
         "k.py:5:5: error[E0214]: 'cp.async.bulk.tensor.2d.global.shared::cta.bulk_group' does not take 3 operands\n"
         "    5 |     T.ptx[\"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group\"](m, 8, T.uint32(1024))\n"
         "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: tensor map, 2 coordinates innermost first, source address, cache policy (may be left out)\n"},
        {"T.ptx[\"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group\"](X, 8, 0, T.uint32(1024))",
         "k.py:5:68: error[E0214]: the tensor map does not fit\n"
         "    5 |     T.ptx[\"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group\"](X, 8, 0, T.uint32(1024))\n"
         "      |                                                                    ^\n"
         "  expected: a tensor map: a T.TensorMap parameter, or the address of one\n"
         "     found: a global tensor of shape (40, 104) and dtype float16\n"},
        {"T.ptx[\"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group\"](m, T.uint32(8), 0, T.uint32(1024))",
         "k.py:5:71: error[E0214]: coordinate 0 does not fit\n"
         "    5 |     T.ptx[\"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group\"](m, T.uint32(8), 0, T.uint32(1024))\n"
         "      |                                                                       ^~~~~~~~~~~\n"
         "  expected: a coordinate of type int32\n"
         "     found: a run-time value of type uint32\n"
         "       fix: write T.int32(...) around it\n"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lang_program *p = load_text(room, with_map(room, "T.TensorMap", cases[i].text));
        assert_null(tw_lang_build(p, "k"));
        tw_test_expect_diags(room, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_map_follows_from_its_tensor),
        ROOM_TEST(an_im2col_map_has_corners_in_the_order_of_the_tensor),
        ROOM_TEST(a_bare_map_is_described_by_whoever_launches),
        ROOM_TEST(raw_copies_take_a_map_and_its_coordinates),
        ROOM_TEST(descriptions_that_no_map_has_are_refused),
        ROOM_TEST(rules_of_the_encode_call_hold_at_compile_time),
        ROOM_TEST(tensors_of_maps_are_aligned),
        ROOM_TEST(operands_that_are_no_map_or_coordinate_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
