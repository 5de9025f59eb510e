/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes events of regions, parameters, the program, devices, metrics and samples, one function per kind.
 * events_threads.c and events_table.c write the others. Called for each event.
 */
#include "src/archive/write/put.h"
#include "src/core/array.h"

const struct omptape_attribute_info omptape_attribute_infos[] = {
#define ROW(kind, its_type, its_name, text)                                                                  \
    [OMPTAPE_ATTRIBUTE_##kind] = {its_name, text, OTF2_TYPE_##its_type},
    OMPTAPE_ATTRIBUTES(ROW)
#undef ROW
};

const struct omptape_parameter_info omptape_parameter_infos[] = {
#define ROW(kind, its_type, its_name) [OMPTAPE_PARAMETER_##kind] = {its_name, OTF2_PARAMETER_TYPE_##its_type},
    OMPTAPE_PARAMETERS(ROW)
#undef ROW
};

void omptape_archive_set(struct omptape_archive *archive, enum omptape_attribute attribute, uint64_t value)
{
    omptape_attributes_add(&archive->attributes, attribute, omptape_attribute_infos[attribute].type, value);
}

void omptape_archive_clear_attributes(struct omptape_archive *archive)
{
    omptape_attributes_clear(&archive->attributes);
}

/* Passes an event to the observer's callback. Slow path: the lane is full or unknown, the event has
 * attributes, or there is no observer. */
static __attribute__((noinline)) void observe_closely(struct omptape_archive *archive,
                                                      struct omptape_events *events, uint64_t time,
                                                      struct archive_subject subject, uint64_t first,
                                                      uint64_t second)
{
    const struct archive_event event = {
        .time = time, .kind = subject.kind, .ref = subject.ref, .value = {first, second}};
    if (archive->observer.event != NULL && omptape_archive_can_write(archive, events))
        archive->observer.event(archive->observer.data, events, &event,
                                archive->attributes.count > 0 ? &archive->attributes : NULL);
}

__attribute__((noinline)) bool omptape_archive_observe(struct omptape_archive *archive,
                                                       struct omptape_events *events, uint64_t time,
                                                       struct archive_subject subject, uint64_t first,
                                                       uint64_t second)
{
    struct archive_lane *lane = events->lane;
    time = time_of_record(archive, events, time);
    if (__builtin_expect(lane == NULL || lane->next == lane->end || archive->attributes.count > 0, 0)) {
        observe_closely(archive, events, time, subject, first, second);
    } else {
        struct archive_event *place = lane->next++;
        place->time = time;
        place->value[0] = first;
        place->value[1] = second;
        place->ref = subject.ref;
        place->kind = subject.kind;
    }
    if (archive->observer.beside && !archive->observer.apart)
        return true;
    if (omptape_archive_is_observed_alone(archive) && omptape_archive_can_write(archive, events)) {
        events->last = time;
        events->count++;
    }
    omptape_attributes_clear(&archive->attributes);
    return false;
}

/* Region records have no length. After has_space these most frequent records are written inline. */
static inline void write_region(struct omptape_events *events, unsigned char *at, uint8_t kind,
                                OTF2_RegionRef region)
{
    events->at = omptape_encode_reference(omptape_encode_u8(at, kind), region);
}

static __attribute__((noinline)) void put_described_region(struct omptape_archive *archive,
                                                           struct omptape_events *events, uint64_t time,
                                                           uint8_t kind, OTF2_RegionRef region)
{
    unsigned char *at = begin_described(archive, events, time, KIND + U32);
    if (at != NULL)
        write_region(events, at, kind, region);
}

static __attribute__((noinline)) void put_first_region(struct omptape_archive *archive,
                                                       struct omptape_events *events, uint64_t time,
                                                       uint8_t kind, OTF2_RegionRef region)
{
    unsigned char *at = begin_record(archive, events, time, KIND + U32);
    if (at != NULL)
        write_region(events, at, kind, region);
}

/* Writes a record with attributes, or the first one of a chunk. */
static __attribute__((noinline)) void put_any_region(struct omptape_archive *archive,
                                                     struct omptape_events *events, uint64_t time,
                                                     uint8_t kind, OTF2_RegionRef region)
{
    if (has_space_described(archive, events, KIND + U32))
        write_region(events,
                     omptape_attributes_encode_few(&archive->attributes, place_event(archive, events, time)),
                     kind, region);
    else if (archive->attributes.count > 0)
        put_described_region(archive, events, time, kind, region);
    else
        put_first_region(archive, events, time, kind, region);
}

static inline void put_region(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                              uint8_t kind, OTF2_RegionRef region)
{
    if (has_plain_space(archive, events, KIND + U32))
        write_region(events, place_event(archive, events, time), kind, region);
    else if (!is_observed(
                 archive, events, time,
                 subject_of(kind == OMPTAPE_RECORD_ENTER ? OMPTAPE_EVENT_ENTER : OMPTAPE_EVENT_LEAVE, region),
                 0, 0))
        put_any_region(archive, events, time, kind, region);
}

void omptape_archive_program_begin(struct omptape_archive *archive, struct omptape_events *events,
                                   uint64_t time, OTF2_StringRef name, uint32_t count,
                                   const OTF2_StringRef *arguments)
{
    size_t max_bytes = (size_t)U32 * (2 + (size_t)count);
    unsigned char *record = begin_described_event(archive, events, time, head_most(max_bytes) + max_bytes,
                                                  subject_of(OMPTAPE_EVENT_PROGRAM_BEGIN, 0), 0, 0);
    if (record == NULL)
        return;
    unsigned char *data = omptape_encode_head(record, OMPTAPE_RECORD_PROGRAM_BEGIN, max_bytes);
    unsigned char *end = omptape_encode_u32(omptape_encode_u32(data, name), count);
    for (uint32_t i = 0; i < count; i++)
        end = omptape_encode_u32(end, arguments[i]);
    end_event(events, record, data, end);
}

void omptape_archive_enter(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                           OTF2_RegionRef region)
{
    put_region(archive, events, time, OMPTAPE_RECORD_ENTER, region);
}

void omptape_archive_leave(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                           OTF2_RegionRef region, bool synthesised)
{
    if (synthesised && omptape_archive_can_write(archive, events))
        omptape_archive_set(archive, OMPTAPE_ATTRIBUTE_SYNTHESISED, 1);
    put_region(archive, events, time, OMPTAPE_RECORD_LEAVE, region);
}

void omptape_archive_parameter(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                               enum omptape_parameter parameter, uint64_t value)
{
    const OTF2_ParameterType type = omptape_parameter_infos[parameter].type;
    static const uint8_t kinds[] = {[OTF2_PARAMETER_TYPE_STRING] = OMPTAPE_RECORD_PARAMETER_STRING,
                                    [OTF2_PARAMETER_TYPE_INT64] = OMPTAPE_RECORD_PARAMETER_INT,
                                    [OTF2_PARAMETER_TYPE_UINT64] = OMPTAPE_RECORD_PARAMETER_UNSIGNED_INT};
    const size_t max_bytes = U32 + (type == OTF2_PARAMETER_TYPE_STRING ? (size_t)U32 : (size_t)U64);
    unsigned char *record = begin_event(archive, events, time, HEAD + max_bytes,
                                        subject_of(OMPTAPE_EVENT_PARAMETER, parameter), type, value);
    if (record == NULL)
        return;
    unsigned char *data = omptape_encode_head(record, kinds[type], max_bytes);
    unsigned char *end = omptape_encode_u32(data, parameter);
    end_event(events, record, data,
              type == OTF2_PARAMETER_TYPE_STRING  ? omptape_encode_u32(end, (uint32_t)value)
              : type == OTF2_PARAMETER_TYPE_INT64 ? omptape_encode_i64(end, (int64_t)value)
                                                  : omptape_encode_u64(end, value));
}

void omptape_archive_measurement(struct omptape_archive *archive, struct omptape_events *events,
                                 uint64_t time, bool on, uint32_t tid)
{
    if (tid != 0)
        omptape_archive_set(archive, OMPTAPE_ATTRIBUTE_THREAD_ID, tid);
    OMPTAPE_ARCHIVE_PUT(archive, events, time, OMPTAPE_RECORD_MEASUREMENT_ON_OFF,
                        on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF, tid);
}

void omptape_archive_buffer_flush(struct omptape_archive *archive, struct omptape_events *events,
                                  uint64_t begin, uint64_t end)
{
    unsigned char *record =
        begin_event(archive, events, begin, HEAD + WORD, subject_of(OMPTAPE_EVENT_BUFFER_FLUSH, 0), end, 0);
    if (record == NULL)
        return;
    unsigned char *data = omptape_encode_head(record, OMPTAPE_RECORD_BUFFER_FLUSH, WORD);
    end_event(events, record, data, omptape_encode_word(data, end > events->last ? end : events->last));
}

uint32_t omptape_archive_add_level(struct omptape_archive *archive, const struct omptape_level *level)
{
    return OMPTAPE_APPEND(archive->levels, archive->level_count, archive->level_capacity, *level)
               ? OMPTAPE_METRIC_LEVEL + archive->level_count - 1
               : OMPTAPE_METRIC_SCHED;
}

void omptape_archive_add_level_place(struct omptape_archive *archive, uint32_t metric,
                                     OTF2_LocationRef location)
{
    (void)OMPTAPE_APPEND(archive->level_places, archive->level_place_count, archive->level_place_capacity,
                         (struct omptape_level_place){.metric = metric, .location = location});
}

uint32_t omptape_archive_metric_ref(const struct omptape_archive *archive, uint32_t metric)
{
    return metric < OMPTAPE_METRIC_LEVEL ? metric : metric - (archive->counters == 0);
}

uint32_t omptape_archive_member_ref(const struct omptape_archive *archive, uint32_t metric)
{
    if (metric < OMPTAPE_METRIC_LEVEL)
        return metric == OMPTAPE_METRIC_SCHED ? 0 : OMPTAPE_SCHED_MEMBERS;
    return OMPTAPE_SCHED_MEMBERS + archive->counters + metric - OMPTAPE_METRIC_LEVEL;
}

/* Passes a metric's values, but not counters, to the observer as attributes in place of the event's own. */
static bool observe_metric(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                           uint32_t ref, OTF2_Type type, uint8_t count, const uint64_t *values)
{
    const struct omptape_attributes own = archive->attributes;
    for (uint8_t i = 0; i < count; i++)
        archive->attributes.list[i] = (struct omptape_attribute_value){.value = values[i], .type = type};
    archive->attributes.count = count;
    bool goes_on =
        omptape_archive_observe(archive, events, time, subject_of(OMPTAPE_EVENT_METRIC, ref), 0, 0);
    if (goes_on)
        archive->attributes = own;
    return goes_on;
}

void omptape_archive_metric(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                            uint32_t metric, OTF2_Type type, uint8_t count, const uint64_t *values)
{
    size_t max_bytes = U32 + U8 + (size_t)count * (U8 + U64);
    const uint32_t ref = omptape_archive_metric_ref(archive, metric);
    const bool observed = archive->observer.event != NULL && metric != OMPTAPE_METRIC_COUNTERS;
    if (observed && !observe_metric(archive, events, time, ref, type, count, values))
        return;
    unsigned char *record = begin_with_attributes(archive, events, time, head_most(max_bytes) + max_bytes);
    if (record == NULL) {
        omptape_attributes_clear(&archive->attributes);
        return;
    }
    unsigned char *data = omptape_encode_head(record, OMPTAPE_RECORD_METRIC, max_bytes);
    unsigned char *end = omptape_encode_u8(omptape_encode_u32(data, ref), count);
    for (uint8_t i = 0; i < count; i++)
        end = omptape_encode_u64(omptape_encode_u8(end, type), values[i]);
    end_event(events, record, data, end);
}

void omptape_archive_sample(struct omptape_archive *archive, struct omptape_events *events, uint64_t time,
                            OTF2_CallingContextRef context)
{
    unsigned char *record =
        begin_event(archive, events, time, HEAD + 3 * U32, subject_of(OMPTAPE_EVENT_SAMPLE, context), 0, 0);
    if (record == NULL)
        return;
    unsigned char *data = omptape_encode_head(record, OMPTAPE_RECORD_CALLING_CONTEXT_SAMPLE, 3 * U32);
    unsigned char *end = omptape_encode_u32(omptape_encode_u32(data, context), UINT32_MAX);
    end_event(events, record, data, omptape_encode_u32(end, OMPTAPE_INTERRUPT_GENERATOR));
}
