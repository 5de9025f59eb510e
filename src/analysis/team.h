/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Instances of teams: members, barriers, and time in which members stalled.
 *
 * A phase is what a member does between two barriers of its team. When all members have left a barrier, the
 * waiting members are compared with the last one (barriers.c). The waiting is charged to what that member did
 * more than the others: a cause (causes.h). src/replay/teams.h assigns events to instances.
 */
#pragma once

#include "src/analysis/shares.h"
#include "src/replay/teams.h"

struct analysis_state;
struct analysis_location;
struct analysis_region;
struct analysis_task_site;
struct analysis_loop;

/* A member at one barrier. */
struct analysis_arrival {
    bool has_arrived;
    bool has_left;
    uint64_t since; /* time when it left the previous barrier, or began */
    uint64_t begin;
    uint64_t end;
    uint64_t records;              /* of the member between `since` and `end` */
    uint64_t idle;                 /* ticks without a task until the barrier opened */
    bool stalled;                  /* the member stalled at the barrier */
    struct analysis_shares shares; /* of the previous phase */
    uint64_t did;                  /* sum of `shares` without stalls */
    uint64_t stood;                /* sum of the stalls (ANALYSIS_ACTIVITY_STALL) */
};
struct analysis_barrier {
    struct analysis_region *region;
    uint32_t arrived;
    uint32_t left;
    struct analysis_arrival *arrivals; /* one per member */
};

struct analysis_member {
    struct analysis_location *location;
    uint32_t barriers;             /* number of barriers it has reached */
    uint64_t left;                 /* time when it left the last one, or began */
    uint64_t left_records;         /* its location's records until then */
    struct analysis_shares shares; /* of the current phase */
    uint64_t stalled;
    uint64_t longest_chain; /* of tasks that its implicit task created (chain.h) */
    uint64_t chain_floor; /* least length of the chain until a creation: a wait for those tasks ended there */
};

/* Time in which at least one member of a team stalled. The end of a stall is known at its begin. */
struct analysis_stalls {
    uint64_t sum;
    uint64_t until;
};

/* The iteration of a doacross loop that was completed last (ordered depend(source)). */
struct analysis_turn {
    const struct analysis_location *by; /* NULL: none yet */
    uint64_t iteration;
    uint64_t time;
};

/* One instance of a team. */
struct analysis_team {
    struct replay_team replay;
    uint64_t instance; /* number among the instances of all communicators */
    struct analysis_team *outer;
    uint64_t threads;               /* its size multiplied by those of the enclosing teams */
    struct analysis_region *region; /* parallel, teams; NULL: not known yet */
    bool is_reserve;                /* threads that the runtime keeps in reserve */
    uint32_t asked;                 /* requested threads; 0: unknown */
    uint64_t denied;                /* nested teams that got fewer threads than requested */
    uint64_t within;                /* product of the nested teams' sizes, maximum */
    uint64_t attributed_wall; /* `attributed_wall` and `concurrent_time`: the process's at the begin, later
                                 the team's own */
    uint64_t concurrent_time;
    uint64_t fork;
    uint64_t first_begin;  /* first begin of a member */
    uint64_t fork_stalled; /* stall time of the first thread before it began */
    uint64_t fork_records; /* records of the forking thread until the fork */
    uint64_t records;      /* records of the forking thread from the fork to the end */
    struct analysis_stalls stalls;
    uint64_t useful; /* thread time of all members' work, without nested teams */
    /* Number of intervals in `useful`; each contains the cost of one record. */
    uint64_t useful_records;
    struct analysis_barrier barriers[2]; /* a member may be one barrier ahead of another */
    struct analysis_member *members;
    /* Its explicit tasks. */
    uint64_t created;
    int64_t queued;      /* created or suspended, and not running */
    int64_t running;     /* in execution, or waiting for others */
    uint64_t queue_time; /* time in which some were queued */
    uint64_t alone_time; /* time in which none were queued but some ran, until counted_until */
    uint64_t counted_until;
    uint64_t task_work;                     /* thread time of all of them */
    uint64_t longest_chain;                 /* of them (chain.h) */
    uint64_t chain_floor;                   /* as a member's, after a barrier */
    struct analysis_task_site *last_site;   /* site of the task that began last */
    struct analysis_task_site *left_site;   /* site of the task that ended last */
    uint64_t left_begin;                    /* begin of that task */
    uint64_t left_work;                     /* work of that task */
    struct analysis_location *left_by;      /* thread that executed that task */
    struct analysis_region *last_barrier;   /* last barrier that all members have left */
    struct analysis_region *last_construct; /* to which that barrier belongs; or the barrier */
    bool left_inside;                       /* they left it within the analysed range */
    struct analysis_location *last;         /* the last member at the newest barrier; NULL: unknown */
    struct analysis_turn turn;
    const struct analysis_loop *taken; /* loop whose chunk was taken last */
    uint64_t taken_at;                 /* time when it was taken */
};

/* Implemented in teams.c: */
void omptape_analysis_fork(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                           uint64_t asked);
void omptape_analysis_join(struct analysis_state *state, struct analysis_location *location, uint64_t time);
void omptape_analysis_team_begin(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time, uint64_t comm);
void omptape_analysis_team_end(struct analysis_state *state, struct analysis_location *location,
                               uint64_t time);
/* Called when the thread enters the region of its newest team, and after it has entered. */
void omptape_analysis_team_named(struct analysis_location *location, const struct analysis_region *region);
void omptape_analysis_team_region(struct analysis_state *state, struct analysis_location *location,
                                  struct analysis_region *region);

void omptape_analysis_teams_free(struct analysis_state *state);

/* Returns the time within which members of a team arrive if they have equal work. It is twice the time in
 * which teams of this size begin, at least 2 us. All members must have begun. */
uint64_t omptape_analysis_arrival_spread(const struct analysis_state *state,
                                         const struct analysis_team *team);

/* Implemented in barriers.c: */
void omptape_analysis_barrier_enter(struct analysis_location *location, uint64_t time,
                                    struct analysis_region *region);
void omptape_analysis_barrier_leave(struct analysis_state *state, struct analysis_location *location,
                                    uint64_t time);
/* Discards the arrivals of a barrier that some members did not reach. */
void omptape_analysis_barrier_reset(struct analysis_team *team, struct analysis_barrier *barrier);

/* The thread stalls until `until`, because the buffers are full. The caller has booked its time. */
void omptape_analysis_stall(struct analysis_location *location, uint64_t time, uint64_t until);
/* Returns the ticks until `time` in which at least one member stalled. */
static inline uint64_t omptape_analysis_stalled_at(const struct analysis_team *team, uint64_t time)
{
    if (team->stalls.sum == 0)
        return 0;
    uint64_t ahead = team->stalls.until > time ? team->stalls.until - time : 0;
    return team->stalls.sum > ahead ? team->stalls.sum - ahead : 0;
}
