/* Scale factors of tcgen05.mma: what formats and places they must have, each refusal with its whole text.
 * SOURCE: kernel-language-tile 7.5, tcgen05 7.1 and 7.2. */
#include "tile/text_kernel.h"

/* ---- scale factors ---- */

static void a_dense_form_takes_no_scales(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
        "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 4), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(128, 4, 4))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 4), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 4, 4))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        sfa.view(1, 1, 128, 4),\n"
        "        sfb.view(1, 1, 64, 4),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:13:29: error[E0403]: tcgen05.mma takes 3 operands\n"
        "   13 |     T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: D, A, B\n"
        "     found: 5 operands\n"
        "       fix: drop 2 operands: they go by position\n");
}

static void a_block_scaled_form_takes_scales(void **state)
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
        "        instruction_shape=(128, 64, 64))\n",
        "k.py:13:29: error[E0403]: tcgen05.mma.block_scale takes 5 operands\n"
        "   13 |     T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: D, A, B, SFA, SFB\n"
        "     found: 3 operands\n"
        "       fix: add 2 operands: they go by position\n");
}

static void scales_are_in_tensor_memory(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.alloc_shared((128, 2), \"float8_e8m0fnu\", layout=\"default\")\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(128, 64, 64))\n",
        "k.py:17:9: error[E0408]: operand SFA of tcgen05.mma.block_scale is in shared memory\n"
        "   17 |         sfa.view(1, 1, 128, 2),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: a tensor in tensor memory\n"
        "     found: 'sfa', a shared tensor\n"
        "       fix: copy 'sfa' to a tensor in tensor memory, and give that one\n"
        "k.py:11:11: note: 'sfa' is declared here\n"
        "   11 |     sfa = T.alloc_shared((128, 2), \"float8_e8m0fnu\", layout=\"default\")\n"
        "      |           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void scales_have_a_scale_format(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"uint8\", scope=\"tmem\", layout=sf_tmem_layout(128, 2, 2))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(128, 64, 64))\n",
        "k.py:17:9: error[E0424]: operand SFA of tcgen05.mma.block_scale: tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X takes no scales in uint8\n"
        "   17 |         sfa.view(1, 1, 128, 2),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: float8_e8m0fnu\n"
        "       fix: declare 'sfa' with dtype float8_e8m0fnu\n");
}

static void mxf4_takes_no_e4m3_scales(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e4m3fn\", scope=\"tmem\", layout=sf_tmem_layout(128, 2, 2))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(128, 64, 64))\n",
        "k.py:17:9: error[E0424]: operand SFA of tcgen05.mma.block_scale: tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X takes no scales in float8_e4m3fn\n"
        "   17 |         sfa.view(1, 1, 128, 2),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: float8_e8m0fnu\n"
        "       fix: declare 'sfa' with dtype float8_e8m0fnu\n");
}

static void both_scales_have_one_format(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 4), \"float8_e4m3fn\", scope=\"tmem\", layout=sf_tmem_layout(128, 4, 4))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 4), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 4, 4))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 4),\n"
        "        sfb.view(1, 1, 64, 4),\n"
        "        instruction_shape=(128, 64, 64))\n",
        "k.py:18:9: error[E0424]: operand SFB of tcgen05.mma.block_scale has another format than operand SFA\n"
        "   18 |         sfb.view(1, 1, 64, 4),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: float8_e4m3fn, as operand SFA\n"
        "     found: float8_e8m0fnu\n"
        "       fix: declare 'sfa' and 'sfb' with one dtype\n");
}

static void scales_are_in_all_four_quadrants(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=T.TileLayout(T.S[(4, 32, 2) : (4 @ Col, 1 @ Lane, 1 @ Col)]))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(128, 64, 64))\n",
        "k.py:17:9: error[E0417]: operand SFA of tcgen05.mma.block_scale: 1 place of each element, and the instruction uses 4\n"
        "   17 |         sfa.view(1, 1, 128, 2),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: 4 copies, at lanes 0, 32, 64 and 96 from the first\n"
        "     found: layout S[(4, 32, 2):(4@TCol, 1@TLane, 1@TCol)]\n"
        "       fix: add the replica + R[4 : 32 @ TLane]\n");
}

static void the_copies_of_scales_are_32_lanes_apart(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=T.TileLayout(T.S[(4, 32, 2) : (4 @ Col, 1 @ Lane, 1 @ Col)] + T.R[4 : 16 @ Lane]))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(128, 64, 64))\n",
        "k.py:17:9: error[E0417]: operand SFA of tcgen05.mma.block_scale: element (m=0, sf=0), copy 2, is in another cell than the instruction uses\n"
        "   17 |         sfa.view(1, 1, 128, 2),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: lane 64, column 0 of 'sfa'\n"
        "     found: lane 0, column 0, by layout S[(4, 32, 2):(4@TCol, 1@TLane, 1@TCol)] + R[(4):(16@TLane)]\n"
        "       fix: lay each tile as sf_tmem_layout(128, 2, 2) does\n"
        "k.py:11:11: note: 'sfa' is declared here\n"
        "   11 |     sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=T.TileLayout(T.S[(4, 32, 2) : (4 @ Col, 1 @ Lane, 1 @ Col)] + T.R[4 : 16 @ Lane]))])\n"
        "      |           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void rows_of_scales_step_by_cells(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=T.TileLayout(T.S[(4, 32, 2) : (2 @ Col, 1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane]))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(128, 64, 64))\n",
        "k.py:17:9: error[E0417]: operand SFA of tcgen05.mma.block_scale: element (m=32, sf=0) is in another cell than the instruction uses\n"
        "   17 |         sfa.view(1, 1, 128, 2),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: lane 0, column 1 of 'sfa'\n"
        "     found: lane 0, column 0, bit 16, by layout S[(4, 32, 2):(2@TCol, 1@TLane, 1@TCol)] + R[(4):(32@TLane)]\n"
        "       fix: lay each tile as sf_tmem_layout(128, 2, 2) does\n"
        "k.py:11:11: note: 'sfa' is declared here\n"
        "   11 |     sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=T.TileLayout(T.S[(4, 32, 2) : (2 @ Col, 1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane]))])\n"
        "      |           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void two_factors_start_at_byte_0_or_2(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=T.TileLayout(T.S[(4, 32, 2) : (4 @ Col, 1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane] + 1 @ Col))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(128, 64, 64))\n",
        "k.py:17:9: error[E0417]: operand SFA of tcgen05.mma.block_scale starts at byte 1 of its cells\n"
        "   17 |         sfa.view(1, 1, 128, 2),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: byte 0 or 2, where 2 factors of a row share a cell\n"
        "     found: layout S[(4, 32, 2):(4@TCol, 1@TLane, 1@TCol)] + R[(4):(32@TLane)] + 1@TCol\n"
        "       fix: start the layout of 'sfa', or the region, at byte 0 of its cells\n"
        "      spec: PTX ISA, tcgen05.mma, scale factor ids\n");
}

static void four_factors_start_at_byte_0(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 4), \"float8_e4m3fn\", scope=\"tmem\", layout=sf_tmem_layout(128, 4, 4))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 4), \"float8_e4m3fn\", scope=\"tmem\", layout=T.TileLayout(T.S[(2, 32, 4) : (4 @ Col, 1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane] + 2 @ Col))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 4),\n"
        "        sfb.view(1, 1, 64, 4),\n"
        "        instruction_shape=(128, 64, 64))\n",
        "k.py:18:9: error[E0417]: operand SFB of tcgen05.mma.block_scale starts at byte 2 of its cells\n"
        "   18 |         sfb.view(1, 1, 64, 4),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: byte 0, where 4 factors of a row share a cell\n"
        "     found: layout S[(2, 32, 4):(4@TCol, 1@TLane, 1@TCol)] + R[(4):(32@TLane)] + 2@TCol\n"
        "       fix: start the layout of 'sfb', or the region, at byte 0 of its cells\n"
        "      spec: PTX ISA, tcgen05.mma, scale factor ids\n");
}

static void scales_start_at_lane_0(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(128, 2, 2))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=T.TileLayout(T.S[(2, 32, 2) : (4 @ Col, 1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane] + 16 @ Lane))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(128, 64, 64))\n",
        "k.py:18:9: error[E0417]: operand SFB of tcgen05.mma.block_scale starts at lane 16\n"
        "   18 |         sfb.view(1, 1, 64, 2),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: lane 0\n"
        "       fix: start the layout of 'sfb', or the region, at lane 0\n");
}

static void sfb_has_all_of_n_in_each_cta(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 128), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 128), \"float32\", M=256, cta_group=2, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(128, 2, 2))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::2.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 128, 128),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(256, 128, 64))\n",
        "k.py:18:9: error[E0411]: operand SFB of tcgen05.mma.block_scale: axis n is 64, and the instruction takes N = 128\n"
        "   18 |         sfb.view(1, 1, 64, 2),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: (N_repeat, K_repeat, n 128, sf 2)\n"
        "     found: (1, 1, 64, 2)\n");
}

static void a_pair_with_m_128_splits_sfb_over_the_lanes(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 128), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (64, 128), \"float32\", M=128, cta_group=2, ws=False))])\n"
        "    a = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(128, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::2.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 64, 128),\n"
        "        a.view(1, 1, 64, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 64, 2),\n"
        "        sfb.view(1, 1, 128, 2),\n"
        "        instruction_shape=(128, 128, 64))\n",
        "k.py:18:9: error[E0417]: operand SFB of tcgen05.mma.block_scale: 4 places of each element, and the instruction uses 2\n"
        "   18 |         sfb.view(1, 1, 128, 2),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: 2 copies, at lanes 0 and 32 from the first\n"
        "     found: layout S[(4, 32, 2):(4@TCol, 1@TLane, 1@TCol)] + R[(4):(32@TLane)]\n"
        "       fix: add the replica + R[2 : 32 @ TLane]\n");
}

static void block_scaling_has_m_128(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (64, 64), \"float32\", M=64, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 64, 64),\n"
        "        a.view(1, 1, 64, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 64, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(64, 64, 64))\n",
        "k.py:19:9: error[E0407]: instruction_shape (64, 64, 64) does not exist for tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\n"
        "   19 |         instruction_shape=(64, 64, 64))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: M 128, N 8 to 256 in steps of 8, K 64; M and N are totals over the CTA group\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::mxf4\n");
}

static void a_scale_vector_that_the_kind_lacks_is_refused(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(128, 2, 2))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::4X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(128, 64, 64))\n",
        "k.py:13:30: error[E0401]: tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::4X: qualifiers that do not go together\n"
        "   13 |     T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::4X\"],\n"
        "      |                              ^~~~~~~~~~~\n"
        "  expected: .scale_vec::2X or .block32 with .kind::mxf4\n"
        "     found: 'tcgen05.mma'\n");
}

static void four_bit_kinds_take_four_bit_elements(void **state)
{
    expect_refused_body(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1, ws=False))])\n"
        "    a = T.alloc_shared((128, 64), \"uint8\", layout=mma_shared_layout(\"uint8\", 1, (128, 64)), align=1024)\n"
        "    b = T.alloc_shared((64, 64), \"float4_e2m1fn\", layout=mma_shared_layout(\"float4_e2m1fn\", 1, (64, 64)), align=1024)\n"
        "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(128, 2, 2))])\n"
        "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 2), \"float8_e8m0fnu\", scope=\"tmem\", layout=sf_tmem_layout(64, 2, 2))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 64),\n"
        "        b.view(1, 1, 64, 64),\n"
        "        sfa.view(1, 1, 128, 2),\n"
        "        sfb.view(1, 1, 64, 2),\n"
        "        instruction_shape=(128, 64, 64))\n",
        "k.py:15:9: error[E0409]: operand A of tcgen05.mma.block_scale has elements of type uint8\n"
        "   15 |         a.view(1, 1, 128, 64),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: elements of 4 bits for kind::mxf4\n"
        "     found: uint8, 8 bits\n"
        "       fix: declare 'a' with elements of 4 bits\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_dense_form_takes_no_scales),
        ROOM_TEST(a_block_scaled_form_takes_scales),
        ROOM_TEST(scales_are_in_tensor_memory),
        ROOM_TEST(scales_have_a_scale_format),
        ROOM_TEST(mxf4_takes_no_e4m3_scales),
        ROOM_TEST(both_scales_have_one_format),
        ROOM_TEST(scales_are_in_all_four_quadrants),
        ROOM_TEST(the_copies_of_scales_are_32_lanes_apart),
        ROOM_TEST(rows_of_scales_step_by_cells),
        ROOM_TEST(two_factors_start_at_byte_0_or_2),
        ROOM_TEST(four_factors_start_at_byte_0),
        ROOM_TEST(scales_start_at_lane_0),
        ROOM_TEST(sfb_has_all_of_n_in_each_cta),
        ROOM_TEST(a_pair_with_m_128_splits_sfb_over_the_lanes),
        ROOM_TEST(block_scaling_has_m_128),
        ROOM_TEST(a_scale_vector_that_the_kind_lacks_is_refused),
        ROOM_TEST(four_bit_kinds_take_four_bit_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
