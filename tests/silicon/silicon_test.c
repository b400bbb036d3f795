/* Every form of the catalogue that sm_90a has and that a kernel alone can run, on the CPU machine and on a GPU: equal to the bit.
 * Without a GPU the machine alone runs what ptxas is shown, and nothing is compared.
 *
 *     TW_SILICON=64          so many warps of operands for every instruction, and many spellings of a form (make silicon)
 *     TW_SEED=7              draws other spellings and operands
 *     TW_SILICON_FORM=SHF    only forms whose name begins so
 *     TW_SILICON_SHOWN=2     so many differing sets of operands of an instruction are printed */
#include "silicon/silicon.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FEW_SPELLINGS = 4, MANY_SPELLINGS = 512, SHOWN = 2 };

struct form_row {
    size_t spellings, instances, differing;
    uint64_t sets, differing_sets;
    bool all, compared;
};

struct sweep {
    struct bench_room *room;
    const struct isa *isa;
    struct dice dice;
    struct silicon_batch batch;
    struct arena_mark mark;
    struct silicon_device cpu, gpu;
    bool assembler, differ, refused;
    uint32_t warps;
    size_t most;
    uint64_t seed;
    struct form_row rows[FORM_COUNT + 1]; /* the last: special registers */
};

static uint64_t number_of(const char *name, uint64_t other)
{
    const char *const text = getenv(name);
    return text == NULL ? other : strtoul(text, NULL, 10);
}

static uint64_t shown(void)
{
    return number_of("TW_SILICON_SHOWN", SHOWN);
}

/* ---- The assembler ---------------------------------------------------------------------------------------------- */

/* `aloud`: what it says is printed. */
static bool assembles(const char *text, bool aloud)
{
    char path[] = "/tmp/tilewright_XXXXXX", command[512];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    snprintf(command, sizeof command, "ptxas -arch=" SILICON_TARGET " -o /dev/null %s > %s.log 2>&1 || { %s %s.log; false; }",
             path, path, aloud ? "grep -v Advisory" : ":", path);
    const bool accepted = system(command) == 0;
    unlink(path);
    snprintf(command, sizeof command, "%s.log", path);
    unlink(command);
    return accepted;
}

/* ---- Comparison -------------------------------------------------------------------------------------------------- */

static void print_words(const unsigned char *record, uint32_t at, uint32_t bytes)
{
    printf(" 0x");
    for (uint32_t i = bytes; i > 0; i--)
        printf("%02x", record[at + i - 1]);
}

static void show(const struct silicon_batch *b, const struct silicon_instance *one, uint64_t set, const unsigned char *before,
                 const unsigned char *cpu, const unsigned char *gpu)
{
    printf("    set %llu (warp %llu, lane %llu):", (unsigned long long)set, (unsigned long long)(set / SILICON_LANES), (unsigned long long)(set % SILICON_LANES));
    for (uint32_t i = 0; i < one->inputs; i++) {
        const struct silicon_input *const in = &b->inputs.at[one->first_input + i];
        print_words(before, in->at, in->bits < 8 ? 1 : in->bits / 8u);
    }
    for (int side = cpu == NULL; side < 2; side++) {
        printf("%s", side == 0 ? "\n      machine:" : "\n      silicon:");
        for (uint32_t i = 0; i < one->outputs; i++)
            print_words(side == 0 ? cpu : gpu, b->outputs.at[one->first_output + i].at, b->outputs.at[one->first_output + i].bytes);
    }
    putchar('\n');
}

static bool equal(const struct silicon_batch *b, const struct silicon_instance *one, const unsigned char *cpu, const unsigned char *gpu)
{
    for (uint32_t i = 0; i < one->outputs; i++) {
        const struct silicon_output *const out = &b->outputs.at[one->first_output + i];
        if (memcmp(cpu + out->at, gpu + out->at, out->bytes) != 0)
            return false;
    }
    return true;
}

static struct form_row *row_of(struct sweep *s, const struct silicon_instance *one)
{
    return &s->rows[one->form == NULL ? FORM_COUNT : one->form->id];
}

static void compare_instance(struct sweep *s, const struct silicon_instance *one, const unsigned char *before, const unsigned char *cpu,
                             const unsigned char *gpu)
{
    const size_t stride = silicon_stride(&s->batch);
    struct form_row *const row = row_of(s, one);
    uint64_t differing = 0;
    for (uint64_t set = 0; set < (uint64_t)s->warps * SILICON_LANES; set++) {
        if (equal(&s->batch, one, cpu + set * stride, gpu + set * stride))
            continue;
        if (differing == 0)
            printf("  differs: %s\n", one->text);
        if (differing++ < shown())
            show(&s->batch, one, set, before + set * stride, cpu + set * stride, gpu + set * stride);
    }
    if (differing != 0)
        printf("    %llu of %u sets\n", (unsigned long long)differing, s->warps * SILICON_LANES);
    row->compared = true;
    row->differing += differing != 0;
    row->differing_sets += differing;
    s->differ |= differing != 0;
}

/* ---- Batches ------------------------------------------------------------------------------------------------------ */

/* A fault ends a context; text that is refused does not. */
static bool still_works(struct silicon_device *d)
{
    uint64_t address = 0, word = 0;
    const bool works = tw_alloc(d->device, sizeof word, &address) == TW_OK && tw_write(d->device, address, &word, sizeof word) == TW_OK;
    if (address != 0)
        tw_free(d->device, address);
    return works;
}

static const char *run_gpu(struct sweep *s, const char *text, unsigned char *records)
{
    const char *why = NULL;
    if (silicon_run(&s->gpu, &s->batch, text, records, s->warps, &why))
        return NULL;
    if (!still_works(&s->gpu)) {
        silicon_close(&s->gpu);
        if (!silicon_open(&s->gpu, TW_DEVICE_CUDA))
            fail_msg("the GPU does not open again after\n%s", why);
    }
    return why;
}

/* The batch's records on their way. */
struct records {
    const unsigned char *before;
    unsigned char *cpu, *gpu;
    size_t bytes;
};

static void run_range(struct sweep *s, const struct records *r, uint32_t first, uint32_t count);

/* Halves, down to the instruction that is at fault. */
static void split(struct sweep *s, const struct records *r, uint32_t first, uint32_t count, const char *who, const char *why)
{
    if (count > 1) {
        run_range(s, r, first, count / 2);
        run_range(s, r, first + count / 2, count - count / 2);
        return;
    }
    printf("  %s: %s\n%s\n", who, s->batch.instances.at[first].text, why);
    s->refused = true;
}

/* What the machine does not execute: what silicon gives, to learn from. */
static void show_silicon(struct sweep *s, const struct records *r, uint32_t at, const char *text)
{
    const size_t stride = silicon_stride(&s->batch);
    if (s->gpu.device == NULL || run_gpu(s, text, r->gpu) != NULL)
        return;
    for (uint64_t set = 0; set < shown() && set < (uint64_t)s->warps * SILICON_LANES; set++)
        show(&s->batch, &s->batch.instances.at[at], set, r->before + set * stride, NULL, r->gpu + set * stride);
}

static void run_range(struct sweep *s, const struct records *r, uint32_t first, uint32_t count)
{
    struct silicon_batch *const b = &s->batch;
    const char *const text = silicon_module(b, first, count), *why = "";
    memcpy(r->cpu, r->before, r->bytes);
    memcpy(r->gpu, r->before, r->bytes);
    if (!silicon_run(&s->cpu, b, text, r->cpu, s->warps, &why)) {
        split(s, r, first, count, "the machine does not run it", why);
        if (count == 1)
            show_silicon(s, r, first, text);
    } else if (s->assembler && !assembles(text, count == 1)) {
        split(s, r, first, count, "ptxas refuses it", "");
    } else if (s->gpu.device != NULL && (why = run_gpu(s, text, r->gpu)) != NULL) {
        split(s, r, first, count, "silicon does not run it", why);
    } else if (s->gpu.device != NULL) {
        for (uint32_t i = first; i < first + count; i++)
            compare_instance(s, &b->instances.at[i], r->before, r->cpu, r->gpu);
    }
}

static void run_batch(struct sweep *s)
{
    struct silicon_batch *const b = &s->batch;
    if (b->instances.len == 0)
        return;
    const size_t bytes = (size_t)s->warps * SILICON_LANES * silicon_stride(b);
    const struct records r = {silicon_fill(b, s->warps, s->seed++), arena_new(b->arena, unsigned char, bytes),
                              arena_new(b->arena, unsigned char, bytes), bytes};
    run_range(s, &r, 0, b->instances.len);
}

static void next_batch(struct sweep *s)
{
    run_batch(s);
    tw_arena_rewind(&s->room->arena, s->mark);
    silicon_begin(&s->batch, &s->room->arena, s->isa);
}

static void add_spelling(struct sweep *s, const struct isa_spelling *spelling)
{
    const struct isa_form *const f = spelling->form;
    if (f->op == OP_ISSPACEP || f->op == OP_CVTA)
        silicon_add_spaces(&s->batch, spelling, &s->dice);
    else
        silicon_add(&s->batch, spelling, &s->dice);
    s->rows[f->id].instances++;
    s->rows[f->id].sets += s->warps * SILICON_LANES;
}

/* Few spellings are repeated, so that operands vary. */
static void add_form(struct sweep *s, const struct isa_form *f)
{
    struct isa_spelling *const list = arena_new(&s->room->arena, struct isa_spelling, s->most);
    struct form_row *const row = &s->rows[f->id];
    row->spellings = silicon_spellings(s->isa, &s->room->arena, f, s->most, &s->dice, list, &row->all);
    const size_t repeats = s->most == FEW_SPELLINGS ? 1 : row->spellings * 4 <= s->most ? 4 : row->spellings * 2 <= s->most ? 2 : 1;
    s->mark = tw_arena_mark(&s->room->arena);
    silicon_begin(&s->batch, &s->room->arena, s->isa);
    for (size_t i = 0; i < repeats * row->spellings; i++) {
        add_spelling(s, &list[i % row->spellings]);
        if (s->batch.instances.len == SILICON_BATCH)
            next_batch(s);
    }
    next_batch(s);
}

static void add_registers(struct sweep *s)
{
    s->mark = tw_arena_mark(&s->room->arena);
    silicon_begin(&s->batch, &s->room->arena, s->isa);
    for (size_t i = 0; silicon_add_register(&s->batch, i); i++)
        continue;
    s->rows[FORM_COUNT].instances = s->batch.instances.len;
    s->rows[FORM_COUNT].sets = (uint64_t)s->batch.instances.len * s->warps * SILICON_LANES;
    next_batch(s);
}

/* ---- The sweep ----------------------------------------------------------------------------------------------------- */

static bool is_wanted(const char *name)
{
    const char *const only = getenv("TW_SILICON_FORM");
    return only == NULL || strncmp(name, only, strlen(only)) == 0;
}

static void print_table(const struct sweep *s)
{
    size_t forms = 0, instances = 0, differing = 0;
    uint64_t sets = 0;
    printf("%-28s %9s %9s %12s %9s\n", "form", "spellings", "instances", "operand sets", "differing");
    for (unsigned i = 0; i <= FORM_COUNT; i++) {
        const struct form_row *const r = &s->rows[i];
        if (r->instances == 0)
            continue;
        const char *const name = i == FORM_COUNT ? "special registers" : tw_isa_form(s->isa, (enum isa_form_id)i)->name;
        printf("%-28s %8zu%s %9zu %12llu ", name, r->spellings, r->all ? " " : "+", r->instances, (unsigned long long)r->sets);
        if (r->compared)
            printf("%9llu\n", (unsigned long long)r->differing_sets);
        else
            printf("%9s\n", "not run");
        forms++;
        instances += r->instances;
        sets += r->sets;
        differing += r->differing;
    }
    printf("%zu forms, %zu instances, %llu operand sets, %zu instances differ\n", forms, instances, (unsigned long long)sets, differing);
}

static void sweep_all(struct sweep *s)
{
    for (unsigned i = 0; i < FORM_COUNT; i++) {
        const struct isa_form *const f = tw_isa_form(s->isa, (enum isa_form_id)i);
        if (silicon_left_out(f) == NULL && is_wanted(f->name))
            add_form(s, f);
    }
    if (is_wanted("special registers"))
        add_registers(s);
}

/* At full size only one of the two tests runs at that: with silicon, where there is some. */
static void open_sweep(struct sweep *s, struct bench_room *room, bool full)
{
    full = full && getenv("TW_SILICON") != NULL;
    *s = (struct sweep){.room = room, .warps = full ? (uint32_t)number_of("TW_SILICON", 1) : 1,
                        .dice = {number_of("TW_SEED", 7)}, .isa = tw_isa_open(&room->arena)};
    s->seed = roll_word(&s->dice);
    s->most = full ? MANY_SPELLINGS : FEW_SPELLINGS;
    assert_true(silicon_open(&s->cpu, TW_DEVICE_CPU));
}

static bool has_silicon(void)
{
    struct silicon_device gpu;
    const bool opens = silicon_open(&gpu, TW_DEVICE_CUDA), there = opens && gpu.info.sm == 90;
    if (opens)
        silicon_close(&gpu);
    return there;
}

static void close_sweep(struct sweep *s)
{
    silicon_close(&s->cpu);
    silicon_close(&s->gpu);
}

static void the_machine_runs_every_form_and_ptxas_takes_it(void **state)
{
    struct sweep s;
    open_sweep(&s, *state, !has_silicon());
    s.assembler = system("ptxas --version > /dev/null 2>&1") == 0;
    if (!s.assembler)
        printf("not run: the assembler's verdict, no ptxas\n");
    sweep_all(&s);
    close_sweep(&s);
    assert_false(s.refused);
}

static void the_machine_and_silicon_agree_on_every_form(void **state)
{
    struct sweep s;
    if (!has_silicon()) {
        printf("not run: the comparison with silicon, no GPU of sm_90\n");
        skip();
    }
    open_sweep(&s, *state, true);
    assert_true(silicon_open(&s.gpu, TW_DEVICE_CUDA));
    printf("%s, sm_%u, driver %u.%u\n", s.gpu.info.name, s.gpu.info.sm, s.gpu.info.driver_version / 1000, s.gpu.info.driver_version % 1000 / 10);
    sweep_all(&s);
    if (getenv("TW_SILICON") != NULL)
        print_table(&s);
    close_sweep(&s);
    assert_false(s.differ || s.refused);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* a long run shows how far it is */
    const struct CMUnitTest tests[] = {
        ROOM_TEST(the_machine_runs_every_form_and_ptxas_takes_it),
        ROOM_TEST(the_machine_and_silicon_agree_on_every_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
