#include "support/tcg.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *tw_test_read_file(struct arena *arena, const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return NULL;
    char *text = NULL;
    if (fseek(f, 0, SEEK_END) == 0) {
        const long length = ftell(f);
        rewind(f);
        if (length >= 0) {
            text = arena_new(arena, char, (size_t)length + 1);
            *size = fread(text, 1, (size_t)length, f);
            if (*size != (size_t)length)
                text = NULL;
        }
    }
    (void)fclose(f);
    return text;
}

const char *tw_test_shared(struct arena *arena, const char *name)
{
    const char *folder = getenv("TW_SHARED");
    const char *path = tw_format(arena, "%s/%s", folder != NULL ? folder : "../shared", name);
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        printf("not run: %s is not there\n", path);
        return NULL;
    }
    (void)fclose(f);
    return path;
}

/* What follows "key": in a manifest line, or NULL. */
static const char *after_key(const char *line, const char *key)
{
    const size_t len = strlen(key);
    for (const char *at = strchr(line, '"'); at != NULL; at = strchr(at + 1, '"'))
        if (strncmp(at + 1, key, len) == 0 && at[1 + len] == '"' && at[2 + len] == ':')
            return at + len + 3;
    return NULL;
}

static long number(const char *line, const char *key, long other)
{
    const char *at = after_key(line, key);
    return at == NULL ? other : strtol(at, NULL, 10);
}

long tw_tcg_number(const struct tcg_table *table, const char *key, long other)
{
    return number(table->line, key, other);
}

void tw_tcg_string(const char *line, const char *key, char *out, size_t room)
{
    size_t len = 0;
    const char *at = after_key(line, key);
    if (at != NULL && *at == '"')
        for (at++; *at != '\0' && *at != '"' && len + 1 < room; at++)
            out[len++] = *at;
    out[len] = '\0';
}

/* The fields of one table; false if one reaches past the record. */
static bool read_fields(struct tcg_table *t)
{
    const char *at = strstr(t->line, "\"fields\":[");
    for (at = at == NULL ? "" : at + 10; *at == '{'; at += *at == ',') {
        if (t->field_count == TCG_MAX_FIELDS)
            return false;
        struct tcg_field *f = &t->field[t->field_count++];
        tw_tcg_string(at, "name", f->name, sizeof f->name);
        tw_tcg_string(at, "type", f->type, sizeof f->type);
        f->bits = (unsigned)number(at, "bits", 0);
        f->count = (size_t)number(at, "count", 0);
        f->offset = (size_t)number(at, "offset", 0);
        if (f->bits == 0 || f->bits > 64 || f->count > t->record_bytes * 8)
            return false;
        if (f->offset + (f->count * f->bits + 7) / 8 > t->record_bytes)
            return false;
        at = strchr(at, '}');
        if (at == NULL)
            return false;
        at++;
    }
    return true;
}

static bool read_table(struct tcg_file *file, const char *line)
{
    struct tcg_table *t = &file->table[file->table_count++];
    t->line = line;
    t->offset = (size_t)number(line, "offset", 0);
    t->count = (size_t)number(line, "count", 0);
    t->record_bytes = (size_t)number(line, "record_bytes", 0);
    tw_tcg_string(line, "kind", t->kind, sizeof t->kind);
    tw_tcg_string(line, "instr", t->instr, sizeof t->instr);
    const bool inside = t->record_bytes != 0 && t->offset <= file->size &&
                        t->count <= (file->size - t->offset) / t->record_bytes;
    return inside && read_fields(t);
}

bool tw_tcg_read(struct arena *arena, const uint8_t *bytes, size_t size, struct tcg_file *file)
{
    *file = (struct tcg_file){.bytes = bytes, .size = size};
    if (size < 64 || memcmp(bytes, "TCGOLD1 ", 8) != 0)
        return false;
    const char *header = tw_arena_copy(arena, (const char *)bytes, 64);
    const size_t manifest_bytes = (size_t)strtoul(header + 8, NULL, 10);
    if (manifest_bytes > size - 64)
        return false;
    char *manifest = tw_arena_copy(arena, (const char *)bytes + 64, manifest_bytes);
    size_t lines = 1;
    for (const char *at = manifest; *at != '\0'; at++)
        lines += *at == '\n';
    file->table = arena_new(arena, struct tcg_table, lines);
    for (char *line = manifest; line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL)
            *end++ = '\0';
        if (strncmp(line, "{\"offset\"", 9) == 0 && !read_table(file, line))
            return false;
        line = end;
    }
    return file->table_count != 0;
}

bool tw_tcg_open(struct arena *arena, const char *path, struct tcg_file *file)
{
    size_t size = 0;
    const char *text = tw_test_read_file(arena, path, &size);
    return text != NULL && tw_tcg_read(arena, (const uint8_t *)text, size, file);
}

const struct tcg_field *tw_tcg_field(const struct tcg_table *table, const char *name)
{
    for (unsigned i = 0; i < table->field_count; i++)
        if (strcmp(table->field[i].name, name) == 0)
            return &table->field[i];
    return NULL;
}

uint64_t tw_tcg_get(const struct tcg_file *file, const struct tcg_table *table, size_t record, const struct tcg_field *field,
                    size_t index)
{
    const uint8_t *at = file->bytes + table->offset + record * table->record_bytes + field->offset;
    const size_t bit = index * field->bits;
    if (field->bits < 8)
        return (uint64_t)(at[bit / 8] >> bit % 8) & ((1u << field->bits) - 1);
    uint64_t word = 0;
    for (unsigned i = 0; i < field->bits / 8; i++)
        word |= (uint64_t)at[bit / 8 + i] << 8 * i;
    return word;
}
