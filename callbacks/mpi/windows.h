/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Windows by MPI's handles, and what was begun by them and is not complete: an operation is complete when the
 * window is synchronised, by whichever thread does that. Any thread.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_WINDOWS_H
#define OMPTAPE_CALLBACKS_MPI_WINDOWS_H

#include "callbacks/mpi/communicators.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { OMPTAPE_MPI_WINDOW_LISTS = 64 };

struct omptape_mpi_window {
    uint32_t number; /* in this process */
    uint32_t comm;   /* number of what it was made on */
    uint64_t comm_identity;
    bool across;   /* there are processes of other worlds in that */
    uint32_t rank; /* of this process */
    uint32_t size;
    _Atomic uint32_t accessed; /* group that an access epoch is with (members.h); UINT32_MAX: none */
    _Atomic uint32_t exposed;  /* the same of an exposure epoch */
    struct omptape_mpi_made made;
    uint32_t lists[OMPTAPE_MPI_WINDOW_LISTS]; /* of operations, by rank */
};

/* NULL: not known. */
struct omptape_mpi_window *omptape_mpi_windows_find(intptr_t handle);

/* One was made on this communicator, which is recorded. NULL: there is no room. */
struct omptape_mpi_window *omptape_mpi_windows_add(struct omptape_slot *slot, intptr_t handle,
                                                   const struct omptape_mpi_comm *comm);

/* Its handle is MPI's again, its operations are forgotten. *last gets what is known of it, whose `made` the
 * caller unmakes when its end is recorded. False: nothing. */
bool omptape_mpi_windows_remove(intptr_t handle, struct omptape_mpi_window *last);

/* Notes an operation with this rank. What there is no room for has no end. */
void omptape_mpi_windows_begin_operation(struct omptape_mpi_window *window, uint32_t rank, uint64_t id);

/* All operations that are not complete with this rank, UINT32_MAX: with any; calls back for each. `remote`:
 * at the other side, too, else here only. */
typedef void omptape_mpi_operation_ended(void *data, uint64_t id, bool locally_before);
void omptape_mpi_windows_end_operations(struct omptape_mpi_window *window, uint32_t rank, bool remote,
                                        omptape_mpi_operation_ended *ended, void *data);

/* One is complete here. False: it was so before. */
bool omptape_mpi_windows_end_locally(struct omptape_mpi_window *window, uint32_t rank, uint64_t id);

#endif
