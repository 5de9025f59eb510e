/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hash tables from a 64-bit key to a pointer or number, and from a pair of keys to a pointer. Used by all
 * programs except the preloaded library. Each table must be used by one thread at a time. For larger rows the
 * caller keeps an array, and stores indices here under a hash of the row's contents. Several entries may have
 * the same key then, and the caller compares the rows.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct omptape_hash_entry {
    uint64_t key; /* 0: free entry */
    union {
        void *value;
        uint64_t number;
    };
};

/* Initialised with zeros. To iterate, visit entries[0 .. capacity) whose key is not 0. */
struct omptape_hash {
    struct omptape_hash_entry *entries;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

/* Functions for tables with unique keys. Returns the value, or NULL. */
void *omptape_hash_get(const struct omptape_hash *hash, uint64_t key);
/* Inserts or replaces. Returns 0, -EINVAL for key 0, or -ENOMEM. */
int omptape_hash_put(struct omptape_hash *hash, uint64_t key, void *value);
/* Inserts. Returns 0, -EEXIST, -EINVAL for key 0, or -ENOMEM. */
int omptape_hash_add(struct omptape_hash *hash, uint64_t key, void *value);
/* Removes the entry and returns its value, or NULL. */
void *omptape_hash_remove_key(struct omptape_hash *hash, uint64_t key);

/* Functions for tables with several entries per key. Returns the next entry with this key after `last`, or
 * the first one if `last` is NULL; NULL at the end. The caller may change the entry except its key. The
 * pointer is valid until an entry is inserted or removed. */
struct omptape_hash_entry *omptape_hash_next(const struct omptape_hash *hash, uint64_t key,
                                             const struct omptape_hash_entry *last);
/* Inserts a number without looking for equal keys. Returns 0, -EINVAL for key 0, or -ENOMEM. */
int omptape_hash_join(struct omptape_hash *hash, uint64_t key, uint64_t number);
/* The same for a pointer. */
int omptape_hash_join_value(struct omptape_hash *hash, uint64_t key, void *value);
/* Removes an entry that omptape_hash_next returned. */
void omptape_hash_remove(struct omptape_hash *hash, struct omptape_hash_entry *entry);

/* Frees the table, not the values. */
void omptape_hash_free(struct omptape_hash *hash);

/* Returns a hash of the bytes that is never 0. */
uint64_t omptape_hash_key(const void *data, size_t bytes);

/* A pair of arbitrary numbers and its value, which is not NULL. */
struct omptape_pair {
    uint64_t high;
    uint64_t low;
    void *value;
};

enum { OMPTAPE_CACHED_PAIRS = 128 };

/* Table of pairs, which may come from hostile files. Initialised with zeros. To iterate, visit list[0 ..
 * count), which is in the order of insertion until a pair is removed. */
struct omptape_pairs {
    struct omptape_pair *list;
    uint32_t count;
    uint32_t capacity;
    struct omptape_hash index;
    uint32_t near[OMPTAPE_CACHED_PAIRS]; /* cache: 1 + index of the last pair with this slot; may be stale */
};

/* Returns the cache slot of a pair. Consecutive small numbers get different slots. */
static inline uint32_t omptape_pairs_cache_index(uint64_t high, uint64_t low)
{
    return (uint32_t)(low ^ low >> 32 ^ high) % OMPTAPE_CACHED_PAIRS;
}

void *omptape_pairs_find(const struct omptape_pairs *pairs, uint64_t high, uint64_t low);
/* Returns the value, or NULL. */
static inline void *omptape_pairs_get(const struct omptape_pairs *pairs, uint64_t high, uint64_t low)
{
    uint32_t near = pairs->near[omptape_pairs_cache_index(high, low)];
    if (near > 0 && near <= pairs->count) {
        const struct omptape_pair *pair = &pairs->list[near - 1];
        if (pair->low == low && pair->high == high)
            return pair->value;
    }
    return omptape_pairs_find(pairs, high, low);
}
/* Inserts or replaces. Returns 0, or -ENOMEM. */
int omptape_pairs_put(struct omptape_pairs *pairs, uint64_t high, uint64_t low, void *value);
/* Removes the pair and returns its value, or NULL. */
void *omptape_pairs_remove(struct omptape_pairs *pairs, uint64_t high, uint64_t low);
/* Frees the pairs, not the values. */
void omptape_pairs_free(struct omptape_pairs *pairs);
