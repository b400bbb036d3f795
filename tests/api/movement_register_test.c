/* Operations on registers, shuffles and ewise through tile.apply, and the same kernels by way of CUDA C++.
 * SOURCE: kernel-language-tile 7.2, 7.3. */
#include "api/movement.h"

#include "api/nvcc.h"

enum { THREADS = 32 };

/* ---- registers ---------------------------------------------------------------------------------------------- */

struct register_case {
    const char *opcode, *arch, *result;
    const char *type[3];  /* of the sources */
    uint64_t source[3], want;
};
static const struct register_case registers[] = {
    {"add.s32", "sm_80", "int32", {"int32", "int32"}, {5, (uint32_t)-7}, (uint32_t)-2},
    {"add.rn.f32", "sm_80", "float32", {"float32", "float32"}, {0x3fc00000, 0x40100000}, 0x40700000},
    {"add.rn.f32x2", "sm_100", "uint64", {"uint64", "uint64"}, {0x3fc000003fc00000, 0x4010000040100000}, 0x4070000040700000},
    {"add.rn.f32.f16", "sm_100", "float32", {"float16", "float32"}, {0x3e00, 0x40100000}, 0x40700000},
    {"sub.rn.f64", "sm_80", "float64", {"float64", "float64"}, {0x400e000000000000, 0x4002000000000000}, 0x3ff8000000000000},
    {"mul.lo.u32", "sm_80", "uint32", {"uint32", "uint32"}, {70000, 70000}, 605032704},
    {"mul.wide.u32", "sm_80", "uint64", {"uint32", "uint32"}, {70000, 70000}, 4900000000},
    {"mul.rn.f16x2", "sm_80", "uint32", {"uint32", "uint32"}, {0x3e003e00, 0x40004000}, 0x42004200},
    {"mad.lo.s32", "sm_80", "int32", {"int32", "int32", "int32"}, {3, (uint32_t)-4, 5}, (uint32_t)-7},
    {"fma.rn.f32", "sm_80", "float32", {"float32", "float32", "float32"}, {0x3fc00000, 0x40000000, 0x40100000}, 0x40a80000},
    {"fma.rn.f16", "sm_80", "float16", {"float16", "float16", "float16"}, {0x3e00, 0x4000, 0x4080}, 0x4540},
    {"min.s32", "sm_80", "int32", {"int32", "int32"}, {3, (uint32_t)-4}, (uint32_t)-4},
    {"max.f32", "sm_80", "float32", {"float32", "float32"}, {0x3fc00000, 0x40100000}, 0x40100000},
    {"max.bf16", "sm_80", "bfloat16", {"bfloat16", "bfloat16"}, {0x3fc0, 0x4010}, 0x4010},
    {"neg.f32", "sm_80", "float32", {"float32"}, {0x3fc00000}, 0xbfc00000},
    {"abs.s64", "sm_80", "int64", {"int64"}, {(uint64_t)-9}, 9},
    {"rcp.rn.f32", "sm_80", "float32", {"float32"}, {0x40000000}, 0x3f000000},
    {"sqrt.rn.f32", "sm_80", "float32", {"float32"}, {0x40800000}, 0x40000000},
    {"rsqrt.approx.f32", "sm_80", "float32", {"float32"}, {0x40800000}, 0x3f000000},
    {"ex2.approx.f32", "sm_80", "float32", {"float32"}, {0x40400000}, 0x41000000},
    {"lg2.approx.f32", "sm_80", "float32", {"float32"}, {0x41000000}, 0x40400000},
    {"tanh.approx.f32", "sm_80", "float32", {"float32"}, {0}, 0},
    {"cvt.rn.f16.f32", "sm_80", "float16", {"float32"}, {0x3fc00000}, 0x3e00},
    {"cvt.f32.f16", "sm_80", "float32", {"float16"}, {0x3e00}, 0x3fc00000},
    {"cvt.rni.s32.f32", "sm_80", "int32", {"float32"}, {0x40100000}, 2},
    {"cvt.rn.f32.s32", "sm_80", "float32", {"int32"}, {3}, 0x40400000},
    {"cvt.u32.u8", "sm_80", "uint32", {"uint8"}, {200}, 200},
    {"cvt.sat.u8.s32", "sm_80", "uint8", {"int32"}, {300}, 255},
    {"cvt.rn.f16x2.f32", "sm_80", "uint32", {"float32", "float32"}, {0x3fc00000, 0x40100000}, 0x3e004080},
    {"cvt.rn.satfinite.e4m3x2.f32", "sm_89", "uint16", {"float32", "float32"}, {0x3fc00000, 0x40100000}, 0x3c41},
    {"cvt.rna.tf32.f32", "sm_80", "uint32", {"float32"}, {0x3fc01000}, 0x3fc02000},
};

static size_t bytes_of(const char *dtype)
{
    return strstr(dtype, "64") != NULL ? 8 : strstr(dtype, "32") != NULL ? 4 : strstr(dtype, "16") != NULL ? 2 : 1;
}

static void one_operation(struct bench_room *room, const struct register_case *c)
{
    static const char *const names[] = {"A", "B", "C"};
    uint8_t bytes[4][THREADS * 2 * 8];
    struct move_tensor tensors[4] = {{"Out", bytes[3], THREADS * 2 * bytes_of(c->result)}};
    struct text params, loads, operands;
    size_t count = 1;
    tw_text_init(&params, &room->arena), tw_text_init(&loads, &room->arena), tw_text_init(&operands, &room->arena);
    memset(bytes, 0, sizeof bytes);
    for (size_t i = 0; i < 3 && c->type[i] != NULL; i++, count++) {
        const size_t width = bytes_of(c->type[i]);
        for (size_t w = 0; w < THREADS * 2; w++)
            memcpy(bytes[i] + w * width, &c->source[i], width);
        tensors[count] = (struct move_tensor){names[i], bytes[i], THREADS * 2 * width};
        tw_text_addf(&params, ", %s: T.Tensor((32, 2), \"%s\")", names[i], c->type[i]);
        tw_text_addf(&loads, "    r%zu = T.alloc_local((2,), \"%s\", layout=\"default\")\n    for i in range(2):\n        r%zu[i] = %s[t, i]\n",
                     i, c->type[i], i, names[i]);
        tw_text_addf(&operands, ", r%zu.view(2, 1)", i);
    }
    const char *text = tw_format(&room->arena,
        "from tvm.script import tirx as T\n"
        "@T.function\n"
        "def k(Out: T.Tensor((32, 2), \"%s\")%s):\n"
        "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"
        "    t = T.cuda.thread_idx(\"x\")\n"
        "    d = T.alloc_local((2,), \"%s\", layout=\"default\")\n%s"
        "    T.cuda.tile.apply(T.ptx[\"%s\"], d.view(2, 1)%s)\n"
        "    for i in range(2):\n"
        "        Out[t, i] = d[i]\n",
        c->result, params.at, c->result, loads.at, c->opcode, operands.at);
    run_movement(c->opcode, text, c->arch, tw_format(&room->arena, " %s ", c->opcode), 2, tensors, count);
    for (size_t w = 0; w < THREADS * 2; w++)
        expect_bytes(c->opcode, bytes[3] + w * bytes_of(c->result), &c->want, bytes_of(c->result));
}

static void every_operation_on_registers_gives_its_result(void **state)
{
    say_if_not_assembled();
    for (size_t i = 0; i < COUNT(registers); i++)
        one_operation(*state, &registers[i]);
}

/* ---- words of all threads -------------------------------------------------------------------------------------- */

static const char words_head[] =
    "from tvm.script import tirx as T\n"
    "Lane = T.cuda.Axis.laneid\n"
    "%s"
    "@T.function\n"
    "def k(In: T.Tensor((32, 4), \"%s\"), Out: T.Tensor((32, 4), \"%s\")):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"
    "    t = T.cuda.thread_idx(\"x\")\n"
    "    r = T.alloc_local((4,), \"%s\", layout=\"default\")\n"
    "    q = T.alloc_local((4,), \"%s\", layout=\"default\")\n"
    "    for i in range(4):\n"
    "        r[i] = In[t, i]\n"
    "        q[i] = In[t, i]\n"
    "%s"
    "    for i in range(4):\n"
    "        Out[t, i] = q[i]\n";

static const char *words_text(struct bench_room *room, const char *functions, const char *dtype, const char *body)
{
    return tw_format(&room->arena, words_head, functions, dtype, dtype, dtype, dtype, body);
}

static void run_words(const char *what, const char *text, const char *needle, uint32_t times, uint32_t in[128], uint32_t out[128])
{
    run_movement(what, text, "sm_80", needle, times, (struct move_tensor[]){{"In", in, 512}, {"Out", out, 512}}, 2);
}

static void shuffles_read_other_lanes(void **state)
{
    static const struct {
        const char *mode, *lane, *clamp;
        int from_xor, from_add;
    } modes[] = {{"bfly", "T.uint32(3)", "T.uint32(31)", 3, 0}, {"idx", "T.cast(t ^ 1, \"uint32\")", "T.uint32(31)", 1, 0},
                 {"down", "T.uint32(2)", "T.uint32(31)", 0, 2}, {"up", "T.uint32(2)", "T.uint32(0)", 0, -2}};
    struct bench_room *room = *state;
    uint32_t in[128], out[128];
    for (size_t m = 0; m < COUNT(modes); m++) {
        const char *body = tw_format(&room->arena,
            "    T.cuda.tile.apply(T.ptx[\"shfl.sync.%s.b32\"], q.view(4, 1), r.view(4, 1), %s, %s, T.uint32(0xffffffff))\n",
            modes[m].mode, modes[m].lane, modes[m].clamp);
        fill_bytes(in, sizeof in, 4);
        memset(out, 0, sizeof out);
        run_words(modes[m].mode, words_text(room, "", "uint32", body), "shfl.sync", 4, in, out);
        for (int i = 0; i < 128; i++) {
            const int lane = i / 4, at = (lane ^ modes[m].from_xor) + modes[m].from_add, from = at < 0 || at > 31 ? lane : at;
            assert_int_equal(out[i], in[4 * from + i % 4]);
        }
    }
}

/* ---- ewise ---------------------------------------------------------------------------------------------------------- */

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* The listing of the language document. */
static const char clamp_scale[] =
    "from tvm.script import tirx as T\n"
    "\n"
    "@T.function(private=True)\n"
    "def clamp_scale(x: T.float32, s: T.float32) -> T.float32:\n"
    "    if x < T.float32(0):\n"
    "        return T.float32(0)\n"
    "    return x * s\n"
    "\n"
    "@T.function\n"
    "def relu_scale(X: T.Tensor((64, 4), \"float32\"), Y: T.Tensor((64, 4), \"float32\")):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=64))\n"
    "    t = T.cuda.thread_idx(\"x\")\n"
    "    r = T.alloc_local((4,), \"float32\", layout=\"default\")\n"
    "    q = T.alloc_local((4,), \"float32\", layout=\"default\")\n"
    "    T.cuda.tile.apply(T.ptx[\"ld.global.v4.f32\"], r.view(1, 4), X[t, 0:4])\n"
    "    T.cuda.tile.ewise(clamp_scale, q, r, T.float32(3))\n"
    "    for j in range(4):\n"
    "        Y[t, j] = q[j]\n";

static void the_listing_clamps_and_scales(void **state)
{
    (void)state;
    uint32_t x[256], y[256] = {0};
    for (int i = 0; i < 256; i++)
        x[i] = bits_of((float)(i % 17 - 8) / 4);
    run_movement("clamp_scale", clamp_scale, "sm_80", "ld.global.v4.f32", 1,
                 (struct move_tensor[]){{"X", x, sizeof x}, {"Y", y, sizeof y}}, 2);
    for (int i = 0; i < 256; i++)
        assert_int_equal(y[i], float_of(x[i]) < 0 ? 0 : bits_of(float_of(x[i]) * 3));
}

static const char steps[] =
    "@T.function(private=True)\n"
    "def steps(x: T.int32, y: T.int32) -> T.int32:\n"
    "    seen = T.alloc_local((2,), \"int32\", layout=\"default\")\n"
    "    seen[0] = y\n"
    "    total = x\n"
    "    if x > 10:\n"
    "        if y > 10:\n"
    "            return x - seen[0]\n"
    "        elif y > 5:\n"
    "            total = x * 2\n"
    "    else:\n"
    "        x = x + 1\n"
    "        for i in range(3):\n"
    "            total = total + x\n"
    "        if y == 0:\n"
    "            return T.int32(-1)\n"
    "    return total + y\n";

static int32_t steps_of(int32_t x, int32_t y)
{
    int32_t total = x;
    if (x > 10) {
        if (y > 10)
            return x - y;
        if (y > 5)
            total = x * 2;
    } else {
        x = x + 1;
        total += 3 * x;
        if (y == 0)
            return -1;
    }
    return total + y;
}

static void every_path_of_a_function_returns_its_value(void **state)
{
    struct bench_room *room = *state;
    uint32_t in[128], out[128] = {0};
    for (uint32_t i = 0; i < 128; i++)
        in[i] = i * 7 % 23;
    run_words("steps", words_text(room, steps, "int32",
              "    y = T.alloc_local((4,), \"int32\", layout=\"default\")\n"
              "    for i in range(4):\n"
              "        y[i] = In[t, 3 - i]\n"
              "    T.cuda.tile.ewise(steps, q.view(2, 2), r.view(2, 2), y.view(2, 2))\n"), "bar", 0, in, out);
    for (int i = 0; i < 128; i++)
        assert_int_equal((int32_t)out[i], steps_of((int32_t)in[i], (int32_t)in[i / 4 * 4 + 3 - i % 4]));
}

static const char weighted[] =
    "@T.function(private=True)\n"
    "def weighted(x: T.uint32, w: T.uint32, c: T.uint32):\n"
    "    return x * w + c\n";

/* An input is broadcast by a stride of 0, a scalar to every coordinate; dst may be an input. */
static void inputs_are_broadcast_by_strides_of_zero(void **state)
{
    struct bench_room *room = *state;
    uint32_t in[128], out[128] = {0};
    fill_bytes(in, sizeof in, 8);
    run_words("weighted", words_text(room, weighted, "uint32",
              "    row = T.TileLayout(T.S[(2, 2) : (0, 1)])\n"
              "    T.cuda.tile.ewise(weighted, q.view(2, 2), q.view(2, 2), r.view(2, 2, layout=row), T.cast(t, \"uint32\"))\n"),
              "bar", 0, in, out);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(out[i], in[i] * in[i / 4 * 4 + i % 2] + i / 4);
}

/* At warp scope the lane is a coordinate: a fragment's elements are evaluated where they are. */
static void at_warp_scope_a_lane_evaluates_what_it_owns(void **state)
{
    struct bench_room *room = *state;
    uint32_t in[128], out[128] = {0};
    fill_bytes(in, sizeof in, 12);
    run_words("warp", words_text(room, weighted, "uint32",
              "    own = T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1)])\n"
              "    T.cuda.tile.ewise(weighted, q.view(32, 4, layout=own), r.view(32, 4, layout=own), T.uint32(5), T.uint32(1), scope=\"warp\")\n"),
              "bar", 0, in, out);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(out[i], in[i] * 5 + 1);
}

/* ---- by way of CUDA --------------------------------------------------------------------------------------------------- */

static void same_by_cuda(const char *what, const char *text, const char *arch, const char *flags)
{
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *ours, *theirs;
    const char *cuda, *contract;
    size_t len;
    if (tw_compile(ctx, "k.py", text, strlen(text), &(tw_compile_opts){.arch = arch}, &ours) != TW_OK)
        fail_msg("%s\n%s", what, tw_diagnostics(ctx, TW_TEXT));
    assert_int_equal(tw_module_text(ours, TW_EMIT_CUDA, &cuda, &len), TW_OK);
    assert_int_equal(tw_module_text(ours, TW_EMIT_LAUNCH, &contract, &len), TW_OK);
    char *ptx = nvcc_ptx(what, cuda, arch, flags);
    assert_int_equal(tw_module_parse(ctx, "nvcc.ptx", ptx, strlen(ptx), &theirs), TW_OK);
    expect_same_bits(what, ctx, ours, theirs, contract, "ints", "3", 1);
    expect_same_bits(what, ctx, ours, theirs, contract, "bits", "3", 2);
    tw_module_destroy(theirs);
    tw_module_destroy(ours);
    tw_ctx_destroy(ctx);
    free(ptx);
}

/* A kernel with one of each: vectors, a predicate, shared and .local memory, atomics, shuffles, conversions. */
static const char mixture[] =
    "from tvm.script import tirx as T\n"
    "@T.function\n"
    "def k(In: T.Tensor((64, 4), \"uint32\"), Out: T.Tensor((64, 4), \"uint32\"), Sum: T.Tensor((64,), \"uint32\"), Half: T.Tensor((64, 4), \"float16\")):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=64))\n"
    "    t = T.cuda.thread_idx(\"x\")\n"
    "    r = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
    "    q = T.alloc_local((4,), \"uint32\", layout=\"default\")\n"
    "    h = T.alloc_local((4,), \"float16\", layout=\"default\")\n"
    "    m = T.alloc_local((4, 4), \"uint32\", layout=\"default\")\n"
    "    s = T.alloc_shared((64, 4), \"uint32\", layout=\"default\")\n"
    "    for i in range(4):\n"
    "        r[i] = T.uint32(9)\n"
    "    T.cuda.tile.apply(T.ptx[\"ld.global.nc.v4.u32\"], r.view(1, 4), In[t, 0:4], pred=t % 3 != 0, preserve_dst=True)\n"
    "    T.cuda.tile.apply(T.ptx[\"st.shared.v2.u32\"], s.view(64, 2, 2)[t, 0:2, 0:2], r.view(1, 2, 2))\n"
    "    T.cuda.tile.apply(T.ptx[\"st.local.v4.b32\"], m[t % 4 : t % 4 + 1, 0:4], r.view(1, 4))\n"
    "    T.cuda.cta_sync()\n"
    "    T.cuda.tile.apply(T.ptx[\"ld.shared.v4.b32\"], q.view(1, 4), s[t ^ 5, 0:4])\n"
    "    T.cuda.tile.apply(T.ptx[\"ld.local.v4.b32\"], r.view(1, 4), m[t % 4 : t % 4 + 1, 0:4])\n"
    "    T.cuda.tile.apply(T.ptx[\"add.u32\"], q.view(4, 1), q.view(4, 1), r.view(4, 1))\n"
    "    T.cuda.tile.apply(T.ptx[\"shfl.sync.bfly.b32\"], q.view(4, 1), q.view(4, 1), T.uint32(1), T.uint32(31), T.uint32(0xffffffff))\n"
    "    T.cuda.tile.apply(T.ptx[\"cvt.rn.f16.u32\"], h.view(4, 1), q.view(4, 1))\n"
    "    T.cuda.tile.apply(T.ptx[\"atom.global.add.u32\"], r.view(4, 1)[0:1, 0:1], Sum.view(64, 1)[t // 2 : t // 2 + 1, 0:1], q.view(4, 1)[1:2, 0:1])\n"
    "    T.cuda.tile.apply(T.ptx[\"red.global.max.u32\"], Sum.view(64, 1)[32 + t // 2 : 32 + t // 2 + 1, 0:1], q.view(4, 1)[2:3, 0:1])\n"
    "    T.cuda.tile.apply(T.ptx[\"st.global.v4.b32\"], Out[t, 0:4], q.view(1, 4))\n"
    "    T.cuda.tile.apply(T.ptx[\"st.global.v4.b16\"], Half[t, 0:4], h.view(1, 4))\n";

static const char matrices[] =
    "from tvm.script import tirx as T\n"
    "from tvm.backend.cuda.layout import mma_shared_layout\n"
    "@T.function\n"
    "def k(In: T.Tensor((32, 64), \"float16\"), Out: T.Tensor((32, 64), \"float16\")):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"
    "    t = T.cuda.thread_idx(\"x\")\n"
    "    s = T.alloc_shared((32, 64), \"float16\", layout=mma_shared_layout(\"float16\", 3, (32, 64)), align=1024)\n"
    "    r = T.alloc_local((32,), \"uint32\", layout=\"default\")\n"
    "    T.cuda.tile.apply(T.ptx[\"cp.async.cg.shared.global\"], s.view(32, 8, 8)[t, 0:8, 0:8], In.view(32, 8, 8)[t, 0:8, 0:8], chunk_bytes=16)\n"
    "    T.ptx.cp_async.wait_all()\n"
    "    T.cuda.cta_sync()\n"
    "    words = s.view(\"uint32\").rearrange(\"(m r) (c w) -> c m r w\", m=4, c=8)\n"
    "    T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16\"], r.view(8, 4, 8, 4, layout=T.TileLayout(T.S[(8, 4, 8, 4) : (4, 1, 4 @ T.cuda.Axis.laneid, 1 @ T.cuda.Axis.laneid)])), words, scope=\"warp\")\n"
    "    T.cuda.cta_sync()\n"
    "    T.cuda.tile.apply(T.ptx[\"stmatrix.sync.aligned.m8n8.x4.shared.b16\"], words, r.view(8, 4, 8, 4, layout=T.TileLayout(T.S[(8, 4, 8, 4) : (4, 1, 4 @ T.cuda.Axis.laneid, 1 @ T.cuda.Axis.laneid)])), scope=\"warp\")\n"
    "    T.cuda.cta_sync()\n"
    "    for c in range(64):\n"
    "        Out[t, c] = s[t, c]\n";

/* What sm_100 adds: 256 bits at once, matrices of bytes, vectors of atomics; and an ignored source. */
static const char newer[] =
    "from tvm.script import tirx as T\n"
    "Lane = T.cuda.Axis.laneid\n"
    "@T.function\n"
    "def k(In: T.Tensor((32, 8), \"uint32\"), Out: T.Tensor((32, 8), \"uint32\"), Sum: T.Tensor((32, 4), \"float32\"), Halves: T.Tensor((32, 2), \"uint32\")):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"
    "    t = T.cuda.thread_idx(\"x\")\n"
    "    r = T.alloc_local((8,), \"uint32\", layout=\"default\")\n"
    "    f = T.alloc_local((4,), \"float32\", layout=\"default\")\n"
    "    h = T.alloc_local((2,), \"uint32\", layout=\"default\")\n"
    "    s = T.alloc_shared((32, 4), \"uint32\", layout=\"default\")\n"
    "    m = r.view(2, 16, 4, layout=T.TileLayout(T.S[(2, 2, 8, 4) : (2, 1, 4 @ Lane, 1 @ Lane)]))\n"
    "    T.cuda.tile.apply(T.ptx[\"ld.global.v8.b32\"], r.view(1, 8), In[t, 0:8])\n"
    "    T.cuda.tile.apply(T.ptx[\"st.global.v8.b32\"], Out[t ^ 3, 0:8], r.view(1, 8))\n"
    "    T.cuda.tile.apply(T.ptx[\"cp.async.cg.shared.global\"], s[t, 0:4], In[t, 4:8], chunk_bytes=16, ignore_src=t % 2 == 1)\n"
    "    T.ptx.cp_async.wait_all()\n"
    "    T.cuda.cta_sync()\n"
    "    T.cuda.tile.apply(T.ptx[\"ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8\"], m, s.view(2, 16, 4), scope=\"warp\")\n"
    "    for i in range(4):\n"
    "        f[i] = T.float32(i + 1)\n"
    "    h[0] = T.uint32(0x3c004000)\n"
    "    h[1] = T.uint32(0x40003c00)\n"
    "    T.cuda.tile.apply(T.ptx[\"red.global.add.v4.f32\"], Sum[t // 2, 0:4], f.view(1, 4))\n"
    "    T.cuda.tile.apply(T.ptx[\"atom.global.max.noftz.v2.f16x2\"], h.view(1, 2), Halves[t, 0:2], h.view(1, 2))\n"
    "    for i in range(4):\n"
    "        Out[t, i] = r[i] + h[i % 2]\n";

static void cuda_text_leaves_the_same_bits(void **state)
{
    (void)state;
    if (!have_nvcc())
        skip();
    char *gemm = read_whole("examples/mma_sync/gemm_cp_async.py");
    same_by_cuda("clamp_scale", clamp_scale, "sm_80", "");
    same_by_cuda("mixture", mixture, "sm_80", "");
    same_by_cuda("matrices", matrices, "sm_90", "");
    same_by_cuda("newer", newer, "sm_100a", "");
    same_by_cuda("gemm_cp_async", gemm, "sm_80", "");
    free(gemm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_operation_on_registers_gives_its_result),
        ROOM_TEST(shuffles_read_other_lanes),
        ROOM_TEST(the_listing_clamps_and_scales),
        ROOM_TEST(every_path_of_a_function_returns_its_value),
        ROOM_TEST(inputs_are_broadcast_by_strides_of_zero),
        ROOM_TEST(at_warp_scope_a_lane_evaluates_what_it_owns),
        ROOM_TEST(cuda_text_leaves_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
