/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs for the simulated runtime (runtime.h): each with one problem, and repaired.
 */
#pragma once

#include <stdbool.h>

struct program {
    const char *name;
    void (*run)(void *); /* the main thread of a process; NULL: it runs parallel regions of `region` alone */
    void (*region)(void *);
    unsigned steps;   /* how many of these */
    const char *kind; /* of the finding that names the problem; NULL: there is none */
    bool has_ranks;   /* it is one of MPI's */
    double crowd;     /* threads for each processor, if that is not 1: they are not bound */
    double others;    /* other programs for each processor, which run for a part of the time */
};
extern const struct program programs[];
extern const unsigned program_count;

/* Runs a program on the main thread of a process. `program` is its row above. */
void program_run(void *program);

/* What the programs' runs differ by. */
struct program_choice {
    unsigned threads;
    unsigned processors;
    bool is_repaired;
};
extern struct program_choice choice;

/* The line in programs.c of the problem, and the rank that others wait for; -1: none. */
extern int problem_line;
extern int awaited_rank;
