/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The folders in which writers make checkpoints, in a place that others use, too (/dev/shm). Each holds a
 * claim (claim.h) of its writer, so that what a killed one left can be told. For the writer's main thread and
 * for unification.
 */
#ifndef OMPTAPE_FOLDER_CHECKPOINT_SCRATCH_H
#define OMPTAPE_FOLDER_CHECKPOINT_SCRATCH_H

#include <stddef.h>

/* Makes a folder for this process in `place` (a descriptor); `name` gets its name there. A descriptor, or
 * negative errno. */
int omptape_checkpoint_make_scratch(int place, char *name, size_t bytes);

/* Removes a folder of the caller's and the files of an archive in it. */
void omptape_checkpoint_remove_scratch(int place, const char *name);

/* Does that to all whose writers are dead. */
void omptape_checkpoint_remove_dead(int place);

#endif
