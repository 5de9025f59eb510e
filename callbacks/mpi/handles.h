/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of what is known of MPI's handles: communicators, windows. Looked up on any thread without a lock;
 * changed by one at a time.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_HANDLES_H
#define OMPTAPE_CALLBACKS_MPI_HANDLES_H

#include <stdatomic.h>
#include <stdint.h>

struct omptape_mpi_place {
    _Atomic uintptr_t handle; /* 0: it never had one */
    void *_Atomic known;
};

/* All zeros but for `list` and `count`: a power of two, at most half of which is ever used. */
struct omptape_mpi_handles {
    struct omptape_mpi_place *list;
    uint32_t count;
    uint32_t used;
};

/* NULL: nothing. */
void *omptape_mpi_handles_find(const struct omptape_mpi_handles *handles, intptr_t handle);

/* With a lock of the caller's. `known` NULL: it is MPI's again. */
void omptape_mpi_handles_put(struct omptape_mpi_handles *handles, intptr_t handle, void *known);

static inline uint64_t omptape_mpi_mix(uint64_t hash, uint64_t value)
{
    hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    return hash ^ hash >> 31;
}

#endif
