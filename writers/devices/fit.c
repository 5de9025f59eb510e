/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the fit of two clocks. A conversion first judges the new anchors: which are outliers, and which
 * show that the clock was set. It then draws the line through the others. Called by the clock of a device.
 */
#include "writers/devices/fit.h"

#include "writers/devices/line.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum {
    YOUNG = 64,     /* With fewer anchors all estimates are recomputed each time. */
    RELEARN = 64,   /* Number of new anchors after which the estimates are recomputed. */
    REJUDGED = 256, /* Number of newest anchors that are then judged again. */
    LOOK_AHEAD = 5, /* Number of anchors that decide whether an unexpected one is an outlier. */
    /* Number of anchors that are judged by the same slope, computed from BLOCKS_SEEN blocks. */
    BLOCK = 8,
    BLOCKS_SEEN = 3,          /* Blocks that determine a slope: the previous, the current and the next one. */
    GRANULE_DIFFERENCES = 16, /* With fewer differences a common factor may be accidental. */
};

static const double KNOWN_DOUBT = 300e-6;  /* Relative error of a nominal rate. */
static const double USUAL_RATE = 1e9;      /* Most devices count nanoseconds. */
static const double USUAL_DOUBT = 1000e-6; /* Relative error of the usual rate, if the anchors are near it. */
/* Greatest slope error at which the usual rate may replace a measured one. */
static const double MAX_DOUBT = 1e-2;
static const double MIN_SPAN = 1e-3;    /* Seconds in which a device's clock must advance. */
static const double WIDEST_BRACKET = 1; /* Seconds. */
static const double SET_TICKS = 200e-6; /* Seconds; a smaller jump does not begin an era. */
static const double SET_RATE = 500e-6;  /* Relative; no drift is greater. */
static const size_t UNCHANGED = SIZE_MAX;

struct omptape_device_fit {
    struct omptape_device_anchors anchors;
    struct omptape_device_noise noise;
    struct omptape_device_line line;
    size_t lowest;       /* Lowest anchor that changed since the line was drawn, or UNCHANGED. */
    size_t since_learnt; /* Number of anchors added since the last estimate. */
    bool measured;       /* True if the slope was measured. */
    double nominal_rate;
    uint64_t divisor;     /* Greatest common divisor of the differences between readings. */
    uint64_t divided;     /* Number of these differences. */
    uint64_t some_device; /* Reading from which the differences are taken. */
    uint64_t offered;
};

struct omptape_device_fit *omptape_device_fit_create(double ticks_per_second, double nominal_rate)
{
    struct omptape_device_fit *fit = calloc(1, sizeof(*fit));
    if (fit == NULL)
        return NULL;
    fit->noise.ticks_per_second = ticks_per_second;
    fit->nominal_rate = nominal_rate > 0 ? nominal_rate : 0;
    fit->lowest = UNCHANGED;
    return fit;
}

void omptape_device_fit_free(struct omptape_device_fit *fit)
{
    if (fit == NULL)
        return;
    omptape_device_anchors_free(&fit->anchors);
    omptape_device_line_free(&fit->line);
    free(fit);
}

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
           (double)(reading->after - reading->before) <= WIDEST_BRACKET * fit->noise.ticks_per_second &&
           reading->after < UINT64_MAX / 4;
}

int omptape_device_fit_add(struct omptape_device_fit *fit, const struct omptape_device_reading *readings,
                           size_t count)
{
    struct omptape_device_reading sane[OMPTAPE_DEVICE_READINGS];
    size_t kept = 0;
    fit->offered++;
    for (size_t i = 0; i < count && kept < OMPTAPE_DEVICE_READINGS; i++)
        if (is_sane(fit, &readings[i]))
            sane[kept++] = readings[i];
    if (kept == 0)
        return -EINVAL;
    struct omptape_device_anchor anchor = omptape_device_average(sane, kept);
    long place = omptape_device_anchors_insert(&fit->anchors, &anchor);
    if (place < 0)
        return (int)place;
    for (size_t i = 0; i < kept; i++)
        estimate_granularity(fit, sane[i].device);
    fit->lowest = (size_t)place < fit->lowest ? (size_t)place : fit->lowest;
    fit->since_learnt++;
    return 0;
}

/* --- Judging anchors --- */

struct pass {
    struct omptape_device_anchors *anchors;
    const struct omptape_device_noise *noise;
    double slope; /* Slope near the judged anchor. */
    long last;    /* Index of the previous accepted anchor, or -1. */
};

static bool follows(const struct pass *pass, size_t from, size_t to)
{
    return omptape_device_is_consistent(pass->noise, &pass->anchors->at[from], &pass->anchors->at[to],
                                        pass->slope);
}

/* Returns true if the anchors after the unexpected i-th one follow it rather than the last accepted one. */
static bool is_confirmed(const struct pass *pass, size_t i)
{
    int from_last = 0;
    int from_this = 0;
    for (size_t k = i + 1; k <= i + LOOK_AHEAD && k < pass->anchors->count; k++) {
        from_last += follows(pass, (size_t)pass->last, k);
        from_this += follows(pass, i, k);
    }
    return from_this > from_last;
}

/* Returns true if the device's clock was set between two anchors; a small jump may be drift. */
static bool was_set(const struct pass *pass, const struct omptape_device_anchor *from,
                    const struct omptape_device_anchor *to)
{
    double step = omptape_device_unit_distance(from, to) * pass->slope;
    double jump = fabs(omptape_device_host_distance(from, to) - step);
    return step <= 0 || jump > SET_TICKS * pass->noise->ticks_per_second + SET_RATE * step;
}

static void judge_anchor(struct pass *pass, size_t i)
{
    struct omptape_device_anchor *anchor = &pass->anchors->at[i];
    anchor->era = -1;
    if (pass->last < 0) {
        anchor->era = 0;
    } else {
        const struct omptape_device_anchor *from = &pass->anchors->at[pass->last];
        anchor->jumps = !follows(pass, (size_t)pass->last, i);
        if (anchor->jumps && !is_confirmed(pass, i))
            return;
        anchor->era = from->era + (anchor->jumps && was_set(pass, from, anchor));
    }
    pass->last = (long)i;
}

/* Computes the slope near the block that begins with the i-th anchor. */
static void find_slope_near(struct pass *pass, size_t i)
{
    double ticks;
    size_t first = i > BLOCK ? i - BLOCK : 0;
    size_t end = first + BLOCKS_SEEN * BLOCK;
    end = end < pass->anchors->count ? end : pass->anchors->count;
    double slope = omptape_device_slope(pass->anchors, pass->noise->ticks_per_second, first, end, &ticks);
    pass->slope = slope > 0 ? slope : pass->noise->slope;
}

/* Judges the anchors from `from` on, which must be the first of a block. */
static void judge_anchors(struct omptape_device_fit *fit, size_t from)
{
    struct pass pass = {.anchors = &fit->anchors, .noise = &fit->noise, .last = (long)from - 1};
    while (pass.last >= 0 && fit->anchors.at[pass.last].era < 0)
        pass.last--;
    for (size_t i = from; i < fit->anchors.count; i++) {
        if (i % BLOCK == 0)
            find_slope_near(&pass, i);
        judge_anchor(&pass, i);
    }
}

/* --- Estimates and the line --- */

static double span_of(const struct omptape_device_anchors *anchors)
{
    return anchors->count == 0
               ? 0
               : omptape_device_host_distance(&anchors->at[0], &anchors->at[anchors->count - 1]);
}

/* Recomputes the estimates. The slope is the usual one if the anchors do not show it, and 0 if the
 * device's clock does not advance. */
static void learn(struct omptape_device_fit *fit)
{
    struct omptape_device_noise *noise = &fit->noise;
    omptape_device_estimate_noise(&fit->anchors, noise);
    double rate = fit->nominal_rate > 0 ? fit->nominal_rate : USUAL_RATE;
    double nominal = noise->ticks_per_second / rate;
    bool stands = noise->slope <= 0 && span_of(&fit->anchors) >= MIN_SPAN * noise->ticks_per_second;
    fit->measured = noise->slope > 0;
    bool fits = noise->slope > 0 && fabs(noise->slope - nominal) <= noise->slope_error * nominal;
    if (fits && noise->slope_error > KNOWN_DOUBT && fit->nominal_rate > 0)
        fit->measured = false;
    if (!fit->measured && !stands) {
        noise->slope = nominal;
        noise->slope_error = fit->nominal_rate > 0 ? KNOWN_DOUBT : 1;
    } else if (fits && noise->slope_error > USUAL_DOUBT && noise->slope_error < MAX_DOUBT) {
        /* A measured rate this near to the nominal one is no accident: the device counts nanoseconds. */
        noise->slope = nominal;
        noise->slope_error = USUAL_DOUBT;
    }
    noise->granularity = (fit->divided >= GRANULE_DIFFERENCES ? (double)fit->divisor : 1) * noise->slope;
    fit->since_learnt = 0;
}

static int finish_fit(struct omptape_device_fit *fit)
{
    if (fit->lowest == UNCHANGED)
        return 0;
    if (omptape_device_anchors_thin(&fit->anchors, fit->noise.ticks_per_second))
        fit->lowest = 0;
    size_t count = fit->anchors.count;
    if (count < YOUNG || fit->since_learnt >= RELEARN || fit->noise.slope <= 0) {
        size_t newest = count > REJUDGED + YOUNG ? count - REJUDGED : 0;
        fit->lowest = newest < fit->lowest ? newest : fit->lowest;
        learn(fit);
    }
    /* Anchors that were judged by changed anchors must be judged again. */
    size_t from = fit->lowest > 2 * BLOCK + LOOK_AHEAD ? fit->lowest - 2 * BLOCK - LOOK_AHEAD : 0;
    from -= from % BLOCK;
    if (fit->noise.slope > 0)
        judge_anchors(fit, from);
    else
        for (from = 0; from < count; from++)
            fit->anchors.at[from].era = -1;
    int error = omptape_device_line_build(&fit->line, &fit->anchors, &fit->noise, from);
    fit->lowest = error == 0 ? UNCHANGED : 0;
    return error;
}

/* --- Conversions --- */

/* Returns true if conversions are possible. A single accepted anchor among several is an outlier. */
static bool has_line(const struct omptape_device_fit *fit)
{
    return fit->line.used > 1 || (fit->line.used == 1 && fit->anchors.count < 4);
}

int omptape_device_fit_convert(struct omptape_device_fit *fit, uint64_t device, uint64_t limit,
                               uint64_t *host, uint64_t *bound)
{
    int error = finish_fit(fit);
    if (error != 0)
        return error;
    if (!has_line(fit))
        return -ENODATA;
    return omptape_device_line_convert(&fit->line, device, limit, host, bound);
}

bool omptape_device_fit_covers(struct omptape_device_fit *fit, uint64_t device)
{
    return finish_fit(fit) == 0 && has_line(fit) && omptape_device_line_covers(&fit->line, device);
}

bool omptape_device_fit_is_measured(struct omptape_device_fit *fit)
{
    return finish_fit(fit) == 0 && has_line(fit) && fit->measured;
}

void omptape_device_fit_summarise(struct omptape_device_fit *fit, struct omptape_device_fit_summary *summary)
{
    *summary =
        (struct omptape_device_fit_summary){.anchors = fit->offered, .nominal_rate = fit->nominal_rate};
    if (finish_fit(fit) != 0 || !has_line(fit)) {
        summary->rejected = fit->offered;
        return;
    }
    summary->rate_measured = fit->measured;
    omptape_device_line_summarise(&fit->line, summary);
    summary->rejected = fit->offered - fit->anchors.thinned - fit->line.used;
}
