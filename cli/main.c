#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

tw_ctx *open_context(void)
{
    tw_ctx *ctx = tw_ctx_create(NULL);
    if (ctx == NULL)
        fputs("tilewright: memory is exhausted\n", stderr);
    return ctx;
}

int finish(tw_ctx *ctx, const struct options *o, tw_status status)
{
    const char *text = tw_diagnostics(ctx, option_given(o, OPT_JSON) ? TW_JSON : TW_TEXT);
    if (text != NULL)
        fputs(text, stderr);
    if (status == TW_NO_MEMORY)
        fputs("tilewright: memory is exhausted\n", stderr);
    if (status == TW_NO_MEMORY || status == TW_LIMIT || status == TW_NO_DEVICE)
        return EXIT_LIMIT;
    return status == TW_OK ? EXIT_DONE : EXIT_WRONG;
}

bool is_ptx(const char *path)
{
    const size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".ptx") == 0;
}

/* Comments and blanks aside, PTX begins with .version, and no program does. */
bool is_ptx_text(const char *path, const struct file_bytes *text)
{
    const char *at = text->at;
    while (!is_ptx(path)) {
        at += strspn(at, " \t\r\n");
        if (strncmp(at, "//", 2) == 0)
            at += strcspn(at, "\n");
        else if (strncmp(at, "/*", 2) == 0 && strstr(at, "*/") != NULL)
            at = strstr(at, "*/") + 2;
        else
            return strncmp(at, ".version", 8) == 0;
    }
    return true;
}

const char *file_title(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

bool options_fit(const struct options *o, const char *path, bool ptx)
{
    const bool run = o->command == CMD_RUN;
    if (ptx && option_given(o, OPT_ARCH)) {
        fprintf(stderr, "tilewright: --arch is what a kernel is compiled for; %s has its .target%s\n", file_title(path),
                run ? ": use --as to compute as another GPU" : "");
        return false;
    }
    if (ptx && option_given(o, OPT_KERNEL)) {
        fprintf(stderr, "tilewright: --kernel names a kernel of a program; %s is PTX%s\n", file_title(path), run ? ": use --entry" : "");
        return false;
    }
    return true;
}

tw_status load_module(tw_ctx *ctx, const struct options *o, const char *path, const struct file_bytes *text,
                      tw_module **out)
{
    if (is_ptx_text(path, text))
        return tw_module_parse(ctx, file_title(path), text->at, text->len, out);
    const tw_compile_opts opts = {.kernel = option_text(o, OPT_KERNEL), .arch = option_text(o, OPT_ARCH)};
    return tw_compile(ctx, file_title(path), text->at, text->len, &opts, out);
}

static int run_command(int argc, char **argv)
{
    static const struct {
        enum command command;
        int (*run)(const struct options *);
    } runners[] = {
        {CMD_COMPILE, command_compile}, {CMD_CHECK, command_check}, {CMD_RUN, command_run}, {CMD_EXPLAIN, command_explain}};
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)) {
        print_help();
        return EXIT_DONE;
    }
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("tilewright %s\n", tw_version());
        return EXIT_DONE;
    }
    struct options o = {0};
    if (!options_parse(&o, argc, argv))
        return EXIT_USAGE;
    if (option_given(&o, OPT_HELP)) {
        print_help();
        return EXIT_DONE;
    }
    for (size_t i = 0; i < sizeof runners / sizeof runners[0]; i++)
        if (runners[i].command == o.command)
            return runners[i].run(&o);
    return EXIT_USAGE;
}

/* Results that could not be written are none. */
int main(int argc, char **argv)
{
    const int code = run_command(argc, argv);
    return file_flush() || code != EXIT_DONE ? code : EXIT_WRONG;
}
