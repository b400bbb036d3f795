/* Contents of tensor arguments: from and to .npy files, filled by rule, compared. */
#include "api/args.h"

#include "base/npy.h"
#include "num/convert.h"
#include "num/decimal.h"

#include <string.h>

struct tensor_call {
    tw_args *args;
    const char *name, *file_name, *kind;
    struct str file;
    uint64_t seed;
    double rtol, atol;
    tw_difference *difference;
    struct text npy;
};

static bool cannot_move(tw_args *args, const struct arg_slot *slot, const char *how)
{
    struct diag *d = tw_diag(&args->device->ctx->diags, E0648, (struct src_span){0}, "tensor '%s' cannot be %s", slot->arg->name, how);
    tw_diag_fix(d, "see what the kernel did: run it on the CPU machine, --device cpu");
    return false;
}

unsigned char *tw_args_bytes(tw_args *args, const struct arg_slot *slot)
{
    if (args->device->gpu == NULL)
        return tw_memory_at(args->device->memory, slot->address, slot->bytes);
    unsigned char *copy = arena_new(&args->arena, unsigned char, slot->bytes + 1);
    if (tw_gpu_read(args->device->gpu, slot->address, copy, slot->bytes))
        return copy;
    cannot_move(args, slot, "read");
    return NULL;
}

bool tw_args_store(tw_args *args, const struct arg_slot *slot, const unsigned char *bytes)
{
    return args->device->gpu == NULL || tw_gpu_write(args->device->gpu, slot->address, bytes, slot->bytes) ||
           cannot_move(args, slot, "written");
}

/* Element i of a dense little-endian array of `bits` wide elements; 4- and 6-bit elements are packed. */
static uint64_t element_get(const unsigned char *at, uint32_t bits, uint64_t i)
{
    uint64_t word = 0;
    if (bits >= 8) {
        memcpy(&word, at + i * (bits / 8), bits / 8);
        return word;
    }
    const uint64_t bit = i * bits;
    word = at[bit / 8];
    if (bit % 8 + bits > 8)
        word |= (uint64_t)at[bit / 8 + 1] << 8;
    return word >> bit % 8 & ((1u << bits) - 1);
}

static void element_put(unsigned char *at, uint32_t bits, uint64_t i, uint64_t word)
{
    if (bits >= 8) {
        memcpy(at + i * (bits / 8), &word, bits / 8);
        return;
    }
    for (uint32_t b = 0; b < bits; b++) {
        const uint64_t bit = i * bits + b;
        const unsigned one = 1u << bit % 8;
        at[bit / 8] = (unsigned char)(word >> b & 1 ? at[bit / 8] | one : at[bit / 8] & ~one);
    }
}

static uint64_t element_count(const struct contract_arg *a)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < a->rank; i++)
        n *= (uint64_t)a->shape[i];
    return n;
}

/* ---- .npy ------------------------------------------------------------------------------------- */

/* NumPy's name of the element type. Formats that it does not know travel as unsigned words of their width,
   sub-byte ones as packed bytes. */
static const char *descr_of(struct contract_dtype t)
{
    if (t.is_bool)
        return "|b1";
    const uint32_t bits = tw_contract_dtype_bits(t);
    static const char *const floats[] = {"<f2", "<f4", "<f8"};
    if (t.format == NUM_F16 || t.format == NUM_F32 || t.format == NUM_F64)
        return floats[bits / 32];
    const bool is_signed = tw_num_format(t.format)->family == NUM_SIGNED && bits >= 8;
    if (bits <= 8)
        return is_signed ? "|i1" : "|u1";
    if (bits == 16)
        return is_signed ? "<i2" : "<u2";
    return bits == 32 ? (is_signed ? "<i4" : "<u4") : (is_signed ? "<i8" : "<u8");
}

static bool kind_matches(const struct npy *n, struct contract_dtype t)
{
    const char *want = descr_of(t);
    if (n->bytes != (uint32_t)(want[2] - '0'))
        return false;
    const bool raw_word = !t.is_bool && tw_num_is_float(t.format) && want[1] == 'u';
    return n->kind == want[1] || (raw_word && n->kind == 'V');
}

static bool shape_matches(const struct npy *n, const struct contract_arg *a)
{
    if (tw_contract_dtype_bits(a->dtype) < 8)
        return n->data_bytes == tw_contract_tensor_bytes(a);
    return n->rank == a->rank && memcmp(n->shape, a->shape, a->rank * sizeof a->shape[0]) == 0;
}

static bool read_file(const struct tensor_call *call, const struct contract_arg *a, struct npy *n)
{
    tw_ctx *ctx = call->args->device->ctx;
    const char *wrong = tw_npy_read(&ctx->arena, call->file, n);
    if (wrong != NULL) {
        struct diag *d = tw_diag(&ctx->diags, E0621, (struct src_span){0}, "%s cannot be used for argument '%s'",
                                 call->file_name, call->name);
        tw_diag_found(d, "%s", wrong);
        return false;
    }
    if (kind_matches(n, a->dtype) && shape_matches(n, a))
        return true;
    struct text want, have;
    tw_text_init(&want, &ctx->arena);
    tw_text_init(&have, &ctx->arena);
    tw_npy_shape_text(&want, a->rank, a->shape);
    tw_npy_shape_text(&have, n->rank, n->shape);
    struct diag *d = tw_diag(&ctx->diags, E0622, (struct src_span){0}, "%s does not hold argument '%s'", call->file_name,
                             call->name);
    tw_diag_expected(d, "%s of shape %s (.npy type %s)", tw_contract_dtype_name(a->dtype), want.at, descr_of(a->dtype));
    tw_diag_found(d, "shape %s, .npy type %c%u", have.at, n->kind, n->bytes);
    return false;
}

/* Row-major bytes of the file's array; a column-major one is turned round. */
static const unsigned char *row_major(struct arena *arena, const struct npy *n)
{
    if (!n->fortran || n->rank < 2)
        return n->data;
    unsigned char *out = arena_new(arena, unsigned char, n->data_bytes + 1);
    const uint64_t count = n->data_bytes / n->bytes;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t rest = i, from = 0, stride = count;
        for (uint32_t d = n->rank; d-- > 0;) {
            const uint64_t extent = (uint64_t)n->shape[d];
            stride /= extent;
            from += rest % extent * stride;
            rest /= extent;
        }
        memcpy(out + i * n->bytes, n->data + from * n->bytes, n->bytes);
    }
    return out;
}

static tw_status set_npy(void *argument)
{
    struct tensor_call *call = argument;
    struct arg_slot *slot = tw_args_find(call->args, call->name, CONTRACT_TENSOR);
    struct npy n;
    if (slot == NULL || !read_file(call, slot->arg, &n))
        return TW_ERROR;
    unsigned char *const at = slot->bytes == 0 ? NULL : tw_args_bytes(call->args, slot);
    if (at == NULL)
        return slot->bytes == 0 ? TW_OK : TW_ERROR;
    memcpy(at, row_major(&call->args->arena, &n), slot->bytes);
    return tw_args_store(call->args, slot, at) ? TW_OK : TW_ERROR;
}

tw_status tw_args_set_npy(tw_args *args, const char *name, const char *file_name, const void *bytes, size_t len)
{
    struct tensor_call call = {.args = args, .name = name, .file_name = file_name, .file = {bytes, len}};
    return tw_api_guard(args->device->ctx, set_npy, &call);
}

static tw_status get_npy(void *argument)
{
    struct tensor_call *call = argument;
    const struct arg_slot *slot = tw_args_find(call->args, call->name, CONTRACT_TENSOR);
    if (slot == NULL)
        return TW_ERROR;
    const struct contract_arg *a = slot->arg;
    const bool packed = tw_contract_dtype_bits(a->dtype) < 8;
    const int64_t packed_bytes = (int64_t)slot->bytes;
    const unsigned char *const at = tw_args_bytes(call->args, slot);
    if (at == NULL && slot->bytes != 0)
        return TW_ERROR;
    tw_text_init(&call->npy, &call->args->arena);
    tw_npy_write(&call->npy, descr_of(a->dtype), packed ? 1 : a->rank, packed ? &packed_bytes : a->shape, at, slot->bytes);
    return TW_OK;
}

tw_status tw_args_get_npy(tw_args *args, const char *name, const void **bytes, size_t *len)
{
    struct tensor_call call = {.args = args, .name = name};
    const tw_status status = tw_api_guard(args->device->ctx, get_npy, &call);
    *bytes = status == TW_OK ? call.npy.at : NULL;
    *len = status == TW_OK ? call.npy.len : 0;
    return status;
}

/* ---- filling ------------------------------------------------------------------------------------ */

/* splitmix64: a full-period generator whose state is a counter. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The nearest word to a double. */
static uint64_t word_of(struct contract_dtype t, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const struct num_convert_how how = {.to = t.format, .from = NUM_F64, .rounding = NUM_RN, .satfinite = true};
    return tw_num_convert(&how, bits);
}

static double value_of(struct contract_dtype t, uint64_t word)
{
    const struct num_convert_how how = {.to = NUM_F64, .from = t.format, .rounding = NUM_RN};
    const uint64_t bits = tw_num_convert(&how, word);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t fill_zeros(struct contract_dtype t, uint64_t i, uint64_t *state)
{
    (void)t, (void)i, (void)state;
    return 0;
}

static uint64_t fill_ones(struct contract_dtype t, uint64_t i, uint64_t *state)
{
    (void)i, (void)state;
    return word_of(t, 1);
}

static uint64_t fill_iota(struct contract_dtype t, uint64_t i, uint64_t *state)
{
    (void)state;
    return t.is_bool ? i & 1 : word_of(t, (double)i);
}

/* k / 4 with -4 <= k <= 4 for floats, k for integers; what the format cannot hold exactly is drawn again, so that
   products and short sums of such values are exact in every accumulator. */
static uint64_t fill_ints(struct contract_dtype t, uint64_t i, uint64_t *state)
{
    (void)i;
    if (t.is_bool)
        return draw(state) & 1;
    const bool is_float = tw_num_is_float(t.format);
    for (;;) {
        const double k = (double)(int64_t)(draw(state) % 9) - 4;
        const double value = is_float ? k / 4 : k;
        const uint64_t word = word_of(t, value);
        const double back = value_of(t, word);
        if (!(back < value) && !(back > value))
            return word;
    }
}

/* The sum of twelve uniform numbers less 6: mean 0, variance 1, and the same bits on every host. */
static uint64_t fill_normal(struct contract_dtype t, uint64_t i, uint64_t *state)
{
    (void)i;
    double sum = -6;
    for (int k = 0; k < 12; k++)
        sum += (double)(draw(state) >> 32) / 4294967296.0;
    return t.is_bool ? sum > 0 : word_of(t, sum);
}

static uint64_t fill_uniform(struct contract_dtype t, uint64_t i, uint64_t *state)
{
    (void)i;
    return t.is_bool ? draw(state) & 1 : word_of(t, (double)(draw(state) >> 11) / 9007199254740992.0);
}

static uint64_t fill_bits(struct contract_dtype t, uint64_t i, uint64_t *state)
{
    (void)i;
    return t.is_bool ? draw(state) & 1 : draw(state);
}

static const struct {
    const char *name;
    uint64_t (*word)(struct contract_dtype t, uint64_t i, uint64_t *state);
} fills[] = {
    {"zeros", fill_zeros}, {"ones", fill_ones},       {"iota", fill_iota}, {"ints", fill_ints},
    {"normal", fill_normal}, {"uniform", fill_uniform}, {"bits", fill_bits},
};
enum { FILL_COUNT = sizeof fills / sizeof fills[0] };

static tw_status fill(void *argument)
{
    struct tensor_call *call = argument;
    tw_ctx *ctx = call->args->device->ctx;
    const struct arg_slot *slot = tw_args_find(call->args, call->name, CONTRACT_TENSOR);
    if (slot == NULL)
        return TW_ERROR;
    size_t kind = 0;
    while (kind < FILL_COUNT && strcmp(fills[kind].name, call->kind) != 0)
        kind++;
    if (kind == FILL_COUNT) {
        struct diag *d = tw_diag(&ctx->diags, E0623, slot->arg->at, "unknown fill kind '%s' for argument '%s'",
                                 call->kind, call->name);
        tw_diag_expected(d, "zeros, ones, iota, ints, normal, uniform or bits");
        return TW_ERROR;
    }
    /* Two tensors filled with one seed differ: the name takes part. */
    uint64_t state = call->seed;
    for (const char *c = call->name; *c != '\0'; c++)
        state = (state ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    unsigned char *at = tw_args_bytes(call->args, slot);
    if (at == NULL && slot->bytes != 0)
        return TW_ERROR;
    const uint32_t bits = tw_contract_dtype_bits(slot->arg->dtype);
    const uint64_t count = element_count(slot->arg);
    for (uint64_t i = 0; i < count; i++)
        element_put(at, bits, i, fills[kind].word(slot->arg->dtype, i, &state));
    return tw_args_store(call->args, slot, at) ? TW_OK : TW_ERROR;
}

tw_status tw_args_fill(tw_args *args, const char *name, const char *kind, uint64_t seed)
{
    struct tensor_call call = {.args = args, .name = name, .kind = kind, .seed = seed};
    return tw_api_guard(args->device->ctx, fill, &call);
}

/* ---- comparing ------------------------------------------------------------------------------------ */

static double absolute(double x)
{
    return x < 0 ? -x : x;
}

/* Equal words are equal; a NaN equals a NaN; else the difference counts. Infinities are equal only to themselves. */
static bool close_enough(struct contract_dtype t, uint64_t got, uint64_t want, double rtol, double atol, double *difference)
{
    *difference = 0;
    if (got == want)
        return true;
    const double a = value_of(t, got), b = value_of(t, want);
    const bool a_nan = a != a, b_nan = b != b;
    if (a_nan || b_nan)
        return a_nan && b_nan;
    *difference = absolute(a - b);
    if (*difference > 1.7976931348623157e308 || *difference != *difference)
        return false;
    return *difference <= atol + rtol * absolute(b);
}

/* The first element that differs: `want` in `there`, `got` here. */
struct first_difference {
    enum diag_code code;
    const char *there;
    uint64_t index, got, want;
};

static void report_difference(tw_ctx *ctx, const struct contract_arg *a, const struct first_difference *first,
                              const tw_difference *sum)
{
    uint64_t index = first->index;
    struct text where, expected, found;
    tw_text_init(&where, &ctx->arena);
    tw_text_init(&expected, &ctx->arena);
    tw_text_init(&found, &ctx->arena);
    int64_t at[TW_MAX_RANK];
    for (uint32_t d = a->rank; d-- > 0; index /= (uint64_t)a->shape[d])
        at[d] = (int64_t)(index % (uint64_t)a->shape[d]);
    tw_npy_shape_text(&where, a->rank, at);
    tw_num_print(&expected, a->dtype.format, first->want);
    tw_num_print(&found, a->dtype.format, first->got);
    struct diag *d = tw_diag(&ctx->diags, first->code, (struct src_span){0}, "argument '%s' differs from %s at %s", a->name,
                             first->there, where.at);
    tw_diag_expected(d, "%s", expected.at);
    tw_diag_found(d, "%s (%llu of %llu elements differ)", found.at, (unsigned long long)sum->differing,
                  (unsigned long long)sum->elements);
}

static tw_status compare(void *argument)
{
    struct tensor_call *call = argument;
    const struct arg_slot *slot = tw_args_find(call->args, call->name, CONTRACT_TENSOR);
    struct npy n;
    if (slot == NULL || !read_file(call, slot->arg, &n))
        return TW_ERROR;
    const unsigned char *want = row_major(&call->args->arena, &n), *got = tw_args_bytes(call->args, slot);
    if (got == NULL && slot->bytes != 0)
        return TW_ERROR;
    const struct contract_dtype t = slot->arg->dtype;
    const uint32_t bits = tw_contract_dtype_bits(t);
    tw_difference *sum = call->difference;
    *sum = (tw_difference){.elements = element_count(slot->arg)};
    uint64_t first = 0;
    for (uint64_t i = 0; i < sum->elements; i++) {
        double difference;
        const bool ok = close_enough(t, element_get(got, bits, i), element_get(want, bits, i), call->rtol, call->atol, &difference);
        if (!ok && sum->differing++ == 0)
            first = i;
        if (difference > sum->max_abs && difference <= 1.7976931348623157e308)
            sum->max_abs = difference;
    }
    if (sum->differing == 0)
        return TW_OK;
    const struct first_difference at = {E0625, call->file_name, first, element_get(got, bits, first), element_get(want, bits, first)};
    report_difference(call->args->device->ctx, slot->arg, &at, sum);
    return TW_ERROR;
}

tw_status tw_args_compare(tw_args *args, const char *name, const char *file_name, const void *bytes, size_t len,
                          double rtol, double atol, tw_difference *out)
{
    struct tensor_call call = {.args = args, .name = name, .file_name = file_name, .file = {bytes, len}, .rtol = rtol,
                               .atol = atol, .difference = out};
    return tw_api_guard(args->device->ctx, compare, &call);
}

/* ---- two devices ---------------------------------------------------------------------------------- */

struct pair_call {
    tw_args *args, *other;
    tw_difference *sum;
};

static bool finite(double x)
{
    return absolute(x) <= 1.7976931348623157e308;
}

/* Adds one tensor's elements to the sum; *first is its first that differs. True when none does. */
static bool add_pair(const struct contract_arg *a, const unsigned char *want, const unsigned char *got, tw_difference *sum,
                     struct first_difference *first)
{
    const uint32_t bits = tw_contract_dtype_bits(a->dtype);
    const uint64_t count = element_count(a), before = sum->differing;
    sum->elements += count;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t w = element_get(want, bits, i), g = element_get(got, bits, i);
        if (w == g)
            continue;
        if (sum->differing++ == before)
            first->index = i, first->want = w, first->got = g;
        const double by = absolute(value_of(a->dtype, g) - value_of(a->dtype, w));
        if (finite(by) && by > sum->max_abs)
            sum->max_abs = by;
    }
    return sum->differing == before;
}

static const char *device_name(const tw_device *device)
{
    return device->gpu == NULL ? "the CPU machine's" : "the GPU's";
}

static tw_status compare_bits(void *argument)
{
    const struct pair_call *call = argument;
    tw_args *args = call->args, *other = call->other;
    tw_status status = TW_OK;
    *call->sum = (tw_difference){0};
    for (uint32_t i = 0; i < args->slot_count; i++) {
        const struct arg_slot *const slot = &args->slots[i];
        if (slot->arg->kind != CONTRACT_TENSOR || slot->bytes == 0)
            continue;
        const struct arg_slot *const there = tw_args_find(other, slot->arg->name, CONTRACT_TENSOR);
        if (there == NULL || there->bytes != slot->bytes)
            return TW_ERROR;
        const unsigned char *const want = tw_args_bytes(args, slot), *const got = tw_args_bytes(other, there);
        struct first_difference first = {.code = E0649, .there = device_name(args->device)};
        if (want == NULL || got == NULL)
            return TW_ERROR;
        tw_difference one = {0};
        const bool same = add_pair(slot->arg, want, got, &one, &first);
        call->sum->elements += one.elements;
        call->sum->differing += one.differing;
        if (one.max_abs > call->sum->max_abs)
            call->sum->max_abs = one.max_abs;
        if (!same && status == TW_OK)
            report_difference(args->device->ctx, slot->arg, &first, &one);
        status = same ? status : TW_ERROR;
    }
    return status;
}

tw_status tw_args_compare_bits(tw_args *args, tw_args *other, tw_difference *out)
{
    struct pair_call call = {args, other, out};
    return tw_api_guard(args->device->ctx, compare_bits, &call);
}
