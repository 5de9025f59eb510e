/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locations: one for each thread that recorded something, as long as there are few. A thread that begins
 * after the first OMPTAPE_OWN_LOCATIONS reuses the location of an ended thread of the same type. So the
 * number of locations is limited by the number of threads that live at the same time.
 */
#pragma once

#include "writers/state/writer.h"

#include <stddef.h>
#include <stdint.h>

enum { OMPTAPE_OWN_LOCATIONS = 4096 };

/* Returns a location for the thread of this THREAD_BEGIN record. The first location begins with the program.
 * Returns NULL if out of memory. */
struct omptape_location *omptape_locations_add(struct omptape_writer *writer,
                                               const struct omptape_record *begin);

/* Returns true if a later thread may reuse this location, whose thread has ended. */
bool omptape_locations_is_reusable(const struct omptape_writer *writer,
                                   const struct omptape_location *location);
/* Called when the location is closed, except its file. Makes it available to a later thread. */
void omptape_locations_make_reusable(struct omptape_writer *writer, struct omptape_location *location);

/* Returns the lifetime of its threads in ticks, from the flight recorder's window on; 0: a device's. */
uint64_t omptape_locations_lived(const struct omptape_writer *writer,
                                 const struct omptape_location *location);

/* Adds a device's location, whose first event is at `time`; NULL if out of memory or no thread is there. */
struct omptape_location *omptape_locations_add_device(struct omptape_writer *writer,
                                                      struct omptape_device *device, uint64_t time);

/* Adds a location of the node for metrics, whose first event is not before `time`. All other locations must
 * be closed. Returns NULL if out of memory. */
struct omptape_location *omptape_locations_add_node(struct omptape_writer *writer, OTF2_StringRef name,
                                                    uint64_t time);

/* Returns a location for a thread unknown to OpenMP and MPI, first seen at `time`. It is in no list and has
 * no file. Returns NULL if out of memory. */
struct omptape_location *omptape_location_of_other(uint32_t tid, uint64_t time);

/* Adds this location to the list, which takes ownership, and opens its file. Its first event is not after
 * `time`. All other locations must be closed. Returns false if out of memory. */
bool omptape_locations_adopt(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* Opens the event file of an older location in a new archive. Its first event is at `time`. */
void omptape_locations_open_events(struct omptape_writer *writer, struct omptape_location *location,
                                   uint64_t time);

/* Leaves the region of the program, which is open on the first location from its first event on. All other
 * regions there have been left. Only the first call counts. `synthesised`: the program may continue. */
void omptape_locations_leave_program(struct omptape_writer *writer, uint64_t time, bool synthesised);

/* Frees a location that is in no list. Accepts NULL. */
void omptape_location_free(struct omptape_location *location);
void omptape_locations_free(struct omptape_writer *writer);

/* Returns the bits of a mask as text, for example "0-3,8", in the kernel's format. The caller frees the
 * text. Returns NULL if the mask is empty or memory is exhausted. May be called on any thread. */
char *omptape_processor_list(const uint64_t *mask, size_t words);
