/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs that start ranks, maybe on other nodes. For the library and the command.
 */
#ifndef OMPTAPE_JOB_LAUNCHER_H
#define OMPTAPE_JOB_LAUNCHER_H

#include <stdbool.h>

/* Is this the name of one, with or without its folder (mpirun, mpiexec.hydra, srun)? Any thread; allocates
 * nothing. */
bool omptape_launcher_is(const char *name);

#endif
