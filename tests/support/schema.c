#include "support/schema.h"

#include <stdio.h>
#include <string.h>

struct room {
    const struct json *root;
    struct text *why;
};

static bool fail(const struct room *r, const char *what, const char *detail)
{
    tw_text_addf(r->why, "%s %s; ", what, detail);
    return false;
}

static bool valid(const struct room *r, const struct json *schema, const struct json *value);

static bool is_type(const struct json *v, const char *type)
{
    static const struct { const char *name; enum json_kind kind; } rows[] = {
        {"null", JSON_NULL}, {"boolean", JSON_BOOL}, {"number", JSON_NUMBER}, {"string", JSON_STRING}, {"array", JSON_ARRAY}, {"object", JSON_OBJECT}};
    int64_t n;
    if (strcmp(type, "integer") == 0)
        return tw_json_int(v, &n);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(type, rows[i].name) == 0)
            return v->kind == rows[i].kind;
    return false;
}

static bool same(const struct json *a, const struct json *b)
{
    return a->kind == b->kind && a->kind == JSON_STRING && tw_str_eq(a->text, b->text);
}

static bool check_type(const struct room *r, const struct json *wanted, const struct json *v)
{
    if (wanted->kind == JSON_STRING)
        return is_type(v, wanted->text.at) || fail(r, "not of type", wanted->text.at);
    for (uint32_t i = 0; i < wanted->count; i++)
        if (is_type(v, wanted->items[i].text.at))
            return true;
    return fail(r, "of no type of", "the list");
}

static bool check_enum(const struct room *r, const struct json *list, const struct json *v)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (same(&list->items[i], v))
            return true;
    return fail(r, "not in the enumeration:", v->kind == JSON_STRING ? v->text.at : "no string");
}

static bool check_bound(const struct room *r, const char *key, const struct json *bound, const struct json *v)
{
    int64_t most, n;
    if (v->kind != JSON_NUMBER || !tw_json_int(bound, &most) || !tw_json_int(v, &n))
        return true;
    return (strcmp(key, "minimum") == 0 ? n >= most : n <= most) || fail(r, "out of range:", key);
}

static bool check_count(const struct room *r, const char *key, const struct json *bound, const struct json *v)
{
    int64_t n;
    if (v->kind != JSON_ARRAY || !tw_json_int(bound, &n))
        return true;
    return (strcmp(key, "minItems") == 0 ? v->count >= n : v->count <= n) || fail(r, "length breaks", key);
}

static bool check_items(const struct room *r, const struct json *schema, const struct json *v)
{
    for (uint32_t i = 0; v->kind == JSON_ARRAY && i < v->count; i++)
        if (!valid(r, schema, &v->items[i]))
            return false;
    return true;
}

static bool check_properties(const struct room *r, const struct json *properties, const struct json *v)
{
    for (uint32_t i = 0; v->kind == JSON_OBJECT && i < v->count; i++) {
        const struct json *const schema = tw_json_get(properties, v->keys[i].at);
        if (schema != NULL && !valid(r, schema, &v->items[i]))
            return fail(r, "in", v->keys[i].at);
    }
    return true;
}

static bool check_closed(const struct room *r, const struct json *schema, const struct json *v)
{
    const struct json *const properties = tw_json_get(schema, "properties");
    for (uint32_t i = 0; v->kind == JSON_OBJECT && i < v->count; i++)
        if (tw_json_get(properties, v->keys[i].at) == NULL)
            return fail(r, "unknown field", v->keys[i].at);
    return true;
}

static bool check_required(const struct room *r, const struct json *list, const struct json *v)
{
    for (uint32_t i = 0; v->kind == JSON_OBJECT && i < list->count; i++)
        if (tw_json_get(v, list->items[i].text.at) == NULL)
            return fail(r, "lacks", list->items[i].text.at);
    return true;
}

/* {"seed": ["fill"]}: where seed is, fill must be. */
static bool check_dependent(const struct room *r, const struct json *lists, const struct json *v)
{
    for (uint32_t i = 0; v->kind == JSON_OBJECT && i < lists->count; i++)
        if (tw_json_get(v, lists->keys[i].at) != NULL && !check_required(r, &lists->items[i], v))
            return false;
    return true;
}

static bool check_not(const struct room *r, const struct json *schema, const struct json *v)
{
    return !valid(r, schema, v) || fail(r, "fits what it must not fit:", "not");
}

static bool check_one_of(const struct room *r, const struct json *list, const struct json *v)
{
    uint32_t fits = 0;
    for (uint32_t i = 0; i < list->count; i++)
        fits += valid(r, &list->items[i], v);
    return fits == 1 || fail(r, fits == 0 ? "fits none of" : "fits several of", "oneOf");
}

static bool check_ref(const struct room *r, const struct json *ref, const struct json *v)
{
    static const char prefix[] = "#/$defs/";
    const bool known = ref->kind == JSON_STRING && strncmp(ref->text.at, prefix, sizeof prefix - 1) == 0;
    const struct json *const target = known ? tw_json_get(tw_json_get(r->root, "$defs"), ref->text.at + sizeof prefix - 1) : NULL;
    return target != NULL ? valid(r, target, v) : fail(r, "no such $ref", "in the schema");
}

static bool check_keyword(const struct room *r, const struct json *schema, const char *key, const struct json *arg, const struct json *v)
{
    static const char *const notes[] = {"$schema", "$defs", "title", "description"};
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++)
        if (strcmp(key, notes[i]) == 0)
            return true;
    if (strcmp(key, "type") == 0)
        return check_type(r, arg, v);
    if (strcmp(key, "const") == 0)
        return same(arg, v) || fail(r, "not the constant", arg->text.at);
    if (strcmp(key, "enum") == 0)
        return check_enum(r, arg, v);
    if (strcmp(key, "minimum") == 0 || strcmp(key, "maximum") == 0)
        return check_bound(r, key, arg, v);
    if (strcmp(key, "minItems") == 0 || strcmp(key, "maxItems") == 0)
        return check_count(r, key, arg, v);
    if (strcmp(key, "items") == 0)
        return check_items(r, arg, v);
    if (strcmp(key, "properties") == 0)
        return check_properties(r, arg, v);
    if (strcmp(key, "additionalProperties") == 0)
        return arg->kind == JSON_BOOL && !arg->boolean ? check_closed(r, schema, v) : fail(r, "additionalProperties", "must be false");
    if (strcmp(key, "required") == 0)
        return check_required(r, arg, v);
    if (strcmp(key, "dependentRequired") == 0)
        return check_dependent(r, arg, v);
    if (strcmp(key, "not") == 0)
        return check_not(r, arg, v);
    if (strcmp(key, "oneOf") == 0)
        return check_one_of(r, arg, v);
    if (strcmp(key, "$ref") == 0)
        return check_ref(r, arg, v);
    return fail(r, "unknown keyword", key);
}

static bool valid(const struct room *r, const struct json *schema, const struct json *value)
{
    for (uint32_t i = 0; i < schema->count; i++)
        if (!check_keyword(r, schema, schema->keys[i].at, &schema->items[i], value))
            return false;
    return schema->kind == JSON_OBJECT || fail(r, "a schema that is no object", "");
}

bool tw_schema_valid(const struct json *root, const struct json *schema, const struct json *value, struct text *why)
{
    return valid(&(struct room){root, why}, schema, value);
}

const struct json *tw_launch_schema(struct arena *arena)
{
    enum { MOST = 1 << 16 };
    char *const text = arena_new(arena, char, MOST);
    FILE *const f = fopen("docs/launch.schema.json", "rb");
    const size_t len = f == NULL ? 0 : fread(text, 1, MOST - 1, f);
    struct json_error error;
    if (f != NULL)
        fclose(f);
    return tw_json_read(arena, (struct str){text, len}, &error);
}
