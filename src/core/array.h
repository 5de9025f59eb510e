/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Growing arrays: a list from malloc, how many items are in use, and for how many there is room. The owner
 * keeps the three and frees the list, which may move whenever it had room made. Any thread; an array belongs
 * to one.
 */
#ifndef OMPTAPE_CORE_ARRAY_H
#define OMPTAPE_CORE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The rare case of the function below: there is no room. */
void *omptape_array_grow(void *list, uint32_t wanted, uint32_t *capacity, size_t item_bytes);

/* Makes room for `wanted` items. Returns the list, which may have moved, or NULL when memory is out; the list
 * and *capacity are then what they were. New room is not cleared. */
static inline void *omptape_array_reserve(void *list, uint32_t wanted, uint32_t *capacity, size_t item_bytes)
{
    return list != NULL && wanted <= *capacity ? list
                                               : omptape_array_grow(list, wanted, capacity, item_bytes);
}

/* The same for `list` that is a variable or a member, and stored anew. False when memory is out. */
#define OMPTAPE_RESERVE(list, wanted, capacity)                                                              \
    omptape_array_make_room(&(list), wanted, capacity, sizeof(*(list)))

static inline bool omptape_array_make_room(void *list, uint32_t wanted, uint32_t *capacity, size_t item_bytes)
{
    void *items;
    memcpy(&items, list, sizeof(items));
    items = omptape_array_reserve(items, wanted, capacity, item_bytes);
    if (items != NULL)
        memcpy(list, &items, sizeof(items));
    return items != NULL;
}

/* The same, and new room is cleared. */
#define OMPTAPE_RESERVE_CLEARED(list, wanted, capacity)                                                      \
    omptape_array_make_cleared_room(&(list), wanted, capacity, sizeof(*(list)))

static inline bool omptape_array_make_cleared_room(void *list, uint32_t wanted, uint32_t *capacity,
                                                   size_t item_bytes)
{
    const uint32_t before = *capacity;
    char *items;
    if (!omptape_array_make_room(list, wanted, capacity, item_bytes))
        return false;
    if (*capacity == before)
        return true;
    memcpy(&items, list, sizeof(items));
    memset(items + before * item_bytes, 0, (*capacity - before) * item_bytes);
    return true;
}

#endif
