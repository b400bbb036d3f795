/* Common ground of the tests that compare with ptxas's recorded verdicts, and of those that read the corpus:
 * shared files, table rows, and a module built around one instruction. */
#ifndef TW_TESTS_PTX_ORACLE_H
#define TW_TESTS_PTX_ORACLE_H

#include "support/check.h"

#include "isa/isa.h"
#include "ptx/ptx.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static inline const char *shared_path(struct arena *arena, const char *name)
{
    const char *root = getenv("TW_SHARED");
    return tw_format(arena, "%s/%s", root != NULL ? root : "../shared", name);
}

/* The whole file, or text.at NULL. */
static inline struct str read_file(struct arena *arena, const char *path)
{
    FILE *f = fopen(path, "rb");
    struct str text = {NULL, 0};
    if (f == NULL)
        return text;
    char *buffer = NULL;
    size_t len = 0, cap = 0;
    for (;;) {
        if (len == cap) {
            size_t more = cap == 0 ? 65536 : cap * 2;
            char *bigger = arena_new(arena, char, more);
            if (len > 0)
                memcpy(bigger, buffer, len);
            buffer = bigger;
            cap = more;
        }
        size_t got = fread(buffer + len, 1, cap - len, f);
        len += got;
        if (got == 0)
            break;
    }
    fclose(f);
    text.at = buffer;
    text.len = len;
    return text;
}

static inline int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names in a folder that end so, sorted; count 0 if the folder is missing. */
static inline char **list_folder(struct arena *arena, const char *path, const char *ending, size_t *count)
{
    enum { MOST = 2000 };
    char **names = arena_new(arena, char *, MOST);
    DIR *folder = opendir(path);
    *count = 0;
    if (folder == NULL)
        return names;
    for (struct dirent *e; (e = readdir(folder)) != NULL && *count < MOST;) {
        size_t len = strlen(e->d_name), tail = strlen(ending);
        if (len > tail && strcmp(e->d_name + len - tail, ending) == 0)
            names[(*count)++] = tw_arena_copy(arena, e->d_name, len);
    }
    closedir(folder);
    qsort(names, *count, sizeof *names, by_name);
    return names;
}

/* Splits off the text before `stop`; true while there was any. */
static inline bool next_field(struct str *rest, char stop, struct str *field)
{
    if (rest->at == NULL)
        return false;
    const char *end = memchr(rest->at, stop, rest->len);
    field->at = rest->at;
    field->len = end != NULL ? (size_t)(end - rest->at) : rest->len;
    rest->len -= field->len + (end != NULL);
    rest->at = end != NULL ? end + 1 : NULL;
    return true;
}

static inline unsigned version_of(struct str text)
{
    return text.len == 3 ? (unsigned)(text.at[0] - '0') * 10 + (unsigned)(text.at[2] - '0') : 0;
}

/* Registers of every kind, a shared and a local variable, an entry with a tensor map. */
static const char oracle_functions[] =
    ".address_size 64\n"
    ".func (.param .b32 y) twice(.param .b32 x) { .reg .b32 r<2>; ld.param.b32 r0, [x]; shl.b32 r1, r0, 1; st.param.b32 [y], r1; ret; }\n"
    ".func (.reg .b32 y) thrice(.reg .b32 x) { mad.lo.s32 y, x, 2, x; ret; }\n";
static const char oracle_head[] =
    ".visible .entry k(.param .u64 P, .param .align 64 .b8 T[128])\n{\n"
    ".reg .pred p, q, p<9>; .reg .b8 b<9>; .reg .b16 h<16>, mask16; .reg .b32 r<160>, mask, cnt, tx, par, hint, a, rank;\n"
    ".reg .b32 taddr, idesc, nCols, redval, m<8>; .reg .f32 f<16>, F<160>; .reg .f64 fd<9>; .reg .b64 rd<16>, state, adesc, bdesc, sdesc, zc;\n"
    ".reg .b128 q<4>; .shared .align 16 .b8 smem[4096]; .local .align 16 .b8 lmem[64];\n";

struct oracle {
    const struct isa *isa;
    char why[160]; /* message of the first diagnostic */
};

/* Does the reader take a module with these declarations and a kernel with these statements? */
static inline bool oracle_accepts(struct oracle *o, unsigned ptx, const char *target, const char *declarations,
                                  const char *statements)
{
    struct landing landing;
    struct arena arena;
    tw_arena_init(&arena, &landing, 0);
    if (setjmp(landing.at) != 0)
        abort();
    char *text = tw_format(&arena, ".version %u.%u\n.target %s\n%s%s\n%s%s\nret;\n}\n", ptx / 10, ptx % 10, target,
                           oracle_functions, declarations, oracle_head, statements);
    struct sources sources;
    struct diags diags;
    tw_sources_init(&sources, &arena);
    tw_diags_init(&diags, &arena, &sources);
    tw_ptx_parse(&arena, o->isa, &diags, tw_sources_add(&sources, "row", tw_str(text)));
    o->why[0] = '\0';
    if (diags.list.len > 0)
        snprintf(o->why, sizeof o->why, "%s; wants %s", diags.list.at[0]->message,
                 diags.list.at[0]->expected != NULL ? diags.list.at[0]->expected : "");
    bool ok = diags.error_count == 0;
    tw_arena_release(&arena);
    return ok;
}

/* A spelling alone: some form of it is available. */
static inline bool oracle_knows(struct oracle *o, unsigned ptx, const char *target, struct str mnemonic)
{
    struct landing landing;
    struct arena arena;
    tw_arena_init(&arena, &landing, 0);
    if (setjmp(landing.at) != 0)
        abort();
    struct isa_env env = {.ptx = ptx};
    struct isa_match match;
    bool ok = false;
    o->why[0] = '\0';
    tw_isa_match(o->isa, &arena, mnemonic, &match);
    snprintf(o->why, sizeof o->why, "%s", match.expected != NULL ? match.expected : "");
    if (tw_isa_target_parse(tw_str(target), &env.target))
        for (uint32_t i = 0; i < match.count && !ok; i++) {
            const char *why = tw_isa_unavailable(o->isa, &match.candidates[i], (struct isa_presence){0}, &env, &arena);
            ok = why == NULL;
            if (why != NULL)
                snprintf(o->why, sizeof o->why, "%s", why);
        }
    tw_arena_release(&arena);
    return ok;
}

#endif
