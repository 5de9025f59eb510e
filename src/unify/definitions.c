/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adds a part's global definitions to the model, with the unified archive's references. The functions are
 * libotf2's callbacks during omptape_unify_read (read.c).
 */
#include "src/core/array.h"
#include "src/core/words.h"
#include "src/unify/reading.h"

#include <omptape/properties.h>
#include <stdlib.h>
#include <string.h>

/* Classes of system tree nodes that several processes share. */
static const char *const shared_classes[] = {"machine", "node", NULL};

static OTF2_CallbackCode on_unknown(void *data)
{
    const struct omptape_unify_reading *reading = data;
    omptape_unify_fail(reading->model, "it holds definitions of a newer OTF2");
    return omptape_unify_done(reading);
}

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t realtime)
{
    const struct omptape_unify_reading *reading = data;
    reading->part->resolution = resolution;
    reading->part->offset = offset;
    reading->part->length = length;
    reading->part->realtime = realtime == OTF2_UNDEFINED_TIMESTAMP ? 0 : realtime;
    if (resolution == 0 || offset > OMPTAPE_UNIFY_MAX_TICKS || length > OMPTAPE_UNIFY_MAX_TICKS)
        omptape_unify_fail(reading->model, "its clock properties are damaged");
    return omptape_unify_done(reading);
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *text)
{
    const struct omptape_unify_reading *reading = data;
    uint64_t row = omptape_unify_add_text(reading->model, text);
    if (omptape_unify_map_set(reading->part, &reading->part->maps[OMPTAPE_UNIFY_STRING], self, row) != 0)
        omptape_unify_fail(reading->model, "its definitions have strange numbers");
    return omptape_unify_done(reading);
}

static bool is_shared(const struct omptape_unify_reading *reading, uint64_t class)
{
    const char *name = omptape_unify_text(reading->model, class);
    return omptape_is_one_of(name, shared_classes);
}

static OTF2_CallbackCode on_tree_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                      OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
    const uint64_t own_class = omptape_unify_string(data, class);
    const uint64_t words[] = {omptape_unify_string(data, name), own_class,
                              omptape_unify_map_optional(data, OMPTAPE_UNIFY_TREE_NODE, parent),
                              is_shared(data, own_class) ? 0 : omptape_unify_owner_key(data, self)};
    return omptape_unify_define(data, OMPTAPE_UNIFY_TREE_NODE, self, words, sizeof(words));
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                           OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                           OTF2_LocationGroupRef creator)
{
    const uint64_t words[] = {omptape_unify_string(data, name), type,
                              omptape_unify_map_optional(data, OMPTAPE_UNIFY_TREE_NODE, node),
                              omptape_unify_map_optional(data, OMPTAPE_UNIFY_LOCATION_GROUP, creator),
                              omptape_unify_owner_key(data, self)};
    return omptape_unify_define(data, OMPTAPE_UNIFY_LOCATION_GROUP, self, words, sizeof(words));
}

/* Adds a location group's property, except the process number of a unified archive, which may change.
 * Properties with omptape's prefix are kept in reading->own. */
static OTF2_CallbackCode on_group_property(void *data, OTF2_LocationGroupRef group, OTF2_StringRef name,
                                           OTF2_Type type, OTF2_AttributeValue value)
{
    struct omptape_unify_reading *reading = data;
    uint64_t own_name = omptape_unify_string(data, name);
    const char *text = omptape_unify_text(reading->model, own_name);
    if (strcmp(text, OMPTAPE_GROUP_NUMBER) == 0)
        return omptape_unify_done(reading);
    if (strcmp(text, OMPTAPE_PROPERTY_PREFIX OMPTAPE_KEY_ELSEWHERE) == 0 && type == OTF2_TYPE_STRING) {
        const uint64_t number = omptape_unify_string(data, value.stringRef);
        reading->foreign_places = (uint32_t)strtoul(omptape_unify_text(reading->model, number), NULL, 10);
        return omptape_unify_done(reading);
    }
    const uint64_t words[] = {OMPTAPE_UNIFY_GROUP_PROPERTY,
                              omptape_unify_map_required(data, OMPTAPE_UNIFY_LOCATION_GROUP, group), own_name,
                              type, omptape_unify_value(data, type, value)};
    if (type == OTF2_TYPE_STRING && omptape_starts_with(text, OMPTAPE_PROPERTY_PREFIX)) {
        const uint64_t own[] = {words[1], own_name, words[4]};
        omptape_rows_number(&reading->own, own, sizeof(own));
        return omptape_unify_done(reading);
    }
    return omptape_unify_add_extra(data, words, sizeof(words));
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group)
{
    const struct omptape_unify_reading *reading = data;
    struct omptape_unify_model *model = reading->model;
    const uint64_t words[] = {omptape_unify_string(data, name), type, events,
                              omptape_unify_map_required(data, OMPTAPE_UNIFY_LOCATION_GROUP, group),
                              omptape_unify_owner_key(reading, self)};
    OTF2_CallbackCode code = omptape_unify_define(data, OMPTAPE_UNIFY_LOCATION, self, words, sizeof(words));
    if (code != OTF2_CALLBACK_SUCCESS || model->kinds[OMPTAPE_UNIFY_LOCATION].count == model->location_count)
        return code;
    if (!OMPTAPE_APPEND(
            model->locations, model->location_count, model->location_capacity,
            (struct omptape_unify_location){.part = reading->number, .process = UINT32_MAX, .old = self}))
        return OTF2_CALLBACK_INTERRUPT;
    return code;
}

/* Callbacks for the definitions of definition_table.h. */
#define WORDS(...) __VA_ARGS__
#define STRING(ref) omptape_unify_string(data, ref)
#define MUST(kind, ref) omptape_unify_map_required(data, OMPTAPE_UNIFY_##kind, ref)
#define MAY(kind, ref) omptape_unify_map_optional(data, OMPTAPE_UNIFY_##kind, ref)
#define DEFINITION(kind, name, arguments, kept, written)                                                     \
    static OTF2_CallbackCode on_##name arguments                                                             \
    {                                                                                                        \
        const uint64_t words[] = {kept};                                                                     \
        return omptape_unify_define(data, OMPTAPE_UNIFY_##kind, self, words, sizeof(words));                 \
    }
#define EXTRA(kind, name, arguments, kept, written)                                                          \
    static OTF2_CallbackCode on_##name arguments                                                             \
    {                                                                                                        \
        const uint64_t words[] = {OMPTAPE_UNIFY_##kind, kept};                                               \
        return omptape_unify_add_extra(data, words, sizeof(words));                                          \
    }
#include "src/unify/definition_table.h"

OTF2_GlobalDefReaderCallbacks *omptape_unify_definition_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    if (callbacks == NULL)
        return NULL;
    OTF2_GlobalDefReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_tree_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(callbacks, on_group_property);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
#define DEFINITION(kind, name, arguments, kept, written)                                                     \
    OTF2_GlobalDefReaderCallbacks_Set##name##Callback(callbacks, on_##name);
#define EXTRA DEFINITION
#include "src/unify/definition_table.h"
    omptape_unify_add_group_callbacks(callbacks);
    return callbacks;
}
