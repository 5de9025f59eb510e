/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that the user named for answers, "-" among them. The command opens them before it reads; what they
 * get is written in the child that read. For report.c and compare.c, on their one thread.
 */
#pragma once

#include "src/folder/atomic_file.h"

#include <stdio.h>

struct report_file {
    const char *name; /* NULL: none */
    bool is_output;   /* "-": stdout */
    struct omptape_atomic_file made;
};
extern const struct report_file report_no_file;

/* Before the reading: may it be made? 0, or a negative errno after one line of this command's. */
int report_file_open(struct report_file *file, const char *command);

/* The same of several, each by its option. */
struct report_file_option {
    const char *option;
    struct report_file *file;
};
int report_files_open(const struct report_file_option *files, size_t count, const char *command);

/* Writes it (or to `out`), whole or not at all. 0, or a negative errno with one line in `error`. */
typedef int report_file_writer(FILE *out, const void *data);
int report_file_write(struct report_file *file, FILE *out, report_file_writer *write, const void *data,
                      char *error, size_t error_bytes);
/* After that, in the command itself: says that it is there, and how large. Nothing of what is no file. */
void report_file_announce(const struct report_file *file);
void report_file_close(struct report_file *file);
