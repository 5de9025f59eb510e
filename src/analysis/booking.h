/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a location's time goes: to its buckets, to its regions, to the phases of the teams around it, and to
 * who looks on. Compiled into what is called for each visit (visits.c), since it is done for each; others use
 * omptape_analysis_book (location.h). What is the same for a task, a team or the whole thread is counted for
 * the thread once, and read when it is asked for.
 */
#ifndef OMPTAPE_ANALYSIS_BOOKING_H
#define OMPTAPE_ANALYSIS_BOOKING_H

#include "src/analysis/ledger.h"
#include "src/analysis/location.h"
#include "src/analysis/shares.h"
#include "src/analysis/team.h"

/* So that it does not depend on the compiler's opinion of how large a caller may be. */
#define OMPTAPE_BOOKING_INLINE static inline __attribute__((always_inline))

/* What is seldom: a thread in none of its regions, a long stretch, one that is odd. */
void omptape_booking_any(struct analysis_state *state, struct analysis_location *location, uint64_t time);
/* What of it was done right before a task was there, and counts as its creation, up to a limit. Returns the
 * rest. */
uint64_t omptape_booking_creation(struct analysis_state *state, struct analysis_location *location,
                                  uint64_t spent);
/* Outside of parallel regions, of the whole process. */
void omptape_booking_process(struct analysis_state *state, struct analysis_location *location, uint8_t bucket,
                             uint64_t spent);
/* In the phases of the teams around the innermost one. */
void omptape_booking_outer_phases(struct analysis_state *state, struct analysis_location *location,
                                  const struct analysis_frame *top, uint64_t spent);

/* To the bucket and the region. */
OMPTAPE_BOOKING_INLINE void omptape_booking_parts(struct analysis_state *state,
                                                  struct analysis_location *location,
                                                  const struct analysis_frame *top, uint64_t spent)
{
    const uint8_t bucket = top->manner.bucket;
    omptape_add(&location->thread->parts[bucket], spent);
    omptape_add(&top->region->parts[bucket], spent);
    omptape_ledger_note(state, location, top, spent);
    if (top->manner.use == ANALYSIS_USE_PROCESS)
        omptape_booking_process(state, location, bucket, spent);
}

/* What of it the thread was not kept from: to the task, the team, and the phases of all teams around the
 * thread. The innermost team's waiting is idle time: tasks.c and barriers.c see to it. */
OMPTAPE_BOOKING_INLINE void omptape_booking_deeds(struct analysis_state *state,
                                                  struct analysis_location *location,
                                                  const struct analysis_frame *top, uint64_t spent)
{
    if (top->manner.use == ANALYSIS_USE_WORK) {
        location->worked += spent;
        location->work_records++;
        if (location->tasks.created != NULL)
            spent = omptape_booking_creation(state, location, spent);
    }
    if (location->newest == NULL)
        return;
    if ((top->manner.doing & ANALYSIS_DOING_IDLE) == 0 && spent > 0)
        omptape_shares_add(state, location, &location->newest->member->shares, top->blamed,
                           (enum analysis_way)top->manner.way, false, spent);
    if (location->teams.depth > 1)
        omptape_booking_outer_phases(state, location, top, spent);
}

/* Of who looks on. False: it has to be told. */
OMPTAPE_BOOKING_INLINE bool omptape_booking_meter(const struct analysis_location *location,
                                                  const struct analysis_frame *top, uint64_t time,
                                                  uint64_t spent)
{
    struct omptape_analysis_meter *meter = location->watched.meter;
    const struct omptape_analysis_watched *region = &omptape_analysis_known(top->region)->watched;
    const uint32_t place = region->place;
    if (time > meter->until || place >= meter->used || meter->region[place] != region->number)
        return false;
    meter->parts[top->manner.bucket] += spent;
    meter->ticks[place] += spent;
    meter->end = time;
    return true;
}

void omptape_booking_tell(const struct analysis_state *state, struct analysis_location *location,
                          const struct analysis_frame *top, uint64_t from, uint64_t spent);

/* Books the location's time until now. */
OMPTAPE_BOOKING_INLINE void omptape_booking_book(struct analysis_state *state,
                                                 struct analysis_location *location, uint64_t time)
{
    const struct analysis_frame *top = location->top;
    const uint64_t from = location->booked;
    const uint64_t spent = time - from;
    if (spent == 0)
        return;
    /* Also of a time that went back. */
    if (__builtin_expect(top == NULL || spent >= state->short_slice || location->is_odd, 0)) {
        omptape_booking_any(state, location, time);
        return;
    }
    location->booked = time;
    omptape_booking_parts(state, location, top, spent);
    omptape_booking_deeds(state, location, top, spent);
    if (!omptape_booking_meter(location, top, time, spent) && state->watcher != NULL)
        omptape_booking_tell(state, location, top, from, spent);
}

/* omptape_analysis_count_at_work. */
OMPTAPE_BOOKING_INLINE void omptape_booking_count_at_work(const struct analysis_location *location,
                                                          uint64_t time)
{
    struct analysis_process_state *process = location->process_state;
    if (time <= process->counted_until)
        return;
    if (process->active > 0) {
        uint32_t working = process->working;
        if (__builtin_expect(process->initials != NULL, 0)) {
            const double sum = working + process->more + 0.5;
            working = sum > 0 ? (uint32_t)sum : 0;
        }
        working = working < ANALYSIS_AT_ONCE ? working : ANALYSIS_AT_ONCE - 1;
        omptape_add(&process->at_work[working], time - process->counted_until);
    }
    process->counted_until = time;
}

/* Whether the thread is at work has changed: from now on. */
OMPTAPE_BOOKING_INLINE void omptape_booking_follow_work(struct analysis_location *location, uint64_t time,
                                                        bool works)
{
    omptape_booking_count_at_work(location, time);
    location->process_state->working += works ? 1 : UINT32_MAX;
    location->doing ^= ANALYSIS_DOING_WORK;
}

#endif
