/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Classes of thread time ("buckets"). Each moment of a thread's life belongs to exactly one bucket, so their
 * sum is the threads' lifetime. The writer and the analysis assign time by the same rules, unify adds up, and
 * the command prints. Also estimates which part of a thread's work had no processor. Constant data; any
 * thread.
 */
#pragma once

#include "src/core/constructs.h"
#include "src/core/whole.h"

#include <stdbool.h>
#include <stdint.h>

/* In the order of output. docs/mapping.md defines them. */
enum omptape_bucket {
    OMPTAPE_BUCKET_COMPUTING,
    OMPTAPE_BUCKET_SERIAL,
    OMPTAPE_BUCKET_BLOCKED,  /* part of the two buckets before without a processor; not assigned directly, */
    OMPTAPE_BUCKET_RUNNABLE, /* ...but moved here when the kernel's statistics are read */
    OMPTAPE_BUCKET_BARRIER,
    OMPTAPE_BUCKET_TASK_WAIT,
    OMPTAPE_BUCKET_LOCK,
    OMPTAPE_BUCKET_TASK_MANAGEMENT,
    OMPTAPE_BUCKET_TRANSFER,
    OMPTAPE_BUCKET_TARGET,
    OMPTAPE_BUCKET_MPI,
    OMPTAPE_BUCKET_IDLE,
    OMPTAPE_BUCKET_COUNT
};

struct omptape_bucket_facts {
    const char *key;  /* name of the archive's property (include/omptape/properties.h) */
    const char *name; /* for output */
    bool work;        /* the thread works and does not wait */
    bool off_cpu;     /* the thread works, but has no processor */
};

extern const struct omptape_bucket_facts omptape_buckets[OMPTAPE_BUCKET_COUNT];

/* For times by bucket. */
static inline uint64_t omptape_parts_sum(const uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    uint64_t sum = 0;
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        omptape_add(&sum, parts[bucket]);
    return sum;
}

static inline void omptape_parts_add(uint64_t sums[OMPTAPE_BUCKET_COUNT],
                                     const uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        omptape_add(&sums[bucket], parts[bucket]);
}

static inline void omptape_parts_subtract(uint64_t parts[OMPTAPE_BUCKET_COUNT],
                                          const uint64_t less[OMPTAPE_BUCKET_COUNT])
{
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        parts[bucket] = omptape_minus(parts[bucket], less[bucket]);
}

/* Assigns the time in which a region of one kind is the innermost region. */
struct omptape_bucket_rule {
    enum {
        /* Bucket of the surrounding region, except for past waiting: a critical section's body, a chunk. */
        OMPTAPE_BUCKET_AROUND,
        OMPTAPE_BUCKET_OWN,
        /* Idle for a thread that the runtime keeps for later and that is in no task; else as OWN. */
        OMPTAPE_BUCKET_UNLESS_HELPER
    } rule;
    uint8_t bucket; /* enum omptape_bucket */
};

extern const struct omptape_bucket_rule omptape_bucket_rules[OMPTAPE_REGION_KIND_COUNT];

/* Returns true if work inside a region of this kind is attributed to that region. Work in a chunk is
 * attributed to its loop, and work in a critical section's body to the region around the critical section. */
bool omptape_region_is_blamed(enum omptape_region_kind kind);

/* Returns true for critical sections and other constructs and routines that acquire a lock. */
bool omptape_region_is_lock(enum omptape_region_kind kind);

/* The interval between two readings of a thread's scheduler statistics. The kernel counts how long the thread
 * ran and queued, but not in which region. The part that belongs to work is estimated, by the same rules for
 * the archive's properties and for the analysis. All values in ns. `carried` is blocked time of earlier
 * intervals that was too short to be certain, because readings may be late by one scheduler tick. A negative
 * value was counted too early. The analysis alone sets `late` and `awake`: the writer does not compare counts
 * of sleeps. `carried_queued` is queueing time that was longer than the earlier intervals, because a reading
 * was late or the kernel lost records. */
struct omptape_sched_interval {
    double work;     /* work that may have been interrupted */
    double unbroken; /* work in pieces too short to be interrupted */
    double waiting;  /* the rest of the interval */
    double running;
    double queued;
    double carried;
    double carried_queued;
    double late; /* running time of earlier intervals that no reading has contained yet */
    bool awake;  /* the kernel counted no sleep: what is missing ran, and the reading is late */
    bool exact;  /* each time of a millisecond or more without a processor is an interval of its own */
};

/* Returns the most readings at switches that an archive has of a location of this age (s) and events. */
uint64_t omptape_sched_switch_readings(uint64_t age, uint64_t events);

/* Work without a processor, in ns. */
struct omptape_off_cpu {
    double runnable; /* the thread was queued for a processor */
    double blocked;  /* the thread slept: input, output, a sleep, a lock outside of OpenMP */
    double carried;  /* for the next interval */
    double carried_queued;
    double late;
};

struct omptape_off_cpu omptape_sched_interval_off_cpu(const struct omptape_sched_interval *interval);

/* Limits the values of a thread's first reading, which include time before its first event, to the interval's
 * length. */
void omptape_sched_interval_clip_first(struct omptape_sched_interval *interval);

/* Estimates how much of a thread's sleep was during work, given its waiting time. Sleep beyond the waiting
 * time was during work. The remaining sleep is divided by the same share. */
double omptape_slept_at_work(double slept, double waiting);

/* Returns the longest time that n threads can have waited for processors because of each other. While one
 * waits, all p processors run threads of the group, and at most n - p wait. Waiting beyond that is due to
 * other programs or a quota. `running`: total running time; the result has its unit. `processors` 0: unknown.
 */
static inline double omptape_wait_for_each_other(double running, uint64_t threads, uint64_t processors)
{
    return processors > 0 && threads > processors
               ? running * (double)(threads - processors) / (double)processors
               : 0;
}
