/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that stood still while the writer caught up: the recording did that, and not the program. The time
 * stays in the thread's and the region's parts, but it is no work, and nobody is blamed for waiting for it.
 * Called where a thread's buffer was full, and where its time is booked.
 */
#include "src/analysis/location.h"
#include "src/analysis/shares.h"
#include "src/analysis/state.h"
#include "src/analysis/team.h"

#include <stddef.h>

void omptape_analysis_stall(struct analysis_location *location, uint64_t time, uint64_t until)
{
    if (until <= time)
        return;
    omptape_add(&location->thread->stalled, until - time);
    location->stalled_until = until;
    location->is_odd = true;
    for (uint32_t i = 0; i < location->membership_count; i++) {
        struct analysis_stalls *stalls = &location->memberships[i].team->stalls;
        uint64_t from = time > stalls->until ? time : stalls->until;
        stalls->sum += until > from ? until - from : 0;
        stalls->until = until > stalls->until ? until : stalls->until;
    }
}

void omptape_analysis_book_stall(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t stalled)
{
    for (uint32_t i = 0; i < location->membership_count; i++) {
        const struct analysis_membership *membership = &location->memberships[i];
        struct analysis_team *team = membership->team;
        struct analysis_member *member = membership->member;
        struct analysis_barrier *barrier = &team->barriers[(member->barriers + 1) & 1];
        struct analysis_arrival *arrival = &barrier->arrivals[membership->index];
        arrival->stalled = arrival->stalled || (arrival->here && !arrival->gone);
        member->stalled += stalled;
        omptape_shares_add(state, location, &member->shares, team->region, ANALYSIS_WAY_STALL, false,
                           stalled);
    }
}
