/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records that a signal handler makes while its thread makes another one (the slot is held). They are queued
 * in the thread's own memory. omptape_producer_append_queued appends them when the interrupted record is
 * complete. For buffers/producer.c only. All functions run on the slot's thread. A handler may be interrupted
 * anywhere by another one, which returns first.
 */
#pragma once

#include "buffers/slot.h"

#include <omptape/record.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns true if the record whose stack pointer is `holder` will never be completed, because a handler left
 * it by longjmp. Returns false if in doubt. */
bool omptape_signal_queue_is_abandoned(uintptr_t holder);

/* Reserves a record with this header in the queue. NULL if it is full: the event is counted as lost. */
struct omptape_record *omptape_signal_queue_reserve(struct omptape_slot *slot, uint64_t header);

/* Returns the first queued record, or NULL and empties the queue if there is none. Only the slot's holder may
 * call this function and the next one. */
struct omptape_record *omptape_signal_queue_first(struct omptape_slot *slot);
/* Removes the first queued record. */
void omptape_signal_queue_remove(struct omptape_slot *slot, struct omptape_record *record);

/* Block and restore the signals of a thread that has no slot yet. */
void omptape_signals_block(sigset_t *mask);
void omptape_signals_restore(const sigset_t *mask);
