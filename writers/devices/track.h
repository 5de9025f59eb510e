/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device intervals on their way into the archive: they wait until those that came late are there too, are put
 * in order, dated on the host's clock, and written to a location that is free.
 */
#ifndef OMPTAPE_WRITERS_DEVICES_TRACK_H
#define OMPTAPE_WRITERS_DEVICES_TRACK_H

#include "writers/devices/state.h"

/* Takes a copy. The interval's operation must be in use for it (operations.h). */
void omptape_track_add(struct omptape_writer *writer, struct omptape_device *device,
                       const struct omptape_interval *interval);
/* Finds the host's times of what waits by the clock's readings so far. In a long run the clock remembers
 * these only coarsely later. */
void omptape_track_date(struct omptape_writer *writer, struct omptape_device *device);
/* Ties what waits to the operations that were told meanwhile; before those without a record are settled. */
void omptape_track_join(struct omptape_writer *writer, struct omptape_device *device);
/* Writes all that waits. */
void omptape_track_finish(struct omptape_writer *writer, struct omptape_device *device);
void omptape_track_free(struct omptape_device *device);

/* Puts a device's intervals onto the host's clock and mends times that cannot be. */
/* DEVICE_ANCHOR: a reading of the device's clock. */
void omptape_dating_take_anchor(struct omptape_writer *writer, struct omptape_device *device,
                                const struct omptape_record *record);

#endif
