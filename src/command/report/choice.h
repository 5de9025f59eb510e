/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What of the archive is looked at, and in which order it is shown: the words behind `omptape report` as they
 * are read, and what follows from them. report.c's one thread.
 */
#ifndef OMPTAPE_COMMAND_REPORT_CHOICE_H
#define OMPTAPE_COMMAND_REPORT_CHOICE_H

#include "src/analysis/analysis.h"

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

#endif
