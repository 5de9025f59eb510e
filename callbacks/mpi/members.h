/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is recorded of who is in a communicator or a group. Any thread.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_MEMBERS_H
#define OMPTAPE_CALLBACKS_MPI_MEMBERS_H

#include "buffers/slot.h"
#include "callbacks/mpi/groups.h"

#include <stdint.h>

/* A communicator, or a group, as its record begins. */
struct omptape_mpi_described {
    uint64_t identity;
    uint32_t number; /* in this process */
    uint32_t parent; /* number of what it was made of, UINT32_MAX: of nothing that is known */
    uint32_t rank;   /* of this process */
    uint32_t size;
};

/* A new one. `flags`: enum omptape_mpi_comm_flags. `members`, as these have them; NULL: none of its own. */
bool omptape_mpi_members_record(struct omptape_slot *slot, const struct omptape_mpi_described *one,
                                unsigned flags, const int *members);

/* The number of a group of processes, which is recorded when it is met first. UINT32_MAX: there is none.
 * `places`: what its members are looked for in, and if that is a communicator with processes of other worlds,
 * identity and number of that. */
uint32_t omptape_mpi_members_group(struct omptape_slot *slot, intptr_t group,
                                   const struct omptape_mpi_places *places, uint64_t identity,
                                   uint32_t number);

#endif
