/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps the stack of open regions of each thread, and calls the module of a region's family at its begin and
 * end. Called by src/analysis/reduce/pass.c for each Enter and Leave.
 */
#include "src/analysis/booking.h"
#include "src/analysis/causes.h"
#include "src/analysis/devices.h"
#include "src/analysis/interval_work.h"
#include "src/analysis/location.h"
#include "src/analysis/locks.h"
#include "src/analysis/loops.h"
#include "src/analysis/outliers.h"
#include "src/analysis/phases.h"
#include "src/analysis/sampled.h"
#include "src/analysis/serial.h"
#include "src/analysis/state.h"
#include "src/analysis/tasks.h"
#include "src/analysis/team.h"
#include "src/replay/replay.h"

#include <stdlib.h>

#define COMPILED_IN static inline __attribute__((always_inline))

/* Returns true if the runtime keeps the thread in reserve and it executes no task. `outer` is the frame
 * around the new one; or NULL. */
static inline bool is_of_reserve(const struct analysis_location *location, const struct analysis_frame *outer)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    return membership != NULL && membership->team->is_reserve && (outer == NULL || outer->task == 0);
}

/* Skips enclosing regions that waited for a lock: a thread that acquired its lock no longer waits. The
 * file writers/translate/stack.c does the same. Returns NULL if none remains. */
static inline const struct analysis_frame *find_around(const struct analysis_location *location,
                                                       const struct analysis_frame *around)
{
    while (around != NULL && around->account->time_class.bucket == OMPTAPE_BUCKET_LOCK)
        around = around > analysis_frames(location) ? around - 1 : NULL;
    return around;
}

/* Reserves an entry for the region. */
__attribute__((noinline)) static bool reserve_accounts(struct analysis_location *location, uint32_t region)
{
    return OMPTAPE_RESERVE_CLEARED(location->regions, region + 1, &location->region_capacity);
}

/* Returns the region's account with these properties and moves it to the front; NULL if out of memory. */
__attribute__((noinline)) static struct analysis_account *find_account(struct analysis_state *state,
                                                                       struct analysis_location_region *here,
                                                                       const struct analysis_account *wanted)
{
    struct analysis_account **link = &here->accounts;
    while (*link != NULL &&
           ((*link)->blamed != wanted->blamed || (*link)->time_class.bucket != wanted->time_class.bucket))
        link = &(*link)->other;
    struct analysis_account *account = *link;
    if (account != NULL) {
        *link = account->other;
    } else {
        account = omptape_arena_alloc(&state->arena, sizeof(*account));
        if (account == NULL)
            return NULL;
        *account = *wanted;
    }
    account->other = here->accounts;
    here->accounts = account;
    return account;
}

/* Returns the account of a region whose properties depend on the enclosing frame `around` (NULL: none).
 * Returns NULL if out of memory. */
__attribute__((noinline)) static struct analysis_account *
find_account_within(struct analysis_state *state, const struct analysis_location *location,
                    const struct analysis_frame *outer, const struct analysis_frame *around,
                    struct analysis_region_state *known, struct analysis_location_region *here)
{
    struct analysis_account wanted = {
        .region = &known->result, .blamed = &known->result, .time_class = known->facts.time_class};
    if (known->facts.rule == OMPTAPE_BUCKET_AROUND)
        wanted.time_class = around != NULL
                                ? around->account->time_class
                                : omptape_region_time_class((enum omptape_bucket)location->outside);
    else if (known->facts.rule == OMPTAPE_BUCKET_UNLESS_HELPER && is_of_reserve(location, outer))
        wanted.time_class = omptape_region_time_class(OMPTAPE_BUCKET_IDLE);
    if (outer != NULL && !known->facts.is_blamed)
        wanted.blamed = (around != NULL ? around : analysis_frames(location))->account->blamed;
    here->around = around != NULL ? around->account : NULL;
    return find_account(state, here, &wanted);
}

/* Returns the account of a visit that is entered within `outer` (NULL: none); NULL if out of memory. */
COMPILED_IN struct analysis_account *account_of(struct analysis_state *state,
                                                const struct analysis_location *location,
                                                const struct analysis_frame *outer,
                                                struct analysis_region_state *known)
{
    struct analysis_location_region *here = &location->regions[known->number];
    const struct analysis_region_facts *facts = &known->facts;
    struct analysis_account *account = here->accounts;
    if (account != NULL && facts->is_place)
        return account;
    if (account != NULL && facts->rule == OMPTAPE_BUCKET_UNLESS_HELPER && facts->is_blamed &&
        account->time_class.bucket ==
            (is_of_reserve(location, outer) ? (uint8_t)OMPTAPE_BUCKET_IDLE : facts->time_class.bucket))
        return account;
    const struct analysis_frame *around = find_around(location, outer);
    if (account != NULL && facts->rule != OMPTAPE_BUCKET_UNLESS_HELPER && around != NULL &&
        here->around == around->account)
        return account;
    return find_account_within(state, location, outer, around, known, here);
}

/* Pushes a frame; the caller sets the fields of tasks. Returns NULL if out of memory. */
COMPILED_IN struct analysis_frame *open_frame(struct analysis_state *state,
                                              struct analysis_location *location, uint64_t time,
                                              struct analysis_region_state *known)
{
    if (known->number >= location->region_capacity && !reserve_accounts(location, known->number))
        return NULL;
    const struct analysis_frame *outer = location->top;
    struct analysis_account *account = account_of(state, location, outer, known);
    const uint32_t task = outer != NULL ? outer->task : 0;
    struct analysis_frame *frame =
        account != NULL ? replay_push(&location->replay, sizeof(*frame), (uintptr_t)&known->result, time)
                        : NULL;
    if (frame == NULL)
        return NULL;
    frame->region = &known->result;
    frame->account = account;
    frame->task = task;
    frame->asking = false;
    frame->worked = location->worked;
    location->regions[known->number].open++;
    location->top = frame;
    return frame;
}

/* Handles a change of the thread's activity bits. Idle intervals continue in nested waiting. */
COMPILED_IN void follow_change(struct analysis_state *state, struct analysis_location *location,
                               uint64_t time, uint8_t flags)
{
    if ((location->flags & ANALYSIS_FLAG_WATCHED) != 0)
        omptape_analysis_device_host(state, location, time);
    const uint8_t changed = location->flags ^ flags;
    if ((changed & ANALYSIS_FLAG_WORK) != 0)
        omptape_booking_follow_work(location, time, (flags & ANALYSIS_FLAG_WORK) != 0);
    if ((changed & ANALYSIS_FLAG_IDLE) == 0)
        return;
    if ((flags & ANALYSIS_FLAG_IDLE) != 0)
        omptape_analysis_idle_begin(state, location, time);
    else
        omptape_analysis_idle_end(state, location, time);
}

/* Updates the thread's activity after the innermost region changed. */
COMPILED_IN void follow(struct analysis_state *state, struct analysis_location *location, uint64_t time)
{
    const uint8_t flags = location->top != NULL ? location->top->account->time_class.flags : 0;
    if (location->initial != NULL && location->teams.depth == 0)
        omptape_initial_change(state, location, time);
    if (flags != location->flags)
        follow_change(state, location, time, flags);
}

/* Calls the module of the family at a region's begin. */
__attribute__((noinline)) static void enter_family(struct analysis_state *state,
                                                   struct analysis_location *location, uint64_t time,
                                                   struct analysis_frame *frame, enum analysis_family family)
{
    switch (family) {
    case ANALYSIS_FAMILY_TASK:
        omptape_analysis_task_enter(state, location, time, frame);
        break;
    case ANALYSIS_FAMILY_TEAM:
        omptape_analysis_task_stops(location, frame->task);
        frame->task = 0; /* an implicit task begins */
        omptape_analysis_team_region(state, location, frame->region);
        break;
    case ANALYSIS_FAMILY_BARRIER:
        omptape_analysis_barrier_enter(location, time, frame->region);
        break;
    case ANALYSIS_FAMILY_PHASE:
        omptape_phases_enter(state, location, time, frame->region);
        break;
    default:
        break;
    }
}

/* Begins the event of a visit, unless the visit belongs to a task's creation. */
COMPILED_IN bool begin_visit(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                             enum analysis_family family)
{
    if (family != ANALYSIS_FAMILY_CREATE)
        return omptape_analysis_begin_event(state, location, time);
    omptape_analysis_count_event(state, location, time);
    return false;
}

/* Enters a region. `family` is the region's, passed as a constant where it is OTHER. */
COMPILED_IN void enter(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                       struct analysis_region_state *known, enum analysis_family family,
                       const struct omptape_event *event)
{
    if (family == ANALYSIS_FAMILY_CREATE)
        omptape_analysis_task_created_by(state, location, time, &known->result);
    else if (family == ANALYSIS_FAMILY_TEAM)
        omptape_analysis_team_named(location, &known->result);
    omptape_booking_book(state, location, time);
    struct analysis_frame *frame = open_frame(state, location, time, known);
    if (frame == NULL)
        return;
    if (family >= ANALYSIS_FAMILY_STATEFUL)
        enter_family(state, location, time, frame, family);
    else if (frame->account->time_class.bucket == OMPTAPE_BUCKET_LOCK)
        omptape_analysis_lock_ask(location, frame);
    follow(state, location, time);
    if (family == ANALYSIS_FAMILY_LOOP)
        omptape_analysis_loop_enter(state, location, event);
    else if (family == ANALYSIS_FAMILY_MOVE)
        omptape_analysis_transfer_enter(state, location, event);
}

void omptape_analysis_enter(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            struct analysis_region *region, const struct omptape_event *event)
{
    struct analysis_region_state *known = omptape_analysis_region_state(region);
    const enum analysis_family family = (enum analysis_family)known->facts.family;
    const bool after_creation = begin_visit(state, location, time, family);
    if (family == ANALYSIS_FAMILY_OTHER)
        enter(state, location, time, known, ANALYSIS_FAMILY_OTHER, NULL);
    else
        enter(state, location, time, known, family, event);
    omptape_analysis_end_event(location, time, after_creation);
}

__attribute__((noinline)) static void leave_family(struct analysis_state *state,
                                                   struct analysis_location *location, uint64_t time,
                                                   struct analysis_frame *frame, enum analysis_family family)
{
    if (family == ANALYSIS_FAMILY_TASK)
        omptape_analysis_task_leave(state, location, time, frame);
    else if (family == ANALYSIS_FAMILY_BARRIER)
        omptape_analysis_barrier_leave(state, location, time);
    else if (family == ANALYSIS_FAMILY_TASKWAIT)
        omptape_analysis_tasks_awaited(location);
    else if (family == ANALYSIS_FAMILY_PHASE)
        omptape_phases_leave(state, location, time, frame->region, frame->replay.begin);
    else if (family == ANALYSIS_FAMILY_MPI_END)
        omptape_add(&location->thread->starting, time - frame->replay.begin);
    else
        omptape_analysis_task_continues(location);
}

__attribute__((noinline)) static void leave_transfer(struct analysis_state *state,
                                                     struct analysis_location *location, uint64_t time,
                                                     const struct analysis_frame *frame)
{
    omptape_analysis_transfer_leave(state, location, time);
    omptape_analysis_move_leave(location, frame, time);
}

__attribute__((noinline)) static void notify_visit(const struct analysis_state *state,
                                                   const struct analysis_location *location,
                                                   struct analysis_region_state *known, uint64_t begin,
                                                   uint64_t end)
{
    const struct omptape_analysis_observer *observer = state->observer;
    if (observer->visited == NULL)
        known->observed.longer_than = UINT64_MAX;
    else if (state->inside)
        observer->visited(observer->data, &location->observed, &known->observed, begin, end);
}

/* Leaves the innermost region. The frame's memory stays valid until the next region is entered. */
COMPILED_IN void leave_innermost(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time)
{
    struct analysis_frame *frame = location->top;
    struct analysis_region_state *known = omptape_analysis_region_state(frame->region);
    const enum analysis_family family = (enum analysis_family)known->facts.family;
    if (frame->asking)
        omptape_analysis_lock_leave(state, location, frame, time);
    if (known->facts.is_timed)
        omptape_outliers_visit(state, location, frame, time);
    location->replay.depth--;
    location->top = location->replay.depth > 0 ? frame - 1 : NULL;
    omptape_analysis_count(state, &known->result.visits, time - frame->replay.begin, frame->replay.begin,
                           location->id);
    if (state->observer != NULL && time - frame->replay.begin > known->observed.longer_than)
        notify_visit(state, location, known, frame->replay.begin, time);
    if (--location->regions[known->number].open == 0)
        omptape_add(&known->result.inclusive, omptape_minus(time, frame->replay.begin));
    if ((location->flags & ANALYSIS_FLAG_IDLE) != 0 &&
        !(location->top != NULL && (location->top->account->time_class.flags & ANALYSIS_FLAG_IDLE) != 0))
        omptape_analysis_idle_end(state, location, time);
    if (family >= ANALYSIS_FAMILY_STATEFUL)
        leave_family(state, location, time, frame, family);
    else if (frame->account->time_class.bucket == OMPTAPE_BUCKET_TRANSFER)
        leave_transfer(state, location, time, frame);
    follow(state, location, time);
}

__attribute__((noinline)) static void leave_one(struct analysis_state *state,
                                                struct analysis_location *location, uint64_t time)
{
    leave_innermost(state, location, time);
}

/* Leaves a region and all regions opened within it. */
__attribute__((noinline)) static void leave_many(struct analysis_state *state,
                                                 struct analysis_location *location, uint64_t time,
                                                 const struct analysis_region *region)
{
    const uint32_t depth =
        replay_depth_of(&location->replay, sizeof(struct analysis_frame), (uintptr_t)region);
    while (depth > 0 && location->replay.depth >= depth) {
        omptape_analysis_book(state, location, time);
        leave_one(state, location, time);
    }
}

void omptape_analysis_leave(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            struct analysis_region *region)
{
    const bool after_creation = begin_visit(
        state, location, time, (enum analysis_family)omptape_analysis_region_state(region)->facts.family);
    if (location->top != NULL && location->top->region == region) {
        omptape_booking_book(state, location, time);
        leave_innermost(state, location, time);
    } else {
        leave_many(state, location, time, region);
    }
    omptape_analysis_end_event(location, time, after_creation);
}

static void end_thread(struct analysis_state *state, struct analysis_location *location)
{
    omptape_analysis_book_all(state, location, location->last);
    while (location->replay.depth > 0) {
        omptape_analysis_book(state, location, location->last);
        leave_one(state, location, location->last);
    }
    omptape_analysis_serial_ends(state, location, NULL, 0);
    omptape_analysis_resolve_pending(state, location, (struct analysis_off_cpu){0});
}

void omptape_analysis_change_thread(struct analysis_state *state, struct analysis_location *location,
                                    uint64_t time)
{
    omptape_initial_change(state, location, location->last);
    end_thread(state, location);
    location->interval.lock_count = 0;
    omptape_analysis_brief_event(state, location, time);
    location->booked = time;
    location->reading.time = state->windowed ? state->time : time;
    omptape_initial_change(state, location, time);
}

void omptape_analysis_end_location(struct analysis_state *state, struct analysis_location *location)
{
    if (location->thread != NULL) {
        end_thread(state, location);
        location->thread->computed = location->thread->parts[OMPTAPE_BUCKET_COMPUTING] +
                                     location->interval.moved[OMPTAPE_BUCKET_COMPUTING];
    }
    omptape_outliers_end(state, location);
    replay_free(&location->replay);
    free(location->regions);
    replay_free(&location->teams);
    free(location->pending.list);
    omptape_sampled_end_serial(state, location, NULL);
    free(location->serial_samples.contexts);
    free(location->serial_samples.counted);
    location->serial_samples = (struct analysis_kept_samples){.contexts = NULL};
    omptape_interval_free(location);
    omptape_counted_free(location);
    location->regions = NULL;
    location->region_capacity = 0;
    location->newest = NULL;
    location->top = NULL;
    location->pending.list = NULL;
}
