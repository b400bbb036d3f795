/* wgmma.mma_async of tile.apply on the machine: every class of types, A in registers and in shared memory, both orders, every
 * swizzle, signs, repeats, an accumulator that is read and one that is not, single bits, a sparse A. Operands are small
 * integers, so that plain sums are exact; nvcc's PTX must leave the same bytes.
 * SOURCE: kernel-language-tile 7.3; ptx-async 2. */
#include "api/movement.h"

#include "api/nvcc.h"
#include "examples/numbers.h"

struct product {
    const char *types;            /* behind mNkK: "f32.f16.f16" */
    const char *a_dtype, *b_dtype, *d_dtype;
    enum example_format a, b, d;
    int n, k, steps, m_repeat, n_repeat;
    int mode;                     /* swizzle of the shared operands */
    bool registers, a_mn, b_mn, neg_a, neg_b, accum;
};

static const struct product products[] = {
    {"f32.f16.f16", "float16", "float16", "float32", EX_F16, EX_F16, EX_F32, 64, 16, 4, 1, 1, 3, false, false, false, false, false, false},
    {"f32.f16.f16", "float16", "float16", "float32", EX_F16, EX_F16, EX_F32, 8, 16, 2, 2, 2, 2, true, false, false, false, true, true},
    {"f16.f16.f16", "float16", "float16", "float16", EX_F16, EX_F16, EX_F16, 32, 16, 1, 1, 1, 1, false, false, false, true, false, true},
    {"f16.f16.f16", "float16", "float16", "float16", EX_F16, EX_F16, EX_F16, 16, 16, 1, 1, 2, 0, true, false, false, false, false, false},
    {"f32.bf16.bf16", "bfloat16", "bfloat16", "float32", EX_BF16, EX_BF16, EX_F32, 256, 16, 1, 1, 1, 0, false, false, false, false, false, false},
    {"f32.bf16.bf16", "bfloat16", "bfloat16", "float32", EX_BF16, EX_BF16, EX_F32, 128, 16, 4, 1, 1, 3, false, true, true, false, false, true},
    {"f32.f16.f16", "float16", "float16", "float32", EX_F16, EX_F16, EX_F32, 64, 16, 2, 1, 1, 2, false, true, false, true, true, false},
    {"f32.f16.f16", "float16", "float16", "float32", EX_F16, EX_F16, EX_F32, 64, 16, 1, 1, 1, 1, true, false, true, false, false, false},
    {"f32.f16.f16", "float16", "float16", "float32", EX_F16, EX_F16, EX_F32, 16, 16, 1, 1, 1, 0, false, true, true, false, false, false},
    {"f32.tf32.tf32", "float32", "float32", "float32", EX_F32, EX_F32, EX_F32, 40, 8, 4, 1, 1, 3, false, false, false, false, false, true},
    {"f32.tf32.tf32", "float32", "float32", "float32", EX_F32, EX_F32, EX_F32, 24, 8, 1, 1, 1, 1, true, false, false, true, false, false},
    {"f32.e4m3.e5m2", "float8_e4m3fn", "float8_e5m2", "float32", EX_E4M3, EX_E5M2, EX_F32, 64, 32, 2, 1, 1, 2, false, false, false, false, false, false},
    {"f16.e5m2.e5m2", "float8_e5m2", "float8_e5m2", "float16", EX_E5M2, EX_E5M2, EX_F16, 16, 32, 1, 1, 1, 1, true, false, false, false, false, true},
    {"s32.s8.u8", "int8", "uint8", "int32", EX_S8, EX_U8, EX_S32, 48, 32, 4, 1, 2, 3, false, false, false, false, false, true},
    {"satfinite.s32.u8.s8", "uint8", "int8", "int32", EX_U8, EX_S8, EX_S32, 224, 32, 1, 1, 1, 1, true, false, false, false, false, false},
};

#define HEAD                                                                                                  \
    "from tvm.script import tirx as T\nfrom tvm.backend.cuda.layout import mma_shared_layout\n"                \
    "Lane, Warp, Group = T.cuda.Axis.laneid, T.cuda.Axis.wid_in_wg, T.cuda.Axis.wgid\n@T.function\n"

/* D and A seen by lanes: the fragments of ptx-async 2.2, written out for the kernel. */
static const char *d_fragment(struct bench_room *room, const struct product *p)
{
    return tw_format(&room->arena, "T.TileLayout(T.S[(%d, 4, 2, 8, %d, %d, 4, 2) : (%d, 1 @ Warp, 2, 4 @ Lane, %d, 4, 1 @ Lane, 1)])", p->m_repeat,
                     p->n_repeat, p->n / 8, p->n / 2 * p->n_repeat, p->n / 2);
}

static const char *a_fragment(struct bench_room *room, const struct product *p)
{
    const int bits = (int)tw_example_bytes(p->a, 8), each = 32 / bits; /* of an element; in a word */
    return tw_format(&room->arena, "T.TileLayout(T.S[(%d, 4, 2, 8, %d, 2, 4, %d) : (%d, 1 @ Warp, %d, 4 @ Lane, %d, %d, 1 @ Lane, 1)])", p->m_repeat,
                     p->steps, each, p->steps * 4 * each, each, 4 * each, 2 * each);
}

/* The shared tensor, stored (rows, K), or (K, rows) where it is MN-major, and its view with repeats. */
static const char *shared(struct bench_room *room, const struct product *p, const char *name, const char *dtype, int rows, bool mn)
{
    const char *shape = mn ? tw_format(&room->arena, "(%d, %d)", p->k * p->steps, rows) : tw_format(&room->arena, "(%d, %d)", rows, p->k * p->steps);
    return tw_format(&room->arena, "    s%s = T.alloc_shared(%s, \"%s\", layout=mma_shared_layout(\"%s\", %d, %s), align=1024)\n", name, shape, dtype,
                     dtype, p->mode, shape);
}

static const char *fill(struct bench_room *room, const struct product *p, const char *name, int rows, bool mn)
{
    const char *at = mn ? "e % K, e // K" : "e // K, e % K";
    return tw_format(&room->arena,
                     "    for i in range(%d):\n        e = 128 * i + t\n        if e < %d:\n            s%s[%s] = %s[e // K, e %% K]\n",
                     (rows * p->k * p->steps + 127) / 128, rows * p->k * p->steps, name, at, name);
}

static const char *split(struct bench_room *room, const struct product *p, const char *name, int rows, bool mn)
{
    return tw_format(&room->arena, "s%s%s.rearrange(\"(q m) (r k) -> q r m k\", m=%d, k=%d)", name, mn ? ".permute(1, 0)" : "", rows, p->k);
}

static const char *program(struct bench_room *room, const struct product *p)
{
    const int k = p->k * p->steps, m = 64 * p->m_repeat, n = p->n * p->n_repeat;
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_addf(&t, HEAD "def k(A: T.Tensor((%d, %d), \"%s\"), B: T.Tensor((%d, %d), \"%s\"), D: T.Tensor((%d, %d), \"%s\")):\n", m, k, p->a_dtype, n,
                 k, p->b_dtype, m, n, p->d_dtype);
    tw_text_addf(&t, "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))\n    t = T.cuda.thread_idx(\"x\")\n    K = %d\n", k);
    tw_text_addf(&t, "    lane = T.cuda.lane_id()\n    row = 16 * T.cuda.warp_id() + lane // 4\n");
    if (!p->registers)
        tw_text_addf(&t, "%s%s", shared(room, p, "A", p->a_dtype, m, p->a_mn), fill(room, p, "A", m, p->a_mn));
    tw_text_addf(&t, "%s%s", shared(room, p, "B", p->b_dtype, n, p->b_mn), fill(room, p, "B", n, p->b_mn));
    if (p->registers) {
        const int each = 32 / (int)tw_example_bytes(p->a, 8), count = p->m_repeat * p->steps * 4 * each;
        tw_text_addf(&t, "    a = T.alloc_tensor(ty_args=[T.Tensor((%d, %d), \"%s\", scope=\"local\", layout=%s)])\n    am = a.view(%d, layout=\"default\")\n",
                     m, k, p->a_dtype, a_fragment(room, p), count);
        tw_text_addf(&t, "    for r in range(%d):\n        am[r] = A[64 * (r // %d) + row + 8 * (r // %d %% 2), %d * (r // %d %% %d) + %d * (r // %d %% 2) + %d * (lane %% 4) + r %% %d]\n",
                     count, p->steps * 4 * each, each, p->k, 4 * each, p->steps, 4 * each, 2 * each, each, each);
    }
    tw_text_addf(&t, "    T.ptx.fence.proxy.async_.shared__cta()\n    T.cuda.cta_sync()\n");
    const int regs = p->m_repeat * p->n_repeat * p->n / 2;
    tw_text_addf(&t, "    d = T.alloc_tensor(ty_args=[T.Tensor((%d, %d), \"%s\", scope=\"local\", layout=%s)])\n    dm = d.view(%d, layout=\"default\")\n", m, n,
                 p->d_dtype, d_fragment(room, p), regs);
    const char *place = tw_format(&room->arena, "D[64 * (r // %d) + row + 8 * (r // 2 %% 2), %d * (r // %d %% %d) + 8 * (r %% %d // 4) + 2 * (lane %% 4) + r %% 2]",
                                  p->n / 2 * p->n_repeat, p->n, p->n / 2, p->n_repeat, p->n / 2);
    if (p->accum)
        tw_text_addf(&t, "    for r in range(%d):\n        dm[r] = %s\n", regs, place);
    tw_text_addf(&t, "    T.ptx.wgmma.fence.sync.aligned()\n    T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n%dk%d.%s\"], "
                 "d.rearrange(\"(q m) (r n) -> q r m n\", m=64, n=%d), %s, %s, %s%s%s%s%sscope=\"warpgroup\")\n", p->n, p->k, p->types, p->n,
                 p->registers ? tw_format(&room->arena, "a.rearrange(\"(q m) (r k) -> q r m k\", m=64, k=%d)", p->k) : split(room, p, "A", 64, p->a_mn),
                 split(room, p, "B", p->n, p->b_mn), p->accum ? "accum=True, " : "", p->a_mn ? "a_major=\"mn\", " : "",
                 p->b_mn ? "b_major=\"mn\", " : "", p->neg_a ? "neg_a=True, " : "", p->neg_b ? "neg_b=True, " : "");
    tw_text_addf(&t, "    T.ptx.wgmma.commit_group.sync.aligned()\n    T.ptx.wgmma.wait_group.sync.aligned(0)\n    for r in range(%d):\n        %s = dm[r]\n", regs, place);
    return t.at;
}

static double wanted(const struct product *p, const unsigned char *a, const unsigned char *b, const unsigned char *d, int m, int n)
{
    const int k = p->k * p->steps;
    double sum = 0;
    for (int i = 0; i < k; i++)
        sum += tw_example_get(p->a, a, (size_t)(m * k + i)) * tw_example_get(p->b, b, (size_t)(n * k + i));
    if (p->neg_a != p->neg_b)
        sum = -sum;
    return p->accum ? sum + tw_example_get(p->d, d, (size_t)(m * p->n * p->n_repeat + n)) : sum;
}

static void every_class_gives_the_product(void **state)
{
    static unsigned char a[1 << 16], b[1 << 16], d[1 << 18], before[1 << 18];
    struct bench_room *room = *state;
    say_if_not_assembled();
    for (size_t i = 0; i < COUNT(products); i++) {
        const struct product *p = &products[i];
        const size_t m = (size_t)(64 * p->m_repeat), n = (size_t)(p->n * p->n_repeat), k = (size_t)(p->k * p->steps);
        uint32_t seed = (uint32_t)i + 1;
        tw_example_fill(p->a, EX_SMALL, a, m * k, &seed);
        tw_example_fill(p->b, EX_SMALL, b, n * k, &seed);
        tw_example_fill(p->d == EX_S32 ? EX_S32 : p->d, p->d == EX_S32 ? EX_EDGE : EX_SMALL, d, m * n, &seed);
        if (p->d == EX_S32)
            memset(d, 3, m * n * 4);
        memcpy(before, d, sizeof d);
        const char *what = tw_format(&room->arena, "product %zu, %s", i, p->types);
        run_movement(what, program(room, p), "sm_90a", "wgmma.mma_async", (uint32_t)(p->m_repeat * p->n_repeat * p->steps),
                     (struct move_tensor[]){{"A", a, tw_example_bytes(p->a, m * k)}, {"B", b, tw_example_bytes(p->b, n * k)}, {"D", d, tw_example_bytes(p->d, m * n)}}, 3);
        for (size_t e = 0; e < m * n; e++) {
            const double want = wanted(p, a, b, before, (int)(e / n), (int)(e % n)), found = tw_example_get(p->d, d, e);
            if (!(want <= found && want >= found))
                fail_msg("%s: element (%zu, %zu) is %f, not %f", what, e / n, e % n, found, want);
        }
    }
}

static const char bit_program[] =
    HEAD "def k(A: T.Tensor((64, 16), \"uint32\"), B: T.Tensor((16, 16), \"uint32\"), D: T.Tensor((64, 16), \"int32\")):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))\n    t = T.cuda.thread_idx(\"x\")\n"
    "    sA = T.alloc_shared((64, 16), \"uint32\", layout=mma_shared_layout(\"uint32\", 2, (64, 16)), align=512)\n"
    "    sB = T.alloc_shared((16, 16), \"uint32\", layout=mma_shared_layout(\"uint32\", 2, (16, 16)), align=512)\n"
    "    for w in range(16):\n        if t < 64:\n            sA[t, w] = A[t, w]\n        if t < 16:\n            sB[t, w] = B[t, w]\n"
    "    T.ptx.fence.proxy.async_.shared__cta()\n    T.cuda.cta_sync()\n"
    "    d = T.alloc_tensor(ty_args=[T.Tensor((64, 16), \"int32\", scope=\"local\", layout=T.TileLayout("
    "T.S[(4, 2, 8, 2, 4, 2) : (1 @ Warp, 2, 4 @ Lane, 4, 1 @ Lane, 1)]))])\n    dm = d.view(8, layout=\"default\")\n"
    "    T.ptx.wgmma.fence.sync.aligned()\n"
    "    T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n16k256.s32.b1.b1.and.popc\"], d.view(1, 1, 64, 16), "
    "sA.rearrange(\"m (r k) -> r m k\", k=8).view(1, 2, 64, 8), sB.rearrange(\"n (r k) -> r n k\", k=8).view(1, 2, 16, 8), scope=\"warpgroup\")\n"
    "    T.ptx.wgmma.commit_group.sync.aligned()\n    T.ptx.wgmma.wait_group.sync.aligned(0)\n"
    "    for r in range(8):\n"
    "        D[16 * T.cuda.warp_id() + T.cuda.lane_id() // 4 + 8 * (r // 2 % 2), 8 * (r // 4) + 2 * (T.cuda.lane_id() % 4) + r % 2] = dm[r]\n";

static void bits_that_both_operands_have_are_counted(void **state)
{
    static uint32_t a[64][16], b[16][16];
    static int32_t d[64][16];
    (void)state;
    fill_bytes(a, sizeof a, 1);
    fill_bytes(b, sizeof b, 2);
    run_movement("b1", bit_program, "sm_90a", "wgmma.mma_async", 2,
                 (struct move_tensor[]){{"A", a, sizeof a}, {"B", b, sizeof b}, {"D", d, sizeof d}}, 3);
    for (int m = 0; m < 64; m++)
        for (int n = 0; n < 16; n++) {
            int want = 0;
            for (int w = 0; w < 16; w++)
                want += __builtin_popcount(a[m][w] & b[n][w]);
            assert_int_equal(d[m][n], want);
        }
}

/* Row g + 8 i of a warp has its codes for groups 8 q to 8 q + 7 in lane 4 g + 2 q + i, four in a uint16. SOURCE: ptx-async 1.5. */
static const char sparse_program[] =
    HEAD "def k(A: T.Tensor((64, 32), \"int8\"), B: T.Tensor((16, 64), \"int8\"), E: T.Tensor((64, 4), \"uint16\"), D: T.Tensor((64, 16), \"int32\")):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))\n    t = T.cuda.thread_idx(\"x\")\n"
    "    lane = T.cuda.lane_id()\n    row = 16 * T.cuda.warp_id() + lane // 4\n"
    "    sA = T.alloc_shared((64, 32), \"int8\", layout=mma_shared_layout(\"int8\", 1, (64, 32)), align=256)\n"
    "    sB = T.alloc_shared((16, 64), \"int8\", layout=mma_shared_layout(\"int8\", 2, (16, 64)), align=512)\n"
    "    for k in range(32):\n        if t < 64:\n            sA[t, k] = A[t, k]\n"
    "    for k in range(64):\n        if t < 16:\n            sB[t, k] = B[t, k]\n"
    "    T.ptx.fence.proxy.async_.shared__cta()\n    T.cuda.cta_sync()\n"
    "    e = T.alloc_tensor(ty_args=[T.Tensor((64, 4), \"uint16\", scope=\"local\", layout=T.TileLayout("
    "T.S[(4, 2, 8, 2, 2) : (1 @ Warp, 1 @ Lane, 4 @ Lane, 2 @ Lane, 1)]))])\n    em = e.view(2, layout=\"default\")\n"
    "    for h in range(2):\n        em[h] = E[row + 8 * (lane % 2), 2 * (lane // 2 % 2) + h]\n"
    "    d = T.alloc_tensor(ty_args=[T.Tensor((64, 16), \"int32\", scope=\"local\", layout=T.TileLayout("
    "T.S[(4, 2, 8, 2, 4, 2) : (1 @ Warp, 2, 4 @ Lane, 4, 1 @ Lane, 1)]))])\n    dm = d.view(8, layout=\"default\")\n"
    "    T.ptx.wgmma.fence.sync.aligned()\n"
    "    T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sp.sync.aligned.m64n16k64.s32.s8.s8\"], d.view(1, 1, 64, 16), sA.view(1, 1, 64, 32), "
    "sB.view(1, 1, 16, 64), e.view(1, 1, 64, 4), scope=\"warpgroup\")\n"
    "    T.ptx.wgmma.commit_group.sync.aligned()\n    T.ptx.wgmma.wait_group.sync.aligned(0)\n"
    "    for r in range(8):\n        D[row + 8 * (r // 2 % 2), 8 * (r // 4) + 2 * (lane % 4) + r % 2] = dm[r]\n";

static void a_sparse_a_multiplies_what_its_codes_name(void **state)
{
    static int8_t a[64][32], b[16][64];
    static uint16_t e[64][4];
    static int32_t d[64][16];
    uint32_t seed = 7;
    (void)state;
    fill_bytes(a, sizeof a, 1);
    fill_bytes(b, sizeof b, 2);
    tw_example_fill(EX_U4, EX_CODES, (unsigned char *)e, sizeof e * 2, &seed);
    run_movement("sparse", sparse_program, "sm_90a", "wgmma.mma_async.sp", 1,
                 (struct move_tensor[]){{"A", a, sizeof a}, {"B", b, sizeof b}, {"E", e, sizeof e}, {"D", d, sizeof d}}, 4);
    for (int m = 0; m < 64; m++)
        for (int n = 0; n < 16; n++) {
            int want = 0;
            for (int i = 0; i < 32; i++) {
                const int code = e[m][i / 8] >> 4 * (i / 2 % 4) & 15;
                want += a[m][i] * b[n][4 * (i / 2) + (code >> 2 * (i % 2) & 3)];
            }
            assert_int_equal(d[m][n], want);
        }
}

/* At cta scope each warpgroup multiplies its own matrices. */
static const char group_program[] =
    HEAD "def k(A: T.Tensor((2, 64, 32), \"int8\"), B: T.Tensor((2, 16, 32), \"int8\"), D: T.Tensor((2, 64, 16), \"int32\")):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=256))\n    t = T.cuda.thread_idx(\"x\")\n"
    "    lane = T.cuda.lane_id()\n    row = 16 * (T.cuda.warp_id() % 4) + lane // 4\n    g = T.cuda.warpgroup_id()\n"
    "    sA = T.alloc_shared((2, 64, 32), \"int8\", layout=mma_shared_layout(\"int8\", 1, (2, 64, 32)), align=256)\n"
    "    sB = T.alloc_shared((2, 16, 32), \"int8\", layout=mma_shared_layout(\"int8\", 1, (2, 16, 32)), align=256)\n"
    "    for k in range(32):\n        if t < 128:\n            sA[t // 64, t % 64, k] = A[t // 64, t % 64, k]\n"
    "        if t < 32:\n            sB[t // 16, t % 16, k] = B[t // 16, t % 16, k]\n"
    "    T.ptx.fence.proxy.async_.shared__cta()\n    T.cuda.cta_sync()\n"
    "    d = T.alloc_tensor(ty_args=[T.Tensor((2, 64, 16), \"int32\", scope=\"local\", layout=T.TileLayout("
    "T.S[(2, 4, 2, 8, 2, 4, 2) : (1 @ Group, 1 @ Warp, 2, 4 @ Lane, 4, 1 @ Lane, 1)]))])\n    dm = d.view(8, layout=\"default\")\n"
    "    T.ptx.wgmma.fence.sync.aligned()\n"
    "    T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8\"], d.view(2, 1, 1, 64, 16), sA.view(2, 1, 1, 64, 32), "
    "sB.view(2, 1, 1, 16, 32), scope=\"cta\")\n"
    "    T.ptx.wgmma.commit_group.sync.aligned()\n    T.ptx.wgmma.wait_group.sync.aligned(0)\n"
    "    for r in range(8):\n        D[g, row + 8 * (r // 2 % 2), 8 * (r // 4) + 2 * (lane % 4) + r % 2] = dm[r]\n";

static void warpgroups_of_a_cta_multiply_side_by_side(void **state)
{
    static int8_t a[2][64][32], b[2][16][32];
    static int32_t d[2][64][16];
    (void)state;
    fill_bytes(a, sizeof a, 1);
    fill_bytes(b, sizeof b, 2);
    run_movement("two warpgroups", group_program, "sm_90a", "wgmma.mma_async", 1,
                 (struct move_tensor[]){{"A", a, sizeof a}, {"B", b, sizeof b}, {"D", d, sizeof d}}, 3);
    for (int g = 0; g < 2; g++)
        for (int m = 0; m < 64; m++)
            for (int n = 0; n < 16; n++) {
                int want = 0;
                for (int k = 0; k < 32; k++)
                    want += a[g][m][k] * b[g][n][k];
                assert_int_equal(d[g][m][n], want);
            }
}

static void nvcc_gives_the_same_bits(void **state)
{
    struct bench_room *room = *state;
    if (!have_nvcc())
        skip();
    for (size_t i = 0; i < COUNT(products); i += 2) {
        const char *text = program(room, &products[i]), *cuda, *contract;
        tw_ctx *ctx = tw_ctx_create(NULL);
        tw_module *ours, *theirs;
        size_t len;
        assert_int_equal(tw_compile(ctx, "k.py", text, strlen(text), &(tw_compile_opts){.arch = "sm_90a"}, &ours), TW_OK);
        assert_int_equal(tw_module_text(ours, TW_EMIT_CUDA, &cuda, &len), TW_OK);
        assert_int_equal(tw_module_text(ours, TW_EMIT_LAUNCH, &contract, &len), TW_OK);
        char *ptx = nvcc_ptx(products[i].types, cuda, "sm_90a", "");
        if (tw_module_parse(ctx, "nvcc.ptx", ptx, strlen(ptx), &theirs) != TW_OK)
            fail_msg("%s: %s", products[i].types, tw_diagnostics(ctx, TW_TEXT));
        expect_same_bits(products[i].types, ctx, ours, theirs, contract, "normal", "0", i + 1);
        tw_module_destroy(theirs);
        tw_module_destroy(ours);
        tw_ctx_destroy(ctx);
        free(ptx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_class_gives_the_product),
        cmocka_unit_test(bits_that_both_operands_have_are_counted),
        cmocka_unit_test(a_sparse_a_multiplies_what_its_codes_name),
        cmocka_unit_test(warpgroups_of_a_cta_multiply_side_by_side),
        ROOM_TEST(nvcc_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
