/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A hash table from a pair of 64-bit numbers to a pointer, and an arena. Used by the archive reader and by
 * the check and info commands, each on the command's only thread; keys come from files that may be hostile.
 */
#ifndef OMPTAPE_READER_TABLE_H
#define OMPTAPE_READER_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct omptape_table_entry {
    uint64_t high;
    uint64_t low;
    void *value; /* NULL: the entry is free */
};

/* All zeros is an empty table. Walk it by looking at entries[0 .. capacity) whose value is not NULL. */
struct omptape_table {
    struct omptape_table_entry *entries;
    size_t capacity;
    size_t count;
};

/* The value stored under the key, or NULL. */
void *omptape_table_get(const struct omptape_table *table, uint64_t high, uint64_t low);

/* Stores `value`, which is not NULL and stays the caller's; replaces what was there. 0, or -ENOMEM. */
int omptape_table_put(struct omptape_table *table, uint64_t high, uint64_t low, void *value);

/* Takes the key out and returns its value, or NULL if there was none. */
void *omptape_table_remove(struct omptape_table *table, uint64_t high, uint64_t low);

/* Frees the table, not the values. */
void omptape_table_free(struct omptape_table *table);

/* Memory that is freed all at once. All zeros is an empty arena. */
struct omptape_arena {
    struct omptape_arena_block *blocks;
};

/* Zeroed memory, aligned for any type, that lives as long as the arena; NULL when there is no more. */
void *omptape_arena_take(struct omptape_arena *arena, size_t bytes);

/* A copy of an archive's text in the arena that can be shown on a terminal: control characters become '?'. Or
 * NULL. */
char *omptape_arena_copy(struct omptape_arena *arena, const char *text);

void omptape_arena_free(struct omptape_arena *arena);

#endif
