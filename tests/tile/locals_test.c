/* Unrolling, local tensors, addresses, and which threads reach a statement. */
#include "tile/kernels.h"

#include "tile/threads.h"
#include "tile/words.h"

static bool lower(struct bench_room *room, struct ir_kernel *k)
{
    return tw_tile_lower(k, tw_isa_open(&room->arena), &room->diags);
}

static uint32_t count_loops(const struct ir_block *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->list.len; i++) {
        const struct ir_stmt *s = b->list.at[i];
        n += (s->op == IR_FOR) + count_loops(&s->body) + count_loops(&s->orelse);
    }
    return n;
}

static struct tensor table(struct draft *d, int64_t n)
{
    return draft_tensor(d, "table", IR_LOCAL, NUM_S32, DIMS(n), NULL);
}

/* ---- unrolling ------------------------------------------------------------------------------------------------ */

static void a_loop_that_indexes_registers_is_unrolled_through_a_variable_too(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor t = table(&d, 8);
    struct ir_stmt *j = loop(&d, "j", 4);
    struct ir_var *x = define(&d, "x", binary(&d, IR_MUL, use(&d, j->var), num(&d, 2)));
    store(&d, AT(&d, t, use(&d, x)), num(&d, 1));
    assert_true(lower(room, d.k));
    assert_int_equal(count_loops(&d.k->body), 0);
    assert_int_equal(d.k->body.list.len, 8); /* four definitions, four stores */
    for (uint32_t i = 0; i < 4; i++) {
        int64_t slot;
        assert_true(tw_ir_is_const_int(d.k->body.list.at[2 * i + 1]->region->start[0], &slot));
        assert_int_equal(slot, 2 * i);
    }
    assert_null(t.storage->memory_reason);
}

static void a_loop_over_other_memory_stays(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor out = draft_param(&d, "Out", NUM_S32, DIMS(8));
    struct ir_stmt *j = loop(&d, "j", 8);
    store(&d, AT(&d, out, use(&d, j->var)), num(&d, 1));
    assert_true(lower(room, d.k));
    assert_int_equal(count_loops(&d.k->body), 1);
}

static void an_unroll_request_is_followed_whatever_the_loop_does(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor out = draft_param(&d, "Out", NUM_S32, DIMS(8));
    struct ir_stmt *j = loop(&d, "j", 8);
    j->unroll = IR_UNROLL_FULL;
    j->begin = num(&d, 1);
    j->step = num(&d, 3);
    store(&d, AT(&d, out, use(&d, j->var)), num(&d, 1));
    assert_true(lower(room, d.k));
    assert_int_equal(d.k->body.list.len, 3); /* 1, 4, 7 */
}

static void bounds_known_only_at_run_time_send_the_tensor_to_memory(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor t = table(&d, 64);
    struct ir_stmt *j = loop(&d, "j", 0);
    j->end = tw_ir_coord(d.k, IR_TID_X, nowhere);
    store(&d, AT(&d, t, use(&d, j->var)), num(&d, 1));
    assert_true(lower(room, d.k));
    assert_int_equal(count_loops(&d.k->body), 1);
    assert_non_null(t.storage->memory_reason);
}

static void a_loop_that_is_left_in_the_middle_is_not_unrolled(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor t = table(&d, 8);
    struct ir_stmt *j = loop(&d, "j", 8);
    store(&d, AT(&d, t, use(&d, j->var)), num(&d, 1));
    when(&d, is_zero(&d, j->var));
    tw_ir_stmt_new(d.k, d.into, IR_BREAK, nowhere);
    assert_true(lower(room, d.k));
    assert_int_equal(count_loops(&d.k->body), 1);
}

static void an_unroll_request_that_cannot_be_followed_says_why(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    struct ir_stmt *j = loop(&d, "j", 100000);
    j->unroll = IR_UNROLL_FULL;
    cuda(&d, IR_CTA_SYNC, NULL, NULL);
    assert_false(lower(room, d.k));
    tw_test_expect_diags(room, "error[E0802]: this loop cannot be unrolled\n"
                               "  expected: bounds known at compile time, at most 65536 statements in all copies, no break or continue\n"
                               "     found: 100000 turns, 1 statement in each\n");
}

/* ---- indices ------------------------------------------------------------------------------------------------------ */

static void an_index_outside_a_local_tensor_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor t = table(&d, 8);
    store(&d, AT(&d, t, num(&d, 8)), num(&d, 1));
    assert_false(lower(room, d.k));
    tw_test_expect_diags(room, "error[E0804]: index 8 is outside 'table'\n"
                               "  expected: 0 to 7 in dimension 0\n");
}

static struct tensor fragment(struct draft *d)
{
    return draft_tensor(d, "frag", IR_LOCAL, NUM_S32, DIMS(128, 4), SHARD(d, {128, 1, AXIS_TID_IN_WG}, M_(4, 1)));
}

/* SOURCE: kernel-language-layout 6.3: frag[i, j] is legal only where the executing thread is the owner. */
static void an_owner_reaches_its_element_of_a_distributed_tensor(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 128);
    const struct tensor f = fragment(&d);
    struct ir_stmt *j = loop(&d, "j", 4);
    store(&d, AT(&d, f, tw_ir_coord(d.k, IR_TID_X, nowhere), use(&d, j->var)), num(&d, 1));
    assert_true(lower(room, d.k));
    for (uint32_t i = 0; i < 4; i++) {
        int64_t slot;
        assert_true(tw_ir_is_const_int(d.k->body.list.at[i]->region->start[0], &slot));
        assert_int_equal(slot, i);
    }
}

static void a_guard_makes_one_thread_the_owner_of_one_row(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 128);
    const struct tensor f = fragment(&d);
    when(&d, binary(&d, IR_EQ, tw_ir_coord(d.k, IR_TID_X, nowhere), num(&d, 5)));
    store(&d, AT(&d, f, num(&d, 5), num(&d, 2)), num(&d, 1));
    assert_true(lower(room, d.k));
}

static void an_element_of_another_thread_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 128);
    const struct tensor f = fragment(&d);
    store(&d, AT(&d, f, num(&d, 0), num(&d, 2)), num(&d, 1));
    assert_false(lower(room, d.k));
    tw_test_expect_diags(room, "error[E0803]: thread 1 does not hold element (0, 2) of 'frag'\n"
                               "  expected: the thread that owns the element by layout S[(128, 4):(1@tid_in_wg, 1)]\n"
                               "       fix: index the thread's own registers through .view(n, layout=\"default\")\n");
}

static void a_run_time_index_of_a_distributed_tensor_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 128);
    const struct tensor f = fragment(&d), in = draft_param(&d, "In", NUM_S32, DIMS(4));
    store(&d, AT(&d, f, tw_ir_coord(d.k, IR_TID_X, nowhere), tw_ir_load(d.k, AT(&d, in, num(&d, 0)), nowhere)), num(&d, 1));
    assert_false(lower(room, d.k));
    tw_test_expect_diags(room, "error[E0803]: 'frag' is distributed over threads, and this index is known only at run time\n"
                               "  expected: an index of thread coordinates and constants, so that the owner can be checked\n"
                               "       fix: view the thread's own registers: .view(n, layout=\"default\")\n");
}

static void a_block_above_1024_threads_is_refused(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 2048);
    assert_false(lower(room, d.k));
    tw_test_expect_diags(room, "error[E0801]: a block of (2048, 1, 1) threads\n"
                               "  expected: at most 1024 threads in a block\n");
}

static void packed_elements_have_no_address(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 32);
    const struct tensor x = draft_param(&d, "X", NUM_E2M1, DIMS(8)), y = draft_param(&d, "Y", NUM_E2M1, DIMS(8));
    store(&d, AT(&d, y, num(&d, 1)), tw_ir_load(d.k, AT(&d, x, num(&d, 1)), nowhere));
    assert_false(lower(room, d.k));
    tw_test_expect_diags(room, "error[E0805]: an element of 'X' has no address\n"
                               "  expected: whole bytes, at one place in linear memory\n"
                               "     found: float4_e2m1fn, elements of 4 bits\n");
}

/* The address expression must give what the layout gives, for every element: f16 (128, 64) with swizzle 128B,
 * closed form 64 r + 8 ((c // 8) ^ (r % 8)) + c % 8 of kernel-language-layout 6.8. */
static void an_address_expression_is_the_layouts_function(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 128);
    const struct tensor a = draft_tensor(&d, "a", IR_SHARED, NUM_F16, DIMS(128, 64), shared_layout(&d, 16, SWIZZLE_128B, DIMS(128, 64)));
    struct ir_stmt *c = loop(&d, "c", 64);
    store(&d, AT(&d, a, tw_ir_coord(d.k, IR_TID_X, nowhere), use(&d, c->var)), typed(&d, tw_ir_type_of(NUM_F16), 0));
    c->unroll = IR_UNROLL_FULL;
    assert_true(lower(room, d.k));
    assert_int_equal(d.k->body.list.len, 64);
    for (int64_t col = 0; col < 64; col++)
        for (uint32_t row = 0; row < 128; row++) {
            int64_t found;
            assert_true(tw_tile_eval(d.k, d.k->body.list.at[col]->region->start[0], row, &found));
            assert_int_equal(found, 64 * row + 8 * ((col / 8) ^ (row % 8)) + col % 8);
        }
}

/* ---- guards ------------------------------------------------------------------------------------------------------- */

static uint32_t count_active(const struct tile_guards *g)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < tw_tile_block_threads(g->k); t++)
        n += tw_tile_active(g)[t];
    return n;
}

static void conditions_of_thread_coordinates_are_decided_for_every_thread(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 128);
    struct tile_guards g;
    tw_tile_guards_init(&g, d.k);
    assert_int_equal(count_active(&g), 128);
    struct ir_var *tid = define(&d, "tid", tw_ir_coord(d.k, IR_TID_X, nowhere));
    struct ir_expr *low = binary(&d, IR_LT, use(&d, tid), num(&d, 96));
    struct ir_expr *lane = binary(&d, IR_EQ, tw_ir_coord(d.k, IR_LANE_ID, nowhere), num(&d, 0));
    tw_tile_guards_enter(&g, low, false);
    assert_int_equal(count_active(&g), 96);
    tw_tile_guards_enter(&g, lane, true); /* the else branch */
    assert_int_equal(count_active(&g), 93);
    tw_tile_guards_leave(&g);
    tw_tile_guards_leave(&g);
    assert_int_equal(count_active(&g), 128);
}

static void a_condition_of_run_time_values_may_hold_for_all(void **state)
{
    struct bench_room *room = *state;
    struct draft d = draft_new(room, "k", 64);
    const struct tensor in = draft_param(&d, "In", NUM_S32, DIMS(4));
    struct ir_expr *loaded = binary(&d, IR_EQ, tw_ir_load(d.k, AT(&d, in, num(&d, 0)), nowhere), num(&d, 0));
    struct ir_expr *half = binary(&d, IR_LT, tw_ir_coord(d.k, IR_TID_X, nowhere), num(&d, 32));
    struct tile_guards g;
    tw_tile_guards_init(&g, d.k);
    tw_tile_guards_enter(&g, loaded, false);
    assert_int_equal(count_active(&g), 64);
    tw_tile_guards_enter(&g, binary(&d, IR_AND, half, loaded), false);
    assert_int_equal(count_active(&g), 32); /* one side decides alone */
}

/* `if tid >= 32: return` leaves warp 0 for what follows. */
static void an_early_return_is_a_guard_for_the_rest(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = warp_mma_head(room);
    struct draft *d = &s.d;
    d->k->launch.block[0] = 64;
    struct ir_block *top = d->into;
    when(d, binary(d, IR_GE, tw_ir_coord(d->k, IR_TID_X, nowhere), num(d, 16)));
    tw_ir_stmt_new(d->k, d->into, IR_RETURN, nowhere);
    d->into = top;
    warp_mma_mma(&s, scalar(typed(d, tw_ir_float32(), 0)));
    assert_false(lower(room, d->k));
    assert_non_null(strstr(tw_test_diags(room), "lane 16 of warp 0 is missing"));
}

/* Copies of an unrolled loop whose guard is false need not be legal, and leave nothing. */
static void a_branch_that_no_copy_takes_is_dropped(void **state)
{
    struct bench_room *room = *state;
    struct warp_mma s = warp_mma_head(room);
    struct draft *d = &s.d;
    struct ir_block *top = d->into;
    struct ir_stmt *j = loop(d, "j", 4);
    j->unroll = IR_UNROLL_FULL;
    when(d, binary(d, IR_LT, use(d, j->var), num(d, 2)));
    warp_mma_mma(&s, scalar(typed(d, tw_ir_float32(), 0)));
    d->into = top;
    const struct lowered l = lower_kernel(d->k, room);
    assert_int_equal(l.count, 2 * 2); /* two turns of two K steps */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_loop_that_indexes_registers_is_unrolled_through_a_variable_too),
        ROOM_TEST(a_loop_over_other_memory_stays),
        ROOM_TEST(an_unroll_request_is_followed_whatever_the_loop_does),
        ROOM_TEST(bounds_known_only_at_run_time_send_the_tensor_to_memory),
        ROOM_TEST(a_loop_that_is_left_in_the_middle_is_not_unrolled),
        ROOM_TEST(an_unroll_request_that_cannot_be_followed_says_why),
        ROOM_TEST(an_index_outside_a_local_tensor_is_refused),
        ROOM_TEST(an_owner_reaches_its_element_of_a_distributed_tensor),
        ROOM_TEST(a_guard_makes_one_thread_the_owner_of_one_row),
        ROOM_TEST(an_element_of_another_thread_is_refused),
        ROOM_TEST(a_run_time_index_of_a_distributed_tensor_is_refused),
        ROOM_TEST(a_block_above_1024_threads_is_refused),
        ROOM_TEST(packed_elements_have_no_address),
        ROOM_TEST(an_address_expression_is_the_layouts_function),
        ROOM_TEST(conditions_of_thread_coordinates_are_decided_for_every_thread),
        ROOM_TEST(a_condition_of_run_time_values_may_hold_for_all),
        ROOM_TEST(a_branch_that_no_copy_takes_is_dropped),
        ROOM_TEST(an_early_return_is_a_guard_for_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
