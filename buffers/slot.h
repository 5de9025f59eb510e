/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a recording thread knows of its own buffer. Nobody but buffers/ looks inside, apart from `code`,
 * `place_known`, `in_mpi`, `gomp`, `is_shared`, `next`, `ended` and `repeats.recording`, which callbacks/
 * keeps there, and `names`, which src/tool/ looks at.
 */
#ifndef OMPTAPE_BUFFERS_SLOT_H
#define OMPTAPE_BUFFERS_SLOT_H

#include <omptape/shm.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Records that were put aside (buffers/interrupt.c). */
struct omptape_aside;
/* A thread's own samples (buffers/signal_samples.h). */
struct omptape_signal_sampler;
/* Names that were recorded (buffers/names.h). */
struct omptape_names;

/* What `busy` is where nobody holds the slot and the short way below does not do: the clock is the system's.
 */
enum { OMPTAPE_SLOT_SLOW = 1 };

/* The same again and again, with nothing in between (buffers/repeats.h). Times in ticks. */
struct omptape_repeats {
    uint64_t site;         /* who calls */
    uint64_t last;         /* when the last one ended */
    uint64_t first;        /* when the first one ended that was timed, */
    uint64_t first_raw_ns; /* on the system's clock, too */
    uint64_t most_between; /* from one to the next, so that it goes on; known when there are enough */
    uint64_t together;     /* those that the record held back stands for */
    uint64_t alone;        /* of the thread, that were recorded by themselves */
    uint64_t *after;       /* where the thread's next record goes, if none came after the last one */
    uint32_t what;         /* what it is a row of */
    uint32_t count;        /* 0: there is no such row */
    uint32_t recording; /* the thread is in a callback of these: one of a signal handler's is none of a row */
    uint32_t was_wait;  /* of turns: the last one was a wait */
    uint64_t least[2];  /* of turns: the shortest time to a wait, from a turn that was none, or was one */
    uint64_t waited;    /* of turns held back: what the waits took beyond that */
    uint64_t told;      /* the site whose calls have recorded what they ask for; 0: none since one found it */
};

/* What the thread is doing of OpenMP's on a libgomp, which keeps no word for a tool (callbacks/gomp/). */
struct omptape_slot_task {
    uint64_t task;       /* identity of the current task; 0: not known yet */
    uint64_t region;     /* identity of the parallel region; 0: none */
    uint64_t step;       /* of the current loop, how far from one iteration to the next; */
    uint32_t dimensions; /* how many of them an ordered(n) loop has */
    uint16_t work;       /* ompt_work_t of the open work-sharing construct; 0: none */
    uint16_t number;     /* of the thread in its team */
    uint8_t down;        /* the loop counts down */
    uint8_t final;       /* tasks that are created are executed at once */
    uint8_t alone;       /* the team is of one thread */
    uint8_t chunks;      /* that were asked for, modulo 256 */
    uint8_t ending;      /* the implicit task's function has returned: enum omptape_gomp_ending */
    void *started; /* the region that GOMP_parallel_start began here and no GOMP_parallel_end has ended */
};

/* One recording thread, as only it sees it. All zeros while it is not in use, and in a forked process. */
struct omptape_slot {
    /* the stack pointer of the record that is being made; none is: 0, or OMPTAPE_SLOT_SLOW */
    _Alignas(64) _Atomic uintptr_t busy;
    uint64_t *cursor;       /* where the next record goes */
    uint64_t *limit;        /* end of the current chunk */
    unsigned char *records; /* of the current chunk */
    /* records were put aside, or lost, since a record of the thread began; or it is one of those to be timed
     */
    _Atomic uintptr_t interrupted;
    uint32_t index;
    uint64_t sequence; /* last identity number given out; survives the thread: identities stay unique */
    uint64_t code;     /* the library in which the thread last began a region (callbacks/module.c) */
    struct omptape_shared_slot *shared; /* NULL: wiped */
    struct omptape_aside *aside;        /* survives the thread */
    _Atomic uint64_t other_sequence;    /* of identities that were given out while the slot may be held */
    struct omptape_chunk *chunk;
    _Atomic uint64_t lost; /* events for which there was no room aside */
    uint64_t dropped;      /* events dropped since dropping began */
    uint16_t place_known;  /* the thread's PLACE record is written */
    uint16_t delivers;     /* the thread so far only delivered records of devices */
    uintptr_t in_mpi;      /* the frame of the call of MPI that is being recorded; 0: none */
    uint16_t gave_up;      /* waiting for a chunk was in vain */
    uint64_t *held;        /* the last record that may be renewed (held.h); NULL: the chunk has none */
    struct omptape_repeats repeats;
    struct omptape_slot_task gomp;
    uint16_t is_shared;          /* the next worker of libgomp has the slot when this one has ended */
    struct omptape_slot *next;   /* of those that wait for one */
    uint64_t ended;              /* how many workers had ended when this one had */
    struct omptape_names *names; /* names.h; survives the thread */
    struct omptape_signal_sampler *sampler; /* NULL: the thread takes no samples of itself */
    uint16_t to_time; /* how many of the next records are timed, or come just before those */
};

/* The record of `words` at `place`, the cursor, may be read from now on. */
static inline void omptape_slot_advance(struct omptape_slot *slot, uint64_t *place, size_t words)
{
    unsigned char *records = slot->records;
    slot->cursor = place + words;
    struct omptape_chunk *chunk = (struct omptape_chunk *)(void *)(records - OMPTAPE_CHUNK_HEADER_BYTES);
    atomic_store_explicit(&chunk->committed, (uint32_t)((unsigned char *)(place + words) - records),
                          memory_order_release);
}

#endif
