/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the logical clock by which times are corrected: jumps, how they are held and fade, and what
 * is stretched before them; with exact numbers. Run by CTest as unit.unify_order.
 */
#include "src/unify/order/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { FADE = 8192, STRETCH = 1024 };

static void test_jump(void **state)
{
    struct omptape_order_clock clock = {.hold = 1000};
    (void)state;
    assert_int_equal(omptape_order_clock_at(&clock, 5), 0);
    assert_true(omptape_order_clock_need(&clock, 50000, 20));
    assert_int_equal(omptape_order_clock_at(&clock, 49999), 0);
    assert_int_equal(omptape_order_clock_at(&clock, 50000), 20);
    assert_int_equal(omptape_order_clock_at(&clock, 51000), 20);
    /* Then 1 in 8192 is lost. */
    assert_int_equal(omptape_order_clock_at(&clock, 51000 + FADE - 1), 20);
    assert_int_equal(omptape_order_clock_at(&clock, 51000 + FADE), 19);
    assert_int_equal(omptape_order_clock_at(&clock, 51000 + 19 * FADE), 1);
    assert_int_equal(omptape_order_clock_at(&clock, 51000 + 20 * FADE), 0);
    assert_int_equal(omptape_order_clock_end(&clock, 0), 51000 + 20 * FADE);
    free(clock.jumps);
}

/* Time never goes back: what is lost is less than what goes by. */
static void test_monotone(void **state)
{
    struct omptape_order_clock clock = {.hold = 10};
    uint64_t before = 0;
    (void)state;
    assert_true(omptape_order_clock_need(&clock, 1000, 7));
    assert_true(omptape_order_clock_need(&clock, 30000, 90));
    for (uint64_t time = 0; time < 900000; time++) {
        const uint64_t now = time + omptape_order_clock_at(&clock, time);
        assert_true(now >= before);
        before = now;
    }
    free(clock.jumps);
}

/* As long as the shift is needed it is held, without a jump for each time. */
static void test_held(void **state)
{
    struct omptape_order_clock clock = {.hold = 1000};
    (void)state;
    assert_true(omptape_order_clock_need(&clock, 5000, 20));
    for (uint64_t time = 5500; time < 900000; time += 900)
        assert_true(omptape_order_clock_need(&clock, time, 12));
    assert_int_equal(clock.count, 1);
    assert_int_equal(omptape_order_clock_at(&clock, 900000), 20);
    /* It fades, and is needed again: it stays what it is by then. */
    const uint64_t later = clock.jumps[0].held + 5 * FADE;
    assert_true(omptape_order_clock_need(&clock, later, 3));
    assert_int_equal(clock.count, 2);
    assert_int_equal(omptape_order_clock_at(&clock, later + 1000), 15);
    /* Two at one time are one. */
    assert_true(omptape_order_clock_need(&clock, later, 40));
    assert_int_equal(clock.count, 2);
    assert_int_equal(clock.jumps[1].before, 15);
    assert_int_equal(clock.jumps[1].after, 40);
    free(clock.jumps);
}

static void test_windows(void **state)
{
    struct omptape_order_clock clock = {.hold = 0};
    (void)state;
    assert_true(omptape_order_clock_need(&clock, 1000000, 100));
    assert_true(omptape_order_clock_need(&clock, 1001000, 150));
    assert_true(omptape_order_clock_need(&clock, 90000000, 10));
    omptape_order_clock_open_windows(&clock, 950000);
    assert_int_equal(clock.jumps[0].window, 50000);        /* to the beginning */
    assert_int_equal(clock.jumps[1].window, 1000);         /* to the jump before */
    assert_int_equal(clock.jumps[2].window, 10 * STRETCH); /* as long as it is wanted */
    /* Far enough away, or nothing that would be stretched too far. */
    omptape_order_clock_limit(&clock, 90000000 - 10 * STRETCH - 2, 0);
    omptape_order_clock_limit(&clock, 90000000 - 5000, 10);
    omptape_order_clock_limit(&clock, 90000001, 0);
    assert_int_equal(clock.jumps[2].window, 10 * STRETCH);
    /* 5002 before the jump not more than 4 of 10: 5000 = window * 0.6. */
    omptape_order_clock_limit(&clock, 90000000 - 5002, 4);
    assert_int_equal(clock.jumps[2].window, 8333);
    omptape_order_clock_limit(&clock, 90000000 - 3002, 0);
    assert_int_equal(clock.jumps[2].window, 3000);
    omptape_order_clock_limit(&clock, 90000000 - 1, 0);
    assert_int_equal(clock.jumps[2].window, 0);
    free(clock.jumps);
}

static void test_shift_at(void **state)
{
    struct omptape_order_point points[] = {{100, 0}, {200, 50}, {1000, 50}, {3000, 0}};
    const struct omptape_order_shifts shifts = {.points = points, .count = 4};
    const struct omptape_order_shifts none = {.count = 0};
    (void)state;
    assert_int_equal(omptape_order_shift_at(&shifts, 0), 0);
    assert_int_equal(omptape_order_shift_at(&shifts, 150), 25);
    assert_int_equal(omptape_order_shift_at(&shifts, 200), 50);
    assert_int_equal(omptape_order_shift_at(&shifts, 999), 50);
    assert_int_equal(omptape_order_shift_at(&shifts, 2000), 25);
    assert_int_equal(omptape_order_shift_at(&shifts, 3000), 0);
    assert_int_equal(omptape_order_shift_at(&shifts, 4000), 0);
    assert_int_equal(omptape_order_shift_at(&none, 4000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jump),    cmocka_unit_test(test_monotone), cmocka_unit_test(test_held),
        cmocka_unit_test(test_windows), cmocka_unit_test(test_shift_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
