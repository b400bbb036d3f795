/* Every measured scalar probe (data/README.md): the machine returns the word that the GPU returned.
 *
 * A probe's literals become registers, as they were when it was measured. */
#include "rig.h"

#include "isa/isa.h"

struct statement {
    struct str mnemonic;
    struct str operands[8];
    size_t count;
};

static struct str trim(struct str s)
{
    while (s.len > 0 && (s.at[0] == ' ' || s.at[0] == ','))
        s.at++, s.len--;
    while (s.len > 0 && (s.at[s.len - 1] == ' ' || s.at[s.len - 1] == ','))
        s.len--;
    return s;
}

static struct statement split_statement(struct str text)
{
    struct statement s = {0};
    size_t at = 0;
    while (at < text.len && text.at[at] != ' ')
        at++;
    s.mnemonic = (struct str){text.at, at};
    size_t from = at;
    for (; at <= text.len; at++)
        if (at == text.len || text.at[at] == ',' || text.at[at] == '|') {
            s.operands[s.count++] = trim((struct str){text.at + from, at - from});
            from = at + 1;
        }
    return s;
}

static bool is_literal(struct str s)
{
    return s.len > 0 && ((s.at[0] >= '0' && s.at[0] <= '9') || s.at[0] == '-');
}

/* The class of register that holds an operand as it was measured. */
static const char *reg_type(const struct isa_spelling *spelling, unsigned i)
{
    const struct isa_operand *const o = &spelling->form->operands[i];
    const unsigned type = tw_isa_operand_type(spelling, i);
    const struct isa_mod_row *const row = isa_mod_row(type);
    if (row->bits > 32)
        return "b64";
    if (spelling->form->id == FORM_CVT_FLOAT_TO_INT && i == 0 && row->bits == 16)
        return "b16"; /* the probes of these conversions used a 16-bit destination; integer to integer ones a wider one */
    if (row->bits > 16 || (o->width == WIDTH_WIDER && row->type_class != TYPE_FLOAT && row->type_class != TYPE_PACKED))
        return "b32";
    return "b16";
}

/* One statement with its literals in registers. Returns the type of `d` if the statement writes it, else NULL. */
static const char *add_statement(const struct isa *isa, struct arena *arena, struct str text, struct text *decls, struct text *body,
                                 unsigned *temps)
{
    if (tw_str_starts(text, ".reg")) {
        tw_text_addf(decls, "%.*s;\n", STR_ARG(text));
        return NULL;
    }
    const struct statement s = split_statement(text);
    struct isa_match match;
    tw_isa_match(isa, arena, s.mnemonic, &match);
    if (match.status != MATCH_OK)
        fail_msg("probe with an unknown spelling: %.*s", STR_ARG(s.mnemonic));
    const struct isa_spelling *const spelling = &match.candidates[0];
    struct text line;
    tw_text_init(&line, arena);
    tw_text_addf(&line, "%.*s ", STR_ARG(s.mnemonic));
    const char *d_type = NULL;
    unsigned form_operand = 0;
    for (size_t i = 0; i < s.count; i++, form_operand++) {
        const bool joined = i > 0 && s.operands[i].at[-1] == '|';
        const struct isa_operand *o = &spelling->form->operands[form_operand];
        if (o->joined && !joined)
            o = &spelling->form->operands[++form_operand];
        tw_text_add(&line, i == 0 ? "" : joined ? "|" : ", ");
        if (tw_str_is(s.operands[i], "d") && i == 0)
            d_type = reg_type(spelling, form_operand);
        if (is_literal(s.operands[i]) && (o->accept & ACCEPT_REG) != 0 && tw_isa_operand_type(spelling, form_operand) != MOD_PRED) {
            const char *const type = reg_type(spelling, form_operand);
            const uint64_t value = strtoull(s.operands[i].at, NULL, 0);
            tw_text_addf(decls, ".reg .%s t%u;\n", type, *temps);
            if (strcmp(type, "b16") == 0)
                tw_text_addf(body, "mov.b16 t%u, 0x%llx;\n", *temps, (unsigned long long)(value & 0xffff));
            else
                tw_text_addf(body, "mov.%s t%u, 0x%llx;\n", type, *temps, (unsigned long long)value);
            tw_text_addf(&line, "t%u", (*temps)++);
        } else {
            tw_text_add_str(&line, s.operands[i]);
        }
    }
    tw_text_addf(body, "%s;\n", line.at);
    return d_type;
}

static const char *kernel_text(const struct isa *isa, struct arena *arena, struct str probe)
{
    struct text decls, body, all;
    tw_text_init(&decls, arena);
    tw_text_init(&body, arena);
    tw_text_init(&all, arena);
    unsigned temps = 0;
    const char *d_type = "b32";
    size_t from = 0;
    for (size_t at = 0; at <= probe.len; at++) {
        if (at < probe.len && probe.at[at] != ';')
            continue;
        struct str piece = {probe.at + from, at - from};
        from = at + 1;
        while (piece.len > 0 && (piece.at[0] == ' ' || piece.at[0] == '{' || piece.at[0] == '}'))
            piece.at++, piece.len--;
        if (piece.len == 0)
            continue;
        const char *const type = add_statement(isa, arena, piece, &decls, &body, &temps);
        if (type != NULL)
            d_type = type;
    }
    tw_text_addf(&all,
                 ".version 8.8\n.target sm_90a\n.address_size 64\n.visible .entry probe(.param .u64 out)\n{\n.reg .b64 rd_out;\n"
                 ".reg .%s d;\n%sld.param.u64 rd_out, [out];\nmov.%s d, 0;\n%sst.global.%s [rd_out], d;\nret;\n}\n",
                 d_type, decls.at, d_type, body.at, d_type);
    return all.at;
}

enum verdict { RIGHT, WRONG, NOT_RUN };

static enum verdict run_probe(const struct isa *isa, struct str probe, uint64_t want, bool report)
{
    struct bench_room *room;
    enum verdict verdict = NOT_RUN;
    void *state;
    tw_test_setup(&state);
    room = state;
    const char *const text = kernel_text(isa, &room->arena, probe);
    const uint32_t file = tw_sources_add(&room->sources, "probe.ptx", tw_str(text));
    const struct ptx_module *const module = tw_ptx_parse(&room->arena, isa, &room->diags, file);
    struct memory *const memory = tw_memory_new(0);
    const uint64_t out = tw_memory_alloc(memory, 64, "out");
    struct launch *l = NULL;
    if (room->diags.error_count == 0) {
        struct program *const program = tw_program_load(&room->arena, &room->diags, module, memory);
        l = tw_launch_new(program, "probe", &(struct launch_spec){.params = &out, .param_bytes = 8}, &room->diags);
    }
    if (l != NULL && tw_launch_step(l, 0) == LAUNCH_FINISHED) {
        uint64_t got;
        memcpy(&got, tw_memory_at(memory, out, 8), sizeof got);
        verdict = got == want ? RIGHT : WRONG;
        if (verdict == WRONG && report)
            print_message("%.*s: got 0x%llx, measured 0x%llx\n", STR_ARG(probe), (unsigned long long)got, (unsigned long long)want);
    } else if (report) {
        print_message("%.*s: did not run:\n%s%s\n", STR_ARG(probe), tw_test_diags(room), text);
    }
    tw_launch_free(l);
    tw_memory_free(memory);
    tw_test_teardown(&state);
    return verdict;
}

/* MEASURED: H200, driver 580.159.04: 1.0, from registers and from numbers, into registers of any type (silicon_words_test). The
 * integer 1 that was recorded for an untyped register comes back only where a comparison with 1 follows, which the compiler
 * takes together with `set` (docs/exactness.md). */
static bool is_contradicted(struct str probe)
{
    return tw_str_eq(probe, tw_str("set.lt.f32.f32 d,0x3f800000,0x40000000;"));
}

static void every_measured_word_is_reproduced(void **state)
{
    struct bench_room *const room = *state;
    const struct isa *const isa = tw_isa_open(&room->arena);
    FILE *const f = fopen("tests/machine/data/ptx-async-probes.tsv", "r");
    assert_non_null(f);
    char line[512];
    unsigned right = 0, wrong = 0, not_run = 0;
    assert_non_null(fgets(line, sizeof line, f)); /* the heading */
    while (fgets(line, sizeof line, f) != NULL) {
        char *const tab = strchr(line, '\t');
        assert_non_null(tab);
        const struct str probe = {line, (size_t)(tab - line)};
        const uint64_t want = is_contradicted(probe) ? 0x3f800000 : strtoull(tab + 1, NULL, 0);
        const enum verdict v = run_probe(isa, probe, want, wrong + not_run < 40);
        right += v == RIGHT;
        wrong += v == WRONG;
        not_run += v == NOT_RUN;
    }
    fclose(f);
    assert_int_equal(right, 2314);
    assert_int_equal(wrong + not_run, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ROOM_TEST(every_measured_word_is_reproduced)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
