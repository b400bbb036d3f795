#include "diag/source.h"

#include <assert.h>

void tw_sources_init(struct sources *s, struct arena *arena)
{
    *s = (struct sources){.arena = arena};
}

uint32_t tw_sources_add(struct sources *s, const char *name, struct str text)
{
    struct src_file *f = vec_push(s->arena, &s->files);
    f->name = tw_arena_copy(s->arena, name, tw_str(name).len);
    f->text = text;
    *vec_push(s->arena, &f->line_starts) = 0;
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] == '\n')
            *vec_push(s->arena, &f->line_starts) = (uint32_t)i + 1;
    return s->files.len;
}

static uint32_t line_of(const struct src_file *f, uint32_t offset)
{
    uint32_t low = 0, high = f->line_starts.len;
    while (high - low > 1) {
        const uint32_t mid = low + (high - low) / 2;
        if (f->line_starts.at[mid] <= offset)
            low = mid;
        else
            high = mid;
    }
    return low;
}

struct src_place tw_sources_place(const struct sources *s, uint32_t file, uint32_t offset)
{
    assert(file != 0 && file <= s->files.len);
    const struct src_file *f = &s->files.at[file - 1];
    const uint32_t line = line_of(f, offset);
    const uint32_t begin = f->line_starts.at[line];
    size_t end = begin;
    if (begin >= f->text.len)
        return (struct src_place){f->name, line + 1, offset - begin + 1, STR("")};
    while (end < f->text.len && f->text.at[end] != '\n' && f->text.at[end] != '\r')
        end++;
    return (struct src_place){f->name, line + 1, offset - begin + 1, {f->text.at + begin, end - begin}};
}

void tw_sources_forget(struct sources *s, uint32_t file)
{
    assert(file != 0 && file <= s->files.len);
    s->files.at[file - 1].text = STR("");
}

struct str tw_sources_text(const struct sources *s, struct src_span span)
{
    if (span.file == 0)
        return (struct str){"", 0};
    const struct src_file *f = &s->files.at[span.file - 1];
    if (span.end > f->text.len)
        return STR("");
    return (struct str){f->text.at + span.begin, span.end - span.begin};
}

struct src_span tw_span_join(struct src_span a, struct src_span b)
{
    if (a.file == 0)
        return b;
    if (b.file == 0 || a.file != b.file)
        return a;
    return (struct src_span){a.file, a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}
