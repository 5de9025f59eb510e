/* SPDX-License-Identifier: BSD-3-Clause
 *
 * At what a thread worked in a spell, the time between two readings of its scheduler statistics, and what of
 * that it had no processor. Such time is booked as computing or serial first. At the reading it is moved to
 * blocked or runnable: in the thread's parts, in those of the regions, and in the serial parts.
 */
#pragma once

#include "src/analysis/regions.h"
#include "src/analysis/state.h"

struct analysis_account;
struct analysis_location;
struct analysis_lock_site;

/* What the kernel counted of a thread until then, and how long it had been at work. */
struct analysis_told {
    uint64_t time;
    uint64_t running_ns;
    uint64_t queued_ns;
    uint64_t busy;
    uint64_t unbroken;
    uint64_t serial; /* of it outside of parallel regions */
};

/* Of one region, or of one as a serial part, in a thread's spell and in those before (ledger.h): ticks. */
struct analysis_ledger_place {
    uint64_t time;  /* in this spell */
    double all;     /* in the spells before, */
    double blocked; /* ...of which it was blocked, */
    double certain; /* ...for certain */
    bool lacked;    /* the thread is counted among those that were */
    double ran;     /* on a processor since the details were read */
};

/* The metric's further members: they are read less often than the first two. */
struct analysis_details {
    uint64_t system_ns;
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t running_ns; /* the first member then */
};

/* A part of a spell's work, in ticks. */
struct analysis_ledger_part {
    double time;
    double blocked;        /* of `time`, */
    double certain;        /* ...for certain */
    double before;         /* such work in earlier spells, */
    double before_certain; /* ...of which it was blocked for certain */
    double weight;
};

/* A region of a spell. */
struct analysis_ledger_row {
    struct analysis_ledger_part part;
    struct analysis_region *region;
    struct analysis_region *blamed;
    const struct analysis_region *parallel; /* NULL: none */
    uint64_t threads;
    uint32_t index; /* of its place */
};

/* Work of a spell while the thread held a lock that was asked for at one place, and none that it acquired
 * later. The first entry is the work while it held none, or was in no parallel region. */
struct analysis_ledger_hold {
    struct analysis_ledger_part part;
    struct analysis_lock_site *site;
    const struct analysis_region *parallel; /* as a row has them */
    uint64_t threads;
    uint64_t held; /* ticks in which the thread held one, whatever it acquired later */
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
    struct analysis_ledger_row *ran; /* regions that have run since the details were read */
    uint32_t ran_count;
    uint32_t ran_room;
    struct analysis_details details;
    struct analysis_holding holdings[ANALYSIS_HOLDINGS]; /* the lock that was acquired last comes last */
    uint32_t holding_count;
    uint64_t held_until; /* so much work, since the thread began, is in `holds` or was there */
    struct analysis_ledger_hold *holds;
    uint32_t hold_count;
    uint32_t hold_room;
    struct analysis_ledger_serial *serials; /* parts that ended in this spell */
    uint32_t serial_count;
    uint32_t serial_room;
    double unheld;          /* work in the spells before while no lock was held, */
    double unheld_certain;  /* ...of which it was blocked for certain */
    bool started;           /* what the tool took to begin is taken off */
    uint64_t outside;       /* serial time in no region */
    uint64_t serial_before; /* of the serial part that goes on: in spells before, */
    double serial_blocked;  /* ...of which it was blocked */
    double recent;          /* blocked since the barrier before, of what nobody was charged with yet, */
    uint64_t lacked;        /* ...likewise at work without a processor, */
    uint64_t waited;        /* ...and without one while it waited */
    bool at_switches;       /* readings stand where the thread left a processor and came back to one */
    uint64_t moved[2];      /* from computing and from serial, so far */
    uint64_t stalled;       /* of what the thread stood still, for its events, in spells before */
    double carried_ns;      /* core/buckets.h */
};

/* No place yet in this spell, or no room. */
void omptape_ledger_open(struct analysis_location *location, const struct analysis_account *account,
                         uint64_t spent);

static inline uint32_t omptape_ledger_index(struct analysis_region *region, unsigned bucket)
{
    return 2 * omptape_analysis_known(region)->number + bucket;
}

/* The thread acquires a lock that it asked for at this place, or releases it. */
void omptape_ledger_acquire(struct analysis_location *location, uint64_t time, const void *lock,
                            struct analysis_lock_site *site);
void omptape_ledger_release(struct analysis_location *location, uint64_t time, const void *lock);

/* A serial part is over. */
void omptape_ledger_end_serial(struct analysis_location *location, struct analysis_serial *serial);

/* A spell is over: so much of its work, in ticks, was without a processor. */
struct analysis_spell_end {
    uint64_t begin;
    uint64_t end;
    double blocked;
    double runnable;
};
void omptape_ledger_close(struct analysis_state *state, struct analysis_location *location,
                          const struct analysis_spell_end *end);

/* spells.c: the kernel told how long the thread, whose time is booked until now, had run and waited for a
 * processor, in all. */
void omptape_analysis_sched(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            uint64_t running_ns, uint64_t queued_ns);

/* The metric's further members, after that: system time and page faults since they were read before. */
void omptape_ledger_details(struct analysis_state *state, struct analysis_location *location,
                            const struct omptape_event *event);

/* The share (0 to 1) of its time in the region that the thread was blocked so far. */
double omptape_ledger_blocked_share(const struct analysis_location *location, struct analysis_region *region);

void omptape_ledger_free(struct analysis_location *location);
