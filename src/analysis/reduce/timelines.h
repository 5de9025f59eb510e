/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the pyramid of an archive in parts. The process that reads the events of a part makes a pyramid of it
 * and serialises it. When all parts are complete, they are added to the whole pyramid in a fixed order. The
 * page is therefore identical for every division of the archive. Part of sums (sums.h); one thread.
 */
#pragma once

#include "src/analysis/reduce/byte_coding.h"
#include "src/analysis/reduce/plan.h"
#include "src/analysis/timeline/pyramid.h"

struct analysis_timeline {
    unsigned char *bytes; /* malloc'ed; NULL: none */
    size_t count;
};

/* One timeline per process of the plan. */
struct analysis_timelines {
    const struct analysis_plan *plan;
    struct analysis_timeline list[];
};

/* Returns NULL if out of memory. */
struct analysis_timelines *omptape_partial_timelines_new(const struct analysis_plan *plan);
void omptape_partial_timelines_free(struct analysis_timelines *timelines);

/* Begins a pyramid with the initial bins of the whole one and rows for this process. Returns NULL if out of
 * memory. */
struct omptape_pyramid *omptape_partial_timeline_begin(const struct analysis_planned *process,
                                                       const struct omptape_pyramid *whole);
/* Serialises the pyramid after its last event. Returns 0 or -ENOMEM. The caller still frees the pyramid. */
int omptape_partial_timeline_keep(struct analysis_timelines *timelines,
                                  const struct analysis_planned *process, struct omptape_pyramid *pyramid);

/* Append all serialised pyramids to other bytes, and read them. The bytes are not trusted. Reading returns
 * 0, -EBADMSG, -ENOMEM, or -EEXIST if a pyramid exists already. */
void omptape_partial_timelines_put(struct omptape_bytes *bytes, const struct analysis_timelines *timelines);
int omptape_partial_timelines_take(struct analysis_timelines *timelines, struct omptape_bytes_rest *rest);

/* Adds a part to the whole pyramid. Parts are added in the plan's order. Returns 0, -EBADMSG or -ENOMEM. */
int omptape_partial_timeline_join(const struct analysis_timeline *timeline, struct omptape_pyramid *whole);
