/* Scalar conversions and arithmetic against what an H200 computed. The instruction's own spelling says what to call,
 * so a new table in a file needs no new code. */
#include "support/check.h"
#include "support/tcg.h"

#include "num/approx.h"
#include "num/arith.h"
#include "num/convert.h"

#include <stdio.h>

enum { MAX_WORDS = 12 };

/* "fma.rn.ftz.f16x2" taken apart: words between dots. */
struct spelling {
    struct str word[MAX_WORDS];
    unsigned count;
};

static struct spelling take_apart(const char *instr)
{
    struct spelling s = {.count = 0};
    for (const char *at = instr; s.count < MAX_WORDS;) {
        const size_t len = strcspn(at, ".");
        s.word[s.count++] = (struct str){at, len};
        if (at[len] == '\0')
            break;
        at += len + 1;
    }
    return s;
}

static bool has(const struct spelling *s, const char *word)
{
    for (unsigned i = 1; i < s->count; i++)
        if (tw_str_is(s->word[i], word))
            return true;
    return false;
}

static bool is_op(const struct spelling *s, const char *op)
{
    return tw_str_is(s->word[0], op);
}

/* A type word: "e4m3x2" is e4m3 in two lanes. */
static enum num_format type_of(struct str word, unsigned *lanes)
{
    *lanes = 1;
    if (word.len > 2 && word.at[word.len - 2] == 'x' && word.at[word.len - 1] == '2') {
        word.len -= 2;
        *lanes = 2;
    }
    return tw_num_format_by_name(word);
}

static const struct {
    const char *word;
    enum num_rounding mode;
    bool integral;
} roundings[] = {
    {"rn", NUM_RN, false}, {"rna", NUM_RNA, false}, {"rz", NUM_RZ, false}, {"rm", NUM_RM, false}, {"rp", NUM_RP, false},
    {"rni", NUM_RN, true}, {"rzi", NUM_RZ, true},   {"rmi", NUM_RM, true}, {"rpi", NUM_RP, true},
};

static enum num_rounding rounding_of(const struct spelling *s, bool *integral)
{
    *integral = false;
    for (size_t i = 0; i < COUNT(roundings); i++)
        if (has(s, roundings[i].word)) {
            *integral = roundings[i].integral;
            return roundings[i].mode;
        }
    return NUM_RN;
}

static struct num_ops ops_of(const struct spelling *s)
{
    bool integral;
    return (struct num_ops){
        .rounding = rounding_of(s, &integral), .ftz = has(s, "ftz"), .sat = has(s, "sat"), .relu = has(s, "relu"),
        .nan = has(s, "NaN"), .xorsign_abs = has(s, "xorsign"),
    };
}

/* cvt.pack.sat.T.s32[.b32] d, a, b[, c]: a above b, c's low bits moved up behind them. */
static uint64_t run_pack(const struct spelling *s, const uint64_t *in)
{
    unsigned lanes;
    const enum num_format to = type_of(s->word[3], &lanes);
    const struct num_convert_how how = {.to = to, .from = NUM_S32, .sat = true};
    const uint64_t pair = tw_num_convert_pair(&how, in[0], in[1]);
    const unsigned bits = tw_num_bits(to);
    return (bits == 8 ? in[2] << 2 * bits | pair : pair) & UINT32_MAX;
}

static uint64_t run_convert(const struct spelling *s, const uint64_t *in, unsigned in_count, unsigned out_bits)
{
    if (has(s, "pack"))
        return run_pack(s, in);
    unsigned to_lanes, from_lanes;
    struct num_convert_how how = {.ftz = has(s, "ftz"), .sat = has(s, "sat"), .satfinite = has(s, "satfinite"),
                                  .relu = has(s, "relu")};
    how.rounding = rounding_of(s, &how.integral);
    how.to = type_of(s->word[s->count - 2], &to_lanes);
    how.from = type_of(s->word[s->count - 1], &from_lanes);
    if (to_lanes == 2 && in_count == 2)
        return tw_num_convert_pair(&how, in[0], in[1]);
    if (to_lanes == 2)
        return tw_num_convert_fields(&how, 2, in[0]);
    const uint64_t word = tw_num_convert(&how, in[0]);
    if (!tw_num_is_integer(how.to))
        return word;
    return (uint64_t)tw_num_extend(how.to, word) & (out_bits == 64 ? UINT64_MAX : (UINT64_C(1) << out_bits) - 1);
}

static const struct {
    const char *op;
    uint64_t (*run)(enum num_format, struct num_ops, uint64_t, uint64_t);
} binary[] = {
    {"add", tw_num_add}, {"sub", tw_num_sub}, {"mul", tw_num_mul}, {"div", tw_num_div}, {"min", tw_num_min}, {"max", tw_num_max},
};

static const struct {
    const char *op;
    uint64_t (*run)(enum num_format, struct num_ops, uint64_t);
} unary[] = {{"sqrt", tw_num_sqrt}, {"rcp", tw_num_rcp}, {"abs", tw_num_abs}, {"neg", tw_num_neg}};

static const struct {
    const char *word;
    enum num_compare cmp;
} compares[] = {
    {"eq", NUM_EQ},   {"ne", NUM_NE},   {"lt", NUM_LT},   {"le", NUM_LE},   {"gt", NUM_GT},   {"ge", NUM_GE},
    {"equ", NUM_EQU}, {"neu", NUM_NEU}, {"ltu", NUM_LTU}, {"leu", NUM_LEU}, {"gtu", NUM_GTU}, {"geu", NUM_GEU},
    {"num", NUM_BOTH_NUMBERS}, {"nan", NUM_ANY_NAN},
};

/* set.CMP[.ftz].D.S on one lane: all ones or 1.0. */
static uint64_t run_set(const struct spelling *s, enum num_format source, const uint64_t *in)
{
    unsigned lanes;
    const enum num_format to = type_of(s->word[s->count - 2], &lanes);
    for (size_t i = 0; i < COUNT(compares); i++)
        if (tw_str_is(s->word[1], compares[i].word)) {
            if (!tw_num_compare(source, compares[i].cmp, has(s, "ftz"), in[0], in[1]))
                return 0;
            const struct num_convert_how from_one = {.to = to, .from = NUM_U8};
            return tw_num_is_float(to) ? tw_num_convert(&from_one, 1) : tw_num_max_word(NUM_U32);
        }
    fail_msg("unknown comparison in %s", s->word[0].at);
    return 0;
}

static const struct {
    const char *op;
    enum num_function fn;
} functions[] = {
    {"ex2", NUM_EX2}, {"lg2", NUM_LG2}, {"rcp", NUM_RCP}, {"rsqrt", NUM_RSQRT}, {"sqrt", NUM_SQRT}, {"sin", NUM_SIN},
    {"cos", NUM_COS}, {"tanh", NUM_TANH},
};

static uint64_t run_approx(const struct spelling *s, enum num_format f, const uint64_t *in)
{
    if (is_op(s, "div"))
        return has(s, "full") ? tw_num_div_full(has(s, "ftz"), in[0], in[1]) : tw_num_div_approx(has(s, "ftz"), in[0], in[1]);
    for (size_t i = 0; i < COUNT(functions); i++)
        if (is_op(s, functions[i].op))
            return tw_num_approx(functions[i].fn, f, has(s, "ftz"), in[0]);
    fail_msg("unknown function %s", s->word[0].at);
    return 0;
}

static uint64_t run_lane(const struct spelling *s, enum num_format f, const uint64_t *in)
{
    if (has(s, "approx") || has(s, "full"))
        return run_approx(s, f, in);
    const struct num_ops how = ops_of(s);
    for (size_t i = 0; i < COUNT(binary); i++)
        if (is_op(s, binary[i].op))
            return binary[i].run(f, how, in[0], in[1]);
    for (size_t i = 0; i < COUNT(unary); i++)
        if (is_op(s, unary[i].op))
            return unary[i].run(f, how, in[0]);
    if (is_op(s, "fma"))
        return tw_num_fma(f, how, in[0], in[1], in[2]);
    if (is_op(s, "copysign"))
        return tw_num_copysign(f, in[0], in[1]);
    if (is_op(s, "testp"))
        return tw_num_testp(f, NUM_TEST_SUBNORMAL, in[0]);
    if (is_op(s, "set"))
        return run_set(s, f, in);
    fail_msg("unknown instruction %s", s->word[0].at);
    return 0;
}

static uint64_t run(const struct spelling *s, const uint64_t *in, unsigned in_count, unsigned out_bits)
{
    if (is_op(s, "cvt"))
        return run_convert(s, in, in_count, out_bits);
    unsigned lanes;
    const enum num_format f = type_of(s->word[s->count - 1], &lanes);
    if (lanes == 1)
        return run_lane(s, f, in);
    uint64_t result = 0;
    for (unsigned lane = 0; lane < 2; lane++) {
        uint64_t part[3] = {0};
        for (unsigned i = 0; i < in_count; i++)
            part[i] = in[i] >> 16 * lane & 0xffff;
        result |= (run_lane(s, f, part) & 0xffff) << 16 * lane;
    }
    return result;
}

static size_t check_table(const struct tcg_file *file, const struct tcg_table *table)
{
    const struct spelling s = take_apart(table->instr);
    const struct tcg_field *out = tw_tcg_field(table, "out");
    const unsigned in_count = table->field_count - 1;
    assert_true(out != NULL && in_count >= 1 && in_count <= 3);
    for (size_t r = 0; r < table->count; r++) {
        uint64_t in[3] = {0};
        for (unsigned i = 0; i < in_count; i++)
            in[i] = tw_tcg_get(file, table, r, &table->field[i], 0);
        const uint64_t want = tw_tcg_get(file, table, r, out, 0), got = run(&s, in, in_count, out->bits);
        if (got != want)
            fail_msg("%s, record %zu: %llx, %llx, %llx: want %llx, got %llx", table->instr, r, (unsigned long long)in[0],
                     (unsigned long long)in[1], (unsigned long long)in[2], (unsigned long long)want,
                     (unsigned long long)got);
    }
    return table->count;
}

static size_t check_file(struct arena *arena, const char *path)
{
    struct tcg_file file;
    assert_true(tw_tcg_open(arena, path, &file));
    size_t results = 0;
    for (size_t t = 0; t < file.table_count; t++)
        results += check_table(&file, &file.table[t]);
    return results;
}

static const char *const names[] = {"scalar_cvt", "scalar_cvt_int", "scalar_fp32", "scalar_fp64", "scalar_half",
                                    "scalar_approx", "scalar_mufu16"};

static void the_sample_of_every_scalar_instruction_matches_hopper(void **state)
{
    struct bench_room *room = *state;
    size_t results = 0;
    for (size_t i = 0; i < COUNT(names); i++)
        results += check_file(&room->arena, tw_format(&room->arena, "tests/golden/%s.tcg", names[i]));
    assert_true(results > 20000);
}

static void the_shared_set_matches_hopper(void **state)
{
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *path = tw_test_shared(&room->arena, tw_format(&room->arena, "golden/%s.tcg", names[i]));
        if (path == NULL)
            skip();
        printf("%s: %zu results\n", names[i], check_file(&room->arena, path));
    }
}

static void a_damaged_file_is_refused(void **state)
{
    struct bench_room *room = *state;
    size_t size = 0;
    char *bytes = tw_test_read_file(&room->arena, "tests/golden/scalar_fp64.tcg", &size);
    assert_non_null(bytes);
    struct tcg_file file;
    assert_true(tw_tcg_read(&room->arena, (const uint8_t *)bytes, size, &file));
    assert_false(tw_tcg_read(&room->arena, (const uint8_t *)bytes, size / 2, &file));
    assert_false(tw_tcg_read(&room->arena, (const uint8_t *)bytes, 63, &file));
    bytes[0] = 'X';
    assert_false(tw_tcg_read(&room->arena, (const uint8_t *)bytes, size, &file));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_sample_of_every_scalar_instruction_matches_hopper),
        ROOM_TEST(the_shared_set_matches_hopper),
        ROOM_TEST(a_damaged_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
