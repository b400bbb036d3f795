/* Tensor copies through tile.apply: the maps that they make, the instructions, and what is refused, with its exact words.
 * SOURCE: kernel-language-tile 7.3, 8.2; ptx-async 4.3 to 4.9. */
#include "tile/copy_kernel.h"

struct copy_case {
    const char *body, *want;
};

#define APPLY(op) "    T.cuda.tile.apply(T.ptx[\"" op "\"], "
#define LOAD(rank) "cp.async.bulk.tensor." rank ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"
#define STORE(rank) "cp.async.bulk.tensor." rank ".global.shared::cta.tile.bulk_group"
#define IM2COL "cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes"
#define BAR "mbar=bar.ptr_to([0])"

static void a_box_is_an_instruction_at_the_coordinates_of_its_region(void **state)
{
    static const struct copy_case cases[] = {
        {APPLY(LOAD("2d")) "s, X[i:i + 128, 64:128], box=(128, 64), " BAR ")\n",
         "ptx cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [&s#5[0]], [X_map, {64, i}], [&bar#6[0]]\n"},
        {APPLY(LOAD("2d")) "s, X, box=(128, 64), coords=(j, i), " BAR ", pred=i > 0)\n",
         "@pred ptx cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [&s#5[0]], [X_map, {value.5, value}], [&bar#6[0]]\n"},
        {APPLY(STORE("2d")) "X[64:192, 128:192], s, box=(128, 64))\n",
         "ptx cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [X_map, {128, 64}], [&s#5[0]]\n"},
        {APPLY("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2.multicast::cluster.L2::cache_hint")
         "s, X[0:128, 0:64], box=(128, 64), " BAR ", cta_mask=3, cache_policy=T.uint64(5))\n",
         "ptx cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2.multicast::cluster.L2::cache_hint [&s#5[0]], [X_map, {0, 0}], [&bar#6[0]], uint16(3), uint64(5)\n"},
        {"    f = T.alloc_shared((4, 2, 8, 32), \"float32\", align=128)\n"
         APPLY(LOAD("3d")) "f[1, :, :, :], F[j:j + 2, 8:16, 32:64], box=(2, 8, 32), " BAR ")\n",
         "ptx cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [&f#5[0] + 2048], [F_map, {32, 8, j}], [&bar#6[0]]\n"},
        {"    f = T.alloc_shared((4, 2, 8, 32), \"float32\", align=128)\n"
         APPLY(LOAD("3d")) "f[i, :, :, :], F[j:j + 2, 8:16, 32:64], box=(2, 8, 32), " BAR ")\n",
         "ptx cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [(shared_addr(&f#5[0]) + (cast<uint32>(i) * uint32(2048)))], [F_map, {32, 8, j}], [&bar#6[0]]\n"},
        {"    w = T.alloc_shared((3, 128, 64), \"float16\", layout=mma_shared_layout(\"float16\", 3, (3, 128, 64)), align=1024)\n"
         APPLY(LOAD("2d")) "w, X.rearrange(\"m (r k) -> r m k\", k=64)[:, i:i + 128, :], box=(128, 64), " BAR ")\n",
         "ptx cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [&w#5[0]], [X_map, {0, i}], [&bar#6[0]]\n"
         "ptx cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [&w#5[0] + 16384], [X_map, {64, i}], [&bar#6[0]]\n"
         "ptx cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [&w#5[0] + 32768], [X_map, {128, i}], [&bar#6[0]]\n"},
        {"    g = T.alloc_shared((4, 64), \"float16\", align=128)\n"
         APPLY("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes")
         "g, X, box=(1, 64), coords=(3, i, 7, j, 64), " BAR ")\n",
         "ptx cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [&g#5[0]], [X_map, {64, 3, value, 7, value.4}], [&bar#6[0]]\n"},
        {"    g = T.alloc_shared((4, 64), \"float16\", align=128)\n"
         APPLY("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group") "X, g, box=(1, 64), coords=(3, i, 7, j, 64))\n",
         "ptx cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [X_map, {64, 3, value, 7, value.4}], [&g#5[0]]\n"},
        {"    u = T.alloc_shared((8, 32), \"uint32\", align=128)\n"
         APPLY("cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.tile.bulk_group") "U[8:16, 0:32], u, box=(8, 32))\n",
         "ptx cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.tile.bulk_group [U_map, {0, 8}], [&u#5[0]]\n"},
        {"    f = T.alloc_shared((16, 32), \"float32\", align=128)\n"
         APPLY(IM2COL) "f, F, box=(16, 32), lower=(-1,), upper=(1,), coords=(i, -1, 32), offsets=(j,), " BAR ")\n",
         "ptx cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [&f#5[0]], [F_map, {32, -1, value}], [&bar#6[0]], {value.4}\n"},
        {"    f = T.alloc_shared((16, 32), \"float32\", align=128)\n"
         APPLY("cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group") "F, f, box=(16, 32), lower=(0,), upper=(0,), coords=(i, 0, 32))\n",
         "ptx cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [F_map, {32, 0, value}], [&f#5[0]]\n"},
        {APPLY("cp.async.bulk.prefetch.tensor.2d.L2.global.tile") "X[i:i + 128, 64:128], box=(128, 64), swizzle=\"128B\")\n",
         "ptx cp.async.bulk.prefetch.tensor.2d.L2.global.tile [X_map, {64, i}]\n"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *found = copied(room, cases[i].body);
        assert_string_equal(found, cases[i].want);
    }
}

static void the_map_is_the_tensor_with_box_and_swizzle(void **state)
{
    struct bench_room *room = *state;
    struct ir_kernel *k;
    const char *const body =
        "    w = T.alloc_shared((3, 128, 32), \"float16\", layout=mma_shared_layout(\"float16\", 2, (3, 128, 32)), align=1024)\n"
        "    f = T.alloc_shared((2, 8, 32), \"float32\", align=128)\n"
        APPLY(LOAD("2d")) "w, X.rearrange(\"m (r k) -> r m k\", k=32)[0:3, 0:128, :], box=(128, 32), oob=\"nan\", l2=\"256B\", " BAR ")\n"
        APPLY(LOAD("3d")) "f, F[0:2, 0:8, 0:32], box=(2, 8, 32), map_type=\"tf32\", " BAR ")\n";
    if (!lower_copy(room, body, &k))
        fail_msg("%s", tw_test_diags(room));
    const struct tensor_map *x = &map_named(k, "X_map")->map, *f = &map_named(k, "F_map")->map;
    assert_int_equal(x->rank, 2); /* six runs of 32 columns are 192 columns */
    assert_int_equal(x->dims[0], 192);
    assert_int_equal(x->dims[1], 256);
    assert_int_equal(x->strides[1], 384);
    assert_int_equal(x->box[0], 32);
    assert_int_equal(x->box[1], 128);
    assert_int_equal(x->swizzle, TMAP_SWIZZLE_64B);
    assert_int_equal(x->fill, TMAP_FILL_NAN);
    assert_int_equal(x->l2, TMAP_L2_256B);
    assert_int_equal(f->type, TMAP_TF32);
    assert_int_equal(f->dims[2], 6);
    assert_int_equal(f->strides[1], 256);
    assert_int_equal(f->strides[2], 40 * 256);
    assert_int_equal(f->swizzle, TMAP_SWIZZLE_NONE);
}

static void equal_uses_share_one_parameter(void **state)
{
    struct bench_room *room = *state;
    struct ir_kernel *k;
    const char *const body = APPLY(LOAD("2d")) "s, X[0:128, 0:64], box=(128, 64), " BAR ")\n"
        APPLY(LOAD("2d")) "s, X[i:i + 128, 64:128], box=(128, 64), " BAR ")\n"
        APPLY(STORE("2d")) "X[0:128, 0:64], s, box=(128, 64))\n"
        APPLY(STORE("2d")) "X[0:64, 0:64], s[0:64, :], box=(64, 64))\n";
    if (!lower_copy(room, body, &k))
        fail_msg("%s", tw_test_diags(room));
    assert_int_equal(k->params.len, 9); /* seven as written, and two maps */
    assert_string_equal(k->params.at[7].name, "X_map");
    assert_string_equal(k->params.at[8].name, "X_map2");
    assert_int_equal(map_named(k, "X_map2")->map.box[1], 64);
}

static void a_declared_map_is_shared(void **state)
{
    static const char head[] =
        "from tvm.script import tirx as T\n"
        "@T.function\n"
        "def k(X: T.Tensor((64, 64), \"float32\"), m: T.TensorMap(\"X\", box=(8, 64)), n: T.TensorMap(\"X\", box=(4, 64))):\n"
        "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))\n"
        "    s = T.alloc_shared((8, 64), \"float32\", align=128)\n";
    struct ir_kernel *k;
    struct bench_room *room = *state;
    if (!lower_text(room, head, APPLY(STORE("2d")) "X[8:16, :], s, box=(8, 64))\n" APPLY(STORE("2d")) "X[8:10, :], s[0:2, :], box=(2, 64))\n", &k))
        fail_msg("%s", tw_test_diags(room));
    assert_int_equal(k->params.len, 4);
    assert_string_equal(k->params.at[3].name, "X_map"); /* of two rows, which neither of the declared ones has */
}

static void what_a_tensor_copy_has_not_is_refused(void **state)
{
    static const struct copy_case cases[] = {
        {APPLY(LOAD("2d")) "s, X[0:128, 0:64], " BAR ")\n",
         "k.py:10:29: error[E0406]: cp.async.bulk.tensor load needs the parameter 'box'\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], s, X[0:128, 0:64], mbar=bar.ptr_to([0]))\n"
         "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: one to five positive integers known at compile time\n"
         "       fix: add box=(extent, ...)\n"},
        {APPLY(LOAD("2d")) "s, X[0:128, 0:64], box=(128, 64), mbar=bar)\n",
         "k.py:10:148: error[E0405]: parameter 'mbar' of cp.async.bulk.tensor load\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], s, X[0:128, 0:64], box=(128, 64), mbar=bar)\n"
         "      |                                                                                                                                                    ^~~~~~~~\n"
         "  expected: a pointer into shared memory, or a uint32 address of its window\n"
         "     found: a tensor\n"
         "       fix: write bar.ptr_to([...]), a pointer to one of its elements\n"},
        {APPLY(LOAD("2d")) "s[i:i + 64, :], X[0:64, 0:64], box=(64, 64), " BAR ")\n",
         "k.py:10:116: error[E0425]: operand dst of cp.async.bulk.tensor load: the index of dimension 0 is known only at run time\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], s[i:i + 64, :], X[0:64, 0:64], box=(64, 64), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                    ^\n"
         "  expected: a compile-time index, or a dimension that steps a fixed distance, a multiple of the swizzle's period\n"
         "     found: layout ComposeLayout(3, 3, 3, TileLayout(S[(8192):(1)]))\n"
         "       fix: index it by the variable of a T.unroll(...) loop, which is known at compile time\n"},
        {APPLY(LOAD("2d")) "s, X[0:128, 0:64], box=(1, 128, 64), " BAR ")\n",
         "k.py:10:133: error[E0405]: parameter 'box' of cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], s, X[0:128, 0:64], box=(1, 128, 64), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                                     ^~~~~~~~~~~~~~~~\n"
         "  expected: 2 extents, one for each dimension of .2d\n"
         "     found: 3\n"
         "       fix: write box=(extent, extent)\n"},
        {APPLY(LOAD("2d")) "s, X[0:128, 0:64], box=(128, -64), " BAR ")\n",
         "k.py:10:133: error[E0405]: parameter 'box' of cp.async.bulk.tensor load\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], s, X[0:128, 0:64], box=(128, -64), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                                     ^~~~~~~~~~~~~~\n"
         "  expected: one to five positive integers known at compile time\n"
         "     found: a tuple of 2\n"},
        {APPLY(LOAD("2d")) "s, X[0:128, 0:64], box=(128, 32), " BAR ")\n",
         "k.py:10:114: error[E0411]: operand dst of cp.async.bulk.tensor load: axis i1 is 64, and the instruction takes box[1] = 32\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], s, X[0:128, 0:64], box=(128, 32), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                  ^\n"
         "  expected: (repeats..., i0 128, i1 32)\n"
         "     found: (128, 64)\n"},
        {APPLY(LOAD("2d")) "s, X, box=(128, 64), coords=(0, 0, 0), " BAR ")\n",
         "k.py:10:135: error[E0405]: parameter 'coords' of cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], s, X, box=(128, 64), coords=(0, 0, 0), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                                       ^~~~~~~~~~~~~~~~\n"
         "  expected: 2 coordinates, one for each dimension of .2d\n"
         "     found: 3\n"
         "       fix: write coords=(coordinate, coordinate)\n"},
        {APPLY("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes") "s[0:4, :], X, box=(1, 64), " BAR ")\n",
         "k.py:10:29: error[E0406]: cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes needs the parameter 'coords'\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes\"], s[0:4, :], X, box=(1, 64), mbar=bar.ptr_to([0]))\n"
         "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: (row, row, row, row, column)\n"
         "       fix: add coords=(row, row, row, row, column)\n"},
        {APPLY("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes")
         "s[0:4, :], X, box=(4, 64), coords=(0, 1, 2, 3, 0), " BAR ")\n",
         "k.py:10:133: error[E0405]: parameter 'box' of cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes\"], s[0:4, :], X, box=(4, 64), coords=(0, 1, 2, 3, 0), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                                     ^~~~~~~~~~~\n"
         "  expected: (1, columns): the instruction takes four rows, each on its own\n"
         "     found: 4 rows\n"
         "       fix: write box=(1, 64)\n"},
        {APPLY("cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes") "s, F, box=(16, 32), " BAR ")\n",
         "k.py:10:29: error[E0402]: the cp.async.bulk.tensor load tile pattern does not cover cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes\"], s, F, box=(16, 32), mbar=bar.ptr_to([0]))\n"
         "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a box of the tensor, rows of it, or pixels by im2col\n"
         "       fix: call it as a raw instruction, T.ptx[...](...)\n"},
        {APPLY(IM2COL) "s, F, box=(1, 16, 32), " BAR ")\n",
         "k.py:10:118: error[E0405]: parameter 'box' of cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes\"], s, F, box=(1, 16, 32), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                      ^~~~~~~~~~~~~~~\n"
         "  expected: (pixels, channels)\n"
         "     found: 3\n"
         "       fix: write box=(pixels, channels)\n"},
        {APPLY(IM2COL) "s, F, box=(16, 32), upper=(1,), coords=(0, 0, 0), offsets=(0,), " BAR ")\n",
         "k.py:10:29: error[E0406]: cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes needs the parameter 'lower'\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes\"], s, F, box=(16, 32), upper=(1,), coords=(0, 0, 0), offsets=(0,), mbar=bar.ptr_to([0]))\n"
         "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: the lower corner, 1 integer\n"
         "       fix: add lower=(integer,)\n"},
        {APPLY(IM2COL) "s, F, box=(16, 32), lower=(-1, -1), upper=(1,), coords=(0, 0, 0), offsets=(0,), " BAR ")\n",
         "k.py:10:132: error[E0405]: parameter 'lower' of cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes\"], s, F, box=(16, 32), lower=(-1, -1), upper=(1,), coords=(0, 0, 0), offsets=(0,), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                                    ^~~~~~~~~~~~~~\n"
         "  expected: 1 integer from -32768 to 32767, known at compile time\n"
         "     found: 2\n"
         "       fix: write lower=(integer,)\n"},
        {APPLY(IM2COL) "s, F, box=(16, 32), lower=(i,), upper=(1,), coords=(0, 0, 0), offsets=(0,), " BAR ")\n",
         "k.py:10:132: error[E0405]: parameter 'lower' of cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes\"], s, F, box=(16, 32), lower=(i,), upper=(1,), coords=(0, 0, 0), offsets=(0,), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                                    ^~~~~~~~~~\n"
         "  expected: 1 integer from -32768 to 32767, known at compile time\n"
         "     found: a value known only at run time\n"
         "       fix: write lower=(integer,)\n"},
        {APPLY(IM2COL) "s, F, box=(16, 32), lower=(-1,), upper=(1,), coords=(0, 0, 0), " BAR ")\n",
         "k.py:10:29: error[E0406]: cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes needs the parameter 'offsets'\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes\"], s, F, box=(16, 32), lower=(-1,), upper=(1,), coords=(0, 0, 0), mbar=bar.ptr_to([0]))\n"
         "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: what the instruction adds to the spatial coordinates\n"
         "       fix: add offsets=(offset,)\n"},
        {APPLY(IM2COL) "s, F, box=(16, 32), lower=(-1,), upper=(1,), offsets=(0,), " BAR ")\n",
         "k.py:10:29: error[E0406]: cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes needs the parameter 'coords'\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes\"], s, F, box=(16, 32), lower=(-1,), upper=(1,), offsets=(0,), mbar=bar.ptr_to([0]))\n"
         "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: 3 coordinates of the first pixel, one for each dimension of .3d\n"
         "       fix: add coords=(coordinate, coordinate, coordinate)\n"},
        {APPLY(IM2COL) "s, F, box=(16, 32), lower=(-1,), upper=(1,), coords=(0, 0, 0), offsets=(0,), element_strides=(1, 9, 1), " BAR ")\n",
         "k.py:10:189: error[E0405]: parameter 'element_strides' of cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes\"], s, F, box=(16, 32), lower=(-1,), upper=(1,), coords=(0, 0, 0), offsets=(0,), element_strides=(1, 9, 1), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                                                                                             ^~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: 3 integers from 1 to 8, known at compile time\n"
         "     found: 9\n"
         "       fix: write element_strides=(1, 8, 1)\n"},
        {"    f = T.alloc_shared((2000, 32), \"float32\", align=128)\n"
         APPLY(IM2COL) "f, F, box=(2000, 32), lower=(-1,), upper=(1,), coords=(0, 0, 0), offsets=(0,), " BAR ")\n",
         "k.py:11:115: error[E0816]: tensor map 'F_map' of 'F': pixelsPerColumn breaks a rule\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes\"], f, F, box=(2000, 32), lower=(-1,), upper=(1,), coords=(0, 0, 0), offsets=(0,), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                   ^\n"
         "  expected: 1 to 1024\n"
         "     found: 2000\n"
         "      spec: CUDA driver API, cuTensorMapEncodeIm2col\n"},
        {APPLY(LOAD("2d")) "s, X, box=(128, 64), coords=(4294967296, 0), " BAR ")\n",
         "k.py:10:135: error[E0405]: parameter 'coords' of cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], s, X, box=(128, 64), coords=(4294967296, 0), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                                       ^~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: -2147483648 to 2147483647\n"
         "     found: 4294967296\n"
         "       fix: write 2147483647, the nearest that it takes\n"},
        {APPLY(IM2COL) "s, F, box=(16, 32), lower=(-1,), upper=(1,), coords=(0, 0, 0), offsets=(-1,), " BAR ")\n",
         "k.py:10:175: error[E0405]: parameter 'offsets' of cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes\"], s, F, box=(16, 32), lower=(-1,), upper=(1,), coords=(0, 0, 0), offsets=(-1,), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                                                                               ^~~~~~~~~~~~~\n"
         "  expected: 0 to 65535\n"
         "     found: -1\n"
         "       fix: write 0, the nearest that it takes\n"},
        {APPLY(LOAD("2d")) "s, X[0:128, 0:64], box=(128, 64), lower=(0,), " BAR ")\n",
         "k.py:10:148: error[E0404]: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes has no parameter 'lower' here\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], s, X[0:128, 0:64], box=(128, 64), lower=(0,), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                                                    ^~~~~~~~~~\n"
         "  expected: im2col in the opcode\n"
         "       fix: write .im2col in the opcode, or drop the parameter\n"},
        {"    b = T.alloc_shared((512, 64), \"float16\", layout=mma_shared_layout(\"float16\", 3, (512, 64)), align=1024)\n"
         APPLY(LOAD("2d")) "b, X, box=(512, 64), coords=(0, 0), " BAR ")\n",
         "k.py:11:117: error[E0816]: tensor map 'X_map' of 'X': boxDim[1] breaks a rule\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], b, X, box=(512, 64), coords=(0, 0), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                     ^\n"
         "  expected: 1 to 256\n"
         "     found: 512\n"
         "      spec: CUDA driver API, cuTensorMapEncodeTiled\n"},
        {"    b = T.alloc_shared((128, 128), \"float16\", layout=mma_shared_layout(\"float16\", 3, (128, 128)), align=1024)\n"
         APPLY(LOAD("2d")) "b, X[0:128, 0:128], box=(128, 128), " BAR ")\n",
         "k.py:11:117: error[E0816]: tensor map 'X_map' of 'X': boxDim[0] breaks a rule\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], b, X[0:128, 0:128], box=(128, 128), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                     ^~~~~~~~~~~~~~~\n"
         "  expected: at most 128 bytes with swizzle 128B\n"
         "     found: 256 bytes\n"
         "      spec: CUDA driver API, cuTensorMapEncodeTiled\n"},
        {"    b = T.alloc_shared((16, 4), \"float16\", align=128)\n" APPLY(LOAD("2d")) "b, X[0:16, 0:4], box=(16, 4), " BAR ")\n",
         "k.py:11:117: error[E0816]: tensor map 'X_map' of 'X': boxDim[0] breaks a rule\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], b, X[0:16, 0:4], box=(16, 4), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                     ^~~~~~~~~~~~\n"
         "  expected: a multiple of 16 bytes\n"
         "     found: 4 elements of 16 bits\n"
         "      spec: CUDA driver API, cuTensorMapEncodeTiled\n"},
        {"    b = T.alloc_shared((16, 64), \"float16\", align=128)\n" APPLY(LOAD("2d")) "b, Odd[0:16, 0:64], box=(16, 64), " BAR ")\n",
         "k.py:11:117: error[E0816]: tensor map 'Odd_map' of 'Odd': globalStrides[0] breaks a rule\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], b, Odd[0:16, 0:64], box=(16, 64), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                     ^~~~~~~~~~~~~~~\n"
         "  expected: a multiple of 16\n"
         "     found: 130\n"
         "      spec: CUDA driver API, cuTensorMapEncodeTiled\n"},
        {"    b = T.alloc_shared((16, 64), \"float16\", align=128)\n" APPLY(LOAD("2d")) "b, Low[0:16, 0:64], box=(16, 64), " BAR ")\n",
         "k.py:11:117: error[E0816]: tensor map 'Low_map' of 'Low': globalAddress breaks a rule\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], b, Low[0:16, 0:64], box=(16, 64), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                     ^~~~~~~~~~~~~~~\n"
         "  expected: a multiple of 16\n"
         "     found: 'Low' is aligned to 8 bytes\n"
         "       fix: write align=16 in the type of 'Low'\n"
         "      spec: CUDA driver API, cuTensorMapEncodeTiled\n"},
        {"    b = T.alloc_shared((16, 64), \"float16\")\n" APPLY(LOAD("2d")) "b, X[0:16, 0:64], box=(16, 64), " BAR ")\n",
         "k.py:11:114: error[E0423]: operand dst of cp.async.bulk.tensor load: 'b' is aligned to 64 bytes\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], b, X[0:16, 0:64], box=(16, 64), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                  ^\n"
         "  expected: 128 bytes, what a tensor copy needs of a shared address\n"
         "     found: align=64\n"
         "       fix: write align=128 where 'b' is allocated\n"
         "k.py:10:9: note: 'b' is declared here\n"
         "   10 |     b = T.alloc_shared((16, 64), \"float16\")\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {"    b = T.alloc_shared((16, 64), \"float16\", layout=mma_shared_layout(\"float16\", 3, (16, 64)), align=512)\n"
         APPLY(LOAD("2d")) "b, X[0:16, 0:64], box=(16, 64), " BAR ")\n",
         "k.py:11:114: error[E0423]: operand dst of cp.async.bulk.tensor load: 'b' is aligned to 512 bytes\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], b, X[0:16, 0:64], box=(16, 64), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                  ^\n"
         "  expected: 1024 bytes, one period of the swizzle\n"
         "     found: align=512\n"
         "       fix: write align=1024 where 'b' is allocated\n"
         "k.py:10:9: note: 'b' is declared here\n"
         "   10 |     b = T.alloc_shared((16, 64), \"float16\", layout=mma_shared_layout(\"float16\", 3, (16, 64)), align=512)\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {"    b = T.alloc_shared((16, 64), \"float16\", align=128, layout=T.TileLayout(T.S[(16, 64) : (72, 1)]))\n"
         APPLY(LOAD("2d")) "b, X[0:16, 0:64], box=(16, 64), " BAR ")\n",
         "k.py:11:114: error[E0432]: operand dst of cp.async.bulk.tensor load: element (i0=1, i1=0) is not where the copy puts it\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], b, X[0:16, 0:64], box=(16, 64), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                  ^\n"
         "  expected: byte 128 of 'b': rows of 128 bytes one after another, swizzle none\n"
         "     found: byte 144, by layout S[(16, 64):(72, 1)]\n"
         "       fix: give 'b' a layout from mma_shared_layout(dtype, mode, shape), with boxes of its rows\n"
         "k.py:10:9: note: 'b' is declared here\n"
         "   10 |     b = T.alloc_shared((16, 64), \"float16\", align=128, layout=T.TileLayout(T.S[(16, 64) : (72, 1)]))\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {"    b = T.alloc_shared((4, 24), \"float16\", align=128)\n" APPLY(LOAD("1d")) "b.view(4, 1, 24)[1, :, :], X.view(256 * 192)[0:24], box=24, " BAR ")\n",
         "k.py:11:114: error[E0428]: operand dst of cp.async.bulk.tensor load: the box starts at byte 48 of 'b'\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], b.view(4, 1, 24)[1, :, :], X.view(256 * 192)[0:24], box=24, mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                  ^~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a multiple of 128 bytes\n"
         "     found: layout S[(1, 1, 24):(24, 24, 1)] + 24\n"
         "       fix: choose starts and strides that are multiples of 64 elements\n"
         "k.py:10:9: note: 'b' is declared here\n"
         "   10 |     b = T.alloc_shared((4, 24), \"float16\", align=128)\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {"    b = T.alloc_shared((4, 24), \"float16\", align=128)\n" APPLY(LOAD("1d")) "b[1, :], X.view(256 * 192)[0:24], box=24, " BAR ")\n",
         "k.py:11:114: error[E0428]: operand dst of cp.async.bulk.tensor load: the box starts at byte 48 of 'b'\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], b[1, :], X.view(256 * 192)[0:24], box=24, mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                  ^~~~~~~\n"
         "  expected: a multiple of 128 bytes\n"
         "     found: layout S[(1, 24):(24, 1)] + 24\n"
         "       fix: choose starts and strides that are multiples of 64 elements\n"
         "k.py:10:9: note: 'b' is declared here\n"
         "   10 |     b = T.alloc_shared((4, 24), \"float16\", align=128)\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {"    b = T.alloc_shared((4, 24), \"float16\", align=128)\n" APPLY(LOAD("1d")) "b[i, :], X.view(256 * 192)[0:24], box=24, " BAR ")\n",
         "k.py:11:116: error[E0428]: operand dst of cp.async.bulk.tensor load: a run-time index moves the box by 384 bits\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], b[i, :], X.view(256 * 192)[0:24], box=24, mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                    ^\n"
         "  expected: steps of 128 bytes\n"
         "       fix: give 'b' a layout with a multiple of 64 elements, not 24, from one index to the next\n"},
        {APPLY(LOAD("2d")) "s, X[0:128, 4:68], box=(128, 64), " BAR ")\n",
         "k.py:10:117: error[E0428]: operand src of cp.async.bulk.tensor load: the box starts at element 4 of its innermost dimension\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], s, X[0:128, 4:68], box=(128, 64), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                     ^~~~~~~~~~~~~~\n"
         "  expected: a multiple of 8 elements, 16 bytes\n"
         "     found: byte 8\n"
         "       fix: start it at element 0 or 8\n"},
        {APPLY(STORE("2d")) "X, s, box=(128, 64), coords=(-1, 0))\n",
         "k.py:10:92: error[E0433]: operand dst of cp.async.bulk.tensor store: the box starts at -1\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group\"], X, s, box=(128, 64), coords=(-1, 0))\n"
         "      |                                                                                            ^\n"
         "  expected: 0 or more: what is below the tensor cannot be written to\n"
         "       fix: start the box at 0\n"},
        {APPLY("cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.tile.bulk_group") "X[0:128, 0:64], s, box=(128, 64))\n",
         "k.py:10:103: error[E0409]: operand dst of cp.reduce.async.bulk.tensor has elements that .inc does not work on\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.tile.bulk_group\"], X[0:128, 0:64], s, box=(128, 64))\n"
         "      |                                                                                                       ^~~~~~~~~~~~~~\n"
         "  expected: one of: u32\n"
         "     found: f16\n"
         "       fix: declare 'X' with such elements, or write another operation in place of .inc\n"},
        {"    f = T.alloc_shared((2, 16, 16), \"float32\", align=128)\n" APPLY(LOAD("2d")) "f, F[0:2, i:i + 16, 0:16], box=(16, 16), " BAR ")\n",
         "k.py:11:117: error[E0431]: operand src of cp.async.bulk.tensor load: no tensor map of rank 2 describes this view\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], f, F[0:2, i:i + 16, 0:16], box=(16, 16), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                     ^~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: dimension 0, 2560 elements a step, to continue one that the map has and that the box is known to stay inside\n"
         "     found: float32 of layout S[(6, 40, 64):(2560, 64, 1)]\n"
         "       fix: make dimension 0 one of the instruction's\n"},
        {"    f = T.alloc_shared((3, 16, 16), \"float32\", align=128)\n"
         APPLY(LOAD("2d")) "f, F.permute(1, 0, 2)[0:3, 0:6, 0:64], box=(16, 16), coords=(0, 0), " BAR ")\n",
         "k.py:11:117: error[E0431]: operand src of cp.async.bulk.tensor load: no tensor map of rank 2 describes this view\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], f, F.permute(1, 0, 2)[0:3, 0:6, 0:64], box=(16, 16), coords=(0, 0), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: dimension 0, 64 elements a step, to continue one that the map has and that the box is known to stay inside\n"
         "     found: float32 of layout S[(40, 6, 64):(64, 2560, 1)]\n"
         "       fix: make dimension 0 one of the instruction's\n"},
        {APPLY(LOAD("2d")) "s, X[0:128, 0:64], box=(128, 64), map_type=\"tf32\", " BAR ")\n",
         "k.py:10:148: error[E0405]: parameter 'map_type' of cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], s, X[0:128, 0:64], box=(128, 64), map_type=\"tf32\", mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                                                    ^~~~~~~~~~~~~~~\n"
         "  expected: a tensor of float32 for \"tf32\"\n"
         "     found: float16\n"
         "       fix: leave map_type out: the map takes the tensor's own type\n"},
        {"    b = T.alloc_shared((16, 64), \"float16\", align=128, layout=T.TileLayout(T.S[(16, 64) : (64, 1)] + T.R[2 : 1024]))\n"
         APPLY(LOAD("2d")) "b, X[0:16, 0:64], box=(16, 64), " BAR ")\n",
         "k.py:11:114: error[E0432]: operand dst of cp.async.bulk.tensor load: an element has no address of its own\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], b, X[0:16, 0:64], box=(16, 64), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                  ^\n"
         "  expected: one byte address for every element\n"
         "     found: S[(16, 64):(64, 1)] + R[(2):(1024)]\n"
         "       fix: give 'b' a layout from mma_shared_layout(dtype, mode, shape)\n"},
        {"    b = T.alloc_shared((256,), \"float16\", align=128)\n" APPLY(LOAD("1d")) "b[i:i + 24], X.view(256 * 192)[0:24], box=24, " BAR ")\n",
         "k.py:11:116: error[E0428]: operand dst of cp.async.bulk.tensor load: a run-time index moves the box by 16 bits\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], b[i:i + 24], X.view(256 * 192)[0:24], box=24, mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                    ^\n"
         "  expected: steps of 128 bytes\n"
         "       fix: view that dimension as pieces of 64 elements, and index the piece\n"},
        {APPLY(LOAD("2d")) "s, X.rearrange(\"(a b) c -> b (a c)\", a=2)[0:128, 0:64], box=(128, 64), " BAR ")\n",
         "k.py:10:117: error[E0431]: operand src of cp.async.bulk.tensor load: no tensor map of rank 2 describes this view\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], s, X.rearrange(\"(a b) c -> b (a c)\", a=2)[0:128, 0:64], box=(128, 64), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: dimensions of one stride each\n"
         "     found: float16 of layout S[(128, 2, 192):(192, 24576, 1)]\n"
         "       fix: split a dimension of several strides into its parts, with .rearrange(...)\n"},
        {APPLY(LOAD("2d")) "s.view(\"uint8\"), X[0:128, 0:64], box=(128, 64), " BAR ")\n",
         "k.py:10:114: error[E0409]: operand dst of cp.async.bulk.tensor load has elements of type uint8\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\"], s.view(\"uint8\"), X[0:128, 0:64], box=(128, 64), mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                  ^~~~~~~~~~~~~~~\n"
         "  expected: elements of 16 bits\n"
         "     found: uint8, 8 bits\n"
         "       fix: pair them with .view(\"uint16\")\n"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ir_kernel *k;
        if (lower_copy(room, cases[i].body, &k))
            fail_msg("case %zu is taken", i);
        tw_test_expect_diags(room, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_box_is_an_instruction_at_the_coordinates_of_its_region),
        ROOM_TEST(the_map_is_the_tensor_with_box_and_swizzle),
        ROOM_TEST(equal_uses_share_one_parameter),
        ROOM_TEST(a_declared_map_is_shared),
        ROOM_TEST(what_a_tensor_copy_has_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
