/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table of MPI's communicators and groups, filled from the program's records.
 */
#include "writers/translate/mpi_communicators.h"

#include "src/core/array.h"
#include "writers/translate/stack.h"
#include "writers/translate/teams.h"
#include <inttypes.h>
#include <omptape/properties.h>
#include <stdlib.h>

enum { HEAD_WORDS = OMPTAPE_RECORD_HEADER_WORDS + 3, RUN_WORDS = 2 };
/* Numbers further ahead are ignored, because damaged records can contain any value. */
enum { MAX_AHEAD = 1024 };
/* OTF2 can store nearly twice as many members in one definition (16 MiB). */
enum { MAX_MEMBERS = 1000000 };

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
    free(writer->communicators->connections);
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

bool omptape_communicators_have_lifetime(const struct omptape_writer *writer, uint64_t number)
{
    const unsigned without = OMPTAPE_MPI_COMM_CONNECTION | OMPTAPE_MPI_COMM_PARTITIONED;
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
    if ((number >= *count && number - *count >= MAX_AHEAD) || !OMPTAPE_RESERVE(*all, number + 1, capacity))
        return NULL;
    for (; *count <= number; ++*count)
        (*all)[*count] = (struct omptape_communicator){.comm = OTF2_UNDEFINED_COMM};
    return &(*all)[number];
}

static void add_run(struct omptape_communicator *one, const uint64_t *words)
{
    (void)OMPTAPE_APPEND(one->runs, one->run_count, one->run_capacity,
                         (struct omptape_mpi_run){.first = (uint32_t)words[0],
                                                  .count = (uint32_t)(words[0] >> 32),
                                                  .step = (int64_t)words[1]});
}

/* Assigns the next OTF2 number of groups that are no communicators. */
static OTF2_GroupRef order_group(struct omptape_communicators *all, uint32_t number)
{
    if (!OMPTAPE_RESERVE(all->group_order, all->group_count + 1, &all->order_capacity))
        return OTF2_UNDEFINED_GROUP;
    all->group_order[all->group_count] = number;
    return all->group_count++;
}

static uint32_t remote_count(const struct omptape_communicators *all)
{
    const struct omptape_comm_connection *last =
        all->connection_count > 0 ? &all->connections[all->connection_count - 1] : NULL;
    return last != NULL ? last->remote_before + last->remote_count : 0;
}

uint32_t omptape_communicators_process_count(const struct omptape_writer *writer)
{
    const struct omptape_communicator *world = omptape_communicators_get(writer, OMPTAPE_MPI_WORLD);
    return world != NULL ? world->size + remote_count(writer->communicators) : 0;
}

enum { CONNECTION_WORDS = HEAD_WORDS + 3 };

/* Adds a connection with another world. The record's words do not list members. */
static void add_connection(struct omptape_communicators *all, const struct omptape_location *location,
                           const struct omptape_record *record, uint64_t time)
{
    const struct omptape_open_region *call =
        omptape_stack_find(location, OMPTAPE_CLASS_MPI, OMPTAPE_ANY_KEY, 0);
    const uint64_t how = record->p[4];
    const uint32_t before = remote_count(all);
    all->list[record->b].connection = all->connection_count;
    all->connections[all->connection_count++] =
        (struct omptape_comm_connection){.number = record->b,
                                         .identity = record->p[3],
                                         .remote_count = (uint32_t)how,
                                         .remote_before = before,
                                         .kind = (uint8_t)(how >> 32),
                                         .first = (how >> 40 & 1) != 0,
                                         .root = (how >> 41 & 1) != 0,
                                         .name = record->p[5],
                                         .begin = call != NULL ? call->begin : time,
                                         .end = time};
}

static bool has_capacity(struct omptape_communicators *all, const struct omptape_record *record)
{
    const uint64_t remote = record->words >= CONNECTION_WORDS ? (uint32_t)record->p[4] : 0;
    return remote != 0 && remote < (uint32_t)record->p[2] &&
           all->list[OMPTAPE_MPI_WORLD].size + remote_count(all) + remote <= MAX_MEMBERS &&
           OMPTAPE_RESERVE(all->connections, all->connection_count + 1, &all->connection_capacity);
}

/* Returns true if the communicator's members, or those of its parent, exceed the limit of members. */
static bool is_refused(struct omptape_communicators *all, const struct omptape_record *record)
{
    const unsigned by_parent =
        OMPTAPE_MPI_COMM_LIKE | OMPTAPE_MPI_COMM_OF_PARENT | OMPTAPE_MPI_COMM_CONNECTION;
    const uint32_t parent = (uint32_t)record->p[1];
    if (record->p[2] > MAX_MEMBERS)
        return true;
    if ((record->a & OMPTAPE_MPI_COMM_GROUP) != 0)
        return false;
    if ((record->a & by_parent) != 0 && parent < record->b && parent < all->count &&
        all->list[parent].refused)
        return true;
    return (record->a & OMPTAPE_MPI_COMM_CONNECTION) != 0 && !has_capacity(all, record);
}

/* Returns true if a communicator that a session used in place of MPI_COMM_WORLD turns out to be
 * MPI_COMM_WORLD, because the program has called MPI_Init, too. */
static bool becomes_world(const struct omptape_communicator *one, const struct omptape_record *record)
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
    if (one != NULL && !group && becomes_world(one, record))
        one->flags = record->a;
    if (one == NULL || one->known != more)
        return;
    /* Members are ranks in MPI_COMM_WORLD, so its record must come first. */
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
    if (!group && !more && (record->a & OMPTAPE_MPI_COMM_CONNECTION) != 0) {
        add_connection(all, location, record, time);
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

/* Members of communicators and groups, as places in the list of MPI's locations. They are computed through
 * the parents. The values of records are checked, because records may be damaged. */

/* Returns the communicator that lists the members. A duplicate has its parent's, which was defined
 * earlier. */
static const struct omptape_communicator *with_members(const struct omptape_writer *writer, uint64_t number)
{
    const struct omptape_communicator *one = omptape_communicators_get(writer, number);
    while (one != NULL && (one->flags & OMPTAPE_MPI_COMM_LIKE) != 0 && one->parent < number) {
        number = one->parent;
        one = omptape_communicators_get(writer, number);
    }
    return one;
}

/* Ranks beyond `size`, the size of MPI_COMM_WORLD, come from damaged records. */
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

/* Returns the connection by which other worlds' processes came into the communicator or a parent, or NULL. */
static const struct omptape_comm_connection *find_connection(const struct omptape_writer *writer,
                                                             uint64_t number)
{
    const struct omptape_communicator *one = omptape_communicators_get(writer, number);
    while (one != NULL && (one->flags & OMPTAPE_MPI_COMM_CONNECTION) == 0) {
        one = one->parent < number ? omptape_communicators_get(writer, one->parent) : NULL;
        number = one != NULL ? (uint64_t)(one - writer->communicators->list) : 0;
    }
    return one != NULL ? &writer->communicators->connections[one->connection] : NULL;
}

/* Returns the member at `index`, or UINT64_MAX if there is none. */
static uint64_t member_at(const struct omptape_communicator *one, uint64_t index)
{
    for (uint32_t i = 0; i < one->run_count; i++) {
        if (index < one->runs[i].count)
            return one->runs[i].first + (uint64_t)one->runs[i].step * index;
        index -= one->runs[i].count;
    }
    return UINT64_MAX;
}

/* Returns the member's place in the parent of the communicator. With *found, its place in MPI's list. */
static uint64_t place_above(const struct omptape_writer *writer, const struct omptape_communicator *one,
                            uint64_t index, bool *found)
{
    const struct omptape_communicators *all = writer->communicators;
    if ((one->flags & OMPTAPE_MPI_COMM_LIKE) != 0)
        return index;
    *found = (one->flags & (OMPTAPE_MPI_COMM_OF_PARENT | OMPTAPE_MPI_COMM_CONNECTION)) == 0;
    if ((one->flags & OMPTAPE_MPI_COMM_SELF) != 0)
        return all->list[OMPTAPE_MPI_WORLD].rank;
    if ((one->flags & OMPTAPE_MPI_COMM_CONNECTION) == 0)
        return member_at(one, index);
    const struct omptape_comm_connection *connection = &all->connections[one->connection];
    const uint64_t own = one->size - connection->remote_count;
    const uint64_t own_first = connection->first ? 0 : connection->remote_count;
    if (index - own_first < own)
        return index - own_first;
    *found = true;
    return (uint64_t)all->list[OMPTAPE_MPI_WORLD].size + connection->remote_before + index -
           (connection->first ? own : 0);
}

/* Returns the member's place in MPI's list, computed through the parents. UINT64_MAX if it is unknown. */
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

/* Lists members of a communicator or group with processes of other worlds; a group's by its parent's. */
static uint32_t list_places(const struct omptape_writer *writer, const struct omptape_communicator *one,
                            uint64_t number, bool group, uint64_t *members)
{
    const uint64_t size = omptape_communicators_process_count(writer);
    uint32_t count = 0;
    while (count < one->size &&
           (members[count] = place_of(writer, number, group ? member_at(one, count) : count)) < size)
        count++;
    return count;
}

/* Returns the places of the members in their order; the caller frees the list. The list is empty for
 * MPI_COMM_SELF, and while MPI_COMM_WORLD is unknown. Returns NULL if out of memory or the communicator is
 * unknown. */
static uint64_t *comm_members_list(const struct omptape_writer *writer, uint64_t number, uint32_t *count)
{
    const struct omptape_communicator *shown = with_members(writer, number);
    const struct omptape_communicator *world = omptape_communicators_get(writer, OMPTAPE_MPI_WORLD);
    uint64_t *members = shown != NULL ? calloc((size_t)shown->size + 1, sizeof(*members)) : NULL;
    *count = 0;
    if (members == NULL || world == NULL)
        return members;
    if (find_connection(writer, number) != NULL)
        *count = list_places(writer, &writer->communicators->list[number], number, false, members);
    else if (number != OMPTAPE_MPI_SELF && world->rank < world->size &&
             (shown->flags & OMPTAPE_MPI_COMM_SELF) != 0)
        members[(*count)++] = world->rank;
    else if (number != OMPTAPE_MPI_SELF)
        *count = list_members(shown, world->size, members);
    return members;
}

static const struct omptape_comm_connection *find_group_connection(const struct omptape_writer *writer,
                                                                   const struct omptape_communicator *group)
{
    return (group->flags & OMPTAPE_MPI_COMM_OF_PARENT) != 0 ? find_connection(writer, group->parent) : NULL;
}

/* Returns the places of a group's members. The caller frees the list. Returns NULL if out of memory. */
static uint64_t *comm_members_list_group(const struct omptape_writer *writer,
                                         const struct omptape_communicator *group, uint32_t *count)
{
    const struct omptape_communicator *world = omptape_communicators_get(writer, OMPTAPE_MPI_WORLD);
    uint64_t *members = calloc((size_t)group->size + 1, sizeof(*members));
    *count = 0;
    if (members != NULL && world != NULL)
        *count = find_group_connection(writer, group) != NULL
                     ? list_places(writer, group, group->parent, true, members)
                     : list_members(group, world->size, members);
    return members;
}

void omptape_communicators_write_list(struct omptape_writer *writer, OTF2_GroupRef group)
{
    const struct omptape_communicator *world = omptape_communicators_get(writer, OMPTAPE_MPI_WORLD);
    const uint32_t count = omptape_communicators_process_count(writer);
    uint64_t *places = world != NULL ? calloc((size_t)count + 1, sizeof(*places)) : NULL;
    if (places == NULL)
        return;
    for (uint32_t i = 0; i < count; i++)
        places[i] = i == world->rank && writer->location_count > 0 ? writer->locations[0]->ref
                                                                   : OTF2_UNDEFINED_LOCATION;
    OMPTAPE_DEFINE(&writer->archive, Group, group, omptape_archive_string(&writer->strings, "MPI"),
                   OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, places);
    free(places);
}

/* Returns the name of the group. All process archives use the same name for the same communicator. */
static OTF2_StringRef identity_of(struct omptape_writer *writer, const struct omptape_communicator *one,
                                  const struct omptape_comm_connection *connection)
{
    return connection != NULL
               ? omptape_archive_format(&writer->strings, OMPTAPE_ACROSS_NAME, one->identity,
                                        (unsigned)(connection - writer->communicators->connections))
               : omptape_archive_format(&writer->strings, "MPI 0x%016llx", (unsigned long long)one->identity);
}

static OTF2_StringRef name_of(struct omptape_writer *writer, uint64_t number,
                              const struct omptape_communicator *one)
{
    if (number == OMPTAPE_MPI_WORLD)
        return omptape_archive_string(&writer->strings, (one->flags & OMPTAPE_MPI_COMM_SET) != 0
                                                            ? OMPTAPE_SET_NAME
                                                            : OMPTAPE_WORLD_NAME);
    if (number == OMPTAPE_MPI_SELF)
        return omptape_archive_string(&writer->strings, "MPI_COMM_SELF");
    return omptape_archive_format(&writer->strings, "%s %u",
                                  (one->flags & OMPTAPE_MPI_COMM_PARTITIONED) != 0 ? OMPTAPE_PARTITIONED_NAME
                                                                                   : OMPTAPE_COMM_NAME,
                                  one->comm);
}

void omptape_communicators_write(struct omptape_writer *writer, uint64_t number, OTF2_GroupRef group)
{
    const struct omptape_communicator *one = omptape_communicators_get(writer, number);
    uint32_t count;
    uint64_t *members = comm_members_list(writer, number, &count);
    if (members == NULL) {
        omptape_archive_check(&writer->archive, OTF2_ERROR_MEM_ALLOC_FAILED, "Group");
        return;
    }
    /* The parent is defined earlier, unless the record is damaged. */
    OTF2_CommRef parent = omptape_communicators_find(writer, one->parent, 0);
    if (parent >= one->comm || (one->flags & OMPTAPE_MPI_COMM_CONNECTION) != 0)
        parent = OTF2_UNDEFINED_COMM;       /* A connection has two parents. */
    bool self = number == OMPTAPE_MPI_SELF; /* OTF2 has a special type for MPI_COMM_SELF. */
    OTF2_StringRef identity = identity_of(writer, one, find_connection(writer, number));
    OMPTAPE_DEFINE(&writer->archive, Group, group, identity,
                   self ? OTF2_GROUP_TYPE_COMM_SELF : OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                   OTF2_GROUP_FLAG_NONE, count, members);
    OMPTAPE_DEFINE(&writer->archive, Comm, one->comm, name_of(writer, number, one), group, parent,
                   omptape_communicators_have_lifetime(writer, number) ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS
                                                                       : OTF2_COMM_FLAG_NONE);
    free(members);
}

static void write_property(struct omptape_writer *writer, OTF2_LocationGroupRef process, OTF2_StringRef key,
                           OTF2_StringRef text)
{
    OTF2_AttributeValue value = {.stringRef = text};
    OMPTAPE_DEFINE(&writer->archive, LocationGroupProperty, process, key, OTF2_TYPE_STRING, value);
}

void omptape_communicators_write_connections(struct omptape_writer *writer, OTF2_LocationGroupRef process)
{
    const struct omptape_communicators *all = writer->communicators;
    for (uint32_t i = 0; i < all->connection_count; i++) {
        const struct omptape_comm_connection *connection = &all->connections[i];
        const struct omptape_communicator *one = &all->list[connection->number];
        const struct omptape_communicator *parent = omptape_communicators_get(writer, one->parent);
        OTF2_StringRef key =
            omptape_archive_format(&writer->strings, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_MEETING "::%u", i);
        write_property(writer, process, key,
                       omptape_archive_format(&writer->strings, OMPTAPE_MEETING_FORMAT, one->comm,
                                              parent != NULL ? parent->comm : OTF2_UNDEFINED_COMM,
                                              connection->kind, connection->first, connection->root,
                                              connection->remote_count, connection->identity,
                                              connection->name, connection->begin, connection->end));
    }
    if (all->connection_count == 0)
        return;
    OTF2_StringRef key =
        omptape_archive_string(&writer->strings, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_ELSEWHERE);
    write_property(writer, process, key, omptape_archive_format(&writer->strings, "%u", remote_count(all)));
}

void omptape_communicators_write_groups(struct omptape_writer *writer, OTF2_GroupRef first)
{
    const struct omptape_communicator *world = omptape_communicators_get(writer, OMPTAPE_MPI_WORLD);
    for (uint32_t i = 0; i < writer->communicators->group_count && world != NULL; i++) {
        const struct omptape_communicator *one =
            &writer->communicators->groups[writer->communicators->group_order[i]];
        uint32_t count;
        uint64_t *members = comm_members_list_group(writer, one, &count);
        if (members == NULL) {
            omptape_archive_check(&writer->archive, OTF2_ERROR_MEM_ALLOC_FAILED, "Group");
            return;
        }
        OTF2_StringRef identity = identity_of(writer, one, find_group_connection(writer, one));
        OMPTAPE_DEFINE(&writer->archive, Group, first + i, identity, OTF2_GROUP_TYPE_COMM_GROUP,
                       OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, members);
        free(members);
    }
}
