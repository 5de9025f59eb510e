/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pool of chunks and the list of free slots in shared memory: lock-free stacks that both processes use.
 * All functions may be called by any thread of either process at any time; none blocks, and none makes a
 * system call but for memory that was never used.
 */
#ifndef OMPTAPE_BUFFERS_POOL_H
#define OMPTAPE_BUFFERS_POOL_H

#include <omptape/shm.h>
#include <stdbool.h>

/* Takes a chunk: one that came back if there is one (its pages are warm), else one never used while the pool
 * is under its limit, to which each live thread adds its current chunk. The caller owns the chunk.
 * Acquire: whatever its last owner did with it is over. OMPTAPE_NO_CHUNK: none; `memory_refused` of the
 * session is set if that is since the kernel has no memory for one more. */
uint32_t omptape_pool_take(struct omptape_shm *shm);

/* Has the kernel make the pages of the shared memory and map them into this process: else each costs a page
 * fault of its own, in the middle of recording, and one that the kernel has no memory for (strict accounting,
 * vm.overcommit_memory = 2) is SIGBUS. `pages` begins a page. Returns 0 or -ENOMEM; errno stays. */
int omptape_pool_map(void *pages, size_t bytes);

/* Gives a chunk back. Release. Does not wake those who wait for one. */
void omptape_pool_give(struct omptape_shm *shm, uint32_t chunk);

/* How many chunks are taken and not given back. Only nearly right while others take and give. Walks through
 * the free ones: not for the hot path. */
uint32_t omptape_pool_used(struct omptape_shm *shm);

/* The same for slots. -1: all OMPTAPE_MAX_SLOTS are in use, or there is no memory for one. */
int32_t omptape_pool_take_slot(struct omptape_shm *shm);
void omptape_pool_give_slot(struct omptape_shm *shm, uint32_t slot);

#endif
