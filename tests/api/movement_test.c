/* ld, st and cp.async through tile.apply: every type, vector and space, and the qualifiers, arrive where they should.
 * SOURCE: kernel-language-tile 7.3. */
#include "api/movement.h"

enum { THREADS = 32, REPEATS = 2, MOST = THREADS * REPEATS * 32 };

#define HEAD(format)                                                                                                        \
    "from tvm.script import tirx as T\n"                                                                                     \
    "@T.function\n"                                                                                                          \
    "def k(In: T.Tensor((32, 2, " format "), \"%s\"), Out: T.Tensor((32, 2, " format "), \"%s\")):\n"                          \
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"                                                     \
    "    t = T.cuda.thread_idx(\"x\")\n"                                                                                      \
    "    r = T.alloc_local((2 * " format ",), \"%s\", layout=\"default\")\n"                                                   \
    "    q = T.alloc_local((2 * " format ",), \"%s\", layout=\"default\")\n"

/* ---- types, vectors and spaces --------------------------------------------------------------------------- */

struct type_case {
    const char *type, *dtype;
    int bytes;
};
static const struct type_case types[] = {
    {"b8", "uint8", 1},    {"u8", "uint8", 1},     {"s8", "int8", 1},      {"b16", "float16", 2}, {"u16", "uint16", 2},
    {"s16", "int16", 2},   {"b32", "float32", 4},  {"u32", "uint32", 4},   {"s32", "int32", 4},   {"f32", "float32", 4},
    {"u32", "float32", 4}, {"b64", "int64", 8},    {"u64", "uint64", 8},   {"s64", "int64", 8},   {"f64", "float64", 8},
    {"b64", "float64", 8}, {"b8", "float8_e4m3fn", 1}, {"b16", "bfloat16", 2},
    {"b8", "bool", 1},
};

enum space { GLOBAL, GENERIC, SHARED, SHARED_CTA, SHARED_CLUSTER, LOCAL, SPACES };
static const char *const space_text[] = {".global", "", ".shared", ".shared::cta", ".shared::cluster", ".local"};

/* The way through a space: from r to q, by its own stores and loads. */
static const char *detour(struct bench_room *room, enum space space, const struct type_case *t, int words, const char *vec)
{
    const char *s = space_text[space], *type = t->type;
    if (space == LOCAL)
        return tw_format(&room->arena,
                         "    m = T.alloc_local((3, 2, %d), \"%s\", layout=\"default\")\n"
                         "    T.cuda.tile.apply(T.ptx[\"st%s%s.%s\"], m[t %% 2 : t %% 2 + 1, 0:2, 0:%d], r.view(1, 2, %d))\n"
                         "    T.cuda.tile.apply(T.ptx[\"ld%s%s.%s\"], q.view(1, 2, %d), m[t %% 2 : t %% 2 + 1, 0:2, 0:%d])\n",
                         words, t->dtype, s, vec, type, words, words, s, vec, type, words, words);
    if (space == GLOBAL || space == GENERIC)
        return tw_format(&room->arena,
                         "    T.cuda.tile.apply(T.ptx[\"st%s%s.%s\"], Out[t, 0:2, 0:%d], r.view(1, 2, %d))\n"
                         "    T.cuda.tile.apply(T.ptx[\"ld%s%s.%s\"], q.view(1, 2, %d), Out[t, 0:2, 0:%d])\n",
                         s, vec, type, words, words, s, vec, type, words, words);
    return tw_format(&room->arena,
                     "    m = T.alloc_shared((32, 2, %d), \"%s\", layout=\"default\")\n"
                     "    T.cuda.tile.apply(T.ptx[\"st%s%s.%s\"], m[t ^ 1, 0:2, 0:%d], r.view(1, 2, %d))\n"
                     "    T.cuda.cta_sync()\n"
                     "    T.cuda.tile.apply(T.ptx[\"ld%s%s.%s\"], q.view(1, 2, %d), m[t ^ 1, 0:2, 0:%d])\n",
                     words, t->dtype, s, vec, type, words, words, s, vec, type, words, words);
}

static void through(struct bench_room *room, enum space space, const struct type_case *t, int words, const char *arch)
{
    static uint8_t in[MOST], out[MOST];
    const char *vec = words == 1 ? "" : tw_format(&room->arena, ".v%d", words);
    const char *what = tw_format(&room->arena, "ld%s%s.%s of %s", space_text[space], vec, t->type, t->dtype);
    const char *head = tw_format(&room->arena, HEAD("%d"), words, t->dtype, words, t->dtype, words, t->dtype, words, t->dtype);
    const char *text = tw_format(&room->arena,
                                 "%s    T.cuda.tile.apply(T.ptx[\"ld.global%s.%s\"], r.view(1, 2, %d), In[t, 0:2, 0:%d])\n%s"
                                 "    T.cuda.tile.apply(T.ptx[\"st.global%s.%s\"], Out[t, 0:2, 0:%d], q.view(1, 2, %d))\n",
                                 head, vec, t->type, words, words, detour(room, space, t, words, vec), vec, t->type, words, words);
    const size_t len = (size_t)(THREADS * REPEATS * words * t->bytes);
    fill_bytes(in, len, 7);
    memset(out, 0, len);
    run_movement(what, text, arch, tw_format(&room->arena, "ld%s%s.%s ", space_text[space], vec, t->type), space == GLOBAL ? 4 : 2,
                 (struct move_tensor[]){{"In", in, len}, {"Out", out, len}}, 2);
    expect_bytes(what, out, in, len);
}

static void every_type_and_vector_moves_through_every_space(void **state)
{
    say_if_not_assembled();
    for (size_t i = 0; i < COUNT(types); i++)
        for (int words = 1; words <= 4; words *= 2)
            for (enum space s = GLOBAL; words * types[i].bytes <= 16 && s < SPACES; s++)
                through(*state, s, &types[i], words, s == SHARED_CLUSTER ? "sm_90" : "sm_80");
}

/* 256 bits at once, in global memory of sm_100 and later. */
static void vectors_of_256_bits_move(void **state)
{
    for (size_t i = 0; i < COUNT(types); i++)
        if (types[i].bytes >= 4)
            through(*state, GLOBAL, &types[i], 32 / types[i].bytes, "sm_100");
}

/* ---- qualifiers ------------------------------------------------------------------------------------------- */

static const struct {
    const char *ld, *st, *arch;
    bool policy;
} qualified[] = {
    {"ld.global.ca", "st.global.wb", "sm_80", false},
    {"ld.global.cg", "st.global.cg", "sm_80", false},
    {"ld.global.cs", "st.global.cs", "sm_80", false},
    {"ld.global.lu", "st.global.wt", "sm_80", false},
    {"ld.global.cv", "st.global", "sm_80", false},
    {"ld.global.nc", "st.weak.global", "sm_80", false},
    {"ld.weak.global", "st.global", "sm_80", false},
    {"ld.volatile.global", "st.volatile.global", "sm_80", false},
    {"ld.relaxed.gpu.global", "st.relaxed.gpu.global", "sm_80", false},
    {"ld.acquire.cta.global", "st.release.cta.global", "sm_80", false},
    {"ld.acquire.cluster.global", "st.release.cluster.global", "sm_90", false},
    {"ld.acquire.sys.global", "st.release.sys.global", "sm_80", false},
    {"ld.global.L1::evict_last", "st.global.L1::no_allocate", "sm_80", false},
    {"ld.global.nc.L1::no_allocate", "st.global.L1::evict_first", "sm_80", false},
    {"ld.global.L2::64B", "st.global", "sm_80", false},
    {"ld.global.L2::128B", "st.global", "sm_80", false},
    {"ld.global.L2::256B", "st.global", "sm_80", false},
    {"ld.global.L2::cache_hint", "st.global.L2::cache_hint", "sm_80", true},
    {"ld.global.L1::evict_first.L2::cache_hint.L2::128B", "st.global.L1::evict_last.L2::cache_hint", "sm_80", true},
    {"ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B", "st.global.L2::cache_hint", "sm_80", true},
};

static void qualifiers_are_part_of_the_opcode(void **state)
{
    static uint8_t in[MOST], out[MOST];
    struct bench_room *room = *state;
    const size_t len = THREADS * REPEATS * 2 * 4;
    for (size_t i = 0; i < COUNT(qualified); i++) {
        const char *policy = qualified[i].policy ? ", cache_policy=policy" : "";
        const bool vector = strstr(qualified[i].ld, "acquire") == NULL; /* both are legal; half of the cases each */
        const char *shape = vector ? "1, 2, 2" : "1, 4, 1", *vec = vector ? ".v2" : "";
        const char *text = tw_format(&room->arena,
            HEAD("2")
            "    policy = T.local_scalar(\"uint64\")\n"
            "    T.ptx.createpolicy.fractional.L2__evict_last.b64(policy, T.float32(1))\n"
            "    T.cuda.tile.apply(T.ptx[\"%s%s.f32\"], r.view(%s), In%s%s)\n"
            "    T.cuda.tile.apply(T.ptx[\"%s%s.f32\"], Out%s, r.view(%s)%s)\n",
            "float32", "float32", "float32", "float32", qualified[i].ld, vec, shape,
            vector ? "[t, 0:2, 0:2]" : ".view(32, 4, 1)[t, 0:4, 0:1]", policy, qualified[i].st, vec,
            vector ? "[t, 0:2, 0:2]" : ".view(32, 4, 1)[t, 0:4, 0:1]", shape, policy);
        fill_bytes(in, len, (uint32_t)i);
        memset(out, 0, len);
        run_movement(qualified[i].ld, text, qualified[i].arch, qualified[i].ld, vector ? 2 : 4,
                     (struct move_tensor[]){{"In", in, len}, {"Out", out, len}}, 2);
        expect_bytes(qualified[i].ld, out, in, len);
    }
}

/* ---- predicates --------------------------------------------------------------------------------------------- */

#define SEVENS "    for i in range(4):\n        r[i] = T.uint32(7)\n"

static void run_words(const char *what, const char *text, const char *needle, uint32_t times, const uint32_t *in, uint32_t *out)
{
    uint32_t copy[THREADS * 4];
    memcpy(copy, in, sizeof copy);
    memset(out, 0, sizeof copy);
    run_movement(what, text, "sm_80", needle, times, (struct move_tensor[]){{"In", copy, sizeof copy}, {"Out", out, sizeof copy}}, 2);
}

static const char *words_kernel(struct bench_room *room, const char *body)
{
    return tw_format(&room->arena, HEAD("2") "%s", "uint32", "uint32", "uint32", "uint32", body);
}

static void a_skipped_load_keeps_what_preserve_dst_says(void **state)
{
    uint32_t in[THREADS * 4], out[THREADS * 4];
    fill_bytes(in, sizeof in, 3);
    run_words("preserve_dst", words_kernel(*state, SEVENS
              "    T.cuda.tile.apply(T.ptx[\"ld.global.v2.b32\"], r.view(1, 2, 2), In[t, 0:2, 0:2], pred=t < 16, preserve_dst=True)\n"
              "    T.cuda.tile.apply(T.ptx[\"st.global.v2.b32\"], Out[t, 0:2, 0:2], r.view(1, 2, 2))\n"), "@%p0 ld.global.v2.b32", 2, in, out);
    for (size_t i = 0; i < COUNT(in); i++)
        assert_int_equal(out[i], i < 64 ? in[i] : 7);
}

static void a_skipped_store_leaves_memory_alone(void **state)
{
    uint32_t in[THREADS * 4], out[THREADS * 4];
    fill_bytes(in, sizeof in, 3);
    run_words("pred", words_kernel(*state, SEVENS
              "    T.cuda.tile.apply(T.ptx[\"st.global.v2.b32\"], Out[t, 0:2, 0:2], r.view(1, 2, 2), pred=t % 2 == 1)\n"), "st.global.v2.b32", 2, in, out);
    for (size_t i = 0; i < COUNT(in); i++)
        assert_int_equal(out[i], i / 4 % 2 == 1 ? 7 : 0);
}

/* A source may be a scalar, here one that the thread computes; every word is that. */
static void a_scalar_is_stored_to_every_word(void **state)
{
    uint32_t in[THREADS * 4] = {0}, out[THREADS * 4];
    run_words("scalar", words_kernel(*state,
              "    T.cuda.tile.apply(T.ptx[\"st.global.v2.b32\"], Out[t, 0:2, 0:2], 3 * t + 1)\n"), "st.global.v2.b32", 2, in, out);
    for (size_t i = 0; i < COUNT(out); i++)
        assert_int_equal(out[i], 3 * (i / 4) + 1);
}

/* What is known at compile time needs no predicate: the instruction is there, or it is not. */
static void a_static_predicate_decides_at_compile_time(void **state)
{
    uint32_t in[THREADS * 4], out[THREADS * 4];
    fill_bytes(in, sizeof in, 3);
    run_words("static", words_kernel(*state, SEVENS
              "    T.cuda.tile.apply(T.ptx[\"st.global.v2.b32\"], Out[t, 0:2, 0:2], r.view(1, 2, 2), pred=True)\n"
              "    T.cuda.tile.apply(T.ptx[\"ld.global.v2.u32\"], r.view(1, 2, 2), In[t, 0:2, 0:2], pred=False)\n"
              "    T.cuda.tile.apply(T.ptx[\"st.global.v2.b32\"], Out[t, 0:2, 0:2], r.view(1, 2, 2), pred=None)\n"), "\n    st.global.v2.b32", 4, in, out);
    for (size_t i = 0; i < COUNT(in); i++)
        assert_int_equal(out[i], 7);
}

/* ---- group axes ------------------------------------------------------------------------------------------------ */

/* At warp scope lanes are an axis, here split over two dimensions of memory; at cta scope warps stand before them. */
static void lanes_and_warps_are_coordinates(void **state)
{
    uint32_t in[THREADS * 4], out[THREADS * 4];
    fill_bytes(in, sizeof in, 9);
    run_words("warp", words_kernel(*state,
              "    lanes = T.TileLayout(T.S[(32, 2, 2) : (1 @ T.cuda.Axis.laneid, 2, 1)])\n"
              "    columns = In.view(128).rearrange(\"(h e a b) -> (a b) h e\", h=2, e=2, a=4)\n"
              "    T.cuda.tile.apply(T.ptx[\"ld.global.b32\"], r.view(32, 2, 2, 1, layout=T.TileLayout(T.S[(32, 2, 2, 1) : (1 @ T.cuda.Axis.laneid, 2, 1, 1)])), columns.view(32, 2, 2, 1), scope=\"warp\")\n"
              "    T.cuda.tile.apply(T.ptx[\"st.global.v2.b32\"], Out, r.view(32, 2, 2, layout=lanes), scope=\"warp\")\n"), "ld.global.b32", 4, in, out);
    for (size_t i = 0; i < COUNT(in); i++)
        assert_int_equal(out[i], in[64 * (i / 2 % 2) + 32 * (i % 2) + i / 4]);
    run_words("cta", words_kernel(*state,
              "    lanes = T.TileLayout(T.S[(1, 32, 2, 2) : (1 @ T.cuda.Axis.warpid, 1 @ T.cuda.Axis.laneid, 2, 1)])\n"
              "    T.cuda.tile.apply(T.ptx[\"ld.global.v2.b32\"], r.view(1, 32, 2, 2, layout=lanes), In.view(1, 32, 2, 2), scope=\"cta\")\n"
              "    T.cuda.tile.apply(T.ptx[\"st.global.v2.b32\"], Out.view(1, 32, 2, 2), r.view(1, 32, 2, 2, layout=lanes), scope=\"cta\")\n"), "ld.global.v2.b32", 2, in, out);
    assert_memory_equal(in, out, sizeof in);
}

/* A start that reads a register is read before the instruction that overwrites it. */
static void an_index_in_a_register_is_read_once(void **state)
{
    uint32_t in[THREADS * 4], out[THREADS * 4];
    for (uint32_t i = 0; i < COUNT(in); i++)
        in[i] = i / 4 == 5 ? 99 + i % 4 : 5;
    run_words("index", words_kernel(*state,
              "    at = T.alloc_local((4,), \"int32\", layout=\"default\")\n"
              "    at[0] = T.int32(5)\n"
              "    T.cuda.tile.apply(T.ptx[\"ld.global.v2.b32\"], at.view(1, 2, 2), In[at[0], 0:2, 0:2])\n"
              "    T.cuda.tile.apply(T.ptx[\"st.global.v2.b32\"], Out[t, 0:2, 0:2], at.view(1, 2, 2))\n"), "ld.global.v2.b32", 2, in, out);
    for (size_t i = 0; i < COUNT(in); i++)
        assert_int_equal(out[i], 99 + i % 4);
}

/* ---- cp.async --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *opcode;
    int bytes;
    const char *more;
    int read; /* bytes of the chunk that are not zero */
} copies[] = {
    {"cp.async.ca.shared.global", 4, "", 4},
    {"cp.async.ca.shared.global", 8, "", 8},
    {"cp.async.ca.shared.global", 16, "", 16},
    {"cp.async.cg.shared.global", 16, "", 16},
    {"cp.async.cg.shared::cta.global", 16, "", 16},
    {"cp.async.ca.shared.global.L2::64B", 16, "", 16},
    {"cp.async.cg.shared.global.L2::128B", 16, "", 16},
    {"cp.async.cg.shared.global.L2::256B", 16, "", 16},
    {"cp.async.cg.shared.global.L2::cache_hint", 16, ", cache_policy=policy", 16},
    {"cp.async.ca.shared.global.L2::cache_hint.L2::128B", 4, ", cache_policy=policy", 4},
    {"cp.async.cg.shared.global", 16, ", src_size=12", 12},
    {"cp.async.cg.shared.global", 16, ", src_size=T.uint32(0)", 0},
    {"cp.async.ca.shared.global", 8, ", src_size=4 + 0 * t", 4},
    {"cp.async.cg.shared.global.L2::cache_hint", 16, ", src_size=8, cache_policy=policy", 8},
    {"cp.async.cg.shared.global", 16, ", ignore_src=t >= 0", 0},
    {"cp.async.ca.shared.global", 4, ", ignore_src=False", 4},
    {"cp.async.cg.shared.global.L2::cache_hint", 16, ", ignore_src=t >= 0, cache_policy=policy", 0},
    {"cp.async.cg.shared.global", 16, ", pred=t >= 0", 16},
};

/* Into swizzled rows of 128 bytes, whose chunks of 16 keep together. */
static void chunks_arrive_and_the_rest_is_zero(void **state)
{
    static uint8_t in[THREADS * 128], out[THREADS * 128], want[THREADS * 128];
    struct bench_room *room = *state;
    say_if_not_assembled();
    for (size_t i = 0; i < COUNT(copies); i++) {
        const int chunks = 128 / copies[i].bytes;
        const char *text = tw_format(&room->arena,
            "from tvm.script import tirx as T\n"
            "from tvm.backend.cuda.layout import mma_shared_layout\n"
            "@T.function\n"
            "def k(In: T.Tensor((32, 64), \"float16\"), Out: T.Tensor((32, 64), \"float16\")):\n"
            "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"
            "    t = T.cuda.thread_idx(\"x\")\n"
            "    s = T.alloc_shared((32, 64), \"float16\", layout=mma_shared_layout(\"float16\", 3, (32, 64)), align=1024)\n"
            "    policy = T.local_scalar(\"uint64\")\n"
            "    T.ptx.createpolicy.fractional.L2__evict_first.b64(policy, T.float32(1))\n"
            "    T.cuda.tile.apply(T.ptx[\"%s\"], s.view(32, %d, %d)[t, 0:%d, 0:%d], In.view(32, %d, %d)[t, 0:%d, 0:%d], chunk_bytes=%d%s)\n"
            "    T.ptx.cp_async.commit_group()\n"
            "    T.ptx.cp_async.wait_all()\n"
            "    T.cuda.cta_sync()\n"
            "    for c in range(64):\n"
            "        Out[t, c] = s[t, c]\n",
            copies[i].opcode, chunks, copies[i].bytes / 2, chunks, copies[i].bytes / 2, chunks, copies[i].bytes / 2, chunks,
            copies[i].bytes / 2, copies[i].bytes, copies[i].more);
        fill_bytes(in, sizeof in, (uint32_t)i);
        for (size_t b = 0; b < sizeof in; b++)
            want[b] = (int)(b % (size_t)copies[i].bytes) < copies[i].read ? in[b] : 0;
        run_movement(copies[i].opcode, text, "sm_80", copies[i].opcode, (uint32_t)chunks,
                     (struct move_tensor[]){{"In", in, sizeof in}, {"Out", out, sizeof out}}, 2);
        expect_bytes(tw_format(&room->arena, "%s%s", copies[i].opcode, copies[i].more), out, want, sizeof out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_type_and_vector_moves_through_every_space),
        ROOM_TEST(vectors_of_256_bits_move),
        ROOM_TEST(qualifiers_are_part_of_the_opcode),
        ROOM_TEST(a_skipped_load_keeps_what_preserve_dst_says),
        ROOM_TEST(a_skipped_store_leaves_memory_alone),
        ROOM_TEST(a_scalar_is_stored_to_every_word),
        ROOM_TEST(a_static_predicate_decides_at_compile_time),
        ROOM_TEST(lanes_and_warps_are_coordinates),
        ROOM_TEST(an_index_in_a_register_is_read_once),
        ROOM_TEST(chunks_arrive_and_the_rest_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
