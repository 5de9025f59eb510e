/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements memory.h.
 */
#include "src/core/memory.h"

#include <stdlib.h>

_Thread_local bool omptape_out_of_memory;

void *omptape_calloc(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (memory == NULL)
        omptape_out_of_memory = true;
    return memory;
}
