/* tcgen05.mma, when the tensor pipe performs it: operands are gathered as raw words through the same
 * descriptor and datapath tables that the encoders use, the dot model of the num room evaluates each
 * element, and the accumulator is scattered along its datapath.
 *
 * D[m][n] (+)= sum over k of A[m][k] * B[n][k]. A pair's CTA holds its half of the rows of A and D and
 * of the rows of B; each CTA multiplies its rows of A with all of B. Within a CTA a datapath may fold N
 * over banks of lanes; A in tensor memory then has a copy a bank, and each bank reads its own. */
#include "machine/tensor_operand.h"

#include "machine/run.h"
#include "machine/tally.h"
#include "num/sparse.h"

#include <assert.h>
#include <string.h>

struct mma_run {
    struct tensor_pipe *pipe;
    const struct tensor_op *op;
    const struct tensor_inst *inst;
    const struct tc_kind_row *kind;
    struct idesc desc;
    enum tmem_path path;
    struct cta *ctas[2];
    uint32_t rows;             /* of A and D in one CTA */
    uint32_t n;                /* columns of D, over the pair */
    uint32_t banks, bank_n;
    uint32_t k_a, k_b;         /* stored elements of a row of A; elements of a row of B */
    uint32_t factors;          /* scale factors a row */
    struct num_dot_how how;
    const struct num_dot_model *model;
    /* scratch */
    struct tensor_words a, b;  /* rows x k_a, n x k_b */
    uint32_t *d;               /* rows x bank_n, where D is not computed in place */
    uint32_t *scale_a, *scale_b; /* rows x factors, n x factors */
    uint8_t *select;           /* rows x k_a: which element of a row of B each stored element of A meets */
};

static uint32_t word_of(const struct tensor_words *w, uint32_t row, uint32_t k)
{
    uint32_t word = 0;
    memcpy(&word, tensor_word(w, row, k), w->word_bytes); /* little-endian hosts */
    return word;
}

static struct tensor_read reader(const struct mma_run *r, struct cta *cta, const char *what)
{
    return (struct tensor_read){r->pipe, r->op, cta, what};
}

/* ---- Setting up ------------------------------------------------------------------------------ */

static enum num_kind num_kind_of(enum tc_kind kind)
{
    if (kind == TC_MXF8F6F4)
        return NUM_MXF8F6F4;
    if (kind == TC_MXF4)
        return NUM_MXF4;
    return kind == TC_MXF4NVF4 ? NUM_MXF4NVF4 : NUM_PLAIN;
}

static void set_how(struct mma_run *r)
{
    const struct tc_scale_row *const scale = tw_tc_scale_of(r->inst->form.kind, r->inst->form.scale_vec);
    r->how = (struct num_dot_how){
        .a = (enum num_format)r->desc.a_format,
        .b = (enum num_format)r->desc.b_format,
        .d = (enum num_format)r->desc.d_format,
        .scale_c_log2 = r->inst->scale_c_log2,
        .negate_a = r->desc.negate_a != 0,
        .negate_b = r->desc.negate_b != 0,
        .saturate = r->desc.saturate != 0,
    };
    if (scale != NULL) {
        r->how.scale = (enum num_format)r->desc.scale_format;
        r->how.scale_block = scale->block;
        r->factors = r->k_a / scale->block;
    }
}

static bool fault_model(struct mma_run *r)
{
    struct arena *const arena = r->pipe->cta->cluster->diags->arena;
    tw_tensor_fault(r->pipe, r->op, E0773,
                    &(struct fault_note){.found = tw_format(arena, "%s and %s into %s on sm_%u", tw_num_format(r->how.a)->name,
                                                            tw_num_format(r->how.b)->name, tw_num_format(r->how.d)->name, r->inst->sm)},
                    "%s.kind::%s: no model of this arithmetic is known", r->inst->name, r->kind->name);
    return false;
}

static bool set_up(struct mma_run *r, struct tensor_pipe *pipe, const struct tensor_op *op)
{
    *r = (struct mma_run){.pipe = pipe, .op = op, .inst = op->inst, .kind = &tw_tc_kinds[op->inst->form.kind]};
    const struct tc_form *const form = &r->inst->form;
    tw_idesc_decode(form->kind, op->idesc, &r->desc);
    const bool has_path = tw_tmem_path_find(form->cta_group, r->desc.m, form->ws, form->sparse, &r->path);
    assert(has_path); /* the shape was judged at the issue */
    (void)has_path;
    (void)tw_tensor_ctas(pipe->cta, form->cta_group, r->ctas);
    r->rows = tw_tmem_rows_per_cta(r->path);
    r->n = r->desc.n;
    r->banks = tw_tmem_paths[r->path].banks;
    r->bank_n = r->n / r->banks;
    r->k_b = tw_idesc_k(form, &r->desc);
    r->k_a = form->sparse ? r->k_b / 2 : r->k_b;
    set_how(r);
    r->model = tw_num_dot_model(r->inst->arch, NUM_TCGEN05, num_kind_of(form->kind), r->how.a, r->how.b, r->how.d);
    return r->model != NULL || fault_model(r);
}

static struct tensor_matrix matrix_a(const struct mma_run *r)
{
    return (struct tensor_matrix){.format = r->how.a, .container_bits = r->kind->container_bits,
                                  .mn_major = r->desc.a_mn_major != 0 && !r->inst->form.a_in_tmem, .rows = r->rows, .k = r->k_a};
}

static struct tensor_matrix matrix_b(const struct mma_run *r, uint32_t rows)
{
    return (struct tensor_matrix){.format = r->how.b, .container_bits = r->kind->container_bits,
                                  .mn_major = r->desc.b_mn_major != 0, .rows = rows, .k = r->k_b,
                                  .first_row = r->inst->form.ws ? (uint32_t)(r->op->zero_mask >> 56 & 0x3f) : 0};
}

/* The scratch of the pipe, at least this large; it only grows. */
static uint8_t *scratch_of(struct tensor_pipe *pipe, size_t bytes)
{
    if (pipe->scratch_bytes < bytes) {
        pipe->scratch = tw_arena_alloc(&pipe->cta->cluster->arena, bytes, 1);
        pipe->scratch_bytes = bytes;
    }
    return pipe->scratch;
}

/* A piece of it; without memory to cut from, what is cut is only counted. */
static void *cut(uint8_t **at, size_t *bytes, size_t count, size_t elem_bytes)
{
    uint8_t *const piece = *at;
    const size_t whole = (count * elem_bytes + 15) / 16 * 16;
    *bytes += whole;
    if (piece != NULL)
        *at += whole;
    return piece;
}

static struct tensor_words words_of(const struct tensor_matrix *m, uint32_t rows)
{
    const struct tensor_words w = {.word_bytes = tw_tensor_word_bytes(m), .row_stride = m->mn_major ? 1 : m->k, .step = m->mn_major ? rows : 1};
    return w;
}

static size_t cut_scratch(struct mma_run *r, uint8_t *at)
{
    size_t bytes = 0;
    const size_t scale_a = (size_t)r->rows * r->factors, scale_b = (size_t)r->n * r->factors, a = (size_t)r->rows * r->k_a;
    r->a.at = cut(&at, &bytes, a, r->a.word_bytes);
    r->b.at = cut(&at, &bytes, (size_t)r->n * r->k_b, r->b.word_bytes);
    r->d = cut(&at, &bytes, (size_t)r->rows * r->bank_n, sizeof *r->d);
    r->scale_a = cut(&at, &bytes, scale_a, sizeof *r->scale_a);
    r->scale_b = cut(&at, &bytes, scale_b, sizeof *r->scale_b);
    r->select = cut(&at, &bytes, r->inst->form.sparse ? a : 0, sizeof *r->select);
    return bytes;
}

static void make_scratch(struct mma_run *r)
{
    const struct tensor_matrix a = matrix_a(r), b = matrix_b(r, r->n);
    r->a = words_of(&a, r->rows);
    r->b = words_of(&b, r->n);
    (void)cut_scratch(r, scratch_of(r->pipe, cut_scratch(r, NULL)));
}

/* SOURCE: PTX ISA, "Data path layout organization": where the rows are scattered, D, A and the metadata start at one lane. */
static bool check_lanes(struct mma_run *r)
{
    struct arena *const arena = r->pipe->cta->cluster->diags->arena;
    const uint32_t d = r->op->d >> 16;
    const bool scattered = tw_tmem_paths[r->path].scattered;
    struct fault_note note = {.spec = "PTX ISA, tcgen05, data path layout organization"};
    const char *what = NULL;
    if (!tw_tmem_lane_base_legal(r->path, d)) {
        what = "D";
        note.expected = scattered ? "lane 0 or 16" : "lane 0";
        note.found = tw_format(arena, "lane %u", d);
    } else if (r->inst->form.a_in_tmem && r->op->a_taddr >> 16 != d) {
        what = "A";
        note.expected = tw_format(arena, "lane %u, as D", d);
        note.found = tw_format(arena, "lane %u", r->op->a_taddr >> 16);
    } else if (r->inst->form.sparse && r->op->meta >> 16 != d) {
        what = "the metadata";
        note.expected = tw_format(arena, "lane %u, as D", d);
        note.found = tw_format(arena, "lane %u", r->op->meta >> 16);
    }
    if (what == NULL)
        return true;
    tw_tensor_fault(r->pipe, r->op, E0763, &note, "%s: %s starts at a lane that data path %c does not allow", r->inst->name, what,
                    tw_tmem_paths[r->path].letter);
    return false;
}

struct columns {
    const char *what;
    uint32_t first, count;
};

static struct columns scale_columns(const struct mma_run *r, bool of_a)
{
    const uint32_t rows = of_a ? r->rows : r->n, id = of_a ? r->desc.sfa_id : r->desc.sfb_id, last = r->factors - 1;
    const struct tmem_scale end = !of_a && r->path == TMEM_PATH_B ? tw_tmem_scale_split_n(rows, rows - 1, id, last)
                                                                  : tw_tmem_scale(rows, rows - 1, id, last);
    return (struct columns){of_a ? "the scales of A" : "the scales of B", (of_a ? r->op->sfa : r->op->sfb) & 0xffff, end.col + 1};
}

/* The product is written while its operands are read, in no order that is known: what D covers cannot be read as another. */
static bool check_columns(struct mma_run *r)
{
    const struct columns d = {"D", r->op->d & 0xffff, r->bank_n};
    struct columns others[3];
    uint32_t count = 0;
    if (r->inst->form.a_in_tmem)
        others[count++] = (struct columns){"A", r->op->a_taddr & 0xffff, r->k_a * r->kind->container_bits / 32};
    for (uint32_t i = 0; i < 2 && r->factors != 0; i++)
        others[count++] = scale_columns(r, i == 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct columns *o = &others[i];
        if (o->first >= d.first + d.count || d.first >= o->first + o->count)
            continue;
        struct arena *const arena = r->pipe->cta->cluster->diags->arena;
        tw_tensor_fault(r->pipe, r->op, E0773,
                        &(struct fault_note){.expected = "columns of tensor memory that D does not cover",
                                             .found = tw_format(arena, "%s in columns %u to %u, D in %u to %u", o->what, o->first,
                                                                o->first + o->count - 1, d.first, d.first + d.count - 1),
                                             .fix = "give each operand columns of its own"},
                        "%s: D lies over %s", r->inst->name, o->what);
        return false;
    }
    return true;
}

/* ---- A and B --------------------------------------------------------------------------------- */

static bool read_a_tmem(struct mma_run *r, struct cta *cta, uint32_t bank)
{
    const struct tensor_read read = reader(r, cta, "A");
    const struct tensor_matrix m = matrix_a(r);
    for (uint32_t row = 0; row < r->rows; row++) {
        const uint32_t lane = (r->op->a_taddr >> 16) + tw_tmem_a_place(r->path, row, bank).lane;
        if (!tw_tensor_read_cells(&read, lane, r->op->a_taddr & 0xffff, &m, tensor_word(&r->a, row, 0)))
            return false;
    }
    return true;
}

/* The copy of A that a bank reads. From shared memory it is the same for every bank. */
static bool read_a(struct mma_run *r, struct cta *cta, uint32_t bank)
{
    if (r->inst->form.a_in_tmem)
        return read_a_tmem(r, cta, bank);
    if (bank != 0)
        return true;
    struct smem_desc desc;
    struct smem_fault_list faults;
    (void)tw_smem_desc_decode(SMEM_DESC_TCGEN05, r->op->a_desc, &desc, &faults);
    const struct tensor_read read = reader(r, cta, "A");
    const struct tensor_matrix m = matrix_a(r);
    return tw_tensor_read_shared(&read, &desc, &m, &r->a);
}

/* SOURCE: PTX ISA, tcgen05.mma.ws, "Zero-column mask"; a start count beyond the first span stops at its last column. */
static bool column_is_zeroed(const struct mma_run *r, uint32_t n)
{
    const uint64_t mask = r->op->zero_mask;
    if ((mask >> 39 & 1) == 0)
        return false;
    const uint32_t banks = 128 / r->desc.m, bank = n / (r->n / banks), column = n % (r->n / banks);
    const uint32_t zeros = (uint32_t)(mask >> 40 & 0xff) + 1, used = (uint32_t)(mask >> 48 & 0xff) + 1;
    const bool zeros_first = (mask >> (32 + bank) & 1) != 0;
    const uint32_t first = zeros_first ? zeros : used;
    uint32_t start = (uint32_t)(mask >> (8 * bank) & 0xff);
    if (start > first - 1)
        start = first - 1;
    const uint32_t at = (column + start) % (used + zeros);
    return zeros_first ? at < zeros : at >= used;
}

static void zero_columns(struct mma_run *r)
{
    for (uint32_t n = 0; n < r->n; n++)
        for (uint32_t k = 0; k < r->k_b && column_is_zeroed(r, n); k++)
            memset(tensor_word(&r->b, n, k), 0, r->b.word_bytes);
}

static bool read_b(struct mma_run *r)
{
    struct smem_desc desc;
    struct smem_fault_list faults;
    (void)tw_smem_desc_decode(SMEM_DESC_TCGEN05, r->op->b_desc, &desc, &faults);
    const uint32_t share = r->n / r->inst->form.cta_group;
    const struct tensor_matrix m = matrix_b(r, share);
    for (uint32_t i = 0; i < 2 && r->ctas[i] != NULL; i++) {
        const struct tensor_read read = reader(r, r->ctas[i], "B");
        struct tensor_words part = r->b;
        part.at = tensor_word(&r->b, i * share, 0);
        if (!tw_tensor_read_shared(&read, &desc, &m, &part))
            return false;
    }
    if (r->inst->form.ws)
        zero_columns(r);
    return true;
}

/* ---- Scales ---------------------------------------------------------------------------------- */

/* One byte from all its copies. SOURCE: PTX ISA, scale factors are "duplicated to all 32-lane partitions". */
static bool read_scale(struct mma_run *r, struct cta *cta, const char *what, uint32_t taddr, struct tmem_scale at, uint32_t *out)
{
    const struct tensor_read read = reader(r, cta, what);
    for (uint32_t copy = 0; copy < at.copies; copy++) {
        const uint32_t lane = (taddr >> 16) + at.lane + 32 * copy;
        const uint32_t *const cell = tw_tensor_cells(&read, lane, (taddr & 0xffff) + at.col, 1, false);
        if (cell == NULL)
            return false;
        const uint32_t byte = *cell >> (8 * at.byte) & 0xff;
        if (copy == 0)
            *out = byte;
        if (byte == *out)
            continue;
        struct arena *const arena = cta->cluster->diags->arena;
        tw_tensor_fault(r->pipe, r->op, E0773,
                        &(struct fault_note){.expected = "the same factor in every 32-lane copy",
                                             .found = tw_format(arena, "0x%02x in lane %u, 0x%02x in lane %u, column %u",
                                                                *out, (taddr >> 16) + at.lane, byte, lane,
                                                                (taddr & 0xffff) + at.col),
                                             .fix = "copy the factors with tcgen05.cp.32x128b.warpx4",
                                             .spec = "PTX ISA, tcgen05.mma, scale factor layouts"},
                        "%s: the copies of a factor of %s differ", r->inst->name, what);
        return false;
    }
    return true;
}

static bool read_scales(struct mma_run *r, struct cta *cta)
{
    for (uint32_t v = 0; v < r->factors; v++) {
        for (uint32_t row = 0; row < r->rows; row++)
            if (!read_scale(r, cta, "the scales of A", r->op->sfa, tw_tmem_scale(r->rows, row, r->desc.sfa_id, v),
                            &r->scale_a[row * r->factors + v]))
                return false;
        for (uint32_t n = 0; n < r->n; n++) {
            const struct tmem_scale at = r->path == TMEM_PATH_B ? tw_tmem_scale_split_n(r->n, n, r->desc.sfb_id, v)
                                                                : tw_tmem_scale(r->n, n, r->desc.sfb_id, v);
            if (!read_scale(r, cta, "the scales of B", r->op->sfb, at, &r->scale_b[n * r->factors + v]))
                return false;
        }
    }
    return true;
}

/* ---- Sparsity -------------------------------------------------------------------------------- */

/* Stored elements that one code describes: half of those of its group. */
static uint32_t stored_per_code(const struct mma_run *r)
{
    return r->kind->container_bits == 32 ? 1 : r->kind->container_bits == 4 ? 4 : 2;
}

static bool read_metadata(struct mma_run *r, struct cta *cta, uint32_t bank)
{
    const struct tensor_read read = reader(r, cta, "the metadata");
    const bool wide = r->kind->container_bits >= 16;
    const uint32_t per_code = stored_per_code(r);
    for (uint32_t row = 0; row < r->rows; row++)
        for (uint32_t group = 0; group < r->k_a / per_code; group++) {
            const struct tmem_meta at = tw_tmem_meta(wide, tw_tmem_a_place(r->path, row, bank).lane, group, r->desc.sparsity_selector);
            const uint32_t *const cell = tw_tensor_cells(&read, (r->op->meta >> 16) + at.lane, (r->op->meta & 0xffff) + at.col, 1, false);
            if (cell == NULL)
                return false;
            const uint32_t code = *cell >> (4 * at.nibble) & 0xf;
            uint8_t places[4], *const out = r->select + (size_t)row * r->k_a + group * per_code;
            if (!tw_num_sparse_select(r->kind->container_bits, code, false, places)) {
                tw_tensor_fault(r->pipe, r->op, E0776,
                                &(struct fault_note){.expected = tw_num_sparse_codes(r->kind->container_bits, false),
                                                     .found = tw_format(cta->cluster->diags->arena, "0x%x for row %u, group %u",
                                                                        code, row, group),
                                                     .spec = "PTX ISA, tcgen05.mma.sp, sparsity metadata"},
                                "%s: a code of the sparsity metadata is illegal", r->inst->name);
                return false;
            }
            for (uint32_t i = 0; i < per_code; i++)
                out[i] = (uint8_t)(group * 2 * per_code + places[i]);
        }
    return true;
}

/* ---- The product ----------------------------------------------------------------------------- */

static uint32_t d_lane(const struct mma_run *r, uint32_t row, uint32_t bank)
{
    return (r->op->d >> 16) + tw_tmem_a_place(r->path, row, bank).lane;
}

/* The cells of a row in one bank: neighbours, from the accumulator's first column on. */
static uint32_t *d_cells(const struct mma_run *r, struct cta *cta, uint32_t row, uint32_t bank, bool write)
{
    const struct tensor_read read = reader(r, cta, "D");
    return tw_tensor_cells(&read, d_lane(r, row, bank), r->op->d & 0xffff, r->bank_n, write);
}

static bool load_d(struct mma_run *r, struct cta *cta, uint32_t bank)
{
    for (uint32_t row = 0; row < r->rows && r->op->read_d; row++) {
        const uint32_t *const cells = d_cells(r, cta, row, bank, false);
        if (cells == NULL)
            return false;
        memcpy(r->d + (size_t)row * r->bank_n, cells, r->bank_n * sizeof *cells);
    }
    return true;
}

/* SOURCE: PTX ISA, disable-output-lane: bit i of word j masks lane 32j + i; words 4 to 7 are those of the odd CTA. */
static bool lane_is_masked(const struct mma_run *r, uint32_t cta_index, uint32_t lane)
{
    return r->inst->mask_words != 0 && (r->op->mask[4 * cta_index + lane / 32] >> lane % 32 & 1) != 0;
}

static bool store_d(struct mma_run *r, uint32_t cta_index, uint32_t bank)
{
    for (uint32_t row = 0; row < r->rows; row++) {
        if (lane_is_masked(r, cta_index, d_lane(r, row, bank)))
            continue;
        uint32_t *const cells = d_cells(r, r->ctas[cta_index], row, bank, true);
        if (cells == NULL)
            return false;
        memcpy(cells, r->d + (size_t)row * r->bank_n, r->bank_n * sizeof *cells);
    }
    return true;
}

static void *tile_scratch_of(struct tensor_pipe *pipe, size_t bytes)
{
    if (pipe->tile_scratch_bytes < bytes) {
        pipe->tile_scratch = tw_arena_alloc(&pipe->cta->cluster->arena, bytes, 1);
        pipe->tile_scratch_bytes = bytes;
    }
    return pipe->tile_scratch;
}

/* D = A * B (+ D), rows of D `stride` words apart. A 16-bit accumulator is in the low half of its word; the high half of a
 * result is zero. */
static void multiply_dense(struct mma_run *r, uint32_t bank, uint32_t *d, size_t stride)
{
    const size_t first = (size_t)bank * r->bank_n;
    struct num_tile_job job = {
        .model = r->model, .how = &r->how, .m = r->rows, .n = r->bank_n, .k = r->k_a,
        .a = {r->a.at, r->a.word_bytes, r->a.row_stride, r->a.step},
        .b = {tensor_word(&r->b, (uint32_t)first, 0), r->b.word_bytes, r->b.row_stride, r->b.step},
        .c = {r->op->read_d ? d : NULL, 4, stride, 1},
        .d = d, .d_word_bytes = 4, .d_row_stride = stride, .d_step = 1,
    };
    if (r->factors != 0) {
        job.scale_a = (struct num_tile_words){r->scale_a, 4, r->factors, 1};
        job.scale_b = (struct num_tile_words){r->scale_b + first * r->factors, 4, r->factors, 1};
    }
    job.scratch_bytes = tw_num_tile_scratch(&job);
    job.scratch = tile_scratch_of(r->pipe, job.scratch_bytes);
    r->pipe->tile->run(&job);
}

/* Elements of B that the metadata does not select take no part at all. */
static void multiply_sparse(struct mma_run *r, uint32_t bank)
{
    uint64_t a[TW_NUM_DOT_MAX], b[TW_NUM_DOT_MAX], scale_a[4], scale_b[4];
    for (uint32_t row = 0; row < r->rows; row++) {
        const uint8_t *const select = r->select + (size_t)row * r->k_a;
        for (uint32_t k = 0; k < r->k_a; k++)
            a[k] = word_of(&r->a, row, k);
        for (uint32_t v = 0; v < r->factors; v++)
            scale_a[v] = r->scale_a[row * r->factors + v];
        for (uint32_t n = 0; n < r->bank_n; n++) {
            const uint32_t column = bank * r->bank_n + n;
            uint32_t *const d = &r->d[(size_t)row * r->bank_n + n];
            const uint64_t c = *d;
            for (uint32_t k = 0; k < r->k_a; k++)
                b[k] = word_of(&r->b, column, select[k]);
            for (uint32_t v = 0; v < r->factors; v++)
                scale_b[v] = r->scale_b[column * r->factors + v];
            *d = (uint32_t)tw_num_dot(r->model, &r->how, r->k_a, a, b, r->op->read_d ? &c : NULL, r->factors != 0 ? scale_a : NULL,
                                      r->factors != 0 ? scale_b : NULL);
        }
    }
}

/* Looks at every row of an accumulator of neighbouring lanes: for observers, and for the first that is not there. */
static bool check_rows(const struct mma_run *r, struct cta *cta, uint32_t first_lane)
{
    const struct tensor_read read = reader(r, cta, "D");
    const uint32_t col = r->op->d & 0xffff;
    for (uint32_t lane = first_lane; lane < first_lane + r->rows; lane++)
        if ((r->op->read_d && tw_tensor_cells(&read, lane, col, r->bank_n, false) == NULL) ||
            tw_tensor_cells(&read, lane, col, r->bank_n, true) == NULL)
            return false;
    return true;
}

/* The accumulator's rows are neighbouring lanes and all of them are written: the product is computed in tensor memory. The
 * rows have the same columns, so that the first row stands for all when nobody watches. */
static bool multiply_in_place(struct mma_run *r, struct cta *cta, uint32_t bank)
{
    const uint32_t lane = d_lane(r, 0, bank), col = r->op->d & 0xffff;
    struct tmem *const t = tw_tmem_of(cta);
    const bool alike = !observed(cta->cluster) && lane + r->rows <= TW_TMEM_LANES && tw_tmem_unallocated(t, col, r->bank_n) == UINT32_MAX;
    if (!alike && !check_rows(r, cta, lane))
        return false;
    multiply_dense(r, bank, tmem_cell(t, lane, col), TW_TMEM_COLS);
    return true;
}

static bool run_bank(struct mma_run *r, uint32_t cta_index, uint32_t bank)
{
    struct cta *const cta = r->ctas[cta_index];
    const bool sparse = r->inst->form.sparse;
    if (!read_a(r, cta, bank) || (sparse && !read_metadata(r, cta, bank)))
        return false;
    if (!sparse && r->inst->mask_words == 0 && !tw_tmem_paths[r->path].scattered)
        return multiply_in_place(r, cta, bank);
    if (!load_d(r, cta, bank))
        return false;
    if (sparse)
        multiply_sparse(r, bank);
    else
        multiply_dense(r, bank, r->d, r->bank_n);
    return store_d(r, cta_index, bank);
}

static bool run(struct mma_run *r)
{
    if (!check_lanes(r) || !check_columns(r) || !read_b(r))
        return false;
    for (uint32_t i = 0; i < 2 && r->ctas[i] != NULL; i++) {
        if (r->factors != 0 && !read_scales(r, r->ctas[i]))
            return false;
        for (uint32_t bank = 0; bank < r->banks; bank++)
            if (!run_bank(r, i, bank))
                return false;
    }
    const uint32_t ctas = r->ctas[1] == NULL ? 1 : 2;
    tally_products(r->pipe->cta->cluster, r->op->code, r->op->origin, r->model,
                   (uint64_t)ctas * r->banks * r->rows * r->bank_n * r->k_a);
    return !r->inst->ashift || tw_tensor_shift(r->pipe, r->op);
}

bool tw_tensor_mma(struct tensor_pipe *pipe, const struct tensor_op *op)
{
    struct mma_run r;
    if (!set_up(&r, pipe, op))
        return false;
    make_scratch(&r);
    return run(&r);
}
