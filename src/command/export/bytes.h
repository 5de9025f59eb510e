/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A growing buffer of bytes: a table row or a part of a message until it is written. Used by the formats.
 */
#pragma once

#include "src/core/array.h"
#include "src/core/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A buffer; all zeros is an empty one. The owner frees `data`. */
struct export_bytes {
    uint8_t *data;
    uint32_t used;
    uint32_t capacity;
};

/* Reserves the next `bytes` bytes, counts them as used and returns their address. Returns NULL and sets
 * omptape_out_of_memory if out of memory or the buffer would become too large. */
static inline uint8_t *export_bytes_take(struct export_bytes *row, size_t bytes)
{
    const bool fits = bytes <= UINT32_MAX / 2 - row->used;
    uint8_t *data =
        fits ? omptape_array_reserve(row->data, row->used + (uint32_t)bytes, &row->capacity, 1) : NULL;
    omptape_out_of_memory |= !fits;
    if (data == NULL)
        return NULL;
    row->data = data;
    row->used += (uint32_t)bytes;
    return data + row->used - bytes;
}

static inline void export_bytes_add(struct export_bytes *row, const void *data, size_t bytes)
{
    uint8_t *place = export_bytes_take(row, bytes);
    if (place != NULL && bytes > 0)
        memcpy(place, data, bytes);
}
