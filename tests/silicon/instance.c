/* The text of one instruction: registers for its operands, loads before it, stores behind it, all in a scope of its own. */
#include "silicon/silicon.h"

#include "isa/mma_form.h"

uint32_t silicon_input(struct silicon_batch *b, unsigned type, unsigned bits, enum silicon_draw draw)
{
    const uint32_t at = b->record_bytes;
    b->record_bytes += 8;
    *vec_push(b->arena, &b->inputs) = (struct silicon_input){at, (uint16_t)type, (uint8_t)bits, (uint8_t)draw};
    return at;
}

uint32_t silicon_output(struct silicon_batch *b, unsigned bytes)
{
    const uint32_t at = b->record_bytes;
    b->record_bytes += (bytes + 7) / 8 * 8;
    *vec_push(b->arena, &b->outputs) = (struct silicon_output){at, bytes};
    return at;
}

/* ---- What is drawn -------------------------------------------------------------------------------------------- */

static enum silicon_draw draw_of(const struct isa_spelling *s, enum isa_role role)
{
    static const struct {
        enum isa_op op;
        enum isa_role role;
        enum silicon_draw draw;
    } rows[] = {
        {OP_SHL, ROLE_B, DRAW_COUNT},  {OP_SHR, ROLE_B, DRAW_COUNT},     {OP_SHF, ROLE_C, DRAW_COUNT},  {OP_BFE, ROLE_B, DRAW_COUNT},
        {OP_BFE, ROLE_C, DRAW_COUNT},  {OP_BFI, ROLE_C, DRAW_COUNT},     {OP_BFI, ROLE_E, DRAW_COUNT},  {OP_SZEXT, ROLE_B, DRAW_COUNT},
        {OP_BMSK, ROLE_A, DRAW_COUNT}, {OP_BMSK, ROLE_B, DRAW_COUNT},    {OP_FNS, ROLE_B, DRAW_BASE},   {OP_FNS, ROLE_C, DRAW_COUNT},
        {OP_SHFL, ROLE_LANE, DRAW_COUNT}, {OP_SHFL, ROLE_CLAMP, DRAW_CLAMP}, {OP_MATCH, ROLE_A, DRAW_FEW}, {OP_MMA, ROLE_A, DRAW_MATRIX},
        {OP_MMA, ROLE_B, DRAW_MATRIX}, {OP_MMA, ROLE_C, DRAW_MATRIX},    {OP_MMA_SP, ROLE_A, DRAW_MATRIX}, {OP_MMA_SP, ROLE_B, DRAW_MATRIX},
        {OP_MMA_SP, ROLE_C, DRAW_MATRIX},
    };
    if (role == ROLE_META)
        return isa_spelling_mod(s, SLOT_ATYPE) == MOD_TF32 ? DRAW_PAIRS : DRAW_CODES;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].op == s->form->op && rows[i].role == role)
            return rows[i].draw;
    return DRAW_VALUE;
}

/* ---- Registers -------------------------------------------------------------------------------------------------- */

static bool is_float(unsigned type, unsigned bits)
{
    return isa_mod_row(type)->type_class == TYPE_FLOAT && isa_type_bits(type) == bits && bits >= 32 && type != MOD_TF32;
}

/* A float in a register of its type or of bits; an untyped one, too, must give the same. */
static unsigned declare(struct silicon_writer *w, unsigned type, unsigned bits)
{
    const unsigned n = w->names++;
    const bool typed = is_float(type, bits) && (w->registers == TYPED_AS_DRAWN ? roll(w->dice, 2) == 0 : w->registers == TYPED);
    tw_text_addf(&w->declared, ".reg .%c%u %%v%u; ", typed ? 'f' : 'b', bits, n);
    return n;
}

static unsigned declare_pred(struct silicon_writer *w)
{
    tw_text_addf(&w->declared, ".reg .pred %%v%u; ", w->names);
    return w->names++;
}

static unsigned source_pred(struct silicon_writer *w)
{
    const unsigned p = declare_pred(w), n = declare(w, MOD_B32, 32);
    tw_text_addf(&w->before, "ld.global.b32 %%v%u, [%%at+%u]; setp.ne.s32 %%v%u, %%v%u, 0; ", n, silicon_input(w->batch, MOD_PRED, 1, DRAW_VALUE),
                 p, n);
    return p;
}

static unsigned source_128(struct silicon_writer *w, enum silicon_draw draw)
{
    const unsigned a = declare(w, MOD_B64, 64), b = declare(w, MOD_B64, 64), n = declare(w, MOD_B128, 128);
    const uint32_t first = silicon_input(w->batch, MOD_B64, 64, draw), second = silicon_input(w->batch, MOD_B64, 64, draw);
    tw_text_addf(&w->before, "ld.global.b64 %%v%u, [%%at+%u]; ld.global.b64 %%v%u, [%%at+%u]; mov.b128 %%v%u, {%%v%u, %%v%u}; ", a, first, b,
                 second, n, a, b);
    return n;
}

/* A register of `bits` with elements of a type. */
static unsigned source(struct silicon_writer *w, unsigned type, unsigned element, unsigned bits, enum silicon_draw draw)
{
    if (bits == 1)
        return source_pred(w);
    if (bits == 128)
        return source_128(w, draw);
    const unsigned n = declare(w, type, bits);
    tw_text_addf(&w->before, "ld.global.b%u %%v%u, [%%at+%u]; ", bits, n, silicon_input(w->batch, element, bits, draw));
    return n;
}

static void init(struct silicon_writer *w, unsigned n, unsigned bits)
{
    if (bits == 1)
        tw_text_addf(&w->before, "setp.ne.u32 %%v%u, %%lane, %%lane; ", n);
    else
        tw_text_addf(&w->before, "mov.b%u %%v%u, 0; ", bits, n);
}

static unsigned destination(struct silicon_writer *w, unsigned type, unsigned bits)
{
    const unsigned n = bits == 1 ? declare_pred(w) : declare(w, type, bits);
    if (w->guarded && bits <= 64)
        init(w, n, bits);
    if (bits == 128) {
        const unsigned a = declare(w, MOD_B64, 64), b = declare(w, MOD_B64, 64);
        const uint32_t at = silicon_output(w->batch, 8), next = silicon_output(w->batch, 8);
        tw_text_addf(&w->after, "mov.b128 {%%v%u, %%v%u}, %%v%u; st.global.b64 [%%at+%u], %%v%u; st.global.b64 [%%at+%u], %%v%u; ", a, b, n, at,
                     a, next, b);
    } else if (bits == 1) {
        const unsigned word = declare(w, MOD_B32, 32);
        tw_text_addf(&w->after, "selp.b32 %%v%u, 1, 0, %%v%u; st.global.b32 [%%at+%u], %%v%u; ", word, n, silicon_output(w->batch, 4), word);
    } else {
        tw_text_addf(&w->after, "st.global.b%u [%%at+%u], %%v%u; ", bits, silicon_output(w->batch, bits / 8), n);
    }
    return n;
}

/* ---- Operands --------------------------------------------------------------------------------------------------- */

/* MEASURED: ptxas 13.0 takes no wider register in a conversion that has .bf16 on a side. */
static bool has_bf16(const struct isa_spelling *s)
{
    return isa_spelling_mod(s, SLOT_DTYPE) == MOD_BF16 || isa_spelling_mod(s, SLOT_ATYPE) == MOD_BF16;
}

/* Registers of bytes are 16 bits at least; ld, st and cvt take wider ones of integers and bits. */
static unsigned register_bits(struct silicon_writer *w, const struct isa_operand *o, unsigned type)
{
    const struct isa_mod_row *const row = isa_mod_row(type);
    unsigned bits = type == MOD_NONE ? 64 : row->bits < 16 && row->type_class != TYPE_PRED ? 16 : row->bits;
    if (o->width == WIDTH_WIDER && !has_bf16(w->spelling) && row->type_class != TYPE_FLOAT && row->type_class != TYPE_PACKED)
        for (unsigned more = w->wider < 3 ? w->wider : roll(w->dice, 3); more > 0 && bits < 64; more--)
            bits *= 2;
    return bits;
}

static bool takes_number(const struct silicon_writer *w, const struct isa_operand *o, unsigned type)
{
    const struct isa_mod_row *const row = isa_mod_row(type);
    if (isa_spelling_mod(w->spelling, SLOT_APPROX) != MOD_NONE) /* the assembler computes functions of numbers in its own way */
        return false;
    if ((o->accept & ACCEPT_IMM) == 0 || o->role == ROLE_META || type == MOD_NONE || row->bits > 64 || row->bits < 16)
        return false;
    return row->type_class != TYPE_PACKED && (row->type_class != TYPE_FLOAT || row->bits >= 32) && w->spelling->form->op != OP_CVT &&
           type != MOD_TF32;
}

static void add_number(struct silicon_writer *w, unsigned type, enum silicon_draw draw)
{
    const struct isa_mod_row *const row = isa_mod_row(type);
    const uint64_t word = roll(w->dice, 3) == 0 ? roll(w->dice, 5) : roll_word(w->dice) >> (64 - row->bits);
    if (draw == DRAW_COUNT || draw == DRAW_FEW || draw == DRAW_BASE)
        tw_text_addf(&w->operands, "%u", roll(w->dice, draw == DRAW_COUNT ? 71 : 32));
    else if (draw == DRAW_CLAMP)
        tw_text_addf(&w->operands, "0x%x", roll(w->dice, 32) << 8 | 0x1f);
    else if (row->type_class == TYPE_FLOAT)
        tw_text_addf(&w->operands, row->bits == 64 ? "0d%016llX" : "0f%08llX", (unsigned long long)word);
    else if (row->type_class == TYPE_SIGNED)
        tw_text_addf(&w->operands, "%lld", (long long)(int64_t)(word << (64 - row->bits)) >> (64 - row->bits));
    else
        tw_text_addf(&w->operands, "0x%llx", (unsigned long long)word);
}

static void add_only_number(struct silicon_writer *w, const struct isa_operand *o)
{
    struct mma_form f;
    if (o->role == ROLE_SELECTOR && tw_mma_form_of(w->spelling, &f))
        tw_text_addf(&w->operands, "%u", roll(w->dice, f.part[MMA_META].choices));
    else if (o->role == ROLE_LUT)
        tw_text_addf(&w->operands, "0x%02x", roll(w->dice, 256));
    else
        tw_text_addf(&w->operands, "%lld", (long long)(o->low + (int64_t)roll(w->dice, (uint32_t)(o->high - o->low) + 1)));
}

/* The element type that a fragment's registers hold, which is none of the registers' types. */
static unsigned element_type(const struct isa_spelling *s, const struct isa_operand *o, unsigned type)
{
    return o->type_map == TYPEMAP_FRAGMENT && o->type_slot != SLOT_NONE ? isa_spelling_mod(s, o->type_slot) : type;
}

static void add_scalar(struct silicon_writer *w, unsigned i, unsigned type, bool number)
{
    const struct isa_operand *const o = &w->spelling->form->operands[i];
    const enum silicon_draw draw = draw_of(w->spelling, o->role);
    if ((o->accept & ACCEPT_NEGATED) != 0 && roll(w->dice, 2) == 0)
        tw_text_put(&w->operands, '!');
    if (number) {
        add_number(w, type, draw);
        return;
    }
    const unsigned bits = register_bits(w, o, type);
    const unsigned n = o->access == ACCESS_WRITE ? destination(w, type, bits) : source(w, type, element_type(w->spelling, o, type), bits, draw);
    tw_text_addf(&w->operands, "%%v%u", n);
}

/* Packing and unpacking moves: two or four parts. */
static unsigned part_type(struct silicon_writer *w, unsigned *count)
{
    const unsigned bits = isa_type_bits(isa_spelling_mod(w->spelling, SLOT_TYPE));
    *count = bits == 16 || roll(w->dice, 2) == 0 ? 2 : 4;
    const unsigned each = bits / *count;
    return each == 8 ? MOD_B8 : each == 16 ? MOD_B16 : each == 32 ? MOD_B32 : MOD_B64;
}

static void add_part(struct silicon_writer *w, const struct isa_operand *o, unsigned type)
{
    const unsigned bits = isa_type_bits(type);
    if (o->access == ACCESS_WRITE)
        tw_text_addf(&w->operands, "%%v%u", destination(w, type, bits));
    else
        tw_text_addf(&w->operands, "%%v%u", source(w, type, type, bits, DRAW_VALUE));
}

static void add_vector(struct silicon_writer *w, unsigned i, unsigned count)
{
    const struct isa_operand *const o = &w->spelling->form->operands[i];
    const bool parts = count == ISA_ANY_COUNT;
    const unsigned type = parts ? part_type(w, &count) : tw_isa_register_type(w->spelling, i);
    const unsigned sink = o->access == ACCESS_WRITE && (o->accept & ACCEPT_SINK) != 0 && count > 1 && roll(w->dice, 6) == 0 ? roll(w->dice, count) : count;
    w->registers = roll(w->dice, 2) == 0 ? TYPED : UNTYPED;
    w->wider = roll(w->dice, 3);
    tw_text_put(&w->operands, '{');
    for (unsigned e = 0; e < count; e++) {
        tw_text_add(&w->operands, e == 0 ? "" : ", ");
        if (e == sink && w->spelling->form->op != OP_MMA && w->spelling->form->op != OP_MMA_SP)
            tw_text_put(&w->operands, '_');
        else if (parts)
            add_part(w, o, type);
        else
            add_scalar(w, i, type, false);
    }
    w->registers = TYPED_AS_DRAWN;
    w->wider = 3;
    tw_text_put(&w->operands, '}');
}

/* The lanes of a drawn mask execute the instruction, and no others. */
static void add_members(struct silicon_writer *w)
{
    if (!w->guarded) {
        tw_text_add(&w->operands, "-1");
        return;
    }
    const unsigned mask = source(w, MOD_B32, MOD_B32, 32, DRAW_MEMBERS), bit = declare(w, MOD_B32, 32);
    tw_text_addf(&w->declared, ".reg .pred %%g; ");
    tw_text_addf(&w->before, "shr.u32 %%v%u, %%v%u, %%lane; and.b32 %%v%u, %%v%u, 1; setp.ne.u32 %%g, %%v%u, 0; ", bit, mask, bit, bit, bit);
    tw_text_addf(&w->operands, "%%v%u", mask);
}

/* An address of shared memory as a value: mapa, getctarank. */
static void add_shared_value(struct silicon_writer *w, unsigned type)
{
    if (type == MOD_U32) {
        tw_text_add(&w->operands, "%box");
        return;
    }
    const unsigned n = declare(w, MOD_B64, 64);
    tw_text_addf(&w->before, "cvt.u64.u32 %%v%u, %%box; ", n);
    if (isa_spelling_mod(w->spelling, SLOT_SPACE) == MOD_NONE)
        tw_text_addf(&w->before, "cvta.shared.u64 %%v%u, %%v%u; ", n, n);
    tw_text_addf(&w->operands, "%%v%u", n);
}

static void add_policy(struct silicon_writer *w)
{
    const unsigned n = declare(w, MOD_B64, 64);
    tw_text_addf(&w->before, "createpolicy.fractional.L2::evict_last.b64 %%v%u, 1.0; ", n);
    tw_text_addf(&w->operands, "%%v%u", n);
}

static void add_operand(struct silicon_writer *w, unsigned i, bool number)
{
    const struct isa_spelling *const s = w->spelling;
    const struct isa_operand *const o = &s->form->operands[i];
    const unsigned count = tw_isa_operand_count(s, i), type = tw_isa_register_type(s, i);
    const bool is_rank = s->form->op == OP_MAPA || s->form->op == OP_GETCTARANK;
    if (o->role == ROLE_BARRIER)
        tw_text_addf(&w->operands, "%u", roll(w->dice, 16));
    else if (o->role == ROLE_THREADS)
        tw_text_add(&w->operands, "32");
    else if (o->role == ROLE_RANK)
        tw_text_add(&w->operands, "0");
    else if (o->role == ROLE_MEMBERS)
        add_members(w);
    else if (o->role == ROLE_POLICY)
        add_policy(w);
    else if (is_rank && o->role == ROLE_A)
        add_shared_value(w, type);
    else if ((o->accept & ACCEPT_ADDRESS) != 0)
        silicon_address(w, i);
    else if ((o->accept & ACCEPT_VECTOR) != 0 && count != 0)
        add_vector(w, i, count);
    else if ((o->accept & ACCEPT_REG) == 0)
        add_only_number(w, o);
    else
        add_scalar(w, i, type, number);
}

static void add_operands(struct silicon_writer *w)
{
    const struct isa_form *const f = w->spelling->form;
    const bool drawn = roll(w->dice, 2) == 0, other = silicon_legal(w->batch->isa, w->batch->arena, w->spelling, drawn) ? drawn : !drawn;
    bool first = true, numbers = roll(w->dice, 4) == 0;
    for (unsigned i = 0; i < f->operand_count; i++) {
        const struct isa_operand *const o = &f->operands[i];
        if (!silicon_operand_stands(w->spelling, o, other))
            continue;
        const bool number = numbers && roll(w->dice, 2) == 0 && o->access == ACCESS_READ && takes_number(w, o, tw_isa_register_type(w->spelling, i));
        numbers = numbers && !number;
        tw_text_add(&w->operands, first ? " " : o->joined ? "|" : ", ");
        add_operand(w, i, number);
        first = false;
    }
}

/* ---- The instruction --------------------------------------------------------------------------------------------- */

static void open_writer(struct silicon_writer *w, struct silicon_batch *b, const struct isa_spelling *s, struct dice *d)
{
    *w = (struct silicon_writer){.batch = b, .spelling = s, .dice = d, .wider = 3};
    tw_text_init(&w->declared, b->arena);
    tw_text_init(&w->before, b->arena);
    tw_text_init(&w->after, b->arena);
    tw_text_init(&w->operands, b->arena);
}

static void begin_instance(struct silicon_batch *b, const struct isa_form *f)
{
    *vec_push(b->arena, &b->instances) = (struct silicon_instance){.form = f, .first_input = b->inputs.len,
                                                                           .first_output = b->outputs.len, .body = b->body.len};
}

static void end_instance(struct silicon_batch *b, const char *text)
{
    struct silicon_instance *const one = &b->instances.at[b->instances.len - 1];
    one->text = text;
    one->inputs = b->inputs.len - one->first_input;
    one->outputs = b->outputs.len - one->first_output;
    one->body_len = b->body.len - one->body;
}

/* Carries live in no operand: an instruction that reads one stands behind one that sets it, one that sets it before a reader. */
static void add_carries(struct silicon_writer *w, struct text *head, struct text *tail)
{
    const enum isa_op op = w->spelling->form->op;
    const bool reads = op == OP_ADDC || op == OP_SUBC || op == OP_MADC, sets = isa_spelling_mod(w->spelling, SLOT_CC) != MOD_NONE;
    if (reads) {
        const unsigned a = source(w, MOD_U32, MOD_U32, 32, DRAW_VALUE), b = source(w, MOD_U32, MOD_U32, 32, DRAW_VALUE), d = declare(w, MOD_B32, 32);
        tw_text_addf(head, "%s.cc.u32 %%v%u, %%v%u, %%v%u; ", op == OP_SUBC ? "sub" : "add", d, a, b);
    }
    if (sets) {
        const bool borrow = op == OP_SUB || op == OP_SUBC;
        const unsigned a = source(w, MOD_U32, MOD_U32, 32, DRAW_VALUE), d = destination(w, MOD_U32, 32);
        tw_text_addf(tail, " %s.u32 %%v%u, %%v%u, 0;", borrow ? "subc" : "addc", d, a);
    }
}

void silicon_add(struct silicon_batch *b, const struct isa_spelling *s, struct dice *d)
{
    struct silicon_writer w;
    struct text line, head, tail;
    open_writer(&w, b, s, d);
    tw_text_init(&line, b->arena);
    tw_text_init(&head, b->arena);
    tw_text_init(&tail, b->arena);
    w.guarded = s->form->op >= OP_VOTE && s->form->op <= OP_ELECT && s->form->op != OP_ACTIVEMASK && roll(d, 2) == 0;
    begin_instance(b, s->form);
    add_operands(&w);
    add_carries(&w, &head, &tail);
    tw_text_addf(&line, "%s%s", head.at, w.guarded ? "@%g " : "");
    tw_isa_spell(s, &line);
    tw_text_addf(&line, "%s;%s", w.operands.at, tail.at);
    tw_text_addf(&b->body, "{ %s\n  %s\n  %s\n  %s}\n", w.declared.at, w.before.at, line.at, w.after.at);
    end_instance(b, line.at);
}

/* ---- Special registers --------------------------------------------------------------------------------------------- */

/* Not here: clocks and timers, which SM, which warp slot (%warpid may change while a thread runs), which grid, what the driver
 * puts into %envreg, performance monitors. */
static const enum isa_sreg_id same_on_every_run[] = {
    SREG_TID, SREG_NTID, SREG_LANEID, SREG_CTAID, SREG_NCTAID, SREG_IS_EXPLICIT_CLUSTER, SREG_CLUSTERID, SREG_NCLUSTERID,
    SREG_CLUSTER_CTAID, SREG_CLUSTER_NCTAID, SREG_CLUSTER_CTARANK, SREG_CLUSTER_NCTARANK, SREG_LANEMASK_EQ, SREG_LANEMASK_LE,
    SREG_LANEMASK_LT, SREG_LANEMASK_GE, SREG_LANEMASK_GT, SREG_RESERVED_SMEM_OFFSET_BEGIN, SREG_RESERVED_SMEM_OFFSET_END,
    SREG_RESERVED_SMEM_OFFSET_CAP, SREG_RESERVED_SMEM_OFFSET_0, SREG_RESERVED_SMEM_OFFSET_1, SREG_TOTAL_SMEM_SIZE, SREG_AGGR_SMEM_SIZE,
    SREG_DYNAMIC_SMEM_SIZE, SREG_NWARPID,
};

bool silicon_add_register(struct silicon_batch *b, size_t index)
{
    if (index / 4 >= COUNT(same_on_every_run))
        return false;
    const struct isa_sreg *const r = &tw_isa_sregs[same_on_every_run[index / 4]];
    if (r->components == 0 && index % 4 != 0)
        return true;
    begin_instance(b, NULL);
    const char *const name = r->components == 0 ? r->name : tw_format(b->arena, "%s.%c", r->name, "xyzw"[index % 4]);
    const uint32_t at = silicon_output(b, 4);
    if (r->type == MOD_PRED)
        tw_text_addf(&b->body, "{ .reg .pred %%p; .reg .b32 %%v; mov.pred %%p, %s; selp.b32 %%v, 1, 0, %%p; st.global.b32 [%%at+%u], %%v; }\n", name, at);
    else
        tw_text_addf(&b->body, "{ .reg .b32 %%v; mov.b32 %%v, %s; st.global.b32 [%%at+%u], %%v; }\n", name, at);
    end_instance(b, name);
    return true;
}

/* ---- Addresses of spaces --------------------------------------------------------------------------------------------- */

static const char *const objects[][2] = {{"global", "%at"}, {"shared", "%box64"}, {"local", "own"}, {"const", "%table"}, {"param", "words"}};

/* isspacep of the generic address of an object of each space; cvta there and back. */
void silicon_add_spaces(struct silicon_batch *b, const struct isa_spelling *s, struct dice *d)
{
    struct text line;
    tw_text_init(&line, b->arena);
    begin_instance(b, s->form);
    const size_t which = roll(d, (uint32_t)COUNT(objects));
    char buffer[16];
    const char *const space = tw_isa_mod_text(isa_spelling_mod(s, SLOT_SPACE), buffer);
    const char *const object = s->form->op == OP_ISSPACEP ? objects[which][0] : strncmp(space, "shared", 6) == 0 ? "shared" : strncmp(space, "param", 5) == 0 ? "param" : space;
    size_t o = 0;
    while (strcmp(objects[o][0], object) != 0)
        o++;
    tw_text_addf(&line, "mov.b64 %%x, %s; ", objects[o][1]);
    if (s->form->op == OP_ISSPACEP)
        tw_text_addf(&line, "cvta.%s.u64 %%y, %%x; isspacep.%s %%p, %%y;", object, space);
    else
        tw_text_addf(&line, "cvta.%s.u64 %%y, %%x; cvta.to.%s.u64 %%z, %%y; setp.eq.u64 %%p, %%x, %%z;", space, space);
    tw_text_addf(&b->body, "{ .local .align 16 .b8 own[16]; .reg .b64 %%x, %%y, %%z; .reg .pred %%p; .reg .b32 %%v; %s selp.b32 %%v, 1, 0, %%p; st.global.b32 [%%at+%u], %%v; }\n",
                 line.at, silicon_output(b, 4));
    end_instance(b, line.at);
}

/* ---- The kernel ------------------------------------------------------------------------------------------------------ */

void silicon_begin(struct silicon_batch *b, struct arena *arena, const struct isa *isa)
{
    *b = (struct silicon_batch){.arena = arena, .isa = isa};
    tw_text_init(&b->body, arena);
}

static void add_table(struct text *t)
{
    struct dice d = {1};
    tw_text_addf(t, ".const .align 16 .b32 table[%d] = {", SILICON_LANES * SILICON_PLACE / 4);
    for (int i = 0; i < SILICON_LANES * SILICON_PLACE / 4; i++)
        tw_text_addf(t, "%s0x%08x", i == 0 ? "" : ", ", (unsigned)roll_word(&d));
    tw_text_add(t, "};\n");
}

uint32_t silicon_stride(const struct silicon_batch *b)
{
    return (b->record_bytes + SILICON_PLACE - 1) / SILICON_PLACE * SILICON_PLACE;
}

const char *silicon_module(const struct silicon_batch *b, uint32_t first, uint32_t count)
{
    struct text t;
    const uint32_t bytes = silicon_stride(b);
    tw_text_init(&t, b->arena);
    tw_text_addf(&t, ".version %d.%d\n.target " SILICON_TARGET "\n.address_size 64\n", SILICON_PTX / 10, SILICON_PTX % 10);
    add_table(&t);
    tw_text_addf(&t, ".shared .align 128 .b8 box[%d];\n.visible .entry k(.param .u64 records, .param .align 16 .b8 words[64])\n{\n"
                     ".reg .b64 %%at, %%warp, %%table, %%box64; .reg .b32 %%lane, %%cta, %%box, %%boxes;\n"
                     "ld.param.u64 %%warp, [records]; mov.u32 %%lane, %%laneid; mov.u32 %%cta, %%ctaid.x;\n"
                     "mad.wide.u32 %%warp, %%cta, %u, %%warp; mad.wide.u32 %%at, %%lane, %u, %%warp;\n"
                     "mov.u32 %%boxes, box; mad.lo.u32 %%box, %%lane, %d, %%boxes; cvt.u64.u32 %%box64, %%box;\n"
                     "mov.u64 %%table, table; mad.wide.u32 %%table, %%lane, %d, %%table;\n",
                 SILICON_LANES * SILICON_PLACE, SILICON_LANES * bytes, bytes, SILICON_PLACE, SILICON_PLACE);
    for (uint32_t i = first; i < first + count; i++)
        tw_text_add_str(&t, (struct str){b->body.at + b->instances.at[i].body, b->instances.at[i].body_len});
    tw_text_add(&t, "ret;\n}\n");
    return t.at;
}
