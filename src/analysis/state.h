/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the analysis share while the events go by. Not for its users (analysis.h).
 *
 * A location has a stack of frames (open regions) and a stack of memberships (teams that it is a member of).
 * All of its time is booked (booking.c) at each Enter and Leave: to its bucket, to the region, and to the
 * phase of every team around it. A phase is what a member does between two barriers of its team; when all
 * members have left a barrier, those who waited are compared with the one who came last (barriers.c), and the
 * waiting is charged to what that one did more than the others: a cause (causes.c).
 */
#ifndef OMPTAPE_ANALYSIS_STATE_H
#define OMPTAPE_ANALYSIS_STATE_H

#include "src/analysis/analysis.h"

/* A region, and what is looked up for each visit. */
struct analysis_region_state {
    struct analysis_region result;
    struct analysis_task_site *task_site; /* these two: NULL if not looked up yet */
    struct analysis_loop *loop;
    uint64_t asking; /* threads that wait here for a lock, now */
};

/* What a member of a team did in a phase: so much time in one region, in one way. */
enum analysis_way {
    ANALYSIS_WAY_COMPUTING,
    ANALYSIS_WAY_LOCK,     /* waited for the lock of the region */
    ANALYSIS_WAY_FORK,     /* came late: between the fork and the member's begin */
    ANALYSIS_WAY_CREATION, /* created the tasks of the region */
    ANALYSIS_WAY_TARGET,   /* waited for a device or moved data */
    ANALYSIS_WAY_MPI,      /* in a call of MPI */
    ANALYSIS_WAY_STALL,    /* stood still until there was room for its events: nobody's fault */
};

struct analysis_share {
    struct analysis_region *region;
    uint64_t time;
    uint8_t way; /* enum analysis_way */
    bool nested; /* within a parallel region inside of the team's */
    /* Of a loop: */
    uint64_t chunks;
    uint64_t iterations; /* the thread's own; 0: none, or not known */
    uint64_t whole;      /* all threads' */
};

struct analysis_shares {
    struct analysis_share *list;
    uint32_t count;
    uint32_t room;
};

/* One barrier, as it goes by. */
struct analysis_arrival {
    bool here;
    bool gone;
    uint64_t begin;
    uint64_t end;
    uint64_t idle; /* neither a task nor one to be had: until the barrier opened, for the last comer */
    bool stalled;  /* while it was there */
    struct analysis_shares shares; /* of the phase before */
};
struct analysis_barrier {
    struct analysis_region *region;
    uint32_t arrived;
    uint32_t gone;
    struct analysis_arrival *arrivals; /* of each member */
};

struct analysis_member {
    struct analysis_location *location;
    bool began;
    bool ended;
    uint32_t barriers;             /* that it has arrived at */
    struct analysis_shares shares; /* of the phase that goes on */
    uint64_t stalled;
};

/* Time in which some member of a team stood still, as far as it is known: the end of such a time is known
 * when it begins. */
struct analysis_stalls {
    uint64_t sum;
    uint64_t until;
};

/* One instance of a team. */
struct analysis_team {
    struct analysis_comm *comm;
    struct analysis_team *next; /* instance of the same communicator, live or free */
    uint64_t number;            /* of the instance, among the communicator's, */
    uint64_t instance;          /* ...and among all */
    struct analysis_team *outer;
    uint64_t threads;               /* its size and those of the teams around it, multiplied */
    struct analysis_region *region; /* parallel, teams; NULL: not known yet */
    uint32_t began;
    uint32_t ended;
    bool spare; /* threads that the runtime keeps for later */
    uint64_t fork;
    struct analysis_stalls stalls;
    uint64_t useful;                     /* thread time computing, of all members, nested teams left out */
    struct analysis_barrier barriers[2]; /* a member may be one ahead of another */
    struct analysis_member *members;
    /* Its explicit tasks. */
    uint64_t created;
    int64_t queued;      /* created or suspended, and not running */
    int64_t running;     /* in execution, or waiting for others */
    uint64_t queue_time; /* how long some were queued, */
    uint64_t alone_time; /* ...none were but some ran; both until: */
    uint64_t counted_until;
    struct analysis_task_site *last_site; /* whose task began last */
    struct analysis_task_site *left_site; /* whose task ended last, */
    uint64_t left_begin;                  /* ...when it had begun, */
    struct analysis_location *left_by;    /* ...and who executed it */
    struct analysis_region *last_barrier; /* that all have left */
};

/* A communicator that is a team. */
struct analysis_comm {
    const struct omptape_definition *definition;
    uint32_t size;
    uint64_t *locations; /* ids, by thread number */
    struct analysis_team *live;
    struct analysis_team *free;
};

struct analysis_membership {
    struct analysis_team *team;
    uint32_t index; /* thread number */
    uint32_t depth; /* frames below */
};

struct analysis_frame {
    struct analysis_region *region;
    struct analysis_region *blamed; /* the construct that this is a part of, or that is around it */
    uint64_t begin;
    uint64_t work; /* of a task: its own computing */
    uint32_t task; /* index + 1 of the innermost task's frame, this or below; 0: none */
    uint8_t bucket;
    uint8_t way;
    bool deferred;                   /* a task that came from the queue */
    bool asking;                     /* for a lock that it has not got yet */
    struct analysis_task_site *site; /* of a task */
    uint64_t chain;                  /* of a task: the longest chain to its begin (chain.h) */
};

/* A stretch in which the thread had nothing to do: state of its team when it began. */
struct analysis_idle {
    uint64_t begin;
    uint64_t queue_time;
    uint64_t alone_time;
    uint64_t stall_time;
    bool open;
};

/* Of omp_test_lock in a loop: where, and since when. */
struct analysis_poll {
    const struct analysis_region *region; /* NULL: it polls no lock */
    uint64_t begin;
    uint64_t last; /* time without success */
};

/* At what a thread is now; where its process has devices. */
enum analysis_host {
    ANALYSIS_HOST_ELSEWHERE,
    ANALYSIS_HOST_AT_WORK,
    ANALYSIS_HOST_AT_DEVICE,
    ANALYSIS_HOSTS
};

/* Of a static loop's chunks those after a thread's first, which nobody tells. */
struct analysis_rounds {
    uint64_t chunks;
    uint64_t iterations;
};

/* What the kernel counted of a thread until then, and how long it had been at work. */
struct analysis_told {
    uint64_t time;
    uint64_t running_ns;
    uint64_t queued_ns;
    uint64_t busy;
    uint64_t unbroken;
};

struct analysis_location {
    const struct omptape_definition *definition;
    struct analysis_thread *thread; /* NULL: a device's */
    struct analysis_device_state *device;
    struct analysis_transfer *transfer; /* that goes on */
    bool transfer_repeats;
    uint64_t transfer_bytes;
    uint64_t transfer_begin;
    struct analysis_transfer *moved; /* the last within the construct, and the time of all */
    uint64_t moved_time;
    struct analysis_transfer *moved_last; /* whatever the construct, */
    uint64_t moved_until;                 /* ...and when that or its construct was over */
    uint32_t process;
    uint64_t booked; /* all its time before this is booked */
    uint64_t stalled_until;
    uint64_t last;   /* event */
    uint8_t outside; /* bucket where no region is open */
    /* The loop that was entered last: */
    uint64_t loop_iterations; /* all threads' */
    uint64_t loop_chunks;     /* that were told of */
    struct analysis_rounds loop_rounds;
    bool seen;
    bool wanted;                                /* its process is one to look at */
    bool has_switched;                          /* to an explicit task, by the last event, */
    uint64_t switched_chain;                    /* ...to whose begin is the longest chain; */
    uint64_t left_chain;                        /* and to the end of the task that was left last */
    struct analysis_waiting_task *created_task; /* the last one (chain.c) */
    struct analysis_task_site *created;         /* whose task the last event created; or NULL */
    bool forked;
    bool forked_idle; /* its last fork was where nothing was open */
    uint64_t fork_time;
    uint32_t forks; /* open */
    struct analysis_frame *frames;
    uint32_t depth;
    uint32_t frame_room;
    struct analysis_membership *memberships;
    uint32_t membership_count;
    uint32_t membership_room;
    struct analysis_idle idle;
    struct analysis_poll poll;
    enum analysis_host host; /* as its process counts it, */
    bool host_counted;       /* ...if it does */
    /* Serial time since the last parallel region, */
    uint64_t serial;
    uint64_t serial_begin;
    const struct analysis_region *last_parallel; /* ...which was this */
    bool in_serial_end;                          /* a fork ended it: its region is not known yet */
    /* Last comers' causes since the kernel last told of the thread's waiting for a processor. */
    struct analysis_pending *pending;
    uint32_t pending_count;
    uint32_t pending_room;
    struct analysis_told told; /* by the kernel, the last time */
    uint64_t busy;             /* until `booked`, whatever the window; */
    uint64_t unbroken;         /* ...of it in stretches so short that no other thread ran meanwhile */
};

/* What a thread did when it may have had no processor: */
enum analysis_lack {
    ANALYSIS_LACK_AT_WORK,  /* others waited for what it did, */
    ANALYSIS_LACK_AT_START, /* ...or for it to begin; */
    ANALYSIS_LACK_WAITING,  /* it waited itself, and only that thread would have won */
};

/* Waiting and its reason, summed up: one for each kind of finding, region and parallel region around it. */
struct analysis_cause {
    enum omptape_finding_kind kind;
    struct analysis_region *region;
    const struct analysis_region *parallel; /* in which the waiting was; NULL: in none */
    struct analysis_region *charged;        /* what others waited for; NULL: no construct */
    uint64_t gain_parts;                    /* wall, in 1/256 of a tick */
    uint64_t waited;                        /* thread time */
    uint64_t count;
    uint64_t worst;
    uint64_t worst_begin;
    uint64_t worst_end;
    uint64_t worst_location;
};

/* A process that others waited for in a function of MPI's. */
struct analysis_late {
    uint64_t process; /* its location group's id */
    uint64_t waited;
    uint64_t count;
};

struct analysis_pending {
    struct analysis_cause *cause;
    uint64_t lead; /* how much earlier the thread might have been */
    enum analysis_lack lack;
    uint64_t gain_parts;
    uint64_t waited;
    uint64_t count;
    uint64_t worst;
    uint64_t worst_begin;
    uint64_t worst_end;
};

/* Sums over the instances of one parallel construct. */
struct analysis_parallel {
    struct analysis_region *region;
    uint64_t instances;
    uint64_t wall;
    uint64_t useful; /* wall: thread time at work / threads */
    uint32_t threads;
    uint32_t outer;                          /* threads of the teams around it, multiplied, at most */
    const struct analysis_region *tiny_with; /* at the end: where its finding is (findings/tiny.c); or NULL */
};

/* The tasks of one site, while they are counted. */
struct analysis_task_site {
    struct analysis_tasks result;
    struct analysis_durations before; /* from the event before to each creation, */
    struct analysis_durations after;  /* ...and from it to the next event that is none */
    uint64_t bin_sums[ANALYSIS_BINS]; /* of both */
    uint64_t handling_parts;          /* wall, 1/256 tick */
    uint64_t threads;                 /* of the largest team */
    uint64_t created_inside;          /* tasks that tasks created */
    uint64_t at_once;                 /* threads in one now */
    uint64_t dependent;               /* tasks that depend on others */
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

struct analysis_held_lock {
    uint64_t acquired;
    uint64_t released;
    struct analysis_lock_site *site; /* where it was asked for */
    uint64_t holder;                 /* location id of the last one */
    struct analysis_hold_run run;    /* that goes on; region NULL: nobody had it */
    struct analysis_hold_run *runs;  /* before it, newest first; NULL: none */
};

struct analysis_process_state {
    uint32_t active;                       /* parallel regions open at the top level */
    bool counted;                          /* its events went by */
    uint64_t threads_at[ANALYSIS_HOSTS];   /* followed if it has devices */
    struct analysis_device_state *devices; /* a list */
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
    const struct analysis_plan *plan;       /* parts/plan.h */
    struct analysis_pictures *pictures;     /* of sums that get a pyramid: parts/pictures.h; or NULL */
    const struct omptape_pairs *process_of; /* (0, location group) -> number of its process */
    uint32_t first_process;                 /* the number of result->processes[0] */
    bool stopped;                           /* the watcher wants no more events */
    struct analysis_whole whole;
    struct omptape_analysis *result;
    struct omptape_reader *reader;
    const struct omptape_analysis_options *options;
    struct omptape_arena arena; /* of what is not in the result */
    bool no_memory;
    uint64_t from;
    uint64_t to;
    bool inside;         /* the event that goes by is between them */
    uint64_t short_idle; /* 10 us: what a runtime needs to find a task */
    uint64_t creation_cap;
    uint64_t short_slice; /* who gives up a processor misses it for longer */
    double ns_per_tick;
    struct omptape_pairs locations;    /* (0, id) -> analysis_location */
    struct omptape_pairs regions;      /* (0, id) -> analysis_region_state */
    struct omptape_pairs comms;        /* (0, id) -> analysis_comm */
    struct omptape_pairs places;       /* (comm, location) -> analysis_place */
    struct omptape_pairs causes;       /* (kind << 32 | region's definition, parallel) */
    struct omptape_pairs parallels;    /* (0, region id) */
    struct omptape_pairs task_sites;   /* (0, site's row) */
    struct omptape_pairs lock_sites;   /* (0, region id) */
    struct omptape_pairs locks;        /* (process, lock) -> analysis_held_lock */
    struct omptape_pairs lock_holders; /* (asking region id, holding region id) */
    struct omptape_pairs serials;      /* (after, before) */
    struct omptape_pairs loop_threads; /* (region id, number), of passes that were ended */
    struct omptape_pairs loops;        /* (0, region id) */
    struct omptape_pairs transfers;    /* (0, region id) */
    struct omptape_pairs mpi;          /* (0, region id) */
    struct omptape_pairs late;         /* (kind << 32 | region id, process's group) -> analysis_late */
    bool mpi_untold;                   /* who waited for whom in MPI is not known, or not of all */
    struct omptape_pairs sent;         /* (process and device, host address) */
    struct omptape_pairs devices;      /* (0, group id) */
    struct omptape_rows sites;         /* texts after " @" */
    /* chain.c: (team instance, task), addresses in dependences, (process, address's row). */
    struct omptape_pairs waiting_tasks;
    struct omptape_rows addresses;
    struct omptape_pairs address_ends;
    struct analysis_waiting_task *free_tasks;
    uint64_t team_instances;
    struct analysis_process_state *processes;
    struct analysis_location *last_location;
    uint64_t attribute_bytes; /* ids of the archive's attributes; UINT64_MAX: it has none */
    uint64_t attribute_host_address;
    uint64_t attribute_device;
    uint64_t attribute_iterations;
    uint64_t attribute_chunk_start;
    uint64_t attribute_count;
    uint64_t attribute_call;
    uint64_t parameter_schedule;
    uint64_t parameter_depend;
};

/* As much of the amount as `part` is of `whole`. */
static inline uint64_t omptape_analysis_part(uint64_t amount, uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (uint64_t)((double)amount * ((double)part / (double)whole));
}

/* Does any of it lie within what is looked at? */
static inline bool omptape_analysis_is_inside(const struct analysis_state *state, uint64_t begin,
                                              uint64_t end)
{
    return end >= state->from && begin <= state->to;
}

/* What of a stretch lies within what is looked at. */
static inline uint64_t omptape_analysis_clipped(const struct analysis_state *state, uint64_t begin,
                                                uint64_t end)
{
    begin = begin > state->from ? begin : state->from;
    end = end < state->to ? end : state->to;
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
    if (entry == NULL)
        state->no_memory = true;
    else
        *entry = region;
    return entry;
}

static inline uint64_t omptape_analysis_region_id(const struct analysis_region *region)
{
    return region == NULL ? UINT64_MAX : region->definition->id;
}

/* Tells whoever looks on. */
static inline void omptape_analysis_linked(const struct analysis_state *state,
                                           enum omptape_analysis_link kind, uint64_t from_location,
                                           uint64_t from, uint64_t to_location, uint64_t to)
{
    const struct omptape_analysis_watcher *watcher = state->options != NULL ? state->options->watcher : NULL;
    if (watcher != NULL && watcher->linked != NULL)
        watcher->linked(watcher->data, kind, from_location, from, to_location, to);
}

/* booking.c: books the location's time until now. */
void omptape_analysis_book(struct analysis_state *state, struct analysis_location *location, uint64_t time);

/* stalls.c: the thread, whose time is booked until now, stands still until there is room for its events. */
void omptape_analysis_stall(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            uint64_t until);
/* So much of the time that is being booked was such. */
void omptape_analysis_book_stall(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t stalled);
/* How long some member stood still, until this time. */
uint64_t omptape_analysis_stalled_at(const struct analysis_team *team, uint64_t time);

/* locations.c */
struct analysis_location *omptape_analysis_location(struct analysis_state *state, uint64_t id);
struct analysis_region *omptape_analysis_region(struct analysis_state *state, uint64_t id);
void omptape_analysis_enter(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            struct analysis_region *region);
void omptape_analysis_leave(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            const struct analysis_region *region);
/* All that is open ends. */
void omptape_analysis_end_location(struct analysis_state *state, struct analysis_location *location);
static inline struct analysis_frame *omptape_analysis_top(const struct analysis_location *location)
{
    return location->depth > 0 ? &location->frames[location->depth - 1] : NULL;
}
static inline struct analysis_membership *
omptape_analysis_membership(const struct analysis_location *location)
{
    return location->membership_count > 0 ? &location->memberships[location->membership_count - 1] : NULL;
}

/* durations.c: counts it, if it ends within what is looked at. */
void omptape_analysis_count(const struct analysis_state *state, struct analysis_durations *durations,
                            uint64_t ticks, uint64_t begin, uint64_t location);
unsigned omptape_durations_bin(uint64_t ticks, double ns_per_tick);

/* shares.c: adds time to what was done in a region. The same, to add to it otherwise; NULL: no room. */
void omptape_shares_add(struct analysis_state *state, struct analysis_shares *shares,
                        struct analysis_region *region, enum analysis_way way, bool nested, uint64_t time);
struct analysis_share *omptape_shares_obtain(struct analysis_state *state, struct analysis_shares *shares,
                                             struct analysis_region *region, enum analysis_way way,
                                             bool nested);

/* teams.c */
void omptape_analysis_fork(struct analysis_state *state, struct analysis_location *location, uint64_t time);
void omptape_analysis_join(struct analysis_state *state, struct analysis_location *location, uint64_t time);
void omptape_analysis_team_begin(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time, uint64_t comm);
void omptape_analysis_team_end(struct analysis_state *state, struct analysis_location *location,
                               uint64_t time);
/* The thread enters the region of its newest team, and has entered it. */
void omptape_analysis_team_named(struct analysis_location *location, const struct analysis_region *region);
void omptape_analysis_team_region(struct analysis_state *state, struct analysis_location *location,
                                  struct analysis_region *region);

void omptape_analysis_teams_free(struct analysis_state *state);

/* barriers.c */
void omptape_analysis_barrier_enter(struct analysis_state *state, struct analysis_location *location,
                                    uint64_t time, struct analysis_region *region);
void omptape_analysis_barrier_leave(struct analysis_state *state, struct analysis_location *location,
                                    uint64_t time);
/* Forgets what is left of a barrier that not all came to. */
void omptape_analysis_barrier_reset(struct analysis_team *team, struct analysis_barrier *barrier);

/* tasks.c: did more than one of these tasks follow each other, by creation or dependences? */
bool omptape_tasks_are_chain(const struct analysis_tasks *tasks);
/* The site of a task's region, or of that of its creation. NULL: no memory. */
struct analysis_task_site *omptape_analysis_task_site(struct analysis_state *state,
                                                      struct analysis_region *region);
void omptape_analysis_task_create(struct analysis_state *state, struct analysis_location *location,
                                  const struct omptape_event *event);
void omptape_analysis_task_depend(struct analysis_state *state, struct analysis_location *location,
                                  const struct omptape_event *event);
void omptape_analysis_task_switch(struct analysis_state *state, struct analysis_location *location,
                                  const struct omptape_event *event);
void omptape_analysis_task_created_by(struct analysis_state *state, struct analysis_location *location,
                                      uint64_t time, struct analysis_region *region);
/* The first event after a creation that is none. */
void omptape_analysis_task_created_after(struct analysis_state *state, struct analysis_location *location,
                                         uint64_t time);
void omptape_analysis_task_enter(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time, struct analysis_frame *frame);
void omptape_analysis_task_leave(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time, const struct analysis_frame *frame);
void omptape_analysis_task_complete(struct analysis_state *state, struct analysis_location *location,
                                    const struct omptape_event *event);
void omptape_analysis_idle_begin(struct analysis_state *state, struct analysis_location *location,
                                 uint64_t time);
void omptape_analysis_idle_end(struct analysis_state *state, struct analysis_location *location,
                               uint64_t time);

/* locks.c: the thread begins to wait for a lock; it leaves where it did, perhaps without it. */
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
void omptape_analysis_lock_acquire(struct analysis_state *state, struct analysis_location *location,
                                   const struct omptape_event *event);
void omptape_analysis_lock_release(struct analysis_state *state, struct analysis_location *location,
                                   const struct omptape_event *event);

/* What of the result only the pass needs: before the result goes its own way. */
void omptape_analysis_locks_free(struct analysis_state *state);

/* serial.c */
struct analysis_serial *omptape_analysis_serial(struct analysis_state *state,
                                                const struct analysis_region *after,
                                                const struct analysis_region *before);
void omptape_analysis_serial_fork(struct analysis_state *state, struct analysis_location *location);
void omptape_analysis_serial_ends(struct analysis_state *state, struct analysis_location *location,
                                  const struct analysis_region *before);

/* causes.c */
struct analysis_cause *omptape_analysis_cause(struct analysis_state *state, enum omptape_finding_kind kind,
                                              struct analysis_region *region,
                                              const struct analysis_region *parallel);
/* Adds `waited` thread time of a team whose threads, with those of the teams around, are `threads`. */
void omptape_analysis_charge(struct analysis_state *state, struct analysis_cause *cause, uint64_t waited,
                             uint64_t threads, uint64_t begin, uint64_t end, uint64_t location);
/* The same, kept back until it is known whether the thread had no processor: of the one who came last, by
 * `lead`; or of one that waits itself and might have found something to do. */
struct analysis_wait {
    uint64_t waited;
    uint64_t threads;
    uint64_t lead;
    enum analysis_lack lack;
    uint64_t begin;
    uint64_t end;
};
void omptape_analysis_charge_late(struct analysis_state *state, struct analysis_location *location,
                                  struct analysis_cause *cause, const struct analysis_wait *wait);
/* The kernel told how long the thread had run and waited for a processor, in all. */
void omptape_analysis_sched(struct analysis_state *state, struct analysis_location *location, uint64_t time,
                            uint64_t running_ns, uint64_t queued_ns);
/* Ticks since the last call in which the thread had no processor: while it was at work, and while it waited
 * itself. */
struct analysis_queued {
    uint64_t working;
    uint64_t waiting;
};
void omptape_analysis_settle(struct analysis_state *state, struct analysis_location *location,
                             struct analysis_queued queued);

/* devices.c */
/* That of the location group, or NULL. */
struct analysis_device *omptape_analysis_device(struct analysis_state *state,
                                                const struct omptape_definition *group);
void omptape_analysis_device_open(struct analysis_state *state, struct analysis_location *location,
                                  const struct omptape_definition *group);
void omptape_analysis_device_event(struct analysis_state *state, struct analysis_location *location,
                                   const struct omptape_event *event);
void omptape_analysis_transfer_enter(struct analysis_state *state, struct analysis_location *location,
                                     const struct omptape_event *event);
/* The thread is in another region, or in none: its process has devices. */
void omptape_analysis_device_host(struct analysis_state *state, struct analysis_location *location,
                                  uint64_t time);
/* A construct ends that may do nothing but move data. */
void omptape_analysis_move_leave(struct analysis_location *location, const struct analysis_frame *frame,
                                 uint64_t time);
void omptape_analysis_transfer_leave(struct analysis_state *state, struct analysis_location *location,
                                     uint64_t time);

/* loops.c */
void omptape_analysis_loop_schedule(struct analysis_state *state, struct analysis_location *location,
                                    const struct omptape_event *event);
/* The thread has entered a loop, or a chunk or section of one. */
void omptape_analysis_loop_enter(struct analysis_state *state, struct analysis_location *location,
                                 const struct omptape_event *event);
void omptape_analysis_loop_done(struct analysis_state *state, struct analysis_team *team,
                                const struct analysis_barrier *barrier);
/* Its iterations were shared out before it began; or nobody said how. */
bool omptape_loop_is_static(const struct analysis_loop *loop);
void omptape_analysis_loop_name_schedule(struct analysis_state *state, struct analysis_loop *loop);
/* At the end of a pass: makes a table of their threads. */
void omptape_analysis_loops_end(struct analysis_state *state);
/* At the end of all, of each: its threads, who was late, and why. */
void omptape_analysis_loops_settle(struct analysis_state *state);

/* attributes.c: the value of an event's attribute (an id of the archive's attributes) as a number; 0: it has
 * none. */
uint64_t omptape_analysis_attribute(const struct omptape_event *event, uint64_t attribute);
void omptape_analysis_attributes_find(struct analysis_state *state);

#endif
