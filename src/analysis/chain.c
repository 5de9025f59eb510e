/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chains of tasks (chain.h). Memory for the tasks that are not complete only, and for each address that was
 * in a dependence.
 */
#include "src/analysis/chain.h"
#include "src/analysis/location.h"
#include "src/analysis/team.h"

#include <string.h>

enum { MOST_ADDRESSES = 16 };

struct analysis_waiting_task {
    struct analysis_waiting_task *next; /* free ones */
    uint64_t instance;                  /* of its team, */
    uint64_t task;                      /* ...in which this is its name */
    uint64_t length;                    /* to where it was created */
    uint32_t address_count;
    struct analysis_address *addresses[MOST_ADDRESSES];
};

/* What tasks depend on: the longest chain to the end of one that did. */
struct analysis_address {
    uint64_t length;
};

/* Of several tasks now and then; never 0. */
static uint64_t key_of(const struct analysis_team *team, uint64_t task)
{
    return (team->instance << 40 ^ task) | UINT64_C(1) << 63;
}

/* NULL: it is not there. */
static struct omptape_hash_entry *find(const struct analysis_state *state, const struct analysis_team *team,
                                       uint64_t task)
{
    const uint64_t key = key_of(team, task);
    struct omptape_hash_entry *entry = omptape_hash_next(&state->waiting_tasks, key, NULL);
    while (entry != NULL) {
        const struct analysis_waiting_task *waiting = entry->value;
        if (waiting->task == task && waiting->instance == team->instance)
            break;
        entry = omptape_hash_next(&state->waiting_tasks, key, entry);
    }
    return entry;
}

/* One more, or the new one of that name. */
static int put(struct analysis_state *state, const struct analysis_team *team,
               struct analysis_waiting_task *task)
{
    struct omptape_hash_entry *known = find(state, team, task->task);
    if (known == NULL)
        return omptape_hash_join_value(&state->waiting_tasks, key_of(team, task->task), task);
    known->value = task;
    return 0;
}

void omptape_chain_create(struct analysis_state *state, struct analysis_location *location,
                          const struct analysis_team *team, uint64_t name, uint64_t length)
{
    struct analysis_waiting_task *task = state->free_tasks;
    if (task != NULL)
        state->free_tasks = task->next;
    else
        task = omptape_arena_take(&state->arena, sizeof(*task));
    location->created_task = task;
    if (task == NULL) {
        state->no_memory = true;
        return;
    }
    task->instance = team->instance;
    task->task = name;
    task->length = length;
    task->address_count = 0;
    if (put(state, team, task) != 0)
        state->no_memory = true;
}

void omptape_chain_depend(struct analysis_state *state, const struct analysis_location *location,
                          const char *dependence)
{
    struct analysis_waiting_task *task = location->created_task;
    const char *address = strstr(dependence, "0x");
    if (task == NULL || address == NULL || task->address_count == MOST_ADDRESSES)
        return;
    uint32_t row = omptape_rows_text(&state->addresses, address);
    struct analysis_address *known =
        omptape_pairs_obtain(&state->address_ends, &state->arena, location->process, row, sizeof(*known));
    if (known == NULL || state->addresses.failed) {
        state->no_memory = true;
        return;
    }
    task->addresses[task->address_count++] = known;
}

uint64_t omptape_chain_begin(const struct analysis_state *state, const struct analysis_team *team,
                             uint64_t name)
{
    const struct omptape_hash_entry *entry = find(state, team, name);
    const struct analysis_waiting_task *task = entry != NULL ? entry->value : NULL;
    uint64_t length = task != NULL ? task->length : 0;
    for (uint32_t i = 0; task != NULL && i < task->address_count; i++)
        if (task->addresses[i]->length > length)
            length = task->addresses[i]->length;
    return length;
}

void omptape_chain_complete(struct analysis_state *state, const struct analysis_team *team, uint64_t name,
                            uint64_t length)
{
    struct omptape_hash_entry *entry = find(state, team, name);
    if (entry == NULL)
        return;
    struct analysis_waiting_task *task = entry->value;
    omptape_hash_remove(&state->waiting_tasks, entry);
    for (uint32_t i = 0; i < task->address_count; i++)
        if (length > task->addresses[i]->length)
            task->addresses[i]->length = length;
    task->next = state->free_tasks;
    state->free_tasks = task;
}
