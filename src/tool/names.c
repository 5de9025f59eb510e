/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libomptape-mpi.so: MPI's names, and nothing else. It is preloaded beside libomptape.so into programs that
 * may use MPI, and only there, so that nobody else finds an MPI that is not there, or pays for so many
 * functions. Each hands its arguments to libomptape.so. Called by the program and by the bindings of other
 * languages, on any thread.
 */
#include "callbacks/mpi/mpi.h"
#include "callbacks/mpi/parameters.h"

#include <stddef.h>

/* What the library knows itself by (callbacks/mpi/real.c). */
extern const int omptape_mpi_names;
__attribute__((visibility("default"))) const int omptape_mpi_names = OMPTAPE_MPI_FUNCTIONS;

/* Whom a function of PMPI is called by decides what becomes of it. In front of the arguments is the place of
 * the call. */
#define NAME(called, number, count, caller)                                                                  \
    __attribute__((visibility("default"))) int called(OMPTAPE_PARAMETERS_##count);                           \
    __attribute__((visibility("default"))) int called(OMPTAPE_PARAMETERS_##count)                            \
    {                                                                                                        \
        intptr_t words[1 + OMPTAPE_MPI_MOST_ARGUMENTS] = {(intptr_t)__builtin_return_address(0),             \
                                                          OMPTAPE_ARGUMENTS_##count};                        \
        return omptape_mpi_gate(number, caller, words + 1);                                                  \
    }
#define BOTH(name, count, family, role, detail)                                                              \
    NAME(MPI_##name, OMPTAPE_CALL_MPI_##name, count, NULL)                                                   \
    NAME(PMPI_##name, OMPTAPE_CALL_MPI_##name, count, __builtin_return_address(0))

OMPTAPE_MPI_ALL(BOTH)
