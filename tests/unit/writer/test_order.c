/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order in which a profile's events reach the analysis (writers/profile/order.h), and how many wait. Also
 * when a profile ends early.
 */
#include "writers/profile/order.h"

#include "src/core/memory.h"
#include "tests/unit/translate/translate_script.h"
#include "writers/profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
// clang-format off
#include <cmocka.h>
// clang-format on

static void add(struct profile_order *order, uint64_t time, OTF2_LocationRef location, uint32_t ref)
{
    const struct archive_event event = {.time = time, .ref = ref};
    struct profile_order_lane *lane = profile_order_lane(order, location);
    assert_non_null(lane);
    assert_true(profile_order_add(order, lane, &event));
}

static void expect(struct profile_order *order, uint64_t time, OTF2_LocationRef location, uint32_t ref)
{
    const struct archive_event *next = profile_order_take(order);
    assert_non_null(next);
    assert_int_equal(next->time, time);
    assert_int_equal(order->heap[0]->location, location);
    assert_int_equal(next->ref, ref);
}

/* By time; of equal times lower locations first, and each location's as they came. */
static void test_times_and_locations(void **state)
{
    (void)state;
    struct profile_order order = {.heap = NULL};
    add(&order, 10, 1, 0);
    add(&order, 12, 0, 1);
    add(&order, 12, 0, 2);
    add(&order, 11, 2, 3);
    add(&order, 12, 1, 4);
    add(&order, 12, 0, 5);
    add(&order, 10, 3, 6);
    add(&order, 12, 3, 7);
    assert_true(profile_order_begin(&order, 13));
    expect(&order, 10, 1, 0);
    expect(&order, 10, 3, 6);
    expect(&order, 11, 2, 3);
    expect(&order, 12, 0, 1);
    expect(&order, 12, 0, 2);
    expect(&order, 12, 0, 5);
    expect(&order, 12, 1, 4);
    expect(&order, 12, 3, 7);
    assert_null(profile_order_take(&order));
    profile_order_end(&order);
    assert_int_equal(profile_order_waiting(&order), 0);
    profile_order_free(&order);
}

/* What is not passed yet waits; what comes late goes next. */
static void test_until(void **state)
{
    (void)state;
    struct profile_order order = {.heap = NULL};
    for (uint32_t i = 0; i < 10; i++)
        add(&order, 100 + i, 0, i);
    assert_true(profile_order_begin(&order, 104));
    for (uint32_t i = 0; i < 4; i++)
        expect(&order, 100 + i, 0, i);
    assert_null(profile_order_take(&order));
    profile_order_end(&order);
    assert_int_equal(profile_order_waiting(&order), 6);
    add(&order, 103, 1, 77);
    assert_true(profile_order_begin(&order, 104));
    expect(&order, 103, 1, 77);
    assert_null(profile_order_take(&order));
    profile_order_end(&order);
    assert_true(profile_order_begin(&order, UINT64_MAX));
    for (uint32_t i = 4; i < 10; i++)
        expect(&order, 100 + i, 0, i);
    assert_null(profile_order_take(&order));
    profile_order_end(&order);
    profile_order_free(&order);
}

/* A round: all in order. Returns how many. */
static uint32_t take_all(struct profile_order *order, uint64_t until, uint64_t last[2])
{
    const struct archive_event *next;
    uint32_t taken = 0;
    assert_true(profile_order_begin(order, until));
    for (; (next = profile_order_take(order)) != NULL; taken++) {
        assert_true(next->time < until);
        assert_true(next->time > last[0] || (next->time == last[0] && order->heap[0]->location >= last[1]));
        last[0] = next->time;
        last[1] = order->heap[0]->location;
    }
    profile_order_end(order);
    return taken;
}

/* Many of several locations, and some are far behind: nothing is lost, and the order equals a sort's. A round
 * is due long before all are there. */
static void test_many(void **state)
{
    (void)state;
    enum { COUNT = 20000, BEHIND = 300, LOCATIONS = 5 };
    struct profile_order order = {.heap = NULL};
    uint64_t newest[LOCATIONS] = {0};
    uint64_t last[2] = {0, 0};
    uint32_t taken = 0;
    uint32_t rounds = 0;
    unsigned seed = 7;
    for (uint32_t i = 0; i < COUNT; i++) {
        seed = seed * 1103515245 + 12345;
        const uint64_t now = BEHIND + i / 3;
        const uint32_t location = (seed >> 8) % LOCATIONS;
        const uint64_t time = now - (seed >> 16) % (location == 0 ? BEHIND : 2);
        newest[location] = time > newest[location] ? time : newest[location];
        add(&order, newest[location], location, i);
        if (!order.is_full)
            continue;
        assert_true(profile_order_waiting(&order) < 5000);
        taken += take_all(&order, now - BEHIND, last);
        rounds++;
    }
    taken += take_all(&order, UINT64_MAX, last);
    assert_int_equal(taken, COUNT);
    assert_true(rounds > 5);
    profile_order_free(&order);
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
    for (uint32_t i = 0; i < 100000; i++)
        omptape_archive_enter(&writer.archive, &events, 2 + i, 0);
    assert_true(omptape_profile_events(writer.profile) < 5000);
    omptape_profile_advance(&writer, 2);
    assert_int_equal(omptape_profile_events(writer.profile), 0);
    omptape_archive_enter(&writer.archive, &events, 200000, 0);
    assert_int_equal(omptape_profile_events(writer.profile), 0);
    omptape_profile_free(&writer);
}

/* An allocation that failed elsewhere in the writer does not end the profile. */
static void test_after_another_lack_of_memory(void **state)
{
    (void)state;
    struct omptape_writer *writer = &translate.writer;
    writer->timeline.second = 1000000000;
    assert_int_equal(omptape_profile_attach_sums(writer, 0), 0);
    put_initial_thread(10);
    for (uint64_t time = 20; time < 50; time += 10) {
        put_flush(0, time);
        omptape_out_of_memory = true;
        translate_pass();
        omptape_profile_advance(writer, time);
    }
    omptape_out_of_memory = true;
    assert_non_null(omptape_profile_end(writer));
    assert_false(omptape_out_of_memory);
    assert_true(omptape_profile_events(writer->sums) > 6);
    assert_string_equal(writer->archive.error, "");
    translate_finish_only(90);
    omptape_profile_free(writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_and_locations),
        cmocka_unit_test(test_until),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_after_an_error),
        cmocka_unit_test_setup_teardown(test_after_another_lack_of_memory, translate_open, translate_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
