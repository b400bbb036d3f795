/* The grammar piece by piece: what the module holds after reading. */
#include "support/check.h"

#include "isa/isa.h"
#include "ptx/ptx.h"

static const struct ptx_module *read(struct bench_room *room, const char *body)
{
    const char *text = tw_format(&room->arena, ".version 8.8\n.target sm_100a\n.address_size 64\n%s", body);
    const struct ptx_module *m = tw_ptx_parse(&room->arena, tw_isa_open(&room->arena), &room->diags,
                                              tw_sources_add(&room->sources, "k.ptx", tw_str(text)));
    tw_test_expect_diags(room, "");
    return m;
}

static const struct ptx_func *read_entry(struct bench_room *room, const char *statements, const struct ptx_module **module)
{
    const struct ptx_module *m = read(room, tw_format(&room->arena, ".visible .entry k(.param .u64 out)\n{\n%s\nret;\n}\n", statements));
    if (module != NULL)
        *module = m;
    return &m->funcs.at[m->funcs.len - 1];
}

static const char *printed(struct bench_room *room, const struct ptx_module *m, const struct ptx_func *f, uint32_t inst)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_ptx_print_inst(m, f, &f->insts.at[inst], &t);
    return t.at;
}

static void the_header_gives_version_target_and_options(void **state)
{
    struct bench_room *room = *state;
    const struct ptx_module *m = tw_ptx_parse(&room->arena, tw_isa_open(&room->arena), &room->diags,
                                              tw_sources_add(&room->sources, "k.ptx", STR(".version 7.8 .target sm_90, debug .address_size 64")));
    tw_test_expect_diags(room, "");
    assert_int_equal(m->env.ptx, 78);
    assert_int_equal(m->env.target.sm, 90);
    assert_int_equal(m->env.target.suffix, 0);
    assert_int_equal(m->address_size, 64);
    assert_string_equal(m->target_options.at[0], "debug");
}

/* SOURCE: PTX ISA, "Kernel Function Parameters": in order, each aligned to its natural or written alignment. */
static void kernel_parameters_have_offsets(void **state)
{
    struct bench_room *room = *state;
    const struct ptx_module *m = read(room, ".entry k(.param .u32 a, .param .u64 .ptr .global .align 16 b, .param .u8 c,\n"
                                            ".param .align 64 .b8 map[128], .param .f32 d) { ret; }\n");
    const struct ptx_func *f = &m->funcs.at[0];
    static const uint64_t offsets[] = {0, 8, 16, 64, 192};
    assert_int_equal(f->param_count, 5);
    for (uint32_t i = 0; i < COUNT(offsets); i++)
        assert_int_equal(f->vars.at[i].offset, offsets[i]);
    assert_int_equal(f->param_bytes, 196);
    assert_true(f->vars.at[1].is_ptr);
    assert_int_equal(f->vars.at[1].ptr_space, MOD_GLOBAL);
    assert_int_equal(f->vars.at[1].ptr_align, 16);
    assert_int_equal(f->vars.at[3].bytes, 128);
}

static void launch_directives_are_kept(void **state)
{
    struct bench_room *room = *state;
    const struct ptx_module *m = read(room, ".entry k()\n.reqntid 128, 2\n.minnctapersm 2 .maxnreg 168\n.reqnctapercluster 2\n.explicitcluster\n{ ret; }\n");
    const struct ptx_directives *d = &m->funcs.at[0].directives;
    assert_int_equal(d->reqntid[0], 128);
    assert_int_equal(d->reqntid[1], 2);
    assert_int_equal(d->reqntid[2], 1);
    assert_int_equal(d->reqntid_dims, 2);
    assert_int_equal(d->minnctapersm, 2);
    assert_int_equal(d->maxnreg, 168);
    assert_int_equal(d->reqnctapercluster[0], 2);
    assert_true(d->explicitcluster);
}

/* SOURCE: ptx-census.md: 265 of 591 kernels declare one name in several blocks, 169 one label. */
static void names_of_blocks_are_their_own(void **state)
{
    struct bench_room *room = *state;
    const struct ptx_module *m;
    const struct ptx_func *f = read_entry(room,
        ".reg .b32 %r<3>; .reg .pred %p<2>;\n"
        "{ .reg .b32 t; L: mov.u32 t, 1; @%p1 bra L; }\n"
        "{ .reg .b32 t, %r1; L: mov.u32 t, %r1; @%p1 bra L; mov.u32 %r2, t; }", &m);
    assert_int_equal(f->regs.len, 8);
    assert_int_equal(tw_ptx_operand(f, &f->insts.at[0], ROLE_D)->index, 5);
    assert_int_equal(tw_ptx_operand(f, &f->insts.at[2], ROLE_D)->index, 6);
    assert_int_equal(tw_ptx_operand(f, &f->insts.at[2], ROLE_A)->index, 7); /* the inner %r1 */
    assert_int_equal(tw_ptx_operand(f, &f->insts.at[4], ROLE_D)->index, 2); /* %r2 of the range outside */
    assert_int_equal(f->labels.at[tw_ptx_operand(f, &f->insts.at[1], ROLE_LABEL)->index].inst, 0);
    assert_int_equal(f->labels.at[tw_ptx_operand(f, &f->insts.at[3], ROLE_LABEL)->index].inst, 2);
}

static void a_label_may_stand_further_down_or_around(void **state)
{
    struct bench_room *room = *state;
    const struct ptx_func *f = read_entry(room, "{ bra END; { bra.uni OUT; } END: }\nOUT:", NULL);
    assert_int_equal(f->labels.at[tw_ptx_operand(f, &f->insts.at[0], ROLE_LABEL)->index].inst, 2);
    assert_int_equal(f->labels.at[tw_ptx_operand(f, &f->insts.at[1], ROLE_LABEL)->index].inst, 2);
    assert_string_equal(f->labels.at[tw_ptx_operand(f, &f->insts.at[1], ROLE_LABEL)->index].name, "OUT");
}

static void instructions_print_in_canonical_form(void **state)
{
    static const struct {
        const char *written, *canonical;
    } rows[] = {
        {"tcgen05.ld.sync.aligned.32x32b.x2.b32{%r1,%r2},[%r3+-4];", "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r3+-4];"},
        {"ld.global.b32 { %r3 }, [ %rd3 + 0 ];", "ld.global.b32 %r3, [%rd3];"},
        {"ld.shared.u32 %r1, [s+16+-8];", "ld.shared.u32 %r1, [s+8];"},
        {"ld .shared .u32 %r1, [s];", "ld.shared.u32 %r1, [s];"},
        {"@!%p1 st.global.v4.b32 [%rd1], {%r1, 0x10, 017, 0b11};", "@!%p1 st.global.v4.b32 [%rd1], {%r1, 16, 15, 3};"},
        {"shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, 0xffffffff;", "shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, 4294967295;"},
        {"elect.sync _|%p1, -1;", "elect.sync _|%p1, -1;"},
        {"setp.lt.and.f32 %p1|%p2, %f1, 0f3F800000, !%p3;", "setp.lt.and.f32 %p1|%p2, %f1, 0f3F800000, !%p3;"},
        {"mov.f32 %f1, 1.5;", "mov.f32 %f1, 0d3FF8000000000000;"},
        {"mov.f32 %f1, -1.5e0;", "mov.f32 %f1, 0dBFF8000000000000;"},
        {"add.rn.f32 %f1, %f2, -0d3FF0000000000000;", "add.rn.f32 %f1, %f2, 0dBFF0000000000000;"},
        {"mov.b64 %rd1, {%r1, %r2};", "mov.b64 %rd1, {%r1, %r2};"},
        {"mov.b64 {%r1, _}, %rd1;", "mov.b64 {%r1, _}, %rd1;"},
        {"mov.u32 %r1, WARP_SZ;", "mov.u32 %r1, 32;"},
        {"mov.u32 %r1, %tid.x;", "mov.u32 %r1, %tid.x;"},
        {"mov.u64 %rd1, %clock64;", "mov.u64 %rd1, %clock64;"},
        {"mov.u32 %r1, s+4;", "mov.u32 %r1, s+4;"},
        {"mov.u64 %rd1, -9223372036854775808;", "mov.u64 %rd1, -9223372036854775808;"},
        {"mov.u64 %rd1, 0xFFFFFFFFFFFFFFFFU;", "mov.u64 %rd1, -1;"},
        {"mov.u32 %r1, ~0;", "mov.u32 %r1, -1;"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1, {%r1, 0}], [s+64];",
         "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1, {%r1, 0}], [s+64];"},
        {"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, {%r1,%r2,%r3,%r4}, %p1, 3;",
         "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, {%r1, %r2, %r3, %r4}, %p1, 3;"},
        {"tcgen05.mma.cta_group::1.kind::f16 [%r1], [%r3], %rd2, %r2, 1;", "tcgen05.mma.cta_group::1.kind::f16 [%r1], [%r3], %rd2, %r2, 1;"},
        {"mbarrier.arrive.expect_tx.shared::cta.b64 _, [s], 512;", "mbarrier.arrive.expect_tx.shared::cta.b64 _, [s], 512;"},
        {"// comment\n/* another */ bar.sync 0; // end", "bar.sync 0;"},
        {"mov.f32 %f1, .5;", "mov.f32 %f1, 0d3FE0000000000000;"},
        {"ld.global.v4.f32 %v, [%rd1];", "ld.global.v4.f32 {%v.x, %v.y, %v.z, %v.w}, [%rd1];"},
        {"mov.b64 %rd1, %w2;", "mov.b64 %rd1, {%w2.x, %w2.y};"},
        {"add.f32 %v.r, %v.y, %v.a;", "add.f32 %v.x, %v.y, %v.w;"},
        {"mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid;", "mov.v4.u32 {%r1, %r2, %r3, %r4}, {%tid.x, %tid.y, %tid.z, %tid.w};"},
        {"ld.shared.u32 %r1, words[3];", "ld.shared.u32 %r1, [words+12];"},
        {"mov.u32 %r1, words[1+1];", "mov.u32 %r1, words+8;"},
        {"mov.u64 %rd1, callee;", "mov.u64 %rd1, callee;"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct ptx_module *m;
        const char *const declared = ".func callee()\n{\nret;\n}\n.visible .entry k()\n{\n.reg .pred %p<4>; .reg .b32 %r<8>; .reg .f32 %f<4>; "
                                     ".reg .b64 %rd<4>; .reg .v4 .f32 %v; .reg .v2 .b32 %w<3>;\n"
                                     ".shared .align 16 .b8 s[128]; .shared .b32 words[2][4];\n";
        m = read(room, tw_format(&room->arena, "%s%s\nret;\n}\n", declared, rows[i].written));
        const struct ptx_func *const f = &m->funcs.at[1];
        assert_string_equal(printed(room, m, f, 0), rows[i].canonical);
    }
}

/* ptxas takes .reg .b32 %z<0>; what is left of the line is printed as a line of its own. */
static void a_range_of_no_registers_declares_none(void **state)
{
    struct bench_room *room = *state;
    const struct ptx_func *f = read_entry(room, ".reg .b32 %z<0>, %a;\n.reg .pred %p<0>;\nmov.u32 %a, 1;", NULL);
    assert_int_equal(f->regs.len, 1);
    assert_int_equal(f->reg_decls.len, 1);
    assert_false(f->reg_decls.at[0].continues);
}

/* An operand that was left out keeps its place. */
static void operands_stand_in_the_places_of_the_form(void **state)
{
    struct bench_room *room = *state;
    const struct ptx_func *f = read_entry(room, ".reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
                                                "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;\n"
                                                "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, {%r4,%r5,%r6,%r7}, !%p1;", NULL);
    for (uint32_t i = 0; i < 2; i++) {
        const struct ptx_inst *inst = &f->insts.at[i];
        assert_int_equal(inst->form->op, OP_TCGEN05_MMA);
        assert_int_equal(tw_ptx_operand(f, inst, ROLE_OUTPUT_MASK)->kind, i == 0 ? OPERAND_NONE : OPERAND_VECTOR);
        assert_int_equal(tw_ptx_operand(f, inst, ROLE_ENABLE_D)->kind, OPERAND_REG);
        assert_int_equal(tw_ptx_operand(f, inst, ROLE_ENABLE_D)->negated, i == 1);
        assert_int_equal(tw_ptx_operand(f, inst, ROLE_SCALE_INPUT_D)->kind, OPERAND_NONE);
        assert_int_equal(tw_ptx_operand(f, inst, ROLE_META)->kind, OPERAND_NONE);
        assert_int_equal(tw_ptx_mod(inst, SLOT_KIND), MOD_KIND_F16);
        assert_int_equal(tw_ptx_mod(inst, SLOT_COLLECTOR), MOD_NONE);
    }
    assert_int_equal(tw_ptx_operand(f, &f->insts.at[1], ROLE_OUTPUT_MASK)->count, 4);
}

static void variables_and_initialisers_are_flattened(void **state)
{
    struct bench_room *room = *state;
    const struct ptx_module *m = read(room,
        ".global .align 8 .u32 grid[2][3] = {{1, 2}, {0x10, -1, 5}};\n.global .u8 open[] = {7, 8, 9};\n"
        ".const .f32 pi = 0f40490FDB;\n.global .u64 where = generic(grid)+8;\n.global .b8 bytes[2] = {0xff(open), 0xff00(open)};\n"
        ".extern .shared .align 1024 .b8 dyn[];\n.visible .global .v2 .f32 pair = {1.0, 2.0};\n");
    const struct ptx_var *grid = &m->vars.at[0], *open = &m->vars.at[1];
    static const struct {
        uint64_t element;
        int64_t value;
    } want[] = {{0, 1}, {1, 2}, {3, 16}, {4, -1}, {5, 5}};
    assert_int_equal(grid->bytes, 24);
    assert_int_equal(grid->align, 8);
    assert_int_equal(grid->init.len, COUNT(want));
    for (uint32_t i = 0; i < COUNT(want); i++) {
        assert_int_equal(grid->init.at[i].element, want[i].element);
        assert_int_equal(grid->init.at[i].value, want[i].value);
    }
    assert_int_equal(open->bytes, 3);
    assert_int_equal(m->vars.at[2].init.at[0].value, 0x40490fdb);
    assert_int_equal(m->vars.at[3].init.at[0].kind, INIT_GENERIC);
    assert_int_equal(m->vars.at[3].init.at[0].value, 8);
    assert_int_equal(m->vars.at[4].init.at[1].mask, 2);
    assert_int_equal(m->vars.at[5].bytes, 0);
    assert_true(m->vars.at[5].open_array);
    assert_int_equal(m->vars.at[6].bytes, 8);
}

static void source_lines_are_in_effect_until_the_next(void **state)
{
    struct bench_room *room = *state;
    const struct ptx_module *m = read(room, ".file 1 \"a.cu\"\n.file 2 \"b.h\", 1700000000, 42\n.entry k()\n{\nbar.sync 0;\n.loc 1 10 3\n"
                                            "bar.sync 1;\nbar.sync 2;\n.loc 2 5 1, function_name $L__info_string0+4, inlined_at 1 11 7\nret;\n}\n"
                                            ".section .debug_str { $L__info_string0: .b8 102, 0 }\n");
    const struct ptx_func *f = &m->funcs.at[0];
    static const uint32_t locs[] = {0, 1, 1, 2};
    for (uint32_t i = 0; i < COUNT(locs); i++)
        assert_int_equal(f->insts.at[i].loc, locs[i]);
    assert_int_equal(f->locs.at[0].line, 10);
    assert_true(f->locs.at[1].inlined);
    assert_int_equal(f->locs.at[1].at_line, 11);
    assert_int_equal(f->locs.at[1].function_offset, 4);
    assert_string_equal(tw_ptx_find_file(m, 2)->name, "b.h");
    assert_string_equal(m->sections.at[0].name, ".debug_str");
}

static void calls_and_tables_are_resolved(void **state)
{
    struct bench_room *room = *state;
    const struct ptx_module *m = read(room,
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
        ".func (.reg .b32 y) twice(.reg .b32 x)\n{\nadd.s32 y, x, x;\nret;\n}\n"
        ".entry k()\n{\n.reg .b32 %r<3>; .reg .b64 %rd<2>;\nT: .branchtargets A, B;\n"
        "P: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[16], .reg .u32 _) .noreturn;\n"
        "{ .param .b64 a; .param .b64 b; .param .b32 c; call.uni (c), vprintf, (a, b); }\n"
        "call (%r1), twice, (%r2);\nbrx.idx %r1, T;\nA: B:\n"
        "{ .param .align 8 .b8 s[16]; .param .b32 q; call (q), %rd1, (s, %r2), P; }\nret;\n}\n");
    const struct ptx_func *f = &m->funcs.at[2];
    assert_int_equal(m->funcs.at[1].vars.at[0].reg, 1); /* x; y comes first in the text */
    assert_int_equal(tw_ptx_operand(f, &f->insts.at[0], ROLE_CALLEE)->kind, OPERAND_FUNC);
    assert_int_equal(tw_ptx_operand(f, &f->insts.at[0], ROLE_CALLEE)->index, 0);
    assert_int_equal(tw_ptx_operand(f, &f->insts.at[0], ROLE_ARGS)->count, 2);
    assert_int_equal(tw_ptx_operand(f, &f->insts.at[2], ROLE_TARGETS)->index, 0);
    assert_int_equal(f->labels.at[f->tables.at[0].targets.at[1]].inst, 3);
    assert_int_equal(tw_ptx_operand(f, &f->insts.at[3], ROLE_CALLEE)->kind, OPERAND_REG);
    assert_int_equal(f->tables.at[1].params.len, 2);
    assert_true(f->tables.at[1].noreturn);
    assert_true(f->tables.at[1].params.at[1].in_reg);
}

/* What the printer writes reads back and prints the same. */
static void canonical_text_is_a_fixed_point(void **state)
{
    struct bench_room *room = *state;
    const struct ptx_module *m = read(room, ".global .u32 g[2] = {1, 2};\n.global .u8 b[2] = {0xFF00(g+4), 0xFF(generic(g)+4)};\n.visible .entry k(.param .u64 p)\n.maxntid 64\n{\n"
                                            ".reg .b32 %r<3>, x;\n.reg .v2 .u32 %v<2>;\n{\n.reg .b32 y;\nL:\nmov.u32 y, x;\nbra L;\n}\n.pragma \"nounroll\";\nret;\n}\n");
    struct text first, second;
    tw_text_init(&first, &room->arena);
    tw_text_init(&second, &room->arena);
    tw_ptx_print(m, &first);
    assert_string_equal(first.at, ".version 8.8\n.target sm_100a\n.address_size 64\n\n.global .u32 g[2] = {1, 2};\n.global .u8 b[2] = {0xFF00(g+4), 0xFF(generic(g)+4)};\n\n"
                                  ".visible .entry k(\n    .param .u64 p\n)\n.maxntid 64\n{\n    .reg .b32 %r<3>;\n    .reg .b32 x;\n    .reg .v2 .u32 %v<2>;\n    {\n"
                                  "        .reg .b32 y;\n    L:\n        mov.u32 y, x;\n        bra L;\n    }\n    .pragma \"nounroll\";\n    ret;\n}\n");
    const struct ptx_module *again = tw_ptx_parse(&room->arena, m->isa, &room->diags,
                                                  tw_sources_add(&room->sources, "printed", (struct str){first.at, first.len}));
    tw_ptx_print(again, &second);
    assert_string_equal(first.at, second.at);
}

/* How functions and variables are linked, and what a body is not: kept, and printed again. */
static void linking_is_kept(void **state)
{
    static const char text[] =
        ".version 8.8\n.target sm_100a\n.address_size 64\n\n.common .global .align 4 .b32 pool[2];\n.weak .global .align 4 .u32 word = 5;\n"
        ".visible .const .align 4 .b32 table[2] = {1, 2};\n.extern .global .align 4 .u32 elsewhere;\n\n"
        ".extern .func stop()\n.noreturn;\n\n.weak .func one()\n{\n    ret;\n}\n\n.visible .func two();\n\n.alias two, one;\n";
    struct bench_room *room = *state;
    struct text printed;
    const struct ptx_module *m = tw_ptx_parse(&room->arena, tw_isa_open(&room->arena), &room->diags, tw_sources_add(&room->sources, "k.ptx", tw_str(text)));
    tw_test_expect_diags(room, "");
    tw_text_init(&printed, &room->arena);
    tw_ptx_print(m, &printed);
    assert_string_equal(printed.at, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_header_gives_version_target_and_options),
        ROOM_TEST(kernel_parameters_have_offsets),
        ROOM_TEST(launch_directives_are_kept),
        ROOM_TEST(names_of_blocks_are_their_own),
        ROOM_TEST(a_label_may_stand_further_down_or_around),
        ROOM_TEST(instructions_print_in_canonical_form),
        ROOM_TEST(a_range_of_no_registers_declares_none),
        ROOM_TEST(operands_stand_in_the_places_of_the_form),
        ROOM_TEST(variables_and_initialisers_are_flattened),
        ROOM_TEST(source_lines_are_in_effect_until_the_next),
        ROOM_TEST(calls_and_tables_are_resolved),
        ROOM_TEST(canonical_text_is_a_fixed_point),
        ROOM_TEST(linking_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
