/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The line of a fit, ready to convert with: knots, in eras, with cubics between them. Used by the fit of a
 * device's clock.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_CLOCK_LINE_H
#define OMPTAPE_WRITERS_DEVICES_CLOCK_LINE_H

#include "writers/devices/clock/filter.h"

/* A smoothed anchor. */
struct omptape_device_knot {
    size_t anchor; /* its index */
    uint64_t device;
    uint64_t host;
    double part;     /* of a host tick: the knot lies at host + part */
    double slope;    /* host ticks for a device unit */
    double off_sd;   /* standard deviation, host ticks */
    double rate_sd;  /* standard deviation of the slope, relative */
    double bias;     /* what the brackets may hide, host ticks */
    double extra;    /* a sudden change since the knot before it, host ticks */
    double residual; /* anchor against line, host ticks */
};

struct omptape_device_era {
    size_t first, last; /* knots */
};

struct omptape_device_line {
    struct omptape_device_knot *knots;
    size_t knot_count;
    uint32_t knot_capacity;
    struct omptape_device_era *eras;
    size_t era_count;
    uint32_t era_capacity;
    double ticks_per_second;
    double wander;  /* of the rate, see struct omptape_device_noise */
    double granule; /* host ticks */
    size_t cached;  /* the knot before the last conversion */
};

/* Makes knots anew of the anchors from `lowest` on. 0 or -ENOMEM (then the line is empty). */
int omptape_device_line_build(struct omptape_device_line *line, const struct omptape_device_anchors *anchors,
                              const struct omptape_device_noise *noise, size_t lowest);

/* See omptape_device_fit_convert(). -ENODATA if the line is empty. */
int omptape_device_line_convert(struct omptape_device_line *line, uint64_t device, uint64_t limit,
                                uint64_t *host, uint64_t *bound);
bool omptape_device_line_covers(const struct omptape_device_line *line, uint64_t device);

void omptape_device_line_free(struct omptape_device_line *line);

#endif
