/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the simulated runtime share: its structures, and functions of one for the others.
 */
#pragma once

#include "tests/simulate/kernel.h"
#include "tests/simulate/machine.h"
#include "tests/simulate/runtime.h"

enum { LOOPS = 64, ADDRESSES = 1024 };

struct task {
    uint64_t id;
    void (*body)(void *);
    void *argument;
    struct task *next;   /* in the team's queue */
    struct task *parent; /* NULL: an implicit task */
    struct omp_thread *creator;
    struct task *follower; /* which waits for this one */
    unsigned children;     /* of an explicit task, that are not complete */
    unsigned blockers;     /* so many it waits for */
    bool complete;
};

struct loop {
    uint64_t next;
    uint64_t free_at; /* when the next chunk may be taken */
    unsigned left;    /* members that are through */
};

struct team {
    struct omp_process *process;
    uint64_t region;
    unsigned size;
    struct omp_thread **members;
    struct team *outer;
    unsigned arrived;
    unsigned generation; /* of the barrier */
    uint64_t opens;
    struct loop loops[LOOPS];
    uint64_t singles; /* how many have been entered first by somebody */
    struct task *first_task;
    struct task *last_task;
    uint64_t queue_free_at;
    unsigned pending; /* tasks that are not complete */
    void (*body)(void *);
    void *argument;
};

struct omp_thread {
    struct omp_process *process;
    struct machine_thread *machine;
    struct session_stream stream;
    struct kernel_thread kernel;
    bool is_initial;
    bool place_known;
    struct team *team; /* NULL: the initial task */
    unsigned index;
    uint64_t loops; /* that it has entered in this team */
    uint64_t singles;
    struct task *task;      /* NULL: the implicit one */
    unsigned children;      /* of the implicit task, that are not complete */
    bool idle;              /* parked, to be woken once */
    struct team *next_team; /* of a worker: it begins in this one, */
    unsigned next_index;    /* ...with this number, */
    uint64_t next_begin;    /* ...then */
    bool in_barrier;        /* a worker in the last barrier of `left` */
    uint64_t left;          /* that region */
    unsigned left_index;
    struct omp_thread **hot; /* the workers of its last team */
    unsigned hot_count;
    struct omp_thread *next; /* in the pool, in a lock's line, or at a flag */
    unsigned processor;
};

struct omp_process {
    struct session *session;
    struct omp_costs costs;
    unsigned first_processor;
    unsigned thread_count;
    struct omp_thread **threads;
    struct omp_thread *pool;
    bool is_over;
    void (*program)(void *);
    void *argument;
    struct task *writers[ADDRESSES]; /* the last task of each address */
};

/* runtime.c */
void *runtime_get(size_t count, size_t bytes);
struct omp_thread *runtime_self(void);
uint64_t runtime_site(const void *return_address);
/* Spins. */
void runtime_spend_until(uint64_t time);
void runtime_wake(struct omp_thread *thread, uint64_t time);
/* Waits until it is woken. */
void runtime_wait(struct omp_thread *thread);
/* Begins and ends what is recorded of the calling thread. */
void runtime_begin_records(struct omp_thread *thread, unsigned type);
void runtime_end_records(struct omp_thread *thread);
/* Takes a turn at what only one can do at a time. Returns when it is over. */
uint64_t runtime_turn(uint64_t *free_at, uint64_t line);
void runtime_begin_sync(struct omp_thread *thread, unsigned kind, uint64_t site);
void runtime_end_sync(struct omp_thread *thread, unsigned kind);
struct omp_thread *runtime_new_thread(struct omp_process *process);

/* teams.c */
void runtime_open_if_all_came(struct team *team);
void runtime_wait_in_barrier(struct omp_thread *thread, unsigned kind, uint64_t site);

/* tasks.c */
uint64_t runtime_task_id(const struct omp_thread *thread);
/* Runs a task of the thread's team. Returns false if there is none. */
bool runtime_run_task(struct omp_thread *thread);
