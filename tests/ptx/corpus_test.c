/* Compilers' output: every file reads, and its canonical text reads back as the same module. */
#include "ptx/oracle.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads, prints, reads again, compares. `*taken` is whether the first reading found no error. */
static bool round_trip(const struct isa *isa, const char *name, struct str text, bool *taken)
{
    struct landing landing;
    struct arena arena;
    struct sources sources;
    struct diags diags;
    tw_arena_init(&arena, &landing, 0);
    if (setjmp(landing.at) != 0)
        abort();
    tw_sources_init(&sources, &arena);
    tw_diags_init(&diags, &arena, &sources);
    const struct ptx_module *m = tw_ptx_parse(&arena, isa, &diags, tw_sources_add(&sources, name, text));
    bool same = true;
    *taken = diags.error_count == 0;
    if (*taken) {
        struct text printed;
        const char *why = NULL;
        tw_text_init(&printed, &arena);
        tw_ptx_print(m, &printed);
        const struct ptx_module *again =
            tw_ptx_parse(&arena, isa, &diags, tw_sources_add(&sources, "printed", (struct str){printed.at, printed.len}));
        same = diags.error_count == 0 && tw_ptx_module_equal(m, again, &arena, &why);
        if (!same)
            print_message("  %s: %s\n", name, why != NULL ? why : "the canonical text is refused");
    }
    if (diags.error_count > 0) {
        struct text t;
        tw_text_init(&t, &arena);
        tw_diags_text(&diags, &t);
        print_message("%.600s\n", t.at);
    }
    tw_arena_release(&arena);
    return same;
}

/* Every file of a folder must be taken; returns how many there were. */
static size_t all_round_trip(struct bench_room *room, const char *folder)
{
    const struct isa *isa = tw_isa_open(&room->arena);
    size_t count;
    char **names = list_folder(&room->arena, folder, ".ptx", &count);
    for (size_t i = 0; i < count; i++) {
        const char *path = tw_format(&room->arena, "%s/%s", folder, names[i]);
        bool taken;
        bool same = round_trip(isa, names[i], read_file(&room->arena, path), &taken);
        assert_true(taken);
        assert_true(same);
    }
    return count;
}

static void every_triton_kernel_reads_and_prints_back(void **state)
{
    struct bench_room *room = *state;
    size_t count = all_round_trip(room, shared_path(&room->arena, "corpus/triton/ptx"));
    if (count == 0) {
        print_message("not run: Triton's kernels, corpus/triton/ptx is missing\n");
        skip();
    }
    assert_int_equal(count, 80);
}

/* A file of the bug corpus is refused exactly when ptxas refuses it: most planted faults are of run time. */
static void every_bug_is_taken_or_refused_as_ptxas_does(void **state)
{
    struct bench_room *room = *state;
    const struct isa *isa = tw_isa_open(&room->arena);
    const char *folder = shared_path(&room->arena, "bugs");
    size_t count;
    char **names = list_folder(&room->arena, folder, ".ptx", &count);
    if (count == 0) {
        print_message("not run: corpus of bugs, the folder bugs is missing\n");
        skip();
    }
    for (size_t i = 0; i < count; i++) {
        const char *bad = strstr(names[i], ".bad.ptx");
        size_t stem = (size_t)((bad != NULL ? bad : strstr(names[i], ".good.ptx")) - names[i]);
        struct str json = read_file(&room->arena, tw_format(&room->arena, "%s/%.*s.json", folder, (int)stem, names[i]));
        const char *text = tw_arena_copy(&room->arena, json.at, json.len);
        const char *field = strstr(text, bad != NULL ? "\"ptxas_bad\"" : "\"ptxas_good\"");
        const char *verdict = field != NULL ? strstr(field, "\"accepted\": ") : NULL;
        assert_non_null(verdict);
        bool accepted = verdict[12] == '1';
        bool taken;
        assert_true(round_trip(isa, names[i], read_file(&room->arena, tw_format(&room->arena, "%s/%s", folder, names[i])), &taken));
        if (taken != accepted)
            fail_msg("%s: %s by us, %s by ptxas", names[i], taken ? "taken" : "refused", accepted ? "taken" : "refused");
    }
}

static bool run_command(const char *command)
{
    int status = system(command);
    return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* SOURCE: corpus/cuda/README.md: the architecture of each file. */
static void every_cuda_kernel_compiled_on_the_spot_reads_and_prints_back(void **state)
{
    static const struct {
        const char *file, *arch;
    } rows[] = {
        {"mma_sync_gemm", "80"},    {"mma_sync_types", "80"},  {"wgmma_tma_gemm", "90a"},  {"wgmma_types", "90a"},
        {"cluster_bulk", "90a"},    {"tma_shapes", "90a"},     {"tc5_single_tile", "100a"}, {"tc5_tma_ws_gemm", "100a"},
        {"tc5_cta2_gemm", "100a"},  {"tc5_mx_gemm", "100a"},   {"tc5_ws_variants", "100a"}, {"clc_pdl", "100a"},
        {"mma_mx_sm120", "120a"},
    };
    struct bench_room *room = *state;
    const char *folder = shared_path(&room->arena, "corpus/cuda");
    char out[] = "/tmp/tw_ptx_XXXXXX";
    if (access(folder, R_OK) != 0 || !run_command("nvcc --version >/dev/null 2>&1")) {
        print_message("not run: CUDA kernels, nvcc or corpus/cuda is missing\n");
        skip();
    }
    assert_non_null(mkdtemp(out));
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(run_command(tw_format(&room->arena,
                                          "nvcc -std=c++17 -O3 -gencode arch=compute_%s,code=compute_%s -ptx %s/%s.cu -o %s/%s.ptx",
                                          rows[i].arch, rows[i].arch, folder, rows[i].file, out, rows[i].file)));
    }
    assert_true(run_command(tw_format(&room->arena, /* debug data: sections, .loc with inlining */
                                      "nvcc -std=c++17 -G -gencode arch=compute_90a,code=compute_90a -ptx %s/cluster_bulk.cu -o %s/debug.ptx",
                                      folder, out)));
    size_t count = all_round_trip(room, out);
    assert_true(run_command(tw_format(&room->arena, "rm -r %s", out)));
    assert_int_equal(count, COUNT(rows) + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(every_triton_kernel_reads_and_prints_back),
        ROOM_TEST(every_bug_is_taken_or_refused_as_ptxas_does),
        ROOM_TEST(every_cuda_kernel_compiled_on_the_spot_reads_and_prints_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
