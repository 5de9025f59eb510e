/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starts the unification of a job's process archives from the process that leaves the job last
 * (src/job/marks.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Messages of the unification for the user: missing ranks, skipped process archives. Lines without the last
 * newline; all but the first begin with "omptape: ", so that they can be printed as one message. */
struct omptape_job_lines {
    char text[960];
    bool asked; /* a unification has ended, so `text` is known */
    /* Archive that it made. Another one is there if a rank entered, unified and left since then. */
    uint64_t inode;
    struct timespec changed;
};

/* Runs `omptape unify FOLDER` and waits for it. The command is this executable, or the one of the writer's
 * installation. Returns 0 if the job is unified, -EBUSY if another process is unifying it, else the exit
 * status or another negative errno. `context` is a struct omptape_job_lines or NULL. */
int omptape_job_unify(void *context, const char *folder);

/* Obtains the messages for the last process of a job if another process has unified it. Unifies once more,
 * unless `lines` is known and of the archive that is there. Waits up to ten seconds for another process that
 * is unifying. */
void omptape_job_unify_ask(struct omptape_job_lines *lines, const char *folder);
