/* setmaxnreg and the registers of a CTA. SOURCE: PTX ISA, setmaxnreg. MEASURED: what waits, what does not and what is an
 * illegal instruction, on an H200 (driver 580.159.04); counts at the entry, ptxas 13.0.88. */
#include "rig.h"

#include "machine/register_pool.h"

/* %p1: not the first warpgroup; %p2: not the first two; %p3: not the first warp. */
#define HEAD(directives)                                                                                                     \
    ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry k()\n" directives "\n{\n"                               \
    ".reg .pred %p<8>; .reg .b32 %r<4>;\nmov.u32 %r0, %tid.x;\nsetp.ge.u32 %p1, %r0, 128;\nsetp.ge.u32 %p2, %r0, 256;\n"     \
    "setp.ge.u32 %p3, %r0, 32;\n"
#define DEC(n) "setmaxnreg.dec.sync.aligned.u32 " #n ";\n"
#define INC(n) "setmaxnreg.inc.sync.aligned.u32 " #n ";\n"
#define SYNC(name) "bar.sync " #name ", 128;\n"

static enum launch_status run(struct bench_room *room, const char *text, uint32_t threads, uint64_t seed)
{
    struct rig rig;
    rig_load(&rig, room, "k.ptx", text);
    const enum launch_status status = rig_run(&rig, "k", (struct launch_spec){.block = {threads}, .seed = seed});
    rig_end(&rig);
    return status;
}

static void must_run(struct bench_room *room, const char *text, uint32_t threads)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        const enum launch_status status = run(room, text, threads, seed);
        assert_string_equal(tw_test_diags(room), "");
        assert_int_equal(status, LAUNCH_FINISHED);
    }
}

static void must_say(struct bench_room *room, const char *text, uint32_t threads, enum launch_status status, const char *want)
{
    assert_int_equal(run(room, text, threads, 0), status);
    tw_test_expect_diags(room, want);
    tw_diags_init(&room->diags, &room->arena, &room->sources);
}

/* The first code alone, whatever the schedule. */
static void must_report(struct bench_room *room, const char *text, uint32_t threads, enum diag_code code)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        const enum launch_status status = run(room, text, threads, seed);
        assert_int_equal(status, code == E0706 ? LAUNCH_DEADLOCK : code == E0725 ? LAUNCH_FAULT : LAUNCH_FINISHED);
        assert_int_not_equal(room->diags.list.len, 0);
        assert_int_equal(room->diags.list.at[0]->code, code);
        tw_diags_init(&room->diags, &room->arena, &room->sources);
    }
}

static void a_kernel_begins_with_what_its_directives_give(void **state)
{
    (void)state;
    static const struct {
        uint32_t maxnreg, maxntid, reqntid, minnctapersm, largest_inc, want;
    } rows[] = {
        {0, 0, 0, 0, 240, 0},       {0, 256, 0, 0, 240, 0},     {0, 0, 256, 0, 240, 0},     {0, 384, 0, 1, 240, 168},
        {0, 0, 384, 1, 240, 168},   {0, 384, 0, 2, 240, 80},    {0, 128, 0, 1, 240, 240},   {0, 128, 0, 4, 240, 128},
        {0, 1024, 0, 1, 240, 64},   {0, 200, 0, 2, 240, 128},   {0, 0, 0, 1, 240, 0},       {128, 0, 0, 0, 240, 128},
        {100, 0, 0, 0, 240, 104},   {168, 0, 384, 0, 240, 168}, {256, 0, 256, 0, 240, 240}, {255, 0, 0, 0, 0, 256},
        {20, 0, 0, 0, 240, 24},     {128, 384, 0, 1, 240, 128}, {200, 384, 0, 1, 240, 168}, {200, 384, 0, 0, 240, 200},
        {0, 640, 0, 1, 240, 96},    {0, 416, 0, 1, 240, 128},   {0, 160, 0, 2, 240, 168},   {0, 256, 0, 8, 240, 32},
        {0, 256, 0, 64, 240, 0},    {0, 1024, 0, 2, 240, 32},   {0, 256, 0, 1, 136, 136},   {0, 256, 0, 1, 256, 256},
        {128, 0, 0, 0, 24, 24},     {0, 448, 0, 1, 0, 128},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct ptx_directives d = {
            .maxnreg = rows[i].maxnreg, .minnctapersm = rows[i].minnctapersm,
            .maxntid = {rows[i].maxntid}, .maxntid_dims = rows[i].maxntid != 0,
            .reqntid = {rows[i].reqntid}, .reqntid_dims = rows[i].reqntid != 0,
        };
        if (tw_registers_at_entry(&d, 90, 0, rows[i].largest_inc) != rows[i].want)
            fail_msg("row %zu: %u, not %u", i, tw_registers_at_entry(&d, 90, 0, rows[i].largest_inc), rows[i].want);
    }
    /* Without .minnctapersm: where a second CTA would not fit. */
    static const struct {
        unsigned sm, maxntid, minnctapersm, shared_bytes, want;
    } full[] = {
        {90, 384, 0, 115712, 0},  {90, 384, 0, 115716, 168},  {100, 384, 0, 115712, 0}, {100, 384, 0, 115716, 168}, {120, 384, 0, 50176, 0},
        {120, 384, 0, 50180, 168}, {90, 0, 0, 116000, 0},     {90, 256, 2, 116000, 128}, {90, 256, 0, 116000, 240}, {90, 1024, 0, 200, 0},
        {120, 1024, 0, 200, 64},  {120, 800, 0, 200, 72},     {120, 768, 0, 200, 0},
    };
    for (size_t i = 0; i < COUNT(full); i++) {
        const struct ptx_directives d = {.maxntid = {full[i].maxntid}, .maxntid_dims = full[i].maxntid != 0, .minnctapersm = full[i].minnctapersm};
        const uint32_t got = tw_registers_at_entry(&d, full[i].sm, full[i].shared_bytes, 240);
        if (got != full[i].want)
            fail_msg("full %zu: %u, not %u", i, got, full[i].want);
    }
}

static void an_inc_waits_for_what_another_warpgroup_gives_back(void **state)
{
    static const char text[] = HEAD(".maxnreg 128") "@%p2 bra THIRD;\n@%p1 bra SECOND;\n" INC(136) SYNC(1) INC(232) "ret;\n"
        "SECOND: bar.sync 4, 256;\n" DEC(24) "ret;\nTHIRD: bar.sync 4, 256;\n" DEC(120) "ret;\n}\n";
    must_run(*state, text, 384);
    /* And back again: what the first takes it gives. */
    static const char back[] = HEAD(".maxnreg 128") "@%p1 bra SECOND;\n" DEC(64) "bar.sync 4, 256;\n" INC(128) "ret;\nSECOND: " INC(192) "bar.sync 4, 256;\n" DEC(128) "ret;\n}\n";
    must_run(*state, back, 256);
}

static void as_many_as_a_thread_holds_changes_nothing(void **state)
{
    static const char text[] = HEAD(".maxnreg 128") DEC(128) "@%p1 bra SECOND;\n" SYNC(1) INC(128) SYNC(1) INC(136) SYNC(1) INC(136) "ret;\n"
        "SECOND: " SYNC(2) DEC(24) SYNC(2) DEC(24) "ret;\n}\n";
    must_run(*state, text, 256);
    /* 100 are handed out as 104; ptxas takes 256 for 255. */
    static const char step[] = HEAD(".maxnreg 100") "@%p1 bra SECOND;\n" INC(104) "ret;\nSECOND: " DEC(24) "ret;\n}\n";
    must_run(*state, step, 256);
    static const char most[] = HEAD(".maxnreg 256") INC(256) SYNC(1) DEC(24) SYNC(1) INC(256) "ret;\n}\n";
    must_run(*state, most, 128);
}

static void more_than_the_pool_has_is_a_deadlock(void **state)
{
    static const char text[] = HEAD(".reqntid 384\n.minnctapersm 1") "@%p2 bra THIRD;\n" INC(224) "ret;\nTHIRD: " DEC(80) "ret;\n}\n";
    must_report(*state, text, 384, E0706);
    static const char none[] = HEAD(".maxnreg 128") INC(136) "ret;\n}\n";
    must_say(*state, none, 128, LAUNCH_DEADLOCK,
             "k.ptx:12:1: error[E0706]: deadlock: no thread can run, and no pending operation could change that\n"
             "   12 | setmaxnreg.inc.sync.aligned.u32 136;\n"
             "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
             "k.ptx:12:1: note: warps 0-3 of block (0,0,0) wait for registers: 136 a thread, of which they hold 128, and 0 are free: a kernel begins "
             "with none to spare, and a warp that ends gives none back\n"
             "   12 | setmaxnreg.inc.sync.aligned.u32 136;\n"
             "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

static void a_warp_that_ends_gives_nothing_back(void **state)
{
    static const char text[] = HEAD(".maxnreg 128") "@%p1 ret;\n" INC(136) "ret;\n}\n";
    must_report(*state, text, 256, E0706);
}

/* The fifth warp lives where the first does. */
static void a_warp_takes_what_its_own_sub_core_has(void **state)
{
    static const char text[] = HEAD(".maxnreg 128") "@%p1 bra SECOND;\n" INC(136) "ret;\nSECOND: " DEC(24) "ret;\n}\n";
    must_report(*state, text, 160, E0706);
    must_run(*state, text, 256);
}

static void inc_goes_up_and_dec_goes_down(void **state)
{
    static const char dec[] = HEAD(".maxnreg 128") DEC(24) DEC(64) "ret;\n}\n";
    must_say(*state, dec, 32, LAUNCH_FAULT,
             "k.ptx:13:1: error[E0725]: setmaxnreg.dec to more registers than the warp holds\n"
             "   13 | setmaxnreg.dec.sync.aligned.u32 64;\n"
             "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
             "  expected: at most 24 registers, which a thread of the warp holds\n"
             "     found: 64\n"
             "       fix: use setmaxnreg.inc\n"
             "      spec: PTX ISA, setmaxnreg; a GPU reports an illegal instruction\n"
             "note: by thread (0,0,0) of block (0,0,0)\n");
    static const char inc[] = HEAD(".maxnreg 128") "@%p1 bra SECOND;\n" INC(136) SYNC(1) INC(128) "ret;\nSECOND: " DEC(24) "ret;\n}\n";
    must_report(*state, inc, 256, E0725);
}

static void all_warps_of_a_warpgroup_execute_it(void **state)
{
    static const char text[] = HEAD(".maxnreg 128") "@%p1 ret;\n@%p3 ret;\n" DEC(24) "ret;\n}\n";
    must_report(*state, text, 256, E0726);
    static const char served[] = HEAD(".maxnreg 128") "@%p1 bra SECOND;\n@%p3 ret;\n" DEC(24) "ret;\nSECOND: setp.ge.u32 %p3, %r0, 160;\n@%p3 ret;\n" INC(232) "ret;\n}\n";
    must_report(*state, served, 256, E0726); /* MEASURED: the fifth warp gets what the first has given back */
    static const char late[] = HEAD(".maxnreg 128") "@%p3 bra OTHERS;\n" DEC(24) "bar.sync 0;\nret;\nOTHERS: bar.sync 0;\nret;\n}\n";
    must_report(*state, late, 128, E0726);
    must_say(*state, late, 64, LAUNCH_FINISHED,
             "k.ptx:13:1: note[E0726]: setmaxnreg.dec by a part of a warpgroup\n"
             "   13 | setmaxnreg.dec.sync.aligned.u32 24;\n"
             "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
             "  expected: warps 0-1 to execute it\n"
             "     found: warp 1 ended without it\n"
             "       fix: execute it in all warps of the warpgroup\n"
             "      spec: PTX ISA, setmaxnreg: all warps of the warpgroup execute the same one, and synchronize before the next\n"
             "note: by thread (0,0,0) of block (0,0,0)\n");
    static const char early[] = HEAD(".maxnreg 128") "@!%p3 bra FIRST;\nret;\nFIRST: nanosleep.u32 100;\n" DEC(24) "ret;\n}\n";
    must_report(*state, early, 64, E0726);
}

static void a_warpgroup_executes_one_after_the_other(void **state)
{
    static const char again[] = HEAD(".maxnreg 128") "@%p3 bra OTHERS;\n" DEC(64) DEC(24) "bar.sync 0;\nret;\nOTHERS: bar.sync 0;\n" DEC(64) DEC(24) "ret;\n}\n";
    must_say(*state, again, 64, LAUNCH_FINISHED,
             "k.ptx:14:1: note[E0726]: a warp executes setmaxnreg.dec before the others of its warpgroup have executed the last one\n"
             "   14 | setmaxnreg.dec.sync.aligned.u32 24;\n"
             "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
             "  expected: setmaxnreg.dec 64, which warp 0 of the warpgroup executed\n"
             "     found: setmaxnreg.dec 24\n"
             "       fix: synchronize the warps of the warpgroup between two of them\n"
             "      spec: PTX ISA, setmaxnreg: all warps of the warpgroup execute the same one, and synchronize before the next\n"
             "note: by thread (0,0,0) of block (0,0,0)\n");
    static const char other[] = HEAD(".maxnreg 128") "@%p3 bra OTHERS;\n" DEC(64) "bar.sync 0;\nret;\nOTHERS: bar.sync 0;\n" DEC(24) "ret;\n}\n";
    must_say(*state, other, 64, LAUNCH_FINISHED,
             "k.ptx:17:1: note[E0726]: a warp executes another setmaxnreg than its warpgroup\n"
             "   17 | setmaxnreg.dec.sync.aligned.u32 24;\n"
             "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
             "  expected: setmaxnreg.dec 64, which warp 0 of the warpgroup executed\n"
             "     found: setmaxnreg.dec 24\n"
             "       fix: execute the same one in all warps of the warpgroup\n"
             "      spec: PTX ISA, setmaxnreg: all warps of the warpgroup execute the same one, and synchronize before the next\n"
             "note: by thread (32,0,0) of block (0,0,0)\n");
    /* The same count at another place is the same: compilers duplicate code. */
    static const char twice[] = HEAD(".maxnreg 128") "@%p3 bra OTHERS;\n" DEC(64) "ret;\nOTHERS: " DEC(64) "ret;\n}\n";
    must_run(*state, twice, 128);
}

static void without_a_known_count_it_is_ignored(void **state)
{
    static const char text[] = HEAD(".reqntid 32") INC(240) "ret;\n}\n";
    must_say(*state, text, 32, LAUNCH_FINISHED,
             "k.ptx:12:1: note[E0724]: setmaxnreg has no effect: nothing says how many registers the kernel begins with\n"
             "   12 | setmaxnreg.inc.sync.aligned.u32 240;\n"
             "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
             "  expected: .maxnreg, or .minnctapersm with .reqntid or .maxntid\n"
             "     found: 'k', whose directives do not say it; ptxas drops its setmaxnreg unless one CTA fills a multiprocessor\n"
             "       fix: add .minnctapersm 1; in CUDA C++ the second argument of __launch_bounds__\n"
             "      spec: PTX ISA, setmaxnreg\n"
             "note: by thread (0,0,0) of block (0,0,0)\n");
}

static void a_device_function_may_hold_it(void **state)
{
    static const char text[] = ".version 8.8\n.target sm_90a\n.address_size 64\n"
        ".func less() { setmaxnreg.dec.sync.aligned.u32 24; ret; }\n.func more() { setmaxnreg.inc.sync.aligned.u32 232; ret; }\n"
        ".visible .entry k()\n.maxnreg 128\n{\n.reg .pred %p<2>; .reg .b32 %r<2>;\nmov.u32 %r0, %tid.x;\nsetp.ge.u32 %p1, %r0, 128;\n"
        "@%p1 bra SECOND;\ncall more;\nret;\nSECOND: call less;\nret;\n}\n";
    must_run(*state, text, 256);
    must_report(*state, text, 128, E0706);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_kernel_begins_with_what_its_directives_give),
        ROOM_TEST(an_inc_waits_for_what_another_warpgroup_gives_back),
        ROOM_TEST(as_many_as_a_thread_holds_changes_nothing),
        ROOM_TEST(more_than_the_pool_has_is_a_deadlock),
        ROOM_TEST(a_warp_that_ends_gives_nothing_back),
        ROOM_TEST(a_warp_takes_what_its_own_sub_core_has),
        ROOM_TEST(inc_goes_up_and_dec_goes_down),
        ROOM_TEST(all_warps_of_a_warpgroup_execute_it),
        ROOM_TEST(a_warpgroup_executes_one_after_the_other),
        ROOM_TEST(without_a_known_count_it_is_ignored),
        ROOM_TEST(a_device_function_may_hold_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
