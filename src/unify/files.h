/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks an output folder, shows progress, and moves, syncs and removes files during a unification. Called by
 * unify.c, plan.c, plan_complete.c, staging.c and order_correction.c in the parent process.
 */
#pragma once

#include "src/core/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Progress of a unification: the line for the user, and the lock's time stamp for other processes. */

/* Claim (src/folder/claim.h) that allows only one process at a time to unify a folder. Its owner updates the
 * time stamp every ten seconds. */
#define OMPTAPE_UNIFY_LOCK ".omptape-unifying"

struct omptape_unify_progress {
    struct omptape_progress progress;
    int folder;       /* descriptor of the locked folder */
    const char *what; /* plural noun for the line, for example "archives read"; NULL: no line */
    uint32_t done;
    uint32_t total;
    double touched; /* omptape_clock_seconds() when the lock was last touched */
};

/* Starts the progress of a unification of `folder`. `silent`: draw no progress line. */
void omptape_unify_progress_begin(struct omptape_unify_progress *progress, int folder, bool silent);

/* Starts the next step with `total` items of kind `what`. The caller counts in progress->done. */
void omptape_unify_progress_step(struct omptape_unify_progress *progress, const char *what, uint32_t total);

/* Updates the lock's time stamp and the progress line when due. Called several times a second. */
void omptape_unify_progress_update(struct omptape_unify_progress *progress);

/* In the functions below folders are descriptors and names have no '/'. They return 0 or negative errno. */

/* Renames a file, or copies it between file systems (*copied). The target is either complete or absent. */
int omptape_unify_move(int from_folder, const char *from, int to_folder, const char *to, bool *copied,
                       struct omptape_unify_progress *progress);

/* Syncs a file, or a folder's entries, to the disk. Returns 0 or negative errno. */
int omptape_unify_sync(int descriptor);
/* Syncs all files in the folder and the folder itself to the disk, and counts them in progress->done. */
int omptape_unify_sync_all(int folder, struct omptape_unify_progress *progress);

/* Removes the files in the folder whose names end in `ending`. */
void omptape_unify_remove_files(int folder, const char *ending);

/* Removes a staging folder and its contents, if it belongs to this user. */
void omptape_unify_remove_tree(int folder, const char *name);

/* Finds files in an output folder without an archive that have a name of an archive's files. Returns 0 if
 * there are none, or -EEXIST with a phrase in `what`. */
int omptape_unify_find_in_the_way(int folder, char *what, size_t bytes);

/* Moves the files of a killed writer's archive from the output folder itself into a new subfolder. `name`
 * receives the subfolder's name. Returns 0 or negative errno. */
int omptape_unify_move_unfinished(int folder, char *name, size_t bytes);

/* Acquires the lock of the open folder; omptape_claim_release(folder, OMPTAPE_UNIFY_LOCK) releases it. With
 * `waits` it waits for an owner on another host until that releases the lock, updates its time stamp or
 * counts as dead. `silent`: draw no line on the terminal meanwhile. Returns 0, -EBUSY with the owner in
 * `who`, or another negative errno. */
int omptape_unify_lock(int folder, bool waits, bool silent, char *who, size_t bytes);
