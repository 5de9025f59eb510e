/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Books a location's time to its buckets, its regions and the phases of the enclosing teams, and reports it
 * to the observer. The file visits.c compiles these inline functions in, because it calls them for each
 * visit. Other files call omptape_analysis_book (location.h).
 *
 * A visit adds its time to an account of its region, to the thread's sums and to the team's phase. The
 * account's time is later transferred to the region, the interval and the observer. This happens before these
 * are read: at a scheduler reading, and when the observer begins a new interval.
 */
#pragma once

#include "src/analysis/location.h"
#include "src/analysis/shares.h"
#include "src/analysis/team.h"

/* Forces inlining, because compilers stop inlining into large callers. */
#define OMPTAPE_BOOKING_INLINE static inline __attribute__((always_inline))

/* Books the less frequent cases: no open region, a long interval, an odd thread, one for the observer. */
void omptape_booking_any(struct analysis_state *state, struct analysis_location *location, uint64_t time);
/* Counts time right before a task's creation as creation time, up to a limit. Returns the counted time. */
uint64_t omptape_booking_creation(struct analysis_state *state, struct analysis_location *location,
                                  uint64_t spent);
/* Adds serial or MPI time outside of parallel regions to the sums of the process. */
void omptape_booking_process(struct analysis_state *state, struct analysis_location *location, uint8_t bucket,
                             uint64_t spent);

/* Adds time to a team's phase in the less frequent cases: a new account in this phase, or nested teams. */
void omptape_booking_any_phase(struct analysis_location *location, struct analysis_account *account,
                               uint64_t did);

/* Adds time to the innermost team's phase. Waiting there is idle time, handled by tasks.c and barriers.c. */
OMPTAPE_BOOKING_INLINE void omptape_booking_phase(struct analysis_location *location,
                                                  struct analysis_account *account, uint64_t did)
{
    const bool nested = location->teams.depth > 1;
    if (location->newest == NULL || (!nested && (account->time_class.flags & ANALYSIS_FLAG_IDLE) != 0))
        return;
    if (!nested && account->phase == location->phase)
        location->newest->member->shares.list[account->share].time += did;
    else
        omptape_booking_any_phase(location, account, did);
}

/* Adds time to an empty account and appends the account to the location's list. */
void omptape_booking_list(struct analysis_state *state, struct analysis_location *location,
                          struct analysis_account *account, uint64_t spent);

/* Counts time of work, and time that belongs to the process. Returns the part of creating tasks. */
OMPTAPE_BOOKING_INLINE uint64_t omptape_booking_further_sum(struct analysis_state *state,
                                                            struct analysis_location *location,
                                                            struct analysis_time_class class, uint64_t spent,
                                                            uint64_t did)
{
    if (class.further_sum == ANALYSIS_FURTHER_SUM_WORK) {
        location->worked += did;
        location->work_records++;
        if (location->tasks.created != NULL)
            return omptape_booking_creation(state, location, did);
    } else if (class.further_sum == ANALYSIS_FURTHER_SUM_PROCESS) {
        omptape_booking_process(state, location, class.bucket, spent);
    }
    return 0;
}

/* Books the location's time until `time`. The thread's parts never exceed its time, so no sum wraps
 * around. */
OMPTAPE_BOOKING_INLINE void omptape_booking_book(struct analysis_state *state,
                                                 struct analysis_location *location, uint64_t time)
{
    const struct analysis_frame *top = location->top;
    const uint64_t spent = time - location->booked;
    if (spent == 0)
        return;
    /* A time that went back makes `spent` very large, so it takes this branch, too. */
    if (__builtin_expect(top == NULL || spent >= state->short_slice || location->needs_slow_booking ||
                             time > *location->observed.until,
                         0)) {
        omptape_booking_any(state, location, time);
        return;
    }
    struct analysis_account *account = top->account;
    location->booked = time;
    location->thread->parts[account->time_class.bucket] += spent;
    const uint64_t did =
        spent - omptape_booking_further_sum(state, location, account->time_class, spent, spent);
    if (__builtin_expect(account->ticks == 0, 0))
        omptape_booking_list(state, location, account, spent);
    account->ticks += spent;
    omptape_booking_phase(location, account, did);
}

/* Implements omptape_analysis_count_concurrency. */
OMPTAPE_BOOKING_INLINE void omptape_booking_count_concurrency(const struct analysis_location *location,
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
        working = working < ANALYSIS_CONCURRENCY_BINS ? working : ANALYSIS_CONCURRENCY_BINS - 1;
        omptape_add(&process->wall_by_computing[working], time - process->counted_until);
    }
    process->counted_until = time;
}

/* Notes that the thread begins or stops working at `time`. */
OMPTAPE_BOOKING_INLINE void omptape_booking_follow_work(struct analysis_location *location, uint64_t time,
                                                        bool works)
{
    omptape_booking_count_concurrency(location, time);
    location->process_state->working += works ? 1 : UINT32_MAX;
    location->flags ^= ANALYSIS_FLAG_WORK;
}
