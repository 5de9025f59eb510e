/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what waiting is charged to (src/analysis/barriers.c, tasks.c, findings/joining.c): the one
 * place and kind. Run by CTest on one thread; archives are made by tests/unit/make_archive.h in a temporary
 * folder.
 */
#include "tests/unit/analysis/analysis_fixture.h"

/* A parallel region and a loop at one line; tasks at others, in one function; a parallel region without. */
enum { PARALLEL = 20, LOOP = 21, TASK = 22, OTHER_TASK = 23, MERGED = 24, REGIONS = 5 };

static void write_regions(OTF2_GlobalDefWriter *writer)
{
    static const char *const names[REGIONS] = {"!$omp parallel @b.c:12", "!$omp for @b.c:12",
                                               "!$omp task @b.c:14", "!$omp task @b.c:16",
                                               "!$omp parallel @visit+0x79"};
    static const OTF2_RegionRole roles[REGIONS] = {OTF2_REGION_ROLE_PARALLEL, OTF2_REGION_ROLE_LOOP,
                                                   OTF2_REGION_ROLE_TASK, OTF2_REGION_ROLE_TASK,
                                                   OTF2_REGION_ROLE_PARALLEL};
    static const uint32_t lines[REGIONS] = {12, 12, 14, 16, 0};
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + REGIONS, "visit"));
    for (uint32_t i = 0; i < REGIONS; i++) {
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + i, names[i]));
        make_succeed(OTF2_GlobalDefWriter_WriteRegion(
            writer, PARALLEL + i, MAKE_STRINGS + i, MAKE_STRINGS + i, MAKE_STRINGS + REGIONS, roles[i],
            OTF2_PARADIGM_OPENMP, OTF2_REGION_FLAG_NONE, MAKE_SOME_STRING, lines[i], 0));
    }
}

static void set_processors(OTF2_Archive *archive)
{
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::INFO::PROCS", "2", true));
}

/* That all waited for is at this place and of this kind; how long. Where there are more threads than
 * processors nothing else may be said either: no reading shows a run queue. */
static uint64_t waited_at(enum omptape_finding_kind kind, uint64_t region, const char *events)
{
    analysis_fixture_make(
        &(struct make_plan){.events = events, .more = write_regions, .properties = set_processors});
    assert_int_equal(1, analysis_fixture->finding_count);
    const struct omptape_finding *finding = &analysis_fixture->findings[0];
    assert_int_equal(kind, finding->kind);
    assert_non_null(finding->region);
    assert_int_equal(region, finding->region->definition->id);
    assert_true(finding->text[0] != '\0');
    uint64_t waited = finding->waited;
    analysis_fixture_close();
    return waited;
}

#define LEAVE(location, time, team)                                                                          \
    #location " " #time " leave 2\n" #location " " #time " leave 1\n" #location " " #time " endteam " #team  \
              "\n"

/* The thread of the inner team works for a millisecond, and waits there for another one. */
static void inner_waiting_is_the_inner_region_s(void **state)
{
    (void)state;
    uint64_t waited = waited_at(
        OMPTAPE_FINDING_NESTED_WAIT, PARALLEL,
        "0 0 team 1\n0 0 enter 1\n1 0 team 1\n1 0 enter 1\n2 0 team 1\n2 0 enter 1\n"
        "0 100 enter 2\n2 100 enter 2\n1 100 team 2\n1 100 enter 20\n1 1000100 enter 2\n"
        "1 2000100 leave 2\n1 2000100 leave 20\n1 2000100 endteam 2\n1 2000200 enter 2\n" LEAVE(0, 2000300, 1)
            LEAVE(1, 2000300, 1) LEAVE(2, 2000300, 1));
    assert_in_range(waited, 3999000, 4000200);
}

/* The loop is where most was done, the region around it at the same line the rest: one construct. */
static void combined_constructs_are_one(void **state)
{
    (void)state;
    uint64_t waited = waited_at(OMPTAPE_FINDING_IMBALANCE, LOOP,
                                "0 0 team 0\n0 0 enter 20\n1 0 team 0\n1 0 enter 20\n"
                                "1 0 enter 21\n1 10000 leave 21\n1 20000 enter 2\n"
                                "0 0 enter 21\n0 2000000 leave 21\n0 3000000 enter 2\n"
                                "0 3000100 leave 2\n0 3000100 leave 20\n0 3000100 endteam 0\n"
                                "1 3000100 leave 2\n1 3000100 leave 20\n1 3000100 endteam 0\n");
    assert_in_range(waited, 2979000, 2980100);
}

static uint64_t to_win_of(uint64_t region)
{
    for (uint32_t i = 0; i < analysis_fixture->region_count; i++)
        if (analysis_fixture->regions[i]->definition->id == region)
            return analysis_fixture->regions[i]->gain;
    fail_msg("no region %u", (unsigned)region);
    return 0;
}

/* One thread comes a millisecond later than the other: by the loop, and as much again by what is around it.
 */
#define LATE_BY_BOTH                                                                                         \
    "0 0 team 0\n0 0 enter 20\n1 0 team 0\n1 0 enter 20\n"                                                   \
    "1 0 enter 21\n1 10000 leave 21\n1 20000 enter 2\n"                                                      \
    "0 0 enter 21\n0 510000 leave 21\n0 1020000 enter 2\n"                                                   \
    "0 1020100 leave 2\n0 1020100 leave 20\n0 1020100 endteam 0\n"                                           \
    "1 1020100 leave 2\n1 1020100 leave 20\n1 1020100 endteam 0\n"

/* What is joined is all there is to win at the regions: each has its own part of it. */
static void each_region_has_its_part(void **state)
{
    (void)state;
    analysis_fixture_make(&(struct make_plan){.events = LATE_BY_BOTH, .more = write_regions});
    uint64_t gain = analysis_fixture_sum(OMPTAPE_FINDING_IMBALANCE).gain;
    assert_in_range(gain, 499000, 500100);
    assert_int_equal(gain, to_win_of(PARALLEL) + to_win_of(LOOP));
    assert_in_range(to_win_of(LOOP), gain / 3, 2 * gain / 3);
    analysis_fixture_close();
}

/* Both parts together are less than a hundredth of the time: nothing is said of either. */
static void what_is_not_told_is_not_to_win(void **state)
{
    (void)state;
    analysis_fixture_make(&(struct make_plan){
        .events = LATE_BY_BOTH "0 90000000 enter 2\n0 90000000 leave 2\n", .more = write_regions});
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_IMBALANCE).gain);
    assert_int_equal(0, to_win_of(PARALLEL));
    assert_int_equal(0, to_win_of(LOOP));
    analysis_fixture_close();
}

/* A loop of a millisecond in which one thread takes `longer` than the other. */
#define UNEQUAL(longer)                                                                                      \
    "0 0 team 0\n0 0 enter 20\n1 0 team 0\n1 0 enter 20\n1 0 enter 21\n1 1000000 leave 21\n"                 \
    "1 1000000 enter 2\n0 0 enter 21\n0 " #longer " leave 21\n0 " #longer " enter 2\n"                       \
    "0 1200000 leave 2\n0 1200000 leave 20\n0 1200000 endteam 0\n"                                           \
    "1 1200000 leave 2\n1 1200000 leave 20\n1 1200000 endteam 0\n"

/* By so little threads of equal work differ, too: a twentieth of their time. */
static void noise_is_no_imbalance(void **state)
{
    (void)state;
    analysis_fixture_make(&(struct make_plan){.events = UNEQUAL(1080000), .more = write_regions});
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_IMBALANCE).gain);
    assert_int_equal(0, to_win_of(LOOP));
    analysis_fixture_close();
}

static void more_than_noise_is_an_imbalance(void **state)
{
    (void)state;
    analysis_fixture_make(&(struct make_plan){.events = UNEQUAL(1160000), .more = write_regions});
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_IMBALANCE).gain, 79000, 81000);
    analysis_fixture_close();
}

/* Of a parallel construct without a line what is in it says where it is. */
static void a_region_without_a_line_is_where_its_loop_is(void **state)
{
    (void)state;
    analysis_fixture_make(
        &(struct make_plan){.events = "0 0 team 0\n0 0 enter 24\n1 0 team 0\n1 0 enter 24\n"
                                      "0 100 enter 21\n0 200 leave 21\n1 100 enter 21\n1 200 leave 21\n"
                                      "1 300 enter 2\n0 1000000 enter 2\n"
                                      "0 1000100 leave 2\n0 1000100 leave 24\n0 1000100 endteam 0\n"
                                      "1 1000100 leave 2\n1 1000100 leave 24\n1 1000100 endteam 0\n",
                            .more = write_regions});
    const struct omptape_finding *finding = &analysis_fixture->findings[0];
    assert_int_equal(MERGED, finding->region->definition->id);
    assert_int_equal(0, finding->region->line);
    assert_int_equal(12, finding->line);
    assert_string_equal("parallel @visit+0x79", finding->region->label);
    assert_non_null(strstr(finding->region->shown, "parallel near @"));
    assert_non_null(strstr(finding->region->shown, ":12"));
    analysis_fixture_close();
}

/* A construct without records, as a masked region of gcc's: the other thread does nothing. */
static void one_alone_is_serial(void **state)
{
    (void)state;
    uint64_t waited = waited_at(OMPTAPE_FINDING_SERIAL, 1,
                                "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n1 100 enter 2\n"
                                "0 1000000 enter 2\n" LEAVE(0, 1000100, 0) LEAVE(1, 1000100, 0));
    assert_in_range(waited, 999000, 1000100);
}

#define REGION(begin, end)                                                                                   \
    "0 " #begin " fork 2\n0 " #begin " team 0\n0 " #begin " enter 1\n1 " #begin " team 0\n1 " #begin         \
    " enter 1\n0 " #end " enter 2\n1 " #end " enter 2\n" LEAVE(0, end, 0) LEAVE(1, end, 0) "0 " #end         \
                                                                                           " join\n"

/* Processes of two threads and of one have 1.5 on average: a third of 18 ms and 22 ms is lost, half of that
 * in each. */
static void serial_parts_of_unequal_teams(void **state)
{
    (void)state;
    analysis_fixture_make(&(struct make_plan){.events = "0 0 enter 0\n" REGION(10000000, 12000000) REGION(
                                                  20000000, 22000000) "0 22000000 leave 0\n"
                                                                      "2 0 enter 0\n2 22000000 leave 0\n",
                                              .two_processes = true,
                                              .initial = 1U << 2});
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_SERIAL).gain, 6660000, 6670000);
    analysis_fixture_close();
}

/* Two rounds of a serial part and a region: the first part is before all regions, and the same place if it is
 * as long. */
static void serial_parts_of_all_rounds_are_one(void **state)
{
    (void)state;
    analysis_fixture_make(&(struct make_plan){
        .events = "0 0 enter 2\n0 100 leave 2\n" REGION(10000000, 12000000) REGION(20000000, 22000000)});
    assert_int_equal(1, analysis_fixture->finding_count);
    const struct omptape_finding *finding = &analysis_fixture->findings[0];
    assert_int_equal(OMPTAPE_FINDING_SERIAL, finding->kind);
    assert_int_equal(2, finding->count);
    assert_in_range(finding->gain, 8990000, 9000000);
    assert_non_null(strstr(finding->text, "begin or end as well"));
    analysis_fixture_close();
}

/* A process needs some time to begin: the first part is too short for a finding. */
static void the_start_of_a_process_is_no_serial_part(void **state)
{
    (void)state;
    analysis_fixture_make(&(struct make_plan){
        .events = "0 0 enter 2\n0 100 leave 2\n" REGION(2500000, 4500000) REGION(20000000, 22000000)});
    assert_int_equal(1, analysis_fixture->finding_count);
    assert_non_null(analysis_fixture->findings[0].region);
    analysis_fixture_close();
}

static void another_beginning_is_another_place(void **state)
{
    (void)state;
    analysis_fixture_make(&(struct make_plan){
        .events = "0 0 enter 2\n0 100 leave 2\n" REGION(4000000, 6000000) REGION(20000000, 22000000)});
    assert_int_equal(2, analysis_fixture->finding_count);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(OMPTAPE_FINDING_SERIAL, analysis_fixture->findings[i].kind);
        assert_null(strstr(analysis_fixture->findings[i].text, "as well"));
    }
    analysis_fixture_close();
}

/* Of three tasks of 10 ns two are at one place, the third at another of the same function: to find each takes
 * a microsecond. */
static void fine_tasks_of_a_function_are_one(void **state)
{
    enum { TASKS = 180, TEXT_BYTES = 65536 };
    char text[TEXT_BYTES];
    size_t at = (size_t)snprintf(text, sizeof(text), "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n");
    unsigned time = 0;
    (void)state;
    for (int i = 1; i <= TASKS; i++) {
        int region = i % 3 == 0 ? OTHER_TASK : TASK;
        at += (size_t)snprintf(text + at, sizeof(text) - at,
                               "0 %u create 0 0 %d\n0 %u enter 2\n0 %u switch 0 0 %d\n0 %u enter %d\n"
                               "0 %u leave %d\n0 %u complete 0 0 %d\n0 %u leave 2\n",
                               time + 50, i, time + 50, time + 1050, i, time + 1050, region, time + 1060,
                               region, time + 1060, i, time + 1060);
        time += 1060;
    }
    snprintf(text + at, sizeof(text) - at, "0 %u leave 1\n0 %u endteam 0\n1 %u leave 1\n1 %u endteam 0\n",
             time, time, time, time);
    analysis_fixture_make(&(struct make_plan){.events = text, .more = write_regions});
    const struct omptape_finding *finding = &analysis_fixture->findings[0];
    assert_int_equal(OMPTAPE_FINDING_FINE_TASKS, finding->kind);
    assert_int_equal(TASK, finding->region->definition->id);
    assert_true(finding->waited >= (uint64_t)TASKS * 1000);
    assert_int_equal(finding->gain, analysis_fixture_sum(OMPTAPE_FINDING_FINE_TASKS).gain);
    assert_in_range(finding->gain_of_others, finding->gain / 4, finding->gain / 2);
    analysis_fixture_close();
}

/* One executes short tasks and, between, a long one; the other waits from the first to the last. */
static void who_waits_for_many_waits_for_the_longest(void **state)
{
    (void)state;
    uint64_t waited = waited_at(
        OMPTAPE_FINDING_TASK_CHAIN, TASK,
        "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n"
        "0 100 create 0 0 1\n0 200 create 0 0 2\n0 300 create 0 0 3\n0 400 create 0 0 4\n"
        "1 500 enter 2\n0 1000 enter 2\n"
        "0 1100 switch 0 0 1\n0 1100 enter 3\n0 101000 leave 3\n0 101000 complete 0 0 1\n"
        "0 101100 switch 0 0 2\n0 101100 enter 22\n0 1101000 leave 22\n0 1101000 complete 0 0 2\n"
        "0 1101100 switch 0 0 3\n0 1101100 enter 3\n0 1201000 leave 3\n0 1201000 complete 0 0 3\n"
        "1 1201100 switch 0 0 4\n1 1201100 enter 3\n1 1202000 leave 3\n1 1202000 complete 0 0 4\n" LEAVE(
            0, 1203000, 0) LEAVE(1, 1203000, 0));
    assert_in_range(waited, 1200000, 1200700);
}

/* One executes tasks of 2 us for 100 us; the other gets none meanwhile, though 10 are queued all the time. */
static void who_is_not_given_small_tasks_waits_for_fine_ones(void **state)
{
    enum { QUEUED = 60, EXECUTED = 50, TEXT_BYTES = 16384 };
    char text[TEXT_BYTES];
    size_t at = (size_t)snprintf(text, sizeof(text), "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n");
    unsigned time = 100;
    (void)state;
    for (int i = 1; i <= QUEUED; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "0 %u create 0 0 %d\n", time++, i);
    at += (size_t)snprintf(text + at, sizeof(text) - at, "1 200 enter 2\n0 200 enter 2\n");
    time = 1000;
    for (int i = 1; i <= QUEUED; i++) {
        const int thread = i <= EXECUTED ? 0 : 1;
        at += (size_t)snprintf(text + at, sizeof(text) - at,
                               "%d %u switch 0 0 %d\n%d %u enter 3\n%d %u leave 3\n%d %u complete 0 0 %d\n",
                               thread, time, i, thread, time, thread, time + 1990, thread, time + 1990, i);
        time += 2000;
    }
    snprintf(text + at, sizeof(text) - at, LEAVE(0, 130000, 0) LEAVE(1, 130000, 0));
    analysis_fixture_make(
        &(struct make_plan){.events = text, .more = write_regions, .properties = set_processors});
    assert_int_equal(1, analysis_fixture->finding_count);
    const struct omptape_finding *finding = &analysis_fixture->findings[0];
    assert_int_equal(OMPTAPE_FINDING_FINE_TASKS, finding->kind);
    assert_int_equal(3, finding->region->definition->id);
    assert_in_range(finding->waited, 100000, 125000);
    /* Their creation costs little and is no part of the gain: the sentence has the waiting alone. */
    assert_non_null(strstr(finding->text, " tasks of 2.0 us each; threads wait "));
    analysis_fixture_close();
}

/* One executes the only task, of 19 us, and the other waits meanwhile: no other size of tasks would help. */
static void a_single_task_gets_no_proposal(void **state)
{
    (void)state;
    analysis_fixture_make(&(struct make_plan){
        .events = "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n1 500 enter 2\n0 1000 create 0 0 1\n"
                  "0 1010 switch 0 0 1\n0 1010 enter 3\n0 20010 leave 3\n0 20010 complete 0 0 1\n"
                  "0 20010 enter 2\n" LEAVE(0, 20100, 0) LEAVE(1, 20100, 0),
        .more = write_regions,
        .properties = set_processors});
    assert_int_equal(1, analysis_fixture->finding_count);
    const struct omptape_finding *finding = &analysis_fixture->findings[0];
    assert_int_equal(OMPTAPE_FINDING_FINE_TASKS, finding->kind);
    assert_non_null(strstr(finding->text, "1 task of 19 us; threads wait 19 us in all while it runs"));
    assert_string_equal("", finding->proposal);
    analysis_fixture_close();
}

/* Three threads on two processors: two spin while one sleeps, which needs none. They might sleep, too. */
static void work_that_sleeps_needs_no_processor(void **state)
{
    (void)state;
    analysis_fixture_make(&(struct make_plan){
        .events = "0 0 team 1\n0 0 enter 1\n1 0 team 1\n1 0 enter 1\n2 0 team 1\n2 0 enter 1\n"
                  "1 100 enter 2\n2 100 enter 2\n0 2000000 enter 2\n" LEAVE(0, 2000100, 1)
                      LEAVE(1, 2000100, 1) LEAVE(2, 2000100, 1) "0 2000200 metric 0 200 100\n"
                                                                "1 2000200 metric 0 1000000 1000000\n"
                                                                "2 2000200 metric 0 1000000 1000000\n",
        .properties = set_processors});
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_BLOCKED).gain, 1990000, 2000200);
    analysis_fixture_close();
}

/* Two threads that do something for so long between one barrier and the next, which the second one leaves so
 * much later. What the barriers cost as needless ones. */
static struct omptape_finding make_needless(unsigned did, unsigned late, void (*properties)(OTF2_Archive *))
{
    enum { BARRIERS = 10, TEXT_BYTES = 4096 };
    char text[TEXT_BYTES];
    size_t at = (size_t)snprintf(text, sizeof(text), "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n");
    unsigned time = 0;
    for (unsigned i = 0; i < BARRIERS; i++) {
        time += did;
        at +=
            (size_t)snprintf(text + at, sizeof(text) - at, "0 %u enter 2\n1 %u enter 2\n", time, time + late);
        time += late + 500;
        at +=
            (size_t)snprintf(text + at, sizeof(text) - at, "0 %u leave 2\n1 %u leave 2\n", time, time + late);
    }
    time += late;
    (void)snprintf(text + at, sizeof(text) - at,
                   "0 %u leave 1\n0 %u endteam 0\n1 %u leave 1\n1 %u endteam 0\n", time, time, time, time);
    analysis_fixture_make(&(struct make_plan){.events = text, .properties = properties});
    struct omptape_finding finding = analysis_fixture_sum(OMPTAPE_FINDING_NEEDLESS_BARRIER);
    for (uint32_t i = 0; i < analysis_fixture->finding_count; i++)
        if (analysis_fixture->findings[i].kind == OMPTAPE_FINDING_NEEDLESS_BARRIER)
            assert_non_null(strstr(analysis_fixture->findings[i].text,
                                   " times threads did nothing, or less than a barrier takes, "));
    analysis_fixture_close();
    return finding;
}

static uint64_t needless_after(unsigned did, unsigned late)
{
    return make_needless(did, late, NULL).waited;
}

/* Each record took 100 ns. */
static void set_record_cost(OTF2_Archive *archive)
{
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::RECORD_COST", "100000", true));
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::RECORDS", "50", true));
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::DURATION", "7000", true));
}

static void barriers_behind_nothing_are_needless(void **state)
{
    (void)state;
    assert_int_equal(needless_after(200, 0), 9 * 2 * (200 + 500));
    assert_string_equal("barrier after little work", omptape_finding_name(OMPTAPE_FINDING_NEEDLESS_BARRIER));
}

/* Each thread makes two records for each barrier: the leave of the one before, and the enter. */
static void records_of_needless_barriers_are_no_gain(void **state)
{
    (void)state;
    assert_int_equal(make_needless(200, 0, set_record_cost).gain, 9 * (200 + 500 - 2 * 100));
}

/* Who had no processor for a time would be waited for at the next barrier. */
static void what_late_threads_cost_is_not_the_barrier_s(void **state)
{
    (void)state;
    assert_in_range(needless_after(200, 100000), 1, 9 * 2 * (200 + 10001));
}

static void a_short_phase_needs_its_barrier(void **state)
{
    (void)state;
    assert_int_equal(0, needless_after(600, 0));
}

/* gcc counts a loop over pointers or iterators by their addresses. */
static void addresses_are_no_numbers_of_iterations(void **state)
{
    struct analysis_outliers chunk = {.kind = ANALYSIS_OUTLIER_CHUNK, .worst_number = 384, .worst_parts = 64};
    char text[64];
    (void)state;
    assert_string_equal("iterations 384 to 447", omptape_outlier_which(&chunk, text, sizeof(text)));
    chunk.worst_number = UINT64_C(94056771476036);
    assert_string_equal("64 iterations by a pointer", omptape_outlier_which(&chunk, text, sizeof(text)));
    chunk.worst_parts = 1;
    assert_string_equal("1 iteration by a pointer", omptape_outlier_which(&chunk, text, sizeof(text)));
    chunk.worst_number = UINT64_C(1700000000000); /* a time in ms */
    assert_string_equal("iteration 1700000000000", omptape_outlier_which(&chunk, text, sizeof(text)));
    chunk.worst_number = UINT64_C(1700000000000000); /* in us */
    assert_string_equal("iteration 1700000000000000", omptape_outlier_which(&chunk, text, sizeof(text)));
    chunk.worst_number = (uint64_t)-5;
    assert_string_equal("iteration -5", omptape_outlier_which(&chunk, text, sizeof(text)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(inner_waiting_is_the_inner_region_s, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(combined_constructs_are_one, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(each_region_has_its_part, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(what_is_not_told_is_not_to_win, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(noise_is_no_imbalance, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(more_than_noise_is_an_imbalance, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(a_region_without_a_line_is_where_its_loop_is, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(records_of_needless_barriers_are_no_gain, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(barriers_behind_nothing_are_needless, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(what_late_threads_cost_is_not_the_barrier_s, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(a_short_phase_needs_its_barrier, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(one_alone_is_serial, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(serial_parts_of_unequal_teams, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(serial_parts_of_all_rounds_are_one, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(the_start_of_a_process_is_no_serial_part, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(another_beginning_is_another_place, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(fine_tasks_of_a_function_are_one, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_waits_for_many_waits_for_the_longest, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_is_not_given_small_tasks_waits_for_fine_ones, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(a_single_task_gets_no_proposal, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(work_that_sleeps_needs_no_processor, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test(addresses_are_no_numbers_of_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
