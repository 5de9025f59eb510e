/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the table of identities: insertion, removal, iteration, and look-ups in its overflow hash table.
 */
#include "writers/translate/identities.h"

#include <errno.h>
#include <stdlib.h>

struct omptape_identities *omptape_identities_create(size_t entry_count)
{
    struct omptape_identities *all = calloc(1, sizeof(*all) + entry_count * sizeof(all->entries[0]));
    if (all != NULL)
        all->mask = entry_count - 1;
    return all;
}

void omptape_identities_free(struct omptape_identities *all)
{
    if (all == NULL)
        return;
    omptape_hash_free(&all->overflow);
    free(all);
}

__attribute__((noinline)) void *omptape_identities_find_overflow(const struct omptape_identities *all,
                                                                 uint64_t id)
{
    return omptape_hash_get(&all->overflow, id);
}

/* Moves the entry of a place to the hash table, to free the place. Returns 0 or -ENOMEM. Rarely called:
 * out of line, like the function above, so that the common path calls nothing. */
static __attribute__((noinline)) int move_to_overflow(struct omptape_identities *all,
                                                      struct omptape_identity *entry)
{
    int error = omptape_hash_add(&all->overflow, entry->id, entry->value);
    entry->overflow += error == 0;
    return error;
}

int omptape_identities_add(struct omptape_identities *all, uint64_t id, void *value)
{
    struct omptape_identity *entry = omptape_identities_entry(all, id);
    if (id == 0)
        return -EINVAL;
    if (entry->id == id || (entry->overflow > 0 && omptape_identities_find_overflow(all, id) != NULL))
        return -EEXIST;
    int error = entry->id != 0 ? move_to_overflow(all, entry) : 0;
    if (error != 0)
        return error;
    entry->id = id;
    entry->value = value;
    return 0;
}

static __attribute__((noinline)) void remove_from_overflow(struct omptape_identities *all,
                                                           struct omptape_identity *entry, uint64_t id)
{
    entry->overflow -= omptape_hash_remove_key(&all->overflow, id) != NULL;
}

void omptape_identities_remove(struct omptape_identities *all, uint64_t id)
{
    struct omptape_identity *entry = omptape_identities_entry(all, id);
    if (__builtin_expect(entry->id != id, 0)) {
        remove_from_overflow(all, entry, id);
        return;
    }
    entry->id = 0;
    entry->value = NULL;
}

void *omptape_identities_next(const struct omptape_identities *all, size_t *at)
{
    while (*at <= all->mask + all->overflow.capacity) {
        const size_t i = (*at)++;
        if (i <= all->mask && all->entries[i].id != 0)
            return all->entries[i].value;
        if (i > all->mask && all->overflow.entries[i - all->mask - 1].key != 0)
            return all->overflow.entries[i - all->mask - 1].value;
    }
    return NULL;
}
