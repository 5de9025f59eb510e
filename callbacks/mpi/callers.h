/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a program calls a function of MPI's, also through the bindings of another language. Called by the
 * wrappers (wrappers.c) on any thread.
 */
#ifndef OMPTAPE_CALLBACKS_MPI_CALLERS_H
#define OMPTAPE_CALLBACKS_MPI_CALLERS_H

#include <stdint.h>

/* `returns` is the return address of the call of our name, and `frame` lies in the frame of that function.
 * The return address in the program's own code; 0: it cannot be told. */
uint64_t omptape_mpi_caller(uintptr_t returns, const intptr_t *frame);

#endif
