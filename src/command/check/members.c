/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies the comms of teams, and tells who their members are. Called by teams.c, tasks.c and locks.c.
 */
#include "src/command/check/state.h"

#include <inttypes.h>

static const char TOPIC[] = "team";

/* The OpenMP group of a comm, or NULL with the reason reported. */
static const struct omptape_definition *group_of_team(struct omptape_check *check,
                                                      const struct check_item *item)
{
    struct check_label label = omptape_check_label(check, OMPTAPE_DEF_COMM, item->ref);
    const struct omptape_definition *comm = omptape_reader_find(check->reader, OMPTAPE_DEF_COMM, item->ref);
    const struct omptape_definition *group =
        comm == NULL || comm->value[0] == 1
            ? NULL
            : omptape_reader_find(check->reader, OMPTAPE_DEF_GROUP, comm->refs[1].id);
    if (group == NULL) {
        omptape_check_report_at(check, TOPIC, item->location, item->number, item->time,
                                "%s: expected a comm with a group, found none", label.text);
    } else if (group->value[0] != OTF2_GROUP_TYPE_COMM_GROUP || group->value[1] != OTF2_PARADIGM_OPENMP) {
        omptape_check_report_at(
            check, TOPIC, item->location, item->number, item->time,
            "%s: expected a group of type COMM_GROUP and paradigm OPENMP, found type %" PRIu64
            " and paradigm %" PRIu64,
            label.text, group->value[0], group->value[1]);
        group = NULL;
    }
    return group;
}

static void add_members(struct omptape_check *check, struct check_team *team,
                        const struct omptape_definition *group)
{
    const struct omptape_definition *locations =
        omptape_reader_comm_locations(check->reader, group->value[1]);
    bool global = (group->value[2] & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
    if (locations == NULL)
        return; /* reported with the definitions */
    team->members = omptape_arena_take(&check->arena, group->member_count * sizeof(*team->members));
    if (team->members == NULL) {
        check->no_memory = true;
        return;
    }
    team->size = global ? locations->member_count : group->member_count;
    for (uint32_t i = 0; i < group->member_count; i++) {
        if (group->members[i] >= locations->member_count)
            return;
        struct check_member *member = &team->members[i];
        member->location = locations->members[group->members[i]];
        member->rank = global ? (uint32_t)group->members[i] : i;
        if (omptape_pairs_put(&check->members, team->comm, member->location, member) != 0) {
            check->no_memory = true;
            return;
        }
        team->member_count++;
    }
    team->usable = true;
}

struct check_team *omptape_check_team(struct omptape_check *check, const struct check_item *item)
{
    struct check_team *team = omptape_pairs_get(&check->teams, 0, item->ref);
    if (team != NULL)
        return team;
    team = omptape_check_obtain(check, &check->teams, 0, item->ref, sizeof(*team));
    if (team == NULL)
        return NULL;
    team->comm = item->ref;
    const struct omptape_definition *group = group_of_team(check, item);
    if (group != NULL)
        add_members(check, team, group);
    return check->no_memory ? NULL : team;
}

struct check_member *omptape_check_member(const struct omptape_check *check, const struct check_team *team,
                                          const struct check_location *location)
{
    return omptape_pairs_get(&check->members, team->comm, location->definition->id);
}

bool omptape_check_share_team(const struct omptape_check *check, const struct check_location *one,
                              const struct check_location *other)
{
    for (uint32_t i = 0; i < one->teams.depth; i++)
        if (omptape_check_member(check, omptape_check_inside(one, i)->team, other) != NULL)
            return true;
    for (uint32_t i = 0; i < other->teams.depth; i++)
        if (omptape_check_member(check, omptape_check_inside(other, i)->team, one) != NULL)
            return true;
    return false;
}
