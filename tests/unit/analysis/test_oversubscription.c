/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what more threads than processors cost (src/analysis/findings/oversubscription.c), and of
 * what waiting costs there: exact times. Run by CTest on one thread; archives are made by
 * tests/unit/make_archive.h in a temporary folder.
 */
#include "tests/unit/analysis/analysis_fixture.h"

#include <stdio.h>
#include <string.h>

static const char *processors;

static void set_processors(OTF2_Archive *archive)
{
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::INFO::PROCS", processors, true));
}

/* Bound to one of them; of both, threads and another program had so much. */
static void set_bound(OTF2_Archive *archive)
{
    set_processors(archive);
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::PROCESSORS", "1", true));
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::PROCESSORS_BUSY", "30000000", true));
}

/* As set_bound, and short-lived threads of the program ran for 5 ms more. */
static void set_bound_beside_threads(OTF2_Archive *archive)
{
    set_bound(archive);
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::PROCESSORS_BUSY", "35000000", true));
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::OTHER_TIME", "5000000", true));
}

/* As set_bound, and the other program has a positive nice value. */
static void set_bound_beside_nice(OTF2_Archive *archive)
{
    set_bound(archive);
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::PROCESSORS_NICE", "10000000", true));
}

/* Region 20. */
static void write_masked(OTF2_GlobalDefWriter *writer)
{
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS, "!$omp masked @b.c:12"));
    make_succeed(OTF2_GlobalDefWriter_WriteRegion(writer, 20, MAKE_STRINGS, MAKE_STRINGS, MAKE_EMPTY_STRING,
                                                  OTF2_REGION_ROLE_MASTER, OTF2_PARADIGM_OPENMP,
                                                  OTF2_REGION_FLAG_NONE, MAKE_SOME_STRING, 12, 0));
}

static void analyse(const char *number, const char *events)
{
    processors = number;
    analysis_fixture_make(
        &(struct make_plan){.events = events, .more = write_masked, .properties = set_processors});
}

/* Wall time; 0: there is no such finding. */
static uint64_t gain_of(enum omptape_finding_kind kind)
{
    return analysis_fixture_sum(kind).gain;
}

/* Each computes for a millisecond, the second one for a microsecond more, one after the other: the second is
 * let out of the barrier before when the first has come to the next. */
#define TURNS                                                                                                \
    "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n0 100 enter 2\n1 100 enter 2\n"                       \
    "0 200 leave 2\n0 1000200 enter 2\n1 1000200 leave 2\n1 2001200 enter 2\n"                               \
    "0 2001300 leave 2\n0 2001300 leave 1\n0 2001300 endteam 0\n"                                            \
    "1 2001300 leave 2\n1 2001300 leave 1\n1 2001300 endteam 0\n"

/* The first one computes for a millisecond while the other waits, and no thread is in a run queue. */
#define ONE_WORKS                                                                                            \
    "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n1 100 enter 2\n0 1000100 enter 2\n"                   \
    "0 1000200 leave 2\n0 1000200 leave 1\n0 1000200 endteam 0\n"                                            \
    "1 1000200 leave 2\n1 1000200 leave 1\n1 1000200 endteam 0\n"                                            \
    "0 1000300 metric 0 1000200 1\n1 1000300 metric 0 100 1\n"

static uint64_t lost_to_waiting(const char *number)
{
    analyse(number, ONE_WORKS);
    const uint64_t gain = gain_of(OMPTAPE_FINDING_IMBALANCE) + gain_of(OMPTAPE_FINDING_SERIAL);
    analysis_fixture_close();
    check_remove_folder(NULL);
    check_make_folder(NULL);
    return gain;
}

/* With one processor, the other thread would only have been in the run queue. */
static void who_waits_while_all_processors_work_loses_nothing(void **state)
{
    (void)state;
    assert_in_range(lost_to_waiting("2"), 499000, 500000);
    assert_in_range(lost_to_waiting("1"), 0, 200);
}

static void turns_cost_nothing(void **state)
{
    (void)state;
    analyse("1", TURNS "0 2001400 metric 0 1000300 1001000\n1 2001400 metric 0 1001300 1000000\n");
    assert_int_equal(0, gain_of(OMPTAPE_FINDING_IMBALANCE));
    assert_int_equal(0, gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION));
    analysis_fixture_close();
}

/* With a processor for each, the second might have begun when the first did. */
static void late_beginning_is_no_work(void **state)
{
    (void)state;
    analyse("2", TURNS "0 2001400 metric 0 2001300 0\n1 2001400 metric 0 1001300 1000000\n");
    assert_in_range(gain_of(OMPTAPE_FINDING_PREEMPTION), 999000, 1000000);
    assert_int_equal(0, gain_of(OMPTAPE_FINDING_IMBALANCE));
    analysis_fixture_close();
}

/* With a processor for each, both lacked theirs for half of the time, and came together: nobody waited. */
static void who_lacks_a_processor_need_not_be_late(void **state)
{
    (void)state;
    analyse("2",
            "0 100 team 0\n0 100 enter 1\n1 100 team 0\n1 100 enter 1\n0 2000000 enter 2\n1 2000000 enter 2\n"
            "0 2000100 leave 2\n0 2000100 leave 1\n0 2000100 endteam 0\n"
            "1 2000100 leave 2\n1 2000100 leave 1\n1 2000100 endteam 0\n"
            "0 2000200 metric 0 1000200 1000000\n1 2000200 metric 0 1000200 1000000\n");
    assert_in_range(gain_of(OMPTAPE_FINDING_PREEMPTION), 999000, 1000000);
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_PREEMPTION).waited);
    analysis_fixture_close();
}

/* Both ran for 2 ms in the whole run, and lacked a processor for as long. */
static void define_whole_run(OTF2_GlobalDefWriter *writer)
{
    enum { RAN = MAKE_STRINGS, LACKED };
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, RAN, OMPTAPE_LOCATION_RUNNING));
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, LACKED, OMPTAPE_LOCATION_WAITING));
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t key = RAN; key <= LACKED; key++)
            make_succeed(OTF2_GlobalDefWriter_WriteLocationProperty(
                writer, i, key, OTF2_TYPE_UINT64, (OTF2_AttributeValue){.uint64 = 2000000}));
}

/* Two processes, each on a processor of its own, which was busy for 4 ms. */
static void define_bound_processes(OTF2_GlobalDefWriter *writer)
{
    enum { NUMBER = MAKE_STRINGS, ALLOWED, BUSY, FIRST, SECOND, BUSY_NS };
    static const char *const strings[] = {
        OMPTAPE_GROUP_NUMBER, "OMPTAPE::ALLOWED", "OMPTAPE::PROCESSORS_BUSY", "0", "1", "4000000"};
    static const OTF2_LocationGroupRef groups[] = {0, 2};
    for (uint32_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, NUMBER + i, strings[i]));
    for (uint32_t i = 0; i < 2; i++) {
        make_succeed(OTF2_GlobalDefWriter_WriteLocationGroupProperty(
            writer, groups[i], NUMBER, OTF2_TYPE_UINT32, (OTF2_AttributeValue){.uint32 = i}));
        make_succeed(OTF2_GlobalDefWriter_WriteLocationGroupProperty(
            writer, groups[i], ALLOWED, OTF2_TYPE_STRING, (OTF2_AttributeValue){.stringRef = FIRST + i}));
        make_succeed(OTF2_GlobalDefWriter_WriteLocationGroupProperty(
            writer, groups[i], BUSY, OTF2_TYPE_STRING, (OTF2_AttributeValue){.stringRef = BUSY_NS}));
    }
}

/* The second one runs all the time, the first one for half of it. */
static void each_processor_has_others_of_its_own(void **state)
{
    (void)state;
    analysis_fixture_make(
        &(struct make_plan){.events = "0 100 metric 0 1 1\n2 100 metric 0 1 1\n0 200 enter 0\n2 200 enter 0\n"
                                      "0 4000000 leave 0\n2 4000000 leave 0\n"
                                      "0 4000200 metric 0 2000000 2000000\n2 4000200 metric 0 4000000 1\n",
                            .more = define_bound_processes,
                            .two_processes = true});
    const char *text = analysis_fixture->warning_count > 0 ? analysis_fixture->warnings[0] : "";
    if (strstr(text, "other programs ran there for 2.0 ms") == NULL)
        fail_msg("%s", text);
    analysis_fixture_close();
}

static void set_busy_beside_others(OTF2_Archive *archive)
{
    processors = "2";
    set_processors(archive);
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::PROCESSORS_BUSY", "8000000", true));
}

/* In the second half, half of the waiting for the others, which ran for 4 of 8 ms in the whole run. */
static void others_in_a_window_are_a_part_of_all(void **state)
{
    (void)state;
    analysis_fixture_from = 2000000;
    analysis_fixture_to = 4000300;
    analysis_fixture_make(&(struct make_plan){
        .events = "0 100 metric 0 1 1\n1 100 metric 0 1 1\n"
                  "0 2000000 metric 0 1000000 1000000\n1 2000000 metric 0 1000000 1000000\n"
                  "0 2000100 team 0\n0 2000100 enter 1\n1 2000100 team 0\n1 2000100 enter 1\n"
                  "0 4000000 enter 2\n1 4000000 enter 2\n"
                  "0 4000100 leave 2\n0 4000100 leave 1\n0 4000100 endteam 0\n"
                  "1 4000100 leave 2\n1 4000100 leave 1\n1 4000100 endteam 0\n"
                  "0 4000200 metric 0 2000000 2000000\n1 4000200 metric 0 2000000 2000000\n",
        .more = define_whole_run,
        .properties = set_busy_beside_others});
    analysis_fixture_from = analysis_fixture_to = 0;
    assert_int_equal(OMPTAPE_FINDING_PREEMPTION, analysis_fixture->findings[0].kind);
    const char *text = analysis_fixture->findings[0].text;
    if (strstr(text, "other programs ran there for about 2.0 ms") == NULL)
        fail_msg("%s", text);
    analysis_fixture_close();
}

/* Each computes, for a millisecond and for two, and each ran for one. */
static void computing_needs_what_it_had(void **state)
{
    (void)state;
    analyse("1", "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n0 1000000 enter 2\n1 2000000 enter 2\n"
                 "0 2000100 leave 2\n0 2000100 leave 1\n0 2000100 endteam 0\n"
                 "1 2000100 leave 2\n1 2000100 leave 1\n1 2000100 endteam 0\n"
                 "0 2000200 metric 0 1000100 1000000\n1 2000200 metric 0 1000100 1000000\n");
    assert_int_equal(0, gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION));
    analysis_fixture_close();
}

/* Of 2 ms in which one computes, the other had the processor for one, and spun. */
static void spinning_takes_the_processor(void **state)
{
    (void)state;
    analyse("1", "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n0 1000 enter 2\n1 2000000 enter 2\n"
                 "0 2000100 leave 2\n0 2000100 leave 1\n0 2000100 endteam 0\n"
                 "1 2000100 leave 2\n1 2000100 leave 1\n1 2000100 endteam 0\n"
                 "0 2000200 metric 0 1000100 1000000\n1 2000200 metric 0 1000100 1000000\n");
    assert_in_range(gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION), 490000, 510000);
    assert_in_range(gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION) + gain_of(OMPTAPE_FINDING_IMBALANCE), 990000,
                    1000100);
    analysis_fixture_close();
}

static const char *switch_time;

static void set_switch_time(OTF2_Archive *archive)
{
    set_processors(archive);
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::DURATION", "2000200", true));
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::SWITCH_TIME", switch_time, true));
}

static void make_switching(const char *ns)
{
    processors = "1";
    switch_time = ns;
    analysis_fixture_make(&(struct make_plan){
        .events = "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n0 1000 enter 2\n1 2000000 enter 2\n"
                  "0 2000100 leave 2\n0 2000100 leave 1\n0 2000100 endteam 0\n"
                  "1 2000100 leave 2\n1 2000100 leave 1\n1 2000100 endteam 0\n"
                  "0 2000200 metric 0 1000100 1000000\n1 2000200 metric 0 1000100 1000000\n",
        .more = write_masked,
        .properties = set_switch_time});
}

/* As before, but for a tenth of the time the kernel recorded context switches. */
static void recording_switches_is_no_loss(void **state)
{
    (void)state;
    make_switching("200000");
    assert_in_range(gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION), 290000, 310000);
    assert_int_equal(analysis_fixture->perturbation.switching, 200000);
    analysis_fixture_close();
}

/* It does not do so for longer than the threads have no processor, whatever was measured. */
static void recording_switches_takes_no_more_than_there_is(void **state)
{
    (void)state;
    make_switching("90000000");
    assert_int_equal(gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION), 0);
    assert_in_range(analysis_fixture->perturbation.switching, 1990000, 2000300);
    analysis_fixture_close();
}

/* Three on two processors. For 2 ms two spin, and the third one has no processor to leave the barrier. Then
 * it computes for 1 ms, and the others yield a processor that nobody else needs: 1 ms of 5 of processor time
 * without work. So a fifth of the time to record switches costs nothing. */
static void yields_without_work_cost_nothing(void **state)
{
    (void)state;
    processors = "2";
    switch_time = "1000000";
    analysis_fixture_make(&(struct make_plan){
        .events = "0 0 team 1\n0 0 enter 1\n1 0 team 1\n1 0 enter 1\n2 0 team 1\n2 0 enter 1\n"
                  "0 100 enter 2\n1 100 enter 2\n2 100 enter 2\n0 200 leave 2\n1 200 leave 2\n"
                  "0 300 enter 2\n1 300 enter 2\n2 2000000 leave 2\n2 2000100 enter 2\n"
                  "0 2000200 leave 2\n1 2000200 leave 2\n2 2000200 leave 2\n"
                  "0 2000300 enter 2\n1 2000300 enter 2\n2 3000000 enter 2\n"
                  "0 3000100 leave 2\n0 3000100 leave 1\n0 3000100 endteam 1\n"
                  "1 3000100 leave 2\n1 3000100 leave 1\n1 3000100 endteam 1\n"
                  "2 3000100 leave 2\n2 3000100 leave 1\n2 3000100 endteam 1\n"
                  "0 3000200 metric 0 2500000 500000\n1 3000200 metric 0 2500000 500000\n"
                  "2 3000200 metric 0 1000300 1999900\n",
        .more = write_masked,
        .properties = set_switch_time});
    assert_int_equal(OMPTAPE_FINDING_OVERSUBSCRIPTION, analysis_fixture->findings[0].kind);
    assert_in_range(analysis_fixture->findings[0].tracing, 399500, 400500);
    analysis_fixture_close();
}

/* Three on two processors: one computes for 1 ms, two for 2. In the second millisecond any two of the three
 * are together on a processor, in one case of three the two that compute: 2 and 5/3 processors work, and
 * 2 - (2 + 5/3) / 2 ms is all that can be won, whatever was waited. */
static void waiting_costs_what_processors_did_not_work(void **state)
{
    (void)state;
    analyse("2", "0 0 team 1\n0 0 enter 1\n1 0 team 1\n1 0 enter 1\n2 0 team 1\n2 0 enter 1\n"
                 "0 1000000 enter 2\n1 2000000 enter 2\n2 2000000 enter 2\n"
                 "0 2000100 leave 2\n0 2000100 leave 1\n0 2000100 endteam 1\n"
                 "1 2000100 leave 2\n1 2000100 leave 1\n1 2000100 endteam 1\n"
                 "2 2000100 leave 2\n2 2000100 leave 1\n2 2000100 endteam 1\n"
                 "0 2000200 metric 0 1333400 666700\n1 2000200 metric 0 1333400 666700\n"
                 "2 2000200 metric 0 1333400 666700\n");
    assert_in_range(gain_of(OMPTAPE_FINDING_IMBALANCE), 166000, 167500);
    assert_int_equal(0, gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION));
    analysis_fixture_close();
}

/* Three on two processors: one does for 2 ms what is for one, and is in its turn for less; one waits and
 * spins; one, without a processor, comes from the barrier before when that is nearly over. What the first one
 * does costs one of two processors all the same. */
static void what_is_for_one_costs_the_other_processors(void **state)
{
    (void)state;
    analyse("2", "0 0 team 1\n0 0 enter 1\n1 0 team 1\n1 0 enter 1\n2 0 team 1\n2 0 enter 1\n"
                 "0 100 enter 2\n1 100 enter 2\n2 100 enter 2\n"
                 "0 200 leave 2\n0 200 enter 20\n1 200 leave 2\n1 300 enter 2\n2 1999000 leave 2\n"
                 "2 2000000 enter 2\n0 2000200 leave 20\n0 2000200 enter 2\n"
                 "0 2000300 leave 2\n0 2000300 leave 1\n0 2000300 endteam 1\n"
                 "1 2000300 leave 2\n1 2000300 leave 1\n1 2000300 endteam 1\n"
                 "2 2000300 leave 2\n2 2000300 leave 1\n2 2000300 endteam 1\n"
                 "0 2000400 metric 0 1700300 300000\n1 2000400 metric 0 2000300 0\n"
                 "2 2000400 metric 0 300300 1700000\n");
    assert_in_range(gain_of(OMPTAPE_FINDING_SERIAL), 840000, 1000000);
    assert_in_range(gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION), 0, 160000);
    analysis_fixture_close();
}

/* Readings of locations with several threads count more than the processor's 2 ms. One thread queues for half
 * of its time. */
static void threads_run_no_longer_than_processors(void **state)
{
    (void)state;
    analyse("1", "0 0 team 1\n0 0 enter 1\n1 0 team 1\n1 0 enter 1\n2 0 team 1\n2 0 enter 1\n"
                 "0 400000 enter 2\n1 400000 enter 2\n2 400000 enter 2\n"
                 "0 2000100 leave 2\n0 2000100 leave 1\n0 2000100 endteam 1\n"
                 "1 2000100 leave 2\n1 2000100 leave 1\n1 2000100 endteam 1\n"
                 "2 2000100 leave 2\n2 2000100 leave 1\n2 2000100 endteam 1\n"
                 "0 2000200 metric 0 1000100 1000000\n1 2000200 metric 0 2000100 1\n"
                 "2 2000200 metric 0 2000100 1\n");
    assert_int_not_equal(0, gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION));
    analysis_fixture_close();
}

/* What is said of waiting for processors. */
static void expect_warning(const char *expected)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < analysis_fixture->warning_count; i++) {
        if (strstr(analysis_fixture->warnings[i], "wanted a processor") == NULL)
            continue;
        assert_string_equal(expected, analysis_fixture->warnings[i]);
        count++;
    }
    assert_int_equal(1, count);
    analysis_fixture_close();
}

static const char of_half[] = "threads wanted a processor and had none for 50 % of their time: the times "
                              "below are longer than the work needs";
static const char of_most[] = "all times below are inflated: threads wanted a processor and had none for 80 "
                              "% of their time; what follows "
                              "is about this run: repeat it on an idle machine";

/* Two that run and wait for a millisecond each. */
#define HALF "0 2001400 metric 0 1000000 1000000\n1 2001400 metric 0 1000000 1000000\n"

static void two_share_one_processor(void **state)
{
    (void)state;
    analyse("1", TURNS HALF);
    expect_warning(of_half);
}

/* Who had them is not known. */
static void two_on_two_wait_for_others(void **state)
{
    (void)state;
    analyse("2", TURNS HALF);
    expect_warning(of_half);
}

/* While one waits the other one would run. */
static void two_that_hardly_run_wait_for_others(void **state)
{
    (void)state;
    analyse("1", TURNS "0 2001400 metric 0 400000 1600000\n1 2001400 metric 0 400000 1600000\n");
    expect_warning(of_most);
}

/* Two threads compute for 10 ms each on one of two processors, while another program has the other one for 10
 * ms: unbound, all of it takes 15 ms. */
static void analyse_bound(void (*properties)(OTF2_Archive *archive))
{
    processors = "2";
    analysis_fixture_make(&(struct make_plan){
        .events = "0 100 team 0\n0 100 enter 1\n1 100 team 0\n1 100 enter 1\n"
                  "0 20000100 enter 2\n0 20000200 leave 2\n0 20000200 leave 1\n0 20000200 endteam 0\n"
                  "1 20000100 enter 2\n1 20000200 leave 2\n1 20000200 leave 1\n1 20000200 endteam 0\n"
                  "0 20000300 metric 0 10000000 10000000\n1 20000300 metric 0 10000000 10000000\n",
        .more = write_masked,
        .properties = properties});
}

static void another_program_has_the_other_processor(void **state)
{
    (void)state;
    analyse_bound(set_bound);
    assert_in_range(gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION), 4990000, 5010000);
    analysis_fixture_close();
    check_remove_folder(NULL);
    check_make_folder(NULL);
    analyse_bound(set_bound_beside_threads);
    assert_in_range(gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION), 4990000, 5010000);
    analysis_fixture_close();
}

/* The other program would give way: unbound, all of it takes 10 ms. */
static void a_nice_program_leaves_the_other_processor(void **state)
{
    (void)state;
    analyse_bound(set_bound_beside_nice);
    assert_in_range(gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION), 9990000, 10010000);
    analysis_fixture_close();
}

/* All that processors did were these three threads' 30 ms. */
static void set_busy(OTF2_Archive *archive)
{
    processors = "2";
    set_processors(archive);
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::PROCESSORS_BUSY", "30000000", true));
}

/* Three threads compute for 10 ms each on two processors, the third one behind the others, which
 * sleep meanwhile: two would take 15 ms. From the fork on nothing is serial. */
static void analyse_sleepers(void (*properties)(OTF2_Archive *archive))
{
    analysis_fixture_make(&(struct make_plan){
        .events =
            "0 100 fork 3\n0 4001000 team 1\n0 4001000 enter 1\n1 4001000 team 1\n1 4001000 enter 1\n"
            "2 4001000 team 1\n2 4001000 enter 1\n0 14001000 enter 2\n1 14001000 enter 2\n2 24001000 enter "
            "2\n"
            "0 24002000 leave 2\n0 24002000 leave 1\n0 24002000 endteam 1\n0 24003000 join\n"
            "1 24002000 leave 2\n1 24002000 leave 1\n1 24002000 endteam 1\n"
            "2 24002000 leave 2\n2 24002000 leave 1\n2 24002000 endteam 1\n"
            "0 24004000 metric 0 10000000 1000\n1 24004000 metric 0 10000000 1000\n2 24004000 metric 0 "
            "10000000 "
            "10000000\n",
        .more = write_masked,
        .properties = properties});
}

static void who_sleeps_leaves_a_processor_idle(void **state)
{
    (void)state;
    analyse_sleepers(set_busy);
    assert_in_range(gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION) + gain_of(OMPTAPE_FINDING_IMBALANCE), 8900000,
                    9100000);
    assert_in_range(gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION), 4000000, 9100000);
    assert_int_equal(OMPTAPE_ESTIMATED, analysis_fixture->findings[0].certainty);
    assert_int_equal(0, gain_of(OMPTAPE_FINDING_SERIAL));
    analysis_fixture_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(turns_cost_nothing, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(who_waits_while_all_processors_work_loses_nothing, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(late_beginning_is_no_work, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(who_lacks_a_processor_need_not_be_late, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(computing_needs_what_it_had, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(spinning_takes_the_processor, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(yields_without_work_cost_nothing, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(recording_switches_is_no_loss, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(recording_switches_takes_no_more_than_there_is, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(waiting_costs_what_processors_did_not_work, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(what_is_for_one_costs_the_other_processors, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_sleeps_leaves_a_processor_idle, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(threads_run_no_longer_than_processors, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(a_nice_program_leaves_the_other_processor, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(two_share_one_processor, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(two_on_two_wait_for_others, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(two_that_hardly_run_wait_for_others, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(another_program_has_the_other_processor, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(each_processor_has_others_of_its_own, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(others_in_a_window_are_a_part_of_all, check_make_folder,
                                        check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
