/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Open addressing with linear probing; an entry taken out is filled from behind, so there are no tombstones
 * and a map that lives for days stays fast. Called by the writer's translating thread.
 */
#include "writers/model/idmap.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 64 };

static size_t home_of(const struct omptape_idmap *map, uint64_t key)
{
    /* Identities count upwards below a slot number: multiply to spread both. */
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (map->capacity - 1);
}

static size_t find(const struct omptape_idmap *map, uint64_t key)
{
    size_t i = home_of(map, key);
    while (map->entries[i].key != 0 && map->entries[i].key != key)
        i = (i + 1) & (map->capacity - 1);
    return i;
}

void *omptape_idmap_get(const struct omptape_idmap *map, uint64_t key)
{
    if (map->capacity == 0 || key == 0)
        return NULL;
    size_t i = find(map, key);
    return map->entries[i].key == key ? map->entries[i].value : NULL;
}

static int grow(struct omptape_idmap *map)
{
    struct omptape_idmap bigger = {.capacity = map->capacity != 0 ? map->capacity * 2 : FIRST_CAPACITY,
                                   .count = map->count};
    bigger.entries = calloc(bigger.capacity, sizeof(bigger.entries[0]));
    if (bigger.entries == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].key != 0)
            bigger.entries[find(&bigger, map->entries[i].key)] = map->entries[i];
    free(map->entries);
    *map = bigger;
    return 0;
}

static int make_room(struct omptape_idmap *map, uint64_t key)
{
    if (key == 0)
        return -EINVAL;
    return map->count * 2 >= map->capacity ? grow(map) : 0;
}

int omptape_idmap_put(struct omptape_idmap *map, uint64_t key, void *value)
{
    int error = make_room(map, key);
    if (error != 0)
        return error;
    size_t i = find(map, key);
    map->count += map->entries[i].key == 0;
    map->entries[i] = (struct omptape_idmap_entry){.key = key, .value = value};
    return 0;
}

int omptape_idmap_add(struct omptape_idmap *map, uint64_t key, void *value)
{
    int error = make_room(map, key);
    if (error != 0)
        return error;
    size_t i = find(map, key);
    if (map->entries[i].key != 0)
        return -EEXIST;
    map->count++;
    map->entries[i] = (struct omptape_idmap_entry){.key = key, .value = value};
    return 0;
}

void *omptape_idmap_take(struct omptape_idmap *map, uint64_t key)
{
    if (map->capacity == 0 || key == 0)
        return NULL;
    size_t hole = find(map, key);
    if (map->entries[hole].key != key)
        return NULL;
    void *value = map->entries[hole].value;
    size_t mask = map->capacity - 1;
    for (size_t i = (hole + 1) & mask; map->entries[i].key != 0; i = (i + 1) & mask) {
        /* An entry may move into the hole unless that lies before its home. */
        size_t home = home_of(map, map->entries[i].key);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            map->entries[hole] = map->entries[i];
            hole = i;
        }
    }
    map->entries[hole] = (struct omptape_idmap_entry){.key = 0};
    map->count--;
    return value;
}

void omptape_idmap_free(struct omptape_idmap *map)
{
    free(map->entries);
    *map = (struct omptape_idmap){.entries = NULL};
}
