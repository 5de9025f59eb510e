/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The line of a fit: points in order of time, in eras, with chords between them. Used by the fit of a
 * device's clock. Not thread-safe.
 */
#pragma once

#include "writers/devices/fit.h"

/* A point of the line: the mean of nearby anchors. */
struct omptape_device_knot {
    size_t first, last; /* Indices of its first and last anchor. */
    size_t anchors;     /* Number of its anchors. */
    uint64_t device;
    uint64_t host;
    double part;  /* Fraction of a host tick: the knot lies at host + part. */
    double error; /* Greatest error, host ticks. */
    double jump;  /* Jump since the previous knot, host ticks; 0: none detected. */
};

struct omptape_device_era {
    size_t first, last; /* Indices of its first and last knot. */
    size_t anchors;
};

struct omptape_device_line {
    struct omptape_device_knot *knots;
    size_t knot_count;
    uint32_t knot_capacity;
    struct omptape_device_era *eras;
    size_t era_count;
    uint32_t era_capacity;
    size_t used;                       /* Number of anchors in eras that count. */
    struct omptape_device_noise noise; /* Noise when the line was last drawn. */
};

/* Redraws the line from the anchor `lowest` on. Returns 0 or -ENOMEM; then the line is empty. */
int omptape_device_line_build(struct omptape_device_line *line, const struct omptape_device_anchors *anchors,
                              const struct omptape_device_noise *noise, size_t lowest);

/* See omptape_device_fit_convert(). Returns -ENODATA if the line is empty. */
int omptape_device_line_convert(const struct omptape_device_line *line, uint64_t device, uint64_t limit,
                                uint64_t *host, uint64_t *bound);
bool omptape_device_line_covers(const struct omptape_device_line *line, uint64_t device);

/* Fills in the line's part of a summary. On entry nominal_rate is set, or 0. */
void omptape_device_line_summarise(const struct omptape_device_line *line,
                                   struct omptape_device_fit_summary *summary);

void omptape_device_line_free(struct omptape_device_line *line);
