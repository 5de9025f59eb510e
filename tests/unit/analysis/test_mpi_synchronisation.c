/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of who waits for whom in MPI's collective operations and at its windows (src/analysis/mpi/): two
 * processes, exact times. Run by CTest on one thread.
 */
#include "tests/unit/analysis/mpi_fixture.h"

/* All wait for the last; in a broadcast for the root, in a reduction only the root waits. */
static void collectives_wait(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 11\n0 330 collective 11 " COMM " 4294967295 8 8\n0 330 leave 11\n"
                        "2 300 enter 11\n2 330 collective 11 " COMM " 4294967295 8 8\n2 330 leave 11\n");
    mpi_fixture_expect(OMPTAPE_FINDING_COLLECTIVE_WAIT, "MPI_Allreduce", 200, "100 % of it for process 4711");
    mpi_fixture_close();
    check_remove_folder(NULL);
    check_make_folder(NULL);
    mpi_fixture_analyse("0 100 enter 11\n0 110 collective 1 " COMM " 0 8 8\n0 110 leave 11\n"
                        "2 300 enter 11\n2 330 collective 1 " COMM " 0 8 8\n2 330 leave 11\n"
                        "2 400 enter 11\n2 410 collective 12 " COMM " 0 8 8\n2 410 leave 11\n"
                        "0 600 enter 11\n0 610 collective 12 " COMM " 0 8 8\n0 610 leave 11\n"
                        "0 700 enter 11\n0 810 collective 12 " COMM " 0 8 8\n0 810 leave 11\n"
                        "2 800 enter 11\n2 810 collective 12 " COMM " 0 8 8\n2 810 leave 11\n");
    assert_int_equal(100, mpi_fixture_waited_in("MPI_Allreduce")); /* the root of the last */
    mpi_fixture_close();
}

/* Each waits in Wait for the other's begin of the same operation. The order of begins decides which one that
 * is, not the order of ends. An operation that blocks does not count. */
static void operations_that_do_not_block_wait_later(void **state)
{
    (void)state;
    mpi_fixture_analyse(
        "0 100 enter 12\n0 100 begun 1\n0 105 leave 12\n0 110 enter 12\n0 110 begun 2\n0 115 leave 12\n"
        "2 200 enter 11\n2 210 collective 11 " COMM " " NO_ROOT " 8 8\n2 210 leave 11\n"
        "2 300 enter 12\n2 300 begun 1\n2 305 leave 12\n"
        /* The second is complete before the first: 500 and 520. */
        "0 150 enter 10\n2 500 enter 12\n2 500 begun 2\n2 505 leave 12\n"
        "0 520 ended 11 " COMM " " NO_ROOT " 2\n0 520 leave 10\n"
        "0 530 enter 10\n0 540 ended 11 " COMM " " NO_ROOT " 1\n0 540 leave 10\n"
        "2 600 enter 10\n2 610 ended 11 " COMM " " NO_ROOT " 1\n2 610 ended 11 " COMM " " NO_ROOT
        " 2\n2 610 leave 10\n0 800 enter 11\n0 810 collective 11 " COMM " " NO_ROOT " 8 8\n0 810 leave 11\n");
    mpi_fixture_expect(OMPTAPE_FINDING_COLLECTIVE_WAIT, "MPI_Wait", 350, "for process 4711");
    assert_int_equal(0, mpi_fixture_waited_in("MPI_Iallreduce"));
    assert_int_equal(10,
                     mpi_fixture_waited_in("MPI_Allreduce")); /* as far as the call goes: it ended at 210 */
    mpi_fixture_close();
}

/* Rank 1 waits for rank 0, and not the other way. */
static void scans_wait_for_lower_ranks(void **state)
{
    (void)state;
    mpi_fixture_analyse("2 100 enter 11\n2 330 collective 14 " COMM " " NO_ROOT " 8 8\n2 330 leave 11\n"
                        "0 300 enter 11\n0 310 collective 14 " COMM " " NO_ROOT " 8 8\n0 310 leave 11\n"
                        "0 400 enter 11\n0 610 collective 15 " COMM " " NO_ROOT " 8 8\n0 610 leave 11\n"
                        "2 600 enter 11\n2 610 collective 15 " COMM " " NO_ROOT " 8 8\n2 610 leave 11\n");
    assert_int_equal(200, mpi_fixture_waited_in("MPI_Allreduce"));
    mpi_fixture_close();
}

/* Who stands by on the root's side of an inter-communicator needs nobody: a broadcast from there, and a
 * reduction to the other side, whose root is rank 1. */
static void some_only_stand_by(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 11\n0 330 collective 1 " COMM " " THIS_GROUP " 0 0\n0 330 leave 11\n"
                        "2 300 enter 11\n2 330 collective 1 " COMM " 1 8 8\n2 330 leave 11\n"
                        "2 400 enter 11\n2 610 collective 12 " COMM " 1 8 8\n2 610 leave 11\n"
                        "0 600 enter 11\n0 610 collective 12 " COMM " " THIS_GROUP " 0 0\n0 610 leave 11\n"
                        "2 700 enter 11\n2 810 collective 12 " COMM " 4294967294 8 8\n2 810 leave 11\n"
                        "0 800 enter 11\n0 810 collective 12 " COMM " 1 8 8\n0 810 leave 11\n");
    assert_int_equal(100, mpi_fixture_waited_in("MPI_Allreduce")); /* the last: its root says so itself */
    mpi_fixture_close();
}

/* What all write at once lets go whom it may, here the one at 410; whoever closes a file waits for the last.
 * What a process reads and writes alone, or begins only, is none of it. */
static void files_wait(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 28\n0 100 io 1 1 8 2\n0 330 iodone 1 8\n0 330 leave 28\n"
                        "0 400 enter 28\n0 400 io 1 2 8 2\n0 410 iodone 2 8\n0 410 leave 28\n"
                        "0 420 enter 28\n0 420 io 1 3 8 0\n0 430 iodone 3 8\n0 430 leave 28\n"
                        "0 440 enter 28\n0 440 io 1 4 8 3\n0 450 leave 28\n"
                        "0 500 enter 29\n0 910 close\n0 910 leave 29\n"
                        "2 300 enter 28\n2 300 io 1 1 8 2\n2 330 iodone 1 8\n2 330 leave 28\n"
                        "2 500 enter 28\n2 500 io 1 2 8 2\n2 510 iodone 2 8\n2 510 leave 28\n"
                        "2 900 enter 29\n2 910 close\n2 910 leave 29\n");
    assert_int_equal(200, mpi_fixture_waited_in("MPI_File_write_all"));
    assert_int_equal(400, mpi_fixture_waited_in("MPI_File_close"));
    mpi_fixture_close();
}

/* All end together, whether or not there was a message, but for who does not wait for others. */
static void ends_wait(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 31\n0 330 leave 31\n2 300 enter 31\n2 330 leave 31\n");
    mpi_fixture_expect(OMPTAPE_FINDING_COLLECTIVE_WAIT, "MPI_Finalize", 200, "100 % of it for process 4711");
    mpi_fixture_close();
    check_remove_folder(NULL);
    check_make_folder(NULL);
    mpi_fixture_analyse("0 100 enter 31\n0 130 leave 31\n2 300 enter 31\n2 330 leave 31\n");
    assert_int_equal(0, mpi_fixture_waited_in("MPI_Finalize"));
    mpi_fixture_close();
}

/* At a fence all wait for the last, unless they go on without it. */
static void fences_wait(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 13\n0 330 fence " WINDOW "\n0 330 leave 13\n"
                        "2 300 enter 13\n2 330 fence " WINDOW "\n2 330 leave 13\n"
                        "0 400 enter 13\n0 410 fence " WINDOW "\n0 410 leave 13\n"
                        "2 500 enter 13\n2 510 fence " WINDOW "\n2 510 leave 13\n");
    mpi_fixture_expect(OMPTAPE_FINDING_COLLECTIVE_WAIT, "MPI_Win_fence", 200, "100 % of it for process 4711");
    mpi_fixture_close();
}

/* Start waits for a post that is late, and Wait for Complete; then the post comes when Start is over, and
 * Complete waits for it. */
static void epochs_wait(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 15\n2 200 enter 14\n2 205 group " WINDOW " " RANK_0 "\n2 205 leave 14\n"
                        "0 210 group " WINDOW " " RANK_1 "\n0 210 leave 15\n"
                        "2 220 enter 17\n0 250 enter 16\n0 255 group " WINDOW " " RANK_1 "\n0 255 leave 16\n"
                        "2 260 group " WINDOW " " RANK_0 "\n2 260 leave 17\n");
    assert_int_equal(100, mpi_fixture_waited_in("MPI_Win_start"));
    mpi_fixture_expect(OMPTAPE_FINDING_WINDOW_WAIT, "MPI_Win_start", 100, "for others' epochs of a window");
    assert_int_equal(30, mpi_fixture_waited_in("MPI_Win_wait"));
    assert_int_equal(0, mpi_fixture_waited_in("MPI_Win_complete") + mpi_fixture_waited_in("MPI_Win_post"));
    mpi_fixture_close();
    check_remove_folder(NULL);
    check_make_folder(NULL);
    mpi_fixture_analyse("0 100 enter 15\n0 110 group " WINDOW " " RANK_1 "\n0 110 leave 15\n"
                        "0 150 enter 16\n2 400 enter 14\n2 405 group " WINDOW " " RANK_0 "\n2 405 leave 14\n"
                        "0 420 group " WINDOW " " RANK_1 "\n0 420 leave 16\n"
                        "2 500 enter 17\n2 505 group " WINDOW " " RANK_0 "\n2 505 leave 17\n"
                        /* The next epoch begins at one side before the last has ended at the other. */
                        "0 450 enter 15\n0 460 group " WINDOW " " RANK_1 "\n0 460 leave 15\n"
                        "2 550 enter 14\n2 555 group " WINDOW " " RANK_0 "\n2 555 leave 14\n"
                        "0 600 enter 16\n0 610 group " WINDOW " " RANK_1 "\n0 610 leave 16\n"
                        "2 560 enter 17\n2 620 group " WINDOW " " RANK_0 "\n2 620 leave 17\n");
    assert_int_equal(250, mpi_fixture_waited_in("MPI_Win_complete"));
    assert_int_equal(40, mpi_fixture_waited_in("MPI_Win_wait"));
    assert_int_equal(0, mpi_fixture_waited_in("MPI_Win_start"));
    mpi_fixture_close();
}

/* Location 0 has rank 1's part alone; location 2 wants it too, gets it in Lock, or, in another MPI, in
 * Unlock; and who shares a lock waits for nobody who shares it. */
static void locks_wait(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 18\n0 110 lock " WINDOW " 1 0\n0 110 leave 18\n"
                        "2 200 enter 18\n0 300 enter 19\n2 302 lock " WINDOW " 1 0\n2 302 leave 18\n"
                        "0 305 unlock " WINDOW " 1\n0 305 leave 19\n"
                        "2 310 enter 19\n2 315 unlock " WINDOW " 1\n2 315 leave 19\n");
    assert_int_equal(102, mpi_fixture_waited_in("MPI_Win_lock"));
    assert_int_equal(0, mpi_fixture_waited_in("MPI_Win_unlock"));
    mpi_fixture_close();
    check_remove_folder(NULL);
    check_make_folder(NULL);
    mpi_fixture_analyse("0 100 enter 18\n0 110 lock " WINDOW " 1 0\n0 110 leave 18\n"
                        "2 200 enter 18\n2 202 lock " WINDOW " 4294967295 1\n2 202 leave 18\n2 210 enter 19\n"
                        "0 300 enter 19\n0 305 unlock " WINDOW " 1\n0 305 leave 19\n"
                        "2 315 unlock " WINDOW " 4294967295\n2 315 leave 19\n"
                        "0 400 enter 18\n0 410 lock " WINDOW
                        " 0 1\n0 410 leave 18\n2 420 enter 18\n2 425 lock " WINDOW
                        " 0 1\n2 425 leave 18\n2 430 enter 19\n0 450 enter 19\n0 460 unlock " WINDOW
                        " 0\n0 460 leave 19\n2 470 unlock " WINDOW " 0\n2 470 leave 19\n");
    assert_int_equal(95, mpi_fixture_waited_in("MPI_Win_unlock"));
    assert_int_equal(0, mpi_fixture_waited_in("MPI_Win_lock"));
    mpi_fixture_close();
}

/* Location 2 has the lock as soon as it asks for it, as MPI says, but is kept out until location 0, which has
 * it, is through with giving it back: then what it puts is there. */
#define PUTS_WHILE_LOCKED(end, type, part)                                                                   \
    "0 100 enter 18\n0 110 lock " WINDOW " 1 0\n0 110 leave 18\n2 200 enter 18\n2 202 lock " WINDOW " " part \
    " " type "\n2 202 leave 18\n2 205 enter 20\n2 205 put " WINDOW " 1 8 77\n2 206 leave 20\n"               \
    "0 300 enter 19\n0 305 unlock " WINDOW " 1\n0 305 leave 19\n2 250 enter 24\n" end                        \
    "2 320 leave 24\n2 400 enter 19\n2 405 unlock " WINDOW " " part "\n2 405 leave 19\n"

static uint64_t waited_in_flush(const char *events)
{
    check_remove_folder(NULL);
    check_make_folder(NULL);
    mpi_fixture_analyse(events);
    const uint64_t waited = mpi_fixture_waited_in("MPI_Win_flush");
    mpi_fixture_close();
    return waited;
}

static void flushes_wait_for_locks(void **state)
{
    (void)state;
    assert_int_equal(55, waited_in_flush(PUTS_WHILE_LOCKED("2 315 remote " WINDOW " 77\n", "0", "1")));
    /* The same of all parts together, and after what was put is complete here. */
    assert_int_equal(55, waited_in_flush(PUTS_WHILE_LOCKED(
                             "2 310 done " WINDOW " 77\n2 315 remote " WINDOW " 77\n", "1", "4294967295")));
    /* What is complete here alone says nothing. */
    assert_int_equal(0, waited_in_flush(PUTS_WHILE_LOCKED("2 315 done " WINDOW " 77\n", "0", "1")));
    /* Who shares the lock with it waits for nobody who shares it, */
    assert_int_equal(0, waited_in_flush("0 100 enter 18\n0 110 lock " WINDOW " 1 1\n0 110 leave 18\n"
                                        "2 200 enter 18\n2 202 lock " WINDOW " 1 1\n2 202 leave 18\n"
                                        "2 205 enter 20\n2 205 put " WINDOW " 1 8 77\n2 206 leave 20\n"
                                        "0 300 enter 19\n0 305 unlock " WINDOW " 1\n0 305 leave 19\n"
                                        "2 250 enter 24\n2 315 remote " WINDOW " 77\n2 320 leave 24\n"));
    /* nor who has all parts for what is put into another one. */
    assert_int_equal(0, waited_in_flush("0 100 enter 18\n0 110 lock " WINDOW " 0 0\n0 110 leave 18\n"
                                        "2 200 enter 18\n2 202 lock " WINDOW " 4294967295 1\n2 202 leave 18\n"
                                        "2 205 enter 20\n2 205 put " WINDOW " 1 8 77\n2 206 leave 20\n"
                                        "0 300 enter 19\n0 305 unlock " WINDOW " 0\n0 305 leave 19\n"
                                        "2 250 enter 24\n2 315 remote " WINDOW " 77\n2 320 leave 24\n"));
}

/* Location 0 puts something into the part of location 2, which is complete when that one calls MPI again. */
static void targets_move_nothing_on(void **state)
{
    (void)state;
    mpi_fixture_analyse(
        "2 50 enter 20\n2 60 leave 20\n2 60 enter 1\n2 90000 leave 1\n2 90000 enter 24\n2 95000 leave 24\n"
        "0 100 enter 18\n0 110 lock " WINDOW " 1 1\n0 110 leave 18\n"
        "0 120 enter 20\n0 120 put " WINDOW " 1 8 77\n0 130 leave 20\n"
        "0 20000 enter 24\n0 91000 remote " WINDOW " 77\n0 91000 leave 24\n");
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_PROGRESS, "MPI_Win_flush", 70000, "in parallel @a.c:10");
    mpi_fixture_close();
}

/* Of a thread that does nothing else: the lock is another one's of its process. */
static void threads_that_only_flush_wait(void **state)
{
    (void)state;
    assert_int_equal(55, waited_in_flush("2 100 enter 18\n2 110 lock " WINDOW " 0 0\n2 110 leave 18\n"
                                         "0 200 enter 18\n0 202 lock " WINDOW " 0 1\n0 202 leave 18\n"
                                         "1 205 enter 20\n1 205 put " WINDOW " 0 8 77\n1 206 leave 20\n"
                                         "1 250 enter 24\n2 300 enter 19\n2 305 unlock " WINDOW " 0\n"
                                         "2 305 leave 19\n1 315 remote " WINDOW " 77\n1 320 leave 24\n"
                                         "0 400 enter 19\n0 405 unlock " WINDOW " 0\n0 405 leave 19\n"));
}

/* Both make a communicator, and free another one that the first need not wait for. */
static void communicators_are_made_together(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 11\n0 330 collective 17 " COMM " " NO_ROOT " 0 0\n0 330 leave 11\n"
                        "2 300 enter 11\n2 330 collective 17 " COMM " " NO_ROOT " 0 0\n2 330 leave 11\n"
                        "0 400 enter 11\n0 410 collective 18 " COMM " " NO_ROOT " 0 0\n0 410 leave 11\n"
                        "2 600 enter 11\n2 610 collective 18 " COMM " " NO_ROOT " 0 0\n2 610 leave 11\n"
                        "0 700 enter 12\n0 705 begun 7\n0 710 leave 12\n0 710 enter 10\n0 910 ended 17 " COMM
                        " " NO_ROOT " 7\n0 910 leave 10\n"
                        "2 900 enter 12\n2 901 begun 7\n2 905 leave 12\n2 906 enter 10\n2 907 ended 17 " COMM
                        " " NO_ROOT " 7\n2 910 leave 10\n");
    assert_int_equal(200, mpi_fixture_waited_in("MPI_Allreduce"));
    assert_int_equal(190, mpi_fixture_waited_in("MPI_Wait"));
    mpi_fixture_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(collectives_wait, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(targets_move_nothing_on, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(communicators_are_made_together, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(operations_that_do_not_block_wait_later, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(scans_wait_for_lower_ranks, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(some_only_stand_by, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(files_wait, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(ends_wait, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(fences_wait, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(epochs_wait, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(locks_wait, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(flushes_wait_for_locks, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(threads_that_only_flush_wait, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
