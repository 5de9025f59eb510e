/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements chains of tasks (chain.h). Memory is needed only for tasks that are not complete, and for each
 * address in a dependence.
 */
#include "src/analysis/chain.h"
#include "src/analysis/location.h"
#include "src/core/words.h"

#include <errno.h>
#include <string.h>

enum { MAX_ADDRESSES = 16, CREATORS_APART = 619 };
/* What a task does with an address. Tasks with the same use follow each other only if they write. */
enum { WRITES, READS, OF_SET, USES };

struct analysis_waiting_task {
    uint64_t instance;           /* of its team */
    uint64_t task;               /* its name in that instance */
    struct analysis_chain chain; /* until its creation */
    struct analysis_member *creator;
    uint32_t address_count;
    uint8_t uses[MAX_ADDRESSES];
    struct analysis_address *addresses[MAX_ADDRESSES];
};

/* An address in dependences of a team: the longest chain until the end of a completed task, by its use. */
struct analysis_address {
    uint64_t instance; /* of the team */
    uint64_t ends[USES];
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

/* Inserts a task into the cache, replacing one of the same name. The slot's task moves to the hash table. */
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
                          const struct analysis_team *team, uint64_t name, struct analysis_chain chain,
                          struct analysis_member *creator)
{
    struct analysis_waiting_task *task =
        omptape_free_list_alloc(&state->free_tasks, &state->arena, sizeof(*task));
    location->tasks.created_task = task;
    if (task == NULL)
        return;
    task->instance = team->instance;
    task->task = name;
    task->chain = chain;
    task->creator = creator;
    task->address_count = 0;
    (void)put(state, team, task);
}

static uint8_t use_of(const char *dependence)
{
    return omptape_starts_with(dependence, "in ")         ? READS
           : omptape_starts_with(dependence, "inoutset ") ? OF_SET
                                                          : WRITES;
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
    task->uses[task->address_count] = use_of(dependence);
    task->addresses[task->address_count++] = known;
}

/* Returns the address if it still belongs to the task's team: another one may have used it meanwhile. */
static struct analysis_address *address_of(const struct analysis_waiting_task *task, uint32_t index)
{
    struct analysis_address *address = task->addresses[index];
    return address->instance == task->instance ? address : NULL;
}

struct analysis_chain omptape_chain_begin(struct analysis_state *state, const struct analysis_team *team,
                                          uint64_t name, struct analysis_member **creator)
{
    const struct analysis_waiting_task *task = find(state, team, name);
    struct analysis_chain chain = task != NULL ? task->chain : (struct analysis_chain){.length = 0};
    *creator = task != NULL ? task->creator : NULL;
    for (uint32_t i = 0; task != NULL && i < task->address_count; i++) {
        const struct analysis_address *address = address_of(task, i);
        for (unsigned use = 0; address != NULL && use < USES; use++)
            if (use == WRITES || use != task->uses[i])
                chain.length = omptape_greater(chain.length, address->ends[use]);
    }
    return chain;
}

void omptape_chain_complete(struct analysis_state *state, const struct analysis_team *team, uint64_t name,
                            uint64_t length)
{
    struct analysis_waiting_task *task = take(state, team, name);
    if (task == NULL)
        return;
    for (uint32_t i = 0; i < task->address_count; i++) {
        struct analysis_address *address = address_of(task, i);
        if (address != NULL)
            address->ends[task->uses[i]] = omptape_greater(address->ends[task->uses[i]], length);
    }
    omptape_free_list_free(&state->free_tasks, task);
}
