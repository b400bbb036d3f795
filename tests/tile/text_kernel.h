/* Kernels as text, for tests of tile operations: a body behind a common head, lowered, with what was said. */
#ifndef TW_TESTS_TILE_TEXT_KERNEL_H
#define TW_TESTS_TILE_TEXT_KERNEL_H

#include "support/check.h"

#include "lang/lang.h"
#include "tile/tile.h"

/* The body begins on line 8. */
static const char text_head[] =
    "from tvm.script import tirx as T\n"
    "from tvm.backend.cuda.layout import mma_shared_layout, sf_tmem_layout, tmem_datapath_layout, tmem_mma_operand_layout\n"
    "Lane, Col = T.cuda.Axis.TLane, T.cuda.Axis.TCol\n"
    "ATOM32 = T.ComposeLayout(3, 2, 2, T.TileLayout(T.S[(8, 4, 32) : (32, 256, 1)]))\n"
    "@T.function\n"
    "def k(base: T.uint32, i: T.int32, more: T.int32):\n"
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))\n";

static inline bool lower_text(struct bench_room *room, const char *head, const char *body, struct ir_kernel **kernel)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_addf(&t, "%s%s", head, body);
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    const struct isa *isa = tw_isa_open(&room->arena);
    struct lang_program *p = tw_lang_load(&room->arena, &room->sources, tw_sources_add(&room->sources, "k.py", tw_str(t.at)),
                                          &room->diags, isa, NULL);
    *kernel = tw_lang_build(p, "k");
    if (*kernel == NULL)
        fail_msg("the language refuses the test's kernel: %s", tw_test_diags(room));
    return tw_tile_lower(*kernel, isa, &room->diags);
}

static inline bool lower_body(struct bench_room *room, const char *body, struct ir_kernel **kernel)
{
    return lower_text(room, text_head, body, kernel);
}

static inline void expect_refused_body(struct bench_room *room, const char *body, const char *want)
{
    struct ir_kernel *k;
    assert_false(lower_body(room, body, &k));
    tw_test_expect_diags(room, want);
}

/* It compiles, and something is said. */
static inline void expect_noted(struct bench_room *room, const char *body, const char *want)
{
    struct ir_kernel *k;
    assert_true(lower_body(room, body, &k));
    tw_test_expect_diags(room, want);
}

#endif
