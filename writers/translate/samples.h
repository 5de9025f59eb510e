/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples on their way from the kernel to the archive: they wait at their location until the merge has come
 * to their time. The writer's main thread, and the only one of a child that makes a checkpoint.
 */
#pragma once

#include "writers/regions/contexts.h"
#include "writers/translate/translator.h"

/* Takes a sample of the location's present thread, at `time`. The times of counted ones ascend. With one that
 * is counted go the sums of its counters as they are now. */
void omptape_samples_note(struct omptape_location *location, uint64_t time, struct omptape_sample sample);

/* Takes a piece of a sample that the thread took of itself (OMPTAPE_SAMPLE). */
omptape_translator omptape_samples_translate;

/* The sums of the counters of all threads that had the location: OMPTAPE_COUNTERS_MOST. NULL: no memory. */
uint64_t *omptape_samples_sums(struct omptape_location *location);

static inline bool omptape_samples_wait(const struct omptape_location *location)
{
    return location->samples.count > 0;
}

/* Has the context been written, in the numbers of the tree? */
static inline bool omptape_samples_uses(const struct omptape_samples *samples, OTF2_CallingContextRef context)
{
    return (samples->used[context / 8] & 1U << context % 8) != 0;
}

/* Writes the samples up to `time`, and the readings between them (model/sched.h); all of the location's
 * events before that have been written. */
void omptape_samples_show(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);
/* The same at the end of the location's thread. */
void omptape_samples_finish(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);
/* The same for a thread that OpenMP does not know: all its samples since the location's last event. What was
 * dropped before counts as lost. */
void omptape_samples_finish_other(struct omptape_writer *writer, struct omptape_location *location,
                                  uint64_t time);
