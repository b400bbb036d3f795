/* Targets, and the legality rows of isa_legal.def: what a combination needs and what goes not together. */
#include "isa/isa_catalogue.h"

#include "base/limits.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

bool tw_isa_target_parse(struct str text, struct isa_target *out)
{
    if (text.len < 5 || text.len > 7 || memcmp(text.at, "sm_", 3) != 0)
        return false;
    struct isa_target t = {0, 0};
    size_t i = 3;
    for (; i < text.len && text.at[i] >= '0' && text.at[i] <= '9'; i++)
        t.sm = (uint16_t)(t.sm * 10 + (text.at[i] - '0'));
    if (i < text.len)
        t.suffix = text.at[i++];
    if (i != text.len || t.sm < 10 || (t.suffix != 0 && t.suffix != 'a' && t.suffix != 'f'))
        return false;
    *out = t;
    return true;
}

/* A family is a major number; sm_101 is the old name of sm_110.
 * SOURCE: PTX ISA, ".target", family-specific targets. */
static unsigned modern(unsigned sm)
{
    return sm == 101 ? 110 : sm;
}

static bool admits(struct isa_target listed, struct isa_target target)
{
    unsigned want = modern(listed.sm), have = modern(target.sm);
    if (listed.suffix == 'a')
        return target.suffix == 'a' && have == want;
    if (listed.suffix == 'f')
        return target.suffix != 0 && have / 10 == want / 10 && have >= want;
    return have >= want;
}

bool tw_isa_target_runs_on(struct isa_target target, unsigned sm)
{
    return admits(target, (struct isa_target){(uint16_t)sm, 'a'});
}

/* SOURCE: CUDA, technical specifications: shared memory of a block with opt-in. */
uint32_t tw_isa_shared_limit(unsigned sm)
{
    static const struct { uint16_t sm, kib; } rows[] = {{80, 163}, {86, 99}, {87, 163}, {88, 163}, {89, 99}, {120, 99}, {121, 99}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].sm == sm)
            return (uint32_t)rows[i].kib << 10;
    return sm >= 90 ? TW_SHARED_CTA_BYTES : TW_SHARED_STATIC_BYTES;
}

/* MEASURED: ptxas 13.0, "uses too much shared data". */
uint32_t tw_isa_static_shared_limit(unsigned sm)
{
    return sm < 90 ? TW_SHARED_STATIC_BYTES : tw_isa_shared_limit(sm);
}

/* SOURCE: CUDA, technical specifications: resident blocks and warps of a multiprocessor.
 * MEASURED: ptxas 13.0 ignores a `.minnctapersm` above them, and counts the last warp of a CTA whole. */
static void places_of(unsigned sm, uint32_t *ctas, uint32_t *warps)
{
    static const struct { uint16_t sm, ctas, warps; } rows[] = {
        {75, 16, 32}, {86, 16, 48}, {87, 16, 48}, {88, 16, 48}, {89, 24, 48}, {101, 24, 48}, {110, 24, 48}, {120, 24, 48}, {121, 24, 48}};
    *ctas = TW_MAX_SM_CTAS;
    *warps = 64;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].sm != sm)
            continue;
        *ctas = rows[i].ctas;
        *warps = rows[i].warps;
    }
}

uint32_t tw_isa_warps_per_sm(unsigned sm)
{
    uint32_t ctas, warps;
    places_of(sm, &ctas, &warps);
    return warps;
}

uint32_t tw_isa_ctas_per_sm(unsigned sm, uint32_t cta_threads)
{
    uint32_t ctas, warps;
    places_of(sm, &ctas, &warps);
    const uint32_t cta_warps = (cta_threads + TW_WARP_LANES - 1) / TW_WARP_LANES;
    return cta_warps == 0 || warps / cta_warps > ctas ? ctas : warps / cta_warps;
}

bool tw_isa_target_in(struct isa_target target, const char *targets)
{
    while (*targets != '\0') {
        size_t len = strcspn(targets, "|");
        struct isa_target listed;
        if (tw_isa_target_parse((struct str){targets, len}, &listed) && admits(listed, target))
            return true;
        targets += len + (targets[len] == '|');
    }
    return false;
}

/* ---- Modifiers as a set --------------------------------------------------------------------------- */

/* A spelling has up to sixteen modifiers, a row up to twelve conditions, an opcode up to a hundred rows. */
struct mod_set {
    uint64_t words[MOD_COUNT / 64 + 1];
    unsigned shape; /* no pattern has two; 0: none */
};

static struct mod_set mods_of(const struct isa_spelling *s)
{
    struct mod_set set = {.shape = 0};
    for (unsigned i = 0; i < s->form->elem_count; i++)
        if (isa_is_shape(s->mods[i]))
            set.shape = s->mods[i];
        else
            set.words[s->mods[i] / 64] |= UINT64_C(1) << s->mods[i] % 64;
    return set;
}

static bool has_mod(const struct mod_set *set, unsigned mod)
{
    if (isa_is_shape(mod))
        return mod == ISA_SHAPE_FLAG ? set->shape != 0 : set->shape == mod;
    return (set->words[mod / 64] >> mod % 64 & 1) != 0;
}

/* What the conditions of a row are asked of. */
struct subject {
    const struct isa_spelling *spelling;
    struct isa_presence operands;
    struct mod_set mods;
};

/* Two slots may share alternatives, so "a modifier is written" does not say in which of them. */
static bool slot_holds(const struct isa_cond *c, const struct isa_spelling *s)
{
    const unsigned mod = isa_spelling_mod(s, (enum isa_slot)c->value);
    for (unsigned i = 0; i < c->alt_count; i++)
        if (c->alts[i] == mod)
            return true;
    return c->alt_count == 0 && mod != MOD_NONE;
}

static bool cond_holds(const struct isa_cond *c, const struct subject *s)
{
    bool holds;
    if (c->kind == COND_MOD) {
        holds = has_mod(&s->mods, c->value);
    } else if (c->kind == COND_SLOT) {
        holds = slot_holds(c, s->spelling);
    } else {
        const int at = s->spelling->form->operand_of[c->value];
        if (!s->operands.known && at >= 0)
            return false;
        const uint32_t set = c->kind == COND_ROLE ? s->operands.present : s->operands.addresses;
        holds = at >= 0 && (set >> at & 1u) != 0;
    }
    return holds != c->negated;
}

/* ---- Which rows name an opcode ------------------------------------------------------------------- */

static void add_row(struct isa *isa, struct isa_head *h, uint16_t row)
{
    if (h->legal.len == 0 || h->legal.at[h->legal.len - 1] != row)
        *vec_push(isa->arena, &h->legal) = row;
}

/* `name`: an opcode, or with '*' behind what opcodes begin with. */
static void add_row_by_name(struct isa *isa, struct str name, uint16_t row)
{
    if (name.at[name.len - 1] != '*') {
        const uint32_t *const head = tw_strmap_get(&isa->heads, name);
        if (head != NULL)
            add_row(isa, &isa->heads_list.at[*head], row);
        return;
    }
    for (uint32_t h = 0; h < isa->heads_list.len; h++)
        if (strncmp(isa->heads_list.at[h].opcode, name.at, name.len - 1) == 0)
            add_row(isa, &isa->heads_list.at[h], row);
}

static void parse_targets(struct isa *isa, struct isa_legal *l)
{
    struct isa_target list[16];
    for (const char *at = l->targets; at != NULL && *at != '\0';) {
        const size_t len = strcspn(at, "|");
        assert(l->target_count < sizeof list / sizeof list[0]);
        const bool known = tw_isa_target_parse((struct str){at, len}, &list[l->target_count++]);
        assert(known && "a row names an unknown target");
        (void)known;
        at += len + (at[len] == '|');
    }
    struct isa_target *const kept = arena_new(isa->arena, struct isa_target, l->target_count);
    memcpy(kept, list, l->target_count * sizeof *list);
    l->target_list = kept;
}

void tw_isa_legal_index(struct isa *isa, struct isa_form *forms)
{
    for (uint32_t i = 0; i < isa->legal_count; i++) {
        parse_targets(isa, &isa->legal[i]);
        for (const char *at = isa->legal[i].opcodes; *at != '\0';) {
            const size_t len = strcspn(at, "|");
            add_row_by_name(isa, (struct str){at, len}, (uint16_t)i);
            at += len + (at[len] == '|');
        }
    }
    for (uint32_t h = 0; h < isa->heads_list.len; h++) {
        const struct isa_head *const head = &isa->heads_list.at[h];
        for (unsigned i = 0; i < head->count; i++) {
            struct isa_form *const f = &forms[isa->head_forms[head->first + i]];
            f->legal = head->legal.at;
            f->legal_count = head->legal.len;
        }
    }
}

/* ---- Whether they hold ---------------------------------------------------------------------------- */

static bool row_applies(const struct isa_legal *l, const struct subject *s)
{
    for (unsigned i = 0; i < l->cond_count; i++)
        if (!cond_holds(&l->conds[i], s))
            return false;
    return true;
}

const char *tw_isa_forbidden(const struct isa *isa, const struct isa_spelling *s, struct isa_presence operands)
{
    const struct subject subject = {s, operands, mods_of(s)};
    for (uint32_t i = 0; i < s->form->legal_count; i++) {
        const struct isa_legal *l = &isa->legal[s->form->legal[i]];
        if (l->words != NULL && row_applies(l, &subject))
            return l->words;
    }
    return NULL;
}

static bool met(const struct isa_legal *l, const struct isa_env *env)
{
    if (env->ptx < l->ptx)
        return false;
    for (unsigned i = 0; i < l->target_count; i++)
        if (admits(l->target_list[i], env->target))
            return true;
    return l->targets == NULL;
}

static const char *lacking(const char *who, unsigned ptx, const char *targets, const struct isa_env *env,
                           struct arena *arena)
{
    if (env->ptx < ptx)
        return tw_format(arena, "%s needs PTX %u.%u or later", who, ptx / 10, ptx % 10);
    if (targets == NULL || tw_isa_target_in(env->target, targets))
        return NULL;
    struct text words;
    tw_text_init(&words, arena);
    tw_text_addf(&words, "%s needs target ", who);
    for (const char *at = targets; *at != '\0';) {
        size_t len = strcspn(at, "|");
        struct isa_target t = {0, 0};
        tw_isa_target_parse((struct str){at, len}, &t);
        tw_text_addf(&words, "%s%.*s%s", at == targets ? "" : ", ", (int)len, at,
                     t.suffix == 0 ? " or later" : t.suffix == 'f' ? " or its family" : "");
        at += len + (at[len] == '|');
    }
    return words.at;
}

/* What a requirement is about: its own conditions, as one would write them. */
static const char *who_needs(const struct isa_legal *l, const struct isa_spelling *s, struct arena *arena)
{
    struct text words;
    char buffer[16];
    tw_text_init(&words, arena);
    tw_text_add(&words, s->form->opcode);
    for (unsigned i = 0; i < l->cond_count; i++) {
        const struct isa_cond *c = &l->conds[i];
        if (c->negated)
            continue;
        if (c->kind == COND_MOD && c->value != ISA_SHAPE_FLAG)
            tw_text_addf(&words, ".%s", tw_isa_mod_text(c->value, buffer));
        else if (c->kind == COND_SLOT)
            tw_text_addf(&words, ".%s", tw_isa_mod_text(isa_spelling_mod(s, (enum isa_slot)c->value), buffer));
        else if (c->kind == COND_ROLE)
            tw_text_addf(&words, " with its %s", tw_isa_role_what((enum isa_role)c->value));
    }
    return words.at;
}

const char *tw_isa_unavailable(const struct isa *isa, const struct isa_spelling *s, struct isa_presence operands,
                               const struct isa_env *env, struct arena *arena)
{
    const char *why = lacking(s->form->opcode, s->form->ptx, s->form->targets, env, arena);
    const struct subject subject = {s, operands, mods_of(s)};
    for (uint32_t i = 0; i < s->form->legal_count && why == NULL; i++) {
        const struct isa_legal *l = &isa->legal[s->form->legal[i]];
        if (l->words == NULL && !met(l, env) && row_applies(l, &subject))
            why = lacking(who_needs(l, s, arena), l->ptx, l->targets, env, arena);
    }
    return why;
}
