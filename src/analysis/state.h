/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State that the modules of the analysis share during a pass: the tables, and further data of a region. Not
 * for users of the analysis (analysis.h). The contents of each table have their own header: location.h,
 * team.h, causes.h, tasks.h, locks.h, loops.h, devices.h, serial.h. A pass belongs to one thread. If memory
 * is exhausted the pass continues without the missing data (src/core/memory.h).
 */
#pragma once

#include "src/analysis/analysis.h"
#include "src/analysis/regions.h"
#include "src/core/whole.h"
#include "src/replay/teams.h"

struct analysis_lock_site;
struct analysis_task_site;
struct analysis_process_state;
struct analysis_location;
struct analysis_waiting_task;
struct analysis_plan;
struct analysis_timelines;

/* Steps of a parallel region, from its begin to its next begin by the same thread. Steps are alike if they
 * contain the same number of other regions. */
struct analysis_steps_of_region {
    const struct analysis_location *by; /* NULL: none yet */
    uint64_t begin;
    uint64_t forks;  /* number of teams that `by` had forked */
    uint64_t usual;  /* usual number of forks from a step's begin to the next; 0: unknown */
    uint32_t unlike; /* steps with another number since the last usual one */
};

/* A region with data that each visit looks up. */
struct analysis_region_state {
    struct analysis_region result;
    struct analysis_region_facts facts;
    struct omptape_analysis_observed observed;
    struct analysis_task_site *task_site; /* this and the next two: NULL if not looked up yet */
    struct analysis_loop *loop;
    struct analysis_lock_site *lock_site;
    struct analysis_outliers *outliers[ANALYSIS_OUTLIER_KINDS]; /* NULL: not looked up yet */
    struct analysis_steps_of_region steps;
    const struct analysis_location *last_asker; /* thread that last acquired a lock here */
    uint64_t asking;                            /* threads that currently wait here for a lock */
    uint32_t number;                            /* index in the order of first use */
    double worked_here;      /* time of all regions of its place, set after all events by kernel_time.c */
    uint64_t ending;         /* time of the last end of a visit that was not reported */
    uint64_t longest_before; /* longest visit before `ending` */
};

/* Returns the state of a region of this pass; all of them are allocated with one. */
static inline struct analysis_region_state *omptape_analysis_region_state(struct analysis_region *region)
{
    return (struct analysis_region_state *)region;
}

enum { ANALYSIS_CACHED_LOCATIONS = 64, ANALYSIS_CACHED_TASKS = 1024 };

/* The bin of durations from 2^i to 2^(i+1) - 1 ticks. From `limit` on the next bin applies. */
struct analysis_bin {
    uint64_t limit;
    unsigned bin;
};

/* Sums over the instances of one parallel construct. */
struct analysis_parallel {
    struct analysis_region *region;
    uint64_t instances;
    uint64_t wall;
    uint64_t useful;     /* wall: thread time of work / threads */
    uint64_t records;    /* records of the first thread, less those within work: in 1/256 */
    uint64_t task_work;  /* thread time of explicit tasks */
    uint64_t task_chain; /* sum of the longest chain of each instance (chain.h) */
    uint32_t threads;
    uint32_t outer; /* product of the enclosing teams' sizes, maximum */
    /* Only for regions in no other team: */
    /* Wall divided by the number of these regions that are open in the process at the same time. */
    uint64_t attributed_wall;
    /* Thread time: `attributed_wall` multiplied by the threads that were in teams or computed outside. */
    uint64_t concurrent_time;
    uint64_t single; /* instances with one thread */
    uint64_t denied; /* nested regions that got fewer threads than requested */
    uint64_t asked;  /* most threads requested; 0: unknown */
    uint64_t within; /* product of the nested regions' sizes, maximum */
    /* Set at the end by findings/tiny_regions.c: `wall` and `useful` without the time by which outliers among
     * the instances exceed the median. */
    uint64_t usual_wall;
    uint64_t usual_useful;
    /* Set at the end by findings/tiny_regions.c: the region that holds its finding, or NULL; whether one
     * thread would be faster. */
    const struct analysis_region *tiny_with;
    bool is_better_alone;
};

/* Sums over all processes. */
struct analysis_whole {
    uint64_t begin;
    uint64_t end;
    uint64_t events;
    uint64_t release_time; /* thread time from a barrier's opening until the members continue */
};

/* State of a pass (pass.h). tables.c lists the fields that outlive the pass. */
struct analysis_state {
    const struct analysis_plan *plan; /* src/analysis/reduce/plan.h */
    /* Timelines of sums that fill a pyramid (src/analysis/reduce/timelines.h); or NULL. */
    struct analysis_timelines *timelines;
    const struct omptape_pairs *process_of; /* (0, location group) -> number of its process */
    uint32_t first_process;                 /* number of result->processes[0] */
    bool stopped;                           /* the observer wants no more events */
    struct analysis_whole whole;
    struct omptape_analysis *result;
    struct omptape_reader *reader;
    const struct omptape_analysis_options *options;
    const struct omptape_analysis_observer *observer; /* from the options; or NULL */
    volatile uint64_t *done;                          /* from the options, or &uncounted */
    uint64_t uncounted;
    struct omptape_arena arena; /* memory that does not belong to the result */
    uint64_t from;
    uint64_t to;
    bool windowed;       /* only a part is analysed: times of events are clamped to it (pass.c) */
    uint64_t time;       /* if windowed: the current event's unclamped time */
    bool inside;         /* the current event is within the analysed range */
    uint64_t short_idle; /* 10 us: time in which a runtime finds a task */
    uint64_t creation_cap;
    uint64_t short_slice; /* a thread that yields its processor misses it for longer than this */
    double ns_per_tick;
    bool counts;                         /* the archive has readings of counters */
    struct analysis_bin bins[64];        /* for durations of at least 1 tick */
    struct omptape_pairs locations;      /* (0, id) -> analysis_location */
    struct omptape_pairs regions;        /* (0, id) -> analysis_region_state */
    struct omptape_pairs initials;       /* (0, location id) -> analysis_initial */
    struct replay_teams teams;           /* of struct analysis_team */
    struct omptape_pairs causes;         /* (kind << 32 | region id, parallel region id) */
    struct omptape_pairs parallels;      /* (0, region id) */
    struct omptape_pairs task_sites;     /* (0, row of the site) */
    struct omptape_pairs lock_sites;     /* (0, region id) */
    struct omptape_pairs locks;          /* (process, lock) -> analysis_held_lock */
    struct omptape_pairs lock_holders;   /* (asking region id, holding region id) */
    struct omptape_pairs sampled;        /* (region id, calling context) */
    struct omptape_pairs serial_sampled; /* (after << 32 | before, calling context) */
    struct omptape_pairs other_sampled;  /* (location, calling context) */
    struct omptape_pairs serials;        /* (after, before) */
    struct omptape_pairs phases;         /* (0, region id) */
    struct omptape_pairs steps;          /* (region id, key of phases.h) -> analysis_step */
    struct omptape_pairs phase_shares;   /* (region id, group of the process) */
    struct omptape_pairs values;         /* (0, id of the name) */
    struct omptape_pairs loop_threads;   /* (region id, thread number), of completed passes */
    struct omptape_pairs loops;          /* (0, region id) */
    struct omptape_pairs outliers;       /* (kind << 32 | region id, before) */
    struct omptape_pairs transfers;      /* (0, region id) */
    struct omptape_pairs mpi;            /* (0, region id) */
    struct omptape_pairs io;             /* (process, pending operation) -> its sum, uint64_t */
    /* (0, location) -> analysis_open, of archives that end within a region */
    struct omptape_pairs opens;
    struct omptape_pairs late; /* (kind << 32 | region id, location group) -> analysis_late */
    /* (kind << 32 | region id, calling context) -> analysis_sampled, of late threads during the wait */
    struct omptape_pairs late_sampled;
    bool lines_warned;            /* the warning about missing source lines is given */
    bool mpi_incomplete;          /* waits of MPI are unknown, or not all known */
    bool mpi_unmatched;           /* the reason is that a profile does not contain them */
    struct omptape_pairs sent;    /* (process and device, host address) */
    struct omptape_pairs devices; /* (0, group id) */
    struct omptape_rows sites;    /* call sites of tasks */
    /* chain.c: A direct-mapped cache of tasks; evicted ones are in `waiting_tasks` by (team instance,
     * task). Addresses in dependences have the key (process, row of the address). */
    struct analysis_waiting_task *cached_tasks[ANALYSIS_CACHED_TASKS];
    struct omptape_hash waiting_tasks;
    struct omptape_rows addresses;
    struct omptape_pairs address_ends;
    struct omptape_free_list free_tasks;
    uint64_t team_instances;
    double
        page_touches; /* findings/kernel_time.c: first touches of a page on average, at least; 0: unknown */
    struct analysis_process_state *processes;
    /* Caches of lookups by id: each slot's last location, and regions with small ids (NULL: not looked
     * up). */
    struct analysis_location *cached_locations[ANALYSIS_CACHED_LOCATIONS];
    struct analysis_region **cached_regions;
    uint32_t cached_region_count;
    uint32_t cached_region_capacity;
};

/* Returns amount * part / whole. */
static inline uint64_t omptape_analysis_part(uint64_t amount, uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : omptape_whole((double)amount * ((double)part / (double)whole));
}

/* Returns true if a duration that ends with the current event lies partly within the analysed range. */
static inline bool omptape_analysis_counts(const struct analysis_state *state, uint64_t ticks)
{
    return state->inside || ticks > 0;
}

/* Returns the part of an interval with unclamped times that lies within the analysed range. */
static inline uint64_t omptape_analysis_clipped(const struct analysis_state *state, uint64_t begin,
                                                uint64_t end)
{
    if (state->windowed) {
        begin = begin > state->from ? begin : state->from;
        end = end < state->to ? end : state->to;
    }
    return end > begin ? end - begin : 0;
}

/* regions.c: the functions that begin MPI, from OMPTAPE_MPI_BEGINS on those that end it. Processes
 * leave them at different times, for reasons outside of the program. */
enum { OMPTAPE_MPI_BEGINS = 3, OMPTAPE_MPI_ENDS = 5 };
extern const char *const omptape_mpi_ends[OMPTAPE_MPI_ENDS];
/* Returns the index of the region's function in this list, or OMPTAPE_MPI_ENDS. */
unsigned omptape_mpi_end_of(const struct analysis_region *region);

/* Returns the location group's process, or that whose device it is; NULL if it is not analysed. */
static inline struct analysis_process *omptape_analysis_process(const struct analysis_state *state,
                                                                uint64_t group)
{
    const uint32_t *number = omptape_pairs_get(state->process_of, 0, group);
    const bool is_here = number != NULL && *number >= state->first_process &&
                         *number - state->first_process < state->result->process_count;
    return is_here ? &state->result->processes[*number - state->first_process] : NULL;
}

/* Returns the struct of a region in a table with the key (0, region id), and creates it in the result if
 * necessary. The struct begins with the pointer to the region. Returns NULL if out of memory. */
static inline void *omptape_analysis_at_region(struct analysis_state *state, struct omptape_pairs *table,
                                               struct analysis_region *region, size_t bytes)
{
    struct analysis_region **entry =
        omptape_pairs_obtain(table, &state->result->arena, 0, region->definition->id, bytes);
    if (entry != NULL)
        *entry = region;
    return entry;
}

/* Returns a region's entry in a table with the key (0, region id); NULL if there is none or no region. */
static inline void *omptape_analysis_of_region(const struct omptape_pairs *table,
                                               const struct analysis_region *region)
{
    return region == NULL ? NULL : omptape_pairs_get(table, 0, region->definition->id);
}

static inline uint64_t omptape_analysis_region_id(const struct analysis_region *region)
{
    return region == NULL ? UINT64_MAX : region->definition->id;
}

/* Reports an arrow to the observer. */
static inline void omptape_analysis_linked(const struct analysis_state *state, enum replay_arrow_kind kind,
                                           uint64_t from_location, uint64_t from, uint64_t to_location,
                                           uint64_t to)
{
    const struct omptape_analysis_observer *observer = state->observer;
    if (observer != NULL && observer->linked != NULL)
        observer->linked(observer->data, kind, from_location, from, to_location, to);
}

/* locations.c: Returns the bin of a duration, and fills the table of bins of the pass. */
unsigned omptape_durations_bin(uint64_t ticks, double ns_per_tick);
void omptape_durations_list_bins(struct analysis_bin bins[64], double ns_per_tick);

/* Returns the bin of a duration by the pass's table. */
static inline unsigned omptape_analysis_bin(const struct analysis_state *state, uint64_t ticks)
{
    if (ticks == 0)
        return 0;
    const struct analysis_bin *bin = &state->bins[63 - __builtin_clzll(ticks)];
    return bin->bin + (ticks >= bin->limit);
}

/* Counts a duration if it lies at least partly within the analysed range. Returns its bin. */
static inline unsigned omptape_analysis_count(const struct analysis_state *state,
                                              struct analysis_durations *durations, uint64_t ticks,
                                              uint64_t begin, uint64_t location)
{
    const unsigned bin = omptape_analysis_bin(state, ticks);
    if (!omptape_analysis_counts(state, ticks))
        return bin;
    durations->count++;
    omptape_add(&durations->sum, ticks);
    durations->bins[bin]++;
    if (ticks >= durations->longest) {
        durations->longest = ticks;
        durations->longest_begin = begin;
        durations->longest_location = location;
    }
    return bin;
}

/* Returns an event's attribute as a number that is not negative; 0 if it has none. `event` may be NULL. */
static inline uint64_t omptape_analysis_attribute(const struct analysis_state *state,
                                                  const struct omptape_event *event,
                                                  enum reader_attribute word)
{
    OTF2_Type type;
    OTF2_AttributeValue value;
    if (event == NULL || !omptape_event_attribute(event, state->reader->attribute_ids[word], &type, &value) ||
        type > OTF2_TYPE_INT64)
        return 0;
    const struct omptape_number number = omptape_value_number(type, value);
    if (number.kind == OMPTAPE_NUMBER_UNSIGNED)
        return number.whole;
    return number.integer > 0 ? (uint64_t)number.integer : 0;
}
