/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists and records the members of communicators and groups. Any thread.
 */
#pragma once

#include "buffers/slot.h"

#include <stdbool.h>
#include <stdint.h>

/* Members are given as ranks in MPI_COMM_WORLD, or in its replacement if MPI is used by sessions
 * (sessions.h). If some belong to another world, they are ranks in the communicator from which the group was
 * made. MPI translates ranks without a message. Any thread. */
/* How many numbers a list needs for each member; the result is in the first ones. */
enum { OMPTAPE_MPI_NUMBERS_PER_MEMBER = 3 };

/* Where members are looked up. */
struct omptape_mpi_rank_space {
    /* True: in the group of this communicator or window. False: in the world. */
    bool across_worlds;
    int (*group_of)(intptr_t, void *);
    intptr_t handle;
    /* True for an inter-communicator; the following fields are its groups' first ranks. */
    bool inter;
    int own_first;
    int others_first;
};

/* Lists the members of a communicator's own or remote group. Returns false if one of them cannot be found. */
bool omptape_mpi_group_of_comm(const struct omptape_mpi_rank_space *rank_space, intptr_t comm, bool remote,
                               int size, int *list);

uint64_t omptape_mpi_group_hash(const int *list, int size);

/* The common beginning of the records of communicators and groups. */
struct omptape_mpi_described {
    uint64_t identity;
    uint32_t number; /* Number in this process's records. */
    /* Number of the communicator it was made of; UINT32_MAX if there is none. */
    uint32_t parent;
    uint32_t rank; /* Rank of this process. */
    uint32_t size;
};

/* Records a new communicator or group. `flags` is an enum omptape_mpi_comm_flags. `members` is NULL if none
 * are listed. Returns false if a record was dropped. */
bool omptape_mpi_members_record(struct omptape_slot *slot, const struct omptape_mpi_described *one,
                                unsigned flags, const int *members);

/* Returns the number of a group, which is recorded at its first use, or UINT32_MAX on error. Members are
 * looked up in `rank_space`. If that is a communicator across worlds, `identity` and `number` are its own. */
uint32_t omptape_mpi_members_group(struct omptape_slot *slot, intptr_t group,
                                   const struct omptape_mpi_rank_space *rank_space, uint64_t identity,
                                   uint32_t number);
