/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file that an export makes. It has no name, or a hidden one, until it is complete: a failed or
 * interrupted export leaves what was there. What it replaces has to be a regular file of the caller's. For
 * export.c, on the command's only thread.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_FILE_H
#define OMPTAPE_COMMAND_EXPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct omptape_export_file {
    int folder;
    int file; /* to be written to */
    char *name;
    char *hidden; /* the name until then */
    bool unnamed; /* it does not have that yet */
};

/* "-" is the standard output. 0, or a negative errno with a phrase in `error`. */
int omptape_export_file_open(struct omptape_export_file *file, const char *path, char *error, size_t bytes);

/* Gives the file its name. As above. */
int omptape_export_file_keep(struct omptape_export_file *file, char *error, size_t bytes);

/* What has no name yet is gone. All zeros but `folder` and `file` (-1) is no file. */
void omptape_export_file_close(struct omptape_export_file *file);

#endif
