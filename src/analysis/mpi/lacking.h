/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Did the thread that others wait for run? Between two readings of the kernel's sums (metric events of the
 * thread) it waited for a processor evenly whenever it did not sleep. It slept outside of MPI, where waiting
 * spins. What others waited for it is kept back until the reading that comes after it. It would have come
 * earlier by what it lacked a processor since its last call of MPI. This part becomes a cause of its own.
 * What it slept is noted. For calls.c and waits.c.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_LACKING_H
#define OMPTAPE_ANALYSIS_MPI_LACKING_H

#include "src/analysis/state.h"

enum { WAITS_READINGS = 16 };

struct waits_reading {
    uint64_t time;
    uint64_t running_ns; /* how long it had been on a processor by then, */
    uint64_t queued_ns;  /* ...waited for one, */
    uint64_t outside;    /* ...and been outside of MPI */
};

/* What others waited for the thread, in one cause, until after the last reading. */
struct waits_owed {
    struct analysis_cause *cause;
    struct analysis_late *late;
    uint64_t threads; /* of the process that waited */
    uint64_t waited;
    uint64_t outside; /* since that reading it was outside of MPI for so long, */
    double lacked;    /* ...and before had no processor so long since its last call, */
    double slept;     /* ...and slept so long */
};

/* Of one thread; all zeros at first. */
struct waits_lacking {
    struct waits_reading readings[WAITS_READINGS]; /* the latest comes last */
    uint32_t reading_count;
    struct waits_owed *owed; /* malloc'ed */
    uint32_t owed_count;
    uint32_t owed_room;
};

void omptape_waits_lacking_free(struct waits_lacking *lacking);

/* A reading of the thread `location`, which left its last call of MPI at `outside_since`. */
void omptape_waits_read_lack(struct analysis_state *state, struct waits_lacking *lacking, uint64_t location,
                             struct waits_reading reading, uint64_t outside_since);

/* Others waited for it until `to`, for a cause that has been charged with it: cause, late, threads and waited
 * are set. It has been outside of MPI since `since`. */
void omptape_waits_find_lack(struct analysis_state *state, struct waits_lacking *lacking, uint64_t location,
                             struct waits_owed owed, uint64_t since, uint64_t to);

#endif
