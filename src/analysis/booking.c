/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a location's time goes: to its buckets, to its regions, and to the phases of the teams around it
 * (location.h). Called where a region begins or ends and where a team does.
 */
#include "src/analysis/location.h"
#include "src/analysis/shares.h"
#include "src/analysis/state.h"
#include "src/analysis/tasks.h"
#include "src/analysis/team.h"

/* In the phases of the teams around the innermost one. */
__attribute__((noinline)) static void book_outer_phases(struct analysis_state *state,
                                                        const struct analysis_location *location,
                                                        const struct analysis_frame *top, uint64_t spent)
{
    /* What an inner team waits holds its outer one up as what it does there: it is of the inner region. */
    struct analysis_region *inner = top->is_idle ? location->newest->team->region : NULL;
    for (uint32_t i = location->membership_count - 1; i-- > 0;) {
        const struct analysis_membership *membership = &location->memberships[i];
        omptape_shares_add(state, &membership->member->shares, inner != NULL ? inner : top->blamed, top->way,
                           true, spent);
    }
}

/* In the phases of all teams around the thread. The innermost team's waiting is idle time: tasks.c and
 * barriers.c see to it. */
static inline void book_phases(struct analysis_state *state, const struct analysis_location *location,
                               const struct analysis_frame *top, uint64_t spent)
{
    if (!top->is_idle)
        omptape_shares_add(state, &location->newest->member->shares, top->blamed, top->way, false, spent);
    if (location->membership_count > 1)
        book_outer_phases(state, location, top, spent);
}

/* What was done right before a task was there counts as its creation, up to a limit. */
static uint64_t book_creation(struct analysis_state *state, const struct analysis_location *location,
                              uint64_t spent)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    if (membership == NULL)
        return spent;
    uint64_t creation = spent < state->creation_cap ? spent : state->creation_cap;
    omptape_shares_add(state, &membership->member->shares, location->created->result.region,
                       ANALYSIS_WAY_CREATION, false, creation);
    return spent - creation;
}

static void tell_watcher(const struct analysis_state *state, struct analysis_location *location,
                         const struct analysis_frame *top, uint64_t from, uint64_t spent)
{
    const struct omptape_analysis_watcher *watcher = state->watcher;
    from = from > state->from ? from : state->from;
    watcher->booked(watcher->data, &location->watched, top != NULL ? top->bucket : location->outside,
                    top != NULL ? &omptape_analysis_known(top->region)->watched : NULL, from, from + spent);
}

/* Outside of parallel regions, of the whole process. */
static void book_process(struct analysis_state *state, struct analysis_location *location, uint8_t bucket,
                         uint64_t spent)
{
    if (location->process_state->active > 0)
        return;
    if (bucket == OMPTAPE_BUCKET_SERIAL)
        location->serial += spent;
    else
        state->result->processes[location->process].communication += spent;
}

/* Without what the thread stood still of it. */
__attribute__((noinline)) static uint64_t without_stalls(struct analysis_state *state,
                                                         struct analysis_location *location, uint64_t from,
                                                         uint64_t spent)
{
    uint64_t until = location->stalled_until < location->booked ? location->stalled_until : location->booked;
    uint64_t stalled = omptape_analysis_clipped(state, from, until);
    omptape_analysis_book_stall(state, location, stalled);
    return spent - stalled;
}

/* Time in which the thread computed: in the task and the team that it is in. What of it goes to their phases.
 */
static inline uint64_t book_work(struct analysis_state *state, struct analysis_location *location,
                                 const struct analysis_frame *top, uint64_t spent)
{
    if (spent < state->short_slice && top->bucket == OMPTAPE_BUCKET_COMPUTING)
        location->thread->unbroken += spent;
    if (top->task > 0)
        location->frames[top->task - 1].work += spent;
    if (location->newest != NULL) {
        location->newest->team->useful += spent;
        location->newest->team->useful_records++;
    }
    return location->created != NULL ? book_creation(state, location, spent) : spent;
}

/* Of the innermost region; NULL: none is open. */
static inline void book_frame(struct analysis_state *state, struct analysis_location *location,
                              const struct analysis_frame *top, uint64_t from, uint64_t spent)
{
    const uint8_t bucket = top != NULL ? top->bucket : location->outside;
    location->thread->parts[bucket] += spent;
    if (bucket == OMPTAPE_BUCKET_SERIAL || bucket == OMPTAPE_BUCKET_MPI)
        book_process(state, location, bucket, spent);
    if (top == NULL)
        return;
    top->region->parts[bucket] += spent;
    if (location->stalled_until > from)
        spent = without_stalls(state, location, from, spent);
    if (bucket == OMPTAPE_BUCKET_COMPUTING || bucket == OMPTAPE_BUCKET_TASK_MANAGEMENT)
        spent = book_work(state, location, top, spent);
    if (location->newest != NULL)
        book_phases(state, location, top, spent);
}

void omptape_analysis_book_until(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time)
{
    const struct analysis_frame *top = location->top;
    const uint64_t from = location->booked;
    location->booked = time;
    if (time <= from)
        return;
    uint64_t spent = time - from;
    if (top != NULL ? top->works : omptape_buckets[location->outside].work) {
        location->busy += spent;
        location->unbroken += spent < state->short_slice ? spent : 0;
    }
    if (state->windowed) {
        spent = omptape_analysis_clipped(state, from, time);
        if (spent == 0)
            return;
    }
    book_frame(state, location, top, from, spent);
    if (state->watcher != NULL)
        tell_watcher(state, location, top, from, spent);
}

void omptape_analysis_count_at_work(struct analysis_state *state, const struct analysis_location *location,
                                    uint64_t time)
{
    struct analysis_process_state *process = &state->processes[location->process];
    uint32_t working = process->working < ANALYSIS_AT_ONCE ? process->working : ANALYSIS_AT_ONCE - 1;
    if (time <= process->counted_until)
        return;
    if (process->active > 0)
        state->result->processes[location->process].at_work[working] +=
            omptape_analysis_clipped(state, process->counted_until, time);
    process->counted_until = time;
}

void omptape_analysis_follow_work(struct analysis_state *state, struct analysis_location *location,
                                  uint64_t time)
{
    const struct analysis_frame *top = omptape_analysis_top(location);
    bool works = top != NULL && top->works;
    omptape_analysis_count_at_work(state, location, time);
    state->processes[location->process].working += works;
    state->processes[location->process].working -= location->works;
    location->works = works;
}
