/* Tensor memory in running PTX: allocation, loads and stores of every shape, and what goes wrong.
 * The cell formulas are written out again here, from tcgen05.md 2.2. */
#include "machine/ptx_bench.h"

enum { COLS = 256 };

static const char head[] = ".version 8.8\n.target sm_100a\n.address_size 64\n"
                           ".visible .entry k(.param .u64 out)\n{\n"
                           ".reg .b32 %r<16>; .reg .b32 %v<128>; .reg .b32 %w<128>; .reg .b64 %q<8>; .reg .pred %p<4>;\n"
                           ".shared .align 8 .b8 slot[16];\n"
                           "mov.u32 %r0, slot; ld.param.u64 %q0, [out]; mov.u32 %r5, %tid.x; shr.u32 %r6, %r5, 5;\n";
static const char alloc_256[] = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 256;\n"
                                "ld.shared.u32 %r1, [%r0];\n";
static const char release_256[] = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 256;\n";

static const char *program(struct bench_room *room, const char *a, const char *b, const char *c)
{
    return tw_format(&room->arena, "%s%s%s%sret;\n}\n", head, a, b, c);
}

static void write_vector(struct text *t, const char *prefix, unsigned count)
{
    tw_text_add(t, "{");
    for (unsigned i = 0; i < count; i++)
        tw_text_addf(t, "%s%s%u", i == 0 ? "" : ",", prefix, i);
    tw_text_add(t, "}");
}

/* Every thread stores registers of value 1000 * (r + 1) + thread; then all cells are read with 32x32b and written out. */
static void write_store_program(struct text *t, const char *shape, unsigned repeat, unsigned regs, unsigned split, bool unpack)
{
    tw_text_add(t, head);
    tw_text_add(t, alloc_256);
    for (unsigned c = 0; c < COLS; c++) /* a known ground: all cells 7 */
        if (c % 128 == 0) {
            for (unsigned r = 0; r < 128 && c == 0; r++)
                tw_text_addf(t, "mov.u32 %%v%u, 0x70007;\n", r);
            tw_text_addf(t, "add.u32 %%r2, %%r1, %u;\ntcgen05.st.sync.aligned.32x32b.x128.b32 [%%r2], ", c);
            write_vector(t, "%v", 128);
            tw_text_add(t, ";\n");
        }
    tw_text_add(t, "tcgen05.wait::st.sync.aligned;\n");
    for (unsigned r = 0; r < regs; r++)
        tw_text_addf(t, "add.u32 %%w%u, %%r5, %u;\n", r, 0x10001u * 1000u * (r + 1));
    tw_text_addf(t, "tcgen05.st.sync.aligned.%s.x%u%s.b32 [%%r1], ", shape, repeat, unpack ? ".unpack::16b" : "");
    if (strcmp(shape, "16x32bx2") == 0)
        tw_text_addf(t, "%u, ", split);
    write_vector(t, "%w", regs);
    tw_text_add(t, ";\ntcgen05.wait::st.sync.aligned;\nmul.wide.u32 %q1, %r5, 1024; add.s64 %q1, %q0, %q1;\n");
    for (unsigned c = 0; c < COLS; c += 128) {
        tw_text_addf(t, "add.u32 %%r2, %%r1, %u;\ntcgen05.ld.sync.aligned.32x32b.x128.b32 ", c);
        write_vector(t, "%v", 128);
        tw_text_add(t, ", [%r2];\ntcgen05.wait::ld.sync.aligned;\n");
        for (unsigned i = 0; i < 128; i++)
            tw_text_addf(t, "st.global.u32 [%%q1+%u], %%v%u;\n", 4 * (c + i), i);
    }
    tw_text_add(t, release_256);
    tw_text_add(t, "ret;\n}\n");
}

static void cell(unsigned shape, unsigned t, unsigned r, unsigned *lane, unsigned *col)
{
    switch (shape) {
    case 0: *lane = t; *col = r; break;
    case 1: *lane = (t >> 2) + 8 * (t & 1); *col = ((t >> 1) & 1) + 2 * r; break;
    case 2: *lane = (t >> 2) + 8 * (r & 1); *col = (t & 3) + 4 * (r >> 1); break;
    case 3: *lane = (t >> 2) + 8 * ((r >> 1) & 1); *col = 2 * (t & 3) + (r & 1) + 8 * (r >> 2); break;
    default: *lane = t % 16; *col = r; break;
    }
}

static const struct { const char *name; unsigned regs, largest; } shapes[] = {
    {"32x32b", 1, 128}, {"16x64b", 1, 128}, {"16x128b", 2, 64}, {"16x256b", 4, 32}, {"16x32bx2", 1, 128}};

static void stores_of_every_shape_land_on_their_cells(void **state)
{
    struct bench_room *room = *state;
    static uint32_t out[32 * COLS], want[32 * COLS];
    for (unsigned s = 0; s < COUNT(shapes); s++)
        for (unsigned repeat = 1; repeat <= shapes[s].largest; repeat *= 4) {
            const unsigned regs = shapes[s].regs * repeat, split = repeat;
            struct text t;
            tw_text_init(&t, &room->arena);
            write_store_program(&t, shapes[s].name, repeat, regs, split, false);
            run_ptx_well(room, t.at, &(struct ptx_run){.entry = "k", .output = out, .output_bytes = sizeof out, .seed = repeat});
            for (unsigned i = 0; i < COUNT(want); i++)
                want[i] = 0x70007;
            for (unsigned thread = 0; thread < 32; thread++)
                for (unsigned r = 0; r < regs; r++) {
                    unsigned lane, col;
                    cell(s, thread, r, &lane, &col);
                    want[lane * COLS + col + (s == 4 ? split * (thread / 16) : 0)] = thread + 0x10001u * 1000u * (r + 1);
                }
            assert_memory_equal(out, want, sizeof out);
        }
}

static void unpacked_stores_put_halves_into_two_cells(void **state)
{
    struct bench_room *room = *state;
    static uint32_t out[32 * COLS];
    for (unsigned s = 0; s < COUNT(shapes); s++) {
        const unsigned regs = shapes[s].regs * 4, split = 8;
        struct text t;
        tw_text_init(&t, &room->arena);
        write_store_program(&t, shapes[s].name, 4, regs, split, true);
        run_ptx_well(room, t.at, &(struct ptx_run){.entry = "k", .output = out, .output_bytes = sizeof out});
        for (unsigned thread = 0; thread < 32; thread++)
            for (unsigned r = 0; r < regs; r++) {
                unsigned lane, col;
                cell(s, thread, r, &lane, &col);
                const uint32_t value = thread + 0x10001u * 1000u * (r + 1);
                const uint32_t *const at = &out[lane * COLS + 2 * col + (s == 4 ? split * (thread / 16) : 0)];
                assert_int_equal(at[0] & 0xffff, value & 0xffff); /* the upper half is not defined: U7 of the reference */
                assert_int_equal(at[1] & 0xffff, value >> 16);
            }
    }
}

/* What a store of a shape put there, a load of the shape finds; with pack it takes the low halves of two cells. */
static void loads_find_what_stores_of_their_shape_put(void **state)
{
    struct bench_room *room = *state;
    for (unsigned s = 0; s < COUNT(shapes); s++)
        for (unsigned pack = 0; pack < 2; pack++) {
            const unsigned regs = shapes[s].regs * 8;
            const char *const split = s == 4 ? "16, " : "";
            uint32_t out[32 * 32] = {0};
            struct text t;
            tw_text_init(&t, &room->arena);
            tw_text_add(&t, head);
            tw_text_add(&t, alloc_256);
            for (unsigned r = 0; r < regs; r++)
                tw_text_addf(&t, "mad.lo.u32 %%v%u, %%r5, 0x30001, %u;\n", r, 0x10001u * 100u * r);
            tw_text_addf(&t, "tcgen05.st.sync.aligned.%s.x8%s.b32 [%%r1], %s", shapes[s].name, pack ? ".unpack::16b" : "", split);
            write_vector(&t, "%v", regs);
            tw_text_addf(&t, ";\ntcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.%s.x8%s.b32 ", shapes[s].name,
                         pack ? ".pack::16b" : "");
            write_vector(&t, "%w", regs);
            tw_text_addf(&t, ", [%%r1]%s;\ntcgen05.wait::ld.sync.aligned;\n", s == 4 ? ", 16" : "");
            tw_text_add(&t, "mul.wide.u32 %q1, %r5, 128; add.s64 %q1, %q0, %q1;\n");
            for (unsigned r = 0; r < regs; r++)
                tw_text_addf(&t, "st.global.u32 [%%q1+%u], %%w%u;\n", 4 * r, r);
            tw_text_add(&t, release_256);
            tw_text_add(&t, "ret;\n}\n");
            run_ptx_well(room, t.at, &(struct ptx_run){.entry = "k", .output = out, .output_bytes = sizeof out});
            for (unsigned thread = 0; thread < 32; thread++)
                for (unsigned r = 0; r < regs; r++)
                    assert_int_equal(out[32 * thread + r], thread * 0x30001u + 0x10001u * 100u * r);
        }
}

/* Four warps write their number with the bare address; each lands in its own quadrant. */
static void each_warp_reaches_its_own_quadrant(void **state)
{
    struct bench_room *room = *state;
    for (unsigned absolute = 0; absolute < 2; absolute++) {
        uint32_t out[128] = {0};
        const char *const body =
            tw_format(&room->arena,
                      "setp.ne.u32 %%p0, %%r6, 0; @%%p0 bra WAIT;\n%sWAIT: bar.sync 0;\nld.shared.u32 %%r1, [%%r0];\n"
                      "shl.b32 %%r2, %%r6, 21; add.u32 %%r3, %%r1, %%r2;\n"
                      "tcgen05.st.sync.aligned.32x32b.x1.b32 [%s], {%%r5};\ntcgen05.wait::st.sync.aligned;\n"
                      "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%%r4}, [%%r3];\ntcgen05.wait::ld.sync.aligned;\n"
                      "mul.wide.u32 %%q1, %%r5, 4; add.s64 %%q1, %%q0, %%q1; st.global.u32 [%%q1], %%r4;\n"
                      "bar.sync 0;\n@%%p0 bra DONE;\n%sDONE:\n",
                      alloc_256, absolute ? "%r3" : "%r1", release_256);
        run_ptx_well(room, program(room, body, "", ""),
                     &(struct ptx_run){.entry = "k", .block = 128, .output = out, .output_bytes = sizeof out});
        for (unsigned i = 0; i < 128; i++)
            assert_int_equal(out[i], i);
    }
}

/* Without wait::st the load takes what was there before, under every seed. */
static void a_store_that_is_not_waited_for_has_not_landed(void **state)
{
    struct bench_room *room = *state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t out[32] = {0};
        run_ptx_well(room,
                     program(room, alloc_256,
                             "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r5};\n"
                             "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r4}, [%r1];\ntcgen05.wait::ld.sync.aligned;\n"
                             "mul.wide.u32 %q1, %r5, 4; add.s64 %q1, %q0, %q1; st.global.u32 [%q1], %r4;\n",
                             release_256),
                     &(struct ptx_run){.entry = "k", .output = out, .output_bytes = sizeof out, .seed = seed});
        unsigned equal = 0;
        for (unsigned i = 0; i < 32; i++)
            equal += out[i] == i;
        assert_true(equal < 4);
    }
}

/* Warp 1 asks for more than is free and blocks until warp 0 releases. SOURCE: PTX ISA, tcgen05.alloc. */
static void an_allocation_blocks_until_columns_are_free(void **state)
{
    struct bench_room *room = *state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        uint32_t out[2] = {9, 9};
        run_ptx_well(room,
                     program(room,
                             "setp.ne.u32 %p0, %r6, 0; @%p0 bra SECOND;\n"
                             "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 512;\nld.shared.u32 %r1, [%r0];\n"
                             "bar.sync 0;\nst.shared.u32 [%r0+8], 5;\n"
                             "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 512;\nret;\n"
                             "SECOND: bar.sync 0;\n"
                             "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0+4], 32;\n"
                             "ld.shared.u32 %r1, [%r0+4]; ld.shared.u32 %r2, [%r0+8];\n"
                             "st.global.u32 [%q0], %r1; st.global.u32 [%q0+4], %r2;\n"
                             "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;\n",
                             "", ""),
                     &(struct ptx_run){.entry = "k", .block = 64, .output = out, .output_bytes = sizeof out, .seed = seed});
        assert_int_equal(out[0], 0);
        assert_int_equal(out[1], 5);
    }
}

static void allocations_are_first_fit_from_column_0(void **state)
{
    struct bench_room *room = *state;
    uint32_t out[4] = {0};
    run_ptx_well(room,
                 program(room,
                         "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 128;\nld.shared.u32 %r1, [%r0];\n"
                         "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 64;\nld.shared.u32 %r2, [%r0];\n"
                         "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 128;\n"
                         "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 64;\nld.shared.u32 %r3, [%r0];\n"
                         "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
                         "st.global.u32 [%q0], %r1; st.global.u32 [%q0+4], %r2; st.global.u32 [%q0+8], %r3;\n"
                         "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 64;\n"
                         "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 64;\n",
                         "", ""),
                 &(struct ptx_run){.entry = "k", .output = out, .output_bytes = sizeof out});
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 128);
    assert_int_equal(out[2], 0);
}

/* ---- What goes wrong -------------------------------------------------------------------------- */

struct fault_case {
    uint32_t block;
    const char *body, *text;
};

static void misuse_is_diagnosed(void **state)
{
    static const struct fault_case cases[] = {
#define ALLOC "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], "
#define FREE "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, "
        {32, "mov.u32 %r2, 48;\n" ALLOC "%r2;\n",
         "k.ptx:10:1: error[E0760]: tcgen05.alloc of 48 columns is illegal here\n"
         "   10 | tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], %r2;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: 32, 64, 128, 256 or 512 columns\n"
         "     found: 48 columns\n"
         "      spec: PTX ISA, tcgen05.alloc\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {32, ALLOC "32;\n" ALLOC "64;\n",
         "k.ptx:10:1: error[E0760]: tcgen05.alloc of 64 columns is illegal here\n"
         "   10 | tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 64;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: sizes that never increase from one allocation of a CTA to the next\n"
         "     found: 64 columns after an allocation of 32\n"
         "       fix: allocate the largest piece first, or everything at once\n"
         "      spec: PTX ISA, tcgen05.alloc\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {32, ALLOC "32;\ntcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" ALLOC "32;\n",
         "k.ptx:11:1: error[E0760]: tcgen05.alloc of 32 columns is illegal here\n"
         "   11 | tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 32;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: no allocation after tcgen05.relinquish_alloc_permit in this CTA\n"
         "       fix: move the allocation before relinquish_alloc_permit\n"
         "      spec: PTX ISA, tcgen05.alloc\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {32, "mov.u32 %r2, 32; setp.eq.u32 %p0, %r5, 7; @%p0 mov.u32 %r2, 64;\n" ALLOC "%r2;\n",
         "k.ptx:10:1: error[E0765]: the lanes of the warp disagree about the number of columns\n"
         "   10 | tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], %r2;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: one value in all lanes of the warp\n"
         "     found: 0x20 in lane 0, 0x40 in lane 7\n"
         "note: by thread (7,0,0) of block (0,0,0)\n"},
        {32, ALLOC "64;\n",
         "k.ptx:9:1: error[E0764]: the CTA ends with 64 columns of tensor memory allocated\n"
         "    9 | tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r0], 64;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: tcgen05.dealloc of everything before the last thread of the CTA exits\n"
         "     found: columns 0 to 63 still allocated\n"
         "       fix: let the allocating warp run tcgen05.dealloc of this address and 64 columns\n"
         "      spec: PTX ISA, tcgen05.alloc\n"
         "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
        {32, ALLOC "64;\nld.shared.u32 %r1, [%r0];\n" FREE "32;\n",
         "k.ptx:11:1: error[E0761]: tcgen05.dealloc of 32 columns at 0x0\n"
         "   11 | tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: an address that tcgen05.alloc has returned, with the columns that it was asked for\n"
         "     found: an allocation of 64 columns\n"
         "      spec: PTX ISA, tcgen05.dealloc\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {32, ALLOC "64;\nmov.u32 %r1, 32;\n" FREE "32;\n",
         "k.ptx:11:1: error[E0761]: tcgen05.dealloc of 32 columns at 0x20\n"
         "   11 | tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: an address that tcgen05.alloc has returned, with the columns that it was asked for\n"
         "     found: no allocation begins there\n"
         "      spec: PTX ISA, tcgen05.dealloc\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {32, ALLOC "32;\nld.shared.u32 %r1, [%r0];\ntcgen05.ld.sync.aligned.32x32b.x2.b32 {%r2,%r3}, [%r1+31];\n",
         "k.ptx:11:1: error[E0762]: tcgen05.ld of columns 31 to 32 of tensor memory\n"
         "   11 | tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r2,%r3}, [%r1+31];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: columns that this CTA has allocated\n"
         "     found: column 32, which was never allocated\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {32, ALLOC "32;\nld.shared.u32 %r1, [%r0];\ntcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r2}, [%r1], 40;\n",
         "k.ptx:11:1: error[E0762]: tcgen05.ld of columns 0 to 0 of tensor memory\n"
         "   11 | tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r2}, [%r1], 40;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: columns that this CTA has allocated\n"
         "     found: column 40, which was never allocated\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {32, ALLOC "32;\nld.shared.u32 %r1, [%r0];\ntcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r2}, [%r1+16], 4294967280;\n",
         "k.ptx:11:1: error[E0762]: tcgen05.ld of columns 16 to 16 of tensor memory\n"
         "   11 | tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r2}, [%r1+16], 4294967280;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: columns that this CTA has allocated\n"
         "     found: column 4294967280, past the last one\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {32, ALLOC "32;\nld.shared.u32 %r1, [%r0];\n" FREE "32;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r1];\n",
         "k.ptx:12:1: error[E0762]: tcgen05.ld of columns 0 to 0 of tensor memory\n"
         "   12 | tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r1];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: columns that this CTA has allocated\n"
         "     found: column 0, which has been released\n"
         "       fix: let tcgen05.dealloc wait for this instruction\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {32, ALLOC "32;\nld.shared.u32 %r1, [%r0];\ntcgen05.shift.cta_group::1.down [%r1+28];\n",
         "k.ptx:11:1: error[E0762]: tcgen05.shift reads the shifted rows in tensor memory that is not allocated\n"
         "   11 | tcgen05.shift.cta_group::1.down [%r1+28];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: columns that the CTA has allocated, until the operation has completed\n"
         "     found: column 32, which was never allocated\n"
         "       fix: let tcgen05.alloc reserve all columns of the operation before it is issued\n"
         "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
        {32, ALLOC "32;\nld.shared.u32 %r1, [%r0];\ntcgen05.shift.cta_group::1.down [%r1];\n" FREE "32;\n",
         "k.ptx:11:1: error[E0762]: tcgen05.shift reads the shifted rows in tensor memory that is not allocated\n"
         "   11 | tcgen05.shift.cta_group::1.down [%r1];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: columns that the CTA has allocated, until the operation has completed\n"
         "     found: column 0, which has been released\n"
         "       fix: wait for a tcgen05.commit of the operation before the columns are released\n"
         "note: in an operation issued by thread (0,0,0) of block (0,0,0)\n"},
        {32, ALLOC "32;\nld.shared.u32 %r1, [%r0];\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r1+0x200000];\n",
         "k.ptx:11:1: error[E0763]: tcgen05.ld of lanes that belong to another warp\n"
         "   11 | tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%r1+0x200000];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: lanes 0 to 31: warp 0 of the CTA owns quadrant 0\n"
         "     found: lane 32 in the address 0x200000\n"
         "       fix: add (warp % 4) * 32 << 16 to the address of the allocation\n"
         "      spec: PTX ISA, tcgen05.ld, access restrictions\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {32, ALLOC "32;\nld.shared.u32 %r1, [%r0];\ntcgen05.ld.sync.aligned.16x64b.x1.b32 {%r2}, [%r1+0x80000];\n",
         "k.ptx:11:1: error[E0763]: tcgen05.ld.16x64b at a lane that its shape does not allow\n"
         "   11 | tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r2}, [%r1+0x80000];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: lane 0 or 16 of the quadrant\n"
         "     found: lane 8 in the address 0x80000\n"
         "      spec: PTX ISA, tcgen05.ld\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
        {32, ALLOC "32;\nld.shared.u32 %r1, [%r0];\nadd.u32 %r1, %r1, %r5;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r2};\n",
         "k.ptx:12:1: error[E0765]: the lanes of the warp disagree about the tensor memory address\n"
         "   12 | tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r2};\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: one value in all lanes of the warp\n"
         "     found: 0x0 in lane 0, 0x1 in lane 1\n"
         "note: by thread (1,0,0) of block (0,0,0)\n"},
        {32, "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r0], 32;\n",
         "k.ptx:9:1: error[E0775]: cta_group::2 without a peer CTA\n"
         "    9 | tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r0], 32;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: a cluster in which both CTAs of the pair run\n"
         "     found: a cluster of 1 CTA\n"
         "       fix: launch with a cluster size that is even\n"
         "note: by thread (0,0,0) of block (0,0,0)\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bench_room *room = *state;
        const int status = run_ptx(room, program(room, cases[i].body, "", ""), &(struct ptx_run){.entry = "k", .block = cases[i].block});
        if (status != LAUNCH_FAULT)
            fail_msg("case %zu: status %d\n%s", i, status, tw_test_diags(room));
        tw_test_expect_diags(room, cases[i].text);
        tw_test_teardown(state);
        tw_test_setup(state);
    }
}

/* ptxas and the verifier see one function at a time; the rule is the kernel's. */
static void a_kernel_uses_one_cta_group_in_all_its_functions(void **state)
{
    struct bench_room *room = *state;
    const int status = run_ptx(room,
                               ".version 8.8\n.target sm_100a\n.address_size 64\n"
                               ".func give_up()\n{\ntcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\nret;\n}\n"
                               ".visible .entry k(.param .u64 out)\n{\n"
                               "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\ncall give_up;\nret;\n}\n",
                               &(struct ptx_run){.entry = "k"});
    assert_int_equal(status, LAUNCH_FAULT);
    tw_test_expect_diags(room, "k.ptx:6:1: error[E0775]: the kernel mixes cta_group::1 and cta_group::2\n"
                               "    6 | tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\n"
                               "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                               "  expected: one cta_group in all tcgen05 instructions of a kernel\n"
                               "     found: cta_group::2 after cta_group::1\n"
                               "      spec: PTX ISA, tcgen05, \"CTA group\"\n"
                               "note: by thread (0,0,0) of block (0,0,0)\n"
                               "k.ptx:12:1: note: 'give_up' was called here\n"
                               "   12 | call give_up;\n"
                               "      | ^~~~~~~~~~~~~\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(stores_of_every_shape_land_on_their_cells),
        ROOM_TEST(unpacked_stores_put_halves_into_two_cells),
        ROOM_TEST(loads_find_what_stores_of_their_shape_put),
        ROOM_TEST(each_warp_reaches_its_own_quadrant),
        ROOM_TEST(a_store_that_is_not_waited_for_has_not_landed),
        ROOM_TEST(an_allocation_blocks_until_columns_are_free),
        ROOM_TEST(allocations_are_first_fit_from_column_0),
        ROOM_TEST(misuse_is_diagnosed),
        ROOM_TEST(a_kernel_uses_one_cta_group_in_all_its_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
