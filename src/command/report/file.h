/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Output files that the user named, including "-". The command opens them before it reads the archive; the
 * reading child writes them. For report and compare, on their one thread.
 */
#pragma once

#include "src/folder/atomic_file.h"

#include <stdio.h>

struct report_file {
    const char *name; /* NULL if not given */
    bool is_output;   /* true for "-": standard output */
    struct omptape_atomic_file made;
};
extern const struct report_file report_no_file;

/* A file and the option that names it. */
struct report_file_option {
    const char *option;
    struct report_file *file;
};

/* Opens the files before the archive is read, to detect errors early. Refuses two with the same name and two
 * on the standard output. Returns 0, or negative errno after one line with the command's name. */
int report_files_open(const struct report_file_option *files, size_t count, const char *command);

/* Writes the whole file, or `out` for "-"; an incomplete file is discarded. Returns 0, or negative errno with
 * one line in `error`. */
typedef int report_file_writer(FILE *out, const void *data);
int report_file_write(struct report_file *file, FILE *out, report_file_writer *write, const void *data,
                      char *error, size_t error_bytes);
/* Writes into an open file, which stays open. Returns 0 or negative errno. */
int report_file_write_into(int file, report_file_writer *write, const void *data);
/* Prints the name and size of a written file, in the command itself. Prints nothing for "-". */
void report_file_announce(const struct report_file *file);
void report_file_close(struct report_file *file);
