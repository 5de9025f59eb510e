/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the names of regions and locations (regions.h).
 */
#include "src/archive/read/regions.h"
#include "src/core/words.h"

#include "src/archive/read/reader.h"

#include <omptape/properties.h>
#include <string.h>

static bool is_text(const char *text, size_t bytes, const char *construct)
{
    return construct != NULL && bytes > 0 && strlen(construct) == bytes &&
           memcmp(text, construct, bytes) == 0;
}

static enum omptape_region_kind kind_by_name(const struct reader_region *region)
{
    const size_t bytes = (size_t)region->construct_bytes;
    for (int kind = 0; kind < OMPTAPE_REGION_PROGRAM; kind++) {
        const struct omptape_construct *construct = &omptape_constructs[kind];
        if (construct->alone != region->is_directive && (is_text(region->label, bytes, construct->name) ||
                                                         is_text(region->label, bytes, construct->fortran)))
            return (enum omptape_region_kind)kind;
    }
    return OMPTAPE_REGION_KIND_COUNT;
}

/* Converts the roles of other tools' regions (Score-P). The table has kind + 1; zero: none. */
static enum omptape_region_kind kind_by_role(uint64_t role)
{
    static const uint8_t kinds[] = {
        [OTF2_REGION_ROLE_PARALLEL] = 1 + OMPTAPE_REGION_PARALLEL,
        [OTF2_REGION_ROLE_LOOP] = 1 + OMPTAPE_REGION_LOOP,
        [OTF2_REGION_ROLE_SECTIONS] = 1 + OMPTAPE_REGION_SECTIONS,
        [OTF2_REGION_ROLE_SECTION] = 1 + OMPTAPE_REGION_SECTION,
        [OTF2_REGION_ROLE_WORKSHARE] = 1 + OMPTAPE_REGION_WORKSHARE,
        [OTF2_REGION_ROLE_SINGLE] = 1 + OMPTAPE_REGION_SINGLE,
        [OTF2_REGION_ROLE_SINGLE_SBLOCK] = 1 + OMPTAPE_REGION_SINGLE_SBLOCK,
        [OTF2_REGION_ROLE_MASTER] = 1 + OMPTAPE_REGION_MASKED,
        [OTF2_REGION_ROLE_CRITICAL] = 1 + OMPTAPE_REGION_CRITICAL,
        [OTF2_REGION_ROLE_CRITICAL_SBLOCK] = 1 + OMPTAPE_REGION_CRITICAL_SBLOCK,
        [OTF2_REGION_ROLE_ATOMIC] = 1 + OMPTAPE_REGION_ATOMIC,
        [OTF2_REGION_ROLE_ORDERED] = 1 + OMPTAPE_REGION_ORDERED,
        [OTF2_REGION_ROLE_ORDERED_SBLOCK] = 1 + OMPTAPE_REGION_ORDERED_SBLOCK,
        [OTF2_REGION_ROLE_BARRIER] = 1 + OMPTAPE_REGION_BARRIER,
        [OTF2_REGION_ROLE_IMPLICIT_BARRIER] = 1 + OMPTAPE_REGION_IMPLICIT_BARRIER,
        [OTF2_REGION_ROLE_FLUSH] = 1 + OMPTAPE_REGION_FLUSH,
        [OTF2_REGION_ROLE_TASK] = 1 + OMPTAPE_REGION_TASK,
        [OTF2_REGION_ROLE_TASK_UNTIED] = 1 + OMPTAPE_REGION_TASK_UNTIED,
        [OTF2_REGION_ROLE_TASK_CREATE] = 1 + OMPTAPE_REGION_TASK_CREATE,
        [OTF2_REGION_ROLE_TASK_WAIT] = 1 + OMPTAPE_REGION_TASKWAIT,
    };
    return role < sizeof(kinds) && kinds[role] != 0 ? (enum omptape_region_kind)(kinds[role] - 1)
                                                    : OMPTAPE_REGION_KIND_COUNT;
}

static enum omptape_region_kind kind_of(const struct reader_region *region, uint64_t role, uint64_t paradigm)
{
    if (role == OTF2_REGION_ROLE_ARTIFICIAL)
        return OMPTAPE_REGION_PROGRAM;
    if (paradigm == OTF2_PARADIGM_USER)
        return role == OTF2_REGION_ROLE_FUNCTION ? OMPTAPE_REGION_PROGRAM : OMPTAPE_REGION_USER;
    if (paradigm == OTF2_PARADIGM_MPI)
        return OMPTAPE_REGION_MPI;
    enum omptape_region_kind kind = kind_by_name(region);
    if (kind == OMPTAPE_REGION_KIND_COUNT && paradigm == OTF2_PARADIGM_OPENMP)
        kind = kind_by_role(role);
    return kind == OMPTAPE_REGION_TASK && role == OTF2_REGION_ROLE_TASK_UNTIED ? OMPTAPE_REGION_TASK_UNTIED
                                                                               : kind;
}

bool omptape_reader_parse_region(struct omptape_reader *reader, struct omptape_definition *definition)
{
    static const char prefix[] = "!$omp ";
    struct reader_region *region = omptape_arena_alloc(&reader->arena, sizeof(*region));
    if (region == NULL)
        return false;
    const char *name = omptape_reader_string(reader, definition->refs[0].id);
    region->is_directive = omptape_starts_with(name, prefix);
    region->label = region->is_directive ? name + strlen(prefix) : name;
    const char *site = strstr(region->label, " @");
    region->site = site != NULL ? site + strlen(" @") : NULL;
    region->construct_bytes = (int)(site != NULL ? (size_t)(site - region->label) : strlen(region->label));
    region->kind = kind_of(region, definition->value[0], definition->value[1]);
    definition->region = region;
    return true;
}

bool omptape_location_is_other(const struct omptape_reader *reader, const struct omptape_definition *location)
{
    return omptape_reader_location_property(reader, location->id, OMPTAPE_LOCATION_OTHER_THREAD,
                                            OTF2_TYPE_STRING) != NULL;
}

bool omptape_location_is_thread(const struct omptape_reader *reader,
                                const struct omptape_definition *location)
{
    const struct omptape_definition *group =
        omptape_reader_find(reader, OMPTAPE_DEF_LOCATION_GROUP, location->refs[1].id);
    return location->value[0] == OTF2_LOCATION_TYPE_CPU_THREAD && group != NULL &&
           group->value[0] == OTF2_LOCATION_GROUP_TYPE_PROCESS &&
           !omptape_location_is_other(reader, location);
}

const struct omptape_definition *omptape_location_device(const struct omptape_reader *reader,
                                                         const struct omptape_definition *location)
{
    const struct omptape_definition *group =
        omptape_reader_find(reader, OMPTAPE_DEF_LOCATION_GROUP, location->refs[1].id);
    return group != NULL && group->value[0] == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR ? group : NULL;
}

bool omptape_location_is_initial(const struct omptape_reader *reader,
                                 const struct omptape_definition *location)
{
    static const char worker[] = "OMP thread ";
    const char *name = omptape_reader_name(reader, OMPTAPE_DEF_LOCATION, location->id);
    /* A thread unknown to OpenMP and MPI has a name like "name (4711)". */
    const bool is_other = strstr(name, " (") != NULL && name[strlen(name) - 1] == ')';
    return !omptape_starts_with(name, worker) && !is_other;
}

uint64_t omptape_event_call_region(const struct omptape_reader *reader, const struct omptape_event *event)
{
    const uint64_t function = event->refs[0].id;
    OTF2_Type type;
    OTF2_AttributeValue value;
    if (!omptape_event_attribute(event, reader->attribute_ids[READER_CALL_SITE], &type, &value) ||
        type != OTF2_TYPE_REGION)
        return function;
    const struct omptape_definition *call = omptape_reader_find(reader, OMPTAPE_DEF_REGION, value.regionRef);
    return call != NULL && call->region->kind == OMPTAPE_REGION_MPI ? value.regionRef : function;
}
