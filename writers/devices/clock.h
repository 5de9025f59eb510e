/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock of a device against the host's: turns the times of device records into host times and bounds the
 * error. One for each device; knows nothing of OMPT or OTF2. Belongs to one thread, like all in this folder.
 *
 * Three kinds of anchors come in any order, while the program runs:
 * - readings of the device's own clock (ompt_get_device_time) between two of the host's: the best; they serve
 *   if they are enough;
 * - readings of omp_get_wtime between two of the host's;
 * - pairs of a device time with what ompt_translate_time made of it, in seconds of omp_get_wtime.
 * The last two are together a second way from the device to the host. It serves where the first is missing,
 * and is compared with it otherwise.
 *
 * Host times are ticks of the writer's clock. Device times are units of any rate and offset.
 */
#pragma once

#include "writers/devices/fit.h"

struct omptape_device_clock;

/* omp_get_wtime between two readings of the host's clock. */
struct omptape_wtime_reading {
    uint64_t before; /* host ticks */
    double wtime;    /* seconds */
    uint64_t after;  /* host ticks */
};

enum omptape_device_clock_source {
    OMPTAPE_DEVICE_CLOCK_NONE,      /* nothing converts */
    OMPTAPE_DEVICE_CLOCK_TIME,      /* ompt_get_device_time */
    OMPTAPE_DEVICE_CLOCK_TRANSLATE, /* ompt_translate_time */
};

struct omptape_device_clock_summary {
    enum omptape_device_clock_source source;
    /* of the source; host ticks, with TRANSLATE residuals in nanoseconds */
    struct omptape_device_fit_summary fit;
    uint64_t converted;
    uint64_t bound_max; /* host ticks: the greatest bound that was given */
    /* Seconds by which the device's clock, at its nominal rate, was ahead of the host's at (fit.device,
     * fit.host), which are exact. */
    double offset;
    uint64_t pairs;      /* translated pairs offered */
    uint64_t wtimes;     /* anchors of omp_get_wtime offered */
    uint64_t compared;   /* device times converted both ways */
    double disagreement; /* host ticks: the greatest difference of both ways against their errors... */
    double allowed;      /* ...and the sum of their errors there */
    bool disagree;       /* the two ways differ by more than their errors; the device's own time was used */
};

/* "device time", "translate_time" or "none". */
const char *omptape_device_clock_source_name(enum omptape_device_clock_source source);

/* `ticks_per_second`: of the host's clock; greater than 0. `device_rate`: units of the device's clock in a
 * second if it is known, else 0. NULL: out of memory. */
struct omptape_device_clock *omptape_device_clock_create(double ticks_per_second, double device_rate);
void omptape_device_clock_free(struct omptape_device_clock *clock);

/* Each adds one anchor. 0, -EINVAL if it makes no sense (it is counted and left out), or -ENOMEM. Of more
 * than 8 readings the rest is ignored. */
int omptape_device_clock_add(struct omptape_device_clock *clock,
                             const struct omptape_device_reading *readings, size_t count);
int omptape_device_clock_add_wtime(struct omptape_device_clock *clock,
                                   const struct omptape_wtime_reading *readings, size_t count);
int omptape_device_clock_add_translated(struct omptape_device_clock *clock, uint64_t device, double wtime);

/* The host time of a device time and the error it may have, in host ticks. 0, -ENODATA if there is nothing to
 * go by, or -ENOMEM; then nothing is set. Any time: between, before and after the anchors, where the bound
 * grows. Within an era of the device's clock, and while no
 * anchor is added, a later device time never gets an earlier host time. */
int omptape_device_clock_convert(struct omptape_device_clock *clock, uint64_t device, uint64_t *host,
                                 uint64_t *bound);
/* The same for a time that was known at host time `limit`, such as when its record was delivered. If the
 * device's clock was set back, the same device times came twice: this tells which is meant. */
int omptape_device_clock_convert_known(struct omptape_device_clock *clock, uint64_t device, uint64_t limit,
                                       uint64_t *host, uint64_t *bound);

/* Sums up the clock, and compares both ways over all that was translated. */
void omptape_device_clock_summarise(struct omptape_device_clock *clock,
                                    struct omptape_device_clock_summary *summary);
