/* A whole product on the machine: bench/gemm_tcgen05.ptx, f16 by f16 into f32, with TMA, mbarriers and tcgen05.
 *
 *     gemm_bench SIZE...       products of SIZE cubed, on one host thread and on two
 *
 * SIZE is a multiple of 256. Operands are uniform in (-2, 2), all significands. A sample of the elements is compared with the
 * scalar definition of the arithmetic (the first implementation of num/tile.h), bit for bit. */
#include "bench/guest.h"

#include "isa/tensor_map.h"
#include "num/tile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILE_M = 128, TILE_N = 256, TILE_K = 64, STAGES = 4, STAGE_BYTES = (TILE_M + TILE_N) * TILE_K * 2, THREADS = 192, SAMPLES = 256 };

/* Seconds on two host threads that a product may take. */
static const struct goal {
    unsigned size;
    double seconds;
} goals[] = {{1024, 1}, {4096, 20}};

struct product {
    struct guest guest;
    unsigned size;
    uint16_t *a, *b;
    uint32_t *c;
    /* The parameter block, as the entry declares it. */
    struct {
        _Alignas(64) uint8_t map_a[TENSOR_MAP_BYTES], map_b[TENSOR_MAP_BYTES];
        uint64_t c;
        uint32_t row_words, blocks;
    } params;
    struct launch_spec spec;
};

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Exponents fall off as those of a uniform number do. */
static void fill(uint16_t *words, size_t count, uint64_t rng)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t r = next(&rng);
        const unsigned down = (unsigned)__builtin_ctzll(r | 1u << 14);
        words[i] = (uint16_t)(r >> 63 << 15 | (15 - down) << 10 | (r >> 32 & 0x3ff));
    }
}

static void make_map(struct product *p, uint64_t address, uint32_t box_rows, uint8_t bytes[TENSOR_MAP_BYTES])
{
    struct tensor_map_fault fault;
    const struct tensor_map map = {.mode = TMAP_TILE, .type = TMAP_F16, .rank = 2, .address = address, .dims = {p->size, p->size},
                                   .strides = {0, (uint64_t)p->size * 2}, .box = {TILE_K, box_rows}, .element_strides = {1, 1},
                                   .swizzle = TMAP_SWIZZLE_128B};
    if (tw_tensor_map_encode(&map, 100, &p->guest.arena, bytes, &fault))
        return;
    fprintf(stderr, "gemm_bench: the tensor map is refused: %s\n", tw_tensor_map_fault_field(&fault, &p->guest.arena));
    exit(1);
}

static void open_product(struct product *p, struct landing *landing, const char *text, unsigned size)
{
    const uint64_t cells = (uint64_t)size * size;
    void *a, *b, *c;
    memset(p, 0, sizeof *p);
    guest_open(&p->guest, landing, "bench/gemm_tcgen05.ptx", text);
    p->size = size;
    const uint64_t at_a = guest_alloc(&p->guest, 2 * cells, &a), at_b = guest_alloc(&p->guest, 2 * cells, &b);
    p->params.c = guest_alloc(&p->guest, 4 * cells, &c);
    p->a = a, p->b = b, p->c = c;
    fill(p->a, cells, 1);
    fill(p->b, cells, 2);
    make_map(p, at_a, TILE_M, p->params.map_a);
    make_map(p, at_b, TILE_N, p->params.map_b);
    p->params.row_words = size;
    p->params.blocks = size / TILE_K;
    p->spec = (struct launch_spec){.grid = {size / TILE_N, size / TILE_M}, .block = {THREADS}, .dynamic_shared_bytes = STAGES * STAGE_BYTES,
                                   .params = &p->params, .param_bytes = (uint32_t)((uint8_t *)(&p->params.blocks + 1) - (uint8_t *)&p->params)};
}

/* Elements whose words are those of the definition, of SAMPLES drawn ones. */
static unsigned count_right(const struct product *p)
{
    size_t count;
    const struct num_tile_implementation *const definition = &tw_num_tile_implementations(&count)[0];
    const struct num_dot_how how = {.a = NUM_F16, .b = NUM_F16, .d = NUM_F32};
    uint64_t rng = 3;
    unsigned right = 0;
    for (unsigned i = 0; i < SAMPLES; i++) {
        const size_t row = next(&rng) % p->size, column = next(&rng) % p->size;
        uint32_t want = 0;
        const struct num_tile_job job = {
            .model = tw_num_dot_model(NUM_BLACKWELL, NUM_TCGEN05, NUM_PLAIN, NUM_F16, NUM_F16, NUM_F32), .how = &how,
            .m = 1, .n = 1, .k = p->size, .k_step = 16,
            .a = {p->a + row * p->size, 2, p->size, 1}, .b = {p->b + column * p->size, 2, p->size, 1},
            .d = &want, .d_word_bytes = 4, .d_row_stride = 1, .d_step = 1};
        definition->run(&job);
        right += p->c[row * p->size + column] == want;
    }
    return right;
}

static double goal_of(unsigned size)
{
    for (size_t i = 0; i < sizeof goals / sizeof goals[0]; i++)
        if (goals[i].size == size)
            return goals[i].seconds;
    return 0;
}

/* Small ones run several times for the best. */
static unsigned runs_of(const struct product *p)
{
    return p->size > 2048 ? 1 : 3;
}

static struct cost run_product(struct product *p, unsigned threads)
{
    struct cost best = {1e9, 1e9, 0, 0};
    p->spec.threads = threads;
    for (unsigned i = 0; i < runs_of(p); i++) {
        memset(p->c, 0xff, (size_t)p->size * p->size * sizeof *p->c);
        best = cost_best(best, guest_run(&p->guest, "gemm", &p->spec));
    }
    return best;
}

/* As the command runs it unless --no-hazards is given. */
static void measure_hazards(struct product *p, struct cost bare)
{
    struct cost best = {1e9, 1e9, 0, 0};
    p->spec.threads = 1;
    for (unsigned i = 0; i < runs_of(p); i++)
        best = cost_best(best, guest_run_detecting(&p->guest, "gemm", &p->spec));
    printf("%4u cubed, with the detector of hazards: %.3f s of the processors, %.2f of the rate without it\n", p->size, best.cpu, bare.cpu / best.cpu);
}

static int measure(struct landing *landing, const char *text, unsigned size)
{
    struct product p;
    open_product(&p, landing, text, size);
    struct cost cost[2];
    unsigned right = 0;
    const double products = (double)size * size * size;
    for (unsigned threads = 1; threads <= 2; threads++) {
        const struct cost c = cost[threads - 1] = run_product(&p, threads);
        const double goal = threads == 2 ? goal_of(size) : 0;
        const unsigned now_right = count_right(&p);
        right += now_right;
        printf("%4u cubed, %u host thread%s  %8.3f s by the clock%s  %8.3f s of the processors  %6.2f G multiply-adds a processor second; "
               "%u of %u elements sampled are right\n",
               size, threads, threads == 1 ? " " : "s", c.wall, goal != 0 && c.wall > goal ? " <" : "", c.cpu, products / c.cpu * 1e-9,
               now_right, (unsigned)SAMPLES);
        fflush(stdout);
    }
    printf("%4u cubed, two host threads against one: %.2f times by the clock, %.2f times the processor time\n", size,
           cost[0].wall / cost[1].wall, cost[1].cpu / cost[0].cpu);
    measure_hazards(&p, cost[0]);
    guest_close(&p.guest);
    return right == 2 * SAMPLES ? 0 : 1;
}

static char *read_text(const char *path)
{
    enum { MOST = 1 << 20 };
    FILE *const f = fopen(path, "rb");
    char *const text = f == NULL ? NULL : calloc(1, MOST);
    if (text != NULL && fread(text, 1, MOST - 1, f) == 0)
        text[0] = 0;
    if (f != NULL)
        fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    struct landing landing;
    char *const text = read_text("bench/gemm_tcgen05.ptx");
    int failed = 0;
    if (text == NULL || argc < 2) {
        fprintf(stderr, text == NULL ? "gemm_bench: bench/gemm_tcgen05.ptx is not here\n" : "usage: gemm_bench SIZE...\n");
        return 2;
    }
    if (setjmp(landing.at) != 0) {
        fprintf(stderr, "gemm_bench: no memory\n");
        return 1;
    }
    for (int i = 1; i < argc; i++) {
        const unsigned long size = strtoul(argv[i], NULL, 10);
        if (size == 0 || size % TILE_N != 0 || size > 16384) {
            fprintf(stderr, "gemm_bench: '%s' is no multiple of %d up to 16384\n", argv[i], TILE_N);
            return 2;
        }
        failed += measure(&landing, text, (unsigned)size);
    }
    free(text);
    return failed != 0;
}
