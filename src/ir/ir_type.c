/* Scalar types of the IR and the names of its enumerations. */
#include "ir/ir.h"

#include "ir/ir_names.h"

#include <assert.h>

struct ir_type tw_ir_type_of(enum num_format format)
{
    const struct num_format_info *info = tw_num_format(format);
    struct ir_type t = {.format = format, .bits = info->storage_bits};
    if (tw_num_is_float(format))
        t.cls = IR_FLOAT;
    else if (info->family == NUM_SIGNED)
        t.cls = IR_SINT;
    else if (info->family == NUM_FAMILY_NONE)
        t.cls = IR_VOID;
    else
        t.cls = IR_UINT;
    return t;
}

struct ir_type tw_ir_bool(void)
{
    return (struct ir_type){.cls = IR_BOOL, .bits = 8};
}

struct ir_type tw_ir_int32(void)
{
    return tw_ir_type_of(NUM_S32);
}

struct ir_type tw_ir_uint32(void)
{
    return tw_ir_type_of(NUM_U32);
}

struct ir_type tw_ir_uint64(void)
{
    return tw_ir_type_of(NUM_U64);
}

struct ir_type tw_ir_float32(void)
{
    return tw_ir_type_of(NUM_F32);
}

struct ir_type tw_ir_pointer(void)
{
    return (struct ir_type){.cls = IR_POINTER, .bits = 64};
}

bool tw_ir_type_equal(struct ir_type a, struct ir_type b)
{
    return a.cls == b.cls && a.format == b.format && a.bits == b.bits;
}

bool tw_ir_is_integer(struct ir_type t)
{
    return t.cls == IR_SINT || t.cls == IR_UINT;
}

const char *tw_ir_type_name(struct ir_type t)
{
    if (t.cls == IR_VOID)
        return "void";
    if (t.cls == IR_BOOL)
        return "bool";
    if (t.cls == IR_POINTER)
        return "handle";
    const struct num_format_info *info = tw_num_format(t.format);
    return info->dtype != NULL ? info->dtype : info->name;
}

const char *tw_ir_scope_name(enum ir_scope s)
{
    static const char *const names[] = {"global", "shared", "local", "tmem"};
    assert(s <= IR_TMEM);
    return names[s];
}

const char *tw_ir_coord_name(enum ir_coord c)
{
    static const char *const names[IR_COORD_COUNT] = {
        "tid.x",    "tid.y",    "tid.z",    "ctaid.x",  "ctaid.y",  "ctaid.z",      "ntid.x",
        "ntid.y",   "ntid.z",   "nctaid.x", "nctaid.y", "nctaid.z", "flat_tid",     "lane_id",
        "warp_id",  "warpgroup_id", "tid_in_warpgroup", "warp_in_warpgroup", "cluster_ctarank",
    };
    assert(c < IR_COORD_COUNT);
    return names[c];
}

/* One row an operation: its name, how many operands it has, and how it is printed between two operands. */
static const struct ir_op_row op_rows[IR_OP_COUNT] = {
    [IR_CONST] = {"const", 0, NULL},
    [IR_VAR] = {"var", 0, NULL},
    [IR_COORD] = {"coord", 0, NULL},
    [IR_LOAD] = {"load", 0, NULL},
    [IR_ADDRESS] = {"address", 0, NULL},
    [IR_SLOT] = {"slot", 0, NULL},
    [IR_NEG] = {"neg", 1, NULL},
    [IR_NOT] = {"not", 1, NULL},
    [IR_BITNOT] = {"bitnot", 1, NULL},
    [IR_ABS] = {"abs", 1, NULL},
    [IR_EXP2] = {"exp2", 1, NULL},
    [IR_EXP] = {"exp", 1, NULL},
    [IR_LOG2] = {"log2", 1, NULL},
    [IR_SQRT] = {"sqrt", 1, NULL},
    [IR_RSQRT] = {"rsqrt", 1, NULL},
    [IR_TANH] = {"tanh", 1, NULL},
    [IR_CAST] = {"cast", 1, NULL},
    [IR_REINTERPRET] = {"reinterpret", 1, NULL},
    [IR_SHARED_ADDR] = {"shared_addr", 1, NULL},
    [IR_ADD] = {"add", 2, "+"},
    [IR_SUB] = {"sub", 2, "-"},
    [IR_MUL] = {"mul", 2, "*"},
    [IR_DIV] = {"div", 2, "/"},
    [IR_FLOORDIV] = {"floordiv", 2, "//"},
    [IR_FLOORMOD] = {"floormod", 2, "%"},
    [IR_TRUNCDIV] = {"truncdiv", 2, NULL},
    [IR_TRUNCMOD] = {"truncmod", 2, NULL},
    [IR_MIN] = {"min", 2, NULL},
    [IR_MAX] = {"max", 2, NULL},
    [IR_BITAND] = {"bitand", 2, "&"},
    [IR_BITOR] = {"bitor", 2, "|"},
    [IR_BITXOR] = {"bitxor", 2, "^"},
    [IR_SHL] = {"shl", 2, "<<"},
    [IR_SHR] = {"shr", 2, ">>"},
    [IR_EQ] = {"eq", 2, "=="},
    [IR_NE] = {"ne", 2, "!="},
    [IR_LT] = {"lt", 2, "<"},
    [IR_LE] = {"le", 2, "<="},
    [IR_GT] = {"gt", 2, ">"},
    [IR_GE] = {"ge", 2, ">="},
    [IR_AND] = {"and", 2, "and"},
    [IR_OR] = {"or", 2, "or"},
    [IR_OFFSET] = {"offset", 2, NULL},
    [IR_SELECT] = {"select", 3, NULL},
};

const struct ir_op_row *tw_ir_op_row(enum ir_op op)
{
    assert(op < IR_OP_COUNT);
    return &op_rows[op];
}

const char *tw_ir_op_name(enum ir_op op)
{
    return tw_ir_op_row(op)->name;
}

const char *tw_ir_cuda_name(enum ir_cuda c)
{
    static const char *const names[IR_CUDA_COUNT] = {
        [IR_CTA_SYNC] = "cta_sync",           [IR_WARP_SYNC] = "warp_sync",         [IR_WARPGROUP_SYNC] = "warpgroup_sync",
        [IR_CLUSTER_SYNC] = "cluster_sync",   [IR_MBARRIER_WAIT] = "mbarrier_wait", [IR_TRAP] = "trap_when_assert_failed",
    };
    assert(c < IR_CUDA_COUNT);
    return names[c];
}

unsigned tw_ir_cuda_arity(enum ir_cuda c)
{
    static const unsigned char arity[IR_CUDA_COUNT] = {
        [IR_WARPGROUP_SYNC] = 1, [IR_MBARRIER_WAIT] = 2, [IR_TRAP] = 1,
    };
    assert(c < IR_CUDA_COUNT);
    return arity[c];
}

const char *tw_ir_exec_scope_name(enum ir_exec_scope s)
{
    static const char *const names[] = {"thread", "warp", "warpgroup", "cta", "cluster"};
    assert(s <= IR_CLUSTER_SCOPE);
    return names[s];
}
