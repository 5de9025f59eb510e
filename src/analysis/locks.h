/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks, critical, ordered and atomic: who asked where, who held it meanwhile.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_state;
struct analysis_location;
struct analysis_frame;
struct analysis_held_lock;

/* Of omp_test_lock in a loop: where, and since when. */
struct analysis_poll {
    const struct analysis_region *region; /* NULL: it polls no lock */
    uint64_t begin;
    uint64_t last; /* time without success */
};

/* The lock that a thread acquired or released last. */
struct analysis_lock_near {
    uint64_t name;
    struct analysis_held_lock *lock; /* NULL: none */
};

struct analysis_lock_site {
    struct analysis_lock result;
    struct omptape_hash askers;
};

/* Where a lock was held: at one site from here until the next run begins. */
struct analysis_hold_run {
    struct analysis_region *region;
    uint64_t begin;
};

/* One time that a lock was held, the last one: of a lock that nobody had, nothing. */
struct analysis_hold {
    struct analysis_location *holder;
    uint64_t handover; /* from the release that it waited for until it had the lock; 0: it need not wait */
    uint64_t acquired;
    uint64_t released; /* 0: not yet */
};

struct analysis_held_lock {
    struct analysis_hold last;
    struct analysis_lock_site *site; /* where it was asked for; NULL: nobody has it */
    struct analysis_hold_run run;    /* that goes on; region NULL: nobody had it */
    struct analysis_hold_run *runs;  /* before it, newest first; NULL: none */
};

/* The thread begins to wait for a lock; it leaves where it did, perhaps without it. */
void omptape_analysis_lock_ask(struct analysis_frame *frame);
void omptape_analysis_lock_leave(struct analysis_state *state, struct analysis_location *location,
                                 struct analysis_frame *frame, uint64_t time);
/* The sums of these two sites, made if they are not there. NULL: no memory. */
struct analysis_lock_holder *omptape_analysis_lock_holding(struct analysis_state *state,
                                                           struct analysis_region *asker,
                                                           struct analysis_region *holder);
/* Where a lock was held in most of the time that others waited for it here: this region or another. */
struct analysis_region *omptape_analysis_lock_holder(const struct analysis_state *state,
                                                     struct analysis_region *asker);
/* A lock's paradigm and its number are one here. */
static inline uint64_t omptape_analysis_lock_name(uint64_t paradigm, uint64_t lock)
{
    return paradigm << 32 | lock;
}
void omptape_analysis_lock_acquire(struct analysis_state *state, struct analysis_location *location,
                                   uint64_t time, uint64_t name);
void omptape_analysis_lock_release(struct analysis_state *state, struct analysis_location *location,
                                   uint64_t time, uint64_t name);

/* What of the result only the pass needs: before the result goes its own way. */
void omptape_analysis_locks_free(struct analysis_state *state);
