/* Exchanges between lanes. SOURCE: PTX ISA, shfl.sync, vote.sync, match.sync, redux.sync, elect.sync; ptx-async.md 6.2. */
#include "kernel_text.h"

/* The lane that is read, from the ISA's own wording: segments of width w, each with its own first and last lane. */
static uint32_t expected_shuffle(const char *mode, uint32_t lane, uint32_t b, uint32_t width)
{
    const uint32_t first = lane / width * width, last = first + width - 1;
    int64_t from;
    if (strcmp(mode, "up") == 0)
        from = (int64_t)lane - b < first ? -1 : (int64_t)lane - b;
    else if (strcmp(mode, "down") == 0)
        from = lane + b > last ? -1 : (int64_t)(lane + b);
    else if (strcmp(mode, "bfly") == 0)
        from = (lane ^ b) > last ? -1 : (int64_t)(lane ^ b);
    else
        from = first + b % width;
    return from < 0 ? 0x80000000u | lane : (uint32_t)from;
}

static void a_shuffle_stays_in_its_segment(void **state)
{
    static const struct { const char *mode; uint32_t b, width; } rows[] = {
        {"up", 1, 32}, {"up", 3, 8}, {"up", 0, 16}, {"down", 1, 32}, {"down", 5, 16}, {"down", 31, 32},
        {"bfly", 1, 32}, {"bfly", 16, 32}, {"bfly", 8, 8}, {"idx", 0, 32}, {"idx", 5, 8}, {"idx", 31, 32}, {"idx", 9, 4},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        const uint32_t clamp = (32 - rows[i].width) << 8 | (strcmp(rows[i].mode, "up") == 0 ? 0 : 0x1f);
        struct text t;
        tw_text_init(&t, &room->arena);
        tw_text_add(&t, KERNEL_HEAD(""));
        tw_text_addf(&t, "shfl.sync.%s.b32 %%r1|%%p1, %%t, %u, %u, -1;\n@!%%p1 or.b32 %%r1, %%r1, 0x80000000;\nst.global.u32 [%%at], %%r1;\nret;\n}\n",
                     rows[i].mode, rows[i].b, clamp);
        const uint32_t *const words = kernel_load(&rig, room, t.at, &out);
        kernel_must_run(&rig, &out, 1, 32, 0);
        for (uint32_t lane = 0; lane < 32; lane++)
            assert_int_equal(words[lane], expected_shuffle(rows[i].mode, lane, rows[i].b, rows[i].width));
        rig_end(&rig);
    }
}

static void votes_matches_reductions_and_elections(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(
        &rig, *state,
        KERNEL("",
               "setp.lt.u32 %p1, %t, 7;\nand.b32 %r1, %t, 3;\nsub.s32 %r2, 5, %t;\n"
               "vote.sync.ballot.b32 %r3, %p1, -1;\nst.global.u32 [%at], %r3;\n"
               "vote.sync.all.pred %p2, %p1, -1;\nvote.sync.any.pred %p3, %p1, -1;\nvote.sync.uni.pred %p4, %p1, -1;\n"
               "vote.sync.uni.pred %p5, !%p2, -1;\n"
               "selp.b32 %r4, 1, 0, %p2;\nselp.b32 %r5, 2, 0, %p3;\nor.b32 %r4, %r4, %r5;\nselp.b32 %r5, 4, 0, %p4;\nor.b32 %r4, %r4, %r5;\n"
               "selp.b32 %r5, 8, 0, %p5;\nor.b32 %r4, %r4, %r5;\nst.global.u32 [%at+128], %r4;\n"
               "match.any.sync.b32 %r3, %r1, -1;\nst.global.u32 [%at+256], %r3;\n"
               "match.all.sync.b32 %r3|%p6, %r1, -1;\nst.global.u32 [%at+384], %r3;\n"
               "redux.sync.add.u32 %r3, %t, -1;\nst.global.u32 [%at+512], %r3;\n"
               "redux.sync.min.s32 %r3, %r2, -1;\nst.global.u32 [%at+640], %r3;\n"
               "redux.sync.max.u32 %r3, %r2, -1;\nst.global.u32 [%at+768], %r3;\n"
               "redux.sync.xor.b32 %r3, %t, -1;\nst.global.u32 [%at+896], %r3;\n"
               "elect.sync %r3|%p7, 0xfffffff0;\n"
               "END: st.global.u32 [%at+1024], %r3;\n"),
        &out);
    /* lanes 0..3 are not in the election's mask: that is a fault, and everything before it is as it should be */
    assert_int_equal(kernel_run(&rig, &out, 1, 32, 0), LAUNCH_FAULT);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(words[i], 0x7f);
        assert_int_equal(words[32 + i], 2 | 8);
        assert_int_equal(words[64 + i], 0x11111111u << (i & 3));
        assert_int_equal(words[96 + i], 0);
        assert_int_equal(words[128 + i], 496);
        assert_int_equal(words[160 + i], (uint32_t)-26);
        assert_int_equal(words[192 + i], 0xffffffffu);
        assert_int_equal(words[224 + i], 0);
    }
    rig_end(&rig);
}

/* MEASURED: the lowest lane of the mask leads. */
static void the_lowest_lane_of_the_mask_is_elected(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(&rig, *state,
                                              KERNEL("",
                                                     "setp.lt.u32 %p1, %t, 9;\n@%p1 exit;\n"
                                                     "elect.sync %r1|%p2, -1;\nselp.b32 %r2, 100, 0, %p2;\nadd.u32 %r1, %r1, %r2;\n"
                                                     "st.global.u32 [%at], %r1;\n"),
                                              &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(words[i], i < 9 ? 0 : i == 9 ? 109 : 9);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_shuffle_stays_in_its_segment),
        ROOM_TEST(votes_matches_reductions_and_elections),
        ROOM_TEST(the_lowest_lane_of_the_mask_is_elected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
