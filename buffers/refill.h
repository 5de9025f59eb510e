/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Provides a thread's next chunk. By the session's policy the thread takes a chunk, waits for one, or drops
 * records. For buffers/producer.c only; runs on the slot's thread, which holds the slot.
 */
#pragma once

#include "buffers/slot.h"

#include <omptape/record.h>
#include <omptape/shm.h>
#include <stdint.h>

/* How many records of a chunk are measured, and how many before them only warm the cache. */
enum { OMPTAPE_RECORDS_TIMED = 8, OMPTAPE_RECORDS_BEFORE = 8 };

/* Takes a new chunk for a record of this kind. Returns its cursor, or NULL if the record is dropped and
 * counted. `shm` is NULL if there is no session any more. */
uint64_t *omptape_refill(struct omptape_shm *shm, struct omptape_slot *slot, enum omptape_kind kind);

/* Waits until the writer returns a chunk. Returns its number, or OMPTAPE_NO_CHUNK if there will be none. */
uint32_t omptape_refill_wait(struct omptape_shm *shm);
/* Makes this chunk the slot's current one. */
void omptape_refill_use(struct omptape_shm *shm, struct omptape_slot *slot, uint32_t number);

/* Counts lost events of the program. Following records are dropped until there is a new chunk. */
void omptape_refill_count_dropped(struct omptape_slot *slot, uint64_t events);
