/* What opcode and parameters of a tcgen05.mma say: shared by its checks and its instructions. */
#ifndef TW_TILE_TCGEN05_MMA_H
#define TW_TILE_TCGEN05_MMA_H

#include "tile/engine.h"

enum tile_mma_operand { MMA_D, MMA_A, MMA_B, MMA_SFA, MMA_SFB, MMA_OPERANDS };

struct tile_mma {
    struct tc_form form;
    enum tmem_path path;
    struct idesc desc;        /* but the scale ids, which differ from step to step */
    bool major_mn[MMA_OPERANDS];
    struct ir_expr *accum, *pred; /* pred NULL: always */
    struct ir_expr *mask[8];
    uint32_t mask_count;
    struct ir_expr *zero_columns; /* NULL: none */
    int64_t scale_d;          /* scale-input-d of the first K step; 0: left out */
};

static inline struct tile_mma *tile_mma_of(const struct tile_call *c)
{
    return c->family_data;
}

/* Reads kind, group and shape, and sets the symbols of the atoms. False after a diagnostic. */
bool tw_tile_mma_prepare(struct tile_call *c);
/* Formats, majors, flags and masks against the form. */
bool tw_tile_mma_check(struct tile_call *c);
/* The instruction descriptor with these scale ids, judged by the isa room's rules; false after a diagnostic. */
bool tw_tile_mma_word(struct tile_call *c, uint32_t sfa_id, uint32_t sfb_id, uint32_t *word);

#endif
