/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Receives that are complete before others which were posted earlier. What is sent meets receives in the
 * order in which these are posted (MPI 3.1, 3.5), but an archive tells where a receive belongs only when it
 * is complete, perhaps after later ones (MPI_Waitany, requests waited for one by one). So the archive is read
 * once ahead, and what differs from the order of completion is kept: for each such receive, how many of the
 * same communicator, tag and sender were posted before it and are complete after it.
 *
 * A receive is posted where its MpiIrecvRequest stands, or where the call that blocks is entered; one that a
 * matched probe found, where that probe was entered. One that never ends belongs nowhere. What several
 * threads of a process receive in calls that block has the order in which it is complete, since that in which
 * they were posted is known to MPI alone. For channels.h. One thread; memory: some bytes for each such
 * receive.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_OVERTAKING_H
#define OMPTAPE_ANALYSIS_MPI_OVERTAKING_H

#include "src/archive/read/reader.h"

/* All zeros is empty. */
struct omptape_overtaking {
    struct omptape_pairs receives; /* (location, time) -> how many it overtakes */
    struct omptape_arena arena;
};

/* Reads the archive that `reader` has open by a reader of its own, process by process, if it has functions
 * that post receives and does not say itself that there are none of these (OMPTAPE_KEY_OVERTAKING). What
 * cannot be read is not known. `beats`: counted up as it goes on, or NULL. False: no memory. */
bool omptape_overtaking_learn(struct omptape_overtaking *overtaking, const struct omptape_reader *reader,
                              volatile uint64_t *beats);
void omptape_overtaking_free(struct omptape_overtaking *overtaking);

/* How many this receive overtakes. */
static inline uint32_t omptape_overtaking_of(const struct omptape_overtaking *overtaking,
                                             const struct omptape_event *receive)
{
    const uint32_t *count = overtaking->receives.count == 0
                                ? NULL
                                : omptape_pairs_get(&overtaking->receives, receive->location, receive->time);
    return count != NULL ? *count : 0;
}

#endif
