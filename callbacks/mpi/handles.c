/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A hash table from handles to entries. Buckets are never removed, so that lookups without a lock find no
 * gap. At most half of them are used, so that each search ends at a free one.
 */
#include "callbacks/mpi/handles.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

void *omptape_mpi_memory(size_t bytes)
{
    int saved = errno;
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = saved;
    return memory != MAP_FAILED ? memory : NULL;
}

void omptape_mpi_memory_free(void *memory, size_t bytes)
{
    int saved = errno;
    if (memory != NULL)
        munmap(memory, bytes);
    errno = saved;
}

bool omptape_mpi_lock_held(atomic_flag *lock)
{
    enum { SPINS = 200, MAX_TRIES = 200000 };
    for (unsigned i = 0; i < MAX_TRIES; i++) {
        if (!atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
            return true;
        if (i >= SPINS)
            sched_yield();
    }
    return false;
}

struct omptape_mpi_bucket {
    _Atomic uintptr_t handle; /* 0 if the bucket was never used. */
    void *_Atomic entry;
};

static struct omptape_mpi_bucket *bucket_of(const struct omptape_mpi_handles *handles,
                                            struct omptape_mpi_bucket *buckets, uint64_t i)
{
    return &buckets[i & (2 * (uint64_t)handles->capacity - 1)];
}

void *omptape_mpi_handles_find(const struct omptape_mpi_handles *handles, intptr_t handle)
{
    struct omptape_mpi_bucket *buckets = atomic_load_explicit(&handles->buckets, memory_order_acquire);
    if (buckets == NULL || handle == 0)
        return NULL;
    for (uint64_t i = omptape_mpi_mix(0, (uint64_t)handle);; i++) {
        struct omptape_mpi_bucket *bucket = bucket_of(handles, buckets, i);
        const uintptr_t found = atomic_load_explicit(&bucket->handle, memory_order_acquire);
        if (found == (uintptr_t)handle)
            return atomic_load_explicit(&bucket->entry, memory_order_acquire);
        if (found == 0)
            return NULL;
    }
}

bool omptape_mpi_handles_alloc(struct omptape_mpi_handles *handles)
{
    const size_t capacity = handles->capacity;
    if (atomic_load_explicit(&handles->buckets, memory_order_relaxed) != NULL)
        return true;
    const size_t bucket_bytes = 2 * capacity * sizeof(struct omptape_mpi_bucket);
    const size_t entry_bytes = capacity * handles->bytes;
    char *memory = omptape_mpi_memory(bucket_bytes + entry_bytes + capacity * sizeof(uint32_t));
    if (memory == NULL)
        return false;
    handles->entries = memory + bucket_bytes;
    handles->next_free = (uint32_t *)(void *)(handles->entries + entry_bytes);
    atomic_store_explicit(&handles->buckets, (struct omptape_mpi_bucket *)(void *)memory,
                          memory_order_release);
    return true;
}

void *omptape_mpi_handles_alloc_entry(struct omptape_mpi_handles *handles)
{
    uint32_t number = handles->first_free;
    if (number != 0)
        handles->first_free = handles->next_free[number - 1];
    else if (handles->entries_used < handles->capacity)
        number = ++handles->entries_used;
    else
        return NULL;
    return memset(handles->entries + (size_t)(number - 1) * handles->bytes, 0, handles->bytes);
}

void omptape_mpi_handles_set(struct omptape_mpi_handles *handles, intptr_t handle, void *entry)
{
    struct omptape_mpi_bucket *buckets = atomic_load_explicit(&handles->buckets, memory_order_relaxed);
    for (uint64_t i = omptape_mpi_mix(0, (uint64_t)handle);; i++) {
        struct omptape_mpi_bucket *bucket = bucket_of(handles, buckets, i);
        const uintptr_t found = atomic_load_explicit(&bucket->handle, memory_order_relaxed);
        if (found != 0 && found != (uintptr_t)handle)
            continue;
        if (found == 0 && (entry == NULL || handles->buckets_used >= handles->capacity))
            return;
        handles->buckets_used += found == 0;
        atomic_store_explicit(&bucket->entry, entry, memory_order_release);
        atomic_store_explicit(&bucket->handle, (uintptr_t)handle, memory_order_release);
        return;
    }
}

void omptape_mpi_handles_remove(struct omptape_mpi_handles *handles, intptr_t handle, void *entry)
{
    const size_t index = (size_t)((char *)entry - handles->entries) / handles->bytes;
    omptape_mpi_handles_set(handles, handle, NULL);
    handles->next_free[index] = handles->first_free;
    handles->first_free = (uint32_t)index + 1;
}
