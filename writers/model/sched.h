/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread's processor time, and the time that it waited for a processor: what was read of them, until the
 * merge has come as far, and the metric that shows it.
 */
#ifndef OMPTAPE_WRITERS_MODEL_SCHED_H
#define OMPTAPE_WRITERS_MODEL_SCHED_H

#include "writers/model/model.h"

/* Sums since the thread was made, in ns; of a location that had several threads, of all of them. */
struct omptape_sched_reading {
    uint64_t time; /* of the trace */
    uint64_t running;
    uint64_t waiting;
};

enum { OMPTAPE_SCHED_KEPT = 16 };

/* What is known of a thread. */
struct omptape_sched {
    struct omptape_sched_reading latest;
    struct omptape_sched_reading before; /* sums of the threads that had the location before */
    struct omptape_sched_reading kept[OMPTAPE_SCHED_KEPT]; /* those to be shown: the merge is not there yet */
    uint32_t count;
    struct omptape_sched_reading newest_kept;
    uint64_t events_then; /* of the location, when that was kept */
    uint64_t shown;       /* time of the last one in the archive; 0: there is none */
};

/* The thread of this location was read; times ascend. What says less than before is another thread's. */
void omptape_sched_note(const struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_sched_reading *reading);

/* Another thread has the location now: what is read of it counts from the sums of those before it on. */
void omptape_sched_change_thread(struct omptape_location *location);

/* Is there something to be shown? */
static inline bool omptape_sched_waits(const struct omptape_location *location)
{
    return location->sched != NULL && location->sched->count > 0;
}

/* Writes what was read up to `time`: all that happened on the location before that has been written. */
void omptape_sched_show(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);
/* The same at the location's end. The latest reading is shown in any case. */
void omptape_sched_finish(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

#endif
