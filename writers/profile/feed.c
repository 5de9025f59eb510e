/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the archive's events to the analysis' (feed.h): a row for each kind but Enter and Leave. Those without
 * one are OMPTAPE_EVENT_OTHER, which the analysis does not look at.
 */
#include "writers/profile/feed.h"

#include "src/core/array.h"

#include <stdlib.h>

/* What an event refers to first. */
enum feed_reference { FEED_NOTHING, FEED_COMM, FEED_PARAMETER, FEED_METRIC };

struct feed_kind {
    uint8_t kind;      /* enum omptape_event_kind */
    uint8_t reference; /* enum feed_reference */
    uint8_t first;     /* which of the event's values the first is */
};

static const struct feed_kind kinds[OMPTAPE_RECORD_NUMBERS] = {
    [OMPTAPE_RECORD_BUFFER_FLUSH] = {OMPTAPE_EVENT_BUFFER_FLUSH, FEED_NOTHING, 0},
    [OMPTAPE_RECORD_MEASUREMENT_ON_OFF] = {OMPTAPE_EVENT_MEASUREMENT, FEED_NOTHING, 0},
    [OMPTAPE_RECORD_MPI_SEND] = {OMPTAPE_EVENT_MPI_SEND, FEED_NOTHING, 2},
    [OMPTAPE_RECORD_MPI_ISEND] = {OMPTAPE_EVENT_MPI_SEND, FEED_NOTHING, 2},
    [OMPTAPE_RECORD_MPI_RECV] = {OMPTAPE_EVENT_MPI_RECEIVE, FEED_NOTHING, 2},
    [OMPTAPE_RECORD_MPI_IRECV] = {OMPTAPE_EVENT_MPI_RECEIVE, FEED_NOTHING, 2},
    [OMPTAPE_RECORD_MPI_COLLECTIVE_END] = {OMPTAPE_EVENT_MPI_COLLECTIVE, FEED_NOTHING, 2},
    [OMPTAPE_RECORD_METRIC] = {OMPTAPE_EVENT_METRIC, FEED_METRIC, 0},
    [OMPTAPE_RECORD_PARAMETER_STRING] = {OMPTAPE_EVENT_PARAMETER, FEED_PARAMETER, 1},
    [OMPTAPE_RECORD_PARAMETER_INT] = {OMPTAPE_EVENT_PARAMETER, FEED_PARAMETER, 1},
    [OMPTAPE_RECORD_PARAMETER_UNSIGNED_INT] = {OMPTAPE_EVENT_PARAMETER, FEED_PARAMETER, 1},
    [OMPTAPE_RECORD_RMA_PUT] = {OMPTAPE_EVENT_RMA_OPERATION, FEED_NOTHING, 1},
    [OMPTAPE_RECORD_RMA_GET] = {OMPTAPE_EVENT_RMA_OPERATION, FEED_NOTHING, 1},
    [OMPTAPE_RECORD_RMA_ATOMIC] = {OMPTAPE_EVENT_RMA_OPERATION, FEED_NOTHING, 1},
    [OMPTAPE_RECORD_RMA_OP_COMPLETE_BLOCKING] = {OMPTAPE_EVENT_RMA_COMPLETE, FEED_NOTHING, 1},
    [OMPTAPE_RECORD_RMA_OP_COMPLETE_NON_BLOCKING] = {OMPTAPE_EVENT_RMA_COMPLETE, FEED_NOTHING, 1},
    [OMPTAPE_RECORD_RMA_OP_COMPLETE_REMOTE] = {OMPTAPE_EVENT_RMA_COMPLETE, FEED_NOTHING, 1},
    [OMPTAPE_RECORD_THREAD_FORK] = {OMPTAPE_EVENT_FORK, FEED_NOTHING, 0},
    [OMPTAPE_RECORD_THREAD_JOIN] = {OMPTAPE_EVENT_JOIN, FEED_NOTHING, 0},
    [OMPTAPE_RECORD_THREAD_TEAM_BEGIN] = {OMPTAPE_EVENT_TEAM_BEGIN, FEED_COMM, 0},
    [OMPTAPE_RECORD_THREAD_TEAM_END] = {OMPTAPE_EVENT_TEAM_END, FEED_COMM, 0},
    [OMPTAPE_RECORD_THREAD_ACQUIRE_LOCK] = {OMPTAPE_EVENT_LOCK_ACQUIRE, FEED_NOTHING, 0},
    [OMPTAPE_RECORD_THREAD_RELEASE_LOCK] = {OMPTAPE_EVENT_LOCK_RELEASE, FEED_NOTHING, 0},
    [OMPTAPE_RECORD_THREAD_TASK_CREATE] = {OMPTAPE_EVENT_TASK_CREATE, FEED_COMM, 0},
    [OMPTAPE_RECORD_THREAD_TASK_SWITCH] = {OMPTAPE_EVENT_TASK_SWITCH, FEED_COMM, 0},
    [OMPTAPE_RECORD_THREAD_TASK_COMPLETE] = {OMPTAPE_EVENT_TASK_COMPLETE, FEED_COMM, 0},
    [OMPTAPE_RECORD_PROGRAM_BEGIN] = {OMPTAPE_EVENT_PROGRAM_BEGIN, FEED_NOTHING, 0},
    [OMPTAPE_RECORD_NON_BLOCKING_COLLECTIVE_COMPLETE] = {OMPTAPE_EVENT_MPI_COLLECTIVE_LATER, FEED_NOTHING, 2},
    [OMPTAPE_RECORD_IO_OPERATION_BEGIN] = {OMPTAPE_EVENT_IO_OPERATION, FEED_NOTHING, 0},
    [OMPTAPE_RECORD_IO_OPERATION_COMPLETE] = {OMPTAPE_EVENT_IO_COMPLETE, FEED_NOTHING, 1},
    [OMPTAPE_RECORD_IO_OPERATION_CANCELLED] = {OMPTAPE_EVENT_IO_COMPLETE, FEED_NOTHING, 1},
    [OMPTAPE_RECORD_PROGRAM_END] = {OMPTAPE_EVENT_PROGRAM_END, FEED_NOTHING, 0},
};

OTF2_AttributeList *omptape_feed_attributes(struct omptape_feed_lists *lists,
                                            const struct omptape_attributes *attributes)
{
    static const uint32_t wanted = 1U << OMPTAPE_ATTRIBUTE_ITERATIONS | 1U << OMPTAPE_ATTRIBUTE_START |
                                   1U << OMPTAPE_ATTRIBUTE_COUNT | 1U << OMPTAPE_ATTRIBUTE_BYTES |
                                   1U << OMPTAPE_ATTRIBUTE_HOST_ADDRESS | 1U << OMPTAPE_ATTRIBUTE_DEVICE |
                                   1U << OMPTAPE_ATTRIBUTE_CALL;
    if ((attributes->known & wanted) == 0)
        return NULL;
    OTF2_AttributeList *list = lists->count > 0 ? lists->list[--lists->count] : OTF2_AttributeList_New();
    for (uint32_t i = 0; list != NULL && i < attributes->count; i++) {
        const struct omptape_attribute_value *entry = &attributes->list[i];
        const OTF2_AttributeValue value = {.uint64 = entry->value};
        if ((1U << entry->attribute & wanted) != 0)
            OTF2_AttributeList_AddAttribute(list, entry->attribute, entry->type, value);
    }
    return list;
}

void omptape_feed_return(struct omptape_feed_lists *lists, OTF2_AttributeList *attributes)
{
    OTF2_AttributeList **list =
        omptape_array_reserve(lists->list, lists->count + 1, &lists->room, sizeof(OTF2_AttributeList *));
    if (list == NULL) {
        OTF2_AttributeList_Delete(attributes);
        return;
    }
    OTF2_AttributeList_RemoveAllAttributes(attributes);
    lists->list = list;
    list[lists->count++] = attributes;
}

void omptape_feed_lists_free(struct omptape_feed_lists *lists)
{
    for (uint32_t i = 0; i < lists->count; i++)
        OTF2_AttributeList_Delete(lists->list[i]);
    free(lists->list);
    *lists = (struct omptape_feed_lists){.list = NULL};
}

/* The place of a call of MPI's is a region, too. */
static bool refer_to_call(OTF2_AttributeList *attributes, struct omptape_known *known,
                          struct omptape_writer *writer)
{
    uint32_t call;
    if (!OTF2_AttributeList_TestAttributeByID(attributes, OMPTAPE_ATTRIBUTE_CALL))
        return true;
    if (OTF2_AttributeList_GetRegionRef(attributes, OMPTAPE_ATTRIBUTE_CALL, &call) != OTF2_SUCCESS ||
        !omptape_known_region(known, writer, call, &call))
        return false;
    OTF2_AttributeList_RemoveAttribute(attributes, OMPTAPE_ATTRIBUTE_CALL);
    return OTF2_AttributeList_AddRegionRef(attributes, OMPTAPE_ATTRIBUTE_CALL, call) == OTF2_SUCCESS;
}

/* What other events refer to. */
static bool refer(struct omptape_fed *fed, struct omptape_known *known, struct omptape_writer *writer,
                  const struct omptape_tapped *tapped, enum feed_reference reference)
{
    struct omptape_event *event = &fed->event;
    bool good = true;
    event->refs[0].kind = OMPTAPE_DEF_NONE;
    event->ref_count = 1;
    switch (reference) {
    case FEED_COMM:
        event->refs[0].kind = OMPTAPE_DEF_COMM;
        good = tapped->ref < known->comms || omptape_known_comms(known, writer);
        break;
    case FEED_PARAMETER:
        event->refs[0].kind = OMPTAPE_DEF_PARAMETER;
        if (tapped->number == OMPTAPE_RECORD_PARAMETER_STRING) {
            event->ref_count = 2;
            event->refs[1] = omptape_reader_refer(OMPTAPE_DEF_STRING, tapped->value[0]);
            good = omptape_known_string(known, writer, (OTF2_StringRef)tapped->value[0]);
        }
        break;
    case FEED_METRIC:
        event->refs[0].kind = OMPTAPE_DEF_METRIC;
        break;
    case FEED_NOTHING:
        event->ref_count = 0;
        break;
    }
    event->refs[0].id = tapped->ref;
    return good;
}

static void measure(struct omptape_fed *fed, const struct omptape_tapped *tapped)
{
    fed->event.count = tapped->count;
    fed->event.value[0] = tapped->count;
    fed->event.types = fed->types;
    fed->event.values = fed->values;
    for (uint32_t i = 0; i < OMPTAPE_TAPPED_VALUES; i++) {
        fed->types[i] = OTF2_TYPE_UINT64;
        fed->values[i].unsigned_int = tapped->value[i];
    }
}

/* Most are Enter and Leave. */
static inline bool feed_visit(struct omptape_event *event, struct omptape_known *known,
                              struct omptape_writer *writer, const struct omptape_tapped *tapped)
{
    uint32_t region;
    if (!omptape_known_region(known, writer, tapped->ref, &region))
        return false;
    event->kind = tapped->number == OMPTAPE_RECORD_ENTER ? OMPTAPE_EVENT_ENTER : OMPTAPE_EVENT_LEAVE;
    event->ref_count = 1;
    event->refs[0].kind = OMPTAPE_DEF_REGION;
    event->refs[0].id = region;
    return event->attributes == NULL || refer_to_call(event->attributes, known, writer);
}

bool omptape_feed_event(struct omptape_fed *fed, struct omptape_known *known, struct omptape_writer *writer,
                        const struct omptape_ordered *ordered)
{
    const struct omptape_tapped *tapped = &ordered->event;
    struct omptape_event *event = &fed->event;
    event->location = tapped->location;
    event->time = tapped->time;
    event->attributes = ordered->attributes;
    event->count = 0;
    if (tapped->number == OMPTAPE_RECORD_ENTER || tapped->number == OMPTAPE_RECORD_LEAVE)
        return feed_visit(event, known, writer, tapped);
    const struct feed_kind *kind = &kinds[tapped->number];
    event->kind = (enum omptape_event_kind)kind->kind;
    event->value[kind->first] = tapped->value[0];
    event->value[kind->first + 1] = tapped->value[1];
    if (tapped->number == OMPTAPE_RECORD_METRIC)
        measure(fed, tapped);
    return refer(fed, known, writer, tapped, (enum feed_reference)kind->reference);
}
