/* Triton's matrix products (corpus/triton): small quarters and integers, whose products and sums every format and every order of
 * summation gives exactly, so the plain product is the expected value bit for bit. */
#include "rig.h"

enum element { ELEMENT_F16, ELEMENT_BF16, ELEMENT_F32, ELEMENT_I8, ELEMENT_E4M3, ELEMENT_E5M2 };

struct gemm {
    const char *file, *entry;
    enum element element;
    uint32_t m, n, k, grid[2], block, shared;
    bool tile; /* gl_mma_tile: three pointers, no strides */
};

static const struct gemm gemms[] = {
    {"matmul_f16_64x64.sm_80", "matmul", ELEMENT_F16, 128, 128, 128, {2, 2}, 128, 16384, false},
    {"matmul_f16.sm_80", "matmul", ELEMENT_F16, 256, 128, 256, {2, 2}, 128, 49152, false},
    {"matmul_bf16.sm_80", "matmul", ELEMENT_BF16, 256, 128, 256, {2, 2}, 128, 49152, false},
    {"matmul_tf32.sm_80", "matmul", ELEMENT_F32, 256, 128, 128, {2, 2}, 128, 49152, false},
    {"matmul_i8.sm_80", "matmul", ELEMENT_I8, 256, 128, 256, {2, 2}, 128, 24576, false},
    {"matmul_f16.sm_100", "matmul", ELEMENT_F16, 256, 128, 256, {2, 2}, 128, 73744, false},
    {"matmul_bf16.sm_100", "matmul", ELEMENT_BF16, 256, 128, 256, {2, 2}, 128, 73744, false},
    {"matmul_tf32.sm_100", "matmul", ELEMENT_F32, 256, 128, 128, {2, 2}, 128, 73744, false},
    {"matmul_i8.sm_100", "matmul", ELEMENT_I8, 256, 128, 256, {2, 2}, 128, 24576, false},
    {"matmul_f16_64x64.sm_100", "matmul", ELEMENT_F16, 128, 128, 128, {2, 2}, 128, 24592, false},
    {"matmul_e4m3.sm_100", "matmul", ELEMENT_E4M3, 256, 128, 512, {2, 2}, 128, 73744, false},
    {"matmul_e5m2.sm_100", "matmul", ELEMENT_E5M2, 256, 128, 512, {2, 2}, 128, 73744, false},
    {"matmul_f16_128x256_8w.sm_100", "matmul", ELEMENT_F16, 256, 512, 256, {2, 2}, 256, 147472, false},
    {"gl_mma_tile_a_tmem.sm_100", "gl_mma_tile", ELEMENT_F16, 128, 64, 64, {1, 1}, 128, 12296, true},
    {"gl_mma_tile.sm_100", "gl_mma_tile", ELEMENT_F16, 128, 64, 64, {1, 1}, 128, 24584, true},
};

static unsigned element_bytes(enum element e)
{
    return e == ELEMENT_F32 ? 4 : e == ELEMENT_F16 || e == ELEMENT_BF16 ? 2 : 1;
}

/* A multiple of a quarter between -1 and 1 (integers: of one, between -4 and 4), in the element's format. */
static void put_element(enum element e, void *at, uint32_t i, int quarters)
{
    static const uint16_t f16[] = {0, 0x3400, 0x3800, 0x3a00, 0x3c00}; /* 0, 1/4, 1/2, 3/4, 1 */
    static const uint8_t e4m3[] = {0, 0x28, 0x30, 0x34, 0x38}, e5m2[] = {0, 0x34, 0x38, 0x3a, 0x3c};
    static const uint16_t bf16[] = {0, 0x3e80, 0x3f00, 0x3f40, 0x3f80};
    const unsigned magnitude = (unsigned)(quarters < 0 ? -quarters : quarters);
    const uint16_t sign = (uint16_t)(quarters < 0 ? 0x8000u : 0u);
    if (e == ELEMENT_F16)
        ((uint16_t *)at)[i] = (uint16_t)(f16[magnitude] | sign);
    else if (e == ELEMENT_BF16)
        ((uint16_t *)at)[i] = (uint16_t)(bf16[magnitude] | sign);
    else if (e == ELEMENT_F32)
        ((float *)at)[i] = (float)quarters * 0.25f;
    else if (e == ELEMENT_I8)
        ((int8_t *)at)[i] = (int8_t)quarters;
    else
        ((uint8_t *)at)[i] = (uint8_t)((e == ELEMENT_E4M3 ? e4m3 : e5m2)[magnitude] | sign >> 8);
}

static void fill(enum element e, void *at, int8_t *quarters, uint32_t count, uint32_t seed)
{
    for (uint32_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        quarters[i] = (int8_t)((int)(seed >> 16) % 9 - 4);
        put_element(e, at, i, quarters[i]);
    }
}

static void check_product(const struct gemm *g, const void *c, const int8_t *a, const int8_t *b)
{
    for (uint32_t i = 0; i < g->m; i++)
        for (uint32_t j = 0; j < g->n; j++) {
            int32_t sum = 0;
            for (uint32_t k = 0; k < g->k; k++)
                sum += a[i * g->k + k] * b[k * g->n + j];
            const bool right = g->element == ELEMENT_I8 ? ((const int32_t *)c)[i * g->n + j] == sum
                                                        : ((const float *)c)[i * g->n + j] == (float)sum / 16.0f;
            if (!right)
                fail_msg("%s: element (%u, %u)", g->file, i, j);
        }
}

/* False when the file is not there. */
static bool run_gemm(struct bench_room *room, const struct gemm *g, uint64_t seed)
{
    const char *const text = rig_shared_file(room, tw_format(&room->arena, "corpus/triton/ptx/%s.ptx", g->file));
    if (text == NULL)
        return false;
    struct rig rig;
    rig_load(&rig, room, "gemm.ptx", text);
    struct { uint64_t a, b, c; int32_t k, lda, ldb, ldc; uint64_t scratch[2]; } params = {.k = (int32_t)g->k, .lda = (int32_t)g->k, .ldb = (int32_t)g->n, .ldc = (int32_t)g->n};
    struct { uint64_t a, b, c, scratch[2]; } short_params = {0};
    int8_t *const qa = tw_arena_alloc(&room->arena, g->m, g->k), *const qb = tw_arena_alloc(&room->arena, g->k, g->n);
    params.a = tw_memory_alloc(rig.memory, (uint64_t)g->m * g->k * element_bytes(g->element), "a");
    params.b = tw_memory_alloc(rig.memory, (uint64_t)g->k * g->n * element_bytes(g->element), "b");
    params.c = tw_memory_alloc(rig.memory, (uint64_t)g->m * g->n * 4, "c");
    fill(g->element, rig_host(&rig, params.a), qa, g->m * g->k, 1);
    fill(g->element, rig_host(&rig, params.b), qb, g->k * g->n, 2);
    short_params.a = params.a, short_params.b = params.b, short_params.c = params.c;
    rig_must_run(&rig, g->entry,
                 (struct launch_spec){.grid = {g->grid[0], g->grid[1]}, .block = {g->block}, .dynamic_shared_bytes = g->shared, .seed = seed,
                                      .params = g->tile ? (const void *)&short_params : &params,
                                      .param_bytes = g->tile ? sizeof short_params : sizeof params});
    check_product(g, rig_host(&rig, params.c), qa, qb);
    rig_end(&rig);
    return true;
}

static void every_compiled_product_is_the_plain_product(void **state)
{
    for (size_t i = 0; i < COUNT(gemms); i++)
        if (!run_gemm(*state, &gemms[i], i))
            skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {ROOM_TEST(every_compiled_product_is_the_plain_product)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
