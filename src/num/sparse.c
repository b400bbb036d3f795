#include "num/sparse.h"

#include <assert.h>

bool tw_num_sparse_select(unsigned element_bits, unsigned code, bool ascending, uint8_t out[4])
{
    const unsigned first = code & 3, second = code >> 2 & 3;
    if (element_bits == 32) {
        out[0] = code == 0xe;
        return code == 0x4 || code == 0xe;
    }
    const unsigned width = element_bits == 4 ? 2 : 1; /* 4-bit elements move in pairs */
    for (unsigned i = 0; i < 2 * width; i++)
        out[i] = (uint8_t)((i < width ? first : second) * width + i % width);
    return first < second || (code == 6 && !ascending);
}

const char *tw_num_sparse_codes(unsigned element_bits, bool ascending)
{
    return element_bits == 32 ? "0x4 or 0xe" : ascending ? "0x4, 0x8, 0x9, 0xc, 0xd or 0xe" : "0x4, 0x6, 0x8, 0x9, 0xc, 0xd or 0xe";
}

unsigned tw_num_sparse_bits(const struct num_dot_model *model, enum num_format a)
{
    if (model->kind == NUM_MXF4 || model->kind == NUM_MXF4NVF4)
        return 4;
    const unsigned bits = tw_num_bits(a);
    return tw_num_is_float(a) && bits < 8 ? 8 : bits;
}

bool tw_num_sparse_known(const struct num_dot_model *model)
{
    return model->method == NUM_DOT_INTEGER || model->method == NUM_DOT_GROUPS || model->method == NUM_DOT_SCALE_GROUPS ||
           model->method == NUM_DOT_WINDOW || /* of several windows, each takes its number of stored elements: see the header */
           /* MEASURED: mma_sparse, sm_90a; the pairs of k that take turns are pairs of stored elements */
           (model->method == NUM_DOT_TWO_STEP_F16 && model->evidence == NUM_MEASURED_HERE);
}

bool tw_num_dot_sparse(const struct num_dot_model *model, const struct num_dot_how *how, unsigned stored, const uint64_t *a,
                       const uint64_t *b, const uint8_t *codes, const uint64_t *c, const uint64_t *scale_a,
                       const uint64_t *scale_b, uint64_t *d)
{
    const unsigned bits = tw_num_sparse_bits(model, how->a), group = num_sparse_group(bits);
    uint64_t chosen[TW_NUM_DOT_MAX];
    assert(stored <= TW_NUM_DOT_MAX && tw_num_sparse_known(model));
    for (unsigned i = 0; i < stored; i += group / 2, b += group, codes++) {
        uint8_t at[4];
        if (!tw_num_sparse_select(bits, *codes, false, at))
            return false;
        for (unsigned e = 0; e < group / 2 && i + e < stored; e++)
            chosen[i + e] = b[at[e]];
    }
    *d = tw_num_dot(model, how, stored, a, chosen, c, scale_a, scale_b);
    return true;
}
