/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Handles, hashed; places are never given up, so that nobody who looks meets a gap.
 */
#include "callbacks/mpi/handles.h"

#include <stddef.h>

void *omptape_mpi_handles_find(const struct omptape_mpi_handles *handles, intptr_t handle)
{
    for (uint64_t i = omptape_mpi_mix(0, (uint64_t)handle);; i++) {
        struct omptape_mpi_place *place = &handles->list[i % handles->count];
        const uintptr_t there = atomic_load_explicit(&place->handle, memory_order_acquire);
        if (there == (uintptr_t)handle)
            return atomic_load_explicit(&place->known, memory_order_acquire);
        if (there == 0)
            return NULL;
    }
}

void omptape_mpi_handles_put(struct omptape_mpi_handles *handles, intptr_t handle, void *known)
{
    for (uint64_t i = omptape_mpi_mix(0, (uint64_t)handle);; i++) {
        struct omptape_mpi_place *place = &handles->list[i % handles->count];
        const uintptr_t there = atomic_load_explicit(&place->handle, memory_order_relaxed);
        if (there != 0 && there != (uintptr_t)handle)
            continue;
        if (there == 0 && (known == NULL || handles->used >= handles->count / 2))
            return;
        handles->used += there == 0;
        atomic_store_explicit(&place->known, known, memory_order_release);
        atomic_store_explicit(&place->handle, (uintptr_t)handle, memory_order_release);
        return;
    }
}
