/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the analysis share while the events go by: the tables of a pass, and what else is made
 * of a region. Not for its users (analysis.h). What each table holds has a header of its own: location.h,
 * team.h, causes.h, tasks.h, locks.h, loops.h, devices.h, serial.h. A pass belongs to one thread. Where
 * memory runs out it goes on without what is missing (src/core/memory.h).
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

/* The steps of a parallel region, from its begin to its next by the same thread. Alike are those with as many
 * other regions in them. */
struct analysis_steps_of_region {
    const struct analysis_location *by; /* NULL: there was none */
    uint64_t begin;
    uint64_t forks;  /* `by` had forked so many teams, */
    uint64_t usual;  /* ...and so many from a step's begin to the next; 0: not known */
    uint32_t unlike; /* steps with others, since the last like that */
};

/* A region, and what is looked up for each visit. */
struct analysis_region_state {
    struct analysis_region result;
    struct analysis_region_facts facts;
    struct omptape_analysis_watched watched;
    struct analysis_task_site *task_site; /* these three: NULL if not looked up yet */
    struct analysis_loop *loop;
    struct analysis_lock_site *lock_site;
    struct analysis_outliers *outliers[ANALYSIS_OUTLIER_KINDS]; /* NULL: not looked up yet */
    struct analysis_steps_of_region steps;
    const struct analysis_location *last_asker; /* who got a lock here last */
    uint64_t asking;                            /* threads that wait here for a lock, now */
    uint32_t number;                            /* among the regions that were met */
    double worked_here;      /* by all regions of its place (findings/lacks.c), once all events were there */
    uint64_t ending;         /* when a visit's end came last that was never reported: */
    uint64_t longest_before; /* the longest visit before that */
};

/* What belongs to a region of this pass: all of them are made so. */
static inline struct analysis_region_state *omptape_analysis_known(struct analysis_region *region)
{
    return (struct analysis_region_state *)region;
}

enum { ANALYSIS_NEAR_LOCATIONS = 64, ANALYSIS_NEAR_TASKS = 1024 };

/* Durations from 2^i to 2^(i+1) - 1 ticks lie in this bin, or from `limit` on in the next one. */
struct analysis_bin {
    uint64_t limit;
    unsigned bin;
};

/* Sums over the instances of one parallel construct. */
struct analysis_parallel {
    struct analysis_region *region;
    uint64_t instances;
    uint64_t wall;
    uint64_t useful;  /* wall: thread time at work / threads */
    uint64_t records; /* of the first thread, less those that lie in work: 1/256 */
    uint32_t threads;
    uint32_t outer; /* threads of the teams around it, multiplied, at most */
    /* Of those that are in no other team: */
    uint64_t apart;  /* wall, by the number of such regions of the process that are open at once */
    uint64_t crowd;  /* thread time: that by the threads that were in teams, or computed in none */
    uint64_t single; /* instances of one thread */
    uint64_t denied; /* regions within that got fewer threads than they asked for */
    uint64_t asked;  /* threads, at most; 0: not known */
    uint64_t within; /* threads of the regions within, multiplied, at most */
    /* At the end, by findings/tiny.c: where its finding is, or NULL; one thread would be done sooner. */
    const struct analysis_region *tiny_with;
    bool is_better_alone;
};

/* Of all processes together. */
struct analysis_whole {
    uint64_t begin;
    uint64_t end;
    uint64_t events;
    uint64_t release_time; /* thread time between a barrier's opening and the members' going on */
};

/* Of a pass (pass.h). What outlives it is in tables.c, field by field. */
struct analysis_state {
    const struct analysis_plan *plan; /* src/analysis/reduce/plan.h */
    struct analysis_timelines
        *timelines; /* of sums that get a pyramid: src/analysis/reduce/timelines.h; or NULL */
    const struct omptape_pairs *process_of; /* (0, location group) -> number of its process */
    uint32_t first_process;                 /* the number of result->processes[0] */
    bool stopped;                           /* the watcher wants no more events */
    struct analysis_whole whole;
    struct omptape_analysis *result;
    struct omptape_reader *reader;
    const struct omptape_analysis_options *options;
    const struct omptape_analysis_watcher *watcher; /* the options'; or NULL */
    volatile uint64_t *done;                        /* the options', or uncounted */
    uint64_t uncounted;
    struct omptape_arena arena; /* of what is not in the result */
    uint64_t from;
    uint64_t to;
    bool windowed;       /* that is not all: times of events are moved between them (pass.c) */
    uint64_t time;       /* of the event that goes by, if windowed: where it is in the archive; */
    bool inside;         /* ...between them */
    uint64_t short_idle; /* 10 us: what a runtime needs to find a task */
    uint64_t creation_cap;
    uint64_t short_slice; /* who gives up a processor misses it for longer */
    double ns_per_tick;
    bool counts;                         /* the archive has readings of counters */
    struct analysis_bin bins[64];        /* of durations from 1 tick on */
    struct omptape_pairs locations;      /* (0, id) -> analysis_location */
    struct omptape_pairs regions;        /* (0, id) -> analysis_region_state */
    struct omptape_pairs initials;       /* (0, location id) -> analysis_initial */
    struct replay_teams teams;           /* of struct analysis_team */
    struct omptape_pairs causes;         /* (kind << 32 | region's definition, parallel) */
    struct omptape_pairs parallels;      /* (0, region id) */
    struct omptape_pairs task_sites;     /* (0, site's row) */
    struct omptape_pairs lock_sites;     /* (0, region id) */
    struct omptape_pairs locks;          /* (process, lock) -> analysis_held_lock */
    struct omptape_pairs lock_holders;   /* (asking region id, holding region id) */
    struct omptape_pairs sampled;        /* (region id, calling context) */
    struct omptape_pairs serial_sampled; /* (after << 32 | before, calling context) */
    struct omptape_pairs other_sampled;  /* (location, calling context) */
    struct omptape_pairs serials;        /* (after, before) */
    struct omptape_pairs phases;         /* (0, region id) */
    struct omptape_pairs steps;          /* (region id, key of phases.h) -> analysis_step */
    struct omptape_pairs values;         /* (0, id of the name) */
    struct omptape_pairs loop_threads;   /* (region id, number), of passes that were ended */
    struct omptape_pairs loops;          /* (0, region id) */
    struct omptape_pairs outliers;       /* (kind << 32 | region id, before) */
    struct omptape_pairs transfers;      /* (0, region id) */
    struct omptape_pairs mpi;            /* (0, region id) */
    struct omptape_pairs io;             /* (process, operation under way) -> its sum, uint64_t */
    struct omptape_pairs opens;   /* (0, location) -> analysis_open, of archives that end in something */
    struct omptape_pairs late;    /* (kind << 32 | region id, process's group) -> analysis_late */
    bool lines_told;              /* why source lines are not known is said */
    bool mpi_untold;              /* who waited for whom in MPI is not known, or not of all, */
    bool mpi_unmet;               /* ...since a profile does not hold that */
    struct omptape_pairs sent;    /* (process and device, host address) */
    struct omptape_pairs devices; /* (0, group id) */
    struct omptape_rows sites;    /* call sites of tasks */
    /* chain.c: tasks at their places, and where another one has taken that by (team instance, task);
     * addresses in dependences, (process, address's row). */
    struct analysis_waiting_task *near_tasks[ANALYSIS_NEAR_TASKS];
    struct omptape_hash waiting_tasks;
    struct omptape_rows addresses;
    struct omptape_pairs address_ends;
    struct omptape_free_list free_tasks;
    uint64_t team_instances;
    struct analysis_process_state *processes;
    /* What was found by its id: the last location of each place; regions with small ids, NULL: not yet. */
    struct analysis_location *near_locations[ANALYSIS_NEAR_LOCATIONS];
    struct analysis_region **near_regions;
    uint32_t near_region_count;
    uint32_t near_region_room;
};

/* As much of the amount as `part` is of `whole`. */
static inline uint64_t omptape_analysis_part(uint64_t amount, uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : omptape_whole((double)amount * ((double)part / (double)whole));
}

/* Does what ends with the event that goes by, and took so long, lie within what is looked at? */
static inline bool omptape_analysis_counts(const struct analysis_state *state, uint64_t ticks)
{
    return state->inside || ticks > 0;
}

/* What of a stretch whose times were not moved lies within what is looked at. */
static inline uint64_t omptape_analysis_clipped(const struct analysis_state *state, uint64_t begin,
                                                uint64_t end)
{
    if (state->windowed) {
        begin = begin > state->from ? begin : state->from;
        end = end < state->to ? end : state->to;
    }
    return end > begin ? end - begin : 0;
}

/* The process that the location group is, or whose device it is. NULL: it is not looked at. */
static inline struct analysis_process *omptape_analysis_process(const struct analysis_state *state,
                                                                uint64_t group)
{
    const uint32_t *number = omptape_pairs_get(state->process_of, 0, group);
    const bool is_here = number != NULL && *number >= state->first_process &&
                         *number - state->first_process < state->result->process_count;
    return is_here ? &state->result->processes[*number - state->first_process] : NULL;
}

/* What belongs to one region, in a table by (0, region id), made in the result at its first use: the struct
 * begins with the region. NULL: no memory. */
static inline void *omptape_analysis_at_region(struct analysis_state *state, struct omptape_pairs *table,
                                               struct analysis_region *region, size_t bytes)
{
    struct analysis_region **entry =
        omptape_pairs_obtain(table, &state->result->arena, 0, region->definition->id, bytes);
    if (entry != NULL)
        *entry = region;
    return entry;
}

static inline uint64_t omptape_analysis_region_id(const struct analysis_region *region)
{
    return region == NULL ? UINT64_MAX : region->definition->id;
}

/* Tells the watcher. */
static inline void omptape_analysis_linked(const struct analysis_state *state, enum replay_arrow_kind kind,
                                           uint64_t from_location, uint64_t from, uint64_t to_location,
                                           uint64_t to)
{
    const struct omptape_analysis_watcher *watcher = state->watcher;
    if (watcher != NULL && watcher->linked != NULL)
        watcher->linked(watcher->data, kind, from_location, from, to_location, to);
}

/* locations.c: the bin of a duration; fills the pass's table of them. */
unsigned omptape_durations_bin(uint64_t ticks, double ns_per_tick);
void omptape_durations_list_bins(struct analysis_bin bins[64], double ns_per_tick);

/* The same by the table. */
static inline unsigned omptape_analysis_bin(const struct analysis_state *state, uint64_t ticks)
{
    if (ticks == 0)
        return 0;
    const struct analysis_bin *bin = &state->bins[63 - __builtin_clzll(ticks)];
    return bin->bin + (ticks >= bin->limit);
}

/* Counts it, if any of it is within what is looked at. Returns its bin. */
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

/* The value of an event's attribute (an id of the archive's attributes) as a number; 0: it has none. NULL: an
 * event without attributes. */
static inline uint64_t omptape_analysis_attribute(const struct omptape_event *event, uint64_t attribute)
{
    OTF2_Type type;
    OTF2_AttributeValue value;
    if (event == NULL || !omptape_event_attribute(event, attribute, &type, &value) || type > OTF2_TYPE_INT64)
        return 0;
    const struct omptape_number number = omptape_value_number(type, value);
    if (number.kind == OMPTAPE_NUMBER_UNSIGNED)
        return number.whole;
    return number.integer > 0 ? (uint64_t)number.integer : 0;
}
