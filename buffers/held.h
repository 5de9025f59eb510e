/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The held-back record. While it is its thread's last record, the thread may update its time and payload. So
 * one record can end a long series of events. The thread's next record commits it, without special code. If
 * the program ends or is killed before, the reader takes the record as it was last updated
 * (omptape_chunk.held).
 *
 * Called on the recording thread by buffers/repeats.c and by the callbacks that record rows
 * (callbacks/mpi/polls.c, callbacks/sync.c, callbacks/task.c).
 */
#pragma once

#include "buffers/producer.h"

/* Appends a held-back record with two payload words. One that is dropped or queued cannot be updated. */
void omptape_held_put(struct omptape_slot *slot, enum omptape_kind kind, unsigned a, uint32_t b, uint64_t p0,
                      uint64_t p1);

/* Sets the record's time (ticks, not before its last time) and payload. Returns false and does nothing if it
 * is not the thread's last record, or if the slot is held. */
bool omptape_held_update(struct omptape_slot *slot, uint64_t time, uint64_t p0, uint64_t p1);

/* Returns true if it is the thread's last record. */
bool omptape_held_is_last(const struct omptape_slot *slot);
