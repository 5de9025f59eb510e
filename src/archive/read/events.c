/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts libotf2's events to the reader's uniform structure, by a callback for each row of event_table.h.
 * portions.c registers the callbacks.
 */
#include "src/archive/read/internal.h"

/* Passes an Enter or Leave of a calling context as an event of its region. Score-P writes them where it
 * samples. */
static bool pass_context(struct omptape_event_sink *sink, const struct omptape_event *event)
{
    const struct omptape_definition *context =
        omptape_reader_find(sink->reader, OMPTAPE_DEF_CALLING_CONTEXT, event->refs[0].id);
    struct omptape_event region = *event;
    region.kind = event->kind == OMPTAPE_EVENT_CONTEXT_ENTER ? OMPTAPE_EVENT_ENTER : OMPTAPE_EVENT_LEAVE;
    region.ref_count = OMPTAPE_EVENT_REFS;
    region.refs[0] = MAY(REGION, "region", context != NULL ? context->refs[0].id : OTF2_UNDEFINED_REGION);
    region.refs[1] = event->refs[0];
    return sink->visitor(sink->data, &region);
}

/* Inlined into the callbacks, where the kind is a constant. */
static inline __attribute__((always_inline)) OTF2_CallbackCode pass_event(struct omptape_event_sink *sink,
                                                                          const struct omptape_event *event)
{
    const bool is_context =
        event->kind == OMPTAPE_EVENT_CONTEXT_ENTER || event->kind == OMPTAPE_EVENT_CONTEXT_LEAVE;
    if (is_context && sink->reader != NULL ? !pass_context(sink, event) : !sink->visitor(sink->data, event))
        sink->stopped = true;
    return sink->stopped ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

/* Returns NULL if the list is empty. */
static OTF2_AttributeList *any_of(OTF2_AttributeList *attributes)
{
    return attributes != NULL && OTF2_AttributeList_GetNumberOfElements(attributes) > 0 ? attributes : NULL;
}

/* OTF2's callbacks have parameters that are not kept. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define AT OTF2_LocationRef location, OTF2_TimeStamp time, void *sink, OTF2_AttributeList *attributes
#define REFS(...)                                                                                            \
    .ref_count = sizeof((struct omptape_reference[]){__VA_ARGS__}) / sizeof(struct omptape_reference),       \
    .refs = {__VA_ARGS__}
#define VALUES(...) .value = {__VA_ARGS__}
#define NOTHING .ref_count = 0
#define NO_REQUEST OMPTAPE_EVENT_NO_REQUEST
#define EVENT_KIND(Name, Type, Kind, Parameters, ...)                                                        \
    static OTF2_CallbackCode on_##Name Parameters                                                            \
    {                                                                                                        \
        const struct omptape_event event = {.kind = OMPTAPE_EVENT_##Kind,                                    \
                                            .name = #Name,                                                   \
                                            .location = location,                                            \
                                            .time = time,                                                    \
                                            .attributes = any_of(attributes),                                \
                                            __VA_ARGS__};                                                    \
        return pass_event(sink, &event);                                                                     \
    }
#include "src/archive/read/event_table.h"
#undef EVENT_KIND

/* A statement for each kind. NOLINTNEXTLINE(readability-function-size) */
OTF2_GlobalEvtReaderCallbacks *omptape_reader_event_callbacks(void)
{
    OTF2_GlobalEvtReaderCallbacks *callbacks = OTF2_GlobalEvtReaderCallbacks_New();
    if (callbacks == NULL)
        return NULL;
#define EVENT_KIND(Name, ...) OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(callbacks, on_##Name);
#include "src/archive/read/event_table.h"
#undef EVENT_KIND
    return callbacks;
}

static bool plain_attribute(const struct omptape_event_attributes *plain, uint64_t attribute, OTF2_Type *type,
                            OTF2_AttributeValue *value)
{
    for (uint32_t i = 0; i < plain->count; i++) {
        if (plain->list[i].id != attribute)
            continue;
        *type = plain->list[i].type;
        value->uint64 = plain->list[i].value;
        return true;
    }
    return false;
}

bool omptape_event_attribute(const struct omptape_event *event, uint64_t attribute, OTF2_Type *type,
                             OTF2_AttributeValue *value)
{
    if (event->plain != NULL)
        return plain_attribute(event->plain, attribute, type, value);
    /* libotf2 reports an error if the attribute does not exist, so its presence is tested first. */
    return attribute != UINT64_MAX && event->attributes != NULL &&
           OTF2_AttributeList_TestAttributeByID(event->attributes, (OTF2_AttributeRef)attribute) &&
           OTF2_AttributeList_GetAttributeByID(event->attributes, (OTF2_AttributeRef)attribute, type,
                                               value) == OTF2_SUCCESS;
}

bool omptape_event_number(const struct omptape_reader *reader, const struct omptape_event *event,
                          enum reader_attribute word, uint64_t *number)
{
    OTF2_Type type;
    OTF2_AttributeValue value;
    const bool has_it = omptape_event_attribute(event, reader->attribute_ids[word], &type, &value);
    *number = has_it ? omptape_value_bits(type, value) : 0;
    return has_it;
}

bool omptape_event_changes_thread(const struct omptape_reader *reader, const struct omptape_event *event)
{
    uint64_t thread;
    return event->kind == OMPTAPE_EVENT_MEASUREMENT &&
           omptape_event_number(reader, event, READER_THREAD_ID, &thread);
}

const char *omptape_reader_event_name(unsigned type)
{
    static const char *const names[] = {
#define EVENT_KIND(Name, Type, ...) [Type] = #Name,
#include "src/archive/read/event_table.h"
#undef EVENT_KIND
    };
    return type > 0 && type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}
