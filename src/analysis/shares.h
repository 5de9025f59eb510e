/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a thread did in a stretch of its time: so much in one region, in one way. Of a phase between two
 * barriers, compared when all have left the second (barriers.c).
 */
#pragma once

#include "src/analysis/location.h"

struct analysis_share {
    struct analysis_region *region;
    uint64_t time;
    uint8_t way; /* enum analysis_way */
    bool nested; /* within a parallel region inside of the team's */
    /* Of a loop: */
    uint64_t chunks;
    uint64_t iterations; /* the thread's own; 0: none, or not known */
    uint64_t whole;      /* all threads' */
};

struct analysis_shares {
    struct analysis_share *list;
    uint32_t count;
    uint32_t room;
};

/* What was done in a region, to add to it; NULL: no room, or no memory. */
struct analysis_share *omptape_shares_obtain(struct analysis_location *location,
                                             struct analysis_shares *shares, struct analysis_region *region,
                                             enum analysis_way way, bool nested);

/* Where such a share was in a list of the location's the last time, or another one. */
static inline uint32_t *omptape_shares_place(struct analysis_location *location,
                                             struct analysis_region *region, enum analysis_way way)
{
    const uint32_t number = omptape_analysis_known(region)->number;
    return &location->near_shares[(number + 5 * (uint32_t)way) % ANALYSIS_NEAR_SHARES];
}

/* The same if it is there: a thread mostly meets the same constructs in the same order. NULL: elsewhere, or
 * not there. */
static inline struct analysis_share *omptape_shares_near(struct analysis_location *location,
                                                         const struct analysis_shares *shares,
                                                         struct analysis_region *region,
                                                         enum analysis_way way, bool nested)
{
    const uint32_t place = *omptape_shares_place(location, region, way);
    if (place >= shares->count)
        return NULL;
    struct analysis_share *share = &shares->list[place];
    return share->region == region && share->way == way && share->nested == nested ? share : NULL;
}

/* Adds time to what was done in a region; NULL: in none. */
void omptape_shares_add_to(struct analysis_location *location, struct analysis_shares *shares,
                           struct analysis_region *region, enum analysis_way way, bool nested, uint64_t time);
static inline void omptape_shares_add(struct analysis_location *location, struct analysis_shares *shares,
                                      struct analysis_region *region, enum analysis_way way, bool nested,
                                      uint64_t time)
{
    struct analysis_share *share =
        region != NULL ? omptape_shares_near(location, shares, region, way, nested) : NULL;
    if (share != NULL)
        share->time += time;
    else
        omptape_shares_add_to(location, shares, region, way, nested, time);
}
