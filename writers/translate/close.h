/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Closes what is open on a location: its thread, the program or the trace is over.
 */
#pragma once

#include "writers/state/writer.h"

/* Closes whatever is open on the location at `time`. */
void omptape_close_regions(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* The same. Its thread is over then, if it did not end before, and so is the program on the first location.
 */
void omptape_close_contents(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* The same, and its event file. Its thread is over then, if it did not end before. */
void omptape_close_location(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* The same of one whose thread is over while the program goes on: a later thread may take it, then its file
 * stays open. */
void omptape_close_ended(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

/* There is no more room: closes whatever is open anywhere at `time`, and has what comes then ignored. */
void omptape_close_trace(struct omptape_writer *writer, uint64_t time);

/* Gaps in a thread's records: each has a marker, and what was going on before it may long be over. */
/* The location's thread, which has ended or will be heard no more, dropped so many events in all. Marks those
 * that no record told of. `location` may be NULL. */
void omptape_gaps_close(struct omptape_writer *writer, struct omptape_location *location, uint64_t events);
