/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What of the archive is looked at, and in which order it is shown: the words behind `omptape report` as they
 * are read, and what follows from them. report.c's one thread.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/timeline/pyramid.h"
#include "src/archive/read/visits.h"
#include "src/command/text/moment.h"
#include "src/command/text/ranges.h"

/* As they were given; NULL: not. */
struct report_words {
    const char *top;
    const char *sort;
    const char *from;
    const char *to;
    const char *ranks;
    const char *jobs;
    const char *threads;
};

struct report_choice {
    unsigned top;  /* 0: not said */
    unsigned jobs; /* processes that read */
    unsigned sort; /* which of the orders */
    struct omptape_time_option from;
    struct omptape_time_option to;
    struct omptape_visit first; /* what they name, if they are instances of regions */
    struct omptape_visit last;
    struct omptape_ranges ranks;
    const char *ranks_said;
    bool some;                     /* one of the ranks is there */
    struct omptape_ranges threads; /* that have a row */
    const char *threads_said;
    bool plain; /* locations' ids are their numbers */
};

/* 0, or a negative errno after one line. report_choice_free in any case. */
int report_choice_read(struct report_choice *choice, const struct report_words *words);

/* --top of this command: a number from 1 on. Likewise. */
int report_choice_read_top(const char *command, const char *text, unsigned *top);

/* Finds the instances of regions that are from and to, before the archive is opened. 0, or a negative errno
 * with one line in `error`. */
int report_choice_find(struct report_choice *choice, const char *path, char *error, size_t error_bytes);

/* Fills the options for this archive. 0, or -EINVAL with one line in `error`. The choice has to live as long
 * as they do. */
int report_choice_apply(struct report_choice *choice, const struct omptape_reader *reader,
                        struct omptape_analysis_options *options, char *error, size_t error_bytes);

/* Leaves those threads in the list that are to have a row; and of the pyramid's rows. All that is added up is
 * of all threads. */
void report_choice_threads(const struct report_choice *choice, struct omptape_analysis *analysis,
                           struct omptape_pyramid *pyramid);

/* Puts the regions in order. */
void report_choice_sort(const struct report_choice *choice, struct omptape_analysis *analysis);
void report_choice_free(struct report_choice *choice);
