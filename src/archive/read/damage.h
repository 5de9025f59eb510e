/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which file of an archive is damaged: looked for once libotf2 could not read it, or crashed. Uses no
 * libotf2, and believes nothing that it reads. For the reader's users; any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Walks through the files of the archive `name` ("traces") in the folder; with `own` only through those of
 * the caller and root. True if one is damaged: `text` gets a phrase with its name, how far it goes, and how
 * many others there are. Takes as long as reading the files. */
bool omptape_damage_find(int folder, const char *name, bool own, char *text, size_t bytes);

/* Has the file, one of events or of definitions, lost its end? Reads no more than the end of a whole one. */
bool omptape_damage_is_cut(int folder, const char *path);
/* The same of a file that is open; of `path` only the ending counts. */
bool omptape_damage_is_cut_file(int file, const char *path);
