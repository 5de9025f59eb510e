/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table of teams or tasks by identity (include/omptape/record.h). Identities of one slot ascend, so each
 * identity has an entry in an array, and a look-up takes one access. Entries displaced by a newer one move to
 * a hash table. Used for nearly each record.
 */
#pragma once

#include "src/core/hash.h"
#include <omptape/record.h>
#include <stdbool.h>

struct omptape_identity {
    uint64_t id; /* 0: the entry is free. */
    void *value;
    uint32_t overflow; /* Number of entries in the hash table that belong to this one. */
};

struct omptape_identities {
    struct omptape_hash overflow;
    uint64_t mask; /* Number of entries, a power of two, minus one. */
    struct omptape_identity entries[];
};

/* Allocates an empty table. Returns NULL if out of memory. */
struct omptape_identities *omptape_identities_create(size_t entry_count);
/* Frees the table, but not the values. Accepts NULL. */
void omptape_identities_free(struct omptape_identities *all);

/* Returns the entry of an identity. Multiplying the slot spreads the identities of different slots. */
static inline struct omptape_identity *omptape_identities_entry(struct omptape_identities *all, uint64_t id)
{
    enum { SLOT_APART = 619 };
    return &all->entries[(id + (id >> OMPTAPE_ID_SEQUENCE_BITS) * SLOT_APART) & all->mask];
}

/* Looks up an identity in the hash table only. */
void *omptape_identities_find_overflow(const struct omptape_identities *all, uint64_t id);

/* Looks up an identity. Returns NULL if there is none, and for 0. */
static inline void *omptape_identities_find(struct omptape_identities *all, uint64_t id)
{
    const struct omptape_identity *entry = omptape_identities_entry(all, id);
    if (__builtin_expect(entry->id == id, 1))
        return entry->value;
    return entry->overflow > 0 ? omptape_identities_find_overflow(all, id) : NULL;
}

/* Inserts a value. Returns 0, -EINVAL for identity 0, -EEXIST if the identity is known, or -ENOMEM. */
int omptape_identities_add(struct omptape_identities *all, uint64_t id, void *value);

/* Inserts a value if its entry is free and has no displaced entries, the common case; else false. */
static inline bool omptape_identities_add_fast(struct omptape_identities *all, uint64_t id, void *value)
{
    struct omptape_identity *entry = omptape_identities_entry(all, id);
    if (id == 0 || entry->id != 0 || entry->overflow > 0)
        return false;
    entry->id = id;
    entry->value = value;
    return true;
}

void omptape_identities_remove(struct omptape_identities *all, uint64_t id);

/* Returns the entry at or after *at and advances *at; returns NULL at the end. Start with 0. The order is
 * arbitrary; nothing may be added or removed meanwhile. */
void *omptape_identities_next(const struct omptape_identities *all, size_t *at);
