/* Every form of tcgen05.mma and its companions: operand by operand, the words that the instructions carry.
 * SOURCE: tcgen05 2.2, 2.5 (descriptor of the scale copy), 4.4 (worked instruction descriptors), 6.3, 7.2;
 * kernel-language-tile 7.3, 7.5. */
#include "tile/text_kernel.h"

#include "tile/words.h"

/* Instruction number `index` with this mnemonic; its operand `operand` is `want` with base 0x40 and shared memory at 0x2000. */
struct word_case {
    uint32_t index, operand;
    uint64_t want;
};

struct form_case {
    const char *rule, *body, *mnemonic;
    uint32_t count; /* instructions with the mnemonic */
    struct word_case words[6];
};

#define D(rows, n, args) \
    "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((" rows ", " n "), \"float32\", scope=\"tmem\", " \
    "layout=tmem_mma_operand_layout(\"D\", (" rows ", " n "), \"float32\", " args "))])\n"
#define SHARED(name, dtype, rows, k, mode) \
    "    " name " = T.alloc_shared((" rows ", " k "), \"" dtype "\", layout=mma_shared_layout(\"" dtype "\", " mode ", (" rows ", " k ")), align=1024)\n"
#define SCALES(name, rows, factors, per, dtype) \
    "    " name " = T.cuda.decl_tmem(base, ty_args=[T.Tensor((" rows ", " factors "), \"" dtype "\", scope=\"tmem\", " \
    "layout=sf_tmem_layout(" rows ", " factors ", " per "))])\n"
#define MMA(opcode) "    T.cuda.tile.apply(T.ptx[\"tcgen05.mma." opcode "\"], "

static const struct form_case forms[] = {
    {"weight-stationary, M 64 N 64",
     D("64", "64", "M=64, cta_group=1, ws=True") SHARED("a", "float16", "64", "16", "1") SHARED("b", "float16", "64", "16", "1")
     MMA("ws.cta_group::1.kind::f16") "d.view(1, 1, 64, 64), a.view(1, 1, 64, 16), b.view(1, 1, 64, 16), instruction_shape=(64, 64, 16))\n",
     "tcgen05.mma.ws.cta_group::1.kind::f16", 1, {{0, 3, 0x04100010}, {0, 0, 0x40}}},
    {"weight-stationary, M 32: data path G",
     "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 64), \"float32\", scope=\"tmem\", layout=tmem_datapath_layout(\"G\", 32, 64))])\n"
     SHARED("a", "float16", "32", "16", "1") SHARED("b", "float16", "64", "16", "1")
     MMA("ws.cta_group::1.kind::f16") "d.view(1, 1, 32, 64), a.view(1, 1, 32, 16), b.view(1, 1, 64, 16), instruction_shape=(32, 64, 16))\n",
     "tcgen05.mma.ws.cta_group::1.kind::f16", 1, {{0, 3, 0x02100010}}},
    {"weight-stationary with a zero-column mask",
     D("128", "64", "M=128, cta_group=1, ws=True") SHARED("a", "float16", "128", "16", "1") SHARED("b", "float16", "64", "16", "1")
     MMA("ws.cta_group::1.kind::f16") "d.view(1, 1, 128, 64), a.view(1, 1, 128, 16), b.view(1, 1, 64, 16), instruction_shape=(128, 64, 16),\n"
     "        zero_column_mask=0x0003028000000000, accum=True)\n",
     "tcgen05.mma.ws.cta_group::1.kind::f16", 1, {{0, 4, 1}, {0, 5, 0x0003028000000000}}},
    {"mxf8f6f4: four steps of K share the cells and take bytes 0 to 3",
     D("128", "128", "M=128, cta_group=1") SHARED("a", "float8_e4m3fn", "128", "128", "3") SHARED("b", "float8_e4m3fn", "128", "128", "3")
     SCALES("sfa", "128", "4", "1", "float8_e8m0fnu") SCALES("sfb", "128", "4", "1", "float8_e8m0fnu")
     MMA("cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X") "d.view(1, 1, 128, 128),\n"
     "        a.rearrange(\"m (s k) -> s m k\", k=32).view(1, 4, 128, 32), b.rearrange(\"n (s k) -> s n k\", k=32).view(1, 4, 128, 32),\n"
     "        sfa.rearrange(\"m (s v) -> s m v\", v=1).view(1, 4, 128, 1), sfb.rearrange(\"n (s v) -> s n v\", v=1).view(1, 4, 128, 1),\n"
     "        instruction_shape=(128, 128, 32))\n",
     "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X", 4,
     {{0, 3, 0x08a00000}, {3, 3, 0x68a00030}, {0, 4, 0x40}, {3, 4, 0x40}, {3, 5, 0x40}, {3, 6, 1}}},
    {"mxf8f6f4 in a pair, e4m3 by e2m1, ids 2",
     D("128", "256", "M=256, cta_group=2") SHARED("a", "float8_e4m3fn", "128", "32", "1") SHARED("b", "uint8", "128", "32", "1")
     "    sfa = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 1), \"float8_e8m0fnu\", scope=\"tmem\", "
     "layout=T.TileLayout(T.S[(4, 32) : (4 @ Col, 1 @ Lane)] + T.R[4 : 32 @ Lane] + 2 @ Col))])\n"
     "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((256, 1), \"float8_e8m0fnu\", scope=\"tmem\", "
     "layout=T.TileLayout(T.S[(8, 32) : (4 @ Col, 1 @ Lane)] + T.R[4 : 32 @ Lane] + 18 @ Col))])\n"
     MMA("cta_group::2.kind::mxf8f6f4.block_scale") "d.view(1, 1, 128, 256), a.view(1, 1, 128, 32), b.view(1, 1, 128, 32),\n"
     "        sfa.view(1, 1, 128, 1), sfb.view(1, 1, 256, 1), instruction_shape=(256, 256, 32), b_format=\"float4_e2m1fn\")\n",
     "tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale", 1, {{0, 3, 0x50c01420}, {0, 4, 0x40}, {0, 5, 0x44}}},
    {"mxf4: two steps, ids 0 and 2",
     D("128", "256", "M=128, cta_group=1") SHARED("a", "float4_e2m1fn", "128", "128", "2") SHARED("b", "float4_e2m1fn", "256", "128", "2")
     SCALES("sfa", "128", "4", "2", "float8_e8m0fnu") SCALES("sfb", "256", "4", "2", "float8_e8m0fnu")
     MMA("cta_group::1.kind::mxf4.block_scale.block32") "d.view(1, 1, 128, 256),\n"
     "        a.rearrange(\"m (s k) -> s m k\", k=64).view(1, 2, 128, 64), b.rearrange(\"n (s k) -> s n k\", k=64).view(1, 2, 256, 64),\n"
     "        sfa.rearrange(\"m (s v) -> s m v\", v=2).view(1, 2, 128, 2), sfb.rearrange(\"n (s v) -> s n v\", v=2).view(1, 2, 256, 2),\n"
     "        instruction_shape=(128, 256, 64))\n",
     "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32", 2,
     {{0, 3, 0x08c00480}, {1, 3, 0x48c004a0}, {1, 4, 0x40}, {1, 5, 0x40}, {0, 6, 0}, {1, 6, 1}}},
    {"NVFP4: the next step takes the next cells",
     D("128", "128", "M=128, cta_group=1") SHARED("a", "float4_e2m1fn", "128", "128", "2") SHARED("b", "float4_e2m1fn", "128", "128", "2")
     SCALES("sfa", "128", "8", "4", "float8_e4m3fn") SCALES("sfb", "128", "8", "4", "float8_e4m3fn")
     MMA("cta_group::1.kind::mxf4nvf4.block_scale.block16") "d.view(1, 1, 128, 128),\n"
     "        a.rearrange(\"m (s k) -> s m k\", k=64).view(1, 2, 128, 64), b.rearrange(\"n (s k) -> s n k\", k=64).view(1, 2, 128, 64),\n"
     "        sfa.rearrange(\"m (s v) -> s m v\", v=4).view(1, 2, 128, 4), sfb.rearrange(\"n (s v) -> s n v\", v=4).view(1, 2, 128, 4),\n"
     "        instruction_shape=(128, 128, 64))\n",
     "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16", 2,
     {{0, 3, 0x08200480}, {1, 3, 0x08200480}, {0, 4, 0x40}, {1, 4, 0x44}, {1, 5, 0x44}}},
    {"mxf4nvf4 with ue8m0 scales in a pair",
     D("128", "64", "M=256, cta_group=2") SHARED("a", "float4_e2m1fn", "128", "64", "1") SHARED("b", "float4_e2m1fn", "32", "64", "1")
     SCALES("sfa", "128", "4", "4", "float8_e8m0fnu") SCALES("sfb", "64", "4", "4", "float8_e8m0fnu")
     MMA("cta_group::2.kind::mxf4nvf4.block_scale.scale_vec::4X") "d.view(1, 1, 128, 64), a.view(1, 1, 128, 64), b.view(1, 1, 32, 64),\n"
     "        sfa.view(1, 1, 128, 4), sfb.view(1, 1, 64, 4), instruction_shape=(256, 64, 64))\n",
     "tcgen05.mma.cta_group::2.kind::mxf4nvf4.block_scale.scale_vec::4X", 1, {{0, 3, 0x10900480}}},
    {"a pair with M 128 has the scales of each half of N in its half of the lanes",
     D("64", "128", "M=128, cta_group=2") SHARED("a", "float4_e2m1fn", "64", "64", "1") SHARED("b", "float4_e2m1fn", "64", "64", "1")
     SCALES("sfa", "64", "2", "2", "float8_e8m0fnu")
     "    sfb = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 2), \"float8_e8m0fnu\", scope=\"tmem\", "
     "layout=T.TileLayout(T.S[(2, 2, 32, 2) : (64 @ Lane, 4 @ Col, 1 @ Lane, 1 @ Col)] + T.R[2 : 32 @ Lane] + 4 @ Col))])\n"
     MMA("cta_group::2.kind::mxf4.block_scale") "d.view(1, 1, 64, 128), a.view(1, 1, 64, 64), b.view(1, 1, 64, 64),\n"
     "        sfa.view(1, 1, 64, 2), sfb.view(1, 1, 128, 2), instruction_shape=(128, 128, 64))\n",
     "tcgen05.mma.cta_group::2.kind::mxf4.block_scale", 1, {{0, 4, 0x40}, {0, 5, 0x41}}},
    {"A in the banks of data path E, eight columns a step",
     D("64", "64", "M=64, cta_group=1, ws=True") SHARED("b", "float16", "64", "32", "2")
     "    a = T.cuda.decl_tmem(base, ty_args=[T.Tensor((2, 64, 32), \"float16\", scope=\"tmem\", "
     "layout=tmem_mma_operand_layout(\"A\", (2, 64, 32), \"float16\", M=64, cta_group=1, ws=True))])\n"
     MMA("ws.cta_group::1.kind::f16") "d.view(1, 1, 64, 64), a.rearrange(\"b m (s k) -> s b m k\", k=16).view(1, 2, 2, 64, 16),\n"
     "        b.rearrange(\"n (s k) -> s n k\", k=16).view(1, 2, 64, 16), instruction_shape=(64, 64, 16))\n",
     "tcgen05.mma.ws.cta_group::1.kind::f16", 2, {{0, 1, 0x40}, {1, 1, 0x48}}},
    {"A of data path B with the replica",
     D("64", "64", "M=128, cta_group=2") SHARED("b", "float16", "32", "16", "1")
     "    a = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 16), \"float16\", scope=\"tmem\", "
     "layout=tmem_mma_operand_layout(\"A\", (64, 16), \"float16\", M=128, cta_group=2))])\n"
     MMA("cta_group::2.kind::f16") "d.view(1, 1, 64, 64), a.view(1, 1, 64, 16), b.view(1, 1, 32, 16), instruction_shape=(128, 64, 16))\n",
     "tcgen05.mma.cta_group::2.kind::f16", 1, {{0, 1, 0x40}}},
    {"A of data path B with the bank axis",
     D("64", "64", "M=128, cta_group=2") SHARED("b", "float16", "32", "16", "1")
     "    a = T.cuda.decl_tmem(base, ty_args=[T.Tensor((2, 64, 16), \"float16\", scope=\"tmem\", "
     "layout=tmem_mma_operand_layout(\"A\", (2, 64, 16), \"float16\", M=128, cta_group=2))])\n"
     MMA("cta_group::2.kind::f16") "d.view(1, 1, 64, 64), a.view(1, 1, 2, 64, 16), b.view(1, 1, 32, 16), instruction_shape=(128, 64, 16))\n",
     "tcgen05.mma.cta_group::2.kind::f16", 1, {{0, 1, 0x40}}},
    {"A of data path F at lane 16, as D",
     "    d = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 16), \"float32\", scope=\"tmem\", layout=tmem_datapath_layout(\"F\", 64, 16, 1))])\n"
     "    a = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 16), \"float16\", scope=\"tmem\", layout=tmem_datapath_layout(\"F\", 64, 16, 1))])\n"
     SHARED("b", "float16", "16", "16", "1")
     MMA("cta_group::1.kind::f16") "d.view(1, 1, 64, 16), a.view(1, 1, 64, 16), b.view(1, 1, 16, 16), instruction_shape=(64, 16, 16))\n",
     "tcgen05.mma.cta_group::1.kind::f16", 1, {{0, 0, 0x100040}, {0, 1, 0x100040}}},
    {"the scale of D is in the first step alone",
     D("128", "64", "M=128, cta_group=1") SHARED("a", "float16", "128", "32", "2") SHARED("b", "float16", "64", "32", "2")
     MMA("cta_group::1.kind::f16") "d.view(1, 1, 128, 64), a.rearrange(\"m (s k) -> s m k\", k=16).view(1, 2, 128, 16),\n"
     "        b.rearrange(\"n (s k) -> s n k\", k=16).view(1, 2, 64, 16), instruction_shape=(128, 64, 16), accum=True, scale_input_d=5)\n",
     "tcgen05.mma.cta_group::1.kind::f16", 2, {{0, 4, 1}, {0, 5, 5}, {1, 4, 1}}},
    {"the scale copy's descriptor is the worked one",
     "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((32, 4), \"uint32\", scope=\"tmem\", "
     "layout=T.TileLayout(T.S[(32, 4) : (1 @ Lane, 1 @ Col)] + T.R[4 : 32 @ Lane]))])\n"
     "    u = T.alloc_shared((32, 4), \"uint32\", layout=\"default\", align=128)\n"
     "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.32x128b.warpx4\"], c, u, sdo_bytes=128)\n",
     "tcgen05.cp.cta_group::1.32x128b.warpx4", 1, {{0, 0, 0x40}, {0, 1, 0x0000400800000200}}},
    {"copies to pairs of quadrants",
     "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 4), \"uint32\", scope=\"tmem\", "
     "layout=T.TileLayout(T.S[(2, 32, 4) : (64 @ Lane, 1 @ Lane, 1 @ Col)] + T.R[2 : 32 @ Lane]))])\n"
     "    u = T.alloc_shared((64, 4), \"uint32\", layout=\"default\", align=128)\n"
     "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::2.64x128b.warpx2::01_23\"], c, u, sdo_bytes=128)\n",
     "tcgen05.cp.cta_group::2.64x128b.warpx2::01_23", 1, {{0, 0, 0x40}}},
    {"copies to every second quadrant",
     "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((64, 4), \"uint32\", scope=\"tmem\", "
     "layout=T.TileLayout(T.S[(64, 4) : (1 @ Lane, 1 @ Col)] + T.R[2 : 64 @ Lane]))])\n"
     "    u = T.alloc_shared((64, 4), \"uint32\", layout=\"default\", align=128)\n"
     "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.64x128b.warpx2::02_13\"], c, u, sdo_bytes=128)\n",
     "tcgen05.cp.cta_group::1.64x128b.warpx2::02_13", 1, {{0, 0, 0x40}}},
    {"a swizzled source of 256 bits a row",
     "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 1 @ Col)]))])\n"
     SHARED("u", "uint32", "128", "8", "1")
     "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.128x256b\"], c, u, sdo_bytes=256, swizzle=1)\n",
     "tcgen05.cp.cta_group::1.128x256b", 1, {{0, 1, 0xc000401000000200}}},
    {"the last lanes of the quadrants",
     "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((4, 8), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(4, 8) : (32 @ Lane, 1 @ Col)] + 31 @ Lane))])\n"
     "    u = T.alloc_shared((4, 8), \"uint32\", layout=T.TileLayout(T.S[(4, 2, 4) : (4, 16, 1)]), align=128)\n"
     "    T.cuda.tile.apply(T.ptx[\"tcgen05.cp.cta_group::1.4x256b\"], c, u, ldo_bytes=64)\n",
     "tcgen05.cp.cta_group::1.4x256b", 1, {{0, 0, 0x1f0040}, {0, 1, 0x0000400000040200}}},
    {"a shift names lane 0 of its columns",
     "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((2, 128, 8), \"uint32\", scope=\"tmem\", layout=T.TileLayout(T.S[(2, 128, 8) : (8 @ Col, 1 @ Lane, 1 @ Col)]))])\n"
     "    T.cuda.tile.apply(T.ptx[\"tcgen05.shift.cta_group::1.down\"], c)\n",
     "tcgen05.shift.cta_group::1.down", 2, {{0, 0, 0x40}, {1, 0, 0x48}}},
    {"16x32bx2: the split is where the second half lies",
     "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((4, 2, 16, 8), \"float32\", scope=\"tmem\", "
     "layout=T.TileLayout(T.S[(4, 2, 16, 8) : (32 @ Lane, 24 @ Col, 1 @ Lane, 1 @ Col)] + 16 @ Lane))])\n"
     "    r = T.alloc_local((8,), \"float32\", layout=\"default\").view(4, 2, 16, 8, layout=T.TileLayout(T.S[(4, 2, 16, 8) : "
     "(1 @ T.cuda.Axis.wid_in_wg, 16 @ T.cuda.Axis.laneid, 1 @ T.cuda.Axis.laneid, 1)]))\n"
     "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.sync.aligned.16x32bx2.x8.b32\"], r, c, scope=\"warpgroup\")\n",
     "tcgen05.ld.sync.aligned.16x32bx2.x8.b32", 1, {{0, 1, 0x100040}, {0, 2, 24}}},
    {"16x32bx2 stores 16-bit elements from the halves of registers",
     "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((4, 2, 16, 4), \"float16\", scope=\"tmem\", "
     "layout=T.TileLayout(T.S[(4, 2, 16, 4) : (32 @ Lane, 16 @ Col, 1 @ Lane, 2 @ Col)]))])\n"
     "    r = T.alloc_local((4,), \"float16\", layout=\"default\").view(4, 2, 16, 4, layout=T.TileLayout(T.S[(4, 2, 16, 4) : "
     "(1 @ T.cuda.Axis.wid_in_wg, 16 @ T.cuda.Axis.laneid, 1 @ T.cuda.Axis.laneid, 1)]))\n"
     "    T.cuda.tile.apply(T.ptx[\"tcgen05.st.sync.aligned.16x32bx2.x2.unpack::16b.b32\"], c, r, scope=\"warpgroup\")\n",
     "tcgen05.st.sync.aligned.16x32bx2.x2.unpack::16b.b32", 1, {{0, 0, 0x40}, {0, 1, 8}}},
};

static void every_form_carries_its_words(void **state)
{
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        const struct form_case *c = &forms[i];
        struct ir_kernel *k;
        struct lowered l = {.count = 0};
        if (!lower_body(room, c->body, &k))
            fail_msg("%s: %s", c->rule, tw_test_diags(room));
        collect_instructions(&k->body, &l);
        if (count_instructions(&l, c->mnemonic) != c->count)
            fail_msg("%s: %u instructions", c->rule, count_instructions(&l, c->mnemonic));
        for (size_t w = 0; w < COUNT(c->words) && (w == 0 || c->words[w].index + c->words[w].operand != 0); w++) {
            const struct word_case *want = &c->words[w];
            const struct ir_ptx *x = instruction(&l, c->mnemonic, want->index);
            const struct word_env env = {.shared_base = 0x2000, .tmem_base = 0x40};
            const uint64_t word = evaluate(x->operands[want->operand].expr, &env);
            if (word != want->want)
                fail_msg("%s: operand %u of number %u: want 0x%llx, got 0x%llx", c->rule, want->operand, want->index,
                         (unsigned long long)want->want, (unsigned long long)word);
        }
    }
}

/* Two elements a register: x4 packed registers hold eight columns. */
static void packed_loads_name_registers_of_32_bits(void **state)
{
    struct bench_room *room = *state;
    struct ir_kernel *k;
    struct lowered l = {.count = 0};
    assert_true(lower_body(room,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"float16\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 2 @ Col)]))])\n"
        "    r = T.wg_reg_tile(8, \"float16\")\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.sync.aligned.32x32b.x4.pack::16b.b32\"], r.view(4, 32, 8), c.view(4, 32, 8), scope=\"warpgroup\")\n", &k));
    collect_instructions(&k->body, &l);
    const struct ir_ptx_operand *registers = &l.at[0]->operands[0];
    assert_int_equal(registers->item_count, 4);
    for (uint32_t r = 0; r < 4; r++) {
        assert_int_equal(registers->items[r].expr->type.bits, 32);
        assert_int_equal(registers->items[r].expr->bits, r);
    }
}

/* One result register behind the loaded ones. */
static void a_reducing_load_has_a_result_of_its_own(void **state)
{
    struct bench_room *room = *state;
    struct ir_kernel *k;
    struct lowered l = {.count = 0};
    assert_true(lower_body(room,
        "    c = T.cuda.decl_tmem(base, ty_args=[T.Tensor((128, 8), \"float32\", scope=\"tmem\", layout=T.TileLayout(T.S[(128, 8) : (1 @ Lane, 1 @ Col)]))])\n"
        "    r = T.wg_reg_tile(8, \"float32\")\n"
        "    m = T.wg_reg_tile(1, \"float32\")\n"
        "    T.cuda.tile.apply(T.ptx[\"tcgen05.ld.red.sync.aligned.32x32b.x8.max.f32\"], r.view(4, 32, 8), m.view(4, 32), c.view(4, 32, 8), scope=\"warpgroup\")\n", &k));
    collect_instructions(&k->body, &l);
    assert_int_equal(l.at[0]->operand_count, 3);
    assert_int_equal(l.at[0]->operands[0].item_count, 8);
    assert_int_equal(l.at[0]->operands[1].kind, IR_PTX_RESULT);
    assert_int_equal(l.at[0]->operands[2].kind, IR_PTX_ADDRESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_form_carries_its_words),
        ROOM_TEST(packed_loads_name_registers_of_32_bits),
        ROOM_TEST(a_reducing_load_has_a_result_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
