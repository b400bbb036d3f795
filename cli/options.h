/* The command line as one table: it parses, prints the help, and a test compares it with the manual page. */
#ifndef TW_CLI_OPTIONS_H
#define TW_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DESIGN: 0 done and as expected; 1 the input is wrong, a value differs, a fault or a deadlock; 2 wrong usage;
   3 out of resources or a limit was hit. */
enum exit_code { EXIT_DONE = 0, EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_LIMIT = 3 };

enum command { CMD_COMPILE = 1, CMD_CHECK = 2, CMD_RUN = 4, CMD_EXPLAIN = 8 };

enum option_id {
    OPT_KERNEL, OPT_EMIT, OPT_ARCH, OPT_OUTPUT, OPT_ASSEMBLE, OPT_JSON, OPT_HELP,
    OPT_ENTRY, OPT_LAUNCH, OPT_IN, OPT_FILL, OPT_SET, OPT_OUT, OPT_EXPECT, OPT_RTOL, OPT_ATOL,
    OPT_DEVICE, OPT_COMPARE, OPT_AS, OPT_SEED, OPT_THREADS, OPT_NO_HAZARDS, OPT_REPORT, OPT_MAX_STEPS, OPT_MAX_SECONDS, OPT_MAX_MEMORY,
    OPT_A, OPT_B, OPT_C, OPT_SCALE_A, OPT_SCALE_B, OPT_META, OPT_COUNT
};

struct option_row {
    const char *name;     /* "--emit" */
    const char *value;    /* what follows, for the help; NULL: a flag */
    unsigned commands;    /* bits of enum command */
    bool repeats;
    const char *help;
};
extern const struct option_row option_rows[OPT_COUNT];

/* NAME=TEXT, as in --in A=x.npy; for options without a name, name is NULL. */
struct option_use {
    enum option_id id;
    const char *name; /* NUL-terminated copy, or NULL */
    const char *text;
};

struct options {
    enum command command;
    const char *files[64];
    size_t file_count;
    struct option_use uses[256];
    size_t use_count;
    char names[4096]; /* storage of the names of NAME=TEXT */
    size_t names_used;
};

/* False after a message on standard error: wrong usage. */
bool options_parse(struct options *o, int argc, char **argv);
const char *option_text(const struct options *o, enum option_id id); /* the last use, or NULL */
bool option_given(const struct options *o, enum option_id id);
/* The numbers of an option; `otherwise` when it was not given. False after a message. */
bool option_uint(const struct options *o, enum option_id id, uint64_t otherwise, uint64_t *value);
bool option_double(const struct options *o, enum option_id id, double otherwise, double *value);
void print_help(void);

#endif
