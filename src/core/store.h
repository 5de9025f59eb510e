/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that is freed all at once (an arena), and rows of bytes in it, each content once. Such are the
 * strings of an archive and of the symbol resolver, the definitions of several processes. Used by the writer,
 * the reader and unification. Any thread; a store belongs to one.
 */
#ifndef OMPTAPE_CORE_STORE_H
#define OMPTAPE_CORE_STORE_H

#include "src/core/hash.h"

#include <stdbool.h>
#include <string.h>

/* All zeros is an empty arena. */
struct omptape_arena {
    struct omptape_arena_block *blocks;
};

/* Zeroed memory, aligned for any type, that lives as long as the arena; NULL when there is no more. */
void *omptape_arena_take(struct omptape_arena *arena, size_t bytes);
void omptape_arena_free(struct omptape_arena *arena);

/* Things of one size in an arena that are free to be used again, linked by their first word. All zeros: none.
 */
struct omptape_free_list {
    void *first;
};

/* A thing that is free, with what it held but for its first word; else a new one, of zeros. NULL when memory
 * is out. */
static inline void *omptape_free_list_take(struct omptape_free_list *list, struct omptape_arena *arena,
                                           size_t bytes)
{
    void *thing = list->first;
    if (thing == NULL)
        return omptape_arena_take(arena, bytes);
    memcpy(&list->first, thing, sizeof(list->first));
    return thing;
}

static inline void omptape_free_list_put(struct omptape_free_list *list, void *thing)
{
    memcpy(thing, &list->first, sizeof(list->first));
    list->first = thing;
}

/* The value of the pair, which is made in the arena, of zeros, at its first use. NULL when memory is out. */
void *omptape_pairs_obtain(struct omptape_pairs *pairs, struct omptape_arena *arena, uint64_t high,
                           uint64_t low, size_t bytes);

struct omptape_row {
    void *data; /* stays where it is; aligned for any type, with a zero behind it */
    size_t bytes;
};

/* All zeros is an empty store. */
struct omptape_rows {
    struct omptape_row *list; /* by number, from 0 in the order they came */
    uint32_t count;
    uint32_t capacity;
    struct omptape_hash index;
    struct omptape_arena arena;
    bool failed; /* memory ran out: some row is missing */
};

/* The number of the row with this content, which is added if there is none. 0, and rows->failed, when memory
 * is out. */
uint32_t omptape_rows_number(struct omptape_rows *rows, const void *data, size_t bytes);
/* The same of a text. */
uint32_t omptape_rows_text(struct omptape_rows *rows, const char *text);
/* The number of the row with this content; UINT32_MAX: there is none. */
uint32_t omptape_rows_find(const struct omptape_rows *rows, const void *data, size_t bytes);
/* The store's copy of the first `length` bytes of `text` (no zero among them); NULL when memory is out. */
const char *omptape_rows_keep(struct omptape_rows *rows, const char *text, size_t length);

/* A row as text; "" if there is none with this number. */
const char *omptape_rows_text_at(const struct omptape_rows *rows, uint64_t number);

void omptape_rows_free(struct omptape_rows *rows);

#endif
