/* The axes table and the identities that convert between thread axes. */
#include "layout/axis.h"

#include <assert.h>
#include <stddef.h>

static const struct axis_row rows[AXIS_COUNT] = {
#define X(id, text, kind, scope, subscope, values) \
    [AXIS_##id] = {text, AXIS_KIND_##kind, AXIS_SCOPE_##scope, AXIS_SCOPE_##subscope, values},
    TW_AXES(X)
#undef X
};

/* In this order a chain of rewrites from parts to wholes ends at tx: lanes join warps before warps join groups. */
const struct axis_identity tw_axis_identities[TW_AXIS_IDENTITIES] = {
    {AXIS_TID_IN_WG, AXIS_WID_IN_WG, AXIS_LANEID, 32},
    {AXIS_WARPID, AXIS_WGID, AXIS_WID_IN_WG, 4},
    {AXIS_TX, AXIS_WARPID, AXIS_LANEID, 32},
    {AXIS_TX, AXIS_WGID, AXIS_TID_IN_WG, 128},
};

const struct axis_row *tw_axis_row(enum axis axis)
{
    assert(axis < AXIS_COUNT);
    return &rows[axis];
}

bool tw_axis_is_thread(enum axis axis)
{
    return tw_axis_row(axis)->kind == AXIS_KIND_THREAD;
}

enum axis tw_axis_find(struct str name)
{
    for (int i = 0; i < AXIS_COUNT; i++)
        if (tw_str_is(name, rows[i].name))
            return (enum axis)i;
    return AXIS_COUNT;
}

const char *tw_axis_suggest(struct str name)
{
    enum { NEAR = 2, LONGEST = 32 }; /* edits; a longer word is no misspelt axis */
    const char *best = NULL;
    uint32_t best_edits = NEAR + 1;
    for (int i = 0; i < AXIS_COUNT && name.len <= LONGEST; i++) {
        const struct str known = tw_str(rows[i].name);
        const uint32_t edits = tw_str_distance(name, known);
        if (edits < best_edits && edits < known.len) {
            best = rows[i].name;
            best_edits = edits;
        }
    }
    return best;
}

/* Records a derived value; false when it contradicts the known one. */
static bool learn(axis_set *known, int64_t at[AXIS_COUNT], enum axis axis, int64_t value)
{
    if (*known & AXIS_BIT(axis))
        return at[axis] == value;
    *known |= AXIS_BIT(axis);
    at[axis] = value;
    return rows[axis].values == 0 || (value >= 0 && value < rows[axis].values);
}

static bool apply_identity(const struct axis_identity *id, axis_set *known, int64_t at[AXIS_COUNT])
{
    const axis_set parts = AXIS_BIT(id->outer) | AXIS_BIT(id->inner);
    if (*known & AXIS_BIT(id->whole))
        return learn(known, at, id->outer, at[id->whole] / id->factor) &&
               learn(known, at, id->inner, at[id->whole] % id->factor);
    if ((*known & parts) == parts)
        return learn(known, at, id->whole, id->factor * at[id->outer] + at[id->inner]);
    return true;
}

static bool in_range(axis_set known, const int64_t at[AXIS_COUNT])
{
    for (int i = 0; i < AXIS_COUNT; i++) {
        const bool bounded = (known & AXIS_BIT(i)) != 0 && rows[i].values != 0;
        if (bounded && (at[i] < 0 || at[i] >= rows[i].values))
            return false;
    }
    return true;
}

bool tw_axis_resolve(axis_set *known, int64_t at[AXIS_COUNT])
{
    if (!in_range(*known, at))
        return false;
    axis_set before;
    do {
        before = *known;
        for (size_t i = 0; i < TW_AXIS_IDENTITIES; i++)
            if (!apply_identity(&tw_axis_identities[i], known, at))
                return false;
    } while (*known != before);
    return true;
}
