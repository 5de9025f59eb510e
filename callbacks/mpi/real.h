/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI itself: its functions behind our own names, and symbols of it, found at run time wherever it was
 * loaded. Called by the wrappers on any thread.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_REAL_H
#define OMPTAPE_CALLBACKS_MPI_REAL_H

#include "callbacks/mpi/mpi.h"
#include "callbacks/mpi/parameters.h"
#include "src/mpi/functions.h"

#include <stdbool.h>
#include <stddef.h>

typedef void omptape_mpi_address(void);

/* Where the next function of this name is, behind ours: MPI's, or another tool's. NULL: nowhere. */
omptape_mpi_address *omptape_mpi_real_find(enum omptape_mpi_number number, bool profiling);

/* Is the library of our names loaded (src/tool/names.c)? */
bool omptape_mpi_real_names_are_there(void);

/* A symbol of MPI's library, or NULL. */
void *omptape_mpi_real_symbol(const char *name);

/* Is this address in a library whose file's name begins so? */
bool omptape_mpi_real_is_in(const void *address, const char *library);

/* Where one goes: a pointer to a function. */
struct omptape_mpi_symbol {
    void *place;
    const char *name;
};

/* Finds all of them. False: one is missing; those before it are set. */
bool omptape_mpi_real_symbols(const struct omptape_mpi_symbol *list, size_t count);

/* Is this address in a library that makes MPI's interface for another language (Fortran, C++) of that for C?
 * What it calls is called by the program. */
bool omptape_mpi_real_is_binding(const void *address);

/* Calls it with so many words of `a`. */
int omptape_mpi_real_call(omptape_mpi_address *function, unsigned count, const intptr_t *a);

#endif
