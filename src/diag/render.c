/* Diagnostics as text for people and as JSON for tools. */
#include "diag/diag.h"

static const char *severity_name(enum diag_severity s)
{
    static const char *const names[] = {"error", "warning", "note"};
    return names[s];
}

/* Names and lines come from files that anybody wrote: no control character of theirs reaches a terminal, and no NUL ends
 * the report. */
static char printable(char before, char c, char behind)
{
    const bool c1 = ((unsigned char)c == 0xc2 && (behind & 0xe0) == 0x80) || ((unsigned char)before == 0xc2 && (c & 0xe0) == 0x80);
    return (unsigned char)c < 0x20 || c == 0x7f || c1 ? '?' : c; /* c1: U+0080 to U+009F, U+009B begins an escape sequence */
}

static char printable_at(struct str s, size_t i)
{
    return printable(i == 0 ? '\0' : s.at[i - 1], s.at[i], i + 1 == s.len ? '\0' : s.at[i + 1]);
}

static bool inside_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80; /* UTF-8 */
}

/* A name of a megabyte is no message. */
static void add_plain(struct text *out, const char *s)
{
    enum { MOST = 2000 };
    size_t i = 0;
    for (; s[i] != '\0' && (i < MOST || inside_character(s[i])); i++)
        tw_text_put(out, printable(i == 0 ? '\0' : s[i - 1], s[i], s[i + 1]));
    if (s[i] != '\0')
        tw_text_add(out, "...");
}

static void add_location(struct text *out, const struct sources *sources, struct src_span at)
{
    if (at.file == 0)
        return;
    const struct src_place p = tw_sources_place(sources, at.file, at.begin);
    add_plain(out, p.name);
    tw_text_addf(out, ":%u:%u: ", p.line, p.column);
}

/* The part of a long line that is shown: from a little before byte `at`, whole characters. */
static void choose_window(struct str line, size_t at, size_t *from, size_t *to)
{
    enum { MOST = 320, BEFORE = 120 };
    *from = line.len > MOST && at > BEFORE ? at - BEFORE : 0;
    *to = line.len - *from > MOST ? *from + MOST : line.len;
    while (*from > 0 && *from < line.len && inside_character(line.at[*from]))
        --*from;
    while (*to < line.len && inside_character(line.at[*to]))
        ++*to;
}

/* The source line with tabs expanded to four columns, and a caret line below it. */
static void add_excerpt(struct text *out, const struct sources *sources, struct src_span at)
{
    if (at.file == 0)
        return;
    enum { TAB = 4 };
    const struct src_place p = tw_sources_place(sources, at.file, at.begin);
    tw_text_addf(out, "%5u | ", p.line);
    size_t lead = 0, width = 0, first, last;
    const size_t from = p.column - 1, to = from + (at.end > at.begin ? at.end - at.begin : 1);
    choose_window(p.line_text, from, &first, &last);
    if (first > 0) {
        tw_text_add(out, "...");
        lead = 3;
    }
    for (size_t i = first; i < last; i++) {
        const bool tab = p.line_text.at[i] == '\t';
        const size_t columns = tab ? TAB : 1;
        tw_text_pad(out, tab ? ' ' : printable_at(p.line_text, i), columns);
        if (i < from)
            lead += columns;
        else if (i < to)
            width += columns;
    }
    tw_text_add(out, last < p.line_text.len ? "...\n      | " : "\n      | ");
    tw_text_pad(out, ' ', lead);
    tw_text_put(out, '^');
    tw_text_pad(out, '~', width > 1 ? width - 1 : 0);
    tw_text_put(out, '\n');
}

static void add_field(struct text *out, const char *label, const char *value)
{
    if (value == NULL)
        return;
    tw_text_addf(out, "  %8s: ", label);
    add_plain(out, value);
    tw_text_put(out, '\n');
}

static void add_diag(struct text *out, const struct diags *ds, const struct diag *d)
{
    const struct diag_row *row = tw_diag_row(d->code);
    add_location(out, ds->sources, d->at);
    tw_text_addf(out, "%s[%s]: ", severity_name(row->severity), row->name);
    add_plain(out, d->message);
    tw_text_put(out, '\n');
    add_excerpt(out, ds->sources, d->at);
    add_field(out, "expected", d->expected);
    add_field(out, "found", d->found);
    add_field(out, "fix", d->fix);
    add_field(out, "spec", d->spec);
    for (uint32_t i = 0; i < d->notes.len; i++) {
        add_location(out, ds->sources, d->notes.at[i].at);
        tw_text_add(out, "note: ");
        add_plain(out, d->notes.at[i].text);
        tw_text_put(out, '\n');
        add_excerpt(out, ds->sources, d->notes.at[i].at);
    }
}

void tw_diags_text(const struct diags *ds, struct text *out)
{
    for (uint32_t i = 0; i < ds->list.len; i++)
        add_diag(out, ds, ds->list.at[i]);
    if (ds->held_back != 0)
        tw_text_addf(out, "%u more error%s held back\n", ds->held_back, ds->held_back == 1 ? " was" : "s were");
}

static void add_json_field(struct text *out, const char *key, const char *value)
{
    if (value == NULL)
        return;
    tw_text_addf(out, ", \"%s\": ", key);
    tw_text_add_json(out, tw_str(value));
}

static void add_json_place(struct text *out, const struct sources *sources, struct src_span at)
{
    if (at.file == 0)
        return;
    const struct src_place p = tw_sources_place(sources, at.file, at.begin);
    add_json_field(out, "file", p.name);
    tw_text_addf(out, ", \"line\": %u, \"column\": %u, \"length\": %u", p.line, p.column, at.end - at.begin);
}

static void add_json_diag(struct text *out, const struct diags *ds, const struct diag *d)
{
    const struct diag_row *row = tw_diag_row(d->code);
    tw_text_addf(out, "{\"code\": \"%s\", \"severity\": \"%s\"", row->name, severity_name(row->severity));
    add_json_place(out, ds->sources, d->at);
    add_json_field(out, "message", d->message);
    add_json_field(out, "expected", d->expected);
    add_json_field(out, "found", d->found);
    add_json_field(out, "fix", d->fix);
    add_json_field(out, "spec", d->spec);
    tw_text_add(out, ", \"notes\": [");
    for (uint32_t i = 0; i < d->notes.len; i++) {
        tw_text_add(out, i == 0 ? "{\"text\": " : ", {\"text\": ");
        tw_text_add_json(out, tw_str(d->notes.at[i].text));
        add_json_place(out, ds->sources, d->notes.at[i].at);
        tw_text_put(out, '}');
    }
    tw_text_add(out, "]}");
}

void tw_diags_json(const struct diags *ds, struct text *out)
{
    tw_text_addf(out, "{\"errors\": %u, \"held_back\": %u, \"diagnostics\": [", ds->error_count, ds->held_back);
    for (uint32_t i = 0; i < ds->list.len; i++) {
        tw_text_add(out, i == 0 ? "\n  " : ",\n  ");
        add_json_diag(out, ds, ds->list.at[i]);
    }
    tw_text_add(out, ds->list.len == 0 ? "]}\n" : "\n]}\n");
}
