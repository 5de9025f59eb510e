/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a region's definition says: which construct it is, and where; and a location's: whether it is a
 * thread. Used by the analysis and by the summaries of time (pyramid.h).
 */
#ifndef OMPTAPE_ANALYSIS_REGIONS_H
#define OMPTAPE_ANALYSIS_REGIONS_H

#include "src/core/constructs.h"
#include "src/reader/reader.h"

/* The construct that the region is, by its name as docs/mapping.md has it; for archives of other tools by
 * its role. OMPTAPE_REGION_PROGRAM: what is around all; OMPTAPE_REGION_KIND_COUNT: no construct. */
enum omptape_region_kind omptape_region_kind_of(const struct omptape_reader *reader,
                                                const struct omptape_definition *region);

/* The name without "!$omp ", in the arena; NULL: no memory. */
const char *omptape_region_label(struct omptape_arena *arena, const struct omptape_reader *reader,
                                 const struct omptape_definition *region);

/* Is it a thread of a process, and no device's stream? */
bool omptape_location_is_thread(const struct omptape_reader *reader,
                                const struct omptape_definition *location);

#endif
