/* explain: diagnostic codes, number formats, dot products, fragments. */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

static int explain_code(tw_ctx *ctx, const char *code)
{
    const char *text = tw_explain_code(ctx, code);
    if (text == NULL) {
        fprintf(stderr, "tilewright: there is no diagnostic code '%s'; explain takes a code such as E0421, 'format NAME', "
                "'dot KIND' or 'fragment SPELLING'\n",
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

static int explain_fragment(tw_ctx *ctx, const struct options *o)
{
    const char *text;
    const tw_style style = option_given(o, OPT_JSON) ? TW_JSON : TW_TEXT;
    const tw_status status = tw_explain_fragment(ctx, o->files[1], o->file_count > 2 ? o->files[2] : NULL, style, &text);
    if (status == TW_OK)
        fputs(text, stdout);
    return finish(ctx, o, status);
}

/* Options of `explain dot` and `explain fragment` are refused elsewhere, so that nobody takes one for heard. */
static bool stray_option(const struct options *o, bool dot, bool fragment)
{
    for (size_t i = 0; i < o->use_count; i++) {
        const enum option_id id = o->uses[i].id;
        if (id == OPT_HELP || (id == OPT_JSON ? fragment : dot))
            continue;
        fprintf(stderr, "tilewright: only 'explain %s' takes the option %s\n", id == OPT_JSON ? "fragment" : "dot", option_rows[id].name);
        return true;
    }
    return false;
}

/* What can be explained: the first word, how many words follow it, and what to say if they do not. */
static const struct topic {
    const char *name;
    size_t least, most;
    int (*explain)(tw_ctx *ctx, const struct options *o);
    const char *usage;
} topics[] = {
    {"dot", 1, 1, explain_dot, "name the instruction: explain dot tcgen05.f16 --a 1,2 --b 3,4"},
    {"format", 1, 1, explain_format, "name the format: explain format e4m3"},
    {"fragment", 1, 2, explain_fragment,
     "name the instruction: explain fragment mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 [A]"},
};
enum { TOPIC_COUNT = sizeof topics / sizeof topics[0] };

static const struct topic *find_topic(const char *name)
{
    for (size_t i = 0; i < TOPIC_COUNT; i++)
        if (strcmp(topics[i].name, name) == 0)
            return &topics[i];
    return NULL;
}

int command_explain(const struct options *o)
{
    const struct topic *topic = find_topic(o->files[0]);
    const size_t words = o->file_count - 1;
    if (topic == NULL ? words != 0 : words < topic->least || words > topic->most) {
        fprintf(stderr, "tilewright: %s\n", topic != NULL ? topic->usage
                                                         : "explain takes a code such as E0421, 'format NAME', 'dot KIND' or "
                                                           "'fragment SPELLING'");
        return EXIT_USAGE;
    }
    if (stray_option(o, topic != NULL && topic->explain == explain_dot, topic != NULL && topic->explain == explain_fragment))
        return EXIT_USAGE;
    tw_ctx *ctx = open_context();
    if (ctx == NULL)
        return EXIT_LIMIT;
    const int status = topic != NULL ? topic->explain(ctx, o) : explain_code(ctx, o->files[0]);
    tw_ctx_destroy(ctx);
    return status;
}
