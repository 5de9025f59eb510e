/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of the shared memory (shm.h): which processes of an MPI program compare their hosts' clocks, and what
 * they found. The program asks when MPI_Init is done, its writer finds the others (src/job/clock_sync.h), and
 * those that are to do it exchange messages (callbacks/mpi/clock.c).
 */
#ifndef OMPTAPE_CLOCK_SYNC_H
#define OMPTAPE_CLOCK_SYNC_H

#include <stdatomic.h>
#include <stdint.h>

enum { OMPTAPE_CLOCK_SYNC_MOST = 4096, OMPTAPE_CLOCK_SYNC_SAMPLES = 2, OMPTAPE_CLOCK_SYNC_HOST_BYTES = 128 };

enum omptape_clock_sync_state {
    OMPTAPE_CLOCK_SYNC_NONE = 0,
    OMPTAPE_CLOCK_SYNC_ASKED = 1, /* by the program: all above it is set */
    OMPTAPE_CLOCK_SYNC_AGREED =
        2, /* by the writer: this process is one of `members`, all of which wait for it */
    OMPTAPE_CLOCK_SYNC_ALONE = 3, /* by the writer, or by the program, which did not want to wait any more */
};

/* One moment on two clocks. */
struct omptape_clock_sample {
    uint64_t ticks;     /* of this process's clock, */
    uint64_t reference; /* ...and of the reference's at the same moment, */
    uint64_t error;     /* ...which may be off by so many ticks of this process's */
};

/* Who compares clocks. The first member is the reference; the others are one process of each other host. */
struct omptape_clock_sync_found {
    uint32_t member_count;
    int32_t members[OMPTAPE_CLOCK_SYNC_MOST]; /* ranks, ascending */
    int32_t reference_pid;
    uint32_t reference_scale; /* ticks of its trace in one of its clock */
    char reference_host[OMPTAPE_CLOCK_SYNC_HOST_BYTES];
};

struct omptape_clock_sync {
    _Atomic int32_t rank; /* in MPI_COMM_WORLD */
    _Atomic int32_t size;
    _Atomic uint32_t state; /* enum omptape_clock_sync_state; a futex for the program */
    /* The writer copies its own here before AGREED, for the program, and does not read it. */
    struct omptape_clock_sync_found found;
    /* Written by the program: the samples, then how many there are (release). */
    _Atomic uint32_t sample_count;
    struct omptape_clock_sample samples[OMPTAPE_CLOCK_SYNC_SAMPLES];
};

#endif
