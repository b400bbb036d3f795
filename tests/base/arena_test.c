#include "support/check.h"

#include "base/poison.h"

#include <stdio.h>

static void memory_is_zeroed_and_aligned(void **state)
{
    struct bench_room *room = *state;
    for (size_t n = 1; n < 5000; n = n * 3 + 1) {
        const unsigned char *at = tw_arena_alloc(&room->arena, n, 1);
        assert_int_equal((uintptr_t)at % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(at[i], 0);
    }
}

static void a_rewind_frees_what_came_after_the_mark(void **state)
{
    struct bench_room *room = *state;
    char *kept = tw_arena_copy(&room->arena, "kept", 4);
    const struct arena_mark mark = tw_arena_mark(&room->arena);
    const size_t used = room->arena.used_bytes;
    for (int i = 0; i < 100; i++)
        tw_arena_alloc(&room->arena, 10000, 1);
    tw_arena_rewind(&room->arena, mark);
    assert_int_equal(room->arena.used_bytes, used);
    assert_string_equal(kept, "kept");
}

static void exhaustion_leaves_through_the_landing(void **state)
{
    (void)state;
    struct landing landing = {.reason = LANDING_NONE};
    struct arena small;
    tw_arena_init(&small, &landing, 1000);
    if (setjmp(landing.at) == 0) {
        for (int i = 0; i < 1000; i++)
            tw_arena_alloc(&small, 1, 16);
        fail_msg("1000 allocations of 16 bytes fit into an arena of 1000 bytes");
    }
    assert_int_equal(landing.reason, LANDING_MEMORY);
    tw_arena_release(&small);
}

static void a_size_that_overflows_is_exhaustion(void **state)
{
    (void)state;
    struct landing landing = {.reason = LANDING_NONE};
    struct arena a;
    tw_arena_init(&a, &landing, 0);
    if (setjmp(landing.at) == 0) {
        tw_arena_alloc(&a, SIZE_MAX / 4, 8);
        fail_msg("an impossible size was allocated");
    }
    assert_int_equal(landing.reason, LANDING_MEMORY);
    tw_arena_release(&a);
}

/* The sanitizer then reports an overrun, and a use after the rewind. */
static void what_is_not_handed_out_is_poisoned_under_the_sanitizer(void **state)
{
#ifdef TW_POISONS
    struct bench_room *room = *state;
    const struct arena_mark mark = tw_arena_mark(&room->arena);
    const char *const first = tw_arena_alloc(&room->arena, 21, 1);
    const char *const second = tw_arena_alloc(&room->arena, 16, 1);
    assert_null(__asan_region_is_poisoned((void *)(uintptr_t)first, 21));
    assert_null(__asan_region_is_poisoned((void *)(uintptr_t)second, 16));
    assert_true(__asan_address_is_poisoned(first + 21));
    assert_true(__asan_address_is_poisoned(second + 16));
    tw_arena_alloc(&room->arena, 1, 1);
    const char *const again = tw_arena_alloc(&room->arena, 21, 1);
    assert_null(__asan_region_is_poisoned((void *)(uintptr_t)again, 21));
    const struct arena_mark later = tw_arena_mark(&room->arena);
    const char *const gone = tw_arena_alloc(&room->arena, 64, 1);
    tw_arena_rewind(&room->arena, later);
    assert_true(__asan_address_is_poisoned(gone));
    assert_null(__asan_region_is_poisoned((void *)(uintptr_t)again, 21));
    tw_arena_rewind(&room->arena, mark);
#else
    (void)state;
    printf("not run: poisoning, which needs a build with the address sanitizer\n");
    skip();
#endif
}

static void vectors_keep_their_elements_when_they_grow(void **state)
{
    struct bench_room *room = *state;
    VEC(uint32_t) v = {0};
    for (uint32_t i = 0; i < 1000; i++)
        *vec_push(&room->arena, &v) = i * i;
    assert_int_equal(v.len, 1000);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(v.at[i], i * i);
}

static void room_for_many_is_made_at_once(void **state)
{
    struct bench_room *room = *state;
    VEC(uint32_t) v = {0};
    *vec_push(&room->arena, &v) = 7;
    vec_reserve(&room->arena, &v, 1000);
    const uint32_t *const at = v.at;
    for (uint32_t i = 0; i < 1000; i++)
        *vec_push(&room->arena, &v) = i;
    assert_ptr_equal(v.at, at);
    assert_int_equal(v.len, 1001);
    assert_int_equal(v.at[0], 7);
    assert_int_equal(v.at[1000], 999);
    vec_reserve(&room->arena, &v, 0);
    assert_int_equal(v.len, 1001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(memory_is_zeroed_and_aligned),
        ROOM_TEST(a_rewind_frees_what_came_after_the_mark),
        ROOM_TEST(exhaustion_leaves_through_the_landing),
        ROOM_TEST(a_size_that_overflows_is_exhaustion),
        ROOM_TEST(what_is_not_handed_out_is_poisoned_under_the_sanitizer),
        ROOM_TEST(vectors_keep_their_elements_when_they_grow),
        ROOM_TEST(room_for_many_is_made_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
