/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the runtime's lines out of the shared memory once.
 */
#include "writers/model/runtime_info.h"

#include <stdlib.h>
#include <string.h>

char *omptape_runtime_info_copy(const struct omptape_writer *writer)
{
    const struct omptape_shm *shm = writer->shm;
    uint32_t bytes = atomic_load_explicit(&shm->info_bytes, memory_order_acquire);
    if (bytes > sizeof(shm->info))
        bytes = 0;
    char *copy = malloc(bytes + 1U);
    if (copy == NULL)
        return NULL;
    memcpy(copy, shm->info, bytes);
    copy[bytes] = '\0';
    return copy;
}
