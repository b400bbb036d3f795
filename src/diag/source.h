/* Source texts and positions in them. A span is half-open in bytes; file 0 is "nowhere". */
#ifndef TW_DIAG_SOURCE_H
#define TW_DIAG_SOURCE_H

#include "base/str.h"
#include "base/vec.h"

struct src_span {
    uint32_t file;       /* index from tw_sources_add; 0: no position */
    uint32_t begin, end; /* byte offsets */
};

struct src_file {
    const char *name;
    struct str text;
    VEC(uint32_t) line_starts;
};

struct sources {
    struct arena *arena;
    VEC(struct src_file) files;
};

struct src_place {
    const char *name;
    uint32_t line, column; /* from 1; columns count bytes */
    struct str line_text;  /* without the newline */
};

void tw_sources_init(struct sources *s, struct arena *arena);
/* `text` must outlive the sources; it is not copied. Returns the file's index, from 1. */
uint32_t tw_sources_add(struct sources *s, const char *name, struct str text);
struct src_place tw_sources_place(const struct sources *s, uint32_t file, uint32_t offset);
struct str tw_sources_text(const struct sources *s, struct src_span span);
/* The text is going away: what is shown of this file from now on has positions but no excerpt. */
void tw_sources_forget(struct sources *s, uint32_t file);
/* A span that covers both (same file). */
struct src_span tw_span_join(struct src_span a, struct src_span b);

#endif
