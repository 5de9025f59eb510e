/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Detects the parallel job that this process is a rank of, from the launcher's environment variables. Knows
 * Slurm, Open MPI, MPICH and its derivatives (Hydra), Flux, PALS and PMIx. Any thread.
 */
#pragma once

#include <omptape/shm.h>
#include <stdbool.h>
#include <stddef.h>

/* Reads the initial environment from /proc, because MPI_Init changes the current one. Without a job, or if it
 * cannot be read, the result is rank 0 of 1 without a launcher. Any thread; allocates nothing. */
void omptape_job_read(struct omptape_job *job);

/* The same for a block of zero-terminated strings "NAME=value". `control_port` ("host:port", or NULL)
 * identifies a job of Hydra, whose environment does not contain an identity. */
void omptape_job_parse(struct omptape_job *job, const char *environment, size_t bytes,
                       const char *control_port);

/* Returns true if the job has several processes, whose archives share a folder. */
bool omptape_job_is_parallel(const struct omptape_job *job);

/* Writes the default name of the shared folder, "omptape-ID[.STEP]". It does not contain the program's name,
 * because ranks may run different programs. */
void omptape_job_folder_name(const struct omptape_job *job, char *name, size_t bytes);

enum { OMPTAPE_HYDRA_PORT_BYTES = 128 };

/* Writes the "host:port" on which the mpiexec (Hydra: MPICH and its derivatives) accepts its proxies. It is
 * read from a proxy's command line of `length` bytes with zero-terminated arguments. Returns 0 or -ENOENT. */
int omptape_hydra_port_of(const char *command, size_t length, char *port, size_t bytes);

/* Names of programs that start ranks, possibly on other nodes. Called by the library and the command. */

/* True if `name`, with or without a folder, is a launcher: mpirun, srun... Any thread; no allocation. */
bool omptape_launcher_is(const char *name);
