/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sorting by libc's qsort, which must not be called with NULL even if there is nothing to sort. Any thread.
 */
#pragma once

#include <stdlib.h>

/* Sorts `count` elements of `bytes` bytes. `list` may be NULL if there is none. */
static inline void omptape_sort(void *list, size_t count, size_t bytes,
                                int (*compare)(const void *left, const void *right))
{
    if (count > 1)
        qsort(list, count, bytes, compare);
}
