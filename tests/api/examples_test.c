/* The tensor-core examples: every kernel of the table compiles without a word (but the note of gemm_async that says what
 * it chose), runs under several schedules and fills, and gives what its reference gives, element for element. Then twins
 * that lack one thing: each must show. */
#include "emit/assemble.h"

#include "examples/catalogue.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = 4, TEXT_BYTES = 1 << 16 };

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

/* Differing elements, or UINT64_MAX where the kernel did not compile or run to its end; *said: its diagnostics. */
static uint64_t run_text(const struct example *e, const char *text, uint32_t seed, char *said, size_t said_bytes)
{
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module = NULL;
    assert_non_null(ctx);
    uint64_t count = UINT64_MAX;
    if (tw_compile(ctx, e->path, text, strlen(text), &(tw_compile_opts){.arch = e->arch}, &module) == TW_OK)
        count = tw_example_run(ctx, e, module, 10 + seed, seed);
    snprintf(said, said_bytes, "%s", tw_diagnostics(ctx, TW_TEXT));
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
    return count;
}

/* Everything said is the report of a gemm_async. */
static bool only_reports(const char *said)
{
    return said[0] == '\0' || (strstr(said, "note[E0442]") != NULL && strstr(said, "error[") == NULL &&
                               strstr(said, "warning[") == NULL && strstr(said, "note[E09") == NULL);
}

static void every_example_gives_what_its_reference_gives(void **state)
{
    (void)state;
    const struct example *e;
    for (size_t i = 0; (e = tw_example_at(i)) != NULL; i++) {
        char *text = read_text(e->path), said[4096];
        for (uint32_t seed = 0; seed < SEEDS; seed++) {
            const uint64_t count = run_text(e, text, seed, said, sizeof said);
            if (count != 0 || !only_reports(said))
                fail_msg("%s, seed %u: %lld elements differ\n%s", e->path, seed, (long long)count, said);
        }
        free(text);
    }
}

/* No kernel lies in the folder that nothing compares with a reference. */
static void every_file_is_in_the_tables(void **state)
{
    (void)state;
    glob_t files = {0};
    (void)glob("examples/*.py", 0, NULL, &files);
    (void)glob("examples/*/*.py", GLOB_APPEND, NULL, &files);
    assert_true(files.gl_pathc >= 40);
    for (size_t i = 0; i < files.gl_pathc; i++)
        if (tw_example_find(files.gl_pathv[i]) == NULL)
            fail_msg("%s is in no table", files.gl_pathv[i]);
    globfree(&files);
}

/* No advice, and no note that wgmma was serialised. */
static void ptxas_takes_every_example_in_silence(void **state)
{
    (void)state;
    const struct example *e;
    for (size_t i = 0; have_ptxas() && (e = tw_example_at(i)) != NULL; i++) {
        char *text = read_text(e->path);
        tw_ctx *ctx = tw_ctx_create(NULL);
        tw_module *module = NULL;
        const char *ptx;
        size_t len;
        assert_non_null(ctx);
        assert_int_equal(tw_compile(ctx, e->path, text, strlen(text), &(tw_compile_opts){.arch = e->arch}, &module), TW_OK);
        assert_int_equal(tw_module_text(module, TW_EMIT_PTX, &ptx, &len), TW_OK);
        assert_true(asked_of_ptxas(ptx, e->arch, true));
        tw_module_destroy(module);
        tw_ctx_destroy(ctx);
        free(text);
    }
    if (have_ptxas())
        return;
    printf("not run: ptxas is not installed\n");
    skip();
}

/* ---- twins ----------------------------------------------------------------------------------------- */

/* The text with the first `from` replaced. */
static char *with(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    if (at == NULL)
        fail_msg("'%s' is not in the text", from);
    char *out = calloc(1, TEXT_BYTES);
    assert_non_null(out);
    memcpy(out, text, (size_t)(at - text));
    strcat(strcat(out, to), at + strlen(from));
    return out;
}

struct twin {
    const char *rule, *example, *from, *to;
};

/* Each is wrong on hardware too; what it lacks must show as other values or as a diagnosed fault, under every seed. */
static const struct twin twins[] = {
    {"the mask of the commit names both CTAs", "pair_m256", "T.uint16(3)", "T.uint16(1)"},
    {"each half of B belongs to its CTA", "pair_m256", "B[B_ROWS * rank + tid, k]", "B[tid, k]"},
    {"masked lanes keep what was there", "pair_m128", "0x80000000)", "0)"},
    {"both CTAs have the whole of SFB", "nvfp4_pair", "for cta in range(2):", "for cta in range(1):"},
    {"a step of 64 takes its own factors", "nvfp4", "SFB_SHARED = T.TileLayout(T.S[(2, 4, 32, STEPS, 4) : (512, 4, 16, 1024, 1)])",
     "SFB_SHARED = T.TileLayout(T.S[(2, 4, 32, STEPS, 4) : (1024, 4, 16, 512, 1)])"},
    {"the scales are in tensor memory before the product", "mxf8", "sfa_cells, sfa_units", "sfb_cells, sfa_units"},
    {"a wait follows tcgen05.st", "a_in_tmem", "    T.ptx.tcgen05.wait__st.sync.aligned()\n", ""},
    {"the banks of A differ", "ws_banks", "A[tid // M, tid % M, k]", "A[0, tid % M, k]"},
    {"the mask begins with columns that are used", "ws_zero_columns", "USE, SKIP = 3, 1", "USE, SKIP = 1, 3"},
    {"saturation is asked for", "int8_saturate", "            sat_d=True,\n", ""},
    {"D is scaled by 2^-3", "scale_input_d", "SCALE = 3", "SCALE = 2"},
    {"six-bit elements are expanded", "fp6_expand", "128x256b.b8x16.b6x16_p32", "128x256b"},
    {"a wgmma waits for its stage", "wgmma/gemm_tma", "            T.cuda.mbarrier_wait(full.ptr_to([stage]), turn // STAGES % 2)\n", ""},
    {"a stage is refilled when it has been read", "wgmma/gemm_tma",
     "                T.cuda.mbarrier_wait(empty.ptr_to([stage]), (turn // STAGES + 1) % 2)\n", ""},
    {"the bytes of both operands are awaited", "wgmma/gemm_tma", "STAGE_BYTES = (BM + BN) * BK * 2", "STAGE_BYTES = BM * BK * 2"},
    {"each consumer has rows of its own", "wgmma/gemm_tma", "a[2 * stage + consumer, :, :, :]", "a[2 * stage, :, :, :]"},
    {"accumulators are read when the products are done", "wgmma/gemm_tma", "        T.ptx.wgmma.wait_group.sync.aligned(0)\n", ""},
    {"every step of K has its own words of A", "int8_registers", "8 * (r // 4) + 4 * (r // 2 % 2) + lane % 4", "4 * (r // 2 % 2) + lane % 4"},
    {"the tensor core waits for both operands", "gemm_tma_pipeline", "(BM + BN) * STEP * 2", "BM * STEP * 2"},
    {"a stage is waited for", "gemm_cp_async", "wait_group(STAGES - 2)", "wait_group(STAGES - 1)"},
    {"fragments of B are transposed", "gemm_cp_async", "x4.trans", "x4"},
    {"integer sums stop at the ends in every step", "int8_satfinite", "row.col.satfinite", "row.col"},
    {"every step of a sparse A has its own codes", "sparse_f16", "(2, 2 @ laneid, 1, 4 @ laneid, 1 @ laneid)", "(2, 0, 1, 4 @ laneid, 1 @ laneid)"},
    {"every step has its own byte of scales", "block_scaled_mxf8", "(4, 1, 1 @ laneid, 4 @ laneid, 1)", "(4, 0, 1 @ laneid, 4 @ laneid, 1)"},
    {"every step has its own lanes of scales", "block_scaled_nvfp4", "4, 2 @ laneid, 1 @ laneid, 4 @ laneid, 1)", "4, 0, 1 @ laneid, 4 @ laneid, 1)"},
    {"each warp of a CTA has its own rows", "tf32_cta", "A[16 * w + 8 * h + g,", "A[8 * h + g,"},
    {"words of f16 sums are where C's layout has them", "f16_sums", "c[m + 2 * ROWS * n + ROWS * h]", "c[2 * TILES * m + 2 * n + h]"},
    {"an accumulator is full before it is stored", "gemm_persistent", "            filled.wait(done.stage, done.phase)\n", ""},
    {"a tile has left before the next is put there", "gemm_persistent", "                T.ptx.cp_async.bulk.wait_group(0)\n", ""},
    {"a producer begins one phase ahead", "gemm_persistent", "ring = PipelineState(STAGES, phase=1)", "ring = PipelineState(STAGES, phase=0)"},
    {"values are transposed as they are loaded", "attention", "x4.trans", "x4"},
    {"earlier sums are rescaled", "attention", "sums[h] = sums[h] * T.exp2(most[h] - new[h])", "sums[h] = sums[h]"},
    {"a pair allocates as a pair", "pair_m256", "tcgen05.alloc.cta_group__2", "tcgen05.alloc.cta_group__1"},
};

static void a_twin_that_lacks_one_thing_shows_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof twins / sizeof twins[0]; i++) {
        const struct example *e = find(twins[i].example);
        char *text = read_text(e->path), *broken = with(text, twins[i].from, twins[i].to), said[4096];
        for (uint32_t seed = 0; seed < 2; seed++)
            if (run_text(e, broken, seed, said, sizeof said) == 0)
                fail_msg("%s (%s): nothing shows", twins[i].rule, e->path);
        free(text), free(broken);
    }
}

/* The text without its first proxy fence; NULL if it has none. */
static char *without_proxy_fence(const char *text)
{
    static const char *const spellings[] = {"T.ptx.fence.proxy.async_.shared__cta()\n", "T.ptx.fence.proxy.async_()\n",
                                            "T.ptx.fence.proxy_async(\"shared::cta\")\n"};
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++)
        if (strstr(text, spellings[i]) != NULL)
            return with(text, spellings[i], "T.cuda.lane_id()\n");
    return NULL;
}

/* Engines read what ordinary stores wrote: without the writers' proxy fence every example is in error. */
static void a_missing_proxy_fence_is_reported(void **state)
{
    (void)state;
    const struct example *e;
    unsigned tried = 0;
    for (size_t i = 0; (e = tw_example_at(i)) != NULL; i++) {
        char *text = read_text(e->path), *broken = without_proxy_fence(text), said[16384];
        if (broken != NULL && (run_text(e, broken, (uint32_t)i, said, sizeof said) == 0 || strstr(said, "error[E0920]") == NULL))
            fail_msg("%s without its proxy fence: not reported\n%s", e->path, said);
        tried += broken != NULL;
        free(text), free(broken);
    }
    assert_true(tried >= 20);
}

static void a_proxy_fence_behind_the_barrier_is_a_note(void **state)
{
    (void)state;
    const struct example *e = find("f16.py");
    char *text = read_text(e->path), said[16384];
    char *late = with(text, "    T.ptx.fence.proxy.async_.shared__cta()\n    T.cuda.cta_sync()\n",
                      "    T.cuda.cta_sync()\n    T.ptx.fence.proxy.async_.shared__cta()\n");
    const uint64_t count = run_text(e, late, 1, said, sizeof said);
    if (count != 0 || strstr(said, "note[E0921]") == NULL || strstr(said, "error[") != NULL)
        fail_msg("%s: %lld elements differ\n%s", e->path, (long long)count, said);
    free(text), free(late);
}

/* ---- pred ------------------------------------------------------------------------------------------- */

#define SECOND_ISSUE(go)                                                                                      \
    "    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)\n"                                                         \
    "    T.cuda.cta_sync()\n"                                                                                 \
    "    go = A[0, 0] * A[0, 0] " go "\n"                                                                      \
    "    if tid == 0:\n"                                                                                      \
    "        T.cuda.tile.apply(\n"                                                                            \
    "            T.ptx[\"tcgen05.mma.cta_group::1.kind::f16\"],\n"                                            \
    "            d.view(1, 1, M, N),\n"                                                                       \
    "            a.rearrange(\"m (s k) -> s m k\", k=STEP).view(1, K // STEP, M, STEP),\n"                    \
    "            b.rearrange(\"n (s k) -> s n k\", k=STEP).view(1, K // STEP, N, STEP),\n"                    \
    "            instruction_shape=(M, N, STEP), accum=True, pred=go,\n"                                      \
    "        )\n"                                                                                             \
    "        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))\n" \
    "    T.cuda.mbarrier_wait(done.ptr_to([0]), 1)\n"

/* The condition is known to the run alone. What is skipped is not waited for: the commit behind it completes the barrier's
 * phase, and D is what it was; issued, the same instructions add the product once more. */
static void a_skipped_issue_leaves_d_and_the_commit_completes(void **state)
{
    (void)state;
    static const char wait[] = "    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)\n";
    const struct example *e = find("f16.py");
    char *text = read_text(e->path), *skipped = with(text, wait, SECOND_ISSUE("< T.float16(0)")),
         *issued = with(text, wait, SECOND_ISSUE(">= T.float16(0)")), said[4096];
    char *alone = with(text, "            instruction_shape=(M, N, STEP),\n",
                       "            instruction_shape=(M, N, STEP), pred=A[0, 0] * A[0, 0] < T.float16(0),\n");
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        if (run_text(e, skipped, seed, said, sizeof said) != 0 || said[0] != '\0')
            fail_msg("skipped, seed %u: D has changed, or the barrier has not completed\n%s", seed, said);
        const uint64_t twice = run_text(e, issued, seed, said, sizeof said);
        if (twice == UINT64_MAX || twice < 128 * 64 / 2) /* zeros stay zeros */
            fail_msg("issued, seed %u: D has not changed\n%s", seed, said);
        /* The commit tracks nothing and arrives at once; D was never written. */
        const uint64_t never = run_text(e, alone, seed, said, sizeof said);
        if (never == UINT64_MAX || never < 128 * 64 / 2)
            fail_msg("skipped alone, seed %u: no end, or a product\n%s", seed, said);
    }
    free(text), free(skipped), free(issued), free(alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_in_the_tables),
        cmocka_unit_test(ptxas_takes_every_example_in_silence),
        cmocka_unit_test(a_skipped_issue_leaves_d_and_the_commit_completes),
        cmocka_unit_test(a_missing_proxy_fence_is_reported),
        cmocka_unit_test(a_proxy_fence_behind_the_barrier_is_a_note),
        cmocka_unit_test(every_example_gives_what_its_reference_gives),
        cmocka_unit_test(a_twin_that_lacks_one_thing_shows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
