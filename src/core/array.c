/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements array.h.
 */
#include "src/core/array.h"

#include "src/core/memory.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 16 };

void *omptape_array_grow(void *list, uint64_t wanted, uint32_t *capacity, size_t item_bytes)
{
    uint64_t larger = *capacity < FIRST_CAPACITY ? FIRST_CAPACITY : (uint64_t)*capacity * 2;
    if (larger < wanted)
        larger = wanted;
    if (larger > UINT32_MAX)
        larger = UINT32_MAX;
    const bool fits = larger >= wanted && larger <= SIZE_MAX / item_bytes;
    void *moved = fits ? realloc(list, (size_t)larger * item_bytes) : NULL;
    if (moved != NULL)
        *capacity = (uint32_t)larger;
    else
        omptape_out_of_memory = true;
    return moved;
}
