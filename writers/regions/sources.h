/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Source positions that are known already. A child that makes a checkpoint looks up those of all regions so
 * far and passes them back to the writer. So neither a later child nor the writer at the end has to do it
 * again.
 */
#pragma once

#include "writers/symbols/symbols.h"

#include <stdbool.h>
#include <stdint.h>

struct omptape_sources {
    struct omptape_source *list; /* by region; those beyond `known` are still to be looked up */
    uint32_t known;
    uint32_t capacity;
};

/* Of region number `region`; NULL: not known. */
const struct omptape_source *omptape_sources_get(const struct omptape_sources *sources, uint32_t region);

/* Writes a region's source to `fd`, in the order of the regions, from number sources->known on. False: it
 * could not be written, and no more may be. */
bool omptape_sources_export(int fd, const struct omptape_source *source);
/* Adds one, with copies of its texts. False: no memory. */
bool omptape_sources_add(struct omptape_sources *sources, const struct omptape_source *source);
/* Adds what was written to `fd`, from its beginning. A piece that is cut short is left out. */
void omptape_sources_import(struct omptape_sources *sources, int fd);

void omptape_sources_free(struct omptape_sources *sources);
