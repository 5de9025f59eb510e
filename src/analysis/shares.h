/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a thread did in a stretch of its time: so much in one region, in one way. Of a phase between two
 * barriers, compared when all have left the second (barriers.c).
 */
#ifndef OMPTAPE_ANALYSIS_SHARES_H
#define OMPTAPE_ANALYSIS_SHARES_H

#include "src/analysis/state.h"

/* What a member of a team did in a phase: so much time in one region, in one way. */
enum analysis_way {
    ANALYSIS_WAY_COMPUTING,
    ANALYSIS_WAY_LOCK,     /* waited for the lock of the region */
    ANALYSIS_WAY_FORK,     /* came late: between the fork and the member's begin */
    ANALYSIS_WAY_CREATION, /* created the tasks of the region */
    ANALYSIS_WAY_TARGET,   /* waited for a device or moved data */
    ANALYSIS_WAY_MPI,      /* in a call of MPI */
    ANALYSIS_WAY_STALL,    /* stood still until there was room for its events: nobody's fault */
};

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
struct analysis_share *omptape_shares_obtain(struct analysis_state *state, struct analysis_shares *shares,
                                             struct analysis_region *region, enum analysis_way way,
                                             bool nested);

static inline uint32_t *omptape_shares_hint(struct analysis_region *region, enum analysis_way way)
{
    return &omptape_analysis_known(region)->share_hints[way % ANALYSIS_SHARE_HINTS];
}

/* The same if it is where the region was lately, in any list: members of a team mostly meet the same
 * constructs in the same order. NULL: elsewhere, or not there. */
static inline struct analysis_share *omptape_shares_near(const struct analysis_shares *shares,
                                                         struct analysis_region *region,
                                                         enum analysis_way way, bool nested)
{
    const uint32_t hint = *omptape_shares_hint(region, way);
    struct analysis_share *share = hint < shares->count ? &shares->list[hint] : NULL;
    return share != NULL && share->region == region && share->way == way && share->nested == nested ? share
                                                                                                    : NULL;
}

/* Adds time to what was done in a region; NULL: in none. */
void omptape_shares_add_to(struct analysis_state *state, struct analysis_shares *shares,
                           struct analysis_region *region, enum analysis_way way, bool nested, uint64_t time);
static inline void omptape_shares_add(struct analysis_state *state, struct analysis_shares *shares,
                                      struct analysis_region *region, enum analysis_way way, bool nested,
                                      uint64_t time)
{
    struct analysis_share *share = region != NULL ? omptape_shares_near(shares, region, way, nested) : NULL;
    if (share != NULL)
        share->time += time;
    else
        omptape_shares_add_to(state, shares, region, way, nested, time);
}

#endif
