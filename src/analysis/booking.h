/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a location's time goes: to its buckets, to its regions, to the phases of the teams around it, and to
 * the watcher. Compiled into what is called for each visit (visits.c), since it is done for each; others use
 * omptape_analysis_book (location.h).
 *
 * A visit adds its time to an account of its region, to the thread's sums and to the phase of the team. What
 * the accounts hold is shared out to the regions, the ledger and the watcher before these are read. That
 * happens at a reading of the kernel's, and where the watcher begins a new stretch.
 */
#pragma once

#include "src/analysis/location.h"
#include "src/analysis/shares.h"
#include "src/analysis/team.h"

/* So that it does not depend on the compiler's opinion of how large a caller may be. */
#define OMPTAPE_BOOKING_INLINE static inline __attribute__((always_inline))

/* What is seldom: a thread in none of its regions, a long stretch, one that is odd or told at once. */
void omptape_booking_any(struct analysis_state *state, struct analysis_location *location, uint64_t time);
/* What was done right before a task was there counts as its creation, up to a limit. Returns how much. */
uint64_t omptape_booking_creation(struct analysis_state *state, struct analysis_location *location,
                                  uint64_t spent);
/* Outside of parallel regions, of the whole process. */
void omptape_booking_process(struct analysis_state *state, struct analysis_location *location, uint8_t bucket,
                             uint64_t spent);

/* What is seldom of the phases: the account is new in this one, or several teams are around the thread. */
void omptape_booking_any_phase(struct analysis_location *location, struct analysis_account *account,
                               uint64_t did);

/* The innermost team's waiting is idle time: tasks.c and barriers.c see to it. */
OMPTAPE_BOOKING_INLINE void omptape_booking_phase(struct analysis_location *location,
                                                  struct analysis_account *account, uint64_t did)
{
    if (location->newest == NULL)
        return;
    if (location->teams.depth > 1)
        omptape_booking_any_phase(location, account, did);
    else if ((account->manner.doing & ANALYSIS_DOING_IDLE) != 0)
        return;
    else if (account->phase == location->phase)
        location->newest->member->shares.list[account->share].time += did;
    else
        omptape_booking_any_phase(location, account, did);
}

/* An account that has no time gets some. */
void omptape_booking_list(struct analysis_state *state, struct analysis_location *location,
                          struct analysis_account *account, uint64_t spent);

/* Of work, and of what is the process's. Returns how much of it counts as the creation of tasks. */
OMPTAPE_BOOKING_INLINE uint64_t omptape_booking_use(struct analysis_state *state,
                                                    struct analysis_location *location,
                                                    struct analysis_manner manner, uint64_t spent,
                                                    uint64_t did)
{
    if (manner.use == ANALYSIS_USE_WORK) {
        location->worked += did;
        location->work_records++;
        if (location->tasks.created != NULL)
            return omptape_booking_creation(state, location, did);
    } else if (manner.use == ANALYSIS_USE_PROCESS) {
        omptape_booking_process(state, location, manner.bucket, spent);
    }
    return 0;
}

/* Books the location's time until now. The thread's parts are no more than its time, so no sum wraps. */
OMPTAPE_BOOKING_INLINE void omptape_booking_book(struct analysis_state *state,
                                                 struct analysis_location *location, uint64_t time)
{
    const struct analysis_frame *top = location->top;
    const uint64_t spent = time - location->booked;
    if (spent == 0)
        return;
    /* Also of a time that went back. */
    if (__builtin_expect(top == NULL || spent >= state->short_slice || location->is_odd ||
                             time > *location->watched.until,
                         0)) {
        omptape_booking_any(state, location, time);
        return;
    }
    struct analysis_account *account = top->account;
    location->booked = time;
    location->thread->parts[account->manner.bucket] += spent;
    const uint64_t did = spent - omptape_booking_use(state, location, account->manner, spent, spent);
    if (__builtin_expect(account->ticks == 0, 0))
        omptape_booking_list(state, location, account, spent);
    account->ticks += spent;
    omptape_booking_phase(location, account, did);
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
