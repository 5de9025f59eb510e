/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A folder that the user named to be written to. Where others can write they may put a link in its place,
 * and so choose what is written, replaced or completed. So a link at the path's end counts only if the
 * caller or root owns it. What is above is the user's choice. For the writer, the command and
 * unification; one thread.
 */
#ifndef OMPTAPE_FOLDER_NAMED_FOLDER_H
#define OMPTAPE_FOLDER_NAMED_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Takes "/" and "/." off the path's end: what is there may be a link, and "DIR-2" is to stand beside it. */
void omptape_named_folder_tidy(char *path);

/* A descriptor, or negative errno; -ELOOP: a link of another user (omptape_cause says so). */
int omptape_named_folder_open(const char *path);

/* Whose a file is. What lies in a folder that others can write to may be anybody's: only what belongs to the
 * caller or to root is believed. For the writer, the command and unification; one thread.
 */

enum { OMPTAPE_OWNER_BYTES = 96 };

/* Does what was found in `folder` (a descriptor) belong to the caller, or to root? Some file systems give
 * what we make to somebody else (root's on NFS to nobody): there it is the caller's if it is that one's. */
bool omptape_owner_is_trusted(int folder, const struct stat *status);

/* "alice (user 1000)", or "user 1000"; `bytes` as above. */
void omptape_owner_name(uid_t user, char *text, size_t bytes);

/* What other hosts have put into a folder. Network file systems (NFS, SMB, FUSE's) trust for seconds, up to a
 * minute, what this host saw of a folder. Where it changes something there itself, they look again.
 */

/* What is looked up in the folder from here on is as it is now. Does nothing where the file system has no
 * such memory, or nothing may be written. Any thread. */
void omptape_fresh_look(int folder);

#endif
