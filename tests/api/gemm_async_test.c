/* gemm_async end to end, through the public API: the examples' exact words and values; the tcgen05 examples with their
 * tile operation replaced by a call that leaves the instruction to the dispatcher; and drawn calls of many shapes. Every
 * value is compared with a product formed here; all inputs are such that every sum is exact. */
#include "support/check.h"

#include "examples/catalogue.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = 2, TEXT_BYTES = 1 << 16 };

/* ---- running --------------------------------------------------------------------------------------- */

struct outcome {
    uint64_t differing; /* UINT64_MAX: it did not compile, or not run to its end */
    char said[8192], opcodes[4096];
};

static const struct outcome *run(const struct example *e, const char *text, uint32_t seed)
{
    static struct outcome r;
    const char *opcodes;
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module = NULL;
    assert_non_null(ctx);
    memset(&r, 0, sizeof r);
    r.differing = UINT64_MAX;
    if (tw_compile(ctx, "kernel.py", text, strlen(text), &(tw_compile_opts){.arch = e->arch}, &module) == TW_OK) {
        assert_int_equal(tw_module_opcodes(module, &opcodes), TW_OK);
        snprintf(r.opcodes, sizeof r.opcodes, "%s", opcodes);
        r.differing = tw_example_run(ctx, e, module, 10 + seed, seed);
    }
    snprintf(r.said, sizeof r.said, "%s", tw_diagnostics(ctx, TW_TEXT));
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
    return &r;
}

static void expect_exact(const struct example *e, const char *text, const char *opcode)
{
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        const struct outcome *r = run(e, text, seed);
        if (r->differing != 0 || strstr(r->said, "note[E0442]") == NULL || strstr(r->said, "error[") != NULL)
            fail_msg("%s, seed %u: %lld elements differ\n%s\n%s", e->what, seed, (long long)r->differing, r->said, text);
        if (strstr(r->opcodes, opcode) == NULL)
            fail_msg("%s: '%s' is not among the opcodes:\n%s", e->what, opcode, r->opcodes);
    }
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = calloc(1, TEXT_BYTES);
    assert_non_null(text);
    assert_true(fread(text, 1, TEXT_BYTES - 1, f) < TEXT_BYTES - 1);
    fclose(f);
    return text;
}

static const struct example *find(const char *name)
{
    const struct example *e = tw_example_find(name);
    if (e == NULL)
        fail_msg("no example %s", name);
    return e;
}

/* The text from `from` up to the end of `to` replaced. */
static char *replaced(const char *text, const char *from, const char *to, const char *with)
{
    const char *at = strstr(text, from);
    if (at == NULL)
        fail_msg("'%s' is not in the text", from);
    const char *end = strstr(at, to);
    assert_non_null(end);
    char *out = calloc(1, TEXT_BYTES);
    assert_non_null(out);
    memcpy(out, text, (size_t)(at - text));
    strcat(strcat(out, with), end + strlen(to));
    return out;
}

/* ---- the examples ---------------------------------------------------------------------------------- */

static void seed_001_written_out_is_exact(void **state)
{
    (void)state;
    const struct example *e = find("examples/gemm_async.py");
    char *text = read_text(e->path);
    expect_exact(e, text, "4 tcgen05.mma.cta_group::1.kind::f16\n");
    free(text);
}

/* SOURCE: kernel-language-tile 8.1: offsets +1024 and +2048 units, +2 a K step; columns 256 on; idesc 0x08200010, which
 * is 136314896. */
static void seed_001_has_the_documented_words(void **state)
{
    (void)state;
    const struct example *e = find("examples/gemm_async.py");
    char *source = read_text(e->path), want[256];
    const char *lowered;
    size_t len;
    tw_module *module = NULL;
    tw_ctx *ctx = tw_ctx_create(NULL);
    assert_non_null(ctx);
    assert_int_equal(tw_compile(ctx, e->path, source, strlen(source), NULL, &module), TW_OK);
    assert_int_equal(tw_module_text(module, TW_EMIT_IR_LOWERED, &lowered, &len), TW_OK);
    for (int k = 0; k < 4; k++) {
        snprintf(want, sizeof want,
                 "ptx tcgen05.mma.cta_group::1.kind::f16 [(tmem_base + uint32(256))], (descA + uint64(%d)), (descB + uint64(%d)), "
                 "uint32(136314896), %s\n", 1024 + 2 * k, 2048 + 2 * k, k == 0 ? "false" : "true");
        if (strstr(lowered, want) == NULL)
            fail_msg("not in the lowered IR: %s\n%s", want, lowered);
    }
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
    free(source);
}

/* SOURCE: seed 001: "the dispatch emits no completion". */
static void the_caller_alone_commits(void **state)
{
    (void)state;
    const struct example *e = find("examples/gemm_async.py");
    char *text = read_text(e->path), *mute = replaced(text, "        T.ptx.tcgen05.commit(", "\n", "");
    const struct outcome *r = run(e, text, 0);
    assert_non_null(strstr(r->opcodes, "1 tcgen05.commit."));
    r = run(e, mute, 0);
    assert_null(strstr(r->opcodes, "tcgen05.commit."));
    assert_int_equal(r->differing, UINT64_MAX);
    assert_non_null(strstr(r->said, "deadlock"));
    free(text), free(mute);
}

/* SOURCE: seed 001: "cuda (Blackwell, sm_100+)". */
static void another_target_is_refused_by_name(void **state)
{
    (void)state;
    char *text = read_text("examples/gemm_async.py");
    tw_module *module = NULL;
    tw_ctx *ctx = tw_ctx_create(NULL);
    assert_non_null(ctx);
    assert_int_equal(tw_compile(ctx, "kernel.py", text, strlen(text), &(tw_compile_opts){.arch = "sm_90a"}, &module), TW_ERROR);
    assert_non_null(strstr(tw_diagnostics(ctx, TW_TEXT), "error[E0517]: 'tcgen05.mma.cta_group::1.kind::f16' is not available here\n"
                                                         "  expected: tcgen05.mma needs target sm_100f or its family, "
                                                         "sm_110f or its family\n"
                                                         "     found: .version 8.8, .target sm_90a\n"));
    tw_ctx_destroy(ctx);
    free(text);
}

static void the_pipeline_of_three_stages_is_exact(void **state)
{
    (void)state;
    const struct example *e = find("gemm_pipeline");
    char *text = read_text(e->path);
    expect_exact(e, text, "4 tcgen05.mma.cta_group::1.kind::f16\n");
    free(text);
}

/* What the handshake is for: each twin lacks one part of it. Work may land late enough to hide that, so not every seed
 * shows it. */
static void a_pipeline_that_lacks_a_part_of_its_handshake_shows_it(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *from, *to, *with;
    } twins[] = {
        {"a stage is drained before it is filled again", "            T.ptx.mbarrier.try_wait(drained", "\n", ""},
        {"the first step overwrites", "accum=i != 0", ",", "accum=True,"},
        {"the later steps accumulate", "accum=i != 0", ",", "accum=False,"},
        {"the stage advances", "A_smem[i % DEPTH, :, :], B", "]", "A_smem[0, :, :], B_smem[0, :, :]"},
    };
    const struct example *e = find("gemm_pipeline");
    char *text = read_text(e->path);
    for (size_t i = 0; i < COUNT(twins); i++) {
        char *broken = replaced(text, twins[i].from, twins[i].to, twins[i].with);
        uint32_t shown = 0;
        for (uint32_t seed = 0; seed < 2; seed++)
            shown += run(e, broken, seed)->differing != 0;
        if (shown == 0)
            fail_msg("%s: nothing shows", twins[i].rule);
        free(broken);
    }
    free(text);
}

static void the_block_scaled_example_is_exact(void **state)
{
    (void)state;
    const struct example *e = find("gemm_block_scaled");
    char *text = read_text(e->path);
    expect_exact(e, text, "4 tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X\n");
    free(text);
}

/* ---- instead of a tile operation -------------------------------------------------------------------- */

/* The next call of tile.apply for a tcgen05.mma replaced, and Tx imported. */
static char *with_call(const char *text, const char *call)
{
    const char *opcode = strstr(text, "T.ptx[\"tcgen05.mma"), *at = opcode;
    assert_non_null(opcode);
    while (strncmp(at, "T.cuda.tile.apply(", 18) != 0)
        at--;
    const char *line = at;
    while (line[-1] != '\n')
        line--;
    char close[64];
    snprintf(close, sizeof close, "\n%.*s)\n", (int)(at - line), line);
    const char *end = strstr(at, close);
    assert_non_null(end);
    char *out = calloc(1, TEXT_BYTES);
    assert_non_null(out);
    memcpy(out, text, (size_t)(at - text));
    return strcat(strcat(out, call), end + strlen(close) - 1);
}

static char *with_calls(char *text, const char *const *calls)
{
    char *now = replaced(text, "from tvm.script import tirx as T", "\n",
                         "from tvm.script import tirx as T\nfrom tvm.script.tirx import tile as Tx\n");
    free(text);
    for (int i = 0; i < 2 && calls[i] != NULL; i++) {
        char *next = with_call(now, calls[i]);
        free(now);
        now = next;
    }
    return now;
}

/* The instruction that the example's author wrote is the one that the rules choose. */
static const struct {
    const char *example, *calls[2], *opcode;
} equal_calls[] = {
    {"tcgen05/f16.py", {"Tx.gemm_async(d, a, b)"}, "4 tcgen05.mma.cta_group::1.kind::f16\n"},
    {"bf16_two_tiles", {"Tx.gemm_async(lower, a[0], b)", "Tx.gemm_async(upper, a[1], b)"}, "4 tcgen05.mma.cta_group::1.kind::f16\n"},
    {"a_in_tmem", {"Tx.gemm_async(d, a, b)"}, "4 tcgen05.mma.cta_group::1.kind::f16\n"},
    {"ws_banks", {"Tx.gemm_async(d, a, b)"}, "4 tcgen05.mma.ws.cta_group::1.kind::f16\n"},
    {"pair_m256", {"Tx.gemm_async(d, a, b, cta_group=2)"}, "4 tcgen05.mma.cta_group::2.kind::f16\n"},
    {"mxf8", {"Tx.gemm_async(d, a, b, sfa, sfb)"}, "4 tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X\n"},
    {"mxf4", {"Tx.gemm_async(d, a, b, sfa, sfb)"}, "2 tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X\n"},
    {"tcgen05/nvfp4.py", {"Tx.gemm_async(d, a, b, sfa, sfb)"}, "2 tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X\n"},
    {"nvfp4_pair", {"Tx.gemm_async(d, a, b, sfa, sfb, cta_group=2)"}, "2 tcgen05.mma.cta_group::2.kind::mxf4nvf4.block_scale.scale_vec::4X\n"},
};

static void the_rules_choose_what_the_examples_write(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(equal_calls); i++) {
        const struct example *e = find(equal_calls[i].example);
        char *text = with_calls(read_text(e->path), equal_calls[i].calls);
        expect_exact(e, text, equal_calls[i].opcode);
        free(text);
    }
}

/* ---- drawn calls -------------------------------------------------------------------------------------- */

struct shape {
    const char *dtype;
    enum example_format format;
    int bits, m, n, k, mode;
    bool a_mn, b_mn;    /* how they lie in shared memory */
    char path;          /* D, E or F: how C lies in tensor memory */
    const char *config; /* more keywords */
};

/* The program of a shape. Thread t fills row t of A and rows t, t + 128, ... of B, and reads lane t of C. */
static char *program_of(const struct shape *s)
{
    static const char *const out[] = {
        ['D'] = "            Out[t, c * 8 + i] = r[i]\n",
        ['E'] = "            Out[t % M, t // M * (N // 2) + c * 8 + i] = r[i]\n",
        ['F'] = "            if lane < 16:\n                Out[warp * 16 + lane, c * 8 + i] = r[i]\n"};
    char *text = calloc(1, TEXT_BYTES);
    assert_non_null(text);
    snprintf(text, TEXT_BYTES,
             "from tvm.script import tirx as T\n"
             "from tvm.script.tirx import tile as Tx\n"
             "from tvm.backend.cuda.layout import mma_shared_layout, tmem_datapath_layout\n"
             "M, N, K, DT = %d, %d, %d, \"%s\"\n"
             "AS, BS = %s, %s\n"
             "@T.prim_func\n"
             "def drawn(A: T.Buffer((M, K), DT), B: T.Buffer((N, K), DT), Out: T.Buffer((M, N), \"float32\")):\n"
             "    T.device_entry()\n"
             "    T.cta_id([1])\n"
             "    warp = T.warp_id([4])\n"
             "    t = T.thread_id_in_wg([128])\n"
             "    lane = T.lane_id([32])\n"
             "    a = T.alloc_buffer(AS, DT, scope=\"shared\", layout=mma_shared_layout(DT, %d, AS))\n"
             "    b = T.alloc_buffer(BS, DT, scope=\"shared\", layout=mma_shared_layout(DT, %d, BS))\n"
             "    slot = T.alloc_shared([1], \"uint32\")\n"
             "    done = T.alloc_shared([1], \"uint64\")\n"
             "    if t == 0:\n"
             "        T.ptx.mbarrier.init(done.ptr_to([0]), 1)\n"
             "    if warp == 0:\n"
             "        T.ptx.tcgen05.alloc(T.address_of(slot), n_cols=512, cta_group=1)\n"
             "    for k in range(K):\n"
             "        if t < M:\n"
             "            a[%s] = A[t, k]\n"
             "        for p in range((N + 127) // 128):\n"
             "            if p * 128 + t < N:\n"
             "                b[%s] = B[p * 128 + t, k]\n"
             "    T.ptx.fence.proxy_async(\"shared::cta\")\n"
             "    T.cuda.cta_sync()\n"
             "    d = T.decl_buffer((M, N), \"float32\", scope=\"tmem\", allocated_addr=slot[0],\n"
             "                      layout=tmem_datapath_layout(\"%c\", M, N))\n"
             "    if t == 0:\n"
             "        Tx.gemm_async(d, a, b, transA=%s, transB=%s%s)\n"
             "        T.ptx.tcgen05.commit(done.ptr_to([0]), cta_group=1)\n"
             "    T.ptx.mbarrier.try_wait(done.ptr_to([0]), 0)\n"
             "    T.ptx.tcgen05.fence.after_thread_sync()\n"
             "    r = T.alloc_local((8,), \"float32\", layout=\"default\")\n"
             "    for c in range(%d):\n"
             "        T.ptx[\"tcgen05.ld.sync.aligned.32x32b.x8.b32\"](\n"
             "            *[r[i] for i in range(8)], T.cuda.get_tmem_addr(slot[0], 32 * warp, c * 8))\n"
             "        T.ptx.tcgen05.wait.ld()\n"
             "        for i in T.unroll(8):\n"
             "%s"
             "    T.cuda.cta_sync()\n"
             "    if warp == 0:\n"
             "        T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)\n"
             "        T.ptx.tcgen05.dealloc(slot[0], n_cols=512, cta_group=1)\n",
             s->m, s->n, s->k, s->dtype, s->a_mn ? "(K, M)" : "(M, K)", s->b_mn ? "(K, N)" : "(N, K)", s->mode, s->mode,
             s->a_mn ? "k, t" : "t, k", s->b_mn ? "k, p * 128 + t" : "p * 128 + t, k", s->path, s->a_mn ? "True" : "False",
             s->b_mn ? "True" : "False", s->config, s->path == 'E' ? s->n / 16 : s->n / 8, out[(int)s->path]);
    return text;
}

static void expect_shape(const struct shape *s)
{
    char what[256];
    snprintf(what, sizeof what, "%s %dx%dx%d, mode %d, A %s, B %s, path %c%s", s->dtype, s->m, s->n, s->k, s->mode, s->a_mn ? "mn" : "k",
             s->b_mn ? "mn" : "k", s->path, s->config);
    const struct example e = {"drawn.py", what, "sm_100a", {{"A", s->format, s->m, s->k, EX_SMALL}, {"B", s->format, s->n, s->k, EX_SMALL}},
                              {{{"Out", EX_F32, s->m, s->n, EX_SMALL}, tw_example_product, 0}}};
    char *text = program_of(s);
    const struct outcome *r = run(&e, text, 0);
    if (r->differing != 0 || strstr(r->said, "error[") != NULL)
        fail_msg("%s: %lld elements differ\n%s\n%s", what, (long long)r->differing, r->said, text);
    free(text);
}

static const struct {
    const char *dtype;
    enum example_format format;
    int bits, k_step;
    const char *config;
    bool mn; /* may lie along M and N */
} drawn_types[] = {
    {"float16", EX_F16, 16, 16, "", true},
    {"bfloat16", EX_BF16, 16, 16, "", true},
    {"float8_e4m3fn", EX_E4M3, 8, 32, "", true},
    {"float8_e5m2", EX_E5M2, 8, 32, "", true},
    {"float32", EX_F32, 32, 8, ", is_AB_tf32=True", false},
};

static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

/* Elements of a swizzled row, or of a unit of 16 bytes. */
static int row_of(int mode, int bits)
{
    return (16 << mode) * 8 / bits;
}

static int round_up(int value, int to)
{
    return (value + to - 1) / to * to;
}

/* A shape that the layouts admit: what is contiguous is a whole number of rows, and the rest whole groups of eight. */
static struct shape draw_shape(uint32_t *state)
{
    const uint32_t t = draw(state, COUNT(drawn_types));
    struct shape s = {.dtype = drawn_types[t].dtype, .format = drawn_types[t].format, .bits = drawn_types[t].bits, .config = drawn_types[t].config};
    s.mode = (int)draw(state, 4);
    s.path = "DDFE"[draw(state, 4)];
    s.a_mn = drawn_types[t].mn && draw(state, 2) == 0;
    s.b_mn = drawn_types[t].mn && draw(state, 2) == 0;
    s.m = s.path == 'D' ? 128 : 64;
    if (s.a_mn && row_of(s.mode, s.bits) > s.m)
        s.a_mn = false;
    s.k = drawn_types[t].k_step * (1 + (int)draw(state, 3));
    if (!s.a_mn || !s.b_mn)
        s.k = round_up(s.k, row_of(s.mode, s.bits));
    s.n = s.path == 'E' ? 64 << draw(state, 3) : 8 * (1 + (int)draw(state, 40));
    if (s.b_mn)
        s.n = round_up(s.n, row_of(s.mode, s.bits) > 16 ? row_of(s.mode, s.bits) : 16);
    if (s.path == 'D' && s.n % 64 == 0 && draw(state, 2) == 0)
        s.config = s.bits == 32 ? ", is_AB_tf32=True, weight_stationary=True" : ", weight_stationary=True";
    return s;
}

static void drawn_calls_give_the_plain_product(void **state)
{
    (void)state;
    uint32_t random = 2026;
    for (int i = 0; i < 40; i++) {
        const struct shape s = draw_shape(&random);
        expect_shape(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seed_001_written_out_is_exact),
        cmocka_unit_test(seed_001_has_the_documented_words),
        cmocka_unit_test(the_caller_alone_commits),
        cmocka_unit_test(another_target_is_refused_by_name),
        cmocka_unit_test(the_pipeline_of_three_stages_is_exact),
        cmocka_unit_test(a_pipeline_that_lacks_a_part_of_its_handshake_shows_it),
        cmocka_unit_test(the_block_scaled_example_is_exact),
        cmocka_unit_test(the_rules_choose_what_the_examples_write),
        cmocka_unit_test(drawn_calls_give_the_plain_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
