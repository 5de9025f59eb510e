/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Instances of teams: their members, the barriers that these come to, and how long some stood still.
 *
 * A phase is what a member does between two barriers of its team. When all members have left a barrier, those
 * who waited are compared with the one who came last (barriers.c). The waiting is charged to what that one
 * did more than the others, which is a cause (causes.h). Which events belong to one instance:
 * src/replay/teams.h.
 */
#pragma once

#include "src/analysis/shares.h"
#include "src/replay/teams.h"

struct analysis_state;
struct analysis_location;
struct analysis_region;
struct analysis_task_site;
struct analysis_loop;

/* One barrier, as it goes by. */
struct analysis_arrival {
    bool here;
    bool gone;
    uint64_t since; /* when it left the barrier before, or began */
    uint64_t begin;
    uint64_t end;
    uint64_t idle; /* neither a task nor one to be had: until the barrier opened, for the last comer */
    bool stalled;  /* while it was there */
    struct analysis_shares shares; /* of the phase before, */
    uint64_t did;                  /* ...and their sum, */
    uint64_t stood;                /* ...but for the time that it stood still (ANALYSIS_WAY_STALL) */
};
struct analysis_barrier {
    struct analysis_region *region;
    uint32_t arrived;
    uint32_t gone;
    struct analysis_arrival *arrivals; /* of each member */
};

struct analysis_member {
    struct analysis_location *location;
    bool began;
    bool ended;
    uint32_t barriers;             /* that it has arrived at */
    uint64_t left;                 /* when it left the last one, or began */
    struct analysis_shares shares; /* of the phase that goes on */
    uint64_t stalled;
};

/* Time in which some member of a team stood still, as far as it is known: the end of such a time is known
 * when it begins. */
struct analysis_stalls {
    uint64_t sum;
    uint64_t until;
};

/* Of a doacross loop: the iteration that was done last (ordered depend(source)). */
struct analysis_turn {
    const struct analysis_location *by; /* NULL: none so far */
    uint64_t iteration;
    uint64_t time;
};

/* One instance of a team. */
struct analysis_team {
    struct replay_team replay;
    uint64_t instance; /* its number among those of all communicators */
    struct analysis_team *outer;
    uint64_t threads;               /* its size and those of the teams around it, multiplied */
    struct analysis_region *region; /* parallel, teams; NULL: not known yet */
    bool spare;                     /* threads that the runtime keeps for later */
    uint32_t asked;                 /* threads; 0: not known */
    uint64_t denied;                /* teams within that got fewer than they asked for */
    uint64_t within;                /* threads of those within, multiplied, at most */
    uint64_t apart;                 /* the process's sums when it began, then its own (analysis_parallel) */
    uint64_t crowd;
    uint64_t fork;
    uint64_t first_begin;  /* of a member */
    uint64_t fork_stalled; /* the first thread stood still before it began */
    uint64_t fork_records; /* of the thread that forked it, until then, */
    uint64_t records;      /* ...and from then on to its end */
    struct analysis_stalls stalls;
    uint64_t useful;                     /* thread time computing, of all members, nested teams left out, */
    uint64_t useful_records;             /* ...and the stretches of it: each has one record's cost in it */
    struct analysis_barrier barriers[2]; /* a member may be one ahead of another */
    struct analysis_member *members;
    /* Its explicit tasks. */
    uint64_t created;
    int64_t queued;      /* created or suspended, and not running */
    int64_t running;     /* in execution, or waiting for others */
    uint64_t queue_time; /* how long some were queued, */
    uint64_t alone_time; /* ...none were but some ran; both until: */
    uint64_t counted_until;
    struct analysis_task_site *last_site; /* whose task began last */
    struct analysis_task_site *left_site; /* whose task ended last, */
    uint64_t left_begin;                  /* ...when it had begun, */
    uint64_t left_work;                   /* ...for how long it was at work, */
    struct analysis_location *left_by;    /* ...and who executed it */
    struct analysis_region *last_barrier; /* that all have left, */
    bool left_inside;                     /* ...within what is looked at */
    struct analysis_location *last;       /* who came last to the newest barrier; NULL: not known */
    struct analysis_turn turn;
    const struct analysis_loop *taken; /* the last chunk was one of this loop, taken */
    uint64_t taken_at;                 /* ...at this time */
};

/* teams.c */
void omptape_analysis_fork(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                           uint64_t asked);
void omptape_analysis_join(struct analysis_state *state, struct analysis_location *location, uint64_t time);
void omptape_analysis_team_begin(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time, uint64_t comm);
void omptape_analysis_team_end(struct analysis_state *state, struct analysis_location *location,
                               uint64_t time);
/* The thread enters the region of its newest team, and has entered it. */
void omptape_analysis_team_named(struct analysis_location *location, const struct analysis_region *region);
void omptape_analysis_team_region(struct analysis_state *state, struct analysis_location *location,
                                  struct analysis_region *region);

void omptape_analysis_teams_free(struct analysis_state *state);

/* How close together threads of a team come if they have the same to do. It is twice the time in which teams
 * of its size begin, and 2 us at least. All members have begun. */
uint64_t omptape_analysis_together(const struct analysis_state *state, const struct analysis_team *team);

/* barriers.c */
void omptape_analysis_barrier_enter(struct analysis_state *state, struct analysis_location *location,
                                    uint64_t time, struct analysis_region *region);
void omptape_analysis_barrier_leave(struct analysis_state *state, struct analysis_location *location,
                                    uint64_t time);
/* Forgets what is left of a barrier that not all came to. */
void omptape_analysis_barrier_reset(struct analysis_team *team, struct analysis_barrier *barrier);

/* The thread, whose time is booked until now, stands still until there is room for its events. */
void omptape_analysis_stall(struct analysis_location *location, uint64_t time, uint64_t until);
/* So much of the time that is being booked was such. */
void omptape_analysis_book_stall(struct analysis_location *location, uint64_t stalled);
/* How long some member stood still, until this time. */
static inline uint64_t omptape_analysis_stalled_at(const struct analysis_team *team, uint64_t time)
{
    if (team->stalls.sum == 0)
        return 0;
    uint64_t ahead = team->stalls.until > time ? team->stalls.until - time : 0;
    return team->stalls.sum > ahead ? team->stalls.sum - ahead : 0;
}
