/* Every limit of the library: value, unit, reason. A limit that is hit is reported by name; none is silent. */
#ifndef TW_BASE_LIMITS_H
#define TW_BASE_LIMITS_H

#include <stdint.h>

enum {
    TW_MAX_NESTING = 200,            /* levels; recursive descent stays far from the end of a 1 MiB stack        */
    TW_MAX_EVAL_STEPS = 1000000,     /* statements and calls that one load or build executes at compile time     */
    TW_MAX_EXPR_NODES = 4096,        /* operations of one run-time expression; sources write far fewer           */
    TW_MAX_DIAGS = 20,               /* diagnostics of severity error shown; the rest are counted                */
    TW_MAX_RANK = 16,                /* dimensions of a tensor, layout shape or view                             */
    TW_MAX_ITERS = 64,               /* shard, or replica, iters of one layout; four a dimension                 */
    TW_MAX_ENUMERATED = 1 << 24,     /* places compared when layouts are compared element by element             */
    TW_MAX_ENUMERATED_COPIES = 4096, /* of them, places of one element                                           */
    TW_MAX_SWIZZLE_BITS = 40,        /* address bits a swizzle may span; above every memory, and fits an int64   */
    TW_MAX_UNROLL = 65536,           /* statements that static unrolling may produce from one loop nest          */
    TW_MAX_TILE_ISSUES = 65536,      /* instructions one tile.apply may expand to                                */
    TW_MAX_CTA_THREADS = 1024,       /* PTX ISA: threads of a CTA                                                */
    TW_MAX_CLUSTER_CTAS = 16,        /* PTX ISA: CTAs of a cluster with the non-portable opt-in                  */
    TW_MAX_SM_CTAS = 32,             /* CUDA: CTAs that an SM of any target holds at once                        */
    TW_WARP_LANES = 32,              /* PTX ISA: WARP_SZ                                                         */
    TW_TMEM_LANES = 128,             /* PTX ISA: lanes of tensor memory                                          */
    TW_TMEM_COLS = 512,              /* PTX ISA: 32-bit columns of tensor memory                                 */
    TW_SHARED_RESERVED_BYTES = 1024, /* measured on sm_90: the first KiB of the shared window                    */
    TW_SHARED_STATIC_BYTES = 49152,  /* CUDA: static shared memory of a kernel before opt-in                     */
    TW_DEVICE_ALLOCATION_ALIGN = 256, /* CUDA: what a device allocation begins at                                */
    TW_SHARED_CTA_BYTES = 232448     /* CUDA: 227 KiB a CTA on sm_90 and sm_100, with opt-in                     */
};

#define TW_LAYOUT_MAX (INT64_C(1) << 48)       /* elements and coordinates of a layout; times a width fits int64 */
#define TW_DEFAULT_MAX_STEPS 10000000000ull    /* warp instructions a launch; far above any example              */
#define TW_DEFAULT_MAX_MEMORY (4ull << 30)     /* bytes a launch may hold                                        */
#define TW_DEFAULT_ARENA_BYTES (1ull << 30)    /* bytes of one compile; a module of 100 MB fits                  */

#endif
