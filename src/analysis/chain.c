/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements chains of tasks (chain.h). Memory is needed only for tasks that are not complete, and for each
 * address in a dependence.
 */
#include "src/analysis/chain.h"
#include "src/analysis/location.h"
#include "src/analysis/team.h"

#include <errno.h>
#include <string.h>

enum { MAX_ADDRESSES = 16, CREATORS_APART = 619 };

struct analysis_waiting_task {
    uint64_t instance; /* of its team */
    uint64_t task;     /* its name in that instance */
    uint64_t length;   /* length of the chain until its creation */
    uint32_t address_count;
    uint32_t only_read; /* a bit for each address that is only read */
    struct analysis_address *addresses[MAX_ADDRESSES];
};

/* An address in dependences of a team: the longest chain until the end of a completed task that writes it or
 * only reads it. */
struct analysis_address {
    uint64_t instance; /* of the team */
    uint64_t written;
    uint64_t read;
};

/* Returns a hash key, which is never 0. Several tasks may have the same key. */
static uint64_t key_of(uint64_t instance, uint64_t task)
{
    return (instance << 40 ^ task) | UINT64_C(1) << 63;
}

static bool is(const struct analysis_waiting_task *waiting, const struct analysis_team *team, uint64_t task)
{
    return waiting->task == task && waiting->instance == team->instance;
}

/* Returns the slot of a task in the cache. */
static struct analysis_waiting_task **cache_entry(struct analysis_state *state,
                                                  const struct analysis_team *team, uint64_t task)
{
    return &state->cached_tasks[(task + (task >> 32) * CREATORS_APART + team->instance) %
                                ANALYSIS_CACHED_TASKS];
}

/* Looks up a task outside of the cache. Returns NULL if it is unknown. */
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

/* Looks up a task. Returns NULL if it is unknown. */
static struct analysis_waiting_task *find(struct analysis_state *state, const struct analysis_team *team,
                                          uint64_t task)
{
    struct analysis_waiting_task *cached = *cache_entry(state, team, task);
    if (cached != NULL && is(cached, team, task))
        return cached;
    const struct omptape_hash_entry *entry = find_far(state, team, task);
    return entry != NULL ? entry->value : NULL;
}

/* Looks up a task and removes it. Returns NULL if it is unknown. */
static struct analysis_waiting_task *take(struct analysis_state *state, const struct analysis_team *team,
                                          uint64_t task)
{
    struct analysis_waiting_task **place = cache_entry(state, team, task);
    struct analysis_waiting_task *cached = *place;
    if (cached != NULL && is(cached, team, task)) {
        *place = NULL;
        return cached;
    }
    struct omptape_hash_entry *entry = find_far(state, team, task);
    struct analysis_waiting_task *far = entry != NULL ? entry->value : NULL;
    if (entry != NULL)
        omptape_hash_remove(&state->waiting_tasks, entry);
    return far;
}

/* Inserts a task into the cache, in place of an older one of the same name. The task that used the slot
 * moves to the hash table. */
static int put(struct analysis_state *state, const struct analysis_team *team,
               struct analysis_waiting_task *task)
{
    struct analysis_waiting_task **place = cache_entry(state, team, task->task);
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
        omptape_free_list_alloc(&state->free_tasks, &state->arena, sizeof(*task));
    location->tasks.created_task = task;
    if (task == NULL)
        return;
    task->instance = team->instance;
    task->task = name;
    task->length = length;
    task->address_count = 0;
    task->only_read = 0;
    (void)put(state, team, task);
}

void omptape_chain_depend(struct analysis_state *state, const struct analysis_location *location,
                          const char *dependence)
{
    struct analysis_waiting_task *task = location->tasks.created_task;
    const char *address = strstr(dependence, "0x");
    if (task == NULL || address == NULL || task->address_count == MAX_ADDRESSES)
        return;
    uint32_t row = omptape_rows_text(&state->addresses, address);
    struct analysis_address *known =
        omptape_pairs_obtain(&state->address_ends, &state->arena, location->process, row, sizeof(*known));
    if (known == NULL || state->addresses.failed)
        return;
    if (known->instance != task->instance)
        *known = (struct analysis_address){.instance = task->instance};
    task->only_read |= (uint32_t)(strncmp(dependence, "in ", sizeof("in ") - 1) == 0) << task->address_count;
    task->addresses[task->address_count++] = known;
}

static bool only_reads(const struct analysis_waiting_task *task, uint32_t address)
{
    return (task->only_read >> address & 1) != 0;
}

uint64_t omptape_chain_begin(struct analysis_state *state, const struct analysis_team *team, uint64_t name)
{
    const struct analysis_waiting_task *task = find(state, team, name);
    uint64_t length = task != NULL ? task->length : 0;
    for (uint32_t i = 0; task != NULL && i < task->address_count; i++) {
        const struct analysis_address *address = task->addresses[i];
        const uint64_t before =
            only_reads(task, i) ? address->written : omptape_greater(address->written, address->read);
        length = omptape_greater(length, before);
    }
    return length;
}

void omptape_chain_complete(struct analysis_state *state, const struct analysis_team *team, uint64_t name,
                            uint64_t length)
{
    struct analysis_waiting_task *task = take(state, team, name);
    if (task == NULL)
        return;
    for (uint32_t i = 0; i < task->address_count; i++) {
        uint64_t *end = only_reads(task, i) ? &task->addresses[i]->read : &task->addresses[i]->written;
        *end = omptape_greater(*end, length);
    }
    omptape_free_list_free(&state->free_tasks, task);
}
