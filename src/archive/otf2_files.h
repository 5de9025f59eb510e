/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Has libotf2 open an archive's files beneath a folder's descriptor (beneath.h). It opens files by names and
 * has no other way: it follows links, waits for pipes, writes through what is there. So it gets a path that
 * no file has. The program that it runs in, which is never the traced one, defines the functions that it
 * calls for files. They know such paths and pass all others to libc. Where they are not in libotf2's way,
 * nothing is found at those paths. Nor does libotf2 ask name servers for the host. One thread.
 */
#pragma once

#include <stddef.h>

enum { OMPTAPE_OTF2_PATH_BYTES = 32 };

enum omptape_otf2_use {
    OMPTAPE_OTF2_READ,     /* whosever files they are */
    OMPTAPE_OTF2_READ_OWN, /* only those of the caller or root */
    OMPTAPE_OTF2_WRITE     /* new ones; the folder of event files must not be there yet */
};

/* An archive in `folder` will be opened; `path`, of OMPTAPE_OTF2_PATH_BYTES, gets the folder's path for
 * libotf2. The descriptor stays the caller's, who may close it. A handle (0, 1...), or negative errno. */
int omptape_otf2_files_enter(int folder, enum omptape_otf2_use use, char *path);

/* The path that it got. */
void omptape_otf2_files_path(int handle, char *path);

/* What is opened from now on is in another folder, with its folder of event files if that is there. 0 or
 * negative errno. */
int omptape_otf2_files_turn(int handle, int folder);

/* Creates a file of the archive ("traces/0.evt") that libotf2 does not write, as if it did. A descriptor for
 * writing, or negative errno. */
int omptape_otf2_files_create(int handle, const char *name);

/* What was refused first, and whose it is (omptape_beneath_explain), or "". */
const char *omptape_otf2_files_refusal(int handle);

/* Takes the private paths out of a message of libotf2's. */
void omptape_otf2_files_tidy(char *text);

/* The archive is closed. */
void omptape_otf2_files_leave(int handle);
