/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whose a file is. What lies in a folder that others can write to may be anybody's: only what belongs to the
 * caller or to root is believed. For the writer, the command and unification; one thread.
 */
#ifndef OMPTAPE_FOLDER_OWNER_H
#define OMPTAPE_FOLDER_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum { OMPTAPE_OWNER_BYTES = 96 };

/* Does what was found in `folder` (a descriptor) belong to the caller, or to root? Some file systems give
 * what we make to somebody else (root's on NFS to nobody): there it is the caller's if it is that one's. */
bool omptape_owner_is_trusted(int folder, const struct stat *status);

/* "alice (user 1000)", or "user 1000"; `bytes` as above. */
void omptape_owner_name(uid_t user, char *text, size_t bytes);

#endif
