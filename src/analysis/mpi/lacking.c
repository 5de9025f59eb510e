/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lack of processors of threads that others wait for (lacking.h).
 */
#include "src/analysis/mpi/lacking.h"

#include "src/analysis/causes.h"
#include "src/core/array.h"
#include "src/replay/ranks.h"

#include <stdlib.h>
#include <string.h>

void omptape_waits_lacking_free(struct waits_lacking *lacking)
{
    free(lacking->owed);
}

/* How much of the time outside of MPI between two readings the thread had no processor; of all, if there is
 * none. */
static double share_between(const struct analysis_state *state, const struct waits_reading *before,
                            const struct waits_reading *after)
{
    if (after->queued_ns <= before->queued_ns || after->running_ns < before->running_ns ||
        after->time <= before->time)
        return 0;
    const double all = (double)(after->time - before->time) * state->ns_per_tick;
    const double queued = (double)(after->queued_ns - before->queued_ns);
    const double awake = queued + (double)(after->running_ns - before->running_ns);
    const double slept = all > awake ? all - awake : 0;
    const double outside = (double)(after->outside - before->outside) * state->ns_per_tick;
    const double at_work = outside > 0 ? (outside > slept ? 1 - slept / outside : 0) : 1;
    return at_work * queued / awake;
}

/* So much of what was charged to a cause was for want of a processor. */
static void move(struct analysis_state *state, uint64_t location, const struct waits_owed *owed, double share)
{
    const uint64_t lacked = omptape_whole((double)owed->waited * share);
    if (lacked == 0)
        return;
    omptape_analysis_charge_lack(state, owed->cause, lacked, owed->threads, location);
    omptape_analysis_note_late(state, OMPTAPE_FINDING_PREEMPTION, owed->cause->region,
                               omptape_ranks_process_of(state->reader, location), lacked);
}

static void owe(struct analysis_state *state, struct waits_lacking *lacking, const struct waits_owed *owed,
                uint64_t waited)
{
    uint32_t i = 0;
    while (i < lacking->owed_count &&
           (lacking->owed[i].cause != owed->cause || lacking->owed[i].threads != owed->threads))
        i++;
    if (i == lacking->owed_count) {
        struct waits_owed *list =
            omptape_array_reserve(lacking->owed, i + 1, &lacking->owed_room, sizeof(*list));
        if (list == NULL) {
            state->no_memory = true;
            return;
        }
        lacking->owed = list;
        list[lacking->owed_count++] = (struct waits_owed){.cause = owed->cause, .threads = owed->threads};
    }
    omptape_add(&lacking->owed[i].waited, waited);
}

void omptape_waits_read_lack(struct analysis_state *state, struct waits_lacking *lacking, uint64_t location,
                             struct waits_reading reading)
{
    const uint32_t count = lacking->reading_count;
    const double share = count > 0 ? share_between(state, &lacking->readings[count - 1], &reading) : 0;
    for (uint32_t i = 0; i < lacking->owed_count; i++)
        move(state, location, &lacking->owed[i], share);
    lacking->owed_count = 0;
    if (count == WAITS_READINGS) {
        memmove(&lacking->readings[0], &lacking->readings[1], (count - 1) * sizeof(lacking->readings[0]));
        lacking->reading_count--;
    }
    lacking->readings[lacking->reading_count++] = reading;
}

void omptape_waits_find_lack(struct analysis_state *state, struct waits_lacking *lacking, uint64_t location,
                             const struct waits_owed *owed, uint64_t from, uint64_t to)
{
    const uint64_t last = lacking->reading_count > 0 ? lacking->readings[lacking->reading_count - 1].time : 0;
    double lacked = 0;
    if (to <= from)
        return;
    for (uint32_t i = 1; i < lacking->reading_count; i++) {
        const struct waits_reading *before = &lacking->readings[i - 1];
        const struct waits_reading *after = &lacking->readings[i];
        const uint64_t begin = before->time > from ? before->time : from;
        const uint64_t end = after->time < to ? after->time : to;
        if (end > begin)
            lacked += (double)(end - begin) * share_between(state, before, after);
    }
    if (lacked > 0)
        move(state, location, owed, lacked / (double)(to - from));
    if (to > last)
        owe(state, lacking, owed,
            omptape_analysis_part(owed->waited, to - (last > from ? last : from), to - from));
}
