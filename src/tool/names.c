/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Source of libomptape-mpi.so, which defines MPI's functions and nothing else. Each passes its arguments to
 * libomptape.so. The library is preloaded beside libomptape.so only into programs that may use MPI. Other
 * programs must not find MPI functions, nor pay for loading them. Called by the program and by the bindings
 * of other languages, on any thread.
 */
#include "callbacks/mpi/mpi.h"
#include "callbacks/mpi/parameters.h"

#include <stddef.h>

/* Identifies this library (callbacks/mpi/real.c). */
extern const int omptape_mpi_names;
__attribute__((visibility("default"))) const int omptape_mpi_names = OMPTAPE_MPI_FUNCTIONS;

/* Defines one function. Passes the return address in front of the arguments. `caller` distinguishes calls of
 * MPI_ and PMPI_ names, which are handled differently. */
#define NAME(called, number, count, caller)                                                                  \
    __attribute__((visibility("default"))) int called(OMPTAPE_PARAMETERS_##count);                           \
    __attribute__((visibility("default"))) int called(OMPTAPE_PARAMETERS_##count)                            \
    {                                                                                                        \
        intptr_t words[1 + OMPTAPE_MPI_MAX_ARGUMENTS] = {(intptr_t)__builtin_return_address(0),              \
                                                         OMPTAPE_ARGUMENTS_##count};                         \
        return omptape_mpi_gate(number, caller, words + 1);                                                  \
    }
#define BOTH(name, count, family, role, detail)                                                              \
    NAME(MPI_##name, OMPTAPE_CALL_MPI_##name, count, NULL)                                                   \
    NAME(PMPI_##name, OMPTAPE_CALL_MPI_##name, count, __builtin_return_address(0))

OMPTAPE_MPI_ALL(BOTH)
