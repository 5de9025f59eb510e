/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout of the shared memory (include/omptape/shm.h), and its creation. Called by the thread that starts
 * a session, and by the consumer when it opens one.
 */
#pragma once

#include <omptape/shm.h>
#include <stdbool.h>

/* The same fields as in struct omptape_shm. */
struct omptape_layout {
    uint32_t chunk_limit;
    uint32_t chunk_count;
    uint64_t chunks_offset;
    uint64_t bytes;
};

/* Returns the layout of a session whose pool is limited to `chunk_limit` chunks. `extra_chunks` more (at most
 * OMPTAPE_EXTRA_CHUNKS) are for the threads' current chunks. */
struct omptape_layout omptape_layout_of(uint32_t chunk_limit, uint32_t extra_chunks);

/* Creates the shared memory of a session whose pool holds `buffer_bytes` of chunks, at least 4 chunks. It is
 * an anonymous file, in which only touched pages exist. It is mapped at *shm and zero except for the layout.
 * A limit on file sizes (RLIMIT_FSIZE) may reduce the pool (shm->chunk_limit). A limit on the address space
 * (RLIMIT_AS) reduces the chunks beyond the pool. Returns the descriptor, which the caller closes, or a
 * negative errno. */
int omptape_layout_create(uint64_t buffer_bytes, struct omptape_shm **shm);

/* Maps the memory of a chunk into this process unless it is mapped. Called by any thread of the process that
 * created the session, at any time. Makes a system call once in 64 chunks beyond the pool's limit. Returns
 * false if the kernel refuses; preserves errno. */
bool omptape_layout_map_chunk(uint32_t chunk);

/* Returns true if a chunk of this number exists and is mapped. */
bool omptape_layout_is_mapped(uint32_t chunk);

/* Returns the address of a mapped chunk, in the process that created the session. */
struct omptape_chunk *omptape_layout_chunk(struct omptape_shm *shm, uint32_t chunk);

/* Unmaps the session's memory, in the process that created it or in a forked child. */
void omptape_layout_unmap(struct omptape_shm *shm);

/* Fixes the file's size: shortening it would kill the writer (SIGBUS). Has no effect on systems without
 * seals. */
void omptape_layout_seal(int fd);
