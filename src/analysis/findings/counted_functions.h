/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Attributes counters to functions: each value was counted before the sample that found the thread in the
 * function. May be called on any thread, for one analysis at a time.
 */
#pragma once

#include "src/analysis/findings/inside.h"

enum { OMPTAPE_COUNTED_PLACE_BYTES = 160 };

struct omptape_counted_function {
    const struct analysis_region *region; /* NULL if outside of all regions */
    const struct analysis_serial *serial; /* NULL if in a construct, or unknown */
    struct omptape_inside_call call;      /* with the line of one of its samples */
    struct analysis_counts counted;
};

/* Returns all functions with counted values, one entry for each region and serial part. *count receives their
 * number; the caller frees the list. Returns NULL if out of memory. */
struct omptape_counted_function *omptape_counted_functions(const struct omptape_analysis *analysis,
                                                           uint32_t *count);

/* Returns the counter's number, or 0 if it was not counted. */
uint32_t omptape_counter_number(const struct omptape_analysis *analysis, const char *name);

/* Returns the sum over all threads. */
struct analysis_counts omptape_counted_total(const struct omptape_analysis *analysis);

/* Returns the region with most of the processor time if it has few instructions per cycle and no finding
 * explains why. The user should then count cache misses. Returns NULL if there is no such region. */
const struct analysis_region *omptape_counters_would_explain(const struct omptape_analysis *result);

/* Writes the function with the largest part of the counter in the region ("touch @a.c:18"). *percent receives
 * its share of what the region's functions counted. False if nothing was counted there, or no memory. */
bool omptape_counted_mostly(const struct omptape_analysis *analysis, const struct analysis_region *region,
                            uint32_t counter, double *percent, char *text, size_t bytes);
