/* Mutations of PTX. A statement is what stands between two of ';', '{', '}' and line ends: near enough, and cheap. */
#include "fuzz/draw.h"
#include "fuzz/edit.h"

#include "fuzz/target.h"

#include <stdlib.h>
#include <string.h>

enum { LONG_BYTES = 260 }; /* a kernel with four or five statements and what they need */

static bool ends_statement(char c)
{
    return c == ';' || c == '{' || c == '}' || c == '\n';
}

static bool in_statement(char c)
{
    return !ends_statement(c);
}

/* A statement with the ';' behind it. */
static struct range any_statement(struct edit *e)
{
    struct range r = edit_find(e, in_statement);
    if (r.to < e->len && e->at[r.to] == ';')
        r.to++;
    return r;
}

/* Where a statement may begin. Half of the time behind the first half: the beginning is declarations. */
static size_t any_boundary(struct edit *e)
{
    size_t at = roll(&e->dice, (uint32_t)e->len + 1);
    if (roll(&e->dice, 2) == 0)
        at = e->len / 2 + at / 2;
    while (at < e->len && (at == 0 || !ends_statement(e->at[at - 1])))
        at++;
    while (at == e->len && at > 0 && e->at[at - 1] != ';' && roll(&e->dice, 64) != 0)
        for (at--; at > 0 && e->at[at - 1] != ';'; at--)
            continue;
    return at;
}

static void delete_statements(struct edit *e)
{
    for (uint32_t i = roll(&e->dice, 3) + 1; i > 0; i--)
        edit_replace(e, any_statement(e), STR(""));
}

/* The statement's text, kept while the input changes. */
static void keep(struct edit *e, struct range r)
{
    tw_text_add_str(&e->drawn, (struct str){e->at + r.from, r.to - r.from});
}

static void insert(struct edit *e)
{
    const size_t at = any_boundary(e);
    edit_replace(e, (struct range){at, at}, edit_drawn(e));
}

static void double_statement(struct edit *e)
{
    keep(e, any_statement(e));
    insert(e);
}

static void move_statement(struct edit *e)
{
    const struct range r = any_statement(e);
    keep(e, r);
    edit_replace(e, r, STR(""));
    insert(e);
}

static void insert_statement(struct edit *e)
{
    fuzz_draw_statement(e->isa, &e->dice, &e->drawn);
    insert(e);
}

static void replace_statement(struct edit *e)
{
    const struct range r = any_statement(e);
    fuzz_draw_statement(e->isa, &e->dice, &e->drawn);
    edit_replace(e, r, edit_drawn(e));
}

static void insert_phrase(struct edit *e)
{
    tw_text_add(&e->drawn, fuzz_draw_phrase(&e->dice));
    insert(e);
}

static void insert_header(struct edit *e)
{
    const char *const line = fuzz_draw_header(&e->dice);
    const size_t word = strcspn(line, " ");
    tw_text_addf(&e->drawn, "%s\n", line);
    /* In the place of its like, if there is one: a module has one version, one target. */
    for (size_t i = 0; i + word < e->len; i++)
        if (memcmp(e->at + i, line, word) == 0) {
            size_t to = i;
            while (to < e->len && in_statement(e->at[to]))
                to++;
            edit_replace(e, (struct range){i, to}, (struct str){line, strlen(line)});
            return;
        }
    insert(e);
}

static bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '%' || c == '$' || c == '.' || c == ':';
}

/* The mnemonic of a statement: its first word behind guard and label. */
static struct range mnemonic_of(const struct edit *e, struct range r)
{
    while (r.from < r.to && (e->at[r.from] == ' ' || e->at[r.from] == '\t'))
        r.from++;
    if (r.from < r.to && e->at[r.from] == '@') {
        while (r.from < r.to && e->at[r.from] != ' ')
            r.from++;
        while (r.from < r.to && e->at[r.from] == ' ')
            r.from++;
    }
    struct range word = {r.from, r.from};
    while (word.to < r.to && in_word(e->at[word.to]))
        word.to++;
    return word;
}

static void change_modifier(struct edit *e)
{
    const struct range word = mnemonic_of(e, any_statement(e));
    fuzz_redraw_modifier(e->isa, &e->dice, (struct str){e->at + word.from, word.to - word.from}, &e->drawn);
    if (e->drawn.len != 0)
        edit_replace(e, word, edit_drawn(e));
}

static void change_operand(struct edit *e)
{
    const struct range statement = any_statement(e);
    const struct range mnemonic = mnemonic_of(e, statement);
    struct range r = {mnemonic.to, mnemonic.to};
    for (uint32_t skip = roll(&e->dice, 4) + 1; skip > 0 && r.to < statement.to; skip--) {
        for (r.from = r.to; r.from < statement.to && !in_word(e->at[r.from]); r.from++)
            continue;
        for (r.to = r.from; r.to < statement.to && in_word(e->at[r.to]); r.to++)
            continue;
    }
    if (r.to == r.from)
        return;
    /* Mostly another register of its kind: those are legal. */
    if (e->at[r.from] == '%' && r.to - r.from >= 3 && roll(&e->dice, 4) != 0)
        tw_text_addf(&e->drawn, "%.*s%u", 2, e->at + r.from, roll(&e->dice, 8));
    else
        fuzz_draw_any_operand(&e->dice, &e->drawn);
    edit_replace(e, r, edit_drawn(e));
}

static void guard_statement(struct edit *e)
{
    const size_t at = any_boundary(e);
    tw_text_addf(&e->drawn, "@%s%%p%u ", roll(&e->dice, 2) == 0 ? "!" : "", roll(&e->dice, 4));
    edit_replace(e, (struct range){at, at}, edit_drawn(e));
}

static void start_afresh(struct edit *e)
{
    fuzz_fresh_module(e->isa, &e->dice, &e->drawn);
    edit_replace(e, (struct range){0, e->len}, edit_drawn(e));
}

/* An input that is no module yet becomes one. */
static bool is_module(const struct edit *e)
{
    return e->len >= 8 && memcmp(e->at, ".version", 8) == 0;
}

size_t fuzz_mutate_ptx(uint8_t *bytes, size_t len, size_t room, uint64_t seed, fuzz_bytes_fn *plain)
{
    static mutation *const list[] = {
        insert_statement, insert_statement, insert_statement, replace_statement, replace_statement, insert_phrase, insert_phrase, insert_phrase, delete_statements,
        delete_statements, double_statement, move_statement, change_modifier, change_modifier, change_modifier, change_operand, change_operand, change_operand,
        change_operand, edit_number, edit_number, guard_statement, insert_header, edit_bytes,
    };
    struct landing landing;
    struct arena arena;
    if (setjmp(landing.at) != 0)
        abort();
    tw_arena_init(&arena, &landing, 0);
    struct edit e = {.at = (char *)bytes, .len = len, .room = room, .dice = {seed}, .isa = fuzz_tables(), .plain = plain};
    e.drawn.arena = &arena;
    if ((!is_module(&e) && roll(&e.dice, 2) == 0) || roll(&e.dice, 32) == 0) {
        tw_text_init(&e.drawn, &arena);
        start_afresh(&e);
    }
    /* Small inputs run fast. */
    if (e.len > LONG_BYTES && roll(&e.dice, 3) == 0)
        delete_statements(&e);
    const size_t changed = edit_run(&e, list, sizeof list / sizeof list[0]);
    tw_arena_release(&arena);
    return changed;
}
