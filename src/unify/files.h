/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moving and removing files below a folder, and making room in it. Used by unify.c and plan.c.
 */
#ifndef OMPTAPE_UNIFY_FILES_H
#define OMPTAPE_UNIFY_FILES_H

#include "src/core/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Signs of life during a unification: the progress line for the user, the lock's time for other processes. */

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

/* Folders are descriptors, names are without '/'. 0 or negative errno. */

/* A rename; between file systems a copy, after which *copied is true. The target is complete or not there. */
int omptape_unify_move(int from_folder, const char *from, int to_folder, const char *to, bool *copied,
                       struct omptape_unify_progress *progress);

/* Waits until the list of names in the folder is on the disk. */
int omptape_unify_sync(int folder);
/* The same for all files in it, and the folder; counts them. */
int omptape_unify_sync_all(int folder, struct omptape_unify_progress *progress);

/* Removes the files with that ending. */
void omptape_unify_remove_files(int folder, const char *ending);

/* Removes a folder of ours with all that is in it. */
void omptape_unify_remove_tree(int folder, const char *name);

/* What lies in the folder itself is no archive, and yet has a name that one needs: 0, or -EEXIST with a
 * phrase in `what`. */
int omptape_unify_find_in_the_way(int folder, char *what, size_t bytes);

/* Puts what a killed writer left in the folder itself into a folder inside, whose name is returned in `name`.
 * 0 or negative errno. */
int omptape_unify_set_aside(int folder, char *name, size_t bytes);

/* One process at a time unifies a folder. */

/* Takes the lock of the open folder; omptape_claim_release(folder, OMPTAPE_UNIFY_LOCK) releases it. An owner
 * on another host may have been killed, and then never touches the lock again. With `waits` the call waits
 * until that is known. `silent`: without a line on the terminal. 0; -EBUSY: `who` has it; or another -errno.
 * */
int omptape_unify_lock(int folder, bool waits, bool silent, char *who, size_t bytes);

#endif
