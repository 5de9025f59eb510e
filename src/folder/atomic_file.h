/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An output file that gets its name only when it is complete. Until then it has no name or a hidden one, so a
 * failed or interrupted command keeps the previous file. It replaces only a regular file of the caller.
 * Called by report, compare and export, on the command's only thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { OMPTAPE_ATOMIC_FILE_ERROR_BYTES = 1024 };

struct omptape_atomic_file {
    int folder;
    int file;         /* descriptor for writing */
    const char *path; /* as the user gave it; owned by the caller */
    char *name;
    char *hidden; /* the temporary name */
    bool unnamed; /* the file has no name at all (O_TMPFILE) */
};

/* Opens the file; "-" is the standard output. Returns 0, or negative errno with "cannot make PATH: ...". */
int omptape_atomic_file_open(struct omptape_atomic_file *file, const char *path, char *error, size_t bytes);

/* Gives the file its name and replaces the previous file. Returns as omptape_atomic_file_open. */
int omptape_atomic_file_commit(struct omptape_atomic_file *file, char *error, size_t bytes);

/* Closes the file and discards it if it was not committed. Does nothing for zeros with `folder` and `file`
 * -1. */
void omptape_atomic_file_close(struct omptape_atomic_file *file);

/* Complete writes and reads, which repeat the system call after partial transfers. Any thread.
 */

/* Writes all bytes at the descriptor's offset. Returns 0, or negative errno after a partial write. */
int omptape_write_all(int file, const void *data, size_t bytes);

/* Reads from the descriptor's offset to the end of the file into *bytes, which the caller frees. *count is
 * smaller than the file's size if the file was truncated meanwhile. Returns 0; -EFBIG if the file has more
 * than `max_bytes`; or another negative errno. */
int omptape_read_all(int file, size_t max_bytes, unsigned char **bytes, size_t *count);
