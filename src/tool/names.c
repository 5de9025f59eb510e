/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Source of libomptape-mpi.so, which defines MPI's functions and nothing else. Each passes its arguments to
 * libomptape.so. The library is preloaded beside libomptape.so only into programs that may use MPI. Other
 * programs must not find MPI functions, nor pay for loading them. Called by the program and by the bindings
 * of other languages, on any thread.
 */
#include "callbacks/mpi/mpi.h"
#include "callbacks/mpi/parameters.h"

#include <stdbool.h>
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

/* Open MPI's binding for Fortran calls C's functions, except for these: the first six if there is no request,
 * the others always. X(name, the function, arguments). */
#define SHORTCUTS(X)                                                                                         \
    X(waitall, Waitall, 4)                                                                                   \
    X(waitany, Waitany, 5)                                                                                   \
    X(waitsome, Waitsome, 6)                                                                                 \
    X(testall, Testall, 5)                                                                                   \
    X(testany, Testany, 6)                                                                                   \
    X(testsome, Testsome, 6)                                                                                 \
    X(attr_get, Attr_get, 5)                                                                                 \
    X(attr_put, Attr_put, 4)                                                                                 \
    X(comm_create_errhandler, Comm_create_errhandler, 3)                                                     \
    X(comm_create_keyval, Comm_create_keyval, 5)                                                             \
    X(comm_get_attr, Comm_get_attr, 5)                                                                       \
    X(comm_set_attr, Comm_set_attr, 4)                                                                       \
    X(errhandler_create, Errhandler_create, 3)                                                               \
    X(file_create_errhandler, File_create_errhandler, 3)                                                     \
    X(keyval_create, Keyval_create, 5)                                                                       \
    X(type_create_keyval, Type_create_keyval, 5)                                                             \
    X(type_get_attr, Type_get_attr, 5)                                                                       \
    X(type_match_size, Type_match_size, 4)                                                                   \
    X(type_set_attr, Type_set_attr, 4)                                                                       \
    X(win_create_errhandler, Win_create_errhandler, 3)                                                       \
    X(win_create_keyval, Win_create_keyval, 5)                                                               \
    X(win_get_attr, Win_get_attr, 5)                                                                         \
    X(win_set_attr, Win_set_attr, 4)

#define FORTRAN(called, number, count, f08)                                                                  \
    __attribute__((visibility("default"))) void called(OMPTAPE_PARAMETERS_##count);                          \
    __attribute__((visibility("default"))) void called(OMPTAPE_PARAMETERS_##count)                           \
    {                                                                                                        \
        intptr_t words[1 + OMPTAPE_MPI_MAX_ARGUMENTS] = {(intptr_t)__builtin_return_address(0),              \
                                                         OMPTAPE_ARGUMENTS_##count};                         \
        omptape_mpi_gate_fortran(number, f08, words + 1);                                                    \
    }
#define BOTH_FORTRAN(called, name, count)                                                                    \
    FORTRAN(mpi_##called##_, OMPTAPE_CALL_MPI_##name, count, false)                                          \
    FORTRAN(mpi_##called##_f08_, OMPTAPE_CALL_MPI_##name, count, true)

SHORTCUTS(BOTH_FORTRAN)
