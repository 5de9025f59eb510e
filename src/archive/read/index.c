/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Indexes definitions that the reader's users look up often: properties of processes and locations, kinds of
 * regions, and lists of locations. Built once, because an archive has many definitions and lookups.
 */
#include "src/archive/read/internal.h"
#include "src/archive/read/regions.h"

#include <omptape/properties.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_BITS = 8 };

/* Inserts an entry, unless the key exists. Returns false if out of memory. */
static bool put_first(struct omptape_pairs *pairs, uint64_t high, uint64_t low,
                      struct omptape_definition *definition)
{
    return omptape_pairs_get(pairs, high, low) != NULL ||
           omptape_pairs_put(pairs, high, low, definition) == 0;
}

static uint64_t low_key(uint32_t name, uint64_t type)
{
    return (uint64_t)name << TYPE_BITS | (type & ((1U << TYPE_BITS) - 1));
}

static bool index_property(struct omptape_reader *reader, struct omptape_definition *property)
{
    const bool is_location = property->refs[0].kind == OMPTAPE_DEF_LOCATION;
    if (!is_location && property->refs[0].kind != OMPTAPE_DEF_LOCATION_GROUP)
        return true;
    const char *text = omptape_reader_string(reader, property->refs[1].id);
    uint32_t name = omptape_rows_text(&reader->property_names, text);
    if (reader->property_names.failed ||
        !put_first(is_location ? &reader->location_properties : &reader->group_properties,
                   property->refs[0].id, low_key(name, property->value[0]), property))
        return false;
    return is_location || property->value[0] != OTF2_TYPE_UINT32 || strcmp(text, OMPTAPE_GROUP_NUMBER) != 0 ||
           put_first(&reader->process_groups, 0, property->value[1], property);
}

/* Records the id of a known attribute or parameter. If several have the same name, the first one counts. */
static void index_word(struct omptape_reader *reader, const struct omptape_definition *definition)
{
    static const char *const names[READER_ATTRIBUTES] = {
        [READER_BYTES] = "bytes",
        [READER_HOST_ADDRESS] = "host address",
        [READER_DEVICE] = "device",
        [READER_ITERATIONS] = "iterations",
        [READER_CHUNK_START] = "chunk start",
        [READER_COUNT] = "count",
        [READER_CALL_SITE] = "call site",
        [READER_THREAD_ID] = "ThreadId",
        [READER_SYNTHESISED] = "synthesised",
        [READER_CALLS] = "calls",
        [READER_COUNTED_IN] = "counted in",
        [READER_AWAITED_LOCK] = "awaited lock",
        [READER_AWAITED_COMM] = "awaited communicator",
        [READER_AWAITED_RANK] = "awaited rank",
        [READER_AWAITED_TAG] = "awaited tag",
        [READER_AWAITED_OPERATION] = "awaited operation",
        [READER_OPERATION_ID] = "operation id",
        [READER_HOST_THREAD] = "host thread",
        [READER_TASK_ID] = "task id",
        [READER_SCHEDULE] = "schedule",
        [READER_DEPEND] = "depend",
        [READER_DEPEND_SOURCE] = "depend source",
        [READER_DEPEND_SINK] = "depend sink",
        [READER_DEPENDS_ON] = "depends on task id",
        [READER_STEP] = "step",
    };
    const bool is_parameter = definition->kind == OMPTAPE_DEF_PARAMETER;
    const char *name = omptape_reader_string(reader, definition->refs[0].id);
    for (int word = is_parameter ? READER_SCHEDULE : 0;
         word < (is_parameter ? READER_ATTRIBUTES : READER_SCHEDULE); word++)
        if (reader->attribute_ids[word] == UINT64_MAX && strcmp(names[word], name) == 0)
            reader->attribute_ids[word] = definition->id;
}

void omptape_reader_index_begin(struct omptape_reader *reader)
{
    memset(reader->attribute_ids, 0xff, sizeof(reader->attribute_ids));
}

bool omptape_reader_index(struct omptape_reader *reader, struct omptape_definition *definition)
{
    switch (definition->kind) {
    case OMPTAPE_DEF_PROPERTY:
        return index_property(reader, definition);
    case OMPTAPE_DEF_GROUP:
        return definition->value[0] != OTF2_GROUP_TYPE_COMM_LOCATIONS ||
               put_first(&reader->location_lists, 0, definition->value[1], definition);
    case OMPTAPE_DEF_REGION:
        return omptape_reader_parse_region(reader, definition);
    case OMPTAPE_DEF_ATTRIBUTE:
    case OMPTAPE_DEF_PARAMETER:
        index_word(reader, definition);
        return true;
    default:
        return true;
    }
}

void omptape_reader_index_free(struct omptape_reader *reader)
{
    omptape_rows_free(&reader->property_names);
    omptape_pairs_free(&reader->group_properties);
    omptape_pairs_free(&reader->location_properties);
    omptape_pairs_free(&reader->process_groups);
    omptape_pairs_free(&reader->location_lists);
}

const struct omptape_definition *omptape_reader_comm_locations(const struct omptape_reader *reader,
                                                               uint64_t paradigm)
{
    return omptape_pairs_get(&reader->location_lists, 0, paradigm);
}

/* Returns the property with this name and type of a location group or a location, or NULL. */
static const struct omptape_definition *find_property(const struct omptape_reader *reader,
                                                      const struct omptape_pairs *properties, uint64_t owner,
                                                      const char *name, OTF2_Type type)
{
    uint32_t row = omptape_rows_find(&reader->property_names, name, strlen(name));
    return row != UINT32_MAX ? omptape_pairs_get(properties, owner, low_key(row, type)) : NULL;
}

static const struct omptape_definition *group_property(const struct omptape_reader *reader, uint64_t group,
                                                       const char *name, OTF2_Type type)
{
    return find_property(reader, &reader->group_properties, group, name, type);
}

const struct omptape_definition *omptape_reader_location_property(const struct omptape_reader *reader,
                                                                  uint64_t location, const char *name,
                                                                  OTF2_Type type)
{
    return find_property(reader, &reader->location_properties, location, name, type);
}

const char *omptape_reader_memory_property(const struct omptape_reader *reader, const char *name)
{
    const struct omptape_definition *property =
        group_property(reader, OTF2_UNDEFINED_LOCATION_GROUP, name, OTF2_TYPE_STRING);
    return property != NULL ? omptape_reader_string(reader, property->value[1]) : NULL;
}

static int64_t own_number(const struct omptape_reader *reader, uint64_t group)
{
    const struct omptape_definition *number =
        group_property(reader, group, OMPTAPE_GROUP_NUMBER, OTF2_TYPE_UINT32);
    return number != NULL ? (int64_t)(uint32_t)number->value[1] : -1;
}

int64_t omptape_reader_process_number(const struct omptape_reader *reader, uint64_t group)
{
    const struct omptape_definition *definition =
        omptape_reader_find(reader, OMPTAPE_DEF_LOCATION_GROUP, group);
    int64_t number = own_number(reader, group);
    return number >= 0 || definition == NULL ? number : own_number(reader, definition->refs[2].id);
}

const char *omptape_reader_property_of(struct omptape_reader *reader, int64_t process, const char *key)
{
    char name[256];
    snprintf(name, sizeof(name), OMPTAPE_PROPERTY_PREFIX "%s", key);
    const struct omptape_definition *number =
        process >= 0 ? omptape_pairs_get(&reader->process_groups, 0, (uint64_t)process) : NULL;
    const struct omptape_definition *own =
        number != NULL ? group_property(reader, number->refs[0].id, name, OTF2_TYPE_STRING) : NULL;
    return own != NULL ? omptape_reader_string(reader, own->value[1]) : omptape_reader_property(reader, name);
}

uint64_t omptape_reader_number_of(struct omptape_reader *reader, int64_t process, const char *key)
{
    const char *text = omptape_reader_property_of(reader, process, key);
    return text == NULL ? 0 : strtoull(text, NULL, 10);
}

uint64_t omptape_reader_sample_period(struct omptape_reader *reader, int64_t process)
{
    enum { PERIOD_NS = 2 };
    uint64_t period = omptape_reader_number_of(reader, process, OMPTAPE_KEY_SAMPLE_PERIOD);
    for (const struct omptape_definition *generator = reader->first[OMPTAPE_DEF_INTERRUPT_GENERATOR];
         generator != NULL && period == 0; generator = generator->next)
        period = generator->value[PERIOD_NS];
    return period;
}
