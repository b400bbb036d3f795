/* mma.sync and wgmma against what an H200 computed: every element of D, bit for bit.
 * The small files under tests/golden always run; the whole set runs where the shared folder is. */
#include "support/check.h"
#include "support/tcg.h"

#include "num/convert.h"
#include "num/dot.h"

#include <stdio.h>

/* One table's constant facts. */
struct job {
    const struct tcg_file *file;
    const struct tcg_table *table;
    const struct num_dot_model *model;
    struct num_dot_how how;
    enum num_format c;
    unsigned m, n, k, chain;
    bool read_c;
};

static enum num_format format_named(const struct tcg_table *table, const char *key)
{
    char name[16];
    tw_tcg_string(table->line, key, name, sizeof name);
    return tw_num_format_by_name(tw_str(name));
}

static unsigned size_named(const struct tcg_table *table, const char *key, long other)
{
    return (unsigned)tw_tcg_number(table, key, other);
}

static struct job job_of(const struct tcg_file *file, const struct tcg_table *table)
{
    struct job j = {.file = file, .table = table};
    j.how.a = format_named(table, "at");
    j.how.b = format_named(table, "bt");
    j.how.d = format_named(table, "dt");
    j.how.negate_a = tw_tcg_number(table, "negA", 0) != 0;
    j.how.negate_b = tw_tcg_number(table, "negB", 0) != 0;
    j.how.saturate = strstr(table->instr, ".satfinite") != NULL;
    j.how.bits_and = strstr(table->instr, ".and.popc") != NULL;
    j.m = size_named(table, "m", 0);
    j.n = size_named(table, "n", 0);
    j.k = size_named(table, "k", 0);
    j.chain = size_named(table, "chain", 1);
    j.read_c = tw_tcg_number(table, "scale_d", 1) != 0;
    j.c = tw_num_is_float(j.how.d) && strstr(table->line, "\"ct\":") != NULL ? format_named(table, "ct") : j.how.d;
    const bool quads = strstr(table->instr, ".m8n8k4.") != NULL && j.how.a == NUM_F16;
    const enum num_unit unit = strcmp(table->kind, "wgmma") == 0 ? NUM_WGMMA : quads ? NUM_MMA_M8N8K4 : NUM_MMA_SYNC;
    j.model = tw_num_dot_model(NUM_HOPPER, unit, NUM_PLAIN, j.how.a, j.how.b, j.how.d);
    return j;
}

/* A chain of instructions on one accumulator: each rounds to D. */
static uint64_t evaluate(const struct job *j, const uint64_t *a, const uint64_t *b, uint64_t c)
{
    uint64_t d = c;
    for (unsigned link = 0; link < j->chain; link++)
        d = tw_num_dot(j->model, &j->how, j->k, a + link * j->k, b + link * j->k,
                       j->read_c || link > 0 ? &d : NULL, NULL, NULL);
    return d;
}

/* A C of f16 goes into a sum of f32 as it is. */
static uint64_t widened(const struct job *j, uint64_t c)
{
    return tw_num_convert(&(struct num_convert_how){.to = j->how.d, .from = j->c}, c);
}

static size_t check_record(const struct job *j, size_t record)
{
    static uint64_t a[64 * 256], b[256 * 256];
    const struct tcg_field *fa = tw_tcg_field(j->table, "A"), *fb = tw_tcg_field(j->table, "B"),
                           *fc = tw_tcg_field(j->table, "C"), *fd = tw_tcg_field(j->table, "D");
    const unsigned k = j->k * j->chain;
    assert_true(j->m * k <= COUNT(a) && j->n * k <= COUNT(b));
    for (size_t i = 0; i < (size_t)j->m * k; i++)
        a[i] = tw_tcg_get(j->file, j->table, record, fa, i);
    for (size_t i = 0; i < (size_t)j->n * k; i++) /* column-major: a column of B is contiguous in k */
        b[i] = tw_tcg_get(j->file, j->table, record, fb, i);
    for (unsigned row = 0; row < j->m; row++)
        for (unsigned col = 0; col < j->n; col++) {
            const size_t at = (size_t)row * j->n + col;
            const uint64_t want = tw_tcg_get(j->file, j->table, record, fd, at);
            const uint64_t c = tw_tcg_get(j->file, j->table, record, fc, at);
            const uint64_t got = evaluate(j, a + (size_t)row * k, b + (size_t)col * k, j->c == j->how.d ? c : widened(j, c));
            if (got != want)
                fail_msg("%s, record %zu, D[%u][%u]: want %llx, got %llx", j->table->instr, record, row, col,
                         (unsigned long long)want, (unsigned long long)got);
        }
    return (size_t)j->m * j->n;
}

static size_t check_file(struct arena *arena, const char *path)
{
    struct tcg_file file;
    assert_true(tw_tcg_open(arena, path, &file));
    size_t elements = 0;
    for (size_t t = 0; t < file.table_count; t++) {
        const struct job j = job_of(&file, &file.table[t]);
        if (j.model == NULL)
            fail_msg("%s: no model", file.table[t].instr);
        for (size_t r = 0; r < file.table[t].count; r++)
            elements += check_record(&j, r);
    }
    return elements;
}

static const char *const names[] = {
    "mma_f16_bf16_tf32", "mma_fp8", "mma_int8", "mma_sub8", "mma_f64",
    "wgmma_f16_bf16_tf32", "wgmma_fp8", "wgmma_int", "wgmma_variants", "wgmma_large_n",
};

static void the_sample_of_every_instruction_matches_hopper(void **state)
{
    struct bench_room *room = *state;
    size_t elements = check_file(&room->arena, "tests/golden/mma_m8n8k4.tcg"); /* all there is of it */
    for (size_t i = 0; i < COUNT(names); i++)
        elements += check_file(&room->arena, tw_format(&room->arena, "tests/golden/%s.tcg", names[i]));
    assert_true(elements > 50000);
}

static void the_shared_set_matches_hopper(void **state)
{
    struct bench_room *room = *state;
    size_t elements = 0;
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *path = tw_test_shared(&room->arena, tw_format(&room->arena, "golden/%s.tcg", names[i]));
        if (path == NULL)
            skip();
        const size_t here = check_file(&room->arena, path);
        printf("%s: %zu elements\n", names[i], here);
        elements += here;
    }
    assert_true(elements != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_sample_of_every_instruction_matches_hopper),
        ROOM_TEST(the_shared_set_matches_hopper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
