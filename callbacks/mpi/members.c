/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records of communicators and groups (members.h), and which groups have been recorded.
 */
#include "callbacks/mpi/members.h"

#include "buffers/producer.h"
#include "callbacks/mpi/groups.h"
#include "callbacks/mpi/interface.h"
#include "callbacks/mpi/tables/memory.h"

#include <stddef.h>

enum { MOST_GROUPS = 1 << 12 };
enum { HEAD_WORDS = 3, RUN_WORDS = 2, MOST_RUNS = 120 };

/* A group that windows were synchronised with. */
struct group {
    uint64_t identity; /* 0: not in use */
    uint32_t number;
};

/* NULL before there is one. */
static struct group *groups;
static uint32_t groups_used;
static atomic_flag lock = ATOMIC_FLAG_INIT;

struct description {
    uint64_t words[HEAD_WORDS + RUN_WORDS * MOST_RUNS];
    uint32_t runs;
    unsigned flags;
};

static void put_runs(struct omptape_slot *slot, const struct omptape_mpi_described *one,
                     struct description *description, unsigned more)
{
    omptape_producer_put_words(slot, OMPTAPE_MPI_COMM, description->flags | more, one->number,
                               description->words, HEAD_WORDS + RUN_WORDS * description->runs);
    description->flags = OMPTAPE_MPI_COMM_MORE | (description->flags & OMPTAPE_MPI_COMM_GROUP);
    description->runs = 0;
}

void omptape_mpi_members_record(struct omptape_slot *slot, const struct omptape_mpi_described *one,
                                unsigned flags, const int *members)
{
    struct description description = {
        .words = {one->identity, one->parent | (uint64_t)one->rank << 32, one->size}, .flags = flags};
    int step;
    int count;
    for (int i = 0; members != NULL && i < (int)one->size; i += count) {
        if (description.runs == MOST_RUNS)
            put_runs(slot, one, &description, OMPTAPE_MPI_COMM_GOES_ON);
        count = omptape_mpi_group_run(members, (int)one->size, i, &step);
        uint64_t *run = description.words + HEAD_WORDS + (size_t)RUN_WORDS * description.runs++;
        run[0] = (uint32_t)members[i] | (uint64_t)count << 32;
        run[1] = (uint64_t)(int64_t)step;
    }
    put_runs(slot, one, &description, 0);
}

/* With the lock. NULL: there is no room. */
static struct group *find_group(uint64_t identity)
{
    if (groups == NULL)
        groups = omptape_mpi_memory(MOST_GROUPS * sizeof(*groups));
    for (uint64_t i = identity; groups != NULL; i++) {
        struct group *group = &groups[i % MOST_GROUPS];
        if (group->identity == identity)
            return group;
        if (group->identity != 0)
            continue;
        if (groups_used >= MOST_GROUPS / 2)
            return NULL;
        groups_used++;
        return group;
    }
    return NULL;
}

/* The number of a group, which is recorded when it is met first. UINT32_MAX: there is no room. */
static uint32_t number_of_group(struct omptape_slot *slot, const int *ranks, int size)
{
    struct omptape_mpi_described described = {.identity = omptape_mpi_group_hash(ranks, size) | 1,
                                              .number = UINT32_MAX,
                                              .parent = UINT32_MAX,
                                              .size = (uint32_t)size};
    if (!omptape_mpi_lock(&lock))
        return UINT32_MAX;
    struct group *group = find_group(described.identity);
    const bool made = group != NULL && group->identity == 0;
    if (made)
        *group = (struct group){.identity = described.identity, .number = groups_used - 1};
    if (group != NULL)
        described.number = group->number;
    omptape_mpi_unlock(&lock);
    if (made)
        omptape_mpi_members_record(slot, &described, OMPTAPE_MPI_COMM_GROUP, ranks);
    return described.number;
}

uint32_t omptape_mpi_members_group(struct omptape_slot *slot, intptr_t handle)
{
    int size = 0;
    if (omptape_mpi.group_size(handle, &size) != OMPTAPE_MPI_SUCCESS || size <= 0)
        return UINT32_MAX;
    const struct omptape_mpi_places in_world = {.across = false};
    const size_t bytes = OMPTAPE_MPI_LIST_ROOM * (size_t)size * sizeof(int);
    int *ranks = omptape_mpi_memory(bytes);
    const bool known = ranks != NULL && omptape_mpi_group_list(&in_world, handle, size, ranks);
    const uint32_t number = known ? number_of_group(slot, ranks, size) : UINT32_MAX;
    omptape_mpi_memory_free(ranks, bytes);
    return number;
}
