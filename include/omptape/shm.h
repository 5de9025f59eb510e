/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout of the shared memory between the traced program and its writer. It consists of a header, the
 * slots (one for each recording thread), the links of the free list, and the chunks. The library (src/tool/)
 * creates it as an anonymous file (memfd) and passes it to the writer. So it vanishes with the last of the
 * two processes.
 *
 * Memory ordering: a chunk belongs to one thread, which appends records and publishes them by a release store
 * of `committed`. The writer reads `committed` with acquire and may then read all records below. A finished
 * chunk is linked to its follower by a release store of `next` in its header, and is not changed afterwards.
 * The writer owns a linked chunk after it has read all records, and returns it through the free list.
 */
#pragma once

#include <omptape/clock_sync.h>
#include <omptape/settings.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OMPTAPE_CHUNK_BYTES = 32768,
    OMPTAPE_CHUNK_HEADER_BYTES = 64,
    OMPTAPE_MAX_SLOTS = 16384,
    /* Chunks beyond the limit of the pool: the current chunk of each thread. */
    OMPTAPE_EXTRA_CHUNKS = OMPTAPE_MAX_SLOTS,
    OMPTAPE_INFO_BYTES = 65536,
    OMPTAPE_MESSAGE_BYTES = 1024,
    OMPTAPE_NO_CHUNK = 0, /* Chunks are numbered from 1. */
};

/* The program's state, which only increases. */
enum omptape_program_state {
    OMPTAPE_PROGRAM_RUNNING = 0,
    /* Nothing more will be recorded; the program waits for the archive. */
    OMPTAPE_PROGRAM_DONE = 1,
};
/* The writer's state. */
enum omptape_writer_state {
    OMPTAPE_WRITER_STARTING = 0,
    OMPTAPE_WRITER_RUNNING = 1,
    /* All records are translated; names and files remain to be written. */
    OMPTAPE_WRITER_CLOSING = 2,
    OMPTAPE_WRITER_FINISHED = 3, /* The archive is closed. */
    OMPTAPE_WRITER_FAILED = 4,   /* There is no archive; `message` contains the reason. */
};
enum omptape_writer_sleep {
    OMPTAPE_WRITER_AWAKE = 0,
    /* Sleeps on `work`; threads wake it when some chunks are full. */
    OMPTAPE_WRITER_SLEEPS = 1,
    /* Sleeps on `work`; only threads that wait for a chunk wake it. */
    OMPTAPE_WRITER_NOT_NEEDED = 2,
};
/* The end as the library observed it. The writer determines the rest from the kernel. */
enum omptape_end {
    OMPTAPE_END_UNKNOWN = 0,
    OMPTAPE_END_FINALIZE = 1,    /* The runtime called the tool's finalize. */
    OMPTAPE_END_EXIT_REGION = 2, /* exit() inside a parallel region: only the destructor ran. */
    OMPTAPE_END_CONTROL = 3,     /* omp_control_tool_end. */
};
/* Whether the process has left MPI_COMM_WORLD regularly. */
enum omptape_mpi_use {
    OMPTAPE_MPI_LEFT = 0, /* It has left regularly, or was never in it. */
    OMPTAPE_MPI_IN_WORLD = 1,
    OMPTAPE_MPI_ABORTED = 2, /* It called MPI_Abort. */
};

enum omptape_slot_state { OMPTAPE_SLOT_FREE = 0, OMPTAPE_SLOT_LIVE = 1, OMPTAPE_SLOT_ENDED = 2 };

/* One recording thread, as both processes see it; its private part is in buffers/slot.h. Written by the
 * thread (release) and read by the writer (acquire). Only the writer sets `state` to FREE, when the slot's
 * last record is read. */
struct omptape_shared_slot {
    _Alignas(64) _Atomic uint32_t state; /* enum omptape_slot_state. */
    /* Number of the thread's first chunk; OMPTAPE_NO_CHUNK until it has one. */
    _Atomic uint32_t first_chunk;
    _Atomic uint32_t generation; /* Count of threads that used this slot. */
    _Atomic uint32_t next_free;  /* Link of the list of free slots. */
    /* Dropped events of the slot's present thread. The writer resets it when the thread has ended. */
    _Atomic uint64_t dropped_total;
    _Atomic uint64_t dropped_since; /* When dropping began; 0 if the thread is not dropping. */
    _Atomic uint64_t chunks_taken;  /* Count of chunks taken by all threads that used this slot. */
    /* Sampled durations of records, from reading the clock to the end: sum of ticks << 24 | count. */
    _Atomic uint64_t record_times;
    _Atomic uint64_t chunk_times; /* The same for taking a loop's next chunk from the runtime. */
};

enum { OMPTAPE_TIMING_COUNT_BITS = 24 };

struct omptape_chunk {
    _Atomic uint32_t committed; /* Bytes of records that may be read, without the header. */
    /* Number of the thread's next chunk; OMPTAPE_NO_CHUNK while this one is current. */
    _Atomic uint32_t next;
    uint32_t slot;
    uint32_t number;
    /* End of the held-back record (buffers/held.h), which its thread may still update; 0 if there was none.
     * The next record commits it. It may be read without that if no more records come. */
    _Atomic uint32_t held;
    _Alignas(OMPTAPE_CHUNK_HEADER_BYTES) unsigned char records[];
};

enum omptape_missing {
    OMPTAPE_MISSING_NONE = 0,
    OMPTAPE_MISSING_REFUSED = 1,     /* The kernel refused the memory of a fresh chunk. */
    OMPTAPE_MISSING_OVERWRITTEN = 2, /* The program has overwritten the pool's lists. */
};

struct omptape_shm {
    /* The release of a writer that has ended because its version differs from the library's; else empty. At
     * the same offset in all versions. */
    char writer_release[OMPTAPE_RELEASE_BYTES];

    /* For the program only: the writer has its own layout and policy (settings.h). */
    uint64_t chunks_offset; /* Chunk n starts at chunks_offset + (n - 1) * OMPTAPE_CHUNK_BYTES. */
    uint32_t chunk_count;   /* How many chunks there are. */
    /* Limit of the pool, without each thread's current chunk. The writer may reduce it. */
    _Atomic uint32_t chunk_limit;
    uint32_t policy; /* enum omptape_policy. */

    /* The pool. */
    /* Top of the free list: number below, change count above (ABA). */
    _Alignas(64) _Atomic uint64_t free_chunks;
    _Atomic uint32_t fresh_chunks; /* Chunks taken that never were in the list. */
    _Atomic uint32_t live_threads; /* Threads with a slot: each may have a chunk beyond the limit. */
    /* enum omptape_missing: why chunks are missing, so that waiting may be in vain. */
    _Atomic uint32_t chunks_missing;
    _Atomic uint32_t refused_tries;           /* Tries to take a chunk since the kernel refused one, or 0. */
    _Alignas(64) _Atomic uint64_t free_slots; /* Like free_chunks; slot index + 1. */
    _Atomic uint32_t fresh_slots;             /* Slots ever used: the writer reads [0, fresh_slots). */

    /* Wake-ups: futexes. */
    _Alignas(64) _Atomic uint32_t writer_sleeps; /* enum omptape_writer_sleep. */
    /* The writer waits here. Threads increment it to wake the writer. */
    _Atomic uint32_t work;
    _Alignas(64) _Atomic uint32_t chunk_waiters; /* Threads that wait for a chunk. */
    _Atomic uint32_t freed;                      /* They wait here. Incremented when chunks are returned. */

    /* The session. */
    /* enum omptape_program_state. A change wakes the writer through `work`. */
    _Alignas(64) _Atomic uint32_t program_state;
    _Atomic uint32_t end; /* enum omptape_end, set before program_state. */
    _Atomic uint64_t end_ticks;
    _Atomic uint32_t mpi_use;    /* enum omptape_mpi_use. */
    _Atomic int32_t mpi_error;   /* The argument of MPI_Abort. */
    _Atomic int32_t exit_status; /* 1 + the argument of exit(), or main()'s result; 0 if unknown. */
    /* 1 while the program has not used OpenMP, MPI or marks. There is no archive if it remains 1. */
    _Atomic uint32_t unused;
    /* Children that the program has forked. Only they increment it, before they unmap this. */
    _Atomic uint32_t forks;
    /* enum omptape_writer_state. The library waits on it (futex). */
    _Alignas(64) _Atomic uint32_t writer_state;
    _Atomic uint32_t heartbeat; /* Counts while the writer lives. */
    _Atomic int32_t writer_pid;
    _Atomic uint64_t dropped_records; /* Dropped records of threads that never got a slot or a chunk. */
    /* Count of requests. Only with OMPTAPE_POLICY_OVERWRITE a snapshot is made. */
    _Atomic uint32_t snapshots_requested;
    /* One line from the writer, set before writer_state. `message_is_advice`: omitted if asked for quiet. */
    char message[OMPTAPE_MESSAGE_BYTES];
    uint32_t message_is_advice;
    /* The folder of a complete archive of its own, or empty. */
    char archive[OMPTAPE_PATH_BYTES];

    struct omptape_clock_sync clock_sync;

    /* The runtime's description of itself: lines "key=value", complete when info_bytes is set (release). */
    _Atomic uint32_t info_bytes;
    char info[OMPTAPE_INFO_BYTES];
};

/* Behind the header, on pages of their own: the slots, then the link of each free chunk. The offsets are the
 * same in every session, so that the writer finds them even if the header is damaged. */
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
/* For the program's first mapping (buffers/layout.c); the writer's function is in buffers/consumer.c. */
static inline struct omptape_chunk *omptape_shm_chunk(struct omptape_shm *shm, uint32_t chunk)
{
    return (struct omptape_chunk *)((char *)shm + shm->chunks_offset +
                                    (uint64_t)(chunk - 1) * OMPTAPE_CHUNK_BYTES);
}
