/* tcgen05.mma as data: kinds with their formats, legal shapes, and the 32-bit instruction descriptor.
 *
 * A form is what the mnemonic says (kind, cta_group, .ws, .sp, scale vector); an instruction
 * descriptor is the word that the form is given at run time. ptxas never looks at that word, so
 * everything in it is checked here. SOURCE: PTX ISA, "Instruction descriptor", tables of
 * tcgen05.mma kinds and shapes. */
#ifndef TW_ISA_IDESC_H
#define TW_ISA_IDESC_H

#include "num/format.h"

#include <stddef.h>

enum tc_kind { TC_F16, TC_TF32, TC_F8F6F4, TC_I8, TC_MXF8F6F4, TC_MXF4, TC_MXF4NVF4, TC_KIND_COUNT };

/* Which of the three bit tables a kind's descriptor follows. */
enum idesc_table { IDESC_DENSE, IDESC_MXF8F6F4, IDESC_MXF4, IDESC_TABLE_COUNT };

struct tc_kind_row {
    const char *name;           /* "f16", as in .kind::f16 */
    enum idesc_table table;
    uint32_t ab_formats;        /* set of 1u << enum num_format */
    uint32_t d_formats;
    uint8_t k_dense, k_sparse;  /* elements of K in one instruction */
    uint8_t container_bits;     /* bits that one element of A takes of its 32 bytes of K */
    bool block_scale;
    bool negate;                /* the negate bits may be set */
    bool same_ab;               /* A and B must have one format */
};

extern const struct tc_kind_row tw_tc_kinds[TC_KIND_COUNT];

/* By name without ".kind::"; TC_KIND_COUNT if there is none. */
enum tc_kind tw_tc_kind_find(struct str name);

/* The code of a format in the A/B type field of this kind, or -1. e2m1 is 5 in f8f6f4 and mxf8f6f4, 1 in the mxf4 kinds. */
int tw_tc_ab_code(enum tc_kind kind, enum num_format format);
/* The code of an accumulator format, or -1; 0 for the block-scaled kinds, which have no such field. */
int tw_tc_d_code(enum tc_kind kind, enum num_format format);
/* Back again; NUM_NONE if the code is not defined. */
enum num_format tw_tc_ab_format(enum tc_kind kind, uint32_t code);
enum num_format tw_tc_d_format(enum tc_kind kind, uint32_t code);

/* ---- Scale vectors ------------------------------------------------------------------------- */

/* None, or how many factors a row of A or column of B has in one instruction (K of 64 or 32). */
enum tc_scale_vec { TC_SCALE_NONE, TC_SCALE_1X, TC_SCALE_2X, TC_SCALE_4X, TC_SCALE_VEC_COUNT };

struct tc_scale_row {
    enum tc_kind kind;
    enum tc_scale_vec vec;
    const char *spellings;      /* qualifiers that mean it, separated by spaces; "-" for none written */
    uint8_t block;              /* logical K elements a factor, dense */
    uint32_t formats;           /* scale formats: set of 1u << enum num_format */
    uint8_t legal_ids;          /* bit i: SFA_ID and SFB_ID may be i */
};

extern const struct tc_scale_row tw_tc_scales[];
extern const size_t tw_tc_scale_count;

/* The row of a kind and a qualifier ("scale_vec::2X", "block16", or "" for none written), or NULL. */
const struct tc_scale_row *tw_tc_scale_find(enum tc_kind kind, struct str spelling);
const struct tc_scale_row *tw_tc_scale_of(enum tc_kind kind, enum tc_scale_vec vec);

/* ---- Forms and shapes ---------------------------------------------------------------------- */

struct tc_form {
    enum tc_kind kind;
    uint8_t cta_group;          /* 1 or 2 */
    bool ws, sparse;
    bool a_in_tmem;
    enum tc_scale_vec scale_vec; /* TC_SCALE_NONE unless the kind scales blocks */
};

/* PORTABLE: in every published table. SUPERSET: hardware accepts it, a stricter table does not list it. */
enum tc_shape_verdict { TC_SHAPE_ILLEGAL, TC_SHAPE_SUPERSET, TC_SHAPE_PORTABLE };

enum tc_shape_verdict tw_tc_shape(const struct tc_form *form, uint32_t m, uint32_t n);
/* Which N of those that exist with this M every table lists: "N a multiple of 16". */
const char *tw_tc_shape_portable(const struct tc_form *form, uint32_t m);
/* What the form allows, in words: "M 64 or 128, N 8 to 256 in steps of 8". Static text. */
const char *tw_tc_shape_legal(const struct tc_form *form);

/* ---- The descriptor ------------------------------------------------------------------------ */

/* Every member that some table has; those that a table lacks stay 0. */
struct idesc {
    uint16_t m, n;
    uint16_t a_format, b_format, d_format; /* enum num_format */
    uint16_t scale_format;                 /* enum num_format, block-scaled kinds */
    uint16_t negate_a, negate_b;           /* 0 or 1 */
    uint16_t a_mn_major, b_mn_major;
    uint16_t saturate;
    uint16_t sparse, sparsity_selector;
    uint16_t max_shift;                    /* .ws: 0, 8, 16 or 32 columns */
    uint16_t sfa_id, sfb_id;
    uint16_t k96;                          /* mxf4 kinds on sm_103a */
};

enum idesc_field_kind {
    IDESC_NUMBER,   /* member = value << shift */
    IDESC_AB,       /* member = format with this code */
    IDESC_D,
    IDESC_SCALE,    /* 1 ue8m0, 0 ue4m3 */
    IDESC_SHIFT,    /* 0, 8, 16, 32 */
    IDESC_ZERO      /* reserved */
};

struct idesc_field {
    const char *name;
    uint8_t low, width;
    enum idesc_field_kind kind;
    uint8_t shift;              /* IDESC_NUMBER: the field holds member >> shift */
    size_t member;              /* offset in struct idesc */
    const char *meaning;
};

#define IDESC_FIELD_MAX 20

struct idesc_field_list {
    const struct idesc_field *at;
    size_t count;
};

/* Every bit in exactly one field, lowest first. */
struct idesc_field_list tw_idesc_fields(enum tc_kind kind);

/* The word; every member must fit (see tw_idesc_check for what is legal). */
uint32_t tw_idesc_encode(enum tc_kind kind, const struct idesc *desc);
/* Total: an undefined format code decodes as NUM_NONE. The D format of block-scaled kinds is NUM_F32. */
void tw_idesc_decode(enum tc_kind kind, uint32_t word, struct idesc *out);

struct idesc_fault {
    const struct idesc_field *field;
    uint32_t found;             /* the field's raw value */
    const char *expected;       /* static text */
};

struct idesc_fault_list {
    struct idesc_fault at[IDESC_FIELD_MAX];
    size_t count;
};

/* Lists every field of the word that the form does not allow. A shape outside both tables is one
 * fault, at the field N or M; a superset shape is none. True if there is no fault. */
bool tw_idesc_check(const struct tc_form *form, uint32_t word, struct idesc_fault_list *faults);

/* K elements of the instruction, from form and word. */
uint32_t tw_idesc_k(const struct tc_form *form, const struct idesc *desc);

#endif
