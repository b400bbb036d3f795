/* The product that make bench times (bench/gemm_tcgen05.ptx), at a small size: every element, on any number of host threads, at
 * every seed the same; and that the machine allocates nothing once a kernel is under way. */
#include "rig.h"

#include "isa/tensor_map.h"
#include "machine/run.h"
#include "num/tile.h"

enum { M = 256, N = 512, K = 320, BLOCKS = K / 64, DYNAMIC_BYTES = 4 * 49152 };

struct product {
    struct rig rig;
    const uint16_t *a, *b;
    uint32_t *c;
    struct { /* the parameter block, as the entry declares it */
        uint8_t map_a[TENSOR_MAP_BYTES], map_b[TENSOR_MAP_BYTES];
        uint64_t c;
        uint32_t row_words, blocks;
    } params;
};

static const char *kernel_of_bench(struct bench_room *room)
{
    enum { MOST = 1 << 15 };
    char *const text = tw_arena_alloc(&room->arena, MOST, 1);
    FILE *const f = fopen("bench/gemm_tcgen05.ptx", "rb");
    assert_non_null(f);
    assert_true(fread(text, 1, MOST - 1, f) > 0);
    fclose(f);
    return text;
}

/* Numbers of both signs and every exponent, some subnormal. */
static const uint16_t *make_operand(struct product *p, uint64_t *address, uint32_t rows, uint64_t seed)
{
    *address = tw_memory_alloc(p->rig.memory, (uint64_t)rows * K * 2, "operand");
    uint16_t *const words = rig_host(&p->rig, *address);
    for (uint32_t i = 0; i < rows * K; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1;
        words[i] = (uint16_t)(seed >> 40 & (seed >> 60 == 0 ? 0x83ff : 0xbfff));
    }
    return words;
}

static void make_map(struct bench_room *room, uint64_t address, uint32_t rows, uint32_t box_rows, uint8_t bytes[TENSOR_MAP_BYTES])
{
    struct tensor_map_fault fault;
    const struct tensor_map map = {.mode = TMAP_TILE, .type = TMAP_F16, .rank = 2, .address = address, .dims = {K, rows}, .strides = {0, K * 2},
                                   .box = {64, box_rows}, .element_strides = {1, 1}, .swizzle = TMAP_SWIZZLE_128B};
    assert_true(tw_tensor_map_encode(&map, 100, &room->arena, bytes, &fault));
}

static struct product *open_product(struct bench_room *room)
{
    struct product *const p = test_malloc(sizeof *p);
    memset(p, 0, sizeof *p);
    uint64_t a, b;
    rig_load(&p->rig, room, "gemm.ptx", kernel_of_bench(room));
    p->a = make_operand(p, &a, M, 1);
    p->b = make_operand(p, &b, N, 2);
    p->params.c = tw_memory_alloc(p->rig.memory, M * N * 4, "c");
    p->c = rig_host(&p->rig, p->params.c);
    make_map(room, a, M, 128, p->params.map_a);
    make_map(room, b, N, 256, p->params.map_b);
    p->params.row_words = N;
    p->params.blocks = BLOCKS;
    return p;
}

static void close_product(struct product *p)
{
    rig_end(&p->rig);
    test_free(p);
}

static struct launch_spec spec_of(const struct product *p, uint32_t threads, uint64_t seed)
{
    return (struct launch_spec){.grid = {N / 256, M / 128}, .block = {192}, .dynamic_shared_bytes = DYNAMIC_BYTES, .params = &p->params,
                                .param_bytes = (uint32_t)((const uint8_t *)(&p->params.blocks + 1) - (const uint8_t *)&p->params),
                                .threads = threads, .seed = seed};
}

static void the_product_is_that_of_the_definition(void **state)
{
    struct product *const p = open_product(*state);
    struct bench_room *const room = *state;
    size_t count;
    uint32_t *const want = arena_new(&room->arena, uint32_t, M * N);
    const struct num_dot_how how = {.a = NUM_F16, .b = NUM_F16, .d = NUM_F32};
    const struct num_tile_job job = {
        .model = tw_num_dot_model(NUM_BLACKWELL, NUM_TCGEN05, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32), .how = &how, .m = 8, .n = N, .k = K,
        .k_step = 16, .a = {p->a, 2, K, 1}, .b = {p->b, 2, K, 1}, .d = want, .d_word_bytes = 4, .d_row_stride = N, .d_step = 1};
    struct num_tile_job part = job;
    for (uint32_t row = 0; row < M; row += 120) { /* eight rows of each: the definition takes its time */
        part.a.words = p->a + row * K;
        part.d = want + row * N;
        tw_num_tile_implementations(&count)[0].run(&part);
    }
    for (uint32_t threads = 1; threads <= 4; threads++) {
        memset(p->c, 0xff, M * N * 4);
        rig_must_run(&p->rig, "gemm", spec_of(p, threads, threads * 77));
        for (uint32_t row = 0; row < M; row += 120)
            assert_memory_equal(p->c + row * N, want + row * N, 8 * N * 4);
    }
    close_product(p);
}

/* ---- No allocation while executing ----------------------------------------------------------------- */

static uint64_t held(const struct launch *l)
{
    uint64_t bytes = l->arena.used_bytes;
    for (uint32_t i = 0; i < l->resident_count; i++)
        bytes += l->residents[i].cluster == NULL ? 0 : l->residents[i].cluster->arena.used_bytes;
    return bytes;
}

/* After `warm` instructions, in which queues have grown as long as they get, the launch holds as much as after `more`. */
static void assert_nothing_allocated(struct bench_room *room, const struct rig *rig, const char *entry, const struct launch_spec *spec, uint64_t warm,
                                     uint64_t more)
{
    struct launch *const l = tw_launch_new(rig->program, entry, spec, &room->diags);
    assert_non_null(l);
    assert_int_equal(tw_launch_step(l, warm), LAUNCH_RUNNING);
    const uint64_t before = held(l);
    assert_true(before != 0);
    assert_int_equal(tw_launch_step(l, more), LAUNCH_RUNNING);
    assert_int_equal(held(l), before);
    tw_launch_free(l);
}

static void a_running_product_allocates_nothing(void **state)
{
    struct product *const p = open_product(*state);
    struct launch_spec spec = spec_of(p, 1, 0);
    spec.grid[0] = spec.grid[1] = 1;
    p->params.blocks = 8192; /* beyond the tensors there are zeros */
    assert_nothing_allocated(*state, &p->rig, "gemm", &spec, 3000, 40000);
    close_product(p);
}

static void a_running_loop_allocates_nothing(void **state)
{
    static const char text[] =
        ".version 8.8\n.target sm_90a\n.address_size 64\n.shared .align 16 .b8 box[4096];\n.visible .entry k(.param .u64 out)\n{\n"
        ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %q<4>;\nld.param.u64 %q1, [out];\nmov.u32 %r1, %tid.x;\nmad.wide.u32 %q2, %r1, 4, %q1;\n"
        "shl.b32 %r2, %r1, 2;\nmov.u32 %r3, box;\nadd.u32 %r3, %r3, %r2;\n"
        "L: ld.global.u32 %r4, [%q2];\nst.shared.u32 [%r3], %r4;\nbar.sync 0;\nld.shared.u32 %r5, [%r3];\nshfl.sync.bfly.b32 %r5, %r5, 1, 31, -1;\n"
        "and.b32 %r6, %r1, 3;\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 bra ODD;\nadd.u32 %r5, %r5, 3;\nODD: atom.global.add.u32 %r7, [%q2], %r5;\n"
        "bar.sync 0;\nbra.uni L;\n}\n";
    struct bench_room *const room = *state;
    struct rig rig;
    rig_load(&rig, room, "k.ptx", text);
    const uint64_t out = tw_memory_alloc(rig.memory, 4096, "out");
    const struct launch_spec spec = {.grid = {2}, .block = {128}, .params = &out, .param_bytes = 8};
    assert_nothing_allocated(room, &rig, "k", &spec, 20000, 500000);
    rig_end(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_product_is_that_of_the_definition),
        ROOM_TEST(a_running_product_allocates_nothing),
        ROOM_TEST(a_running_loop_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
