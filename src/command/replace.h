/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replacing an archive (--force): the old one is set aside while the program runs, and comes back if no new
 * one does.
 */
#ifndef OMPTAPE_COMMAND_REPLACE_H
#define OMPTAPE_COMMAND_REPLACE_H

#include <stdbool.h>

/* True if the folder holds an archive, or the beginning of one. */
bool omptape_replace_needed(const char *folder);

/* Moves the archive of this folder into a hidden folder within it, whose path goes to *aside (owned by the
 * caller). 0; -ENOTEMPTY: what looks like the archive's folder of events holds other files too, nothing was
 * moved; or negative errno. */
int omptape_replace_set_aside(const char *folder, char **aside);

/* Deletes what was set aside, or moves it back if the folder holds no new archive. */
void omptape_replace_settle(const char *folder, const char *aside);

#endif
