/* Shapes of execution functions over 32 lanes.
 *
 * Each shape is a one-line constructor of a function from an expression over x, y, z. Results go to a local array
 * first: a destination row may be a source row, and the loop over the array is one the compiler can vectorise. */
#ifndef TW_MACHINE_EXEC_LANES_H
#define TW_MACHINE_EXEC_LANES_H

#include "machine/decode.h"
#include "machine/internal.h"

#include <string.h>

static inline void put32(struct warp *w, const struct dop *o, uint32_t mask, const uint32_t *from)
{
    if (o->ref == REF_NONE)
        return;
    uint32_t *const to = row32(w, o->ref);
    if (mask == ALL_LANES) {
        memcpy(to, from, LANES * sizeof *to);
        return;
    }
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = (mask >> i & 1) != 0 ? from[i] : to[i];
}

static inline void put64(struct warp *w, const struct dop *o, uint32_t mask, const uint64_t *from)
{
    if (o->ref == REF_NONE)
        return;
    uint64_t *const to = row64(w, o->ref);
    if (mask == ALL_LANES) {
        memcpy(to, from, LANES * sizeof *to);
        return;
    }
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = (mask >> i & 1) != 0 ? from[i] : to[i];
}

/* Any slot width; the value is cut to the register's bits. */
static inline void put_any(struct warp *w, const struct dop *o, uint32_t mask, const uint64_t *from)
{
    if (o->ref == REF_NONE)
        return;
    if (o->bytes == 8) {
        put64(w, o, mask, from);
        return;
    }
    const uint32_t keep = o->bits >= 32 ? UINT32_MAX : (UINT32_C(1) << o->bits) - 1;
    uint32_t *const to = row32(w, o->ref);
    FOR_LANES(i, mask)
        to[i] = (uint32_t)from[i] & keep;
}

static inline int32_t s16(uint32_t x) { return (int16_t)x; }

#define LANES_1(name, type, bits, expression)                                            \
    static enum exec_status name(struct warp *w, const struct dinst *d, uint32_t mask)        \
    {                                                                                         \
        const type *const xs = (const type *)(const void *)row(w, d->op[1].ref);              \
        uint##bits##_t r[LANES];                                                              \
        for (uint32_t i = 0; i < LANES; i++) {                                                \
            const type x = xs[i];                                                             \
            r[i] = (uint##bits##_t)(expression);                                              \
        }                                                                                     \
        put##bits(w, &d->op[0], mask, r);                                                     \
        return EXEC_NEXT;                                                                     \
    }

#define LANES_2(name, type, type2, bits, expression)                                          \
    static enum exec_status name(struct warp *w, const struct dinst *d, uint32_t mask)        \
    {                                                                                         \
        const type *const xs = (const type *)(const void *)row(w, d->op[1].ref);              \
        const type2 *const ys = (const type2 *)(const void *)row(w, d->op[2].ref);            \
        uint##bits##_t r[LANES];                                                              \
        for (uint32_t i = 0; i < LANES; i++) {                                                \
            const type x = xs[i];                                                             \
            const type2 y = ys[i];                                                            \
            r[i] = (uint##bits##_t)(expression);                                              \
        }                                                                                     \
        put##bits(w, &d->op[0], mask, r);                                                     \
        return EXEC_NEXT;                                                                     \
    }

#define LANES_3(name, type, type3, bits, expression)                                          \
    static enum exec_status name(struct warp *w, const struct dinst *d, uint32_t mask)        \
    {                                                                                         \
        const type *const xs = (const type *)(const void *)row(w, d->op[1].ref);              \
        const type *const ys = (const type *)(const void *)row(w, d->op[2].ref);              \
        const type3 *const zs = (const type3 *)(const void *)row(w, d->op[3].ref);            \
        uint##bits##_t r[LANES];                                                              \
        for (uint32_t i = 0; i < LANES; i++) {                                                \
            const type x = xs[i], y = ys[i];                                                  \
            const type3 z = zs[i];                                                            \
            r[i] = (uint##bits##_t)(expression);                                              \
        }                                                                                     \
        put##bits(w, &d->op[0], mask, r);                                                     \
        return EXEC_NEXT;                                                                     \
    }

/* Picks the function for an operation, its type and up to one more modifier. */
struct pick {
    uint16_t op, type, mod;
    exec_fn *run;
};
static inline exec_fn *pick_exec(const struct pick *rows, size_t count, unsigned op, unsigned type, unsigned mod)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].op == op && rows[i].type == type && rows[i].mod == mod)
            return rows[i].run;
    return NULL;
}

#endif
