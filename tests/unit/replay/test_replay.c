/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Unit tests of the open regions of a location, and of the begins of members that are one instance of a team.
 */
#include "src/replay/replay.h"
#include "src/replay/teams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct frame {
    struct replay_frame replay;
    uint64_t events; /* before it on its location */
};

struct location {
    struct replay_location replay;
    uint64_t events;
    char said[200]; /* "+1" region 1 began, "-1@7" it ended at time 7, "*" it is open below, too */
};

static void say(struct location *location, const char *text)
{
    strncat(location->said, text, sizeof(location->said) - strlen(location->said) - 1);
}

static void on_enter(void *data, struct replay_location *replay, struct replay_frame *frame,
                     const struct omptape_event *event)
{
    char text[40];
    struct location *location = (struct location *)replay;
    assert_ptr_equal(data, location);
    assert_int_equal(event->refs[0].id, frame->region);
    assert_ptr_equal(replay_top(replay, sizeof(struct frame)), frame);
    ((struct frame *)frame)->events = location->events;
    snprintf(text, sizeof(text), "+%d ", (int)frame->region);
    say(location, text);
}

static void on_leave(void *data, struct replay_location *replay, struct replay_frame *frame, uint64_t time)
{
    char text[40];
    assert_ptr_equal(data, replay);
    snprintf(text, sizeof(text), "-%d@%d%s ", (int)frame->region, (int)time,
             replay_outer(replay, frame, sizeof(struct frame)) != NULL ? "*" : "");
    say((struct location *)replay, text);
}

static const struct replay_observer observer = {
    .frame_bytes = sizeof(struct frame), .enter = on_enter, .leave = on_leave};

static void follow(struct location *location, enum omptape_event_kind kind, uint64_t region, uint64_t time)
{
    const struct omptape_event event = {
        .kind = kind, .ref_count = 1, .refs = {{.kind = OMPTAPE_DEF_REGION, .id = region}}, .time = time};
    location->events++;
    assert_true(replay_follow(&observer, location, &location->replay, &event, time));
}

static void test_a_leave_ends_what_is_open_in_its_region(void **state)
{
    (void)state;
    struct location location = {.events = 0};
    follow(&location, OMPTAPE_EVENT_LEAVE, 1, 1); /* it is not open */
    follow(&location, OMPTAPE_EVENT_ENTER, 1, 2);
    follow(&location, OMPTAPE_EVENT_ENTER, 2, 3);
    follow(&location, OMPTAPE_EVENT_METRIC, 2, 4);
    follow(&location, OMPTAPE_EVENT_ENTER, 1, 5);
    follow(&location, OMPTAPE_EVENT_LEAVE, 3, 6); /* it is not open */
    follow(&location, OMPTAPE_EVENT_LEAVE, 1, 7); /* the innermost visit */
    follow(&location, OMPTAPE_EVENT_ENTER, 4, 8);
    follow(&location, OMPTAPE_EVENT_LEAVE, 2, 9);
    assert_int_equal(location.replay.depth, 1);
    assert_int_equal(((struct frame *)replay_top(&location.replay, sizeof(struct frame)))->events, 2);
    follow(&location, OMPTAPE_EVENT_ENTER, 5, 10);
    replay_end(&observer, &location, &location.replay, 11);
    assert_string_equal(location.said, "+1 +2 +1 -1@7* +4 -4@9 -2@9 +5 -5@11 -1@11 ");
    replay_free(&location.replay);
}

static void test_many_regions_are_open(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    struct location location = {.events = 0};
    for (uint64_t i = 0; i < MANY; i++)
        follow(&location, OMPTAPE_EVENT_ENTER, i, i);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(((struct frame *)replay_frame_at(&location.replay, i, sizeof(struct frame)))->events,
                         i + 1);
    follow(&location, OMPTAPE_EVENT_LEAVE, 0, MANY);
    assert_int_equal(location.replay.depth, 0);
    replay_free(&location.replay);
}

/* A definition with so many references in the reader's table. */
static struct omptape_definition *define(struct omptape_reader *reader, enum omptape_definition_kind kind,
                                         uint64_t id)
{
    struct omptape_definition *definition =
        omptape_arena_alloc(&reader->arena, sizeof(*definition) + 4 * sizeof(struct omptape_reference));
    definition->kind = kind;
    definition->id = id;
    assert_int_equal(omptape_pairs_put(&reader->table, kind, id, definition), 0);
    return definition;
}

static void test_the_nth_begin_of_each_member_is_one_instance(void **state)
{
    (void)state;
    static const uint64_t locations[] = {70, 80, 90};
    static const uint64_t members[] = {2, 0};
    struct omptape_reader reader = {.otf2 = NULL};
    struct replay_teams teams = {.reader = &reader, .team_bytes = sizeof(struct replay_team)};
    struct omptape_definition *all = define(&reader, OMPTAPE_DEF_GROUP, 1);
    all->members = locations;
    all->member_count = 3;
    assert_int_equal(omptape_pairs_put(&reader.location_lists, 0, OTF2_PARADIGM_OPENMP, all), 0);
    struct omptape_definition *group = define(&reader, OMPTAPE_DEF_GROUP, 2);
    group->value[1] = OTF2_PARADIGM_OPENMP;
    group->members = members;
    group->member_count = 2;
    define(&reader, OMPTAPE_DEF_COMM, 5)->refs[1].id = 2;

    uint32_t index = 9;
    struct replay_team *first = replay_begin_team(&teams, 5, 90, &index);
    assert_non_null(first);
    assert_int_equal(index, 0);
    assert_int_equal(first->comm->size, 2);
    struct replay_team *second = replay_begin_team(&teams, 5, 90, &index); /* the other one is late */
    assert_ptr_not_equal(second, first);
    assert_ptr_equal(replay_begin_team(&teams, 5, 70, &index), first);
    assert_int_equal(index, 1);
    assert_null(replay_begin_team(&teams, 5, 80, &index)); /* no member */
    assert_null(replay_begin_team(&teams, 6, 90, &index)); /* not defined */
    assert_ptr_equal(replay_end_team(&teams, 5, 90), first);
    assert_ptr_equal(replay_end_team(&teams, 5, 70), first);
    assert_null(replay_end_team(&teams, 5, 70)); /* it has begun no other one */
    replay_release_team(first);
    assert_ptr_equal(replay_begin_team(&teams, 5, 70, &index), second);
    assert_ptr_equal(replay_begin_team(&teams, 5, 70, &index), first); /* used again, as the third */
    assert_int_equal(first->number, 3);
    assert_false(omptape_out_of_memory);
    replay_free_teams(&teams);
    omptape_pairs_free(&reader.table);
    omptape_pairs_free(&reader.location_lists);
    omptape_arena_free(&reader.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_leave_ends_what_is_open_in_its_region),
        cmocka_unit_test(test_many_regions_are_open),
        cmocka_unit_test(test_the_nth_begin_of_each_member_is_one_instance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
