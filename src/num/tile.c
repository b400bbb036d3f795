/* The table of tile implementations, and the first of them: the loop over tw_num_dot. */
#include "num/tile.h"

#include "num/tile_run.h"

#include <assert.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

/* ---- The reference ---- */

static void collect(const struct num_tile_words *w, size_t row, size_t first, unsigned count, uint64_t *words)
{
    for (unsigned i = 0; i < count; i++)
        words[i] = word_of(w, row, first + i);
}

uint64_t tw_num_tile_reference(const struct num_tile_job *job, size_t i, size_t j, unsigned first, const uint64_t *c)
{
    uint64_t a[TW_NUM_DOT_MAX], b[TW_NUM_DOT_MAX], scale_a[TW_NUM_DOT_MAX], scale_b[TW_NUM_DOT_MAX], d = c == NULL ? 0 : *c;
    const bool scaled = job->scale_a.words != NULL;
    for (; first < job->k; first += step_of(job)) {
        const unsigned count = at_most(step_of(job), job->k - first);
        collect(&job->a, i, first, count, a);
        collect(&job->b, j, first, count, b);
        if (scaled) {
            const unsigned block = job->how->scale_block, blocks = (count + block - 1) / block;
            const size_t before = (size_t)(first / step_of(job)) * ((step_of(job) + block - 1) / block);
            collect(&job->scale_a, i, before, blocks, scale_a);
            collect(&job->scale_b, j, before, blocks, scale_b);
        }
        d = tw_num_dot(job->model, job->how, count, a, b, c, scaled ? scale_a : NULL, scaled ? scale_b : NULL);
        c = &d;
    }
    return d;
}

static void run_reference(const struct num_tile_job *job)
{
    for (size_t i = 0; i < job->m; i++)
        for (size_t j = 0; j < job->n; j++) {
            const uint64_t c = job->c.words == NULL ? 0 : word_of(&job->c, i, j);
            store_word(d_at(job, i, j), job->d_word_bytes, tw_num_tile_reference(job, i, j, 0, job->c.words == NULL ? NULL : &c));
        }
}

/* ---- The others ---- */

/* NULL: the kernels have no shape for this job, which then is the reference's. */
static const struct tile_driver *driver_of(const struct num_tile_job *job)
{
    static const struct tile_driver *const drivers[] = {
        [NUM_DOT_WINDOW] = &tw_num_tile_windows,   [NUM_DOT_TWO_STEP_F16] = &tw_num_tile_windows,
        [NUM_DOT_GROUPS] = &tw_num_tile_groups,    [NUM_DOT_SCALE_GROUPS] = &tw_num_tile_groups,
        [NUM_DOT_FMA_CHAIN] = &tw_num_tile_chains, [NUM_DOT_INTEGER] = &tw_num_tile_integers,
        [NUM_DOT_BITS] = &tw_num_tile_integers,    [NUM_DOT_F32_CHAIN] = NULL, /* four products: nothing to gain */
        [NUM_DOT_F32_PAIRS] = NULL,
    };
    const struct tile_driver *const driver = drivers[job->model->method];
    return driver != NULL && job->m != 0 && job->n != 0 && driver->fits(job) ? driver : NULL;
}

size_t tw_num_tile_scratch(const struct num_tile_job *job)
{
    const struct tile_driver *const driver = driver_of(job);
    return driver == NULL ? 0 : driver->bytes(job) + PIECE_ALIGN;
}

static void drive(const struct num_tile_job *job, const struct tile_kernels *kernels)
{
    const struct tile_driver *const driver = driver_of(job);
    assert(at_most(step_of(job), job->k) <= TW_NUM_DOT_MAX);
    if (driver == NULL) {
        run_reference(job);
        return;
    }
    assert(job->scratch_bytes >= tw_num_tile_scratch(job));
    driver->run(job, kernels);
}

static bool always(void)
{
    return true;
}

static void run_scalar64(const struct num_tile_job *job)
{
    drive(job, &tw_num_tile_plain);
}

#if defined __x86_64__
static bool has_avx2(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    const bool leaf = __get_cpuid(1, &a, &b, &c, &d) != 0;
    return leaf && (c & bit_F16C) != 0 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

static void run_avx2(const struct num_tile_job *job)
{
    drive(job, &tw_num_tile_avx2);
}

static void run_avx512(const struct num_tile_job *job)
{
    drive(job, &tw_num_tile_avx512);
}
#endif

static const struct num_tile_implementation implementations[] = {
    {"ref", always, run_reference},
    {"scalar64", always, run_scalar64},
#if defined __x86_64__
    {"avx2", has_avx2, run_avx2},
    {"avx512", has_avx512, run_avx512},
#endif
};

const struct num_tile_implementation *tw_num_tile_implementations(size_t *count)
{
    *count = sizeof implementations / sizeof implementations[0];
    return implementations;
}

const struct num_tile_implementation *tw_num_tile_best(void)
{
    size_t i = sizeof implementations / sizeof implementations[0] - 1;
    while (!implementations[i].usable())
        i--;
    return &implementations[i];
}

void tw_num_tile(const struct num_tile_job *job)
{
    tw_num_tile_best()->run(job);
}
