/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the simulation share (simulate.h): threads and the objects they wait for.
 */
#pragma once

#include "src/model/simulate.h"

/* The time of an event and the step that caused it. */
struct sim_moment {
    uint64_t time;
    uint32_t step;
};

/* What a thread executes: a strand or a chunk of a loop. */
struct sim_frame {
    uint32_t op;        /* next operation */
    uint32_t end;       /* operation after the last one; MODEL_NONE: end of the strand */
    uint32_t strand;    /* strand of the operations */
    uint32_t loop;      /* loop whose chunks are reassigned; or MODEL_NONE */
    uint32_t chunk;     /* this thread's next chunk of the loop */
    uint32_t block_end; /* first chunk after this thread's block */
    uint64_t position;  /* static schedule: iterations before `chunk` */
    uint32_t parts;     /* divisor of the work; 0 and 1: none */
    bool is_task;
    bool is_copy;         /* copy of another member's operations, for an additional thread */
    bool even_share_done; /* its even share of work before the next barrier is done */
    bool has_arrived;     /* it has arrived at that barrier */
};

enum sim_state {
    SIM_READY,   /* in the heap */
    SIM_WAITING, /* at a barrier or waiting for tasks; can execute tasks */
    SIM_BLOCKED, /* waiting for a lock, a fork or a call */
    SIM_DONE
};

/* Membership of a thread in a team. */
struct sim_member {
    uint32_t team;
    uint32_t number; /* thread number; 0 for the forking thread */
};

struct sim_thread {
    uint32_t id; /* its index */
    struct sim_moment now;
    enum sim_state state;
    struct sim_frame *frames;
    uint32_t depth;
    uint32_t capacity;
    struct sim_member *teams; /* stack of its teams */
    uint32_t team_depth;
    uint32_t team_capacity;
    uint64_t saved;    /* the runtime's time in its next work that is not spent */
    uint64_t needed;   /* time on a processor that its current work still needs, ns */
    uint64_t work_end; /* earliest end of this work */
    uint32_t work;     /* its operation */
    uint32_t next;     /* next thread in a list of waiting threads */
};

struct sim_strand {
    uint32_t children; /* number of child tasks that have not ended */
    uint32_t waits;    /* number of tasks that it still depends on */
    uint32_t newer;    /* list of the team's ready tasks */
    uint32_t older;
    uint32_t waiter;       /* thread in its taskwait; or MODEL_NONE */
    struct sim_moment end; /* end of its last child */
    struct sim_moment ready;
    uint32_t parts;  /* number of pieces into which it is divided */
    uint32_t pieces; /* pieces that no thread has taken */
    uint32_t open;   /* pieces that have not ended */
    bool is_created;
    bool has_calls;           /* tasks that it created were executed like calls below a cut-off */
    uint32_t level;           /* number of explicit tasks that it is, and is nested in */
    bool ignores_dependences; /* its dependences are ignored */
};

struct sim_team {
    struct sim_moment fork;
    struct sim_moment end; /* end of the last member */
    uint32_t tasks;        /* number of tasks that have not ended */
    uint32_t oldest;       /* list of ready tasks */
    uint32_t newest;
    uint32_t members; /* number of members in it */
    uint32_t numbers; /* number of thread numbers assigned */
    uint32_t ended;
    uint32_t waiting; /* list of threads that can execute tasks */
    uint32_t blocked; /* list of threads that wait for the fork or the end */
    bool is_forked;
};

struct sim_barrier {
    struct sim_moment end;
    uint32_t arrivals;
    bool is_over;
};

struct sim_lock {
    uint32_t holder; /* thread; or MODEL_NONE */
    uint32_t first;  /* list of waiting threads */
    uint32_t last;
};

struct sim_group {
    uint32_t tasks; /* number of tasks that have not ended */
    uint32_t waiter;
    struct sim_moment end;
};

struct sim_sync {
    uint32_t arrivals;
    uint32_t waiting; /* list of waiting threads */
    struct sim_moment end;
};

struct sim_loop {
    uint32_t chunk; /* next chunk */
    uint32_t taken; /* pieces of it that are taken */
    bool has_begun;
    uint64_t left; /* remaining work of a loop without chunks, ns */
    uint64_t piece;
    uint64_t chunk_cost; /* part of a chunk's time in which the thread takes the next one */
    uint64_t turn;       /* where threads queue for that: time in which only one of them can; else 0 */
    struct sim_moment free_at;
    uint64_t iterations; /* iterations of chunks that no thread has taken */
};

struct sim {
    const struct model *model;
    const struct simulate_rule *rules;
    struct sim_thread *threads; /* the model's threads, followed by additional ones for enlarged teams */
    uint32_t thread_count;
    uint32_t unused_threads; /* list of additional threads that are unused */
    double relief;           /* part of the waiting for processors that is gone with fewer threads */
    struct sim_strand *strands;
    struct sim_team *teams; /* one more than in the model: for tasks outside of all teams */
    struct sim_barrier *barriers;
    struct sim_lock *locks;
    struct sim_group *groups;
    struct sim_loop *loops;
    struct sim_sync *syncs;
    struct sim_moment *processors; /* when each is free, a heap, earliest first; NULL: each thread has one */
    uint64_t processor_count;
    uint64_t slice;   /* time that a thread has a processor while others want it, ns */
    uint64_t *shares; /* even share of work per thread before each barrier; or NULL */
    uint32_t *heap;   /* ready threads, earliest first */
    uint32_t heap_count;
    struct simulate_step *steps; /* NULL if not requested */
    uint32_t step_count;
    uint32_t step_capacity;
    uint32_t forced;
    bool no_memory;
};

static inline struct sim_frame *sim_top(const struct sim_thread *thread)
{
    return &thread->frames[thread->depth - 1];
}

/* Returns the thread's innermost team. */
static inline struct sim_team *sim_team_of(const struct sim *sim, const struct sim_thread *thread)
{
    return &sim->teams[thread->team_depth > 0 ? thread->teams[thread->team_depth - 1].team
                                              : sim->model->teams.count];
}

/* Advances the thread's time to `moment` if that is later. */
void sim_advance_to(struct sim_thread *thread, const struct sim_moment *moment);

/* Makes a waiting thread ready, not before `moment`. */
void sim_wake(struct sim *sim, uint32_t thread, const struct sim_moment *moment);

/* Advances the thread's time by `ns` for operation `op`, and records a step if requested. */
void sim_advance_by(struct sim *sim, struct sim_thread *thread, uint32_t op, uint64_t ns);

/* Lets the thread work for `ns`. It has a processor for a part, `needed`, of this time. */
void sim_compute(struct sim *sim, struct sim_thread *thread, uint32_t op, uint64_t ns, uint64_t needed);

/* Returns the rule of a place, or NULL if nothing is changed. */
static inline const struct simulate_rule *sim_rule(const struct sim *sim, uint32_t place)
{
    return sim->rules != NULL ? &sim->rules[place] : NULL;
}

static inline const struct model_op *sim_op(const struct sim *sim, uint32_t op)
{
    return &sim->model->ops.list[op];
}

/* Returns true if all operations from `first` to `end` are work, so that they can be divided. */
bool sim_is_work_alone(const struct sim *sim, uint32_t first, uint32_t end);

bool sim_push(struct sim *sim, struct sim_thread *thread, struct sim_frame frame);

/* Returns the size of the team in this simulation. */
static inline uint32_t sim_size(const struct sim *sim, uint32_t team_id)
{
    const struct model_team *team = &sim->model->teams.list[team_id];
    const uint32_t threads = sim->rules != NULL ? sim->rules[team->region].threads : 0;
    return threads > 0 && !team->is_nested ? threads : team->size;
}

/* Returns the simulated duration of a work operation. */
uint64_t sim_work(const struct sim *sim, const struct model_op *op);

/* Returns an operation's lag at a place: the shortest there if a missing processor, now there, explains
 * it. */
uint64_t sim_lag(const struct sim *sim, const struct model_op *op, uint32_t place);

/* Advances the thread to its next operation. */
static inline void sim_next_op(const struct sim *sim, const struct sim_thread *thread)
{
    sim_top(thread)->op = sim->model->ops.list[sim_top(thread)->op].next;
}

/* Performs the thread's next operation, unless the thread must wait. */
typedef void sim_do(struct sim *sim, struct sim_thread *thread, const struct model_op *op);

/* simulate_teams.c: teams. */
sim_do sim_fork, sim_begin_team, sim_end_team, sim_join;
/* Blocks the thread in a list, and wakes all threads of one. */
void sim_block(struct sim_thread *thread, uint32_t *wait_list);
void sim_wake_list(struct sim *sim, uint32_t *wait_list, const struct sim_moment *moment);
/* Returns the work of a thread's part of a loop without chunks, in a team of changed size. */
uint64_t sim_slice(const struct sim *sim, const struct sim_thread *thread, const struct model_loop *loop);

/* simulate_waits.c: locks, barriers, taskwaits and taskgroups. */
sim_do sim_acquire, sim_release;
/* Hands the lock to the thread that has waited longest. */
void sim_grant_lock(struct sim *sim, struct sim_lock *lock, const struct sim_moment *moment);
/* The thread is at a barrier, taskwait or taskgroup's end. It goes on or runs a task if it can, else
 * waits. */
sim_do sim_wait;

/* simulate_mpi.c: calls of MPI. */
sim_do sim_begin_call, sim_end_call;
/* Lets the thread continue although events that its call needs are missing in the trace. */
void sim_force_call(struct sim *sim, const struct sim_thread *thread, const struct model_op *op);

/* simulate_loops.c: loops. */
sim_do sim_begin_loop, sim_take_chunk;
/* Returns the simulated work of a thread's part of a loop. */
uint64_t sim_part_work(const struct sim *sim, const struct model_part *part);

/* simulate_tasks.c: tasks. */
sim_do sim_create;
void sim_complete(struct sim *sim, struct sim_thread *thread, uint32_t strand);
bool sim_take_task(struct sim *sim, struct sim_thread *thread);
void sim_stop_waiting(struct sim *sim, const struct sim_thread *thread);
void sim_end_barrier(struct sim *sim, const struct sim_thread *thread, uint32_t barrier);
