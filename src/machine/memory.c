/* Global memory: a table of allocations sorted by guest address.
 *
 * Addresses only grow, and a released range is not handed out again: a pointer that outlives its
 * allocation then faults instead of reading a stranger's bytes. */
#include "machine/memory.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

enum {
    ALLOCATION_ALIGN = 256,   /* CUDA: what cudaMalloc guarantees */
    GUARD_BYTES = 64 << 10    /* between allocations: an index that is a few rows off still hits nothing */
};

struct memory {
    struct allocation *table; /* sorted by address */
    size_t count, capacity;
    uint64_t next_address;
    uint64_t used_bytes, max_bytes;
};

const char *tw_space_name(enum space space)
{
    static const char *const names[] = {"generic", "global", "shared", "shared::cluster", "local", "const", "param", "tensor"};
    return names[space];
}

struct memory *tw_memory_new(uint64_t max_bytes)
{
    struct memory *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->next_address = TW_GLOBAL_FIRST;
    m->max_bytes = max_bytes;
    return m;
}

static void free_allocation(struct allocation *a)
{
    free(a->host);
    free(a->before);
    char *name = NULL;
    memcpy(&name, &a->name, sizeof name); /* the copy is ours; the table shows it as const */
    free(name);
}

void tw_memory_free(struct memory *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; i < m->count; i++)
        free_allocation(&m->table[i]);
    free(m->table);
    free(m);
}

static bool grow_table(struct memory *m)
{
    if (m->count < m->capacity)
        return true;
    const size_t capacity = m->capacity == 0 ? 16 : m->capacity * 2;
    struct allocation *table = realloc(m->table, capacity * sizeof *table);
    if (table == NULL)
        return false;
    m->table = table;
    m->capacity = capacity;
    return true;
}

static char *copy_name(const char *name)
{
    const size_t bytes = strlen(name) + 1;
    char *copy = malloc(bytes);
    if (copy != NULL)
        memcpy(copy, name, bytes);
    return copy;
}

uint64_t tw_memory_alloc(struct memory *m, uint64_t bytes, const char *name)
{
    if (bytes > SIZE_MAX - ALLOCATION_ALIGN || bytes > TW_WINDOW_SHARED - TW_GLOBAL_FIRST)
        return 0;
    if (m->max_bytes != 0 && (bytes > m->max_bytes || m->used_bytes > m->max_bytes - bytes))
        return 0;
    const uint64_t room = align_up(bytes == 0 ? 1 : bytes, ALLOCATION_ALIGN);
    if (room + GUARD_BYTES > TW_WINDOW_SHARED - m->next_address || !grow_table(m))
        return 0;
    struct allocation a = {.address = m->next_address, .bytes = bytes};
    a.host = calloc(1, (size_t)room);
    a.name = name == NULL || a.host == NULL ? NULL : copy_name(name);
    if (a.host == NULL || (name != NULL && a.name == NULL)) {
        free(a.host);
        return 0;
    }
    m->table[m->count++] = a;
    m->next_address += room + GUARD_BYTES;
    m->used_bytes += bytes;
    return a.address;
}

/* Index of the last allocation whose address is not above `address`, or -1. */
static ptrdiff_t index_of(const struct memory *m, uint64_t address)
{
    size_t low = 0, high = m->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (m->table[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return (ptrdiff_t)low - 1;
}

bool tw_memory_release(struct memory *m, uint64_t address)
{
    const ptrdiff_t i = index_of(m, address);
    if (i < 0 || m->table[i].address != address)
        return false;
    m->used_bytes -= m->table[i].bytes;
    free_allocation(&m->table[i]);
    memmove(&m->table[i], &m->table[i + 1], (m->count - (size_t)i - 1) * sizeof m->table[0]);
    m->count--;
    return true;
}

const struct allocation *tw_memory_find(const struct memory *m, uint64_t address)
{
    const ptrdiff_t i = index_of(m, address);
    if (i < 0 || address - m->table[i].address >= m->table[i].bytes)
        return NULL;
    return &m->table[i];
}

static uint64_t distance(const struct allocation *a, uint64_t address)
{
    if (address < a->address)
        return a->address - address;
    const uint64_t end = a->address + a->bytes;
    return address < end ? 0 : address - end + 1;
}

const struct allocation *tw_memory_nearest(const struct memory *m, uint64_t address)
{
    if (m->count == 0)
        return NULL;
    const ptrdiff_t i = index_of(m, address);
    const struct allocation *below = i >= 0 ? &m->table[i] : NULL;
    const struct allocation *above = (size_t)(i + 1) < m->count ? &m->table[i + 1] : NULL;
    if (below == NULL)
        return above;
    if (above == NULL)
        return below;
    return distance(above, address) < distance(below, address) ? above : below;
}

uint8_t *tw_memory_at(const struct memory *m, uint64_t address, uint64_t bytes)
{
    const struct allocation *a = tw_memory_find(m, address);
    if (a == NULL || bytes > a->bytes - (address - a->address))
        return NULL;
    return a->host + (address - a->address);
}

bool tw_memory_keep(struct memory *m)
{
    bool kept = true;
    for (size_t i = 0; i < m->count && kept; i++) {
        struct allocation *const a = &m->table[i];
        if (a->before == NULL)
            a->before = malloc(a->bytes == 0 ? 1 : (size_t)a->bytes);
        kept = a->before != NULL;
        if (kept)
            memcpy(a->before, a->host, (size_t)a->bytes);
    }
    for (size_t i = 0; i < m->count && !kept; i++) {
        free(m->table[i].before);
        m->table[i].before = NULL;
    }
    return kept;
}

uint64_t tw_memory_used(const struct memory *m)
{
    return m->used_bytes;
}
