/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of a device's clock that is set, stands, wraps or lies, and of many or few anchors. Run by CTest
 * as unit.device_fit.
 */
#include "tests/unit/devices/device_world.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static struct omptape_device_clock *new_clock(double device_rate)
{
    struct omptape_device_clock *clock = omptape_device_clock_create(HOST_RATE, device_rate);
    assert_non_null(clock);
    return clock;
}

static void add_anchors(struct device_world *world, struct omptape_device_clock *clock, double from,
                        double until)
{
    for (double t = from; t < until; t += 0.05 + 0.1 * world_random(world))
        assert_int_equal(world_anchor(world, t, clock), 0);
}

static void convert_all(struct device_world *world, struct omptape_device_clock *clock, double from,
                        double until, struct world_errors *errors)
{
    for (double t = from; t < until; t += 0.001)
        world_convert(world, clock, t, errors);
}

static struct omptape_device_clock_summary summary_of(struct omptape_device_clock *clock)
{
    struct omptape_device_clock_summary summary;
    omptape_device_clock_summarise(clock, &summary);
    return summary;
}

static void assert_good(struct world_errors *errors, const char *what)
{
    double share = world_quantile(errors, 0.99);
    size_t beyond = errors->beyond;
    world_report(errors, what);
    assert_true(share <= 1e-6);
    assert_true(beyond == 0);
}

static void test_nothing_to_go_by(void **state)
{
    (void)state;
    struct omptape_device_clock *clock = new_clock(0);
    uint64_t host = 7;
    uint64_t bound = 7;
    assert_int_equal(omptape_device_clock_convert(clock, 1000, UINT64_MAX, &host, &bound), -ENODATA);
    assert_int_equal(omptape_device_clock_add(clock, NULL, 0), -EINVAL);
    assert_int_equal(omptape_device_clock_convert(clock, 1000, UINT64_MAX, &host, &bound), -ENODATA);
    assert_int_equal(host, 7);
    assert_int_equal(bound, 7);
    struct omptape_device_clock_summary summary = summary_of(clock);
    assert_int_equal(summary.source, OMPTAPE_DEVICE_CLOCK_NONE);
    assert_string_equal(omptape_device_clock_source_name(summary.source), "none");
    assert_int_equal(summary.fit.anchors, 1);
    assert_int_equal(summary.fit.rejected, 1);
    assert_int_equal(summary.converted, 0);
    omptape_device_clock_free(clock);
    omptape_device_clock_free(NULL);
}

static void test_one_anchor_takes_the_nominal_rate(void **state)
{
    (void)state;
    struct device_world world = device_world(1);
    for (int told = 0; told < 2; told++) {
        struct omptape_device_clock *clock = new_clock(told ? world.device_rate : 0);
        assert_int_equal(world_anchor(&world, 1, clock), 0);
        struct world_errors errors = {.count = 0};
        convert_all(&world, clock, 0, 2, &errors);
        assert_true(errors.beyond == 0);
        assert_true(errors.bound_max > (told ? 100e-6 : 0.5));
        assert_true(errors.bound_max < (told ? 3e-3 : 10));
        assert_false(summary_of(clock).fit.rate_measured);
        world_report(&errors, told ? "one anchor, rate told" : "one anchor, rate guessed");
        omptape_device_clock_free(clock);
    }
}

static void test_two_anchors_show_the_rate(void **state)
{
    (void)state;
    static const double spans[] = {0.0005, 0.01, 1, 30};
    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        struct device_world world = device_world(2 + i);
        world.device_rate = 1e8;
        struct omptape_device_clock *clock = new_clock(0);
        assert_int_equal(world_anchor(&world, 0, clock), 0);
        assert_int_equal(world_anchor(&world, spans[i], clock), 0);
        struct world_errors errors = {.count = 0};
        for (double t = -0.5; t < 1.5; t += 0.001)
            world_convert(&world, clock, t * spans[i], &errors);
        printf("two anchors %g s apart; ", spans[i]);
        assert_true(errors.beyond == 0);
        assert_true(errors.bound_max < 100e-6 + 1e-4 * spans[i] * spans[i]);
        world_report(&errors, "half as far beyond");
        assert_true(summary_of(clock).fit.rate_measured);
        omptape_device_clock_free(clock);
    }
}

/* Sets the clock to another time after `first` seconds. Both parts must be converted well. */
static void check_set(int64_t by, uint64_t offset, const char *what)
{
    struct device_world world = device_world(7);
    world.offset = offset;
    struct device_world later = world;
    later.offset += (uint64_t)by;
    struct omptape_device_clock *clock = new_clock(0);
    add_anchors(&world, clock, 0, 10);
    add_anchors(&later, clock, 10.1, 20);
    struct world_errors errors = {.count = 0};
    convert_all(&world, clock, 0, 9.9, &errors);
    convert_all(&later, clock, 10.2, 20, &errors);
    struct omptape_device_clock_summary summary = summary_of(clock);
    assert_int_equal(summary.fit.eras, 2);
    assert_int_equal(summary.fit.rejected, 0);
    assert_good(&errors, what);
    omptape_device_clock_free(clock);
}

static void test_clock_that_is_set(void **state)
{
    (void)state;
    const int64_t second = INT64_C(1000000000);
    check_set(-5 * second, UINT64_C(1700000000000000000), "set back by 5 s");
    check_set(-second / 1000, UINT64_C(1700000000000000000), "set back by 1 ms");
    check_set(second / 500, 12345, "set forward by 2 ms");
    check_set(1000000 * second, 12345, "set forward by days");
    check_set(-9 * second, 12345, "reset to nearly 0");
    check_set(-1700000009 * second, UINT64_C(1700000000000000000), "reset from the epoch");
}

static void test_small_leap_stays_in_the_bound(void **state)
{
    (void)state;
    struct device_world world = device_world(8);
    struct device_world later = world;
    later.offset += 20000;
    struct omptape_device_clock *clock = new_clock(0);
    add_anchors(&world, clock, 0, 10);
    add_anchors(&later, clock, 10.1, 20);
    struct world_errors errors = {.count = 0};
    convert_all(&world, clock, 0, 9.8, &errors);
    convert_all(&later, clock, 10.3, 20, &errors);
    assert_int_equal(summary_of(clock).fit.eras, 1);
    assert_good(&errors, "leap of 20 us");
    omptape_device_clock_free(clock);
}

static void test_clock_that_stands_for_a_while(void **state)
{
    (void)state;
    struct device_world world = device_world(9);
    struct device_world stopped = world;
    stopped.device_rate = 1e-9;
    stopped.offset = world_device(&world, 10);
    struct device_world later = world;
    later.offset -= UINT64_C(5000000000);
    struct omptape_device_clock *clock = new_clock(0);
    add_anchors(&world, clock, 0, 9.99);
    add_anchors(&stopped, clock, 10, 15);
    add_anchors(&later, clock, 15, 25);
    struct world_errors errors = {.count = 0};
    convert_all(&world, clock, 0, 9.9, &errors);
    convert_all(&later, clock, 15.1, 25, &errors);
    struct omptape_device_clock_summary summary = summary_of(clock);
    assert_int_equal(summary.fit.eras, 2);
    assert_true(summary.fit.rejected > 30);
    assert_good(&errors, "stood for 5 s");
    omptape_device_clock_free(clock);
}

static void test_times_of_32_bits(void **state)
{
    (void)state;
    struct device_world world = device_world(10);
    world.device_rate = 1e9;
    world.offset = 4000000000U;
    struct omptape_device_clock *clock = new_clock(0);
    struct omptape_device_reading readings[8];
    for (double t = 0; t < 20; t += 0.1) {
        (void)world_read(&world, t, readings);
        for (int i = 0; i < 8; i++)
            readings[i].device &= UINT32_MAX;
        assert_int_equal(omptape_device_clock_add(clock, readings, 8), 0);
    }
    size_t bad = 0;
    for (double t = 0; t < 19.9; t += 0.001) {
        uint64_t host = 0;
        uint64_t bound = 0;
        uint64_t limit = (uint64_t)world_host(t + 0.1);
        uint64_t device = world_device(&world, t) & UINT32_MAX;
        assert_int_equal(omptape_device_clock_convert(clock, device, limit, &host, &bound), 0);
        double error = fabs((double)host - world_host(t));
        assert_true(error <= (double)bound);
        bad += error > 1e-6 * HOST_RATE;
    }
    assert_true(bad <= 199);
    assert_int_equal(summary_of(clock).fit.eras, 6);
    omptape_device_clock_free(clock);
}

static void test_clock_that_never_goes(void **state)
{
    (void)state;
    static const uint64_t constants[] = {0, 1, 4711, UINT64_C(1700000000000000000), UINT64_MAX};
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
        struct omptape_device_clock *clock = new_clock(0);
        for (uint64_t k = 0; k < 1000; k++) {
            struct omptape_device_reading reading = {k * 240000000, constants[i], k * 240000000 + 200};
            int error = omptape_device_clock_add(clock, &reading, 1);
            assert_int_equal(error, constants[i] == 0 || constants[i] == UINT64_MAX ? -EINVAL : 0);
        }
        uint64_t host;
        uint64_t bound;
        assert_int_equal(omptape_device_clock_convert(clock, constants[i], UINT64_MAX, &host, &bound),
                         -ENODATA);
        struct omptape_device_clock_summary summary = summary_of(clock);
        assert_int_equal(summary.source, OMPTAPE_DEVICE_CLOCK_NONE);
        assert_int_equal(summary.fit.rejected, 1000);
        omptape_device_clock_free(clock);
    }
}

static void test_lies_among_the_anchors(void **state)
{
    (void)state;
    struct device_world world = device_world(11);
    struct omptape_device_clock *clock = new_clock(0);
    uint64_t lies = 0;
    for (double t = 0; t < 20; t += 0.1) {
        struct omptape_device_reading readings[8];
        (void)world_read(&world, t, readings);
        bool lie = world_random(&world) < 0.15;
        uint64_t wrong = (uint64_t)(world_random(&world) * 0x1p64);
        for (int i = 0; lie && i < 8; i++)
            readings[i].device = lies % 3 == 0 ? readings[i].device + 50000 : wrong + (uint64_t)i;
        lies += lie;
        readings[3].device = 0;
        readings[4].after = readings[4].before - 5;
        assert_int_equal(omptape_device_clock_add(clock, readings, 8), 0);
    }
    struct world_errors errors = {.count = 0};
    convert_all(&world, clock, 0, 19.9, &errors);
    struct omptape_device_clock_summary summary = summary_of(clock);
    assert_true(lies > 10);
    assert_int_equal(summary.fit.rejected, lies);
    assert_good(&errors, "a lie in seven anchors");
    omptape_device_clock_free(clock);
}

/* Whatever comes, nothing breaks and order is kept between ascending device times near each other. */
static void test_hostile_values(void **state)
{
    (void)state;
    static const uint64_t edges[] = {
        0, 1, UINT32_MAX, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX};
    static const double wtimes[] = {0, -1, 1e-300, 1, 1e9, 1e300, INFINITY, -INFINITY, NAN};
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct device_world world = device_world(seed);
        struct omptape_device_clock *clock = new_clock(seed % 2 != 0 ? 1e9 : 0);
        for (int i = 0; i < 1000; i++) {
            struct omptape_device_reading readings[9];
            struct omptape_wtime_reading wtime;
            for (int k = 0; k < 9; k++) {
                uint64_t pick = (uint64_t)(world_random(&world) * 14);
                readings[k].before = pick < 7 ? edges[pick] : (uint64_t)(world_random(&world) * 1e12);
                readings[k].after = readings[k].before + (uint64_t)(world_random(&world) * 1000);
                pick = (uint64_t)(world_random(&world) * 14);
                readings[k].device = pick < 7 ? edges[pick] : (uint64_t)(world_random(&world) * 0x1p64);
            }
            (void)omptape_device_clock_add(clock, readings, (size_t)(world_random(&world) * 10));
            wtime.before = readings[0].before;
            wtime.after = readings[0].after;
            wtime.wtime = wtimes[(size_t)(world_random(&world) * 9)];
            (void)omptape_device_clock_add_wtime(clock, &wtime, 1);
            (void)omptape_device_clock_add_translated(clock, readings[1].device,
                                                      wtimes[(size_t)(world_random(&world) * 9)]);
            if (i % 20 != 0)
                continue; /* after new anchors a conversion fits anew, which takes long */
            uint64_t host;
            uint64_t bound;
            int error = omptape_device_clock_convert(clock, readings[2].device, UINT64_MAX, &host, &bound);
            assert_true(error == 0 || error == -ENODATA);
        }
        struct omptape_device_clock_summary summary = summary_of(clock);
        assert_true(summary.fit.rejected <= summary.fit.anchors);
        assert_false(isnan(summary.fit.drift) || isnan(summary.fit.residual) || isnan(summary.offset));
        omptape_device_clock_free(clock);
    }
}

static void test_order_is_kept(void **state)
{
    (void)state;
    static const double rates[] = {1e6, 1e8, 1e9, 3e11};
    for (size_t i = 0; i < 4; i++) {
        struct device_world world = device_world(20 + i);
        world.device_rate = rates[i];
        world.jitter = i == 3 ? 50e-6 : 1e-6;
        struct omptape_device_clock *clock = new_clock(0);
        for (double t = 0; t < 20; t += 0.0005 + 0.3 * pow(world_random(&world), 8))
            assert_int_equal(world_anchor(&world, t, clock), 0);
        uint64_t before = 0;
        uint64_t host;
        uint64_t bound;
        uint64_t from = world_device(&world, -1);
        uint64_t until = world_device(&world, 22);
        for (uint64_t device = from; device < until; device += (until - from) / 200000 + 1) {
            for (uint64_t k = 0; k < 3; k++) {
                assert_int_equal(omptape_device_clock_convert(clock, device + k, UINT64_MAX, &host, &bound),
                                 0);
                assert_true(host >= before);
                before = host;
            }
        }
        assert_int_equal(omptape_device_clock_convert(clock, UINT64_MAX, UINT64_MAX, &host, &bound), 0);
        assert_true(host >= before);
        assert_int_equal(omptape_device_clock_convert(clock, 0, UINT64_MAX, &before, &bound), 0);
        assert_true(host >= before);
        omptape_device_clock_free(clock);
    }
}

/* Here the cubic with the slopes of both ends would go back. */
static void test_order_is_kept_in_a_leap(void **state)
{
    (void)state;
    struct device_world world = device_world(26);
    world.jitter = 0;
    struct device_world later = world;
    later.offset += 190000;
    struct omptape_device_clock *clock = new_clock(0);
    add_anchors(&world, clock, 0, 1);
    assert_int_equal(world_anchor(&world, 1.2, clock), 0);
    assert_int_equal(world_anchor(&later, 1.20006, clock), 0);
    add_anchors(&later, clock, 1.3, 2);
    uint64_t before = 0;
    uint64_t host;
    uint64_t bound;
    for (uint64_t device = world_device(&world, 1.1999); device < world_device(&later, 1.2002);
         device += 10) {
        assert_int_equal(omptape_device_clock_convert(clock, device, UINT64_MAX, &host, &bound), 0);
        assert_true(host >= before);
        before = host;
    }
    assert_int_equal(summary_of(clock).fit.eras, 1);
    omptape_device_clock_free(clock);
}

static void test_anchors_in_any_order(void **state)
{
    (void)state;
    enum { ANCHORS = 300 };
    struct device_world world = device_world(30);
    struct omptape_device_reading readings[ANCHORS][8];
    for (int i = 0; i < ANCHORS; i++)
        (void)world_read(&world, i * 0.1, readings[i]);
    struct omptape_device_clock *ordered = new_clock(0);
    struct omptape_device_clock *shuffled = new_clock(0);
    uint64_t host;
    uint64_t bound;
    uint64_t other;
    uint64_t other_bound;
    for (int i = 0; i < ANCHORS; i++)
        assert_int_equal(omptape_device_clock_add(ordered, readings[i], 8), 0);
    for (int i = ANCHORS - 1; i >= 0; i--) {
        /* 7 and 300 have no common factor: each comes once. */
        assert_int_equal(omptape_device_clock_add(shuffled, readings[i * 7 % ANCHORS], 8), 0);
        (void)omptape_device_clock_convert(shuffled, world_device(&world, i * 0.1), UINT64_MAX, &host,
                                           &bound);
    }
    double most = 0;
    for (double t = 0; t < 29.9; t += 0.01) {
        uint64_t device = world_device(&world, t);
        assert_int_equal(omptape_device_clock_convert(ordered, device, UINT64_MAX, &host, &bound), 0);
        assert_int_equal(omptape_device_clock_convert(shuffled, device, UINT64_MAX, &other, &other_bound), 0);
        most = fmax(most, fabs((double)(int64_t)(host - other)) / HOST_RATE);
    }
    printf("any order: at most %.3f us apart\n", most * 1e6);
    assert_true(most < 0.1e-6);
    struct world_errors errors = {.count = 0};
    convert_all(&world, shuffled, 0, 29.9, &errors);
    assert_good(&errors, "anchors in any order");
    omptape_device_clock_free(ordered);
    omptape_device_clock_free(shuffled);
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

enum { COUNT = 1000000 };

/* `count` anchors, `seconds` between two. */
static void many_anchors(int count, double seconds, const char *what)
{
    struct device_world world = device_world(40);
    world.drift = ZIGZAG;
    world.period = 20;
    struct omptape_device_clock *clock = new_clock(0);
    uint64_t host;
    uint64_t bound;
    double start = processor_seconds();
    struct world_errors recent = {.count = 0};
    for (int i = 0; i < count; i++) {
        struct omptape_device_reading readings[8];
        (void)world_read(&world, i * seconds, readings);
        assert_int_equal(omptape_device_clock_add(clock, readings, 8), 0);
        if (i % 1000 == 999)
            world_convert(&world, clock, (i - world_random(&world)) * seconds, &recent);
    }
    double spent = processor_seconds() - start;
    double end = (count - 1) * seconds;
    uint64_t device = world_device(&world, 0);
    uint64_t all = world_device(&world, end) - device;
    start = processor_seconds();
    for (uint64_t i = 0; i < COUNT; i++)
        assert_int_equal(omptape_device_clock_convert(clock, device + all / COUNT * (i * 7919 % COUNT),
                                                      UINT64_MAX, &host, &bound),
                         0);
    printf("anchors, each simulated, one in a thousand converted with: %.2f s; a million conversions here "
           "and there: %.3f s\n",
           spent, processor_seconds() - start);
    assert_true(processor_seconds() - start < (getenv("OMPTAPE_TEST_EMULATED") != NULL ? 20 : 2));
    assert_true(spent < (getenv("OMPTAPE_TEST_EMULATED") != NULL ? 300 : 30));
    struct world_errors errors = {.count = 0};
    for (int i = 0; i < 100000; i++)
        world_convert(&world, clock, end * world_random(&world), &errors);
    struct omptape_device_clock_summary summary = summary_of(clock);
    assert_true(summary.fit.segments < 8192);
    assert_int_equal(summary.fit.rejected, 0);
    assert_int_equal(summary.fit.anchors, count);
    printf("%s: ", what);
    assert_good(&recent, "as they come");
    assert_true(errors.beyond == 0);
    printf("%s: ", what);
    world_report(&errors, "old ones as well");
    omptape_device_clock_free(clock);
}

static void test_many_anchors(void **state)
{
    (void)state;
    many_anchors(COUNT / 10, 0.0002, "every 0.2 ms");
    many_anchors(COUNT / 5, 0.1, "every 100 ms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_to_go_by),
        cmocka_unit_test(test_one_anchor_takes_the_nominal_rate),
        cmocka_unit_test(test_two_anchors_show_the_rate),
        cmocka_unit_test(test_clock_that_is_set),
        cmocka_unit_test(test_small_leap_stays_in_the_bound),
        cmocka_unit_test(test_clock_that_stands_for_a_while),
        cmocka_unit_test(test_times_of_32_bits),
        cmocka_unit_test(test_clock_that_never_goes),
        cmocka_unit_test(test_lies_among_the_anchors),
        cmocka_unit_test(test_hostile_values),
        cmocka_unit_test(test_order_is_kept),
        cmocka_unit_test(test_order_is_kept_in_a_leap),
        cmocka_unit_test(test_anchors_in_any_order),
        cmocka_unit_test(test_many_anchors),
    };
    return cmocka_run_group_tests_name("device_fit", tests, NULL, NULL);
}
