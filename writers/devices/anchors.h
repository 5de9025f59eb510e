/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Anchors of a device's clock: readings of two clocks, averaged to points of a line and sorted by the host's
 * time. Used by the fit of a device's clock. Not thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most readings of an anchor; further ones are ignored. */
enum { OMPTAPE_DEVICE_READINGS = 8 };

/* Relative difference between a clock's rates at nearby times, at most. */
#define OMPTAPE_DEVICE_MAX_RATE_CHANGE 100e-6

/* Reading of the device's clock between two readings of the host's clock. */
struct omptape_device_reading {
    uint64_t before; /* Host ticks. */
    uint64_t device; /* Device units. */
    uint64_t after;  /* Host ticks. */
};

/* Mean of readings that were taken back to back. */
struct omptape_device_anchor {
    uint64_t device, host;
    double device_part; /* The anchor lies at device + device_part. */
    double part;        /* The anchor lies at host + part. */
    double readings;    /* Number of readings in the mean. */
    double half;        /* Mean of half their brackets, host ticks. */
    double uu, uh, hh;  /* Sums of squared deviations from the mean: units, units times ticks, ticks. */
    int era;            /* Number of the era, set by the fit; -1: the anchor is left out. */
    bool jumps;         /* Set by the fit: true if the clock jumped since the previous anchor. */
};

struct omptape_device_anchors {
    struct omptape_device_anchor *at; /* In order of host time. */
    size_t count;
    uint32_t capacity;
    uint64_t thinned; /* Number of anchors dropped because there were too many. */
};

/* Noise of both clocks, estimated from the anchors. */
struct omptape_device_noise {
    double ticks_per_second;
    double slope;       /* Host ticks per device unit; 0: unknown. */
    double slope_error; /* Relative error of the slope. */
    double jitter;      /* Standard deviation of one reading, host ticks. */
    /* Standard deviation of an anchor's distance from the chord of its neighbours, host ticks. */
    double shared;
    double hidden;      /* Distance from that chord that drift explains, host ticks. */
    double granularity; /* Least step of the device's readings, host ticks. */
};

/* Return the host ticks and device units from one anchor to another. */
double omptape_device_host_distance(const struct omptape_device_anchor *from,
                                    const struct omptape_device_anchor *to);
double omptape_device_unit_distance(const struct omptape_device_anchor *from,
                                    const struct omptape_device_anchor *to);

/* Returns one anchor of 1 to 8 readings: the mean of the readings with narrow brackets, without outliers. */
struct omptape_device_anchor omptape_device_average(const struct omptape_device_reading *readings,
                                                    size_t count);

/* Inserts an anchor. Returns its index, or -ENOMEM. The caller then thins the anchors if there are too
 * many. */
long omptape_device_anchors_insert(struct omptape_device_anchors *anchors,
                                   const struct omptape_device_anchor *anchor);

/* Drops old anchors, evenly over time, if there are too many. Returns true if it dropped some; then all
 * indices have changed. */
bool omptape_device_anchors_thin(struct omptape_device_anchors *anchors, double ticks_per_second);

/* Returns the median slope of chords between the anchors [first, end), at most 128 of them. Returns 0 if
 * no chord is possible. `ticks` receives the length of that chord. */
double omptape_device_slope(const struct omptape_device_anchors *anchors, double ticks_per_second,
                            size_t first, size_t end, double *ticks);

/* Estimates slope, slope_error, jitter, shared and hidden from the newest anchors. */
void omptape_device_estimate_noise(const struct omptape_device_anchors *anchors,
                                   struct omptape_device_noise *noise);

/* Returns the variance of an anchor in squared host ticks. The second function returns the greatest error
 * of a mean with this half bracket and variance, in host ticks. */
double omptape_device_variance(const struct omptape_device_noise *noise,
                               const struct omptape_device_anchor *anchor);
double omptape_device_error_of(const struct omptape_device_noise *noise, double half, double variance);

/* Returns true if `to` lies where a clock of this slope is expected after `from`, within errors and drift. */
bool omptape_device_is_consistent(const struct omptape_device_noise *noise,
                                  const struct omptape_device_anchor *from,
                                  const struct omptape_device_anchor *to, double slope);

void omptape_device_anchors_free(struct omptape_device_anchors *anchors);
