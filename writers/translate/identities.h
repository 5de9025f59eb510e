/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What has an identity (include/omptape/record.h), by that: teams, tasks. The identities of one slot count
 * upwards. So an entry that is not over for long stands at its identity's place in a table, and is found
 * there at once. If another one takes its place, the entry moves to a hash table. Asked for nearly each
 * record.
 */
#pragma once

#include "src/core/hash.h"
#include <omptape/record.h>
#include <stdbool.h>

struct omptape_identity {
    uint64_t id; /* 0: the place is free */
    void *value;
    uint32_t behind; /* how many are in the hash table whose place this would be */
};

struct omptape_identities {
    struct omptape_hash behind;
    uint64_t mask; /* one less than there are places, a power of two */
    struct omptape_identity near[];
};

/* All zero but for the mask. NULL: out of memory. */
struct omptape_identities *omptape_identities_create(size_t places);
/* Frees the table, not the values; NULL may be given. */
void omptape_identities_free(struct omptape_identities *all);

/* Those of other slots come in between. */
static inline struct omptape_identity *omptape_identities_place(struct omptape_identities *all, uint64_t id)
{
    enum { SLOT_APART = 619 };
    return &all->near[(id + (id >> OMPTAPE_ID_SEQUENCE_BITS) * SLOT_APART) & all->mask];
}

/* The function below for what is in the hash table, if it is anywhere. */
void *omptape_identities_find_behind(const struct omptape_identities *all, uint64_t id);

/* NULL: there is none; also for 0, which names nothing. */
static inline void *omptape_identities_find(struct omptape_identities *all, uint64_t id)
{
    const struct omptape_identity *place = omptape_identities_place(all, id);
    if (__builtin_expect(place->id == id, 1))
        return place->value;
    return place->behind > 0 ? omptape_identities_find_behind(all, id) : NULL;
}

/* 0, -EINVAL for 0, -EEXIST: it is known already, or -ENOMEM. */
int omptape_identities_add(struct omptape_identities *all, uint64_t id, void *value);

/* The same where its place is free and no other would be there, as mostly; else false. */
static inline bool omptape_identities_add_near(struct omptape_identities *all, uint64_t id, void *value)
{
    struct omptape_identity *place = omptape_identities_place(all, id);
    if (id == 0 || place->id != 0 || place->behind > 0)
        return false;
    place->id = id;
    place->value = value;
    return true;
}

void omptape_identities_remove(struct omptape_identities *all, uint64_t id);

/* All of them, in no order: the one at *at or behind, which is then advanced; NULL: there is no more. Start
 * with 0; none may be added or removed meanwhile. */
void *omptape_identities_next(const struct omptape_identities *all, size_t *at);
