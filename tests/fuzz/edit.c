#include "fuzz/edit.h"

#include "fuzz/draw.h"

#include <string.h>

void edit_replace(struct edit *e, struct range r, struct str text)
{
    if (e->len - (r.to - r.from) + text.len > e->room)
        return;
    memmove(e->at + r.from + text.len, e->at + r.to, e->len - r.to);
    if (text.len != 0)
        memcpy(e->at + r.from, text.at, text.len);
    e->len = e->len - (r.to - r.from) + text.len;
}

struct range edit_find(struct edit *e, bool (*in)(char c))
{
    size_t at = roll(&e->dice, (uint32_t)e->len);
    while (at < e->len && !in(e->at[at]))
        at++;
    struct range r = {at, at};
    if (at == e->len)
        return r;
    while (r.from > 0 && in(e->at[r.from - 1]))
        r.from--;
    while (r.to < e->len && in(e->at[r.to]))
        r.to++;
    return r;
}

size_t edit_run(const struct edit *start, mutation *const *list, uint32_t count)
{
    struct edit e = *start;
    for (uint32_t i = roll(&e.dice, 8) < 5 ? 1 : roll(&e.dice, 4) + 1; i > 0; i--) {
        tw_text_init(&e.drawn, start->drawn.arena);
        list[roll(&e.dice, count)](&e);
    }
    return e.len;
}

void edit_bytes(struct edit *e)
{
    if (e->plain != NULL)
        e->len = e->plain((uint8_t *)e->at, e->len, e->room);
}

static bool is_number(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == 'x';
}

void edit_number(struct edit *e)
{
    const struct range r = edit_find(e, is_number);
    /* The length of an array or a range is seldom large: most such inputs would do nothing but fill memory. */
    if (r.to < e->len && (e->at[r.to] == ']' || e->at[r.to] == '>') && roll(&e->dice, 16) != 0)
        tw_text_addf(&e->drawn, "%u", roll(&e->dice, 130));
    else
        fuzz_draw_number(&e->dice, &e->drawn);
    if (r.to > r.from)
        edit_replace(e, r, edit_drawn(e));
}
