/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which processes are in MPI's communicators and groups. Called when the definitions are written.
 */
#include "writers/translate/mpi_comm_members.h"

#include <stdlib.h>

/* The one that tells the members: another one's are like its parent's, which came before it. */
static const struct omptape_communicator *with_members(const struct omptape_writer *writer, uint64_t number)
{
    const struct omptape_communicator *one = omptape_communicators_get(writer, number);
    while (one != NULL && (one->flags & OMPTAPE_MPI_COMM_LIKE) != 0 && one->parent < number) {
        number = one->parent;
        one = omptape_communicators_get(writer, number);
    }
    return one;
}

/* Ranks beyond `size`, which MPI_COMM_WORLD has, come from damaged records. */
static uint32_t list_members(const struct omptape_communicator *one, uint64_t size, uint64_t *members)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < one->run_count; i++)
        for (uint32_t k = 0; k < one->runs[i].count && count < one->size; k++) {
            uint64_t member = one->runs[i].first + (uint64_t)one->runs[i].step * k;
            if (member >= size)
                break;
            members[count++] = member;
        }
    return count;
}

const struct omptape_comm_meeting *omptape_comm_members_meeting(const struct omptape_writer *writer,
                                                                uint64_t number)
{
    const struct omptape_communicator *one = omptape_communicators_get(writer, number);
    while (one != NULL && (one->flags & OMPTAPE_MPI_COMM_MEETING) == 0) {
        one = one->parent < number ? omptape_communicators_get(writer, one->parent) : NULL;
        number = one != NULL ? (uint64_t)(one - writer->communicators->list) : 0;
    }
    return one != NULL ? &writer->communicators->meetings[one->meeting] : NULL;
}

/* UINT64_MAX: it has no such member. */
static uint64_t member_at(const struct omptape_communicator *one, uint64_t index)
{
    for (uint32_t i = 0; i < one->run_count; i++) {
        if (index < one->runs[i].count)
            return one->runs[i].first + (uint64_t)one->runs[i].step * index;
        index -= one->runs[i].count;
    }
    return UINT64_MAX;
}

/* The member's place in what the communicator was made of, or in MPI's list then *found is set. */
static uint64_t place_above(const struct omptape_writer *writer, const struct omptape_communicator *one,
                            uint64_t index, bool *found)
{
    const struct omptape_communicators *all = writer->communicators;
    if ((one->flags & OMPTAPE_MPI_COMM_LIKE) != 0)
        return index;
    *found = (one->flags & (OMPTAPE_MPI_COMM_OF_PARENT | OMPTAPE_MPI_COMM_MEETING)) == 0;
    if ((one->flags & OMPTAPE_MPI_COMM_SELF) != 0)
        return all->list[OMPTAPE_MPI_WORLD].rank;
    if ((one->flags & OMPTAPE_MPI_COMM_MEETING) == 0)
        return member_at(one, index);
    const struct omptape_comm_meeting *meeting = &all->meetings[one->meeting];
    const uint64_t own = one->size - meeting->remote;
    const uint64_t own_first = meeting->first ? 0 : meeting->remote;
    if (index - own_first < own)
        return index - own_first;
    *found = true;
    return (uint64_t)all->list[OMPTAPE_MPI_WORLD].size + meeting->before + index - (meeting->first ? own : 0);
}

/* In MPI's list, by way of what it was made of. UINT64_MAX: it cannot be told. */
static uint64_t place_of(const struct omptape_writer *writer, uint64_t number, uint64_t index)
{
    bool found = false;
    for (;;) {
        const struct omptape_communicator *one = omptape_communicators_get(writer, number);
        if (one == NULL || index >= one->size)
            return UINT64_MAX;
        index = place_above(writer, one, index, &found);
        if (found)
            return index;
        if (one->parent >= number)
            return UINT64_MAX;
        number = one->parent;
    }
}

/* Of one with processes of other worlds. */
static uint32_t list_places(const struct omptape_writer *writer, uint64_t number, uint64_t *members)
{
    const struct omptape_communicators *all = writer->communicators;
    const uint64_t size = (uint64_t)all->list[OMPTAPE_MPI_WORLD].size + omptape_communicators_elsewhere(all);
    uint32_t count = 0;
    while (count < all->list[number].size && (members[count] = place_of(writer, number, count)) < size)
        count++;
    return count;
}

/* The same of a group with some of these. */
static uint32_t list_group_places(const struct omptape_writer *writer, const struct omptape_communicator *one,
                                  uint64_t *members)
{
    const struct omptape_communicators *all = writer->communicators;
    const uint64_t size = (uint64_t)all->list[OMPTAPE_MPI_WORLD].size + omptape_communicators_elsewhere(all);
    uint32_t count = 0;
    while (count < one->size &&
           (members[count] = place_of(writer, one->parent, member_at(one, count))) < size)
        count++;
    return count;
}

uint64_t *omptape_comm_members_list(const struct omptape_writer *writer, uint64_t number, uint32_t *count)
{
    const struct omptape_communicator *shown = with_members(writer, number);
    const struct omptape_communicator *world = omptape_communicators_get(writer, OMPTAPE_MPI_WORLD);
    uint64_t *members = shown != NULL ? calloc((size_t)shown->size + 1, sizeof(*members)) : NULL;
    *count = 0;
    if (members == NULL || world == NULL)
        return members;
    if (omptape_comm_members_meeting(writer, number) != NULL)
        *count = list_places(writer, number, members);
    else if (number != OMPTAPE_MPI_SELF && world->rank < world->size &&
             (shown->flags & OMPTAPE_MPI_COMM_SELF) != 0)
        members[(*count)++] = world->rank;
    else if (number != OMPTAPE_MPI_SELF)
        *count = list_members(shown, world->size, members);
    return members;
}

const struct omptape_comm_meeting *
omptape_comm_members_group_meeting(const struct omptape_writer *writer,
                                   const struct omptape_communicator *group)
{
    return (group->flags & OMPTAPE_MPI_COMM_OF_PARENT) != 0
               ? omptape_comm_members_meeting(writer, group->parent)
               : NULL;
}

uint64_t *omptape_comm_members_list_group(const struct omptape_writer *writer,
                                          const struct omptape_communicator *group, uint32_t *count)
{
    const struct omptape_communicator *world = omptape_communicators_get(writer, OMPTAPE_MPI_WORLD);
    uint64_t *members = calloc((size_t)group->size + 1, sizeof(*members));
    *count = 0;
    if (members != NULL && world != NULL)
        *count = omptape_comm_members_group_meeting(writer, group) != NULL
                     ? list_group_places(writer, group, members)
                     : list_members(group, world->size, members);
    return members;
}
