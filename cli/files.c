#include "cli/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool report(const char *verb, const char *path, int error)
{
    fprintf(stderr, "%s: error[E0601]: cannot %s the file: %s\n", path, verb, strerror(error));
    return false;
}

static bool read_all(FILE *f, struct file_bytes *out)
{
    size_t cap = 1 << 16;
    out->at = malloc(cap);
    out->len = 0;
    while (out->at != NULL) {
        const size_t got = fread(out->at + out->len, 1, cap - out->len - 1, f);
        out->len += got;
        if (got == 0)
            break;
        if (cap - out->len - 1 == 0) {
            cap *= 2;
            char *grown = realloc(out->at, cap);
            if (grown == NULL)
                free(out->at);
            out->at = grown;
        }
    }
    if (out->at == NULL) {
        errno = ENOMEM;
        return false;
    }
    out->at[out->len] = '\0';
    if (ferror(f) == 0)
        return true;
    const int error = errno;
    free(out->at);
    out->at = NULL;
    errno = error;
    return false;
}

bool file_read(const char *path, struct file_bytes *out)
{
    if (strcmp(path, "-") == 0)
        return read_all(stdin, out) || report("read", "standard input", errno);
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return report("read", path, errno);
    const bool ok = read_all(f, out);
    const int error = errno;
    fclose(f);
    return ok || report("read", path, error);
}

static bool write_all(int fd, const char *at, size_t len)
{
    while (len != 0) {
        const ssize_t n = write(fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

/* mkstemp makes a private file; a result gets the mode that the user's umask gives to any new file. */
static void use_ordinary_mode(int fd)
{
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
}

bool file_write(const char *path, const void *bytes, size_t len)
{
    if (strcmp(path, "-") == 0) {
        fflush(stdout);
        return write_all(STDOUT_FILENO, bytes, len) || report("write", "standard output", errno);
    }
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) { /* a device or a pipe has no "whole or not at all" */
        FILE *f = fopen(path, "wb");
        const bool ok = f != NULL && fwrite(bytes, 1, len, f) == len;
        return (f != NULL && fclose(f) == 0 && ok) || report("write", path, errno);
    }
    const size_t n = strlen(path);
    char *temporary = malloc(n + 16);
    if (temporary == NULL)
        return report("write", path, ENOMEM);
    snprintf(temporary, n + 16, "%s.XXXXXX", path);
    const int fd = mkstemp(temporary);
    bool ok = fd >= 0;
    if (ok) {
        use_ordinary_mode(fd);
        ok = write_all(fd, bytes, len);
        ok = close(fd) == 0 && ok;
        ok = ok && rename(temporary, path) == 0;
    }
    const int error = errno;
    if (!ok && fd >= 0)
        unlink(temporary);
    free(temporary);
    return ok || report("write", path, error);
}

bool file_flush(void)
{
    if (fflush(stdout) != 0)
        return report("write", "standard output", errno);
    return ferror(stdout) == 0 || report("write", "standard output", EIO);
}

bool file_temporary(const void *bytes, size_t len, char *path, size_t path_bytes)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, path_bytes, "%s/tilewright.XXXXXX", folder == NULL || strlen(folder) > 200 ? "/tmp" : folder);
    const int fd = mkstemp(path);
    if (fd < 0)
        return report("write", path, errno);
    const bool ok = write_all(fd, bytes, len);
    const int error = errno;
    close(fd);
    return ok || report("write", path, error);
}
