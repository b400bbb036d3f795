/* The kernel language on the machine, construct by construct: docs/language.md names these tests. Expected values are
 * worked out by hand or by Python's rules. SOURCE: kernel-language 1 to 5, 11.2; kernel-language-ptx 9.5, 9.6. */
#include "api/program.h"

#define IMPORTS                                        \
    "from tvm.script import tirx as T\n"               \
    "from tvm.script.tirx import tile as Tx\n"         \
    "from tvm.tirx.lang.pipeline import PipelineState, MBarrier, TMABar, TCGen05Bar\n" \
    "from tvm.tirx.lang.tile_scheduler import ClusterPersistentScheduler2D\n"
/* The body begins on line 8. */
#define MID                                                                                                    \
    IMPORTS                                                                                                    \
    "@T.prim_func\n"                                                                                           \
    "def k(A: T.Buffer((8, 16), \"int32\"), Out: T.Buffer((64,), \"int32\"), n: T.int32):\n"                   \
    "    T.device_entry()\n"
/* One thread. */
#define ONE MID "    T.cta_id([1])\n    T.thread_id([1])\n"
/* Two warps. */
#define WARPS MID "    bx = T.cta_id([1])\n    warp = T.warp_id([2])\n    lane = T.lane_id([32])\n"

struct run_case {
    const char *text;
    int32_t want[12];
    size_t count;
};

static void expect_runs(const struct run_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect_out(cases[i].text, cases[i].want, cases[i].count);
}

/* ---- statements ------------------------------------------------------------------------------------ */

static void loops_and_jumps_do_what_python_does(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {ONE "    i: T.int32 = 0\n"
             "    while True:\n"
             "        i += 1\n"
             "        if i == 6:\n"
             "            break\n"
             "        if i % 2 == 0:\n"
             "            continue\n"
             "        Out[i] = i * 10\n", {0, 10, 0, 30, 0, 50, 0}, 7},
        {ONE "    i: T.int32 = 0\n"
             "    while i < 4 and n > i:\n"
             "        i += 1\n"
             "    Out[0] = i\n", {3}, 1},
        {ONE "    for i in T.serial(1, 8, step=3):\n"
             "        Out[i] = i\n", {0, 1, 0, 0, 4, 0, 0, 7}, 8},
        {ONE "    for i, j in T.grid((1, 2), 3):\n"
             "        Out[i * 3 + j] = i * 10 + j\n", {0, 0, 0, 10, 11, 12, 20, 21, 22, 0}, 10},
        {ONE "    v = T.alloc_local((4,), \"int32\")\n"
             "    for i in T.vectorized(4):\n"
             "        v[i] = A[1, i]\n"
             "    for i in T.unroll(4):\n"
             "        Out[3 - i] = v[i]\n", {19, 18, 17, 16}, 4},
    };
    expect_runs(cases, COUNT(cases));
}

static void augmented_assignments_cover_every_operator(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {ONE "    x: T.int32 = 7\n"
             "    x -= 1\n    x *= 3\n    x //= 2\n    x %= 5\n    Out[0] = x\n"
             "    x <<= 2\n    x >>= 1\n    Out[1] = x\n"
             "    x |= 5\n    Out[2] = x\n    x &= 12\n    Out[3] = x\n    x ^= 3\n    Out[4] = x\n"
             "    Out[5] += 4\n    Out[5] *= 3\n", {4, 8, 13, 12, 15, 12}, 6},
        {ONE "    x: T.float32 = 7\n    x /= 2\n    Out[0] = T.cast(x * 2.0, \"int32\")\n", {7}, 1},
    };
    expect_runs(cases, COUNT(cases));
}

static void a_tuple_is_assigned_at_once(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {ONE "    a: T.int32 = 1\n    b: T.int32 = 2\n    a, b = b, a + b\n    Out[0] = a\n    Out[1] = b\n", {2, 3}, 2},
        {ONE "    Out[0] = 5\n    Out[1] = 6\n    Out[0], Out[1] = Out[1], Out[0]\n", {6, 5}, 2},
    };
    expect_runs(cases, COUNT(cases));
}

static void conditions_chain_and_choose(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {ONE "    Out[0] = 1 if 2 < n < 4 <= 4 else 0\n"
             "    Out[1] = 1 if 3 < n < 4 else 0\n"
             "    Out[2] = n if not (n == 1 or n > 5) else 9\n"
             "    Out[3] = T.if_then_else(n > 2, 4, 5)\n"
             "    if n == 3 and True:\n"
             "        Out[4] = 1\n"
             "    elif n == 4:\n"
             "        Out[4] = 2\n"
             "    else:\n"
             "        Out[4] = 3\n", {1, 0, 3, 4, 1}, 5},
    };
    expect_runs(cases, COUNT(cases));
}

/* ---- parse-time programming --------------------------------------------------------------------------- */

static void python_values_are_computed_while_parsing(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {ONE "    xs = T.meta_var([A[i, 0] + i for i in range(4) if i != 2])\n"
             "    Out[0] = xs[0] + xs[2]\n"
             "    Out[1] = sum([n, 4, A[0, 5]])\n"
             "    f = lambda a: a * 2\n"
             "    Out[2] = f(n)\n"
             "    config = T.meta_var({\"first\": 6, \"second\": 7})\n"
             "    Out[3] = config[\"second\"]\n"
             "    Out[4] = len(config)\n", {51, 12, 6, 7, 2}, 5},
    };
    expect_runs(cases, COUNT(cases));
}

static void an_inline_is_pasted_and_reaches_its_surroundings(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {ONE "    x: T.int32 = 1\n"
             "    @T.inline\n"
             "    def add(v, w=10, *, z=100):\n"
             "        x += v + w + z\n"
             "    add(n)\n"
             "    Out[0] = x\n"
             "    add(1, 2, z=n)\n"
             "    Out[1] = x\n", {114, 120}, 2},
        {ONE "    x: T.int32 = 0\n"
             "    @T.inline\n"
             "    def outer(v):\n"
             "        @T.inline\n"
             "        def inner(w):\n"
             "            x = x + w * v\n"
             "        inner(2)\n"
             "        inner(n)\n"
             "    outer(3)\n"
             "    for i in range(2):\n"
             "        outer(i)\n"
             "    Out[0] = x\n", {20}, 1},
    };
    expect_runs(cases, COUNT(cases));
}

#define COUNTER                                      \
    IMPORTS                                          \
    "@T.meta_class\n"                                \
    "class Counter:\n"                               \
    "    step = 2\n"                                 \
    "    def __init__(self, start):\n"               \
    "        self.n = T.local_scalar(\"int32\")\n"   \
    "        self.calls = 0\n"                       \
    "        self.reset(start)\n"                    \
    "    @T.inline\n"                                \
    "    def reset(self, v):\n"                      \
    "        self.n = v\n"                           \
    "    @T.inline\n"                                \
    "    def bump(self, by):\n"                      \
    "        self.n += by * self.step\n"             \
    "    def count(self):\n"                         \
    "        self.calls += 1\n"                      \
    "        return self.n * 10 + self.calls\n"      \
    "class Twice(Counter):\n"                        \
    "    step = 3\n"                                 \
    "    def __init__(self, start, tag):\n"          \
    "        super().__init__(start)\n"              \
    "        self.tag = tag\n"                       \
    "    @T.inline\n"                                \
    "    def bump(self, by):\n"                      \
    "        super().bump(by)\n"                     \
    "        super().bump(by)\n"                     \
    "@T.prim_func\n"                                 \
    "def k(Out: T.Buffer((64,), \"int32\"), n: T.int32):\n" \
    "    T.device_entry()\n    T.cta_id([1])\n    T.thread_id([1])\n"

static void parse_time_classes_have_fields_methods_and_bases(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {COUNTER "    c = Counter(5)\n"
                 "    c.bump(n)\n"
                 "    Out[0] = c.count()\n"
                 "    Out[1] = c.count()\n"
                 "    d = Twice(0, tag=8)\n"
                 "    for i in range(2):\n"
                 "        d.bump(n)\n"
                 "    Out[2] = d.n\n"
                 "    Out[3] = d.tag + Counter.step\n"
                 "    d.n = 4\n"
                 "    Out[4] = d.count()\n", {111, 112, 36, 10, 41}, 5},
    };
    expect_runs(cases, COUNT(cases));
}

static void faults_of_classes_are_named(void **state)
{
    (void)state;
    expect_said(COUNTER "    c = Counter(5)\n    c.bumps(1)\n",
                "k.py:36:7: error[E0202]: the class 'Counter' has no 'bumps'\n"
                "   36 |     c.bumps(1)\n"
                "      |       ^~~~~\n"
                "       fix: write 'bump'\n");
    expect_said(COUNTER "    c = Counter()\n",
                "k.py:35:9: error[E0205]: '__init__' needs its argument 'start'\n"
                "   35 |     c = Counter()\n"
                "      |         ^~~~~~~~~\n"
                "k.py:8:9: note: it is defined here\n"
                "    8 |     def __init__(self, start):\n"
                "      |         ^~~~~~~~\n");
    expect_said(ONE "    x = super()\n",
                "k.py:10:9: error[E0205]: super() has nothing to refer to\n"
                "   10 |     x = super()\n"
                "      |         ^~~~~~~\n"
                "  expected: a method of a class that extends another\n");
}

/* ---- launch and ids ------------------------------------------------------------------------------------ */

static void scope_ids_state_the_launch_and_say_where_a_thread_is(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {MID "    bx, by = T.cta_id([2, 3])\n"
             "    wg = T.warpgroup_id([2])\n"
             "    w = T.warp_id_in_wg([4])\n"
             "    lane = T.lane_id([32])\n"
             "    t = T.thread_id_in_wg([128])\n"
             "    if bx == 1 and by == 2 and wg == 1 and w == 3 and lane == 7:\n"
             "        Out[0] = t\n"
             "        Out[1] = T.cuda.grid_dim(\"y\")\n"
             "        Out[2] = T.cuda.block_dim(\"x\")\n", {103, 3, 256}, 3},
        {MID "    r = T.cta_id_in_cluster([2])\n"
             "    c = T.cluster_id([3])\n"
             "    lane = T.thread_id([32])\n"
             "    if lane == 0:\n"
             "        Out[c * 2 + r] = c * 10 + T.cta_id_in_pair()\n", {0, 1, 10, 11, 20, 21}, 6},
    };
    expect_runs(cases, COUNT(cases));
}

static void a_cluster_id_needs_its_cluster(void **state)
{
    (void)state;
    expect_said(MID "    c = T.cluster_id([3])\n",
                "k.py:8:9: error[E0215]: the extents of a cluster are not known here\n"
                "    8 |     c = T.cluster_id([3])\n"
                "      |         ^~~~~~~~~~~~~~~~~\n"
                "       fix: write T.cta_id_in_cluster([n]) first\n");
}

static void options_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    expect_said("from tvm.script import tirx as T\n"
                "@T.prim_func(tirx=True, fast=True)\n"
                "def k(A: T.Buffer((4,), \"int32\")):\n"
                "    T.device_entry()\n    T.thread_id([32])\n",
                "k.py:2:25: error[E0216]: the decorator has no such option\n"
                "    2 | @T.prim_func(tirx=True, fast=True)\n"
                "      |                         ^~~~~~~~~\n"
                "  expected: private, check_well_formed, persistent, tirx or s_tir, by name\n");
    expect_said(MID "    r = T.cta_id_in_cluster([2], preferred=4)\n",
                "k.py:8:34: error[E0203]: the parameter 'preferred' of 'cta_id_in_cluster' is not supported\n"
                "    8 |     r = T.cta_id_in_cluster([2], preferred=4)\n"
                "      |                                  ^~~~~~~~~~~\n");
}

static void a_run_time_grid_is_refused_by_name(void **state)
{
    (void)state;
    expect_said("from tvm.script import tirx as T\n"
                "@T.function\n"
                "def k(A: T.Tensor((4,), \"int32\"), n: T.int32):\n"
                "    T.device_entry(launch=T.cuda.LaunchConfig(grid=n, block=32))\n",
                "k.py:4:47: error[E0207]: the grid must be known at compile time\n"
                "    4 |     T.device_entry(launch=T.cuda.LaunchConfig(grid=n, block=32))\n"
                "      |                                               ^~~~~~\n"
                "  expected: an integer\n"
                "     found: a run-time value of type int32\n");
}

/* ---- parts of tensors ---------------------------------------------------------------------------------- */

static void views_pick_narrow_and_split(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        /* A[r, c] = 16 r + c */
        {ONE "    r = A.sub[2, 4:8]\n"
             "    Out[0] = r[1]\n"
             "    q = A.sub[..., 1::4]\n"
             "    Out[1] = q[3, 2]\n"
             "    t = A.tile((1, (4, 2, 2)), (0, (2, 4)))[1, :, :, 1, :]\n"
             "    T.static_assert(t.shape == (4, 8), \"shape\")\n"
             "    Out[2] = t[2, 5]\n"
             "    Out[3] = A.permute(1, 0)[4, 3]\n"
             "    Out[4] = A.view(4, 32)[1, 20]\n", {37, 57, 107, 52, 52}, 5},
        {ONE "    r = T.alloc_local((8, 4), \"int32\")\n"
             "    Tx.copy(r[:, :], A.chunk((None, 4))[..., n - 1])\n"
             "    Out[0] = r[5, 3]\n", {91}, 1},
    };
    expect_runs(cases, COUNT(cases));
}

static void parts_that_are_none_are_refused(void **state)
{
    (void)state;
    expect_said(ONE "    c = A.chunk((None, 3))[..., 0]\n",
                "k.py:10:17: error[E0206]: dimension 1 is not cut into 3 equal parts\n"
                "   10 |     c = A.chunk((None, 3))[..., 0]\n"
                "      |                 ^~~~~~~~~\n"
                "  expected: a divisor of 16\n");
    expect_said(ONE "    c = A.tile((1, (4, 4)))[:, :, :]\n",
                "k.py:10:9: error[E0209]: no factor of dimension 1 is picked\n"
                "   10 |     c = A.tile((1, (4, 4)))[:, :, :]\n"
                "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                "  expected: at least one index for every tiled dimension\n");
    expect_said(ONE "    c = A.tile((1, (4, 5)))[:, 0, :]\n",
                "k.py:10:9: error[E0206]: the factors do not multiply to dimension 1\n"
                "   10 |     c = A.tile((1, (4, 5)))[:, 0, :]\n"
                "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                "  expected: factors of 16\n"
                "     found: (4, 5)\n");
    expect_said(ONE "    c = A.sub[0]\n    d = A.sub[0, 1, 2]\n",
                "k.py:11:9: error[E0209]: 2 dimensions are given 3 indices\n"
                "   11 |     d = A.sub[0, 1, 2]\n"
                "      |         ^~~~~~~~~~~~~~\n"
                "  expected: one index, slice or ':' for each dimension\n");
    expect_said(ONE "    d = A.sub[n, 1:4]\n",
                "k.py:10:9: error[E0207]: the index of a view must be known at compile time\n"
                "   10 |     d = A.sub[n, 1:4]\n"
                "      |         ^~~~~~~~~~~~~\n"
                "  expected: an integer\n"
                "     found: a run-time value of type int32\n");
    expect_said(ONE "    d = A.sub[0:4:2, 1]\n",
                "k.py:10:9: error[E0209]: a slice with a step has no end\n"
                "   10 |     d = A.sub[0:4:2, 1]\n"
                "      |         ^~~~~~~~~~~~~~~\n"
                "  expected: start::step\n");
}

/* ---- pools ------------------------------------------------------------------------------------------ */

static void a_pool_hands_out_aligned_pieces_of_one_arena(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        /* Two pieces that share memory; a third behind them, where 40 bytes end up at 48. */
        {ONE "    pool = T.SMEMPool()\n"
             "    a = pool.alloc((10,), \"int32\")\n"
             "    b = pool.alloc((4,), \"int32\")\n"
             "    pool.move_base_to(0)\n"
             "    c = pool.alloc((16,), \"int32\", align=64)\n"
             "    pool.commit()\n"
             "    for i in range(16):\n"
             "        c[i] = i + 100\n"
             "    Out[0] = a[3]\n"
             "    Out[1] = b[1]\n"
             "    Out[2] = T.cast(T.cuda.cvta_generic_to_shared(b.ptr_to([0])) - T.cuda.cvta_generic_to_shared(a.ptr_to([0])), \"int32\")\n",
         {103, 113, 48}, 3},
    };
    expect_runs(cases, COUNT(cases));
}

static void faults_of_pools_are_named(void **state)
{
    (void)state;
    expect_said(ONE "    pool = T.SMEMPool()\n    a = pool.alloc((10,), \"int32\")\n",
                "k.py:10:12: error[E0212]: the pool is never committed\n"
                "   10 |     pool = T.SMEMPool()\n"
                "      |            ^~~~~~~~~~~~\n"
                "       fix: call commit() when everything is taken from it\n");
    expect_said(ONE "    pool = T.SMEMPool()\n    pool.commit()\n    a = pool.alloc((10,), \"int32\")\n",
                "k.py:12:9: error[E0212]: 'alloc' stands behind the pool's commit()\n"
                "   12 |     a = pool.alloc((10,), \"int32\")\n"
                "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                "k.py:10:12: note: the pool is made here\n"
                "   10 |     pool = T.SMEMPool()\n"
                "      |            ^~~~~~~~~~~~\n");
    expect_said(ONE "    pool = T.SMEMPool()\n    a = pool.alloc((60000,), \"int32\")\n    pool.commit()\n",
                "k.py:11:9: error[E0211]: the pool grows beyond the shared memory of a CTA\n"
                "   11 |     a = pool.alloc((60000,), \"int32\")\n"
                "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                "  expected: at most 232448 bytes\n"
                "     found: 240000\n");
    expect_said(ONE "    pool = T.SMEMPool()\n    a = pool.alloc((16,), \"int32\")\n    pool.commit(32)\n",
                "k.py:12:17: error[E0211]: the pool cannot have this size\n"
                "   12 |     pool.commit(32)\n"
                "      |                 ^~\n"
                "  expected: 64 bytes, what was taken from it, to 232448\n"
                "     found: 32\n");
    expect_said(ONE "    pool = T.SMEMPool()\n    pool.move_base_to(-8)\n    pool.commit()\n",
                "k.py:11:23: error[E0211]: the new base lies outside the pool\n"
                "   11 |     pool.move_base_to(-8)\n"
                "      |                       ^~\n"
                "  expected: 0 to 232448 bytes\n"
                "     found: -8\n");
    expect_said(ONE "    pool = T.SMEMPool()\n    other = T.SMEMPool()\n    pool.commit()\n",
                "k.py:11:13: error[E0212]: a kernel has a second T.SMEMPool()\n"
                "   11 |     other = T.SMEMPool()\n"
                "      |             ^~~~~~~~~~~~\n"
                "k.py:10:12: note: the first is here\n"
                "   10 |     pool = T.SMEMPool()\n"
                "      |            ^~~~~~~~~~~~\n");
    expect_said(ONE "    pool = T.SMEMPool()\n    pool.allocate((4,))\n",
                "k.py:11:10: error[E0202]: a T.SMEMPool has no 'allocate'\n"
                "   11 |     pool.allocate((4,))\n"
                "      |          ^~~~~~~~\n"
                "       fix: write 'alloc'\n");
}

/* What a failed call would have given is used in silence. */
static void one_fault_of_a_pool_or_class_makes_one_message(void **state)
{
    (void)state;
    expect_said(ONE "    pool = T.SMEMPool()\n"
                    "    a = pool.alloc((4,), \"flot32\")\n"
                    "    b = a.view(2, 2)\n"
                    "    pool.commit()\n"
                    "    a[0] = 1\n"
                    "    Tx.copy(b[:, :], b[:, :])\n"
                    "    Out[0] = a[0] + b[1, 1]\n",
                "k.py:11:26: error[E0206]: there is no dtype 'flot32'\n"
                "   11 |     a = pool.alloc((4,), \"flot32\")\n"
                "      |                          ^~~~~~~~\n"
                "       fix: write \"float32\"\n");
    expect_said(ONE "    ts = ClusterPersistentScheduler2D(\"ts\", num_m_tiles=4, num_n_tiles=3)\n"
                    "    ts.init(0)\n"
                    "    while ts.valid():\n"
                    "        Out[ts.m_idx] = ts.n_idx\n"
                    "        ts.next_tile()\n",
                "k.py:10:10: error[E0205]: '__init__' needs its argument 'num_clusters'\n"
                "   10 |     ts = ClusterPersistentScheduler2D(\"ts\", num_m_tiles=4, num_n_tiles=3)\n"
                "      |          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                "tilewright:library.py:120:9: note: it is defined here\n"
                "  120 |     def __init__(self, prefix, num_m_tiles, num_n_tiles, num_clusters, l2_group_size=8):\n"
                "      |         ^~~~~~~~\n");
}

/* Columns are handed out one behind the other; where a tensor lies follows from its data path. */
static void tensor_memory_is_laid_out_by_what_it_is_for(void **state)
{
    (void)state;
    struct program_run *r = program_run(
        WARPS "    pool = T.SMEMPool()\n    tp = T.TMEMPool(pool, total_cols=512)\n    pool.commit()\n"
              "    d = tp.alloc_tcgen05_mma_D((64, 32), \"float32\", M=64)\n"
              "    a = tp.alloc_tcgen05_mma_A((128, 64), \"float16\", M=128)\n"
              "    s = tp.alloc_sf((128, 4), \"uint8\", sf_per_mma=4)\n"
              "    f = tp.alloc((64, 8), \"float32\", datapath=\"F\", cols=16)\n"
              "    e = tp.alloc((128, 8), \"float32\")\n"
              "    tp.commit()\n    T.cuda.cta_sync()\n    tp.dealloc()\n");
    const char *ir;
    size_t len;
    assert_int_equal(tw_module_text(r->module, TW_EMIT_IR, &ir, &len), TW_OK);
    static const char *const bases[] = {"tmem d: float32 x 2048 at tmem_base\n", "tmem a: float16 x 8192 at (tmem_base + uint32(32))\n",
                                        "tmem s: uint8 x 512 at (tmem_base + uint32(64))\n",
                                        "tmem f: float32 x 512 at (tmem_base + uint32(68))\n",
                                        "tmem e: float32 x 1024 at (tmem_base + uint32(84))\n"};
    for (size_t i = 0; i < COUNT(bases); i++)
        if (strstr(ir, bases[i]) == NULL)
            fail_msg("no %s in\n%s", bases[i], ir);
    program_end(r);
}

static void faults_of_tensor_memory_pools_are_named(void **state)
{
    (void)state;
    static const char pools[] = "    pool = T.SMEMPool()\n    tp = T.TMEMPool(pool, total_cols=64)\n    pool.commit()\n";
    char text[2048];
    snprintf(text, sizeof text, "%s%s    a = tp.alloc((128, 128), \"float32\")\n", WARPS, pools);
    expect_said(text, "k.py:14:9: error[E0211]: the pool has too few columns left\n"
                      "   14 |     a = tp.alloc((128, 128), \"float32\")\n"
                      "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                      "  expected: at most 64 columns\n"
                      "     found: 128\n");
    snprintf(text, sizeof text, "%s%s    a = tp.alloc((128, 64), \"float32\")\n    r = T.wg_reg_tile(64, \"float32\")\n"
                                "    Tx.wg.copy_async(r[:, :], a[:, :])\n    tp.commit()\n", WARPS, pools);
    expect_said(text, "k.py:16:31: error[E0212]: tensor memory is used before its pool's commit()\n"
                      "   16 |     Tx.wg.copy_async(r[:, :], a[:, :])\n"
                      "      |                               ^~~~~~~\n"
                      "       fix: commit the T.TMEMPool first\n");
    snprintf(text, sizeof text, "%s%s    if n == 0:\n        tp.commit()\n", WARPS, pools);
    expect_said(text, "k.py:15:9: error[E0212]: 'commit' of tensor memory stands inside a branch or loop\n"
                      "   15 |         tp.commit()\n"
                      "      |         ^~~~~~~~~~~\n"
                      "  expected: a place that all threads of the CTA reach: it synchronises them\n");
    snprintf(text, sizeof text, "%s%s    a = tp.alloc((128, 64), \"float32\", cols=32)\n", WARPS, pools);
    expect_said(text, "k.py:14:40: error[E0211]: the tensor does not fit these columns\n"
                      "   14 |     a = tp.alloc((128, 64), \"float32\", cols=32)\n"
                      "      |                                        ^~~~~~~\n"
                      "  expected: at least 64\n"
                      "     found: 32\n");
    snprintf(text, sizeof text, "%s%s    tp.dealloc()\n", WARPS, pools);
    expect_said(text, "k.py:14:5: error[E0212]: 'dealloc' stands before the pool's commit()\n"
                      "   14 |     tp.dealloc()\n"
                      "      |     ^~~~~~~~~~~~\n");
    expect_said(WARPS "    pool = T.SMEMPool()\n    tp = T.TMEMPool(pool, total_cols=96)\n",
                "k.py:12:27: error[E0211]: tensor memory is not allocated in this many columns\n"
                "   12 |     tp = T.TMEMPool(pool, total_cols=96)\n"
                "      |                           ^~~~~~~~~~~~~\n"
                "  expected: 32, 64, 128, 256 or 512\n"
                "     found: 96\n");
}

/* ---- the library's classes ----------------------------------------------------------------------------- */

/* stage and phase over seven turns of three stages; a consumer begins with phase 0, a producer with 1. */
static void a_pipeline_state_turns_its_phase_with_each_round(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {ONE "    ps = PipelineState(3, phase=0)\n"
             "    for i in range(7):\n"
             "        Out[i] = ps.stage * 10 + ps.phase\n"
             "        ps.advance()\n", {0, 10, 20, 1, 11, 21, 0}, 7},
        {ONE "    ps = PipelineState(1, phase=1)\n"
             "    for i in range(3):\n"
             "        Out[i] = ps.stage * 10 + ps.phase\n"
             "        ps.advance()\n", {1, 0, 1}, 3},
    };
    expect_runs(cases, COUNT(cases));
}

static void barriers_hand_over_through_stages(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        /* Warp 0 writes twelve words through four stages, warp 1 adds them up. */
        {WARPS "    pool = T.SMEMPool()\n"
               "    full = MBarrier(pool, 4)\n"
               "    empty = MBarrier(pool, 4)\n"
               "    box = pool.alloc((4, 32), \"int32\")\n"
               "    pool.commit()\n"
               "    full.init(32)\n"
               "    empty.init(32)\n"
               "    T.cuda.cta_sync()\n"
               "    if warp == 0:\n"
               "        ps = PipelineState(4, phase=1)\n"
               "        for i in range(12):\n"
               "            empty.wait(ps.stage, ps.phase)\n"
               "            box[ps.stage, lane] = i * 100 + lane\n"
               "            full.arrive(ps.stage)\n"
               "            ps.advance()\n"
               "    else:\n"
               "        total: T.int32 = 0\n"
               "        cs = PipelineState(4, phase=0)\n"
               "        for i in range(12):\n"
               "            full.wait(cs.stage, cs.phase)\n"
               "            total += box[cs.stage, 31 - lane]\n"
               "            empty.arrive(cs.stage)\n"
               "            cs.advance()\n"
               "        Out[lane] = total\n", {6972, 6960, 6948}, 3},
    };
    expect_runs(cases, COUNT(cases));
}

/* Four rows by three columns in bands of two rows: 0 2 4 / 1 3 5 / 6 8 10 / 7 9 11; the last band of five rows has one. */
static void the_scheduler_goes_through_bands_column_by_column(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {ONE "    ts = ClusterPersistentScheduler2D(\"ts\", num_m_tiles=4, num_n_tiles=3, l2_group_size=2, num_clusters=1)\n"
             "    ts.init(0)\n"
             "    while ts.valid():\n"
             "        Out[ts.m_idx * 3 + ts.n_idx] = ts.linear_idx\n"
             "        ts.next_tile()\n", {0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11}, 12},
        {MID "    bx = T.cta_id([2])\n"
             "    T.thread_id([1])\n"
             "    ts = ClusterPersistentScheduler2D(\"ts\", num_m_tiles=5, num_n_tiles=2, l2_group_size=4, num_clusters=2)\n"
             "    ts.init(bx)\n"
             "    while ts.valid():\n"
             "        Out[ts.m_idx * 2 + ts.n_idx] = ts.linear_idx * 10 + bx\n"
             "        ts.next_tile()\n", {0, 40, 11, 51, 20, 60, 31, 71, 80, 91}, 10},
    };
    expect_runs(cases, COUNT(cases));
}

static void a_barrier_of_another_cta_is_not_waited_on(void **state)
{
    (void)state;
    expect_said(MID "    r = T.cta_id_in_cluster([2])\n    T.cta_id([2])\n    T.thread_id([32])\n"
                    "    pool = T.SMEMPool()\n    bar = MBarrier(pool, 1)\n    pool.commit()\n"
                    "    bar.remote_view(0).wait(0, 0)\n",
                "tilewright:library.py:81:9: error[E0218]: the assertion does not hold\n"
                "   81 |         T.static_assert(False, 'a thread waits for barriers of its own CTA alone')\n"
                "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                "     found: a thread waits for barriers of its own CTA alone\n"
                "k.py:14:5: note: in this call of 'wait'\n"
                "   14 |     bar.remote_view(0).wait(0, 0)\n"
                "      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
}

/* An error inside the library shows the call that led there. */
static void the_library_says_who_called_it(void **state)
{
    (void)state;
    expect_said(ONE "    ps = PipelineState(0)\n",
                "tilewright:library.py:7:9: error[E0218]: the assertion does not hold\n"
                "    7 |         T.static_assert(depth >= 1, 'a pipeline has at least one stage')\n"
                "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                "     found: a pipeline has at least one stage\n"
                "k.py:10:10: note: in this call of '__init__'\n"
                "   10 |     ps = PipelineState(0)\n"
                "      |          ^~~~~~~~~~~~~~~~\n");
}

/* ---- warps, clusters, old spellings ---------------------------------------------------------------------- */

static void votes_shuffles_and_reductions_cross_lanes(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {WARPS "    total = T.cuda.warp_sum(lane * 2)\n"
               "    most = T.cuda.warp_max(lane % 17)\n"
               "    least = T.cuda.warp_min(lane + warp)\n"
               "    there = T.cuda.__shfl_xor_sync(0xffffffff, lane, 5)\n"
               "    up = T.cuda.__shfl_up_sync(0xffffffff, lane, 3)\n"
               "    down = T.cuda.__shfl_down_sync(0xffffffff, lane, 3, 8)\n"
               "    at = T.cuda.__shfl_sync(0xffffffff, lane + 1, 9)\n"
               "    vote = T.cuda.ballot_sync(0xffffffff, lane < 5)\n"
               "    some = T.cuda.any_sync(0xffffffff, lane == 40)\n"
               "    every = T.cuda.all_sync(0xffffffff, lane < 40)\n"
               "    cta = T.cuda.syncthreads_or(warp == 1)\n"
               "    if warp == 0 and lane == 6:\n"
               "        Out[0] = total\n        Out[1] = most\n        Out[2] = least\n        Out[3] = there\n"
               "        Out[4] = up\n        Out[5] = down\n        Out[6] = at\n        Out[7] = T.cast(vote, \"int32\")\n"
               "        Out[8] = T.cast(some, \"int32\")\n        Out[9] = T.cast(every, \"int32\")\n"
               "        Out[10] = T.cast(cta, \"int32\")\n", {992, 16, 0, 3, 3, 6, 10, 31, 0, 1, 1}, 11},
        {WARPS "    T.cuda.atomic_add(Out.ptr_to([0]), lane)\n"
               "    T.cuda.thread_fence()\n", {992}, 1},
    };
    expect_runs(cases, COUNT(cases));
}

static void one_lane_is_elected_in_both_spellings(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {WARPS "    if T.filter(lane, T.ptx.elect_sync()):\n"
               "        T.cuda.atomic_add(Out.ptr_to([0]), 1)\n"
               "    if T.cuda.elect_sync():\n"
               "        T.cuda.atomic_add(Out.ptr_to([1]), 1)\n", {2, 2}, 2},
    };
    expect_runs(cases, COUNT(cases));
}

static void remote_barriers_are_in_another_cta(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {MID "    r = T.cta_id_in_cluster([2])\n"
             "    T.cta_id([2])\n"
             "    lane = T.thread_id([32])\n"
             "    pool = T.SMEMPool()\n"
             "    bar = MBarrier(pool, 2)\n"
             "    pool.commit()\n"
             "    bar.init(32)\n"
             "    T.ptx.fence.mbarrier_init()\n"
             "    T.cuda.cluster_sync()\n"
             "    bar.remote_view(1 - r).arrive(1)\n"
             "    T.cuda.mbarrier_wait_acquire_cluster(bar.ptr_to([1]), 0)\n"
             "    T.ptx.mbarrier.arrive(bar.ptr_to([0]), cta_id=1 - r, pred=lane >= 0)\n"
             "    T.cuda.mbarrier_wait_acquire_cluster(bar.ptr_to([0]), 0)\n"
             "    if lane == 0:\n"
             "        Out[r] = r + 1\n"
             "    T.ptx.barrier.cluster.arrive(sem=\"release\", aligned=True)\n"
             "    T.ptx.barrier.cluster.wait(acquire=True, aligned=True)\n", {1, 2}, 2},
    };
    expect_runs(cases, COUNT(cases));
}

static void old_spellings_stand_for_their_instructions(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {MID "    T.cta_id([1])\n    wg = T.warpgroup_id([2])\n    t = T.thread_id_in_wg([128])\n"
             "    T.ptx.setmaxnreg(False, 64)\n"
             "    T.ptx.cp_async.bulk.commit_group()\n"
             "    T.ptx.cp_async.bulk.wait_group(0)\n"
             "    T.ptx.cp_async.bulk.wait_group(0, read=True)\n"
             "    T.ptx.fence.proxy_async(\"shared::cta\")\n"
             "    s = T.alloc_shared((256,), \"int32\")\n"
             "    s[wg * 128 + t] = t\n"
             "    T.cuda.warpgroup_sync(wg + 4)\n"
             "    if t == 0:\n"
             "        Out[wg] = s[wg * 128 + 127 - wg]\n"
             "        Out[2] = T.cast(T.ptx.exp2(T.float32(5)), \"int32\")\n", {127, 126, 32}, 3},
    };
    expect_runs(cases, COUNT(cases));
}

/* CTA 0 commits with nothing outstanding: the arrivals reach the barriers of both CTAs. */
static void a_commit_reaches_the_barriers_of_a_mask(void **state)
{
    (void)state;
    static const struct run_case cases[] = {
        {MID "    r = T.cta_id_in_cluster([2])\n"
             "    T.cta_id([2])\n"
             "    tid = T.thread_id([32])\n"
             "    pool = T.SMEMPool()\n"
             "    bar = TCGen05Bar(pool, 2)\n"
             "    pool.commit()\n"
             "    bar.init(1)\n"
             "    T.ptx.fence.mbarrier_init()\n"
             "    T.cuda.cluster_sync()\n"
             "    if r == 0:\n"
             "        if T.cuda.elect_sync():\n"
             "            bar.arrive(1, cta_group=1, cta_mask=3)\n"
             "    bar.wait(1, 0)\n"
             "    if tid == 0:\n"
             "        Out[r] = r + 5\n"
             "    T.cuda.cluster_sync()\n", {5, 6}, 2},
    };
    expect_runs(cases, COUNT(cases));
}

/* Products of 16 at K 16: row i of A is i mod 3 everywhere, column j of B j mod 5. */
static void an_old_mma_takes_encoded_descriptors(void **state)
{
    (void)state;
    struct program_run *r = program_run(
        IMPORTS
        "@T.prim_func\n"
        "def k(Out: T.Buffer((128, 64), \"float32\")):\n"
        "    T.device_entry()\n"
        "    T.cta_id([1])\n"
        "    tid = T.thread_id([128])\n"
        "    pool = T.SMEMPool()\n"
        "    tp = T.TMEMPool(pool, total_cols=64)\n"
        "    bar = MBarrier(pool, 1)\n"
        "    a = pool.alloc_mma((128, 16), \"float16\", 1)\n"
        "    b = pool.alloc_mma((64, 16), \"float16\")\n"
        "    pool.commit()\n"
        "    acc = tp.alloc((128, 64), \"float32\")\n"
        "    bar.init(1)\n"
        "    tp.commit()\n"
        "    for i in range(16):\n"
        "        a[tid, i] = tid % 3\n"
        "        b[tid % 64, i] = tid % 64 % 5\n"
        "    T.ptx.fence.proxy_async(\"shared::cta\")\n"
        "    T.cuda.cta_sync()\n"
        "    if tid == 0:\n"
        "        da = T.local_scalar(\"uint64\")\n"
        "        db = T.local_scalar(\"uint64\")\n"
        "        T.ptx.tcgen05.encode_matrix_descriptor(T.address_of(da), a.ptr_to([0, 0]), 1, 16, 1)\n"
        "        T.ptx.tcgen05.encode_matrix_descriptor(T.address_of(db), b.ptr_to([0, 0]), 1, 16, 1)\n"
        "        T.ptx.tcgen05.mma(\"float32\", \"float16\", \"float16\", T.cuda.get_tmem_addr(T.uint32(0), 0, 0), da, db,\n"
        "                          T.uint32(0x08100010), use_a_tmem=False, cta_group=1, enable_input_d=False)\n"
        "        T.ptx.tcgen05.commit(bar.ptr_to([0]), cta_group=1)\n"
        "    bar.wait(0, 0)\n"
        "    T.ptx.tcgen05.fence.after_thread_sync()\n"
        "    r = T.wg_reg_tile(64, \"float32\")\n"
        "    Tx.wg.copy_async(r[:, :], acc[:, :])\n"
        "    T.ptx.tcgen05.wait.ld()\n"
        "    Tx.wg.copy(Out[:, :], r[:, :])\n"
        "    T.cuda.cta_sync()\n"
        "    tp.dealloc()\n");
    for (int e = 0; e < 128 * 64; e++) {
        float got;
        memcpy(&got, r->out + 4 * e, 4);
        const float want = (float)(16 * (e / 64 % 3) * (e % 64 % 5));
        if (memcmp(&got, &want, 4) != 0)
            fail_msg("element %d: want %g, got %g", e, (double)want, (double)got);
    }
    program_end(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_and_jumps_do_what_python_does),
        cmocka_unit_test(augmented_assignments_cover_every_operator),
        cmocka_unit_test(a_tuple_is_assigned_at_once),
        cmocka_unit_test(conditions_chain_and_choose),
        cmocka_unit_test(python_values_are_computed_while_parsing),
        cmocka_unit_test(an_inline_is_pasted_and_reaches_its_surroundings),
        cmocka_unit_test(parse_time_classes_have_fields_methods_and_bases),
        cmocka_unit_test(faults_of_classes_are_named),
        cmocka_unit_test(scope_ids_state_the_launch_and_say_where_a_thread_is),
        cmocka_unit_test(a_cluster_id_needs_its_cluster),
        cmocka_unit_test(options_that_do_not_exist_are_refused),
        cmocka_unit_test(a_run_time_grid_is_refused_by_name),
        cmocka_unit_test(views_pick_narrow_and_split),
        cmocka_unit_test(parts_that_are_none_are_refused),
        cmocka_unit_test(a_pool_hands_out_aligned_pieces_of_one_arena),
        cmocka_unit_test(faults_of_pools_are_named),
        cmocka_unit_test(one_fault_of_a_pool_or_class_makes_one_message),
        cmocka_unit_test(tensor_memory_is_laid_out_by_what_it_is_for),
        cmocka_unit_test(faults_of_tensor_memory_pools_are_named),
        cmocka_unit_test(a_pipeline_state_turns_its_phase_with_each_round),
        cmocka_unit_test(barriers_hand_over_through_stages),
        cmocka_unit_test(the_scheduler_goes_through_bands_column_by_column),
        cmocka_unit_test(a_barrier_of_another_cta_is_not_waited_on),
        cmocka_unit_test(the_library_says_who_called_it),
        cmocka_unit_test(votes_shuffles_and_reductions_cross_lanes),
        cmocka_unit_test(one_lane_is_elected_in_both_spellings),
        cmocka_unit_test(remote_barriers_are_in_another_cta),
        cmocka_unit_test(old_spellings_stand_for_their_instructions),
        cmocka_unit_test(a_commit_reaches_the_barriers_of_a_mask),
        cmocka_unit_test(an_old_mma_takes_encoded_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
