/* Arguments by name: .npy files of every element type, fills, scalars, comparison, and each refusal's exact text. */
#include "support/check.h"

#include "tilewright/tilewright.h"

#include <stdio.h>
#include <stdlib.h>

/* out[i] = x[i] for i < n, one thread. */
static const char copy_ptx[] = ".version 8.8\n.target sm_90\n.address_size 64\n"
                               ".visible .entry copy(.param .u64 x, .param .u64 out, .param .u32 n)\n{\n"
                               "  .reg .b64 %a<3>; .reg .b32 %r<3>; .reg .b16 %h<2>; .reg .pred %p;\n"
                               "  ld.param.u64 %a0, [x]; ld.param.u64 %a1, [out]; ld.param.u32 %r0, [n];\n"
                               "LOOP:\n  setp.eq.u32 %p, %r0, 0; @%p bra DONE;\n"
                               "  ld.global.u8 %h0, [%a0]; st.global.u8 [%a1], %h0;\n"
                               "  add.s64 %a0, %a0, 1; add.s64 %a1, %a1, 1; sub.u32 %r0, %r0, 1; bra LOOP;\n"
                               "DONE:\n  ret;\n}\n";

struct bench {
    tw_ctx *ctx;
    tw_module *module;
    tw_device *device;
    tw_args *args;
};

static tw_status open_bench(struct bench *b, const char *contract)
{
    *b = (struct bench){.ctx = tw_ctx_create(NULL)};
    assert_non_null(b->ctx);
    assert_int_equal(tw_module_parse(b->ctx, "copy.ptx", copy_ptx, strlen(copy_ptx), &b->module), TW_OK);
    assert_int_equal(tw_device_create(b->ctx, NULL, &b->device), TW_OK);
    return tw_args_create(b->device, b->module, NULL, "copy.json", contract, contract == NULL ? 0 : strlen(contract), &b->args);
}

static void close_bench(struct bench *b)
{
    tw_args_destroy(b->args);
    tw_device_destroy(b->device);
    tw_module_destroy(b->module);
    tw_ctx_destroy(b->ctx);
}

/* A contract for `count` elements of `dtype`, `bytes` bytes. */
static const char *contract_for(const char *dtype, int count, int bytes)
{
    static char text[512];
    snprintf(text, sizeof text,
             "{\"entry\": \"copy\", \"args\": [{\"name\": \"x\", \"kind\": \"tensor\", \"dtype\": \"%s\", \"shape\": [%d]},"
             " {\"name\": \"out\", \"kind\": \"tensor\", \"dtype\": \"%s\", \"shape\": [%d]},"
             " {\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"uint32\", \"value\": %d}]}",
             dtype, count, dtype, count, bytes);
    return text;
}

static void expect_text(struct bench *b, const char *want)
{
    assert_string_equal(tw_diagnostics(b->ctx, TW_TEXT), want);
    tw_diagnostics_clear(b->ctx);
}

static void run_copy(struct bench *b)
{
    tw_launch *launch;
    assert_int_equal(tw_args_launch(b->args, NULL, &launch), TW_OK);
    assert_int_equal(tw_launch_run(launch, 0), TW_OK);
    tw_launch_destroy(launch);
}

/* A .npy file of 128 header bytes and then the data; returns its length. */
static size_t make_npy(char *file, const char *descr, bool fortran, const char *shape, const void *data, size_t bytes)
{
    memset(file, ' ', 128);
    const int len = snprintf(file + 10, 118, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr,
                             fortran ? "True" : "False", shape);
    file[10 + len] = ' ';
    memcpy(file, "\x93NUMPY\x01\x00v\x00", 10);
    file[127] = '\n';
    memcpy(file + 128, data, bytes);
    return 128 + bytes;
}

/* ---- element types ---------------------------------------------------------------------------------- */

static const struct {
    const char *dtype, *descr;
    int bits;
} types[] = {
    {"bool", "|b1", 8},           {"int8", "|i1", 8},           {"uint8", "|u1", 8},          {"int16", "<i2", 16},
    {"uint16", "<u2", 16},        {"int32", "<i4", 32},         {"uint32", "<u4", 32},        {"int64", "<i8", 64},
    {"uint64", "<u8", 64},        {"float16", "<f2", 16},       {"bfloat16", "<u2", 16},      {"float32", "<f4", 32},
    {"float64", "<f8", 64},       {"float8_e4m3fn", "|u1", 8},  {"float8_e5m2", "|u1", 8},    {"float8_e8m0fnu", "|u1", 8},
    {"float6_e2m3fn", "|u1", 6},  {"float6_e3m2fn", "|u1", 6},  {"float4_e2m1fn", "|u1", 4},
};

static void every_element_type_travels_through_npy(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        struct bench b;
        const int bytes = (12 * types[i].bits + 7) / 8;
        assert_int_equal(open_bench(&b, contract_for(types[i].dtype, 12, bytes)), TW_OK);
        assert_int_equal(tw_args_fill(b.args, "x", "bits", i), TW_OK);
        const void *file;
        size_t len;
        assert_int_equal(tw_args_get_npy(b.args, "x", &file, &len), TW_OK);
        if (strstr((const char *)file + 10, types[i].descr) == NULL)
            fail_msg("%s is not written as %s", types[i].dtype, types[i].descr);
        char *kept = malloc(len);
        assert_non_null(kept);
        memcpy(kept, file, len);
        assert_int_equal(tw_args_fill(b.args, "x", "zeros", 0), TW_OK);
        assert_int_equal(tw_args_set_npy(b.args, "x", "kept.npy", kept, len), TW_OK);
        run_copy(&b);
        tw_difference difference;
        assert_int_equal(tw_args_compare(b.args, "out", "kept.npy", kept, len, 0, 0, &difference), TW_OK);
        assert_int_equal(difference.elements, 12);
        free(kept);
        close_bench(&b);
    }
}

static void raw_words_are_taken_for_what_numpy_does_not_know(void **state)
{
    (void)state;
    char file[132];
    const size_t len = make_npy(file, "<V2", false, "(2,)", "\x80\x3f\x00\xc0", 4);
    struct bench b;
    assert_int_equal(open_bench(&b, contract_for("bfloat16", 2, 4)), TW_OK);
    assert_int_equal(tw_args_set_npy(b.args, "x", "raw.npy", file, len), TW_OK);
    uint64_t address, bytes;
    uint16_t words[2];
    assert_int_equal(tw_args_tensor(b.args, "x", &address, &bytes), TW_OK);
    assert_int_equal(tw_read(b.device, address, words, sizeof words), TW_OK);
    assert_int_equal(words[0], 0x3f80);
    assert_int_equal(words[1], 0xc000);
    close_bench(&b);
}

/* numpy.asfortranarray([[1, 2, 3], [4, 5, 6]], "u1") */
static void column_major_files_are_turned_round(void **state)
{
    (void)state;
    char file[134];
    const size_t len = make_npy(file, "|u1", true, "(2, 3)", "\1\4\2\5\3\6", 6);
    struct bench b;
    assert_int_equal(open_bench(&b, "{\"entry\": \"copy\", \"args\": [{\"name\": \"x\", \"kind\": \"tensor\", \"dtype\": \"uint8\", \"shape\": [2, 3]},"
                                    "{\"name\": \"out\", \"kind\": \"null\"}, {\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"int32\", \"value\": 0}]}"),
                     TW_OK);
    assert_int_equal(tw_args_set_npy(b.args, "x", "f.npy", file, len), TW_OK);
    uint64_t address, bytes;
    unsigned char got[6];
    assert_int_equal(tw_args_tensor(b.args, "x", &address, &bytes), TW_OK);
    assert_int_equal(tw_read(b.device, address, got, sizeof got), TW_OK);
    assert_memory_equal(got, "\1\2\3\4\5\6", 6);
    close_bench(&b);
}

/* ---- fills ------------------------------------------------------------------------------------------ */

static void fills_write_what_they_say(void **state)
{
    (void)state;
    struct bench b;
    float got[100];
    uint64_t address, bytes;
    assert_int_equal(open_bench(&b, contract_for("float32", 100, 400)), TW_OK);
    assert_int_equal(tw_args_tensor(b.args, "x", &address, &bytes), TW_OK);
    static const char *const kinds[] = {"zeros", "ones", "iota", "ints", "uniform"};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        assert_int_equal(tw_args_fill(b.args, "x", kinds[k], 5), TW_OK);
        assert_int_equal(tw_read(b.device, address, got, sizeof got), TW_OK);
        for (int i = 0; i < 100; i++) {
            const float want[] = {0, 1, (float)i};
            if (k < 3)
                assert_true(got[i] >= want[k] && got[i] <= want[k]);
            else if (k == 3)
                assert_true(got[i] * 4 >= -4 && got[i] * 4 <= 4 && (float)(int)(got[i] * 4) >= got[i] * 4);
            else
                assert_true(got[i] >= 0 && got[i] <= 1);
        }
    }
    close_bench(&b);
}

/* "ints" of every float format are multiples of a quarter that the format holds exactly: read back through float32. */
static void ints_are_exact_in_narrow_formats(void **state)
{
    (void)state;
    struct bench b;
    unsigned char got[6];
    uint64_t address, bytes;
    assert_int_equal(open_bench(&b, contract_for("float4_e2m1fn", 12, 6)), TW_OK);
    assert_int_equal(tw_args_fill(b.args, "x", "ints", 1), TW_OK);
    assert_int_equal(tw_args_tensor(b.args, "x", &address, &bytes), TW_OK);
    assert_int_equal(bytes, 6);
    assert_int_equal(tw_read(b.device, address, got, sizeof got), TW_OK);
    for (int i = 0; i < 12; i++) {
        const unsigned code = got[i / 2] >> i % 2 * 4 & 7; /* 0, 0.5, 1 */
        assert_true(code <= 2);
    }
    close_bench(&b);
}

static void one_seed_fills_two_tensors_differently_and_again_the_same(void **state)
{
    (void)state;
    struct bench b;
    unsigned char first[64], second[64], again[64];
    uint64_t x, out, bytes;
    assert_int_equal(open_bench(&b, contract_for("uint8", 64, 0)), TW_OK);
    assert_int_equal(tw_args_tensor(b.args, "x", &x, &bytes), TW_OK);
    assert_int_equal(tw_args_tensor(b.args, "out", &out, &bytes), TW_OK);
    tw_args_fill(b.args, "x", "bits", 9);
    tw_args_fill(b.args, "out", "bits", 9);
    tw_read(b.device, x, first, 64);
    tw_read(b.device, out, second, 64);
    tw_args_fill(b.args, "x", "bits", 9);
    tw_read(b.device, x, again, 64);
    assert_memory_not_equal(first, second, 64);
    assert_memory_equal(first, again, 64);
    close_bench(&b);
}

/* ---- scalars ---------------------------------------------------------------------------------------- */

static void scalars_must_fit_their_type(void **state)
{
    (void)state;
    static const struct { const char *dtype, *value; bool ok; } rows[] = {
        {"int32", "-5", true},        {"int32", "2147483647", true}, {"int32", "2147483648", false}, {"uint32", "-1", false},
        {"uint32", "0xffffffff", true}, {"uint32", "4294967296", false}, {"int32", "1.5", false},   {"int32", "", false},
        {"float32", "1.5e3", true},   {"float32", "1e99", false},    {"float32", "abc", false},      {"int32", "7x", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char contract[512];
        snprintf(contract, sizeof contract, "{\"entry\": \"copy\", \"args\": [{\"name\": \"x\", \"kind\": \"null\"}, "
                 "{\"name\": \"out\", \"kind\": \"null\"}, {\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"%s\"}]}", rows[i].dtype);
        struct bench b;
        assert_int_equal(open_bench(&b, contract), TW_OK);
        if ((tw_args_set(b.args, "n", rows[i].value) == TW_OK) != rows[i].ok)
            fail_msg("%s from '%s'", rows[i].dtype, rows[i].value);
        close_bench(&b);
    }
}

/* ---- comparing -------------------------------------------------------------------------------------- */

static void comparison_follows_its_rule(void **state)
{
    (void)state;
    const float inf = (float)(1e300 * 1e300), nan = inf - inf;
    const struct { float got, want; double rtol, atol; bool ok; } rows[] = {
        {1, 1, 0, 0, true},           {1, 1.5f, 0, 0, false},    {1, 1.5f, 0, 0.5, true},   {1, 1.5f, 0.34, 0, true},
        {1, 1.5f, 0.33, 0, false},    {nan, nan, 0, 0, true},    {nan, 1, 9, 9, false},     {inf, inf, 0, 0, true},
        {inf, 1, 9, 9, false},        {inf, -inf, 9, 9, false},  {0.0f, -0.0f, 0, 0, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench b;
        assert_int_equal(open_bench(&b, contract_for("float32", 1, 4)), TW_OK);
        uint64_t address, bytes;
        assert_int_equal(tw_args_tensor(b.args, "x", &address, &bytes), TW_OK);
        assert_int_equal(tw_write(b.device, address, &rows[i].got, 4), TW_OK);
        char file[132];
        make_npy(file, "<f4", false, "(1,)", &rows[i].want, 4);
        tw_difference difference;
        if ((tw_args_compare(b.args, "x", "w.npy", file, sizeof file, rows[i].rtol, rows[i].atol, &difference) == TW_OK) != rows[i].ok)
            fail_msg("row %zu", i);
        close_bench(&b);
    }
}

/* ---- refusals --------------------------------------------------------------------------------------- */

static void contracts_must_fit_the_entry(void **state)
{
    (void)state;
    struct bench b;
    assert_int_equal(open_bench(&b, "{\"entry\": \"copy\", \"args\": []}"), TW_ERROR);
    expect_text(&b, "copy.json:1:1: error[E0614]: entry 'copy' has 3 parameters, its launch contract 0 arguments\n"
                    "    1 | {\"entry\": \"copy\", \"args\": []}\n      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                    "  expected: x of 8 bytes, out of 8 bytes, n of 4 bytes\n"
                    "       fix: list the parameters in order; a pointer that the kernel does not use is {\"kind\": \"null\"}\n");
    close_bench(&b);
    assert_int_equal(open_bench(&b, "{\"entry\": \"copy\", \"args\": [{\"name\": \"x\", \"kind\": \"null\"}, {\"name\": \"o\", \"kind\": \"null\"},\n"
                                    "{\"name\": \"n\", \"kind\": \"null\"}]}"), TW_ERROR);
    expect_text(&b, "copy.json:2:1: error[E0614]: argument 'n' does not fit parameter 'n'\n"
                    "    2 | {\"name\": \"n\", \"kind\": \"null\"}]}\n      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                    "  expected: 4 bytes\n     found: a pointer of 8 bytes\n");
    close_bench(&b);
    assert_int_equal(open_bench(&b, "{\"entry\": \"move\", \"args\": []}"), TW_ERROR);
    expect_text(&b, "copy.json:1:11: error[E0602]: the module has no entry 'move'\n"
                    "    1 | {\"entry\": \"move\", \"args\": []}\n      |           ^~~~~~\n  expected: one of: copy\n");
    close_bench(&b);
    assert_int_equal(open_bench(&b, NULL), TW_ERROR);
    expect_text(&b, "error[E0603]: PTX that was read has no launch contract of its own\n");
    close_bench(&b);
}

static void memory_and_scalars_must_be_there(void **state)
{
    (void)state;
    struct bench b;
    assert_int_equal(open_bench(&b, contract_for("float64", 2000000000, 0)), TW_LIMIT);
    assert_non_null(strstr(tw_diagnostics(b.ctx, TW_TEXT), "error[E0626]: no guest memory is left for tensor 'x'\n"));
    close_bench(&b);
    assert_int_equal(open_bench(&b, "{\"entry\": \"copy\", \"args\": [{\"name\": \"x\", \"kind\": \"null\"}, {\"name\": \"o\", \"kind\": \"null\"}, "
                                    "{\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"int32\"}]}"), TW_OK);
    tw_launch *launch;
    assert_int_equal(tw_args_launch(b.args, NULL, &launch), TW_ERROR);
    assert_null(launch);
    assert_non_null(strstr(tw_diagnostics(b.ctx, TW_TEXT), "error[E0627]: scalar argument 'n' has no value\n"));
    assert_non_null(strstr(tw_diagnostics(b.ctx, TW_TEXT), "       fix: set it: --set n=VALUE\n"));
    tw_diagnostics_clear(b.ctx);
    assert_int_equal(tw_args_set(b.args, "n", "many"), TW_ERROR);
    assert_non_null(strstr(tw_diagnostics(b.ctx, TW_TEXT), "error[E0624]: 'many' is no value for scalar argument 'n'\n"));
    close_bench(&b);
}

/* Only what could be meant: a tensor is no answer to the question for a scalar. */
static void names_of_the_kind_that_is_wanted_are_listed(void **state)
{
    (void)state;
    struct bench b;
    assert_int_equal(open_bench(&b, "{\"entry\": \"copy\", \"args\": [{\"name\": \"x\", \"kind\": \"null\"}, "
                                    "{\"name\": \"o\", \"kind\": \"scratch\", \"bytes\": 4}, "
                                    "{\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"int32\"}]}"), TW_OK);
    assert_int_equal(tw_args_set(b.args, "x", "1"), TW_ERROR);
    expect_text(&b, "error[E0620]: entry 'copy' has no scalar argument 'x'\n  expected: one of: n\n");
    tw_diagnostics_clear(b.ctx);
    assert_int_equal(tw_args_fill(b.args, "n", "ones", 0), TW_ERROR);
    expect_text(&b, "error[E0620]: entry 'copy' has no tensor argument 'n'\n  expected: none: it has no such arguments\n");
    close_bench(&b);
}

/* An integer is decimal, or hexadecimal with 0x, and fits its type: no number is taken modulo. */
static void an_integer_that_its_type_does_not_hold_is_refused(void **state)
{
    (void)state;
    static const struct { const char *dtype, *value; tw_status want; } rows[] = {
        {"uint32", "4294967295", TW_OK}, {"uint32", "4294967296", TW_ERROR}, {"uint32", "0xffffffff", TW_OK}, {"uint32", "0x100000000", TW_ERROR},
        {"uint32", "-1", TW_ERROR}, {"uint32", "-0", TW_OK}, {"uint32", "18446744073709551615", TW_ERROR},
        {"uint32", "99999999999999999999999", TW_ERROR}, {"uint32", "10u", TW_ERROR}, {"uint32", " 1", TW_ERROR}, {"uint32", "", TW_ERROR},
        {"uint32", "0x", TW_ERROR}, {"uint32", "1e3", TW_ERROR}, {"uint32", "true", TW_ERROR},
        {"int32", "2147483647", TW_OK}, {"int32", "2147483648", TW_ERROR}, {"int32", "-2147483648", TW_OK}, {"int32", "-2147483649", TW_ERROR},
        {"int32", "18446744073709551615", TW_ERROR}, {"int32", "0xffffffff", TW_ERROR}, {"int32", "--1", TW_ERROR}, {"int32", "-", TW_ERROR},
        {"int32", "-99999999999999999999999", TW_ERROR},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench b;
        char contract[512];
        snprintf(contract, sizeof contract,
                 "{\"entry\": \"copy\", \"args\": [{\"name\": \"x\", \"kind\": \"null\"}, {\"name\": \"out\", \"kind\": \"null\"},"
                 "{\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"%s\"}]}", rows[i].dtype);
        assert_int_equal(open_bench(&b, contract), TW_OK);
        assert_int_equal(tw_args_set(b.args, "n", rows[i].value), rows[i].want);
        close_bench(&b);
    }
}

/* A kernel that stores its scalar: what arrives is the word. SOURCE: IEEE 754-2019, 3.4, and C's NAN and INFINITY. */
static void a_float_is_a_number_a_word_or_a_special(void **state)
{
    (void)state;
    static const struct { const char *dtype, *value; uint64_t word; bool ok; } rows[] = {
        {"float32", "inf", 0x7f800000, true}, {"float32", "-inf", 0xff800000, true}, {"float32", "nan", 0x7fc00000, true},
        {"float32", "-nan", 0xffc00000, true}, {"float32", "0x7fffffff", 0x7fffffff, true}, {"float32", "0X3F800000", 0x3f800000, true},
        {"float32", "1.5", 0x3fc00000, true}, {"float32", "0x100000000", 0, false}, {"float32", "-0x1", 0, false}, {"float32", "0x", 0, false},
        {"float32", "infinity", 0, false}, {"float32", "+inf", 0, false}, {"float32", "1e400", 0, false}, {"float32", " 0x1", 0, false},
        {"float32", "", 0, false}, {"float32", "-", 0, false},
        {"float64", "-inf", 0xfff0000000000000, true}, {"float64", "nan", 0x7ff8000000000000, true},
        {"float64", "0xffffffffffffffff", 0xffffffffffffffff, true}, {"float64", "0x10000000000000000", 0, false},
        {"float16", "nan", 0x7e00, true}, {"float16", "inf", 0x7c00, true}, {"float16", "0x10000", 0, false}, {"bfloat16", "-inf", 0xff80, true},
        {"float8_e5m2", "-inf", 0xfc, true}, {"float8_e4m3fn", "inf", 0, false}, {"float8_e4m3fn", "nan", 0x7f, true},
        {"float8_e8m0fnu", "nan", 0xff, true}, {"float8_e8m0fnu", "-nan", 0, false}, {"float4_e2m1fn", "nan", 0, false},
    };
    static const char form[] = ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry copy(.param .u64 out, .param .align 8 .b8 n[%u])\n{\n"
                               "  .reg .b64 %%a; .reg .b32 %%r<9>; ld.param.u64 %%a, [out];\n%s  ret;\n}\n";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const unsigned bytes = strcmp(rows[i].dtype, "float64") == 0 ? 8 : strcmp(rows[i].dtype, "float32") == 0 ? 4
                               : strstr(rows[i].dtype, "float16") != NULL ? 2 : 1;
        char moves[512] = "", ptx[1024], contract[512];
        for (unsigned k = 0; k < bytes; k++)
            snprintf(moves + strlen(moves), sizeof moves - strlen(moves), "  ld.param.u8 %%r%u, [n+%u]; st.global.u8 [%%a+%u], %%r%u;\n", k, k, k, k);
        snprintf(ptx, sizeof ptx, form, bytes, moves);
        snprintf(contract, sizeof contract,
                 "{\"entry\": \"copy\", \"args\": [{\"name\": \"out\", \"kind\": \"tensor\", \"dtype\": \"uint64\", \"shape\": [1]},"
                 "{\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"%s\"}]}", rows[i].dtype);
        struct bench b = {.ctx = tw_ctx_create(NULL)};
        assert_int_equal(tw_module_parse(b.ctx, "copy.ptx", ptx, strlen(ptx), &b.module), TW_OK);
        assert_int_equal(tw_device_create(b.ctx, NULL, &b.device), TW_OK);
        assert_int_equal(tw_args_create(b.device, b.module, NULL, "copy.json", contract, strlen(contract), &b.args), TW_OK);
        if ((tw_args_set(b.args, "n", rows[i].value) == TW_OK) != rows[i].ok)
            fail_msg("%s %s", rows[i].dtype, rows[i].value);
        if (rows[i].ok) {
            const void *out;
            size_t len;
            uint64_t word;
            run_copy(&b);
            assert_int_equal(tw_args_get_npy(b.args, "out", &out, &len), TW_OK);
            memcpy(&word, (const char *)out + len - 8, 8);
            assert_int_equal(word, rows[i].word);
        }
        close_bench(&b);
    }
}

/* What is written with a 0 in front is no octal number. */
static void a_leading_zero_changes_no_number(void **state)
{
    (void)state;
    static const unsigned char data[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    struct bench b;
    char file[256];
    const void *out;
    size_t len;
    assert_int_equal(open_bench(&b, contract_for("uint8", 12, 0)), TW_OK);
    const size_t bytes = make_npy(file, "|u1", false, "(12,)", data, sizeof data);
    assert_int_equal(tw_args_set_npy(b.args, "x", "x.npy", file, bytes), TW_OK);
    assert_int_equal(tw_args_set(b.args, "n", "010"), TW_OK);
    run_copy(&b);
    assert_int_equal(tw_args_get_npy(b.args, "out", &out, &len), TW_OK);
    assert_memory_equal((const char *)out + len - 12, "\1\2\3\4\5\6\7\10\11\12\0\0", 12);
    close_bench(&b);
}

static void forms_that_a_module_lacks_are_named(void **state)
{
    (void)state;
    struct bench b;
    const char *text;
    size_t len;
    assert_int_equal(open_bench(&b, contract_for("uint8", 1, 1)), TW_OK);
    assert_int_equal(tw_module_text(b.module, TW_EMIT_IR, &text, &len), TW_ERROR);
    expect_text(&b, "error[E0603]: PTX that was read has no kernel IR\n");
    assert_int_equal(tw_module_text(b.module, TW_EMIT_PTX, &text, &len), TW_OK);
    assert_string_equal(text, copy_ptx);
    close_bench(&b);
}

/* The machine is the GPU that the device was made as; a module for a later one is refused, and a name of none is none. */
static void a_device_is_the_gpu_that_it_was_made_as(void **state)
{
    (void)state;
    struct bench b;
    tw_device_info info;
    tw_launch *launch;
    assert_int_equal(open_bench(&b, contract_for("uint8", 4, 4)), TW_OK);
    assert_string_equal(tw_module_target(b.module), "sm_90");
    tw_device_read_info(b.device, &info);
    assert_int_equal(info.sm, 0);
    tw_args_destroy(b.args);
    tw_device_destroy(b.device);
    b.args = NULL;
    assert_int_equal(tw_device_create(b.ctx, &(tw_device_opts){.arch = "hopper"}, &b.device), TW_ERROR);
    assert_null(b.device);
    expect_text(&b, "error[E0604]: the machine cannot compute as 'hopper'\n"
                    "  expected: a target from sm_70 on, such as sm_80, sm_90a or sm_100a\n");
    assert_int_equal(tw_device_create(b.ctx, &(tw_device_opts){.arch = "sm_89"}, &b.device), TW_OK);
    tw_device_read_info(b.device, &info);
    assert_int_equal(info.sm, 89);
    const char *const contract = contract_for("uint8", 4, 4);
    assert_int_equal(tw_args_create(b.device, b.module, NULL, "copy.json", contract, strlen(contract), &b.args), TW_OK);
    assert_int_equal(tw_args_launch(b.args, NULL, &launch), TW_ERROR);
    assert_null(launch);
    expect_text(&b, "error[E0708]: the module does not run on this architecture\n"
                    "  expected: sm_90 or later: the module's target is sm_90\n"
                    "     found: sm_89\n"
                    "       fix: make the module for sm_89\n");
    close_bench(&b);
}

/* What the contract wants done is told in its order: a tensor's uses from contents to expectation, tensors that are no parameters last. */
static void uses_come_in_the_contracts_order(void **state)
{
    (void)state;
    static const char contract[] =
        "{\"entry\": \"copy\", \"tensors\": [{\"name\": \"t\", \"dtype\": \"int8\", \"shape\": [4], \"out\": \"t.npy\"}], \"args\": ["
        "{\"name\": \"x\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [4], \"seed\": 7, \"fill\": \"ints\"},"
        "{\"name\": \"out\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [4], \"atol\": 0.5, \"expect\": \"e.npy\", \"out\": \"o.npy\","
        " \"in\": \"i.npy\", \"rtol\": 25e-2}, {\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"uint32\", \"value\": 4}]}";
    static const tw_tensor_use want[] = {
        {TW_USE_FILL, "x", "ints", 7, 0, 0},         {TW_USE_IN, "out", "i.npy", 0, 0.25, 0.5}, {TW_USE_OUT, "out", "o.npy", 0, 0.25, 0.5},
        {TW_USE_EXPECT, "out", "e.npy", 0, 0.25, 0.5}, {TW_USE_OUT, "t", "t.npy", 0, 0, 0},
    };
    struct bench b;
    tw_tensor_use use;
    assert_int_equal(open_bench(&b, contract), TW_OK);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        assert_true(tw_args_read_use(b.args, i, &use));
        assert_int_equal(use.use, want[i].use);
        assert_string_equal(use.tensor, want[i].tensor);
        assert_string_equal(use.text, want[i].text);
        assert_int_equal(use.seed, want[i].seed);
        if (use.use == TW_USE_EXPECT)
            assert_true(use.rtol == want[i].rtol && use.atol == want[i].atol);
    }
    assert_false(tw_args_read_use(b.args, sizeof want / sizeof want[0], &use));
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_type_travels_through_npy),
        cmocka_unit_test(raw_words_are_taken_for_what_numpy_does_not_know),
        cmocka_unit_test(column_major_files_are_turned_round),
        cmocka_unit_test(fills_write_what_they_say),
        cmocka_unit_test(ints_are_exact_in_narrow_formats),
        cmocka_unit_test(one_seed_fills_two_tensors_differently_and_again_the_same),
        cmocka_unit_test(scalars_must_fit_their_type),
        cmocka_unit_test(comparison_follows_its_rule),
        cmocka_unit_test(contracts_must_fit_the_entry),
        cmocka_unit_test(memory_and_scalars_must_be_there),
        cmocka_unit_test(names_of_the_kind_that_is_wanted_are_listed),
        cmocka_unit_test(an_integer_that_its_type_does_not_hold_is_refused),
        cmocka_unit_test(a_float_is_a_number_a_word_or_a_special),
        cmocka_unit_test(a_leading_zero_changes_no_number),
        cmocka_unit_test(forms_that_a_module_lacks_are_named),
        cmocka_unit_test(a_device_is_the_gpu_that_it_was_made_as),
        cmocka_unit_test(uses_come_in_the_contracts_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
