/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Explicit tasks. Of each site it is known how many there were, how long they took and how they were begun.
 * Of each team it is known what is queued, what runs, and when a thread has nothing to do.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_state;
struct analysis_location;
struct analysis_frame;
struct analysis_waiting_task;

/* The tasks of one site, while they are counted. */
struct analysis_task_site {
    struct analysis_tasks result;
    struct analysis_durations before; /* from the event before to each creation, */
    struct analysis_durations after;  /* ...and from it to the next event that is none */
    uint64_t bin_sums[ANALYSIS_BINS]; /* of both */
    uint64_t handling_parts;          /* wall, 1/256 tick */
    uint64_t handling_records;        /* that are in it: 1/256, by threads likewise */
    uint64_t threads;                 /* of the largest team */
    uint64_t created_inside;          /* tasks that tasks created */
    uint64_t at_once;                 /* threads in one now, */
    uint64_t ran;                     /* ...and thread time in one, until: */
    uint64_t ran_until;
    uint64_t dependent; /* tasks that depend on others */
    uint64_t begun;     /* of this pass: so many parts were begun */
    uint64_t
        outlasted; /* of what was starved: for one that began beside the thread's own last, and was longer */
};

/* Places of tasks whose times are told apart while a thread has nothing to do: the first ones. */
enum { ANALYSIS_SITES_APART = 8 };

/* A stretch in which the thread had nothing to do: state of its team when it began. */
struct analysis_idle {
    uint64_t begin;
    uint64_t ran[ANALYSIS_SITES_APART]; /* thread time in tasks of each place, */
    uint32_t site_count;                /* ...of those that there were: of others none */
    uint64_t queue_time;
    uint64_t alone_time;
    uint64_t stall_time;
    uint64_t records; /* of the location so far */
};

/* Of a thread. */
struct analysis_task_steps {
    bool has_switched;                          /* to an explicit task, by the last event, */
    uint64_t switched_chain;                    /* ...to whose begin is the longest chain; */
    uint64_t left_chain;                        /* and to the end of the task that was left last, */
    const struct analysis_task_site *left_site; /* ...which was one of these, */
    uint64_t left_work;                         /* ...was at work for so long, */
    uint64_t left_end;                          /* ...and ended then */
    struct analysis_waiting_task *created_task; /* the last one (chain.c) */
    struct analysis_task_site *created;         /* whose task the last event created; or NULL */
    uint64_t since; /* as much as the location had worked when the innermost task became that */
    struct analysis_idle idle;
};

/* Did more than one of these tasks follow each other, by creation or dependences? */
bool omptape_tasks_are_chain(const struct analysis_tasks *tasks);
/* The site of a task's region, or of that of its creation. NULL: no memory. */
struct analysis_task_site *omptape_analysis_task_site(struct analysis_state *state,
                                                      struct analysis_region *region);
/* OTF2's name of a task within an instance of its team: the thread that created it, and which of that one's.
 */
static inline uint64_t omptape_analysis_task_name(uint64_t creator, uint64_t generation)
{
    return creator << 32 | generation;
}
/* These three are a thread's events, wholly. */
void omptape_analysis_task_create(struct analysis_state *state, struct analysis_location *location,
                                  uint64_t time, uint64_t name);
void omptape_analysis_task_depend(struct analysis_state *state, struct analysis_location *location,
                                  const struct omptape_event *event);
void omptape_analysis_task_switch(struct analysis_state *state, struct analysis_location *location,
                                  uint64_t time, uint64_t name);
void omptape_analysis_task_created_by(struct analysis_state *state, struct analysis_location *location,
                                      uint64_t time, struct analysis_region *region);
/* The first event after a creation that is none: before it, and before `created` is none any more. */
void omptape_analysis_task_created_after(struct analysis_state *state, struct analysis_location *location,
                                         uint64_t time);
void omptape_analysis_task_enter(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time, struct analysis_frame *frame);
void omptape_analysis_task_leave(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time, struct analysis_frame *frame);
/* A team begins within it (the number of its frame; 0: none), and ends. */
void omptape_analysis_task_stops(struct analysis_location *location, uint32_t task);
void omptape_analysis_task_goes_on(struct analysis_location *location);
void omptape_analysis_task_complete(struct analysis_state *state, struct analysis_location *location,
                                    uint64_t time, uint64_t name);
void omptape_analysis_idle_begin(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time);
void omptape_analysis_idle_end(struct analysis_state *state, struct analysis_location *location,
                               uint64_t time);
