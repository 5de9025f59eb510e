/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The regions of a location as Perfetto's slices: as many ends as begins, each in the one around it, whatever
 * an archive says. For perfetto.c and arrows.c.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_SLICES_H
#define OMPTAPE_COMMAND_EXPORT_SLICES_H

#include "src/command/export/lane.h"

/* An Enter or a Leave. */
void omptape_slices_follow(struct omptape_perfetto *perfetto, struct export_lane *lane,
                           const struct omptape_event *event);

/* A slice from now on to `end`, in what is open; the end is told later, by the next function: an event that
 * waited for room may have begun before the wait was over. */
void omptape_slices_whole(struct omptape_perfetto *perfetto, struct export_lane *lane, const char *name,
                          const char *category, uint64_t end);

/* The location's next event is at `time`: a slice of the kind above ends now at the latest. */
void omptape_slices_end_whole(struct omptape_perfetto *perfetto, struct export_lane *lane, uint64_t time);

/* An annotation for the innermost region. */
void omptape_slices_parameter(struct omptape_perfetto *perfetto, struct export_lane *lane,
                              const struct omptape_event *event);

/* The window begins or ends: what is open is begun or ended. */
void omptape_slices_open(struct omptape_perfetto *perfetto);
void omptape_slices_close(struct omptape_perfetto *perfetto);

#endif
