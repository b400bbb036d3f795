#include "isa/smem_desc.h"

#include "base/bits.h"

#include <assert.h>
#include <string.h>

enum { ADDRESS_BITS = 18 }; /* of a byte address that a descriptor can hold */

/* SOURCE: PTX ISA, "Shared memory descriptor" (tcgen05); "Matrix descriptor format" (wgmma). */
static const int8_t layout_codes[SMEM_DESC_ARCH_COUNT][SWIZZLE_MODE_COUNT] = {
    [SMEM_DESC_TCGEN05] = {[SWIZZLE_NONE] = 0, [SWIZZLE_32B] = 6, [SWIZZLE_64B] = 4, [SWIZZLE_128B] = 2, [SWIZZLE_128B_ATOM32] = 1},
    [SMEM_DESC_WGMMA] = {[SWIZZLE_NONE] = 0, [SWIZZLE_32B] = 3, [SWIZZLE_64B] = 2, [SWIZZLE_128B] = 1, [SWIZZLE_128B_ATOM32] = -1},
};

int tw_smem_layout_code(enum smem_desc_arch arch, enum swizzle_mode mode)
{
    return layout_codes[arch][mode];
}

#define FIELD(low, width, member, unit, name, meaning, expected) \
    {name, low, width, unit, false, 0, member, meaning, expected}
#define CONSTANT(low, width, must, name, expected) {name, low, width, 0, true, must, SMEM_MEMBER_NONE, "constant", expected}

static const struct smem_field tcgen05_fields[] = {
    FIELD(0, 14, SMEM_START, 4, "start address", "address of the first element, in the shared window", NULL),
    CONSTANT(14, 2, 0, "bits 15:14", "0"),
    FIELD(16, 14, SMEM_LEAD, 4, "leading dimension offset", "or an absolute address, by the mode bit", NULL),
    CONSTANT(30, 2, 0, "bits 31:30", "0"),
    FIELD(32, 14, SMEM_STRIDE, 4, "stride dimension offset", "from one group of rows to the next", NULL),
    CONSTANT(46, 3, 1, "bits 48:46", "1"),
    FIELD(49, 3, SMEM_BASE, 0, "base offset", "phase of the swizzle pattern, in 128 bytes", "0 (the pattern starts on its own boundary)"),
    FIELD(52, 1, SMEM_LEAD_MODE, 0, "leading dimension mode", "1 (the leading field is an absolute address (sm_103a))", NULL),
    CONSTANT(53, 8, 0, "bits 60:53", "0"),
    FIELD(61, 3, SMEM_LAYOUT, 0, "layout", "swizzle mode", "0 none, 1 128B with 32B atom, 2 128B, 4 64B, 6 32B"),
};

static const struct smem_field wgmma_fields[] = {
    FIELD(0, 14, SMEM_START, 4, "start address", "address of the first element, in the shared window", NULL),
    CONSTANT(14, 2, 0, "bits 15:14", "0"),
    FIELD(16, 14, SMEM_LEAD, 4, "leading dimension offset", "unused with K-major swizzled operands", NULL),
    CONSTANT(30, 2, 0, "bits 31:30", "0"),
    FIELD(32, 14, SMEM_STRIDE, 4, "stride dimension offset", "from one group of rows to the next", NULL),
    CONSTANT(46, 3, 0, "bits 48:46", "0"),
    FIELD(49, 3, SMEM_BASE, 0, "base offset", "phase of the swizzle pattern, in 128 bytes", NULL),
    CONSTANT(52, 10, 0, "bits 61:52", "0"),
    FIELD(62, 2, SMEM_LAYOUT, 0, "layout", "swizzle mode", NULL),
};

_Static_assert(sizeof tcgen05_fields / sizeof tcgen05_fields[0] <= SMEM_FIELD_MAX, "fault lists hold every field");
_Static_assert(sizeof wgmma_fields / sizeof wgmma_fields[0] <= SMEM_FIELD_MAX, "fault lists hold every field");

struct smem_field_list tw_smem_desc_fields(enum smem_desc_arch arch)
{
    if (arch == SMEM_DESC_TCGEN05)
        return (struct smem_field_list){tcgen05_fields, sizeof tcgen05_fields / sizeof tcgen05_fields[0]};
    return (struct smem_field_list){wgmma_fields, sizeof wgmma_fields / sizeof wgmma_fields[0]};
}

static uint64_t member_get(enum smem_desc_arch arch, const struct smem_desc *d, enum smem_member member)
{
    const uint32_t address_mask = (uint32_t)bits_mask(ADDRESS_BITS);
    switch (member) {
    case SMEM_START: return d->start_bytes & address_mask;
    case SMEM_LEAD: return d->lead_bytes & address_mask;
    case SMEM_STRIDE: return d->stride_bytes & address_mask;
    case SMEM_BASE: return d->base_offset;
    case SMEM_LEAD_MODE: return d->lead_absolute;
    case SMEM_LAYOUT: {
        const int code = layout_codes[arch][d->mode];
        assert(code >= 0);
        return (uint64_t)code;
    }
    case SMEM_MEMBER_NONE: break;
    }
    return 0;
}

uint64_t tw_smem_desc_encode(enum smem_desc_arch arch, const struct smem_desc *desc)
{
    const struct smem_field_list fields = tw_smem_desc_fields(arch);
    uint64_t word = 0;
    for (size_t i = 0; i < fields.count; i++) {
        const struct smem_field *f = &fields.at[i];
        const uint64_t value = f->constant ? f->must : member_get(arch, desc, f->member) >> f->unit_log2;
        word = bits_put(word, f->low, f->width, value);
    }
    return word;
}

static bool mode_of_code(enum smem_desc_arch arch, uint64_t code, enum swizzle_mode *mode)
{
    for (int m = 0; m < SWIZZLE_MODE_COUNT; m++)
        if (layout_codes[arch][m] == (int)code) {
            *mode = (enum swizzle_mode)m;
            return true;
        }
    *mode = SWIZZLE_NONE;
    return false;
}

/* Stores a field's value; false if the encoding does not define it. */
static bool member_put(enum smem_desc_arch arch, struct smem_desc *d, const struct smem_field *f, uint64_t value)
{
    const uint32_t scaled = (uint32_t)(value << f->unit_log2);
    switch (f->member) {
    case SMEM_START: d->start_bytes = scaled; return true;
    case SMEM_LEAD: d->lead_bytes = scaled; return true;
    case SMEM_STRIDE: d->stride_bytes = scaled; return true;
    case SMEM_BASE: d->base_offset = (uint8_t)value; return arch == SMEM_DESC_WGMMA || value == 0 || d->mode == SWIZZLE_NONE;
    case SMEM_LEAD_MODE: d->lead_absolute = value != 0; return true;
    case SMEM_LAYOUT: return mode_of_code(arch, value, &d->mode);
    case SMEM_MEMBER_NONE: break;
    }
    return value == f->must;
}

/* The layout is read first: it decides what the base offset may be. */
static void read_layout(enum smem_desc_arch arch, const struct smem_field_list *fields, uint64_t word, struct smem_desc *out)
{
    for (size_t i = 0; i < fields->count; i++)
        if (fields->at[i].member == SMEM_LAYOUT)
            (void)member_put(arch, out, &fields->at[i], bits_get(word, fields->at[i].low, fields->at[i].width));
}

bool tw_smem_desc_decode(enum smem_desc_arch arch, uint64_t word, struct smem_desc *out, struct smem_fault_list *faults)
{
    const struct smem_field_list fields = tw_smem_desc_fields(arch);
    *out = (struct smem_desc){0};
    faults->count = 0;
    read_layout(arch, &fields, word, out);
    for (size_t i = 0; i < fields.count; i++) {
        const struct smem_field *f = &fields.at[i];
        const uint64_t value = bits_get(word, f->low, f->width);
        if (!member_put(arch, out, f, value))
            faults->at[faults->count++] = (struct smem_fault){f, (uint32_t)value, f->expected};
    }
    return faults->count == 0;
}

/* SOURCE: PTX ISA, tcgen05 "Canonical layouts"; the ISA's atom table has no K-major row for the 32-byte atom. */
const char *tw_smem_layout_refusal(enum swizzle_mode mode, unsigned elem_bits, bool mn_major)
{
    if (!mn_major)
        return mode == SWIZZLE_128B_ATOM32 ? "the 128B layout with 32-byte atom holds MN-major 32-bit elements only" : NULL;
    if (elem_bits < 8)
        return "elements of 4 or 6 bits can only be K-major";
    if (elem_bits == 32)
        return mode != SWIZZLE_128B_ATOM32 ? "MN-major 32-bit elements need the 128B layout with 32-byte atom" : NULL;
    return mode == SWIZZLE_128B_ATOM32 ? "the 128B layout with 32-byte atom holds MN-major 32-bit elements only" : NULL;
}

uint32_t tw_smem_k_walk(const struct smem_desc *desc, uint32_t row, uint32_t k_byte)
{
    const uint32_t pitch = tw_swizzle_mode_row(desc->mode)->row_bytes;
    const uint32_t within = row % 8 * pitch + row / 8 * desc->stride_bytes;
    if (desc->mode == SWIZZLE_NONE)
        return within + k_byte / 16 * desc->lead_bytes + k_byte % 16;
    return within + k_byte;
}

uint32_t tw_smem_mn_walk(const struct smem_desc *desc, uint32_t elem_bytes, uint32_t row, uint32_t k)
{
    const struct swizzle_mode_row *r = tw_swizzle_mode_row(desc->mode);
    const uint32_t row_byte = row * elem_bytes;
    const uint32_t within = row_byte % r->row_bytes + k % r->group_rows * r->row_bytes;
    const uint32_t next_rows = row_byte / r->row_bytes, next_k = k / r->group_rows;
    if (desc->mode == SWIZZLE_NONE) /* the two strides exchange their roles */
        return within + next_rows * desc->stride_bytes + next_k * desc->lead_bytes;
    return within + next_rows * desc->lead_bytes + next_k * desc->stride_bytes;
}

static uint32_t swizzled(const struct smem_desc *desc, uint32_t address)
{
    const uint32_t source = address - 128u * desc->base_offset;
    return address ^ source ^ (uint32_t)tw_swizzle_bytes(desc->mode, source);
}

/* Absolute mode: bytes beyond the 128-byte row of the start come from the buffer at the leading address.
 * SOURCE: PTX ISA, "leading dimension stride mode"; K-major 128B only. */
static uint32_t absolute_lead_addr(const struct smem_desc *desc, uint32_t row, uint32_t k_byte)
{
    const uint32_t in_row = desc->start_bytes % 128 + k_byte;
    const uint32_t rows = row % 8 * 128 + row / 8 * desc->stride_bytes;
    if (in_row < 128)
        return swizzled(desc, desc->start_bytes + rows + k_byte);
    return swizzled(desc, desc->lead_bytes + rows + in_row % 128);
}

uint32_t tw_smem_k_addr(const struct smem_desc *desc, uint32_t row, uint32_t k_byte)
{
    if (desc->lead_absolute && desc->mode == SWIZZLE_128B)
        return absolute_lead_addr(desc, row, k_byte);
    return swizzled(desc, desc->start_bytes + tw_smem_k_walk(desc, row, k_byte));
}

uint32_t tw_smem_mn_addr(const struct smem_desc *desc, uint32_t elem_bytes, uint32_t row, uint32_t k)
{
    return swizzled(desc, desc->start_bytes + tw_smem_mn_walk(desc, elem_bytes, row, k));
}
