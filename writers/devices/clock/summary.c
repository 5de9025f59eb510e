/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums up a line. Called by the fit of a device's clock.
 */
#include "writers/devices/clock/summary.h"

#include <math.h>

static double rounded_rate(double rate)
{
    double unit = pow(10, floor(log10(rate)) - 2);
    return rint(rate / unit) * unit;
}

/* The mean rate from a knot to another: device units in a second. */
static double rate_between(const struct omptape_device_line *line, size_t from, size_t to, double *seconds)
{
    const struct omptape_device_knot *a = &line->knots[from];
    const struct omptape_device_knot *b = &line->knots[to];
    double ticks = (double)(int64_t)(b->host - a->host) + (b->part - a->part);
    *seconds = ticks / line->ticks_per_second;
    return ticks > 0 ? (double)(b->device - a->device) / *seconds : 0;
}

/* Sums up what the summary says of drift. */
struct drift_sums {
    double units, seconds; /* of all eras */
    double least, greatest, change;
};

static void follow_era(const struct omptape_device_line *line, const struct omptape_device_era *era,
                       struct drift_sums *drifts)
{
    double seconds;
    double rate = rate_between(line, era->first, era->last, &seconds);
    drifts->units += rate * seconds;
    drifts->seconds += seconds;
    double before = 0;
    double before_seconds = 0;
    size_t from = era->first;
    for (size_t to = from + 1; to <= era->last; to++) {
        rate = rate_between(line, from, to, &seconds);
        if (seconds < 1)
            continue;
        if (before > 0)
            drifts->change = fmax(drifts->change, fabs(rate - before) / ((seconds + before_seconds) / 2));
        drifts->least = fmin(drifts->least, rate);
        drifts->greatest = fmax(drifts->greatest, rate);
        before = rate;
        before_seconds = seconds;
        from = to;
    }
}

static void summarise_drift(const struct omptape_device_line *line,
                            struct omptape_device_fit_summary *summary)
{
    struct drift_sums drifts = {.least = INFINITY, .greatest = 0};
    for (size_t i = 0; i < line->era_count; i++)
        if (line->eras[i].last > line->eras[i].first)
            follow_era(line, &line->eras[i], &drifts);
    if (!(drifts.units > 0 && drifts.seconds > 0))
        return;
    double mean = drifts.units / drifts.seconds;
    if (summary->nominal_rate <= 0)
        summary->nominal_rate = rounded_rate(mean);
    double nominal = summary->nominal_rate;
    summary->drift = (mean / nominal - 1) * 1e6;
    summary->drift_min = drifts.greatest > 0 ? (drifts.least / nominal - 1) * 1e6 : summary->drift;
    summary->drift_max = drifts.greatest > 0 ? (drifts.greatest / nominal - 1) * 1e6 : summary->drift;
    summary->drift_change = drifts.change / nominal * 1e6;
}

/* Returns the anchors on the line. */
static size_t summarise_eras(const struct omptape_device_line *line,
                             struct omptape_device_fit_summary *summary)
{
    size_t used = 0;
    double squares = 0;
    for (size_t i = 0; i < line->era_count; i++) {
        const struct omptape_device_era *era = &line->eras[i];
        if (era->last == era->first && line->era_count > 1)
            continue;
        if (summary->eras++ == 0) {
            summary->device = line->knots[era->first].device;
            summary->host = line->knots[era->first].host;
        }
        summary->segments += era->last - era->first;
        used += era->last - era->first + 1;
        for (size_t k = era->first; k <= era->last; k++) {
            double residual = fabs(line->knots[k].residual);
            squares += residual * residual;
            summary->residual_max = fmax(summary->residual_max, residual);
        }
    }
    summary->residual_rms = used > 0 ? sqrt(squares / (double)used) : 0;
    return used;
}

size_t omptape_device_line_summarise(const struct omptape_device_line *line,
                                     struct omptape_device_fit_summary *summary)
{
    summarise_drift(line, summary);
    return summarise_eras(line, summary);
}
