/* Programs that call gemm_async, lowered, and the words that their instructions hold. */
#ifndef TW_TESTS_TILE_GEMM_H
#define TW_TESTS_TILE_GEMM_H

#include "support/check.h"

#include "ir/ir.h"
#include "isa/isa.h"
#include "lang/lang.h"
#include "tile/tile.h"

/* Line 8 is the first of the body. */
#define GEMM_HEADER                                                                                                          \
    "from tvm.script import tirx as T\n"                                                                                     \
    "from tvm.script.tirx import tile as Tx\n"                                                                               \
    "from tvm.tirx.layout import S, R, TCol, TLane, TileLayout\n"                                                            \
    "from tvm.backend.cuda.layout import mma_shared_layout, sf_tmem_layout, tmem_datapath_layout, tmem_mma_operand_layout\n" \
    "@T.function\n"                                                                                                          \
    "def k(Out: T.Tensor((4,), \"float32\"), n: T.int32):\n"                                                                 \
    "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))\n"

/* Declarations for the bodies. Tensor memory is at column 32 of its allocation. */
#define SHARED(name, dtype, mode, shape) \
    name " = T.alloc_shared(" shape ", \"" dtype "\", layout=mma_shared_layout(\"" dtype "\", " mode ", " shape "))\n"
#define TMEM(name, dtype, shape, layout)                                                                        \
    name " = T.decl_buffer(" shape ", \"" dtype "\", scope=\"tmem\", allocated_addr=T.uint32(32), layout=" layout ")\n"
#define LANES(name, columns) TMEM(name, "float32", "(128, " columns ")", "TileLayout(S[(128, " columns ") : (1 @ TLane, 1 @ TCol)])")
#define ONE_THREAD "if T.cuda.thread_idx(\"x\") == 0:\n    "

/* The kernel of a body, four blanks in front of every line; fails if it does not build. */
static inline struct ir_kernel *gemm_kernel(struct bench_room *room, const char *body)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_add(&t, GEMM_HEADER "    ");
    for (const char *c = body; *c != '\0'; c++) {
        tw_text_put(&t, *c);
        if (*c == '\n' && c[1] != '\0')
            tw_text_add(&t, "    ");
    }
    tw_text_put(&t, '\n');
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    struct lang_program *p = tw_lang_load(&room->arena, &room->sources, tw_sources_add(&room->sources, "k.py", tw_str(t.at)),
                                          &room->diags, tw_isa_open(&room->arena), NULL);
    tw_test_expect_diags(room, "");
    struct ir_kernel *k = tw_lang_build(p, "k");
    tw_test_expect_diags(room, "");
    assert_non_null(k);
    return k;
}

/* ---- lowered ------------------------------------------------------------------------------------------ */

struct gemm_issues {
    const struct ir_kernel *k;
    const struct ir_ptx *at[512];
    uint32_t count;       /* of all instructions */
    uint32_t definitions; /* of descriptors */
};

static inline void collect(const struct ir_block *b, struct gemm_issues *g)
{
    for (uint32_t i = 0; i < b->list.len; i++) {
        const struct ir_stmt *s = b->list.at[i];
        if (s->op == IR_PTX && g->count < 512)
            g->at[g->count++] = s->ptx;
        g->definitions += s->op == IR_DEFINE && strncmp(s->var->name, "desc", 4) == 0;
        collect(&s->body, g);
        collect(&s->orelse, g);
    }
}

static inline const struct gemm_issues *gemm_lowered(struct bench_room *room, const char *body)
{
    struct gemm_issues *g = arena_new(&room->arena, struct gemm_issues, 1);
    struct text why;
    tw_text_init(&why, &room->arena);
    struct ir_kernel *k = gemm_kernel(room, body);
    if (!tw_tile_lower(k, tw_isa_open(&room->arena), &room->diags))
        fail_msg("%s", tw_test_diags(room));
    if (!tw_ir_verify(k, &why))
        fail_msg("the IR is not sound: %s", why.at);
    g->k = k;
    collect(&k->body, g);
    return g;
}

/* ---- words -------------------------------------------------------------------------------------------- */

enum { ADDRESS_A = 0x8000, ADDRESS_B = 0x10000, STAGE = 2 /* of every parameter */ };

static inline uint64_t word(const struct ir_kernel *k, const struct ir_expr *e)
{
    const uint64_t mask = e->type.bits >= 64 ? UINT64_MAX : (UINT64_C(1) << e->type.bits) - 1;
    if (e->op == IR_CONST)
        return e->bits & mask;
    if (e->op == IR_VAR)
        return e->var->param >= 0 ? STAGE : word(k, tw_ir_definition(k, e->var)->value);
    if (e->op == IR_SHARED_ADDR)
        return strcmp(e->args[0]->region->view->storage->name, "a") == 0 ? ADDRESS_A : ADDRESS_B;
    const uint64_t a = word(k, e->args[0]), b = e->args[1] == NULL ? 0 : word(k, e->args[1]);
    if (e->op == IR_CAST)
        return a & mask;
    if (e->op == IR_ADD)
        return (a + b) & mask;
    if (e->op == IR_MUL)
        return (a * b) & mask;
    if (e->op == IR_SHR)
        return a >> b;
    if (e->op == IR_BITAND)
        return a & b;
    if (e->op == IR_BITOR)
        return a | b;
    if (e->op == IR_NE)
        return a != b;
    fail_msg("no evaluation of %s", tw_ir_op_name(e->op));
    return 0;
}

/* Operand `index` of instruction `issue`. */
static inline uint64_t operand_word(const struct gemm_issues *g, uint32_t issue, uint32_t index)
{
    assert_true(issue < g->count && index < g->at[issue]->operand_count);
    return word(g->k, g->at[issue]->operands[index].expr);
}

#endif
