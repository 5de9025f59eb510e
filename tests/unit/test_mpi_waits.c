/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of who waits for whom in MPI (src/analysis/mpi/): two processes, exact times. Run by CTest on
 * one thread; archives are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "src/analysis/analysis.h"
#include "src/analysis/picture/windows.h"
#include "tests/unit/check_harness.h"

#include <string.h>

/* Regions beyond the builder's, and a communicator of both processes: location 0 is rank 0, 2 is rank 1. */
enum {
    SEND = 6,
    RECV,
    ISEND,
    IRECV,
    WAIT,
    COLLECTIVE,
    POSTED, /* 12 */
    FENCE,
    POST, /* 14 */
    START,
    COMPLETE,
    WIN_WAIT, /* 17 */
    LOCK,
    UNLOCK,
    PLACE, /* 20 */
    FUNCTIONS
};
enum { CALL_SITE = 4 }; /* attribute */
/* Of both; and the groups of one. */
#define COMM "4"
#define WINDOW "1"
#define RANK_0 "8"
#define RANK_1 "9"
#define NO_ROOT "4294967295"
#define THIS_GROUP "4294967293"

static void define_mpi(OTF2_GlobalDefWriter *writer)
{
    static const char *const names[] = {"MPI_Send",     "MPI_Recv",       "MPI_Isend",        "MPI_Irecv",
                                        "MPI_Wait",     "MPI_Allreduce",  "MPI_Iallreduce",   "MPI_Win_fence",
                                        "MPI_Win_post", "MPI_Win_start",  "MPI_Win_complete", "MPI_Win_wait",
                                        "MPI_Win_lock", "MPI_Win_unlock", "MPI_Recv @b.c:7"};
    const uint64_t locations[] = {0, 2};
    const uint64_t ranks[] = {0, 1};
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS, "MPI"));
    make_succeed(OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_MPI, MAKE_STRINGS,
                                                    OTF2_PARADIGM_CLASS_PROCESS));
    for (uint32_t i = 0; i < FUNCTIONS - SEND; i++) {
        OTF2_StringRef text = MAKE_STRINGS + 1 + i;
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, text, names[i]));
        make_succeed(OTF2_GlobalDefWriter_WriteRegion(writer, SEND + i, text, text, 0, OTF2_REGION_ROLE_CODE,
                                                      OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, 0, 0, 0));
    }
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + FUNCTIONS, "call site"));
    make_succeed(OTF2_GlobalDefWriter_WriteAttribute(writer, CALL_SITE, MAKE_STRINGS + FUNCTIONS,
                                                     MAKE_EMPTY_STRING, OTF2_TYPE_REGION));
    make_succeed(OTF2_GlobalDefWriter_WriteGroup(writer, 6, MAKE_STRINGS, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                                 OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, locations));
    make_succeed(OTF2_GlobalDefWriter_WriteGroup(writer, 7, MAKE_STRINGS, OTF2_GROUP_TYPE_COMM_GROUP,
                                                 OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2, ranks));
    make_succeed(
        OTF2_GlobalDefWriter_WriteComm(writer, 4, MAKE_STRINGS, 7, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    for (uint32_t i = 0; i < 2; i++)
        make_succeed(OTF2_GlobalDefWriter_WriteGroup(writer, 8 + i, MAKE_STRINGS, OTF2_GROUP_TYPE_COMM_GROUP,
                                                     OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 1, &ranks[i]));
    make_succeed(OTF2_GlobalDefWriter_WriteRmaWin(writer, 1, MAKE_STRINGS, 4, OTF2_RMA_WIN_FLAG_NONE));
}

static struct omptape_reader *reader;
static struct omptape_analysis *analysis;

static void analyse_from(const char *events, const char *dropped, uint64_t from, uint64_t to)
{
    const struct omptape_analysis_options options = {.from = from, .to = to};
    char error[512] = "";
    make_archive(
        check_folder,
        &(struct make_plan){.events = events, .more = define_mpi, .two_processes = true, .dropped = dropped});
    if (omptape_reader_open(&reader, check_folder, error, sizeof(error)) != 0 ||
        omptape_analysis_run(&analysis, reader, &options, error, sizeof(error)) != 0)
        fail_msg("%s", error);
}

static void analyse(const char *events)
{
    analyse_from(events, NULL, 0, 0);
}

static void close_all(void)
{
    omptape_analysis_free(analysis);
    omptape_reader_close(reader);
}

static uint64_t waited_in(const char *function)
{
    for (uint32_t i = 0; i < analysis->mpi_count; i++)
        if (strcmp(analysis->mpi[i]->region->label, function) == 0)
            return analysis->mpi[i]->waited;
    return 0;
}

/* The finding of this kind says all of these. */
static void expect_finding(enum omptape_finding_kind kind, const char *function, uint64_t waited,
                           const char *text)
{
    for (uint32_t i = 0; i < analysis->finding_count; i++) {
        const struct omptape_finding *finding = &analysis->findings[i];
        if (finding->kind != kind)
            continue;
        assert_string_equal(function, finding->region->label);
        assert_int_equal(waited, finding->waited);
        if (strstr(finding->text, text) == NULL)
            fail_msg("\"%s\" is not in \"%s\"", text, finding->text);
        return;
    }
    fail_msg("no %s", omptape_finding_key(kind));
}

static const struct analysis_region *region(const char *label)
{
    for (uint32_t i = 0; i < analysis->region_count; i++)
        if (strcmp(analysis->regions[i]->label, label) == 0)
            return analysis->regions[i];
    fail_msg("no region %s", label);
    return NULL;
}

/* The receiver comes at 200, the sender at 500, from a parallel region: 300 are its doing. */
static void a_receiver_waits(void **state)
{
    (void)state;
    analyse("0 100 enter 0\n0 150 enter 1\n0 480 leave 1\n0 500 enter 6\n0 500 send 1 " COMM
            " 3 8\n0 510 leave 6\n"
            "2 100 enter 0\n2 200 enter 7\n2 520 receive 0 " COMM " 3 8\n2 520 leave 7\n2 900 leave 0\n"
            "0 900 leave 0\n");
    expect_finding(OMPTAPE_FINDING_LATE_SENDER, "MPI_Recv", 300, "in parallel @a.c:10");
    assert_int_equal(300, region("parallel @a.c:10")->charged);
    assert_int_equal(0, region("MPI_Recv")->charged);
    assert_int_equal(0, waited_in("MPI_Send"));
    /* Of 800 of both processes, 330 are in MPI. */
    assert_int_equal(330, analysis->efficiency.lost_to_communication);
    close_all();
}

/* Of two calls of one function one has a place: it is told apart, and ends where the function is left. */
static void places_are_told_apart(void **state)
{
    (void)state;
    analyse("0 300 enter 6\n0 300 send 1 " COMM " 3 8\n0 310 leave 6\n0 500 enter 6\n0 500 send 1 " COMM
            " 3 8\n0 510 leave 6\n2 200 region 4 20\n2 200 enter 7\n2 320 receive 0 " COMM
            " 3 8\n2 320 leave 7\n2 450 enter 7\n2 520 receive 0 " COMM " 3 8\n2 520 leave 7\n");
    expect_finding(OMPTAPE_FINDING_LATE_SENDER, "MPI_Recv @b.c:7", 100, "sent late");
    assert_int_equal(100, waited_in("MPI_Recv @b.c:7"));
    assert_int_equal(50, waited_in("MPI_Recv"));
    assert_int_equal(120, region("MPI_Recv @b.c:7")->inclusive);
    assert_int_equal(70, region("MPI_Recv")->inclusive);
    close_all();
}

/* It is over before the send begins, as clocks have it, or came later itself: no waiting. */
static void nobody_waits(void **state)
{
    (void)state;
    analyse("0 100 enter 6\n0 100 send 1 " COMM " 3 8\n0 110 leave 6\n2 200 enter 7\n2 220 receive 0 " COMM
            " 3 8\n2 220 leave 7\n0 400 enter 6\n0 400 send 1 " COMM " 3 8\n0 410 leave 6\n"
            "2 300 enter 7\n2 320 receive 0 " COMM " 3 8\n2 320 leave 7\n"
            "0 500 enter 6\n0 500 send 1 " COMM " 3 8\n0 510 leave 6\n2 480 enter 7\n2 520 receive 0 " COMM
            " 3 8\n2 520 leave 7\n");
    assert_int_equal(20, waited_in("MPI_Recv")); /* of the third alone */
    close_all();
}

/* Tags and order decide which is which: the second that is received was sent first. */
static void messages_meet(void **state)
{
    (void)state;
    analyse("0 100 enter 8\n0 100 isend 1 " COMM " 1 8 7\n0 110 leave 8\n0 600 enter 6\n0 600 send 1 " COMM
            " 2 8\n0 610 leave 6\n0 620 enter 10\n0 630 sent 7\n0 630 leave 10\n"
            "2 300 enter 7\n2 620 receive 0 " COMM " 2 8\n2 620 leave 7\n2 640 enter 7\n2 660 receive 0 " COMM
            " 1 8\n2 660 leave 7\n2 900 enter 0\n2 950 leave 0\n");
    assert_int_equal(300, waited_in("MPI_Recv"));
    /* Isend is done with when it is posted: Wait waited for nobody, since it was over before the receive. */
    assert_int_equal(0, waited_in("MPI_Wait"));
    close_all();
}

/* A send that blocks until the receive is posted, at 400; one that does not; and a request's completion. */
static void a_sender_waits(void **state)
{
    (void)state;
    analyse("0 100 enter 6\n0 100 send 1 " COMM " 1 8\n0 430 leave 6\n"
            "2 400 enter 7\n2 440 receive 0 " COMM " 1 8\n2 440 leave 7\n"
            "0 450 enter 8\n0 450 isend 1 " COMM
            " 1 8 9\n0 460 leave 8\n0 470 enter 10\n0 620 sent 9\n0 630 leave 10\n"
            "2 600 enter 9\n2 600 posted 11\n2 605 leave 9\n2 610 enter 10\n2 625 ireceive 0 " COMM
            " 1 8 11\n2 630 leave 10\n"
            "0 700 enter 6\n0 700 send 1 " COMM " 1 8\n0 710 leave 6\n2 800 enter 7\n2 810 receive 0 " COMM
            " 1 8\n2 810 leave 7\n0 900 enter 0\n0 950 leave 0\n");
    assert_int_equal(300, waited_in("MPI_Send"));
    assert_int_equal(130, waited_in("MPI_Wait")); /* from 470 to the post at 600 */
    expect_finding(OMPTAPE_FINDING_LATE_RECEIVER, "MPI_Send", 300, "until what they send is received");
    close_all();
}

/* What was cancelled is received by nobody: the next one meets the next. */
static void cancelled_messages_are_gone(void **state)
{
    (void)state;
    analyse("0 100 enter 8\n0 100 isend 1 " COMM
            " 1 8 7\n0 110 leave 8\n0 120 enter 10\n0 120 cancelled 7\n0 130 "
            "leave 10\n0 500 enter 6\n0 500 send 1 " COMM " 1 8\n0 510 leave 6\n"
            "2 200 enter 7\n2 520 receive 0 " COMM " 1 8\n2 520 leave 7\n");
    assert_int_equal(300, waited_in("MPI_Recv"));
    close_all();
}

/* All wait for the last; in a broadcast for the root, in a reduction only the root waits. */
static void collectives_wait(void **state)
{
    (void)state;
    analyse("0 100 enter 11\n0 330 collective 11 " COMM " 4294967295 8 8\n0 330 leave 11\n"
            "2 300 enter 11\n2 330 collective 11 " COMM " 4294967295 8 8\n2 330 leave 11\n");
    expect_finding(OMPTAPE_FINDING_COLLECTIVE_WAIT, "MPI_Allreduce", 200, "100 % of it for process 4711");
    close_all();
    check_remove_folder(NULL);
    check_make_folder(NULL);
    analyse("0 100 enter 11\n0 110 collective 1 " COMM " 0 8 8\n0 110 leave 11\n"
            "2 300 enter 11\n2 330 collective 1 " COMM " 0 8 8\n2 330 leave 11\n"
            "2 400 enter 11\n2 410 collective 12 " COMM " 0 8 8\n2 410 leave 11\n"
            "0 600 enter 11\n0 610 collective 12 " COMM " 0 8 8\n0 610 leave 11\n"
            "0 700 enter 11\n0 810 collective 12 " COMM " 0 8 8\n0 810 leave 11\n"
            "2 800 enter 11\n2 810 collective 12 " COMM " 0 8 8\n2 810 leave 11\n");
    assert_int_equal(100, waited_in("MPI_Allreduce")); /* the root of the last */
    close_all();
}

/* Each waits in Wait for the other's begin of the same operation; which that is the order of begins tells,
 * not that of ends, and one that blocks is none of them. */
static void operations_that_do_not_block_wait_later(void **state)
{
    (void)state;
    analyse("0 100 enter 12\n0 100 begun 1\n0 105 leave 12\n0 110 enter 12\n0 110 begun 2\n0 115 leave 12\n"
            "2 200 enter 11\n2 210 collective 11 " COMM " " NO_ROOT " 8 8\n2 210 leave 11\n"
            "2 300 enter 12\n2 300 begun 1\n2 305 leave 12\n"
            /* The second is complete before the first: 500 and 520. */
            "0 150 enter 10\n2 500 enter 12\n2 500 begun 2\n2 505 leave 12\n"
            "0 520 ended 11 " COMM " " NO_ROOT " 2\n0 520 leave 10\n"
            "0 530 enter 10\n0 540 ended 11 " COMM " " NO_ROOT " 1\n0 540 leave 10\n"
            "2 600 enter 10\n2 610 ended 11 " COMM " " NO_ROOT " 1\n2 610 ended 11 " COMM " " NO_ROOT
            " 2\n2 610 leave 10\n0 800 enter 11\n0 810 collective 11 " COMM " " NO_ROOT
            " 8 8\n0 810 leave 11\n");
    expect_finding(OMPTAPE_FINDING_COLLECTIVE_WAIT, "MPI_Wait", 350, "for process 4711");
    assert_int_equal(0, waited_in("MPI_Iallreduce"));
    assert_int_equal(10, waited_in("MPI_Allreduce")); /* as far as the call goes: it ended at 210 */
    close_all();
}

/* Rank 1 waits for rank 0, and not the other way. */
static void scans_wait_for_lower_ranks(void **state)
{
    (void)state;
    analyse("2 100 enter 11\n2 330 collective 14 " COMM " " NO_ROOT " 8 8\n2 330 leave 11\n"
            "0 300 enter 11\n0 310 collective 14 " COMM " " NO_ROOT " 8 8\n0 310 leave 11\n"
            "0 400 enter 11\n0 610 collective 15 " COMM " " NO_ROOT " 8 8\n0 610 leave 11\n"
            "2 600 enter 11\n2 610 collective 15 " COMM " " NO_ROOT " 8 8\n2 610 leave 11\n");
    assert_int_equal(200, waited_in("MPI_Allreduce"));
    close_all();
}

/* Who stands by on the root's side of an inter-communicator needs nobody: a broadcast from there, and a
 * reduction to the other side, whose root is rank 1. */
static void some_only_stand_by(void **state)
{
    (void)state;
    analyse("0 100 enter 11\n0 330 collective 1 " COMM " " THIS_GROUP " 0 0\n0 330 leave 11\n"
            "2 300 enter 11\n2 330 collective 1 " COMM " 1 8 8\n2 330 leave 11\n"
            "2 400 enter 11\n2 610 collective 12 " COMM " 1 8 8\n2 610 leave 11\n"
            "0 600 enter 11\n0 610 collective 12 " COMM " " THIS_GROUP " 0 0\n0 610 leave 11\n"
            "2 700 enter 11\n2 810 collective 12 " COMM " 4294967294 8 8\n2 810 leave 11\n"
            "0 800 enter 11\n0 810 collective 12 " COMM " 1 8 8\n0 810 leave 11\n");
    assert_int_equal(100, waited_in("MPI_Allreduce")); /* the last: its root says so itself */
    close_all();
}

/* At a fence all wait for the last, unless they go on without it. */
static void fences_wait(void **state)
{
    (void)state;
    analyse("0 100 enter 13\n0 330 fence " WINDOW "\n0 330 leave 13\n"
            "2 300 enter 13\n2 330 fence " WINDOW "\n2 330 leave 13\n"
            "0 400 enter 13\n0 410 fence " WINDOW "\n0 410 leave 13\n"
            "2 500 enter 13\n2 510 fence " WINDOW "\n2 510 leave 13\n");
    expect_finding(OMPTAPE_FINDING_COLLECTIVE_WAIT, "MPI_Win_fence", 200, "100 % of it for process 4711");
    close_all();
}

/* Start waits for a post that is late, and Wait for Complete; then the post comes when Start is over, and
 * Complete waits for it. */
static void epochs_wait(void **state)
{
    (void)state;
    analyse("0 100 enter 15\n2 200 enter 14\n2 205 group " WINDOW " " RANK_0 "\n2 205 leave 14\n"
            "0 210 group " WINDOW " " RANK_1 "\n0 210 leave 15\n"
            "2 220 enter 17\n0 250 enter 16\n0 255 group " WINDOW " " RANK_1 "\n0 255 leave 16\n"
            "2 260 group " WINDOW " " RANK_0 "\n2 260 leave 17\n");
    assert_int_equal(100, waited_in("MPI_Win_start"));
    expect_finding(OMPTAPE_FINDING_WINDOW_WAIT, "MPI_Win_start", 100, "for others' epochs of a window");
    assert_int_equal(30, waited_in("MPI_Win_wait"));
    assert_int_equal(0, waited_in("MPI_Win_complete") + waited_in("MPI_Win_post"));
    close_all();
    check_remove_folder(NULL);
    check_make_folder(NULL);
    analyse("0 100 enter 15\n0 110 group " WINDOW " " RANK_1 "\n0 110 leave 15\n"
            "0 150 enter 16\n2 400 enter 14\n2 405 group " WINDOW " " RANK_0 "\n2 405 leave 14\n"
            "0 420 group " WINDOW " " RANK_1 "\n0 420 leave 16\n"
            "2 500 enter 17\n2 505 group " WINDOW " " RANK_0 "\n2 505 leave 17\n"
            /* The next epoch begins at one side before the last has ended at the other. */
            "0 450 enter 15\n0 460 group " WINDOW " " RANK_1 "\n0 460 leave 15\n"
            "2 550 enter 14\n2 555 group " WINDOW " " RANK_0 "\n2 555 leave 14\n"
            "0 600 enter 16\n0 610 group " WINDOW " " RANK_1 "\n0 610 leave 16\n"
            "2 560 enter 17\n2 620 group " WINDOW " " RANK_0 "\n2 620 leave 17\n");
    assert_int_equal(250, waited_in("MPI_Win_complete"));
    assert_int_equal(40, waited_in("MPI_Win_wait"));
    assert_int_equal(0, waited_in("MPI_Win_start"));
    close_all();
}

/* Location 0 has rank 1's part alone; location 2 wants it too, gets it in Lock, or, in another MPI, in
 * Unlock; and who shares a lock waits for nobody who shares it. */
static void locks_wait(void **state)
{
    (void)state;
    analyse("0 100 enter 18\n0 110 lock " WINDOW " 1 0\n0 110 leave 18\n"
            "2 200 enter 18\n0 300 enter 19\n2 302 lock " WINDOW " 1 0\n2 302 leave 18\n"
            "0 305 unlock " WINDOW " 1\n0 305 leave 19\n"
            "2 310 enter 19\n2 315 unlock " WINDOW " 1\n2 315 leave 19\n");
    assert_int_equal(100, waited_in("MPI_Win_lock"));
    assert_int_equal(0, waited_in("MPI_Win_unlock"));
    close_all();
    check_remove_folder(NULL);
    check_make_folder(NULL);
    analyse("0 100 enter 18\n0 110 lock " WINDOW " 1 0\n0 110 leave 18\n"
            "2 200 enter 18\n2 202 lock " WINDOW " 4294967295 1\n2 202 leave 18\n2 210 enter 19\n"
            "0 300 enter 19\n0 305 unlock " WINDOW " 1\n0 305 leave 19\n"
            "2 315 unlock " WINDOW " 4294967295\n2 315 leave 19\n"
            "0 400 enter 18\n0 410 lock " WINDOW " 0 1\n0 410 leave 18\n2 420 enter 18\n2 425 lock " WINDOW
            " 0 1\n2 425 leave 18\n2 430 enter 19\n0 450 enter 19\n0 460 unlock " WINDOW
            " 0\n0 460 leave 19\n2 470 unlock " WINDOW " 0\n2 470 leave 19\n");
    assert_int_equal(90, waited_in("MPI_Win_unlock"));
    assert_int_equal(0, waited_in("MPI_Win_lock"));
    close_all();
}

/* What lies in the part that is looked at counts, though the message was sent before it. */
static void a_part_has_its_own(void **state)
{
    (void)state;
    analyse_from("0 100 enter 6\n0 100 send 1 " COMM " 1 8\n0 110 leave 6\n0 600 enter 6\n0 600 send 1 " COMM
                 " 1 8\n0 610 leave 6\n2 150 enter 7\n2 160 receive 0 " COMM " 1 8\n2 160 leave 7\n"
                 "2 200 enter 7\n2 620 receive 0 " COMM " 1 8\n2 620 leave 7\n2 700 enter 0\n2 800 leave 0\n",
                 NULL, 500, 900);
    assert_int_equal(100, waited_in("MPI_Recv"));
    close_all();
}

/* Where events are missing nobody can tell which message is which. */
static void nothing_is_told_of_what_is_missing(void **state)
{
    (void)state;
    analyse_from("0 500 enter 6\n0 500 send 1 " COMM
                 " 1 8\n0 510 leave 6\n2 200 enter 7\n2 520 receive 0 " COMM " 1 8\n2 520 leave 7\n",
                 "3", 0, 0);
    assert_int_equal(0, waited_in("MPI_Recv"));
    bool said = false;
    for (uint32_t i = 0; i < analysis->warning_count; i++)
        said |= strstr(analysis->warnings[i], "who waited for whom in MPI") != NULL;
    assert_true(said);
    close_all();
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
                                     .more = define_mpi,
                                     .two_processes = true});
    if (omptape_reader_open(&reader, check_folder, error, sizeof(error)) != 0)
        fail_msg("%s", error);
    struct omptape_windows *windows = omptape_windows_new(reader);
    assert_non_null(windows);
    omptape_windows_add(windows, 400, 600);
    const struct omptape_analysis_watcher watcher = omptape_windows_watcher(windows);
    const struct omptape_analysis_options options = {.watcher = &watcher};
    if (omptape_analysis_run(&analysis, reader, &options, error, sizeof(error)) != 0)
        fail_msg("%s", error);
    const struct omptape_window *window = &windows->list[0];
    assert_int_equal(1, window->arrow_count);
    assert_int_equal(WINDOW_ARROW_MESSAGE, window->arrows[0].kind);
    assert_int_equal(0, window->arrows[0].from_location);
    assert_int_equal(2, window->arrows[0].to_location);
    assert_int_equal(220, window->arrows[0].from);
    assert_int_equal(510, window->arrows[0].to);
    omptape_windows_free(windows);
    close_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_receiver_waits, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(places_are_told_apart, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(nobody_waits, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(messages_meet, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_sender_waits, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(cancelled_messages_are_gone, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(collectives_wait, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(operations_that_do_not_block_wait_later, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(scans_wait_for_lower_ranks, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(some_only_stand_by, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(fences_wait, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(epochs_wait, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(locks_wait, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_part_has_its_own, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(arrows_lead_to_the_receiver, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(nothing_is_told_of_what_is_missing, check_make_folder,
                                        check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
