/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the options of `omptape report` that select a part of the archive and an order, and applies them.
 * Called by report.c on its one thread.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/timeline/pyramid.h"
#include "src/archive/read/visits.h"
#include "src/command/text/moment.h"
#include "src/command/text/ranges.h"

/* Option values as given; NULL if not given. */
struct report_option_texts {
    const char *top;
    const char *sort;
    const char *from;
    const char *to;
    const char *ranks;
    const char *jobs;
    const char *threads;
    const char *by;
    const char *part;
    const char *parts;
};

struct report_choice {
    unsigned top;  /* 0 if not given */
    unsigned jobs; /* number of reading processes */
    unsigned sort; /* index of the order */
    struct time_option from;
    struct time_option to;
    struct omptape_visit first; /* the instances that `from` and `to` name, if they name any */
    struct omptape_visit last;
    struct ranges ranks;
    const char *ranks_text;
    bool any_rank_exists;  /* at least one of the ranks exists */
    struct ranges threads; /* threads that get a row */
    const char *threads_text;
    bool plain; /* location ids are plain numbers */
};

/* Parses all options. Returns 0, negative errno after one line. report_choice_free is called in any case. */
int report_choice_read(struct report_choice *choice, const struct report_option_texts *texts);

/* Parses a command's --top, a number of at least 1. Returns 0, or negative errno after one line. */
int report_choice_read_top(const char *command, const char *text, unsigned *top);

/* Finds the instances of regions that `from` and `to` name, before the archive is opened. Returns 0, or
 * negative errno with one line in `error`. */
int report_choice_find(struct report_choice *choice, const char *path, char *error, size_t error_bytes);

/* Fills in the options for this archive. Returns 0, or -EINVAL with one line in `error`. The choice must
 * exist as long as the options. */
int report_choice_apply(struct report_choice *choice, const struct omptape_reader *reader,
                        struct omptape_analysis_options *options, char *error, size_t error_bytes);

/* Removes all threads that get no row from the list and from the pyramid. Sums still cover all threads. */
void report_choice_threads(const struct report_choice *choice, struct omptape_analysis *analysis,
                           struct omptape_pyramid *pyramid);

/* Sorts the regions in the selected order. */
void report_choice_sort(const struct report_choice *choice, struct omptape_analysis *analysis);
void report_choice_free(struct report_choice *choice);
