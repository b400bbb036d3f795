#include "bench/guest.h"

#include "base/text.h"
#include "check/hazards.h"
#include "ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double seconds_wall(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double seconds_cpu(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* Ends the program when anything was reported. */
static void check(struct guest *g, bool ok)
{
    if (ok && g->diags.list.len == 0)
        return;
    struct text text;
    tw_text_init(&text, &g->arena);
    tw_diags_text(&g->diags, &text);
    fprintf(stderr, "%s\n", text.at == NULL ? "no memory" : text.at);
    exit(1);
}

void guest_open(struct guest *g, struct landing *landing, const char *name, const char *text)
{
    *g = (struct guest){0};
    tw_arena_init(&g->arena, landing, 0);
    tw_sources_init(&g->sources, &g->arena);
    tw_diags_init(&g->diags, &g->arena, &g->sources);
    g->memory = tw_memory_new(0);
    check(g, g->memory != NULL);
    const struct isa *const isa = tw_isa_open(&g->arena);
    const uint32_t file = tw_sources_add(&g->sources, name, (struct str){text, strlen(text)});
    const struct ptx_module *const module = tw_ptx_parse(&g->arena, isa, &g->diags, file);
    check(g, module != NULL);
    g->program = tw_program_load(&g->arena, &g->diags, module, g->memory);
    check(g, g->program != NULL);
}

void guest_close(struct guest *g)
{
    tw_memory_free(g->memory);
    tw_arena_release(&g->arena);
}

uint64_t guest_alloc(struct guest *g, uint64_t bytes, void **host)
{
    const uint64_t address = tw_memory_alloc(g->memory, bytes, NULL);
    check(g, address != 0);
    *host = tw_memory_at(g->memory, address, bytes);
    return address;
}

static struct cost run(struct guest *g, const char *entry, const struct launch_spec *spec, struct hazards *hazards)
{
    struct launch *const l = tw_launch_new(g->program, entry, spec, &g->diags);
    check(g, l != NULL);
    const double wall = seconds_wall(), cpu = seconds_cpu();
    const enum launch_status status = tw_launch_step(l, 0);
    const struct launch_progress progress = tw_launch_progress(l);
    const struct cost cost = {seconds_wall() - wall, seconds_cpu() - cpu, progress.warp_steps, progress.thread_steps};
    check(g, status == LAUNCH_FINISHED && (hazards == NULL || tw_hazards_report(hazards, l, &g->diags)));
    tw_launch_free(l);
    return cost;
}

struct cost guest_run(struct guest *g, const char *entry, const struct launch_spec *spec)
{
    return run(g, entry, spec, NULL);
}

struct cost guest_run_detecting(struct guest *g, const char *entry, const struct launch_spec *spec)
{
    struct hazards *const h = tw_hazards_new();
    struct launch_spec watched = *spec;
    check(g, h != NULL);
    watched.observer = tw_hazards_observer(h);
    const struct cost cost = run(g, entry, &watched, h);
    tw_hazards_free(h);
    return cost;
}

struct cost cost_best(struct cost a, struct cost b)
{
    if (b.wall < a.wall)
        a.wall = b.wall;
    if (b.cpu < a.cpu)
        a.cpu = b.cpu;
    return a;
}
