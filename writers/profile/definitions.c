/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Defines for the analysis of a profile (definitions.h) what definitions/ writes at the end, as far as an
 * analysis needs it.
 */
#include "writers/profile/definitions.h"

#include "src/core/array.h"
#include "writers/definitions/definitions.h"
#include "writers/devices/definitions.h"
#include "writers/devices/state.h"
#include "writers/regions/kinds.h"
#include "writers/regions/references.h"
#include "writers/translate/teams.h"

#include <omptape/locations.h>
#include <omptape/properties.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIRST_TEAM_GROUP = 1 }; /* Group 0 holds all threads. */

static bool define(struct omptape_profile_defs *defs, const struct omptape_definition *head,
                   const struct omptape_reference *refs, uint32_t ref_count)
{
    return omptape_reader_define(defs->reader, head, refs, ref_count) != NULL;
}

static struct omptape_reference to(enum omptape_definition_kind kind, uint64_t id)
{
    return omptape_reader_refer(kind, id);
}

bool omptape_profile_defs_string(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                                 OTF2_StringRef string)
{
    const struct omptape_definition head = {
        .kind = OMPTAPE_DEF_STRING, .id = string, .text = omptape_archive_text(&writer->strings, string)};
    return omptape_reader_find(defs->reader, OMPTAPE_DEF_STRING, string) != NULL ||
           define(defs, &head, NULL, 0);
}

bool omptape_profile_defs_context(struct omptape_profile_defs *defs, OTF2_CallingContextRef context)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_CALLING_CONTEXT, .id = context};
    return omptape_reader_find(defs->reader, OMPTAPE_DEF_CALLING_CONTEXT, context) != NULL ||
           define(defs, &head, NULL, 0);
}

/* Adds a definition whose first reference is its name. */
static bool define_named(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                         struct omptape_definition head, OTF2_StringRef name,
                         const struct omptape_reference *more, uint32_t more_count)
{
    enum { MAX_REFERENCES = 4 };
    struct omptape_reference refs[1 + MAX_REFERENCES] = {to(OMPTAPE_DEF_STRING, name)};
    for (uint32_t i = 0; i < more_count && i < MAX_REFERENCES; i++)
        refs[1 + i] = more[i];
    return omptape_profile_defs_string(defs, writer, name) && define(defs, &head, refs, 1 + more_count);
}

static bool define_attributes(struct omptape_profile_defs *defs, struct omptape_writer *writer)
{
    bool good = true;
    for (unsigned i = 0; i < OMPTAPE_ATTRIBUTE_NUM && good; i++)
        good = define_named(defs, writer, (struct omptape_definition){.kind = OMPTAPE_DEF_ATTRIBUTE, .id = i},
                            omptape_archive_string(&writer->strings, omptape_definitions_attribute_name(
                                                                         (enum omptape_attribute)i)),
                            NULL, 0);
    for (unsigned i = 0; i < OMPTAPE_PARAMETER_NUM && good; i++)
        good = define_named(defs, writer, (struct omptape_definition){.kind = OMPTAPE_DEF_PARAMETER, .id = i},
                            omptape_archive_string(&writer->strings, omptape_definitions_parameter_name(
                                                                         (enum omptape_parameter)i)),
                            NULL, 0);
    return good;
}

static bool define_process(struct omptape_profile_defs *defs, struct omptape_writer *writer)
{
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    const struct omptape_reference refs[] = {to(OMPTAPE_DEF_SYSTEM_TREE_NODE, OMPTAPE_DEFINED_NODE),
                                             to(OMPTAPE_DEF_LOCATION_GROUP, OTF2_UNDEFINED_LOCATION_GROUP)};
    return define_named(
               defs, writer,
               (struct omptape_definition){.kind = OMPTAPE_DEF_SYSTEM_TREE_NODE, .id = OMPTAPE_DEFINED_NODE},
               omptape_archive_string(&writer->strings, host), NULL, 0) &&
           define_named(defs, writer,
                        (struct omptape_definition){.kind = OMPTAPE_DEF_LOCATION_GROUP,
                                                    .id = OMPTAPE_DEFINED_PROCESS,
                                                    .value = {OTF2_LOCATION_GROUP_TYPE_PROCESS}},
                        omptape_definitions_process_name(writer), refs, 2);
}

static bool define_level(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                         const struct omptape_level *level, uint32_t metric)
{
    const uint64_t member = omptape_archive_member_ref(&writer->archive, metric);
    const struct omptape_reference refs[] = {to(OMPTAPE_DEF_STRING, level->description),
                                             to(OMPTAPE_DEF_STRING, level->unit)};
    const struct omptape_definition class = {.kind = OMPTAPE_DEF_METRIC,
                                             .id = omptape_archive_metric_ref(&writer->archive, metric),
                                             .member_kind = OMPTAPE_DEF_METRIC_MEMBER,
                                             .member_count = 1,
                                             .members = &member};
    return omptape_profile_defs_string(defs, writer, level->description) &&
           omptape_profile_defs_string(defs, writer, level->unit) &&
           define_named(defs, writer,
                        (struct omptape_definition){.kind = OMPTAPE_DEF_METRIC_MEMBER,
                                                    .id = member,
                                                    .value = {level->type, level->mode, level->source}},
                        level->name, refs, 2) &&
           define(defs, &class, NULL, 0);
}

bool omptape_profile_defs_metrics(struct omptape_profile_defs *defs, struct omptape_writer *writer)
{
    bool good = true;
    for (; defs->levels < writer->archive.level_count && good; defs->levels++)
        good = define_level(defs, writer, &writer->archive.levels[defs->levels],
                            OMPTAPE_METRIC_LEVEL + defs->levels);
    return good;
}

bool omptape_profile_defs_begin(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                                uint64_t resolution)
{
    defs->reader = omptape_reader_of_memory(resolution);
    writer->region_texts = &defs->texts;
    return defs->reader != NULL && define_attributes(defs, writer) && define_process(defs, writer);
}

void omptape_profile_defs_end(struct omptape_profile_defs *defs)
{
    omptape_reader_free_memory(defs->reader);
    omptape_definitions_forget_regions(&defs->texts);
    free(defs->regions);
    free(defs->threads);
    *defs = (struct omptape_profile_defs){.reader = NULL};
}

static bool define_region(struct omptape_profile_defs *defs, struct omptape_writer *writer, uint32_t i)
{
    const struct omptape_region_text *text = &defs->texts.list[i];
    const struct omptape_region *region = &writer->references->list[i];
    const struct omptape_reference refs[] = {to(OMPTAPE_DEF_STRING, text->name),
                                             to(OMPTAPE_DEF_STRING, text->function),
                                             to(OMPTAPE_DEF_STRING, text->file)};
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_REGION,
                                            .id = text->first,
                                            .value = {omptape_region_role(region),
                                                      omptape_definitions_region_paradigm(writer, region),
                                                      text->line}};
    return text->merged || (omptape_profile_defs_string(defs, writer, text->function) &&
                            omptape_profile_defs_string(defs, writer, text->file) &&
                            define_named(defs, writer, head, text->name, refs, 3));
}

static bool define_regions(struct omptape_profile_defs *defs, struct omptape_writer *writer)
{
    uint32_t count = writer->references->count;
    struct omptape_profile_region *regions =
        omptape_array_reserve(defs->regions, count, &defs->region_capacity, sizeof(*regions));
    if (regions == NULL || !omptape_definitions_describe_regions(writer, &defs->texts))
        return false;
    defs->regions = regions;
    for (; defs->region_count < count; defs->region_count++) {
        if (!define_region(defs, writer, defs->region_count))
            return false;
        regions[defs->region_count] =
            (struct omptape_profile_region){.first = defs->texts.list[defs->region_count].first};
    }
    return true;
}

struct omptape_profile_region *omptape_profile_defs_region(struct omptape_profile_defs *defs,
                                                           struct omptape_writer *writer, uint32_t region)
{
    if (region >= defs->region_count && !define_regions(defs, writer))
        return NULL;
    return region < defs->region_count ? &defs->regions[region] : NULL;
}

static bool define_device(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                          const struct omptape_device *device)
{
    const struct omptape_reference refs[] = {to(OMPTAPE_DEF_SYSTEM_TREE_NODE, OMPTAPE_DEFINED_NODE),
                                             to(OMPTAPE_DEF_LOCATION_GROUP, OMPTAPE_DEFINED_PROCESS)};
    return omptape_reader_find(defs->reader, OMPTAPE_DEF_LOCATION_GROUP, device->group) != NULL ||
           define_named(defs, writer,
                        (struct omptape_definition){.kind = OMPTAPE_DEF_LOCATION_GROUP,
                                                    .id = device->group,
                                                    .value = {OTF2_LOCATION_GROUP_TYPE_ACCELERATOR}},
                        omptape_device_definitions_group_name(writer, device), refs, 2);
}

static bool define_device_location(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                                   const struct omptape_location *location)
{
    omptape_device_definitions_number(writer);
    const struct omptape_reference group = to(OMPTAPE_DEF_LOCATION_GROUP, location->device->group);
    const OTF2_LocationType type =
        location->on_device.metric ? OTF2_LOCATION_TYPE_METRIC : OTF2_LOCATION_TYPE_ACCELERATOR_STREAM;
    return define_device(defs, writer, location->device) &&
           define_named(defs, writer,
                        (struct omptape_definition){
                            .kind = OMPTAPE_DEF_LOCATION, .id = location->ref, .value = {type}},
                        location->on_device.name, &group, 1);
}

static bool define_thread(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                          const struct omptape_location *location)
{
    const struct omptape_reference group = to(OMPTAPE_DEF_LOCATION_GROUP, OMPTAPE_DEFINED_PROCESS);
    if (!OMPTAPE_RESERVE(defs->threads, defs->thread_count + 1, &defs->thread_capacity))
        return false;
    defs->threads[defs->thread_count++] = location->ref;
    return omptape_reader_set_comm_locations(defs->reader, 0, OTF2_PARADIGM_OPENMP, defs->threads,
                                             defs->thread_count) &&
           define_named(defs, writer,
                        (struct omptape_definition){.kind = OMPTAPE_DEF_LOCATION,
                                                    .id = location->ref,
                                                    .value = {OTF2_LOCATION_TYPE_CPU_THREAD}},
                        omptape_definitions_location_name(writer, location), &group, 1);
}

/* Defines a thread unknown to OpenMP with its name as a property. */
static bool define_other(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                         const struct omptape_location *location)
{
    const OTF2_StringRef key = omptape_archive_string(&writer->strings, OMPTAPE_LOCATION_OTHER_THREAD);
    const OTF2_StringRef name = omptape_archive_string(&writer->strings, location->other);
    const struct omptape_reference group = to(OMPTAPE_DEF_LOCATION_GROUP, OMPTAPE_DEFINED_PROCESS);
    const struct omptape_reference refs[] = {to(OMPTAPE_DEF_LOCATION, location->ref),
                                             to(OMPTAPE_DEF_STRING, key), to(OMPTAPE_DEF_STRING, name)};
    const struct omptape_definition property = {.kind = OMPTAPE_DEF_PROPERTY,
                                                .value = {OTF2_TYPE_STRING, name}};
    return define_named(defs, writer,
                        (struct omptape_definition){.kind = OMPTAPE_DEF_LOCATION,
                                                    .id = location->ref,
                                                    .value = {OTF2_LOCATION_TYPE_CPU_THREAD}},
                        omptape_definitions_location_name(writer, location), &group, 1) &&
           omptape_profile_defs_string(defs, writer, key) &&
           omptape_profile_defs_string(defs, writer, name) && define(defs, &property, refs, 3);
}

bool omptape_profile_defs_locations(struct omptape_profile_defs *defs, struct omptape_writer *writer)
{
    bool good = true;
    for (; defs->locations < writer->location_count && good; defs->locations++) {
        const struct omptape_location *location = writer->locations[defs->locations];
        good = location->device != NULL  ? define_device_location(defs, writer, location)
               : location->other != NULL ? define_other(defs, writer, location)
                                         : define_thread(defs, writer, location);
    }
    return good;
}

static bool define_comm(struct omptape_profile_defs *defs, const struct omptape_row *row, uint32_t comm)
{
    const uint64_t *words = row->data;
    const struct omptape_reference group_name = to(OMPTAPE_DEF_STRING, 0);
    const struct omptape_definition group = {.kind = OMPTAPE_DEF_GROUP,
                                             .id = (uint64_t)FIRST_TEAM_GROUP + comm,
                                             .value = {OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP},
                                             .member_count = (uint32_t)(row->bytes / sizeof(*words)) - 1,
                                             .members = words + 1};
    const struct omptape_reference refs[] = {to(OMPTAPE_DEF_STRING, 0), to(OMPTAPE_DEF_GROUP, group.id),
                                             to(OMPTAPE_DEF_COMM, words[0])};
    return define(defs, &group, &group_name, 1) &&
           define(defs, &(struct omptape_definition){.kind = OMPTAPE_DEF_COMM, .id = comm}, refs, 3);
}

bool omptape_profile_defs_comms(struct omptape_profile_defs *defs, struct omptape_writer *writer)
{
    bool good = omptape_profile_defs_locations(defs, writer);
    for (; defs->comms < writer->teams->formed.count && good; defs->comms++) {
        const struct omptape_row *row = &writer->teams->formed.list[defs->comms];
        /* A profile has no events of MPI's communicators. */
        good = omptape_teams_is_reserved(row) || define_comm(defs, row, defs->comms);
    }
    return good;
}
