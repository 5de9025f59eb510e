/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moving and removing files below a folder. Used by the plan (plan.c), one thread.
 */
#ifndef OMPTAPE_UNIFY_FILES_H
#define OMPTAPE_UNIFY_FILES_H

#include "src/unify/progress.h"

#include <stdbool.h>

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

#endif
