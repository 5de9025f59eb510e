/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of regions with fewer threads than could run (src/analysis/findings/few_threads.c): threads 0 to
 * 2 of one process. The team of comm 0 has two of them, the team of comm 2 thread 1 alone. Exact times. Run
 * by CTest on one thread; archives are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "tests/unit/analysis/analysis_fixture.h"

#include <omptape/properties.h>
#include <stdio.h>
#include <string.h>

static const char *procs;
static const char *online;

static const char *allowed = "0";

static void set_properties(OTF2_Archive *archive)
{
    make_succeed(OTF2_Archive_SetProperty(archive, OMPTAPE_PROPERTY_PREFIX "INFO::PROCS", procs, true));
    make_succeed(
        OTF2_Archive_SetProperty(archive, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_ALLOWED, allowed, true));
    make_succeed(OTF2_Archive_SetProperty(archive, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_ONLINE, online, true));
}

static void analyse(const char *events, const char *processors, const char *of_machine)
{
    procs = processors;
    online = of_machine;
    analysis_fixture_make(
        &(struct make_plan){.events = events, .properties = set_properties, .initial = 1U << 1});
}

static uint64_t lost(void)
{
    return analysis_fixture_sum(OMPTAPE_FINDING_FEW_THREADS).gain;
}

/* Thread 1 has a region alone that asks for `ASKED` threads, from 2 to 6 ms. */
#define ALONE(ASKED)                                                                                         \
    "1 2000000 fork " ASKED "\n1 2000000 team 2\n1 2000000 enter 1\n1 6000000 leave 1\n"                     \
    "1 6000000 endteam 2\n1 6000000 join\n"
/* A team of two for a millisecond, when all that is over. */
#define OF_TWO                                                                                               \
    "0 7000000 fork 2\n0 7000000 team 0\n0 7000000 enter 1\n1 7000000 team 0\n1 7000000 enter 1\n"           \
    "0 8000000 leave 1\n0 8000000 endteam 0\n1 8000000 leave 1\n1 8000000 endteam 0\n0 8000000 join\n"

/* Two threads would have taken half of it. */
static void a_region_alone_has_few_threads(void **state)
{
    (void)state;
    analyse(ALONE("2"), "2", "2");
    assert_in_range(lost(), 1999000, 2001000);
    analysis_fixture_close();
}

/* Another region of the program shows that there are two. */
static void one_thread_where_others_have_two(void **state)
{
    (void)state;
    analyse(ALONE("1") OF_TWO, "2", "2");
    assert_in_range(lost(), 1999000, 2001000);
    analysis_fixture_close();
}

/* All regions ask for one: whoever runs the program wants it so. */
static void who_asks_for_one_gets_one(void **state)
{
    (void)state;
    analyse(ALONE("1"), "2", "2");
    assert_int_equal(0, lost());
    analysis_fixture_close();
}

/* The other processor has a region of another thread of the program meanwhile. */
static void the_other_processor_is_busy(void **state)
{
    (void)state;
    analyse("0 2000000 fork 2\n0 2000000 team 0\n0 2000000 enter 1\n1 2000000 team 0\n1 2000000 enter 1\n"
            "1 2000000 fork 2\n1 2000000 team 2\n1 2000000 enter 1\n1 6000000 leave 1\n1 6000000 endteam 2\n"
            "1 6000000 join\n0 6000000 leave 1\n0 6000000 endteam 0\n1 6000000 leave 1\n"
            "1 6000000 endteam 0\n0 6000000 join\n",
            "2", "2");
    assert_int_equal(0, lost());
    analysis_fixture_close();
}

/* One of the machine's four processors: at most three quarters are to win. */
static void a_process_on_one_processor(void **state)
{
    (void)state;
    analyse(ALONE("1"), "1", "4");
    assert_in_range(lost(), 2999000, 3001000);
    assert_non_null(strstr(analysis_fixture->findings[0].text, "1 of 4 processors"));
    analysis_fixture_close();
}

/* The same for two threads that share it: with another one they would take half. */
static void two_threads_on_one_processor(void **state)
{
    (void)state;
    analyse(OF_TWO, "1", "4");
    assert_in_range(lost(), 499000, 501000);
    assert_non_null(strstr(analysis_fixture->findings[0].text, "which its threads share: "));
    analysis_fixture_close();
    check_remove_folder(NULL);
    check_make_folder(NULL);
    analyse(OF_TWO, "1", "1");
    assert_int_equal(0, lost());
    analysis_fixture_close();
}

/* It might use both processors when it was started. */
static void a_program_that_bound_itself(void **state)
{
    (void)state;
    allowed = "0-1";
    analyse(OF_TWO, "1", "2");
    allowed = "0";
    assert_in_range(lost(), 499000, 501000);
    assert_int_equal(OMPTAPE_AT_MOST, analysis_fixture->findings[0].certainty);
    assert_non_null(strstr(analysis_fixture->findings[0].proposal, "sched_setaffinity"));
    analysis_fixture_close();
}

/* The machine has no more. */
static void a_process_on_the_only_processor(void **state)
{
    (void)state;
    analyse(ALONE("1"), "1", "1");
    assert_int_equal(0, lost());
    analysis_fixture_close();
}

/* The list of the teams around a thread grows, and moves (read after it was freed: seen by valgrind, and
 * where the tests are built with a sanitizer). */
static void many_teams_are_nested(void **state)
{
    (void)state;
    enum { MANY = 40, LINE_BYTES = 40 };
    char events[2 * MANY * LINE_BYTES] = "";
    size_t used = 0;
    for (int i = 0; i < 2 * MANY; i++)
        used += (size_t)snprintf(events + used, sizeof(events) - used, "1 %d %s 2\n", 1000 * (i + 1),
                                 i < MANY ? "team" : "endteam");
    analyse(events, "2", "2");
    assert_int_equal(2 * MANY, analysis_fixture->events);
    analysis_fixture_close();
}

/* Two threads share one processor for 6 ms, each waiting for half of it. */
static const char sharing[] =
    "0 1000000 fork 2\n0 1000000 team 0\n0 1000000 enter 1\n1 1000000 team 0\n1 1000000 enter 1\n"
    "0 7000000 leave 1\n0 7000000 endteam 0\n1 7000000 leave 1\n1 7000000 endteam 0\n0 7000000 join\n"
    "0 7000001 metric 0 3000000 3000000\n1 7000001 metric 0 3000000 3000000\n";

static void threads_may_use_one_processor_of_two(void **state)
{
    (void)state;
    analyse(sharing, "1", "2");
    assert_in_range(lost(), 2990000, 3001000);
    assert_non_null(strstr(analysis_fixture->findings[0].text, "may use 1 of 2 processors of the machine"));
    assert_non_null(strstr(analysis_fixture->findings[0].proposal, "taskset"));
    analysis_fixture_close();
}

static void threads_use_the_only_processor(void **state)
{
    (void)state;
    analyse(sharing, "1", "1");
    assert_int_equal(0, lost());
    analysis_fixture_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_may_use_one_processor_of_two, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(threads_use_the_only_processor, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(a_region_alone_has_few_threads, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(one_thread_where_others_have_two, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_asks_for_one_gets_one, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(the_other_processor_is_busy, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_process_on_one_processor, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(two_threads_on_one_processor, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_program_that_bound_itself, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_process_on_the_only_processor, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(many_teams_are_nested, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
