/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of a location: a stack of frames (open regions), a stack of memberships (its teams), and its
 * current activity. Also the state of a process, as far as its threads update it.
 *
 * Each Enter and Leave books the location's time (booking.h) to its bucket, to the region, and to the phases
 * of all enclosing teams.
 */
#pragma once

#include "src/analysis/causes.h"
#include "src/analysis/counted.h"
#include "src/analysis/devices.h"
#include "src/analysis/interval_work.h"
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

/* Booked time of a location in one region and time class, not yet transferred to the region (booking.h). */
struct analysis_account {
    struct analysis_region *region;
    struct analysis_region *blamed; /* the construct that the region belongs to, or that encloses it */
    struct analysis_time_class time_class;
    struct analysis_account *other; /* next account of the same region; or NULL */
    uint64_t ticks;                 /* 0: not in the location's list */
    uint64_t noted;                 /* part of `ticks` that the interval already has */
    struct analysis_account *later; /* next account with time, in the order of the first time */
    uint64_t phase;                 /* the location's phase in which it was last used */
    uint32_t share;                 /* its index in the shares of that phase */
};

struct analysis_account_list {
    struct analysis_account *first;
    struct analysis_account **end;
};

/* A region on a location. */
struct analysis_location_region {
    uint32_t open;                         /* number of open visits */
    struct analysis_account *accounts;     /* list, last used first */
    const struct analysis_account *around; /* enclosing account of the last use */
};

struct analysis_membership {
    struct replay_frame replay; /* its region is the communicator */
    struct analysis_team *team;
    struct analysis_member *member; /* of the team */
    uint32_t index;                 /* thread number */
    uint32_t depth;                 /* number of frames below */
};

struct analysis_frame {
    struct replay_frame replay; /* its region is the address of `region` */
    struct analysis_region *region;
    struct analysis_account *account; /* receives the time spent in it */
    uint32_t task;                    /* 1 + index of the innermost task's frame, this or below; 0: none */
    bool asking;                      /* waits for a lock */
    uint64_t worked;                  /* the location's `worked` at the begin */
    uint64_t number;                  /* first iteration of a chunk, or index of a task at its site */
    uint64_t parts;                   /* iterations of a chunk */
    /* The next ones are only set for tasks: */
    bool deferred;                   /* taken from the queue */
    struct analysis_task_site *site; /* NULL: memory exhausted */
    uint64_t work;                   /* its own computing, updated when it stops being the innermost task */
    struct analysis_chain chain;     /* until its begin */
    struct analysis_member *creator; /* whose implicit task created it; NULL: an explicit task did */
};

enum { ANALYSIS_CACHED_SHARES = 16 };

struct analysis_location {
    struct replay_location replay;         /* of struct analysis_frame */
    struct analysis_location *next_thread; /* next thread of its process; NULL: last */
    uint64_t id;
    const struct omptape_definition *definition;
    struct omptape_analysis_observed observed;
    struct analysis_thread *thread; /* NULL: the location of a device */
    uint32_t process;
    struct analysis_process_state *process_state;
    struct analysis_initial *initial; /* one of several initial threads; or NULL */
    uint64_t booked;                  /* time until which everything is booked */
    uint64_t stalled_until;
    uint64_t first;         /* first event within the analysed range, except at 0; 0: none yet */
    uint64_t last;          /* last event */
    uint64_t events;        /* number of all events */
    uint64_t beyond;        /* number of events outside of the analysed range */
    uint64_t records;       /* number of distinct event times, about the number of records */
    uint8_t outside;        /* bucket while no region is open */
    bool is_analysed;       /* a thread that has begun and whose events are all analysed */
    bool needs_no_observer; /* as is_analysed, and no observer needs the events themselves */
    bool seen;
    bool wanted; /* its process is analysed */
    bool forked;
    bool forked_idle; /* no region was open at its last fork */
    bool is_forking;  /* the team of its last fork has not entered its region */
    uint64_t fork_time;
    uint64_t fork_records;
    uint64_t fork_stalled; /* thread->stalled at the last fork */
    uint32_t fork_asked;   /* number of threads */
    uint32_t forks;        /* number of open forks */
    /* Region of the last team it forked that ended and is not joined yet; NULL: none. */
    const struct analysis_region *ended;
    uint64_t ended_time;                /* end of that team */
    struct analysis_frame *top;         /* innermost open region; NULL: none */
    struct replay_location teams;       /* of struct analysis_membership */
    struct analysis_membership *newest; /* innermost team; NULL: none */
    uint8_t flags;                      /* bits of ANALYSIS_FLAG_...: counted as working, `idle` is active */
    /* Serial time since the last parallel region. */
    uint64_t serial;
    uint64_t serial_begin;
    const struct analysis_region *last_parallel; /* the last parallel region */
    bool in_serial_end; /* a fork ended the serial part; the region is not known yet */
    /* Each of these is only used by its own module: */
    struct analysis_sched_reading reading;          /* interval_work.h */
    struct analysis_interval_work interval;         /* interval_work.h */
    struct analysis_kept_samples serial_samples;    /* sampled.h */
    struct analysis_counting counting;              /* counted.h */
    struct analysis_task_steps tasks;               /* tasks.h */
    struct analysis_thread_transfers transfers;     /* devices.h */
    struct analysis_current_loop loop;              /* loops.h */
    struct analysis_poll poll;                      /* locks.h */
    struct analysis_last_lock lock;                 /* locks.h */
    struct analysis_outlier_candidates candidates;  /* outliers.h */
    struct analysis_pending_causes pending;         /* causes.h */
    struct analysis_latest latest;                  /* opens.h */
    uint32_t cached_shares[ANALYSIS_CACHED_SHARES]; /* shares.h */
    struct analysis_location_region *regions;       /* indexed by the region's number */
    uint32_t region_capacity;
    struct analysis_account_list accounts; /* accounts with time */
    /* Number of the innermost team's phase. Each barrier and each team begin or end starts a new phase. */
    uint64_t phase;
    /* In addition to the booked time in the thread's `parts`: */
    bool needs_slow_booking; /* booking takes the slow path: the thread stalled, or its times went back */
    bool went_back;          /* its times went back */
    uint64_t long_busy;      /* work in intervals long enough that other threads may have run in between */
    /* Time of computing and task management, and its number of intervals. */
    uint64_t worked;
    uint64_t work_records;
    uint64_t credited; /* part of `worked` that its teams have received */
    uint64_t credited_records;
};

/* The parts of a thread when a phase began. */
struct analysis_phase_thread {
    const struct analysis_location *thread;
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
};

/* The state of a process at a moment. Freed by omptape_phases_free_moment. */
struct analysis_moment {
    uint64_t time;
    bool is_taken;                         /* false: only the time is known */
    uint64_t sampled;                      /* samples of the process so far */
    uint64_t serial;                       /* wall of the process without a parallel region so far */
    uint64_t communication;                /* wall of the process in MPI so far */
    uint64_t parts[OMPTAPE_BUCKET_COUNT];  /* thread time of the process so far */
    struct analysis_phase_thread *threads; /* the same per thread; NULL: not kept */
    uint32_t thread_count;
    uint32_t thread_capacity;
};

/* An open or recently ended phase (phases.h). */
struct analysis_open_phase {
    const struct analysis_location *by;
    struct analysis_phase *sum; /* NULL while it is open */
    struct analysis_step *step; /* NULL while it is open, or if the step is not kept */
    /* The thread that worked longest in this step and process; or NULL. */
    const struct analysis_location *most;
    const struct analysis_region *region;
    struct analysis_moment from; /* its `threads` is NULL if too many of these phases exist */
    uint64_t end;
    bool is_step;
    /* Identifies the instance among those of its name, equal in all processes (phases.h). */
    uint64_t key;
    uint64_t number; /* number of the step, or index in its process from 1 */
};

enum { ANALYSIS_LATE_PHASES = 64, ANALYSIS_PHASE_SAMPLES = 8192 };

/* A sample of a working thread. */
struct analysis_phase_sample {
    const struct analysis_location *thread;
    uint64_t context; /* id */
};

struct analysis_phases {
    struct analysis_open_phase *list; /* in the order of begin */
    uint32_t count;
    uint32_t capacity;
    struct analysis_open_phase *late; /* ring of phases that ended last; NULL: none has ended */
    uint64_t ended;
    /* (0, region id) -> number of begins, uint64_t; (1 + number, region id) -> begins with that number */
    struct omptape_pairs begun;
    struct analysis_phase_sample *samples; /* ring of the last samples; NULL: none yet */
    uint64_t sampled;                      /* number of samples in phases */
};

struct analysis_loop_detector;

struct analysis_process_state {
    struct analysis_location *threads;            /* list linked by next_thread */
    struct analysis_phases phases;                /* phases.h */
    struct analysis_loop_detector *loop_detector; /* detected_loops.h; NULL: no region has begun */
    uint32_t active;                              /* open parallel regions at the top level */
    bool counted;                                 /* its events have been read */
    uint64_t threads_at[ANALYSIS_HOSTS];          /* only updated if it has devices */
    uint64_t in_teams;                            /* current number of threads in teams */
    double computing;          /* initial threads that compute outside of teams, on average */
    uint64_t attributed_until; /* time until which `attributed_wall` and `concurrent_time` are summed */
    uint64_t attributed_wall;
    uint64_t concurrent_time;
    uint32_t working;                   /* number of threads that compute in parallel regions */
    uint64_t counted_until;             /* time until which `wall_by_computing` is summed */
    uint64_t *wall_by_computing;        /* array in the result */
    struct analysis_initials *initials; /* set if it has several initial threads (serial.h); or NULL */
    double more; /* initial threads that compute outside of teams, less those that `working` includes */
    struct analysis_device_state *devices; /* list */
    /* Shortest time from the first to the last begin of a team of 2^n to 2^(n+1) - 1 threads; 0: none. */
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

/* booking.c: Books the location's time until `time`. The second function also transfers the accounts to
 * the regions, the interval and the observer. */
void omptape_analysis_book(struct analysis_state *state, struct analysis_location *location, uint64_t time);
void omptape_analysis_book_all(struct analysis_state *state, struct analysis_location *location,
                               uint64_t time);
/* Returns the thread's time of work until `booked`. */
static inline uint64_t omptape_analysis_busy(const struct analysis_location *location)
{
    uint64_t sum = 0;
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        sum += omptape_buckets[bucket].work || omptape_buckets[bucket].off_cpu
                   ? location->thread->parts[bucket]
                   : 0;
    return sum;
}
/* Moves a part of the time, as far as there is any, to another bucket. */
static inline void omptape_move_part(uint64_t parts[OMPTAPE_BUCKET_COUNT], unsigned from, unsigned to,
                                     uint64_t amount)
{
    amount = amount < parts[from] ? amount : parts[from];
    parts[from] -= amount;
    omptape_add(&parts[to], amount);
}
/* Adds the process's time until now to the threads at work. Called before a parallel region begins or
 * ends. */
void omptape_analysis_count_concurrency(const struct analysis_location *location, uint64_t time);

/* locations.c: Looks up a location or region by its id, and creates it if necessary. Returns NULL if it is
 * not defined or memory is exhausted. */
struct analysis_location *omptape_analysis_find_location(struct analysis_state *state, uint64_t id);
struct analysis_region *omptape_analysis_find_region(struct analysis_state *state, uint64_t id);
static inline struct analysis_location *omptape_analysis_location(struct analysis_state *state, uint64_t id)
{
    /* Threads are numbered in the upper half of the id (include/omptape/locations.h). */
    struct analysis_location *cached = state->cached_locations[(id ^ id >> 32) % ANALYSIS_CACHED_LOCATIONS];
    return cached != NULL && cached->id == id ? cached : omptape_analysis_find_location(state, id);
}
static inline struct analysis_region *omptape_analysis_region(struct analysis_state *state, uint64_t id)
{
    struct analysis_region *cached = id < state->cached_region_count ? state->cached_regions[id] : NULL;
    return cached != NULL ? cached : omptape_analysis_find_region(state, id);
}
/* locations.c: Handles an event whose time is earlier than the previous one, in damaged archives. */
void omptape_analysis_go_back(struct analysis_state *state, struct analysis_location *location,
                              uint64_t time);
/* Counts an analysed event before it is handled. The caller sets the location's `last` afterwards. */
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
/* Starts and ends the handling of each event of a thread, except events of a task's creation. Returns true
 * for the first event after a creation: until the event's end, the time before it counts as creation. */
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
/* Handles both for an event that needs no booking. */
static inline void omptape_analysis_brief_event(struct analysis_state *state,
                                                struct analysis_location *location, uint64_t time)
{
    omptape_analysis_end_event(location, time, omptape_analysis_begin_event(state, location, time));
}

/* Limits a time to the analysed range. */
static inline uint64_t omptape_analysis_within(const struct analysis_state *state, uint64_t time)
{
    time = time > state->from ? time : state->from;
    return time < state->to ? time : state->to;
}

/* visits.c: Handle an event of a thread completely. `event` contains further attributes; or NULL. */
void omptape_analysis_enter(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            struct analysis_region *region, const struct omptape_event *event);
void omptape_analysis_leave(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            struct analysis_region *region);
/* The location's next events belong to another thread. The time until then is not counted. */
void omptape_analysis_change_thread(struct analysis_state *state, struct analysis_location *location,
                                    uint64_t time);
/* Ends all open regions, and frees the location's memory. */
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
