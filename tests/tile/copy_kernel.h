/* Kernels as text with tensors to copy between, for tests of bulk and tensor copies. */
#ifndef TW_TESTS_TILE_COPY_KERNEL_H
#define TW_TESTS_TILE_COPY_KERNEL_H

#include "tile/text_kernel.h"
#include "tile/words.h"

/* The body begins on line 10. */
static const char copy_head[] =
    "from tvm.script import tirx as T\n"
    "from tvm.backend.cuda.layout import mma_shared_layout\n"
    "@T.function\n"
    "def k(X: T.Tensor((256, 192), \"float16\"), F: T.Tensor((6, 40, 64), \"float32\"), U: T.Tensor((64, 64), \"uint32\"),\n"
    "      Odd: T.Tensor((64, 65), \"float16\"), Low: T.Tensor((64, 64), \"float16\", align=8), i: T.int32, j: T.int32):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=128, cluster=2))\n"
    "    bar = T.alloc_shared((2,), \"uint64\")\n"
    "    s = T.alloc_shared((128, 64), \"float16\", layout=mma_shared_layout(\"float16\", 3, (128, 64)), align=1024)\n"
    "    p = T.alloc_shared((8, 256), \"float16\", align=128)\n";

static inline bool lower_copy(struct bench_room *room, const char *body, struct ir_kernel **kernel)
{
    return lower_text(room, copy_head, body, kernel);
}

/* The lowered instructions, one a line. */
static inline const char *copied(struct bench_room *room, const char *body)
{
    struct ir_kernel *k;
    struct text all, out;
    if (!lower_copy(room, body, &k))
        fail_msg("%s", tw_test_diags(room));
    tw_text_init(&all, &room->arena);
    tw_text_init(&out, &room->arena);
    tw_ir_print(k, &all);
    for (const char *at = all.at; *at != '\0';) {
        const size_t len = strcspn(at, "\n") + 1, indent = strspn(at, " ");
        const char *const text = at + indent;
        if (strncmp(text, "ptx ", 4) == 0 || text[0] == '@')
            tw_text_add_str(&out, (struct str){text, len - indent});
        at += len;
    }
    return out.at == NULL ? "" : out.at;
}

/* The tensor map of a parameter of this name. */
static inline const struct ir_map *map_named(const struct ir_kernel *k, const char *name)
{
    for (uint32_t i = 0; i < k->params.len; i++)
        if (k->params.at[i].map != NULL && strcmp(k->params.at[i].name, name) == 0)
            return k->params.at[i].map;
    fail_msg("no map '%s'", name);
    return NULL;
}

#endif
