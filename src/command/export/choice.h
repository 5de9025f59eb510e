/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What of an archive is exported: a window of time, some locations, and regions that last long enough. For
 * export.c, which reads the words, and for places.c and the formats, which go by it.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_CHOICE_H
#define OMPTAPE_COMMAND_EXPORT_CHOICE_H

#include "src/archive/read/visits.h"
#include "src/command/text/moment.h"
#include "src/command/text/ranges.h"

struct omptape_export_choice {
    uint64_t from;                    /* ns since the trace's start */
    uint64_t to;                      /* likewise; UINT64_MAX: its end */
    uint64_t least;                   /* ns that a region has to last */
    struct omptape_time_option begin; /* as they were said */
    struct omptape_time_option end;
    struct omptape_visit first; /* what they name, if they are instances of regions */
    struct omptape_visit last;
    struct omptape_ranges threads;
    const char *threads_said; /* NULL: all */
};

/* The words as they were typed; NULL: there was none. */
struct omptape_export_words {
    const char *from;
    const char *to;
    const char *threads;
    const char *min_duration;
};

/* 0, or a negative errno with a line in `error`. omptape_export_choice_free in any case. */
int omptape_export_choice_read(struct omptape_export_choice *choice, const struct omptape_export_words *words,
                               char *error, size_t bytes);

/* Finds the instances of regions that are from and to, before the archive is opened. 0, or a negative errno
 * with a line in `error`. */
int omptape_export_choice_find(struct omptape_export_choice *choice, const char *path, char *error,
                               size_t bytes);

/* For this archive: from and to, which have to be within it. Likewise. */
int omptape_export_choice_apply(struct omptape_export_choice *choice, const struct omptape_reader *reader,
                                char *error, size_t bytes);

void omptape_export_choice_free(struct omptape_export_choice *choice);

#endif
