/* Shared-memory matrix descriptors: the 64-bit words that tell tcgen05.mma, tcgen05.cp and wgmma
 * where the elements of an operand are.
 *
 * Two encodings exist: that of tcgen05 (sm_100 and later) and that of wgmma (sm_90). Their fields
 * stand in one bit table each, their layouts in one table for both. The address functions are the
 * same for both; nothing here reads memory.
 *
 * Words used throughout: a row r is an index along M (operand A) or N (operand B); a K-major
 * operand has consecutive K elements in consecutive bytes, an MN-major one consecutive rows.
 * `lead_bytes` and `stride_bytes` are the fields LBO and SBO (LDO and SDO in the language).
 *
 * SOURCE: PTX ISA, "Shared memory descriptor", "Canonical layouts", "Matrix descriptor" of tcgen05;
 * "Matrix descriptor format" of wgmma. */
#ifndef TW_ISA_SMEM_DESC_H
#define TW_ISA_SMEM_DESC_H

#include "layout/swizzle.h"

#include <stddef.h>

enum smem_desc_arch { SMEM_DESC_TCGEN05, SMEM_DESC_WGMMA, SMEM_DESC_ARCH_COUNT };

/* The value of the layout field for a swizzle mode; -1 where the encoding has none. */
int tw_smem_layout_code(enum smem_desc_arch arch, enum swizzle_mode mode);

struct smem_desc {
    uint32_t start_bytes;  /* offset in the shared window of the executing CTA, 18 bits, a multiple of 16 */
    uint32_t lead_bytes;   /* or an absolute address when lead_absolute */
    uint32_t stride_bytes;
    uint8_t base_offset;   /* 0..7, in units of 128 bytes */
    bool lead_absolute;    /* sm_103a only */
    enum swizzle_mode mode;
};

enum smem_member { SMEM_MEMBER_NONE, SMEM_START, SMEM_LEAD, SMEM_STRIDE, SMEM_BASE, SMEM_LEAD_MODE, SMEM_LAYOUT };

/* One field of a descriptor word. A constant field must hold `must`. */
struct smem_field {
    const char *name;
    uint8_t low, width;
    uint8_t unit_log2;     /* the field holds bytes >> unit_log2 */
    bool constant;
    uint8_t must;
    enum smem_member member;
    const char *meaning;
    const char *expected;  /* legal values in words; NULL where every value is legal */
};

#define SMEM_FIELD_MAX 10

struct smem_field_list {
    const struct smem_field *at;
    size_t count;
};

/* The bit table of an encoding, every bit of the word in exactly one field, lowest first. */
struct smem_field_list tw_smem_desc_fields(enum smem_desc_arch arch);

/* Masks start, lead and stride to 18 bits: a shared symbol carries its CTA's cluster rank above them. */
uint64_t tw_smem_desc_encode(enum smem_desc_arch arch, const struct smem_desc *desc);

/* A field that holds a value which the encoding does not allow. */
struct smem_fault {
    const struct smem_field *field;
    uint32_t found;
    const char *expected;
};

struct smem_fault_list {
    struct smem_fault at[SMEM_FIELD_MAX];
    size_t count;
};

/* Fills *out (an undefined layout code decodes as SWIZZLE_NONE) and lists every illegal field.
 * True if there is none. A non-zero base offset of a swizzled tcgen05 layout is a fault: its effect is documented
 * nowhere, and every known producer writes 0. Without a swizzle there is no pattern that it could move, and it is
 * ignored: Triton writes (address >> 7) & 7 into the descriptors of the scales that tcgen05.cp copies. */
bool tw_smem_desc_decode(enum smem_desc_arch arch, uint64_t word, struct smem_desc *out,
                         struct smem_fault_list *faults);

/* Why a layout cannot hold elements of this width in this order, or NULL if it can. */
const char *tw_smem_layout_refusal(enum swizzle_mode mode, unsigned elem_bits, bool mn_major);

/* Bytes from the start to element (row, k) before the xor. K-major takes the byte along K
 * (packed formats have no whole bytes an element); MN-major the element width. */
uint32_t tw_smem_k_walk(const struct smem_desc *desc, uint32_t row, uint32_t k_byte);
uint32_t tw_smem_mn_walk(const struct smem_desc *desc, uint32_t elem_bytes, uint32_t row, uint32_t k);

/* The byte address in the shared window: start plus walk, then the swizzle. The xor takes its source
 * bits from the absolute address, less 128 bytes for each unit of the base offset. */
uint32_t tw_smem_k_addr(const struct smem_desc *desc, uint32_t row, uint32_t k_byte);
uint32_t tw_smem_mn_addr(const struct smem_desc *desc, uint32_t elem_bytes, uint32_t row, uint32_t k);

#endif
