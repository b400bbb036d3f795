#include "golden_device.h"

#include "isa/isa.h"
#include "machine/launch.h"
#include "ptx/ptx.h"

static const char *diag_text(const struct golden_device *d)
{
    struct text t;
    tw_text_init(&t, d->arena);
    tw_diags_text(&d->diags, &t);
    return t.at;
}

bool golden_device_open(struct arena *arena, struct golden_device *d, const char *text, size_t bytes, struct golden_table *out)
{
    *d = (struct golden_device){.arena = arena};
    tw_sources_init(&d->sources, arena);
    tw_diags_init(&d->diags, arena, &d->sources);
    const uint32_t file = tw_sources_add(&d->sources, "golden.ptx", tw_str(text));
    const struct ptx_module *const module = tw_ptx_parse(arena, tw_isa_open(arena), &d->diags, file);
    d->memory = tw_memory_new(0);
    if (d->diags.error_count == 0 && d->memory != NULL)
        d->program = tw_program_load(arena, &d->diags, module, d->memory);
    d->address = d->memory == NULL ? 0 : tw_memory_alloc(d->memory, bytes, "records");
    if (d->program != NULL && d->address != 0) {
        d->bytes = tw_memory_at(d->memory, d->address, bytes);
        return true;
    }
    out->not_run = tw_format(arena, "the text is refused:\n%s", diag_text(d));
    return false;
}

bool golden_device_run(struct golden_device *d, uint32_t grid, uint32_t block, uint32_t dynamic_shared, struct golden_table *out)
{
    const struct launch_spec spec = {
        .grid = {grid}, .block = {block}, .dynamic_shared_bytes = dynamic_shared, .params = &d->address, .param_bytes = 8};
    struct launch *const l = tw_launch_new(d->program, "k", &spec, &d->diags);
    if (l == NULL) {
        out->not_run = tw_format(d->arena, "the machine refuses it:\n%s", diag_text(d));
        return false;
    }
    const enum launch_status status = tw_launch_step(l, 0);
    tw_launch_free(l);
    if (status != LAUNCH_FINISHED)
        tw_text_addf(&out->first, "the run did not finish:\n%s", diag_text(d));
    return true;
}

void golden_device_close(struct golden_device *d)
{
    tw_memory_free(d->memory);
}
