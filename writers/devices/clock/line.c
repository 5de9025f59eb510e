/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Knots are kept with whole host ticks and a rest, and each cubic starts from its own knot, so that no
 * precision is lost to a large offset. Called by the fit of a device's clock.
 */
#include "writers/devices/clock/line.h"

#include "src/core/array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Eras in which a device time is looked for; with more, the clock is set all the time. */
enum { ERAS_TRIED = 32 };

static const double DEVIATIONS = 6;   /* standard deviations that the bound spans */
static const double BEND = 5e-6;      /* change of the rate in a second that is expected beyond the anchors */
static const double MOST_BEND = 2e-4; /* change of the rate that a clock may gather in all */
static const double LIMIT_SLACK = 1e-3; /* seconds */
static const uint64_t MAY_WRAP = UINT64_C(3) << 62;

static struct omptape_device_knot knot_of(const struct omptape_device_anchor *anchor, size_t index,
                                          double slope)
{
    const struct omptape_device_belief *belief = &anchor->smooth;
    double place = anchor->part + belief->off;
    double whole = floor(place);
    return (struct omptape_device_knot){.anchor = index,
                                        .device = anchor->device,
                                        .host = anchor->host + (uint64_t)(int64_t)whole,
                                        .part = place - whole,
                                        .slope = slope * (1 + belief->rate),
                                        .off_sd = sqrt(belief->p00),
                                        .rate_sd = sqrt(belief->p11),
                                        .bias = belief->bias,
                                        .extra = anchor->extra,
                                        .residual = belief->off};
}

static double host_between(const struct omptape_device_knot *from, const struct omptape_device_knot *to)
{
    return (double)(int64_t)(to->host - from->host) + (to->part - from->part);
}

/* Forgets the knots of the anchors from `lowest` on. */
static void cut_line(struct omptape_device_line *line, size_t lowest)
{
    while (line->knot_count > 0 && line->knots[line->knot_count - 1].anchor >= lowest)
        line->knot_count--;
    while (line->era_count > 0 && line->eras[line->era_count - 1].first >= line->knot_count)
        line->era_count--;
    if (line->era_count > 0)
        line->eras[line->era_count - 1].last = line->knot_count - 1;
    line->cached = 0;
}

static int add_knot(struct omptape_device_line *line, const struct omptape_device_anchor *anchor,
                    size_t index, double slope, bool new_era)
{
    struct omptape_device_knot *knots = omptape_array_reserve(line->knots, (uint32_t)line->knot_count + 1,
                                                              &line->knot_capacity, sizeof(*knots));
    if (knots == NULL)
        return -ENOMEM;
    line->knots = knots;
    struct omptape_device_era *eras =
        omptape_array_reserve(line->eras, (uint32_t)line->era_count + 1, &line->era_capacity, sizeof(*eras));
    if (eras == NULL)
        return -ENOMEM;
    line->eras = eras;
    struct omptape_device_knot knot = knot_of(anchor, index, slope);
    size_t place = line->knot_count;
    if (new_era) {
        line->eras[line->era_count++] = (struct omptape_device_era){.first = place};
    } else if (host_between(&line->knots[place - 1], &knot) < 0) {
        /* Anchors nearer to each other than their error: the order counts. */
        knot.host = line->knots[place - 1].host;
        knot.part = line->knots[place - 1].part;
    }
    line->eras[line->era_count - 1].last = place;
    line->knots[line->knot_count++] = knot;
    return 0;
}

int omptape_device_line_build(struct omptape_device_line *line, const struct omptape_device_anchors *anchors,
                              const struct omptape_device_noise *noise, size_t lowest)
{
    cut_line(line, lowest);
    line->ticks_per_second = anchors->ticks_per_second;
    line->wander = noise->wander;
    line->granule = noise->granule;
    int era = line->knot_count > 0 ? anchors->at[line->knots[line->knot_count - 1].anchor].era : -1;
    for (size_t i = lowest; i < anchors->count; i++) {
        if (anchors->at[i].era < 0)
            continue;
        int error = add_knot(line, &anchors->at[i], i, noise->slope, anchors->at[i].era != era);
        if (error != 0) {
            line->knot_count = line->era_count = 0;
            return error;
        }
        era = anchors->at[i].era;
    }
    return 0;
}

/* True if the device time comes before the knot, in an era that begins with `first`; `distance` from the
 * knot. */
static bool comes_before(const struct omptape_device_knot *first, const struct omptape_device_knot *knot,
                         uint64_t device, uint64_t *distance)
{
    uint64_t knot_place = knot->device - first->device;
    uint64_t place = device - first->device;
    bool before_first = first->device >= MAY_WRAP ? (int64_t)place < 0 : device < first->device;
    bool before = before_first || place < knot_place;
    *distance = before ? knot->device - device : device - knot->device;
    return before;
}

/* Where a device time came out. */
struct line_place {
    uint64_t host, bound;
    double outside; /* host ticks beyond the time in which the device's clock was of this era */
};

static uint64_t whole_ticks(double ticks)
{
    return ticks >= 0x1p63 ? UINT64_C(1) << 63 : (uint64_t)(ticks < 0 ? 0 : ticks);
}

static uint64_t add_ticks(const struct omptape_device_knot *knot, double ticks)
{
    double whole = floor(knot->part + ticks);
    if (whole < 0) {
        uint64_t back = whole_ticks(-whole);
        return back < knot->host ? knot->host - back : 0;
    }
    uint64_t ahead = whole_ticks(whole);
    return ahead < UINT64_MAX - knot->host ? knot->host + ahead : UINT64_MAX;
}

/* What every bound holds: the readings' grain, and rounding. */
static uint64_t bound_of(const struct omptape_device_line *line, double ticks)
{
    double sum = ceil(ticks + line->granule) + 1;
    return sum >= 0x1p63 ? UINT64_MAX : (uint64_t)sum;
}

static struct line_place extrapolate_from(const struct omptape_device_line *line,
                                          const struct omptape_device_knot *knot, bool back,
                                          uint64_t distance)
{
    double ticks = (double)distance * knot->slope;
    double wander = line->wander * ticks * ticks * ticks / 3;
    double seconds = ticks / line->ticks_per_second;
    double bend = fmin(BEND * seconds / 2, MOST_BEND);
    double error = DEVIATIONS * (knot->off_sd + knot->rate_sd * ticks) + bend * ticks + knot->bias;
    /* A random walk far out is no clock: the rate stays near what it was. */
    error += fmin(DEVIATIONS * sqrt(wander), 5 * MOST_BEND * ticks);
    return (struct line_place){.host = add_ticks(knot, back ? -ticks : ticks),
                               .bound = bound_of(line, error)};
}

/* The cubic through both knots with their slopes; a chord where that would go back. */
static double cubic_between(const struct omptape_device_knot *a, const struct omptape_device_knot *b,
                            double units, double x)
{
    double rise = host_between(a, b);
    double chord = rise / units;
    double c2 = (3 * chord - 2 * a->slope - b->slope) / units;
    double c3 = (a->slope + b->slope - 2 * chord) / (units * units);
    bool rises = a->slope <= 2.5 * chord && b->slope <= 2.5 * chord;
    double ticks = rises ? x * (a->slope + x * (c2 + x * c3)) : x * chord;
    return fmin(fmax(ticks, 0), rise);
}

static struct line_place interpolate_between(const struct omptape_device_line *line,
                                             const struct omptape_device_knot *a,
                                             const struct omptape_device_knot *b, uint64_t distance)
{
    double units = (double)(b->device - a->device);
    double x = (double)distance;
    double t = x / units;
    double u = 1 - t;
    double ticks = units * a->slope;
    /* Standard deviations are added as if both ends erred alike. */
    double error = u * u * (1 + 2 * t) * a->off_sd + t * t * (3 - 2 * t) * b->off_sd;
    error += t * u * ticks * (u * a->rate_sd + t * b->rate_sd);
    error += sqrt(line->wander * ticks * ticks * ticks / 3) * t * u * sqrt(t * u);
    error = DEVIATIONS * error + fmax(a->bias, b->bias);
    if (b->extra > 0)
        error += b->extra;
    return (struct line_place){.host = add_ticks(a, cubic_between(a, b, units, x)),
                               .bound = bound_of(line, error)};
}

/* The last knot of [first, last] that the device time does not come before. It does not come before `first`.
 */
static size_t find_knot(struct omptape_device_line *line, const struct omptape_device_era *era,
                        uint64_t device)
{
    const struct omptape_device_knot *knots = line->knots;
    const struct omptape_device_knot *first = &knots[era->first];
    uint64_t place = device - first->device;
    size_t low = era->first;
    size_t high = era->last + 1;
    size_t cached = line->cached;
    if (cached >= low && cached + 1 < high && knots[cached].device - first->device <= place &&
        place < knots[cached + 1].device - first->device)
        return cached;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (knots[middle].device - first->device <= place)
            low = middle;
        else
            high = middle;
    }
    line->cached = low;
    return low;
}

/* Host ticks from the last anchor before an era, or to the first after it; as much as the limit allows in the
 * last. */
static double room_beside(const struct omptape_device_line *line, size_t era, bool back, uint64_t limit)
{
    const struct omptape_device_knot *first = &line->knots[line->eras[era].first];
    const struct omptape_device_knot *last = &line->knots[line->eras[era].last];
    if (back)
        return era > 0 ? host_between(first - 1, first) : 0;
    if (era + 1 < line->era_count)
        return host_between(last, last + 1);
    return limit != UINT64_MAX && limit > last->host ? (double)(limit - last->host) : 0;
}

static struct line_place place_in(struct omptape_device_line *line, size_t number, uint64_t device,
                                  uint64_t limit)
{
    const struct omptape_device_era *era = &line->eras[number];
    const struct omptape_device_knot *first = &line->knots[era->first];
    const struct omptape_device_knot *last = &line->knots[era->last];
    uint64_t distance;
    bool back = comes_before(first, first, device, &distance);
    if (!back && comes_before(first, last, device, &distance)) {
        size_t found = find_knot(line, era, device);
        return interpolate_between(line, &line->knots[found], &line->knots[found + 1],
                                   device - line->knots[found].device);
    }
    const struct omptape_device_knot *end = back ? first : last;
    struct line_place place = extrapolate_from(line, end, back, distance);
    place.outside = fmax(0, (double)distance * end->slope - room_beside(line, number, back, limit));
    return place;
}

/* An era of one anchor is a stray's, unless there is no other. */
static bool counts_as_era(const struct omptape_device_line *line, const struct omptape_device_era *era)
{
    return era->last > era->first || line->era_count == 1;
}

/* The newest era that began before the limit. */
static size_t find_era(const struct omptape_device_line *line, uint64_t limit)
{
    size_t low = 0;
    size_t high = line->era_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (line->knots[line->eras[middle].first].host <= limit)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool is_better(const struct line_place *place, const struct line_place *best, uint64_t limit,
                      double slack)
{
    double late = (double)place->host - (double)limit - slack - (double)place->bound;
    double best_late = (double)best->host - (double)limit - slack - (double)best->bound;
    if ((late > 0) != (best_late > 0))
        return late <= 0;
    return place->outside < best->outside;
}

int omptape_device_line_convert(struct omptape_device_line *line, uint64_t device, uint64_t limit,
                                uint64_t *host, uint64_t *bound)
{
    if (line->era_count == 0)
        return -ENODATA;
    bool found = false;
    struct line_place best = {.host = 0};
    size_t newest = find_era(line, limit);
    newest = newest + 1 < line->era_count ? newest + 1 : newest;
    for (size_t tried = 0; tried < ERAS_TRIED && tried <= newest; tried++) {
        const struct omptape_device_era *era = &line->eras[newest - tried];
        if (!counts_as_era(line, era))
            continue;
        struct line_place place = place_in(line, newest - tried, device, limit);
        if (!found || is_better(&place, &best, limit, LIMIT_SLACK * line->ticks_per_second))
            best = place;
        found = true;
    }
    if (!found)
        return -ENODATA;
    *host = best.host;
    *bound = best.bound;
    return 0;
}

bool omptape_device_line_covers(const struct omptape_device_line *line, uint64_t device)
{
    uint64_t distance;
    for (size_t tried = 0; tried < ERAS_TRIED && tried < line->era_count; tried++) {
        const struct omptape_device_era *era = &line->eras[line->era_count - 1 - tried];
        const struct omptape_device_knot *first = &line->knots[era->first];
        if (counts_as_era(line, era) && !comes_before(first, first, device, &distance) &&
            comes_before(first, &line->knots[era->last], device, &distance))
            return true;
    }
    return false;
}

void omptape_device_line_free(struct omptape_device_line *line)
{
    free(line->knots);
    free(line->eras);
    *line = (struct omptape_device_line){.knots = NULL};
}
