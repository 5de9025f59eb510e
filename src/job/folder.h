/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The folder that the ranks of a job share, agreed on by the file system alone. Ranks start seconds apart and
 * on different nodes, and nobody tells them of each other. For the writer and the command; any thread.
 */
#ifndef OMPTAPE_JOB_FOLDER_H
#define OMPTAPE_JOB_FOLDER_H

#include <omptape/shm.h>
#include <stdbool.h>
#include <stddef.h>

/* Claims `asked` (absolute; the user `named` it or did not) for the job, or the first of asked-2, asked-3...
 * that is free or this job's. All ranks come to the same one. A folder that holds an archive, or that another
 * job claimed, is not free. With `force` its archive is removed by the first rank that comes. The folder goes
 * to `folder`. 0, or negative errno with `folder` naming what could not be made. `why`, of
 * OMPTAPE_BENEATH_WHY_BYTES, gets a phrase if a folder was not taken because another user has files there or
 * another run is at work there; else "". */
int omptape_job_folder_claim(const char *asked, bool named, const struct omptape_job *job, bool force,
                             char *folder, size_t bytes, char *why);

/* For a folder (a descriptor) that somebody else made for this run: marks it as holding the parts of a job.
 */
void omptape_job_folder_mark(int folder, const struct omptape_job *job);

/* The job is over, as far as can be seen: from now on its claim is a file, which copies of the folder can
 * hold. A rank that comes later reads that as well. */
void omptape_job_folder_settle(int folder);

/* Gives the folder up if nothing has come into it. */
void omptape_job_folder_discard(const char *path);

#endif
