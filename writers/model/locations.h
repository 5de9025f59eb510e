/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locations: one for each thread that recorded something.
 */
#ifndef OMPTAPE_WRITERS_MODEL_LOCATIONS_H
#define OMPTAPE_WRITERS_MODEL_LOCATIONS_H

#include "writers/model/model.h"

/* A location for the thread whose THREAD_BEGIN record this is. The first one begins with the program. NULL:
 * out of memory. */
struct omptape_location *omptape_locations_add(struct omptape_writer *writer,
                                               const struct omptape_record *begin);

/* A location of a device, whose first event is at `time`. NULL: out of memory, or there is no thread yet. */
struct omptape_location *omptape_locations_add_device(struct omptape_writer *writer,
                                                      struct omptape_device *device, uint64_t time);

/* Opens the location's event file in an archive that was opened after the location came. Its first event is
 * at `time`. */
void omptape_locations_open_events(struct omptape_writer *writer, struct omptape_location *location,
                                   uint64_t time);

/* Leaves the region of the whole program, which is open on the first location from its first event on. All
 * else there has been left. Only the first call counts. `synthesised`: the program may go on. */
void omptape_locations_leave_program(struct omptape_writer *writer, uint64_t time, bool synthesised);

void omptape_locations_free(struct omptape_writer *writer);

#endif
