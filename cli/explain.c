/* explain: diagnostic codes, number formats, dot products. */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

static int explain_code(tw_ctx *ctx, const char *code)
{
    const char *text = tw_explain_code(ctx, code);
    if (text == NULL) {
        fprintf(stderr, "tilewright: there is no diagnostic code '%s'; explain takes a code such as E0421, 'format NAME' or 'dot KIND'\n",
                code);
        return EXIT_USAGE;
    }
    fputs(text, stdout);
    return EXIT_DONE;
}

static int explain_dot(tw_ctx *ctx, const struct options *o)
{
    const tw_dot_opts opts = {
        .arch = option_text(o, OPT_ARCH),
        .a = option_text(o, OPT_A),
        .b = option_text(o, OPT_B),
        .c = option_text(o, OPT_C),
        .scale_a = option_text(o, OPT_SCALE_A),
        .scale_b = option_text(o, OPT_SCALE_B),
        .meta = option_text(o, OPT_META),
    };
    const char *text;
    const tw_status status = tw_explain_dot(ctx, o->files[1], &opts, &text);
    if (status == TW_OK)
        fputs(text, stdout);
    return finish(ctx, o, status);
}

static int explain_format(tw_ctx *ctx, const struct options *o)
{
    const char *text;
    const tw_status status = tw_explain_format(ctx, o->files[1], &text);
    if (status == TW_OK)
        fputs(text, stdout);
    return finish(ctx, o, status);
}

/* Options that only `explain dot` has are refused elsewhere, so that nobody takes one for heard. */
static bool stray_option(const struct options *o)
{
    for (size_t i = 0; i < o->use_count; i++)
        if (o->uses[i].id != OPT_JSON && o->uses[i].id != OPT_HELP) {
            fprintf(stderr, "tilewright: only 'explain dot' takes the option %s\n", option_rows[o->uses[i].id].name);
            return true;
        }
    return false;
}

int command_explain(const struct options *o)
{
    const bool is_dot = strcmp(o->files[0], "dot") == 0, is_format = strcmp(o->files[0], "format") == 0;
    if ((is_dot || is_format) != (o->file_count == 2)) {
        fprintf(stderr, is_dot      ? "tilewright: name the instruction: explain dot tcgen05.f16 --a 1,2 --b 3,4\n"
                        : is_format ? "tilewright: name the format: explain format e4m3\n"
                                    : "tilewright: explain takes a code such as E0421, 'format NAME' or 'dot KIND'\n");
        return EXIT_USAGE;
    }
    if (!is_dot && stray_option(o))
        return EXIT_USAGE;
    tw_ctx *ctx = tw_ctx_create(NULL);
    if (ctx == NULL) {
        fputs("tilewright: memory is exhausted\n", stderr);
        return EXIT_LIMIT;
    }
    const int status = is_dot ? explain_dot(ctx, o) : is_format ? explain_format(ctx, o) : explain_code(ctx, o->files[0]);
    tw_ctx_destroy(ctx);
    return status;
}
