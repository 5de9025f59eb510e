/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI's own functions and symbols, found at run time wherever MPI was loaded. Any thread.
 */
#pragma once

#include "callbacks/mpi/mpi.h"
#include "callbacks/mpi/parameters.h"
#include "src/mpi/functions.h"

#include <stdbool.h>
#include <stddef.h>

typedef void omptape_mpi_address(void);

/* The names of a function: MPI_Wait, PMPI_Wait, mpi_wait_ and mpi_wait_f08_. */
enum omptape_mpi_naming {
    OMPTAPE_MPI_NAMED_C,
    OMPTAPE_MPI_NAMED_PROFILING,
    OMPTAPE_MPI_NAMED_FORTRAN,
    OMPTAPE_MPI_NAMED_F08,
    OMPTAPE_MPI_NAMINGS
};

/* Returns the function of this name behind the wrapper: MPI's or another tool's; NULL if there is none. */
omptape_mpi_address *omptape_mpi_real_find(enum omptape_mpi_number number, enum omptape_mpi_naming naming);

/* Returns true if the library of the wrappers' names is loaded (src/tool/names.c). */
bool omptape_mpi_real_names_are_there(void);

/* Returns a symbol of MPI's library, or NULL. */
void *omptape_mpi_real_symbol(const char *name);

/* Returns true if the address is in a library whose file name begins with `library`. */
bool omptape_mpi_real_is_in(const void *address, const char *library);

/* A symbol to be found, and the address of the pointer that receives it. */
struct omptape_mpi_symbol {
    void *place;
    const char *name;
};

/* Finds all symbols. Returns false if one is missing; the ones before it are set. */
bool omptape_mpi_real_symbols(const struct omptape_mpi_symbol *list, size_t count);

/* Returns true if the address is in a language binding: a library that implements MPI for Fortran or C++ by
 * the C functions. Its calls count as calls of the program. So do those of omptape's wrappers for Fortran. */
bool omptape_mpi_real_is_binding(const void *address);

/* Calls the function with `count` words of `a`, 13 at most. Reads 6 words of `a` if `count` is at most 6,
 * else 13. Returns the function's result. */
int omptape_mpi_real_call(omptape_mpi_address *function, unsigned count, const intptr_t *a);
