/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Open files by MPI's handles, which are addresses also where its other handles are numbers. Any thread.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_FILES_H
#define OMPTAPE_CALLBACKS_MPI_FILES_H

#include "buffers/slot.h"
#include "callbacks/mpi/communicators.h"

#include <stdatomic.h>
#include <stdint.h>

struct omptape_mpi_file {
    uint32_t number; /* in this process */
    int mode;        /* MPI_MODE_... */
    struct omptape_mpi_made made;
    _Atomic uint64_t split; /* id of the operation that goes on in two steps; 0: none does */
};

/* NULL: not known. */
struct omptape_mpi_file *omptape_mpi_files_find(intptr_t handle);

/* One was opened, which is recorded. NULL: there is no room. */
struct omptape_mpi_file *omptape_mpi_files_add(struct omptape_slot *slot, intptr_t handle,
                                               const struct omptape_mpi_comm *comm, const char *name,
                                               int mode);

/* One is to be deleted by its name: a number for it, which is recorded. UINT32_MAX: there is none. */
uint32_t omptape_mpi_files_name(struct omptape_slot *slot, const char *name);

/* Its handle is MPI's again. *made gets what the caller unmakes when its end is recorded. False: it is not
 * known. */
bool omptape_mpi_files_remove(intptr_t handle, struct omptape_mpi_made *made);

#endif
