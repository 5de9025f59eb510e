/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the waiting in collective operations (calls.h).
 */
#include "src/analysis/mpi/calls.h"

#include "src/core/array.h"
#include "src/core/sort.h"

#include <stdlib.h>

/* One member's calls in an operation. */
struct member {
    struct waits_call *came;
    struct waits_call *waits;
    bool not_involved; /* a non-root process in the root's group of an inter-communicator: not involved */
};

/* An operation that not all members have reached. */
struct waits_instance {
    struct waits_instance *next; /* link of the free list */
    uint64_t comm;
    uint64_t operation; /* OTF2_CollectiveOp */
    uint64_t root;      /* process; OMPTAPE_NO_PROCESS if there is none */
    bool may_go;        /* MPI may release a member before all have arrived */
    bool differs;       /* events are missing: the members are at different operations */
    uint32_t count;
    uint32_t capacity;
    struct member *members; /* allocated with malloc */
};

void omptape_waits_free_instances(struct waits *waits)
{
    for (uint32_t i = 0; i < waits->instances.count; i++)
        free(((struct waits_instance *)waits->instances.list[i].value)->members);
    for (struct waits_instance *one = waits->free_instances.first; one != NULL; one = one->next)
        free(one->members);
}

/* Returns the `number`-th operation of this order, created if necessary. Returns NULL if out of memory.
 */
static struct waits_instance *obtain(struct waits *waits, uint64_t order, uint64_t number, uint32_t count)
{
    struct waits_instance *instance = omptape_pairs_get(&waits->instances, order, number);
    if (instance != NULL)
        return instance;
    instance = omptape_free_list_alloc(&waits->free_instances, &waits->arena, sizeof(*instance));
    if (instance == NULL)
        return NULL;
    *instance = (struct waits_instance){
        .root = OMPTAPE_NO_PROCESS, .members = instance->members, .capacity = instance->capacity};
    if (!OMPTAPE_RESERVE(instance->members, count, &instance->capacity) ||
        omptape_pairs_put(&waits->instances, order, number, instance) != 0) {
        omptape_free_list_free(&waits->free_instances, instance);
        return NULL;
    }
    return instance;
}

/* Returns the member that arrived last. With a call, members are ignored that arrived after it had ended. */
static const struct member *last_of(const struct waits_instance *instance, const struct waits_call *call)
{
    const struct member *last = NULL;
    for (uint32_t i = 0; i < instance->count; i++) {
        const struct member *one = &instance->members[i];
        if (!one->not_involved && (call == NULL || !omptape_waits_ended_before(call, one->came)) &&
            (last == NULL || one->came->begin > last->came->begin))
            last = one;
    }
    return last;
}

static void wait_for(struct waits *waits, const struct member *waiting, const struct member *other)
{
    if (other != NULL && other != waiting && !waiting->not_involved)
        omptape_waits_needs(waits, waiting->waits, OMPTAPE_FINDING_COLLECTIVE_WAIT, other->came);
}

/* All members wait for the last one. A fence, a file operation, or the creation and freeing of communicators
 * may release a member earlier. In other operations a member that ends earlier has a wrong clock. */
static void all_wait(struct waits *waits, const struct waits_instance *instance, bool may_go)
{
    const struct member *last = last_of(instance, NULL);
    for (uint32_t i = 0; i < instance->count && last != NULL; i++) {
        const struct member *waiting = &instance->members[i];
        bool gone = may_go && omptape_waits_ended_before(waiting->waits, last->came);
        wait_for(waits, waiting, gone ? last_of(instance, waiting->waits) : last);
    }
}

static int compare_processes(const void *left, const void *right)
{
    uint64_t a = ((const struct member *)left)->came->process;
    uint64_t b = ((const struct member *)right)->came->process;
    return (a > b) - (a < b);
}

/* Each member waits for the last one with a lower rank. */
static void wait_for_lower(struct waits *waits, struct waits_instance *instance,
                           const struct omptape_rank_list *ranks)
{
    const struct member *last = NULL;
    omptape_sort(instance->members, instance->count, sizeof(*instance->members), compare_processes);
    for (uint32_t i = 0; i < ranks->size; i++) {
        struct waits_call wanted = {.process = ranks->processes[i]};
        const struct member key = {.came = &wanted};
        const struct member *found =
            bsearch(&key, instance->members, instance->count, sizeof(*instance->members), compare_processes);
        if (found == NULL)
            continue;
        wait_for(waits, found, last);
        if (last == NULL || found->came->begin > last->came->begin)
            last = found;
    }
}

static void charge_members(struct waits *waits, struct waits_instance *instance)
{
    const struct member *root = NULL;
    for (uint32_t i = 0; i < instance->count && root == NULL; i++)
        if (instance->members[i].came->process == instance->root)
            root = &instance->members[i];
    switch (omptape_collective_needs_of(instance->operation)) {
    case OMPTAPE_NEEDS_ALL:
        all_wait(waits, instance, instance->may_go);
        break;
    case OMPTAPE_NEEDS_ROOT:
        for (uint32_t i = 0; i < instance->count; i++)
            wait_for(waits, &instance->members[i], root);
        break;
    case OMPTAPE_ROOT_NEEDS_ALL:
        if (root != NULL)
            wait_for(waits, root, last_of(instance, NULL));
        break;
    case OMPTAPE_NEEDS_LOWER:
        wait_for_lower(waits, instance, omptape_ranks_of(&waits->channels.ranks, instance->comm));
        break;
    }
}

static void release_instance(struct waits *waits, struct waits_instance *instance)
{
    for (uint32_t i = 0; i < instance->count; i++) {
        omptape_waits_call_drop(waits, instance->members[i].came);
        omptape_waits_call_drop(waits, instance->members[i].waits);
    }
    omptape_free_list_free(&waits->free_instances, instance);
}

static void join(struct waits_instance *instance, const struct waits_part *part,
                 const struct omptape_rank_list *ranks)
{
    instance->differs |= instance->count > 0 && instance->operation != part->operation;
    instance->may_go = part->order >= WAITS_WINDOW || part->operation >= OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    instance->comm = part->comm;
    instance->operation = part->operation;
    if (part->root < ranks->size)
        instance->root = ranks->processes[part->root];
    else if (part->root == OTF2_COLLECTIVE_ROOT_SELF)
        instance->root = part->came->process;
    instance->members[instance->count++] =
        (struct member){.came = omptape_waits_call_use(part->came),
                        .waits = omptape_waits_call_use(part->waits),
                        .not_involved = part->root == OTF2_COLLECTIVE_ROOT_THIS_GROUP};
}

/* Returns true if the call may have waited for a member without a trace. */
static bool waits_for_untraced(const struct waits_part *part, const struct omptape_rank_list *ranks)
{
    const bool roots = part->root < ranks->size;
    const uint64_t root = roots ? ranks->processes[part->root] : OMPTAPE_NO_PROCESS;
    if (ranks->present == ranks->size || part->root == OTF2_COLLECTIVE_ROOT_THIS_GROUP)
        return false;
    switch (omptape_collective_needs_of(part->operation)) {
    case OMPTAPE_NEEDS_ROOT:
        return root == OMPTAPE_NO_PROCESS && part->root != OTF2_COLLECTIVE_ROOT_SELF;
    case OMPTAPE_ROOT_NEEDS_ALL:
        return part->root == OTF2_COLLECTIVE_ROOT_SELF || root == part->came->process;
    default:
        return true;
    }
}

uint64_t omptape_waits_collectives_of(const struct waits *waits, uint64_t order, uint64_t process)
{
    const uint64_t *count = omptape_pairs_get(&waits->counts, order, process);
    return count != NULL ? *count : 0;
}

void omptape_waits_collective(struct waits *waits, const struct waits_part *part)
{
    struct analysis_state *state = waits->state;
    const struct omptape_rank_list *ranks = omptape_ranks_of(&waits->channels.ranks, part->comm);
    if (ranks != NULL && waits_for_untraced(part, ranks))
        omptape_waits_unknown(waits, part->waits);
    if (ranks != NULL && ranks->present < 2)
        return;
    uint64_t *count =
        omptape_pairs_obtain(&waits->counts, &waits->arena, part->order, part->came->process, sizeof(*count));
    struct waits_instance *instance =
        ranks != NULL && count != NULL ? obtain(waits, part->order, (*count)++, ranks->present) : NULL;
    if (instance == NULL)
        return;
    join(instance, part, ranks);
    if (instance->count < ranks->present)
        return;
    omptape_pairs_remove(&waits->instances, part->order, *count - 1);
    state->mpi_incomplete |= instance->differs;
    if (!instance->differs)
        charge_members(waits, instance);
    release_instance(waits, instance);
}
