/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Teams: instances of parallel and teams regions, who belongs to them, and the OTF2 communicators of those
 * that are alike.
 */
#pragma once

#include "src/core/store.h"
#include "writers/regions/regions.h"
#include "writers/state/writer.h"
#include "writers/translate/identities.h"

/* A thread number of a team. */
struct omptape_member {
    struct omptape_location *location; /* NULL: it never came */
    uint32_t position;                 /* in the communicator's group */
    uint32_t generation;               /* tasks that it created */
    bool begun;                        /* its implicit task did */
    struct omptape_task_creator tasks; /* of these */
};

/* One instance of a parallel or teams region. */
struct omptape_team {
    uint64_t id;
    uint64_t serial; /* 1 for the first: a team that is gone is not taken for one that has its memory */
    uint64_t site;
    uint32_t requested;
    bool league;
    bool alone; /* one initial task's of a league: nobody else comes, whatever the runtime says */
    bool
        spare; /* of threads that the runtime keeps for later: what they do not spend in tasks is idle time */
    bool written; /* its ThreadFork is in the archive */
    bool hidden;  /* nothing of it is shown, nor what its members do in it */
    bool formed;  /* members and comm are known */
    bool ended;   /* its parallel_end was seen */
    bool cut_off; /* that end was not the program's: it was over */
    /* the primary's: later ends of other members are clipped to these */
    uint64_t barrier_end;
    uint64_t end;
    struct omptape_moment forked;
    struct omptape_location *primary;
    struct omptape_team *parent;
    struct omptape_team *outer_fork; /* of the primary's */
    uint32_t fork_depth;             /* frames on the primary's stack when it forked, */
    uint32_t fork_regions;           /* and regions */
    bool gap;      /* records were dropped between the fork and the primary's implicit task, or behind that */
    uint32_t size; /* actual parallelism, once formed */
    uint32_t present;  /* members inside: the team may go when the last has left and it has ended */
    uint32_t children; /* teams whose parent this is */
    struct omptape_member *members;  /* by thread number */
    uint32_t capacity;               /* of members */
    struct omptape_team *next_spare; /* once it is over */
    OTF2_CommRef comm;
    OTF2_RegionRef region;       /* that its members are in; 0: not looked up yet */
    uint32_t instance;           /* its number among those with several paths, + 1; 0: it has none */
    uint32_t encounter;          /* its number (regions/contexts.h) + 1; 0: not looked up yet */
    OTF2_CallingContextRef path; /* on which a sample saw it forked, + 1; 0: none did */
};

struct omptape_teams {
    struct omptape_identities *by_id;
    struct omptape_team *spare;
    uint64_t last;   /* serial */
    uint64_t *words; /* for forming one */
    uint32_t word_capacity;
    struct omptape_rows formed; /* distinct ones, by their communicator: parent, members */
    OTF2_CommRef formed_last;   /* of these */
};

/* Sets up writer->teams. 0 or -ENOMEM. */
int omptape_teams_create(struct omptape_writer *writer);
void omptape_teams_free(struct omptape_writer *writer);

/* The team of a parallel region's identity; NULL if it is not known. */
static inline struct omptape_team *omptape_teams_find(const struct omptape_writer *writer, uint64_t id)
{
    return omptape_identities_find(writer->teams->by_id, id);
}

/* A new team. `primary` may be NULL where its parallel_begin was lost. NULL: out of memory, or there is one
 * of this identity. */
struct omptape_team *omptape_teams_add(struct omptape_writer *writer, uint64_t id, uint64_t site,
                                       struct omptape_location *primary);

/* Are the members of the team known that `begin`, an IMPLICIT_BEGIN, belongs to? */
static inline bool omptape_teams_is_formed(const struct omptape_writer *writer,
                                           const struct omptape_record *begin)
{
    const struct omptape_team *team = omptape_teams_find(writer, begin->p[0]);
    return team != NULL && team->formed;
}

/* Where they are not: looks ahead in the threads' streams for them; `slot` is where `begin` came from. True
 * if the team is formed now and the record may be translated; false if some member has not come yet. */
bool omptape_teams_gather(struct omptape_writer *writer, uint32_t slot, const struct omptape_record *begin);

/* Forms a team with its primary alone. False: it is hidden, or out of memory. */
bool omptape_teams_form_alone(struct omptape_writer *writer, struct omptape_team *team);

/* A member came in or went out; the team is freed when nobody needs it any more. */
void omptape_teams_enter(struct omptape_team *team);
void omptape_teams_leave(struct omptape_writer *writer, struct omptape_team *team);
/* Its parallel_end came. */
void omptape_teams_end(struct omptape_writer *writer, struct omptape_team *team, uint64_t time);

/* Decides whether the team is shown. `location`, on which it was forked, may be NULL: not known. */
void omptape_teams_choose(struct omptape_writer *writer, const struct omptape_location *location,
                          struct omptape_team *team, uint64_t time);

/* What region it is an instance of. */
static inline enum omptape_region_kind omptape_teams_region_kind(const struct omptape_team *team)
{
    return team->league ? OMPTAPE_REGION_TEAMS : OMPTAPE_REGION_PARALLEL;
}

/* How many communicators there are. */
uint32_t omptape_teams_comm_count(const struct omptape_writer *writer);

/* A number among the communicators for one of MPI's, which `key` names (communicators.h). */
OTF2_CommRef omptape_teams_reserve_comm(struct omptape_writer *writer, uint32_t key);
/* Is this one of `formed` such a number? */
bool omptape_teams_is_reserved(const struct omptape_row *row);

/* Writes the group of all threads, number 0. */
void omptape_teams_write_list(struct omptape_writer *writer, OTF2_GlobalDefWriter *definitions);

/* Writes communicators, and their groups with the numbers from `first` on. Those that were reserved `other`
 * writes. Returns how many communicators there are. */
typedef void omptape_teams_other(struct omptape_writer *writer, OTF2_GlobalDefWriter *definitions,
                                 uint64_t key, OTF2_GroupRef group);
uint32_t omptape_teams_write(struct omptape_writer *writer, OTF2_GlobalDefWriter *definitions,
                             OTF2_GroupRef first, omptape_teams_other *other);
