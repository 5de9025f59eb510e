/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of processes with several initial threads (src/analysis/serial.c): locations 0 and 1 are such
 * threads. The team of comm 1 has all three threads, the team of comm 2 location 1 alone. Exact times. Run by
 * CTest on one thread; archives are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "tests/unit/analysis/analysis_fixture.h"

#include <string.h>

static void analyse(const char *events)
{
    analysis_fixture_make(&(struct make_plan){.events = events, .initial = 1U << 1});
}

static uint64_t serial(void)
{
    return analysis_fixture->processes[0].serial;
}

static bool warns_of(const char *words)
{
    for (uint32_t i = 0; i < analysis_fixture->warning_count; i++)
        if (strstr(analysis_fixture->warnings[i], words) != NULL)
            return true;
    return false;
}

/* The first thread computes for 1 ms and then joins the second, which computes in regions from 2 to 10 ms. */
#define FIRST_JOINS                                                                                          \
    "0 0 enter 0\n0 1000000 metric 0 1000000 1\n1 2000000 fork 1\n1 2000000 team 2\n1 2000000 enter 1\n"     \
    "1 6000000 leave 1\n1 6000000 endteam 2\n1 6000000 join\n1 8000000 metric 0 6000000 1\n"                 \
    "1 8000000 fork 1\n1 8000000 team 2\n1 8000000 enter 1\n1 10000000 leave 1\n1 10000000 endteam 2\n"      \
    "1 10000000 join\n1 10000000 metric 0 8000000 1\n0 11000000 metric 0 2000000 1\n0 11000000 leave 0\n"

/* Serial: the first thread until 1 ms, the second one from 6 to 8 ms, and a tenth of what is in no region
 * from 1 ms on in which the first one may be alone: it ran for 1 ms of 10. */
static void who_joins_does_not_compute(void **state)
{
    (void)state;
    analyse(FIRST_JOINS);
    assert_in_range(serial(), 1000000 + 9 * 200000 + 200000 - 1000, 1000000 + 9 * 200000 + 200000 + 1000);
    assert_in_range(analysis_fixture->processes[0].asleep_outside, 8999000, 9001000);
    assert_false(warns_of("is not known"));
    analysis_fixture_close();
}

/* Both compute all the time: nothing is serial, and two threads are at hand. */
static void two_that_compute_are_not_serial(void **state)
{
    (void)state;
    analyse("0 0 enter 0\n1 0 enter 4\n1 0 acquire 7 1\n1 100 release 7 1\n1 100 leave 4\n"
            "1 9999900 enter 4\n1 9999900 acquire 7 2\n1 10000000 release 7 2\n1 10000000 leave 4\n"
            "1 10000000 metric 0 10000000 1\n0 10000000 metric 0 10000000 1\n0 10000000 leave 0\n");
    assert_in_range(serial(), 0, 1000);
    assert_int_equal(2, analysis_fixture->threads);
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_SERIAL).gain);
    assert_true(analysis_fixture->efficiency.parallel > 0.99);
    analysis_fixture_close();
}

/* Of nobody the kernel told anything: none of them is said to have been alone. */
static void what_is_not_known_is_said(void **state)
{
    (void)state;
    analyse("0 0 enter 0\n1 0 fork 1\n1 0 team 2\n1 0 enter 1\n1 1000000 leave 1\n1 1000000 endteam 2\n"
            "1 1000000 join\n1 9000000 fork 1\n1 9000000 team 2\n1 9000000 enter 1\n1 9500000 leave 1\n"
            "1 9500000 endteam 2\n1 9500000 join\n0 9500000 leave 0\n");
    assert_int_equal(0, serial());
    assert_true(warns_of("outside of parallel regions is not known"));
    analysis_fixture_close();
}

/* The first thread has ended when the second one begins, which is alone for 4 ms. */
static void who_has_ended_does_not_compute(void **state)
{
    (void)state;
    analyse("0 0 fork 3\n0 0 team 0\n0 0 enter 1\n2 0 metric 0 0 1\n0 1000000 leave 1\n0 1000000 endteam 0\n"
            "0 1000000 join\n0 1000000 metric 0 1000000 1\n"
            "1 2000000 enter 4\n1 2000000 acquire 7 1\n1 2000000 release 7 1\n1 2000000 leave 4\n"
            "1 6000000 metric 0 4000000 1\n1 6000000 fork 1\n1 6000000 team 2\n1 6000000 enter 1\n"
            "1 8000000 leave 1\n1 8000000 endteam 2\n1 8000000 join\n1 8000000 metric 0 6000000 1\n");
    assert_in_range(serial(), 3999000, 4001000);
    analysis_fixture_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_joins_does_not_compute, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(two_that_compute_are_not_serial, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(what_is_not_known_is_said, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(who_has_ended_does_not_compute, check_make_folder,
                                        check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
