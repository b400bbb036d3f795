/* Tensor maps: the 128 bytes that describe a tensor in global memory to the bulk copies of PTX, as data.
 *
 * The bit layout of NVIDIA's maps is not published, and nothing here knows it. A map of ours is made by this
 * encoder, which applies the rules of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, and it carries a
 * magic word, so that bytes that are no map are told from a map wherever one is used. All fields stand in
 * the 128 bytes themselves: a copy of a map is a map, and tensormap.replace changes it in place.
 *
 *   byte   0  global address (as in NVIDIA's maps)      88  tile: box, 5 x u32
 *          8  magic                                         im2col: lower corners 3 x s16, upper 3 x s16,
 *         16  dims, 5 x u64                                         channels u32, pixels u32
 *         56  strides of dims 1 to 4, 4 x u64          108  element strides, 5 x u16
 *        118  element type        119  rank            120  interleave    121  swizzle   122  atomicity
 *        123  fill                124  L2 promotion    125  mode          126  zero
 *
 * Every field of zeros is a field of zeros: kernels build maps out of 128 zero bytes with tensormap.replace.
 *
 * SOURCE: CUDA driver API, "Tensor Map Object Management"; PTX ISA, "tensormap.replace", "Tensor-map";
 * MEASURED: ptx-async.md 4.4 for the rules that the driver enforces. */
#ifndef TW_ISA_TENSOR_MAP_H
#define TW_ISA_TENSOR_MAP_H

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_MAP_BYTES = 128, TENSOR_MAP_ALIGN = 64, TENSOR_MAP_RANK = 5, TENSOR_MAP_SPATIAL = 3 };

/* The driver's numbers. */
enum tensor_map_type {
    TMAP_U8, TMAP_U16, TMAP_U32, TMAP_S32, TMAP_U64, TMAP_S64, TMAP_F16, TMAP_F32, TMAP_F64, TMAP_BF16, TMAP_F32_FTZ,
    TMAP_TF32, TMAP_TF32_FTZ, TMAP_U4X16_ALIGN8, TMAP_U4X16_ALIGN16, TMAP_U6X16_ALIGN16,
    TMAP_TYPE_COUNT
};

/* What cp.reduce.async.bulk.tensor does with elements. */
enum tensor_map_reduction { TMAP_ADD = 1, TMAP_MINMAX = 2, TMAP_INCDEC = 4, TMAP_BITS = 8 };

struct tensor_map_type_row {
    const char *name;      /* "f16"; in launch contracts and messages */
    const char *dtype;     /* kernel-language names that mean it, separated by spaces */
    uint8_t replace_code;  /* its number in tensormap.replace */
    uint8_t global_bits;   /* of an element in global memory */
    uint8_t shared_bits;   /* of an element in shared memory: more where padding is put between groups */
    bool is_float;
    bool packed;           /* elements come in groups of 16 that are not whole bytes each */
    uint8_t reductions;    /* set of enum tensor_map_reduction */
};
const struct tensor_map_type_row *tw_tensor_map_type(enum tensor_map_type type);

enum tensor_map_mode { TMAP_TILE, TMAP_IM2COL, TMAP_IM2COL_WIDE };
enum tensor_map_interleave { TMAP_INTERLEAVE_NONE, TMAP_INTERLEAVE_16B, TMAP_INTERLEAVE_32B, TMAP_INTERLEAVE_COUNT };
enum tensor_map_fill { TMAP_FILL_ZEROS, TMAP_FILL_NAN, TMAP_FILL_COUNT };
enum tensor_map_l2 { TMAP_L2_NONE, TMAP_L2_64B, TMAP_L2_128B, TMAP_L2_256B, TMAP_L2_COUNT };

/* Swizzles: the driver's numbers, and those of tensormap.replace, where width and atomicity are two fields. */
enum tensor_map_swizzle {
    TMAP_SWIZZLE_NONE, TMAP_SWIZZLE_32B, TMAP_SWIZZLE_64B, TMAP_SWIZZLE_128B, TMAP_SWIZZLE_128B_ATOM_32B,
    TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, TMAP_SWIZZLE_128B_ATOM_64B, TMAP_SWIZZLE_96B,
    TMAP_SWIZZLE_COUNT
};

struct tensor_map_swizzle_row {
    const char *name;       /* "128B" */
    uint32_t span_bytes;    /* of a row in shared memory; 0: rows are dense */
    uint32_t unit_bytes;    /* that stay together */
    uint32_t target_bit, bits, source_bit; /* address bits [target_bit, +bits) are xored with those from source_bit */
    bool flips_8b;          /* bit 3 is xored with bit 7, too */
    uint8_t mode, atomicity; /* in tensormap.replace */
    uint16_t from_sm;
};
const struct tensor_map_swizzle_row *tw_tensor_map_swizzle(enum tensor_map_swizzle swizzle);
/* The permuted shared address: the whole offset in the window takes part. MEASURED: ptx-async.md 4.5. */
uint32_t tw_tensor_map_swizzled(enum tensor_map_swizzle swizzle, uint32_t shared_offset);

struct tensor_map {
    enum tensor_map_mode mode;
    enum tensor_map_type type;
    uint32_t rank;
    uint64_t address;
    uint64_t dims[TENSOR_MAP_RANK];    /* elements, innermost first */
    uint64_t strides[TENSOR_MAP_RANK]; /* bytes between neighbours of dimension 1 and up; [0] is not used */
    uint32_t box[TENSOR_MAP_RANK];     /* tile */
    uint32_t element_strides[TENSOR_MAP_RANK];
    int32_t lower[TENSOR_MAP_SPATIAL], upper[TENSOR_MAP_SPATIAL]; /* im2col: corners of W, H, D */
    uint32_t channels, pixels;         /* im2col: of a column */
    enum tensor_map_interleave interleave;
    enum tensor_map_swizzle swizzle;
    enum tensor_map_fill fill;
    enum tensor_map_l2 l2;
};

/* Fields, for messages and for tensormap.replace. */
enum tensor_map_field {
    TMAP_FIELD_ADDRESS, TMAP_FIELD_RANK, TMAP_FIELD_TYPE, TMAP_FIELD_DIMS, TMAP_FIELD_STRIDES, TMAP_FIELD_BOX,
    TMAP_FIELD_ELEMENT_STRIDES, TMAP_FIELD_INTERLEAVE, TMAP_FIELD_SWIZZLE, TMAP_FIELD_ATOMICITY, TMAP_FIELD_FILL,
    TMAP_FIELD_L2, TMAP_FIELD_MODE, TMAP_FIELD_CORNERS, TMAP_FIELD_CHANNELS, TMAP_FIELD_PIXELS,
    TMAP_FIELD_COUNT
};
const char *tw_tensor_map_field_name(enum tensor_map_field field); /* "boxDim", as the driver calls it */

/* A rule that is broken. */
struct tensor_map_fault {
    enum tensor_map_field field;
    int ordinal;           /* of dims, strides, box, ...: the dimension; -1: the whole field */
    const char *expected, *found;
};

/* Compute capability whose rules hold before a target is known: what only an older device lacks is judged when it is. */
enum { TENSOR_MAP_NEWEST_SM = 100 };
/* The rules of the two encode calls for a device of compute capability `sm`; texts go to the arena. False with *fault. */
bool tw_tensor_map_check(const struct tensor_map *map, unsigned sm, struct arena *arena, struct tensor_map_fault *fault);
/* "boxDim[1]" */
const char *tw_tensor_map_fault_field(const struct tensor_map_fault *fault, struct arena *arena);

/* The bytes of a map, whatever its fields say. Numbers above a field's width become its largest. */
void tw_tensor_map_pack(const struct tensor_map *map, uint8_t bytes[TENSOR_MAP_BYTES]);
/* Checks, then packs. */
bool tw_tensor_map_encode(const struct tensor_map *map, unsigned sm, struct arena *arena, uint8_t bytes[TENSOR_MAP_BYTES],
                          struct tensor_map_fault *fault);
/* False when the bytes are no map: the magic is missing. Fields are not checked; those of an enumeration that have no
 * such value are given as read, so tw_tensor_map_check comes before any use. */
bool tw_tensor_map_unpack(const uint8_t bytes[TENSOR_MAP_BYTES], struct tensor_map *map);

enum tensor_map_replaced {
    TMAP_REPLACED,
    TMAP_NO_MAP,    /* the bytes are neither a map nor all zeros */
    TMAP_NO_ORDINAL, /* the field has no such ordinal */
    TMAP_NO_VALUE   /* the field has no such value */
};
/* tensormap.replace: the value is in the instruction's own numbering; ordinal 0 of the strides is dimension 1. */
enum tensor_map_replaced tw_tensor_map_replace(uint8_t bytes[TENSOR_MAP_BYTES], enum tensor_map_field field, uint32_t ordinal,
                                               uint64_t value);

/* Names of enumerated fields, for launch contracts: NULL-terminated lists in the order of the enumerations. */
extern const char *const tw_tensor_map_interleave_names[TMAP_INTERLEAVE_COUNT + 1];
extern const char *const tw_tensor_map_fill_names[TMAP_FILL_COUNT + 1];
extern const char *const tw_tensor_map_l2_names[TMAP_L2_COUNT + 1];
/* By the map's own name or a kernel-language dtype; TMAP_TYPE_COUNT if there is none. */
enum tensor_map_type tw_tensor_map_type_find(struct str name);
enum tensor_map_swizzle tw_tensor_map_swizzle_find(struct str name);

#endif
