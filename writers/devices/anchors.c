/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements anchors of a device's clock. The mean of points of a line lies on the line, so readings are
 * averaged before the slope is known. All estimates are medians, so neither outliers nor a clock that was set
 * affect them. Called by the fit of a device's clock.
 */
#include "writers/devices/anchors.h"

#include "src/core/array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum {
    MAX_ANCHORS = 8192,
    AFTER_THINNING = 6144,
    NEWEST_KEPT = 256, /* Anchors that are never thinned. */
    NEWEST = 128,      /* Newest anchors used for the estimates. */
    ENOUGH = 4,        /* Least number of anchors from which the jitter is estimated. */
};

static const double PRIOR_JITTER = 1e-6; /* Seconds; used until enough readings exist. */
static const double CHORD = 20e-3;       /* Seconds; a shorter chord shows more jitter than slope. */
static const double SLOWEST = 1e3;       /* Device units per second. */
static const double FASTEST = 1e12;
static const double BEND = 5e-6;    /* Expected change of the rate per second. */
static const double DEVIATIONS = 6; /* Error bounds span this many standard deviations. */
static const double MEDIAN =
    1.4826; /* Ratio of a normal distribution's standard deviation to its median deviation. */

double omptape_device_host_distance(const struct omptape_device_anchor *from,
                                    const struct omptape_device_anchor *to)
{
    return (double)(int64_t)(to->host - from->host) + (to->part - from->part);
}

double omptape_device_unit_distance(const struct omptape_device_anchor *from,
                                    const struct omptape_device_anchor *to)
{
    return (double)(int64_t)(to->device - from->device) + (to->device_part - from->device_part);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values and returns their median. */
static double median(double *values, size_t count)
{
    qsort(values, count, sizeof(values[0]), by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static double half_bracket(const struct omptape_device_reading *reading)
{
    return (double)(reading->after - reading->before) / 2;
}

/* The readings of one anchor, relative to the reading with the narrowest bracket. */
struct reading_group {
    size_t count;
    double units[OMPTAPE_DEVICE_READINGS];
    double ticks[OMPTAPE_DEVICE_READINGS];
    double half[OMPTAPE_DEVICE_READINGS];
};

static const struct omptape_device_reading *find_tightest(const struct omptape_device_reading *readings,
                                                          size_t count)
{
    const struct omptape_device_reading *best = readings;
    for (size_t i = 1; i < count; i++)
        if (half_bracket(&readings[i]) < half_bracket(best))
            best = &readings[i];
    return best;
}

static void gather_narrow(struct reading_group *group, const struct omptape_device_reading *readings,
                          size_t count, const struct omptape_device_reading *origin)
{
    for (size_t i = 0; i < count; i++) {
        double half = half_bracket(&readings[i]);
        if (half > 2 * half_bracket(origin) + 1)
            continue;
        group->units[group->count] = (double)(int64_t)(readings[i].device - origin->device);
        group->ticks[group->count] = (double)(int64_t)(readings[i].before - origin->before) + half;
        group->half[group->count++] = half;
    }
}

/* Removes outliers: readings whose device time is four times as far from the median as the average reading.
 */
static void drop_outliers(struct reading_group *group)
{
    double sorted[OMPTAPE_DEVICE_READINGS];
    double sum = 0;
    size_t kept = 0;
    for (size_t i = 0; i < group->count; i++)
        sorted[i] = group->units[i];
    double middle = median(sorted, group->count);
    for (size_t i = 0; i < group->count; i++)
        sum += fabs(group->units[i] - middle);
    double most = 4 * sum / (double)group->count;
    for (size_t i = 0; i < group->count; i++) {
        if (fabs(group->units[i] - middle) > most)
            continue;
        group->units[kept] = group->units[i];
        group->ticks[kept] = group->ticks[i];
        group->half[kept++] = group->half[i];
    }
    group->count = kept;
}

static double mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* Limits the value, because senseless readings may differ by more than 63 bits. */
static uint64_t wrap_units(double units)
{
    return (uint64_t)(int64_t)fmin(fmax(rint(units), -0x1p62), 0x1p62);
}

struct omptape_device_anchor omptape_device_average(const struct omptape_device_reading *readings,
                                                    size_t count)
{
    struct reading_group group = {.count = 0};
    const struct omptape_device_reading *origin = find_tightest(readings, count);
    gather_narrow(&group, readings, count, origin);
    drop_outliers(&group);
    double units = mean(group.units, group.count);
    double ticks = mean(group.ticks, group.count);
    struct omptape_device_anchor anchor = {
        .device = origin->device + wrap_units(units),
        .device_part = units - rint(units),
        .host = origin->before + (uint64_t)(int64_t)floor(ticks),
        .part = ticks - floor(ticks),
        .readings = (double)group.count,
        .half = mean(group.half, group.count),
        .era = -1,
    };
    for (size_t i = 0; i < group.count; i++) {
        double u = group.units[i] - units;
        double h = group.ticks[i] - ticks;
        anchor.uu += u * u;
        anchor.uh += u * h;
        anchor.hh += h * h;
    }
    return anchor;
}

static bool is_later(const struct omptape_device_anchor *a, const struct omptape_device_anchor *b)
{
    double ahead = omptape_device_host_distance(b, a);
    return ahead > 0 || (ahead == 0 && a->device > b->device);
}

long omptape_device_anchors_insert(struct omptape_device_anchors *anchors,
                                   const struct omptape_device_anchor *anchor)
{
    if (!OMPTAPE_RESERVE(anchors->at, (uint32_t)anchors->count + 1, &anchors->capacity))
        return -ENOMEM;
    size_t place = anchors->count++;
    for (; place > 0 && is_later(&anchors->at[place - 1], anchor); place--)
        anchors->at[place] = anchors->at[place - 1];
    anchors->at[place] = *anchor;
    return (long)place;
}

/* Drops anchors less than `ticks` after the last kept one. Keeps the first and the last anchor of an era. */
static void thin_by(struct omptape_device_anchors *anchors, double ticks)
{
    struct omptape_device_anchor *at = anchors->at;
    size_t kept = 1;
    for (size_t i = 1; i < anchors->count; i++) {
        bool inside =
            i + NEWEST_KEPT < anchors->count && at[i].era == at[kept - 1].era && at[i].era == at[i + 1].era;
        if ((inside || at[i].era < 0) && omptape_device_host_distance(&at[kept - 1], &at[i]) < ticks)
            continue;
        at[kept++] = at[i];
    }
    anchors->thinned += anchors->count - kept;
    anchors->count = kept;
}

bool omptape_device_anchors_thin(struct omptape_device_anchors *anchors, double ticks_per_second)
{
    if (anchors->count <= MAX_ANCHORS)
        return false;
    double span = omptape_device_host_distance(&anchors->at[0], &anchors->at[anchors->count - 1]);
    double ticks = fmax(span / (double)MAX_ANCHORS, ticks_per_second * 1e-6);
    for (int i = 0; i < 64 && anchors->count > AFTER_THINNING; i++, ticks *= 1.5)
        thin_by(anchors, ticks);
    /* There are so many eras that no anchor lies inside one, so the oldest anchors are dropped. */
    size_t surplus = anchors->count > AFTER_THINNING ? anchors->count - AFTER_THINNING : 0;
    for (size_t i = surplus; i < anchors->count; i++)
        anchors->at[i - surplus] = anchors->at[i];
    anchors->count -= surplus;
    anchors->thinned += surplus;
    return true;
}

struct chord {
    double slope, ticks;
};

static int by_slope(const void *a, const void *b)
{
    return by_value(&((const struct chord *)a)->slope, &((const struct chord *)b)->slope);
}

double omptape_device_slope(const struct omptape_device_anchors *anchors, double ticks_per_second,
                            size_t first, size_t end, double *length)
{
    struct chord chords[NEWEST];
    size_t found = 0;
    size_t from = first;
    for (size_t i = first + 1; i < end && found < NEWEST; i++) {
        const struct omptape_device_anchor *to = &anchors->at[i];
        while (from + 1 < i &&
               omptape_device_host_distance(&anchors->at[from + 1], to) >= CHORD * ticks_per_second)
            from++;
        double ticks = omptape_device_host_distance(&anchors->at[from], to);
        double units = omptape_device_unit_distance(&anchors->at[from], to);
        double seconds = ticks / ticks_per_second;
        if (ticks > 0 && units >= SLOWEST * seconds && units <= FASTEST * seconds)
            chords[found++] = (struct chord){ticks / units, ticks};
    }
    if (found == 0)
        return 0;
    qsort(chords, found, sizeof(chords[0]), by_slope);
    *length = chords[found / 2].ticks;
    return chords[found / 2].slope;
}

static size_t first_of_newest(const struct omptape_device_anchors *anchors)
{
    return anchors->count > NEWEST ? anchors->count - NEWEST : 0;
}

/* Returns the median deviation of a reading from the mean of its anchor, host ticks. */
static double find_jitter(const struct omptape_device_anchors *anchors, double slope, double prior)
{
    double variances[NEWEST];
    size_t count = 0;
    for (size_t i = first_of_newest(anchors); i < anchors->count; i++) {
        const struct omptape_device_anchor *anchor = &anchors->at[i];
        double sum = anchor->hh - 2 * slope * anchor->uh + slope * slope * anchor->uu;
        if (anchor->readings > 2)
            variances[count++] = fmax(sum, 0) / (anchor->readings - 1);
    }
    if (count == 0)
        return prior;
    double jitter = sqrt(median(variances, count));
    return count < ENOUGH ? fmax(jitter, prior) : jitter;
}

/* Computes how far anchors lie from the chords of their neighbours. The standard deviation of an anchor is
 * the median of the distances that drift does not explain. Drift may hide an error of up to twice the
 * median of the distances that it explains. */
static void find_distances(const struct omptape_device_anchors *anchors, struct omptape_device_noise *noise)
{
    double explained[NEWEST];
    double beyond[NEWEST];
    size_t count = 0;
    for (size_t i = first_of_newest(anchors); i + 2 < anchors->count; i++) {
        const struct omptape_device_anchor *a = &anchors->at[i];
        double units = omptape_device_unit_distance(a, a + 2);
        double first = omptape_device_unit_distance(a, a + 1);
        if (!(units > 0 && first >= 0 && first <= units))
            continue;
        double share = first / units;
        double ticks = omptape_device_host_distance(a, a + 2);
        double drift = BEND / 2 * share * (1 - share) * ticks * ticks / noise->ticks_per_second;
        double deviation = MEDIAN / sqrt(1 + share * share + (1 - share) * (1 - share));
        double distance = fabs(omptape_device_host_distance(a, a + 1) - share * ticks);
        explained[count] = fmin(distance, drift);
        beyond[count++] = fmax(distance - drift, 0) * deviation;
    }
    bool enough = count >= 2 * ENOUGH;
    noise->shared = enough ? median(beyond, count) : 0;
    noise->hidden = enough ? 2 * median(explained, count) : 0;
}

double omptape_device_variance(const struct omptape_device_noise *noise,
                               const struct omptape_device_anchor *anchor)
{
    return fmax(noise->jitter * noise->jitter / anchor->readings, noise->shared * noise->shared);
}

double omptape_device_error_of(const struct omptape_device_noise *noise, double half, double variance)
{
    return half + DEVIATIONS * sqrt(variance) + noise->hidden;
}

static double error_at(const struct omptape_device_noise *noise, const struct omptape_device_anchor *anchor)
{
    return omptape_device_error_of(noise, anchor->half, omptape_device_variance(noise, anchor));
}

void omptape_device_estimate_noise(const struct omptape_device_anchors *anchors,
                                   struct omptape_device_noise *noise)
{
    double ticks = 0;
    double prior = PRIOR_JITTER * noise->ticks_per_second;
    noise->slope = omptape_device_slope(anchors, noise->ticks_per_second, first_of_newest(anchors),
                                        anchors->count, &ticks);
    noise->jitter = find_jitter(anchors, noise->slope, prior);
    find_distances(anchors, noise);
    noise->slope_error = 1;
    if (noise->slope > 0)
        noise->slope_error = fmin(1, 2 * error_at(noise, &anchors->at[anchors->count - 1]) / ticks);
}

bool omptape_device_is_consistent(const struct omptape_device_noise *noise,
                                  const struct omptape_device_anchor *from,
                                  const struct omptape_device_anchor *to, double slope)
{
    double ahead = omptape_device_host_distance(from, to);
    double step = omptape_device_unit_distance(from, to) * slope;
    double errors = error_at(noise, from) + error_at(noise, to) + noise->granularity;
    return step > 0 && fabs(ahead - step) <= errors + OMPTAPE_DEVICE_MAX_RATE_CHANGE * ahead;
}

void omptape_device_anchors_free(struct omptape_device_anchors *anchors)
{
    free(anchors->at);
    *anchors = (struct omptape_device_anchors){.at = NULL};
}
