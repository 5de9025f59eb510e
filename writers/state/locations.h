/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locations: one for each thread that recorded something, as long as there are not many. A thread that begins
 * after the first OMPTAPE_OWN_LOCATIONS takes the location of another such thread of its type that is over.
 * So the number of locations is bounded by the number of threads that live at one time.
 */
#pragma once

#include "writers/state/writer.h"

#include <stddef.h>
#include <stdint.h>

enum { OMPTAPE_OWN_LOCATIONS = 4096 };

/* A location for the thread whose THREAD_BEGIN record this is. The first one begins with the program. NULL:
 * out of memory. */
struct omptape_location *omptape_locations_add(struct omptape_writer *writer,
                                               const struct omptape_record *begin);

/* May a later thread take this location, whose thread is over? */
bool omptape_locations_is_lendable(const struct omptape_writer *writer,
                                   const struct omptape_location *location);
/* It is closed, but for its file, and a later thread may take it. */
void omptape_locations_lend(struct omptape_writer *writer, struct omptape_location *location);

/* How long its threads lived, of the time from the flight recorder's window on. 0: it is a device's. */
uint64_t omptape_locations_lived(const struct omptape_writer *writer,
                                 const struct omptape_location *location);

/* A location of a device, whose first event is at `time`. NULL: out of memory, or there is no thread yet. */
struct omptape_location *omptape_locations_add_device(struct omptape_writer *writer,
                                                      struct omptape_device *device, uint64_t time);

/* A location for a thread that neither OpenMP nor MPI knows, seen first at `time`. It is in no list and has
 * no file. NULL: out of memory. */
struct omptape_location *omptape_location_of_other(uint32_t tid, uint64_t time);

/* Adds this location to the list, which owns it from now on, and opens its file; its first event is not after
 * `time`. All other locations are closed. False: out of memory. */
bool omptape_locations_adopt(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* Opens the location's event file in an archive that was opened after the location came. Its first event is
 * at `time`. */
void omptape_locations_open_events(struct omptape_writer *writer, struct omptape_location *location,
                                   uint64_t time);

/* Leaves the region of the whole program, which is open on the first location from its first event on. All
 * else there has been left. Only the first call counts. `synthesised`: the program may go on. */
void omptape_locations_leave_program(struct omptape_writer *writer, uint64_t time, bool synthesised);

/* Of a location that is in no list; NULL is none. */
void omptape_location_free(struct omptape_location *location);
void omptape_locations_free(struct omptape_writer *writer);

/* A set of processors as a text. Any thread. */
/* "0-3,8": the bits of a mask as the kernel lists them. The caller frees it; NULL: none, or no memory. */
char *omptape_processor_list(const uint64_t *mask, size_t words);
