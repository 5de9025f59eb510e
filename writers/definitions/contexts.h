/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The definitions of calling contexts, a part of the archive's definitions (definitions.h): what the frames
 * of samples are called, in the program's terms. Nothing is defined where nothing was sampled.
 */
#pragma once

#include "src/core/store.h"
#include "writers/definitions/regions.h"

/* All that the definitions say. All zeros: nothing. */
struct omptape_context_texts {
    struct omptape_rows functions; /* name, file, module: regions behind the constructs' and the program's */
    struct omptape_rows places;    /* file, line */
    struct omptape_rows contexts;  /* parent + 1, region, place */
    uint32_t *final;               /* by reference in the events; UINT32_MAX: not known yet */
};

/* Resolves all contexts, and keeps the texts that their definitions need. False: no memory. */
bool omptape_definitions_describe_contexts(struct omptape_writer *writer,
                                           const struct omptape_region_texts *regions,
                                           struct omptape_context_texts *texts);
void omptape_definitions_forget_contexts(struct omptape_context_texts *texts);

/* After the regions. */
void omptape_definitions_write_contexts(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                        const struct omptape_region_texts *regions,
                                        const struct omptape_context_texts *texts);

/* From the references in the location's events to those of the definitions, for its local definitions; NULL:
 * they are the same, or there is no memory. The caller frees it. */
OTF2_IdMap *omptape_definitions_context_map(const struct omptape_context_texts *texts,
                                            const struct omptape_location *location);
