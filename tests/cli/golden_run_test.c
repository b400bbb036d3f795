/* The golden runner itself: it passes on the samples, finds and explains one changed bit in each kind of file, refuses what
 * is damaged, and never counts what it could not run. */
#include "support/check.h"

#include "support/tcg.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_OUTPUT = 1 << 22 };

struct outcome {
    char *out;
    int status;
};

/* build/.../golden stands beside build/.../tilewright. */
static struct outcome run_golden(struct bench_room *room, const char *folder)
{
    const char *const tool = getenv("TILEWRIGHT") == NULL ? "build/gcc-release/tilewright" : getenv("TILEWRIGHT");
    const int len = (int)(strlen(tool) - strlen("tilewright"));
    FILE *const f = popen(tw_format(&room->arena, "%.*sgolden '%s' 2>&1", len, tool, folder), "r");
    assert_non_null(f);
    struct outcome o = {.out = arena_new(&room->arena, char, MAX_OUTPUT)};
    o.out[fread(o.out, 1, MAX_OUTPUT - 1, f)] = '\0';
    const int status = pclose(f);
    o.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return o;
}

static const char *last_line(const char *text)
{
    const char *last = text;
    for (const char *at = text; *at != '\0'; at++)
        if (*at == '\n' && at[1] != '\0')
            last = at + 1;
    return last;
}

static const char *new_folder(struct bench_room *room)
{
    char *const name = tw_format(&room->arena, "/tmp/tilewright-golden.XXXXXX");
    assert_non_null(mkdtemp(name));
    return name;
}

static void remove_folder(struct bench_room *room, const char *folder)
{
    assert_int_equal(system(tw_format(&room->arena, "rm -rf '%s'", folder)), 0);
}

static void write_file(struct bench_room *room, const char *folder, const char *name, const void *bytes, size_t size)
{
    FILE *const f = fopen(tw_format(&room->arena, "%s/%s", folder, name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void the_samples_match_and_are_counted(void **state)
{
    struct bench_room *const room = *state;
    const struct outcome o = run_golden(room, "tests/golden");
    unsigned long passed = 0, failed = 1;
    assert_int_equal(sscanf(last_line(o.out), "%lu passed, %lu failed", &passed, &failed), 2);
    if (failed != 0)
        fail_msg("%s", strstr(o.out, "first mismatch"));
    assert_int_equal(o.status, 0);
    assert_true(passed > 170000);
    assert_non_null(strstr(o.out, "mma_f64.tcg            mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"));
    assert_non_null(strstr(o.out, "scalar_int.tcg         prmt.b32.f4e"));
    assert_non_null(strstr(o.out, "layout_ldst.tcg        movmatrix.sync.aligned.m8n8.trans.b16"));
}

/* The sample file with one bit of the last result of its last table changed. */
static struct outcome run_changed(struct bench_room *room, const char *name)
{
    size_t size = 0;
    char *const bytes = tw_test_read_file(&room->arena, tw_format(&room->arena, "tests/golden/%s", name), &size);
    assert_non_null(bytes);
    struct tcg_file file;
    assert_true(tw_tcg_read(&room->arena, (const uint8_t *)bytes, size, &file));
    const struct tcg_table *const t = &file.table[file.table_count - 1];
    const struct tcg_field *const f = &t->field[t->field_count - 1];
    bytes[t->offset + (t->count - 1) * t->record_bytes + f->offset + (f->count - 1) * f->bits / 8] ^= 1;
    const char *const folder = new_folder(room);
    write_file(room, folder, name, bytes, size);
    const struct outcome o = run_golden(room, folder);
    remove_folder(room, folder);
    return o;
}

static void one_changed_bit_is_found_and_explained(void **state)
{
    static const struct {
        const char *file, *says[3];
        unsigned failed; /* a fragment's register is checked twice: by the ownership map, and against the machine's D */
    } rows[] = {
        {"scalar_mufu16.tcg", {"first mismatch: record 127 of \"tanh.approx.bf16 %0, %1;\": %1 = 0x", "measured 0x", "ours 0x"}, 1},
        {"mma_fp8.tcg", {"D[15][7]: measured 0x", "model: Hopper, fp8 mma.sync, two f16 windows and an add", "window 2: "}, 1},
        {"wgmma_int.tcg", {"D[63][7]: measured 0x", "evidence: measured on silicon here", "exact sum with C: "}, 1},
        {"layout_mma_frag.tcg", {"of lane 31 is not where the map of D has it", "mma.sync.aligned.", "record 0"}, 2},
        {"layout_ldst.tcg", {"lane 31 differs", "1 failed", "movmatrix"}, 1},
        {"layout_wgmma.tcg", {"D[63][31]: measured 0x", "ours 0x", "odd_strides"}, 1},
    };
    struct bench_room *const room = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct outcome o = run_changed(room, rows[i].file);
        assert_int_equal(o.status, 1);
        assert_non_null(strstr(last_line(o.out), tw_format(&room->arena, " passed, %u failed", rows[i].failed)));
        for (size_t k = 0; k < COUNT(rows[i].says); k++)
            if (strstr(o.out, rows[i].says[k]) == NULL)
                fail_msg("%s: '%s' is not said in\n%s", rows[i].file, rows[i].says[k], o.out);
    }
}

static const char two_cases[] =
    "{\"cases\":[{\"name\":\"ones-1\",\"a_format\":\"e4m3\",\"b_format\":\"e5m2\",\"d_format\":\"f32\",\"a\":[56,56],\"b\":[60,60],"
    "\"c\":\"0x00000000\",\"expected\":\"0x40000000\"},"
    "{\"name\":\"ones-2\",\"a_format\":\"e4m3\",\"b_format\":\"e5m2\",\"d_format\":\"f32\",\"a\":[56,56],\"b\":[60,60],"
    "\"c\":\"0x00000000\",\"expected\":\"0x40000001\"}]}";

static void a_dot_product_that_differs_is_shown_term_by_term(void **state)
{
    struct bench_room *const room = *state;
    const char *const folder = new_folder(room);
    write_file(room, folder, "cases.json", two_cases, sizeof two_cases - 1);
    const struct outcome o = run_golden(room, folder);
    remove_folder(room, folder);
    assert_int_equal(o.status, 1);
    assert_string_equal(
        o.out,
        "file                   instruction                                                  generator                    cases   differ\n"
        "cases.json             tcgen05 e4m3 x e5m2 to f32                                   ones                             2        1\n"
        "  first mismatch: ones-2: expected 0x40000001, ours 0x40000000\n"
        "e4m3 x e5m2 to f32, 2 products\n"
        "   model: Blackwell, tcgen05 kind::f8f6f4, one window\n"
        "evidence: measured on silicon by others (b200-words.json; github.com/sf-tensor/tcgen05)\n"
        "    rule: every product and C is cut, toward zero, to the bits of one window below the largest exponent (exponents as\n"
        "          stored: products are not renormalised, a zero factor makes no term); the sum of what is left is exact\n"
        "  window: 25 bits below the largest exponent\n"
        "\n"
        "     k  a                             b                             a*b\n"
        "  0..1  0x38 = 1                      0x3c = 1                      1\n"
        "     C  0x00000000 = 0\n"
        "\n"
        "window 1: the largest exponent is 0, one unit is 2^-25\n"
        "  term  exact                       exponent                 units  cut off\n"
        "  0..1  1                                  0              33554432  0\n"
        "   sum  2                                                 67108864\n"
        "     d  0x40000000 = 2, exactly\n"
        "\n"
        "D = 0x40000000 = 2, cut toward zero\n"
        "\n"
        "1 passed, 1 failed\n");
}

static void what_cannot_be_read_is_refused(void **state)
{
    struct bench_room *const room = *state;
    const char *const folder = new_folder(room);
    struct outcome o = run_golden(room, folder);
    assert_int_equal(o.status, 2);
    assert_string_equal(o.out, tw_format(&room->arena, "golden: no .tcg or .json file in %s\n", folder));
    write_file(room, folder, "x.tcg", "TCGOLD1 ", 8);
    o = run_golden(room, folder);
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.out, "x.tcg is damaged\n"));
    write_file(room, folder, "x.tcg", "", 0);
    write_file(room, folder, "y.json", "{\"cases\":[{}]}", 14);
    o = run_golden(room, folder);
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.out, "y.json is no file of dot products\n"));
    remove_folder(room, folder);
}

/* A kind that nobody knows, and an instruction without a model. */
static void what_cannot_be_run_is_named_and_not_counted(void **state)
{
    static const char manifest[] =
        "{\"format\":\"tcgold1\",\"file\":\"x\",\"device\":\"-\",\"arch\":\"sm_90a\",\"tables\":[\n"
        "{\"offset\":1024,\"count\":2,\"record_bytes\":4,\"kind\":\"weather\",\"instr\":\"rain\",\"fields\":[{\"name\":\"out\",\"type\":\"b\",\"bits\":32,\"count\":1,\"offset\":0}]},\n"
        "{\"offset\":1024,\"count\":1,\"record_bytes\":8,\"kind\":\"scalar\",\"instr\":\"frob\",\"asm\":\"frob.f32 %0, %1;\",\"fields\":[{\"name\":\"in0\",\"type\":\"b\",\"bits\":32,\"count\":1,\"offset\":0},{\"name\":\"out\",\"type\":\"b\",\"bits\":32,\"count\":1,\"offset\":4}]}\n"
        "]}\n";
    struct bench_room *const room = *state;
    const char *const folder = new_folder(room);
    char *const bytes = arena_new(&room->arena, char, 1032);
    memset(bytes, ' ', 1024);
    memcpy(bytes, tw_format(&room->arena, "TCGOLD1 %zu 1024", sizeof manifest - 1), strlen(tw_format(&room->arena, "TCGOLD1 %zu 1024", sizeof manifest - 1)));
    bytes[63] = '\n';
    memcpy(bytes + 64, manifest, sizeof manifest - 1);
    write_file(room, folder, "x.tcg", bytes, 1032);
    const struct outcome o = run_golden(room, folder);
    remove_folder(room, folder);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out, "not run: x.tcg: 1 tables, 2 records: kind weather\n"));
    assert_non_null(strstr(o.out, "not run: x.tcg: 1 tables, 1 records: the text is refused:\ngolden.ptx:"));
    assert_string_equal(last_line(o.out), "0 passed, 0 failed\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_samples_match_and_are_counted),
        ROOM_TEST(one_changed_bit_is_found_and_explained),
        ROOM_TEST(a_dot_product_that_differs_is_shown_term_by_term),
        ROOM_TEST(what_cannot_be_read_is_refused),
        ROOM_TEST(what_cannot_be_run_is_named_and_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
