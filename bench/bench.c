/* make bench: what compiling and running the example kernels costs. Best of several runs, with the count.
 *
 * Whole processes are measured as a user starts them: wall time, and peak memory as the system counts it. */
#define _DEFAULT_SOURCE /* wait4 */
#include "examples/catalogue.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 20, LOOKS = 3 };

static const double compile_goal = 50e-3; /* seconds of the processor that any example may take to compile */

struct cost {
    double seconds, cpu; /* by the clock, and of the processor */
    long kilobytes;
    int status;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct cost run_once(char *const argv[])
{
    const double began = now();
    const pid_t child = fork();
    if (child == 0) {
        const int quiet = open("/dev/null", O_WRONLY);
        dup2(quiet, STDOUT_FILENO);
        dup2(quiet, STDERR_FILENO);
        execv(argv[0], argv);
        _exit(127);
    }
    int status = -1;
    struct rusage use = {0};
    wait4(child, &status, 0, &use);
    const double cpu = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + 1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
    return (struct cost){now() - began, cpu, use.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

static int measure(const char *what, char *const argv[])
{
    struct cost best = {1e9, 1e9, 0, 0};
    for (int i = 0; i < RUNS; i++) {
        const struct cost c = run_once(argv);
        if (c.status != 0) {
            fprintf(stderr, "%s: exit status %d\n", what, c.status);
            return 1;
        }
        if (c.seconds < best.seconds)
            best.seconds = c.seconds;
        if (c.kilobytes > best.kilobytes)
            best.kilobytes = c.kilobytes;
    }
    printf("%-44s %8.1f ms  %6.1f MB  (best time and largest memory of %d)\n", what, best.seconds * 1e3,
           (double)best.kilobytes / 1024, RUNS);
    return 0;
}

static double compile_seconds(char *tool, const struct example *e)
{
    char compile[] = "compile", arch[] = "--arch";
    char *const path = strdup(e->path), *const target = strdup(e->arch);
    double best = 1e9;
    for (int i = 0; i < LOOKS && path != NULL && target != NULL; i++) {
        const struct cost c = run_once((char *[]){tool, compile, path, arch, target, NULL});
        if (c.status != 0) {
            fprintf(stderr, "compile %s: exit status %d\n", e->path, c.status);
            best = 1e9;
            break;
        }
        best = c.cpu < best ? c.cpu : best;
    }
    free(path);
    free(target);
    return best;
}

/* The example that takes longest, against the goal. */
static int measure_examples(char *tool)
{
    const struct example *e, *slowest = NULL;
    double most = 0;
    size_t count = 0;
    for (; (e = tw_example_at(count)) != NULL; count++) {
        const double took = compile_seconds(tool, e);
        if (took > most) {
            most = took;
            slowest = e;
        }
    }
    printf("slowest compile of %zu examples %20.1f ms%c  (%s; the goal is below %.0f ms)\n", count, most * 1e3, most < compile_goal ? ' ' : '<',
           slowest == NULL ? "none" : slowest->path, compile_goal * 1e3);
    return most >= 1e9;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: bench PATH-OF-TILEWRIGHT\n");
        return 2;
    }
    char compile[] = "compile", run[] = "run", tensor[] = "examples/tensor_mma.py", warp[] = "examples/warp_mma.py";
    char fill[] = "--fill", a[] = "A=ints:1", b[] = "B=ints:2";
    int failed = 0;
    failed += measure("compile examples/tensor_mma.py", (char *[]){argv[1], compile, tensor, NULL});
    failed += measure("compile examples/warp_mma.py", (char *[]){argv[1], compile, warp, NULL});
    failed += measure_examples(argv[1]);
    failed += measure("run examples/tensor_mma.py", (char *[]){argv[1], run, tensor, fill, a, fill, b, NULL});
    failed += measure("run examples/warp_mma.py", (char *[]){argv[1], run, warp, fill, a, fill, b, NULL});
    return failed != 0;
}
