/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The definitions that the analysis of a profile has seen so far, in a reader of memory. Each one comes right
 * before the first event that refers to it. It has the texts that it will have in the archive, and the
 * reference that events have. Regions that read the same have the reference of the first one. So regions are
 * named, by the program's debug information, when they are met, not at the end. Called by profile.c; one
 * thread.
 */
#pragma once

#include "src/archive/read/memory.h"
#include "writers/definitions/regions.h"
#include "writers/state/writer.h"

struct analysis_region;

/* A region, by its reference in the events. */
struct omptape_known_region {
    uint32_t first;              /* that it is known by */
    struct analysis_region *met; /* what the analysis has of it, once it has met it */
};

/* All zeros: nothing yet. */
struct omptape_known {
    struct omptape_reader *reader;
    struct omptape_region_texts texts;
    struct omptape_known_region *regions;
    uint32_t region_count;
    uint32_t region_room;
    uint64_t *threads; /* locations, by the number of their thread */
    uint32_t thread_room;
    uint32_t thread_count;
    uint32_t locations; /* of the writer's, those below are known */
    uint32_t comms;     /* likewise */
    uint32_t levels;    /* likewise: metrics of one member */
};

/* What is the same in every archive. `resolution`: ticks a second. False: no memory. */
bool omptape_known_begin(struct omptape_known *known, struct omptape_writer *writer, uint64_t resolution);
void omptape_known_end(struct omptape_known *known);

/* The region, which is known from now on; valid until the next. NULL: no memory. */
struct omptape_known_region *omptape_known_region(struct omptape_known *known, struct omptape_writer *writer,
                                                  uint32_t region);
/* The others keep theirs. */
bool omptape_known_locations(struct omptape_known *known, struct omptape_writer *writer);
bool omptape_known_comms(struct omptape_known *known, struct omptape_writer *writer);
bool omptape_known_levels(struct omptape_known *known, struct omptape_writer *writer);
/* By its number alone: only the end of a run shows which frames it has. */
bool omptape_known_context(struct omptape_known *known, OTF2_CallingContextRef context);
bool omptape_known_string(struct omptape_known *known, struct omptape_writer *writer, OTF2_StringRef string);
