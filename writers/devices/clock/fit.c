/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A fit's life: anchors wait until a conversion needs them, then the slope is found, anchors are put in, the
 * filter and the line follow where something changed. Called by the clock of a device.
 */
#include "writers/devices/clock/fit.h"

#include "writers/devices/clock/line.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    YOUNG = 64,    /* with fewer anchors everything is found anew each time */
    WAITING = 256, /* anchors that wait at most */
    RETUNE = 256,
    GRANULE_DIFFERENCES = 16, /* fewer may have a common factor by chance */
};

static const double KNOWN_DOUBT = 300e-6; /* relative error of a nominal rate */
static const double USUAL_RATE = 1e9;     /* most devices tell nanoseconds */
static const double LEAST_SPAN = 1e-3;    /* seconds in which a device's clock must go on */
static const double WIDEST_BRACKET = 1;   /* seconds */

struct reading_batch {
    size_t count;
    struct omptape_device_reading readings[OMPTAPE_DEVICE_READINGS];
};

struct omptape_device_fit {
    struct omptape_device_anchors anchors;
    struct omptape_device_noise noise;
    struct omptape_device_line line;
    struct reading_batch *waiting; /* all there are while young */
    size_t waiting_count;
    bool changed;  /* since the line was built */
    bool mature;   /* the slope is settled and what waits is only what is new */
    bool measured; /* the slope */
    double nominal_rate;
    double known_granule; /* device units */
    uint64_t divisor;     /* of the differences of readings */
    uint64_t divided;     /* differences that it divides */
    uint64_t some_device; /* a reading that the differences are taken from */
    uint64_t offered;
    size_t since_tuning;
};

struct omptape_device_fit *omptape_device_fit_create(double ticks_per_second, double nominal_rate,
                                                     double granule)
{
    struct omptape_device_fit *fit = calloc(1, sizeof(*fit));
    if (fit == NULL)
        return NULL;
    fit->waiting = calloc(WAITING, sizeof(fit->waiting[0]));
    if (fit->waiting == NULL) {
        free(fit);
        return NULL;
    }
    fit->anchors.ticks_per_second = ticks_per_second;
    fit->nominal_rate = nominal_rate > 0 ? nominal_rate : 0;
    fit->known_granule = granule > 0 ? granule : 0;
    fit->noise.loud = 1;
    fit->noise.wander = omptape_device_wander(ticks_per_second);
    return fit;
}

void omptape_device_fit_free(struct omptape_device_fit *fit)
{
    if (fit == NULL)
        return;
    omptape_device_anchors_free(&fit->anchors);
    omptape_device_line_free(&fit->line);
    free(fit->waiting);
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

static void learn_granule(struct omptape_device_fit *fit, uint64_t device)
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

static double granule_of(const struct omptape_device_fit *fit)
{
    double found = fit->divided >= GRANULE_DIFFERENCES ? (double)fit->divisor : 1;
    return fmax(fit->known_granule, found);
}

static bool is_sane(const struct omptape_device_fit *fit, const struct omptape_device_reading *reading)
{
    return reading->device != 0 && reading->device != UINT64_MAX && reading->before <= reading->after &&
           (double)(reading->after - reading->before) <= WIDEST_BRACKET * fit->anchors.ticks_per_second &&
           reading->after < UINT64_MAX / 4;
}

/* --- from what waits to the line --- */

/* Puts all that waits in. `lowest`: see omptape_device_anchors_insert(). */
static int insert_waiting(struct omptape_device_fit *fit, double slope, size_t *lowest)
{
    struct omptape_device_anchor *added = calloc(fit->waiting_count + 1, sizeof(added[0]));
    if (added == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < fit->waiting_count; i++)
        added[i] = omptape_device_reduce(&fit->anchors, fit->waiting[i].readings, fit->waiting[i].count,
                                         slope, slope > 0);
    int error = omptape_device_anchors_insert(&fit->anchors, added, fit->waiting_count, slope, lowest);
    free(added);
    return error;
}

static void forget_anchors(struct omptape_device_fit *fit)
{
    fit->anchors.count = 0;
    fit->anchors.merged = 0;
    fit->anchors.scatter = fit->anchors.freedom = 0;
}

static double span_of(const struct omptape_device_anchors *anchors)
{
    return anchors->count == 0 ? 0 : omptape_device_ahead(&anchors->at[0], &anchors->at[anchors->count - 1]);
}

/* Sets the slope from the anchors, or from what is usual; 0 if the device's clock does not go. */
static void find_slope(struct omptape_device_fit *fit)
{
    double doubt = 1;
    double slope = omptape_device_slope(&fit->anchors, &doubt);
    double rate = fit->nominal_rate > 0 ? fit->nominal_rate : USUAL_RATE;
    double nominal = fit->anchors.ticks_per_second / rate;
    bool stands = slope <= 0 && span_of(&fit->anchors) >= LEAST_SPAN * fit->anchors.ticks_per_second;
    fit->measured = slope > 0;
    fit->noise.slope = slope;
    fit->noise.doubt = doubt;
    if (stands || (slope > 0 && doubt <= KNOWN_DOUBT))
        return;
    bool fits = slope <= 0 || fabs(slope - nominal) <= doubt * nominal;
    if (slope > 0 && (fit->nominal_rate <= 0 || !fits))
        return;
    fit->measured = false;
    fit->noise.slope = nominal;
    fit->noise.doubt = fit->nominal_rate > 0 ? KNOWN_DOUBT : 1;
}

static void filter_anchors(struct omptape_device_fit *fit, size_t *lowest)
{
    fit->noise.granule = granule_of(fit) * fit->noise.slope;
    size_t changed = omptape_device_filter(&fit->anchors, &fit->noise, *lowest);
    *lowest = changed < *lowest ? changed : *lowest;
}

static int settle_young(struct omptape_device_fit *fit)
{
    size_t lowest = 0;
    forget_anchors(fit);
    fit->noise.loud = 1;
    fit->noise.wander = omptape_device_wander(fit->anchors.ticks_per_second);
    int error = insert_waiting(fit, 0, &lowest);
    if (error != 0)
        return error;
    find_slope(fit);
    forget_anchors(fit);
    if (fit->noise.slope > 0) {
        error = insert_waiting(fit, fit->noise.slope, &lowest);
        if (error != 0)
            return error;
    }
    lowest = 0;
    filter_anchors(fit, &lowest);
    if (omptape_device_tune(&fit->anchors, &fit->noise))
        filter_anchors(fit, &lowest);
    if (fit->waiting_count >= YOUNG && fit->measured && fit->noise.doubt <= KNOWN_DOUBT) {
        fit->mature = true;
        fit->waiting_count = 0;
    }
    return omptape_device_line_build(&fit->line, &fit->anchors, &fit->noise, 0);
}

/* True if the newest anchors are not of this slope: it was found from too few, or the device's clock changed.
 */
static bool is_lost(const struct omptape_device_fit *fit)
{
    size_t rejected = 0;
    for (size_t i = 0; i < YOUNG && i < fit->anchors.count; i++)
        rejected += fit->anchors.at[fit->anchors.count - 1 - i].era < 0;
    return rejected > YOUNG / 2;
}

static void retune_fit(struct omptape_device_fit *fit, size_t *lowest)
{
    if (fit->since_tuning < RETUNE)
        return;
    fit->since_tuning = 0;
    if (is_lost(fit)) {
        double doubt;
        double slope = omptape_device_slope(&fit->anchors, &doubt);
        if (slope <= 0)
            return;
        fit->noise.slope = slope;
        fit->noise.doubt = doubt;
        *lowest = 0;
    } else {
        if (!omptape_device_tune(&fit->anchors, &fit->noise))
            return;
        size_t newest = fit->anchors.count > RETUNE ? fit->anchors.count - RETUNE : 0;
        *lowest = newest < *lowest ? newest : *lowest;
    }
    filter_anchors(fit, lowest);
}

static int settle_mature(struct omptape_device_fit *fit)
{
    size_t lowest;
    int error = insert_waiting(fit, fit->noise.slope, &lowest);
    if (error != 0)
        return error;
    fit->since_tuning += fit->waiting_count;
    fit->waiting_count = 0;
    filter_anchors(fit, &lowest);
    retune_fit(fit, &lowest);
    return omptape_device_line_build(&fit->line, &fit->anchors, &fit->noise, lowest);
}

static int settle_fit(struct omptape_device_fit *fit)
{
    if (!fit->changed)
        return 0;
    int error = fit->mature ? settle_mature(fit) : settle_young(fit);
    fit->changed = error != 0;
    return error;
}

static int make_way(struct omptape_device_fit *fit)
{
    if (fit->waiting_count < (fit->mature ? WAITING : YOUNG))
        return 0;
    int error = settle_fit(fit);
    if (fit->waiting_count == WAITING) { /* none shows a rate: the oldest will not help */
        fit->waiting_count = WAITING / 2;
        memmove(fit->waiting, fit->waiting + WAITING / 2, WAITING / 2 * sizeof(fit->waiting[0]));
    }
    return error;
}

int omptape_device_fit_add(struct omptape_device_fit *fit, const struct omptape_device_reading *readings,
                           size_t count)
{
    struct reading_batch batch = {.count = 0};
    fit->offered++;
    for (size_t i = 0; i < count && batch.count < OMPTAPE_DEVICE_READINGS; i++)
        if (is_sane(fit, &readings[i]))
            batch.readings[batch.count++] = readings[i];
    if (batch.count == 0)
        return -EINVAL;
    int error = make_way(fit);
    if (error != 0)
        return error;
    for (size_t i = 0; i < batch.count; i++)
        learn_granule(fit, batch.readings[i].device);
    fit->waiting[fit->waiting_count++] = batch;
    fit->changed = true;
    return 0;
}

/* --- asking --- */

/* One anchor of many that agrees with no other is a stray's. */
static bool has_line(const struct omptape_device_fit *fit)
{
    return fit->line.knot_count > 1 || (fit->line.knot_count == 1 && fit->anchors.count < 4);
}

int omptape_device_fit_convert(struct omptape_device_fit *fit, uint64_t device, uint64_t limit,
                               uint64_t *host, uint64_t *bound)
{
    int error = settle_fit(fit);
    if (error != 0)
        return error;
    if (!has_line(fit))
        return -ENODATA;
    return omptape_device_line_convert(&fit->line, device, limit, host, bound);
}

bool omptape_device_fit_covers(struct omptape_device_fit *fit, uint64_t device)
{
    return settle_fit(fit) == 0 && has_line(fit) && omptape_device_line_covers(&fit->line, device);
}

bool omptape_device_fit_is_measured(struct omptape_device_fit *fit)
{
    return settle_fit(fit) == 0 && has_line(fit) && fit->measured;
}

void omptape_device_fit_summarise(struct omptape_device_fit *fit, struct omptape_device_fit_summary *summary)
{
    *summary =
        (struct omptape_device_fit_summary){.anchors = fit->offered, .nominal_rate = fit->nominal_rate};
    if (settle_fit(fit) != 0 || !has_line(fit)) {
        summary->rejected = fit->offered;
        return;
    }
    summary->merged = fit->anchors.merged;
    summary->jitter = omptape_device_jitter(&fit->anchors);
    summary->rate_measured = fit->measured;
    size_t used = omptape_device_line_summarise(&fit->line, summary);
    summary->rejected = fit->offered - fit->anchors.merged - used;
}
