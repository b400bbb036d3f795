/* The golden runner: every result of every file in a folder against this project's words.
 *
 * A file is a list of tables; a table is one instruction with records from several generators. The runner of a kind
 * compares one table and hands a row to the report for each generator. */
#ifndef TW_TESTS_GOLDEN_H
#define TW_TESTS_GOLDEN_H

#include "base/arena.h"
#include "base/text.h"
#include "support/tcg.h"

enum { GOLDEN_GENERATORS = 48 };

struct golden_row {
    char generator[48];
    size_t first, count;         /* records */
    uint64_t cases, mismatches;  /* results */
};

struct golden_table {
    const char *file, *instr, *arch; /* arch: "sm_90a" */
    size_t records;
    struct golden_row row[GOLDEN_GENERATORS];
    unsigned row_count;
    struct text first;           /* the first mismatch, explained; empty: none */
    const char *not_run;         /* why nothing was compared; NULL: it was */
};

/* Fills row[] from the table's groups; one row "all" where it has none. */
void golden_rows(struct golden_table *out, const struct tcg_table *table);
/* Counts one result of a record. True if it is the table's first mismatch, which is then to be explained. */
bool golden_count(struct golden_table *out, size_t record, bool equal);

/* mma and wgmma: the scalar reference and the fast path of whole tiles. */
void golden_matrix(struct arena *arena, struct golden_table *out, const struct tcg_file *file, const struct tcg_table *table);
/* scalar, mma_frag, ldmatrix, stmatrix, movmatrix, wgmma_layout: a kernel around the recorded text, parsed and run by the machine. */
void golden_machine(struct arena *arena, struct golden_table *out, const struct tcg_file *file, const struct tcg_table *table);
bool golden_machine_knows(const char *kind);
/* wgmma_layout: descriptors into the image of the table before. */
void golden_wgmma(struct arena *arena, struct golden_table *out, const struct tcg_file *file, const struct tcg_table *table);

/* One .json file; `report` is called for each instruction in it. False if the text is no such file. */
bool golden_json(struct arena *arena, const char *file, struct str text,
                 void (*report)(void *context, const struct golden_table *table), void *context);

#endif
