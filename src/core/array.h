/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Growing arrays, which consist of a list from malloc, a count and a capacity. The owner stores the three and
 * frees the list. Any reservation may move the list. Each array must be used by one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Slow path of omptape_array_reserve: the list must grow. */
void *omptape_array_grow(void *list, uint64_t wanted, uint32_t *capacity, size_t item_bytes);

/* Reserves capacity for `wanted` items. Returns the list, which may have moved. Returns NULL if out of
 * memory; the list and *capacity are unchanged then. New items are not initialised. */
static inline void *omptape_array_reserve(void *list, uint64_t wanted, uint32_t *capacity, size_t item_bytes)
{
    return list != NULL && wanted <= *capacity ? list
                                               : omptape_array_grow(list, wanted, capacity, item_bytes);
}

/* The same for an lvalue `list`, which is updated. Evaluates to false if out of memory. */
#define OMPTAPE_RESERVE(list, wanted, capacity)                                                              \
    omptape_array_reserve_in_place(&(list), wanted, capacity, sizeof(*(list)))

static inline bool omptape_array_reserve_in_place(void *list, uint64_t wanted, uint32_t *capacity,
                                                  size_t item_bytes)
{
    void *items;
    memcpy(&items, list, sizeof(items));
    items = omptape_array_reserve(items, wanted, capacity, item_bytes);
    if (items != NULL)
        memcpy(list, &items, sizeof(items));
    return items != NULL;
}

/* Appends an item to an lvalue `list`, and counts it. Evaluates to false if out of memory. `list` and
 * `count` are evaluated several times, so they must have no side effects. The item may read the count before.
 */
#define OMPTAPE_APPEND(list, count, capacity, ...)                                                           \
    (OMPTAPE_RESERVE(list, (uint64_t)(count) + 1, &(capacity)) &&                                            \
     ((list)[count] = (__VA_ARGS__), (count)++, true))

/* Returns the index of the first item with a larger key, or `count`. The list is sorted by the key, a
 * uint64_t at `offset` in each item. */
static inline size_t omptape_first_above(const void *list, size_t count, size_t item_bytes, size_t offset,
                                         uint64_t key)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        uint64_t found;
        memcpy(&found, (const char *)list + middle * item_bytes + offset, sizeof(found));
        if (found <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The same as OMPTAPE_RESERVE; new items are set to zero. */
#define OMPTAPE_RESERVE_CLEARED(list, wanted, capacity)                                                      \
    omptape_array_reserve_cleared(&(list), wanted, capacity, sizeof(*(list)))

static inline bool omptape_array_reserve_cleared(void *list, uint64_t wanted, uint32_t *capacity,
                                                 size_t item_bytes)
{
    const uint32_t before = *capacity;
    char *items;
    if (!omptape_array_reserve_in_place(list, wanted, capacity, item_bytes))
        return false;
    if (*capacity == before)
        return true;
    memcpy(&items, list, sizeof(items));
    memset(items + before * item_bytes, 0, (*capacity - before) * item_bytes);
    return true;
}
