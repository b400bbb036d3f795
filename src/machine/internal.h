/* What the files of the machine share: the running structures, how an execution function reads its
 * operands, waits, faults and asynchronous agents. Nothing outside src/machine includes this file.
 *
 * A cluster is the unit: it owns CTAs, a CTA owns shared memory, barriers and warps, a warp is a set
 * of splits (lanes that are at one place). One cluster is run by one host thread at a time and
 * touches nothing mutable outside itself but guest global memory. */
#ifndef TW_MACHINE_INTERNAL_H
#define TW_MACHINE_INTERNAL_H

#include "base/limits.h"
#include "base/text.h"
#include "machine/events.h"
#include "machine/launch.h"
#include "machine/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 32, DINST_OPS = 6, MAX_AGENTS = 8, CTA_BARRIERS = 16, HIT_SLOTS = 8 };
#define ALL_LANES UINT32_C(0xffffffff)

struct warp;
struct cta;
struct cluster;
struct launch;
struct code;
struct dinst;

/* ---- Decoded instructions ------------------------------------------------------------------ */

enum exec_status {
    EXEC_NEXT,  /* done; go on with the next instruction                                            */
    EXEC_JUMP,  /* the function has set where the lanes are (branch, exit, return)                   */
    EXEC_AGAIN, /* the split was parked (tw_park): the same instruction runs again when it wakes     */
    EXEC_TURN,  /* nothing was done: the instruction runs again when the cluster has its turn        */
    EXEC_FAULT  /* tw_fault was called                                                               */
};

/* Executes one instruction for the lanes of `mask` (never 0): the split's lanes whose guard is true. */
typedef enum exec_status exec_fn(struct warp *w, const struct dinst *d, uint32_t mask);

/* An operand, resolved. `ref` names a row of 32 lanes: an offset in bytes into the frame's registers, or, with
 * REF_CONST set, into the code's constants (immediates are broadcast rows there, so that registers, immediates and
 * special registers are read alike). A 32-bit or narrower register is 32 x uint32_t, a 64-bit one 32 x uint64_t,
 * b128 32 x 16 bytes; a predicate is one uint32_t mask. REF_NONE: absent, or the sink `_`. */
#define REF_CONST UINT32_C(0x80000000)
#define REF_NONE UINT32_C(0xffffffff)

struct dop {
    uint32_t ref;
    int32_t disp;  /* address operands: the constant part of [base+disp]                            */
    uint8_t bytes; /* of a lane's slot: 4, 8, 16; 0 for a predicate                                 */
    uint8_t bits;  /* of the register or literal: 8, 16, 32, 64, 128; 1 for a predicate. Slots are zero above */
    bool negated;  /* !p                                                                            */
    uint8_t space; /* address operands whose base is a symbol: enum space                           */
    bool address;
    uint16_t count; /* of a vector operand {a, b, ...}: its elements are code->refs[ref + i]; else 0 */
};

enum dinst_flags {
    D_ALIGNED = 1,   /* .aligned: all live lanes of the warp must be here together, none guarded off */
    D_BRANCH = 2,    /* may change the pc                                                            */
    D_BARRIER = 4,   /* meets other warps or engines: the warp gives up its turn afterwards          */
    D_STRONG = 16,   /* a strong operation on global memory: executed in the cluster's turn alone    */
    D_APPROXIMATE = 32, /* .approx, .full: hardware of another generation may give another word       */
    D_CLOCK = 64,        /* reads a clock: its row is written anew before                              */
    D_FLOAT_CONTRACTABLE = 8 /* an add or mul without a rounding qualifier                           */
};

struct dinst {
    exec_fn *run;
    uint32_t guard;      /* row of a predicate (a constant true when there is none)                  */
    uint32_t guard_flip; /* 0, or ALL_LANES for @!p                                                  */
    uint8_t op_count;
    uint8_t flags;       /* enum dinst_flags                                                         */
    uint16_t isa_op;     /* enum isa_op                                                              */
    uint8_t type, type2; /* element types (enum num_format, where the function says so)              */
    uint8_t elem_bytes, elems; /* memory: bytes of one element, elements of the vector               */
    uint8_t mod[8];      /* fields whose meaning belongs to the execution function                   */
    struct dop op[DINST_OPS]; /* in PTX order, destination first                                     */
    uint64_t imm;        /* instruction descriptor fields, lut, branch target, ...                   */
    const void *extra;   /* owned by the code's arena; for families that unpack more                 */
    uint32_t origin;     /* index into code->origins                                                 */
};

/* ---- Warps ---------------------------------------------------------------------------------- */

/* A call of a function (or the kernel itself): its registers. Lanes that are in one frame share rows. */
struct frame {
    struct frame *caller;
    const struct code *code;
    uint8_t *regs;         /* code->frame_bytes */
    uint8_t *params;       /* .param space of the function: 32 lanes x code->param_bytes */
    uint32_t live;         /* lanes that have not returned */
    uint32_t return_pc;
    uint32_t depth;
    const struct dinst *call; /* that made the frame */
    const void *rets;      /* places of the results, for the call's return */
    uint32_t local_base;   /* of this frame's .local variables in the thread's local memory */
    uint32_t *stack;       /* where each lane's stack ended at the call; NULL in kernels without alloca */
};

enum wait_kind {
    WAIT_NONE,
    WAIT_MBARRIER, /* key: shared address with rank (rank << 24 | offset)                           */
    WAIT_BAR,      /* key: barrier number of the CTA                                                */
    WAIT_CLUSTER,  /* barrier.cluster.wait                                                          */
    WAIT_CONVERGE, /* other lanes of the warp must come to this instruction                         */
    WAIT_WARP_SYNC, /* key: the member mask of bar.warp.sync                                        */
    WAIT_LANES,    /* key: lanes that must execute the same .sync instruction                       */
    WAIT_TMEM,     /* tcgen05.alloc: columns must become free                                       */
    WAIT_REGISTERS, /* setmaxnreg.inc: others must give registers back                              */
    WAIT_CHANGE,   /* a poller: something must change; key: changes of the cluster so far; detail: pc of the loop's end */
    WAIT_ASYNC     /* key: agent-specific, e.g. a wait_group of a thread; `agent` says whose        */
};

struct async_agent;
struct tally; /* tally.h */

struct wait {
    enum wait_kind kind;
    uint64_t key;
    uint32_t detail;  /* WAIT_MBARRIER: the parity waited for; WAIT_ASYNC: agent-specific           */
    bool may_time_out; /* try_wait, test_wait: may give false to let the program do something else  */
    const struct async_agent *agent;
};

struct split {
    struct frame *frame;
    uint32_t pc;
    uint32_t mask;
    struct wait wait;  /* kind WAIT_NONE: runnable */
    bool timed_out;    /* woken without what it waited for: a try_wait now answers false            */
    bool resumed;      /* woken because what it waited for has happened (barrier, cluster)          */
    bool yielded;      /* has spun; others of the warp go first                                     */
    uint32_t spins;    /* backward branches since the split last had its turn to itself              */
    uint32_t result;   /* of a reduction over a barrier, set when `resumed` is                       */
    struct { uint64_t session, changes, state; uint32_t pc, looks; } watched; /* see poll.c */
};

enum { MAX_SPLITS = LANES };

struct warp {
    struct cta *cta;
    struct cluster *cluster;
    const struct code *code;       /* of the current frame */
    uint8_t *bank[2];              /* registers of the current frame; constants of its code */
    struct split *now;             /* the split that is executing */
    struct split splits[MAX_SPLITS];
    uint32_t split_count;
    uint32_t id;                   /* in the CTA */
    uint32_t live;                 /* lanes that exist and have not exited */
    uint32_t born;                 /* lanes that exist */
    uint8_t *local;                /* local memory: lane-major, local_bytes each */
    struct frame *frames;          /* innermost last created; for freeing */
    struct frame *free_frames;
    struct allocation hits[HIT_SLOTS]; /* recent global allocations, by instruction; cleared at each step of the launch */
    uint32_t carry;                /* CC.CF, one bit a lane */
    uint32_t cluster_arrived;      /* lanes whose barrier.cluster.arrive belongs to the running phase */
    uint32_t cluster_passed;       /* lanes whose phase is complete and that have not waited yet */
    uint32_t *stack;               /* of alloca: where each lane's ends, in local memory; made on first use */
    uint32_t refused;              /* lanes that have seen a request to cancel a cluster fail */
    uint64_t steps;                /* what its clocks show: instructions executed, and nanoseconds slept */
};

static inline uint8_t *row(const struct warp *w, uint32_t ref)
{
    return w->bank[ref >> 31] + (ref & ~REF_CONST);
}
static inline uint32_t *row32(const struct warp *w, uint32_t ref)
{
    return (uint32_t *)(void *)row(w, ref);
}
static inline uint64_t *row64(const struct warp *w, uint32_t ref)
{
    return (uint64_t *)(void *)row(w, ref);
}
/* The lane's word, zero-extended from a narrow slot. */
static inline uint64_t lane_word(const struct warp *w, const struct dop *o, unsigned lane)
{
    return o->bytes == 8 ? row64(w, o->ref)[lane] : row32(w, o->ref)[lane];
}
/* A predicate operand as a mask of lanes, negation applied. */
static inline uint32_t lane_mask(const struct warp *w, const struct dop *o)
{
    const uint32_t m = *row32(w, o->ref);
    return o->negated ? ~m : m;
}
/* Writes a predicate destination for the lanes of mask; a sink is left alone. */
static inline void set_predicate(struct warp *w, const struct dop *o, uint32_t mask, uint32_t value)
{
    if (o->ref == REF_NONE)
        return;
    uint32_t *p = row32(w, o->ref);
    *p = (*p & ~mask) | (value & mask);
}
/* The address [base+disp] of a lane, in the operand's space; 32-bit arithmetic for 32-bit bases. */
static inline uint64_t lane_address(const struct warp *w, const struct dop *o, unsigned lane)
{
    if (o->bytes == 8)
        return row64(w, o->ref)[lane] + (uint64_t)(int64_t)o->disp;
    return (uint32_t)(row32(w, o->ref)[lane] + (uint32_t)o->disp);
}
static inline unsigned first_lane(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}
#define FOR_LANES(lane, mask) \
    for (uint32_t lane##_left = (mask), lane = 0; \
         lane##_left != 0 && (lane = (uint32_t)__builtin_ctz(lane##_left), true); lane##_left &= lane##_left - 1)

/* ---- Asynchronous work ---------------------------------------------------------------------- */

/* An engine that performs operations after the instruction that issued them (tensor pipe, copies). It is registered
 * with a CTA (tw_cta_add_agent). Its results must not become visible before `land` or `drain` is called: the
 * scheduler calls `land` only when no warp of the cluster can run. */
struct async_agent {
    const char *name;       /* in reports: "the tensor pipe of CTA 0" prints as name + " of CTA n" */
    void *state;
    struct cta *cta;
    /* Operations issued and not performed. */
    uint32_t (*pending)(const struct async_agent *agent);
    /* Performs the work that must be done for `wait` to make progress: the oldest completion that signals it and
     * everything that completion stands for, and signals it. Returns false when nothing pending concerns `wait`. */
    bool (*land)(struct async_agent *agent, const struct wait *wait);
    /* Performs everything that is pending: the CTA has ended. */
    void (*drain)(struct async_agent *agent);
    /* Writes what is pending, for the deadlock report; may be NULL. */
    void (*describe)(const struct async_agent *agent, struct text *out);
    /* Whether something pending is a strong operation on global memory (a reduction), which may be performed in the
     * cluster's turn alone; NULL: never. An instruction that performs such work itself returns EXEC_TURN without it. */
    bool (*strong)(const struct async_agent *agent);
    /* Performs the oldest pending operation: threads poll, and nothing else can happen. False: nothing was performed.
     * NULL: nobody could see it in memory. */
    bool (*land_oldest)(struct async_agent *agent);
};

/* ---- CTAs and clusters ---------------------------------------------------------------------- */

struct named_barrier {
    uint32_t expected; /* threads of the running instance; 0: none has arrived */
    uint32_t arrived;  /* threads, 32 a warp */
    uint32_t arrived_warps; /* mask of the warps that have arrived or wait at this instance */
    bool all_threads;  /* no count was given */
    uint8_t kind;      /* enum bar_kind of the instance: sync and arrive, or red */
    uint8_t red_op;    /* enum bar_op */
    bool red_and, red_or;
    uint32_t red_count; /* true predicates so far */
    uint32_t instance; /* counts completed instances */
};

struct tmem;        /* tmem.h */
struct tensor_pipe; /* tensor_pipe.h */
struct mbar_table;  /* mbarrier.h */
struct copy_engine; /* cp_async.c */
struct bulk_engine; /* copy_engine.h */
struct wgmma_pipe;  /* wgmma_pipe.h */
struct register_pool; /* register_pool.h */
struct launch_control; /* exec_cancel.c */

struct cta {
    struct cluster *cluster;
    uint32_t rank;
    uint32_t ctaid[3];
    uint8_t *shared;        /* shared_bytes; byte 0 is offset 0 of the window (reserved part included) */
    uint32_t shared_bytes;
    struct named_barrier bars[CTA_BARRIERS];
    struct warp *warps;
    uint32_t warp_count;
    uint32_t warps_left;    /* warps with live lanes */
    bool ended;
    struct async_agent *agents[MAX_AGENTS];
    uint32_t agent_count;
    /* Owned by the tensor-core files: made on first use, in the cluster's arena, zero at the CTA's start. */
    struct tmem *tmem;
    struct tensor_pipe *tensor_pipe;
    struct mbar_table *mbars;
    struct copy_engine *copies; /* of cp.async, made on first use */
    struct bulk_engine *bulk;   /* of bulk and tensor copies, made on first use */
    struct wgmma_pipe *wgmma;
    struct register_pool *registers; /* what setmaxnreg moves, made on first use */
    struct launch_control *control; /* of clusterlaunchcontrol, made on first use */
};

struct cluster {
    struct launch *launch;  /* changes in a cluster's turn and between rounds alone: several host threads read it */
    struct diags *diags;    /* what the cluster reports, in its own arena */
    struct tally *tally;    /* of the host thread that runs it; NULL: nothing is counted */
    enum launch_status status; /* LAUNCH_RUNNING until something ends the launch */
    const struct machine_observer *observer; /* NULL: nobody watches */
    void *of_observer;
    uint64_t index;         /* linear in the grid of clusters */
    struct arena arena;     /* everything of the cluster; released when it ends */
    struct cta *ctas;
    uint32_t cta_count;
    uint32_t ctas_left;
    struct { uint32_t arrived, expected, phase; } barrier; /* barrier.cluster */
    uint64_t random;        /* state of the generator */
    uint64_t last_op;       /* number of the last asynchronous operation issued */
    uint64_t changes;       /* counts stores, arrivals, wakes: anything that another thread could see */
    uint64_t steps, thread_steps; /* warp instructions, and the sum of their lanes */
    uint64_t left;          /* warp instructions until the cluster must let others go on */
    bool has_turn;          /* strong operations on global memory may be performed: no other cluster runs */
    bool wants_turn;        /* it has stopped at one */
    bool accompanied;       /* other host threads may run other clusters: global memory takes relaxed atomics */
    struct warp **order;    /* warps in scheduling order */
    uint32_t warp_count;
    uint32_t turn, turn_left; /* whose turn in `order`, and instructions left of it */
    bool round_ran;         /* some warp has run since all had their turn */
    struct { uint64_t changes, next, gap, session; uint32_t looks; bool on; } watch; /* of loops in which nothing changes; see poll.c */
    bool has_pollers;       /* splits may be in WAIT_CHANGE */
    bool asleep;            /* only another cluster can change what its threads poll */
    uint64_t woken_at;      /* changes of the whole launch when its pollers looked last */
    uint64_t own_changes;   /* those of `changes` that only the thread itself can see: stores to local memory */
    uint32_t idle_rounds;   /* stalls in a row in which waits timed out and nothing changed for others */
    uint64_t idle_changes, idle_own;
    uint64_t idle_state;    /* of all threads, at one of those stalls */
    uint64_t asked;         /* times that a clock was read or text printed */
    uint64_t looked;        /* strong operations on global memory */
    uint64_t idle_looked;   /* at the first of those stalls */
    bool ended;
};

/* ---- Helpers -------------------------------------------------------------------------------- */

/* A number drawn from the cluster's seed. */
uint64_t tw_random(struct cluster *c);
/* Fills with poison: words drawn from `seed`, never all zeros. */
void tw_poison(void *at, size_t bytes, uint64_t seed);
/* A seed for poison of a named piece of the cluster; equal arguments, equal seed. */
uint64_t tw_poison_seed(const struct cluster *c, uint32_t cta_rank, uint32_t what);

/* Parks the executing split; returns EXEC_AGAIN. */
enum exec_status tw_park(struct warp *w, struct wait wait);
/* Makes every split of the cluster that waits for (kind, key) runnable again; returns how many. */
uint32_t tw_wake(struct cluster *c, enum wait_kind kind, uint64_t key);
/* The same within one CTA (WAIT_BAR, WAIT_TMEM, WAIT_REGISTERS). */
uint32_t tw_wake_cta(struct cta *cta, enum wait_kind kind, uint64_t key);
/* Asks for the split's next instruction to be given up to others: for answers of "not yet". */
void tw_yield(struct warp *w);

void tw_cta_add_agent(struct cta *cta, struct async_agent *agent);
uint64_t tw_async_next_op(struct cluster *c);

/* Ends the launch with a diagnosed fault at the executing instruction. `code` is a row of machine.def (DIAG code);
 * the message is formatted; thread (of `lane`), PTX line and source line are added. Returns EXEC_FAULT.
 * The first fault of a launch is kept. */
struct fault_note {
    const char *expected, *found, *fix, *spec; /* any may be NULL */
};
enum exec_status tw_fault(struct warp *w, unsigned lane, int code, const struct fault_note *note, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* A finding that does not end the launch: a row of severity note or warning, reported once an instruction. */
void tw_remark(struct warp *w, unsigned lane, int code, const struct fault_note *note, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The same about what a warp has executed before. */
void tw_remark_at(const struct warp *w, unsigned lane, const struct code *code, uint32_t origin, int diag_code, const struct fault_note *note,
                  const char *format, ...) __attribute__((format(printf, 7, 8)));
/* The same as tw_fault for an asynchronous operation that was issued at `origin` by (warp, lane). */
void tw_fault_async(struct cluster *c, struct cta *cta, uint32_t warp, unsigned lane, const struct code *code, uint32_t origin,
                    int diag_code, const struct fault_note *note, const char *format, ...)
    __attribute__((format(printf, 9, 10)));

/* "lane 3", "lanes 0-3, 8" */
void tw_lane_list(uint32_t mask, struct text *out);
/* "warp 3", "warps 0-3, 8" */
void tw_warp_list(uint32_t mask, struct text *out);

/* An instruction of the whole warp without some of its lanes. SOURCE: PTX ISA, mma, ldmatrix, stmatrix, movmatrix: the behaviour
 * is undefined if a thread of the warp has exited. */
enum exec_status tw_fault_missing_lanes(struct warp *w, uint32_t mask, const char *name);
/* An .aligned instruction whose guard is false for some lanes. */
enum exec_status tw_fault_partial_guard(struct warp *w, const struct dinst *d, uint32_t mask);

/* A checked access by a lane of the executing instruction: resolves generic addresses, checks window, bounds and
 * alignment, emits no event. NULL after a fault. `align` 0: natural alignment of `bytes`. */
uint8_t *tw_access(struct warp *w, unsigned lane, enum space space, uint64_t address, uint32_t bytes, uint32_t align,
                   bool write);
/* A 32-bit shared address (own or peer's) of `bytes` for an instruction of lane; `address` may be generic when
 * `generic`. Returns the shared address with rank in *out and the CTA that owns it, or NULL after a fault. */
struct cta *tw_shared_target(struct warp *w, unsigned lane, bool generic, uint64_t address, uint32_t bytes, uint32_t align,
                             bool peers, uint32_t *out);
/* The space of a generic address, and the address in it. Own and peers' shared memory is SPACE_SHARED_CLUSTER. */
enum space tw_generic_space(uint64_t address, uint64_t *in_space);
/* The window of parameters: first the kernel's, then a part for the device functions at each depth of calls. */
enum { PARAM_FRAME_BYTES = 1 << 20 };
/* What cvta adds; 0 for global. */
uint64_t tw_window_base(enum space space);
/* Host bytes of a shared address with rank, without an instruction (engines). NULL when outside or the CTA has ended. */
uint8_t *tw_cluster_shared(struct cluster *c, uint32_t address, uint32_t bytes);

/* Events. Callers fill the fields that the kind names; cluster, CTA, warp and pc are filled here. */
void tw_emit(struct warp *w, struct machine_event *e, uint32_t lanes);
void tw_emit_op(struct cluster *c, struct cta *cta, struct machine_event *e, uint64_t op);
static inline bool observed(const struct cluster *c)
{
    return c->observer != NULL;
}
/* Whether the observer wants every lane's accesses, one by one. */
static inline bool observes_lanes(const struct cluster *c)
{
    return c->observer != NULL && !c->observer->shared_writes;
}
/* Whether the observer wants to see what a load or store does in that space, which may be generic. */
static inline bool observes_access(const struct cluster *c, uint64_t space, bool write)
{
    const bool shared = space == SPACE_SHARED || space == SPACE_SHARED_CLUSTER || space == SPACE_GENERIC;
    return c->observer != NULL && (!c->observer->shared_writes || (write && shared));
}

/* Provided by the tensor-core files (mbarrier.c, tmem.c). */
/* The state of the barrier at a shared address, for the deadlock report: "phase 0: 1 of 2 arrivals missing, 128 bytes more were expected than arrived". */
void tw_mbarrier_describe(const struct cta *cta, uint32_t shared_offset, struct text *out);
/* The CTA's last thread has exited and its engines are drained: what is still allocated is a fault. */
void tw_tmem_cta_end(struct cta *cta);

/* Which lanes must take part in a `.sync` instruction with this member mask: those of it that live. Returns EXEC_NEXT when
 * the lanes of `mask` are complete, else parks and returns EXEC_AGAIN. All lanes of `mask` must hold the same member mask. */
enum exec_status tw_gather(struct warp *w, uint32_t mask, uint32_t members);
/* The same with a member mask for each lane: lanes whose own group is complete are *ready and stay in the executing split; the
 * others wait in a split of their own. Parks and returns EXEC_AGAIN when no group is complete. */
enum exec_status tw_gather_groups(struct warp *w, const uint32_t *members, uint32_t mask, uint32_t *ready);

#endif
