/* compile and check: kernels to PTX, and all diagnostics of kernels and .ptx files. */
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    tw_emit emit;
} emits[] = {
    {"ptx", TW_EMIT_PTX}, {"cuda", TW_EMIT_CUDA}, {"ir", TW_EMIT_IR}, {"ir-lowered", TW_EMIT_IR_LOWERED},
    {"launch", TW_EMIT_LAUNCH}};

static bool find_emit(const struct options *o, tw_emit *out)
{
    const char *name = option_text(o, OPT_EMIT);
    *out = TW_EMIT_PTX;
    if (name == NULL)
        return true;
    for (size_t i = 0; i < sizeof emits / sizeof emits[0]; i++)
        if (strcmp(emits[i].name, name) == 0) {
            *out = emits[i].emit;
            return true;
        }
    fprintf(stderr, "tilewright: --emit takes ptx, cuda, ir, ir-lowered or launch, found '%s'\n", name);
    return false;
}

static int assemble(tw_module *module, const struct options *o)
{
    const char *ptx;
    size_t len;
    if (tw_module_text(module, TW_EMIT_PTX, &ptx, &len) != TW_OK)
        return EXIT_WRONG;
    const char *arch = option_text(o, OPT_ARCH);
    arch = arch == NULL ? "sm_100a" : arch;
    const int verdict = ask_ptxas(ptx, len, arch);
    if (verdict < 0)
        fprintf(stderr, "not run: ptxas is not installed\n");
    else if (verdict > 0)
        fprintf(stderr, "ptxas accepts the PTX for %s\n", arch);
    return verdict == 0 ? EXIT_WRONG : EXIT_DONE;
}

static int compile_text(const struct options *o, tw_emit what, const struct file_bytes *text)
{
    tw_ctx *ctx = open_context();
    if (ctx == NULL)
        return EXIT_LIMIT;
    tw_module *module = NULL;
    const char *out = NULL;
    size_t len = 0;
    tw_status status = load_module(ctx, o, o->files[0], text, &module);
    if (status == TW_OK)
        status = tw_module_text(module, what, &out, &len);
    int code = finish(ctx, o, status);
    if (code == EXIT_DONE) {
        const char *path = option_text(o, OPT_OUTPUT);
        code = file_write(path == NULL ? "-" : path, out, len) ? EXIT_DONE : EXIT_WRONG;
    }
    if (code == EXIT_DONE && option_given(o, OPT_ASSEMBLE))
        code = assemble(module, o);
    tw_module_destroy(module);
    tw_ctx_destroy(ctx);
    return code;
}

int command_compile(const struct options *o)
{
    tw_emit what;
    if (!find_emit(o, &what))
        return EXIT_USAGE;
    struct file_bytes text = {0};
    if (!is_ptx(o->files[0]) && !file_read(o->files[0], &text))
        return EXIT_WRONG;
    if (is_ptx_text(o->files[0], &text)) {
        fprintf(stderr, "tilewright: compile takes a program file; %s is PTX already (use check or run)\n", file_title(o->files[0]));
        free(text.at);
        return EXIT_USAGE;
    }
    const int code = compile_text(o, what, &text);
    free(text.at);
    return code;
}

/* Modules live until what was found in them has been printed. */
struct checked {
    tw_module **modules;
    size_t count;
};

static tw_status check_module(struct checked *c, tw_status loaded, tw_module *module)
{
    if (loaded != TW_OK)
        return loaded;
    tw_module **const grown = realloc(c->modules, (c->count + 1) * sizeof *grown);
    if (grown == NULL) {
        tw_module_destroy(module);
        return TW_NO_MEMORY;
    }
    c->modules = grown;
    c->modules[c->count++] = module;
    return tw_module_check(module);
}

static tw_status check_kernels(tw_ctx *ctx, const struct options *o, const char *path, const struct file_bytes *text, struct checked *c)
{
    const char *names;
    tw_status status = tw_list_kernels(ctx, file_title(path), text->at, text->len, &names);
    char *const list = status == TW_OK ? strdup(names) : NULL;
    for (char *name = list == NULL ? NULL : strtok(list, "\n"); name != NULL; name = strtok(NULL, "\n")) {
        const tw_compile_opts opts = {.kernel = name, .arch = option_text(o, OPT_ARCH)};
        tw_module *module = NULL;
        const tw_status loaded = tw_compile(ctx, file_title(path), text->at, text->len, &opts, &module);
        const tw_status one = check_module(c, loaded, module);
        status = one == TW_OK ? status : one;
    }
    free(list);
    if (status == TW_OK && c->count == 0)
        fprintf(stderr, "%s: note: the file holds no kernel\n", file_title(path));
    return status;
}

/* One file: a .ptx module, or every kernel of a program. */
static int check_file(const struct options *o, const char *path)
{
    struct file_bytes text;
    if (!file_read(path, &text))
        return EXIT_WRONG;
    const bool ptx = is_ptx_text(path, &text);
    const bool fits = options_fit(o, path, ptx);
    tw_ctx *ctx = fits ? open_context() : NULL;
    if (ctx == NULL) {
        free(text.at);
        return fits ? EXIT_LIMIT : EXIT_USAGE;
    }
    struct checked checked = {0};
    tw_status status;
    if (ptx || option_given(o, OPT_KERNEL)) {
        tw_module *module = NULL;
        const tw_status loaded = load_module(ctx, o, path, &text, &module);
        status = check_module(&checked, loaded, module);
    } else {
        status = check_kernels(ctx, o, path, &text, &checked);
    }
    const int code = finish(ctx, o, status);
    for (size_t i = 0; i < checked.count; i++)
        tw_module_destroy(checked.modules[i]);
    free(checked.modules);
    tw_ctx_destroy(ctx);
    free(text.at);
    return code;
}

int command_check(const struct options *o)
{
    int worst = EXIT_DONE;
    for (size_t i = 0; i < o->file_count; i++) {
        const int code = check_file(o, o->files[i]);
        if (code == EXIT_DONE)
            printf("%s: no errors\n", file_title(o->files[i]));
        worst = code > worst ? code : worst;
    }
    return worst;
}
