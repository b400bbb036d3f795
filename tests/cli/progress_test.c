/* The line that says how far a long run is: its text by a clock of the test's own, and the command on a terminal. */
#define _XOPEN_SOURCE 700 /* posix_openpt */
#include "support/check.h"

#include "cli/progress.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The text ------------------------------------------------------------------------------------- */

struct look {
    double at; /* seconds after the start */
    uint64_t steps, ctas_done, ctas;
};

/* What a terminal gets for some looks and the end. */
static void shown(const struct look *looks, size_t count, char *text, size_t room)
{
    memset(text, 0, room);
    FILE *const to = fmemopen(text, room, "w");
    assert_non_null(to);
    struct progress p = progress_begin(to, 1000);
    for (size_t i = 0; i < count; i++)
        progress_look(&p, &(tw_launch_stats){looks[i].steps, looks[i].ctas_done, looks[i].ctas}, 1000 + looks[i].at);
    progress_end(&p);
    fclose(to);
}

static void a_line_names_ctas_rate_and_time_left(void **state)
{
    (void)state;
    static const struct {
        struct look look;
        const char *text;
    } rows[] = {
        {{2, 25000000, 0, 40}, "\r0 of 40 CTAs, 12.5 million warp instructions a second\n"},
        {{2, 25000000, 10, 40}, "\r10 of 40 CTAs, 12.5 million warp instructions a second, about 6 s left\n"},
        {{10, 1000, 1, 11}, "\r1 of 11 CTAs, 0.0 million warp instructions a second, about 2 min left\n"},
        {{100, 5000000000, 1, 101}, "\r1 of 101 CTAs, 50.0 million warp instructions a second, about 3 h left\n"},
        {{1, 3000000, 0, 1}, "\r0 of 1 CTA, 3.0 million warp instructions a second\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[256];
        shown(&rows[i].look, 1, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
}

static void nothing_is_said_in_the_first_second(void **state)
{
    (void)state;
    char text[256];
    shown((const struct look[]){{0.5, 100, 0, 4}, {0.99, 200, 1, 4}}, 2, text, sizeof text);
    assert_string_equal(text, "");
}

static void the_line_is_written_over_once_a_second(void **state)
{
    (void)state;
    char text[512];
    shown((const struct look[]){{1, 1000000, 0, 4}, {1.9, 2000000, 1, 4}, {2, 2000000, 2, 4}, {3, 300000000, 3, 4}}, 4, text, sizeof text);
    assert_string_equal(text, "\r0 of 4 CTAs, 1.0 million warp instructions a second"
                              "\r2 of 4 CTAs, 1.0 million warp instructions a second, about 2 s left"
                              "\r3 of 4 CTAs, 100.0 million warp instructions a second, about 1 s left\n");
}

static void a_shorter_line_leaves_nothing_of_a_longer_one(void **state)
{
    (void)state;
    char text[512];
    shown((const struct look[]){{10, 1000000000, 1, 11}, {11, 1000000000, 10, 11}}, 2, text, sizeof text);
    assert_string_equal(text, "\r1 of 11 CTAs, 100.0 million warp instructions a second, about 2 min left"
                              "\r10 of 11 CTAs, 90.9 million warp instructions a second, about 1 s left  \n");
}

static void looks_come_about_ten_times_a_second(void **state)
{
    (void)state;
    assert_int_equal(progress_steps(100000, 0.01), 200000);
    assert_int_equal(progress_steps(100000, 0.1), 100000);
    assert_int_equal(progress_steps(100000, 0.9), 50000);
    assert_int_equal(progress_steps(1024, 9), 1024);
}

/* ---- On a terminal ---------------------------------------------------------------------------------- */

/* A loop of two clusters that a time limit ends. */
static const char kernel[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\nmov.u32 %r1, 0;\n"
                             "LOOP: add.u32 %r1, %r1, 1;\nbra.uni LOOP;\n}\n";
static const char contract[] = "{\"entry\": \"k\", \"grid\": 2, \"block\": 32, \"args\": []}\n";

struct folder {
    char name[64], ptx[96], json[96];
};

static void put_file(const char *path, const char *text)
{
    FILE *const f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    fclose(f);
}

static void open_folder(struct folder *f)
{
    strcpy(f->name, "/tmp/tilewright-progress-XXXXXX");
    assert_non_null(mkdtemp(f->name));
    snprintf(f->ptx, sizeof f->ptx, "%s/k.ptx", f->name);
    snprintf(f->json, sizeof f->json, "%s/k.json", f->name);
    put_file(f->ptx, kernel);
    put_file(f->json, contract);
}

static void close_folder(const struct folder *f)
{
    unlink(f->ptx);
    unlink(f->json);
    rmdir(f->name);
}

/* The two ends of a terminal, or of a pipe. */
static void open_ends(bool terminal, int *mine, int *its)
{
    int ends[2];
    if (terminal) {
        *mine = posix_openpt(O_RDWR | O_NOCTTY);
        assert_true(*mine >= 0 && grantpt(*mine) == 0 && unlockpt(*mine) == 0);
        *its = open(ptsname(*mine), O_RDWR | O_NOCTTY);
        assert_true(*its >= 0);
        return;
    }
    assert_int_equal(pipe(ends), 0);
    *mine = ends[0];
    *its = ends[1];
}

/* What the tool writes to standard error; `seconds` end the run. */
static void run_tool(bool terminal, const char *seconds, const char *more, char *text, size_t room)
{
    const char *const tool = getenv("TILEWRIGHT");
    struct folder f;
    int mine, its, status;
    size_t len = 0;
    open_folder(&f);
    open_ends(terminal, &mine, &its);
    const pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        dup2(its, STDERR_FILENO);
        execl(tool, tool, "run", f.ptx, "--launch", f.json, "--max-seconds", seconds, more, (char *)NULL);
        _exit(127);
    }
    close(its);
    for (ssize_t got; len < room - 1 && (got = read(mine, text + len, room - 1 - len)) > 0;) /* a terminal that is left is an error */
        len += (size_t)got;
    text[len] = '\0';
    close(mine);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3); /* the limit */
    close_folder(&f);
}

/* "\r0 of 2 CTAs, 95.1 million warp instructions a second", digits aside. */
static bool begins_with_line(const char *text)
{
    char rest[64] = "";
    double rate = 0;
    return sscanf(text, "\r0 of 2 CTAs, %lf million warp instructions a %63[a-z]", &rate, rest) == 2 && rate > 0 && strcmp(rest, "second") == 0;
}

static bool has_tool(void)
{
    if (getenv("TILEWRIGHT") != NULL)
        return true;
    printf("not run: TILEWRIGHT does not name the tool\n");
    return false;
}

static void a_terminal_sees_the_line_of_a_long_run(void **state)
{
    (void)state;
    char text[4096];
    if (!has_tool())
        skip();
    run_tool(true, "3", NULL, text, sizeof text);
    if (!begins_with_line(text))
        fail_msg("%s", text);
    const char *const end = strchr(text, '\n'); /* the report begins a line of its own */
    assert_non_null(end);
    assert_non_null(strstr(end, "fix: raise --max-seconds"));
}

static void a_short_run_shows_none(void **state)
{
    (void)state;
    char text[4096];
    if (!has_tool())
        skip();
    run_tool(true, "0.3", NULL, text, sizeof text);
    assert_null(strstr(text, "instructions a second"));
}

static void a_pipe_sees_none(void **state)
{
    (void)state;
    char text[4096];
    if (!has_tool())
        skip();
    run_tool(false, "1.5", NULL, text, sizeof text);
    assert_null(strstr(text, "instructions a second"));
}

static void json_shows_none(void **state)
{
    (void)state;
    char text[4096];
    if (!has_tool())
        skip();
    run_tool(true, "1.5", "--json", text, sizeof text);
    assert_null(strstr(text, "instructions a second"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_names_ctas_rate_and_time_left),
        cmocka_unit_test(nothing_is_said_in_the_first_second),
        cmocka_unit_test(the_line_is_written_over_once_a_second),
        cmocka_unit_test(a_shorter_line_leaves_nothing_of_a_longer_one),
        cmocka_unit_test(looks_come_about_ten_times_a_second),
        cmocka_unit_test(a_terminal_sees_the_line_of_a_long_run),
        cmocka_unit_test(a_short_run_shows_none),
        cmocka_unit_test(a_pipe_sees_none),
        cmocka_unit_test(json_shows_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
