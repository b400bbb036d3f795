/* Tensor maps in running kernels: what a tensor instruction wants of its map, maps that a kernel makes and changes itself, and
 * the modes that need no GPU to be told: gather4, scatter4, packed types. SOURCE: PTX ISA, cp.async.bulk.tensor, tensormap.replace,
 * tensormap.cp_fenceproxy, fence.proxy.tensormap; ptx-async.md 4.4 to 4.8, 7.4 row 25. */
#include "bulk_text.h"

#define TILE "cp.async.bulk.tensor.2d.shared::cluster.global.tile." TX " "
#define BOX_BYTES 256
#define DUMP                                                                                                            \
    "mov.u32 %r20, %t;\nD: shl.b32 %r29, %r20, 2; add.u32 %r28, %r29, %buf; ld.shared.u32 %r27, [%r28]; cvt.u64.u32 %q9, %r29;\n" \
    "add.u64 %q9, %q9, %out; st.global.u32 [%q9], %r27; add.u32 %r20, %r20, 32; setp.lt.u32 %p7, %r20, 256; @%p7 bra D;\n"

static void a_tile_is_loaded_through_a_parameter(void **state)
{
    const struct tensor_map map = bulk_map();
    struct bulk_run r;
    bulk_must_run(&r, *state, BULK_KERNEL("sm_90a", EXPECT(256) "mov.b32 %r1, 4;\n@!%rest " TILE "[%buf], [%map, {%r1, 2}], [%bar];\n" AWAIT("W") DUMP), 32, 1, &map);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(r.out[i], (2 + i / 16) * 64 + 4 + i % 16);
    rig_end(&r.rig);
}

static void prefetches_and_cache_hints_change_nothing(void **state)
{
    const struct tensor_map map = bulk_map();
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_90a", EXPECT(256) "mov.b32 %r1, 0; createpolicy.fractional.L2::evict_first.b64 %q1, 1.0;\nprefetch.tensormap [%map];\n"
                                        "cp.async.bulk.prefetch.L2.global [%in], 64;\ncp.async.bulk.prefetch.tensor.2d.L2.global.tile [%map, {%r1, %r1}];\n"
                                        "@!%rest cp.async.bulk.tensor.2d.shared::cluster.global.tile." TX ".L2::cache_hint [%buf], [%map, {%r1, %r1}], [%bar], %q1;\n" AWAIT("W") DUMP),
                  32, 1, &map);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(r.out[i], i / 16 * 64 + i % 16);
    rig_end(&r.rig);
}

/* ---- Maps that a kernel makes --------------------------------------------------------------------- */

#define ZERO_MAP "add.u32 %r10, %buf, 4096; shl.b32 %r11, %t, 2; add.u32 %r11, %r11, %r10; mov.b32 %r12, 0; st.shared.b32 [%r11], %r12; bar.sync 0;\n"
#define REPLACE "tensormap.replace.tile."
#define BUILD_MAP                                                                                                       \
    "@%rest bra BUILT;\n" REPLACE "global_address.shared::cta.b1024.b64 [%r10], %in;\n" REPLACE "rank.shared::cta.b1024.b32 [%r10], 1;\n"          \
    REPLACE "box_dim.shared::cta.b1024.b32 [%r10], 0, 16;\n" REPLACE "box_dim.shared::cta.b1024.b32 [%r10], 1, 4;\n"                              \
    REPLACE "global_dim.shared::cta.b1024.b32 [%r10], 0, 64;\n" REPLACE "global_dim.shared::cta.b1024.b32 [%r10], 1, 32;\n"                       \
    REPLACE "global_stride.shared::cta.b1024.b64 [%r10], 0, 256;\n" REPLACE "element_stride.shared::cta.b1024.b32 [%r10], 0, 1;\n"                \
    REPLACE "element_stride.shared::cta.b1024.b32 [%r10], 1, 1;\n" REPLACE "elemtype.shared::cta.b1024.b32 [%r10], 2;\n"                          \
    REPLACE "interleave_layout.shared::cta.b1024.b32 [%r10], 0;\n" REPLACE "swizzle_mode.shared::cta.b1024.b32 [%r10], 0;\n"                      \
    REPLACE "fill_mode.shared::cta.b1024.b32 [%r10], 0;\nBUILT: bar.warp.sync 0xffffffff;\nadd.u64 %q5, %out, 8192;\n"                            \
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%q5], [%r10], 128;\n"
#define ACQUIRE "fence.proxy.tensormap::generic.acquire.gpu [%q5], 128;\n"
#define LOAD_TILE(row) EXPECT(256) "@!%rest " TILE "[%buf], [%q5, {0, " #row "}], [%bar];\n"

static void a_map_that_is_built_in_shared_memory_can_be_used(void **state)
{
    struct bulk_run r;
    bulk_must_run(&r, *state, BULK_KERNEL("sm_90a", ZERO_MAP BUILD_MAP ACQUIRE LOAD_TILE(3) AWAIT("W") DUMP), 32, 1, NULL);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(r.out[i], (3 + i / 16) * 64 + i % 16);
    rig_end(&r.rig);
}

/* The second load reads 1024 bytes further with the fence, and where the first did without it. */
#define CHANGE_MAP AWAIT("W") "@!%rest add.u64 %q6, %in, 1024;\n@!%rest " REPLACE "global_address.global.b1024.b64 [%q5], %q6;\n"
#define LOAD_AGAIN                                                                                                     \
    "@!%rest mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar+8], 256;\n@!%rest " TILE "[%buf], [%q5, {0, 0}], [%bar+8];\n" \
    "X: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%bar+8], 0; @!%p2 bra X;\n"

static void a_changed_map_is_seen_after_the_acquire_fence_and_not_before(void **state)
{
    static const struct { const char *text; uint32_t first; } rows[] = {
        {BULK_KERNEL("sm_90a", ZERO_MAP BUILD_MAP ACQUIRE LOAD_TILE(0) CHANGE_MAP LOAD_AGAIN DUMP), 0},
        {BULK_KERNEL("sm_90a", ZERO_MAP BUILD_MAP ACQUIRE LOAD_TILE(0) CHANGE_MAP ACQUIRE LOAD_AGAIN DUMP), 256},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bulk_run r;
        bulk_must_run(&r, *state, rows[i].text, 32, 1, NULL);
        assert_int_equal(r.out[0], rows[i].first);
        rig_end(&r.rig);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

/* ---- Faults --------------------------------------------------------------------------------------- */

struct refusal {
    struct tensor_map map;
    bool no_map;
    const char *body, *diags;
};

static void expect_refusals(void **state, const struct refusal *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tensor_map map = rows[i].map;
        bulk_must_fail(*state, rows[i].body, 32, 1, rows[i].no_map ? NULL : &map, LAUNCH_FAULT, rows[i].diags);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

#define PLAIN .type = TMAP_U32, .rank = 2, .dims = {64, 32}, .strides = {0, 256}, .element_strides = {1, 1}
#define BY "note: by thread (0,0,0) of block (0,0,0)\n"

static void what_is_no_tensor_map_is_refused(void **state)
{
    static const struct refusal rows[] = {
        {.no_map = true, .body = BULK_KERNEL("sm_90a", "@!%rest " TILE "[%buf], [%map, {0, 0}], [%bar];\n"),
         .diags = "k.ptx:15:1: error[E0781]: cp.async.bulk.tensor: there is no tensor map at 0x7f3000000040\n"
                  "   15 | @!%rest cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%buf], [%map, {0, 0}], [%bar];\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: 128 bytes that an encoder of tensor maps, or tensormap.replace, has written\n     found: other bytes\n"
                  "       fix: pass an argument of kind tensor_map, or initialise the map before its first use\n" BY},
        {.no_map = true, .body = BULK_KERNEL("sm_90a", "add.u64 %q1, %map, 16;\n@!%rest " TILE "[%buf], [%q1, {0, 0}], [%bar];\n"),
         .diags = "k.ptx:16:1: error[E0781]: cp.async.bulk.tensor: the tensor map at 0x7f3000000050 is not aligned\n"
                  "   16 | @!%rest cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%buf], [%q1, {0, 0}], [%bar];\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: an address that is a multiple of 64\n      spec: PTX ISA, \"Tensor-map\"\n" BY},
        {.no_map = true, .body = BULK_KERNEL("sm_90a", "cvt.u64.u32 %q1, %buf; cvta.shared.u64 %q1, %q1;\n@!%rest " TILE "[%buf], [%q1, {0, 0}], [%bar];\n"),
         .diags = "k.ptx:16:1: error[E0781]: cp.async.bulk.tensor: the tensor map at 0x7f0000000400 is in the wrong state space\n"
                  "   16 | @!%rest cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%buf], [%q1, {0, 0}], [%bar];\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: a generic address in parameter, constant or global memory\n     found: an address in shared::cluster memory\n"
                  "      spec: PTX ISA, \"Tensor-map\"\n" BY},
    };
    expect_refusals(state, rows, COUNT(rows));
}

static void a_map_that_breaks_a_rule_is_refused_where_it_is_used(void **state)
{
    static const struct refusal rows[] = {
        {.map = {PLAIN, .box = {16, 300}}, .body = BULK_KERNEL("sm_90a", "@!%rest " TILE "[%buf], [%map, {0, 0}], [%bar];\n"),
         .diags = "k.ptx:15:1: error[E0782]: cp.async.bulk.tensor: boxDim[1] of the tensor map is out of its rules\n"
                  "   15 | @!%rest cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%buf], [%map, {0, 0}], [%bar];\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: 1 to 256\n     found: 300\n      spec: CUDA driver API, cuTensorMapEncodeTiled\n" BY},
    };
    expect_refusals(state, rows, COUNT(rows));
}

static void starts_that_a_gpu_refuses_are_refused(void **state)
{
    static const struct refusal rows[] = {
        {.map = {PLAIN, .box = {16, 4}}, .body = BULK_KERNEL("sm_90a", "@!%rest " TILE "[%buf], [%map, {-2, 0}], [%bar];\n"),
         .diags = "k.ptx:15:1: error[E0783]: cp.async.bulk.tensor: the start of the innermost dimension is not aligned\n"
                  "   15 | @!%rest cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%buf], [%map, {-2, 0}], [%bar];\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: a multiple of 4 elements, 16 bytes\n     found: element -2\n" BY},
        {.map = {PLAIN, .box = {16, 4}}, .body = BULK_KERNEL("sm_90a", "@!%rest cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%map, {0, -1}], [%buf];\n"),
         .diags = "k.ptx:15:1: error[E0783]: cp.async.bulk.tensor: a copy to global memory starts outside the tensor\n"
                  "   15 | @!%rest cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%map, {0, -1}], [%buf];\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: coordinates that are not negative\n     found: coordinate 1 is -1\n" BY},
        {.map = {.mode = TMAP_IM2COL, .type = TMAP_U32, .rank = 3, .dims = {16, 8, 4}, .strides = {0, 64, 512}, .element_strides = {1, 1, 1}, .upper = {-2}, .channels = 16, .pixels = 4},
         .body = BULK_KERNEL("sm_90a", "mov.b16 %h0, 0;\n@!%rest cp.async.bulk.tensor.3d.shared::cluster.global.im2col." TX " [%buf], [%map, {0, 6, 0}], [%bar], {%h0};\n"),
         .diags = "k.ptx:16:1: error[E0783]: cp.async.bulk.tensor: an im2col copy starts outside the map's bounding box\n"
                  "   16 | @!%rest cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%buf], [%map, {0, 6, 0}], [%bar], {%h0};\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: coordinate 1 from 0 to 5\n     found: 6\n" BY},
        {.map = {PLAIN, .box = {16, 4}}, .body = BULK_KERNEL("sm_90a", "@!%rest " TILE "[%buf+64], [%map, {0, 0}], [%bar];\n"),
         .diags = "k.ptx:15:1: error[E0780]: cp.async.bulk.tensor: the destination address is not aligned\n"
                  "   15 | @!%rest cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%buf+64], [%map, {0, 0}], [%bar];\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: a multiple of 128\n     found: 0x440, 64 over\n" BY},
    };
    expect_refusals(state, rows, COUNT(rows));
}

static void an_instruction_that_does_not_fit_its_map_is_refused(void **state)
{
    static const struct refusal rows[] = {
        {.map = {PLAIN, .box = {16, 4}}, .body = BULK_KERNEL("sm_90a", "@!%rest cp.async.bulk.tensor.3d.shared::cluster.global.tile." TX " [%buf], [%map, {0, 0, 0}], [%bar];\n"),
         .diags = "k.ptx:15:1: error[E0784]: cp.async.bulk.tensor: the copy's rank is not that of the tensor map\n"
                  "   15 | @!%rest cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%buf], [%map, {0, 0, 0}], [%bar];\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: a map of rank 3\n     found: rank 2\n" BY},
        {.map = {.type = TMAP_U32, .rank = 3, .dims = {16, 8, 4}, .strides = {0, 64, 512}, .element_strides = {1, 1, 1}, .box = {16, 4, 1}},
         .body = BULK_KERNEL("sm_90a", "mov.b16 %h0, 0;\n@!%rest cp.async.bulk.tensor.3d.shared::cluster.global.im2col." TX " [%buf], [%map, {0, 0, 0}], [%bar], {%h0};\n"),
         .diags = "k.ptx:16:1: error[E0784]: cp.async.bulk.tensor: the copy's mode is not that of the tensor map\n"
                  "   16 | @!%rest cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%buf], [%map, {0, 0, 0}], [%bar], {%h0};\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: an im2col map\n     found: a tiled map\n" BY},
        {.map = {.type = TMAP_S64, .rank = 2, .dims = {32, 32}, .strides = {0, 256}, .element_strides = {1, 1}, .box = {2, 4}},
         .body = BULK_KERNEL("sm_90a", "@!%rest cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%map, {0, 0}], [%buf];\n"),
         .diags = "k.ptx:15:1: error[E0784]: cp.reduce.async.bulk.tensor: the operation does not fit the element type of the tensor map\n"
                  "   15 | @!%rest cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%map, {0, 0}], [%buf];\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: an element type that .add works on\n     found: s64\n      spec: PTX ISA, cp.reduce.async.bulk.tensor\n" BY},
        {.map = {PLAIN, .box = {16, 4}}, .body = BULK_KERNEL("sm_100a", "@!%rest cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4." TX " [%buf], [%map, {0, 1, 2, 3, 4}], [%bar];\n"),
         .diags = "k.ptx:15:1: error[E0784]: cp.async.bulk.tensor: the tensor map does not fit gather4 and scatter4\n"
                  "   15 | @!%rest cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%buf], [%map, {0, 1, 2, 3, 4}], [%bar];\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: boxDim[1] = 1 and no interleave\n     found: boxDim[1] = 4, interleave none\n" BY},
    };
    expect_refusals(state, rows, COUNT(rows));
}

static void a_map_that_leads_out_of_its_allocation_is_found(void **state)
{
    static const struct refusal rows[] = {
        {.map = {.type = TMAP_U32, .rank = 2, .dims = {64, 128}, .strides = {0, 256}, .box = {16, 4}, .element_strides = {1, 1}},
         .body = BULK_KERNEL("sm_90a", EXPECT(256) "@!%rest " TILE "[%buf], [%map, {0, 62}], [%bar];\n" AWAIT("W")),
         .diags = "k.ptx:16:1: error[E0787]: cp.async.bulk.tensor: the tensor map leads outside global memory: a read of 64 bytes at 0x700000018000\n"
                  "   16 | @!%rest cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%buf], [%map, {0, 62}], [%bar];\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: dims, strides and address of the map within one allocation\n"
                  "     found: byte 16384 of 'in' of 16384 bytes; the map starts at its byte 0\n"
                  "       fix: make the map's dims and strides those of the allocation\n"
                  "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
    };
    expect_refusals(state, rows, COUNT(rows));
}

static void what_tensormap_replace_cannot_do_is_refused(void **state)
{
    static const struct refusal rows[] = {
        {.no_map = true, .body = BULK_KERNEL("sm_90a", "@!%rest " REPLACE "rank.global.b1024.b32 [%in], 1;\n"),
         .diags = "k.ptx:15:1: error[E0788]: tensormap.replace of rank: the operand is no tensor map\n"
                  "   15 | @!%rest tensormap.replace.tile.rank.global.b1024.b32 [%in], 1;\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: a tensor map, or 128 bytes of zeros to build one in\n     found: other bytes\n      spec: PTX ISA, tensormap.replace\n" BY},
        {.no_map = true, .body = BULK_KERNEL("sm_90a", "@!%rest " REPLACE "rank.global.b1024.b32 [%out], 5;\n"),
         .diags = "k.ptx:15:1: error[E0788]: tensormap.replace of rank: the field has no such value\n"
                  "   15 | @!%rest tensormap.replace.tile.rank.global.b1024.b32 [%out], 5;\n"
                  "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                  "  expected: a value of the table of tensormap.replace; for rank, the rank less 1\n     found: 5\n      spec: PTX ISA, tensormap.replace\n" BY},
    };
    expect_refusals(state, rows, COUNT(rows));
}

/* ---- sm_100 ---------------------------------------------------------------------------------------- */

/* Row j of the tile is row_j of the tensor; a row that does not exist is fill. */
static void gather4_takes_four_rows(void **state)
{
    const struct tensor_map map = {PLAIN, .box = {16, 1}};
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_100a", EXPECT(256) "@!%rest cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4." TX " [%buf], [%map, {8, 5, 31, 0, 32}], [%bar];\n" AWAIT("W") DUMP),
                  32, 1, &map);
    static const uint32_t row[3] = {5, 31, 0};
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(r.out[i], i < 48 ? row[i / 16] * 64 + 8 + i % 16 : 0);
    rig_end(&r.rig);
}

static void scatter4_puts_four_rows(void **state)
{
    const struct tensor_map map = {PLAIN, .box = {4, 1}};
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_100a", "shl.b32 %r29, %t, 2; add.u32 %r29, %r29, %buf; add.u32 %r28, %t, 5000; st.shared.u32 [%r29], %r28;\nfence.proxy.async; bar.sync 0;\n"
                                         "@!%rest cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%map, {60, 7, 2, 40, 3}], [%buf];\n"
                                         "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"),
                  32, 1, &map);
    static const uint32_t row[4] = {7, 2, 40, 3};
    for (uint32_t j = 0; j < 4; j++)
        for (uint32_t i = 0; i < 4 && row[j] < 32; i++)
            assert_int_equal(r.in[row[j] * 64 + 60 + i], 5000 + 4 * j + i);
    assert_int_equal(r.in[2 * 64 + 59], 2 * 64 + 59);
    rig_end(&r.rig);
}

/* Sixteen 6-bit elements are 12 bytes in global memory and 16 in shared: the last four are undefined. */
static void packed_elements_get_padding_in_shared_memory(void **state)
{
    const struct tensor_map map = {.type = TMAP_U6X16_ALIGN16, .rank = 2, .dims = {256, 8}, .strides = {0, 192}, .box = {128, 2}, .element_strides = {1, 1}};
    struct bulk_run r;
    bulk_must_run(&r, *state, BULK_KERNEL("sm_100a", EXPECT(256) "@!%rest " TILE "[%buf], [%map, {128, 3}], [%bar];\n" AWAIT("W") DUMP), 32, 1, &map);
    for (uint32_t row = 0; row < 2; row++)
        for (uint32_t group = 0; group < 8; group++)
            assert_memory_equal(r.out + (size_t)row * 32 + (size_t)4 * group, r.in + (size_t)(3 + row) * 48 + 24 + (size_t)3 * group, 12);
    rig_end(&r.rig);
}

/* A store packs bytes of six bits: 16 bytes in shared memory become 12. */
static void six_bit_bytes_are_packed_by_a_store(void **state)
{
    const struct tensor_map map = {.type = TMAP_U6X16_ALIGN16, .rank = 2, .dims = {128, 8}, .strides = {0, 96}, .box = {128, 1}, .element_strides = {1, 1}};
    struct bulk_run r;
    bulk_must_run(&r, *state,
                  BULK_KERNEL("sm_100a", "shl.b32 %r29, %t, 2; add.u32 %r29, %r29, %buf; mov.b32 %r28, 0x3f020140; st.shared.u32 [%r29], %r28;\nfence.proxy.async; bar.sync 0;\n"
                                         "@!%rest cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%map, {0, 1}], [%buf];\n"
                                         "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"),
                  32, 1, &map);
    /* Elements 0, 1, 2, 63: bits 0 at 5:0, 1 at 11:6, 2 at 17:12, 63 at 23:18. */
    const uint8_t *const at = (const uint8_t *)r.in + 96;
    for (uint32_t i = 0; i < 32; i++) {
        static const uint8_t want[3] = {0x40, 0x20, 0xfc};
        assert_memory_equal(at + (size_t)3 * i, want, sizeof want);
    }
    rig_end(&r.rig);
}

/* Sixteen 4-bit elements are 8 bytes in global memory; in shared memory they stay 8, or are followed by 8 that are undefined.
 * SOURCE: PTX ISA, "Tensor Data Types", .b4x16 and .b4x16_p64. */
static void four_bit_elements_stay_packed_or_get_padding(void **state)
{
    static const struct { struct tensor_map map; const char *text; uint32_t row_bytes, stride, first; bool padded; } rows[] = {
        {{.type = TMAP_U4X16_ALIGN8, .rank = 2, .dims = {64, 8}, .strides = {0, 32}, .box = {32, 4}, .element_strides = {1, 1}},
         BULK_KERNEL("sm_100a", EXPECT(64) "@!%rest " TILE "[%buf], [%map, {32, 1}], [%bar];\n" AWAIT("W") DUMP), 16, 32, 32 + 16, false},
        {{.type = TMAP_U4X16_ALIGN16, .rank = 2, .dims = {256, 8}, .strides = {0, 128}, .box = {128, 2}, .element_strides = {1, 1}},
         BULK_KERNEL("sm_100a", EXPECT(256) "@!%rest " TILE "[%buf], [%map, {128, 3}], [%bar];\n" AWAIT("W") DUMP), 64, 128, 3 * 128 + 64, true},
    };
    for (size_t k = 0; k < COUNT(rows); k++) {
        struct bulk_run r;
        bulk_must_run(&r, *state, rows[k].text, 32, 1, &rows[k].map);
        const uint8_t *const got = (const uint8_t *)r.out, *const from = (const uint8_t *)r.in + rows[k].first;
        for (uint32_t row = 0; row < rows[k].map.box[1]; row++)
            for (uint32_t at = 0; at < rows[k].row_bytes; at += 8)
                assert_memory_equal(got + (size_t)(row * rows[k].row_bytes + at) * (rows[k].padded ? 2 : 1), from + (size_t)row * rows[k].stride + at, 8);
        rig_end(&r.rig);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

/* How much the second-level cache reads ahead is a word of the map, and changes no byte that arrives. */
static void what_the_cache_reads_ahead_changes_nothing(void **state)
{
    static const enum tensor_map_l2 l2[] = {TMAP_L2_NONE, TMAP_L2_64B, TMAP_L2_128B, TMAP_L2_256B};
    for (size_t k = 0; k < COUNT(l2); k++) {
        struct tensor_map map = bulk_map(), back;
        uint8_t bytes[TENSOR_MAP_BYTES];
        struct bulk_run r;
        map.l2 = l2[k];
        tw_tensor_map_pack(&map, bytes);
        assert_true(tw_tensor_map_unpack(bytes, &back));
        assert_int_equal(back.l2, l2[k]);
        bulk_must_run(&r, *state, BULK_KERNEL("sm_90a", EXPECT(256) "@!%rest " TILE "[%buf], [%map, {4, 2}], [%bar];\n" AWAIT("W") DUMP), 32, 1, &map);
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(r.out[i], (2 + i / 16) * 64 + 4 + i % 16);
        rig_end(&r.rig);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

/* Elements outside the tensor are zero, or the NaN of the map; those inside are as they were. */
static void what_lies_outside_is_zero_or_the_nan_of_the_map(void **state)
{
    for (unsigned nan = 0; nan < 2; nan++) {
        const struct tensor_map map = {.type = TMAP_F16, .rank = 2, .dims = {16, 8}, .strides = {0, 32}, .box = {16, 4}, .element_strides = {1, 1},
                                       .fill = nan ? TMAP_FILL_NAN : TMAP_FILL_ZEROS};
        struct bulk_run r;
        bulk_must_run(&r, *state, BULK_KERNEL("sm_90a", EXPECT(128) "@!%rest " TILE "[%buf], [%map, {8, 6}], [%bar];\n" AWAIT("W") DUMP), 32, 1, &map);
        for (uint32_t i = 0; i < 32; i++) {
            const bool inside = i / 8 < 2 && i % 8 < 4; /* words: rows 6 and 7, elements 8 to 15 */
            assert_int_equal(r.out[i], inside ? (6 + i / 8) * 8 + 4 + i % 8 : nan ? 0x7ff77ff7 : 0);
        }
        rig_end(&r.rig);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

/* The addresses that the swizzle of the map gives, element by element. */
static void tiles_with_larger_atoms_are_swizzled_by_the_table(void **state)
{
    static const enum tensor_map_swizzle swizzles[] = {TMAP_SWIZZLE_128B_ATOM_32B, TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, TMAP_SWIZZLE_128B_ATOM_64B};
    for (size_t k = 0; k < COUNT(swizzles); k++) {
        const struct tensor_map map = {PLAIN, .box = {32, 8}, .swizzle = swizzles[k]};
        struct bulk_run r;
        bulk_must_run(&r, *state, BULK_KERNEL("sm_100a", EXPECT(1024) "@!%rest " TILE "[%buf], [%map, {0, 0}], [%bar];\n" AWAIT("W") DUMP), 32, 1, &map);
        for (uint32_t i = 0; i < 256; i++)
            assert_int_equal(r.out[tw_tensor_map_swizzled(swizzles[k], 4 * i) / 4], i / 32 * 64 + i % 32);
        rig_end(&r.rig);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_tile_is_loaded_through_a_parameter),
        ROOM_TEST(prefetches_and_cache_hints_change_nothing),
        ROOM_TEST(a_map_that_is_built_in_shared_memory_can_be_used),
        ROOM_TEST(a_changed_map_is_seen_after_the_acquire_fence_and_not_before),
        ROOM_TEST(what_is_no_tensor_map_is_refused),
        ROOM_TEST(a_map_that_breaks_a_rule_is_refused_where_it_is_used),
        ROOM_TEST(starts_that_a_gpu_refuses_are_refused),
        ROOM_TEST(an_instruction_that_does_not_fit_its_map_is_refused),
        ROOM_TEST(a_map_that_leads_out_of_its_allocation_is_found),
        ROOM_TEST(what_tensormap_replace_cannot_do_is_refused),
        ROOM_TEST(gather4_takes_four_rows),
        ROOM_TEST(scatter4_puts_four_rows),
        ROOM_TEST(packed_elements_get_padding_in_shared_memory),
        ROOM_TEST(six_bit_bytes_are_packed_by_a_store),
        ROOM_TEST(four_bit_elements_stay_packed_or_get_padding),
        ROOM_TEST(what_the_cache_reads_ahead_changes_nothing),
        ROOM_TEST(what_lies_outside_is_zero_or_the_nan_of_the_map),
        ROOM_TEST(tiles_with_larger_atoms_are_swizzled_by_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
