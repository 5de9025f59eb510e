/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a member did in a phase (shares.h): a short list, searched from the end if the cached index is wrong.
 */
#include "src/analysis/shares.h"

#include "src/analysis/state.h"
#include "src/core/array.h"

#include <stddef.h>

enum { MAX_SHARES = 64 };

static struct analysis_share *find(struct analysis_location *location, const struct analysis_shares *shares,
                                   struct analysis_region *region, enum analysis_activity activity,
                                   bool nested)
{
    struct analysis_share *share = omptape_shares_cached(location, shares, region, activity, nested);
    for (uint32_t i = shares->count; i-- > 0 && share == NULL;) {
        struct analysis_share *one = &shares->list[i];
        if (one->region == region && one->activity == activity && one->nested == nested) {
            *omptape_shares_cache_entry(location, region, activity) = i;
            share = one;
        }
    }
    return share;
}

struct analysis_share *omptape_shares_obtain(struct analysis_location *location,
                                             struct analysis_shares *shares, struct analysis_region *region,
                                             enum analysis_activity activity, bool nested)
{
    struct analysis_share *share = find(location, shares, region, activity, nested);
    if (share != NULL || shares->count == MAX_SHARES)
        return share;
    if (!OMPTAPE_RESERVE(shares->list, shares->count + 1, &shares->capacity))
        return NULL;
    *omptape_shares_cache_entry(location, region, activity) = shares->count;
    shares->list[shares->count] =
        (struct analysis_share){.region = region, .activity = (uint8_t)activity, .nested = nested};
    return &shares->list[shares->count++];
}

void omptape_shares_add_to(struct analysis_location *location, struct analysis_shares *shares,
                           struct analysis_region *region, enum analysis_activity activity, bool nested,
                           uint64_t time)
{
    if (region == NULL || time == 0)
        return;
    struct analysis_share *share = omptape_shares_obtain(location, shares, region, activity, nested);
    /* Many constructs: the last entry receives the rest. */
    if (share == NULL && shares->count == MAX_SHARES)
        share = &shares->list[MAX_SHARES - 1];
    if (share != NULL)
        share->time += time;
}
