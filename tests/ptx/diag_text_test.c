/* Diagnostics of the text itself, E0501 to E0509 and the limits: the whole rendering compared. */
#include "support/check.h"

#include "isa/isa.h"
#include "ptx/ptx.h"

static void expect(struct bench_room *room, const char *text, const char *want)
{
    const struct isa *isa = tw_isa_open(&room->arena);
    tw_ptx_parse(&room->arena, isa, &room->diags, tw_sources_add(&room->sources, "k.ptx", tw_str(text)));
    tw_test_expect_diags(room, want);
}

static void a_token_out_of_place_is_shown_with_what_is_wanted(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "add.s32 %r1, %r2 %r3;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:18: error[E0501]: unexpected token\n"
        "   10 | add.s32 %r1, %r2 %r3;\n"
        "      |                  ^~~\n"
        "  expected: ';' or ',' after an operand\n"
        "     found: '%r3'\n");
}

static void a_missing_semicolon_is_found_at_the_next_statement(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "add.s32 %r1, %r2, 3\n"
        "add.s32 %r1, %r1, 4;\n"
        "ret;\n"
        "}\n",
        "k.ptx:11:1: error[E0501]: unexpected token\n"
        "   11 | add.s32 %r1, %r1, 4;\n"
        "      | ^~~\n"
        "  expected: ';' or ',' after an operand\n"
        "     found: 'add'\n");
}

static void a_body_without_its_brace_names_where_it_began(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".entry k()\n"
        "{\n"
        "ret;\n",
        "k.ptx:7:1: error[E0501]: unexpected end of the text\n"
        "    7 | \n"
        "      | ^\n"
        "  expected: '}' at the end of the body\n"
        "k.ptx:5:1: note: the body begins here\n"
        "    5 | {\n"
        "      | ^\n");
}

static void a_subtracted_offset_is_refused_with_the_spelling_to_use(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "ld.global.u32 %r1, [%rd1-4];\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:25: error[E0501]: unexpected token\n"
        "   10 | ld.global.u32 %r1, [%rd1-4];\n"
        "      |                         ^\n"
        "  expected: '+' before a byte offset\n"
        "     found: '-'\n"
        "       fix: write a negative offset as +-N\n");
}

static void an_unknown_directive_is_named(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        ".regs .b32 %x;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:1: error[E0502]: unknown directive '.regs'\n"
        "   10 | .regs .b32 %x;\n"
        "      | ^~~~~\n"
        "  expected: an instruction, a label, .reg, .loc, .pragma or a variable\n");
}

static void an_unknown_module_directive_is_named(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".globl .u32 x;\n",
        "k.ptx:4:1: error[E0502]: unknown directive '.globl'\n"
        "    4 | .globl .u32 x;\n"
        "      | ^~~~~~\n"
        "  expected: a function, a variable, .file, .section or .pragma\n");
}

static void a_float_literal_with_too_few_digits_is_malformed(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "mov.f32 %f1, 0f3F8;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:14: error[E0503]: malformed token\n"
        "   10 | mov.f32 %f1, 0f3F8;\n"
        "      |              ^~~~~\n"
        "  expected: an operand: a register, a number, '[', '{' or a name\n"
        "     found: a float literal 0f has eight hexadecimal digits\n");
}

static void a_comment_that_does_not_end_is_told_once(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        "/* to the end\n"
        "ret;\n"
        "}\n",
        "k.ptx:6:1: error[E0503]: malformed token\n"
        "    6 | /* to the end\n"
        "      | ^~~~~~~~~~~~~\n"
        "  expected: an instruction, a label or a directive\n"
        "     found: a comment that does not end\n"
        "k.ptx:5:1: note: the body begins here\n"
        "    5 | {\n"
        "      | ^\n");
}

static void a_comment_behind_the_last_function_ends_too(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        "ret;\n"
        "}\n"
        "/* to the end *\n",
        "k.ptx:8:1: error[E0503]: malformed token\n"
        "    8 | /* to the end *\n"
        "      | ^~~~~~~~~~~~~~~\n"
        "  expected: a directive: a function, a variable, .file, .section or .pragma\n"
        "     found: a comment that does not end\n");
}

static void a_register_declared_twice_shows_both_places(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .b32 %a;\n"
        ".reg .f32 %a;\n"
        "\n"
        "ret;\n"
        "}\n",
        "k.ptx:7:11: error[E0504]: '%a' is already declared in this block\n"
        "    7 | .reg .f32 %a;\n"
        "      |           ^~\n"
        "       fix: use another name, or open a block { } around the second one\n"
        "k.ptx:6:11: note: the earlier declaration\n"
        "    6 | .reg .b32 %a;\n"
        "      |           ^~\n");
}

static void a_label_declared_twice_in_one_block_shows_both_places(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "L:\n"
        "L:\n"
        "ret;\n"
        "}\n",
        "k.ptx:11:1: error[E0504]: label 'L' is already declared in this block\n"
        "   11 | L:\n"
        "      | ^\n"
        "k.ptx:10:1: note: the earlier declaration\n"
        "   10 | L:\n"
        "      | ^\n");
}

static void an_unknown_register_gets_the_nearest_name(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "add.s32 %r1, %r2, %r9;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:19: error[E0505]: unknown name '%r9'\n"
        "   10 | add.s32 %r1, %r2, %r9;\n"
        "      |                   ^~~\n"
        "  expected: a register, variable or special register that is declared here\n"
        "       fix: did you mean '%r7'?\n");
}

static void an_unknown_label_gets_the_nearest_name(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "LOOP:\n"
        "bra LOOPS;\n"
        "ret;\n"
        "}\n",
        "k.ptx:11:5: error[E0505]: unknown label 'LOOPS'\n"
        "   11 | bra LOOPS;\n"
        "      |     ^~~~~\n"
        "  expected: a label of this block or of one around it\n"
        "       fix: did you mean 'LOOP'?\n");
}

static void a_label_of_an_inner_block_is_not_seen_outside(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "{ INNER: }\n"
        "bra INNER;\n"
        "ret;\n"
        "}\n",
        "k.ptx:11:5: error[E0505]: unknown label 'INNER'\n"
        "   11 | bra INNER;\n"
        "      |     ^~~~~\n"
        "  expected: a label of this block or of one around it\n");
}

static void an_unknown_instruction_gets_the_nearest_name(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "addd.s32 %r1, %r2, %r3;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:1: error[E0506]: unknown instruction 'addd.s32'\n"
        "   10 | addd.s32 %r1, %r2, %r3;\n"
        "      | ^~~~\n"
        "       fix: did you mean 'add'?\n");
}

static void an_unknown_member_of_a_family_gets_the_nearest_member(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "mbarrier.try_wiat.parity.shared::cta.b64 %p1, [%r1], 0;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:10: error[E0506]: unknown instruction 'mbarrier.try_wiat.parity.shared::cta.b64'\n"
        "   10 | mbarrier.try_wiat.parity.shared::cta.b64 %p1, [%r1], 0;\n"
        "      |          ^~~~~~~~\n"
        "       fix: did you mean 'mbarrier.try_wait'?\n");
}

static void a_misspelt_family_keeps_the_member(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .b32 %r<8>;\n"
        ".reg .b64 %rd<8>;\n"
        "mbarier.init.shared::cta.b64 [%r1], 1;\n"
        "cp.async.bulk.tensr.2d.global.shared::cta.bulk_group [%rd1, {%r1, %r1}], [%r2];\n"
        "ret;\n"
        "}\n",
        "k.ptx:8:1: error[E0506]: unknown instruction 'mbarier.init.shared::cta.b64'\n"
        "    8 | mbarier.init.shared::cta.b64 [%r1], 1;\n"
        "      | ^~~~~~~\n"
        "       fix: did you mean 'mbarrier.init'?\n"
        "k.ptx:9:15: error[E0507]: unknown modifier '.tensr' on 'cp.async.bulk'\n"
        "    9 | cp.async.bulk.tensr.2d.global.shared::cta.bulk_group [%rd1, {%r1, %r1}], [%r2];\n"
        "      |               ^~~~~\n"
        "  expected: cp.async.bulk.space=global.space2=shared::cta.completion=bulk_group{.cache_hint}{.cp_mask}\n"
        "       fix: did you mean '.tensor'?\n"
        "      spec: PTX ISA, cp.async.bulk\n");
}

static void an_unknown_modifier_gets_the_nearest_spelling(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "tcgen05.mma.cta_group::1.kind::f17 [%r1], %rd1, %rd2, %r2, %p1;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:26: error[E0507]: unknown modifier '.kind::f17' on 'tcgen05.mma'\n"
        "   10 | tcgen05.mma.cta_group::1.kind::f17 [%r1], %rd1, %rd2, %r2, %p1;\n"
        "      |                          ^~~~~~~~~\n"
        "  expected: .kind::f16, .kind::tf32, .kind::f8f6f4 or .kind::i8\n"
        "       fix: did you mean '.kind::f16'?\n"
        "      spec: PTX ISA, tcgen05.mma\n");
}

static void a_modifier_that_the_instruction_does_not_take_is_named(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "add.s32.volatile %r1, %r2, %r3;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:9: error[E0508]: 'add' does not take '.volatile' here\n"
        "   10 | add.s32.volatile %r1, %r2, %r3;\n"
        "      |         ^~~~~~~~\n"
        "  expected: add{.sat}{.cc}.type=u16|u32|u64|s16|s32|s64|u16x2|s16x2\n"
        "      spec: PTX ISA, add, integer\n");
}

static void modifiers_that_exclude_each_other_are_named(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "tcgen05.cp.cta_group::1.64x128b [%r1], %rd1;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:1: error[E0508]: the modifiers of 'tcgen05.cp.cta_group::1.64x128b' do not go together\n"
        "   10 | tcgen05.cp.cta_group::1.64x128b [%r1], %rd1;\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: .warpx2::02_13 or .warpx2::01_23 with .64x128b\n"
        "      spec: PTX ISA, tcgen05.cp\n");
}

static void operands_that_exclude_a_modifier_are_named(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "tcgen05.mma.cta_group::1.kind::f16.ashift [%r1], %rd1, %rd2, %r2, %p1;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:1: error[E0508]: modifiers and operands of 'tcgen05.mma.cta_group::1.kind::f16.ashift' do not go together\n"
        "   10 | tcgen05.mma.cta_group::1.kind::f16.ashift [%r1], %rd1, %rd2, %r2, %p1;\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: A in tensor memory with .ashift\n"
        "      spec: PTX ISA, tcgen05.mma\n");
}

static void two_cta_groups_in_one_function_show_both_places(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
        "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\n"
        "ret;\n"
        "}\n",
        "k.ptx:11:1: error[E0508]: 'tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned' has another CTA group than the function's first\n"
        "   11 | tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
        "  expected: .cta_group::1, as everywhere in this function\n"
        "k.ptx:10:1: note: the first tcgen05 instruction\n"
        "   10 | tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
        "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void a_missing_modifier_is_listed(void **state)
{
    expect(*state,
        ".version 8.8\n"
        ".target sm_100a\n"
        ".address_size 64\n"
        ".visible .entry k(.param .u64 out)\n"
        "{\n"
        ".reg .pred %p<4>;\n"
        ".reg .b32 %r<8>;\n"
        ".reg .f32 %f<4>;\n"
        ".reg .b64 %rd<8>;\n"
        "fma.f32 %f1, %f2, %f3, %f1;\n"
        "ret;\n"
        "}\n",
        "k.ptx:10:1: error[E0509]: 'fma.f32' lacks a modifier\n"
        "   10 | fma.f32 %f1, %f2, %f3, %f1;\n"
        "      | ^~~\n"
        "  expected: the rounding: .rn, .rz, .rm or .rp\n"
        "      spec: PTX ISA, fma\n");
}

/* 200 levels are read, the next is refused. */
static void blocks_nested_too_deeply_are_refused(void **state)
{
    struct bench_room *room = *state;
    const struct isa *isa = tw_isa_open(&room->arena);
    for (unsigned levels = 200; levels <= 201; levels++) {
        struct text t;
        tw_text_init(&t, &room->arena);
        tw_text_add(&t, ".version 8.8\n.target sm_100a\n.entry k()\n{\n");
        for (unsigned i = 0; i < levels; i++)
            tw_text_add(&t, "{\n");
        tw_text_pad(&t, '}', levels);
        tw_text_add(&t, "\nret;\n}\n");
        tw_ptx_parse(&room->arena, isa, &room->diags, tw_sources_add(&room->sources, "k.ptx", (struct str){t.at, t.len}));
        assert_int_equal(room->diags.error_count, levels == 201);
    }
    tw_test_expect_diags(room, "k.ptx:205:1: error[E0519]: blocks nest too deeply\n"
                               "  205 | {\n"
                               "      | ^\n"
                               "  expected: at most 200 levels\n");
}

/* What follows a cut is not there to be complained of: one error, and where the body began. */
static void a_text_that_is_cut_off_is_told_once(void **state)
{
    static const struct { const char *tail, *want; } rows[] = {
        {"bra DONE;\nadd.u32 %r1, %r2",
         "k.ptx:8:17: error[E0501]: unexpected end of the text\n"
         "    8 | add.u32 %r1, %r2\n"
         "      |                 ^\n"
         "  expected: ';' or ',' after an operand\n"
         "k.ptx:5:1: note: the body begins here\n"
         "    5 | {\n"
         "      | ^\n"},
        {"bra DONE;\n",
         "k.ptx:8:1: error[E0501]: unexpected end of the text\n"
         "    8 | \n"
         "      | ^\n"
         "  expected: '}' at the end of the body\n"
         "k.ptx:5:1: note: the body begins here\n"
         "    5 | {\n"
         "      | ^\n"},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        expect(room, tw_format(&room->arena, ".version 8.8\n.target sm_100a\n.address_size 64\n.entry k()\n{\n.reg .b32 %%r<9>;\n%s", rows[i].tail), rows[i].want);
    }
}

static void a_module_begins_with_its_version_and_nothing_else(void **state)
{
    struct bench_room *const room = *state;
    expect(room, "", "k.ptx:1:1: error[E0518]: a module begins with its PTX version\n"
                     "    1 | \n      | ^\n  expected: .version, then .target\n     found: an empty file\n");
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    expect(room, "import tilewright", "k.ptx:1:1: error[E0518]: a module begins with its PTX version\n"
                                      "    1 | import tilewright\n      | ^~~~~~\n  expected: .version, then .target\n     found: 'import'\n");
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    expect(room, "\xef\xbb\xbf.version 8.0\n.target sm_80\n",
           "k.ptx:1:1: error[E0518]: a byte order mark stands before the module\n"
           "    1 | \xef\xbb\xbf.version 8.0\n      | ^~~\n  expected: ASCII text, as ptxas wants it\n"
           "       fix: save the file without a byte order mark\n");
}

static void lines_may_end_with_carriage_returns(void **state)
{
    expect(*state, ".version 8.0\r\n.target sm_80\r\n.address_size 64\r\n.entry k()\r\n{\r\nret;\r\n}\r\n", "");
}

#define BODY(text) ".version 8.8\n.target sm_100a\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<9>;\n" text "\nret;\n}\n"

/* No instruction takes more than 256 registers; the reader's list ends there. */
static void a_vector_of_too_many_elements_is_refused(void **state)
{
    struct bench_room *const room = *state;
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_add(&t, ".version 8.8\n.target sm_100a\n.entry k()\n{\n.reg .b32 %r<9>;\nmov.b64 {%r1");
    for (unsigned i = 1; i < 257; i++)
        tw_text_add(&t, i % 64 == 0 ? ",\n%r1" : ",%r1");
    tw_text_add(&t, "}, %r2;\nret;\n}\n");
    expect(room, t.at,
           "k.ptx:10:1: error[E0519]: too many elements\n"
           "   10 | %r1}, %r2;\n"
           "      | ^~~\n"
           "  expected: at most 256\n");
}

static void an_instruction_of_too_many_operands_is_refused(void **state)
{
    expect(*state, BODY("add.u32 %r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1;"),
           "k.ptx:7:89: error[E0519]: too many operands\n"
           "    7 | add.u32 %r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1;\n"
           "      |                                                                                         ^~~\n"
           "  expected: at most 20\n");
}

static void a_register_range_of_too_long_a_name_is_refused(void **state)
{
    expect(*state,
           BODY(".reg .b32 "
                "%aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                "<4>;"),
           "k.ptx:7:11: error[E0519]: the name of a register range has more than 100 characters\n"
           "    7 | .reg .b32 "
           "%aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
           "<4>;\n"
           "      |           "
           "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~"
           "\n");
}

/* SOURCE: PTX ISA, "Vectors"; ptxas 13.0 refuses each of these, too, the index in a register apart. */
static void a_vector_register_is_named_by_its_components(void **state)
{
    struct bench_room *const room = *state;
    expect(room, BODY(".reg .v4 .b64 %w;"),
           "k.ptx:7:6: error[E0522]: there are no vector registers of this type\n"
           "    7 | .reg .v4 .b64 %w;\n      |      ^~~\n"
           "  expected: a vector of at most 128 bits\n     found: .v4 .b64\n");
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    expect(room, BODY(".reg .v2 .b32 %w;\nmov.b32 %w.z, 1;"),
           "k.ptx:8:9: error[E0505]: '%w' has no such component\n"
           "    8 | mov.b32 %w.z, 1;\n      |         ^~~~\n  expected: .x or .y\n");
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    expect(room, BODY(".reg .v2 .b32 %w;\n.reg .b64 %a;\nst.global.v4.b32 [%a], {%w, %w};"),
           "k.ptx:9:25: error[E0511]: a vector inside braces\n"
           "    9 | st.global.v4.b32 [%a], {%w, %w};\n      |                         ^~\n  expected: a scalar: one component, such as .x\n");
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    expect(room, BODY(".reg .v2 .b32 %w;\n@%w bra L;\nL:"),
           "k.ptx:8:2: error[E0523]: the guard '%w' is no predicate\n"
           "    8 | @%w bra L;\n      |  ^~\n  expected: a .pred register\n     found: a vector register\n");
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    expect(room, BODY(".shared .b32 s[4];\nld.shared.b32 %r1, s[%r2];"),
           "k.ptx:8:22: error[E0501]: unexpected token\n"
           "    8 | ld.shared.b32 %r1, s[%r2];\n      |                      ^~~\n"
           "  expected: a constant: an index in a register is not supported\n     found: '%r2'\n"
           "       fix: compute the address in a register\n");
}

static void a_function_of_too_many_registers_is_refused(void **state)
{
    expect(*state, BODY(".reg .b32 %a<1048576>;\n.reg .v4 .b32 %b<262144>;"),
           "k.ptx:8:15: error[E0519]: too many registers\n"
           "    8 | .reg .v4 .b32 %b<262144>;\n      |               ^~\n  expected: at most 2097152 in a function\n");
}

#define VARIABLE(text) ".version 8.8\n.target sm_100a\n.address_size 64\n.shared .u32 s;\n.global .u32 g;\n" text "\n"

/* MEASURED: ptxas 13.0 refuses them all but the texture. */
static void a_value_that_a_variable_cannot_have_is_refused(void **state)
{
    static const struct {
        const char *declaration, *want;
    } rows[] = {
        {VARIABLE(".global .f32 x = 2;"), "k.ptx:6:18: error[E0522]: 'x' cannot have this value\n    6 | .global .f32 x = 2;\n"
                                          "      |                  ^\n  expected: a number with a point or an exponent, or 0f or 0d\n"},
        {VARIABLE(".global .u32 x = 2.0;"), "k.ptx:6:18: error[E0522]: 'x' cannot have this value\n    6 | .global .u32 x = 2.0;\n"
                                            "      |                  ^~~\n  expected: an integer\n"},
        {VARIABLE(".global .f16 x = 1;"), "k.ptx:6:18: error[E0522]: 'x' cannot have this value\n    6 | .global .f16 x = 1;\n"
                                          "      |                  ^\n  expected: no value: declare it .b16 or .b32\n"},
        {VARIABLE(".global .u8 x = g;"),
         "k.ptx:6:17: error[E0522]: 'x' cannot hold an address\n    6 | .global .u8 x = g;\n"
         "      |                 ^\n  expected: a variable of .u64, or bytes 0xFF(name), 0xFF00(name), ...\n"},
        {VARIABLE(".global .u64 x = s;"), "k.ptx:6:18: error[E0522]: 's' has no address before a launch\n    6 | .global .u64 x = s;\n"
                                          "      |                  ^\n  expected: a variable in .global or .const\n"},
        {VARIABLE(".global .u8 x[1] = {0xFF0(g)};"),
         "k.ptx:6:21: error[E0522]: this mask picks no byte of an address\n    6 | .global .u8 x[1] = {0xFF0(g)};\n"
         "      |                     ^~~~~\n  expected: 0xFF, 0xFF00, 0xFF0000, ... for one byte\n     found: 0xFF0\n"},
        {VARIABLE(".global .texref t;"),
         "k.ptx:6:9: error[E0522]: textures and surfaces are not supported\n    6 | .global .texref t;\n"
         "      |         ^~~~~~~\n  expected: a program that reads global memory by ld\n"},
        {VARIABLE(".global .u8 x[];"), "k.ptx:6:13: error[E0522]: 'x' has no size\n    6 | .global .u8 x[];\n"
                                       "      |             ^\n  expected: a length, values, or .extern\n"},
        {VARIABLE(".entry k(.param .v2 .f32 x) { ret; }"),
         "k.ptx:6:26: error[E0522]: 'x' is a parameter of a vector type\n    6 | .entry k(.param .v2 .f32 x) { ret; }\n"
         "      |                          ^\n  expected: a scalar, or an array of bytes\n"},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        expect(room, rows[i].declaration, rows[i].want);
    }
}

/* The reader goes on at the next statement: independent mistakes are all reported, each once. */
static void several_mistakes_are_reported_in_one_reading(void **state)
{
    struct bench_room *room = *state;
    const struct isa *isa = tw_isa_open(&room->arena);
    tw_ptx_parse(&room->arena, isa, &room->diags,
                 tw_sources_add(&room->sources, "k.ptx",
                                STR(".version 8.8\n.target sm_100a\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<4>;\n"
                                    "add.s32 %r1, %r2;\nadd.s32 {%r1}, %r2, %r3;\nfrob.u32 %r1;\nmov.u32 %r9, %r1;\nbra NOWHERE;\nret;\n}\n")));
    static const enum diag_code want[] = {E0510, E0511, E0506, E0505, E0505};
    assert_int_equal(room->diags.list.len, COUNT(want));
    for (uint32_t i = 0; i < COUNT(want); i++)
        assert_int_equal(room->diags.list.at[i]->code, want[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_token_out_of_place_is_shown_with_what_is_wanted),
        ROOM_TEST(a_missing_semicolon_is_found_at_the_next_statement),
        ROOM_TEST(a_body_without_its_brace_names_where_it_began),
        ROOM_TEST(a_subtracted_offset_is_refused_with_the_spelling_to_use),
        ROOM_TEST(an_unknown_directive_is_named),
        ROOM_TEST(an_unknown_module_directive_is_named),
        ROOM_TEST(a_float_literal_with_too_few_digits_is_malformed),
        ROOM_TEST(a_comment_that_does_not_end_is_told_once),
        ROOM_TEST(a_comment_behind_the_last_function_ends_too),
        ROOM_TEST(a_register_declared_twice_shows_both_places),
        ROOM_TEST(a_label_declared_twice_in_one_block_shows_both_places),
        ROOM_TEST(an_unknown_register_gets_the_nearest_name),
        ROOM_TEST(an_unknown_label_gets_the_nearest_name),
        ROOM_TEST(a_label_of_an_inner_block_is_not_seen_outside),
        ROOM_TEST(an_unknown_instruction_gets_the_nearest_name),
        ROOM_TEST(an_unknown_member_of_a_family_gets_the_nearest_member),
        ROOM_TEST(a_misspelt_family_keeps_the_member),
        ROOM_TEST(an_unknown_modifier_gets_the_nearest_spelling),
        ROOM_TEST(a_modifier_that_the_instruction_does_not_take_is_named),
        ROOM_TEST(modifiers_that_exclude_each_other_are_named),
        ROOM_TEST(operands_that_exclude_a_modifier_are_named),
        ROOM_TEST(two_cta_groups_in_one_function_show_both_places),
        ROOM_TEST(a_missing_modifier_is_listed),
        ROOM_TEST(a_text_that_is_cut_off_is_told_once),
        ROOM_TEST(a_module_begins_with_its_version_and_nothing_else),
        ROOM_TEST(lines_may_end_with_carriage_returns),
        ROOM_TEST(a_vector_register_is_named_by_its_components),
        ROOM_TEST(a_value_that_a_variable_cannot_have_is_refused),
        ROOM_TEST(a_function_of_too_many_registers_is_refused),
        ROOM_TEST(blocks_nested_too_deeply_are_refused),
        ROOM_TEST(a_vector_of_too_many_elements_is_refused),
        ROOM_TEST(an_instruction_of_too_many_operands_is_refused),
        ROOM_TEST(a_register_range_of_too_long_a_name_is_refused),
        ROOM_TEST(several_mistakes_are_reported_in_one_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
