/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table of all kinds of global definitions in OTF2. The arguments of DEFINITION_KIND are OTF2's name, the
 * reader's kind, the parameters of OTF2's callback, the kept fields, and the references. The file
 * definitions.c includes the table and generates the callbacks.
 */
DEFINITION_KIND(String, STRING, (void *data, OTF2_StringRef self, const char *string),
                HEAD(.id = self, .text = omptape_reader_copy_text(data, string)), NO_REFS)
DEFINITION_KIND(Unknown, UNKNOWN, (void *data), NOTHING, NO_REFS)
DEFINITION_KIND(Paradigm, PARADIGM,
                (void *data, OTF2_Paradigm paradigm, OTF2_StringRef name, OTF2_ParadigmClass class),
                HEAD(.id = paradigm, VALUES(class)), REFS(NAME))
DEFINITION_KIND(ParadigmProperty, PARADIGM_PROPERTY,
                (void *data, OTF2_Paradigm paradigm, OTF2_ParadigmProperty property, OTF2_Type type,
                 OTF2_AttributeValue value),
                HEAD(VALUES(type, omptape_value_bits(type, value), property)),
                REFS(TO(PARADIGM, "paradigm", paradigm), omptape_value_reference(type, value)))
DEFINITION_KIND(Attribute, ATTRIBUTE,
                (void *data, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef description,
                 OTF2_Type type),
                HEAD(.id = self, VALUES(type)), REFS(NAME, MAY(STRING, "description", description)))
DEFINITION_KIND(SystemTreeNode, SYSTEM_TREE_NODE,
                (void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef class_name,
                 OTF2_SystemTreeNodeRef parent),
                HEAD(.id = self),
                REFS(NAME, TO(STRING, "class name", class_name), MAY(SYSTEM_TREE_NODE, "parent", parent)))
DEFINITION_KIND(LocationGroup, LOCATION_GROUP,
                (void *data, OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_LocationGroupType type,
                 OTF2_SystemTreeNodeRef parent, OTF2_LocationGroupRef creator),
                HEAD(.id = self, VALUES(type)),
                REFS(NAME, TO(SYSTEM_TREE_NODE, "system tree parent", parent),
                     MAY(LOCATION_GROUP, "creating location group", creator)))
DEFINITION_KIND(Location, LOCATION,
                (void *data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                 uint64_t events, OTF2_LocationGroupRef group),
                HEAD(.id = self, VALUES(type, events)),
                REFS(NAME, TO(LOCATION_GROUP, "location group", group)))
DEFINITION_KIND(Region, REGION,
                (void *data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
                 OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                 OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin_line, uint32_t end_line),
                HEAD(.id = self, VALUES(role, paradigm, begin_line)),
                REFS(NAME, MAY(STRING, "canonical name", canonical), MAY(STRING, "description", description),
                     MAY(STRING, "source file", file)))
DEFINITION_KIND(Group, GROUP,
                (void *data, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                 OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t member_count,
                 const uint64_t *members),
                HEAD(.id = self, VALUES(type, paradigm, flags), .member_count = member_count,
                     .members = omptape_reader_copy_ids(data, members, member_count)),
                REFS(MAY_NAME))
DEFINITION_KIND(Comm, COMM,
                (void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef parent,
                 OTF2_CommFlag flags),
                HEAD(.id = self, VALUES(0, flags)),
                REFS(MAY_NAME, TO(GROUP, "group", group), MAY(COMM, "parent", parent)))
DEFINITION_KIND(Parameter, PARAMETER,
                (void *data, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType type),
                HEAD(.id = self, VALUES(type)), REFS(NAME))
DEFINITION_KIND(RmaWin, RMA_WIN,
                (void *data, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
                 OTF2_RmaWinFlag flags),
                HEAD(.id = self), REFS(MAY_NAME, TO(COMM, "comm", comm)))
DEFINITION_KIND(MetricMember, METRIC_MEMBER,
                (void *data, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef description,
                 OTF2_MetricType type, OTF2_MetricMode mode, OTF2_Type value_type, OTF2_Base base,
                 int64_t exponent, OTF2_StringRef unit),
                HEAD(.id = self, VALUES(value_type, mode, type)),
                REFS(NAME, MAY(STRING, "description", description), MAY(STRING, "unit", unit)))
DEFINITION_KIND(MetricClass, METRIC,
                (void *data, OTF2_MetricRef self, uint8_t member_count, const OTF2_MetricMemberRef *members,
                 OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder),
                HEAD(.id = self, .member_kind = OMPTAPE_DEF_METRIC_MEMBER, .member_count = member_count,
                     .members = omptape_reader_copy_short_ids(data, members, member_count)),
                NO_REFS)
DEFINITION_KIND(MetricInstance, METRIC,
                (void *data, OTF2_MetricRef self, OTF2_MetricRef class, OTF2_LocationRef recorder,
                 OTF2_MetricScope scope, uint64_t scope_id),
                HEAD(.id = self, VALUES(1)),
                REFS(TO(METRIC, "metric class", class), TO(LOCATION, "recorder", recorder),
                     metric_scope(scope, scope_id)))
PROPERTY_OF(SystemTreeNodeProperty, SYSTEM_TREE_NODE, OTF2_SystemTreeNodeRef, "system tree node")
PROPERTY_OF(LocationGroupProperty, LOCATION_GROUP, OTF2_LocationGroupRef, "location group")
PROPERTY_OF(LocationProperty, LOCATION, OTF2_LocationRef, "location")
DEFINITION_KIND(IoParadigm, IO_PARADIGM,
                (void *data, OTF2_IoParadigmRef self, OTF2_StringRef identification, OTF2_StringRef name,
                 OTF2_IoParadigmClass class, OTF2_IoParadigmFlag flags, uint8_t property_count,
                 const OTF2_IoParadigmProperty *properties, const OTF2_Type *types,
                 const OTF2_AttributeValue *values),
                HEAD(.id = self), REFS(NAME, TO(STRING, "identification", identification)))
DEFINITION_KIND(Callsite, CALLSITE,
                (void *data, OTF2_CallsiteRef self, OTF2_StringRef file, uint32_t line,
                 OTF2_RegionRef entered, OTF2_RegionRef left),
                HEAD(.id = self, VALUES(line)),
                REFS(MAY(STRING, "source file", file), TO(REGION, "entered region", entered),
                     TO(REGION, "left region", left)))
DEFINITION_KIND(Callpath, CALLPATH,
                (void *data, OTF2_CallpathRef self, OTF2_CallpathRef parent, OTF2_RegionRef region),
                HEAD(.id = self), REFS(MAY(CALLPATH, "parent", parent), TO(REGION, "region", region)))
DEFINITION_KIND(MetricClassRecorder, DETAIL, (void *data, OTF2_MetricRef metric, OTF2_LocationRef recorder),
                NOTHING, REFS(TO(METRIC, "metric", metric), TO(LOCATION, "recorder", recorder)))
DEFINITION_KIND(SystemTreeNodeDomain, DETAIL,
                (void *data, OTF2_SystemTreeNodeRef node, OTF2_SystemTreeDomain domain), HEAD(VALUES(domain)),
                REFS(TO(SYSTEM_TREE_NODE, "system tree node", node)))
DEFINITION_KIND(CartDimension, CART_DIMENSION,
                (void *data, OTF2_CartDimensionRef self, OTF2_StringRef name, uint32_t size,
                 OTF2_CartPeriodicity periodicity),
                HEAD(.id = self, VALUES(size, periodicity)), REFS(MAY_NAME))
DEFINITION_KIND(CartTopology, CART_TOPOLOGY,
                (void *data, OTF2_CartTopologyRef self, OTF2_StringRef name, OTF2_CommRef comm,
                 uint8_t member_count, const OTF2_CartDimensionRef *members),
                HEAD(.id = self, .member_kind = OMPTAPE_DEF_CART_DIMENSION, .member_count = member_count,
                     .members = omptape_reader_copy_short_ids(data, members, member_count)),
                REFS(MAY_NAME, TO(COMM, "comm", comm)))
DEFINITION_KIND(CartCoordinate, DETAIL,
                (void *data, OTF2_CartTopologyRef topology, uint32_t rank, uint8_t dimensions,
                 const uint32_t *coordinates),
                HEAD(VALUES(rank)), REFS(TO(CART_TOPOLOGY, "topology", topology)))
DEFINITION_KIND(SourceCodeLocation, SOURCE_CODE_LOCATION,
                (void *data, OTF2_SourceCodeLocationRef self, OTF2_StringRef file, uint32_t line),
                HEAD(.id = self, VALUES(line)), REFS(TO(STRING, "file", file)))
DEFINITION_KIND(CallingContext, CALLING_CONTEXT,
                (void *data, OTF2_CallingContextRef self, OTF2_RegionRef region,
                 OTF2_SourceCodeLocationRef source, OTF2_CallingContextRef parent),
                HEAD(.id = self),
                REFS(TO(REGION, "region", region), MAY(SOURCE_CODE_LOCATION, "source code location", source),
                     MAY(CALLING_CONTEXT, "parent", parent)))
PROPERTY_OF(CallingContextProperty, CALLING_CONTEXT, OTF2_CallingContextRef, "calling context")
DEFINITION_KIND(InterruptGenerator, INTERRUPT_GENERATOR,
                (void *data, OTF2_InterruptGeneratorRef self, OTF2_StringRef name,
                 OTF2_InterruptGeneratorMode mode, OTF2_Base base, int64_t exponent, uint64_t period),
                HEAD(.id = self, VALUES(mode, period, sample_ns(mode, base, exponent, period))), REFS(NAME))
PROPERTY_OF(IoFileProperty, IO_FILE, OTF2_IoFileRef, "I/O file")
DEFINITION_KIND(IoRegularFile, IO_FILE,
                (void *data, OTF2_IoFileRef self, OTF2_StringRef name, OTF2_SystemTreeNodeRef scope),
                HEAD(.id = self), REFS(NAME, MAY(SYSTEM_TREE_NODE, "scope", scope)))
DEFINITION_KIND(IoDirectory, IO_FILE,
                (void *data, OTF2_IoFileRef self, OTF2_StringRef name, OTF2_SystemTreeNodeRef scope),
                HEAD(.id = self), REFS(NAME, MAY(SYSTEM_TREE_NODE, "scope", scope)))
DEFINITION_KIND(IoHandle, IO_HANDLE,
                (void *data, OTF2_IoHandleRef self, OTF2_StringRef name, OTF2_IoFileRef file,
                 OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags, OTF2_CommRef comm,
                 OTF2_IoHandleRef parent),
                HEAD(.id = self),
                REFS(MAY_NAME, MAY(IO_FILE, "file", file), TO(IO_PARADIGM, "I/O paradigm", paradigm),
                     MAY(COMM, "comm", comm), MAY(IO_HANDLE, "parent", parent)))
DEFINITION_KIND(IoPreCreatedHandleState, DETAIL,
                (void *data, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoStatusFlag flags),
                HEAD(VALUES(mode, flags)), REFS(TO(IO_HANDLE, "I/O handle", handle)))
DEFINITION_KIND(CallpathParameter, DETAIL,
                (void *data, OTF2_CallpathRef callpath, OTF2_ParameterRef parameter, OTF2_Type type,
                 OTF2_AttributeValue value),
                NOTHING,
                REFS(TO(CALLPATH, "callpath", callpath), TO(PARAMETER, "parameter", parameter),
                     omptape_value_reference(type, value)))
DEFINITION_KIND(InterComm, COMM,
                (void *data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group_a,
                 OTF2_GroupRef group_b, OTF2_CommRef common, OTF2_CommFlag flags),
                HEAD(.id = self, VALUES(1)),
                REFS(MAY_NAME, TO(GROUP, "group A", group_a), TO(GROUP, "group B", group_b),
                     MAY(COMM, "common communicator", common)))
