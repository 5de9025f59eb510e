/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Implements the table of identities: insertion, removal, iteration, and look-ups in its overflow hash table.
 */
#include "writers/translate/identities.h"

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

__attribute__((noinline)) void *omptape_identities_find_behind(const struct omptape_identities *all,
                                                               uint64_t id)
{
    return omptape_hash_get(&all->behind, id);
}

/* Moves the entry of a place to the hash table, to free the place. Returns 0 or -ENOMEM. Rarely called:
 * out of line, like the function above, so that the common path calls nothing. */
static __attribute__((noinline)) int move_behind(struct omptape_identities *all,
                                                 struct omptape_identity *place)
{
    int error = omptape_hash_add(&all->behind, place->id, place->value);
    place->behind += error == 0;
    return error;
}

int omptape_identities_add(struct omptape_identities *all, uint64_t id, void *value)
{
    struct omptape_identity *place = omptape_identities_place(all, id);
    if (id == 0)
        return -EINVAL;
    if (place->id == id || (place->behind > 0 && omptape_identities_find_behind(all, id) != NULL))
        return -EEXIST;
    int error = place->id != 0 ? move_behind(all, place) : 0;
    if (error != 0)
        return error;
    place->id = id;
    place->value = value;
    return 0;
}

static __attribute__((noinline)) void remove_behind(struct omptape_identities *all,
                                                    struct omptape_identity *place, uint64_t id)
{
    place->behind -= omptape_hash_remove_key(&all->behind, id) != NULL;
}

void omptape_identities_remove(struct omptape_identities *all, uint64_t id)
{
    struct omptape_identity *place = omptape_identities_place(all, id);
    if (__builtin_expect(place->id != id, 0)) {
        remove_behind(all, place, id);
        return;
    }
    place->id = 0;
    place->value = NULL;
}

void *omptape_identities_next(const struct omptape_identities *all, size_t *at)
{
    while (*at <= all->mask + all->behind.capacity) {
        const size_t i = (*at)++;
        if (i <= all->mask && all->near[i].id != 0)
            return all->near[i].value;
        if (i > all->mask && all->behind.entries[i - all->mask - 1].key != 0)
            return all->behind.entries[i - all->mask - 1].value;
    }
    return NULL;
}
