/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks, critical sections and ordered: how long they were waited for and held, and where. Called for their
 * acquisitions and releases.
 */
#include "src/analysis/state.h"

void omptape_analysis_locks_free(struct analysis_state *state)
{
    for (uint32_t i = 0; i < state->lock_sites.count; i++)
        omptape_hash_free(&((struct analysis_lock_site *)state->lock_sites.list[i].value)->askers);
}

static struct analysis_held_lock *lock_of(struct analysis_state *state,
                                          const struct analysis_location *location,
                                          const struct omptape_event *event)
{
    struct analysis_held_lock *lock = omptape_pairs_obtain(
        &state->locks, &state->arena, (uint64_t)location->process << 32 | event->refs[0].id, event->value[0],
        sizeof(*lock));
    if (lock == NULL)
        state->no_memory = true;
    return lock;
}

/* The open region that asks for a lock: what is acquired belongs to the innermost. */
static struct analysis_frame *asking_frame(struct analysis_location *location)
{
    for (uint32_t i = location->depth; i-- > 0;)
        if (location->frames[i].bucket == OMPTAPE_BUCKET_LOCK)
            return &location->frames[i];
    return NULL;
}

void omptape_analysis_lock_acquire(struct analysis_state *state, struct analysis_location *location,
                                   const struct omptape_event *event)
{
    struct analysis_held_lock *lock = lock_of(state, location, event);
    const struct analysis_frame *frame = asking_frame(location);
    const struct analysis_membership *membership = omptape_analysis_membership(location);
    if (lock == NULL)
        return;
    lock->acquired = event->time;
    lock->site = NULL;
    if (frame == NULL)
        return;
    struct analysis_lock_site *site = omptape_pairs_obtain(&state->lock_sites, &state->result->arena, 0,
                                                           frame->region->definition->id, sizeof(*site));
    if (site == NULL) {
        state->no_memory = true;
        return;
    }
    uint64_t waited = event->time - frame->begin;
    lock->site = site;
    site->result.region = frame->region;
    omptape_analysis_count(state, &site->result.wait, waited, frame->begin, location->definition->id);
    if (omptape_hash_add(&site->askers, location->definition->id + 1, location) == 0)
        site->result.threads++;
    lock->released = lock->released > frame->begin ? lock->released : 0;
    if (lock->released == 0)
        return;
    site->result.contended++;
    site->result.handover += event->time - lock->released;
    omptape_analysis_charge(state,
                            omptape_analysis_cause(state, OMPTAPE_FINDING_LOCK, frame->region,
                                                   membership != NULL ? membership->team->region : NULL),
                            waited, membership != NULL ? membership->team->threads : 1, frame->begin,
                            event->time, location->definition->id);
    frame->region->charged -= waited; /* it is the region's own time already */
}

void omptape_analysis_lock_release(struct analysis_state *state, struct analysis_location *location,
                                   const struct omptape_event *event)
{
    struct analysis_held_lock *lock = lock_of(state, location, event);
    if (lock == NULL)
        return;
    lock->released = event->time;
    if (lock->site != NULL)
        omptape_analysis_count(state, &lock->site->result.hold, event->time - lock->acquired, lock->acquired,
                               location->definition->id);
    lock->site = NULL;
}
