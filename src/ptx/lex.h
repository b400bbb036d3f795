/* Tokens of PTX text. The text is read in place; nothing is copied. */
#ifndef TW_PTX_LEX_H
#define TW_PTX_LEX_H

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>

enum token_kind {
    TOK_END,
    TOK_NAME,      /* letters, digits, _, $, and % in front */
    TOK_DIRECTIVE, /* .name, the dot included; '::' may stand inside */
    TOK_INT,       /* value */
    TOK_F32,       /* value: bits */
    TOK_F64,       /* value: bits */
    TOK_STRING,    /* quotes included */
    TOK_PUNCT,     /* punct */
    TOK_BAD        /* why */
};

struct token {
    enum token_kind kind;
    char punct;
    bool is_unsigned; /* integer written with a trailing U */
    uint32_t begin, end;
    uint64_t value;
    const char *why;
};

struct lexer {
    const char *text;
    uint32_t len;
    uint32_t at;        /* where the next token is sought */
    struct token tok;   /* the current token */
    uint32_t last_end;  /* end of the token before it */
};

void tw_lex_begin(struct lexer *lx, struct str text);
void tw_lex_next(struct lexer *lx);
/* Turns the current name into a mnemonic: takes in every '.' and '::' part that follows. Parts may be
 * apart ("ld .global .u32"); then the text is put together in the arena. */
struct str tw_lex_mnemonic(struct lexer *lx, struct arena *arena);
/* The current name with a component behind it, if one is there: %tid.x. */
struct str tw_lex_component(struct lexer *lx);
/* Skips to the brace that closes the one before the current token; yields the text between. False at the end of the text. */
bool tw_lex_raw_block(struct lexer *lx, struct str *body);

static inline struct str tw_lex_text(const struct lexer *lx, const struct token *t)
{
    return (struct str){lx->text + t->begin, t->end - t->begin};
}

#endif
