/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tracks which processes of a job still use its folder, so that the last one unifies the process archives.
 * Marks are symbolic links in the folder .omptape-marks of the job's folder:
 *
 * - live.RANK.PID exists while a writer runs.
 * - wait.RANK.PID exists while the command of a rank waits for its program.
 * - done.RANK.PID exists from the end of a process archive until a unification has read it.
 * - leave.RANK.PID exists while a process executes omptape_job_marks_leave.
 *
 * Called by the writer and the command, on any thread.
 */
#pragma once

#include <omptape/shm.h>
#include <stdbool.h>

struct omptape_job_marks {
    char folder[OMPTAPE_PATH_BYTES]; /* the job's; "" before omptape_job_marks_enter */
    int32_t rank;
    const char *kind; /* "live" or "wait" */
    bool entered;
};

/* Unifies the job's folder. Returns 0, -EBUSY if another process is unifying it, or another negative errno.
 */
typedef int (*omptape_job_unify_t)(void *context, const char *folder);

/* Creates this process's mark for `rank`: as its writer, or with `waits` as its command. After a failure
 * omptape_job_marks_leave does nothing, so the process archives stay separate. `why`, of
 * OMPTAPE_BENEATH_WHY_BYTES, receives the reason of a failure, else "". */
void omptape_job_marks_enter(struct omptape_job_marks *marks, const char *folder, int32_t rank, bool waits,
                             char *why);

/* Returns true if the command with process number `command` waits for `rank`. */
bool omptape_job_marks_waits(const char *folder, int32_t rank, int32_t command);

enum omptape_job_left {
    OMPTAPE_JOB_GOES_ON, /* another process is still running or unifies, or the marks are unusable */
    OMPTAPE_JOB_UNIFIED, /* this process was the last one, and the job is unified */
    OMPTAPE_JOB_OVER,    /* this process was the last one, and the job is not unified */
};

/* Removes this process's mark. If no other process is running, calls `unify` (unless it is NULL) for the
 * process archives that no unification has read. Several processes that leave at the same time may all unify,
 * but at least one does. A process of another host whose node died counts as running: the user must unify
 * then. A command whose rank has a finished process archive is not waited for, because launchers kill the
 * commands of a failed job. */
enum omptape_job_left omptape_job_marks_leave(struct omptape_job_marks *marks, omptape_job_unify_t unify,
                                              void *context);

/* Removes this process's mark without unifying. */
void omptape_job_marks_abandon(struct omptape_job_marks *marks);

/* Calls `found` for each rank whose process is at work on another host, or was when that died, with the
 * host's name. Changes nothing. */
typedef void (*omptape_job_other_host_t)(void *context, int32_t rank, const char *host);
void omptape_job_marks_on_other_hosts(const char *folder, omptape_job_other_host_t found, void *context);

/* Removes all marks in the job's folder (a descriptor), unless one belongs to a living process or is another
 * host's and younger than two minutes. Called by omptape unify. */
void omptape_job_marks_remove_stale(int folder);
