/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a member did in a phase (shares.h): few entries, looked through from the one met last.
 */
#include "src/analysis/shares.h"

#include "src/analysis/state.h"
#include "src/core/array.h"

#include <stddef.h>

enum { MOST_SHARES = 64 };

static inline struct analysis_share *find(const struct analysis_shares *shares,
                                          const struct analysis_region *region, enum analysis_way way,
                                          bool nested)
{
    for (uint32_t i = shares->count; i-- > 0;) {
        struct analysis_share *share = &shares->list[i];
        if (share->region == region && share->way == way && share->nested == nested)
            return share;
    }
    return NULL;
}

struct analysis_share *omptape_shares_obtain(struct analysis_state *state, struct analysis_shares *shares,
                                             struct analysis_region *region, enum analysis_way way,
                                             bool nested)
{
    struct analysis_share *share = find(shares, region, way, nested);
    if (share != NULL || shares->count == MOST_SHARES)
        return share;
    struct analysis_share *list =
        omptape_array_reserve(shares->list, shares->count + 1, &shares->room, sizeof(*list));
    if (list == NULL) {
        state->no_memory = true;
        return NULL;
    }
    shares->list = list;
    list[shares->count] = (struct analysis_share){.region = region, .way = (uint8_t)way, .nested = nested};
    return &list[shares->count++];
}

void omptape_shares_add(struct analysis_state *state, struct analysis_shares *shares,
                        struct analysis_region *region, enum analysis_way way, bool nested, uint64_t time)
{
    if (region == NULL || time == 0)
        return;
    struct analysis_share *share = find(shares, region, way, nested);
    if (share == NULL)
        share = omptape_shares_obtain(state, shares, region, way, nested);
    if (share == NULL && shares->count == MOST_SHARES) /* very many constructs: the last takes the rest */
        share = &shares->list[MOST_SHARES - 1];
    if (share != NULL)
        share->time += time;
}
