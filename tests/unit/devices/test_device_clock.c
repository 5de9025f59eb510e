/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of a device's clock: how near it comes to the truth of simulated clocks. Run by CTest as
 * unit.device_clock.
 */
#include "tests/unit/devices/device_world.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* When work is on the device, and when anchors are taken. */
struct plan {
    double seconds;     /* of the whole run */
    double least, most; /* between two anchors of a burst */
    double burst;       /* seconds of work... */
    double gap;         /* ...and of none, in turn; 0: always work */
    int records;        /* between two anchors */
    bool online;        /* records are converted when the next anchor is there, not at the end */
};

static const struct plan steady_work = {.seconds = 40, .least = 0.1, .most = 0.25, .records = 50};

static struct omptape_device_clock *new_clock(void)
{
    struct omptape_device_clock *clock = omptape_device_clock_create(HOST_RATE, 0);
    assert_non_null(clock);
    return clock;
}

struct times {
    double at[4096];
    size_t count;
};

/* The anchors' times; a burst has one at its start and one at its end. */
static void plan_anchors(struct device_world *world, const struct plan *plan, struct times *times)
{
    double burst_start = 0;
    double t = 0;
    times->count = 0;
    while (t < plan->seconds) {
        times->at[times->count++] = t;
        assert_true(times->count < 4096);
        double next = t + plan->least + (plan->most - plan->least) * world_random(world);
        bool last = plan->gap > 0 && t == burst_start + plan->burst;
        if (last)
            burst_start = next = t + plan->gap * (0.5 + world_random(world));
        else if (plan->gap > 0)
            next = fmin(next, burst_start + plan->burst);
        t = next;
    }
}

static void convert_between(struct device_world *world, struct omptape_device_clock *clock,
                            const struct plan *plan, double from, double to, struct world_errors *errors)
{
    if (to - from > plan->most)
        return; /* a gap: no work */
    for (int i = 0; i < plan->records; i++)
        world_convert(world, clock, from + (to - from) * world_random(world), errors);
}

/* Adds to `errors` what one run shows. */
static void simulate(struct device_world *world, const struct plan *plan, struct world_errors *errors)
{
    struct omptape_device_clock *clock = new_clock();
    struct times *times = calloc(1, sizeof(*times));
    assert_non_null(times);
    plan_anchors(world, plan, times);
    for (size_t i = 0; i < times->count; i++) {
        assert_int_equal(world_anchor(world, times->at[i], clock), 0);
        if (plan->online && i > 0)
            convert_between(world, clock, plan, times->at[i - 1], times->at[i], errors);
    }
    for (size_t i = 1; i < times->count && !plan->online; i++)
        convert_between(world, clock, plan, times->at[i - 1], times->at[i], errors);
    omptape_device_clock_free(clock);
    free(times);
}

/* The promise: 99 % within a microsecond, none beyond its bound, no bound of more than `most` seconds. */
static void assert_promise(struct world_errors *errors, const char *what, double most)
{
    double share = world_quantile(errors, 0.99);
    size_t beyond = errors->beyond;
    double bound = errors->bound_max;
    world_report(errors, what);
    assert_true(share <= 1e-6);
    assert_true(beyond == 0);
    assert_true(bound <= most);
}

static void hold_promise(struct device_world world, const struct plan *plan, const char *what, double most)
{
    struct world_errors errors = {.count = 0};
    for (int run = 0; run < 8; run++)
        simulate(&world, plan, &errors);
    assert_promise(&errors, what, most);
}

static void test_rate_that_swings(void **state)
{
    (void)state;
    hold_promise(device_world(1), &steady_work, "swing, normal jitter", 5e-6);
    struct device_world uniform = device_world(2);
    uniform.normal = false;
    hold_promise(uniform, &steady_work, "swing, uniform jitter", 4e-6);
    struct device_world slow = device_world(3);
    slow.period = 60;
    hold_promise(slow, &steady_work, "slow swing", 5e-6);
    struct device_world fast = device_world(4);
    fast.period = 1;
    hold_promise(fast, &steady_work, "fast swing", 5e-6);
}

static void test_rate_that_ramps(void **state)
{
    (void)state;
    struct device_world world = device_world(5);
    world.drift = RAMP;
    hold_promise(world, &steady_work, "ramp, normal jitter", 5e-6);
    world.drift = ZIGZAG;
    hold_promise(world, &steady_work, "zigzag, normal jitter", 5e-6);
    world.normal = false;
    hold_promise(world, &steady_work, "zigzag, uniform jitter", 4e-6);
    world.drift = STEADY;
    world.jitter = 0;
    hold_promise(world, &steady_work, "steady, no jitter", 4e-6);
}

static void test_records_converted_as_the_run_goes_on(void **state)
{
    (void)state;
    struct plan plan = steady_work;
    plan.online = true;
    hold_promise(device_world(6), &plan, "online, swing", 8e-6);
    struct device_world world = device_world(7);
    world.drift = ZIGZAG;
    world.normal = false;
    hold_promise(world, &plan, "online, zigzag", 8e-6);
}

static void test_gaps_of_seconds(void **state)
{
    (void)state;
    struct plan plan = {.seconds = 120, .least = 0.1, .most = 0.25, .burst = 0.6, .gap = 6, .records = 50};
    hold_promise(device_world(8), &plan, "gaps, swing", 12e-6);
    struct device_world world = device_world(9);
    world.drift = RAMP;
    hold_promise(world, &plan, "gaps, ramp", 12e-6);
    world.drift = ZIGZAG;
    world.normal = false;
    hold_promise(world, &plan, "gaps, zigzag", 12e-6);
    plan.online = true;
    hold_promise(world, &plan, "gaps, zigzag, online", 20e-6);
}

static void test_short_bursts(void **state)
{
    (void)state;
    struct plan plan = {.seconds = 300, .least = 0.2, .most = 0.25, .burst = 0.15, .gap = 4, .records = 50};
    hold_promise(device_world(22), &plan, "bursts of two anchors, swing", 8e-6);
    struct device_world world = device_world(23);
    world.drift = ZIGZAG;
    world.normal = false;
    hold_promise(world, &plan, "bursts of two anchors, zigzag", 8e-6);
}

static void test_bound_grows_in_a_gap(void **state)
{
    (void)state;
    struct device_world world = device_world(10);
    struct omptape_device_clock *clock = new_clock();
    for (double t = 0; t < 2; t += 0.1)
        (void)world_anchor(&world, t, clock);
    for (double t = 12; t < 14; t += 0.1)
        (void)world_anchor(&world, t, clock);
    uint64_t host;
    uint64_t before = 0;
    uint64_t bound = 0;
    for (double t = 2; t < 7; t += 0.5) {
        assert_int_equal(
            omptape_device_clock_convert(clock, world_device(&world, t), UINT64_MAX, &host, &bound), 0);
        assert_true(bound >= before);
        before = bound;
    }
    assert_true((double)bound / HOST_RATE < 200e-6);
    struct world_errors errors = {.count = 0};
    for (double t = -20; t < 40; t += 0.01)
        world_convert(&world, clock, t, &errors);
    assert_true(errors.beyond == 0);
    world_report(&errors, "gap of 10 s and 20 s beyond each end");
    omptape_device_clock_free(clock);
}

static void test_single_readings(void **state)
{
    (void)state;
    struct device_world world = device_world(11);
    world.readings = 1;
    struct plan plan = steady_work;
    plan.least = 0.02;
    plan.most = 0.05;
    plan.seconds = 20;
    hold_promise(world, &plan, "one reading an anchor, 20 to 50 ms", 8e-6);
}

static void test_units_and_grains(void **state)
{
    (void)state;
    struct device_world amd = device_world(12);
    amd.device_rate = 1e8;
    amd.offset = 12345;
    hold_promise(amd, &steady_work, "100 MHz", 5e-6);
    struct device_world crystal = device_world(13);
    crystal.device_rate = 19.2e6;
    crystal.offset = UINT64_MAX - 12345678;
    hold_promise(crystal, &steady_work, "19.2 MHz that wraps", 5e-6);
    struct device_world coarse = device_world(14);
    coarse.granule = 1000;
    coarse.normal = false;
    hold_promise(coarse, &steady_work, "grain of 1 us", 7e-6);
    struct device_world fine = device_world(15);
    fine.device_rate = 2.7e11;
    fine.offset = UINT64_C(1) << 63;
    hold_promise(fine, &steady_work, "270 GHz", 5e-6);
}

static void test_preempted_anchors_do_no_harm(void **state)
{
    (void)state;
    struct device_world world = device_world(16);
    world.preempted = 0.2;
    hold_promise(world, &steady_work, "a fifth of the readings preempted", 8e-6);
    world.bracket = 2e-6;
    world.preempted = 0.01;
    world.jitter = 0.2e-6;
    hold_promise(world, &steady_work, "brackets of 2 us", 8e-6);
}

/* The device is always read at the end of the bracket: no reading shows it, so the bound must be wide enough.
 */
static void test_brackets_that_lean(void **state)
{
    (void)state;
    struct device_world world = device_world(24);
    world.jitter = 0;
    world.bracket = 6e-6;
    world.leans = true;
    struct world_errors errors = {.count = 0};
    for (int run = 0; run < 4; run++)
        simulate(&world, &steady_work, &errors);
    assert_true(errors.beyond == 0);
    assert_true(world_quantile(&errors, 0.5) > 2e-6); /* half a bracket, nearly */
    assert_true(errors.bound_max < 12e-6);
    world_report(&errors, "brackets of 6 us that lean");
}

static void test_more_jitter_makes_a_greater_bound(void **state)
{
    (void)state;
    double bounds[3];
    for (int i = 0; i < 3; i++) {
        struct device_world world = device_world(17);
        world.jitter = 1e-6 * pow(10, i);
        struct world_errors errors = {.count = 0};
        simulate(&world, &steady_work, &errors);
        bounds[i] = errors.bound_max;
        assert_true(errors.beyond == 0);
        world_report(&errors, i == 0 ? "jitter 1 us" : i == 1 ? "jitter 10 us" : "jitter 100 us");
    }
    assert_true(bounds[1] > bounds[0] && bounds[2] > bounds[1]);
    assert_true(bounds[2] < 500e-6);
}

/* The scatter within an anchor does not show these: what shows them is that anchors differ. */
static void test_errors_that_readings_share(void **state)
{
    (void)state;
    struct device_world world = device_world(25);
    struct world_errors errors = {.count = 0};
    world.common = 10e-6;
    for (int run = 0; run < 4; run++)
        simulate(&world, &steady_work, &errors);
    assert_true(errors.beyond == 0);
    assert_true(errors.bound_max < 60e-6);
    world_report(&errors, "10 us in common");
    world.common = 0;
    world.jitter = 0;
    world.granule = 50000;
    for (int run = 0; run < 4; run++)
        simulate(&world, &steady_work, &errors);
    assert_true(errors.beyond == 0);
    assert_true(errors.bound_max > 50e-6 && errors.bound_max < 250e-6);
    world_report(&errors, "grain of 50 us");
}

static void test_faster_drift_than_foreseen(void **state)
{
    (void)state;
    struct device_world world = device_world(18);
    world.bend = 200;
    world.period = 3;
    struct world_errors errors = {.count = 0};
    for (int run = 0; run < 4; run++)
        simulate(&world, &steady_work, &errors);
    assert_true(errors.beyond == 0);
    world_report(&errors, "200 ppm/s");
}

/* Anchors whose errors are much greater than the readings of one anchor show, or hidden by long pauses. */
static void test_bounds_hold_where_anchors_are_bad(void **state)
{
    (void)state;
    struct device_world worlds[] = {device_world(26), device_world(27), device_world(28)};
    const struct plan plans[] = {
        steady_work, steady_work, {.seconds = 400, .least = 2, .most = 4, .records = 20}};
    worlds[0].common = 100e-6;
    worlds[1].readings = 1;
    worlds[1].jitter = 20e-6;
    worlds[2].common = 10e-6;
    for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
        struct world_errors errors = {.count = 0};
        for (int run = 0; run < 4; run++)
            simulate(&worlds[i], &plans[i], &errors);
        assert_true(errors.beyond == 0);
        assert_true(errors.bound_max < 1e-3);
        world_report(&errors, i == 0 ? "100 us in common" : i == 1 ? "one loud reading" : "seconds apart");
    }
}

/* The only reading of the first and of the last anchor was interrupted: their neighbours know better. */
static void test_wide_brackets_at_both_ends(void **state)
{
    (void)state;
    struct device_world world = device_world(29);
    struct omptape_device_clock *clock = new_clock();
    for (int i = 0; i <= 20; i++) {
        struct omptape_device_reading readings[8];
        (void)world_read(&world, i * 0.1, readings);
        if (i % 20 == 0)
            readings[0].after += (uint64_t)(440e-6 * HOST_RATE);
        assert_int_equal(omptape_device_clock_add(clock, readings, i % 20 == 0 ? 1 : 8), 0);
    }
    struct world_errors errors = {.count = 0};
    for (double t = 0; t < 2; t += 0.001)
        world_convert(&world, clock, t, &errors);
    assert_promise(&errors, "wide brackets at both ends", 20e-6);
    omptape_device_clock_free(clock);
}

/* A short run: the second of two anchors was interrupted, and shows the rate badly. */
static void test_interrupted_end_of_a_short_run(void **state)
{
    (void)state;
    struct device_world world = device_world(31);
    struct omptape_device_clock *clock = new_clock();
    struct omptape_device_reading readings[8];
    assert_int_equal(world_anchor(&world, 0, clock), 0);
    (void)world_read(&world, 0.1, readings);
    readings[0].after += (uint64_t)(440e-6 * HOST_RATE);
    assert_int_equal(omptape_device_clock_add(clock, readings, 1), 0);
    struct world_errors errors = {.count = 0};
    for (double t = 0.019; t < 0.021; t += 1e-5)
        world_convert(&world, clock, t, &errors);
    assert_true(world_quantile(&errors, 1) < 5e-6);
    assert_true(errors.beyond == 0 && errors.bound_max < 50e-6);
    world_report(&errors, "interrupted at the end");
    omptape_device_clock_free(clock);
}

static void test_summary_tells_the_clock(void **state)
{
    (void)state;
    struct device_world world = device_world(19);
    world.drift = RAMP;
    struct omptape_device_clock *clock = new_clock();
    for (double t = 0; t < 20; t += 0.15)
        (void)world_anchor(&world, t, clock);
    struct world_errors errors = {.count = 0};
    for (double t = 0; t < 20; t += 0.01)
        world_convert(&world, clock, t, &errors);
    struct omptape_device_clock_summary summary;
    omptape_device_clock_summarise(clock, &summary);
    assert_int_equal(summary.source, OMPTAPE_DEVICE_CLOCK_TIME);
    assert_string_equal(omptape_device_clock_source_name(summary.source), "device time");
    assert_int_equal(summary.fit.anchors, 134);
    assert_int_equal(summary.fit.rejected, 0);
    assert_int_equal(summary.fit.segments, 133);
    assert_int_equal(summary.fit.eras, 1);
    assert_true(summary.fit.rate_measured);
    assert_true(fabs(summary.fit.nominal_rate - 1e9) < 1);
    assert_true(fabs(summary.fit.drift - 100) < 2);
    assert_true(summary.fit.residual > 0 && summary.fit.residual / HOST_RATE < 1e-6);
    assert_int_equal(summary.converted, errors.count);
    assert_true(fabs((double)summary.bound_max / HOST_RATE - errors.bound_max) < 1e-9);
    double offset = (double)world.offset / 1e9 - world_host(0) / HOST_RATE;
    assert_true(fabs(summary.offset - offset) < 1e-5);
    assert_false(summary.disagree);
    world_report(&errors, "ramp of 20 s");
    printf("drift %.2f ppm, residual %.3f us\n", summary.fit.drift, summary.fit.residual / HOST_RATE * 1e6);
    omptape_device_clock_free(clock);
}

/* What ompt_translate_time makes of a device time; `slope_ppm`: its own error. */
static void add_translated(struct device_world *world, struct omptape_device_clock *clock, double seconds,
                           double slope_ppm)
{
    double wtime = world_wtime(world, seconds + seconds * slope_ppm * 1e-6);
    assert_int_equal(omptape_device_clock_add_translated(clock, world_device(world, seconds), wtime), 0);
}

static void add_wtime(struct device_world *world, struct omptape_device_clock *clock, double seconds)
{
    struct omptape_wtime_reading readings[8];
    world_read_wtime(world, seconds, readings);
    assert_int_equal(omptape_device_clock_add_wtime(clock, readings, 8), 0);
}

static void translate_alone(double wtime_start, double most, const char *what)
{
    struct device_world world = device_world(20);
    world.wtime_start = wtime_start;
    struct omptape_device_clock *clock = new_clock();
    uint64_t host;
    uint64_t bound;
    for (double t = 0; t < 20; t += 0.1) {
        add_translated(&world, clock, t, 0);
        if (t == 0)
            assert_int_equal(omptape_device_clock_convert(clock, 1, UINT64_MAX, &host, &bound), -ENODATA);
        add_wtime(&world, clock, t + 0.01);
    }
    struct world_errors errors = {.count = 0};
    for (double t = 0; t < 20; t += 0.001)
        world_convert(&world, clock, t, &errors);
    struct omptape_device_clock_summary summary;
    omptape_device_clock_summarise(clock, &summary);
    assert_int_equal(summary.source, OMPTAPE_DEVICE_CLOCK_TRANSLATE);
    assert_string_equal(omptape_device_clock_source_name(summary.source), "translate_time");
    assert_int_equal(summary.compared, 0);
    assert_int_equal(summary.pairs, summary.fit.anchors);
    assert_int_equal(summary.wtimes, summary.pairs);
    assert_promise(&errors, what, most);
    omptape_device_clock_free(clock);
}

static void test_translate_time_alone(void **state)
{
    (void)state;
    translate_alone(12345.678, 20e-6, "translated, wtime since boot");
    translate_alone(1.7e9, 20e-6, "translated, wtime since 1970");
}

static void check_both(double slope_ppm, bool disagree)
{
    struct device_world world = device_world(21);
    struct omptape_device_clock *clock = new_clock();
    for (double t = 0; t < 20; t += 0.1) {
        assert_int_equal(world_anchor(&world, t, clock), 0);
        add_wtime(&world, clock, t + 0.01);
        add_translated(&world, clock, t + 0.02, slope_ppm);
    }
    struct omptape_device_clock_summary summary;
    omptape_device_clock_summarise(clock, &summary);
    printf("both ways, %.0f ppm apart: %.3f us of %.3f us allowed\n", slope_ppm,
           summary.disagreement / HOST_RATE * 1e6, summary.allowed / HOST_RATE * 1e6);
    assert_int_equal(summary.source, OMPTAPE_DEVICE_CLOCK_TIME);
    assert_true(summary.compared > 100);
    assert_int_equal(summary.disagree, disagree);
    assert_int_equal(summary.disagreement > summary.allowed, disagree);
    struct world_errors errors = {.count = 0};
    for (double t = 0; t < 19.8; t += 0.01)
        world_convert(&world, clock, t, &errors);
    assert_promise(&errors, "with translated times beside", 5e-6);
    omptape_device_clock_free(clock);
}

static void test_both_ways_are_compared(void **state)
{
    (void)state;
    check_both(0, false);
    check_both(20, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate_that_swings),
        cmocka_unit_test(test_rate_that_ramps),
        cmocka_unit_test(test_records_converted_as_the_run_goes_on),
        cmocka_unit_test(test_gaps_of_seconds),
        cmocka_unit_test(test_short_bursts),
        cmocka_unit_test(test_bound_grows_in_a_gap),
        cmocka_unit_test(test_single_readings),
        cmocka_unit_test(test_units_and_grains),
        cmocka_unit_test(test_preempted_anchors_do_no_harm),
        cmocka_unit_test(test_brackets_that_lean),
        cmocka_unit_test(test_more_jitter_makes_a_greater_bound),
        cmocka_unit_test(test_errors_that_readings_share),
        cmocka_unit_test(test_faster_drift_than_foreseen),
        cmocka_unit_test(test_bounds_hold_where_anchors_are_bad),
        cmocka_unit_test(test_wide_brackets_at_both_ends),
        cmocka_unit_test(test_interrupted_end_of_a_short_run),
        cmocka_unit_test(test_summary_tells_the_clock),
        cmocka_unit_test(test_translate_time_alone),
        cmocka_unit_test(test_both_ways_are_compared),
    };
    return cmocka_run_group_tests_name("device_clock", tests, NULL, NULL);
}
