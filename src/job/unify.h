/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The unification of a job's parts, as the processes that end last call it (src/job/marks.h).
 */
#ifndef OMPTAPE_JOB_UNIFY_H
#define OMPTAPE_JOB_UNIFY_H

#include <stdbool.h>

/* What unification has to say to the user: ranks that are missing, parts that were left alone. Lines without
 * the last newline; all but the first begin with "omptape: ", so that they can be printed as one message. */
struct omptape_job_lines {
    char text[960];
    bool asked; /* a unification ended */
};

/* Runs `omptape unify FOLDER` with the command that belongs to this process (itself, or that of the writer's
 * installation) and waits for it. 0: there is one archive of all that was left; -EBUSY: another process
 * unifies; else its exit status, or another negative errno. `context` is a struct omptape_job_lines or NULL.
 */
int omptape_job_unify(void *context, const char *folder);

/* For the last process of a job, if another one unified: asks once more what there is to say, unless it is
 * known. Waits up to ten seconds for others that are at it. */
void omptape_job_unify_ask(struct omptape_job_lines *lines, const char *folder);

#endif
