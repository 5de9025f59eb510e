/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements ranks.h. Reads the definitions at the first use of a communicator.
 */
#include "src/replay/ranks.h"

#include "src/core/words.h"

#include <string.h>

void omptape_ranks_free(struct omptape_ranks *ranks)
{
    omptape_pairs_free(&ranks->comms);
    omptape_arena_free(&ranks->arena);
}

uint64_t omptape_ranks_process_of(const struct omptape_reader *reader, uint64_t location)
{
    const struct omptape_definition *definition = omptape_reader_find(reader, OMPTAPE_DEF_LOCATION, location);
    return definition != NULL ? definition->refs[1].id : OMPTAPE_NO_PROCESS;
}

/* Lists the members of a group, which are indices into the list of all MPI locations. */
static bool list_members(struct omptape_ranks *ranks, const struct omptape_definition *group,
                         struct omptape_rank_list *list)
{
    const struct omptape_definition *all =
        omptape_reader_comm_locations(ranks->reader, (uint64_t)OTF2_PARADIGM_MPI);
    list->processes =
        omptape_arena_alloc(&ranks->arena, (group->member_count + (size_t)1) * sizeof(uint64_t));
    if (list->processes == NULL)
        return false;
    list->size = group->member_count;
    for (uint32_t i = 0; i < group->member_count; i++) {
        uint64_t place = group->members[i];
        list->processes[i] = all != NULL && place < all->member_count
                                 ? omptape_ranks_process_of(ranks->reader, all->members[place])
                                 : OMPTAPE_NO_PROCESS;
        list->present += list->processes[i] != OMPTAPE_NO_PROCESS;
    }
    return true;
}

static struct omptape_rank_list *list_of(struct omptape_ranks *ranks, bool of_group, uint64_t id,
                                         const struct omptape_definition *group)
{
    struct omptape_rank_list *list =
        omptape_pairs_obtain(&ranks->comms, &ranks->arena, of_group, id, sizeof(*list));
    if (list == NULL)
        return NULL;
    list->self = group != NULL && group->value[0] == OTF2_GROUP_TYPE_COMM_SELF;
    bool of_mpi = group != NULL && group->value[0] == OTF2_GROUP_TYPE_COMM_GROUP &&
                  group->value[1] == OTF2_PARADIGM_MPI;
    return !of_mpi || list_members(ranks, group, list) ? list : NULL;
}

const struct omptape_rank_list *omptape_ranks_of(struct omptape_ranks *ranks, uint64_t comm)
{
    const struct omptape_rank_list *list = omptape_pairs_get(&ranks->comms, 0, comm);
    if (list != NULL)
        return list;
    const struct omptape_definition *definition = omptape_reader_find(ranks->reader, OMPTAPE_DEF_COMM, comm);
    const struct omptape_definition *group =
        definition == NULL || definition->value[0] != 0
            ? NULL
            : omptape_reader_find(ranks->reader, OMPTAPE_DEF_GROUP, definition->refs[1].id);
    return list_of(ranks, false, comm, group);
}

const struct omptape_rank_list *omptape_ranks_of_group(struct omptape_ranks *ranks, uint64_t group)
{
    const struct omptape_rank_list *list = omptape_pairs_get(&ranks->comms, 1, group);
    return list != NULL
               ? list
               : list_of(ranks, true, group, omptape_reader_find(ranks->reader, OMPTAPE_DEF_GROUP, group));
}

uint64_t omptape_ranks_process(struct omptape_ranks *ranks, uint64_t comm, uint64_t rank, uint64_t process)
{
    const struct omptape_rank_list *list = omptape_ranks_of(ranks, comm);
    if (list == NULL || rank >= list->size)
        return list != NULL && rank == 0 && list->self ? process : OMPTAPE_NO_PROCESS;
    return list->processes[rank];
}

static bool is_in(const struct omptape_rank_list *list, uint64_t process)
{
    for (uint32_t i = 0; list != NULL && i < list->size; i++)
        if (list->processes[i] == process)
            return true;
    return false;
}

uint64_t omptape_ranks_world_of(struct omptape_ranks *ranks, uint64_t process)
{
    const struct omptape_reader *reader = ranks->reader;
    OMPTAPE_EACH_DEFINITION(definition, reader, OMPTAPE_DEF_COMM) {
        const char *name = omptape_reader_name(reader, OMPTAPE_DEF_COMM, definition->id);
        /* A number may follow the name. */
        if (omptape_starts_with(name, "MPI_COMM_WORLD") &&
            is_in(omptape_ranks_of(ranks, definition->id), process))
            return definition->id;
    }
    return OTF2_UNDEFINED_COMM;
}

enum omptape_collective_needs omptape_collective_needs_of(uint64_t operation)
{
    switch (operation) {
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return OMPTAPE_NEEDS_ROOT;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return OMPTAPE_ROOT_NEEDS_ALL;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return OMPTAPE_NEEDS_LOWER;
    default:
        return OMPTAPE_NEEDS_ALL;
    }
}
