/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what tracing itself took (src/analysis/findings/perturbation.c): exact times, with and
 * without the archive's properties about it. Run by CTest on one thread; archives are made by
 * tests/unit/make_archive.h in a temporary folder.
 */
#include "tests/unit/analysis/analysis_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CREATE_REGION = 6, OTHER_REGION = 6, TASKS = 60, TEXT_BYTES = 65536 };

static void set(OTF2_Archive *archive, const char *name, const char *value)
{
    make_succeed(OTF2_Archive_SetProperty(archive, name, value, true));
}

/* 5 ns a record; the writer ran for 0.4 ms of the 2 ms. */
static void tell_cost(OTF2_Archive *archive)
{
    set(archive, "OMPTAPE::DURATION", "2000200");
    set(archive, "OMPTAPE::RECORDS", "300");
    set(archive, "OMPTAPE::RECORD_COST", "5000");
    set(archive, "OMPTAPE::WRITER_TIME", "400000");
}

static void define_region(OTF2_GlobalDefWriter *writer, OTF2_RegionRef region, OTF2_RegionRole role,
                          const char *name)
{
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS, name));
    make_succeed(OTF2_GlobalDefWriter_WriteRegion(writer, region, MAKE_STRINGS, MAKE_STRINGS,
                                                  MAKE_EMPTY_STRING, role, OTF2_PARADIGM_OPENMP,
                                                  OTF2_REGION_FLAG_NONE, MAKE_EMPTY_STRING, 0, 0));
}

static void define_creation(OTF2_GlobalDefWriter *writer)
{
    define_region(writer, CREATE_REGION, OTF2_REGION_ROLE_TASK_CREATE, "!$omp create task @a.c:15");
}

static void analyse(const char *events, bool told)
{
    analysis_fixture_make(&(struct make_plan){
        .events = events, .more = define_creation, .properties = told ? tell_cost : NULL});
}

static void close_all(void)
{
    analysis_fixture_close();
    check_remove_folder(NULL);
    check_make_folder(NULL);
}

/* One thread of two creates tasks of 10 ns and executes them: 50 ns before each creation, 50 after it, and
 * 1 us to find it. */
static const char *fine_tasks(char *text)
{
    size_t at = (size_t)snprintf(text, TEXT_BYTES, "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n");
    unsigned time = 0;
    for (unsigned i = 1; i <= TASKS; i++) {
        at += (size_t)snprintf(text + at, TEXT_BYTES - at,
                               "0 %u enter 6\n0 %u create 0 0 %u\n0 %u leave 6\n0 %u enter 2\n"
                               "0 %u switch 0 0 %u\n0 %u enter 3\n0 %u leave 3\n0 %u complete 0 0 %u\n"
                               "0 %u leave 2\n",
                               time + 50, time + 50, i, time + 50, time + 100, time + 1100, i, time + 1100,
                               time + 1110, time + 1110, i, time + 1110);
        time += 1110;
    }
    snprintf(text + at, TEXT_BYTES - at, "0 %u leave 1\n0 %u endteam 0\n1 %u leave 1\n1 %u endteam 0\n", time,
             time, time, time);
    return text;
}

/* Three gaps of each task's have a record's cost in them, and the 6 ns that the runtime takes for a callback:
 * before its creation, after it, and to find it. */
static void fine_tasks_are_without_records(void **state)
{
    char text[TEXT_BYTES];
    (void)state;
    analyse(fine_tasks(text), false);
    uint64_t all = analysis_fixture_sum(OMPTAPE_FINDING_FINE_TASKS).gain;
    assert_true(all >= (uint64_t)TASKS * 500);
    close_all();
    analyse(text, true);
    assert_in_range(all - analysis_fixture_sum(OMPTAPE_FINDING_FINE_TASKS).gain, TASKS * 3 * (5 + 6) / 2 - 5,
                    TASKS * 3 * (5 + 6) / 2 + 5);
    assert_true(analysis_fixture->perturbation.record > 4.99 && analysis_fixture->perturbation.record < 5.01);
    close_all();
}

/* Regions of 100 ns of work, from fork to join 400. The first one begins its threads for `begun` ns more. */
static const char *tiny_regions(char *text, unsigned begun)
{
    size_t at = 0;
    for (unsigned i = 0; i < TASKS; i++) {
        unsigned time = 1000 * i + begun;
        at += (size_t)snprintf(text + at, TEXT_BYTES - at, "0 %u fork 2\n", i == 0 ? 0 : time);
        for (unsigned thread = 0; thread < 2; thread++)
            at += (size_t)snprintf(text + at, TEXT_BYTES - at,
                                   "%u %u team 0\n%u %u enter 1\n%u %u enter 2\n%u %u leave 2\n"
                                   "%u %u leave 1\n%u %u endteam 0\n",
                                   thread, time + 100, thread, time + 100, thread, time + 200, thread,
                                   time + 300, thread, time + 300, thread, time + 300);
        at += (size_t)snprintf(text + at, TEXT_BYTES - at, "0 %u join\n", time + 400);
    }
    return text;
}

/* Behind the fork the first thread has four, one of them in work. One thread would take 200 for the work of
 * both: the other 200 are won. */
static void tiny_regions_are_without_records(void **state)
{
    char text[TEXT_BYTES];
    (void)state;
    analyse(tiny_regions(text, 0), false);
    uint64_t all = analysis_fixture_sum(OMPTAPE_FINDING_TINY_REGIONS).gain;
    assert_int_equal(TASKS * 200, all);
    assert_string_equal("no parallel region where there is so little work: if()",
                        analysis_fixture->findings[0].proposal);
    close_all();
    analyse(text, true);
    assert_in_range(all - analysis_fixture_sum(OMPTAPE_FINDING_TINY_REGIONS).gain, TASKS * 3 * 5 - 5,
                    TASKS * 3 * 5 + 5);
    close_all();
}

/* What the begin of the threads takes is not the price of each region. */
static void tiny_regions_are_without_outliers(void **state)
{
    char text[TEXT_BYTES];
    (void)state;
    analyse(tiny_regions(text, 100000), false);
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_TINY_REGIONS).gain, TASKS * 200 - 400,
                    TASKS * 200 + 400);
    for (uint32_t i = 0; i < analysis_fixture->finding_count; i++)
        if (analysis_fixture->findings[i].kind == OMPTAPE_FINDING_TINY_REGIONS)
            assert_non_null(strstr(analysis_fixture->findings[i].text, "instances take 40"));
    close_all();
}

/* Regions of 100 ns of work, `ns` from fork to join. Four have so much more work. */
static void analyse_tiny_among(unsigned ns, unsigned more)
{
    enum { OFTEN = 16, EVENT_BYTES = 512 };
    char *text = calloc(TASKS, EVENT_BYTES);
    char *at = text;
    unsigned time = 0;
    assert_non_null(text);
    for (unsigned i = 0; i < TASKS; i++) {
        const unsigned work = 100 + (i % OFTEN == OFTEN / 2 ? more : 0);
        at += snprintf(at, EVENT_BYTES, "0 %u fork 2\n", time);
        for (unsigned thread = 0; thread < 2; thread++)
            at += snprintf(at, EVENT_BYTES / 2,
                           "%u %u team 0\n%u %u enter 1\n%u %u enter 2\n%u %u leave 2\n"
                           "%u %u leave 1\n%u %u endteam 0\n",
                           thread, time + 100, thread, time + 100, thread, time + 100 + work, thread,
                           time + work + ns - 200, thread, time + work + ns - 200, thread,
                           time + work + ns - 200);
        time += work + ns - 100;
        at += snprintf(at, EVENT_BYTES, "0 %u join\n", time);
        time += 100;
    }
    analyse(text, false);
    free(text);
}

/* The medians of what is taken off are estimated. */
static void expect_tiny(uint64_t gain, const char *said)
{
    bool found = false;
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_TINY_REGIONS).gain, gain - gain / 20,
                    gain + gain / 20);
    for (uint32_t i = 0; i < analysis_fixture->finding_count; i++)
        found |= analysis_fixture->findings[i].kind == OMPTAPE_FINDING_TINY_REGIONS &&
                 strstr(analysis_fixture->findings[i].text, said) != NULL;
    assert_true(found);
    close_all();
}

/* What these have more is work, and no time beside it. They make the regions no larger: 87 us on average. */
static void tiny_regions_are_among_larger_ones(void **state)
{
    (void)state;
    analyse_tiny_among(400, 100000);
    expect_tiny(TASKS * (400 - 200), "instances take 40");
    analyse_tiny_among(20000, 1000000);
    expect_tiny(TASKS * (20000 - 200), "us each for 10");
}

/* The first thread wanted a processor for half of its time and had none: of the 400 from fork to join 200 are
 * due to that, half of the work of 100 and half of the 300 beside it. */
static void tiny_regions_are_without_lacking_processors(void **state)
{
    char text[TEXT_BYTES];
    (void)state;
    const size_t at = strlen(tiny_regions(text, 0));
    snprintf(text + at, sizeof(text) - at, "0 59500 metric 0 29750 29750\n");
    analyse(text, false);
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_TINY_REGIONS).gain, TASKS * 150 - 60,
                    TASKS * 150 + 60);
    close_all();
}

/* Thread 1 comes to the barrier a millisecond late, and lacked a processor for 0.8 ms: half of that the
 * writer had it. */
static void preemption_is_without_the_writer(void **state)
{
    static const char events[] = "0 0 team 0\n0 0 enter 1\n1 0 team 0\n1 0 enter 1\n0 1000000 enter 2\n"
                                 "1 2000000 enter 2\n0 2000100 leave 2\n0 2000100 leave 1\n"
                                 "0 2000100 endteam 0\n1 2000100 leave 2\n1 2000100 leave 1\n"
                                 "1 2000100 endteam 0\n0 2000200 metric 0 2000200 0\n"
                                 "1 2000200 metric 0 1200200 800000\n";
    (void)state;
    analyse(events, false);
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_PREEMPTION).waited, 799000, 800000);
    close_all();
    analyse(events, true);
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_PREEMPTION).waited, 399500, 400000);
    assert_in_range(analysis_fixture_sum(OMPTAPE_FINDING_IMBALANCE).waited, 200000, 201000);
    close_all();
}

static void tell_start(OTF2_Archive *archive)
{
    set(archive, "OMPTAPE::INFO::START_NS", "60000");
}

static void define_other_region(OTF2_GlobalDefWriter *writer)
{
    define_region(writer, OTHER_REGION, OTF2_REGION_ROLE_PARALLEL, "!$omp parallel @a.c:30");
}

/* Two processes compute for 5.1 and 5.09 ms, and the tool took 60 us to begin; then each has a region. Each
 * part contains the start of its own process, not both. */
static void first_parts_are_without_their_start(void **state)
{
    static const char events[] =
        "0 0 program\n0 0 enter 0\n0 5100000 fork 2\n0 5100000 team 0\n0 5100000 enter 1\n"
        "1 5100000 team 0\n1 5100000 enter 1\n1 25300000 enter 2\n1 25300000 leave 2\n1 25300000 leave 1\n"
        "1 25300000 endteam 0\n1 25300000 team 1\n1 25300000 endteam 1\n"
        "0 25300000 enter 2\n0 25300000 leave 2\n0 25300000 leave 1\n0 25300000 endteam 0\n0 25300000 join\n"
        "0 25300000 team 1\n0 25300000 endteam 1\n0 25300000 leave 0\n0 25300000 endprogram\n"
        "2 0 program\n2 0 enter 0\n2 5090000 fork 3\n2 5090000 team 1\n2 5090000 enter 6\n"
        "2 25300000 enter 2\n2 25300000 leave 2\n2 25300000 leave 6\n2 25300000 endteam 1\n2 25300000 join\n"
        "2 25300000 leave 0\n2 25300000 endprogram\n";
    unsigned parts = 0;
    (void)state;
    analysis_fixture_make(&(struct make_plan){
        .events = events, .more = define_other_region, .properties = tell_start, .two_processes = true});
    assert_int_equal(4, analysis_fixture->threads);
    for (uint32_t i = 0; i < analysis_fixture->finding_count; i++) {
        const struct omptape_finding *finding = &analysis_fixture->findings[i];
        if (finding->kind != OMPTAPE_FINDING_SERIAL)
            continue;
        bool first = parts++ == 0;
        /* With two threads each; the mean of both processes. */
        assert_int_equal(first ? 5040000 : 5030000, finding->waited);
        assert_int_equal((first ? 5040000 : 5030000) / 2 / 2, finding->gain);
        assert_non_null(strstr(finding->text, "computes for 2.5 ms"));
        assert_non_null(strstr(finding->text, "with 2 threads to "));
    }
    assert_int_equal(2, parts);
    close_all();
}

/* 32 bits of a value that has more in memory. */
static void values_have_the_bits_of_their_type(void **state)
{
    OTF2_AttributeValue value = {.uint64 = UINT64_MAX};
    (void)state;
    assert_int_equal(UINT8_MAX, omptape_value_bits(OTF2_TYPE_INT8, value));
    assert_int_equal(UINT16_MAX, omptape_value_bits(OTF2_TYPE_UINT16, value));
    assert_int_equal(UINT32_MAX, omptape_value_bits(OTF2_TYPE_UINT32, value));
    assert_int_equal(UINT32_MAX, omptape_value_bits(OTF2_TYPE_STRING, value));
    assert_int_equal(UINT64_MAX, omptape_value_bits(OTF2_TYPE_INT64, value));
    assert_int_equal(UINT64_MAX, omptape_value_bits(OTF2_TYPE_LOCATION, value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fine_tasks_are_without_records, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(tiny_regions_are_without_records, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(tiny_regions_are_without_outliers, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(tiny_regions_are_among_larger_ones, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(tiny_regions_are_without_lacking_processors, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(preemption_is_without_the_writer, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test_setup_teardown(first_parts_are_without_their_start, check_make_folder,
                                        check_remove_folder),
        cmocka_unit_test(values_have_the_bits_of_their_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
