/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds archives that the user did not name: the newest one of a folder, and whether a path is one. For the
 * subcommands that read an archive, on the command's only thread. Nothing is opened but folders.
 */
#ifndef OMPTAPE_FOLDER_NEWEST_H
#define OMPTAPE_FOLDER_NEWEST_H

#include <stdbool.h>

/* Is there an archive at this path: a folder with an anchor file, or an anchor file? */
bool omptape_is_archive(const char *path);

/* The archive whose anchor file was written last: of the folders in this one, and of this one itself (".").
 * It belongs to the caller, to root or to the owner of this folder: in /tmp, say, others
 * cannot put theirs in front. Of several that were written in the same nanosecond the last by name counts,
 * where numbers in names are compared as numbers. Returns a malloc'ed name in the folder; NULL: there is
 * none, or no memory. */
char *omptape_newest_archive(const char *folder);

#endif
