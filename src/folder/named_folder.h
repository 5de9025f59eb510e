/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens a folder that the user named for writing. In a folder that others can write to, they could replace it
 * by a link and so choose which files are written. A link as the path's last component is therefore followed
 * only if it belongs to the caller or root. The components above are trusted as the user's choice. Called by
 * the writer, the command and unification, on one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Removes trailing "/" and "/.", so that a link at the end is recognised and "DIR-2" is a sibling. */
void omptape_named_folder_tidy(char *path);

/* Returns a descriptor, or negative errno; -ELOOP: a link of another user (omptape_cause says so). */
int omptape_named_folder_open(const char *path);

/* Ownership of files. In folders that others can write to, only files of the caller or root are trusted.
 * Called by the writer, the command and unification, on one thread.
 */

enum { OMPTAPE_OWNER_BYTES = 96 };

/* Returns true if a file in `folder` (a descriptor) belongs to the caller or root. Some file systems change
 * the owner of new files (NFS maps root to nobody): there our new files' owner counts as the caller. */
bool omptape_owner_is_trusted(int folder, const struct stat *status);

/* Formats a user as "alice (user 1000)", or "user 1000" without a name; `bytes` as above. */
void omptape_owner_name(uid_t user, char *text, size_t bytes);

/* Network file systems (NFS, SMB, FUSE) cache a folder's entries for up to a minute, so that files of other
 * hosts stay invisible. A change by this host invalidates the cache.
 */

/* Invalidates the cached entries of `folder`. Does nothing if the file system has no such cache, or the
 * folder is not writable. Any thread. */
void omptape_named_folder_invalidate_cache(int folder);
