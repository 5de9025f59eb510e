/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens, creates, renames and removes files below a folder's descriptor. All access to files below the user's
 * folder goes through these functions, because other users may change the folder and its subfolders at any
 * time. No link is followed, no path leaves the folder, nothing blocks (on a pipe), and no existing name is
 * written through. Callers that need a file of a trusted owner use the functions that check it. Called by the
 * writer, the command and unification, on one thread.
 *
 * Paths are relative to `folder` and must not contain empty components or "..". Functions return 0 or a
 * descriptor, or negative errno:
 *
 * - -ELOOP and -ENOTDIR: a component is a link.
 * - -EINVAL: not a regular file.
 * - -EPERM: a file of another user.
 * - -EMLINK: a file to be written has a second hard link.
 *
 * omptape_beneath_explain describes these errors in words.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OMPTAPE_BENEATH_WHY_BYTES = 512 };

/* Opens a folder that the user named for reading; `path` may be a link. For writing use named_folder.h.
 * Returns a descriptor, or negative errno. */
int omptape_beneath_open_named(const char *path);
/* The same without the right to list the folder's entries (modes 0711, 1733). */
int omptape_beneath_pass_named(const char *path);

/* Open a subfolder: any, and one that belongs to the caller or root. Return a descriptor. */
int omptape_beneath_open_folder(int folder, const char *path);
int omptape_beneath_open_own_folder(int folder, const char *path);
/* Opens a subfolder; creates it if it does not exist and sets *made, which may be NULL. */
int omptape_beneath_make_folder(int folder, const char *path, bool *made);
/* Creates a folder with mode 0700 and an unpredictable `name`: `prefix` and six characters. Returns it. */
int omptape_beneath_make_private(int folder, const char *prefix, char *name, size_t bytes);

/* Open a regular file for reading: any, and one that belongs to the caller or root. Return a descriptor. */
int omptape_beneath_open_file(int folder, const char *path);
int omptape_beneath_open_own_file(int folder, const char *path);
/* Opens an existing regular file of the caller for writing. Returns a descriptor. */
int omptape_beneath_open_for_writing(int folder, const char *path);
/* Creates a file for writing; removes an existing regular file of the caller first. Returns a descriptor, or
 * -EEXIST if the name is taken by anything else. */
int omptape_beneath_create(int folder, const char *path);

/* Opens a folder's directory stream, which omptape_close_list closes. Returns NULL with errno set on failure.
 */
DIR *omptape_beneath_list(int folder, const char *path);

/* Close a descriptor (negative: none) and a directory stream (NULL: none). */
static inline void omptape_close(int descriptor)
{
    if (descriptor >= 0)
        (void)close(descriptor);
}

static inline void omptape_close_list(DIR *list)
{
    if (list != NULL)
        (void)closedir(list);
}

/* Reads the status of the path's last component without following a link. */
int omptape_beneath_status(int folder, const char *path, struct stat *status);
bool omptape_beneath_is_there(int folder, const char *path);
/* Returns 0 if the path is a regular file or folder (`type`) of the caller or root, else the error. */
int omptape_beneath_check_own(int folder, const char *path, mode_t type);

/* Create and read a symbolic link's text, or its replacement on file systems without links (link_text.h).
 * Reading returns 0 with the text, truncated and zero-terminated, or -EINVAL if the entry is not a link.
 * `status`, which may be NULL, describes the entry. */
int omptape_beneath_make_link(int folder, const char *path, const char *text);
int omptape_beneath_read_link(int folder, const char *path, char *text, size_t bytes, struct stat *status);
/* Reads a link of the caller or root. Returns false if there is no such link. */
bool omptape_beneath_read_own_link(int folder, const char *path, char *text, size_t bytes);
/* Atomically replaces a link of the caller by a regular file with the same text. A finished archive must not
 * contain dangling links, because "cp -L" and "tar -h" fail at them. */
void omptape_beneath_settle_link(int folder, const char *path);

/* Returns true if the link's target is a folder that contains `inside`. Opens no file. `target`: the folder's
 * status. */
bool omptape_beneath_leads_to_folder(int folder, const char *link, const char *inside, struct stat *target);

int omptape_beneath_rename(int folder, const char *from, int to_folder, const char *to);
/* Remove a file or link, and an empty folder. */
int omptape_beneath_remove(int folder, const char *path);
int omptape_beneath_remove_folder(int folder, const char *path);

/* Describes why `path` was refused with `error`: "traces/0.evt is a link of nobody (user 65534)". */
void omptape_beneath_explain(int folder, const char *path, int error, char *text, size_t bytes);
