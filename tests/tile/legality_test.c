/* tcgen05.mma through tile.apply: the legality list of seed 000, sentence by sentence, where the other error tests leave one
 * out; each with the whole text. SOURCE: kernel-language-tile 7.5; seed 000, "Legality conditions" and "Call parameters". */
#include "tile/text_kernel.h"

/* Refused by the language or by the lowering. */
static void refused(struct bench_room *room, const char *body, const char *want)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_addf(&t, "%s%s", text_head, body);
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    const struct isa *isa = tw_isa_open(&room->arena);
    struct lang_program *const p = tw_lang_load(&room->arena, &room->sources, tw_sources_add(&room->sources, "k.py", tw_str(t.at)),
                                                &room->diags, isa, NULL);
    struct ir_kernel *const k = tw_lang_build(p, "k");
    assert_false(k != NULL && room->diags.error_count == 0 && tw_tile_lower(k, isa, &room->diags));
    tw_test_expect_diags(room, want);
}

#define D_TENSOR \
    "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1))])\n"
#define A_TENSOR "    a = T.alloc_shared((128, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (128, 16)), align=1024)\n"
#define B_TENSOR "    b = T.alloc_shared((64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (64, 16)), align=1024)\n"

static void d_is_in_tensor_memory(void **state)
{
    refused(*state,
        "    d = T.alloc_shared((128, 64), \"float32\", layout=\"default\", align=1024)\n"
        A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:12:9: error[E0408]: operand D of tcgen05.mma is in shared memory\n"
        "   12 |         d.view(1, 1, 128, 64),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: a tensor in tensor memory\n"
        "     found: 'd', a shared tensor\n"
        "       fix: declare 'd' in tensor memory\n"
        "k.py:8:9: note: 'd' is declared here\n"
        "    8 |     d = T.alloc_shared((128, 64), \"float32\", layout=\"default\", align=1024)\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void d_is_not_in_registers(void **state)
{
    refused(*state,
        "    d = T.alloc_local((64,), \"float32\", layout=\"default\")\n"
        A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 1, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:12:9: error[E0408]: operand D of tcgen05.mma is in local memory\n"
        "   12 |         d.view(1, 1, 1, 64),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~\n"
        "  expected: a tensor in tensor memory\n"
        "     found: 'd', a local tensor\n"
        "       fix: declare 'd' in tensor memory\n"
        "k.py:8:9: note: 'd' is declared here\n"
        "    8 |     d = T.alloc_local((64,), \"float32\", layout=\"default\")\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void a_is_not_in_registers(void **state)
{
    refused(*state,
        D_TENSOR
        "    a = T.alloc_local((16,), \"float16\", layout=\"default\")\n"
        B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 1, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:13:9: error[E0408]: operand A of tcgen05.mma is in local memory\n"
        "   13 |         a.view(1, 1, 1, 16),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~\n"
        "  expected: a tensor in shared memory, or a tensor in tensor memory\n"
        "     found: 'a', a local tensor\n"
        "       fix: copy 'a' to a tensor in shared memory, and give that one\n"
        "k.py:9:9: note: 'a' is declared here\n"
        "    9 |     a = T.alloc_local((16,), \"float16\", layout=\"default\")\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void one_cta_has_no_m_256(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(256, 64, 16))\n",
        "k.py:15:9: error[E0407]: instruction_shape (256, 64, 16) does not exist for tcgen05.mma.cta_group::1.kind::f16\n"
        "   15 |         instruction_shape=(256, 64, 16))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: M 64 or 128, N 8 to 256 in steps of 8, K 16; M and N are totals over the CTA group\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::f16\n");
}

static void a_pair_has_no_m_64(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::2.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(64, 64, 16))\n",
        "k.py:15:9: error[E0407]: instruction_shape (64, 64, 16) does not exist for tcgen05.mma.cta_group::2.kind::f16\n"
        "   15 |         instruction_shape=(64, 64, 16))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: M 128 or 256, N 16 to 256 in steps of 16, K 16; M and N are totals over the CTA group\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::f16\n");
}

static void n_of_a_pair_is_a_multiple_of_16(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::2.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 24, 16))\n",
        "k.py:15:9: error[E0407]: instruction_shape (128, 24, 16) does not exist for tcgen05.mma.cta_group::2.kind::f16\n"
        "   15 |         instruction_shape=(128, 24, 16))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: M 128 or 256, N 16 to 256 in steps of 16, K 16; M and N are totals over the CTA group\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::f16\n");
}

static void n_is_a_multiple_of_8(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 12, 16))\n",
        "k.py:15:9: error[E0407]: instruction_shape (128, 12, 16) does not exist for tcgen05.mma.cta_group::1.kind::f16\n"
        "   15 |         instruction_shape=(128, 12, 16))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: M 64 or 128, N 8 to 256 in steps of 8, K 16; M and N are totals over the CTA group\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::f16\n");
}

static void n_is_at_most_256(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 264, 16))\n",
        "k.py:15:9: error[E0407]: instruction_shape (128, 264, 16) does not exist for tcgen05.mma.cta_group::1.kind::f16\n"
        "   15 |         instruction_shape=(128, 264, 16))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: M 64 or 128, N 8 to 256 in steps of 8, K 16; M and N are totals over the CTA group\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::f16\n");
}

static void k_is_that_of_the_kind(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::tf32\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:15:9: error[E0407]: instruction_shape (128, 64, 16) does not exist for tcgen05.mma.cta_group::1.kind::tf32\n"
        "   15 |         instruction_shape=(128, 64, 16))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: M 64 or 128, N 8 to 256 in steps of 8, K 8; M and N are totals over the CTA group\n"
        "       fix: write (128, 64, 8): a longer K is the axis K_repeat of A and B\n"
        "      spec: PTX ISA, tcgen05.mma, shapes of kind::tf32\n");
}

static void instruction_shape_is_static(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, more))\n",
        "k.py:15:9: error[E0405]: parameter 'instruction_shape' of tcgen05.mma\n"
        "   15 |         instruction_shape=(128, 64, more))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: three positive integers known at compile time, (M, N, K)\n"
        "     found: a tuple of 3\n");
}

static void repeats_are_static(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(more, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:12:16: error[E0207]: a dimension of the view must be known at compile time\n"
        "   12 |         d.view(more, 1, 128, 64),\n"
        "      |                ^~~~\n"
        "  expected: an integer\n"
        "     found: a run-time value of type int32\n");
}

static void a_scope_is_one_of_five(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), scope=\"grid\")\n",
        "k.py:15:42: error[E0206]: there is no scope 'grid'\n"
        "   15 |         instruction_shape=(128, 64, 16), scope=\"grid\")\n"
        "      |                                          ^~~~~~~~~~~~\n"
        "  expected: \"thread\", \"warp\", \"warpgroup\", \"cta\" or \"cluster\"\n");
}

static void the_scope_is_static(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), scope=more)\n",
        "k.py:15:42: error[E0207]: the scope must be known at compile time\n"
        "   15 |         instruction_shape=(128, 64, 16), scope=more)\n"
        "      |                                          ^~~~~~~~~~\n"
        "  expected: a string\n"
        "     found: a run-time value of type int32\n");
}

static void a_major_is_k_or_mn(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), a_major=\"m\")\n",
        "k.py:15:42: error[E0405]: parameter 'a_major' of tcgen05.mma\n"
        "   15 |         instruction_shape=(128, 64, 16), a_major=\"m\")\n"
        "      |                                          ^~~~~~~~~~~\n"
        "  expected: one of these strings, known at compile time: k|mn\n"
        "     found: \"m\"\n");
}

static void a_format_is_one_of_those_that_exist(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), a_format=\"fp13\")\n",
        "k.py:15:42: error[E0405]: parameter 'a_format' of tcgen05.mma\n"
        "   15 |         instruction_shape=(128, 64, 16), a_format=\"fp13\")\n"
        "      |                                          ^~~~~~~~~~~~~~~\n"
        "  expected: the name of a number format, known at compile time\n"
        "     found: \"fp13\"\n");
}

static void negation_is_static(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), neg_a=more > 0)\n",
        "k.py:15:42: error[E0405]: parameter 'neg_a' of tcgen05.mma\n"
        "   15 |         instruction_shape=(128, 64, 16), neg_a=more > 0)\n"
        "      |                                          ^~~~~~~~~~~~~~\n"
        "  expected: True or False, known at compile time\n"
        "     found: a run-time bool\n");
}

static void accum_is_a_bool(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), accum=1.5)\n",
        "k.py:15:42: error[E0405]: parameter 'accum' of tcgen05.mma\n"
        "   15 |         instruction_shape=(128, 64, 16), accum=1.5)\n"
        "      |                                          ^~~~~~~~~\n"
        "  expected: a bool\n"
        "     found: a run-time float32\n");
}

static void pred_is_a_bool(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), pred=\"yes\")\n",
        "k.py:15:42: error[E0405]: parameter 'pred' of tcgen05.mma\n"
        "   15 |         instruction_shape=(128, 64, 16), pred=\"yes\")\n"
        "      |                                          ^~~~~~~~~~\n"
        "  expected: a bool\n"
        "     found: \"yes\"\n");
}

static void the_column_mask_is_an_integer(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.ws.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), zero_column_mask=1.0)\n",
        "k.py:15:42: error[E0405]: parameter 'zero_column_mask' of tcgen05.mma.ws\n"
        "   15 |         instruction_shape=(128, 64, 16), zero_column_mask=1.0)\n"
        "      |                                          ^~~~~~~~~~~~~~~~~~~~\n"
        "  expected: an integer\n"
        "     found: a run-time float32\n");
}

static void qualifiers_are_no_parameters(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16), cta_group=1)\n",
        "k.py:15:42: error[E0404]: tcgen05.mma has no parameter 'cta_group'\n"
        "   15 |         instruction_shape=(128, 64, 16), cta_group=1)\n"
        "      |                                          ^~~~~~~~~~~\n"
        "  expected: scope, instruction_shape, a_major, b_major, a_format, b_format, neg_a, neg_b, accum, sat_d, disable_output_lane, zero_column_mask, scale_input_d, pred\n");
}

static void a_dense_form_has_three_operands(void **state)
{
    refused(*state,
        D_TENSOR A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:11:29: error[E0403]: tcgen05.mma takes 3 operands\n"
        "   11 |     T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: D, A, B\n"
        "     found: 4 operands\n"
        "       fix: drop 1 operand: they go by position\n");
}

static void a_in_tensor_memory_has_the_native_data_path(void **state)
{
    refused(*state,
        D_TENSOR
        "    a = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 16), \"float16\", scope=\"tmem\", layout=T.TileLayout(T.S[(64, 2, 16) : (2 @ Lane, 1 @ Lane, 2 @ Col)]))])\n"
        B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:13:9: error[E0417]: operand A of tcgen05.mma: element (m=0, k=1) is in another cell than the instruction uses\n"
        "   13 |         a.view(1, 1, 128, 16),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: lane 0, column 0, bit 16 of 'a'\n"
        "     found: lane 0, column 1, by layout S[(64, 2, 16):(2@TLane, 1@TLane, 2@TCol)]\n"
        "       fix: lay each tile as tmem_mma_operand_layout(\"A\", (128, 16), \"float16\", M=128, cta_group=1) does\n"
        "k.py:9:9: note: 'a' is declared here\n"
        "    9 |     a = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 16), \"float16\", scope=\"tmem\", layout=T.TileLayout(T.S[(64, 2, 16) : (2 @ Lane, 1 @ Lane, 2 @ Col)]))])\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void d_has_a_column_a_cell(void **state)
{
    refused(*state,
        "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 64) : (1 @ Lane, 2 @ Col)]))])\n"
        A_TENSOR B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:12:9: error[E0417]: operand D of tcgen05.mma: element (m=0, n=1) is in another cell than the instruction uses\n"
        "   12 |         d.view(1, 1, 128, 64),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: lane 0, column 1 of 'd'\n"
        "     found: lane 0, column 2, by layout S[(128, 64):(1@TLane, 2@TCol)]\n"
        "       fix: lay each tile as tmem_mma_operand_layout(\"D\", (128, 64), \"float32\", M=128, cta_group=1) does\n"
        "k.py:8:9: note: 'd' is declared here\n"
        "    8 |     d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 64), \"float32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 64) : (1 @ Lane, 2 @ Col)]))])\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void m_128_has_no_bank_axis(void **state)
{
    refused(*state,
        D_TENSOR
        "    a = T.cuda.decl_tmem(base, ty_args=[T.Tensor((2, 64, 16), \"float16\", scope=\"tmem\", layout=T.TileLayout(T.S[(2, 64, 16) : (64 @ Lane, 1 @ Lane, 1 @ Col)]))])\n"
        B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 2, 64, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:13:9: error[E0411]: operand A of tcgen05.mma: axis m is 64, and the instruction takes M/g = 128\n"
        "   13 |         a.view(1, 1, 2, 64, 16),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: (M_repeat, K_repeat, m 128, k 16)\n"
        "     found: (1, 1, 2, 64, 16)\n");
}

static void strides_are_below_two_to_the_18(void **state)
{
    refused(*state,
        D_TENSOR
        "    a = T.alloc_shared((128, 16), \"float16\", layout=T.TileLayout(T.S[(16, 8, 2, 8) : (64, 8, 131072, 1)]), align=1024)\n"
        B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:13:9: error[E0422]: operand A of tcgen05.mma: the descriptor's LDO cannot hold this layout's stride\n"
        "   13 |         a.view(1, 1, 128, 16),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: element (m=0, k=8) at a multiple of 16 bytes after (m=0, k=0), below 262144\n"
        "     found: 262144 bytes, by layout S[(16, 8, 2, 8):(64, 8, 131072, 1)]\n"
        "       fix: give A a layout from mma_shared_layout(dtype, mode, shape)\n");
}

static void origins_are_multiples_of_16_bytes(void **state)
{
    refused(*state,
        D_TENSOR
        "    a = T.alloc_shared((2, 128, 16), \"float16\", layout=T.TileLayout(T.S[(2, 16, 8, 2, 8) : (4, 64, 8, 1024, 1)]), align=1024)\n"
        "    b = T.alloc_shared((64, 32), \"float16\", layout=mma_shared_layout(\"float16\", 2, (64, 32)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 2, 128, 16),\n"
        "        b.rearrange(\"n (r k) -> r n k\", k=16).view(1, 2, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:13:9: error[E0422]: operand A of tcgen05.mma: the descriptor cannot start where this view starts\n"
        "   13 |         a.view(1, 2, 128, 16),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: element (m=0, k=0) of K_repeat 1 at a multiple of 16 bytes, below 262144\n"
        "     found: byte 8 of 'a'\n"
        "       fix: choose starts and strides that are multiples of 8 elements\n");
}

static void steps_of_k_are_cut_with_rearrange(void **state)
{
    refused(*state,
        D_TENSOR
        "    a = T.alloc_shared((128, 32), \"float16\", layout=mma_shared_layout(\"float16\", 2, (128, 32)), align=1024)\n"
        "    b = T.alloc_shared((64, 32), \"float16\", layout=mma_shared_layout(\"float16\", 2, (64, 32)), align=1024)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 2, 128, 16),\n"
        "        b.rearrange(\"n (r k) -> r n k\", k=16).view(1, 2, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:13:9: error[E0421]: operand A of tcgen05.mma: no K-major descriptor walks this view\n"
        "   13 |         a.view(1, 2, 128, 16),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: element (m=1, k=0) of K_repeat 0 at byte 64 of 'a', by the strides of the first rows and chunks (SDO 256, LDO 0, swizzle 64B)\n"
        "     found: element (m=1, k=0) of K_repeat 0 at byte 32, by layout ComposeLayout(3, 2, 3, TileLayout(S[(4096):(1)]))\n"
        "       fix: cut K with rearrange(\"m (r k) -> r m k\", k=16): view alone keeps the order of elements\n"
        "      spec: PTX ISA, tcgen05 matrix descriptor, canonical layouts\n"
        "k.py:9:9: note: 'a' is declared here\n"
        "    9 |     a = T.alloc_shared((128, 32), \"float16\", layout=mma_shared_layout(\"float16\", 2, (128, 32)), align=1024)\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void the_swizzle_is_the_hardwares(void **state)
{
    refused(*state,
        D_TENSOR
        "    a = T.alloc_shared((128, 16), \"float16\", layout=T.ComposeLayout(3, 1, 3, T.TileLayout(T.S[(128, 16) : (16, 1)]), swizzle_inner=False), align=1024)\n"
        B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:13:9: error[E0421]: operand A of tcgen05.mma: no K-major descriptor walks this view\n"
        "   13 |         a.view(1, 1, 128, 16),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: no swizzle, or one of the hardware's for elements of 16 bits\n"
        "     found: ComposeLayout(3, 1, 3, TileLayout(S[(128, 16):(16, 1)]), swizzle_inner=False)\n"
        "       fix: give A a layout from mma_shared_layout(dtype, mode, shape)\n"
        "      spec: PTX ISA, tcgen05 matrix descriptor, canonical layouts\n");
}

static void an_element_has_one_address_in_shared_memory(void **state)
{
    refused(*state,
        D_TENSOR
        "    a = T.alloc_shared((128, 16), \"float16\", layout=T.TileLayout(T.S[(128, 16) : (16, 1)] + T.R[2 : 2048]), align=1024)\n"
        B_TENSOR
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"
        "        d.view(1, 1, 128, 64),\n"
        "        a.view(1, 1, 128, 16),\n"
        "        b.view(1, 1, 64, 16),\n"
        "        instruction_shape=(128, 64, 16))\n",
        "k.py:13:9: error[E0421]: operand A of tcgen05.mma: no K-major descriptor walks this view\n"
        "   13 |         a.view(1, 1, 128, 16),\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: one byte address for every element\n"
        "     found: S[(128, 16):(16, 1)] + R[(2):(2048)]\n"
        "       fix: give A a layout from mma_shared_layout(dtype, mode, shape)\n"
        "      spec: PTX ISA, tcgen05 matrix descriptor, canonical layouts\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(d_is_in_tensor_memory),
        ROOM_TEST(an_element_has_one_address_in_shared_memory),
        ROOM_TEST(d_is_not_in_registers),
        ROOM_TEST(a_is_not_in_registers),
        ROOM_TEST(one_cta_has_no_m_256),
        ROOM_TEST(a_pair_has_no_m_64),
        ROOM_TEST(n_of_a_pair_is_a_multiple_of_16),
        ROOM_TEST(n_is_a_multiple_of_8),
        ROOM_TEST(n_is_at_most_256),
        ROOM_TEST(k_is_that_of_the_kind),
        ROOM_TEST(instruction_shape_is_static),
        ROOM_TEST(repeats_are_static),
        ROOM_TEST(a_scope_is_one_of_five),
        ROOM_TEST(the_scope_is_static),
        ROOM_TEST(a_major_is_k_or_mn),
        ROOM_TEST(a_format_is_one_of_those_that_exist),
        ROOM_TEST(negation_is_static),
        ROOM_TEST(accum_is_a_bool),
        ROOM_TEST(pred_is_a_bool),
        ROOM_TEST(the_column_mask_is_an_integer),
        ROOM_TEST(qualifiers_are_no_parameters),
        ROOM_TEST(a_dense_form_has_three_operands),
        ROOM_TEST(a_in_tensor_memory_has_the_native_data_path),
        ROOM_TEST(d_has_a_column_a_cell),
        ROOM_TEST(m_128_has_no_bank_axis),
        ROOM_TEST(strides_are_below_two_to_the_18),
        ROOM_TEST(origins_are_multiples_of_16_bytes),
        ROOM_TEST(steps_of_k_are_cut_with_rearrange),
        ROOM_TEST(the_swizzle_is_the_hardwares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
