/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Queues samples at their location until the merge has reached their time, and then writes them. Called by
 * the writer's main thread, and by the only thread of a child that makes a checkpoint.
 */
#pragma once

#include "writers/regions/contexts.h"
#include "writers/translate/translators.h"

/* Queues a sample of the location's current thread at `time`. Counted samples must come in order of time;
 * they store the current sums of the counters. */
void omptape_samples_queue(struct omptape_location *location, uint64_t time, struct omptape_sample sample);

/* Translates a piece of a sample that the thread took of itself (OMPTAPE_SAMPLE). */
omptape_translator omptape_samples_translate;

/* Returns the OMPTAPE_MAX_COUNTERS counters' sums of all threads of the location; NULL if out of memory. */
uint64_t *omptape_samples_sums(struct omptape_location *location);

static inline bool omptape_samples_are_pending(const struct omptape_location *location)
{
    return location->samples.count > 0;
}

/* Returns true if the context, a number of the tree, has been written. */
static inline bool omptape_samples_uses(const struct omptape_samples *samples, OTF2_CallingContextRef context)
{
    return (samples->used[context / 8] & 1U << context % 8) != 0;
}

/* Writes the samples up to `time` and the readings between them (writers/state/sched.h). All earlier events
 * of the location have been written. */
void omptape_samples_write(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);
/* Writes the remaining samples at the end of the location's thread. */
void omptape_samples_finish(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);
/* Writes the samples of a thread unknown to OpenMP, from the time of the location's last event on. Counts
 * earlier dropped samples as lost. */
void omptape_samples_finish_other(struct omptape_writer *writer, struct omptape_location *location,
                                  uint64_t time);
