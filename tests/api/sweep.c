#include "api/sweep.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- drawing ----------------------------------------------------------------------------------------- */

enum { F16, TF32, F8, I8, MXF8, MXF4, NVF4, KINDS };
static const struct sweep_kind kinds[KINDS] = {
    [F16] = {"f16", 16, 16, false},     [TF32] = {"tf32", 8, 32, false}, [F8] = {"f8f6f4", 32, 8, false},
    [I8] = {"i8", 32, 8, false},        [MXF8] = {"mxf8f6f4", 32, 8, true}, [MXF4] = {"mxf4", 64, 4, true},
    [NVF4] = {"mxf4nvf4", 64, 4, true},
};

static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 10) % below;
}

static int kind_of(const struct sweep_case *c)
{
    return (int)(c->kind - kinds);
}

static void draw_formats(struct sweep_case *c, uint32_t *s)
{
    static const enum example_format small[] = {EX_E4M3, EX_E5M2, EX_E2M1_UNITS, EX_E3M2_UNITS, EX_E2M3_UNITS};
    c->d = EX_F32;
    if (kind_of(c) == F16) {
        c->a = c->b = draw(s, 2) ? EX_F16 : EX_BF16;
        c->d = c->a == EX_F16 && draw(s, 3) == 0 ? EX_F16 : EX_F32;
    } else if (kind_of(c) == TF32) {
        c->a = c->b = EX_F32;
    } else if (kind_of(c) == I8) {
        c->a = draw(s, 2) ? EX_S8 : EX_U8;
        c->b = draw(s, 2) ? EX_S8 : EX_U8;
        c->d = EX_S32;
    } else if (kind_of(c) == MXF4 || kind_of(c) == NVF4) {
        c->a = c->b = EX_E2M1;
    } else {
        c->a = small[draw(s, 5)];
        c->b = small[draw(s, 5)];
        c->d = kind_of(c) == F8 && draw(s, 3) == 0 ? EX_F16 : EX_F32;
    }
}

static void draw_scales(struct sweep_case *c, uint32_t *s)
{
    static const char *const one[] = {".block_scale.scale_vec::1X", ".block_scale.block32", ".block_scale"};
    static const char *const two[] = {".block_scale.scale_vec::2X", ".block_scale.block32", ".block_scale"};
    static const char *const four[] = {".block_scale.scale_vec::4X", ".block_scale.block16"};
    c->scale = "";
    if (!c->kind->scaled)
        return;
    const bool fine = kind_of(c) == NVF4 && draw(s, 3) != 0;
    c->per_step = kind_of(c) == MXF8 ? 1 : fine ? 4 : 2;
    c->scale = kind_of(c) == MXF8 ? one[draw(s, 3)] : fine ? four[draw(s, 2)] : two[draw(s, kind_of(c) == NVF4 ? 2 : 3)];
    c->sf = fine && draw(s, 2) ? EX_UE4M3 : EX_UE8M0;
}

static void draw_shape(struct sweep_case *c, uint32_t *s)
{
    static const int ws_m[] = {32, 64, 128}, ws_n[] = {64, 128, 256};
    const bool ws = !c->kind->scaled && draw(s, 4) == 0;
    c->form = ws ? "ws." : "";
    c->group = ws ? 1 : 1 + (int)draw(s, 2);
    if (ws) {
        c->m = ws_m[draw(s, 3)];
        c->n = ws_n[draw(s, 3)];
    } else {
        c->m = c->kind->scaled && c->group == 1 ? 128 : 64 * c->group << draw(s, 2);
        const int step = 8 * c->group * (kind_of(c) == I8 ? 2 : 1);
        c->n = step * (1 + (int)draw(s, (uint32_t)(256 / step)));
        if (kind_of(c) == I8 && c->group == 1 && draw(s, 8) == 0)
            c->n = draw(s, 2) ? 8 : 24; /* the steps between, which this kind has of the smallest alone */
    }
    c->path = ws ? (c->m == 128 ? 'D' : c->m == 64 ? 'E' : 'G') : c->group == 2 ? (c->m == 256 ? 'A' : 'B') : c->m == 128 ? 'D' : 'F';
    c->lane = c->path == 'F' ? 16 * (int)draw(s, 2) : 0;
}

static bool may_be_mn(const struct sweep_case *c, enum example_format f)
{
    return f == EX_E4M3 || f == EX_E5M2 || (!c->kind->scaled && kind_of(c) != F8);
}

/* The widest swizzle row that the contiguous bytes fill, or any below it. */
static int draw_mode(uint32_t *s, int contiguous_bytes)
{
    int most = 0;
    while (most < 3 && contiguous_bytes % (32 << most) == 0)
        most++;
    return (int)draw(s, (uint32_t)most + 1);
}

static void draw_layouts(struct sweep_case *c, uint32_t *s)
{
    const int rows_a = c->m / c->group * c->m_repeat, rows_b = c->n / c->group * c->n_repeat, k_bytes = 32 * c->steps;
    const int element = c->kind->container / 8;
    c->a_mn = !c->a_in_tmem && may_be_mn(c, c->a) && draw(s, 3) == 0 && rows_a % 32 == 0;
    c->b_mn = may_be_mn(c, c->b) && draw(s, 3) == 0 && (c->n / c->group) % (element == 4 ? 32 : 16) == 0;
    c->a_mode = c->a_mn ? (element == 4 ? 4 : draw_mode(s, rows_a / c->m_repeat * element)) : draw_mode(s, k_bytes);
    c->b_mode = c->b_mn ? (element == 4 ? 4 : draw_mode(s, rows_b / c->n_repeat * element)) : draw_mode(s, k_bytes);
}

int sweep_banks(const struct sweep_case *c)
{
    return c->path == 'B' || c->path == 'E' ? 2 : c->path == 'G' ? 4 : 1;
}

int sweep_d_columns(const struct sweep_case *c)
{
    return c->m_repeat * c->n_repeat * c->n / sweep_banks(c);
}

struct sweep_case sweep_draw(uint32_t number)
{
    uint32_t s = number * 2654435761u + 12345;
    struct sweep_case c = {.number = number, .kind = &kinds[draw(&s, KINDS)]};
    draw_formats(&c, &s);
    draw_scales(&c, &s);
    draw_shape(&c, &s);
    c.steps = 1 << draw(&s, c.kind->scaled && c.per_step != 1 ? 2 : 3);
    c.a_in_tmem = draw(&s, 3) == 0;
    const bool repeats = !c.kind->scaled && draw(&s, 3) == 0;
    c.m_repeat = repeats && !c.a_in_tmem ? 1 + (int)draw(&s, 2) : 1;
    c.n_repeat = repeats ? 1 + (int)draw(&s, 2) : 1;
    if (sweep_d_columns(&c) > 256)
        c.m_repeat = c.n_repeat = 1;
    c.negate_a = kind_of(&c) != I8 && draw(&s, 4) == 0;
    c.negate_b = kind_of(&c) != I8 && draw(&s, 4) == 0;
    c.accum = draw(&s, 2);
    c.saturate = kind_of(&c) == I8 && draw(&s, 2); /* the sums are small, the bit is there */
    draw_layouts(&c, &s);
    return c;
}

const char *sweep_words(struct bench_room *room, const struct sweep_case *c)
{
    return tw_format(&room->arena, "case %u: %scta_group::%d.kind::%s%s M %d N %d, repeats %d x %d x %d, A %s%s mode %d, B%s mode %d, path %c lane %d%s",
                     c->number, c->form, c->group, c->kind->name, c->scale, c->m, c->n, c->m_repeat, c->n_repeat, c->steps,
                     c->a_in_tmem ? "in tensor memory" : "shared", c->a_mn ? " MN-major" : "", c->a_mode, c->b_mn ? " MN-major" : "",
                     c->b_mode, c->path, c->lane, c->accum ? ", accumulating" : "");
}

/* ---- the image of tensor memory ------------------------------------------------------------------------ */

static int row_cells(int rows)
{
    return (rows + 31) / 32;
}

/* Cells of one word of four factors for every row. */
static int scale_columns(const struct sweep_case *c, int rows)
{
    const int words = (c->steps * c->per_step + 3) / 4;
    return (words * row_cells(rows) + 7) / 8 * 8;
}

static int sfb_rows(const struct sweep_case *c)
{
    return c->path == 'B' ? c->n / 2 : c->n;
}

struct sweep_image sweep_image_of(const struct sweep_case *c)
{
    struct sweep_image i = {.a = sweep_d_columns(c)};
    i.a = (i.a + 7) / 8 * 8;
    i.sfa = i.a + (c->a_in_tmem ? 8 * c->steps : 0);
    i.sfb = i.sfa + (c->kind->scaled ? scale_columns(c, c->m / c->group) : 0);
    i.columns = i.sfb + (c->kind->scaled ? scale_columns(c, sfb_rows(c)) : 0);
    return i;
}

static int allocated(int columns)
{
    int n = 32;
    while (n < columns)
        n *= 2;
    return n;
}

/* ---- the program ----------------------------------------------------------------------------------------- */

static const char *dtype_of(const struct sweep_case *c, enum example_format f)
{
    static const char *const names[EX_FORMAT_COUNT] = {
        [EX_F16] = "float16", [EX_BF16] = "bfloat16", [EX_F32] = "float32", [EX_E4M3] = "float8_e4m3fn", [EX_E5M2] = "float8_e5m2",
        [EX_E2M1_UNITS] = "uint8", [EX_E3M2_UNITS] = "uint8", [EX_E2M3_UNITS] = "uint8", [EX_E2M1] = "float4_e2m1fn", [EX_UE8M0] = "float8_e8m0fnu",
        [EX_UE4M3] = "float8_e4m3fn", [EX_S8] = "int8", [EX_U8] = "uint8", [EX_S32] = "int32",
    };
    (void)c;
    return names[f];
}

/* What a thread loads and stores: whole bytes. */
static const char *storable(const struct sweep_case *c, enum example_format f)
{
    return f == EX_E2M1 ? "uint8" : dtype_of(c, f);
}

static int storable_k(const struct sweep_case *c)
{
    return c->kind->k * c->steps / (c->kind->container == 4 ? 2 : 1);
}

static void shared_tensor(struct text *t, const struct sweep_case *c, const char *name, enum example_format f, int rows, bool mn, int mode)
{
    const int k = c->kind->k * c->steps;
    if (mn && mode == 4)
        tw_text_addf(t, "    %s = T.alloc_shared((%d, %d), \"float32\", layout=T.ComposeLayout(3, 2, 2, T.TileLayout(T.S[(%d, %d, 32) : (32, %d, 1)])), align=512)\n",
                     name, k, rows, k, rows / 32, 32 * k);
    else
        tw_text_addf(t, "    %s = T.alloc_shared((%d, %d), \"%s\", layout=mma_shared_layout(\"%s\", %d, (%d, %d)), align=1024)\n", name,
                     mn ? k : rows, mn ? rows : k, dtype_of(c, f), dtype_of(c, f), mode, mn ? k : rows, mn ? rows : k);
}

static void fill_tensor(struct text *t, const struct sweep_case *c, const char *name, const char *from, enum example_format f, int rows, bool mn)
{
    const char *view = f == EX_E2M1 ? tw_format(t->arena, "%s_bytes", name) : name;
    if (f == EX_E2M1)
        tw_text_addf(t, "    %s = %s.view(\"uint8\")\n", view, name);
    tw_text_addf(t, "    for r in range(%d):\n        if 128 * r + tid < %d:\n            for k in range(%d):\n", (rows + 127) / 128, rows, storable_k(c));
    tw_text_addf(t, mn ? "                %s[k, 128 * r + tid] = %s[%d * rank + 128 * r + tid, k]\n"
                       : "                %s[128 * r + tid, k] = %s[%d * rank + 128 * r + tid, k]\n", view, from, rows);
}

/* The view (repeat, step, rows, K). */
static const char *steps_of(struct arena *arena, const struct sweep_case *c, const char *name, int repeat, int rows, bool mn)
{
    return mn ? tw_format(arena, "%s.rearrange(\"(s k) (r m) -> r s m k\", r=%d, k=%d).view(%d, %d, %d, %d)", name, repeat, c->kind->k, repeat, c->steps, rows, c->kind->k)
              : tw_format(arena, "%s.rearrange(\"(r m) (s k) -> r s m k\", r=%d, k=%d).view(%d, %d, %d, %d)", name, repeat, c->kind->k, repeat, c->steps, rows, c->kind->k);
}

static void declare_d(struct text *t, const struct sweep_case *c)
{
    const int rows = c->m / c->group, cell = c->d == EX_F16 ? 2 : 1, columns = c->n / sweep_banks(c);
    tw_text_addf(t, "    d = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((%d, %d, %d, %d), \"%s\", scope=\"tmem\", layout=T.TileLayout(T.S[(%d, %d, ",
                 c->m_repeat, c->n_repeat, rows, c->n, dtype_of(c, c->d), c->m_repeat, c->n_repeat);
    if (c->path == 'F')
        tw_text_addf(t, "4, 16, %d) : (%d @ Col, %d @ Col, 32 @ Lane, 1 @ Lane, %d @ Col)] + %d @ Lane))])\n", columns,
                     cell * c->n_repeat * columns, cell * columns, cell, c->lane);
    else
        tw_text_addf(t, "%d, %d, %d) : (%d @ Col, %d @ Col, 1 @ Lane, %d @ Lane, %d @ Col)]))])\n", rows, sweep_banks(c), columns,
                     cell * c->n_repeat * columns, cell * columns, rows, cell);
}

static const char *declare_a(struct text *t, const struct sweep_case *c, const struct sweep_image *i)
{
    const int rows = c->m / c->group, k = c->kind->k * c->steps, banks = sweep_banks(c);
    tw_text_addf(t, "    a = T.cuda.decl_tmem(slot[0] + T.uint32(%d), ty_args=[T.Tensor((%s%d, %d), \"%s\", scope=\"tmem\", layout=T.TileLayout(T.S[(", i->a,
                 banks > 1 ? tw_format(t->arena, "%d, ", banks) : "", rows, k, dtype_of(c, c->a));
    if (c->path == 'F')
        tw_text_addf(t, "4, 16, %d) : (32 @ Lane, 1 @ Lane, 1 @ Col)] + %d @ Lane))])\n", k, c->lane);
    else if (banks > 1)
        tw_text_addf(t, "%d, %d, %d) : (%d @ Lane, 1 @ Lane, 1 @ Col)]))])\n", banks, rows, k, rows);
    else
        tw_text_addf(t, "%d, %d) : (1 @ Lane, 1 @ Col)]))])\n", rows, k);
    if (banks > 1)
        return tw_format(t->arena, "a.rearrange(\"b m (s k) -> s b m k\", k=%d).view(1, %d, %d, %d, %d)", c->kind->k, c->steps, banks, rows, c->kind->k);
    return steps_of(t->arena, c, "a", 1, rows, false);
}

/* Four factors a cell; cells of a row group side by side, then the next four factors. The rows beyond `used` pad. */
static const char *declare_scales(struct text *t, const struct sweep_case *c, const char *name, int column, int rows, bool split)
{
    const int factors = c->steps * c->per_step, words = (factors + 3) / 4, in_word = factors / words;
    const int cells = row_cells(split ? rows / 2 : rows), padded = (split ? 2 : 1) * 32 * cells;
    tw_text_addf(t, "    %s = T.cuda.decl_tmem(slot[0] + T.uint32(%d), ty_args=[T.Tensor((%d, %d), \"%s\", scope=\"tmem\", layout=T.TileLayout(T.S[(%s%d, 32, %d, %d) : "
                 "(%s4 @ Col, 1 @ Lane, %d @ Col, 1 @ Col)] + T.R[%d : 32 @ Lane]))])\n",
                 name, column, padded, factors, dtype_of(c, c->sf), split ? "2, " : "", cells, words, in_word, split ? "64 @ Lane, " : "", 4 * cells, split ? 2 : 4);
    const char *view = tw_format(t->arena, "%s.rearrange(\"r (s v) -> s r v\", v=%d).view(1, %d, %d, %d)", name, c->per_step, c->steps, padded, c->per_step);
    /* Between whole cells there is no layout of just so many rows: the operand has all rows of its cells. */
    return !split && rows < 32 ? tw_format(t->arena, "%s[:, :, 0:%d, :]", view, rows) : view;
}

static void move_image(struct text *t, const char *what, const char *array, int columns, bool in)
{
    tw_text_addf(t, "    for c in range(%d):\n", columns / 8);
    if (in)
        tw_text_addf(t, "        for j in range(8):\n            row[j] = %s[rank, tid, 8 * c + j]\n", array);
    tw_text_addf(t, "        T.cuda.tile.apply(T.ptx[\"tcgen05.%s.sync.aligned.32x32b.x8.b32\"], %s, scope=\"warpgroup\")\n", what,
                 in ? "cells.view(4, 32, COLS)[:, :, 8 * c : 8 * c + 8], frag.view(4, 32, 8)" : "frag.view(4, 32, 8), cells.view(4, 32, COLS)[:, :, 8 * c : 8 * c + 8]");
    tw_text_addf(t, "        T.ptx.tcgen05.wait__%s.sync.aligned()\n", what);
    if (!in)
        tw_text_addf(t, "        for j in range(8):\n            %s[rank, tid, 8 * c + j] = row[j]\n", array);
}

static void head(struct text *t, const struct sweep_case *c, const struct sweep_image *i)
{
    tw_text_addf(t, "from tvm.script import tirx as T\nfrom tvm.backend.cuda.layout import mma_shared_layout\nLane, Col = T.cuda.Axis.TLane, T.cuda.Axis.TCol\nCOLS = %d\n"
                 "@T.function\ndef k%u(A: T.Tensor((%d, %d), \"%s\"), B: T.Tensor((%d, %d), \"%s\"), Image: T.Tensor((%d, 128, %d), \"uint32\"), Out: T.Tensor((%d, 128, %d), \"uint32\"), more: T.int32):\n",
                 i->columns, c->number, c->m * c->m_repeat, storable_k(c), storable(c, c->a), c->n * c->n_repeat, storable_k(c), storable(c, c->b),
                 c->group, i->columns, c->group, (sweep_d_columns(c) + 7) / 8 * 8);
    tw_text_addf(t, "    T.device_entry(launch=T.cuda.LaunchConfig(grid=%d, block=128%s))\n    tid = T.cuda.thread_idx(\"x\")\n    warp = T.cuda.warp_id()\n    rank = %s\n"
                 "    slot = T.alloc_shared((1,), \"uint32\", layout=\"default\")\n    done = T.alloc_shared((1,), \"uint64\", layout=\"default\")\n"
                 "    if warp == 0:\n        T.ptx.tcgen05.alloc.cta_group__%d.sync.aligned.shared__cta.b32(T.address_of(slot), T.uint32(%d))\n"
                 "    if tid == 0:\n        T.ptx.mbarrier.init.shared.b64(done.ptr_to([0]), T.uint32(1))\n        T.ptx.fence.mbarrier_init.release.cluster()\n",
                 c->group, c->group == 2 ? ", cluster=2" : "", c->group == 2 ? "T.cuda.cluster_ctarank()" : "0", c->group, allocated(i->columns));
}

static void call(struct text *t, const struct sweep_case *c, const char *a, const char *b, const char *sfa, const char *sfb)
{
    static const char *const packed[EX_FORMAT_COUNT] = {[EX_F32] = "tf32", [EX_E2M1_UNITS] = "float4_e2m1fn", [EX_E3M2_UNITS] = "float6_e3m2fn",
                                                      [EX_E2M3_UNITS] = "float6_e2m3fn"};
    tw_text_addf(t, "            T.cuda.tile.apply(T.ptx[\"tcgen05.mma.%scta_group::%d.kind::%s%s\"], d, %s, %s%s%s%s%s, instruction_shape=(%d, %d, %d), accum=more > 0",
                 c->form, c->group, c->kind->name, c->scale, a, b, sfa == NULL ? "" : ", ", sfa == NULL ? "" : sfa, sfb == NULL ? "" : ", ", sfb == NULL ? "" : sfb,
                 c->m, c->n, c->kind->k);
    if (packed[c->a] != NULL)
        tw_text_addf(t, ", a_format=\"%s\"", packed[c->a]);
    if (packed[c->b] != NULL)
        tw_text_addf(t, ", b_format=\"%s\"", packed[c->b]);
    tw_text_addf(t, "%s%s%s%s%s)\n", c->a_mn ? ", a_major=\"mn\"" : "", c->b_mn ? ", b_major=\"mn\"" : "", c->negate_a ? ", neg_a=True" : "", c->negate_b ? ", neg_b=True" : "", c->saturate ? ", sat_d=True" : "");
}

const char *sweep_program(struct bench_room *room, const struct sweep_case *c)
{
    const struct sweep_image i = sweep_image_of(c);
    const int rows_a = c->m / c->group, rows_b = c->n / c->group;
    struct text t;
    tw_text_init(&t, &room->arena);
    head(&t, c, &i);
    if (!c->a_in_tmem) {
        shared_tensor(&t, c, "a", c->a, rows_a * c->m_repeat, c->a_mn, c->a_mode);
        fill_tensor(&t, c, "a", "A", c->a, rows_a * c->m_repeat, c->a_mn);
    }
    shared_tensor(&t, c, "b", c->b, rows_b * c->n_repeat, c->b_mn, c->b_mode);
    fill_tensor(&t, c, "b", "B", c->b, rows_b * c->n_repeat, c->b_mn);
    tw_text_add(&t, "    T.ptx.fence.proxy.async_.shared__cta()\n    T.cuda.cta_sync()\n");
    declare_d(&t, c);
    const char *a = c->a_in_tmem ? declare_a(&t, c, &i) : steps_of(&room->arena, c, "a", c->m_repeat, rows_a, c->a_mn);
    const char *b = steps_of(&room->arena, c, "b", c->n_repeat, rows_b, c->b_mn), *sfa = NULL, *sfb = NULL;
    if (c->kind->scaled) {
        sfa = declare_scales(&t, c, "sfa", i.sfa, rows_a, false);
        sfb = declare_scales(&t, c, "sfb", i.sfb, c->n, c->path == 'B');
    }
    tw_text_add(&t, "    cells = T.cuda.decl_tmem(slot[0], ty_args=[T.Tensor((128, COLS), \"uint32\", scope=\"tmem\")])\n"
                    "    frag = T.wg_reg_tile(8, \"uint32\")\n    row = frag.view(8, layout=\"default\")\n");
    move_image(&t, "st", "Image", i.columns, true);
    tw_text_addf(&t, "    T.ptx.tcgen05.fence__before_thread_sync()\n    T.cuda.%s_sync()\n    if rank == 0:\n        if tid == 0:\n            T.ptx.tcgen05.fence__after_thread_sync()\n",
                 c->group == 2 ? "cluster" : "cta");
    call(&t, c, a, b, sfa, sfb);
    if (c->group == 2)
        tw_text_add(&t, "            T.ptx[\"tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64\"](done.ptr_to([0]), T.uint16(3))\n");
    else
        tw_text_add(&t, "            T.ptx.tcgen05.commit.cta_group__1.mbarrier__arrive__one.shared__cluster.b64(done.ptr_to([0]))\n");
    tw_text_add(&t, "    T.cuda.mbarrier_wait(done.ptr_to([0]), 0)\n    T.ptx.tcgen05.fence__after_thread_sync()\n");
    move_image(&t, "ld", "Out", (sweep_d_columns(c) + 7) / 8 * 8, false);
    tw_text_addf(&t, "    T.cuda.%s_sync()\n    if warp == 0:\n        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__%d.sync.aligned()\n"
                 "        T.ptx.tcgen05.dealloc.cta_group__%d.sync.aligned.b32(slot[0], T.uint32(%d))\n",
                 c->group == 2 ? "cluster" : "cta", c->group, c->group, allocated(i.columns));
    return t.at;
}
