/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of what has an identity. Called where something begins or is over, and for what is not at its
 * place.
 */
#include "writers/translate/state/identities.h"

#include <errno.h>
#include <stdlib.h>

struct omptape_identities *omptape_identities_create(size_t places)
{
    struct omptape_identities *all = calloc(1, sizeof(*all) + places * sizeof(all->near[0]));
    if (all != NULL)
        all->mask = places - 1;
    return all;
}

void omptape_identities_free(struct omptape_identities *all)
{
    if (all == NULL)
        return;
    omptape_hash_free(&all->behind);
    free(all);
}

void *omptape_identities_find_behind(const struct omptape_identities *all, uint64_t id)
{
    return all->behind.count > 0 ? omptape_hash_get(&all->behind, id) : NULL;
}

int omptape_identities_add(struct omptape_identities *all, uint64_t id, void *value)
{
    struct omptape_hash_entry *place = omptape_identities_place(all, id);
    if (id == 0)
        return -EINVAL;
    if (omptape_identities_find(all, id) != NULL)
        return -EEXIST;
    int error = place->key != 0 ? omptape_hash_add(&all->behind, place->key, place->value) : 0;
    if (error == 0)
        *place = (struct omptape_hash_entry){.key = id, .value = value};
    return error;
}

void omptape_identities_remove(struct omptape_identities *all, uint64_t id)
{
    struct omptape_hash_entry *place = omptape_identities_place(all, id);
    if (place->key == id)
        *place = (struct omptape_hash_entry){.key = 0};
    else
        omptape_hash_take(&all->behind, id);
}

void *omptape_identities_next(const struct omptape_identities *all, size_t *at)
{
    for (size_t i = *at; i <= all->mask + all->behind.capacity; i++) {
        const struct omptape_hash_entry *entry =
            i <= all->mask ? &all->near[i] : &all->behind.entries[i - all->mask - 1];
        *at = i + 1;
        if (entry->key != 0)
            return entry->value;
    }
    return NULL;
}
