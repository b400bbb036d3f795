/* mma and wgmma tables: D of every record by the scalar reference and by the fastest whole-tile implementation. */
#include "golden.h"

#include "num/convert.h"
#include "num/explain.h"
#include "num/tile.h"

#include <string.h>

struct job {
    const struct num_dot_model *model;
    struct num_dot_how how;
    enum num_format c;       /* of C where it is not D's: m8n8k4 of f16; else NUM_NONE */
    unsigned m, n, k, chain; /* k: of one instruction */
    bool read_c;
    uint64_t *a, *b, *acc, *d;
    void *scratch;
    size_t scratch_bytes;
};

static enum num_format format_named(const struct tcg_table *table, const char *key)
{
    char name[16];
    tw_tcg_string(table->line, key, name, sizeof name);
    return tw_num_format_by_name(tw_str(name));
}

static struct num_tile_job tile_job(const struct job *j)
{
    const unsigned k = j->k * j->chain;
    return (struct num_tile_job){
        .model = j->model, .how = &j->how, .m = j->m, .n = j->n, .k = k, .k_step = j->k,
        .a = {j->a, 8, k, 1}, .b = {j->b, 8, k, 1}, .c = {j->read_c ? j->acc : NULL, 8, j->n, 1},
        .d = j->d, .d_word_bytes = 8, .d_row_stride = j->n, .d_step = 1,
        .scratch = j->scratch, .scratch_bytes = j->scratch_bytes};
}

/* False if there is no model or a field is missing. */
static bool read_job(struct arena *arena, const struct golden_table *out, const struct tcg_table *table, struct job *j)
{
    unsigned sm = 0;
    enum num_arch arch;
    for (const char *at = out->arch + (strncmp(out->arch, "sm_", 3) == 0 ? 3 : 0); *at >= '0' && *at <= '9' && sm < 1000; at++)
        sm = sm * 10 + (unsigned)(*at - '0');
    *j = (struct job){
        .how = {.a = format_named(table, "at"), .b = format_named(table, "bt"), .d = format_named(table, "dt"),
                .negate_a = tw_tcg_number(table, "negA", 0) != 0, .negate_b = tw_tcg_number(table, "negB", 0) != 0,
                .saturate = strstr(table->instr, ".satfinite") != NULL, .bits_and = strstr(table->instr, ".and.popc") != NULL},
        .m = (unsigned)tw_tcg_number(table, "m", 0), .n = (unsigned)tw_tcg_number(table, "n", 0),
        .k = (unsigned)tw_tcg_number(table, "k", 0), .chain = (unsigned)tw_tcg_number(table, "chain", 1),
        .read_c = tw_tcg_number(table, "scale_d", 1) != 0};
    const bool quads = strstr(table->instr, ".m8n8k4.") != NULL && j->how.a == NUM_F16;
    const enum num_unit unit = strcmp(table->kind, "wgmma") == 0 ? NUM_WGMMA : quads ? NUM_MMA_M8N8K4 : NUM_MMA_SYNC;
    j->c = quads && format_named(table, "ct") != j->how.d ? format_named(table, "ct") : NUM_NONE;
    if (!tw_num_arch_of_sm(sm, &arch))
        return false;
    j->model = tw_num_dot_model(arch, unit, NUM_PLAIN, j->how.a, j->how.b, j->how.d);
    const size_t k = (size_t)j->k * j->chain, a = j->m * k, b = j->n * k, d = (size_t)j->m * j->n;
    if (j->model == NULL || j->m > 256 || j->n > 256 || j->k > TW_NUM_DOT_MAX || k == 0 || k > 65536)
        return false;
    const struct { const char *name; size_t count; } fields[] = {{"A", a}, {"B", b}, {"C", d}, {"D", d}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const struct tcg_field *f = tw_tcg_field(table, fields[i].name);
        if (f == NULL || f->count != fields[i].count)
            return false;
    }
    j->a = arena_new(arena, uint64_t, a);
    j->b = arena_new(arena, uint64_t, b);
    j->acc = arena_new(arena, uint64_t, d);
    j->d = arena_new(arena, uint64_t, d);
    const struct num_tile_job tile = tile_job(j);
    j->scratch_bytes = tw_num_tile_scratch(&tile);
    j->scratch = arena_new(arena, uint64_t, (j->scratch_bytes + 7) / 8);
    return true;
}

static void read_words(const struct tcg_file *file, const struct tcg_table *table, size_t record, const char *name, uint64_t *out)
{
    const struct tcg_field *f = tw_tcg_field(table, name);
    for (size_t i = 0; i < f->count; i++)
        out[i] = tw_tcg_get(file, table, record, f, i);
}

/* A chain of instructions on one accumulator; `explain` adds the text of each. */
static uint64_t reference(const struct job *j, unsigned row, unsigned col, struct text *explain)
{
    const size_t k = (size_t)j->k * j->chain;
    uint64_t d = j->acc[(size_t)row * j->n + col];
    for (unsigned link = 0; link < j->chain; link++) {
        const uint64_t c = d;
        const struct num_dot_case x = {.model = j->model, .how = &j->how, .n = j->k, .a = j->a + row * k + (size_t)link * j->k,
                                       .b = j->b + col * k + (size_t)link * j->k, .c = j->read_c || link > 0 ? &c : NULL};
        d = tw_num_dot(x.model, x.how, x.n, x.a, x.b, x.c, NULL, NULL);
        if (explain != NULL)
            tw_num_explain_dot(explain, &x);
    }
    return d;
}

static void explain(struct golden_table *out, const struct job *j, size_t record, unsigned row, unsigned col, uint64_t want)
{
    const uint64_t fast = j->d[(size_t)row * j->n + col], plain = reference(j, row, col, NULL);
    tw_text_addf(&out->first, "record %zu, D[%u][%u]: measured 0x%llx, ours 0x%llx", record, row, col, (unsigned long long)want,
                 (unsigned long long)plain);
    if (fast != plain)
        tw_text_addf(&out->first, ", and 0x%llx by %s", (unsigned long long)fast, tw_num_tile_best()->name);
    tw_text_put(&out->first, '\n');
    (void)reference(j, row, col, &out->first);
}

void golden_matrix(struct arena *arena, struct golden_table *out, const struct tcg_file *file, const struct tcg_table *table)
{
    struct job j;
    if (!read_job(arena, out, table, &j)) {
        out->not_run = "no model of this instruction on this target, or fields of other sizes";
        return;
    }
    for (size_t r = 0; r < table->count; r++) {
        read_words(file, table, r, "A", j.a);
        read_words(file, table, r, "B", j.b);
        read_words(file, table, r, "C", j.acc);
        for (unsigned i = 0; j.c != NUM_NONE && i < j.m * j.n; i++)
            j.acc[i] = tw_num_convert(&(struct num_convert_how){.to = j.how.d, .from = j.c}, j.acc[i]);
        const struct num_tile_job tile = tile_job(&j);
        tw_num_tile(&tile);
        for (unsigned i = 0; i < j.m * j.n; i++) {
            const uint64_t want = tw_tcg_get(file, table, r, tw_tcg_field(table, "D"), i);
            const unsigned row = i / j.n, col = i % j.n;
            if (golden_count(out, r, j.d[i] == want && reference(&j, row, col, NULL) == want))
                explain(out, &j, r, row, col, want);
        }
    }
}
