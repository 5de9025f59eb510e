/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which processes of a job still work in its folder, so that the last one can make one archive of the parts.
 * Marks are symbolic links below FOLDER/.omptape-marks. live.RANK.PID exists while a process writes, and
 * wait.RANK.PID while the command of a rank waits for its program. done.RANK.PID exists from the end of a
 * part until a unification has seen it, leave.RANK.PID while a process ends its work and may unify. For the
 * writer and the command; any thread.
 */
#ifndef OMPTAPE_JOB_MARKS_H
#define OMPTAPE_JOB_MARKS_H

#include <omptape/shm.h>
#include <stdbool.h>

struct omptape_job_marks {
    char folder[OMPTAPE_PATH_BYTES]; /* of the job; empty: not entered */
    int32_t rank;
    const char *kind; /* "live" or "wait" */
    bool entered;
};

/* Makes one archive of a job's parts; 0: it is made; -EBUSY: another process is at it. */
typedef int (*omptape_job_unify_t)(void *context, const char *folder);

/* From now on this process is at work for `rank`: it writes a part, or (`waits`) it is the rank's command. A
 * failure costs the unification, not the part: then omptape_job_marks_leave does nothing, and `why`, of
 * OMPTAPE_BENEATH_WHY_BYTES, says what is in the way (a phrase, else ""). */
void omptape_job_marks_enter(struct omptape_job_marks *marks, const char *folder, int32_t rank, bool waits,
                             char *why);

/* Does the command with this process number wait for `rank`? */
bool omptape_job_marks_waits(const char *folder, int32_t rank, int32_t command);

enum omptape_job_left {
    OMPTAPE_JOB_GOES_ON, /* others are at work, or do the rest, or nobody can tell */
    OMPTAPE_JOB_UNIFIED, /* this process was the last, and there is one archive */
    OMPTAPE_JOB_OVER,    /* it was the last, and there is not */
};

/* Ends that. If nobody is left at work, unifies what came since the last unification. Processes that end at
 * the same moment may both do so, but never neither. Whose host is another's and died is at work for ever:
 * then the user has to unify. Nobody waits for a command whose rank has a part that is done. Launchers kill
 * the ranks of a job that failed, and the commands with them. With `unify` NULL nothing is unified. */
enum omptape_job_left omptape_job_marks_leave(struct omptape_job_marks *marks, omptape_job_unify_t unify,
                                              void *context);

/* The same without a look at the others: somebody else does all that. */
void omptape_job_marks_give_up(struct omptape_job_marks *marks);

/* Removes all marks in the job's folder (a descriptor) if none is of a living process, or of another host and
 * younger than two minutes. For a unification by hand. */
void omptape_job_marks_tidy(int folder);

#endif
