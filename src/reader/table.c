/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The hash table (open addressing, linear probing) and the arena of table.h. Called by the
 * archive reader, check and info on the command's only thread.
 */
#include "src/reader/table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64, ARENA_BLOCK_BYTES = 1 << 16, ARENA_ALIGNMENT = 16 };

static size_t slot_of(const struct omptape_table *table, uint64_t high, uint64_t low)
{
    /* splitmix64's finaliser: ids in a file follow each other, and a hostile file chooses them. */
    uint64_t mixed = low + high * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(mixed ^ (mixed >> 31)) & (table->capacity - 1);
}

/* The key's entry, or the free entry where it belongs. The table has at least one free entry. */
static size_t find_slot(const struct omptape_table *table, uint64_t high, uint64_t low)
{
    size_t slot = slot_of(table, high, low);
    while (table->entries[slot].value != NULL &&
           (table->entries[slot].low != low || table->entries[slot].high != high))
        slot = (slot + 1) & (table->capacity - 1);
    return slot;
}

void *omptape_table_get(const struct omptape_table *table, uint64_t high, uint64_t low)
{
    return table->capacity == 0 ? NULL : table->entries[find_slot(table, high, low)].value;
}

static int grow(struct omptape_table *table)
{
    struct omptape_table larger = {.capacity = table->capacity == 0 ? FIRST_CAPACITY : table->capacity * 2,
                                   .count = table->count};
    larger.entries = calloc(larger.capacity, sizeof(*larger.entries));
    if (larger.entries == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < table->capacity; i++) {
        const struct omptape_table_entry *entry = &table->entries[i];
        if (entry->value != NULL)
            larger.entries[find_slot(&larger, entry->high, entry->low)] = *entry;
    }
    free(table->entries);
    *table = larger;
    return 0;
}

int omptape_table_put(struct omptape_table *table, uint64_t high, uint64_t low, void *value)
{
    if (table->count >= table->capacity - table->capacity / 4) {
        int status = grow(table);
        if (status != 0)
            return status;
    }
    struct omptape_table_entry *entry = &table->entries[find_slot(table, high, low)];
    if (entry->value == NULL)
        table->count++;
    *entry = (struct omptape_table_entry){.high = high, .low = low, .value = value};
    return 0;
}

/* Closes the hole at `hole`: moves back every following entry that could not be found across it. */
static void close_hole(struct omptape_table *table, size_t hole)
{
    size_t mask = table->capacity - 1;
    for (size_t next = (hole + 1) & mask; table->entries[next].value != NULL; next = (next + 1) & mask) {
        size_t home = slot_of(table, table->entries[next].high, table->entries[next].low);
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            table->entries[hole] = table->entries[next];
            hole = next;
        }
    }
    table->entries[hole].value = NULL;
}

void *omptape_table_remove(struct omptape_table *table, uint64_t high, uint64_t low)
{
    if (table->capacity == 0)
        return NULL;
    size_t slot = find_slot(table, high, low);
    void *value = table->entries[slot].value;
    if (value != NULL) {
        table->count--;
        close_hole(table, slot);
    }
    return value;
}

void omptape_table_free(struct omptape_table *table)
{
    free(table->entries);
    *table = (struct omptape_table){0};
}

struct omptape_arena_block {
    struct omptape_arena_block *next;
    size_t used;
    size_t bytes;
    _Alignas(ARENA_ALIGNMENT) unsigned char memory[];
};

void *omptape_arena_take(struct omptape_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
    struct omptape_arena_block *block = arena->blocks;
    if (block == NULL || block->bytes - block->used < bytes) {
        size_t room = bytes > ARENA_BLOCK_BYTES ? bytes : ARENA_BLOCK_BYTES;
        block = calloc(1, sizeof(*block) + room);
        if (block == NULL)
            return NULL;
        block->bytes = room;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *memory = block->memory + block->used;
    block->used += bytes;
    return memory;
}

/* A terminal would obey it: C0, DEL, and C1 as UTF-8 has it. */
static bool is_control(const unsigned char *at)
{
    return *at < ' ' || *at == 127 || (at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0);
}

char *omptape_arena_copy(struct omptape_arena *arena, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = omptape_arena_take(arena, bytes);
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, bytes);
    for (size_t i = 0; i + 1 < bytes; i++) {
        if (is_control((const unsigned char *)copy + i)) {
            copy[i + (copy[i] == '\xC2')] = '?';
            copy[i] = '?';
        }
    }
    return copy;
}

void omptape_arena_free(struct omptape_arena *arena)
{
    while (arena->blocks != NULL) {
        struct omptape_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
}
