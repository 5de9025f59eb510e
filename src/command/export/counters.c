/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes counter values (perfetto.h). A counter's track is written before its first value.
 */
#include "src/command/export/perfetto.h"

#include <errno.h>
#include <stdlib.h>

enum { MEMBER_BITS = 8 };

struct omptape_counter {
    uint64_t track;
};

int counters_begin(struct perfetto *perfetto)
{
    perfetto->tasks = omptape_calloc(perfetto->places->group_count + 1U, sizeof(*perfetto->tasks));
    perfetto->task_tracks =
        omptape_calloc(perfetto->places->group_count + 1U, sizeof(*perfetto->task_tracks));
    return perfetto->tasks != NULL && perfetto->task_tracks != NULL ? 0 : -ENOMEM;
}

void counters_free(struct perfetto *perfetto)
{
    omptape_pairs_free(&perfetto->counters);
    free(perfetto->tasks);
    free(perfetto->task_tracks);
}

static void send(struct perfetto *perfetto, uint64_t track, OTF2_Type type, OTF2_MetricValue value)
{
    struct export_bytes *event = &perfetto->packets.event;
    protobuf_number(event, EVENT_FIELD_TYPE, OMPTAPE_COUNTER);
    protobuf_number(event, EVENT_FIELD_TRACK, track);
    if (type == OTF2_TYPE_DOUBLE)
        protobuf_fixed(event, EVENT_FIELD_REAL_COUNTER, &value.floating_point);
    else
        protobuf_number(event, EVENT_FIELD_COUNTER, value.unsigned_int);
    packets_send(&perfetto->packets, perfetto->now);
}

static void send_tasks(struct perfetto *perfetto, uint32_t process)
{
    if (perfetto->task_tracks[process] == 0)
        perfetto->task_tracks[process] =
            tracks_counter(perfetto, perfetto->process_tracks[process], "tasks in flight", "");
    send(perfetto, perfetto->task_tracks[process], OTF2_TYPE_UINT64,
         (OTF2_MetricValue){.unsigned_int = perfetto->tasks[process]});
}

void perfetto_open_counters(struct perfetto *perfetto)
{
    for (uint32_t i = 0; i < perfetto->places->group_count; i++)
        if (perfetto->tasks[i] > 0 && perfetto->process_tracks[i] != 0)
            send_tasks(perfetto, i);
}

void counters_task(struct perfetto *perfetto, const struct export_lane *lane, bool created)
{
    uint32_t process = lane->place->process;
    if (created)
        perfetto->tasks[process]++;
    else if (perfetto->tasks[process] > 0)
        perfetto->tasks[process]--;
    if (perfetto->open && perfetto->process_tracks[process] != 0)
        send_tasks(perfetto, process);
}

static struct omptape_counter *counter_of(struct perfetto *perfetto, const struct export_lane *lane,
                                          uint64_t metric, uint64_t member, unsigned number)
{
    uint64_t low = (uint64_t)lane->place->index << MEMBER_BITS | number;
    struct omptape_counter *counter = omptape_pairs_get(&perfetto->counters, metric, low);
    if (counter != NULL)
        return counter;
    const struct omptape_definition *definition =
        omptape_reader_find(perfetto->reader, OMPTAPE_DEF_METRIC_MEMBER, member);
    counter = omptape_pairs_obtain(&perfetto->counters, &perfetto->arena, metric, low, sizeof(*counter));
    const char *name = omptape_reader_name(perfetto->reader, OMPTAPE_DEF_METRIC_MEMBER, member);
    const char *unit =
        definition == NULL ? "" : omptape_reader_string(perfetto->reader, definition->refs[2].id);
    if (counter == NULL)
        return NULL;
    counter->track = tracks_counter(
        perfetto, lane->track != 0 ? lane->track : perfetto->process_tracks[lane->place->group], name, unit);
    return counter;
}

void counters_metric(struct perfetto *perfetto, const struct export_lane *lane,
                     const struct omptape_event *event)
{
    const struct omptape_definition *metric =
        omptape_reader_metric_class(perfetto->reader, event->refs[0].id);
    if (metric == NULL || !perfetto->open)
        return;
    for (uint32_t i = 0; i < event->count && i < metric->member_count; i++) {
        const struct omptape_counter *counter =
            counter_of(perfetto, lane, event->refs[0].id, metric->members[i], i);
        if (counter != NULL)
            send(perfetto, counter->track, event->types[i], event->values[i]);
    }
}
