/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fits one clock (the device's) to another (the host's) from readings of both: straight lines between
 * anchors, without outliers. Follows drift, detects that the device's clock was set, and computes error
 * bounds.
 *
 * Host times are ticks of a clock of known rate. Device times are units of any rate between 1e3 and 1e12 per
 * second and of any offset. Errors are negative errno.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most readings of an anchor; further ones are ignored. */
enum { OMPTAPE_DEVICE_READINGS = 8 };

/* Reading of the device's clock between two readings of the host's clock. */
struct omptape_device_reading {
    uint64_t before; /* Host ticks. */
    uint64_t device; /* Device units. */
    uint64_t after;  /* Host ticks. */
};

struct omptape_device_fit;

struct omptape_device_fit_summary {
    uint64_t anchors;  /* Number of anchors added. */
    uint64_t rejected; /* Number of these that were rejected: senseless, outliers, or alone in their era. */
    /* Number of eras: 1, and 1 more each time the device's clock was set, wrapped or stopped. */
    uint64_t eras;
    uint64_t segments; /* Number of pieces of the line. */
    /* The first point of the line; 0 and 0 if there is none. */
    uint64_t device, host;
    double nominal_rate; /* Device units per second, as given or as the rounded mean; 0: unknown. */
    double drift;        /* Mean over the run: ppm by which the device's clock is faster than nominal. */
    /* Root mean square of a point's distance from the chord of its neighbours, host ticks. */
    double residual;
    bool rate_measured; /* False: the nominal rate was assumed. */
};

/* Creates a fit. `ticks_per_second`: of the host's clock, greater than 0. `nominal_rate`: of the device's, 0
 * if unknown. Returns NULL if out of memory. */
struct omptape_device_fit *omptape_device_fit_create(double ticks_per_second, double nominal_rate);
void omptape_device_fit_free(struct omptape_device_fit *fit);

/* Adds an anchor: 1 to 8 readings taken back to back (more are ignored), in any order of time. The next
 * conversion fits the line to all anchors anew, which takes some milliseconds for thousands of them. Returns
 * 0, -ENOMEM, or -EINVAL if no reading is valid: device time 0 or UINT64_MAX, host times reversed or over a
 * second apart. */
int omptape_device_fit_add(struct omptape_device_fit *fit, const struct omptape_device_reading *readings,
                           size_t count);

/* Converts a device time to a host time and its error bound in host ticks. `limit` is a host time at which
 * this device time was already known (UINT64_MAX: unknown); it selects the era if several had the same
 * times. In one era, and while no anchor is added, later device times never get earlier host times.
 * Returns 0, -ENODATA if there are no usable anchors, or -ENOMEM. */
int omptape_device_fit_convert(struct omptape_device_fit *fit, uint64_t device, uint64_t limit,
                               uint64_t *host, uint64_t *bound);

/* Returns true if the device time lies between the first and the last anchor of an era. */
bool omptape_device_fit_covers(struct omptape_device_fit *fit, uint64_t device);

/* Returns true if the anchors show the rate; false if so few exist that the nominal rate is assumed. */
bool omptape_device_fit_is_measured(struct omptape_device_fit *fit);

void omptape_device_fit_summarise(struct omptape_device_fit *fit, struct omptape_device_fit_summary *summary);
