/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what the processor's counters tell (src/analysis/findings/counters.c): a team of two threads
 * computes for 10 ms, and what they counted meanwhile. Run by CTest on one thread; archives are made by
 * tests/unit/make_archive.h in a temporary folder.
 */
#include "src/analysis/findings/counted_functions.h"
#include "tests/unit/analysis/analysis_fixture.h"

#include <omptape/properties.h>
#include <stdio.h>
#include <string.h>

enum { COUNTERS = 4, EVENTS_BYTES = 1024 };
static const char *const with_misses[COUNTERS] = {"task-clock", "cycles", "instructions", "cache-misses"};
static const char *const with_branches[COUNTERS] = {"task-clock", "cycles", "instructions", "branch-misses"};
static const char *const *names;

static void set_properties(OTF2_Archive *archive)
{
    make_succeed(
        OTF2_Archive_SetProperty(archive, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_SAMPLE_PERIOD, "100000", true));
}

static void define_counters(OTF2_GlobalDefWriter *writer)
{
    OTF2_MetricMemberRef members[COUNTERS];
    for (uint32_t i = 0; i < COUNTERS; i++) {
        members[i] = 1 + i;
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, MAKE_STRINGS + i, names[i]));
        make_succeed(OTF2_GlobalDefWriter_WriteMetricMember(
            writer, members[i], MAKE_STRINGS + i, MAKE_EMPTY_STRING, OTF2_METRIC_TYPE_OTHER,
            OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0, MAKE_EMPTY_STRING));
    }
    make_succeed(OTF2_GlobalDefWriter_WriteMetricClass(writer, 1, COUNTERS, members, OTF2_METRIC_SYNCHRONOUS,
                                                       OTF2_RECORDER_KIND_CPU));
}

/* Each thread was on a processor for 10 ms, and counted so much. */
static void analyse(const char *const counters[COUNTERS], const char *counted)
{
    char events[EVENTS_BYTES];
    names = counters;
    (void)snprintf(
        events, sizeof(events),
        "0 1000000 enter 0\n0 2000000 fork 2\n0 2000000 team 0\n0 2000000 enter 1\n1 2000000 team 0\n"
        "1 2000000 enter 1\n0 12000000 counted 1 %s\n0 12000000 leave 1\n0 12000000 endteam 0\n"
        "1 12000000 counted 1 %s\n1 12000000 leave 1\n1 12000000 endteam 0\n0 12000000 join\n"
        "0 12000000 leave 0\n",
        counted, counted);
    analysis_fixture_make(
        &(struct make_plan){.events = events, .properties = set_properties, .more = define_counters});
}

static const struct omptape_finding *found(enum omptape_finding_kind kind)
{
    for (uint32_t i = 0; i < analysis_fixture->finding_count; i++)
        if (analysis_fixture->findings[i].kind == kind)
            return &analysis_fixture->findings[i];
    return NULL;
}

static void expect_text(const struct omptape_finding *finding, const char *part)
{
    assert_non_null(finding);
    if (strstr(finding->text, part) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", part, finding->text);
}

static void expect_nothing(const char *const counters[COUNTERS], const char *counted)
{
    void *unused = NULL;
    assert_int_equal(check_remove_folder(&unused), 0);
    assert_int_equal(check_make_folder(&unused), 0);
    analyse(counters, counted);
    assert_null(found(OMPTAPE_FINDING_MEMORY));
    assert_null(found(OMPTAPE_FINDING_LOW_IPC));
    assert_null(omptape_counters_would_explain(analysis_fixture));
    analysis_fixture_close();
}

static void waiting_for_memory(void **state)
{
    (void)state;
    analyse(with_misses, "10000000 30000000 9000000 270000");
    expect_text(found(OMPTAPE_FINDING_MEMORY),
                "10 ms at work, 0.30 instructions in a cycle, 30 cache misses in 1000 instructions: threads "
                "wait for memory");
    assert_null(found(OMPTAPE_FINDING_LOW_IPC));
    analysis_fixture_close();
}

static void waiting_for_something_else(void **state)
{
    (void)state;
    analyse(with_misses, "10000000 30000000 9000000 9000");
    expect_text(found(OMPTAPE_FINDING_LOW_IPC), "memory is not why");
    assert_null(found(OMPTAPE_FINDING_MEMORY));
    analysis_fixture_close();
}

static void nothing_to_say(void **state)
{
    (void)state;
    expect_nothing(with_misses, "10000000 30000000 60000000 1200000");   /* many are done all the same */
    expect_nothing(with_misses, "10000000 30000000 9000000 45000");      /* neither few nor many misses */
    expect_nothing(with_misses, "1000000 3000000 900000 27000");         /* too few readings */
    expect_nothing(with_misses, "10000000 0 9000000 270000");            /* cycles were not counted */
    expect_nothing(with_branches, "10000000 30000000 60000000 1200000"); /* nothing to be told */
}

/* Without misses nobody knows what it waits for, and what would tell is named. */
static void misses_would_tell(void **state)
{
    (void)state;
    analyse(with_branches, "10000000 30000000 9000000 270000");
    assert_null(found(OMPTAPE_FINDING_MEMORY));
    assert_null(found(OMPTAPE_FINDING_LOW_IPC));
    assert_non_null(omptape_counters_would_explain(analysis_fixture));
    analysis_fixture_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(waiting_for_memory, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(waiting_for_something_else, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(misses_would_tell, check_make_folder, check_remove_folder),
        cmocka_unit_test_setup_teardown(nothing_to_say, check_make_folder, check_remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
