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

/* Does that to all whose writers are dead, in one place, or in all that writers of this host choose. */
void omptape_checkpoint_remove_dead(int place);
void omptape_checkpoint_remove_all_dead(void);

/* Where a writer may make its folder, the best place first: memory, then a disk of this host. Empty: no
 * place. */
enum { OMPTAPE_CHECKPOINT_PLACES = 3 };
void omptape_checkpoint_list_places(const char *places[OMPTAPE_CHECKPOINT_PLACES]);

#endif
