/* Data that moves through tensor memory by tile.apply and arrives: every shape of tcgen05.ld and st, packed and not, every
 * shape of tcgen05.cp, and ld.red. Where an element must be is said by the formulas of tcgen05.md 2.2, 2.3 and 2.5, in the
 * kernel's own index arithmetic or in the table here. */
#include "support/check.h"

#include "tilewright/tilewright.h"

#include <stdio.h>
#include <stdlib.h>

enum { LANES = 128, COLS = 32, CELLS = LANES * COLS };

static const char head[] =
    "from tvm.script import tirx as T\n"
    "from tvm.backend.cuda.layout import mma_shared_layout, tcgen05_atom_layout\n"
    "Lane, Col, Warp, Thread = T.cuda.Axis.TLane, T.cuda.Axis.TCol, T.cuda.Axis.wid_in_wg, T.cuda.Axis.laneid\n"
    "@T.function\n"
    "def k(In: T.Tensor((128, 32), \"uint32\"), Out: T.Tensor((128, 32), \"uint32\")):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))\n"
    "    tid = T.cuda.thread_idx(\"x\")\n"
    "    warp = T.cuda.warp_id()\n"
    "    lane = T.cuda.lane_id()\n"
    "    slot = T.alloc_shared((1,), \"uint32\", layout=\"default\")\n"
    "    done = T.alloc_shared((1,), \"uint64\", layout=\"default\")\n"
    "    if warp == 0:\n"
    "        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(32))\n"
    "    if tid == 0:\n"
    "        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))\n"
    "    T.cuda.cta_sync()\n"
    "    cells = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((128, 32), \"uint32\", scope=\"tmem\")])\n"
    "    halves = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((128, 32), \"uint16\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 32) : (1 @ Lane, 2 @ Col)]))])\n"
    "    plain = T.wg_reg_tile(32, \"uint32\")\n"
    "    row = plain.view(32, layout=\"default\")\n";

/* In goes into the cells, a row a lane. */
static const char fill[] =
    "    for c in range(32):\n"
    "        row[c] = In[tid, c]\n"
    "    T.cuda.tile.apply(T.ptx[\"tcgen05.st.sync.aligned.32x32b.x32.b32\"], cells.view(4, 32, 32), plain.view(4, 32, 32), scope=\"warpgroup\")\n"
    "    T.ptx.tcgen05.wait__st.sync.aligned()\n";

/* The cells go to Out, a lane a row. */
static const char give[] =
    "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.sync.aligned.32x32b.x32.b32\"], plain.view(4, 32, 32), cells.view(4, 32, 32), scope=\"warpgroup\")\n"
    "    T.ptx.tcgen05.wait__ld.sync.aligned()\n"
    "    for c in range(32):\n"
    "        Out[tid, c] = row[c]\n";

static const char tail[] =
    "    T.cuda.cta_sync()\n"
    "    if warp == 0:\n"
    "        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(slot[0], T.uint32(32))\n";

/* Runs a kernel on words that all differ. */
static void run(struct bench_room *room, const char *what, const char *body, const char *arch, uint32_t *in, uint32_t *out)
{
    const char *text = tw_format(&room->arena, "%s%s%s", head, body, tail);
    tw_ctx *ctx = tw_ctx_create(NULL);
    tw_module *module;
    tw_device *device;
    tw_args *args;
    tw_launch *launch;
    uint64_t address, bytes;
    if (tw_compile(ctx, "k.py", text, strlen(text), &(tw_compile_opts){.arch = arch}, &module) != TW_OK)
        fail_msg("%s\n%s", what, tw_diagnostics(ctx, TW_TEXT));
    assert_int_equal(tw_device_create(ctx, NULL, &device), TW_OK);
    assert_int_equal(tw_args_create(device, module, NULL, NULL, NULL, 0, &args), TW_OK);
    for (uint32_t i = 0; i < CELLS; i++)
        in[i] = (i * 2654435761u) ^ i;
    assert_int_equal(tw_args_tensor(args, "In", &address, &bytes), TW_OK);
    assert_int_equal(tw_write(device, address, in, bytes), TW_OK);
    assert_int_equal(tw_args_launch(args, NULL, &launch), TW_OK);
    if (tw_launch_run(launch, 0) != TW_OK)
        fail_msg("%s\n%s", what, tw_diagnostics(ctx, TW_TEXT));
    assert_int_equal(tw_args_tensor(args, "Out", &address, &bytes), TW_OK);
    assert_int_equal(tw_read(device, address, out, bytes), TW_OK);
    tw_launch_destroy(launch);
    tw_args_destroy(args);
    tw_device_destroy(device);
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
}

/* ---- ld and st -------------------------------------------------------------------------------------------- */

/* A register fragment of 32 columns: `regs` registers for each part of the lanes, and where register r of a lane is. */
struct shape_case {
    const char *shape, *layout, *registers, *tensor, *row, *column;
    int parts, regs;
};

#define ATOM(name) "tcgen05_atom_layout(\"" name "\", (128, 32), \"float32\")"
#define TWO "frag.view(4, 2, 16, 32)", "cells.rearrange(\"(w h r) c -> w h r c\", w=4, h=2)"
static const struct shape_case shapes[] = {
    {"32x32b.x32", "T.TileLayout(T.S[(128, 32) : (1 @ T.cuda.Axis.tid_in_wg, 1)])", "frag.view(4, 32, 32)", "cells.view(4, 32, 32)", "lane", "r", 1, 32},
    {"16x64b.x16", ATOM("16x64b"), TWO, "lane // 4 + 8 * (lane % 2)", "lane // 2 % 2 + 2 * r", 2, 16},
    {"16x128b.x8", ATOM("16x128b"), TWO, "lane // 4 + 8 * (r % 2)", "lane % 4 + 4 * (r // 2)", 2, 16},
    {"16x256b.x4", ATOM("16x256b"), TWO, "lane // 4 + 8 * (r // 2 % 2)", "2 * (lane % 4) + r % 2 + 8 * (r // 4)", 2, 16},
    {"16x32bx2.x16", "T.TileLayout(T.S[(4, 2, 2, 16, 16) : (1 @ Warp, 16, 16 @ Thread, 1 @ Thread, 1)])", "frag.view(4, 2, 2, 16, 16)",
     "cells.rearrange(\"(w h r) (s c) -> w h s r c\", w=4, h=2, s=2)", "lane % 16", "r + 16 * (lane // 16)", 2, 16},
};

static const char *fragment(struct bench_room *room, const struct shape_case *s)
{
    return tw_format(&room->arena,
                     "    frag = T.alloc_tensor(ty_args=[T.Tensor((128, 32), \"uint32\", scope=\"local\", layout=%s)])\n"
                     "    mine = frag.view(32, layout=\"default\")\n", s->layout);
}

static const char *each_register(struct bench_room *room, const struct shape_case *s)
{
    return tw_format(&room->arena, "    for p in range(%d):\n        for r in range(%d):\n            ", s->parts, s->regs);
}

static const char *place(struct bench_room *room, const struct shape_case *s, const char *tensor)
{
    return tw_format(&room->arena, "%s[32 * warp + 16 * p + %s, %s]", tensor, s->row, s->column);
}

static void every_shape_loads_what_its_map_says(void **state)
{
    static uint32_t in[CELLS], out[CELLS];
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const struct shape_case *s = &shapes[i];
        const char *body = tw_format(&room->arena, "%s%s    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.sync.aligned.%s.b32\"], %s, %s, scope=\"warpgroup\")\n"
                                     "    T.ptx.tcgen05.wait__ld.sync.aligned()\n%s%s = mine[%d * p + r]\n",
                                     fill, fragment(room, s), s->shape, s->registers, s->tensor, each_register(room, s), place(room, s, "Out"), s->regs);
        run(room, s->shape, body, "sm_100a", in, out);
        assert_memory_equal(in, out, sizeof in);
    }
}

static void every_shape_stores_what_its_map_says(void **state)
{
    static uint32_t in[CELLS], out[CELLS];
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const struct shape_case *s = &shapes[i];
        const char *body = tw_format(&room->arena, "%s%smine[%d * p + r] = %s\n"
                                     "    T.cuda.tile.apply(T.ptx[\"tcgen05.st.sync.aligned.%s.b32\"], %s, %s, scope=\"warpgroup\")\n"
                                     "    T.ptx.tcgen05.wait__st.sync.aligned()\n%s",
                                     fragment(room, s), each_register(room, s), s->regs, place(room, s, "In"), s->shape, s->tensor, s->registers, give);
        run(room, s->shape, body, "sm_100a", in, out);
        assert_memory_equal(in, out, sizeof in);
    }
}

/* 16-bit elements: stored two to a register into the low halves of two cells, and loaded so. */
static void packed_elements_arrive(void **state)
{
    static const char body[] =
        "    pair = T.wg_reg_tile(32, \"uint16\")\n"
        "    item = pair.view(32, layout=\"default\")\n"
        "    for c in range(32):\n"
        "        item[c] = T.uint16(In[tid, c] & T.uint32(0xffff))\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.st.sync.aligned.32x32b.x16.unpack::16b.b32\"], halves.view(4, 32, 32), pair.view(4, 32, 32), scope=\"warpgroup\")\n"
        "    T.ptx.tcgen05.wait__st.sync.aligned()\n"
        "    back = T.alloc_tensor(ty_args=[T.Tensor((128, 32), \"uint16\", scope=\"local\", layout=T.TileLayout(T.S[(4, 2, 2, 16, 16) : (1 @ Warp, 16, 16 @ Thread, 1 @ Thread, 1)]))])\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.sync.aligned.16x32bx2.x8.pack::16b.b32\"], back.view(4, 2, 2, 16, 16),\n"
        "        halves.rearrange(\"(w h r) (s c) -> w h s r c\", w=4, h=2, s=2), scope=\"warpgroup\")\n"
        "    T.ptx.tcgen05.wait__ld.sync.aligned()\n"
        "    got = back.view(32, layout=\"default\")\n"
        "    for p in range(2):\n"
        "        for r in range(16):\n"
        "            Out[32 * warp + 16 * p + lane % 16, 16 * (lane // 16) + r] = T.uint32(got[16 * p + r])\n";
    static uint32_t in[CELLS], out[CELLS];
    run(*state, "packed", body, "sm_100a", in, out);
    for (uint32_t i = 0; i < CELLS; i++)
        assert_int_equal(out[i], in[i] & 0xffff);
}

struct reduction {
    const char *opcode, *dtype;
    uint32_t (*of)(uint32_t, uint32_t);
};

static uint32_t most_unsigned(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t least_signed(uint32_t a, uint32_t b)
{
    return (int32_t)a < (int32_t)b ? a : b;
}

/* The first loaded register is not read, so that only the reduction needs its value. */
static void a_reducing_load_gives_the_extreme_of_each_lane(void **state)
{
    static const struct reduction reductions[] = {{"max.u32", "uint32", most_unsigned}, {"min.s32", "int32", least_signed}};
    static uint32_t in[CELLS], out[CELLS];
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(reductions); i++) {
        const struct reduction *r = &reductions[i];
        const char *body = tw_format(&room->arena, "%s"
            "    all = T.wg_reg_tile(32, \"%s\")\n"
            "    one = T.wg_reg_tile(1, \"%s\")\n"
            "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.red.sync.aligned.32x32b.x32.%s\"], all.view(4, 32, 32), one.view(4, 32), cells.view(4, 32, 32), scope=\"warpgroup\")\n"
            "    T.ptx.tcgen05.wait__ld.sync.aligned()\n"
            "    found = one.view(1, layout=\"default\")\n"
            "    loaded = all.view(32, layout=\"default\")\n"
            "    Out[tid, 0] = T.uint32(found[0])\n"
            "    for c in range(1, 32):\n"
            "        Out[tid, c] = T.uint32(loaded[c])\n", fill, r->dtype, r->dtype, r->opcode);
        run(room, r->opcode, body, "sm_103a", in, out);
        for (uint32_t l = 0; l < LANES; l++) {
            uint32_t want = in[l * COLS];
            for (uint32_t c = 1; c < COLS; c++)
                want = r->of(want, in[l * COLS + c]);
            assert_int_equal(out[l * COLS], want);
            assert_memory_equal(&out[l * COLS + 1], &in[l * COLS + 1], (COLS - 1) * 4);
        }
    }
}

/* ---- cp ------------------------------------------------------------------------------------------------------ */

struct copy_case {
    const char *shape, *destination; /* layout */
    int rows, words;
    int lanes[4];   /* where source row r goes: lane(r) + each */
    int (*lane)(int row);
    int base;       /* lane of the destination */
};

static int same(int row)
{
    return row;
}

static int first_and_third(int row)
{
    return 64 * (row / 32) + row % 32;
}

static int quadrants(int row)
{
    return 32 * row;
}

static const struct copy_case copies[] = {
    {"128x256b", "T.S[(128, 8) : (1 @ Lane, 1 @ Col)]", 128, 8, {0, -1, -1, -1}, same, 0},
    {"128x128b", "T.S[(128, 4) : (1 @ Lane, 1 @ Col)]", 128, 4, {0, -1, -1, -1}, same, 0},
    {"4x256b", "T.S[(4, 8) : (32 @ Lane, 1 @ Col)] + 5 @ Lane", 4, 8, {0, -1, -1, -1}, quadrants, 5},
    {"64x128b.warpx2::02_13", "T.S[(64, 4) : (1 @ Lane, 1 @ Col)] + T.R[2 : 64 @ Lane]", 64, 4, {0, 64, -1, -1}, same, 0},
    {"64x128b.warpx2::01_23", "T.S[(2, 32, 4) : (64 @ Lane, 1 @ Lane, 1 @ Col)] + T.R[2 : 32 @ Lane]", 64, 4, {0, 32, -1, -1}, first_and_third, 0},
    {"32x128b.warpx4", "T.S[(32, 4) : (1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane]", 32, 4, {0, 32, 64, 96}, same, 0},
};

/* The source is In's first columns; rows of 16 bytes in groups of eight, the second 16 bytes of a row behind all rows. */
static const char *copy_body(struct bench_room *room, const struct copy_case *c, const char *expand)
{
    return tw_format(&room->arena,
        "    source = T.alloc_shared((%d, %d), \"uint32\", layout=T.TileLayout(T.S[(%d, %d, 4) : (4, %d, 1)]), align=128)\n"
        "    for c in range(32):\n        row[c] = T.uint32(0)\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.st.sync.aligned.32x32b.x32.b32\"], cells.view(4, 32, 32), plain.view(4, 32, 32), scope=\"warpgroup\")\n"
        "    T.ptx.tcgen05.wait__st.sync.aligned()\n"
        "    if tid < %d:\n        for w in range(%d):\n            source[tid, w] = In[tid, w]\n"
        "    T.ptx.fence.proxy.async_.shared__cta()\n"
        "    T.ptx.tcgen05.fence__before_thread_sync()\n"
        "    T.cuda.cta_sync()\n"
        "    into = T.cuda.decl_tmem(slot[0] + T.uint32(8), ty_args=[T.Tensor((%d, %d), \"uint32\", scope=\"tmem\", layout=T.TileLayout(%s))])\n"
        "    if tid == 0:\n"
        "        T.ptx.tcgen05.fence__after_thread_sync()\n"
        "        T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.%s%s\"], into, source, sdo_bytes=%d, ldo_bytes=%d)\n"
        "        T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))\n"
        "    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)\n"
        "    T.ptx.tcgen05.fence__after_thread_sync()\n%s",
        c->rows, c->words, c->rows, c->words / 4, 4 * c->rows, c->rows, c->words, c->rows, c->words, c->destination, c->shape, expand,
        c->rows > 8 ? 128 : 0, c->words > 4 ? 16 * c->rows : 0, give);
}

/* The four words that 16 source bytes become. SOURCE: tcgen05 2.5, decompression. */
static void expanded(const char *format, const uint32_t *unit, uint32_t *words)
{
    const int bits = format[0] == '\0' ? 32 : strstr(format, "b4x16") != NULL ? 4 : 6;
    for (int i = 0; i < 4; i++)
        words[i] = bits == 32 ? unit[i] : 0;
    for (int i = 0; i < 16 && bits != 32; i++) {
        uint32_t code = 0;
        for (int b = 0; b < bits; b++)
            code |= (unit[(bits * i + b) / 32] >> (bits * i + b) % 32 & 1) << b;
        words[i / 4] |= (bits == 4 ? code << 2 : code) << (8 * (i % 4));
    }
}

static void every_copy_arrives_in_all_its_lanes(void **state)
{
    static const char *const formats[] = {"", ".b8x16.b4x16_p64", ".b8x16.b6x16_p32"};
    static uint32_t in[CELLS], out[CELLS], want[CELLS];
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(copies) * COUNT(formats); i++) {
        const struct copy_case *c = &copies[i / COUNT(formats)];
        const char *format = formats[i % COUNT(formats)];
        run(room, c->shape, copy_body(room, c, format), "sm_100a", in, out);
        memset(want, 0, sizeof want);
        for (int row = 0; row < c->rows; row++)
            for (int w = 0; w < c->words; w += 4)
                for (int copy = 0; copy < 4; copy++)
                    if (c->lanes[copy] >= 0)
                        expanded(format, &in[row * COLS + w], &want[(c->base + c->lane(row) + c->lanes[copy]) * COLS + 8 + w]);
        if (memcmp(want, out, sizeof want) != 0)
            fail_msg("%s%s: other cells than the table says", c->shape, format);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_shape_loads_what_its_map_says),
        ROOM_TEST(every_shape_stores_what_its_map_says),
        ROOM_TEST(packed_elements_arrive),
        ROOM_TEST(a_reducing_load_gives_the_extreme_of_each_lane),
        ROOM_TEST(every_copy_arrives_in_all_its_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
