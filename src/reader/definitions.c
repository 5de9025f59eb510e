/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns the global definitions of the archive reader into its uniform shape: those that every OpenMP archive
 * has. Called back by libotf2 inside omptape_reader_open; the rest is in details.c.
 */
#include "src/reader/internal.h"

static OTF2_CallbackCode on_unknown(void *data)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_UNKNOWN};
    return omptape_reader_add(data, &head, NULL, 0);
}

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t realtime)
{
    struct omptape_reader *archive = data;
    if (archive->clocks++ == 0) {
        archive->clock_resolution = resolution;
        archive->clock_offset = offset;
        archive->clock_length = length;
        archive->clock_realtime = realtime;
    }
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_CLOCK, .value = {resolution, offset, length}};
    return omptape_reader_add(archive, &head, NULL, 0);
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *string)
{
    struct omptape_reader *archive = data;
    const struct omptape_definition head = {
        .kind = OMPTAPE_DEF_STRING, .id = self, .text = omptape_arena_copy(&archive->arena, string)};
    archive->no_memory = archive->no_memory || head.text == NULL;
    return omptape_reader_add(archive, &head, NULL, 0);
}

static OTF2_CallbackCode on_paradigm(void *data, OTF2_Paradigm paradigm, OTF2_StringRef name,
                                     OTF2_ParadigmClass class)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_PARADIGM, .id = paradigm, .value = {class}};
    const struct omptape_reference refs[] = {omptape_refers(OMPTAPE_DEF_STRING, "name", name)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_paradigm_property(void *data, OTF2_Paradigm paradigm,
                                              OTF2_ParadigmProperty property, OTF2_Type type,
                                              OTF2_AttributeValue value)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_PARADIGM_PROPERTY,
                                            .value = {type, value.uint64, property}};
    const struct omptape_reference refs[] = {omptape_refers(OMPTAPE_DEF_PARADIGM, "paradigm", paradigm),
                                             omptape_value_reference(type, value)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_ATTRIBUTE, .id = self, .value = {type}};
    const struct omptape_reference refs[] = {
        omptape_refers(OMPTAPE_DEF_STRING, "name", name),
        omptape_may_refer(OMPTAPE_DEF_STRING, "description", description)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_system_tree_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                             OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_SYSTEM_TREE_NODE, .id = self};
    const struct omptape_reference refs[] = {
        omptape_refers(OMPTAPE_DEF_STRING, "name", name),
        omptape_refers(OMPTAPE_DEF_STRING, "class name", class_name),
        omptape_may_refer(OMPTAPE_DEF_SYSTEM_TREE_NODE, "parent", parent)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                           OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                           OTF2_LocationGroupRef creator)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_LOCATION_GROUP, .id = self, .value = {type}};
    const struct omptape_reference refs[] = {
        omptape_refers(OMPTAPE_DEF_STRING, "name", name),
        omptape_refers(OMPTAPE_DEF_SYSTEM_TREE_NODE, "system tree parent", parent),
        omptape_may_refer(OMPTAPE_DEF_LOCATION_GROUP, "creating location group", creator)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group)
{
    const struct omptape_definition head = {
        .kind = OMPTAPE_DEF_LOCATION, .id = self, .value = {type, events}};
    const struct omptape_reference refs[] = {
        omptape_refers(OMPTAPE_DEF_STRING, "name", name),
        omptape_refers(OMPTAPE_DEF_LOCATION_GROUP, "location group", group)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description, OTF2_RegionRole role,
                                   OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file,
                                   uint32_t begin_line, uint32_t end_line)
{
    (void)flags;
    (void)end_line;
    const struct omptape_definition head = {
        .kind = OMPTAPE_DEF_REGION, .id = self, .value = {role, paradigm, begin_line}};
    const struct omptape_reference refs[] = {
        omptape_refers(OMPTAPE_DEF_STRING, "name", name),
        omptape_may_refer(OMPTAPE_DEF_STRING, "canonical name", canonical),
        omptape_may_refer(OMPTAPE_DEF_STRING, "description", description),
        omptape_may_refer(OMPTAPE_DEF_STRING, "source file", file)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t member_count,
                                  const uint64_t *members)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_GROUP,
                                            .id = self,
                                            .value = {type, paradigm, flags},
                                            .member_count = member_count,
                                            .members = omptape_reader_copy_ids(data, members, member_count)};
    const struct omptape_reference name_ref = omptape_may_refer(OMPTAPE_DEF_STRING, "name", name);
    return omptape_reader_add(data, &head, &name_ref, 1);
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                 OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)flags;
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_COMM, .id = self};
    const struct omptape_reference refs[] = {omptape_may_refer(OMPTAPE_DEF_STRING, "name", name),
                                             omptape_refers(OMPTAPE_DEF_GROUP, "group", group),
                                             omptape_may_refer(OMPTAPE_DEF_COMM, "parent", parent)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_parameter(void *data, OTF2_ParameterRef self, OTF2_StringRef name,
                                      OTF2_ParameterType type)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_PARAMETER, .id = self, .value = {type}};
    const struct omptape_reference refs[] = {omptape_refers(OMPTAPE_DEF_STRING, "name", name)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_rma_win(void *data, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
                                    OTF2_RmaWinFlag flags)
{
    (void)flags;
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_RMA_WIN, .id = self};
    const struct omptape_reference refs[] = {omptape_may_refer(OMPTAPE_DEF_STRING, "name", name),
                                             omptape_refers(OMPTAPE_DEF_COMM, "comm", comm)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_metric_member(void *data, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                          OTF2_StringRef description, OTF2_MetricType type,
                                          OTF2_MetricMode mode, OTF2_Type value_type, OTF2_Base base,
                                          int64_t exponent, OTF2_StringRef unit)
{
    (void)type;
    (void)mode;
    (void)base;
    (void)exponent;
    const struct omptape_definition head = {
        .kind = OMPTAPE_DEF_METRIC_MEMBER, .id = self, .value = {value_type}};
    const struct omptape_reference refs[] = {
        omptape_refers(OMPTAPE_DEF_STRING, "name", name),
        omptape_may_refer(OMPTAPE_DEF_STRING, "description", description),
        omptape_may_refer(OMPTAPE_DEF_STRING, "unit", unit)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_metric_class(void *data, OTF2_MetricRef self, uint8_t member_count,
                                         const OTF2_MetricMemberRef *members,
                                         OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder)
{
    (void)occurrence;
    (void)recorder;
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_METRIC,
                                            .id = self,
                                            .member_kind = OMPTAPE_DEF_METRIC_MEMBER,
                                            .member_count = member_count,
                                            .members =
                                                omptape_reader_copy_short_ids(data, members, member_count)};
    return omptape_reader_add(data, &head, NULL, 0);
}

/* What a metric instance's or a marker's scope says: only the kinds that OTF2 3.0 knows. */
static struct omptape_reference metric_scope(OTF2_MetricScope scope, uint64_t id)
{
    switch (scope) {
    case OTF2_SCOPE_LOCATION:
        return omptape_refers(OMPTAPE_DEF_LOCATION, "scope", id);
    case OTF2_SCOPE_LOCATION_GROUP:
        return omptape_refers(OMPTAPE_DEF_LOCATION_GROUP, "scope", id);
    case OTF2_SCOPE_SYSTEM_TREE_NODE:
        return omptape_refers(OMPTAPE_DEF_SYSTEM_TREE_NODE, "scope", id);
    case OTF2_SCOPE_GROUP:
        return omptape_refers(OMPTAPE_DEF_GROUP, "scope", id);
    default:
        return omptape_may_refer(OMPTAPE_DEF_NONE, "scope", id);
    }
}

static OTF2_CallbackCode on_metric_instance(void *data, OTF2_MetricRef self, OTF2_MetricRef class,
                                            OTF2_LocationRef recorder, OTF2_MetricScope scope,
                                            uint64_t scope_id)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_METRIC, .id = self, .value = {1}};
    const struct omptape_reference refs[] = {omptape_refers(OMPTAPE_DEF_METRIC, "metric class", class),
                                             omptape_refers(OMPTAPE_DEF_LOCATION, "recorder", recorder),
                                             metric_scope(scope, scope_id)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_system_tree_node_property(void *data, OTF2_SystemTreeNodeRef owner,
                                                      OTF2_StringRef name, OTF2_Type type,
                                                      OTF2_AttributeValue value)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_PROPERTY, .value = {type, value.uint64}};
    const struct omptape_reference refs[] = {
        omptape_refers(OMPTAPE_DEF_SYSTEM_TREE_NODE, "system tree node", owner),
        omptape_refers(OMPTAPE_DEF_STRING, "name", name), omptape_value_reference(type, value)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_location_group_property(void *data, OTF2_LocationGroupRef owner,
                                                    OTF2_StringRef name, OTF2_Type type,
                                                    OTF2_AttributeValue value)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_PROPERTY, .value = {type, value.uint64}};
    const struct omptape_reference refs[] = {
        omptape_refers(OMPTAPE_DEF_LOCATION_GROUP, "location group", owner),
        omptape_refers(OMPTAPE_DEF_STRING, "name", name), omptape_value_reference(type, value)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_location_property(void *data, OTF2_LocationRef owner, OTF2_StringRef name,
                                              OTF2_Type type, OTF2_AttributeValue value)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_PROPERTY, .value = {type, value.uint64}};
    const struct omptape_reference refs[] = {omptape_refers(OMPTAPE_DEF_LOCATION, "location", owner),
                                             omptape_refers(OMPTAPE_DEF_STRING, "name", name),
                                             omptape_value_reference(type, value)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

OTF2_GlobalDefReaderCallbacks *omptape_reader_definition_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    if (callbacks == NULL)
        return NULL;
    OTF2_GlobalDefReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetParadigmCallback(callbacks, on_paradigm);
    OTF2_GlobalDefReaderCallbacks_SetParadigmPropertyCallback(callbacks, on_paradigm_property);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_system_tree_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback(callbacks, on_parameter);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, on_rma_win);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(callbacks, on_metric_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(callbacks, on_metric_class);
    OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(callbacks, on_metric_instance);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(callbacks, on_system_tree_node_property);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(callbacks, on_location_group_property);
    OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(callbacks, on_location_property);
    omptape_reader_set_detail_callbacks(callbacks);
    return callbacks;
}
