/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an archive means: where its threads' time went, who waited for whom and why, and how much wall time
 * there is to win. One pass over the events, memory bounded by what the definitions hold (threads, regions,
 * teams), not by the number of events. Called by what shows it: report, the page, the summary after a run.
 * Knows neither a terminal nor HTML; the sentences of findings (findings.h) are plain text.
 *
 * Units: ticks of the archive's clock (reader->clock_resolution a second). "Thread time" is summed over
 * threads; "wall" is not. What belongs to whom: everything lives until omptape_analysis_free, which must come
 * before the reader is closed. One thread. Nothing in the archive is believed: a Leave without Enter, a team
 * without members and the like are passed over.
 *
 * All sums are integers, so that parts that were computed apart and merged give the same numbers to the bit.
 */
#pragma once

#include "src/archive/read/reader.h"
#include "src/core/buckets.h"
#include "src/core/constructs.h"
#include "src/core/whole.h"
#include "src/replay/arrows.h"
#include <omptape/properties.h>

#include <stdbool.h>
#include <stdint.h>

/* Histograms of durations: bin b counts those of 2^b to 2^(b+1) - 1 ns; bin 0 also what is shorter. */
enum { ANALYSIS_BINS = 48 };

/* Durations of one kind of thing: visits of a region, grains of tasks, waits for a lock. */
struct analysis_durations {
    uint64_t count;
    uint64_t sum;
    uint64_t longest;
    uint64_t longest_begin;
    uint64_t longest_location; /* id */
    uint64_t bins[ANALYSIS_BINS];
};

/* In which phase something happens: these two are equal if it is always one. */
struct analysis_within {
    uint64_t first; /* 1 + id of the innermost phase's region, the least; 0: none */
    uint64_t last;
    uint64_t outside; /* how often it was in none */
};

/* What was counted, by the numbers of the result's counters; the first is the processor time, ns. */
struct analysis_counts {
    uint64_t sums[OMPTAPE_COUNTERS_MOST];
};

/* One region of the archive that a host thread visited: a construct at a call site. */
struct analysis_region {
    const struct omptape_definition *definition;
    enum omptape_region_kind kind;    /* OMPTAPE_REGION_KIND_COUNT: none of omptape's constructs */
    const char *label;                /* without what all have: "for @solver.c:112" */
    const char *shown;                /* as people read it: the same, or "for near @solver.c:110" */
    const char *function;             /* around it; "" if it is not known */
    const char *file;                 /* full path; "" if it is not known */
    uint32_t line;                    /* 0: not known */
    struct analysis_durations visits; /* inclusive; of all visits */
    uint64_t inclusive;               /* thread time, of outermost visits */
    uint64_t
        parts[OMPTAPE_BUCKET_COUNT]; /* thread time while it was the innermost: adds up to the exclusive */
    uint64_t system;                 /* thread time at work in the kernel, about, */
    uint64_t system_parts;           /* ...wall, by the threads of the teams: 1/256 */
    struct analysis_counts counted;  /* while threads worked for it */
    uint64_t faults;                 /* page faults, about, */
    uint64_t major_faults;           /* ...of these such that read from a disk */
    uint64_t charged;                /* thread time that others waited for what happened here (blame) */
    uint64_t gain;                   /* wall: of the findings here */
    uint64_t silent;                 /* the longest time in which a thread computed here without an event */
    uint64_t mark;                   /* free for who shows it */
    uint64_t
        team; /* at the end, of a parallel region: most threads, those of the teams around it multiplied */
    struct analysis_within within; /* of parallel regions and calls of MPI */
};

struct analysis_thread {
    const struct omptape_definition *location;
    uint32_t process; /* index into processes */
    const char *name;
    uint64_t begin; /* first and last event */
    uint64_t end;
    uint64_t events;
    uint64_t
        parts[OMPTAPE_BUCKET_COUNT]; /* add up to end - begin, without what lies between several threads */
    uint64_t running_ns;             /* processor time as the kernel counted; 0 with queued_ns: not known */
    uint64_t queued_ns;              /* could have run but had no processor, */
    uint64_t queued_work_ns;         /* ...of it while it was at work: estimated (docs/report.md) */
    uint64_t told;                   /* of its time that of which the kernel told this */
    struct analysis_counts counted;
    uint64_t computed; /* computing, and what of that it had no processor */
    uint64_t stalled;  /* stood still until there was room for its events; lies in the parts */
    uint64_t messages; /* events of MPI's messages, collective operations and windows */
};

/* How long it lived, of what is looked at. */
static inline uint64_t omptape_analysis_life(const struct analysis_thread *thread)
{
    uint64_t sum = 0;
    for (unsigned bucket = 0; bucket < OMPTAPE_BUCKET_COUNT; bucket++)
        sum = omptape_plus(sum, thread->parts[bucket]);
    return sum;
}

/* At work for the program, whether it had a processor or not; without the management of tasks. */
static inline uint64_t omptape_analysis_worked(const uint64_t parts[OMPTAPE_BUCKET_COUNT])
{
    return omptape_plus(omptape_plus(parts[OMPTAPE_BUCKET_COMPUTING], parts[OMPTAPE_BUCKET_SERIAL]),
                        omptape_plus(parts[OMPTAPE_BUCKET_BLOCKED], parts[OMPTAPE_BUCKET_RUNNABLE]));
}

enum { ANALYSIS_AT_ONCE = 129 };

struct analysis_process {
    const struct omptape_definition *group;
    const char *name;
    const char *node;
    int64_t number; /* -1: the archive is of one process */
    uint64_t begin; /* first and last event of its threads */
    uint64_t end;
    uint32_t threads;
    uint32_t
        most_threads;    /* in one team, nested teams multiplied, for a tenth of the parallel time at least */
    uint64_t processors; /* that it might use; 0: not known */
    uint64_t bound;      /* to so many of them its threads are, together; 0: not known */
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
    uint64_t running_ns; /* its threads', as the kernel counted */
    uint64_t queued_ns;
    uint64_t serial;        /* wall: no parallel region was open, */
    uint64_t serial_queued; /* ...and the thread had no processor: estimated */
    uint64_t communication; /* wall: the same, in MPI */
    /* Of a process with several initial threads (serial.h): */
    uint64_t asleep_outside;            /* thread time: they slept, in no parallel region */
    uint64_t at_hand[ANALYSIS_AT_ONCE]; /* wall: so many threads were in teams or computed */
    /* Wall, in parallel regions, in which so many threads computed at once; the last one: or more. */
    uint64_t at_work[ANALYSIS_AT_ONCE];
};

/* Had it several initial threads? */
static inline bool omptape_analysis_has_several(const struct analysis_process *process)
{
    for (uint32_t i = 0; i < ANALYSIS_AT_ONCE; i++)
        if (process->at_hand[i] > 0)
            return true;
    return false;
}

/* What one thread of the team, by its number, did of a loop. */
struct analysis_loop_thread {
    uint64_t time;
    uint64_t iterations;       /* 0: none, or not known */
    uint64_t late;             /* by how much it took longer than the mean where it took longest */
    uint64_t longest;          /* instance, */
    uint64_t longest_location; /* ...and whose that was (id): of several processes' threads of this number */
};

/* Why threads take differently long in a loop: what most of wall - mean is due to. */
enum analysis_loop_reason {
    ANALYSIS_LOOP_UNKNOWN,    /* or nothing is lost */
    ANALYSIS_LOOP_FEW,        /* iterations cannot be shared out evenly: too few for the threads */
    ANALYSIS_LOOP_ITERATIONS, /* they could, and are not */
    ANALYSIS_LOOP_COST,       /* iterations take differently long */
    ANALYSIS_LOOP_PROCESSOR,  /* the last thread had no processor for a time */
    ANALYSIS_LOOP_REASONS
};

/* What the processes of one machine did, together. */
struct analysis_node {
    const char *name; /* "": not known */
    uint32_t processes;
    uint32_t threads;
    uint64_t begin; /* first and last event */
    uint64_t end;
    uint64_t parts[OMPTAPE_BUCKET_COUNT];
    uint64_t running_ns; /* sums over processes */
    uint64_t queued_ns;
    uint64_t serial;
    uint64_t processors; /* the fewest that a process there may use; 0: not known, or not all were used */
};

/* A worksharing loop, or sections: these are its iterations. */
struct analysis_loop {
    struct analysis_region *region;
    const struct analysis_region *parallel; /* around it; NULL: not known */
    const char *schedule;                   /* "static", ...; "" if it is not known */
    uint64_t instances;
    uint64_t iterations;            /* of all instances; 0: not known */
    uint64_t chunks;                /* in which threads took them; 0: not known */
    struct analysis_durations gaps; /* from a chunk that is taken to the next, by any thread of the team */
    uint64_t wall;                  /* sum over instances of the longest thread's time */
    uint64_t mean;                  /* sum over instances of the threads' mean time */
    uint64_t lost_few;        /* of wall - mean what is due to the reasons above, where the iterations */
    uint64_t lost_iterations; /* ...of each thread are known; */
    uint64_t lost_cost;
    uint64_t lost_processor; /* wall that others waited for want of a processor: part of all three */
    uint64_t late_instances; /* in which a thread took at least a quarter longer than the mean, */
    uint64_t lost_late;      /* ...and what of wall - mean was lost in these */
    enum analysis_loop_reason reason;
    uint32_t threads; /* of the largest team */
    struct analysis_loop_thread *thread_list;
    uint64_t slowest;         /* location id of the thread that costs the others most */
    uint64_t schedule_text;   /* 1 + id of its name in the archive; 0: not known */
    uint64_t parallel_number; /* 1 + id of the region around; of several the least; 0: not known */
};

/* The tasks of one construct. */
struct analysis_tasks {
    struct analysis_region *region; /* task */
    struct analysis_durations
        grain; /* execution without tasks and waiting within; of untied ones each part */
    uint64_t created;
    uint64_t creation; /* thread time to create them, estimated from the distance of creations */
    uint64_t handling; /* thread time between tasks while there were more */
    uint64_t starved;  /* thread time: no task to be had while others ran or were created */
    uint64_t most_at_once;
    uint64_t chain; /* the longest, ticks: by creation and dependences */
};

/* A lock, critical section or ordered, by the site where it was asked for. */
struct analysis_lock {
    struct analysis_region *region;
    struct analysis_durations wait;
    struct analysis_durations hold;
    uint64_t slept;          /* thread time: of `hold`, in which its thread was blocked */
    uint64_t contended;      /* acquisitions for which somebody else had to release it first */
    uint64_t handover;       /* thread time between a release and the waiting thread's going on */
    uint32_t threads;        /* that asked for it */
    uint64_t contended_wait; /* thread time: of the contended ones alone */
    uint64_t queue;          /* sum over these of the threads that were waiting here, that one included, */
    uint64_t longest_queue;  /* ...and the most */
};

/* Waiting for a lock at one site while it was held at another, or at the same. Of one asker, all together are
 * its contended_wait. */
struct analysis_lock_holder {
    struct analysis_region *asker;
    struct analysis_region *holder;
    uint64_t waited; /* thread time */
    uint64_t count;  /* of waits that lay in it, wholly or partly */
    uint64_t worst;  /* wait, */
    uint64_t worst_begin;
    uint64_t worst_location; /* ...and the id of the thread that held it last */
};

/* Parallel efficiency = communication x load_balance x serialisation x management x blocked x processor. 0
 * to 1. What each means stands in docs/report.md; lost_to_... is the thread time behind each. */
struct analysis_efficiency {
    double parallel;
    double communication;
    double load_balance;
    double serialisation;
    double management;
    double blocked;
    double processor;
    uint64_t available;             /* thread time: wall times threads */
    uint64_t lost_to_communication; /* 0: the archive has no MPI */
    uint64_t lost_to_load_balance;
    uint64_t lost_to_serialisation;
    uint64_t lost_to_management;
    uint64_t lost_to_blocked;
    uint64_t lost_to_processor;
};

/* A part of the run, by its own sums. */
struct analysis_stretch {
    const uint64_t *parts; /* thread time in each bucket */
    uint64_t wall;
    uint64_t serial;        /* wall: no parallel region was open, */
    uint64_t communication; /* ...the same, in MPI */
};
/* Its efficiency (all zeros before), of so many threads. What only the whole run knows, as the cost of
 * creating tasks, counts as work here. */
void omptape_analysis_efficiency_of(struct analysis_efficiency *efficiency,
                                    const struct analysis_stretch *stretch, uint64_t threads);

/* What the program named itself, outside of parallel regions: all phases or steps of one name. Or a loop that
 * was found (found_loops.h), whose iterations begin with this region: its steps. */
struct analysis_phase {
    struct analysis_region *region;
    const char *name; /* at the end */
    uint64_t count;
    uint64_t steps; /* of these, the numbered ones */
    uint64_t wall;
    uint64_t parts[OMPTAPE_BUCKET_COUNT]; /* thread time of its process meanwhile */
    uint64_t longest;                     /* wall of the slowest one, */
    uint64_t longest_begin;
    uint64_t longest_number; /* ...its number, if it is a step, */
    uint64_t longest_parts[OMPTAPE_BUCKET_COUNT];
    uint64_t serial;                       /* wall, sum over processes: no parallel region was open, */
    uint64_t communication;                /* ...the same, in MPI */
    struct analysis_efficiency efficiency; /* at the end */
    struct analysis_step *
        *step_list; /* in their order, at the end: the first ANALYSIS_MOST_STEPS of a process */
    uint64_t step_count;
    struct analysis_step **alike; /* of these the comparable ones; all, if the program named them */
    uint64_t alike_count;
    uint64_t median; /* of how long these took; 0: there is none */
};

/* Was it found? */
static inline bool omptape_phase_is_found(const struct analysis_phase *phase)
{
    return phase->region->kind != OMPTAPE_REGION_USER;
}

/* "time step 37", or "iteration 37 @solver.c:80" of a loop that was found; `of` is put behind the number. */
void omptape_phase_instance(const struct analysis_phase *phase, uint64_t number, const char *of, char *text,
                            size_t bytes);

enum { ANALYSIS_MOST_STEPS = 4096 };

/* One instance of a phase, in all processes: of a step by its number, of others by their order. */
struct analysis_step {
    struct analysis_region *region;
    uint64_t count;  /* of processes, */
    uint64_t unlike; /* ...and those in which other regions began than in most iterations */
    uint64_t wall;
    uint64_t parts[OMPTAPE_BUCKET_COUNT]; /* thread time of the processes meanwhile */
    uint64_t longest;                     /* wall of the slowest process, */
    uint64_t longest_begin;
    uint64_t longest_end;
    uint64_t number; /* ...the step's; of a phase without numbers which one, from 1 on */
    /* Of the thread that was at work for longest: */
    uint64_t most;
    uint64_t most_location; /* id */
    uint64_t most_parts[OMPTAPE_BUCKET_COUNT];
    uint64_t most_context; /* 1 + id of the call path in which it was sampled most often; 0: it was not */
    uint64_t most_there;   /* its samples in that function, */
    uint64_t most_samples; /* ...and all */
};

/* Values that the program gives with a name. A field that is a number is read by omptape_values_number. */
struct analysis_value {
    uint64_t id; /* of the name's string */
    const char *name;
    uint64_t count;
    uint64_t not_finite; /* of these: infinite, or no number */
    uint64_t smallest;   /* of the others; 0: there are none */
    uint64_t largest;
    uint64_t last_time;
    uint64_t last;
};

/* Slow instances of a phase for one reason. */
struct analysis_slow {
    const struct analysis_phase *phase;
    const struct analysis_step *step;  /* the slowest one */
    const struct analysis_slow *inner; /* a phase within that, which is most of it; or NULL */
    struct analysis_slow *also;        /* another one of the phase in the same finding; or NULL */
    bool is_within;                    /* it is the loss of another one, or has it as `inner` */
    uint64_t count;
    uint64_t excess;            /* wall above the median, of all */
    enum omptape_bucket bucket; /* what its thread does longer than usual; OMPTAPE_BUCKET_COUNT: not known */
    uint64_t usual;             /* ...and how long it does that usually */
    bool is_all;                /* all threads do */
    uint64_t function;          /* id of the function's region, 0: not known */
};

/* Samples with one call path in a construct or a serial part, or of a thread that OpenMP does not know. */
struct analysis_sampled {
    const struct analysis_region *region;     /* NULL: in none */
    const struct analysis_serial *serial;     /* NULL: in a construct, or in none */
    const char *thread;                       /* the name of that thread; NULL: OpenMP knows it */
    const struct omptape_definition *context; /* its innermost function */
    uint64_t count;                           /* on a processor, */
    uint64_t waiting;                         /* ...and of these in a wait of OpenMP or MPI */
    struct analysis_counts counted;           /* until it was found there at work */
    uint64_t blocked;                         /* looks at the thread that found it asleep there; at the end */
};

/* The time between two parallel regions, or in one that only one thread can execute. */
struct analysis_serial {
    const struct analysis_region *after;  /* NULL: from the beginning */
    const struct analysis_region *before; /* NULL: to the end */
    uint64_t count;
    uint64_t sum;     /* wall, */
    uint64_t blocked; /* ...of which the thread was blocked */
    uint64_t forking; /* ...and at its end the runtime began the next region */
    uint64_t longest;
    uint64_t longest_begin;
    uint64_t longest_location;
    struct analysis_within within;
};

/* What is compared with its like, to find what takes many times as long (outliers.h). */
enum analysis_outlier_kind {
    ANALYSIS_OUTLIER_CHUNK,    /* computing in a chunk of a loop */
    ANALYSIS_OUTLIER_VISIT,    /* computing in a construct that a thread executes */
    ANALYSIS_OUTLIER_TASK,     /* its own computing */
    ANALYSIS_OUTLIER_INSTANCE, /* of a parallel region, from the fork on */
    ANALYSIS_OUTLIER_SERIAL,   /* between two parallel regions */
    ANALYSIS_OUTLIER_STEP,     /* from a parallel region's begin to its next */
    ANALYSIS_OUTLIER_KINDS
};

/* One number, as an iteration of a loop, that takes long again and again. */
struct analysis_frequent {
    uint64_t count; /* of one process; 0: there is none */
    uint64_t number;
    uint64_t parts;
    uint64_t ticks; /* of all, without what the threads had no processor (estimated) */
    uint64_t worst;
    uint64_t worst_begin;
    uint64_t worst_end;
    uint64_t worst_location;
};

enum { ANALYSIS_FREQUENT = 8 };

/* All durations of one kind at a place, and those among them that are exceptions. Lists of bins are by
 * duration, as in the histograms. */
struct analysis_outliers {
    const struct analysis_region *region; /* of serial parts the one before them */
    const struct analysis_region *before; /* of serial parts the one behind them; else NULL */
    uint32_t kind;                        /* enum analysis_outlier_kind */
    bool is_same;                         /* all outliers have one number */
    bool is_explained;                    /* another one tells of the same: count is 0 */
    struct analysis_durations times;
    uint64_t limit;               /* so long are the long ones, as far as it is known; 0: not yet */
    uint64_t next;                /* it is looked at again when there are so many */
    uint64_t bins[ANALYSIS_BINS]; /* the long ones whose thread had a processor: how many, */
    uint64_t sums[ANALYSIS_BINS]; /* ...and for how long, without what it had none; */
    uint64_t lacked;              /* long ones for which that can be the reason */
    uint64_t worst;               /* the longest of the long ones, */
    uint64_t worst_begin;         /* ...when, and how long with all that it waited, */
    uint64_t worst_end;           /* */
    uint64_t worst_location;      /* ...whose (id), */
    uint64_t worst_number;        /* ...which, counted from 1; of a chunk its first iteration, */
    uint64_t worst_parts;         /* ...and of a chunk how many these are; else 0 */
    struct analysis_frequent frequent[ANALYSIS_FREQUENT]; /* of the pass: numbers of long ones, */
    struct analysis_frequent often;                       /* ...and the most frequent of them */
    uint64_t median;                                      /* at the end: of all, */
    uint64_t count; /* ...so many take 30 times as long; 0: none, or too many, */
    uint64_t cost;  /* ...and that much more than the median, in all */
};

/* Data operations of one kind at one site, as the host saw them. */
struct analysis_transfer {
    struct analysis_region *region;
    struct analysis_durations times;
    uint64_t bytes;
    uint64_t around;   /* time in constructs that do nothing else, beside the operations */
    uint64_t repeated; /* operations that sent what had been sent from the same address before */
    uint64_t repeated_bytes;
    uint64_t repeated_time;
    uint64_t records; /* of the thread, whose cost is in these times */
};

/* A function of MPI's. */
struct analysis_mpi {
    struct analysis_region *region;
    uint64_t sent; /* bytes */
    uint64_t received;
    uint64_t read; /* bytes of files, by operations that it began, */
    uint64_t written;
    uint64_t waited; /* thread time: for other processes that came later; at the end */
    uint64_t untold; /* thread time: calls that may have waited longer, for processes without a trace */
};

struct analysis_device {
    const struct omptape_definition *group;
    const char *name;
    uint64_t busy;    /* ticks: something was on it */
    uint64_t kernels; /* count, and their time */
    uint64_t kernel_time;
    uint64_t transfers;
    uint64_t transfer_time;
    uint64_t bytes;
    /* Wall, of its process: */
    uint64_t overlap; /* busy while a thread of the host computed, */
    uint64_t waited;  /* ...while none did but one waited for a device or moved data */
    uint64_t idle;    /* the same while nothing was on it */
};

enum omptape_finding_kind {
    OMPTAPE_FINDING_IMBALANCE,
    OMPTAPE_FINDING_LOCK,
    OMPTAPE_FINDING_FINE_TASKS,
    OMPTAPE_FINDING_TASK_CHAIN,
    OMPTAPE_FINDING_SERIAL,
    OMPTAPE_FINDING_NESTED_WAIT,
    OMPTAPE_FINDING_OVERSUBSCRIPTION,
    OMPTAPE_FINDING_PREEMPTION,
    OMPTAPE_FINDING_SMALL_TRANSFERS,
    OMPTAPE_FINDING_REPEATED_TRANSFERS,
    OMPTAPE_FINDING_TINY_REGIONS,
    OMPTAPE_FINDING_NEEDLESS_BARRIER,
    OMPTAPE_FINDING_LATE_SENDER,
    OMPTAPE_FINDING_LATE_RECEIVER,
    OMPTAPE_FINDING_COLLECTIVE_WAIT,
    OMPTAPE_FINDING_WINDOW_WAIT,
    OMPTAPE_FINDING_LATE_PROGRESS,
    OMPTAPE_FINDING_COMMUNICATION,
    OMPTAPE_FINDING_FINE_CHUNKS,
    OMPTAPE_FINDING_LATE_START,
    OMPTAPE_FINDING_FEW_THREADS,
    OMPTAPE_FINDING_HANG, /* what the program was in when it was ended, and would not have left */
    OMPTAPE_FINDING_OUTLIER,
    OMPTAPE_FINDING_BLOCKED,
    OMPTAPE_FINDING_QUOTA,
    OMPTAPE_FINDING_PAGE_FAULTS,
    OMPTAPE_FINDING_SYSTEM_TIME,
    OMPTAPE_FINDING_HOT_FUNCTION,
    OMPTAPE_FINDING_ALLOCATION,
    OMPTAPE_FINDING_SPIN,
    OMPTAPE_FINDING_TREND,
    OMPTAPE_FINDING_MEMORY,
    OMPTAPE_FINDING_LOW_IPC,
    OMPTAPE_FINDING_KINDS
};

/* One that waits, or the one that others wait for, when the events end. */
struct omptape_hang_step {
    const char *who;
    const char *whom;  /* it waits for: the next step, or one of those before; "": nobody that is known */
    const char *state; /* "waits", "asks" (again and again), "computes", "sleeps", "ended"; "": not known */
    const struct analysis_region *region; /* NULL: none, or it has ended */
    uint64_t location;                    /* UINT64_MAX: of a process that is over */
    uint32_t alike;                       /* so many are there for the same one */
    uint64_t begin;                       /* of that visit, or when it left its last region */
    uint64_t end;
};

/* Who waits for whom in a program that was ended while it hung. Where the last step waits, it is in a circle.
 */
struct omptape_hang {
    uint32_t count;
    const struct omptape_hang_step *steps;
};

/* How well the gain of a repair is known: it is a sum of measured times, or has an estimate in it. Or a
 * repair wins no more, or no less. */
enum omptape_certainty { OMPTAPE_MEASURED, OMPTAPE_ESTIMATED, OMPTAPE_AT_MOST, OMPTAPE_AT_LEAST };

struct omptape_finding {
    enum omptape_finding_kind kind;
    const struct analysis_region *region; /* where; NULL: at no construct (serial at the beginning) */
    const struct analysis_region *before; /* of serial parts: the region after it; else NULL */
    const struct analysis_region *around; /* parallel region; NULL: none, or not known */
    const char *file;                     /* of the region or, if it has no line, of what is around it; "" */
    uint32_t line;                        /* 0: not known */
    enum omptape_certainty certainty;     /* of the gain */
    bool is_slight;                       /* may be due to interruptions: comes last */
    uint64_t gain;                        /* wall ticks, */
    uint64_t takes;       /* wall ticks that go there, where what is to win is not known; or 0 */
    uint64_t samples;     /* of the place, `count` of them are the finding's; or 0 */
    uint64_t elsewhere;   /* ...of which this is other regions' own (findings.c) */
    uint64_t cost;        /* thread time or wall that is lost here; */
    uint64_t whole;       /* ...wall: that by the threads that shared it; gain is less: */
    uint64_t mended;      /* wall, of it: what it would still take, */
    uint64_t tracing;     /* ...and what recording took */
    uint64_t waited;      /* thread time behind it; 0 where that has no meaning */
    uint64_t lacked;      /* thread time that threads were blocked, */
    uint64_t lackers;     /* ...and how many of them */
    uint64_t count;       /* instances */
    uint64_t worst_begin; /* the instance that costs most, */
    uint64_t worst_end;
    uint64_t worst_location;              /* ...on whom it waited */
    const struct analysis_serial *serial; /* of serial parts between regions, else NULL */
    const char *inside;                   /* ...the function that they call there; NULL: several, or none */
    uint32_t others;                      /* ...that were joined to it, since they call the same */
    const struct analysis_transfer *transfer; /* of transfers, else NULL */
    const struct analysis_outliers *outlier;  /* of an outlier, else NULL */
    const struct analysis_late *late;         /* of two processes alone, one of which waits; else NULL */
    const struct omptape_hang *hang;          /* of a hang, else NULL */
    struct analysis_slow *slow; /* it is in one slow instance of a phase (findings/steps.c), else NULL */
    const char *phase;          /* all of it is in this one; "": in none, or in several */
    const char *text;           /* one sentence, with numbers; no place, no newline */
    const char *proposal;       /* "" if nothing follows from the facts */
};

/* All there is. Lists are sorted as they are shown: what costs most first. */
/* What tracing itself took while the programs ran (OMPTAPE::RECORD_COST, WRITER_TIME); of a part of the time
 * its share. All 0 where the archive does not say. */
struct analysis_perturbation {
    double record;      /* ticks that a record took on its thread, the mean of a sample */
    uint64_t recording; /* thread time, estimated from that */
    uint64_t writing;   /* processor time of the writers */
    uint64_t starting;  /* time of the first threads until the tool had begun: of all processes */
    uint64_t queued;    /* what threads waited for a processor, of which the writers explain... */
    double of_queue;    /* ...that share */
};

/* What the summary and a warning say where constructs have no source line. */
#define OMPTAPE_ADVICE_LINES "compile with -g to see lines"

struct omptape_analysis {
    struct omptape_reader *reader;
    uint64_t begin; /* of all that was looked at */
    uint64_t end;
    uint64_t events;
    uint32_t threads;   /* at hand: the sum over processes of the most in a team */
    bool serial_untold; /* of several initial threads it is not known which computed: a profile's */
    struct analysis_efficiency efficiency;
    struct analysis_perturbation perturbation;
    struct analysis_process *processes; /* in the archive's order */
    uint32_t process_count;
    struct analysis_node *nodes; /* by name */
    uint32_t node_count;
    struct analysis_thread *thread_list; /* in the archive's order, host threads only */
    uint32_t thread_count;
    struct analysis_region **regions; /* by gain, then thread time */
    uint32_t region_count;
    struct analysis_loop **loops;
    uint32_t loop_count;
    struct analysis_tasks **tasks;
    uint32_t task_count;
    struct analysis_lock **locks;
    uint32_t lock_count;
    struct analysis_lock_holder **lock_holders;
    uint32_t lock_holder_count;
    struct analysis_phase **phases; /* the longest first */
    uint32_t phase_count;
    struct analysis_value **values; /* the most frequent first */
    uint32_t value_count;
    const char *counters[OMPTAPE_COUNTERS_MOST]; /* the names of what was counted */
    uint32_t counter_count;
    struct analysis_sampled **sampled; /* most samples first, of all constructs and serial parts */
    uint32_t sampled_count;
    struct analysis_serial **serials;
    uint32_t serial_count;
    struct analysis_outliers **outliers; /* those that have some, what costs most first */
    uint32_t outlier_count;
    struct analysis_transfer **transfers;
    uint32_t transfer_count;
    struct analysis_mpi **mpi;
    uint32_t mpi_count;
    struct analysis_device **devices;
    uint32_t device_count;
    struct omptape_finding *findings; /* none below 1 % of the wall */
    uint32_t finding_count;
    const char *verdict;      /* at most three sentences */
    const char *banner;       /* all times are inflated, and why; NULL: they are not */
    const char *absent;       /* "rank 0 of 2": MPI's processes that left no trace; NULL: none did */
    const char *warnings[16]; /* what limits what can be said: dropped events, no debug information, ... */
    uint32_t warning_count;
    const char *starting; /* what MPI takes to begin or to end is most of the run: a sentence; or NULL */
    bool lacks_lines;     /* the program was compiled without -g: OMPTAPE_ADVICE_LINES */
    struct omptape_arena arena;
};

/* A location or a region, as a watcher sees it. `own` is a place for what the watcher keeps of it, NULL at
 * first. */
struct omptape_analysis_watched {
    const struct omptape_definition *definition;
    void *own;
    const uint64_t *until; /* a location's: stretches that end by then are told together; never NULL */
    uint64_t longer_than;  /* a region's: only longer visits are told */
};

/* Who looks on in the same pass. `booked`: a stretch of a host thread's time, the bucket that it counts in,
 * and the innermost region; NULL: none. A thread's stretches follow each other, and what belongs to an event
 * comes before it. Stretches that end at the location's `until` or before come later. Those of one region and
 * bucket come as one, which is as long as all of them and ends where the last of any ended. `moved` (or
 * NULL): so much of what was booked in one bucket, from begin to end, turned out to belong to another.
 * `visited` (or NULL): a visit of a region that ends within what is looked at. `linked` (or NULL): from one
 * location (id) and time to another; known at `to` or later. `sampled` (or NULL): a sample of a thread, the
 * id of its calling context, and the open regions, each once, the innermost first. `event`: false stops the
 * reading; what was read then counts as all. With `counted` it gets only those events of threads that measure
 * something; `counted` says at the end how many events a location had. */
struct omptape_analysis_watcher {
    void *data;
    void (*booked)(void *data, struct omptape_analysis_watched *location, enum omptape_bucket bucket,
                   struct omptape_analysis_watched *region, uint64_t from, uint64_t to);
    void (*moved)(void *data, struct omptape_analysis_watched *location, enum omptape_bucket from,
                  enum omptape_bucket to, uint64_t begin, uint64_t end, uint64_t ticks);
    void (*visited)(void *data, const struct omptape_analysis_watched *location,
                    struct omptape_analysis_watched *region, uint64_t begin, uint64_t end);
    void (*linked)(void *data, enum replay_arrow_kind kind, uint64_t from_location, uint64_t from,
                   uint64_t to_location, uint64_t to);
    void (*sampled)(void *data, struct omptape_analysis_watched *location, uint64_t time, uint64_t context,
                    struct omptape_analysis_watched *const *regions, uint32_t count);
    bool (*event)(void *data, const struct omptape_event *event);
    void (*counted)(void *data, const struct omptape_definition *location, uint64_t events);
    bool together; /* all processes' events come in one order of time; else one process after the other */
};

struct omptape_pyramid;
struct omptape_analysis_options {
    uint64_t from;                                     /* ticks; 0: from the beginning */
    uint64_t to;                                       /* 0: to the end */
    bool (*wants_process)(void *data, int64_t number); /* NULL: all */
    void *data;
    volatile uint64_t *done;                        /* events, counted up; may be NULL */
    const struct omptape_analysis_watcher *watcher; /* or NULL */
    unsigned jobs; /* processes that do it, if there is no watcher; 0: as 1 */
    struct omptape_pyramid
        *pyramid; /* to be filled (src/analysis/timeline/pyramid.h), without a watcher; or NULL */
};

/* Reads all events of the archive once, one process after the other. 0, or a negative errno with one line in
 * `error`, which -ENOMEM does not have. *analysis is to be freed in either case. */
int omptape_analysis_run(struct omptape_analysis **analysis, struct omptape_reader *reader,
                         const struct omptape_analysis_options *options, char *error, size_t error_bytes);
void omptape_analysis_free(struct omptape_analysis *analysis);

/* How many tasks all the parts of execution are: an untied one that was put aside has several. */
uint64_t omptape_tasks_executed(const struct analysis_tasks *tasks);

/* "imbalance", "task_chain": as JSON calls it; a constant. And as people read it: "imbalance", "chain of
 * tasks". */
const char *omptape_finding_key(enum omptape_finding_kind kind);
const char *omptape_finding_name(enum omptape_finding_kind kind);
/* How well the gain is known: "measured", "estimated", "at most", "at least"; and what stands before its
 * number:
 * "", "about ", "at most ", "at least ". */
const char *omptape_finding_certainty(const struct omptape_finding *finding);
const char *omptape_finding_before_gain(const struct omptape_finding *finding);
/* Is next to nothing to be won by the first finding, or is there none? Then the functions in which the time
 * goes are the better answer. */
bool omptape_finding_is_little(const struct omptape_analysis *result);

/* "iteration 3977", "task 20 of 60": the worst of them, in the caller's buffer. And "chunk", as JSON calls
 * the kind. */
const char *omptape_outlier_which(const struct analysis_outliers *outliers, char *text, size_t bytes);
const char *omptape_outlier_key(enum analysis_outlier_kind kind);

/* "cost", as JSON and the tables call it; "" for ANALYSIS_LOOP_UNKNOWN. */
const char *omptape_loop_reason(enum analysis_loop_reason reason);

/* Seconds. */
double omptape_analysis_seconds(const struct omptape_analysis *analysis, uint64_t ticks);

/* The middle value, estimated from the bins: ticks. */
uint64_t omptape_durations_median(const struct analysis_durations *durations, uint64_t clock_resolution);
