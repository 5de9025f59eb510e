/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which process a rank of one of MPI's communicators is, as the archive's groups say. Processes are told by
 * the ids of their location groups. Used by what brings the two ends of messages together (channels.h,
 * waits.h). One thread.
 */
#ifndef OMPTAPE_ANALYSIS_MPI_RANKS_H
#define OMPTAPE_ANALYSIS_MPI_RANKS_H

#include "src/archive/read/reader.h"

/* All zeros, but for the reader, is empty. */
struct omptape_ranks {
    const struct omptape_reader *reader;
    struct omptape_pairs comms; /* (0, comm), (1, group) -> its members */
    struct omptape_arena arena;
};

#define OMPTAPE_NO_PROCESS UINT64_MAX

struct omptape_rank_list {
    bool self;           /* of one process, itself, */
    uint32_t size;       /* ...which is 0; also where it cannot be told */
    uint32_t present;    /* members of which the archive has a location */
    uint64_t *processes; /* by rank; OMPTAPE_NO_PROCESS: the archive has none */
};

void omptape_ranks_free(struct omptape_ranks *ranks);

/* The members of a communicator; NULL: no memory. */
const struct omptape_rank_list *omptape_ranks_of(struct omptape_ranks *ranks, uint64_t comm);

/* Those of a group of processes, which need not be a communicator's. */
const struct omptape_rank_list *omptape_ranks_of_group(struct omptape_ranks *ranks, uint64_t group);

/* The process that is `rank` in the communicator, as `process` says that is in it; OMPTAPE_NO_PROCESS. */
uint64_t omptape_ranks_process(struct omptape_ranks *ranks, uint64_t comm, uint64_t rank, uint64_t process);

/* The communicator of the world that the process is in, MPI_COMM_WORLD; OTF2_UNDEFINED_COMM: there is none.
 */
uint64_t omptape_ranks_world_of(struct omptape_ranks *ranks, uint64_t process);

/* That of a location; OMPTAPE_NO_PROCESS: it has none. */
uint64_t omptape_ranks_process_of(const struct omptape_reader *reader, uint64_t location);

#endif
