/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the library says of a session when it starts the writer: the user's options, the process, its job, and
 * the layout of the shared memory. The library writes it into an anonymous file of its own, seals that
 * (F_SEAL_WRITE), and hands it to the writer, which reads it once (writers/main.c). Nothing of it is in
 * the shared memory (shm.h): a program that gives up rights later, or overwrites its memory, cannot change
 * where its writer writes, and for whom.
 */
#ifndef OMPTAPE_SETTINGS_H
#define OMPTAPE_SETTINGS_H

#include <stdint.h>

#define OMPTAPE_SETTINGS_MAGIC UINT64_C(0x6570617470706d6f)
enum {
    OMPTAPE_SETTINGS_VERSION = 18, /* of this file, shm.h, clock_sync.h and record.h */
    OMPTAPE_PATH_BYTES = 4096,
    OMPTAPE_FILTER_BYTES = 16384,
    OMPTAPE_COUNTERS_BYTES = 512,
};

enum omptape_clock_kind { OMPTAPE_CLOCK_TSC = 1, OMPTAPE_CLOCK_CNTVCT = 2, OMPTAPE_CLOCK_MONOTONIC_RAW = 3 };

/* What becomes of a record for which the pool has no room. */
enum omptape_policy {
    OMPTAPE_POLICY_WAIT = 0, /* its thread waits for the writer */
    OMPTAPE_POLICY_DROP = 1, /* it is dropped, and counted */
    /* the writer forgets the oldest in time, and writes only when asked or at the end; a thread that is
     * faster than that waits */
    OMPTAPE_POLICY_OVERWRITE = 2,
};

/* The parallel job that a process is a rank of (src/job/job.h reads it). Texts are empty where unknown. */
struct omptape_job {
    int32_t rank;       /* 0 outside of a job */
    int32_t size;       /* 1 outside of a job; 0: not known */
    int32_t local_rank; /* on this node, -1: not known */
    int32_t local_size; /* ranks on this node, -1: not known */
    char launcher[16];  /* "Slurm", "Open MPI"...; empty: no rank of a job */
    char id[128];       /* the batch system's number of the job, else the launcher's */
    char step[128];     /* what tells this launch from the job's others */
    char node[128];
    char identity[448]; /* all of that which is the same for each rank, and in no other job */
    char parent[64];    /* launch and rank that spawned it, "LAUNCH.RANK"; empty: nobody, or not known */
};

/* Texts end with a zero. The flags are 0 or 1. */
struct omptape_settings {
    uint64_t magic;
    uint32_t version;

    /* The shared memory's layout (buffers/layout.h). */
    uint32_t chunk_limit; /* of the pool, beside each thread's current chunk */
    uint32_t chunk_count; /* that the mapping has room for */

    /* The process. */
    int32_t pid;
    int32_t parent_pid;       /* of the traced process that forked it, or 0 */
    uint32_t clock_kind;      /* enum omptape_clock_kind */
    uint64_t start_ticks;     /* a reading of the clock at the process's start, or soon after... */
    uint64_t start_realtime;  /* ...and CLOCK_REALTIME, */
    uint64_t start_raw;       /* ...and CLOCK_MONOTONIC_RAW at the same moment, ns */
    uint64_t before_start_ns; /* how long before it the process started, as far as that is known */
    uint64_t clock_second;    /* ticks of the clock in a second; 0: not known, the writer measures it */
    char program[OMPTAPE_PATH_BYTES];
    char arguments[OMPTAPE_PATH_BYTES]; /* the command line, arguments ended by zeros; cut to what fits */
    uint32_t arguments_bytes;
    struct omptape_job job;

    /* The options, as src/core/options.h resolved them. */
    uint32_t policy;                   /* enum omptape_policy */
    char output[OMPTAPE_PATH_BYTES];   /* directory asked for, empty: the default name */
    char report[OMPTAPE_PATH_BYTES];   /* file to which the writer appends its report, or empty */
    char filter[OMPTAPE_FILTER_BYTES]; /* rules (src/core/filter.h), or empty */
    char log_file[OMPTAPE_PATH_BYTES]; /* of the debug channel (src/core/log.h); empty: stderr */
    uint32_t log_level;                /* enum omptape_log_level */
    uint32_t log_areas;                /* bit n: enum omptape_log_area n */
    uint64_t checkpoint_ns;            /* how often the trace is made safe, 0: never */
    uint64_t sample_ns;                /* processor time between two samples of a thread, 0: there are none */
    int32_t sample_asked;              /* the user named a rate: what the kernel refuses is worth a line */
    int32_t sample_by_signal; /* the program's threads sample themselves (buffers/signal_samples.h) */
    int32_t sample_error;     /* negative errno: they cannot */
    char counters[OMPTAPE_COUNTERS_BYTES]; /* events to be counted with the samples, "off", or empty: default
                                            */
    uint64_t limit_per_site;               /* instances of each region that are shown; 0: all */
    int32_t force;                         /* replace an existing archive */
    int32_t sibling;        /* `output` was claimed for this run: an archive there is a relative's */
    int32_t paused;         /* nothing is shown before the program starts the recording */
    int32_t unify;          /* the last rank makes one archive of the job's parts */
    int32_t no_sched;       /* the threads' processor time is not read */
    int32_t some_events;    /* some, but not all, of what is not recorded always was asked for */
    int32_t profile;        /* the events are added up and not kept */
    int32_t distinct_times; /* each record of a location has a time of its own */
};

#endif
