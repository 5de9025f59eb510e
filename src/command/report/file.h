/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Output files that the user named, including "-". The command opens them before it reads the archive. The
 * reading child, or the command itself, writes them. The command gives them their names once all is well. For
 * report, compare, scale and whatif, on their one thread.
 */
#pragma once

#include "src/command/text/value_tree.h"
#include "src/folder/atomic_file.h"

#include <stdio.h>

/* The options that name a file, as indices of a subcommand's list of all. */
enum report_output { REPORT_JSON, REPORT_CSV, REPORT_HTML, REPORT_SVG, REPORT_JUNIT, REPORT_OUTPUTS };

struct report_file {
    const char *name; /* NULL if not given */
    bool is_output;   /* true for "-": standard output */
    struct omptape_atomic_file made;
};

/* Initialises the list; the options' texts become the names then. */
void report_outputs_init(struct report_file files[REPORT_OUTPUTS]);

/* Opens the files before the archive is read, to detect errors early. Refuses two with the same name and two
 * on the standard output. Returns 0, or negative errno after one line with the command's name. */
int report_outputs_open(struct report_file files[REPORT_OUTPUTS], const char *command);

/* Returns true if a file is written in place of the text. */
bool report_outputs_replace_text(const struct report_file files[REPORT_OUTPUTS]);

/* Writes the numbers as JSON and as CSV if these are wanted. Returns as report_file_write. */
int report_outputs_write_numbers(struct report_file files[REPORT_OUTPUTS], FILE *out,
                                 value_tree_writer *write, const void *data, char *error, size_t error_bytes);

/* Commits all files except --junit's, as report_file_commit. Stops at the first error. */
int report_outputs_commit(struct report_file files[REPORT_OUTPUTS], const char *command);
/* Closes the files and discards those that were not committed. */
void report_outputs_close(struct report_file files[REPORT_OUTPUTS]);

/* Writes the whole file if it is wanted, or `out` for "-". Returns 0, or negative errno with `error`. */
typedef int report_file_writer(FILE *out, const void *data);
int report_file_write(struct report_file *file, FILE *out, report_file_writer *write, const void *data,
                      char *error, size_t error_bytes);
/* Writes into an open file, which stays open. Returns 0 or negative errno. */
int report_file_write_into(int file, report_file_writer *write, const void *data);
/* Gives a written file its name and prints name and size, in the command itself. Does nothing for "-".
 * Returns 0, or negative errno after one line with the command's name. */
int report_file_commit(struct report_file *file, const char *command);
