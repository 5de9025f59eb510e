/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of `omptape check`: for every rule that a location's own events can break, an archive that
 * breaks it is named. Run by CTest on one thread.
 */
#include "tests/unit/check_harness.h"

/* Times */

static void time_goes_back(void **state)
{
    (void)state;
    const uint64_t from = 333;
    const uint64_t to = 322;
    make_archive(check_folder, &(struct make_plan){.events = "1 330 enter 0\n1 333 leave 0\n"});
    make_patch(check_folder, "traces/1.evt", &from, &to, sizeof(from));
    check_expect_code(1, check_run_folder());
    check_expect_text(
        "[time] location 1 \"OMP thread 1\", event 2, time 322 (0.000000222 s): Leave: time goes back: "
        "expected 330 or later, found 322");
}

static void time_before_the_clock(void **state)
{
    (void)state;
    check_events_break("0 99 enter 0\n0 110 leave 0\n", "[time]", "[100, 1000]", "found 99");
}

static void time_after_the_clock(void **state)
{
    (void)state;
    check_events_break("0 110 enter 0\n0 1001 leave 0\n", "[time]", "event 2", "found 1001");
}

static void flush_ends_before_it_starts(void **state)
{
    (void)state;
    check_events_break("0 110 flush 109\n", "[time]", "BufferFlush", "found stop time 109");
}

/* Nesting */

static void leave_without_enter(void **state)
{
    (void)state;
    check_events_break("0 110 leave 4\n", "[nesting]", "found an empty stack", "critical");
}

static void leave_of_another_region(void **state)
{
    (void)state;
    check_events_break("2 110 enter 0\n2 111 enter 1\n2 112 leave 0\n",
                       "[nesting] location 2 \"OMP thread 2\", event 3",
                       "region 1 \"!$omp parallel @a.c:10\", entered at event 2", "found region 0 \"main\"");
}

static void region_stays_open(void **state)
{
    (void)state;
    check_events_break("1 110 enter 0\n", "[nesting] location 1 \"OMP thread 1\", end of its events",
                       "1 open", "region 0 \"main\", entered at event 1");
}

static void region_outlives_its_team(void **state)
{
    (void)state;
    check_events_break("0 110 team 0\n1 110 team 0\n1 111 enter 1\n1 112 endteam 0\n", "[nesting]",
                       "ThreadTeamEnd", "region 1");
}

static void region_from_outside_left_in_a_team(void **state)
{
    (void)state;
    check_events_break("0 105 enter 0\n0 110 team 0\n0 111 leave 0\n", "[nesting]", "the team of comm 0",
                       "found region 0");
}

static void team_ends_as_another(void **state)
{
    (void)state;
    check_events_break("0 110 team 0\n0 112 endteam 1\n", "[nesting]", "the team of comm 0", "found comm 1");
}

static void join_without_fork(void **state)
{
    (void)state;
    check_events_break("0 110 join\n", "[nesting]", "ThreadJoin", "empty stack");
}

static void fork_without_join(void **state)
{
    (void)state;
    check_events_break("0 110 fork 2\n", "[nesting]", "end of its events", "the ThreadFork");
}

/* References and counts */

static void region_is_not_defined(void **state)
{
    (void)state;
    check_events_break("0 110 enter 77\n0 111 leave 77\n", "[reference]", "Enter: region", "found 77");
}

static void comm_is_not_defined(void **state)
{
    (void)state;
    check_events_break("0 110 team 9\n", "[reference]", "ThreadTeamBegin: thread team", "found 9");
}

static void parameter_is_not_defined(void **state)
{
    (void)state;
    check_events_break("0 110 enter 0\n0 111 string 5 1\n", "[reference]", "parameter", "found 5");
}

static void string_is_not_defined(void **state)
{
    (void)state;
    check_events_break("0 110 enter 0\n0 111 string 0 500\n", "[reference]", "expected a string",
                       "found 500");
}

static void attribute_is_not_defined(void **state)
{
    (void)state;
    check_events_break("0 110 uint 9 1\n0 110 enter 0\n", "[reference]", "attribute", "found 9");
}

static void attribute_value_is_not_defined(void **state)
{
    (void)state;
    check_events_break("0 110 text 1 600\n0 110 enter 0\n", "[reference]", "attribute 1 \"schedule\": value",
                       "found 600");
}

static void metric_is_not_defined(void **state)
{
    (void)state;
    check_events_break("3 110 metric 4 1\n", "[reference]", "metric", "found 4");
}

static void window_is_not_defined(void **state)
{
    (void)state;
    check_events_break("3 110 put 3 0 1 1\n", "[reference]", "RmaPut: window", "found 3");
}

static void events_are_missing(void **state)
{
    (void)state;
    check_breaks(&(struct make_plan){.events = "1 110 enter 0\n1 120 leave 0\n", .extra_events = 1},
                 "[count]", "location 1 \"OMP thread 1\"",
                 "expected 3 events (location definition), found 2");
}

static void local_definitions_are_missing(void **state)
{
    (void)state;
    check_breaks(
        &(struct make_plan){.events = "1 110 enter 0\n1 120 leave 0\n", .no_local_definitions = true},
        "[definition]", "location 1 \"OMP thread 1\"", "local definitions");
}

/* Transfers, program, measurement, parameters, metrics, markers */

static void transfer_never_completes(void **state)
{
    (void)state;
    check_events_break("3 110 put 0 0 8 5\n", "[rma]", "RmaPut: expected a completion", "matching id 5");
}

static void completion_without_transfer(void **state)
{
    (void)state;
    check_events_break("3 110 put 0 0 8 5\n3 111 done 0 6\n", "[rma]", "RmaOpCompleteBlocking",
                       "matching id 6");
}

static void transfer_beyond_the_window(void **state)
{
    (void)state;
    check_events_break("3 110 put 0 2 8 5\n3 111 done 0 5\n", "[rma]", "below 2", "found 2");
}

static void program_begins_twice(void **state)
{
    (void)state;
    check_events_break("0 110 program\n1 120 program\n", "[program]",
                       "ProgramBegin: expected one in each process", "location 1");
}

static void program_ends_without_beginning(void **state)
{
    (void)state;
    check_events_break("0 110 endprogram\n", "[program]", "ProgramEnd: expected", "a ProgramBegin before it");
}

static void measurement_off_twice(void **state)
{
    (void)state;
    check_events_break("0 110 off\n0 120 off\n", "[measurement]", "turned on", "turned off again");
}

static void parameter_outside_a_region(void **state)
{
    (void)state;
    check_events_break("0 110 string 0 1\n", "[parameter]", "expected an open region",
                       "parameter 0 \"schedule\"");
}

static void parameter_of_another_type(void **state)
{
    (void)state;
    check_events_break("0 110 enter 0\n0 111 unsigned 0 1\n", "[parameter]", "type 0", "found type 2");
}

static void attribute_of_another_type(void **state)
{
    (void)state;
    check_events_break("0 110 text 0 1\n0 110 enter 0\n", "[attribute]", "attribute 0 \"iterations\"",
                       "found type 11");
}

static void metric_has_too_many_values(void **state)
{
    (void)state;
    check_events_break("3 110 metric 0 1 1\n", "[metric]", "expected 1 values", "found 2");
}

static void marker_is_not_defined(void **state)
{
    (void)state;
    check_events_break("0 110 defmarker 0\n0 110 marker 1 0 0 0\n", "[reference] marker 1", "definition",
                       "found 1");
}

static void marker_scope_is_not_defined(void **state)
{
    (void)state;
    check_events_break("0 110 defmarker 0\n0 110 marker 0 1 9 0\n", "[reference] marker 1", "scope",
                       "location, found 9");
}

static void marker_outside_the_clock(void **state)
{
    (void)state;
    check_events_break("0 110 defmarker 0\n0 110 marker 0 0 0 891\n", "[marker]", "[100, 1000]",
                       "found 110 for 891");
}

static void marker_defined_twice(void **state)
{
    (void)state;
    check_events_break("0 110 defmarker 4\n0 110 defmarker 4\n", "[marker]", "marker definition 4",
                       "duplicate");
}

/* Communicators that are made and freed */

static void define_comm(OTF2_GlobalDefWriter *writer)
{
    make_succeed(OTF2_GlobalDefWriter_WriteComm(writer, 9, MAKE_EMPTY_STRING, 1, OTF2_UNDEFINED_COMM,
                                                OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS));
}

static void communicators_live_in_turn(void **state)
{
    static const struct {
        const char *events;
        const char *found;
    } ways[] = {{"0 110 made 9\n1 120 freed 9\n0 130 made 9\n", NULL},
                {"0 110 made 9\n1 120 made 9\n", "expected it to be freed before, found it made"},
                {"0 110 made 9\n0 120 freed 9\n0 130 freed 9\n", "expected it to be made before"},
                {"0 110 made 0\n", "expected the flag CREATE_DESTROY_EVENTS"}};
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        make_archive(check_folder, &(struct make_plan){.events = ways[i].events, .more = define_comm});
        check_expect_code(ways[i].found != NULL, check_run_folder());
        if (ways[i].found != NULL)
            check_expect_text(ways[i].found);
        check_remove_folder(NULL);
        check_make_folder(NULL);
    }
}

/* Samples, of an archive of omptape's that says it has two */

static void define_context(OTF2_GlobalDefWriter *writer)
{
    make_succeed(OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer, 0, MAKE_SOME_STRING, 10));
    make_succeed(OTF2_GlobalDefWriter_WriteCallingContext(writer, 0, 1, 0, OTF2_UNDEFINED_CALLING_CONTEXT));
    make_succeed(OTF2_GlobalDefWriter_WriteInterruptGenerator(
        writer, 0, MAKE_SOME_STRING, OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -9, 10000000));
}

static void promise_two_samples(OTF2_Archive *archive)
{
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::VERSION", "1", true));
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::SAMPLES", "2", true));
}

static struct make_plan sampled(const char *events)
{
    return (struct make_plan){.events = events, .more = define_context, .properties = promise_two_samples};
}

static void good_samples_pass(void **state)
{
    (void)state;
    const struct make_plan plan = sampled("0 110 enter 1\n0 111 sample 0\n0 112 leave 1\n0 112 sample 0\n");
    check_passes(&plan);
}

static void sample_of_no_context(void **state)
{
    (void)state;
    const struct make_plan plan = sampled("0 110 enter 1\n0 111 sample 0\n0 112 leave 1\n0 112 sample 7\n");
    check_breaks(&plan, "[reference]", "event 4", "found 7, which is not defined");
}

static void sample_before_the_thread(void **state)
{
    (void)state;
    const struct make_plan plan = sampled("0 109 sample 0\n0 110 enter 1\n0 111 sample 0\n0 112 leave 1\n");
    check_breaks(&plan, "[sample]", "event 1", "found none");
}

static void sample_while_nothing_is_recorded(void **state)
{
    (void)state;
    const struct make_plan plan =
        sampled("0 110 enter 1\n0 111 sample 0\n0 112 leave 1\n0 113 off\n0 114 sample 0\n");
    check_breaks(&plan, "[sample]", "event 5", "found it off");
}

static void samples_are_missing(void **state)
{
    (void)state;
    const struct make_plan plan = sampled("0 110 enter 1\n0 111 sample 0\n0 112 leave 1\n");
    check_breaks(&plan, "[sample]", "expected 2 samples", "found 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(communicators_live_in_turn, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(time_goes_back, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(time_before_the_clock, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(time_after_the_clock, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(flush_ends_before_it_starts, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(leave_without_enter, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(leave_of_another_region, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(region_stays_open, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(region_outlives_its_team, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(region_from_outside_left_in_a_team, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(team_ends_as_another, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(join_without_fork, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(fork_without_join, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(region_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(comm_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(parameter_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(string_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(attribute_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(attribute_value_is_not_defined, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(metric_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(window_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(events_are_missing, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(local_definitions_are_missing, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(transfer_never_completes, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(completion_without_transfer, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(transfer_beyond_the_window, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(program_begins_twice, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(program_ends_without_beginning, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(measurement_off_twice, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(parameter_outside_a_region, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(parameter_of_another_type, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(attribute_of_another_type, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(metric_has_too_many_values, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(marker_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(marker_scope_is_not_defined, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(marker_outside_the_clock, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(marker_defined_twice, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(good_samples_pass, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(sample_of_no_context, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(sample_before_the_thread, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(sample_while_nothing_is_recorded, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(samples_are_missing, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
