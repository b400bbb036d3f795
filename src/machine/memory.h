/* Global memory of a device, and the windows of the generic address space.
 *
 * Global memory is a table of allocations at deterministic guest addresses with guard gaps
 * between them, so that a stray address hits nothing. It outlives launches. */
#ifndef TW_MACHINE_MEMORY_H
#define TW_MACHINE_MEMORY_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Where an access goes once a generic address has been resolved. */
enum space { SPACE_GENERIC, SPACE_GLOBAL, SPACE_SHARED, SPACE_SHARED_CLUSTER, SPACE_LOCAL, SPACE_CONST, SPACE_PARAM,
             SPACE_TMEM };

/* "global", "shared", ...; as in PTX. */
const char *tw_space_name(enum space space);

/* The generic address space: 4 GiB windows far from any global allocation.
   MEASURED: ptx-async.md 5.2, a window's base plus the 32-bit address in the space. */
#define TW_WINDOW_SHARED UINT64_C(0x7f0000000000)
#define TW_WINDOW_LOCAL UINT64_C(0x7f1000000000)
#define TW_WINDOW_CONST UINT64_C(0x7f2000000000)
#define TW_WINDOW_PARAM UINT64_C(0x7f3000000000)
#define TW_WINDOW_BYTES UINT64_C(0x100000000)
#define TW_GLOBAL_FIRST UINT64_C(0x700000000000) /* the first allocation's guest address */

struct allocation {
    uint64_t address; /* guest */
    uint64_t bytes;
    uint8_t *host;
    const char *name; /* for messages; NULL: unnamed */
    bool read_only;
    uint8_t *before;  /* the bytes of the last tw_memory_keep; NULL: none are kept */
};

struct memory;

/* NULL when the host has no memory. max_bytes 0: no limit. */
struct memory *tw_memory_new(uint64_t max_bytes);
void tw_memory_free(struct memory *m);

/* A zeroed allocation, 256-byte aligned; 0 when the limit or the host's memory is exhausted.
   `name` is copied and used in messages; it may be NULL. */
uint64_t tw_memory_alloc(struct memory *m, uint64_t bytes, const char *name);
bool tw_memory_release(struct memory *m, uint64_t address);

/* The allocation that holds `address`, or NULL. */
const struct allocation *tw_memory_find(const struct memory *m, uint64_t address);
/* The allocation nearest to `address`, or NULL when there is none. */
const struct allocation *tw_memory_nearest(const struct memory *m, uint64_t address);
/* Host bytes of [address, address+bytes), or NULL unless all of it lies in one allocation. */
uint8_t *tw_memory_at(const struct memory *m, uint64_t address, uint64_t bytes);
/* Keeps a copy of every allocation's present bytes, for those who ask what has changed since; false, and nothing is kept, when
   the host has no memory for it. */
bool tw_memory_keep(struct memory *m);
uint64_t tw_memory_used(const struct memory *m);

#endif
