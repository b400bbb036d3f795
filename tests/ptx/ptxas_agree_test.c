/* Agreement with ptxas 13.0 on ordinary instructions: arithmetic, conversions, loads and stores with every qualifier, atomics, warp
 * collectives, barriers, matrices. Verdicts: tests/ptx/data/ptxas-13.0.tsv. */
#include "ptx/oracle.h"

static const char functions[] = ".global .align 16 .b8 gvar[64];\n.const .align 16 .b8 cvar[64];\n";
static const char head[] =
    ".visible .entry k(.param .u64 P, .param .align 16 .b8 PA[64])\n{\n"
    ".reg .pred p<9>; .reg .b8 b<9>; .reg .b16 h<20>; .reg .u16 uh<9>; .reg .s16 sh<9>; .reg .b32 r<140>; .reg .u32 u<9>; .reg .s32 s<9>;\n"
    ".reg .f32 f<140>; .reg .b64 rd<16>; .reg .u64 ud<9>; .reg .s64 sd<9>; .reg .f64 fd<20>; .reg .f16 hf<4>; .reg .f16x2 hx<4>;\n"
    ".shared .align 16 .b8 svar[256]; .local .align 16 .b8 lvar[64];\n";

/* A column of the table. */
struct where {
    const char *version, *target, *wide; /* registers of 128 bits are younger than the first version */
};
static const struct where columns[] = {
    {"9.0", "sm_100a", ".reg .b128 q<4>;\n"}, {"8.5", "sm_90a", ".reg .b128 q<4>;\n"}, {"8.0", "sm_80", ""}};

static bool is_taken(const struct isa *isa, const struct where *at, struct str statement, char why[160])
{
    struct landing landing;
    struct arena arena;
    tw_arena_init(&arena, &landing, 0);
    if (setjmp(landing.at) != 0)
        abort();
    const char *const text = tw_format(&arena, ".version %s\n.target %s\n.address_size 64\n%s%s%s" STR_FMT "\nret;\n}\n", at->version,
                                       at->target, functions, head, at->wide, STR_ARG(statement));
    struct sources sources;
    struct diags diags;
    tw_sources_init(&sources, &arena);
    tw_diags_init(&diags, &arena, &sources);
    tw_ptx_parse(&arena, isa, &diags, tw_sources_add(&sources, "row", tw_str(text)));
    snprintf(why, 160, "%s", diags.list.len > 0 ? diags.list.at[0]->message : "");
    const bool ok = diags.error_count == 0;
    tw_arena_release(&arena);
    return ok;
}

/* Statements that ptxas takes and we refuse. */
static const struct {
    const char *statement, *reason;
} differences[] = {
    {"cvt.rni.u8.bf16 b1, h2;", "8-bit integers and .bf16 want 8-bit registers, which nobody has"},
    {"cvt.rn.bf16.u8 h1, b2;", "8-bit integers and .bf16 want 8-bit registers, which nobody has"},
    {"mov.v2.b32 {r1,r2},{r3,_};", "a sink has no value to read"},
    {"mov.v2.b32 {r1,r2},{_,r3};", "a sink has no value to read"},
    {"mov.v2.b32 {r1,_},{r3,_};", "a sink has no value to read"},
    {"mov.v2.b32 {r1,_},{_,r3};", "a sink has no value to read"},
    {"mov.v2.b32 {_,r2},{_,r3};", "a sink has no value to read"},
    {"mov.v2.b32 {_,r2},{r3,_};", "a sink has no value to read"},
    {"mov.v2.b32 {r1,r2},{5,_};", "a sink has no value to read"},
    {"mov.v4.b32 {r1,r2,r4,r5},{r3,_,r6,r7};", "a sink has no value to read"},
    {"mov.b32 r1,{h1,_};", "a sink has no value to read"},
    {"mov.b32 r1,{_,h1};", "a sink has no value to read"},
    {"mov.b32 r1,{b1,b2,_,b4};", "a sink has no value to read"},
    {"ld.b32 r1, [r2];", "an address of 64 bits in a narrower register"},
    {"ld.ca.b32 r1, [r2];", "an address of 64 bits in a narrower register"},
    {"ld.b8 b1, [r2];", "an address of 64 bits in a narrower register"},
    {"ld.global.b32 r1, [r2];", "an address of 64 bits in a narrower register"},
    {"st.b32 [r2], r1;", "an address of 64 bits in a narrower register"},
    {"atom.add.u32 r1, [r2], r3;", "an address of 64 bits in a narrower register"},
    {"ld.b32 r1, [h1];", "an address of 64 bits in a narrower register"},
    {"ld.global.b32 r1, [h1];", "an address of 64 bits in a narrower register"},
    {"match.any.sync.b32 r1|_, r2, -1;", "match.any has one destination"},
};

static bool differs(struct str statement)
{
    for (size_t i = 0; i < COUNT(differences); i++)
        if (tw_str_is(statement, differences[i].statement))
            return true;
    return false;
}

/* A difference is a refusal of what ptxas takes; one that has gone must leave the list. */
static void every_drawn_statement_is_taken_or_refused_as_ptxas_does(void **state)
{
    struct bench_room *const room = *state;
    struct str rest = read_file(&room->arena, "tests/ptx/data/ptxas-13.0.tsv"), line;
    assert_non_null(rest.at);
    const struct isa *const isa = tw_isa_open(&room->arena);
    char why[160];
    unsigned rows = 0, excused = 0, wrong = 0;
    while (next_field(&rest, '\n', &line)) {
        struct str statement;
        if (line.len == 0 || line.at[0] == '#' || !next_field(&line, '\t', &statement))
            continue;
        assert_int_equal(line.len, COUNT(columns));
        bool once = false;
        for (size_t i = 0; i < COUNT(columns); i++) {
            const bool ours = is_taken(isa, &columns[i], statement, why), theirs = line.at[i] == '1';
            once |= ours != theirs;
            if (ours == theirs || (differs(statement) && theirs))
                continue;
            wrong++;
            print_message("  %s by us, %s by ptxas: " STR_FMT " at %s for %s (%s)\n", ours ? "taken" : "refused",
                          theirs ? "taken" : "refused", STR_ARG(statement), columns[i].version, columns[i].target, why);
        }
        if (once != differs(statement))
            print_message("  no longer a difference: " STR_FMT "\n", STR_ARG(statement));
        wrong += once != differs(statement);
        excused += once;
        rows++;
    }
    print_message("%u statements compared for three targets, %u differ for a reason\n", rows, excused);
    assert_true(rows > 2000);
    assert_int_equal(excused, COUNT(differences));
    assert_int_equal(wrong, 0);
}

static void a_refusal_says_the_rule_in_words(void **state)
{
    static const struct { const char *statement, *want; } rows[] = {
        {"ld.shared.L2::128B.b32 r1, [r2];",
         "k.ptx:12:1: error[E0508]: the modifiers of 'ld.shared.L2::128B.b32' do not go together\n"
         "   12 | ld.shared.L2::128B.b32 r1, [r2];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: .global or generic addressing with a prefetch size\n"
         "      spec: PTX ISA, ld\n"},
        {"st.local.L1::no_allocate.b32 [r2], r1;",
         "k.ptx:12:1: error[E0508]: the modifiers of 'st.local.L1::no_allocate.b32' do not go together\n"
         "   12 | st.local.L1::no_allocate.b32 [r2], r1;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: .global or generic addressing with an L1 eviction priority\n"
         "      spec: PTX ISA, st\n"},
        {"atom.shared.add.L2::cache_hint.u32 r1, [r2], r3, rd4;",
         "k.ptx:12:1: error[E0508]: the modifiers of 'atom.shared.add.L2::cache_hint.u32' do not go together\n"
         "   12 | atom.shared.add.L2::cache_hint.u32 r1, [r2], r3, rd4;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: .global or generic addressing with .L2::cache_hint\n"
         "      spec: PTX ISA, atom\n"},
        {"ld.global.L2::evict_last.v8.b8 {h1,h2,h3,h4,h5,h6,h7,h8}, [rd1];",
         "k.ptx:12:1: error[E0508]: the modifiers of 'ld.global.L2::evict_last.v8.b8' do not go together\n"
         "   12 | ld.global.L2::evict_last.v8.b8 {h1,h2,h3,h4,h5,h6,h7,h8}, [rd1];\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: .v8.b32 or .v4.b64 with an L2 eviction priority\n"
         "      spec: PTX ISA, ld\n"},
        {"setp.lt.f16 p1|p2, h1, h2;",
         "k.ptx:12:1: error[E0508]: modifiers and operands of 'setp.lt.f16' do not go together\n"
         "   12 | setp.lt.f16 p1|p2, h1, h2;\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: one predicate as destination with .f16 and .bf16\n"
         "      spec: PTX ISA, setp\n"},
        {"cp.async.ca.shared.global [r1], [rd1], 4, 5;",
         "k.ptx:12:43: error[E0514]: the source size of 'cp.async' is out of range\n"
         "   12 | cp.async.ca.shared.global [r1], [rd1], 4, 5;\n"
         "      |                                           ^\n"
         "  expected: at most the number of bytes that are copied\n"
         "     found: 5\n"
         "      spec: PTX ISA, cp.async\n"},
        {"cvta.shared.u64 rd1, gvar;",
         "k.ptx:12:22: error[E0515]: this address is not in shared memory\n"
         "   12 | cvta.shared.u64 rd1, gvar;\n"
         "      |                      ^~~~\n"
         "  expected: an address in shared memory\n"
         "     found: 'gvar', a .global variable\n"
         "      spec: PTX ISA, cvta\n"
         "k.ptx:4:23: note: 'gvar' is declared here\n"
         "    4 | .global .align 16 .b8 gvar[64];\n"
         "      |                       ^~~~\n"},
        {"bar.arrive 0, 0;",
         "k.ptx:12:15: error[E0514]: the thread count of 'bar.arrive' is out of range\n"
         "   12 | bar.arrive 0, 0;\n"
         "      |               ^\n"
         "  expected: the threads that take part, not 0\n"
         "     found: 0\n"
         "      spec: PTX ISA, bar, barrier\n"},
        {"mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {r0,r1,r2,r3}, {r3,r4,r5,r6}, {r6,r7,r8,r9}, {r9,r10,r11,r12}, r5, 1;",
         "k.ptx:12:119: error[E0514]: the sparsity selector of 'mma.sp' is out of range\n"
         "   12 | mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {r0,r1,r2,r3}, {r3,r4,r5,r6}, {r6,r7,r8,r9}, {r9,r10,r11,r12}, r5, 1;\n"
         "      |                                                                                                                       ^\n"
         "  expected: a selector of lanes that hold metadata: below 4, 2 or 1 where a quarter, half or all of a quad does\n"
         "     found: 1\n"
         "      spec: PTX ISA, mma.sp, integer\n"},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        const char *const text = tw_format(&room->arena, ".version 9.0\n.target sm_100a\n.address_size 64\n%s%s\n%s\nret;\n}\n", functions,
                                           head, rows[i].statement);
        (void)tw_ptx_parse(&room->arena, tw_isa_open(&room->arena), &room->diags, tw_sources_add(&room->sources, "k.ptx", tw_str(text)));
        tw_test_expect_diags(room, rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_drawn_statement_is_taken_or_refused_as_ptxas_does),
        ROOM_TEST(a_refusal_says_the_rule_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
