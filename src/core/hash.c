/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements hash.h by open addressing with linear probing. Removing an entry moves later entries into the
 * gap, so there are no tombstones, and a long-lived table stays fast.
 */
#include "src/core/hash.h"

#include "src/core/array.h"
#include "src/core/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

static size_t home_of(const struct omptape_hash *hash, uint64_t key)
{
    /* Keys contain slot numbers and location numbers in their upper halves. The upper bits of the product
     * depend on all bits of the key. */
    uint64_t product = key * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(product >> 40 ^ product >> 20) & (hash->capacity - 1);
}

/* Returns the first index from `i` on whose entry has the key or is free. */
static size_t find_from(const struct omptape_hash *hash, size_t i, uint64_t key)
{
    while (hash->entries[i].key != 0 && hash->entries[i].key != key)
        i = (i + 1) & (hash->capacity - 1);
    return i;
}

static size_t find_place(const struct omptape_hash *hash, uint64_t key)
{
    return find_from(hash, home_of(hash, key), key);
}

/* Returns the index of the free entry where the key is inserted. */
static size_t find_free(const struct omptape_hash *hash, uint64_t key)
{
    return find_from(hash, home_of(hash, key), 0);
}

void *omptape_hash_get(const struct omptape_hash *hash, uint64_t key)
{
    if (hash->capacity == 0 || key == 0)
        return NULL;
    size_t i = find_place(hash, key);
    return hash->entries[i].key == key ? hash->entries[i].value : NULL;
}

struct omptape_hash_entry *omptape_hash_next(const struct omptape_hash *hash, uint64_t key,
                                             const struct omptape_hash_entry *last)
{
    if (hash->capacity == 0 || key == 0)
        return NULL;
    size_t i = last == NULL ? home_of(hash, key) : (size_t)(last - hash->entries + 1) & (hash->capacity - 1);
    i = find_from(hash, i, key);
    return hash->entries[i].key == key ? &hash->entries[i] : NULL;
}

static int grow_table(struct omptape_hash *hash)
{
    struct omptape_hash larger = {.capacity = hash->capacity != 0 ? hash->capacity * 2 : FIRST_CAPACITY,
                                  .count = hash->count};
    larger.entries = omptape_calloc(larger.capacity, sizeof(*larger.entries));
    if (larger.entries == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < hash->capacity; i++)
        if (hash->entries[i].key != 0)
            larger.entries[find_free(&larger, hash->entries[i].key)] = hash->entries[i];
    free(hash->entries);
    *hash = larger;
    return 0;
}

static int reserve_entry(struct omptape_hash *hash, uint64_t key)
{
    if (key == 0)
        return -EINVAL;
    return hash->count * 2 >= hash->capacity ? grow_table(hash) : 0;
}

int omptape_hash_put(struct omptape_hash *hash, uint64_t key, void *value)
{
    int error = reserve_entry(hash, key);
    if (error != 0)
        return error;
    size_t i = find_place(hash, key);
    hash->count += hash->entries[i].key == 0;
    hash->entries[i] = (struct omptape_hash_entry){.key = key, .value = value};
    return 0;
}

int omptape_hash_add(struct omptape_hash *hash, uint64_t key, void *value)
{
    int error = reserve_entry(hash, key);
    if (error != 0)
        return error;
    size_t i = find_place(hash, key);
    if (hash->entries[i].key != 0)
        return -EEXIST;
    hash->count++;
    hash->entries[i] = (struct omptape_hash_entry){.key = key, .value = value};
    return 0;
}

static int join_entry(struct omptape_hash *hash, struct omptape_hash_entry entry)
{
    int error = reserve_entry(hash, entry.key);
    if (error != 0)
        return error;
    hash->entries[find_free(hash, entry.key)] = entry;
    hash->count++;
    return 0;
}

int omptape_hash_join(struct omptape_hash *hash, uint64_t key, uint64_t number)
{
    return join_entry(hash, (struct omptape_hash_entry){.key = key, .number = number});
}

int omptape_hash_join_value(struct omptape_hash *hash, uint64_t key, void *value)
{
    return join_entry(hash, (struct omptape_hash_entry){.key = key, .value = value});
}

void omptape_hash_remove(struct omptape_hash *hash, struct omptape_hash_entry *entry)
{
    size_t hole = (size_t)(entry - hash->entries);
    size_t mask = hash->capacity - 1;
    for (size_t i = (hole + 1) & mask; hash->entries[i].key != 0; i = (i + 1) & mask) {
        /* An entry may move into the gap unless the gap lies before its home index. */
        size_t home = home_of(hash, hash->entries[i].key);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            hash->entries[hole] = hash->entries[i];
            hole = i;
        }
    }
    hash->entries[hole] = (struct omptape_hash_entry){.key = 0};
    hash->count--;
}

void *omptape_hash_remove_key(struct omptape_hash *hash, uint64_t key)
{
    struct omptape_hash_entry *entry = omptape_hash_next(hash, key, NULL);
    if (entry == NULL)
        return NULL;
    void *value = entry->value;
    omptape_hash_remove(hash, entry);
    return value;
}

void omptape_hash_free(struct omptape_hash *hash)
{
    free(hash->entries);
    *hash = (struct omptape_hash){.entries = NULL};
}

/* Mixes a word into a key so that each bit affects the bits that home_of uses. */
static uint64_t mix_word(uint64_t key, uint64_t word)
{
    key = (key ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 32;
}

uint64_t omptape_hash_key(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t key = bytes;
    uint64_t word = 0;
    for (; bytes >= sizeof(word); at += sizeof(word), bytes -= sizeof(word)) {
        memcpy(&word, at, sizeof(word));
        key = mix_word(key, word);
    }
    word = 0;
    for (size_t i = 0; i < bytes; i++)
        word = word << 8 | at[i];
    key = mix_word(key, word);
    return key != 0 ? key : 1;
}

static uint64_t key_of_pair(uint64_t high, uint64_t low)
{
    uint64_t key = mix_word(mix_word(0, high), low);
    return key != 0 ? key : 1;
}

static struct omptape_hash_entry *find_pair(const struct omptape_pairs *pairs, uint64_t high, uint64_t low)
{
    const struct omptape_hash *index = &pairs->index;
    if (index->capacity == 0)
        return NULL;
    uint64_t key = key_of_pair(high, low);
    for (size_t i = find_place(index, key); index->entries[i].key != 0;
         i = find_from(index, (i + 1) & (index->capacity - 1), key)) {
        const struct omptape_pair *pair = &pairs->list[index->entries[i].number];
        if (pair->high == high && pair->low == low)
            return &index->entries[i];
    }
    return NULL;
}

void *omptape_pairs_find(const struct omptape_pairs *pairs, uint64_t high, uint64_t low)
{
    const struct omptape_hash_entry *entry = find_pair(pairs, high, low);
    return entry != NULL ? pairs->list[entry->number].value : NULL;
}

int omptape_pairs_put(struct omptape_pairs *pairs, uint64_t high, uint64_t low, void *value)
{
    const struct omptape_hash_entry *known = find_pair(pairs, high, low);
    if (known != NULL) {
        pairs->list[known->number].value = value;
        return 0;
    }
    if (!OMPTAPE_RESERVE(pairs->list, pairs->count + UINT64_C(1), &pairs->capacity))
        return -ENOMEM;
    int error = omptape_hash_join(&pairs->index, key_of_pair(high, low), pairs->count);
    if (error == 0) {
        pairs->list[pairs->count++] = (struct omptape_pair){.high = high, .low = low, .value = value};
        pairs->near[omptape_pairs_cache_index(high, low)] = pairs->count;
    }
    return error;
}

void *omptape_pairs_remove(struct omptape_pairs *pairs, uint64_t high, uint64_t low)
{
    struct omptape_hash_entry *entry = find_pair(pairs, high, low);
    if (entry == NULL)
        return NULL;
    struct omptape_pair *hole = &pairs->list[entry->number];
    const struct omptape_pair *last = &pairs->list[pairs->count - 1];
    void *value = hole->value;
    find_pair(pairs, last->high, last->low)->number = entry->number;
    omptape_hash_remove(&pairs->index, entry);
    *hole = *last;
    pairs->count--;
    return value;
}

void omptape_pairs_free(struct omptape_pairs *pairs)
{
    free(pairs->list);
    omptape_hash_free(&pairs->index);
    *pairs = (struct omptape_pairs){.list = NULL};
}
