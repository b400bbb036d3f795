/* What is moved at once equals what is moved piece by piece, bit for bit, on drawn shapes: boxes of tensor maps, and operands
 * behind shared memory descriptors. The pieces are what an observer sees, so that watching chooses the way. */
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

static void count_access(void *context, enum space space, uint64_t address, uint32_t bytes, bool read, bool write)
{
    (void)space, (void)address, (void)bytes, (void)read, (void)write;
    ++*(uint64_t *)context;
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

static void boxes_at_once_are_boxes_row_by_row(void **state)
{
    struct bench_room *const room = *state;
    struct memory *const memory = tw_memory_new(0);
    const uint64_t address = tw_memory_alloc(memory, TENSOR_BYTES, "tensor");
    memcpy(tw_memory_at(memory, address, TENSOR_BYTES), random_bytes(&room->arena, TENSOR_BYTES, 1), TENSOR_BYTES);
    const uint8_t *const before = random_bytes(&room->arena, WINDOW_BYTES, 2);
    uint8_t *const windows[] = {tw_arena_alloc(&room->arena, WINDOW_BYTES, 1), tw_arena_alloc(&room->arena, WINDOW_BYTES, 1)};
    uint64_t seed = 7, watched = 0;
    uint32_t equal = 0, refused = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        const struct arena_mark mark = tw_arena_mark(&room->arena);
        const uint64_t from = address + (below(&seed, 20) == 0 ? TENSOR_BYTES - 16 * below(&seed, 64) : 16 * below(&seed, 64));
        const struct tensor_map map = draw_map(&seed, from);
        struct tensor_copy c;
        struct tensor_trouble trouble[2] = {{0}};
        if (!draw_copy(&c, &map, &seed, &room->arena)) {
            tw_arena_rewind(&room->arena, mark);
            continue;
        }
        memcpy(windows[0], before, WINDOW_BYTES);
        memcpy(windows[1], before, WINDOW_BYTES);
        const struct tensor_watch watch = {count_access, &watched};
        const uint32_t offset = 1024 + 128 * below(&seed, 16);
        const bool by_rows = tw_tensor_load(&c, memory, (struct tensor_shared){windows[0], offset, 0}, &watch, &room->arena, &trouble[0]);
        const bool at_once = tw_tensor_load(&c, memory, (struct tensor_shared){windows[1], offset, 0}, NULL, &room->arena, &trouble[1]);
        assert_int_equal(by_rows, at_once);
        assert_int_equal(trouble[0].code, trouble[1].code);
        if (by_rows && memcmp(windows[0], windows[1], WINDOW_BYTES) != 0)
            fail_msg("case %u: rank %u, box %u x %u, swizzle %s", i, map.rank, map.box[0], map.box[1], tw_tensor_map_swizzle(map.swizzle)->name);
        if (!by_rows)
            assert_string_equal(trouble[0].what, trouble[1].what);
        equal += by_rows;
        refused += !by_rows;
        tw_arena_rewind(&room->arena, mark);
    }
    assert_true(equal > 500 && refused > 20 && watched > equal);
    tw_memory_free(memory);
}

/* ---- Operands behind descriptors ------------------------------------------------------------------ */

static void count_event(void *context, const struct machine_event *event)
{
    (void)event;
    ++*(uint64_t *)context;
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

static bool read_operand(struct stand *s, const struct smem_desc *desc, const struct tensor_matrix *m, bool watched, uint64_t *events, uint8_t *at)
{
    const struct machine_observer observer = {.event = count_event, .context = events};
    const struct tensor_read read = {&s->pipe, &s->op, &s->cta, "A"};
    const struct tensor_words out = {.at = at, .word_bytes = tw_tensor_word_bytes(m), .row_stride = m->mn_major ? 1 : m->k,
                                     .step = m->mn_major ? m->rows : 1};
    s->cluster.observer = watched ? &observer : NULL;
    const bool ok = tw_tensor_read_shared(&read, desc, m, &out);
    s->cluster.observer = NULL;
    return ok;
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
    uint64_t seed = 11, events = 0;
    uint32_t compared = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        const struct smem_desc desc = draw_desc(&seed);
        const struct tensor_matrix m = draw_matrix(&seed);
        if (!fits(&desc, &m))
            continue;
        const size_t bytes = (size_t)m.rows * m.k * tw_tensor_word_bytes(&m);
        memset(by_units, 0xaa, bytes);
        memset(at_once, 0x55, bytes);
        assert_true(read_operand(s, &desc, &m, true, &events, by_units));
        assert_true(read_operand(s, &desc, &m, false, &events, at_once));
        if (memcmp(by_units, at_once, bytes) != 0)
            fail_msg("case %u: %s, %u bits, %s-major, mode %s", i, tw_num_format(m.format)->name, m.container_bits, m.mn_major ? "MN" : "K",
                     tw_swizzle_mode_row(desc.mode)->name);
        compared++;
    }
    assert_true(compared > 5000 && events > compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(boxes_at_once_are_boxes_row_by_row),
        ROOM_TEST(operands_at_once_are_operands_unit_by_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
