/* Kernels of corpus/triton whose formulas hold approximate functions or rounding on the way: the difference to double arithmetic is
 * bounded. The formulas are the docstrings of src/kernels.py and src/gluon_kernels.py. */
#include "rig.h"

#include <math.h>

static uint32_t next_word(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static double f16_value(uint16_t h)
{
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const double magnitude = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return (h & 0x8000) != 0 ? -magnitude : magnitude;
}

/* A random f16 between -1 and 1. */
static uint16_t random_f16(uint32_t *random)
{
    return (uint16_t)((0x2c00 + next_word(random) % 0x1000) | (next_word(random) & 1) << 15);
}

struct f16_matrix {
    uint64_t address;
    uint16_t *words;
};

static struct f16_matrix new_matrix(struct rig *rig, uint32_t count, uint32_t *random, const char *name)
{
    struct f16_matrix m = {.address = tw_memory_alloc(rig->memory, (uint64_t)count * 2, name)};
    m.words = rig_host(rig, m.address);
    for (uint32_t i = 0; random != NULL && i < count; i++)
        m.words[i] = random_f16(random);
    return m;
}

enum { H = 2, S = 256, D = 64 };

/* attention_fwd: o = softmax(q k^T * scale) v by head; the scale holds log2(e). */
static void check_attention(const uint16_t *q, const uint16_t *k, const uint16_t *v, const uint16_t *o, double scale, bool causal)
{
    for (int h = 0; h < H; h++)
        for (int i = 0; i < S; i++) {
            double weight[S], top = -1e30, sum = 0;
            const int last = causal ? i + 1 : S;
            for (int j = 0; j < last; j++) {
                double dot = 0;
                for (int d = 0; d < D; d++)
                    dot += f16_value(q[(h * S + i) * D + d]) * f16_value(k[(h * S + j) * D + d]);
                weight[j] = dot * scale;
                top = fmax(top, weight[j]);
            }
            for (int j = 0; j < last; j++)
                sum += weight[j] = exp2(weight[j] - top);
            for (int d = 0; d < D; d++) {
                double want = 0;
                for (int j = 0; j < last; j++)
                    want += weight[j] / sum * f16_value(v[(h * S + j) * D + d]);
                if (fabs(f16_value(o[(h * S + i) * D + d]) - want) > 2e-3)
                    fail_msg("head %d, row %d, column %d", h, i, d);
            }
        }
}

static void attention_is_softmax_of_the_scores_times_the_values(void **state)
{
    static const struct { const char *file; uint32_t shared; bool causal; } rows[] = {
        {"attention_fwd.sm_80", 49152, false}, {"attention_fwd_causal.sm_80", 49152, true}, {"attention_fwd.sm_100", 65568, false},
        {"attention_fwd_causal.sm_100", 65568, true},
    };
    for (size_t k = 0; k < COUNT(rows); k++) {
        struct bench_room *const room = *state;
        const char *const text = rig_shared_file(room, tw_format(&room->arena, "corpus/triton/ptx/%s.ptx", rows[k].file));
        if (text == NULL)
            skip();
        struct rig rig;
        uint32_t random = 77;
        rig_load(&rig, room, "attention.ptx", text);
        const struct f16_matrix q = new_matrix(&rig, H * S * D, &random, "q"), key = new_matrix(&rig, H * S * D, &random, "k"),
                                v = new_matrix(&rig, H * S * D, &random, "v"), o = new_matrix(&rig, H * S * D, NULL, "o");
        struct { uint64_t q, k, v, o; int32_t s; float scale; uint64_t scratch[2]; } params = {q.address, key.address, v.address, o.address, S, 0.18033688f, {0, 0}};
        rig_must_run(&rig, "attention_fwd",
                     (struct launch_spec){.grid = {2, 2}, .block = {128}, .dynamic_shared_bytes = rows[k].shared, .params = &params, .param_bytes = sizeof params, .seed = k});
        check_attention(q.words, key.words, v.words, o.words, 0.18033688, rows[k].causal);
        rig_end(&rig);
    }
}

/* matmul_bias_gelu: c = gelu_sigmoid(a b + bias) in f16, ragged sizes; gelu_sigmoid(t) = t sigmoid(1.702 t). */
static void a_ragged_product_with_bias_and_activation(void **state)
{
    static const struct { const char *file; uint32_t shared; } rows[] = {{"matmul_bias_gelu.sm_80", 16384}, {"matmul_bias_gelu.sm_100", 24592}};
    enum { M = 200, N = 100, K = 80 };
    for (size_t k = 0; k < COUNT(rows); k++) {
        struct bench_room *const room = *state;
        const char *const text = rig_shared_file(room, tw_format(&room->arena, "corpus/triton/ptx/%s.ptx", rows[k].file));
        if (text == NULL)
            skip();
        struct rig rig;
        uint32_t random = 5;
        rig_load(&rig, room, "gelu.ptx", text);
        const struct f16_matrix a = new_matrix(&rig, M * K, &random, "a"), b = new_matrix(&rig, K * N, &random, "b"), c = new_matrix(&rig, M * N, NULL, "c");
        struct { uint64_t a, b, bias, c; int32_t m, n, k; uint32_t pad; uint64_t scratch[2]; } params = {a.address, b.address, 0, c.address, M, N, K, 0, {0, 0}};
        params.bias = tw_memory_alloc(rig.memory, N * 4, "bias");
        float *const bias = rig_host(&rig, params.bias);
        for (int j = 0; j < N; j++)
            bias[j] = (float)(j % 7) * 0.25f - 0.75f;
        rig_must_run(&rig, "matmul_bias_gelu",
                     (struct launch_spec){.grid = {2, 2}, .block = {128}, .dynamic_shared_bytes = rows[k].shared, .params = &params, .param_bytes = sizeof params, .seed = k});
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double t = (double)bias[j];
                for (int n = 0; n < K; n++)
                    t += f16_value(a.words[i * K + n]) * f16_value(b.words[n * N + j]);
                const double want = t / (1 + exp(-1.702 * t));
                if (fabs(f16_value(c.words[i * N + j]) - want) > 1e-3 + fabs(want) * 1e-3)
                    fail_msg("%s: element (%d, %d)", rows[k].file, i, j);
            }
        rig_end(&rig);
    }
}

/* unary_math: eleven functions of v, some of p = |v| + 0.5; row k of the result is function k. */
static double unary(int function, double v)
{
    const double p = fabs(v) + 0.5;
    const double values[] = {exp(v), exp2(v), log(p), log2(p), sqrt(p), 1 / sqrt(p), sin(v), cos(v), v / p, 1 / (1 + exp(-v)),
                             floor((double)((float)v * 3.0f)) + ceil((double)((float)v * 5.0f))};
    return values[function];
}

static void unary_functions_are_close(void **state)
{
    static const char *const files[] = {"unary_math_f32.sm_80", "unary_math_f32.sm_90", "unary_math_f32.sm_100"};
    enum { N = 250, FUNCTIONS = 11 };
    for (size_t k = 0; k < COUNT(files); k++) {
        struct bench_room *const room = *state;
        const char *const text = rig_shared_file(room, tw_format(&room->arena, "corpus/triton/ptx/%s.ptx", files[k]));
        if (text == NULL)
            skip();
        struct rig rig;
        rig_load(&rig, room, "unary.ptx", text);
        struct { uint64_t x, out; int32_t n; uint32_t pad; uint64_t scratch[2]; } params = {.n = N};
        params.x = tw_memory_alloc(rig.memory, N * 4, "x");
        params.out = tw_memory_alloc(rig.memory, N * FUNCTIONS * 4, "out");
        float *const xs = rig_host(&rig, params.x);
        const float *const outs = rig_host(&rig, params.out);
        for (int i = 0; i < N; i++)
            xs[i] = (float)(i - 120) * 0.0625f;
        xs[7] = 150000.0f; /* the long way of sin and cos, through a table in local memory */
        xs[8] = -1e7f;
        rig_must_run(&rig, "unary_math", (struct launch_spec){.grid = {2}, .block = {128}, .params = &params, .param_bytes = sizeof params, .seed = k});
        for (int f = 0; f < FUNCTIONS; f++)
            for (int i = 0; i < N; i++) {
                const double want = unary(f, (double)xs[i]), got = (double)outs[f * N + i];
                const bool infinite = fabs(want) > 3.4e38;
                if (infinite ? !isinf(got) : fabs(got - want) > 1e-6 + fabs(want) * 2e-6)
                    fail_msg("%s: function %d of %a: %a, want %a", files[k], f, (double)xs[i], got, want);
            }
        rig_end(&rig);
    }
}

/* gl_tmem_roundtrip: out = x + 1 by way of tensor memory. */
static void a_round_trip_through_tensor_memory(void **state)
{
    struct bench_room *const room = *state;
    const char *const text = rig_shared_file(room, "corpus/triton/ptx/gl_tmem_roundtrip.sm_100.ptx");
    if (text == NULL)
        skip();
    enum { N = 128 * 64 };
    struct rig rig;
    rig_load(&rig, room, "roundtrip.ptx", text);
    uint64_t params[4] = {tw_memory_alloc(rig.memory, N * 4, "x"), tw_memory_alloc(rig.memory, N * 4, "out"), 0, 0};
    float *const xs = rig_host(&rig, params[0]);
    const float *const outs = rig_host(&rig, params[1]);
    for (int i = 0; i < N; i++)
        xs[i] = (float)i * 0.5f;
    rig_must_run(&rig, "gl_tmem_roundtrip", (struct launch_spec){.block = {128}, .dynamic_shared_bytes = 16384, .params = params, .param_bytes = sizeof params});
    for (int i = 0; i < N; i++)
        assert_true(outs[i] == xs[i] + 1.0f);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(attention_is_softmax_of_the_scores_times_the_values),
        ROOM_TEST(a_ragged_product_with_bias_and_activation),
        ROOM_TEST(unary_functions_are_close),
        ROOM_TEST(a_round_trip_through_tensor_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
