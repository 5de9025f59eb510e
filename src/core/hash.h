/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The hash tables: from a 64-bit key to a pointer or a number, and from a pair of keys to a pointer. Used by
 * all parts but the preloaded library. Any thread; a table belongs to one. A caller whose rows hold more than
 * a number keeps these in a list, and their places here, by a hash of what they hold. Several entries may
 * have one key, and the owner compares its rows.
 */
#ifndef OMPTAPE_CORE_HASH_H
#define OMPTAPE_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct omptape_hash_entry {
    uint64_t key; /* 0: the entry is free */
    union {
        void *value;
        uint64_t number;
    };
};

/* All zeros is an empty table. Walk it by looking at entries[0 .. capacity) whose key is not 0. */
struct omptape_hash {
    struct omptape_hash_entry *entries;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

/* One entry a key. The value, or NULL. */
void *omptape_hash_get(const struct omptape_hash *hash, uint64_t key);
/* Adds or replaces. 0, -EINVAL for key 0, or -ENOMEM. */
int omptape_hash_put(struct omptape_hash *hash, uint64_t key, void *value);
/* Adds. 0, -EEXIST, -EINVAL for key 0, or -ENOMEM. */
int omptape_hash_add(struct omptape_hash *hash, uint64_t key, void *value);
/* Takes the entry out and returns its value, or NULL. */
void *omptape_hash_take(struct omptape_hash *hash, uint64_t key);

/* Several entries a key: the one with this key behind `last`, or the first if that is NULL; NULL: there is no
 * more. What it holds may be changed, but for its key, and is valid until an entry is added or taken out. */
struct omptape_hash_entry *omptape_hash_next(const struct omptape_hash *hash, uint64_t key,
                                             const struct omptape_hash_entry *last);
/* Adds a number, whatever has this key already. 0, -EINVAL for key 0, or -ENOMEM. */
int omptape_hash_join(struct omptape_hash *hash, uint64_t key, uint64_t number);
/* The same of a pointer. */
int omptape_hash_join_value(struct omptape_hash *hash, uint64_t key, void *value);
/* Takes out what omptape_hash_next found. */
void omptape_hash_remove(struct omptape_hash *hash, struct omptape_hash_entry *entry);

/* Frees the table, not the values. */
void omptape_hash_free(struct omptape_hash *hash);

/* A key for bytes; never 0. */
uint64_t omptape_hash_key(const void *data, size_t bytes);

/* A pair of any two numbers and its value, which is not NULL. */
struct omptape_pair {
    uint64_t high;
    uint64_t low;
    void *value;
};

enum { OMPTAPE_NEAR_PAIRS = 128 };

/* Pairs, which may come from hostile files. All zeros: there is none. Walk them by list[0 .. count): in the
 * order they came as long as none is taken out. */
struct omptape_pairs {
    struct omptape_pair *list;
    uint32_t count;
    uint32_t capacity;
    struct omptape_hash index;
    uint32_t
        near[OMPTAPE_NEAR_PAIRS]; /* 1 + the place of the last pair with such numbers, if it is still there */
};

/* Numbers that count from 0 on are near each other in one of these bits. */
static inline uint32_t omptape_pairs_near(uint64_t high, uint64_t low)
{
    return (uint32_t)(low ^ low >> 32 ^ high) % OMPTAPE_NEAR_PAIRS;
}

void *omptape_pairs_find(const struct omptape_pairs *pairs, uint64_t high, uint64_t low);
/* The value, or NULL. */
static inline void *omptape_pairs_get(const struct omptape_pairs *pairs, uint64_t high, uint64_t low)
{
    uint32_t near = pairs->near[omptape_pairs_near(high, low)];
    if (near > 0 && near <= pairs->count) {
        const struct omptape_pair *pair = &pairs->list[near - 1];
        if (pair->low == low && pair->high == high)
            return pair->value;
    }
    return omptape_pairs_find(pairs, high, low);
}
/* Adds or replaces. 0, or -ENOMEM. */
int omptape_pairs_put(struct omptape_pairs *pairs, uint64_t high, uint64_t low, void *value);
/* Takes the pair out and returns its value, or NULL. */
void *omptape_pairs_take(struct omptape_pairs *pairs, uint64_t high, uint64_t low);
/* Frees the pairs, not the values. */
void omptape_pairs_free(struct omptape_pairs *pairs);

#endif
