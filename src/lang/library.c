/* The part of the language that is written in the language (library_text.c): parsed when a program first uses it. */
#include "lang/library.h"

#include "lang/parse.h"

#include <string.h>

static const char file_name[] = "tilewright:library.py";

static struct str library_text(struct arena *arena)
{
    struct text t;
    tw_text_init(&t, arena);
    for (int i = 0; tw_library_lines[i] != NULL; i++)
        tw_text_addf(&t, "%s\n", tw_library_lines[i]);
    return (struct str){t.at, t.len};
}

/* The text lives as long as the sources: what is said about a program outlives the program. */
static uint32_t library_file(struct sources *sources)
{
    for (uint32_t i = 0; i < sources->files.len; i++)
        if (sources->files.at[i].name == file_name)
            return i + 1;
    return tw_sources_add(sources, file_name, library_text(sources->arena));
}

/* The library is loaded outside any kernel, as a module of its own. */
static struct scope *load(struct eval *ev)
{
    struct lang_program *p = ev->program;
    p->library_file = library_file(p->sources);
    struct block *body = arena_new(p->arena, struct block, 1);
    *body = tw_lang_parse(p->arena, p->sources, p->library_file, p->diags, &p->names);
    struct scope *scope = tw_scope_new(p->arena, NULL);
    struct eval own = *ev;
    own.scope = scope;
    own.build = NULL;
    own.cursor = NULL;
    own.method = NULL;
    own.in_inline = false;
    tw_exec_block(&own, body);
    return scope;
}

/* Names that a program can import, by the module that has them. */
const char *const tw_library_names[] = {"PipelineState", "MBarrier", "TMABar", "TCGen05Bar", "ClusterPersistentScheduler2D",
                                        NULL};

/* The argument names of a signature, in order; NULL past the last. */
static const char *next_name(struct eval *ev, const char **at)
{
    *at += strspn(*at, ",? *");
    const size_t len = strcspn(*at, ",?");
    const char *name = len == 0 ? NULL : tw_intern(ev->names, (struct str){*at, len});
    *at += len;
    return name;
}

struct value tw_library_call(struct eval *ev, const struct call *c, const char *prefix)
{
    struct text name;
    tw_text_init(&name, ev->arena);
    tw_text_add(&name, prefix);
    for (const char *n = c->row->name; *n != '\0'; n++)
        tw_text_put(&name, *n == '.' ? '_' : *n);
    const struct value f = tw_library_function(ev, name.at);
    const char *at = c->row->signature, *given;
    struct args args = {0};
    for (uint32_t i = 0; (given = next_name(ev, &at)) != NULL; i++) {
        if (!c->args[i].given)
            continue;
        *vec_push(ev->arena, &args) = c->args[i];
        args.at[args.len - 1].name = given;
    }
    return f.kind == VALUE_FUNCTION ? tw_call_user(ev, f.u.function, &args, c->at) : value_error();
}

struct value tw_library_function(struct eval *ev, const char *name)
{
    if (ev->program->library == NULL)
        ev->program->library = load(ev);
    const struct binding *b = tw_scope_find_here(ev->program->library, tw_intern(ev->names, tw_str(name)));
    return b == NULL ? value_error() : b->value;
}

struct value tw_library_member(struct eval *ev, const char *name, bool *found)
{
    *found = false;
    for (int i = 0; tw_library_names[i] != NULL; i++)
        *found = *found || strcmp(tw_library_names[i], name) == 0;
    return *found ? tw_library_function(ev, name) : value_error();
}
