/* The examples that tensor copies feed: wgmma, and a tcgen05 pipeline. */
#include "examples/catalogue.h"

static const struct example rows[] = {
    {"examples/wgmma/gemm_tma.py", "wgmma: TMA, a producer, two consumers", "sm_90a",
     {IN("A", EX_F16, 256, 256), IN("B", EX_F16, 256, 256)}, {OUT("C", EX_F32, 256, 256, tw_example_product)}},
    {"examples/wgmma/int8_registers.py", "wgmma: s8 by u8, A in registers", "sm_90a",
     {{"A", EX_S8, 64, 128, EX_ANY}, {"B", EX_U8, 96, 128, EX_ANY}}, {OUT("Out", EX_S32, 64, 96, tw_example_product)}},
    {"examples/tcgen05/gemm_tma_pipeline.py", "gemm_async: stages filled by TMA", "sm_100a",
     {IN("A", EX_F16, 256, 256), IN("B", EX_F16, 256, 256)}, {OUT("Out", EX_F32, 256, 256, tw_example_product)}},
};

const struct example_list tw_examples_tma = {rows, sizeof rows / sizeof rows[0]};
