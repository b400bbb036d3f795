/* How many blocks an SM is to hold at once: in PTX, in CUDA, and what no SM holds.
 * MEASURED: ptxas 13.0, "out of range. .minnctapersm will be ignored", by target and number of threads. */
#include "emit/assemble.h"
#include "tile/kernels.h"

static struct ir_kernel *kernel_of(struct bench_room *room, int64_t threads, int64_t blocks)
{
    struct draft d = draft_new(room, "k", threads);
    d.k->launch.min_blocks = blocks;
    return d.k;
}

/* Each row is the most that ptxas takes; one more it ignores. */
static const struct {
    const char *target;
    int64_t threads, most;
    const char *refused;
} limits[] = {
    {"sm_75", 128, 8, "error[E0817]: no SM of sm_75 holds 9 blocks of 128 threads\n"},
    {"sm_80", 32, 32, "error[E0817]: no SM of sm_80 holds 33 blocks of 32 threads\n"},
    {"sm_80", 128, 16, "error[E0817]: no SM of sm_80 holds 17 blocks of 128 threads\n"},
    {"sm_86", 32, 16, "error[E0817]: no SM of sm_86 holds 17 blocks of 32 threads\n"},
    {"sm_86", 128, 12, "error[E0817]: no SM of sm_86 holds 13 blocks of 128 threads\n"},
    {"sm_89", 32, 24, "error[E0817]: no SM of sm_89 holds 25 blocks of 32 threads\n"},
    {"sm_90a", 384, 5, "error[E0817]: no SM of sm_90 holds 6 blocks of 384 threads\n"},
    {"sm_90a", 65, 21, "error[E0817]: no SM of sm_90 holds 22 blocks of 65 threads\n"},
    {"sm_90a", 100, 16, "error[E0817]: no SM of sm_90 holds 17 blocks of 100 threads\n"},
    {"sm_90a", 1024, 2, "error[E0817]: no SM of sm_90 holds 3 blocks of 1024 threads\n"},
    {"sm_100a", 128, 16, "error[E0817]: no SM of sm_100 holds 17 blocks of 128 threads\n"},
    {"sm_100a", 32, 32, "error[E0817]: no SM of sm_100 holds 33 blocks of 32 threads\n"},
    {"sm_120a", 384, 4, "error[E0817]: no SM of sm_120 holds 5 blocks of 384 threads\n"},
    {"sm_120a", 32, 24, "error[E0817]: no SM of sm_120 holds 25 blocks of 32 threads\n"},
    {"sm_120a", 1024, 1, "error[E0817]: no SM of sm_120 holds 2 blocks of 1024 threads\n"},
};

static void the_number_stands_beside_the_threads(void **state)
{
    struct bench_room *room = *state;
    const char *text = emit_text(room, kernel_of(room, 384, 1), "sm_90a");
    assert_int_equal(count_text(text, ".reqntid 384, 1, 1\n.minnctapersm 1\n"), 1);
    assert_int_equal(count_text(emit_text(room, kernel_of(room, 384, 0), "sm_90a"), "minnctapersm"), 0);
}

static void what_is_read_back_is_what_was_written(void **state)
{
    struct bench_room *room = *state;
    const char *text = emit_text(room, kernel_of(room, 96, 7), "sm_90a");
    struct text again;
    tw_text_init(&again, &room->arena);
    const struct ptx_module *m = tw_ptx_parse(&room->arena, tw_isa_open(&room->arena), &room->diags,
                                              tw_sources_add(&room->sources, "k.ptx", tw_str(text)));
    tw_test_expect_diags(room, "");
    assert_non_null(m);
    tw_ptx_print(m, &again);
    assert_string_equal(again.at, text);
}

static void ptxas_obeys_the_most_that_an_sm_holds(void **state)
{
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(limits); i++) {
        const char *text = emit_text(room, kernel_of(room, limits[i].threads, limits[i].most), limits[i].target);
        if (!asked_of_ptxas(text, limits[i].target, true)) {
            printf("not run: ptxas is not installed\n");
            skip();
        }
    }
}

static void more_than_an_sm_holds_is_refused(void **state)
{
    struct bench_room *room = *state;
    const struct isa *isa = tw_isa_open(&room->arena);
    for (size_t i = 0; i < COUNT(limits); i++) {
        struct ir_kernel *k = kernel_of(room, limits[i].threads, limits[i].most + 1);
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        assert_true(tw_tile_lower(k, isa, &room->diags));
        assert_null(tw_emit_ptx(k, isa, &room->diags, &(struct emit_options){.target = limits[i].target}));
        tw_test_expect_diags(room, tw_format(&room->arena,
                                             "%s  expected: at most %lld\n"
                                             "       fix: ask for fewer blocks per SM, or for blocks of fewer threads\n",
                                             limits[i].refused, (long long)limits[i].most));
    }
}

static void in_cuda_it_is_the_second_launch_bound(void **state)
{
    struct bench_room *room = *state;
    static const struct {
        int64_t blocks;
        const char *want;
    } cases[] = {{1, "__global__ void __launch_bounds__(384, 1)\nk("}, {5, "__global__ void __launch_bounds__(384, 5)\nk("},
                 {0, "__global__ void __launch_bounds__(384)\nk("}};
    const struct isa *isa = tw_isa_open(&room->arena);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ir_kernel *k = kernel_of(room, 384, cases[i].blocks);
        struct text out;
        tw_text_init(&out, &room->arena);
        assert_true(tw_tile_lower(k, isa, &room->diags));
        assert_true(tw_emit_cuda(k, isa, &room->diags, &(struct emit_options){.target = "sm_90a"}, &out));
        assert_int_equal(count_text(out.at, cases[i].want), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_number_stands_beside_the_threads),
        ROOM_TEST(what_is_read_back_is_what_was_written),
        ROOM_TEST(ptxas_obeys_the_most_that_an_sm_holds),
        ROOM_TEST(more_than_an_sm_holds_is_refused),
        ROOM_TEST(in_cuda_it_is_the_second_launch_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
