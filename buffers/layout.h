/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout of the shared memory (include/omptape/shm.h), and its creation. Called by the thread that starts
 * a session, and by the consumer when it opens one.
 */
#pragma once

#include <omptape/shm.h>

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

/* Fixes the file's size: shortening it would kill the writer (SIGBUS). Has no effect on systems without
 * seals. */
void omptape_layout_seal(int fd);
