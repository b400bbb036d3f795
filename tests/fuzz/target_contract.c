/* A launch contract: what is legal is written, read again, and the same text. */
#include "fuzz/bench.h"
#include "fuzz/target.h"

#include "ptx/contract.h"

#include <string.h>

static void use_contract(struct bench *b)
{
    struct text first, second;
    const struct contract *c = tw_contract_read(&b->arena, b->file, &b->diags);
    if (c == NULL || b->diags.error_count != 0)
        return;
    tw_text_init(&first, &b->arena);
    tw_text_init(&second, &b->arena);
    tw_contract_write(c, &first);
    c = tw_contract_read(&b->arena, tw_sources_add(&b->sources, "again.json", (struct str){first.at, first.len}), &b->diags);
    fuzz_must_be(c != NULL, "a contract that was written is not legal", first.at);
    tw_contract_write(c, &second);
    fuzz_must_be(first.len == second.len && memcmp(first.at, second.at, first.len) == 0, "a contract changes when it is written and read", second.at);
}

void fuzz_contract(const uint8_t *bytes, size_t len)
{
    fuzz_with_bench("launch.json", bytes, len, use_contract);
}
