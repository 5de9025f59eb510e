/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table of the definitions that are copied unchanged except for their references. The including file defines
 * DEFINITION, and EXTRA for those that no other definition refers to: definitions.c generates readers from
 * them, write_global.c writers. Their arguments:
 *
 *     kind, libotf2's name, callback arguments, words that are kept, arguments to be written
 *
 * The arguments to be written are computed from the kept words `w`. WRITTEN and WRITTEN_EXTRA have only
 * those: their readers are written by hand. A macro that is not defined ignores its rows; all are undefined
 * at the end.
 */
/* clang-format off */
#ifndef DEFINITION
#define DEFINITION(...)
#endif
#ifndef EXTRA
#define EXTRA(...)
#endif
#ifndef WRITTEN
#define WRITTEN(...)
#endif
#ifndef WRITTEN_EXTRA
#define WRITTEN_EXTRA(...)
#endif
DEFINITION(ATTRIBUTE, Attribute,
    (void *data, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef text, OTF2_Type type),
    WORDS(STRING(name), STRING(text), type),
    WORDS((OTF2_StringRef)w[0], (OTF2_StringRef)w[1], (OTF2_Type)w[2]))
DEFINITION(PARAMETER, Parameter,
    (void *data, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType type),
    WORDS(STRING(name), type),
    WORDS((OTF2_StringRef)w[0], (OTF2_ParameterType)w[1]))
DEFINITION(REGION, Region,
    (void *data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical, OTF2_StringRef text,
     OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
     uint32_t end),
    WORDS(STRING(name), STRING(canonical), STRING(text), role, paradigm, flags, STRING(file), begin, end),
    WORDS((OTF2_StringRef)w[0], (OTF2_StringRef)w[1], (OTF2_StringRef)w[2], (OTF2_RegionRole)w[3],
          (OTF2_Paradigm)w[4], (OTF2_RegionFlag)w[5], (OTF2_StringRef)w[6], (uint32_t)w[7], (uint32_t)w[8]))
DEFINITION(CODE_LOCATION, SourceCodeLocation,
    (void *data, OTF2_SourceCodeLocationRef self, OTF2_StringRef file, uint32_t line),
    WORDS(STRING(file), line),
    WORDS((OTF2_StringRef)w[0], (uint32_t)w[1]))
DEFINITION(CALLING_CONTEXT, CallingContext,
    (void *data, OTF2_CallingContextRef self, OTF2_RegionRef region, OTF2_SourceCodeLocationRef place,
     OTF2_CallingContextRef parent),
    WORDS(MUST(REGION, region), MAY(CODE_LOCATION, place), MAY(CALLING_CONTEXT, parent)),
    WORDS((OTF2_RegionRef)w[0], (OTF2_SourceCodeLocationRef)w[1], (OTF2_CallingContextRef)w[2]))
DEFINITION(INTERRUPT_GENERATOR, InterruptGenerator,
    (void *data, OTF2_InterruptGeneratorRef self, OTF2_StringRef name, OTF2_InterruptGeneratorMode mode,
     OTF2_Base base, int64_t exponent, uint64_t period),
    WORDS(STRING(name), mode, base, (uint64_t)exponent, period),
    WORDS((OTF2_StringRef)w[0], (OTF2_InterruptGeneratorMode)w[1], (OTF2_Base)w[2], (int64_t)w[3], w[4]))
DEFINITION(RMA_WIN, RmaWin,
    (void *data, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm, OTF2_RmaWinFlag flags),
    WORDS(STRING(name), MUST(COMM, comm), flags),
    WORDS((OTF2_StringRef)w[0], (OTF2_CommRef)w[1], (OTF2_RmaWinFlag)w[2]))
DEFINITION(IO_FILE, IoRegularFile,
    (void *data, OTF2_IoFileRef self, OTF2_StringRef name, OTF2_SystemTreeNodeRef scope),
    WORDS(STRING(name), MAY(TREE_NODE, scope)),
    WORDS((OTF2_StringRef)w[0], (OTF2_SystemTreeNodeRef)w[1]))
DEFINITION(METRIC_MEMBER, MetricMember,
    (void *data, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef text, OTF2_MetricType type,
     OTF2_MetricMode mode, OTF2_Type value_type, OTF2_Base base, int64_t exponent, OTF2_StringRef unit),
    WORDS(STRING(name), STRING(text), type, mode, value_type, base, (uint64_t)exponent, STRING(unit)),
    WORDS((OTF2_StringRef)w[0], (OTF2_StringRef)w[1], (OTF2_MetricType)w[2], (OTF2_MetricMode)w[3],
          (OTF2_Type)w[4], (OTF2_Base)w[5], (int64_t)w[6], (OTF2_StringRef)w[7]))
WRITTEN(TREE_NODE, SystemTreeNode,
    WORDS((OTF2_StringRef)w[0], (OTF2_StringRef)w[1], (OTF2_SystemTreeNodeRef)w[2]))
WRITTEN(LOCATION_GROUP, LocationGroup,
    WORDS((OTF2_StringRef)w[0], (OTF2_LocationGroupType)w[1], (OTF2_SystemTreeNodeRef)w[2],
          (OTF2_LocationGroupRef)w[3]))
WRITTEN(COMM, Comm, WORDS((OTF2_StringRef)w[0], (OTF2_GroupRef)w[1], (OTF2_CommRef)w[2], (OTF2_CommFlag)w[3]))
WRITTEN(IO_HANDLE, IoHandle,
    WORDS((OTF2_StringRef)w[0], (OTF2_IoFileRef)w[1], (OTF2_IoParadigmRef)w[2], (OTF2_IoHandleFlag)w[3],
          (OTF2_CommRef)w[4], OTF2_UNDEFINED_IO_HANDLE))
EXTRA(PARADIGM, Paradigm,
    (void *data, OTF2_Paradigm paradigm, OTF2_StringRef name, OTF2_ParadigmClass class),
    WORDS(paradigm, STRING(name), class),
    WORDS((OTF2_Paradigm)w[0], (OTF2_StringRef)w[1], (OTF2_ParadigmClass)w[2]))
EXTRA(PARADIGM_PROPERTY, ParadigmProperty,
    (void *data, OTF2_Paradigm paradigm, OTF2_ParadigmProperty property, OTF2_Type type,
     OTF2_AttributeValue value),
    WORDS(paradigm, property, type, omptape_unify_value(data, type, value)),
    WORDS((OTF2_Paradigm)w[0], (OTF2_ParadigmProperty)w[1], VALUE(w[2], w[3])))
WRITTEN_EXTRA(IO_PARADIGM, IoParadigm,
    WORDS((OTF2_IoParadigmRef)w[0], (OTF2_StringRef)w[1], (OTF2_StringRef)w[2], (OTF2_IoParadigmClass)w[3],
          (OTF2_IoParadigmFlag)w[4], 0, NULL, NULL, NULL))
EXTRA(NODE_DOMAIN, SystemTreeNodeDomain,
    (void *data, OTF2_SystemTreeNodeRef node, OTF2_SystemTreeDomain domain),
    WORDS(MUST(TREE_NODE, node), domain),
    WORDS((OTF2_SystemTreeNodeRef)w[0], (OTF2_SystemTreeDomain)w[1]))
EXTRA(NODE_PROPERTY, SystemTreeNodeProperty,
    (void *data, OTF2_SystemTreeNodeRef node, OTF2_StringRef name, OTF2_Type type, OTF2_AttributeValue value),
    WORDS(MUST(TREE_NODE, node), STRING(name), type, omptape_unify_value(data, type, value)),
    WORDS((OTF2_SystemTreeNodeRef)w[0], (OTF2_StringRef)w[1], VALUE(w[2], w[3])))
WRITTEN_EXTRA(GROUP_PROPERTY, LocationGroupProperty,
    WORDS((OTF2_LocationGroupRef)w[0], (OTF2_StringRef)w[1], VALUE(w[2], w[3])))
EXTRA(LOCATION_PROPERTY, LocationProperty,
    (void *data, OTF2_LocationRef location, OTF2_StringRef name, OTF2_Type type, OTF2_AttributeValue value),
    WORDS(MUST(LOCATION, location), STRING(name), type, omptape_unify_value(data, type, value)),
    WORDS(PLACE(w[0]), (OTF2_StringRef)w[1], VALUE(w[2], w[3])))
EXTRA(METRIC_RECORDER, MetricClassRecorder,
    (void *data, OTF2_MetricRef metric, OTF2_LocationRef recorder),
    WORDS(MUST(METRIC, metric), MUST(LOCATION, recorder)),
    WORDS((OTF2_MetricRef)w[0], PLACE(w[1])))
#undef DEFINITION
#undef EXTRA
#undef WRITTEN
#undef WRITTEN_EXTRA
/* clang-format on */
