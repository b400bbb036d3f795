/* cp.async.bulk, its prefetch and cp.reduce.async.bulk through tile.apply: the instructions, and what is refused, with its exact
 * words. SOURCE: kernel-language-tile 7.3; ptx-async 4.2. */
#include "tile/copy_kernel.h"

struct copy_case {
    const char *body, *want;
};

#define APPLY(op) "    T.cuda.tile.apply(T.ptx[\"" op "\"], "
#define LOAD "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
#define STORE "cp.async.bulk.global.shared::cta.bulk_group"
#define PEER "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
#define BAR "mbar=bar.ptr_to([0])"

static void one_instruction_copies_the_last_axis(void **state)
{
    static const struct copy_case cases[] = {
        {APPLY(LOAD) "p[0, 0:64], X[5, 64:128], " BAR ")\n",
         "ptx cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [&p#5[0]], [&X#6[1024]], uint32(128), [&bar#7[0]]\n"},
        {APPLY("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes") "p[0:2, 0:192], X[i:i + 2, 0:192], " BAR ", pred=j > 0)\n",
         "@pred ptx cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [&p#5[0]], [&X#6[(i * 192)]], uint32(384), [&bar#7[0]]\n"
         "@pred ptx cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [&p#5[256]], [&X#6[((i * 192) + 192)]], uint32(384), [&bar#7[0]]\n"},
        {APPLY(LOAD ".multicast::cluster.L2::cache_hint") "p[0, 0:64], X[0, 64:128], " BAR ", cta_mask=3, cache_policy=T.uint64(7))\n",
         "ptx cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [&p#5[0]], [&X#6[64]], uint32(128), [&bar#7[0]], uint16(3), uint64(7)\n"},
        {APPLY(LOAD) "p[0, 0:64], X[j, 8 * i:8 * i + 64], mbar=T.uint32(1024))\n",
         "ptx cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [&p#5[0]], [&X#6[((j * 192) + (8 * i))]], uint32(128), [uint32(1024)]\n"},
        {APPLY(STORE) "X[3, 64:192], p[1, 0:128])\n",
         "ptx cp.async.bulk.global.shared::cta.bulk_group [&X#5[640]], [&p#6[256]], uint32(256)\n"},
        {APPLY(STORE ".cp_mask") "X[3, 0:8], p[1, 0:8], byte_mask=j)\n",
         "ptx cp.async.bulk.global.shared::cta.bulk_group.cp_mask [&X#5[576]], [&p#6[256]], uint32(16), byte_mask\n"},
        {APPLY("cp.async.bulk.prefetch.L2.global") "X[3, 64:192])\n",
         "ptx cp.async.bulk.prefetch.L2.global [&X#5[640]], uint32(256)\n"},
        {APPLY("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16") "X[3, 0:64], p[0, 0:64])\n",
         "ptx cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [&X#5[576]], [&p#6[0]], uint32(128)\n"},
        {APPLY("cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b32") "U[3, 0:64], p.view(\"uint32\")[0, 0:64])\n",
         "ptx cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b32 [&U#5[192]], [&p#6[0]], uint32(256)\n"},
        {APPLY(PEER) "p[1, 0:64], p[0, 0:64], " BAR ", cta_rank=1)\n",
         "ptx mapa.shared::cluster.u32 remote_mbar, shared_addr(&bar#5[0]), uint32(1)\n"
         "ptx mapa.shared::cluster.u32 remote_dst, shared_addr(&p#6[256]), uint32(1)\n"
         "ptx cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [remote_dst], [&p#6[0]], uint32(128), [remote_mbar]\n"},
        {APPLY("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32")
         "p.view(\"uint32\")[1, 0:64], p.view(\"uint32\")[0, 0:64], " BAR ", cta_rank=j)\n",
         "ptx mapa.shared::cluster.u32 remote_mbar, shared_addr(&bar#5[0]), cta_rank\n"
         "ptx mapa.shared::cluster.u32 remote_dst, shared_addr(&p#6[128]), cta_rank\n"
         "ptx cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [remote_dst], [&p#6[0]], uint32(256), [remote_mbar]\n"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *found = copied(room, cases[i].body);
        assert_string_equal(found, cases[i].want);
    }
    assert_string_equal(copied(room, APPLY(LOAD) "p[0, 0:64], X[0, 64:128], " BAR ", pred=False)\n"), "");
}

static void what_a_bulk_copy_has_not_is_refused(void **state)
{
    static const struct copy_case cases[] = {
        {APPLY(LOAD) "p[0, 0:64], X[0, 64:128])\n",
         "k.py:10:29: error[E0406]: cp.async.bulk load needs the parameter 'mbar'\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\"], p[0, 0:64], X[0, 64:128])\n"
         "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a pointer into shared memory, or a uint32 address of its window\n"
         "       fix: add mbar=name.ptr_to([...])\n"},
        {APPLY(LOAD) "X[0, 64:128], p[0, 0:64], " BAR ")\n",
         "k.py:10:99: error[E0408]: operand dst of cp.async.bulk load is in global memory\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\"], X[0, 64:128], p[0, 0:64], mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                   ^~~~~~~~~~~~\n"
         "  expected: a tensor in shared memory\n"
         "     found: 'X', a global tensor\n"
         "       fix: give a tensor in shared memory, and copy it to 'X' behind the call\n"
         "k.py:4:7: note: 'X' is declared here\n"
         "    4 | def k(X: T.Tensor((256, 192), \"float16\"), F: T.Tensor((6, 40, 64), \"float32\"), U: T.Tensor((64, 64), \"uint32\"),\n"
         "      |       ^\n"},
        {APPLY(LOAD) "p[0, 0:4], X[0, 64:68], " BAR ")\n",
         "k.py:10:99: error[E0411]: operand dst of cp.async.bulk load: the last axis is 8 bytes\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\"], p[0, 0:4], X[0, 64:68], mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                   ^~~~~~~~~\n"
         "  expected: a multiple of 16 bytes\n"
         "     found: 4 elements of 16 bits\n"
         "       fix: move 8 elements, or another multiple of 8\n"
         "      spec: PTX ISA, cp.async.bulk, size\n"},
        {APPLY(LOAD) "p[0, 0:64], X[0, 64:96], " BAR ")\n",
         "k.py:10:111: error[E0411]: operand src of cp.async.bulk load: axis element is 32, and the instruction takes 128 bytes = 64\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\"], p[0, 0:64], X[0, 64:96], mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                               ^~~~~~~~~~~\n"
         "  expected: (repeats..., element 64)\n"
         "     found: (1, 32)\n"},
        {APPLY(LOAD) "p[0, 4:68], X[0, 64:128], " BAR ")\n",
         "k.py:10:99: error[E0428]: operand dst of cp.async.bulk load: element (element=0) is not aligned\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\"], p[0, 4:68], X[0, 64:128], mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                   ^~~~~~~~~~\n"
         "  expected: a multiple of 16 bytes\n"
         "     found: byte 8 of 'p', by layout S[(1, 64):(256, 1)] + 4\n"
         "       fix: choose starts and strides that are multiples of 8 elements\n"
         "k.py:9:9: note: 'p' is declared here\n"
         "    9 |     p = T.alloc_shared((8, 256), \"float16\", align=128)\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {APPLY(LOAD) "p[0, 0:64], X[0, 4 * i:4 * i + 64], " BAR ")\n",
         "k.py:10:116: error[E0429]: operand src of cp.async.bulk load: the run-time index of dimension 1 is not known to be a multiple of 8\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\"], p[0, 0:64], X[0, 4 * i:4 * i + 64], mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                                    ^~~~~\n"
         "  expected: an index such as 8 * i: 64 elements stay together, from a multiple of 16 bytes on\n"
         "     found: an index that is a multiple of 4\n"
         "       fix: where it always is one, write it as 8 * (index // 8)\n"},
        {APPLY(LOAD) "p[0, 0:64], Low[0, 0:64], " BAR ")\n",
         "k.py:10:111: error[E0423]: operand src of cp.async.bulk load: 'Low' is aligned to 8 bytes\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\"], p[0, 0:64], Low[0, 0:64], mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                               ^~~~~~~~~~~~\n"
         "  expected: 16 bytes, what cp.async.bulk load needs of an address\n"
         "     found: align=8\n"
         "       fix: write align=16 where 'Low' is declared\n"
         "k.py:5:43: note: 'Low' is declared here\n"
         "    5 |       Odd: T.Tensor((64, 65), \"float16\"), Low: T.Tensor((64, 64), \"float16\", align=8), i: T.int32, j: T.int32):\n"
         "      |                                           ^~~\n"},
        {APPLY(LOAD) "s[1, 0:64], X[0, 64:128], " BAR ")\n",
         "k.py:10:99: error[E0427]: operand dst of cp.async.bulk load: element (element=8) is not where the instruction reaches it\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\"], s[1, 0:64], X[0, 64:128], mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                   ^~~~~~~~~~\n"
         "  expected: 16 bytes after element (element=0)\n"
         "     found: 16 bytes before it, by layout ComposeLayout(3, 3, 3, TileLayout(S[(1, 64):(64, 1)] + 64))\n"
         "       fix: move fewer elements at once, or give the tensor a layout that keeps 64 together\n"
         "k.py:8:9: note: 's' is declared here\n"
         "    8 |     s = T.alloc_shared((128, 64), \"float16\", layout=mma_shared_layout(\"float16\", 3, (128, 64)), align=1024)\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {APPLY(LOAD) "p[0, 0:64], X[0, 64:128], mbar=X.ptr_to([0, 0]))\n",
         "k.py:10:125: error[E0408]: the barrier of cp.async.bulk load is in global memory\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\"], p[0, 0:64], X[0, 64:128], mbar=X.ptr_to([0, 0]))\n"
         "      |                                                                                                                             ^~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a pointer into shared memory\n"
         "     found: a pointer into 'X'\n"
         "       fix: allocate the barrier with T.alloc_shared((1,), \"uint64\"), and write its .ptr_to([0])\n"},
        {APPLY(LOAD) "p[0, 0:64], X[0, 64:128], mbar=3)\n",
         "k.py:10:125: error[E0405]: parameter 'mbar' of cp.async.bulk load\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\"], p[0, 0:64], X[0, 64:128], mbar=3)\n"
         "      |                                                                                                                             ^~~~~~\n"
         "  expected: a pointer into shared memory, or a uint32 address of its window\n"
         "     found: 3\n"},
        {APPLY(LOAD) "p[0, 0:64], X[0, 64:128], " BAR ", cta_mask=3)\n",
         "k.py:10:147: error[E0404]: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes has no parameter 'cta_mask' here\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\"], p[0, 0:64], X[0, 64:128], mbar=bar.ptr_to([0]), cta_mask=3)\n"
         "      |                                                                                                                                                   ^~~~~~~~~~\n"
         "  expected: .multicast::cluster in the opcode\n"
         "       fix: add .multicast::cluster to the opcode, or drop the parameter\n"},
        {APPLY(LOAD ".multicast::cluster") "p[0, 0:64], X[0, 64:128], " BAR ", cta_mask=65536)\n",
         "k.py:10:166: error[E0405]: parameter 'cta_mask' of cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster\"], p[0, 0:64], X[0, 64:128], mbar=bar.ptr_to([0]), cta_mask=65536)\n"
         "      |                                                                                                                                                                      ^~~~~~~~~~~~~~\n"
         "  expected: 0 to 65535\n"
         "     found: 65536\n"
         "       fix: write 65535, the nearest that it takes\n"},
        {APPLY(PEER) "p[1, 0:64], p[0, 0:64], " BAR ", cta_rank=16)\n",
         "k.py:10:150: error[E0405]: parameter 'cta_rank' of cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes\"], p[1, 0:64], p[0, 0:64], mbar=bar.ptr_to([0]), cta_rank=16)\n"
         "      |                                                                                                                                                      ^~~~~~~~~~~\n"
         "  expected: 0 to 15\n"
         "     found: 16\n"
         "       fix: write 15, the nearest that it takes\n"},
        {APPLY(LOAD ".multicast::cluster") "p[0, 0:64], X[0, 64:128], " BAR ")\n",
         "k.py:10:29: error[E0406]: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster needs the parameter 'cta_mask'\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster\"], p[0, 0:64], X[0, 64:128], mbar=bar.ptr_to([0]))\n"
         "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: 16 bits, one for each CTA of the cluster that receives the data: .multicast::cluster is in the opcode\n"
         "       fix: add cta_mask=, or take .multicast::cluster out of the opcode\n"},
        {APPLY(LOAD) "p[0, 0:64], X[0, 64:128], " BAR ", cache_policy=T.uint64(7))\n",
         "k.py:10:147: error[E0404]: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes has no parameter 'cache_policy' here\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\"], p[0, 0:64], X[0, 64:128], mbar=bar.ptr_to([0]), cache_policy=T.uint64(7))\n"
         "      |                                                                                                                                                   ^~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: .L2::cache_hint in the opcode, which is what makes the instruction take a policy\n"
         "       fix: add .L2::cache_hint to the opcode, or drop the parameter\n"},
        {APPLY(STORE) "X[3, 64:192], p[1, 0:128], " BAR ")\n",
         "k.py:10:104: error[E0404]: cp.async.bulk store has no parameter 'mbar'\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.global.shared::cta.bulk_group\"], X[3, 64:192], p[1, 0:128], mbar=bar.ptr_to([0]))\n"
         "      |                                                                                                        ^~~~~~~~~~~~~~~~~~~~\n"
         "  expected: scope, cache_policy, byte_mask, pred\n"},
        {APPLY(STORE) "X[3, 64:192], p[1, 0:128], byte_mask=1)\n",
         "k.py:10:104: error[E0404]: cp.async.bulk.global.shared::cta.bulk_group has no parameter 'byte_mask' here\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.global.shared::cta.bulk_group\"], X[3, 64:192], p[1, 0:128], byte_mask=1)\n"
         "      |                                                                                                        ^~~~~~~~~~~\n"
         "  expected: .cp_mask in the opcode\n"
         "       fix: add .cp_mask to the opcode, or drop the parameter\n"},
        {APPLY("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32") "X[3, 0:64], p[0, 0:64])\n",
         "k.py:10:92: error[E0409]: operand dst of cp.reduce.async.bulk has elements of type float16\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32\"], X[3, 0:64], p[0, 0:64])\n"
         "      |                                                                                            ^~~~~~~~~~\n"
         "  expected: float32\n"
         "     found: float16, 16 bits\n"},
        {APPLY(PEER) "p[1, 0:64], p[0, 0:64], " BAR ")\n",
         "k.py:10:29: error[E0406]: cp.async.bulk copy needs the parameter 'cta_rank'\n"
         "   10 |     T.cuda.tile.apply(T.ptx[\"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes\"], p[1, 0:64], p[0, 0:64], mbar=bar.ptr_to([0]))\n"
         "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: an integer\n"
         "       fix: add cta_rank=value\n"},
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
        ROOM_TEST(one_instruction_copies_the_last_axis),
        ROOM_TEST(what_a_bulk_copy_has_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
