/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrows from one region to another, Perfetto's flows. The replay finds them (src/replay/arrows.h), but for
 * those from a fork to the members of the team. An arrow ends only where it has begun before. With a least
 * duration there are none, as the regions at their ends are short. For perfetto.c and slices.c.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_ARROWS_H
#define OMPTAPE_COMMAND_EXPORT_ARROWS_H

#include "src/command/export/lane.h"

void omptape_arrows_begin(struct omptape_perfetto *perfetto);
void omptape_arrows_free(struct omptape_perfetto *perfetto);

/* What an event means for arrows: those that it begins or ends are at the location's next begin or end.
 * Before the event itself is shown. `lane`: NULL if its location is not shown. */
void omptape_arrows_event(struct omptape_perfetto *perfetto, struct export_lane *lane,
                          const struct omptape_event *event);

/* Adds to a begin or an end what waits for it. */
void omptape_arrows_add(struct omptape_perfetto *perfetto, struct export_lane *lane);

#endif
