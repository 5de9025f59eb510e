/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the table of host operations, which stay in it while their records may come.
 */
#include "writers/devices/operations.h"

#include "src/core/array.h"

#include <stdlib.h>
#include <string.h>

static bool reserve_ring(struct omptape_correlations *correlations)
{
    return correlations->count == OMPTAPE_MAX_CORRELATIONS ||
           OMPTAPE_RESERVE(correlations->ring, correlations->count + 1, &correlations->capacity);
}

void omptape_correlations_insert(struct omptape_correlations *correlations, uint64_t correlation,
                                 uint64_t operation)
{
    void *value = (void *)(uintptr_t)operation;
    /* If several ids are pushed, the innermost comes last and is kept. */
    if (omptape_hash_get(&correlations->operations, correlation) != NULL) {
        omptape_hash_put(&correlations->operations, correlation, value);
        return;
    }
    if (!reserve_ring(correlations))
        return;
    if (correlations->count == OMPTAPE_MAX_CORRELATIONS)
        (void)omptape_hash_remove_key(&correlations->operations, correlations->ring[correlations->next]);
    else
        correlations->next = correlations->count++;
    correlations->ring[correlations->next] = correlation;
    correlations->next = (correlations->next + 1) % OMPTAPE_MAX_CORRELATIONS;
    omptape_hash_put(&correlations->operations, correlation, value);
}

uint64_t omptape_correlations_lookup(const struct omptape_correlations *correlations, uint64_t correlation)
{
    return (uintptr_t)omptape_hash_get(&correlations->operations, correlation);
}

void omptape_correlations_free(struct omptape_correlations *correlations)
{
    omptape_hash_free(&correlations->operations);
    free(correlations->ring);
    *correlations = (struct omptape_correlations){.count = 0};
}

/* Number of operations kept: after one whose record came (a record may come twice or in parts), and while
 * records are missing. */
enum { KEEP_MATCHED = 1 << 15, KEEP_WAITING = 1 << 20 };
/* Most operations of a target region compared with a record without an id. */
enum { MAX_COMPARISONS = 1024 };

void omptape_operations_begin_target(struct omptape_operations *operations, uint64_t id,
                                     const struct omptape_target *target)
{
    struct omptape_target *kept = malloc(sizeof(*kept));
    if (kept == NULL)
        return;
    *kept = *target;
    if (omptape_hash_add(&operations->targets, id, kept) != 0)
        free(kept);
}

void omptape_operations_end_target(struct omptape_operations *operations, uint64_t id)
{
    free(omptape_hash_remove_key(&operations->targets, id));
}

const struct omptape_target *omptape_operations_target(const struct omptape_operations *operations,
                                                       uint64_t id)
{
    return omptape_hash_get(&operations->targets, id);
}

void omptape_operations_acquire(struct omptape_operation *operation)
{
    if (operation != NULL)
        operation->users++;
}

static void free_unused(struct omptape_operation *operation)
{
    if (operation->users == 0 && !operation->in_table)
        free(operation);
}

void omptape_operations_release(struct omptape_operation *operation)
{
    if (operation == NULL)
        return;
    operation->users--;
    free_unused(operation);
}

/* Removes the operation from the chain of its target region. It is the oldest and therefore the first one. */
static void remove_from_target(struct omptape_operations *operations, const struct omptape_operation *oldest)
{
    struct omptape_operation *next = oldest->next_of_target;
    if (next != NULL)
        next->last_of_target = oldest->last_of_target;
    if (oldest->target == 0 || omptape_hash_get(&operations->by_target, oldest->target) != oldest)
        return;
    if (next != NULL)
        omptape_hash_put(&operations->by_target, oldest->target, next);
    else
        omptape_hash_remove_key(&operations->by_target, oldest->target);
}

static void insert_in_target(struct omptape_operations *operations, struct omptape_operation *added)
{
    struct omptape_operation *first =
        added->target != 0 ? omptape_hash_get(&operations->by_target, added->target) : added;
    added->last_of_target = added;
    if (first == NULL) {
        omptape_hash_put(&operations->by_target, added->target, added);
    } else if (first != added) {
        first->last_of_target->next_of_target = added;
        first->last_of_target = added;
    }
}

/* Reserves an entry at the end of the queue. First closes the gap at its begin if that is the larger part. */
static bool reserve(struct omptape_operations *operations)
{
    if (operations->end == operations->capacity && operations->begin > operations->end / 2) {
        operations->end -= operations->begin;
        memmove(operations->queue, operations->queue + operations->begin,
                operations->end * sizeof(operations->queue[0]));
        operations->begin = 0;
    }
    return OMPTAPE_RESERVE(operations->queue, operations->end + 1, &operations->capacity);
}

struct omptape_operation *omptape_operations_add(struct omptape_operations *operations,
                                                 const struct omptape_operation *model)
{
    struct omptape_operation *added = malloc(sizeof(*added));
    if (added == NULL)
        return NULL;
    *added = *model;
    if (!reserve(operations) || omptape_hash_add(&operations->by_id, added->id, added) != 0) {
        free(added);
        return NULL;
    }
    operations->queue[operations->end++] = added;
    added->in_table = true;
    insert_in_target(operations, added);
    return added;
}

struct omptape_operation *omptape_operations_take_oldest(struct omptape_operations *operations, bool all)
{
    uint32_t count = operations->end - operations->begin;
    struct omptape_operation *oldest = count > 0 ? operations->queue[operations->begin] : NULL;
    if (oldest == NULL ||
        (!all && !oldest->host_only && count <= (oldest->matched ? KEEP_MATCHED : KEEP_WAITING)))
        return NULL;
    operations->begin++;
    omptape_hash_remove_key(&operations->by_id, oldest->id);
    remove_from_target(operations, oldest);
    oldest->in_table = false;
    oldest->users++;
    return oldest;
}

struct omptape_operation *omptape_operations_find(const struct omptape_operations *operations, uint64_t id)
{
    return id != 0 ? omptape_hash_get(&operations->by_id, id) : NULL;
}

struct omptape_operation *omptape_operations_find_correlated(const struct omptape_operations *operations,
                                                             uint64_t correlation)
{
    return omptape_operations_find(operations,
                                   omptape_correlations_lookup(&operations->correlations, correlation));
}

static bool is_repeated_record(const struct omptape_operation *operation,
                               const struct omptape_operation_key *like)
{
    return operation->matched && like->begin != 0 && operation->matched_begin == like->begin &&
           operation->matched_end == like->end;
}

struct omptape_operation *omptape_operations_match(const struct omptape_operations *operations,
                                                   const struct omptape_operation_key *like)
{
    struct omptape_operation *operation =
        like->target != 0 ? omptape_hash_get(&operations->by_target, like->target) : NULL;
    struct omptape_operation *first = NULL;
    for (unsigned looks = 0; operation != NULL && looks < MAX_COMPARISONS; looks++) {
        if (operation->type == like->type && operation->bytes == like->bytes) {
            if (is_repeated_record(operation, like))
                return operation;
            if (first == NULL && !operation->matched)
                first = operation;
        }
        operation = operation->next_of_target;
    }
    return first;
}

void omptape_operations_free(struct omptape_operations *operations)
{
    for (size_t i = operations->begin; i < operations->end; i++)
        free(operations->queue[i]);
    free(operations->queue);
    for (size_t i = 0; i < operations->targets.capacity; i++)
        if (operations->targets.entries[i].key != 0)
            free(operations->targets.entries[i].value);
    omptape_hash_free(&operations->targets);
    omptape_hash_free(&operations->by_id);
    omptape_hash_free(&operations->by_target);
    omptape_correlations_free(&operations->correlations);
}
