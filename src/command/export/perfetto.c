/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a Perfetto trace in one pass over the events (perfetto.h): passes each event within the window to
 * the modules that handle it.
 */
#include "src/command/export/perfetto.h"

#include <errno.h>
#include <stdlib.h>

void lane_instant(struct perfetto *perfetto, const struct export_lane *lane, const char *name,
                  const char *category)
{
    names_put(&perfetto->names, OMPTAPE_INSTANT, name, category);
    export_bytes_add(&perfetto->packets.event, lane->on_track.data, lane->on_track.used);
}

static bool can_continue(struct perfetto *perfetto)
{
    return !omptape_out_of_memory && perfetto->packets.out->error == 0;
}

/* Begins the window: regions open there begin at its start. */
static void open_window(struct perfetto *perfetto, uint64_t next)
{
    const struct export_choice *choice = perfetto->choice;
    if (perfetto->open || next < choice->from)
        return;
    perfetto->open = true;
    perfetto->now = choice->from;
    slices_open(perfetto);
    perfetto_open_counters(perfetto);
}

static void measure(struct perfetto *perfetto, const struct export_lane *lane,
                    const struct omptape_event *event)
{
    const bool on = event->value[0] == OTF2_MEASUREMENT_ON;
    const bool changes = omptape_event_changes_thread(perfetto->reader, event);
    /* A change of threads is recorded as OFF followed by ON; only the ON is shown. */
    if (!perfetto->open || lane->track == 0 || (changes && !on))
        return;
    lane_instant(perfetto, lane,
                 changes ? "another thread begins"
                 : on    ? "recording on"
                         : "recording off",
                 "recording");
    packets_send(&perfetto->packets, perfetto->now);
}

static void show(struct perfetto *perfetto, struct export_lane *lane, const struct omptape_event *event)
{
    switch (event->kind) {
    case OMPTAPE_EVENT_ENTER:
    case OMPTAPE_EVENT_LEAVE:
        slices_follow(perfetto, lane, event);
        break;
    case OMPTAPE_EVENT_PARAMETER:
        slices_parameter(perfetto, lane, event);
        break;
    case OMPTAPE_EVENT_METRIC:
        counters_metric(perfetto, lane, event);
        export_states_reading(perfetto, lane, event);
        break;
    case OMPTAPE_EVENT_SAMPLE:
        export_callstacks_sample(perfetto, lane, event);
        break;
    case OMPTAPE_EVENT_BUFFER_FLUSH:
        slices_begin_fixed(perfetto, lane, "buffer flush", "recording",
                           export_ns(perfetto->reader, event->value[0]));
        break;
    case OMPTAPE_EVENT_MEASUREMENT:
        measure(perfetto, lane, event);
        if (omptape_event_changes_thread(perfetto->reader, event))
            export_states_restart(perfetto, lane);
        break;
    default:
        break;
    }
    if (event->kind == OMPTAPE_EVENT_TASK_CREATE || event->kind == OMPTAPE_EVENT_TASK_COMPLETE)
        counters_task(perfetto, lane, event->kind == OMPTAPE_EVENT_TASK_CREATE);
}

static bool on_event(void *data, const struct omptape_event *event)
{
    struct perfetto *perfetto = data;
    struct export_place *place = export_place_of(perfetto->places, event->location);
    uint64_t time = export_ns(perfetto->reader, event->time);
    perfetto->progress->done++;
    open_window(perfetto, time);
    if (time > perfetto->choice->to) {
        perfetto->now = perfetto->choice->to;
        return false;
    }
    perfetto->now = time > perfetto->now ? time : perfetto->now;
    struct export_lane *lane = place != NULL ? lane_at(perfetto, place) : NULL;
    if (lane != NULL)
        slices_end_fixed(perfetto, lane, time);
    arrows_event(perfetto, lane, event);
    if (lane != NULL)
        show(perfetto, lane, event);
    return can_continue(perfetto);
}

/* Writes a marker of a location as an instant on its track. Markers of other scopes are not written. */
static bool on_marker(void *data, const struct omptape_marker *marker)
{
    struct perfetto *perfetto = data;
    const struct omptape_definition *category =
        omptape_reader_find(perfetto->reader, OMPTAPE_DEF_MARKER, marker->definition.id);
    const struct export_place *place = marker->scope.kind == OMPTAPE_DEF_LOCATION
                                           ? omptape_pairs_get(&perfetto->places->by_id, 0, marker->scope.id)
                                           : NULL;
    uint64_t time = export_ns(perfetto->reader, marker->time);
    struct export_lane *lane = place != NULL ? lane_at(perfetto, place) : NULL;
    if (lane == NULL || lane->track == 0 || time < perfetto->choice->from || time > perfetto->choice->to)
        return can_continue(perfetto);
    names_put(&perfetto->names, OMPTAPE_INSTANT, category != NULL ? category->text : "marker", "marker");
    export_bytes_add(&perfetto->packets.event, lane->on_track.data, lane->on_track.used);
    names_annotate_text(&perfetto->names, &perfetto->packets.event, "text", marker->text);
    packets_send_at(&perfetto->packets, time);
    return can_continue(perfetto);
}

/* Allocates one lane per place. Returns 0 or -ENOMEM. */
static int begin_lanes(struct perfetto *perfetto)
{
    const struct export_places *places = perfetto->places;
    perfetto->lanes = omptape_calloc(places->count + 1U, sizeof(*perfetto->lanes));
    perfetto->process_tracks = omptape_calloc(places->group_count + 1U, sizeof(*perfetto->process_tracks));
    if (perfetto->lanes == NULL || perfetto->process_tracks == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < places->count; i++)
        perfetto->lanes[i].place = &places->list[i];
    protobuf_number(&perfetto->end, EVENT_FIELD_TYPE, SLICE_END);
    return 0;
}

static void free_lanes(struct perfetto *perfetto)
{
    for (uint32_t i = 0; perfetto->lanes != NULL && i < perfetto->places->count; i++) {
        struct export_lane *lane = &perfetto->lanes[i];
        for (uint32_t j = 0; j < lane->replay.depth; j++)
            free(((struct export_frame *)replay_frame_at(&lane->replay, j, sizeof(struct export_frame)))
                     ->more.data);
        replay_free(&lane->replay);
        free(lane->arrows);
        free(lane->forks);
        free(lane->on_track.data);
    }
    names_free(&perfetto->names);
    packets_free(&perfetto->packets);
    omptape_arena_free(&perfetto->arena);
    free(perfetto->end.data);
    free(perfetto->process_tracks);
    free(perfetto->lanes);
}

/* Writes clocks and tracks before all events. */
static void begin(struct perfetto *perfetto, struct export_stream *stream)
{
    perfetto->packets.is_unordered = perfetto->choice->min_duration > 0;
    packets_begin(&perfetto->packets, stream, perfetto->reader->clock_realtime);
    names_begin(&perfetto->names, perfetto->reader, &perfetto->packets);
    arrows_begin(perfetto);
    tracks_write(perfetto);
}

int export_perfetto(const struct export_job *job)
{
    struct perfetto perfetto = {.reader = job->places->reader,
                                .progress = job->progress,
                                .places = job->places,
                                .choice = job->choice};
    int status = begin_lanes(&perfetto) == 0 && counters_begin(&perfetto) == 0 ? 0 : -ENOMEM;
    if (status == 0)
        begin(&perfetto, job->stream);
    if (status == 0 && can_continue(&perfetto))
        status =
            omptape_reader_read_events(perfetto.reader, on_event, &perfetto, job->error, job->error_bytes);
    if (status == 0 && can_continue(&perfetto)) {
        open_window(&perfetto, perfetto.choice->from);
        slices_close(&perfetto);
        export_states_close(&perfetto);
        status =
            omptape_reader_read_markers(perfetto.reader, on_marker, &perfetto, job->error, job->error_bytes);
    }
    export_callstacks_free(&perfetto);
    arrows_free(&perfetto);
    counters_free(&perfetto);
    free_lanes(&perfetto);
    return status;
}
