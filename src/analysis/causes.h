/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums waiting times by cause: one cause for each combination of finding kind, region and enclosing parallel
 * region. A cause is pending until a scheduler reading shows whether the awaited thread had a processor.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_state;
struct analysis_location;

/* The situation in which a thread may have had no processor. */
enum analysis_preempted {
    ANALYSIS_PREEMPTED_WORKING,  /* others waited for its work */
    ANALYSIS_PREEMPTED_STARTING, /* others waited for it to begin */
    ANALYSIS_PREEMPTED_WAITING,  /* it waited itself, and only this thread would have gained */
    ANALYSIS_PREEMPTED_KINDS
};

/* The sum of waiting times with the same finding kind, region and enclosing parallel region. */
struct analysis_cause {
    enum omptape_finding_kind kind;
    struct analysis_region *region;
    const struct analysis_region *parallel; /* enclosing parallel region; NULL: none */
    struct analysis_region *charged;        /* region that the others waited for; NULL: no construct */
    uint64_t gain_parts;                    /* wall, in 1/256 ticks */
    uint64_t waited;                        /* thread time */
    uint64_t blocked_time;                  /* thread time that threads were blocked */
    uint64_t blocked_threads;               /* number of blocked threads */
    uint64_t records;                       /* records of a thread within `gain_parts`, in 1/256 */
    uint64_t count;
    struct analysis_worst worst;
};

/* A process that others waited for in a function of MPI. */
#define ANALYSIS_SEVERAL UINT64_MAX
struct analysis_late {
    uint64_t process; /* id of its location group */
    uint64_t waiter;  /* id of the only waiting process; or ANALYSIS_SEVERAL */
    uint64_t waited;
    uint64_t between; /* part of `waited` between calls that polled without success */
    /* Part of `waited` in which the late process slept outside of MPI, or had slept before. */
    uint64_t slept;
    uint64_t answered; /* part of `waited` for the answer to a message */
    uint64_t count;
    uint64_t first_end; /* range of the waits */
    uint64_t last_end;
};

/* Adds a wait for a process in an MPI function. Returns the sums of the late process; NULL if out of
 * memory. */
struct analysis_late *omptape_analysis_note_late(struct analysis_state *state, enum omptape_finding_kind kind,
                                                 const struct analysis_region *region, uint64_t process,
                                                 uint64_t waited);

struct analysis_pending_cause {
    struct analysis_cause *cause;
    uint64_t lead;   /* ticks that the thread could have been earlier */
    uint64_t excess; /* ticks of work above the team's mean */
    uint64_t usual;  /* ticks that the others are usually blocked in as much work */
    enum analysis_preempted preempted;
    uint64_t gain_parts;
    uint64_t waited;
    uint64_t charged; /* part of `waited` that is not the region's own time */
    uint64_t count;
    struct analysis_worst worst;
};

/* Pending causes of a thread that came last, since the last scheduler reading of this thread. */
struct analysis_pending_causes {
    struct analysis_pending_cause *list;
    uint32_t count;
    uint32_t capacity;
};

struct analysis_cause *omptape_analysis_cause(struct analysis_state *state, enum omptape_finding_kind kind,
                                              struct analysis_region *region,
                                              const struct analysis_region *parallel);
/* Adds `waited` thread time to a cause. `threads` is the team's size times those of enclosing teams. */
void omptape_analysis_charge(struct analysis_state *state, struct analysis_cause *cause, uint64_t waited,
                             uint64_t threads, uint64_t begin, uint64_t end, uint64_t location);
/* As omptape_analysis_charge, for time that already counts as the region's own. */
void omptape_analysis_charge_own(struct analysis_state *state, struct analysis_cause *cause, uint64_t waited,
                                 uint64_t threads, uint64_t begin, uint64_t end, uint64_t location);
/* Returns the wall that others waited for this region for want of a processor, summed over processes. */
uint64_t omptape_analysis_preemption_wall(const struct analysis_state *state,
                                          const struct analysis_region *region);
/* As omptape_analysis_charge, but pending until it is known whether the thread had a processor. `location` is
 * the thread that came last by `lead`, or one that waits itself and might have found work. */
struct analysis_wait {
    uint64_t waited;
    uint64_t threads;
    uint64_t lead;
    uint64_t excess; /* as in struct analysis_pending_cause */
    uint64_t usual;
    enum analysis_preempted preempted;
    bool continues; /* continues the instance charged last, which is already counted */
    bool is_own;    /* already counts as the region's own time */
    uint64_t begin;
    uint64_t end;
};
void omptape_analysis_charge_late(struct analysis_location *location, struct analysis_cause *cause,
                                  const struct analysis_wait *wait);
/* Moves `waited` from the cause to a preemption cause: the thread at `location` had no processor. */
void omptape_analysis_charge_preemption(struct analysis_state *state, struct analysis_cause *cause,
                                        uint64_t waited, uint64_t threads, uint64_t location);
/* Ticks without a processor since the last call: runnable at work, runnable in own waits, blocked at work. */
struct analysis_off_cpu {
    uint64_t working;
    uint64_t waiting;
    uint64_t blocked;
};
void omptape_analysis_resolve_pending(struct analysis_state *state, struct analysis_location *location,
                                      struct analysis_off_cpu lacked);
/* sched_readings.c: Resolves the pending causes with all readings since the last call or barrier. */
void omptape_analysis_resolve_recent(struct analysis_state *state, struct analysis_location *location);
