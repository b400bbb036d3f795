/* What the files of the public API share. */
#ifndef TW_API_API_H
#define TW_API_API_H

#include "check/hazards.h"
#include "diag/diag.h"
#include "emit/emit.h"
#include "gpu/gpu.h"
#include "machine/launch.h"
#include "ptx/contract.h"
#include "ptx/module.h"
#include "tilewright/tilewright.h"

struct tw_ctx {
    struct landing landing; /* set by tw_api_guard around every call that may allocate */
    struct arena arena;
    struct sources sources;
    struct diags diags;
    const struct isa *isa;
};

struct tw_module {
    tw_ctx *ctx;
    struct arena arena;
    struct ptx_module *ptx;          /* parsed from ptx_text */
    struct str ptx_text;
    const char *target;              /* ".target": "sm_90a" */
    const struct contract *contract; /* compiled modules */
    struct str ir_text, lowered_text, contract_text, cuda_text; /* compiled modules; at == NULL: none */
    struct ir_kernel *kernel;        /* compiled modules: lowered, for the texts that are made on demand */
    struct emit_options how;
    uint32_t owned_file;             /* source file whose text lies in this arena; 0: none */
};

struct tw_device {
    tw_ctx *ctx;
    struct memory *memory; /* of the machine; of a GPU's device it holds no tensors */
    struct gpu *gpu;       /* NULL: the CPU machine */
    unsigned sm;           /* compute capability of the GPU, or that the machine is; 0: of each module's target */
    uint64_t max_memory;   /* bytes for guest memory, and again for the clusters that run */
};

struct tw_launch {
    tw_ctx *ctx;
    struct arena arena;
    struct launch *launch;
    struct hazards *hazards; /* NULL: nobody looks for them, or they have been reported */
    bool unordered;          /* an error was among them */
    struct gpu_launch *gpu; /* on a GPU */
    uint64_t ctas, ctas_done; /* on a GPU */
};

/* Runs `body(argument)` with the context's landing set; exhaustion comes back as a status. Whatever body had
 * allocated outside arenas is the caller's to free. */
tw_status tw_api_guard(tw_ctx *ctx, tw_status (*body)(void *argument), void *argument);

/* Memory of a device: 0 when none is left; bytes in use. */
uint64_t tw_api_alloc(tw_device *device, uint64_t bytes, const char *name);
uint64_t tw_api_used(const tw_device *device);

/* Compute capability that a module meets on a device. */
unsigned tw_api_sm(const tw_device *device, const struct ptx_module *module);

/* The inside of a launch on a GPU; see gpu.c. */
tw_status tw_api_gpu_open(tw_device *device, const tw_device_opts *opts);
tw_status tw_api_gpu_launch(tw_device *device, tw_module *module, const tw_launch_opts *opts, tw_launch *made);
tw_status tw_api_gpu_run(tw_launch *launch);

/* The entry called `name`, or the only one when name is NULL; NULL after a diagnostic at the place that names it (file 0: none). */
const struct ptx_func *tw_api_find_entry(tw_ctx *ctx, const struct ptx_module *module, const char *name, struct src_span at);

#endif
