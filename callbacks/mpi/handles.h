/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of MPI's handles: communicators, windows, files. A table finds an entry by its handle, on any
 * thread and without a lock. Entries are allocated and freed by one thread at a time.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_HANDLES_H
#define OMPTAPE_CALLBACKS_MPI_HANDLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the wrappers remember: memory of their own, since the program's allocator is not theirs to use, and
 * a lock that nobody ever waits for without end. Any thread. */
/* Zeros, which take no room before they are written to; NULL: there is none. For good, or given back. Keep
 * errno. */
void *omptape_mpi_memory(size_t bytes);
void omptape_mpi_memory_free(void *memory, size_t bytes);

/* False: it is held for so long that its holder will hardly go on. In a forked process the holder may be a
 * thread that is not there. Then what it guards must not be touched. */
bool omptape_mpi_lock_held(atomic_flag *lock); /* by somebody else */
static inline bool omptape_mpi_lock(atomic_flag *lock)
{
    return !atomic_flag_test_and_set_explicit(lock, memory_order_acquire) || omptape_mpi_lock_held(lock);
}

static inline void omptape_mpi_unlock(atomic_flag *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}

struct omptape_mpi_place;

/* All zeros but for `most` (a power of two: as many may be known at a time) and `bytes` of what is known of
 * one. */
struct omptape_mpi_handles {
    uint32_t most;
    uint32_t bytes;
    struct omptape_mpi_place *_Atomic list; /* NULL before there is one */
    char *known;
    uint32_t *next_spare; /* of each of them; index + 1, 0: it is the last */
    uint32_t spare;       /* the first; likewise */
    uint32_t taken;       /* that ever were in use */
    uint32_t used;        /* of the list */
};

/* NULL: nothing. */
void *omptape_mpi_handles_find(const struct omptape_mpi_handles *handles, intptr_t handle);

/* The following with a lock of the caller's. */

/* Takes the memory, if that is not done. False: there is none. */
bool omptape_mpi_handles_begin(struct omptape_mpi_handles *handles);

/* Room for what is known of one more handle: zeros. NULL: there is none. */
void *omptape_mpi_handles_take(struct omptape_mpi_handles *handles);

/* The handle is for what was taken. NULL: it is MPI's again. */
void omptape_mpi_handles_put(struct omptape_mpi_handles *handles, intptr_t handle, void *known);

/* The same, and the room is free for another one. */
void omptape_mpi_handles_remove(struct omptape_mpi_handles *handles, intptr_t handle, void *known);

/* How identities and places are made of numbers. */
static inline uint64_t omptape_mpi_mix(uint64_t hash, uint64_t value)
{
    hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    return hash ^ hash >> 31;
}

/* Of bytes, never 0. */
static inline uint64_t omptape_mpi_hash_bytes(const void *bytes, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++)
        hash = omptape_mpi_mix(hash, ((const unsigned char *)bytes)[i]);
    return hash | 1;
}

#endif
