/* Illegal operands of the tensor pipe's instructions, each with the exact text of its diagnostic. */
#include "machine/tensor_case.h"

#include <stdlib.h>

#define F16_KIND .kind = "kind::f16", .cta_group = 1, .k = 16, .container = 16

struct fault_case {
    struct tensor_case c;
    const char *prologue, *text;
};

/* The first diagnostic without its position and source line. */
static const char *essence(struct bench_room *room)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    const char *line = strstr(tw_test_diags(room), "error[");
    while (line != NULL && *line != '\0') {
        const char *const end = strchr(line, '\n');
        const struct str s = {line, end == NULL ? strlen(line) : (size_t)(end - line) + 1};
        if (memchr(s.at, '|', s.len) == NULL)
            tw_text_add_str(&t, s);
        line += s.len;
    }
    return t.at;
}

static void illegal_operands_are_diagnosed(void **state)
{
    static const struct fault_case cases[] = {
        {{F16_KIND, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3, .idesc_extra = 1u << 29}, NULL,
         "error[E0771]: tcgen05.mma.kind::f16: the instruction descriptor is illegal\n"
         "  expected: field 'bit 29': 0\n"
         "     found: 1 in 0x28100010, 1 bit from bit 29\n"
         "      spec: PTX ISA, tcgen05, instruction descriptor\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3, .idesc_extra = 1u << 2}, NULL,
         "error[E0771]: tcgen05.mma.kind::f16: the instruction descriptor is illegal\n"
         "  expected: field 'sparse': 0 (the instruction has no .sp)\n"
         "     found: 1 in 0x08100014, 1 bit from bit 2\n"
         "      spec: PTX ISA, tcgen05, instruction descriptor\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3}, "xor.b64 %q4, %q4, 0x0000400000000000;\n",
         "error[E0770]: tcgen05.mma: the shared memory descriptor of A is illegal\n"
         "  expected: field 'bits 48:46': 1\n"
         "     found: 0 in 0x4000004000010040\n"
         "      spec: PTX ISA, tcgen05, shared memory descriptor\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3}, "xor.b64 %q5, %q5, 0x2000000000000000;\n",
         "error[E0770]: tcgen05.mma: the shared memory descriptor of B is illegal\n"
         "  expected: field 'layout': 0 none, 1 128B with 32B atom, 2 128B, 4 64B, 6 32B\n"
         "     found: 3 in 0x6000404000010640\n"
         "      spec: PTX ISA, tcgen05, shared memory descriptor\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 128, .n = 64, .mode_a = 4, .mode_b = 3, .a_mn = true}, NULL,
         "error[E0770]: tcgen05.mma: the shared memory descriptor of A does not fit the instruction\n"
         "  expected: the 128B layout with 32-byte atom holds MN-major 32-bit elements only\n"
         "     found: 0x2000402000800040\n"
         "      spec: PTX ISA, tcgen05, canonical layouts\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3}, "add.s64 %q5, %q5, 2000;\n",
         "error[E0772]: tcgen05.mma reads B outside shared memory\n"
         "  expected: addresses from 0x400 to 0xb40b of shared memory\n"
         "     found: 16 bytes at 0xe120\n"
         "       fix: check the start address and the strides of the descriptor\n"
         "      spec: PTX ISA, tcgen05, shared memory descriptor\n"
         "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 128, .n = 64, .mode_b = 3, .a_tmem = true}, "add.u32 %r7, %r1, 60;\n",
         "error[E0773]: tcgen05.mma: D lies over A\n"
         "  expected: columns of tensor memory that D does not cover\n"
         "     found: A in columns 60 to 67, D in 0 to 63\n"
         "       fix: give each operand columns of its own\n"
         "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
        {{.kind = "kind::mxf8f6f4.block_scale", .cta_group = 1, .m = 128, .n = 32, .k = 32, .a = E4M3, .b = E4M3, .container = 8, .mode_a = 3, .mode_b = 3, .scaled = true, .idesc_extra = 1u << 23}, "add.u32 %r11, %r1, 31;\n",
         "error[E0773]: tcgen05.mma: D lies over the scales of B\n"
         "  expected: columns of tensor memory that D does not cover\n"
         "     found: the scales of B in columns 31 to 31, D in 0 to 31\n"
         "       fix: give each operand columns of its own\n"
         "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3}, "add.u32 %r1, %r1, 0x1e0;\n",
         "error[E0762]: tcgen05.mma writes D in tensor memory that is not allocated\n"
         "  expected: columns that the CTA has allocated, until the operation has completed\n"
         "     found: lane 0, column 512, outside tensor memory\n"
         "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3, .lane_base = 16}, NULL,
         "error[E0763]: tcgen05.mma: D starts at a lane that data path D does not allow\n"
         "  expected: lane 0\n"
         "     found: lane 16\n"
         "      spec: PTX ISA, tcgen05, data path layout organization\n"
         "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 64, .n = 64, .mode_b = 3, .a_tmem = true, .lane_base = 16}, "add.u32 %r7, %r7, 0xfff00000;\n",
         "error[E0763]: tcgen05.mma: A starts at a lane that data path F does not allow\n"
         "  expected: lane 16, as D\n"
         "     found: lane 0\n"
         "      spec: PTX ISA, tcgen05, data path layout organization\n"
         "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3, .modifiers = ".collector::a::use"}, NULL,
         "error[E0774]: tcgen05.mma: a collector buffer is used without a valid fill\n"
         "  expected: an earlier .collector fill of the same operand, type and shape, still valid\n"
         "     found: no valid fill\n"
         "      spec: PTX ISA, tcgen05.mma, collector buffers\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3, .modifiers = ".collector::a::use"},
         "tcgen05.mma.cta_group::1.kind::f16.collector::a::fill [%r1], %q4, %q5, %r9, 0;\n"
         "tcgen05.mma.cta_group::1.kind::f16.collector::a::lastuse [%r1], %q4, %q5, %r9, 0;\n",
         "error[E0774]: tcgen05.mma: a collector buffer is used without a valid fill\n"
         "  expected: an earlier .collector fill of the same operand, type and shape, still valid\n"
         "     found: no valid fill\n"
         "      spec: PTX ISA, tcgen05.mma, collector buffers\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3, .modifiers = ".collector::a::use"},
         "tcgen05.mma.cta_group::1.kind::f16.collector::a::fill [%r1], %q5, %q5, %r9, 0;\n",
         "error[E0774]: tcgen05.mma: a collector buffer is used without a valid fill\n"
         "  expected: an earlier .collector fill of the same operand, type and shape, still valid\n"
         "     found: a fill of another operand, type or shape\n"
         "      spec: PTX ISA, tcgen05.mma, collector buffers\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .ws = true, .m = 64, .n = 64, .mode_a = 3, .mode_b = 3, .tail = ", %q8"}, "mov.u64 %q8, 0x0100000000000000;\n",
         "error[E0773]: tcgen05.mma: the zero-column mask is illegal\n"
         "  expected: a shift of at most the maximum shift of the instruction descriptor\n"
         "     found: 0x0100000000000000\n"
         "      spec: PTX ISA, tcgen05.mma.ws, zero-column mask\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {{.kind = "kind::f16", .cta_group = 1, .sparse = true, .m = 128, .n = 32, .k = 32, .container = 16, .mode_a = 3, .mode_b = 3}, NULL,
         "error[E0776]: tcgen05.mma: a code of the sparsity metadata is illegal\n"
         "  expected: 0x4, 0x6, 0x8, 0x9, 0xc, 0xd or 0xe\n"
         "     found: 0x3 for row 0, group 0\n"
         "      spec: PTX ISA, tcgen05.mma.sp, sparsity metadata\n"
         "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
        {{.kind = "kind::mxf8f6f4.block_scale", .cta_group = 1, .m = 128, .n = 32, .k = 32, .a = E4M3, .b = E4M3, .container = 8, .mode_a = 3, .mode_b = 3, .scaled = true, .idesc_extra = 1u << 23}, NULL,
         "error[E0773]: tcgen05.mma: the copies of a factor of the scales of A differ\n"
         "  expected: the same factor in every 32-lane copy\n"
         "     found: 0x62 in lane 0, 0x8e in lane 32, column 416\n"
         "       fix: copy the factors with tcgen05.cp.32x128b.warpx4\n"
         "      spec: PTX ISA, tcgen05.mma, scale factor layouts\n"
         "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
        {{.kind = "kind::mxf4.block_scale", .cta_group = 1, .m = 128, .n = 32, .k = 64, .a = E2M1, .b = E2M1, .container = 4, .mode_a = 3, .mode_b = 3, .scaled = true, .idesc_extra = 1u << 23 | 1u << 31}, NULL,
         "error[E0771]: tcgen05.mma.kind::mxf4: a K of 96 exists on sm_103a only\n"
         "  expected: field 'K 96': 0 for this target\n"
         "     found: 1 in 0x88880480\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3}, "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r5];\n",
         "error[E0750]: tcgen05.commit: no mbarrier is initialised at shared address 0x400\n"
         "  expected: an earlier mbarrier.init of this address, made visible by a barrier\n"
         "     found: bytes that no mbarrier.init has written, or an object that mbarrier.inval has ended\n"
         "       fix: initialise the barrier in one thread, then synchronise the CTA before it is used\n"
         "      spec: PTX ISA, mbarrier.init\n"
         "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3}, "add.u32 %r20, %r1, 0x10000;\ntcgen05.shift.cta_group::1.down [%r20];\n",
         "error[E0763]: tcgen05.shift at a lane inside a quadrant\n"
         "  expected: a lane that is a multiple of 32\n"
         "     found: lane 1\n"
         "      spec: PTX ISA, tcgen05.shift\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {{F16_KIND, .m = 128, .n = 64, .mode_a = 3, .mode_b = 3}, "mov.u16 %h0, 3;\ntcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r4], %h0;\n",
         "error[E0775]: tcgen05.commit signals a CTA that the cluster does not have\n"
         "  expected: ranks below 1, the size of the cluster\n"
         "     found: mask 0x0003\n"
         "      spec: PTX ISA, tcgen05.commit\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench_room *room = *state;
        struct tensor_data *const t = malloc(sizeof *t);
        struct text p;
        tw_text_init(&p, &room->arena);
        case_fill(t, &cases[i].c, 1);
        case_write(&p, &cases[i].c, t, cases[i].prologue);
        const int status = run_ptx(room, p.at,
                                   &(struct ptx_run){.entry = "k", .block = 128, .input = t->image, .input_bytes = sizeof t->image});
        free(t);
        if (status != LAUNCH_FAULT)
            fail_msg("case %zu: status %d\n%s", i, status, tw_test_diags(room));
        assert_string_equal(essence(room), cases[i].text);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

/* ---- a peer that has gone -------------------------------------------------------------------- */

/* CTAs from `stay` on leave once the cluster has met; a warp of the first one executes `before` that and `after` it. */
static const char *left_alone(struct bench_room *room, unsigned stay, const char *before, const char *after)
{
    return tw_format(&room->arena,
                     ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                     ".reg .b32 %%r<8>; .reg .b64 %%q<4>; .reg .pred %%p<4>; .reg .b16 %%h<2>;\n"
                     ".shared .align 1024 .b8 tiles[16384]; .shared .align 8 .b8 bar[8]; .shared .align 4 .b8 slot[4];\n"
                     "mov.u32 %%r0, %%tid.x; mov.u32 %%r2, bar; mov.u32 %%r3, slot; mov.u32 %%r4, %%cluster_ctarank;\n"
                     "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%%r3], 32; ld.shared.u32 %%r1, [%%r3];\n"
                     "or.b32 %%r5, %%r0, %%r4; setp.eq.u32 %%p0, %%r5, 0; setp.ge.u32 %%p1, %%r4, %u;\n"
                     "setp.eq.u32 %%p3, %%r0, 0; @%%p3 mbarrier.init.shared::cta.b64 [%%r2], 1;\nmov.b64 %%q0, 0x0000401000080040; mov.u16 %%h0, 4;\n"
                     "%sbarrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n@%%p1 bra FREE;\n"
                     "mov.u32 %%r5, 0;\nLATER: add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p2, %%r5, 5000; @%%p2 bra LATER;\n%s"
                     "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %%p2, [%%r2], 0;\n@!%%p2 bra WAIT;\n"
                     "FREE: tcgen05.dealloc.cta_group::2.sync.aligned.b32 %%r1, 32;\nret;\n}\n", stay, before, after);
}

#define MULTIPLY "@%p0 tcgen05.mma.cta_group::2.kind::f16 [%r1], %q0, %q0, 0x10080010, 0;\n"
#define COMMIT "@%p0 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [%r2];\n"

static void work_with_a_peer_that_has_gone_is_diagnosed(void **state)
{
    static const struct { unsigned ctas, stay; const char *before, *after, *text; } cases[] = {
        {2, 1, "", MULTIPLY COMMIT,
         "error[E0775]: cta_group::2 without a peer CTA\n"
         "  expected: a cluster in which both CTAs of the pair run\n"
         "     found: the peer CTA has ended\n"
         "       fix: let both CTAs wait at a cluster barrier before they exit\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {2, 1, MULTIPLY COMMIT, "",
         "error[E0775]: tcgen05.mma of a CTA pair whose peer has ended\n"
         "  expected: both CTAs of the pair running until the operation has completed\n"
         "     found: the peer CTA has ended\n"
         "       fix: let both CTAs wait at a cluster barrier before they exit\n"
         "      spec: PTX ISA, tcgen05, \"CTA pair\"\n"
         "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
        {4, 2, "", "@%p0 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r2], %h0;\n",
         "error[E0775]: tcgen05.commit signals a barrier of CTA 2 of the cluster, which has ended\n"
         "  expected: a running CTA\n"
         "     found: a CTA that has ended\n"
         "       fix: let every CTA of the cluster wait at a cluster barrier before it exits\n"
         "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench_room *room = *state;
        const int status = run_ptx(room, left_alone(room, cases[i].stay, cases[i].before, cases[i].after),
                                   &(struct ptx_run){.entry = "k", .block = 32, .grid = cases[i].ctas, .cluster = cases[i].ctas});
        if (status != LAUNCH_FAULT)
            fail_msg("case %zu: status %d\n%s", i, status, tw_test_diags(room));
        assert_string_equal(essence(room), cases[i].text);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(illegal_operands_are_diagnosed),
        ROOM_TEST(work_with_a_peer_that_has_gone_is_diagnosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
