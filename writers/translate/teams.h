/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Teams: instances of parallel and teams regions, their members, and the communicators that equal teams
 * share.
 */
#pragma once

#include "src/core/store.h"
#include "writers/regions/regions.h"
#include "writers/state/writer.h"
#include "writers/translate/identities.h"

/* A member, identified by its thread number. */
struct omptape_member {
    struct omptape_location *location; /* NULL: it never began. */
    uint32_t position;                 /* Position in the communicator's group. */
    uint32_t generation;               /* Number of tasks that it created. */
    bool begun;                        /* True if its implicit task has begun. */
    struct omptape_task_creator tasks; /* Encoded name prefix of these tasks. */
};

/* One instance of a parallel or teams region. */
struct omptape_team {
    uint64_t id;
    uint64_t serial; /* Number of the team, from 1: distinguishes it from earlier teams in the same memory. */
    uint64_t site;
    uint32_t requested;
    bool league;
    /* True for the team of a league's single initial task: no other comes, though a larger size is
     * reported. */
    bool is_singleton;
    bool is_helper; /* True for the runtime's helper threads: their time outside tasks is idle time. */
    bool written;   /* True if its ThreadFork is in the archive. */
    bool hidden;    /* True if neither the team nor regions of its members are shown. */
    bool formed;    /* True if members and comm are known. */
    bool ended;     /* True after its parallel_end. */
    bool cut_off;   /* True if that end is not the program's, but caused by the end of the trace. */
    /* Times at which the primary left; later ends of other members are clipped to these. */
    uint64_t barrier_end;
    uint64_t end;
    struct omptape_moment forked;
    struct omptape_location *primary;
    struct omptape_team *parent;
    struct omptape_team *outer_fork; /* Next outer fork of the primary. */
    uint32_t fork_depth;             /* Frames on the primary's stack at the fork. */
    uint32_t fork_regions;           /* Open regions on the primary's stack at the fork. */
    /* True if records were dropped between the fork and the join, outside the primary's implicit task. */
    bool gap;
    uint32_t size;     /* Actual parallelism, once formed. */
    uint32_t present;  /* Members inside. The team is freed after all have left and it has ended. */
    uint32_t children; /* Number of teams whose parent this is. */
    struct omptape_member *members; /* Indexed by thread number. */
    uint32_t capacity;              /* Capacity of `members`. */
    struct omptape_team *next_free; /* Next unused team, after it has ended. */
    OTF2_CommRef comm;
    OTF2_RegionRef region; /* Region of its members; 0: not looked up yet. */
    uint32_t instance;     /* Number among the teams with several paths, + 1; 0: none. */
    /* Number of its encounter (regions/contexts.h), + 1; 0: not looked up yet. */
    uint32_t encounter;
    OTF2_CallingContextRef path; /* Path on which a sample saw the fork, + 1; 0: no sample did. */
};

struct omptape_teams {
    struct omptape_identities *by_id;
    struct omptape_team *free_list;
    uint64_t last;   /* Serial number of the last team. */
    uint64_t *words; /* Buffer in which a row of `formed` is built. */
    uint32_t word_capacity;
    struct omptape_rows formed; /* Distinct teams, indexed by communicator: parent, members. */
    OTF2_CommRef formed_last;   /* Communicator of the team formed last. */
};

/* Creates writer->teams. Returns 0 or -ENOMEM. */
int omptape_teams_create(struct omptape_writer *writer);
void omptape_teams_free(struct omptape_writer *writer);

/* Returns the team of a parallel region's identity, or NULL if it is unknown. */
static inline struct omptape_team *omptape_teams_find(const struct omptape_writer *writer, uint64_t id)
{
    return omptape_identities_find(writer->teams->by_id, id);
}

/* Adds a team. `primary`: NULL if its parallel_begin was lost. NULL if out of memory or known. */
struct omptape_team *omptape_teams_add(struct omptape_writer *writer, uint64_t id, uint64_t site,
                                       struct omptape_location *primary);

/* Returns true if the members of the team of `begin`, an IMPLICIT_BEGIN, are known. */
static inline bool omptape_teams_is_formed(const struct omptape_writer *writer,
                                           const struct omptape_record *begin)
{
    const struct omptape_team *team = omptape_teams_find(writer, begin->p[0]);
    return team != NULL && team->formed;
}

/* Called if they are not: looks for them in the threads' streams. `slot` is the source of `begin`. Returns
 * true if the team is formed now and the record may be translated. False if some member has not begun yet. */
bool omptape_teams_gather(struct omptape_writer *writer, uint32_t slot, const struct omptape_record *begin);

/* Forms a team with its primary as only member. Returns false if it is hidden or memory is exhausted. */
bool omptape_teams_form_singleton(struct omptape_writer *writer, struct omptape_team *team);

/* Called when a member begins or ends. The team is freed when it is no longer needed. */
void omptape_teams_enter(struct omptape_team *team);
void omptape_teams_leave(struct omptape_writer *writer, struct omptape_team *team);
/* Called at the team's parallel_end. */
void omptape_teams_end(struct omptape_writer *writer, struct omptape_team *team, uint64_t time);

/* Decides whether the team is shown. `location`, which forked it, is NULL if unknown. */
void omptape_teams_decide_visibility(struct omptape_writer *writer, const struct omptape_location *location,
                                     struct omptape_team *team, uint64_t time);

/* Returns the region kind of the team. */
static inline enum omptape_region_kind omptape_teams_region_kind(const struct omptape_team *team)
{
    return team->league ? OMPTAPE_REGION_TEAMS : OMPTAPE_REGION_PARALLEL;
}

/* Returns the number of communicators. */
uint32_t omptape_teams_comm_count(const struct omptape_writer *writer);

/* Returns a communicator number that is no team's. `key` identifies one of MPI's communicators
 * (communicators.h), or all created threads (created_threads.h). */
OTF2_CommRef omptape_teams_reserve_comm(struct omptape_writer *writer, uint32_t key);
/* Returns true if this row of `formed` is reserved. */
bool omptape_teams_is_reserved(const struct omptape_row *row);

/* Writes group 0, the group of all threads. */
void omptape_teams_write_list(struct omptape_writer *writer);

/* Writes the communicators and their groups, which are numbered from `first`. Calls `other` for reserved
 * numbers. Returns the number of communicators. */
typedef void omptape_teams_other(struct omptape_writer *writer, uint64_t key, OTF2_GroupRef group);
uint32_t omptape_teams_write(struct omptape_writer *writer, OTF2_GroupRef first, omptape_teams_other *other);
