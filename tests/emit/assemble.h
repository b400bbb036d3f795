/* Emission in tests: a kernel to PTX text, and the assembler's opinion of it where ptxas is installed. */
#ifndef TW_TESTS_EMIT_ASSEMBLE_H
#define TW_TESTS_EMIT_ASSEMBLE_H

#include "support/check.h"

#include "emit/emit.h"
#include "ptx/ptx.h"
#include "tile/tile.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Lowers, if that was not done, and emits. Fails the test with the diagnostics. */
static inline const char *emit_text(struct bench_room *room, struct ir_kernel *k, const char *target)
{
    const struct isa *isa = tw_isa_open(&room->arena);
    struct text why, out;
    tw_text_init(&why, &room->arena);
    tw_text_init(&out, &room->arena);
    if (!tw_ir_verify(k, &why))
        fail_msg("%s", why.at);
    if (!k->is_lowered && !tw_tile_lower(k, isa, &room->diags))
        fail_msg("%s", tw_test_diags(room));
    if (!tw_ir_verify(k, &why))
        fail_msg("lowered: %s", why.at);
    const struct ptx_module *m = tw_emit_ptx(k, isa, &room->diags, &(struct emit_options){.target = target});
    if (m == NULL)
        fail_msg("%s", tw_test_diags(room));
    tw_ptx_print(m, &out);
    return out.at;
}

static inline bool have_ptxas(void)
{
    static int known = -1;
    if (known < 0)
        known = system("ptxas --version > /dev/null 2>&1") == 0;
    return known == 1;
}

/* Fails the test if ptxas refuses the text or, where it is to be silent, says anything about it. False where there is none. */
static inline bool asked_of_ptxas(const char *text, const char *target, bool silent)
{
    if (!have_ptxas())
        return false;
    char path[] = "/tmp/tilewright_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    const size_t len = strlen(text);
    assert_int_equal(write(file, text, len), (ssize_t)len);
    close(file);
    char command[256];
    snprintf(command, sizeof command, "ptxas -arch=%s -o /dev/null %s > %s.out 2>&1 && { %s || ! test -s %s.out; }", target, path, path,
             silent ? "false" : "true", path);
    const int status = system(command);
    if (status != 0) {
        snprintf(command, sizeof command, "cat %s.out >&2", path);
        if (system(command) == 0)
            fprintf(stderr, "%s\n", text);
    }
    snprintf(command, sizeof command, "%s.out", path);
    unlink(command);
    unlink(path);
    assert_int_equal(status, 0);
    return true;
}

static inline bool assembles(const char *text, const char *target)
{
    return asked_of_ptxas(text, target, false);
}

static inline void expect_assembles(const char *text, const char *target)
{
    if (assembles(text, target))
        return;
    printf("not run: ptxas is not installed\n");
    skip();
}

static inline uint32_t count_text(const char *text, const char *part)
{
    uint32_t n = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        n++;
    return n;
}

/* The body between its braces, without declarations. */
static inline const char *body_of(struct bench_room *room, const char *text)
{
    struct text out;
    tw_text_init(&out, &room->arena);
    const char *at = strstr(text, "\n{\n");
    assert_non_null(at);
    for (at += 3; strncmp(at, "}", 1) != 0;) {
        const char *end = strchr(at, '\n');
        assert_non_null(end);
        const char *word = at + strspn(at, " ");
        if (*word != '.' || strncmp(word, ".loc", 4) == 0 || strncmp(word, ".pragma", 7) == 0)
            tw_text_addf(&out, "%.*s\n", (int)(end - word), word);
        at = end + 1;
    }
    return out.at;
}

#endif
