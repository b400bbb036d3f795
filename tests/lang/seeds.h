/* Cuts the program listings out of the seed documents in $TW_SHARED/seeds (default ../shared/seeds). */
#ifndef TW_TESTS_LANG_SEEDS_H
#define TW_TESTS_LANG_SEEDS_H

#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>

static inline char *read_whole(struct bench_room *room, const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return NULL;
    struct text t;
    tw_text_init(&t, &room->arena);
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
        tw_text_add_str(&t, (struct str){buffer, n});
    fclose(f);
    *len = t.len;
    return t.at;
}

/* The seed's text, or a skipped test. */
static inline const char *seed_text(struct bench_room *room, const char *file)
{
    const char *shared = getenv("TW_SHARED");
    size_t len;
    const char *path = tw_format(&room->arena, "%s/seeds/%s", shared == NULL ? "../shared" : shared, file);
    const char *text = read_whole(room, path, &len);
    if (text == NULL) {
        print_message("not run: the program of %s, which is not there\n", path);
        skip();
    }
    return text;
}

/* From the line that starts with `first` to before the line that starts with `stop`, each line
 * without `indent` leading blanks. */
static inline void cut_lines(struct text *out, const char *text, const char *first, const char *stop, size_t indent)
{
    const char *at = strstr(text, first);
    assert_non_null(at);
    const char *end = strstr(at, stop);
    assert_non_null(end);
    while (at > text && at[-1] == ' ')
        at--;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline == NULL ? end : newline;
        const size_t blanks = (size_t)(line_end - at) < indent ? (size_t)(line_end - at) : indent;
        tw_text_add_str(out, (struct str){at + blanks, (size_t)(line_end - at) - blanks});
        tw_text_put(out, '\n');
        at = newline == NULL ? end : newline + 1;
    }
}

static inline uint32_t tensor_mma_seed(struct bench_room *room)
{
    const char *text = seed_text(room, "000_7dd3617c9dcc7542.txt");
    struct text out;
    tw_text_init(&out, &room->arena);
    cut_lines(&out, text, "from tvm.script import tirx as T", "The issuing thread emits", 0);
    return tw_sources_add(&room->sources, "tensor_mma.py", (struct str){out.at, out.len});
}

/* The kernel and the host part are two blocks, each indented by four. */
static inline uint32_t warp_mma_seed(struct bench_room *room)
{
    const char *text = seed_text(room, "003_ecce971689b7c4a8.txt");
    struct text out;
    tw_text_init(&out, &room->arena);
    cut_lines(&out, text, "from tvm.script import tirx as T", ".. code-block:: python\n\n    import numpy", 4);
    cut_lines(&out, text, "import numpy as np", "``M_repeat=N_repeat=1``", 4);
    return tw_sources_add(&room->sources, "warp_mma.py", (struct str){out.at, out.len});
}

#endif
