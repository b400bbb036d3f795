/* Named axes: the coordinates that a layout maps tensor elements to. A thread axis says who holds an
 * element, a memory axis says where. */
#ifndef TW_LAYOUT_AXIS_H
#define TW_LAYOUT_AXIS_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/*      id         name         kind    counts within  units of   values (0: not bounded here) */
#define TW_AXES(X)                                                                             \
    X(LANEID,    "laneid",    THREAD, WARP,      THREAD,    32)                                \
    X(WARPID,    "warpid",    THREAD, CTA,       WARP,      32)                                \
    X(WID_IN_WG, "wid_in_wg", THREAD, WARPGROUP, WARP,      4)                                 \
    X(TID_IN_WG, "tid_in_wg", THREAD, WARPGROUP, THREAD,    128)                               \
    X(WGID,      "wgid",      THREAD, CTA,       WARPGROUP, 8)                                 \
    X(TX,        "tx",        THREAD, CTA,       THREAD,    1024)                              \
    X(CBX,       "cbx",       THREAD, CLUSTER,   CTA,       16)                                \
    X(CBY,       "cby",       THREAD, CLUSTER,   CTA,       16)                                \
    X(CBZ,       "cbz",       THREAD, CLUSTER,   CTA,       16)                                \
    X(BX,        "bx",        THREAD, GRID,      CTA,       0)                                 \
    X(BY,        "by",        THREAD, GRID,      CTA,       0)                                 \
    X(BZ,        "bz",        THREAD, GRID,      CTA,       0)                                 \
    X(M,         "m",         MEMORY, NONE,      NONE,      0)                                 \
    X(TLANE,     "TLane",     MEMORY, NONE,      NONE,      128)                               \
    X(TCOL,      "TCol",      MEMORY, NONE,      NONE,      0)

enum axis {
#define X(id, ...) AXIS_##id,
    TW_AXES(X)
#undef X
    AXIS_COUNT
};

enum axis_kind { AXIS_KIND_THREAD, AXIS_KIND_MEMORY };
enum axis_scope {
    AXIS_SCOPE_NONE,
    AXIS_SCOPE_THREAD,
    AXIS_SCOPE_WARP,
    AXIS_SCOPE_WARPGROUP,
    AXIS_SCOPE_CTA,
    AXIS_SCOPE_CLUSTER,
    AXIS_SCOPE_GRID
};

struct axis_row {
    const char *name;
    enum axis_kind kind;
    enum axis_scope scope, subscope; /* the axis counts `subscope`s within a `scope` */
    int64_t values;                  /* coordinates are 0 .. values-1; 0: no bound of its own */
};

const struct axis_row *tw_axis_row(enum axis axis);
/* The axis spelled `name`, or AXIS_COUNT. */
enum axis tw_axis_find(struct str name);
/* The known name nearest to a misspelt one, or NULL when none is near. */
const char *tw_axis_suggest(struct str name);

/* A set of axes: bit `1u << axis`. */
typedef uint32_t axis_set;
#define AXIS_BIT(axis) (1u << (axis))
bool tw_axis_is_thread(enum axis axis);

/* The identities between thread axes: whole == factor * outer + inner. */
struct axis_identity {
    enum axis whole, outer, inner;
    int64_t factor;
};
enum { TW_AXIS_IDENTITIES = 4 };
extern const struct axis_identity tw_axis_identities[TW_AXIS_IDENTITIES];

/* Adds to *known every thread coordinate that follows from the known ones by the identities, e.g. laneid and
 * wid_in_wg from tid_in_wg. False when two known coordinates contradict each other or one is out of its range. */
bool tw_axis_resolve(axis_set *known, int64_t at[AXIS_COUNT]);

#endif
