/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of unique rows (table.h): open addressing over the rows' hashes. Called by the child process of
 * omptape_unify, one thread.
 */
#include "src/unify/table.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

static uint32_t hash_of(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return (uint32_t)(hash ^ (hash >> 32));
}

static void enter(struct omptape_unify_table *table, uint32_t number)
{
    uint32_t mask = table->slot_count - 1;
    uint32_t slot = table->rows[number].hash & mask;
    while (table->slots[slot] != 0)
        slot = (slot + 1) & mask;
    table->slots[slot] = number + 1;
}

static bool grow(struct omptape_unify_table *table)
{
    uint32_t room = table->room != 0 ? table->room * 2 : FIRST_ROOM;
    struct omptape_unify_row *rows = realloc(table->rows, room * sizeof(*rows));
    uint32_t *slots = calloc((size_t)room * 2, sizeof(*slots));
    if (rows != NULL)
        table->rows = rows;
    if (rows == NULL || slots == NULL) {
        free(slots);
        return false;
    }
    free(table->slots);
    table->slots = slots;
    table->slot_count = room * 2;
    table->room = room;
    for (uint32_t i = 0; i < table->count; i++)
        enter(table, i);
    return true;
}

uint32_t omptape_unify_row(struct omptape_unify_table *table, const void *data, size_t bytes)
{
    uint32_t hash = hash_of(data, bytes);
    uint32_t mask = table->slot_count - 1;
    for (uint32_t slot = hash & mask; table->slot_count > 0 && table->slots[slot] != 0;
         slot = (slot + 1) & mask) {
        const struct omptape_unify_row *row = &table->rows[table->slots[slot] - 1];
        if (row->hash == hash && row->bytes == bytes && (bytes == 0 || memcmp(row->data, data, bytes) == 0))
            return table->slots[slot] - 1;
    }
    void *copy = malloc(bytes + 1);
    if (copy == NULL || bytes > UINT32_MAX || (table->count == table->room && !grow(table))) {
        free(copy);
        table->failed = true;
        return 0;
    }
    if (bytes > 0)
        memcpy(copy, data, bytes);
    table->rows[table->count] =
        (struct omptape_unify_row){.data = copy, .bytes = (uint32_t)bytes, .hash = hash};
    enter(table, table->count);
    return table->count++;
}

uint32_t omptape_unify_words(struct omptape_unify_table *table, const uint64_t *words, size_t count)
{
    return omptape_unify_row(table, words, count * sizeof(*words));
}

uint32_t omptape_unify_text(struct omptape_unify_table *table, const char *text)
{
    return omptape_unify_row(table, text, strlen(text) + 1);
}

const uint64_t *omptape_unify_words_at(const struct omptape_unify_table *table, uint32_t number)
{
    return table->rows[number].data;
}

const char *omptape_unify_text_at(const struct omptape_unify_table *table, uint32_t number)
{
    return number < table->count ? table->rows[number].data : "";
}

uint32_t omptape_unify_word_count(const struct omptape_unify_table *table, uint32_t number)
{
    return (uint32_t)(table->rows[number].bytes / sizeof(uint64_t));
}

void omptape_unify_table_free(struct omptape_unify_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        free(table->rows[i].data);
    free(table->rows);
    free(table->slots);
    *table = (struct omptape_unify_table){.rows = NULL};
}
