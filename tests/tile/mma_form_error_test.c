/* Calls of mma.sync and its kin that break one rule each: the whole text that the user sees. SOURCE: seed 003;
 * kernel-language-tile 7.4, "Errors"; the forms beyond the seed have the same rules. */
#include "tile/text_kernel.h"

/* Registers a, b, c and d of these types; views of them that are right for one product of 16 x 8 x 16 halves. */
#define LOCAL(name, type) "    " name " = T.alloc_local((16,), \"" type "\", layout=\"default\")\n"
#define REGISTERS(a, b, c, d) "    L = T.cuda.Axis.laneid\n" LOCAL("a", a) LOCAL("b", b) LOCAL("c", c) LOCAL("d", d)
#define D_VIEW(name) "    " name " = d.view(1, 1, 16, 8, layout=T.TileLayout(T.S[(1, 1, 2, 8, 4, 2) : (4, 4, 2, 4 @ L, 1 @ L, 1)]))\n"
#define A_VIEW(name) "    " name " = a.view(1, 1, 16, 8, layout=T.TileLayout(T.S[(1, 1, 2, 8, 2, 4) : (4, 4, 1, 4 @ L, 2, 1 @ L)]))\n"
#define B_VIEW(name) "    " name " = b.view(1, 1, 8, 8, layout=T.TileLayout(T.S[(1, 1, 8, 2, 4) : (2, 2, 4 @ L, 1, 1 @ L)]))\n"
#define D_WORDS_VIEW(name) "    " name " = d.view(1, 1, 16, 4, layout=T.TileLayout(T.S[(1, 1, 2, 8, 4) : (2, 2, 1, 4 @ L, 1 @ L)]))\n"
#define A_HALF_VIEW(name) "    " name " = a.view(1, 1, 16, 4, layout=T.TileLayout(T.S[(1, 1, 2, 8, 4) : (2, 2, 1, 4 @ L, 1 @ L)]))\n"

struct broken_case {
    const char *rule, *body, *want;
};

static const struct broken_case cases[] = {
        {"a K that the types lack",
         REGISTERS("uint32", "uint32", "float32", "float32")
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:30: error[E0401]: mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32: qualifiers that do not go together\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                              ^~~\n"
         "  expected: .m16n8k8 or .m16n8k16 for .f16\n"
         "     found: 'mma'\n"},
        {"types of A and B that differ",
         REGISTERS("uint32", "uint32", "float32", "float32")
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:30: error[E0401]: mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32: qualifiers that do not go together\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                              ^~~\n"
         "  expected: A and B of the same type\n"
         "     found: 'mma'\n"},
        {"int32 results of a float product",
         REGISTERS("uint32", "uint32", "float32", "int32")
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:83: error[E0409]: operand D of mma.sync has elements of type int32\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                                                                                   ^~\n"
         "  expected: float32\n"
         "     found: int32, 32 bits\n"},
        {"C of another type",
         REGISTERS("uint32", "uint32", "uint32", "float32")
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    v3 = c.view(1, 1, 16, 8, layout=T.TileLayout(T.S[(1, 1, 2, 8, 4, 2) : (4, 4, 2, 4 @ L, 1 @ L, 1)]))\n"
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, v3, scope=\"warp\")\n",
         "k.py:17:95: error[E0409]: operand C of mma.sync has elements of type uint32\n"
         "   17 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, v3, scope=\"warp\")\n"
         "      |                                                                                               ^~\n"
         "  expected: float32\n"
         "     found: uint32, 32 bits\n"},
        {"a B of 64-bit elements",
         REGISTERS("uint32", "uint64", "float32", "float32")
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:91: error[E0409]: operand B of mma.sync has elements of type uint64\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                                                                                           ^~\n"
         "  expected: uint32\n"
         "     found: uint64, 64 bits\n"},
        {"float32 words for tf32",
         REGISTERS("float32", "uint32", "float32", "float32")
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:88: error[E0409]: operand A of mma.sync has elements of type float32\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                                                                                        ^~\n"
         "  expected: uint32\n"
         "     found: float32, 32 bits\n"
         "       fix: take its words as they are, with .view(\"uint32\")\n"},
        {"half the words of A",
         REGISTERS("uint32", "uint32", "float32", "float32")
         D_VIEW("v0")
         A_HALF_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:87: error[E0411]: operand A of mma.sync: axis word is 4, and the instruction takes K/2 = 8\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                                                                                       ^~\n"
         "  expected: (M_repeat, K_repeat, m 16, word 8)\n"
         "     found: (1, 1, 16, 4)\n"},
        {"rows of D that are not 16",
         REGISTERS("uint32", "uint32", "float32", "float32")
         "    v0 = d.view(1, 1, 8, 16, layout=T.TileLayout(T.S[(1, 1, 8, 2, 4, 2) : (4, 4, 4 @ L, 2, 1 @ L, 1)]))\n"
         A_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:83: error[E0411]: operand D of mma.sync: axis m is 8, and the instruction takes M = 16\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                                                                                   ^~\n"
         "  expected: (M_repeat, N_repeat, m 16, n 8)\n"
         "     found: (1, 1, 8, 16)\n"},
        {"M repeats that differ",
         REGISTERS("uint32", "uint32", "float32", "float32")
         "    v0 = d.view(2, 1, 16, 8, layout=T.TileLayout(T.S[(2, 1, 2, 8, 4, 2) : (4, 4, 2, 4 @ L, 1 @ L, 1)]))\n"
         A_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:87: error[E0412]: operand A of mma.sync: M_repeat is 1\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                                                                                       ^~\n"
         "  expected: 2, as in operand D\n"
         "     found: (1, 1, 16, 8), and operand D has (2, 1, 16, 8)\n"
         "       fix: slice or view one of them so that M_repeat is the same in both\n"},
        {"N repeats that differ",
         REGISTERS("uint32", "uint32", "float32", "float32")
         "    v0 = d.view(1, 2, 16, 8, layout=T.TileLayout(T.S[(1, 2, 2, 8, 4, 2) : (8, 4, 2, 4 @ L, 1 @ L, 1)]))\n"
         A_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:91: error[E0412]: operand B of mma.sync: N_repeat is 1\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                                                                                           ^~\n"
         "  expected: 2, as in operand D\n"
         "     found: (1, 1, 8, 8), and operand D has (1, 2, 16, 8)\n"
         "       fix: slice or view one of them so that N_repeat is the same in both\n"},
        {"K repeats that differ",
         REGISTERS("uint32", "uint32", "float32", "float32")
         D_VIEW("v0")
         "    v1 = a.view(1, 2, 16, 8, layout=T.TileLayout(T.S[(1, 2, 2, 8, 2, 4) : (8, 4, 1, 4 @ L, 2, 1 @ L)]))\n"
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:91: error[E0412]: operand B of mma.sync: K_repeat is 1\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                                                                                           ^~\n"
         "  expected: 2, as in operand A\n"
         "     found: (1, 1, 8, 8), and operand A has (1, 2, 16, 8)\n"
         "       fix: slice or view one of them so that K_repeat is the same in both\n"},
        {"a C with more repeats",
         REGISTERS("uint32", "uint32", "float32", "float32")
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    v3 = c.view(1, 2, 16, 8, layout=T.TileLayout(T.S[(1, 2, 2, 8, 4, 2) : (8, 4, 2, 4 @ L, 1 @ L, 1)]))\n"
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, v3, scope=\"warp\")\n",
         "k.py:17:95: error[E0412]: operand C of mma.sync: N_repeat is 2\n"
         "   17 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, v3, scope=\"warp\")\n"
         "      |                                                                                               ^~\n"
         "  expected: 1, as in operand D\n"
         "     found: (1, 2, 16, 8), and operand D has (1, 1, 16, 8)\n"
         "       fix: slice or view one of them so that N_repeat is the same in both\n"},
        {"a C without repeats",
         REGISTERS("uint32", "uint32", "float32", "float32")
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    v3 = c.view(16, 8, layout=T.TileLayout(T.S[(2, 8, 4, 2) : (2, 4 @ L, 1 @ L, 1)]))\n"
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, v3, scope=\"warp\")\n",
         "k.py:17:95: error[E0410]: operand C of mma.sync has 2 dimensions; 4 are needed\n"
         "   17 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, v3, scope=\"warp\")\n"
         "      |                                                                                               ^~\n"
         "  expected: (M_repeat, N_repeat, m 16, n 8)\n"
         "     found: (16, 8)\n"
         "       fix: write .view(1, 1, 16, 8) behind it\n"},
        {"a transposed A",
         REGISTERS("uint32", "uint32", "float32", "float32")
         D_VIEW("v0")
         "    v1 = a.view(1, 1, 16, 8, layout=T.TileLayout(T.S[(1, 1, 2, 8, 2, 4) : (4, 4, 1, 1 @ L, 2, 8 @ L)]))\n"
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:87: error[E0415]: operand A of mma.sync: element (m=0, word=1) is in lane 8, and the instruction reads it in lane 1\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                                                                                       ^~\n"
         "  expected: laneid 1: register 0 of lane 1 holds (m=0, word=1)\n"
         "     found: laneid 8, by layout S[(1, 1, 2, 8, 2, 4):(4, 4, 1, 1@laneid, 2, 8@laneid)]\n"
         "       fix: no view moves a value between lanes: load them as 'tilewright explain fragment' shows, or view them with that map\n"},
        {"results in the wrong lanes",
         REGISTERS("uint32", "uint32", "float32", "float32")
         "    v0 = d.view(1, 1, 16, 8, layout=T.TileLayout(T.S[(1, 1, 2, 8, 4, 2) : (4, 4, 2, 1 @ L, 8 @ L, 1)]))\n"
         A_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:83: error[E0415]: operand D of mma.sync: element (m=0, n=2) is in lane 8, and the instruction puts it in lane 1\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                                                                                   ^~\n"
         "  expected: laneid 1: register 0 of lane 1 holds (m=0, n=2)\n"
         "     found: laneid 8, by layout S[(1, 1, 2, 8, 4, 2):(4, 4, 2, 1@laneid, 8@laneid, 1)]\n"
         "       fix: no view moves a value between lanes: load them as 'tilewright explain fragment' shows, or view them with that map\n"},
        {"A in shared memory",
         REGISTERS("uint32", "uint32", "float32", "float32")
         "    sh = T.alloc_shared((1, 1, 16, 8), \"uint32\", layout=\"default\")\n"
         D_VIEW("v0")
         B_VIEW("v1")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, sh, v1, T.float32(0), scope=\"warp\")\n",
         "k.py:16:87: error[E0408]: operand A of mma.sync is in shared memory\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, sh, v1, T.float32(0), scope=\"warp\")\n"
         "      |                                                                                       ^~\n"
         "  expected: a tensor in local memory\n"
         "     found: 'sh', a shared tensor\n"
         "       fix: copy 'sh' to a tensor in local memory, and give that one\n"
         "k.py:13:10: note: 'sh' is declared here\n"
         "   13 |     sh = T.alloc_shared((1, 1, 16, 8), \"uint32\", layout=\"default\")\n"
         "      |          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {"beta",
         REGISTERS("uint32", "uint32", "float32", "float32")
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), beta=2, scope=\"warp\")\n",
         "k.py:16:109: error[E0404]: mma.sync has no parameter 'beta'\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), beta=2, scope=\"warp\")\n"
         "      |                                                                                                             ^~~~~~\n"
         "  expected: no parameter but scope\n"},
        {"float32 sums of an f16 product",
         REGISTERS("uint32", "uint32", "float32", "float32")
         D_WORDS_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16\"], v0, v1, v2, T.float16(0), scope=\"warp\")\n",
         "k.py:16:83: error[E0409]: operand D of mma.sync has elements of type float32\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16\"], v0, v1, v2, T.float16(0), scope=\"warp\")\n"
         "      |                                                                                   ^~\n"
         "  expected: uint32\n"
         "     found: float32, 32 bits\n"
         "       fix: take its words as they are, with .view(\"uint32\")\n"},
        {"elements where words of two are taken",
         REGISTERS("uint32", "uint32", "float32", "uint32")
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16\"], v0, v1, v2, T.float16(0), scope=\"warp\")\n",
         "k.py:16:83: error[E0411]: operand D of mma.sync: axis word is 8, and the instruction takes N/2 = 4\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16\"], v0, v1, v2, T.float16(0), scope=\"warp\")\n"
         "      |                                                                                   ^~\n"
         "  expected: (M_repeat, N_repeat, m 16, word 4)\n"
         "     found: (1, 1, 16, 8)\n"},
        {"a float32 scalar for an f16 sum",
         REGISTERS("uint32", "uint32", "float32", "uint32")
         D_WORDS_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:95: error[E0408]: operand C of mma.sync is no tensor that the instruction can take\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                                                                                               ^~~~~~~~~~~~\n"
         "  expected: a tensor in local memory, or a float16 scalar\n"
         "     found: a value of type float32\n"
         "       fix: write T.float16(...)\n"},
        {"a float scalar for an integer sum",
         REGISTERS("uint32", "uint32", "float32", "int32")
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:93: error[E0408]: operand C of mma.sync is no tensor that the instruction can take\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                                                                                             ^~~~~~~~~~~~\n"
         "  expected: a tensor in local memory, or an int32 scalar\n"
         "     found: a value of type float32\n"
         "       fix: write T.int32(...)\n"},
        {"words where f64 elements are taken",
         REGISTERS("uint32", "uint32", "float32", "float64")
         "    v0 = d.view(1, 1, 8, 8, layout=T.TileLayout(T.S[(1, 1, 8, 4, 2) : (2, 2, 4 @ L, 1 @ L, 1)]))\n"
         "    v1 = a.view(1, 1, 8, 4, layout=T.TileLayout(T.S[(1, 1, 8, 4) : (1, 1, 4 @ L, 1 @ L)]))\n"
         "    v2 = b.view(1, 1, 8, 4, layout=T.TileLayout(T.S[(1, 1, 8, 4) : (1, 1, 4 @ L, 1 @ L)]))\n"
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64\"], v0, v1, v2, T.float64(0), scope=\"warp\")\n",
         "k.py:16:85: error[E0409]: operand A of mma.sync has elements of type uint32\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64\"], v0, v1, v2, T.float64(0), scope=\"warp\")\n"
         "      |                                                                                     ^~\n"
         "  expected: float64\n"
         "     found: uint32, 32 bits\n"},
        {"a sparse product without metadata",
         REGISTERS("uint32", "uint32", "float32", "float32")
         D_VIEW("v0")
         A_HALF_VIEW("v1")
         B_VIEW("v2")
         "    T.cuda.tile.apply(T.ptx[\"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n",
         "k.py:16:29: error[E0403]: mma.sp takes 5 operands\n"
         "   16 |     T.cuda.tile.apply(T.ptx[\"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), scope=\"warp\")\n"
         "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: D, A, B, C, E\n"
         "     found: 4 operands\n"
         "       fix: add 1 operand: they go by position\n"},
        {"a dense A for a sparse product",
         REGISTERS("uint32", "uint32", "float32", "float32")
         "    e = T.alloc_local((2,), \"uint16\", layout=\"default\")\n"
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    v3 = e.view(1, 1, 16, 1, layout=T.TileLayout(T.S[(1, 1, 2, 8, 1) : (2, 2, 1, 4 @ L, 1 @ L)]))\n"
         "    T.cuda.tile.apply(T.ptx[\"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), v3, scope=\"warp\")\n",
         "k.py:18:108: error[E0411]: operand A of mma.sp: axis word is 8, and the instruction takes K/4 = 4\n"
         "   18 |     T.cuda.tile.apply(T.ptx[\"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), v3, scope=\"warp\")\n"
         "      |                                                                                                            ^~\n"
         "  expected: (M_repeat, K_repeat, m 16, word 4)\n"
         "     found: (1, 1, 16, 8)\n"},
        {"metadata of 32-bit words",
         REGISTERS("uint32", "uint32", "float32", "float32")
         "    e = T.alloc_local((2,), \"uint16\", layout=\"default\")\n"
         D_VIEW("v0")
         A_HALF_VIEW("v1")
         B_VIEW("v2")
         "    v3 = a.view(1, 1, 16, 1, layout=T.TileLayout(T.S[(1, 1, 2, 8, 1) : (2, 2, 1, 4 @ L, 1 @ L)]))\n"
         "    T.cuda.tile.apply(T.ptx[\"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), v3, scope=\"warp\")\n",
         "k.py:18:130: error[E0409]: operand E of mma.sp has elements of type uint32\n"
         "   18 |     T.cuda.tile.apply(T.ptx[\"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), v3, scope=\"warp\")\n"
         "      |                                                                                                                                  ^~\n"
         "  expected: uint16\n"
         "     found: uint32, 32 bits\n"},
        {"metadata in lanes that do not supply them",
         REGISTERS("uint32", "uint32", "float32", "float32")
         "    e = T.alloc_local((2,), \"uint16\", layout=\"default\")\n"
         D_VIEW("v0")
         A_HALF_VIEW("v1")
         B_VIEW("v2")
         "    v3 = e.view(1, 1, 16, 1, layout=T.TileLayout(T.S[(1, 1, 2, 8, 1) : (2, 2, 1, 1 @ L, 1 @ L)]))\n"
         "    T.cuda.tile.apply(T.ptx[\"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), v3, scope=\"warp\")\n",
         "k.py:18:130: error[E0415]: operand E of mma.sp: element (m=1, codes=0) is in lane 1, and the instruction reads it in lane 4\n"
         "   18 |     T.cuda.tile.apply(T.ptx[\"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), v3, scope=\"warp\")\n"
         "      |                                                                                                                                  ^~\n"
         "  expected: laneid 4: register 0 of lane 4 holds (m=1, codes=0)\n"
         "     found: laneid 1, by layout S[(1, 1, 2, 8, 1):(2, 2, 1, 1@laneid, 1@laneid)]\n"
         "       fix: no view moves a value between lanes: load them as 'tilewright explain fragment' shows, or view them with that map\n"},
        {"metadata whose rows share no register",
         REGISTERS("uint32", "uint32", "float32", "float32")
         "    e = T.alloc_local((4,), \"uint16\", layout=\"default\")\n"
         D_VIEW("v0")
         A_HALF_VIEW("v1")
         B_VIEW("v2")
         "    v3 = e.view(1, 1, 16, 1, layout=T.TileLayout(T.S[(1, 1, 2, 8, 1) : (2, 2, 2, 4 @ L, 1 @ L)]))\n"
         "    T.cuda.tile.apply(T.ptx[\"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), v3, scope=\"warp\")\n",
         "k.py:18:130: error[E0416]: operand E of mma.sp: the 2 elements of register 0 are no 32-bit word\n"
         "   18 |     T.cuda.tile.apply(T.ptx[\"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, T.float32(0), v3, scope=\"warp\")\n"
         "      |                                                                                                                                  ^~\n"
         "  expected: consecutive slots from a multiple of 2 on\n"
         "     found: slots 0 and 2 of 'e', by layout S[(1, 1, 2, 8, 1):(2, 2, 2, 4@laneid, 1@laneid)]\n"
         "       fix: view it with these elements in slots 0 to 1\n"},
        {"two scales from byte 1 on",
         REGISTERS("uint32", "uint32", "float32", "float32")
         "    s = T.alloc_local((8,), \"uint8\", layout=\"default\")\n"
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    v3 = s.view(1, 1, 16, 2, layout=T.TileLayout(T.S[(1, 1, 2, 8, 2) : (4, 4, 1 @ L, 4 @ L, 1)] + 1))\n"
         "    v4 = s.view(1, 1, 8, 2, layout=T.TileLayout(T.S[(1, 1, 8, 2) : (4, 4, 4 @ L, 1)]))\n"
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0\"], v0, v1, v2, T.float32(0), v3, v4, scope=\"warp\")\n",
         "k.py:19:154: error[E0416]: operand SFA of mma.sync block_scale: the 2 elements of register 0 lie in no 32-bit word\n"
         "   19 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0\"], v0, v1, v2, T.float32(0), v3, v4, scope=\"warp\")\n"
         "      |                                                                                                                                                          ^~\n"
         "  expected: consecutive slots from a multiple of 2 on, in whole words of 4 slots\n"
         "     found: slots 1 and 2 of 's', by layout S[(1, 1, 2, 8, 2):(4, 4, 1@laneid, 4@laneid, 1)] + 1\n"
         "       fix: view it with these elements in slots 0 to 1\n"},
        {"scales in lanes that do not supply them",
         REGISTERS("uint32", "uint32", "float32", "float32")
         "    s = T.alloc_local((8,), \"uint8\", layout=\"default\")\n"
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    v3 = s.view(1, 1, 16, 2, layout=T.TileLayout(T.S[(1, 1, 2, 8, 2) : (4, 4, 1 @ L, 4 @ L, 1)]))\n"
         "    v4 = s.view(1, 1, 8, 2, layout=T.TileLayout(T.S[(1, 1, 8, 2) : (4, 4, 1 @ L, 1)]))\n"
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0\"], v0, v1, v2, T.float32(0), v3, v4, scope=\"warp\")\n",
         "k.py:19:158: error[E0415]: operand SFB of mma.sync block_scale: element (n=1, factor=0) is in lane 1, and the instruction reads it in lane 4\n"
         "   19 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0\"], v0, v1, v2, T.float32(0), v3, v4, scope=\"warp\")\n"
         "      |                                                                                                                                                              ^~\n"
         "  expected: laneid 4: register 0 of lane 4 holds (n=1, factor=0)\n"
         "     found: laneid 1, by layout S[(1, 1, 8, 2):(4, 4, 1@laneid, 1)]\n"
         "       fix: no view moves a value between lanes: load them as 'tilewright explain fragment' shows, or view them with that map\n"},
        {"a register that is not there",
         REGISTERS("uint32", "uint32", "float32", "float32")
         "    s = T.alloc_local((2,), \"uint8\", layout=\"default\")\n"
         D_VIEW("v0")
         A_VIEW("v1")
         B_VIEW("v2")
         "    v3 = s.view(1, 1, 16, 2, layout=T.TileLayout(T.S[(1, 1, 2, 8, 2) : (4, 4, 1 @ L, 4 @ L, 1)]))\n"
         "    v4 = s.view(1, 1, 8, 2, layout=T.TileLayout(T.S[(1, 1, 8, 2) : (4, 4, 4 @ L, 1)]))\n"
         "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0\"], v0, v1, v2, T.float32(0), v3, v4, scope=\"warp\")\n",
         "k.py:19:154: error[E0416]: operand SFA of mma.sync block_scale: the 2 elements of register 0 lie in no 32-bit word\n"
         "   19 |     T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0\"], v0, v1, v2, T.float32(0), v3, v4, scope=\"warp\")\n"
         "      |                                                                                                                                                          ^~\n"
         "  expected: consecutive slots from a multiple of 2 on, in whole words of 4 slots\n"
         "     found: slots 0 and 1 of 's', by layout S[(1, 1, 2, 8, 2):(4, 4, 1@laneid, 4@laneid, 1)]\n"
         "       fix: make 's' hold 4 elements of uint8, a whole word\n"},
};

static void every_call_that_breaks_a_rule_is_refused_in_full_words(void **state)
{
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ir_kernel *k;
        if (lower_body(room, cases[i].body, &k))
            fail_msg("%s: nothing is refused", cases[i].rule);
        if (strcmp(tw_test_diags(room), cases[i].want) != 0)
            fail_msg("%s:\n%s\nwant:\n%s", cases[i].rule, tw_test_diags(room), cases[i].want);
    }
}

/* The twin of all of them. */
static void a_call_that_breaks_none_is_lowered(void **state)
{
    struct bench_room *room = *state;
    struct ir_kernel *k;
    assert_true(lower_body(room,
                           REGISTERS("uint32", "uint32", "float32", "float32") D_VIEW("v0") A_VIEW("v1") B_VIEW("v2")
                           "    T.cuda.tile.apply(T.ptx[\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\"], v0, v1, v2, "
                           "T.float32(0), scope=\"warp\")\n",
                           &k));
    tw_test_expect_diags(room, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_call_that_breaks_a_rule_is_refused_in_full_words),
        ROOM_TEST(a_call_that_breaks_none_is_lowered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
