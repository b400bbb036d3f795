/* A PTX file whose kernels are run under small limits, with a report. */
#include "fuzz/run_kernels.h"
#include "fuzz/target.h"

#include "ptx/ptx.h"

static void use_run(struct bench *b)
{
    const struct ptx_module *const module = tw_ptx_parse(&b->arena, fuzz_tables(), &b->diags, b->file);
    if (b->diags.error_count == 0)
        fuzz_run_kernels(b, module, NULL);
}

void fuzz_run(const uint8_t *bytes, size_t len)
{
    fuzz_with_bench("input.ptx", bytes, len, use_run);
}
