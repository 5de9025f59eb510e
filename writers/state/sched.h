/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kernel counts for a thread: processor time, time on a run queue, page faults. Keeps the readings
 * until the merge has reached their time, and writes them as a metric.
 */
#pragma once

#include "writers/state/writer.h"

/* State at the last booked reading of scheduler statistics: its time and sums, and the location's work
 * until then, in ticks and ns. At each reading, work without a processor moves from computing and serial time
 * to blocked and runnable time in the sums of the archive's properties. */
struct omptape_off_cpu_state {
    uint64_t time; /* 0: no reading yet. */
    uint64_t work;
    uint64_t computing; /* Computing time after the move. */
    uint64_t serial;    /* Serial time after the move. */
    uint64_t running;   /* Time on a processor, ns. */
    uint64_t queued;    /* Time on a run queue, ns. */
    double carried_ns;  /* See src/core/buckets.h. */
    double carried_queued_ns;
};

/* Sums since the thread was created, in the order of enum omptape_metric_member: ns, faults, switches. A
 * location that had several threads has the sums of all of them. */
struct omptape_sched_reading {
    uint64_t time; /* Time of the trace. */
    uint64_t sums[OMPTAPE_SCHED_MEMBERS];
    uint64_t detailed; /* Processor time at the last reading of all sums; the times are read more often. */
};

/* Number of sums that decide which readings are kept: processor time, time on a run queue, system time. */
enum { OMPTAPE_SCHED_TIMES = 3 };
/* Most readings that wait for the merge. */
enum { OMPTAPE_MAX_SCHED_READINGS = 1024 };

/* Minimum and maximum slope of a line from the anchor that passes all later ones within the tolerance, ns per
 * tick. */
struct omptape_sched_door {
    double min[OMPTAPE_SCHED_TIMES];
    double max[OMPTAPE_SCHED_TIMES];
};

/* Scheduler statistics of a location. */
struct omptape_sched {
    struct omptape_sched_reading latest;
    struct omptape_sched_reading before; /* Sums of the threads that had the location earlier. */
    struct omptape_sched_reading *kept;  /* Readings to be written when the merge has reached their time. */
    uint32_t count;
    uint32_t capacity;
    struct omptape_sched_reading anchor; /* Reading that was kept last; .time 0: the location's begin. */
    struct omptape_sched_door door;
    struct omptape_off_cpu_state off_cpu;
    bool has_door;         /* True if there is a reading since the anchor. */
    unsigned halvings;     /* How often there were too many readings; each time doubles the tolerance. */
    uint64_t switches;     /* Number of kept readings at context switches. */
    bool has_gaps;         /* True if a reading at a context switch was not kept. */
    uint64_t events_then;  /* Number of the location's events when the anchor was kept. */
    uint64_t seen_blocked; /* How often the thread was seen blocked. */
    uint64_t seen_disk;    /* How often the thread was seen in uninterruptible sleep. */
    uint64_t seen_stopped; /* How often the thread was seen stopped by a signal or a debugger. */
    uint64_t last_written; /* Time of the last value in the archive; 0: none. */
    struct omptape_sched_reading marked; /* See omptape_observe_mark_others; .time 0: none. */
};

/* Returns the last reading of the location's current thread, without earlier threads' sums. Zeros: none. */
struct omptape_sched_reading omptape_sched_last(const struct omptape_location *location);

/* Adds a reading of the location's current thread; times ascend. Ignores a reading with less processor
 * time than before: it belongs to another thread with the same TID. */
void omptape_sched_add(const struct omptape_writer *writer, struct omptape_location *location,
                       const struct omptape_sched_reading *reading);

/* Adds a reading at a context switch. Keeps it unconditionally while such readings are few, compared with
 * the events and the lifetime of the location. */
void omptape_sched_add_at_switch(const struct omptape_writer *writer, struct omptape_location *location,
                                 const struct omptape_sched_reading *reading);

/* Called when another thread takes the location at `time`: its sums are added to those of earlier threads.
 * The previous thread counts as running from its last reading, or its begin, to its last event, because it is
 * unknown whether it was blocked. `time` 0: its end has been read. */
void omptape_sched_change_thread(const struct omptape_writer *writer, struct omptape_location *location,
                                 uint64_t time);

/* Returns true if a reading waits to be written. */
static inline bool omptape_sched_has_pending(const struct omptape_location *location)
{
    return location->sched != NULL && location->sched->count > 0;
}

/* Writes a first reading at the location's begin, when the kernel created its thread: all sums are 0. */
void omptape_sched_write_begin(struct omptape_writer *writer, struct omptape_location *location);
/* Writes the readings up to `time`. All earlier events of the location have been written. */
void omptape_sched_write(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);
/* Writes the readings at the location's end, including the latest one. */
void omptape_sched_finish(struct omptape_writer *writer, struct omptape_location *location, uint64_t time);

void omptape_sched_free(struct omptape_location *location);
