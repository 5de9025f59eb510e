/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What of the archive is looked at, in which order it is shown, and the files that get it: the words behind
 * `omptape report` as they are read, and what follows from them. report.c's one thread.
 */
#ifndef OMPTAPE_COMMAND_REPORT_CHOICE_H
#define OMPTAPE_COMMAND_REPORT_CHOICE_H

#include "src/analysis/analysis.h"

#include <stdio.h>

/* As they were given; NULL: not. */
struct report_words {
    const char *top;
    const char *sort;
    const char *from;
    const char *to;
    const char *ranks;
    const char *jobs;
};

struct report_choice {
    unsigned top;  /* 0: not said */
    unsigned jobs; /* processes that read */
    unsigned sort; /* which of the orders */
    double from;   /* seconds; negative: not said */
    double to;
    const char *ranks;
    bool some; /* one of the ranks is there */
};

/* 0, or -EINVAL after one line. */
int report_choice_read(struct report_choice *choice, const struct report_words *words);

/* --top of this command: a number from 1 on. Likewise. */
int report_choice_read_top(const char *command, const char *text, unsigned *top);

/* Fills the options for this archive. 0, or -EINVAL with one line in `error`. The choice has to live as long
 * as they do. */
int report_choice_apply(struct report_choice *choice, const struct omptape_reader *reader,
                        struct omptape_analysis_options *options, char *error, size_t error_bytes);

/* Puts the regions in order. */
void report_choice_sort(const struct report_choice *choice, struct omptape_analysis *analysis);

/* A file that the user named for an answer. As with all that omptape writes, no link of that name is
 * followed, and only a file of the caller's is replaced. */
struct report_file {
    const char *name; /* NULL: none */
    bool is_output;   /* "-": stdout */
    int folder;       /* that it will be in; or -1 */
    const char *base;
};

/* Before the reading: is there a folder? 0, or a negative errno after one line of this command's. */
int report_file_open(struct report_file *file, const char *command);

/* Writes it (or to `out`), whole or not at all. 0, or a negative errno with one line in `error`. */
typedef int report_file_writer(FILE *out, const void *data);
int report_file_write(const struct report_file *file, FILE *out, report_file_writer *write, const void *data,
                      char *error, size_t error_bytes);
void report_file_close(struct report_file *file);

#endif
