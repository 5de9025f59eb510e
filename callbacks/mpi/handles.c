/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A hash table from handles to entries. Places are never removed, so that lookups without a lock find no gap.
 * At most half of them are used, so that each search ends at a free one.
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
    enum { SPINS = 200, PATIENCE = 200000 };
    for (unsigned i = 0; i < PATIENCE; i++) {
        if (!atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
            return true;
        if (i >= SPINS)
            sched_yield();
    }
    return false;
}

struct omptape_mpi_place {
    _Atomic uintptr_t handle; /* 0 if the place was never used. */
    void *_Atomic known;
};

static struct omptape_mpi_place *place_of(const struct omptape_mpi_handles *handles,
                                          struct omptape_mpi_place *list, uint64_t i)
{
    return &list[i & (2 * (uint64_t)handles->most - 1)];
}

void *omptape_mpi_handles_find(const struct omptape_mpi_handles *handles, intptr_t handle)
{
    struct omptape_mpi_place *list = atomic_load_explicit(&handles->list, memory_order_acquire);
    if (list == NULL || handle == 0)
        return NULL;
    for (uint64_t i = omptape_mpi_mix(0, (uint64_t)handle);; i++) {
        struct omptape_mpi_place *place = place_of(handles, list, i);
        const uintptr_t there = atomic_load_explicit(&place->handle, memory_order_acquire);
        if (there == (uintptr_t)handle)
            return atomic_load_explicit(&place->known, memory_order_acquire);
        if (there == 0)
            return NULL;
    }
}

bool omptape_mpi_handles_begin(struct omptape_mpi_handles *handles)
{
    const size_t most = handles->most;
    if (atomic_load_explicit(&handles->list, memory_order_relaxed) != NULL)
        return true;
    const size_t list_bytes = 2 * most * sizeof(struct omptape_mpi_place);
    const size_t known_bytes = most * handles->bytes;
    char *memory = omptape_mpi_memory(list_bytes + known_bytes + most * sizeof(uint32_t));
    if (memory == NULL)
        return false;
    handles->known = memory + list_bytes;
    handles->next_spare = (uint32_t *)(void *)(handles->known + known_bytes);
    atomic_store_explicit(&handles->list, (struct omptape_mpi_place *)(void *)memory, memory_order_release);
    return true;
}

void *omptape_mpi_handles_take(struct omptape_mpi_handles *handles)
{
    uint32_t number = handles->spare;
    if (number != 0)
        handles->spare = handles->next_spare[number - 1];
    else if (handles->taken < handles->most)
        number = ++handles->taken;
    else
        return NULL;
    return memset(handles->known + (size_t)(number - 1) * handles->bytes, 0, handles->bytes);
}

void omptape_mpi_handles_put(struct omptape_mpi_handles *handles, intptr_t handle, void *known)
{
    struct omptape_mpi_place *list = atomic_load_explicit(&handles->list, memory_order_relaxed);
    for (uint64_t i = omptape_mpi_mix(0, (uint64_t)handle);; i++) {
        struct omptape_mpi_place *place = place_of(handles, list, i);
        const uintptr_t there = atomic_load_explicit(&place->handle, memory_order_relaxed);
        if (there != 0 && there != (uintptr_t)handle)
            continue;
        if (there == 0 && (known == NULL || handles->used >= handles->most))
            return;
        handles->used += there == 0;
        atomic_store_explicit(&place->known, known, memory_order_release);
        atomic_store_explicit(&place->handle, (uintptr_t)handle, memory_order_release);
        return;
    }
}

void omptape_mpi_handles_remove(struct omptape_mpi_handles *handles, intptr_t handle, void *known)
{
    const size_t index = (size_t)((char *)known - handles->known) / handles->bytes;
    omptape_mpi_handles_put(handles, handle, NULL);
    handles->next_spare[index] = handles->spare;
    handles->spare = (uint32_t)index + 1;
}
