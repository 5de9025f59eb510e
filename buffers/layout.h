/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the parts of the shared memory lie (include/omptape/shm.h), and the making of it. Called by the
 * thread that starts a session, and by the consumer when it opens one.
 */
#ifndef OMPTAPE_BUFFERS_LAYOUT_H
#define OMPTAPE_BUFFERS_LAYOUT_H

#include <omptape/shm.h>

/* The fields of the same names in struct omptape_shm. */
struct omptape_layout {
    uint32_t chunk_limit;
    uint32_t chunk_count;
    uint64_t chunks_offset;
    uint64_t bytes;
};

/* The layout of a session whose pool is limited to `chunk_limit` chunks, beside `extra_chunks` (at most
 * OMPTAPE_EXTRA_CHUNKS) for the threads' current ones. */
struct omptape_layout omptape_layout_of(uint32_t chunk_limit, uint32_t extra_chunks);

/* Makes the memory of a session whose pool holds `buffer_bytes` of chunks (4 chunks at least): an anonymous
 * file, of which only touched pages exist, mapped at *shm, laid out, all else zero. The limit on the size of
 * files holds for it: the pool may get smaller by that (shm->chunk_limit). Returns its descriptor, the
 * caller's, or a negative errno. */
int omptape_layout_create(uint64_t buffer_bytes, struct omptape_shm **shm);

/* Fixes the file's size, which both sides have mapped: to shorten it would kill the writer (SIGBUS). Kernels
 * and emulators that know no seals do without. */
void omptape_layout_seal(int fd);

#endif
