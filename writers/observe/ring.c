/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements ring.h with the protocol of perf_event_open(2).
 */
#include "writers/observe/ring.h"

#include "src/core/guarded_child.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct request {
    const struct perf_event_attr *event;
    uint32_t tid;
    int leader;
};

static int open_event(const struct request *request)
{
    const long fd = syscall(SYS_perf_event_open, request->event, (pid_t)request->tid, -1, request->leader,
                            PERF_FLAG_FD_CLOEXEC);
    return fd >= 0 ? (int)fd : -errno;
}

static void try_event(void *data)
{
    (void)open_event(data);
}

int omptape_ring_open(const struct perf_event_attr *event, uint32_t tid, int leader)
{
    static enum { UNKNOWN, SAFE, FATAL } answer;
    struct request request = {.event = event, .tid = tid, .leader = leader};
    if (answer == UNKNOWN)
        answer = omptape_guarded_is_safe(try_event, &request) ? SAFE : FATAL;
    return answer == SAFE ? open_event(&request) : -EPERM;
}

size_t omptape_ring_page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t omptape_ring_bytes(const struct omptape_ring *ring)
{
    return ring->count * omptape_ring_page_bytes();
}

int omptape_ring_map(struct omptape_ring *ring, int event, uint32_t count, uint32_t min_count)
{
    for (; count >= min_count; count /= 2) {
        void *pages =
            mmap(NULL, (1 + count) * omptape_ring_page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
        if (pages == MAP_FAILED)
            continue;
        *ring = (struct omptape_ring){.pages = pages, .count = count};
        return 0;
    }
    return -ENOMEM;
}

void omptape_ring_unmap(struct omptape_ring *ring)
{
    if (ring->pages != NULL)
        munmap(ring->pages, omptape_ring_page_bytes() + omptape_ring_bytes(ring));
    ring->pages = NULL;
}

uint64_t omptape_ring_end(const struct omptape_ring *ring)
{
    return __atomic_load_n(&ring->pages->data_head, __ATOMIC_ACQUIRE);
}

void omptape_ring_copy(const struct omptape_ring *ring, void *into, size_t bytes)
{
    const size_t size = omptape_ring_bytes(ring);
    const char *data = (const char *)ring->pages + omptape_ring_page_bytes();
    const size_t at = ring->read & (size - 1);
    const size_t first = bytes < size - at ? bytes : size - at;
    memcpy(into, data + at, first);
    memcpy((char *)into + first, data, bytes - first);
}

bool omptape_ring_next(struct omptape_ring *ring, uint64_t end, struct perf_event_header *header)
{
    if (ring->read >= end)
        return false;
    omptape_ring_copy(ring, header, sizeof(*header));
    if (header->size >= sizeof(*header) && header->size <= end - ring->read)
        return true;
    ring->read = end;
    return false;
}

void omptape_ring_release(struct omptape_ring *ring)
{
    __atomic_store_n(&ring->pages->data_tail, ring->read, __ATOMIC_RELEASE);
}
