/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Closes open regions of a location because its thread, the program or the trace has ended.
 */
#pragma once

#include "writers/state/writer.h"

/* Leaves all open regions of the location at `time`. */
void omptape_close_regions(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* Closes the regions and ends the location's thread. On the first location also ends the program. */
void omptape_close_contents(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* Closes the location's contents and its event file. */
void omptape_close_location(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* Closes a location whose thread has ended while the program continues. If a later thread may reuse the
 * location, its event file stays open. */
void omptape_close_ended(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* Called when the disk is full: closes all open regions of all locations at `time`. Later records are
 * ignored. */
void omptape_close_trace(struct omptape_writer *writer, uint64_t time);

/* Gaps in a thread's records. Each gap gets a marker; regions that were open before it may have ended in
 * it. */
/* Called when the location's thread has ended or will send no more records. `events` is the total number
 * of records that it dropped. Marks drops that no record reported. `location` may be NULL. */
void omptape_gaps_close(struct omptape_writer *writer, struct omptape_location *location, uint64_t events);
