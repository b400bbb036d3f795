/* The forms of mma.sync, and cases and programs of them. SOURCE: PTX ISA, "mma" and "mma.sp": shapes, types and targets. */
#include "api/mma_sweep.h"

#include <stdio.h>

/* ---- forms --------------------------------------------------------------------------------------------- */

static const char *const names[MF_COUNT] = {"f16",  "bf16", "tf32", "f32", "f64", "e4m3", "e5m2", "e3m2",  "e2m3",
                                            "e2m1", "s8",   "u8",   "s4",  "u4",  "b1",   "s32",  "ue8m0", "ue4m3"};

enum { MAX_TYPES = 5, MAX_SHAPES = 4 };

struct shape {
    int m, k;
};

/* Forms that differ only in what is listed: shapes, types of A and of B (`paired`: B has A's), accumulators, endings. */
struct family {
    const char *opcode;          /* "mma" */
    const char *kind;            /* between layouts and types */
    const char *ending;          /* behind the types */
    struct shape shapes[MAX_SHAPES];
    enum mma_format types[MAX_TYPES];
    int type_count;
    bool paired;
    enum mma_format d[2];
    int d_count;
    int bits;
    bool saturate, bits_and;
    int factors;
    enum mma_format scale;
    const char *arch, *run;
};

#define ONE(type) {type}, 1, true
#define FP8 {MF_E4M3, MF_E5M2}, 2, false
#define INT8 {MF_S8, MF_U8}, 2, false
#define INT4 {MF_S4, MF_U4}, 2, false
#define SMALL {MF_E4M3, MF_E5M2, MF_E3M2, MF_E2M3, MF_E2M1}, 5, false
#define F32_ONLY {MF_F32}, 1
#define F16_ONLY {MF_F16}, 1
#define S32_ONLY {MF_S32}, 1
#define NO_SCALE 0, MF_COUNT
#define DENSE_INT(sat, finite)                                                                                                   \
    {"mma", finite, "", {{8, 16}, {16, 16}, {16, 32}}, INT8, S32_ONLY, 8, sat, false, NO_SCALE, "sm_80", "sm_80"},               \
    {"mma", finite, "", {{8, 32}, {16, 32}, {16, 64}}, INT4, S32_ONLY, 4, sat, false, NO_SCALE, "sm_80", "sm_80"}
#define SPARSE(opcode)                                                                                                           \
    {opcode, "", "", {{16, 16}, {16, 32}}, ONE(MF_F16), {MF_F32, MF_F16}, 2, 16, false, false, NO_SCALE, "sm_80", "sm_90a"},     \
    {opcode, "", "", {{16, 16}, {16, 32}}, ONE(MF_BF16), F32_ONLY, 16, false, false, NO_SCALE, "sm_80", "sm_90a"},               \
    {opcode, "", "", {{16, 8}, {16, 16}}, ONE(MF_TF32), F32_ONLY, 32, false, false, NO_SCALE, "sm_80", "sm_90a"},                \
    {opcode, "", "", {{16, 64}}, FP8, F32_ONLY, 8, false, false, NO_SCALE, "sm_89", "sm_90a"},                                   \
    {opcode, "", "", {{16, 32}, {16, 64}}, INT8, S32_ONLY, 8, false, false, NO_SCALE, "sm_80", "sm_90a"},                        \
    {opcode, ".satfinite", "", {{16, 32}, {16, 64}}, INT8, S32_ONLY, 8, true, false, NO_SCALE, "sm_80", "sm_90a"},               \
    {opcode, "", "", {{16, 64}, {16, 128}}, INT4, S32_ONLY, 4, false, false, NO_SCALE, "sm_80", "sm_90a"},                       \
    {opcode, ".satfinite", "", {{16, 64}, {16, 128}}, INT4, S32_ONLY, 4, true, false, NO_SCALE, "sm_80", "sm_90a"}
#define KINDS(opcode, k8, k4)                                                                                                    \
    {opcode, ".kind::f8f6f4", "", {{16, k8}}, SMALL, {MF_F32, MF_F16}, 2, 8, false, false, NO_SCALE, "sm_120a", "sm_120a"},      \
    {opcode, ".kind::mxf8f6f4.block_scale.scale_vec::1X", ".ue8m0", {{16, k8}}, SMALL, F32_ONLY, 8, false, false, 1, MF_UE8M0,   \
     "sm_120a", "sm_120a"},                                                                                                      \
    {opcode, ".kind::mxf8f6f4.block_scale", ".ue8m0", {{16, k8}}, ONE(MF_E4M3), F32_ONLY, 8, false, false, 1, MF_UE8M0,          \
     "sm_120a", "sm_120a"},                                                                                                      \
    {opcode, ".kind::mxf4.block_scale.scale_vec::2X", ".ue8m0", {{16, k4}}, ONE(MF_E2M1), F32_ONLY, 4, false, false, 2,          \
     MF_UE8M0, "sm_120a", "sm_120a"},                                                                                            \
    {opcode, ".kind::mxf4.block_scale", ".ue8m0", {{16, k4}}, ONE(MF_E2M1), F32_ONLY, 4, false, false, 2, MF_UE8M0, "sm_120a",   \
     "sm_120a"},                                                                                                                 \
    {opcode, ".kind::mxf4nvf4.block_scale.scale_vec::2X", ".ue8m0", {{16, k4}}, ONE(MF_E2M1), F32_ONLY, 4, false, false, 2,      \
     MF_UE8M0, "sm_120a", "sm_120a"},                                                                                            \
    {opcode, ".kind::mxf4nvf4.block_scale.scale_vec::4X", ".ue4m3", {{16, k4}}, ONE(MF_E2M1), F32_ONLY, 4, false, false, 4,      \
     MF_UE4M3, "sm_120a", "sm_120a"}

static const struct family families[] = {
    {"mma", "", "", {{16, 8}, {16, 16}}, ONE(MF_F16), {MF_F32, MF_F16}, 2, 16, false, false, NO_SCALE, "sm_80", "sm_80"},
    {"mma", "", "", {{16, 8}, {16, 16}}, ONE(MF_BF16), F32_ONLY, 16, false, false, NO_SCALE, "sm_80", "sm_80"},
    {"mma", "", "", {{16, 4}, {16, 8}}, ONE(MF_TF32), F32_ONLY, 32, false, false, NO_SCALE, "sm_80", "sm_80"},
    {"mma", "", "", {{8, 4}}, ONE(MF_F64), {MF_F64}, 1, 64, false, false, NO_SCALE, "sm_80", "sm_80"},
    {"mma", "", "", {{16, 4}, {16, 8}, {16, 16}}, ONE(MF_F64), {MF_F64}, 1, 64, false, false, NO_SCALE, "sm_90", "sm_90"},
    {"mma", "", "", {{16, 16}, {16, 32}}, FP8, {MF_F32, MF_F16}, 2, 8, false, false, NO_SCALE, "sm_89", "sm_89"},
    DENSE_INT(false, ""),
    DENSE_INT(true, ".satfinite"),
    {"mma", "", ".xor.popc", {{8, 128}, {16, 128}, {16, 256}}, ONE(MF_B1), S32_ONLY, 1, false, false, NO_SCALE, "sm_80", "sm_80"},
    {"mma", "", ".and.popc", {{8, 128}, {16, 128}, {16, 256}}, ONE(MF_B1), S32_ONLY, 1, false, true, NO_SCALE, "sm_80", "sm_80"},
    KINDS("mma", 32, 64),
    SPARSE("mma.sp"),
    SPARSE("mma.sp::ordered_metadata"),
    {"mma.sp::ordered_metadata", "", "", {{16, 64}}, FP8, F16_ONLY, 8, false, false, NO_SCALE, "sm_120a", "sm_120a"},
    KINDS("mma.sp::ordered_metadata", 64, 128),
};
enum { FAMILIES = sizeof families / sizeof families[0] };

static int shapes_of(const struct family *f)
{
    int count = 0;
    while (count < MAX_SHAPES && f->shapes[count].m != 0)
        count++;
    return count;
}

static size_t forms_of(const struct family *f)
{
    return (size_t)(shapes_of(f) * f->type_count * (f->paired ? 1 : f->type_count) * f->d_count);
}

size_t mma_forms(void)
{
    size_t count = 0;
    for (size_t i = 0; i < FAMILIES; i++)
        count += forms_of(&families[i]);
    return count;
}

void mma_form_at(size_t index, struct mma_form_case *out)
{
    size_t i = 0;
    for (; index >= forms_of(&families[i]); i++)
        index -= forms_of(&families[i]);
    const struct family *f = &families[i];
    const struct shape shape = f->shapes[index % (size_t)shapes_of(f)];
    index /= (size_t)shapes_of(f);
    const enum mma_format d = f->d[index % (size_t)f->d_count];
    index /= (size_t)f->d_count;
    const enum mma_format a = f->types[index % (size_t)f->type_count];
    const enum mma_format b = f->paired ? a : f->types[index / (size_t)f->type_count];
    *out = (struct mma_form_case){.a = a, .b = b, .d = d, .scale = f->scale, .m = shape.m, .k = shape.k, .bits = f->bits,
                                  .sparse = strncmp(f->opcode, "mma.sp", 6) == 0, .saturate = f->saturate,
                                  .bits_and = f->bits_and, .factors = f->factors, .arch = f->arch, .run = f->run};
    snprintf(out->opcode, sizeof out->opcode, "%s.sync.aligned.m%dn8k%d.row.col%s.%s.%s.%s.%s%s", f->opcode, shape.m, shape.k,
             f->kind, names[d], names[a], names[b], names[d], f->ending);
}

/* ---- cases ---------------------------------------------------------------------------------------------- */

static int pick(uint32_t *state, int from, int to)
{
    return from + (int)(mma_next(state) % (uint32_t)(to - from + 1));
}

/* Strides of dimensions in a drawn order, now and then with a slot left free. */
static int spread(uint32_t *state, int unit, const int extents[MMA_DIMS], int *const strides[MMA_DIMS])
{
    int order[MMA_DIMS] = {0, 1, 2, 3, 4}, next = unit;
    for (int i = MMA_DIMS - 1; i > 0; i--) {
        const int j = pick(state, 0, i), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (int i = 0; i < MMA_DIMS; i++) {
        *strides[order[i]] = next;
        next *= extents[order[i]];
        next += pick(state, 0, 5) == 0 ? unit : 0;
    }
    return next;
}

static struct mma_slots slots(uint32_t *state, int batch, int first, int second, int upper, int step)
{
    struct mma_slots s = {0};
    s.count = spread(state, 1, (const int[MMA_DIMS]){batch, first, second, upper, step},
                     (int *const[MMA_DIMS]){&s.batch, &s.first, &s.second, &s.upper, &s.step});
    s.base = pick(state, 0, 3) == 0 ? 1 : 0;
    s.count += s.base;
    return s;
}

/* Slots of 16 bits, the two of a register together: rows g and g + 8, or the next four codes. Lanes that may supply are
 * drawn, or the two steps of K take different ones. */
static struct mma_slots metadata_slots(uint32_t *state, const struct mma_case *c)
{
    struct mma_slots s = {0};
    int unused[2];
    const int groups = c->form.k / mma_group(c), choices = 16 / groups;
    const bool by_lane = c->k_repeat == 2 && choices >= 2 && pick(state, 0, 1) == 0;
    s.count = spread(state, 2, (const int[MMA_DIMS]){c->has_batch ? c->batch : 1, c->m_repeat, by_lane ? 1 : c->k_repeat, 1, 1},
                     (int *const[MMA_DIMS]){&s.batch, &s.first, &s.second, &unused[0], &unused[1]});
    s.upper = s.step = 1;
    s.lane_step = by_lane ? 4 / choices : 0;
    s.lane_base = 4 / choices * pick(state, 0, by_lane ? choices - 2 : choices - 1);
    if (by_lane)
        s.second = 0;
    return s;
}

/* Slots of a byte, four to a register. A step of K is in the next bytes, in other lanes, or in another register. */
static struct mma_slots scale_slots(uint32_t *state, const struct mma_case *c, int repeats, int choices, int choice_lanes)
{
    struct mma_slots s = {0};
    int unused[2];
    const int places = 4 / c->form.factors, how = pick(state, 0, 2);
    const bool by_lane = how == 0 && c->k_repeat <= choices && c->k_repeat > 1, by_byte = how == 1 && c->k_repeat <= places;
    s.count = spread(state, 4, (const int[MMA_DIMS]){c->has_batch ? c->batch : 1, repeats, by_lane || by_byte ? 1 : c->k_repeat, 1, 1},
                     (int *const[MMA_DIMS]){&s.batch, &s.first, &s.second, &unused[0], &unused[1]});
    s.step = 1;
    s.lane_step = by_lane ? choice_lanes : 0;
    s.lane_base = choice_lanes * pick(state, 0, by_lane ? choices - c->k_repeat : choices - 1);
    if (by_lane || by_byte)
        s.second = by_byte ? c->form.factors : 0;
    s.base = c->form.factors * pick(state, 0, by_byte ? places - c->k_repeat : places - 1);
    return s;
}

struct mma_case mma_draw(uint32_t number)
{
    struct mma_case c = {.number = number};
    uint32_t state = number * 2654435761u + 12345u, *s = &state;
    const uint32_t forms = (uint32_t)mma_forms();
    mma_form_at(number * 131u % forms, &c.form); /* 131 and the number of forms have no common factor */
    c.scope = (enum mma_scope)pick(s, 0, 2);
    c.warps = c.scope == MS_WARP ? 1 : c.scope == MS_WARPGROUP ? 4 : pick(s, 1, 3);
    c.has_batch = pick(s, 0, 2) == 0;
    c.batch = pick(s, 1, 2);
    c.m_repeat = pick(s, 1, 2);
    c.n_repeat = pick(s, 1, 3);
    c.k_repeat = pick(s, 1, 3);
    c.c_is = (enum mma_c)pick(s, 0, 4);
    const int batch = c.has_batch ? c.batch : 1, upper = c.form.m / 8, per = 4 * mma_per_reg(&c), d_step = mma_packs_d(&c) ? 1 : 2;
    c.a = slots(s, batch, c.m_repeat, c.k_repeat, upper, mma_stored_k(&c) / per);
    c.b = slots(s, batch, c.n_repeat, c.k_repeat, 1, c.form.k / per);
    c.c = slots(s, batch, c.m_repeat, c.n_repeat, upper, d_step);
    c.d = slots(s, batch, c.m_repeat, c.n_repeat, upper, d_step);
    if (c.form.sparse)
        c.e = metadata_slots(s, &c);
    if (c.form.factors != 0) {
        c.sfa = scale_slots(s, &c, c.m_repeat, 2, 2);
        c.sfb = scale_slots(s, &c, c.n_repeat, 4, 1);
    }
    return c;
}

/* ---- programs --------------------------------------------------------------------------------------------- */

static const char *dtype_of_sums(const struct mma_case *c)
{
    return c->form.d == MF_F64 ? "float64" : c->form.d == MF_S32 ? "int32" : c->form.d == MF_F16 ? "uint32" : "float32";
}

static const char *scalar_dtype(const struct mma_case *c)
{
    return c->form.d == MF_F16 ? "float16" : dtype_of_sums(c);
}

/* Group and batch axes, then the repeats. */
static void lead(struct text *t, const struct mma_case *c, bool extents, const struct mma_slots *s, int first, int second)
{
    if (c->scope != MS_WARP && extents)
        tw_text_addf(t, "%d, ", c->warps);
    else if (c->scope != MS_WARP)
        tw_text_addf(t, "1 @ %s, ", c->scope == MS_CTA ? "warpid" : "wid_in_wg");
    if (c->has_batch)
        tw_text_addf(t, "%d, ", extents ? c->batch : s->batch);
    if (extents)
        tw_text_addf(t, "%d, %d, ", first, second);
    else if (s->lane_step != 0)
        tw_text_addf(t, "%d, %d @ laneid, ", s->first, s->lane_step);
    else
        tw_text_addf(t, "%d, %d, ", s->first, s->second);
}

struct atom {
    const char *name;
    const struct mma_slots *slots;
    int first, second;       /* repeats */
    const char *extents, *strides, *shape;
};

/* NAME = TileLayout(...), and the view's dimensions. */
static void layout(struct text *t, const struct mma_case *c, const struct atom *a)
{
    tw_text_addf(t, "L%s_%u = TileLayout(S[(", a->name, c->number);
    lead(t, c, true, a->slots, a->first, a->second);
    tw_text_addf(t, "%s) : (", a->extents);
    lead(t, c, false, a->slots, 0, 0);
    tw_text_addf(t, "%s)]", a->strides);
    if (a->slots->base != 0)
        tw_text_addf(t, " + %d", a->slots->base);
    if (a->slots->lane_base != 0)
        tw_text_addf(t, " + %d @ laneid", a->slots->lane_base);
    tw_text_addf(t, ")\n");
}

static void view(struct text *t, const struct mma_case *c, const struct atom *a, const char *local)
{
    tw_text_addf(t, "        %s.view(", local);
    lead(t, c, true, a->slots, a->first, a->second);
    tw_text_addf(t, "%s, layout=L%s_%u),\n", a->shape, a->name, c->number);
}

static void matrices(struct bench_room *room, const struct mma_case *c, struct atom atoms[4])
{
    struct arena *arena = &room->arena;
    const int words = mma_stored_k(c) / mma_per_reg(c), b_words = c->form.k / mma_per_reg(c), upper = c->form.m / 8;
    const char *rows = tw_format(arena, "%d, 8", upper);
    atoms[1] = (struct atom){"A", &c->a, c->m_repeat, c->k_repeat, tw_format(arena, "%s, %d, 4", rows, words / 4),
                             tw_format(arena, "%d, 4 @ laneid, %d, 1 @ laneid", c->a.upper, c->a.step),
                             tw_format(arena, "%d, %d", c->form.m, words)};
    atoms[2] = (struct atom){"B", &c->b, c->n_repeat, c->k_repeat, tw_format(arena, "8, %d, 4", b_words / 4),
                             tw_format(arena, "4 @ laneid, %d, 1 @ laneid", c->b.step), tw_format(arena, "8, %d", b_words)};
    for (int i = 0; i < 4; i += 3) {
        const struct mma_slots *s = i == 0 ? &c->d : &c->c;
        atoms[i] = (struct atom){i == 0 ? "D" : "C", s, c->m_repeat, c->n_repeat,
                                 tw_format(arena, "%s, 4%s", rows, mma_packs_d(c) ? "" : ", 2"),
                                 mma_packs_d(c) ? tw_format(arena, "%d, 4 @ laneid, 1 @ laneid", s->upper)
                                                : tw_format(arena, "%d, 4 @ laneid, 1 @ laneid, %d", s->upper, s->step),
                                 tw_format(arena, "%d, %d", c->form.m, mma_packs_d(c) ? 4 : 8)};
    }
}

static struct atom metadata(struct bench_room *room, const struct mma_case *c)
{
    struct arena *arena = &room->arena;
    const int quads = c->form.k / mma_group(c) / 4; /* elements of a row, four codes each */
    struct atom a = {.name = "E", .slots = &c->e, .first = c->m_repeat, .second = c->k_repeat, .shape = tw_format(arena, "16, %d", quads)};
    if (c->form.bits >= 16) {
        a.extents = tw_format(arena, "2, 8, %d", quads);
        a.strides = "1, 4 @ laneid, 1 @ laneid";
    } else {
        a.extents = tw_format(arena, "2, 8, %d, 2", quads / 2);
        a.strides = "1 @ laneid, 4 @ laneid, 2 @ laneid, 1";
    }
    return a;
}

static struct atom scales(struct bench_room *room, const struct mma_case *c, bool of_a)
{
    struct arena *arena = &room->arena;
    return (struct atom){.name = of_a ? "SFA" : "SFB", .slots = of_a ? &c->sfa : &c->sfb, .first = of_a ? c->m_repeat : c->n_repeat,
                         .second = c->k_repeat, .extents = tw_format(arena, of_a ? "2, 8, %d" : "8, %d", c->form.factors),
                         .strides = of_a ? "1 @ laneid, 4 @ laneid, 1" : "4 @ laneid, 1",
                         .shape = tw_format(arena, "%d, %d", of_a ? 16 : 8, c->form.factors)};
}

struct register_file {
    const char *tensor, *local, *dtype;
    int count;
};

static void load(struct text *t, const struct register_file *r)
{
    tw_text_addf(t, "    %s = T.alloc_local((%d,), \"%s\", layout=\"default\")\n", r->local, r->count, r->dtype);
    tw_text_addf(t, "    for i in range(%d):\n        %s[i] = %s[t, i]\n", r->count, r->local, r->tensor);
}

static uint32_t files_of(const struct mma_case *c, struct register_file files[8])
{
    const char *words = c->form.bits == 64 ? "float64" : "uint32", *sums = dtype_of_sums(c);
    uint32_t n = 0;
    files[n++] = (struct register_file){"A", "a", words, c->a.count};
    files[n++] = (struct register_file){"B", "b", words, c->b.count};
    files[n++] = (struct register_file){"C", "c", sums, c->c.count};
    files[n++] = (struct register_file){"D", "d", sums, c->d.count};
    if (c->form.sparse)
        files[n++] = (struct register_file){"E", "e", "uint32", (c->e.count + 1) / 2};
    if (c->form.factors != 0) {
        files[n++] = (struct register_file){"SFA", "sfa", "uint32", (c->sfa.count + 3) / 4};
        files[n++] = (struct register_file){"SFB", "sfb", "uint32", (c->sfb.count + 3) / 4};
    }
    return n;
}

static void call(struct bench_room *room, const struct mma_case *c, struct text *t)
{
    struct atom atoms[4];
    matrices(room, c, atoms);
    tw_text_addf(t, "    T.cuda.tile.apply(\n        T.ptx[\"%s\"],\n", c->form.opcode);
    view(t, c, &atoms[0], "d");
    view(t, c, &atoms[1], "a");
    view(t, c, &atoms[2], "b");
    if (c->c_is == MC_D)
        view(t, c, &atoms[0], "d");
    else if (c->c_is == MC_TENSOR)
        view(t, c, &atoms[3], "c");
    else if (c->c_is == MC_RUN_TIME)
        tw_text_addf(t, "        Scalar[0],\n");
    else
        tw_text_addf(t, "        T.%s(%d),\n", scalar_dtype(c), c->c_is == MC_ZERO ? 0 : 1);
    if (c->form.sparse) {
        const struct atom e = metadata(room, c);
        view(t, c, &e, "e.view(\"uint16\")");
    }
    for (int i = 0; i < 2 && c->form.factors != 0; i++) {
        const struct atom s = scales(room, c, i == 0);
        view(t, c, &s, i == 0 ? "sfa.view(\"uint8\")" : "sfb.view(\"uint8\")");
    }
    static const char *const scopes[] = {"warp", "warpgroup", "cta"};
    tw_text_addf(t, "        scope=\"%s\",\n    )\n", scopes[c->scope]);
}

const char *mma_program(struct bench_room *room, const struct mma_case *c)
{
    struct text t;
    struct atom atoms[4];
    struct register_file files[8];
    const uint32_t count = files_of(c, files);
    const int threads = 32 * c->warps;
    tw_text_init(&t, &room->arena);
    tw_text_add(&t, "from tvm.script import tirx as T\nfrom tvm.backend.cuda.axis import laneid, warpid, wid_in_wg\n"
                    "from tvm.tirx.layout import S, TileLayout\n\n");
    matrices(room, c, atoms);
    for (int i = 0; i < 4; i++)
        layout(&t, c, &atoms[i]);
    if (c->form.sparse) {
        const struct atom e = metadata(room, c);
        layout(&t, c, &e);
    }
    for (int i = 0; i < 2 && c->form.factors != 0; i++) {
        const struct atom s = scales(room, c, i == 0);
        layout(&t, c, &s);
    }
    tw_text_addf(&t, "\n\n@T.function\ndef k%u(\n", c->number);
    for (uint32_t i = 0; i < count; i++)
        tw_text_addf(&t, "    %s: T.Tensor((%d, %d), \"%s\"),\n", files[i].tensor, threads, files[i].count, files[i].dtype);
    tw_text_addf(&t, "    Scalar: T.Tensor((1,), \"%s\"),\n    Out: T.Tensor((%d, %d), \"%s\"),\n):\n", scalar_dtype(c), threads,
                 c->d.count, dtype_of_sums(c));
    tw_text_addf(&t, "    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=%d))\n    t = T.cuda.thread_idx(\"x\")\n", threads);
    for (uint32_t i = 0; i < count; i++)
        load(&t, &files[i]);
    call(room, c, &t);
    tw_text_addf(&t, "    for i in range(%d):\n        Out[t, i] = d[i]\n", c->d.count);
    return t.at;
}

const char *mma_words(struct bench_room *room, const struct mma_case *c)
{
    static const char *const sums[] = {"zero", "constant", "run-time", "D", "tensor"};
    return tw_format(&room->arena, "case %u: %s, %d warps, batch %d, %d x %d x %d repeats, C %s", c->number, c->form.opcode, c->warps,
                     c->has_batch ? c->batch : 0, c->m_repeat, c->n_repeat, c->k_repeat, sums[c->c_is]);
}
