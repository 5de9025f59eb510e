/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters by functions: what was counted until threads were found in them. Any thread; one analysis at a
 * time.
 */
#pragma once

#include "src/analysis/findings/inside.h"

enum { OMPTAPE_COUNTED_PLACE_BYTES = 160 };

struct omptape_counted_function {
    const struct analysis_region *region; /* NULL: in none */
    const struct analysis_serial *serial; /* NULL: in a construct, or in none */
    struct omptape_inside_call call;      /* with one of its lines */
    struct analysis_counts counted;
};

/* All functions in which something was counted, each in each region and serial part: *count of them, which
 * the caller frees. NULL: no memory. */
struct omptape_counted_function *omptape_counted_functions(const struct omptape_analysis *analysis,
                                                           uint32_t *count);

/* The number of the counter of that name; 0: it was not counted. */
uint32_t omptape_counter_number(const struct omptape_analysis *analysis, const char *name);

/* What all threads counted. */
struct analysis_counts omptape_counted_total(const struct omptape_analysis *analysis);

/* The region that takes most of the processor time, if nothing explains why it does few instructions in a
 * cycle. Counting cache misses would tell. NULL: there is none. */
const struct analysis_region *omptape_counters_would_tell(const struct omptape_analysis *result);

/* "touch @a.c:18": where most of the counter was counted in the region, with its part of all that was counted
 * in the region's functions, per cent. False: nothing was counted there, or no memory. */
bool omptape_counted_mostly(const struct omptape_analysis *analysis, const struct analysis_region *region,
                            uint32_t counter, double *percent, char *text, size_t bytes);
