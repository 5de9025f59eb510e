/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pyramid of an archive in parts: each process's is made by itself and kept as bytes, by whoever reads
 * its events, until those of all are there; then they fill the whole, one process after the other. So it
 * makes no difference who read which process: a page is the same to the byte. Part of sums (sums.h); one
 * thread.
 */
#ifndef OMPTAPE_ANALYSIS_REDUCE_PICTURES_H
#define OMPTAPE_ANALYSIS_REDUCE_PICTURES_H

#include "src/analysis/reduce/bytes.h"
#include "src/analysis/reduce/plan.h"
#include "src/analysis/timeline/pyramid.h"

struct analysis_picture {
    unsigned char *bytes; /* malloc'ed; NULL: none */
    size_t count;
};

/* Of each of the plan's processes. */
struct analysis_pictures {
    const struct analysis_plan *plan;
    struct analysis_picture list[];
};

/* NULL: no memory. */
struct analysis_pictures *omptape_pictures_new(const struct analysis_plan *plan);
void omptape_pictures_free(struct analysis_pictures *pictures);

/* A pyramid as the whole one was when it began, with rows for this process. NULL: no memory. */
struct omptape_pyramid *omptape_picture_begin(const struct analysis_planned *process,
                                              const struct omptape_pyramid *whole);
/* After its last event. 0 or -ENOMEM. The pyramid is still to be freed. */
int omptape_picture_keep(struct analysis_pictures *pictures, const struct analysis_planned *process,
                         struct omptape_pyramid *pyramid);

/* All that there are, behind other bytes, and back. Nothing in them is believed. 0, -EBADMSG or -ENOMEM;
 * -EEXIST: one is there already. */
void omptape_pictures_put(struct omptape_bytes *bytes, const struct analysis_pictures *pictures);
int omptape_pictures_take(struct analysis_pictures *pictures, struct omptape_bytes_rest *rest);

/* Adds it to the whole, which has to get them in the plan's order. 0, -EBADMSG or -ENOMEM. */
int omptape_picture_join(const struct analysis_picture *picture, struct omptape_pyramid *whole);

#endif
