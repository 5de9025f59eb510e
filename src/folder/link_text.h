/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a symbolic link is made for here, one short text that is there from the first moment and that one
 * process alone can make, on file systems without such links (FAT, SMB shares, many of FUSE's): a file that
 * says what it is, and in which the text's end is known. Called by beneath.c alone, with a folder's
 * descriptor and a name in it.
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
