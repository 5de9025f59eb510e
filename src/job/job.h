/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What parallel job this process is a rank of, as the launcher says in the environment: Slurm, Open MPI,
 * MPICH and its relatives (Hydra), Flux, PALS, PMIx. For the library and the command.
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

#endif
