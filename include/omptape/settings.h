/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the library passes to the writer when it starts it: the user's options, the process, its job, and the
 * layout of the shared memory. The library writes this into an anonymous file, seals it (F_SEAL_WRITE), and
 * passes it to the writer, which reads it once (writers/main.c).
 *
 * Nothing of it is in the shared memory (shm.h). So a program that drops privileges later, or overwrites its
 * memory, cannot change where its writer writes, and for whom.
 */
#pragma once

#include <stdint.h>

#define OMPTAPE_SETTINGS_MAGIC UINT64_C(0x6570617470706d6f)
enum {
    OMPTAPE_SETTINGS_VERSION = 20, /* Version of this file, shm.h, clock_sync.h and record.h. */
    OMPTAPE_RELEASE_VERSION = 19,  /* The first version with `writer_release` in shm.h. */
    OMPTAPE_RELEASE_BYTES = 16,
    OMPTAPE_PATH_BYTES = 4096,
    OMPTAPE_FILTER_BYTES = 16384,
    OMPTAPE_COUNTERS_BYTES = 512,
};

enum omptape_clock_kind { OMPTAPE_CLOCK_TSC = 1, OMPTAPE_CLOCK_CNTVCT = 2, OMPTAPE_CLOCK_MONOTONIC_RAW = 3 };

/* What happens to a record if the pool is full. */
enum omptape_policy {
    OMPTAPE_POLICY_WAIT = 0, /* The thread waits for the writer. */
    OMPTAPE_POLICY_DROP = 1, /* The record is dropped and counted. */
    /* The writer discards the oldest records, and writes only on request or at the end. A thread that is
     * faster than the writer waits. */
    OMPTAPE_POLICY_OVERWRITE = 2,
};

/* The parallel job of a rank (read by src/job/job.h). Texts are empty if unknown. */
struct omptape_job {
    int32_t rank;       /* 0 outside of a job. */
    int32_t size;       /* 1 outside of a job; 0 if unknown. */
    int32_t local_rank; /* Rank on this node; -1 if unknown. */
    int32_t local_size; /* Count of ranks on this node; -1 if unknown. */
    char launcher[16];  /* "Slurm", "Open MPI"...; empty if not a rank of a job. */
    char id[128];       /* The batch system's id of the job, else the launcher's. */
    char step[128];     /* Distinguishes this launch from others of the job. */
    char node[128];
    /* All of these values that are the same for each rank, and in no other job. */
    char identity[448];
    /* Launch and rank of the parent that spawned it, "LAUNCH.RANK"; empty if none is known. */
    char parent[64];
};

/* Texts are zero-terminated. The flags are 0 or 1. */
struct omptape_settings {
    uint64_t magic;
    uint32_t version;

    /* The layout of the shared memory (buffers/layout.h). */
    uint32_t chunk_limit; /* Limit of the pool, without each thread's current chunk. */
    uint32_t chunk_count; /* How many chunks fit into the mapping. */
    /* The user chose the size of the pool, so the writer does not reduce it. */
    int32_t buffer_requested;

    /* The process. */
    int32_t pid;
    int32_t parent_pid;      /* The traced process that forked it, or 0. */
    uint32_t clock_kind;     /* enum omptape_clock_kind. */
    uint64_t start_ticks;    /* Reading of the clock at the process's start, or soon after. */
    uint64_t start_realtime; /* CLOCK_REALTIME at the same moment, ns. */
    uint64_t start_raw;      /* CLOCK_MONOTONIC_RAW at the same moment, ns. */
    /* Time between the process's start and start_ticks, as far as known. */
    uint64_t before_start_ns;
    uint64_t clock_second; /* Ticks in a second; 0 if unknown: the writer measures it. */
    char program[OMPTAPE_PATH_BYTES];
    /* The command line: zero-terminated arguments, cut to fit. */
    char arguments[OMPTAPE_PATH_BYTES];
    uint32_t arguments_bytes;
    struct omptape_job job;

    /* The options, as resolved by src/core/options.h. */
    uint32_t policy; /* enum omptape_policy. */
    /* The directory requested; empty for the default name. */
    char output[OMPTAPE_PATH_BYTES];
    /* The file to which the writer appends its report, or empty. */
    char report[OMPTAPE_PATH_BYTES];
    char filter[OMPTAPE_FILTER_BYTES]; /* Filter rules (src/core/filter.h), or empty. */
    char log_file[OMPTAPE_PATH_BYTES]; /* File of the debug channel (src/core/log.h); empty: stderr. */
    uint32_t log_level;                /* enum omptape_log_level. */
    uint32_t log_areas;                /* Bit n: enum omptape_log_area n. */
    uint64_t checkpoint_ns;            /* Interval of checkpoints; 0: none. */
    uint64_t sample_ns;                /* CPU time between two samples of a thread; 0: no samples. */
    /* The user requested a rate, so a refusal of the kernel is reported. */
    int32_t sample_requested;
    /* The program's threads sample themselves (buffers/signal_samples.h). */
    int32_t sample_by_signal;
    int32_t sample_error; /* Negative errno if the threads cannot sample themselves. */
    /* Events to count with the samples, "off", or empty for the default. */
    char counters[OMPTAPE_COUNTERS_BYTES];
    uint64_t limit_per_site; /* Instances of each region that are shown; 0: all. */
    int32_t force;           /* Replace an existing archive. */
    /* `output` was claimed for this run: an archive there belongs to a related process. */
    int32_t sibling;
    int32_t paused;         /* Nothing is shown before the program starts the recording. */
    int32_t unify;          /* The last rank unifies the job's process archives. */
    int32_t no_sched;       /* The threads' CPU time is not read. */
    int32_t some_events;    /* The user requested some, but not all, of the optional events. */
    int32_t profile;        /* Events are added up and not stored. */
    int32_t distinct_times; /* Each record of a location has a different time. */
};
