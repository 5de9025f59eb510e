/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of who waits for whom in MPI (src/analysis/mpi/): messages of two processes, exact times. Run by
 * CTest on one thread.
 */
#include "src/analysis/timeline/windows.h"
#include "tests/unit/analysis/mpi_fixture.h"

#include <stdio.h>
#include <string.h>

static const struct analysis_region *region(const char *label)
{
    for (uint32_t i = 0; i < mpi_fixture_analysis->region_count; i++)
        if (strcmp(mpi_fixture_analysis->regions[i]->label, label) == 0)
            return mpi_fixture_analysis->regions[i];
    fail_msg("no region %s", label);
    return NULL;
}

/* The receiver comes at 200, the sender at 500, from a parallel region: 300 are its doing. */
static void a_receiver_waits(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 0\n0 150 enter 1\n0 480 leave 1\n0 500 enter 6\n0 500 send 1 " COMM
                        " 3 8\n0 510 leave 6\n"
                        "2 100 enter 0\n2 200 enter 7\n2 520 receive 0 " COMM
                        " 3 8\n2 520 leave 7\n2 900 leave 0\n"
                        "0 900 leave 0\n");
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Recv", 300, "in parallel @a.c:10");
    assert_int_equal(300, region("parallel @a.c:10")->charged);
    assert_int_equal(0, region("MPI_Recv")->charged);
    assert_int_equal(0, mpi_fixture_waited_in("MPI_Send"));
    /* Of 800 of the one process 10 are in MPI, of the other one 320. */
    assert_int_equal(2 * 10, mpi_fixture_analysis->efficiency.lost[ANALYSIS_COMMUNICATION]);
    assert_int_equal(310, mpi_fixture_analysis->efficiency.lost[ANALYSIS_MPI_LOAD_BALANCE]);
    mpi_fixture_close();
}

/* Of two calls of one function one has a call site: they stay two, and each ends where the function is left.
 */
static void places_are_told_apart(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 300 enter 6\n0 300 send 1 " COMM
                        " 3 8\n0 310 leave 6\n0 500 enter 6\n0 500 send 1 " COMM
                        " 3 8\n0 510 leave 6\n2 200 region 4 20\n2 200 enter 7\n2 320 receive 0 " COMM
                        " 3 8\n2 320 leave 7\n2 450 enter 7\n2 520 receive 0 " COMM " 3 8\n2 520 leave 7\n");
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Recv @b.c:7", 100, "sent late");
    assert_int_equal(100, mpi_fixture_waited_in("MPI_Recv @b.c:7"));
    assert_int_equal(50, mpi_fixture_waited_in("MPI_Recv"));
    assert_int_equal(120, region("MPI_Recv @b.c:7")->inclusive);
    assert_int_equal(70, region("MPI_Recv")->inclusive);
    mpi_fixture_close();
}

/* Twice each waits for what the other one sends after it worked: one finding, where more is waited. */
static void two_wait_in_turn(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 0\n"
                        "0 500 enter 6\n0 500 send 1 " COMM " 3 8\n0 510 leave 6\n"
                        "0 510 region 4 20\n0 510 enter 7\n0 820 receive 1 " COMM " 3 8\n0 820 leave 7\n"
                        "0 1300 enter 6\n0 1300 send 1 " COMM " 3 8\n0 1310 leave 6\n"
                        "0 1310 region 4 20\n0 1310 enter 7\n0 1620 receive 1 " COMM " 3 8\n0 1620 leave 7\n"
                        "0 1700 leave 0\n"
                        "2 100 enter 0\n"
                        "2 100 enter 7\n2 520 receive 0 " COMM " 3 8\n2 520 leave 7\n"
                        "2 800 enter 6\n2 800 send 0 " COMM " 3 8\n2 810 leave 6\n"
                        "2 810 enter 7\n2 1320 receive 0 " COMM " 3 8\n2 1320 leave 7\n"
                        "2 1600 enter 6\n2 1600 send 0 " COMM " 3 8\n2 1610 leave 6\n"
                        "2 1700 leave 0\n");
    assert_int_equal(1, mpi_fixture_analysis->finding_count);
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Recv", 1470, "in turn");
    /* Of 890 and 580. */
    assert_int_equal(580, mpi_fixture_analysis->findings[0].gain);
    mpi_fixture_close();
}

/* First the one for the other, then that for the first: nothing brings both forward. */
static void two_wait_one_after_the_other(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 0\n"
                        "0 500 enter 6\n0 500 send 1 " COMM " 3 8\n0 510 leave 6\n"
                        "0 510 region 4 20\n0 510 enter 7\n0 820 receive 1 " COMM " 3 8\n0 820 leave 7\n"
                        "0 1700 leave 0\n"
                        "2 100 enter 0\n"
                        "2 100 enter 7\n2 520 receive 0 " COMM " 3 8\n2 520 leave 7\n"
                        "2 800 enter 6\n2 800 send 0 " COMM " 3 8\n2 810 leave 6\n"
                        "2 1700 leave 0\n");
    assert_int_equal(2, mpi_fixture_analysis->finding_count);
    mpi_fixture_close();
}

#define BARRIER_OF(rank, begin, end)                                                                         \
    rank " " begin " enter 11\n" rank " " end " collective 0 " COMM " " NO_ROOT " 0 0\n" rank " " end        \
         " leave 11\n"

/* One works, then the other, and a barrier ends each round: one finding, at the message. More even work would
 * win nothing. */
static void a_pipeline_waits_in_turn(void **state)
{
    (void)state;
    mpi_fixture_analyse(
        "0 100 enter 0\n"
        "0 500 enter 6\n0 500 send 1 " COMM " 3 8\n0 510 leave 6\n" BARRIER_OF(
            "0", "510",
            "910") "0 1300 enter 6\n0 1300 send 1 " COMM
                   " 3 8\n0 1310 leave 6\n" BARRIER_OF(
                       "0", "1310",
                       "1710") "0 1710 leave 0\n"
                               "2 100 enter 0\n"
                               "2 100 enter 7\n2 520 receive 0 " COMM " 3 8\n2 520 leave 7\n" BARRIER_OF(
                                   "2", "900", "910") "2 910 enter 7\n2 1320 receive 0 " COMM
                                                      " 3 8\n2 1320 leave 7\n" BARRIER_OF(
                                                          "2", "1700", "1710") "2 1710 leave 0\n");
    assert_int_equal(1, mpi_fixture_analysis->finding_count);
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Recv", 1570, "790 ns of it here for messages");
    mpi_fixture_proposes(OMPTAPE_FINDING_LATE_SENDER, "all have as much work, but at different times: send");
    mpi_fixture_close();
}

/* One always comes last: more even work is what helps. */
static void one_has_more_work(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 0\n" BARRIER_OF("0", "200", "510") BARRIER_OF(
        "0", "600", "910") "0 910 leave 0\n"
                           "2 100 enter 0\n" BARRIER_OF("2", "500", "510")
                               BARRIER_OF("2", "900", "910") "2 910 leave 0\n");
    mpi_fixture_expect(OMPTAPE_FINDING_COLLECTIVE_WAIT, "MPI_Allreduce", 600, "for others to come");
    mpi_fixture_proposes(OMPTAPE_FINDING_COLLECTIVE_WAIT, "even out the work of the processes");
    mpi_fixture_close();
}

/* At each call another one comes last, but both work for equally long. */
static void each_comes_last_in_turn(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 0\n" BARRIER_OF("0", "200", "510") BARRIER_OF(
        "0", "900", "910") "0 910 leave 0\n"
                           "2 100 enter 0\n" BARRIER_OF("2", "500", "510")
                               BARRIER_OF("2", "600", "910") "2 910 leave 0\n");
    mpi_fixture_proposes(OMPTAPE_FINDING_COLLECTIVE_WAIT, "leave the call out where nothing needs it");
    mpi_fixture_close();
}

/* The same, but one process began earlier and waited in MPI_Init for the other one. */
static void waiting_in_init_is_no_lack_of_work(void **state)
{
    (void)state;
    mpi_fixture_analyse(
        "0 100 enter 0\n0 100 enter 30\n0 900 leave 30\n" BARRIER_OF("0", "1000", "1310")
            BARRIER_OF("0", "1700", "1710") "0 1710 leave 0\n"
                                            "2 700 enter 0\n2 700 enter 30\n2 900 leave 30\n" BARRIER_OF(
                                                "2", "1300", "1310")
                                                BARRIER_OF("2", "1400", "1710") "2 1710 leave 0\n");
    mpi_fixture_expect(OMPTAPE_FINDING_COLLECTIVE_WAIT, "MPI_Allreduce", 600, "for others to come");
    mpi_fixture_proposes(OMPTAPE_FINDING_COLLECTIVE_WAIT, "leave the call out where nothing needs it");
    mpi_fixture_close();
}

#define SENT(rank, to, begin, end)                                                                           \
    rank " " begin " enter 6\n" rank " " begin " send " to " " COMM " 3 8\n" rank " " end " leave 6\n"
#define RECEIVED(rank, function, from, begin, end)                                                           \
    rank " " begin " enter " function "\n" rank " " end " receive " from " " COMM " 3 8\n" rank " " end      \
         " leave " function "\n"

/* One process waits for the other, which then waits for it at two places, the longest at the last. */
#define ROUND_OF_THREE(t0, t300, t310, t510, t520, t920, t930)                                               \
    "0 " t0 " region 4 20\n" RECEIVED("0", "7", "1", t0, t310) SENT("2", "0", t300, t310)                    \
        RECEIVED("2", "7", "0", t310, t520) SENT("0", "1", t510, t520) RECEIVED("2", "27", "0", t520, t930)  \
            SENT("0", "1", t920, t930)

/* The first place and the last one are one finding. The other one must not be joined to a finding that is
 * joined itself. */
static void the_third_is_not_lost(void **state)
{
    (void)state;
    mpi_fixture_analyse(
        "0 100 enter 0\n2 100 enter 0\n" ROUND_OF_THREE("100", "400", "410", "610", "620", "1020", "1030")
            ROUND_OF_THREE("1100", "1400", "1410", "1610", "1620", "2020",
                           "2030") "0 2100 leave 0\n2 2100 leave 0\n");
    assert_int_equal(2, mpi_fixture_analysis->finding_count);
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Sendrecv", 1400, "in turn");
    assert_string_equal("MPI_Recv", mpi_fixture_analysis->findings[1].region->label);
    mpi_fixture_close();
}

/* The late one makes many short calls of one function, and once something else that takes longer than each.
 */
static void late_in_a_row_of_calls(void **state)
{
    (void)state;
    mpi_fixture_analyse(BARRIER_OF(
        "0", "100",
        "320") "2 90 enter 7\n2 100 leave 7\n"
               "2 150 enter 7\n2 180 leave 7\n2 182 enter 7\n2 212 leave 7\n"
               "2 214 enter 7\n2 244 leave 7\n2 246 enter 7\n2 276 leave 7\n" BARRIER_OF("2", "300", "320"));
    mpi_fixture_expect(OMPTAPE_FINDING_COLLECTIVE_WAIT, "MPI_Allreduce", 200, "in MPI_Recv");
    mpi_fixture_close();
}

/* What it takes to begin and end MPI is not the program's; waiting for another process at the end is. */
static void starting_is_no_loss(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 0\n0 100 enter 30\n0 300 leave 30\n"
                        "0 600 enter 31\n0 1000 leave 31\n0 1000 leave 0\n"
                        "2 100 enter 0\n2 100 enter 30\n2 300 leave 30\n"
                        "2 900 enter 31\n2 1000 leave 31\n2 1000 leave 0\n");
    assert_int_equal(300, mpi_fixture_waited_in("MPI_Finalize"));
    assert_int_equal(2 * 600, mpi_fixture_analysis->efficiency.available);
    assert_int_equal(0, mpi_fixture_analysis->efficiency.lost[ANALYSIS_COMMUNICATION]);
    assert_int_equal(300, mpi_fixture_analysis->efficiency.lost[ANALYSIS_MPI_LOAD_BALANCE]);
    mpi_fixture_close();
}

/* One begins earlier, and MPI_Init takes as much longer: both lose the same share after that. */
static void beginning_earlier_is_no_imbalance(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 0\n0 100 enter 30\n0 500 leave 30\n"
                        "0 600 enter 11\n0 700 collective 0 " COMM " " NO_ROOT " 0 0\n0 700 leave 11\n"
                        "0 900 leave 0\n"
                        "2 400 enter 0\n2 400 enter 30\n2 500 leave 30\n"
                        "2 600 enter 11\n2 700 collective 0 " COMM " " NO_ROOT " 0 0\n2 700 leave 11\n"
                        "2 900 leave 0\n");
    assert_int_equal(2 * 400, mpi_fixture_analysis->efficiency.available);
    assert_int_equal(2 * 100, mpi_fixture_analysis->efficiency.lost[ANALYSIS_COMMUNICATION]);
    assert_int_equal(0, mpi_fixture_analysis->efficiency.lost[ANALYSIS_MPI_LOAD_BALANCE]);
    mpi_fixture_close();
}

/* One process has two threads, the other one has one: the time of each counts as often as it has threads. */
static void starting_with_unequal_teams(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 0\n0 100 enter 30\n0 300 leave 30\n"
                        "0 300 fork 2\n0 300 team 0\n1 300 team 0\n0 300 enter 1\n1 300 enter 1\n"
                        "0 900 leave 1\n1 900 leave 1\n0 900 endteam 0\n1 900 endteam 0\n0 900 join\n"
                        "0 900 enter 31\n0 1000 leave 31\n0 1000 leave 0\n"
                        "2 100 enter 0\n2 100 enter 30\n2 300 leave 30\n"
                        "2 900 enter 31\n2 1000 leave 31\n2 1000 leave 0\n");
    assert_int_equal(3 * 600, mpi_fixture_analysis->efficiency.available);
    assert_int_equal(0, mpi_fixture_analysis->efficiency.lost[ANALYSIS_COMMUNICATION]);
    assert_int_equal(0, mpi_fixture_analysis->efficiency.lost[ANALYSIS_MPI_LOAD_BALANCE]);
    mpi_fixture_close();
}

/* It is over before the send begins, as clocks have it, or came later itself: no waiting. */
static void nobody_waits(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 6\n0 100 send 1 " COMM
                        " 3 8\n0 110 leave 6\n2 200 enter 7\n2 220 receive 0 " COMM
                        " 3 8\n2 220 leave 7\n0 400 enter 6\n0 400 send 1 " COMM " 3 8\n0 410 leave 6\n"
                        "2 300 enter 7\n2 320 receive 0 " COMM " 3 8\n2 320 leave 7\n"
                        "0 500 enter 6\n0 500 send 1 " COMM
                        " 3 8\n0 510 leave 6\n2 480 enter 7\n2 520 receive 0 " COMM " 3 8\n2 520 leave 7\n");
    assert_int_equal(20, mpi_fixture_waited_in("MPI_Recv")); /* of the third alone */
    mpi_fixture_close();
}

/* Tags and order decide which is which: the second that is received was sent first. */
static void messages_meet(void **state)
{
    (void)state;
    mpi_fixture_analyse(
        "0 100 enter 8\n0 100 isend 1 " COMM " 1 8 7\n0 110 leave 8\n0 600 enter 6\n0 600 send 1 " COMM
        " 2 8\n0 610 leave 6\n0 620 enter 10\n0 630 sent 7\n0 630 leave 10\n"
        "2 300 enter 7\n2 620 receive 0 " COMM " 2 8\n2 620 leave 7\n2 640 enter 7\n2 660 receive 0 " COMM
        " 1 8\n2 660 leave 7\n2 900 enter 0\n2 950 leave 0\n");
    assert_int_equal(300, mpi_fixture_waited_in("MPI_Recv"));
    /* Isend is done with when it is posted: Wait waited for nobody, since it was over before the receive. */
    assert_int_equal(0, mpi_fixture_waited_in("MPI_Wait"));
    mpi_fixture_close();
}

/* Of two receives for one tag the later one is waited for first: their bytes tell which is which. What is
 * sent then meets the third. */
static void receives_are_completed_in_another_order(void **state)
{
    (void)state;
    mpi_fixture_analyse(
        "0 100 enter 8\n0 100 isend 1 " COMM " 1 4096 7\n0 110 leave 8\n0 500 enter 8\n0 500 isend 1 " COMM
        " 1 8 8\n0 510 leave 8\n"
        "2 150 enter 9\n2 150 posted 11\n2 155 leave 9\n2 160 enter 9\n2 160 posted 12\n2 165 leave 9\n"
        "2 200 enter 10\n2 520 ireceive 0 " COMM " 1 8 12\n2 520 leave 10\n"
        "0 600 enter 8\n0 600 isend 1 " COMM " 1 16 9\n0 610 leave 8\n"
        "2 620 enter 10\n2 640 ireceive 0 " COMM " 1 4096 11\n2 640 leave 10\n"
        "2 650 enter 7\n2 660 receive 0 " COMM " 1 16\n2 660 leave 7\n"
        "0 700 enter 10\n0 710 sent 7\n0 711 sent 8\n0 712 sent 9\n0 712 leave 10\n");
    assert_int_equal(300, mpi_fixture_waited_in("MPI_Wait")); /* from 200 to the second that is sent */
    assert_int_equal(0, mpi_fixture_waited_in("MPI_Recv"));
    mpi_fixture_close();
}

/* A send that blocks until the receive is posted, at 400; one that does not; and a request's completion. */
static void a_sender_waits(void **state)
{
    (void)state;
    mpi_fixture_analyse(
        "0 100 enter 6\n0 100 send 1 " COMM " 1 8\n0 430 leave 6\n"
        "2 400 enter 7\n2 440 receive 0 " COMM " 1 8\n2 440 leave 7\n"
        "0 450 enter 8\n0 450 isend 1 " COMM
        " 1 8 9\n0 460 leave 8\n0 470 enter 10\n0 620 sent 9\n0 630 leave 10\n"
        "2 600 enter 9\n2 600 posted 11\n2 605 leave 9\n2 610 enter 10\n2 625 ireceive 0 " COMM
        " 1 8 11\n2 630 leave 10\n"
        "0 700 enter 6\n0 700 send 1 " COMM " 1 8\n0 710 leave 6\n2 800 enter 7\n2 810 receive 0 " COMM
        " 1 8\n2 810 leave 7\n0 900 enter 0\n0 950 leave 0\n");
    assert_int_equal(300, mpi_fixture_waited_in("MPI_Send"));
    assert_int_equal(130, mpi_fixture_waited_in("MPI_Wait")); /* from 470 to the post at 600 */
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_RECEIVER, "MPI_Send", 300, "until what they send is received");
    mpi_fixture_close();
}

/* The late one works, and then sends twice: it is not that it sends. */
static void the_longest_is_told(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 6\n0 100 send 1 " COMM " 1 8\n0 150 leave 6\n"
                        "0 150 enter 1\n0 850 leave 1\n0 850 enter 8\n0 850 isend 1 " COMM
                        " 1 8 7\n0 860 leave 8\n0 861 enter 8\n0 861 isend 1 " COMM " 2 8 8\n0 870 leave 8\n"
                        "2 160 enter 7\n2 170 receive 0 " COMM
                        " 1 8\n2 170 leave 7\n2 200 enter 7\n2 880 receive 0 " COMM
                        " 2 8\n2 880 leave 7\n2 881 enter 7\n2 882 receive 0 " COMM " 1 8\n2 882 leave 7\n");
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Recv", 661, "in parallel @a.c:10");
    mpi_fixture_close();
}

/* Who is in a call of MPI's meanwhile waits itself, and that is what there is to mend; not who begins later.
 */
static void who_begins_later_does_not_communicate(void **state)
{
    (void)state;
    for (int begins = 0; begins <= 1; begins++) {
        char events[256];
        const int call = begins ? INIT : WAIT;
        snprintf(events, sizeof(events),
                 "0 100 enter %d\n0 480 leave %d\n0 500 enter 6\n0 500 send 1 " COMM " 3 8\n0 510 leave 6\n"
                 "2 200 enter 7\n2 520 receive 0 " COMM " 3 8\n2 520 leave 7\n",
                 call, call);
        mpi_fixture_analyse(events);
        mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Recv", 300,
                           begins ? "mostly in MPI_Init meanwhile"
                                  : "mostly in MPI_Wait, communicating itself meanwhile");
        assert_int_equal(begins, mpi_fixture_analysis->findings[0].proposal[0] == '\0');
        mpi_fixture_close();
        check_remove_folder(NULL);
        check_make_folder(NULL);
    }
}

/* A rank that comes late to a call in which both send and receive is a late sender, whichever event is first.
 */
static void an_exchange_is_late(void **state)
{
    (void)state;
    mpi_fixture_analyse(
        "0 500 enter 27\n0 500 send 1 " COMM " 1 8\n0 520 receive 1 " COMM " 2 8\n0 530 leave 27\n"
        "2 200 enter 27\n2 200 send 0 " COMM " 2 8\n2 525 receive 0 " COMM " 1 8\n2 530 leave 27\n");
    mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Sendrecv", 300, "sent late");
    mpi_fixture_close();
}

static bool is_found(enum omptape_finding_kind kind)
{
    for (uint32_t i = 0; i < mpi_fixture_analysis->finding_count; i++)
        if (mpi_fixture_analysis->findings[i].kind == kind)
            return true;
    return false;
}

/* The sender begins at 100000 and works on; the message comes through when it calls MPI again at 500000. Not
 * so one that MPI keeps, or one that came while the sender worked, or long after. */
static void a_sender_moves_nothing_on(void **state)
{
    static const struct {
        unsigned bytes, received, stalls;
    } ways[] = {{1000000, 508000, 1}, {8, 508000, 0}, {1000000, 300000, 0}, {1000000, 900000, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        char events[512];
        snprintf(events, sizeof(events),
                 "0 100000 enter 8\n0 100000 isend 1 " COMM " 3 %u 7\n0 100010 leave 8\n"
                 "0 100010 enter 1\n0 500000 leave 1\n"
                 "0 500000 enter 10\n0 901000 sent 7\n0 901000 leave 10\n"
                 "2 50000 enter 7\n2 %u receive 0 " COMM " 3 %u\n2 %u leave 7\n",
                 ways[i].bytes, ways[i].received, ways[i].bytes, ways[i].received);
        mpi_fixture_analyse(events);
        mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Recv", 50000, "sent late");
        assert_int_equal(ways[i].stalls, is_found(OMPTAPE_FINDING_LATE_PROGRESS));
        if (ways[i].stalls)
            mpi_fixture_expect(OMPTAPE_FINDING_LATE_PROGRESS, "MPI_Recv", 399990, "in parallel @a.c:10");
        mpi_fixture_close();
        check_remove_folder(NULL);
        check_make_folder(NULL);
    }
}

/* The same of a receiver, which has posted its receive; the sender blocks, or waits for its request. */
static void a_receiver_moves_nothing_on(void **state)
{
    static const char *const sends[] = {
        "0 50000 enter 6\n0 50000 send 1 " COMM " 3 1000000\n0 504000 leave 6\n",
        "0 50000 enter 8\n0 50000 isend 1 " COMM " 3 1000000 7\n0 50000 leave 8\n"
        "0 50000 enter 10\n0 510000 sent 7\n0 510000 leave 10\n"};
    (void)state;
    for (size_t i = 0; i < sizeof(sends) / sizeof(sends[0]); i++) {
        char events[512];
        snprintf(events, sizeof(events),
                 "%s2 100000 enter 9\n2 100000 posted 7\n2 100010 leave 9\n"
                 "2 100010 enter 1\n2 500000 leave 1\n"
                 "2 500000 enter 10\n2 505000 ireceive 0 " COMM " 3 1000000 7\n2 505000 leave 10\n",
                 sends[i]);
        mpi_fixture_analyse(events);
        mpi_fixture_expect(OMPTAPE_FINDING_LATE_RECEIVER, i == 0 ? "MPI_Send" : "MPI_Wait", 50000,
                           "until what they send is received");
        mpi_fixture_expect(OMPTAPE_FINDING_LATE_PROGRESS, i == 0 ? "MPI_Send" : "MPI_Wait", 399990,
                           "in parallel @a.c:10");
        mpi_fixture_close();
        check_remove_folder(NULL);
        check_make_folder(NULL);
    }
}

/* The receiver waits from 20 to 50 ms for a sender that lacked a processor for 0.4 of the time, or, as
 * it slept for most of it, for hardly any. That it sleeps is said if it was blocked where the program works.
 */
static void who_is_late_lacks_a_processor(void **state)
{
    static const struct {
        unsigned running, queued, waited, lacked;
        bool in_main;
        const char *said;
    } ways[] = {{30000001, 20000001, 14000000, 16000000, true, "sent late"},
                {1000001, 1000001, 30000000, 0, true, "where it sleeps: "},
                {1000001, 1000001, 30000000, 0, false, "meanwhile"}};
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        char events[512];
        snprintf(events, sizeof(events),
                 "%s0 10000000 metric 0 1 1\n0 50000000 enter 6\n0 50000000 send 1 " COMM
                 " 3 8\n0 51000000 leave 6\n0 60000000 metric 0 %u %u\n%s"
                 "2 20000000 enter 7\n2 50500000 receive 0 " COMM " 3 8\n2 50500000 leave 7\n",
                 ways[i].in_main ? "0 9900000 enter 0\n" : "", ways[i].running, ways[i].queued,
                 ways[i].in_main ? "0 60000000 leave 0\n" : "");
        mpi_fixture_analyse(events);
        mpi_fixture_expect(OMPTAPE_FINDING_LATE_SENDER, "MPI_Recv", ways[i].waited, ways[i].said);
        if (ways[i].lacked > 0)
            mpi_fixture_expect(OMPTAPE_FINDING_PREEMPTION, "MPI_Recv", ways[i].lacked,
                               "that has no processor: 100 %");
        mpi_fixture_close();
        check_remove_folder(NULL);
        check_make_folder(NULL);
    }
}

/* Two threads of one machine that may use one processor lack it for each other; of more, for something else.
 */
static void ranks_share_processors(void **state)
{
    static const struct {
        const char *allowed;
        const char *said;
    } ways[] = {{"2", "2 threads share 1 processor"}, {"0,3", NULL}, {"0-2,5", NULL}, {"1-", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        const char *said = ways[i].said != NULL ? ways[i].said : "meanwhile";
        mpi_fixture_allowed = ways[i].allowed;
        mpi_fixture_analyse("0 100000 metric 0 1 1\n0 500000 enter 6\n0 500000 send 1 " COMM
                            " 3 8\n0 510000 leave 6\n0 600000 metric 0 300001 200001\n"
                            "2 200000 enter 7\n2 505000 receive 0 " COMM " 3 8\n2 505000 leave 7\n");
        mpi_fixture_expect(OMPTAPE_FINDING_PREEMPTION, "MPI_Recv", 160000, said);
        for (uint32_t k = 0; k < mpi_fixture_analysis->finding_count; k++)
            if (mpi_fixture_analysis->findings[k].kind == OMPTAPE_FINDING_PREEMPTION)
                assert_int_equal(ways[i].said != NULL,
                                 strstr(mpi_fixture_analysis->findings[k].proposal, "no more ranks") != NULL);
        mpi_fixture_close();
        check_remove_folder(NULL);
        check_make_folder(NULL);
    }
    mpi_fixture_allowed = NULL;
}

/* Two processes on one processor: one works for 1.6 ms, the other one for 0.2 ms, and spins in MPI. */
static void more_work_of_one_is_named_with_few_processors(void **state)
{
    (void)state;
    mpi_fixture_allowed = "2";
    mpi_fixture_analyse("0 1 program\n0 10 metric 0 1 1\n0 3000000 enter 11\n0 3100000 collective 11 " COMM
                        " 4294967295 8 8\n0 3100000 leave 11\n0 3100100 metric 0 1600000 1500000\n"
                        "0 3100200 endprogram\n"
                        "2 1 program\n2 10 metric 0 1 1\n2 400000 enter 11\n2 3100000 collective 11 " COMM
                        " 4294967295 8 8\n2 3100000 leave 11\n2 3100100 metric 0 1500000 1600000\n"
                        "2 3100200 endprogram\n");
    mpi_fixture_expect(
        OMPTAPE_FINDING_OVERSUBSCRIPTION, "MPI_Allreduce", 3100000,
        "With a processor for each, the others would wait for process 4711: it works for 1.6 ms, 2.0 "
        "times the mean");
    mpi_fixture_proposes(OMPTAPE_FINDING_OVERSUBSCRIPTION, "even out the work of the processes");
    mpi_fixture_close();
    mpi_fixture_allowed = NULL;
}

/* What was cancelled is received by nobody: the next one meets the next. */
static void cancelled_messages_are_gone(void **state)
{
    (void)state;
    mpi_fixture_analyse("0 100 enter 8\n0 100 isend 1 " COMM
                        " 1 8 7\n0 110 leave 8\n0 120 enter 10\n0 120 cancelled 7\n0 130 "
                        "leave 10\n0 500 enter 6\n0 500 send 1 " COMM " 1 8\n0 510 leave 6\n"
                        "2 200 enter 7\n2 520 receive 0 " COMM " 1 8\n2 520 leave 7\n");
    assert_int_equal(300, mpi_fixture_waited_in("MPI_Recv"));
    mpi_fixture_close();
}

/* What lies in the part that is looked at counts, though the message was sent before it. */
static void a_part_has_its_own(void **state)
{
    (void)state;
    mpi_fixture_analyse_from(
        "0 100 enter 6\n0 100 send 1 " COMM " 1 8\n0 110 leave 6\n0 600 enter 6\n0 600 send 1 " COMM
        " 1 8\n0 610 leave 6\n2 150 enter 7\n2 160 receive 0 " COMM " 1 8\n2 160 leave 7\n"
        "2 200 enter 7\n2 620 receive 0 " COMM " 1 8\n2 620 leave 7\n2 700 enter 0\n2 800 leave 0\n",
        NULL, 500, 900);
    assert_int_equal(100, mpi_fixture_waited_in("MPI_Recv"));
    mpi_fixture_close();
}

/* Where events are missing nobody can tell which message is which. */
static void nothing_is_told_of_what_is_missing(void **state)
{
    (void)state;
    mpi_fixture_analyse_from("0 500 enter 6\n0 500 send 1 " COMM
                             " 1 8\n0 510 leave 6\n2 200 enter 7\n2 520 receive 0 " COMM
                             " 1 8\n2 520 leave 7\n",
                             "3", 0, 0);
    assert_int_equal(0, mpi_fixture_waited_in("MPI_Recv"));
    bool said = false;
    for (uint32_t i = 0; i < mpi_fixture_analysis->warning_count; i++)
        said |= strstr(mpi_fixture_analysis->warnings[i], "who waited for whom in MPI") != NULL;
    assert_true(said);
    mpi_fixture_close();
}

/* The second of two that are under way at once is received in the window. */
static void arrows_lead_to_the_receiver(void **state)
{
    (void)state;
    char error[512] = "";
    make_archive(check_folder,
                 &(struct make_plan){.events = "0 200 enter 6\n0 200 send 1 " COMM " 1 8\n0 210 leave 6\n"
                                               "0 220 enter 6\n0 220 send 1 " COMM " 1 8\n0 230 leave 6\n"
                                               "2 300 enter 7\n2 310 receive 0 " COMM " 1 8\n2 310 leave 7\n"
                                               "2 500 enter 7\n2 510 receive 0 " COMM " 1 8\n2 510 leave 7\n",
                                     .more = mpi_fixture_define,
                                     .two_processes = true});
    if (omptape_reader_open(&mpi_fixture_reader, check_folder, error, sizeof(error)) != 0)
        fail_msg("%s", error);
    struct omptape_windows *windows = omptape_windows_new(mpi_fixture_reader);
    assert_non_null(windows);
    omptape_windows_add(windows, 400, 400, 600);
    const struct omptape_analysis_observer observer = omptape_windows_observer(windows);
    const struct omptape_analysis_options options = {.observer = &observer};
    if (omptape_analysis_run(&mpi_fixture_analysis, mpi_fixture_reader, &options, error, sizeof(error)) != 0)
        fail_msg("%s", error);
    const struct omptape_window *window = &windows->list[0];
    assert_int_equal(1, window->arrow_count);
    assert_int_equal(REPLAY_ARROW_MESSAGE, window->arrows[0].kind);
    assert_int_equal(0, window->arrows[0].from_location);
    assert_int_equal(2, window->arrows[0].to_location);
    assert_int_equal(220, window->arrows[0].from);
    assert_int_equal(510, window->arrows[0].to);
    omptape_windows_free(windows);
    mpi_fixture_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_receiver_waits, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(places_are_told_apart, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(two_wait_in_turn, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(two_wait_one_after_the_other, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(starting_is_no_loss, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(beginning_earlier_is_no_imbalance, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(starting_with_unequal_teams, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_pipeline_waits_in_turn, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(one_has_more_work, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(each_comes_last_in_turn, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(waiting_in_init_is_no_lack_of_work, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(the_third_is_not_lost, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(late_in_a_row_of_calls, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(nobody_waits, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(messages_meet, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(receives_are_completed_in_another_order, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(a_sender_waits, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(the_longest_is_told, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(who_begins_later_does_not_communicate, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(a_sender_moves_nothing_on, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_receiver_moves_nothing_on, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(who_is_late_lacks_a_processor, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(ranks_share_processors, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(more_work_of_one_is_named_with_few_processors, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(an_exchange_is_late, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(cancelled_messages_are_gone, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_part_has_its_own, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(arrows_lead_to_the_receiver, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(nothing_is_told_of_what_is_missing, check_make_folder,
                                        check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
