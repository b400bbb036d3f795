/* A device for tests: text is parsed, loaded and launched as the command does it. */
#ifndef TW_TESTS_MACHINE_RIG_H
#define TW_TESTS_MACHINE_RIG_H

#include "support/check.h"

#include "machine/launch.h"
#include "ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>

struct rig {
    struct bench_room *room;
    const struct isa *isa;
    struct ptx_module *module;
    struct memory *memory;
    struct program *program;
    struct launch_progress progress; /* of the last run */
    struct text printed;
};

static inline void rig_print(void *context, struct str text)
{
    struct rig *const rig = context;
    tw_text_add_str(&rig->printed, text);
}

/* Parses and loads; fails the test if anything is reported. */
static inline void rig_load(struct rig *rig, struct bench_room *room, const char *name, const char *text)
{
    memset(rig, 0, sizeof *rig);
    rig->room = room;
    tw_text_init(&rig->printed, &room->arena);
    rig->isa = tw_isa_open(&room->arena);
    const uint32_t file = tw_sources_add(&room->sources, name, tw_str(text));
    rig->module = tw_ptx_parse(&room->arena, rig->isa, &room->diags, file);
    assert_string_equal(tw_test_diags(room), "");
    rig->memory = tw_memory_new(0);
    assert_non_null(rig->memory);
    rig->program = tw_program_load(&room->arena, &room->diags, rig->module, rig->memory);
    assert_string_equal(tw_test_diags(room), "");
    assert_non_null(rig->program);
}

static inline void rig_end(struct rig *rig)
{
    tw_memory_free(rig->memory);
}

/* Runs to the end; a launch that is refused counts as a fault. */
static inline enum launch_status rig_run(struct rig *rig, const char *entry, struct launch_spec spec)
{
    spec.print = rig_print;
    spec.print_context = rig;
    struct launch *const l = tw_launch_new(rig->program, entry, &spec, &rig->room->diags);
    if (l == NULL)
        return LAUNCH_FAULT;
    const enum launch_status status = tw_launch_step(l, 0);
    rig->progress = tw_launch_progress(l);
    tw_launch_free(l);
    return status;
}

/* The same, and nothing may be reported. */
static inline void rig_must_run(struct rig *rig, const char *entry, struct launch_spec spec)
{
    const enum launch_status status = rig_run(rig, entry, spec);
    assert_string_equal(tw_test_diags(rig->room), "");
    assert_int_equal(status, LAUNCH_FINISHED);
}

static inline void *rig_host(const struct rig *rig, uint64_t address)
{
    const struct allocation *const a = tw_memory_find(rig->memory, address);
    assert_non_null(a);
    return a->host + (address - a->address);
}

/* $TW_SHARED/path as a string in the room's arena; NULL (after saying so) when the folder is not there. */
static inline const char *rig_shared_file(struct bench_room *room, const char *path)
{
    const char *const base = getenv("TW_SHARED") != NULL ? getenv("TW_SHARED") : "../shared";
    FILE *const f = fopen(tw_format(&room->arena, "%s/%s", base, path), "rb");
    if (f == NULL) {
        printf("not run: %s/%s is not there\n", base, path);
        return NULL;
    }
    struct text text;
    char buffer[65536];
    tw_text_init(&text, &room->arena);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) != 0;)
        tw_text_add_str(&text, (struct str){buffer, n});
    fclose(f);
    return text.at;
}

#endif
