/* Arguments of a kernel under test: their memory, their elements, and comparison. */
#include "corpus/kernel.h"

#include "num/convert.h"

#include <math.h>

/* ---- arguments -------------------------------------------------------------------------------- */

struct argument *kernel_add(struct kernel *k, const char *name, enum argument_kind kind, enum num_format format)
{
    assert_true(k->argument_count < MAX_ARGUMENTS);
    struct argument *const a = &k->arguments[k->argument_count++];
    *a = (struct argument){.name = name, .kind = kind, .format = format};
    return a;
}

static struct argument *find(struct kernel *k, const char *name)
{
    for (uint32_t i = 0; i < k->argument_count; i++)
        if (strcmp(k->arguments[i].name, name) == 0)
            return &k->arguments[i];
    fail_msg("%s has no argument '%s'", k->name, name);
    return NULL;
}

bool argument_has_memory(const struct argument *a)
{
    return a->kind == ARGUMENT_TENSOR || a->kind == ARGUMENT_MAP;
}

/* A host tensor descriptor of Triton: the map is followed by the matrix's two sizes and its two strides in elements. */
static void describe_matrix(struct kernel *k, struct argument *map)
{
    const uint64_t values[] = {map->shape[0], map->shape[1], map->shape[1], 1};
    for (uint32_t i = 0; i < COUNT(values); i++)
        map[1 + i].value = tw_format(&k->room->arena, "%llu", (unsigned long long)values[i]);
}

/* Memory for a tensor; dims are outermost first. */
static struct argument *make_room(struct kernel *k, struct argument *a, const int *dims, uint32_t rank)
{
    assert_true(rank <= MAX_TENSOR_RANK);
    a->rank = rank;
    a->count = 1;
    for (uint32_t i = 0; i < rank; i++)
        a->count *= a->shape[i] = (uint64_t)dims[i];
    a->bytes = (a->count * tw_num_bits(a->format) + 7) / 8;
    a->before = arena_new(&k->room->arena, unsigned char, a->bytes);
    a->after = arena_new(&k->room->arena, unsigned char, a->bytes);
    if (a->kind == ARGUMENT_MAP && k->json != NULL)
        describe_matrix(k, a);
    return a;
}

static struct argument *make_room_for(struct kernel *k, struct argument *a, uint32_t rank, va_list list)
{
    int dims[MAX_TENSOR_RANK] = {0};
    for (uint32_t i = 0; i < rank && i < MAX_TENSOR_RANK; i++)
        dims[i] = va_arg(list, int);
    return make_room(k, a, dims, rank);
}

struct argument *kernel_add_tensor(struct kernel *k, const char *name, enum num_format format, uint32_t rank, ...)
{
    va_list dims;
    va_start(dims, rank);
    struct argument *const a = make_room_for(k, kernel_add(k, name, ARGUMENT_TENSOR, format), rank, dims);
    va_end(dims);
    return a;
}

struct argument *kernel_add_output(struct kernel *k, const char *name, enum num_format format, uint32_t rank, ...)
{
    va_list dims;
    va_start(dims, rank);
    struct argument *const a = make_room_for(k, kernel_add(k, name, ARGUMENT_TENSOR, format), rank, dims);
    va_end(dims);
    a->output = true;
    return a;
}

struct argument *kernel_add_map(struct kernel *k, const char *name, enum num_format format, const char *swizzle, const int *dims,
                                const int *box, uint32_t rank)
{
    struct argument *const a = make_room(k, kernel_add(k, name, ARGUMENT_MAP, format), dims, rank);
    a->swizzle = swizzle;
    for (uint32_t i = 0; i < rank; i++)
        a->box[i] = (uint32_t)box[i];
    return a;
}

struct argument *kernel_shape(struct kernel *k, const char *name, uint32_t rank, ...)
{
    va_list dims;
    va_start(dims, rank);
    struct argument *const a = make_room_for(k, find(k, name), rank, dims);
    va_end(dims);
    return a;
}

struct argument *kernel_output(struct kernel *k, const char *name, uint32_t rank, ...)
{
    va_list dims;
    va_start(dims, rank);
    struct argument *const a = make_room_for(k, find(k, name), rank, dims);
    va_end(dims);
    a->output = true;
    return a;
}

void kernel_set_int(struct kernel *k, const char *name, int64_t value)
{
    find(k, name)->value = tw_format(&k->room->arena, "%lld", (long long)value);
}

void kernel_set_float(struct kernel *k, const char *name, const char *decimal)
{
    find(k, name)->value = decimal;
}

void kernel_add_bytes(struct kernel *k, const char *name, const void *bytes, size_t count)
{
    struct text hex;
    tw_text_init(&hex, &k->room->arena);
    for (size_t i = 0; i < count; i++)
        tw_text_addf(&hex, "%02x", ((const unsigned char *)bytes)[i]);
    kernel_add(k, name, ARGUMENT_BYTES, NUM_NONE)->value = hex.at;
}

void kernel_add_int(struct kernel *k, const char *name, int64_t value)
{
    kernel_add(k, name, ARGUMENT_SCALAR, NUM_S32);
    kernel_set_int(k, name, value);
}

/* ---- elements --------------------------------------------------------------------------------------- */

static uint64_t read_word(enum num_format format, const unsigned char *bytes, uint64_t index)
{
    const unsigned width = tw_num_bits(format);
    uint64_t word = 0;
    if (width < 8)
        return (uint64_t)bytes[index * width / 8] >> index * width % 8 & ((1u << width) - 1);
    memcpy(&word, bytes + index * (width / 8), width / 8);
    return word;
}

double element(enum num_format format, const unsigned char *bytes, uint64_t index)
{
    const struct num_value v = tw_num_decode(format, read_word(format, bytes, index));
    const double magnitude = v.cls == NUM_NAN        ? (double)NAN
                             : v.cls == NUM_INFINITE ? (double)INFINITY
                             : v.cls == NUM_ZERO     ? 0.0
                                                     : ldexp((double)v.sig, v.exp);
    return v.negative ? -magnitude : magnitude;
}

void set_word(struct argument *t, uint64_t index, uint64_t word)
{
    const unsigned width = tw_num_bits(t->format);
    assert_true(index < t->count && width >= 8);
    memcpy(t->before + index * (width / 8), &word, width / 8);
}

void set_element(struct argument *t, uint64_t index, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    set_word(t, index, tw_num_convert(&(struct num_convert_how){.to = t->format, .from = NUM_F64, .rounding = NUM_RN}, bits));
    if (element(t->format, t->before, index) != value)
        fail_msg("%a is not exact in '%s'", value, t->name);
}

double *values_of(struct kernel *k, const struct argument *t, const unsigned char *bytes)
{
    double *const values = arena_new(&k->room->arena, double, t->count);
    for (uint64_t i = 0; i < t->count; i++)
        values[i] = element(t->format, bytes, i);
    return values;
}

void expect_close(struct kernel *k, const struct argument *t, const double *want, double rtol, double atol)
{
    uint64_t wrong = 0, first = 0;
    for (uint64_t i = 0; i < t->count; i++) {
        const double got = element(t->format, t->after, i), difference = fabs(got - want[i]);
        const double part = difference / (1 + fabs(want[i]));
        const bool same = got == want[i] || (isnan(got) && isnan(want[i]));
        if (!same && isfinite(part) && part > k->largest_difference)
            k->largest_difference = part;
        if (same || difference <= atol + rtol * fabs(want[i]))
            continue;
        if (wrong++ == 0)
            first = i;
    }
    if (wrong != 0)
        fail_msg("%s: %llu of %llu elements of '%s' are wrong; the first is %llu: %a (%.9g), want %a (%.9g); the largest difference is "
                 "%g of 1 + |want|",
                 k->name, (unsigned long long)wrong, (unsigned long long)t->count, t->name, (unsigned long long)first,
                 element(t->format, t->after, first), element(t->format, t->after, first), want[first], want[first],
                 k->largest_difference);
}

void expect_equal(struct kernel *k, const struct argument *t, const double *want)
{
    expect_close(k, t, want, 0, 0);
}
