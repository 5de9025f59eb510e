/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens, makes, renames and removes files beneath the descriptor of a folder, as everything below the folder
 * that the user named. Others may write to that folder and to those in it, at any moment. So no link is
 * followed, no path leads out and nothing blocks (a pipe). Nothing is written through a name that exists
 * already, and callers that need a file of the same owner say so. For the writer, the command and
 * unification; one thread.
 *
 * Paths are relative to `folder`; "" and ".." are no part of one. Functions return 0 or a descriptor, or
 * negative errno. -ELOOP and -ENOTDIR mean a link, -EINVAL no regular file, and -EPERM a file of another
 * user. -EMLINK means a file to be written that has a second name. omptape_beneath_explain describes these in
 * words.
 */
#ifndef OMPTAPE_FOLDER_BENEATH_H
#define OMPTAPE_FOLDER_BENEATH_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum { OMPTAPE_BENEATH_WHY_BYTES = 512 };

/* The folder that the user named to be read, which may be a link (to be written to: named_folder.h). A
 * descriptor, or negative errno. */
int omptape_beneath_open_named(const char *path);
/* The same for what is in it alone: there may be no right to list its names (0711, 1733). */
int omptape_beneath_pass_named(const char *path);

/* A folder: any, and one that belongs to the caller or root. A descriptor. */
int omptape_beneath_open_folder(int folder, const char *path);
int omptape_beneath_open_own_folder(int folder, const char *path);
/* The same; it is made if it is not there. `made` may be NULL. */
int omptape_beneath_make_folder(int folder, const char *path, bool *made);
/* A new folder for the caller alone, with a name that nobody knows before: `prefix` and six characters.
 * `name` gets it. A descriptor. */
int omptape_beneath_make_private(int folder, const char *prefix, char *name, size_t bytes);

/* A regular file for reading: any, and one that belongs to the caller or root. A descriptor. */
int omptape_beneath_open_file(int folder, const char *path);
int omptape_beneath_open_own_file(int folder, const char *path);
/* The caller's regular file, for writing. A descriptor. */
int omptape_beneath_open_for_writing(int folder, const char *path);
/* A new file for writing. A regular file of the caller that is there goes before; -EEXIST: something else is
 * there. */
int omptape_beneath_create(int folder, const char *path);

/* The names in a folder. The caller closes it; NULL with errno set. */
DIR *omptape_beneath_list(int folder, const char *path);

/* What the path names, links as links. */
int omptape_beneath_status(int folder, const char *path, struct stat *status);
bool omptape_beneath_is_there(int folder, const char *path);
/* Is it a regular file, or a folder, of the caller or root? 0, or why not. */
int omptape_beneath_check_own(int folder, const char *path, mode_t type);

/* Links are made and read as texts, also where the file system has none (link_text.h). To read returns 0,
 * and `text` is what fits, ended by a zero; -EINVAL: it is no link. `status` may be NULL. It describes the
 * link, or what is there in place of one. */
int omptape_beneath_make_link(int folder, const char *path, const char *text);
int omptape_beneath_read_link(int folder, const char *path, char *text, size_t bytes, struct stat *status);
/* The same of the caller's or root's: what others say does not count. False: there is no such link. */
bool omptape_beneath_read_own_link(int folder, const char *path, char *text, size_t bytes);
/* Puts a file with the same text in the place of a link of the caller's, in one step. A finished archive
 * holds no such link: it leads nowhere, and "cp -L" and "tar -h" refuse it. */
void omptape_beneath_settle_link(int folder, const char *path);

/* Does the link lead to a folder with `inside` in it? Looks without opening anything; `target` gets the
 * folder's status. */
bool omptape_beneath_leads_to_folder(int folder, const char *link, const char *inside, struct stat *target);

int omptape_beneath_rename(int folder, const char *from, int to_folder, const char *to);
/* Removes a name, or an empty folder. */
int omptape_beneath_remove(int folder, const char *path);
int omptape_beneath_remove_folder(int folder, const char *path);

/* Why `path` was refused with `error`: "traces/0.evt is a link of nobody (user 65534)". */
void omptape_beneath_explain(int folder, const char *path, int error, char *text, size_t bytes);

#endif
