/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of MPI handles: communicators, windows, files. A table finds an entry by its handle, on any thread
 * and without a lock. Entries are allocated and freed by one thread at a time.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory and locks of the wrappers. The program's allocator is unusable, and waiting for locks limited. */
/* Allocates zeroed memory, whose pages exist only after they are written, and frees it. Returns NULL if out
 * of memory. errno is preserved. */
void *omptape_mpi_memory(size_t bytes);
void omptape_mpi_memory_free(void *memory, size_t bytes);

/* Waits for a lock that is held. Returns false after a timeout: in a forked process the holder may be a
 * thread that does not exist. The guarded data must then not be accessed. */
bool omptape_mpi_lock_held(atomic_flag *lock);
static inline bool omptape_mpi_lock(atomic_flag *lock)
{
    return !atomic_flag_test_and_set_explicit(lock, memory_order_acquire) || omptape_mpi_lock_held(lock);
}

static inline void omptape_mpi_unlock(atomic_flag *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}

struct omptape_mpi_bucket;

/* A table. All zeros at first but `capacity`, the maximum (a power of two), and `bytes`, an entry's size. */
struct omptape_mpi_handles {
    uint32_t capacity;
    uint32_t bytes;
    struct omptape_mpi_bucket *_Atomic buckets; /* NULL until it is allocated. */
    char *entries;
    /* For each entry, the index + 1 of the next free one; 0 at the end. */
    uint32_t *next_free;
    uint32_t first_free;   /* Index + 1 of the first free entry; 0 if there is none. */
    uint32_t entries_used; /* Entries that were ever used. */
    uint32_t buckets_used; /* Buckets that are used. */
};

/* Returns the entry of a handle, or NULL if it is unknown. */
void *omptape_mpi_handles_find(const struct omptape_mpi_handles *handles, intptr_t handle);

/* The caller of the following functions holds a lock. */

/* Allocates the table, if that is not done. Returns false if out of memory. */
bool omptape_mpi_handles_alloc(struct omptape_mpi_handles *handles);

/* Allocates a zeroed entry. Returns NULL if the table is full. */
void *omptape_mpi_handles_alloc_entry(struct omptape_mpi_handles *handles);

/* Assigns an entry to the handle; NULL removes the handle. */
void omptape_mpi_handles_set(struct omptape_mpi_handles *handles, intptr_t handle, void *entry);

/* Removes the handle and frees its entry. */
void omptape_mpi_handles_remove(struct omptape_mpi_handles *handles, intptr_t handle, void *entry);

/* Hashes a value into `hash`. Used for identities and table indices. */
static inline uint64_t omptape_mpi_mix(uint64_t hash, uint64_t value)
{
    hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    return hash ^ hash >> 31;
}

/* Returns a hash of bytes, never 0. */
static inline uint64_t omptape_mpi_hash_bytes(const void *bytes, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++)
        hash = omptape_mpi_mix(hash, ((const unsigned char *)bytes)[i]);
    return hash | 1;
}
