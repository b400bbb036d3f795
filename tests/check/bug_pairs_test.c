/* Pairs of programs written by others (bugs/ of the shared folder): about the mended ones nothing is said, whatever they do;
 * of the faulty ones those about proxy fences of shared memory, and about loads that were not waited for, must be found at
 * the lines that their descriptions name. */
#include "machine/bug_pairs.h"

#include "check/check.h"
#include "check/hazards.h"

struct hazard_watch {
    struct pair_watch watch;
    struct hazards *hazards;
};

static void ended(struct pair_watch *watch, const struct launch *l, struct diags *diags)
{
    struct hazard_watch *const w = (struct hazard_watch *)watch;
    assert_true(tw_hazards_report(w->hazards, l, diags));
}

static int run_watched(struct bench_room *room, const struct pair *p, const char *twin, uint64_t seed)
{
    struct hazard_watch w = {.hazards = tw_hazards_new()};
    w.watch = (struct pair_watch){tw_hazards_observer(w.hazards), ended};
    const int status = run_twin(room, p, twin, seed, &w.watch);
    tw_hazards_free(w.hazards);
    return status;
}

static void check_static(struct bench_room *room, const struct pair *p, const char *twin)
{
    size_t size;
    struct arena scratch;
    struct landing landing = {0};
    tw_arena_init(&scratch, &landing, 0);
    if (setjmp(landing.at) != 0)
        abort(); /* a test that exhausts memory is a broken test */
    const char *const text = tw_test_read_file(&room->arena, tw_format(&room->arena, "%s/%s.%s.ptx", p->folder, p->name, twin), &size);
    const uint32_t file = tw_sources_add(&room->sources, p->name, tw_str(text));
    const struct ptx_module *const m = tw_ptx_parse(&room->arena, tw_isa_open(&room->arena), &room->diags, file);
    if (room->diags.error_count == 0)
        tw_check_module(&scratch, m, &room->diags);
    tw_arena_release(&scratch);
}

static unsigned good_runs, found;

static void check_good(struct bench_room *room, const struct pair *p)
{
    check_static(room, p, "good");
    for (uint64_t seed = 1; seed <= 2; seed++) {
        const int status = run_watched(room, p, "good", seed);
        if (status == NOT_RUN)
            return;
        if (status != LAUNCH_FINISHED || room->diags.list.len != 0)
            fail_msg("%s, seed %d: status %d\n%s", p->name, (int)seed, status, tw_test_diags(room));
    }
    good_runs++;
}

static const struct {
    const char *name;
    enum diag_code code;
} wanted[] = {
    {"fence_after_wait_missing", E0923},
    {"fence_by_one_thread_only", E0920},
    {"fence_cp_async_then_wgmma", E0922},
    {"fence_store_then_bulk_store", E0920},
    {"fence_store_then_mma", E0920},
    {"wait_bulk_store_before_reuse", E0925},
    {"wait_ld_before_use", E0900},
    {"wait_mma_before_tile_reuse", E0925},
    {"wait_wgmma_before_tile_reuse", E0925},
};

static unsigned line_of(const struct bench_room *room, struct src_span at)
{
    return at.file == 0 ? 0 : tw_sources_place(&room->sources, at.file, at.begin).line;
}

/* One of the two places that the description names is the report's own or that of its note. */
static bool stands_at(const struct bench_room *room, const struct diag *d, const struct json *where)
{
    const int64_t first = int_of(tw_json_get(where, "first")), second = int_of(tw_json_get(where, "second"));
    int64_t line = line_of(room, d->at);
    bool match = line == first || line == second;
    for (uint32_t i = 0; i < d->notes.len; i++) {
        line = line_of(room, d->notes.at[i].at);
        match = match || (line != 0 && (line == first || line == second));
    }
    return match;
}

static void check_bad(struct bench_room *room, const struct pair *p)
{
    for (size_t i = 0; i < COUNT(wanted); i++) {
        if (strcmp(wanted[i].name, p->name) != 0)
            continue;
        check_static(room, p, "bad");
        (void)run_watched(room, p, "bad", 1);
        for (uint32_t k = 0; k < room->diags.list.len; k++)
            if (room->diags.list.at[k]->code == wanted[i].code && stands_at(room, room->diags.list.at[k], tw_json_get(p->what, "where"))) {
                found++;
                return;
            }
        fail_msg("%s is not found where it is\n%s", p->name, tw_test_diags(room));
    }
}

static void nothing_is_said_about_mended_programs(void **state)
{
    good_runs = 0;
    for_each_pair(state, check_good);
    assert_true(good_runs >= 100);
}

static void missing_fences_and_waits_are_found_where_they_are(void **state)
{
    found = 0;
    for_each_pair(state, check_bad);
    assert_int_equal(found, COUNT(wanted));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(nothing_is_said_about_mended_programs),
        ROOM_TEST(missing_fences_and_waits_are_found_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
