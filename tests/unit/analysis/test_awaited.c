/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of what is said of sleeping threads by the looks that found them asleep: for which other thread
 * they may wait, and in which call that one sleeps (src/analysis/findings/blocked.c). Run by CTest on one
 * thread.
 */
#include "tests/unit/analysis/analysis_fixture.h"

#include <omptape/properties.h>

#include <string.h>

/* Location 2 is a thread that OpenMP does not know, and 3 is another one. They ran for so long. */
enum { JOURNAL = 2, SOLVER };
static uint64_t journal_ran;
static uint64_t solver_ran;

/* Calls in which the program's threads and the journal's thread sleep; NULL: none. */
static const char *own_call;
static const char *journal_call;

/* Calling contexts: the program's function, its call, and the mark of a thread asleep. */
enum { OWN_SLEEP = 2, JOURNAL_SLEEP = 5, CONTEXTS };

static void define_contexts(OTF2_GlobalDefWriter *writer, OTF2_StringRef string)
{
    enum { REGION = 20 };
    const char *const names[CONTEXTS] = {"waiter", own_call,     OMPTAPE_FRAME_BLOCKED,
                                         "store",  journal_call, OMPTAPE_FRAME_BLOCKED};
    const OTF2_StringRef library = string + CONTEXTS;
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, library, "/usr/lib/libc.so.6"));
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        make_succeed(
            OTF2_GlobalDefWriter_WriteString(writer, string + i, names[i] != NULL ? names[i] : "none"));
        make_succeed(OTF2_GlobalDefWriter_WriteRegion(writer, REGION + i, string + i, string + i,
                                                      i % 3 == 1 ? library : MAKE_EMPTY_STRING,
                                                      OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SAMPLING,
                                                      OTF2_REGION_FLAG_NONE, MAKE_SOME_STRING, 0, 0));
        make_succeed(OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer, i, MAKE_SOME_STRING, 10 + i));
        make_succeed(OTF2_GlobalDefWriter_WriteCallingContext(
            writer, i, REGION + i, i % 3 == 0 ? i : OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
            i % 3 == 0 ? OTF2_UNDEFINED_CALLING_CONTEXT : i - 1));
    }
    make_succeed(OTF2_GlobalDefWriter_WriteInterruptGenerator(
        writer, 0, MAKE_EMPTY_STRING, OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -9, 1000000));
}

static void define(OTF2_GlobalDefWriter *writer)
{
    enum { NAME = MAKE_STRINGS, RAN, THREADS, END = THREADS + 2 };
    static const char *const threads[] = {"journal", "solver"};
    const uint64_t ran[] = {journal_ran, solver_ran};
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, NAME, OMPTAPE_LOCATION_OTHER_THREAD));
    make_succeed(OTF2_GlobalDefWriter_WriteString(writer, RAN, OMPTAPE_LOCATION_RUNNING));
    for (uint32_t i = 0; i < 2; i++) {
        make_succeed(OTF2_GlobalDefWriter_WriteString(writer, THREADS + i, threads[i]));
        make_succeed(OTF2_GlobalDefWriter_WriteLocationProperty(
            writer, JOURNAL + i, NAME, OTF2_TYPE_STRING, (OTF2_AttributeValue){.stringRef = THREADS + i}));
        make_succeed(OTF2_GlobalDefWriter_WriteLocationProperty(writer, JOURNAL + i, RAN, OTF2_TYPE_UINT64,
                                                                (OTF2_AttributeValue){.uint64 = ran[i]}));
    }
    define_contexts(writer, END);
}

static void add_looks(unsigned location, unsigned context, unsigned looks)
{
    for (unsigned i = 0; i < looks; i++)
        analysis_fixture_add(location, 1000 + 500 * i, "sample %u", context);
}

/* The region at 80 ms lasts for 20 ms; both threads compute in it. */
static void add_short_region(void)
{
    analysis_fixture_add(0, 80000, "fork 2");
    for (unsigned thread = 0; thread < 2; thread++) {
        analysis_fixture_add(thread, 80000, "team 0");
        analysis_fixture_add(thread, 80000, "enter 1");
        analysis_fixture_add(thread, 100000, "leave 1");
        analysis_fixture_add(thread, 100000, "endteam 0");
    }
    analysis_fixture_add(0, 100000, "join");
    analysis_fixture_add(0, 100001, "metric 0 20000300 1");
}

/* The first thread sleeps for 80 ms before a region. So many looks found it and the journal's thread asleep.
 */
static void analyse_serial(unsigned own_looks, unsigned journal_looks)
{
    check_make_folder(NULL);
    analysis_fixture_add(0, 0, "program");
    analysis_fixture_add(0, 0, "enter 0");
    analysis_fixture_add(0, 1, "metric 0 100 1");
    add_looks(0, OWN_SLEEP, own_looks);
    analysis_fixture_add(0, 80000, "metric 0 100 1");
    add_short_region();
    add_looks(JOURNAL, JOURNAL_SLEEP, journal_looks);
    analysis_fixture_make_added((struct make_plan){.more = define});
}

/* Both threads run for so long of a region of 100 ms, which is the whole run, and sleep for the rest. */
static void analyse_region(uint64_t ran_us, unsigned own_looks, unsigned journal_looks)
{
    check_make_folder(NULL);
    for (unsigned thread = 0; thread < 2; thread++) {
        analysis_fixture_add(thread, 0, "team 0");
        analysis_fixture_add(thread, 0, "enter 1");
        add_looks(thread, OWN_SLEEP, own_looks);
        analysis_fixture_add(thread, 100000, "leave 1");
        analysis_fixture_add(thread, 100000, "endteam 0");
        analysis_fixture_add(thread, 100001, "metric 0 %u000 1", (unsigned)ran_us);
    }
    add_looks(JOURNAL, JOURNAL_SLEEP, journal_looks);
    analysis_fixture_make_added((struct make_plan){.more = define});
}

static const struct omptape_finding *blocked(void)
{
    for (uint32_t i = 0; i < analysis_fixture->finding_count; i++)
        if (analysis_fixture->findings[i].kind == OMPTAPE_FINDING_BLOCKED)
            return &analysis_fixture->findings[i];
    fail_msg("nothing is blocked");
    return NULL;
}

static void is_said(const char *words, bool expected)
{
    if ((strstr(blocked()->text, words) != NULL) != expected)
        fail_msg("\"%s\" is %s: %s", words, expected ? "missing" : "said", blocked()->text);
}

static void is_proposed(const char *words)
{
    if (strncmp(blocked()->proposal, words, strlen(words)) != 0)
        fail_msg("proposed is: %s", blocked()->proposal);
}

static void close_analysis(void)
{
    analysis_fixture_close();
    check_remove_folder(NULL);
}

static void choose(const char *own, const char *journal, uint64_t journal_ms, uint64_t solver_ms)
{
    own_call = own;
    journal_call = journal;
    journal_ran = journal_ms * 1000000;
    solver_ran = solver_ms * 1000000;
}

/* Calls that write are named if a quarter of the looks found the thread in them. */
static void test_a_thread_that_writes_is_named(void **state)
{
    (void)state;
    choose("pthread_cond_wait", "fsync", 5, 1);
    analyse_serial(40, 20);
    is_said("20 of 20 looks at thread journal, which OpenMP does not know, found it in fsync from store",
            true);
    is_said(": it may wait for that", true);
    is_proposed("sync less often");
    close_analysis();
    analyse_serial(40, 9);
    is_said("found it in fsync", false);
    is_proposed("another thread of the program is awaited");
    close_analysis();
    analyse_region(5000, 40, 12);
    is_said(": they may wait for that", true);
    close_analysis();
    analyse_region(5000, 40, 9);
    is_said("found it in fsync", false);
    close_analysis();
}

/* Neither idle threads are named, nor any for a thread that sleeps for itself. */
static void test_other_sleep_is_not_named(void **state)
{
    static const char *const calls[][2] = {
        {"pthread_cond_wait", "nanosleep"}, {"pthread_cond_wait", "sem_wait"}, {"nanosleep", "fsync"}};
    (void)state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        choose(calls[i][0], calls[i][1], 5, 1);
        analyse_serial(40, 20);
        is_said("which OpenMP does not know", false);
        close_analysis();
    }
}

/* A thread that computes may be awaited as well as one that writes. */
static void test_a_thread_that_computes_is_named_before(void **state)
{
    (void)state;
    choose("pthread_cond_wait", "fsync", 5, 60);
    analyse_serial(40, 20);
    is_said("found it in fsync", false);
    is_said("most of all solver (60 % of a processor", true);
    is_proposed("if it waits for that thread");
    close_analysis();
    analyse_region(5000, 40, 20);
    is_said("found it in fsync", false);
    close_analysis();
}

/* Where the busiest thread sleeps is said, unless it waits for others there. */
static void test_sleep_of_the_busiest_thread(void **state)
{
    (void)state;
    choose("pthread_cond_wait", "nanosleep", 60, 1);
    analyse_serial(40, 20);
    is_said(
        "most of all journal (60 % of a processor over the run, 20 looks found it asleep in nanosleep from "
        "store",
        true);
    close_analysis();
    choose("pthread_cond_wait", "sem_wait", 60, 1);
    analyse_serial(40, 20);
    is_said("most of all journal (60 % of a processor over the run): it may wait", true);
    close_analysis();
}

/* If all threads sleep for locks in nearly the whole run, these may be in a circle. */
static void test_locks_in_a_circle(void **state)
{
    (void)state;
    choose("pthread_mutex_lock", NULL, 0, 0);
    analyse_region(5000, 40, 0);
    is_proposed("if each has a lock for which another one waits");
    close_analysis();
    analyse_region(15000, 40, 0);
    is_proposed("a lock that is not OpenMP's");
    close_analysis();
    choose("nanosleep", NULL, 0, 0);
    analyse_region(5000, 40, 0);
    is_proposed("the program sleeps by itself");
    close_analysis();
    choose("pthread_mutex_lock", NULL, 0, 0);
    analyse_serial(40, 0);
    is_proposed("a lock that is not OpenMP's");
    close_analysis();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_thread_that_writes_is_named),
        cmocka_unit_test(test_other_sleep_is_not_named),
        cmocka_unit_test(test_a_thread_that_computes_is_named_before),
        cmocka_unit_test(test_sleep_of_the_busiest_thread),
        cmocka_unit_test(test_locks_in_a_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
