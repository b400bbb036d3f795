/* atom and red through tile.apply: every operation and type, vectors, spaces, semantics; each thread changes words of its own, so
 * the old values and the new ones are known. SOURCE: kernel-language-tile 7.3; PTX ISA, atom, red. */
#include "api/movement.h"

enum { THREADS = 32, REPEATS = 2, MOST = THREADS * REPEATS * 8 };

/* What becomes of a word: of `bits` bits, signed where `s`. */
typedef uint64_t change_fn(uint64_t old, uint64_t value, int bits);

static int64_t as_signed(uint64_t v, int bits)
{
    return bits == 32 ? (int32_t)v : (int64_t)v;
}
static uint64_t do_and(uint64_t a, uint64_t b, int bits) { (void)bits; return a & b; }
static uint64_t do_or(uint64_t a, uint64_t b, int bits) { (void)bits; return a | b; }
static uint64_t do_xor(uint64_t a, uint64_t b, int bits) { (void)bits; return a ^ b; }
static uint64_t do_exch(uint64_t a, uint64_t b, int bits) { (void)a, (void)bits; return b; }
static uint64_t do_add(uint64_t a, uint64_t b, int bits) { (void)bits; return a + b; }
static uint64_t do_inc(uint64_t a, uint64_t b, int bits) { (void)bits; return a >= b ? 0 : a + 1; }
static uint64_t do_dec(uint64_t a, uint64_t b, int bits) { (void)bits; return a == 0 || a > b ? b : a - 1; }
static uint64_t do_umin(uint64_t a, uint64_t b, int bits) { (void)bits; return a < b ? a : b; }
static uint64_t do_umax(uint64_t a, uint64_t b, int bits) { (void)bits; return a > b ? a : b; }
static uint64_t do_smin(uint64_t a, uint64_t b, int bits) { return as_signed(a, bits) < as_signed(b, bits) ? a : b; }
static uint64_t do_smax(uint64_t a, uint64_t b, int bits) { return as_signed(a, bits) > as_signed(b, bits) ? a : b; }

/* Floats: 1.5, 2.25 and their sum in each format. */
struct float_words {
    uint64_t first, second, sum;
};
static const struct float_words f32_words = {0x3fc00000, 0x40100000, 0x40700000},
                                f64_words = {0x3ff8000000000000, 0x4002000000000000, 0x400e000000000000},
                                f16_words = {0x3e00, 0x4080, 0x4380}, bf16_words = {0x3fc0, 0x4010, 0x4070},
                                f16x2_words = {0x3e003e00, 0x40804080, 0x43804380},
                                bf16x2_words = {0x3fc03fc0, 0x40104010, 0x40704070};
enum float_result { SUM, LESS, GREATER };

struct atomic_case {
    const char *op, *type, *dtype;
    int bytes, words;
    const char *arch;
    change_fn *change;               /* integers */
    const struct float_words *floats; /* or floats */
    enum float_result result;
    bool atom_only;
};
static const struct atomic_case cases[] = {
    {"and", "b32", "uint32", 4, 1, "sm_80", do_and, NULL, 0, false},
    {"or", "b32", "int32", 4, 1, "sm_80", do_or, NULL, 0, false},
    {"xor", "b64", "uint64", 8, 1, "sm_80", do_xor, NULL, 0, false},
    {"exch", "b32", "float32", 4, 1, "sm_80", do_exch, NULL, 0, true},
    {"exch", "b64", "int64", 8, 1, "sm_80", do_exch, NULL, 0, true},
    {"add", "u32", "uint32", 4, 1, "sm_80", do_add, NULL, 0, false},
    {"add", "s32", "int32", 4, 1, "sm_80", do_add, NULL, 0, false},
    {"add", "u64", "uint64", 8, 1, "sm_80", do_add, NULL, 0, false},
    {"inc", "u32", "uint32", 4, 1, "sm_80", do_inc, NULL, 0, false},
    {"dec", "u32", "uint32", 4, 1, "sm_80", do_dec, NULL, 0, false},
    {"min", "u32", "uint32", 4, 1, "sm_80", do_umin, NULL, 0, false},
    {"max", "u64", "uint64", 8, 1, "sm_80", do_umax, NULL, 0, false},
    {"min", "s32", "int32", 4, 1, "sm_80", do_smin, NULL, 0, false},
    {"max", "s64", "int64", 8, 1, "sm_80", do_smax, NULL, 0, false},
    {"add", "f32", "float32", 4, 1, "sm_80", NULL, &f32_words, SUM, false},
    {"add", "f64", "float64", 8, 1, "sm_80", NULL, &f64_words, SUM, false},
    {"add.noftz", "f16", "float16", 2, 1, "sm_80", NULL, &f16_words, SUM, false},
    {"add.noftz", "bf16", "bfloat16", 2, 1, "sm_90", NULL, &bf16_words, SUM, false},
    {"add.noftz", "f16x2", "uint32", 4, 1, "sm_80", NULL, &f16x2_words, SUM, false},
    {"add.noftz", "bf16x2", "uint32", 4, 1, "sm_90", NULL, &bf16x2_words, SUM, false},
    {"add", "f32", "float32", 4, 2, "sm_90", NULL, &f32_words, SUM, false},
    {"add", "f32", "float32", 4, 4, "sm_90", NULL, &f32_words, SUM, false},
    {"add.noftz", "f16", "float16", 2, 2, "sm_90", NULL, &f16_words, SUM, false},
    {"max.noftz", "f16", "float16", 2, 4, "sm_90", NULL, &f16_words, GREATER, false},
    {"min.noftz", "bf16", "bfloat16", 2, 8, "sm_90", NULL, &bf16_words, LESS, false},
    {"add.noftz", "f16x2", "uint32", 4, 2, "sm_90", NULL, &f16x2_words, SUM, false},
    {"max.noftz", "bf16x2", "uint32", 4, 4, "sm_90", NULL, &bf16x2_words, GREATER, false},
};

/* ---- words ------------------------------------------------------------------------------------------------ */

static uint64_t word_at(const uint8_t *bytes, size_t i, int width)
{
    uint64_t v = 0;
    memcpy(&v, bytes + i * (size_t)width, (size_t)width);
    return v;
}

static void set_word(uint8_t *bytes, size_t i, int width, uint64_t v)
{
    memcpy(bytes + i * (size_t)width, &v, (size_t)width);
}

struct data {
    uint8_t memory[MOST * 8], value[MOST * 8], old[MOST * 8], want[MOST * 8], before[MOST * 8];
    size_t len;
};

static void draw(struct data *d, const struct atomic_case *a)
{
    const size_t count = (size_t)(THREADS * REPEATS * a->words);
    d->len = count * (size_t)a->bytes;
    fill_bytes(d->memory, d->len, 1);
    fill_bytes(d->value, d->len, 77);
    for (size_t i = 0; i < count; i++) {
        if (a->floats != NULL) {
            set_word(d->memory, i, a->bytes, a->floats->first);
            set_word(d->value, i, a->bytes, a->floats->second);
        }
        const uint64_t x = word_at(d->memory, i, a->bytes), y = word_at(d->value, i, a->bytes);
        const uint64_t floats = a->floats == NULL ? 0 : a->result == SUM ? a->floats->sum : a->result == LESS ? x : y;
        set_word(d->want, i, a->bytes, a->floats == NULL ? a->change(x, y, 8 * a->bytes) : floats);
    }
    memcpy(d->before, d->memory, d->len);
    memset(d->old, 0, d->len);
}

/* ---- kernels ---------------------------------------------------------------------------------------------- */

static const char *kernel_text(struct bench_room *room, const struct atomic_case *a, const char *opcode, bool returns, bool shared)
{
    const int n = a->words;
    const char *place = shared ? "S" : "Mem";
    return tw_format(&room->arena,
        "from tvm.script import tirx as T\n"
        "@T.function\n"
        "def k(Mem: T.Tensor((32, 2, %d), \"%s\"), Val: T.Tensor((32, 2, %d), \"%s\"), Old: T.Tensor((32, 2, %d), \"%s\")):\n"
        "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"
        "    t = T.cuda.thread_idx(\"x\")\n"
        "    S = T.alloc_shared((32, 2, %d), \"%s\", layout=\"default\")\n"
        "    r = T.alloc_local((2 * %d,), \"%s\", layout=\"default\")\n"
        "    q = T.alloc_local((2 * %d,), \"%s\", layout=\"default\")\n"
        "    for i in range(2):\n"
        "        for w in range(%d):\n"
        "            r[%d * i + w] = Val[t, i, w]\n"
        "            q[%d * i + w] = Old[t, i, w]\n"
        "            S[t, i, w] = Mem[t, i, w]\n"
        "    T.cuda.tile.apply(T.ptx[\"%s\"], %s%s[t, 0:2, 0:%d], r.view(1, 2, %d))\n"
        "    for i in range(2):\n"
        "        for w in range(%d):\n"
        "            Old[t, i, w] = q[%d * i + w]\n"
        "%s",
        n, a->dtype, n, a->dtype, n, a->dtype, n, a->dtype, n, a->dtype, n, a->dtype, n, n, n, opcode,
        returns ? tw_format(&room->arena, "q.view(1, 2, %d), ", n) : "", place, n, n, n, n,
        shared ? "            Mem[t, i, w] = S[t, i, w]\n" : "");
}

static void one(struct bench_room *room, const struct atomic_case *a, const char *prefix, bool returns, bool shared)
{
    static struct data d;
    const char *vec = a->words == 1 ? "" : tw_format(&room->arena, ".v%d", a->words);
    const char *opcode = tw_format(&room->arena, "%s.%s%s.%s", prefix, a->op, vec, a->type);
    draw(&d, a);
    run_movement(opcode, kernel_text(room, a, opcode, returns, shared), a->arch, prefix, REPEATS,
                 (struct move_tensor[]){{"Mem", d.memory, d.len}, {"Val", d.value, d.len}, {"Old", d.old, d.len}}, 3);
    expect_bytes(opcode, d.memory, d.want, d.len);
    if (returns)
        expect_bytes(opcode, d.old, d.before, d.len);
}

static void every_operation_changes_memory_and_gives_the_old_value(void **state)
{
    say_if_not_assembled();
    for (size_t i = 0; i < COUNT(cases); i++) {
        one(*state, &cases[i], "atom.global", true, false);
        if (!cases[i].atom_only)
            one(*state, &cases[i], "red.global", false, false);
        if (cases[i].words == 1) { /* vectors are for global memory */
            one(*state, &cases[i], "atom.shared", true, true);
            one(*state, &cases[i], "atom", true, false);
        }
    }
}

static void semantics_and_scope_are_part_of_the_opcode(void **state)
{
    static const char *const atoms[] = {"atom.relaxed.gpu.global", "atom.acquire.cta.global", "atom.release.sys.global",
                                        "atom.acq_rel.gpu.global"};
    static const char *const reds[] = {"red.relaxed.gpu.global", "red.release.sys.global"};
    for (size_t i = 0; i < COUNT(atoms); i++)
        one(*state, &cases[5], atoms[i], true, false);
    for (size_t i = 0; i < COUNT(reds); i++)
        one(*state, &cases[5], reds[i], false, false);
}

/* cas compares with b, and stores c where they are equal: here a scalar, the same for all. */
static void swap(struct bench_room *room, const char *type, const char *dtype, int bytes)
{
    uint8_t memory[64 * 8], compare[64 * 8], before[64 * 8], old[64 * 8] = {0};
    const size_t len = 64 * (size_t)bytes;
    fill_bytes(memory, len, 2);
    memcpy(before, memory, len);
    for (size_t i = 0; i < 64; i++)
        set_word(compare, i, bytes, i % 3 == 0 ? word_at(memory, i, bytes) : ~word_at(memory, i, bytes));
    const char *text = tw_format(&room->arena,
        "from tvm.script import tirx as T\n"
        "@T.function\n"
        "def k(Mem: T.Tensor((32, 2, 1), \"%s\"), Val: T.Tensor((32, 2, 1), \"%s\"), Old: T.Tensor((32, 2, 1), \"%s\")):\n"
        "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"
        "    t = T.cuda.thread_idx(\"x\")\n"
        "    r = T.alloc_local((2,), \"%s\", layout=\"default\")\n"
        "    q = T.alloc_local((2,), \"%s\", layout=\"default\")\n"
        "    T.cuda.tile.apply(T.ptx[\"ld.global.%s\"], r.view(1, 2, 1), Val[t, 0:2, 0:1])\n"
        "    T.cuda.tile.apply(T.ptx[\"atom.global.cas.%s\"], q.view(1, 2, 1), Mem[t, 0:2, 0:1], r.view(1, 2, 1), T.%s(12345))\n"
        "    T.cuda.tile.apply(T.ptx[\"st.global.%s\"], Old[t, 0:2, 0:1], q.view(1, 2, 1))\n",
        dtype, dtype, dtype, dtype, dtype, type, type, dtype, type);
    run_movement(type, text, "sm_80", "atom.global.cas", 2,
                 (struct move_tensor[]){{"Mem", memory, len}, {"Val", compare, len}, {"Old", old, len}}, 3);
    expect_bytes(type, old, before, len);
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(word_at(memory, i, bytes), i % 3 == 0 ? 12345 : word_at(before, i, bytes));
}

static void a_compare_and_swap_takes_two_sources(void **state)
{
    swap(*state, "b16", "uint16", 2);
    swap(*state, "b32", "uint32", 4);
    swap(*state, "b64", "uint64", 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_operation_changes_memory_and_gives_the_old_value),
        ROOM_TEST(semantics_and_scope_are_part_of_the_opcode),
        ROOM_TEST(a_compare_and_swap_takes_two_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
