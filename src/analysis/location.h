/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A location has a stack of frames (open regions), one of memberships (teams that it is a member of), and
 * what it does now. And its process, as far as the threads follow it.
 *
 * All of its time is booked (booking.h) at each Enter and Leave: to its bucket, to the region, and to the
 * phase of every team around it.
 */
#pragma once

#include "src/analysis/causes.h"
#include "src/analysis/counted.h"
#include "src/analysis/devices.h"
#include "src/analysis/ledger.h"
#include "src/analysis/locks.h"
#include "src/analysis/loops.h"
#include "src/analysis/opens.h"
#include "src/analysis/outliers.h"
#include "src/analysis/sampled.h"
#include "src/analysis/state.h"
#include "src/analysis/tasks.h"
#include "src/replay/stack.h"

struct analysis_team;
struct analysis_member;
struct analysis_device_state;
struct analysis_initial;
struct analysis_initials;

/* Time of a location in one region, in one way: what was booked and is not shared out yet (booking.h). */
struct analysis_account {
    struct analysis_region *region;
    struct analysis_region *blamed; /* the construct that this is a part of, or that is around it */
    struct analysis_manner manner;
    struct analysis_account *other; /* of the region, in another way; or NULL */
    uint64_t ticks;                 /* 0: it is in no list */
    uint64_t noted;                 /* ...of which the ledger has these */
    struct analysis_account *later; /* list of those that have any, in the order in which they got it */
    uint64_t phase;                 /* the location's phase in which it was met last, */
    uint32_t share;                 /* ...and its place among what was done in that */
};

struct analysis_account_list {
    struct analysis_account *first;
    struct analysis_account **end;
};

/* A region on a location. */
struct analysis_region_here {
    uint32_t open;                         /* visits */
    struct analysis_account *accounts;     /* a list; the one that was needed last comes first, */
    const struct analysis_account *around; /* ...which was needed within this one */
};

struct analysis_membership {
    struct replay_frame replay; /* its region is the communicator */
    struct analysis_team *team;
    struct analysis_member *member; /* of the team */
    uint32_t index;                 /* thread number */
    uint32_t depth;                 /* frames below */
};

struct analysis_frame {
    struct replay_frame replay; /* its region is the address of `region` */
    struct analysis_region *region;
    struct analysis_account *account; /* that gets the time in it */
    uint32_t task;                    /* index + 1 of the innermost task's frame, this or below; 0: none */
    bool asking;                      /* for a lock that it has not got yet */
    uint64_t worked;                  /* as much as the location had it before */
    uint64_t number; /* of a chunk its first iteration; of a task which one of its site it is */
    uint64_t parts;  /* iterations of a chunk */
    /* Of a task: */
    bool deferred;                   /* it came from the queue */
    struct analysis_task_site *site; /* NULL: no memory */
    uint64_t work;                   /* its own computing, until it was the innermost the last time */
    uint64_t chain;                  /* the longest chain to its begin (chain.h) */
};

enum { ANALYSIS_NEAR_SHARES = 16 };

struct analysis_location {
    struct replay_location replay;         /* of struct analysis_frame */
    struct analysis_location *next_thread; /* of its process; NULL: the last */
    uint64_t id;
    const struct omptape_definition *definition;
    struct omptape_analysis_watched watched;
    struct analysis_thread *thread; /* NULL: a device's */
    uint32_t process;
    struct analysis_process_state *process_state;
    struct analysis_initial *initial; /* of a process with several of them; or NULL */
    uint64_t booked;                  /* all its time before this is booked */
    uint64_t stalled_until;
    uint64_t first;   /* time of an event within what is looked at, but 0; 0: none so far */
    uint64_t last;    /* event */
    uint64_t events;  /* all, */
    uint64_t beyond;  /* ...and those that are not within what is looked at */
    uint64_t records; /* so many different times of events: records of the library's, about */
    uint8_t outside;  /* bucket where no region is open */
    bool is_plain;    /* a thread's, of which all events are looked at; and it has begun; */
    bool is_brief;    /* ...and nobody looks on who has to see the events themselves */
    bool seen;
    bool wanted; /* its process is one to look at */
    bool forked;
    bool forked_idle; /* its last fork was where nothing was open */
    uint64_t fork_time;
    uint64_t fork_records;
    uint64_t fork_stalled;               /* thread->stalled then */
    uint32_t fork_asked;                 /* threads */
    uint32_t forks;                      /* open */
    const struct analysis_region *ended; /* the team of this region, which the thread forked, has ended, */
    uint64_t ended_time;                 /* ...at this time; and it was not joined yet. NULL: none */
    struct analysis_frame *top;          /* the innermost that is open; NULL: there is none */
    struct replay_location teams;        /* of struct analysis_membership */
    struct analysis_membership *newest;  /* the innermost; NULL: it is in no team */
    uint8_t doing; /* bits of ANALYSIS_DOING_...: counted among those at work, `idle` goes on */
    /* Serial time since the last parallel region, */
    uint64_t serial;
    uint64_t serial_begin;
    const struct analysis_region *last_parallel; /* ...which was this */
    bool in_serial_end;                          /* a fork ended it: its region is not known yet */
    /* Each is its own file's; no other one reads it: */
    struct analysis_told told;                   /* ledger.h, */
    struct analysis_ledger ledger;               /* ...too */
    struct analysis_kept_samples serial_samples; /* sampled.h */
    struct analysis_counting counting;           /* counted.h */
    struct analysis_task_steps tasks;            /* tasks.h */
    struct analysis_moves moves;                 /* devices.h */
    struct analysis_loop_now loop;               /* loops.h */
    struct analysis_poll poll;                   /* locks.h, */
    struct analysis_lock_near lock;              /* ...too */
    struct analysis_longs longs;                 /* outliers.h */
    struct analysis_kept_back kept;              /* causes.h */
    struct analysis_latest latest;               /* opens.h */
    uint32_t near_shares[ANALYSIS_NEAR_SHARES];  /* shares.h */
    struct analysis_region_here *here;           /* by the region's number */
    uint32_t here_room;
    struct analysis_account_list accounts; /* that have time to be shared out */
    uint64_t
        phase; /* number of the innermost team's phase; other ones begin with its barriers and with teams */
    /* Booked is what `parts` of the thread say; beside that: */
    bool is_odd;    /* what is booked is to be looked at closely: it stood still, its times went back, or */
    bool went_back; /* ...not all counts */
    uint64_t long_busy; /* at work in stretches so long that other threads may have run meanwhile; */
    /* Time in which it computed or managed tasks, and the stretches of it: */
    uint64_t worked;
    uint64_t work_records;
    uint64_t credited; /* ...that its teams have got so far */
    uint64_t credited_records;
};

/* What a thread had done when a phase began. */
struct analysis_phase_thread {
    const struct analysis_location *thread;
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
};

/* What a process had done until then. Freed by omptape_phases_free_moment. */
struct analysis_moment {
    uint64_t time;
    uint64_t sampled;                      /* samples of the process before it */
    uint64_t serial;                       /* of the process before it: wall without a parallel region, */
    uint64_t communication;                /* ...and of that in MPI */
    uint64_t parts[OMPTAPE_BUCKET_COUNT];  /* thread time of the process, */
    struct analysis_phase_thread *threads; /* ...and of each thread; NULL: that is not kept */
    uint32_t thread_count;
    uint32_t thread_room;
};

/* A phase that is open, or was lately (phases.h). */
struct analysis_open_phase {
    const struct analysis_location *by;
    struct analysis_phase *sum;           /* NULL as long as it is open */
    struct analysis_step *step;           /* NULL as long as it is open, and of one that is not kept */
    const struct analysis_location *most; /* of the step, this is its thread's part in its process; or NULL */
    const struct analysis_region *region;
    struct analysis_moment from; /* its threads: NULL if too many such phases were there */
    uint64_t end;
    bool is_step;
    uint64_t key;    /* of its name, the same in all processes (phases.h) */
    uint64_t number; /* the step's, else which one in its process, from 1 on */
};

enum { ANALYSIS_LATE_PHASES = 64, ANALYSIS_PHASE_SAMPLES = 8192 };

/* A thread's sample at work. */
struct analysis_phase_sample {
    const struct analysis_location *thread;
    uint64_t context; /* id */
};

struct analysis_phases {
    struct analysis_open_phase *list; /* the one that began last comes last */
    uint32_t count;
    uint32_t room;
    struct analysis_open_phase *late; /* those that ended last, one in each place in turn; NULL: none has */
    uint64_t ended;
    /* (0, region id) -> how many of them began, uint64_t; (1 + number, region id) -> with that number */
    struct omptape_pairs begun;
    struct analysis_phase_sample *samples; /* the last ones, each in its place in turn; NULL: none yet */
    uint64_t sampled;                      /* so many there were in phases */
};

struct analysis_repeats;

struct analysis_process_state {
    struct analysis_location *threads;   /* a list by next_thread */
    struct analysis_phases phases;       /* phases.h */
    struct analysis_repeats *repeats;    /* found_loops.h; NULL: no region has begun */
    uint32_t active;                     /* parallel regions open at the top level */
    bool counted;                        /* its events went by */
    uint64_t threads_at[ANALYSIS_HOSTS]; /* followed if it has devices */
    uint64_t in_teams;                   /* threads in teams now, */
    double computing;                    /* ...and initial ones that compute in none; */
    uint64_t crowd_until;                /* ...added up until then: analysis_parallel's sums */
    uint64_t apart;
    uint64_t crowd;
    uint32_t working;                   /* threads that compute in parallel regions now, */
    uint64_t counted_until;             /* ...as they did since then */
    uint64_t *at_work;                  /* the result's */
    struct analysis_initials *initials; /* it has several (serial.h); or NULL, */
    double more; /* ...and those that compute in no team, less the ones that `working` has */
    struct analysis_device_state *devices; /* a list */
    /* Of teams of 2^n to 2^(n+1) - 1 threads the shortest time from the first begin to the last; 0: none. */
    uint64_t waves[32];
};

static inline struct analysis_frame *analysis_frames(const struct analysis_location *location)
{
    return (struct analysis_frame *)(void *)location->replay.frames;
}

static inline struct analysis_membership *analysis_memberships(const struct analysis_location *location)
{
    return (struct analysis_membership *)(void *)location->teams.frames;
}

/* booking.c: books the location's time until now; and gives what the accounts hold to the regions, the spell
 * and whoever looks on. */
void omptape_analysis_book(struct analysis_state *state, struct analysis_location *location, uint64_t time);
void omptape_analysis_book_all(struct analysis_state *state, struct analysis_location *location,
                               uint64_t time);
/* How long it, a thread, was at work until `booked`. */
static inline uint64_t omptape_analysis_busy(const struct analysis_location *location)
{
    uint64_t sum = 0;
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        sum += omptape_buckets[bucket].work || omptape_buckets[bucket].lack ? location->thread->parts[bucket]
                                                                            : 0;
    return sum;
}
/* Of its process: so many threads were at work until now. Before a parallel region begins or ends. */
void omptape_analysis_count_at_work(const struct analysis_location *location, uint64_t time);

/* locations.c: found by their ids, and made when they are met. NULL: they are not defined, or no memory. */
struct analysis_location *omptape_analysis_find_location(struct analysis_state *state, uint64_t id);
struct analysis_region *omptape_analysis_find_region(struct analysis_state *state, uint64_t id);
static inline struct analysis_location *omptape_analysis_location(struct analysis_state *state, uint64_t id)
{
    /* Threads are numbered in the upper half (include/omptape/locations.h). */
    struct analysis_location *near = state->near_locations[(id ^ id >> 32) % ANALYSIS_NEAR_LOCATIONS];
    return near != NULL && near->id == id ? near : omptape_analysis_find_location(state, id);
}
static inline struct analysis_region *omptape_analysis_region(struct analysis_state *state, uint64_t id)
{
    struct analysis_region *near = id < state->near_region_count ? state->near_regions[id] : NULL;
    return near != NULL ? near : omptape_analysis_find_region(state, id);
}
/* locations.c: times of damaged archives may go back. */
void omptape_analysis_go_back(struct analysis_state *state, struct analysis_location *location,
                              uint64_t time);
/* What is done first for each event that is looked at; when all is done, its time is the location's last. */
static inline void omptape_analysis_count_event(struct analysis_state *state,
                                                struct analysis_location *location, uint64_t time)
{
    location->events++;
    if (time == location->last)
        return;
    location->records++;
    if (__builtin_expect(time < location->last, 0))
        omptape_analysis_go_back(state, location, time);
}
/* What every event of a thread begins and ends with, but those that are a task's creation themselves. True:
 * it is the first behind one; until it ends, the time before it counts as the creation's. */
static inline bool omptape_analysis_begin_event(struct analysis_state *state,
                                                struct analysis_location *location, uint64_t time)
{
    const bool after_creation = location->tasks.created != NULL;
    omptape_analysis_count_event(state, location, time);
    if (after_creation)
        omptape_analysis_task_created_after(state, location, time);
    return after_creation;
}
static inline void omptape_analysis_end_event(struct analysis_location *location, uint64_t time,
                                              bool after_creation)
{
    if (after_creation)
        location->tasks.created = NULL;
    location->tasks.has_switched = false;
    location->last = time;
}
/* Both, of one that books no time and asks for nothing of that. */
static inline void omptape_analysis_brief_event(struct analysis_state *state,
                                                struct analysis_location *location, uint64_t time)
{
    omptape_analysis_end_event(location, time, omptape_analysis_begin_event(state, location, time));
}

/* A time, as far as it is looked at. */
static inline uint64_t omptape_analysis_within(const struct analysis_state *state, uint64_t time)
{
    time = time > state->from ? time : state->from;
    return time < state->to ? time : state->to;
}

/* visits.c: a thread's events, wholly. `event`: with what it says beside; NULL: nothing. */
void omptape_analysis_enter(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            struct analysis_region *region, const struct omptape_event *event);
void omptape_analysis_leave(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            struct analysis_region *region);
/* The location's next events are another thread's: what lies between them and the last one is nobody's time.
 */
void omptape_analysis_change_thread(struct analysis_state *state, struct analysis_location *location,
                                    uint64_t time);
/* A visit of a region that is not defined. */
void omptape_analysis_pass_over(struct analysis_state *state, struct analysis_location *location,
                                uint64_t time);
/* All that is open ends. */
void omptape_analysis_end_location(struct analysis_state *state, struct analysis_location *location);
static inline struct analysis_frame *omptape_analysis_top(const struct analysis_location *location)
{
    return location->top;
}
static inline struct analysis_membership *
omptape_analysis_membership(const struct analysis_location *location)
{
    return location->newest;
}
