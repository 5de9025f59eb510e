/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes libotf2 open an archive's files beneath a folder's descriptor (beneath.h). libotf2 itself opens files
 * only by path. It follows links, blocks on pipes and overwrites existing files. It therefore receives a path
 * that does not exist. The program that runs libotf2 (never the traced one) exports the file functions that
 * libotf2 calls. They translate these paths and forward all other calls to libc. Where libotf2 does not call
 * them, it finds no files at these paths. The program also replaces gethostid, so that no name server is
 * asked for the host. One thread.
 */
#pragma once

#include <stddef.h>

enum { OMPTAPE_OTF2_PATH_BYTES = 32 };

enum omptape_otf2_use {
    OMPTAPE_OTF2_READ,     /* files of any user */
    OMPTAPE_OTF2_READ_OWN, /* only files of the caller or root */
    OMPTAPE_OTF2_WRITE     /* new files; the folder of event files must not exist */
};

/* Registers an archive in `folder`. `path` receives the path for libotf2 and has OMPTAPE_OTF2_PATH_BYTES. The
 * caller keeps the descriptor and may close it. Returns a handle (0, 1...), or negative errno. */
int omptape_otf2_files_register(int folder, enum omptape_otf2_use use, char *path);

/* Formats the path of a handle. */
void omptape_otf2_files_path(int handle, char *path);

/* Directs all further opens to another folder, and its folder of event files, if any. 0 or negative errno. */
int omptape_otf2_files_redirect(int handle, int folder);

/* Creates a file of the archive ("traces/0.evt") that omptape writes itself. Returns a descriptor for
 * writing, or negative errno. */
int omptape_otf2_files_create(int handle, const char *name);

/* Returns the reason of the first refusal (omptape_beneath_explain), or "". */
const char *omptape_otf2_files_refusal(int handle);

/* Removes the private paths from a message of libotf2. */
void omptape_otf2_files_strip_paths(char *text);

/* Unregisters the archive after libotf2 has closed it. */
void omptape_otf2_files_unregister(int handle);
