/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records of communicators and groups (members.h), and which groups have been recorded.
 */
#include "callbacks/mpi/members.h"

#include "buffers/producer.h"
#include "callbacks/mpi/handles.h"
#include "callbacks/mpi/interface.h"
#include "callbacks/mpi/memory.h"

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
/* Also held while one is recorded: who finds it may refer to it. */
static atomic_flag lock = ATOMIC_FLAG_INIT;

struct description {
    uint64_t words[HEAD_WORDS + RUN_WORDS * MOST_RUNS];
    uint32_t runs;
    unsigned flags;
};

static bool put_runs(struct omptape_slot *slot, const struct omptape_mpi_described *one,
                     struct description *description, unsigned more)
{
    const bool put =
        omptape_producer_put_words(slot, OMPTAPE_MPI_COMM, description->flags | more, one->number,
                                   description->words, HEAD_WORDS + RUN_WORDS * description->runs);
    description->flags = OMPTAPE_MPI_COMM_MORE | (description->flags & OMPTAPE_MPI_COMM_GROUP);
    description->runs = 0;
    return put;
}

bool omptape_mpi_members_record(struct omptape_slot *slot, const struct omptape_mpi_described *one,
                                unsigned flags, const int *members)
{
    struct description description = {
        .words = {one->identity, one->parent | (uint64_t)one->rank << 32, one->size}, .flags = flags};
    bool put = true;
    int step;
    int count;
    for (int i = 0; members != NULL && i < (int)one->size; i += count) {
        if (description.runs == MOST_RUNS)
            put = put_runs(slot, one, &description, OMPTAPE_MPI_COMM_GOES_ON) && put;
        count = omptape_mpi_group_run(members, (int)one->size, i, &step);
        uint64_t *run = description.words + HEAD_WORDS + (size_t)RUN_WORDS * description.runs++;
        run[0] = (uint32_t)members[i] | (uint64_t)count << 32;
        run[1] = (uint64_t)(int64_t)step;
    }
    return put_runs(slot, one, &description, 0) && put;
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

/* The same of one whose record this is, but for its number. */
static uint32_t obtain_number(struct omptape_slot *slot, struct omptape_mpi_described *one,
                              const int *members)
{
    const bool of_comm = one->parent != UINT32_MAX;
    /* Other communicators' may have the same identity: those of other meetings. */
    const uint64_t key = of_comm ? omptape_mpi_mix(one->identity, one->parent) | 1 : one->identity;
    if (!omptape_mpi_lock(&lock))
        return UINT32_MAX;
    struct group *group = find_group(key);
    const bool made = group != NULL && group->identity == 0;
    if (made)
        *group = (struct group){.identity = key, .number = groups_used - 1};
    one->number = group != NULL ? group->number : UINT32_MAX;
    if (made)
        omptape_mpi_members_record(
            slot, one, OMPTAPE_MPI_COMM_GROUP | (of_comm ? OMPTAPE_MPI_COMM_OF_PARENT : 0), members);
    omptape_mpi_unlock(&lock);
    return one->number;
}

uint32_t omptape_mpi_members_group(struct omptape_slot *slot, intptr_t handle,
                                   const struct omptape_mpi_places *places, uint64_t identity,
                                   uint32_t number)
{
    int size = 0;
    if (omptape_mpi.group_size(handle, &size) != OMPTAPE_MPI_SUCCESS || size <= 0)
        return UINT32_MAX;
    const size_t bytes = OMPTAPE_MPI_LIST_ROOM * (size_t)size * sizeof(int);
    struct omptape_mpi_described one = {.parent = places->across ? number : UINT32_MAX,
                                        .size = (uint32_t)size};
    uint32_t found = UINT32_MAX;
    int *members = omptape_mpi_memory(bytes);
    if (members != NULL && omptape_mpi_group_list(places, handle, size, members)) {
        const uint64_t hash = omptape_mpi_group_hash(members, size);
        one.identity = (places->across ? omptape_mpi_mix(hash, identity) : hash) | 1;
        found = obtain_number(slot, &one, members);
    }
    omptape_mpi_memory_free(members, bytes);
    return found;
}
