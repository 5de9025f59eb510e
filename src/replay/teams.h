/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the instances of teams. A communicator describes the members of a team; each member begins and ends
 * every instance once. The n-th begin of each member therefore belongs to the n-th instance, independent of
 * time. An observer attaches data to an instance by a struct that begins with replay_team. One thread.
 */
#pragma once

#include "src/archive/read/reader.h"

struct replay_comm {
    const struct omptape_definition *definition;
    uint32_t size;       /* number of members; 0: unknown */
    uint64_t *locations; /* ids of the members' locations, by thread number */
    struct replay_team *live;
    struct replay_team *free;
};

/* One instance of a team. */
struct replay_team {
    struct replay_comm *comm;
    struct replay_team *next; /* next instance in the communicator's list of live or free instances */
    uint64_t number;          /* consecutive number within the communicator */
    uint32_t began;           /* number of members that have begun the instance */
    uint32_t ended;           /* number of members that have ended it */
};

/* Initialised with zeros except `reader` and `team_bytes`. */
struct replay_teams {
    const struct omptape_reader *reader;
    size_t team_bytes;           /* size of the observer's struct */
    struct omptape_pairs comms;  /* (0, id) -> replay_comm */
    struct omptape_pairs places; /* (comm, location) -> replay_place */
    struct omptape_arena arena;
};

/* The location begins its next instance; *index receives its thread number. The observer's part of a new
 * instance is zero, or unchanged since the instance was released. Returns NULL if the location is not a
 * member, or memory is exhausted. */
struct replay_team *replay_begin_team(struct replay_teams *teams, uint64_t comm, uint64_t location,
                                      uint32_t *index);

/* The location ends its oldest open instance. Returns NULL if it is not a member or has no open instance. */
struct replay_team *replay_end_team(struct replay_teams *teams, uint64_t comm, uint64_t location);

/* Releases an instance that all members have ended, for reuse. */
void replay_release_team(struct replay_team *team);

void replay_free_teams(struct replay_teams *teams);
