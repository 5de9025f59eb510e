/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pool of chunks and the list of free slots in shared memory: lock-free stacks that both processes use.
 * All functions may be called by any thread of either process at any time; none blocks or makes a system
 * call.
 */
#ifndef OMPTAPE_BUFFERS_POOL_H
#define OMPTAPE_BUFFERS_POOL_H

#include <omptape/shm.h>
#include <stdbool.h>

/* Takes a chunk: one that came back if there is one (its pages are warm), else one never used while the pool
 * is under its limit, to which each live thread adds its current chunk. The caller owns the chunk.
 * Acquire: whatever its last owner did with it is over. OMPTAPE_NO_CHUNK: none. */
uint32_t omptape_pool_take(struct omptape_shm *shm);

/* Has the kernel map all pages of a chunk into this process, several at a time where the writer has made them
 * already: else each costs a page fault of its own, in the middle of recording. */
void omptape_pool_map(const struct omptape_chunk *chunk);

/* Gives a chunk back. Release. Does not wake those who wait for one. */
void omptape_pool_give(struct omptape_shm *shm, uint32_t chunk);

/* How many chunks are taken and not given back. Only nearly right while others take and give. Walks through
 * the free ones: not for the hot path. */
uint32_t omptape_pool_used(struct omptape_shm *shm);

/* The same for slots. -1: all OMPTAPE_MAX_SLOTS are in use. */
int32_t omptape_pool_take_slot(struct omptape_shm *shm);
void omptape_pool_give_slot(struct omptape_shm *shm, uint32_t slot);

#endif
