/* The subcommands; each returns an exit status. */
#ifndef TW_CLI_COMMANDS_H
#define TW_CLI_COMMANDS_H

#include "cli/files.h"
#include "cli/options.h"
#include "tilewright/tilewright.h"

int command_compile(const struct options *o);
int command_check(const struct options *o);
int command_run(const struct options *o);
int command_explain(const struct options *o);

/* A context; NULL after a message: memory is exhausted. */
tw_ctx *open_context(void);
/* Prints the context's diagnostics on standard error and gives the exit status that goes with `status`. */
int finish(tw_ctx *ctx, const struct options *o, tw_status status);
/* True for file names that end in .ptx. */
bool is_ptx(const char *path);
/* True for those, and for any other file whose text is PTX: it begins with .version. */
bool is_ptx_text(const char *path, const struct file_bytes *text);
/* What a file is called in messages: its path, or <stdin>. */
const char *file_title(const char *path);
/* False after a message: --arch or --kernel was given with a file that is PTX, which has its .target and entries. */
bool options_fit(const struct options *o, const char *path, bool ptx);
/* Compiles a kernel, or reads a .ptx file, as the options say. */
tw_status load_module(tw_ctx *ctx, const struct options *o, const char *path, const struct file_bytes *text,
                      tw_module **out);

/* Whether ptxas takes the PTX: 1 accepted, 0 refused (its words are on standard error), -1 not installed. */
int ask_ptxas(const char *ptx, size_t len, const char *arch);

#endif
