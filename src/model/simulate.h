/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Executes the model's work again on a model of the runtime. Threads take chunks of loops in turn, locks in
 * the order of requests, and tasks as soon as they are idle. The simulation thus computes who waits for whom,
 * also under changed conditions. Where there are more threads than processors, they take turns.
 *
 * Memory is proportional to the number of operations, and so is time but for searches in heaps of threads and
 * processors. Threads that take turns add slices of time, at most about a million whatever the run took. Each
 * simulation runs on one thread.
 */
#pragma once

#include "src/model/model.h"

/* How a loop is executed. */
enum simulate_loop {
    SIMULATE_AS_RECORDED,
    SIMULATE_IN_TURN, /* a free thread takes the next chunk, or a small piece if there are no chunks */
    SIMULATE_GUIDED,  /* a free thread takes a decreasing part of the rest */
    SIMULATE_STATIC,  /* chunks are assigned by thread number */
};

/* Changes at one place. */
struct simulate_rule {
    double factor;    /* factor on the duration of work */
    bool no_wait;     /* no thread waits at this barrier, for these tasks or for this lock */
    bool is_even;     /* the work is distributed evenly over the team, from barrier to barrier */
    bool no_depend;   /* tasks created here have no dependences */
    uint32_t threads; /* size of this region's teams that are not nested; 0: as recorded */
    uint32_t pieces;  /* each task created here is divided into so many tasks; 0: one */
    uint32_t levels;  /* tasks created here below so many others are executed at once; 0: none */
    uint32_t chunk;   /* iterations that a thread takes at a time; 0: as recorded, or its whole part */
    enum simulate_loop loop;
};

enum { SIMULATE_THREAD_BITS = 64 - MODEL_NS_BITS };

/* One operation, or a part of it, on the critical path. */
struct simulate_step {
    uint64_t ns : MODEL_NS_BITS; /* its part of the operation's time: a slice, if threads take turns */
    uint64_t thread : SIMULATE_THREAD_BITS; /* thread of the model */
    uint32_t op;
    uint32_t before; /* previous step; MODEL_NONE at the begin */
};

struct simulate_result {
    uint64_t wall;
    uint32_t forced; /* number of waits that the simulation ended because they would never have ended */
    uint32_t last;   /* last step of the critical path; or MODEL_NONE */
    struct simulate_step *steps; /* the caller frees it; NULL if not requested */
};

/* Lets threads take turns on the program's processors if there were more threads, and if all threads share
 * these processors. Does so only if the unchanged run then takes as long as without. Otherwise the record
 * does not show when threads needed a processor, for example because they slept. Returns 0 or -ENOMEM. */
int simulate_share_processors(struct model *model);

/* Simulates the run. `rules` has one entry per place of the model, or is NULL for the unchanged run.
 * `with_steps` requests the critical path. Returns 0 or -ENOMEM. */
int simulate_run(const struct model *model, const struct simulate_rule *rules, bool with_steps,
                 struct simulate_result *result);
