/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which mpiexec of MPICH's kind (Hydra) started this process.
 */
#ifndef OMPTAPE_JOB_HYDRA_H
#define OMPTAPE_JOB_HYDRA_H

#include <stddef.h>

enum { OMPTAPE_HYDRA_PORT_BYTES = 128 };

/* "host:port" on which mpiexec listens to its proxies: the same for all ranks, on each node. 0, or -ENOENT
 * if no proxy is found among the ancestors. Any thread; allocates nothing. */
int omptape_hydra_port(char *port, size_t bytes);

/* The same from a proxy's command line, whose arguments are ended by zeros. */
int omptape_hydra_port_of(const char *command, size_t length, char *port, size_t bytes);

#endif
