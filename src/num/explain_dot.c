/* One dot product in words. The numbers come from the evaluation itself (dot.h, num_dot_observer), never from a second
 * computation, so that an explanation cannot disagree with the result. */
#include "num/explain.h"

#include "base/bits.h"
#include "num/arith.h"
#include "num/decimal.h"
#include "num/round.h"

void tw_num_print_exact(struct text *out, int64_t sig, int32_t exp)
{
    enum { SHORT = 16 };
    if (sig == 0) {
        tw_text_add(out, "0");
        return;
    }
    uint64_t magnitude = sig < 0 ? 0 - (uint64_t)sig : (uint64_t)sig;
    for (; (magnitude & 1) == 0; magnitude >>= 1)
        exp++;
    const int top = exp + (int)log2_floor(magnitude);
    if (magnitude >> 53 == 0 && exp > -1000 && top < 1000) {
        struct text decimal;
        tw_text_init(&decimal, out->arena);
        tw_num_print_decimal(&decimal, NUM_F64,
                             tw_num_pack(NUM_F64, (struct num_round_how){0},
                                         (struct num_exact){.sig = magnitude, .exp = exp, .negative = sig < 0}));
        if (decimal.len <= SHORT) {
            tw_text_add(out, decimal.at);
            return;
        }
    }
    tw_text_add(out, sig < 0 ? "-" : "");
    if (magnitude != 1)
        tw_text_addf(out, "%llu*", (unsigned long long)magnitude);
    tw_text_addf(out, "2^%d", (int)exp);
}

static const char *exact(struct arena *arena, int64_t sig, int32_t exp)
{
    struct text t;
    tw_text_init(&t, arena);
    tw_num_print_exact(&t, sig, exp);
    return t.at;
}

/* "0x3c00 = 1" */
static const char *word_text(struct arena *arena, enum num_format f, uint64_t word)
{
    const struct num_value v = tw_num_decode(f, word);
    struct text t;
    tw_text_init(&t, arena);
    tw_text_addf(&t, "0x%0*llx = ", (int)(tw_num_bits(f) + 3) / 4, (unsigned long long)(word & bits_mask(tw_num_bits(f))));
    if (v.cls == NUM_FINITE && tw_num_is_float(f))
        tw_num_print_exact(&t, v.negative ? -(int64_t)v.sig : (int64_t)v.sig, v.exp);
    else
        tw_num_print_decimal(&t, f, word);
    return t.at;
}

/* ---- Rules in words ------------------------------------------------------------------------------------ */

static const char *const rules[] = {
    [NUM_DOT_WINDOW] =
        "every product and C is cut, toward zero, to the bits of one window below the largest exponent (exponents as\n"
        "          stored: products are not renormalised, a zero factor makes no term); the sum of what is left is exact",
    [NUM_DOT_TWO_STEP_F16] =
        "operands become f16; one window takes the products with k mod 4 in {0, 1} and starts from zero, a second one those\n"
        "          with k mod 4 in {2, 3} and the first result; C is added at the end, rounding to nearest even",
    [NUM_DOT_GROUPS] =
        "groups of products that share their scales are summed exactly, then cut, toward zero, to one unit: 35 bits below C\n"
        "          where C's exponent is the largest, else the higher of 39 below the largest exponent and 35 below the\n"
        "          largest scale exponent; the sum of what is left is exact",
    [NUM_DOT_SCALE_GROUPS] =
        "groups of 16 products are summed exactly, then cut, toward zero, to 35 bits below the largest exponent among scale\n"
        "          pairs and C; the sum of what is left is exact",
    [NUM_DOT_FMA_CHAIN] = "one fused multiply-add after the other, k ascending, each rounding to nearest even",
    [NUM_DOT_F32_CHAIN] =
        "one f32 fused multiply-add after the other, k ascending from +0, each rounding to nearest even; C is added at the end,\n"
        "          rounding once more",
    [NUM_DOT_F32_PAIRS] =
        "in f32, each step rounding to nearest even: a multiply and a fused multiply-add make one of the products 0 and 1, which\n"
        "          is added to C, then one of the products 2 and 3; the sum is rounded to f16",
    [NUM_DOT_INTEGER] = "the exact sum of all products and C, wrapped to 32 bits, or clamped once at the end",
    [NUM_DOT_BITS] = "the number of ones among the results of the bit operation, added to C, wrapped to 32 bits",
};

static void add_heading(struct text *out, const struct num_dot_case *x)
{
    const struct num_dot_model *m = x->model;
    tw_text_addf(out, "%s x %s to %s, %u product%s\n", tw_num_format(x->how->a)->name, tw_num_format(x->how->b)->name,
                 tw_num_format(x->how->d)->name, x->n, x->n == 1 ? "" : "s");
    tw_text_addf(out, "   model: %s\nevidence: %s (%s)\n    rule: %s\n", m->name, tw_num_evidence_name(m->evidence), m->source,
                 rules[m->method]);
    if (m->method == NUM_DOT_WINDOW || m->method == NUM_DOT_TWO_STEP_F16) {
        tw_text_addf(out, "  window: %u bits below the largest exponent", (unsigned)m->window_bits);
        if (m->chunk != 0)
            tw_text_addf(out, "; %u products share one, and its result is the C of the next", (unsigned)m->chunk);
        tw_text_put(out, '\n');
    }
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

/* "3", or "3..15" for a run */
static const char *run_name(struct arena *arena, unsigned first, unsigned last)
{
    return first == last ? tw_format(arena, "%u", first) : tw_format(arena, "%u..%u", first, last);
}

static const char *product_text(struct arena *arena, const struct num_dot_case *x, unsigned k)
{
    const struct num_dot_how *how = x->how;
    if (x->model->method == NUM_DOT_BITS)
        return ((how->bits_and ? x->a[k] & x->b[k] : x->a[k] ^ x->b[k]) & 1) != 0 ? "1" : "0";
    const struct num_value a = tw_num_decode(how->a, x->a[k]), b = tw_num_decode(how->b, x->b[k]);
    if (a.cls == NUM_NAN || b.cls == NUM_NAN || (a.cls == NUM_INFINITE && b.cls == NUM_ZERO) ||
        (a.cls == NUM_ZERO && b.cls == NUM_INFINITE))
        return "nan";
    const bool negative = (a.negative != b.negative) != (how->negate_a != how->negate_b);
    if (a.cls == NUM_INFINITE || b.cls == NUM_INFINITE)
        return negative ? "-inf" : "inf";
    if (a.cls == NUM_ZERO || b.cls == NUM_ZERO)
        return "0";
    if (log2_floor(a.sig) + log2_floor(b.sig) > 60)
        return "-"; /* f64: the exact product has no short form */
    return exact(arena, negative ? -(int64_t)(a.sig * b.sig) : (int64_t)(a.sig * b.sig), a.exp + b.exp);
}

static void add_operands(struct text *out, const struct num_dot_case *x)
{
    struct arena *arena = out->arena;
    const struct num_dot_how *how = x->how;
    tw_text_addf(out, "\n%6s  %-28s  %-28s  %s\n", "k", how->negate_a ? "a, negated" : "a", how->negate_b ? "b, negated" : "b",
                 x->model->method != NUM_DOT_BITS ? "a*b" : how->bits_and ? "a and b" : "a xor b");
    for (unsigned first = 0, end; first < x->n; first = end) {
        for (end = first + 1; end < x->n && x->a[end] == x->a[first] && x->b[end] == x->b[first];)
            end++;
        tw_text_addf(out, "%6s  %-28s  %-28s  %s\n", run_name(arena, first, end - 1), word_text(arena, how->a, x->a[first]),
                     word_text(arena, how->b, x->b[first]), product_text(arena, x, first));
    }
    if (x->c != NULL)
        tw_text_addf(out, "%6s  %s\n", "C", word_text(arena, how->d, *x->c));
    else
        tw_text_addf(out, "%6s  not read\n", "C");
    for (unsigned i = 0; x->scale_a != NULL && i * how->scale_block < x->n; i++)
        tw_text_addf(out, "scales of block %u: %s, %s\n", i, word_text(arena, how->scale, x->scale_a[i]),
                     word_text(arena, how->scale, x->scale_b[i]));
    if (how->scale_c_log2 != 0)
        tw_text_addf(out, "C is taken as C * 2^-%u\n", (unsigned)how->scale_c_log2);
}

/* ---- Windows ------------------------------------------------------------------------------------------- */

struct telling {
    struct text *out;
    const struct num_dot_case *x;
    unsigned windows, steps;
};

/* x * 2^x_exp - y * 2^y_exp, or "all" where y is 0; NULL where it has no short form. */
static const char *difference(struct arena *arena, int64_t x, int32_t x_exp, int64_t y, int32_t y_exp)
{
    const int32_t grid = x_exp < y_exp ? x_exp : y_exp;
    if (y == 0)
        return x == 0 ? "0" : "all";
    if (x_exp - grid > 62 || y_exp - grid > 62)
        return NULL;
    const num_wide wide = (num_wide)(x < 0 ? 0 - (uint64_t)x : (uint64_t)x) << (x_exp - grid);
    const num_wide kept = (num_wide)(y < 0 ? 0 - (uint64_t)y : (uint64_t)y) << (y_exp - grid);
    const num_wide rest = wide - kept; /* kept is x with low bits gone: the smaller, and of the same sign */
    if (rest >> 63 != 0)
        return NULL;
    return exact(arena, x < 0 ? -(int64_t)rest : (int64_t)rest, grid);
}

/* Products that are equal in all but k. */
static bool same_part(const struct num_dot_part *p, const struct num_dot_part *q)
{
    return p->kind == NUM_PART_PRODUCT && q->kind == NUM_PART_PRODUCT && p->sig == q->sig && p->exp == q->exp && p->top == q->top;
}

static void add_part(struct text *out, const struct num_dot_window *w, const struct num_dot_part *p, unsigned run)
{
    struct arena *arena = out->arena;
    const char *lost = difference(arena, p->sig, p->exp, p->units, w->unit);
    const char *name = p->kind == NUM_PART_C ? "C" : run_name(arena, p->k, p[run - 1].k + p->count - 1u);
    tw_text_addf(out, "%6s  %-28s%8d  %20lld  %s%s\n", name, exact(arena, p->sig, p->exp), (int)p->top, (long long)p->units,
                 lost == NULL ? "?" : lost, p->left_out ? "; left out" : "");
}

/* The window's result, and what the rounding took off or put on. */
static void add_rounded(struct text *out, enum num_format f, const struct num_dot_window *w)
{
    const struct num_value d = tw_num_decode(f, w->d);
    tw_text_addf(out, "%6s  %s", "d", word_text(out->arena, f, w->d));
    const int64_t sig = d.negative ? -(int64_t)d.sig : (int64_t)d.sig;
    const int32_t grid = d.exp < w->unit ? d.exp : w->unit;
    if (d.cls == NUM_FINITE && d.exp - grid < 24 && w->unit - grid < 62) {
        const int64_t off = sig * (INT64_C(1) << (d.exp - grid)) - w->units * (INT64_C(1) << (w->unit - grid));
        tw_text_addf(out, off == 0 ? ", exactly" : "; the rounding moves the sum by %s", exact(out->arena, off, grid));
    }
    tw_text_put(out, '\n');
}

static void tell(void *context, const struct num_dot_window *w)
{
    struct telling *t = context;
    struct text *out = t->out;
    t->windows++;
    if (w->special) {
        tw_text_addf(out, "\nwindow %u: %s\n", t->windows,
                     w->nan ? "a NaN, or infinity times zero, among the terms: the result is NaN"
                     : w->plus_infinity && w->minus_infinity ? "infinities of both signs: the result is NaN"
                                                             : "an infinity among the terms: the result is that infinity");
        return;
    }
    bool any = false;
    for (unsigned i = 0; i < w->count; i++)
        any = any || w->part[i].sig != 0;
    if (!any) {
        tw_text_addf(out, "\nwindow %u: no term is there: the sum is +0\n", t->windows);
        return;
    }
    if (w->again)
        tw_text_add(out, "\nd is subnormal: the sum is formed again without faint groups of smaller scale");
    tw_text_addf(out, "\nwindow %u: the largest exponent is %d, one unit is 2^%d\n%6s  %-28s%8s  %20s  %s\n", t->windows,
                 (int)w->top, (int)w->unit, "term", "exact", "exponent", "units", "cut off");
    for (unsigned i = 0, end; i < w->count; i = end) {
        for (end = i + 1; end < w->count && same_part(&w->part[i], &w->part[end]) && w->part[end].k == w->part[end - 1].k + 1;)
            end++;
        if (w->part[i].sig != 0)
            add_part(out, w, &w->part[i], end - i);
    }
    tw_text_addf(out, "%6s  %-36s  %20lld\n", "sum", exact(out->arena, w->units, w->unit), (long long)w->units);
    add_rounded(out, t->x->how->d, w);
}

/* ---- Steps in f32 ---------------------------------------------------------------------------------------- */

static void tell_step(void *context, const struct num_dot_step *s)
{
    static const char *const texts[] = {[NUM_STEP_PRODUCT] = "p = a * b", [NUM_STEP_FMA] = "p = fma(a, b, p)",
                                        [NUM_STEP_ADD_PAIR] = "s = s + p", [NUM_STEP_ADD_C] = "C + p"};
    struct telling *t = context;
    if (t->steps++ == 0)
        tw_text_addf(t->out, "\nsteps in f32, from %s\n",
                     t->x->model->method == NUM_DOT_F32_CHAIN ? "p = +0" : t->x->c != NULL ? "s = C" : "s = +0");
    const char *const name = s->kind == NUM_STEP_ADD_C ? "C" : s->kind == NUM_STEP_ADD_PAIR ? "" : tw_format(t->out->arena, "%u", s->k);
    tw_text_addf(t->out, "%6s  %s = %s\n", name, texts[s->kind], word_text(t->out->arena, NUM_F32, s->word));
}

/* ---- The methods without windows ------------------------------------------------------------------------- */

static void add_chain(struct text *out, const struct num_dot_case *x)
{
    const struct num_dot_how *how = x->how;
    uint64_t d = x->c == NULL ? 0 : *x->c;
    tw_text_add(out, "\nsteps\n");
    for (unsigned k = 0; k < x->n; k++) {
        d = tw_num_dot(x->model, how, 1, &x->a[k], &x->b[k], &d, NULL, NULL);
        tw_text_addf(out, "%6u  d = fma(a, b, d) = %s\n", k, word_text(out->arena, how->d, d));
    }
}

static void add_integer_sum(struct text *out, const struct num_dot_case *x)
{
    const struct num_dot_how *how = x->how;
    int64_t sum = x->c == NULL ? 0 : tw_num_extend(how->d, *x->c);
    for (unsigned k = 0; k < x->n; k++) {
        const uint64_t word = x->model->method == NUM_DOT_BITS
                                  ? (how->bits_and ? x->a[k] & x->b[k] : x->a[k] ^ x->b[k]) & 1
                                  : (uint64_t)(tw_num_extend(how->a, x->a[k]) * tw_num_extend(how->b, x->b[k]));
        sum += how->negate_a != how->negate_b ? -(int64_t)word : (int64_t)word;
    }
    tw_text_addf(out, "\nexact sum with C: %lld, then %s\n", (long long)sum,
                 how->saturate ? "clamped to [-2147483648, 2147483647]" : "wrapped to 32 bits");
}

static void add_result(struct text *out, const struct num_dot_case *x, uint64_t d)
{
    const struct num_dot_model *m = x->model;
    const enum num_class cls = tw_num_decode(x->how->d, d).cls;
    const char *how = "";
    if (cls == NUM_NAN || cls == NUM_INFINITE)
        how = "";
    else if (m->method == NUM_DOT_TWO_STEP_F16)
        how = x->c == NULL ? "" : ", C + the last window, rounded to nearest even";
    else if (m->method == NUM_DOT_F32_PAIRS)
        how = ", the f32 sum rounded to nearest even";
    else if (m->method == NUM_DOT_WINDOW || m->method == NUM_DOT_GROUPS || m->method == NUM_DOT_SCALE_GROUPS)
        how = x->how->d == NUM_F16 ? ", rounded to nearest even"
              : m->drop_bits != 0  ? ", cut toward zero to 13 fraction bits"
                                   : ", cut toward zero";
    tw_text_addf(out, "\nD = %s%s\n", word_text(out->arena, x->how->d, d), how);
}

void tw_num_explain_dot(struct text *out, const struct num_dot_case *x)
{
    struct telling telling = {.out = out, .x = x};
    const struct num_dot_observer observer = {.window = tell, .step = tell_step, .context = &telling};
    add_heading(out, x);
    add_operands(out, x);
    const uint64_t d = tw_num_dot_observed(x->model, x->how, x->n, x->a, x->b, x->c, x->scale_a, x->scale_b, &observer);
    if (x->model->method == NUM_DOT_FMA_CHAIN)
        add_chain(out, x);
    else if (x->model->method == NUM_DOT_INTEGER || x->model->method == NUM_DOT_BITS)
        add_integer_sum(out, x);
    add_result(out, x, d);
}
