#include "base/text.h"

#include <stdio.h>
#include <string.h>

void tw_text_init(struct text *t, struct arena *arena)
{
    *t = (struct text){.arena = arena};
    t->cap = 64;
    t->at = arena_new(arena, char, t->cap);
}

static void reserve(struct text *t, size_t more)
{
    if (t->len + more < t->cap)
        return;
    size_t cap = t->cap;
    while (cap <= t->len + more)
        cap *= 2;
    char *grown = arena_new(t->arena, char, cap);
    memcpy(grown, t->at, t->len);
    t->at = grown;
    t->cap = cap;
}

void tw_text_put(struct text *t, char c)
{
    reserve(t, 1);
    t->at[t->len++] = c;
    t->at[t->len] = '\0';
}

void tw_text_add_str(struct text *t, struct str s)
{
    reserve(t, s.len);
    if (s.len != 0)
        memcpy(t->at + t->len, s.at, s.len);
    t->len += s.len;
    t->at[t->len] = '\0';
}

void tw_text_add(struct text *t, const char *s)
{
    tw_text_add_str(t, tw_str(s));
}

void tw_text_pad(struct text *t, char c, size_t count)
{
    reserve(t, count);
    memset(t->at + t->len, c, count);
    t->len += count;
    t->at[t->len] = '\0';
}

/* Written where it goes; a second time when there was no room for it. */
void tw_text_addv(struct text *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const size_t room = t->cap - t->len;
    const int len = vsnprintf(t->at + t->len, room, format, args);
    if (len > 0 && (size_t)len >= room) {
        t->at[t->len] = '\0';
        reserve(t, (size_t)len);
        vsnprintf(t->at + t->len, (size_t)len + 1, format, again);
    }
    t->len += len > 0 ? (size_t)len : 0;
    va_end(again);
}

void tw_text_addf(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tw_text_addv(t, format, args);
    va_end(args);
}

void tw_text_add_json(struct text *t, struct str s)
{
    tw_text_put(t, '"');
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.at[i];
        if (c == '"' || c == '\\')
            tw_text_addf(t, "\\%c", c);
        else if (c == '\n')
            tw_text_add(t, "\\n");
        else if (c < 0x20 || c == 0x7f)
            tw_text_addf(t, "\\u%04x", c);
        else
            tw_text_put(t, (char)c);
    }
    tw_text_put(t, '"');
}

char *tw_formatv(struct arena *arena, const char *format, va_list args)
{
    struct text t;
    tw_text_init(&t, arena);
    tw_text_addv(&t, format, args);
    return t.at;
}

char *tw_format(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *made = tw_formatv(arena, format, args);
    va_end(args);
    return made;
}
