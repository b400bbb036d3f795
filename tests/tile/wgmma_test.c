/* wgmma.mma_async through tile.apply: instructions, operands and the Hopper descriptor words; and what is refused, with its
 * exact words. The descriptors that are expected come from the bit table of ptx-async 2.3, written out here.
 * SOURCE: ptx-async 2.1 to 2.3, 2.5; kernel-language-tile 7.3. */
#include "tile/text_kernel.h"

#include "tile/words.h"

/* SOURCE: ptx-async 2.3: address, leading and stride offset in units of 16 bytes; swizzle 1 128B, 2 64B, 3 32B. */
static uint64_t hopper_word(uint32_t start, uint32_t lead, uint32_t stride, uint64_t swizzle)
{
    return (uint64_t)((start & 0x3ffff) >> 4) | (uint64_t)(lead >> 4) << 16 | (uint64_t)(stride >> 4) << 32 | swizzle << 62;
}

enum { BASE = 0x2000 };

#define FRAGMENT_F32(n)                                                                                                             \
    "    d = T.alloc_tensor(ty_args=[T.Tensor((64, " #n "), \"float32\", scope=\"local\", layout=T.TileLayout("                         \
    "T.S[(4, 2, 8, " #n " // 8, 4, 2) : (1 @ T.cuda.Axis.wid_in_wg, 2, 4 @ T.cuda.Axis.laneid, 4, 1 @ T.cuda.Axis.laneid, 1)]))])\n"
#define SHARED(name, dtype, rows, k, mode) \
    "    " name " = T.alloc_shared((" rows ", " k "), \"" dtype "\", layout=mma_shared_layout(\"" dtype "\", " mode ", (" rows ", " k ")), align=1024)\n"
#define APPLY(opcode) "    T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned." opcode "\"], "

struct word_case {
    uint32_t index, operand; /* instruction, and its operand */
    uint32_t start, lead, stride, swizzle;
};

struct form_case {
    const char *rule, *body, *mnemonic;
    uint32_t count;
    struct word_case words[4];
};

static void descriptors_are_those_of_the_hopper_encoding(void **state)
{
    static const struct form_case cases[] = {
        {"128B swizzle: K steps of 16 are 32 bytes on, groups of eight rows 1024 apart",
         SHARED("a", "float16", "64", "64", "3") SHARED("b", "float16", "128", "64", "3") FRAGMENT_F32(128)
         APPLY("m64n128k16.f32.f16.f16") "d.view(1, 1, 64, 128), a.rearrange(\"m (r k) -> r m k\", k=16).view(1, 4, 64, 16), "
         "b.rearrange(\"n (r k) -> r n k\", k=16).view(1, 4, 128, 16), scope=\"warpgroup\")\n",
         "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", 4,
         {{0, 1, 0, 0, 1024, 1}, {0, 2, 0, 0, 1024, 1}, {3, 1, 96, 0, 1024, 1}, {2, 2, 64, 0, 1024, 1}}},
        {"64B swizzle, bytes: K 32",
         SHARED("a", "float8_e4m3fn", "64", "64", "2") SHARED("b", "float8_e5m2", "8", "64", "2") FRAGMENT_F32(8)
         APPLY("m64n8k32.f32.e4m3.e5m2") "d.view(1, 1, 64, 8), a.rearrange(\"m (r k) -> r m k\", k=32).view(1, 2, 64, 32), "
         "b.rearrange(\"n (r k) -> r n k\", k=32).view(1, 2, 8, 32), scope=\"warpgroup\")\n",
         "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2", 2, {{0, 1, 0, 0, 512, 2}, {1, 1, 32, 0, 512, 2}, {1, 2, 32, 0, 0, 2}}},
        {"32B swizzle, tf32 in float32",
         SHARED("a", "float32", "64", "8", "1") SHARED("b", "float32", "16", "8", "1") FRAGMENT_F32(16)
         APPLY("m64n16k8.f32.tf32.tf32") "d.view(1, 1, 64, 16), a.view(1, 1, 64, 8), b.view(1, 1, 16, 8), scope=\"warpgroup\")\n",
         "wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32", 1, {{0, 1, 0, 0, 256, 3}, {0, 2, 0, 0, 256, 3}}},
        {"no swizzle: columns of eight words of 16 bytes; chunks of K LBO apart, groups of rows SBO",
         SHARED("a", "bfloat16", "64", "16", "0") SHARED("b", "bfloat16", "24", "16", "0") FRAGMENT_F32(24)
         APPLY("m64n24k16.f32.bf16.bf16") "d.view(1, 1, 64, 24), a.view(1, 1, 64, 16), b.view(1, 1, 24, 16), scope=\"warpgroup\")\n",
         "wgmma.mma_async.sync.aligned.m64n24k16.f32.bf16.bf16", 1, {{0, 1, 0, 1024, 128, 0}, {0, 2, 0, 384, 128, 0}}},
        {"MN-major: a tensor of (K, N) seen as (N, K); 64 columns a chunk, LBO from chunk to chunk, SBO between groups of eight k",
         SHARED("a", "float16", "64", "16", "1") SHARED("b", "float16", "16", "128", "3") FRAGMENT_F32(128)
         APPLY("m64n128k16.f32.f16.f16") "d.view(1, 1, 64, 128), a.view(1, 1, 64, 16), b.permute(1, 0).view(1, 1, 128, 16), "
         "b_major=\"mn\", scope=\"warpgroup\")\n",
         "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", 1, {{0, 1, 0, 0, 256, 3}, {0, 2, 0, 2048, 1024, 1}}},
        {"repeats along M: the second 64 rows of A",
         SHARED("a", "float16", "128", "16", "1") SHARED("b", "float16", "8", "16", "1")
         "    d = T.alloc_tensor(ty_args=[T.Tensor((2, 64, 8), \"float32\", scope=\"local\", layout=T.TileLayout("
         "T.S[(2, 4, 2, 8, 4, 2) : (4, 1 @ T.cuda.Axis.wid_in_wg, 2, 4 @ T.cuda.Axis.laneid, 1 @ T.cuda.Axis.laneid, 1)]))])\n"
         APPLY("m64n8k16.f32.f16.f16") "d.view(2, 1, 64, 8), a.view(2, 1, 64, 16), b.view(1, 1, 8, 16), scope=\"warpgroup\")\n",
         "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", 2, {{0, 1, 0, 0, 256, 3}, {1, 1, 2048, 0, 256, 3}, {1, 2, 0, 0, 0, 3}}},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ir_kernel *k;
        if (!lower_body(room, cases[i].body, &k))
            fail_msg("%s: %s", cases[i].rule, tw_test_diags(room));
        static struct lowered l;
        l.count = 0;
        collect_instructions(&k->body, &l);
        assert_int_equal(count_instructions(&l, cases[i].mnemonic), cases[i].count);
        for (size_t w = 0; w < COUNT(cases[i].words) && cases[i].words[w].operand != 0; w++) {
            const struct word_case *c = &cases[i].words[w];
            const struct word_env env = {.shared_base = BASE};
            const uint64_t found = evaluate(instruction(&l, cases[i].mnemonic, c->index)->operands[c->operand].expr, &env);
            const uint64_t want = hopper_word(BASE + c->start, c->lead, c->stride, c->swizzle);
            if (found != want)
                fail_msg("%s: operand %u of %u is 0x%016llx, not 0x%016llx", cases[i].rule, c->operand, c->index,
                         (unsigned long long)found, (unsigned long long)want);
        }
    }
}

/* The lowered text of the first wgmma. */
static const char *instruction_text(struct bench_room *room, const char *body)
{
    struct ir_kernel *k;
    struct text t;
    if (!lower_body(room, body, &k))
        fail_msg("%s", tw_test_diags(room));
    tw_text_init(&t, &room->arena);
    tw_ir_print(k, &t);
    const char *at = strstr(t.at, "ptx wgmma");
    assert_non_null(at);
    return tw_format(&room->arena, "%.*s", (int)strcspn(at, "\n"), at);
}

#define A_WORDS                                                                                                                       \
    "    a = T.alloc_tensor(ty_args=[T.Tensor((64, 8), \"uint32\", scope=\"local\", layout=T.TileLayout("                               \
    "T.S[(4, 2, 8, 2, 4) : (1 @ T.cuda.Axis.wid_in_wg, 1, 4 @ T.cuda.Axis.laneid, 2, 1 @ T.cuda.Axis.laneid)]))])\n"
#define A_HALVES                                                                                                                      \
    "    a = T.alloc_tensor(ty_args=[T.Tensor((64, 16), \"float16\", scope=\"local\", layout=T.TileLayout("                             \
    "T.S[(4, 2, 8, 2, 4, 2) : (1 @ T.cuda.Axis.wid_in_wg, 2, 4 @ T.cuda.Axis.laneid, 4, 1 @ T.cuda.Axis.laneid, 1)]))])\n"
#define D_WORDS                                                                                                                       \
    "    d = T.alloc_tensor(ty_args=[T.Tensor((64, 4), \"uint32\", scope=\"local\", layout=T.TileLayout("                               \
    "T.S[(4, 2, 8, 4) : (1 @ T.cuda.Axis.wid_in_wg, 1, 4 @ T.cuda.Axis.laneid, 1 @ T.cuda.Axis.laneid)]))])\n"
#define D_HALVES                                                                                                                      \
    "    d = T.alloc_tensor(ty_args=[T.Tensor((64, 8), \"float16\", scope=\"local\", layout=T.TileLayout("                              \
    "T.S[(4, 2, 8, 4, 2) : (1 @ T.cuda.Axis.wid_in_wg, 2, 4 @ T.cuda.Axis.laneid, 1 @ T.cuda.Axis.laneid, 1)]))])\n"
#define B8 SHARED("b", "float16", "8", "16", "1")

static void registers_are_seen_as_words_or_as_elements(void **state)
{
    static const char want[] = "ptx wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {d{0}, d{1}}, {a{0}, a{1}, a{2}, a{3}}, ";
    struct bench_room *room = *state;
    const char *const bodies[] = {
        A_WORDS B8 D_WORDS APPLY("m64n8k16.f16.f16.f16") "d.view(1, 1, 64, 4), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), scope=\"warpgroup\")\n",
        A_HALVES B8 D_HALVES APPLY("m64n8k16.f16.f16.f16") "d.view(1, 1, 64, 8), a.view(1, 1, 64, 16), b.view(1, 1, 8, 16), scope=\"warpgroup\")\n",
    };
    for (size_t i = 0; i < COUNT(bodies); i++) {
        const char *text = instruction_text(room, bodies[i]);
        if (strncmp(text, want, sizeof want - 1) != 0)
            assert_string_equal(text, want);
    }
}

static void predicate_signs_and_orders_stand_behind_the_descriptors(void **state)
{
    static const struct {
        const char *params, *want;
    } cases[] = {
        {"", ", false, 1, 1, uint32(0), uint32(0)"},
        {"accum=True, neg_b=True, ", ", true, 1, -1, uint32(0), uint32(0)"},
        {"accum=more > 0, neg_a=True, a_major=\"k\", ", ", accum, -1, 1, uint32(0), uint32(0)"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *text = instruction_text(
            room, tw_format(&room->arena, SHARED("a", "float16", "64", "16", "1") B8 FRAGMENT_F32(8) APPLY("m64n8k16.f32.f16.f16")
                            "d.view(1, 1, 64, 8), a.view(1, 1, 64, 16), b.view(1, 1, 8, 16), %sscope=\"warpgroup\")\n", cases[i].params));
        const size_t len = strlen(text), tail = strlen(cases[i].want);
        assert_string_equal(len < tail ? text : text + len - tail, cases[i].want);
    }
}

/* At cta scope the operands have one more axis: two warpgroups, each with its rows of A. */
static void at_cta_scope_warpgroups_are_a_group_axis(void **state)
{
    struct bench_room *room = *state;
    const char *text = instruction_text(
        room, "    a = T.alloc_shared((1, 64, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (1, 64, 16)), align=1024)\n" B8
        "    d = T.alloc_tensor(ty_args=[T.Tensor((1, 64, 8), \"float32\", scope=\"local\", layout=T.TileLayout("
        "T.S[(1, 4, 2, 8, 4, 2) : (1 @ T.cuda.Axis.wgid, 1 @ T.cuda.Axis.wid_in_wg, 2, 4 @ T.cuda.Axis.laneid, 1 @ T.cuda.Axis.laneid, 1)]))])\n"
        APPLY("m64n8k16.f32.f16.f16") "d.view(1, 1, 1, 64, 8), a.view(1, 1, 1, 64, 16), "
        "b.view(1, 1, 1, 8, 16), scope=\"cta\")\n");
    assert_non_null(strstr(text, "m64n8k16"));
}

static void what_the_instruction_has_not_is_refused(void **state)
{
    static const struct {
        const char *body, *want;
    } cases[] = {
        {A_WORDS B8 D_WORDS APPLY("m64n8k16.f16.f16.f16") "d.view(1, 1, 64, 4), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16))\n",
         "k.py:11:29: error[E0413]: wgmma.mma_async at thread scope\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16\"], d.view(1, 1, 64, 4), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16))\n"
         "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: scope=\"warpgroup\", \"cta\" or \"cluster\": the instruction is issued by whole warpgroups\n"
         "     found: scope=\"thread\", the default\n"
         "       fix: write scope=\"warpgroup\"\n"},
        {A_WORDS B8 D_WORDS APPLY("m64n8k16.f16.f16.f16") "d.view(1, 1, 64, 4), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), scope=\"warp\")\n",
         "k.py:11:29: error[E0413]: wgmma.mma_async at warp scope\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16\"], d.view(1, 1, 64, 4), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), scope=\"warp\")\n"
         "      |                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: scope=\"warpgroup\", \"cta\" or \"cluster\": the instruction is issued by whole warpgroups\n"
         "     found: scope=\"warp\"\n"
         "       fix: write scope=\"warpgroup\"\n"},
        {A_WORDS B8 D_WORDS "    if T.cuda.warp_id() < 3:\n    " APPLY("m64n8k16.f16.f16.f16") "d.view(1, 1, 64, 4), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), scope=\"warpgroup\")\n",
         "k.py:12:33: error[E0414]: wgmma.mma_async is issued by whole warpgroups, and warp 3 of warpgroup 0 is missing\n"
         "   12 |         T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16\"], d.view(1, 1, 64, 4), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), scope=\"warpgroup\")\n"
         "      |                                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: all four warps of every warpgroup that gets here\n"
         "     found: a condition around the call that leaves warps out\n"
         "       fix: guard the call by warpgroup\n"
         "k.py:11:8: note: this condition leaves thread 96 of the 128 out\n"
         "   11 |     if T.cuda.warp_id() < 3:\n"
         "      |        ^~~~~~~~~~~~~~~~~~~~\n"},
        {A_WORDS B8 D_WORDS APPLY("m64n8k16.f16.f16.f16") "d.view(1, 1, 64, 4), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), a_major=\"mn\", scope=\"warpgroup\")\n",
         "k.py:11:146: error[E0424]: wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 takes A from registers\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16\"], d.view(1, 1, 64, 4), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), a_major=\"mn\", scope=\"warpgroup\")\n"
         "      |                                                                                                                                                  ^~~~~~~~~~~~\n"
         "  expected: \"k\"; the fragment map of registers has one order\n"
         "       fix: leave a_major out\n"},
        {SHARED("a", "int8", "64", "32", "1") SHARED("b", "int8", "8", "32", "1")
         "    d = T.alloc_tensor(ty_args=[T.Tensor((64, 8), \"int32\", scope=\"local\", layout=T.TileLayout("
         "T.S[(4, 2, 8, 4, 2) : (1 @ T.cuda.Axis.wid_in_wg, 2, 4 @ T.cuda.Axis.laneid, 1 @ T.cuda.Axis.laneid, 1)]))])\n"
         APPLY("m64n8k32.s32.s8.s8") "d.view(1, 1, 64, 8), a.view(1, 1, 64, 32), b.view(1, 1, 8, 32), b_major=\"mn\", scope=\"warpgroup\")\n",
         "k.py:11:145: error[E0424]: wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 takes no MN-major operand\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8\"], d.view(1, 1, 64, 8), a.view(1, 1, 64, 32), b.view(1, 1, 8, 32), b_major=\"mn\", scope=\"warpgroup\")\n"
         "      |                                                                                                                                                 ^~~~~~~~~~~~\n"
         "  expected: \"k\"; only f16 and bf16 operands can be MN-major\n"
         "       fix: leave b_major out\n"},
        {SHARED("a", "int8", "64", "32", "1") SHARED("b", "int8", "8", "32", "1")
         "    d = T.alloc_tensor(ty_args=[T.Tensor((64, 8), \"int32\", scope=\"local\", layout=T.TileLayout("
         "T.S[(4, 2, 8, 4, 2) : (1 @ T.cuda.Axis.wid_in_wg, 2, 4 @ T.cuda.Axis.laneid, 1 @ T.cuda.Axis.laneid, 1)]))])\n"
         APPLY("m64n8k32.s32.s8.s8") "d.view(1, 1, 64, 8), a.view(1, 1, 64, 32), b.view(1, 1, 8, 32), neg_a=True, scope=\"warpgroup\")\n",
         "k.py:11:145: error[E0424]: wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 negates no operand\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8\"], d.view(1, 1, 64, 8), a.view(1, 1, 64, 32), b.view(1, 1, 8, 32), neg_a=True, scope=\"warpgroup\")\n"
         "      |                                                                                                                                                 ^~~~~~~~~~\n"
         "  expected: False; integer products have no signs to turn\n"
         "       fix: leave neg_a out\n"},
        {A_WORDS B8 FRAGMENT_F32(8) APPLY("m64n8k16.f32.f16.f16") "d.view(1, 1, 64, 8), a.view(1, 1, 64, 8), b.permute(1, 0).view(1, 1, 8, 16), scope=\"warpgroup\")\n",
         "k.py:11:125: error[E0421]: operand B of wgmma.mma_async: no K-major descriptor walks this view\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16\"], d.view(1, 1, 64, 8), a.view(1, 1, 64, 8), b.permute(1, 0).view(1, 1, 8, 16), scope=\"warpgroup\")\n"
         "      |                                                                                                                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: element (n=0, k=1) at byte 2 of 'b', by the strides of the first rows and chunks (SDO 0, LDO 0, swizzle 32B)\n"
         "     found: element (n=0, k=1) at byte 32, by layout ComposeLayout(3, 1, 3, TileLayout(S[(16, 8):(1, 16)]))\n"
         "       fix: give B a layout from mma_shared_layout(dtype, mode, shape)\n"
         "      spec: PTX ISA, wgmma matrix descriptor, canonical layouts\n"
         "k.py:9:9: note: 'b' is declared here\n"
         "    9 |     b = T.alloc_shared((8, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (8, 16)), align=1024)\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {A_WORDS SHARED("b", "float16", "16", "8", "0") FRAGMENT_F32(8) APPLY("m64n8k16.f32.f16.f16") "d.view(1, 1, 64, 8), a.view(1, 1, 64, 8), b.permute(1, 0).view(1, 1, 8, 16), scope=\"warpgroup\")\n",
         "k.py:11:125: error[E0421]: operand B of wgmma.mma_async: no K-major descriptor walks this view\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16\"], d.view(1, 1, 64, 8), a.view(1, 1, 64, 8), b.permute(1, 0).view(1, 1, 8, 16), scope=\"warpgroup\")\n"
         "      |                                                                                                                             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: element (n=0, k=1) at byte 2 of 'b', by the strides of the first rows and chunks (SDO 0, LDO 128, swizzle NONE)\n"
         "     found: element (n=0, k=1) at byte 16, by layout S[(8, 16):(1, 8)]\n"
         "       fix: write b_major=\"mn\"\n"
         "      spec: PTX ISA, wgmma matrix descriptor, canonical layouts\n"
         "k.py:9:9: note: 'b' is declared here\n"
         "    9 |     b = T.alloc_shared((16, 8), \"float16\", layout=mma_shared_layout(\"float16\", 0, (16, 8)), align=1024)\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {A_WORDS SHARED("b", "bfloat16", "8", "16", "1") FRAGMENT_F32(8) APPLY("m64n8k16.f32.f16.f16") "d.view(1, 1, 64, 8), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), scope=\"warpgroup\")\n",
         "k.py:11:125: error[E0409]: operand B of wgmma.mma_async has elements of type bfloat16\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16\"], d.view(1, 1, 64, 8), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), scope=\"warpgroup\")\n"
         "      |                                                                                                                             ^~~~~~~~~~~~~~~~~~~\n"
         "  expected: float16\n"
         "     found: bfloat16, 16 bits\n"},
        {"    a = T.alloc_tensor(ty_args=[T.Tensor((64, 8), \"uint32\", scope=\"local\", layout=T.TileLayout("
         "T.S[(4, 2, 8, 2, 4) : (1 @ T.cuda.Axis.wid_in_wg, 1, 4 @ T.cuda.Axis.laneid, 1 @ T.cuda.Axis.laneid, 2)]))])\n"
         B8 FRAGMENT_F32(8) APPLY("m64n8k16.f32.f16.f16") "d.view(1, 1, 64, 8), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), scope=\"warpgroup\")\n",
         "k.py:11:104: error[E0415]: operand A of wgmma.mma_async: element (m=0, word=4) is in lane 1, and the instruction reads it in lane 0\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16\"], d.view(1, 1, 64, 8), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), scope=\"warpgroup\")\n"
         "      |                                                                                                        ^~~~~~~~~~~~~~~~~~~\n"
         "  expected: laneid 0, wid_in_wg 0: register 2 of lane 0 holds (m=0, word=4)\n"
         "     found: laneid 1, wid_in_wg 0, by layout S[(4, 2, 8, 2, 4):(1@wid_in_wg, 1, 4@laneid, 1@laneid, 2)]\n"
         "       fix: no view moves a value between lanes: load them as 'tilewright explain fragment' shows, or view them with that map\n"},
        {A_WORDS "    b = T.alloc_shared((8, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (8, 16)), align=128)\n" FRAGMENT_F32(8)
         APPLY("m64n8k16.f32.f16.f16") "d.view(1, 1, 64, 8), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), scope=\"warpgroup\")\n",
         "k.py:11:125: error[E0423]: operand B of wgmma.mma_async: 'b' is aligned to 128 bytes\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16\"], d.view(1, 1, 64, 8), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), scope=\"warpgroup\")\n"
         "      |                                                                                                                             ^~~~~~~~~~~~~~~~~~~\n"
         "  expected: 256 bytes, one period of the descriptor's 32B pattern\n"
         "     found: align=128\n"
         "       fix: write align=256 where 'b' is allocated\n"
         "k.py:9:9: note: 'b' is declared here\n"
         "    9 |     b = T.alloc_shared((8, 16), \"float16\", layout=mma_shared_layout(\"float16\", 1, (8, 16)), align=128)\n"
         "      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {"    b = T.alloc_shared((32, 32), \"float32\", layout=ATOM32, align=1024)\n" SHARED("a", "float32", "64", "32", "3") FRAGMENT_F32(32)
         APPLY("m64n32k8.f32.tf32.tf32") "d.view(1, 1, 64, 32), a.rearrange(\"m (r k) -> r m k\", k=8).view(1, 4, 64, 8), b.rearrange(\"n (r k) -> r n k\", k=8).view(1, 4, 32, 8), scope=\"warpgroup\")\n",
         "k.py:11:163: error[E0421]: operand B of wgmma.mma_async: no K-major descriptor walks this view\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32\"], d.view(1, 1, 64, 32), a.rearrange(\"m (r k) -> r m k\", k=8).view(1, 4, 64, 8), b.rearrange(\"n (r k) -> r n k\", k=8).view(1, 4, 32, 8), scope=\"warpgroup\")\n"
         "      |                                                                                                                                                                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "  expected: no swizzle, 32B, 64B or 128B: descriptors of wgmma know no other\n"
         "     found: swizzle mode 4 (128B_ATOM32) with K-major elements of 32 bits\n"
         "       fix: give B a layout from mma_shared_layout(dtype, mode, shape) with mode 0 to 3\n"
         "      spec: PTX ISA, wgmma matrix descriptor, canonical layouts\n"},
        {A_WORDS B8 D_WORDS APPLY("m64n8k16.f16.f16.f16") "d.view(1, 1, 64, 4), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), pred=more > 0, scope=\"warpgroup\")\n",
         "k.py:11:146: error[E0404]: wgmma.mma_async has no parameter 'pred'\n"
         "   11 |     T.cuda.tile.apply(T.ptx[\"wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16\"], d.view(1, 1, 64, 4), a.view(1, 1, 64, 8), b.view(1, 1, 8, 16), pred=more > 0, scope=\"warpgroup\")\n"
         "      |                                                                                                                                                  ^~~~~~~~~~~~~\n"
         "  expected: scope, accum, a_major, b_major, neg_a, neg_b\n"},
    };
    struct bench_room *room = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ir_kernel *k;
        assert_false(lower_body(room, cases[i].body, &k));
        tw_test_expect_diags(room, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(descriptors_are_those_of_the_hopper_encoding),
        ROOM_TEST(registers_are_seen_as_words_or_as_elements),
        ROOM_TEST(predicate_signs_and_orders_stand_behind_the_descriptors),
        ROOM_TEST(at_cta_scope_warpgroups_are_a_group_axis),
        ROOM_TEST(what_the_instruction_has_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
