/* Kernels drawn over the whole contract of tcgen05.mma: kinds, formats, shapes, majors, swizzles, groups, banks, A in
 * tensor memory, scales, repeats.
 *
 * A case is drawn from its number alone. Its kernel fills tensor memory from an image, issues one tile.apply, and gives
 * the accumulator's columns back as an image; images and results are made and read here by the formulas of
 * tcgen05.md 5 to 7, which share nothing with the library's tables. */
#ifndef TW_TESTS_API_SWEEP_H
#define TW_TESTS_API_SWEEP_H

#include "support/check.h"

#include "examples/numbers.h"
#include "tilewright/tilewright.h"

struct sweep_kind {
    const char *name;
    int k;               /* of one instruction */
    int container;       /* bits of an element in memory */
    bool scaled;
};

struct sweep_case {
    uint32_t number;
    const struct sweep_kind *kind;
    const char *form;    /* "" or "ws." */
    const char *scale;   /* qualifiers behind the kind */
    int group, m, n;     /* totals */
    int m_repeat, n_repeat, steps;
    enum example_format a, b, d, sf;
    int per_step;        /* factors a row of one instruction */
    bool a_in_tmem, a_mn, b_mn, negate_a, negate_b, accum, saturate;
    int a_mode, b_mode;  /* swizzles; 4 is the mode of 32-bit MN-major */
    int lane;            /* where D and A start: 0 or 16 */
    char path;
};

/* Columns of tensor memory: D from 0 on, then A and the scales, each from a multiple of 8 on. */
struct sweep_image {
    int a, sfa, sfb, columns;
};
struct sweep_image sweep_image_of(const struct sweep_case *c);
int sweep_banks(const struct sweep_case *c);
int sweep_d_columns(const struct sweep_case *c);

struct sweep_case sweep_draw(uint32_t number);
/* The program, with one kernel "k<number>". */
const char *sweep_program(struct bench_room *room, const struct sweep_case *c);
/* One line on what it is. */
const char *sweep_words(struct bench_room *room, const struct sweep_case *c);
/* Instruction and matrix descriptors in the kernel's PTX are those that the bit tables give; fails the test if not. */
void sweep_check_words(struct bench_room *room, const struct sweep_case *c, const char *ptx);
/* Runs the compiled kernel: elements that differ from the reference, UINT64_MAX if it did not run to its end. */
uint64_t sweep_run(tw_ctx *ctx, tw_module *module, const struct sweep_case *c);

#endif
