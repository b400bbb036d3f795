#include "cli/tensors.h"

#include "cli/commands.h"
#include "cli/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool parse_fill(const char *text, char kind[MOST_KIND], uint64_t *seed)
{
    const char *colon = strchr(text, ':');
    const size_t len = colon == NULL ? strlen(text) : (size_t)(colon - text);
    if (len >= MOST_KIND)
        return false;
    memcpy(kind, text, len);
    kind[len] = '\0';
    *seed = 0;
    if (colon == NULL)
        return true;
    char *end;
    errno = 0;
    *seed = strtoull(colon + 1, &end, 0);
    return colon[1] >= '0' && colon[1] <= '9' && *end == '\0' && errno == 0;
}

/* ---- What is to be done --------------------------------------------------------------------------- */

static bool is_tensor_option(enum option_id id)
{
    return id == OPT_IN || id == OPT_FILL || id == OPT_OUT || id == OPT_EXPECT;
}

static bool same_purpose(enum option_id a, enum option_id b)
{
    return a == b || ((a == OPT_IN || a == OPT_FILL) && (b == OPT_IN || b == OPT_FILL));
}

static bool is_overridden(const struct options *o, enum option_id id, const char *name)
{
    for (size_t i = 0; i < o->use_count; i++)
        if (is_tensor_option(o->uses[i].id) && same_purpose(o->uses[i].id, id) && strcmp(o->uses[i].name, name) == 0)
            return true;
    return false;
}

static char *text_copy(const char *text, size_t len)
{
    char *const copy = malloc(len + 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

/* A file that the contract names, from here. It names no stream: "-" is a file of that name, wherever the contract lies. */
static char *beside(const char *contract, const char *file)
{
    const char *const slash = contract == NULL ? NULL : strrchr(contract, '/');
    if (file[0] == '/' || (slash == NULL && strcmp(file, "-") != 0))
        return text_copy(file, strlen(file));
    const char *const folder = slash == NULL ? "./" : contract;
    const size_t folder_len = slash == NULL ? 2 : (size_t)(slash - contract) + 1, len = strlen(file);
    char *const path = malloc(folder_len + len + 1);
    if (path == NULL)
        return NULL;
    memcpy(path, folder, folder_len);
    memcpy(path + folder_len, file, len + 1);
    return path;
}

static bool add(struct tensor_uses *uses, struct tensor_use use)
{
    struct tensor_use *const grown = use.text == NULL ? NULL : realloc(uses->at, (uses->count + 1) * sizeof *grown);
    if (grown == NULL) {
        free(use.text);
        fprintf(stderr, "tilewright: memory is exhausted\n");
        return false;
    }
    uses->at = grown;
    uses->at[uses->count++] = use;
    return true;
}

static bool add_of_contract(struct tensor_uses *uses, const struct options *o, const tw_tensor_use *from, double rtol, double atol)
{
    static const enum option_id ids[] = {[TW_USE_IN] = OPT_IN, [TW_USE_FILL] = OPT_FILL, [TW_USE_OUT] = OPT_OUT, [TW_USE_EXPECT] = OPT_EXPECT};
    const enum option_id id = ids[from->use];
    if (is_overridden(o, id, from->tensor))
        return true;
    return add(uses, (struct tensor_use){
                         .id = id,
                         .name = from->tensor,
                         .text = id == OPT_FILL ? text_copy(from->text, strlen(from->text)) : beside(option_text(o, OPT_LAUNCH), from->text),
                         .seed = from->seed,
                         .rtol = option_given(o, OPT_RTOL) ? rtol : from->rtol,
                         .atol = option_given(o, OPT_ATOL) ? atol : from->atol,
                     });
}

static bool add_option(struct tensor_uses *uses, const struct option_use *from, double rtol, double atol)
{
    char kind[MOST_KIND];
    uint64_t seed = 0;
    const char *text = from->text;
    if (from->id == OPT_FILL && parse_fill(text, kind, &seed)) /* it has been looked at before */
        text = kind;
    return add(uses, (struct tensor_use){from->id, from->name, text_copy(text, strlen(text)), seed, rtol, atol});
}

bool tensor_uses_make(struct tensor_uses *uses, const struct options *o, const tw_args *args, double rtol, double atol)
{
    *uses = (struct tensor_uses){.quiet = option_given(o, OPT_JSON)};
    tw_tensor_use use;
    for (size_t i = 0; tw_args_read_use(args, i, &use); i++)
        if (!add_of_contract(uses, o, &use, rtol, atol))
            return false;
    for (size_t i = 0; i < o->use_count; i++)
        if (is_tensor_option(o->uses[i].id) && !add_option(uses, &o->uses[i], rtol, atol))
            return false;
    return true;
}

void tensor_uses_free(struct tensor_uses *uses)
{
    for (size_t i = 0; i < uses->count; i++)
        free(uses->at[i].text);
    free(uses->at);
    *uses = (struct tensor_uses){0};
}

/* ---- Doing it ------------------------------------------------------------------------------------- */

static tw_status with_file(const struct tensor_uses *uses, const struct tensor_use *use, tw_args *args)
{
    struct file_bytes file;
    if (!file_read(use->text, &file))
        return TW_ERROR; /* it has been said */
    tw_difference difference;
    const tw_status status = use->id == OPT_IN ? tw_args_set_npy(args, use->name, file_title(use->text), file.at, file.len)
                                               : tw_args_compare(args, use->name, file_title(use->text), file.at, file.len, use->rtol,
                                                                 use->atol, &difference);
    free(file.at);
    if (status == TW_OK && use->id == OPT_EXPECT && !uses->quiet)
        printf("%s: as expected (%llu element%s, largest difference %g)\n", use->name, (unsigned long long)difference.elements,
               difference.elements == 1 ? "" : "s", difference.max_abs);
    return status;
}

static tw_status write_tensor(const struct tensor_use *use, tw_args *args)
{
    const void *bytes;
    size_t len;
    const tw_status status = tw_args_get_npy(args, use->name, &bytes, &len);
    return status != TW_OK || file_write(use->text, bytes, len) ? status : TW_ERROR;
}

tw_status tensor_uses_before(const struct tensor_uses *uses, tw_args *args)
{
    tw_status status = TW_OK;
    for (size_t i = 0; i < uses->count && status == TW_OK; i++) {
        const struct tensor_use *const use = &uses->at[i];
        if (use->id == OPT_IN)
            status = with_file(uses, use, args);
        else if (use->id == OPT_FILL)
            status = tw_args_fill(args, use->name, use->text, use->seed);
    }
    return status;
}

tw_status tensor_uses_after(const struct tensor_uses *uses, tw_args *args)
{
    tw_status status = TW_OK;
    for (size_t i = 0; i < uses->count; i++) {
        const struct tensor_use *const use = &uses->at[i];
        const tw_status one = use->id == OPT_OUT      ? write_tensor(use, args)
                              : use->id == OPT_EXPECT ? with_file(uses, use, args)
                                                      : TW_OK;
        status = status == TW_OK ? one : status;
    }
    return status;
}
