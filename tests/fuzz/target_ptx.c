/* A PTX file: what is legal is printed, read again, and the same. */
#include "fuzz/bench.h"
#include "fuzz/target.h"

#include "ptx/ptx.h"

static void use_ptx(struct bench *b)
{
    struct text printed;
    const struct ptx_module *const first = tw_ptx_parse(&b->arena, fuzz_tables(), &b->diags, b->file);
    if (b->diags.error_count != 0)
        return;
    tw_text_init(&printed, &b->arena);
    tw_ptx_print(first, &printed);
    const uint32_t again = tw_sources_add(&b->sources, "again.ptx", (struct str){printed.at, printed.len});
    const struct ptx_module *const second = tw_ptx_parse(&b->arena, fuzz_tables(), &b->diags, again);
    const char *why = NULL;
    fuzz_must_be(b->diags.error_count == 0, "what was printed is not legal", printed.at);
    fuzz_must_be(tw_ptx_module_equal(first, second, &b->arena, &why), "what was printed means something else", why);
}

void fuzz_ptx(const uint8_t *bytes, size_t len)
{
    fuzz_with_bench("input.ptx", bytes, len, use_ptx);
}
