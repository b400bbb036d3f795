#include "api/api.h"

#include "base/limits.h"

#include <stdlib.h>

tw_status tw_api_guard(tw_ctx *ctx, tw_status (*body)(void *argument), void *argument)
{
    if (setjmp(ctx->landing.at) != 0) {
        if (ctx->landing.reason == LANDING_MEMORY)
            return TW_NO_MEMORY;
        return TW_LIMIT;
    }
    return body(argument);
}

static tw_status open_context(void *argument)
{
    tw_ctx *ctx = argument;
    tw_sources_init(&ctx->sources, &ctx->arena);
    tw_diags_init(&ctx->diags, &ctx->arena, &ctx->sources);
    ctx->isa = tw_isa_open(&ctx->arena);
    return TW_OK;
}

tw_ctx *tw_ctx_create(const tw_ctx_opts *opts)
{
    tw_ctx *ctx = calloc(1, sizeof *ctx);
    if (ctx == NULL)
        return NULL;
    const size_t limit = opts != NULL && opts->max_bytes != 0 ? opts->max_bytes : TW_DEFAULT_ARENA_BYTES;
    tw_arena_init(&ctx->arena, &ctx->landing, limit);
    if (tw_api_guard(ctx, open_context, ctx) == TW_OK)
        return ctx;
    tw_ctx_destroy(ctx);
    return NULL;
}

void tw_ctx_destroy(tw_ctx *ctx)
{
    if (ctx == NULL)
        return;
    tw_arena_release(&ctx->arena);
    free(ctx);
}

struct text_call {
    tw_ctx *ctx;
    tw_style style;
    const char *code;
    const char *text;
};

static tw_status render(void *argument)
{
    struct text_call *call = argument;
    struct text t;
    tw_text_init(&t, &call->ctx->arena);
    if (call->style == TW_JSON)
        tw_diags_json(&call->ctx->diags, &t);
    else
        tw_diags_text(&call->ctx->diags, &t);
    call->text = t.at;
    return TW_OK;
}

const char *tw_diagnostics(tw_ctx *ctx, tw_style style)
{
    struct text_call call = {.ctx = ctx, .style = style};
    return tw_api_guard(ctx, render, &call) == TW_OK ? call.text : "memory is exhausted\n";
}

unsigned tw_error_count(const tw_ctx *ctx)
{
    return ctx->diags.error_count;
}

void tw_diagnostics_clear(tw_ctx *ctx)
{
    tw_diags_init(&ctx->diags, &ctx->arena, &ctx->sources);
}

/* Words of `text`, wrapped at 96 columns. */
static void add_wrapped(struct text *out, const char *text)
{
    enum { WIDTH = 96 };
    size_t column = 0;
    while (*text != '\0') {
        size_t word = 0;
        while (text[word] != '\0' && text[word] != ' ' && text[word] != '\n')
            word++;
        if (column != 0 && column + 1 + word > WIDTH) {
            tw_text_put(out, '\n');
            column = 0;
        } else if (column != 0) {
            tw_text_put(out, ' ');
            column++;
        }
        tw_text_add_str(out, (struct str){text, word});
        column += word;
        text += word;
        if (*text == '\n') {
            tw_text_put(out, '\n');
            column = 0;
        }
        if (*text != '\0')
            text++;
    }
    tw_text_put(out, '\n');
}

static tw_status explain(void *argument)
{
    struct text_call *call = argument;
    const enum diag_code code = tw_diag_find(tw_str(call->code));
    if (code == DIAG_CODE_COUNT)
        return TW_ERROR;
    const struct diag_row *row = tw_diag_row(code);
    struct text t;
    tw_text_init(&t, &call->ctx->arena);
    tw_text_addf(&t, "%s: %s\n\n", row->name, row->title);
    add_wrapped(&t, row->text);
    call->text = t.at;
    return TW_OK;
}

const char *tw_explain_code(tw_ctx *ctx, const char *code)
{
    struct text_call call = {.ctx = ctx, .code = code};
    return tw_api_guard(ctx, explain, &call) == TW_OK ? call.text : NULL;
}

const char *tw_version(void)
{
    return "0.1.0";
}
