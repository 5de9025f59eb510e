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

/* In the phases of all teams around the thread. */
static void book_phases(struct analysis_state *state, const struct analysis_location *location,
                        const struct analysis_frame *top, uint64_t spent)
{
    /* The innermost team's waiting is idle time: tasks.c and barriers.c see to it. */
    bool waits = top->bucket == OMPTAPE_BUCKET_BARRIER || top->bucket == OMPTAPE_BUCKET_TASK_WAIT;
    uint32_t count = location->membership_count;
    /* What an inner team waits holds its outer one up as what it does there: it is of the inner region. */
    struct analysis_region *inner = waits && count > 0 ? location->memberships[count - 1].team->region : NULL;
    for (uint32_t i = waits && count > 0 ? count - 1 : count; i-- > 0;) {
        const struct analysis_membership *membership = &location->memberships[i];
        omptape_shares_add(state, &membership->team->members[membership->index].shares,
                           inner != NULL ? inner : top->blamed, top->way, i + 1 < count, spent);
    }
}

/* What was done right before a task was there counts as its creation, up to a limit. */
static uint64_t book_creation(struct analysis_state *state, struct analysis_location *location,
                              uint64_t spent)
{
    struct analysis_membership *membership = omptape_analysis_membership(location);
    if (location->created == NULL || membership == NULL)
        return spent;
    uint64_t creation = spent < state->creation_cap ? spent : state->creation_cap;
    omptape_shares_add(state, &membership->team->members[membership->index].shares,
                       location->created->result.region, ANALYSIS_WAY_CREATION, false, creation);
    return spent - creation;
}

static void tell_watcher(struct analysis_state *state, const struct analysis_location *location,
                         uint64_t from, uint64_t spent)
{
    const struct omptape_analysis_watcher *watcher = state->options == NULL ? NULL : state->options->watcher;
    const struct analysis_frame *top = omptape_analysis_top(location);
    from = from > state->from ? from : state->from;
    if (watcher != NULL)
        watcher->booked(watcher->data, location->definition, top != NULL ? top->bucket : location->outside,
                        top != NULL ? top->region : NULL, from, from + spent);
}

void omptape_analysis_book(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    uint64_t from = location->booked;
    uint64_t spent = omptape_analysis_clipped(state, from, time);
    struct analysis_frame *top = omptape_analysis_top(location);
    uint8_t bucket = top != NULL ? top->bucket : location->outside;
    location->booked = time;
    if (omptape_buckets[bucket].work && time > from) {
        location->busy += time - from;
        location->unbroken += time - from < state->short_slice ? time - from : 0;
    }
    if (spent == 0)
        return;
    tell_watcher(state, location, from, spent);
    location->thread->parts[bucket] += spent;
    if (state->processes[location->process].active == 0) {
        if (bucket == OMPTAPE_BUCKET_SERIAL)
            location->serial += spent;
        else if (bucket == OMPTAPE_BUCKET_MPI)
            state->result->processes[location->process].communication += spent;
    }
    if (top == NULL)
        return;
    top->region->parts[bucket] += spent;
    if (location->stalled_until > from) {
        uint64_t until = location->stalled_until < time ? location->stalled_until : time;
        uint64_t stalled = omptape_analysis_clipped(state, from, until);
        omptape_analysis_book_stall(state, location, stalled);
        spent -= stalled;
    }
    if (bucket != OMPTAPE_BUCKET_COMPUTING && bucket != OMPTAPE_BUCKET_TASK_MANAGEMENT) {
        book_phases(state, location, top, spent);
        return;
    }
    if (spent < state->short_slice && bucket == OMPTAPE_BUCKET_COMPUTING)
        location->thread->unbroken += spent;
    if (top->task > 0)
        location->frames[top->task - 1].work += spent;
    if (location->membership_count > 0) {
        omptape_analysis_membership(location)->team->useful += spent;
        omptape_analysis_membership(location)->team->useful_records++;
    }
    book_phases(state, location, top, book_creation(state, location, spent));
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
    bool works = location->thread != NULL && top != NULL && omptape_buckets[top->bucket].work;
    if (works == location->works)
        return;
    omptape_analysis_count_at_work(state, location, time);
    state->processes[location->process].working += works;
    state->processes[location->process].working -= location->works;
    location->works = works;
}
