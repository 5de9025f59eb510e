/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The definitions of regions, a part of the archive's definitions (definitions.h).
 */
#ifndef OMPTAPE_WRITERS_DEFINITIONS_REGIONS_H
#define OMPTAPE_WRITERS_DEFINITIONS_REGIONS_H

#include "writers/model/model.h"

#include <stdbool.h>

/* All that a region's definition says. Two call sites can have the same (a function inlined twice): for the
 * user they are one construct, so they get one definition, and the local definitions say which reference
 * became which. */
struct omptape_region_text {
    OTF2_StringRef name;
    OTF2_StringRef symbol; /* the canonical name, where it is another */
    OTF2_StringRef function;
    OTF2_StringRef file;
    uint32_t line;
    uint32_t final_ref; /* in the global definitions, which must be numbered without gaps */
    bool merged;        /* an earlier region says the same */
};

/* Fills in the texts of all regions, `texts` being all zeros; returns how many distinct ones there are. */
uint32_t omptape_definitions_describe_regions(struct omptape_writer *writer,
                                              struct omptape_region_text *texts);

/* `distinct`: how many of them there are. The program's artificial region is one more. */
void omptape_definitions_write_regions(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                       const struct omptape_region_text *texts, uint32_t distinct);

/* From the regions' references in the events to those of the definitions, for the local definitions; NULL:
 * there is no memory. The caller frees it. */
OTF2_IdMap *omptape_definitions_region_map(const struct omptape_writer *writer,
                                           const struct omptape_region_text *texts);

#endif
