/* Launches: what the driver refuses, parameters, dimensions. SOURCE: PTX ISA, performance directives; CUDA, launch errors. */
#include "kernel_text.h"

static const char directives[] = ".version 9.0\n.target sm_90a\n.address_size 64\n"
                                 ".visible .entry req(.param .u64 out) .reqntid 128, 1, 1\n{\nret;\n}\n"
                                 ".visible .entry max(.param .u64 out) .maxntid 64, 2, 1\n{\nret;\n}\n"
                                 ".visible .entry pair(.param .u64 out) .reqnctapercluster 2, 1, 1\n{\nret;\n}\n"
                                 ".visible .entry big(.param .u64 out)\n{\n.shared .align 16 .b8 box[200000];\n.reg .b32 %r;\n"
                                 "ld.shared.u32 %r, [box];\nret;\n}\n"
                                 ".visible .entry four(.param .u64 out) .maxclusterrank 4\n{\nret;\n}\n"
                                 ".visible .entry said(.param .u64 out) .explicitcluster\n{\nret;\n}\n"
                                 ".visible .entry both(.param .u64 out) .explicitcluster .reqnctapercluster 2\n{\nret;\n}\n"
                                 ".visible .entry wide(.param .u64 out) .reqntid 32 .reqnctapercluster 2, 2 .blocksareclusters\n{\nret;\n}\n";

static void the_driver_s_refusals(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    rig_load(&rig, room, "k.ptx", directives);
    const uint64_t out = 0;
    static const struct { const char *entry; struct launch_spec spec; const char *want; } rows[] = {
        {"req", {.block = {64}},
         "k.ptx:4:17: error[E0708]: the block differs from the kernel's .reqntid\n"
         "    4 | .visible .entry req(.param .u64 out) .reqntid 128, 1, 1\n"
         "      |                 ^~~\n"
         "  expected: 128 x 1 x 1 threads\n"
         "     found: 64 x 1 x 1\n"},
        {"max", {.block = {64, 3}},
         "k.ptx:8:17: error[E0708]: the block is larger than the kernel's .maxntid\n"
         "    8 | .visible .entry max(.param .u64 out) .maxntid 64, 2, 1\n"
         "      |                 ^~~\n"
         "  expected: at most 128 threads\n"
         "     found: 64 x 3 x 1 = 192\n"},
        {"pair", {.block = {64}, .grid = {4}, .cluster = {4}},
         "k.ptx:12:17: error[E0708]: the cluster differs from the kernel's .reqnctapercluster\n"
         "   12 | .visible .entry pair(.param .u64 out) .reqnctapercluster 2, 1, 1\n"
         "      |                 ^~~~\n"
         "  expected: 2 x 1 x 1 CTAs\n"
         "     found: 4 x 1 x 1\n"},
        {"pair", {.block = {64}, .grid = {5}},
         "k.ptx:12:17: error[E0708]: the grid is not a whole number of clusters\n"
         "   12 | .visible .entry pair(.param .u64 out) .reqnctapercluster 2, 1, 1\n"
         "      |                 ^~~~\n"
         "  expected: a multiple of 2 x 1 x 1\n"
         "     found: 5 x 1 x 1\n"},
        {"big", {.block = {2000}},
         "k.ptx:16:17: error[E0708]: the block is larger than a CTA may be\n"
         "   16 | .visible .entry big(.param .u64 out)\n"
         "      |                 ^~~\n"
         "  expected: at most 1024 threads\n"
         "     found: 2000 x 1 x 1 = 2000\n"},
        {"big", {.block = {32}, .cluster = {17}, .grid = {17}},
         "k.ptx:16:17: error[E0708]: the cluster has too many CTAs\n"
         "   16 | .visible .entry big(.param .u64 out)\n"
         "      |                 ^~~\n"
         "  expected: at most 16 for sm_90\n"
         "     found: 17 x 1 x 1 = 17\n"},
        {"four", {.block = {32}, .cluster = {8}, .grid = {8}},
         "k.ptx:23:17: error[E0708]: the cluster has too many CTAs\n"
         "   23 | .visible .entry four(.param .u64 out) .maxclusterrank 4\n"
         "      |                 ^~~~\n"
         "  expected: at most 4, the kernel's .maxclusterrank\n"
         "     found: 8 x 1 x 1 = 8\n"},
        {"big", {.block = {32}, .grid = {1, 65536}},
         "k.ptx:16:17: error[E0708]: the grid is too large\n"
         "   16 | .visible .entry big(.param .u64 out)\n"
         "      |                 ^~~\n"
         "  expected: at most 2147483647 x 65535 x 65535 CTAs\n"
         "     found: 1 x 65536 x 1\n"},
        {"big", {.block = {32}, .dynamic_shared_bytes = 40000},
         "k.ptx:16:17: error[E0708]: the kernel needs more shared memory than a CTA may have\n"
         "   16 | .visible .entry big(.param .u64 out)\n"
         "      |                 ^~~\n"
         "  expected: at most 232448 bytes on sm_90\n"
         "     found: 200000 static and 40000 dynamic bytes\n"},
        {"big", {.block = {32}, .param_bytes = 4},
         "k.ptx:16:17: error[E0708]: the parameter block has the wrong size\n"
         "   16 | .visible .entry big(.param .u64 out)\n"
         "      |                 ^~~\n"
         "  expected: 8 bytes for 1 parameters\n"
         "     found: 4 bytes\n"},
        {"said", {.block = {32}},
         "k.ptx:27:17: error[E0708]: the kernel has .explicitcluster, and the launch names no cluster\n"
         "   27 | .visible .entry said(.param .u64 out) .explicitcluster\n"
         "      |                 ^~~~\n"
         "  expected: a cluster size, from the launch or from the kernel's .reqnctapercluster\n"
         "       fix: give the launch contract \"cluster\", the CTAs of a cluster: [1] for clusters of one\n"
         "      spec: PTX ISA, .explicitcluster\n"},
        {"wide", {.grid = {2, 40000}},
         "k.ptx:35:17: error[E0708]: the grid is too large\n"
         "   35 | .visible .entry wide(.param .u64 out) .reqntid 32 .reqnctapercluster 2, 2 .blocksareclusters\n"
         "      |                 ^~~~\n"
         "  expected: at most 2147483647 x 65535 x 65535 CTAs\n"
         "     found: 2 x 40000 x 1 clusters of 2 x 2 x 1\n"},
        {"big", {.block = {1, 1, 65}},
         "k.ptx:16:17: error[E0708]: the block is larger than a CTA may be\n"
         "   16 | .visible .entry big(.param .u64 out)\n"
         "      |                 ^~~\n"
         "  expected: at most 64 threads in z\n"
         "     found: 1 x 1 x 65 = 65\n"},
        /* 2^64 threads, which is 0 in 64 bits. */
        {"big", {.block = {UINT32_C(1) << 30, UINT32_C(1) << 30, 16}},
         "k.ptx:16:17: error[E0708]: the block is larger than a CTA may be\n"
         "   16 | .visible .entry big(.param .u64 out)\n"
         "      |                 ^~~\n"
         "  expected: at most 1024 threads\n"
         "     found: 1073741824 x 1073741824 x 16\n"},
        {"nobody", {.block = {32}},
         "error[E0717]: the module has no kernel 'nobody'\n"
         "  expected: 'req', 'max', 'pair', 'big', 'four', 'said', 'both', 'wide'\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct launch_spec spec = rows[i].spec;
        spec.params = &out;
        spec.param_bytes = spec.param_bytes == 0 ? 8 : spec.param_bytes;
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        assert_null(tw_launch_new(rig.program, rows[i].entry, &spec, &room->diags));
        tw_test_expect_diags(room, rows[i].want);
    }
    rig_end(&rig);
}

/* The same kernels, launched as their directives want it. */
static void what_fits_is_not_refused(void **state)
{
    struct rig rig;
    rig_load(&rig, *state, "k.ptx", directives);
    const uint64_t out = 0;
    static const struct { const char *entry; struct launch_spec spec; } rows[] = {
        {"req", {.block = {128}}}, {"req", {.block = {0}}}, {"max", {.block = {128, 1}}}, {"max", {.block = {64, 2}}},
        {"pair", {.block = {32}, .grid = {4}}}, {"pair", {.block = {32}, .grid = {4}, .cluster = {2}}},
        {"big", {.block = {1024}, .dynamic_shared_bytes = 32448}}, {"big", {.block = {32}, .cluster = {16}, .grid = {16}}},
        {"max", {.block = {1, 1, 64}}}, {"four", {.block = {32}}}, {"four", {.block = {32}, .cluster = {4}, .grid = {4}}},
        {"said", {.block = {32}, .cluster = {1}}}, {"said", {.block = {32}, .cluster = {2}, .grid = {4}}},
        {"both", {.block = {32}, .grid = {2}}}, {"wide", {.grid = {3, 2}}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct launch_spec spec = rows[i].spec;
        spec.params = &out;
        spec.param_bytes = 8;
        rig_must_run(&rig, rows[i].entry, spec);
    }
    rig_end(&rig);
}

/* SOURCE: ptx-async.md 8.8: in order, each aligned to its size or .align; no trailing padding. */
static void parameters_lie_by_declaration(void **state)
{
    struct bench_room *const room = *state;
    struct rig rig;
    rig_load(&rig, room, "k.ptx",
             ".version 8.8\n.target sm_90a\n.address_size 64\n"
             ".visible .entry k(.param .u8 a, .param .u64 b, .param .f32 c, .param .align 64 .b8 map[128], .param .u16 d)\n{\nret;\n}\n");
    struct param_layout layout;
    assert_true(tw_program_params(rig.program, "k", &room->diags, &layout));
    static const uint32_t offsets[] = {0, 8, 16, 64, 192}, bytes[] = {1, 8, 4, 128, 2};
    assert_int_equal(layout.count, 5);
    assert_int_equal(layout.bytes, 194);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(layout.slots[i].offset, offsets[i]);
        assert_int_equal(layout.slots[i].bytes, bytes[i]);
    }
    assert_string_equal(layout.slots[3].name, "map");
    rig_end(&rig);
}

/* %tid, %ctaid and their counts in three dimensions; linear thread = x + y * nx + z * nx * ny. */
static void threads_know_their_place(void **state)
{
    struct rig rig;
    rig_load(&rig, *state, "k.ptx",
             ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
             ".reg .b32 %r<30>; .reg .b64 %q<9>;\n"
             "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;\n"
             "mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;\n"
             "mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ctaid.y; mov.u32 %r9, %ctaid.z;\n"
             "mov.u32 %r10, %nctaid.x; mov.u32 %r11, %nctaid.y; mov.u32 %r12, %nctaid.z;\n"
             "mov.u32 %r13, %laneid; mov.u32 %r14, %warpid; mov.u32 %r15, %lanemask_lt; mov.u32 %r16, %tid.w;\n"
             "mad.lo.u32 %r20, %r9, %r11, %r8; mad.lo.u32 %r20, %r20, %r10, %r7;\n" /* linear block */
             "mad.lo.u32 %r21, %r3, %r5, %r2; mad.lo.u32 %r21, %r21, %r4, %r1;\n"   /* linear thread */
             "mul.lo.u32 %r22, %r4, %r5; mul.lo.u32 %r22, %r22, %r6; mad.lo.u32 %r23, %r20, %r22, %r21;\n"
             "ld.param.u64 %q1, [out]; mad.wide.u32 %q2, %r23, 32, %q1;\n"
             "st.global.v4.u32 [%q2], {%r20, %r21, %r13, %r14};\nst.global.v4.u32 [%q2+16], {%r15, %r16, %r22, %r12};\nret;\n}\n");
    uint64_t out = tw_memory_alloc(rig.memory, 32 * 12 * 60, "out");
    const uint32_t *const words = rig_host(&rig, out);
    rig_must_run(&rig, "k", (struct launch_spec){.grid = {2, 3, 2}, .block = {5, 4, 3}, .params = &out, .param_bytes = 8});
    for (uint32_t b = 0; b < 12; b++)
        for (uint32_t t = 0; t < 60; t++) {
            const uint32_t *const got = &words[(b * 60 + t) * 8];
            const uint32_t want[8] = {b, t, t % 32, t / 32, (1u << t % 32) - 1, 0, 60, 2};
            assert_memory_equal(got, want, sizeof want);
        }
    rig_end(&rig);
}

/* MEASURED: ptx-async.md 5.2: statics from 0x400, dynamic memory behind them, aligned. */
static void shared_memory_lies_as_measured(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words =
        kernel_load(&rig, *state,
                    ".version 8.8\n.target sm_90a\n.address_size 64\n.shared .align 4 .b8 a[12];\n.extern .shared .align 16 .b8 dyn[];\n"
                    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<9>; .reg .b64 %q<9>;\n"
                    "mov.u32 %r1, a; mov.u32 %r2, dyn; mov.u32 %r3, %dynamic_smem_size; mov.u32 %r4, %total_smem_size;\n"
                    "mov.u32 %r5, %aggr_smem_size; mov.u32 %r6, %reserved_smem_offset_end; mov.u32 %r7, %reserved_smem_offset_cap;\n"
                    "ld.param.u64 %q1, [out];\nst.global.v4.u32 [%q1], {%r1, %r2, %r3, %r4};\n"
                    "st.global.u32 [%q1+16], %r5;\nst.global.u32 [%q1+20], %r6;\nst.global.u32 [%q1+24], %r7;\nret;\n}\n",
                    &out);
    rig_must_run(&rig, "k", (struct launch_spec){.block = {1}, .dynamic_shared_bytes = 1000, .params = &out, .param_bytes = 8});
    static const uint32_t want[7] = {0x400, 0x410, 0x3e8, 0x400, 0x7f8, 0x120, 0x400};
    assert_memory_equal(words, want, sizeof want);
    rig_end(&rig);
}

/* Module data: initial values, addresses in initialisers, constants. */
static void module_variables_hold_their_initial_values(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words =
        kernel_load(&rig, *state,
                    ".version 8.8\n.target sm_90a\n.address_size 64\n"
                    ".global .align 4 .u32 table[4] = {10, 20, 30};\n.const .align 4 .u16 c[3] = {7, 8, 9};\n"
                    ".global .align 8 .u64 where[2] = {table, generic(table)+8};\n"
                    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<9>; .reg .b64 %q<9>;\n"
                    "ld.global.u32 %r1, [table+4];\nld.const.u16 %r2, [c+4];\nld.global.u64 %q1, [where+8];\nld.u32 %r3, [%q1];\n"
                    "mov.u64 %q2, c;\ncvta.const.u64 %q2, %q2;\nld.u16 %r4, [%q2+2];\n"
                    "ld.param.u64 %q3, [out];\nst.global.v4.u32 [%q3], {%r1, %r2, %r3, %r4};\nret;\n}\n",
                    &out);
    kernel_must_run(&rig, &out, 1, 1, 0);
    static const uint32_t want[4] = {20, 9, 30, 8};
    assert_memory_equal(words, want, sizeof want);
    assert_true(tw_program_symbol(rig.program, "table") != 0);
    assert_int_equal(tw_program_symbol(rig.program, "c"), 0);
    rig_end(&rig);
}

/* Sizes that no device has are refused, whatever arithmetic on them would give. */
static void variables_that_cannot_fit_are_refused(void **state)
{
    static const struct { const char *decl, *body, *want; } rows[] = {
        {"", ".local .align 4 .b8 big[8589934600];\nst.local.u32 [big], 1;\n",
         "k.ptx:7:21: error[E0716]: variable 'big' does not fit\n"
         "    7 | .local .align 4 .b8 big[8589934600];\n"
         "      |                     ^~~\n"
         "  expected: at most 524288 bytes for the local variables of a function\n"},
        {"", "{\n.param .b8 arg[4294967300];\nst.param.b8 [arg], 1;\n}\n",
         "k.ptx:8:12: error[E0716]: variable 'arg' does not fit\n"
         "    8 | .param .b8 arg[4294967300];\n"
         "      |            ^~~\n"
         "  expected: at most 32768 bytes for the parameters and call arguments of a function\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        struct text t;
        const uint64_t out = 0;
        tw_text_init(&t, &room->arena);
        tw_text_addf(&t, ".version 8.8\n.target sm_90a\n.address_size 64\n%s\n.visible .entry k(.param .u64 out)\n{\n%sret;\n}\n", rows[i].decl, rows[i].body);
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        rig_load(&rig, room, "k.ptx", t.at);
        assert_null(tw_launch_new(rig.program, "k", &(struct launch_spec){.params = &out, .param_bytes = 8}, &room->diags));
        tw_test_expect_diags(room, rows[i].want);
        rig_end(&rig);
    }
    struct bench_room *const room = *state;
    tw_diags_init(&room->diags, &room->arena, &room->sources);
}

/* Module variables have a place before anything is launched, or the module is not loaded. */
static void a_module_whose_variables_have_no_place_is_not_loaded(void **state)
{
    static const struct { const char *decl, *want; } rows[] = {
        {".extern .global .align 4 .u32 elsewhere;",
         "k.ptx:4:31: error[E0716]: variable 'elsewhere' cannot be loaded\n"
         "    4 | .extern .global .align 4 .u32 elsewhere;\n"
         "      |                               ^~~~~~~~~\n"
         "     found: it is .extern and no other module defines it\n"},
        {".global .align 4 .b8 big[200000];",
         "k.ptx:4:22: error[E0707]: the limit on memory was reached: variable 'big' has no place\n"
         "    4 | .global .align 4 .b8 big[200000];\n"
         "      |                      ^~~\n"
         "     found: 200000 bytes wanted, 0 in use\n"
         "       fix: raise --max-memory, if the module needs more\n"},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct memory *const memory = tw_memory_new(100000);
        const char *const text = tw_format(&room->arena, ".version 8.8\n.target sm_90a\n.address_size 64\n%s\n.entry k()\n{\nret;\n}\n", rows[i].decl);
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        const struct ptx_module *const module =
            tw_ptx_parse(&room->arena, tw_isa_open(&room->arena), &room->diags, tw_sources_add(&room->sources, "k.ptx", tw_str(text)));
        assert_string_equal(tw_test_diags(room), "");
        assert_null(tw_program_load(&room->arena, &room->diags, module, memory));
        tw_test_expect_diags(room, rows[i].want);
        tw_memory_free(memory);
    }
}

/* 1 and eight products of 2^-25 in the second half of k. A Hopper adds all sixteen in one window of 25 bits: 1 + 2^-22. An
 * Ampere adds the second eight to 1 in a window of 24 bits, where each of them is cut to zero. SOURCE: docs/exactness.md. */
#define MMA_WINDOW(target)                                                                                          \
    ".version 8.8\n.target " target "\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"               \
    ".reg .pred %p1; .reg .b32 %r<9>; .reg .b32 %d<4>; .reg .b64 %out, %at; .reg .b32 %t;\n"                        \
    "ld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %at, %t, 4, %out;\n"                            \
    "and.b32 %r1, %t, 3;\nsetp.eq.u32 %p1, %r1, 0;\nselp.b32 %r2, 0x3c00, 0, %p1;\n"                              \
    "mov.b32 %r3, 0x0c000c00;\nmov.b32 %r4, 0x08000800;\nmov.b32 %r5, 0;\n"                                       \
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%r2, %r2, %r3, %r3}, {%r2, %r4}, {%r5, %r5, %r5, %r5};\n" \
    "st.global.u32 [%at], %d0;\nret;\n}\n"

static void code_for_an_older_gpu_computes_as_the_gpu_that_runs_it(void **state)
{
    static const struct { const char *text; unsigned sm; uint32_t word; } rows[] = {
        {MMA_WINDOW("sm_80"), 0, 0x3f800000}, {MMA_WINDOW("sm_80"), 86, 0x3f800000}, {MMA_WINDOW("sm_80"), 90, 0x3f800002},
        {MMA_WINDOW("sm_80"), 100, 0x3f800002}, {MMA_WINDOW("sm_90"), 0, 0x3f800002}, {MMA_WINDOW("sm_90a"), 90, 0x3f800002},
        {MMA_WINDOW("sm_100f"), 103, 0x3f800002},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        uint64_t out;
        const uint32_t *const words = kernel_load(&rig, *state, rows[i].text, &out);
        rig_must_run(&rig, "k", (struct launch_spec){.block = {32}, .params = &out, .param_bytes = 8, .sm = rows[i].sm});
        assert_int_equal(words[0], rows[i].word);
        rig_end(&rig);
    }
}

/* SOURCE: PTX ISA, ".target": sm_Na is for that chip, sm_Nf for its family, sm_N for all from it on. */
static void code_does_not_run_on_a_gpu_that_it_is_not_for(void **state)
{
    static const struct { const char *text; unsigned sm; const char *expected, *fix; } rows[] = {
        {MMA_WINDOW("sm_90"), 80, "sm_90 or later: the module's target is sm_90", "make the module for sm_80"},
        {MMA_WINDOW("sm_90a"), 100, "sm_90 alone: the module's target is sm_90a", "make the module for sm_100, or for a target without 'a'"},
        {MMA_WINDOW("sm_100f"), 120, "sm_100 or a later one of its family: the module's target is sm_100f",
         "make the module for sm_120, or for a target without 'f'"},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        uint64_t out;
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        (void)kernel_load(&rig, room, rows[i].text, &out);
        assert_int_equal(rig_run(&rig, "k", (struct launch_spec){.block = {32}, .params = &out, .param_bytes = 8, .sm = rows[i].sm}), LAUNCH_FAULT);
        tw_test_expect_diags(room, tw_format(&room->arena,
                                             "error[E0708]: the module does not run on this architecture\n"
                                             "  expected: %s\n     found: sm_%u\n       fix: %s\n",
                                             rows[i].expected, rows[i].sm, rows[i].fix));
        rig_end(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_driver_s_refusals),
        ROOM_TEST(what_fits_is_not_refused),
        ROOM_TEST(parameters_lie_by_declaration),
        ROOM_TEST(threads_know_their_place),
        ROOM_TEST(shared_memory_lies_as_measured),
        ROOM_TEST(module_variables_hold_their_initial_values),
        ROOM_TEST(variables_that_cannot_fit_are_refused),
        ROOM_TEST(a_module_whose_variables_have_no_place_is_not_loaded),
        ROOM_TEST(code_for_an_older_gpu_computes_as_the_gpu_that_runs_it),
        ROOM_TEST(code_does_not_run_on_a_gpu_that_it_is_not_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
