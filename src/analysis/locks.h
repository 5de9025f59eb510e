/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks, critical, ordered and atomic: where threads ask for them, and where they are held meanwhile.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_state;
struct analysis_location;
struct analysis_frame;
struct analysis_held_lock;

/* Polling with omp_test_lock: the site, and the begin of polling. */
struct analysis_poll {
    const struct analysis_region *region; /* NULL: it polls no lock */
    uint64_t begin;
    uint64_t last; /* time of the last failure */
};

/* The lock that a thread acquired or released last. */
struct analysis_last_lock {
    uint64_t name;
    struct analysis_held_lock *lock; /* NULL: none */
    /* Ticks in which a member of the team had stalled when the thread last asked for a lock. */
    uint64_t stalled;
};

struct analysis_lock_site {
    struct analysis_lock result;
    struct omptape_hash askers;
};

/* A run of holds at one site, from `begin` until the next run begins. */
struct analysis_hold_run {
    struct analysis_region *region;
    uint64_t begin;
};

/* The last hold of a lock. It is empty if the lock was never held. */
struct analysis_hold {
    struct analysis_location *holder;
    uint64_t handover; /* time from the awaited release to the acquisition; 0: no wait */
    uint64_t acquired;
    uint64_t released; /* 0: not yet */
};

struct analysis_held_lock {
    struct analysis_hold last;
    struct analysis_lock_site *site; /* site of the current hold; NULL: the lock is free */
    struct analysis_hold_run run;    /* current run; region NULL: never held */
    struct analysis_hold_run *runs;  /* earlier runs, newest first; NULL: none */
};

/* The thread begins to wait for a lock; or it leaves the region where it waited, perhaps without the lock. */
void omptape_analysis_lock_ask(struct analysis_location *location, struct analysis_frame *frame);
void omptape_analysis_lock_leave(struct analysis_state *state, struct analysis_location *location,
                                 struct analysis_frame *frame, uint64_t time);
/* Returns the sums of these two sites, and creates them if necessary. Returns NULL if out of memory. */
struct analysis_lock_holder *omptape_analysis_lock_holding(struct analysis_state *state,
                                                           struct analysis_region *asker,
                                                           struct analysis_region *holder);
/* Returns the region that held the lock during most of the waits at `asker`; or `asker` itself. */
struct analysis_region *omptape_analysis_lock_holder(const struct analysis_state *state,
                                                     struct analysis_region *asker);
/* Combines a lock's paradigm and number to one name. */
static inline uint64_t omptape_analysis_lock_name(uint64_t paradigm, uint64_t lock)
{
    return paradigm << 32 | lock;
}
void omptape_analysis_lock_acquire(struct analysis_state *state, struct analysis_location *location,
                                   uint64_t time, uint64_t name);
void omptape_analysis_lock_release(struct analysis_state *state, struct analysis_location *location,
                                   uint64_t time, uint64_t name);

/* Frees the memory of lock sites that only the pass needs. Before the result is detached from it. */
void omptape_analysis_locks_free(struct analysis_state *state);
