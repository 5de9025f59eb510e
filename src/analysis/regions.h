/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a region's definition says: which construct it is, and where; and a location's: whether it is a
 * thread. Used by the analysis and by the summaries of time (pyramid.h).
 */
#ifndef OMPTAPE_ANALYSIS_REGIONS_H
#define OMPTAPE_ANALYSIS_REGIONS_H

#include "src/core/buckets.h"
#include "src/core/constructs.h"
#include "src/reader/reader.h"

/* The construct that the region is, by its name as docs/mapping.md has it; for archives of other tools by
 * its role. OMPTAPE_REGION_PROGRAM: what is around all; OMPTAPE_REGION_KIND_COUNT: no construct. */
enum omptape_region_kind omptape_region_kind_of(const struct omptape_reader *reader,
                                                const struct omptape_definition *region);

/* Who is told of a region's begin and end, and of what its begin says. */
enum analysis_family {
    ANALYSIS_FAMILY_OTHER,
    ANALYSIS_FAMILY_TEAM,   /* parallel, teams */
    ANALYSIS_FAMILY_TASK,   /* an explicit task's execution, */
    ANALYSIS_FAMILY_CREATE, /* ...and its creation */
    ANALYSIS_FAMILY_BARRIER,
    ANALYSIS_FAMILY_LOOP, /* and sections; their chunks */
    ANALYSIS_FAMILY_MOVE, /* of data, to a device and back */
};

/* What follows from its kind for each visit. */
struct analysis_region_facts {
    uint8_t family; /* enum analysis_family */
    uint8_t bucket; /* of time in it, */
    uint8_t rule;   /* ...or whose bucket that is (src/core/buckets.h) */
    bool is_blamed; /* for what is done there; else what is around it: a loop for its chunks */
};

struct analysis_region_facts omptape_region_facts(enum omptape_region_kind kind);

/* The name without "!$omp ", in the arena; NULL: no memory. */
const char *omptape_region_label(struct omptape_arena *arena, const struct omptape_reader *reader,
                                 const struct omptape_definition *region);

/* Is it a thread of a process, and no device's stream? */
bool omptape_location_is_thread(const struct omptape_reader *reader,
                                const struct omptape_definition *location);

#endif
