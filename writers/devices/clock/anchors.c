/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Readings become anchors: a weighted mean, in which wide brackets count little; a mean of points of a line
 * lies on the line. Called by the fit of a device's clock.
 */
#include "writers/devices/clock/anchors.h"

#include "src/core/array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ANCHORS = 8192,
    AFTER_THINNING = 6144,
    NEWEST_KEPT = 256, /* never thinned */
    FEW_ANCHORS = 64,  /* of few, none is given away for being near another */
};

static const double PRIOR_JITTER = 1e-6;   /* seconds */
static const double PRIOR_FREEDOM = 4;     /* readings that the prior is worth */
static const double MOST_FREEDOM = 2000;   /* older scatter is forgotten */
static const double NEAR_WHEN_FEW = 20e-6; /* seconds */
static const double NEAR_WHEN_MANY = 1e-3; /* seconds */
static const double BACK_TO_BACK = 5e-3;   /* seconds */
static const double BEND = 5e-6;           /* change of the rate in a second */

static double square(double x)
{
    return x * x;
}

double omptape_device_ahead(const struct omptape_device_anchor *from, const struct omptape_device_anchor *to)
{
    return (double)(int64_t)(to->host - from->host) + (to->part - from->part);
}

double omptape_device_units(const struct omptape_device_anchor *from, const struct omptape_device_anchor *to)
{
    return (double)(int64_t)(to->device - from->device);
}

static double jitter_variance(const struct omptape_device_anchors *anchors)
{
    double prior = square(PRIOR_JITTER * anchors->ticks_per_second);
    return (PRIOR_FREEDOM * prior + anchors->scatter) / (PRIOR_FREEDOM + anchors->freedom);
}

double omptape_device_jitter(const struct omptape_device_anchors *anchors)
{
    return sqrt(jitter_variance(anchors));
}

double omptape_device_variance(const struct omptape_device_anchors *anchors,
                               const struct omptape_device_anchor *anchor)
{
    return jitter_variance(anchors) / anchor->count + anchor->spread;
}

static double half_bracket(const struct omptape_device_reading *reading)
{
    return (double)(reading->after - reading->before) / 2;
}

/* Half ticks are kept: twice the middle of the bracket, relative to `origin`. */
static double middle_of(const struct omptape_device_reading *reading, uint64_t origin)
{
    return (double)(int64_t)(reading->before - origin) + half_bracket(reading);
}

static size_t tightest_reading(const struct omptape_device_reading *readings, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (half_bracket(&readings[i]) < half_bracket(&readings[best]))
            best = i;
    return best;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values. */
static double median(double *values, size_t count)
{
    qsort(values, count, sizeof(values[0]), by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* The readings of one anchor relative to the tightest. */
struct reading_group {
    size_t count;
    double units[OMPTAPE_DEVICE_READINGS];
    double ticks[OMPTAPE_DEVICE_READINGS];
    double above[OMPTAPE_DEVICE_READINGS]; /* host time over the line of the slope */
    double half[OMPTAPE_DEVICE_READINGS];
};

static void gather_group(struct reading_group *group, const struct omptape_device_reading *readings,
                         size_t count, const struct omptape_device_reading *origin, double slope,
                         double farthest)
{
    for (size_t i = 0; i < count; i++) {
        size_t n = group->count;
        group->ticks[n] = middle_of(&readings[i], origin->before);
        group->units[n] = (double)(int64_t)(readings[i].device - origin->device);
        group->above[n] = group->ticks[n] - group->units[n] * slope;
        group->half[n] = half_bracket(&readings[i]);
        group->count += fabs(group->ticks[n]) < farthest;
    }
}

static double narrowest_half(const struct reading_group *group)
{
    double narrow = group->half[0];
    for (size_t i = 1; i < group->count; i++)
        narrow = fmin(narrow, group->half[i]);
    return narrow;
}

/* Where most readings lie that were not interrupted. */
static double typical_of(const struct reading_group *group, double jitter)
{
    double values[OMPTAPE_DEVICE_READINGS];
    size_t count = 0;
    double most = 4 * narrowest_half(group) + jitter;
    for (size_t i = 0; i < group->count; i++)
        if (group->half[i] <= most)
            values[count++] = group->above[i];
    return median(values, count);
}

/* Leaves out readings that neither jitter nor their bracket explains. */
static void leave_out_strays(struct reading_group *group, double jitter)
{
    double typical = typical_of(group, jitter);
    size_t kept = 0;
    for (size_t i = 0; i < group->count; i++) {
        if (fabs(group->above[i] - typical) > 8 * jitter + 2 * group->half[i] && group->count > 2)
            continue;
        group->units[kept] = group->units[i];
        group->ticks[kept] = group->ticks[i];
        group->above[kept] = group->above[i];
        group->half[kept++] = group->half[i];
    }
    /* All strayed from a median between them: then there is no telling which. */
    group->count = kept != 0 ? kept : group->count;
}

static void pool_scatter(struct omptape_device_anchors *anchors, const struct reading_group *group,
                         double above)
{
    double narrow = narrowest_half(group);
    double sum = 0;
    double freedom = -1;
    for (size_t i = 0; i < group->count; i++) {
        if (group->half[i] > 4 * narrow)
            continue;
        sum += square(group->above[i] - above);
        freedom += 1;
    }
    if (freedom < 1)
        return;
    if (anchors->freedom > 20) /* one bad anchor must not spoil the pool */
        sum = fmin(sum, freedom * 9 * jitter_variance(anchors));
    anchors->scatter += sum;
    anchors->freedom += freedom;
    if (anchors->freedom > MOST_FREEDOM) {
        anchors->scatter *= 0.5;
        anchors->freedom *= 0.5;
    }
}

static void move_by(struct omptape_device_anchor *anchor, double ticks)
{
    double whole = floor(anchor->part + ticks);
    anchor->part += ticks - whole;
    anchor->host += (uint64_t)(int64_t)whole;
}

struct omptape_device_anchor omptape_device_reduce(struct omptape_device_anchors *anchors,
                                                   const struct omptape_device_reading *readings,
                                                   size_t count, double slope, bool pool)
{
    const struct omptape_device_reading *origin = &readings[tightest_reading(readings, count)];
    struct reading_group group = {.count = 0};
    if (slope > 0)
        gather_group(&group, readings, count, origin, slope, BACK_TO_BACK * anchors->ticks_per_second);
    else
        gather_group(&group, origin, 1, origin, slope, INFINITY);
    double jitter = jitter_variance(anchors);
    leave_out_strays(&group, sqrt(jitter));
    double weights = 0;
    double squares = 0;
    double units = 0;
    double ticks = 0;
    double half = 0;
    double spread = 0;
    double above = 0;
    for (size_t i = 0; i < group.count; i++) {
        double width = square(group.half[i]) / 3;
        double weight = 1 / (jitter + width);
        weights += weight;
        squares += square(weight);
        spread += square(weight) * width;
        units += weight * group.units[i];
        ticks += weight * group.ticks[i];
        above += weight * group.above[i];
        half += weight * group.half[i];
    }
    if (pool)
        pool_scatter(anchors, &group, above / weights);
    double whole = rint(units / weights);
    struct omptape_device_anchor anchor = {.device = origin->device + (uint64_t)(int64_t)whole,
                                           .host = origin->before,
                                           .count = square(weights) / squares,
                                           .spread = spread / square(weights),
                                           .bias = half / weights,
                                           .era = -1};
    move_by(&anchor, ticks / weights + (whole - units / weights) * slope);
    return anchor;
}

/* True if both are of one line as far as their errors tell. */
static bool anchors_agree(const struct omptape_device_anchors *anchors, const struct omptape_device_anchor *a,
                          const struct omptape_device_anchor *b, double slope)
{
    double ahead = omptape_device_ahead(a, b);
    double error = ahead - omptape_device_units(a, b) * slope;
    double variance = omptape_device_variance(anchors, a) + omptape_device_variance(anchors, b);
    return fabs(error) <= 6 * sqrt(variance) + a->bias + b->bias + 1e-3 * fabs(ahead);
}

static void merge_anchors(struct omptape_device_anchors *anchors, struct omptape_device_anchor *into,
                          const struct omptape_device_anchor *from, double slope)
{
    double weight = 1 / omptape_device_variance(anchors, from);
    double share = weight / (weight + 1 / omptape_device_variance(anchors, into));
    double rest = 1 - share;
    double ticks = omptape_device_ahead(into, from);
    double units = omptape_device_units(into, from) * share;
    double seconds = ticks / anchors->ticks_per_second;
    into->device += (uint64_t)(int64_t)rint(units);
    into->count = 1 / (square(share) / from->count + square(rest) / into->count);
    into->spread = square(share) * from->spread + square(rest) * into->spread;
    into->bias = share * from->bias + rest * into->bias +
                 BEND * share * rest * square(seconds) / 2 * anchors->ticks_per_second;
    move_by(into, ticks * share + (rint(units) - units) * slope);
    anchors->merged++;
}

/* Merges neighbours among [from, until) that are less than `span` ticks apart. Returns how many anchors are
 * left. */
static size_t merge_near(struct omptape_device_anchors *anchors, size_t from, size_t until, double span,
                         double slope)
{
    size_t kept = from;
    struct omptape_device_anchor *at = anchors->at;
    for (size_t i = from; i < anchors->count; i++) {
        if (i < until && kept > from && omptape_device_ahead(&at[kept - 1], &at[i]) < span &&
            anchors_agree(anchors, &at[kept - 1], &at[i], slope)) {
            merge_anchors(anchors, &at[kept - 1], &at[i], slope);
            continue;
        }
        at[kept++] = at[i];
    }
    anchors->count = kept;
    return kept;
}

static void leave_out_rejected(struct omptape_device_anchors *anchors, size_t until)
{
    size_t kept = 0;
    for (size_t i = 0; i < anchors->count; i++)
        if (i >= until || anchors->at[i].era >= 0)
            anchors->at[kept++] = anchors->at[i];
    anchors->count = kept;
}

static void thin_anchors(struct omptape_device_anchors *anchors, double slope)
{
    leave_out_rejected(anchors, anchors->count - NEWEST_KEPT);
    double span = 2 * NEAR_WHEN_MANY * anchors->ticks_per_second;
    for (int i = 0; i < 64 && anchors->count > AFTER_THINNING; i++, span *= 2)
        (void)merge_near(anchors, 0, anchors->count - NEWEST_KEPT, span, slope);
    /* Anchors that agree with no neighbour: the oldest go. */
    if (anchors->count > AFTER_THINNING) {
        size_t surplus = anchors->count - AFTER_THINNING;
        memmove(anchors->at, anchors->at + surplus, AFTER_THINNING * sizeof(anchors->at[0]));
        anchors->count = AFTER_THINNING;
    }
}

static int by_host(const void *a, const void *b)
{
    const struct omptape_device_anchor *x = a;
    const struct omptape_device_anchor *y = b;
    if (x->host != y->host)
        return x->host > y->host ? 1 : -1;
    if (x->part != y->part)
        return x->part > y->part ? 1 : -1;
    return (x->device > y->device) - (x->device < y->device);
}

int omptape_device_anchors_insert(struct omptape_device_anchors *anchors, struct omptape_device_anchor *added,
                                  size_t count, double slope, size_t *lowest)
{
    struct omptape_device_anchor *at = omptape_array_reserve(anchors->at, (uint32_t)(anchors->count + count),
                                                             &anchors->capacity, sizeof(*at));
    if (at == NULL)
        return -ENOMEM;
    anchors->at = at;
    qsort(added, count, sizeof(added[0]), by_host);
    size_t old = anchors->count;
    size_t hole = old + count;
    anchors->count = hole;
    while (count > 0) /* from behind, so that a batch that comes last moves nothing */
        if (old > 0 && by_host(&anchors->at[old - 1], &added[count - 1]) > 0)
            anchors->at[--hole] = anchors->at[--old];
        else
            anchors->at[--hole] = added[--count];
    *lowest = old > 0 ? old - 1 : 0;
    double near = anchors->count > FEW_ANCHORS ? NEAR_WHEN_MANY : NEAR_WHEN_FEW;
    (void)merge_near(anchors, *lowest, anchors->count, near * anchors->ticks_per_second, slope);
    if (anchors->count > MOST_ANCHORS) {
        thin_anchors(anchors, slope);
        *lowest = 0;
    }
    return 0;
}

void omptape_device_anchors_free(struct omptape_device_anchors *anchors)
{
    free(anchors->at);
    anchors->at = NULL;
    anchors->count = 0;
    anchors->capacity = 0;
}
