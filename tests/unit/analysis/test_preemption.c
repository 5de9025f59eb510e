/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what the want of a processor explains (src/analysis/causes.c): two threads, exact times. Run
 * by CTest on one thread; archives are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "tests/unit/analysis/analysis_fixture.h"

#include <stdio.h>

static void analyse(const char *events)
{
    analysis_fixture_make(&(struct make_plan){.events = events});
}

/* What others waited because of it; 0: there is no such finding. */
static uint64_t waited_for(enum omptape_finding_kind kind)
{
    return analysis_fixture_sum(kind).waited;
}

static uint64_t queued_at_work(uint64_t thread)
{
    for (uint32_t i = 0; i < analysis_fixture->thread_count; i++)
        if (analysis_fixture->thread_list[i].location->id == thread)
            return analysis_fixture->thread_list[i].queued_work_ns;
    fail_msg("no thread %u", (unsigned)thread);
    return 0;
}

/* Thread 0 comes to the barrier after 1 ms, thread 1 after 2. The kernel's readings of both arrive at 4 ms,
 * when thread 1 was a millisecond outside of all regions. */
#define ONE_IS_LATE                                                                                          \
    "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n0 1000000 enter 2\n1 2000000 enter 2\n"               \
    "0 2000100 leave 2\n0 2000100 leave 1\n0 2000100 endteam 0\n"                                            \
    "1 2000100 leave 2\n1 2000100 leave 1\n1 2000100 endteam 0\n"

/* It had a processor for half of its work. */
static void the_last_one_had_no_processor(void **state)
{
    (void)state;
    analyse(ONE_IS_LATE "0 2000200 metric 0 2000200 0\n1 2000200 metric 0 1200200 800000\n");
    assert_int_equal(0, queued_at_work(0));
    assert_in_range(queued_at_work(1), 799000, 800000);
    assert_in_range(waited_for(OMPTAPE_FINDING_PREEMPTION), 799000, 800000);
    assert_in_range(waited_for(OMPTAPE_FINDING_IMBALANCE), 200000, 201000);
    analysis_fixture_close();
}

/* Readings stand where it left its processor and came back, both before the barrier. What it lacks behind
 * that is not the barrier's. */
static void the_last_one_was_switched_out_before(void **state)
{
    (void)state;
    analyse("0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n1 10000000 metric 0 9999999 1\n"
            "1 18000000 metric 0 9999999 8000001\n0 10000000 enter 2\n1 20000000 enter 2\n"
            "0 20000100 leave 2\n0 20000100 leave 1\n0 20000100 endteam 0\n"
            "1 20000100 leave 2\n1 20000100 leave 1\n1 20000100 endteam 0\n"
            "1 21000000 metric 0 12999999 8000001\n1 50000000 metric 0 12999999 37000001\n");
    assert_in_range(waited_for(OMPTAPE_FINDING_PREEMPTION), 7990000, 8000100);
    analysis_fixture_close();
}

/* The thread that waits is in the run queue, as in a spinning barrier: no thread came late because of it. */
static void who_waits_stands_in_line(void **state)
{
    (void)state;
    analyse(ONE_IS_LATE "0 2000200 metric 0 1400200 600000\n1 2000200 metric 0 2000200 0\n");
    /* 1 ms of work beside 1.0001 ms of waiting, which count twice. */
    assert_in_range(queued_at_work(0), 199900, 200000);
    assert_int_equal(0, waited_for(OMPTAPE_FINDING_PREEMPTION));
    assert_in_range(waited_for(OMPTAPE_FINDING_IMBALANCE), 999900, 1000000);
    analysis_fixture_close();
}

/* The time in which it neither ran nor queued is sleep in the barrier: so it queued at work. */
static void who_sleeps_does_not_stand_in_line(void **state)
{
    (void)state;
    analyse(ONE_IS_LATE "0 2000200 metric 0 400000 600000\n1 2000200 metric 0 2000200 0\n");
    assert_in_range(queued_at_work(0), 599900, 600000);
    analysis_fixture_close();
}

/* However much it waited, it ran for no more than half of its work. */
static void work_lasts_longer_than_the_thread_ran(void **state)
{
    (void)state;
    analyse(ONE_IS_LATE "0 2000200 metric 0 500000 1500200\n1 2000200 metric 0 2000200 0\n");
    assert_in_range(queued_at_work(0), 500000, 500300);
    analysis_fixture_close();
}

/* It slept for longer than it waited, so its work sleeps: it queued when it spun. */
static void work_that_sleeps_does_not_stand_in_line(void **state)
{
    (void)state;
    analyse(ONE_IS_LATE "0 2000200 metric 0 100000 200000\n1 2000200 metric 0 2000200 0\n");
    assert_int_equal(0, queued_at_work(0));
    analysis_fixture_close();
}

/* Of ten milliseconds before the region the first thread had no processor for four: more threads would win of
 * the other six only. */
static void serial_time_without_a_processor_is_no_work(void **state)
{
    (void)state;
    analyse("0 0 enter 2\n0 100 leave 2\n0 100 metric 0 100 0\n0 10000000 team 0\n0 10000000 enter 1\n1 "
            "10000000 team 0\n1 10000000 enter 1\n"
            "0 10000000 metric 0 6000000 4000000\n0 12000000 enter 2\n1 12000000 enter 2\n"
            "0 12000100 leave 2\n0 12000100 leave 1\n0 12000100 endteam 0\n"
            "1 12000100 leave 2\n1 12000100 leave 1\n1 12000100 endteam 0\n");
    uint64_t processes = analysis_fixture->process_count;
    uint64_t threads = analysis_fixture->threads / processes;
    uint64_t gain = (6000000 - 6000000 / threads) / processes;
    assert_int_equal(2, threads);
    assert_in_range(analysis_fixture->processes[0].serial_queued, 3999000, 4000000);
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_SERIAL).gain, gain - 1000, gain + 1000);
    analysis_fixture_close();
}

/* Thread 1 has the lock for 2 ms, thread 0 asks for it after 1. */
#define ONE_HAS_THE_LOCK                                                                                     \
    "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n1 0 enter 4\n1 0 acquire 7 1\n1 0 leave 4\n"          \
    "0 1000000 enter 4\n1 2000000 release 7 1\n"
#define BOTH_END                                                                                             \
    "1 4000000 enter 2\n0 4000050 enter 2\n0 4000100 leave 2\n0 4000100 leave 1\n0 4000100 endteam 0\n"      \
    "1 4000100 leave 2\n1 4000100 leave 1\n1 4000100 endteam 0\n"

/* It had a processor for all but 0.8 ms. */
static void who_had_the_lock_had_no_processor(void **state)
{
    (void)state;
    analyse(ONE_HAS_THE_LOCK "0 2000010 acquire 7 2\n0 2000010 leave 4\n0 2000020 release 7 2\n" BOTH_END
                             "0 4000200 metric 0 4000200 0\n1 4000200 metric 0 3200200 800000\n");
    assert_in_range(waited_for(OMPTAPE_FINDING_PREEMPTION), 799000, 800000);
    assert_in_range(waited_for(OMPTAPE_FINDING_LOCK), 200000, 201000);
    analysis_fixture_close();
}

/* Thread 1 stalls for 1.8 of the 2 ms for which it has the lock: there is no space for its events. */
static void who_stalled_with_the_lock_is_not_waited_for(void **state)
{
    (void)state;
    analyse("0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n1 0 enter 4\n1 0 acquire 7 1\n1 0 leave 4\n"
            "1 100000 flush 1900000\n0 1000000 enter 4\n1 2000000 release 7 1\n"
            "0 2000010 acquire 7 2\n0 2000010 leave 4\n0 2000020 release 7 2\n" BOTH_END
            "0 4000200 metric 0 4000200 0\n1 4000200 metric 0 4000200 0\n");
    assert_int_equal(waited_for(OMPTAPE_FINDING_LOCK), 0);
    analysis_fixture_close();
}

/* Thread 0 has none when the lock is free, and thread 1 asks again meanwhile. */
static void who_was_next_had_no_processor(void **state)
{
    (void)state;
    analyse(ONE_HAS_THE_LOCK
            "1 2000500 enter 4\n0 3000000 acquire 7 2\n0 3000000 leave 4\n0 3000020 release 7 2\n"
            "1 3000040 acquire 7 3\n1 3000040 leave 4\n1 3000050 release 7 3\n" BOTH_END
            "0 4000200 metric 0 2000200 2000000\n1 4000200 metric 0 4000200 0\n");
    assert_in_range(waited_for(OMPTAPE_FINDING_PREEMPTION), 1990000, 2000000);
    assert_in_range(waited_for(OMPTAPE_FINDING_LOCK), 1000000, 1010000);
    analysis_fixture_close();
}

/* Of 20 instances of a millisecond one takes 100, since its last thread had no processor, as was told before
 * it came. */
static void who_had_no_processor_is_no_outlier(void **state)
{
    enum { INSTANCES = 20, LACKS = 9, MS = 1000000, TEXT_BYTES = 16384 };
    static char events[TEXT_BYTES];
    size_t used = 0;
    long now = 0;
    (void)state;
    for (int i = 0; i < INSTANCES; i++) {
        const long begin = now;
        const long late = i == LACKS ? 100L * MS : MS;
        used += (size_t)snprintf(events + used, sizeof(events) - used,
                                 "0 %ld team 0\n0 %ld enter 1\n1 %ld team 0\n1 %ld enter 1\n0 %ld enter 2\n",
                                 begin, begin, begin, begin, begin + MS);
        if (i == LACKS)
            used += (size_t)snprintf(events + used, sizeof(events) - used,
                                     "1 %ld metric 0 %ld 0\n1 %ld metric 0 %ld %ld\n", begin + MS, begin + MS,
                                     begin + late - 1, begin + MS, late - MS - 1);
        now += late + 100;
        used += (size_t)snprintf(events + used, sizeof(events) - used,
                                 "1 %ld enter 2\n0 %ld leave 2\n0 %ld leave 1\n0 %ld endteam 0\n"
                                 "1 %ld leave 2\n1 %ld leave 1\n1 %ld endteam 0\n",
                                 now - 100, now, now, now, now, now, now);
        now += 100;
    }
    (void)snprintf(events + used, sizeof(events) - used, "0 %ld metric 0 %ld 0\n1 %ld metric 0 %d %ld\n", now,
                   now, now, (INSTANCES + 1) * MS, 99L * MS - 1);
    analyse(events);
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_OUTLIER).count);
    analysis_fixture_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_last_one_had_no_processor, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(the_last_one_was_switched_out_before, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_waits_stands_in_line, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(who_sleeps_does_not_stand_in_line, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(work_that_sleeps_does_not_stand_in_line, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(serial_time_without_a_processor_is_no_work, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_stalled_with_the_lock_is_not_waited_for, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_had_the_lock_had_no_processor, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_was_next_had_no_processor, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(work_lasts_longer_than_the_thread_ran, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_had_no_processor_is_no_outlier, check_make_folder,
                                        check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
