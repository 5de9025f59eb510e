/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records what a thread worked on in an interval, and how much of this work had no processor. An interval is
 * the time between two readings of the thread's scheduler statistics. Time is first booked as computing or
 * serial. At the reading the part without a processor is moved to blocked or runnable: in the thread's parts,
 * the regions' parts and the serial parts.
 */
#pragma once

#include "src/analysis/regions.h"
#include "src/analysis/state.h"

struct analysis_account;
struct analysis_location;
struct analysis_lock_site;

/* A scheduler reading of a thread, and its work until then. */
struct analysis_sched_reading {
    uint64_t time;
    uint64_t running_ns;
    uint64_t queued_ns;
    uint64_t busy;
    uint64_t unbroken;
    uint64_t serial; /* part of the work outside of parallel regions */
};

/* Ticks of one region, perhaps as a serial part, in the current and in earlier intervals of a thread. */
struct analysis_interval_place {
    uint64_t time;    /* in this interval */
    uint64_t forking; /* part of `time` in which the thread forked teams and waited for them */
    double all;       /* in earlier intervals */
    double blocked;   /* part of `all` in which it was blocked */
    double certain;   /* part of `blocked` that is certain */
    bool is_counted;  /* the thread is counted in analysis_cause.blocked_threads */
    double ran;       /* time on a processor since the details were read */
};

/* Further members of the metric, which are read less often than the first two. */
struct analysis_details {
    uint64_t system_ns;
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t voluntary; /* voluntary context switches */
    uint64_t involuntary;
    uint64_t running_ns; /* value of the first member at that time */
};

/* A part of an interval's work, in ticks. */
struct analysis_interval_part {
    double time;
    double blocked;        /* part of `time` in which it was blocked */
    double certain;        /* part of `blocked` that is certain */
    double before;         /* work of this kind in earlier intervals */
    double before_certain; /* part of `before` that was certainly blocked */
    double weight;
};

/* The work of an interval in one region. */
struct analysis_interval_row {
    struct analysis_interval_part part;
    struct analysis_region *region;
    struct analysis_region *blamed;
    const struct analysis_region *parallel; /* NULL: none */
    uint64_t threads;
    uint32_t index; /* index of its place */
};

/* Work of an interval while the last lock that the thread acquired was one of this site. The first entry is
 * the work without a lock or outside of parallel regions. */
struct analysis_interval_lock {
    struct analysis_interval_part part;
    struct analysis_lock_site *site;
    const struct analysis_region *parallel; /* as in struct analysis_interval_row */
    uint64_t threads;
    uint64_t held; /* ticks in which the thread held such a lock, even if it later acquired others */
};

/* A lock that a thread holds. */
struct analysis_thread_lock {
    const void *lock;
    struct analysis_lock_site *site;
};

enum { ANALYSIS_THREAD_LOCKS = 4 };

struct analysis_interval_serial {
    struct analysis_serial *serial;
    uint64_t time;
};

struct analysis_interval_work {
    struct analysis_interval_place *places;
    uint32_t capacity;
    struct analysis_interval_row *rows;
    uint32_t row_count;
    uint32_t row_capacity;
    struct analysis_interval_row *ran; /* regions that ran since the details were read */
    uint32_t ran_count;
    uint32_t ran_capacity;
    struct analysis_details details;
    struct analysis_thread_lock locks[ANALYSIS_THREAD_LOCKS]; /* in the order of acquisition */
    uint32_t lock_count;
    uint64_t held_until; /* the thread's work until which `lock_work` is complete */
    struct analysis_interval_lock *lock_work;
    uint32_t lock_work_count;
    uint32_t lock_work_capacity;
    struct analysis_interval_serial *serials; /* parts that ended in this interval */
    uint32_t serial_count;
    uint32_t serial_capacity;
    double unheld;                 /* work without a lock in earlier intervals */
    double unheld_certain;         /* part of `unheld` that was certainly blocked */
    bool started;                  /* the first region has begun: no more start-up time is subtracted */
    uint64_t start_taken;          /* part of the tool's start-up time that has been subtracted */
    uint64_t outside;              /* serial time outside of all regions */
    uint64_t outside_forking;      /* part of `outside`, as in struct analysis_interval_place */
    uint64_t serial_before;        /* time of the open serial part in earlier intervals */
    double serial_blocked;         /* part of `serial_before` in which it was blocked */
    double recent_blocked;         /* blocked ticks since the last barrier that are not charged yet */
    uint64_t recent_runnable_work; /* as `recent_blocked`: runnable ticks during work */
    uint64_t recent_runnable_wait; /* as `recent_blocked`: runnable ticks during waits */
    uint64_t last_runnable_wait;   /* part of it from the newest reading that has any, */
    uint64_t last_wait_begin;      /* ...and the time of the reading before that one */
    bool at_switches;              /* readings are taken at context switches of the thread */
    bool is_measured;              /* the process's properties say so, too */
    uint64_t switch_readings;      /* number of these readings so far, about */
    uint64_t forking[2];           /* the same of all places: computing and serial */
    const struct analysis_account *forking_in; /* of the innermost region at the last fork; NULL: none */
    uint64_t moved[2];                         /* moved from computing and from serial so far */
    uint64_t stalled;                          /* stall time subtracted in earlier intervals */
    double carried_ns;                         /* see src/core/buckets.h */
    double carried_queued_ns;
    double late_ns;
};

/* Adds time to a place that has none in this interval, and reserves memory for it. */
void omptape_interval_open(struct analysis_location *location, const struct analysis_account *account,
                           uint64_t spent);

static inline uint32_t omptape_interval_index(struct analysis_region *region, unsigned bucket)
{
    return 2 * omptape_analysis_region_state(region)->number + bucket;
}

/* The thread acquires a lock that it asked for at this site, or releases the lock. */
void omptape_interval_acquire(struct analysis_location *location, uint64_t time, const void *lock,
                              struct analysis_lock_site *site);
void omptape_interval_release(struct analysis_location *location, uint64_t time, const void *lock);

/* A serial part ends. */
void omptape_interval_end_serial(struct analysis_location *location, struct analysis_serial *serial);

/* Counts time since the last fork, until the team's region begins or the interval ends. Called at both. */
void omptape_interval_fork(const struct analysis_state *state, struct analysis_location *location,
                           uint64_t time);

/* Returns the time in this interval in which the thread forked teams. */
static inline uint64_t omptape_interval_forking(const struct analysis_interval_work *interval)
{
    return interval->forking[0] + interval->forking[1];
}

/* The end of an interval: its range, and the ticks of work that were blocked or runnable. */
struct analysis_interval_end {
    uint64_t begin;
    uint64_t end;
    double blocked;
    double runnable;
    double forked; /* further ticks that were runnable, while the thread forked teams */
};
void omptape_interval_close(struct analysis_state *state, struct analysis_location *location,
                            const struct analysis_interval_end *end);

/* sched_readings.c: Handles a scheduler reading with the thread's total running and queued time. `awake`: the
 * kernel counted no sleep since the last complete reading. The thread's time is booked until then. */
void omptape_analysis_sched(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            uint64_t running_ns, uint64_t queued_ns, bool awake);

/* Handles the metric's further members, after omptape_analysis_sched: system time and page faults. */
void omptape_interval_details(struct analysis_state *state, struct analysis_location *location,
                              const struct omptape_event *event);

/* Returns the share (0 to 1) of the thread's time in the region in which it was blocked so far. */
double omptape_interval_blocked_share(const struct analysis_location *location,
                                      struct analysis_region *region);

void omptape_interval_free(struct analysis_location *location);
