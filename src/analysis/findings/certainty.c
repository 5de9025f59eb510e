/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides how certain a finding's gain is: measured, estimated, an upper or a lower bound. Called by
 * findings.c after all gains are known.
 */
#include "src/analysis/findings/gathering.h"
#include "src/analysis/locks.h"

/* A lock held for a shorter time changes owner more often under tracing, because threads also record events.
 */
static const double short_hold_ns = 1000;

static bool is_held_for_short(const struct analysis_state *state, const struct analysis_region *region)
{
    const struct analysis_lock_site *site = omptape_analysis_of_region(&state->lock_sites, region);
    return site != NULL && site->result.hold.count > 0 &&
           (double)site->result.hold.sum * state->ns_per_tick <
               short_hold_ns * (double)site->result.hold.count;
}

enum omptape_certainty omptape_findings_certainty(const struct analysis_state *state,
                                                  const struct omptape_finding *finding)
{
    switch (finding->kind) {
    case OMPTAPE_FINDING_SERIAL:
    case OMPTAPE_FINDING_TASK_CHAIN:
    case OMPTAPE_FINDING_FEW_THREADS:
    case OMPTAPE_FINDING_SMALL_MESSAGES:
        return OMPTAPE_AT_MOST;
    case OMPTAPE_FINDING_LOCK:
        return is_held_for_short(state, finding->region) ? OMPTAPE_AT_MOST : OMPTAPE_MEASURED;
    case OMPTAPE_FINDING_PAGE_FAULTS:
        return finding->serial != NULL ? OMPTAPE_AT_MOST : OMPTAPE_ESTIMATED;
    case OMPTAPE_FINDING_SYSTEM_TIME:
        return OMPTAPE_AT_LEAST;
    case OMPTAPE_FINDING_OVERSUBSCRIPTION:
        if (finding->is_crowded && omptape_findings_beyond(state) > 0)
            return OMPTAPE_AT_MOST;
        /* fall through */
    case OMPTAPE_FINDING_PREEMPTION:
    case OMPTAPE_FINDING_BLOCKED:
        return omptape_findings_all_measured(state) ? OMPTAPE_MEASURED : OMPTAPE_ESTIMATED;
    case OMPTAPE_FINDING_FINE_CHUNKS:
        return omptape_chunks_are_measured(state) ? OMPTAPE_MEASURED : OMPTAPE_ESTIMATED;
    case OMPTAPE_FINDING_FINE_TASKS:
    case OMPTAPE_FINDING_TINY_REGIONS:
    case OMPTAPE_FINDING_NEEDLESS_BARRIER:
    case OMPTAPE_FINDING_QUOTA:
    case OMPTAPE_FINDING_SPIN:
        return OMPTAPE_ESTIMATED;
    default:
        return OMPTAPE_MEASURED;
    }
}

const char *omptape_finding_certainty(const struct omptape_finding *finding)
{
    static const char *const words[] = {"measured", "estimated", "at most", "at least"};
    return words[finding->certainty];
}

const char *omptape_finding_before_gain(const struct omptape_finding *finding)
{
    static const char *const words[] = {"", "about ", "at most ", "at least "};
    return words[finding->certainty];
}
