/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The simulated device's clock, its readings and the truth. Called by the unit tests of device clocks.
 */
#include "tests/unit/devices/device_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const double PI = 3.14159265358979323846;
static const uint64_t START = UINT64_C(123456789012345);

struct device_world device_world(uint64_t seed)
{
    return (struct device_world){.device_rate = 1e9,
                                 .offset = UINT64_C(1700000000123456789),
                                 .ppm = 50,
                                 .drift = SWING,
                                 .bend = 5,
                                 .period = 6.3,
                                 .jitter = 1e-6,
                                 .normal = true,
                                 .bracket = 80e-9,
                                 .readings = 8,
                                 .wtime_start = 12345.678,
                                 .seed = seed};
}

double world_random(struct device_world *world)
{
    world->seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = world->seed;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

static double normal(struct device_world *world)
{
    return sqrt(-2 * log(1 - world_random(world))) * cos(2 * PI * world_random(world));
}

double world_host(double seconds)
{
    return (double)START + seconds * HOST_RATE;
}

/* Seconds by which the drift has moved the clock. */
static double drifted(const struct device_world *world, double t)
{
    double bend = world->bend * 1e-6;
    double omega = 2 * PI / world->period;
    double half = world->period / 2;
    switch (world->drift) {
    case SWING:
        return bend / (omega * omega) * (1 - cos(omega * t));
    case RAMP:
        return bend * t * t / 2;
    case ZIGZAG: {
        double whole = floor(t / world->period);
        double rest = t - whole * world->period;
        double up = fmin(rest, half);
        double down = rest - up;
        return bend * (whole * half * half + up * up / 2 + half * down - down * down / 2);
    }
    case STEADY:
    default:
        return 0;
    }
}

static uint64_t shown(const struct device_world *world, double t, double jitter)
{
    double units = (t + t * world->ppm * 1e-6 + drifted(world, t) + jitter) * world->device_rate;
    double whole = world->granule > 1 ? floor(units / world->granule) * world->granule : floor(units);
    return world->offset + (uint64_t)(int64_t)whole;
}

uint64_t world_device(const struct device_world *world, double seconds)
{
    return shown(world, seconds, 0);
}

double world_wtime(const struct device_world *world, double seconds)
{
    return world->wtime_start + seconds * (1 - 3e-6);
}

static uint64_t ticks_at(double seconds)
{
    return START + (uint64_t)(int64_t)(seconds * HOST_RATE);
}

static double bracket(struct device_world *world)
{
    double width = world->bracket * (0.75 + 0.5 * world_random(world));
    return world_random(world) < world->preempted ? width + 10e-3 * world_random(world) : width;
}

double world_read(struct device_world *world, double seconds, struct omptape_device_reading *readings)
{
    double t = seconds;
    double common = world->common > 0 ? world->common * (2 * world_random(world) - 1) : 0;
    for (int i = 0; i < world->readings; i++) {
        double width = bracket(world);
        double jitter = world->normal ? normal(world) : 2 * world_random(world) - 1;
        double read = t + width * (world->leans ? 1 : world_random(world));
        readings[i].before = ticks_at(t);
        readings[i].device = shown(world, read, jitter * world->jitter + common);
        readings[i].after = ticks_at(t + width);
        t += width + 5e-9;
    }
    return t - seconds;
}

void world_read_wtime(struct device_world *world, double seconds, struct omptape_wtime_reading *readings)
{
    double t = seconds;
    for (int i = 0; i < world->readings; i++) {
        double width = bracket(world);
        readings[i].before = ticks_at(t);
        readings[i].wtime = world_wtime(world, t + width * world_random(world));
        readings[i].after = ticks_at(t + width);
        t += width + 5e-9;
    }
}

int world_anchor(struct device_world *world, double seconds, struct omptape_device_clock *clock)
{
    struct omptape_device_reading readings[8];
    (void)world_read(world, seconds, readings);
    return omptape_device_clock_add(clock, readings, (size_t)world->readings);
}

void world_convert(const struct device_world *world, struct omptape_device_clock *clock, double seconds,
                   struct world_errors *errors)
{
    uint64_t host = 0;
    uint64_t bound = 0;
    uint64_t limit = ticks_at(seconds + 0.05);
    assert_int_equal(omptape_device_clock_convert(clock, world_device(world, seconds), limit, &host, &bound),
                     0);
    double error = fabs((double)(int64_t)(host - START) - seconds * HOST_RATE) / HOST_RATE;
    if (errors->count == errors->capacity) {
        errors->capacity = errors->capacity != 0 ? errors->capacity * 2 : 1024;
        errors->errors = realloc(errors->errors, errors->capacity * sizeof(errors->errors[0]));
        assert_non_null(errors->errors);
    }
    errors->errors[errors->count++] = error;
    errors->beyond += error > (double)bound / HOST_RATE;
    errors->bound_max = fmax(errors->bound_max, (double)bound / HOST_RATE);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double world_quantile(struct world_errors *errors, double share)
{
    assert_true(errors->count > 0);
    qsort(errors->errors, errors->count, sizeof(errors->errors[0]), ascending);
    size_t place = (size_t)(share * (double)errors->count);
    return errors->errors[place < errors->count ? place : errors->count - 1];
}

void world_report(struct world_errors *errors, const char *what)
{
    double share = world_quantile(errors, 0.99);
    printf(
        "%s: %zu records, 99 %% within %.3f us, all within %.3f us, bound at most %.3f us, %zu beyond it\n",
        what, errors->count, share * 1e6, world_quantile(errors, 1) * 1e6, errors->bound_max * 1e6,
        errors->beyond);
    free(errors->errors);
    *errors = (struct world_errors){.count = 0};
}
