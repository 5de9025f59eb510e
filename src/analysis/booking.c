/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Books time in the less frequent cases (booking.h), and counts how many threads work at the same time.
 */
#include "src/analysis/booking.h"

#include "src/analysis/interval_work.h"
#include "src/analysis/state.h"
#include "src/analysis/tasks.h"

#include <stddef.h>

/* Adds computing or serial time within the analysed range to the thread's interval and to its counters. */
static void note_in_interval(struct analysis_state *state, struct analysis_location *location,
                             const struct analysis_account *account, uint64_t spent)
{
    _Static_assert(OMPTAPE_BUCKET_COMPUTING == 0 && OMPTAPE_BUCKET_SERIAL == 1, "an index is made of them");
    if (account->time_class.bucket > OMPTAPE_BUCKET_SERIAL)
        return;
    if (state->counts)
        omptape_counted_note(location, account, spent);
    const uint32_t index = omptape_interval_index(account->region, account->time_class.bucket);
    struct analysis_interval_work *interval = &location->interval;
    if (index < interval->capacity && interval->places[index].time > 0)
        interval->places[index].time += spent;
    else
        omptape_interval_open(location, account, spent);
}

/* Adds the time to the phases of the teams around the innermost one. Waiting in an inner team delays the
 * outer team, so it counts as time of the inner region. */
static void add_to_outer_phases(struct analysis_location *location, const struct analysis_account *account,
                                uint64_t did)
{
    struct analysis_region *inner =
        (account->time_class.flags & ANALYSIS_FLAG_IDLE) != 0 ? location->newest->team->region : NULL;
    for (uint32_t i = location->teams.depth - 1; i-- > 0;) {
        const struct analysis_membership *membership = &analysis_memberships(location)[i];
        omptape_shares_add(location, &membership->member->shares, inner != NULL ? inner : account->blamed,
                           (enum analysis_activity)account->time_class.activity, true, did);
    }
}

/* Adds the time to the phase of the innermost team. */
static void add_to_phase(struct analysis_location *location, struct analysis_account *account, uint64_t did)
{
    struct analysis_shares *shares = &location->newest->member->shares;
    const enum analysis_activity activity = (enum analysis_activity)account->time_class.activity;
    struct analysis_share *share = omptape_shares_obtain(location, shares, account->blamed, activity, false);
    if (share == NULL) {
        omptape_shares_add(location, shares, account->blamed, activity, false, did);
        return;
    }
    share->time += did;
    account->phase = location->phase;
    account->share = (uint32_t)(share - shares->list);
}

__attribute__((noinline)) void omptape_booking_any_phase(struct analysis_location *location,
                                                         struct analysis_account *account, uint64_t did)
{
    if (did == 0)
        return;
    if ((account->time_class.flags & ANALYSIS_FLAG_IDLE) == 0)
        add_to_phase(location, account, did);
    if (location->teams.depth > 1)
        add_to_outer_phases(location, account, did);
}

static void notify_observer(const struct analysis_state *state, struct analysis_location *location,
                            const struct analysis_account *account, uint64_t from, uint64_t to)
{
    const struct omptape_analysis_observer *observer = state->observer;
    if (observer != NULL)
        observer->booked(observer->data, &location->observed,
                         account != NULL ? account->time_class.bucket : location->outside,
                         account != NULL ? &omptape_analysis_region_state(account->region)->observed : NULL,
                         from, to);
}

/* Keeps the interval's regions in the order of their first visits. */
__attribute__((noinline)) void omptape_booking_list(struct analysis_state *state,
                                                    struct analysis_location *location,
                                                    struct analysis_account *account, uint64_t spent)
{
    account->noted = spent;
    note_in_interval(state, location, account, spent);
    *location->accounts.end = account;
    location->accounts.end = &account->later;
}

static void share_out(struct analysis_state *state, struct analysis_location *location)
{
    struct analysis_account *account = location->accounts.first;
    location->accounts.first = NULL;
    location->accounts.end = &location->accounts.first;
    while (account != NULL) {
        struct analysis_account *later = account->later;
        omptape_add(&account->region->parts[account->time_class.bucket], account->ticks);
        note_in_interval(state, location, account, account->ticks - account->noted);
        notify_observer(state, location, account, location->booked - account->ticks, location->booked);
        account->ticks = 0;
        account->later = NULL;
        account = later;
    }
}

__attribute__((noinline)) uint64_t omptape_booking_creation(struct analysis_state *state,
                                                            struct analysis_location *location,
                                                            uint64_t spent)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    if (membership == NULL)
        return 0;
    uint64_t creation = spent < state->creation_cap ? spent : state->creation_cap;
    omptape_shares_add(location, &membership->member->shares, location->tasks.created->result.region,
                       ANALYSIS_ACTIVITY_CREATION, false, creation);
    return creation;
}

__attribute__((noinline)) void omptape_booking_process(struct analysis_state *state,
                                                       struct analysis_location *location, uint8_t bucket,
                                                       uint64_t spent)
{
    if (location->process_state->active > 0 || location->process_state->initials != NULL)
        return;
    if (bucket == OMPTAPE_BUCKET_SERIAL) {
        location->serial_begin = location->serial == 0 ? location->booked - spent : location->serial_begin;
        location->serial += spent;
    } else {
        state->result->processes[location->process].communication += spent;
    }
}

/* Marks `stalled` ticks of the time that is booked as stalled. */
static void book_stall(struct analysis_location *location, uint64_t stalled)
{
    for (uint32_t i = 0; i < location->teams.depth; i++) {
        const struct analysis_membership *membership = &analysis_memberships(location)[i];
        struct analysis_team *team = membership->team;
        struct analysis_member *member = membership->member;
        struct analysis_barrier *barrier = &team->barriers[(member->barriers + 1) & 1];
        struct analysis_arrival *arrival = &barrier->arrivals[membership->index];
        arrival->stalled = arrival->stalled || (arrival->has_arrived && !arrival->has_left);
        member->stalled += stalled;
        omptape_shares_add(location, &member->shares, team->region, ANALYSIS_ACTIVITY_STALL, false, stalled);
    }
}

/* Returns the part of an interval without stalls, and books the stalls. */
static uint64_t without_stalls(struct analysis_location *location, uint64_t from, uint64_t spent)
{
    uint64_t until = location->stalled_until < location->booked ? location->stalled_until : location->booked;
    uint64_t stalled = omptape_minus(until, from);
    book_stall(location, stalled);
    return spent - stalled;
}

static void book_frame(struct analysis_state *state, struct analysis_location *location,
                       struct analysis_account *account, uint64_t from, uint64_t spent)
{
    const struct analysis_time_class class = account->time_class;
    struct analysis_region *region = account->region;
    uint64_t did = spent;
    omptape_add(&location->thread->parts[class.bucket], spent);
    omptape_add(&region->parts[class.bucket], spent);
    note_in_interval(state, location, account, spent);
    if (location->stalled_until > from)
        did = without_stalls(location, from, spent);
    if (class.bucket == OMPTAPE_BUCKET_COMPUTING &&
        (spent >= state->short_slice || location->needs_slow_booking))
        region->silent = did > region->silent ? did : region->silent;
    did -= omptape_booking_further_sum(state, location, class, spent, did);
    omptape_booking_phase(location, account, did);
    notify_observer(state, location, account, from, from + spent);
}

/* Books time in which no region is open. */
static void book_outside(struct analysis_state *state, struct analysis_location *location, uint64_t from,
                         uint64_t spent)
{
    omptape_add(&location->thread->parts[location->outside], spent);
    if (location->outside == OMPTAPE_BUCKET_SERIAL)
        location->interval.outside += spent;
    if (omptape_region_time_class((enum omptape_bucket)location->outside).further_sum ==
        ANALYSIS_FURTHER_SUM_PROCESS)
        omptape_booking_process(state, location, location->outside, spent);
    notify_observer(state, location, NULL, from, from + spent);
}

__attribute__((noinline)) void omptape_booking_any(struct analysis_state *state,
                                                   struct analysis_location *location, uint64_t time)
{
    const struct analysis_frame *top = location->top;
    const uint64_t from = location->booked;
    share_out(state, location);
    location->booked = time;
    if (time <= from)
        return;
    const uint64_t spent = time - from;
    if (top != NULL ? (top->account->time_class.flags & ANALYSIS_FLAG_WORK) != 0
                    : omptape_buckets[location->outside].work)
        location->long_busy += spent >= state->short_slice ? spent : 0;
    if (top != NULL)
        book_frame(state, location, top->account, from, spent);
    else
        book_outside(state, location, from, spent);
    location->needs_slow_booking = location->went_back || location->stalled_until > time;
}

void omptape_analysis_book(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    omptape_booking_book(state, location, time);
}

void omptape_analysis_book_all(struct analysis_state *state, struct analysis_location *location,
                               uint64_t time)
{
    omptape_booking_book(state, location, time);
    share_out(state, location);
}

void omptape_analysis_count_concurrency(const struct analysis_location *location, uint64_t time)
{
    omptape_booking_count_concurrency(location, time);
}

/* Handles a thread that was blocked while the writer caught up: recording caused it, not the program. The
 * time remains in the parts of the thread and the region. It is no work, and charged to no one. */
void omptape_analysis_stall(struct analysis_location *location, uint64_t time, uint64_t until)
{
    if (until <= time)
        return;
    omptape_add(&location->thread->stalled, until - time);
    location->stalled_until = until;
    location->needs_slow_booking = true;
    for (uint32_t i = 0; i < location->teams.depth; i++) {
        struct analysis_stalls *stalls = &analysis_memberships(location)[i].team->stalls;
        uint64_t from = time > stalls->until ? time : stalls->until;
        stalls->sum += until > from ? until - from : 0;
        stalls->until = until > stalls->until ? until : stalls->until;
    }
}
