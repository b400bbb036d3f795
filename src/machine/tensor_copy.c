#include "machine/tensor_copy.h"

#include "base/text.h"
#include "diag/diag.h"
#include "machine/guest.h"
#include "num/convert.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum {
    ROW_MOST = 2048, /* bytes of a row: 256 elements of 8 bytes */
    AHEAD = 8        /* rows that are fetched before they are read */
};

/* ---- Plans ---------------------------------------------------------------------------------- */

static bool refuse(struct tensor_trouble *t, int code, const char *what, const char *expected, const char *found)
{
    *t = (struct tensor_trouble){.code = code, .what = what, .expected = expected, .found = found};
    return false;
}

static const char *const mode_names[] = {"a tiled map", "an im2col map", "an im2col map of the wide kind"};

static bool check_mode(const struct tensor_copy *c, uint32_t rank, struct arena *arena, struct tensor_trouble *t)
{
    const struct tensor_map *const m = c->map;
    const enum tensor_map_mode want = c->mode == COPY_IM2COL ? TMAP_IM2COL : TMAP_TILE;
    if (m->mode != want)
        return refuse(t, E0784, "the copy's mode is not that of the tensor map", mode_names[want], mode_names[m->mode]);
    if (m->rank != rank)
        return refuse(t, E0784, "the copy's rank is not that of the tensor map", tw_format(arena, "a map of rank %u", rank),
                      tw_format(arena, "rank %u", m->rank));
    if (c->mode == COPY_ROWS && (m->box[1] != 1 || m->interleave != TMAP_INTERLEAVE_NONE))
        return refuse(t, E0784, "the tensor map does not fit gather4 and scatter4", "boxDim[1] = 1 and no interleave",
                      tw_format(arena, "boxDim[1] = %u, interleave %s", m->box[1], tw_tensor_map_interleave_names[m->interleave]));
    return true;
}

/* Bytes of a granule; 0: the tensor is not interleaved. */
static uint32_t granule(const struct tensor_map *m)
{
    return m->interleave == TMAP_INTERLEAVE_NONE ? 0 : m->interleave == TMAP_INTERLEAVE_16B ? 16 : 32;
}

/* The dimension of W: channels come first unless they are in granules. */
static uint32_t first_spatial(const struct tensor_map *m)
{
    return granule(m) == 0 ? 1 : 0;
}

/* MEASURED: a start outside the bounding box, or below 0 in a store, is an illegal instruction. */
static bool check_pixel(const struct tensor_copy *c, struct arena *arena, struct tensor_trouble *t)
{
    const struct tensor_map *const m = c->map;
    for (uint32_t s = 0; c->mode == COPY_IM2COL && s < m->rank - 2; s++) {
        const uint32_t d = s + first_spatial(m);
        const int64_t last = (int64_t)m->dims[d] - 1 + m->upper[s];
        if (c->at[d] < m->lower[s] || c->at[d] > last)
            return refuse(t, E0783, "an im2col copy starts outside the map's bounding box",
                          tw_format(arena, "coordinate %u from %d to %" PRId64, d, m->lower[s], last), tw_format(arena, "%d", c->at[d]));
    }
    return true;
}

static bool check_start(const struct tensor_copy *c, bool writes, struct arena *arena, struct tensor_trouble *t)
{
    const struct tensor_map *const m = c->map;
    const struct tensor_map_type_row *const type = tw_tensor_map_type(m->type);
    const int32_t unit = granule(m) != 0 ? 1 : type->packed && type->shared_bits == 8 ? 128 : (int32_t)(128 / type->global_bits);
    if (c->at[0] % unit != 0) {
        refuse(t, E0783, "the start of the innermost dimension is not aligned",
               tw_format(arena, "a multiple of %d elements, 16 bytes", unit), tw_format(arena, "element %d", c->at[0]));
        if (unit == 128)
            t->expected = "a multiple of 128 elements";
        return false;
    }
    if (!check_pixel(c, arena, t))
        return false;
    const uint32_t count = c->mode == COPY_ROWS ? 1 : m->rank; /* rows of a scatter that lie outside are left out */
    for (uint32_t d = 0; writes && d < count; d++)
        if (c->at[d] < 0)
            return refuse(t, E0783, "a copy to global memory starts outside the tensor", "coordinates that are not negative",
                          tw_format(arena, "coordinate %d is %d", (int)d, c->at[d]));
    return true;
}

static bool check_packed(const struct tensor_copy *c, bool writes, struct tensor_trouble *t)
{
    if (writes && c->map->type == TMAP_U4X16_ALIGN16)
        return refuse(t, E0784, "a copy to global memory with a map of padded 4-bit elements", "another element type",
                      tw_tensor_map_type(c->map->type)->name);
    return true;
}

/* Rows by dimension. MEASURED: an element stride s leaves ceil(box / s) elements; that of dimension 0 is not used. */
static void count_rows(struct tensor_copy *c)
{
    const struct tensor_map *const m = c->map;
    for (uint32_t d = 0; d < TENSOR_MAP_RANK; d++)
        c->counts[d] = 1;
    if (c->mode == COPY_ROWS)
        c->counts[1] = 4;
    else if (c->mode == COPY_IM2COL)
        c->counts[1] = m->pixels;
    else
        for (uint32_t d = granule(m) != 0 ? 0 : 1; d < m->rank; d++)
            c->counts[d] = (m->box[d] + m->element_strides[d] - 1) / m->element_strides[d];
    if (granule(m) != 0 && c->mode == COPY_TILE)
        c->counts[m->rank - 2] = 1;
    c->rows = 1;
    for (uint32_t d = 0; d < TENSOR_MAP_RANK; d++)
        c->rows *= c->counts[d];
}

bool tw_tensor_copy_plan(struct tensor_copy *c, uint32_t rank, bool writes, struct arena *arena, struct tensor_trouble *trouble)
{
    const struct tensor_map *const m = c->map;
    if (!check_mode(c, rank, arena, trouble) || !check_start(c, writes, arena, trouble) || !check_packed(c, writes, trouble))
        return false;
    const uint32_t span = tw_tensor_map_swizzle(m->swizzle)->span_bytes, bits = tw_tensor_map_type(m->type)->shared_bits;
    c->inner = granule(m) != 0 ? granule(m) * 8 / bits : c->mode == COPY_IM2COL ? m->channels : m->box[0];
    c->row_bytes = c->inner * bits / 8;
    c->pitch = span == 0 || granule(m) != 0 ? c->row_bytes : span;
    count_rows(c);
    c->bytes = c->rows * c->row_bytes;
    c->extent = (c->rows * c->pitch + 127) & ~127u; /* a swizzle permutes within 128 bytes */
    if (m->swizzle == TMAP_SWIZZLE_NONE)
        c->extent = c->bytes;
    assert(c->row_bytes <= ROW_MOST);
    return true;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

struct walk {
    const struct tensor_copy *c;
    uint32_t index[TENSOR_MAP_RANK]; /* tile: of the row, by dimension */
    int64_t x[TENSOR_MAP_RANK];      /* coordinates of the row */
    uint32_t row;
};

static void begin(struct walk *w, const struct tensor_copy *c)
{
    *w = (struct walk){.c = c};
    for (uint32_t d = 0; d < TENSOR_MAP_RANK; d++)
        w->x[d] = c->at[d];
}

static void step_tile(struct walk *w)
{
    const struct tensor_copy *const c = w->c;
    for (uint32_t d = 0; d < c->map->rank; d++) {
        if (c->counts[d] == 1)
            continue;
        w->x[d] += c->map->element_strides[d];
        if (++w->index[d] < c->counts[d])
            return;
        w->index[d] = 0;
        w->x[d] = c->at[d];
    }
}

/* The next pixel: along W, H, D within the bounding box, then to the next image. MEASURED: ptx-async.md 4.7. */
static void step_pixel(struct walk *w)
{
    const struct tensor_map *const m = w->c->map;
    const uint32_t first = first_spatial(m);
    for (uint32_t s = 0; s < m->rank - 2; s++) {
        const uint32_t d = s + first;
        w->x[d] += m->element_strides[d];
        if (w->x[d] <= (int64_t)m->dims[d] - 1 + m->upper[s])
            return;
        w->x[d] = m->lower[s];
    }
    w->x[m->rank - 1]++;
}

static void step(struct walk *w)
{
    w->row++;
    if (w->c->mode == COPY_IM2COL)
        step_pixel(w);
    else if (w->c->mode == COPY_TILE)
        step_tile(w);
    else if (w->row < 4)
        w->x[1] = w->c->at[1 + w->row];
}

/* Whether the row lies inside the tensor in all dimensions but the innermost; then where its element 0 is. */
static bool place(const struct walk *w, uint64_t *address)
{
    const struct tensor_map *const m = w->c->map;
    const uint32_t first = first_spatial(m);
    *address = m->address;
    for (uint32_t d = first; d < m->rank; d++) {
        const bool moved = w->c->mode == COPY_IM2COL && d - first < m->rank - 2;
        const int64_t x = w->x[d] + (moved ? (int64_t)w->c->offset[d - first] : 0);
        if (x < 0 || (uint64_t)x >= m->dims[d])
            return false;
        *address += (uint64_t)x * (d == 0 ? granule(m) : m->strides[d]);
    }
    return true;
}

/* The part of the row that lies inside dimension 0, in bytes of global memory from the row's first element. */
struct part {
    uint32_t from, to;
};

static struct part inside(const struct tensor_copy *c)
{
    const uint32_t bits = tw_tensor_map_type(c->map->type)->global_bits;
    if (granule(c->map) != 0)
        return (struct part){0, c->row_bytes};
    const int64_t end = (int64_t)c->map->dims[0] - c->at[0];
    const int64_t from = c->at[0] < 0 ? -(int64_t)c->at[0] : 0, to = end < (int64_t)c->inner ? end : (int64_t)c->inner;
    if (from >= to)
        return (struct part){0, 0};
    return (struct part){(uint32_t)from * bits / 8, (uint32_t)to * bits / 8};
}

static uint64_t start_of(const struct tensor_copy *c, uint64_t row_address, uint32_t from)
{
    if (granule(c->map) != 0)
        return row_address;
    return row_address + (uint64_t)((int64_t)c->at[0] * tw_tensor_map_type(c->map->type)->global_bits / 8 + from);
}

/* ---- Global memory ---------------------------------------------------------------------------- */

struct global {
    const struct memory *memory;
    struct allocation hit;
};

static bool outside(const struct tensor_copy *c, const struct allocation *a, uint64_t address, uint32_t bytes, bool write, struct arena *arena,
                    struct tensor_trouble *t)
{
    const char *const name = a == NULL || a->name == NULL ? "an allocation" : tw_format(arena, "'%s'", a->name);
    if (a != NULL && write && a->read_only && address - a->address < a->bytes)
        return refuse(t, E0704, "a tensor copy writes to read-only memory", "memory that may be written", name);
    *t = (struct tensor_trouble){
        .code = E0787,
        .what = tw_format(arena, "the tensor map leads outside global memory: %s of %u bytes at 0x%" PRIx64, write ? "a write" : "a read", bytes, address),
        .expected = "dims, strides and address of the map within one allocation",
        .found = a == NULL ? "there is no allocation"
                           : tw_format(arena, "byte %" PRId64 " of %s of %" PRIu64 " bytes; the map starts at its byte %" PRId64,
                                       (int64_t)(address - a->address), name, a->bytes, (int64_t)(c->map->address - a->address)),
        .fix = "make the map's dims and strides those of the allocation",
    };
    return false;
}

static uint8_t *global_at(struct global *g, uint64_t address, uint32_t bytes, bool write)
{
    if (address - g->hit.address >= g->hit.bytes) {
        const struct allocation *const a = tw_memory_find(g->memory, address);
        if (a == NULL)
            return NULL;
        g->hit = *a;
    }
    const uint64_t offset = address - g->hit.address;
    return bytes > g->hit.bytes - offset || (write && g->hit.read_only) ? NULL : g->hit.host + offset;
}

static bool report_outside(const struct tensor_copy *c, const struct global *g, uint64_t address, uint32_t bytes, bool write,
                           struct arena *arena, struct tensor_trouble *t)
{
    const struct allocation *const a = tw_memory_find(g->memory, address);
    return outside(c, a != NULL ? a : tw_memory_nearest(g->memory, address), address, bytes, write, arena, t);
}

/* ---- Shared memory ---------------------------------------------------------------------------- */

static void watch_shared(const struct tensor_copy *c, const struct tensor_watch *watch, struct tensor_shared s, uint32_t offset, bool write)
{
    const struct tensor_map_swizzle_row *const z = tw_tensor_map_swizzle(c->map->swizzle);
    const uint64_t base = (uint64_t)s.rank << 24;
    if (z->span_bytes == 0 || z->span_bytes == c->row_bytes) { /* a full row of a swizzle is permuted within itself */
        watch->access(watch->context, SPACE_SHARED, base | offset, c->row_bytes, !write, write);
        return;
    }
    const uint32_t unit = z->unit_bytes < 16 ? z->unit_bytes : 16;
    for (uint32_t at = 0; at < c->row_bytes; at += unit)
        watch->access(watch->context, SPACE_SHARED, base | tw_tensor_map_swizzled(c->map->swizzle, offset + at), unit, !write, write);
}

/* The address bits that the swizzle flips, which are the same for a whole row: a swizzled row lies in one line of 128 bytes,
 * and what is flipped depends on the number of the line. */
static uint32_t flipped(const struct tensor_copy *c, uint32_t offset)
{
    return tw_tensor_map_swizzled(c->map->swizzle, offset) ^ offset;
}

static bool by_eights(const struct tensor_copy *c)
{
    return tw_tensor_map_swizzle(c->map->swizzle)->flips_8b;
}

/* A row into shared memory; the rows of all swizzled maps are multiples of 16 bytes. */
static void scatter_row(const struct tensor_copy *c, struct tensor_shared s, uint32_t offset, const uint8_t *from)
{
    const uint32_t flip = flipped(c, offset);
    if (flip == 0)
        memcpy(s.window + offset, from, c->row_bytes);
    else if (by_eights(c))
        for (uint32_t at = 0; at < c->row_bytes; at += 8)
            memcpy(s.window + ((offset + at) ^ flip), from + at, 8);
    else
        for (uint32_t at = 0; at < c->row_bytes; at += 16)
            memcpy(s.window + ((offset + at) ^ flip), from + at, 16);
}

/* The same from guest memory, which is aligned to 8 bytes. */
static void read_row(const struct tensor_copy *c, struct tensor_shared s, uint32_t offset, const uint8_t *from)
{
    const uint32_t flip = flipped(c, offset);
    for (uint32_t at = 0; at < c->row_bytes; at += 8) {
        const uint64_t word = TW_GUEST_LOAD(uint64_t, from + at);
        memcpy(s.window + ((offset + at) ^ flip), &word, sizeof word);
    }
}

static void gather_row(const struct tensor_copy *c, struct tensor_shared s, uint32_t offset, uint8_t *to)
{
    const uint32_t flip = flipped(c, offset);
    if (flip == 0)
        memcpy(to, s.window + offset, c->row_bytes);
    else if (by_eights(c))
        for (uint32_t at = 0; at < c->row_bytes; at += 8)
            memcpy(to + at, s.window + ((offset + at) ^ flip), 8);
    else
        for (uint32_t at = 0; at < c->row_bytes; at += 16)
            memcpy(to + at, s.window + ((offset + at) ^ flip), 16);
}

/* ---- Loads ------------------------------------------------------------------------------------ */

static bool is_tf32(const struct tensor_map *m)
{
    return m->type == TMAP_TF32 || m->type == TMAP_TF32_FTZ;
}

/* MEASURED: a load of tf32 rounds to nearest even, any NaN becomes 0x7FFFE000. */
static void round_tf32(uint8_t *at, uint32_t bytes)
{
    const struct num_convert_how how = {.to = NUM_TF32, .from = NUM_F32, .rounding = NUM_RN};
    for (uint32_t i = 0; i < bytes; i += 4) {
        uint32_t word;
        memcpy(&word, at + i, 4);
        const bool nan = (word & 0x7fffffff) > 0x7f800000;
        word = nan ? UINT32_C(0x7fffe000) : (uint32_t)tw_num_convert(&how, word);
        memcpy(at + i, &word, 4);
    }
}

/* MEASURED: zeros, or 0x7FF7 in every 16-bit unit, whatever the type. */
static void fill_row(const struct tensor_map *m, uint8_t *at, uint32_t bytes)
{
    static const uint8_t nan[2] = {0xf7, 0x7f};
    memset(at, 0, bytes);
    for (uint32_t i = 0; m->fill == TMAP_FILL_NAN && i < bytes; i += 2)
        memcpy(at + i, nan, sizeof nan);
}

/* Groups of 16 packed elements, 8 or 12 bytes, to 16 bytes each. The bytes after them are undefined: they keep a pattern
 * that no kernel takes for data. */
static void expand(uint8_t *to, const uint8_t *from, uint32_t groups, uint32_t group_bytes)
{
    for (uint32_t g = 0; g < groups; g++) {
        memcpy(to + 16 * g, from + group_bytes * g, group_bytes);
        memset(to + 16 * g + group_bytes, 0xbd, 16 - group_bytes);
    }
}

static bool load_row(const struct tensor_copy *c, struct global *g, struct part in, uint64_t row_address, uint8_t *row, const struct tensor_watch *watch,
                     struct arena *arena, struct tensor_trouble *trouble)
{
    const struct tensor_map_type_row *const type = tw_tensor_map_type(c->map->type);
    const uint32_t packed_bytes = c->inner * type->global_bits / 8;
    const uint64_t address = start_of(c, row_address, in.from);
    uint8_t packed[ROW_MOST];
    uint8_t *const dense = type->global_bits == type->shared_bits ? row : packed;
    if (in.to - in.from != packed_bytes)
        fill_row(c->map, dense, packed_bytes);
    if (in.to != 0) {
        const uint8_t *const from = global_at(g, address, in.to - in.from, false);
        if (from == NULL)
            return report_outside(c, g, address, in.to - in.from, false, arena, trouble);
        guest_read(dense + in.from, from, in.to - in.from);
        if (watch != NULL)
            watch->access(watch->context, SPACE_GLOBAL, address, in.to - in.from, true, false);
    }
    if (is_tf32(c->map))
        round_tf32(dense + in.from, in.to - in.from);
    if (dense != row)
        expand(row, dense, c->inner / 16, type->global_bits * 2);
    return true;
}

/* Rows of a tensor are far apart: the host's own prefetching does not see them coming. */
static inline void fetch_row(const uint8_t *from, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += 64)
        __builtin_prefetch(from + at);
}

/* Whether a row that lies inside the tensor goes to shared memory as it is. */
static bool goes_plainly(const struct tensor_copy *c, struct part in)
{
    const struct tensor_map_type_row *const type = tw_tensor_map_type(c->map->type);
    return c->mode == COPY_TILE && granule(c->map) == 0 && c->map->rank > 1 && type->global_bits == type->shared_bits && !is_tf32(c->map) &&
           in.to - in.from == c->row_bytes;
}

/* The rows from here to the end of dimension 1 of the box at once, when all of them lie inside the tensor and one allocation:
 * the walk goes to the last of them. False: nothing was done, row by row is the way. */
static bool load_run(struct walk *w, struct global *g, uint64_t row_address, struct tensor_shared to, const struct tensor_watch *watch)
{
    const struct tensor_copy *const c = w->c;
    const uint32_t more = c->counts[1] - w->index[1] - 1, step_rows = c->map->element_strides[1];
    const uint64_t stride = c->map->strides[1] * step_rows, first = start_of(c, row_address, 0);
    const uint64_t last_row = (uint64_t)w->x[1] + (uint64_t)more * step_rows;
    if (last_row >= c->map->dims[1])
        return false;
    const uint8_t *from = global_at(g, first, c->row_bytes, false);
    if (from == NULL || (((uintptr_t)from | stride | c->row_bytes) & 7) != 0)
        return false;
    if (more * stride + c->row_bytes > g->hit.bytes - (first - g->hit.address))
        return false;
    for (uint32_t i = 0; i <= more; i++, from += stride) {
        const uint32_t offset = to.offset + (w->row + i) * c->pitch;
        if (more - i >= AHEAD)
            fetch_row(from + AHEAD * stride, c->row_bytes);
        read_row(c, to, offset, from);
        if (watch != NULL) {
            watch->access(watch->context, SPACE_GLOBAL, first + i * stride, c->row_bytes, true, false);
            watch_shared(c, watch, to, offset, true);
        }
    }
    w->row += more;
    w->index[1] += more;
    return true;
}

static bool load_one(const struct walk *w, struct global *g, struct part in, uint64_t address, struct tensor_shared to,
                     const struct tensor_watch *watch, struct arena *arena, struct tensor_trouble *trouble)
{
    const uint32_t offset = to.offset + w->row * w->c->pitch;
    uint8_t row[ROW_MOST];
    if (!load_row(w->c, g, in, address, row, watch, arena, trouble))
        return false;
    scatter_row(w->c, to, offset, row);
    if (watch != NULL)
        watch_shared(w->c, watch, to, offset, true);
    return true;
}

static bool load(const struct tensor_copy *c, const struct memory *m, struct tensor_shared to, const struct tensor_watch *watch,
                 struct arena *arena, struct tensor_trouble *trouble, bool runs)
{
    struct global g = {.memory = m};
    const struct part all = inside(c);
    struct walk w;
    for (begin(&w, c); w.row < c->rows; step(&w)) {
        uint64_t address;
        const struct part in = place(&w, &address) ? all : (struct part){0, 0};
        if (!(runs && in.to != 0 && load_run(&w, &g, address, to, watch)) && !load_one(&w, &g, in, address, to, watch, arena, trouble))
            return false;
    }
    return true;
}

bool tw_tensor_load(const struct tensor_copy *c, const struct memory *m, struct tensor_shared to, const struct tensor_watch *watch,
                    struct arena *arena, struct tensor_trouble *trouble)
{
    return load(c, m, to, watch, arena, trouble, goes_plainly(c, inside(c)));
}

bool tw_tensor_load_rows(const struct tensor_copy *c, const struct memory *m, struct tensor_shared to, const struct tensor_watch *watch,
                         struct arena *arena, struct tensor_trouble *trouble)
{
    return load(c, m, to, watch, arena, trouble, false);
}

void tw_tensor_fill_shared(const struct tensor_copy *c, struct tensor_shared to, uint64_t word)
{
    uint8_t row[ROW_MOST];
    if (c->row_bytes == c->pitch && c->bytes % 128 == 0) { /* no gaps: the swizzle changes nothing */
        for (uint32_t i = 0; i < c->bytes; i += 8)
            memcpy(to.window + to.offset + i, &word, 8);
        return;
    }
    for (uint32_t i = 0; i < c->row_bytes; i += 8)
        memcpy(row + i, &word, 8);
    for (uint32_t r = 0; r < c->rows; r++)
        scatter_row(c, to, to.offset + r * c->pitch, row);
}

/* ---- Stores ----------------------------------------------------------------------------------- */

void tw_tensor_gather(const struct tensor_copy *c, struct tensor_shared from, uint8_t *dense, const struct tensor_watch *watch)
{
    for (uint32_t r = 0; r < c->rows; r++) {
        gather_row(c, from, from.offset + r * c->pitch, dense + (size_t)r * c->row_bytes);
        if (watch != NULL)
            watch_shared(c, watch, from, from.offset + r * c->pitch, false);
    }
}

/* 6-bit elements, one a byte with two bits above, to 12 bytes for each 16. SOURCE: PTX ISA, .b6p2x16. */
static void pack_6(uint8_t *to, const uint8_t *from, uint32_t elements)
{
    for (uint32_t i = 0; i < elements; i += 4) {
        const uint32_t word = (from[i] & 63u) | (from[i + 1] & 63u) << 6 | (from[i + 2] & 63u) << 12 | (from[i + 3] & 63u) << 18;
        memcpy(to + i / 4 * 3, &word, 3);
    }
}

static bool store_row(const struct tensor_copy *c, struct global *g, struct part in, uint64_t row_address, const uint8_t *row,
                      const struct atom_call *reduce, const struct tensor_watch *watch, struct arena *arena, struct tensor_trouble *trouble)
{
    const uint64_t address = start_of(c, row_address, in.from);
    const uint32_t tensor_bytes = inside(c).to - in.from;
    uint32_t bytes = in.to - in.from;
    uint8_t packed[ROW_MOST];
    uint8_t *to = global_at(g, address, bytes, true);
    if (to == NULL) { /* the last row's padding need not be there: a GPU's allocations are padded themselves */
        bytes = tensor_bytes;
        to = global_at(g, address, bytes, true);
    }
    if (to == NULL)
        return report_outside(c, g, address, bytes, true, arena, trouble);
    if (c->map->type == TMAP_U6X16_ALIGN16) {
        pack_6(packed, row, c->inner);
        row = packed;
    }
    if (reduce == NULL)
        guest_write(to, row + in.from, bytes);
    else
        tw_reduce_bytes(reduce, to, row + in.from, bytes, true);
    if (watch != NULL)
        watch->access(watch->context, SPACE_GLOBAL, address, bytes, reduce != NULL, true);
    return true;
}

/* MEASURED: rows that lie beyond the tensor are dropped, and of a row all units of 16 bytes that do; the unit in which the
 * tensor ends is written whole. Addresses and strides are multiples of 16, so that it is the row's own padding. */
static struct part written(const struct tensor_copy *c)
{
    struct part in = inside(c);
    in.to = (in.to + 15) & ~15u;
    return in;
}

bool tw_tensor_store(const struct tensor_copy *c, const struct memory *m, const uint8_t *dense, const struct atom_call *reduce,
                     const struct tensor_watch *watch, struct arena *arena, struct tensor_trouble *trouble)
{
    struct global g = {.memory = m};
    const struct part in = written(c);
    struct walk w;
    for (begin(&w, c); in.to != 0 && w.row < c->rows; step(&w)) {
        uint64_t address;
        if (place(&w, &address) &&
            !store_row(c, &g, in, address, dense + (size_t)w.row * c->row_bytes, reduce, watch, arena, trouble))
            return false;
    }
    return true;
}

/* ---- Reductions ------------------------------------------------------------------------------- */

/* MEASURED: f32 keeps subnormals, f32_ftz flushes them, NaN results are canonical. */
bool tw_tensor_reduction(enum atom_op op, enum tensor_map_type type, struct atom_call *out)
{
    static const struct { uint8_t format; bool ftz; } rows[TMAP_TYPE_COUNT] = {
        [TMAP_U32] = {NUM_U32, false}, [TMAP_S32] = {NUM_S32, false},    [TMAP_U64] = {NUM_U64, false},  [TMAP_S64] = {NUM_S64, false},
        [TMAP_F16] = {NUM_F16, false}, [TMAP_BF16] = {NUM_BF16, false},  [TMAP_F32] = {NUM_F32, false},  [TMAP_F32_FTZ] = {NUM_F32, true},
        [TMAP_TF32] = {NUM_F32, false}, [TMAP_TF32_FTZ] = {NUM_F32, true}, [TMAP_F64] = {NUM_F64, false},
    };
    const unsigned needs = op == ATOM_ADD                       ? TMAP_ADD
                           : op == ATOM_MIN || op == ATOM_MAX ? TMAP_MINMAX
                           : op == ATOM_INC || op == ATOM_DEC ? TMAP_INCDEC
                                                              : TMAP_BITS;
    if ((tw_tensor_map_type(type)->reductions & needs) == 0)
        return false;
    const enum num_format f = (enum num_format)rows[type].format;
    *out = (struct atom_call){.op = op, .format = f, .bits = tw_num_bits(f), .halves = 1, .is_float = tw_num_is_float(f),
                              .is_signed = tw_num_format(f)->family == NUM_SIGNED, .ftz = rows[type].ftz};
    return true;
}

void tw_reduce_bytes(const struct atom_call *c, uint8_t *to, const uint8_t *from, uint32_t bytes, bool global)
{
    const uint32_t width = c->bits / 8;
    for (uint32_t i = 0; i < bytes; i += width) {
        uint64_t old = 0, b = 0;
        memcpy(&old, to + i, width);
        memcpy(&b, from + i, width);
        const uint64_t value = tw_atom_value(c, old, b, 0, global);
        memcpy(to + i, &value, width);
    }
}
