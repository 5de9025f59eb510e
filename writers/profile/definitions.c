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

#include <omptape/properties.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIRST_TEAM_GROUP = 1 }; /* Group 0 holds all threads. */

static struct omptape_reference to(enum omptape_definition_kind kind, uint64_t id)
{
    return omptape_reader_refer(kind, id);
}

/* Adds a definition after the texts that it refers to. The reader notes when memory is exhausted. */
static void define(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                   struct omptape_definition head, const struct omptape_reference *refs, uint32_t ref_count)
{
    for (uint32_t i = 0; i < ref_count; i++)
        if (refs[i].kind == OMPTAPE_DEF_STRING)
            (void)omptape_profile_defs_string(defs, writer, (OTF2_StringRef)refs[i].id);
    (void)omptape_reader_define(defs->reader, &head, refs, ref_count);
}

/* The same with the references behind the head's fields: DEFINE(FIELDS(.kind = ...), to(...), to(...)). */
#define FIELDS(...) ((struct omptape_definition){__VA_ARGS__})
#define DEFINE(head, ...)                                                                                    \
    define(defs, writer, head, (const struct omptape_reference[]){__VA_ARGS__},                              \
           sizeof((const struct omptape_reference[]){__VA_ARGS__}) / sizeof(struct omptape_reference))

bool omptape_profile_defs_string(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                                 OTF2_StringRef string)
{
    if (omptape_reader_find(defs->reader, OMPTAPE_DEF_STRING, string) == NULL)
        define(defs, writer,
               FIELDS(.kind = OMPTAPE_DEF_STRING, .id = string,
                      .text = omptape_archive_text(&writer->strings, string)),
               NULL, 0);
    return !defs->reader->no_memory;
}

bool omptape_profile_defs_context(struct omptape_profile_defs *defs, OTF2_CallingContextRef context)
{
    if (omptape_reader_find(defs->reader, OMPTAPE_DEF_CALLING_CONTEXT, context) == NULL)
        define(defs, NULL, FIELDS(.kind = OMPTAPE_DEF_CALLING_CONTEXT, .id = context), NULL, 0);
    return !defs->reader->no_memory;
}

static void define_attributes(struct omptape_profile_defs *defs, struct omptape_writer *writer)
{
    for (unsigned i = 0; i < OMPTAPE_ATTRIBUTE_NUM; i++) {
        const char *name = omptape_attribute_infos[i].name;
        DEFINE(FIELDS(.kind = OMPTAPE_DEF_ATTRIBUTE, .id = i),
               to(OMPTAPE_DEF_STRING, omptape_archive_string(&writer->strings, name)));
    }
    for (unsigned i = 0; i < OMPTAPE_PARAMETER_NUM; i++) {
        const char *name = omptape_parameter_infos[i].name;
        DEFINE(FIELDS(.kind = OMPTAPE_DEF_PARAMETER, .id = i),
               to(OMPTAPE_DEF_STRING, omptape_archive_string(&writer->strings, name)));
    }
}

static void define_process(struct omptape_profile_defs *defs, struct omptape_writer *writer)
{
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    DEFINE(FIELDS(.kind = OMPTAPE_DEF_SYSTEM_TREE_NODE, .id = OMPTAPE_DEFINED_NODE),
           to(OMPTAPE_DEF_STRING, omptape_archive_string(&writer->strings, host)));
    DEFINE(FIELDS(.kind = OMPTAPE_DEF_LOCATION_GROUP, .id = OMPTAPE_DEFINED_PROCESS,
                  .value = {OTF2_LOCATION_GROUP_TYPE_PROCESS}),
           to(OMPTAPE_DEF_STRING, omptape_definitions_process_name(writer)),
           to(OMPTAPE_DEF_SYSTEM_TREE_NODE, OMPTAPE_DEFINED_NODE),
           to(OMPTAPE_DEF_LOCATION_GROUP, OTF2_UNDEFINED_LOCATION_GROUP));
}

static void define_level(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                         const struct omptape_level *level, uint32_t metric)
{
    const uint64_t member = omptape_archive_member_ref(&writer->archive, metric);
    DEFINE(FIELDS(.kind = OMPTAPE_DEF_METRIC_MEMBER, .id = member,
                  .value = {level->type, level->mode, level->source}),
           to(OMPTAPE_DEF_STRING, level->name), to(OMPTAPE_DEF_STRING, level->description),
           to(OMPTAPE_DEF_STRING, level->unit));
    define(defs, writer,
           FIELDS(.kind = OMPTAPE_DEF_METRIC, .id = omptape_archive_metric_ref(&writer->archive, metric),
                  .member_kind = OMPTAPE_DEF_METRIC_MEMBER, .member_count = 1, .members = &member),
           NULL, 0);
}

bool omptape_profile_defs_metrics(struct omptape_profile_defs *defs, struct omptape_writer *writer)
{
    for (; defs->levels < writer->archive.level_count && !defs->reader->no_memory; defs->levels++)
        define_level(defs, writer, &writer->archive.levels[defs->levels],
                     OMPTAPE_METRIC_LEVEL + defs->levels);
    return !defs->reader->no_memory;
}

bool omptape_profile_defs_begin(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                                uint64_t resolution)
{
    defs->reader = omptape_reader_of_memory(resolution);
    writer->region_texts = &defs->texts;
    if (defs->reader == NULL)
        return false;
    define_attributes(defs, writer);
    define_process(defs, writer);
    return !defs->reader->no_memory;
}

void omptape_profile_defs_end(struct omptape_profile_defs *defs)
{
    omptape_reader_free_memory(defs->reader);
    omptape_definitions_forget_regions(&defs->texts);
    free(defs->regions);
    free(defs->threads);
    *defs = (struct omptape_profile_defs){.reader = NULL};
}

static void define_region(struct omptape_profile_defs *defs, struct omptape_writer *writer, uint32_t i)
{
    const struct omptape_region_text *text = &defs->texts.list[i];
    const struct omptape_region *region = &writer->references->list[i];
    if (!text->merged)
        DEFINE(FIELDS(.kind = OMPTAPE_DEF_REGION, .id = text->first,
                      .value = {omptape_region_role(region),
                                omptape_definitions_region_paradigm(writer, region), text->line}),
               to(OMPTAPE_DEF_STRING, text->name), to(OMPTAPE_DEF_STRING, text->name),
               to(OMPTAPE_DEF_STRING, text->function), to(OMPTAPE_DEF_STRING, text->file));
}

static bool define_regions(struct omptape_profile_defs *defs, struct omptape_writer *writer)
{
    uint32_t count = writer->references->count;
    if (!OMPTAPE_RESERVE(defs->regions, count, &defs->region_capacity) ||
        !omptape_definitions_describe_regions(writer, &defs->texts))
        return false;
    for (; defs->region_count < count; defs->region_count++) {
        define_region(defs, writer, defs->region_count);
        if (defs->reader->no_memory)
            return false;
        defs->regions[defs->region_count] =
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

static void define_location(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                            const struct omptape_location *location, OTF2_LocationType type,
                            OTF2_StringRef name, uint64_t group)
{
    DEFINE(FIELDS(.kind = OMPTAPE_DEF_LOCATION, .id = location->ref, .value = {type}),
           to(OMPTAPE_DEF_STRING, name), to(OMPTAPE_DEF_LOCATION_GROUP, group));
}

static void define_device_location(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                                   const struct omptape_location *location)
{
    const struct omptape_device *device = location->device;
    omptape_device_definitions_number(writer);
    if (omptape_reader_find(defs->reader, OMPTAPE_DEF_LOCATION_GROUP, device->group) == NULL)
        DEFINE(FIELDS(.kind = OMPTAPE_DEF_LOCATION_GROUP, .id = device->group,
                      .value = {OTF2_LOCATION_GROUP_TYPE_ACCELERATOR}),
               to(OMPTAPE_DEF_STRING, omptape_device_definitions_group_name(writer, device)),
               to(OMPTAPE_DEF_SYSTEM_TREE_NODE, OMPTAPE_DEFINED_NODE),
               to(OMPTAPE_DEF_LOCATION_GROUP, OMPTAPE_DEFINED_PROCESS));
    define_location(defs, writer, location,
                    location->on_device.metric ? OTF2_LOCATION_TYPE_METRIC
                                               : OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
                    location->on_device.name, device->group);
}

/* Defines a thread. One unknown to OpenMP has its name as a property; others are in OpenMP's locations. */
static void define_thread(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                          const struct omptape_location *location)
{
    define_location(defs, writer, location, OTF2_LOCATION_TYPE_CPU_THREAD,
                    omptape_definitions_location_name(writer, location), OMPTAPE_DEFINED_PROCESS);
    if (location->other != NULL) {
        const OTF2_StringRef name = omptape_archive_string(&writer->strings, location->other);
        DEFINE(
            FIELDS(.kind = OMPTAPE_DEF_PROPERTY, .value = {OTF2_TYPE_STRING, name}),
            to(OMPTAPE_DEF_LOCATION, location->ref),
            to(OMPTAPE_DEF_STRING, omptape_archive_string(&writer->strings, OMPTAPE_LOCATION_OTHER_THREAD)),
            to(OMPTAPE_DEF_STRING, name));
    } else if (OMPTAPE_APPEND(defs->threads, defs->thread_count, defs->thread_capacity, location->ref)) {
        (void)omptape_reader_set_comm_locations(defs->reader, 0, OTF2_PARADIGM_OPENMP, defs->threads,
                                                defs->thread_count);
    } else {
        defs->reader->no_memory = true;
    }
}

bool omptape_profile_defs_locations(struct omptape_profile_defs *defs, struct omptape_writer *writer)
{
    for (; defs->locations < writer->location_count && !defs->reader->no_memory; defs->locations++) {
        const struct omptape_location *location = writer->locations[defs->locations];
        if (location->device != NULL)
            define_device_location(defs, writer, location);
        else
            define_thread(defs, writer, location);
    }
    return !defs->reader->no_memory;
}

static void define_comm(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                        const struct omptape_row *row, uint32_t comm)
{
    const uint64_t *words = row->data;
    const uint64_t group = (uint64_t)FIRST_TEAM_GROUP + comm;
    DEFINE(FIELDS(.kind = OMPTAPE_DEF_GROUP, .id = group,
                  .value = {OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP},
                  .member_count = (uint32_t)(row->bytes / sizeof(*words)) - 1, .members = words + 1),
           to(OMPTAPE_DEF_STRING, 0));
    DEFINE(FIELDS(.kind = OMPTAPE_DEF_COMM, .id = comm), to(OMPTAPE_DEF_STRING, 0),
           to(OMPTAPE_DEF_GROUP, group), to(OMPTAPE_DEF_COMM, words[0]));
}

bool omptape_profile_defs_comms(struct omptape_profile_defs *defs, struct omptape_writer *writer)
{
    (void)omptape_profile_defs_locations(defs, writer);
    for (; defs->comms < writer->teams->formed.count && !defs->reader->no_memory; defs->comms++) {
        const struct omptape_row *row = &writer->teams->formed.list[defs->comms];
        /* A profile has no events of MPI's communicators. */
        if (!omptape_teams_is_reserved(row))
            define_comm(defs, writer, row, defs->comms);
    }
    return !defs->reader->no_memory;
}
