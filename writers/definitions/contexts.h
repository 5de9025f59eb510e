/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Definitions of calling contexts, a part of the archive's definitions (definitions.h): the frames of samples
 * in the program's terms. Defines nothing if nothing was sampled.
 */
#pragma once

#include "src/core/store.h"
#include "writers/definitions/regions.h"

/* Contents of the definitions. All zeros: nothing. */
struct omptape_context_texts {
    /* Name, file, module: regions numbered after the constructs and the program. */
    struct omptape_rows functions;
    struct omptape_rows places;   /* File, line. */
    struct omptape_rows contexts; /* Parent + 1, region, place. */
    uint32_t *final;              /* Indexed by the reference in the events; UINT32_MAX: not resolved yet. */
};

/* Resolves all contexts and stores the texts of their definitions. Returns false if memory is exhausted. */
bool omptape_definitions_describe_contexts(struct omptape_writer *writer,
                                           const struct omptape_region_texts *regions,
                                           struct omptape_context_texts *texts);
void omptape_definitions_forget_contexts(struct omptape_context_texts *texts);

/* Writes the definitions. Called after the regions are written. */
void omptape_definitions_write_contexts(struct omptape_writer *writer,
                                        const struct omptape_region_texts *regions,
                                        const struct omptape_context_texts *texts);

/* Returns a map from the references in the location's events to those of the definitions, for its local
 * definitions. Returns NULL if they are equal or memory is exhausted. The caller frees the map. */
OTF2_IdMap *omptape_definitions_context_map(const struct omptape_context_texts *texts,
                                            const struct omptape_location *location);
