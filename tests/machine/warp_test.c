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

/* Any clamp and segment mask: the lane that is read, from the pseudo-code of the ISA. */
static uint32_t shuffle_of_the_isa(const char *mode, uint32_t lane, uint32_t b, uint32_t c)
{
    const uint32_t by = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    const uint32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int64_t from;
    bool inside;
    if (strcmp(mode, "up") == 0) {
        from = (int64_t)lane - by;
        inside = from >= most;
    } else {
        from = strcmp(mode, "down") == 0 ? lane + by : strcmp(mode, "bfly") == 0 ? lane ^ by : least | (by & ~segment);
        inside = from <= most;
    }
    return inside ? (uint32_t)from : 0x80000000u | lane;
}

static void a_shuffle_is_clamped_as_its_operand_says(void **state)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const struct { uint32_t b, c; } rows[] = {
        {4, 0x1000}, {4, 0x0f0f}, {9, 0x1803}, {12, 0x0007}, {1, 0x001f}, {33, 0x001f}, {31, 0x1f1f}, {3, 0x0a15}, {6, 0x1510}, {17, 0x0000},
    };
    for (size_t m = 0; m < COUNT(modes); m++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct bench_room *const room = *state;
            struct rig rig;
            uint64_t out;
            const uint32_t *const words = kernel_load(
                &rig, room, tw_format(&room->arena, "%smov.u32 %%r2, %u; mov.u32 %%r3, %u;\nshfl.sync.%s.b32 %%r1|%%p1, %%t, %%r2, %%r3, -1;\n"
                                      "@!%%p1 or.b32 %%r1, %%r1, 0x80000000;\nst.global.u32 [%%at], %%r1;\nret;\n}\n",
                                      KERNEL_HEAD(""), rows[i].b, rows[i].c, modes[m]),
                &out);
            kernel_must_run(&rig, &out, 1, 32, 0);
            for (uint32_t lane = 0; lane < 32; lane++)
                if (words[lane] != shuffle_of_the_isa(modes[m], lane, rows[i].b, rows[i].c))
                    fail_msg("shfl.%s, b %u, c 0x%x: lane %u reads 0x%x", modes[m], rows[i].b, rows[i].c, lane, words[lane]);
            rig_end(&rig);
        }
}

static uint32_t fold(const char *op, uint32_t x, uint32_t y)
{
    if (strncmp(op, "add", 3) == 0)
        return x + y;
    if (strcmp(op, "and.b32") == 0)
        return x & y;
    if (strcmp(op, "or.b32") == 0)
        return x | y;
    if (strcmp(op, "xor.b32") == 0)
        return x ^ y;
    const bool less = strstr(op, "s32") != NULL ? (int32_t)x < (int32_t)y : x < y;
    return less == (strncmp(op, "min", 3) == 0) ? x : y;
}

/* Half of the lanes hold negative numbers; each half of the warp reduces by itself. */
static void redux_combines_the_lanes_of_its_mask(void **state)
{
    static const char *const ops[] = {"add.u32", "add.s32", "min.u32", "max.u32", "min.s32", "max.s32", "and.b32", "or.b32", "xor.b32"};
    for (size_t i = 0; i < COUNT(ops); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        const uint32_t *const words = kernel_load(
            &rig, room, tw_format(&room->arena, "%smad.lo.s32 %%r1, %%t, 1000, -8003;\nsetp.lt.u32 %%p1, %%t, 16;\nselp.b32 %%r2, 0xffff, 0xffff0000, %%p1;\n"
                                  "redux.sync.%s %%r3, %%r1, %%r2;\nst.global.u32 [%%at], %%r3;\nret;\n}\n", KERNEL_HEAD(""), ops[i]),
            &out);
        kernel_must_run(&rig, &out, 1, 32, 0);
        for (uint32_t t = 0; t < 32; t++) {
            const uint32_t first = t & 16;
            uint32_t want = first * 1000 - 8003;
            for (uint32_t k = first + 1; k < first + 16; k++)
                want = fold(ops[i], want, k * 1000 - 8003);
            if (words[t] != want)
                fail_msg("redux.%s: lane %u has %u", ops[i], t, words[t]);
        }
        rig_end(&rig);
    }
}

/* sm_100a: lane t holds t - 10, lane 3 a NaN or -7. Without .NaN a NaN is left out; .abs compares and gives magnitudes.
 * SOURCE: PTX ISA, redux.sync. */
static void redux_of_floats_minds_nan_and_abs(void **state)
{
    static const struct { const char *op; bool nan; uint32_t want; } rows[] = {
        {"min.f32", false, 0xc1200000}, {"max.f32", false, 0x41a80000}, {"min.abs.f32", false, 0}, {"max.abs.f32", false, 0x41a80000},
        {"min.f32", true, 0xc1200000}, {"max.abs.f32", true, 0x41a80000}, {"min.NaN.f32", true, 0x7fffffff}, {"max.NaN.f32", true, 0x7fffffff},
        {"min.abs.NaN.f32", true, 0x7fffffff}, {"max.NaN.f32", false, 0x41a80000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        struct rig rig;
        uint64_t out;
        const uint32_t *const words = kernel_load(
            &rig, room, tw_format(&room->arena, ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                                  ".reg .pred %%p; .reg .b32 %%t; .reg .f32 %%f<4>; .reg .b64 %%q<3>;\nld.param.u64 %%q1, [out]; mov.u32 %%t, %%tid.x;\n"
                                  "cvt.rn.f32.u32 %%f1, %%t; sub.rn.f32 %%f1, %%f1, 0f41200000;\nsetp.eq.u32 %%p, %%t, %u; @%%p mov.f32 %%f1, 0f7FC12345;\n"
                                  "redux.sync.%s %%f2, %%f1, -1;\nmad.wide.u32 %%q2, %%t, 4, %%q1; st.global.f32 [%%q2], %%f2;\nret;\n}\n",
                                  rows[i].nan ? 3 : 99, rows[i].op),
            &out);
        kernel_must_run(&rig, &out, 1, 32, 0);
        for (uint32_t t = 0; t < 32; t++)
            if (words[t] != rows[i].want)
                fail_msg("redux.%s: 0x%08x", rows[i].op, words[t]);
        rig_end(&rig);
    }
}

/* Values of 64 bits that differ in their upper half alone; all lanes alike, all but one, and within a mask. */
static void match_compares_all_bits_within_its_mask(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(
        &rig, *state,
        KERNEL("",
               "and.b32 %r1, %t, 3;\ncvt.u64.u32 %q1, %r1;\nshl.b64 %q1, %q1, 40;\n"
               "match.any.sync.b64 %r2, %q1, -1;\nst.global.u32 [%at], %r2;\n"
               "mov.b64 %q2, 0x700000007;\nmatch.all.sync.b64 %r2|%p1, %q2, -1;\nselp.b32 %r3, %r2, 99, %p1;\nst.global.u32 [%at+128], %r3;\n"
               "setp.eq.u32 %p2, %t, 20;\n@%p2 mov.b64 %q2, 0x600000007;\n"
               "match.all.sync.b64 %r2|%p1, %q2, -1;\nselp.b32 %r3, 99, %r2, %p1;\nst.global.u32 [%at+256], %r3;\n"
               "setp.lt.u32 %p3, %t, 16;\nselp.b32 %r4, 0xffff, 0xffff0000, %p3;\n"
               "match.all.sync.b64 %r2, %q2, %r4;\nst.global.u32 [%at+384], %r2;\n"
               "match.any.sync.b32 %r2, %r1, %r4;\nst.global.u32 [%at+512], %r2;\n"),
        &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t t = 0; t < 32; t++) {
        const uint32_t half = t < 16 ? 0xffffu : 0xffff0000u;
        assert_int_equal(words[t], 0x11111111u << (t & 3));
        assert_int_equal(words[32 + t], 0xffffffffu);
        assert_int_equal(words[64 + t], 0);
        assert_int_equal(words[96 + t], t < 16 ? 0xffffu : 0); /* lane 20 differs, in its half alone */
        assert_int_equal(words[128 + t], half & 0x11111111u << (t & 3));
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
        ROOM_TEST(a_shuffle_is_clamped_as_its_operand_says),
        ROOM_TEST(redux_combines_the_lanes_of_its_mask),
        ROOM_TEST(redux_of_floats_minds_nan_and_abs),
        ROOM_TEST(match_compares_all_bits_within_its_mask),
        ROOM_TEST(the_lowest_lane_of_the_mask_is_elected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
