/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The claim (src/folder/claim.h) by which one process at a time unifies a folder. Used by omptape_unify, one
 * thread.
 */
#ifndef OMPTAPE_UNIFY_LOCK_H
#define OMPTAPE_UNIFY_LOCK_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the lock of the folder. A lock whose owner is gone from this host, or elsewhere has not touched it
 * for two minutes, is taken over. 0; -EBUSY: `who` has it; or negative errno. */
int omptape_unify_lock(int folder, char *who, size_t bytes);
/* Is its owner on another host, where nobody here sees whether it lives? `age`: seconds since it touched it.
 */
bool omptape_unify_lock_is_elsewhere(int folder, double *age);
/* Tells others that its owner is alive: every ten seconds. */
void omptape_unify_touch(int folder);
/* 0, or -EBUSY: others thought that this process was dead, and one of them has it now. */
int omptape_unify_lock_check(int folder);
void omptape_unify_unlock(int folder);

#endif
