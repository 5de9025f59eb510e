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

void omptape_waits_lacking_free(struct waits_lacking *lacking)
{
    free(lacking->owed);
}

/* Shares of the time outside of MPI between two readings. */
struct share {
    double lacked; /* run-queue time; of all time if there is none outside of MPI */
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
    return (struct share){.lacked = awake > 0 ? (1 - asleep) * queued / awake : 0, .slept = asleep};
}

/* Attributes waiting first to the awaited thread's sleep, then to its missing processor. */
static void settle(struct analysis_state *state, uint64_t location, const struct waits_owed *owed)
{
    const uint64_t most = omptape_whole(owed->slept);
    const uint64_t slept = owed->waited < most ? owed->waited : most;
    const uint64_t awake = owed->waited - slept;
    const uint64_t queued = omptape_whole(owed->lacked);
    const uint64_t lacked = awake < queued ? awake : queued;
    if (owed->late != NULL)
        omptape_add(&owed->late->slept, slept);
    if (lacked == 0)
        return;
    omptape_analysis_charge_preemption(state, owed->cause, lacked, owed->threads, location);
    if (owed->late != NULL)
        owed->late->waited = omptape_minus(owed->late->waited, lacked);
    omptape_analysis_note_late(state, OMPTAPE_FINDING_PREEMPTION, owed->cause->region,
                               omptape_ranks_process_of(state->reader, location), lacked);
}

static void owe(struct waits_lacking *lacking, const struct waits_owed *owed)
{
    uint32_t i = 0;
    while (i < lacking->owed_count &&
           (lacking->owed[i].cause != owed->cause || lacking->owed[i].threads != owed->threads))
        i++;
    if (i == lacking->owed_count) {
        if (!OMPTAPE_RESERVE(lacking->owed, i + 1, &lacking->owed_room))
            return;
        lacking->owed[lacking->owed_count++] = *owed;
        return;
    }
    struct waits_owed *sum = &lacking->owed[i];
    omptape_add(&sum->waited, owed->waited);
    omptape_add(&sum->outside, owed->outside);
    sum->lacked += owed->lacked;
    sum->slept += owed->slept;
}

/* Removes a reading to make space. The first one goes if it precedes the time outside of MPI; otherwise the
 * third one. Its time is merged into the neighbouring interval, so no sum is lost. */
static void drop_reading(struct waits_lacking *lacking, uint64_t outside_since)
{
    const uint32_t which = lacking->readings[1].time <= outside_since ? 0 : 2;
    struct waits_reading *reading = &lacking->readings[which];
    memmove(reading, reading + 1, (lacking->reading_count - which - 1) * sizeof(*reading));
    lacking->reading_count--;
}

void omptape_waits_read_lack(struct analysis_state *state, struct waits_lacking *lacking, uint64_t location,
                             struct waits_reading reading, uint64_t outside_since)
{
    const uint32_t count = lacking->reading_count;
    const struct share share =
        count > 0 ? share_between(state, &lacking->readings[count - 1], &reading) : (struct share){0, 0};
    for (uint32_t i = 0; i < lacking->owed_count; i++) {
        struct waits_owed *owed = &lacking->owed[i];
        owed->lacked += (double)owed->outside * share.lacked;
        owed->slept += (double)owed->outside * share.slept;
        settle(state, location, owed);
    }
    lacking->owed_count = 0;
    if (count == WAITS_READINGS)
        drop_reading(lacking, outside_since);
    lacking->readings[lacking->reading_count++] = reading;
}

void omptape_waits_find_lack(struct analysis_state *state, struct waits_lacking *lacking, uint64_t location,
                             struct waits_owed owed, uint64_t since, uint64_t to)
{
    const uint64_t last = lacking->reading_count > 0 ? lacking->readings[lacking->reading_count - 1].time : 0;
    owed.outside = omptape_minus(to, last > since ? last : since);
    owed.lacked = owed.slept = 0;
    for (uint32_t i = 1; i < lacking->reading_count; i++) {
        const struct waits_reading *before = &lacking->readings[i - 1];
        const struct waits_reading *after = &lacking->readings[i];
        const uint64_t begin = before->time > since ? before->time : since;
        const uint64_t end = after->time < to ? after->time : to;
        const struct share share = share_between(state, before, after);
        owed.lacked += (double)omptape_minus(end, begin) * share.lacked;
        owed.slept += (double)omptape_minus(end, begin) * share.slept;
    }
    if (owed.outside > 0)
        owe(lacking, &owed);
    else
        settle(state, location, &owed);
}
