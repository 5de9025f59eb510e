/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What parallel job this process is a rank of, as the launcher says in the environment. It may be Slurm, Open
 * MPI, MPICH and its relatives (Hydra), Flux, PALS, PMIx. For the library and the command.
 */
#ifndef OMPTAPE_JOB_JOB_H
#define OMPTAPE_JOB_JOB_H

#include <omptape/shm.h>

#include <stdbool.h>
#include <stddef.h>

/* Reads the environment that this process was started with, not what it made of it: MPI_Init changes the
 * latter. Outside of a job (and where nothing can be read): rank 0 of 1 without a launcher. Any thread;
 * allocates nothing. */
void omptape_job_read(struct omptape_job *job);

/* The same from a block of strings "NAME=value", each ended by a zero. `control_port` is what distinguishes
 * the jobs of Hydra, which says nothing of that in the environment ("host:port"), or NULL. */
void omptape_job_parse(struct omptape_job *job, const char *environment, size_t bytes,
                       const char *control_port);

/* Is the process one of several, whose parts of the archive share a folder? */
bool omptape_job_is_parallel(const struct omptape_job *job);

/* The name of the folder that all ranks share if the user gave none: "omptape-ID[.STEP]". Without the
 * program's name, as ranks may run different ones. */
void omptape_job_folder_name(const struct omptape_job *job, char *name, size_t bytes);

/* Which mpiexec of MPICH's kind (Hydra) started this process. */

enum { OMPTAPE_HYDRA_PORT_BYTES = 128 };

/* "host:port" on which mpiexec listens to its proxies: the same for all ranks, on each node. 0, or -ENOENT
 * if no proxy is found among the ancestors. Any thread; allocates nothing. */
int omptape_hydra_port(char *port, size_t bytes);

/* The same from a proxy's command line, whose arguments are ended by zeros. */
int omptape_hydra_port_of(const char *command, size_t length, char *port, size_t bytes);

/* Programs that start ranks, maybe on other nodes. For the library and the command. */

/* Is this the name of one, with or without its folder (mpirun, mpiexec.hydra, srun)? Any thread; allocates
 * nothing. */
bool omptape_launcher_is(const char *name);

#endif
