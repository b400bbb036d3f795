/* What tensor copies move where. Two hundred launches of one kernel, whose results an H200 gave (data/tensor_copies.txt): tiles of
 * every rank and width, element strides, swizzles, fill, im2col, stores, reductions, faults. Then what sm_90 does not have:
 * gather4, scatter4, packed types, larger swizzle atoms, by the ISA's text. */
#include "rig.h"
#include "support/tcg.h"
#include "tensor_map_text.h"

enum { SHARED_BYTES = 40960, BULK_AT = 65536, OUT_BYTES = SHARED_BYTES + 4096 + 65536, TENSOR_BYTES = 262144, DYNAMIC_BYTES = 45056 };

/* ---- The kernel ----------------------------------------------------------------------------------- */

/* Shared memory is filled from `in`, one thread executes the body, shared memory goes to `out`, %r8 behind it. */
static const char kernel_text[] =
    ".version 8.6\n.target %s\n.address_size 64\n.extern .shared .align 1024 .b8 pool[];\n"
    ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 in, .param .u64 out, .param .u32 pc0, .param .u32 pc1, .param .u32 pc2,\n"
    " .param .u32 pc3, .param .u32 pc4, .param .u32 po0, .param .u32 po1, .param .u32 po2, .param .u32 pdst, .param .u32 ptx)\n{\n"
    ".reg .pred %%p<8>; .reg .b32 %%r<20>, %%c<5>; .reg .b16 %%h<4>; .reg .b64 %%q<12>;\n.shared .align 8 .b8 bar[8];\n"
    "mov.u32 %%r0, %%tid.x; ld.param.u64 %%q0, [in]; ld.param.u64 %%q1, [out];\n"
    "ld.param.u32 %%c0, [pc0]; ld.param.u32 %%c1, [pc1]; ld.param.u32 %%c2, [pc2]; ld.param.u32 %%c3, [pc3]; ld.param.u32 %%c4, [pc4];\n"
    "ld.param.u16 %%h0, [po0]; ld.param.u16 %%h1, [po1]; ld.param.u16 %%h2, [po2]; ld.param.u32 %%r4, [pdst]; ld.param.u32 %%r5, [ptx];\n"
    "mov.b64 %%q4, map; cvta.param.u64 %%q4, %%q4; mov.u32 %%r6, pool; mov.u32 %%r7, bar; shl.b32 %%r1, %%r0, 4;\n"
    "FILL: cvt.u64.u32 %%q5, %%r1; add.u64 %%q6, %%q0, %%q5; ld.global.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%q6]; add.u32 %%r3, %%r6, %%r1;\n"
    "st.shared.v4.u32 [%%r3], {%%r10, %%r11, %%r12, %%r13}; add.u32 %%r1, %%r1, 2048; setp.lt.u32 %%p0, %%r1, 40960; @%%p0 bra FILL;\n"
    "setp.ne.u32 %%p1, %%r0, 0;\n@!%%p1 mbarrier.init.shared::cta.b64 [%%r7], 1;\nfence.proxy.async;\nbar.sync 0;\n"
    "mov.u32 %%r8, 0; add.u32 %%r4, %%r4, %%r6;\n@%%p1 bra DONE;\n%s\nDONE: bar.sync 0; shl.b32 %%r1, %%r0, 4;\n"
    "DUMP: cvt.u64.u32 %%q5, %%r1; add.u64 %%q6, %%q1, %%q5; add.u32 %%r3, %%r6, %%r1; ld.shared.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%r3];\n"
    "st.global.v4.u32 [%%q6], {%%r10, %%r11, %%r12, %%r13}; add.u32 %%r1, %%r1, 2048; setp.lt.u32 %%p0, %%r1, 40960; @%%p0 bra DUMP;\n"
    "@!%%p1 st.global.u32 [%%q1+40960], %%r8;\nret;\n}\n";

#define EXPECT "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], %r5;\n"
#define AWAIT                                                                                                          \
    "\nmov.u32 %r9, 0;\nW: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r7], 0; @%p2 bra GOT; add.u32 %r9, %r9, 1;\n" \
    "setp.lt.u32 %p3, %r9, 8; @%p3 bra W; bra DONE;\nGOT: mov.u32 %r8, 1;"
#define GROUP "\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0; mov.u32 %r8, 1;"
#define TX "mbarrier::complete_tx::bytes"

static const char *const coordinates[] = {"", "%c0", "%c0, %c1", "%c0, %c1, %c2", "%c0, %c1, %c2, %c3", "%c0, %c1, %c2, %c3, %c4"};
static const char *const offsets[] = {"", "", "", "%h0", "%h0, %h1", "%h0, %h1, %h2"};

static const char *bulk_body(struct arena *arena, const char *name)
{
    static const struct { const char *name, *spelling; } rows[] = {
        {"f32", "add.f32"}, {"f64", "add.f64"}, {"f16", "add.noftz.f16"}, {"bf16", "add.noftz.bf16"}, {"minf16", "min.f16"},
        {"maxbf16", "max.bf16"}, {"s64min", "min.s64"}, {"dec", "dec.u32"}, {"inc", "inc.u32"},
    };
    if (strcmp(name, "own") == 0)
        return "add.u32 %r10, %r4, 8192;\n" EXPECT "cp.async.bulk.shared::cluster.shared::cta." TX " [%r10], [%r4], %c0, [%r7];" AWAIT;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(rows[i].name, name) == 0)
            return tw_format(arena, "add.u64 %%q7, %%q1, 65536; cp.reduce.async.bulk.global.shared::cta.bulk_group.%s [%%q7], [%%r4], %%c0;%s",
                             rows[i].spelling, GROUP);
    return NULL;
}

/* The body that a kernel name of the data file stands for: load_tile_3, store_im2col_4, red_add, bulk_f32. */
static const char *body_of(struct arena *arena, const char *name)
{
    const unsigned rank = (unsigned)(name[strlen(name) - 1] - '0');
    if (strncmp(name, "load_tile_", 10) == 0)
        return tw_format(arena, "%scp.async.bulk.tensor.%ud.shared::cluster.global.tile." TX " [%%r4], [%%q4, {%s}], [%%r7];%s", EXPECT, rank,
                         coordinates[rank], AWAIT);
    if (strncmp(name, "load_im2col_", 12) == 0)
        return tw_format(arena, "%scp.async.bulk.tensor.%ud.shared::cluster.global.im2col." TX " [%%r4], [%%q4, {%s}], [%%r7], {%s};%s", EXPECT, rank,
                         coordinates[rank], offsets[rank], AWAIT);
    if (strncmp(name, "store_", 6) == 0)
        return tw_format(arena, "cp.async.bulk.tensor.%ud.global.shared::cta.%s.bulk_group [%%q4, {%s}], [%%r4];%s", rank,
                         strncmp(name + 6, "tile", 4) == 0 ? "tile" : "im2col_no_offs", coordinates[rank], GROUP);
    if (strncmp(name, "red_", 4) == 0)
        return tw_format(arena, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.%s.tile.bulk_group [%%q4, {%%c0, %%c1}], [%%r4];%s", name + 4, GROUP);
    return bulk_body(arena, name + 5);
}

/* ---- A launch ------------------------------------------------------------------------------------- */

struct copy_case {
    char *name, *kernel;
    struct tensor_map map;
    int64_t coords[TENSOR_MAP_RANK], offsets[TENSOR_MAP_SPATIAL], shared, tx, kind;
    char *want;
};

struct copy_run {
    struct rig rig;
    uint64_t in, out, tensor;
    enum launch_status status;
};

/* The data that the GPU was given. Kind 2: f32 words whose exponents are 0 to 3, a quarter of them subnormal. Kind 3: every
 * 16-bit element of the tensor is its own number. */
static uint32_t data_word(uint32_t i, uint32_t seed, int64_t kind, unsigned shift)
{
    uint64_t z = i * UINT64_C(0x9e3779b97f4a7c15) + seed;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    const uint32_t word = (uint32_t)(z >> 17);
    return kind == 2 ? (word & 0x807fffffu) | (word >> shift & 3) << 23 : word;
}

static void fill_words(uint8_t *at, uint32_t bytes, uint32_t seed, int64_t kind, unsigned shift)
{
    for (uint32_t i = 0; i < bytes / 4; i++) {
        uint32_t word = data_word(i, seed, kind, shift);
        if (kind == 3)
            word = bytes == SHARED_BYTES ? UINT32_C(0xeeeeeeee) : (2 * i & 0xffff) | (2 * i + 1) << 16;
        memcpy(at + (size_t)4 * i, &word, 4);
    }
}

/* The bulk buffer's words are numbered by byte. */
static void fill_bulk(uint8_t *out, int64_t kind)
{
    for (uint32_t i = 0; BULK_AT + i + 4 <= OUT_BYTES; i += 4) {
        const uint32_t word = data_word(i, (uint32_t)kind * 17 + 9, kind, 5);
        memcpy(out + BULK_AT + i, &word, 4);
    }
}

static void launch_copy(struct bench_room *room, struct copy_run *r, const char *target, const char *body, const struct copy_case *c)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const char *const text = tw_format(&room->arena, kernel_text, target, body);
#pragma GCC diagnostic pop
    rig_load(&r->rig, room, "k.ptx", text);
    r->in = tw_memory_alloc(r->rig.memory, SHARED_BYTES, "in");
    r->out = tw_memory_alloc(r->rig.memory, OUT_BYTES, "out");
    r->tensor = tw_memory_alloc(r->rig.memory, TENSOR_BYTES, "tensor");
    fill_words(rig_host(&r->rig, r->in), SHARED_BYTES, (uint32_t)c->kind * 77 + 1, c->kind, 9);
    fill_words(rig_host(&r->rig, r->tensor), TENSOR_BYTES, (uint32_t)c->kind * 131 + 5, c->kind, 7);
    fill_bulk(rig_host(&r->rig, r->out), c->kind);
    struct { uint8_t map[TENSOR_MAP_BYTES]; uint64_t in, out; int32_t numbers[10]; } params = {.in = r->in, .out = r->out};
    struct tensor_map map = c->map;
    map.address += r->tensor;
    tw_tensor_map_pack(&map, params.map);
    for (uint32_t i = 0; i < 5; i++)
        params.numbers[i] = (int32_t)c->coords[i];
    for (uint32_t i = 0; i < 3; i++)
        params.numbers[5 + i] = (int32_t)c->offsets[i];
    params.numbers[8] = (int32_t)c->shared;
    params.numbers[9] = (int32_t)c->tx;
    r->status = rig_run(&r->rig, "k", (struct launch_spec){.block = {128}, .dynamic_shared_bytes = DYNAMIC_BYTES, .params = &params,
                                                           .param_bytes = sizeof params, .max_steps = 1000000});
}

/* ---- Against the GPU -------------------------------------------------------------------------------- */

static uint64_t hash(const uint8_t *at, size_t bytes)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ at[i]) * UINT64_C(0x100000001b3);
    return h;
}

static char *word_of(char **at)
{
    char *const word = *at;
    *at = strchr(word, ' ');
    *(*at)++ = '\0';
    return word;
}

static struct copy_case read_case(char *line)
{
    struct copy_case c = {.name = word_of(&line)};
    c.kernel = word_of(&line);
    c.map = text_map(&line, 0);
    for (uint32_t i = 0; i < TENSOR_MAP_RANK; i++)
        c.coords[i] = text_number(&line);
    for (uint32_t i = 0; i < TENSOR_MAP_SPATIAL; i++)
        c.offsets[i] = text_number(&line);
    c.shared = text_number(&line);
    c.tx = text_number(&line);
    c.kind = text_number(&line);
    c.want = strchr(line, '=') + 2;
    return c;
}

static void expect_hash(const struct copy_case *c, const char *what, const uint8_t *at, size_t bytes, char **want)
{
    const uint64_t expected = strtoull(*want, want, 16);
    if (hash(at, bytes) != expected)
        fail_msg("%s: %s differs from the GPU's", c->name, what);
}

static void check_case(void **state, struct copy_case *c)
{
    struct bench_room *room = *state;
    struct copy_run r;
    struct tensor_map_fault broken;
    if (strcmp(c->want, "refused") == 0) {
        assert_false(tw_tensor_map_check(&c->map, 90, &room->arena, &broken));
        return;
    }
    launch_copy(room, &r, "sm_90a", body_of(&room->arena, c->kernel), c);
    if (strcmp(c->want, "fault") == 0) {
        if (r.status != LAUNCH_FAULT)
            fail_msg("%s: the GPU faults", c->name);
    } else {
        const uint8_t *const out = rig_host(&r.rig, r.out);
        if (r.status != LAUNCH_FINISHED)
            fail_msg("%s: status %d\n%s", c->name, (int)r.status, tw_test_diags(room));
        if (out[SHARED_BYTES] != (uint8_t)(c->want[0] - '0'))
            fail_msg("%s: the barrier %s", c->name, out[SHARED_BYTES] != 0 ? "completed" : "did not complete");
        c->want++;
        if (out[SHARED_BYTES] != 0) { /* else the GPU's copy has landed, and ours has not */
            expect_hash(c, "shared memory", out, SHARED_BYTES, &c->want);
            expect_hash(c, "global memory", rig_host(&r.rig, r.tensor), TENSOR_BYTES, &c->want);
            expect_hash(c, "the reduced buffer", out + BULK_AT, OUT_BYTES - BULK_AT, &c->want);
        }
    }
    rig_end(&r.rig);
}

static void copies_do_what_the_gpu_did(void **state)
{
    struct landing landing = {0};
    struct arena own;
    size_t size;
    static unsigned cases;
    cases = 0;
    tw_arena_init(&own, &landing, 0);
    if (setjmp(landing.at) != 0)
        abort(); /* a test that exhausts memory is a broken test */
    char *line = tw_test_read_file(&own, "tests/machine/data/tensor_copies.txt", &size);
    assert_non_null(line);
    for (char *next; line != NULL && *line != '\0'; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        if (*line == '#')
            continue;
        struct copy_case c = read_case(line);
        check_case(state, &c);
        tw_test_teardown(state);
        tw_test_setup(state);
        cases++;
    }
    assert_true(cases > 180);
    tw_arena_release(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(copies_do_what_the_gpu_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
