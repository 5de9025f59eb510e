/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chains of tasks (chain.h). Memory for the tasks that are not complete only, and for each address that was
 * in a dependence.
 */
#include "src/analysis/chain.h"
#include "src/analysis/location.h"
#include "src/analysis/team.h"

#include <errno.h>
#include <string.h>

enum { MOST_ADDRESSES = 16, CREATORS_APART = 619 };

struct analysis_waiting_task {
    uint64_t instance; /* of its team, */
    uint64_t task;     /* ...in which this is its name */
    uint64_t length;   /* to where it was created */
    uint32_t address_count;
    struct analysis_address *addresses[MOST_ADDRESSES];
};

/* What tasks depend on: the longest chain to the end of one that did. */
struct analysis_address {
    uint64_t length;
};

/* Several tasks may have the same; never 0. */
static uint64_t key_of(uint64_t instance, uint64_t task)
{
    return (instance << 40 ^ task) | UINT64_C(1) << 63;
}

static bool is(const struct analysis_waiting_task *waiting, const struct analysis_team *team, uint64_t task)
{
    return waiting->task == task && waiting->instance == team->instance;
}

/* Where a task may be that is near. */
static struct analysis_waiting_task **near_place(struct analysis_state *state,
                                                 const struct analysis_team *team, uint64_t task)
{
    return &state->near_tasks[(task + (task >> 32) * CREATORS_APART + team->instance) % ANALYSIS_NEAR_TASKS];
}

/* The same of one that is not. NULL: it is not there. */
static struct omptape_hash_entry *find_far(const struct analysis_state *state,
                                           const struct analysis_team *team, uint64_t task)
{
    const uint64_t key = key_of(team->instance, task);
    struct omptape_hash_entry *entry =
        state->waiting_tasks.count > 0 ? omptape_hash_next(&state->waiting_tasks, key, NULL) : NULL;
    while (entry != NULL && !is(entry->value, team, task))
        entry = omptape_hash_next(&state->waiting_tasks, key, entry);
    return entry;
}

/* NULL: it is not known. */
static struct analysis_waiting_task *find(struct analysis_state *state, const struct analysis_team *team,
                                          uint64_t task)
{
    struct analysis_waiting_task *near = *near_place(state, team, task);
    if (near != NULL && is(near, team, task))
        return near;
    const struct omptape_hash_entry *entry = find_far(state, team, task);
    return entry != NULL ? entry->value : NULL;
}

/* The same, and it is known no longer. */
static struct analysis_waiting_task *take(struct analysis_state *state, const struct analysis_team *team,
                                          uint64_t task)
{
    struct analysis_waiting_task **place = near_place(state, team, task);
    struct analysis_waiting_task *near = *place;
    if (near != NULL && is(near, team, task)) {
        *place = NULL;
        return near;
    }
    struct omptape_hash_entry *entry = find_far(state, team, task);
    struct analysis_waiting_task *far = entry != NULL ? entry->value : NULL;
    if (entry != NULL)
        omptape_hash_remove(&state->waiting_tasks, entry);
    return far;
}

/* One more, or the new one of that name. The task that had its place is not near any more. */
static int put(struct analysis_state *state, const struct analysis_team *team,
               struct analysis_waiting_task *task)
{
    struct analysis_waiting_task **place = near_place(state, team, task->task);
    struct analysis_waiting_task *other = *place;
    (void)take(state, team, task->task);
    if (*place != NULL &&
        omptape_hash_join_value(&state->waiting_tasks, key_of(other->instance, other->task), other) != 0)
        return -ENOMEM;
    *place = task;
    return 0;
}

void omptape_chain_create(struct analysis_state *state, struct analysis_location *location,
                          const struct analysis_team *team, uint64_t name, uint64_t length)
{
    struct analysis_waiting_task *task =
        omptape_free_list_take(&state->free_tasks, &state->arena, sizeof(*task));
    location->tasks.created_task = task;
    if (task == NULL)
        return;
    task->instance = team->instance;
    task->task = name;
    task->length = length;
    task->address_count = 0;
    (void)put(state, team, task);
}

void omptape_chain_depend(struct analysis_state *state, const struct analysis_location *location,
                          const char *dependence)
{
    struct analysis_waiting_task *task = location->tasks.created_task;
    const char *address = strstr(dependence, "0x");
    if (task == NULL || address == NULL || task->address_count == MOST_ADDRESSES)
        return;
    uint32_t row = omptape_rows_text(&state->addresses, address);
    struct analysis_address *known =
        omptape_pairs_obtain(&state->address_ends, &state->arena, location->process, row, sizeof(*known));
    if (known == NULL || state->addresses.failed)
        return;
    task->addresses[task->address_count++] = known;
}

uint64_t omptape_chain_begin(struct analysis_state *state, const struct analysis_team *team, uint64_t name)
{
    const struct analysis_waiting_task *task = find(state, team, name);
    uint64_t length = task != NULL ? task->length : 0;
    for (uint32_t i = 0; task != NULL && i < task->address_count; i++)
        if (task->addresses[i]->length > length)
            length = task->addresses[i]->length;
    return length;
}

void omptape_chain_complete(struct analysis_state *state, const struct analysis_team *team, uint64_t name,
                            uint64_t length)
{
    struct analysis_waiting_task *task = take(state, team, name);
    if (task == NULL)
        return;
    for (uint32_t i = 0; i < task->address_count; i++)
        if (length > task->addresses[i]->length)
            task->addresses[i]->length = length;
    omptape_free_list_put(&state->free_tasks, task);
}
