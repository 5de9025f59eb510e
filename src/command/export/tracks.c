/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes Perfetto's track descriptors (perfetto.h). Viewers order processes and threads by rank if track 0
 * says so. Older viewers put the main thread first and sort by thread number, which also rises.
 */
#include "src/command/export/perfetto.h"

#include <string.h>

/* Perfetto's constants: order children by rank; never merge a track with one of the same name. */
enum { BY_RANK = 3, ALONE = 2, SYSTEM_BY_RANK = 1, UNIT_NS = 1, UNIT_BYTES = 3 };

/* Fields of TrackDescriptor. */
enum {
    UUID = 1,
    NAME = 2,
    PROCESS = 3,
    THREAD = 4,
    PARENT = 5,
    COUNTER = 8,
    CHILD_ORDERING = 11,
    RANK = 12,
    MERGING = 15,
    PROCESS_ORDERING = 19,
    THREAD_ORDERING = 20
};

static struct export_bytes *begin_track(struct perfetto *perfetto, const char *name)
{
    struct export_bytes *track = &perfetto->packets.body;
    protobuf_number(track, UUID, ++perfetto->tracks);
    protobuf_text(track, NAME, name);
    return track;
}

/* Writes the track and returns its number. */
static uint64_t end_track(struct perfetto *perfetto, uint32_t rank)
{
    protobuf_number(&perfetto->packets.body, RANK, rank & INT32_MAX);
    protobuf_number(&perfetto->packets.body, MERGING, ALONE);
    packets_track(&perfetto->packets);
    return perfetto->tracks;
}

static void write_root(struct perfetto *perfetto)
{
    struct export_bytes *track = &perfetto->packets.body;
    protobuf_number(track, UUID, 0);
    protobuf_number(track, CHILD_ORDERING, BY_RANK);
    protobuf_number(track, PROCESS_ORDERING, SYSTEM_BY_RANK);
    protobuf_number(track, THREAD_ORDERING, SYSTEM_BY_RANK);
    packets_track(&perfetto->packets);
}

static void write_group(struct perfetto *perfetto, const struct export_group *group)
{
    enum { PID = 1, PROCESS_NAME = 6 };
    struct export_bytes *track = begin_track(perfetto, group->name);
    bool is_process = group->process == group->index;
    if (is_process) {
        const uint32_t process = protobuf_begin(track, PROCESS);
        protobuf_number(track, PID, (uint64_t)group->pid);
        protobuf_text(track, PROCESS_NAME, group->name);
        protobuf_end(track, process);
    } else if (perfetto->process_tracks[group->process] != 0) {
        protobuf_number(track, PARENT, perfetto->process_tracks[group->process]);
    }
    protobuf_number(track, CHILD_ORDERING, BY_RANK);
    perfetto->process_tracks[group->index] =
        end_track(perfetto, is_process ? group->index : perfetto->places->count + group->index);
}

/* Writes the tracks of either processes or devices. Processes come first, because devices refer to them. */
static void write_groups(struct perfetto *perfetto, bool processes)
{
    for (uint32_t i = 0; i < perfetto->places->group_count; i++) {
        const struct export_group *group = &perfetto->places->groups[i];
        if (group->chosen && (group->process == i) == processes)
            write_group(perfetto, group);
    }
}

static void write_place(struct perfetto *perfetto, struct export_lane *lane)
{
    enum { PID = 1, TID = 2, THREAD_NAME = 5 };
    const struct export_place *place = lane->place;
    struct export_bytes *track = begin_track(perfetto, place->name);
    if (place->group == place->process && place->is_thread) {
        const uint32_t thread = protobuf_begin(track, THREAD);
        protobuf_number(track, PID, (uint64_t)perfetto->places->groups[place->process].pid);
        protobuf_number(track, TID, (uint64_t)place->tid);
        protobuf_text(track, THREAD_NAME, place->name);
        protobuf_end(track, thread);
    }
    if (perfetto->process_tracks[place->group] != 0)
        protobuf_number(track, PARENT, perfetto->process_tracks[place->group]);
    lane->track = end_track(perfetto, place->index);
    protobuf_number(&lane->on_track, EVENT_FIELD_TRACK, lane->track);
}

void tracks_write(struct perfetto *perfetto)
{
    write_root(perfetto);
    write_groups(perfetto, true);
    write_groups(perfetto, false);
    for (uint32_t i = 0; i < perfetto->places->count; i++)
        if (perfetto->places->list[i].chosen && perfetto->places->list[i].holds_regions)
            write_place(perfetto, &perfetto->lanes[i]);
}

uint64_t tracks_slices(struct perfetto *perfetto, const struct export_lane *lane, const char *name)
{
    protobuf_number(begin_track(perfetto, name), PARENT, lane->track);
    return end_track(perfetto, 0);
}

uint64_t tracks_counter(struct perfetto *perfetto, uint64_t parent, const char *name, const char *unit)
{
    enum { UNIT = 3, UNIT_NAME = 6 };
    struct export_bytes *track = begin_track(perfetto, name);
    const bool is_ns = strcmp(unit, "ns") == 0;
    if (parent != 0)
        protobuf_number(track, PARENT, parent);
    const uint32_t counter = protobuf_begin(track, COUNTER);
    if (is_ns || strcmp(unit, "B") == 0 || strcmp(unit, "bytes") == 0)
        protobuf_number(track, UNIT, is_ns ? UNIT_NS : UNIT_BYTES);
    else if (unit[0] != '\0')
        protobuf_text(track, UNIT_NAME, unit);
    protobuf_end(track, counter);
    return end_track(perfetto, INT32_MAX);
}
