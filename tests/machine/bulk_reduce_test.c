/* Every operation of cp.reduce.async.bulk and red.async on every type that it takes, into global memory and into a peer's. The
 * sums of floats are of small numbers, exact in every format. SOURCE: PTX ISA, cp.reduce.async.bulk, red.async. */
#include "bulk_text.h"

enum { WORDS = 8 };

/* What is in memory before (words 0 to 7), what is combined with it, and what must be there then. */
struct reduction {
    const char *op, *type;
    bool to_peer; /* PTX has the forms for a peer, too */
    uint32_t old[WORDS], with[WORDS], want[WORDS];
};

#define WORDS_A {0, 1, 5, 0x80000000, 0xffffffff, 7, 0xfffffff0, 100}
#define WORDS_B {3, 1, 9, 0x7fffffff, 2, 7, 0x20, 0xffffff00}

static const struct reduction rows[] = {
    {"and", "b32", true, WORDS_A, WORDS_B, {0, 1, 1, 0, 2, 7, 0x20, 0}},
    {"or", "b32", true, WORDS_A, WORDS_B, {3, 1, 13, 0xffffffff, 0xffffffff, 7, 0xfffffff0, 0xffffff64}},
    {"xor", "b32", true, WORDS_A, WORDS_B, {3, 0, 12, 0xffffffff, 0xfffffffd, 0, 0xffffffd0, 0xffffff64}},
    {"and", "b64", false, WORDS_A, WORDS_B, {0, 1, 1, 0, 2, 7, 0x20, 0}},
    {"or", "b64", false, WORDS_A, WORDS_B, {3, 1, 13, 0xffffffff, 0xffffffff, 7, 0xfffffff0, 0xffffff64}},
    {"xor", "b64", false, WORDS_A, WORDS_B, {3, 0, 12, 0xffffffff, 0xfffffffd, 0, 0xffffffd0, 0xffffff64}},
    {"add", "u32", true, WORDS_A, WORDS_B, {3, 2, 14, 0xffffffff, 1, 14, 0x10, 0xffffff64}},
    {"add", "s32", true, WORDS_A, WORDS_B, {3, 2, 14, 0xffffffff, 1, 14, 0x10, 0xffffff64}},
    {"add", "u64", true, WORDS_A, WORDS_B, {3, 2, 14, 0xffffffff, 1, 15, 0x10, 0xffffff65}},
    {"inc", "u32", true, WORDS_A, WORDS_B, {1, 0, 6, 0, 0, 0, 0, 101}},
    {"dec", "u32", true, WORDS_A, WORDS_B, {3, 0, 4, 0x7fffffff, 2, 6, 0x20, 99}},
    {"min", "u32", true, WORDS_A, WORDS_B, {0, 1, 5, 0x7fffffff, 2, 7, 0x20, 100}},
    {"max", "u32", true, WORDS_A, WORDS_B, {3, 1, 9, 0x80000000, 0xffffffff, 7, 0xfffffff0, 0xffffff00}},
    {"min", "s32", true, WORDS_A, WORDS_B, {0, 1, 5, 0x80000000, 0xffffffff, 7, 0xfffffff0, 0xffffff00}},
    {"max", "s32", true, WORDS_A, WORDS_B, {3, 1, 9, 0x7fffffff, 2, 7, 0x20, 100}},
    {"min", "u64", false, WORDS_A, WORDS_B, {0, 1, 9, 0x7fffffff, 2, 7, 0xfffffff0, 100}},
    {"max", "u64", false, WORDS_A, WORDS_B, {3, 1, 5, 0x80000000, 0xffffffff, 7, 0x20, 0xffffff00}},
    {"min", "s64", false, WORDS_A, WORDS_B, {0, 1, 5, 0x80000000, 2, 7, 0x20, 0xffffff00}},
    {"max", "s64", false, WORDS_A, WORDS_B, {3, 1, 9, 0x7fffffff, 0xffffffff, 7, 0xfffffff0, 100}},
    {"add", "f32", false, {0x3f800000, 0x40000000, 0, 0xc0400000, 1, 0, 0, 0}, {0x40000000, 0xc0000000, 0x3f800000, 0x3f800000, 2, 0, 0, 0},
     {0x40400000, 0, 0x3f800000, 0xc0000000, 3, 0, 0, 0}}, /* MEASURED: H200, driver 580.159.04: subnormals stay */
    {"add", "f64", false, {0, 0x3ff00000, 0, 0x40000000, 0, 0xc0080000, 0, 0}, {0, 0x40000000, 0, 0xc0000000, 0, 0x3ff00000, 0, 0x3ff00000},
     {0, 0x40080000, 0, 0, 0, 0xc0000000, 0, 0x3ff00000}},
    {"add.noftz", "f16", false, {0x3c004000, 0x0001bc00, 0, 0, 0, 0, 0, 0}, {0x40003c00, 0x00023c00, 0, 0, 0, 0, 0, 0x3c00}, {0x42004200, 0x00030000, 0, 0, 0, 0, 0, 0x3c00}},
    {"add.noftz", "bf16", false, {0x3f804000, 0x0001bf80, 0, 0, 0, 0, 0, 0}, {0x40003f80, 0x00023f80, 0, 0, 0, 0, 0, 0x3f80}, {0x40404040, 0x00030000, 0, 0, 0, 0, 0, 0x3f80}},
    {"min", "f16", false, {0x3c004000, 0xbc003c00, 0, 0, 0, 0, 0, 0}, {0x40003c00, 0x3c00c000, 0, 0, 0, 0, 0, 0}, {0x3c003c00, 0xbc00c000, 0, 0, 0, 0, 0, 0}},
    {"max", "f16", false, {0x3c004000, 0xbc003c00, 0, 0, 0, 0, 0, 0}, {0x40003c00, 0x3c00c000, 0, 0, 0, 0, 0, 0}, {0x40004000, 0x3c003c00, 0, 0, 0, 0, 0, 0}},
    {"min", "bf16", false, {0x3f804000, 0xbf803f80, 0, 0, 0, 0, 0, 0}, {0x40003f80, 0x3f80c000, 0, 0, 0, 0, 0, 0}, {0x3f803f80, 0xbf80c000, 0, 0, 0, 0, 0, 0}},
    {"max", "bf16", false, {0x3f804000, 0xbf803f80, 0, 0, 0, 0, 0, 0}, {0x40003f80, 0x3f80c000, 0, 0, 0, 0, 0, 0}, {0x40004000, 0x3f803f80, 0, 0, 0, 0, 0, 0}},
};

/* Threads 0 to 7 bring both operands into place: `out` or the peer's buffer holds the old words, %buf+256 of the issuer the others. */
#define PLACE                                                                                                                       \
    "setp.ge.u32 %p4, %t, 8; shl.b32 %r20, %t, 2; cvt.u64.u32 %q8, %r20; add.u64 %q8, %q8, %in; add.u32 %r21, %buf, %r20;\n"        \
    "@%p4 bra PLACED;\nld.global.u32 %r22, [%q8]; st.shared.u32 [%r21], %r22; ld.global.u32 %r22, [%q8+32]; st.shared.u32 [%r21+256], %r22;\n" \
    "PLACED: fence.proxy.async; bar.sync 0;\n"
#define PEER_ISSUES                                                                                                                 \
    PLACE "setp.eq.u32 %p5, %rank, 1;\n@%p5 bra SYNC;\n" EXPECT(32) "SYNC: " CLUSTER_SYNC "@!%p5 bra TAKE;\n@%rest bra END;\n"      \
    "mapa.shared::cluster.u32 %r10, %buf, 0; mapa.shared::cluster.u32 %r11, %bar, 0;\n"
#define TAKE                                                                                                                        \
    "bra END;\nTAKE: " AWAIT("W") "@%p4 bra END;\nld.shared.u32 %r22, [%r21]; cvt.u64.u32 %q8, %r20; add.u64 %q8, %q8, %out; st.global.u32 [%q8], %r22;\n" \
    "END: bar.sync 0;\n" CLUSTER_SYNC

static const char head_of_kernel[] = BULK_KERNEL("sm_90a", "");

/* The frame without its end, a body, and the end. */
static const char *kernel_with(struct arena *arena, const char *body)
{
    static const char end[] = "ret;\n}\n";
    return tw_format(arena, "%.*s%s%s", (int)(sizeof head_of_kernel - sizeof end), head_of_kernel, body, end);
}

static void check(void **state, const struct reduction *row, const char *form, const char *body, uint32_t cluster)
{
    struct bench_room *const room = *state;
    struct bulk_run r = {0};
    struct { uint64_t out, in, gap[6]; uint8_t map[TENSOR_MAP_BYTES]; } params = {0};
    rig_load(&r.rig, room, "k.ptx", kernel_with(&room->arena, body));
    params.out = tw_memory_alloc(r.rig.memory, 4096, "out");
    params.in = tw_memory_alloc(r.rig.memory, 4096, "in");
    uint32_t *const out = rig_host(&r.rig, params.out), *const in = rig_host(&r.rig, params.in);
    memcpy(out, row->old, sizeof row->old);
    memcpy(in, row->old, sizeof row->old);
    memcpy(in + WORDS, row->with, sizeof row->with);
    rig_must_run(&r.rig, "k", (struct launch_spec){.grid = {cluster}, .block = {32}, .cluster = {cluster, 1, 1}, .params = &params, .param_bytes = sizeof params, .seed = 3});
    for (uint32_t i = 0; i < WORDS; i++)
        if (out[i] != row->want[i])
            fail_msg("%s.%s.%s: word %u is 0x%08x, not 0x%08x", form, row->op, row->type, i, out[i], row->want[i]);
    rig_end(&r.rig);
    tw_test_teardown(state);
    tw_test_setup(state);
}

static void every_reduction_into_global_memory(void **state)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        check(state, &rows[i], "cp.reduce.async.bulk.global",
              tw_format(&room->arena, "%s@%%rest bra END;\nadd.u32 %%r10, %%buf, 256;\ncp.reduce.async.bulk.global.shared::cta.bulk_group.%s.%s [%%out], [%%r10], 32;\n"
                        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND: bar.sync 0;\n", PLACE, rows[i].op, rows[i].type), 1);
    }
}

static void every_reduction_into_a_peer(void **state)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        if (rows[i].to_peer)
            check(state, &rows[i], "cp.reduce.async.bulk.shared::cluster",
                  tw_format(&room->arena, "%sadd.u32 %%r12, %%buf, 256;\ncp.reduce.async.bulk.shared::cluster.shared::cta." TX ".%s.%s [%%r10], [%%r12], 32, [%%r11];\n%s",
                            PEER_ISSUES, rows[i].op, rows[i].type, TAKE), 2);
    }
}

/* The same word by word. */
static void every_asynchronous_reduction_of_a_word(void **state)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_room *const room = *state;
        const bool wide = strstr(rows[i].type, "64") != NULL;
        if (!rows[i].to_peer)
            continue;
        struct text t;
        tw_text_init(&t, &room->arena);
        tw_text_add(&t, PEER_ISSUES);
        for (unsigned at = 0; at < 4 * WORDS; at += wide ? 8 : 4)
            tw_text_addf(&t, "ld.shared.b%s %s, [%%buf+%u]; red.async.relaxed.cluster.shared::cluster." TX ".%s.%s [%%r10+%u], %s, [%%r11];\n", wide ? "64" : "32",
                         wide ? "%q1" : "%r12", 256 + at, rows[i].op, rows[i].type, at, wide ? "%q1" : "%r12");
        tw_text_add(&t, TAKE);
        check(state, &rows[i], "red.async", t.at, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_reduction_into_global_memory),
        ROOM_TEST(every_reduction_into_a_peer),
        ROOM_TEST(every_asynchronous_reduction_of_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
