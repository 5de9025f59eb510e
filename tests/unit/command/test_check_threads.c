/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of `omptape check`: teams, tasks and locks, good and broken, and events of several locations at
 * one time. Run by CTest on one thread.
 */
#include "tests/unit/check_harness.h"

/* Instances follow each other: generation numbers begin again, and threads need not be in the same one. */
static void generations_restart(void **state)
{
    (void)state;
    check_events_pass("0 110 team 0\n1 110 team 0\n"
                      "0 111 create 0 0 1\n1 112 switch 0 0 1\n1 113 complete 0 0 1\n1 113 switch 0 1 0\n"
                      "0 120 endteam 0\n0 121 team 0\n0 122 create 0 0 1\n"
                      "1 123 endteam 0\n1 124 team 0\n"
                      "1 125 switch 0 0 1\n1 126 complete 0 0 1\n"
                      "0 130 endteam 0\n1 130 endteam 0\n");
}

/* The team inside belongs to a task of the outer one: that task still runs when it ends. */
static void nested_team_passes(void **state)
{
    (void)state;
    check_events_pass(
        "0 110 team 1\n1 110 team 1\n2 110 team 1\n"
        "0 111 create 1 0 1\n1 112 switch 1 0 1\n"
        "1 113 fork 1\n1 113 team 2\n1 114 create 2 0 1\n1 115 switch 2 0 1\n1 116 complete 2 0 1\n"
        "1 116 switch 2 0 0\n1 117 endteam 2\n1 117 join\n"
        "1 118 complete 1 0 1\n1 118 switch 1 1 0\n"
        "0 120 endteam 1\n1 120 endteam 1\n2 120 endteam 1\n");
}

/* Locations with lower numbers come first at equal times, whatever the true order was. */
static void ties_are_put_in_order(void **state)
{
    (void)state;
    check_events_pass("0 110 team 0\n1 110 team 0\n"
                      "1 120 create 0 1 1\n0 120 switch 0 1 1\n" /* created at 1, run at 0 */
                      "1 130 switch 0 1 1\n0 130 switch 0 0 0\n" /* moves from 0 to 1... */
                      "0 140 switch 0 1 1\n1 140 switch 0 1 0\n" /* ...and back */
                      "0 150 complete 0 1 1\n0 150 switch 0 0 0\n"
                      "0 160 acquire 5 12\n0 160 release 5 12\n" /* taken after location 1 */
                      "1 160 acquire 5 11\n1 160 release 5 11\n"
                      "1 161 acquire 5 13\n1 170 release 5 13\n0 170 acquire 5 14\n0 170 release 5 14\n"
                      "0 180 endteam 0\n1 180 endteam 0\n");
}

/* A release is reported late: accepted if its location did nothing in between. */
static void late_release_passes(void **state)
{
    (void)state;
    check_events_pass(
        "0 110 acquire 0 1\n0 120 enter 0\n1 130 acquire 0 2\n1 135 release 0 2\n0 140 leave 0\n"
        "0 140 release 0 1\n");
}

static void lock_of_a_task_moves_in_its_team(void **state)
{
    (void)state;
    check_events_pass("0 110 team 0\n1 110 team 0\n0 120 acquire 0 1\n1 130 release 0 1\n0 140 endteam 0\n"
                      "1 140 endteam 0\n");
}

static void unreleased_lock_passes(void **state)
{
    (void)state;
    check_events_pass("0 110 acquire 0 1\n");
}

static void killed_program_passes(void **state)
{
    (void)state;
    check_passes(
        &(struct make_plan){.end = "signal 9",
                            .events = "0 110 team 0\n1 110 team 0\n0 120 create 0 0 1\n0 121 create 0 0 2\n"
                                      "1 122 switch 0 0 1\n0 123 acquire 0 1\n1 124 acquire 0 2\n"
                                      "0 124 put 0 0 1 1\n"
                                      "0 130 endteam 0\n1 130 endteam 0\n"});
}

static void pause_passes(void **state)
{
    (void)state;
    check_events_pass(
        "0 110 team 0\n1 110 team 0\n0 120 off\n0 130 on\n1 140 switch 0 0 1\n1 150 complete 0 0 1\n"
        "1 151 release 0 4\n0 160 endteam 0\n1 160 endteam 0\n");
}

static void dropped_records_pass(void **state)
{
    (void)state;
    check_passes(&(struct make_plan){.dropped = "5",
                                     .events = "0 110 team 0\n1 110 team 0\n1 140 switch 0 0 1\n"
                                               "0 160 endteam 0\n1 160 endteam 0\n"});
}

/* Teams */

static void stranger_in_a_team(void **state)
{
    (void)state;
    check_events_break("2 110 team 0\n", "[team]", "location 2 \"OMP thread 2\"",
                       "found a location that is none");
}

static void team_is_not_complete(void **state)
{
    (void)state;
    check_events_break(
        "0 110 team 1\n0 120 endteam 1\n1 110 team 1\n1 120 endteam 1\n0 130 team 1\n0 140 endteam 1\n"
        "1 130 team 1\n1 140 endteam 1\n2 110 team 1\n2 120 endteam 1\n",
        "[team] comm 1", "2 times", "found 1 at location 2 \"OMP thread 2\"");
}

static void team_of_another_paradigm(void **state)
{
    (void)state;
    check_events_break("0 110 team 3\n", "[team]", "paradigm OPENMP", "found type 5 and paradigm 5");
}

/* Tasks */

static const char team_begins[] = "0 105 team 0\n1 105 team 0\n";
static const char team_ends[] = "0 900 endteam 0\n1 900 endteam 0\n";

static const char *in_a_team(const char *events)
{
    static char script[4096];
    snprintf(script, sizeof(script), "%s%s%s", team_begins, events, team_ends);
    return script;
}

static void task_breaks(const char *events, const char *first, const char *second)
{
    check_events_break(in_a_team(events), "[task]", first, second);
}

static void task_never_created(void **state)
{
    (void)state;
    task_breaks("1 110 switch 0 0 4\n", "ThreadTaskSwitch",
                "never created: task of thread 0 with generation 4");
}

static void task_of_the_instance_before(void **state)
{
    (void)state;
    task_breaks("0 110 create 0 0 1\n0 111 complete 0 0 1\n"
                "0 200 endteam 0\n1 200 endteam 0\n0 210 team 0\n1 210 team 0\n1 220 switch 0 0 1\n",
                "never created", "instance 2 of comm 0");
}

static void task_already_completed(void **state)
{
    (void)state;
    task_breaks("0 110 create 0 0 1\n0 120 switch 0 0 1\n0 130 complete 0 0 1\n1 140 switch 0 0 1\n",
                "already completed", "location 1");
}

static void task_completed_twice(void **state)
{
    (void)state;
    task_breaks("0 110 create 0 0 1\n0 120 complete 0 0 1\n1 130 complete 0 0 1\n", "ThreadTaskComplete",
                "already completed");
}

static void task_never_completed(void **state)
{
    (void)state;
    task_breaks("0 110 create 0 0 1\n1 111 create 0 1 1\n1 120 switch 0 1 1\n1 121 complete 0 1 1\n1 121 "
                "switch 0 1 0\n",
                "expected a ThreadTaskComplete by the end", "task of thread 0 with generation 1");
}

static void task_runs_twice(void **state)
{
    (void)state;
    task_breaks("0 110 create 0 0 1\n0 120 switch 0 0 1\n1 130 switch 0 0 1\n",
                "found one that runs at location 0", "location 1 \"OMP thread 1\"");
}

static void task_completed_while_it_runs_elsewhere(void **state)
{
    (void)state;
    task_breaks("0 110 create 0 0 1\n0 120 switch 0 0 1\n1 130 complete 0 0 1\n", "ThreadTaskComplete",
                "found one that runs at location 0");
}

static void task_runs_at_its_teams_end(void **state)
{
    (void)state;
    task_breaks("0 110 create 0 0 1\n1 120 switch 0 0 1\n", "ThreadTeamEnd", "still running");
}

static void task_created_twice(void **state)
{
    (void)state;
    task_breaks("0 110 create 0 0 1\n0 120 create 0 0 1\n", "ThreadTaskCreate", "found one used before");
}

static void task_of_a_thread_beyond_the_team(void **state)
{
    (void)state;
    task_breaks("0 110 create 0 2 1\n", "below 2", "found 2");
}

static void task_created_for_another_thread(void **state)
{
    (void)state;
    task_breaks("0 110 create 0 1 1\n", "thread number 0", "task of thread 1");
}

static void implicit_task_of_another_thread(void **state)
{
    (void)state;
    task_breaks("0 110 switch 0 1 0\n", "of thread 0", "found that of thread 1");
}

static void implicit_task_is_created(void **state)
{
    (void)state;
    task_breaks("0 110 create 0 0 0\n", "ThreadTaskCreate", "generation 0");
}

/* Locks */

static void lock_breaks(const char *events, const char *first, const char *second)
{
    check_events_break(events, "[lock]", first, second);
}

static void free_lock_is_released(void **state)
{
    (void)state;
    lock_breaks("0 110 acquire 3 1\n0 120 release 3 1\n0 130 release 3 1\n", "lock 3", "found it free");
}

static void held_lock_is_acquired(void **state)
{
    (void)state;
    lock_breaks("0 110 acquire 3 1\n1 120 acquire 3 2\n0 130 enter 0\n0 140 leave 0\n0 150 release 3 1\n",
                "acquired by location 1", "at time 120 while held");
}

static void held_lock_is_acquired_and_never_released(void **state)
{
    (void)state;
    lock_breaks("0 110 acquire 3 1\n1 120 acquire 3 2\n1 130 release 3 2\n", "acquired by location 1",
                "at time 120 while held");
}

static void held_lock_is_acquired_again(void **state)
{
    (void)state;
    lock_breaks("0 110 acquire 3 1\n0 120 acquire 3 2\n", "expected it free",
                "held by this location since event 1");
}

static void acquisition_order_stands_still(void **state)
{
    (void)state;
    lock_breaks("0 110 acquire 3 7\n0 120 release 3 7\n1 130 acquire 3 7\n", "order above 7", "found 7");
}

static void release_has_another_order(void **state)
{
    (void)state;
    lock_breaks("0 110 acquire 3 7\n0 120 release 3 8\n", "order 7", "found 8");
}

static void lock_is_released_outside_the_team(void **state)
{
    (void)state;
    lock_breaks("0 110 acquire 3 1\n2 120 release 3 1\n", "location 2", "the holder's team");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(generations_restart, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(nested_team_passes, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(ties_are_put_in_order, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(late_release_passes, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(lock_of_a_task_moves_in_its_team, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(unreleased_lock_passes, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(killed_program_passes, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(pause_passes, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(dropped_records_pass, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(stranger_in_a_team, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(team_is_not_complete, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(team_of_another_paradigm, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(task_never_created, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(task_of_the_instance_before, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(task_already_completed, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(task_completed_twice, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(task_never_completed, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(task_runs_twice, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(task_completed_while_it_runs_elsewhere, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(task_runs_at_its_teams_end, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(task_created_twice, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(task_of_a_thread_beyond_the_team, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(task_created_for_another_thread, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(implicit_task_of_another_thread, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(implicit_task_is_created, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(free_lock_is_released, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(held_lock_is_acquired, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(held_lock_is_acquired_and_never_released, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(held_lock_is_acquired_again, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(acquisition_order_stands_still, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(release_has_another_order, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(lock_is_released_outside_the_team, check_make_folder,
                                        check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
