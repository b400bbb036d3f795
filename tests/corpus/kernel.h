/* A kernel of the corpus under test: its PTX, its arguments by name, one run of it through the public API, and
 * comparison with values that the test computes by itself.
 *
 * A test lists the arguments in the order of the entry's parameters (those of corpus/triton come from the JSON file beside
 * the PTX), fills the tensors' `before`, calls kernel_run and compares `after`. kernel_run launches on several seeds, by
 * turns the text as the compiler wrote it on one host thread, and the text that tilewright prints after reading it on two.
 * All runs must leave the same bytes, and no byte of a tensor that is not an output may change. TW_LONG=1 tries more seeds.
 *
 * A kernel whose file is not here, or whose compiler is not, is not run, and says so; it never counts as passed. */
#ifndef TW_TESTS_CORPUS_KERNEL_H
#define TW_TESTS_CORPUS_KERNEL_H

#include "support/check.h"

#include "base/json.h"
#include "num/format.h"
#include "tilewright/tilewright.h"

enum { MAX_ARGUMENTS = 24, MAX_TENSOR_RANK = 5 };

enum argument_kind { ARGUMENT_TENSOR, ARGUMENT_SCALAR, ARGUMENT_NULL, ARGUMENT_MAP, ARGUMENT_BYTES };

struct argument {
    const char *name;
    enum argument_kind kind;
    enum num_format format; /* elements of a tensor; a scalar */
    bool output;            /* a tensor that the kernel may write */
    const char *value;      /* a scalar, as text; bytes, in hexadecimal */
    uint32_t rank;
    uint64_t shape[MAX_TENSOR_RANK], count, bytes;
    uint32_t box[MAX_TENSOR_RANK]; /* a tensor map: outermost first, like the shape */
    const char *swizzle;
    unsigned char *before, *after; /* contents before and after the launch */
};

struct kernel {
    struct bench_room *room;
    const struct corpus_test *test;
    const char *name;       /* "matmul_f16.sm_80": names the test and its messages */
    const char *ptx;
    const struct json *json; /* corpus/triton: the file beside the PTX */
    const char *entry;
    uint32_t grid[3], block[3], cluster[3], dynamic_shared_bytes;
    struct argument arguments[MAX_ARGUMENTS];
    uint32_t argument_count;
    const char *compute_as; /* the architecture whose arithmetic the runs take; NULL: the target's */
    uint64_t steps;         /* warp instructions of the first run */
    double seconds;
    double largest_difference; /* |got - want| / (1 + |want|), over all runs that were compared */
    enum { KERNEL_FAILED, KERNEL_PASSED, KERNEL_NOT_RUN } result;

    tw_ctx *ctx; /* of the run in progress; freed after the test, however it ends */
    tw_module *module;
    tw_device *device;
    tw_args *args;
    tw_launch *launch;
};

/* One file of corpus/triton/ptx or one kernel of corpus/cuda, as cmocka's initial state of a test. */
struct corpus_test {
    const char *name;                   /* "matmul_f16.sm_80", or the kernel's name */
    const char *source;                 /* corpus/cuda: "mma_sync_gemm"; NULL: corpus/triton/ptx */
    void (*check)(struct kernel *kernel);
    const void *facts;                  /* what `check` has to know about this row */
};

/* Runs one test a row; the answer of main. */
int corpus_run_tests(const char *group, const struct corpus_test *rows, size_t count);

/* True under TW_LONG=1. */
bool corpus_is_long(void);

/* Launch dimensions of a kernel of corpus/cuda; dimensions that are not given are 1. */
void kernel_launch(struct kernel *k, uint32_t grid_x, uint32_t grid_y, uint32_t cluster_x, uint32_t block_x, uint32_t dynamic_shared_bytes);

/* Between the parts of the kit: an argument more; opening of a row's file, with all that its JSON tells; compiling of the
 * programs that the rows name. */
struct argument *kernel_add(struct kernel *k, const char *name, enum argument_kind kind, enum num_format format);
bool argument_has_memory(const struct argument *a);
void corpus_open_triton(struct kernel *k);
void corpus_open_cuda(struct kernel *k);
void corpus_compile(const struct corpus_test *rows, size_t count);

/* Arguments. Shapes of a tensor follow its name, outermost first. */
struct argument *kernel_add_tensor(struct kernel *k, const char *name, enum num_format format, uint32_t rank, ...);
struct argument *kernel_add_output(struct kernel *k, const char *name, enum num_format format, uint32_t rank, ...);
/* A tensor that the kernel sees through a tensor map; dims and box outermost first. */
struct argument *kernel_add_map(struct kernel *k, const char *name, enum num_format format, const char *swizzle, const int *dims,
                                const int *box, uint32_t rank);
/* A parameter that is a structure, passed by value. */
void kernel_add_bytes(struct kernel *k, const char *name, const void *bytes, size_t count);
void kernel_add_int(struct kernel *k, const char *name, int64_t value);
/* The argument of that name, whose shape the JSON file does not tell. */
struct argument *kernel_shape(struct kernel *k, const char *name, uint32_t rank, ...);
struct argument *kernel_output(struct kernel *k, const char *name, uint32_t rank, ...);
void kernel_set_int(struct kernel *k, const char *name, int64_t value);
void kernel_set_float(struct kernel *k, const char *name, const char *decimal);
/* A number of the JSON's "problem" or "constants". */
int kernel_size(const struct kernel *k, const char *name);

void kernel_run(struct kernel *k);
/* Between the parts of the kit: the launch contract, JSON; whether the kernel is to run on a GPU, too (TW_CORPUS_GPU), which
 * skips the test where the GPU cannot; that run, and its comparison with `after`. */
struct str kernel_contract(const struct kernel *k);
bool kernel_gpu_wanted(struct kernel *k);
void kernel_run_on_gpu(struct kernel *k);
/* Skips the test, saying why. */
_Noreturn void kernel_not_run(struct kernel *k, const char *why);

/* The element's value; bytes are `before` or `after`. */
double element(enum num_format format, const unsigned char *bytes, uint64_t index);
/* Stores the value, which must be exact in the tensor's format. */
void set_element(struct argument *t, uint64_t index, double value);
void set_word(struct argument *t, uint64_t index, uint64_t word);
/* All elements of `before` or `after` as doubles, in the test's arena. */
double *values_of(struct kernel *k, const struct argument *t, const unsigned char *bytes);

/* Compares an output with `want`, element by element: |got - want| <= atol + rtol * |want|; a NaN equals a NaN. */
void expect_close(struct kernel *k, const struct argument *t, const double *want, double rtol, double atol);
void expect_equal(struct kernel *k, const struct argument *t, const double *want);

#endif
