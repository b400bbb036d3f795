/* Files of single dot products for tcgen05: words captured on hardware, or computed by an independent program. */
#include "golden.h"

#include "base/json.h"
#include "num/explain.h"

#include <string.h>

struct one_case {
    const char *name;
    const struct num_dot_model *model;
    struct num_dot_how how;
    unsigned n;
    uint64_t a[128], b[128], scale_a[16], scale_b[16];
    bool scaled;
    uint64_t c, want;
};

static struct str text_of(const struct json *object, const char *key)
{
    const struct json *v = tw_json_get(object, key);
    return v != NULL && v->kind == JSON_STRING ? v->text : STR("");
}

static bool hex_of(const struct json *object, const char *key, uint64_t *word)
{
    const struct str s = text_of(object, key);
    *word = 0;
    for (size_t i = 2; i < s.len; i++) {
        const char c = s.at[i];
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return false;
        *word = *word << 4 | (unsigned)digit;
    }
    return tw_str_starts(s, "0x") && s.len > 2;
}

/* bf16 operands come as f32 containers: the low half is dropped before anything looks at the word. */
static unsigned words_of(const struct json *object, const char *key, enum num_format f, uint64_t *out, unsigned room)
{
    const struct json *list = tw_json_get(object, key);
    if (list == NULL || list->count > room)
        return 0;
    for (uint32_t i = 0; i < list->count; i++) {
        int64_t word = 0;
        if (!tw_json_int(&list->items[i], &word))
            return 0;
        out[i] = f == NUM_BF16 ? (uint64_t)word >> 16 : (uint64_t)word;
    }
    return list->count;
}

static enum num_kind kind_of(struct str kind)
{
    for (unsigned k = NUM_MXF8F6F4; k <= NUM_MXF4NVF4; k++)
        if (tw_str_is(kind, tw_num_kind_name((enum num_kind)k)))
            return (enum num_kind)k;
    return NUM_PLAIN;
}

static bool read_case(const struct json *object, struct one_case *t)
{
    memset(t, 0, sizeof *t);
    t->name = text_of(object, "name").at;
    t->how.a = tw_num_format_by_name(text_of(object, "a_format"));
    t->how.b = tw_num_format_by_name(text_of(object, "b_format"));
    t->how.d = tw_num_format_by_name(text_of(object, "d_format"));
    t->n = words_of(object, "a", t->how.a, t->a, 128);
    if (t->n == 0 || t->n != words_of(object, "b", t->how.b, t->b, 128))
        return false;
    if (!hex_of(object, "c", &t->c) || !hex_of(object, "expected", &t->want))
        return false;
    const struct json *saturate = tw_json_get(object, "saturate");
    t->how.saturate = saturate != NULL && saturate->boolean;
    t->model = tw_num_dot_model(NUM_BLACKWELL, NUM_TCGEN05, kind_of(text_of(object, "kind")), t->how.a, t->how.b, t->how.d);
    t->how.scale = tw_num_format_by_name(text_of(object, "scale_format"));
    const unsigned blocks = words_of(object, "scale_a", NUM_NONE, t->scale_a, 16);
    t->scaled = blocks != 0;
    if (words_of(object, "scale_b", NUM_NONE, t->scale_b, 16) != blocks)
        return false;
    t->how.scale_block = (uint8_t)(blocks == 0 ? 0 : t->n / blocks);
    return true;
}

/* "e5m2-nan-12" was made by the generator "e5m2-nan". */
static void generator_of(const char *name, char *out, size_t room)
{
    size_t len = strlen(name);
    while (len > 0 && name[len - 1] >= '0' && name[len - 1] <= '9')
        len--;
    len -= len > 0 && name[len - 1] == '-';
    if (len == 0 || len >= room)
        len = strlen(name) < room ? strlen(name) : room - 1;
    memcpy(out, name, len);
    out[len] = '\0';
}

static void count_case(struct golden_table *out, const struct one_case *t)
{
    char generator[sizeof out->row[0].generator];
    unsigned at = 0;
    generator_of(t->name, generator, sizeof generator);
    while (at < out->row_count && strcmp(out->row[at].generator, generator) != 0)
        at++;
    if (at == GOLDEN_GENERATORS)
        at--;
    struct golden_row *row = &out->row[at];
    if (at == out->row_count) {
        *row = (struct golden_row){0};
        memcpy(row->generator, generator, sizeof generator);
        out->row_count++;
    }
    const struct num_dot_case x = {.model = t->model, .how = &t->how, .n = t->n, .a = t->a, .b = t->b, .c = &t->c,
                                   .scale_a = t->scaled ? t->scale_a : NULL, .scale_b = t->scaled ? t->scale_b : NULL};
    const uint64_t got = tw_num_dot(x.model, x.how, x.n, x.a, x.b, x.c, x.scale_a, x.scale_b);
    row->cases++;
    row->mismatches += got != t->want;
    if (got != t->want && out->first.len == 0) {
        tw_text_addf(&out->first, "%s: expected 0x%llx, ours 0x%llx\n", t->name, (unsigned long long)t->want, (unsigned long long)got);
        tw_num_explain_dot(&out->first, &x);
    }
}

static const char *instruction_of(struct arena *arena, const struct one_case *t)
{
    const char *kind = t->model == NULL ? "" : tw_num_kind_name(t->model->kind);
    return tw_format(arena, "tcgen05%s%s %s x %s to %s%s%s%s", kind[0] == '\0' ? "" : ".", kind, tw_num_format(t->how.a)->name,
                     tw_num_format(t->how.b)->name, tw_num_format(t->how.d)->name, t->how.scale == NUM_NONE ? "" : ", scales ",
                     t->how.scale == NUM_NONE ? "" : tw_num_format(t->how.scale)->name, t->how.saturate ? ", saturating" : "");
}

struct table_list {
    VEC(struct golden_table *) tables;
};

static struct golden_table *table_of(struct arena *arena, struct table_list *list, const char *file, const char *instr)
{
    for (uint32_t i = 0; i < list->tables.len; i++)
        if (strcmp(list->tables.at[i]->instr, instr) == 0)
            return list->tables.at[i];
    struct golden_table *const t = arena_new(arena, struct golden_table, 1);
    *t = (struct golden_table){.file = file, .instr = instr};
    tw_text_init(&t->first, arena);
    *vec_push(arena, &list->tables) = t;
    return t;
}

bool golden_json(struct arena *arena, const char *file, struct str text,
                 void (*report)(void *context, const struct golden_table *table), void *context)
{
    struct json_error error;
    struct table_list list = {0};
    const struct json *const root = tw_json_read(arena, text, &error);
    const struct json *const cases = root == NULL ? NULL : tw_json_get(root, "cases");
    if (cases == NULL)
        return false;
    for (uint32_t i = 0; i < cases->count; i++) {
        struct one_case t;
        if (!read_case(&cases->items[i], &t))
            return false;
        struct golden_table *const table = table_of(arena, &list, file, instruction_of(arena, &t));
        if (t.model == NULL)
            table->not_run = "no model of this combination";
        else
            count_case(table, &t);
    }
    for (uint32_t i = 0; i < list.tables.len; i++)
        report(context, list.tables.at[i]);
    return true;
}
