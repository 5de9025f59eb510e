/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `omptape mpirun ...`: what the ranks on other nodes need. Hydra and Slurm pass the whole environment on,
 * Open MPI's mpirun only what its -x options name.
 */
#ifndef OMPTAPE_COMMAND_RUN_FORWARD_H
#define OMPTAPE_COMMAND_RUN_FORWARD_H

#include "src/command/run/libraries.h"
#include "src/core/string_list.h"

/* Is this a file of text that names mpi4py? Such a script loads MPI while it runs. */
bool omptape_forward_names_mpi4py(const char *path);

/* If argv starts Open MPI's mpirun: a copy with an -x for each variable that the tracing needs and the
 * environment holds, ended by NULL, in `copy` (to be freed); argv itself if not. */
char *const *omptape_forward(char *const *argv, const struct omptape_libraries *libraries,
                             struct omptape_string_list *copy);

#endif
