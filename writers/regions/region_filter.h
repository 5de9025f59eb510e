/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides which constructs are shown: the rules of --filter and the counts of --limit-per-site, evaluated
 * once for each region (construct and call site). Without these options writer->filter is NULL, and this
 * module is not called.
 */
#pragma once

#include "writers/regions/regions.h"
#include "writers/state/writer.h"

/* Evaluates --filter, --limit-per-site and --start. Everything is shown if the rules cannot be read. */
void omptape_region_filter_create(struct omptape_writer *writer);
/* Returns why a request cannot be fulfilled, or "". */
const char *omptape_region_filter_error(const struct omptape_writer *writer);
void omptape_region_filter_free(struct omptape_writer *writer);

/* The functions below may be called only if writer->filter is set. */

/* Called when a region begins. Returns true if it is hidden. `hidden`: it must not be shown in any case.
 * Counts the instance, unless recording is off. `location` is NULL if the surroundings are unknown. */
bool omptape_region_filter_hides(struct omptape_writer *writer, const struct omptape_location *location,
                                 uint64_t time, OTF2_RegionRef region, bool hidden);
/* Does the same for a parallel region or a task, which is not on a location's stack yet. */
bool omptape_region_filter_hides_site(struct omptape_writer *writer, const struct omptape_location *location,
                                      uint64_t time, enum omptape_region_kind kind, uint64_t site);

/* Does the same for a value of the program, which is not counted. */
bool omptape_region_filter_hides_value(struct omptape_writer *writer,
                                       const struct omptape_location *location);

/* Called when the region's Enter (or fork) is written. `counted`: omptape_region_filter_hides has counted it.
 */
void omptape_region_filter_written(struct omptape_writer *writer, OTF2_RegionRef region, bool counted);
/* Returns true if the archive has an event of this region. */
bool omptape_region_filter_uses(const struct omptape_writer *writer, OTF2_RegionRef region);

/* Returns true if the archive has an event of any region. */
bool omptape_region_filter_shows_any(const struct omptape_writer *writer);
/* Writes a line about rules of --filter that matched no region. Returns false if every rule matched.
 * Called at the end. `writer->filter` may be NULL. */
bool omptape_region_filter_unmatched(struct omptape_writer *writer, char *text, size_t bytes);

/* Writes which sites were limited (include/omptape/properties.h, docs/mapping.md). At the end. */
void omptape_region_filter_report(struct omptape_writer *writer);
