/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Explicit tasks. Per site it counts tasks, their durations and how they began. Per team it tracks queued and
 * running tasks, and when threads are idle.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_state;
struct analysis_location;
struct analysis_frame;
struct analysis_waiting_task;
struct analysis_member;

/* Tasks of one site during a pass. */
struct analysis_task_site {
    struct analysis_tasks result;
    struct analysis_durations before; /* time from the previous event to each creation */
    struct analysis_durations after;  /* time from each creation to the next event that is no creation */
    uint64_t bin_sums[ANALYSIS_BINS]; /* sums of `before` and `after` by bin */
    uint64_t handling_parts;          /* wall, in 1/256 ticks */
    uint64_t handling_records; /* records within handling_parts: in 1/256, also divided by the threads */
    uint64_t threads;          /* of the largest team */
    uint64_t created_inside;   /* tasks that were created by tasks */
    uint64_t at_once;          /* threads that execute one now */
    uint64_t ran;              /* thread time in them until ran_until */
    uint64_t ran_until;
    uint64_t dependent; /* tasks with dependences */
    uint64_t begun;     /* parts of execution that began in this pass */
    /* Part of the starved time spent on a task that ran beside the thread's own last one and took longer. */
    uint64_t outlasted;
    uint64_t unserved; /* part of the starved time in which tasks without dependences were queued */
};

/* The first sites have separate times while a thread is idle. */
enum { ANALYSIS_SITES_APART = 8 };

/* An idle interval of a thread, with the state of its team at the begin. */
struct analysis_idle {
    uint64_t begin;
    uint64_t ran[ANALYSIS_SITES_APART]; /* thread time in tasks of each site */
    uint32_t site_count;                /* number of sites at that time */
    uint64_t queue_time;
    uint64_t alone_time;
    uint64_t stall_time;
    uint64_t records; /* of the location so far */
};

/* The longest chain (chain.h) until a moment. */
struct analysis_chain {
    uint64_t length;
    uint64_t floor; /* its part before the last barrier or wait ahead of the creation */
};

/* State of a thread. */
struct analysis_task_steps {
    bool has_switched;                          /* the last event switched to an explicit task */
    struct analysis_chain switched_chain;       /* until that task's begin */
    struct analysis_member *switched_creator;   /* whose implicit task created that task; or NULL */
    uint64_t left_chain;                        /* longest chain until the end of the task left last */
    const struct analysis_task_site *left_site; /* site of the task left last */
    uint64_t left_work;                         /* work of the task left last */
    uint64_t left_end;                          /* end of the task left last */
    struct analysis_waiting_task *created_task; /* the task created last (chain.c) */
    struct analysis_task_site *created;         /* site of the task that the last event created; or NULL */
    uint64_t since; /* the location's `worked` when the innermost task became the innermost */
    struct analysis_idle idle;
};

/* Returns true if more than one of these tasks follow each other by creation or dependences. */
bool omptape_tasks_are_chain(const struct analysis_tasks *tasks);
/* Returns true if independent tasks never ran at the same time although there were several threads. The
 * runtime executes each of them at once, as libgomp does where many are queued. */
bool omptape_tasks_run_where_created(const struct analysis_task_site *site);
/* Returns the site of a task's region or of its creation's region. Returns NULL if out of memory. */
struct analysis_task_site *omptape_analysis_task_site(struct analysis_state *state,
                                                      struct analysis_region *region);
/* These three handle an event of a thread completely. */
void omptape_analysis_task_create(struct analysis_state *state, struct analysis_location *location,
                                  uint64_t time, uint64_t name);
void omptape_analysis_task_depend(struct analysis_state *state, struct analysis_location *location,
                                  const struct omptape_event *event);
void omptape_analysis_task_switch(struct analysis_state *state, struct analysis_location *location,
                                  uint64_t time, uint64_t name);
void omptape_analysis_task_created_by(struct analysis_state *state, struct analysis_location *location,
                                      uint64_t time, struct analysis_region *region);
/* Called before the first event after a creation that is no creation itself, while `created` is still set. */
void omptape_analysis_task_created_after(struct analysis_state *state, struct analysis_location *location,
                                         uint64_t time);
void omptape_analysis_task_enter(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time, struct analysis_frame *frame);
void omptape_analysis_task_leave(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time, struct analysis_frame *frame);
/* A taskwait or a taskgroup ends. If it is the implicit task's, what that creates next follows all that it
 * created before. */
void omptape_analysis_tasks_awaited(const struct analysis_location *location);
/* A team begins within the task (number of the task's frame; 0: none), and ends. */
void omptape_analysis_task_stops(struct analysis_location *location, uint32_t task);
void omptape_analysis_task_continues(struct analysis_location *location);
void omptape_analysis_task_complete(struct analysis_state *state, struct analysis_location *location,
                                    uint64_t time, uint64_t name);
void omptape_analysis_idle_begin(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time);
void omptape_analysis_idle_end(struct analysis_state *state, struct analysis_location *location,
                               uint64_t time);
