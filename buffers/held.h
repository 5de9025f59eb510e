/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The record that is held back: as long as it is its thread's last one, the thread may renew its time and its
 * payload, so that one record ends what goes on and on. It is published with the thread's next record, which
 * need not know of it. If there is none any more, because the program ended or was killed, the reader takes
 * it as it was renewed last (omptape_chunk.held). Called by buffers/repeats.c and those who
 * record rows (callbacks/mpi/polls.c, callbacks/sync.c, callbacks/task.c), on the thread itself.
 */
#ifndef OMPTAPE_BUFFERS_HELD_H
#define OMPTAPE_BUFFERS_HELD_H

#include "buffers/producer.h"

/* Appends a record with two payload words, which are to be renewed. Where it is dropped, or put
 * aside by a signal handler, there is nothing to renew. */
void omptape_held_put(struct omptape_slot *slot, enum omptape_kind kind, unsigned a, uint32_t b, uint64_t p0,
                      uint64_t p1);

/* Gives it another time, in ticks, not before its last one, and payload. False: it is not the thread's last
 * record, or in a signal handler's way; nothing is done. */
bool omptape_held_renew(struct omptape_slot *slot, uint64_t time, uint64_t p0, uint64_t p1);

/* Is it the thread's last record? */
bool omptape_held_is_last(const struct omptape_slot *slot);

#endif
