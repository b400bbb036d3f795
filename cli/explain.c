/* explain: diagnostic codes. */
#include "cli/commands.h"

#include <stdio.h>

int command_explain(const struct options *o)
{
    tw_ctx *ctx = tw_ctx_create(NULL);
    const char *text = tw_explain_code(ctx, o->files[0]);
    if (text == NULL)
        fprintf(stderr, "tilewright: there is no diagnostic code '%s'; this version explains codes such as E0421\n",
                o->files[0]);
    else
        fputs(text, stdout);
    tw_ctx_destroy(ctx);
    return text == NULL ? EXIT_USAGE : EXIT_DONE;
}
