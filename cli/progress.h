/* How far a long run is, for those who watch a terminal: one line that is written over, a second after the start and then once
 * a second. The clock and the stream are the caller's. */
#ifndef TW_CLI_PROGRESS_H
#define TW_CLI_PROGRESS_H

#include "tilewright/tilewright.h"

#include <stdio.h>

struct progress {
    FILE *to;      /* NULL: nobody watches */
    double began;  /* seconds by the caller's clock, as all times here */
    double shown;  /* when the line was last written */
    unsigned wide; /* of what stands there now */
};

struct progress progress_begin(FILE *to, double now);
/* Writes the line if it is time to. */
void progress_look(struct progress *p, const tw_launch_stats *stats, double now);
/* Whatever follows begins a line of its own. */
void progress_end(struct progress *p);

/* Warp instructions until the next look, after the last ones took so many seconds: about a tenth of a second's. */
uint64_t progress_steps(uint64_t last, double took);

#endif
