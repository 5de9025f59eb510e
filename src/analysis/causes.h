/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Waiting and its reason, summed up: one cause for each kind of finding, region and parallel region around
 * it. A cause is kept back while it is not known whether the thread that others waited for had a processor.
 */
#pragma once

#include "src/analysis/analysis.h"

struct analysis_state;
struct analysis_location;

/* What a thread did when it may have had no processor: */
enum analysis_lack {
    ANALYSIS_LACK_AT_WORK,  /* others waited for what it did, */
    ANALYSIS_LACK_AT_START, /* ...or for it to begin; */
    ANALYSIS_LACK_WAITING,  /* it waited itself, and only that thread would have won */
    ANALYSIS_LACKS
};

/* Waiting and its reason, summed up: one for each kind of finding, region and parallel region around it. */
struct analysis_cause {
    enum omptape_finding_kind kind;
    struct analysis_region *region;
    const struct analysis_region *parallel; /* in which the waiting was; NULL: in none */
    struct analysis_region *charged;        /* what others waited for; NULL: no construct */
    uint64_t gain_parts;                    /* wall, in 1/256 of a tick */
    uint64_t waited;                        /* thread time */
    uint64_t lacked;                        /* thread time of those that were blocked, */
    uint64_t lackers;                       /* ...so many threads */
    uint64_t count;
    uint64_t worst;
    uint64_t worst_begin;
    uint64_t worst_end;
    uint64_t worst_location;
};

/* A process that others waited for in a function of MPI's. */
#define ANALYSIS_SEVERAL UINT64_MAX
struct analysis_late {
    uint64_t process; /* its location group's id */
    uint64_t waiter;  /* likewise, the one process that waited for it; or SEVERAL */
    uint64_t waited;
    uint64_t between; /* of it, between calls that asked in vain, */
    uint64_t slept;   /* ...and while the late one slept outside of MPI, or had before */
    uint64_t count;
    uint64_t first_end; /* of the waits */
    uint64_t last_end;
};

/* One more process that others waited for in a function; the late one, NULL: no memory. */
struct analysis_late *omptape_analysis_note_late(struct analysis_state *state, enum omptape_finding_kind kind,
                                                 const struct analysis_region *region, uint64_t process,
                                                 uint64_t waited);

struct analysis_pending {
    struct analysis_cause *cause;
    uint64_t lead;   /* how much earlier the thread might have been */
    uint64_t excess; /* by how much it worked longer than the mean, */
    uint64_t usual;  /* ...and how long the others are blocked in as much work */
    enum analysis_lack lack;
    uint64_t gain_parts;
    uint64_t waited;
    uint64_t charged; /* of it, what is not the region's own time already */
    uint64_t count;
    uint64_t worst;
    uint64_t worst_begin;
    uint64_t worst_end;
};

/* Of a thread: causes for which it was the last comer, since the kernel last told of its waiting for a
 * processor. */
struct analysis_kept_back {
    struct analysis_pending *list;
    uint32_t count;
    uint32_t room;
};

struct analysis_cause *omptape_analysis_cause(struct analysis_state *state, enum omptape_finding_kind kind,
                                              struct analysis_region *region,
                                              const struct analysis_region *parallel);
/* Adds `waited` thread time of a team whose threads, with those of the teams around, are `threads`. */
void omptape_analysis_charge(struct analysis_state *state, struct analysis_cause *cause, uint64_t waited,
                             uint64_t threads, uint64_t begin, uint64_t end, uint64_t location);
/* The same, of time that the region has as its own already. */
void omptape_analysis_charge_own(struct analysis_state *state, struct analysis_cause *cause, uint64_t waited,
                                 uint64_t threads, uint64_t begin, uint64_t end, uint64_t location);
/* Wall in which others waited for this one since it had no processor; of all processes. */
uint64_t omptape_lost_for_want_of_processor(const struct analysis_state *state,
                                            const struct analysis_region *region);
/* The same as the first, kept back until it is known whether the thread had no processor: of the one who came
 * last, by `lead`; or of one that waits itself and might have found something to do. */
struct analysis_wait {
    uint64_t waited;
    uint64_t threads;
    uint64_t lead;
    uint64_t excess; /* as in analysis_pending */
    uint64_t usual;
    enum analysis_lack lack;
    bool goes_on; /* of the instance that was charged last: counted already */
    bool is_own;  /* the region has this time as its own already */
    uint64_t begin;
    uint64_t end;
};
void omptape_analysis_charge_late(struct analysis_location *location, struct analysis_cause *cause,
                                  const struct analysis_wait *wait);
/* So much of what the cause is charged with was for want of a processor, of the thread at `location`. */
void omptape_analysis_charge_lack(struct analysis_state *state, struct analysis_cause *cause, uint64_t waited,
                                  uint64_t threads, uint64_t location);
/* Ticks since the last call in which the thread had no processor: it wanted one while it was at work, and
 * while it waited itself; it was blocked at work. */
struct analysis_lacked {
    uint64_t working;
    uint64_t waiting;
    uint64_t blocked;
};
void omptape_analysis_settle(struct analysis_state *state, struct analysis_location *location,
                             struct analysis_lacked lacked);
/* spells.c: the same with what the readings since the last call, or the barrier before, say. */
void omptape_analysis_settle_recent(struct analysis_state *state, struct analysis_location *location);
