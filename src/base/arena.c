#include "base/arena.h"

#include "base/poison.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Blocks grow with the arena so that a large module costs few calls of malloc,
   and a small one (a test, a one-line diagnostic) costs little memory. */
enum { FIRST_BLOCK_BYTES = 16 << 10, LARGEST_BLOCK_BYTES = 1 << 20 };

struct arena_block {
    struct arena_block *next;
    size_t capacity;
    size_t used;
    _Alignas(max_align_t) unsigned char bytes[];
};

void tw_arena_init(struct arena *a, struct landing *landing, size_t limit_bytes)
{
    *a = (struct arena){.limit_bytes = limit_bytes, .landing = landing};
}

void tw_arena_release(struct arena *a)
{
    while (a->head != NULL) {
        struct arena_block *next = a->head->next;
        free(a->head);
        a->head = next;
    }
    a->used_bytes = 0;
}

_Noreturn void tw_land(struct landing *landing, enum landing_reason reason, const char *limit)
{
    assert(landing != NULL);
    landing->reason = reason;
    landing->limit = limit;
    longjmp(landing->at, 1);
}

static size_t round_up(size_t n)
{
    const size_t to = _Alignof(max_align_t);
    return (n + to - 1) / to * to;
}

static struct arena_block *add_block(struct arena *a, size_t need)
{
    size_t capacity = a->head == NULL ? FIRST_BLOCK_BYTES : a->head->capacity * 2;
    if (capacity > LARGEST_BLOCK_BYTES)
        capacity = LARGEST_BLOCK_BYTES;
    if (capacity < need)
        capacity = need;
    struct arena_block *b = malloc(sizeof *b + capacity);
    if (b == NULL)
        tw_land(a->landing, LANDING_MEMORY, NULL);
    *b = (struct arena_block){.next = a->head, .capacity = capacity};
    a->head = b;
    poison_bytes(b->bytes, capacity);
    return b;
}

void *tw_arena_alloc(struct arena *a, size_t count, size_t elem_bytes)
{
    if (elem_bytes != 0 && count > (SIZE_MAX / 2) / elem_bytes)
        tw_land(a->landing, LANDING_MEMORY, NULL);
    const size_t need = round_up(count * elem_bytes);
    if (a->limit_bytes != 0 && need > a->limit_bytes - a->used_bytes)
        tw_land(a->landing, LANDING_MEMORY, NULL);
    struct arena_block *b = a->head;
    if (b == NULL || b->capacity - b->used < need + POISON_GAP)
        b = add_block(a, need + POISON_GAP);
    void *at = b->bytes + b->used;
    b->used += need + POISON_GAP;
    a->used_bytes += need;
    unpoison_bytes(at, count * elem_bytes);
    return memset(at, 0, count * elem_bytes);
}

char *tw_arena_copy(struct arena *a, const char *at, size_t len)
{
    char *copy = tw_arena_alloc(a, len + 1, 1);
    if (len != 0)
        memcpy(copy, at, len);
    return copy;
}

struct arena_mark tw_arena_mark(const struct arena *a)
{
    return (struct arena_mark){a->head, a->head == NULL ? 0 : a->head->used, a->used_bytes};
}

void tw_arena_rewind(struct arena *a, struct arena_mark mark)
{
    while (a->head != mark.head) {
        struct arena_block *next = a->head->next;
        free(a->head);
        a->head = next;
    }
    if (a->head != NULL) {
        a->head->used = mark.head_used;
        poison_bytes(a->head->bytes + a->head->used, a->head->capacity - a->head->used);
    }
    a->used_bytes = mark.used_bytes;
}
