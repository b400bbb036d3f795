/* Splits and frames of a warp: where its lanes are, and moving them. */
#ifndef TW_MACHINE_WARP_H
#define TW_MACHINE_WARP_H

#include "machine/internal.h"

/* Starts the warp at the first instruction of the kernel with the lanes of `born`. */
void tw_warp_start(struct warp *w, const struct code *kernel, uint32_t born);

/* Takes the lanes of `mask` out of the executing split and puts them at `pc` of `frame`, joining a split that is there.
 * The executing split may vanish: callers return EXEC_JUMP at once. */
void tw_warp_move(struct warp *w, uint32_t mask, struct frame *frame, uint32_t pc);
/* The lanes of `mask`, all of the executing split's, end. Barriers that counted on them are looked at again. */
void tw_warp_exit(struct warp *w, uint32_t mask);

/* Enters `callee` with the lanes of `mask` (a part of the executing split): a new frame whose caller is the current one. */
struct frame *tw_warp_enter(struct warp *w, const struct code *callee, uint32_t mask, uint32_t return_pc);
/* The lanes of `mask` return from the current frame. */
void tw_warp_return(struct warp *w, uint32_t mask);

/* Makes `s` the executing split and the frame's registers current. */
void tw_warp_select(struct warp *w, struct split *s);
/* Writes the rows of the clocks of the executing split's frame. */
void tw_warp_read_clocks(struct warp *w);
/* Joins splits that are at one place and can go on together. */
void tw_warp_merge(struct warp *w);
/* Lets splits that wait for other lanes look again: lanes have arrived or ended. */
void tw_warp_recheck(struct warp *w);

enum { STACK_BYTES = 16 << 10 }; /* of alloca, a thread */
/* Where each lane's stack ends. */
uint32_t *tw_stack_of(struct warp *w);
/* The lanes leave the frame: what they have allocated in it is given back. */
void tw_stack_return(struct warp *w, const struct frame *f, uint32_t mask);

static inline bool split_runnable(const struct split *s)
{
    return s->wait.kind == WAIT_NONE;
}

#endif
