/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Anchors of a device's clock: readings of two clocks made into points of a line, kept in the order of the
 * host's time, close ones merged, old ones thinned. Used by the fit of a device's clock.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_CLOCK_ANCHORS_H
#define OMPTAPE_WRITERS_DEVICES_CLOCK_ANCHORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The readings of an anchor that are used; what comes beyond is ignored. */
enum { OMPTAPE_DEVICE_READINGS = 8 };

/* The device's clock read between two readings of the host's. */
struct omptape_device_reading {
    uint64_t before; /* host ticks */
    uint64_t device; /* device units */
    uint64_t after;  /* host ticks */
};

/* What a filter believes at an anchor. All in host ticks; rates are relative to the fit's slope. */
struct omptape_device_belief {
    double off;           /* the line's host time less the anchor's */
    double rate;          /* the line's slope over the fit's, less 1 */
    double p00, p01, p11; /* covariance of both */
    double bias;          /* what the brackets may hide */
};

struct omptape_device_anchor {
    uint64_t device;
    uint64_t host;
    double part;   /* of a host tick, 0 to 1: the anchor lies at host + part */
    double count;  /* independent readings it is worth */
    double spread; /* variance from the widths of the brackets, host ticks squared */
    double bias;   /* half a bracket, and what merging blurred; host ticks */
    /* The filter's, see filter.h. */
    struct omptape_device_belief forward, smooth;
    double step;      /* from the anchor before it on the line, host ticks */
    double extra;     /* a sudden change on the way from there that no drift explains, host ticks */
    double pred_off;  /* what was predicted from there, */
    double pred_rate; /* with its covariance */
    double pre00, pre01, pre11;
    int era; /* -1: rejected */
};

struct omptape_device_anchors {
    struct omptape_device_anchor *at; /* ascending by host time */
    size_t count;
    uint32_t capacity;
    double ticks_per_second;
    /* Pooled scatter of a single reading about its anchor's mean. */
    double scatter, freedom;
    uint64_t merged;
};

/* Where a later time lies from an earlier one, exact below 2^53. */
double omptape_device_ahead(const struct omptape_device_anchor *from, const struct omptape_device_anchor *to);
/* Device units from `from` to `to`, across a wrap of 64 bits. */
double omptape_device_units(const struct omptape_device_anchor *from, const struct omptape_device_anchor *to);

/* Standard deviation of one reading's jitter, host ticks: a microsecond until readings have shown better. */
double omptape_device_jitter(const struct omptape_device_anchors *anchors);
/* Variance of an anchor's host time, host ticks squared. */
double omptape_device_variance(const struct omptape_device_anchors *anchors,
                               const struct omptape_device_anchor *anchor);

/* Makes one anchor of `count` (1 to 8) sane readings. `slope`: host ticks for a device unit; 0: unknown, then
 * the tightest reading serves alone. Its scatter goes into the pool if `pool`. */
struct omptape_device_anchor omptape_device_reduce(struct omptape_device_anchors *anchors,
                                                   const struct omptape_device_reading *readings,
                                                   size_t count, double slope, bool pool);

/* Puts `count` anchors in, in any order (sorts them), merges near ones, thins. `lowest` receives the index of
 * the lowest anchor that changed. 0 or -ENOMEM (then none is in). */
int omptape_device_anchors_insert(struct omptape_device_anchors *anchors, struct omptape_device_anchor *added,
                                  size_t count, double slope, size_t *lowest);

/* The typical slope (host ticks for a device unit) of the newest anchors; 0 if they show none. `doubt`
 * receives its relative error. */
double omptape_device_slope(const struct omptape_device_anchors *anchors, double *doubt);

void omptape_device_anchors_free(struct omptape_device_anchors *anchors);

#endif
