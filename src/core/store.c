/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements store.h.
 */
#include "src/core/store.h"

#include "src/core/array.h"

#include <stdlib.h>

enum { BLOCK_BYTES = 1 << 16, ALIGNMENT = 16 };

struct omptape_arena_block {
    struct omptape_arena_block *next;
    size_t used;
    size_t bytes;
    _Alignas(ALIGNMENT) unsigned char memory[];
};

void *omptape_arena_alloc(struct omptape_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) {
        omptape_out_of_memory = true;
        return NULL;
    }
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    struct omptape_arena_block *block = arena->blocks;
    if (block == NULL || block->bytes - block->used < bytes) {
        size_t capacity = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        block = omptape_calloc(1, sizeof(*block) + capacity);
        if (block == NULL)
            return NULL;
        block->bytes = capacity;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *memory = block->memory + block->used;
    block->used += bytes;
    return memory;
}

void omptape_arena_free(struct omptape_arena *arena)
{
    while (arena->blocks != NULL) {
        struct omptape_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
}

void *omptape_pairs_obtain(struct omptape_pairs *pairs, struct omptape_arena *arena, uint64_t high,
                           uint64_t low, size_t bytes)
{
    void *value = omptape_pairs_get(pairs, high, low);
    if (value != NULL)
        return value;
    value = omptape_arena_alloc(arena, bytes);
    return value != NULL && omptape_pairs_put(pairs, high, low, value) == 0 ? value : NULL;
}

static struct omptape_row *add_row(struct omptape_rows *rows, uint64_t key, const void *data, size_t bytes)
{
    if (!OMPTAPE_RESERVE(rows->list, rows->count + UINT64_C(1), &rows->capacity))
        return NULL;
    void *copy = bytes < SIZE_MAX ? omptape_arena_alloc(&rows->arena, bytes + 1) : NULL;
    if (copy == NULL || omptape_hash_join(&rows->index, key, rows->count) != 0)
        return NULL;
    if (bytes > 0)
        memcpy(copy, data, bytes);
    rows->list[rows->count] = (struct omptape_row){.data = copy, .bytes = bytes};
    return &rows->list[rows->count++];
}

static const struct omptape_row *find_row(const struct omptape_rows *rows, uint64_t key, const void *data,
                                          size_t bytes)
{
    const struct omptape_hash_entry *entry = NULL;
    while ((entry = omptape_hash_next(&rows->index, key, entry)) != NULL) {
        const struct omptape_row *row = &rows->list[entry->number];
        if (row->bytes == bytes && (bytes == 0 || memcmp(row->data, data, bytes) == 0))
            return row;
    }
    return NULL;
}

/* Returns the row with these contents; inserts it if there is none. Returns NULL if out of memory. */
static const struct omptape_row *obtain_row(struct omptape_rows *rows, const void *data, size_t bytes)
{
    uint64_t key = omptape_hash_key(data, bytes);
    const struct omptape_row *row = find_row(rows, key, data, bytes);
    if (row != NULL)
        return row;
    const struct omptape_row *added = add_row(rows, key, data, bytes);
    rows->failed = rows->failed || added == NULL;
    return added;
}

uint32_t omptape_rows_find(const struct omptape_rows *rows, const void *data, size_t bytes)
{
    const struct omptape_row *row = find_row(rows, omptape_hash_key(data, bytes), data, bytes);
    return row != NULL ? (uint32_t)(row - rows->list) : UINT32_MAX;
}

uint32_t omptape_rows_number(struct omptape_rows *rows, const void *data, size_t bytes)
{
    const struct omptape_row *row = obtain_row(rows, data, bytes);
    return row != NULL ? (uint32_t)(row - rows->list) : 0;
}

uint32_t omptape_rows_text(struct omptape_rows *rows, const char *text)
{
    return omptape_rows_number(rows, text, strlen(text));
}

const char *omptape_rows_keep(struct omptape_rows *rows, const char *text, size_t length)
{
    const struct omptape_row *row = obtain_row(rows, text, length);
    return row != NULL ? row->data : NULL;
}

const char *omptape_rows_text_at(const struct omptape_rows *rows, uint64_t number)
{
    return number < rows->count ? rows->list[number].data : "";
}

void omptape_rows_free(struct omptape_rows *rows)
{
    free(rows->list);
    omptape_hash_free(&rows->index);
    omptape_arena_free(&rows->arena);
    *rows = (struct omptape_rows){.list = NULL};
}
