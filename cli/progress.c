#include "cli/progress.h"

enum { LEAST_STEPS = 1 << 10, MOST_STEPS = 1 << 30, LINE_BYTES = 160 };

static const double often = 1, short_look = 0.05, long_look = 0.2;

struct progress progress_begin(FILE *to, double now)
{
    return (struct progress){.to = to, .began = now, .shown = now};
}

/* From the CTAs that are done: nothing is known before the first. */
static int add_time_left(char *at, size_t room, const tw_launch_stats *s, double took)
{
    if (s->ctas_done == 0)
        return 0;
    const double left = took / (double)s->ctas_done * (double)(s->ctas - s->ctas_done);
    if (left < 100)
        return snprintf(at, room, ", about %.0f s left", left);
    if (left < 6000)
        return snprintf(at, room, ", about %.0f min left", left / 60);
    return snprintf(at, room, ", about %.0f h left", left / 3600);
}

void progress_look(struct progress *p, const tw_launch_stats *stats, double now)
{
    char line[LINE_BYTES];
    if (p->to == NULL || now - p->shown < often)
        return;
    const double took = now - p->began;
    int len = snprintf(line, sizeof line, "%llu of %llu CTA%s, %.1f million warp instructions a second", (unsigned long long)stats->ctas_done,
                       (unsigned long long)stats->ctas, stats->ctas == 1 ? "" : "s", (double)stats->steps / took * 1e-6);
    len += add_time_left(line + len, sizeof line - (size_t)len, stats, took);
    fprintf(p->to, "\r%-*s", (int)p->wide, line); /* blanks over the rest of a longer one */
    fflush(p->to);
    p->wide = (unsigned)len;
    p->shown = now;
}

void progress_end(struct progress *p)
{
    if (p->wide != 0)
        fputc('\n', p->to);
    p->wide = 0;
}

uint64_t progress_steps(uint64_t last, double took)
{
    if (took < short_look && last < MOST_STEPS)
        return last * 2;
    if (took > long_look && last > LEAST_STEPS)
        return last / 2;
    return last;
}
