/* Arenas: memory by lifetime. Objects are allocated zeroed and freed all at once.
 *
 * Exhaustion never returns NULL: it leaves through the arena's landing, which the
 * thread's entry point (the public API, a test) has set. The jump is sound because
 * nothing that a call owns lives outside its arenas. */
#ifndef TW_BASE_ARENA_H
#define TW_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

enum landing_reason { LANDING_NONE, LANDING_MEMORY, LANDING_LIMIT };

/* One per thread entry. `limit` names the limit that was hit when reason is LANDING_LIMIT. */
struct landing {
    jmp_buf at;
    enum landing_reason reason;
    const char *limit;
};

struct arena_block;

struct arena {
    struct arena_block *head; /* newest block; older ones follow */
    size_t used_bytes;        /* bytes handed out, alignment included */
    size_t limit_bytes;       /* 0: none */
    struct landing *landing;  /* required before the first allocation */
};

struct arena_mark {
    struct arena_block *head;
    size_t head_used;
    size_t used_bytes;
};

void tw_arena_init(struct arena *a, struct landing *landing, size_t limit_bytes);
void tw_arena_release(struct arena *a);

/* Zeroed, aligned for any type, never NULL. */
void *tw_arena_alloc(struct arena *a, size_t count, size_t elem_bytes);
#define arena_new(a, type, n) ((type *)tw_arena_alloc((a), (n), sizeof(type)))

/* A copy with a NUL behind it. */
char *tw_arena_copy(struct arena *a, const char *at, size_t len);

/* Scratch use: everything allocated after the mark is freed by the rewind. */
struct arena_mark tw_arena_mark(const struct arena *a);
void tw_arena_rewind(struct arena *a, struct arena_mark mark);

/* Leaves through the landing. */
_Noreturn void tw_land(struct landing *landing, enum landing_reason reason, const char *limit);

#endif
