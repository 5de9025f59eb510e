/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One process at a time unifies a folder.
 */
#ifndef OMPTAPE_UNIFY_LOCK_H
#define OMPTAPE_UNIFY_LOCK_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the lock of the open folder; omptape_claim_release(folder, OMPTAPE_UNIFY_LOCK) gives it back.
 * Somebody on another host who has it may have been killed with it, and then never touches it again: if
 * `waits`, until that can be told; `silent`: without a line on the terminal. 0; -EBUSY: `who` has it; or
 * another -errno. */
int omptape_unify_lock(int folder, bool waits, bool silent, char *who, size_t bytes);

#endif
