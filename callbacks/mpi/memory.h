/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the wrappers remember: memory of their own, since the program's allocator is not theirs to use, and a
 * lock that nobody ever waits for without end. Any thread.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_MEMORY_H
#define OMPTAPE_CALLBACKS_MPI_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Zeros, which take no room before they are written to; NULL: there is none. For good, or given back. Keep
 * errno. */
void *omptape_mpi_memory(size_t bytes);
void omptape_mpi_memory_free(void *memory, size_t bytes);

/* False: it is held for so long that its holder will hardly go on (a forked process has it from a thread that
 * it does not have). Then what it guards is not to be touched. */
bool omptape_mpi_lock_held(atomic_flag *lock); /* by somebody else */
static inline bool omptape_mpi_lock(atomic_flag *lock)
{
    return !atomic_flag_test_and_set_explicit(lock, memory_order_acquire) || omptape_mpi_lock_held(lock);
}

static inline void omptape_mpi_unlock(atomic_flag *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}

#endif
