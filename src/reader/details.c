/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns the global definitions that OpenMP archives seldom have (I/O, topologies, calling contexts) into the
 * archive reader's uniform shape, so that their references are verified too. Called back by libotf2 in
 * omptape_reader_open.
 */
#include "src/reader/internal.h"

static OTF2_CallbackCode on_io_paradigm(void *data, OTF2_IoParadigmRef self, OTF2_StringRef identification,
                                        OTF2_StringRef name, OTF2_IoParadigmClass class,
                                        OTF2_IoParadigmFlag flags, uint8_t property_count,
                                        const OTF2_IoParadigmProperty *properties, const OTF2_Type *types,
                                        const OTF2_AttributeValue *values)
{
    (void)class;
    (void)flags;
    (void)property_count;
    (void)properties;
    (void)types;
    (void)values;
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_IO_PARADIGM, .id = self};
    const struct omptape_reference refs[] = {
        omptape_refers(OMPTAPE_DEF_STRING, "name", name),
        omptape_refers(OMPTAPE_DEF_STRING, "identification", identification)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_callsite(void *data, OTF2_CallsiteRef self, OTF2_StringRef file, uint32_t line,
                                     OTF2_RegionRef entered, OTF2_RegionRef left)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_CALLSITE, .id = self, .value = {line}};
    const struct omptape_reference refs[] = {omptape_may_refer(OMPTAPE_DEF_STRING, "source file", file),
                                             omptape_refers(OMPTAPE_DEF_REGION, "entered region", entered),
                                             omptape_refers(OMPTAPE_DEF_REGION, "left region", left)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_callpath(void *data, OTF2_CallpathRef self, OTF2_CallpathRef parent,
                                     OTF2_RegionRef region)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_CALLPATH, .id = self};
    const struct omptape_reference refs[] = {omptape_may_refer(OMPTAPE_DEF_CALLPATH, "parent", parent),
                                             omptape_refers(OMPTAPE_DEF_REGION, "region", region)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_metric_class_recorder(void *data, OTF2_MetricRef metric,
                                                  OTF2_LocationRef recorder)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_DETAIL};
    const struct omptape_reference refs[] = {omptape_refers(OMPTAPE_DEF_METRIC, "metric", metric),
                                             omptape_refers(OMPTAPE_DEF_LOCATION, "recorder", recorder)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_system_tree_node_domain(void *data, OTF2_SystemTreeNodeRef node,
                                                    OTF2_SystemTreeDomain domain)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_DETAIL, .value = {domain}};
    const struct omptape_reference refs[] = {
        omptape_refers(OMPTAPE_DEF_SYSTEM_TREE_NODE, "system tree node", node)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_cart_dimension(void *data, OTF2_CartDimensionRef self, OTF2_StringRef name,
                                           uint32_t size, OTF2_CartPeriodicity periodicity)
{
    const struct omptape_definition head = {
        .kind = OMPTAPE_DEF_CART_DIMENSION, .id = self, .value = {size, periodicity}};
    const struct omptape_reference refs[] = {omptape_may_refer(OMPTAPE_DEF_STRING, "name", name)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_cart_topology(void *data, OTF2_CartTopologyRef self, OTF2_StringRef name,
                                          OTF2_CommRef comm, uint8_t member_count,
                                          const OTF2_CartDimensionRef *members)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_CART_TOPOLOGY,
                                            .id = self,
                                            .member_kind = OMPTAPE_DEF_CART_DIMENSION,
                                            .member_count = member_count,
                                            .members =
                                                omptape_reader_copy_short_ids(data, members, member_count)};
    const struct omptape_reference refs[] = {omptape_may_refer(OMPTAPE_DEF_STRING, "name", name),
                                             omptape_refers(OMPTAPE_DEF_COMM, "comm", comm)};
    return omptape_reader_add(data, &head, refs, 2);
}

static OTF2_CallbackCode on_cart_coordinate(void *data, OTF2_CartTopologyRef topology, uint32_t rank,
                                            uint8_t dimensions, const uint32_t *coordinates)
{
    (void)dimensions;
    (void)coordinates;
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_DETAIL, .value = {rank}};
    const struct omptape_reference refs[] = {omptape_refers(OMPTAPE_DEF_CART_TOPOLOGY, "topology", topology)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_source_code_location(void *data, OTF2_SourceCodeLocationRef self,
                                                 OTF2_StringRef file, uint32_t line)
{
    const struct omptape_definition head = {
        .kind = OMPTAPE_DEF_SOURCE_CODE_LOCATION, .id = self, .value = {line}};
    const struct omptape_reference refs[] = {omptape_refers(OMPTAPE_DEF_STRING, "file", file)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_calling_context(void *data, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                            OTF2_SourceCodeLocationRef source, OTF2_CallingContextRef parent)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_CALLING_CONTEXT, .id = self};
    const struct omptape_reference refs[] = {
        omptape_refers(OMPTAPE_DEF_REGION, "region", region),
        omptape_may_refer(OMPTAPE_DEF_SOURCE_CODE_LOCATION, "source code location", source),
        omptape_may_refer(OMPTAPE_DEF_CALLING_CONTEXT, "parent", parent)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_calling_context_property(void *data, OTF2_CallingContextRef owner,
                                                     OTF2_StringRef name, OTF2_Type type,
                                                     OTF2_AttributeValue value)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_PROPERTY, .value = {type, value.uint64}};
    const struct omptape_reference refs[] = {
        omptape_refers(OMPTAPE_DEF_CALLING_CONTEXT, "calling context", owner),
        omptape_refers(OMPTAPE_DEF_STRING, "name", name), omptape_value_reference(type, value)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_interrupt_generator(void *data, OTF2_InterruptGeneratorRef self,
                                                OTF2_StringRef name, OTF2_InterruptGeneratorMode mode,
                                                OTF2_Base base, int64_t exponent, uint64_t period)
{
    (void)base;
    (void)exponent;
    const struct omptape_definition head = {
        .kind = OMPTAPE_DEF_INTERRUPT_GENERATOR, .id = self, .value = {mode, period}};
    const struct omptape_reference refs[] = {omptape_refers(OMPTAPE_DEF_STRING, "name", name)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_io_file_property(void *data, OTF2_IoFileRef owner, OTF2_StringRef name,
                                             OTF2_Type type, OTF2_AttributeValue value)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_PROPERTY, .value = {type, value.uint64}};
    const struct omptape_reference refs[] = {omptape_refers(OMPTAPE_DEF_IO_FILE, "I/O file", owner),
                                             omptape_refers(OMPTAPE_DEF_STRING, "name", name),
                                             omptape_value_reference(type, value)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_io_file(void *data, OTF2_IoFileRef self, OTF2_StringRef name,
                                    OTF2_SystemTreeNodeRef scope)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_IO_FILE, .id = self};
    const struct omptape_reference refs[] = {omptape_refers(OMPTAPE_DEF_STRING, "name", name),
                                             omptape_may_refer(OMPTAPE_DEF_SYSTEM_TREE_NODE, "scope", scope)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_io_handle(void *data, OTF2_IoHandleRef self, OTF2_StringRef name,
                                      OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm,
                                      OTF2_IoHandleFlag flags, OTF2_CommRef comm, OTF2_IoHandleRef parent)
{
    (void)flags;
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_IO_HANDLE, .id = self};
    const struct omptape_reference refs[] = {
        omptape_may_refer(OMPTAPE_DEF_STRING, "name", name),
        omptape_may_refer(OMPTAPE_DEF_IO_FILE, "file", file),
        omptape_refers(OMPTAPE_DEF_IO_PARADIGM, "I/O paradigm", paradigm),
        omptape_may_refer(OMPTAPE_DEF_COMM, "comm", comm),
        omptape_may_refer(OMPTAPE_DEF_IO_HANDLE, "parent", parent)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_io_pre_created(void *data, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode,
                                           OTF2_IoStatusFlag flags)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_DETAIL, .value = {mode, flags}};
    const struct omptape_reference refs[] = {omptape_refers(OMPTAPE_DEF_IO_HANDLE, "I/O handle", handle)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_callpath_parameter(void *data, OTF2_CallpathRef callpath,
                                               OTF2_ParameterRef parameter, OTF2_Type type,
                                               OTF2_AttributeValue value)
{
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_DETAIL};
    const struct omptape_reference refs[] = {omptape_refers(OMPTAPE_DEF_CALLPATH, "callpath", callpath),
                                             omptape_refers(OMPTAPE_DEF_PARAMETER, "parameter", parameter),
                                             omptape_value_reference(type, value)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

static OTF2_CallbackCode on_inter_comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                       OTF2_GroupRef group_a, OTF2_GroupRef group_b, OTF2_CommRef common,
                                       OTF2_CommFlag flags)
{
    (void)flags;
    const struct omptape_definition head = {.kind = OMPTAPE_DEF_COMM, .id = self, .value = {1}};
    const struct omptape_reference refs[] = {
        omptape_may_refer(OMPTAPE_DEF_STRING, "name", name),
        omptape_refers(OMPTAPE_DEF_GROUP, "group A", group_a),
        omptape_refers(OMPTAPE_DEF_GROUP, "group B", group_b),
        omptape_may_refer(OMPTAPE_DEF_COMM, "common communicator", common)};
    return omptape_reader_add(data, &head, refs, (uint32_t)(sizeof(refs) / sizeof(refs[0])));
}

void omptape_reader_set_detail_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks)
{
    OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(callbacks, on_io_paradigm);
    OTF2_GlobalDefReaderCallbacks_SetCallsiteCallback(callbacks, on_callsite);
    OTF2_GlobalDefReaderCallbacks_SetCallpathCallback(callbacks, on_callpath);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassRecorderCallback(callbacks, on_metric_class_recorder);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(callbacks, on_system_tree_node_domain);
    OTF2_GlobalDefReaderCallbacks_SetCartDimensionCallback(callbacks, on_cart_dimension);
    OTF2_GlobalDefReaderCallbacks_SetCartTopologyCallback(callbacks, on_cart_topology);
    OTF2_GlobalDefReaderCallbacks_SetCartCoordinateCallback(callbacks, on_cart_coordinate);
    OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(callbacks, on_source_code_location);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(callbacks, on_calling_context);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextPropertyCallback(callbacks, on_calling_context_property);
    OTF2_GlobalDefReaderCallbacks_SetInterruptGeneratorCallback(callbacks, on_interrupt_generator);
    OTF2_GlobalDefReaderCallbacks_SetIoFilePropertyCallback(callbacks, on_io_file_property);
    OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback(callbacks, on_io_file);
    OTF2_GlobalDefReaderCallbacks_SetIoDirectoryCallback(callbacks, on_io_file);
    OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(callbacks, on_io_handle);
    OTF2_GlobalDefReaderCallbacks_SetIoPreCreatedHandleStateCallback(callbacks, on_io_pre_created);
    OTF2_GlobalDefReaderCallbacks_SetCallpathParameterCallback(callbacks, on_callpath_parameter);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_inter_comm);
}
