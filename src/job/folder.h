/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lets the ranks of a job agree on one output folder by file system operations alone. The ranks start at
 * different times, on different nodes, without a channel between them. Any thread.
 */
#pragma once

#include <omptape/shm.h>
#include <stdbool.h>
#include <stddef.h>

/* Claims the absolute path `asked` for the job, or the first of asked-2, asked-3... that is free or already
 * claimed by this job. All ranks of the job get the same folder. A folder is not free if it holds an archive
 * or another job's claim; with `force` the first rank removes that archive. `named`: the user gave the path.
 * Writes the path to `folder`. Returns 0, or negative errno; `folder` then names what could not be created.
 * `why`, of OMPTAPE_BENEATH_WHY_BYTES, receives the reason if a folder was skipped because of another user's
 * files or a running program; else "". */
int omptape_job_folder_claim(const char *asked, bool named, const struct omptape_job *job, bool force,
                             char *folder, size_t bytes, char *why);

/* Adds the job's claim to `folder`, a descriptor of a folder that the caller has created. */
void omptape_job_folder_mark(int folder, const struct omptape_job *job);

/* Replaces the claim's symbolic link by a regular file, which survives copying the folder. Called when no
 * rank is left; a rank that starts later accepts both forms. */
void omptape_job_folder_make_claim_permanent(int folder);

/* Removes this job's claim, and the folder if it is empty then. */
void omptape_job_folder_discard(const char *path);
