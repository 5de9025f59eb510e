/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pyramid: a summary of an archive's time whose size does not depend on the length of the trace. Each
 * location has a row of bins. A bin contains the ticks that the location spent in each bucket, and the two
 * regions with most time. There are also curves of measured values.
 *
 * A pyramid observes the analysis (omptape_analysis_observer). It takes threads' time as the analysis books
 * it, so that both agree, and follows devices itself. The page draws it, and computes the coarser levels by
 * adding pairs of bins.
 *
 * Units: ticks. The pyramid owns all its data and must be freed before the reader is closed. One thread. The
 * archive is not trusted. Sums are exact: a row's bins contain its whole life, to the tick.
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/timeline/pyramid_bins.h"

/* Creates a pyramid before the first event. Bins begin at `from` (0: the archive's begin) and reach to `to`
 * (0: the archive's end). If events come later, bins become longer. Returns NULL if out of memory. */
struct omptape_pyramid *omptape_pyramid_begin(struct omptape_reader *reader, uint64_t from, uint64_t to);
/* Creates a pyramid of a run whose end is unknown. It has few bins, which begin at `from` and become
 * longer when necessary. Only added locations have rows, and the number of bins per row falls with the
 * number of locations. */
struct omptape_pyramid *omptape_pyramid_begin_growing(struct omptape_reader *reader, uint64_t from);
/* Creates a pyramid with the initial bins of `whole`, for some of its locations, which the caller adds. */
struct omptape_pyramid *omptape_pyramid_begin_part(const struct omptape_pyramid *whole);
/* Adds a row for the reader's definition of a location, before its first event. False if out of memory. */
bool omptape_pyramid_add_location(struct omptape_pyramid *pyramid, const struct omptape_definition *location);
/* Returns an observer for the analysis' options that receives all events. */
struct omptape_analysis_observer omptape_pyramid_observer(struct omptape_pyramid *pyramid);
/* Ends the pyramid after the last event. */
void omptape_pyramid_end(struct omptape_pyramid *pyramid);
void omptape_pyramid_free(struct omptape_pyramid *pyramid);

/* The next functions fill a pyramid from another one (src/analysis/reduce/pyramid_bytes.c) in place of
 * events. Returns the writer of the location's row; NULL if it has no row. */
struct pyramid_row_writer *omptape_pyramid_row_writer(struct omptape_pyramid *pyramid, uint64_t location);
/* Returns the region of the reader's definition; NULL if out of memory. */
struct pyramid_region *omptape_pyramid_region(struct omptape_pyramid *pyramid,
                                              const struct omptape_definition *definition);
/* Makes the bins at least `width` long. An empty pyramid takes both width and number of bins. */
void omptape_pyramid_widen(struct omptape_pyramid *pyramid, uint64_t width, uint32_t bins);
/* Makes the bins longer until they reach this time. */
void omptape_pyramid_reach(struct omptape_pyramid *pyramid, uint64_t time);
/* Drops samples until at most one of 1 << halvings is kept. */
void omptape_pyramid_thin_samples(struct omptape_pyramid *pyramid, unsigned halvings);
/* Adds a sample at the end of this row; `path` as in timeline_place. */
void omptape_pyramid_keep_sample(struct omptape_pyramid *pyramid, struct pyramid_row *row, uint64_t time,
                                 uint64_t path, uint64_t context);

/* Maximum of bins of a row, and of a row in a growing pyramid. */
enum { PYRAMID_MAX_BINS = 1 << 15, PYRAMID_GROWING_BINS = 1 << 12 };
