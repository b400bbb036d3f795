/* Movement through tile.apply: what it does not allow, each with the whole text. The legal twins are run by api/movement_test.c and
 * its neighbours. SOURCE: kernel-language-tile 7.1, 7.3. */
#include "tile/text_kernel.h"

/* The body begins on line 7. */
static const char head[] =
    "from tvm.script import tirx as T\n"
    "Lane, Warp = T.cuda.Axis.laneid, T.cuda.Axis.warpid\n"
    "FRAGMENT = T.TileLayout(T.S[(4, 8, 4) : (1, 4 @ Lane, 1 @ Lane)])\n"
    "@T.function\n"
    "def k(X: T.Tensor((128, 16), \"uint32\"), P: T.Tensor((4, 64), \"float4_e2m1fn\"), base: T.uint32, i: T.int32):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))\n";

static void expect_refused_movement(void **state, const char *body, const char *want)
{
    struct ir_kernel *k;
    assert_false(lower_text(*state, head, body, &k));
    tw_test_expect_diags(*state, want);
}

/* ---- addresses ---- */

static void an_element_with_copies_has_no_address(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=T.TileLayout(T.S[(128, 4) : (4, 1)] + T.R[2 : 512]))\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0, 0:4])\n",
        "k.py:9:64: error[E0427]: operand memory of ld: an element has no address of its own\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0, 0:4])\n"
        "      |                                                                ^~~~~~~~~\n"
        "  expected: one place in linear memory for every element\n"
        "     found: layout S[(1, 4):(4, 1)] + R[(2):(512)]\n"
        "       fix: drop the replica, + R[...], from the layout of 's'\n");
}

static void elements_of_half_a_byte_have_no_address(void **state)
{
    expect_refused_movement(state,
        "    g = T.alloc_shared((2, 32), \"float4_e2m1fn\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"cp.async.cg.shared.global\"], g[0:1, 0:32], P[1:2, 0:32], chunk_bytes=16)\n",
        "k.py:8:59: error[E0409]: operand dst of cp.async has elements of 4 bits, which have no address\n"
        "    8 |     T.cuda.tile.apply(T.ptx[\"cp.async.cg.shared.global\"], g[0:1, 0:32], P[1:2, 0:32], chunk_bytes=16)\n"
        "      |                                                           ^~~~~~~~~~~~\n"
        "  expected: elements of whole bytes\n"
        "     found: float4_e2m1fn\n"
        "       fix: take a view of bytes: .view(\"uint8\")\n");
}

static void a_stated_alignment_must_do(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\", align=8)\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0, 0:4])\n",
        "k.py:9:64: error[E0423]: operand memory of ld: 's' is aligned to 8 bytes\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0, 0:4])\n"
        "      |                                                                ^~~~~~~~~\n"
        "  expected: 16 bytes, what ld needs of an address\n"
        "     found: align=8\n"
        "       fix: write align=16 where 's' is declared\n"
        "k.py:8:9: note: 's' is declared here\n"
        "    8 |     s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\", align=8)\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void a_run_time_index_must_keep_a_vector_together(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 16), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0, i : i + 4])\n",
        "k.py:9:69: error[E0429]: operand memory of ld: the run-time index of dimension 1 is not known to be a multiple of 4\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0, i : i + 4])\n"
        "      |                                                                     ^\n"
        "  expected: an index such as 4 * i: 4 elements stay together, from a multiple of 16 bytes on\n"
        "     found: an index that may be any number\n"
        "       fix: where it always is one, write it as 4 * (index // 4)\n");
}

static void an_index_of_too_few_elements_is_refused(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 16), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0, 2 * i : 2 * i + 4])\n",
        "k.py:9:69: error[E0429]: operand memory of ld: the run-time index of dimension 1 is not known to be a multiple of 4\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0, 2 * i : 2 * i + 4])\n"
        "      |                                                                     ^~~~~\n"
        "  expected: an index such as 4 * i: 4 elements stay together, from a multiple of 16 bytes on\n"
        "     found: an index that is a multiple of 2\n"
        "       fix: where it always is one, write it as 4 * (index // 4)\n");
}

static void a_row_that_is_no_multiple_of_a_vector_needs_an_even_index(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 6), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[i, 0:4])\n",
        "k.py:9:66: error[E0429]: operand memory of ld: the run-time index of dimension 0 is not known to be a multiple of 2\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[i, 0:4])\n"
        "      |                                                                  ^\n"
        "  expected: an index such as 2 * i: 4 elements stay together, from a multiple of 16 bytes on\n"
        "     found: an index that may be any number\n"
        "       fix: where it always is one, write it as 2 * (index // 2)\n");
}

static void a_row_that_is_never_aligned_is_refused(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((3, 5), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[i, 0:4])\n",
        "k.py:9:66: error[E0428]: operand memory of ld: the run-time index of dimension 0 moves the address by 20 bytes\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[i, 0:4])\n"
        "      |                                                                  ^\n"
        "  expected: steps of 16 bytes\n"
        "     found: layout S[(3, 5):(5, 1)]\n"
        "       fix: give 's' a layout whose strides along dimension 0 are multiples of 4 elements\n");
}

static void a_vector_must_not_be_cut_by_a_swizzle(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((16, 16), \"uint32\", layout=T.ComposeLayout(1, 2, 2, T.TileLayout(T.S[(16, 16) : (16, 1)])))\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[i, 0:4])\n",
        "k.py:9:64: error[E0427]: operand memory of ld: 4 elements are taken at a run-time place of a swizzled layout\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[i, 0:4])\n"
        "      |                                                                ^~~~~~~~~\n"
        "  expected: at most the 2 elements that the swizzle keeps together, a power of two of them\n"
        "     found: layout ComposeLayout(1, 2, 2, TileLayout(S[(1, 4):(16, 1)]))\n"
        "       fix: move fewer elements at once, or give 's' a layout without a swizzle\n");
}

static void the_words_of_a_vector_lie_one_after_another(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=T.TileLayout(T.S[(128, 4) : (1, 128)]))\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[4, 0:4])\n",
        "k.py:9:64: error[E0427]: operand memory of ld: element (word=1) is not where the instruction reaches it\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[4, 0:4])\n"
        "      |                                                                ^~~~~~~~~\n"
        "  expected: 4 bytes after element (word=0)\n"
        "     found: 512 bytes after it, by layout S[(1, 4):(1, 128)] + 4\n"
        "       fix: move fewer elements at once, or give the tensor a layout that keeps 4 together\n"
        "k.py:8:9: note: 's' is declared here\n"
        "    8 |     s = T.alloc_shared((128, 4), \"uint32\", layout=T.TileLayout(T.S[(128, 4) : (1, 128)]))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void a_vector_is_aligned_to_all_of_itself(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((8, 6), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[1, 0:4])\n",
        "k.py:9:64: error[E0428]: operand memory of ld: element (word=0) is not aligned\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[1, 0:4])\n"
        "      |                                                                ^~~~~~~~~\n"
        "  expected: a multiple of 16 bytes\n"
        "     found: byte 24 of 's', by layout S[(1, 4):(6, 1)] + 6\n"
        "       fix: choose starts and strides that are multiples of 4 elements\n"
        "k.py:8:9: note: 's' is declared here\n"
        "    8 |     s = T.alloc_shared((8, 6), \"uint32\", layout=\"default\")\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void the_thread_whose_vector_is_not_aligned_is_named(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((2,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 3), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v2.u32\"], r.view(4, 32, 2, layout=T.TileLayout(T.S[(4, 32, 2) : (1 @ Warp, 1 @ Lane, 1)])), s.view(4, 32, 3)[0:4, 0:32, 0:2], scope=\"cta\")\n",
        "k.py:9:132: error[E0428]: operand memory of ld: element (word=0) of warp 0, lane 1 is not aligned\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v2.u32\"], r.view(4, 32, 2, layout=T.TileLayout(T.S[(4, 32, 2) : (1 @ Warp, 1 @ Lane, 1)])), s.view(4, 32, 3)[0:4, 0:32, 0:2], scope=\"cta\")\n"
        "      |                                                                                                                                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: a multiple of 8 bytes\n"
        "     found: byte 12 of 's', by layout S[(4, 32, 2):(96, 3, 1)]\n"
        "       fix: choose starts and strides that are multiples of 2 elements\n"
        "k.py:8:9: note: 's' is declared here\n"
        "    8 |     s = T.alloc_shared((128, 3), \"uint32\", layout=\"default\")\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void slots_in_local_memory_lie_one_after_another(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    m = T.alloc_local((8,), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"st.local.v4.u32\"], m.view(32, 4, layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 2)])), r.view(32, 4, layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1)])), scope=\"warp\")\n",
        "k.py:9:49: error[E0427]: operand memory of st: elements of the atom are not one after another\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"st.local.v4.u32\"], m.view(32, 4, layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 2)])), r.view(32, 4, layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1)])), scope=\"warp\")\n"
        "      |                                                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: slot 1 of 'm' for element 1\n"
        "     found: slot 2, by layout S[(32, 4):(1@laneid, 2)]\n"
        "       fix: view it with these elements in slots 0 to 3\n");
}

static void slots_in_local_memory_are_aligned(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    m = T.alloc_local((8,), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"st.local.v4.u32\"], m.view(32, 4, layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1)] + 1)), r.view(32, 4, layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1)])), scope=\"warp\")\n",
        "k.py:9:49: error[E0428]: operand memory of st: slot 1 of 'm' is not aligned\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"st.local.v4.u32\"], m.view(32, 4, layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1)] + 1)), r.view(32, 4, layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1)])), scope=\"warp\")\n"
        "      |                                                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: a multiple of 16 bytes\n"
        "     found: byte 4\n"
        "       fix: start at a slot that is a multiple of 4\n");
}

static void a_local_tensor_is_in_memory_or_in_registers(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0, 0:4])\n"
        "    T.cuda.tile.apply(T.ptx[\"st.local.v4.u32\"], r.view(1, 4), r.view(1, 4))\n",
        "k.py:9:50: error[E0408]: 'r' is in .local memory, and this operand of ld.shared.v4.u32 is in registers\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0, 0:4])\n"
        "      |                                                  ^~~~~~~~~~~~\n"
        "  expected: a tensor that no instruction reaches by an address\n"
        "       fix: copy 'r' to another local tensor, and give that one\n"
        "k.py:10:49: note: reached by an address here\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"st.local.v4.u32\"], r.view(1, 4), r.view(1, 4))\n"
        "      |                                                 ^~~~~~~~~~~~\n"
        "k.py:10:63: error[E0408]: 'r' is in .local memory, and this operand of st.local.v4.u32 is in registers\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"st.local.v4.u32\"], r.view(1, 4), r.view(1, 4))\n"
        "      |                                                               ^~~~~~~~~~~~\n"
        "  expected: a tensor that no instruction reaches by an address\n"
        "       fix: copy 'r' to another local tensor, and give that one\n"
        "k.py:10:49: note: reached by an address here\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"st.local.v4.u32\"], r.view(1, 4), r.view(1, 4))\n"
        "      |                                                 ^~~~~~~~~~~~\n");
}

/* ---- forms ---- */

static void no_dtype_has_128_bits(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.b128\"], r.view(1, 4), s[0, 0:4])\n",
        "k.py:9:29: error[E0402]: the ld tile pattern does not cover ld.shared.b128\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.b128\"], r.view(1, 4), s[0, 0:4])\n"
        "      |                             ^~~~~~~~~~~~~~~~\n"
        "  expected: a type of up to 64 bits: no dtype has 128\n"
        "       fix: move two words: .v2.b64\n");
}

static void a_carry_is_no_business_of_tiles(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"add.cc.u32\"], r.view(4, 1), r.view(4, 1), r.view(4, 1))\n",
        "k.py:8:29: error[E0402]: the add tile pattern does not cover add.cc.u32\n"
        "    8 |     T.cuda.tile.apply(T.ptx[\"add.cc.u32\"], r.view(4, 1), r.view(4, 1), r.view(4, 1))\n"
        "      |                             ^~~~~~~~~~~~\n"
        "  expected: no .cc: nothing may come between a carry and its use\n"
        "       fix: call it as a raw instruction, T.ptx[...](...)\n");
}

static void parameter_space_is_not_covered(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.param.v4.u32\"], r.view(1, 4), s[0, 0:4])\n",
        "k.py:9:29: error[E0402]: the ld tile pattern does not cover ld.param.v4.u32\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.param.v4.u32\"], r.view(1, 4), s[0, 0:4])\n"
        "      |                             ^~~~~~~~~~~~~~~~~\n"
        "  expected: global, shared or local memory\n"
        "       fix: call it as a raw instruction, T.ptx[...](...)\n");
}

static void a_policy_needs_its_qualifier(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0, 0:4], cache_policy=base)\n",
        "k.py:9:75: error[E0404]: ld.shared.v4.u32 has no parameter 'cache_policy' here\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0, 0:4], cache_policy=base)\n"
        "      |                                                                           ^~~~~~~~~~~~~~~~~\n"
        "  expected: .L2::cache_hint in the opcode, which is what makes the instruction take a policy\n"
        "       fix: add .L2::cache_hint to the opcode, or drop the parameter\n");
}

static void a_cache_hint_needs_its_policy(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.global.L2::cache_hint.v4.u32\"], r.view(1, 4), X[0, 0:4])\n",
        "k.py:8:29: error[E0406]: ld.global.L2::cache_hint.v4.u32 needs the parameter 'cache_policy'\n"
        "    8 |     T.cuda.tile.apply(T.ptx[\"ld.global.L2::cache_hint.v4.u32\"], r.view(1, 4), X[0, 0:4])\n"
        "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: a 64-bit cache policy, as createpolicy makes it: .L2::cache_hint is in the opcode\n"
        "       fix: add cache_policy=, or drop .L2::cache_hint from the opcode\n");
}

static void only_a_skipped_load_preserves(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0, 0:4], preserve_dst=True)\n",
        "k.py:9:75: error[E0404]: ld.shared.v4.u32 has no parameter 'preserve_dst' here\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0, 0:4], preserve_dst=True)\n"
        "      |                                                                           ^~~~~~~~~~~~~~~~~\n"
        "  expected: pred=: without it the instruction is never skipped\n"
        "       fix: add pred=, or drop the parameter\n");
}

static void the_width_of_elements_is_the_opcodes(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u16\"], r.view(1, 4), s[0, 0:4])\n",
        "k.py:9:50: error[E0409]: operand d of ld has elements of type uint32\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u16\"], r.view(1, 4), s[0, 0:4])\n"
        "      |                                                  ^~~~~~~~~~~~\n"
        "  expected: elements of 16 bits\n"
        "     found: uint32, 32 bits\n");
}

static void memory_is_where_the_opcode_says(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.global.v4.u32\"], r.view(1, 4), s[0, 0:4])\n",
        "k.py:9:64: error[E0408]: operand memory of ld is in shared memory\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.global.v4.u32\"], r.view(1, 4), s[0, 0:4])\n"
        "      |                                                                ^~~~~~~~~\n"
        "  expected: a tensor in global memory\n"
        "     found: 's', a shared tensor\n"
        "       fix: write .shared in the opcode\n"
        "k.py:8:9: note: 's' is declared here\n"
        "    8 |     s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void an_element_alone_is_its_value(void **state)
{
    expect_refused_movement(state,
        "    T.cuda.tile.apply(T.ptx[\"red.global.add.u32\"], X[i, 0], T.uint32(1))\n",
        "k.py:7:52: error[E0408]: operand memory of red is no tensor that the instruction can take\n"
        "    7 |     T.cuda.tile.apply(T.ptx[\"red.global.add.u32\"], X[i, 0], T.uint32(1))\n"
        "      |                                                    ^~~~~~~\n"
        "  expected: a tensor in global memory\n"
        "     found: a value of type uint32\n"
        "       fix: write a range for the index, [i : i + 1]: an element alone is its value\n");
}

static void registers_are_registers(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], s[0, 0:4], r.view(1, 4))\n",
        "k.py:9:50: error[E0408]: operand d of ld is in shared memory\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], s[0, 0:4], r.view(1, 4))\n"
        "      |                                                  ^~~~~~~~~\n"
        "  expected: a tensor in local memory\n"
        "     found: 's', a shared tensor\n"
        "       fix: give a tensor in local memory, and copy it to 's' behind the call\n"
        "k.py:8:9: note: 's' is declared here\n"
        "    8 |     s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void the_word_axis_has_the_vectors_length(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(2, 2), s.view(64, 2, 4)[0, 0:2, 0:2])\n",
        "k.py:9:50: error[E0411]: operand d of ld: axis word is 2, and the instruction takes words = 4\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(2, 2), s.view(64, 2, 4)[0, 0:2, 0:2])\n"
        "      |                                                  ^~~~~~~~~~~~\n"
        "  expected: (repeats..., word 4)\n"
        "     found: (2, 2)\n");
}

static void a_scalar_has_one_word(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.u32\"], r.view(1, 4), s[0, 0:4])\n",
        "k.py:9:47: error[E0411]: operand d of ld: axis word is 4, and the instruction takes words = 1\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.u32\"], r.view(1, 4), s[0, 0:4])\n"
        "      |                                               ^~~~~~~~~~~~\n"
        "  expected: (repeats..., word 1)\n"
        "     found: (1, 4)\n");
}

static void arithmetic_is_on_its_own_type(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"add.f32\"], r.view(4, 1), r.view(4, 1), r.view(4, 1))\n",
        "k.py:8:41: error[E0409]: operand d of add has elements of type uint32\n"
        "    8 |     T.cuda.tile.apply(T.ptx[\"add.f32\"], r.view(4, 1), r.view(4, 1), r.view(4, 1))\n"
        "      |                                         ^~~~~~~~~~~~\n"
        "  expected: float32\n"
        "     found: uint32, 32 bits\n");
}

static void a_scalar_has_the_opcodes_type(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"add.u32\"], r.view(4, 1), r.view(4, 1), i)\n",
        "k.py:8:69: error[E0408]: operand b of add is no tensor that the instruction can take\n"
        "    8 |     T.cuda.tile.apply(T.ptx[\"add.u32\"], r.view(4, 1), r.view(4, 1), i)\n"
        "      |                                                                     ^\n"
        "  expected: a tensor in local memory, or a uint32 scalar\n"
        "     found: a value of type int32\n"
        "       fix: write T.uint32(...)\n");
}

static void two_repeats_do_not_write_one_slot(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v2.u32\"], r.view(2, 2, layout=T.TileLayout(T.S[(2, 2) : (1, 1)])), s.view(256, 2)[0:2, 0:2])\n",
        "k.py:9:50: error[E0416]: operand d of ld: slot 1 of 'r' is written by two repeats\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v2.u32\"], r.view(2, 2, layout=T.TileLayout(T.S[(2, 2) : (1, 1)])), s.view(256, 2)[0:2, 0:2])\n"
        "      |                                                  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: distinct slots for everything that is written\n"
        "     found: element (word=0) of the later one, by layout S[(2, 2):(1, 1)]\n"
        "       fix: view 'r' with strides that keep the repeats apart, or without layout=\n");
}

static void a_lane_axis_needs_an_owner(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0:1, 0:4], scope=\"warp\")\n",
        "k.py:9:50: error[E0413]: operand d of ld: group axis 'lane' is 1, and 32 get here\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4), s[0:1, 0:4], scope=\"warp\")\n"
        "      |                                                  ^~~~~~~~~~~~\n"
        "  expected: (lane 32, repeats..., word 4)\n"
        "     found: (1, 4)\n"
        "       fix: give every operand the group axes of scope=\"warp\" first\n");
}

static void operands_are_counted(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"fma.rn.f32\"], r.view(4, 1), r.view(4, 1))\n",
        "k.py:8:29: error[E0403]: fma takes 4 operands\n"
        "    8 |     T.cuda.tile.apply(T.ptx[\"fma.rn.f32\"], r.view(4, 1), r.view(4, 1))\n"
        "      |                             ^~~~~~~~~~~~\n"
        "  expected: d, a, b, c\n"
        "     found: 2 operands\n"
        "       fix: add 2 operands: they go by position\n");
}

/* ---- copies ---- */

static void a_copy_names_its_chunk(void **state)
{
    expect_refused_movement(state,
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"cp.async.cg.shared.global\"], s[0:1, 0:4], X[0:1, 0:4])\n",
        "k.py:8:29: error[E0406]: cp.async needs the parameter 'chunk_bytes'\n"
        "    8 |     T.cuda.tile.apply(T.ptx[\"cp.async.cg.shared.global\"], s[0:1, 0:4], X[0:1, 0:4])\n"
        "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: an integer known at compile time\n"
        "       fix: add chunk_bytes=N\n");
}

static void chunks_past_the_first_level_are_16_bytes(void **state)
{
    expect_refused_movement(state,
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"cp.async.cg.shared.global\"], s[0:1, 0:2], X[0:1, 0:2], chunk_bytes=8)\n",
        "k.py:8:85: error[E0405]: parameter 'chunk_bytes' of cp.async.cg.shared.global\n"
        "    8 |     T.cuda.tile.apply(T.ptx[\"cp.async.cg.shared.global\"], s[0:1, 0:2], X[0:1, 0:2], chunk_bytes=8)\n"
        "      |                                                                                     ^~~~~~~~~~~~~\n"
        "  expected: 16: .cg goes past the first-level cache in units of 16 bytes\n"
        "     found: 8\n"
        "       fix: write .ca in the opcode\n");
}

static void chunks_are_4_8_or_16_bytes(void **state)
{
    expect_refused_movement(state,
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"cp.async.ca.shared.global\"], s[0:1, 0:3], X[0:1, 0:3], chunk_bytes=12)\n",
        "k.py:8:85: error[E0405]: parameter 'chunk_bytes' of cp.async.ca.shared.global\n"
        "    8 |     T.cuda.tile.apply(T.ptx[\"cp.async.ca.shared.global\"], s[0:1, 0:3], X[0:1, 0:3], chunk_bytes=12)\n"
        "      |                                                                                     ^~~~~~~~~~~~~~\n"
        "  expected: 4, 8 or 16\n"
        "     found: 12\n");
}

static void a_copy_has_one_source_operand(void **state)
{
    expect_refused_movement(state,
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"cp.async.ca.shared.global\"], s[0:1, 0:4], X[0:1, 0:4], chunk_bytes=16, src_size=8, ignore_src=i == 0)\n",
        "k.py:8:101: error[E0405]: parameter 'src_size' of cp.async.ca.shared.global\n"
        "    8 |     T.cuda.tile.apply(T.ptx[\"cp.async.ca.shared.global\"], s[0:1, 0:4], X[0:1, 0:4], chunk_bytes=16, src_size=8, ignore_src=i == 0)\n"
        "      |                                                                                                     ^~~~~~~~~~\n"
        "  expected: src_size= or ignore_src=, not both: the instruction has one such operand\n"
        "       fix: drop ignore_src=: with src_size=0 nothing is read\n");
}

static void a_copy_reads_no_more_than_its_chunk(void **state)
{
    expect_refused_movement(state,
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"cp.async.ca.shared.global\"], s[0:1, 0:2], X[0:1, 0:2], chunk_bytes=8, src_size=9)\n",
        "k.py:8:100: error[E0405]: parameter 'src_size' of cp.async.ca.shared.global\n"
        "    8 |     T.cuda.tile.apply(T.ptx[\"cp.async.ca.shared.global\"], s[0:1, 0:2], X[0:1, 0:2], chunk_bytes=8, src_size=9)\n"
        "      |                                                                                                    ^~~~~~~~~~\n"
        "  expected: 0 to 8, the bytes of the chunk that are read\n"
        "     found: 9\n"
        "       fix: write src_size=8\n");
}

static void the_last_axis_is_the_chunk(void **state)
{
    expect_refused_movement(state,
        "    s = T.alloc_shared((128, 8), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"cp.async.ca.shared.global\"], s[0:1, 0:8], X[0:1, 0:8], chunk_bytes=16)\n",
        "k.py:8:59: error[E0411]: operand dst of cp.async: axis element is 8, and the instruction takes chunk_bytes / 4 = 4\n"
        "    8 |     T.cuda.tile.apply(T.ptx[\"cp.async.ca.shared.global\"], s[0:1, 0:8], X[0:1, 0:8], chunk_bytes=16)\n"
        "      |                                                           ^~~~~~~~~~~\n"
        "  expected: (repeats..., element 4)\n"
        "     found: (1, 8)\n");
}

static void a_copy_comes_from_global_memory(void **state)
{
    expect_refused_movement(state,
        "    s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"cp.async.ca.shared.global\"], s[0:1, 0:4], s[0:1, 0:4], chunk_bytes=16)\n",
        "k.py:8:72: error[E0408]: operand src of cp.async is in shared memory\n"
        "    8 |     T.cuda.tile.apply(T.ptx[\"cp.async.ca.shared.global\"], s[0:1, 0:4], s[0:1, 0:4], chunk_bytes=16)\n"
        "      |                                                                        ^~~~~~~~~~~\n"
        "  expected: a tensor in global memory\n"
        "     found: 's', a shared tensor\n"
        "       fix: copy 's' to a tensor in global memory, and give that one\n"
        "k.py:7:9: note: 's' is declared here\n"
        "    7 |     s = T.alloc_shared((128, 4), \"uint32\", layout=\"default\")\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

/* ---- matrices ---- */

static void a_matrix_is_loaded_by_a_warp(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((32, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=FRAGMENT), s.view(4, 8, 4))\n",
        "k.py:9:29: error[E0413]: ldmatrix at thread scope\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=FRAGMENT), s.view(4, 8, 4))\n"
        "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: scope=\"warp\", \"warpgroup\", \"cta\" or \"cluster\": the instruction is issued by whole warps\n"
        "     found: scope=\"thread\", the default\n"
        "       fix: write scope=\"warp\"\n");
}

static void a_row_is_four_words_together(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((32, 4), \"uint32\", layout=T.TileLayout(T.S[(32, 4) : (1, 32)]))\n"
        "    T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=FRAGMENT), s.view(4, 8, 4), scope=\"warp\")\n",
        "k.py:9:108: error[E0427]: operand shared of ldmatrix: element (matrix=0, row=0, word=1) is not where the instruction reaches it\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=FRAGMENT), s.view(4, 8, 4), scope=\"warp\")\n"
        "      |                                                                                                            ^~~~~~~~~~~~~~~\n"
        "  expected: 4 bytes after element (matrix=0, row=0, word=0)\n"
        "     found: 128 bytes after it, by layout S[(32, 4):(1, 32)]\n"
        "       fix: move fewer elements at once, or give the tensor a layout that keeps 4 together\n"
        "k.py:8:9: note: 's' is declared here\n"
        "    8 |     s = T.alloc_shared((32, 4), \"uint32\", layout=T.TileLayout(T.S[(32, 4) : (1, 32)]))\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void a_row_starts_at_16_bytes(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((32, 6), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=FRAGMENT), s.view(4, 8, 6)[0:4, 0:8, 0:4], scope=\"warp\")\n",
        "k.py:9:108: error[E0428]: operand shared of ldmatrix: element (matrix=0, row=1, word=0) is not aligned\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=FRAGMENT), s.view(4, 8, 6)[0:4, 0:8, 0:4], scope=\"warp\")\n"
        "      |                                                                                                            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: a multiple of 16 bytes\n"
        "     found: byte 24 of 's', by layout S[(4, 8, 4):(48, 6, 1)]\n"
        "       fix: choose starts and strides that are multiples of 4 elements\n"
        "k.py:8:9: note: 's' is declared here\n"
        "    8 |     s = T.alloc_shared((32, 6), \"uint32\", layout=\"default\")\n"
        "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void a_word_of_a_fragment_has_its_lane(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((32, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=T.TileLayout(T.S[(4, 8, 4) : (1, 1 @ Lane, 8 @ Lane)])), s.view(4, 8, 4), scope=\"warp\")\n",
        "k.py:9:74: error[E0415]: operand registers of ldmatrix: element (matrix=0, row=0, word=1) is in lane 8, and the instruction puts it in lane 1\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=T.TileLayout(T.S[(4, 8, 4) : (1, 1 @ Lane, 8 @ Lane)])), s.view(4, 8, 4), scope=\"warp\")\n"
        "      |                                                                          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: laneid 1: register 0 of lane 1 holds (matrix=0, row=0, word=1)\n"
        "     found: laneid 8, by layout S[(4, 8, 4):(1, 1@laneid, 8@laneid)]\n"
        "       fix: no view moves a value between lanes: load them as 'tilewright explain fragment' shows, or view them with that map\n");
}

static void the_count_of_matrices_is_the_opcodes(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((32, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x2.shared.b16\"], r.view(4, 8, 4, layout=FRAGMENT), s.view(4, 8, 4), scope=\"warp\")\n",
        "k.py:9:74: error[E0411]: operand registers of ldmatrix: axis matrix is 4, and the instruction takes count = 2\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x2.shared.b16\"], r.view(4, 8, 4, layout=FRAGMENT), s.view(4, 8, 4), scope=\"warp\")\n"
        "      |                                                                          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: (repeats..., matrix 2, row 8, word 4)\n"
        "     found: (4, 8, 4)\n");
}

static void words_hold_two_elements_of_16_bits(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((32, 8), \"float16\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=FRAGMENT), s.view(4, 8, 8)[0:4, 0:8, 0:4], scope=\"warp\")\n",
        "k.py:9:108: error[E0409]: operand shared of ldmatrix has elements of type float16\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=FRAGMENT), s.view(4, 8, 8)[0:4, 0:8, 0:4], scope=\"warp\")\n"
        "      |                                                                                                            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: elements of 32 bits\n"
        "     found: float16, 16 bits\n"
        "       fix: pair them with .view(\"uint32\")\n");
}

static void two_matrices_do_not_go_to_one_register(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((32, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=T.TileLayout(T.S[(4, 8, 4) : (0, 4 @ Lane, 1 @ Lane)])), s.view(4, 8, 4), scope=\"warp\")\n",
        "k.py:9:74: error[E0416]: operand registers of ldmatrix: registers 0 and 1 are both slot 0 of 'r'\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=T.TileLayout(T.S[(4, 8, 4) : (0, 4 @ Lane, 1 @ Lane)])), s.view(4, 8, 4), scope=\"warp\")\n"
        "      |                                                                          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: distinct slots for everything that is written\n"
        "     found: layout S[(4, 8, 4):(0, 4@laneid, 1@laneid)]\n"
        "       fix: choose strides that give registers 0 and 1 slots of their own\n");
}

static void a_call_is_reached_by_some_thread(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((32, 4), \"uint32\", layout=\"default\")\n"
        "    if T.cuda.thread_idx(\"x\") < 32:\n"
        "        if T.cuda.thread_idx(\"x\") > 63:\n"
        "            T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=FRAGMENT), s.view(4, 8, 4), scope=\"warp\")\n",
        "k.py:11:37: error[E0414]: no thread reaches this ldmatrix\n"
        "   11 |             T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=FRAGMENT), s.view(4, 8, 4), scope=\"warp\")\n"
        "      |                                     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: conditions around the call that some thread of the 128 meets\n"
        "       fix: correct the condition around the call, or drop the call\n");
}

static void a_fragment_is_over_threads_of_its_scope(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((32, 4), \"uint32\", layout=\"default\")\n"
        "    Cta = T.cuda.Axis.cbx\n"
        "    T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=T.TileLayout(T.S[(4, 8, 4) : (1, 4 @ Lane, 1 @ Cta)])), s.view(4, 8, 4), scope=\"warp\")\n",
        "k.py:10:74: error[E0415]: operand registers of ldmatrix is distributed over cbx, which scope=\"warp\" does not walk\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=T.TileLayout(T.S[(4, 8, 4) : (1, 4 @ Lane, 1 @ Cta)])), s.view(4, 8, 4), scope=\"warp\")\n"
        "      |                                                                          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "     found: layout S[(4, 8, 4):(1, 4@laneid, 1@cbx)]\n"
        "       fix: write scope=\"cluster\", or view it with a layout over the threads of one CTA\n");
}

static void a_vector_is_in_registers_of_its_own_thread(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((1, 4), \"uint32\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4, layout=T.TileLayout(T.S[(1, 4) : (1, 1 @ Lane)])), s)\n",
        "k.py:9:50: error[E0415]: operand d of ld is distributed over laneid, which scope=\"thread\" does not walk\n"
        "    9 |     T.cuda.tile.apply(T.ptx[\"ld.shared.v4.u32\"], r.view(1, 4, layout=T.TileLayout(T.S[(1, 4) : (1, 1 @ Lane)])), s)\n"
        "      |                                                  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "     found: layout S[(1, 4):(1, 1@laneid)]\n"
        "       fix: view the thread's own registers: .view(n, layout=\"default\")\n");
}

static void a_word_is_in_the_same_slot_of_every_lane(void **state)
{
    expect_refused_movement(state,
        "    r = T.alloc_local((8,), \"uint32\", layout=\"default\")\n"
        "    s = T.alloc_shared((32, 4), \"uint32\", layout=\"default\")\n"
        "    mixed = T.TileLayout(T.S[(4, 2, 4, 4) : (1, 4, 4 @ Lane, 1 @ Lane)] + T.R[2 : 16 @ Lane])\n"
        "    T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=mixed), s.view(4, 8, 4), scope=\"warp\")\n",
        "k.py:10:74: error[E0416]: operand registers of ldmatrix: element (matrix=0, row=4, word=0) is in another slot than register 0 of lane 0\n"
        "   10 |     T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.shared.b16\"], r.view(4, 8, 4, layout=mixed), s.view(4, 8, 4), scope=\"warp\")\n"
        "      |                                                                          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: slot 0 of 'r' in every lane\n"
        "     found: slot 4 in lane 16, by layout S[(4, 2, 4, 4):(1, 4, 4@laneid, 1@laneid)] + R[(2):(16@laneid)]\n"
        "       fix: choose a layout in which the slot of an element does not depend on its lane\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(an_element_with_copies_has_no_address),
        ROOM_TEST(elements_of_half_a_byte_have_no_address),
        ROOM_TEST(a_stated_alignment_must_do),
        ROOM_TEST(a_run_time_index_must_keep_a_vector_together),
        ROOM_TEST(an_index_of_too_few_elements_is_refused),
        ROOM_TEST(a_row_that_is_no_multiple_of_a_vector_needs_an_even_index),
        ROOM_TEST(a_row_that_is_never_aligned_is_refused),
        ROOM_TEST(a_vector_must_not_be_cut_by_a_swizzle),
        ROOM_TEST(the_words_of_a_vector_lie_one_after_another),
        ROOM_TEST(a_vector_is_aligned_to_all_of_itself),
        ROOM_TEST(the_thread_whose_vector_is_not_aligned_is_named),
        ROOM_TEST(slots_in_local_memory_lie_one_after_another),
        ROOM_TEST(slots_in_local_memory_are_aligned),
        ROOM_TEST(a_local_tensor_is_in_memory_or_in_registers),
        ROOM_TEST(no_dtype_has_128_bits),
        ROOM_TEST(a_carry_is_no_business_of_tiles),
        ROOM_TEST(parameter_space_is_not_covered),
        ROOM_TEST(a_policy_needs_its_qualifier),
        ROOM_TEST(a_cache_hint_needs_its_policy),
        ROOM_TEST(only_a_skipped_load_preserves),
        ROOM_TEST(the_width_of_elements_is_the_opcodes),
        ROOM_TEST(memory_is_where_the_opcode_says),
        ROOM_TEST(an_element_alone_is_its_value),
        ROOM_TEST(registers_are_registers),
        ROOM_TEST(the_word_axis_has_the_vectors_length),
        ROOM_TEST(a_scalar_has_one_word),
        ROOM_TEST(arithmetic_is_on_its_own_type),
        ROOM_TEST(a_scalar_has_the_opcodes_type),
        ROOM_TEST(two_repeats_do_not_write_one_slot),
        ROOM_TEST(a_lane_axis_needs_an_owner),
        ROOM_TEST(operands_are_counted),
        ROOM_TEST(a_copy_names_its_chunk),
        ROOM_TEST(chunks_past_the_first_level_are_16_bytes),
        ROOM_TEST(chunks_are_4_8_or_16_bytes),
        ROOM_TEST(a_copy_has_one_source_operand),
        ROOM_TEST(a_copy_reads_no_more_than_its_chunk),
        ROOM_TEST(the_last_axis_is_the_chunk),
        ROOM_TEST(a_copy_comes_from_global_memory),
        ROOM_TEST(a_matrix_is_loaded_by_a_warp),
        ROOM_TEST(a_row_is_four_words_together),
        ROOM_TEST(a_row_starts_at_16_bytes),
        ROOM_TEST(a_word_of_a_fragment_has_its_lane),
        ROOM_TEST(the_count_of_matrices_is_the_opcodes),
        ROOM_TEST(words_hold_two_elements_of_16_bits),
        ROOM_TEST(two_matrices_do_not_go_to_one_register),
        ROOM_TEST(a_call_is_reached_by_some_thread),
        ROOM_TEST(a_fragment_is_over_threads_of_its_scope),
        ROOM_TEST(a_vector_is_in_registers_of_its_own_thread),
        ROOM_TEST(a_word_is_in_the_same_slot_of_every_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
