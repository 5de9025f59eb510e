/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The definitions of regions, a part of the archive's definitions (definitions.h).
 */
#pragma once

#include "writers/regions/regions.h"
#include "writers/state/writer.h"

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
    uint32_t first;     /* the reference of the first region that says the same */
    uint32_t final_ref; /* in the global definitions, which must be numbered without gaps */
    bool merged;        /* an earlier region says the same */
};

/* All zeros: of none yet. */
struct omptape_region_texts {
    struct omptape_region_text *list; /* by reference */
    uint32_t count;
    uint32_t room;
    uint32_t distinct;
    struct omptape_hash known; /* a hash of the texts -> the first region that says so */
};

/* Fills in the texts of all regions that came since the last call. A profile does so when it meets a new one
 * (writer->region_texts), a trace once at its end. False: no memory. */
bool omptape_definitions_describe_regions(struct omptape_writer *writer, struct omptape_region_texts *texts);
void omptape_definitions_forget_regions(struct omptape_region_texts *texts);

/* The program's artificial region comes on top. */
void omptape_definitions_write_regions(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                       const struct omptape_region_texts *texts);

/* The groups that the program has its regions in, numbered from `first` on. */
void omptape_definitions_write_region_groups(struct omptape_writer *writer, OTF2_GlobalDefWriter *out,
                                             const struct omptape_region_texts *texts, OTF2_GroupRef first);

/* From the regions' references in the events to those of the definitions, for the local definitions; NULL:
 * there is no memory. The caller frees it. */
OTF2_IdMap *omptape_definitions_region_map(const struct omptape_region_texts *texts);

/* What the definition says beside these texts. */
OTF2_Paradigm omptape_definitions_region_paradigm(const struct omptape_writer *writer,
                                                  const struct omptape_region *region);
