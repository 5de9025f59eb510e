/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A ring of records that the kernel writes for an event (perf_event_open). The mapping keeps the event open,
 * so no descriptor is needed. The kernel does not copy the mapping into forked children, which therefore must
 * not read it. Called on the writer's main thread.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros: not mapped. */
struct omptape_ring {
    struct perf_event_mmap_page *pages; /* the kernel's header, followed by `count` pages of records */
    uint32_t count;                     /* a power of two */
    uint64_t read;                      /* bytes read so far: position of the next record */
};

size_t omptape_ring_page_bytes(void);
/* Returns the size of the ring's records. */
size_t omptape_ring_bytes(const struct omptape_ring *ring);

/* Opens an event of a thread, in the group of `leader` unless that is -1. Returns a descriptor or negative
 * errno: -EPERM where a filter of system calls (seccomp) would end this process. */
int omptape_ring_open(const struct perf_event_attr *event, uint32_t tid, int leader);

/* Maps the ring of an event. Halves `count` down to `min_count` until the kernel accepts it. Returns 0, or
 * -ENOMEM if the user may not lock as much memory. */
int omptape_ring_map(struct omptape_ring *ring, int event, uint32_t count, uint32_t min_count);
void omptape_ring_unmap(struct omptape_ring *ring);

/* Returns the position up to which the kernel has written records. */
uint64_t omptape_ring_end(const struct omptape_ring *ring);
/* Reads the header of the next record. Returns false at `end`; a damaged ring is skipped up to it. */
bool omptape_ring_next(struct omptape_ring *ring, uint64_t end, struct perf_event_header *header);
/* Copies the first bytes of the next record. */
void omptape_ring_copy(const struct omptape_ring *ring, void *into, size_t bytes);
/* Allows the kernel to overwrite the records that were read. */
void omptape_ring_release(struct omptape_ring *ring);
