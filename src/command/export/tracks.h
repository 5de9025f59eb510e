/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Perfetto's tracks: one for each process, below it its threads and its devices with their streams, all in
 * the archive's order, and the counters. For perfetto.c and counters.c.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_TRACKS_H
#define OMPTAPE_COMMAND_EXPORT_TRACKS_H

#include "src/command/export/lane.h"

/* Tells the tracks of all chosen locations, and of the processes and devices that they belong to. */
void omptape_tracks_tell(struct omptape_perfetto *perfetto);

/* Tells a track of slices below the lane's. */
uint64_t omptape_tracks_slices(struct omptape_perfetto *perfetto, const struct export_lane *lane,
                               const char *name);

/* Tells the track of a counter below another track. `unit` is OTF2's; "" if there is none. */
uint64_t omptape_tracks_counter(struct omptape_perfetto *perfetto, uint64_t parent, const char *name,
                                const char *unit);

#endif
