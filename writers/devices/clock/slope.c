/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The typical slope of anchors: the median of chords, so that neither strays nor a clock that was set move
 * it. Called by the fit of a device's clock.
 */
#include "writers/devices/clock/anchors.h"

#include <math.h>
#include <stdlib.h>

enum { SLOPE_ANCHORS = 128 };

static const double SLOPE_SPAN = 20e-3; /* seconds; shorter ones show more jitter than slope */
static const double SLOWEST = 1e3;      /* device units in a second */
static const double FASTEST = 1e12;
static const double LEAST_DOUBT = 50e-6; /* relative: of the slope, for it drifts */
static const double MOST_SPREAD = 2e-3;  /* chords that differ by more tell of a clock that was set */

struct chord {
    double slope, weight;
};

static int by_slope(const void *a, const void *b)
{
    double x = ((const struct chord *)a)->slope;
    double y = ((const struct chord *)b)->slope;
    return (x > y) - (x < y);
}

/* Chords that are long enough to show more slope than jitter, among the newest anchors. */
static size_t find_chords(const struct omptape_device_anchors *anchors, struct chord chords[SLOPE_ANCHORS])
{
    size_t found = 0;
    size_t first = anchors->count > SLOPE_ANCHORS ? anchors->count - SLOPE_ANCHORS : 0;
    size_t from = first;
    for (size_t i = first + 1; i < anchors->count; i++) {
        const struct omptape_device_anchor *to = &anchors->at[i];
        while (from + 1 < i &&
               omptape_device_ahead(&anchors->at[from + 1], to) >= SLOPE_SPAN * anchors->ticks_per_second)
            from++;
        double ticks = omptape_device_ahead(&anchors->at[from], to);
        double units = omptape_device_units(&anchors->at[from], to);
        if (units <= 0 || ticks <= 0)
            continue;
        double rate = units / ticks * anchors->ticks_per_second;
        if (rate < SLOWEST || rate > FASTEST)
            continue;
        chords[found++] = (struct chord){ticks / units, fmin(ticks, anchors->ticks_per_second)};
    }
    return found;
}

/* The chord below which lies this share of all weight. */
static const struct chord *chord_at(const struct chord *chords, size_t count, double share)
{
    double all = 0;
    for (size_t i = 0; i < count; i++)
        all += chords[i].weight;
    size_t i = 0;
    for (double sum = chords[0].weight; sum < all * share && i + 1 < count; sum += chords[i].weight)
        i++;
    return &chords[i];
}

double omptape_device_slope(const struct omptape_device_anchors *anchors, double *doubt)
{
    struct chord chords[SLOPE_ANCHORS];
    size_t count = find_chords(anchors, chords);
    if (count == 0)
        return 0;
    qsort(chords, count, sizeof(chords[0]), by_slope);
    const struct chord *typical = chord_at(chords, count, 0.5);
    double spread =
        (chord_at(chords, count, 0.75)->slope - chord_at(chords, count, 0.25)->slope) / typical->slope;
    double bracket = fmin(anchors->at[0].bias, typical->weight);
    double own = 4 * (omptape_device_jitter(anchors) + bracket) / typical->weight;
    *doubt = fmin(1, fmax(own, fmin(fmax(spread, LEAST_DOUBT), MOST_SPREAD)));
    return typical->slope;
}
