/* No text, however broken, crashes the reader or makes it hang: truncations, flipped bytes, repeated pieces. What it
 * still takes must print and read back. Run under the sanitizers by MODE=asan. */
#include "ptx/oracle.h"

/* xorshift; the seed is printed when a case fails to hold. */
static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void read_broken(const struct isa *isa, struct str text)
{
    struct landing landing;
    struct arena arena;
    struct sources sources;
    struct diags diags;
    tw_arena_init(&arena, &landing, (size_t)1 << 30);
    if (setjmp(landing.at) != 0) {
        tw_arena_release(&arena);
        fail_msg("the reader ran out of memory on %zu bytes", text.len);
    }
    tw_sources_init(&sources, &arena);
    tw_diags_init(&diags, &arena, &sources);
    const struct ptx_module *m = tw_ptx_parse(&arena, isa, &diags, tw_sources_add(&sources, "broken", text));
    struct text out;
    tw_text_init(&out, &arena);
    tw_diags_text(&diags, &out);
    if (diags.error_count == 0) {
        out.len = 0;
        tw_ptx_print(m, &out);
        const struct ptx_module *again =
            tw_ptx_parse(&arena, isa, &diags, tw_sources_add(&sources, "printed", (struct str){out.at, out.len}));
        const char *why = NULL;
        if (diags.error_count > 0 || !tw_ptx_module_equal(m, again, &arena, &why))
            fail_msg("canonical text does not read back: %s", why != NULL ? why : "it is refused");
    }
    tw_arena_release(&arena);
}

/* A heap copy of exactly the text's size, so that a read past the end is seen by the sanitizer. */
static struct str exact_copy(struct str text, size_t len, char **owner)
{
    *owner = malloc(len + 1);
    assert_non_null(*owner);
    memcpy(*owner, text.at, len);
    return (struct str){*owner, len};
}

static struct str sample(struct bench_room *room, size_t which)
{
    static const char *const names[] = {
        "corpus/triton/ptx/vec_add_f32.sm_100.ptx", "corpus/triton/ptx/matmul_f16_64x64.sm_100.ptx",
        "bugs/bounds_global_tail.bad.ptx", "corpus/triton/ptx/attention_fwd_desc_ws.sm_100.ptx",
    };
    static const char own[] =
        ".version 8.8\n.target sm_100a\n.address_size 64\n.global .align 4 .u32 t[2][2] = {{1, 2}, {3}};\n"
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
        ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 64 .b8 m[128])\n.maxntid 128\n{\n"
        ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .shared .align 8 .b8 s[64];\n"
        "ld.param.u64 %rd1, [p]; L: { .reg .b32 t; L: mov.u32 t, %tid.x; @!%p1 bra L; }\n"
        "tcgen05.ld.sync.aligned.32x32b.x2.b32{%r1,%r2},[%r3+-4]; elect.sync _|%p1, -1;\n"
        "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], [%rd1, {%r1, 0}], [s];\n"
        "T: .branchtargets L, M; brx.idx %r1, T; M: fma.rn.f32 %r1, 0f3F800000, 1.5, %r2; ret;\n}\n"
        ".file 1 \"a.cu\"\n.section .debug_str { .b8 1,2 }\n";
    struct str text = {NULL, 0};
    if (which < COUNT(names))
        text = read_file(&room->arena, shared_path(&room->arena, names[which]));
    return text.at != NULL ? text : (struct str){own, sizeof own - 1};
}

enum { SAMPLES = 5, CUTS = 300, FLIPS = 400 };

static void a_text_cut_anywhere_is_diagnosed(void **state)
{
    struct bench_room *room = *state;
    const struct isa *isa = tw_isa_open(&room->arena);
    for (size_t s = 0; s < SAMPLES; s++) {
        struct str text = sample(room, s);
        for (size_t i = 0; i < CUTS; i++) {
            char *owner;
            read_broken(isa, exact_copy(text, text.len * i / CUTS, &owner));
            free(owner);
        }
    }
}

static void flipped_bytes_are_diagnosed(void **state)
{
    struct bench_room *room = *state;
    const struct isa *isa = tw_isa_open(&room->arena);
    uint32_t seed = 20240517;
    for (size_t s = 0; s < SAMPLES; s++) {
        struct str text = sample(room, s);
        size_t len = text.len < 40000 ? text.len : 40000;
        for (size_t i = 0; i < FLIPS; i++) {
            char *owner;
            struct str copy = exact_copy(text, len, &owner);
            for (uint32_t n = 1 + next_random(&seed) % 4; n > 0; n--)
                owner[next_random(&seed) % len] = (char)(next_random(&seed) % 4 == 0 ? next_random(&seed) : 32 + next_random(&seed) % 95);
            read_broken(isa, copy);
            free(owner);
        }
    }
}

static void moved_and_repeated_pieces_are_diagnosed(void **state)
{
    struct bench_room *room = *state;
    const struct isa *isa = tw_isa_open(&room->arena);
    uint32_t seed = 77;
    for (size_t s = 0; s < SAMPLES; s++) {
        struct str text = sample(room, s);
        size_t len = text.len < 20000 ? text.len : 20000;
        for (size_t i = 0; i < FLIPS; i++) {
            char *owner;
            struct str copy = exact_copy(text, len, &owner);
            size_t piece = 1 + next_random(&seed) % 60;
            size_t from = next_random(&seed) % (len - piece), to = next_random(&seed) % (len - piece);
            memmove(owner + to, owner + from, piece);
            read_broken(isa, copy);
            free(owner);
        }
    }
}

/* A text of one shape, repeated: deep nesting, long lists, long names, many errors. */
static void extremes_end_in_a_diagnostic(void **state)
{
    static const struct {
        const char *before, *piece, *after;
        unsigned times;
    } rows[] = {
        {".version 8.8\n.target sm_100a\n.entry k() {", "{", "", 100000},
        {".version 8.8\n.target sm_100a\n.global .u32 x[1] = ", "{", "", 100000},
        {".version 8.8\n.target sm_100a\n.entry k() { mov.b32 {", "a,", "b}, c; }", 50000},
        {".version 8.8\n.target sm_100a\n.entry k() { add", ".s32", " a, b; }", 50000},
        {".version 8.8\n.target sm_100a\n.entry k() { ", "addd.s32 a; ", "}", 20000},
        {".version 8.8\n.target sm_100a\n.entry k() { .reg .b32 %r<9>; ", "mov.u32 %rr1, %r2; ", "}", 20000},
        {".version 8.8\n.target sm_100a\n.entry k() { ", "bra X; ", "}", 20000},
        {".version 8.8\n.target sm_100a\n.entry k() { ", "{ L: bra L; } ", "}", 20000},
        {".version 8.8\n.target sm_100a\n", ".global .b8 ", "x", 20000},
        {".version 8.8\n.target sm_100a\n.entry ", "k", "() { ret; }", 100000},
        {".version 8.8\n.target sm_100a\n.entry k() { .reg .b32 ", "%r", "<5>; }", 100000},
        {".version 8.8\n.target sm_100a\n", "/*", "", 100000},
        {".version ", "8", ".8", 100000},
    };
    struct bench_room *room = *state;
    const struct isa *isa = tw_isa_open(&room->arena);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct text t;
        tw_text_init(&t, &room->arena);
        tw_text_add(&t, rows[i].before);
        for (unsigned n = 0; n < rows[i].times; n++)
            tw_text_add(&t, rows[i].piece);
        tw_text_add(&t, rows[i].after);
        read_broken(isa, (struct str){t.at, t.len});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_text_cut_anywhere_is_diagnosed),
        ROOM_TEST(flipped_bytes_are_diagnosed),
        ROOM_TEST(moved_and_repeated_pieces_are_diagnosed),
        ROOM_TEST(extremes_end_in_a_diagnostic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
