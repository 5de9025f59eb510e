/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts device times to host times in one of two ways. The first is a fit to the device's readings. The
 * second is a fit from the device to omp_get_wtime and a fit from there to the host.
 */
#include "writers/devices/clock.h"

#include "src/core/whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Translated device times that are kept to compare both ways. */
enum { SAMPLES = 256 };

static const double NANOSECONDS = 1e9;
static const double LATEST_WTIME = 4e9; /* Seconds; later values are invalid. */

struct omptape_device_clock {
    double ticks_per_second;
    struct omptape_device_fit *time;      /* Device to host ticks. */
    struct omptape_device_fit *translate; /* Device to nanoseconds of wtime. */
    struct omptape_device_fit *wtime;     /* Nanoseconds of wtime to host ticks. */
    double quantum;                       /* Least step of wtime seen so far, nanoseconds. */
    uint64_t pairs, wtimes;
    uint64_t samples[SAMPLES];
    uint64_t every; /* One of this many pairs is kept. */
    size_t sample_count;
    uint64_t converted;
    uint64_t bound_max;
};

const char *omptape_device_clock_source_name(enum omptape_device_clock_source source)
{
    switch (source) {
    case OMPTAPE_DEVICE_CLOCK_TIME:
        return "device time";
    case OMPTAPE_DEVICE_CLOCK_TRANSLATE:
        return "translate_time";
    case OMPTAPE_DEVICE_CLOCK_NONE:
    default:
        return "none";
    }
}

struct omptape_device_clock *omptape_device_clock_create(double ticks_per_second, double device_rate)
{
    struct omptape_device_clock *clock = calloc(1, sizeof(*clock));
    if (clock == NULL)
        return NULL;
    clock->ticks_per_second = ticks_per_second;
    clock->every = 1;
    clock->time = omptape_device_fit_create(ticks_per_second, device_rate);
    clock->translate = omptape_device_fit_create(NANOSECONDS, device_rate);
    clock->wtime = omptape_device_fit_create(ticks_per_second, NANOSECONDS);
    if (clock->time != NULL && clock->translate != NULL && clock->wtime != NULL)
        return clock;
    omptape_device_clock_free(clock);
    return NULL;
}

void omptape_device_clock_free(struct omptape_device_clock *clock)
{
    if (clock == NULL)
        return;
    omptape_device_fit_free(clock->time);
    omptape_device_fit_free(clock->translate);
    omptape_device_fit_free(clock->wtime);
    free(clock);
}

int omptape_device_clock_add(struct omptape_device_clock *clock,
                             const struct omptape_device_reading *readings, size_t count)
{
    return omptape_device_fit_add(clock->time, readings, count);
}

static bool is_wtime(double wtime)
{
    return wtime > 0 && wtime < LATEST_WTIME;
}

/* Separates whole seconds, so that the product adds no error to the double's own. */
static uint64_t nanoseconds_of(double wtime)
{
    double seconds = floor(wtime);
    return (uint64_t)seconds * UINT64_C(1000000000) + (uint64_t)rint((wtime - seconds) * NANOSECONDS);
}

/* Returns the step from a double to the next one, in nanoseconds, rounded up. */
static uint64_t quantum_of(double wtime)
{
    return 1 + (uint64_t)((nextafter(wtime, INFINITY) - wtime) * NANOSECONDS);
}

int omptape_device_clock_add_wtime(struct omptape_device_clock *clock,
                                   const struct omptape_wtime_reading *readings, size_t count)
{
    struct omptape_device_reading sane[OMPTAPE_DEVICE_READINGS];
    size_t kept = 0;
    for (size_t i = 0; i < count && kept < OMPTAPE_DEVICE_READINGS; i++) {
        if (!is_wtime(readings[i].wtime))
            continue;
        clock->quantum = fmax(clock->quantum, (double)quantum_of(readings[i].wtime));
        sane[kept++] = (struct omptape_device_reading){readings[i].before, nanoseconds_of(readings[i].wtime),
                                                       readings[i].after};
    }
    clock->wtimes++;
    return kept == 0 ? -EINVAL : omptape_device_fit_add(clock->wtime, sane, kept);
}

static void store_sample(struct omptape_device_clock *clock, uint64_t device)
{
    if (clock->pairs % clock->every != 0)
        return;
    if (clock->sample_count == SAMPLES) {
        for (size_t i = 0; i < SAMPLES / 2; i++)
            clock->samples[i] = clock->samples[2 * i];
        clock->sample_count = SAMPLES / 2;
        clock->every *= 2;
    }
    clock->samples[clock->sample_count++] = device;
}

int omptape_device_clock_add_translated(struct omptape_device_clock *clock, uint64_t device, double wtime)
{
    clock->pairs++;
    if (!is_wtime(wtime))
        return -EINVAL;
    uint64_t quantum = quantum_of(wtime);
    clock->quantum = fmax(clock->quantum, (double)quantum);
    uint64_t nanoseconds = nanoseconds_of(wtime);
    uint64_t before = nanoseconds > quantum / 2 ? nanoseconds - quantum / 2 : 0;
    struct omptape_device_reading reading = {before, device, nanoseconds + quantum / 2};
    int error = omptape_device_fit_add(clock->translate, &reading, 1);
    if (error == 0)
        store_sample(clock, device);
    return error;
}

/* Converts a device time by way of omp_get_wtime. */
static int convert_translated(struct omptape_device_clock *clock, uint64_t device, uint64_t limit,
                              uint64_t *host, uint64_t *bound)
{
    uint64_t nanoseconds;
    uint64_t error_nanoseconds;
    uint64_t ticks;
    uint64_t error_ticks;
    /* The limit is a host time, and the fit of omp_get_wtime has no inverse. So the first conversion has
     * no limit and chooses the nearest era. */
    int error =
        omptape_device_fit_convert(clock->translate, device, UINT64_MAX, &nanoseconds, &error_nanoseconds);
    if (error == 0)
        error = omptape_device_fit_convert(clock->wtime, nanoseconds, limit, &ticks, &error_ticks);
    if (error != 0)
        return error;
    double scaled =
        ceil(((double)error_nanoseconds + clock->quantum) / NANOSECONDS * clock->ticks_per_second);
    *host = ticks;
    *bound = omptape_plus(error_ticks, scaled < 0x1p63 ? (uint64_t)scaled : UINT64_MAX);
    return 0;
}

static enum omptape_device_clock_source source_of(struct omptape_device_clock *clock)
{
    uint64_t host;
    uint64_t bound;
    if (omptape_device_fit_is_measured(clock->time))
        return OMPTAPE_DEVICE_CLOCK_TIME;
    /* A single anchor is worse than many translated times. */
    if (omptape_device_fit_is_measured(clock->translate) && omptape_device_fit_is_measured(clock->wtime))
        return OMPTAPE_DEVICE_CLOCK_TRANSLATE;
    if (omptape_device_fit_convert(clock->time, 1, UINT64_MAX, &host, &bound) == 0)
        return OMPTAPE_DEVICE_CLOCK_TIME;
    return convert_translated(clock, 1, UINT64_MAX, &host, &bound) == 0 ? OMPTAPE_DEVICE_CLOCK_TRANSLATE
                                                                        : OMPTAPE_DEVICE_CLOCK_NONE;
}

int omptape_device_clock_convert(struct omptape_device_clock *clock, uint64_t device, uint64_t limit,
                                 uint64_t *host, uint64_t *bound)
{
    uint64_t found;
    uint64_t error_bound;
    int error = -ENODATA;
    enum omptape_device_clock_source source = source_of(clock);
    if (source == OMPTAPE_DEVICE_CLOCK_TIME)
        error = omptape_device_fit_convert(clock->time, device, limit, &found, &error_bound);
    else if (source == OMPTAPE_DEVICE_CLOCK_TRANSLATE)
        error = convert_translated(clock, device, limit, &found, &error_bound);
    if (error != 0)
        return error;
    clock->converted++;
    clock->bound_max = error_bound > clock->bound_max ? error_bound : clock->bound_max;
    *host = found;
    *bound = error_bound;
    return 0;
}

static double ticks_apart(uint64_t a, uint64_t b)
{
    return a > b ? (double)(a - b) : (double)(b - a);
}

/* Compares the two conversions, by the device's own time and by translated times. Uses only those sampled
 * device times that lie between anchors of both. */
static void compare_ways(struct omptape_device_clock *clock, struct omptape_device_clock_summary *summary)
{
    double worst = -INFINITY;
    for (size_t i = 0; i < clock->sample_count; i++) {
        uint64_t device = clock->samples[i];
        uint64_t host;
        uint64_t bound;
        uint64_t other;
        uint64_t other_bound;
        if (!omptape_device_fit_covers(clock->time, device) ||
            omptape_device_fit_convert(clock->time, device, UINT64_MAX, &host, &bound) != 0 ||
            convert_translated(clock, device, UINT64_MAX, &other, &other_bound) != 0)
            continue;
        summary->compared++;
        double difference = ticks_apart(host, other);
        double allowed = (double)bound + (double)other_bound;
        if (difference - allowed <= worst)
            continue;
        worst = difference - allowed;
        summary->disagreement = difference;
        summary->allowed = allowed;
    }
    summary->disagree = worst > 0;
}

void omptape_device_clock_summarise(struct omptape_device_clock *clock,
                                    struct omptape_device_clock_summary *summary)
{
    *summary = (struct omptape_device_clock_summary){.converted = clock->converted};
    struct omptape_device_fit_summary second;
    omptape_device_fit_summarise(clock->time, &summary->fit);
    omptape_device_fit_summarise(clock->translate, &second);
    summary->source = source_of(clock);
    if (summary->source == OMPTAPE_DEVICE_CLOCK_TRANSLATE)
        summary->fit = second;
    summary->bound_max = clock->bound_max;
    summary->pairs = clock->pairs;
    summary->wtimes = clock->wtimes;
    double rate = summary->source == OMPTAPE_DEVICE_CLOCK_TRANSLATE ? NANOSECONDS : clock->ticks_per_second;
    if (summary->fit.nominal_rate > 0)
        summary->offset =
            (double)summary->fit.device / summary->fit.nominal_rate - (double)summary->fit.host / rate;
    compare_ways(clock, summary);
}
