/* Factories for registers: a warpgroup's rows, and the fragments of tcgen05.ld and tcgen05.st. */
#include "layout/draft.h"
#include "layout/factory.h"
#include "layout/refuse.h"

#include "base/bits.h"

const struct layout *tw_wg_local_layout(const struct layout_env *e, int64_t cols, int64_t rows)
{
    const struct iter iters[] = {{rows, 1, AXIS_TID_IN_WG}, {cols, 1, AXIS_M}};
    if (rows > 128) {
        REFUSE(e, E0323, .message = "a warpgroup has no row for each of these", .expected = "at most 128 rows",
               .found = tw_format(e->arena, "%lld", (long long)rows));
        return NULL;
    }
    return tw_layout_make(e, &(struct layout_parts){.shard_count = 2, .shard = iters});
}

/* SOURCE: PTX ISA, tcgen05.ld, matrix fragments. One repeat of a 16-row shape is 16 rows by `columns` 32-bit columns:
 * an upper and a lower half of 8 rows each, four lanes to a row. A thread's registers in order of repeats:
 * `regs` a repeat; the half steps `half` on its axis; the columns of a repeat are the `inner` iters. */
struct atom {
    const char *name;
    int64_t columns;   /* 32-bit columns of one repeat */
    int64_t regs;      /* registers of one repeat */
    int64_t most;      /* repeats */
    struct iter half;  /* rows r and r + 8 */
    struct iter inner[2];
    uint32_t inner_count;
};

static const struct atom atoms[] = {
    {"16x64b", 2, 1, 128, {2, 1, AXIS_LANEID}, {{2, 2, AXIS_LANEID}}, 1},
    {"16x128b", 4, 2, 64, {2, 1, AXIS_M}, {{4, 1, AXIS_LANEID}}, 1},
    {"16x256b", 8, 4, 32, {2, 2, AXIS_M}, {{4, 1, AXIS_LANEID}, {2, 1, AXIS_M}}, 2},
};

static bool refuse_atom(const struct layout_env *e, struct str name, int64_t rows, int64_t cols, uint32_t elem_bits,
                        const char *expected)
{
    return REFUSE(e, E0323,
                  .message = tw_format(e->arena, "no register layout of the shape '" STR_FMT "' fits", STR_ARG(name)),
                  .expected = expected,
                  .found = tw_format(e->arena, "(%lld, %lld) at %u bits", (long long)rows, (long long)cols, elem_bits));
}

static void push_m_scaled(struct draft *d, const struct iter *it, int64_t scale)
{
    tw_draft_push(d, it->extent, it->axis == AXIS_M ? it->stride * scale : it->stride, it->axis);
}

static bool is_repeat(int64_t n, int64_t most)
{
    return n >= 1 && n <= most && is_pow2((uint64_t)n);
}

/* `pack` elements share a register. */
static const struct layout *atom_layout(const struct layout_env *e, const struct atom *a, int64_t rows, int64_t n,
                                        int64_t pack)
{
    struct draft d;
    tw_draft_empty(&d);
    tw_draft_push(&d, 4, 1, AXIS_WID_IN_WG);
    if (rows == 128) /* each warp has 32 rows: two issues, the upper sixteen rows' registers behind the lower ones' */
        tw_draft_push(&d, 2, n * a->regs * pack, AXIS_M);
    push_m_scaled(&d, &a->half, pack);
    tw_draft_push(&d, 8, 4, AXIS_LANEID);
    tw_draft_push(&d, n, a->regs * pack, AXIS_M);
    for (uint32_t i = 0; i < a->inner_count; i++)
        push_m_scaled(&d, &a->inner[i], pack);
    if (pack > 1)
        tw_draft_push(&d, pack, 1, AXIS_M);
    return tw_draft_finish(e, &d);
}

static const struct layout *whole_rows(const struct layout_env *e, struct str name, int64_t rows, int64_t cols,
                                       uint32_t elem_bits)
{
    const int64_t pack = 32 / elem_bits;
    if (rows == 128 && cols % pack == 0 && is_repeat(cols / pack, 128))
        return tw_wg_local_layout(e, cols, rows);
    if (rows == 64 && elem_bits == 32 && cols % 2 == 0 && is_repeat(cols / 2, 128)) {
        const struct iter iters[] = {{64, 1, AXIS_TID_IN_WG}, {2, 64, AXIS_TID_IN_WG}, {cols / 2, 1, AXIS_M}};
        return tw_layout_make(e, &(struct layout_parts){.shard_count = 3, .shard = iters});
    }
    refuse_atom(e, name, rows, cols, elem_bits,
                tw_format(e->arena, "128 rows by %lld * (1, 2, 4, ... 128) columns, or 64 rows of 32 bits by twice that",
                          (long long)pack));
    return NULL;
}

const struct layout *tw_tcgen05_atom_layout(const struct layout_env *e, struct str atom, int64_t rows, int64_t cols,
                                            uint32_t elem_bits)
{
    const struct str bare = tw_str_starts(atom, ".") ? (struct str){atom.at + 1, atom.len - 1} : atom;
    if (elem_bits != 16 && elem_bits != 32) {
        refuse_atom(e, atom, rows, cols, elem_bits, "elements of 16 or 32 bits");
        return NULL;
    }
    if (tw_str_is(bare, "32x32b"))
        return whole_rows(e, atom, rows, cols, elem_bits);
    for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++) {
        if (!tw_str_is(bare, atoms[i].name))
            continue;
        const int64_t pack = 32 / elem_bits, unit = atoms[i].columns * pack;
        if ((rows == 64 || rows == 128) && cols % unit == 0 && is_repeat(cols / unit, atoms[i].most))
            return atom_layout(e, &atoms[i], rows, cols / unit, pack);
        refuse_atom(e, atom, rows, cols, elem_bits,
                    tw_format(e->arena, "64 or 128 rows by %lld * (1, 2, 4, ... %lld) columns", (long long)unit,
                              (long long)atoms[i].most));
        return NULL;
    }
    REFUSE(e, E0323, .message = "no such tcgen05.ld shape", .expected = "32x32b, 16x64b, 16x128b or 16x256b",
           .found = tw_format(e->arena, "'" STR_FMT "'", STR_ARG(atom)));
    return NULL;
}
