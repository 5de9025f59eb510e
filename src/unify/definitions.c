/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Takes a part's global definitions into the model, with the unified archive's references. Called back by
 * libotf2 while omptape_unify_read reads the part.
 */
#include "src/unify/model.h"
#include "writers/properties.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of system tree nodes that several processes share. */
static const char *const shared_classes[] = {"machine", "node"};

static const struct {
    OTF2_Type type;
    enum omptape_unify_kind kind;
} value_kinds[] = {
    {OTF2_TYPE_STRING, OMPTAPE_UNIFY_STRING},     {OTF2_TYPE_ATTRIBUTE, OMPTAPE_UNIFY_ATTRIBUTE},
    {OTF2_TYPE_LOCATION, OMPTAPE_UNIFY_LOCATION}, {OTF2_TYPE_REGION, OMPTAPE_UNIFY_REGION},
    {OTF2_TYPE_GROUP, OMPTAPE_UNIFY_GROUP},       {OTF2_TYPE_METRIC, OMPTAPE_UNIFY_METRIC},
    {OTF2_TYPE_COMM, OMPTAPE_UNIFY_COMM},         {OTF2_TYPE_PARAMETER, OMPTAPE_UNIFY_PARAMETER},
    {OTF2_TYPE_RMA_WIN, OMPTAPE_UNIFY_RMA_WIN},   {OTF2_TYPE_LOCATION_GROUP, OMPTAPE_UNIFY_LOCATION_GROUP},
};

static OTF2_CallbackCode done(const struct omptape_unify_reading *reading)
{
    return omptape_unify_failed(reading->model) ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

/* A reference to something that must have been defined before. */
static uint64_t must(const struct omptape_unify_reading *reading, enum omptape_unify_kind kind, uint64_t ref)
{
    uint64_t to = omptape_unify_map_get(&reading->part->maps[kind], ref);
    if (to == UINT64_MAX)
        omptape_unify_fail(reading->model, "its definitions refer to something that they do not define");
    return to;
}

/* One that may be OTF2's "undefined". */
static uint64_t may(const struct omptape_unify_reading *reading, enum omptape_unify_kind kind, uint64_t ref)
{
    bool undefined =
        kind == OMPTAPE_UNIFY_LOCATION ? ref == OTF2_UNDEFINED_LOCATION : ref == OTF2_UNDEFINED_UINT32;
    return undefined ? ref : must(reading, kind, ref);
}

static uint64_t string(const struct omptape_unify_reading *reading, OTF2_StringRef ref)
{
    return may(reading, OMPTAPE_UNIFY_STRING, ref);
}

static uint64_t value_of(const struct omptape_unify_reading *reading, OTF2_Type type,
                         OTF2_AttributeValue value)
{
    for (size_t i = 0; i < sizeof(value_kinds) / sizeof(value_kinds[0]); i++) {
        if (value_kinds[i].type == type)
            return may(reading, value_kinds[i].kind,
                       type == OTF2_TYPE_LOCATION ? value.locationRef : value.uint32);
    }
    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        return value.uint8;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        return value.uint16;
    case OTF2_TYPE_UINT32:
    case OTF2_TYPE_INT32:
    case OTF2_TYPE_FLOAT:
        return value.uint32;
    default:
        return value.uint64;
    }
}

static OTF2_CallbackCode define(const struct omptape_unify_reading *reading, enum omptape_unify_kind kind,
                                uint64_t self, const uint64_t *words, size_t count)
{
    if (omptape_unify_failed(reading->model))
        return OTF2_CALLBACK_INTERRUPT;
    uint32_t row = omptape_unify_words(&reading->model->kinds[kind], words, count);
    if (omptape_unify_map_set(&reading->part->maps[kind], self, row) != 0)
        omptape_unify_fail(reading->model, "its definitions have strange numbers");
    return done(reading);
}

static OTF2_CallbackCode add_extra(const struct omptape_unify_reading *reading, const uint64_t *words,
                                   size_t count)
{
    if (!omptape_unify_failed(reading->model))
        omptape_unify_words(&reading->model->kinds[OMPTAPE_UNIFY_EXTRA], words, count);
    return done(reading);
}

static size_t count_of(size_t bytes)
{
    return bytes / sizeof(uint64_t);
}

/* What belongs to one process alone is told apart by this. */
static uint64_t whose(const struct omptape_unify_reading *reading, uint64_t self)
{
    return ((uint64_t)reading->number + 1) << 32 | self;
}

static OTF2_CallbackCode on_unknown(void *data)
{
    const struct omptape_unify_reading *reading = data;
    omptape_unify_fail(reading->model, "it holds definitions of a newer OTF2");
    return done(reading);
}

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t realtime)
{
    const struct omptape_unify_reading *reading = data;
    reading->part->resolution = resolution;
    reading->part->offset = offset;
    reading->part->length = length;
    reading->part->realtime = realtime == OTF2_UNDEFINED_TIMESTAMP ? 0 : realtime;
    if (resolution == 0 || offset > UINT64_MAX / 4 || length > UINT64_MAX / 4)
        omptape_unify_fail(reading->model, "its clock properties are damaged");
    return done(reading);
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *text)
{
    const struct omptape_unify_reading *reading = data;
    uint32_t row = omptape_unify_text(&reading->model->kinds[OMPTAPE_UNIFY_STRING], text);
    if (omptape_unify_map_set(&reading->part->maps[OMPTAPE_UNIFY_STRING], self, row) != 0)
        omptape_unify_fail(reading->model, "its definitions have strange numbers");
    return done(reading);
}

static OTF2_CallbackCode on_attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
    const uint64_t words[] = {string(data, name), string(data, description), type};
    return define(data, OMPTAPE_UNIFY_ATTRIBUTE, self, words, count_of(sizeof(words)));
}

static OTF2_CallbackCode on_parameter(void *data, OTF2_ParameterRef self, OTF2_StringRef name,
                                      OTF2_ParameterType type)
{
    const uint64_t words[] = {string(data, name), type};
    return define(data, OMPTAPE_UNIFY_PARAMETER, self, words, count_of(sizeof(words)));
}

static OTF2_CallbackCode on_paradigm(void *data, OTF2_Paradigm paradigm, OTF2_StringRef name,
                                     OTF2_ParadigmClass class)
{
    const uint64_t words[] = {OMPTAPE_UNIFY_PARADIGM, paradigm, string(data, name), class};
    return add_extra(data, words, count_of(sizeof(words)));
}

static OTF2_CallbackCode on_paradigm_property(void *data, OTF2_Paradigm paradigm,
                                              OTF2_ParadigmProperty property, OTF2_Type type,
                                              OTF2_AttributeValue value)
{
    const uint64_t words[] = {OMPTAPE_UNIFY_PARADIGM_PROPERTY, paradigm, property, type,
                              value_of(data, type, value)};
    return add_extra(data, words, count_of(sizeof(words)));
}

static bool is_shared(const struct omptape_unify_reading *reading, uint64_t class)
{
    const char *name = omptape_unify_text_at(&reading->model->kinds[OMPTAPE_UNIFY_STRING], (uint32_t) class);
    for (size_t i = 0; i < sizeof(shared_classes) / sizeof(shared_classes[0]); i++) {
        if (strcmp(name, shared_classes[i]) == 0)
            return true;
    }
    return false;
}

static OTF2_CallbackCode on_tree_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                      OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
    const uint64_t own_class = string(data, class);
    const uint64_t words[] = {string(data, name), own_class, may(data, OMPTAPE_UNIFY_TREE_NODE, parent),
                              is_shared(data, own_class) ? 0 : whose(data, self)};
    return define(data, OMPTAPE_UNIFY_TREE_NODE, self, words, count_of(sizeof(words)));
}

static OTF2_CallbackCode on_node_domain(void *data, OTF2_SystemTreeNodeRef node, OTF2_SystemTreeDomain domain)
{
    const uint64_t words[] = {OMPTAPE_UNIFY_NODE_DOMAIN, must(data, OMPTAPE_UNIFY_TREE_NODE, node), domain};
    return add_extra(data, words, count_of(sizeof(words)));
}

static OTF2_CallbackCode on_node_property(void *data, OTF2_SystemTreeNodeRef node, OTF2_StringRef name,
                                          OTF2_Type type, OTF2_AttributeValue value)
{
    const uint64_t words[] = {OMPTAPE_UNIFY_NODE_PROPERTY, must(data, OMPTAPE_UNIFY_TREE_NODE, node),
                              string(data, name), type, value_of(data, type, value)};
    return add_extra(data, words, count_of(sizeof(words)));
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                           OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                           OTF2_LocationGroupRef creator)
{
    const uint64_t words[] = {string(data, name), type, may(data, OMPTAPE_UNIFY_TREE_NODE, node),
                              may(data, OMPTAPE_UNIFY_LOCATION_GROUP, creator), whose(data, self)};
    return define(data, OMPTAPE_UNIFY_LOCATION_GROUP, self, words, count_of(sizeof(words)));
}

/* A unified archive's groups have the number of their process, which may become another. */
static OTF2_CallbackCode on_group_property(void *data, OTF2_LocationGroupRef group, OTF2_StringRef name,
                                           OTF2_Type type, OTF2_AttributeValue value)
{
    struct omptape_unify_reading *reading = data;
    uint64_t own_name = string(data, name);
    const char *text =
        omptape_unify_text_at(&reading->model->kinds[OMPTAPE_UNIFY_STRING], (uint32_t)own_name);
    if (strcmp(text, OMPTAPE_GROUP_NUMBER) == 0)
        return done(reading);
    const uint64_t words[] = {OMPTAPE_UNIFY_GROUP_PROPERTY, must(data, OMPTAPE_UNIFY_LOCATION_GROUP, group),
                              own_name, type, value_of(data, type, value)};
    return add_extra(data, words, count_of(sizeof(words)));
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group)
{
    const struct omptape_unify_reading *reading = data;
    struct omptape_unify_model *model = reading->model;
    const uint64_t words[] = {string(data, name), type, events,
                              must(data, OMPTAPE_UNIFY_LOCATION_GROUP, group), whose(reading, self)};
    OTF2_CallbackCode code = define(data, OMPTAPE_UNIFY_LOCATION, self, words, count_of(sizeof(words)));
    if (code != OTF2_CALLBACK_SUCCESS || model->kinds[OMPTAPE_UNIFY_LOCATION].count == model->location_count)
        return code;
    if (model->location_count == model->location_room) {
        uint32_t room = model->location_room != 0 ? model->location_room * 2 : 64;
        struct omptape_unify_location *locations = realloc(model->locations, room * sizeof(*locations));
        if (locations == NULL) {
            omptape_unify_fail(model, "out of memory");
            return OTF2_CALLBACK_INTERRUPT;
        }
        model->locations = locations;
        model->location_room = room;
    }
    model->locations[model->location_count++] =
        (struct omptape_unify_location){.part = reading->number, .process = UINT32_MAX, .old = self};
    return code;
}

static OTF2_CallbackCode on_location_property(void *data, OTF2_LocationRef location, OTF2_StringRef name,
                                              OTF2_Type type, OTF2_AttributeValue value)
{
    const uint64_t words[] = {OMPTAPE_UNIFY_LOCATION_PROPERTY, must(data, OMPTAPE_UNIFY_LOCATION, location),
                              string(data, name), type, value_of(data, type, value)};
    return add_extra(data, words, count_of(sizeof(words)));
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description, OTF2_RegionRole role,
                                   OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file,
                                   uint32_t begin, uint32_t end)
{
    const uint64_t words[] = {string(data, name),
                              string(data, canonical),
                              string(data, description),
                              role,
                              paradigm,
                              flags,
                              string(data, file),
                              begin,
                              end};
    return define(data, OMPTAPE_UNIFY_REGION, self, words, count_of(sizeof(words)));
}

/* A member of a group, as the unified archive has it. */
static uint64_t member_of(const struct omptape_unify_reading *reading, OTF2_GroupType type, uint64_t member)
{
    switch (type) {
    case OTF2_GROUP_TYPE_LOCATIONS:
        return must(reading, OMPTAPE_UNIFY_LOCATION, member);
    case OTF2_GROUP_TYPE_REGIONS:
        return must(reading, OMPTAPE_UNIFY_REGION, member);
    case OTF2_GROUP_TYPE_METRIC:
        return must(reading, OMPTAPE_UNIFY_METRIC, member);
    case OTF2_GROUP_TYPE_COMM_GROUP:
        /* A place in the paradigm's list of locations, in which the earlier parts' come before. */
        return reading->part->threads_before + member;
    default:
        return member;
    }
}

/* The threads of all processes are one list. */
static OTF2_CallbackCode add_threads(struct omptape_unify_reading *reading, uint64_t self, uint64_t name,
                                     OTF2_GroupFlag flags, uint32_t count, const uint64_t *members)
{
    const uint64_t words[] = {name, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, flags};
    for (uint32_t i = 0; i < count; i++) {
        uint64_t member = must(reading, OMPTAPE_UNIFY_LOCATION, members[i]);
        uint64_t place = reading->part->threads_before + i;
        if (!omptape_unify_failed(reading->model) &&
            omptape_unify_words(&reading->model->threads, &member, 1) != place)
            omptape_unify_fail(reading->model, "a location is twice among its threads");
    }
    return define(reading, OMPTAPE_UNIFY_GROUP, self, words, count_of(sizeof(words)));
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count,
                                  const uint64_t *members)
{
    enum { HEAD = 4 };
    struct omptape_unify_reading *reading = data;
    bool of_threads = paradigm == OTF2_PARADIGM_OPENMP;
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS && of_threads)
        return add_threads(reading, self, string(data, name), flags, count, members);
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS || (type == OTF2_GROUP_TYPE_COMM_GROUP && !of_threads)) {
        omptape_unify_fail(reading->model, "it holds communicators that omptape does not make");
        return done(reading);
    }
    uint64_t *words = calloc((size_t)count + HEAD, sizeof(*words));
    if (words == NULL) {
        omptape_unify_fail(reading->model, "out of memory");
        return done(reading);
    }
    words[0] = string(data, name);
    words[1] = type;
    words[2] = paradigm;
    words[3] = flags;
    for (uint32_t i = 0; i < count; i++)
        words[HEAD + i] = member_of(reading, type, members[i]);
    OTF2_CallbackCode code = define(data, OMPTAPE_UNIFY_GROUP, self, words, (size_t)count + HEAD);
    free(words);
    return code;
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                 OTF2_CommRef parent, OTF2_CommFlag flags)
{
    const uint64_t words[] = {string(data, name), must(data, OMPTAPE_UNIFY_GROUP, group),
                              may(data, OMPTAPE_UNIFY_COMM, parent), flags};
    return define(data, OMPTAPE_UNIFY_COMM, self, words, count_of(sizeof(words)));
}

static OTF2_CallbackCode on_rma_win(void *data, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
                                    OTF2_RmaWinFlag flags)
{
    const uint64_t words[] = {string(data, name), must(data, OMPTAPE_UNIFY_COMM, comm), flags};
    return define(data, OMPTAPE_UNIFY_RMA_WIN, self, words, count_of(sizeof(words)));
}

static OTF2_CallbackCode on_metric_member(void *data, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                          OTF2_StringRef description, OTF2_MetricType type,
                                          OTF2_MetricMode mode, OTF2_Type value_type, OTF2_Base base,
                                          int64_t exponent, OTF2_StringRef unit)
{
    const uint64_t words[] = {string(data, name), string(data, description), type, mode, value_type, base,
                              (uint64_t)exponent, string(data, unit)};
    return define(data, OMPTAPE_UNIFY_METRIC_MEMBER, self, words, count_of(sizeof(words)));
}

static OTF2_CallbackCode on_metric_class(void *data, OTF2_MetricRef self, uint8_t count,
                                         const OTF2_MetricMemberRef *members,
                                         OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder)
{
    enum { HEAD = 3 };
    uint64_t words[UINT8_MAX + HEAD] = {0, occurrence, recorder};
    for (unsigned i = 0; i < count; i++)
        words[HEAD + i] = must(data, OMPTAPE_UNIFY_METRIC_MEMBER, members[i]);
    return define(data, OMPTAPE_UNIFY_METRIC, self, words, (size_t)count + HEAD);
}

static uint64_t scope_of(const struct omptape_unify_reading *reading, OTF2_MetricScope scope, uint64_t ref)
{
    switch (scope) {
    case OTF2_SCOPE_LOCATION:
        return must(reading, OMPTAPE_UNIFY_LOCATION, ref);
    case OTF2_SCOPE_LOCATION_GROUP:
        return must(reading, OMPTAPE_UNIFY_LOCATION_GROUP, ref);
    case OTF2_SCOPE_SYSTEM_TREE_NODE:
        return must(reading, OMPTAPE_UNIFY_TREE_NODE, ref);
    default:
        return must(reading, OMPTAPE_UNIFY_GROUP, ref);
    }
}

static OTF2_CallbackCode on_metric_instance(void *data, OTF2_MetricRef self, OTF2_MetricRef class,
                                            OTF2_LocationRef recorder, OTF2_MetricScope scope,
                                            uint64_t scope_ref)
{
    const uint64_t words[] = {1, must(data, OMPTAPE_UNIFY_METRIC, class),
                              must(data, OMPTAPE_UNIFY_LOCATION, recorder), scope,
                              scope_of(data, scope, scope_ref)};
    return define(data, OMPTAPE_UNIFY_METRIC, self, words, count_of(sizeof(words)));
}

static OTF2_CallbackCode on_metric_recorder(void *data, OTF2_MetricRef metric, OTF2_LocationRef recorder)
{
    const uint64_t words[] = {OMPTAPE_UNIFY_METRIC_RECORDER, must(data, OMPTAPE_UNIFY_METRIC, metric),
                              must(data, OMPTAPE_UNIFY_LOCATION, recorder)};
    return add_extra(data, words, count_of(sizeof(words)));
}

OTF2_GlobalDefReaderCallbacks *omptape_unify_definition_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    if (callbacks == NULL)
        return NULL;
    OTF2_GlobalDefReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback(callbacks, on_parameter);
    OTF2_GlobalDefReaderCallbacks_SetParadigmCallback(callbacks, on_paradigm);
    OTF2_GlobalDefReaderCallbacks_SetParadigmPropertyCallback(callbacks, on_paradigm_property);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_tree_node);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(callbacks, on_node_domain);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(callbacks, on_node_property);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(callbacks, on_group_property);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(callbacks, on_location_property);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, on_rma_win);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(callbacks, on_metric_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(callbacks, on_metric_class);
    OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(callbacks, on_metric_instance);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassRecorderCallback(callbacks, on_metric_recorder);
    return callbacks;
}
