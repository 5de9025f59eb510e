/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that hang on events: attributes by their name in the archive. Used for loops and transfers.
 */
#include "src/analysis/state.h"

#include <string.h>

static void find(struct analysis_state *state, const struct omptape_definition *attribute)
{
    const char *name = omptape_reader_name(state->reader, OMPTAPE_DEF_ATTRIBUTE, attribute->id);
    const struct {
        const char *name;
        uint64_t *id;
    } wanted[] = {{"bytes", &state->attribute_bytes},
                  {"host address", &state->attribute_host_address},
                  {"device", &state->attribute_device},
                  {"iterations", &state->attribute_iterations},
                  {"chunk start", &state->attribute_chunk_start},
                  {"count", &state->attribute_count},
                  {"call site", &state->attribute_call}};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (strcmp(name, wanted[i].name) == 0)
            *wanted[i].id = attribute->id;
}

static void find_parameter(struct analysis_state *state, uint64_t id)
{
    const char *name = omptape_reader_name(state->reader, OMPTAPE_DEF_PARAMETER, id);
    const struct {
        const char *name;
        uint64_t *id;
    } wanted[] = {{"schedule", &state->parameter_schedule},
                  {"depend", &state->parameter_depend},
                  {"depend source", &state->parameter_source},
                  {"depend sink", &state->parameter_sink}};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (strcmp(name, wanted[i].name) == 0)
            *wanted[i].id = id;
}

void omptape_analysis_attributes_find(struct analysis_state *state)
{
    state->attribute_bytes = UINT64_MAX;
    state->attribute_host_address = UINT64_MAX;
    state->attribute_device = UINT64_MAX;
    state->attribute_iterations = UINT64_MAX;
    state->attribute_chunk_start = UINT64_MAX;
    state->attribute_count = UINT64_MAX;
    state->attribute_call = UINT64_MAX;
    state->parameter_schedule = UINT64_MAX;
    state->parameter_depend = UINT64_MAX;
    state->parameter_source = UINT64_MAX;
    state->parameter_sink = UINT64_MAX;
    for (uint32_t i = 0; i < state->reader->definition_count; i++) {
        const struct omptape_definition *definition = state->reader->definitions[i];
        if (definition->kind == OMPTAPE_DEF_ATTRIBUTE)
            find(state, definition);
        else if (definition->kind == OMPTAPE_DEF_PARAMETER)
            find_parameter(state, definition->id);
    }
}

uint64_t omptape_analysis_attribute(const struct omptape_event *event, uint64_t attribute)
{
    OTF2_Type type;
    OTF2_AttributeValue value;
    /* libotf2 takes a question for what is not there for an error. */
    if (attribute == UINT64_MAX || event->attributes == NULL ||
        !OTF2_AttributeList_TestAttributeByID(event->attributes, (OTF2_AttributeRef)attribute) ||
        OTF2_AttributeList_GetAttributeByID(event->attributes, (OTF2_AttributeRef)attribute, &type, &value) !=
            OTF2_SUCCESS)
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
