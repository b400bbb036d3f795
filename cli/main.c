#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

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

tw_status load_module(tw_ctx *ctx, const struct options *o, const char *path, const struct file_bytes *text,
                      tw_module **out)
{
    if (is_ptx(path))
        return tw_module_parse(ctx, path, text->at, text->len, out);
    const tw_compile_opts opts = {.kernel = option_text(o, OPT_KERNEL), .arch = option_text(o, OPT_ARCH)};
    return tw_compile(ctx, path, text->at, text->len, &opts, out);
}

int main(int argc, char **argv)
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
