/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks, critical sections and ordered: how long threads waited for them and held them, and where. Called for
 * acquisitions and releases, and when a thread begins to wait.
 *
 * A lock remembers at which sites it was held recently, so that waiting can be divided by the holder's site.
 */
#include "src/analysis/locks.h"

#include "src/analysis/causes.h"
#include "src/analysis/interval_work.h"
#include "src/analysis/location.h"
#include "src/analysis/state.h"
#include "src/analysis/tasks.h"
#include "src/analysis/team.h"

#include <stddef.h>
#include <string.h>

/* IDLE: a thread that takes longer than IDLE * short_idle to continue may have had no processor. */
enum { MAX_RUNS = 8, IDLE = 5 };

void omptape_analysis_locks_free(struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->lock_sites.count; i++)
        omptape_hash_free(&((struct analysis_lock_site *)state->lock_sites.list[i].value)->askers);
}

static struct analysis_held_lock *lock_of(struct analysis_state *state, struct analysis_location *location,
                                          uint64_t name)
{
    if (location->lock.lock == NULL || location->lock.name != name)
        location->lock.lock = omptape_pairs_obtain(&state->locks, &state->arena, location->process, name,
                                                   sizeof(struct analysis_held_lock));
    location->lock.name = name;
    return location->lock.lock;
}

/* Returns the innermost open region that waits for a lock: the acquisition belongs to it. */
static struct analysis_frame *asking_frame(const struct analysis_location *location)
{
    for (struct analysis_frame *frame = location->top; frame != NULL;
         frame = frame > analysis_frames(location) ? frame - 1 : NULL)
        if (frame->account->time_class.bucket == OMPTAPE_BUCKET_LOCK)
            return frame;
    return NULL;
}

/* Returns the ticks until `time` in which a member of the thread's team stalled. */
static uint64_t stalled_at(struct analysis_location *location, uint64_t time)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    return membership != NULL ? omptape_analysis_stalled_at(membership->team, time) : 0;
}

void omptape_analysis_lock_ask(struct analysis_location *location, struct analysis_frame *frame)
{
    location->lock.stalled = stalled_at(location, frame->replay.begin);
    struct analysis_region_state *region = omptape_analysis_region_state(frame->region);
    frame->asking = true;
    region->asking++;
}

static void cease_to_ask(struct analysis_frame *frame)
{
    struct analysis_region_state *region = omptape_analysis_region_state(frame->region);
    if (frame->asking)
        region->asking--;
    frame->asking = false;
}

/* Returns true if the thread polls again at once: it did nothing but wait. */
static bool still_polls(const struct analysis_state *state, const struct analysis_poll *poll,
                        const struct analysis_frame *frame)
{
    return poll->region == frame->region && frame->replay.begin - poll->last < state->short_idle / 5;
}

/* Charges a series of flushes or of doacross turns that are recorded as one region. In a series of flushes
 * the thread waited until an unknown thread set a flag. A region of doacross turns lasts as long as the
 * thread waited for other iterations; the reason is the loop. A short series may be anything. */
static void charge_row(struct analysis_state *state, struct analysis_location *location,
                       const struct analysis_frame *frame, struct analysis_region *region, uint64_t time)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    const uint64_t waited = omptape_minus(time, frame->replay.begin);
    if (membership == NULL || waited < state->short_idle / 5)
        return;
    omptape_analysis_charge_own(
        state, omptape_analysis_cause(state, OMPTAPE_FINDING_LOCK, region, membership->team->region), waited,
        membership->team->threads, frame->replay.begin, time, location->definition->id);
}

void omptape_analysis_lock_leave(struct analysis_state *state, struct analysis_location *location,
                                 struct analysis_frame *frame, uint64_t time)
{
    struct analysis_poll *poll = &location->poll;
    cease_to_ask(frame);
    if (frame->region->kind == OMPTAPE_REGION_FLUSH) {
        charge_row(state, location, frame, frame->region, time);
        return;
    }
    if (frame->region->kind == OMPTAPE_REGION_ORDERED) {
        charge_row(state, location, frame,
                   frame > analysis_frames(location) ? frame[-1].account->blamed : frame->region, time);
        return;
    }
    if (!still_polls(state, poll, frame))
        *poll = (struct analysis_poll){.region = frame->region, .begin = frame->replay.begin};
    poll->last = time;
}

static uint64_t wait_begin(const struct analysis_state *state, struct analysis_location *location,
                           const struct analysis_frame *frame)
{
    uint64_t begin = still_polls(state, &location->poll, frame) ? location->poll.begin : frame->replay.begin;
    location->poll.region = NULL;
    return begin;
}

static struct analysis_lock_site *site_of(struct analysis_state *state, struct analysis_region *region)
{
    struct analysis_region_state *known = omptape_analysis_region_state(region);
    if (known->lock_site == NULL)
        known->lock_site =
            omptape_analysis_at_region(state, &state->lock_sites, region, sizeof(struct analysis_lock_site));
    return known->lock_site;
}

struct analysis_lock_holder *omptape_analysis_lock_holding(struct analysis_state *state,
                                                           struct analysis_region *asker,
                                                           struct analysis_region *holder)
{
    struct analysis_lock_holder *sum =
        omptape_pairs_obtain(&state->lock_holders, &state->result->arena, asker->definition->id,
                             holder->definition->id, sizeof(*sum));
    if (sum == NULL)
        return NULL;
    sum->asker = asker;
    sum->holder = holder;
    return sum;
}

static void add_wait(struct analysis_state *state, const struct analysis_held_lock *lock,
                     struct analysis_region *asker, struct analysis_region *holder, uint64_t begin,
                     uint64_t end)
{
    if (end <= begin)
        return;
    struct analysis_lock_holder *sum = omptape_analysis_lock_holding(state, asker, holder);
    if (sum == NULL)
        return;
    omptape_add(&sum->waited, end - begin);
    sum->count++;
    if (end - begin > sum->worst) {
        sum->worst = end - begin;
        sum->worst_begin = begin;
        sum->worst_location = lock->last.holder != NULL ? lock->last.holder->definition->id : 0;
    }
}

/* Divides a wait among the sites that held the lock meanwhile. Time before the known runs is the oldest's. */
static void share_out(struct analysis_state *state, const struct analysis_held_lock *lock,
                      struct analysis_region *asker, uint64_t begin, uint64_t end)
{
    const struct analysis_hold_run *run = &lock->run;
    const struct analysis_hold_run *older = lock->runs;
    uint32_t left = older != NULL ? MAX_RUNS : 0;
    while (run->begin > begin && left > 0 && older->region != NULL) {
        add_wait(state, lock, asker, run->region, run->begin < end ? run->begin : end, end);
        end = run->begin < end ? run->begin : end;
        run = older++;
        left--;
    }
    add_wait(state, lock, asker, run->region != NULL ? run->region : asker, begin, end);
}

/* Notes that the lock is held at this site from now on. */
static void begin_run(struct analysis_state *state, struct analysis_held_lock *lock,
                      struct analysis_region *region, uint64_t time)
{
    if (lock->run.region == region)
        return;
    if (lock->run.region != NULL) {
        if (lock->runs == NULL)
            lock->runs = omptape_arena_alloc(&state->arena, MAX_RUNS * sizeof(*lock->runs));
        if (lock->runs == NULL)
            return;
        memmove(lock->runs + 1, lock->runs, (MAX_RUNS - 1) * sizeof(*lock->runs));
        lock->runs[0] = lock->run;
    }
    lock->run = (struct analysis_hold_run){.region = region, .begin = time};
}

/* Charges the part of a wait from `from` to `until`, in which the thread `late` may have had no processor.
 * The threads in the queue share the loss. Returns that part; 0 if it is too short. */
static uint64_t charge_late(struct analysis_state *state, struct analysis_location *late,
                            struct analysis_cause *cause, const struct analysis_wait *wait, uint64_t from,
                            uint64_t until, uint64_t queue)
{
    from = from > wait->begin ? from : wait->begin;
    if (late == NULL || until <= from || until - from < IDLE * state->short_idle)
        return 0;
    struct analysis_wait part = *wait;
    part.waited = until - from;
    part.lead = (until - from) / queue;
    omptape_analysis_charge_late(late, cause, &part);
    return until - from;
}

/* Divides a wait into three parts: until this thread continued, while the previous holder had the lock,
 * and until that holder continued. A wait in which a thread mostly stalled is due to tracing. */
static void charge_wait(struct analysis_state *state, struct analysis_location *location,
                        const struct analysis_hold *before, const struct analysis_frame *frame,
                        uint64_t begin, uint64_t time, uint64_t queue)
{
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    if (2 * omptape_minus(stalled_at(location, time), location->lock.stalled) > time - begin)
        return;
    struct analysis_cause *cause = omptape_analysis_cause(
        state, OMPTAPE_FINDING_LOCK, frame->region, membership != NULL ? membership->team->region : NULL);
    struct analysis_wait wait = {.threads = membership != NULL ? membership->team->threads : 1,
                                 .preempted = ANALYSIS_PREEMPTED_STARTING,
                                 .continues = true,
                                 .is_own = begin == frame->replay.begin,
                                 .begin = begin,
                                 .end = time};
    uint64_t late = charge_late(state, location, cause, &wait, before->released, time, 1);
    if (before->acquired > before->handover)
        late += charge_late(state, before->holder, cause, &wait, before->acquired - before->handover,
                            before->acquired, queue);
    wait.preempted = ANALYSIS_PREEMPTED_WORKING;
    late += charge_late(state, before->holder, cause, &wait, before->acquired, before->released, queue);
    (wait.is_own ? omptape_analysis_charge_own : omptape_analysis_charge)(
        state, cause, omptape_minus(time - begin, late), wait.threads, begin, time, location->definition->id);
}

/* Counts a contended acquisition: another thread had to release the lock first. */
static void add_contended(struct analysis_state *state, struct analysis_location *location,
                          const struct analysis_held_lock *lock, const struct analysis_frame *frame,
                          uint64_t begin, uint64_t time)
{
    const struct analysis_region_state *region = omptape_analysis_region_state(frame->region);
    struct analysis_lock *site = &lock->site->result;
    uint64_t waited = time - begin;
    uint64_t waiting = region->asking + 1;
    if (!omptape_analysis_counts(state, waited))
        return;
    site->contended++;
    omptape_add(&site->handover, time - lock->last.released);
    omptape_add(&site->contended_wait, waited);
    omptape_add(&site->queue, waiting);
    site->longest_queue = waiting > site->longest_queue ? waiting : site->longest_queue;
    share_out(state, lock, frame->region, begin, time);
    charge_wait(state, location, &lock->last, frame, begin, time, waiting);
}

static void count_asker(struct analysis_lock_site *site, struct analysis_region *region,
                        struct analysis_location *location)
{
    struct analysis_region_state *known = omptape_analysis_region_state(region);
    if (known->last_asker != location &&
        omptape_hash_add(&site->askers, location->definition->id + 1, location) == 0)
        site->result.threads++;
    known->last_asker = location;
}

void omptape_analysis_lock_acquire(struct analysis_state *state, struct analysis_location *location,
                                   uint64_t time, uint64_t name)
{
    omptape_analysis_brief_event(state, location, time);
    struct analysis_held_lock *lock = lock_of(state, location, name);
    struct analysis_frame *frame = asking_frame(location);
    if (lock == NULL)
        return;
    struct analysis_hold hold = {.holder = location, .acquired = time};
    lock->site = frame != NULL ? site_of(state, frame->region) : NULL;
    if (lock->site != NULL) {
        uint64_t begin = wait_begin(state, location, frame);
        cease_to_ask(frame);
        omptape_analysis_count(state, &lock->site->result.wait, time - begin, begin,
                               location->definition->id);
        if (omptape_analysis_counts(state, time - begin))
            count_asker(lock->site, frame->region, location);
        if (lock->last.released > begin) {
            hold.handover = time - lock->last.released;
            add_contended(state, location, lock, frame, begin, time);
        }
        begin_run(state, lock, frame->region, time);
        omptape_interval_acquire(location, time, lock, lock->site);
    }
    lock->last = hold;
}

void omptape_analysis_lock_release(struct analysis_state *state, struct analysis_location *location,
                                   uint64_t time, uint64_t name)
{
    omptape_analysis_brief_event(state, location, time);
    struct analysis_held_lock *lock = lock_of(state, location, name);
    if (lock == NULL)
        return;
    lock->last.released = time;
    if (lock->last.holder != NULL)
        omptape_interval_release(lock->last.holder, time, lock);
    if (lock->site != NULL)
        omptape_analysis_count(state, &lock->site->result.hold, time - lock->last.acquired,
                               lock->last.acquired, location->definition->id);
    lock->site = NULL;
}

struct analysis_region *omptape_analysis_lock_holder(const struct analysis_state *state,
                                                     struct analysis_region *asker)
{
    const struct analysis_lock_site *site = omptape_analysis_of_region(&state->lock_sites, asker);
    for (uint32_t i = 0; i < state->lock_holders.count && site != NULL; i++) {
        const struct analysis_lock_holder *one = state->lock_holders.list[i].value;
        if (one->asker == asker && 2 * one->waited > site->result.contended_wait)
            return one->holder;
    }
    return asker;
}
