/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements teams.h.
 */
#include "src/replay/teams.h"

/* A location's state in a communicator. */
struct replay_place {
    uint32_t index;
    uint64_t begins;
    uint64_t ends;
};

static int add_places(struct replay_teams *teams, struct replay_comm *comm,
                      const struct omptape_definition *group)
{
    const struct omptape_definition *locations =
        omptape_reader_comm_locations(teams->reader, group->value[1]);
    bool global = (group->value[2] & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
    if (locations == NULL || global || group->member_count == 0)
        return 0;
    comm->locations = omptape_arena_alloc(&teams->arena, group->member_count * sizeof(*comm->locations));
    if (comm->locations == NULL)
        return -1;
    for (uint32_t i = 0; i < group->member_count; i++) {
        if (group->members[i] >= locations->member_count)
            return 0;
        comm->locations[i] = locations->members[group->members[i]];
        struct replay_place *place = omptape_pairs_obtain(&teams->places, &teams->arena, comm->definition->id,
                                                          comm->locations[i], sizeof(*place));
        if (place == NULL)
            return -1;
        place->index = i;
    }
    comm->size = group->member_count;
    return 0;
}

/* Returns the communicator; NULL if it is undefined or memory is exhausted. */
static struct replay_comm *find_comm(struct replay_teams *teams, uint64_t id)
{
    struct replay_comm *comm = omptape_pairs_get(&teams->comms, 0, id);
    const struct omptape_definition *definition =
        comm != NULL ? NULL : omptape_reader_find(teams->reader, OMPTAPE_DEF_COMM, id);
    if (definition == NULL)
        return comm;
    const struct omptape_definition *group =
        definition->value[0] == 1
            ? NULL
            : omptape_reader_find(teams->reader, OMPTAPE_DEF_GROUP, definition->refs[1].id);
    comm = omptape_pairs_obtain(&teams->comms, &teams->arena, 0, id, sizeof(*comm));
    if (comm == NULL)
        return NULL;
    comm->definition = definition;
    if (group != NULL)
        (void)add_places(teams, comm, group);
    return comm;
}

static struct replay_team *new_team(struct replay_teams *teams, struct replay_comm *comm)
{
    struct replay_team *team = comm->free;
    if (team != NULL) {
        comm->free = team->next;
        return team;
    }
    team = omptape_arena_alloc(&teams->arena, teams->team_bytes);
    if (team != NULL)
        team->comm = comm;
    return team;
}

static struct replay_team *live_team(const struct replay_comm *comm, uint64_t number)
{
    struct replay_team *team = comm->live;
    while (team != NULL && team->number != number)
        team = team->next;
    return team;
}

static struct replay_team *team_of(struct replay_teams *teams, struct replay_comm *comm, uint64_t number)
{
    struct replay_team *team = live_team(comm, number);
    if (team != NULL)
        return team;
    team = new_team(teams, comm);
    if (team == NULL)
        return NULL;
    team->number = number;
    team->next = comm->live;
    comm->live = team;
    return team;
}

struct replay_team *replay_begin_team(struct replay_teams *teams, uint64_t comm_id, uint64_t location,
                                      uint32_t *index)
{
    struct replay_comm *comm = find_comm(teams, comm_id);
    struct replay_place *place = omptape_pairs_get(&teams->places, comm_id, location);
    if (comm == NULL || place == NULL || place->index >= comm->size)
        return NULL;
    *index = place->index;
    return team_of(teams, comm, ++place->begins);
}

struct replay_team *replay_end_team(struct replay_teams *teams, uint64_t comm_id, uint64_t location)
{
    const struct replay_comm *comm = omptape_pairs_get(&teams->comms, 0, comm_id);
    struct replay_place *place = omptape_pairs_get(&teams->places, comm_id, location);
    return comm != NULL && place != NULL && place->ends < place->begins ? live_team(comm, ++place->ends)
                                                                        : NULL;
}

void replay_release_team(struct replay_team *team)
{
    struct replay_comm *comm = team->comm;
    struct replay_team **at = &comm->live;
    while (*at != NULL && *at != team)
        at = &(*at)->next;
    if (*at == team)
        *at = team->next;
    *team = (struct replay_team){.comm = comm, .next = comm->free};
    comm->free = team;
}

void replay_free_teams(struct replay_teams *teams)
{
    omptape_pairs_free(&teams->comms);
    omptape_pairs_free(&teams->places);
    omptape_arena_free(&teams->arena);
}
