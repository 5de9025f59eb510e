/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replacing an archive (--force): the old one is set aside while the program runs, and comes back if no new
 * one does (output_folder.h). For the command.
 */
#ifndef OMPTAPE_FOLDER_REPLACE_H
#define OMPTAPE_FOLDER_REPLACE_H

#include <stdbool.h>

/* True if the folder holds an archive, or the beginning of one. */
bool omptape_replace_needed(const char *folder);

/* A phrase if something of that is a link, no file or another user's; else NULL. The caller owns it. */
char *omptape_replace_whose(const char *folder);

/* Moves the archive of this folder into a hidden folder within it, whose name goes to *aside. 0; -ENOTEMPTY:
 * what looks like the archive's folder of events is none, nothing was moved, and *obstacle says why (a
 * phrase); or negative errno. The caller owns both texts. */
int omptape_replace_set_aside(const char *folder, char **aside, char **obstacle);

/* Deletes what was set aside, or moves it back if the folder holds no new archive. */
void omptape_replace_settle(const char *folder, const char *aside);

#endif
