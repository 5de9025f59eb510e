/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of processes that ask again and again whether a message has come (src/analysis/mpi/). Run by
 * CTest on one thread.
 */
#include "tests/unit/analysis/mpi_fixture.h"

/* The message is sent at 9000, and asked for since 300: what is between two calls counts, too. What comes
 * next is asked for anew, as is what completed nothing that was asked for. */
static void a_receiver_asks_again_and_again(void **state)
{
    (void)state;
    mpi_fixture_analyse(
        "0 100 enter 0\n0 8990 leave 0\n0 9000 enter 6\n0 9000 send 1 " COMM
        " 3 8\n0 9010 leave 6\n0 9100 enter 6\n0 9100 send 1 " COMM " 3 8\n0 9110 leave 6\n"
        "2 200 enter 9\n2 210 posted 7\n2 220 leave 9\n2 230 enter 9\n2 230 posted 8\n2 240 leave 9\n"
        "2 300 enter 25\n2 400 leave 25\n2 500 enter 25\n2 600 leave 25\n"
        "2 8600 enter 25\n2 8900 leave 25\n"
        "2 9000 enter 25\n2 9050 ireceive 0 " COMM " 3 8 7\n2 9050 leave 25\n"
        "2 9200 enter 25\n2 9250 ireceive 0 " COMM " 3 8 8\n2 9250 leave 25\n"
        "2 9900 enter 0\n2 9950 leave 0\n");
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Test", 8700, "8.2 us of it between calls");
    assert_int_equal(500, mpi_fixture_waited_in("MPI_Test"));
    mpi_fixture_close();
}

/* It asks for 30 of 700 us, and runs all the time. */
static void who_computes_between_does_not_wait(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 10000 enter 0\n0 899000 leave 0\n0 900000 enter 6\n0 900000 send 1 " COMM
                        " 3 8\n0 901000 leave 6\n"
                        "2 20000 enter 9\n2 21000 posted 7\n2 22000 leave 9\n2 29000 metric 0 29000 1\n"
                        "2 200000 enter 25\n2 210000 leave 25\n2 400000 enter 25\n2 410000 leave 25\n"
                        "2 600000 enter 25\n2 610000 leave 25\n"
                        "2 910000 enter 25\n2 915000 ireceive 0 " COMM " 3 8 7\n2 915000 leave 25\n"
                        "2 990000 enter 0\n2 994000 metric 0 994000 1\n2 995000 leave 0\n");
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Test", 29577, "sent late");
    mpi_fixture_close();
}

/* The same, and the sender lacks a processor half of the time: what is left of the wait is no less than 0. */
static void what_a_processor_explains_is_no_work_between(void **state)
{
    uint64_t waited = 0;
    (void)state;
    mpi_fixture_analyse("0 10000 enter 0\n0 15000 metric 0 15000 1\n0 899000 leave 0\n0 900000 enter 6\n"
                        "0 900000 send 1 " COMM " 3 8\n0 901000 leave 6\n0 950000 metric 0 450000 500000\n"
                        "2 20000 enter 9\n2 21000 posted 7\n2 22000 leave 9\n2 29000 metric 0 29000 1\n"
                        "2 200000 enter 25\n2 210000 leave 25\n2 400000 enter 25\n2 410000 leave 25\n"
                        "2 600000 enter 25\n2 610000 leave 25\n"
                        "2 910000 enter 25\n2 915000 ireceive 0 " COMM " 3 8 7\n2 915000 leave 25\n"
                        "2 990000 enter 0\n2 994000 metric 0 994000 1\n2 995000 leave 0\n");
    for (uint32_t i = 0; i < mpi_fixture_analysis->finding_count; i++)
        if (mpi_fixture_analysis->findings[i].kind == OMPTAPE_FINDING_LATE_SENDER)
            waited = mpi_fixture_analysis->findings[i].waited;
    assert_true(waited < 29577);
    mpi_fixture_close();
}

/* It sleeps for 71.5 ms, nearly always between calls that ask: the waiting and other sleep are no more. */
static void sleep_between_calls_counts_once(void **state)
{
    uint64_t slept = 0;
    uint64_t waited = 0;
    (void)state;
    mpi_fixture_analyse("2 1000000 enter 0\n2 89900000 leave 0\n2 90000000 enter 6\n2 90000000 send 0 " COMM
                        " 3 8\n2 90100000 leave 6\n2 99000000 metric 0 99000000 1\n"
                        "0 10 program\n0 2000000 enter 9\n0 2100000 posted 7\n0 2200000 leave 9\n"
                        "0 2900000 metric 0 2900000 1\n0 20000000 enter 25\n0 21000000 leave 25\n"
                        "0 40000000 enter 25\n0 41000000 leave 25\n0 60000000 enter 25\n0 61000000 leave 25\n"
                        "0 91000000 enter 25\n0 91500000 ireceive 1 " COMM " 3 8 7\n0 91500000 leave 25\n"
                        "0 99400000 metric 0 27900000 1\n0 99500000 endprogram\n");
    for (uint32_t i = 0; i < mpi_fixture_analysis->finding_count; i++) {
        const struct omptape_finding *finding = &mpi_fixture_analysis->findings[i];
        slept += finding->kind == OMPTAPE_FINDING_BLOCKED ? finding->cost : 0;
        waited += finding->kind == OMPTAPE_FINDING_LATE_SENDER ? finding->waited : 0;
    }
    assert_in_range(waited, 50000000, 71500000);
    assert_in_range(slept + waited, 50000000, 80000000);
    mpi_fixture_close();
}

/* The message is sent at 900000. Constructs between two calls that ask are no waiting, nor is what follows a
 * single call and is long. */
static void who_works_between_does_not_wait(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 900000 enter 6\n0 900000 send 1 " COMM " 3 8\n0 900010 leave 6\n"
                        "2 200 enter 9\n2 210 posted 7\n2 220 leave 9\n"
                        "2 100000 enter 25\n2 100100 leave 25\n" /* 100 */
                        "2 100100 enter 1\n2 700100 leave 1\n"
                        "2 800000 enter 25\n2 800100 leave 25\n" /* 100000 */
                        "2 900100 enter 25\n2 900200 ireceive 0 " COMM
                        " 3 8 7\n2 900200 leave 25\n" /* 100000 */
                        "2 990000 enter 0\n2 995000 leave 0\n");
    /* As much of 100200 + 99900 as lies before 900000. */
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Test", 200074, "sent late");
    mpi_fixture_close();
    check_remove_folder(NULL);
    check_make_folder(NULL);
    mpi_fixture_analyse("0 900000 enter 6\n0 900000 send 1 " COMM " 3 8\n0 900010 leave 6\n"
                        "2 200 enter 9\n2 210 posted 7\n2 220 leave 9\n"
                        "2 100000 enter 25\n2 100100 leave 25\n"
                        "2 999000 enter 10\n2 999100 ireceive 0 " COMM " 3 8 7\n2 999100 leave 10\n");
    assert_true(mpi_fixture_waited_in("MPI_Test") <= 100);
    mpi_fixture_close();
}

/* A test in vain does not make the next call wait, which no other rank sees. The wait is in the call that
 * completes. */
static void asking_in_vain_is_no_wait_for_others(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 0\n0 480 leave 0\n0 490 enter 11\n0 500 collective 11 " COMM
                        " 4294967295 8 8\n0 500 leave 11\n0 800 enter 6\n0 800 send 1 " COMM
                        " 3 8\n0 810 leave 6\n"
                        "2 110 enter 9\n2 120 posted 7\n2 130 leave 9\n2 200 enter 25\n2 300 leave 25\n"
                        "2 440 enter 11\n2 500 collective 11 " COMM " 4294967295 8 8\n2 500 leave 11\n"
                        "2 600 enter 25\n2 850 ireceive 0 " COMM " 3 8 7\n2 850 leave 25\n");
    mpi_fixture_expect(OMPTAPE_FINDING_COLLECTIVE_WAIT, "MPI_Allreduce", 50, "for others");
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Test", 300, "sent late");
    mpi_fixture_close();
}

/* The wait is where the message is asked for, not where it is fetched. */
static void a_receiver_probes(void **state)
{
    (void)state;
    mpi_fixture_analyse(
        "0 900 enter 6\n0 900 send 1 " COMM " 3 8\n0 910 leave 6\n"
        "2 200 enter 26\n2 500 leave 26\n2 600 enter 26\n2 950 leave 26\n2 960 enter 7\n2 970 receive 0 " COMM
        " 3 8\n2 970 leave 7\n2 990 enter 0\n2 995 leave 0\n");
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Iprobe", 700, "sent late");
    assert_int_equal(0, mpi_fixture_waited_in("MPI_Recv"));
    mpi_fixture_close();
}

/* The same with one call that waits. */
static void a_receiver_waits_for_what_it_probes(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 900 enter 6\n0 900 send 1 " COMM " 3 8\n0 910 leave 6\n"
                        "2 200 enter 21\n2 930 leave 21\n2 960 enter 22\n2 970 receive 0 " COMM
                        " 3 8\n2 970 leave 22\n2 990 enter 0\n2 995 leave 0\n");
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Mprobe", 700, "sent late");
    mpi_fixture_close();
}

/* The same with a request for what the probe has found. */
static void a_receiver_fetches_what_it_probes(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 900 enter 6\n0 900 send 1 " COMM " 3 8\n0 910 leave 6\n"
                        "2 200 enter 21\n2 930 leave 21\n2 960 enter 23\n2 965 posted 7\n2 970 leave 23\n"
                        "2 980 enter 10\n2 985 ireceive 0 " COMM
                        " 3 8 7\n2 985 leave 10\n2 990 enter 0\n2 995 leave 0\n");
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Mprobe", 700, "sent late");
    mpi_fixture_close();
}

/* A row of calls is one visit: each of them counts, and is as long as their mean. */
static void all_calls_of_a_row_count(void **state)
{
    (void)state;
    mpi_fixture_analyse(
        "2 200 enter 25\n2 300 leave 25\n2 400 enter 25\n2 4400 uint 5 1001\n2 4400 leave 25\n"
        "2 4500 enter 26\n2 4600 leave 26\n");
    for (uint32_t i = 0; i < mpi_fixture_analysis->mpi_count; i++) {
        const struct analysis_mpi *mpi = mpi_fixture_analysis->mpi[i];
        const struct analysis_durations calls = omptape_durations_of_calls(mpi_fixture_analysis, mpi);
        const bool is_row = strcmp(mpi->region->label, "MPI_Test") == 0;
        uint64_t sum = 0;
        for (unsigned bin = 0; bin < ANALYSIS_BINS; bin++)
            sum += calls.bins[bin];
        assert_int_equal(is_row ? 1002 : 1, calls.count);
        assert_int_equal(calls.count, sum);
        assert_int_equal(is_row ? 4100 : 100, calls.sum);
        assert_in_range(omptape_durations_median(&calls, mpi_fixture_reader->clock_resolution),
                        is_row ? 4 : 64, is_row ? 7 : 127);
    }
    assert_int_equal(2, mpi_fixture_analysis->mpi_count);
    mpi_fixture_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_a_processor_explains_is_no_work_between, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(all_calls_of_a_row_count, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_receiver_asks_again_and_again, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_works_between_does_not_wait, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(sleep_between_calls_counts_once, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_computes_between_does_not_wait, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(asking_in_vain_is_no_wait_for_others, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(a_receiver_probes, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_receiver_waits_for_what_it_probes, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(a_receiver_fetches_what_it_probes, check_make_folder,
                                        check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
