/* Copies of Tx between registers, shared memory and global memory: what is copied, who copies which part, and how wide
 * one access may be.
 *
 *     copy.c          the predicates: operands, shapes, the threads of the scope, the width
 *     copy_vector.c   the instructions: "vector" of copy (ld and st), "ldgsts" of copy_async (cp.async)
 *
 * Elements are counted row-major over the region with its unit dimensions left out, so both sides count alike. Thread t
 * of the scope takes elements part(t) + base[g] .. + vec - 1 for every group g. part is a sum of terms
 * ((t >> shift) & mask) * factor: for memory to memory, t * vec; where a register tensor is distributed over the
 * threads, what its layout says. */
#ifndef TW_TILE_COPY_H
#define TW_TILE_COPY_H

#include "tile/dispatch.h"

enum copy_operand { COPY_DST, COPY_SRC, COPY_OPERANDS };
extern const char *const tw_copy_names[COPY_OPERANDS];

struct copy_side {
    const struct ir_arg *arg;
    const struct ir_region *region;
    struct ir_storage *storage;
    bool distributed;     /* registers of several threads */
    struct shape shape;   /* of the region, unit dimensions left out */
    int64_t *slots;       /* IR_LOCAL: of thread 0, the register element of each of its elements, by order */
};

struct copy_term {
    uint32_t shift;
    int64_t mask, factor; /* mask -1: all bits */
};

enum { COPY_MAX_TERMS = 10 }; /* bits of a thread index */

struct copy {
    struct copy_side side[COPY_OPERANDS];
    int64_t elems;
    /* who */
    int64_t threads;      /* that share the copy; 1 at thread scope */
    enum ir_coord coord;  /* counts them, from `first` on */
    int64_t first;
    struct copy_term term[COPY_MAX_TERMS];
    uint32_t term_count;
    /* what each of them copies */
    int64_t *base;        /* flat element of each of a thread's elements when t is 0, in the order of copying */
    int64_t count;        /* elements a thread copies; the last ones may be left out by some threads */
    int64_t rest;         /* threads that take part in the last group; `threads` where all do */
    int64_t vec;          /* elements of one access */
};

static inline struct copy *copy_of(const struct dispatch_call *c)
{
    return c->facts;
}

/* Bytes of an element. */
static inline int64_t copy_elem_bytes(const struct copy *f)
{
    return f->side[COPY_DST].region->view->elem.bits / 8;
}

/* Whether a register tensor of this layout is spread over several threads. */
bool tw_copy_is_distributed(const struct layout *l);
/* The predicates that every copy between registers, shared and global memory has, in their order. */
void tw_copy_judge_operands(struct dispatch_call *c);
void tw_copy_judge_shapes(struct dispatch_call *c);
void tw_copy_judge_threads(struct dispatch_call *c);

/* The widest access of at most `most_bytes`, in elements, that both sides allow for every element; at least 1. */
void tw_copy_choose_width(struct dispatch_call *c, int64_t most_bytes);
/* Refuses keywords but those named: "dispatch|vec_len". */
void tw_copy_judge_keywords(struct dispatch_call *c, const char *known);

/* The region of one element: the flat element number as an expression. */
struct ir_region *tw_copy_element(struct dispatch_call *c, const struct copy_side *s, const struct ir_expr *flat);
/* Register element `slot` of a local tensor seen as elements of `type`; the slot is in units of the tensor's element. */
struct ir_region *tw_copy_register(struct dispatch_call *c, const struct ir_storage *s, struct ir_type type, int64_t slot,
                                   uint16_t elem_bits);

#endif
