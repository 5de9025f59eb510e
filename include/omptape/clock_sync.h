/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of the shared memory (shm.h): which processes of an MPI program compare their hosts' clocks, and the
 * results. The program requests this at the end of MPI_Init. Its writer finds the other processes
 * (src/job/clock_sync.h), and the members exchange messages (callbacks/mpi/clock.c).
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

enum {
    OMPTAPE_CLOCK_SYNC_MAX_RANKS = 4096,
    OMPTAPE_CLOCK_SYNC_SAMPLES = 2,
    OMPTAPE_CLOCK_SYNC_HOST_BYTES = 128
};

enum omptape_clock_sync_state {
    OMPTAPE_CLOCK_SYNC_NONE = 0,
    OMPTAPE_CLOCK_SYNC_ASKED = 1, /* Set by the program, after all fields above `state`. */
    /* Set by the writer: this process is one of `members`, and all others wait for it. */
    OMPTAPE_CLOCK_SYNC_AGREED = 2,
    OMPTAPE_CLOCK_SYNC_ALONE = 3, /* Set by the writer, or by the program after a timeout. */
};

/* The same moment on two clocks. */
struct omptape_clock_sample {
    uint64_t ticks;     /* Time of this process's clock. */
    uint64_t reference; /* Time of the reference's clock. */
    /* Largest error of `reference`, in ticks of this process's clock. */
    uint64_t error;
};

/* The processes that compare clocks. The first member is the reference; the others one process of each other
 * host. */
struct omptape_clock_sync_found {
    uint32_t member_count;
    int32_t members[OMPTAPE_CLOCK_SYNC_MAX_RANKS]; /* Ranks in ascending order. */
    int32_t reference_pid;
    /* How many ticks of the reference's trace are one tick of its clock. */
    uint32_t reference_scale;
    char reference_host[OMPTAPE_CLOCK_SYNC_HOST_BYTES];
};

struct omptape_clock_sync {
    _Atomic int32_t rank; /* Rank in MPI_COMM_WORLD. */
    _Atomic int32_t size;
    _Atomic uint32_t state; /* enum omptape_clock_sync_state; a futex for the program. */
    /* Copied here by the writer before AGREED, for the program. The writer never reads it. */
    struct omptape_clock_sync_found found;
    /* Written by the program: first the samples, then their count (release). */
    _Atomic uint32_t sample_count;
    struct omptape_clock_sample samples[OMPTAPE_CLOCK_SYNC_SAMPLES];
};
