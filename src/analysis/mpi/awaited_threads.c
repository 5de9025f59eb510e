/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes how much waiting is due to missing processors of the awaited threads (calls.h).
 */
#include "src/analysis/mpi/calls.h"

#include "src/analysis/causes.h"
#include "src/core/array.h"
#include "src/replay/ranks.h"

#include <stdlib.h>
#include <string.h>

/* Shares of the time outside of MPI between two readings. */
struct share {
    double queued; /* run-queue time; of all time if there is none outside of MPI */
    double slept;
};

static struct share share_between(const struct analysis_state *state, const struct waits_reading *before,
                                  const struct waits_reading *after)
{
    if (after->queued_ns < before->queued_ns || after->running_ns < before->running_ns ||
        after->time <= before->time)
        return (struct share){0, 0};
    const double all = (double)(after->time - before->time) * state->ns_per_tick;
    const double queued = (double)(after->queued_ns - before->queued_ns);
    const double awake = queued + (double)(after->running_ns - before->running_ns);
    const double slept = all > awake ? all - awake : 0;
    const double outside = (double)(after->outside - before->outside) * state->ns_per_tick;
    const double asleep = outside > slept ? slept / outside : outside > 0 ? 1 : 0;
    return (struct share){.queued = awake > 0 ? (1 - asleep) * queued / awake : 0, .slept = asleep};
}

/* Attributes waiting first to the awaited thread's sleep, then to its missing processor. */
static void attribute(struct analysis_state *state, uint64_t location, const struct waits_pending *pending)
{
    const uint64_t most = omptape_whole(pending->slept);
    const uint64_t slept = pending->waited < most ? pending->waited : most;
    const uint64_t awake = pending->waited - slept;
    const uint64_t queued = omptape_whole(pending->queued);
    const uint64_t lost = awake < queued ? awake : queued;
    if (pending->late != NULL)
        omptape_add(&pending->late->slept, slept);
    if (lost == 0)
        return;
    omptape_analysis_charge_preemption(state, pending->cause, lost, pending->threads, location);
    if (pending->late != NULL) {
        const uint64_t left = omptape_minus(pending->late->waited, lost);
        pending->late->between = omptape_analysis_part(pending->late->between, left, pending->late->waited);
        pending->late->waited = left;
    }
    omptape_analysis_note_late(state, OMPTAPE_FINDING_PREEMPTION, pending->cause->region,
                               omptape_ranks_process_of(state->reader, location), lost);
}

static void add_pending(struct waits_sched *sched, const struct waits_pending *pending)
{
    uint32_t i = 0;
    while (i < sched->pending_count &&
           (sched->pending[i].cause != pending->cause || sched->pending[i].threads != pending->threads))
        i++;
    if (i == sched->pending_count) {
        if (!OMPTAPE_RESERVE(sched->pending, i + 1, &sched->pending_capacity))
            return;
        sched->pending[sched->pending_count++] = *pending;
        return;
    }
    struct waits_pending *sum = &sched->pending[i];
    omptape_add(&sum->waited, pending->waited);
    omptape_add(&sum->outside, pending->outside);
    sum->queued += pending->queued;
    sum->slept += pending->slept;
}

/* Removes a reading to make space. The first one goes if it precedes the time outside of MPI; otherwise the
 * third one. Its time is merged into the neighbouring interval, so no sum is lost. */
static void drop_reading(struct waits_sched *sched, uint64_t outside_since)
{
    const uint32_t which = sched->readings[1].time <= outside_since ? 0 : 2;
    struct waits_reading *reading = &sched->readings[which];
    memmove(reading, reading + 1, (sched->reading_count - which - 1) * sizeof(*reading));
    sched->reading_count--;
}

void omptape_waits_sched_read(struct analysis_state *state, struct waits_sched *sched, uint64_t location,
                              struct waits_reading reading, uint64_t outside_since)
{
    const uint32_t count = sched->reading_count;
    const struct share share =
        count > 0 ? share_between(state, &sched->readings[count - 1], &reading) : (struct share){0, 0};
    for (uint32_t i = 0; i < sched->pending_count; i++) {
        struct waits_pending *pending = &sched->pending[i];
        pending->queued += (double)pending->outside * share.queued;
        pending->slept += (double)pending->outside * share.slept;
        attribute(state, location, pending);
    }
    sched->pending_count = 0;
    if (count == WAITS_READINGS)
        drop_reading(sched, outside_since);
    sched->readings[sched->reading_count++] = reading;
}

void omptape_waits_sched_attribute(struct analysis_state *state, struct waits_sched *sched, uint64_t location,
                                   struct waits_pending pending, uint64_t since, uint64_t to)
{
    const uint64_t last = sched->reading_count > 0 ? sched->readings[sched->reading_count - 1].time : 0;
    pending.outside = omptape_minus(to, last > since ? last : since);
    pending.queued = pending.slept = 0;
    for (uint32_t i = 1; i < sched->reading_count; i++) {
        const struct waits_reading *before = &sched->readings[i - 1];
        const struct waits_reading *after = &sched->readings[i];
        const uint64_t begin = before->time > since ? before->time : since;
        const uint64_t end = after->time < to ? after->time : to;
        const struct share share = share_between(state, before, after);
        pending.queued += (double)omptape_minus(end, begin) * share.queued;
        pending.slept += (double)omptape_minus(end, begin) * share.slept;
    }
    if (pending.outside > 0)
        add_pending(sched, &pending);
    else
        attribute(state, location, &pending);
}
