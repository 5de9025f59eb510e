/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators that are teams, and the instances of these. Every member begins and ends each instance of its
 * communicator once. So the nth begin of each member belongs to the nth instance, however far apart the
 * begins are. What an observer keeps of an instance is attached to it: its struct begins with struct
 * replay_team. One thread.
 */
#ifndef OMPTAPE_REPLAY_TEAMS_H
#define OMPTAPE_REPLAY_TEAMS_H

#include "src/archive/read/reader.h"

struct replay_comm {
    const struct omptape_definition *definition;
    uint32_t size;       /* members; 0: they are not known */
    uint64_t *locations; /* their ids, by thread number */
    struct replay_team *live;
    struct replay_team *free;
};

/* One instance. */
struct replay_team {
    struct replay_comm *comm;
    struct replay_team *next; /* of the same communicator, live or free */
    uint64_t number;          /* of the instance, among the communicator's */
    uint32_t began;           /* members that have begun it, */
    uint32_t ended;           /* ...and ended it */
};

/* All zeros but `reader` and `team_bytes` at first. */
struct replay_teams {
    const struct omptape_reader *reader;
    size_t team_bytes;           /* of the observer's struct */
    struct omptape_pairs comms;  /* (0, id) -> replay_comm */
    struct omptape_pairs places; /* (comm, location) -> replay_place */
    struct omptape_arena arena;
    bool no_memory;
};

/* NULL: it is not defined, or no memory. */
struct replay_comm *replay_find_comm(struct replay_teams *teams, uint64_t id);

/* The location begins its next instance, as the member `index`. An instance that is new is all zeros behind
 * struct replay_team, or as the observer has left it when it was given back. NULL: it is no member, or no
 * memory. */
struct replay_team *replay_begin_team(struct replay_teams *teams, uint64_t comm, uint64_t location,
                                      uint32_t *index);

/* The location ends its next instance. NULL: it is no member, or has begun none. */
struct replay_team *replay_end_team(struct replay_teams *teams, uint64_t comm, uint64_t location);

/* All members have ended the instance: it can be used for another one. */
void replay_release_team(struct replay_team *team);

void replay_free_teams(struct replay_teams *teams);

#endif
