/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the line. Points have whole host ticks and a fraction, and each chord starts from its own point,
 * so a large offset costs no precision. Called by the fit of a device's clock.
 */
#include "writers/devices/line.h"

#include <errno.h>
#include <math.h>

/* Eras in which a device time is searched. With more eras the clock is set constantly. */
enum { ERAS_TRIED = 32 };

/* Seconds; length of the chord that is extended beyond the end of an era. */
static const double BEYOND_CHORD = 0.5;
static const double BEND = 5e-6;        /* Expected change of the rate per second. */
static const double MAX_BEND = 2e-4;    /* Greatest total change of the rate. */
static const double LIMIT_SLACK = 1e-3; /* Seconds. */
static const uint64_t MAY_WRAP = UINT64_C(3) << 62;

double omptape_device_ticks_between(const struct omptape_device_point *from,
                                    const struct omptape_device_point *to)
{
    return (double)(int64_t)(to->host - from->host) + (to->part - from->part);
}

double omptape_device_units_between(const struct omptape_device_point *from,
                                    const struct omptape_device_point *to)
{
    return (double)(int64_t)(to->device - from->device);
}

static double chord_slope(const struct omptape_device_point *from, const struct omptape_device_point *to)
{
    return omptape_device_ticks_between(from, to) / (double)(to->device - from->device);
}

/* Returns how many host ticks a line may be off its chord, `a` ticks from one end and `b` from the other. */
static double bend_of(const struct omptape_device_line *line, double a, double b)
{
    return fmin(BEND / line->ticks_per_second * a * b / 2, MAX_BEND * fmin(a, b));
}

/* --- Drawing --- */

/* Returns how far the chord from `a` to `b` deviates from the adjacent chord from `c` to `d`. Returns 0 if
 * errors and drift explain the deviation. */
static double jump_between(const struct omptape_device_line *line, size_t a, size_t b, size_t c, size_t d)
{
    const struct omptape_device_point *points = line->points;
    double ticks = omptape_device_ticks_between(&points[a], &points[b]);
    double beside = omptape_device_ticks_between(&points[c], &points[d]);
    double units = (double)(points[b].device - points[a].device);
    double jump = fabs(ticks - units * chord_slope(&points[c], &points[d]));
    double errors = points[a].error + points[b].error;
    errors += beside > 0 ? (points[c].error + points[d].error) * ticks / beside : INFINITY;
    return jump > 0.6 * errors + bend_of(line, ticks, ticks + beside) ? jump : 0;
}

/* Sets the jumps of an era's points. A jump deviates from the chords on both sides. */
static void find_jumps(struct omptape_device_line *line, const struct omptape_device_era *era)
{
    for (size_t i = era->first + 1; i <= era->last; i++) {
        double before = i - 1 > era->first ? jump_between(line, i - 1, i, i - 2, i - 1) : INFINITY;
        double after = i < era->last ? jump_between(line, i - 1, i, i, i + 1) : INFINITY;
        double jump = fmin(before, after);
        line->points[i].jump = isinf(jump) ? 0 : jump;
    }
}

/* Returns false for an era of a single anchor, which is an outlier, unless it is the only era. */
static bool counts_as_era(const struct omptape_device_line *line, const struct omptape_device_era *era)
{
    return era->anchors > 1 || line->era_count == 1;
}

/* Adds a point to the line, unless it is less than a unit behind the last one of its era. Points closer than
 * their errors may be reversed: keeps their order. */
static void add_point(struct omptape_device_line *line, struct omptape_device_point point)
{
    struct omptape_device_era *era = &line->eras[line->era_count - 1];
    const struct omptape_device_point *last = &line->points[era->last];
    if (line->count > era->first) {
        if (omptape_device_units_between(last, &point) <= 0)
            return;
        if (omptape_device_ticks_between(last, &point) < 0) {
            point.host = last->host;
            point.part = last->part;
        }
    }
    era->last = line->count;
    line->points[line->count++] = point;
}

void omptape_device_line_draw(struct omptape_device_line *line)
{
    const size_t count = line->count;
    long era = -1;
    line->count = line->era_count = line->used = 0;
    for (size_t i = 0; i < count; i++) {
        const struct omptape_device_point point = line->points[i];
        if (point.era < 0)
            continue;
        if (point.era != era)
            line->eras[line->era_count++] =
                (struct omptape_device_era){.first = line->count, .last = line->count};
        era = point.era;
        line->eras[line->era_count - 1].anchors += point.anchors;
        if (!point.is_covered)
            add_point(line, point);
    }
    for (size_t i = 0; i < line->era_count; i++) {
        find_jumps(line, &line->eras[i]);
        line->used += counts_as_era(line, &line->eras[i]) ? line->eras[i].anchors : 0;
    }
}

/* --- Conversions --- */

/* Returns true if the device time precedes the point, in an era that begins with `first`. `distance`
 * receives its distance from the point. */
static bool comes_before(const struct omptape_device_point *first, const struct omptape_device_point *point,
                         uint64_t device, uint64_t *distance)
{
    uint64_t point_place = point->device - first->device;
    uint64_t place = device - first->device;
    bool before_first = first->device >= MAY_WRAP ? (int64_t)place < 0 : device < first->device;
    bool before = before_first || place < point_place;
    *distance = before ? point->device - device : device - point->device;
    return before;
}

/* Result of a conversion in one era. */
struct line_place {
    uint64_t host, bound;
    double outside; /* Host ticks outside the time in which the device's clock was in this era. */
};

static uint64_t whole_ticks(double ticks)
{
    return ticks >= 0x1p63 ? UINT64_C(1) << 63 : (uint64_t)(ticks < 0 ? 0 : ticks);
}

static uint64_t add_ticks(const struct omptape_device_point *point, double ticks)
{
    double whole = floor(point->part + ticks);
    if (whole < 0) {
        uint64_t back = whole_ticks(-whole);
        return back < point->host ? point->host - back : 0;
    }
    uint64_t ahead = whole_ticks(whole);
    return ahead < UINT64_MAX - point->host ? point->host + ahead : UINT64_MAX;
}

/* Adds to each bound the granularity of the readings, and rounding. */
static uint64_t bound_of(const struct omptape_device_line *line, double ticks)
{
    double sum = ceil(ticks + line->granularity) + 1;
    return sum >= 0x1p63 ? UINT64_MAX : (uint64_t)sum;
}

/* Converts a time beyond an end of an era. Extends the chord from that end to a point inside the era. */
static struct line_place extrapolate(const struct omptape_device_line *line,
                                     const struct omptape_device_era *era, bool back, uint64_t distance)
{
    size_t end = back ? era->first : era->last;
    size_t inside = end;
    double chord = 0;
    while (inside != (back ? era->last : era->first) && chord < BEYOND_CHORD * line->ticks_per_second) {
        inside += back ? 1 : (size_t)-1;
        chord = fabs(omptape_device_ticks_between(&line->points[inside], &line->points[end]));
    }
    const struct omptape_device_point *point = &line->points[end];
    double slope = line->slope;
    double slope_error = line->slope_error;
    double chord_error = chord > 0 ? (point->error + line->points[inside].error) / chord : INFINITY;
    if (chord_error < slope_error) {
        slope = back ? chord_slope(point, &line->points[inside]) : chord_slope(&line->points[inside], point);
        slope_error = chord_error;
    }
    double ticks = (double)distance * slope;
    double seconds = (ticks + chord) / line->ticks_per_second;
    double error = point->error + (slope_error + fmin(BEND * seconds / 2, MAX_BEND)) * ticks;
    return (struct line_place){.host = add_ticks(point, back ? -ticks : ticks),
                               .bound = bound_of(line, error)};
}

static struct line_place interpolate(const struct omptape_device_line *line,
                                     const struct omptape_device_point *a,
                                     const struct omptape_device_point *b, uint64_t distance)
{
    double rise = omptape_device_ticks_between(a, b);
    double share = (double)distance / (double)(b->device - a->device);
    double ticks = share * rise;
    double error = (1 - share) * a->error + share * b->error + bend_of(line, ticks, rise - ticks) + b->jump;
    return (struct line_place){.host = add_ticks(a, ticks), .bound = bound_of(line, error)};
}

/* Returns the last point of an era at or before the device time. The time must not precede the first point.
 */
static size_t find_point(const struct omptape_device_line *line, const struct omptape_device_era *era,
                         uint64_t device)
{
    const struct omptape_device_point *points = line->points;
    const uint64_t start = points[era->first].device;
    size_t low = era->first;
    size_t high = era->last + 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (points[middle].device - start <= device - start)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns the host ticks from the last anchor before an era, or to the first one after it. After the last
 * era it returns the ticks up to the limit. */
static double distance_to_next_era(const struct omptape_device_line *line, size_t era, bool back,
                                   uint64_t limit)
{
    const struct omptape_device_point *first = &line->points[line->eras[era].first];
    const struct omptape_device_point *last = &line->points[line->eras[era].last];
    if (back)
        return era > 0 ? omptape_device_ticks_between(first - 1, first) : 0;
    if (era + 1 < line->era_count)
        return omptape_device_ticks_between(last, last + 1);
    return limit != UINT64_MAX && limit > last->host ? (double)(limit - last->host) : 0;
}

static struct line_place place_in(const struct omptape_device_line *line, size_t number, uint64_t device,
                                  uint64_t limit)
{
    const struct omptape_device_era *era = &line->eras[number];
    const struct omptape_device_point *first = &line->points[era->first];
    uint64_t distance;
    bool back = comes_before(first, first, device, &distance);
    if (!back && comes_before(first, &line->points[era->last], device, &distance)) {
        const struct omptape_device_point *point = &line->points[find_point(line, era, device)];
        return interpolate(line, point, point + 1, device - point->device);
    }
    struct line_place place = extrapolate(line, era, back, distance);
    double ticks = (double)distance * line->slope;
    place.outside = fmax(0, ticks - distance_to_next_era(line, number, back, limit));
    return place;
}

/* Returns the newest era that began before the limit. */
static size_t find_era(const struct omptape_device_line *line, uint64_t limit)
{
    size_t low = 0;
    size_t high = line->era_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (line->points[line->eras[middle].first].host <= limit)
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

int omptape_device_line_convert(const struct omptape_device_line *line, uint64_t device, uint64_t limit,
                                uint64_t *host, uint64_t *bound)
{
    if (line->era_count == 0)
        return -ENODATA;
    bool found = false;
    struct line_place best = {.host = 0};
    size_t newest = find_era(line, limit);
    newest = newest + 1 < line->era_count ? newest + 1 : newest;
    for (size_t tried = 0; tried < ERAS_TRIED && tried <= newest; tried++) {
        if (!counts_as_era(line, &line->eras[newest - tried]))
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
        const struct omptape_device_point *first = &line->points[era->first];
        if (counts_as_era(line, era) && !comes_before(first, first, device, &distance) &&
            comes_before(first, &line->points[era->last], device, &distance))
            return true;
    }
    return false;
}

/* --- Summary --- */

static double round_rate(double rate)
{
    double unit = pow(10, floor(log10(rate)) - 2);
    return rint(rate / unit) * unit;
}

/* Returns the sum of the squared distances of an era's points from the chords of their neighbours. */
static double sum_squares(const struct omptape_device_line *line, const struct omptape_device_era *era)
{
    double sum = 0;
    for (size_t i = era->first + 1; i < era->last; i++) {
        const struct omptape_device_point *before = &line->points[i - 1];
        double units = (double)(line->points[i].device - before->device);
        double chord = units * chord_slope(before, &line->points[i + 1]);
        double distance = omptape_device_ticks_between(before, &line->points[i]) - chord;
        sum += distance * distance;
    }
    return sum;
}

void omptape_device_line_summarise(const struct omptape_device_line *line,
                                   struct omptape_device_fit_summary *summary)
{
    double units = 0;
    double ticks = 0;
    double squares = 0;
    double inner = 0;
    for (size_t i = 0; i < line->era_count; i++) {
        const struct omptape_device_era *era = &line->eras[i];
        const struct omptape_device_point *first = &line->points[era->first];
        const struct omptape_device_point *last = &line->points[era->last];
        if (!counts_as_era(line, era))
            continue;
        if (summary->eras++ == 0) {
            summary->device = first->device;
            summary->host = first->host;
        }
        summary->segments += era->last - era->first;
        units += (double)(last->device - first->device);
        ticks += omptape_device_ticks_between(first, last);
        squares += sum_squares(line, era);
        inner += era->last > era->first ? (double)(era->last - era->first - 1) : 0;
    }
    summary->residual = inner > 0 ? sqrt(squares / inner) : 0;
    if (!(units > 0 && ticks > 0))
        return;
    double rate = units / ticks * line->ticks_per_second;
    if (summary->nominal_rate <= 0)
        summary->nominal_rate = round_rate(rate);
    summary->drift = (rate / summary->nominal_rate - 1) * 1e6;
}
