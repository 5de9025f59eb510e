/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pyramid of an archive in parts. The process that reads the events of a part makes its pyramid and keeps
 * it as bytes. When all parts are there they fill the whole, one after the other. So it makes no difference
 * which process read which part: a page is the same to the byte. Part of sums (sums.h); one thread.
 */
#pragma once

#include "src/analysis/reduce/bytes.h"
#include "src/analysis/reduce/plan.h"
#include "src/analysis/timeline/pyramid.h"

struct analysis_timeline {
    unsigned char *bytes; /* malloc'ed; NULL: none */
    size_t count;
};

/* Of each of the plan's processes. */
struct analysis_timelines {
    const struct analysis_plan *plan;
    struct analysis_timeline list[];
};

/* NULL: no memory. */
struct analysis_timelines *omptape_partial_timelines_new(const struct analysis_plan *plan);
void omptape_partial_timelines_free(struct analysis_timelines *timelines);

/* A pyramid as the whole one was when it began, with rows for this process. NULL: no memory. */
struct omptape_pyramid *omptape_partial_timeline_begin(const struct analysis_planned *process,
                                                       const struct omptape_pyramid *whole);
/* After its last event. 0 or -ENOMEM. The pyramid is still to be freed. */
int omptape_partial_timeline_keep(struct analysis_timelines *timelines,
                                  const struct analysis_planned *process, struct omptape_pyramid *pyramid);

/* All that there are, behind other bytes, and back. Nothing in them is believed. 0, -EBADMSG or -ENOMEM;
 * -EEXIST: one is there already. */
void omptape_partial_timelines_put(struct omptape_bytes *bytes, const struct analysis_timelines *timelines);
int omptape_partial_timelines_take(struct analysis_timelines *timelines, struct omptape_bytes_rest *rest);

/* Adds it to the whole, which has to get them in the plan's order. 0, -EBADMSG or -ENOMEM. */
int omptape_partial_timeline_join(const struct analysis_timeline *timeline, struct omptape_pyramid *whole);
