/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs for the simulated runtime (runtime.h): with one problem, and repaired; with what a scenario of
 * `omptape whatif` changes, and after that change; or with a known reason why more threads are not faster.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct program {
    const char *name;
    void (*run)(void *); /* the main thread of a process; NULL: it runs parallel regions of `region` alone */
    void (*region)(void *);
    unsigned steps;       /* how many of these */
    const char *kind;     /* of the finding that names the problem; NULL: there is none */
    bool has_ranks;       /* it is one of MPI's */
    double crowd;         /* threads for each processor, if that is not 1: they are not bound */
    unsigned processors;  /* their number, whatever that of the threads; 0: by `crowd` */
    bool has_queues;      /* such threads queue for single processors, as on Linux, and not for all */
    double others;        /* other programs for each processor, which run for a part of the time */
    const char *scenario; /* predicts the repaired run; HERE is the marked line; or NULL */
    const char *loss;     /* what `omptape scale` must name; or NULL */
};

/* problems.c, edits.c, scaling.c. The last one of a list has no name. */
extern const struct program problems[];
extern const struct program edits[];
extern const struct program scaling[];

/* problems_ranks.c: problems of several processes. */
void problem_exchange(void *argument);
void problem_turns(void *argument);
void problem_stencil(void *argument);
void problem_reduce(void *argument);

/* Runs a program on the main thread of a process. `program` is its row above. */
void program_run(void *program);

/* What the programs' runs differ by. */
struct program_choice {
    unsigned threads;
    unsigned processors;
    bool is_repaired;
};
extern struct program_choice choice;

/* The place of the problem, or of what a scenario changes, and the rank that others wait for; -1: none. */
extern const char *marked_file;
extern int marked_line;
extern int awaited_rank;
#define AT(call) ((void)(marked_file = __FILE__, marked_line = __LINE__), (call))

/* A loop of equal work that programs have beside what matters: so long for each thread. */
void healthy_loop(uint64_t ns);
