/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Executes the model's work again on a model of the runtime. Threads take chunks of loops in turn, locks in
 * the order of requests, and tasks as soon as they are idle. So it works out who waits for whom, also where
 * something is different from the recorded run. Each thread has a processor.
 *
 * Time and memory are proportional to the model's operations. One thread for each simulation.
 */
#pragma once

#include "src/model/model.h"

/* How a loop is executed. */
enum simulate_loop {
    SIMULATE_AS_RECORDED,
    SIMULATE_IN_TURN, /* a thread that is free takes the next chunk; of parts without chunks, a small piece */
    SIMULATE_GUIDED,  /* likewise, but a part of what is left that becomes smaller */
    SIMULATE_STATIC,  /* each thread has chunks by its number */
};

/* What is different at one place. */
struct simulate_rule {
    double factor;    /* of the time that work takes */
    bool no_wait;     /* nobody waits at this barrier, for these tasks or this lock */
    bool is_even;     /* the work is spread over the team's threads, from barrier to barrier */
    bool no_depend;   /* tasks that are created here depend on no others */
    uint32_t threads; /* of the teams of this region that are not nested; 0: as recorded */
    uint32_t pieces;  /* tasks that are created here are so many, each with a part of the work; 0: one */
    uint32_t chunk;   /* iterations that a thread takes at a time; 0: as recorded, or all of its part */
    enum simulate_loop loop;
};

/* One operation on the critical path. */
struct simulate_step {
    uint32_t op;
    uint32_t before; /* the step that had to come first; MODEL_NONE: the beginning */
    uint32_t thread; /* of the model */
};

struct simulate_result {
    uint64_t wall;
    uint32_t forced;             /* waits that would never have ended, which the simulation ended */
    uint32_t last;               /* the step at the end of the critical path; MODEL_NONE: there is none */
    struct simulate_step *steps; /* free it; NULL: not asked for */
};

/* `rules`: one for each of the model's places; NULL: nothing is different. `with_steps`: the result has the
 * critical path. 0, or -ENOMEM. */
int simulate_run(const struct model *model, const struct simulate_rule *rules, bool with_steps,
                 struct simulate_result *result);
