/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes and frees the lanes of an export to Perfetto (lane.h).
 */
#include "src/command/export/lane.h"

#include <errno.h>
#include <stdlib.h>

int omptape_lanes_begin(struct omptape_perfetto *perfetto)
{
    const struct omptape_export_places *places = perfetto->places;
    Pf__TrackEvent end = PF__TRACK_EVENT__INIT;
    perfetto->lanes = calloc(places->count + 1U, sizeof(*perfetto->lanes));
    perfetto->process_tracks = calloc(places->group_count + 1U, sizeof(*perfetto->process_tracks));
    if (perfetto->lanes == NULL || perfetto->process_tracks == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < places->count; i++)
        perfetto->lanes[i].place = &places->list[i];
    end.has_type = 1;
    end.type = OMPTAPE_SLICE_END;
    omptape_packets_pack(&perfetto->packets, &perfetto->end, &end);
    return 0;
}

void omptape_lanes_free(struct omptape_perfetto *perfetto)
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
    omptape_names_free(&perfetto->names);
    omptape_packets_free(&perfetto->packets);
    omptape_arena_free(&perfetto->arena);
    free(perfetto->end.data);
    free(perfetto->process_tracks);
    free(perfetto->lanes);
}

void omptape_lane_instant(struct omptape_perfetto *perfetto, const struct export_lane *lane, const char *name,
                          const char *category)
{
    omptape_names_put(&perfetto->names, OMPTAPE_INSTANT, name, category);
    omptape_export_bytes_add(&perfetto->packets.event, lane->on_track.data, lane->on_track.used);
}
