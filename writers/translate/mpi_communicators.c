/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of MPI's communicators, and the records that fill it. Called for each of these, and by who needs
 * a number.
 */
#include "writers/translate/mpi_communicators.h"

#include "src/core/array.h"
#include "writers/translate/stack.h"
#include "writers/translate/teams.h"

#include <errno.h>
#include <stdlib.h>

enum { HEAD_WORDS = OMPTAPE_RECORD_HEADER_WORDS + 3, RUN_WORDS = 2 };
/* More are not believed: a damaged record can say anything. */
enum { MOST_AHEAD = 1024 };
/* OTF2 has room for nearly twice as many in one definition (16 MiB). */
enum { MOST_MEMBERS = 1000000 };

int omptape_communicators_create(struct omptape_writer *writer)
{
    writer->communicators = calloc(1, sizeof(*writer->communicators));
    return writer->communicators != NULL ? 0 : -ENOMEM;
}

void omptape_communicators_free(struct omptape_writer *writer)
{
    for (uint32_t i = 0; i < writer->communicators->count; i++)
        free(writer->communicators->list[i].runs);
    for (uint32_t i = 0; i < writer->location_count; i++)
        free(writer->locations[i]->awaited);
    for (uint32_t i = 0; i < writer->communicators->group_numbers; i++)
        free(writer->communicators->groups[i].runs);
    free(writer->communicators->groups);
    free(writer->communicators->group_order);
    free(writer->communicators->meetings);
    free(writer->communicators->list);
    free(writer->communicators);
}

const struct omptape_communicator *omptape_communicators_get(const struct omptape_writer *writer,
                                                             uint64_t number)
{
    const struct omptape_communicators *all = writer->communicators;
    return number < all->count && all->list[number].known ? &all->list[number] : NULL;
}

OTF2_CommRef omptape_communicators_find(const struct omptape_writer *writer, uint64_t number, uint32_t rank)
{
    const struct omptape_communicator *found = omptape_communicators_get(writer, number);
    return found != NULL && rank < found->size ? found->comm : OTF2_UNDEFINED_COMM;
}

bool omptape_communicators_have_life(const struct omptape_writer *writer, uint64_t number)
{
    const unsigned without = OMPTAPE_MPI_COMM_MEETING | OMPTAPE_MPI_COMM_PARTITIONED;
    const struct omptape_communicator *found = omptape_communicators_get(writer, number);
    return number >= OMPTAPE_MPI_FIRST_COMM && found != NULL && (found->flags & without) == 0;
}

bool omptape_communicators_are_used(const struct omptape_writer *writer)
{
    return omptape_communicators_get(writer, OMPTAPE_MPI_WORLD) != NULL;
}

static struct omptape_communicator *obtain(struct omptape_communicator **all, uint32_t *count,
                                           uint32_t *capacity, uint32_t number)
{
    struct omptape_communicator *list = NULL;
    if (number < *count || number - *count < MOST_AHEAD)
        list = omptape_array_reserve(*all, number + 1, capacity, sizeof(*list));
    if (list == NULL)
        return NULL;
    *all = list;
    for (; *count <= number; ++*count)
        list[*count] = (struct omptape_communicator){.comm = OTF2_UNDEFINED_COMM};
    return &list[number];
}

static void add_run(struct omptape_communicator *one, const uint64_t *words)
{
    struct omptape_mpi_run *runs =
        omptape_array_reserve(one->runs, one->run_count + 1, &one->run_capacity, sizeof(*runs));
    if (runs == NULL)
        return;
    one->runs = runs;
    runs[one->run_count++] = (struct omptape_mpi_run){
        .first = (uint32_t)words[0], .count = (uint32_t)(words[0] >> 32), .step = (int64_t)words[1]};
}

/* The next among groups. */
static OTF2_GroupRef order_group(struct omptape_communicators *all, uint32_t number)
{
    uint32_t *order =
        omptape_array_reserve(all->group_order, all->group_count + 1, &all->order_capacity, sizeof(*order));
    if (order == NULL)
        return OTF2_UNDEFINED_GROUP;
    all->group_order = order;
    order[all->group_count] = number;
    return all->group_count++;
}

uint32_t omptape_communicators_elsewhere(const struct omptape_communicators *all)
{
    const struct omptape_comm_meeting *last =
        all->meeting_count > 0 ? &all->meetings[all->meeting_count - 1] : NULL;
    return last != NULL ? last->before + last->remote : 0;
}

enum { MEETING_WORDS = HEAD_WORDS + 3 };

/* Its words are no members. */
static void add_meeting(struct omptape_communicators *all, const struct omptape_location *location,
                        const struct omptape_record *record, uint64_t time)
{
    const struct omptape_open_region *call =
        omptape_stack_find(location, OMPTAPE_CLASS_MPI, OMPTAPE_ANY_KEY, 0);
    const uint64_t how = record->p[4];
    const uint32_t before = omptape_communicators_elsewhere(all);
    all->list[record->b].meeting = all->meeting_count;
    all->meetings[all->meeting_count++] =
        (struct omptape_comm_meeting){.number = record->b,
                                      .identity = record->p[3],
                                      .remote = (uint32_t)how,
                                      .before = before,
                                      .way = (uint8_t)(how >> 32),
                                      .first = (how >> 40 & 1) != 0,
                                      .root = (how >> 41 & 1) != 0,
                                      .name = record->p[5],
                                      .begin = call != NULL ? call->begin : time,
                                      .end = time};
}

static bool has_room(struct omptape_communicators *all, const struct omptape_record *record)
{
    const uint64_t remote = record->words >= MEETING_WORDS ? (uint32_t)record->p[4] : 0;
    if (remote == 0 || remote >= (uint32_t)record->p[2] ||
        all->list[OMPTAPE_MPI_WORLD].size + omptape_communicators_elsewhere(all) + remote > MOST_MEMBERS)
        return false;
    struct omptape_comm_meeting *list =
        omptape_array_reserve(all->meetings, all->meeting_count + 1, &all->meeting_capacity, sizeof(*list));
    all->meetings = list != NULL ? list : all->meetings;
    return list != NULL;
}

/* Is there no room for its members, or for those of what it was made of? */
static bool is_refused(struct omptape_communicators *all, const struct omptape_record *record)
{
    const unsigned by_parent = OMPTAPE_MPI_COMM_LIKE | OMPTAPE_MPI_COMM_OF_PARENT | OMPTAPE_MPI_COMM_MEETING;
    const uint32_t parent = (uint32_t)record->p[1];
    if (record->p[2] > MOST_MEMBERS)
        return true;
    if ((record->a & OMPTAPE_MPI_COMM_GROUP) != 0)
        return false;
    if ((record->a & by_parent) != 0 && parent < record->b && parent < all->count &&
        all->list[parent].refused)
        return true;
    return (record->a & OMPTAPE_MPI_COMM_MEETING) != 0 && !has_room(all, record);
}

/* What stood for MPI_COMM_WORLD in a session is that: the program has called MPI_Init, too. */
static bool turns_out_world(const struct omptape_communicator *one, const struct omptape_record *record)
{
    return record->b == OMPTAPE_MPI_WORLD && one->known && (one->flags & OMPTAPE_MPI_COMM_SET) != 0 &&
           record->a == 0 && record->p[2] == one->size;
}

void omptape_mpi_translate_communicator(struct omptape_writer *writer, struct omptape_location *location,
                                        const struct omptape_record *record, uint64_t time)
{
    struct omptape_communicators *all = writer->communicators;
    bool group = (record->a & OMPTAPE_MPI_COMM_GROUP) != 0;
    struct omptape_communicator *one =
        group ? obtain(&all->groups, &all->group_numbers, &all->group_capacity, record->b)
              : obtain(&all->list, &all->count, &all->capacity, record->b);
    bool more = (record->a & OMPTAPE_MPI_COMM_MORE) != 0;
    if (one != NULL && !group && turns_out_world(one, record))
        one->flags = record->a;
    if (one == NULL || one->known != more)
        return;
    /* Members are ranks in MPI_COMM_WORLD, which comes first. */
    if ((group || record->b != OMPTAPE_MPI_WORLD) && !omptape_communicators_are_used(writer))
        return;
    if (!more && is_refused(all, record)) {
        one->refused = true;
        return;
    }
    if (!more) {
        *one = (struct omptape_communicator){.known = true,
                                             .flags = record->a,
                                             .identity = record->p[0],
                                             .parent = (uint32_t)record->p[1],
                                             .rank = (uint32_t)(record->p[1] >> 32),
                                             .size = (uint32_t)record->p[2],
                                             .comm = group ? order_group(all, record->b)
                                                           : omptape_teams_reserve_comm(writer, record->b)};
    }
    if (!group && !more && (record->a & OMPTAPE_MPI_COMM_MEETING) != 0) {
        add_meeting(all, location, record, time);
        return;
    }
    for (unsigned i = HEAD_WORDS; i + RUN_WORDS <= record->words; i += RUN_WORDS)
        add_run(one, record->p + i - OMPTAPE_RECORD_HEADER_WORDS);
}

OTF2_GroupRef omptape_communicators_find_group(const struct omptape_writer *writer, uint64_t number)
{
    const struct omptape_communicators *all = writer->communicators;
    return number < all->group_numbers && all->groups[number].known ? all->groups[number].comm
                                                                    : OTF2_UNDEFINED_GROUP;
}

uint32_t omptape_communicators_group_count(const struct omptape_writer *writer)
{
    return writer->communicators->group_count;
}
