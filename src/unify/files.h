/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Moving and removing files below a folder. Used by the plan (plan.c), one thread.
 */
#ifndef OMPTAPE_UNIFY_FILES_H
#define OMPTAPE_UNIFY_FILES_H

#include "src/unify/pulse.h"

#include <stdbool.h>

/* All paths are inside `folder`. 0 or negative errno. */

/* A rename; between file systems a copy, after which *copied is true. The target is complete or not there. */
int omptape_unify_move(int folder, const char *from, const char *to, bool *copied,
                       struct omptape_unify_pulse *pulse);

/* Waits until the file, or the list of names in the folder, is on the disk. */
int omptape_unify_sync(int folder, const char *path);
/* The same for all files in a folder and the folder; counts them. */
int omptape_unify_sync_all(int folder, const char *path, struct omptape_unify_pulse *pulse);

/* Removes the files with that ending from the folder `path`. */
void omptape_unify_remove_files(int folder, const char *path, const char *ending);

/* Removes a folder of ours with all that is in it. */
void omptape_unify_remove_tree(int folder, const char *path);

#endif
