/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread's next chunk: taken from the pool, waited for, or done without, as the session's policy says. For
 * buffers/producer.c only; on the slot's thread, which holds the slot.
 */
#ifndef OMPTAPE_BUFFERS_REFILL_H
#define OMPTAPE_BUFFERS_REFILL_H

#include "buffers/slot.h"

#include <omptape/record.h>
#include <omptape/shm.h>
#include <stdint.h>

/* Of a chunk in which records are timed, so many, after as many in which the way to the measurement becomes
 * warm. */
enum { OMPTAPE_RECORDS_TIMED = 8, OMPTAPE_RECORDS_BEFORE = 8 };

/* The cursor in a new chunk, for a record of this kind. NULL: the record is dropped (and counted). `shm`:
 * NULL when there is no session any more. */
uint64_t *omptape_refill(struct omptape_shm *shm, struct omptape_slot *slot, enum omptape_kind kind);

/* Waits for a chunk until the writer gives one back: its number. OMPTAPE_NO_CHUNK: there will be none. */
uint32_t omptape_refill_wait(struct omptape_shm *shm);
/* The slot's records go into this chunk from now on. */
void omptape_refill_use(struct omptape_shm *shm, struct omptape_slot *slot, uint32_t number);

/* Counts events of the program that are lost; what follows is dropped until there is a new chunk. */
void omptape_refill_count_dropped(struct omptape_slot *slot, uint64_t events);

#endif
