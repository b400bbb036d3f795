#include "fuzz/bench.h"

#include "fuzz/target.h"

#include <stdio.h>
#include <stdlib.h>

const struct isa *fuzz_tables(void)
{
    static struct landing landing;
    static struct arena arena;
    static const struct isa *isa;
    if (isa != NULL)
        return isa;
    if (setjmp(landing.at) != 0)
        abort();
    tw_arena_init(&arena, &landing, 0);
    isa = tw_isa_open(&arena);
    return isa;
}

static void open_bench(struct bench *b, const char *name, const uint8_t *bytes, size_t len)
{
    tw_sources_init(&b->sources, &b->arena);
    tw_diags_init(&b->diags, &b->arena, &b->sources);
    /* A copy of its own: reading past the end is then seen. */
    b->file = tw_sources_add(&b->sources, name, (struct str){tw_arena_copy(&b->arena, (const char *)bytes, len), len});
}

static void render(struct bench *b)
{
    struct text t;
    tw_text_init(&t, &b->arena);
    tw_diags_text(&b->diags, &t);
    tw_diags_json(&b->diags, &t);
}

void fuzz_with_bench(const char *name, const uint8_t *bytes, size_t len, void (*use)(struct bench *b))
{
    struct bench *const b = calloc(1, sizeof *b);
    if (b == NULL)
        abort();
    tw_arena_init(&b->arena, &b->landing, BENCH_BYTES);
    if (setjmp(b->landing.at) == 0) {
        open_bench(b, name, bytes, len);
        use(b);
        render(b);
    }
    if (b->free_kept != NULL)
        b->free_kept(b->kept);
    tw_arena_release(&b->arena);
    free(b);
}

void fuzz_must_be(bool fine, const char *what, const char *why)
{
    if (fine)
        return;
    fprintf(stderr, "fuzz: %s: %s\n", what, why == NULL ? "" : why);
    abort();
}
