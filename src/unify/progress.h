/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Signs of life during a unification: the progress line for the user, the lock's time for other processes.
 */
#ifndef OMPTAPE_UNIFY_PROGRESS_H
#define OMPTAPE_UNIFY_PROGRESS_H

#include "src/core/progress.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The claim (src/folder/claim.h) by which one process at a time unifies a folder. It is touched every ten
 * seconds. */
#define OMPTAPE_UNIFY_LOCK ".omptape-unifying"

struct omptape_unify_progress {
    struct omptape_progress progress;
    int folder;       /* that is locked */
    const char *what; /* "archives read", say; NULL: nothing is shown */
    uint32_t done;
    uint32_t total;
    time_t touched;
};

/* The unification of `folder` begins. `silent`: no progress line. */
void omptape_unify_progress_begin(struct omptape_unify_progress *progress, int folder, bool silent);

/* Its next step: `total` of what are to be done. The caller counts them in progress->done. */
void omptape_unify_progress_step(struct omptape_unify_progress *progress, const char *what, uint32_t total);

/* To be called some times a second. */
void omptape_unify_progress_beat(struct omptape_unify_progress *progress);

#endif
