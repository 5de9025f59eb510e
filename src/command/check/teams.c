/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies teams: only members enter them, and every member takes part in each instance.
 */
#include "src/command/check/state.h"

#include <inttypes.h>

static const char TOPIC[] = "team";

/* Returns the OpenMP group of a comm, or NULL after reporting a violation. */
static const struct omptape_definition *group_of_team(struct check *check,
                                                      const struct check_deferred_event *item)
{
    struct check_label label = check_label(check, OMPTAPE_DEF_COMM, item->ref);
    const struct omptape_definition *comm = omptape_reader_find(check->reader, OMPTAPE_DEF_COMM, item->ref);
    const struct omptape_definition *group =
        comm == NULL || comm->value[0] == 1
            ? NULL
            : omptape_reader_find(check->reader, OMPTAPE_DEF_GROUP, comm->refs[1].id);
    if (group == NULL) {
        check_report(check, TOPIC, "%s: expected a comm with a group, found none", label.text);
    } else if (group->value[0] != OTF2_GROUP_TYPE_COMM_GROUP || group->value[1] != OTF2_PARADIGM_OPENMP) {
        check_report(check, TOPIC,
                     "%s: expected a group of type COMM_GROUP and paradigm OPENMP, found type %" PRIu64
                     " and paradigm %" PRIu64,
                     label.text, group->value[0], group->value[1]);
        group = NULL;
    }
    return group;
}

static void add_members(struct check *check, struct check_team *team, const struct omptape_definition *group)
{
    const struct omptape_definition *locations =
        omptape_reader_comm_locations(check->reader, group->value[1]);
    bool global = (group->value[2] & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
    if (locations == NULL)
        return; /* reported by definitions.c */
    team->members = omptape_arena_alloc(&check->arena, group->member_count * sizeof(*team->members));
    if (team->members == NULL)
        return;
    team->size = global ? locations->member_count : group->member_count;
    for (uint32_t i = 0; i < group->member_count; i++) {
        if (group->members[i] >= locations->member_count)
            return;
        struct check_member *member = &team->members[i];
        member->location = locations->members[group->members[i]];
        member->rank = global ? (uint32_t)group->members[i] : i;
        if (omptape_pairs_put(&check->members, team->comm, member->location, member) != 0)
            return;
        team->member_count++;
    }
    team->usable = true;
}

struct check_team *check_team(struct check *check, const struct check_deferred_event *item)
{
    struct check_team *team = omptape_pairs_get(&check->teams, 0, item->ref);
    if (team != NULL)
        return team;
    team = omptape_pairs_obtain(&check->teams, &check->arena, 0, item->ref, sizeof(*team));
    if (team == NULL)
        return NULL;
    team->comm = item->ref;
    const struct omptape_definition *group = group_of_team(check, item);
    if (group != NULL)
        add_members(check, team, group);
    return omptape_out_of_memory ? NULL : team;
}

struct check_member *check_member(const struct check *check, const struct check_team *team,
                                  const struct check_location *location)
{
    return omptape_pairs_get(&check->members, team->comm, location->definition->id);
}

bool check_in_same_team(const struct check *check, const struct check_location *one,
                        const struct check_location *other)
{
    for (uint32_t i = 0; i < one->teams.depth; i++)
        if (check_member(check, check_membership(one, i)->team, other) != NULL)
            return true;
    for (uint32_t i = 0; i < other->teams.depth; i++)
        if (check_member(check, check_membership(other, i)->team, one) != NULL)
            return true;
    return false;
}

static void enter_team(struct check_location *location, struct check_team *team, uint32_t instance)
{
    struct check_membership *membership = replay_push(&location->teams, sizeof(*membership), team->comm, 0);
    if (membership == NULL)
        return;
    membership->team = team;
    membership->instance = instance;
    membership->outer_task = location->task;
    location->task = NULL;
}

/* Checks that no member began the instance before its fork. `item`: the team's begin at the fork. */
static void compare_with_fork(struct check *check, const struct check_team *team,
                              const struct check_deferred_event *item)
{
    const struct check_location *first = team->first_location;
    bool before =
        team->first_time < item->forked ||
        (team->first_time == item->forked && first->definition->id < item->at.location->definition->id);
    if (check->is_own_archive && !check->gaps && first != item->at.location && before)
        check_report(check, TOPIC,
                     "expected no member to begin before the ThreadFork at %" PRIu64
                     ", found %.100s at %" PRIu64,
                     item->forked, check_label(check, OMPTAPE_DEF_LOCATION, first->definition->id).text,
                     team->first_time);
}

void check_team_begin(struct check *check, const struct check_deferred_event *item)
{
    struct check_team *team = check_team(check, item);
    if (team == NULL)
        return;
    uint32_t instance = team->begins;
    struct check_member *member = check_member(check, team, item->at.location);
    if (member != NULL) {
        instance = ++member->begins;
    } else if (team->usable) {
        check_report(check, TOPIC, "expected a member of %s, found a location that is none",
                     check_label(check, OMPTAPE_DEF_COMM, team->comm).text);
    }
    if (instance > team->begins) {
        team->begins = instance;
        team->first_time = item->at.time;
        team->first_location = item->at.location;
        check->seen.team_instances++;
    }
    if (item->forked != UINT64_MAX && instance == team->begins && team->first_location != NULL)
        compare_with_fork(check, team, item);
    enter_team(item->at.location, team, instance);
}

static void leave_team(struct check *check, const struct check_deferred_event *item)
{
    struct check_location *location = item->at.location;
    const struct check_membership membership = *check_membership(location, --location->teams.depth);
    if (location->task != NULL) {
        if (!check->ended_early && !check->gaps) {
            check_report(check, "task",
                         "expected the location's implicit task, found the task of thread %" PRIu32
                         " with generation %" PRIu32 " still running",
                         location->task->thread, location->task->generation);
        }
        check_task_detach(location->task);
    }
    location->task = membership.outer_task;
    struct check_member *member = check_member(check, membership.team, location);
    if (member != NULL)
        member->ends++;
    check_instance_left(check, membership.team, membership.instance);
}

void check_team_end(struct check *check, const struct check_deferred_event *item)
{
    /* nesting.c has reported a wrong order; the state only has to remain consistent here. */
    const struct check_location *location = item->at.location;
    const uint32_t depth = replay_depth_of(&location->teams, sizeof(struct check_membership), item->ref);
    while (depth > 0 && location->teams.depth >= depth)
        leave_team(check, item);
}

void check_teams_end(struct check *check)
{
    for (size_t i = 0; i < check->reader->definition_count && !check_stopped(check); i++) {
        const struct omptape_definition *comm = check->reader->definitions[i];
        const struct check_team *team =
            comm->kind == OMPTAPE_DEF_COMM ? omptape_pairs_get(&check->teams, 0, comm->id) : NULL;
        if (team == NULL || !team->usable || check->gaps)
            continue;
        for (uint32_t j = 0; j < team->member_count; j++) {
            const struct check_member *member = &team->members[j];
            if (member->begins != team->begins) {
                check_report(check, TOPIC,
                             "%s: expected every member to begin it as often as the others, %" PRIu32
                             " times, found %" PRIu32 " at %s",
                             check_label(check, OMPTAPE_DEF_COMM, team->comm).text, team->begins,
                             member->begins, check_label(check, OMPTAPE_DEF_LOCATION, member->location).text);
            }
        }
    }
}
