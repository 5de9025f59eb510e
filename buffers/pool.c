/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lock-free stacks of free chunks and slots, linked by index through shared memory. Called by program threads
 * that change their chunk, and by the writer's thread that returns chunks. The upper half of a stack's top
 * counts changes, so that an ABA change is detected.
 */
#include "buffers/pool.h"

#include "buffers/layout.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic uint32_t *chunk_link(struct omptape_shm *shm, uint32_t chunk)
{
    return omptape_shm_link(shm, chunk);
}

/* Slots are numbered from 1 here, so that 0 can end the list. */
static _Atomic uint32_t *slot_link(struct omptape_shm *shm, uint32_t number)
{
    return &omptape_shm_slot(shm, number - 1)->next_free;
}

static bool is_slot(uint32_t number)
{
    return number <= OMPTAPE_MAX_SLOTS;
}

typedef _Atomic uint32_t *link_of(struct omptape_shm *shm, uint32_t item);
typedef bool is_item(uint32_t item);

static uint64_t make_top(uint64_t old, uint32_t item)
{
    return (((old >> 32) + 1) << 32) | item;
}

/* Returns 0 if the list is empty, or if the program has overwritten it: an item that does not exist counts as
 * the list's end. */
static uint32_t pop(struct omptape_shm *shm, _Atomic uint64_t *top, link_of *link, is_item *exists)
{
    uint64_t old = atomic_load_explicit(top, memory_order_acquire);
    for (;;) {
        uint32_t item = (uint32_t)old;
        if (item == 0 || !exists(item))
            return 0;
        uint32_t next = atomic_load_explicit(link(shm, item), memory_order_relaxed);
        if (atomic_compare_exchange_weak_explicit(top, &old, make_top(old, next), memory_order_acquire,
                                                  memory_order_acquire))
            return item;
    }
}

static void push_item(struct omptape_shm *shm, _Atomic uint64_t *top, link_of *link, uint32_t item)
{
    uint64_t old = atomic_load_explicit(top, memory_order_relaxed);
    do {
        atomic_store_explicit(link(shm, item), (uint32_t)old, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak_explicit(top, &old, make_top(old, item), memory_order_release,
                                                    memory_order_relaxed));
}

/* Maps the memory of an item, which another thread may map or take at the same time. */
typedef bool map_item(struct omptape_shm *shm, uint32_t item);

/* Increments the counter unless it has reached `limit`, however many threads try at once. The new item is
 * mapped before. Returns the new value, or 0 if the limit is reached or the kernel refuses. */
static uint32_t alloc_fresh(struct omptape_shm *shm, _Atomic uint32_t *fresh, uint32_t limit, map_item *map)
{
    uint32_t used = atomic_load_explicit(fresh, memory_order_relaxed);
    do {
        if (used >= limit || !map(shm, used + 1))
            return 0;
    } while (!atomic_compare_exchange_weak_explicit(fresh, &used, used + 1, memory_order_relaxed,
                                                    memory_order_relaxed));
    return used + 1;
}

/* Returns the limit including the threads' current chunks. Each thread keeps its chunk until it gets the next
 * one. If the limit included these, as many threads as the pool has chunks would wait for ever. */
static uint32_t limit_with_current_chunks(struct omptape_shm *shm)
{
    uint32_t threads = atomic_load_explicit(&shm->live_threads, memory_order_relaxed);
    uint32_t extra = shm->chunk_count - shm->chunk_limit;
    return shm->chunk_limit + (threads < extra ? threads : extra);
}

enum { PAGE = 4096 };

int omptape_pool_populate(void *pages, size_t bytes)
{
    int saved = errno; /* The program's errno is preserved. */
    /* Available since Linux 5.14. */
    int error = madvise(pages, bytes, MADV_POPULATE_WRITE) == 0 ? 0 : errno;
    errno = saved;
    if (error == 0)
        return 0;
    if (error != EINVAL && error != ENOSYS && error != EPERM)
        return -ENOMEM;
    /* Only read faults also map the surrounding pages. Such pages of a shared mapping are writable. */
    for (size_t offset = 0; offset < bytes; offset += PAGE)
        (void)*((const volatile unsigned char *)pages + offset);
    return 0;
}

/* After a refusal only one of so many tries asks the kernel: threads that drop events try at each. */
enum { TRIES_PER_REQUEST = 1024 };

static bool may_ask_kernel(struct omptape_shm *shm)
{
    return atomic_load_explicit(&shm->refused_tries, memory_order_relaxed) == 0 ||
           atomic_fetch_add_explicit(&shm->refused_tries, 1, memory_order_relaxed) % TRIES_PER_REQUEST == 0;
}

static void miss_chunk(struct omptape_shm *shm)
{
    atomic_store_explicit(&shm->chunks_missing, OMPTAPE_MISSING_REFUSED, memory_order_relaxed);
    atomic_store_explicit(&shm->refused_tries, 1, memory_order_relaxed);
}

static bool map_chunk(struct omptape_shm *shm, uint32_t chunk)
{
    const bool is_mapped = omptape_layout_map_chunk(chunk);
    if (!is_mapped)
        miss_chunk(shm);
    return is_mapped;
}

uint32_t omptape_pool_alloc_chunk(struct omptape_shm *shm)
{
    uint32_t chunk = pop(shm, &shm->free_chunks, chunk_link, omptape_layout_is_mapped);
    /* A returned chunk is already mapped, because a thread of this process used it. */
    if (chunk != OMPTAPE_NO_CHUNK || !may_ask_kernel(shm))
        return chunk;
    chunk = alloc_fresh(shm, &shm->fresh_chunks, limit_with_current_chunks(shm), map_chunk);
    if (chunk == OMPTAPE_NO_CHUNK)
        return chunk;
    if (omptape_pool_populate(omptape_layout_chunk(shm, chunk), OMPTAPE_CHUNK_BYTES) == 0) {
        atomic_store_explicit(&shm->refused_tries, 0, memory_order_relaxed);
        return chunk;
    }
    miss_chunk(shm);
    /* The number is used again, unless another thread has taken one since. */
    (void)atomic_compare_exchange_strong_explicit(&shm->fresh_chunks, &(uint32_t){chunk}, chunk - 1,
                                                  memory_order_relaxed, memory_order_relaxed);
    return OMPTAPE_NO_CHUNK;
}

void omptape_pool_free_chunk(struct omptape_shm *shm, uint32_t chunk)
{
    push_item(shm, &shm->free_chunks, chunk_link, chunk);
}

uint32_t omptape_pool_used(struct omptape_shm *shm)
{
    uint32_t taken = atomic_load_explicit(&shm->fresh_chunks, memory_order_relaxed);
    uint32_t chunk = (uint32_t)atomic_load_explicit(&shm->free_chunks, memory_order_acquire);
    uint32_t used = taken;
    while (used > 0 && chunk != OMPTAPE_NO_CHUNK && chunk <= shm->chunk_count) {
        used--;
        chunk = atomic_load_explicit(chunk_link(shm, chunk), memory_order_relaxed);
    }
    return used;
}

/* Maps the page of a slot, before the slot is counted: the writer reads all counted slots. */
static bool map_slot(struct omptape_shm *shm, uint32_t number)
{
    char *slot = (char *)omptape_shm_slot(shm, number - 1);
    return omptape_pool_populate(slot - (uintptr_t)slot % PAGE, PAGE) == 0;
}

int32_t omptape_pool_alloc_slot(struct omptape_shm *shm)
{
    uint32_t number = pop(shm, &shm->free_slots, slot_link, is_slot);
    if (number == 0)
        number = alloc_fresh(shm, &shm->fresh_slots, OMPTAPE_MAX_SLOTS, map_slot);
    return (int32_t)number - 1;
}

void omptape_pool_free_slot(struct omptape_shm *shm, uint32_t slot)
{
    push_item(shm, &shm->free_slots, slot_link, slot + 1);
}
