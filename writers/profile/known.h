/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The definitions that the analysis of a profile has seen so far, in a reader of memory: each is told right
 * before the first event that refers to it, with the texts that it will have in the archive and the reference
 * that events have (of regions that read the same, the first one's). So regions are named, by the program's
 * debug information, when they are met, not at the end. Called for each event by feed.c; one thread.
 */
#ifndef OMPTAPE_WRITERS_PROFILE_KNOWN_H
#define OMPTAPE_WRITERS_PROFILE_KNOWN_H

#include "src/reader/memory.h"
#include "writers/definitions/regions.h"
#include "writers/model/model.h"

/* All zeros: nothing yet. */
struct omptape_known {
    struct omptape_reader *reader;
    struct omptape_region_texts texts;
    uint32_t *regions; /* by the region's reference in the events: the one that it is known by */
    uint32_t region_count;
    uint32_t region_room;
    uint64_t *threads; /* locations, by the number of their thread */
    uint32_t thread_room;
    uint32_t thread_count;
    uint32_t locations; /* of the writer's, those below are known */
    uint32_t comms;     /* likewise */
};

/* What is the same in every archive. `resolution`: ticks a second. False: no memory. */
bool omptape_known_begin(struct omptape_known *known, struct omptape_writer *writer, uint64_t resolution);
void omptape_known_end(struct omptape_known *known);

/* The reference that a region is known by, which is known from now on. False: no memory. */
bool omptape_known_region_slow(struct omptape_known *known, struct omptape_writer *writer, uint32_t region,
                               uint32_t *first);
static inline bool omptape_known_region(struct omptape_known *known, struct omptape_writer *writer,
                                        uint32_t region, uint32_t *first)
{
    if (__builtin_expect(region >= known->region_count, 0))
        return omptape_known_region_slow(known, writer, region, first);
    *first = known->regions[region];
    return true;
}
/* The others keep theirs. */
bool omptape_known_locations(struct omptape_known *known, struct omptape_writer *writer);
bool omptape_known_comms(struct omptape_known *known, struct omptape_writer *writer);
bool omptape_known_string(struct omptape_known *known, struct omptape_writer *writer, OTF2_StringRef string);

#endif
