/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of calls that a process makes again and again: small messages in a row, and what is made in a
 * loop. Exact times. Run by CTest on one thread.
 */
#include "tests/unit/analysis/mpi_fixture.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 1200, EVENTS_BYTES = 1 << 20 };

static char events[EVENTS_BYTES];

static void begin(void)
{
    events[0] = '\0';
}

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    const size_t length = strlen(events);
    va_list arguments;
    va_start(arguments, format);
    const int added = vsnprintf(events + length, sizeof(events) - length, format, arguments);
    va_end(arguments);
    assert_true(added > 0 && (size_t)added < sizeof(events) - length);
}

static bool has(enum omptape_finding_kind kind)
{
    for (uint32_t i = 0; i < mpi_fixture_analysis->finding_count; i++)
        if (mpi_fixture_analysis->findings[i].kind == kind)
            return true;
    return false;
}

/* A round takes 10: 1 between calls, 4 and 1 and 4. The first send and its wait begin the
 * row. */
static void a_wait_belongs_to_its_row(void **state)
{
    (void)state;
    begin();
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned t = 100 + 10 * i;
        add("0 %u enter 8\n0 %u isend 1 " COMM " 3 8 %u\n0 %u leave 8\n", t, t, i + 1, t + 4);
        add("0 %u enter 10\n0 %u sent %u\n0 %u leave 10\n", t + 5, t + 9, i + 1, t + 9);
    }
    mpi_fixture_analyse(events);
    mpi_fixture_expect(OMPTAPE_FINDING_SMALL_MESSAGES, "MPI_Isend", 10 * (ROUNDS - 1),
                       "1,199 calls of 8 bytes on average");
    mpi_fixture_close();
}

/* A receive is posted before each send: neither breaks the other's row. The first send that repeats is the
 * second one. */
static void sends_and_receives_take_turns(void **state)
{
    (void)state;
    begin();
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned t = 100 + 10 * i;
        add("0 %u enter 9\n0 %u posted %u\n0 %u leave 9\n", t, t, i + 1, t + 2);
        add("0 %u enter 6\n0 %u send 1 " COMM " 3 8\n0 %u leave 6\n", t + 3, t + 3, t + 5);
    }
    mpi_fixture_analyse(events);
    mpi_fixture_expect(OMPTAPE_FINDING_SMALL_MESSAGES, "MPI_Send", 10 * (ROUNDS - 1) - 7,
                       "1,199 calls of 8 bytes");
    mpi_fixture_close();
}

/* The next message may depend on the answer to the one before. */
static void an_answer_ends_a_row(void **state)
{
    (void)state;
    begin();
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned t = 100 + 10 * i;
        add("0 %u enter 6\n0 %u send 1 " COMM " 3 8\n0 %u leave 6\n", t, t, t + 2);
        add("0 %u enter 7\n0 %u receive 1 " COMM " 3 8\n0 %u leave 7\n", t + 3, t + 9, t + 9);
    }
    mpi_fixture_analyse(events);
    assert_false(has(OMPTAPE_FINDING_SMALL_MESSAGES));
    mpi_fixture_close();
}

/* Rank 0 sends, rank 1 answers, by requests: each message may depend on the one before. `answers` false: both
 * send before they receive, so that no message is an answer to the last one. */
static void exchange_by_requests(bool answers)
{
    begin();
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned t = 100 + 20 * i, n = 4 * i;
        add("0 %u enter 8\n0 %u isend 1 " COMM " 3 8 %u\n0 %u leave 8\n", t, t, n + 1, t + 1);
        add("0 %u enter 10\n0 %u sent %u\n0 %u leave 10\n", t + 1, t + 2, n + 1, t + 2);
        add("0 %u enter 9\n0 %u posted %u\n0 %u leave 9\n", t + 3, t + 3, n + 2, t + 4);
        add("0 %u enter 10\n0 %u ireceive 1 " COMM " 3 8 %u\n0 %u leave 10\n", t + 5, t + 18, n + 2, t + 18);
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned t = 100 + 20 * i, n = 4 * i, sends = t + (answers ? 12 : 1);
        add("2 %u enter 9\n2 %u posted %u\n2 %u leave 9\n", t, t, n + 3, t + 1);
        if (!answers)
            add("2 %u enter 8\n2 %u isend 0 " COMM " 3 8 %u\n2 %u leave 8\n", sends, sends, n + 4, sends + 1);
        add("2 %u enter 10\n2 %u ireceive 0 " COMM " 3 8 %u\n2 %u leave 10\n", t + 3, t + 11, n + 3, t + 11);
        if (answers)
            add("2 %u enter 8\n2 %u isend 0 " COMM " 3 8 %u\n2 %u leave 8\n", sends, sends, n + 4, sends + 1);
        add("2 %u enter 10\n2 %u sent %u\n2 %u leave 10\n", t + 14, t + 19, n + 4, t + 19);
    }
    mpi_fixture_analyse(events);
    assert_int_equal(!answers, has(OMPTAPE_FINDING_SMALL_MESSAGES));
    mpi_fixture_close();
}

static void an_answer_to_a_request_ends_a_row(void **state)
{
    (void)state;
    exchange_by_requests(true);
}

static void who_sends_before_it_receives_answers_nothing(void **state)
{
    (void)state;
    exchange_by_requests(false);
}

/* Ten calls take 50 us each of 1 ms, and nobody waits. */
static void calls_may_take_the_time_themselves(void **state)
{
    (void)state;
    begin();
    add("0 100 enter 0\n2 100 enter 0\n");
    for (unsigned i = 0; i < 10; i++) {
        const unsigned t = 1000 + 100000 * i;
        add("0 %u enter 6\n0 %u send 1 " COMM " 3 100000\n0 %u leave 6\n", t, t, t + 50000);
        add("2 %u enter 7\n2 %u receive 0 " COMM " 3 100000\n2 %u leave 7\n", t, t + 50000, t + 50000);
    }
    add("0 1000000 leave 0\n2 1000000 leave 0\n");
    mpi_fixture_analyse(events);
    mpi_fixture_expect(
        OMPTAPE_FINDING_COMMUNICATION, "MPI_Send", 0,
        "beside waits for others: 10 calls of 100,000 bytes and 50 us each on average, 2 GB/s");
    mpi_fixture_close();
}

/* Two threads of one of two processes write at the same time, for 60 us of 100 us each. At the end one writes
 * for 15 us longer, for which the other one waits: too little for a finding. */
static void calls_of_threads_take_as_long_as_one(void **state)
{
    enum { CALLS = 20, EACH = 100000, END = CALLS * EACH - 24000 };
    (void)state;
    begin();
    for (unsigned thread = 0; thread < 2; thread++) {
        add("%u 0 team 0\n%u 0 enter 1\n", thread, thread);
        for (unsigned i = 0; i < CALLS; i++) {
            const unsigned t = EACH * i + 1000;
            const unsigned end = t + 60000 + (i == CALLS - 1 ? 15000 * thread : 0);
            add("%u %u enter 28\n%u %u io 1 %u 100000 0\n", thread, t, thread, t, 2 * i + thread + 1);
            add("%u %u iodone %u 100000\n%u %u leave 28\n", thread, end, 2 * i + thread + 1, thread, end);
            if (i == CALLS - 1)
                add("%u %u enter 2\n", thread, end);
        }
        add("%u %u leave 2\n%u %u leave 1\n%u %u endteam 0\n", thread, END, thread, END, thread, END);
    }
    add("2 0 enter 0\n2 %u leave 0\n", END);
    mpi_fixture_analyse(events);
    mpi_fixture_expect(
        OMPTAPE_FINDING_COMMUNICATION, "MPI_File_write_all", 0,
        "takes 608 us (31 %) beside waits for others: 40 calls of 100,000 bytes and 60 us each");
    mpi_fixture_close();
}

/* Of two jobs in turn each begins MPI for four fifths of its time. */
static void jobs_in_turn_begin_mpi_for_the_sum(void **state)
{
    (void)state;
    begin();
    for (unsigned job = 0; job < 2; job++) {
        const unsigned t = 1000 + 100000 * job;
        add("%u %u enter 0\n%u %u enter 30\n", 2 * job, t, 2 * job, t);
        add("%u %u leave 30\n%u %u leave 0\n", 2 * job, t + 80000, 2 * job, t + 99000);
    }
    mpi_fixture_analyse(events);
    assert_non_null(mpi_fixture_analysis->starting);
    assert_non_null(strstr(mpi_fixture_analysis->starting, "MPI_Init takes 80 % of the run"));
    mpi_fixture_close();
}

static void a_fetch_sends_and_receives(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 36\n0 100 atomic " WINDOW " 1 8 4 1\n0 110 leave 36\n");
    assert_int_equal(1, mpi_fixture_analysis->mpi_count);
    assert_int_equal(8, mpi_fixture_analysis->mpi[0]->sent);
    assert_int_equal(4, mpi_fixture_analysis->mpi[0]->received);
    mpi_fixture_close();
}

/* Small puts, each with a flush of its own. */
static void a_flush_belongs_to_its_row(void **state)
{
    (void)state;
    begin();
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned t = 100 + 10 * i;
        add("0 %u enter 34\n0 %u put " WINDOW " 1 16 %u\n0 %u leave 34\n", t, t, i + 1, t + 4);
        add("0 %u enter 24\n0 %u remote " WINDOW " %u\n0 %u leave 24\n", t + 5, t + 9, i + 1, t + 9);
    }
    mpi_fixture_analyse(events);
    mpi_fixture_expect(OMPTAPE_FINDING_SMALL_MESSAGES, "MPI_Put", 10 * (ROUNDS - 1),
                       "1,199 calls of 16 bytes");
    mpi_fixture_close();
}

/* Work of 3 us lies between the rounds. */
static void work_ends_a_row(void **state)
{
    (void)state;
    begin();
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned t = 100 + 3010 * i;
        add("0 %u enter 8\n0 %u isend 1 " COMM " 3 8 %u\n0 %u leave 8\n", t, t, i + 1, t + 4);
        add("0 %u enter 10\n0 %u sent %u\n0 %u leave 10\n", t + 5, t + 9, i + 1, t + 9);
    }
    mpi_fixture_analyse(events);
    assert_false(has(OMPTAPE_FINDING_SMALL_MESSAGES));
    mpi_fixture_close();
}

/* Both processes make so many of them, each in 10 of 100, and perhaps end each. */
static void add_makers(unsigned rounds, const char *maker, const char *ender)
{
    begin();
    for (unsigned location = 0; location <= 2; location += 2)
        for (unsigned i = 0; i < rounds; i++) {
            const unsigned t = 100 + 100 * i;
            add("%u %u enter %s\n%u %u leave %s\n", location, t, maker, location, t + 10, maker);
            if (ender != NULL)
                add("%u %u enter %s\n%u %u leave %s\n", location, t + 80, ender, location, t + 85, ender);
        }
}

static void make(unsigned rounds, const char *maker, const char *ender)
{
    add_makers(rounds, maker, ender);
    mpi_fixture_analyse(events);
}

static void communicators_are_made_in_a_loop(void **state)
{
    (void)state;
    make(60, "32", NULL);
    mpi_fixture_expect(OMPTAPE_FINDING_REPEATED_CREATION, "MPI_Comm_dup", 1200,
                       "120 calls make communicators here, and none frees one: 10 ns each; making and "
                       "freeing them takes 1.2 us in all");
    mpi_fixture_proposes(OMPTAPE_FINDING_REPEATED_CREATION, "make it once");
    mpi_fixture_close();
}

/* What is not recorded may free them. */
static void dropped_events_may_free_them(void **state)
{
    (void)state;
    add_makers(60, "32", NULL);
    mpi_fixture_analyse_from(events, "1", 0, 0);
    mpi_fixture_expect(OMPTAPE_FINDING_REPEATED_CREATION, "MPI_Comm_dup", 1200,
                       "120 calls make communicators here: 10 ns each");
    mpi_fixture_close();
}

static void calls_outside_of_the_window_may_free_them(void **state)
{
    (void)state;
    add_makers(60, "32", NULL);
    mpi_fixture_analyse_from(events, NULL, 50, 100000);
    mpi_fixture_expect(OMPTAPE_FINDING_REPEATED_CREATION, "MPI_Comm_dup", 1200,
                       "120 calls make communicators here: 10 ns each");
    mpi_fixture_close();
}

static void files_are_opened_in_a_loop(void **state)
{
    (void)state;
    mpi_fixture_handles = 0;
    make(60, "33", "29");
    mpi_fixture_handles = 1;
    mpi_fixture_expect(OMPTAPE_FINDING_REPEATED_CREATION, "MPI_File_open", 1800,
                       "120 calls open files here: 10 ns each; opening and closing them takes 1.8 us in all");
    mpi_fixture_proposes(OMPTAPE_FINDING_REPEATED_CREATION, "keep it open; otherwise fewer and larger files");
    mpi_fixture_close();
}

/* The first process starts one three times. Each of these lasts so long. */
static void start_processes(unsigned length)
{
    begin();
    for (unsigned t = 100; t <= 900; t += 400)
        add("0 %u enter %u\n0 %u leave %u\n", t, COMM_SPAWN, t + 300, COMM_SPAWN);
    for (unsigned child = 1; child <= 3; child++)
        add("%u %u enter 0\n%u %u leave 0\n", child, 400 * child, child, 400 * child + length);
    add("0 2000 enter 0\n0 2100 leave 0\n");
    mpi_fixture_four = true;
    mpi_fixture_analyse(events);
    mpi_fixture_four = false;
}

/* A new one, when the one before has ended. */
static void processes_are_started_in_a_loop(void **state)
{
    (void)state;
    start_processes(300);
    mpi_fixture_expect(
        OMPTAPE_FINDING_REPEATED_CREATION, "MPI_Comm_spawn", 900,
        "3 calls start processes here when others have ended: 300 ns each; starting them takes "
        "900 ns in all");
    mpi_fixture_proposes(OMPTAPE_FINDING_REPEATED_CREATION, "start them once");
    mpi_fixture_close();
}

static void no_process_is_started_again(void)
{
    for (uint32_t i = 0; i < mpi_fixture_analysis->finding_count; i++)
        assert_int_not_equal(OMPTAPE_FINDING_REPEATED_CREATION, mpi_fixture_analysis->findings[i].kind);
    mpi_fixture_close();
}

/* All work at the same time. */
static void workers_are_started_one_by_one(void **state)
{
    (void)state;
    start_processes(850);
    no_process_is_started_again();
}

/* All four take part in one call. */
static void processes_are_started_together(void **state)
{
    (void)state;
    begin();
    for (unsigned location = 0; location < 4; location++)
        add("%u 100 enter %u\n%u 400 leave %u\n%u 500 enter 0\n%u 2000 leave 0\n", location, COMM_SPAWN,
            location, COMM_SPAWN, location, location);
    mpi_fixture_four = true;
    mpi_fixture_analyse(events);
    mpi_fixture_four = false;
    no_process_is_started_again();
}

static void open_files(unsigned files, const char *text, const char *proposal)
{
    mpi_fixture_handles = 60;
    mpi_fixture_files = files;
    make(60, "33", "29");
    mpi_fixture_handles = mpi_fixture_files = 1;
    mpi_fixture_expect(OMPTAPE_FINDING_REPEATED_CREATION, "MPI_File_open", 1800, text);
    mpi_fixture_proposes(OMPTAPE_FINDING_REPEATED_CREATION, proposal);
    mpi_fixture_close();
}

static void one_file_is_opened_in_a_loop(void **state)
{
    (void)state;
    open_files(1, "120 calls open files here, with 1 name: 10 ns each", "open it once, and keep it open");
}

static void two_files_are_opened_in_turn(void **state)
{
    (void)state;
    open_files(2, "120 calls open files here, with 2 names: 10 ns", "open each one once, and keep it open");
}

static void each_step_opens_another_file(void **state)
{
    (void)state;
    open_files(60, "120 calls open files here, with 60 names: 10 ns", "fewer and larger files");
}

static void windows_of_large_counts_are_made_in_a_loop(void **state)
{
    (void)state;
    make(60, "35", NULL);
    mpi_fixture_expect(OMPTAPE_FINDING_REPEATED_CREATION, "MPI_Win_allocate_c", 1200,
                       "120 calls make windows here, and none frees one");
    mpi_fixture_close();
}

static void a_few_communicators_are_none(void **state)
{
    (void)state;
    make(40, "32", NULL);
    assert_false(has(OMPTAPE_FINDING_REPEATED_CREATION));
    mpi_fixture_close();
}

/* After longer calls and pauses the sender works for 1000, and then makes calls that become shorter. */
static void work_before_many_calls_is_not_lost(void **state)
{
    (void)state;
    unsigned time = 13010;
    begin();
    add("0 90 enter 0\n0 5000 enter 7\n0 9000 leave 7\n0 12000 enter 7\n0 12010 leave 7\n");
    add("0 12010 enter 1\n0 %u leave 1\n", time);
    for (unsigned length = 60; length > 10; length -= 10) {
        add("0 %u enter 6\n0 %u send 1 " COMM " 9 8\n0 %u leave 6\n", time, time, time + length);
        time += length + length - 5;
    }
    add("0 %u enter 6\n0 %u send 1 " COMM " 3 8\n0 %u leave 6\n", time, time, time + 5);
    add("2 90 enter 0\n2 12050 enter 7\n2 %u receive 0 " COMM " 3 8\n2 %u leave 7\n", time + 5, time + 5);
    mpi_fixture_analyse(events);
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Recv", time - 12050,
                       "which is mostly in parallel @a.c:10");
    mpi_fixture_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_wait_belongs_to_its_row, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(sends_and_receives_take_turns, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(an_answer_ends_a_row, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(calls_may_take_the_time_themselves, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(calls_of_threads_take_as_long_as_one, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(jobs_in_turn_begin_mpi_for_the_sum, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(an_answer_to_a_request_ends_a_row, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_sends_before_it_receives_answers_nothing, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(a_fetch_sends_and_receives, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_flush_belongs_to_its_row, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(work_ends_a_row, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(communicators_are_made_in_a_loop, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(dropped_events_may_free_them, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(calls_outside_of_the_window_may_free_them, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(processes_are_started_in_a_loop, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(workers_are_started_one_by_one, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(processes_are_started_together, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(files_are_opened_in_a_loop, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(one_file_is_opened_in_a_loop, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(two_files_are_opened_in_turn, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(each_step_opens_another_file, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(windows_of_large_counts_are_made_in_a_loop, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(a_few_communicators_are_none, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(work_before_many_calls_is_not_lost, check_make_folder,
                                        check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
