/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of time at work without a processor (src/analysis/interval_work.c, src/core/buckets.c): where it
 * is booked, what it is charged to, and that the parts of a thread still are its life. Run by CTest on one
 * thread; archives are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "src/core/buckets.h"
#include "tests/unit/analysis/analysis_fixture.h"

#include <omptape/properties.h>

static void analyse(const char *events)
{
    analysis_fixture_make(&(struct make_plan){.events = events});
}

static const struct analysis_thread *thread_at(uint64_t id)
{
    for (uint32_t i = 0; i < analysis_fixture->thread_count; i++)
        if (analysis_fixture->thread_list[i].location->id == id)
            return &analysis_fixture->thread_list[i];
    fail_msg("no thread %u", (unsigned)id);
    return NULL;
}

static const struct analysis_region *region_at(const char *label)
{
    for (uint32_t i = 0; i < analysis_fixture->region_count; i++)
        if (strcmp(analysis_fixture->regions[i]->label, label) == 0)
            return analysis_fixture->regions[i];
    fail_msg("no region %s", label);
    return NULL;
}

static void expect_whole_lives(void)
{
    for (uint32_t i = 0; i < analysis_fixture->thread_count; i++) {
        const struct analysis_thread *thread = &analysis_fixture->thread_list[i];
        assert_int_equal(thread->end - thread->begin, omptape_parts_sum(thread->parts));
    }
}

/* Both threads work in region 1 for 100 ms and come to its barrier (2). */
#define BOTH_WORK                                                                                            \
    "0 10 team 0\n0 10 enter 1\n1 10 team 0\n1 10 enter 1\n0 100000000 enter 2\n1 100000000 enter 2\n"       \
    "0 100000100 leave 2\n0 100000100 leave 1\n0 100000100 endteam 0\n"                                      \
    "1 100000100 leave 2\n1 100000100 leave 1\n1 100000100 endteam 0\n"

/* Both slept for 80 of 100 ms: asleep is not computing. */
static void who_sleeps_does_not_compute(void **state)
{
    (void)state;
    analyse(BOTH_WORK "0 100000200 metric 0 20000000 1\n1 100000200 metric 0 20000000 1\n");
    expect_whole_lives();
    for (uint64_t id = 0; id < 2; id++) {
        assert_in_range(thread_at(id)->parts[OMPTAPE_BUCKET_BLOCKED], 79900000, 80000300);
        assert_in_range(thread_at(id)->parts[OMPTAPE_BUCKET_COMPUTING], 19900000, 20100000);
    }
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_BLOCKED).gain, 79000000, 80001000);
    assert_in_range(omptape_finding_wall(analysis_fixture), 100000000, 100000300);
    assert_true(analysis_fixture->efficiency.factors[ANALYSIS_BLOCKED] < 0.21);
    analysis_fixture_close();
}

/* The same, but for all of it they stood still until there was room for their events. */
static void who_stands_still_for_its_events_is_not_blocked(void **state)
{
    (void)state;
    analyse("0 10 team 0\n0 10 enter 1\n1 10 team 0\n1 10 enter 1\n"
            "0 1000000 flush 81000000\n1 1000000 flush 81000000\n"
            "0 50000000 metric 0 1000000 1\n1 50000000 metric 0 1000000 1\n"
            "0 100000000 enter 2\n1 100000000 enter 2\n"
            "0 100000100 leave 2\n0 100000100 leave 1\n0 100000100 endteam 0\n"
            "1 100000100 leave 2\n1 100000100 leave 1\n1 100000100 endteam 0\n"
            "0 100000200 metric 0 20000000 1\n1 100000200 metric 0 20000000 1\n");
    expect_whole_lives();
    assert_in_range(thread_at(0)->parts[OMPTAPE_BUCKET_BLOCKED], 0, 300);
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_BLOCKED).gain);
    assert_in_range(omptape_finding_wall(analysis_fixture), 20000000, 20000300);
    analysis_fixture_close();
}

/* Both wanted a processor for 30 ms. */
static void who_queues_is_runnable(void **state)
{
    (void)state;
    analyse(BOTH_WORK "0 100000200 metric 0 70000000 30000000\n1 100000200 metric 0 70000000 30000000\n");
    expect_whole_lives();
    assert_in_range(thread_at(0)->parts[OMPTAPE_BUCKET_RUNNABLE], 29900000, 30000300);
    assert_int_equal(0, thread_at(0)->parts[OMPTAPE_BUCKET_BLOCKED]);
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_BLOCKED).gain);
    analysis_fixture_close();
}

static bool is_said(enum omptape_finding_kind kind, const char *words)
{
    for (uint32_t i = 0; i < analysis_fixture->finding_count; i++)
        if (analysis_fixture->findings[i].kind == kind)
            return strstr(analysis_fixture->findings[i].text, words) != NULL;
    return false;
}

/* Each thread is in the kernel for 60 of 100 ms. The time for a fault decides whether faults explain that. */
static void kernel_time_is_of_faults_or_calls(void **state)
{
    static const struct {
        unsigned faults; /* minor ones of a thread, and as many major ones */
        enum omptape_finding_kind kind;
        const char *words;
    } cases[] = {
        {10000, OMPTAPE_FINDING_PAGE_FAULTS, "page faults"},
        {4000, OMPTAPE_FINDING_PAGE_FAULTS, "page faults"},
        {1000, OMPTAPE_FINDING_SYSTEM_TIME, "page faults, or system calls"},
        {10, OMPTAPE_FINDING_SYSTEM_TIME, "are too few"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char events[1024];
        snprintf(events, sizeof(events),
                 "0 10 metric 0 1 1 1 1\n1 10 metric 0 1 1 1 1\n" BOTH_WORK
                 "0 100000200 metric 0 100000000 1 60000000 %u\n"
                 "1 100000200 metric 0 100000000 1 60000000 %u\n",
                 cases[i].faults, cases[i].faults);
        check_make_folder(NULL);
        analyse(events);
        assert_true(is_said(cases[i].kind, cases[i].words));
        analysis_fixture_close();
        check_remove_folder(NULL);
    }
}

static void tell_two_processors(OTF2_Archive *archive)
{
    make_succeed(
        OTF2_Archive_SetProperty(archive, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_PROCESSORS, "2", true));
}

/* Both work for 50 ms, wait for 50 ms, run all the time, and are in the kernel for 40 ms. With a processor
 * for each, a thread that is rarely woken does not wait in the kernel. */
static void who_waits_in_user_code_is_not_in_the_kernel(void **state)
{
    static const struct {
        void (*properties)(OTF2_Archive *);
        unsigned switches;
        uint64_t least;
        uint64_t most;
    } cases[] = {{tell_two_processors, 1, 36000000, 40000000},
                 {tell_two_processors, 10000, 0, 1000},
                 {NULL, 1, 0, 1000}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char events[1024];
        snprintf(events, sizeof(events),
                 "0 10 team 0\n0 10 enter 1\n1 10 team 0\n1 10 enter 1\n0 20 metric 0 1 1 1 1 1 1\n"
                 "1 20 metric 0 1 1 1 1 1 1\n0 50000000 enter 2\n1 50000000 enter 2\n"
                 "0 100000000 leave 2\n0 100000000 leave 1\n0 100000000 endteam 0\n"
                 "1 100000000 leave 2\n1 100000000 leave 1\n1 100000000 endteam 0\n"
                 "0 100000200 metric 0 100000000 1 40000000 1 1 %u\n"
                 "1 100000200 metric 0 100000000 1 40000000 1 1 %u\n",
                 cases[i].switches, cases[i].switches);
        check_make_folder(NULL);
        analysis_fixture_make(&(struct make_plan){.events = events, .properties = cases[i].properties});
        const uint64_t system = region_at("parallel @a.c:10")->system;
        assert_in_range(system, 2 * cases[i].least, 2 * cases[i].most);
        analysis_fixture_close();
        check_remove_folder(NULL);
    }
}

static const char *peak_memory;
static const char *numa_faults;
static const char *forks;

static void tell_memory(OTF2_Archive *archive)
{
    make_succeed(OTF2_Archive_SetProperty(archive, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_PEAK_MEMORY,
                                          peak_memory, true));
    make_succeed(OTF2_Archive_SetProperty(archive, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_NUMA_FAULTS,
                                          numa_faults, true));
    make_succeed(OTF2_Archive_SetProperty(archive, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_FORKS, forks, true));
}

/* 40,000 page faults are for 160 MB. If the program never had so much, it gave memory back. */
static void memory_given_back_is_told_from_memory_first_touched(void **state)
{
    static const struct {
        const char *peak;
        const char *of_numa;
        const char *forks;
        const char *words;
        const char *proposal;
    } cases[] = {
        {"16000000", "0", "1", "given back and touched again, 9 times", "MALLOC_TRIM_THRESHOLD_=-1"},
        {"160000000", "0", "0", "touched for the first time", "huge pages"},
        {"16000000", "39000", "0", "touched for the first time", "huge pages"},
        {"16000000", "0", "9", "touched for the first time", "huge pages"},
        {"0", "0", "0", "touched for the first time", "huge pages"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        peak_memory = cases[i].peak;
        numa_faults = cases[i].of_numa;
        forks = cases[i].forks;
        check_make_folder(NULL);
        analysis_fixture_make(
            &(struct make_plan){.events = "0 10 metric 0 1 1 1 1\n1 10 metric 0 1 1 1 1\n" BOTH_WORK
                                          "0 100000200 metric 0 100000000 1 60000000 10000\n"
                                          "1 100000200 metric 0 100000000 1 60000000 10000\n",
                                .properties = tell_memory});
        assert_true(is_said(OMPTAPE_FINDING_PAGE_FAULTS, cases[i].words));
        assert_non_null(strstr(analysis_fixture->findings[0].proposal, cases[i].proposal));
        analysis_fixture_close();
        check_remove_folder(NULL);
    }
}

/* The first thread is in the kernel for 60 of 100 ms before the region: the finding's worst instance is that
 * serial part, not the visit of the program. */
static void serial_kernel_time_has_its_part_as_worst(void **state)
{
    (void)state;
    analyse("0 10 program\n0 10 enter 0\n0 20 metric 0 1 1 1 1\n"
            "0 100000000 metric 0 100000000 1 60000000 60000\n0 100000000 fork 2\n0 100000000 team 0\n"
            "0 100000000 enter 1\n1 100000000 team 0\n1 100000000 enter 1\n1 200000000 enter 2\n"
            "1 200000000 leave 2\n1 200000000 leave 1\n1 200000000 endteam 0\n0 200000000 enter 2\n"
            "0 200000000 leave 2\n0 200000000 leave 1\n0 200000000 endteam 0\n0 200000000 join\n"
            "0 200000200 leave 0\n0 200000200 endprogram\n");
    const struct omptape_finding *faults = NULL;
    for (uint32_t i = 0; i < analysis_fixture->finding_count; i++)
        if (analysis_fixture->findings[i].kind == OMPTAPE_FINDING_PAGE_FAULTS)
            faults = &analysis_fixture->findings[i];
    assert_non_null(faults);
    assert_non_null(faults->serial);
    assert_in_range(faults->worst.end, 99999990, 100000010);
    analysis_fixture_close();
}

static void tell_start(OTF2_Archive *archive)
{
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::INFO::START_NS", "60000000", true));
}

/* The first thread waits for omptape's writer for 60 ms, and never sleeps: that is no finding. If nothing
 * were known of it, its region, which is half of the time, would have a part of that sleep. */
static void the_start_of_the_tool_is_no_sleep(void **state)
{
    static const char begin[] = "0 10 program\n0 10 enter 0\n";
    static const char events[] =
        "0 100000000 fork 2\n0 100000000 team 0\n0 100000000 enter 1\n"
        "1 100000000 team 0\n1 100000000 enter 1\n1 200000000 enter 2\n1 200000000 leave 2\n"
        "1 200000000 leave 1\n1 200000000 endteam 0\n0 200000000 enter 2\n0 200000000 leave 2\n"
        "0 200000000 leave 1\n0 200000000 endteam 0\n0 200000000 join\n0 200000100 metric 0 140000100 1\n"
        "0 200000200 leave 0\n0 200000200 endprogram\n";
    /* On a busy machine the kernel is read meanwhile. */
    static const char *const readings[] = {"", "0 30000000 metric 0 20000000 1\n",
                                           "0 70000000 metric 0 20000000 1\n"};
    (void)state;
    for (int i = 0; i < 6; i++) {
        const bool known = i % 2 == 1;
        char whole[1024];
        snprintf(whole, sizeof(whole), "%s%s%s", begin, readings[i / 2], events);
        analysis_fixture_make(&(struct make_plan){.events = whole, .properties = known ? tell_start : NULL});
        expect_whole_lives();
        assert_in_range(thread_at(0)->parts[OMPTAPE_BUCKET_BLOCKED], 59900000, 60000100);
        assert_int_equal(known, analysis_fixture_sum(OMPTAPE_FINDING_BLOCKED).gain < 1000);
        analysis_fixture_close();
        check_remove_folder(NULL);
        check_make_folder(NULL);
    }
}

/* Thread 1 works for 200 ms, and sleeps for 100 of them; thread 0 waits for it that long. */
static void what_is_waited_for_is_charged_once(void **state)
{
    (void)state;
    analyse("0 10 team 0\n0 10 enter 1\n1 10 team 0\n1 10 enter 1\n0 100000000 enter 2\n1 200000000 enter 2\n"
            "0 200000100 leave 2\n0 200000100 leave 1\n0 200000100 endteam 0\n"
            "1 200000100 leave 2\n1 200000100 leave 1\n1 200000100 endteam 0\n"
            "0 200000200 metric 0 200000200 1\n1 200000200 metric 0 100000200 1\n");
    expect_whole_lives();
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_IMBALANCE).waited);
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_BLOCKED).waited, 99000000, 100001000);
    /* Its own sleep, and what the other one waited: by two threads. */
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_BLOCKED).gain, 99000000, 100001000);
    analysis_fixture_close();
}

/* Thread 0 holds a lock for 80 ms and sleeps for 70 of them; thread 1 waits for it. */
static void who_sleeps_with_a_lock_is_the_cause(void **state)
{
    (void)state;
    analyse("0 10 team 0\n0 10 enter 1\n1 10 team 0\n1 10 enter 1\n"
            "0 20 enter 4\n0 20 acquire 0 1\n0 20 leave 4\n0 80000000 release 0 1\n"
            "1 30 enter 4\n1 80000100 acquire 0 2\n1 80000100 leave 4\n1 80000200 release 0 2\n"
            "0 80000300 enter 2\n0 80000400 leave 2\n0 80000400 leave 1\n0 80000400 endteam 0\n"
            "1 80000300 enter 2\n1 80000400 leave 2\n1 80000400 leave 1\n1 80000400 endteam 0\n"
            "0 80000500 metric 0 10000500 1\n1 80000500 metric 0 80000500 1\n");
    expect_whole_lives();
    const struct omptape_finding slept = analysis_fixture_sum(OMPTAPE_FINDING_BLOCKED);
    const struct omptape_finding waited = analysis_fixture_sum(OMPTAPE_FINDING_LOCK);
    assert_string_equal("critical @a.c:17", slept.region->label);
    assert_in_range(slept.waited, 69000000, 71000000);
    assert_in_range(slept.gain, 69000000, 71000000); /* what both lost, by two threads */
    assert_in_range(waited.waited, 9000000, 11000000);
    analysis_fixture_close();
}

/* Before each region thread 0 sleeps for 60 ms. One reading covers this and 40 ms of work in the region.
 * Uncertain sleep is booked where it slept for certain, from the first reading on. */
static void what_is_not_certain_goes_where_it_sleeps(void **state)
{
    enum { ROUNDS = 5, BYTES = 4096 };
    static const struct {
        unsigned location;
        const char *ns; /* of the round, which takes 100 ms */
        const char *what;
    } round[] = {{0, "60000000", "fork 2"},    {0, "60000000", "team 0"},  {0, "60000000", "enter 1"},
                 {1, "60000000", "team 0"},    {1, "60000000", "enter 1"}, {0, "99999000", "enter 2"},
                 {1, "99999000", "enter 2"},   {0, "99999100", "leave 2"}, {0, "99999100", "leave 1"},
                 {0, "99999100", "endteam 0"}, {1, "99999100", "leave 2"}, {1, "99999100", "leave 1"},
                 {1, "99999100", "endteam 0"}, {0, "99999100", "join"}};
    char events[BYTES] = "0 1 program\n0 1 enter 0\n";
    size_t used = strlen(events);
    (void)state;
    for (unsigned k = 1; k <= ROUNDS; k++) {
        for (size_t i = 0; i < sizeof(round) / sizeof(round[0]); i++)
            used += (size_t)snprintf(events + used, sizeof(events) - used, "%u %u%s %s\n", round[i].location,
                                     k, round[i].ns, round[i].what);
        used += (size_t)snprintf(events + used, sizeof(events) - used, "0 %u99999200 metric 0 %u 1\n", k,
                                 40000000 * k + 100000000);
    }
    analyse(events);
    const struct analysis_region *parallel = region_at("parallel @a.c:10");
    assert_true(thread_at(0)->parts[OMPTAPE_BUCKET_BLOCKED] > 200000000);
    assert_true(parallel->parts[OMPTAPE_BUCKET_BLOCKED] < 15000000);
    analysis_fixture_close();
}

/* It computes for twice as long, and does not sleep. */
static void who_computes_is_not_blocked(void **state)
{
    (void)state;
    analyse("0 10 team 0\n0 10 enter 1\n1 10 team 0\n1 10 enter 1\n0 100000000 enter 2\n1 200000000 enter 2\n"
            "0 200000100 leave 2\n0 200000100 leave 1\n0 200000100 endteam 0\n"
            "1 200000100 leave 2\n1 200000100 leave 1\n1 200000100 endteam 0\n"
            "0 200000200 metric 0 100000200 1\n1 200000200 metric 0 200000200 1\n");
    expect_whole_lives();
    assert_int_equal(0, thread_at(0)->parts[OMPTAPE_BUCKET_BLOCKED]); /* it slept in the barrier */
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_BLOCKED).gain);
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_IMBALANCE).waited, 99000000, 100001000);
    analysis_fixture_close();
}

/* Before the region the first thread sleeps for 80 of 100 ms: more threads would not shorten these. */
static void a_serial_part_that_sleeps_is_no_work(void **state)
{
    (void)state;
    analyse("0 10 enter 2\n0 100 leave 2\n0 100 metric 0 100 1\n0 100000000 team 0\n0 100000000 enter 1\n1 "
            "100000000 team 0\n1 100000000 enter 1\n"
            "0 100000000 metric 0 20000000 1\n0 120000000 enter 2\n1 120000000 enter 2\n"
            "0 120000100 leave 2\n0 120000100 leave 1\n0 120000100 endteam 0\n"
            "1 120000100 leave 2\n1 120000100 leave 1\n1 120000100 endteam 0\n");
    expect_whole_lives();
    assert_in_range(thread_at(0)->parts[OMPTAPE_BUCKET_BLOCKED], 79900000, 80000000);
    uint64_t processes = analysis_fixture->process_count;
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_BLOCKED).gain, 79000000 / processes,
                    80000000 / processes);
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_SERIAL).gain, 9900000 / processes,
                    10100000 / processes);
    analysis_fixture_close();
}

/* Location 2 is a thread that OpenMP does not know. It ran, and lacked a processor, for so long. */
static uint64_t other_ran;
static uint64_t other_lacked;

static void define_other_thread(OTF2_GlobalDefWriter *writer)
{
    enum { NAME = MAKE_STRINGS, SOLVER, RAN, LACKED };
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, NAME, OMPTAPE_LOCATION_OTHER_THREAD));
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, SOLVER, "solver"));
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, RAN, OMPTAPE_LOCATION_RUNNING));
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, LACKED, OMPTAPE_LOCATION_WAITING));
    make_succeed(OTF2_GlobalDefWriter_WriteLocationProperty(writer, 2, NAME, OTF2_TYPE_STRING,
                                                            (OTF2_AttributeValue){.stringRef = SOLVER}));
    make_succeed(OTF2_GlobalDefWriter_WriteLocationProperty(writer, 2, RAN, OTF2_TYPE_UINT64,
                                                            (OTF2_AttributeValue){.uint64 = other_ran}));
    make_succeed(OTF2_GlobalDefWriter_WriteLocationProperty(writer, 2, LACKED, OTF2_TYPE_UINT64,
                                                            (OTF2_AttributeValue){.uint64 = other_lacked}));
}

/* The first thread sleeps for 80 ms before the region, and another one of the program's computes meanwhile.
 * The caller closes the fixture. */
static void wait_for_another_thread(uint64_t ran, uint64_t lacked)
{
    other_ran = ran;
    other_lacked = lacked;
    analysis_fixture_make(&(struct make_plan){
        .events = "0 1 program\n0 1 enter 0\n0 2 metric 0 100 1\n"
                  "0 80000000 metric 0 100 1\n0 80000000 fork 2\n0 80000000 team 0\n0 80000000 enter 1\n"
                  "1 80000000 team 0\n1 80000000 enter 1\n0 100000000 enter 2\n1 100000000 enter 2\n"
                  "0 100000100 leave 2\n0 100000100 leave 1\n0 100000100 endteam 0\n"
                  "1 100000100 leave 2\n1 100000100 leave 1\n1 100000100 endteam 0\n0 100000100 join\n"
                  "0 100000200 metric 0 20000300 1\n",
        .more = define_other_thread});
}

/* Two threads can share what it computes. */
static void who_waits_for_another_thread_is_not_serial(void **state)
{
    (void)state;
    wait_for_another_thread(70000000, 0);
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_SERIAL).gain);
    assert_int_equal(OMPTAPE_FINDING_BLOCKED, analysis_fixture->findings[0].kind);
    assert_non_null(strstr(analysis_fixture->findings[0].text, "most of all solver (70 % of a processor"));
    assert_in_range(analysis_fixture->findings[0].gain, 44900000, 45100000);
    analysis_fixture_close();
}

/* Others would lack a processor as well. */
static void what_an_awaited_thread_lacks_is_no_gain(void **state)
{
    (void)state;
    wait_for_another_thread(30000000, 40000000);
    assert_int_equal(OMPTAPE_FINDING_BLOCKED, analysis_fixture->findings[0].kind);
    assert_in_range(analysis_fixture->findings[0].gain, 24900000, 25100000);
    analysis_fixture_close();
}

/* As if two had the location, which ran and lacked a processor at the same time. */
static void awaited_threads_that_share_their_work_are_no_gain(void **state)
{
    (void)state;
    wait_for_another_thread(80000000, 80000000);
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_BLOCKED).gain);
    analysis_fixture_close();
}

/* A reading that comes late is no sleep: what it lacks the next one has. */
static void a_late_reading_is_no_sleep(void **state)
{
    (void)state;
    struct omptape_sched_interval interval = {.work = 100e6, .running = 95e6};
    struct omptape_off_cpu off_cpu = omptape_sched_interval_off_cpu(&interval);
    assert_true(off_cpu.blocked == 0 && off_cpu.carried == 5e6);
    interval = (struct omptape_sched_interval){.work = 100e6, .running = 105e6, .carried = off_cpu.carried};
    off_cpu = omptape_sched_interval_off_cpu(&interval);
    assert_true(off_cpu.blocked == 0);
    interval = (struct omptape_sched_interval){.work = 100e6, .running = 150e6};
    off_cpu = omptape_sched_interval_off_cpu(&interval);
    assert_true(off_cpu.blocked == 0 && off_cpu.carried == -50e6);
    interval = (struct omptape_sched_interval){.work = 100e6, .running = 50e6, .carried = off_cpu.carried};
    off_cpu = omptape_sched_interval_off_cpu(&interval);
    assert_true(off_cpu.blocked == 0 && off_cpu.carried == 0);
}

/* The kernel counted no sleep, and the next reading has what this one lacks. */
static void a_very_late_reading_is_no_sleep(void **state)
{
    (void)state;
    struct omptape_sched_interval interval = {.work = 28e6, .running = 14e3, .awake = true, .exact = true};
    struct omptape_off_cpu off_cpu = omptape_sched_interval_off_cpu(&interval);
    assert_true(off_cpu.blocked == 0 && off_cpu.carried == 0 && off_cpu.late == 28e6 - 14e3);
    interval = (struct omptape_sched_interval){
        .work = 43e3, .running = 25e6, .carried = off_cpu.carried, .late = off_cpu.late, .exact = true};
    off_cpu = omptape_sched_interval_off_cpu(&interval);
    assert_true(off_cpu.blocked == 0 && off_cpu.carried == 0 && off_cpu.late == 28e6 - 14e3 - (25e6 - 43e3));
    interval = (struct omptape_sched_interval){
        .work = 20e6, .carried = off_cpu.carried, .late = off_cpu.late, .exact = true};
    assert_true(omptape_sched_interval_off_cpu(&interval).blocked == 20e6); /* a sleep after it */
}

/* Queueing time that does not fit into its interval belongs to the next ones, and is not computing there. */
static void long_queueing_is_no_computing(void **state)
{
    (void)state;
    struct omptape_sched_interval interval = {.work = 100e6, .queued = 250e6};
    double runnable = 0;
    double blocked = 0;
    for (int i = 0; i < 4; i++) {
        const struct omptape_off_cpu off_cpu = omptape_sched_interval_off_cpu(&interval);
        runnable += off_cpu.runnable;
        blocked += off_cpu.blocked;
        interval = (struct omptape_sched_interval){
            .work = 100e6, .carried = off_cpu.carried, .carried_queued = off_cpu.carried_queued};
    }
    assert_true(runnable == 250e6 && blocked == 150e6);
}

/* Short sleeps add up. */
static void short_sleeps_add_up(void **state)
{
    double blocked = 0;
    double carried = 0;
    (void)state;
    for (int i = 0; i < 100; i++) {
        const struct omptape_sched_interval interval = {.work = 100e6, .running = 97e6, .carried = carried};
        const struct omptape_off_cpu off_cpu = omptape_sched_interval_off_cpu(&interval);
        blocked += off_cpu.blocked;
        carried = off_cpu.carried;
    }
    assert_true(blocked > 290e6 && blocked <= 300e6);
}

/* Between two readings at context switches the thread did not run at all: each short sleep is one. */
static void a_sleep_between_switches_is_certain(void **state)
{
    (void)state;
    const struct omptape_sched_interval asleep = {.work = 3e6, .running = 0};
    struct omptape_off_cpu off_cpu = omptape_sched_interval_off_cpu(&asleep);
    assert_true(off_cpu.blocked == 3e6 && off_cpu.carried == 0);
    const struct omptape_sched_interval queued = {.work = 3e6, .running = 0, .queued = 3e6};
    off_cpu = omptape_sched_interval_off_cpu(&queued);
    assert_true(off_cpu.blocked == 0 && off_cpu.runnable == 3e6);
    const struct omptape_sched_interval ran = {.work = 3e6, .running = 1e6};
    off_cpu = omptape_sched_interval_off_cpu(&ran);
    assert_true(off_cpu.blocked == 0 && off_cpu.carried == 2e6);
}

/* Readings are at context switches. A thread that ran for as long as it worked queued while it waited; one
 * that ran for longer may have queued at work. */
static void who_ran_only_at_work_queued_in_waits(void **state)
{
    (void)state;
    struct omptape_sched_interval interval = {
        .work = 6e6, .waiting = 6e6, .running = 6.1e6, .queued = 3e6, .exact = true};
    assert_true(omptape_sched_interval_off_cpu(&interval).runnable == 0);
    interval.running = 5e6;
    assert_true(omptape_sched_interval_off_cpu(&interval).runnable == 1e6);
    interval.running = 9e6;
    assert_true(omptape_sched_interval_off_cpu(&interval).runnable == 1e6);
    interval = (struct omptape_sched_interval){
        .work = 6e6, .waiting = 6e6, .running = 6e6, .queued = 6e6, .exact = false};
    assert_true(omptape_sched_interval_off_cpu(&interval).runnable == 2e6);
}

static void tell_switches(OTF2_Archive *archive)
{
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::SWITCHES", "2", true));
}

/* The thread has no processor for a millisecond, and later for 0.89 ms while it forks: nothing of that is in
 * the 20 ms of the region. */
static void what_a_fork_lacks_the_region_does_not(void **state)
{
    (void)state;
    analysis_fixture_make(
        &(struct make_plan){.events = "0 10 program\n0 10 enter 0\n0 1000000 metric 0 1000000 1\n"
                                      "0 2000000 metric 0 1000000 1000001\n0 10000000 fork 2\n"
                                      "0 10900000 team 0\n0 10900000 enter 1\n"
                                      "1 10900000 team 0\n1 10900000 enter 1\n"
                                      "0 30900000 enter 2\n1 30900000 enter 2\n"
                                      "0 30900100 leave 2\n0 30900100 leave 1\n0 30900100 endteam 0\n"
                                      "1 30900100 leave 2\n1 30900100 leave 1\n1 30900100 endteam 0\n"
                                      "0 30900100 join\n0 30900200 metric 0 29010200 1890001\n"
                                      "0 30900300 leave 0\n0 30900300 endprogram\n",
                            .properties = tell_switches});
    expect_whole_lives();
    assert_in_range(thread_at(0)->parts[OMPTAPE_BUCKET_COMPUTING], 19999000, 20000000);
    assert_in_range(thread_at(0)->parts[OMPTAPE_BUCKET_RUNNABLE], 1889000, 1891000);
    assert_in_range(thread_at(0)->parts[OMPTAPE_BUCKET_SERIAL], 9009000, 9011000);
    analysis_fixture_close();
}

/* In 28 ms of work the kernel counts 10 us of running time, and 28 ms in the next 50 us. */
static void analyse_late(unsigned switches)
{
    char events[1024];
    snprintf(events, sizeof(events),
             "0 10 program\n0 10 enter 0\n0 1000000 metric 0 1000000 1 1 1 3\n"
             "0 2000000 metric 0 1000000 1000001 1 1 3\n0 30000000 metric 0 1010000 1000001 1 9 %u\n"
             "0 30050000 metric 0 29050000 1000001 1 9 %u\n0 50050000 metric 0 49050000 1000001 1 9 %u\n"
             "0 50050010 leave 0\n0 50050010 endprogram\n",
             switches, switches, switches);
    analysis_fixture_make(&(struct make_plan){.events = events, .properties = tell_switches});
    expect_whole_lives();
}

static void a_thread_that_never_switched_did_not_sleep(void **state)
{
    (void)state;
    analyse_late(3);
    assert_int_equal(thread_at(0)->parts[OMPTAPE_BUCKET_BLOCKED], 0);
    analysis_fixture_close();
}

static void a_thread_that_switched_slept(void **state)
{
    (void)state;
    analyse_late(4);
    assert_in_range(thread_at(0)->parts[OMPTAPE_BUCKET_BLOCKED], 27900000, 28000000);
    analysis_fixture_close();
}

/* In one interval the thread forks from three places: for 1 ms outside of parallel regions, for 2 ms in the
 * region, and for 3 ms in the task. It works for 51 ms, and 7 ms of these are outside. */
static void analyse_three_forks(unsigned ran, unsigned queued)
{
    char events[2048];
    snprintf(events, sizeof(events),
             "0 10 program\n0 10 enter 0\n0 1000000 metric 0 1000000 1\n0 3000000 metric 0 1000000 2000001\n"
             "0 10000000 fork 3\n0 11010000 team 1\n0 11010000 enter 1\n"
             "0 20000000 fork 2\n0 22010000 team 0\n0 22010000 enter 1\n"
             "0 22010010 leave 1\n0 22010020 endteam 0\n0 22010030 join\n0 30000000 enter 3\n"
             "0 40000000 fork 2\n0 43010000 team 0\n0 43010000 enter 1\n"
             "0 43010010 leave 1\n0 43010020 endteam 0\n0 43010030 join\n0 50000000 leave 3\n"
             "0 60000000 leave 1\n0 60000000 endteam 1\n0 60000000 join\n"
             "0 60000200 metric 0 %u %u\n0 60000300 leave 0\n0 60000300 endprogram\n",
             1000000 + ran, 2000001 + queued);
    analysis_fixture_make(&(struct make_plan){.events = events, .properties = tell_switches});
    expect_whole_lives();
}

/* It lacks a processor in each fork. */
static void each_fork_lacks_where_it_is(void **state)
{
    (void)state;
    analyse_three_forks(51000200, 6000000);
    assert_in_range(region_at("parallel @a.c:10")->parts[OMPTAPE_BUCKET_RUNNABLE], 1900000, 2100000);
    assert_in_range(region_at("task @a.c:15")->parts[OMPTAPE_BUCKET_RUNNABLE], 2900000, 3100000);
    assert_in_range(thread_at(0)->parts[OMPTAPE_BUCKET_RUNNABLE], 7900000, 8000100);
    analysis_fixture_close();
}

/* It lacks one for 5.1 ms of its work, too, and a part of that is serial. Forks in regions are no serial
 * time. */
static void forks_in_regions_are_not_serial(void **state)
{
    (void)state;
    analyse_three_forks(45900200, 11100000);
    assert_in_range(analysis_fixture->processes[0].serial_queued, 2690000, 2710000);
    analysis_fixture_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_sleeps_does_not_compute, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(who_stands_still_for_its_events_is_not_blocked, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_queues_is_runnable, check_make_folder, check_remove_folder),
        cmocka_unit_test(kernel_time_is_of_faults_or_calls),
        cmocka_unit_test(who_waits_in_user_code_is_not_in_the_kernel),
        cmocka_unit_test(memory_given_back_is_told_from_memory_first_touched),
        cmocka_unit_test_setup_teardown(serial_kernel_time_has_its_part_as_worst, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(the_start_of_the_tool_is_no_sleep, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(what_is_waited_for_is_charged_once, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_sleeps_with_a_lock_is_the_cause, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(what_is_not_certain_goes_where_it_sleeps, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_computes_is_not_blocked, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_serial_part_that_sleeps_is_no_work, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(who_waits_for_another_thread_is_not_serial, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(what_an_awaited_thread_lacks_is_no_gain, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(awaited_threads_that_share_their_work_are_no_gain, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test(a_late_reading_is_no_sleep),
        cmocka_unit_test(a_very_late_reading_is_no_sleep),
        cmocka_unit_test(long_queueing_is_no_computing),
        cmocka_unit_test(short_sleeps_add_up),
        cmocka_unit_test(a_sleep_between_switches_is_certain),
        cmocka_unit_test(who_ran_only_at_work_queued_in_waits),
        cmocka_unit_test_setup_teardown(forks_in_regions_are_not_serial, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(each_fork_lacks_where_it_is, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_thread_that_switched_slept, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(a_thread_that_never_switched_did_not_sleep, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(what_a_fork_lacks_the_region_does_not, check_make_folder,
                                        check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
