/* The names of token kinds. */
#include "lang/token.h"

#include "base/text.h"

#include <assert.h>

static const struct {
    const char *spelling;
    enum token_class class;
} kinds[TOK_COUNT] = {
#define TW_TOKEN(id, class, spelling) [TOK_##id] = {spelling, TOKEN_CLASS_##class},
#include "lang/token.def"
#undef TW_TOKEN
};

const char *tw_token_spelling(enum token_kind kind)
{
    assert(kind < TOK_COUNT);
    return kinds[kind].spelling;
}

enum token_class tw_token_class(enum token_kind kind)
{
    assert(kind < TOK_COUNT);
    return kinds[kind].class;
}

const char *tw_token_describe(struct arena *arena, enum token_kind kind)
{
    if (tw_token_class(kind) == TOKEN_CLASS_TEXT)
        return tw_token_spelling(kind);
    return tw_format(arena, "'%s'", tw_token_spelling(kind));
}
