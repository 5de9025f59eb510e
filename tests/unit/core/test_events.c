/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the event groups (src/core/events.c).
 */
#include "src/core/events.h"

#include <errno.h>
#include <omptape/ompt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint64_t parse(const char *list)
{
    char error[200];
    uint64_t events = 0;
    assert_int_equal(omptape_events_parse(list, &events, error, sizeof(error)), 0);
    return events;
}

static void assert_refused(const char *list, const char *word)
{
    char error[200] = "";
    uint64_t events = 42;
    assert_int_equal(omptape_events_parse(list, &events, error, sizeof(error)), -EINVAL);
    assert_int_equal(events, 42);
    assert_non_null(strstr(error, word));
    assert_non_null(strstr(error, "--events=help"));
    assert_null(strchr(error, '\n'));
}

static void every_callback_is_in_all_and_has_a_name(void **state)
{
    (void)state;
    unsigned named = 0;
    for (unsigned number = 0; number < 64; number++) {
        bool is_in_all = (omptape_events_all & OMPTAPE_EVENT(number)) != 0;
        bool is_of_mpi = (OMPTAPE_EVENTS_MPI_USUAL & OMPTAPE_EVENT(number)) != 0;
        assert_int_equal(is_in_all, omptape_event_name(number) != NULL || is_of_mpi);
        named += is_in_all && !is_of_mpi ? 1 : 0;
    }
    assert_int_equal(named, 37);
    assert_null(omptape_event_name(0));
    assert_null(omptape_event_name(4000000000U));
}

struct header_event {
    const char *name;
    unsigned number;
};

/* The names are those of the header that the build found. */
static void names_agree_with_the_header(void **state)
{
    (void)state;
#define HEADER_EVENT(event, type, number) {#event, number},
    static const struct header_event events[] = {FOREACH_OMPT_EVENT(HEADER_EVENT)};
#undef HEADER_EVENT
    const size_t prefix = strlen("ompt_callback_");
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        assert_non_null(omptape_event_name(events[i].number));
        assert_string_equal(events[i].name + prefix, omptape_event_name(events[i].number));
    }
}

static void the_groups_cover_everything(void **state)
{
    (void)state;
    uint64_t covered = 0;
    for (size_t i = 0; i < omptape_event_group_count; i++) {
        const struct omptape_event_group *group = &omptape_event_groups[i];
        assert_true(strlen(group->help) > 0);
        if (strcmp(group->name, "all") != 0)
            covered |= group->events;
    }
    assert_int_equal(covered, omptape_events_all | OMPTAPE_EVENTS_ERROR_NAMED | OMPTAPE_EVENTS_MPI);
}

static void error_is_told_from_all(void **state)
{
    (void)state;
    const uint64_t error = OMPTAPE_EVENT(ompt_callback_error);
    assert_int_equal(parse("+error"), omptape_events_all | OMPTAPE_EVENTS_ERROR_NAMED);
    assert_int_equal(parse("error"), omptape_events_always | error | OMPTAPE_EVENTS_ERROR_NAMED);
    assert_int_equal(parse("-flush") & (error | OMPTAPE_EVENTS_ERROR_NAMED), error);
    assert_int_equal(parse("+error,-error") & (error | OMPTAPE_EVENTS_ERROR_NAMED), 0);
}

static void mpi_is_in_all_but_for_what_is_seldom_wanted(void **state)
{
    (void)state;
    assert_int_equal(parse("all") & OMPTAPE_EVENTS_MPI, OMPTAPE_EVENTS_MPI_USUAL);
    assert_int_equal(parse("-flush") & OMPTAPE_EVENTS_MPI, OMPTAPE_EVENTS_MPI_USUAL);
    assert_int_equal(parse("+mpi-all") & OMPTAPE_EVENTS_MPI, OMPTAPE_EVENTS_MPI);
    assert_int_equal(parse("mpi-p2p"), omptape_events_always | OMPTAPE_EVENTS_MPI_P2P);
    assert_int_equal(parse("-mpi-coll") & OMPTAPE_EVENTS_MPI,
                     OMPTAPE_EVENTS_MPI_USUAL & ~OMPTAPE_EVENTS_MPI_COLL);
    assert_int_equal(parse("-mpi-all,mpi-io") & OMPTAPE_EVENTS_MPI, OMPTAPE_EVENTS_MPI_IO);
    assert_int_equal(parse("task") & OMPTAPE_EVENTS_MPI, 0);
}

static void a_name_narrows(void **state)
{
    (void)state;
    assert_int_equal(parse("none"), omptape_events_always);
    assert_int_equal(parse("task"), omptape_events_always | OMPTAPE_EVENT(ompt_callback_task_create) |
                                        OMPTAPE_EVENT(ompt_callback_task_schedule));
    assert_int_equal(parse("task,+work"), parse("work,task"));
    assert_true(parse("task,work") & OMPTAPE_EVENT(ompt_callback_work));
    assert_int_equal(parse("all"), omptape_events_all);
}

static void a_minus_first_takes_from_everything(void **state)
{
    (void)state;
    assert_int_equal(parse("-flush"), omptape_events_all & ~OMPTAPE_EVENT(ompt_callback_flush));
    assert_int_equal(parse("-flush,-work,flush"), omptape_events_all & ~OMPTAPE_EVENT(ompt_callback_work));
    assert_int_equal(parse("+flush"), omptape_events_all);
    assert_int_equal(parse("all,-all"), omptape_events_always);
}

static void what_a_timeline_needs_cannot_be_taken_away(void **state)
{
    (void)state;
    assert_int_equal(parse("-thread,-parallel,-control") & omptape_events_always, omptape_events_always);
    assert_int_equal(omptape_events_always & ~omptape_events_all, 0);
}

static void unknown_words_are_named(void **state)
{
    (void)state;
    assert_refused("tasks", "\"tasks\"");
    assert_refused("task,flu", "\"flu\"");
    assert_refused("task,", "\"\"");
    assert_refused("", "\"\"");
    assert_refused("-", "\"\"");
    assert_refused("task,,work", "\"\"");
    assert_refused("--task", "\"-task\"");
}

static void an_endless_word_fits_the_error(void **state)
{
    (void)state;
    char list[5000];
    char error[64];
    uint64_t events;
    memset(list, 'x', sizeof(list));
    list[sizeof(list) - 1] = '\0';
    assert_int_equal(omptape_events_parse(list, &events, error, sizeof(error)), -EINVAL);
    assert_true(strlen(error) < sizeof(error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_callback_is_in_all_and_has_a_name),
        cmocka_unit_test(names_agree_with_the_header),
        cmocka_unit_test(the_groups_cover_everything),
        cmocka_unit_test(error_is_told_from_all),
        cmocka_unit_test(mpi_is_in_all_but_for_what_is_seldom_wanted),
        cmocka_unit_test(a_name_narrows),
        cmocka_unit_test(a_minus_first_takes_from_everything),
        cmocka_unit_test(what_a_timeline_needs_cannot_be_taken_away),
        cmocka_unit_test(unknown_words_are_named),
        cmocka_unit_test(an_endless_word_fits_the_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
