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

#include <omptape/clock_sync.h>
#include <omptape/settings.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OMPTAPE_CHUNK_BYTES = 32768,
    OMPTAPE_CHUNK_HEADER_BYTES = 64,
    OMPTAPE_MAX_SLOTS = 16384,
    OMPTAPE_EXTRA_CHUNKS =
        OMPTAPE_MAX_SLOTS, /* beyond the limit of the pool: the current chunk of each thread */
    OMPTAPE_INFO_BYTES = 65536,
    OMPTAPE_MESSAGE_BYTES = 1024,
    OMPTAPE_NO_CHUNK = 0, /* chunks are numbered from 1 */
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
/* Whether the process has left MPI's world as it should. */
enum omptape_mpi_use {
    OMPTAPE_MPI_LEFT = 0, /* or it never was in it */
    OMPTAPE_MPI_IN_WORLD = 1,
    OMPTAPE_MPI_ABORTED = 2, /* it called MPI_Abort */
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
    _Atomic uint64_t taking; /* the same of chunks of loops, as long as the runtime took to hand one out */
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

struct omptape_shm {
    /* For the program's side alone: the writer has its own layout and policy (settings.h). */
    uint64_t bytes;         /* of the whole mapping */
    uint64_t chunks_offset; /* chunk n starts at chunks_offset + (n - 1) * OMPTAPE_CHUNK_BYTES */
    uint32_t chunk_count;   /* that the mapping has room for */
    uint32_t chunk_limit;   /* of the pool, beside each thread's current chunk */
    uint32_t policy;        /* enum omptape_policy */

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
    _Atomic uint32_t mpi_use;    /* enum omptape_mpi_use */
    _Atomic int32_t mpi_error;   /* what MPI_Abort was given */
    _Atomic int32_t exit_status; /* 1 + what exit() was given, or main returned; 0: not known */
    _Atomic uint32_t unused; /* 1: the program may yet use OpenMP, MPI or marks; else there is no archive */
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

    struct omptape_clock_sync clock_sync;

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
