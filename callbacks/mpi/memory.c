/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The wrappers' memory and locks.
 */
#include "callbacks/mpi/memory.h"

#include <errno.h>
#include <sched.h>
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
