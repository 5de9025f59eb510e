/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the bins of a pyramid (pyramid.h) are filled: one stretch of a location's time after the other. Called
 * by pyramid.c.
 */
#ifndef OMPTAPE_ANALYSIS_PYRAMID_BINS_H
#define OMPTAPE_ANALYSIS_PYRAMID_BINS_H

#include "src/analysis/pyramid.h"

/* Regions of one bin that are told apart while it is filled. */
enum { PYRAMID_PEN_REGIONS = 8 };

/* Where a row is being written: its newest bin. All zeros: nowhere yet. */
struct pyramid_pen {
    struct pyramid_row *row;
    uint64_t bin_end; /* time */
    uint32_t bin;
    uint32_t used;
    uint32_t region[PYRAMID_PEN_REGIONS]; /* as in pyramid_tops */
    uint64_t ticks[PYRAMID_PEN_REGIONS];
};

/* Adds from..to, which begins where the row's last stretch ended or later; `region` as in pyramid_tops. The
 * bins must reach `to` (below). False: no memory. */
bool omptape_pyramid_add(struct omptape_pyramid *pyramid, struct pyramid_pen *pen, enum omptape_bucket bucket,
                         uint32_t region, uint64_t from, uint64_t to);
/* Notes the regions of the newest bin. To be called before bins get longer, and at the end. */
void omptape_pyramid_lift(struct pyramid_pen *pen);
/* Do the bins reach this time? If not: omptape_pyramid_lift of all pens, then omptape_pyramid_stretch. */
bool omptape_pyramid_reaches(const struct omptape_pyramid *pyramid, uint64_t time);
/* Makes all bins twice as long, until they reach this time. */
void omptape_pyramid_stretch(struct omptape_pyramid *pyramid, uint64_t time);

/* The row's bin that holds this time, which is not before the first. */
uint32_t omptape_pyramid_bin(const struct omptape_pyramid *pyramid, uint64_t time);

/* Notes a measured value. False: no memory. */
bool omptape_pyramid_measure(struct omptape_pyramid *pyramid, const struct omptape_definition *member,
                             const struct omptape_definition *location, uint64_t time, double value);

#endif
