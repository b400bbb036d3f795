/* `explain fragment`: which element of which operand each register of each lane holds, as a table or as JSON. */
#include "api/api.h"

#include "isa/fragment.h"

#include <string.h>

enum { TEXT_LANES = 32, TEXT_COLUMNS = 110, MATRIX_COLUMNS = 16 };

struct fragment_call {
    tw_ctx *ctx;
    const char *spelling, *operand; /* operand: NULL for all */
    tw_style style;
    const char *text;
    const char *canonical;
    struct fragments f;
};

/* ---- which instruction, which operand ----------------------------------------------------------------- */

static struct diag *report(tw_ctx *ctx, const char *text)
{
    return tw_diag(&ctx->diags, E0630, (struct src_span){0}, "%s", text);
}

static bool refuse_spelling(struct fragment_call *call, const struct isa_match *m)
{
    static const char *const reasons[] = {
        [MATCH_UNKNOWN_OPCODE] = "is no instruction",
        [MATCH_UNSUPPORTED] = "is an instruction that is not known here",
        [MATCH_UNKNOWN_MODIFIER] = "has a qualifier that does not exist",
        [MATCH_REFUSED_MODIFIER] = "has a qualifier that the instruction does not take here",
        [MATCH_MISSING_MODIFIER] = "lacks a qualifier",
        [MATCH_RULE] = "has qualifiers that do not go together",
    };
    struct diag *d = report(call->ctx, tw_format(&call->ctx->arena, "'%s' %s", call->spelling, reasons[m->status]));
    if (m->expected != NULL)
        tw_diag_expected(d, "%s", m->expected);
    if (m->token.len > 0 && m->status != MATCH_RULE)
        tw_diag_found(d, "'" STR_FMT "'", STR_ARG(m->token));
    if (m->nearest != NULL)
        tw_diag_fix(d, "write '%s'", m->nearest);
    return false;
}

static bool find_fragments(struct fragment_call *call)
{
    tw_ctx *ctx = call->ctx;
    struct isa_match m;
    struct text canonical;
    tw_isa_match(ctx->isa, &ctx->arena, tw_str(call->spelling), &m);
    if (m.status != MATCH_OK)
        return refuse_spelling(call, &m);
    tw_text_init(&canonical, &ctx->arena);
    tw_isa_spell(&m.candidates[0], &canonical);
    call->canonical = canonical.at;
    for (uint32_t i = 0; i < m.count; i++)
        if (tw_fragments_of(&m.candidates[i], &call->f))
            return true;
    struct diag *d = report(ctx, tw_format(&ctx->arena, "%s spreads no matrix over lanes", call->canonical));
    tw_diag_expected(d, "mma.sync, mma.sp, wgmma.mma_async, ldmatrix, stmatrix, tcgen05.ld or tcgen05.st");
    return false;
}

static bool same_name(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++)
        if ((*a | 0x20) != (*b | 0x20))
            return false;
    return *a == *b;
}

static bool asked(const struct fragment_call *call, uint32_t operand)
{
    return call->operand == NULL || same_name(call->operand, call->f.at[operand].name);
}

static bool check_operand(struct fragment_call *call)
{
    struct text names;
    tw_text_init(&names, &call->ctx->arena);
    for (uint32_t i = 0; i < call->f.count; i++) {
        if (asked(call, i))
            return true;
        tw_text_addf(&names, "%s%s", i == 0 ? "" : ", ", call->f.at[i].name);
    }
    struct diag *d = report(call->ctx, tw_format(&call->ctx->arena, "%s has no operand '%s' in registers", call->canonical, call->operand));
    tw_diag_expected(d, "%s", names.at);
    return false;
}

/* ---- text ------------------------------------------------------------------------------------------------ */

static const char *element_words(struct arena *arena, const struct fragment *x)
{
    return x->format != NUM_NONE ? tw_num_format(x->format)->name : tw_format(arena, "%u bits", x->bits);
}

static void describe(struct text *out, const struct fragment *x)
{
    tw_text_addf(out, "  %-3s  %u x %u (%s, %s) of %s, %s: %u register%s of %u bits a lane", x->name, x->rows, x->cols, x->row_axis,
                 x->col_axis, element_words(out->arena, x), x->what, x->regs, x->regs == 1 ? "" : "s", x->reg_bits);
    if (x->per_reg > 1)
        tw_text_addf(out, ", %u elements each, low bits first", x->per_reg);
    if (x->low != 0)
        tw_text_addf(out, ", in bits %u:%u of a byte", x->bits - 3u, x->low);
    if (x->format == NUM_TF32)
        tw_text_add(out, ", the low 13 bits ignored");
    tw_text_put(out, '\n');
    if (x->choices > 1)
        tw_text_addf(out, "       %s 0 is shown; selector s, up to %u, takes them from the lanes %ss further on\n", x->choice,
                     x->choices - 1u, x->choice_lanes == 1 ? "" : "2 ");
    if (x->bits == 8 && x->choice != NULL)
        tw_text_add(out, "       the byte selector says at which byte of the register they begin\n");
}

static void put_range(struct text *out, uint32_t from, uint32_t to)
{
    tw_text_addf(out, from == to ? "%u" : "%u..%u", from, to);
}

/* Elements of a register in runs along a row or a column: "(0, 0..1)". */
static const char *register_words(const struct fragment_call *call, uint32_t operand, uint32_t lane, uint32_t reg)
{
    struct text t;
    struct mma_coord first = {0, 0}, last = {0, 0}, at;
    uint32_t in_run = 0;
    bool along_col = false;
    tw_text_init(&t, &call->ctx->arena);
    for (uint32_t e = 0; e <= call->f.at[operand].per_reg; e++) {
        const bool there = tw_fragment_place(&call->f, operand, lane, reg, e, &at);
        const bool right = there && in_run > 0 && at.row == last.row && at.col == last.col + 1 && (in_run == 1 || along_col);
        const bool down = there && in_run > 0 && at.col == last.col && at.row == last.row + 1 && (in_run == 1 || !along_col);
        if (in_run > 0 && !right && !down) {
            tw_text_add(&t, t.len == 0 ? "(" : " (");
            put_range(&t, first.row, last.row);
            tw_text_add(&t, ", ");
            put_range(&t, first.col, last.col);
            tw_text_put(&t, ')');
            in_run = 0;
        }
        if (!there)
            continue;
        along_col = right;
        if (in_run++ == 0)
            first = at;
        last = at;
    }
    return t.len == 0 ? "-" : t.at;
}

static size_t widest(const struct fragment_call *call, uint32_t operand)
{
    size_t width = 3;
    for (uint32_t reg = 0; reg < call->f.at[operand].regs; reg++)
        for (uint32_t lane = 0; lane < TEXT_LANES; lane++) {
            const size_t len = strlen(register_words(call, operand, lane, reg));
            width = len > width ? len : width;
        }
    return width;
}

static void put_cell(struct text *out, const char *text, size_t width)
{
    const size_t len = strlen(text);
    tw_text_add(out, text);
    tw_text_pad(out, ' ', len < width ? width - len : 0);
}

/* A line without the spaces at its end. */
static void end_line(struct text *out)
{
    while (out->len > 0 && out->at[out->len - 1] == ' ')
        out->at[--out->len] = '\0';
    tw_text_put(out, '\n');
}

/* Registers from `reg` on, as many as fit a line; returns the next. */
static uint32_t lane_table(const struct fragment_call *call, struct text *out, uint32_t operand, uint32_t reg, size_t width)
{
    const struct fragment *x = &call->f.at[operand];
    const size_t room = TEXT_COLUMNS / width;
    const uint32_t end = reg + (room == 0 ? 1 : room < (size_t)(x->regs - reg) ? (uint32_t)room : x->regs - reg);
    tw_text_add(out, "lane  ");
    for (uint32_t r = reg; r < end; r++)
        put_cell(out, tw_format(out->arena, "r%u", r), width);
    end_line(out);
    for (uint32_t lane = 0; lane < TEXT_LANES; lane++) {
        tw_text_addf(out, "%4u  ", lane);
        for (uint32_t r = reg; r < end; r++)
            put_cell(out, register_words(call, operand, lane, r), width);
        end_line(out);
    }
    return end;
}

static void lane_tables(const struct fragment_call *call, struct text *out, uint32_t operand)
{
    const struct fragment *x = &call->f.at[operand];
    tw_text_addf(out, "\n%s: (%s, %s) in register r of each lane", x->name, x->row_axis, x->col_axis);
    if (x->warp_rows != 0)
        tw_text_addf(out, " of warp 0; warp w has the rows %u w further down", x->warp_rows);
    tw_text_put(out, '\n');
    const size_t width = widest(call, operand) + 2;
    for (uint32_t reg = 0; reg < x->regs;)
        reg = lane_table(call, out, operand, reg, width);
}

/* Who has each element: lane and register, where the element is found. */
struct owner {
    uint16_t lane, reg;
};

static struct owner *owners(const struct fragment_call *call, uint32_t operand)
{
    const struct fragment *x = &call->f.at[operand];
    struct owner *all = arena_new(&call->ctx->arena, struct owner, (size_t)x->rows * x->cols);
    struct mma_coord at;
    for (uint32_t lane = 0; lane < x->lanes; lane++)
        for (uint32_t reg = 0; reg < x->regs; reg++)
            for (uint32_t e = 0; e < x->per_reg; e++)
                if (tw_fragment_place(&call->f, operand, lane, reg, e, &at) && at.row < x->rows && at.col < x->cols)
                    all[(size_t)at.row * x->cols + at.col] = (struct owner){(uint16_t)lane, (uint16_t)reg};
    return all;
}

static void matrix_view(const struct fragment_call *call, struct text *out, uint32_t operand)
{
    const struct fragment *x = &call->f.at[operand];
    const struct owner *all = owners(call, operand);
    const size_t width = x->lanes > 100 ? 9 : x->regs > 10 ? 7 : 6;
    tw_text_addf(out, "\n%s: lane:register of each element, %s down, %s to the right\n", x->name, x->row_axis, x->col_axis);
    for (uint32_t first = 0; first < x->cols; first += MATRIX_COLUMNS) {
        const uint32_t end = first + MATRIX_COLUMNS < x->cols ? first + MATRIX_COLUMNS : x->cols;
        tw_text_add(out, "      ");
        for (uint32_t col = first; col < end; col++)
            put_cell(out, tw_format(out->arena, "%u", col), width);
        end_line(out);
        for (uint32_t row = 0; row < x->rows; row++) {
            tw_text_addf(out, "%4u  ", row);
            for (uint32_t col = first; col < end; col++) {
                const struct owner o = all[(size_t)row * x->cols + col];
                put_cell(out, tw_format(out->arena, "%u:%u", o.lane, o.reg), width);
            }
            end_line(out);
        }
    }
}

static void write_text(const struct fragment_call *call, struct text *out)
{
    tw_text_addf(out, "%s\n%s\n", call->canonical, call->f.what);
    for (uint32_t i = 0; i < call->f.count; i++)
        if (asked(call, i))
            describe(out, &call->f.at[i]);
    for (uint32_t i = 0; i < call->f.count; i++) {
        if (!asked(call, i))
            continue;
        lane_tables(call, out, i);
        if (call->operand != NULL)
            matrix_view(call, out, i);
    }
}

/* ---- JSON ---------------------------------------------------------------------------------------------------- */

static void json_text(struct text *out, const char *key, const char *value)
{
    tw_text_addf(out, "\"%s\":", key);
    tw_text_add_json(out, tw_str(value));
    tw_text_put(out, ',');
}

/* places[lane][register][element]: [row, column], or null. */
static void json_places(const struct fragment_call *call, struct text *out, uint32_t operand)
{
    const struct fragment *x = &call->f.at[operand];
    struct mma_coord at;
    tw_text_add(out, "\"places\":[");
    for (uint32_t lane = 0; lane < x->lanes; lane++) {
        tw_text_add(out, lane == 0 ? "\n[" : ",\n[");
        for (uint32_t reg = 0; reg < x->regs; reg++) {
            tw_text_add(out, reg == 0 ? "[" : ",[");
            for (uint32_t e = 0; e < x->per_reg; e++) {
                if (e > 0)
                    tw_text_put(out, ',');
                if (tw_fragment_place(&call->f, operand, lane, reg, e, &at))
                    tw_text_addf(out, "[%u,%u]", at.row, at.col);
                else
                    tw_text_add(out, "null");
            }
            tw_text_put(out, ']');
        }
        tw_text_put(out, ']');
    }
    tw_text_put(out, ']');
}

static void json_operand(const struct fragment_call *call, struct text *out, uint32_t operand)
{
    const struct fragment *x = &call->f.at[operand];
    tw_text_put(out, '{');
    json_text(out, "name", x->name);
    json_text(out, "what", x->what);
    tw_text_addf(out, "\"axes\":[\"%s\",\"%s\"],\"rows\":%u,\"columns\":%u,", x->row_axis, x->col_axis, x->rows, x->cols);
    if (x->format == NUM_NONE)
        tw_text_add(out, "\"format\":null,");
    else
        json_text(out, "format", tw_num_format(x->format)->name);
    tw_text_addf(out, "\"element_bits\":%u,\"low_bit\":%u,\"register_bits\":%u,\"registers\":%u,\"elements\":%u,\"lanes\":%u,", x->bits,
                 x->low, x->reg_bits, x->regs, x->per_reg, x->lanes);
    tw_text_addf(out, "\"choices\":%u,\"choice_lanes\":%u,", x->choices, x->choice_lanes);
    json_places(call, out, operand);
    tw_text_put(out, '}');
}

static void write_json(const struct fragment_call *call, struct text *out)
{
    bool first = true;
    tw_text_put(out, '{');
    json_text(out, "spelling", call->canonical);
    json_text(out, "what", call->f.what);
    tw_text_add(out, "\"operands\":[");
    for (uint32_t i = 0; i < call->f.count; i++) {
        if (!asked(call, i))
            continue;
        tw_text_add(out, first ? "\n" : ",\n");
        json_operand(call, out, i);
        first = false;
    }
    tw_text_add(out, "]}\n");
}

/* ---- the call -------------------------------------------------------------------------------------------------- */

static tw_status explain_fragment(void *argument)
{
    struct fragment_call *call = argument;
    struct text out;
    if (!find_fragments(call) || !check_operand(call))
        return TW_ERROR;
    tw_text_init(&out, &call->ctx->arena);
    if (call->style == TW_JSON)
        write_json(call, &out);
    else
        write_text(call, &out);
    call->text = out.at;
    return TW_OK;
}

tw_status tw_explain_fragment(tw_ctx *ctx, const char *spelling, const char *operand, tw_style style, const char **text)
{
    struct fragment_call call = {.ctx = ctx, .spelling = spelling, .operand = operand, .style = style};
    const tw_status status = tw_api_guard(ctx, explain_fragment, &call);
    *text = call.text;
    return status;
}
