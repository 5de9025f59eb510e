/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a member did in a phase (state.h): few entries, looked through from the one met last.
 */
#include "src/analysis/state.h"
#include "src/core/array.h"

enum { MOST_SHARES = 64 };

void omptape_shares_add(struct analysis_state *state, struct analysis_shares *shares,
                        struct analysis_region *region, enum analysis_way way, bool nested, uint64_t time)
{
    for (uint32_t i = shares->count; i-- > 0;) {
        struct analysis_share *share = &shares->list[i];
        if (share->region == region && share->way == way && share->nested == nested) {
            share->time += time;
            return;
        }
    }
    if (region == NULL || time == 0)
        return;
    if (shares->count == MOST_SHARES) { /* a phase of very many constructs: the last entry takes the rest */
        shares->list[MOST_SHARES - 1].time += time;
        return;
    }
    struct analysis_share *list =
        omptape_array_reserve(shares->list, shares->count + 1, &shares->room, sizeof(*list));
    if (list == NULL) {
        state->no_memory = true;
        return;
    }
    shares->list = list;
    list[shares->count++] =
        (struct analysis_share){.region = region, .way = (uint8_t)way, .nested = nested, .time = time};
}
