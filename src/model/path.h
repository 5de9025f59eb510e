/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path of the unchanged run, from the program's begin to its end. It is a chain of operations in
 * which each one had to wait for the previous one. Only a shorter critical path makes the run shorter.
 */
#pragma once

#include "src/model/simulate.h"

/* Sums of the critical path. All times are in ns; path_free frees the arrays. */
struct path {
    uint64_t work; /* work on the path; the rest is lag: wake-ups, hand-overs, the runtime */
    uint64_t lag;
    uint64_t *places;  /* work by place of the model */
    uint64_t *lags;    /* lag by place */
    uint64_t *threads; /* work and lag by thread */
    uint64_t *samples; /* number of samples by function */
    uint64_t sampled;  /* sum of `samples` */
};

/* Computes the sums. Returns 0 or -ENOMEM. */
int path_find(const struct model *model, const struct simulate_result *result, struct path *path);
void path_free(struct path *path);
