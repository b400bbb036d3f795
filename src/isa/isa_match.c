/* From a mnemonic to forms. The opcode is the longest prefix that some form bears; the modifiers
 * behind it are matched against each form of that opcode as a set: every modifier goes to the first
 * free slot, in the order of the pattern, that takes it. */
#include "isa/isa_catalogue.h"

#include "base/text.h"

#include <assert.h>
#include <string.h>

enum { MAX_TOKENS = 32, MAX_HEAD_TOKENS = 6 };

struct tokens {
    struct str text[MAX_TOKENS];
    unsigned mod[MAX_TOKENS];
    unsigned count;
    bool overflow;
};

unsigned tw_isa_shape_parse(struct str text)
{
    unsigned v[3] = {0, 0, 0};
    static const char letters[] = "mnk";
    size_t at = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (at >= text.len || text.at[at] != letters[i])
            return 0;
        size_t from = ++at;
        while (at < text.len && text.at[at] >= '0' && text.at[at] <= '9' && at - from < 4)
            v[i] = v[i] * 10 + (unsigned)(text.at[at++] - '0');
        if (at == from || text.at[from] == '0')
            return 0;
    }
    bool known_m = v[0] == 8 || v[0] == 16 || v[0] == 32 || v[0] == 64;
    if (at != text.len || !known_m || v[1] % 4 != 0 || v[1] > 508 || (v[2] & (v[2] - 1)) != 0 || v[2] > 0x8000)
        return 0;
    unsigned log_m = 0, log_k = 0;
    while (8u << log_m < v[0])
        log_m++;
    while (1u << log_k < v[2])
        log_k++;
    return ISA_SHAPE_FLAG | log_m << 11 | v[1] / 4 << 4 | log_k;
}

unsigned tw_isa_mod_find(const struct isa *isa, struct str text)
{
    const uint32_t *mod = tw_strmap_get(&isa->mods, text);
    return mod != NULL ? *mod : tw_isa_shape_parse(text);
}

static const char *put_number(char *at, char letter, unsigned n, char **end)
{
    *at++ = letter;
    char digits[8];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + n % 10);
    while ((n /= 10) != 0);
    while (count > 0)
        *at++ = digits[--count];
    *at = '\0';
    *end = at;
    return at;
}

const char *tw_isa_mod_text(unsigned mod, char *buffer)
{
    if (!isa_is_shape(mod))
        return tw_isa_mods[mod].text;
    char *at = buffer;
    put_number(at, 'm', isa_shape_m(mod), &at);
    put_number(at, 'n', isa_shape_n(mod), &at);
    put_number(at, 'k', isa_shape_k(mod), &at);
    return buffer;
}

static struct tokens split(const struct isa *isa, struct str mnemonic)
{
    struct tokens t = {.count = 0};
    size_t from = 0;
    for (size_t i = 0; i <= mnemonic.len; i++) {
        if (i < mnemonic.len && mnemonic.at[i] != '.')
            continue;
        if (t.count == MAX_TOKENS) {
            t.overflow = true;
            break;
        }
        t.text[t.count] = (struct str){mnemonic.at + from, i - from};
        t.mod[t.count] = t.count == 0 ? MOD_NONE : tw_isa_mod_find(isa, t.text[t.count]);
        t.count++;
        from = i + 1;
    }
    return t;
}

/* The head made of the first `n` tokens, or NULL. */
static const struct isa_head *head_of(const struct isa *isa, struct str mnemonic, const struct tokens *t, unsigned n)
{
    const struct str *last = &t->text[n - 1];
    struct str opcode = {mnemonic.at, (size_t)(last->at + last->len - mnemonic.at)};
    const uint32_t *index = tw_strmap_get(&isa->heads, opcode);
    return index != NULL ? &isa->heads_list.at[*index] : NULL;
}

static bool elem_takes(const struct isa_elem *e, unsigned mod)
{
    for (unsigned i = 0; i < e->alt_count; i++)
        if (e->alts[i] == mod || (e->alts[i] == ISA_SHAPE_FLAG && isa_is_shape(mod)))
            return true;
    return false;
}

/* How far a form came: the first modifier that it does not take, and the first slot left empty. */
struct attempt {
    unsigned taken;   /* modifiers placed */
    int refused;      /* token, or -1 */
    int missing;      /* element, or -1 */
    uint16_t mods[ISA_MAX_MODS];
};

/* Types keep their order: that of the destination stands before those of the sources, and .b8x16 before the format
 * that it is made from. */
static bool is_ordered(unsigned mod)
{
    return isa_is_type(mod) || mod == MOD_B8X16 || mod == MOD_B6X16_P32 || mod == MOD_B4X16_P64;
}

static int free_elem(const struct isa_form *f, const struct attempt *a, unsigned mod)
{
    unsigned first = 0;
    for (unsigned e = 0; e < f->elem_count && is_ordered(mod); e++)
        if (is_ordered(a->mods[e]))
            first = e + 1;
    for (unsigned e = first; e < f->elem_count; e++)
        if (a->mods[e] == MOD_NONE && elem_takes(&f->elems[e], mod))
            return (int)e;
    return -1;
}

static struct attempt try_form(const struct isa_form *f, const struct tokens *t, unsigned head)
{
    struct attempt a = {.refused = -1, .missing = -1};
    for (unsigned i = head; i < t->count; i++) {
        int e = t->mod[i] == MOD_NONE ? -1 : free_elem(f, &a, t->mod[i]);
        if (e >= 0) {
            a.mods[e] = (uint16_t)t->mod[i];
            a.taken++;
        } else if (a.refused < 0) {
            a.refused = (int)i;
        }
    }
    for (unsigned e = 0; e < f->elem_count && a.missing < 0; e++)
        if (!f->elems[e].optional && a.mods[e] == MOD_NONE)
            a.missing = (int)e;
    return a;
}

struct near {
    const struct isa_form *form;
    struct attempt attempt;
    unsigned head;
    const char *rule;
};

/* The attempt that understands more of the mnemonic; a longer opcode counts as well as its modifiers do. */
static bool better(const struct attempt *a, unsigned head, const struct near *than)
{
    if (than->form == NULL)
        return true;
    int a_ok = a->refused < 0, b_ok = than->attempt.refused < 0;
    if (a->taken + head != than->attempt.taken + than->head)
        return a->taken + head > than->attempt.taken + than->head;
    if (head != than->head)
        return head > than->head;
    return a_ok != b_ok ? a_ok > b_ok : (a->missing < 0) > (than->attempt.missing < 0);
}

static const char *broken_rule(const struct isa *isa, const struct isa_spelling *s)
{
    const char *words = tw_isa_rule(s->form->rule, s);
    return words != NULL ? words : tw_isa_forbidden(isa, s, (struct isa_presence){0});
}

static void match_head(const struct isa *isa, struct arena *arena, const struct tokens *t, unsigned head_tokens,
                       const struct isa_head *head, struct isa_match *out, struct near *near)
{
    for (unsigned i = 0; i < head->count; i++) {
        const struct isa_form *f = &isa->forms[isa->head_forms[head->first + i]];
        struct attempt a = try_form(f, t, head_tokens);
        bool complete = a.refused < 0 && a.missing < 0;
        const char *rule = complete ? broken_rule(isa, &(struct isa_spelling){f, a.mods}) : NULL;
        if (!complete || rule != NULL) {
            if (better(&a, head_tokens, near))
                *near = (struct near){f, a, head_tokens, rule};
            continue;
        }
        if (out->count == ISA_MAX_CANDIDATES)
            continue;
        uint16_t *mods = arena_new(arena, uint16_t, f->elem_count);
        memcpy(mods, a.mods, f->elem_count * sizeof *mods);
        out->candidates[out->count++] = (struct isa_spelling){f, mods};
    }
}

static void list_alternatives(const struct isa_elem *e, struct text *out)
{
    char buffer[16];
    for (unsigned i = 0; i < e->alt_count; i++) {
        if (i > 0)
            tw_text_add(out, i + 1 == e->alt_count ? " or " : ", ");
        tw_text_put(out, '.');
        tw_text_add(out, e->alts[i] == ISA_SHAPE_FLAG ? "m16n8k16 (a matrix shape)"
                                                      : tw_isa_mod_text(e->alts[i], buffer));
    }
}

const char *tw_isa_mod_nearest(const struct isa *isa, struct str text)
{
    uint32_t best = text.len < 5 ? 2 : 3;
    const char *nearest = NULL;
    for (uint32_t i = 0; i < isa->mods.entries.len; i++) {
        const struct strmap_entry *e = &isa->mods.entries.at[i];
        if ((text.len > e->key_len ? text.len - e->key_len : e->key_len - text.len) >= best)
            continue; /* each character too many is an edit */
        uint32_t d = tw_str_distance(text, (struct str){e->key, e->key_len});
        if (d < best) {
            best = d;
            nearest = e->key;
        }
    }
    return nearest;
}

/* Nearest modifier that the form still takes; any near one failing that. */
static const char *nearest_for(const struct isa *isa, const struct near *near, struct str text)
{
    uint32_t best = text.len < 5 ? 2 : 4;
    const char *nearest = NULL;
    for (unsigned e = 0; e < near->form->elem_count; e++) {
        const struct isa_elem *elem = &near->form->elems[e];
        for (unsigned i = 0; i < elem->alt_count; i++) {
            if (elem->alts[i] == ISA_SHAPE_FLAG)
                continue;
            const char *name = tw_isa_mods[elem->alts[i]].text;
            uint32_t d = tw_str_distance(text, tw_str(name));
            if (d < best) {
                best = d;
                nearest = name;
            }
        }
    }
    return nearest != NULL ? nearest : tw_isa_mod_nearest(isa, text);
}

static struct str first_word(const char *opcode)
{
    size_t len = strcspn(opcode, ".");
    return (struct str){opcode, len};
}

/* The family exists: its nearest member, by as much of the mnemonic as the member has. */
static void report_member(const struct isa *isa, const struct tokens *t, struct isa_match *out)
{
    struct str last = t->text[t->count - 1], whole = {t->text[0].at, (size_t)(last.at + last.len - t->text[0].at)};
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < isa->heads_list.len; i++) {
        struct str opcode = tw_str(isa->heads_list.at[i].opcode);
        if (!tw_str_eq(first_word(opcode.at), t->text[0]))
            continue;
        uint32_t d = tw_str_distance((struct str){whole.at, whole.len < opcode.len ? whole.len : opcode.len}, opcode);
        if (d < best) {
            best = d;
            out->nearest = opcode.at;
        }
    }
    if (out->nearest == NULL || t->count < 2)
        return;
    out->token = t->text[1];
    out->token_offset = (uint32_t)(t->text[1].at - t->text[0].at);
}

/* The opcode whose first word is nearest; among those of one family the one that has most of the rest. */
static const char *nearest_opcode(const struct isa *isa, const struct tokens *t)
{
    const struct str whole = {t->text[0].at, (size_t)(t->text[t->count - 1].at + t->text[t->count - 1].len - t->text[0].at)};
    uint32_t best = t->text[0].len < 4 ? 2 : 3, best_rest = UINT32_MAX;
    const char *nearest = NULL;
    for (uint32_t i = 0; i < isa->heads_list.len; i++) {
        const struct str opcode = tw_str(isa->heads_list.at[i].opcode);
        const uint32_t d = tw_str_distance(t->text[0], first_word(opcode.at));
        if (d > best || (d == best && nearest == NULL))
            continue;
        const uint32_t rest = tw_str_distance((struct str){whole.at, whole.len < opcode.len ? whole.len : opcode.len}, opcode);
        if (d == best && rest >= best_rest)
            continue;
        best = d;
        best_rest = rest;
        nearest = opcode.at;
    }
    return nearest;
}

/* The next word of an opcode that begins with what stands in front of token `at`, if it is near that token. */
static const char *nearest_word(const struct isa *isa, struct arena *arena, const struct tokens *t, unsigned at)
{
    const char *const before = tw_arena_copy(arena, t->text[0].at, (size_t)(t->text[at].at - t->text[0].at));
    uint32_t best = t->text[at].len < 5 ? 2 : 3;
    const char *nearest = NULL;
    for (uint32_t i = 0; i < isa->heads_list.len; i++) {
        const char *const opcode = isa->heads_list.at[i].opcode;
        if (!tw_str_starts(tw_str(opcode), before))
            continue;
        const struct str word = first_word(opcode + strlen(before));
        const uint32_t d = tw_str_distance(t->text[at], word);
        if (d < best) {
            best = d;
            nearest = tw_arena_copy(arena, word.at, word.len);
        }
    }
    return nearest;
}

/* The family of an opcode that PTX has and the catalogue has not, or NULL. */
static const char *unsupported(struct str first)
{
    static const struct {
        const char *opcode, *family;
    } rows[] = {
#define TW_UNSUPPORTED(opcode, family) {opcode, family},
#include "isa/isa_unsupported.def"
#undef TW_UNSUPPORTED
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (tw_str_is(first, rows[i].opcode))
            return rows[i].family;
    return NULL;
}

static void report_opcode(const struct isa *isa, const struct tokens *t, struct isa_match *out)
{
    out->status = MATCH_UNKNOWN_OPCODE;
    out->token = t->text[0];
    out->expected = unsupported(t->text[0]);
    if (out->expected != NULL) {
        out->status = MATCH_UNSUPPORTED;
        return;
    }
    report_member(isa, t, out);
    if (out->token.at == t->text[0].at)
        out->nearest = nearest_opcode(isa, t);
}

static void report_refused(const struct isa *isa, struct arena *arena, const struct tokens *t,
                           const struct near *near, struct isa_match *out)
{
    unsigned at = (unsigned)near->attempt.refused;
    out->token = t->text[at];
    out->token_offset = (uint32_t)(t->text[at].at - t->text[0].at);
    out->status = t->mod[at] == MOD_NONE ? MATCH_UNKNOWN_MODIFIER : MATCH_REFUSED_MODIFIER;
    out->nearest = t->mod[at] == MOD_NONE ? nearest_for(isa, near, t->text[at]) : NULL;
    if (t->mod[at] == MOD_NONE && out->nearest == NULL)
        out->nearest = nearest_word(isa, arena, t, at);
    struct text words;
    tw_text_init(&words, arena);
    if (near->attempt.missing >= 0)
        list_alternatives(&near->form->elems[near->attempt.missing], &words);
    else
        tw_text_addf(&words, "%s%s", near->form->opcode, near->form->pattern);
    out->expected = words.at;
}

static const char *slot_or_literal(const struct isa_elem *e)
{
    return e->slot == SLOT_NONE ? "modifier" : tw_isa_slot_what(e->slot);
}

static void report(const struct isa *isa, struct arena *arena, const struct tokens *t, const struct near *near,
                   struct isa_match *out)
{
    out->near_form = near->form;
    out->token = (struct str){t->text[0].at, strlen(near->form->opcode)};
    if (near->attempt.refused >= 0) {
        report_refused(isa, arena, t, near, out);
    } else if (near->attempt.missing >= 0) {
        out->status = MATCH_MISSING_MODIFIER;
        struct text words;
        tw_text_init(&words, arena);
        tw_text_addf(&words, "the %s: ", slot_or_literal(&near->form->elems[near->attempt.missing]));
        list_alternatives(&near->form->elems[near->attempt.missing], &words);
        out->expected = words.at;
    } else {
        out->status = MATCH_RULE;
        out->expected = near->rule;
    }
}

void tw_isa_match(const struct isa *isa, struct arena *arena, struct str mnemonic, struct isa_match *out)
{
    *out = (struct isa_match){.status = MATCH_OK};
    struct tokens t = split(isa, mnemonic);
    struct near near = {.form = NULL};
    unsigned most = t.count < MAX_HEAD_TOKENS ? t.count : MAX_HEAD_TOKENS;
    for (unsigned n = most; n > 0 && out->count == 0; n--) {
        const struct isa_head *head = head_of(isa, mnemonic, &t, n);
        if (head != NULL && !t.overflow)
            match_head(isa, arena, &t, n, head, out, &near);
    }
    if (out->count > 0)
        return;
    if (near.form == NULL)
        report_opcode(isa, &t, out);
    else
        report(isa, arena, &t, &near, out);
}

void tw_isa_spell(const struct isa_spelling *s, struct text *out)
{
    char buffer[16];
    tw_text_add(out, s->form->opcode);
    for (unsigned i = 0; i < s->form->elem_count; i++)
        if (s->mods[i] != MOD_NONE) {
            tw_text_put(out, '.');
            tw_text_add(out, tw_isa_mod_text(s->mods[i], buffer));
        }
}

bool tw_isa_sreg_find(const struct isa *isa, struct str text, enum isa_sreg_id *id, int *component)
{
    static const char parts[] = "xyzw";
    static const char *const colours = "rgba";
    *component = -1;
    const uint32_t *found = tw_strmap_get(&isa->sregs, text);
    if (found == NULL && text.len > 2 && text.at[text.len - 2] == '.') {
        const char *part = strchr(parts, text.at[text.len - 1]);
        if (part == NULL && (part = strchr(colours, text.at[text.len - 1])) != NULL)
            part = parts + (part - colours);
        found = part != NULL ? tw_strmap_get(&isa->sregs, (struct str){text.at, text.len - 2}) : NULL;
        if (found == NULL || tw_isa_sregs[*found].components == 0)
            return false;
        *component = (int)(part - parts);
    }
    if (found == NULL)
        return false;
    *id = (enum isa_sreg_id)*found;
    return true;
}
