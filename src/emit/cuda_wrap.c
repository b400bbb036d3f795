/* Wrapper functions around inline PTX: one for each distinct form of an instruction.
 *
 * A value operand is a register of the constraint that its type asks for; a predicate is a bool that goes in through setp and
 * comes out through selp, inside the assembly; an operand that is part of the instruction is a template parameter. Instructions
 * with any effect are volatile and clobber memory: the compiler neither drops nor reorders them, and forgets what it knew. */
#include "emit/cuda.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { LINE_WIDTH = 118 };

void tw_cuda_asm_text(struct cuda_asm *a, const char *text)
{
    *vec_push(a->em->arena, &a->pieces) = (struct cuda_piece){.text = text};
}

void tw_cuda_asm_slot(struct cuda_asm *a, struct cuda_slot slot)
{
    *vec_push(a->em->arena, &a->pieces) = (struct cuda_piece){.slot = a->slots.len};
    *vec_push(a->em->arena, &a->slots) = slot;
}

static bool is_output(const struct cuda_slot *s)
{
    return s->flow == CUDA_OUT || s->flow == CUDA_UPDATE;
}

static bool is_predicate(const struct cuda_slot *s)
{
    return strcmp(s->type, "bool") == 0;
}

static uint32_t count_slots(const struct cuda_asm *a, bool (*which)(const struct cuda_slot *))
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->slots.len; i++)
        n += which(&a->slots.at[i]);
    return n;
}

bool tw_cuda_asm_returns(const struct cuda_asm *a)
{
    if (count_slots(a, is_output) != 1)
        return false;
    for (uint32_t i = 0; i < a->slots.len; i++)
        if (a->slots.at[i].flow == CUDA_UPDATE)
            return false;
    return true;
}

/* ---- names and numbers ------------------------------------------------------------------------------------ */

/* Parameters of one name get numbers: d0, d1, ... */
static void number_names(struct cuda_asm *a)
{
    struct strmap seen, next;
    tw_strmap_init(&seen, a->em->arena);
    tw_strmap_init(&next, a->em->arena);
    for (uint32_t i = 0; i < a->slots.len; i++) {
        const uint32_t *n = tw_strmap_get(&seen, tw_str(a->slots.at[i].name));
        tw_strmap_put(&seen, tw_str(a->slots.at[i].name), n == NULL ? 1 : *n + 1);
    }
    for (uint32_t i = 0; i < a->slots.len; i++) {
        const struct str name = tw_str(a->slots.at[i].name);
        if (*tw_strmap_get(&seen, name) == 1)
            continue;
        const uint32_t *n = tw_strmap_get(&next, name);
        const uint32_t number = n == NULL ? 0 : *n;
        tw_strmap_put(&next, name, number + 1);
        a->slots.at[i].name = tw_format(a->em->arena, "%s%u", a->slots.at[i].name, number);
    }
}

/* %N of a slot: outputs come first, then everything that is read alone. */
static uint32_t number_of(const struct cuda_asm *a, uint32_t slot)
{
    const bool out = is_output(&a->slots.at[slot]);
    uint32_t n = out ? 0 : count_slots(a, is_output);
    for (uint32_t i = 0; i < slot; i++)
        n += is_output(&a->slots.at[i]) == out;
    return n;
}

/* The predicate register of a slot inside the assembly. */
static const char *predicate_name(const struct cuda_asm *a, uint32_t slot)
{
    uint32_t before = 0;
    if (count_slots(a, is_predicate) == 1)
        return "p";
    for (uint32_t i = 0; i < slot; i++)
        before += is_predicate(&a->slots.at[i]);
    return tw_format(a->em->arena, "p%u", before);
}

static const char *function_base(struct cuda_asm *a, const char *mnemonic)
{
    struct text out;
    tw_text_init(&out, a->em->arena);
    for (const char *c = mnemonic; *c != '\0'; c++)
        if (isalnum((unsigned char)*c))
            tw_text_put(&out, *c);
        else if (out.len > 0 && out.at[out.len - 1] != '_')
            tw_text_put(&out, '_');
    return out.at;
}

/* ---- the text of the assembly ------------------------------------------------------------------------------- */

/* Adds an item of a list, on a new line where this one is full. */
static void add_item(struct text *out, size_t *line_start, uint32_t indent, const char *separator, const char *item)
{
    tw_text_add(out, separator);
    if (out->len - *line_start + strlen(item) > LINE_WIDTH) {
        while (out->len > 0 && out->at[out->len - 1] == ' ')
            out->at[--out->len] = '\0';
        tw_text_put(out, '\n');
        *line_start = out->len;
        tw_text_pad(out, ' ', indent);
    }
    tw_text_add(out, item);
}

static const char *constraint(const struct cuda_slot *s)
{
    if (s->flow == CUDA_IMMEDIATE)
        return "n";
    if (is_predicate(s))
        return "r";
    if (strcmp(s->type, "float") == 0)
        return "f";
    if (strcmp(s->type, "double") == 0)
        return "d";
    if (strstr(s->type, "short") != NULL)
        return "h";
    return strchr(s->type, '*') != NULL || strstr(s->type, "long") != NULL ? "l" : "r";
}

static const char *asm_operand(struct cuda_asm *a, const struct cuda_slot *s)
{
    const char *sign = s->flow == CUDA_OUT ? "=" : s->flow == CUDA_UPDATE ? "+" : "";
    const char *value = is_predicate(s) ? (is_output(s) ? tw_format(a->em->arena, "%s_word", s->name)
                                                        : tw_format(a->em->arena, "(int)%s", s->name))
                                        : s->name;
    return tw_format(a->em->arena, "\"%s%s\"(%s)", sign, constraint(s), value);
}

enum { ASM_INDENT = 17 }; /* strlen("    asm volatile(") */

/* ": operands", broken where lines are full. */
static const char *asm_operands(struct cuda_asm *a, bool outputs)
{
    struct text out;
    size_t line_start = 0;
    bool first = true;
    tw_text_init(&out, a->em->arena);
    tw_text_pad(&out, ' ', ASM_INDENT);
    tw_text_put(&out, ':');
    for (uint32_t i = 0; i < a->slots.len; i++)
        if (is_output(&a->slots.at[i]) == outputs) {
            add_item(&out, &line_start, ASM_INDENT + 2, first ? " " : ", ", asm_operand(a, &a->slots.at[i]));
            first = false;
        }
    return out.at + ASM_INDENT;
}

static const char *instruction(struct cuda_asm *a)
{
    struct text out;
    tw_text_init(&out, a->em->arena);
    for (uint32_t i = 0; i < a->pieces.len; i++) {
        const struct cuda_piece *p = &a->pieces.at[i];
        if (p->text != NULL)
            tw_text_add(&out, p->text);
        else if (is_predicate(&a->slots.at[p->slot]))
            tw_text_add(&out, predicate_name(a, p->slot));
        else
            tw_text_addf(&out, "%%%u", number_of(a, p->slot));
    }
    tw_text_put(&out, ';');
    return out.at;
}

static void string_line(struct text *out, const char *line)
{
    tw_text_addf(out, "\"%s\\n\\t\"\n", line);
    tw_text_pad(out, ' ', ASM_INDENT);
}

/* A long instruction is broken between its operands, inside the string. */
static void broken_line(struct text *out, const char *line, const char *end)
{
    const size_t room = LINE_WIDTH - ASM_INDENT - 8;
    while (strlen(line) > room) {
        size_t cut = room;
        while (cut > 0 && line[cut - 1] != ' ')
            cut--;
        if (cut == 0)
            break;
        tw_text_addf(out, "\"%.*s\"\n", (int)cut, line);
        tw_text_pad(out, ' ', ASM_INDENT);
        line += cut;
    }
    tw_text_addf(out, "\"%s%s\"", line, end);
}

/* In braces where predicates need registers of their own. */
static const char *template_text(struct cuda_asm *a)
{
    struct text out, registers;
    tw_text_init(&out, a->em->arena);
    tw_text_init(&registers, a->em->arena);
    if (count_slots(a, is_predicate) == 0) {
        broken_line(&out, instruction(a), "");
        return out.at;
    }
    tw_text_add(&registers, ".reg .pred ");
    string_line(&out, "{");
    for (uint32_t i = 0, n = 0; i < a->slots.len; i++)
        if (is_predicate(&a->slots.at[i]))
            tw_text_addf(&registers, "%s%s", n++ == 0 ? "" : ", ", predicate_name(a, i));
    tw_text_put(&registers, ';');
    string_line(&out, registers.at);
    for (uint32_t i = 0; i < a->slots.len; i++)
        if (is_predicate(&a->slots.at[i]) && a->slots.at[i].flow != CUDA_OUT)
            string_line(&out, tw_format(a->em->arena, "setp.ne.b32 %s, %%%u, 0;", predicate_name(a, i), number_of(a, i)));
    broken_line(&out, instruction(a), "\\n\\t");
    tw_text_put(&out, '\n');
    tw_text_pad(&out, ' ', ASM_INDENT);
    for (uint32_t i = 0; i < a->slots.len; i++)
        if (is_predicate(&a->slots.at[i]) && is_output(&a->slots.at[i]))
            string_line(&out, tw_format(a->em->arena, "selp.b32 %%%u, 1, 0, %s;", number_of(a, i), predicate_name(a, i)));
    tw_text_add(&out, "\"}\"");
    return out.at;
}

/* One line if it fits, else one for the outputs, one for the inputs, one for the clobbers. */
static void assembly(struct cuda_asm *a, struct text *out)
{
    const char *text = template_text(a), *outputs = asm_operands(a, true), *inputs = asm_operands(a, false);
    const char *head = a->is_pure ? "    asm(" : "    asm volatile(", *clobbers = a->is_pure ? "" : ": \"memory\"";
    const char *one = tw_format(a->em->arena, "%s%s %s %s%s%s);", head, text, outputs, inputs, a->is_pure ? "" : " ", clobbers);
    if (strchr(one, '\n') == NULL && strlen(one) <= LINE_WIDTH) {
        tw_text_addf(out, "%s\n", one);
        return;
    }
    const char *const parts[] = {outputs, inputs, clobbers};
    tw_text_addf(out, "%s%s", head, text);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] - a->is_pure; i++) {
        tw_text_put(out, '\n');
        tw_text_pad(out, ' ', ASM_INDENT);
        tw_text_add(out, parts[i]);
    }
    tw_text_add(out, ");\n");
}

/* ---- the function -------------------------------------------------------------------------------------------- */

/* "(parameters)", behind a head of so many characters. */
static const char *parameter_list(struct cuda_asm *a, uint32_t indent)
{
    struct text out;
    size_t line_start = 0;
    bool first = true;
    tw_text_init(&out, a->em->arena);
    tw_text_pad(&out, ' ', indent);
    tw_text_put(&out, '(');
    for (uint32_t i = 0; i < a->slots.len; i++) {
        const struct cuda_slot *s = &a->slots.at[i];
        if (s->flow == CUDA_IMMEDIATE || (is_output(s) && tw_cuda_asm_returns(a)))
            continue;
        const bool pointer = s->type[strlen(s->type) - 1] == '*';
        const char *item = tw_format(a->em->arena, "%s%s%s%s", s->type, pointer ? "" : " ", is_output(s) ? "&" : "", s->name);
        add_item(&out, &line_start, 4, first ? "" : ", ", item);
        first = false;
    }
    tw_text_put(&out, ')');
    return out.at + indent;
}

/* Types alone: what tells overloads apart. */
static const char *parameter_types(struct cuda_asm *a)
{
    struct text out;
    tw_text_init(&out, a->em->arena);
    for (uint32_t i = 0; i < a->slots.len; i++) {
        const struct cuda_slot *s = &a->slots.at[i];
        if (s->flow != CUDA_IMMEDIATE && !(is_output(s) && tw_cuda_asm_returns(a)))
            tw_text_addf(&out, "%s%s,", s->type, is_output(s) ? "&" : "");
    }
    return out.at;
}

static void template_head(struct cuda_asm *a, struct text *out)
{
    const char *separator = "template <";
    for (uint32_t i = 0; i < a->slots.len; i++)
        if (a->slots.at[i].flow == CUDA_IMMEDIATE) {
            tw_text_addf(out, "%s%s %s", separator, a->slots.at[i].type, a->slots.at[i].name);
            separator = ", ";
        }
    if (separator[0] == ',')
        tw_text_add(out, ">\n");
}

static const struct cuda_slot *returned(const struct cuda_asm *a)
{
    for (uint32_t i = 0; i < a->slots.len && tw_cuda_asm_returns(a); i++)
        if (is_output(&a->slots.at[i]))
            return &a->slots.at[i];
    return NULL;
}

/* Variables that the assembly writes and that are no parameters. */
static void declarations(struct cuda_asm *a, struct text *out)
{
    const struct cuda_slot *value = returned(a);
    for (uint32_t i = 0; i < a->slots.len; i++) {
        const struct cuda_slot *s = &a->slots.at[i];
        if (is_predicate(s) && s->flow == CUDA_UPDATE)
            tw_text_addf(out, "    int %s_word = %s;\n", s->name, s->name);
        else if (is_predicate(s) && is_output(s))
            tw_text_addf(out, "    int %s_word;\n", s->name);
        else if (s == value)
            tw_text_addf(out, "    %s %s;\n", s->type, s->name);
    }
}

static void results(struct cuda_asm *a, struct text *out)
{
    const struct cuda_slot *value = returned(a);
    for (uint32_t i = 0; i < a->slots.len; i++)
        if (is_output(&a->slots.at[i]) && is_predicate(&a->slots.at[i]) && &a->slots.at[i] != value)
            tw_text_addf(out, "    %s = %s_word != 0;\n", a->slots.at[i].name, a->slots.at[i].name);
    if (value != NULL)
        tw_text_addf(out, is_predicate(value) ? "    return %s_word != 0;\n" : "    return %s;\n", value->name);
}

static const char *body(struct cuda_asm *a)
{
    struct text out;
    tw_text_init(&out, a->em->arena);
    tw_text_add(&out, "\n{\n");
    declarations(a, &out);
    assembly(a, &out);
    results(a, &out);
    tw_text_add(&out, "}\n");
    return out.at;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

const char *tw_cuda_asm_finish(struct cuda_asm *a, const char *mnemonic)
{
    struct cuda_emitter *em = a->em;
    struct text head;
    number_names(a);
    const char *base = function_base(a, mnemonic), *types = parameter_types(a);
    const struct cuda_slot *value = returned(a);
    tw_text_init(&head, em->arena);
    template_head(a, &head);
    const size_t line_start = head.len;
    tw_text_addf(&head, "static __device__ __forceinline__ %s ", value == NULL ? "void" : value->type);
    const char *tail = tw_format(em->arena, "%s%s", parameter_list(a, (uint32_t)(head.len - line_start + strlen(base))),
                                 body(a));
    bool overloads = true;
    const char *name = NULL;
    for (uint32_t i = 0; i < em->wrappers.len; i++) {
        const struct cuda_wrapper *w = &em->wrappers.at[i];
        if (!same_text(w->base, base))
            continue;
        if (same_text(w->head, head.at) && same_text(w->tail, tail))
            return w->name;
        overloads = overloads && !same_text(w->params, types);
        name = name == NULL ? w->name : name;
    }
    if (name == NULL || !overloads)
        name = tw_cuda_identifier(em, base);
    *vec_push(em->arena, &em->wrappers) = (struct cuda_wrapper){base, name, types, head.at, tail};
    return name;
}

/* ---- instructions that are expressions ------------------------------------------------------------------------- */

static const char *pure_type(struct ir_type t)
{
    return tw_cuda_register_type(t, t.cls == IR_SINT);
}

struct cx tw_cuda_pure(struct cuda_emitter *em, const char *spelling, struct ir_type to, const struct ir_type *from,
                       const struct cx *in, size_t count)
{
    static const char *const names[] = {"a", "b", "c"};
    struct cuda_asm a = {.em = em, .is_pure = true};
    struct text args;
    assert(count <= 3);
    tw_text_init(&args, em->arena);
    tw_cuda_asm_text(&a, tw_format(em->arena, "%s ", spelling));
    tw_cuda_asm_slot(&a, (struct cuda_slot){CUDA_OUT, pure_type(to), "d"});
    for (size_t i = 0; i < count; i++) {
        const char *type = pure_type(from[i]);
        tw_cuda_asm_text(&a, ", ");
        tw_cuda_asm_slot(&a, (struct cuda_slot){CUDA_IN, type, names[i]});
        const struct cx x = same_text(type, tw_cuda_plain_type(from[i])) ? in[i] : tw_cuda_as(em, type, in[i]);
        tw_text_addf(&args, "%s%s", i == 0 ? "" : ", ", x.text);
    }
    const char *function = tw_cuda_asm_finish(&a, spelling);
    const struct cx call = tw_cuda_primary(em, "%s(%s)", function, args.at);
    return same_text(pure_type(to), tw_cuda_plain_type(to)) ? call : tw_cuda_as(em, tw_cuda_type(em, to), call);
}

struct cx tw_cuda_special(struct cuda_emitter *em, const char *name)
{
    struct cuda_asm a = {.em = em, .is_pure = true};
    tw_cuda_asm_text(&a, "mov.u32 ");
    tw_cuda_asm_slot(&a, (struct cuda_slot){CUDA_OUT, "int", "d"});
    tw_cuda_asm_text(&a, tw_format(em->arena, ", %%%s", name));
    return tw_cuda_primary(em, "%s()", tw_cuda_asm_finish(&a, name + 1));
}
