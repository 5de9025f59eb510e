/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A set of strings that live as long as the set: equal texts are kept once, so that they can be compared by
 * address. Used by the symbol resolver, on the writer's translating thread.
 */
#ifndef OMPTAPE_WRITERS_SYMBOLS_MODULES_STRINGS_H
#define OMPTAPE_WRITERS_SYMBOLS_MODULES_STRINGS_H

#include <stddef.h>

/* All zero: an empty set. */
struct omptape_string_set {
    char **slots;
    size_t capacity; /* 0 or a power of two */
    size_t count;
};

void omptape_string_set_free(struct omptape_string_set *strings);

/* The set's copy of the first `length` bytes of `text` (no zero among them); NULL when there is no memory. */
const char *omptape_string_set_add(struct omptape_string_set *strings, const char *text, size_t length);

#endif
