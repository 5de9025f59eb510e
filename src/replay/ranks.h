/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Maps ranks of MPI communicators to processes, by the archive's groups. A process is identified by the id of
 * its location group. Used to match messages (channels.h, src/analysis/mpi/mpi.h). One thread.
 */
#pragma once

#include "src/archive/read/reader.h"

/* Initialised with zeros except `reader`. */
struct omptape_ranks {
    const struct omptape_reader *reader;
    struct omptape_pairs comms; /* (0, comm), (1, group) -> its members */
    struct omptape_arena arena;
};

#define OMPTAPE_NO_PROCESS UINT64_MAX

struct omptape_rank_list {
    bool self;           /* the communicator contains only the process itself */
    uint32_t size;       /* number of members; 0 if `self` or unknown */
    uint32_t present;    /* number of members with a location in the archive */
    uint64_t *processes; /* by rank; OMPTAPE_NO_PROCESS: not in the archive */
};

void omptape_ranks_free(struct omptape_ranks *ranks);

/* Returns the members of a communicator; NULL if out of memory. */
const struct omptape_rank_list *omptape_ranks_of(struct omptape_ranks *ranks, uint64_t comm);

/* Returns the members of any group of processes; NULL if out of memory. */
const struct omptape_rank_list *omptape_ranks_of_group(struct omptape_ranks *ranks, uint64_t group);

/* Returns the process with `rank` in a communicator of `process`, or OMPTAPE_NO_PROCESS. */
uint64_t omptape_ranks_process(struct omptape_ranks *ranks, uint64_t comm, uint64_t rank, uint64_t process);

/* Returns the MPI_COMM_WORLD that contains the process, or OTF2_UNDEFINED_COMM. */
uint64_t omptape_ranks_world_of(struct omptape_ranks *ranks, uint64_t process);

/* Whom a member of a collective operation waits for. */
enum omptape_collective_needs {
    OMPTAPE_NEEDS_ALL,
    OMPTAPE_NEEDS_ROOT,
    OMPTAPE_ROOT_NEEDS_ALL,
    OMPTAPE_NEEDS_LOWER
};
enum omptape_collective_needs omptape_collective_needs_of(uint64_t operation); /* OTF2_CollectiveOp */

/* Returns the process of a location, or OMPTAPE_NO_PROCESS. */
uint64_t omptape_ranks_process_of(const struct omptape_reader *reader, uint64_t location);
