/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes ThreadCreate, ThreadBegin, ThreadWait and ThreadEnd of threads that the program creates itself. The
 * kernel records a thread's creation and end (writers/observe/). Each created thread has a number. Workers
 * that the runtime creates for a team have no such events. A profile has none. Main thread.
 */
#pragma once

#include "writers/translate/translators.h"

/* Returns the number of the next created thread, from 1. Returns 0 if its events are not written. */
uint32_t omptape_created_threads_number(struct omptape_writer *writer);

/* Queues thread `number`'s creation, or a wait's end for it, among the location's samples (samples.h). */
void omptape_created_threads_queue(struct omptape_location *location, uint64_t time,
                                   enum omptape_record_number event, uint32_t number);

/* Writes an event that was queued. A creation that would not be at its exact time is not written. */
void omptape_created_threads_write(struct omptape_writer *writer, struct omptape_location *location,
                                   const struct omptape_sample *queued);

/* Writes the begin of the location's thread. The number is undefined if the creation was not written. For a
 * thread of OpenMP nothing is written then. */
void omptape_created_threads_begin(struct omptape_writer *writer, struct omptape_location *location);
/* Does the same where OpenMP registers an initial thread. Does nothing for other types of threads. */
void omptape_created_threads_begin_initial(struct omptape_writer *writer, struct omptape_location *location);
/* Writes the end of the location's thread, if its begin was written and the end is not later than `until`. */
void omptape_created_threads_end(struct omptape_writer *writer, struct omptape_location *location,
                                 uint64_t until);

/* Writes the end of an initial thread of OpenMP, if its begin was written. Its location has no later event.
 */
void omptape_created_threads_end_initial(struct omptape_writer *writer, struct omptape_location *location);
/* Returns true if the begin of the location's thread was written. */
bool omptape_created_threads_has_begun(const struct omptape_writer *writer,
                                       const struct omptape_location *location);

/* Returns true if an event was written, so that the definitions below are needed. */
bool omptape_created_threads_exist(const struct omptape_writer *writer);
/* Writes the group of all threads. */
void omptape_created_threads_write_list(struct omptape_writer *writer, OTF2_GroupRef group);
/* Writes the communicator of all threads and its group. Returns false if `key` is another one's
 * (omptape_teams_reserve_comm). */
bool omptape_created_threads_write_comm(struct omptape_writer *writer, uint64_t key, OTF2_GroupRef group);

void omptape_created_threads_free(struct omptape_writer *writer);
