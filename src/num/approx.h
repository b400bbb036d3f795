/* The approximate functions of sm_90, bit for bit: ex2, lg2, rcp, rsqrt, sqrt, sin, cos, tanh, div.approx, div.full.
 *
 * The hardware's function unit (MUFU) takes f32; what PTX calls .approx is that unit and the scaling that the assembler
 * puts around it. Both are here.
 * MEASURED: scalar_approx and scalar_mufu16 (sm_90a); beyond these files, all 2^32 operands of ex2, lg2, rcp, rsqrt, sqrt,
 * sin, cos (with and without .ftz) and tanh of f32 were compared on an H200 without a difference. */
#ifndef TW_NUM_APPROX_H
#define TW_NUM_APPROX_H

#include "num/format.h"

enum num_function { NUM_EX2, NUM_LG2, NUM_RCP, NUM_RSQRT, NUM_SQRT, NUM_SIN, NUM_COS, NUM_TANH, NUM_FUNCTION_COUNT };

/* The bare unit, on f32 words: subnormal inputs count as zero, NaN results are 7FFFFFFF. */
uint32_t tw_num_mufu(enum num_function fn, uint32_t a);

/* rcp and rsqrt on the upper word of an f64, giving the upper word of the result. */
uint32_t tw_num_mufu_f64_high(enum num_function fn, uint32_t high);

/* True for what PTX has: every function on f32; ex2 and tanh on f16 and bf16; rcp and rsqrt on f64. */
bool tw_num_has_approx(enum num_function fn, enum num_format f);
/* FN.approx[.ftz].F; f and fn as tw_num_has_approx allows. */
uint64_t tw_num_approx(enum num_function fn, enum num_format f, bool ftz, uint64_t a);

/* div.approx[.ftz].f32 and div.full[.ftz].f32 */
uint64_t tw_num_div_approx(bool ftz, uint64_t a, uint64_t b);
uint64_t tw_num_div_full(bool ftz, uint64_t a, uint64_t b);

#endif
