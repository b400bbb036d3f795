/* The language's names: which namespaces there are, what each holds, and what is said about a name that is
 * not in it. Functions are rows of the lib_*.c tables; here are the namespaces and their other members. */
#include "lang/map.h"

#include "base/nearest.h"

#include <string.h>

static struct value type_value(struct eval *ev, struct tensor_type t)
{
    struct tensor_type *kept = arena_new(ev->arena, struct tensor_type, 1);
    *kept = t;
    kept->align = -1;
    return (struct value){.kind = VALUE_TYPE, .u.type = kept};
}

struct value tw_names_namespace(const struct namespace_row *space)
{
    return (struct value){.kind = VALUE_NAMESPACE, .u.space = space};
}

/* Every dtype is a member, under its own name and under PTX's short one (T.float32, T.f32). */
static struct value dtype_member(const char *name, bool *found)
{
    *found = true;
    if (strcmp(name, "bool") == 0)
        return (struct value){.kind = VALUE_DTYPE, .u.dtype = tw_ir_bool()};
    enum num_format f = tw_num_format_by_dtype(tw_str(name));
    if (f == NUM_NONE)
        f = tw_num_format_by_name(tw_str(name));
    *found = f != NUM_NONE && tw_num_format(f)->dtype != NULL;
    return (struct value){.kind = VALUE_DTYPE, .u.dtype = tw_ir_type_of(f)};
}

static const char *const script_members[] = {"cuda", "ptx", "tile", "Axis", "handle", "let", "constexpr", "bool", NULL};

static struct value script_member(struct eval *ev, const char *name, bool *found)
{
    *found = true;
    if (strcmp(name, "cuda") == 0)
        return tw_names_namespace(&tw_names_cuda);
    if (strcmp(name, "ptx") == 0)
        return tw_ptx_namespace(ev);
    if (strcmp(name, "tile") == 0)
        return tw_names_namespace(&tw_names_tx);
    if (strcmp(name, "Axis") == 0)
        return tw_names_namespace(&tw_names_axis);
    if (strcmp(name, "handle") == 0)
        return type_value(ev, (struct tensor_type){.is_scalar = true, .is_handle = true, .elem = tw_ir_pointer()});
    if (strcmp(name, "let") == 0)
        return type_value(ev, (struct tensor_type){.is_scalar = true, .is_let = true});
    if (strcmp(name, "constexpr") == 0)
        return type_value(ev, (struct tensor_type){.is_scalar = true, .is_constexpr = true});
    return dtype_member(name, found);
}

static const char *const cuda_members[] = {"Axis", "tile", NULL};

static struct value cuda_member(struct eval *ev, const char *name, bool *found)
{
    (void)ev;
    *found = true;
    if (strcmp(name, "Axis") == 0)
        return tw_names_namespace(&tw_names_axis);
    if (strcmp(name, "tile") == 0)
        return tw_names_namespace(&tw_names_tile);
    *found = false;
    return value_error();
}

static const struct namespace_row tx_scopes[IR_CLUSTER_SCOPE + 1];

/* Tx.warp, Tx.cta, ...: the same operations at a wider scope. */
static const char *const tx_members[] = {"thread", "warp", "wg", "warpgroup", "cta", "cluster", NULL};

static struct value tx_member(struct eval *ev, const char *name, bool *found)
{
    static const enum ir_exec_scope scopes[] = {IR_THREAD_SCOPE, IR_WARP_SCOPE, IR_WARPGROUP_SCOPE, IR_WARPGROUP_SCOPE,
                                                IR_CTA_SCOPE, IR_CLUSTER_SCOPE};
    (void)ev;
    *found = false;
    for (int i = 0; tx_members[i] != NULL; i++) {
        if (strcmp(name, tx_members[i]) != 0)
            continue;
        *found = true;
        return tw_names_namespace(&tx_scopes[scopes[i]]);
    }
    return value_error();
}

static struct value axis_member(struct eval *ev, const char *name, bool *found)
{
    (void)ev;
    const enum axis axis = tw_axis_find(tw_str(name));
    *found = axis != AXIS_COUNT;
    return (struct value){.kind = VALUE_AXIS, .u.axis = axis};
}

static struct value layout_member(struct eval *ev, const char *name, bool *found)
{
    (void)ev;
    *found = strcmp(name, "SwizzleMode") == 0;
    return tw_names_namespace(&tw_names_swizzle_mode);
}

/* The members stand for the numbers that the factories take. */
static const char *const swizzle_members[] = {"NONE", "SWIZZLE_NONE", "SWIZZLE_32B", "SWIZZLE_64B", "SWIZZLE_128B", NULL};

static struct value swizzle_member(struct eval *ev, const char *name, bool *found)
{
    static const int modes[] = {0, 0, 1, 2, 3};
    (void)ev;
    *found = false;
    for (int i = 0; swizzle_members[i] != NULL; i++) {
        if (strcmp(name, swizzle_members[i]) != 0)
            continue;
        *found = true;
        return value_int(modes[i]);
    }
    return value_error();
}

/* Names of the language that this compiler knows of and does not support. */
static const char *const script_refused[] = {
    "parallel", "thread_binding", "launch_thread", "ir_module",
    "dynamic", "Ptr", "decl_tensor", "tmem", "ptr_byte_offset", "handle_add_byte_offset", "Shuffle", "Broadcast", "Ramp",
    "Optional", "jit", "hint", "print_buffer", "tvm_storage_sync",
    "tvm_warp_shuffle_xor", "Layout", "Iter", "Cluster", "call_extern", NULL};
static const char *const cuda_refused[] = {
    "cta_sum", "cta_max", "cta_min", "grid_sync", "smem_addr_from_uint64", "sm100_2sm_leader_smem_addr", "tcgen05",
    "runtime_instr_desc", "wgmma", "atomic_cas", "clock64", "ldg", "printf", "make_float2", "float2_x", "float2_y",
    "fmul2_rn", "fadd2_rn", "half2float", "bfloat162float", "float22half2", "float22bfloat162_rn", "hmin2", "hmax2",
    "fdividef", "mov_sreg", "func_call", NULL};
/* SOURCE: kernel-language-tile 8.2 and 8.3. */
static const char *const tx_refused[] = {
    "gemm", "zero", "fill", "memset", "sqrt", "exp", "exp2", "log2", "reciprocal", "silu", "add",
    "sub", "mul", "fdiv", "maximum", "minimum", "fma", "select", "sum", "max", "min", "permute_layout", "reshape", NULL};

static const char *const library_modules[] = {
    "tirx.lang.pipeline", "tirx.lang.tile_scheduler", "tirx.pipeline", "tirx.tile_scheduler", "backend.cuda.lang.pipeline",
    "backend.cuda.lang.tile_scheduler", NULL};
static const char *const library_refused[] = {
    "Pipeline", "Pipe", "PipeCursor", "SmemDescriptor", "FlashAttentionLinearScheduler", "FlashAttentionLPTScheduler",
    "GroupMajor3D", "RankAware2D", NULL};
static const char *const script_modules[] = {"script.tirx", NULL};
static const char *const tx_modules[] = {"script.tirx.tile", NULL};
static const char *const axis_modules[] = {"backend.cuda.axis", NULL};
/* The new home, and the old one (kernel-language 1.1). */
static const char *const layout_modules[] = {"backend.cuda.layout", "tirx.cuda.operator.tile_primitive.tma_utils", NULL};
static const char *const tirx_layout_modules[] = {"tirx.layout", NULL};

#define TABLES(name, ...) static const struct builtin_table *const name[] = {__VA_ARGS__, NULL}
TABLES(script_tables, &tw_lib_types, &tw_lib_layout, &tw_lib_alloc, &tw_lib_math, &tw_lib_control, &tw_lib_launch,
       &tw_lib_pool, &tw_lib_map);
TABLES(cuda_tables, &tw_lib_cuda);
TABLES(tile_tables, &tw_lib_tile);
TABLES(tx_thread_tables, &tw_lib_tx[IR_THREAD_SCOPE]);
TABLES(tx_warp_tables, &tw_lib_tx[IR_WARP_SCOPE]);
TABLES(tx_warpgroup_tables, &tw_lib_tx[IR_WARPGROUP_SCOPE]);
TABLES(tx_cta_tables, &tw_lib_tx[IR_CTA_SCOPE]);
TABLES(tx_cluster_tables, &tw_lib_tx[IR_CLUSTER_SCOPE]);
TABLES(layout_tables, &tw_lib_factories);
TABLES(tirx_layout_tables, &tw_lib_layout, &tw_lib_factories);
static const struct builtin_table *const no_tables[] = {NULL};

const struct namespace_row tw_names_script = {"T", script_modules, script_tables, script_member, script_members, script_refused};
const struct namespace_row tw_names_cuda = {"T.cuda", NULL, cuda_tables, cuda_member, cuda_members, cuda_refused};
const struct namespace_row tw_names_tile = {"T.cuda.tile", NULL, tile_tables, NULL, NULL, NULL};
const struct namespace_row tw_names_axis = {"T.cuda.Axis", axis_modules, no_tables, axis_member, NULL, NULL};
const struct namespace_row tw_names_layout = {"the layout module", layout_modules, layout_tables, layout_member, NULL, NULL};
const struct namespace_row tw_names_tirx_layout = {"the layout module", tirx_layout_modules, tirx_layout_tables, axis_member,
                                                   NULL, NULL};
static const struct namespace_row names_library = {"the kernel library", library_modules, no_tables, tw_library_member,
                                                   tw_library_names, library_refused};
const struct namespace_row tw_names_tx = {"Tx", tx_modules, tx_thread_tables, tx_member, tx_members, tx_refused};
const struct namespace_row tw_names_swizzle_mode = {"SwizzleMode", NULL, no_tables, swizzle_member, swizzle_members, NULL};

static const struct namespace_row tx_scopes[IR_CLUSTER_SCOPE + 1] = {
    [IR_THREAD_SCOPE] = {"Tx.thread", NULL, tx_thread_tables, NULL, NULL, tx_refused},
    [IR_WARP_SCOPE] = {"Tx.warp", NULL, tx_warp_tables, NULL, NULL, tx_refused},
    [IR_WARPGROUP_SCOPE] = {"Tx.wg", NULL, tx_warpgroup_tables, NULL, NULL, tx_refused},
    [IR_CTA_SCOPE] = {"Tx.cta", NULL, tx_cta_tables, NULL, NULL, tx_refused},
    [IR_CLUSTER_SCOPE] = {"Tx.cluster", NULL, tx_cluster_tables, NULL, NULL, tx_refused},
};

const struct namespace_row *tw_names_module(struct str path)
{
    static const struct namespace_row *const rows[] = {&tw_names_script, &tw_names_axis, &tw_names_layout,
                                                       &tw_names_tirx_layout, &tw_names_tx, &names_library};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (const char *const *m = rows[i]->modules; *m != NULL; m++)
            if (tw_str_is(path, *m))
                return rows[i];
    return NULL;
}

/* ---- lookup ---- */

static const struct builtin *find_row(const struct builtin_table *const *tables, const char *name)
{
    for (; *tables != NULL; tables++)
        for (uint32_t i = 0; i < (*tables)->count; i++)
            if (strcmp((*tables)->rows[i].name, name) == 0)
                return &(*tables)->rows[i];
    return NULL;
}

static const char *nearest_member(const struct namespace_row *space, const char *name)
{
    const uint32_t half = (uint32_t)strlen(name) / 2;
    struct nearest best = nearest_to(tw_str(name));
    best.edits = half < NEAREST_EDITS ? half + 1 : best.edits; /* more than half of its letters: another word, too */
    for (const struct builtin_table *const *t = space->tables; *t != NULL; t++)
        for (uint32_t i = 0; i < (*t)->count; i++)
            tw_nearest_consider(&best, (*t)->rows[i].name);
    for (const char *const *m = space->members; m != NULL && *m != NULL; m++)
        tw_nearest_consider(&best, *m);
    if (space == &tw_names_script)
        for (int f = NUM_NONE + 1; f < NUM_FORMAT_COUNT; f++)
            if (tw_num_format((enum num_format)f)->dtype != NULL)
                tw_nearest_consider(&best, tw_num_format((enum num_format)f)->dtype);
    if (space->member == axis_member && tw_axis_suggest(tw_str(name)) != NULL)
        tw_nearest_consider(&best, tw_axis_suggest(tw_str(name)));
    return best.name;
}

static bool is_refused(const struct namespace_row *space, const char *name)
{
    for (const char *const *m = space->refused; m != NULL && *m != NULL; m++)
        if (strcmp(*m, name) == 0)
            return true;
    return false;
}

struct value tw_names_member(struct eval *ev, const struct namespace_row *space, const char *name, struct src_span at)
{
    const struct builtin *row = find_row(space->tables, name);
    if (row != NULL)
        return (struct value){.kind = VALUE_BUILTIN, .u.builtin = {row, NULL}};
    bool found = false;
    const struct value v = space->member == NULL ? value_error() : space->member(ev, name, &found);
    if (found)
        return v;
    if (is_refused(space, name))
        return tw_eval_unsupported(ev, at, "%s%s%s", space->path[0] == 'T' ? space->path : "", space->path[0] == 'T' ? "." : "",
                                   name);
    struct diag *d = tw_diag(ev->diags, E0202, at, "%s has no '%s'", space->path, name);
    const char *nearest = nearest_member(space, name);
    if (tw_axis_find(tw_str(name)) != AXIS_COUNT)
        tw_diag_fix(d, "write '%s.%s'", tw_names_axis.path, name);
    else if (nearest != NULL)
        tw_diag_fix(d, "write '%s'", nearest);
    return value_error();
}

/* ---- Python's own names ---- */

struct value tw_names_python(const char *name, bool *found)
{
    static const struct builtin_table *const tables[] = {&tw_lib_python, NULL};
    const struct builtin *row = find_row(tables, name);
    *found = row != NULL;
    return (struct value){.kind = VALUE_BUILTIN, .u.builtin = {row, NULL}};
}

bool tw_names_is_python_builtin(const char *name)
{
    static const char *const names[] = {
        "print", "open", "type", "isinstance", "issubclass", "getattr", "setattr", "hasattr", "delattr", "map", "filter",
        "sorted", "reversed", "set", "frozenset", "any", "all", "round", "divmod", "pow", "hex", "bin", "oct", "ord", "chr",
        "repr", "format", "id", "hash", "iter", "next", "super", "object", "property", "staticmethod", "classmethod", "bytes",
        "bytearray", "complex", "memoryview", "slice", "vars", "dir", "globals", "locals", "callable", "input", "exec", "eval",
        "compile", "exit", "quit", "NotImplemented", "Ellipsis", "Exception", "BaseException", "ValueError", "TypeError",
        "KeyError", "IndexError", "RuntimeError", "AssertionError", "ImportError", "ModuleNotFoundError", "AttributeError",
        "StopIteration", "OSError", "ArithmeticError", "ZeroDivisionError", "NotImplementedError", "KeyboardInterrupt",
        "SystemExit", "Warning", "__name__", "__file__", "__doc__", "__import__", "dict"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}
