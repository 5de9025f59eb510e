/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libomptape-mpi.so: MPI's names, and nothing else. It is preloaded beside libomptape.so into programs that
 * may use MPI, and only there, so that nobody else finds an MPI that is not there. Each function goes on, as
 * it was called, to the one that libomptape.so has for it. Called by the program and by the bindings of other
 * languages, on any thread.
 *
 * To be compiled so that the calls become jumps: whom a PMPI function is called by is told by its return
 * address.
 */
#include "callbacks/mpi/mpi.h"
#include "callbacks/mpi/parameters.h"

/* What the library knows itself by (callbacks/mpi/real.c). */
extern const int omptape_mpi_names;
__attribute__((visibility("default"))) const int omptape_mpi_names = OMPTAPE_MPI_FUNCTIONS;

#define NAME(called, place, count)                                                                           \
    __attribute__((visibility("default"))) int called(OMPTAPE_PARAMETERS_##count);                           \
    __attribute__((visibility("default"))) int called(OMPTAPE_PARAMETERS_##count)                            \
    {                                                                                                        \
        return ((int (*)(OMPTAPE_PARAMETERS_##count))omptape_mpi_table[place])(OMPTAPE_ARGUMENTS_##count);   \
    }
#define BOTH(name, count, family, role, detail)                                                              \
    NAME(MPI_##name, 2 * OMPTAPE_CALL_MPI_##name, count)                                                     \
    NAME(PMPI_##name, 2 * OMPTAPE_CALL_MPI_##name + 1, count)

OMPTAPE_MPI_ALL(BOTH)
