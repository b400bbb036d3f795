/* cp.async through tile.apply: each thread copies chunks of 4, 8 or 16 bytes from global to shared memory.
 *
 * Coordinates are (group, repeat, element): the last axis is exactly chunk_bytes on either side, one piece, aligned to
 * its size. Groups and waits are raw instructions. SOURCE: kernel-language-tile 7.3; PTX ISA, cp.async. */
#include "tile/engine.h"

#include "ir/ir_walk.h"

enum { DST, SRC };

struct copy {
    struct tile_operand_row rows[2];
    int64_t bytes;
    struct ir_expr *pred, *policy, *src_size, *ignore;
    bool never;
};

static struct copy *copy_of(const struct tile_call *c)
{
    return c->family_data;
}

static const struct tile_operand_row operands[] = {
    [DST] = {.name = "dst", .role = TILE_DST, .scopes = 1u << IR_SHARED, .repeats = "*", .atom_rank = 1,
             .atom = {{"element", TILE_ROWS, "chunk_bytes"}}, .memory = true},
    [SRC] = {.name = "src", .role = TILE_SRC, .scopes = 1u << IR_GLOBAL, .repeats = "*", .atom_rank = 1,
             .atom = {{"element", TILE_COLS, "chunk_bytes"}}, .memory = true},
};

static const struct tile_param_row params[] = {
    {.name = "chunk_bytes", .type = TILE_PARAM_NUMBER, .required = true},
    {.name = "src_size", .type = TILE_PARAM_INT},
    {.name = "ignore_src", .type = TILE_PARAM_BOOL},
    {.name = "cache_policy", .type = TILE_PARAM_INT},
    {.name = "pred", .type = TILE_PARAM_BOOL},
};

/* ---- the opcode and its parameters -------------------------------------------------------------- */

static bool check_chunk(struct tile_call *c, int64_t bytes)
{
    const bool whole = isa_spelling_mod(&c->spelling, SLOT_CACHE) == MOD_CG;
    if (bytes == 16 || (!whole && (bytes == 4 || bytes == 8)))
        return true;
    struct diag *d = tw_diag(c->diags, E0405, tw_tile_param(c, "chunk_bytes")->at, "parameter 'chunk_bytes' of %s",
                             c->mnemonic);
    tw_diag_expected(d, whole ? "16: .cg goes past the first-level cache in units of 16 bytes" : "4, 8 or 16");
    tw_diag_found(d, "%lld", (long long)bytes);
    if (whole && (bytes == 4 || bytes == 8))
        tw_diag_fix(d, "write .ca in the opcode");
    return false;
}

static bool given(const struct tile_call *c, const char *name)
{
    const struct ir_arg *a = tw_tile_param(c, name);
    return a != NULL && a->kind != IR_ARG_NONE;
}

static bool is_known(const struct ir_arg *a, int64_t *value)
{
    if (a == NULL || a->kind != IR_ARG_INT)
        return a != NULL && a->kind == IR_ARG_EXPR && tw_ir_is_const_int(a->expr, value);
    *value = a->value;
    return true;
}

/* How much of the source is read: the rest of the chunk becomes zero. */
static bool check_source(struct tile_call *c, int64_t bytes)
{
    const struct ir_arg *size = tw_tile_param(c, "src_size");
    int64_t known;
    if (given(c, "src_size") && given(c, "ignore_src")) {
        struct diag *d = tw_diag(c->diags, E0405, size->at, "parameter 'src_size' of %s", c->mnemonic);
        tw_diag_expected(d, "src_size= or ignore_src=, not both: the instruction has one such operand");
        tw_diag_fix(d, "drop ignore_src=: with src_size=0 nothing is read");
        return false;
    }
    if (!is_known(size, &known))
        return true;
    if (known >= 0 && known <= bytes)
        return true;
    struct diag *d = tw_diag(c->diags, E0405, size->at, "parameter 'src_size' of %s", c->mnemonic);
    tw_diag_expected(d, "0 to %lld, the bytes of the chunk that are read", (long long)bytes);
    tw_diag_found(d, "%lld", (long long)known);
    tw_diag_fix(d, "write src_size=%lld", (long long)(known < 0 ? 0 : bytes));
    return false;
}

/* A chunk in elements of each side, which may have different dtypes. */
static void set_extent(struct tile_call *c, uint32_t operand, enum tile_symbol extent)
{
    struct copy *copy = copy_of(c);
    const struct ir_arg *a = operand < c->tile->operand_count ? &c->tile->operands[operand] : NULL;
    const uint32_t bits = a != NULL && a->kind == IR_ARG_REGION ? a->region->view->elem.bits : 8;
    copy->rows[operand] = operands[operand];
    c->symbol[extent] = copy->bytes * 8 / bits;
    if (bits != 8)
        copy->rows[operand].atom[0].text = tw_format(c->arena, "chunk_bytes / %u", bits / 8);
}

static bool prepare(struct tile_call *c)
{
    const int64_t bytes = tw_tile_number(c, "chunk_bytes");
    if (!check_chunk(c, bytes) || !check_source(c, bytes) || !tw_tile_check_policy(c))
        return false;
    struct copy *copy = arena_new(c->arena, struct copy, 1);
    copy->bytes = bytes;
    c->family_data = copy;
    c->rows = copy->rows;
    set_extent(c, DST, TILE_ROWS);
    set_extent(c, SRC, TILE_COLS);
    return true;
}

/* ---- instructions ---------------------------------------------------------------------------------- */

static void begin(struct tile_call *c)
{
    struct copy *copy = copy_of(c);
    copy->pred = tw_tile_guard(c, &copy->never);
    copy->policy = tw_tile_policy(c);
    if (given(c, "src_size"))
        copy->src_size = tw_tile_value(c, tw_tile_param(c, "src_size"), tw_ir_uint32(), 0);
    if (given(c, "ignore_src"))
        copy->ignore = tw_tile_value(c, tw_tile_param(c, "ignore_src"), tw_ir_bool(), 0);
}

static bool issue(struct tile_call *c)
{
    const struct copy *copy = copy_of(c);
    const struct tile_run run = {.axes = 1, .align_bytes = (uint32_t)copy->bytes};
    const struct tile_place *to = tw_tile_memory(c, DST, run), *from = to == NULL ? NULL : tw_tile_memory(c, SRC, run);
    if (from == NULL)
        return false;
    if (copy->never)
        return true;
    const struct ir_expr *const more[] = {copy->src_size, copy->ignore, copy->policy};
    struct ir_ptx *x = tw_tile_instruction(c, 3u + (more[0] != NULL) + (more[1] != NULL) + (more[2] != NULL));
    uint32_t n = 0;
    tw_tile_put_memory(c, &x->operands[n++], DST, to);
    tw_tile_put_memory(c, &x->operands[n++], SRC, from);
    tw_tile_put_value(c, &x->operands[n++], tw_ir_const_int(c->k, tw_ir_uint32(), copy->bytes, c->stmt->at));
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        if (more[i] != NULL)
            tw_tile_put_value(c, &x->operands[n++], more[i]);
    x->pred = copy->pred == NULL ? NULL : tw_ir_expr_copy(c->k, copy->pred, NULL);
    return true;
}

const struct tile_family tw_tile_cp_async = {
    .op = OP_CP_ASYNC,
    .name = "cp.async",
    .what = "chunks of global memory to shared memory, asynchronously",
    .issuer = TILE_BY_THREAD,
    .operands = operands,
    .operand_count = 2,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .prepare = prepare,
    .begin = begin,
    .issue = issue,
};
