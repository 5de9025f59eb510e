/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The line of a fit: points in order of time, in eras, with chords between them. fit.c computes the points.
 * One thread.
 */
#pragma once

#include "writers/devices/fit.h"

/* Mean of readings that were taken at nearly one time. */
struct omptape_device_point {
    uint64_t device;
    uint64_t host;
    double part;     /* Fraction of a host tick: the point lies at host + part. */
    double readings; /* Number of readings in the mean. */
    double half;     /* Mean of half their brackets, host ticks. */
    double variance; /* Of one reading, squared host ticks; -1: unknown. */
    double error;    /* Greatest error, host ticks. */
    double jump;     /* Jump since the previous point, host ticks; 0: none detected. */
    uint32_t anchors;
    long era;        /* Number of the era; -1: the point is an outlier. */
    bool is_covered; /* True if neighbours determine the line here better than this point's wide bracket. */
};

struct omptape_device_era {
    size_t first, last; /* Indices of its first and last point. */
    size_t anchors;
};

struct omptape_device_line {
    struct omptape_device_point *points;
    size_t count;
    uint32_t point_capacity;
    struct omptape_device_era *eras;
    size_t era_count;
    uint32_t era_capacity;
    size_t used; /* Number of anchors in eras that count. */
    double ticks_per_second;
    double slope;       /* Host ticks per device unit; 0: unknown. */
    double slope_error; /* Relative error of the slope. */
    double granularity; /* Least step of the device's readings, host ticks. */
};

/* Return the host ticks and device units from one point to another. */
double omptape_device_ticks_between(const struct omptape_device_point *from,
                                    const struct omptape_device_point *to);
double omptape_device_units_between(const struct omptape_device_point *from,
                                    const struct omptape_device_point *to);

/* Draws the line through the points, whose errors and eras are set. Drops outliers and covered points. Space
 * for as many eras as points is reserved. */
void omptape_device_line_draw(struct omptape_device_line *line);

/* See omptape_device_fit_convert(). Returns -ENODATA if the line is empty. */
int omptape_device_line_convert(const struct omptape_device_line *line, uint64_t device, uint64_t limit,
                                uint64_t *host, uint64_t *bound);
bool omptape_device_line_covers(const struct omptape_device_line *line, uint64_t device);

/* Fills in the line's part of a summary. On entry nominal_rate is set, or 0. */
void omptape_device_line_summarise(const struct omptape_device_line *line,
                                   struct omptape_device_fit_summary *summary);
