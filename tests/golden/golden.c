/* golden DIR: compares every .tcg and .json file of the folder. Prints a row for each file, instruction and generator, then
 * what did not run, then "N passed, N failed"; the exit status is 1 on any mismatch. */
#include "golden.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tables of one file that were left out for one reason. */
struct left_out {
    const char *file, *why;
    unsigned tables;
    uint64_t records;
};

struct totals {
    struct arena *arena;
    uint64_t passed, failed;
    VEC(struct left_out) not_run;
};

void golden_rows(struct golden_table *out, const struct tcg_table *table)
{
    const char *at = strstr(table->line, "\"groups\":[");
    for (at = at == NULL ? "" : at + 10; *at == '{' && out->row_count < GOLDEN_GENERATORS; at += *at == ',') {
        struct golden_row *row = &out->row[out->row_count++];
        unsigned long first = 0, count = 0;
        *row = (struct golden_row){0};
        tw_tcg_string(at, "gen", row->generator, sizeof row->generator);
        const char *const numbers = strstr(at, "\"first\":");
        if (numbers == NULL || sscanf(numbers, "\"first\":%lu,\"count\":%lu", &first, &count) != 2)
            break;
        row->first = first;
        row->count = count;
        at = strchr(at, '}');
        at = at == NULL ? "" : at + 1;
    }
    size_t covered = 0;
    for (unsigned i = 0; i < out->row_count; i++)
        covered += out->row[i].count;
    if (covered != table->count) { /* no groups, or groups that do not fit the table */
        out->row_count = 1;
        out->row[0] = (struct golden_row){.generator = "all", .count = table->count};
    }
}

bool golden_count(struct golden_table *out, size_t record, bool equal)
{
    struct golden_row *row = &out->row[0];
    for (unsigned i = 0; i < out->row_count; i++)
        if (record - out->row[i].first < out->row[i].count)
            row = &out->row[i];
    row->cases++;
    row->mismatches += !equal;
    return !equal && out->first.len == 0;
}

static void leave_out(struct totals *totals, const struct golden_table *t)
{
    struct left_out *l = NULL;
    for (uint32_t i = 0; i < totals->not_run.len; i++)
        if (strcmp(totals->not_run.at[i].file, t->file) == 0 && strcmp(totals->not_run.at[i].why, t->not_run) == 0)
            l = &totals->not_run.at[i];
    if (l == NULL) {
        l = vec_push(totals->arena, &totals->not_run);
        *l = (struct left_out){.file = tw_format(totals->arena, "%s", t->file), .why = tw_format(totals->arena, "%s", t->not_run)};
    }
    l->tables++;
    l->records += t->records;
}

static void report(void *context, const struct golden_table *t)
{
    struct totals *const totals = context;
    if (t->not_run != NULL) {
        leave_out(totals, t);
        return;
    }
    for (unsigned i = 0; i < t->row_count; i++) {
        const struct golden_row *row = &t->row[i];
        if (row->cases == 0)
            continue;
        printf("%-22s %-60s %-25s %8llu %8llu\n", t->file, t->instr, row->generator, (unsigned long long)row->cases,
               (unsigned long long)row->mismatches);
        totals->passed += row->cases - row->mismatches;
        totals->failed += row->mismatches;
    }
    if (t->first.len != 0)
        printf("  first mismatch: %s\n", t->first.at);
}

/* The table's results, whatever their kind. */
static void run_table(struct arena *arena, struct golden_table *t, const struct tcg_file *file, const struct tcg_table *table)
{
    golden_rows(t, table);
    if (strcmp(table->kind, "mma") == 0 || strcmp(table->kind, "wgmma") == 0)
        golden_matrix(arena, t, file, table);
    else if (golden_machine_knows(table->kind))
        golden_machine(arena, t, file, table);
    else
        t->not_run = tw_format(arena, "kind %s", table->kind);
}

/* What a wgmma table says beside its mnemonic. */
static const char *variant(struct arena *arena, const struct tcg_table *table)
{
    char from[16];
    const long chain = tw_tcg_number(table, "chain", 1);
    tw_tcg_string(table->line, "a_from", from, sizeof from);
    const char *const wgmma = "wgmma.mma_async.sync.aligned", *at = table->instr;
    if (strncmp(at, wgmma, strlen(wgmma)) == 0)
        at = tw_format(arena, "wgmma%s", at + strlen(wgmma));
    return tw_format(arena, "%s%s%s%s%s%s%s%s", at, strcmp(from, "registers") == 0 ? " A=regs" : "",
                     tw_tcg_number(table, "negA", 0) != 0 ? " -A" : "", tw_tcg_number(table, "negB", 0) != 0 ? " -B" : "",
                     tw_tcg_number(table, "scale_d", 1) == 0 ? " scale_d=0" : "", tw_tcg_number(table, "tnspA", 0) != 0 ? " A^T" : "", tw_tcg_number(table, "tnspB", 0) != 0 ? " B^T" : "",
                     chain > 1 ? tw_format(arena, " chain=%ld", chain) : "");
}

static bool run_tcg(struct arena *arena, const char *path, const char *name, struct totals *totals)
{
    struct tcg_file file;
    char head[512] = "", arch[16];
    if (!tw_tcg_open(arena, path, &file)) {
        fprintf(stderr, "golden: %s is damaged\n", path);
        return false;
    }
    memcpy(head, file.bytes + 64, file.size - 64 < sizeof head - 1 ? file.size - 64 : sizeof head - 1);
    tw_tcg_string(head, "arch", arch, sizeof arch);
    for (size_t i = 0; i < file.table_count; i++) {
        if (strcmp(file.table[i].kind, "smem_image") == 0)
            continue; /* holds no result: the table behind it reads it */
        struct golden_table t = {.file = name, .instr = variant(arena, &file.table[i]), .arch = arch, .records = file.table[i].count};
        tw_text_init(&t.first, arena);
        run_table(arena, &t, &file, &file.table[i]);
        report(totals, &t);
    }
    return true;
}

static bool run_json(struct arena *arena, const char *path, const char *name, struct totals *totals)
{
    size_t size = 0;
    const char *const text = tw_test_read_file(arena, path, &size);
    if (text != NULL && golden_json(arena, name, (struct str){text, size}, report, totals))
        return true;
    fprintf(stderr, "golden: %s is no file of dot products\n", path);
    return false;
}

/* Each file has an arena of its own. */
static bool run_file(const char *folder, const char *name, struct totals *totals)
{
    struct landing landing;
    struct arena arena;
    if (setjmp(landing.at) != 0) {
        fprintf(stderr, "golden: memory is exhausted at %s\n", name);
        return false;
    }
    tw_arena_init(&arena, &landing, (size_t)4 << 30);
    const char *const path = tw_format(&arena, "%s/%s", folder, name);
    const size_t len = strlen(name);
    const bool fine = strcmp(name + len - 4, ".tcg") == 0 ? run_tcg(&arena, path, name, totals) : run_json(&arena, path, name, totals);
    tw_arena_release(&arena);
    return fine;
}

static int wanted(const struct dirent *e)
{
    const size_t len = strlen(e->d_name);
    return (len > 4 && strcmp(e->d_name + len - 4, ".tcg") == 0) || (len > 5 && strcmp(e->d_name + len - 5, ".json") == 0);
}

int main(int argc, char **argv)
{
    struct landing landing;
    struct arena arena;
    struct totals totals = {0};
    struct dirent **names;
    const int count = argc == 2 ? scandir(argv[1], &names, wanted, alphasort) : -1;
    if (count <= 0) {
        fprintf(stderr, argc == 2 ? "golden: no .tcg or .json file in %s\n" : "usage: golden DIR%s\n", argc == 2 ? argv[1] : "");
        return 2;
    }
    if (setjmp(landing.at) != 0)
        return 2;
    tw_arena_init(&arena, &landing, (size_t)1 << 30);
    totals.arena = &arena;
    printf("%-22s %-60s %-25s %8s %8s\n", "file", "instruction", "generator", "cases", "differ");
    bool fine = true;
    for (int i = 0; i < count; i++) {
        fine = run_file(argv[1], names[i]->d_name, &totals) && fine;
        free(names[i]);
    }
    free(names);
    for (uint32_t i = 0; i < totals.not_run.len; i++)
        printf("not run: %s: %u tables, %llu records: %s\n", totals.not_run.at[i].file, totals.not_run.at[i].tables,
               (unsigned long long)totals.not_run.at[i].records, totals.not_run.at[i].why);
    printf("%llu passed, %llu failed\n", (unsigned long long)totals.passed, (unsigned long long)totals.failed);
    tw_arena_release(&arena);
    return fine && totals.failed == 0 ? 0 : 1;
}
