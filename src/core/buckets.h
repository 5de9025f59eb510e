/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the time of threads goes. Each moment of a thread's life is in one bucket, so that all together are
 * the time that threads lived. Constant data: the writer books, unify adds up, the analysis of a finished
 * archive books by the same rules, the command shows. And whom threads wait for that have no processor.
 */
#ifndef OMPTAPE_CORE_BUCKETS_H
#define OMPTAPE_CORE_BUCKETS_H

#include "src/core/constructs.h"

#include <stdbool.h>
#include <stdint.h>

/* In the order in which they are shown. docs/mapping.md says what belongs to which. */
enum omptape_bucket {
    OMPTAPE_BUCKET_COMPUTING,
    OMPTAPE_BUCKET_SERIAL,
    OMPTAPE_BUCKET_BLOCKED,  /* what of the two before had no processor (below): nothing is booked there, */
    OMPTAPE_BUCKET_RUNNABLE, /* ...it is moved there when the kernel's statistics are read */
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
    const char *key;  /* of the archive's property (include/omptape/properties.h) */
    const char *name; /* as people read it */
    bool work;        /* the thread is at work, and not waiting for something */
    bool lack;        /* the thread is at work, but has no processor */
};

extern const struct omptape_bucket_facts omptape_buckets[OMPTAPE_BUCKET_COUNT];

/* Where the time counts in which a region of some kind is the innermost. */
struct omptape_bucket_rule {
    enum {
        OMPTAPE_BUCKET_AROUND, /* a critical section's body, a chunk and the like are no places of their own:
                                */
                               /* as what is around them, but for waiting that is over */
        OMPTAPE_BUCKET_OWN,
        OMPTAPE_BUCKET_UNLESS_SPARE /* idle, if the runtime keeps the thread for later and it is in no task */
    } rule;
    uint8_t bucket; /* enum omptape_bucket */
};

extern const struct omptape_bucket_rule omptape_bucket_rules[OMPTAPE_REGION_KIND_COUNT];

/* Does work in a region of this kind count as its own? A chunk's is its loop's, and the work of a critical
 * section's body belongs to what is around the critical section. */
bool omptape_region_is_blamed(enum omptape_region_kind kind);

/* Is it a critical section, or another construct or routine at which threads wait for a lock? */
bool omptape_region_is_lock(enum omptape_region_kind kind);

/* A spell is the time between two readings of a thread's scheduler statistics. The kernel counts how long
 * the thread ran and queued in it, but not at what. Which part of it was work is estimated, for the
 * archive's properties and for the analysis alike. All in ns. `carried` comes from the spells before. It is
 * what was too little to be certain, as a reading may be late by a tick of the scheduler. Below 0 it is what
 * was counted too early. */
struct omptape_spell {
    double work;     /* work that other threads may have interrupted */
    double unbroken; /* work in stretches too short for that */
    double waiting;  /* the rest of the spell */
    double running;
    double queued;
    double carried;
};

/* What of the work had no processor, in ns. */
struct omptape_lack {
    double runnable; /* the thread wanted one */
    double blocked;  /* the thread slept: input, output, a sleep, a lock that is not OpenMP's */
    double carried;  /* for the next spell */
};

struct omptape_lack omptape_spell_lack(const struct omptape_spell *spell);

/* The first reading counts what was before the thread's first event, too. Leaves of it what is no longer than
 * the spell. */
void omptape_spell_clip_first(struct omptape_spell *spell);

/* Of what a thread slept beside so much waiting, what it slept at work: what cannot have been waiting is, and
 * of the rest the same share, since such a thread's work does sleep. */
double omptape_slept_at_work(double slept, double waiting);

/* Of the time that threads waited for a processor, what they can have waited for each other: while one of n
 * waits for p processors all p run, and no more than n - p wait. What is more than that was due to other
 * programs, or to a quota. `running`: what they ran in all; the result is in the same unit. `processors` 0:
 * not known how many there are. */
static inline double omptape_wait_for_each_other(double running, uint64_t threads, uint64_t processors)
{
    return processors > 0 && threads > processors
               ? running * (double)(threads - processors) / (double)processors
               : 0;
}

#endif
