/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A file that the user named for what a command makes. It has no name, or a hidden one, until it is complete:
 * a failed or interrupted command leaves what was there. What it replaces has to be a regular file of the
 * caller's. For report, compare and export, on the command's only thread.
 */
#ifndef OMPTAPE_FOLDER_ATOMIC_FILE_H
#define OMPTAPE_FOLDER_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>

enum { OMPTAPE_ATOMIC_FILE_ERROR_BYTES = 1024 };

struct omptape_atomic_file {
    int folder;
    int file;         /* to be written to */
    const char *path; /* as the user said it; the caller's */
    char *name;
    char *hidden; /* the name until then */
    bool unnamed; /* it does not have that yet */
};

/* "-" is the standard output. 0, or a negative errno with "cannot make PATH: ..." in `error`. */
int omptape_atomic_file_open(struct omptape_atomic_file *file, const char *path, char *error, size_t bytes);

/* Gives the file its name. As above. */
int omptape_atomic_file_commit(struct omptape_atomic_file *file, char *error, size_t bytes);

/* What has no name yet is gone. All zeros but `folder` and `file` (-1) is no file. */
void omptape_atomic_file_close(struct omptape_atomic_file *file);

/* All of some bytes into a descriptor, and all of a file into memory, however many pieces the kernel makes of
 * it. For who writes and reads files that are neither text nor libotf2's. Any thread.
 */

/* At the descriptor's place. 0 or negative errno; then a part may be written. */
int omptape_write_all(int file, const void *data, size_t bytes);

/* From the descriptor's place, as many bytes as the file has, less if it became shorter meanwhile. 0 with
 * malloc'ed *bytes, which the caller frees; -EFBIG: it has more than `most`; or negative errno. */
int omptape_read_all(int file, size_t most, unsigned char **bytes, size_t *count);

#endif
