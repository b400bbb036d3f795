/* tcgen05.cp, ld, ld.red, st and shift through tile.apply: what they do not allow, each with the whole text.
 * SOURCE: kernel-language-tile 7.3; tcgen05 2.2, 2.3, 2.5, 2.6. */
#include "tile/text_kernel.h"

/* ---- copies, loads, stores, shifts ---- */

static void a_copy_needs_its_stride(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 4), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane]))])\n"
        "    u = T.alloc_shared((32, 4), \"uint32\", layout=\"default\", align=128)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u)\n",
        "k.py:10:75: error[E0421]: operand src of tcgen05.cp: no K-major descriptor walks this view\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u)\n"
        "      |                                                                           ^\n"
        "  expected: element (row=8, word=0) at byte 0 of 'u', by the strides of the parameters (SDO 0, LDO 0, swizzle NONE)\n"
        "     found: element (row=8, word=0) at byte 128, by layout S[(32, 4):(4, 1)]\n"
        "       fix: write sdo_bytes=128, ldo_bytes=0, swizzle=0\n"
        "      spec: PTX ISA, tcgen05 matrix descriptor, canonical layouts\n"
        "k.py:9:9: note: 'u' is declared here\n"
        "    9 |     u = T.alloc_shared((32, 4), \"uint32\", layout=\"default\", align=128)\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void a_copy_that_no_parameters_walk_needs_another_layout(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 4), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane]))])\n"
        "    u = T.alloc_shared((32, 4), \"uint32\", layout=T.TileLayout(T.S[(32, 4) : (5, 1)]), align=128)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=128)\n",
        "k.py:10:75: error[E0421]: operand src of tcgen05.cp: no K-major descriptor walks this view\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=128)\n"
        "      |                                                                           ^\n"
        "  expected: element (row=1, word=0) at byte 16 of 'u', by the strides of the parameters (SDO 128, LDO 0, swizzle NONE)\n"
        "     found: element (row=1, word=0) at byte 20, by layout S[(32, 4):(5, 1)]\n"
        "       fix: give src a layout from mma_shared_layout(dtype, mode, shape)\n"
        "      spec: PTX ISA, tcgen05 matrix descriptor, canonical layouts\n"
        "k.py:9:9: note: 'u' is declared here\n"
        "    9 |     u = T.alloc_shared((32, 4), \"uint32\", layout=T.TileLayout(T.S[(32, 4) : (5, 1)]), align=128)\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void a_copy_walks_by_its_parameters(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 4), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane]))])\n"
        "    u = T.alloc_shared((32, 4), \"uint32\", layout=\"default\", align=256)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=128, swizzle=1)\n",
        "k.py:10:75: error[E0421]: operand src of tcgen05.cp: no K-major descriptor walks this view\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=128, swizzle=1)\n"
        "      |                                                                           ^\n"
        "  expected: element (row=1, word=0) at byte 32 of 'u', by the strides of the parameters (SDO 128, LDO 0, swizzle 32B)\n"
        "     found: element (row=1, word=0) at byte 16, by layout S[(32, 4):(4, 1)]\n"
        "       fix: write sdo_bytes=128, ldo_bytes=0, swizzle=0\n"
        "      spec: PTX ISA, tcgen05 matrix descriptor, canonical layouts\n"
        "k.py:9:9: note: 'u' is declared here\n"
        "    9 |     u = T.alloc_shared((32, 4), \"uint32\", layout=\"default\", align=256)\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void a_copy_to_all_quadrants_says_so(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 4), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1 @ Col)]))])\n"
        "    u = T.alloc_shared((32, 4), \"uint32\", layout=\"default\", align=128)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=128)\n",
        "k.py:10:72: error[E0417]: operand dst of tcgen05.cp: 1 place of each element, and the instruction uses 4\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=128)\n"
        "      |                                                                        ^\n"
        "  expected: 4 copies, at lanes 0, 32, 64 and 96 from the first\n"
        "     found: layout S[(32, 4):(1@TLane, 1@TCol)]\n"
        "       fix: add the replica + R[4 : 32 @ TLane]\n");
}

static void a_copy_starts_at_a_multiple_of_128_bits(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 4), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane] + 2 @ Col))])\n"
        "    u = T.alloc_shared((32, 4), \"uint32\", layout=\"default\", align=128)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=128)\n",
        "k.py:10:72: error[E0417]: operand dst of tcgen05.cp starts at lane 0, column 2\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=128)\n"
        "      |                                                                        ^\n"
        "  expected: a multiple of 4 columns, in the 128 lanes and 512 columns\n"
        "       fix: start it at lane 0, column 0 of 'c'\n");
}

static void a_copy_has_pairs_of_shape_and_multicast(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 4), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane]))])\n"
        "    u = T.alloc_shared((32, 4), \"uint32\", layout=\"default\", align=128)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b\"], c, u, sdo_bytes=128)\n",
        "k.py:10:30: error[E0401]: tcgen05.cp.cta_group::1.32x128b: qualifiers that do not go together\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b\"], c, u, sdo_bytes=128)\n"
        "      |                              ^~~~~~~~~~\n"
        "  expected: .warpx4 with .32x128b\n"
        "     found: 'tcgen05.cp'\n");
}

static void strides_of_a_copy_are_multiples_of_16(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 4), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane]))])\n"
        "    u = T.alloc_shared((32, 4), \"uint32\", layout=\"default\", align=128)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=100)\n",
        "k.py:10:78: error[E0422]: parameter 'sdo_bytes' of tcgen05.cp\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=100)\n"
        "      |                                                                              ^~~~~~~~~~~~~\n"
        "  expected: a multiple of 16 bytes below 262144\n"
        "     found: 100\n"
        "       fix: write the stride of src's layout, such as sdo_bytes=96\n");
}

static void a_copy_knows_four_swizzles(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 4), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane]))])\n"
        "    u = T.alloc_shared((32, 4), \"uint32\", layout=\"default\", align=128)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=128, swizzle=4)\n",
        "k.py:10:93: error[E0405]: parameter 'swizzle' of tcgen05.cp\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=128, swizzle=4)\n"
        "      |                                                                                             ^~~~~~~~~\n"
        "  expected: 0 none, 1 32B, 2 64B or 3 128B\n"
        "     found: 4\n"
        "       fix: write the number of the swizzle that src's layout has\n");
}

static void a_copy_reads_shared_memory(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 4), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane]))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, c, sdo_bytes=128)\n",
        "k.py:9:75: error[E0408]: operand src of tcgen05.cp is in tensor memory\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, c, sdo_bytes=128)\n"
        "      |                                                                           ^\n"
        "  expected: a tensor in shared memory\n"
        "     found: 'c', a tmem tensor\n"
        "       fix: copy 'c' to a tensor in shared memory, and give that one\n"
        "k.py:8:9: note: 'c' is declared here\n"
        "    8 |     c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 4), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane]))])\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void a_copy_moves_words(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 4), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane]))])\n"
        "    u = T.alloc_shared((32, 16), \"uint8\", layout=\"default\", align=128)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=128)\n",
        "k.py:10:75: error[E0409]: operand src of tcgen05.cp has elements of type uint8\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=128)\n"
        "      |                                                                           ^\n"
        "  expected: elements of 32 bits\n"
        "     found: uint8, 8 bits\n"
        "       fix: pair them with .view(\"uint32\")\n");
}

static void a_copy_has_three_parameters(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 4), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane]))])\n"
        "    u = T.alloc_shared((32, 4), \"uint32\", layout=\"default\", align=128)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo=128)\n",
        "k.py:10:78: error[E0404]: tcgen05.cp has no parameter 'sdo'\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo=128)\n"
        "      |                                                                              ^~~~~~~\n"
        "  expected: scope, sdo_bytes, ldo_bytes, swizzle\n");
}

static void a_swizzled_source_is_aligned_to_its_period(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 1 @ Col)]))])\n"
        "    u = T.alloc_shared((128, 8), \"uint32\", layout=mma_shared_layout(\"uint32\", 1, (128, 8)), align=128)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.128x256b\"], c, u, sdo_bytes=256, swizzle=1)\n",
        "k.py:10:69: error[E0423]: operand src of tcgen05.cp: 'u' is aligned to 128 bytes\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.128x256b\"], c, u, sdo_bytes=256, swizzle=1)\n"
        "      |                                                                     ^\n"
        "  expected: 256 bytes, one period of the descriptor's 32B pattern\n"
        "     found: align=128\n"
        "       fix: write align=256 where 'u' is allocated\n"
        "k.py:9:9: note: 'u' is declared here\n"
        "    9 |     u = T.alloc_shared((128, 8), \"uint32\", layout=mma_shared_layout(\"uint32\", 1, (128, 8)), align=128)\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void both_halves_of_a_quadrant_take_one_lane(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((4, 2, 16, 8), \"float32\", scope=\"tmem\", layout=T.TileLayout(T.S[(4, 2, 16, 8) : (32 @ Lane, 16 @ Lane, 1 @ Lane, 1 @ Col)]))])\n"
        "    r = T.alloc_local((8,), \"float32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.sync.aligned.16x32bx2.x8.b32\"],\n"
        "        r.view(4, 2, 16, 8, layout=T.TileLayout(T.S[(4, 2, 16, 8) : (1 @ T.cuda.Axis.wid_in_wg, 16 @ T.cuda.Axis.laneid, 1 @ T.cuda.Axis.laneid, 1)])),\n"
        "        c, scope=\"warpgroup\")\n",
        "k.py:12:9: error[E0417]: operand src of tcgen05.ld: the second half is no split of columns away from the first\n"
        "   12 |         c, scope=\"warpgroup\")\n"
        "      |         ^\n"
        "  expected: element (half=1, row=0, column=0) in the lane of (half=0, row=0, column=0), some columns on\n"
        "     found: 16 lanes and 0 bits on, by layout S[(4, 2, 16, 8):(32@TLane, 16@TLane, 1@TLane, 1@TCol)]\n"
        "       fix: lay each tile as S[(2, 16, 8) : (8 @ TCol, 1 @ TLane, 1 @ TCol)] does\n");
}

static void packed_elements_are_the_halves_of_a_register(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"float16\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 2 @ Col)]))])\n"
        "    r = T.alloc_local((16,), \"float16\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.sync.aligned.32x32b.x4.pack::16b.b32\"],\n"
        "        r.view(4, 32, 8, layout=T.TileLayout(T.S[(128, 8) : (1 @ T.cuda.Axis.tid_in_wg, 2)])),\n"
        "        c.view(4, 32, 8), scope=\"warpgroup\")\n",
        "k.py:11:9: error[E0416]: operand dst of tcgen05.ld: the 2 elements of register 0 are no 32-bit word\n"
        "   11 |         r.view(4, 32, 8, layout=T.TileLayout(T.S[(128, 8) : (1 @ T.cuda.Axis.tid_in_wg, 2)])),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: consecutive slots from a multiple of 2 on\n"
        "     found: slots 0 and 2 of 'r', by layout S[(128, 8):(1@tid_in_wg, 2)]\n"
        "       fix: view it with these elements in slots 0 to 1\n");
}

static void a_packed_element_has_a_cell_of_its_own(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"float16\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 1 @ Col)]))])\n"
        "    r = T.wg_reg_tile(8, \"float16\")\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.sync.aligned.32x32b.x4.pack::16b.b32\"],\n"
        "        r.view(4, 32, 8),\n"
        "        c.view(4, 32, 8), scope=\"warpgroup\")\n",
        "k.py:12:9: error[E0417]: operand src of tcgen05.ld: element (row=0, column=1) is in another cell than the instruction uses\n"
        "   12 |         c.view(4, 32, 8), scope=\"warpgroup\")\n"
        "      |         ^~~~~~~~~~~~~~~~\n"
        "  expected: lane 0, column 1 of 'c'\n"
        "     found: lane 0, column 0, bit 16, by layout S[(128, 8):(1@TLane, 1@TCol)]\n"
        "       fix: give 'c' a layout that has (row=0, column=1) there\n"
        "k.py:8:9: note: 'c' is declared here\n"
        "    8 |     c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"float16\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 1 @ Col)]))])\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void a_store_has_one_place_for_each_element(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"float32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 1 @ Col)] + T.R[2 : 8 @ Col]))])\n"
        "    r = T.wg_reg_tile(8, \"float32\")\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.st.sync.aligned.32x32b.x8.b32\"],\n"
        "        c.view(4, 32, 8), r.view(4, 32, 8), scope=\"warpgroup\")\n",
        "k.py:11:9: error[E0417]: operand dst of tcgen05.st has copies of its elements\n"
        "   11 |         c.view(4, 32, 8), r.view(4, 32, 8), scope=\"warpgroup\")\n"
        "      |         ^~~~~~~~~~~~~~~~\n"
        "  expected: one place for every element\n"
        "     found: layout S[(128, 8):(1@TLane, 1@TCol)] + R[(2):(8@TCol)]\n"
        "       fix: drop the replica, + R[...], from the layout of 'c'\n");
}

static void columns_of_a_load_are_neighbours(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"float32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 2 @ Col)]))])\n"
        "    r = T.alloc_local((8,), \"float32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.sync.aligned.32x32b.x8.b32\"],\n"
        "        r.view(4, 32, 8, layout=T.TileLayout(T.S[(128, 8) : (1 @ T.cuda.Axis.tid_in_wg, 1)])),\n"
        "        c.view(4, 32, 8), scope=\"warpgroup\")\n",
        "k.py:12:9: error[E0417]: operand src of tcgen05.ld: element (row=0, column=1) is in another cell than the instruction uses\n"
        "   12 |         c.view(4, 32, 8), scope=\"warpgroup\")\n"
        "      |         ^~~~~~~~~~~~~~~~\n"
        "  expected: lane 0, column 1 of 'c'\n"
        "     found: lane 0, column 2, by layout S[(128, 8):(1@TLane, 2@TCol)]\n"
        "       fix: give 'c' a layout that has (row=0, column=1) there\n"
        "k.py:8:9: note: 'c' is declared here\n"
        "    8 |     c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"float32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 2 @ Col)]))])\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void a_load_has_a_power_of_two_columns(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"float32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 1 @ Col)]))])\n"
        "    r = T.alloc_local((8,), \"float32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.sync.aligned.32x32b.x3.b32\"],\n"
        "        r.view(4, 32, 8, layout=T.TileLayout(T.S[(128, 8) : (1 @ T.cuda.Axis.tid_in_wg, 1)])),\n"
        "        c.view(4, 32, 8), scope=\"warpgroup\")\n",
        "k.py:10:56: error[E0401]: tcgen05.ld.sync.aligned.32x32b.x3.b32: no such qualifier\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"tcgen05.ld.sync.aligned.32x32b.x3.b32\"],\n"
        "      |                                                        ^~\n"
        "  expected: .x1, .x2, .x4, .x8, .x16, .x32, .x64 or .x128\n"
        "     found: 'x3'\n"
        "       fix: write 'x1'\n");
}

static void a_loaded_element_goes_to_its_lane(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"float32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 1 @ Col)]))])\n"
        "    r = T.alloc_local((8,), \"float32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.sync.aligned.32x32b.x8.b32\"],\n"
        "        r.view(4, 32, 8, layout=T.TileLayout(T.S[(4, 8, 4, 8) : (1 @ T.cuda.Axis.wid_in_wg, 1 @ T.cuda.Axis.laneid, 8 @ T.cuda.Axis.laneid, 1)])),\n"
        "        c.view(4, 32, 8), scope=\"warpgroup\")\n",
        "k.py:11:9: error[E0415]: operand dst of tcgen05.ld: element (row=1, column=0) is in lane 8 of warp 0 of the warpgroup, and the instruction puts it in lane 1 of warp 0 of the warpgroup\n"
        "   11 |         r.view(4, 32, 8, layout=T.TileLayout(T.S[(4, 8, 4, 8) : (1 @ T.cuda.Axis.wid_in_wg, 1 @ T.cuda.Axis.laneid, 8 @ T.cuda.Axis.laneid, 1)])),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: laneid 1, wid_in_wg 0: register 0 of lane 1 holds (row=1, column=0)\n"
        "     found: laneid 8, wid_in_wg 0, by layout S[(4, 8, 4, 8):(1@wid_in_wg, 1@laneid, 8@laneid, 1)]\n"
        "       fix: no view moves a value between lanes: load them as 'tilewright explain fragment' shows, or view them with that map\n");
}

static void a_load_has_one_place_for_each_element(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"float32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 1 @ Col)] + T.R[2 : 8 @ Col]))])\n"
        "    r = T.alloc_local((8,), \"float32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.sync.aligned.32x32b.x8.b32\"],\n"
        "        r.view(4, 32, 8, layout=T.TileLayout(T.S[(128, 8) : (1 @ T.cuda.Axis.tid_in_wg, 1)])),\n"
        "        c.view(4, 32, 8), scope=\"warpgroup\")\n",
        "k.py:12:9: error[E0417]: operand src of tcgen05.ld has copies of its elements\n"
        "   12 |         c.view(4, 32, 8), scope=\"warpgroup\")\n"
        "      |         ^~~~~~~~~~~~~~~~\n"
        "  expected: one place for every element\n"
        "     found: layout S[(128, 8):(1@TLane, 1@TCol)] + R[(2):(8@TCol)]\n"
        "       fix: drop the replica, + R[...], from the layout of 'c'\n");
}

static void a_reduction_has_the_type_it_compares(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 1 @ Col)]))])\n"
        "    r = T.wg_reg_tile(8, \"float32\")\n"
        "    m = T.wg_reg_tile(1, \"float32\")\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.red.sync.aligned.32x32b.x8.max.u32\"],\n"
        "        r.view(4, 32, 8),\n"
        "        m.view(4, 32),\n"
        "        c.view(4, 32, 8), scope=\"warpgroup\")\n",
        "k.py:12:9: error[E0409]: operand dst of tcgen05.ld.red has elements of type float32\n"
        "   12 |         r.view(4, 32, 8),\n"
        "      |         ^~~~~~~~~~~~~~~~\n"
        "  expected: uint32, the type that tcgen05.ld.red.sync.aligned.32x32b.x8.max.u32 compares\n"
        "       fix: declare 'r' as uint32\n");
}

static void a_shift_takes_eight_columns_of_all_lanes(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 4), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 4) : (1 @ Lane, 1 @ Col)]))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.shift.cta_group::1.down\"], c)\n",
        "k.py:9:65: error[E0411]: operand cells of tcgen05.shift: axis column is 4, and the instruction takes columns = 8\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"tcgen05.shift.cta_group::1.down\"], c)\n"
        "      |                                                                 ^\n"
        "  expected: (repeats..., row 128, column 8)\n"
        "     found: (128, 4)\n");
}

static void a_shift_has_no_parameters(void **state)
{
    expect_refused_body(*state,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 1 @ Col)]))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.shift.cta_group::1.down\"], c, pred=more > 0)\n",
        "k.py:9:68: error[E0404]: tcgen05.shift has no parameter 'pred'\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"tcgen05.shift.cta_group::1.down\"], c, pred=more > 0)\n"
        "      |                                                                    ^~~~~~~~~~~~~\n"
        "  expected: no parameter but scope\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_copy_needs_its_stride),
        ROOM_TEST(a_copy_that_no_parameters_walk_needs_another_layout),
        ROOM_TEST(a_copy_walks_by_its_parameters),
        ROOM_TEST(a_copy_to_all_quadrants_says_so),
        ROOM_TEST(a_copy_starts_at_a_multiple_of_128_bits),
        ROOM_TEST(a_copy_has_pairs_of_shape_and_multicast),
        ROOM_TEST(strides_of_a_copy_are_multiples_of_16),
        ROOM_TEST(a_copy_knows_four_swizzles),
        ROOM_TEST(a_copy_reads_shared_memory),
        ROOM_TEST(a_copy_moves_words),
        ROOM_TEST(a_copy_has_three_parameters),
        ROOM_TEST(a_swizzled_source_is_aligned_to_its_period),
        ROOM_TEST(both_halves_of_a_quadrant_take_one_lane),
        ROOM_TEST(packed_elements_are_the_halves_of_a_register),
        ROOM_TEST(a_packed_element_has_a_cell_of_its_own),
        ROOM_TEST(a_store_has_one_place_for_each_element),
        ROOM_TEST(columns_of_a_load_are_neighbours),
        ROOM_TEST(a_load_has_a_power_of_two_columns),
        ROOM_TEST(a_loaded_element_goes_to_its_lane),
        ROOM_TEST(a_load_has_one_place_for_each_element),
        ROOM_TEST(a_reduction_has_the_type_it_compares),
        ROOM_TEST(a_shift_takes_eight_columns_of_all_lanes),
        ROOM_TEST(a_shift_has_no_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
