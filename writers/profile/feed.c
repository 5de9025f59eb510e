/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the archive's events to the analysis' (feed.h): a row for each kind. Those without one are
 * OMPTAPE_EVENT_OTHER, which the analysis does not look at.
 */
#include "writers/profile/feed.h"

#include "src/core/store.h"

#include <stddef.h>

/* What an event refers to first. */
enum feed_reference { FEED_NOTHING, FEED_COMM, FEED_CONTEXT, FEED_PARAMETER, FEED_METRIC, FEED_REGION };

struct feed_kind {
    uint8_t kind;      /* enum omptape_event_kind */
    uint8_t reference; /* enum feed_reference */
    uint8_t first;     /* which of the event's values the first is */
};

static const struct feed_kind kinds[OMPTAPE_RECORD_NUMBERS] = {
    [OMPTAPE_RECORD_BUFFER_FLUSH] = {OMPTAPE_EVENT_BUFFER_FLUSH, FEED_NOTHING, 0},
    [OMPTAPE_RECORD_MEASUREMENT_ON_OFF] = {OMPTAPE_EVENT_MEASUREMENT, FEED_NOTHING, 0},
    [OMPTAPE_RECORD_ENTER] = {OMPTAPE_EVENT_ENTER, FEED_REGION, 0},
    [OMPTAPE_RECORD_LEAVE] = {OMPTAPE_EVENT_LEAVE, FEED_REGION, 0},
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
    [OMPTAPE_RECORD_CALLING_CONTEXT_SAMPLE] = {OMPTAPE_EVENT_SAMPLE, FEED_CONTEXT, 0},
    [OMPTAPE_RECORD_IO_OPERATION_BEGIN] = {OMPTAPE_EVENT_IO_OPERATION, FEED_NOTHING, 0},
    [OMPTAPE_RECORD_IO_OPERATION_COMPLETE] = {OMPTAPE_EVENT_IO_COMPLETE, FEED_NOTHING, 1},
    [OMPTAPE_RECORD_IO_OPERATION_CANCELLED] = {OMPTAPE_EVENT_IO_COMPLETE, FEED_NOTHING, 1},
    [OMPTAPE_RECORD_PROGRAM_END] = {OMPTAPE_EVENT_PROGRAM_END, FEED_NOTHING, 0},
};

static struct omptape_said *take_said(struct omptape_said **free, struct omptape_arena *arena)
{
    struct omptape_said *said = *free;
    if (said == NULL)
        return omptape_arena_take(arena, sizeof(*said));
    *free = said->next;
    return said;
}

bool omptape_feed_attributes(struct omptape_said **free, struct omptape_arena *arena,
                             const struct omptape_attributes *attributes, struct omptape_said **said)
{
    *said = take_said(free, arena);
    if (*said == NULL)
        return false;
    struct omptape_event_attributes *list = &(*said)->attributes;
    list->count = 0;
    for (uint32_t i = 0; i < attributes->count; i++) {
        const struct omptape_attribute_value *entry = &attributes->list[i];
        if (list->count < OMPTAPE_EVENT_ATTRIBUTES)
            list->list[list->count++] = (struct omptape_event_attribute){
                .value = entry->value, .id = entry->attribute, .type = entry->type};
    }
    return true;
}

/* The place of a call of MPI's is a region, too. */
static bool refer_to_call(struct omptape_event_attributes *attributes, struct omptape_known *known,
                          struct omptape_writer *writer)
{
    for (uint32_t i = 0; i < attributes->count; i++) {
        struct omptape_event_attribute *one = &attributes->list[i];
        const struct omptape_known_region *call =
            one->id == OMPTAPE_ATTRIBUTE_CALL ? omptape_known_region(known, writer, (uint32_t)one->value)
                                              : NULL;
        if (call != NULL)
            one->value = call->first;
        else if (one->id == OMPTAPE_ATTRIBUTE_CALL)
            return false;
    }
    return true;
}

/* An Enter or Leave. */
static bool refer_to_region(struct omptape_event *event, struct omptape_known *known,
                            struct omptape_writer *writer, const struct omptape_tapped *tapped)
{
    const struct omptape_known_region *region = omptape_known_region(known, writer, tapped->ref);
    event->plain = tapped->said != NULL ? &tapped->said->attributes : NULL;
    if (region == NULL)
        return false;
    event->refs[0] = omptape_reader_refer(OMPTAPE_DEF_REGION, region->first);
    return tapped->said == NULL || refer_to_call(&tapped->said->attributes, known, writer);
}

/* What the event refers to. */
static bool refer(struct omptape_fed *fed, struct omptape_known *known, struct omptape_writer *writer,
                  const struct omptape_tapped *tapped, enum feed_reference reference)
{
    struct omptape_event *event = &fed->event;
    event->refs[0] = omptape_reader_refer(OMPTAPE_DEF_NONE, tapped->ref);
    event->ref_count = 1;
    switch (reference) {
    case FEED_REGION:
        return refer_to_region(event, known, writer, tapped);
    case FEED_COMM:
        event->refs[0].kind = OMPTAPE_DEF_COMM;
        return tapped->ref < known->comms || omptape_known_comms(known, writer);
    case FEED_CONTEXT:
        event->refs[0].kind = OMPTAPE_DEF_CALLING_CONTEXT;
        return omptape_known_context(known, tapped->ref);
    case FEED_PARAMETER:
        event->refs[0].kind = OMPTAPE_DEF_PARAMETER;
        if (tapped->number != OMPTAPE_RECORD_PARAMETER_STRING)
            return true;
        event->ref_count = 2;
        event->refs[1] = omptape_reader_refer(OMPTAPE_DEF_STRING, tapped->value[0]);
        return omptape_known_string(known, writer, (OTF2_StringRef)tapped->value[0]);
    case FEED_METRIC:
        event->refs[0].kind = OMPTAPE_DEF_METRIC;
        return true;
    default:
        event->ref_count = 0;
        return true;
    }
}

static void measure(struct omptape_fed *fed, const struct omptape_tapped *tapped)
{
    const struct omptape_event_attributes *said = &tapped->said->attributes;
    fed->event.count = said->count;
    fed->event.value[0] = said->count;
    fed->event.types = fed->types;
    fed->event.values = fed->values;
    for (uint32_t i = 0; i < said->count; i++) {
        fed->types[i] = said->list[i].type;
        fed->values[i].unsigned_int = said->list[i].value;
    }
}

/* Of what says that another thread has the location, whose number `ref` is. */
static void change_thread(struct omptape_fed *fed, const struct omptape_tapped *tapped)
{
    fed->attributes.count = 1;
    fed->attributes.list[0] = (struct omptape_event_attribute){
        .value = tapped->ref, .id = OMPTAPE_ATTRIBUTE_THREAD_ID, .type = OTF2_TYPE_UINT64};
    fed->event.plain = &fed->attributes;
}

bool omptape_feed_event(struct omptape_fed *fed, struct omptape_known *known, struct omptape_writer *writer,
                        uint64_t location, const struct omptape_tapped *tapped)
{
    const struct feed_kind *kind = &kinds[tapped->number];
    struct omptape_event *event = &fed->event;
    event->location = location;
    event->time = tapped->time;
    event->plain = NULL;
    event->count = 0;
    event->kind = (enum omptape_event_kind)kind->kind;
    event->value[kind->first] = tapped->value[0];
    event->value[kind->first + 1] = tapped->value[1];
    if (tapped->number == OMPTAPE_RECORD_METRIC)
        measure(fed, tapped);
    if (tapped->number == OMPTAPE_RECORD_MEASUREMENT_ON_OFF && tapped->ref != 0)
        change_thread(fed, tapped);
    return refer(fed, known, writer, tapped, (enum feed_reference)kind->reference);
}
