/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Relates the clock of a device to the host's: converts times of device records to host times, with error
 * bounds. One for each device; independent of OMPT and OTF2. Not thread-safe, like everything in this folder.
 *
 * Three kinds of anchors come in any order, while the program runs:
 * - readings of the device's own clock (ompt_get_device_time) between two of the host's: the best ones, used
 *   if there are enough;
 * - readings of omp_get_wtime between two of the host's;
 * - pairs of a device time and its translation by ompt_translate_time, in seconds of omp_get_wtime. The last
 *   two kinds together are a second way from the device to the host. It is used if the first way is missing,
 *   and compared with the first way otherwise.
 *
 * Host times are ticks of the writer's clock. Device times are units of any rate and offset.
 */
#pragma once

#include "writers/devices/fit.h"

struct omptape_device_clock;

/* Reading of omp_get_wtime between two readings of the host's clock. */
struct omptape_wtime_reading {
    uint64_t before; /* Host ticks. */
    double wtime;    /* Seconds. */
    uint64_t after;  /* Host ticks. */
};

enum omptape_device_clock_source {
    OMPTAPE_DEVICE_CLOCK_NONE,      /* No conversion is possible. */
    OMPTAPE_DEVICE_CLOCK_TIME,      /* ompt_get_device_time. */
    OMPTAPE_DEVICE_CLOCK_TRANSLATE, /* ompt_translate_time. */
};

struct omptape_device_clock_summary {
    enum omptape_device_clock_source source;
    /* Fit of the source; host ticks, but residuals in nanoseconds for TRANSLATE. */
    struct omptape_device_fit_summary fit;
    uint64_t converted;
    uint64_t bound_max; /* Greatest bound returned, host ticks. */
    /* Seconds by which the device's clock, at its nominal rate, was ahead of the host's at (fit.device,
     * fit.host), which are exact. */
    double offset;
    uint64_t pairs;      /* Number of translated pairs added. */
    uint64_t wtimes;     /* Number of anchors of omp_get_wtime added. */
    uint64_t compared;   /* Number of device times converted in both ways. */
    double disagreement; /* Greatest difference of both ways in relation to their errors, host ticks. */
    double allowed;      /* Sum of their errors at that time, host ticks. */
    /* True if the ways differ by more than their errors; then the device's own time is used. */
    bool disagree;
};

/* Returns "device time", "translate_time" or "none". */
const char *omptape_device_clock_source_name(enum omptape_device_clock_source source);

/* Creates a clock. `ticks_per_second`: of the host's clock, greater than 0. `device_rate`: units of the
 * device's clock per second, or 0 if unknown. Returns NULL if out of memory. */
struct omptape_device_clock *omptape_device_clock_create(double ticks_per_second, double device_rate);
void omptape_device_clock_free(struct omptape_device_clock *clock);

/* Each adds one anchor. Returns 0, -EINVAL if it is senseless (then it is only counted), or -ENOMEM.
 * Ignores readings after the first 8. */
int omptape_device_clock_add(struct omptape_device_clock *clock,
                             const struct omptape_device_reading *readings, size_t count);
int omptape_device_clock_add_wtime(struct omptape_device_clock *clock,
                                   const struct omptape_wtime_reading *readings, size_t count);
int omptape_device_clock_add_translated(struct omptape_device_clock *clock, uint64_t device, double wtime);

/* Converts a device time to a host time with its error bound, in host ticks. Returns 0, or -ENODATA
 * without anchors, or -ENOMEM; then nothing is set. Works between, before and after the anchors; outside
 * them the bound grows. In one era of the device's clock, and while no anchor is added, later device times
 * never get earlier host times.
 * `limit` is a host time at which the time was already known, for example when its record was delivered
 * (UINT64_MAX: unknown). If the device's clock was set back, the same device times came twice; the limit
 * selects the right one. */
int omptape_device_clock_convert(struct omptape_device_clock *clock, uint64_t device, uint64_t limit,
                                 uint64_t *host, uint64_t *bound);

/* Fills the summary, and compares both ways for all kept translated times. */
void omptape_device_clock_summarise(struct omptape_device_clock *clock,
                                    struct omptape_device_clock_summary *summary);
