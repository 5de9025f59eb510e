/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the simulation share (simulate.h): the state of threads, and of what they wait for.
 */
#pragma once

#include "src/model/simulate.h"

/* A moment at which something came about, and the step that brought it about. */
struct sim_moment {
    uint64_t time;
    uint32_t step;
};

/* What a thread executes: a strand, or a chunk of a loop. */
struct sim_frame {
    uint32_t op;       /* the next one */
    uint32_t end;      /* the one behind the last; MODEL_NONE: the strand's end */
    uint32_t strand;   /* that the operations belong to */
    uint32_t loop;     /* whose chunks are divided anew; or MODEL_NONE */
    uint32_t chunk;    /* of these: the next one that is this thread's, */
    uint32_t behind;   /* ...and the first one that is not; */
    uint64_t position; /* ...or how many iterations are before the next one */
    uint32_t parts;    /* the work is divided by that; 0: it is not */
    bool is_task;
    bool is_copy;    /* of what another member did, for one that was not there */
    bool has_shared; /* its part of work that is even, before the barrier that is the next operation */
    bool has_come;   /* ...to that */
};

enum sim_state {
    SIM_READY,   /* in the heap */
    SIM_WAITING, /* at a barrier or for tasks: it can execute some */
    SIM_BLOCKED, /* for a lock or a fork */
    SIM_DONE
};

/* A thread is in a team. */
struct sim_member {
    uint32_t team;
    uint32_t number; /* 0: it forked the team */
};

struct sim_thread {
    struct sim_moment now;
    enum sim_state state;
    struct sim_frame *frames;
    uint32_t depth;
    uint32_t room;
    struct sim_member *teams; /* that it is in */
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
    uint32_t parts;  /* it is divided by that */
    uint32_t pieces; /* that nobody has taken, */
    uint32_t open;   /* ...and that have not ended */
    bool is_created;
    bool is_free; /* of what it depends on */
};

struct sim_team {
    struct sim_moment fork;
    struct sim_moment end; /* of the last member */
    uint32_t tasks;        /* that have not ended */
    uint32_t oldest;       /* ready tasks */
    uint32_t newest;
    uint32_t members; /* that are in it, */
    uint32_t numbers; /* ...and that have a number */
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

struct sim_meeting {
    uint32_t arrivals;
    uint32_t waiting; /* the first thread that does */
    struct sim_moment end;
};

struct sim_loop {
    uint32_t chunk; /* the next one, */
    uint32_t taken; /* ...and how many pieces of it are taken */
    bool has_begun;
    uint64_t left; /* work of parts without chunks, in ns, */
    uint64_t piece;
    uint64_t iterations; /* of chunks that nobody has taken */
};

struct sim {
    const struct model *model;
    const struct simulate_rule *rules;
    struct sim_thread *threads; /* of the model, and more where teams are to be larger */
    uint32_t thread_count;
    uint32_t spare;  /* the first of those that has nothing to do */
    bool is_resized; /* some teams are to have another size */
    struct sim_strand *strands;
    struct sim_team *teams; /* one more than the model has: outside of all */
    struct sim_barrier *barriers;
    struct sim_lock *locks;
    struct sim_group *groups;
    struct sim_loop *loops;
    struct sim_meeting *meetings;
    uint64_t *shares; /* of each thread, before each barrier: of the work that is even; or NULL */
    uint32_t *heap;   /* threads that are ready, the earliest first */
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
    return &sim->teams[thread->team_depth > 0 ? thread->teams[thread->team_depth - 1].team
                                              : sim->model->teams.count];
}

/* The thread is at that moment now, if it was earlier. */
void sim_later(struct sim_thread *thread, const struct sim_moment *moment);

/* The thread can go on, not before the moment. */
void sim_wake(struct sim *sim, uint32_t thread, const struct sim_moment *moment);

/* So much time passes on the thread, by the operation. */
void sim_spend(struct sim *sim, uint32_t thread, uint32_t op, uint64_t ns);

/* The rule of the place; NULL: nothing is different. */
static inline const struct simulate_rule *sim_rule(const struct sim *sim, uint32_t place)
{
    return sim->rules != NULL ? &sim->rules[place] : NULL;
}

static inline const struct model_op *sim_op(const struct sim *sim, uint32_t op)
{
    return &sim->model->ops.list[op];
}

/* Are all operations up to this one the thread's own work, so that they can be divided? */
bool sim_is_work_alone(const struct sim *sim, uint32_t first, uint32_t end);

bool sim_push(struct sim *sim, struct sim_thread *thread, struct sim_frame frame);

/* The size of the team in this simulation. */
static inline uint32_t sim_size(const struct sim *sim, uint32_t team_id)
{
    const struct model_team *team = &sim->model->teams.list[team_id];
    const uint32_t threads = sim->rules != NULL ? sim->rules[team->region].threads : 0;
    return threads > 0 && !team->is_nested ? threads : team->size;
}

/* So long the thread works at it. */
uint64_t sim_work(const struct sim *sim, uint32_t thread, const struct model_op *op);

/* The thread goes on with its next operation. */
static inline void sim_go_on(const struct sim *sim, const struct sim_thread *thread)
{
    sim_top(thread)->op = sim->model->ops.list[sim_top(thread)->op].next;
}

/* simulate_teams.c */
void sim_fork(struct sim *sim, struct sim_thread *thread, const struct model_op *op);
void sim_begin_team(struct sim *sim, uint32_t thread, const struct model_op *op);
void sim_end_team(struct sim *sim, struct sim_thread *thread, const struct model_op *op);
void sim_join(struct sim *sim, uint32_t thread, const struct model_op *op);
void sim_block(struct sim *sim, uint32_t thread, uint32_t *row);
void sim_wake_row(struct sim *sim, uint32_t *row, const struct sim_moment *moment);
/* A thread with a number of this team, which has another size, executes its part of the loop. */
uint64_t sim_slice(const struct sim *sim, uint32_t thread, const struct model_loop *loop);

/* simulate_calls.c */
void sim_begin_call(struct sim *sim, struct sim_thread *thread, const struct model_op *op);
void sim_end_call(struct sim *sim, uint32_t thread, const struct model_op *op);
/* The thread goes on, though what its call needs is missing in the trace. */
void sim_force_call(struct sim *sim, const struct sim_thread *thread, const struct model_op *op);

/* simulate_loops.c */
void sim_begin_loop(struct sim *sim, uint32_t thread, const struct model_op *op);
void sim_take_chunk(struct sim *sim, struct sim_thread *thread, const struct model_op *op);

/* simulate_tasks.c */
void sim_create(struct sim *sim, uint32_t thread, const struct model_op *op);
void sim_complete(struct sim *sim, uint32_t thread, uint32_t strand);
bool sim_take_task(struct sim *sim, uint32_t thread);
void sim_stop_waiting(struct sim *sim, uint32_t thread);
void sim_end_barrier(struct sim *sim, uint32_t thread, uint32_t barrier);
