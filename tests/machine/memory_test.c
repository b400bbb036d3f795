/* Global memory: what lies inside an allocation is reached, everything else is not. */
#include "support/check.h"

#include "machine/memory.h"

static void an_access_is_inside_one_allocation_or_nowhere(void **state)
{
    (void)state;
    struct memory *const m = tw_memory_new(0);
    const uint64_t a = tw_memory_alloc(m, 100, "a"), b = tw_memory_alloc(m, 256, "b");
    static const struct { const char *rule; int which; int64_t offset; uint64_t bytes; bool inside; } rows[] = {
        {"the first byte", 0, 0, 1, true},
        {"all bytes", 0, 0, 100, true},
        {"the last byte", 0, 99, 1, true},
        {"one byte past the end", 0, 100, 1, false},
        {"a range that runs over the end", 0, 97, 4, false},
        {"one byte before the beginning", 0, -1, 1, false},
        {"the guard gap between two allocations", 0, 1000, 1, false},
        {"the second allocation", 1, 0, 256, true},
        {"a length that wraps around", 1, 8, UINT64_MAX, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const uint64_t at = (rows[i].which == 0 ? a : b) + (uint64_t)rows[i].offset;
        if ((tw_memory_at(m, at, rows[i].bytes) != NULL) != rows[i].inside)
            fail_msg("%s", rows[i].rule);
    }
    tw_memory_free(m);
}

static void addresses_are_the_same_in_every_run_and_aligned(void **state)
{
    (void)state;
    struct memory *const m = tw_memory_new(0);
    assert_int_equal(tw_memory_alloc(m, 3, NULL), TW_GLOBAL_FIRST);
    const uint64_t second = tw_memory_alloc(m, 3, NULL);
    assert_int_equal(second % 256, 0);
    assert_true(second - TW_GLOBAL_FIRST >= 65536);
    tw_memory_free(m);
}

static void a_released_address_is_not_handed_out_again(void **state)
{
    (void)state;
    struct memory *const m = tw_memory_new(0);
    const uint64_t a = tw_memory_alloc(m, 64, "a");
    assert_true(tw_memory_release(m, a));
    assert_null(tw_memory_at(m, a, 1));
    assert_false(tw_memory_release(m, a));
    assert_true(tw_memory_alloc(m, 64, "b") > a);
    tw_memory_free(m);
}

static void new_memory_is_zero(void **state)
{
    (void)state;
    struct memory *const m = tw_memory_new(0);
    const uint64_t a = tw_memory_alloc(m, 64, NULL);
    static const uint8_t zeros[64];
    assert_memory_equal(tw_memory_at(m, a, 64), zeros, 64);
    tw_memory_free(m);
}

static void a_limit_refuses_what_goes_beyond_it(void **state)
{
    (void)state;
    struct memory *const m = tw_memory_new(1000);
    const uint64_t a = tw_memory_alloc(m, 600, NULL);
    assert_true(a != 0);
    assert_int_equal(tw_memory_alloc(m, 401, NULL), 0);
    assert_true(tw_memory_alloc(m, 400, NULL) != 0);
    assert_int_equal(tw_memory_alloc(m, UINT64_MAX, NULL), 0);
    assert_true(tw_memory_release(m, a));
    assert_true(tw_memory_alloc(m, 500, NULL) != 0);
    tw_memory_free(m);
}

static void the_nearest_allocation_is_found_on_both_sides(void **state)
{
    (void)state;
    struct memory *const m = tw_memory_new(0);
    assert_null(tw_memory_nearest(m, 5));
    const uint64_t a = tw_memory_alloc(m, 64, "a"), b = tw_memory_alloc(m, 64, "b");
    assert_string_equal(tw_memory_nearest(m, 0)->name, "a");
    assert_string_equal(tw_memory_nearest(m, a + 80)->name, "a");
    assert_string_equal(tw_memory_nearest(m, b - 4)->name, "b");
    assert_string_equal(tw_memory_nearest(m, UINT64_MAX)->name, "b");
    tw_memory_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_access_is_inside_one_allocation_or_nowhere),
        cmocka_unit_test(addresses_are_the_same_in_every_run_and_aligned),
        cmocka_unit_test(a_released_address_is_not_handed_out_again),
        cmocka_unit_test(new_memory_is_zero),
        cmocka_unit_test(a_limit_refuses_what_goes_beyond_it),
        cmocka_unit_test(the_nearest_allocation_is_found_on_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
