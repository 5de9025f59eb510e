/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the simulation share (simulate.h): the state of threads, and of what they wait for.
 */
#ifndef OMPTAPE_MODEL_SIMULATE_STATE_H
#define OMPTAPE_MODEL_SIMULATE_STATE_H

#include "src/model/simulate.h"

/* A moment at which something came about, and the step that brought it about. */
struct sim_moment {
    uint64_t time;
    uint32_t step;
};

/* What a thread executes: a strand, or a chunk of a loop. */
struct sim_frame {
    uint32_t op;     /* the next one */
    uint32_t end;    /* the one behind the last; MODEL_NONE: the strand's end */
    uint32_t strand; /* that the operations belong to */
    uint32_t loop;   /* whose chunks are taken in turn; or MODEL_NONE */
    bool is_task;
    bool has_come; /* to the barrier that is the next operation */
};

enum sim_state {
    SIM_READY,   /* in the heap */
    SIM_WAITING, /* at a barrier or for tasks: it can execute some */
    SIM_BLOCKED, /* for a lock or a fork */
    SIM_DONE
};

struct sim_thread {
    struct sim_moment now;
    enum sim_state state;
    struct sim_frame *frames;
    uint32_t depth;
    uint32_t room;
    uint32_t *teams; /* that it is in */
    uint32_t team_depth;
    uint32_t team_room;
    uint32_t next; /* in a row of those that wait */
};

struct sim_strand {
    uint32_t children; /* that have not ended */
    uint32_t waits;    /* for so many tasks */
    uint32_t newer;    /* in the team's row of ready tasks */
    uint32_t older;
    uint32_t waiter;       /* the thread in its taskwait; or MODEL_NONE */
    struct sim_moment end; /* of its last child */
    struct sim_moment ready;
    bool is_created;
};

struct sim_team {
    struct sim_moment fork;
    struct sim_moment end; /* of the last member */
    uint32_t tasks;        /* that have not ended */
    uint32_t oldest;       /* ready tasks */
    uint32_t newest;
    uint32_t members; /* that are in it */
    uint32_t ended;
    uint32_t waiting; /* the first thread that can execute tasks */
    uint32_t blocked; /* the first thread that waits for the fork or the end */
    bool is_forked;
};

struct sim_barrier {
    struct sim_moment end;
    uint32_t arrivals;
    bool is_over;
};

struct sim_lock {
    uint32_t holder; /* thread; or MODEL_NONE */
    uint32_t first;  /* that waits */
    uint32_t last;
};

struct sim_group {
    uint32_t tasks; /* that have not ended */
    uint32_t waiter;
    struct sim_moment end;
};

struct sim_loop {
    uint32_t chunk; /* the next one */
    bool has_begun;
    uint64_t left; /* work of parts without chunks, in ns, */
    uint64_t piece;
};

struct sim {
    const struct model *model;
    const struct simulate_rule *rules;
    struct sim_thread *threads;
    struct sim_strand *strands;
    struct sim_team *teams; /* one more than the model has: outside of all */
    struct sim_barrier *barriers;
    struct sim_lock *locks;
    struct sim_group *groups;
    struct sim_loop *loops;
    uint32_t *heap; /* threads that are ready, the earliest first */
    uint32_t heap_count;
    struct simulate_step *steps; /* or NULL: not asked for */
    uint32_t step_count;
    uint32_t step_room;
    uint32_t forced;
    bool no_memory;
};

static inline struct sim_frame *sim_top(const struct sim_thread *thread)
{
    return &thread->frames[thread->depth - 1];
}

/* The thread's innermost team. */
static inline struct sim_team *sim_team_of(const struct sim *sim, const struct sim_thread *thread)
{
    return &sim->teams[thread->team_depth > 0 ? thread->teams[thread->team_depth - 1]
                                              : sim->model->teams.count];
}

/* The thread can go on, not before the moment. */
void sim_wake(struct sim *sim, uint32_t thread, const struct sim_moment *moment);

/* So much time passes on the thread, by the operation. */
void sim_spend(struct sim *sim, uint32_t thread, uint32_t op, uint64_t ns);

bool sim_push(struct sim *sim, struct sim_thread *thread, struct sim_frame frame);

/* simulate_tasks.c */
void sim_create(struct sim *sim, uint32_t thread, uint32_t strand, bool at_once);
void sim_complete(struct sim *sim, uint32_t thread, uint32_t strand);
bool sim_take_task(struct sim *sim, uint32_t thread);
void sim_stop_waiting(struct sim *sim, uint32_t thread);
void sim_end_barrier(struct sim *sim, uint32_t thread, uint32_t barrier);

#endif
