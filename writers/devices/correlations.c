/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of CUDA's correlation ids, which forgets the oldest. Called by the writer's translating thread.
 */
#include "writers/devices/correlations.h"

#include <stdbool.h>
#include <stdlib.h>

static void forget(struct omptape_correlations *correlations, size_t place)
{
    (void)omptape_hash_take(&correlations->operations, correlations->ring[place]);
}

static bool make_room(struct omptape_correlations *correlations)
{
    if (correlations->count < correlations->capacity || correlations->count == OMPTAPE_MOST_CORRELATIONS)
        return true;
    size_t capacity = correlations->capacity != 0 ? correlations->capacity * 2 : 1024;
    uint64_t *ring = realloc(correlations->ring, capacity * sizeof(*ring));
    if (ring == NULL)
        return false;
    correlations->ring = ring;
    correlations->capacity = capacity;
    return true;
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
        forget(correlations, correlations->next);
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
