/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel counts of a thread: its processor time, its time on a run queue, its page faults. This
 * keeps the readings until the merge has come to their time, and writes them as a metric.
 */
#pragma once

#include "writers/state/writer.h"

/* What of a thread's work had no processor, in the sums of the archive's properties: at each reading of
 * its scheduler statistics, such time is moved from computing and serial to blocked and runnable. */
/* Up to which reading what had no processor is booked: its time and sums, and the location's work
 * until then; ticks and ns. */
struct omptape_lacks {
    uint64_t time; /* 0: there was none */
    uint64_t work;
    uint64_t computing; /* what is left of it there, */
    uint64_t serial;    /* ...and there */
    uint64_t running;
    uint64_t waiting;
    double carried_ns; /* src/core/buckets.h */
};

/* Sums since the thread was made, in the order of enum omptape_metric_member: ns, faults, switches. Those of
 * a location that had several threads are of all of them. */
struct omptape_sched_reading {
    uint64_t time; /* of the trace */
    uint64_t sums[OMPTAPE_SCHED_MEMBERS];
    uint64_t detailed; /* the processor time when all sums were read: the times are read more often */
};

/* The sums that decide which readings are kept: processor time, time on a run queue, system time. */
enum { OMPTAPE_SCHED_TIMES = 3 };
/* The most readings that wait for the merge. */
enum { OMPTAPE_SCHED_KEPT = 1024 };

/* The steepest and the flattest line from the anchor that passes all readings since within the tolerance, ns
 * a tick. */
struct omptape_sched_door {
    double least[OMPTAPE_SCHED_TIMES];
    double most[OMPTAPE_SCHED_TIMES];
};

/* What is known of a thread. */
struct omptape_sched {
    struct omptape_sched_reading latest;
    struct omptape_sched_reading before; /* sums of the threads that had the location before */
    struct omptape_sched_reading *kept;  /* those to be written: the merge has not come to their time */
    uint32_t count;
    uint32_t capacity;
    struct omptape_sched_reading anchor; /* the last one kept; .time 0: the location's begin */
    struct omptape_sched_door door;
    struct omptape_lacks lacks;
    bool has_door;         /* there is a reading since the anchor */
    unsigned halvings;     /* how often there were too many readings: each doubles the tolerance */
    uint64_t switches;     /* readings at context switches that were kept */
    uint64_t events_then;  /* events of the location when the anchor was kept */
    uint64_t seen_blocked; /* so often its state was that, */
    uint64_t seen_disk;    /* ...and of these uninterruptible, */
    uint64_t seen_stopped; /* ...and of these by a signal or a debugger */
    uint64_t shown;        /* time of the last one in the archive; 0: there is none */
};

/* The last reading of the location's present thread, its own sums alone; zeros: there is none. */
struct omptape_sched_reading omptape_sched_last(const struct omptape_location *location);

/* Takes a reading of the location's present thread; times ascend. A reading with a lower processor time than
 * before is ignored: it is of another thread with the same TID. */
void omptape_sched_note(const struct omptape_writer *writer, struct omptape_location *location,
                        const struct omptape_sched_reading *reading);

/* The same for a reading at a context switch. It is kept as it is as long as such readings are few, compared
 * with the events and the life of the location. */
void omptape_sched_note_switch(const struct omptape_writer *writer, struct omptape_location *location,
                               const struct omptape_sched_reading *reading);

/* Another thread has the location from `time` on: its sums are added to those of the threads before it. Since
 * the last of these was read it counts as running: nobody knows that it was blocked. 0: its end has been
 * read. */
void omptape_sched_change_thread(const struct omptape_writer *writer, struct omptape_location *location,
                                 uint64_t time);

/* Is there a reading to be written? */
static inline bool omptape_sched_waits(const struct omptape_location *location)
{
    return location->sched != NULL && location->sched->count > 0;
}

/* Writes the readings up to `time`; all of the location's events before that have been written. */
void omptape_sched_show(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);
/* The same at the location's end. Writes the latest reading in any case. */
void omptape_sched_finish(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

void omptape_sched_free(struct omptape_location *location);
