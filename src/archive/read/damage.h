/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the damaged file of an archive after libotf2 failed or crashed on it. Does not use libotf2, and
 * trusts no data. For the reader's users; any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Checks the files of the archive `name` ("traces") in the folder; with `own` only those of the caller and
 * root. Returns true if a file is damaged. `text` then receives its name, the position of the damage, and the
 * numbers of other damaged and intact files. Takes as long as reading the files. */
bool omptape_damage_find(int folder, const char *name, bool own, char *text, size_t bytes);

/* Returns true if a file of events or definitions is truncated. Of an intact file only the end is read. */
bool omptape_damage_is_cut(int folder, const char *path);
/* The same for an open file; `path` is used only for its ending. */
bool omptape_damage_is_cut_file(int file, const char *path);
