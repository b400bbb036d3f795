/* Tokens of a program file. The lexer turns a whole file into an array that ends in TOK_END;
 * layout (newlines, indentation, lines joined inside brackets) is already resolved. A fault in
 * the text is diagnosed by the lexer and leaves a TOK_ERROR, which the parser skips silently:
 * one fault, one message. */
#ifndef TW_LANG_TOKEN_H
#define TW_LANG_TOKEN_H

#include "base/arena.h"
#include "base/vec.h"
#include "diag/diag.h"
#include "diag/source.h"

enum token_kind {
#define TW_TOKEN(id, class, spelling) TOK_##id,
#include "lang/token.def"
#undef TW_TOKEN
    TOK_COUNT
};

enum token_class { TOKEN_CLASS_TEXT, TOKEN_CLASS_PUNCT, TOKEN_CLASS_KEYWORD };

enum string_flag { STRING_RAW = 1, STRING_BYTES = 2, STRING_FORMAT = 4, STRING_TRIPLE = 8 };

struct token {
    uint8_t kind;        /* enum token_kind */
    uint8_t string_flags;
    uint8_t lead;        /* TOK_STRING: bytes of prefix and opening quote */
    uint32_t begin, end; /* bytes of the file */
};

struct token_list {
    VEC(struct token) list;
};

const char *tw_token_spelling(enum token_kind kind);
enum token_class tw_token_class(enum token_kind kind);
/* "'if'", "a name": how a message names a kind. */
const char *tw_token_describe(struct arena *arena, enum token_kind kind);

/* The whole file. */
void tw_lang_lex(struct arena *arena, const struct sources *sources, uint32_t file, struct diags *diags,
                 struct token_list *out);
/* The expression text of one f-string field: no newlines, no indentation. */
void tw_lang_lex_field(struct arena *arena, const struct sources *sources, struct src_span field, struct diags *diags,
                       struct token_list *out);

#endif
