/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what regions and outliers are where threads have few processors: exact times. Run by CTest on
 * one thread; archives are made by tests/unit/make_archive.h in a temporary folder.
 */
#include "tests/unit/analysis/analysis_fixture.h"

#include <omptape/properties.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *processors;

static void set_processors(OTF2_Archive *archive)
{
    make_succeed(OTF2_Archive_SetProperty(archive, "OMPTAPE::INFO::PROCS", processors, true));
}

static void analyse(const char *number, const char *events)
{
    processors = number;
    analysis_fixture_make(&(struct make_plan){.events = events, .properties = set_processors});
}

/* Wall time; 0: there is no such finding. */
static uint64_t gain_of(enum omptape_finding_kind kind)
{
    return analysis_fixture_sum(kind).gain;
}

/* A region after the other for 12 ms, 200 us each, in which two threads on one processor work for so long and
 * wait for each other else. */
static void analyse_regions_on(const char *number, unsigned work, unsigned ran)
{
    enum { REGIONS = 60, EACH = 200000, BYTES = 512 };
    char *events = calloc(REGIONS + 1, BYTES);
    assert_non_null(events);
    char *at = events;
    for (unsigned i = 0; i < REGIONS; i++) {
        const unsigned begin = i * EACH;
        const unsigned end = begin + EACH;
        for (unsigned thread = 0; thread < 2; thread++)
            at += snprintf(at, BYTES / 2,
                           "%u %u team 0\n%u %u enter 1\n%u %u enter 2\n%u %u leave 2\n%u %u leave 1\n"
                           "%u %u endteam 0\n",
                           thread, begin, thread, begin, thread, begin + work, thread, end, thread, end,
                           thread, end);
    }
    snprintf(at, BYTES, "0 12000100 metric 0 %u %u\n1 12000100 metric 0 %u %u\n", ran, 12000000 - ran, ran,
             12000000 - ran);
    analyse(number, events);
    free(events);
}

static void analyse_regions(unsigned work)
{
    analyse_regions_on("1", work, 6000000);
}

/* With one thread they would stay so many and so small. */
static void tiny_regions_are_that_first(void **state)
{
    (void)state;
    analyse_regions(1000);
    assert_in_range(gain_of(OMPTAPE_FINDING_TINY_REGIONS), 11800000, 11900000);
    assert_int_equal(0, gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION));
    analysis_fixture_close();
}

static void larger_regions_have_too_many_threads(void **state)
{
    (void)state;
    analyse_regions(40000);
    assert_int_equal(0, gain_of(OMPTAPE_FINDING_TINY_REGIONS));
    assert_in_range(gain_of(OMPTAPE_FINDING_OVERSUBSCRIPTION), 7100000, 7300000);
    analysis_fixture_close();
}

/* Why a region takes 200 us does not matter if one thread does its work in 2 us. */
static void regions_that_one_thread_does_sooner_are_tiny(void **state)
{
    (void)state;
    analyse_regions_on("2", 1000, 11900000);
    assert_int_not_equal(0, gain_of(OMPTAPE_FINDING_TINY_REGIONS));
    analysis_fixture_close();
}

/* A thread lacked a processor for a tenth of the time: that lengthened work and overhead alike. One thread
 * would do the other's 1.44 ms of work, too. */
static void lacking_processors_lengthens_work_too(void **state)
{
    (void)state;
    analyse_regions_on("2", 24000, 11400000);
    assert_in_range(gain_of(OMPTAPE_FINDING_TINY_REGIONS), 8060000, 8120000);
    analysis_fixture_close();
}

/* Others had the processors for half of the time. */
static void regions_without_processors_are_not_tiny(void **state)
{
    (void)state;
    analyse_regions_on("2", 1000, 6000000);
    assert_int_equal(0, gain_of(OMPTAPE_FINDING_TINY_REGIONS));
    analysis_fixture_close();
}

static void regions_with_more_work_are_not_tiny(void **state)
{
    (void)state;
    analyse_regions_on("2", 30000, 11900000);
    assert_int_equal(0, gain_of(OMPTAPE_FINDING_TINY_REGIONS));
    analysis_fixture_close();
}

/* Of 20 instances of three threads on two processors one takes 200 ms instead of 2 ms. The last thread has a
 * processor for half of each instance. All work for the whole instance, or the last one
 * begins late and all work for a millisecond. */
static uint64_t outliers_of_long_instance(bool works)
{
    enum { INSTANCES = 20, LONG = 9, MS = 1000000, BYTES = 1024 };
    static char events[INSTANCES * BYTES];
    size_t used = 0;
    unsigned long now = 0;
    unsigned long half = 0;
    for (int i = 0; i < INSTANCES; i++) {
        const unsigned long wall = i == LONG ? 200UL * MS : 2UL * MS;
        const unsigned long end = now + wall;
        half += wall / 2;
        for (unsigned thread = 0; thread < 3; thread++) {
            const unsigned long begin = works || thread < 2 ? now : end - MS;
            used += (size_t)snprintf(events + used, sizeof(events) - used,
                                     "%u %lu team 1\n%u %lu enter 1\n%u %lu enter 2\n", thread, begin, thread,
                                     begin, thread, works ? end : begin + MS);
        }
        for (unsigned thread = 0; thread < 3; thread++)
            used += (size_t)snprintf(
                events + used, sizeof(events) - used,
                "%u %lu leave 2\n%u %lu leave 1\n%u %lu endteam 1\n%u %lu metric 0 %lu %lu\n", thread, end,
                thread, end, thread, end, thread, end, thread == 2 ? half : 2 * half, thread == 2 ? half : 1);
        now = end + 100;
    }
    analyse("2", events);
    const uint64_t count = analysis_fixture_sum(OMPTAPE_FINDING_OUTLIER).count;
    analysis_fixture_close();
    check_remove_folder(NULL);
    check_make_folder(NULL);
    return count;
}

static void long_work_of_all_is_an_outlier(void **state)
{
    (void)state;
    assert_int_equal(1, outliers_of_long_instance(true));
    assert_int_equal(0, outliers_of_long_instance(false));
}

/* Around 40 instances of a millisecond, in a team of one thread, there is one of the same region. It takes
 * longer, since it has them inside, and is no outlier. */
static void instances_are_compared_at_one_nesting(void **state)
{
    enum { NESTED = 40, US = 1000, END = NESTED * 1100 };
    (void)state;
    for (unsigned thread = 0; thread < 3; thread++) {
        analysis_fixture_add(thread, 0, "team 1");
        analysis_fixture_add(thread, 0, "enter 1");
        for (unsigned i = 0; i < NESTED && thread == 1; i++) {
            analysis_fixture_add(thread, 1100 * i + 50, "team 2");
            analysis_fixture_add(thread, 1100 * i + 50, "enter 1");
            analysis_fixture_add(thread, 1100 * i + 50 + US, "enter 2");
            analysis_fixture_add(thread, 1100 * i + 50 + US, "leave 2");
            analysis_fixture_add(thread, 1100 * i + 50 + US, "leave 1");
            analysis_fixture_add(thread, 1100 * i + 50 + US, "endteam 2");
        }
        analysis_fixture_add(thread, END, "enter 2");
        analysis_fixture_add(thread, END, "leave 2");
        analysis_fixture_add(thread, END, "leave 1");
        analysis_fixture_add(thread, END, "endteam 1");
        analysis_fixture_add(thread, END + 1, "metric 0 %d 1", END * US);
    }
    processors = "4";
    analysis_fixture_make_added((struct make_plan){.properties = set_processors});
    assert_int_equal(0, analysis_fixture_sum(OMPTAPE_FINDING_OUTLIER).count);
    analysis_fixture_close();
}

/* Each of 20 instances has one of the same region inside. One takes 200 ms instead of 2 ms, in which all
 * work.
 */
static void instances_around_others_of_their_region_are_compared(void **state)
{
    enum { INSTANCES = 20, LONG = 9, MS = 1000 };
    unsigned now = 0;
    (void)state;
    for (unsigned i = 0; i < INSTANCES; i++) {
        const unsigned end = now + (i == LONG ? 200 * MS : 2 * MS);
        for (unsigned thread = 0; thread < 3; thread++) {
            analysis_fixture_add(thread, now, "team 1");
            analysis_fixture_add(thread, now, "enter 1");
            if (thread == 1) {
                analysis_fixture_add(thread, now + 100, "team 2");
                analysis_fixture_add(thread, now + 100, "enter 1");
                analysis_fixture_add(thread, now + 200, "enter 2");
                analysis_fixture_add(thread, now + 200, "leave 2");
                analysis_fixture_add(thread, now + 200, "leave 1");
                analysis_fixture_add(thread, now + 200, "endteam 2");
            }
            analysis_fixture_add(thread, end, "enter 2");
            analysis_fixture_add(thread, end, "leave 2");
            analysis_fixture_add(thread, end, "leave 1");
            analysis_fixture_add(thread, end, "endteam 1");
            analysis_fixture_add(thread, end, "metric 0 %u000 1", end);
        }
        now = end + 1;
    }
    processors = "4";
    analysis_fixture_make_added((struct make_plan){.properties = set_processors});
    assert_int_equal(1, analysis_fixture->outlier_count);
    assert_int_equal(1, analysis_fixture->outliers[0]->count);
    assert_int_equal(ANALYSIS_OUTLIER_INSTANCE, analysis_fixture->outliers[0]->kind);
    assert_int_equal(0, analysis_fixture->outliers[0]->nesting);
    analysis_fixture_close();
}

/* The second process has a processor more than the first one, and location 2 is a team by itself. */
static void write_larger_process(OTF2_GlobalDefWriter *writer)
{
    enum { NUMBER, PROCS, TWO, GROUP = 20 };
    static const char *const texts[] = {OMPTAPE_GROUP_NUMBER, "OMPTAPE::INFO::PROCS", "2"};
    const uint64_t member = 2;
    for (OTF2_StringRef i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + i, texts[i]));
    for (uint32_t i = 0; i < 2; i++)
        make_succeed(OTF2_GlobalDefWriter_WriteLocationGroupProperty(
            writer, 2 * i, MAKE_STRINGS + NUMBER, OTF2_TYPE_UINT32, (OTF2_AttributeValue){.uint32 = i}));
    make_succeed(OTF2_GlobalDefWriter_WriteLocationGroupProperty(
        writer, 2, MAKE_STRINGS + PROCS, OTF2_TYPE_STRING,
        (OTF2_AttributeValue){.stringRef = MAKE_STRINGS + TWO}));
    make_succeed(OTF2_GlobalDefWriter_WriteGroup(writer, GROUP, MAKE_EMPTY_STRING, OTF2_GROUP_TYPE_COMM_GROUP,
                                                 OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, 1, &member));
    make_succeed(OTF2_GlobalDefWriter_WriteComm(writer, GROUP, MAKE_EMPTY_STRING, GROUP, OTF2_UNDEFINED_COMM,
                                                OTF2_COMM_FLAG_NONE));
}

/* Of 20 instances of two threads on one processor and of one thread on two processors, the latter's ninth
 * takes 200 ms. Only a microsecond of it is work. */
static void processors_are_those_of_the_process(void **state)
{
    enum { INSTANCES = 20, LONG = 9, MS = 1000000, BYTES = 1024 };
    static char events[INSTANCES * BYTES];
    size_t used = 0;
    unsigned long now = 1000;
    (void)state;
    for (int i = 0; i < INSTANCES; i++) {
        const unsigned long begin = now;
        now += i == LONG ? 200UL * MS : 2UL * MS;
        for (unsigned thread = 0; thread < 3; thread++)
            used += (size_t)snprintf(events + used, sizeof(events) - used,
                                     "%u %lu team %u\n%u %lu enter 1\n%u %lu enter 2\n%u %lu leave 2\n%u %lu "
                                     "leave 1\n%u %lu endteam %u\n",
                                     thread, begin, thread == 2 ? 20 : 0, thread, begin, thread,
                                     thread == 2 && i == LONG ? begin + 1000 : begin + 2UL * MS, thread,
                                     thread == 2 ? now : begin + 2UL * MS, thread,
                                     thread == 2 ? now : begin + 2UL * MS, thread,
                                     thread == 2 ? now : begin + 2UL * MS, thread == 2 ? 20 : 0);
        now += 100;
    }
    processors = "1";
    analysis_fixture_make(&(struct make_plan){.events = events,
                                              .more = write_larger_process,
                                              .properties = set_processors,
                                              .initial = 1U << 2,
                                              .two_processes = true});
    bool has_instance = false; /* beside the slow step of the detected loop */
    for (uint32_t i = 0; i < analysis_fixture->finding_count; i++)
        has_instance = has_instance || analysis_fixture->findings[i].outlier != NULL;
    assert_true(has_instance);
    analysis_fixture_close();
}

/* Between two regions of 10 ms, of a process with two threads and of one with one, is as much serial time. */
static void serial_time_is_of_a_mean_process(void **state)
{
    enum { EACH = 10000 };
    (void)state;
    for (unsigned thread = 0; thread < 3; thread++) {
        const unsigned team = thread == 2 ? 20 : 0;
        for (unsigned begin = 1; begin < 4 * EACH; begin += 2 * EACH) {
            analysis_fixture_add(thread, begin, "team %u", team);
            analysis_fixture_add(thread, begin, "enter 1");
            analysis_fixture_add(thread, begin + EACH, "enter 2");
            analysis_fixture_add(thread, begin + EACH, "leave 2");
            analysis_fixture_add(thread, begin + EACH, "leave 1");
            analysis_fixture_add(thread, begin + EACH, "endteam %u", team);
        }
    }
    processors = "4";
    analysis_fixture_make_added((struct make_plan){.more = write_larger_process,
                                                   .properties = set_processors,
                                                   .initial = 1U << 2,
                                                   .two_processes = true});
    const struct omptape_finding *serial = NULL;
    for (uint32_t i = 0; i < analysis_fixture->finding_count && serial == NULL; i++)
        if (analysis_fixture->findings[i].kind == OMPTAPE_FINDING_SERIAL)
            serial = &analysis_fixture->findings[i];
    assert_non_null(serial);
    if (strstr(serial->text, "one thread computes for 10 ms (33 % of the time): bounds the speed-up with 1.5 "
                             "threads to 1.29") == NULL)
        fail_msg("%s", serial->text);
    analysis_fixture_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(processors_are_those_of_the_process, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(serial_time_is_of_a_mean_process, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(instances_around_others_of_their_region_are_compared,
                                        check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(instances_are_compared_at_one_nesting, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(long_work_of_all_is_an_outlier, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(tiny_regions_are_that_first, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(larger_regions_have_too_many_threads, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(regions_that_one_thread_does_sooner_are_tiny, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(lacking_processors_lengthens_work_too, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(regions_without_processors_are_not_tiny, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(regions_with_more_work_are_not_tiny, check_make_folder,
                                        check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
