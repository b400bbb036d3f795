/* The module: header directives, variables, functions, debug data. */
#include "ptx/parse.h"

#include "base/text.h"
#include "ptx/ptx.h"

#include <string.h>

bool tw_ptx_parser_is(const struct parser *p, char punct)
{
    return p->lx.tok.kind == TOK_PUNCT && p->lx.tok.punct == punct;
}

bool tw_ptx_parser_accept(struct parser *p, char punct)
{
    if (!tw_ptx_parser_is(p, punct))
        return false;
    tw_lex_next(&p->lx);
    return true;
}

bool tw_ptx_parser_is_directive(const struct parser *p, const char *text)
{
    return p->lx.tok.kind == TOK_DIRECTIVE && tw_str_is(tw_lex_text(&p->lx, &p->lx.tok), text);
}

bool tw_ptx_parser_accept_directive(struct parser *p, const char *text)
{
    if (!tw_ptx_parser_is_directive(p, text))
        return false;
    tw_lex_next(&p->lx);
    return true;
}

struct src_span tw_ptx_parser_span(const struct parser *p, uint32_t begin, uint32_t end)
{
    return (struct src_span){p->file, begin, end};
}

struct src_span tw_ptx_parser_here(const struct parser *p)
{
    return tw_ptx_parser_span(p, p->lx.tok.begin, p->lx.tok.end);
}

static struct diag *unexpected(struct parser *p, const char *wanted)
{
    const struct token *t = &p->lx.tok;
    struct diag *d;
    if (t->kind == TOK_BAD) {
        d = tw_diag(p->diags, E0503, tw_ptx_parser_here(p), "malformed token");
        tw_diag_found(d, "%s", t->why);
    } else if (t->kind == TOK_END) {
        d = tw_diag(p->diags, E0501, tw_ptx_parser_here(p), "unexpected end of the text");
    } else {
        d = tw_diag(p->diags, E0501, tw_ptx_parser_here(p), "unexpected token");
        tw_diag_found(d, "'" STR_FMT "'", STR_ARG(tw_lex_text(&p->lx, t)));
    }
    tw_diag_expected(d, "%s", wanted);
    return d;
}

struct diag *tw_ptx_parser_unexpected(struct parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *wanted = tw_formatv(p->arena, format, args);
    va_end(args);
    return unexpected(p, wanted);
}

bool tw_ptx_parser_expected(struct parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *wanted = tw_formatv(p->arena, format, args);
    va_end(args);
    unexpected(p, wanted);
    return false;
}

bool tw_ptx_parser_expect(struct parser *p, char punct, const char *where)
{
    return tw_ptx_parser_accept(p, punct) || tw_ptx_parser_expected(p, "'%c' %s", punct, where);
}

bool tw_ptx_parser_name(struct parser *p, const char *what, const char **name, struct src_span *at)
{
    if (p->lx.tok.kind != TOK_NAME)
        return tw_ptx_parser_expected(p, "%s", what);
    struct str text = tw_lex_text(&p->lx, &p->lx.tok);
    *name = tw_arena_copy(p->arena, text.at, text.len);
    *at = tw_ptx_parser_here(p);
    tw_lex_next(&p->lx);
    return true;
}

bool tw_ptx_parser_string(struct parser *p, const char **text)
{
    if (p->lx.tok.kind != TOK_STRING)
        return tw_ptx_parser_expected(p, "a string in double quotes");
    struct str whole = tw_lex_text(&p->lx, &p->lx.tok);
    *text = tw_arena_copy(p->arena, whole.at + 1, whole.len - 2);
    tw_lex_next(&p->lx);
    return true;
}

bool tw_ptx_parser_uint(struct parser *p, const char *what, uint64_t most, uint64_t *value)
{
    if (p->lx.tok.kind != TOK_INT)
        return tw_ptx_parser_expected(p, "%s", what);
    *value = p->lx.tok.value;
    if (*value > most) {
        struct diag *d = tw_diag(p->diags, E0514, tw_ptx_parser_here(p), "number out of range");
        tw_diag_expected(d, "%s, at most %llu", what, (unsigned long long)most);
        tw_diag_found(d, "%llu", (unsigned long long)*value);
        return false;
    }
    tw_lex_next(&p->lx);
    return true;
}

/* Whether the '}' here closes a vector in which reading has failed, rather than the block around the statement. */
static bool closes_vector(const struct parser *p)
{
    struct parser ahead = *p;
    tw_lex_next(&ahead.lx);
    return tw_ptx_parser_is(&ahead, ',') || tw_ptx_parser_is(&ahead, ';') || tw_ptx_parser_is(&ahead, '|');
}

/* A failed statement is skipped: past its ';', or up to the brace that closes the block around it. */
void tw_ptx_parser_recover(struct parser *p)
{
    uint32_t braces = 0;
    while (p->lx.tok.kind != TOK_END) {
        if (tw_ptx_parser_is(p, ';') && braces == 0) {
            tw_lex_next(&p->lx);
            return;
        }
        if (tw_ptx_parser_is(p, '{'))
            braces++;
        if (tw_ptx_parser_is(p, '}')) {
            if (braces == 0 && !closes_vector(p))
                return;
            braces -= braces != 0;
        }
        tw_lex_next(&p->lx);
    }
}

/* version := digits '.' digits, read from the text: "8.8" would be a decimal number. */
static bool parse_version(struct parser *p)
{
    struct str text = tw_lex_text(&p->lx, &p->lx.tok);
    unsigned major = 0, minor = 0;
    size_t i = 0;
    while (i < text.len && text.at[i] >= '0' && text.at[i] <= '9' && i < 3)
        major = major * 10 + (unsigned)(text.at[i++] - '0');
    bool ok = i > 0 && i + 2 == text.len && text.at[i] == '.' && text.at[i + 1] >= '0' && text.at[i + 1] <= '9';
    if (ok)
        minor = (unsigned)(text.at[i + 1] - '0');
    if (!ok || p->lx.tok.kind != TOK_F64 || major < 1 || major > 99) {
        struct diag *d = tw_diag(p->diags, E0518, tw_ptx_parser_here(p), "no PTX version");
        tw_diag_expected(d, "a version such as 8.8 after .version");
        tw_diag_found(d, "'" STR_FMT "'", STR_ARG(text));
        return false;
    }
    p->module->env.ptx = major * 10 + minor;
    tw_lex_next(&p->lx);
    return true;
}

static bool parse_target(struct parser *p)
{
    bool found = false;
    do {
        const char *name;
        struct src_span at;
        if (!tw_ptx_parser_name(p, "a target such as sm_100a", &name, &at))
            return false;
        struct isa_target target;
        if (tw_isa_target_parse(tw_str(name), &target)) {
            p->module->env.target = target;
            found = true;
        } else if (strncmp(name, "sm_", 3) == 0 || strncmp(name, "compute_", 8) == 0) {
            struct diag *d = tw_diag(p->diags, E0518, at, "unknown target '%s'", name);
            tw_diag_expected(d, "a target such as sm_80, sm_90a or sm_100f");
            return false;
        } else {
            *vec_push(p->arena, &p->module->target_options) = name;
        }
    } while (tw_ptx_parser_accept(p, ','));
    if (!found)
        return tw_ptx_parser_expected(p, "a target such as sm_100a");
    return true;
}

/* .version N.N  .target T {, option}  .address_size N */
static bool parse_header(struct parser *p)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    if (p->lx.len >= 3 && memcmp(p->lx.text, byte_order_mark, 3) == 0) {
        struct diag *d = tw_diag(p->diags, E0518, tw_ptx_parser_span(p, 0, 3), "a byte order mark stands before the module");
        tw_diag_expected(d, "ASCII text, as ptxas wants it");
        tw_diag_fix(d, "save the file without a byte order mark");
        return false;
    }
    if (!tw_ptx_parser_is_directive(p, ".version")) {
        struct diag *d = tw_diag(p->diags, E0518, tw_ptx_parser_here(p), "a module begins with its PTX version");
        tw_diag_expected(d, ".version, then .target");
        if (p->lx.tok.kind == TOK_END)
            tw_diag_found(d, "an empty file");
        else
            tw_diag_found(d, "'" STR_FMT "'", STR_ARG(tw_lex_text(&p->lx, &p->lx.tok)));
        return false;
    }
    tw_lex_next(&p->lx);
    if (!parse_version(p))
        return false;
    if (!tw_ptx_parser_accept_directive(p, ".target")) {
        struct diag *d = tw_diag(p->diags, E0518, tw_ptx_parser_here(p), "the target is missing");
        tw_diag_expected(d, ".target after .version");
        return false;
    }
    return parse_target(p);
}

static bool parse_address_size(struct parser *p)
{
    uint64_t size;
    struct src_span at = tw_ptx_parser_here(p);
    if (!tw_ptx_parser_uint(p, "32 or 64", 64, &size))
        return false;
    if (size != 32 && size != 64) {
        struct diag *d = tw_diag(p->diags, E0518, at, "unknown address size");
        tw_diag_expected(d, "32 or 64");
        return false;
    }
    p->module->address_size = (unsigned)size;
    return true;
}

static void add_item(struct parser *p, enum ptx_item_kind kind, uint32_t index)
{
    *vec_push(p->arena, &p->module->items) = (struct ptx_item){(uint8_t)kind, index};
}

/* .file number "name" {, timestamp, size} */
static bool parse_file(struct parser *p)
{
    struct ptx_file file = {0};
    uint64_t number;
    if (!tw_ptx_parser_uint(p, "a file number", UINT32_MAX, &number) || !tw_ptx_parser_string(p, &file.name))
        return false;
    file.number = (uint32_t)number;
    if (tw_ptx_parser_accept(p, ',')) {
        file.has_stamp = true;
        if (!tw_ptx_parser_uint(p, "a timestamp", UINT64_MAX, &file.timestamp) || !tw_ptx_parser_expect(p, ',', "before the file size") ||
            !tw_ptx_parser_uint(p, "a file size", UINT64_MAX, &file.size))
            return false;
    }
    add_item(p, ITEM_FILE, p->module->files.len);
    *vec_push(p->arena, &p->module->files) = file;
    return true;
}

/* .section name { ... } : debug data, kept as written. */
static bool parse_section(struct parser *p)
{
    struct ptx_section section;
    struct str name = tw_lex_text(&p->lx, &p->lx.tok);
    if (p->lx.tok.kind != TOK_DIRECTIVE && p->lx.tok.kind != TOK_NAME)
        return tw_ptx_parser_expected(p, "a section name");
    section.name = tw_arena_copy(p->arena, name.at, name.len);
    tw_lex_next(&p->lx);
    if (!tw_ptx_parser_expect(p, '{', "before the section's data"))
        return false;
    if (!tw_lex_raw_block(&p->lx, &section.body))
        return tw_ptx_parser_expected(p, "'}' after the section's data");
    add_item(p, ITEM_SECTION, p->module->sections.len);
    *vec_push(p->arena, &p->module->sections) = section;
    return true;
}

static bool parse_module_pragma(struct parser *p)
{
    do {
        const char *text;
        if (!tw_ptx_parser_string(p, &text))
            return false;
        add_item(p, ITEM_PRAGMA, p->module->pragmas.len);
        *vec_push(p->arena, &p->module->pragmas) = text;
    } while (tw_ptx_parser_accept(p, ','));
    return tw_ptx_parser_expect(p, ';', "after .pragma");
}

static enum ptx_linkage accept_linkage(struct parser *p)
{
    static const struct {
        const char *text;
        enum ptx_linkage linkage;
    } rows[] = {{".extern", LINK_EXTERN}, {".visible", LINK_VISIBLE}, {".weak", LINK_WEAK}, {".common", LINK_COMMON}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (tw_ptx_parser_accept_directive(p, rows[i].text))
            return rows[i].linkage;
    return LINK_NONE;
}

static bool is_module_space(const struct parser *p)
{
    static const char *const spaces[] = {".global", ".const",      ".shared",  ".shared::cta", ".tex",  ".texref",
                                         ".samplerref", ".surfref", ".reg",    ".local",       ".param"};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (tw_ptx_parser_is_directive(p, spaces[i]))
            return true;
    return false;
}

/* item := .file | .section | .pragma | .alias | .address_size | {linkage} (.entry | .func | variables) */
static bool parse_item(struct parser *p)
{
    struct src_span at = tw_ptx_parser_here(p);
    if (tw_ptx_parser_accept_directive(p, ".file"))
        return parse_file(p);
    if (tw_ptx_parser_accept_directive(p, ".section"))
        return parse_section(p);
    if (tw_ptx_parser_accept_directive(p, ".pragma"))
        return parse_module_pragma(p);
    if (tw_ptx_parser_accept_directive(p, ".alias"))
        return tw_ptx_parser_alias(p);
    if (tw_ptx_parser_accept_directive(p, ".address_size"))
        return parse_address_size(p);
    enum ptx_linkage linkage = accept_linkage(p);
    if (tw_ptx_parser_accept_directive(p, ".entry"))
        return tw_ptx_parser_func(p, linkage, true);
    if (tw_ptx_parser_accept_directive(p, ".func"))
        return tw_ptx_parser_func(p, linkage, false);
    if (is_module_space(p)) {
        uint32_t first = p->module->vars.len;
        bool ok = tw_ptx_parser_vars(p, linkage, at);
        for (uint32_t i = first; i < p->module->vars.len; i++)
            add_item(p, ITEM_VAR, i);
        return ok;
    }
    if (p->lx.tok.kind == TOK_DIRECTIVE) {
        struct diag *d = tw_diag(p->diags, E0502, tw_ptx_parser_here(p), "unknown directive '" STR_FMT "'",
                                 STR_ARG(tw_lex_text(&p->lx, &p->lx.tok)));
        tw_diag_expected(d, "a function, a variable, .file, .section or .pragma");
        return false;
    }
    return tw_ptx_parser_expected(p, "a directive: a function, a variable, .file, .section or .pragma");
}

/* After a failed item: to the next directive that can begin one, at the outermost level. */
static void recover_item(struct parser *p, uint32_t before)
{
    static const char *const starts[] = {".entry", ".func", ".visible", ".extern", ".weak", ".global", ".const", ".section", ".file"};
    if (p->lx.tok.begin == before)
        tw_lex_next(&p->lx);
    uint32_t braces = 0;
    for (; p->lx.tok.kind != TOK_END; tw_lex_next(&p->lx)) {
        braces += tw_ptx_parser_is(p, '{');
        if (tw_ptx_parser_is(p, '}') && braces > 0)
            braces--;
        for (size_t i = 0; i < sizeof starts / sizeof starts[0] && braces == 0; i++)
            if (tw_ptx_parser_is_directive(p, starts[i]))
                return;
    }
}

struct ptx_module *tw_ptx_parse(struct arena *arena, const struct isa *isa, struct diags *diags, uint32_t file)
{
    struct parser *p = arena_new(arena, struct parser, 1);
    struct ptx_module *m = arena_new(arena, struct ptx_module, 1);
    uint32_t errors = diags->error_count;
    *m = (struct ptx_module){.arena = arena, .isa = isa, .address_size = 32, .source = file};
    *p = (struct parser){.arena = arena, .isa = isa, .diags = diags, .file = file, .module = m};
    tw_names_init(&p->names, arena);
    tw_ptx_spellings_init(&p->spellings, arena);
    tw_strmap_init(&p->funcs, arena);
    tw_lex_begin(&p->lx, diags->sources->files.at[file - 1].text);
    if (!parse_header(p))
        return m;
    while (p->lx.tok.kind != TOK_END) {
        uint32_t before = p->lx.tok.begin;
        if (!parse_item(p))
            recover_item(p, before);
    }
    for (uint32_t i = 0; i < p->unsupported.len; i++)
        tw_diag_found(p->unsupported.at[i].first, "%u such instruction%s in the module", p->unsupported.at[i].count,
                      p->unsupported.at[i].count == 1 ? "" : "s");
    if (diags->error_count == errors)
        tw_ptx_verify(m, diags);
    return m;
}
