/* What is moved at once equals what is moved piece by piece, bit for bit, on drawn shapes: boxes of tensor maps, and operands
 * behind shared memory descriptors. */
#include "support/check.h"

#include "machine/run.h"
#include "machine/tensor_copy.h"
#include "machine/tensor_operand.h"

enum { WINDOW_BYTES = 64 * 1024, TENSOR_BYTES = 1 << 20 };

static uint64_t next(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t below(uint64_t *seed, uint32_t limit)
{
    return (uint32_t)(next(seed) % limit);
}

static uint8_t *random_bytes(struct arena *arena, size_t bytes, uint64_t seed)
{
    uint8_t *const at = tw_arena_alloc(arena, bytes, 1);
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)next(&seed);
    return at;
}

/* ---- Boxes of tensor maps ----------------------------------------------------------------------- */

/* A digest of all accesses, order included. */
static void mix_access(void *context, enum space space, uint64_t address, uint32_t bytes, bool read, bool write)
{
    uint64_t *const digest = context;
    *digest = (*digest ^ address ^ (uint64_t)bytes << 32 ^ (uint64_t)space << 50 ^ (uint64_t)read << 60 ^ (uint64_t)write << 61) * UINT64_C(0x100000001b3);
}

/* A map of dense or padded rows that lies inside `bytes`, or does not: some lead out of the allocation. */
static struct tensor_map draw_map(uint64_t *seed, uint64_t address)
{
    static const enum tensor_map_type types[] = {TMAP_U8, TMAP_F16, TMAP_F32, TMAP_F64, TMAP_TF32, TMAP_BF16};
    struct tensor_map m = {.mode = TMAP_TILE, .type = types[below(seed, 6)], .rank = 1 + below(seed, 5), .address = address,
                           .swizzle = (enum tensor_map_swizzle)below(seed, TMAP_SWIZZLE_COUNT),
                           .fill = TMAP_FILL_ZEROS};
    const uint32_t bytes = tw_tensor_map_type(m.type)->global_bits / 8, span = tw_tensor_map_swizzle(m.swizzle)->span_bytes;
    const uint32_t inner_units = 1 + below(seed, span == 0 ? 8 : span / 16);
    uint64_t stride = 16 * (1 + below(seed, 40));
    m.box[0] = inner_units * 16 / bytes;
    m.dims[0] = 1 + below(seed, (uint32_t)stride / bytes);
    m.element_strides[0] = 1;
    for (uint32_t d = 1; d < m.rank; d++) {
        m.dims[d] = 1 + below(seed, 12);
        m.box[d] = 1 + below(seed, 9);
        m.element_strides[d] = 1 + below(seed, 3);
        m.strides[d] = stride;
        stride = stride * m.dims[d] + 16 * below(seed, 3);
    }
    return m;
}

static bool draw_copy(struct tensor_copy *c, const struct tensor_map *m, uint64_t *seed, struct arena *arena)
{
    struct tensor_trouble trouble;
    struct tensor_map_fault fault;
    const int32_t unit = (int32_t)(128 / tw_tensor_map_type(m->type)->global_bits);
    if (!tw_tensor_map_check(m, 100, arena, &fault))
        return false;
    *c = (struct tensor_copy){.map = m, .mode = COPY_TILE, .at = {unit * (int32_t)below(seed, 3) * (int32_t)below(seed, 2)}};
    for (uint32_t d = 1; d < m->rank; d++)
        c->at[d] = (int32_t)below(seed, 6) - 2;
    return tw_tensor_copy_plan(c, m->rank, false, arena, &trouble) && c->extent <= WINDOW_BYTES / 2;
}

struct outcome {
    uint8_t *window;
    uint64_t digest;
    bool ok;
    struct tensor_trouble trouble;
};

static void compare(const struct tensor_map *map, const struct outcome *rows, const struct outcome *once, uint32_t number)
{
    assert_int_equal(rows->ok, once->ok);
    assert_int_equal(rows->digest, once->digest);
    assert_int_equal(rows->trouble.code, once->trouble.code);
    if (!rows->ok)
        assert_string_equal(rows->trouble.what, once->trouble.what);
    else if (memcmp(rows->window, once->window, WINDOW_BYTES) != 0)
        fail_msg("case %u: rank %u, box %u x %u, swizzle %s", number, map->rank, map->box[0], map->box[1], tw_tensor_map_swizzle(map->swizzle)->name);
}

static void boxes_at_once_are_boxes_row_by_row(void **state)
{
    struct bench_room *const room = *state;
    struct memory *const memory = tw_memory_new(0);
    const uint64_t address = tw_memory_alloc(memory, TENSOR_BYTES, "tensor");
    memcpy(tw_memory_at(memory, address, TENSOR_BYTES), random_bytes(&room->arena, TENSOR_BYTES, 1), TENSOR_BYTES);
    const uint8_t *const before = random_bytes(&room->arena, WINDOW_BYTES, 2);
    uint8_t *const windows[] = {tw_arena_alloc(&room->arena, WINDOW_BYTES, 1), tw_arena_alloc(&room->arena, WINDOW_BYTES, 1)};
    uint64_t seed = 7;
    uint32_t equal = 0, refused = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        const struct arena_mark mark = tw_arena_mark(&room->arena);
        const uint64_t from = address + (below(&seed, 20) == 0 ? TENSOR_BYTES - 16 * below(&seed, 64) : 16 * below(&seed, 64));
        const struct tensor_map map = draw_map(&seed, from);
        struct tensor_copy c;
        if (draw_copy(&c, &map, &seed, &room->arena)) {
            struct outcome o[2] = {{.window = windows[0]}, {.window = windows[1]}};
            const uint32_t offset = 1024 + 128 * below(&seed, 16);
            for (uint32_t k = 0; k < 2; k++) {
                const struct tensor_watch watch = {mix_access, &o[k].digest};
                memcpy(o[k].window, before, WINDOW_BYTES);
                o[k].ok = (k == 0 ? tw_tensor_load_rows : tw_tensor_load)(&c, memory, (struct tensor_shared){o[k].window, offset, 0}, &watch,
                                                                         &room->arena, &o[k].trouble);
            }
            compare(&map, &o[0], &o[1], i);
            equal += o[0].ok;
            refused += !o[0].ok;
        }
        tw_arena_rewind(&room->arena, mark);
    }
    assert_true(equal > 500 && refused > 20);
    tw_memory_free(memory);
}

/* ---- Operands behind descriptors ------------------------------------------------------------------ */

/* A digest of all events, order included. */
static void mix_event(void *context, const struct machine_event *event)
{
    uint64_t *const digest = context;
    *digest = (*digest ^ event->address ^ (uint64_t)event->bytes << 32) * UINT64_C(0x100000001b3);
}

struct stand {
    struct launch launch;
    struct cluster cluster;
    struct cta cta;
    struct tensor_pipe pipe;
    struct tensor_op op;
    struct tensor_inst inst;
};

static struct stand *open_stand(struct bench_room *room)
{
    struct stand *const s = arena_new(&room->arena, struct stand, 1);
    s->cluster = (struct cluster){.launch = &s->launch, .ctas = &s->cta, .cta_count = 1, .diags = &room->diags};
    s->cta = (struct cta){.cluster = &s->cluster, .shared = random_bytes(&room->arena, WINDOW_BYTES, 5), .shared_bytes = WINDOW_BYTES};
    s->pipe.cta = &s->cta;
    s->op.inst = &s->inst;
    s->inst.name = "tcgen05.mma";
    return s;
}

static struct smem_desc draw_desc(uint64_t *seed)
{
    struct smem_desc d = {.mode = (enum swizzle_mode)below(seed, SWIZZLE_MODE_COUNT)};
    const uint32_t period = tw_swizzle_mode_row(d.mode)->period_bytes, odd = below(seed, 3) == 0; /* strides off the pattern, too */
    d.start_bytes = 1024 + 16 * below(seed, 128);
    d.stride_bytes = odd ? 16 * below(seed, 128) : period * below(seed, 6);
    d.lead_bytes = odd ? 16 * below(seed, 128) : period * below(seed, 6);
    d.base_offset = (uint8_t)(below(seed, 4) == 0 ? below(seed, 8) : 0);
    d.lead_absolute = below(seed, 8) == 0 && d.mode == SWIZZLE_128B;
    return d;
}

static struct tensor_matrix draw_matrix(uint64_t *seed)
{
    static const struct { enum num_format format; unsigned container; bool k_major_only; } rows[] = {
        {NUM_F16, 16, false}, {NUM_BF16, 16, false}, {NUM_TF32, 32, false}, {NUM_E4M3, 8, false}, {NUM_S8, 8, false},
        {NUM_E2M3, 8, true},  {NUM_E2M1, 8, true},   {NUM_E2M1, 4, true}};
    const uint32_t r = below(seed, COUNT(rows));
    struct tensor_matrix m = {.format = rows[r].format, .container_bits = rows[r].container, .mn_major = !rows[r].k_major_only && below(seed, 2) != 0};
    m.first_row = below(seed, 3) == 0 ? below(seed, 64) : 0;
    m.rows = 8 * (1 + below(seed, 16));
    m.k = (256 / m.container_bits) * (1 + below(seed, 3)); /* 32 bytes of K; twice and three times that */
    return m;
}

typedef bool read_fn(const struct tensor_read *r, const struct smem_desc *desc, const struct tensor_matrix *m, const struct tensor_words *out);

static void read_operand(struct stand *s, read_fn *how, const struct smem_desc *desc, const struct tensor_matrix *m, uint64_t *digest, uint8_t *at)
{
    const struct machine_observer observer = {.event = mix_event, .context = digest};
    const struct tensor_read read = {&s->pipe, &s->op, &s->cta, "A"};
    const struct tensor_words out = {.at = at, .word_bytes = tw_tensor_word_bytes(m), .row_stride = m->mn_major ? 1 : m->k,
                                     .step = m->mn_major ? m->rows : 1};
    s->cluster.observer = digest != NULL ? &observer : NULL;
    assert_true(how(&read, desc, m, &out));
    s->cluster.observer = NULL;
}

/* Inside the window by the address functions alone, for every element. */
static bool fits(const struct smem_desc *desc, const struct tensor_matrix *m)
{
    for (uint32_t row = m->first_row; row < m->first_row + m->rows + 16; row++)
        for (uint32_t k = 0; k < m->k; k++) {
            const uint32_t at = m->mn_major ? tw_smem_mn_addr(desc, m->container_bits / 8, row, k) : tw_smem_k_addr(desc, row, k * m->container_bits / 8);
            if (at < TW_SHARED_RESERVED_BYTES || at + 16 > WINDOW_BYTES)
                return false;
        }
    return true;
}

static void operands_at_once_are_operands_unit_by_unit(void **state)
{
    struct bench_room *const room = *state;
    struct stand *const s = open_stand(room);
    enum { MOST = 64 * 1024 };
    uint8_t *const by_units = tw_arena_alloc(&room->arena, MOST, 1), *const at_once = tw_arena_alloc(&room->arena, MOST, 1);
    uint64_t seed = 11;
    uint32_t compared = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        const struct smem_desc desc = draw_desc(&seed);
        const struct tensor_matrix m = draw_matrix(&seed);
        if (!fits(&desc, &m))
            continue;
        const size_t bytes = (size_t)m.rows * m.k * tw_tensor_word_bytes(&m);
        uint64_t digests[2] = {0, 0};
        memset(by_units, 0xaa, bytes);
        read_operand(s, tw_tensor_read_units, &desc, &m, &digests[0], by_units);
        for (uint32_t watched = 0; watched < 2; watched++) {
            memset(at_once, 0x55, bytes);
            read_operand(s, tw_tensor_read_shared, &desc, &m, watched ? &digests[1] : NULL, at_once);
            if (memcmp(by_units, at_once, bytes) != 0)
                fail_msg("case %u: %s, %u bits, %s-major, mode %s", i, tw_num_format(m.format)->name, m.container_bits,
                         m.mn_major ? "MN" : "K", tw_swizzle_mode_row(desc.mode)->name);
        }
        assert_int_equal(digests[0], digests[1]); /* an observer sees the same units in the same order */
        compared++;
    }
    assert_true(compared > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(boxes_at_once_are_boxes_row_by_row),
        ROOM_TEST(operands_at_once_are_operands_unit_by_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
