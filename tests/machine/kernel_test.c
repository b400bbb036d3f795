/* Whole kernels: third-party PTX and small ones of our own give the values of their formulas. */
#include "rig.h"

#include "kernel_text.h"

#include <math.h>

static const char vec_add[] = "corpus/triton/ptx/vec_add_f32.sm_100.ptx";

/* corpus/triton/src/kernels.py, vec_add: out[i] = x[i] + y[i], i < n. */
static void a_compiler_s_vector_addition_runs(void **state)
{
    struct bench_room *const room = *state;
    const char *const text = rig_shared_file(room, vec_add);
    if (text == NULL)
        skip();
    struct rig rig;
    rig_load(&rig, room, "vec_add.ptx", text);
    enum { N = 1000, ROOM = 1024 };
    const uint64_t x = tw_memory_alloc(rig.memory, ROOM * 4, "x"), y = tw_memory_alloc(rig.memory, ROOM * 4, "y"),
                   out = tw_memory_alloc(rig.memory, ROOM * 4, "out");
    float *const xs = rig_host(&rig, x), *const ys = rig_host(&rig, y), *const outs = rig_host(&rig, out);
    for (int i = 0; i < ROOM; i++) {
        xs[i] = (float)i * 0.25f;
        ys[i] = (float)(i * i) * -0.125f;
        outs[i] = -1.0f;
    }
    struct { uint64_t x, y, out; int32_t n; uint32_t pad; uint64_t scratch[2]; } params = {x, y, out, N, 0, {0, 0}};
    rig_must_run(&rig, "vec_add",
                 (struct launch_spec){.grid = {4}, .block = {128}, .params = &params, .param_bytes = sizeof params});
    for (int i = 0; i < ROOM; i++)
        assert_true(outs[i] == (i < N ? xs[i] + ys[i] : -1.0f));
    rig_end(&rig);
}

/* One word of a repeatable sequence. */
static uint32_t next_word(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* kernels.py, transpose_2d: out[c, r] = x[r, c], through shared memory. */
static void a_transpose_through_shared_memory_runs(void **state)
{
    static const char *const files[] = {"corpus/triton/ptx/transpose_2d.sm_80.ptx", "corpus/triton/ptx/transpose_2d.sm_90.ptx",
                                        "corpus/triton/ptx/transpose_2d.sm_100.ptx"};
    enum { R = 64, C = 32 };
    for (size_t f = 0; f < COUNT(files); f++) {
        struct bench_room *const room = *state;
        const char *const text = rig_shared_file(room, files[f]);
        if (text == NULL)
            skip();
        struct rig rig;
        rig_load(&rig, room, "transpose.ptx", text);
        const uint64_t x = tw_memory_alloc(rig.memory, R * C * 2, "x"), out = tw_memory_alloc(rig.memory, R * C * 2, "out");
        uint16_t *const xs = rig_host(&rig, x), *const outs = rig_host(&rig, out);
        for (uint32_t i = 0; i < R * C; i++)
            xs[i] = (uint16_t)(i * 31 + 7);
        const uint64_t params[4] = {x, out, 0, 0};
        rig_must_run(&rig, "transpose_2d",
                     (struct launch_spec){.block = {128}, .dynamic_shared_bytes = 4096, .params = params, .param_bytes = sizeof params, .seed = f});
        for (uint32_t r = 0; r < R; r++)
            for (uint32_t c = 0; c < C; c++)
                assert_int_equal(outs[c * R + r], xs[r * C + c]);
        rig_end(&rig);
    }
}

static int compare_ints(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

/* kernels.py, scan_sort: inclusive prefix sum, ascending sort, argmax, by row of 128 numbers. */
static void scan_sort_and_argmax_run(void **state)
{
    static const char *const files[] = {"corpus/triton/ptx/scan_sort.sm_80.ptx", "corpus/triton/ptx/scan_sort.sm_90.ptx",
                                        "corpus/triton/ptx/scan_sort.sm_100.ptx"};
    enum { ROWS = 3, N = 128 };
    for (size_t f = 0; f < COUNT(files); f++) {
        struct bench_room *const room = *state;
        const char *const text = rig_shared_file(room, files[f]);
        if (text == NULL)
            skip();
        struct rig rig;
        rig_load(&rig, room, "scan_sort.ptx", text);
        uint64_t params[6] = {0};
        for (int i = 0; i < 4; i++)
            params[i] = tw_memory_alloc(rig.memory, ROWS * N * 4, "array");
        int32_t *const xs = rig_host(&rig, params[0]);
        uint32_t random = 5;
        for (int i = 0; i < ROWS * N; i++)
            xs[i] = (int32_t)(next_word(&random) % 100000) - 50000;
        rig_must_run(&rig, "scan_sort",
                     (struct launch_spec){.grid = {ROWS}, .block = {128}, .dynamic_shared_bytes = 512, .params = params,
                                          .param_bytes = sizeof params, .seed = f});
        const int32_t *const sums = rig_host(&rig, params[1]), *const sorted = rig_host(&rig, params[2]),
                      *const best = rig_host(&rig, params[3]);
        for (int r = 0; r < ROWS; r++) {
            int32_t want[N], sum = 0, top = 0;
            memcpy(want, xs + r * N, sizeof want);
            for (int i = 0; i < N; i++) {
                sum += want[i];
                assert_int_equal(sums[r * N + i], sum);
                if (want[i] > want[top])
                    top = i;
            }
            assert_int_equal(best[r], top);
            qsort(want, N, sizeof want[0], compare_ints);
            assert_memory_equal(sorted + r * N, want, sizeof want);
        }
        rig_end(&rig);
    }
}

/* kernels.py, atomics: a histogram, a float sum, a maximum, and a counter through a compare-and-swap loop. */
static void atomics_of_many_blocks_add_up(void **state)
{
    static const char *const files[] = {"corpus/triton/ptx/atomics.sm_80.ptx", "corpus/triton/ptx/atomics.sm_90.ptx",
                                        "corpus/triton/ptx/atomics.sm_100.ptx"};
    enum { N = 500 };
    for (size_t f = 0; f < COUNT(files); f++) {
        struct bench_room *const room = *state;
        const char *const text = rig_shared_file(room, files[f]);
        if (text == NULL)
            skip();
        struct rig rig;
        rig_load(&rig, room, "atomics.ptx", text);
        struct { uint64_t x, hist, sum, max, lock; int32_t n; uint32_t pad; uint64_t scratch[2]; } params = {.n = N};
        params.x = tw_memory_alloc(rig.memory, 512 * 4, "x");
        params.hist = tw_memory_alloc(rig.memory, 64 * 4, "hist");
        params.sum = tw_memory_alloc(rig.memory, 4, "sum");
        params.max = tw_memory_alloc(rig.memory, 4, "max");
        params.lock = tw_memory_alloc(rig.memory, 4, "lock");
        int32_t *const xs = rig_host(&rig, params.x), hist[64] = {0}, max = 0, sum = 0;
        uint32_t random = 9;
        for (int i = 0; i < N; i++) {
            xs[i] = (int32_t)(next_word(&random) % 1000);
            hist[xs[i] & 63]++;
            sum += xs[i];
            max = xs[i] > max ? xs[i] : max;
        }
        rig_must_run(&rig, "atomics",
                     (struct launch_spec){.grid = {4}, .block = {128}, .dynamic_shared_bytes = 16, .params = &params,
                                          .param_bytes = sizeof params, .seed = f});
        assert_memory_equal(rig_host(&rig, params.hist), hist, sizeof hist);
        assert_true(*(float *)rig_host(&rig, params.sum) == (float)sum);
        assert_int_equal(*(int32_t *)rig_host(&rig, params.max), max);
        assert_int_equal(*(int32_t *)rig_host(&rig, params.lock), 4);
        rig_end(&rig);
    }
}

/* Philox 4x32, ten rounds, as its authors publish it; the key is the seed, the counter the index. */
static uint32_t philox(uint32_t index, uint32_t seed)
{
    uint32_t c[4] = {index, 0, 0, 0}, k[2] = {seed, 0};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xD2511F53u * c[0], b = (uint64_t)0xCD9E8D57u * c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
        memcpy(c, next, sizeof c);
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    return c[0];
}

/* kernels.py, dropout: x * 2 where the uniform of (seed, i) is above 0.5. The uniform is abs of the signed word, with ~x for
 * negative x, times 4.6566127342e-10. */
static void dropout_draws_philox_numbers(void **state)
{
    static const char *const files[] = {"corpus/triton/ptx/dropout.sm_80.ptx", "corpus/triton/ptx/dropout.sm_90.ptx",
                                        "corpus/triton/ptx/dropout.sm_100.ptx"};
    enum { N = 250 };
    for (size_t f = 0; f < COUNT(files); f++) {
        struct bench_room *const room = *state;
        const char *const text = rig_shared_file(room, files[f]);
        if (text == NULL)
            skip();
        struct rig rig;
        rig_load(&rig, room, "dropout.ptx", text);
        struct { uint64_t x, out; int32_t n, seed; uint64_t scratch[2]; } params = {.n = N, .seed = 7};
        params.x = tw_memory_alloc(rig.memory, N * 4, "x");
        params.out = tw_memory_alloc(rig.memory, N * 4, "out");
        float *const xs = rig_host(&rig, params.x);
        const float *const outs = rig_host(&rig, params.out);
        for (int i = 0; i < N; i++)
            xs[i] = (float)(i + 1);
        rig_must_run(&rig, "dropout",
                     (struct launch_spec){.grid = {2}, .block = {128}, .params = &params, .param_bytes = sizeof params, .seed = f});
        for (int i = 0; i < N; i++) {
            const int32_t word = (int32_t)philox((uint32_t)i, 7);
            const float uniform = (float)(word < 0 ? -word - 1 : word) * 4.6566127342e-10f;
            assert_true(outs[i] == (uniform > 0.5f ? xs[i] * 2.0f : 0.0f));
        }
        rig_end(&rig);
    }
}

/* kernels.py, casts: values that every format holds exactly come back as they went. */
static void casts_of_exact_values_come_back(void **state)
{
    static const char *const files[] = {"corpus/triton/ptx/casts.sm_90.ptx", "corpus/triton/ptx/casts.sm_100.ptx"};
    static const float values[] = {0, 1, -1, 1.5f, -1.5f, 2, -2, 3, -3, 4, 6, -6, 8, 0.5f, 0.75f, -0.25f};
    static const uint16_t halves[] = {0, 0x3c00, 0xbc00, 0x3e00, 0xbe00, 0x4000, 0xc000, 0x4200, 0xc200, 0x4400, 0x4600, 0xc600, 0x4800, 0x3800, 0x3a00, 0xb400};
    static const uint8_t e4m3[] = {0, 0x38, 0xb8, 0x3c, 0xbc, 0x40, 0xc0, 0x44, 0xc4, 0x48, 0x4c, 0xcc, 0x50, 0x30, 0x34, 0xa8};
    enum { N = 200, ROOM = 256 };
    for (size_t f = 0; f < COUNT(files); f++) {
        struct bench_room *const room = *state;
        const char *const text = rig_shared_file(room, files[f]);
        if (text == NULL)
            skip();
        struct rig rig;
        rig_load(&rig, room, "casts.ptx", text);
        struct { uint64_t at[7]; int32_t n; uint32_t pad; uint64_t scratch[2]; } params = {.n = N};
        for (int i = 0; i < 7; i++)
            params.at[i] = tw_memory_alloc(rig.memory, ROOM * 4, "array");
        float *const xs = rig_host(&rig, params.at[0]);
        for (size_t i = 0; i < ROOM; i++)
            xs[i] = values[i % COUNT(values)];
        rig_must_run(&rig, "casts",
                     (struct launch_spec){.grid = {2}, .block = {128}, .params = &params, .param_bytes = sizeof params, .seed = f});
        const uint16_t *const f16s = rig_host(&rig, params.at[1]);
        const uint8_t *const e4m3s = rig_host(&rig, params.at[3]);
        const int8_t *const i8s = rig_host(&rig, params.at[5]);
        const float *const back = rig_host(&rig, params.at[6]);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(f16s[i], halves[i % COUNT(values)]);
            assert_int_equal(e4m3s[i], e4m3[i % COUNT(values)]);
            assert_int_equal(i8s[i], (int8_t)values[i % COUNT(values)]);
            assert_true(back[i] == 4 * xs[i]);
        }
        rig_end(&rig);
    }
}

/* kernels.py, softmax_rows and layernorm_rows: approximate functions, so the difference to double arithmetic is bounded. */
static void softmax_of_rows_runs(void **state)
{
    static const char *const files[] = {"corpus/triton/ptx/softmax_rows.sm_80.ptx", "corpus/triton/ptx/softmax_rows.sm_90.ptx"};
    enum { ROWS = 5, N = 200 };
    for (size_t f = 0; f < COUNT(files); f++) {
        struct bench_room *const room = *state;
        const char *const text = rig_shared_file(room, files[f]);
        if (text == NULL)
            skip();
        struct rig rig;
        rig_load(&rig, room, "softmax.ptx", text);
        struct { uint64_t x, out; int32_t n; uint32_t pad; uint64_t scratch[2]; } params = {.n = N};
        params.x = tw_memory_alloc(rig.memory, ROWS * N * 4, "x");
        params.out = tw_memory_alloc(rig.memory, ROWS * N * 4, "out");
        float *const xs = rig_host(&rig, params.x);
        const float *const outs = rig_host(&rig, params.out);
        uint32_t random = 3;
        for (int i = 0; i < ROWS * N; i++)
            xs[i] = (float)(next_word(&random) % 2000) / 100.0f - 10.0f;
        rig_must_run(&rig, "softmax_rows",
                     (struct launch_spec){.grid = {ROWS}, .block = {128}, .dynamic_shared_bytes = 16, .params = &params, .param_bytes = sizeof params, .seed = f});
        for (int r = 0; r < ROWS; r++) {
            double top = -1e30, sum = 0;
            for (int c = 0; c < N; c++)
                top = fmax(top, (double)xs[r * N + c]);
            for (int c = 0; c < N; c++)
                sum += exp((double)xs[r * N + c] - top);
            for (int c = 0; c < N; c++)
                assert_true(fabs((double)outs[r * N + c] - exp((double)xs[r * N + c] - top) / sum) < 1e-6);
        }
        rig_end(&rig);
    }
}

static double f16_value(uint16_t h)
{
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const double magnitude = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return (h & 0x8000) != 0 ? -magnitude : magnitude;
}

static void layer_norm_of_rows_runs(void **state)
{
    static const char *const files[] = {"corpus/triton/ptx/layernorm_rows.sm_80.ptx", "corpus/triton/ptx/layernorm_rows.sm_100.ptx"};
    enum { ROWS = 5, N = 200 };
    for (size_t f = 0; f < COUNT(files); f++) {
        struct bench_room *const room = *state;
        const char *const text = rig_shared_file(room, files[f]);
        if (text == NULL)
            skip();
        struct rig rig;
        rig_load(&rig, room, "layernorm.ptx", text);
        struct { uint64_t x, w, b, out; int32_t n; float eps; uint64_t scratch[2]; } params = {.n = N, .eps = 1e-5f};
        params.x = tw_memory_alloc(rig.memory, ROWS * N * 2, "x");
        params.w = tw_memory_alloc(rig.memory, N * 4, "w");
        params.b = tw_memory_alloc(rig.memory, N * 4, "b");
        params.out = tw_memory_alloc(rig.memory, ROWS * N * 2, "out");
        uint16_t *const xs = rig_host(&rig, params.x);
        const uint16_t *const outs = rig_host(&rig, params.out);
        float *const ws = rig_host(&rig, params.w), *const bs = rig_host(&rig, params.b);
        uint32_t random = 8;
        for (int i = 0; i < ROWS * N; i++)
            xs[i] = (uint16_t)(0x3000 + next_word(&random) % 0x1000) | (uint16_t)((next_word(&random) & 1) << 15);
        for (int c = 0; c < N; c++) {
            ws[c] = 1.0f + (float)c / 256.0f;
            bs[c] = (float)c / 64.0f - 1.5f;
        }
        rig_must_run(&rig, "layernorm_rows",
                     (struct launch_spec){.grid = {ROWS}, .block = {128}, .dynamic_shared_bytes = 512, .params = &params, .param_bytes = sizeof params, .seed = f});
        for (int r = 0; r < ROWS; r++) {
            double mean = 0, var = 0;
            for (int c = 0; c < N; c++)
                mean += f16_value(xs[r * N + c]) / N;
            for (int c = 0; c < N; c++)
                var += pow(f16_value(xs[r * N + c]) - mean, 2) / N;
            for (int c = 0; c < N; c++) {
                const double want = (f16_value(xs[r * N + c]) - mean) / sqrt(var + 1e-5) * (double)ws[c] + (double)bs[c];
                assert_true(fabs(f16_value(outs[r * N + c]) - want) < 2e-3 + fabs(want) * 1e-3);
            }
        }
        rig_end(&rig);
    }
}

/* All of the source is read before any of the destination is written. */
static void a_vector_move_may_exchange_registers(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(
        &rig, *state,
        KERNEL("", "mov.u32 %r1, 11;\nmov.u32 %r2, 22;\nmov.v2.b32 {%r1, %r2}, {%r2, %r1};\nmov.v4.u32 {%r3, _, %r5, %r6}, {%tid.x, 9, 0x7f, %r1};\n"
                   "setp.eq.u32 %p1, %t, 5;\n@%p1 mov.v2.b32 {%r1, %r2}, {%r2, %r3};\nmov.v2.b64 {%q1, %q2}, {%out, 3};\n"
                   "mad.wide.u32 %q1, %t, 20, %q1;\nst.global.u32 [%q1], %r1;\nst.global.u32 [%q1+4], %r2;\nst.global.u32 [%q1+8], %r3;\n"
                   "st.global.u32 [%q1+12], %r5;\nadd.u32 %r6, %r6, 100;\nst.global.u32 [%q1+16], %r6;\n"),
        &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t t = 0; t < 32; t++) {
        const uint32_t want[5] = {t == 5 ? 11 : 22, t == 5 ? 5 : 11, t, 0x7f, 122};
        assert_memory_equal(words + 5 * t, want, sizeof want);
    }
    rig_end(&rig);
}

/* A literal in a fragment is the word that a register would hold. */
static void literals_in_fragments_are_words(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(
        &rig, *state,
        KERNEL("", "mov.b32 %r1, 0x3c003c00;\nmov.b32 %r2, 0x40004000;\nmov.b32 %r9, 0;\n"
                   "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r3, %r4, %r5, %r6}, {0x3c003c00, %r1, 0x3c003c00, 1006648320}, {%r2, 0x40004000}, "
                   "{%r9, %r9, %r9, 0f3F800000};\nst.global.u32 [%at], %r3;\nst.global.u32 [%at+128], %r6;\n"),
        &out);
    kernel_must_run(&rig, &out, 1, 32, 0);
    for (uint32_t t = 0; t < 32; t++) {
        assert_int_equal(words[t], 0x42000000);      /* sixteen products of 1 and 2 */
        assert_int_equal(words[32 + t], 0x42040000); /* and 1 */
    }
    rig_end(&rig);
}

/* Inner registers and labels hide outer ones of the same name while the block lasts, and are others in the next block. */
static void names_of_a_block_are_its_own_when_it_runs(void **state)
{
    struct rig rig;
    uint64_t out;
    const uint32_t *const words = kernel_load(
        &rig, *state,
        KERNEL("", ".reg .b32 x, n;\nmov.u32 x, 1; mov.u32 n, 0;\n"
                   "{ .reg .b32 x; mov.u32 x, 100;\nL: add.u32 x, x, 10; add.u32 n, n, 1; setp.lt.u32 %p1, n, 3; @%p1 bra L;\n"
                   "{ .reg .b32 x; mov.u32 x, 5000; st.global.u32 [%out+8], x; }\nst.global.u32 [%out], x; }\n"
                   "{ .reg .b32 x; mov.u32 x, 200; bra L; add.u32 x, x, 1;\nL: st.global.u32 [%out+4], x; }\n"
                   "bra L; add.u32 x, x, 1;\nL: st.global.u32 [%out+12], x;\n"),
        &out);
    kernel_must_run(&rig, &out, 1, 1, 0);
    static const uint32_t want[4] = {130, 200, 5000, 1};
    assert_memory_equal(words, want, sizeof want);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(a_compiler_s_vector_addition_runs),
        ROOM_TEST(a_transpose_through_shared_memory_runs),
        ROOM_TEST(scan_sort_and_argmax_run),
        ROOM_TEST(atomics_of_many_blocks_add_up),
        ROOM_TEST(dropout_draws_philox_numbers),
        ROOM_TEST(casts_of_exact_values_come_back),
        ROOM_TEST(softmax_of_rows_runs),
        ROOM_TEST(layer_norm_of_rows_runs),
        ROOM_TEST(a_vector_move_may_exchange_registers),
        ROOM_TEST(literals_in_fragments_are_words),
        ROOM_TEST(names_of_a_block_are_its_own_when_it_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
