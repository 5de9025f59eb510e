/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Definitions of regions, a part of the archive's definitions (definitions.h).
 */
#pragma once

#include "src/core/store.h"
#include "writers/regions/regions.h"
#include "writers/state/writer.h"

#include <stdbool.h>

/* Contents of a region's definition. Two call sites may have the same contents (a function inlined twice).
 * For the user they are one construct, so they share one definition; the local definitions map their
 * references. */
struct omptape_region_text {
    OTF2_StringRef name;
    OTF2_StringRef symbol; /* Canonical name, if it differs from `name`. */
    OTF2_StringRef function;
    OTF2_StringRef file;
    uint32_t line;
    uint32_t first;     /* Reference of the first region with the same contents. */
    uint32_t final_ref; /* Reference in the global definitions, which are numbered without gaps. */
    bool merged;        /* True if an earlier region has the same contents, or the region is hidden. */
};

/* All zeros: empty. */
struct omptape_region_texts {
    struct omptape_region_text *list; /* Indexed by reference. */
    uint32_t count;
    uint32_t capacity;
    uint32_t distinct;
    struct omptape_hash known; /* Maps a hash of the texts to the first region with these texts. */
};

/* Fills in the texts of all regions added since the last call. A profile calls this for each new region
 * (writer->region_texts), a trace once at its end. Returns false if out of memory. */
bool omptape_definitions_describe_regions(struct omptape_writer *writer, struct omptape_region_texts *texts);
void omptape_definitions_forget_regions(struct omptape_region_texts *texts);

/* Writes the regions, and the program's artificial region after them. */
void omptape_definitions_write_regions(struct omptape_writer *writer,
                                       const struct omptape_region_texts *texts);

/* Writes the groups in which the program has placed its regions, numbered from `first`. */
void omptape_definitions_write_region_groups(struct omptape_writer *writer,
                                             const struct omptape_region_texts *texts, OTF2_GroupRef first);

/* Returns a map from the regions' references in the events to those of the definitions, for the local
 * definitions. Returns NULL if out of memory. The caller frees the map. */
OTF2_IdMap *omptape_definitions_region_map(const struct omptape_region_texts *texts);

/* Returns the paradigm of the region's definition. */
OTF2_Paradigm omptape_definitions_region_paradigm(const struct omptape_writer *writer,
                                                  const struct omptape_region *region);

/* Definitions of calling contexts: samples' frames in the program's terms. None without samples. */

/* Contents of the definitions. All zeros: nothing. */
struct omptape_context_texts {
    /* Name, file, module: regions numbered after the constructs and the program. */
    struct omptape_rows functions;
    struct omptape_rows places;   /* File, line. */
    struct omptape_rows contexts; /* Parent + 1, region, place. */
    uint32_t *final;              /* Indexed by the reference in the events; UINT32_MAX: not resolved yet. */
};

/* Resolves all contexts and stores the texts of their definitions. Returns false if out of memory. */
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
