/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which host operation a CUDA activity belongs to: CUPTI explains its correlation ids in records of their
 * own, before the activities or after them. The newest explanations are remembered.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_CORRELATIONS_H
#define OMPTAPE_WRITERS_DEVICES_CORRELATIONS_H

#include "src/core/hash.h"

/* As many as there may be operations that wait for their records (operations.c). */
enum { OMPTAPE_MOST_CORRELATIONS = 1 << 20 };

/* All zero: none. */
struct omptape_correlations {
    struct omptape_hash operations; /* by correlation id */
    uint64_t *ring;                 /* correlation ids, the oldest at `next` once it is full */
    uint32_t count;
    uint32_t capacity;
    uint32_t next;
};

/* Neither is 0. */
void omptape_correlations_put(struct omptape_correlations *correlations, uint64_t correlation,
                              uint64_t operation);
/* The operation's identity; 0: not known, or not any more. */
uint64_t omptape_correlations_get(const struct omptape_correlations *correlations, uint64_t correlation);
void omptape_correlations_free(struct omptape_correlations *correlations);

#endif
