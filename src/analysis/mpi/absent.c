/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds MPI processes without a trace, by the archive's definitions (calls.h).
 */
#include "src/analysis/mpi/calls.h"

#include "src/core/words.h"

#include <inttypes.h>
#include <omptape/properties.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 256 };

struct absent {
    const struct omptape_reader *reader;
    const struct omptape_definition *all; /* MPI's locations; OTF2_UNDEFINED_LOCATION for an absent process */
    uint64_t in_worlds;
    char text[TEXT_BYTES];
};

static bool is_absent(const struct absent *absent, uint64_t place)
{
    return place >= absent->all->member_count ||
           omptape_reader_find(absent->reader, OMPTAPE_DEF_LOCATION, absent->all->members[place]) == NULL;
}

/* Appends a world's absent ranks: "rank 0 of 2", "ranks 1, 3-4 of 6 of MPI_COMM_WORLD 2". */
static void add_world(struct absent *absent, const char *name, const struct omptape_definition *group)
{
    char ranks[TEXT_BYTES / 2] = "";
    const bool is_first = strcmp(name, OMPTAPE_WORLD_NAME) == 0;
    uint64_t count = 0;
    for (uint32_t rank = 0; rank < group->member_count; rank++) {
        const uint32_t first = rank;
        while (rank < group->member_count && is_absent(absent, group->members[rank]))
            rank++;
        if (rank > first)
            omptape_range_append(ranks, sizeof(ranks), first, rank);
        count += rank - first;
    }
    absent->in_worlds += count;
    if (count > 0)
        omptape_append_item(absent->text, sizeof(absent->text), ", ", "rank%s %s of %" PRIu32 "%s%s",
                            count > 1 ? "s" : "", ranks, group->member_count, is_first ? "" : " of ",
                            is_first ? "" : name);
}

/* Returns true if the communicator is a world, with or without a number after its name. */
static bool is_world(const char *name)
{
    static const char *const worlds[] = {OMPTAPE_WORLD_NAME, OMPTAPE_SET_NAME};
    for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
        const char *rest = omptape_text_after(name, worlds[i]);
        if (rest != NULL && (*rest == '\0' || *rest == ' '))
            return true;
    }
    return false;
}

static void add_worlds(struct absent *absent)
{
    OMPTAPE_EACH_DEFINITION(comm, absent->reader, OMPTAPE_DEF_COMM) {
        if (comm->value[0] != 0)
            continue;
        const char *name = omptape_reader_name(absent->reader, OMPTAPE_DEF_COMM, comm->id);
        const struct omptape_definition *group =
            omptape_reader_find(absent->reader, OMPTAPE_DEF_GROUP, comm->refs[1].id);
        if (is_world(name) && group != NULL && group->value[0] == OTF2_GROUP_TYPE_COMM_GROUP)
            add_world(absent, name, group);
    }
}

/* Appends the number of absent processes in worlds without any traced process. */
static void add_others(struct absent *absent)
{
    uint64_t others = 0;
    for (uint32_t place = 0; place < absent->all->member_count; place++)
        others += is_absent(absent, place);
    others = omptape_minus(others, absent->in_worlds);
    if (others > 0)
        omptape_append_item(absent->text, sizeof(absent->text), ", ",
                            "%" PRIu64 " process%s of another MPI_COMM_WORLD", others,
                            others > 1 ? "es" : "");
}

void omptape_mpi_find_absent(struct analysis_state *state)
{
    struct absent absent = {.reader = state->reader,
                            .all = omptape_reader_comm_locations(state->reader, (uint64_t)OTF2_PARADIGM_MPI)};
    if (absent.all == NULL)
        return;
    add_worlds(&absent);
    add_others(&absent);
    if (absent.text[0] == '\0')
        return;
    char *copy = omptape_arena_alloc(&state->result->arena, strlen(absent.text) + 1);
    if (copy != NULL)
        state->result->absent = strcpy(copy, absent.text);
}
