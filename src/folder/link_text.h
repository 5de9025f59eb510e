/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replaces symbolic links on file systems without links (FAT, SMB shares, many FUSE file systems). The
 * callers need a short text that only one process can create and that is complete from its creation. Here it
 * is a regular file with a magic number and the text's length. Called only by beneath.c, with a folder's
 * descriptor and a name in it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Returns true if `error` is symlink()'s error on a file system without links. */
bool omptape_link_text_is_needed(int error);

/* Creates the file. Returns 0; -EEXIST if the name is taken; or another negative errno. */
int omptape_link_text_make(int folder, const char *name, const char *text);

/* Reads the text, truncated and zero-terminated, and the file's status. Waits at most one second for a file
 * of this user that is being written. Returns 0; -EINVAL for other files; or another negative errno. */
int omptape_link_text_read(int folder, const char *name, char *text, size_t bytes, struct stat *status);
