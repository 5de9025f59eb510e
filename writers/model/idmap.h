/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A hash map from a 64-bit identity to a pointer: live tasks, teams, locks, target operations of the writer.
 * Used by the writer's translating thread only. Key 0 is never stored.
 */
#ifndef OMPTAPE_WRITERS_MODEL_IDMAP_H
#define OMPTAPE_WRITERS_MODEL_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct omptape_idmap_entry {
    uint64_t key; /* 0: empty */
    void *value;
};

struct omptape_idmap {
    struct omptape_idmap_entry *entries;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
};

/* The value, or NULL. */
void *omptape_idmap_get(const struct omptape_idmap *map, uint64_t key);
/* Adds or replaces. 0, -EINVAL for key 0, or -ENOMEM. */
int omptape_idmap_put(struct omptape_idmap *map, uint64_t key, void *value);
/* Adds. 0, -EEXIST, -EINVAL for key 0, or -ENOMEM. */
int omptape_idmap_add(struct omptape_idmap *map, uint64_t key, void *value);
/* Takes the entry out and returns its value, or NULL. */
void *omptape_idmap_take(struct omptape_idmap *map, uint64_t key);
/* Frees the map, not the values. */
void omptape_idmap_free(struct omptape_idmap *map);

#endif
