/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What there is to tell of a fit: its drift over spans that are long against the jitter, and what is left of
 * the anchors beside its line.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_CLOCK_SUMMARY_H
#define OMPTAPE_WRITERS_DEVICES_CLOCK_SUMMARY_H

#include "writers/devices/clock/line.h"

struct omptape_device_fit_summary {
    uint64_t anchors;  /* offered */
    uint64_t rejected; /* of these: senseless, strays, or of an era with no other */
    uint64_t merged;   /* joined with a near one, or thinned out */
    uint64_t eras;     /* 1, and 1 more each time the device's clock was set, wrapped or stopped */
    uint64_t segments; /* pieces of the line */
    /* A point of the line: its first anchor; 0 and 0 if there is none. */
    uint64_t device, host;
    double nominal_rate; /* device units in a second, as told or as the slope rounded; 0: unknown */
    double drift;        /* mean over the run, ppm by which the device's clock is too fast against nominal */
    double drift_min;    /* ppm */
    double drift_max;    /* ppm */
    double drift_change; /* greatest change of the drift over at least a second, ppm in a second */
    double jitter;       /* host ticks: standard deviation of one reading */
    double residual_rms; /* host ticks: anchors against the line */
    double residual_max; /* host ticks */
    bool rate_measured;  /* false: the nominal rate was taken for true */
};

/* Fills what of a summary the line knows; the nominal rate is in it, or 0. Returns how many anchors lie on
 * the line. */
size_t omptape_device_line_summarise(const struct omptape_device_line *line,
                                     struct omptape_device_fit_summary *summary);

#endif
