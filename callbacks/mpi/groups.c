/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Members of groups (groups.h). Called by communicators.c.
 */
#include "callbacks/mpi/groups.h"

#include "callbacks/mpi/handles.h"
#include "callbacks/mpi/interface.h"
#include "callbacks/mpi/sessions.h"

typedef int group_of_handle(intptr_t, void *);

/* Their ranks in another group; negative: it lacks them. `list` has room for twice `size`. */
static bool translate(intptr_t group, int size, intptr_t into, int *list)
{
    for (int i = 0; i < size; i++)
        list[size + i] = i;
    return omptape_mpi.group_translate_ranks(group, size, list + size, into, list) == OMPTAPE_MPI_SUCCESS;
}

static bool translate_into_world(intptr_t group, int size, int *list)
{
    intptr_t into;
    if (!omptape_mpi_sessions_take_group(&into))
        return false;
    const bool told = translate(group, size, into, list);
    omptape_mpi_sessions_give_group(&into);
    return told;
}

static bool translate_into(intptr_t group, int size, group_of_handle *group_of, intptr_t comm, int *list)
{
    intptr_t into = 0;
    if (group_of(comm, &into) != OMPTAPE_MPI_SUCCESS)
        return false;
    const bool told = translate(group, size, into, list);
    omptape_mpi.group_free(&into);
    return told;
}

/* Those that are not on this side may be on the other one. */
static bool add_other_side(const struct omptape_mpi_places *places, intptr_t group, int size, int *list)
{
    int *others = list + size;
    if (!translate_into(group, size, omptape_mpi.comm_remote_group, places->handle, others))
        return false;
    for (int i = 0; i < size; i++)
        if (list[i] >= 0)
            list[i] += places->own_first;
        else
            list[i] = others[i] >= 0 ? others[i] + places->others_first : -1;
    return true;
}

bool omptape_mpi_group_list(const struct omptape_mpi_places *places, intptr_t group, int size, int *list)
{
    bool known = places->across ? places->group_of != NULL &&
                                      translate_into(group, size, places->group_of, places->handle, list)
                                : translate_into_world(group, size, list);
    if (known && places->across && places->inter)
        known = add_other_side(places, group, size, list);
    for (int i = 0; i < size && known; i++)
        known = list[i] >= 0;
    return known;
}

bool omptape_mpi_group_of_comm(const struct omptape_mpi_places *places, intptr_t comm, bool remote, int size,
                               int *list)
{
    group_of_handle *group_of = remote ? omptape_mpi.comm_remote_group : omptape_mpi.comm_group;
    intptr_t group = 0;
    if (group_of(comm, &group) != OMPTAPE_MPI_SUCCESS)
        return false;
    bool known = omptape_mpi_group_list(places, group, size, list);
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

int omptape_mpi_group_run(const int *list, int size, int i, int *step)
{
    int count = 1;
    *step = i + 1 < size ? list[i + 1] - list[i] : 1;
    while (i + count < size && list[i + count] - list[i + count - 1] == *step)
        count++;
    return count;
}
