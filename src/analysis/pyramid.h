/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A summary of a whole archive's time that is small however long the trace is: for each location a row of
 * bins, each with the ticks that the location spent in each bucket and the two regions in which it spent
 * most; and curves of what was measured. It watches the analysis (omptape_analysis_watcher): threads' time is
 * what the analysis books, so that both say the same; devices' time it follows itself. The page draws it, and
 * makes the coarser levels itself, by adding bins two by two.
 *
 * Units: ticks. All belongs to the pyramid, which must be freed before the reader is closed. One thread.
 * Nothing in the archive is believed. Sums are exact: a row's bins hold its whole life, to the tick.
 */
#ifndef OMPTAPE_ANALYSIS_PYRAMID_H
#define OMPTAPE_ANALYSIS_PYRAMID_H

#include "src/analysis/analysis.h"

/* Of the page: bins of a level are twice as long as those below it. */
enum { PYRAMID_LEVELS = 8, PYRAMID_TOPS = 2, PYRAMID_MOST_CURVES = 64, PYRAMID_CURVE_BINS = 1024 };

/* The regions in which a bin's location was longest, the longest first. */
struct pyramid_tops {
    uint32_t region[PYRAMID_TOPS]; /* 1 + index into `regions`; 0: none */
    uint64_t ticks[PYRAMID_TOPS];
};

struct pyramid_row {
    const struct omptape_definition *location;
    bool device;
    uint64_t begin; /* of what is in the bins, */
    uint64_t end;   /* and its end */
    uint64_t events;
    uint64_t *buckets[OMPTAPE_BUCKET_COUNT]; /* ticks of each bin; NULL: nothing of that bucket */
    struct pyramid_tops *tops;               /* of each bin; NULL: no event */
};

struct pyramid_region {
    const struct omptape_definition *definition;
    uint32_t index;
};

/* A measured value over time, the largest in each bin. */
struct pyramid_curve {
    const struct omptape_definition *member; /* METRIC_MEMBER */
    const struct omptape_definition *location;
    double last;
    uint32_t last_bin;
    double bins[PYRAMID_CURVE_BINS]; /* bin 0 begins with the row's; as many rows' bins in each as fit */
};

struct omptape_pyramid {
    struct omptape_reader *reader;
    uint64_t begin;           /* of bin 0 */
    uint64_t until;           /* what is later is left out */
    uint64_t width;           /* of a bin; at least 1 */
    uint32_t bins;            /* of each row: a power of two */
    struct pyramid_row *rows; /* all locations but those that only measure, in the archive's order */
    uint32_t row_count;
    struct pyramid_region **regions; /* in the order in which they were entered */
    uint32_t region_count;
    uint32_t region_room;
    struct pyramid_curve *curves[PYRAMID_MOST_CURVES];
    uint32_t curve_count;
    uint32_t curves_left_out;
    bool no_memory;
    struct pyramid_walk *walk;
    struct omptape_arena arena;
};

/* Before the first event. Bins begin at `from` (0: with the archive) and are to reach `to` (0: to its end);
 * when events come later, they become longer. NULL: no memory. */
struct omptape_pyramid *omptape_pyramid_begin(struct omptape_reader *reader, uint64_t from, uint64_t to);
/* For the analysis' options: gets all that there is. */
struct omptape_analysis_watcher omptape_pyramid_watcher(struct omptape_pyramid *pyramid);
/* After the last event: what is open on devices ends. */
void omptape_pyramid_end(struct omptape_pyramid *pyramid);
void omptape_pyramid_free(struct omptape_pyramid *pyramid);

#endif
