/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fits one clock (the device's) to another (the host's) from readings of both: straight lines between
 * anchors, strays left out. Follows drift, notices where the device's clock was set, and bounds its own
 * error.
 *
 * Host times are ticks of a clock whose rate is known. Device times are units of any rate between 1e3 and
 * 1e12 in a second and of any offset. Errors are negative errno.
 */
#pragma once

#include "writers/devices/anchors.h"

struct omptape_device_fit;

struct omptape_device_fit_summary {
    uint64_t anchors;  /* offered */
    uint64_t rejected; /* of these: senseless, strays, or of an era with no other */
    uint64_t eras;     /* 1, and 1 more each time the device's clock was set, wrapped or stopped */
    uint64_t segments; /* pieces of the line */
    /* A point of the line: its first; 0 and 0 if there is none. */
    uint64_t device, host;
    double nominal_rate; /* device units in a second, as given or as the mean rounded; 0: unknown */
    double drift;        /* mean over the run, ppm by which the device's clock is too fast against nominal */
    double residual;     /* host ticks: root mean square of a point beside the chord of its neighbours */
    bool rate_measured;  /* false: the nominal rate was taken for true */
};

/* `ticks_per_second`: of the host's clock, greater than 0. `nominal_rate`: of the device's, 0 if unknown.
 * NULL: no memory. */
struct omptape_device_fit *omptape_device_fit_create(double ticks_per_second, double nominal_rate);
void omptape_device_fit_free(struct omptape_device_fit *fit);

/* Adds an anchor: 1 to 8 readings taken back to back (more are ignored), in any order of time. 0, -EINVAL if
 * no reading makes sense (device time 0 or UINT64_MAX, host times reversed or over a second apart), or
 * -ENOMEM. */
int omptape_device_fit_add(struct omptape_device_fit *fit, const struct omptape_device_reading *readings,
                           size_t count);

/* The host time of a device time, and how far it may be off (host ticks). `limit`: the host time at which
 * this device time was known already (UINT64_MAX: unknown). It tells eras apart in which the clock showed the
 * same times. Within an era, and while no anchor is added, a later device time never gets an earlier host
 * time. 0, -ENODATA if there are no anchors to go by, or -ENOMEM. */
int omptape_device_fit_convert(struct omptape_device_fit *fit, uint64_t device, uint64_t limit,
                               uint64_t *host, uint64_t *bound);

/* True if the device time lies between the first and the last anchor of an era. */
bool omptape_device_fit_covers(struct omptape_device_fit *fit, uint64_t device);

/* True if the anchors show the rate; false if there are none, or so few that the nominal rate is taken for
 * true. */
bool omptape_device_fit_is_measured(struct omptape_device_fit *fit);

void omptape_device_fit_summarise(struct omptape_device_fit *fit, struct omptape_device_fit_summary *summary);
