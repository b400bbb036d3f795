/* tcgen05.mma through tile.apply: what the forms, shapes, flags and majors do not allow, each with the whole text. SOURCE:
 * kernel-language-tile 7.5, legality list; tcgen05 3.3, 3.4, 3.6. */
#include "tile/text_kernel.h"

/* ---- forms, shapes, flags ---- */

static void ws_is_for_one_cta(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.ws.cta_group::2.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:11:45: error[E0401]: tcgen05.mma.ws.cta_group::2.kind::f16: a qualifier that the instruction does not take here\n"
        "   11 |     T.cuda.tile.apply(T.ptx[\"tcgen05.mma.ws.cta_group::2.kind::f16\"],\n"
        "      |                                             ^~~~~~~~~~~~\n"
        "  expected: .cta_group::1\n"
        "     found: 'cta_group::2'\n");
}

static void ws_takes_n_64_128_or_256(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 192), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 192), \"float32\", M=128, cta_group=1, ws=True))])\n"
        "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
        "    b = T.alloc_shared((192, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (192, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.ws.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 192),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 192, 16),\n"
        "        instruction_shape=(128, 192, 16))\n",
        "k.py:15:9: error[E0407]: instruction_shape (128, 192, 16) does not exist for tcgen05.mma.ws.cta_group::1.kind::f16\n"
        "   15 |         instruction_shape=(128, 192, 16))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: M 32, 64 or 128, N 64, 128 or 256, K 16; M and N are totals over the CTA group\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::f16\n");
}

static void ws_with_m_64_takes_a_in_two_banks(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (64, 64), \"float32\", M=64, cta_group=1, ws=True))])\n"
        "    a = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 16), \"float16\", scope=\"tmem\", layout=T.TileLayout(T.S[(64, 16) : (1 @ Lane, 1 @ Col)]))])\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.ws.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 64, 64),\n"
        "        a.view(1, 1, 64, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(64, 64, 16))\n",
        "k.py:13:9: error[E0410]: operand A of tcgen05.mma.ws has 4 dimensions; 5 are needed\n"
        "   13 |         a.view(1, 1, 64, 16),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~\n"
        "  expected: (M_repeat, K_repeat, bank 2, m 64, k 16)\n"
        "     found: (1, 1, 64, 16)\n"
        "       fix: split it into these 5 axes with .view(...) or .rearrange(...)\n");
}

static void the_banks_of_a_are_64_lanes_apart(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (64, 64), \"float32\", M=64, cta_group=1, ws=True))])\n"
        "    a = T.cuda.decl_tmem(base, ty_args=[T.Tensor((2, 64, 16), \"float16\", scope=\"tmem\", layout=T.TileLayout(T.S[(2, 64, 16) : (16 @ Col, 1 @ Lane, 1 @ Col)]))])\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.ws.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 64, 64),\n"
        "        a.view(1, 1, 2, 64, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(64, 64, 16))\n",
        "k.py:13:9: error[E0417]: operand A of tcgen05.mma.ws: element (bank=1, m=0, k=0) is in another cell than the instruction uses\n"
        "   13 |         a.view(1, 1, 2, 64, 16),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: lane 64, column 0 of 'a'\n"
        "     found: lane 0, column 8, by layout S[(2, 64, 16):(16@TCol, 1@TLane, 1@TCol)]\n"
        "       fix: lay each tile as tmem_mma_operand_layout(\"A\", (2, 64, 16), \"float16\", M=64, cta_group=1, ws=True) does\n"
        "k.py:9:9: note: 'a' is declared here\n"
        "    9 |     a = T.cuda.decl_tmem(base, ty_args=[T.Tensor((2, 64, 16), \"float16\", scope=\"tmem\", layout=T.TileLayout(T.S[(2, 64, 16) : (16 @ Col, 1 @ Lane, 1 @ Col)]))])\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void ws_has_no_lane_mask(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=True))])\n"
        "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.ws.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), disable_output_lane=(0, 0, 0, 0))\n",
        "k.py:15:42: error[E0424]: disable_output_lane with tcgen05.mma.ws.cta_group::1.kind::f16\n"
        "   15 |         instruction_shape=(128, 64, 16), disable_output_lane=(0, 0, 0, 0))\n"
        "      |                                          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: a dense form without .ws and .block_scale: no other has the mask\n"
        "       fix: leave disable_output_lane out\n");
}

static void block_scaling_has_no_lane_mask(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(128, 2, 2))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(128, 64, 64), disable_output_lane=(0, 0, 0, 0))\n",
        "k.py:19:42: error[E0424]: disable_output_lane with tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\n"
        "   19 |         instruction_shape=(128, 64, 64), disable_output_lane=(0, 0, 0, 0))\n"
        "      |                                          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: a dense form without .ws and .block_scale: no other has the mask\n"
        "       fix: leave disable_output_lane out\n");
}

static void block_scaling_has_no_zero_columns(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(128, 2, 2))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(128, 64, 64), zero_column_mask=0)\n",
        "k.py:19:42: error[E0424]: zero_column_mask with tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\n"
        "   19 |         instruction_shape=(128, 64, 64), zero_column_mask=0)\n"
        "      |                                          ^~~~~~~~~~~~~~~~~~\n"
        "  expected: a .ws form: no other has a zero-column mask\n"
        "       fix: leave zero_column_mask out\n");
}

static void block_scaling_does_not_saturate(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(128, 2, 2))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(128, 64, 64), sat_d=True)\n",
        "k.py:19:42: error[E0424]: sat_d=True with tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\n"
        "   19 |         instruction_shape=(128, 64, 64), sat_d=True)\n"
        "      |                                          ^~~~~~~~~~\n"
        "  expected: kind::i8: only integer sums saturate\n"
        "       fix: leave sat_d out\n");
}

static void a_zero_column_mask_has_reserved_bits(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=True))])\n"
        "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.ws.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), zero_column_mask=1 << 36)\n",
        "k.py:15:42: error[E0424]: the zero-column mask 0x0000001000000000 is not legal here\n"
        "   15 |         instruction_shape=(128, 64, 16), zero_column_mask=1 << 36)\n"
        "      |                                          ^~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: 0 in the reserved bits 36 to 38, 62 and 63\n"
        "     found: 1 in bits 36 to 38, 0 in bits 62 and 63\n"
        "      spec: PTX ISA, tcgen05.mma.ws, zero-column mask descriptor\n");
}

static void a_zero_column_mask_shifts_nothing_here(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=True))])\n"
        "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.ws.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), zero_column_mask=(1 << 39) | (8 << 56))\n",
        "k.py:15:42: error[E0424]: the zero-column mask 0x0800008000000000 is not legal here\n"
        "   15 |         instruction_shape=(128, 64, 16), zero_column_mask=(1 << 39) | (8 << 56))\n"
        "      |                                          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: shift 0: the instruction descriptor of this pattern allows no shift of columns\n"
        "     found: a shift of 8 columns in bits 56 to 61\n"
        "       fix: call it as a raw instruction with its maximum shift in bits 30 and 31 of the instruction descriptor\n"
        "      spec: PTX ISA, tcgen05.mma.ws, zero-column mask descriptor\n");
}

static void an_accumulator_has_one_place(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 64), \"float32\", scope=\"tmem\", layout=T.TileLayout(T.S[(4, 16, 64) : (32 @ Lane, 1 @ Lane, 1 @ Col)] + T.R[2 : 16 @ Lane]))])\n"
        "    a = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 64, 64),\n"
        "        a.view(1, 1, 64, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(64, 64, 16))\n",
        "k.py:12:9: error[E0417]: operand D of tcgen05.mma has copies of its elements\n"
        "   12 |         d.view(1, 1, 64, 64),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~\n"
        "  expected: one place for every element\n"
        "     found: layout S[(4, 16, 64):(32@TLane, 1@TLane, 1@TCol)] + R[(2):(16@TLane)]\n"
        "       fix: drop the replica, + R[...], from the layout of 'd'\n");
}

static void a_16_bit_accumulator_takes_a_cell(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float16\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 64) : (1 @ Lane, 1 @ Col)]))])\n"
        "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:12:9: error[E0417]: operand D of tcgen05.mma: element (m=0, n=1) is in another cell than the instruction uses\n"
        "   12 |         d.view(1, 1, 128, 64),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: lane 0, column 1 of 'd'\n"
        "     found: lane 0, column 0, bit 16, by layout S[(128, 64):(1@TLane, 1@TCol)]\n"
        "       fix: lay each tile as tmem_mma_operand_layout(\"D\", (128, 64), \"float16\", M=128, cta_group=1) does\n"
        "k.py:8:9: note: 'd' is declared here\n"
        "    8 |     d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float16\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 64) : (1 @ Lane, 1 @ Col)]))])\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void an_operand_ends_inside_tensor_memory(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 64) : (1 @ Lane, 1 @ Col)] + 480 @ Col))])\n"
        "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:12:9: error[E0417]: operand D of tcgen05.mma: element (m=0, n=32) is outside tensor memory\n"
        "   12 |         d.view(1, 1, 128, 64),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: lanes 0 to 127, columns 0 to 511\n"
        "     found: lane 0, column 512 of 'd'\n"
        "       fix: give 'd' a layout, and the region a start, that stay within lanes 0 to 127 and columns 0 to 511\n");
}

static void m_64_starts_at_lane_0_or_16(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 64), \"float32\", scope=\"tmem\", layout=T.TileLayout(T.S[(4, 16, 64) : (32 @ Lane, 1 @ Lane, 1 @ Col)] + 8 @ Lane))])\n"
        "    a = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 64, 64),\n"
        "        a.view(1, 1, 64, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(64, 64, 16))\n",
        "k.py:12:9: error[E0417]: operand D of tcgen05.mma starts at lane 8\n"
        "   12 |         d.view(1, 1, 64, 64),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~\n"
        "  expected: lane 0 or 16 on data path F\n"
        "     found: layout S[(4, 16, 64):(32@TLane, 1@TLane, 1@TCol)] + 8@TLane\n"
        "       fix: start the layout of 'd', or the region, at lane 0\n");
}

static void a_run_time_index_moves_a_by_whole_columns(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 128, 16), \"float16\", scope=\"tmem\", layout=T.TileLayout(T.S[(32, 128, 16) : (1 @ Col, 1 @ Lane, 1 @ Col)]))])\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 32, 128, 16)[:, i : i + 1, :, :],\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:13:35: error[E0425]: operand A of tcgen05.mma: a run-time index moves the address by 16 bits\n"
        "   13 |         a.view(1, 32, 128, 16)[:, i : i + 1, :, :],\n"
        "      |                                   ^\n"
        "  expected: steps of whole columns of 32 bits, or an index known at compile time\n"
        "       fix: index it by the variable of a T.unroll(...) loop, which is known at compile time\n");
}

static void scale_input_d_is_0_to_15(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), accum=True, scale_input_d=16)\n",
        "k.py:15:54: error[E0405]: parameter 'scale_input_d' of tcgen05.mma\n"
        "   15 |         instruction_shape=(128, 64, 16), accum=True, scale_input_d=16)\n"
        "      |                                                      ^~~~~~~~~~~~~~~~\n"
        "  expected: 0 to 15: D is read as D * 2^-scale_input_d\n"
        "     found: 16\n"
        "       fix: write scale_input_d=15, the nearest that there is\n");
}

static void scale_input_d_needs_a_d_that_is_read(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), scale_input_d=3)\n",
        "k.py:15:42: error[E0424]: scale_input_d where the first K step does not read D\n"
        "   15 |         instruction_shape=(128, 64, 16), scale_input_d=3)\n"
        "      |                                          ^~~~~~~~~~~~~~~\n"
        "  expected: accum=True, or accum a run-time bool\n"
        "       fix: write accum=True, or leave scale_input_d out\n");
}

static void scale_input_d_is_for_f16_and_tf32(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 32), \"float8_e4m3fn\", layout=mma_shared_layout(\"float8_e4m3fn\", 1, (128, 32)), align=1024)\n"
        "    b = T.alloc_shared((64, 32), \"float8_e4m3fn\", layout=mma_shared_layout(\"float8_e4m3fn\", 1, (64, 32)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f8f6f4\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 32),\n"
        "        b.view(1, 1, 64, 32),\n"
        "        instruction_shape=(128, 64, 32), accum=True, scale_input_d=3)\n",
        "k.py:15:54: error[E0424]: scale_input_d with tcgen05.mma.cta_group::1.kind::f8f6f4\n"
        "   15 |         instruction_shape=(128, 64, 32), accum=True, scale_input_d=3)\n"
        "      |                                                      ^~~~~~~~~~~~~~~\n"
        "  expected: kind::f16 or kind::tf32 without .ws: no other form scales D\n"
        "       fix: leave scale_input_d out\n");
}

static void scale_input_d_is_known_at_compile_time(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), accum=True, scale_input_d=i)\n",
        "k.py:15:54: error[E0405]: parameter 'scale_input_d' of tcgen05.mma\n"
        "   15 |         instruction_shape=(128, 64, 16), accum=True, scale_input_d=i)\n"
        "      |                                                      ^~~~~~~~~~~~~~~\n"
        "  expected: an integer known at compile time\n"
        "     found: a run-time int32\n");
}

static void ashift_needs_a_in_tensor_memory(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16.ashift\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:13:9: error[E0424]: operand A of tcgen05.mma is in shared memory, and .ashift moves its rows\n"
        "   13 |         a.view(1, 1, 128, 16),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: A in tensor memory, M 128 or 256\n"
        "       fix: write the opcode without .ashift, or give A as a tensor in tensor memory\n");
}

static void ashift_needs_m_128(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (64, 64), \"float32\", M=64, cta_group=1, ws=False))])\n"
        "    a = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 16), \"float16\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"A\", (64, 16), \"float16\", M=64, cta_group=1))])\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16.ashift\"],\n"
        "        d.view(1, 1, 64, 64),\n"
        "        a.view(1, 1, 64, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(64, 64, 16))\n",
        "k.py:11:29: error[E0424]: .ashift with M 64\n"
        "   11 |     T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16.ashift\"],\n"
        "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: A in tensor memory, M 128 or 256\n"
        "       fix: write instruction_shape=(128, 64, 16), or the opcode without .ashift\n");
}

static void a_shape_outside_the_stricter_table_is_noted(void **state)
{
    expect_noted(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 24), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 24), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
        "    b = T.alloc_shared((24, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (24, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 24),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 24, 16),\n"
        "        instruction_shape=(128, 24, 16))\n",
        "k.py:15:9: note[E0426]: instruction_shape (128, 24, 16) is not in every published table of tcgen05.mma.cta_group::1.kind::f16\n"
        "   15 |         instruction_shape=(128, 24, 16))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: N a multiple of 16 for a shape that all tables list\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::f16: its editions differ\n");
}

static void a_pair_shape_outside_the_stricter_table_is_noted(void **state)
{
    expect_noted(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 48), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 48), \"float32\", M=256, cta_group=2, ws=False))])\n"
        "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
        "    b = T.alloc_shared((24, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (24, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::2.kind::f16\"],\n"
        "        d.view(1, 1, 128, 48),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 24, 16),\n"
        "        instruction_shape=(256, 48, 16))\n",
        "k.py:15:9: note[E0426]: instruction_shape (256, 48, 16) is not in every published table of tcgen05.mma.cta_group::2.kind::f16\n"
        "   15 |         instruction_shape=(256, 48, 16))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: N a multiple of 32 for a shape that all tables list\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::f16: its editions differ\n");
}

static void n_24_of_i8_is_noted(void **state)
{
    expect_noted(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 24), \"int32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 24), \"int32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 32), \"int8\", layout=mma_shared_layout(\"int8\", 1, (128, 32)), align=1024)\n"
        "    b = T.alloc_shared((24, 32), \"int8\", layout=mma_shared_layout(\"int8\", 1, (24, 32)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::i8\"],\n"
        "        d.view(1, 1, 128, 24),\n"
        "        a.view(1, 1, 128, 32),\n"
        "        b.view(1, 1, 24, 32),\n"
        "        instruction_shape=(128, 24, 32))\n",
        "k.py:15:9: note[E0426]: instruction_shape (128, 24, 32) is not in every published table of tcgen05.mma.cta_group::1.kind::i8\n"
        "   15 |         instruction_shape=(128, 24, 32))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: N a multiple of 16 for a shape that all tables list\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::i8: its editions differ\n");
}

static void n_8_of_i8_with_m_128_is_noted(void **state)
{
    expect_noted(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"int32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 8), \"int32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 32), \"int8\", layout=mma_shared_layout(\"int8\", 1, (128, 32)), align=1024)\n"
        "    b = T.alloc_shared((8, 32), \"int8\", layout=mma_shared_layout(\"int8\", 1, (8, 32)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::i8\"],\n"
        "        d.view(1, 1, 128, 8),\n"
        "        a.view(1, 1, 128, 32),\n"
        "        b.view(1, 1, 8, 32),\n"
        "        instruction_shape=(128, 8, 32))\n",
        "k.py:15:9: note[E0426]: instruction_shape (128, 8, 32) is not in every published table of tcgen05.mma.cta_group::1.kind::i8\n"
        "   15 |         instruction_shape=(128, 8, 32))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: N a multiple of 16 for a shape that all tables list\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::i8: its editions differ\n");
}

static void n_24_of_i8_with_m_64_is_noted(void **state)
{
    expect_noted(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 24), \"int32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (64, 24), \"int32\", M=64, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((64, 32), \"int8\", layout=mma_shared_layout(\"int8\", 1, (64, 32)), align=1024)\n"
        "    b = T.alloc_shared((24, 32), \"int8\", layout=mma_shared_layout(\"int8\", 1, (24, 32)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::i8\"],\n"
        "        d.view(1, 1, 64, 24),\n"
        "        a.view(1, 1, 64, 32),\n"
        "        b.view(1, 1, 24, 32),\n"
        "        instruction_shape=(64, 24, 32))\n",
        "k.py:15:9: note[E0426]: instruction_shape (64, 24, 32) is not in every published table of tcgen05.mma.cta_group::1.kind::i8\n"
        "   15 |         instruction_shape=(64, 24, 32))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: N other than 24 for a shape that all tables list\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::i8: its editions differ\n");
}

static void i8_has_no_n_40(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 40), \"int32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 40), \"int32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 32), \"int8\", layout=mma_shared_layout(\"int8\", 1, (128, 32)), align=1024)\n"
        "    b = T.alloc_shared((40, 32), \"int8\", layout=mma_shared_layout(\"int8\", 1, (40, 32)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::i8\"],\n"
        "        d.view(1, 1, 128, 40),\n"
        "        a.view(1, 1, 128, 32),\n"
        "        b.view(1, 1, 40, 32),\n"
        "        instruction_shape=(128, 40, 32))\n",
        "k.py:15:9: error[E0407]: instruction_shape (128, 40, 32) does not exist for tcgen05.mma.cta_group::1.kind::i8\n"
        "   15 |         instruction_shape=(128, 40, 32))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: M 64 or 128, N 8, 16, 24, 32 or 48 to 256 in steps of 16, K 32; M and N are totals over the CTA group\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::i8\n");
}

/* ---- majors ---- */

static void tf32_mn_major_needs_mode_4(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((8, 128), \"float32\", layout=mma_shared_layout(\"float32\", 3, (8, 128)), align=1024)\n"
        "    b = T.alloc_shared((64, 8), \"float32\", layout=mma_shared_layout(\"float32\", 1, (64, 8)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::tf32\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.permute(1, 0).view(1, 1, 128, 8),\n"
        "        b.view(1, 1, 64, 8),\n"
        "        instruction_shape=(128, 64, 8), a_major=\"mn\", a_format=\"tf32\", b_format=\"tf32\")\n",
        "k.py:13:9: error[E0421]: operand A of tcgen05.mma: no MN-major descriptor walks this view\n"
        "   13 |         a.permute(1, 0).view(1, 1, 128, 8),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: MN-major 32-bit elements need the 128B layout with 32-byte atom\n"
        "     found: swizzle mode 3 (128B) with MN-major elements of 32 bits\n"
        "       fix: write the layout of A as T.ComposeLayout(3, 2, 2, T.TileLayout(...))\n"
        "      spec: PTX ISA, tcgen05 matrix descriptor, canonical layouts\n");
}

static void mode_4_is_for_32_bit_elements(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((16, 128), \"float16\", layout=T.ComposeLayout(4, 2, 2, T.TileLayout(T.S[(16, 2, 64) : (64, 1024, 1)])), align=1024)\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.permute(1, 0).view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), a_major=\"mn\")\n",
        "k.py:13:9: error[E0421]: operand A of tcgen05.mma: no MN-major descriptor walks this view\n"
        "   13 |         a.permute(1, 0).view(1, 1, 128, 16),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: the 128B layout with 32-byte atom holds MN-major 32-bit elements only\n"
        "     found: swizzle mode 4 (128B_ATOM32) with MN-major elements of 16 bits\n"
        "       fix: give A a layout from mma_shared_layout(dtype, mode, shape) with mode 0 to 3\n"
        "      spec: PTX ISA, tcgen05 matrix descriptor, canonical layouts\n");
}

static void mode_4_is_not_k_major(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 32), \"float32\", layout=T.ComposeLayout(3, 2, 2, T.TileLayout(T.S[(4096) : (1)])), align=1024)\n"
        "    b = T.alloc_shared((64, 8), \"float32\", layout=mma_shared_layout(\"float32\", 1, (64, 8)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::tf32\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.rearrange(\"m (s k) -> s m k\", k=8).view(1, 4, 128, 8)[:, 0:1, :, :],\n"
        "        b.view(1, 1, 64, 8),\n"
        "        instruction_shape=(128, 64, 8), a_format=\"tf32\", b_format=\"tf32\")\n",
        "k.py:13:9: error[E0421]: operand A of tcgen05.mma: no K-major descriptor walks this view\n"
        "   13 |         a.rearrange(\"m (s k) -> s m k\", k=8).view(1, 4, 128, 8)[:, 0:1, :, :],\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: the 128B layout with 32-byte atom holds MN-major 32-bit elements only\n"
        "     found: swizzle mode 4 (128B_ATOM32) with K-major elements of 32 bits\n"
        "       fix: give A a layout from mma_shared_layout(dtype, mode, shape) with mode 0 to 3\n"
        "      spec: PTX ISA, tcgen05 matrix descriptor, canonical layouts\n");
}

static void six_bit_formats_are_k_major(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 32), \"uint8\", layout=mma_shared_layout(\"uint8\", 1, (128, 32)), align=1024)\n"
        "    b = T.alloc_shared((64, 32), \"uint8\", layout=mma_shared_layout(\"uint8\", 1, (64, 32)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f8f6f4\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 32),\n"
        "        b.view(1, 1, 64, 32),\n"
        "        instruction_shape=(128, 64, 32), a_format=\"float6_e2m3fn\", b_format=\"float8_e4m3fn\", a_major=\"mn\")\n",
        "k.py:15:94: error[E0424]: operand A of tcgen05.mma cannot be MN-major\n"
        "   15 |         instruction_shape=(128, 64, 32), a_format=\"float6_e2m3fn\", b_format=\"float8_e4m3fn\", a_major=\"mn\")\n"
        "      |                                                                                              ^~~~~~~~~~~~\n"
        "  expected: 6- and 4-bit formats are K-major\n"
        "     found: a_major=\"mn\"\n"
        "       fix: write a_major=\"k\", and lay 'a' out K-major\n");
}

static void tensor_memory_is_k_major(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 16), \"float16\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"A\", (128, 16), \"float16\", M=128, cta_group=1))])\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), a_major=\"mn\")\n",
        "k.py:15:42: error[E0424]: operand A of tcgen05.mma cannot be MN-major\n"
        "   15 |         instruction_shape=(128, 64, 16), a_major=\"mn\")\n"
        "      |                                          ^~~~~~~~~~~~\n"
        "  expected: an operand in tensor memory is K-major\n"
        "     found: a_major=\"mn\"\n"
        "       fix: write a_major=\"k\"\n");
}

static void an_mn_major_b_of_bytes_comes_in_16_columns(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 24), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 24), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 32), \"float8_e4m3fn\", layout=mma_shared_layout(\"float8_e4m3fn\", 1, (128, 32)), align=1024)\n"
        "    b = T.alloc_shared((32, 32), \"float8_e4m3fn\", layout=mma_shared_layout(\"float8_e4m3fn\", 1, (32, 32)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f8f6f4\"],\n"
        "        d.view(1, 1, 128, 24),\n"
        "        a.view(1, 1, 128, 32),\n"
        "        b.permute(1, 0).view(1, 1, 32, 32)[:, :, 0:24, :],\n"
        "        instruction_shape=(128, 24, 32), b_major=\"mn\")\n",
        "k.py:15:9: note[E0426]: instruction_shape (128, 24, 32) is not in every published table of tcgen05.mma.cta_group::1.kind::f8f6f4\n"
        "   15 |         instruction_shape=(128, 24, 32), b_major=\"mn\")\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: N a multiple of 16 for a shape that all tables list\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::f8f6f4: its editions differ\n"
        "k.py:15:42: error[E0424]: operand B of tcgen05.mma cannot be MN-major\n"
        "   15 |         instruction_shape=(128, 24, 32), b_major=\"mn\")\n"
        "      |                                          ^~~~~~~~~~~~\n"
        "  expected: an MN-major B of 8-bit elements needs a multiple of 16 columns a CTA\n"
        "     found: b_major=\"mn\"\n"
        "       fix: write b_major=\"k\", and lay 'b' out K-major\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(ws_is_for_one_cta),
        ROOM_TEST(ws_takes_n_64_128_or_256),
        ROOM_TEST(ws_with_m_64_takes_a_in_two_banks),
        ROOM_TEST(the_banks_of_a_are_64_lanes_apart),
        ROOM_TEST(ws_has_no_lane_mask),
        ROOM_TEST(block_scaling_has_no_lane_mask),
        ROOM_TEST(block_scaling_has_no_zero_columns),
        ROOM_TEST(block_scaling_does_not_saturate),
        ROOM_TEST(a_zero_column_mask_has_reserved_bits),
        ROOM_TEST(a_zero_column_mask_shifts_nothing_here),
        ROOM_TEST(an_accumulator_has_one_place),
        ROOM_TEST(a_16_bit_accumulator_takes_a_cell),
        ROOM_TEST(an_operand_ends_inside_tensor_memory),
        ROOM_TEST(m_64_starts_at_lane_0_or_16),
        ROOM_TEST(a_run_time_index_moves_a_by_whole_columns),
        ROOM_TEST(scale_input_d_is_0_to_15),
        ROOM_TEST(scale_input_d_needs_a_d_that_is_read),
        ROOM_TEST(scale_input_d_is_for_f16_and_tf32),
        ROOM_TEST(scale_input_d_is_known_at_compile_time),
        ROOM_TEST(ashift_needs_a_in_tensor_memory),
        ROOM_TEST(ashift_needs_m_128),
        ROOM_TEST(a_shape_outside_the_stricter_table_is_noted),
        ROOM_TEST(a_pair_shape_outside_the_stricter_table_is_noted),
        ROOM_TEST(n_24_of_i8_is_noted),
        ROOM_TEST(n_8_of_i8_with_m_128_is_noted),
        ROOM_TEST(n_24_of_i8_with_m_64_is_noted),
        ROOM_TEST(i8_has_no_n_40),
        ROOM_TEST(tf32_mn_major_needs_mode_4),
        ROOM_TEST(mode_4_is_for_32_bit_elements),
        ROOM_TEST(mode_4_is_not_k_major),
        ROOM_TEST(six_bit_formats_are_k_major),
        ROOM_TEST(tensor_memory_is_k_major),
        ROOM_TEST(an_mn_major_b_of_bytes_comes_in_16_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
