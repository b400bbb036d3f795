/* Programs to IR text, for tables of cases. */
#ifndef TW_TESTS_LANG_SUPPORT_H
#define TW_TESTS_LANG_SUPPORT_H

#include "ir/ir.h"
#include "isa/isa.h"
#include "lang/lang.h"
#include "support/check.h"

struct lang_case {
    const char *text, *want;
};

/* The header of every kernel in the tables: the body begins on line 6. */
#define KERNEL_HEADER                                                                               \
    "from tvm.script import tirx as T\n"                                                            \
    "import numpy as np\n"                                                                          \
    "@T.function\n"                                                                                 \
    "def k(A: T.Tensor((4, 8), \"float32\"), B: T.Tensor((4, 8), \"float16\"), n: T.int32):\n"      \
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))\n"

static inline struct lang_program *load_text(struct bench_room *room, const char *text)
{
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    return tw_lang_load(&room->arena, &room->sources, tw_sources_add(&room->sources, "k.py", tw_str(text)), &room->diags,
                        tw_isa_open(&room->arena), NULL);
}

/* Four blanks in front of every line. */
static inline const char *kernel_with(struct bench_room *room, const char *body)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_add(&t, KERNEL_HEADER "    ");
    for (const char *c = body; *c != '\0'; c++) {
        tw_text_put(&t, *c);
        if (*c == '\n')
            tw_text_add(&t, "    ");
    }
    tw_text_put(&t, '\n');
    return t.at;
}

static inline bool is_declaration(const char *line)
{
    static const char *const heads[] = {"kernel ", "  launch ", "  global ", "  scalar ", "  view "};
    for (size_t i = 0; i < COUNT(heads); i++)
        if (strncmp(line, heads[i], strlen(heads[i])) == 0)
            return true;
    return false;
}

/* The kernel's IR without its head, parameters and views; the IR is verified on the way. */
static inline const char *statements_of(struct bench_room *room, const struct ir_kernel *k)
{
    struct text why, all, out;
    tw_text_init(&why, &room->arena);
    tw_text_init(&all, &room->arena);
    tw_text_init(&out, &room->arena);
    assert_non_null(k);
    if (!tw_ir_verify(k, &why))
        fail_msg("the IR is not sound: %s", why.at);
    tw_ir_print(k, &all);
    for (const char *line = all.at; *line != '\0';) {
        const size_t len = strcspn(line, "\n");
        if (!is_declaration(line))
            tw_text_add_str(&out, (struct str){line, len + 1});
        line += len + 1;
    }
    return out.at == NULL ? "" : out.at;
}

static inline const char *built(struct bench_room *room, const char *program)
{
    struct lang_program *p = load_text(room, program);
    tw_test_expect_diags(room, "");
    struct ir_kernel *k = tw_lang_build(p, "k");
    tw_test_expect_diags(room, "");
    return statements_of(room, k);
}

static inline void expect_statements(struct bench_room *room, const struct lang_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_string_equal(built(room, kernel_with(room, cases[i].text)), cases[i].want);
}

/* A kernel with this body is refused with exactly these words. */
static inline void expect_refused(struct bench_room *room, const struct lang_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct lang_program *p = load_text(room, kernel_with(room, cases[i].text));
        assert_null(tw_lang_build(p, "k"));
        tw_test_expect_diags(room, cases[i].want);
    }
}

#endif
