/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A summary of a whole archive's time that is small however long the trace is. Each location has a row of
 * bins. A bin has the ticks that the location spent in each bucket, and the two regions in which it spent
 * most. There are also curves of what was measured. It watches the analysis (omptape_analysis_watcher):
 * threads' time is what the analysis books, so that both say the same; devices' time it follows itself. The
 * page draws it, and makes the coarser levels itself, by adding bins two by two.
 *
 * Units: ticks. All belongs to the pyramid, which must be freed before the reader is closed. One thread.
 * Nothing in the archive is believed. Sums are exact: a row's bins hold its whole life, to the tick.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/timeline/pyramid_bins.h"

/* Before the first event. Bins begin at `from` (0: with the archive) and are to reach `to` (0: to its end);
 * when events come later, they become longer. NULL: no memory. */
struct omptape_pyramid *omptape_pyramid_begin(struct omptape_reader *reader, uint64_t from, uint64_t to);
/* Of a run whose end is not known. The bins, which begin at `from`, are few and become longer as they must;
 * there are rows only for the locations that are added, and the more of them the fewer bins has each. */
struct omptape_pyramid *omptape_pyramid_begin_growing(struct omptape_reader *reader, uint64_t from);
/* As this one was when it began, without rows: for some of its locations, which are then added. */
struct omptape_pyramid *omptape_pyramid_begin_part(const struct omptape_pyramid *whole);
/* Of the reader's definition of a location; before its first event. False: no memory. */
bool omptape_pyramid_add_location(struct omptape_pyramid *pyramid, const struct omptape_definition *location);
/* For the analysis' options: gets all that there is. */
struct omptape_analysis_watcher omptape_pyramid_watcher(struct omptape_pyramid *pyramid);
/* After the last event: what is open on devices ends. */
void omptape_pyramid_end(struct omptape_pyramid *pyramid);
void omptape_pyramid_free(struct omptape_pyramid *pyramid);

/* For who fills it from another one (src/analysis/reduce/pyramid_bytes.c), in place of events. Where the
 * location's row is being written; NULL: it has none. */
struct pyramid_pen *omptape_pyramid_pen(struct omptape_pyramid *pyramid, uint64_t location);
/* Of the reader's definition. NULL: no memory. */
struct pyramid_region *omptape_pyramid_region(struct omptape_pyramid *pyramid,
                                              const struct omptape_definition *region);
/* The bins get as long as these at least; as many and as long where nothing is in them yet. */
void omptape_pyramid_widen(struct omptape_pyramid *pyramid, uint64_t width, uint32_t bins);
/* The bins get longer until they reach this time. */
void omptape_pyramid_reach(struct omptape_pyramid *pyramid, uint64_t time);
/* Samples are thinned until no more than one of 1 << halvings is kept. */
void omptape_pyramid_thin_samples(struct omptape_pyramid *pyramid, unsigned halvings);
/* Adds a sample at this row's end; `path` as in timeline_place. */
void omptape_pyramid_keep_sample(struct omptape_pyramid *pyramid, struct pyramid_row *row, uint64_t time,
                                 uint64_t path, uint64_t context);

/* More bins a row does not have; and of a growing pyramid. */
enum { PYRAMID_MOST_BINS = 1 << 15, PYRAMID_GROWING_BINS = 1 << 12 };
