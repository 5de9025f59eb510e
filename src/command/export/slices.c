/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes begins and ends of regions (perfetto.h). With --min-duration a begin is written only when the region
 * has lasted long enough. That is known at its end, or at the end of a region inside it.
 */
#include "src/command/export/perfetto.h"

#include <stdlib.h>

static bool is_shown(const struct perfetto *perfetto, const struct export_lane *lane)
{
    return perfetto->open && lane->track != 0;
}

static void add(struct perfetto *perfetto, const struct export_bytes *row)
{
    export_bytes_add(&perfetto->packets.event, row->data, row->used);
}

/* Returns the region's begin, limited to the window. */
static uint64_t begin_of(const struct perfetto *perfetto, const struct export_frame *frame)
{
    return frame->open.replay.begin > perfetto->choice->from ? frame->open.replay.begin
                                                             : perfetto->choice->from;
}

static void begin(struct perfetto *perfetto, struct export_lane *lane, struct export_frame *frame)
{
    add(perfetto, &frame->region->begin);
    add(perfetto, &lane->on_track);
    frame->shown = true;
}

static void enter(void *data, struct replay_location *location, struct replay_frame *replay,
                  const struct omptape_event *event)
{
    struct perfetto *perfetto = data;
    struct export_lane *lane = (struct export_lane *)location;
    struct export_frame *frame = (struct export_frame *)replay;
    export_open_begin(&frame->open, perfetto->reader, event);
    frame->shown = false;
    frame->more = (struct export_bytes){.data = NULL};
    frame->region = names_region(&perfetto->names, frame->open.region);
    if (frame->region == NULL)
        return;
    if (!is_shown(perfetto, lane))
        return;
    if (perfetto->choice->min_duration > 0) {
        names_annotate_all(&perfetto->names, &frame->more, event->attributes);
        return;
    }
    if (OTF2_AttributeList_GetNumberOfElements(event->attributes) > 0)
        names_annotate_all(&perfetto->names, &perfetto->packets.event, event->attributes);
    begin(perfetto, lane, frame);
    arrows_add(perfetto, lane);
    packets_send(&perfetto->packets, perfetto->now);
}

/* Writes all begins that are pending. The outer regions last at least as long as the inner one. */
static void begin_all(struct perfetto *perfetto, struct export_lane *lane)
{
    for (uint32_t i = lane->begun; i < lane->replay.depth; i++) {
        struct export_frame *frame = replay_frame_at(&lane->replay, i, sizeof(*frame));
        if (!frame->shown) {
            begin(perfetto, lane, frame);
            packets_send(&perfetto->packets, begin_of(perfetto, frame));
        }
    }
    lane->begun = lane->replay.depth;
}

static void leave(void *data, struct replay_location *location, struct replay_frame *replay, uint64_t time)
{
    struct perfetto *perfetto = data;
    struct export_lane *lane = (struct export_lane *)location;
    struct export_frame *frame = (struct export_frame *)replay;
    if (is_shown(perfetto, lane)) {
        if (time - replay->begin >= perfetto->choice->min_duration)
            begin_all(perfetto, lane);
        if (frame->shown) {
            add(perfetto, &perfetto->end);
            add(perfetto, &lane->on_track);
            add(perfetto, &frame->more);
            arrows_add(perfetto, lane);
            packets_send(&perfetto->packets, time);
        }
    }
    if (lane->begun == lane->replay.depth)
        lane->begun--;
    free(frame->more.data);
    frame->more = (struct export_bytes){.data = NULL};
}

static const struct replay_observer observer = {
    .frame_bytes = sizeof(struct export_frame), .enter = enter, .leave = leave};

void slices_follow(struct perfetto *perfetto, struct export_lane *lane, const struct omptape_event *event)
{
    (void)replay_follow(&observer, perfetto, &lane->replay, event, perfetto->now);
}

void slices_begin_fixed(struct perfetto *perfetto, struct export_lane *lane, const char *name,
                        const char *category, uint64_t end)
{
    if (end > perfetto->choice->to)
        end = perfetto->choice->to;
    if (!is_shown(perfetto, lane) || end < perfetto->now ||
        end - perfetto->now < perfetto->choice->min_duration)
        return;
    begin_all(perfetto, lane);
    names_put(&perfetto->names, SLICE_BEGIN, name, category);
    add(perfetto, &lane->on_track);
    packets_send(&perfetto->packets, perfetto->now);
    lane->fixed_end = end;
    lane->has_fixed_end = true;
}

void slices_end_fixed(struct perfetto *perfetto, struct export_lane *lane, uint64_t time)
{
    if (!lane->has_fixed_end)
        return;
    lane->has_fixed_end = false;
    add(perfetto, &perfetto->end);
    add(perfetto, &lane->on_track);
    packets_send_at(&perfetto->packets, time < lane->fixed_end ? time : lane->fixed_end);
}

static OTF2_AttributeValue parameter_value(const struct omptape_event *event, OTF2_Type *type)
{
    switch (event->value[0]) {
    case OTF2_PARAMETER_TYPE_STRING:
        *type = OTF2_TYPE_STRING;
        return (OTF2_AttributeValue){.stringRef = (OTF2_StringRef)event->refs[1].id};
    case OTF2_PARAMETER_TYPE_INT64:
        *type = OTF2_TYPE_INT64;
        break;
    default:
        *type = OTF2_TYPE_UINT64;
        break;
    }
    return (OTF2_AttributeValue){.uint64 = event->value[1]};
}

void slices_parameter(struct perfetto *perfetto, struct export_lane *lane, const struct omptape_event *event)
{
    enum { MAX_ANNOTATION_BYTES = 4096 }; /* limit, because a task may have any number of dependences */
    struct export_frame *frame = lane_top(lane);
    if (!is_shown(perfetto, lane) || frame == NULL || frame->more.used > MAX_ANNOTATION_BYTES)
        return;
    OTF2_Type type = OTF2_TYPE_NONE;
    OTF2_AttributeValue value = parameter_value(event, &type);
    names_annotate(&perfetto->names, &frame->more,
                   omptape_reader_name(perfetto->reader, OMPTAPE_DEF_PARAMETER, event->refs[0].id), type,
                   value);
}

void slices_open(struct perfetto *perfetto)
{
    for (uint32_t i = 0; i < perfetto->places->count && perfetto->choice->min_duration == 0; i++)
        if (perfetto->lanes[i].track != 0)
            begin_all(perfetto, &perfetto->lanes[i]);
}

void slices_close(struct perfetto *perfetto)
{
    for (uint32_t i = 0; i < perfetto->places->count; i++) {
        slices_end_fixed(perfetto, &perfetto->lanes[i], UINT64_MAX);
        replay_end(&observer, perfetto, &perfetto->lanes[i].replay, perfetto->now);
    }
}
