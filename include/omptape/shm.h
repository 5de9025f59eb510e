/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout of the shared memory between the traced program and its writer: a header, the slots (one for
 * each thread that records), the free list's links, and the chunks. Created by the library (src/tool/),
 * handed to the writer as an anonymous file (memfd), so that it vanishes with the last of the two.
 *
 * Memory ordering. A chunk belongs to one thread, which appends records and publishes them by a release store
 * of `committed`; the writer reads it with acquire and may then read everything below. A finished chunk is
 * linked to its follower by a release store of `next` in its header; nothing is appended to it after that.
 * The writer owns a linked, drained chunk and gives it back through the free list.
 */
#ifndef OMPTAPE_SHM_H
#define OMPTAPE_SHM_H

#include <omptape/meeting.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define OMPTAPE_SHM_MAGIC UINT64_C(0x6570617470706d6f)
enum {
    OMPTAPE_SHM_VERSION = 12,
    OMPTAPE_CHUNK_BYTES = 32768,
    OMPTAPE_CHUNK_HEADER_BYTES = 64,
    OMPTAPE_MAX_SLOTS = 16384,
    OMPTAPE_EXTRA_CHUNKS = 4096, /* beyond the pool's limit: the current chunk of a live thread */
    OMPTAPE_INFO_BYTES = 65536,
    OMPTAPE_PATH_BYTES = 4096,
    OMPTAPE_MESSAGE_BYTES = 1024,
    OMPTAPE_FILTER_BYTES = 16384,
    OMPTAPE_NO_CHUNK = 0, /* chunks are numbered from 1 */
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

/* The program's side of the session. Only ever grows. */
enum omptape_program_state {
    OMPTAPE_PROGRAM_RUNNING = 0,
    OMPTAPE_PROGRAM_DONE = 1, /* nothing more will be recorded; the program waits for the archive */
};
/* The writer's side. */
enum omptape_writer_state {
    OMPTAPE_WRITER_STARTING = 0,
    OMPTAPE_WRITER_RUNNING = 1,
    OMPTAPE_WRITER_CLOSING = 2,  /* all records are translated: what is left are names and files */
    OMPTAPE_WRITER_FINISHED = 3, /* the archive is closed */
    OMPTAPE_WRITER_FAILED = 4,   /* no archive; `message` says why */
};
enum omptape_writer_sleep {
    OMPTAPE_WRITER_AWAKE = 0,
    OMPTAPE_WRITER_SLEEPS = 1,     /* on `work`: to be woken when some chunks are full */
    OMPTAPE_WRITER_NOT_NEEDED = 2, /* the same, but only by who is waiting for a chunk */
};
/* How the library saw the end (the writer finds out the rest from the kernel). */
enum omptape_end {
    OMPTAPE_END_UNKNOWN = 0,
    OMPTAPE_END_FINALIZE = 1,    /* the runtime called the tool's finalize */
    OMPTAPE_END_EXIT_REGION = 2, /* exit() inside a parallel region: only the destructor ran */
    OMPTAPE_END_CONTROL = 3,     /* omp_control_tool_end */
};

enum omptape_slot_state { OMPTAPE_SLOT_FREE = 0, OMPTAPE_SLOT_LIVE = 1, OMPTAPE_SLOT_ENDED = 2 };

/* One recording thread, as both processes see it; what is the thread's alone is in buffers/producer.h.
 * Written by the thread (release), read by the writer (acquire), except `state`, which the writer sets back
 * to FREE when the slot's last record is read. */
struct omptape_shared_slot {
    _Alignas(64) _Atomic uint32_t state; /* enum omptape_slot_state */
    _Atomic uint32_t first_chunk; /* number of the thread's first chunk, OMPTAPE_NO_CHUNK until it has one */
    _Atomic uint32_t generation;  /* counts the threads that used this slot */
    _Atomic uint32_t next_free;   /* link of the free-slot list */
    /* events of the slot's present thread that were dropped; the writer takes it when the thread has ended */
    _Atomic uint64_t dropped_total;
    _Atomic uint64_t dropped_since; /* when dropping began; 0: the thread is not dropping */
    _Atomic uint64_t chunks_taken;  /* by all threads that used this slot */
    /* of some records of theirs, from the reading of the clock to the end: ticks << 24 | how many */
    _Atomic uint64_t sampled;
};

enum { OMPTAPE_SAMPLED_COUNT_BITS = 24 };

struct omptape_chunk {
    _Atomic uint32_t committed; /* bytes of records that may be read, header not counted */
    /* number of the following chunk of this thread, OMPTAPE_NO_CHUNK while it is current */
    _Atomic uint32_t next;
    uint32_t slot;
    uint32_t number;
    /* where the last record that its thread may renew ends (buffers/held.h), which is committed with the one
     * after it, and may be read without that when no more come; 0: there was none */
    _Atomic uint32_t held;
    _Alignas(OMPTAPE_CHUNK_HEADER_BYTES) unsigned char records[];
};

/* The parallel job that a process is a rank of (src/job/job.h reads it). Texts are empty where unknown. */
struct omptape_shared_job {
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

/* What the library resolved of the user's options (src/core/options.h), for the writer. */
struct omptape_shared_options {
    char output[OMPTAPE_PATH_BYTES]; /* directory asked for, empty: the default name */
    char report[OMPTAPE_PATH_BYTES]; /* file to which the writer appends its report, or empty */
    char program[OMPTAPE_PATH_BYTES];
    char arguments[OMPTAPE_PATH_BYTES]; /* the command line, arguments ended by zeros; cut to what fits */
    uint32_t arguments_bytes;
    int32_t force;           /* replace an existing archive */
    int32_t sibling;         /* `output` was claimed for this run: an archive there is a relative's */
    int32_t paused;          /* nothing is shown before the program starts the recording */
    int32_t unify;           /* the last rank makes one archive of the job's parts */
    int32_t no_sched;        /* the threads' processor time is not read */
    int32_t some_events;     /* some, but not all, of what is not recorded always was asked for */
    int32_t profile;         /* the events are added up and not kept */
    int32_t distinct_times;  /* each record of a location has a time of its own */
    uint64_t checkpoint_ns;  /* how often the trace is made safe, 0: never */
    uint64_t limit_per_site; /* instances of each region that are shown; 0: all */
    char filter[OMPTAPE_FILTER_BYTES]; /* rules (src/core/filter.h), or empty */
    struct omptape_shared_job job;
};

struct omptape_shm {
    uint64_t magic;
    uint32_t version;
    uint32_t clock_kind;      /* enum omptape_clock_kind */
    uint64_t bytes;           /* of the whole mapping */
    uint64_t chunks_offset;   /* chunk n starts at chunks_offset + (n - 1) * OMPTAPE_CHUNK_BYTES */
    uint32_t chunk_count;     /* that the mapping has room for */
    uint32_t chunk_limit;     /* of the pool, beside each thread's current chunk */
    int32_t pid;              /* of the traced process */
    int32_t parent_pid;       /* of the traced process that forked it, or 0 */
    uint32_t policy;          /* enum omptape_policy */
    uint64_t start_ticks;     /* a reading of the clock at the process's start, or soon after... */
    uint64_t start_realtime;  /* ...and CLOCK_REALTIME, */
    uint64_t start_raw;       /* ...and CLOCK_MONOTONIC_RAW at the same moment, ns */
    uint64_t before_start_ns; /* how long before it the process started, as far as that is known */

    /* The pool. */
    _Alignas(64) _Atomic uint64_t
        free_chunks;                 /* top of the free list: number below, change count above (ABA) */
    _Atomic uint32_t fresh_chunks;   /* chunks handed out that never were in the list */
    _Atomic uint32_t live_threads;   /* that have a slot: each may have a chunk beside the limit */
    _Atomic uint32_t memory_refused; /* the kernel had none for a fresh chunk: who waits may wait in vain */
    _Alignas(64) _Atomic uint64_t free_slots; /* as free_chunks; slot index + 1 */
    _Atomic uint32_t fresh_slots;             /* slots ever used: the writer looks at [0, fresh_slots) */

    /* Wake-ups: futexes. */
    _Alignas(64) _Atomic uint32_t writer_sleeps; /* enum omptape_writer_sleep */
    _Atomic uint32_t work;                       /* the writer waits here; bumped by whoever has news */
    _Alignas(64) _Atomic uint32_t chunk_waiters; /* threads that wait for a chunk */
    _Atomic uint32_t freed;                      /* they wait here; bumped when chunks come back */

    /* The session. */
    _Alignas(64) _Atomic uint32_t program_state; /* enum omptape_program_state; futex-woken through `work` */
    _Atomic uint32_t end;                        /* enum omptape_end, set before program_state */
    _Atomic uint64_t end_ticks;
    _Alignas(64) _Atomic uint32_t
        writer_state;           /* enum omptape_writer_state; the library waits on it (futex) */
    _Atomic uint32_t heartbeat; /* counts while the writer lives */
    _Atomic int32_t writer_pid;
    _Atomic uint64_t dropped_records;  /* of threads that never got a slot or a chunk */
    _Atomic uint32_t snapshots_wanted; /* counts; a snapshot is made of OMPTAPE_POLICY_OVERWRITE only */
    /* The writer's one line, set before writer_state. `message_is_advice`: not for those who asked for quiet.
     */
    char message[OMPTAPE_MESSAGE_BYTES];
    uint32_t message_is_advice;
    char archive[OMPTAPE_PATH_BYTES]; /* the folder of an archive of its own that is complete, or empty */

    struct omptape_shared_options options;
    struct omptape_meeting meeting;

    /* What the runtime says of itself: lines "key=value", complete when info_bytes is set (release). */
    _Atomic uint32_t info_bytes;
    char info[OMPTAPE_INFO_BYTES];
};

/* Behind the header, on a page of their own: the slots, then the link of each free chunk. These places are
 * the same in every session, so that the writer finds them whatever happens to the header. */
enum { OMPTAPE_SLOTS_OFFSET = (sizeof(struct omptape_shm) + 4095) / 4096 * 4096 };
enum { OMPTAPE_LINKS_OFFSET = OMPTAPE_SLOTS_OFFSET + OMPTAPE_MAX_SLOTS * sizeof(struct omptape_shared_slot) };

static inline struct omptape_shared_slot *omptape_shm_slot(struct omptape_shm *shm, uint32_t index)
{
    return (struct omptape_shared_slot *)((char *)shm + OMPTAPE_SLOTS_OFFSET) + index;
}
static inline _Atomic uint32_t *omptape_shm_link(struct omptape_shm *shm, uint32_t chunk)
{
    return (_Atomic uint32_t *)((char *)shm + OMPTAPE_LINKS_OFFSET) + chunk;
}
/* For the program's side; the writer's is in buffers/consumer.c. */
static inline struct omptape_chunk *omptape_shm_chunk(struct omptape_shm *shm, uint32_t chunk)
{
    return (struct omptape_chunk *)((char *)shm + shm->chunks_offset +
                                    (uint64_t)(chunk - 1) * OMPTAPE_CHUNK_BYTES);
}

#endif
