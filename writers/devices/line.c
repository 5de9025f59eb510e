/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the line. Knots have whole host ticks and a fraction, and each chord starts from its own knot,
 * so a large offset costs no precision. Called by the fit of a device's clock.
 */
#include "writers/devices/line.h"

#include "src/core/array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum {
    KNOT_READINGS = 8, /* Anchors share a knot if together they have at most this many readings. */
    NEXT_SEEN = 4,     /* Following anchors that may make the current one unnecessary. */
    /* Eras in which a device time is searched. With more eras the clock is set constantly. */
    ERAS_TRIED = 32,
};

/* Longest time between the first and last anchor of a knot, seconds. */
static const double KNOT_SPAN = 0.4;
static const double NEAR = 1e-3; /* Seconds; nearer anchors share a knot regardless of their number. */
/* Seconds; length of the chord that is extended beyond the end of an era. */
static const double BEYOND_CHORD = 0.5;
static const double BEND = 5e-6;        /* Expected change of the rate per second. */
static const double MAX_BEND = 2e-4;    /* Greatest total change of the rate. */
static const double LIMIT_SLACK = 1e-3; /* Seconds. */
static const uint64_t MAY_WRAP = UINT64_C(3) << 62;

static double host_between(const struct omptape_device_knot *from, const struct omptape_device_knot *to)
{
    return (double)(int64_t)(to->host - from->host) + (to->part - from->part);
}

static double chord_slope(const struct omptape_device_knot *from, const struct omptape_device_knot *to)
{
    return host_between(from, to) / (double)(to->device - from->device);
}

/* Returns by how many host ticks a line may deviate from its chord, `a` ticks from one end and `b` from
 * the other. */
static double bend_of(const struct omptape_device_line *line, double a, double b)
{
    return fmin(BEND / line->noise.ticks_per_second * a * b / 2, MAX_BEND * fmin(a, b));
}

/* --- Drawing --- */

static void drop_last_knot(struct omptape_device_line *line)
{
    struct omptape_device_era *era = &line->eras[line->era_count - 1];
    era->anchors -= line->knots[--line->knot_count].anchors;
    if (line->knot_count == era->first)
        line->era_count--;
    else
        era->last--;
}

/* Drops the knots of the anchors from `lowest` on, and the previous knot, to which anchors may be added.
 * Returns the first anchor without a knot. */
static size_t cut_line(struct omptape_device_line *line, size_t lowest)
{
    while (line->knot_count > 0 && line->knots[line->knot_count - 1].last >= lowest)
        drop_last_knot(line);
    if (line->knot_count == 0)
        return 0;
    size_t first = line->knots[line->knot_count - 1].first;
    drop_last_knot(line);
    return first;
}

/* Anchors that become a knot. Sums are weighted by readings, and relative to the first anchor. */
struct knot_sums {
    const struct omptape_device_anchor *origin;
    struct omptape_device_knot knot;
    double readings, units, ticks, half, variance;
};

static void add_anchor(struct knot_sums *sums, const struct omptape_device_noise *noise,
                       const struct omptape_device_anchor *anchor)
{
    double weight = anchor->readings;
    sums->readings += weight;
    sums->units += weight * omptape_device_unit_distance(sums->origin, anchor);
    sums->ticks += weight * omptape_device_host_distance(sums->origin, anchor);
    sums->half += weight * anchor->half;
    sums->variance += weight * weight * omptape_device_variance(noise, anchor);
}

static struct omptape_device_knot finish_knot(const struct knot_sums *sums,
                                              const struct omptape_device_noise *noise)
{
    struct omptape_device_knot knot = sums->knot;
    double units = sums->origin->device_part + sums->units / sums->readings;
    double ticks = sums->origin->part + sums->ticks / sums->readings + (rint(units) - units) * noise->slope;
    knot.device = sums->origin->device + (uint64_t)(int64_t)rint(units);
    knot.host = sums->origin->host + (uint64_t)(int64_t)floor(ticks);
    knot.part = ticks - floor(ticks);
    knot.error = omptape_device_error_of(noise, sums->half / sums->readings,
                                         sums->variance / (sums->readings * sums->readings));
    return knot;
}

static int append_knot(struct omptape_device_line *line, struct omptape_device_knot knot, bool new_era)
{
    if (!OMPTAPE_RESERVE(line->knots, (uint32_t)line->knot_count + 1, &line->knot_capacity))
        return -ENOMEM;
    if (!OMPTAPE_RESERVE(line->eras, (uint32_t)line->era_count + 1, &line->era_capacity))
        return -ENOMEM;
    size_t place = line->knot_count;
    struct omptape_device_knot *before = place > 0 ? &line->knots[place - 1] : NULL;
    if (!new_era && (int64_t)(knot.device - before->device) <= 0) {
        /* Less than a unit apart: merges the anchor with the previous knot. */
        before->last = knot.last;
        before->anchors += knot.anchors;
        line->eras[line->era_count - 1].anchors += knot.anchors;
        return 0;
    }
    if (new_era) {
        line->eras[line->era_count++] = (struct omptape_device_era){.first = place};
    } else if (host_between(before, &knot) < 0) {
        /* Knots closer than their error may be reversed: keeps their order. */
        knot.host = before->host;
        knot.part = before->part;
    }
    line->eras[line->era_count - 1].last = place;
    line->eras[line->era_count - 1].anchors += knot.anchors;
    line->knots[line->knot_count++] = knot;
    return 0;
}

/* Returns true if neighbours in the era determine the i-th anchor's place better than its own wide
 * bracket: by a chord between both sides, or by one neighbour at the end of an era. `before`: last anchor
 * that is part of a knot, or NULL. */
static bool is_worse_than_chord(const struct omptape_device_line *line,
                                const struct omptape_device_anchors *anchors,
                                const struct omptape_device_anchor *before, size_t i)
{
    const struct omptape_device_anchor *anchor = &anchors->at[i];
    double ticks = before != NULL ? omptape_device_host_distance(before, anchor) : 0;
    bool last = true;
    for (size_t k = i + 1; k < anchors->count && k <= i + NEXT_SEEN; k++) {
        const struct omptape_device_anchor *after = &anchors->at[k];
        if (after->era != anchor->era)
            continue;
        last = false;
        double ahead = omptape_device_host_distance(anchor, after);
        if (anchor->half > after->half + (before != NULL ? before->half + bend_of(line, ticks, ahead)
                                                         : OMPTAPE_DEVICE_MAX_RATE_CHANGE * ahead))
            return true;
    }
    return last && before != NULL && anchor->half > before->half + OMPTAPE_DEVICE_MAX_RATE_CHANGE * ticks;
}

/* Returns true if the anchor can be added to the current knot. */
static bool joins(const struct knot_sums *sums, const struct omptape_device_noise *noise,
                  const struct omptape_device_anchor *anchor)
{
    double seconds = omptape_device_host_distance(sums->origin, anchor) / noise->ticks_per_second;
    bool few = sums->readings + anchor->readings <= (double)KNOT_READINGS && seconds <= KNOT_SPAN;
    return !anchor->jumps && (few || seconds <= NEAR);
}

static int build_knots(struct omptape_device_line *line, const struct omptape_device_anchors *anchors,
                       size_t first)
{
    struct knot_sums sums = {.origin = NULL};
    const struct omptape_device_anchor *before = NULL; /* Last anchor that is part of a knot. */
    int error = 0;
    int era = line->knot_count > 0 ? anchors->at[line->knots[line->knot_count - 1].first].era : -1;
    size_t passed = 0; /* Loose anchors at the begin of an era. */
    for (size_t i = first; i < anchors->count && error == 0; i++) {
        const struct omptape_device_anchor *anchor = &anchors->at[i];
        if (anchor->era < 0)
            continue;
        bool same_era = sums.origin != NULL && sums.origin->era == anchor->era;
        if (is_worse_than_chord(line, anchors, same_era ? before : NULL, i)) {
            passed += !same_era;
            sums.knot.anchors += same_era;
            continue;
        }
        if (!same_era || !joins(&sums, &line->noise, anchor)) {
            if (sums.origin != NULL) {
                error = append_knot(line, finish_knot(&sums, &line->noise), sums.origin->era != era);
                era = sums.origin->era;
            }
            sums = (struct knot_sums){.origin = anchor, .knot = {.first = i - passed, .anchors = passed}};
            passed = 0;
        }
        add_anchor(&sums, &line->noise, anchor);
        sums.knot.anchors++;
        sums.knot.last = i;
        before = anchor;
    }
    if (sums.origin != NULL && error == 0)
        error = append_knot(line, finish_knot(&sums, &line->noise), sums.origin->era != era);
    return error;
}

/* Returns how far the chord from `a` to `b` deviates from the adjacent chord from `c` to `d`. Returns 0 if
 * errors and drift explain the deviation. */
static double jump_between(const struct omptape_device_line *line, size_t a, size_t b, size_t c, size_t d)
{
    const struct omptape_device_knot *knots = line->knots;
    double ticks = host_between(&knots[a], &knots[b]);
    double beside = host_between(&knots[c], &knots[d]);
    double units = (double)(knots[b].device - knots[a].device);
    double jump = fabs(ticks - units * chord_slope(&knots[c], &knots[d]));
    double errors = knots[a].error + knots[b].error;
    errors += beside > 0 ? (knots[c].error + knots[d].error) * ticks / beside : INFINITY;
    return jump > 0.6 * errors + bend_of(line, ticks, ticks + beside) ? jump : 0;
}

/* Sets the jumps of an era's knots from `first` on. A jump deviates from the chords on both sides. */
static void find_jumps(struct omptape_device_line *line, const struct omptape_device_era *era, size_t first)
{
    for (size_t i = first > era->first ? first : era->first + 1; i <= era->last; i++) {
        double before = i - 1 > era->first ? jump_between(line, i - 1, i, i - 2, i - 1) : INFINITY;
        double after = i < era->last ? jump_between(line, i - 1, i, i, i + 1) : INFINITY;
        double jump = fmin(before, after);
        line->knots[i].jump = isinf(jump) ? 0 : jump;
    }
}

/* Returns false for an era of a single anchor, which is an outlier, unless it is the only era. */
static bool counts_as_era(const struct omptape_device_line *line, const struct omptape_device_era *era)
{
    return era->anchors > 1 || line->era_count == 1;
}

int omptape_device_line_build(struct omptape_device_line *line, const struct omptape_device_anchors *anchors,
                              const struct omptape_device_noise *noise, size_t lowest)
{
    line->noise = *noise;
    size_t first = cut_line(line, lowest);
    size_t kept = line->knot_count;
    int error = build_knots(line, anchors, first);
    if (error != 0)
        line->knot_count = line->era_count = 0;
    line->used = 0;
    for (size_t i = 0; i < line->era_count; i++) {
        if (line->eras[i].last + 1 >= kept)
            find_jumps(line, &line->eras[i], kept > 0 ? kept - 1 : 0);
        line->used += counts_as_era(line, &line->eras[i]) ? line->eras[i].anchors : 0;
    }
    return error;
}

/* --- Conversions --- */

/* Returns true if the device time precedes the knot, in an era that begins with `first`. `distance`
 * receives its distance from the knot. */
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

/* Result of a conversion in one era. */
struct line_place {
    uint64_t host, bound;
    double outside; /* Host ticks outside the time in which the device's clock was in this era. */
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

/* Adds to each bound the granularity of the readings, and rounding. */
static uint64_t bound_of(const struct omptape_device_line *line, double ticks)
{
    double sum = ceil(ticks + line->noise.granularity) + 1;
    return sum >= 0x1p63 ? UINT64_MAX : (uint64_t)sum;
}

/* Converts a time beyond an end of an era. Extends the chord from that end to a knot inside the era. */
static struct line_place extrapolate(const struct omptape_device_line *line,
                                     const struct omptape_device_era *era, bool back, uint64_t distance)
{
    size_t end = back ? era->first : era->last;
    size_t inside = end;
    double chord = 0;
    while (inside != (back ? era->last : era->first) && chord < BEYOND_CHORD * line->noise.ticks_per_second) {
        inside += back ? 1 : (size_t)-1;
        chord = fabs(host_between(&line->knots[inside], &line->knots[end]));
    }
    const struct omptape_device_knot *knot = &line->knots[end];
    double slope = line->noise.slope;
    double slope_error = line->noise.slope_error;
    double chord_error = chord > 0 ? (knot->error + line->knots[inside].error) / chord : INFINITY;
    if (chord_error < slope_error) {
        slope = back ? chord_slope(knot, &line->knots[inside]) : chord_slope(&line->knots[inside], knot);
        slope_error = chord_error;
    }
    double ticks = (double)distance * slope;
    double seconds = (ticks + chord) / line->noise.ticks_per_second;
    double error = knot->error + (slope_error + fmin(BEND * seconds / 2, MAX_BEND)) * ticks;
    return (struct line_place){.host = add_ticks(knot, back ? -ticks : ticks),
                               .bound = bound_of(line, error)};
}

static struct line_place interpolate(const struct omptape_device_line *line,
                                     const struct omptape_device_knot *a, const struct omptape_device_knot *b,
                                     uint64_t distance)
{
    double rise = host_between(a, b);
    double share = (double)distance / (double)(b->device - a->device);
    double ticks = share * rise;
    double error = (1 - share) * a->error + share * b->error + bend_of(line, ticks, rise - ticks) + b->jump;
    return (struct line_place){.host = add_ticks(a, ticks), .bound = bound_of(line, error)};
}

/* Returns the last knot of an era at or before the device time. The time must not precede the first knot. */
static size_t find_knot(const struct omptape_device_line *line, const struct omptape_device_era *era,
                        uint64_t device)
{
    const struct omptape_device_knot *knots = line->knots;
    const uint64_t start = knots[era->first].device;
    size_t low = era->first;
    size_t high = era->last + 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (knots[middle].device - start <= device - start)
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
    const struct omptape_device_knot *first = &line->knots[line->eras[era].first];
    const struct omptape_device_knot *last = &line->knots[line->eras[era].last];
    if (back)
        return era > 0 ? host_between(first - 1, first) : 0;
    if (era + 1 < line->era_count)
        return host_between(last, last + 1);
    return limit != UINT64_MAX && limit > last->host ? (double)(limit - last->host) : 0;
}

static struct line_place place_in(const struct omptape_device_line *line, size_t number, uint64_t device,
                                  uint64_t limit)
{
    const struct omptape_device_era *era = &line->eras[number];
    const struct omptape_device_knot *first = &line->knots[era->first];
    uint64_t distance;
    bool back = comes_before(first, first, device, &distance);
    if (!back && comes_before(first, &line->knots[era->last], device, &distance)) {
        const struct omptape_device_knot *knot = &line->knots[find_knot(line, era, device)];
        return interpolate(line, knot, knot + 1, device - knot->device);
    }
    struct line_place place = extrapolate(line, era, back, distance);
    double ticks = (double)distance * line->noise.slope;
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
        if (!found || is_better(&place, &best, limit, LIMIT_SLACK * line->noise.ticks_per_second))
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

/* --- Summary --- */

static double round_rate(double rate)
{
    double unit = pow(10, floor(log10(rate)) - 2);
    return rint(rate / unit) * unit;
}

/* Returns the sum of the squared distances of an era's knots from the chords of their neighbours. */
static double sum_squares(const struct omptape_device_line *line, const struct omptape_device_era *era)
{
    double sum = 0;
    for (size_t i = era->first + 1; i < era->last; i++) {
        const struct omptape_device_knot *before = &line->knots[i - 1];
        double units = (double)(line->knots[i].device - before->device);
        double chord = units * chord_slope(before, &line->knots[i + 1]);
        double distance = host_between(before, &line->knots[i]) - chord;
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
        const struct omptape_device_knot *first = &line->knots[era->first];
        const struct omptape_device_knot *last = &line->knots[era->last];
        if (!counts_as_era(line, era))
            continue;
        if (summary->eras++ == 0) {
            summary->device = first->device;
            summary->host = first->host;
        }
        summary->segments += era->last - era->first;
        units += (double)(last->device - first->device);
        ticks += host_between(first, last);
        squares += sum_squares(line, era);
        inner += era->last > era->first ? (double)(era->last - era->first - 1) : 0;
    }
    summary->residual = inner > 0 ? sqrt(squares / inner) : 0;
    if (!(units > 0 && ticks > 0))
        return;
    double rate = units / ticks * line->noise.ticks_per_second;
    if (summary->nominal_rate <= 0)
        summary->nominal_rate = round_rate(rate);
    summary->drift = (rate / summary->nominal_rate - 1) * 1e6;
}

void omptape_device_line_free(struct omptape_device_line *line)
{
    free(line->knots);
    free(line->eras);
    *line = (struct omptape_device_line){.knots = NULL};
}
