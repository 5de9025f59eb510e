/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The unification of a job's parts, as the processes that end last call it (src/core/job_marks.h).
 */
#ifndef OMPTAPE_CORE_JOB_UNIFY_H
#define OMPTAPE_CORE_JOB_UNIFY_H

/* Runs `omptape unify FOLDER` with the command that belongs to this process (itself, or that of the writer's
 * installation) and waits for it. 0: there is one archive of all that was left;
 * else its exit status, or negative errno. `context` is not used. */
int omptape_job_unify(void *context, const char *folder);

#endif
