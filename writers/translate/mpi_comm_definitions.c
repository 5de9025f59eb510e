/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Definitions of MPI's communicators and groups, and properties of the meetings of worlds. Called at the end.
 */
#include "writers/translate/mpi_comm_definitions.h"

#include "writers/translate/mpi_comm_members.h"
#include <omptape/properties.h>

#include <inttypes.h>
#include <stdlib.h>

void omptape_communicators_write_list(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                      OTF2_GroupRef group)
{
    const struct omptape_communicator *world = omptape_communicators_get(writer, OMPTAPE_MPI_WORLD);
    const uint32_t count =
        world != NULL ? world->size + omptape_communicators_elsewhere(writer->communicators) : 0;
    uint64_t *places = world != NULL ? calloc((size_t)count + 1, sizeof(*places)) : NULL;
    if (places == NULL)
        return;
    for (uint32_t i = 0; i < count; i++)
        places[i] = i == world->rank && writer->location_count > 0 ? writer->locations[0]->ref
                                                                   : OTF2_UNDEFINED_LOCATION;
    omptape_archive_check(&writer->archive,
                          OTF2_GlobalDefWriter_WriteGroup(out, group,
                                                          omptape_archive_string(&writer->strings, "MPI"),
                                                          OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                                          OTF2_GROUP_FLAG_NONE, count, places),
                          "Group");
    free(places);
}

/* What is one in all parts has one name for its group in them. */
static OTF2_StringRef identity_of(struct omptape_writer *writer, const struct omptape_communicator *one,
                                  const struct omptape_comm_meeting *meeting)
{
    return meeting != NULL
               ? omptape_archive_format(&writer->strings, OMPTAPE_ACROSS_NAME, one->identity,
                                        (unsigned)(meeting - writer->communicators->meetings))
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

void omptape_communicators_write(struct omptape_writer *writer, OTF2_GlobalDefWriter *out, uint64_t number,
                                 OTF2_GroupRef group)
{
    const struct omptape_communicator *one = omptape_communicators_get(writer, number);
    uint32_t count;
    uint64_t *members = omptape_comm_members_list(writer, number, &count);
    if (members == NULL) {
        omptape_archive_check(&writer->archive, OTF2_ERROR_MEM_ALLOC_FAILED, "Group");
        return;
    }
    /* Defined before it, if the record is not damaged. */
    OTF2_CommRef parent = omptape_communicators_find(writer, one->parent, 0);
    if (parent >= one->comm || (one->flags & OMPTAPE_MPI_COMM_MEETING) != 0)
        parent = OTF2_UNDEFINED_COMM;       /* a meeting has two */
    bool self = number == OMPTAPE_MPI_SELF; /* OTF2 has one of that kind */
    OTF2_StringRef identity = identity_of(writer, one, omptape_comm_members_meeting(writer, number));
    omptape_archive_check(
        &writer->archive,
        OTF2_GlobalDefWriter_WriteGroup(out, group, identity,
                                        self ? OTF2_GROUP_TYPE_COMM_SELF : OTF2_GROUP_TYPE_COMM_GROUP,
                                        OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, members),
        "Group");
    omptape_archive_check(&writer->archive,
                          OTF2_GlobalDefWriter_WriteComm(out, one->comm, name_of(writer, number, one), group,
                                                         parent,
                                                         omptape_communicators_have_life(writer, number)
                                                             ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS
                                                             : OTF2_COMM_FLAG_NONE),
                          "Comm");
    free(members);
}

void omptape_communicators_write_meetings(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                          OTF2_LocationGroupRef process)
{
    const struct omptape_communicators *all = writer->communicators;
    for (uint32_t i = 0; i < all->meeting_count; i++) {
        const struct omptape_comm_meeting *meeting = &all->meetings[i];
        const struct omptape_communicator *one = &all->list[meeting->number];
        const struct omptape_communicator *parent = omptape_communicators_get(writer, one->parent);
        OTF2_StringRef key =
            omptape_archive_format(&writer->strings, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_MEETING "::%u", i);
        OTF2_AttributeValue value = {.stringRef = omptape_archive_format(
                                         &writer->strings, OMPTAPE_MEETING_FORMAT, one->comm,
                                         parent != NULL ? parent->comm : OTF2_UNDEFINED_COMM, meeting->way,
                                         meeting->first, meeting->root, meeting->remote, meeting->identity,
                                         meeting->name, meeting->begin, meeting->end)};
        OTF2_GlobalDefWriter_WriteLocationGroupProperty(out, process, key, OTF2_TYPE_STRING, value);
    }
    if (all->meeting_count > 0) {
        OTF2_StringRef key =
            omptape_archive_string(&writer->strings, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_ELSEWHERE);
        OTF2_AttributeValue value = {.stringRef = omptape_archive_format(
                                         &writer->strings, "%u", omptape_communicators_elsewhere(all))};
        OTF2_GlobalDefWriter_WriteLocationGroupProperty(out, process, key, OTF2_TYPE_STRING, value);
    }
}

void omptape_communicators_write_groups(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                        OTF2_GroupRef first)
{
    const struct omptape_communicator *world = omptape_communicators_get(writer, OMPTAPE_MPI_WORLD);
    for (uint32_t i = 0; i < writer->communicators->group_count && world != NULL; i++) {
        const struct omptape_communicator *one =
            &writer->communicators->groups[writer->communicators->group_order[i]];
        uint32_t count;
        uint64_t *members = omptape_comm_members_list_group(writer, one, &count);
        if (members == NULL) {
            omptape_archive_check(&writer->archive, OTF2_ERROR_MEM_ALLOC_FAILED, "Group");
            return;
        }
        OTF2_StringRef identity = identity_of(writer, one, omptape_comm_members_group_meeting(writer, one));
        omptape_archive_check(&writer->archive,
                              OTF2_GlobalDefWriter_WriteGroup(out, first + i, identity,
                                                              OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                                              OTF2_GROUP_FLAG_NONE, count, members),
                              "Group");
        free(members);
    }
}
