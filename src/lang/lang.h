/* The kernel language, seen from outside: a program file goes in, kernels come out as IR.
 *
 * Loading lexes and parses the whole file, host statements included, and executes its module
 * level with the compile-time evaluator. A function decorated as a kernel is recorded; its body
 * is walked, and IR emitted, only when it is asked for by name. Everything lives in the arena
 * given to tw_lang_load; errors travel as diagnostics. */
#ifndef TW_LANG_LANG_H
#define TW_LANG_LANG_H

#include "base/arena.h"
#include "base/str.h"
#include "diag/diag.h"
#include "diag/source.h"

struct isa;
struct ir_kernel;
struct lang_program;

/* Named values that a caller defines before the first statement runs. A module-level assignment
 * to such a name is skipped, so that a caller can override a constant of the file. */
enum lang_env_kind { LANG_ENV_INT, LANG_ENV_FLOAT, LANG_ENV_STR, LANG_ENV_BOOL };

struct lang_env_entry {
    const char *name;
    enum lang_env_kind kind;
    int64_t integer;      /* LANG_ENV_INT, LANG_ENV_BOOL */
    double number;        /* LANG_ENV_FLOAT */
    struct str text;      /* LANG_ENV_STR */
};

struct lang_env {
    const struct lang_env_entry *entries;
    uint32_t count;
};

/* Never NULL. With syntax errors or errors at module level the program may list no kernels;
 * the caller looks at diags->error_count. `env` may be NULL. */
struct lang_program *tw_lang_load(struct arena *arena, struct sources *sources, uint32_t file, struct diags *diags,
                                  const struct isa *isa, const struct lang_env *env);

uint32_t tw_lang_kernel_count(const struct lang_program *program);
/* In order of definition. The name lives as long as the program. */
const char *tw_lang_kernel_name(const struct lang_program *program, uint32_t index);
struct src_span tw_lang_kernel_span(const struct lang_program *program, uint32_t index);

/* The IR of one kernel, or NULL after diagnostics (an unknown name is diagnosed too). */
struct ir_kernel *tw_lang_build(struct lang_program *program, const char *kernel_name);

#endif
