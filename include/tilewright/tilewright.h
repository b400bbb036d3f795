/* tilewright: compile tile kernels to PTX, and run any PTX on the CPU, bit for bit.
 *
 * The library's one public header. Everything hangs off a context: handles are opaque, options are
 * structs whose zero value is the default, errors are values and diagnostics.
 *
 *     tw_ctx *ctx = tw_ctx_create(NULL);
 *     tw_module *module;
 *     if (tw_compile(ctx, "k.py", text, len, NULL, &module) == TW_OK) { ... tw_module_text(...) ... }
 *     else fputs(tw_diagnostics(ctx, TW_TEXT), stderr);
 *     tw_ctx_destroy(ctx);
 *
 * Ownership: every handle is freed by its own _destroy, which accepts NULL; a context outlives the handles
 * made from it, a device the launches on it, a module the launches of it. A returned text or byte block
 * belongs to the handle that returned it and lives until that handle is destroyed, unless said otherwise.
 * Threads: a context and what was made from it belong to one thread at a time; any number of contexts. */
#ifndef TW_TILEWRIGHT_H
#define TW_TILEWRIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TW_API __attribute__((visibility("default")))

typedef enum tw_status {
    TW_OK,        /* done */
    TW_ERROR,     /* the input is wrong, a kernel faulted or deadlocked: see tw_diagnostics */
    TW_LIMIT,     /* a limit was hit: see tw_diagnostics */
    TW_NO_MEMORY, /* memory is exhausted */
    TW_RUNNING,   /* tw_launch_run: steps are used up, the launch goes on with the next call */
    TW_NO_DEVICE  /* tw_device_create: there is no CUDA driver, or no such GPU: see tw_diagnostics */
} tw_status;

/* ---- context and diagnostics ---------------------------------------------------------------- */

typedef struct tw_ctx tw_ctx;

typedef struct tw_ctx_opts {
    size_t max_bytes; /* memory that one call may hold beside guest memory; 0: 1 GiB */
} tw_ctx_opts;

/* NULL if memory is exhausted. `opts` may be NULL. */
TW_API tw_ctx *tw_ctx_create(const tw_ctx_opts *opts);
TW_API void tw_ctx_destroy(tw_ctx *ctx);

typedef enum tw_style { TW_TEXT, TW_JSON } tw_style;

/* Everything reported since the context was made or cleared. Valid until the next call with this context. */
TW_API const char *tw_diagnostics(tw_ctx *ctx, tw_style style);
TW_API unsigned tw_error_count(const tw_ctx *ctx);
TW_API void tw_diagnostics_clear(tw_ctx *ctx);

/* What `tilewright explain E0421` prints: title and explanation of a diagnostic code; NULL if there is none. */
TW_API const char *tw_explain_code(tw_ctx *ctx, const char *code);

/* What `tilewright explain format e4m3` prints: fields, containers, special words, extreme values, and the matrix
 * instructions that take the format. *text lives as long as the context. */
TW_API tw_status tw_explain_format(tw_ctx *ctx, const char *name, const char **text);

/* Lists are separated by commas: words in hexadecimal (0x3c00), decimal numbers that are exact in the format, inf, nan;
 * VALUE:COUNT repeats a value. NULL: not given. */
typedef struct tw_dot_opts {
    const char *arch;             /* "sm_90a"; NULL: sm_90a for wgmma, else sm_100a */
    const char *a, *b;            /* one value a product; b twice as many where A is sparse */
    const char *c;                /* one value; NULL: the accumulator is not read */
    const char *scale_a, *scale_b; /* block-scaled kinds: one value a block */
    const char *meta;             /* sparse kinds: one 4-bit code a group */
} tw_dot_opts;

/* What `tilewright explain dot KIND` prints: one dot product term by term, with the evidence for its arithmetic. `kind` is
 * a PTX spelling or the parts of one that decide: "tcgen05.f16", "wgmma.f32.e4m3.e5m2", "mma.sync.m16n8k32.s32.s8.u8.s32". */
TW_API tw_status tw_explain_dot(tw_ctx *ctx, const char *kind, const tw_dot_opts *opts, const char **text);

/* What `tilewright explain fragment SPELLING [OPERAND]` prints: which element of each operand (NULL: of all) every register of
 * every lane holds. `spelling` is a full PTX spelling of mma.sync, mma.sp, wgmma.mma_async, ldmatrix, stmatrix, tcgen05.ld or
 * tcgen05.st. TW_JSON gives the same as data. */
TW_API tw_status tw_explain_fragment(tw_ctx *ctx, const char *spelling, const char *operand, tw_style style, const char **text);

TW_API const char *tw_version(void);

/* ---- modules: kernels and PTX ---------------------------------------------------------------- */

typedef struct tw_module tw_module;

typedef struct tw_compile_opts {
    const char *kernel; /* which kernel of the file; NULL: the only one */
    const char *arch;   /* ".target"; NULL: sm_100a */
    unsigned ptx_version; /* 88 is 8.8; 0: the lowest that the target and the kernel's instructions need, at least 8.8 */
} tw_compile_opts;

/* Compiles one kernel of a program file. `text` must live as long as the module. */
TW_API tw_status tw_compile(tw_ctx *ctx, const char *file_name, const char *text, size_t len,
                            const tw_compile_opts *opts, tw_module **out);
/* Reads a PTX module. `text` must live as long as the module. */
TW_API tw_status tw_module_parse(tw_ctx *ctx, const char *file_name, const char *text, size_t len, tw_module **out);
TW_API void tw_module_destroy(tw_module *module);

typedef enum tw_emit {
    TW_EMIT_PTX,        /* the PTX text that runs here and on a GPU */
    TW_EMIT_IR,         /* compiled modules: kernel IR as built */
    TW_EMIT_IR_LOWERED, /* compiled modules: kernel IR after tile lowering */
    TW_EMIT_LAUNCH,     /* compiled modules: the launch contract, JSON */
    TW_EMIT_CUDA        /* compiled modules: the kernel as CUDA C++ with inline PTX, for nvcc */
} tw_emit;

/* TW_ERROR if the module has no such form (PTX that was read has no IR). */
TW_API tw_status tw_module_text(tw_module *module, tw_emit what, const char **text, size_t *len);

/* What is wrong on some path through the module's PTX, without running it: see tw_diagnostics. TW_ERROR if an error is among
 * what is found; notes leave TW_OK. */
TW_API tw_status tw_module_check(tw_module *module);

/* The module's .target: "sm_90a". */
TW_API const char *tw_module_target(const tw_module *module);

/* How many instructions of each opcode the module holds, one "count spelling" a line, most frequent first. */
TW_API tw_status tw_module_opcodes(tw_module *module, const char **text);

/* The names of the kernels of a program file, or of the entries of a PTX file, one a line. */
TW_API tw_status tw_list_kernels(tw_ctx *ctx, const char *file_name, const char *text, size_t len, const char **names);

/* ---- devices and memory ------------------------------------------------------------------------ */

typedef struct tw_device tw_device;

/* Where launches run. Memory, arguments and launches are used alike; addresses are the device's own. */
typedef enum tw_device_kind {
    TW_DEVICE_CPU, /* the machine: any PTX, on any host */
    TW_DEVICE_CUDA /* a GPU, by way of NVIDIA's driver, which is opened at run time */
} tw_device_kind;

typedef struct tw_device_opts {
    uint64_t max_memory; /* bytes of guest memory, and again for running clusters; 0: 4 GiB on the CPU, all on a GPU */
    tw_device_kind kind;
    unsigned ordinal;    /* CUDA: which GPU, in the driver's order */
    const char *driver;  /* CUDA: the driver's library; NULL: libcuda.so.1 */
    const char *arch;    /* CPU: the GPU that the machine is, "sm_90a"; NULL: the one that each module's target names. A GPU
                            computes as what it is, whatever older target a module was made for */
} tw_device_opts;

TW_API tw_status tw_device_create(tw_ctx *ctx, const tw_device_opts *opts, tw_device **out);
TW_API void tw_device_destroy(tw_device *device);

typedef struct tw_device_info {
    tw_device_kind kind;
    const char *name;        /* "NVIDIA H200"; lives as long as the device */
    unsigned sm;             /* 90: compute capability 9.0; 0: a CPU machine that takes every target */
    unsigned driver_version; /* CUDA: 13000 for 13.0 */
} tw_device_info;
TW_API void tw_device_read_info(const tw_device *device, tw_device_info *out);

/* Global memory outlives launches. *address is a guest address, 256-byte aligned; memory is zeroed. */
TW_API tw_status tw_alloc(tw_device *device, uint64_t bytes, uint64_t *address);
TW_API tw_status tw_free(tw_device *device, uint64_t address);
TW_API tw_status tw_write(tw_device *device, uint64_t address, const void *from, uint64_t bytes);
TW_API tw_status tw_read(tw_device *device, uint64_t address, void *to, uint64_t bytes);

/* ---- launches ------------------------------------------------------------------------------------ */

typedef struct tw_launch tw_launch;

typedef struct tw_launch_opts {
    const char *entry; /* NULL: the only entry of the module */
    uint32_t grid[3], block[3], cluster[3]; /* 0 counts as 1; block or cluster all 0: as the entry declares, or 1 */
    uint32_t dynamic_shared_bytes;
    const void *params; /* the parameter block, laid out as the entry declares it */
    size_t param_bytes;
    uint64_t seed;       /* draws the schedule, poison, and which asynchronous work lands first */
    unsigned threads;    /* host threads that run clusters; 0: one. For kernels without data races the result is the same */
    uint64_t max_steps;  /* warp instructions; 0: 10,000,000,000 */
    double max_seconds;  /* by `now`; 0: none */
    double (*now)(void *user); /* a monotonic clock in seconds; needed for max_seconds alone */
    void *user;
    void (*print)(void *print_user, const char *text, size_t len); /* what the kernel prints (vprintf); NULL: dropped */
    void *print_user;
    bool report;         /* count for tw_launch_report; costs some time */
    bool hazards;        /* CPU: look for memory accesses that nothing orders, and report them when the launch ends: an error
                            among them makes it TW_ERROR. Results are the same; costs some time */
} tw_launch_opts;

/* Refuses what a driver refuses: dimensions that contradict the entry's directives, too much shared memory ... */
TW_API tw_status tw_launch_create(tw_device *device, tw_module *module, const tw_launch_opts *opts, tw_launch **out);
/* Runs up to `steps` warp instructions (0: to the end). TW_RUNNING, or how it ended. On a GPU one call is the whole run:
 * steps, seed and limits of time and steps are the CPU machine's alone. */
TW_API tw_status tw_launch_run(tw_launch *launch, uint64_t steps);
TW_API void tw_launch_destroy(tw_launch *launch);

typedef struct tw_launch_stats {
    uint64_t steps;     /* warp instructions executed */
    uint64_t ctas_done, ctas;
} tw_launch_stats;
TW_API void tw_launch_read_stats(const tw_launch *launch, tw_launch_stats *out);

/* What the launch has executed: instructions by opcode, bytes by space, multiply-adds of tensor cores by kind, and how
 * exact the results are and why. TW_ERROR unless opts.report was set. *text lives as long as the launch. */
TW_API tw_status tw_launch_report(tw_launch *launch, tw_style style, const char **text);

/* ---- arguments by name ---------------------------------------------------------------------------- */

/* The arguments of one entry as its launch contract describes them: tensors in guest memory (zero-filled
 * until set) and scalars. A compiled module carries its contract; for PTX that was read, pass its JSON. */
typedef struct tw_args tw_args;

TW_API tw_status tw_args_create(tw_device *device, tw_module *module, const char *entry, const char *contract_name,
                                const char *contract, size_t contract_len, tw_args **out);
TW_API void tw_args_destroy(tw_args *args);

TW_API size_t tw_args_count(const tw_args *args);
TW_API const char *tw_args_name(const tw_args *args, size_t index);

/* What the launch contract wants done with tensors, in its order: contents from a .npy file or of a kind of numbers before the
 * launch, a file to be written and one to be compared with after it. The library opens no files: a file's name is as the
 * contract writes it, relative to the contract's folder. */
typedef enum tw_use { TW_USE_IN, TW_USE_FILL, TW_USE_OUT, TW_USE_EXPECT } tw_use;
typedef struct tw_tensor_use {
    tw_use use;
    const char *tensor;
    const char *text;  /* file; the kind of tw_args_fill */
    uint64_t seed;     /* TW_USE_FILL */
    double rtol, atol; /* TW_USE_EXPECT */
} tw_tensor_use;
/* False when there are no more than `index`. */
TW_API bool tw_args_read_use(const tw_args *args, size_t index, tw_tensor_use *out);

/* `file_name` is for diagnostics. The file's dtype and shape must be the argument's. */
TW_API tw_status tw_args_set_npy(tw_args *args, const char *name, const char *file_name, const void *bytes, size_t len);
/* kind: zeros ones iota ints normal uniform bits */
TW_API tw_status tw_args_fill(tw_args *args, const char *name, const char *kind, uint64_t seed);
/* A scalar argument from text: decimal, hexadecimal or, for floats, decimal with a point. */
TW_API tw_status tw_args_set(tw_args *args, const char *name, const char *value);
/* The tensor's present contents as a .npy file; valid until the next call with these arguments. */
TW_API tw_status tw_args_get_npy(tw_args *args, const char *name, const void **bytes, size_t *len);
/* The tensor's guest address and size in bytes. */
TW_API tw_status tw_args_tensor(tw_args *args, const char *name, uint64_t *address, uint64_t *bytes);

typedef struct tw_difference {
    uint64_t elements, differing; /* differing: outside atol + rtol * |expected| */
    double max_abs;               /* largest absolute difference of finite elements */
} tw_difference;
/* Compares a tensor with a .npy file; a difference beyond the tolerance is TW_ERROR and a diagnostic that names
 * the first differing element with both values and both bit patterns. A NaN equals a NaN. */
TW_API tw_status tw_args_compare(tw_args *args, const char *name, const char *file_name, const void *bytes, size_t len,
                                 double rtol, double atol, tw_difference *out);

/* Compares every tensor of two sets of arguments made from one contract, on any devices, bit for bit. A difference is
 * TW_ERROR and a diagnostic that names the first differing element with both values and both bit patterns: expected is
 * that of `args`, found that of `other`. */
TW_API tw_status tw_args_compare_bits(tw_args *args, tw_args *other, tw_difference *out);

/* A launch with these arguments and the contract's dimensions; the fields entry, grid, block, cluster,
 * dynamic_shared_bytes and params of `opts` must be zero. */
TW_API tw_status tw_args_launch(tw_args *args, const tw_launch_opts *opts, tw_launch **out);

#ifdef __cplusplus
}
#endif
#endif
