/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulated device whose clock is wrong in every way that is wanted, and the truth about it. Used by the
 * unit tests of device clocks.
 */
#pragma once

#include "writers/devices/clock.h"

#define HOST_RATE 2.4e9 /* ticks in a second */

enum drift_kind {
    STEADY, /* no change */
    SWING,  /* the rate swings as a sine does */
    RAMP,   /* the rate grows all the time */
    ZIGZAG, /* the rate grows for as long as it then falls */
};

struct device_world {
    double device_rate; /* units in a second */
    uint64_t offset;    /* device time at the start */
    double ppm;         /* error of the rate */
    enum drift_kind drift;
    double bend;   /* greatest change of the rate, ppm in a second */
    double period; /* seconds: of SWING and ZIGZAG */
    double jitter; /* seconds: of a reading; standard deviation if normal, else greatest */
    bool normal;
    double common;      /* seconds: greatest error that the readings of an anchor share */
    double granule;     /* device units; 0: 1 */
    double bracket;     /* seconds: typical width */
    bool leans;         /* the device is read at the bracket's end */
    double preempted;   /* probability that a reading's bracket is 10 ms wide */
    int readings;       /* of an anchor */
    double wtime_start; /* omp_get_wtime at the start */
    uint64_t seed;
};

/* A world of 50 ppm, 5 ppm/s and a microsecond's jitter. */
struct device_world device_world(uint64_t seed);

/* 0 to 1. */
double world_random(struct device_world *world);
/* Host ticks `seconds` after the start, exact to a fraction. */
double world_host(double seconds);
/* What the device's clock shows, without jitter, as a record has it. */
uint64_t world_device(const struct device_world *world, double seconds);
double world_wtime(const struct device_world *world, double seconds);

/* Takes an anchor; `readings` holds 8. Returns the seconds that it took. */
double world_read(struct device_world *world, double seconds, struct omptape_device_reading *readings);
void world_read_wtime(struct device_world *world, double seconds, struct omptape_wtime_reading *readings);
int world_anchor(struct device_world *world, double seconds, struct omptape_device_clock *clock);

/* Errors of conversions. */
struct world_errors {
    size_t count, capacity;
    double *errors;   /* seconds */
    double bound_max; /* seconds */
    size_t beyond;    /* errors beyond their bound */
};

/* Converts the record of a true time and notes the error. */
void world_convert(const struct device_world *world, struct omptape_device_clock *clock, double seconds,
                   struct world_errors *errors);
/* The error that a share of the records does not exceed. */
double world_quantile(struct world_errors *errors, double share);
/* Prints the figures, frees and zeroes them. */
void world_report(struct world_errors *errors, const char *what);
