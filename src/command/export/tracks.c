/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes Perfetto's track descriptors (perfetto.h). Viewers order processes and threads by rank if track 0
 * says so. Older viewers put the main thread first and sort by thread number, which also rises.
 */
#include "src/command/export/perfetto.h"

#include <string.h>

/* Perfetto's constants: order children by rank; never merge a track with one of the same name. */
enum { BY_RANK = 3, ALONE = 2, SYSTEM_BY_RANK = 1, UNIT_NS = 1, UNIT_BYTES = 3 };

static uint64_t next_track(struct omptape_perfetto *perfetto)
{
    return ++perfetto->tracks;
}

static void rank_children(Pf__TrackDescriptor *track)
{
    track->has_child_ordering = 1;
    track->child_ordering = BY_RANK;
}

static void put_below(Pf__TrackDescriptor *track, uint64_t parent, uint32_t rank)
{
    track->has_sibling_order_rank = track->has_sibling_merge_behavior = 1;
    track->sibling_order_rank = (int32_t)(rank & INT32_MAX);
    track->sibling_merge_behavior = ALONE;
    track->has_parent_uuid = parent != 0;
    track->parent_uuid = parent;
}

static void write_root(struct omptape_perfetto *perfetto)
{
    Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
    rank_children(&track);
    track.has_process_ordering = track.has_thread_ordering = 1;
    track.process_ordering = track.thread_ordering = SYSTEM_BY_RANK;
    omptape_packets_track(&perfetto->packets, &track);
}

static void write_group(struct omptape_perfetto *perfetto, const struct omptape_export_group *group)
{
    Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
    Pf__ProcessDescriptor process = PF__PROCESS_DESCRIPTOR__INIT;
    bool is_process = group->process == group->index;
    perfetto->process_tracks[group->index] = track.uuid = next_track(perfetto);
    track.name = (char *)group->name;
    rank_children(&track);
    put_below(&track, is_process ? 0 : perfetto->process_tracks[group->process],
              is_process ? group->index : perfetto->places->count + group->index);
    if (is_process) {
        process.pid = group->pid;
        process.process_name = (char *)group->name;
        track.process = &process;
    }
    omptape_packets_track(&perfetto->packets, &track);
}

/* Writes the tracks of either processes or devices. Processes come first, because devices refer to them. */
static void write_groups(struct omptape_perfetto *perfetto, bool processes)
{
    for (uint32_t i = 0; i < perfetto->places->group_count; i++) {
        const struct omptape_export_group *group = &perfetto->places->groups[i];
        if (group->chosen && (group->process == i) == processes)
            write_group(perfetto, group);
    }
}

static void write_place(struct omptape_perfetto *perfetto, struct export_lane *lane)
{
    const struct omptape_export_place *place = lane->place;
    Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
    Pf__ThreadDescriptor thread = PF__THREAD_DESCRIPTOR__INIT;
    Pf__TrackEvent part = PF__TRACK_EVENT__INIT;
    lane->track = track.uuid = part.track_uuid = next_track(perfetto);
    track.name = (char *)place->name;
    put_below(&track, perfetto->process_tracks[place->group], place->index);
    if (place->group == place->process && place->is_thread) {
        thread.pid = perfetto->places->groups[place->process].pid;
        thread.tid = place->tid;
        thread.thread_name = (char *)place->name;
        track.thread = &thread;
    }
    omptape_packets_track(&perfetto->packets, &track);
    part.has_track_uuid = 1;
    omptape_packets_pack(&lane->on_track, &part);
}

void omptape_tracks_write(struct omptape_perfetto *perfetto)
{
    write_root(perfetto);
    write_groups(perfetto, true);
    write_groups(perfetto, false);
    for (uint32_t i = 0; i < perfetto->places->count; i++)
        if (perfetto->places->list[i].chosen && perfetto->places->list[i].holds_regions)
            write_place(perfetto, &perfetto->lanes[i]);
}

uint64_t omptape_tracks_slices(struct omptape_perfetto *perfetto, const struct export_lane *lane,
                               const char *name)
{
    Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
    track.uuid = next_track(perfetto);
    track.name = (char *)name;
    put_below(&track, lane->track, 0);
    omptape_packets_track(&perfetto->packets, &track);
    return track.uuid;
}

uint64_t omptape_tracks_counter(struct omptape_perfetto *perfetto, uint64_t parent, const char *name,
                                const char *unit)
{
    Pf__TrackDescriptor track = PF__TRACK_DESCRIPTOR__INIT;
    Pf__CounterDescriptor counter = PF__COUNTER_DESCRIPTOR__INIT;
    track.uuid = next_track(perfetto);
    track.name = (char *)name;
    put_below(&track, parent, INT32_MAX);
    counter.has_unit = strcmp(unit, "ns") == 0 || strcmp(unit, "B") == 0 || strcmp(unit, "bytes") == 0;
    counter.unit = strcmp(unit, "ns") == 0 ? UNIT_NS : UNIT_BYTES;
    counter.unit_name = counter.has_unit || unit[0] == '\0' ? NULL : (char *)unit;
    track.counter = &counter;
    omptape_packets_track(&perfetto->packets, &track);
    return track.uuid;
}
