/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulated OpenMP runtime on a simulated machine (machine.h). A program is ordinary C that calls the
 * functions below, from which its records come (session.h): those of LLVM's runtime, in its order. Call sites
 * are those of these calls. What the runtime takes grows with threads and sockets. All functions but the
 * first three are for the simulated threads.
 */
#pragma once

#include "tests/simulate/machine.h"
#include "tests/simulate/session.h"

#include <stdbool.h>
#include <stdint.h>

/* What the runtime takes, ns. */
struct omp_costs {
    uint64_t fork;        /* to make a team ready, */
    uint64_t fork_member; /* ...and for each of its members */
    uint64_t child;       /* a thread wakes up each of its four children in the tree of a barrier, */
    uint64_t level;       /* ...which see it so much later */
    uint64_t lock;        /* to get a lock that nobody has, */
    uint64_t handover;    /* ...and from one that releases it to one that waits */
    uint64_t chunk;       /* to get a chunk, */
    uint64_t chunk_line;  /* ...in which nobody else gets one */
    uint64_t create;      /* to create a task, */
    uint64_t take;        /* to get one, */
    uint64_t take_line;   /* ...in which nobody else of the team gets one */
    bool is_passive;      /* a thread that waits sleeps, as by OMP_WAIT_POLICY; else it spins and yields */
};
/* What machines of so many sockets have. */
struct omp_costs omp_costs_of(unsigned sockets);

/* Has the records of the runtime's threads get what the kernel sees of them (kernel.h). */
extern const struct machine_observer omp_observer;

/* A process: its main thread runs `program` from `time` on; its processors begin with `first`. */
struct omp_process;
struct omp_process *omp_start(struct session *session, const struct omp_costs *costs, unsigned first,
                              void (*program)(void *), void *argument, uint64_t time);
void omp_free(struct omp_process *process);

/* The time of an iteration, ns. */
typedef uint64_t omp_iteration(uint64_t number, void *argument);

/* The name by which LLVM's runtime has it: the writer looks at what is called at a call site. */
#define OMP_CALL(name) __asm__(name) __attribute__((noinline))

/* The records of the calling thread. */
struct session_stream *omp_stream(void);

unsigned omp_number(void);
unsigned omp_size(void);
void omp_compute(uint64_t ns);
/* Is in a library's function for so long, called from here. */
void omp_call(void (*function)(void), uint64_t ns);
/* Sleeps, as in a call of the kernel. */
void omp_sleep(uint64_t ns);

/* What a program's own loop looks at until it changes: all zeros at first. */
struct omp_flag {
    bool is_raised;
    struct omp_thread *first; /* which looks at it */
};
/* The loop is a function that begins with it, and that is never executed. */
void omp_look(struct omp_flag *flag, void (*loop)(void));
void omp_raise(struct omp_flag *flag);

void omp_parallel(unsigned threads, void (*body)(void *), void *argument) OMP_CALL("__kmpc_fork_call");
/* Loops, with the barrier behind them unless `nowait`. */
void omp_for_static(uint64_t iterations, omp_iteration *iteration, void *argument, bool nowait)
    OMP_CALL("__kmpc_for_static_init_8u");
void omp_for_dynamic(uint64_t iterations, uint64_t chunk, omp_iteration *iteration, void *argument)
    OMP_CALL("__kmpc_dispatch_init_8u");
void omp_for_guided(uint64_t iterations, uint64_t chunk, omp_iteration *iteration, void *argument)
    OMP_CALL("__kmpc_dispatch_init_4u");
/* As by schedule(static, chunk). */
void omp_for_cyclic(uint64_t iterations, uint64_t chunk, omp_iteration *iteration, void *argument)
    OMP_CALL("__kmpc_for_static_init_4u");
void omp_barrier(void) OMP_CALL("__kmpc_barrier");
/* The first that comes computes for so long; with its barrier. */
void omp_single(void (*body)(void *), void *argument) OMP_CALL("__kmpc_single");
/* Thread 0 does, and no other. */
void omp_masked(void (*body)(void *), void *argument) OMP_CALL("__kmpc_masked");

/* A lock: critical sections of one name. All zeros at first. */
struct omp_lock {
    struct omp_thread *owner;
    struct omp_thread *first;
    struct omp_thread *last;
};
void omp_critical(struct omp_lock *lock, uint64_t ns) OMP_CALL("__kmpc_critical");

void omp_task(void (*body)(void *), void *argument) OMP_CALL("__kmpc_omp_task");
/* The task depends on the last one with this address, as by depend(inout). */
void omp_task_after(uint64_t address, void (*body)(void *), void *argument)
    OMP_CALL("__kmpc_omp_task_with_deps");
void omp_taskwait(void) OMP_CALL("__kmpc_omp_taskwait");
