/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists what a member did in a phase (between two barriers): time by region and activity. The file barriers.c
 * compares the lists when all members have left the second barrier.
 */
#pragma once

#include "src/analysis/location.h"

struct analysis_share {
    struct analysis_region *region;
    uint64_t time;
    uint8_t activity; /* enum analysis_activity */
    bool nested;      /* within a parallel region nested in the team's */
    /* The next ones are only set for loops: */
    uint64_t chunks;
    uint64_t iterations; /* of this thread; 0: none, or unknown */
    uint64_t whole;      /* of all threads */
};

struct analysis_shares {
    struct analysis_share *list;
    uint32_t count;
    uint32_t capacity;
};

/* Returns the entry for a region and activity, and creates it if necessary. Returns NULL if the list is full
 * or memory is exhausted. */
struct analysis_share *omptape_shares_obtain(struct analysis_location *location,
                                             struct analysis_shares *shares, struct analysis_region *region,
                                             enum analysis_activity activity, bool nested);

/* Returns the cache entry of the share's last index in a list of the location; others may use it, too. */
static inline uint32_t *omptape_shares_cache_entry(struct analysis_location *location,
                                                   struct analysis_region *region,
                                                   enum analysis_activity activity)
{
    const uint32_t number = omptape_analysis_region_state(region)->number;
    return &location->cached_shares[(number + 5 * (uint32_t)activity) % ANALYSIS_CACHED_SHARES];
}

/* Returns the share if it is at the cached index: threads mostly visit the same constructs in the same
 * order. Returns NULL if it is elsewhere or missing. */
static inline struct analysis_share *omptape_shares_cached(struct analysis_location *location,
                                                           const struct analysis_shares *shares,
                                                           struct analysis_region *region,
                                                           enum analysis_activity activity, bool nested)
{
    const uint32_t place = *omptape_shares_cache_entry(location, region, activity);
    if (place >= shares->count)
        return NULL;
    struct analysis_share *share = &shares->list[place];
    return share->region == region && share->activity == activity && share->nested == nested ? share : NULL;
}

/* Adds time to the entry of a region; NULL: does nothing. */
void omptape_shares_add_to(struct analysis_location *location, struct analysis_shares *shares,
                           struct analysis_region *region, enum analysis_activity activity, bool nested,
                           uint64_t time);
static inline void omptape_shares_add(struct analysis_location *location, struct analysis_shares *shares,
                                      struct analysis_region *region, enum analysis_activity activity,
                                      bool nested, uint64_t time)
{
    struct analysis_share *share =
        region != NULL ? omptape_shares_cached(location, shares, region, activity, nested) : NULL;
    if (share != NULL)
        share->time += time;
    else
        omptape_shares_add_to(location, shares, region, activity, nested, time);
}
