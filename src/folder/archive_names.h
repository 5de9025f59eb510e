/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of an archive are called: as they are written, and as older versions wrote them. For the
 * writer, the command and unification; any thread.
 */
#ifndef OMPTAPE_FOLDER_ARCHIVE_NAMES_H
#define OMPTAPE_FOLDER_ARCHIVE_NAMES_H

#include <stdbool.h>

struct omptape_archive_names {
    const char *anchor;
    const char *definitions;
    const char *markers;
    const char *events; /* the folder of event files and local definitions; libotf2's name of the archive */
};

/* The first is what is written, the others are read. */
enum { OMPTAPE_ARCHIVE_NAMES = 2 };
extern const struct omptape_archive_names omptape_archive_names[OMPTAPE_ARCHIVE_NAMES];

/* Does the folder (a descriptor) hold an archive of these names, or the event files of one? Any folder may be
 * called "trace". */
bool omptape_archive_names_held(int folder, const struct omptape_archive_names *names);

/* The names that the archive in this folder has. Of several archives the one that is complete, and of these
 * the one with the names that are written; these names, too, if there is none. */
const struct omptape_archive_names *omptape_archive_names_in(int folder);

#endif
