/* ptxas as a second opinion. */
#include "cli/commands.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_ptxas(const char *arch_option, const char *path)
{
    const pid_t child = fork();
    if (child < 0)
        return -1;
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execlp("ptxas", "ptxas", arch_option, "-o", "/dev/null", path, (char *)NULL);
        _exit(127);
    }
    int status;
    if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

int ask_ptxas(const char *ptx, size_t len, const char *arch)
{
    char path[256], option[64];
    if (!file_temporary(ptx, len, path, sizeof path))
        return -1;
    snprintf(option, sizeof option, "-arch=%s", arch);
    fflush(stdout);
    const int status = run_ptxas(option, path);
    unlink(path);
    if (status == 127 || status < 0)
        return -1;
    return status == 0;
}
