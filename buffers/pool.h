/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pool of chunks and the list of free slots in shared memory: lock-free stacks for both processes. All
 * functions may be called by any thread of either process at any time. They never block. They make system
 * calls only for memory that was never used.
 */
#pragma once

#include <omptape/shm.h>
#include <stdbool.h>

/* Allocates a chunk, which the caller then owns. Prefers a returned chunk, whose pages are warm. Otherwise it
 * takes a fresh one while the pool is below its limit, to which each live thread adds one. Acquire: the last
 * owner's accesses are complete. Returns OMPTAPE_NO_CHUNK if there is none, or if the program has overwritten
 * the list. It sets the session's `chunks_missing` if the kernel has no memory. Then few calls ask the kernel
 * again. */
uint32_t omptape_pool_alloc_chunk(struct omptape_shm *shm);

/* Makes the kernel allocate the pages of the shared memory and map them into this process. Otherwise each
 * page costs a fault while recording. If the kernel has no memory then (strict accounting,
 * vm.overcommit_memory = 2), the program gets SIGBUS. `pages` is page-aligned. Returns 0 or -ENOMEM;
 * preserves errno. */
int omptape_pool_populate(void *pages, size_t bytes);

/* Returns a chunk to the pool. Release. Does not wake waiting threads. */
void omptape_pool_free_chunk(struct omptape_shm *shm, uint32_t chunk);

/* Returns how many chunks are taken and not returned. Inexact while others take and return chunks. Walks the
 * list of free chunks, so it is not for the hot path. */
uint32_t omptape_pool_used(struct omptape_shm *shm);

/* The same for slots. Returns -1 if all OMPTAPE_MAX_SLOTS are in use or memory is exhausted. */
int32_t omptape_pool_alloc_slot(struct omptape_shm *shm);
void omptape_pool_free_slot(struct omptape_shm *shm, uint32_t slot);
