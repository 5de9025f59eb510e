/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the records of communicators and groups (members.h), and remembers the recorded groups.
 */
#include "callbacks/mpi/members.h"

#include "buffers/producer.h"
#include "callbacks/mpi/handles.h"
#include "callbacks/mpi/interface.h"
#include "callbacks/mpi/sessions.h"

#include <stddef.h>

typedef int group_of_handle(intptr_t, void *);

/* Translates the ranks of `group` into ranks of `into`; negative for members that `into` lacks. `list` must
 * have space for twice `size`. */
static bool translate(intptr_t group, int size, intptr_t into, int *list)
{
    for (int i = 0; i < size; i++)
        list[size + i] = i;
    return omptape_mpi.group_translate_ranks(group, size, list + size, into, list) == OMPTAPE_MPI_SUCCESS;
}

static bool translate_into_world(intptr_t group, int size, int *list)
{
    intptr_t into;
    if (!omptape_mpi_sessions_acquire_group(&into))
        return false;
    const bool known = translate(group, size, into, list);
    omptape_mpi_sessions_release_group(&into);
    return known;
}

static bool translate_into(intptr_t group, int size, group_of_handle *group_of, intptr_t comm, int *list)
{
    intptr_t into = 0;
    if (group_of(comm, &into) != OMPTAPE_MPI_SUCCESS)
        return false;
    const bool known = translate(group, size, into, list);
    omptape_mpi.group_free(&into);
    return known;
}

/* Looks up members that are missing in the local group in the remote group. */
static bool add_other_side(const struct omptape_mpi_rank_space *rank_space, intptr_t group, int size,
                           int *list)
{
    int *others = list + size;
    if (!translate_into(group, size, omptape_mpi.comm_remote_group, rank_space->handle, others))
        return false;
    for (int i = 0; i < size; i++)
        if (list[i] >= 0)
            list[i] += rank_space->own_first;
        else
            list[i] = others[i] >= 0 ? others[i] + rank_space->others_first : -1;
    return true;
}

/* Lists the members of a group. Returns false if one of them cannot be found. */
static bool list_group(const struct omptape_mpi_rank_space *rank_space, intptr_t group, int size, int *list)
{
    bool known = rank_space->across_worlds
                     ? rank_space->group_of != NULL &&
                           translate_into(group, size, rank_space->group_of, rank_space->handle, list)
                     : translate_into_world(group, size, list);
    if (known && rank_space->across_worlds && rank_space->inter)
        known = add_other_side(rank_space, group, size, list);
    for (int i = 0; i < size && known; i++)
        known = list[i] >= 0;
    return known;
}

bool omptape_mpi_group_of_comm(const struct omptape_mpi_rank_space *rank_space, intptr_t comm, bool remote,
                               int size, int *list)
{
    group_of_handle *group_of = remote ? omptape_mpi.comm_remote_group : omptape_mpi.comm_group;
    intptr_t group = 0;
    if (group_of(comm, &group) != OMPTAPE_MPI_SUCCESS)
        return false;
    bool known = list_group(rank_space, group, size, list);
    omptape_mpi.group_free(&group);
    return known;
}

uint64_t omptape_mpi_group_hash(const int *list, int size)
{
    uint64_t hash = (uint64_t)size;
    for (int i = 0; i < size; i++)
        hash = omptape_mpi_mix(hash, (uint64_t)list[i]);
    return hash;
}

/* Returns how many members from index `i` have equal distances, which `*step` receives. */
static int find_run(const int *list, int size, int i, int *step)
{
    int count = 1;
    *step = i + 1 < size ? list[i + 1] - list[i] : 1;
    while (i + count < size && list[i + count] - list[i + count - 1] == *step)
        count++;
    return count;
}

enum { MAX_GROUPS = 1 << 12 };
enum { HEAD_WORDS = 3, RUN_WORDS = 2, MAX_RUNS = 120 };

/* A group that windows were synchronised with. */
struct group {
    uint64_t identity; /* 0 if the entry is free. */
    uint32_t number;
};

/* NULL until it is allocated. */
static struct group *groups;
static uint32_t groups_used;
/* Also held while a group is recorded, because a thread that finds the group refers to its record. */
static atomic_flag lock = ATOMIC_FLAG_INIT;

struct description {
    uint64_t words[HEAD_WORDS + RUN_WORDS * MAX_RUNS];
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
        if (description.runs == MAX_RUNS)
            put = put_runs(slot, one, &description, OMPTAPE_MPI_COMM_CONTINUED) && put;
        count = find_run(members, (int)one->size, i, &step);
        uint64_t *run = description.words + HEAD_WORDS + (size_t)RUN_WORDS * description.runs++;
        run[0] = (uint32_t)members[i] | (uint64_t)count << 32;
        run[1] = (uint64_t)(int64_t)step;
    }
    return put_runs(slot, one, &description, 0) && put;
}

/* Returns the entry of a group or a free one; the caller holds `lock`. Returns NULL if the table is full. */
static struct group *find_group(uint64_t identity)
{
    if (groups == NULL)
        groups = omptape_mpi_memory(MAX_GROUPS * sizeof(*groups));
    for (uint64_t i = identity; groups != NULL; i++) {
        struct group *group = &groups[i % MAX_GROUPS];
        if (group->identity == identity)
            return group;
        if (group->identity != 0)
            continue;
        if (groups_used >= MAX_GROUPS / 2)
            return NULL;
        groups_used++;
        return group;
    }
    return NULL;
}

/* Returns the number of a group, recorded if it is new. Returns UINT32_MAX if the table is full. */
static uint32_t obtain_number(struct omptape_slot *slot, struct omptape_mpi_described *one,
                              const int *members)
{
    const bool of_comm = one->parent != UINT32_MAX;
    /* Groups of communicators from other connections may have the same identity. */
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
                                   const struct omptape_mpi_rank_space *rank_space, uint64_t identity,
                                   uint32_t number)
{
    int size = 0;
    if (omptape_mpi.group_size(handle, &size) != OMPTAPE_MPI_SUCCESS || size <= 0)
        return UINT32_MAX;
    const size_t bytes = OMPTAPE_MPI_NUMBERS_PER_MEMBER * (size_t)size * sizeof(int);
    struct omptape_mpi_described one = {.parent = rank_space->across_worlds ? number : UINT32_MAX,
                                        .size = (uint32_t)size};
    uint32_t found = UINT32_MAX;
    int *members = omptape_mpi_memory(bytes);
    if (members != NULL && list_group(rank_space, handle, size, members)) {
        const uint64_t hash = omptape_mpi_group_hash(members, size);
        one.identity = (rank_space->across_worlds ? omptape_mpi_mix(hash, identity) : hash) | 1;
        found = obtain_number(slot, &one, members);
    }
    omptape_mpi_memory_free(members, bytes);
    return found;
}
