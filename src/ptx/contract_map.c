/* Arguments of kind tensor_map. What is not written follows from the tensor: element type, extents, dense strides.
 * Ranges of single numbers are judged here; the rules between them when the map is encoded (isa/tensor_map.h). */
#include "ptx/contract_read.h"

#include <inttypes.h>
#include <string.h>

static const uint64_t MOST_BYTES = UINT64_C(1) << 62; /* and most elements of a dim: what is computed stays readable */

/* ---- Fields --------------------------------------------------------------------------------------- */

static void written(struct contract_reader *r, struct contract_map *m, enum tensor_map_field field, const struct json *v)
{
    m->field_at[field] = tw_contract_span(r, v);
}

/* An array of one to five integers; absent: *count 0. */
static bool read_numbers(struct contract_reader *r, const struct json *object, const char *field, int64_t low, int64_t high, int64_t out[TENSOR_MAP_RANK],
                         uint32_t *count)
{
    const struct json *const v = tw_json_get(object, field);
    *count = 0;
    if (v == NULL)
        return true;
    if (v->kind != JSON_ARRAY || v->count > TENSOR_MAP_RANK)
        return tw_contract_wrong_type(r, v, field, "an array of at most five integers");
    for (uint32_t i = 0; i < v->count; i++)
        if (!tw_contract_read_count(r, &v->items[i], field, low, high, &out[i]))
            return false;
    *count = v->count;
    return true;
}

static bool read_dims(struct contract_reader *r, const struct json *v, struct contract_map *m)
{
    int64_t n[TENSOR_MAP_RANK];
    uint32_t count;
    if (!read_numbers(r, v, "dims", 0, (int64_t)MOST_BYTES, n, &count))
        return false;
    m->has_dims = tw_json_get(v, "dims") != NULL;
    for (uint32_t d = 0; d < count; d++)
        m->map.dims[d] = (uint64_t)n[d];
    if (m->has_dims) {
        m->map.rank = count;
        written(r, m, TMAP_FIELD_DIMS, tw_json_get(v, "dims"));
        written(r, m, TMAP_FIELD_RANK, tw_json_get(v, "dims"));
    }
    return true;
}

static bool read_strides(struct contract_reader *r, const struct json *v, struct contract_map *m)
{
    int64_t n[TENSOR_MAP_RANK];
    if (!read_numbers(r, v, "strides", 0, (int64_t)MOST_BYTES, n, &m->stride_count))
        return false;
    m->has_strides = tw_json_get(v, "strides") != NULL;
    if (m->stride_count >= TENSOR_MAP_RANK)
        return tw_contract_wrong_type(r, tw_json_get(v, "strides"), "strides", "an array of at most four integers, the bytes of dims 1 and up");
    for (uint32_t d = 0; d < m->stride_count; d++)
        m->map.strides[d + 1] = (uint64_t)n[d];
    if (m->has_strides)
        written(r, m, TMAP_FIELD_STRIDES, tw_json_get(v, "strides"));
    return true;
}

static bool read_box(struct contract_reader *r, const struct json *v, struct contract_map *m)
{
    int64_t n[TENSOR_MAP_RANK];
    if (!read_numbers(r, v, "box", 0, UINT32_MAX, n, &m->box_count))
        return false;
    for (uint32_t d = 0; d < m->box_count; d++)
        m->map.box[d] = (uint32_t)n[d];
    if (m->box_count != 0)
        written(r, m, TMAP_FIELD_BOX, tw_json_get(v, "box"));
    if (!read_numbers(r, v, "element_strides", 0, UINT32_MAX, n, &m->element_stride_count))
        return false;
    for (uint32_t d = 0; d < TENSOR_MAP_RANK; d++)
        m->map.element_strides[d] = d < m->element_stride_count ? (uint32_t)n[d] : 1;
    if (m->element_stride_count != 0)
        written(r, m, TMAP_FIELD_ELEMENT_STRIDES, tw_json_get(v, "element_strides"));
    return true;
}

static bool read_corner(struct contract_reader *r, const struct json *v, const char *field, int32_t out[TENSOR_MAP_SPATIAL])
{
    int64_t n[TENSOR_MAP_RANK];
    uint32_t count;
    if (!read_numbers(r, v, field, INT16_MIN, INT16_MAX, n, &count))
        return false;
    if (count > TENSOR_MAP_SPATIAL)
        return tw_contract_wrong_type(r, tw_json_get(v, field), field, "an array of at most three integers, for W, H and D");
    for (uint32_t d = 0; d < count; d++)
        out[d] = (int32_t)n[d];
    return true;
}

static bool read_im2col(struct contract_reader *r, const struct json *object, struct contract_map *m)
{
    static const char *const keys[] = {"lower", "upper", "channels", "pixels", NULL};
    const struct json *const v = tw_json_get(object, "im2col");
    if (v == NULL)
        return true;
    if (v->kind != JSON_OBJECT)
        return tw_contract_wrong_type(r, v, "im2col", "an object");
    const struct json *const channels = tw_json_get(v, "channels"), *const pixels = tw_json_get(v, "pixels");
    int64_t c, p;
    m->map.mode = TMAP_IM2COL;
    if (!tw_contract_check_keys(r, v, keys) || !read_corner(r, v, "lower", m->map.lower) || !read_corner(r, v, "upper", m->map.upper))
        return false;
    if (channels == NULL || pixels == NULL)
        return tw_contract_missing(r, v, channels == NULL ? "channels" : "pixels", "an integer");
    if (!tw_contract_read_count(r, channels, "channels", 0, UINT32_MAX, &c) || !tw_contract_read_count(r, pixels, "pixels", 0, UINT32_MAX, &p))
        return false;
    m->map.channels = (uint32_t)c;
    m->map.pixels = (uint32_t)p;
    written(r, m, TMAP_FIELD_CORNERS, v);
    written(r, m, TMAP_FIELD_CHANNELS, channels);
    written(r, m, TMAP_FIELD_PIXELS, pixels);
    return true;
}

/* A name out of a NULL-terminated list; absent: the first. */
static bool read_choice(struct contract_reader *r, const struct json *object, const char *field, const char *const *names, uint32_t *out)
{
    const struct json *const v = tw_json_get(object, field);
    *out = 0;
    if (v == NULL)
        return true;
    if (v->kind != JSON_STRING)
        return tw_contract_wrong_type(r, v, field, "a string");
    for (uint32_t i = 0; names[i] != NULL; i++)
        if (tw_str_is(v->text, names[i])) {
            *out = i;
            return true;
        }
    struct text list;
    tw_text_init(&list, r->arena);
    for (uint32_t i = 0; names[i] != NULL; i++)
        tw_text_addf(&list, i == 0 ? "%s" : ", %s", names[i]);
    struct diag *const d = tw_diag(r->diags, E0611, tw_contract_span(r, v), "field \"%s\" of the launch contract has no value \"" STR_FMT "\"", field,
                                   STR_ARG(v->text));
    tw_diag_expected(d, "one of: %s", list.at);
    return false;
}

static bool read_choices(struct contract_reader *r, const struct json *v, struct contract_map *m)
{
    const char *swizzles[TMAP_SWIZZLE_COUNT + 1] = {0};
    uint32_t swizzle, interleave, fill, l2;
    for (unsigned i = 0; i < TMAP_SWIZZLE_COUNT; i++)
        swizzles[i] = tw_tensor_map_swizzle((enum tensor_map_swizzle)i)->name;
    if (!read_choice(r, v, "swizzle", swizzles, &swizzle) || !read_choice(r, v, "interleave", tw_tensor_map_interleave_names, &interleave) ||
        !read_choice(r, v, "fill", tw_tensor_map_fill_names, &fill) || !read_choice(r, v, "l2", tw_tensor_map_l2_names, &l2))
        return false;
    m->map.swizzle = (enum tensor_map_swizzle)swizzle;
    m->map.interleave = (enum tensor_map_interleave)interleave;
    m->map.fill = (enum tensor_map_fill)fill;
    m->map.l2 = (enum tensor_map_l2)l2;
    static const struct { enum tensor_map_field field; const char *name; } places[] = {
        {TMAP_FIELD_SWIZZLE, "swizzle"}, {TMAP_FIELD_INTERLEAVE, "interleave"}, {TMAP_FIELD_FILL, "fill"}, {TMAP_FIELD_L2, "l2"}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (tw_json_get(v, places[i].name) != NULL)
            written(r, m, places[i].field, tw_json_get(v, places[i].name));
    return true;
}

static bool read_type(struct contract_reader *r, const struct json *object, struct contract_map *m)
{
    const struct json *const v = tw_json_get(object, "dtype");
    if (v == NULL)
        return true;
    if (v->kind != JSON_STRING)
        return tw_contract_wrong_type(r, v, "dtype", "a string");
    m->map.type = tw_tensor_map_type_find(v->text);
    m->has_type = true;
    written(r, m, TMAP_FIELD_TYPE, v);
    if (m->map.type != TMAP_TYPE_COUNT)
        return true;
    struct text list;
    tw_text_init(&list, r->arena);
    for (unsigned i = 0; i < TMAP_TYPE_COUNT; i++)
        tw_text_addf(&list, "%s, ", tw_tensor_map_type((enum tensor_map_type)i)->name);
    struct diag *const d = tw_diag(r->diags, E0613, tw_contract_span(r, v), "unknown element type \"" STR_FMT "\" of a tensor map", STR_ARG(v->text));
    tw_diag_expected(d, "one of: %sor a dtype of the kernel language that is one of them", list.at);
    return false;
}

bool tw_contract_read_map(struct contract_reader *r, const struct json *v, struct contract_arg *a)
{
    struct contract_map *const m = arena_new(r->arena, struct contract_map, 1);
    a->map = m;
    if (!tw_contract_read_name(r, v, "tensor", &m->tensor))
        return false;
    m->tensor_at = tw_contract_span(r, tw_json_get(v, "tensor"));
    if (!read_type(r, v, m) || !read_dims(r, v, m) || !read_strides(r, v, m) || !read_box(r, v, m) || !read_im2col(r, v, m) || !read_choices(r, v, m))
        return false;
    if (m->map.mode == TMAP_TILE && m->box_count == 0)
        return tw_contract_missing(r, v, "box", "an array of integers, innermost first, or \"im2col\"");
    if (m->map.mode != TMAP_TILE && m->box_count != 0)
        return tw_contract_wrong_type(r, tw_json_get(v, "box"), "box", "no box: the map is of the im2col kind");
    return true;
}

/* ---- What follows from the tensor ------------------------------------------------------------------ */

static bool wrong_length(struct contract_reader *r, const struct contract_map *m, const struct contract_arg *a, enum tensor_map_field field, const char *name,
                         uint32_t want, uint32_t found)
{
    struct diag *const d = tw_diag(r->diags, E0611, m->field_at[field].file != 0 ? m->field_at[field] : a->at,
                                   "field \"%s\" of tensor map '%s' has the wrong length", name, a->name);
    tw_diag_expected(d, "%u number%s for a map of rank %u", want, want == 1 ? "" : "s", m->map.rank);
    tw_diag_found(d, "%u", found);
    return false;
}

static bool follow_type(struct contract_reader *r, const struct contract_arg *tensor, const struct contract_arg *a)
{
    struct contract_map *const m = a->map;
    if (!m->has_type)
        m->map.type = tw_tensor_map_type_find(tw_str(tw_contract_dtype_name(tensor->dtype)));
    if (m->map.type != TMAP_TYPE_COUNT)
        return true;
    struct diag *const d = tw_diag(r->diags, E0611, a->at, "no tensor map has elements of type %s", tw_contract_dtype_name(tensor->dtype));
    tw_diag_fix(d, "write a \"dtype\" of the same width");
    return false;
}

static bool follow_dims(struct contract_reader *r, const struct contract_arg *tensor, const struct contract_arg *a)
{
    struct contract_map *const m = a->map;
    if (m->has_dims)
        return true;
    if (tensor->rank > TENSOR_MAP_RANK || tensor->rank == 0 || tw_contract_dtype_bits(tensor->dtype) != tw_tensor_map_type(m->map.type)->global_bits) {
        struct diag *const d = tw_diag(r->diags, E0611, a->at, "the dims of tensor map '%s' do not follow from tensor '%s'", a->name, tensor->name);
        tw_diag_expected(d, "a tensor of rank 1 to 5 with elements as wide as the map's");
        tw_diag_fix(d, "write \"dims\", innermost first, and \"strides\"");
        return false;
    }
    m->map.rank = tensor->rank;
    for (uint32_t i = 0; i < tensor->rank; i++)
        m->map.dims[i] = (uint64_t)tensor->shape[tensor->rank - 1 - i];
    return true;
}

static bool too_large(struct contract_reader *r, const struct contract_arg *a)
{
    const struct contract_map *const m = a->map;
    struct diag *const d = tw_diag(r->diags, E0611, m->field_at[TMAP_FIELD_DIMS].file != 0 ? m->field_at[TMAP_FIELD_DIMS] : a->at,
                                   "the strides of tensor map '%s' do not follow from its dims", a->name);
    tw_diag_expected(d, "dims of at most %" PRIu64 " bytes together", MOST_BYTES);
    tw_diag_fix(d, "write \"strides\", or smaller \"dims\"");
    return false;
}

/* Those of a dense tensor, unless they are written. */
static bool follow_strides(struct contract_reader *r, const struct contract_arg *a)
{
    struct contract_map *const m = a->map;
    const uint32_t bits = tw_tensor_map_type(m->map.type)->global_bits;
    if (m->has_strides)
        return true;
    if (m->map.dims[0] > MOST_BYTES / bits)
        return too_large(r, a);
    uint64_t stride = m->map.dims[0] * bits / 8;
    for (uint32_t d = 1; d < m->map.rank; d++) {
        m->map.strides[d] = stride;
        if (m->map.dims[d] != 0 && stride > MOST_BYTES / m->map.dims[d])
            return too_large(r, a);
        stride *= m->map.dims[d];
    }
    return true;
}

bool tw_contract_resolve_map(struct contract_reader *r, const struct contract *c, struct contract_arg *a)
{
    struct contract_map *const m = a->map;
    const struct contract_arg *const tensor = tw_contract_tensor(c, m->tensor);
    if (tensor == NULL) {
        struct diag *const d = tw_diag(r->diags, E0611, m->tensor_at, "tensor map '%s' is of a tensor '%s' that the contract does not have", a->name, m->tensor);
        tw_diag_expected(d, "the name of an argument of kind tensor, or of one of \"tensors\"");
        return false;
    }
    if (!follow_type(r, tensor, a) || !follow_dims(r, tensor, a))
        return false;
    if (m->map.mode == TMAP_IM2COL && m->map.rank < 3) {
        struct diag *const d = tw_diag(r->diags, E0611, a->at, "tensor map '%s' of the im2col kind has rank %u", a->name, m->map.rank);
        tw_diag_expected(d, "rank 3 to 5: channels, W, H, D as there are, images");
        return false;
    }
    if (m->has_strides && m->stride_count + 1 != m->map.rank)
        return wrong_length(r, m, a, TMAP_FIELD_STRIDES, "strides", m->map.rank - 1, m->stride_count);
    if (m->map.mode == TMAP_TILE && m->box_count != m->map.rank)
        return wrong_length(r, m, a, TMAP_FIELD_BOX, "box", m->map.rank, m->box_count);
    if (m->element_stride_count != 0 && m->element_stride_count != m->map.rank)
        return wrong_length(r, m, a, TMAP_FIELD_ELEMENT_STRIDES, "element_strides", m->map.rank, m->element_stride_count);
    return follow_strides(r, a);
}

/* ---- Writing ---------------------------------------------------------------------------------------- */

static void write_numbers(struct text *out, const char *field, const uint64_t *n, uint32_t count)
{
    tw_text_addf(out, ", \"%s\": [", field);
    for (uint32_t i = 0; i < count; i++)
        tw_text_addf(out, i == 0 ? "%" PRIu64 : ", %" PRIu64, n[i]);
    tw_text_put(out, ']');
}

static void write_narrow(struct text *out, const char *field, const uint32_t *n, uint32_t count)
{
    uint64_t wide[TENSOR_MAP_RANK];
    for (uint32_t i = 0; i < count; i++)
        wide[i] = n[i];
    write_numbers(out, field, wide, count);
}

static void write_corner(struct text *out, const char *field, const int32_t *n, uint32_t count)
{
    tw_text_addf(out, "\"%s\": [", field);
    for (uint32_t i = 0; i < count; i++)
        tw_text_addf(out, i == 0 ? "%d" : ", %d", n[i]);
    tw_text_add(out, "], ");
}

void tw_contract_write_map(struct text *out, const struct contract_map *c)
{
    const struct tensor_map *const m = &c->map;
    tw_text_add(out, ", \"tensor\": ");
    tw_text_add_json(out, tw_str(c->tensor));
    tw_text_addf(out, ", \"dtype\": \"%s\"", tw_tensor_map_type(m->type)->name);
    write_numbers(out, "dims", m->dims, m->rank);
    write_numbers(out, "strides", m->strides + 1, m->rank - 1);
    if (m->mode == TMAP_TILE) {
        write_narrow(out, "box", m->box, m->rank);
    } else {
        tw_text_add(out, ", \"im2col\": {");
        write_corner(out, "lower", m->lower, m->rank - 2);
        write_corner(out, "upper", m->upper, m->rank - 2);
        tw_text_addf(out, "\"channels\": %u, \"pixels\": %u}", m->channels, m->pixels);
    }
    write_narrow(out, "element_strides", m->element_strides, m->rank);
    tw_text_addf(out, ", \"swizzle\": \"%s\", \"interleave\": \"%s\", \"fill\": \"%s\", \"l2\": \"%s\"", tw_tensor_map_swizzle(m->swizzle)->name,
                 tw_tensor_map_interleave_names[m->interleave], tw_tensor_map_fill_names[m->fill], tw_tensor_map_l2_names[m->l2]);
}
