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
    uint64_t length;                    /* to where it was created */
    uint32_t address_count;
    struct analysis_address *addresses[MOST_ADDRESSES];
};

/* What tasks depend on: the longest chain to the end of one that did. */
struct analysis_address {
    uint64_t length;
};

/* OTF2's name of a task within an instance of its team. */
static uint64_t key_of(const struct omptape_event *event)
{
    return event->value[0] << 32 | event->value[1];
}

static struct analysis_waiting_task *find(const struct analysis_state *state,
                                          const struct analysis_team *team, const struct omptape_event *event)
{
    return omptape_pairs_get(&state->waiting_tasks, team->instance, key_of(event));
}

void omptape_chain_create(struct analysis_state *state, struct analysis_location *location,
                          const struct analysis_team *team, const struct omptape_event *event,
                          uint64_t length)
{
    struct analysis_waiting_task *task = state->free_tasks;
    if (task != NULL)
        state->free_tasks = task->next;
    else
        task = omptape_arena_take(&state->arena, sizeof(*task));
    location->created_task = task;
    if (task == NULL || omptape_pairs_put(&state->waiting_tasks, team->instance, key_of(event), task) != 0) {
        state->no_memory = true;
        return;
    }
    *task = (struct analysis_waiting_task){.length = length};
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
                             const struct omptape_event *event)
{
    const struct analysis_waiting_task *task = find(state, team, event);
    uint64_t length = task != NULL ? task->length : 0;
    for (uint32_t i = 0; task != NULL && i < task->address_count; i++)
        if (task->addresses[i]->length > length)
            length = task->addresses[i]->length;
    return length;
}

void omptape_chain_complete(struct analysis_state *state, const struct analysis_team *team,
                            const struct omptape_event *event, uint64_t length)
{
    struct analysis_waiting_task *task =
        omptape_pairs_take(&state->waiting_tasks, team->instance, key_of(event));
    if (task == NULL)
        return;
    for (uint32_t i = 0; i < task->address_count; i++)
        if (length > task->addresses[i]->length)
            task->addresses[i]->length = length;
    task->next = state->free_tasks;
    state->free_tasks = task;
}
