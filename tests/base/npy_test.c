#include "support/check.h"

#include "base/npy.h"

static struct str made(struct bench_room *room, const char *descr, uint32_t rank, const int64_t *shape, size_t bytes)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_npy_write(&t, descr, rank, shape, tw_arena_alloc(&room->arena, bytes + 1, 1), bytes);
    return (struct str){t.at, t.len};
}

/* The bytes that numpy.save writes for np.zeros((2, 3), "<f2"). */
static void the_header_is_the_one_numpy_writes(void **state)
{
    struct bench_room *room = *state;
    const struct str file = made(room, "<f2", 2, (const int64_t[]){2, 3}, 12);
    static const char want[] = "\x93NUMPY\x01\x00v\x00{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }"
                               "                                                          \n";
    assert_int_equal(file.len, 128 + 12);
    assert_memory_equal(file.at, want, 128);
}

static void what_is_written_is_read(void **state)
{
    struct bench_room *room = *state;
    static const struct { const char *descr; char kind; uint32_t bytes, rank; int64_t shape[3]; size_t size; } rows[] = {
        {"<f4", 'f', 4, 2, {128, 64}, 128 * 64 * 4}, {"<i8", 'i', 8, 1, {5}, 40}, {"|u1", 'u', 1, 3, {2, 3, 4}, 24},
        {"|b1", 'b', 1, 0, {0}, 1},                  {"<V2", 'V', 2, 1, {7}, 14}, {"<f8", 'f', 8, 2, {0, 9}, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct npy n;
        assert_null(tw_npy_read(&room->arena, made(room, rows[i].descr, rows[i].rank, rows[i].shape, rows[i].size), &n));
        assert_int_equal(n.kind, rows[i].kind);
        assert_int_equal(n.bytes, rows[i].bytes);
        assert_int_equal(n.rank, rows[i].rank);
        assert_int_equal(n.data_bytes, rows[i].size);
        assert_memory_equal(n.shape, rows[i].shape, rows[i].rank * sizeof n.shape[0]);
    }
}

static void damage_is_named(void **state)
{
    struct bench_room *room = *state;
    const struct str whole = made(room, "<f4", 2, (const int64_t[]){4, 8}, 128);
    struct npy n;
    assert_string_equal(tw_npy_read(&room->arena, (struct str){whole.at, whole.len - 28}, &n),
                        "the file holds 100 data bytes, its header announces 128");
    assert_string_equal(tw_npy_read(&room->arena, (struct str){whole.at, 40}, &n), "the file ends inside its header");
    assert_string_equal(tw_npy_read(&room->arena, STR("hello, world"), &n),
                        "this is not a .npy file (its first bytes are not \\x93NUMPY)");
    assert_string_equal(tw_npy_read(&room->arena, made(room, ">f4", 1, (const int64_t[]){1}, 4), &n),
                        "the element type '>f4' is not read: little-endian floats, integers, bools and raw words of "
                        "1, 2, 4 or 8 bytes are");
}

static void no_truncation_crashes(void **state)
{
    struct bench_room *room = *state;
    const struct str whole = made(room, "<f4", 2, (const int64_t[]){4, 8}, 128);
    for (size_t len = 0; len < whole.len; len++) {
        struct npy n;
        char *copy = tw_arena_copy(&room->arena, whole.at, len);
        assert_non_null(tw_npy_read(&room->arena, (struct str){copy, len}, &n));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_header_is_the_one_numpy_writes),
        ROOM_TEST(what_is_written_is_read),
        ROOM_TEST(damage_is_named),
        ROOM_TEST(no_truncation_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
