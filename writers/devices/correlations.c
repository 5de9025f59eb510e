/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of CUDA's correlation ids, which forgets the oldest. Called by records.c and operations.c.
 */
#include "writers/devices/correlations.h"

#include "src/core/array.h"

#include <stdbool.h>
#include <stdlib.h>

static void forget_correlation(struct omptape_correlations *correlations, uint32_t place)
{
    (void)omptape_hash_take(&correlations->operations, correlations->ring[place]);
}

static bool make_room(struct omptape_correlations *correlations)
{
    if (correlations->count == OMPTAPE_MOST_CORRELATIONS)
        return true;
    uint64_t *ring = omptape_array_reserve(correlations->ring, correlations->count + 1,
                                           &correlations->capacity, sizeof(*ring));
    if (ring != NULL)
        correlations->ring = ring;
    return ring != NULL;
}

void omptape_correlations_put(struct omptape_correlations *correlations, uint64_t correlation,
                              uint64_t operation)
{
    void *value = (void *)(uintptr_t)operation;
    /* The innermost of several that are pushed comes last. */
    if (omptape_hash_get(&correlations->operations, correlation) != NULL) {
        omptape_hash_put(&correlations->operations, correlation, value);
        return;
    }
    if (!make_room(correlations))
        return;
    if (correlations->count == OMPTAPE_MOST_CORRELATIONS)
        forget_correlation(correlations, correlations->next);
    else
        correlations->next = correlations->count++;
    correlations->ring[correlations->next] = correlation;
    correlations->next = (correlations->next + 1) % OMPTAPE_MOST_CORRELATIONS;
    omptape_hash_put(&correlations->operations, correlation, value);
}

uint64_t omptape_correlations_get(const struct omptape_correlations *correlations, uint64_t correlation)
{
    return (uintptr_t)omptape_hash_get(&correlations->operations, correlation);
}

void omptape_correlations_free(struct omptape_correlations *correlations)
{
    omptape_hash_free(&correlations->operations);
    free(correlations->ring);
    *correlations = (struct omptape_correlations){.count = 0};
}
