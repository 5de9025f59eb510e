/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Getting libomptape.so into the program: where the library is, and by which variable the program's loader or
 * its OpenMP runtime will load it.
 */
#ifndef OMPTAPE_COMMAND_RUN_PRELOAD_H
#define OMPTAPE_COMMAND_RUN_PRELOAD_H

#include "src/command/run/libraries.h"
#include "src/command/run/program.h"

#include <stdbool.h>

/* Path of libomptape.so beside this command (owned by the caller), or NULL after one line. */
char *omptape_preload_find(void);

/* Sets LD_PRELOAD (or OMP_TOOL_LIBRARIES, where a preload would do harm) in this process's environment.
 * Returns false after one line if the program cannot load the library; it may be run all the same. */
bool omptape_preload_set(const char *name, const struct omptape_program *program,
                         const struct omptape_libraries *libraries, const char *library);

/* Also sets OMP_TOOL_LIBRARIES where a runtime passes over what is preloaded, as Ubuntu's LLVM does. */
void omptape_preload_insist(const struct omptape_libraries *libraries, const char *library);

/* Adds the library with MPI's names (libomptape-mpi.so, beside `library`) to LD_PRELOAD, in front of that. */
void omptape_preload_add_mpi(const char *library);

#endif
