/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrows from one region to another, Perfetto's flows: from the creation of a task to its begin, from a fork
 * to each member of the team, from the release of a lock to the next acquisition, from a message's sending to
 * its receiving, from what the host asks of a device to what the device does of it. An arrow ends only where
 * it has begun before. With a least duration there are none, as the regions at their ends are short. For
 * perfetto.c and slices.c.
 */
#ifndef OMPTAPE_COMMAND_EXPORT_ARROWS_H
#define OMPTAPE_COMMAND_EXPORT_ARROWS_H

#include "src/command/export/lane.h"

void omptape_arrows_begin(struct omptape_perfetto *perfetto);
void omptape_arrows_free(struct omptape_perfetto *perfetto);

/* What an event means for arrows: those that it begins or ends are at the location's next begin or end. */
void omptape_arrows_event(struct omptape_perfetto *perfetto, struct export_lane *lane,
                          const struct omptape_event *event);

/* Of all messages of MPI's, since which ends belong together is known by their order alone. `lane`: NULL if
 * the location is not shown. */
void omptape_arrows_message(struct omptape_perfetto *perfetto, struct export_lane *lane,
                            const struct omptape_event *event);

/* Adds to a begin or an end what waits for it; to a begin what its attributes say of a device, too. */
void omptape_arrows_add(struct omptape_perfetto *perfetto, struct export_lane *lane,
                        const OTF2_AttributeList *attributes);

#endif
