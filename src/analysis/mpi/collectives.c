/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Waiting in collective operations (collectives.h).
 */
#include "src/analysis/mpi/collectives.h"

#include <stdlib.h>

/* An operation that not all have come to yet. */
struct waits_instance {
    struct waits_instance *next; /* free ones */
    uint64_t operation;          /* OTF2_CollectiveOp */
    uint64_t root;               /* process; OMPTAPE_NO_PROCESS: it has none */
    bool differs;                /* events are missing: they are at different operations */
    uint32_t count;
    uint32_t room;
    struct waits_call **calls; /* malloc'ed */
};

void omptape_waits_collectives_free(struct waits_collectives *collectives)
{
    for (uint32_t i = 0; i < collectives->instances.count; i++)
        free(((struct waits_instance *)collectives->instances.list[i].value)->calls);
    for (struct waits_instance *one = collectives->free; one != NULL; one = one->next)
        free(one->calls);
    omptape_pairs_free(&collectives->counts);
    omptape_pairs_free(&collectives->instances);
    omptape_arena_free(&collectives->arena);
}

static bool grow(struct waits_instance *instance, uint32_t members)
{
    if (instance->room >= members)
        return true;
    struct waits_call **calls = realloc(instance->calls, members * sizeof(struct waits_call *));
    if (calls == NULL)
        return false;
    instance->calls = calls;
    instance->room = members;
    return true;
}

/* The operation that is this process's next in the communicator; NULL: no memory. */
static struct waits_instance *next_of(struct waits_collectives *collectives, uint64_t comm, uint64_t number,
                                      uint32_t members)
{
    struct waits_instance *instance = omptape_pairs_get(&collectives->instances, comm, number);
    if (instance != NULL)
        return instance;
    instance = collectives->free;
    if (instance != NULL)
        collectives->free = instance->next;
    else
        instance = omptape_arena_take(&collectives->arena, sizeof(*instance));
    if (instance == NULL)
        return NULL;
    *instance =
        (struct waits_instance){.root = OMPTAPE_NO_PROCESS, .calls = instance->calls, .room = instance->room};
    if (!grow(instance, members) || omptape_pairs_put(&collectives->instances, comm, number, instance) != 0) {
        instance->next = collectives->free;
        collectives->free = instance;
        return NULL;
    }
    return instance;
}

enum needs { NEEDS_NOBODY, NEEDS_ALL, NEEDS_ROOT, ROOT_NEEDS_ALL };

static enum needs needs_of(uint64_t operation)
{
    switch (operation) {
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return NEEDS_ROOT;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return ROOT_NEEDS_ALL;
    case OTF2_COLLECTIVE_OP_SCAN: /* each needs those before it, and they come in no order */
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return NEEDS_NOBODY;
    default:
        return NEEDS_ALL;
    }
}

static void wait_for(struct waits_calls *calls, const struct waits_instance *instance,
                     const struct waits_call *late, uint64_t only)
{
    for (uint32_t i = 0; i < instance->count; i++)
        if (instance->calls[i] != late && (only == OMPTAPE_NO_PROCESS || instance->calls[i]->process == only))
            omptape_waits_needs(calls, instance->calls[i], OMPTAPE_FINDING_COLLECTIVE_WAIT, late);
}

static void settle(struct waits_calls *calls, const struct waits_instance *instance)
{
    const struct waits_call *last = NULL;
    const struct waits_call *root = NULL;
    for (uint32_t i = 0; i < instance->count; i++) {
        const struct waits_call *call = instance->calls[i];
        if (last == NULL || call->begin > last->begin)
            last = call;
        if (call->process == instance->root)
            root = call;
    }
    switch (needs_of(instance->operation)) {
    case NEEDS_ALL:
        wait_for(calls, instance, last, OMPTAPE_NO_PROCESS);
        break;
    case NEEDS_ROOT:
        if (root != NULL)
            wait_for(calls, instance, root, OMPTAPE_NO_PROCESS);
        break;
    case ROOT_NEEDS_ALL:
        if (root != NULL)
            wait_for(calls, instance, last, instance->root);
        break;
    case NEEDS_NOBODY:
        break;
    }
}

void omptape_waits_collective(struct waits_collectives *collectives, struct waits_call *call,
                              const struct omptape_event *event)
{
    struct analysis_state *state = collectives->calls->state;
    uint64_t comm = event->refs[0].id;
    const struct omptape_rank_list *members = omptape_ranks_of(collectives->ranks, comm);
    if (members != NULL && members->present < 2)
        return;
    uint64_t *count =
        omptape_pairs_obtain(&collectives->counts, &collectives->arena, comm, call->process, sizeof(*count));
    struct waits_instance *instance =
        members != NULL && count != NULL ? next_of(collectives, comm, (*count)++, members->present) : NULL;
    if (instance == NULL) {
        state->no_memory = true;
        return;
    }
    instance->differs |= instance->count > 0 && instance->operation != event->value[0];
    instance->operation = event->value[0];
    if (event->value[1] < members->size)
        instance->root = members->processes[event->value[1]];
    instance->calls[instance->count++] = omptape_waits_call_use(call);
    if (instance->count < members->present)
        return;
    omptape_pairs_take(&collectives->instances, comm, *count - 1);
    state->mpi_untold |= instance->differs;
    if (!instance->differs)
        settle(collectives->calls, instance);
    for (uint32_t i = 0; i < instance->count; i++)
        omptape_waits_call_drop(collectives->calls, instance->calls[i]);
    instance->next = collectives->free;
    collectives->free = instance;
}
