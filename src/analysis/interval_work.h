/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records what a thread worked on in a spell, and how much of this work had no processor. A spell is the time
 * between two readings of the thread's scheduler statistics. Time is first booked as computing or serial. At
 * the reading the part without a processor is moved to blocked or runnable: in the thread's parts, the
 * regions' parts and the serial parts.
 */
#pragma once

#include "src/analysis/regions.h"
#include "src/analysis/state.h"

struct analysis_account;
struct analysis_location;
struct analysis_lock_site;

/* A scheduler reading of a thread, and its work until then. */
struct analysis_told {
    uint64_t time;
    uint64_t running_ns;
    uint64_t queued_ns;
    uint64_t busy;
    uint64_t unbroken;
    uint64_t serial; /* part of the work outside of parallel regions */
};

/* Ticks of one region, or of one region as a serial part, in the current and in earlier spells of a
 * thread. */
struct analysis_ledger_place {
    uint64_t time;  /* in this spell */
    double all;     /* in earlier spells */
    double blocked; /* part of `all` in which it was blocked */
    double certain; /* part of `blocked` that is certain */
    bool lacked;    /* the thread is counted in analysis_cause.blocked_threads */
    double ran;     /* time on a processor since the details were read */
};

/* Further members of the metric, which are read less often than the first two. */
struct analysis_details {
    uint64_t system_ns;
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t running_ns; /* value of the first member at that time */
};

/* A part of a spell's work, in ticks. */
struct analysis_ledger_part {
    double time;
    double blocked;        /* part of `time` in which it was blocked */
    double certain;        /* part of `blocked` that is certain */
    double before;         /* work of this kind in earlier spells */
    double before_certain; /* part of `before` that was certainly blocked */
    double weight;
};

/* The work of a spell in one region. */
struct analysis_ledger_row {
    struct analysis_ledger_part part;
    struct analysis_region *region;
    struct analysis_region *blamed;
    const struct analysis_region *parallel; /* NULL: none */
    uint64_t threads;
    uint32_t index; /* index of its place */
};

/* Work of a spell while the last lock that the thread acquired was one of this site. The first entry is
 * the work without a lock or outside of parallel regions. */
struct analysis_ledger_hold {
    struct analysis_ledger_part part;
    struct analysis_lock_site *site;
    const struct analysis_region *parallel; /* as in struct analysis_ledger_row */
    uint64_t threads;
    uint64_t held; /* ticks in which the thread held such a lock, even if it later acquired others */
};

/* A lock that a thread holds. */
struct analysis_holding {
    const void *lock;
    struct analysis_lock_site *site;
};

enum { ANALYSIS_HOLDINGS = 4 };

struct analysis_ledger_serial {
    struct analysis_serial *serial;
    uint64_t time;
};

struct analysis_ledger {
    struct analysis_ledger_place *places;
    uint32_t room;
    struct analysis_ledger_row *rows;
    uint32_t row_count;
    uint32_t row_room;
    struct analysis_ledger_row *ran; /* regions that ran since the details were read */
    uint32_t ran_count;
    uint32_t ran_room;
    struct analysis_details details;
    struct analysis_holding holdings[ANALYSIS_HOLDINGS]; /* in the order of acquisition */
    uint32_t holding_count;
    uint64_t held_until; /* the thread's work until which `holds` is complete */
    struct analysis_ledger_hold *holds;
    uint32_t hold_count;
    uint32_t hold_room;
    struct analysis_ledger_serial *serials; /* parts that ended in this spell */
    uint32_t serial_count;
    uint32_t serial_room;
    double unheld;          /* work without a lock in earlier spells */
    double unheld_certain;  /* part of `unheld` that was certainly blocked */
    bool started;           /* the tool's start-up time has been subtracted */
    uint64_t outside;       /* serial time outside of all regions */
    uint64_t serial_before; /* time of the open serial part in earlier spells */
    double serial_blocked;  /* part of `serial_before` in which it was blocked */
    double recent;          /* blocked ticks since the last barrier that are not charged yet */
    uint64_t lacked;        /* as `recent`: runnable ticks during work */
    uint64_t waited;        /* as `recent`: runnable ticks during waits */
    bool at_switches;       /* readings are taken at context switches of the thread */
    uint64_t moved[2];      /* moved from computing and from serial so far */
    uint64_t stalled;       /* stall time subtracted in earlier spells */
    double carried_ns;      /* see src/core/buckets.h */
};

/* Adds time to a place that has none in this spell, and reserves memory for it. */
void omptape_ledger_open(struct analysis_location *location, const struct analysis_account *account,
                         uint64_t spent);

static inline uint32_t omptape_ledger_index(struct analysis_region *region, unsigned bucket)
{
    return 2 * omptape_analysis_known(region)->number + bucket;
}

/* The thread acquires a lock that it asked for at this site, or releases the lock. */
void omptape_ledger_acquire(struct analysis_location *location, uint64_t time, const void *lock,
                            struct analysis_lock_site *site);
void omptape_ledger_release(struct analysis_location *location, uint64_t time, const void *lock);

/* A serial part ends. */
void omptape_ledger_end_serial(struct analysis_location *location, struct analysis_serial *serial);

/* The end of a spell: its range, and the ticks of work that were blocked or runnable. */
struct analysis_spell_end {
    uint64_t begin;
    uint64_t end;
    double blocked;
    double runnable;
};
void omptape_ledger_close(struct analysis_state *state, struct analysis_location *location,
                          const struct analysis_spell_end *end);

/* sched_readings.c: Handles a scheduler reading with the thread's total running and queued time. The caller
 * has booked the thread's time until then. */
void omptape_analysis_sched(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            uint64_t running_ns, uint64_t queued_ns);

/* Handles the metric's further members, after omptape_analysis_sched: system time and page faults since
 * they were last read. */
void omptape_ledger_details(struct analysis_state *state, struct analysis_location *location,
                            const struct omptape_event *event);

/* Returns the share (0 to 1) of the thread's time in the region in which it was blocked so far. */
double omptape_ledger_blocked_share(const struct analysis_location *location, struct analysis_region *region);

void omptape_ledger_free(struct analysis_location *location);
