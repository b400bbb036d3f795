/* corpus/triton: attention, o = softmax(q k^T * scale) v by head, f16. The scale holds log2(e).
 *
 * The kernels round the weights to f16 before the second product. MEASURED: corpus/triton/README.md, 2e-3 is the largest
 * difference of the f16 outputs on an H200. */
#include "corpus/numbers.h"
#include "corpus/rows.h"

#include <math.h>

enum { MAX_KEYS = 1024 };

struct heads {
    int count, length, depth;
    double scale;
    bool causal;
    const double *q, *k, *v;
};

/* One row of the result. `q` is the query, `k` and `v` the head's keys and values. */
static void attend(const struct heads *h, const double *q, const double *k, const double *v, int keys, double *want)
{
    double weight[MAX_KEYS], top = -HUGE_VAL, sum = 0;
    for (int j = 0; j < keys; j++) {
        weight[j] = 0;
        for (int d = 0; d < h->depth; d++)
            weight[j] += q[d] * k[j * h->depth + d];
        weight[j] *= h->scale;
        top = fmax(top, weight[j]);
    }
    for (int j = 0; j < keys; j++)
        sum += weight[j] = exp2(weight[j] - top);
    for (int d = 0; d < h->depth; d++)
        want[d] = 0;
    for (int j = 0; j < keys; j++)
        for (int d = 0; d < h->depth; d++)
            want[d] += weight[j] / sum * v[j * h->depth + d];
}

static void attend_all(const struct heads *h, double *want)
{
    for (int head = 0; head < h->count; head++)
        for (int i = 0; i < h->length; i++) {
            const int base = head * h->length * h->depth, row = base + i * h->depth;
            attend(h, h->q + row, h->k + base, h->v + base, h->causal ? i + 1 : h->length, want + row);
        }
}

static void run_attention(struct kernel *k, bool causal)
{
    struct random r = {31};
    const int heads = kernel_size(k, "H"), length = kernel_size(k, "S"), depth = kernel_size(k, "D");
    struct argument *const q = kernel_shape(k, "q", 2, heads * length, depth), *const key = kernel_shape(k, "k", 2, heads * length, depth),
                    *const v = kernel_shape(k, "v", 2, heads * length, depth), *const o = kernel_output(k, "o", 2, heads * length, depth);
    fill_quarters(q, &r);
    fill_quarters(key, &r);
    fill_quarters(v, &r);
    kernel_set_int(k, "S", length);
    kernel_set_float(k, "scale", "0.18033688011112042"); /* log2(e) / sqrt(64) */
    kernel_run(k);
    double *const want = arena_new(&k->room->arena, double, o->count);
    attend_all(&(struct heads){heads, length, depth, 0.18033688011112042, causal, values_of(k, q, q->before),
                               values_of(k, key, key->before), values_of(k, v, v->before)},
               want);
    expect_close(k, o, want, 0, 2e-3);
}

static void attention(struct kernel *k)
{
    run_attention(k, false);
}

static void causal_attention(struct kernel *k)
{
    run_attention(k, true);
}

static const struct corpus_test rows[] = {
    ON_ALL("attention_fwd", attention),
    ON_ALL("attention_fwd_causal", causal_attention),
    ON_90_100("attention_fwd_desc", attention),
    ON_100("attention_fwd_desc_ws", attention),
};

int main(void)
{
    return corpus_run_tests("corpus/triton, attention", rows, COUNT(rows));
}
