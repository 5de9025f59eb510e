/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Definitions for the analysis of a profile, in a reader in memory. Each is added right before the first
 * event that refers to it. It has the texts of the archive's definition and the reference used in events;
 * regions with equal definitions use the first one's reference. So regions are resolved, with the program's
 * debug information, when they first appear and not at the end. Called by profile.c; one thread.
 */
#pragma once

#include "src/archive/read/memory.h"
#include "writers/definitions/regions.h"
#include "writers/state/writer.h"

struct analysis_region;

/* A region, indexed by its reference in the events. */
struct omptape_profile_region {
    uint32_t first;                   /* Reference of the first region with the same definition. */
    struct analysis_region *analysis; /* The analysis's region, or NULL before its first event. */
};

/* All zeros: nothing is defined yet. */
struct omptape_profile_defs {
    struct omptape_reader *reader;
    struct omptape_region_texts texts;
    struct omptape_profile_region *regions;
    uint32_t region_count;
    uint32_t region_capacity;
    uint64_t *threads; /* Locations, indexed by thread number. */
    uint32_t thread_capacity;
    uint32_t thread_count;
    uint32_t locations; /* Number of the writer's locations that are defined. */
    uint32_t comms;     /* Number of communicators that are defined. */
    uint32_t levels;    /* Number of metrics with one member that are defined. */
};

/* Defines what is equal in every archive. `resolution`: ticks per second. Returns false if out of memory. */
bool omptape_profile_defs_begin(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                                uint64_t resolution);
void omptape_profile_defs_end(struct omptape_profile_defs *defs);

/* Defines the region if needed and returns it; valid until the next call. Returns NULL if out of memory. */
struct omptape_profile_region *omptape_profile_defs_region(struct omptape_profile_defs *defs,
                                                           struct omptape_writer *writer, uint32_t region);
/* Define the locations, communicators or metrics added since the last call; their references stay as in the
 * events. Return false if out of memory. */
bool omptape_profile_defs_locations(struct omptape_profile_defs *defs, struct omptape_writer *writer);
bool omptape_profile_defs_comms(struct omptape_profile_defs *defs, struct omptape_writer *writer);
bool omptape_profile_defs_metrics(struct omptape_profile_defs *defs, struct omptape_writer *writer);
/* Defines a context by its number only, because its frames are resolved at the end of the run. */
bool omptape_profile_defs_context(struct omptape_profile_defs *defs, OTF2_CallingContextRef context);
bool omptape_profile_defs_string(struct omptape_profile_defs *defs, struct omptape_writer *writer,
                                 OTF2_StringRef string);
