/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collective operations of MPI: the n-th of a communicator is the n-th of each of its members (MPI 3.1, 5.1);
 * those that do not block are counted apart, in the order in which they are begun (5.12), and what all do
 * with a window or a file is counted by that. MPI_Finalize is one of the world's (8.7 of MPI 3.1). When all
 * have been there, those wait that came before the one that they need. For waits.c and posted.c.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_COLLECTIVES_H
#define OMPTAPE_ANALYSIS_MPI_COLLECTIVES_H

#include "src/analysis/mpi/calls.h"
#include "src/replay/ranks.h"

struct waits_collectives {
    struct waits_calls *calls;
    struct omptape_ranks *ranks;
    struct omptape_pairs counts;    /* (order, process) -> how many it has been at */
    struct omptape_pairs instances; /* (order, number) -> the calls of those who were there */
    struct omptape_arena arena;
    struct omptape_free_list free; /* of any size */
};

/* What has an order of its own: the number of the communicator, window or file is added. */
#define WAITS_BLOCKING UINT64_C(0)
#define WAITS_POSTED (UINT64_C(1) << 32)
#define WAITS_WINDOW (UINT64_C(2) << 32)
#define WAITS_FILE (UINT64_C(3) << 32)
#define WAITS_END (UINT64_C(4) << 32)

/* Whom a member of an operation waits for. */
enum waits_needs { WAITS_NEEDS_ALL, WAITS_NEEDS_ROOT, WAITS_ROOT_NEEDS_ALL, WAITS_NEEDS_LOWER };
enum waits_needs omptape_waits_needs_of(uint64_t operation); /* OTF2_CollectiveOp */

/* What one process does in an operation. */
struct waits_part {
    uint64_t order;
    uint64_t comm;
    uint64_t operation;       /* OTF2_CollectiveOp, or what it is of a file */
    uint64_t root;            /* rank, or OTF2_CollectiveRoot */
    struct waits_call *came;  /* from here on others may go on; */
    struct waits_call *waits; /* ...and here this one waits for others: the same if it blocks */
};

void omptape_waits_collectives_free(struct waits_collectives *collectives);

/* How many of this order the process has been at. */
uint64_t omptape_waits_collectives_of(const struct waits_collectives *collectives, uint64_t order,
                                      uint64_t process);

void omptape_waits_collective(struct waits_collectives *collectives, const struct waits_part *part);

#endif
