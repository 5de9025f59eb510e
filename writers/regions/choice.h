/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which constructs are shown: the rules of --filter and the counts of --limit-per-site, decided once for each
 * region (construct and call site). Where neither is asked for there is no choice object, and nothing is
 * asked of this module.
 */
#pragma once

#include "writers/regions/regions.h"
#include "writers/state/writer.h"

/* Takes over --filter, --limit-per-site and --start. Rules that cannot be read leave everything shown. */
void omptape_choice_create(struct omptape_writer *writer);
/* Why not everything that was asked for is done, or "". */
const char *omptape_choice_error(const struct omptape_writer *writer);
void omptape_choice_free(struct omptape_writer *writer);

/* The rest only where writer->choice is set. */

/* A region begins. `hidden`: it must not be shown in any case. True if it is hidden. Counts it, unless
 * recording is off. `location` may be NULL: it is not known what is around. */
bool omptape_choice_hides(struct omptape_writer *writer, const struct omptape_location *location,
                          uint64_t time, OTF2_RegionRef region, bool hidden);
/* The same for what is no region on a stack: a parallel region's or task's identity. */
bool omptape_choice_hides_site(struct omptape_writer *writer, const struct omptape_location *location,
                               uint64_t time, enum omptape_region_kind kind, uint64_t site);

/* The same for a value of the program's, which is not counted. */
bool omptape_choice_hides_value(struct omptape_writer *writer, const struct omptape_location *location);

/* Its Enter (or fork) is written. `counted`: omptape_choice_hides has counted it. */
void omptape_choice_written(struct omptape_writer *writer, OTF2_RegionRef region, bool counted);
/* Is there an event of this region in the archive? */
bool omptape_choice_uses(const struct omptape_writer *writer, OTF2_RegionRef region);

/* Is there any region with an event in the archive? */
bool omptape_choice_shows_any(const struct omptape_writer *writer);
/* A line on rules of --filter that no region matched; false: each has one. At the end. `writer->choice` may
 * be NULL. */
bool omptape_choice_unmatched(struct omptape_writer *writer, char *text, size_t bytes);

/* Notes in the archive which sites were limited (include/omptape/properties.h, docs/mapping.md). At the end.
 */
void omptape_choice_report(struct omptape_writer *writer);
