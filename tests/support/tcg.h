/* Reader of golden vector files (tcgold1): a 64-byte header, a manifest of one table a line, fixed-size records.
 * Every offset is checked against the file before it is used. */
#ifndef TW_TESTS_TCG_H
#define TW_TESTS_TCG_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TCG_MAX_FIELDS = 12 };

struct tcg_field {
    char name[16], type[8];
    unsigned bits; /* of one element; 4 and 1 are packed, lowest bits first */
    size_t count, offset;
};

struct tcg_table {
    const char *line; /* its line of the manifest, NUL-terminated */
    char kind[24], instr[128];
    size_t offset, count, record_bytes;
    struct tcg_field field[TCG_MAX_FIELDS];
    unsigned field_count;
};

struct tcg_file {
    const uint8_t *bytes;
    size_t size;
    struct tcg_table *table;
    size_t table_count;
};

/* The text of a whole file with a NUL behind it, or NULL. */
char *tw_test_read_file(struct arena *arena, const char *path, size_t *size);

/* Where a file of the shared folder lies: TW_SHARED, by default "../shared". NULL, with a line "not run: ..." printed,
 * if it is not there. */
const char *tw_test_shared(struct arena *arena, const char *name);

/* False if the file is missing or damaged. */
bool tw_tcg_open(struct arena *arena, const char *path, struct tcg_file *file);
bool tw_tcg_read(struct arena *arena, const uint8_t *bytes, size_t size, struct tcg_file *file);

/* NULL if the table has no such field. */
const struct tcg_field *tw_tcg_field(const struct tcg_table *table, const char *name);
uint64_t tw_tcg_get(const struct tcg_file *file, const struct tcg_table *table, size_t record, const struct tcg_field *field,
                    size_t index);
/* A number or string of the table's manifest line; `other` or "" if it is not there. */
long tw_tcg_number(const struct tcg_table *table, const char *key, long other);
void tw_tcg_string(const char *line, const char *key, char *out, size_t room);

#endif
