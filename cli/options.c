#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPILERS = CMD_COMPILE | CMD_RUN | CMD_CHECK };

const struct option_row option_rows[OPT_COUNT] = {
    [OPT_KERNEL] = {"--kernel", "NAME", COMPILERS, false, "the kernel of the program file (needed when it holds several)"},
    [OPT_EMIT] = {"--emit", "ptx|cuda|ir|ir-lowered|launch", CMD_COMPILE, false, "what to print (default ptx)"},
    [OPT_ARCH] = {"--arch", "TARGET", COMPILERS | CMD_EXPLAIN, false, "the .target of the PTX (default sm_100a; explain dot wgmma: sm_90a)"},
    [OPT_OUTPUT] = {"-o", "FILE", CMD_COMPILE, false, "write there instead of standard output"},
    [OPT_ASSEMBLE] = {"--assemble", NULL, CMD_COMPILE, false, "ask ptxas, where it is installed, for its verdict"},
    [OPT_JSON] = {"--json", NULL, COMPILERS | CMD_EXPLAIN, false, "diagnostics and results as JSON"},
    [OPT_HELP] = {"--help", NULL, COMPILERS | CMD_EXPLAIN, false, "print this"},
    [OPT_ENTRY] = {"--entry", "NAME", CMD_RUN, false, "for .ptx input: the entry, in place of the contract's"},
    [OPT_LAUNCH] = {"--launch", "FILE", CMD_RUN, false, "for .ptx input: the launch contract, JSON"},
    [OPT_IN] = {"--in", "NAME=FILE.npy", CMD_RUN, true, "a tensor argument from a file"},
    [OPT_FILL] = {"--fill", "NAME=KIND[:SEED]", CMD_RUN, true,
                  "fill a tensor: zeros ones iota ints normal uniform bits (others are zero)"},
    [OPT_SET] = {"--set", "NAME=VALUE", CMD_RUN, true, "a scalar argument"},
    [OPT_OUT] = {"--out", "NAME=FILE.npy", CMD_RUN, true, "write a tensor after the run"},
    [OPT_EXPECT] = {"--expect", "NAME=FILE.npy", CMD_RUN, true, "compare a tensor after the run"},
    [OPT_RTOL] = {"--rtol", "R", CMD_RUN, false, "relative tolerance of --expect (default 0)"},
    [OPT_ATOL] = {"--atol", "A", CMD_RUN, false, "absolute tolerance of --expect (default 0)"},
    [OPT_DEVICE] = {"--device", "cpu|cuda[:N]", CMD_RUN, false, "where to run: the CPU machine (default) or a GPU, by number"},
    [OPT_COMPARE] = {"--compare", NULL, CMD_RUN, false, "run on the CPU machine and on a GPU, and compare every tensor bit for bit"},
    [OPT_AS] = {"--as", "TARGET", CMD_RUN, false, "the GPU that the CPU machine is (default: the PTX's target; --compare: the GPU's own)"},
    [OPT_SEED] = {"--seed", "N", CMD_RUN, false, "draws schedule and poison (default 0)"},
    [OPT_THREADS] = {"--threads", "N", CMD_RUN, false, "host threads (default 1); the result is the same for any number"},
    [OPT_NO_HAZARDS] = {"--no-hazards", NULL, CMD_RUN, false,
                        "do not look for missing fences and waits: faster; results are the same"},
    [OPT_REPORT] = {"--report", NULL, CMD_RUN, false, "after the run: instructions, bytes, multiply-adds, and how exact the result is"},
    [OPT_MAX_STEPS] = {"--max-steps", "N", CMD_RUN, false, "warp instructions before the run is ended"},
    [OPT_MAX_SECONDS] = {"--max-seconds", "S", CMD_RUN, false, "wall time before the run is ended"},
    [OPT_MAX_MEMORY] = {"--max-memory", "BYTES", CMD_RUN, false, "guest memory (default 4 GiB)"},
    [OPT_A] = {"--a", "LIST", CMD_EXPLAIN, false, "explain dot: elements of A: words (0x3c00), numbers, VALUE:COUNT"},
    [OPT_B] = {"--b", "LIST", CMD_EXPLAIN, false, "explain dot: elements of B; twice as many where A is sparse"},
    [OPT_C] = {"--c", "VALUE", CMD_EXPLAIN, false, "explain dot: the accumulator (default: not read)"},
    [OPT_SCALE_A] = {"--scale-a", "LIST", CMD_EXPLAIN, false, "explain dot: scale factors of A, one a block"},
    [OPT_SCALE_B] = {"--scale-b", "LIST", CMD_EXPLAIN, false, "explain dot: scale factors of B, one a block"},
    [OPT_META] = {"--meta", "LIST", CMD_EXPLAIN, false, "explain dot: codes of sparse A, one a group"},
};

/* Options of the design that this version lacks: refused by name, so that nobody takes one for ignored. */
static const char *const later_options[] = {"--trace"};

static const struct {
    const char *name;
    enum command command;
    const char *usage;
} commands[] = {
    {"compile", CMD_COMPILE, "tilewright compile FILE.py [options]      a kernel to PTX"},
    {"check", CMD_CHECK, "tilewright check FILE... [options]        all diagnostics of kernels and .ptx files"},
    {"run", CMD_RUN, "tilewright run FILE [options]             a kernel or a .ptx file on the CPU or a GPU"},
    {"explain", CMD_EXPLAIN, "tilewright explain E0421 | format NAME | dot KIND [options] | fragment SPELLING [OPERAND]"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static bool usage_error(const char *what, const char *which)
{
    fprintf(stderr, "tilewright: %s%s (see tilewright --help)\n", what, which);
    return false;
}

void print_help(void)
{
    printf("usage:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %s\n", commands[i].usage);
    printf("\noptions:\n");
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        char left[64];
        snprintf(left, sizeof left, "%s %s", row->name, row->value == NULL ? "" : row->value);
        printf("  %-36s %s\n%-39s(", left, row->help, "");
        const char *comma = "";
        for (size_t c = 0; c < COMMAND_COUNT; c++)
            if (row->commands & commands[c].command) {
                printf("%s%s", comma, commands[c].name);
                comma = ", ";
            }
        printf(")\n");
    }
    printf("\nexit status: 0 done and as expected; 1 wrong input, a differing value, a fault, a hazard or a deadlock;\n"
           "             2 wrong usage; 3 a limit was hit, or the device is not there\n");
}

static int find_option(const char *name)
{
    for (int i = 0; i < OPT_COUNT; i++)
        if (strcmp(option_rows[i].name, name) == 0)
            return i;
    return -1;
}

/* Splits NAME=TEXT where the option wants it. */
static bool split_name(struct options *o, struct option_use *use, const char *argument)
{
    const struct option_row *row = &option_rows[use->id];
    use->text = argument;
    if (!row->repeats)
        return true;
    const char *equals = strchr(argument, '=');
    const size_t len = equals == NULL ? 0 : (size_t)(equals - argument);
    if (len == 0 || equals[1] == '\0' || o->names_used + len + 1 > sizeof o->names) {
        fprintf(stderr, "tilewright: %s wants %s, found '%s'\n", row->name, row->value, argument);
        return false;
    }
    char *name = o->names + o->names_used;
    memcpy(name, argument, len);
    name[len] = '\0';
    o->names_used += len + 1;
    use->name = name;
    use->text = equals + 1;
    return true;
}

static bool parse_option(struct options *o, int argc, char **argv, int *at)
{
    const char *name = argv[*at];
    const int id = find_option(name);
    if (id < 0) {
        for (size_t i = 0; i < sizeof later_options / sizeof later_options[0]; i++)
            if (strcmp(name, later_options[i]) == 0)
                return usage_error("this version does not have the option ", name);
        return usage_error("unknown option ", name);
    }
    const struct option_row *row = &option_rows[id];
    if (!(row->commands & o->command))
        return usage_error("this command does not take the option ", name);
    if (o->use_count == sizeof o->uses / sizeof o->uses[0])
        return usage_error("too many options at ", name);
    struct option_use *use = &o->uses[o->use_count];
    *use = (struct option_use){.id = (enum option_id)id};
    if (row->value != NULL) {
        if (*at + 1 >= argc)
            return usage_error("a value must follow ", name);
        if (!split_name(o, use, argv[++*at]))
            return false;
    }
    o->use_count++;
    return true;
}

/* What is read from standard input is there once. */
static bool reads_input_once(const struct options *o)
{
    unsigned times = 0;
    for (size_t i = 0; i < o->file_count; i++)
        times += o->command != CMD_EXPLAIN && strcmp(o->files[i], "-") == 0;
    for (size_t i = 0; i < o->use_count; i++) {
        const struct option_use *use = &o->uses[i];
        times += (use->id == OPT_LAUNCH || use->id == OPT_IN || use->id == OPT_EXPECT) && strcmp(use->text, "-") == 0;
    }
    return times < 2 || usage_error("standard input can be read for one file alone", "");
}

bool options_parse(struct options *o, int argc, char **argv)
{
    if (argc < 2)
        return usage_error("a command is needed", "");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            o->command = commands[i].command;
    if (o->command == 0)
        return usage_error("unknown command ", argv[1]);
    for (int i = 2; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1] != '\0') {
            if (!parse_option(o, argc, argv, &i))
                return false;
        } else if (o->file_count == sizeof o->files / sizeof o->files[0]) {
            return usage_error("too many files at ", argv[i]);
        } else {
            o->files[o->file_count++] = argv[i];
        }
    }
    if (option_given(o, OPT_HELP))
        return true;
    if (o->file_count == 0)
        return usage_error(o->command == CMD_EXPLAIN ? "name what to explain" : "a file is needed", "");
    if (o->command == CMD_EXPLAIN && o->file_count > 3)
        return usage_error("one thing to explain at a time; found also ", o->files[3]);
    if (o->file_count > 1 && o->command != CMD_CHECK && o->command != CMD_EXPLAIN)
        return usage_error("one file at a time; found also ", o->files[1]);
    return reads_input_once(o);
}

const char *option_text(const struct options *o, enum option_id id)
{
    const char *text = NULL;
    for (size_t i = 0; i < o->use_count; i++)
        if (o->uses[i].id == id)
            text = o->uses[i].text;
    return text;
}

bool option_given(const struct options *o, enum option_id id)
{
    for (size_t i = 0; i < o->use_count; i++)
        if (o->uses[i].id == id)
            return true;
    return false;
}

bool option_uint(const struct options *o, enum option_id id, uint64_t otherwise, uint64_t *value)
{
    const char *text = option_text(o, id);
    *value = otherwise;
    if (text == NULL)
        return true;
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    if (text[0] != '-' && end != text && *end == '\0' && errno == 0)
        return true;
    fprintf(stderr, "tilewright: %s wants a whole number, found '%s'\n", option_rows[id].name, text);
    return false;
}

bool option_double(const struct options *o, enum option_id id, double otherwise, double *value)
{
    const char *text = option_text(o, id);
    *value = otherwise;
    if (text == NULL)
        return true;
    char *end;
    *value = strtod(text, &end);
    if (end != text && *end == '\0' && *value >= 0 && isfinite(*value))
        return true;
    fprintf(stderr, "tilewright: %s wants a finite number of at least 0, found '%s'\n", option_rows[id].name, text);
    return false;
}
