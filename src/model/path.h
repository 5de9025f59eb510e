/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is on the critical path of the unchanged run, from the program's begin to its end. It is a row of
 * operations that each had to come before the next one. Nothing else can make the run shorter.
 */
#pragma once

#include "src/model/simulate.h"

/* All lists are in ns, and freed by path_free. */
struct path {
    uint64_t work; /* of threads on the path; the rest is lag: wake-ups, hand-overs, the runtime */
    uint64_t lag;
    uint64_t *places;  /* by the model's places: work, */
    uint64_t *lags;    /* ...and lag */
    uint64_t *threads; /* by its threads: both */
    uint64_t *samples; /* by its functions: how many; not ns */
    uint64_t sampled;  /* all of them */
};

/* 0, or -ENOMEM. */
int path_find(const struct model *model, const struct simulate_result *result, struct path *path);
void path_free(struct path *path);
