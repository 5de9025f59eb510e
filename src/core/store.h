/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arenas, whose memory is freed at once, and stores of distinct rows of bytes. Rows are the strings of an
 * archive or of the symbol resolver, or definitions of several processes. Used by the writer, the reader and
 * unification. Each arena or store must be used by one thread at a time.
 */
#pragma once

#include "src/core/hash.h"
#include "src/core/memory.h"

#include <stdbool.h>
#include <string.h>

/* An arena; initialised with zeros. */
struct omptape_arena {
    struct omptape_arena_block *blocks;
};

/* Allocates zeroed memory, aligned for any type, until the arena is freed. Returns NULL if out of memory. */
void *omptape_arena_alloc(struct omptape_arena *arena, size_t bytes);
void omptape_arena_free(struct omptape_arena *arena);

/* Free objects of one size in an arena, linked by their first word. Initialised with zeros. */
struct omptape_free_list {
    void *first;
};

/* Returns a free object, kept but for the first word, or a zeroed one; NULL if out of memory. */
static inline void *omptape_free_list_alloc(struct omptape_free_list *list, struct omptape_arena *arena,
                                            size_t bytes)
{
    void *thing = list->first;
    if (thing == NULL)
        return omptape_arena_alloc(arena, bytes);
    memcpy(&list->first, thing, sizeof(list->first));
    return thing;
}

static inline void omptape_free_list_free(struct omptape_free_list *list, void *thing)
{
    memcpy(thing, &list->first, sizeof(list->first));
    list->first = thing;
}

/* Returns the pair's value; allocates it zeroed in the arena at the first use; NULL if out of memory. */
void *omptape_pairs_obtain(struct omptape_pairs *pairs, struct omptape_arena *arena, uint64_t high,
                           uint64_t low, size_t bytes);

struct omptape_row {
    void *data; /* never moves; aligned for any type, followed by a zero byte */
    size_t bytes;
};

/* A store; initialised with zeros. */
struct omptape_rows {
    struct omptape_row *list; /* by number, from 0 in the order of insertion */
    uint32_t count;
    uint32_t capacity;
    struct omptape_hash index;
    struct omptape_arena arena;
    bool failed; /* memory was exhausted: a row is missing */
};

/* Returns the number of the row with these contents; inserts it if there is none. If memory is exhausted,
 * returns 0 and sets rows->failed. */
uint32_t omptape_rows_number(struct omptape_rows *rows, const void *data, size_t bytes);
/* The same for a text. */
uint32_t omptape_rows_text(struct omptape_rows *rows, const char *text);
/* Returns the number of the row with these contents; UINT32_MAX if there is none. */
uint32_t omptape_rows_find(const struct omptape_rows *rows, const void *data, size_t bytes);
/* Returns the store's copy of the first `length` bytes of `text`, without zeros; NULL if out of memory. */
const char *omptape_rows_keep(struct omptape_rows *rows, const char *text, size_t length);

/* Returns a row as text; "" if the number is unknown. */
const char *omptape_rows_text_at(const struct omptape_rows *rows, uint64_t number);

void omptape_rows_free(struct omptape_rows *rows);
