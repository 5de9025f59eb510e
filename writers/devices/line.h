/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The line of a fit: points in the order of time, in eras, with chords between them. Used by the fit of a
 * device's clock. Belongs to one thread.
 */
#pragma once

#include "writers/devices/fit.h"

/* A point of the line: the mean of near anchors, which together have enough readings. */
struct omptape_device_knot {
    size_t first, last; /* indices of its anchors */
    size_t anchors;     /* number of them */
    uint64_t device;
    uint64_t host;
    double part;  /* of a host tick: the knot lies at host + part */
    double error; /* how far it may be off, host ticks */
    double leap;  /* a sudden change since the knot before it, host ticks; 0: none that shows */
};

struct omptape_device_era {
    size_t first, last; /* knots */
    size_t anchors;
};

struct omptape_device_line {
    struct omptape_device_knot *knots;
    size_t knot_count;
    uint32_t knot_capacity;
    struct omptape_device_era *eras;
    size_t era_count;
    uint32_t era_capacity;
    size_t used;                       /* anchors in eras that count */
    struct omptape_device_noise noise; /* of the last time that it was drawn */
};

/* Draws the line anew from the anchor `lowest` on. 0 or -ENOMEM (then the line is empty). */
int omptape_device_line_draw(struct omptape_device_line *line, const struct omptape_device_anchors *anchors,
                             const struct omptape_device_noise *noise, size_t lowest);

/* See omptape_device_fit_convert(). -ENODATA if the line is empty. */
int omptape_device_line_convert(const struct omptape_device_line *line, uint64_t device, uint64_t limit,
                                uint64_t *host, uint64_t *bound);
bool omptape_device_line_covers(const struct omptape_device_line *line, uint64_t device);

/* Fills what of a summary the line knows; the nominal rate is in it, or 0. */
void omptape_device_line_summarise(const struct omptape_device_line *line,
                                   struct omptape_device_fit_summary *summary);

void omptape_device_line_free(struct omptape_device_line *line);
