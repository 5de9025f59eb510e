/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Source positions that were resolved earlier. A child that makes a checkpoint resolves the positions of all
 * regions so far and returns them to the writer. Nobody has to resolve them again.
 */
#pragma once

#include "writers/symbols/symbols.h"

#include <stdbool.h>
#include <stdint.h>

struct omptape_sources {
    struct omptape_source *list; /* Indexed by region; positions from `known` on are not resolved yet. */
    uint32_t known;
    uint32_t capacity;
};

/* Returns the position of region number `region`, or NULL if it is not known. */
const struct omptape_source *omptape_sources_get(const struct omptape_sources *sources, uint32_t region);

/* Writes a region's position to `fd`, in the order of the regions from number sources->known on. Returns
 * false if a text is too long or the write failed; then the caller must not write further positions. */
bool omptape_sources_export(int fd, const struct omptape_source *source);
/* Adds a position with copies of its texts. Returns false if out of memory. */
bool omptape_sources_add(struct omptape_sources *sources, const struct omptape_source *source);
/* Forgets the positions from number `known` on. */
void omptape_sources_truncate(struct omptape_sources *sources, uint32_t known);
/* Imports the positions in `fd`, from its beginning. Ignores a truncated one at the end. */
void omptape_sources_import(struct omptape_sources *sources, int fd);

void omptape_sources_free(struct omptape_sources *sources);
