/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A recording thread's own view of its buffer. Only buffers/ accesses it, except for these fields: callbacks/
 * stores `last_module`, `place_recorded`, `mpi_frame`, `gomp`, `is_shared`, `next`, `ended` and
 * `repeats.recording`, and src/tool/ reads `names`.
 */
#pragma once

#include <omptape/shm.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* A queue of records from signal handlers (buffers/signal_queue.c). */
struct omptape_signal_queue;
/* A thread's own samples (buffers/signal_samples.h). */
struct omptape_signal_sampler;
/* Names that were recorded (buffers/names.h). */
struct omptape_names;

/* The value of `busy` if the slot is free but the system's clock forbids the fast path. */
enum { OMPTAPE_SLOT_SLOW = 1 };

/* A row of equal events with nothing in between (buffers/repeats.h). Times are in ticks. */
struct omptape_repeats {
    uint64_t site;         /* The call site. */
    uint64_t last;         /* End of the last event. */
    uint64_t first;        /* End of the first measured event. */
    uint64_t first_raw_ns; /* Its time on the system's clock, ns. */
    /* The longest time between two events of the row. Set when there are enough events. */
    uint64_t max_gap;
    uint64_t merged_count;     /* Count of events that the held-back record stands for. */
    uint64_t individual_count; /* Count of the thread's events that were recorded individually. */
    /* The slot's cursor after the last event. Another record has come since if the cursor has changed. */
    uint64_t *cursor_after;
    uint32_t kind;  /* The kind of row. */
    uint32_t count; /* Events so far; 0 if there is no row. */
    /* True while the thread is in a callback for rows. A signal handler's event then belongs to no row. */
    uint32_t recording;
    uint32_t was_wait; /* For turns: true if the last one was a wait. */
    /* For turns: the shortest time to a wait, from a turn that was not one [0] or was one [1]. */
    uint64_t min_to_wait[2];
    /* For merged turns: the duration of the waits above these shortest times. */
    uint64_t waited;
    /* The call site whose first poll has recorded what it tests; 0 if there is none. Cleared by a successful
     * poll, and by a wait that completes a request. */
    uint64_t polled_site;
};

/* OpenMP state of a thread on libgomp, which has no OMPT data words (callbacks/gomp/). */
struct omptape_slot_task {
    uint64_t task;       /* Identity of the current task; 0 if not known yet. */
    uint64_t region;     /* Identity of the parallel region; 0 if there is none. */
    uint64_t step;       /* Distance between iterations of the current loop. */
    uint32_t dimensions; /* Dimensions of an ordered(n) loop. */
    /* ompt_work_t of the open work-sharing construct; 0 if there is none. */
    uint16_t work;
    uint16_t number;     /* Number of the thread in its team. */
    uint8_t counts_down; /* The loop counts down. */
    uint8_t final;       /* Created tasks are executed at once. */
    uint8_t is_single;   /* The team has one thread. */
    uint8_t chunks;      /* Count of chunks requested, modulo 256. */
    /* enum omptape_gomp_ending: whether the implicit task's function has returned. */
    uint8_t ending;
    /* The region begun by GOMP_parallel_start without a GOMP_parallel_end so far. */
    void *started;
};

/* One recording thread; private to the thread. All zeros while unused, and in a forked process. */
struct omptape_slot {
    /* The stack pointer of the record that is being made; 0 or OMPTAPE_SLOT_SLOW if there is none. */
    _Alignas(64) _Atomic uintptr_t busy;
    uint64_t *cursor;       /* Where the next record goes. */
    uint64_t *limit;        /* End of the current chunk. */
    unsigned char *records; /* Start of the current chunk's records. */
    /* Not 0 if records were queued or lost during the current record, or if the record is to be measured. */
    _Atomic uintptr_t interrupted;
    uint32_t index;
    /* The last identity number of the fast path. Never reset: identities remain unique. */
    uint64_t sequence;
    /* The module in which the thread last began a region (callbacks/module.c). */
    uint64_t last_module;
    struct omptape_shared_slot *shared;        /* NULL if the slot was wiped. */
    struct omptape_signal_queue *signal_queue; /* Not freed at the thread's end. */
    /* The last identity number outside the fast path, where the slot may be busy. */
    _Atomic uint64_t other_sequence;
    struct omptape_chunk *chunk;
    _Atomic uint64_t lost;   /* Events that did not fit into the queue. */
    uint64_t dropped;        /* Events dropped since dropping began. */
    uint16_t place_recorded; /* The thread's PLACE record is written. */
    uint16_t delivers;       /* The thread has only delivered device records so far. */
    /* The frame of the MPI call that is being recorded; 0 if there is none. */
    uintptr_t mpi_frame;
    uint16_t wait_failed; /* Waiting for a chunk has failed. */
    /* The last record that may be updated (held.h); NULL if the chunk has none. */
    uint64_t *held;
    struct omptape_repeats repeats;
    struct omptape_slot_task gomp;
    /* The next worker of libgomp reuses the slot when this one has ended. */
    uint16_t is_shared;
    struct omptape_slot *next;   /* The next slot in the list of free ones. */
    uint64_t ended;              /* How many workers had ended when this one ended, including it. */
    struct omptape_names *names; /* Recorded names (names.h). Not freed at the thread's end. */
    struct omptape_signal_sampler *sampler; /* NULL if the thread takes no samples of itself. */
    /* Count of following records that are measured or come just before the measured ones. */
    uint16_t timed_records;
};

/* Commits the record of `words` at `place`, which is the cursor. */
static inline void omptape_slot_advance(struct omptape_slot *slot, uint64_t *place, size_t words)
{
    unsigned char *records = slot->records;
    slot->cursor = place + words;
    struct omptape_chunk *chunk = (struct omptape_chunk *)(void *)(records - OMPTAPE_CHUNK_HEADER_BYTES);
    atomic_store_explicit(&chunk->committed, (uint32_t)((unsigned char *)(place + words) - records),
                          memory_order_release);
}
