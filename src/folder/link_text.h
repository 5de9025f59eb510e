/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replaces symbolic links on file systems that have none (FAT, SMB shares, many of FUSE's). Such a link is
 * one short text that is complete from the first moment and that only one process can make. Here it is a file
 * that says what it is and where its text ends. Called by beneath.c alone, with the descriptor of a folder
 * and a name in it.
 */
#ifndef OMPTAPE_FOLDER_LINK_TEXT_H
#define OMPTAPE_FOLDER_LINK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Is this what symlink() says where there are no links? */
bool omptape_link_text_is_needed(int error);

/* 0; -EEXIST: the name is taken; or another negative errno. */
int omptape_link_text_make(int folder, const char *name, const char *text);

/* 0, and `text` is what fits, ended by a zero; -EINVAL: it is no such file. `status` is the file's. One that
 * of this user's is being written is waited for, a second at most. */
int omptape_link_text_read(int folder, const char *name, char *text, size_t bytes, struct stat *status);

#endif
