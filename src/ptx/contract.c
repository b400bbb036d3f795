#include "ptx/contract.h"

#include "num/decimal.h"
#include "ptx/contract_read.h"

#include <string.h>

/* ---- element types ---------------------------------------------------------------------------- */

const char *tw_contract_dtype_name(struct contract_dtype t)
{
    return t.is_bool ? "bool" : tw_num_format(t.format)->dtype;
}

bool tw_contract_dtype_find(struct str name, struct contract_dtype *out)
{
    const bool is_bool = tw_str_is(name, "bool");
    *out = (struct contract_dtype){is_bool, is_bool ? NUM_U8 : tw_num_format_by_dtype(name)};
    return out->format != NUM_NONE;
}

uint32_t tw_contract_dtype_bits(struct contract_dtype t)
{
    return t.is_bool ? 8 : tw_num_bits(t.format);
}

const struct contract_arg *tw_contract_tensor(const struct contract *c, const char *name)
{
    for (uint32_t i = 0; i < c->args.len; i++)
        if (c->args.at[i].kind == CONTRACT_TENSOR && strcmp(c->args.at[i].name, name) == 0)
            return &c->args.at[i];
    for (uint32_t i = 0; i < c->tensors.len; i++)
        if (strcmp(c->tensors.at[i].name, name) == 0)
            return &c->tensors.at[i];
    return NULL;
}

uint64_t tw_contract_tensor_bytes(const struct contract_arg *a)
{
    uint64_t bits = tw_contract_dtype_bits(a->dtype);
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->shape[i] != 0 && bits > (UINT64_MAX - 7) / (uint64_t)a->shape[i])
            return UINT64_MAX;
        bits *= (uint64_t)a->shape[i];
    }
    return (bits + 7) / 8;
}

/* ---- reading ------------------------------------------------------------------------------------ */

struct src_span tw_contract_span(const struct contract_reader *r, const struct json *v)
{
    return (struct src_span){r->file, v->begin, v->end};
}

bool tw_contract_wrong_type(struct contract_reader *r, const struct json *at, const char *field, const char *expected)
{
    struct diag *d = tw_diag(r->diags, E0611, tw_contract_span(r, at), "field \"%s\" of the launch contract has the wrong type", field);
    tw_diag_expected(d, "%s", expected);
    tw_diag_found(d, "%s", tw_json_kind_name(at->kind));
    return false;
}

bool tw_contract_missing(struct contract_reader *r, const struct json *object, const char *field, const char *expected)
{
    struct diag *d = tw_diag(r->diags, E0611, tw_contract_span(r, object), "the launch contract lacks \"%s\" here", field);
    tw_diag_expected(d, "%s", expected);
    return false;
}

static bool is_listed(struct str key, const char *const *known)
{
    for (uint32_t k = 0; known[k] != NULL; k++)
        if (tw_str_is(key, known[k]))
            return true;
    return false;
}

/* Refuses keys that are not in the NULL-terminated list. */
bool tw_contract_check_keys(struct contract_reader *r, const struct json *object, const char *const *known)
{
    for (uint32_t i = 0; i < object->count; i++) {
        if (is_listed(object->keys[i], known)) {
            if (tw_json_get(object, object->keys[i].at) == &object->items[i])
                continue;
            tw_diag(r->diags, E0612, tw_contract_span(r, &object->items[i]), "field \"" STR_FMT "\" is there twice", STR_ARG(object->keys[i]));
            return false;
        }
        struct text list;
        tw_text_init(&list, r->arena);
        for (uint32_t k = 0; known[k] != NULL; k++)
            tw_text_addf(&list, k == 0 ? "%s" : ", %s", known[k]);
        struct diag *d = tw_diag(r->diags, E0612, tw_contract_span(r, &object->items[i]), "unknown field \"" STR_FMT "\"",
                                 STR_ARG(object->keys[i]));
        tw_diag_expected(d, "one of: %s", list.at);
        return false;
    }
    return true;
}

bool tw_contract_read_count(struct contract_reader *r, const struct json *v, const char *field, int64_t low, int64_t high, int64_t *out)
{
    if (!tw_json_int(v, out) || *out < low || *out > high) {
        struct diag *d = tw_diag(r->diags, E0611, tw_contract_span(r, v), "field \"%s\" of the launch contract is out of range", field);
        tw_diag_expected(d, "an integer from %lld to %lld", (long long)low, (long long)high);
        tw_diag_found(d, "%s", v->kind == JSON_NUMBER ? v->text.at : tw_json_kind_name(v->kind));
        return false;
    }
    return true;
}

/* One to three positive integers, or one integer alone; absent dimensions are 1. */
static bool read_dims(struct contract_reader *r, const struct json *object, const char *field, uint32_t out[3])
{
    const struct json *v = tw_json_get(object, field);
    out[0] = out[1] = out[2] = v == NULL && strcmp(field, "grid") != 0 ? 0 : 1; /* left out: the kernel's own */
    if (v == NULL)
        return true;
    const struct json *items = v->kind == JSON_ARRAY ? v->items : v;
    const uint32_t count = v->kind == JSON_ARRAY ? v->count : 1;
    if (count < 1 || count > 3) {
        struct diag *d = tw_diag(r->diags, E0611, tw_contract_span(r, v), "field \"%s\" of the launch contract has %u dimensions", field, count);
        tw_diag_expected(d, "one to three positive integers");
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        int64_t n;
        if (!tw_contract_read_count(r, &items[i], field, 1, INT32_MAX, &n))
            return false;
        out[i] = (uint32_t)n;
    }
    return true;
}

bool tw_contract_read_name(struct contract_reader *r, const struct json *object, const char *field, const char **out)
{
    const struct json *v = tw_json_get(object, field);
    if (v == NULL)
        return tw_contract_missing(r, object, field, "a string");
    if (v->kind != JSON_STRING)
        return tw_contract_wrong_type(r, v, field, "a string");
    *out = v->text.at;
    return true;
}

static bool read_dtype(struct contract_reader *r, const struct json *object, struct contract_arg *a)
{
    const char *name;
    if (!tw_contract_read_name(r, object, "dtype", &name))
        return false;
    if (tw_contract_dtype_find(tw_str(name), &a->dtype))
        return true;
    struct text list;
    tw_text_init(&list, r->arena);
    for (int f = 0; f < NUM_FORMAT_COUNT; f++)
        if (tw_num_format((enum num_format)f)->dtype != NULL)
            tw_text_addf(&list, "%s, ", tw_num_format((enum num_format)f)->dtype);
    struct diag *d = tw_diag(r->diags, E0613, tw_contract_span(r, tw_json_get(object, "dtype")), "unknown dtype \"%s\"", name);
    tw_diag_expected(d, "one of: %sbool", list.at);
    return false;
}

static bool read_shape(struct contract_reader *r, const struct json *object, struct contract_arg *a)
{
    const struct json *v = tw_json_get(object, "shape");
    if (v == NULL)
        return tw_contract_missing(r, object, "shape", "an array of integers");
    if (v->kind != JSON_ARRAY || v->count > TW_MAX_RANK)
        return tw_contract_wrong_type(r, v, "shape", "an array of at most 16 integers");
    a->rank = v->count;
    for (uint32_t i = 0; i < v->count; i++)
        if (!tw_contract_read_count(r, &v->items[i], "shape", 0, INT64_MAX / 2, &a->shape[i]))
            return false;
    return true;
}

static bool read_value(struct contract_reader *r, const struct json *object, struct contract_arg *a)
{
    const struct json *v = tw_json_get(object, "value");
    if (v == NULL)
        return true;
    if (v->kind == JSON_BOOL)
        a->value = v->boolean ? "true" : "false";
    else if (v->kind == JSON_NUMBER || v->kind == JSON_STRING)
        a->value = v->text.at;
    else
        return tw_contract_wrong_type(r, v, "value", "a number, a boolean, or a string that holds one");
    return true;
}

static const char *const use_names[CONTRACT_USE_COUNT] = {
    [CONTRACT_IN] = "in", [CONTRACT_FILL] = "fill", [CONTRACT_OUT] = "out", [CONTRACT_EXPECT] = "expect"};

/* A field that means something beside another one only. */
static bool check_pair(struct contract_reader *r, const struct json *object, const char *field, const char *other, bool there)
{
    const struct json *const v = tw_json_get(object, field);
    if (v == NULL || there == (tw_json_get(object, other) != NULL))
        return true;
    struct diag *d = tw_diag(r->diags, E0611, tw_contract_span(r, v), "field \"%s\" of the launch contract stands %s \"%s\"", field,
                             there ? "without" : "beside", other);
    if (there)
        tw_diag_expected(d, "\"%s\" beside it", other);
    else
        tw_diag_expected(d, "one of them");
    return false;
}

static bool read_tolerance(struct contract_reader *r, const struct json *object, const char *field, const char **out)
{
    const struct json *const v = tw_json_get(object, field);
    uint64_t word;
    if (v == NULL)
        return true;
    if (v->kind != JSON_NUMBER)
        return tw_contract_wrong_type(r, v, field, "a number, 0 or more");
    *out = v->text.at;
    if (v->text.at[0] != '-' && tw_num_parse_decimal(v->text, NUM_F64, &word) == NUM_PARSED)
        return true;
    struct diag *d = tw_diag(r->diags, E0611, tw_contract_span(r, v), "field \"%s\" of the launch contract is out of range", field);
    tw_diag_expected(d, "a number, 0 or more, of binary64");
    tw_diag_found(d, "%s", v->text.at);
    return false;
}

static bool read_use(struct contract_reader *r, const struct json *object, const char *field, const char **out)
{
    const struct json *const v = tw_json_get(object, field);
    if (v == NULL)
        return true;
    if (!tw_contract_read_name(r, object, field, out))
        return false;
    return **out != '\0' || tw_contract_wrong_type(r, v, field, "a string that is not empty");
}

static bool read_uses(struct contract_reader *r, const struct json *v, struct contract_arg *a)
{
    const struct json *const seed = tw_json_get(v, "seed");
    int64_t n = 0;
    for (unsigned use = 0; use < CONTRACT_USE_COUNT; use++)
        if (!read_use(r, v, use_names[use], &a->uses[use]))
            return false;
    if (seed != NULL && !tw_contract_read_count(r, seed, "seed", 0, INT64_MAX, &n))
        return false;
    a->seed = (uint64_t)n;
    return read_tolerance(r, v, "rtol", &a->rtol) && read_tolerance(r, v, "atol", &a->atol) && check_pair(r, v, "fill", "in", false) &&
           check_pair(r, v, "seed", "fill", true) && check_pair(r, v, "rtol", "expect", true) && check_pair(r, v, "atol", "expect", true);
}

static bool read_tensor(struct contract_reader *r, const struct json *v, struct contract_arg *a)
{
    return read_dtype(r, v, a) && read_shape(r, v, a) && read_uses(r, v, a);
}

static bool read_scalar(struct contract_reader *r, const struct json *v, struct contract_arg *a)
{
    return read_dtype(r, v, a) && read_value(r, v, a);
}

static bool read_null(struct contract_reader *r, const struct json *v, struct contract_arg *a)
{
    (void)r, (void)v, (void)a;
    return true;
}

static bool read_scratch(struct contract_reader *r, const struct json *v, struct contract_arg *a)
{
    const struct json *const bytes = tw_json_get(v, "bytes");
    int64_t n;
    if (bytes == NULL)
        return tw_contract_missing(r, v, "bytes", "an integer");
    if (!tw_contract_read_count(r, bytes, "bytes", 0, INT64_MAX / 2, &n))
        return false;
    a->scratch_bytes = (uint64_t)n;
    return true;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool not_hexadecimal(struct contract_reader *r, const struct json *v, const char *expected, const char *found)
{
    struct diag *d = tw_diag(r->diags, E0611, tw_contract_span(r, v), "field \"value\" of the launch contract is not hexadecimal");
    tw_diag_expected(d, "%s", expected);
    tw_diag_found(d, "%s", found);
    return false;
}

/* Two hexadecimal digits a byte, in the order of memory. */
static bool read_bytes(struct contract_reader *r, const struct json *object, struct contract_arg *a)
{
    static const char expected[] = "a string of two hexadecimal digits a byte";
    const struct json *const v = tw_json_get(object, "value");
    if (v == NULL)
        return tw_contract_missing(r, object, "value", expected);
    if (v->kind != JSON_STRING)
        return tw_contract_wrong_type(r, v, "value", expected);
    if (v->text.len % 2 != 0)
        return not_hexadecimal(r, v, expected, "an odd number of them");
    uint8_t *const bytes = arena_new(r->arena, uint8_t, v->text.len / 2 + 1);
    for (size_t i = 0; i < v->text.len; i++) {
        const int digit = hex_digit(v->text.at[i]);
        if (digit < 0)
            return not_hexadecimal(r, v, expected, tw_format(r->arena, "character %zu is no such digit", i + 1));
        bytes[i / 2] = (uint8_t)(bytes[i / 2] << 4 | digit);
    }
    a->bytes = bytes;
    a->byte_count = (uint32_t)(v->text.len / 2);
    return true;
}

#define TENSOR_KEYS "dtype", "shape", "in", "fill", "seed", "out", "expect", "rtol", "atol"
static const struct {
    const char *name;
    const char *const keys[16];
    bool (*read)(struct contract_reader *r, const struct json *v, struct contract_arg *a);
} kinds[] = {
    [CONTRACT_TENSOR] = {"tensor", {"name", "kind", TENSOR_KEYS, NULL}, read_tensor},
    [CONTRACT_SCALAR] = {"scalar", {"name", "kind", "dtype", "value", NULL}, read_scalar},
    [CONTRACT_NULL] = {"null", {"name", "kind", NULL}, read_null},
    [CONTRACT_SCRATCH] = {"scratch", {"name", "kind", "bytes", NULL}, read_scratch},
    [CONTRACT_TENSOR_MAP] = {"tensor_map",
                             {"name", "kind", "tensor", "dtype", "dims", "strides", "box", "element_strides", "swizzle", "interleave", "fill",
                              "l2", "im2col", NULL},
                             tw_contract_read_map},
    [CONTRACT_BYTES] = {"bytes", {"name", "kind", "value", NULL}, read_bytes},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static bool read_arg(struct contract_reader *r, const struct json *v, struct contract_arg *a)
{
    const char *kind;
    if (v->kind != JSON_OBJECT)
        return tw_contract_wrong_type(r, v, "args", "an array of objects");
    a->at = tw_contract_span(r, v);
    if (!tw_contract_read_name(r, v, "name", &a->name) || !tw_contract_read_name(r, v, "kind", &kind))
        return false;
    for (unsigned k = 0; k < KIND_COUNT; k++)
        if (strcmp(kind, kinds[k].name) == 0) {
            a->kind = (enum contract_kind)k;
            return tw_contract_check_keys(r, v, kinds[k].keys) && kinds[k].read(r, v, a);
        }
    struct diag *d = tw_diag(r->diags, E0611, tw_contract_span(r, tw_json_get(v, "kind")), "unknown kind of argument \"%s\"", kind);
    tw_diag_expected(d, "tensor, scalar, null, scratch, tensor_map or bytes");
    return false;
}

/* Tensors in global memory that are no parameters themselves. */
static bool read_tensors(struct contract_reader *r, const struct json *object, struct contract *c)
{
    static const char *const keys[] = {"name", TENSOR_KEYS, NULL};
    const struct json *v = tw_json_get(object, "tensors");
    if (v != NULL && v->kind != JSON_ARRAY)
        return tw_contract_wrong_type(r, v, "tensors", "an array of objects");
    for (uint32_t i = 0; v != NULL && i < v->count; i++) {
        const struct json *const item = &v->items[i];
        struct contract_arg a = {.kind = CONTRACT_TENSOR, .at = tw_contract_span(r, item)};
        if (item->kind != JSON_OBJECT)
            return tw_contract_wrong_type(r, item, "tensors", "an array of objects");
        if (!tw_contract_read_name(r, item, "name", &a.name) || !tw_contract_check_keys(r, item, keys) || !read_tensor(r, item, &a))
            return false;
        *vec_push(r->arena, &c->tensors) = a;
    }
    return true;
}

static bool read_args(struct contract_reader *r, const struct json *object, struct contract *c)
{
    const struct json *v = tw_json_get(object, "args");
    if (v == NULL)
        return tw_contract_missing(r, object, "args", "an array with one object a parameter");
    if (v->kind != JSON_ARRAY)
        return tw_contract_wrong_type(r, v, "args", "an array with one object a parameter");
    for (uint32_t i = 0; i < v->count; i++) {
        struct contract_arg a = {0};
        if (!read_arg(r, &v->items[i], &a))
            return false;
        *vec_push(r->arena, &c->args) = a;
    }
    return true;
}

static bool is_named(const struct contract_arg *a)
{
    return a->kind == CONTRACT_TENSOR || a->kind == CONTRACT_SCALAR;
}

static const struct contract_arg *arg_at(const struct contract *c, uint32_t i)
{
    return i < c->args.len ? &c->args.at[i] : &c->tensors.at[i - c->args.len];
}

/* Options call tensors and scalars by name, and maps name their tensor. */
static bool check_names(struct contract_reader *r, const struct contract *c)
{
    struct strmap tensors, scalars;
    tw_strmap_init(&tensors, r->arena);
    tw_strmap_init(&scalars, r->arena);
    for (uint32_t i = 0; i < c->args.len + c->tensors.len; i++) {
        const struct contract_arg *const a = arg_at(c, i);
        if (!is_named(a))
            continue;
        struct strmap *const names = a->kind == CONTRACT_TENSOR ? &tensors : &scalars;
        const uint32_t *const first = tw_strmap_get(names, tw_str(a->name));
        if (first != NULL) {
            struct diag *d = tw_diag(r->diags, E0611, a->at, "two %ss of the launch contract are called \"%s\"", kinds[a->kind].name, a->name);
            tw_diag_note(d, arg_at(c, *first)->at, "the first is here");
            return false;
        }
        tw_strmap_put(names, tw_str(a->name), i);
    }
    return true;
}

/* Once all tensors are known. */
static bool resolve_maps(struct contract_reader *r, struct contract *c)
{
    for (uint32_t i = 0; i < c->args.len; i++)
        if (c->args.at[i].kind == CONTRACT_TENSOR_MAP && !tw_contract_resolve_map(r, c, &c->args.at[i]))
            return false;
    return true;
}

static bool read_contract(struct contract_reader *r, const struct json *v, struct contract *c)
{
    static const char *const keys[] = {"entry", "grid", "block", "cluster", "dynamic_shared_bytes", "args", "tensors", NULL};
    if (v->kind != JSON_OBJECT) {
        struct diag *d = tw_diag(r->diags, E0611, tw_contract_span(r, v), "the launch contract is no object");
        tw_diag_expected(d, "{\"entry\": ..., \"args\": [...]}");
        tw_diag_found(d, "%s", tw_json_kind_name(v->kind));
        return false;
    }
    c->at = tw_contract_span(r, v);
    const struct json *dynamic = tw_json_get(v, "dynamic_shared_bytes");
    int64_t bytes = 0;
    if (!tw_contract_check_keys(r, v, keys) || !tw_contract_read_name(r, v, "entry", &c->entry) || !read_dims(r, v, "grid", c->grid) ||
        !read_dims(r, v, "block", c->block) || !read_dims(r, v, "cluster", c->cluster) ||
        (dynamic != NULL && !tw_contract_read_count(r, dynamic, "dynamic_shared_bytes", 0, TW_SHARED_CTA_BYTES, &bytes)))
        return false;
    c->dynamic_shared_bytes = (uint32_t)bytes;
    c->entry_at = tw_contract_span(r, tw_json_get(v, "entry"));
    return read_args(r, v, c) && read_tensors(r, v, c) && check_names(r, c) && resolve_maps(r, c);
}

static void not_json(const struct contract_reader *r, const struct json_error *error)
{
    static const char expected[] = "expected ";
    const struct str text = r->diags->sources->files.at[r->file - 1].text;
    struct diag *d = tw_diag(r->diags, E0610, (struct src_span){r->file, error->at, error->at + 1}, "the launch contract is not JSON");
    if (strncmp(error->what, expected, sizeof expected - 1) != 0) {
        tw_diag_found(d, "%s", error->what);
        return;
    }
    tw_diag_expected(d, "%s", error->what + sizeof expected - 1);
    if (error->at == 0 && text.len >= 3 && memcmp(text.at, "\xef\xbb\xbf", 3) == 0)
        tw_diag_found(d, "a byte order mark");
    else if (error->at < text.len && text.at[error->at] >= ' ' && text.at[error->at] < 0x7f)
        tw_diag_found(d, "'%c'", text.at[error->at]);
    else
        tw_diag_found(d, error->at < text.len ? "another character" : "the end of the text");
}

const struct contract *tw_contract_read(struct arena *arena, uint32_t file, struct diags *diags)
{
    struct contract_reader r = {arena, diags, file};
    struct json_error error;
    const struct json *v = tw_json_read(arena, diags->sources->files.at[file - 1].text, &error);
    if (v == NULL) {
        not_json(&r, &error);
        return NULL;
    }
    struct contract *c = arena_new(arena, struct contract, 1);
    return read_contract(&r, v, c) ? c : NULL;
}

/* ---- writing -------------------------------------------------------------------------------------- */

static void write_dims(struct text *out, const char *gap, const char *key, const uint32_t dims[3])
{
    if (dims[0] != 0)
        tw_text_addf(out, "%s\"%s\": [%u, %u, %u]", gap, key, dims[0], dims[1], dims[2]);
}

static void write_tensor(struct text *out, const struct contract_arg *a)
{
    tw_text_addf(out, ", \"dtype\": \"%s\", \"shape\": [", tw_contract_dtype_name(a->dtype));
    for (uint32_t i = 0; i < a->rank; i++)
        tw_text_addf(out, i == 0 ? "%lld" : ", %lld", (long long)a->shape[i]);
    tw_text_put(out, ']');
    for (unsigned use = 0; use < CONTRACT_USE_COUNT; use++)
        if (a->uses[use] != NULL) {
            tw_text_addf(out, ", \"%s\": ", use_names[use]);
            tw_text_add_json(out, tw_str(a->uses[use]));
        }
    if (a->seed != 0)
        tw_text_addf(out, ", \"seed\": %llu", (unsigned long long)a->seed);
    if (a->rtol != NULL)
        tw_text_addf(out, ", \"rtol\": %s", a->rtol);
    if (a->atol != NULL)
        tw_text_addf(out, ", \"atol\": %s", a->atol);
}

static void write_scalar(struct text *out, const struct contract_arg *a)
{
    tw_text_addf(out, ", \"dtype\": \"%s\"", tw_contract_dtype_name(a->dtype));
    if (a->value != NULL) {
        tw_text_add(out, ", \"value\": ");
        tw_text_add_json(out, tw_str(a->value));
    }
}

static void write_bytes(struct text *out, const struct contract_arg *a)
{
    tw_text_add(out, ", \"value\": \"");
    for (uint32_t i = 0; i < a->byte_count; i++)
        tw_text_addf(out, "%02x", a->bytes[i]);
    tw_text_put(out, '"');
}

static void write_arg(struct text *out, const struct contract_arg *a, bool is_arg)
{
    tw_text_add(out, "    {\"name\": ");
    tw_text_add_json(out, tw_str(a->name));
    if (is_arg)
        tw_text_addf(out, ", \"kind\": \"%s\"", kinds[a->kind].name);
    if (a->kind == CONTRACT_TENSOR)
        write_tensor(out, a);
    else if (a->kind == CONTRACT_SCALAR)
        write_scalar(out, a);
    else if (a->kind == CONTRACT_SCRATCH)
        tw_text_addf(out, ", \"bytes\": %llu", (unsigned long long)a->scratch_bytes);
    else if (a->kind == CONTRACT_TENSOR_MAP && a->map != NULL)
        tw_contract_write_map(out, a->map);
    else if (a->kind == CONTRACT_BYTES)
        write_bytes(out, a);
    tw_text_put(out, '}');
}

void tw_contract_write(const struct contract *c, struct text *out)
{
    tw_text_add(out, "{\n  \"entry\": ");
    tw_text_add_json(out, tw_str(c->entry));
    tw_text_add(out, ",\n  ");
    write_dims(out, "", "grid", c->grid);
    write_dims(out, ", ", "block", c->block);
    write_dims(out, ", ", "cluster", c->cluster);
    tw_text_addf(out, ",\n  \"dynamic_shared_bytes\": %u,\n  \"args\": [", c->dynamic_shared_bytes);
    for (uint32_t i = 0; i < c->args.len; i++) {
        tw_text_add(out, i == 0 ? "\n" : ",\n");
        write_arg(out, &c->args.at[i], true);
    }
    tw_text_add(out, c->args.len == 0 ? "]" : "\n  ]");
    for (uint32_t i = 0; i < c->tensors.len; i++) {
        tw_text_add(out, i == 0 ? ",\n  \"tensors\": [\n" : ",\n");
        write_arg(out, &c->tensors.at[i], false);
    }
    tw_text_add(out, c->tensors.len == 0 ? "\n}\n" : "\n  ]\n}\n");
}
