/* mbarriers: the state machine of one object, and the objects of a CTA.
 *
 * The state machine is pure. Its states and transitions are those of ptx-async.md 3.1; in short
 *
 *     a phase ends when pending == 0 and tx == 0; then pending = expected
 *     arrive(n): pending -= n       arrive_drop(n): expected -= n, pending -= n
 *     expect_tx(b): tx += b         complete_tx(b): tx -= b
 *
 * The object in memory: hardware packs the state into the eight bytes, opaque to programs. Here the
 * eight bytes hold a seal, a word that only tw_mbar_seal makes for this CTA and this address, and the
 * state stands in a table beside the CTA. So an operation can tell an object that was never
 * initialised (poison), one whose bytes were overwritten, and one that was copied from elsewhere. */
#ifndef TW_MACHINE_MBARRIER_H
#define TW_MACHINE_MBARRIER_H

#include "machine/internal.h"

enum {
    MBAR_BYTES = 8,
    MBAR_COUNT_MAX = (1 << 20) - 1, /* SOURCE: PTX ISA, "Size and alignment of mbarrier object", valid ranges */
    MBAR_TX_MAX = (1 << 20) - 1
};

struct mbar {
    uint64_t phase; /* completed phases; only the parity is observable */
    uint32_t expected, pending;
    int32_t tx;
};

enum mbar_error {
    MBAR_FINE,
    MBAR_COUNT_RANGE,   /* init: count not in 1 .. MBAR_COUNT_MAX               */
    MBAR_OVER_ARRIVAL,  /* more arrivals than are pending                       */
    MBAR_TX_RANGE,      /* tx-count outside -MBAR_TX_MAX .. MBAR_TX_MAX         */
    MBAR_DROPPED_OUT,   /* arrive_drop leaves no expected arrival               */
    MBAR_COMPLETES      /* .noComplete that would complete the phase            */
};

struct mbar_step {
    enum mbar_error error; /* the state is unchanged unless MBAR_FINE */
    bool completed;        /* the phase has ended with this step */
};

struct mbar_step tw_mbar_init(struct mbar *m, uint32_t count);

/* One transition: adds expected bytes (negative: bytes that have arrived), then arrives. */
struct mbar_update {
    uint32_t arrivals;
    bool drop;         /* the arrivals also leave the expected count */
    bool no_complete;  /* the phase must not end */
    int64_t tx;
};
struct mbar_step tw_mbar_apply(struct mbar *m, struct mbar_update update);

/* Whether the phase with this parity has completed: right after init, parity 1 has. */
bool tw_mbar_parity_done(const struct mbar *m, uint32_t parity);
/* MEASURED: bit 63 is the phase's parity, bits 62:43 are 2^20 - pending before the arrive. */
uint64_t tw_mbar_token(const struct mbar *m);
/* Whether the phase of the token is no longer the current one; as on hardware only the parity counts. */
bool tw_mbar_token_done(const struct mbar *m, uint64_t token);
uint32_t tw_mbar_token_pending(uint64_t token);

/* ---- Objects of a CTA ----------------------------------------------------------------------- */

enum mbar_lookup {
    MBAR_LIVE,
    MBAR_UNINITIALISED, /* no object was initialised there, or it was invalidated */
    MBAR_OVERWRITTEN,   /* an object was, but other stores have changed its bytes */
    MBAR_COPIED         /* the bytes are those of an object at another address    */
};

/* The object at an offset of the CTA's shared window (aligned, in bounds); *out is NULL unless MBAR_LIVE. */
enum mbar_lookup tw_mbar_find(struct cta *cta, uint32_t offset, struct mbar **out);
/* Makes an object and writes its seal. The lookup says what was there before. */
struct mbar *tw_mbar_make(struct cta *cta, uint32_t offset);
/* Ends the object; its bytes become poison. */
void tw_mbar_remove(struct cta *cta, uint32_t offset);

/* Where the transaction count was last moved, for reports. */
struct mbar_site {
    const struct code *code; /* NULL: nowhere yet */
    uint32_t origin, warp, lane;
};
/* Remembers it; bytes that arrive, or bytes that are expected. Nothing happens where there is no object. */
void tw_mbar_remember(struct cta *cta, uint32_t offset, bool arrived, struct mbar_site site);
void tw_mbar_sites(const struct cta *cta, uint32_t offset, struct mbar_site *expected, struct mbar_site *arrived);
/* The CTA's last thread has exited and its engines are drained: bytes that arrived and that nobody expects are a fault. */
void tw_mbar_cta_end(struct cta *cta);

/* The step of an engine or of an instruction on the object at a shared address with rank: applies it, and when the phase
 * ends wakes the waiting splits and emits the event. `lookup` says why there is no object; then nothing is done. */
struct mbar_outcome {
    enum mbar_lookup lookup;
    struct mbar_step step;
    struct mbar before;
};
struct mbar_outcome tw_mbar_signal(struct cta *cta, uint32_t offset, struct mbar_update update);

/* The diagnostic of an outcome that is no success: its code and its words. False if it was one.
 * `who` names the operation ("mbarrier.arrive", "tcgen05.commit"). */
struct mbar_report {
    int code;
    const char *message;
    struct fault_note note;
};
bool tw_mbar_report(struct arena *arena, const char *who, const struct cta *cta, uint32_t offset, struct mbar_update update,
                    const struct mbar_outcome *outcome, struct mbar_report *report);

#endif
