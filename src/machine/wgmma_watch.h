/* Registers of wgmma that are in use: accumulators and A fragments of products in flight.
 *
 * Instructions that name such a register are found when the code is decoded and get a function that checks
 * before it executes them; all others cost nothing. A register is busy from the issue of a product until the
 * wait that covers it. Touching a busy accumulator, or writing a busy A register, is a fault. Reading a busy A
 * register, which the ISA forbids and which can give no other value, and using a register without
 * wgmma.fence after it was touched, which ptxas mends, are remarks.
 *
 * SOURCE: PTX ISA, wgmma.mma_async and wgmma.fence. MEASURED: ptxas 13.0 injects fences and waits (C7517, C7519). */
#ifndef TW_MACHINE_WGMMA_WATCH_H
#define TW_MACHINE_WGMMA_WATCH_H

#include "machine/decode.h"
#include "machine/wgmma_pipe.h"

/* Finds the instructions and wraps them; NULL if the function has no wgmma.mma_async. */
const struct wgmma_watch *tw_wgmma_watch_code(struct arena *arena, struct code *code);

struct wgmma_watcher *tw_wgmma_watchers_new(struct arena *arena, uint32_t warps);

/* The warp has executed wgmma.fence. */
void tw_wgmma_watch_fence(struct wgmma_pipe *pipe, const struct warp *w);
/* The warp issues a product: its registers become busy. False after a fault. */
bool tw_wgmma_watch_issue(struct wgmma_pipe *pipe, struct warp *w, const struct dinst *d, const struct wgmma_item *item);

#endif
