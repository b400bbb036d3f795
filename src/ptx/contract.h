/* The launch contract: how an entry is launched. The compiler writes one beside its PTX; for PTX from elsewhere
 * the user writes it. Running on the CPU, launching on a GPU and comparing the two read this one structure.
 *
 * As JSON:
 *     {
 *       "entry": "scale_rows",
 *       "grid": [32, 1, 1], "block": [48, 1, 1], "cluster": [1, 1, 1],
 *       "dynamic_shared_bytes": 0,
 *       "args": [
 *         {"name": "X", "kind": "tensor", "dtype": "float32", "shape": [32, 48], "in": "x.npy"},
 *         {"name": "n", "kind": "scalar", "dtype": "int32", "value": 48},
 *         {"name": "unused", "kind": "null"},
 *         {"name": "buffer", "kind": "scratch", "bytes": 4096},
 *         {"name": "y_map", "kind": "tensor_map", "tensor": "Y", "box": [64, 32], "swizzle": "128B"},
 *         {"name": "window", "kind": "bytes", "value": "0000000010000000"}
 *       ],
 *       "tensors": [{"name": "Y", "dtype": "float16", "shape": [256, 64]}]
 *     }
 * `args` are the entry's parameters in order: a tensor is a 64-bit pointer to a row-major array, a scalar its own
 * bytes, null a 64-bit zero, scratch a pointer to zeroed bytes, a tensor map its 128 bytes, bytes a
 * structure passed by value. `tensors` lists tensors that
 * are no parameters themselves, but targets of maps. A tensor may say where its contents come from and what is to
 * become of them. docs/launch.md describes every field. */
#ifndef TW_PTX_CONTRACT_H
#define TW_PTX_CONTRACT_H

#include "base/limits.h"
#include "diag/diag.h"
#include "isa/tensor_map.h"
#include "num/format.h"

#include <stdbool.h>

enum contract_kind { CONTRACT_TENSOR, CONTRACT_SCALAR, CONTRACT_NULL, CONTRACT_SCRATCH, CONTRACT_TENSOR_MAP, CONTRACT_BYTES };

/* An element type: a row of the format table, or the one-byte bool. */
struct contract_dtype {
    bool is_bool;
    enum num_format format;
};

/* A tensor map, complete but for the address: what was not written follows from the tensor. */
struct contract_map {
    const char *tensor;
    struct tensor_map map;
    struct src_span tensor_at;
    struct src_span field_at[TMAP_FIELD_COUNT]; /* where a field was written; file 0: nowhere */
    bool has_type, has_dims, has_strides;       /* while reading */
    uint32_t stride_count, box_count, element_stride_count;
};

/* What a run does with a tensor: before it, contents from a file or a kind of numbers; after it, a file to be written, and one
 * that holds what is expected. */
enum contract_use { CONTRACT_IN, CONTRACT_FILL, CONTRACT_OUT, CONTRACT_EXPECT, CONTRACT_USE_COUNT };

struct contract_arg {
    const char *name;
    enum contract_kind kind;
    struct contract_dtype dtype; /* tensors, scalars */
    uint32_t rank;               /* tensors */
    int64_t shape[TW_MAX_RANK];
    const char *uses[CONTRACT_USE_COUNT]; /* tensors: file, or kind of numbers; NULL: not written */
    uint64_t seed;               /* of the numbers */
    const char *rtol, *atol;     /* tolerances of what is expected, as written; NULL: 0 */
    const char *value;           /* scalars: text of the default value, or NULL */
    uint64_t scratch_bytes;      /* scratch */
    const uint8_t *bytes;        /* bytes: a parameter passed by value */
    uint32_t byte_count;
    struct contract_map *map;    /* tensor maps; NULL: of a compiled kernel that describes it nowhere */
    struct src_span at;          /* in the contract's text; file 0 for a compiled kernel */
};

struct contract {
    const char *entry;
    uint32_t grid[3], block[3], cluster[3]; /* at least 1; block and cluster all 0: the kernel's own, or 1 */
    uint32_t dynamic_shared_bytes;
    VEC(struct contract_arg) args;
    VEC(struct contract_arg) tensors; /* no parameters themselves; all of kind CONTRACT_TENSOR */
    struct src_span at, entry_at; /* of the whole and of the entry's name; file 0 for a compiled kernel */
};

/* Reads the source file `file` of diags->sources. NULL after an error (E061x) in diags. */
const struct contract *tw_contract_read(struct arena *arena, uint32_t file, struct diags *diags);
void tw_contract_write(const struct contract *c, struct text *out);

const char *tw_contract_dtype_name(struct contract_dtype t);
/* False if `name` is no dtype of a tensor or scalar. */
bool tw_contract_dtype_find(struct str name, struct contract_dtype *out);
/* Bits of one element in memory (packed sub-byte elements included). */
uint32_t tw_contract_dtype_bits(struct contract_dtype t);
/* The tensor of that name, an argument or not; NULL if there is none. */
const struct contract_arg *tw_contract_tensor(const struct contract *c, const char *name);
/* Bytes of a tensor, UINT64_MAX when that overflows. */
uint64_t tw_contract_tensor_bytes(const struct contract_arg *a);

#endif
