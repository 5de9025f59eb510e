/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies teams: that only members enter them, and that every instance is complete. Called by order.c and
 * check.c.
 */
#include "src/command/check/state.h"

#include <inttypes.h>

static const char TOPIC[] = "team";

static void go_inside(struct omptape_check *check, struct check_location *location, struct check_team *team,
                      uint32_t instance)
{
    struct check_inside *inside = replay_push(&location->teams, sizeof(*inside), team->comm, 0);
    if (inside == NULL) {
        check->no_memory = true;
        return;
    }
    inside->team = team;
    inside->instance = instance;
    inside->outer_task = location->task;
    location->task = NULL;
}

/* Of this instance: `item` is the begin of the one that forked it. */
static void compare_with_fork(struct omptape_check *check, const struct check_team *team,
                              const struct check_item *item)
{
    const struct check_location *first = team->first_location;
    bool before = team->first_time < item->forked || (team->first_time == item->forked &&
                                                      first->definition->id < item->location->definition->id);
    if (check->promised && !check->gaps && first != item->location && before)
        omptape_check_report_item(
            check, TOPIC, item,
            "expected no member to begin before the ThreadFork at %" PRIu64 ", found %.100s at %" PRIu64,
            item->forked, omptape_check_label(check, OMPTAPE_DEF_LOCATION, first->definition->id).text,
            team->first_time);
}

void omptape_check_team_begin(struct omptape_check *check, const struct check_item *item)
{
    struct check_team *team = omptape_check_team(check, item);
    if (team == NULL)
        return;
    uint32_t instance = team->begins;
    struct check_member *member = omptape_check_member(check, team, item->location);
    if (member != NULL) {
        instance = ++member->begins;
    } else if (team->usable) {
        omptape_check_report_item(check, TOPIC, item,
                                  "expected a member of %s, found a location that is none",
                                  omptape_check_label(check, OMPTAPE_DEF_COMM, team->comm).text);
    }
    if (instance > team->begins) {
        team->begins = instance;
        team->first_time = item->time;
        team->first_location = item->location;
        check->seen.team_instances++;
    }
    if (item->forked != UINT64_MAX && instance == team->begins)
        compare_with_fork(check, team, item);
    go_inside(check, item->location, team, instance);
}

static void go_outside(struct omptape_check *check, const struct check_item *item)
{
    struct check_location *location = item->location;
    const struct check_inside inside = *omptape_check_inside(location, --location->teams.depth);
    if (location->task != NULL) {
        if (!check->ended_early && !check->gaps) {
            omptape_check_report_item(
                check, "task", item,
                "expected the location's implicit task, found the task of thread %" PRIu32
                " with generation %" PRIu32 " still running",
                location->task->thread, location->task->generation);
        }
        omptape_check_task_off(location->task);
    }
    location->task = inside.outer_task;
    struct check_member *member = omptape_check_member(check, inside.team, location);
    if (member != NULL)
        member->ends++;
    omptape_check_instance_left(check, inside.team, inside.instance);
}

void omptape_check_team_end(struct omptape_check *check, const struct check_item *item)
{
    /* A wrong order was reported as wrong nesting: here the state only has to stay sound. */
    const struct check_location *location = item->location;
    const uint32_t depth = replay_depth_of(&location->teams, sizeof(struct check_inside), item->ref);
    while (depth > 0 && location->teams.depth >= depth)
        go_outside(check, item);
}

void omptape_check_teams_end(struct omptape_check *check)
{
    for (size_t i = 0; i < check->reader->definition_count && !omptape_check_stopped(check); i++) {
        const struct omptape_definition *comm = check->reader->definitions[i];
        const struct check_team *team =
            comm->kind == OMPTAPE_DEF_COMM ? omptape_pairs_get(&check->teams, 0, comm->id) : NULL;
        if (team == NULL || !team->usable || check->gaps)
            continue;
        for (uint32_t j = 0; j < team->member_count; j++) {
            const struct check_member *member = &team->members[j];
            if (member->begins != team->begins) {
                omptape_check_report(check, TOPIC,
                                     "%s: expected every member to begin it as often as the others, %" PRIu32
                                     " times, found %" PRIu32 " at %s",
                                     omptape_check_label(check, OMPTAPE_DEF_COMM, team->comm).text,
                                     team->begins, member->begins,
                                     omptape_check_label(check, OMPTAPE_DEF_LOCATION, member->location).text);
            }
        }
    }
}
