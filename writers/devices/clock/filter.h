/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws the line through a device's anchors: a Kalman filter over time and rate with a smoother behind it,
 * which follows drift, leaves out strays and notices where the clock was set. Used by the fit of a device's
 * clock.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_CLOCK_FILTER_H
#define OMPTAPE_WRITERS_DEVICES_CLOCK_FILTER_H

#include "writers/devices/clock/anchors.h"

/* What the filter takes for granted. */
struct omptape_device_noise {
    double slope;   /* host ticks for a device unit */
    double doubt;   /* relative error of the slope */
    double granule; /* least step of the device's readings, host ticks */
    double loud;    /* anchors scatter by so much more (variance) than their readings tell */
    double wander;  /* variance that the rate gathers in a host tick */
};

/* The wander of a clock whose rate changes by 5 ppm in a second. */
double omptape_device_wander(double ticks_per_second);

/* Filters anew from anchor `from` on: era, beliefs and steps of each anchor. Eras are counted from 0; the
 * clock was set (or stopped, or wrapped) between two. Returns the lowest anchor whose belief changed by more
 * than a trifle. */
size_t omptape_device_filter(struct omptape_device_anchors *anchors, const struct omptape_device_noise *noise,
                             size_t from);

/* Sets `loud` and `wander` to what the newest anchors of the last era say. Needs beliefs (for which anchors
 * are accepted). True if they changed. */
bool omptape_device_tune(const struct omptape_device_anchors *anchors, struct omptape_device_noise *noise);

#endif
