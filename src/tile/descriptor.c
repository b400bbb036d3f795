/* Shared-memory descriptors, derived from layouts and then proven.
 *
 * The strides are read at fixed coordinates: the first element of the second group of rows, and the first element of
 * the second chunk of contiguous bytes. The swizzle comes from the layout. Then the address of every element of the
 * atom, from the layout, is compared with the address that the hardware computes from the descriptor
 * (tw_smem_k_addr, tw_smem_mn_addr); the first that differs is reported. Addresses here are relative to the
 * storage, which is aligned to the pattern's period, so that the swizzle of an offset is the offset of the swizzle. */
#include "tile/engine.h"

#include <assert.h>

enum { DESC_MAX_BYTES = 1 << 18 }; /* strides and addresses of a descriptor have 18 bits */

/* One operand's atom as one member of the crew sees it. */
struct walk {
    struct tile_call *c;
    uint32_t operand;
    const struct tile_operand *o;
    const int64_t *group;
    enum swizzle_mode mode;
    enum smem_desc_arch arch;
    bool mn_major;
    const struct smem_desc *given; /* strides and swizzle by parameters, or NULL */
    uint32_t bits; /* of an element in memory */
    int64_t rows, ks;
};

/* The bit of element (row, k) from the start of the storage, as the layout says. */
static int64_t layout_bit(const struct walk *w, int64_t row, int64_t k)
{
    const int64_t coord[TILE_MAX_ATOM] = {row, k, 0};
    const int64_t flat = tw_tile_flat(w->c, w->o, w->group, coord);
    return (tw_layout_address(w->o->layout, flat) + w->o->view->offset) * (int64_t)w->bits;
}

/* The same before the swizzle, in bytes. */
static int64_t unswizzled(const struct walk *w, int64_t row, int64_t k)
{
    return (int64_t)tw_swizzle_inverse_bytes(w->mode, (uint64_t)(layout_bit(w, row, k) / 8));
}

static const char *element(const struct walk *w, int64_t row, int64_t k)
{
    const int64_t coord[TILE_MAX_ATOM] = {row, k, 0};
    return tw_tile_coord(w->c, w->o, coord);
}

static struct diag *no_walk(const struct walk *w, enum diag_code code)
{
    struct diag *d = tw_tile_error(w->c, w->operand, code, ": no %s descriptor walks this view",
                                   w->mn_major ? "MN-major" : "K-major");
    tw_diag_spec(d, "PTX ISA, %s matrix descriptor, canonical layouts", w->arch == SMEM_DESC_WGMMA ? "wgmma" : "tcgen05");
    return d;
}

static void suggest_layout(const struct walk *w, struct diag *d)
{
    tw_diag_fix(d, "give %s a layout from mma_shared_layout(dtype, mode, shape)", w->o->row->name);
}

void tw_tile_suggest_step(const struct tile_operand *o, int64_t step, int64_t unit, struct diag *d)
{
    if (step == 1)
        tw_diag_fix(d, "view that dimension as pieces of %lld elements, and index the piece", (long long)unit);
    else
        tw_diag_fix(d, "give '%s' a layout with a multiple of %lld elements, not %lld, from one index to the next", o->storage->name,
                    (long long)unit, (long long)step);
}

/* ---- what the layout must be ----------------------------------------------------------------------- */

static bool find_layout(struct walk *w)
{
    if (w->given != NULL) {
        w->mode = w->given->mode;
        return true;
    }
    if (!tw_layout_swizzle_mode(w->o->layout, w->bits, &w->mode)) {
        struct diag *d = no_walk(w, E0421);
        tw_diag_expected(d, "no swizzle, or one of the hardware's for elements of %u bits", w->bits);
        tw_diag_found(d, "%s", tw_layout_text(w->c->arena, w->o->layout));
        suggest_layout(w, d);
        return false;
    }
    const char *refusal = tw_smem_layout_code(w->arch, w->mode) < 0 ? "no swizzle, 32B, 64B or 128B: descriptors of wgmma know no other"
                                                                    : tw_smem_layout_refusal(w->mode, w->bits, w->mn_major);
    if (refusal == NULL)
        return true;
    struct diag *d = no_walk(w, E0421);
    tw_diag_expected(d, "%s", refusal);
    tw_diag_found(d, "swizzle mode %d (%s) with %s elements of %u bits", (int)w->mode, tw_swizzle_mode_row(w->mode)->name,
                  w->mn_major ? "MN-major" : "K-major", w->bits);
    if (w->mn_major && w->bits == 32)
        tw_diag_fix(d, "write the layout of %s as T.ComposeLayout(3, 2, 2, T.TileLayout(...))", w->o->row->name);
    else if (w->mn_major && w->bits < 8)
        tw_diag_fix(d, "write %c_major=\"k\", and store %s with its K contiguous", w->o->row->name[0] - 'A' + 'a', w->o->row->name);
    else
        tw_diag_fix(d, "give %s a layout from mma_shared_layout(dtype, mode, shape) with mode 0 to 3", w->o->row->name);
    return false;
}

static bool check_memory(const struct walk *w)
{
    const struct layout *l = w->o->layout;
    const axis_set other = tw_layout_axes(l) & ~AXIS_BIT(AXIS_M);
    if (other == 0 && tw_layout_replicas(l) == 1)
        return true;
    struct diag *d = no_walk(w, E0421);
    tw_diag_expected(d, "one byte address for every element");
    tw_diag_found(d, "%s", tw_layout_text(w->c->arena, l));
    suggest_layout(w, d);
    return false;
}

static bool check_alignment(const struct walk *w)
{
    const struct swizzle_mode_row *row = tw_swizzle_mode_row(w->mode);
    const uint32_t need = row->period_bytes;
    const struct ir_storage *s = w->o->storage;
    if (s->align_bytes % need == 0)
        return true;
    struct diag *d = tw_tile_error(w->c, w->operand, E0423, ": '%s' is aligned to %u bytes", s->name, s->align_bytes);
    tw_diag_expected(d, "%u bytes, one period of the descriptor's %s pattern", need, row->name);
    tw_diag_found(d, "align=%u", s->align_bytes);
    tw_diag_fix(d, "write align=%u where '%s' is allocated", need, s->name);
    tw_tile_show_declaration(d, w->o->storage);
    return false;
}

/* ---- deriving --------------------------------------------------------------------------------------- */

/* Distance from the atom's origin, before the swizzle, of the element at (row, k); 0 if the atom has no such element. */
static int64_t distance(const struct walk *w, int64_t row, int64_t k)
{
    return row < w->rows && k < w->ks ? unswizzled(w, row, k) - unswizzled(w, 0, 0) : 0;
}

/* The group step goes along the rows of the pattern (M/N when K-major, K when MN-major), the chunk step along its
 * bytes. Without a swizzle an MN-major descriptor exchanges the two fields.
 * SOURCE: PTX ISA, "Strides" of the tcgen05 matrix descriptor. */
struct strides {
    int64_t group, chunk;
    int64_t group_at[2], chunk_at[2]; /* the (row, k) that each was read at */
    bool exchanged;
};

static struct strides read_strides(const struct walk *w)
{
    const struct swizzle_mode_row *row = tw_swizzle_mode_row(w->mode);
    const int64_t per_chunk = row->row_bytes * 8 / w->bits;
    struct strides s = {.exchanged = w->mn_major && w->mode == SWIZZLE_NONE};
    s.group_at[w->mn_major] = row->group_rows;
    s.chunk_at[!w->mn_major] = per_chunk;
    s.group = distance(w, s.group_at[0], s.group_at[1]);
    s.chunk = distance(w, s.chunk_at[0], s.chunk_at[1]);
    return s;
}

static bool holds(int64_t bytes)
{
    return bytes >= 0 && bytes < DESC_MAX_BYTES && bytes % 16 == 0;
}

static bool check_stride(const struct walk *w, const char *field, int64_t bytes, const int64_t at[2])
{
    if (holds(bytes))
        return true;
    struct diag *d = tw_tile_error(w->c, w->operand, E0422, ": the descriptor's %s cannot hold this layout's stride", field);
    tw_diag_expected(d, "element %s at a multiple of 16 bytes after %s, below 262144", element(w, at[0], at[1]),
                     element(w, 0, 0));
    tw_diag_found(d, "%lld bytes, by layout %s", (long long)bytes, tw_layout_text(w->c->arena, w->o->layout));
    suggest_layout(w, d);
    return false;
}

static struct smem_desc describe_strides(const struct walk *w, const struct strides *s)
{
    return (struct smem_desc){.mode = w->mode,
                              .stride_bytes = (uint32_t)(s->exchanged ? s->chunk : s->group),
                              .lead_bytes = (uint32_t)(s->exchanged ? s->group : s->chunk)};
}

static bool derive(const struct walk *w, struct smem_desc *desc)
{
    if (w->given != NULL) {
        *desc = *w->given;
        return true;
    }
    const struct strides s = read_strides(w);
    if (!check_stride(w, s.exchanged ? "LDO" : "SDO", s.group, s.group_at) ||
        !check_stride(w, s.exchanged ? "SDO" : "LDO", s.chunk, s.chunk_at))
        return false;
    *desc = describe_strides(w, &s);
    return true;
}

/* ---- proving ----------------------------------------------------------------------------------------- */

/* The bit where the hardware looks for an element. */
static int64_t hardware_bit(const struct walk *w, const struct smem_desc *desc, int64_t row, int64_t k)
{
    if (w->mn_major)
        return INT64_C(8) * tw_smem_mn_addr(desc, w->bits / 8, (uint32_t)row, (uint32_t)k);
    const int64_t bit = k * w->bits;
    return INT64_C(8) * tw_smem_k_addr(desc, (uint32_t)row, (uint32_t)(bit / 8)) + bit % 8;
}

/* False with the first element that the layout has elsewhere than the hardware looks. */
static bool all_agree(const struct walk *w, const struct smem_desc *desc, int64_t *row, int64_t *k)
{
    for (*row = 0; *row < w->rows; ++*row)
        for (*k = 0; *k < w->ks; ++*k)
            if (hardware_bit(w, desc, *row, *k) != layout_bit(w, *row, *k))
                return false;
    return true;
}

/* Whether a descriptor of the other major order would walk the view: then that is what was meant. */
static bool other_major_walks(const struct walk *w)
{
    struct walk other = *w;
    int64_t row, k;
    other.mn_major = !w->mn_major;
    if (tw_smem_layout_refusal(other.mode, other.bits, other.mn_major) != NULL || (other.arch == SMEM_DESC_WGMMA && other.bits != 16))
        return false;
    const struct strides s = read_strides(&other);
    struct smem_desc desc = describe_strides(&other, &s);
    desc.start_bytes = (uint32_t)unswizzled(&other, 0, 0);
    return holds(s.group) && holds(s.chunk) && all_agree(&other, &desc, &row, &k);
}

static const char *strides_words(const struct walk *w, const struct smem_desc *desc)
{
    return tw_format(w->c->arena, "SDO %u, LDO %u, swizzle %s", desc->stride_bytes, desc->lead_bytes,
                     tw_swizzle_mode_row(w->mode)->name);
}

/* What the parameters would have to be for this layout; where none would do, another layout. */
static void suggest_given(const struct walk *w, struct diag *d)
{
    struct walk open = *w;
    int64_t row, k;
    open.given = NULL;
    suggest_layout(w, d);
    if (!tw_layout_swizzle_mode(w->o->layout, w->bits, &open.mode) || open.mode == SWIZZLE_128B_ATOM32)
        return;
    const struct strides s = read_strides(&open);
    struct smem_desc desc = describe_strides(&open, &s);
    desc.start_bytes = (uint32_t)unswizzled(&open, 0, 0);
    if (holds(s.group) && holds(s.chunk) && all_agree(&open, &desc, &row, &k))
        tw_diag_fix(d, "write sdo_bytes=%u, ldo_bytes=%u, swizzle=%d", desc.stride_bytes, desc.lead_bytes, (int)open.mode);
}

/* Each row of the atom goes on where the last one ended, inside a row of the pattern: a view has cut the K steps out of the
 * storage's order instead of its axes. */
static bool was_cut_by_view(const struct walk *w)
{
    const int64_t row_bytes = w->ks * w->bits / 8;
    return w->mode != SWIZZLE_NONE && !w->mn_major && row_bytes < tw_swizzle_mode_row(w->mode)->row_bytes &&
           distance(w, 1, 0) == row_bytes;
}

static void suggest(const struct walk *w, struct diag *d, int64_t row, int64_t k)
{
    const char *name = w->o->row->name;
    const uint32_t group_rows = tw_swizzle_mode_row(w->mode)->group_rows;
    if (w->given != NULL)
        suggest_given(w, d);
    else if (other_major_walks(w))
        tw_diag_fix(d, "write %c_major=\"%s\"", name[0] - 'A' + 'a', w->mn_major ? "k" : "mn");
    else if (was_cut_by_view(w))
        tw_diag_fix(d, "cut K with rearrange(\"%s (r k) -> r %s k\", k=%lld): view alone keeps the order of elements",
                    w->o->row->atom[0].name, w->o->row->atom[0].name, (long long)w->ks);
    else if (!w->mn_major && row > 0 && row % group_rows == 0 && k == 0)
        tw_diag_fix(d, "give %s a layout from mma_shared_layout(dtype, mode, shape), or split the call at %s=%lld", name,
                    w->o->row->atom[0].name, (long long)row);
    else
        suggest_layout(w, d);
}

static bool prove(const struct walk *w, const struct smem_desc *desc)
{
    int64_t row, k;
    if (all_agree(w, desc, &row, &k))
        return true;
    struct diag *d = no_walk(w, E0421);
    tw_diag_expected(d, "element %s at byte %lld of '%s', by the strides of the %s (%s)", element(w, row, k),
                     (long long)hardware_bit(w, desc, row, k) / 8, w->o->storage->name,
                     w->given != NULL ? "parameters" : "first rows and chunks", strides_words(w, desc));
    tw_diag_found(d, "element %s at byte %lld, by layout %s", element(w, row, k), (long long)layout_bit(w, row, k) / 8,
                  tw_layout_text(w->c->arena, w->o->layout));
    suggest(w, d, row, k);
    tw_tile_show_declaration(d, w->o->storage);
    return false;
}

static bool check_origin(const struct walk *w, int64_t origin)
{
    if (origin >= 0 && origin % 16 == 0 && origin < DESC_MAX_BYTES && layout_bit(w, 0, 0) % 8 == 0)
        return true;
    struct diag *d = tw_tile_error(w->c, w->operand, E0422, ": the descriptor cannot start where this view starts");
    tw_diag_expected(d, "element %s at a multiple of 16 bytes, below 262144", element(w, 0, 0));
    tw_diag_found(d, "byte %lld of '%s'", (long long)origin, w->o->storage->name);
    if (origin >= 0 && origin < DESC_MAX_BYTES)
        tw_diag_fix(d, "choose starts and strides that are multiples of %u elements", 128 / w->bits);
    else
        tw_diag_fix(d, "choose starts and strides that keep %s within bytes 0 to %d of '%s'", w->o->row->name, DESC_MAX_BYTES - 1,
                    w->o->storage->name);
    return false;
}

static bool check_starts(const struct walk *w)
{
    for (uint32_t i = 0; i < w->o->start_count; i++) {
        const int64_t bits = w->o->starts[i].step * w->bits;
        if (bits % 128 == 0)
            continue;
        struct diag *d = tw_diag(w->c->diags, E0422, w->o->starts[i].value->at,
                                 "%s: a run-time index moves the descriptor's start by %lld bits",
                                 tw_tile_operand_name(w->c, w->operand), (long long)bits);
        tw_diag_expected(d, "steps of 16 bytes");
        tw_tile_suggest_step(w->o, w->o->starts[i].step, 128 / w->bits, d);
        return false;
    }
    return true;
}

static bool describe(struct walk *w, struct tile_place *p)
{
    const struct tile_crew *crew = &w->c->crew;
    int64_t *origins = arena_new(w->c->arena, int64_t, crew->member_count);
    for (uint32_t m = 0; m < crew->member_count; m++) {
        struct smem_desc desc;
        w->group = crew->members[m].group;
        origins[m] = unswizzled(w, 0, 0);
        if (!check_origin(w, origins[m]) || !derive(w, &desc))
            return false;
        desc.start_bytes = (uint32_t)origins[m];
        if (!prove(w, &desc))
            return false;
        desc.start_bytes = 0;
        if (m > 0 && (desc.lead_bytes != p->desc.lead_bytes || desc.stride_bytes != p->desc.stride_bytes)) {
            struct diag *d = tw_tile_error(w->c, w->operand, E0419, ": the group's descriptors have different strides");
            tw_diag_expected(d, "one pair of strides, for the members share the descriptor");
            tw_diag_found(d, "%s and %s", strides_words(w, &p->desc), strides_words(w, &desc));
            suggest_layout(w, d);
            return false;
        }
        p->desc = desc;
    }
    if (tw_tile_fit(w->c, origins, &p->origin))
        return true;
    struct diag *d = tw_tile_error(w->c, w->operand, E0419, ": the addresses of the group are no fixed step apart");
    tw_diag_expected(d, "the same step from each member to the next, along every axis of the group");
    tw_diag_found(d, "layout %s", tw_layout_text(w->c->arena, w->o->layout));
    tw_diag_fix(d, "lay out each group axis of '%s' with one stride", w->o->storage->name);
    return false;
}

const struct tile_place *tw_tile_descriptor(struct tile_call *c, uint32_t operand, struct tile_walk_form form)
{
    struct tile_place **remembered = tw_tile_place_slot(c, operand);
    if (*remembered != NULL)
        return *remembered;
    const struct tile_operand *o = &c->operand[operand];
    assert(o->row->atom_rank == 2);
    struct walk w = {.c = c, .operand = operand, .o = o, .arch = form.arch, .mn_major = form.mn_major, .given = form.given,
                     .bits = o->view->elem.bits,
                     .rows = c->symbol[o->row->atom[0].extent], .ks = c->symbol[o->row->atom[1].extent]};
    if (!check_memory(&w) || !find_layout(&w) || !check_alignment(&w) || !check_starts(&w))
        return NULL;
    struct tile_place *p = arena_new(c->arena, struct tile_place, 1);
    p->arch = form.arch;
    if (!describe(&w, p))
        return NULL;
    *remembered = p;
    return p;
}
