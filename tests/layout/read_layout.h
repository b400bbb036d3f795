/* For the tests of this room: layouts written as text, the way the specification writes them.
 *
 *     "S[(8,2):(4@laneid,1)] + R[(2):(4@warpid)] + 5@warpid + 64"      spaces are free
 *     "swizzle(3,3,3) S[(8192):(1)]"                                    a ComposeLayout
 */
#ifndef TW_TESTS_READ_LAYOUT_H
#define TW_TESTS_READ_LAYOUT_H

#include "support/check.h"

#include "layout/layout.h"

struct layout_text {
    const char *at;
};

static inline void skip_blank(struct layout_text *t)
{
    while (*t->at == ' ')
        t->at++;
}

static inline bool take(struct layout_text *t, const char *word)
{
    skip_blank(t);
    const size_t len = strlen(word);
    if (strncmp(t->at, word, len) != 0)
        return false;
    t->at += len;
    return true;
}

static inline int64_t take_number(struct layout_text *t)
{
    const bool negative = take(t, "-");
    skip_blank(t);
    assert_true(*t->at >= '0' && *t->at <= '9');
    int64_t n = 0;
    while (*t->at >= '0' && *t->at <= '9')
        n = n * 10 + (*t->at++ - '0');
    return negative ? -n : n;
}

static inline enum axis take_axis(struct layout_text *t)
{
    if (!take(t, "@"))
        return AXIS_M;
    skip_blank(t);
    const char *begin = t->at;
    while (*t->at == '_' || (*t->at >= 'a' && *t->at <= 'z') || (*t->at >= 'A' && *t->at <= 'Z'))
        t->at++;
    const enum axis axis = tw_axis_find((struct str){begin, (size_t)(t->at - begin)});
    assert_int_not_equal(axis, AXIS_COUNT);
    return axis;
}

static inline uint32_t take_iters(struct layout_text *t, struct iter *iters)
{
    uint32_t count = 0, strides = 0;
    assert_true(take(t, "[("));
    do
        iters[count++].extent = take_number(t);
    while (take(t, ","));
    assert_true(take(t, "):("));
    do {
        iters[strides].stride = take_number(t);
        iters[strides++].axis = take_axis(t);
    } while (take(t, ","));
    assert_true(take(t, ")]"));
    assert_int_equal(count, strides);
    return count;
}

static inline const struct layout *read_layout(const struct layout_env *e, const char *text)
{
    struct layout_text t = {text};
    struct swizzle s = {.inner = true};
    struct iter shard[TW_MAX_ITERS], replica[TW_MAX_ITERS];
    struct layout_parts parts = {.shard = shard, .replica = replica};
    if (take(&t, "swizzle(")) {
        s.per_element = (uint32_t)take_number(&t);
        assert_true(take(&t, ","));
        s.swizzle_len = (uint32_t)take_number(&t);
        assert_true(take(&t, ","));
        s.atom_len = (uint32_t)take_number(&t);
        assert_true(take(&t, ")"));
        parts.swizzle = &s;
    }
    assert_true(take(&t, "S"));
    parts.shard_count = take_iters(&t, shard);
    while (take(&t, "+")) {
        if (take(&t, "R")) {
            parts.replica_count = take_iters(&t, replica);
            continue;
        }
        const int64_t value = take_number(&t);
        parts.offset[take_axis(&t)] += value;
    }
    skip_blank(&t);
    assert_int_equal(*t.at, '\0');
    const struct layout *l = tw_layout_make(e, &parts);
    assert_non_null(l);
    return l;
}

static inline struct layout_env env_of(struct bench_room *room)
{
    return (struct layout_env){.arena = &room->arena, .diags = &room->diags};
}

static inline struct shape shape_of(uint32_t rank, const int64_t *dims)
{
    struct shape s = {.rank = rank};
    memcpy(s.dim, dims, rank * sizeof *dims);
    return s;
}

#define SHAPE(...)                                                       \
    shape_of((uint32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__})

/* Same iters, written alike: the layout's text is the canonical spelling of `want`. */
static inline void expect_layout(const struct layout_env *e, const struct layout *got, const char *want)
{
    assert_non_null(got);
    assert_string_equal(tw_layout_text(e->arena, got), tw_layout_text(e->arena, read_layout(e, want)));
}

/* A small generator of repeatable pseudo-random numbers (xorshift). */
static inline uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static inline int64_t random_below(uint64_t *seed, int64_t n)
{
    return (int64_t)(random_next(seed) % (uint64_t)n);
}

#endif
