/* Files of the command: read whole, written whole or not at all. */
#ifndef TW_CLI_FILES_H
#define TW_CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct file_bytes {
    char *at; /* malloc; a NUL follows the bytes */
    size_t len;
};

/* "-" is standard input. False after a message on standard error. */
bool file_read(const char *path, struct file_bytes *out);
/* Writes a temporary file beside `path` and renames it: `path` appears whole or keeps what it was. "-" is standard
   output. False after a message on standard error. */
bool file_write(const char *path, const void *bytes, size_t len);
/* What was printed on standard output has been written. False after a message on standard error. */
bool file_flush(void);
/* A new temporary file with these bytes; its path into `path` (at least 64 bytes). */
bool file_temporary(const void *bytes, size_t len, char *path, size_t path_bytes);

#endif
