/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order in which a profile's events reach the analysis (writers/profile/order.h), and how many wait.
 */
#include "writers/profile/order.h"

#include "writers/profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
// clang-format off
#include <cmocka.h>
// clang-format on

static struct omptape_tap_lane lanes[5];

static void add(struct omptape_order *order, uint64_t time, OTF2_LocationRef location, uint32_t ref)
{
    const struct omptape_tapped event = {.time = time, .lane = &lanes[location], .ref = ref};
    lanes[location].location = location;
    assert_true(omptape_order_add(order, &event));
}

static void expect(struct omptape_order *order, uint64_t until, uint64_t time, OTF2_LocationRef location,
                   uint32_t ref)
{
    const struct omptape_tapped *next = omptape_order_take(order, until);
    assert_non_null(next);
    assert_int_equal(next->time, time);
    assert_int_equal(next->lane->location, location);
    assert_int_equal(next->ref, ref);
}

/* By time; of equal times lower locations first, and each location's as they came. */
static void test_times_and_locations(void **state)
{
    (void)state;
    struct omptape_order order = {.list = NULL};
    add(&order, 10, 1, 0);
    add(&order, 12, 0, 1);
    add(&order, 12, 0, 2);
    add(&order, 11, 2, 3);
    add(&order, 12, 1, 4);
    add(&order, 12, 0, 5);
    add(&order, 10, 0, 6);
    expect(&order, 13, 10, 0, 6);
    expect(&order, 13, 10, 1, 0);
    expect(&order, 13, 11, 2, 3);
    expect(&order, 13, 12, 0, 1);
    expect(&order, 13, 12, 0, 2);
    expect(&order, 13, 12, 0, 5);
    expect(&order, 13, 12, 1, 4);
    assert_null(omptape_order_take(&order, 13));
    assert_int_equal(omptape_order_count(&order), 0);
    omptape_order_free(&order);
}

/* What is not passed yet waits; what comes late is counted and goes next. */
static void test_until(void **state)
{
    (void)state;
    struct omptape_order order = {.list = NULL};
    for (uint32_t i = 0; i < 10; i++)
        add(&order, 100 + i, 0, i);
    for (uint32_t i = 0; i < 4; i++)
        expect(&order, 104, 100 + i, 0, i);
    assert_null(omptape_order_take(&order, 104));
    assert_int_equal(omptape_order_count(&order), 6);
    assert_int_equal(order.late, 0);
    add(&order, 103, 1, 77);
    assert_int_equal(order.late, 1);
    expect(&order, 104, 103, 1, 77);
    assert_null(omptape_order_take(&order, 104));
    expect(&order, UINT64_MAX, 104, 0, 4);
    omptape_order_free(&order);
}

/* Many, with some that are far behind: nothing is lost, and the order is that of a sort. */
static void test_many(void **state)
{
    (void)state;
    enum { COUNT = 20000, BEHIND = 300 };
    struct omptape_order order = {.list = NULL};
    uint64_t passed = 0;
    uint64_t last_time = 0;
    uint64_t last_location = 0;
    uint32_t taken = 0;
    unsigned seed = 7;
    for (uint32_t i = 0; i < COUNT; i++) {
        seed = seed * 1103515245 + 12345;
        uint64_t now = BEHIND + i / 3;
        add(&order, now - (seed >> 16) % (i % 50 == 0 ? BEHIND : 2), (seed >> 8) % 5, i);
        if (i % 1000 != 999 && i + 1 < COUNT)
            continue;
        passed = i + 1 < COUNT ? now - BEHIND : UINT64_MAX;
        const struct omptape_tapped *next;
        while ((next = omptape_order_take(&order, passed)) != NULL) {
            assert_true(next->time > last_time ||
                        (next->time == last_time && next->lane->location >= last_location));
            last_time = next->time;
            last_location = next->lane->location;
            taken++;
        }
    }
    assert_int_equal(taken, COUNT);
    assert_int_equal(order.late, 0);
    omptape_order_free(&order);
}

/* Once the archive has an error nothing is analysed any more: the events of the rest of the run are dropped.
 */
static void test_after_an_error(void **state)
{
    (void)state;
    static struct omptape_writer writer;
    static unsigned char chunk[8];
    struct omptape_events events = {.chunk = chunk, .at = chunk, .end = chunk};
    assert_int_equal(omptape_profile_create(&writer), 0);
    omptape_archive_enter(&writer.archive, &events, 1, 0);
    assert_int_equal(omptape_profile_events(writer.profile), 1);
    snprintf(writer.archive.error, sizeof(writer.archive.error), "no space left");
    for (uint32_t i = 0; i < 100000; i++) {
        omptape_archive_enter(&writer.archive, &events, 2 + i, 0);
        if (omptape_profile_is_full(writer.profile))
            omptape_profile_advance(&writer, i);
    }
    assert_true(omptape_profile_events(writer.profile) < 5000);
    omptape_profile_free(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_and_locations),
        cmocka_unit_test(test_until),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_after_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
