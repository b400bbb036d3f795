/* Arguments by name: tensors in guest memory, scalars as words, tensor maps, and the parameter block they make. */
#include "api/args.h"

#include "num/decimal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The names of a kind, after "one of: "; "none" when there is none. */
static const char *names_of_kind(const tw_args *args, enum contract_kind kind)
{
    struct text out;
    tw_text_init(&out, &args->device->ctx->arena);
    for (uint32_t i = 0; i < args->slot_count; i++)
        if (args->slots[i].arg->kind == kind)
            tw_text_addf(&out, out.len == 0 ? "one of: %s" : ", %s", args->slots[i].arg->name);
    return out.len == 0 ? "none: it has no such arguments" : out.at;
}

struct arg_slot *tw_args_find(tw_args *args, const char *name, enum contract_kind kind)
{
    tw_ctx *ctx = args->device->ctx;
    for (uint32_t i = 0; i < args->slot_count; i++)
        if (strcmp(args->slots[i].arg->name, name) == 0 && args->slots[i].arg->kind == kind)
            return &args->slots[i];
    struct diag *d = tw_diag(&ctx->diags, E0620, (struct src_span){0}, "entry '%s' has no %s argument '%s'",
                             args->entry, kind == CONTRACT_TENSOR ? "tensor" : "scalar", name);
    tw_diag_expected(d, "%s", names_of_kind(args, kind));
    return NULL;
}

/* Memory of a tensor or of scratch. */
static bool place_bytes(tw_args *args, struct arg_slot *slot)
{
    tw_ctx *ctx = args->device->ctx;
    const bool scratch = slot->arg->kind == CONTRACT_SCRATCH;
    slot->bytes = scratch ? slot->arg->scratch_bytes : tw_contract_tensor_bytes(slot->arg);
    slot->address = slot->bytes == UINT64_MAX ? 0 : tw_api_alloc(args->device, slot->bytes, slot->arg->name);
    if (slot->address != 0)
        return true;
    struct diag *d = tw_diag(&ctx->diags, E0626, slot->arg->at, "no guest memory is left for %s '%s'",
                             scratch ? "scratch" : "tensor", slot->arg->name);
    tw_diag_found(d, "%llu bytes wanted, %llu in use", (unsigned long long)slot->bytes,
                  (unsigned long long)tw_api_used(args->device));
    tw_diag_fix(d, "raise the limit (--max-memory)");
    return false;
}

/* The 128 bytes of a map, once its tensor has an address. */
static bool make_map(tw_args *args, struct arg_slot *slot)
{
    tw_ctx *ctx = args->device->ctx;
    const struct contract_map *const m = slot->arg->map;
    if (m == NULL) {
        struct diag *d = tw_diag(&ctx->diags, E0789, slot->arg->at, "nothing describes tensor map '%s'", slot->arg->name);
        tw_diag_expected(d, "the tensor that it is made from, and its box");
        tw_diag_fix(d, "write %s: T.TensorMap(\"tensor\", box=(...)), or run the PTX with a launch contract that describes it",
                    slot->arg->name);
        return false;
    }
    const struct arg_slot *const tensor = tw_args_find(args, m->tensor, CONTRACT_TENSOR);
    if (tensor == NULL)
        return false;
    struct tensor_map map = m->map;
    struct tensor_map_fault fault;
    map.address = tensor->address;
    slot->map = arena_new(&args->arena, uint8_t, TENSOR_MAP_BYTES);
    if (tw_tensor_map_encode(&map, tw_api_sm(args->device, args->module->ptx), &ctx->arena, slot->map, &fault))
        return args->device->gpu == NULL || tw_gpu_encode_map(args->device->gpu, &map, slot->arg->name, &ctx->diags, slot->map);
    const struct src_span at = m->field_at[fault.field].file != 0 ? m->field_at[fault.field] : slot->arg->at;
    struct diag *d = tw_diag(&ctx->diags, E0789, at, "tensor map '%s': %s breaks a rule", slot->arg->name,
                             tw_tensor_map_fault_field(&fault, &ctx->arena));
    tw_diag_expected(d, "%s", fault.expected);
    tw_diag_found(d, "%s", fault.found);
    tw_diag_spec(d, "CUDA driver API, %s", map.mode == TMAP_TILE ? "cuTensorMapEncodeTiled" : "cuTensorMapEncodeIm2col");
    return false;
}

/* The largest number of an integer type, or the negative of its smallest. */
static uint64_t most_magnitude(struct contract_dtype t, bool negative)
{
    const unsigned bits = tw_contract_dtype_bits(t);
    const uint64_t half = UINT64_C(1) << (bits - 1);
    if (t.is_bool || tw_num_format(t.format)->family != NUM_SIGNED)
        return negative ? 0 : t.is_bool ? 1 : half - 1 + half;
    return negative ? half : half - 1;
}

static bool is_hexadecimal(const char *digits)
{
    return digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
}

/* Digits to the end of the text: no sign, no white space, which strtoull would take. */
static bool parse_digits(const char *digits, uint64_t *out)
{
    char *end;
    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    *out = strtoull(digits, &end, is_hexadecimal(digits) ? 16 : 10);
    return *end == '\0' && errno == 0;
}

/* The NaN that a host's NAN is, not the one that arithmetic on a GPU gives. */
static uint64_t host_nan(const struct num_format_info *info)
{
    return info->specials == NUM_IEEE ? info->infinity | UINT64_C(1) << (info->fraction_bits + info->unused_low_bits - 1)
                                      : info->canonical_nan;
}

/* A decimal number; the word itself after 0x; inf or nan, where the format has them. */
static bool parse_float(enum num_format f, const char *text, uint64_t *word)
{
    const struct num_format_info *const info = tw_num_format(f);
    const bool negative = text[0] == '-';
    const struct str name = tw_str(text + negative);
    if (is_hexadecimal(text))
        return parse_digits(text, word) && (info->storage_bits == 64 || *word >> info->storage_bits == 0);
    if (!tw_str_is(name, "inf") && !tw_str_is(name, "nan"))
        return tw_num_parse_decimal(tw_str(text), f, word) == NUM_PARSED;
    const uint64_t magnitude = name.at[0] == 'i' ? info->infinity : host_nan(info);
    *word = magnitude | (negative ? UINT64_C(1) << (info->storage_bits - 1) : 0);
    return magnitude != 0 && (!negative || info->sign_bits != 0);
}

/* A scalar's text as a word of its dtype. */
static bool parse_scalar(const struct contract_arg *a, const char *text, uint64_t *word)
{
    const struct str s = tw_str(text);
    if (tw_str_is(s, "true") || tw_str_is(s, "false")) {
        *word = text[0] == 't';
        return a->dtype.is_bool;
    }
    if (tw_num_is_float(a->dtype.format))
        return parse_float(a->dtype.format, text, word);
    const bool negative = text[0] == '-';
    uint64_t magnitude;
    if (!parse_digits(text + negative, &magnitude))
        return false;
    *word = negative ? 0 - magnitude : magnitude;
    return magnitude <= most_magnitude(a->dtype, negative);
}

static bool set_scalar(tw_args *args, struct arg_slot *slot, const char *text)
{
    tw_ctx *ctx = args->device->ctx;
    uint64_t word = 0;
    if (parse_scalar(slot->arg, text, &word)) {
        slot->word = word;
        slot->has_value = true;
        return true;
    }
    struct diag *d = tw_diag(&ctx->diags, E0624, slot->arg->at, "'%s' is no value for scalar argument '%s'", text, slot->arg->name);
    tw_diag_expected(d, "a value of type %s", tw_contract_dtype_name(slot->arg->dtype));
    return false;
}

/* The parameter that an argument makes. */
static uint32_t param_bytes(const struct contract_arg *a, const char **what)
{
    *what = a->kind == CONTRACT_SCALAR       ? "a scalar"
            : a->kind == CONTRACT_TENSOR_MAP ? "a tensor map"
            : a->kind == CONTRACT_BYTES      ? "a value"
                                             : "a pointer";
    if (a->kind == CONTRACT_BYTES)
        return a->byte_count;
    if (a->kind == CONTRACT_SCALAR)
        return (tw_contract_dtype_bits(a->dtype) + 7) / 8;
    return a->kind == CONTRACT_TENSOR_MAP ? TENSOR_MAP_BYTES : 8;
}

/* What the entry wants, to be held against the contract: the names and sizes of its parameters. */
static const char *list_params(const struct param_layout *layout, struct arena *arena)
{
    struct text out;
    tw_text_init(&out, arena);
    for (uint32_t i = 0; i < layout->count; i++)
        tw_text_addf(&out, "%s%s of %u byte%s", i == 0 ? "" : ", ", layout->slots[i].name, layout->slots[i].bytes,
                     layout->slots[i].bytes == 1 ? "" : "s");
    return out.len == 0 ? "no arguments" : out.at;
}

/* The contract's arguments are the entry's parameters: as many, and of the same sizes. */
static bool check_against_entry(tw_args *args, const struct param_layout *layout)
{
    tw_ctx *ctx = args->device->ctx;
    const struct contract *c = args->contract;
    if (c->args.len != layout->count) {
        struct diag *d = tw_diag(&ctx->diags, E0614, c->at, "entry '%s' has %u parameter%s, its launch contract %u argument%s",
                                 args->entry, layout->count, layout->count == 1 ? "" : "s", c->args.len, c->args.len == 1 ? "" : "s");
        tw_diag_expected(d, "%s", list_params(layout, &ctx->arena));
        tw_diag_fix(d, "list the parameters in order; a pointer that the kernel does not use is {\"kind\": \"null\"}");
        return false;
    }
    for (uint32_t i = 0; i < layout->count; i++) {
        const struct contract_arg *a = &c->args.at[i];
        const char *what;
        const uint32_t bytes = param_bytes(a, &what);
        if (bytes == layout->slots[i].bytes)
            continue;
        struct diag *d = tw_diag(&ctx->diags, E0614, a->at, "argument '%s' does not fit parameter '%s'", a->name,
                                 layout->slots[i].name);
        tw_diag_expected(d, "%u byte%s", layout->slots[i].bytes, layout->slots[i].bytes == 1 ? "" : "s");
        tw_diag_found(d, "%s of %u byte%s", what, bytes, bytes == 1 ? "" : "s");
        return false;
    }
    return true;
}

struct create_call {
    tw_args *args;
    const char *entry, *contract_name;
    struct str contract;
};

static const struct contract *contract_of(const struct create_call *call)
{
    tw_args *args = call->args;
    tw_ctx *ctx = args->device->ctx;
    if (call->contract.at == NULL) {
        if (args->module->contract == NULL)
            tw_diag(&ctx->diags, E0603, (struct src_span){0}, "PTX that was read has no launch contract of its own");
        return args->module->contract;
    }
    const char *text = tw_arena_copy(&ctx->arena, call->contract.at, call->contract.len);
    const uint32_t file = tw_sources_add(&ctx->sources, call->contract_name == NULL ? "launch.json" : call->contract_name,
                                         (struct str){text, call->contract.len});
    return tw_contract_read(&args->arena, file, &ctx->diags);
}

static void add_slot(tw_args *args, const struct contract_arg *a)
{
    args->slots[args->slot_count++].arg = a;
    for (unsigned use = 0; use < CONTRACT_USE_COUNT; use++)
        if (a->uses[use] != NULL)
            *vec_push(&args->arena, &args->uses) = (struct arg_use){a, (enum contract_use)use};
}

static void make_slots(tw_args *args)
{
    const struct contract *const c = args->contract;
    args->slots = arena_new(&args->arena, struct arg_slot, c->args.len + c->tensors.len);
    for (uint32_t i = 0; i < c->args.len; i++)
        add_slot(args, &c->args.at[i]);
    for (uint32_t i = 0; i < c->tensors.len; i++)
        add_slot(args, &c->tensors.at[i]);
}

static tw_status fill_slots(tw_args *args)
{
    for (uint32_t i = 0; i < args->slot_count; i++) {
        struct arg_slot *const slot = &args->slots[i];
        const struct contract_arg *const a = slot->arg;
        if ((a->kind == CONTRACT_TENSOR || a->kind == CONTRACT_SCRATCH) && !place_bytes(args, slot))
            return TW_LIMIT;
        if (a->kind == CONTRACT_SCALAR && a->value != NULL && !set_scalar(args, slot, a->value))
            return TW_ERROR;
    }
    for (uint32_t i = 0; i < args->slot_count; i++)
        if (args->slots[i].arg->kind == CONTRACT_TENSOR_MAP && !make_map(args, &args->slots[i]))
            return TW_ERROR;
    return TW_OK;
}

static tw_status create(void *argument)
{
    struct create_call *call = argument;
    tw_args *args = call->args;
    tw_ctx *ctx = args->device->ctx;
    args->contract = contract_of(call);
    if (args->contract == NULL)
        return TW_ERROR;
    const bool by_contract = call->entry == NULL;
    const struct ptx_func *entry = tw_api_find_entry(ctx, args->module->ptx, by_contract ? args->contract->entry : call->entry,
                                                     by_contract ? args->contract->entry_at : (struct src_span){0});
    if (entry == NULL)
        return TW_ERROR;
    args->entry = entry->name;
    if (!tw_module_params(&args->arena, args->module->ptx, entry->name, &ctx->diags, &args->layout) ||
        !check_against_entry(args, &args->layout))
        return TW_ERROR;
    make_slots(args);
    return fill_slots(args);
}

tw_status tw_args_create(tw_device *device, tw_module *module, const char *entry, const char *contract_name,
                         const char *contract, size_t contract_len, tw_args **out)
{
    *out = NULL;
    tw_args *args = calloc(1, sizeof *args);
    if (args == NULL)
        return TW_NO_MEMORY;
    args->device = device;
    args->module = module;
    tw_arena_init(&args->arena, &device->ctx->landing, 0);
    struct create_call call = {args, entry, contract_name, {contract, contract_len}};
    const tw_status status = tw_api_guard(device->ctx, create, &call);
    if (status == TW_OK)
        *out = args;
    else
        tw_args_destroy(args);
    return status;
}

void tw_args_destroy(tw_args *args)
{
    if (args == NULL)
        return;
    for (uint32_t i = 0; i < args->slot_count; i++)
        if (args->slots[i].address != 0)
            tw_free(args->device, args->slots[i].address);
    tw_arena_release(&args->arena);
    free(args);
}

size_t tw_args_count(const tw_args *args)
{
    return args->contract->args.len;
}

const char *tw_args_name(const tw_args *args, size_t index)
{
    return index < args->contract->args.len ? args->contract->args.at[index].name : NULL;
}

static double tolerance(const char *text)
{
    uint64_t word = 0;
    double value;
    if (text != NULL)
        (void)tw_num_parse_decimal(tw_str(text), NUM_F64, &word);
    memcpy(&value, &word, sizeof value);
    return value;
}

bool tw_args_read_use(const tw_args *args, size_t index, tw_tensor_use *out)
{
    static const tw_use uses[CONTRACT_USE_COUNT] = {
        [CONTRACT_IN] = TW_USE_IN, [CONTRACT_FILL] = TW_USE_FILL, [CONTRACT_OUT] = TW_USE_OUT, [CONTRACT_EXPECT] = TW_USE_EXPECT};
    if (index >= args->uses.len)
        return false;
    const struct arg_use *const u = &args->uses.at[index];
    const struct contract_arg *const a = u->arg;
    *out = (tw_tensor_use){uses[u->use], a->name, a->uses[u->use], a->seed, tolerance(a->rtol), tolerance(a->atol)};
    return true;
}

struct set_call {
    tw_args *args;
    const char *name, *value;
};

static tw_status set(void *argument)
{
    struct set_call *call = argument;
    struct arg_slot *slot = tw_args_find(call->args, call->name, CONTRACT_SCALAR);
    return slot != NULL && set_scalar(call->args, slot, call->value) ? TW_OK : TW_ERROR;
}

tw_status tw_args_set(tw_args *args, const char *name, const char *value)
{
    struct set_call call = {args, name, value};
    return tw_api_guard(args->device->ctx, set, &call);
}

struct tensor_call {
    tw_args *args;
    const char *name;
    const struct arg_slot *slot;
};

static tw_status find_tensor(void *argument)
{
    struct tensor_call *call = argument;
    call->slot = tw_args_find(call->args, call->name, CONTRACT_TENSOR);
    return call->slot == NULL ? TW_ERROR : TW_OK;
}

tw_status tw_args_tensor(tw_args *args, const char *name, uint64_t *address, uint64_t *bytes)
{
    struct tensor_call call = {args, name, NULL};
    const tw_status status = tw_api_guard(args->device->ctx, find_tensor, &call);
    if (status == TW_OK) {
        *address = call.slot->address;
        *bytes = call.slot->bytes;
    }
    return status;
}

/* The parameter block in the entry's layout; false after a diagnostic: a scalar has no value. */
static bool make_params(tw_args *args, unsigned char *block)
{
    tw_ctx *ctx = args->device->ctx;
    for (uint32_t i = 0; i < args->layout.count; i++) {
        const struct arg_slot *slot = &args->slots[i];
        if (slot->arg->kind == CONTRACT_SCALAR && !slot->has_value) {
            struct diag *d = tw_diag(&ctx->diags, E0627, slot->arg->at, "scalar argument '%s' has no value", slot->arg->name);
            tw_diag_fix(d, "set it: --set %s=VALUE", slot->arg->name);
            return false;
        }
        const uint64_t word = slot->arg->kind == CONTRACT_SCALAR ? slot->word : slot->address;
        const void *const from = slot->map != NULL                   ? (const void *)slot->map
                                 : slot->arg->kind == CONTRACT_BYTES ? (const void *)slot->arg->bytes
                                                                     : (const void *)&word;
        memcpy(block + args->layout.slots[i].offset, from, args->layout.slots[i].bytes);
    }
    return true;
}

struct launch_call {
    tw_args *args;
    const tw_launch_opts *opts;
    tw_launch_opts full;
};

static tw_status fill_options(void *argument)
{
    struct launch_call *call = argument;
    tw_args *args = call->args;
    unsigned char *block = arena_new(&args->arena, unsigned char, args->layout.bytes + 1);
    if (!make_params(args, block))
        return TW_ERROR;
    call->full = call->opts == NULL ? (tw_launch_opts){0} : *call->opts;
    call->full.entry = args->entry;
    memcpy(call->full.grid, args->contract->grid, sizeof call->full.grid);
    memcpy(call->full.block, args->contract->block, sizeof call->full.block);
    memcpy(call->full.cluster, args->contract->cluster, sizeof call->full.cluster);
    call->full.dynamic_shared_bytes = args->contract->dynamic_shared_bytes;
    call->full.params = block;
    call->full.param_bytes = args->layout.bytes;
    return TW_OK;
}

tw_status tw_args_launch(tw_args *args, const tw_launch_opts *opts, tw_launch **out)
{
    *out = NULL;
    struct launch_call call = {.args = args, .opts = opts};
    const tw_status status = tw_api_guard(args->device->ctx, fill_options, &call);
    return status == TW_OK ? tw_launch_create(args->device, args->module, &call.full, out) : status;
}
