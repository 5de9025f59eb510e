/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that hang on events: attributes by their name in the archive. Used for loops and transfers.
 */
#include "src/analysis/state.h"

void omptape_analysis_attributes_find(struct analysis_state *state)
{
    const struct {
        enum omptape_definition_kind kind;
        const char *name;
        uint64_t *id;
    } wanted[] = {{OMPTAPE_DEF_ATTRIBUTE, "bytes", &state->attribute_bytes},
                  {OMPTAPE_DEF_ATTRIBUTE, "host address", &state->attribute_host_address},
                  {OMPTAPE_DEF_ATTRIBUTE, "device", &state->attribute_device},
                  {OMPTAPE_DEF_ATTRIBUTE, "iterations", &state->attribute_iterations},
                  {OMPTAPE_DEF_ATTRIBUTE, "chunk start", &state->attribute_chunk_start},
                  {OMPTAPE_DEF_ATTRIBUTE, "count", &state->attribute_count},
                  {OMPTAPE_DEF_ATTRIBUTE, "call site", &state->attribute_call},
                  {OMPTAPE_DEF_ATTRIBUTE, "ThreadId", &state->attribute_thread},
                  {OMPTAPE_DEF_ATTRIBUTE, "synthesised", &state->attribute_synthesised},
                  {OMPTAPE_DEF_ATTRIBUTE, "awaited lock", &state->attribute_lock},
                  {OMPTAPE_DEF_ATTRIBUTE, "awaited communicator", &state->attribute_comm},
                  {OMPTAPE_DEF_ATTRIBUTE, "awaited rank", &state->attribute_rank},
                  {OMPTAPE_DEF_ATTRIBUTE, "awaited tag", &state->attribute_tag},
                  {OMPTAPE_DEF_ATTRIBUTE, "awaited operation", &state->attribute_collective},
                  {OMPTAPE_DEF_PARAMETER, "schedule", &state->parameter_schedule},
                  {OMPTAPE_DEF_PARAMETER, "depend", &state->parameter_depend},
                  {OMPTAPE_DEF_PARAMETER, "depend source", &state->parameter_source},
                  {OMPTAPE_DEF_PARAMETER, "depend sink", &state->parameter_sink}};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        *wanted[i].id = omptape_reader_named(state->reader, wanted[i].kind, wanted[i].name);
}

uint64_t omptape_analysis_attribute(const struct omptape_event *event, uint64_t attribute)
{
    OTF2_Type type;
    OTF2_AttributeValue value;
    if (event == NULL || !omptape_event_attribute(event, attribute, &type, &value))
        return 0;
    switch (type) {
    case OTF2_TYPE_UINT8:
        return value.uint8;
    case OTF2_TYPE_UINT16:
        return value.uint16;
    case OTF2_TYPE_UINT32:
        return value.uint32;
    case OTF2_TYPE_INT32:
        return value.int32 > 0 ? (uint64_t)value.int32 : 0;
    case OTF2_TYPE_UINT64:
        return value.uint64;
    case OTF2_TYPE_INT64:
        return value.int64 > 0 ? (uint64_t)value.int64 : 0;
    default:
        return 0;
    }
}
