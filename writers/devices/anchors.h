/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Anchors of a device's clock: readings of two clocks, averaged to points of a line and kept in the order of
 * the host's time. Used by the fit of a device's clock. Belongs to one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The readings of an anchor that are used; more are ignored. */
enum { OMPTAPE_DEVICE_READINGS = 8 };

/* Relative: by how much a clock's rate may differ from its rate near by. */
#define OMPTAPE_DEVICE_NEAR_RATE 100e-6

/* The device's clock read between two readings of the host's. */
struct omptape_device_reading {
    uint64_t before; /* host ticks */
    uint64_t device; /* device units */
    uint64_t after;  /* host ticks */
};

/* The mean of readings that were taken back to back. */
struct omptape_device_anchor {
    uint64_t device, host;
    double device_part; /* the anchor lies at device + device_part, */
    double part;        /* and at host + part */
    double readings;    /* number of readings in the mean */
    double half;        /* mean of half their brackets, host ticks */
    double uu, uh, hh;  /* sums of squares about the mean: units, units times ticks, ticks */
    int era;            /* set by the fit; -1: the anchor is left out */
    bool leaps;         /* set by the fit: the clock changed suddenly since the anchor before */
};

struct omptape_device_anchors {
    struct omptape_device_anchor *at; /* ascending by host time */
    size_t count;
    uint32_t capacity;
    uint64_t thinned; /* anchors that were dropped because there were too many */
};

/* What the anchors show of both clocks. */
struct omptape_device_noise {
    double ticks_per_second;
    double slope;   /* host ticks for a device unit; 0: unknown */
    double doubt;   /* relative error of the slope */
    double jitter;  /* standard deviation of one reading, host ticks */
    double shared;  /* standard deviation of an anchor beside the chord of its neighbours, host ticks */
    double hidden;  /* distance from that chord that drift explains, host ticks */
    double granule; /* least step of the device's readings, host ticks */
};

/* Host ticks and device units from one anchor to another. */
double omptape_device_ahead(const struct omptape_device_anchor *from, const struct omptape_device_anchor *to);
double omptape_device_units(const struct omptape_device_anchor *from, const struct omptape_device_anchor *to);

/* Makes one anchor of 1 to 8 readings: the mean of those with narrow brackets, strays left out. */
struct omptape_device_anchor omptape_device_average(const struct omptape_device_reading *readings,
                                                    size_t count);

/* Inserts an anchor. Returns its index, or -ENOMEM. After the insertion there may be too many: see below. */
long omptape_device_anchors_insert(struct omptape_device_anchors *anchors,
                                   const struct omptape_device_anchor *anchor);

/* Drops old anchors if there are too many, evenly over time. True if it dropped some; all indices change. */
bool omptape_device_anchors_thin(struct omptape_device_anchors *anchors, double ticks_per_second);

/* The median slope of chords between the anchors [first, end), at most 128; 0 if no chord is possible.
 * `ticks` receives the length of that chord. */
double omptape_device_slope(const struct omptape_device_anchors *anchors, double ticks_per_second,
                            size_t first, size_t end, double *ticks);

/* Sets slope, doubt, jitter, shared and hidden from the newest anchors. */
void omptape_device_learn(const struct omptape_device_anchors *anchors, struct omptape_device_noise *noise);

/* Variance of an anchor, host ticks squared. How far a mean of this half bracket and variance may be off, and
 * how far an anchor may be off, in host ticks. */
double omptape_device_variance(const struct omptape_device_noise *noise,
                               const struct omptape_device_anchor *anchor);
double omptape_device_error_of(const struct omptape_device_noise *noise, double half, double variance);

/* True if `to` lies where a clock of this slope is expected after `from`, as far as errors and drift allow.
 */
bool omptape_device_follows(const struct omptape_device_noise *noise,
                            const struct omptape_device_anchor *from, const struct omptape_device_anchor *to,
                            double slope);

void omptape_device_anchors_free(struct omptape_device_anchors *anchors);
