/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the fit of two clocks. The first conversion after new anchors fits anew. It averages readings to
 * points and estimates their errors. It finds the outliers and the points that show that the clock was set.
 * Then it draws the line. All estimates are medians, so neither outliers nor a clock that was set affect
 * them. Called by the clock of a device.
 */
#include "writers/devices/fit.h"

#include "src/core/array.h"
#include "src/core/sort.h"
#include "writers/devices/line.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum {
    MAX_GROUPS = 8192,        /* Of so many groups of readings, half of the old ones are dropped. */
    NEWEST_KEPT = 256,        /* Groups that are never dropped. */
    NEWEST = 128,             /* Newest points used for the estimates. */
    ENOUGH = 4,               /* Least number of points from which slope and jitter are estimated. */
    LOOK_AHEAD = 5,           /* Number of points that decide whether an unexpected one is an outlier. */
    SLOPE_POINTS = 12,        /* Points on each side that determine the slope near a point. */
    COVERING = 4,             /* Neighbours on each side that may cover a point. */
    GRANULE_DIFFERENCES = 16, /* With fewer differences a common factor may be accidental. */
};

static const double PRIOR_JITTER = 1e-6; /* Seconds; used until enough readings exist. */
static const double GROUP_SPAN = 0.4;    /* Seconds; readings further apart are not averaged. */
static const double TOGETHER = 1e-3;     /* Seconds; only readings nearer together show the jitter. */
static const double CHORD = 20e-3;       /* Seconds; a shorter chord shows more jitter than slope. */
static const double SLOWEST = 1e3;       /* Device units per second. */
static const double FASTEST = 1e12;
static const double BEND = 5e-6;              /* Expected change of the rate per second. */
static const double MAX_RATE_CHANGE = 100e-6; /* Relative difference between rates at nearby times. */
static const double DEVIATIONS = 6;           /* Error bounds span this many standard deviations. */
/* Ratio of a normal distribution's standard deviation to its median deviation. */
static const double MEDIAN = 1.4826;
static const double KNOWN_DOUBT = 300e-6;  /* Relative error of a nominal rate. */
static const double USUAL_RATE = 1e9;      /* Most devices count nanoseconds. */
static const double USUAL_DOUBT = 1000e-6; /* Relative error of the usual rate, if the anchors are near it. */
/* Greatest slope error at which the usual rate may replace a measured one. */
static const double MAX_DOUBT = 1e-2;
static const double MIN_SPAN = 1e-3;    /* Seconds in which a device's clock must advance. */
static const double WIDEST_BRACKET = 1; /* Seconds. */
static const double SET_TICKS = 200e-6; /* Seconds; a smaller jump does not begin an era. */
static const double SET_RATE = 500e-6;  /* Relative; no drift is greater. */

/* Readings that become one point. */
struct group {
    struct omptape_device_reading readings[OMPTAPE_DEVICE_READINGS];
    uint32_t count;
    uint32_t anchors;
};

struct omptape_device_fit {
    struct group *groups; /* In order of host time. */
    uint32_t group_count;
    uint32_t group_capacity;
    struct omptape_device_line line;
    bool is_old;   /* True if the line lacks anchors. */
    bool measured; /* True if the slope was measured. */
    double nominal_rate;
    uint64_t divisor;     /* Greatest common divisor of the differences between readings. */
    uint64_t divided;     /* Number of these differences. */
    uint64_t some_device; /* Reading from which the differences are taken. */
    uint64_t offered;     /* Number of anchors added. */
    uint64_t thinned;     /* Number of anchors dropped because there were too many. */
};

struct omptape_device_fit *omptape_device_fit_create(double ticks_per_second, double nominal_rate)
{
    struct omptape_device_fit *fit = calloc(1, sizeof(*fit));
    if (fit == NULL)
        return NULL;
    fit->line.ticks_per_second = ticks_per_second;
    fit->nominal_rate = nominal_rate > 0 ? nominal_rate : 0;
    return fit;
}

void omptape_device_fit_free(struct omptape_device_fit *fit)
{
    if (fit == NULL)
        return;
    free(fit->groups);
    free(fit->line.points);
    free(fit->line.eras);
    free(fit);
}

/* --- Readings --- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void estimate_granularity(struct omptape_device_fit *fit, uint64_t device)
{
    if (fit->some_device == 0)
        fit->some_device = device;
    uint64_t difference = device > fit->some_device ? device - fit->some_device : fit->some_device - device;
    if (difference == 0)
        return;
    fit->divided++;
    if (fit->divisor != 1)
        fit->divisor = common_divisor(fit->divisor, difference);
}

static bool is_sane(const struct omptape_device_fit *fit, const struct omptape_device_reading *reading)
{
    return reading->device != 0 && reading->device != UINT64_MAX && reading->before <= reading->after &&
           (double)(reading->after - reading->before) <= WIDEST_BRACKET * fit->line.ticks_per_second &&
           reading->after < UINT64_MAX / 4;
}

/* Returns true if the anchor's readings can be added to the group: they follow it soon. The first few anchors
 * stay points of their own, because only points show the slope. */
static bool joins(const struct omptape_device_fit *fit, const struct group *group, const struct group *anchor)
{
    const uint64_t begin = anchor->readings[0].before;
    return fit->group_count >= ENOUGH && group->count + anchor->count <= OMPTAPE_DEVICE_READINGS &&
           begin >= group->readings[group->count - 1].before &&
           (double)(begin - group->readings[0].before) <= GROUP_SPAN * fit->line.ticks_per_second;
}

/* Drops at least half of the old groups, evenly over time. */
static void thin(struct omptape_device_fit *fit)
{
    struct group *groups = fit->groups;
    const uint64_t span = groups[fit->group_count - 1].readings[0].before - groups[0].readings[0].before;
    uint32_t kept = 1;
    for (uint32_t i = 1; i < fit->group_count; i++) {
        const uint64_t gap = groups[i].readings[0].before - groups[kept - 1].readings[0].before;
        if (gap <= span / (MAX_GROUPS / 2) && i + NEWEST_KEPT < fit->group_count)
            fit->thinned += groups[i].anchors;
        else
            groups[kept++] = groups[i];
    }
    fit->group_count = kept;
}

static int add_group(struct omptape_device_fit *fit, const struct group *anchor)
{
    if (fit->group_count > 0 && joins(fit, &fit->groups[fit->group_count - 1], anchor)) {
        struct group *last = &fit->groups[fit->group_count - 1];
        for (uint32_t i = 0; i < anchor->count; i++)
            last->readings[last->count++] = anchor->readings[i];
        last->anchors++;
        return 0;
    }
    if (fit->group_count == MAX_GROUPS)
        thin(fit);
    if (!OMPTAPE_RESERVE(fit->groups, fit->group_count + 1, &fit->group_capacity))
        return -ENOMEM;
    uint32_t place = fit->group_count++;
    for (; place > 0 && fit->groups[place - 1].readings[0].before > anchor->readings[0].before; place--)
        fit->groups[place] = fit->groups[place - 1];
    fit->groups[place] = *anchor;
    return 0;
}

int omptape_device_fit_add(struct omptape_device_fit *fit, const struct omptape_device_reading *readings,
                           size_t count)
{
    struct group anchor = {.anchors = 1};
    fit->offered++;
    for (size_t i = 0; i < count && anchor.count < OMPTAPE_DEVICE_READINGS; i++)
        if (is_sane(fit, &readings[i]))
            anchor.readings[anchor.count++] = readings[i];
    if (anchor.count == 0)
        return -EINVAL;
    for (uint32_t i = 0; i < anchor.count; i++)
        estimate_granularity(fit, anchor.readings[i].device);
    fit->is_old = true;
    return add_group(fit, &anchor);
}

/* --- Points --- */

static double half_bracket(const struct omptape_device_reading *reading)
{
    return (double)(reading->after - reading->before) / 2;
}

static const struct omptape_device_reading *find_tightest(const struct group *group)
{
    const struct omptape_device_reading *best = group->readings;
    for (uint32_t i = 1; i < group->count; i++)
        if (half_bracket(&group->readings[i]) < half_bracket(best))
            best = &group->readings[i];
    return best;
}

/* A reading's distance from the tightest one of its group. */
struct distance {
    double units, ticks;
};

static struct distance distance_of(const struct omptape_device_reading *reading,
                                   const struct omptape_device_reading *origin)
{
    return (struct distance){(double)(int64_t)(reading->device - origin->device),
                             (double)(int64_t)(reading->before - origin->before) + half_bracket(reading)};
}

/* Limits the value, because senseless readings may differ by more than 63 bits. */
static uint64_t wrap_units(double units)
{
    return (uint64_t)(int64_t)fmin(fmax(units, -0x1p62), 0x1p62);
}

/* Returns the mean of a group's readings with narrow brackets. It lies on the line, whatever the slope is. */
static struct omptape_device_point average(const struct group *group, double slope, double together)
{
    const struct omptape_device_reading *origin = find_tightest(group);
    const double widest = 2 * half_bracket(origin) + 1;
    struct omptape_device_point point = {.anchors = group->anchors, .variance = -1, .era = -1};
    struct distance mean = {0, 0};
    double squares = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        if (half_bracket(&group->readings[i]) > widest)
            continue;
        const struct distance distance = distance_of(&group->readings[i], origin);
        point.readings++;
        point.half += (half_bracket(&group->readings[i]) - point.half) / point.readings;
        mean.units += (distance.units - mean.units) / point.readings;
        mean.ticks += (distance.ticks - mean.ticks) / point.readings;
    }
    for (uint32_t i = 0; i < group->count; i++) {
        const struct distance distance = distance_of(&group->readings[i], origin);
        const double beside = distance.ticks - mean.ticks - slope * (distance.units - mean.units);
        squares += half_bracket(&group->readings[i]) > widest ? 0 : beside * beside;
    }
    if (point.readings > 2 &&
        (double)(group->readings[group->count - 1].before - group->readings[0].before) <= together)
        point.variance = squares / (point.readings - 1);
    const double ticks = mean.ticks + slope * (rint(mean.units) - mean.units);
    point.device = origin->device + wrap_units(rint(mean.units));
    point.host = origin->before + wrap_units(floor(ticks));
    point.part = ticks - floor(ticks);
    return point;
}

static void average_all(struct omptape_device_fit *fit)
{
    struct omptape_device_line *line = &fit->line;
    line->count = fit->group_count;
    for (uint32_t i = 0; i < fit->group_count; i++)
        line->points[i] = average(&fit->groups[i], line->slope, TOGETHER * line->ticks_per_second);
}

/* --- Estimates --- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values and returns their median; 0 if there are none. */
static double median(double *values, size_t count)
{
    if (count == 0)
        return 0;
    omptape_sort(values, count, sizeof(values[0]), by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static size_t first_of_newest(const struct omptape_device_line *line)
{
    return line->count > NEWEST ? line->count - NEWEST : 0;
}

struct chord {
    double slope, ticks;
};

static int by_slope(const void *a, const void *b)
{
    return by_value(&((const struct chord *)a)->slope, &((const struct chord *)b)->slope);
}

/* Returns the chord of median slope between the points [first, end), at most NEWEST; 0, 0 if none is
 * possible. */
static struct chord median_chord(const struct omptape_device_line *line, size_t first, size_t end)
{
    struct chord chords[NEWEST];
    size_t found = 0;
    size_t from = first;
    for (size_t i = first + 1; i < end && found < NEWEST; i++) {
        const struct omptape_device_point *to = &line->points[i];
        while (from + 1 < i &&
               omptape_device_ticks_between(&line->points[from + 1], to) >= CHORD * line->ticks_per_second)
            from++;
        double ticks = omptape_device_ticks_between(&line->points[from], to);
        double units = omptape_device_units_between(&line->points[from], to);
        double seconds = ticks / line->ticks_per_second;
        if (ticks > 0 && units >= SLOWEST * seconds && units <= FASTEST * seconds)
            chords[found++] = (struct chord){ticks / units, ticks};
    }
    if (found == 0)
        return (struct chord){0, 0};
    omptape_sort(chords, found, sizeof(chords[0]), by_slope);
    return chords[found / 2];
}

/* Returns the variance of a reading around the mean of its group. */
static double find_jitter(const struct omptape_device_line *line)
{
    double variances[NEWEST];
    size_t count = 0;
    const double prior = PRIOR_JITTER * line->ticks_per_second;
    for (size_t i = first_of_newest(line); i < line->count; i++)
        if (line->points[i].variance >= 0)
            variances[count++] = line->points[i].variance;
    const double variance = median(variances, count);
    return count < ENOUGH ? fmax(variance, prior * prior) : variance;
}

/* How far points lie from the chords of their neighbours, host ticks. */
struct beside_chords {
    double shared; /* Standard deviation: median of the distances that drift does not explain. */
    double hidden; /* Drift may hide an error of up to twice the median of the distances it explains. */
};

static struct beside_chords find_beside_chords(const struct omptape_device_line *line)
{
    double explained[NEWEST];
    double beyond[NEWEST];
    size_t count = 0;
    for (size_t i = first_of_newest(line); i + 2 < line->count; i++) {
        const struct omptape_device_point *a = &line->points[i];
        double units = omptape_device_units_between(a, a + 2);
        double first = omptape_device_units_between(a, a + 1);
        if (!(units > 0 && first >= 0 && first <= units))
            continue;
        double share = first / units;
        double ticks = omptape_device_ticks_between(a, a + 2);
        double drift = BEND / 2 * share * (1 - share) * ticks * ticks / line->ticks_per_second;
        double deviation = MEDIAN / sqrt(1 + share * share + (1 - share) * (1 - share));
        double distance = fabs(omptape_device_ticks_between(a, a + 1) - share * ticks);
        explained[count] = fmin(distance, drift);
        beyond[count++] = fmax(distance - drift, 0) * deviation;
    }
    if (count < (size_t)2 * ENOUGH)
        return (struct beside_chords){0, 0};
    return (struct beside_chords){.shared = median(beyond, count), .hidden = 2 * median(explained, count)};
}

static void set_errors(struct omptape_device_line *line)
{
    const double jitter = find_jitter(line);
    const struct beside_chords beside = find_beside_chords(line);
    for (size_t i = 0; i < line->count; i++) {
        struct omptape_device_point *point = &line->points[i];
        const double variance = fmax(jitter / point->readings, beside.shared * beside.shared);
        point->error = point->half + DEVIATIONS * sqrt(variance) + beside.hidden;
    }
}

static double span_of(const struct omptape_device_line *line)
{
    return line->count == 0 ? 0
                            : omptape_device_ticks_between(&line->points[0], &line->points[line->count - 1]);
}

/* Computes points, errors and slope. The slope is the usual one if the points do not show it, and 0 if the
 * device's clock does not advance. */
static void estimate(struct omptape_device_fit *fit)
{
    struct omptape_device_line *line = &fit->line;
    line->slope = 0;
    average_all(fit);
    const struct chord chord = median_chord(line, first_of_newest(line), line->count);
    line->slope = chord.slope;
    average_all(fit);
    set_errors(line);
    line->slope_error = chord.slope > 0 ? fmin(1, 2 * line->points[line->count - 1].error / chord.ticks) : 1;
    double rate = fit->nominal_rate > 0 ? fit->nominal_rate : USUAL_RATE;
    double nominal = line->ticks_per_second / rate;
    bool stands = line->slope <= 0 && span_of(line) >= MIN_SPAN * line->ticks_per_second;
    bool fits = line->slope > 0 && fabs(line->slope - nominal) <= line->slope_error * nominal;
    fit->measured = line->slope > 0 && !(fits && line->slope_error > KNOWN_DOUBT && fit->nominal_rate > 0);
    if (!fit->measured && !stands) {
        line->slope = nominal;
        line->slope_error = fit->nominal_rate > 0 ? KNOWN_DOUBT : 1;
    } else if (fits && line->slope_error > USUAL_DOUBT && line->slope_error < MAX_DOUBT) {
        /* A measured rate this near to the nominal one is no accident: the device counts nanoseconds. */
        line->slope = nominal;
        line->slope_error = USUAL_DOUBT;
    }
    line->granularity = (fit->divided >= GRANULE_DIFFERENCES ? (double)fit->divisor : 1) * line->slope;
}

/* --- Judging points --- */

/* Returns true if `to` lies where a clock of this slope is expected after `from`, within errors and drift. */
static bool follows(const struct omptape_device_line *line, const struct omptape_device_point *from,
                    const struct omptape_device_point *to, double slope)
{
    double ahead = omptape_device_ticks_between(from, to);
    double step = omptape_device_units_between(from, to) * slope;
    double errors = from->error + to->error + line->granularity;
    return step > 0 && fabs(ahead - step) <= errors + MAX_RATE_CHANGE * ahead;
}

/* Returns true if the points after the unexpected one follow it rather than the last accepted one. */
static bool is_confirmed(const struct omptape_device_line *line, const struct omptape_device_point *last,
                         const struct omptape_device_point *point, double slope)
{
    const struct omptape_device_point *end = line->points + line->count;
    int from_last = 0;
    int from_this = 0;
    for (const struct omptape_device_point *next = point + 1; next < end && next - point <= LOOK_AHEAD;
         next++) {
        from_last += follows(line, last, next, slope);
        from_this += follows(line, point, next, slope);
    }
    return from_this > from_last;
}

/* Returns true if the device's clock was set between two points; a small jump may be drift. */
static bool was_set(const struct omptape_device_line *line, const struct omptape_device_point *from,
                    const struct omptape_device_point *to, double slope)
{
    double step = omptape_device_units_between(from, to) * slope;
    double jump = fabs(omptape_device_ticks_between(from, to) - step);
    return step <= 0 || jump > SET_TICKS * line->ticks_per_second + SET_RATE * step;
}

static double slope_near(const struct omptape_device_line *line, size_t i)
{
    const size_t first = i > SLOPE_POINTS ? i - SLOPE_POINTS : 0;
    const size_t end = i + SLOPE_POINTS < line->count ? i + SLOPE_POINTS : line->count;
    const double slope = median_chord(line, first, end).slope;
    return slope > 0 ? slope : line->slope;
}

/* Numbers the points' eras. Without a slope all are outliers. */
static void judge(struct omptape_device_line *line)
{
    const struct omptape_device_point *last = NULL;
    for (size_t i = 0; i < line->count && line->slope > 0; i++) {
        struct omptape_device_point *point = &line->points[i];
        const double slope = slope_near(line, i);
        const bool jumps = last != NULL && !follows(line, last, point, slope);
        if (jumps && !is_confirmed(line, last, point, slope))
            continue;
        point->era = last == NULL ? 0 : last->era + (jumps && was_set(line, last, point, slope));
        last = point;
    }
}

/* Returns true if a near point of the era determines the line at the i-th point better than that does. */
static bool is_covered(const struct omptape_device_line *line, size_t i)
{
    const struct omptape_device_point *point = &line->points[i];
    for (size_t k = i > COVERING ? i - COVERING : 0; k < line->count && k <= i + COVERING; k++) {
        const struct omptape_device_point *other = &line->points[k];
        const double ticks = fabs(omptape_device_ticks_between(point, other));
        if (other->era == point->era && other->half + MAX_RATE_CHANGE * ticks < point->half)
            return true;
    }
    return false;
}

static int fit_anew(struct omptape_device_fit *fit)
{
    struct omptape_device_line *line = &fit->line;
    if (!fit->is_old)
        return 0;
    if (!OMPTAPE_RESERVE(line->points, fit->group_count, &line->point_capacity) ||
        !OMPTAPE_RESERVE(line->eras, fit->group_count, &line->era_capacity))
        return -ENOMEM;
    estimate(fit);
    judge(line);
    for (size_t i = 0; i < line->count; i++)
        line->points[i].is_covered = is_covered(line, i);
    omptape_device_line_draw(line);
    fit->is_old = false;
    return 0;
}

/* --- Conversions --- */

/* Returns true if conversions are possible. A single accepted anchor among several is an outlier. */
static bool has_line(const struct omptape_device_fit *fit)
{
    return fit->line.used > 1 || (fit->line.used == 1 && fit->group_count < 4);
}

int omptape_device_fit_convert(struct omptape_device_fit *fit, uint64_t device, uint64_t limit,
                               uint64_t *host, uint64_t *bound)
{
    int error = fit_anew(fit);
    if (error != 0)
        return error;
    if (!has_line(fit))
        return -ENODATA;
    return omptape_device_line_convert(&fit->line, device, limit, host, bound);
}

bool omptape_device_fit_covers(struct omptape_device_fit *fit, uint64_t device)
{
    return fit_anew(fit) == 0 && has_line(fit) && omptape_device_line_covers(&fit->line, device);
}

bool omptape_device_fit_is_measured(struct omptape_device_fit *fit)
{
    return fit_anew(fit) == 0 && has_line(fit) && fit->measured;
}

void omptape_device_fit_summarise(struct omptape_device_fit *fit, struct omptape_device_fit_summary *summary)
{
    *summary =
        (struct omptape_device_fit_summary){.anchors = fit->offered, .nominal_rate = fit->nominal_rate};
    if (fit_anew(fit) != 0 || !has_line(fit)) {
        summary->rejected = fit->offered;
        return;
    }
    summary->rate_measured = fit->measured;
    omptape_device_line_summarise(&fit->line, summary);
    summary->rejected = fit->offered - fit->thinned - fit->line.used;
}
