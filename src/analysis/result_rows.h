/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of an analysis: what is known of each region, thread, process, loop, lock, task construct, phase,
 * sample, transfer and device. All rows belong to the analysis. Times are ticks of the archive's clock.
 */
#pragma once

#include "src/archive/read/reader.h"
#include "src/core/buckets.h"
#include "src/core/constructs.h"
#include "src/core/whole.h"

#include <omptape/properties.h>
#include <stdbool.h>
#include <stdint.h>

/* Histograms of durations: bin b counts durations of 2^b to 2^(b+1) - 1 ns; bin 0 also shorter ones. */
enum { ANALYSIS_BINS = 48 };

/* Durations of the same kind: visits of a region, execution times of tasks, waiting times for a lock. */
struct analysis_durations {
    uint64_t count;
    uint64_t sum;
    uint64_t longest;
    uint64_t longest_begin;
    uint64_t longest_location; /* id */
    uint64_t bins[ANALYSIS_BINS];
};

/* The worst one of several instances or waits: an interval, and the cost by which it was chosen. The cost is
 * mostly the length of the interval. A cause of waiting (causes.h) costs the part of the wait that it
 * explains, or 0 if another cause explains most. An outlier costs its time without waits for a processor. An
 * interval of a finding without an instance costs 0. */
struct analysis_worst {
    uint64_t ticks; /* the cost: not always end - begin */
    uint64_t begin;
    uint64_t end;
    uint64_t location; /* id */
};

static inline struct analysis_worst omptape_worst(uint64_t ticks, uint64_t begin, uint64_t location)
{
    return (struct analysis_worst){ticks, begin, omptape_plus(begin, ticks), location};
}

/* Returns true if `one` is longer, and is kept. */
static inline bool omptape_keep_worst(struct analysis_worst *worst, const struct analysis_worst *one)
{
    const bool is_longer = one->ticks > worst->ticks;
    if (is_longer)
        *worst = *one;
    return is_longer;
}

/* The phases in which something happened. `first` and `last` are equal if it was always the same one. */
struct analysis_within {
    uint64_t first; /* 1 + the smallest id of an innermost phase's region; 0: none */
    uint64_t last;
    uint64_t outside; /* number of times outside of all phases */
};

/* Sums of the counters, indexed as omptape_analysis.counters. The first one is the processor time in ns. */
struct analysis_counts {
    uint64_t sums[OMPTAPE_MAX_COUNTERS];
};

/* A region of the archive that a host thread visited: a construct at a call site. */
struct analysis_region {
    const struct omptape_definition *definition;
    enum omptape_region_kind kind;    /* OMPTAPE_REGION_KIND_COUNT: no construct of omptape */
    const char *label;                /* name without the common prefix: "for @solver.c:112" */
    const char *shown;                /* name for users: equal to `label`, or "for near @solver.c:110" */
    const char *function;             /* function that contains the construct; "": unknown */
    const char *file;                 /* full path; "": unknown */
    uint32_t line;                    /* 0: unknown */
    struct analysis_durations visits; /* inclusive times of all visits */
    uint64_t inclusive;               /* thread time of outermost visits */
    /* Thread time in which the region was the innermost one. The sum of all buckets is the exclusive time. */
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
    uint64_t system;                /* estimated thread time in the kernel while working */
    uint64_t system_parts;          /* `system` divided by the team's threads: wall, in 1/256 ticks */
    struct analysis_counts counted; /* while threads worked in the region */
    uint64_t faults;                /* estimated number of page faults */
    uint64_t major_faults;          /* estimated number of page faults that read from a disk */
    uint64_t charged;               /* thread time that other threads waited because of this region */
    uint64_t gain;                  /* wall: sum over the findings of this region */
    uint64_t silent;                /* longest time that a thread computed in the region without an event */
    /* For a parallel region, set at the end: the most threads, times the threads of enclosing teams. */
    uint64_t team;
    struct analysis_within within; /* only set for parallel regions and MPI calls */
};

struct analysis_thread {
    const struct omptape_definition *location;
    uint32_t process; /* index into omptape_analysis.processes */
    const char *name;
    uint64_t begin; /* time of the first event; `end`: of the last one */
    uint64_t end;
    uint64_t events;
    /* The sum is end - begin, less the time that an initial thread of several spends outside of regions. */
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
    uint64_t running_ns;     /* processor time by the kernel; 0 together with queued_ns: unknown */
    uint64_t queued_ns;      /* time that the thread was runnable without a processor */
    uint64_t queued_work_ns; /* the part of queued_ns during work: estimated (docs/report.md) */
    uint64_t reading_ticks;  /* ticks that the kernel's readings cover */
    struct analysis_counts counted;
    uint64_t computed; /* computing time, including time without a processor */
    uint64_t stalled;  /* time blocked because the buffers were full; contained in `parts` */
    uint64_t starting; /* in functions that begin or end MPI */
    uint64_t messages; /* events of MPI messages, collective operations and windows */
};

/* Returns the time of work for the program, with or without a processor, excluding task management. */
static inline uint64_t omptape_analysis_worked(const uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    return omptape_plus(omptape_plus(parts[OMPTAPE_BUCKET_COMPUTING], parts[OMPTAPE_BUCKET_SERIAL]),
                        omptape_plus(parts[OMPTAPE_BUCKET_BLOCKED], parts[OMPTAPE_BUCKET_RUNNABLE]));
}

enum { ANALYSIS_CONCURRENCY_BINS = 129 };

struct analysis_process {
    const struct omptape_definition *group;
    const char *name;
    const char *node;
    int64_t number; /* -1: the archive has only one process */
    uint64_t begin; /* time of its threads' first event; `end`: of the last one */
    uint64_t end;
    uint32_t threads;
    /* The most threads in one team, times those of enclosing teams, during at least a tenth of the parallel
     * time. */
    uint32_t most_threads;
    uint64_t processors;      /* processors that the process may use; 0: unknown */
    uint64_t team_processors; /* processors that its teams' threads may run on, all together; 0: unknown */
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
    uint64_t running_ns; /* sum over its threads, by the kernel */
    uint64_t queued_ns;
    uint64_t serial;        /* wall: no parallel region was open */
    uint64_t serial_queued; /* wall: part of `serial` in which the thread had no processor: estimated */
    uint64_t late_queued;   /* thread time in a run queue after a wait, while others waited for the thread */
    uint64_t communication; /* wall: in MPI while no parallel region was open */
    uint64_t starting;      /* thread time in functions that begin or end MPI */
    uint64_t starting_waited; /* part of it that waited for other processes */
    uint64_t longest_in_mpi;  /* beside it, time in MPI of the thread that is in MPI for longest */
    /* The next two are only set for a process with several initial threads (serial.h). */
    uint64_t asleep_outside; /* thread time asleep outside of parallel regions */
    uint64_t wall_by_available[ANALYSIS_CONCURRENCY_BINS]; /* wall, by the number of threads in teams or
                                                              computing */
    /* Wall in parallel regions, by the number of threads that computed at the same time. The last entry
     * includes all larger numbers. */
    uint64_t wall_by_computing[ANALYSIS_CONCURRENCY_BINS];
    uint64_t awaited; /* wall: only the last member had not reached a barrier of a team that is not nested */
};

/* Returns true if the process had several initial threads. */
static inline bool omptape_analysis_has_several(const struct analysis_process *process)
{
    for (uint32_t i = 0; i < ANALYSIS_CONCURRENCY_BINS; i++)
        if (process->wall_by_available[i] > 0)
            return true;
    return false;
}

/* Returns how many processors its threads may use: fewer than it has if they are bound; 0: unknown. */
static inline uint64_t omptape_usable_processors(const struct analysis_process *process)
{
    const bool fewer = process->team_processors > 0 && process->team_processors < process->processors;
    return fewer ? process->team_processors : process->processors;
}

/* What one thread of the team, identified by its number, did in a loop. */
struct analysis_loop_thread {
    uint64_t time;
    uint64_t iterations; /* 0: none, or unknown */
    uint64_t late;       /* time above the threads' mean, summed over instances in which it was the slowest */
    uint64_t longest;    /* its longest time in one instance */
    uint64_t longest_location; /* id; threads of several processes may have this number */
};

/* Why threads need different times in a loop: the main cause of wall - mean. */
enum analysis_loop_reason {
    ANALYSIS_LOOP_UNKNOWN,    /* unknown, or no time is lost */
    ANALYSIS_LOOP_FEW,        /* too few iterations to divide them evenly */
    ANALYSIS_LOOP_ITERATIONS, /* iterations could be divided evenly, but are not */
    ANALYSIS_LOOP_COST,       /* iterations take different times */
    ANALYSIS_LOOP_PROCESSOR,  /* the last thread had no processor for some time */
    ANALYSIS_LOOP_REASONS
};

/* The most that ran at one time. */
struct analysis_most {
    uint32_t processes; /* at least 1 */
    uint32_t threads;
    uint32_t members; /* of teams: the sum of the processes' most_threads */
};

/* Sums over the processes of one machine. */
struct analysis_node {
    const char *name; /* "": unknown */
    uint32_t processes;
    uint32_t threads;
    struct analysis_most most;
    uint64_t begin; /* time of the first event; `end`: of the last one */
    uint64_t end;
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
    uint64_t running_ns; /* this and the next two: sums over the processes */
    uint64_t queued_ns;
    uint64_t serial;
    /* Fewest processors that a process there may use; 0: unknown, or not all processors were used. */
    uint64_t processors;
};

/* A worksharing loop, or a sections construct whose sections count as iterations. */
struct analysis_loop {
    struct analysis_region *region;
    const struct analysis_region *parallel; /* enclosing parallel region; NULL: unknown */
    const char *schedule;                   /* "static", ...; "": unknown */
    uint64_t instances;
    uint64_t iterations;            /* sum over all instances; 0: unknown */
    uint64_t chunks;                /* number of chunks that threads took; 0: unknown */
    struct analysis_durations gaps; /* time from one taken chunk to the team's next one */
    uint64_t wall;                  /* sum over instances of the longest thread's time */
    uint64_t mean;                  /* sum over instances of the threads' mean time */
    /* The next three split wall - mean by the reasons above. Set if each thread's iterations are known. */
    uint64_t lost_few;
    uint64_t lost_iterations;
    uint64_t lost_cost;
    /* Wall lost because a thread had no processor; also contained in the three above. */
    uint64_t lost_processor;
    uint64_t late_instances; /* instances in which a thread took at least a quarter more than the mean */
    uint64_t lost_late;      /* the part of wall - mean in these instances */
    uint64_t lost_worst;     /* the largest part in one instance */
    enum analysis_loop_reason reason;
    uint32_t threads; /* of the largest team */
    struct analysis_loop_thread *thread_list;
    uint64_t slowest;         /* id of the location that costs the other threads most */
    uint64_t schedule_text;   /* 1 + id of the schedule's name in the archive; 0: unknown */
    uint64_t parallel_number; /* 1 + smallest id of an enclosing region; 0: unknown */
};

/* The tasks of one construct. */
struct analysis_tasks {
    struct analysis_region *region; /* of kind task */
    /* Execution times without nested tasks and waiting. For untied tasks each part counts separately. */
    struct analysis_durations grain;
    uint64_t created;
    uint64_t creation; /* thread time to create them, estimated from the intervals between creations */
    uint64_t handling; /* thread time between tasks while more were queued */
    uint64_t starved;  /* thread time without a task to run while others ran or were created */
    uint64_t most_at_once;
    uint64_t chain; /* ticks of the longest chain of creations and dependences after a barrier or a wait */
};

/* A lock, critical section or ordered construct, identified by the site where threads ask for it. */
struct analysis_lock {
    struct analysis_region *region;
    struct analysis_durations wait;
    struct analysis_durations hold;
    uint64_t slept;          /* thread time: part of `hold` in which the holder was blocked */
    uint64_t contended;      /* acquisitions that had to wait for a release by another thread */
    uint64_t handover;       /* thread time from a release until the waiting thread continues */
    uint32_t threads;        /* number of threads that asked for it */
    uint64_t contended_wait; /* thread time: waits of contended acquisitions only */
    /* Sum over contended acquisitions of the threads waiting here, including the acquirer. */
    uint64_t queue;
    uint64_t longest_queue; /* the most threads waiting here at once */
};

/* Waiting for a lock at one site (`asker`) while it was held at `holder`, which may be the same site. The
 * sum over all holders of one asker is its contended_wait. */
struct analysis_lock_holder {
    struct analysis_region *asker;
    struct analysis_region *holder;
    uint64_t waited; /* thread time */
    uint64_t count;  /* number of waits that overlap a hold at `holder` */
    uint64_t worst;  /* the longest wait */
    uint64_t worst_begin;
    uint64_t worst_location; /* id of the location that held the lock last */
};

/* Factors of the parallel efficiency, from 0 to 1; docs/report.md defines them. */
enum analysis_factor {
    ANALYSIS_COMMUNICATION,
    ANALYSIS_MPI_LOAD_BALANCE,
    ANALYSIS_LOAD_BALANCE,
    ANALYSIS_SERIALISATION,
    ANALYSIS_MANAGEMENT,
    ANALYSIS_BLOCKED,
    ANALYSIS_PROCESSOR,
    ANALYSIS_FACTORS
};

/* Names of each factor: for people, and the JSON keys of the factor and of the time that it lost. */
extern const struct analysis_factor_names {
    const char *name;
    const char *key;
    const char *lost_key;
    bool is_of_some; /* shown only where it lost something: not every program has it */
} omptape_analysis_factors[ANALYSIS_FACTORS];

struct analysis_efficiency {
    double parallel; /* product of the factors */
    double factors[ANALYSIS_FACTORS];
    uint64_t available; /* thread time: wall multiplied by the threads */
    /* Thread time that each factor lost. Communication and MPI load balance 0: the archive has no MPI. */
    uint64_t lost[ANALYSIS_FACTORS];
};

/* Returns true if people should see the factor: it lost something, or every program has it. A program of MPI
 * alone has no factors of threads. */
bool omptape_analysis_has_factor(const struct analysis_efficiency *efficiency, int factor);

/* A section of the run, described by its own sums. */
struct analysis_section {
    const uint64_t *parts; /* thread time in each bucket */
    uint64_t wall;
    uint64_t serial;        /* wall: no parallel region was open */
    uint64_t communication; /* wall: in MPI while no parallel region was open */
    uint64_t uneven;        /* thread time in MPI that is due to the load balance of the processes */
};
/* Computes the efficiency of a section that ran with `threads` threads, on average. The caller passes
 * *efficiency zeroed. The cost of creating tasks is only known for the whole run and counts as work here. */
void omptape_analysis_efficiency_of(struct analysis_efficiency *efficiency,
                                    const struct analysis_section *section, double threads);

/* All phases or steps that the program gave the same name, outside of parallel regions. Or a detected loop
 * (detected_loops.h): its steps are the iterations, and each iteration begins with `region`. */
struct analysis_phase {
    struct analysis_region *region;
    const char *name; /* set at the end */
    uint64_t count;
    uint64_t steps; /* number of instances that have a number */
    uint64_t wall;
    /* Thread time of its process during the phase. Until the end it holds only the instances whose parts are
     * known: the first ones of a detected loop may be too long ago. Then it is scaled to all. */
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
    uint64_t known;   /* wall of the instances whose parts are known */
    uint64_t longest; /* wall of the slowest instance */
    uint64_t longest_begin;
    uint64_t longest_number; /* number of the slowest instance, if it is a step */
    uint64_t longest_parts[OMPTAPE_BUCKET_COUNT];
    uint64_t serial;        /* wall, summed over processes: no parallel region was open */
    uint64_t communication; /* wall, summed over processes: in MPI while no parallel region was open */
    struct analysis_efficiency efficiency; /* set at the end */
    /* Set at the end, in order of execution: the first ANALYSIS_MAX_STEPS steps of a process. */
    struct analysis_step **step_list;
    uint64_t step_count;
    struct analysis_step **comparable; /* the comparable ones of step_list: all, if the program named them */
    uint64_t comparable_count;
    uint64_t median; /* median duration of `comparable`; 0: none */
};

/* The share of one process in the phases of a name. */
struct analysis_phase_share {
    uint64_t wall;          /* of the phases whose parts are known */
    uint64_t in_mpi;        /* thread time in MPI */
    uint64_t communication; /* wall: in MPI while no parallel region was open */
};

/* Returns true if the phase is a detected loop rather than named by the program. */
static inline bool omptape_phase_is_detected(const struct analysis_phase *phase)
{
    return phase->region->kind != OMPTAPE_REGION_USER;
}

/* Writes the name of one instance into `text`: "time step 37", or "iteration 37 @solver.c:80" for a
 * detected loop. `of` is appended to the number. */
void omptape_phase_instance(const struct analysis_phase *phase, uint64_t number, const char *of, char *text,
                            size_t bytes);

enum { ANALYSIS_MAX_STEPS = 4096 };

/* One instance of a phase, in all processes. Processes are matched by the step's number, or by the order
 * of instances without numbers. */
struct analysis_step {
    struct analysis_region *region;
    uint64_t count;    /* number of processes */
    uint64_t atypical; /* number of processes whose regions differ from those of most iterations */
    uint64_t wall;
    uint64_t parts[OMPTAPE_BUCKET_COUNT]; /* thread time of the processes during the instance */
    uint64_t longest;                     /* wall of the slowest process */
    uint64_t longest_begin;
    uint64_t longest_end;
    uint64_t number; /* number of the step, or the instance's index from 1 in a phase without numbers */
    /* The thread that worked longest in this instance: */
    uint64_t most;
    uint64_t most_location; /* id */
    uint64_t most_parts[OMPTAPE_BUCKET_COUNT];
    uint64_t most_context; /* 1 + id of its most frequent sampled call path; 0: no samples */
    uint64_t most_there;   /* its samples in the innermost function of that path */
    uint64_t most_samples; /* all its samples */
};

/* Values that the program records under one name. omptape_values_number converts a field with a number. */
struct analysis_value {
    uint64_t id; /* id of the name's string */
    const char *name;
    uint64_t count;
    uint64_t not_finite; /* number of values that are infinite or NaN */
    uint64_t smallest;   /* the smallest and largest finite value; 0: none */
    uint64_t largest;
    uint64_t last_time;
    uint64_t last;
};

/* Slow instances of a phase that have the same reason. */
struct analysis_slow {
    const struct analysis_phase *phase;
    const struct analysis_step *step; /* the slowest instance */
    /* A phase nested in this one that causes most of the loss; or NULL. */
    const struct analysis_slow *inner;
    struct analysis_slow *next; /* next one of the same phase in the same finding; or NULL */
    bool is_within;             /* its loss is contained in the loss of another one, or of `inner` */
    uint64_t count;
    uint64_t excess; /* wall above the median, summed over the instances */
    /* What its thread does longer than usual; OMPTAPE_BUCKET_COUNT: unknown. */
    enum omptape_bucket bucket;
    uint64_t usual;    /* usual time in that bucket */
    bool is_all;       /* all threads take longer */
    uint64_t function; /* id of the function's region; 0: unknown */
};

/* Samples with one call path in a construct or a serial part, or of a thread that is unknown to OpenMP. */
struct analysis_sampled {
    const struct analysis_region *region; /* NULL: in none */
    const struct analysis_serial *serial; /* NULL: in a construct, or in none */
    const char *thread; /* name of a thread unknown to OpenMP; NULL: OpenMP knows the thread */
    const struct omptape_definition *context; /* calling context of the innermost function */
    uint64_t count;                           /* samples on a processor */
    uint64_t waiting;                         /* the part of `count` in a wait of OpenMP or MPI */
    struct analysis_counts counted;           /* counted until the thread was sampled here at work */
    uint64_t blocked; /* set at the end: number of times the thread was found asleep here */
};

/* The time between two parallel regions, or in a region that only one thread can execute. */
struct analysis_serial {
    const struct analysis_region *after;  /* NULL: from the beginning of the run */
    const struct analysis_region *before; /* NULL: until the end of the run */
    uint64_t count;
    uint64_t sum;     /* wall */
    uint64_t blocked; /* the part of `sum` in which the thread was blocked */
    uint64_t forking; /* the part of `sum` in which the runtime began the next region */
    uint64_t longest;
    uint64_t longest_begin;
    uint64_t longest_location;
    struct analysis_within within;
};

/* Kinds of durations that are compared with each other to find outliers (outliers.h). */
enum analysis_outlier_kind {
    ANALYSIS_OUTLIER_CHUNK,    /* computing in a chunk of a loop */
    ANALYSIS_OUTLIER_VISIT,    /* computing in a construct that a thread executes */
    ANALYSIS_OUTLIER_TASK,     /* computing of a task itself */
    ANALYSIS_OUTLIER_INSTANCE, /* a parallel region, from its fork on */
    ANALYSIS_OUTLIER_SERIAL,   /* time between two parallel regions */
    ANALYSIS_OUTLIER_STEP,     /* time from the begin of a parallel region to its next begin */
    ANALYSIS_OUTLIER_KINDS
};

/* One number (such as an iteration of a loop) whose duration is long repeatedly. */
struct analysis_repeated_outlier {
    uint64_t count; /* in one process; 0: the entry is unused */
    uint64_t number;
    uint64_t parts;
    uint64_t ticks; /* sum, without the estimated time without a processor */
    struct analysis_worst worst;
};

enum { ANALYSIS_REPEATED_OUTLIERS = 8 };

/* All durations of one kind at one place, and the outliers among them. The arrays of bins are indexed by
 * duration, as in the histograms. */
struct analysis_outliers {
    const struct analysis_region *region; /* the region; for serial parts the one before them */
    const struct analysis_region *before; /* for serial parts the region after them; else NULL */
    uint32_t kind;                        /* enum analysis_outlier_kind */
    bool is_same;                         /* all outliers have the same number */
    bool is_explained;                    /* another entry explains the same outliers; `count` is 0 */
    uint16_t nesting; /* of instances: teams around them, which are compared with those of as many; else 0 */
    struct analysis_durations times;
    uint64_t limit; /* current limit in ticks from which a duration is a candidate; 0: not yet known */
    uint64_t next;  /* number of durations at which the limit is computed again */
    uint64_t bins[ANALYSIS_BINS];   /* candidates whose thread had a processor, by duration */
    uint64_t sums[ANALYSIS_BINS];   /* sum of their durations, without time without a processor */
    uint64_t useful[ANALYSIS_BINS]; /* of instances: sum of their work per thread; else 0 */
    uint64_t without_processor;     /* candidates that the lack of a processor can explain */
    struct analysis_worst worst;    /* the longest candidate; `begin` and `end` include its waiting time */
    uint64_t worst_number;          /* its index from 1; for a chunk its first iteration */
    uint64_t worst_parts;           /* number of iterations of a chunk; else 0 */
    uint64_t worst_work;            /* of an instance: thread time of its members' work; else 0 */
    /* During a pass: numbers of the candidates. */
    struct analysis_repeated_outlier repeated[ANALYSIS_REPEATED_OUTLIERS];
    struct analysis_repeated_outlier most_frequent; /* the most frequent one of `repeated` */
    uint64_t median;                                /* set at the end: median of all durations */
    uint64_t count;      /* set at the end: durations of at least 30 medians; 0: none, or too many */
    uint64_t cost;       /* set at the end: their total time above the median */
    uint64_t all_useful; /* set at the end, of instances: sum of their work per thread; else 0 */
};

/* Data operations of one kind at one site, as the host measured them. */
struct analysis_transfer {
    struct analysis_region *region;
    struct analysis_durations times;
    uint64_t bytes;
    uint64_t overhead; /* time in constructs that only move data, outside of the operations */
    uint64_t repeated; /* operations that transferred the same address's unchanged data again */
    uint64_t repeated_bytes;
    uint64_t repeated_time;
    uint64_t records; /* records of the thread whose cost is contained in these times */
};

/* A function of MPI. */
struct analysis_mpi {
    struct analysis_region *region;
    uint64_t sent; /* bytes */
    uint64_t received;
    uint64_t read; /* bytes of files, counted by the operation's begin */
    uint64_t written;
    uint64_t waited;       /* thread time of waits for later processes; set at the end */
    uint64_t unknown_wait; /* thread time of calls that may have waited for untraced processes */
    /* Calls that share a visit with an earlier one of a row (docs/mpi.md), and the time of such visits. */
    uint64_t repeated;
    uint64_t repeated_time;
    /* Calls that follow the same one to the same process without work between them; set at the end. */
    uint64_t in_row;
    uint64_t in_row_time; /* thread time of them and between them, without waits */
};

struct analysis_device {
    const struct omptape_definition *group;
    const char *name;
    uint64_t busy;    /* ticks in which an operation ran on the device */
    uint64_t kernels; /* number of kernels; kernel_time: their time */
    uint64_t kernel_time;
    uint64_t transfers;
    uint64_t transfer_time;
    uint64_t bytes;
    /* Wall of its process: */
    uint64_t overlap; /* device busy while a host thread computed */
    /* Device busy while no host thread computed, but one waited for a device or moved data. */
    uint64_t waited;
    uint64_t idle; /* as `waited`, while the device was idle */
};

/* Returns the number of tasks for all executed parts: a suspended untied task has several parts. */
uint64_t omptape_tasks_executed(const struct analysis_tasks *tasks);

/* Writes which outlier is the worst into the caller's buffer: "iteration 3977", "task 20 of 60". The
 * second function returns the kind's key in JSON: "chunk". */
const char *omptape_outlier_which(const struct analysis_outliers *outliers, char *text, size_t bytes);
const char *omptape_outlier_key(enum analysis_outlier_kind kind);

/* Returns the reason's key in JSON and tables, such as "cost"; "" for ANALYSIS_LOOP_UNKNOWN. */
const char *omptape_loop_reason(enum analysis_loop_reason reason);

/* Returns the median in ticks, estimated from the bins. */
uint64_t omptape_durations_median(const struct analysis_durations *durations, uint64_t clock_resolution);
