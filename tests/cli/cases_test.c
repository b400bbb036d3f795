/* The command as a user meets it: every file of tests/cli/cases is one test.
 *
 *     # What the case shows.
 *     ! shell line that prepares something in $TMP, an empty folder of the case's own
 *     $ tilewright check tests/cli/kernels/no_shape.py
 *     exit 1
 *     --- stdout
 *     --- stderr
 *     the exact text
 *
 * Commands run from the repository's root; `tilewright` is the tool under test (TILEWRIGHT). In outputs the folder's
 * name reads $TMP. A case is written by a person or read by one: TW_BLESS=name rewrites the expectations of that one
 * case from what the tool prints, for the diff to be read. */
#include "support/check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char folder[] = "tests/cli/cases";

enum { MAX_CASES = 200, MAX_TEXT = 1 << 16 };

struct cli_case {
    char name[256];
    char head[MAX_TEXT]; /* comment, preparation and command, as written */
    char script[MAX_TEXT];
    int exit_status;
    char out[MAX_TEXT], err[MAX_TEXT];
};

static void read_whole(const char *path, char *into)
{
    into[0] = '\0';
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return;
    const size_t len = fread(into, 1, MAX_TEXT - 1, f);
    into[len] = '\0';
    fclose(f);
}

static void add_line(char *text, const char *line, size_t len)
{
    assert_true(strlen(text) + len + 2 < MAX_TEXT);
    strncat(text, line, len);
    strcat(text, "\n");
}

/* `$ tilewright ...` becomes a call of the tool with its outputs caught. */
static void add_command(struct cli_case *c, const char *line, size_t len)
{
    char command[MAX_TEXT];
    snprintf(command, sizeof command, "{ %.*s ; } >\"$OUT/stdout\" 2>\"$OUT/stderr\"", (int)len, line);
    add_line(c->script, command, strlen(command));
}

static void parse_case(struct cli_case *c, const char *text)
{
    char *section = NULL;
    for (const char *line = text; *line != '\0';) {
        const size_t len = strcspn(line, "\n");
        if (strncmp(line, "--- stdout", 10) == 0)
            section = c->out;
        else if (strncmp(line, "--- stderr", 10) == 0)
            section = c->err;
        else if (section != NULL)
            add_line(section, line, len);
        else if (strncmp(line, "exit ", 5) == 0)
            c->exit_status = atoi(line + 5);
        else
            add_line(c->head, line, len);
        if (section == NULL && line[0] == '!')
            add_line(c->script, line + 1, len - 1);
        if (section == NULL && line[0] == '$')
            add_command(c, line + 1, len - 1);
        line += len + (line[len] == '\n');
    }
}

/* Puts $TMP for the name of the case's folder. */
static void hide_folder(char *text, const char *name)
{
    const size_t len = strlen(name);
    for (char *at = strstr(text, name); at != NULL; at = strstr(at, name)) {
        memmove(at + 4, at + len, strlen(at + len) + 1);
        memcpy(at, "$TMP", 4);
    }
}

static int run_script(const struct cli_case *c, char *out, char *err)
{
    char base[] = "/tmp/tilewright-case.XXXXXX", path[256], script[2 * MAX_TEXT];
    assert_non_null(mkdtemp(base));
    const char *tool = getenv("TILEWRIGHT");
    snprintf(script, sizeof script,
             "tilewright() { '%s' \"$@\"; }\nOUT='%s' TMP='%s/tmp'\nmkdir \"$TMP\"\n%s", tool == NULL ? "build/gcc-release/tilewright" : tool,
             base, base, c->script);
    const int status = system(script);
    snprintf(path, sizeof path, "%s/stdout", base);
    read_whole(path, out);
    snprintf(path, sizeof path, "%s/stderr", base);
    read_whole(path, err);
    snprintf(path, sizeof path, "%s/tmp", base);
    hide_folder(out, path);
    hide_folder(err, path);
    snprintf(path, sizeof path, "rm -rf '%s'", base);
    assert_int_equal(system(path), 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void bless(const struct cli_case *c, int status, const char *out, const char *err)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, c->name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fprintf(f, "%sexit %d\n--- stdout\n%s--- stderr\n%s", c->head, status, out, err);
    fclose(f);
}

static void run_case(void **state)
{
    struct cli_case *c = *state;
    char path[512], *out = malloc(MAX_TEXT), *err = malloc(MAX_TEXT), *text = malloc(MAX_TEXT);
    assert_true(out != NULL && err != NULL && text != NULL);
    snprintf(path, sizeof path, "%s/%s", folder, c->name);
    read_whole(path, text);
    parse_case(c, text);
    assert_true(c->script[0] != '\0');
    const int status = run_script(c, out, err);
    const char *wanted = getenv("TW_BLESS");
    if (wanted != NULL && strcmp(wanted, c->name) == 0) {
        bless(c, status, out, err);
    } else {
        assert_string_equal(err, c->err);
        assert_string_equal(out, c->out);
        assert_int_equal(status, c->exit_status);
    }
    free(out), free(err), free(text);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct CMUnitTest *)a)->name, ((const struct CMUnitTest *)b)->name);
}

int main(void)
{
    static struct CMUnitTest tests[MAX_CASES];
    size_t count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e = d == NULL ? NULL : readdir(d); e != NULL && count < MAX_CASES; e = readdir(d)) {
        if (e->d_name[0] == '.')
            continue;
        struct cli_case *c = calloc(1, sizeof *c);
        snprintf(c->name, sizeof c->name, "%s", e->d_name);
        tests[count++] = (struct CMUnitTest){c->name, run_case, NULL, NULL, c};
    }
    if (d != NULL)
        closedir(d);
    qsort(tests, count, sizeof tests[0], by_name);
    const int failed = _cmocka_run_group_tests("command", tests, count, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        free(tests[i].initial_state);
    return failed;
}
