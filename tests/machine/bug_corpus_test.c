/* Pairs of programs written by others, one faulty and one mended (bugs/ of the shared folder). Every mended program that the
 * machine executes must leave the values its description states and report nothing, under several seeds. Where running the
 * faulty twin is diagnosed, the report must stand at a line that the description names; faults of the operands' words
 * must be diagnosed. Races and missing fences are not this test's subject. */
#include "machine/bug_pairs.h"

/* ---- The tests -------------------------------------------------------------------------------- */

static unsigned good_runs, bad_reports;

static void check_good(struct bench_room *room, const struct pair *p)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        const int status = run_twin(room, p, "good", seed, NULL);
        if (status == NOT_RUN)
            return;
        if (status != LAUNCH_FINISHED || room->diags.list.len != 0)
            fail_msg("%s, seed %d: status %d\n%s", p->name, (int)seed, status, tw_test_diags(room));
    }
    good_runs++;
}

/* What is wrong in the words that an instruction is given, or in the protocol of tensor memory. */
static bool must_be_diagnosed(const struct pair *p)
{
    static const char *const classes[] = {"IDESC", "DESC", "TMEM", "TMA", "TX", "BOUNDS", "TARGET"};
    /* Walks that stay inside shared memory, and an overlap that only an order of accesses shows. */
    static const char *const others[] = {"desc_start_low_bits_lost", "desc_tile_swizzled_otherwise", "tma_swizzled_tile_base",
                                         "tmem_accumulators_overlap"};
    /* Registers of wgmma, and the counts of setmaxnreg, are watched whatever the schedule. */
    static const char *const registers[] = {"fence_wgmma_registers", "reg_wgmma_a_registers_reused", "reg_wgmma_accumulator_written",
                                            "wait_wgmma_before_read", "wait_wgmma_group_not_committed",
                                            "reg_setmaxnreg_one_warp"};
    for (size_t i = 0; i < COUNT(others); i++)
        if (strcmp(p->name, others[i]) == 0)
            return false;
    for (size_t i = 0; i < COUNT(registers); i++)
        if (strcmp(p->name, registers[i]) == 0)
            return true;
    for (size_t i = 0; i < COUNT(classes); i++)
        if (strcmp(text_of(p->what, "class"), classes[i]) == 0)
            return true;
    return false;
}

/* A report may stand where the consequence is instead of where the cause is: a value read too early is used later, a wait
 * that is over too early lets its thread arrive in a phase that is not its own. */
static bool stands_elsewhere(const struct pair *p)
{
    static const char *const names[] = {"race_tmem_address_too_early", "phase_parity_from_tile_index", "wait_launch_control_response"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(p->name, names[i]) == 0)
            return true;
    return false;
}

/* A deadlock names every wait: one of them must be the described one. */
static bool stands_at(const struct bench_room *room, const struct diag *d, const struct json *where)
{
    const int64_t first = int_of(tw_json_get(where, "first")), second = int_of(tw_json_get(where, "second"));
    int64_t line = tw_sources_place(&room->sources, d->at.file, d->at.begin).line;
    bool found = line == first || line == second;
    for (uint32_t i = 0; d->code == E0706 && i < d->notes.len; i++) {
        if (d->notes.at[i].at.file == 0)
            continue;
        line = tw_sources_place(&room->sources, d->notes.at[i].at.file, d->notes.at[i].at.begin).line;
        found = found || line == first || line == second;
    }
    return found;
}

static void check_bad(struct bench_room *room, const struct pair *p)
{
    const int status = run_twin(room, p, "bad", 1, NULL);
    if (status == NOT_RUN)
        return;
    if (room->diags.list.len == 0) {
        if (must_be_diagnosed(p))
            fail_msg("%s: status %d without a report", p->name, status);
        return;
    }
    const struct json *const where = tw_json_get(p->what, "where");
    if (!stands_at(room, room->diags.list.at[0], where) && !stands_elsewhere(p))
        fail_msg("%s: reported elsewhere\n%s", p->name, tw_test_diags(room));
    bad_reports++;
}

static void mended_programs_run_as_described(void **state)
{
    good_runs = 0;
    for_each_pair(state, check_good);
    assert_true(good_runs >= 100);
}

static void reports_of_faulty_programs_stand_at_the_fault(void **state)
{
    bad_reports = 0;
    for_each_pair(state, check_bad);
    assert_true(bad_reports >= 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(mended_programs_run_as_described),
        ROOM_TEST(reports_of_faulty_programs_stand_at_the_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
